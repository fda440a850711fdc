"""Outliers, step by step: by distance, by local density, by isolation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def distances(X: ArrayLike) -> Floats:
    """Euclidean distance of every row to every row."""
    table = np.asarray(X, dtype=float)
    return np.array([[float(np.sqrt(((a - b) ** 2).sum())) for b in table] for a in table])


def near_counts(X: ArrayLike, radius: float) -> NDArray[np.intp]:
    """How many other rows lie within the radius of each row."""
    return np.array([int((row <= radius).sum()) - 1 for row in distances(X)])  # less the row itself


def distance_outliers(X: ArrayLike, radius: float, share: float) -> list[int]:
    """Rows with at most this share of all rows near them."""
    counts = near_counts(X, radius)
    return [i for i, count in enumerate(counts) if count / len(counts) <= share]


def regions(X: ArrayLike, rows: list[int], radius: float) -> list[list[int]]:
    """Groups of these rows in which one can go from each to each by steps of at most the radius."""
    apart, left, found = distances(X), set(rows), []
    while left:
        group, fresh = set(), {min(left)}
        while fresh:
            group |= fresh
            fresh = {j for j in left - group if any(apart[i, j] <= radius for i in group)}
        left -= group
        found.append(sorted(group))
    return found


@dataclass(frozen=True)
class LocalDensities:
    """Distance to the k-th neighbor, size of the neighborhood, density and factor of each row."""

    k_distance: Floats
    sizes: NDArray[np.intp]
    density: Floats
    factor: Floats


def local_outlier_factors(X: ArrayLike, k: int, equals: bool = True) -> LocalDensities:
    """LOF of every row; with ``equals`` all rows within the k-distance are neighbors, else the first k."""
    apart = distances(X)
    n = len(apart)
    order = [sorted((j for j in range(n) if j != i), key=lambda j: (apart[i, j], j)) for i in range(n)]
    kd = np.array([apart[i, order[i][k - 1]] for i in range(n)])
    near = [[j for j in order[i] if apart[i, j] <= kd[i]] if equals else order[i][:k] for i in range(n)]
    density = np.array([1 / np.mean([max(kd[j], apart[i, j]) for j in near[i]]) for i in range(n)])
    factor = np.array([np.mean([density[j] for j in near[i]]) / density[i] for i in range(n)])
    return LocalDensities(kd, np.array([len(one) for one in near]), density, factor)


def average_path(m: int) -> float:
    """Mean number of cuts that part a row from m - 1 others in a random tree."""
    if m <= 1:
        return 0.0
    return 1.0 if m == 2 else 2 * (np.log(m - 1) + np.euler_gamma) - 2 * (m - 1) / m


def path_length(x: ArrayLike, column: ArrayLike, left: ArrayLike, threshold: ArrayLike) -> float:
    """Down one tree: left where the value is at most the threshold; a leaf (column -1) holds the path length."""
    row, columns, children, cuts = (np.asarray(a) for a in (x, column, left, threshold))
    at = 0
    while columns[at] >= 0:
        at = int(children[at]) + (0 if row[columns[at]] <= cuts[at] else 1)
    return float(cuts[at])


def isolation_score(paths: ArrayLike, m: int) -> float:
    """``2^(-mean path / c(m))``: near 1 for an outlier."""
    return float(2.0 ** (-np.mean(np.asarray(paths, dtype=float)) / average_path(m)))
