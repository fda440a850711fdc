"""Imputation in plain steps. Numbers are columns with NaN for what is missing; names are lists with None for it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

Column = NDArray[np.float64]
Table = NDArray[np.float64]


def known(x: ArrayLike) -> Column:
    """The values that are not missing."""
    column = np.asarray(x, dtype=np.float64)
    return column[~np.isnan(column)]


def mean(x: ArrayLike) -> float:
    """The sum over the number of values."""
    values = known(x)
    return float(values.sum() / len(values)) if len(values) else np.nan


def median(x: ArrayLike) -> float:
    """The middle value in ascending order, or the mean of the middle two."""
    ordered = np.sort(known(x))
    n = len(ordered)
    if n == 0:
        return np.nan
    return float((ordered[(n - 1) // 2] + ordered[n // 2]) / 2)


def mode(values: Sequence[Hashable]) -> object:
    """The most frequent value, the smallest of equally frequent ones."""
    counts: dict[Hashable, int] = {}
    for value in values:
        if value is not None and value == value:
            counts[value] = counts.get(value, 0) + 1
    max_count = max(counts.values())
    return min(value for value, n in counts.items() if n == max_count)  # type: ignore[type-var]


def skewness(x: ArrayLike) -> float:
    """m3 / m2^1.5, the mean cube over the mean square to the power 1.5, of the distances from the mean."""
    apart = known(x) - mean(x)
    square = (apart**2).mean()
    return float((apart**3).mean() / square**1.5) if square > 0 else 0.0


def automatic(x: ArrayLike, limit: float = 1.0) -> float:
    """The mean of a column that is nearly symmetric, the median of a skewed one."""
    return median(x) if abs(skewness(x)) > limit else mean(x)


def fill(x: ArrayLike, value: float) -> Column:
    """The column with one value in its gaps."""
    column = np.asarray(x, dtype=np.float64)
    return np.where(np.isnan(column), value, column)


def fill_by_class(x: ArrayLike, classes: Sequence[Hashable]) -> Column:
    """Each gap gets the mean of its class, or the overall mean where the class has no value."""
    column = np.array(x, dtype=np.float64)
    center = {}
    for label in set(classes):
        values = known([v for v, c in zip(column, classes, strict=True) if c == label])
        center[label] = float(values.mean()) if len(values) else mean(x)
    return np.array([center[c] if np.isnan(v) else v for v, c in zip(column, classes, strict=True)])


def distance(x: ArrayLike, y: ArrayLike) -> float:
    """sqrt(p / m * sum of squared differences over the m of p columns that both have); NaN if there is none."""
    a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    both = ~np.isnan(a) & ~np.isnan(b)
    if not both.any():
        return np.nan
    return float(np.sqrt(len(a) / both.sum() * ((a[both] - b[both]) ** 2).sum()))


def nearest(X: ArrayLike, fitted: ArrayLike, k: int = 5, by_distance: bool = False) -> Table:
    """Each gap gets the mean of its k nearest rows that have the column; the column's mean if none is comparable."""
    table, donors = np.array(X, dtype=np.float64), np.asarray(fitted, dtype=np.float64)
    out = table.copy()
    for i, j in np.argwhere(np.isnan(table)):
        apart = [(distance(table[i], y), r) for r, y in enumerate(donors) if not np.isnan(y[j])]
        best = sorted(pair for pair in apart if not np.isnan(pair[0]))[:k]
        if not best:
            out[i, j] = mean(donors[:, j])
            continue
        d = np.array([neighbor_distance for neighbor_distance, _ in best])
        weight = (np.where(d == 0, 1.0, 0.0) if (d == 0).any() else 1 / d) if by_distance else np.ones(len(d))
        out[i, j] = (weight * donors[[r for _, r in best], j]).sum() / weight.sum()
    return out


def bayesian_ridge(X: Table, y: Column) -> tuple[Column, float]:
    """Weights and intercept of a ridge regression whose penalty is found by MacKay's rule."""
    A, b = X - X.mean(axis=0), y - y.mean()
    s = np.linalg.eigvalsh(A.T @ A)
    alpha, lam = 1 / (y.var() + np.finfo(float).eps), 1.0
    before = None
    for _ in range(300):
        w = np.linalg.solve(A.T @ A + lam / alpha * np.eye(len(s)), A.T @ b)
        g = (alpha * s / (lam + alpha * s)).sum()
        lam = (g + 2e-6) / ((w**2).sum() + 2e-6)
        alpha = (len(y) - g + 2e-6) / (((b - A @ w) ** 2).sum() + 2e-6)
        if before is not None and np.abs(before - w).sum() < 1e-3:
            break
        before = w
    w = np.linalg.solve(A.T @ A + lam / alpha * np.eye(len(s)), A.T @ b)
    return w, float(y.mean() - w @ X.mean(axis=0))


def chained(X: ArrayLike, passes: int = 10, tol: float = 1e-3) -> Table:
    """Gaps filled by means, then by regressions of each column on the others, columns with few gaps first."""
    table = np.asarray(X, dtype=np.float64)
    is_missing = np.isnan(table)
    filled = np.column_stack([fill(column, mean(column)) for column in table.T])
    limit = tol * np.abs(table[~is_missing]).max()
    for _ in range(passes):
        before = filled.copy()
        for j in np.argsort(is_missing.mean(axis=0), kind="stable"):
            other_columns = np.delete(np.arange(table.shape[1]), j)
            have = ~is_missing[:, j]
            w, b = bayesian_ridge(filled[have][:, other_columns], filled[have, j])
            filled[~have, j] = filled[~have][:, other_columns] @ w + b
        if np.abs(filled - before).sum(axis=1).max() <= limit:
            break
    return filled
