"""Distances between two rows, as their definitions say."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def _rows(a: ArrayLike, b: ArrayLike) -> tuple[Floats, Floats]:
    return np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)


def squared_differences(a: ArrayLike, b: ArrayLike) -> Floats:
    """(a_j - b_j)² of each column."""
    x, z = _rows(a, b)
    return (x - z) ** 2


def euclidean(a: ArrayLike, b: ArrayLike) -> float:
    """The root of the sum of the squared differences."""
    return float(np.sqrt(squared_differences(a, b).sum()))


def manhattan(a: ArrayLike, b: ArrayLike) -> float:
    """The sum of the differences, without their signs."""
    x, z = _rows(a, b)
    return float(np.abs(x - z).sum())


def chebyshev(a: ArrayLike, b: ArrayLike) -> float:
    """The largest difference."""
    x, z = _rows(a, b)
    return float(np.abs(x - z).max())


def minkowski(a: ArrayLike, b: ArrayLike, p: float) -> float:
    """The p-th root of the sum of the p-th powers."""
    x, z = _rows(a, b)
    return float((np.abs(x - z) ** p).sum() ** (1 / p))


def hamming(a: ArrayLike, b: ArrayLike) -> float:
    """The share of places that differ."""
    x, z = _rows(a, b)
    return float(np.mean(x != z))


def jaccard(a: ArrayLike, b: ArrayLike) -> float:
    """Of the places where one of the two is not 0, the share that differ."""
    x, z = _rows(a, b)
    either = (x != 0) | (z != 0)
    return float(np.mean((x != z)[either])) if either.any() else 0.0


def tanimoto(a: ArrayLike, b: ArrayLike) -> float:
    """1 less the product over what either has."""
    x, z = _rows(a, b)
    either = x @ x + z @ z - x @ z
    return float(1 - x @ z / either) if either else 0.0


def cosine(a: ArrayLike, b: ArrayLike) -> float:
    """1 less the cosine of the angle; a row of zeros has no direction and counts as at a right angle."""
    x, z = _rows(a, b)
    lengths = np.sqrt(x @ x) * np.sqrt(z @ z)
    return float(1 - x @ z / lengths) if lengths else 1.0


def mahalanobis(a: ArrayLike, b: ArrayLike, V: ArrayLike) -> float:
    """The length of the difference, measured by the inverse of a covariance matrix."""
    x, z = _rows(a, b)
    return float(np.sqrt((x - z) @ np.linalg.solve(np.asarray(V, dtype=np.float64), x - z)))


def canberra(a: ArrayLike, b: ArrayLike) -> float:
    """The sum of each difference over the sizes of the two; 0/0 counts 0."""
    x, z = _rows(a, b)
    size = np.abs(x) + np.abs(z)
    return float(sum(abs(p - q) / s for p, q, s in zip(x, z, size, strict=True) if s > 0))


def braycurtis(a: ArrayLike, b: ArrayLike) -> float:
    """The differences over the sums."""
    x, z = _rows(a, b)
    apart = np.abs(x - z).sum()
    return float(apart / np.abs(x + z).sum()) if apart else 0.0


def nan_euclidean(a: ArrayLike, b: ArrayLike) -> float:
    """Over the columns that both have, raised to the number of all columns."""
    x, z = _rows(a, b)
    both = ~(np.isnan(x) | np.isnan(z))
    if not both.any():
        return float("nan")
    return float(np.sqrt(len(x) / both.sum() * ((x - z)[both] ** 2).sum()))


def gower(a: ArrayLike, b: ArrayLike, ranges: ArrayLike, is_category: ArrayLike, weights: ArrayLike) -> float:
    """The weighted mean of what each column that both have says, between 0 and 1."""
    x, z = _rows(a, b)
    terms, total = 0.0, 0.0
    for p, q, r, category, w in zip(
        x, z, np.asarray(ranges), np.asarray(is_category), np.asarray(weights), strict=True
    ):
        if np.isnan(p) or np.isnan(q):
            continue
        apart = float(p != q) if category else min(abs(p - q) / r, 1.0) if r > 0 else 0.0
        terms, total = terms + w * apart, total + w
    return terms / total if total else float("nan")


def inner_product(a: ArrayLike, b: ArrayLike) -> float:
    """The sum of the products, column by column."""
    x, z = _rows(a, b)
    return float(sum(p * q for p, q in zip(x, z, strict=True)))
