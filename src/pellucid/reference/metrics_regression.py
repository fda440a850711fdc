"""Scores of a regression, step by step.

Notation: true values y_1 ... y_n, predicted values p_1 ... p_n, weights w_1 ... w_n (1 where none are given).
"""

from __future__ import annotations

from math import log, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Vector = NDArray[np.float64]


class SumsOfSquares(NamedTuple):
    """Of the errors, of the predictions around the mean of y, of y around its mean."""

    sse: float
    ssr: float
    sst: float


def _vectors(y: ArrayLike, p: ArrayLike, w: ArrayLike | None) -> tuple[Vector, Vector, Vector]:
    true, predicted = np.asarray(y, dtype=np.float64), np.asarray(p, dtype=np.float64)
    return true, predicted, np.ones(len(true)) if w is None else np.asarray(w, dtype=np.float64)


def _weighted_mean(values: Vector, w: Vector) -> float:
    return float((w * values).sum() / w.sum())


def mean_error(y: ArrayLike, p: ArrayLike, w: ArrayLike | None = None) -> float:
    """``sum_i w_i (y_i - p_i) / sum_i w_i``: signs cancel."""
    true, predicted, weight = _vectors(y, p, w)
    return _weighted_mean(true - predicted, weight)


def mean_absolute_error(y: ArrayLike, p: ArrayLike, w: ArrayLike | None = None) -> float:
    """``sum_i w_i |y_i - p_i| / sum_i w_i``."""
    true, predicted, weight = _vectors(y, p, w)
    return _weighted_mean(np.abs(true - predicted), weight)


def mean_squared_error(y: ArrayLike, p: ArrayLike, w: ArrayLike | None = None) -> float:
    """``sum_i w_i (y_i - p_i)^2 / sum_i w_i``."""
    true, predicted, weight = _vectors(y, p, w)
    return _weighted_mean((true - predicted) ** 2, weight)


def root_mean_squared_error(y: ArrayLike, p: ArrayLike, w: ArrayLike | None = None) -> float:
    """Root of the mean squared error."""
    return sqrt(mean_squared_error(y, p, w))


def mean_squared_log_error(y: ArrayLike, p: ArrayLike, w: ArrayLike | None = None) -> float:
    """Mean squared error of ``ln(1 + y)``."""
    true, predicted, weight = _vectors(y, p, w)
    logs = [np.array([log(1 + value) for value in values]) for values in (true, predicted)]
    return mean_squared_error(logs[0], logs[1], weight)


def mean_absolute_percentage_error(y: ArrayLike, p: ArrayLike, w: ArrayLike | None = None) -> float:
    """Mean of ``|y_i - p_i| / |y_i|``; for values other than 0."""
    true, predicted, weight = _vectors(y, p, w)
    return _weighted_mean(np.abs(true - predicted) / np.abs(true), weight)


def mean_pinball_loss(y: ArrayLike, p: ArrayLike, alpha: float, w: ArrayLike | None = None) -> float:
    """Too low a prediction costs alpha a unit, too high a one 1 - alpha."""
    true, predicted, weight = _vectors(y, p, w)
    error = true - predicted
    return _weighted_mean(np.where(error >= 0, alpha * error, (alpha - 1) * error), weight)


def mean_tweedie_deviance(y: ArrayLike, p: ArrayLike, power: float, w: ArrayLike | None = None) -> float:
    """Mean of twice the log likelihood lost against a perfect prediction, in Tweedie's family."""
    true, predicted, weight = _vectors(y, p, w)
    deviances = []
    for a, b in zip(true, predicted, strict=True):
        if power == 0:
            deviances.append((a - b) ** 2)
        elif power == 1:
            deviances.append(2 * ((a * log(a / b) if a > 0 else 0.0) - a + b))
        elif power == 2:
            deviances.append(2 * (log(b / a) + a / b - 1))
        else:
            first = max(a, 0.0) ** (2 - power) / ((1 - power) * (2 - power))
            deviances.append(2 * (first - a * b ** (1 - power) / (1 - power) + b ** (2 - power) / (2 - power)))
    return _weighted_mean(np.array(deviances), weight)


def weighted_median(values: ArrayLike, w: ArrayLike) -> float:
    """The value at which half of the weight is reached; halfway to the next one where it is exactly half.

    Values are passed in order and their weights added up; those of weight 0 do not exist.
    """
    pairs = sorted(
        pair for pair in zip(np.asarray(values).tolist(), np.asarray(w).tolist(), strict=True) if pair[1] > 0
    )
    half, reached = sum(weight for _, weight in pairs) / 2, 0.0
    for position, (value, weight) in enumerate(pairs):
        reached += weight
        if reached == half:
            return float(value + pairs[position + 1][0]) / 2
        if reached > half:
            break
    return float(value)


def median_absolute_error(y: ArrayLike, p: ArrayLike, w: ArrayLike | None = None) -> float:
    """Median of ``|y_i - p_i|``."""
    true, predicted, weight = _vectors(y, p, w)
    return weighted_median(np.abs(true - predicted), weight)


def explained_variance(y: ArrayLike, p: ArrayLike, w: ArrayLike | None = None) -> float:
    """``1 - Var(y - p) / Var(y)``."""
    true, predicted, weight = _vectors(y, p, w)

    def variance(values: Vector) -> float:
        return _weighted_mean((values - _weighted_mean(values, weight)) ** 2, weight)

    return 1 - variance(true - predicted) / variance(true)


def r2(y: ArrayLike, p: ArrayLike, w: ArrayLike | None = None) -> float:
    """``1 - sum_i w_i (y_i - p_i)^2 / sum_i w_i (y_i - m)^2`` with the mean m of y."""
    true, predicted, weight = _vectors(y, p, w)
    m = _weighted_mean(true, weight)
    return 1 - float((weight * (true - predicted) ** 2).sum() / (weight * (true - m) ** 2).sum())


def adjusted_r2(y: ArrayLike, p: ArrayLike, n_columns: int) -> float:
    """``1 - (SSE / (n - n_columns - 1)) / (SST / (n - 1))``: variances in place of sums."""
    sums = sums_of_squares(y, p)
    n = len(np.asarray(y))
    return 1 - (sums.sse / (n - n_columns - 1)) / (sums.sst / (n - 1))


def d2_absolute_error(y: ArrayLike, p: ArrayLike, w: ArrayLike | None = None) -> float:
    """``1 - sum_i w_i |y_i - p_i| / sum_i w_i |y_i - med|`` with the median med of y."""
    true, predicted, weight = _vectors(y, p, w)
    middle = weighted_median(true, weight)
    return 1 - float((weight * np.abs(true - predicted)).sum() / (weight * np.abs(true - middle)).sum())


def sums_of_squares(y: ArrayLike, p: ArrayLike) -> SumsOfSquares:
    """``SSE = sum (y - p)^2``, ``SSR = sum (p - m)^2``, ``SST = sum (y - m)^2`` with the mean m of y."""
    true, predicted, _ = _vectors(y, p, None)
    m = true.mean()
    sums = [((a - b) ** 2).sum() for a, b in ((true, predicted), (predicted, m), (true, m))]
    return SumsOfSquares(*map(float, sums))
