"""Principal components, step by step: center, covariances, eigenvectors, order, projection."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Components:
    """Directions (one a row, widest first), the variance along each, its share, and the means of the columns."""

    mean: Floats
    directions: Floats
    variances: Floats
    shares: Floats


def covariance_matrix(X: ArrayLike) -> tuple[Floats, Floats]:
    """Means of the columns, and ``S = (X - mean)' (X - mean) / (n - 1)``."""
    table = np.asarray(X, dtype=float)
    mean = table.sum(axis=0) / len(table)
    centered = table - mean
    return mean, centered.T @ centered / (len(table) - 1)


def with_sign(direction: Floats) -> Floats:
    """A direction and its opposite are one: the largest number is made positive."""
    return direction if direction[np.argmax(np.abs(direction))] > 0 else -direction


def components(X: ArrayLike, k: int | None = None) -> Components:
    """The k directions of largest variance (all unless told): eigenvectors of S by falling eigenvalue."""
    mean, S = covariance_matrix(X)
    values, vectors = np.linalg.eigh(S)  # S v = value v, one vector a column, values rising
    order = np.argsort(values)[::-1][: k if k is not None else len(values)]
    directions = np.array([with_sign(vectors[:, j]) for j in order])
    return Components(mean, directions, values[order], values[order] / values.sum())


def project(X: ArrayLike, found: Components) -> Floats:
    """Places along the directions: every row less the means, times each direction."""
    return (np.asarray(X, dtype=float) - found.mean) @ found.directions.T


def go_back(T: ArrayLike, found: Components) -> Floats:
    """Rows from their places along the directions; what other directions held is lost."""
    return np.asarray(T, dtype=float) @ found.directions + found.mean


def variance_along(X: ArrayLike, direction: ArrayLike) -> float:
    """Sample variance of the rows' places along any direction, brought to length 1."""
    v = np.asarray(direction, dtype=float)
    places = np.asarray(X, dtype=float) @ (v / np.sqrt(v @ v))
    return float(((places - places.mean()) ** 2).sum() / (len(places) - 1))
