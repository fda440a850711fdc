"""How much one column alone tells about the target: 0 is guessing, 1 is knowing, on rows that were kept apart."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from pellucid.base.types import Array, Floats

BINS = 32
LEAST_ROWS = 40
SURE = 0.995  # share of the rows with a value that have one class
LEAST_FILLED = 20  # rows
LEAST_AMOUNTS = 20  # different numbers above 0, of which fewer may be a property that is counted
LEAST_RECALL = 0.5  # share of the rows of a class that have a value
LEAST_SHARE = 0.1  # of the rows with the most frequent number, and of the others
LEAST_IN_BIN, MOST_BINS = 5, 50  # rows of a range of the target, and ranges
MOST_MISPLACED = 0.001  # share of the rows out of their range
MOST_OF_LEVEL = 0.1  # share of the rows of one range out of it, as a rare one counts as much
WINDOW = 10  # neighbors where two ranges meet
MOST_THINNED = 3.0  # how many times farther apart rows may be there than within the ranges
ALMOST_ALL = 0.99  # gain of a column that says where amounts are above 0
LEAST_FOLLOWING = 0.8  # rank correlation with the amounts there
MOST_COMMON = 0.8  # share of all rows that this class may have


def gain_alone(column: Array, y: Array, for_classes: bool, in_time: bool) -> float:
    """The gain of one column. Rows in time must also show it in the changes from row to row: a series resembles its
    own past, and other series, without being one with them."""
    if len(y) < LEAST_ROWS or column.dtype.kind not in "Oiufb":
        return 0.0
    if for_classes:
        return _class_gain(_levels(column), y)
    target = y.astype(np.float64)
    if column.dtype.kind == "O":
        return _level_gain(_levels(column), target)
    numbers = column.astype(np.float64)
    gain = _curve_gain(numbers, target)
    if gain >= 0.9 and in_time:
        return min(gain, 1 - 10 * (1 - _curve_gain(np.diff(numbers), np.diff(target))))
    return gain


def auc_gain(values: Floats, y: Array) -> float:
    """2 AUC - 1, whatever the direction, of numbers for two classes; 0 for more."""
    labels = np.unique(y)
    known = np.isfinite(values)
    if len(labels) != 2 or known.sum() < LEAST_ROWS:
        return 0.0
    positive = y[known] == labels[1]
    n_positive, n_negative = int(positive.sum()), int((~positive).sum())
    if not n_positive or not n_negative:
        return 0.0
    _, codes, counts = np.unique(values[known], return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[codes]
    auc = (float(ranks[positive].sum()) - n_positive * (n_positive + 1) / 2) / (n_positive * n_negative)
    return abs(2 * auc - 1)


def missing_rows(column: Array) -> Array:
    """The rows without a value."""
    if column.dtype.kind == "O":
        return np.array([value is None or value == "" for value in column])
    if column.dtype.kind == "M":
        return np.isnat(column)
    return np.isnan(column) if column.dtype.kind == "f" else np.zeros(len(column), dtype=bool)


def missing_tells(missing: Array, y: Array, only: bool = False) -> str:
    """A clause if values are there only for one class, or missing only for one; else nothing. ``only`` looks at the
    class True, and leaves its name to be filled in."""
    if not int((~missing).sum()) >= LEAST_FILLED or not int(missing.sum()) >= LEAST_FILLED:
        return ""
    for label in [True] if only else np.unique(y):
        of_label = y == label
        label = "{where}" if only else label
        if of_label.mean() > MOST_COMMON:
            continue
        if of_label[~missing].mean() >= SURE and (~missing)[of_label].mean() >= LEAST_RECALL:
            often = "" if of_label[~missing].all() else "almost "
            return f"it is filled in {often}only where {{target}} is {label}"
        if of_label[missing].mean() >= SURE and missing[of_label].mean() >= 0.95:
            often = "" if (missing == of_label).all() else "almost "
            return f"it is missing {often}exactly where {{target}} is {label}"
    return ""


def amounts_of_event(column: Array, y: Array) -> str:
    """A clause if amounts are above 0 only in one of two classes, or 0 only in one; else nothing."""
    if column.dtype.kind not in "iuf" or len(np.unique(y)) != 2:
        return ""
    amounts = np.nan_to_num(column.astype(np.float64), nan=0.0)
    if amounts.min() < 0 or len(np.unique(amounts)) <= LEAST_AMOUNTS:
        return ""
    clause = missing_tells(amounts == 0, y)
    return clause.replace("it is filled in", "it is above 0").replace("it is missing", "it is 0")


def carries_amounts(column: Array, amounts: Array) -> bool:
    """Does a column of numbers say where amounts are above 0, and increase or decrease with them there?"""
    if column.dtype.kind not in "iuf":
        return False
    numbers, amounts = column.astype(np.float64), np.nan_to_num(amounts.astype(np.float64), nan=0.0)
    above = amounts > 0
    if auc_gain(numbers, above) < ALMOST_ALL:
        return False
    above &= np.isfinite(numbers)
    first, second = (np.unique(values[above], return_inverse=True)[1] for values in (numbers, amounts))
    return first.max() > 0 and abs(float(np.corrcoef(first, second)[0, 1])) >= LEAST_FOLLOWING


def orders_alike(column: Array, y: Floats) -> bool:
    """Do numbers increase, or decrease, with those of the target in every pair of rows, and take nearly as many
    values?"""
    if column.dtype.kind not in "iuf":
        return False
    numbers = column.astype(np.float64)
    known = np.isfinite(numbers) & np.isfinite(y)
    if known.mean() < 0.5 or known.sum() < LEAST_ROWS:
        return False
    numbers, y = numbers[known], y[known]
    n_values = len(np.unique(y))
    if n_values < LEAST_AMOUNTS or len(np.unique(numbers)) < 0.9 * n_values:
        return False
    return any(bool((np.diff(y[np.lexsort((y, signed))]) >= 0).all()) for signed in (numbers, -numbers))


def filled_by_number(missing: Array, y: Floats) -> str:
    """The same for a target of numbers: values are there only where it is, or is not, its most frequent value, or only
    where it is above or below some value; else nothing."""
    values, counts = np.unique(y, return_counts=True)
    common = values[int(counts.argmax())]
    if LEAST_SHARE * len(y) <= counts.max() <= (1 - LEAST_SHARE) * len(y):
        is_common = y == common
        for label, where in ((False, f"not {common:g}"), (True, f"{common:g}")):
            of_label = is_common == label
            clause = missing_tells(missing, of_label, only=True)
            if clause:
                return clause.replace("{where}", where)
    if min(int(missing.sum()), int((~missing).sum())) < LEAST_FILLED or auc_gain(y, missing) < 0.99:
        return ""
    side = "high" if float(np.median(y[~missing])) > float(np.median(y[missing])) else "low"
    return f"it is filled in only where {{target}} is {side}"


def bins_target(column: Array, y: Floats) -> bool:
    """Are the levels of a column ranges of the target, such as price bands of prices? Then they do not overlap, and
    as many rows lie where two of them meet as elsewhere: groups that are merely far apart leave few there."""
    levels = np.unique(column.astype(str), return_inverse=True)[1]
    sizes = np.bincount(levels)
    rows = sizes[levels] >= LEAST_IN_BIN
    levels, y = np.unique(levels[rows], return_inverse=True)[1], y[rows]
    n_levels = len(np.unique(levels))
    if not 2 <= n_levels <= MOST_BINS or len(y) < max(LEAST_ROWS, 0.95 * len(column)) or len(np.unique(y)) < 20:
        return False
    medians = np.array([np.median(y[levels == level]) for level in range(n_levels)])
    ranks = np.argsort(np.argsort(medians, kind="stable"), kind="stable")[levels]
    order = np.lexsort((ranks, y))
    y, ranks = y[order], ranks[order]
    misplaced = ranks != np.sort(ranks)
    worst = float((np.bincount(ranks, weights=misplaced) / np.bincount(ranks)).max())
    if float(misplaced.mean()) > MOST_MISPLACED or worst > MOST_OF_LEVEL:
        return False
    borders = np.searchsorted(np.sort(ranks), np.arange(1, n_levels))
    steps = [float(np.median(_spacing(y[ranks == rank]))) for rank in range(n_levels)]
    near = [
        _near(y, int(border)) <= MOST_THINNED * max(pair) for border, pair in zip(borders, pairwise(steps), strict=True)
    ]
    return float(np.mean(near)) >= 0.8


def _spacing(values: Floats) -> Floats:
    """The mean distance between neighbors in windows of sorted values."""
    width = max(1, min(WINDOW, len(values) // 3))
    return (values[width:] - values[:-width]) / width


def _near(values: Floats, border: int) -> float:
    """The mean distance between neighbors around a position."""
    low, high = max(0, border - WINDOW // 2), min(len(values) - 1, border + WINDOW // 2)
    return float(values[high] - values[low]) / (high - low)


def class_shown_by(column: Array, y: Array) -> Any:
    """The one of several classes that a column of two values says whether a row has it, or None."""
    values, codes = np.unique(column.astype(str), return_inverse=True)
    labels = np.unique(y)
    if len(values) != 2 or len(labels) < 3:
        return None
    for label in labels:
        agree = float(((y == label) == (codes == 1)).mean())
        if max(agree, 1 - agree) >= SURE and int((y == label).sum()) >= LEAST_FILLED:
            return label
    return None


def renames_classes(column: Array, y: Array, sure: float = SURE) -> bool:
    """Does each class have one value of its own in nearly every row?"""
    levels = _levels(column)
    labels, classes = np.unique(y, return_inverse=True)
    if int(levels.max()) + 1 != len(np.unique(levels)) or len(np.unique(levels)) > len(labels) + 1:
        return False
    table = np.bincount(levels * len(labels) + classes).copy()
    table.resize((int(levels.max()) + 1) * len(labels), refcheck=False)
    counts = table.reshape(-1, len(labels))
    best = counts.argmax(axis=1)
    return len(np.unique(best)) == len(labels) and float(counts.max(axis=1).sum()) >= sure * len(y)


def is_constant_in_a_class(column: Array, y: Array) -> bool:
    """Is one value, such as 0 or a missing one, nearly all that one class has, and does no other class have it?"""
    levels = np.unique(column.astype(str), return_inverse=True)[1]
    for label in np.unique(y):
        of_label = y == label
        value = int(np.bincount(levels[of_label]).argmax())
        if float((levels[of_label] == value).mean()) >= 0.98 and float((levels[~of_label] == value).mean()) <= 0.02:
            return True
    return False


def written(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).lower()


def _levels(column: Array) -> Array:
    """Each row's level: its value, or for finely measured numbers the range that it lies in; missing is a level."""
    if column.dtype.kind == "O":
        return np.asarray(np.unique(column.astype(str), return_inverse=True)[1])
    numbers = column.astype(np.float64)
    known = np.isfinite(numbers)
    values, codes = np.unique(np.where(known, numbers, np.inf), return_inverse=True)
    if len(values) <= 2 * BINS:
        return np.asarray(codes)
    # Edges between runs of ranks: fine enough to find one threshold.
    cuts = np.unique(np.quantile(numbers[known], np.linspace(0, 1, min(200, len(numbers) // 10) + 1)[1:-1]))
    return np.where(known, np.searchsorted(cuts, numbers), len(cuts) + 1)


def _class_gain(levels: Array, y: Array) -> float:
    """Balanced accuracy of the most frequent class of each level, learned on every other row, scaled to 0 to 1."""
    labels, classes = np.unique(y, return_inverse=True)
    learn, test = slice(0, None, 2), slice(1, None, 2)
    n_levels, n_classes = int(levels.max()) + 1, len(labels)
    if n_levels > len(y) / 4 or n_classes < 2:
        return 0.0
    table = np.bincount(levels[learn] * n_classes + classes[learn], minlength=n_levels * n_classes)
    sizes = np.maximum(np.bincount(classes[learn], minlength=n_classes), 1)
    rule = np.argmax(table.reshape(n_levels, n_classes) / sizes, axis=1)
    right = rule[levels[test]] == classes[test]
    often = np.bincount(classes[test], minlength=n_classes)
    recall = np.bincount(classes[test], weights=right, minlength=n_classes)[often > 0] / often[often > 0]
    return (float(recall.mean()) - 1 / n_classes) / (1 - 1 / n_classes)


def _level_gain(levels: Array, y: Floats) -> float:
    """R² of the mean of each level, learned on every other row."""
    learn, test = slice(0, None, 2), slice(1, None, 2)
    n_levels = int(levels.max()) + 1
    if n_levels > len(y) / 4:
        return 0.0
    counts = np.bincount(levels[learn], minlength=n_levels)
    means = np.bincount(levels[learn], weights=y[learn], minlength=n_levels) / np.maximum(counts, 1)
    means = np.where(counts > 0, means, y[learn].mean())
    return _r2(y[test], means[levels[test]])


def _curve_gain(x: Floats, y: Floats) -> float:
    """R² of straight lines in ranges with equally many rows, learned on every other row."""
    known = np.isfinite(x) & np.isfinite(y)
    if known.mean() < 0.5 or known.sum() < LEAST_ROWS:
        return 0.0
    x, y = x[known], y[known]
    learn, test = slice(0, None, 2), slice(1, None, 2)
    n_bins = max(1, min(BINS, len(x) // 40))
    cuts = np.unique(np.quantile(x, np.linspace(0, 1, n_bins + 1)[1:-1])) if n_bins > 1 else np.array([])
    bins, tested = np.searchsorted(cuts, x[learn]), np.searchsorted(cuts, x[test])
    predicted = np.full(len(y[test]), float(y[learn].mean()))
    for k in range(len(cuts) + 1):
        inside = bins == k
        if inside.sum() < 3:
            continue
        xs, ys = x[learn][inside], y[learn][inside]
        spread = float(((xs - xs.mean()) ** 2).sum())
        slope = float(((xs - xs.mean()) * (ys - ys.mean())).sum()) / spread if spread > 0 else 0.0
        predicted[tested == k] = ys.mean() + slope * (x[test][tested == k] - xs.mean())
    return _r2(y[test], predicted)


def _r2(actual: Floats, predicted: Floats) -> float:
    total = float(((actual - actual.mean()) ** 2).sum())
    return 1 - float(((actual - predicted) ** 2).sum()) / total if total > 0 else 0.0
