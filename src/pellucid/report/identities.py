"""Arithmetic that gives the target from one to four other columns: sums, differences, products, ratios, scales.

Such columns are known only together with the target, or the target is computed from them. An identity must hold on
nearly all rows up to rounding, for a target that varies much more than rounding does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pellucid.base.types import Array, Floats

MOST_COLUMNS = 60
LEAST_ROWS = 30
SEARCHED = 200  # rows on which every pair is tried
LEAST_RATIOS = 20  # different ones, for a line through them
LEAST_LARGEST = 0.05  # share of the rows in which a column is the largest, or smallest
HOLDS = 0.95  # share of rows on which an identity must hold
MOST_IN_SET = 4
FINE = 10.0  # how many times its tolerance the target must spread
RELATIVE = 0.005  # error of a product or ratio of rounded numbers
MOST_CHARGES = 10  # different amounts that a total has beside its parts
APART = 5.0  # how many times as many amounts must fit between the least and the largest of them
LEAST_PER_FACTOR = 10  # rows with each of the few factors
COARSEST_FACTOR = 1e-3  # relative error of such a factor by rounding
COARSEST = 0.02  # relative error of a ratio by rounding, through which a line is drawn


@dataclass(frozen=True)
class Identity:
    """Columns that give the target, and how."""

    columns: tuple[str, ...]
    formula: str


def find_identities(numbers: dict[str, Floats], y: Floats, target: str) -> list[Identity]:
    """The identities between a numeric target and columns of numbers, each column in one of them at most."""
    is_finite = np.isfinite(y)
    usable = {
        name: values[is_finite]
        for name, values in list(numbers.items())[:MOST_COLUMNS]
        if np.isfinite(values[is_finite]).mean() >= 0.7 and np.unique(values[is_finite][:SEARCHED]).size >= 3
    }
    y = y[is_finite]
    if len(y) < LEAST_ROWS or len(np.unique(y[:SEARCHED])) < 8:
        return []
    identities = _search(usable, y, target)
    if identities:
        return identities
    blank = {name: np.where(np.isfinite(values[is_finite]), values[is_finite], 0.0) for name, values in numbers.items()}
    filled = {name: values for name, values in blank.items() if np.unique(values[:SEARCHED]).size >= 3}
    some_missing = any(not np.isfinite(values).all() for values in numbers.values())
    return _search(dict(list(filled.items())[:MOST_COLUMNS]), y, target) if some_missing else []  # a blank may be a 0


def _search(usable: dict[str, Floats], y: Floats, target: str) -> list[Identity]:
    identities: list[Identity] = []
    for name in list(usable):
        if _is_affine(usable[name], y):
            identities.append(Identity((name,), f"{target} is {name} on another scale"))
            del usable[name]
        elif factors := _factors(usable[name], y):
            examples = " or ".join(f"{factor:.5g}" for factor in factors[:2])
            identities.append(
                Identity((name,), f"{target} is {name} times one of {len(factors)} factors, such as {examples}")
            )
            del usable[name]
    for search in (_pairs, _sums, _powers, _extremes, _sums_and_charges):
        identity = search(usable, y, target)
        while identity is not None:
            identities.append(identity)
            usable = {name: values for name, values in usable.items() if name not in identity.columns}
            identity = search(usable, y, target)
    return identities


def rounding_unit(values: Floats) -> float:
    """The decimal place to which numbers were rounded, such as 0.01; 0 if to none of the first seven.

    >>> rounding_unit(np.array([1.25, 3.5])), rounding_unit(np.array([2.0, 4.0]))
    (0.01, 1.0)
    """
    present = values[np.isfinite(values)][:1000]
    for n_decimals in range(7):
        if np.allclose(np.round(present, n_decimals), present, rtol=0, atol=1e-9):
            return float(f"1e-{n_decimals}")
    return 0.0


def _spread(values: Floats) -> float:
    low, high = np.quantile(values, [0.1, 0.9])
    return float(high - low)


def _is_affine(x: Floats, y: Floats) -> bool:
    """Is the target a + b x, up to rounding?"""
    both = np.isfinite(x)
    x, y = x[both], y[both]
    half = _spread(x)
    if half <= 0:
        return False
    intercept_and_slope = _robust_line(x, y)
    residuals = y - intercept_and_slope[0] - intercept_and_slope[1] * x
    tolerance = rounding_unit(y) + abs(intercept_and_slope[1]) * rounding_unit(x) + 1e-7 * _spread(y)
    return _holds(residuals, tolerance, y)


def _factors(x: Floats, y: Floats) -> list[float]:
    """The few factors by one of which the target is a multiple of a column in nearly every row, as prices with and
    without a tax of two rates are, the most frequent first; none where there are many, or rounding would hide them."""
    is_usable = np.isfinite(x) & (x * y > 0)
    if is_usable.mean() < HOLDS:
        return []
    x, y = x[is_usable], y[is_usable]
    if len(y) < LEAST_ROWS:
        return []
    tolerance = float(np.quantile(rounding_unit(x) / np.abs(x) + rounding_unit(y) / np.abs(y), 0.9)) + 1e-7
    logarithms = np.sort(np.log(y / x))
    groups = np.split(logarithms, np.flatnonzero(np.diff(logarithms) > FINE * tolerance) + 1)
    groups = [group for group in sorted(groups, key=len, reverse=True)[:MOST_CHARGES] if len(group) >= LEAST_PER_FACTOR]
    n_rows = sum(len(group) for group in groups if group[-1] - group[0] <= 2 * tolerance)
    if len(groups) < 2 or n_rows < HOLDS * len(is_usable) or tolerance > COARSEST_FACTOR:
        return []
    n_values = len(np.unique(y))
    return [float(np.exp(np.median(group))) for group in groups] if n_values >= LEAST_PER_FACTOR * len(groups) else []


def _robust_line(x: Floats, y: Floats) -> tuple[float, float]:
    """The line through the median points of the lowest and of the highest third."""
    order = np.argsort(x, kind="stable")
    third = max(1, len(order) // 3)
    low, high = order[:third], order[-third:]
    run = float(np.median(x[high]) - np.median(x[low]))
    line = np.polyfit(x, y, 1) if run <= 0 else np.array([(np.median(y[high]) - np.median(y[low])) / run, 0.0])
    residuals = y - line[0] * x
    keep = np.abs(residuals - np.median(residuals)) <= np.quantile(np.abs(residuals - np.median(residuals)), 0.9)
    if x[keep].min() == x[keep].max():
        return float(np.median(y[keep])), 0.0
    slope, start = np.polyfit(x[keep], y[keep], 1)
    return float(start), float(slope)


def _holds(residuals: Floats, tolerance: float | Floats, y: Floats) -> bool:
    """Are the residuals within the tolerance on nearly all rows, and is that more than the target's own rounding?"""
    if float((np.abs(residuals) <= 1e-7 * _spread(y)).mean()) >= HOLDS:
        return True  # exactly, so that no rounding need be allowed for
    fine = _spread(y) >= FINE * float(np.median(tolerance))
    return bool(fine and float((np.abs(residuals) <= tolerance).mean()) >= HOLDS)


