"""Rules by which columns give the target away together, or along time: comparisons, points, shares, running totals."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np

from pellucid.base.types import Array, Floats
from pellucid.report.identities import HOLDS, rounding_unit
from pellucid.report.single_scores import LEAST_ROWS, SURE, auc_gain

MOST_COMPARED = 40  # columns of numbers of which every two are compared
MOST_POINTS = 10  # columns whose sum decides
TELLING_ALONE = 0.9  # gain of one column, from which it needs no second one
NEAR = 0.2  # standard deviations from a border within which a tenth of the rows must lie
MOST_STEPS = 10  # ahead
MOST_AVERAGED = 30  # rows of a moving average
FINE = 5.0  # how many times the rounding the target must vary


def comparison_of(numbers: Mapping[str, Floats], y: Array) -> tuple[str, str] | None:
    """Two columns of which the larger one says the class, such as what was due and what was paid."""
    names = [name for name, column in numbers.items() if len(np.unique(column[:1000])) > 3][:MOST_COMPARED]
    labels = np.unique(y)
    if len(labels) not in (2, 3):
        return None
    alone = {name: max(auc_gain(numbers[name], y == label) for label in labels) for name in names}
    few = np.unique(np.linspace(0, len(y) - 1, 300).astype(int))
    for first, second in combinations(names, 2):
        if max(alone[first], alone[second]) >= TELLING_ALONE:
            continue
        a, b = numbers[first], numbers[second]
        if _says_which_is_larger(a[few] - b[few], y[few]) and _says_which_is_larger(a - b, y):
            return first, second
    return None


def _says_which_is_larger(difference: Floats, y: Array) -> bool:
    """Do classes say the sign of a difference that is often about 0? Of classes that are merely far apart no row is
    near the border."""
    known = np.isfinite(difference)
    difference, y = difference[known], y[known]
    if len(y) < LEAST_ROWS or not float(np.quantile(np.abs(difference), 0.1)) <= NEAR * float(difference.std()):
        return False
    signs = [difference > 0, difference >= 0] if len(np.unique(y)) == 2 else [np.sign(difference)]
    return any(_is_renamed(sign.astype(int), y) for sign in signs)


def _is_renamed(codes: Array, y: Array) -> bool:
    """Has each code one class of its own in nearly every row?"""
    values, labels = np.unique(codes), np.unique(y)
    if len(values) != len(labels):
        return False
    counts = np.array([[int(((codes == value) & (y == label)).sum()) for label in labels] for value in values])
    return len(set(counts.argmax(axis=1))) == len(labels) and float(counts.max(axis=1).sum()) >= SURE * len(y)


def points_of(numbers: Mapping[str, Floats], y: Array) -> tuple[str, ...]:
    """Columns whose plain sum is above a threshold exactly where a row is of one of two classes, such as the points of
    an examination; nothing where the classes are merely far apart."""
    labels = np.unique(y)
    names = [name for name, column in numbers.items() if np.isfinite(column).all() and float(column.std()) > 0]
    if len(labels) != 2 or len(names) < 2 or len(y) < max(LEAST_ROWS, 10 * len(names)):
        return ()
    matrix = np.column_stack([numbers[name] for name in names])
    scaled = (matrix - matrix.mean(axis=0)) / matrix.std(axis=0)
    side = np.where(y == labels[1], 1.0, -1.0)
    weights = np.linalg.lstsq(scaled, side - side.mean(), rcond=None)[0]
    order = np.argsort(-np.abs(weights), kind="stable")
    if max(auc_gain(matrix[:, j], y) for j in order[:MOST_POINTS]) >= TELLING_ALONE:
        return ()
    for n_columns in range(2, min(MOST_POINTS, len(names)) + 1):
        chosen = order[:n_columns]
        total = matrix[:, chosen] @ np.sign(weights[chosen])
        if auc_gain(total, y) >= 0.9999 and _is_dense_at_border(total, y == labels[1]):
            return tuple(names[j] for j in sorted(chosen.tolist()))
    return ()


def _is_dense_at_border(total: Floats, positive: Array) -> bool:
    """Are there rows near the value that separates two classes?"""
    low, high = (total[~positive], total[positive]) if total[positive].mean() > total.mean() else (
        total[positive], total[~positive])  # fmt: skip
    border = (float(low.max()) + float(high.min())) / 2
    return float(np.quantile(np.abs(total - border), 0.1)) <= NEAR * float(total.std())


def shares_of(numbers: Mapping[str, Floats], y: Array) -> tuple[str, ...]:
    """Columns that add up to 1 or 100 in each row, of which the largest says the class: its probabilities."""
    labels = np.unique(y)
    if len(labels) < 3:
        return ()
    usable = {name: column for name, column in numbers.items() if np.isfinite(column).all() and column.min() >= 0}
    best: dict[Any, str] = {}
    for label in labels:
        gains = {name: auc_gain(column, y == label) for name, column in usable.items() if name not in best.values()}
        if not gains:
            return ()
        best[label] = max(gains, key=lambda name: gains[name])
    matrix = np.column_stack([usable[best[label]] for label in labels])
    total = matrix.sum(axis=1)
    if float(np.median(total)) <= 0 or float((np.abs(total / np.median(total) - 1) < 0.02).mean()) < HOLDS:
        return ()
    return tuple(best.values()) if _is_renamed(matrix.argmax(axis=1), y) else ()


def series_rule(column: Floats, y: Floats) -> str:
    """How a column of rows in the order of time contains the target of the same or of later rows, as a clause; nothing
    where it does not. The past of the target is no leak."""
    if len(y) < LEAST_ROWS or float(np.abs(np.diff(y)).mean()) < FINE * rounding_unit(y) / 10:
        return ""
    unit = rounding_unit(y) + 2 * rounding_unit(column)
    if _holds(np.diff(column), y[1:], unit):
        return "it is the running total of {target}, that of the same row included"
    if _holds(column[1:], np.diff(y), unit):
        return "it is the change of {target} from the row before"
    for ahead in range(1, MOST_STEPS + 1):
        if _holds(column[:-ahead], y[ahead:], unit):
            return f"it is the {{target}} of {'the next row' if ahead == 1 else f'{ahead} rows later'}"
    sums = np.concatenate([[0.0], np.cumsum(y)])
    for width in range(2, MOST_AVERAGED + 1):
        mean = (sums[width:] - sums[:-width]) / width  # of the rows i to i + width - 1
        for after in sorted({0, (width - 1) // 2, width - 1}):
            aligned = column[width - 1 - after : len(y) - after]
            if _holds(aligned, mean, unit):
                return f"it is a moving average of {{target}} over {width} rows, that of the same row included"
    return ""


def _holds(values: Floats, expected: Floats, unit: float) -> bool:
    """Are numbers as expected up to rounding, in nearly every row, and do they vary far more than that?"""
    known = np.isfinite(values) & np.isfinite(expected)
    if known.sum() < max(LEAST_ROWS, 0.7 * len(values)):
        return False
    tolerance = unit + 1e-7 * float(np.abs(expected[known]).max())
    near = np.abs(values[known] - expected[known]) <= tolerance
    return float(near.mean()) >= HOLDS and float(expected[known].std()) >= FINE * tolerance
