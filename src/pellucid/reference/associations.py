"""How columns hang together, in plain steps."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def contingency(x: Sequence[Any], y: Sequence[Any]) -> NDArray[np.float64]:
    """How many rows have each category of x (rows) with each of y (columns)."""
    rows, columns = sorted(set(x)), sorted(set(y))
    table = np.zeros((len(rows), len(columns)))
    for a, b in zip(x, y, strict=True):
        table[rows.index(a), columns.index(b)] += 1
    return table


def chi_square(table: NDArray[np.float64]) -> float:
    """sum (o - e)² / e  with  e_ij = r_i c_j / n."""
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    return float(((table - expected) ** 2 / expected).sum())


def cramers_v(x: Sequence[Any], y: Sequence[Any], corrected: bool = False) -> float:
    """sqrt((chi²/n) / min(r - 1, c - 1)); corrected for what chance alone gives, if asked."""
    table = contingency(x, y)
    n, (r, c) = table.sum(), table.shape
    phi = chi_square(table) / n
    if not corrected:
        return sqrt(phi / min(r - 1, c - 1))
    phi = max(0.0, phi - (r - 1) * (c - 1) / (n - 1))
    rows, columns = r - (r - 1) ** 2 / (n - 1), c - (c - 1) ** 2 / (n - 1)
    return sqrt(phi / min(rows - 1, columns - 1))


def correlation_ratio(categories: Sequence[Any], numbers: ArrayLike) -> float:
    """sqrt(sum_k n_k (m_k - m)² / sum_i (x_i - m)²)."""
    x = np.asarray(numbers, dtype=np.float64)
    labels = np.asarray(categories)
    mean = x.mean()
    between = sum((labels == k).sum() * (x[labels == k].mean() - mean) ** 2 for k in set(labels.tolist()))
    return sqrt(between / ((x - mean) ** 2).sum())


def pearson(x: ArrayLike, y: ArrayLike) -> float:
    """r over the rows that have both."""
    a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    both = ~np.isnan(a) & ~np.isnan(b)
    a, b = a[both] - a[both].mean(), b[both] - b[both].mean()
    return float((a * b).sum() / sqrt((a * a).sum() * (b * b).sum()))


def line(x: ArrayLike, y: ArrayLike) -> tuple[float, float]:
    """Intercept and slope of the least-squares line y = a + b x."""
    a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    slope = float(((a - a.mean()) * (b - b.mean())).sum() / ((a - a.mean()) ** 2).sum())
    return float(b.mean() - slope * a.mean()), slope


def tells(x: Sequence[Any], y: Sequence[Any]) -> bool:
    """Does each value of x go with one value of y?"""
    return len(set(zip(x, y, strict=True))) == len(set(x))
