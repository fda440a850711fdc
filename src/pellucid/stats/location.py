"""Where a sample lies: mean, median, mode."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pellucid.stats._sample import fail, sample


def mean(x: ArrayLike) -> float:
    """Arithmetic mean, the center of gravity of the values.

    ``m = (1/n) sum_i x_i``

    Every value pulls at it, an outlier more than the others; :func:`median` is not moved by a few.

    >>> mean([1, 2, 3, 1000, 10000])
    2201.2
    """
    return float(sample("mean", x).mean())


def median(x: ArrayLike) -> float:
    """Middle value of the ordered sample; the mean of the two middle ones where their number is even.

    With ``x_(1) <= ... <= x_(n)``:  ``x_((n+1)/2)`` for odd n, ``(x_(n/2) + x_(n/2+1)) / 2`` for even n.

    >>> median([1, 2, 3, 1000, 10000])
    3.0
    """
    return float(np.median(sample("median", x)))


def mode(x: ArrayLike) -> Any:
    """Most frequent value; of equally frequent ones the smallest (for text the first in alphabetical order).

    The only one of the three that also suits names and categories.

    >>> mode([2, 2, 3])
    2
    >>> mode(["red", "blue", "red"])
    'red'
    """
    values = np.asarray(x)
    if values.ndim != 1:
        fail("mode", "x must be one sample (1 dimension)", f"got shape {values.shape}", "pass one column at a time")
    if values.dtype.kind == "f" or values.size == 0:
        sample("mode", values)
    kinds = sorted({type(value).__name__ for value in values.tolist()})
    if len(kinds) > 1:
        fail("mode", "x must hold values of one kind", f"got {', '.join(kinds)}", "drop or fill missing values first")
    distinct, counts = np.unique(values, return_counts=True)
    return distinct.tolist()[int(np.argmax(counts))]
