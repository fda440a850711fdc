"""Rows of size 1, in plain steps."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike


def size(row: Sequence[float], norm: str = "l2") -> float:
    """Sum of absolute values, root of the sum of squares, or largest absolute value."""
    if norm == "l1":
        return sum(abs(value) for value in row)
    if norm == "max":
        return max(abs(value) for value in row)
    return sqrt(sum(value * value for value in row))


def normalize(X: ArrayLike, norm: str = "l2") -> list[list[float]]:
    """Every row over its size; a row of zeros stays as it is."""
    rows = np.asarray(X, dtype=np.float64).tolist()
    return [[value / (size(row, norm) or 1.0) for value in row] for row in rows]
