"""Scalers in plain steps: the figures of one column, and the column after scaling. NaN is a missing value."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

Column = NDArray[np.float64]


def known(x: ArrayLike) -> Column:
    """The values that are not missing."""
    column = np.asarray(x, dtype=np.float64)
    return column[~np.isnan(column)]


def or_one(scale: float) -> float:
    """A constant column has no spread: it is divided by 1."""
    return 1.0 if scale == 0 else scale


def mean_and_variance(x: ArrayLike, weight: ArrayLike | None = None, ddof: int = 0) -> tuple[float, float]:
    """m = sum(w x) / sum(w)  and  sum(w (x - m)²) / (sum(w) - ddof)."""
    column = np.asarray(x, dtype=np.float64)
    w = np.ones(len(column)) if weight is None else np.asarray(weight, dtype=np.float64)
    there = ~np.isnan(column) & (w > 0)
    column, w = column[there], w[there]
    if len(column) == 0:
        return np.nan, np.nan
    if (column == column[0]).all():
        return float(column[0]), 0.0
    mean = float((w * column).sum() / w.sum())
    return mean, float((w * (column - mean) ** 2).sum() / (w.sum() - ddof))


def standard(x: ArrayLike, weight: ArrayLike | None = None, ddof: int = 0) -> Column:
    """(x - mean) / standard deviation."""
    mean, variance = mean_and_variance(x, weight, ddof)
    return (np.asarray(x, dtype=np.float64) - mean) / or_one(float(np.sqrt(variance)))


def min_max(x: ArrayLike, a: float = 0.0, b: float = 1.0, clip: bool = False) -> Column:
    """(x - min) / (max - min) * (b - a) + a."""
    low, high = known(x).min(), known(x).max()
    scaled: Column = (np.asarray(x, dtype=np.float64) - low) / or_one(high - low) * (b - a) + a
    return np.clip(scaled, a, b) if clip else scaled


def max_abs(x: ArrayLike) -> Column:
    """x / max(|x|)."""
    return np.asarray(x, dtype=np.float64) / or_one(np.abs(known(x)).max())


def mean_normal(x: ArrayLike) -> Column:
    """(x - mean) / (max - min)."""
    low, high = known(x).min(), known(x).max()
    return (np.asarray(x, dtype=np.float64) - mean_and_variance(x)[0]) / or_one(high - low)


def quantile(x: ArrayLike, share: float) -> float:
    """The value at place 1 + (n - 1) p of the ordered values, between its two neighbors in proportion."""
    ordered = np.sort(known(x))
    position = (len(ordered) - 1) * share
    below = int(np.floor(position))
    above = min(below + 1, len(ordered) - 1)
    return float(ordered[below] + (position - below) * (ordered[above] - ordered[below]))


def robust(x: ArrayLike, low: float = 0.25, high: float = 0.75, unit_variance: bool = False) -> Column:
    """(x - median) / (quantile of high - quantile of low), over the same distance of a normal distribution if asked."""
    apart = quantile(x, high) - quantile(x, low)
    normal = NormalDist().inv_cdf(high) - NormalDist().inv_cdf(low) if unit_variance else 1.0
    return (np.asarray(x, dtype=np.float64) - quantile(x, 0.5)) / (or_one(apart) / normal)
