"""Values above a threshold, in plain steps."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def binarize(X: ArrayLike, threshold: float = 0.0) -> list[list[int]]:
    """1 where x > threshold, 0 elsewhere."""
    return [[int(value > threshold) for value in row] for row in np.asarray(X, dtype=np.float64).tolist()]
