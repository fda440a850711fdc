"""Polar coordinates, products of two columns and similarities to landmarks, in plain steps."""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2, cos, exp, sin, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray


def polar(row: Sequence[float], center: Sequence[float]) -> list[float]:
    """radius = sqrt(sum (x_j - c_j)²);  angle_j = atan2(distance over the columns behind j, x_j - c_j).

    The last angle keeps the sign of its last column, so that it goes all around.
    """
    apart = [x - c for x, c in zip(row, center, strict=True)]
    behind = [sqrt(sum(d * d for d in apart[j + 1 :])) for j in range(len(apart))]
    behind[-2] = apart[-1]
    return [sqrt(sum(d * d for d in apart)), *(atan2(behind[j], apart[j]) for j in range(len(apart) - 1))]


def from_polar(radius: float, angles: Sequence[float], center: Sequence[float]) -> list[float]:
    """x_j = c_j + radius sin(angle_1) ... sin(angle_{j-1}) cos(angle_j); the last one has no cosine."""
    coordinates, remaining_radius = [], radius
    for angle in angles:
        coordinates.append(remaining_radius * cos(angle))
        remaining_radius *= sin(angle)
    return [x + c for x, c in zip([*coordinates, remaining_radius], center, strict=True)]


def quadratic(row: Sequence[float], inhomogeneous: bool = False) -> list[float]:
    """phi(x) with  phi(a) . phi(b) = (a . b)²,  or  (a . b + 1)²."""
    lead = [1.0, *(sqrt(2) * x for x in row)] if inhomogeneous else []
    p = len(row)
    return lead + [(1 if i == j else sqrt(2)) * row[i] * row[j] for i in range(p) for j in range(i, p)]


def ordered_products(row: Sequence[float]) -> list[float]:
    """x_i x_j for all i and j, each pair twice."""
    return [a * b for a in row for b in row]


def inner(a: Sequence[float], b: Sequence[float]) -> float:
    """a . b = sum a_j b_j."""
    return sum(x * y for x, y in zip(a, b, strict=True))


def similarity(row: Sequence[float], landmark: Sequence[float], gamma: float) -> float:
    """exp(-gamma |x - l|²)."""
    return exp(-gamma * sum((x - y) ** 2 for x, y in zip(row, landmark, strict=True)))


def similarities(X: ArrayLike, landmarks: ArrayLike, gamma: float) -> NDArray[np.float64]:
    """The similarity of every row to every landmark."""
    rows, points = np.asarray(X, dtype=np.float64).tolist(), np.asarray(landmarks, dtype=np.float64).tolist()
    return np.array([[similarity(row, point, gamma) for point in points] for row in rows])


def scale(X: ArrayLike) -> float:
    """1 / (p Var(X)), the variance over all cells."""
    table = np.asarray(X, dtype=np.float64)
    return float(1 / (table.shape[1] * table.var()))
