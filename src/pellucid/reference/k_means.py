"""k-means, step by step: rows to their nearest center, centers to the mean of their rows; and the bend of a curve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


@dataclass
class Clusters:
    """Centers, the number of each row's center, the total distortion, and the centers before every pass."""

    centers: Floats
    labels: NDArray[np.intp]
    distortion: float
    path: list[Floats] = field(default_factory=list)


def squared_distances(X: Floats, centers: Floats) -> Floats:
    """``|x_i - c_j|²`` of every row and center."""
    return np.array([[float(((x - c) ** 2).sum()) for c in centers] for x in X])


def means(X: Floats, labels: NDArray[np.intp], centers: Floats, weight: Floats) -> Floats:
    """The mean of each center's rows; a center without rows takes the row that is farthest from its own."""
    new = centers.copy()
    apart = squared_distances(X, centers)[np.arange(len(X)), labels]
    masses = np.array([weight[labels == c].sum() for c in range(len(centers))])
    sums = np.array([(weight[labels == c, None] * X[labels == c]).sum(axis=0) for c in range(len(centers))])
    far = iter(sorted(np.flatnonzero(weight > 0), key=lambda i: (-apart[i], i)))
    for c in np.flatnonzero(masses == 0):
        i = next(far)
        sums[labels[i]] -= weight[i] * X[i]
        masses[labels[i]] -= weight[i]
        sums[c], masses[c] = weight[i] * X[i], weight[i]
    there = masses > 0
    new[there] = sums[there] / masses[there, None]
    return new


def k_means(
    X: ArrayLike, start: ArrayLike, weight: ArrayLike | None = None, max_iter: int = 300, tol: float = 0.0
) -> Clusters:
    """Passes until no row changes its center, or the centers' squared moves add up to no more than ``tol``."""
    table, centers = np.asarray(X, dtype=float), np.array(start, dtype=float)
    w = np.ones(len(table)) if weight is None else np.asarray(weight, dtype=float)
    before: NDArray[np.intp] | None = None
    path = []
    for _ in range(max_iter):
        path.append(centers)
        labels = squared_distances(table, centers).argmin(axis=1)  # the first of equals
        if before is not None and (labels == before).all():
            break
        new = means(table, labels, centers, w)
        moved = float(((new - centers) ** 2).sum())
        before, centers = labels, new
        if moved <= tol:
            break
    apart = squared_distances(table, centers)
    labels = apart.argmin(axis=1)
    return Clusters(centers, labels, float((w * apart.min(axis=1)).sum()), path)


def elbow(k: Sequence[int], distortion: Sequence[float]) -> int:
    """The k of the point farthest below the straight line between the curve's ends, both axes brought to 0 .. 1."""
    x = (np.asarray(k, dtype=float) - k[0]) / (k[-1] - k[0])
    y = (np.asarray(distortion, dtype=float) - distortion[-1]) / (distortion[0] - distortion[-1])
    below = 1 - x - y  # the line goes from (0, 1) to (1, 0)
    return int(k[int(np.argmax(below))])
