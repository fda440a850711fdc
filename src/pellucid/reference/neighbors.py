"""Nearest neighbors, step by step: distances, the order of the rows, weights, votes and averages."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]


def distances_to(X: ArrayLike, query: ArrayLike, p: float = 2) -> Floats:
    """Minkowski distance ``(sum_j |x_j - q_j|^p)^(1/p)`` of every row to a query."""
    apart = np.abs(np.asarray(X, dtype=float) - np.asarray(query, dtype=float))
    if np.isinf(p):
        return np.asarray(apart.max(axis=1))
    return np.asarray((apart**p).sum(axis=1) ** (1 / p))


def nearest_rows(distances: ArrayLike, k: int) -> Whole:
    """Numbers of the k nearest rows, nearest first; of rows at equal distances the earlier first."""
    return np.argsort(np.asarray(distances), kind="stable")[:k]


def rows_with_equals(distances: ArrayLike, k: int) -> Whole:
    """The k nearest rows, and all others that are as near as the k-th."""
    d = np.asarray(distances)
    order = np.argsort(d, kind="stable")
    return np.asarray(order[d[order] <= d[order[k - 1]]])


def rows_within(distances: ArrayLike, radius: float) -> Whole:
    """Numbers of the rows at most so far away, nearest first."""
    d = np.asarray(distances)
    order = np.argsort(d, kind="stable")
    return np.asarray(order[d[order] <= radius])


def neighbor_weights(distances: ArrayLike, weights: str = "uniform") -> Floats:
    """1, 1/d ("distance") or 1/d² ("squared_distance"); where rows are at distance 0, these count 1, the others 0."""
    d = np.asarray(distances, dtype=float)
    if weights == "uniform":
        return np.ones(len(d))
    if (d == 0).any():
        return np.asarray(d == 0, dtype=float)
    return np.asarray(1 / d if weights == "distance" else 1 / d**2)


def vote(labels: ArrayLike, weights: ArrayLike) -> dict[object, float]:
    """The sum of the weights of each class, in the order of the classes."""
    labels, weights = np.asarray(labels), np.asarray(weights, dtype=float)
    return {label: float(weights[labels == label].sum()) for label in np.unique(labels).tolist()}


def leaders(votes: dict[object, float]) -> list[object]:
    """The classes with the most votes."""
    max_votes = max(votes.values())
    return [label for label, sum_ in votes.items() if sum_ == max_votes]


def knn_classify(
    X: ArrayLike, y: ArrayLike, query: ArrayLike, k: int, weights: str = "uniform", ties: str = "first", p: float = 2
) -> object:
    """The class of a query by the votes of its k nearest rows.

    ties : "first" the first class, "nearest" the one with the nearest neighbor and then with the smaller sum of
        distances, "expand" k enlarged by one until one class leads
    """
    labels, d = np.asarray(y), distances_to(X, query, p)
    while True:
        rows = nearest_rows(d, k)
        votes = vote(labels[rows], neighbor_weights(d[rows], weights))
        tied = leaders(votes)
        if ties != "expand" or len(tied) == 1 or k == len(d):
            break
        k += 1
    if ties == "nearest":
        return min(tied, key=lambda c: (d[rows][labels[rows] == c].min(), d[rows][labels[rows] == c].sum()))
    return tied[0]


def knn_regress(
    X: ArrayLike, y: ArrayLike, query: ArrayLike, k: int, weights: str = "uniform", average: str = "mean", p: float = 2
) -> float:
    """The mean or the weighted median of the targets of the k nearest rows."""
    d = distances_to(X, query, p)
    rows = nearest_rows(d, k)
    values, w = np.asarray(y, dtype=float)[rows], neighbor_weights(d[rows], weights)
    return float((w * values).sum() / w.sum()) if average == "mean" else weighted_median(values, w)


def weighted_median(values: ArrayLike, weights: ArrayLike) -> float:
    """The value at which half of the weight is reached; the middle of two where exactly half lies below."""
    y, w = np.asarray(values, dtype=float), np.asarray(weights, dtype=float)
    order = np.argsort(y, kind="stable")
    y, w = y[order][w[order] > 0], w[order][w[order] > 0]
    reached = 2 * np.cumsum(w)
    at = int(np.argmax(reached >= reached[-1] / 2))
    return float((y[at] + y[at + 1]) / 2) if reached[at] == reached[-1] / 2 else float(y[at])
