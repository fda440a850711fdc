"""One cut a column in plain steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pellucid.reference.discretization import best_cut


def median(x: ArrayLike) -> float:
    """The middle value, or the mean of the two in the middle."""
    ordered = sorted(float(value) for value in np.asarray(x, dtype=np.float64))
    n = len(ordered)
    return (ordered[(n - 1) // 2] + ordered[n // 2]) / 2


def mean(x: ArrayLike) -> float:
    """The sum over the number of values."""
    column = np.asarray(x, dtype=np.float64)
    return float(column.sum() / len(column))


def best(x: ArrayLike, y: Sequence[Any], numbers: bool = False) -> tuple[float, float]:
    """The cut with the largest information gain, and the gain; the largest value and 0 if nothing can be gained."""
    best_split = best_cut(x, y, numbers)
    if best_split is None:
        return float(np.asarray(x, dtype=np.float64).max()), 0.0
    return best_split[0], best_split[1] / len(y)


def split(x: ArrayLike, cut: float, inclusive: bool = False, below: bool = False) -> list[int]:
    """1 where x > cut (x >= cut), or the other way round."""
    column = np.asarray(x, dtype=np.float64)
    above = column >= cut if inclusive else column > cut
    return [int(value != below) for value in above.tolist()]
