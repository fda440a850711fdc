"""Prediction intervals from out-of-fold errors, and whether they hold on the held-out rows.

Split conformal prediction (Vovk et al., 2005): of n errors of rows that are exchangeable with a new one, the quantiles
of ranks ``floor((n + 1) a / 2)`` and ``ceil((n + 1) (1 - a / 2))`` hold the new error with probability 1 - a at least.
The errors may be taken bin by bin of the prediction where larger predictions have larger errors.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from pellucid.base.types import Array, Floats
from pellucid.models.intervals import PredictionIntervals
from pellucid.report.out_of_fold import OutOfFold
from pellucid.report.outcome import Coverage, Intervals
from pellucid.report.resampling import Resamples, share_bounds

LEVELS = (0.5, 0.8, 0.9, 0.95, 0.99)
SHOWN_LEVEL = 0.9
BIN_ROWS = 100  # errors in a bin of predictions
MOST_BINS = 10
GAIN = 0.99  # the interval score of bins must be at most this share of that without them
DIGITS = 6


def choose_intervals(held: OutOfFold, lowest: float) -> PredictionIntervals | None:
    """Intervals from out-of-fold errors: alike for all predictions, or by bins where these are better out of fold.

    ``lowest`` is the least value of the target in the table: where it is not negative, no interval reaches below 0.
    """
    y, predicted = np.asarray(held.y, dtype=float), np.asarray(held.predicted, dtype=float)
    finite = np.isfinite(predicted)
    y, predicted, fold = y[finite], predicted[finite], held.fold[finite]
    floor = 0.0 if lowest >= 0 else None
    n_bins = min(MOST_BINS, len(y) // BIN_ROWS)
    if n_bins > 1 and _score(y, predicted, fold, n_bins, floor) <= GAIN * _score(y, predicted, fold, 1, floor):
        return fit_intervals(y, predicted, n_bins, floor)
    return fit_intervals(y, predicted, 1, floor)


def fit_intervals(y: Floats, predicted: Floats, n_bins: int, floor: float | None) -> PredictionIntervals | None:
    """Quantiles of the errors in bins of about equally many rows; None where the rows are too few for any level."""
    inner = np.quantile(predicted, np.linspace(0, 1, n_bins + 1)[1:-1]) if n_bins > 1 else np.array([])
    borders = np.array([_short(value) for value in np.unique(inner)])
    bins = np.searchsorted(borders, predicted, side="left")
    errors = [np.sort((y - predicted)[bins == b]) for b in range(len(borders) + 1)]
    smallest = min(len(one) for one in errors)
    levels = tuple(level for level in LEVELS if math.floor((smallest + 1) * (1 - level) / 2 + 1e-9) >= 1)
    if not levels:
        return None
    ends = [[_ends(one, level) for level in levels] for one in errors]
    return PredictionIntervals(
        levels,
        tuple(borders.tolist()),
        tuple(tuple(low for low, _ in row) for row in ends),
        tuple(tuple(high for _, high in row) for row in ends),
        floor,
    )


def _ends(errors: Floats, level: float) -> tuple[float, float]:
    """The conformal quantiles of sorted errors."""
    rank = math.floor((len(errors) + 1) * (1 - level) / 2 + 1e-9)
    return _short(float(errors[rank - 1])), _short(float(errors[-rank]))


def _short(value: float) -> float:
    """Six digits, so that the program of the report can write the number."""
    return float(f"{value:.{DIGITS}g}")


def _score(y: Floats, predicted: Floats, fold: Array, n_bins: int, floor: float | None) -> float:
    """The mean interval score (Winkler, 1972) at 90 %, cross-fitted: width, and what misses cost."""
    losses = np.zeros(len(y))
    for number in np.unique(fold):
        rows = fold == number
        fitted = fit_intervals(y[~rows], predicted[~rows], n_bins, floor)
        if fitted is None or SHOWN_LEVEL not in fitted.levels:
            return math.inf
        low, high = fitted.bounds(predicted[rows], SHOWN_LEVEL)
        missed = np.maximum(low - y[rows], 0) + np.maximum(y[rows] - high, 0)
        losses[rows] = high - low + 2 / (1 - SHOWN_LEVEL) * missed
    return float(losses.mean())


def cover(intervals: PredictionIntervals, y: Array, predicted: Array, resamples: Resamples) -> Intervals:
    """How many held-out rows each level holds, and how wide its intervals are.

    The interval of a share is Wilson's. Rows of a group, or near each other in an order, miss together, so that it
    would be too narrow for them: then it comes from samples of groups or blocks, if that is wider.
    """
    truth, values = np.asarray(y, dtype=float), np.asarray(predicted, dtype=float)
    rows = []
    for level in intervals.levels:
        low, high = intervals.bounds(values, level)
        inside = (low <= truth) & (truth <= high)
        ends = share_bounds(float(inside.mean()), len(truth))
        if resamples.unit != "row":
            drawn = resamples.interval(np.array([inside[sample].mean() for sample in resamples.draws()]))
            ends = (min(ends[0], drawn[0]), max(ends[1], drawn[1])) if np.isfinite(drawn).all() else ends
        rows.append(Coverage(level, int(inside.sum()), len(truth), float(np.median(high - low)), *ends))
    order = np.argsort(values, kind="stable")
    shown = order[np.unique(np.linspace(0, len(order) - 1, min(len(order), 200)).round().astype(int))]
    level = SHOWN_LEVEL if SHOWN_LEVEL in intervals.levels else intervals.levels[-1]
    low, high = intervals.bounds(values[shown], level)
    typical = float(np.median(np.abs(truth)))
    return Intervals(intervals, tuple(rows), level, (values[shown], low, high), typical)


def read_intervals(
    levels: Sequence[float],
    borders: Sequence[float],
    low: Sequence[Sequence[float]],
    high: Sequence[Sequence[float]],
    floor: float | None,
) -> PredictionIntervals:
    """The intervals that the program of a report has written out."""
    below, above = (tuple(tuple(map(float, row)) for row in side) for side in (low, high))
    return PredictionIntervals(tuple(levels), tuple(borders), below, above, floor)


def with_intervals(model: Any, intervals: PredictionIntervals) -> Any:
    """The fitted pipeline, which then knows the intervals of its predictions."""
    model.intervals_ = intervals
    return model
