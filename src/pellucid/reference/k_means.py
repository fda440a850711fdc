"""k-means, step by step: rows to their nearest centre, centres to the mean of their rows; and the bend of a curve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


@dataclass
class Clusters:
    """Centres, the number of each row's centre, the total distortion, and the centres before every pass."""

    centres: Floats
    labels: NDArray[np.intp]
    distortion: float
    path: list[Floats] = field(default_factory=list)


def squared_distances(X: Floats, centres: Floats) -> Floats:
    """``|x_i - c_j|²`` of every row and centre."""
    return np.array([[float(((x - c) ** 2).sum()) for c in centres] for x in X])


def means(X: Floats, labels: NDArray[np.intp], centres: Floats, weight: Floats) -> Floats:
    """The mean of each centre's rows; a centre without rows takes the row that is farthest from its own."""
    new = centres.copy()
    apart = squared_distances(X, centres)[np.arange(len(X)), labels]
    masses = np.array([weight[labels == c].sum() for c in range(len(centres))])
    sums = np.array([(weight[labels == c, None] * X[labels == c]).sum(axis=0) for c in range(len(centres))])
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
    """Passes until no row changes its centre, or the centres' squared moves add up to no more than ``tol``."""
    table, centres = np.asarray(X, dtype=float), np.array(start, dtype=float)
    w = np.ones(len(table)) if weight is None else np.asarray(weight, dtype=float)
    before: NDArray[np.intp] | None = None
    path = []
    for _ in range(max_iter):
        path.append(centres)
        labels = squared_distances(table, centres).argmin(axis=1)  # the first of equals
        if before is not None and (labels == before).all():
            break
        new = means(table, labels, centres, w)
        moved = float(((new - centres) ** 2).sum())
        before, centres = labels, new
        if moved <= tol:
            break
    apart = squared_distances(table, centres)
    labels = apart.argmin(axis=1)
    return Clusters(centres, labels, float((w * apart.min(axis=1)).sum()), path)


def elbow(k: Sequence[int], distortion: Sequence[float]) -> int:
    """The k of the point farthest below the straight line between the curve's ends, both axes brought to 0 .. 1."""
    x = (np.asarray(k, dtype=float) - k[0]) / (k[-1] - k[0])
    y = (np.asarray(distortion, dtype=float) - distortion[-1]) / (distortion[0] - distortion[-1])
    below = 1 - x - y  # the line goes from (0, 1) to (1, 0)
    return int(k[int(np.argmax(below))])