# ------------------------------------------------------------------------------------------------------------ pairs


def _pairs(numbers: dict[str, Floats], y: Floats, target: str) -> Identity | None:
    """A sum, difference, product or ratio of two columns, up to a constant."""
    names = list(numbers)
    if len(names) < 2:
        return None
    few = np.unique(np.linspace(0, len(y) - 1, SEARCHED).astype(int))
    matrix = np.column_stack([numbers[name][few] for name in names])
    for i, first in enumerate(names[:-1]):
        with np.errstate(all="ignore"):
            for sign, formula in _formulas(matrix[:, [i]], matrix[:, i + 1 :]):
                for j in np.flatnonzero(_close_columns(y[few], formula, sign)):
                    second = names[i + 1 + int(j)]
                    text = _pair_identity(numbers[first], numbers[second], y, sign)
                    if text:
                        return Identity((first, second), f"{target} is {text.format(first, second)}")
    return None


_OPERATIONS = {
    "+": "{0} + {1}",
    "-": "{0} - {1}",
    "r-": "{1} - {0}",
    "*": "{0} * {1}",
    "/": "{0} / {1}",
    "r/": "{1} / {0}",
}


def _formulas(a: Floats, b: Floats) -> list[tuple[str, Floats]]:
    return [("+", a + b), ("-", a - b), ("r-", b - a), ("*", a * b), ("/", a / b), ("r/", b / a)]


