"""Values by their place among the quantiles of a column, in plain steps. NaN is a missing value."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

Column = NDArray[np.float64]
MARGIN = 1e-7


def quantiles(x: ArrayLike, m: int) -> tuple[Column, Column]:
    """m shares from 0 to 1, and for each the value at place 1 + (n - 1) r of the ordered values, between neighbors."""
    column = np.asarray(x, dtype=np.float64)
    ordered = np.sort(column[~np.isnan(column)])
    shares = np.linspace(0, 1, m)
    found = np.full(m, np.nan)
    for k, share in enumerate(shares):
        place = (len(ordered) - 1) * share
        below = int(np.floor(place))
        above = min(below + 1, len(ordered) - 1)
        if len(ordered):
            found[k] = ordered[below] + (place - below) * (ordered[above] - ordered[below])
    return shares, found


def place(x: float, shares: Column, values: Column) -> float:
    """The share of x: of the quantiles that equal it the mean of the outer two, else between its two neighbors."""
    if x <= values[0]:
        return 0.0
    if x >= values[-1]:
        return float(shares[-1])
    equal = np.flatnonzero(values == x)
    if len(equal):
        return float((shares[equal[0]] + shares[equal[-1]]) / 2)
    k = int(np.flatnonzero(values < x)[-1])
    way = (x - values[k]) / (values[k + 1] - values[k])
    return float(shares[k] + way * (shares[k + 1] - shares[k]))


def to_uniform(x: ArrayLike, shares: Column, values: Column) -> Column:
    """The share of every value."""
    column = np.asarray(x, dtype=np.float64)
    return np.array([np.nan if np.isnan(v) else place(v, shares, values) for v in column])


def to_normal(x: ArrayLike, shares: Column, values: Column) -> Column:
    """The normal number of that share; what is within 1e-7 of an end stands at 5.2 on that side."""
    end = NormalDist().inv_cdf(1 - (MARGIN - np.spacing(1)))

    def one(v: float) -> float:
        if v - MARGIN < values[0]:
            return -end
        if v + MARGIN > values[-1]:
            return end
        return min(max(NormalDist().inv_cdf(place(v, shares, values)), -end), end)

    return np.array([np.nan if np.isnan(v) else one(float(v)) for v in np.asarray(x, dtype=np.float64)])


def back(u: ArrayLike, shares: Column, values: Column) -> Column:
    """The value at every share."""
    return np.interp(np.asarray(u, dtype=np.float64), shares, values)
