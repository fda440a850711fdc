"""Class centers, shrunk toward the center of all rows, as Tibshirani and others (2002) write them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Centers:
    """Centers of the classes, their deviations in units of their own error, and the columns' spread within classes."""

    labels: list[object]
    centroids: Array
    deviations: Array
    within: Array


def fit(X: ArrayLike, y: Sequence[object], metric: str = "euclidean", threshold: float | None = None) -> Centers:
    """Means, or medians for the Manhattan distance; drawn toward the overall mean where a threshold is given."""
    table, codes = np.asarray(X, dtype=np.float64), np.asarray(y)
    labels = sorted(set(codes.tolist()))
    clusters = [table[codes == label] for label in labels]
    center = np.mean if metric == "euclidean" else np.median
    centroids = np.array([center(cluster, axis=0) for cluster in clusters])
    squares = sum(
        ((cluster - centroid) ** 2).sum(axis=0) for cluster, centroid in zip(clusters, centroids, strict=True)
    )
    within = np.sqrt(squares / (len(table) - len(labels)))
    overall = table.mean(axis=0)
    m = np.array([np.sqrt(1 / len(cluster) - 1 / len(table)) for cluster in clusters])
    error = m[:, None] * (within + np.median(within))
    deviations = (centroids - overall) / error
    if threshold is not None:
        deviations = np.sign(deviations) * np.maximum(np.abs(deviations) - threshold, 0)
        centroids = overall + error * deviations
    return Centers(labels, centroids, deviations, within)


def predict(X: ArrayLike, centers: Centers, metric: str = "euclidean") -> list[object]:
    """The class with the nearest center, the first of equals."""
    predictions = []
    for x in np.asarray(X, dtype=np.float64):
        apart = np.abs(x - centers.centroids)
        distances = (apart**2).sum(axis=1) if metric == "euclidean" else apart.sum(axis=1)
        predictions.append(centers.labels[int(np.argmin(distances))])
    return predictions


def scores(X: ArrayLike, centers: Centers, priors: ArrayLike) -> Array:
    """``-sum_j (x_j - c_kj)^2 / s_j^2 + 2 ln p_k``."""
    table = np.asarray(X, dtype=np.float64)
    apart = (table[:, None, :] - centers.centroids[None]) / centers.within
    return np.asarray(2 * np.log(np.asarray(priors)) - (apart**2).sum(axis=2))