def _close_columns(y: Floats, results: Floats, sign: str) -> Array:
    """Which columns of results follow the target closely, by their correlation where both are finite."""
    finite = np.isfinite(results)
    n_rows = finite.sum(axis=0)
    values = np.where(finite, results, 0.0)
    ys = np.where(finite, y[:, None], 0.0)
    mean_x, mean_y = values.sum(axis=0) / n_rows, ys.sum(axis=0) / n_rows
    dx, dy = np.where(finite, values - mean_x, 0.0), np.where(finite, ys - mean_y, 0.0)
    correlation = (dx * dy).sum(axis=0) / np.sqrt((dx**2).sum(axis=0) * (dy**2).sum(axis=0))
    close = np.abs(correlation) > 0.9
    equal = np.abs(np.where(finite, results - y[:, None], np.inf)) <= 1e-6 * (1 + np.abs(y[:, None]))
    return np.asarray((close | (equal.mean(axis=0) > 0.9)) & (n_rows >= 0.7 * len(y)))


def _pair_identity(a: Floats, b: Floats, y: Floats, sign: str) -> str:
    """The formula if it holds on nearly all rows, else nothing."""
    with np.errstate(all="ignore"):
        result = dict(_formulas(a, b))[sign]
    finite = np.isfinite(result)
    result, y = result[finite], y[finite]
    if len(y) < LEAST_ROWS:
        return ""
    text = _OPERATIONS[sign]
    if sign in ("+", "-", "r-"):
        tolerance = rounding_unit(y) + rounding_unit(a) + rounding_unit(b) + 1e-7 * _spread(y)
        offset = float(np.median(y - result))
        if not _holds(y - result - offset, tolerance, y):
            return ""
        return text if abs(offset) <= tolerance else f"{text} {'+' if offset > 0 else '-'} {abs(offset):.6g}"
    usable = np.abs(result) > 0
    if usable.sum() < LEAST_ROWS:
        return ""
    if sign in ("/", "r/") and (np.unique(result).size > LEAST_RATIOS):
        units = rounding_unit(a[finite]) / np.abs(a[finite]) + rounding_unit(b[finite]) / np.abs(b[finite])
        start, slope = _robust_line(result, y)
        near = rounding_unit(y) + np.abs(slope * result) * units
        if (
            float(np.median(units)) <= COARSEST
            and _holds(y - start - slope * result, near, y)
            and abs(start) > 0.1 * _spread(y)
        ):
            return f"{text}, on another scale"
    factor = float(np.median(y[usable] / result[usable]))
    close = np.maximum(RELATIVE * np.abs(y), rounding_unit(y))
    if not factor or not _holds(y - factor * result, close, y):
        return ""
    return text if abs(factor - 1) < 0.01 else f"{text}, times {factor:.3g}"


# ------------------------------------------------------------------------------------------------ three or four columns


def _sums(numbers: dict[str, Floats], y: Floats, target: str) -> Identity | None:
    """A weighted sum of a few columns."""
    minimal = _minimal(numbers, y)
    if minimal is None:
        return _sum_of_many(numbers, y, target)
    names, weights = minimal
    matrix = np.column_stack([numbers[name] for name in names])
    rows = np.isfinite(matrix).all(axis=1)
    residuals = y[rows] - matrix[rows] @ weights[1:] - weights[0]
    units = np.array([rounding_unit(numbers[name]) for name in names])
    tolerance = rounding_unit(y) + float(np.abs(weights[1:]) @ units) + 1e-7 * _spread(y)
    if not _holds(residuals, tolerance, y[rows]):
        return _sum_of_many(numbers, y, target)
    return Identity(tuple(names), f"{target} is a weighted sum of {', '.join(names)}")


