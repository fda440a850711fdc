"""Does the target of a row resemble that of the row before it, beyond what sorted or concatenated tables explain?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from pellucid.base.types import Array, Floats

LEAST_ROWS = 40
LEAST_CORRELATION = 0.2  # of neighboring rows, below which an order would not matter
LEAST_WITHIN_RUNS = 0.5  # the same within runs of a category, without the trend of each
MOST_JUMP = 1.5  # how many times more than within runs values may change between them
LEAST_SECOND = 0.1  # of rows with one between them
LEAST_Z = 5.0  # standard errors under the permutation distribution
CLEAR_Z, CLEAR_F = 4.0, 8.0  # from which one of many columns depends on an order; 3 degrees of freedom
MOST_SEGMENTS = 4  # a concatenation of up to so many sources explains an order without being one in time
MOST_UNEVEN = 0.3  # standard deviation of the lengths of blocks over their mean
LEAST_CHANGES = 6  # to a class or from it: one whose rows stand in three blocks is sorted, however few these are
MOST_CLASSES = 5  # of the target, the most frequent, that are looked at one by one


@dataclass(frozen=True)
class Autocorrelation:
    """The correlation of each row with the next, and its distance from 0 in standard errors of a permutation test."""

    correlation: float
    z: float
    second: float = 1.0  # of each row with the next but one: repeated rows next to each other leave it low
    of: str = ""  # what it is computed from, where that is not the values themselves

    @property
    def words(self) -> str:
        """The coefficient under its name.

        >>> Autocorrelation(0.5, 9.0, of="ranks").words
        'lag-1 autocorrelation of ranks 0.50'
        """
        return f"lag-1 autocorrelation {f'of {self.of} ' if self.of else ''}{self.correlation:.2f}"

    @property
    def is_clear(self) -> bool:
        return self.correlation >= LEAST_CORRELATION and self.z >= LEAST_Z and self.second >= LEAST_SECOND


def lag_correlation(values: Floats) -> Autocorrelation:
    """Of neighboring rows. Under random order the correlation has mean -1 / (n - 1) and variance of about 1 / n.

    >>> lag_correlation(np.array([1.0, 2.0, 3.0, 4.0, 5.0])).correlation
    0.4
    """
    centered = values - values.mean()
    total = float(centered @ centered)
    n_rows = len(values)
    if n_rows < 3 or total <= 1e-12 * max(1.0, float(np.abs(values).max()) ** 2) * n_rows:
        return Autocorrelation(0.0, 0.0)
    correlation = float(centered[1:] @ centered[:-1]) / total
    second = float(centered[2:] @ centered[:-2]) / total
    return Autocorrelation(correlation, (correlation + 1 / (n_rows - 1)) * float(np.sqrt(n_rows)), second)


def target_numbers(y: Array, for_classes: bool) -> list[Floats]:
    """The target as numbers: itself, or for each of the most frequent classes whether a row belongs to it."""
    if not for_classes:
        values = np.asarray(y, dtype=np.float64)
        order = np.argsort(values, kind="stable")  # ranks: a few huge values must not hide or feign a resemblance
        ranks = np.empty(len(values))
        _, first, counts = np.unique(values[order], return_index=True, return_counts=True)
        ranks[order] = np.repeat(first + (counts - 1) / 2, counts)
        return [ranks]
    labels, counts = np.unique(y, return_counts=True)
    chosen = labels[np.argsort(-counts, kind="stable")][: 1 if len(labels) == 2 else MOST_CLASSES]
    return [(y == label).astype(np.float64) for label in chosen]


def clearest(y: Array, for_classes: bool, trend: bool = False) -> Autocorrelation:
    """The clearest autocorrelation of the target in the order of ``y``, without that of a few segments; ``trend``
    also takes out a smooth trend, which is no sign of a process by itself."""
    results = [Autocorrelation(0.0, 0.0)]
    for values in target_numbers(y, for_classes):
        if for_classes and not trend and np.count_nonzero(np.diff(values)) < LEAST_CHANGES:
            continue  # in the order of the rows; along a clock such blocks may be regimes
        result = lag_correlation(without_segments(values))
        if trend:  # segments of a trend, and the trend of segments, both leave something: it must be clear either way
            either = (without_trend(without_segments(values)), without_segments(without_trend(values)))
            result = min(map(lag_correlation, either), key=lambda result: result.z)
        results.append(result)
    of = f"{'classes' if for_classes else 'ranks'} without level shifts{' and trend' if trend else ''}"
    return replace(max(results, key=lambda result: result.z), of=of)


def depends_on_order(values: Floats) -> bool:
    """Do numbers resemble their neighbors, or follow a smooth trend, more than in a random order?"""
    n_rows = len(values)
    total = float(((values - values.mean()) ** 2).sum())
    if n_rows < LEAST_ROWS or total <= 0:
        return False
    rest = without_trend(values)
    explained = max(total - float(rest @ rest), 0.0) / 3
    f_ratio = explained / max(float(rest @ rest) / (n_rows - 4), 1e-12 * total)
    return lag_correlation(values).z >= CLEAR_Z or f_ratio >= CLEAR_F


def is_clear_within_runs(y: Array, codes: Array, for_classes: bool) -> bool:
    """Do rows resemble the ones before them beyond what runs of equal codes explain, each with its own trend?"""
    runs = np.cumsum(np.concatenate([[0], codes[1:] != codes[:-1]]))
    counts = np.bincount(runs)
    if len(runs) < 10 * len(counts):
        return False
    place = np.arange(len(runs)) - (np.cumsum(counts) - counts)[runs]
    place = place - (counts[runs] - 1) / 2
    spread = np.maximum(np.bincount(runs, weights=place**2), 1.0)
    for values in target_numbers(y, for_classes):
        rest = values - (np.bincount(runs, weights=values) / counts)[runs]
        rest -= place * (np.bincount(runs, weights=place * rest) / spread)[runs]
        result = lag_correlation(rest)
        if result.is_clear and result.correlation >= LEAST_WITHIN_RUNS and _is_continuous(values, runs):
            return True
    return False


def _is_continuous(values: Floats, runs: Array) -> bool:
    """Do values change no more from one run to the next than within runs?"""
    steps, borders = np.abs(np.diff(values)), np.diff(runs) > 0
    return bool(float(np.mean(steps[borders])) <= MOST_JUMP * float(np.mean(steps[~borders])))


def is_sorted_by_target(y: Array, for_classes: bool) -> bool:
    """Are the rows sorted by the target, or do its classes stand in blocks?"""
    if for_classes:
        changes = int((y[1:] != y[:-1]).sum())
        return changes < 3 * len(np.unique(y))
    steps = np.diff(np.asarray(y, dtype=np.float64))
    steps = steps[steps != 0]
    return len(steps) > 0 and not 0.05 < float((steps > 0).mean()) < 0.95


def has_sorted_parts(y: Array) -> bool:
    """Do the rows of each class stand in blocks of about the same length, as where parts that were sorted by class,
    such as the folds of a data set, are put one after the other?"""
    starts = np.flatnonzero(np.concatenate([[True], y[1:] != y[:-1]]))
    lengths = np.diff(np.append(starts, len(y)))
    for label in np.unique(y):
        blocks = lengths[y[starts] == label]
        if len(blocks) < 3 or float(blocks.std()) > MOST_UNEVEN * float(blocks.mean()):
            return False
    return True


def without_runs(values: Floats, y: Array) -> Floats:
    """What the means of runs of equal targets leave of numbers, where these runs are long."""
    runs = np.cumsum(np.concatenate([[0], y[1:] != y[:-1]]))
    counts = np.bincount(runs)
    if len(runs) < 10 * len(counts):
        return values
    return np.asarray(values - (np.bincount(runs, weights=values) / counts)[runs])


def follows_row_order(y: Array, for_classes: bool) -> Autocorrelation | None:
    """The autocorrelation of the target in the order of the rows, if it is clear and not that of a sorted table."""
    if len(y) < LEAST_ROWS or is_sorted_by_target(y, for_classes):
        return None
    result = clearest(y, for_classes)
    return result if result.is_clear else None


def without_trend(values: Floats) -> Floats:
    """What a cubic polynomial of the position leaves."""
    position = np.linspace(-1, 1, len(values))
    basis = np.polynomial.legendre.legvander(position, 3)
    return np.asarray(values - basis @ np.linalg.lstsq(basis, values, rcond=None)[0])


def without_segments(values: Floats) -> Floats:
    """What the means of a few segments leave, which are split one after the other where that explains most."""
    cuts = [0, len(values)]
    for _ in range(MOST_SEGMENTS - 1):
        gains = [(*_best_cut(values, low, high), low) for low, high in pairwise(cuts)]
        gain, cut, _ = max(gains)
        if gain <= 0:
            break
        cuts = sorted([*cuts, cut])
    means = [np.full(high - low, values[low:high].mean()) for low, high in pairwise(cuts)]
    return np.asarray(values - np.concatenate(means))


def _best_cut(values: Floats, low: int, high: int) -> tuple[float, int]:
    """Where two means explain most of a segment, and how much."""
    n_rows = high - low
    least = max(5, len(values) // 50)
    if n_rows < 2 * least:
        return 0.0, low
    sums = np.cumsum(values[low:high])
    left = np.arange(1, n_rows)
    gains = sums[:-1] ** 2 / left + (sums[-1] - sums[:-1]) ** 2 / (n_rows - left) - sums[-1] ** 2 / n_rows
    inner = gains[least - 1 : n_rows - least]
    place = int(np.argmax(inner))
    return float(inner[place]), low + least + place
