"""How far apart two rows are, one pair at a time: the formulas behind the tables of `pellucid.metrics.pairwise`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pellucid.base.types import Floats
from pellucid.metrics._read import fail, floats, refuse_not_finite
from pellucid.metrics._tables import paired
from pellucid.models.neighbors.metric import Metric
from pellucid.models.neighbors.named import metric_named

__all__ = [
    "chebyshev_distance",
    "cosine_distance",
    "euclidean_distance",
    "hamming_distance",
    "jaccard_distance",
    "mahalanobis_distance",
    "manhattan_distance",
    "minkowski_distance",
    "tanimoto_distance",
]


def euclidean_distance(a: ArrayLike, b: ArrayLike) -> float:
    """The straight line between two points.

    ``d = sqrt(sum_j (a_j - b_j)²)``

    Its square orders pairs as it does and needs no root: see `euclidean_distances` with ``squared=True``. Columns of
    larger numbers count for more: scale them first, or use `mahalanobis_distance`.

    >>> euclidean_distance([5, 10], [8, 6])
    5.0
    """
    return _distance("euclidean_distance", a, b, Metric())


def manhattan_distance(a: ArrayLike, b: ArrayLike) -> float:
    """The way along the axes, as between corners of a city's blocks.

    ``d = sum_j |a_j - b_j|``

    >>> manhattan_distance([5, 10], [8, 6])
    7.0
    """
    return _distance("manhattan_distance", a, b, Metric("manhattan"))


def chebyshev_distance(a: ArrayLike, b: ArrayLike) -> float:
    """The largest difference in any one column.

    ``d = max_j |a_j - b_j|``

    >>> chebyshev_distance([5, 10], [8, 6])
    4.0
    """
    return _distance("chebyshev_distance", a, b, Metric("chebyshev"))


def minkowski_distance(a: ArrayLike, b: ArrayLike, p: float = 2, w: ArrayLike | None = None) -> float:
    """The family that holds the three above: p = 1 is Manhattan, 2 Euclidean, infinity Chebyshev.

    ``d = (sum_j w_j |a_j - b_j|^p)^(1/p)``

    w_j  weight of column j; 1 if none are given. Below p = 1 the way over a third point may be shorter.

    >>> minkowski_distance([0, 0], [3, 4], p=1)
    7.0
    """
    who = "minkowski_distance"
    return _distance(who, a, b, metric_named(who, "minkowski", {"p": p, "w": w}))


def hamming_distance(a: ArrayLike, b: ArrayLike) -> float:
    """The share of places at which two rows differ.

    ``d = (1/p) sum_j [a_j ≠ b_j]``

    The count itself is p times this.

    >>> hamming_distance([1, 0, 1, 1], [1, 1, 1, 0])
    0.5
    """
    return _distance("hamming_distance", a, b, Metric("hamming"))


def jaccard_distance(a: ArrayLike, b: ArrayLike) -> float:
    """Of the places where at least one of two rows is not zero, the share at which they differ.

    For rows of 0 and 1, with A and B the places of the ones: ``d = 1 - |A ∩ B| / |A ∪ B|``. Two rows of zeros are at
    distance 0. Unlike Hamming's, it does not count what both lack.

    >>> jaccard_distance([1, 0, 1, 0], [1, 1, 0, 0])  # one in common of three
    0.6666666666666666
    """
    return _distance("jaccard_distance", a, b, Metric("jaccard"))


def tanimoto_distance(a: ArrayLike, b: ArrayLike) -> float:
    """Jaccard's distance carried over to numbers of any size.

    ``d = 1 - a·b / (a·a + b·b - a·b)``

    For rows of 0 and 1 it is `jaccard_distance`. Two rows of zeros are at distance 0.

    >>> tanimoto_distance([2, 0], [1, 1])  # a·b = 2, a·a = 4, b·b = 2
    0.5
    """
    return _distance("tanimoto_distance", a, b, Metric("tanimoto"))


def cosine_distance(a: ArrayLike, b: ArrayLike) -> float:
    """How far two rows point in different directions, whatever their lengths.

    ``d = 1 - a·b / (|a| |b|)``

    0 for the same direction, 1 for a right angle, 2 for opposite ones. A row of zeros has no direction: its similarity
    to any row counts as 0, its distance as 1. `cosine_similarity` gives a table of ``1 - d``.

    >>> cosine_distance([1, 0], [0, 3])
    1.0
    """
    return _distance("cosine_distance", a, b, Metric("cosine"))


def mahalanobis_distance(a: ArrayLike, b: ArrayLike, V: ArrayLike | None = None, VI: ArrayLike | None = None) -> float:
    """The distance in units of the data's own spread, correlations taken into account.

    ``d = sqrt((a - b)' V⁻¹ (a - b))``

    V  covariance matrix of the columns, given as such or as its inverse VI. With V diagonal, every column is measured
       in its standard deviations.

    >>> mahalanobis_distance([0, 0], [2, 3], V=[[4, 0], [0, 9]])  # one standard deviation in each column
    1.4142135623730951
    """
    who = "mahalanobis_distance"
    if V is None and VI is None:
        fail(who, "V or VI must be given", hint="V is the covariance matrix of the columns, VI its inverse")
    metric = metric_named(who, "mahalanobis", {"V": V, "VI": VI})
    assert metric.turn is not None
    left, right = _two_rows(who, a, b)
    if len(metric.turn) != left.shape[1]:
        actual = f"got a matrix of {len(metric.turn)} x {len(metric.turn)} for {left.shape[1]} numbers"
        fail(who, "the covariance matrix must have a row and a column for each number", actual)
    return float(paired(left, right, metric)[0])


def _distance(who: str, a: Any, b: Any, metric: Metric) -> float:
    left, right = _two_rows(who, a, b)
    if metric.stretch is not None and len(metric.stretch) != left.shape[1]:
        fail(who, "w must have one weight a number", f"got {len(metric.stretch)} for {left.shape[1]}")
    return float(paired(left, right, metric)[0])


def _two_rows(who: str, a: Any, b: Any) -> tuple[Floats, Floats]:
    left, right = (_row(who, values, name) for values, name in ((a, "a"), (b, "b")))
    if left.shape != right.shape:
        fail(who, "a and b must be of equal length", f"a has {left.shape[1]}, b has {right.shape[1]}")
    return left, right


def _row(who: str, values: Any, name: str) -> Floats:
    row = floats(who, values, name)
    if row.ndim != 1:
        actual = f"got a table of shape {row.shape}"
        fail(who, f"{name} must be one row of numbers", actual, "pairwise_distances compares tables")
    refuse_not_finite(who, row, name)
    return np.asarray(row, dtype=np.float64)[None, :]