def _sum_of_many(numbers: dict[str, Floats], y: Floats, target: str) -> Identity | None:
    """A sum, or the mean, of any number of columns, such as the points of all questions: the weights are equal."""
    names = [name for name, values in numbers.items() if np.isfinite(values).mean() >= 0.9]
    if len(names) < 2:
        return None
    matrix = np.column_stack([numbers[name] for name in names])
    rows = np.flatnonzero(np.isfinite(matrix).all(axis=1))
    if len(rows) < max(LEAST_ROWS, 3 * len(names)):
        return None
    matrix, y = matrix[rows], y[rows]
    for _ in range(3):  # without columns that have no weight, the weights of the others are exact
        share, weights = _unexplained(matrix, y)
        if share > 1e-3:
            return None
        size = np.abs(weights[1:])
        in_sum = np.abs(size - _common(size)) <= 0.02 * _common(size)
        if in_sum.all():
            break
        matrix, names = matrix[:, in_sum], [name for name, is_part in zip(names, in_sum, strict=True) if is_part]
    if len(names) < 2 or not in_sum.all():
        return None
    signs = np.sign(weights[1:])
    residuals = y - _common(size) * (matrix @ signs)
    residuals -= np.median(residuals)
    units = _common(size) * sum(rounding_unit(matrix[:, j]) for j in range(len(names)))
    if not _holds(residuals, max(rounding_unit(y), 1e-7 * _spread(y)) + min(units, rounding_unit(y)), y):
        return None
    kind = "the sum" if abs(_common(size) - 1) < 0.02 and (signs > 0).all() else "a sum with equal weights"
    return Identity(tuple(names), f"{target} is {kind} of {', '.join(names)}")


def _common(weights: Floats) -> float:
    """The weight that most columns share."""
    near = [(np.abs(weights - weight) <= 0.02 * weight).sum() * (weight > 0) for weight in weights]
    return float(weights[int(np.argmax(near))])


def _powers(numbers: dict[str, Floats], y: Floats, target: str) -> Identity | None:
    """A product of powers of a few columns, such as weight / height^2."""
    if (y <= 0).any():
        return None
    positive = {name: np.log(values) for name, values in numbers.items() if np.nanmin(values) > 0}
    minimal = _minimal(positive, np.log(y))
    if minimal is None:
        return None
    names, weights = minimal
    matrix = np.column_stack([positive[name] for name in names])
    rows = np.isfinite(matrix).all(axis=1)
    result = np.exp(matrix[rows] @ weights[1:] + weights[0])
    if np.abs(weights[1:] - np.round(2 * weights[1:]) / 2).max() > 0.02:
        return None  # powers of nature's and accountants' formulas are whole or halves
    if not _holds(y[rows] - result, np.maximum(RELATIVE * y[rows], rounding_unit(y)), y[rows]):
        return None
    return Identity(tuple(names), f"{target} is a product of powers of {', '.join(names)}")


def _minimal(numbers: dict[str, Floats], y: Floats) -> tuple[list[str], Floats] | None:
    """The fewest columns whose weighted sum explains nearly everything, and the weights, the constant first."""
    names = [name for name, values in numbers.items() if np.isfinite(values).mean() >= 0.9]
    if not names:
        return None
    matrix = np.column_stack([numbers[name] for name in names])
    rows = np.flatnonzero(np.isfinite(matrix).all(axis=1) & np.isfinite(y))
    if len(rows) < max(LEAST_ROWS, 3 * len(names)):
        return None
    rows = rows[np.unique(np.linspace(0, len(rows) - 1, 2000).astype(int))]
    matrix, y = matrix[rows], y[rows]
    if _unexplained(matrix, y)[0] > 1e-3:
        return None
    while len(names) > 1:
        shares_without = [_unexplained(np.delete(matrix, j, axis=1), y)[0] for j in range(len(names))]
        weakest = int(np.argmin(shares_without))
        if shares_without[weakest] > max(1e-3, 4 * _unexplained(matrix, y)[0]):
            break
        matrix = np.delete(matrix, weakest, axis=1)
        del names[weakest]
    share, weights = _unexplained(matrix, y)
    return (names, weights) if share <= 1e-3 and len(names) <= MOST_IN_SET else None


def _unexplained(matrix: Floats, y: Floats) -> tuple[float, Floats]:
    """The share of the target's variance that a weighted sum leaves, and its weights, the constant first."""
    if not matrix.shape[1]:
        return 1.0, np.array([float(y.mean())])
    center, scale = matrix.mean(axis=0), matrix.std(axis=0)
    scaled = (matrix - center) / np.where(scale > 0, scale, 1.0)
    weights = np.linalg.lstsq(scaled, y - y.mean(), rcond=None)[0]
    residuals = y - y.mean() - scaled @ weights
    weights = weights / np.where(scale > 0, scale, 1.0)
    total = float(((y - y.mean()) ** 2).sum())
    return float(residuals @ residuals) / max(total, 1e-300), np.append(y.mean() - center @ weights, weights)


def _extremes(numbers: dict[str, Floats], y: Floats, target: str) -> Identity | None:
    """The largest, or the smallest, of a few columns, such as the best of three attempts."""
    for word, side in (("largest", 1.0), ("smallest", -1.0)):
        beside = {
            name: values
            for name, values in numbers.items()
            if float((side * (np.where(np.isfinite(values), values, y) - y) <= 1e-9).mean()) >= 0.995
            and float((np.abs(values - y) <= 1e-9).mean()) >= LEAST_LARGEST
        }
        if len(beside) >= 2:
            equal = np.any([np.abs(values - y) <= 1e-9 for values in beside.values()], axis=0)
            if equal.mean() >= 0.99:
                return Identity(tuple(beside), f"{target} is the {word} of {', '.join(beside)}")
    return None


def _sums_and_charges(numbers: dict[str, Floats], y: Floats, target: str) -> Identity | None:
    """A sum of amounts that leaves one of a few others, such as fare and tip in a total that has surcharges too. What
    is left must have gaps: rounded noise takes all values of a range."""
    amounts = {
        name: values
        for name, values in numbers.items()
        if np.isfinite(values).all() and values.min() >= 0 and float((values <= y).mean()) >= HOLDS
    }
    if len(amounts) < 2 or len(y) < max(LEAST_ROWS, 3 * len(amounts)) or rounding_unit(y) == 0:
        return None
    weights = _unexplained(np.column_stack(list(amounts.values())), y)[1][1:]
    names = [name for name, weight in zip(amounts, weights.tolist(), strict=True) if 0.5 <= weight <= 2]
    if len(_charges(y)[0]):
        return None
    for name in list(names):
        without = _charges(_rest(y, amounts, [other for other in names if other != name]))
        if without[0] and without[1] >= _charges(_rest(y, amounts, names))[1]:
            names.remove(name)
    charges, _ = _charges(_rest(y, amounts, names))
    if len(names) < 2 or not charges:
        return None
    examples = " or ".join(f"{charge:g}" for charge in charges[:2])
    text = f"{target} is {' + '.join(names)} plus one of {len(charges)} amounts, such as {examples}, in nearly all rows"
    return Identity(tuple(names), text)


def _rest(y: Floats, amounts: dict[str, Floats], names: list[str]) -> Floats:
    return np.asarray(y - sum((amounts[name] for name in names), np.zeros(len(y))))


def _charges(remainders: Floats) -> tuple[list[float], float]:
    """The few amounts that nearly all numbers have, the most frequent first, and the share of the numbers that have one
    of the most that there may be; none where there are many, or no gaps."""
    unit = rounding_unit(remainders)
    if unit == 0:
        return [], 0.0
    values, counts = np.unique(np.round(remainders / unit).astype(np.int64), return_counts=True)
    order = np.argsort(-counts, kind="stable")
    shares = np.cumsum(counts[order]) / len(remainders)
    n_needed = int(np.searchsorted(shares, HOLDS)) + 1
    frequent = values[order[:n_needed]]
    span = int(frequent.max() - frequent.min()) + 1
    if n_needed > MOST_CHARGES or span < APART * n_needed or float(np.quantile(remainders, 0.05)) < 0:
        return [], 0.0
    return [float(value * unit) for value in frequent], float(shares[:MOST_CHARGES][-1])
