"""How a cost grows with the size of a problem: a power of it, read off measurements or put to use."""

from __future__ import annotations

from typing import overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pellucid.stats._sample import Sample, fail


@overload
def growth_factor(exponent: float, times: float = 2.0) -> float: ...
@overload
def growth_factor(exponent: ArrayLike, times: float = 2.0) -> float | NDArray[np.float64]: ...
def growth_factor(exponent: ArrayLike, times: float = 2.0) -> float | NDArray[np.float64]:
    """What a problem `times` as large costs, for a cost that grows like ``size^exponent``: ``times^exponent``.

    Solving the normal equation of p columns by Cholesky costs about p³ once its cross products are there, so twice the
    columns cost

    >>> growth_factor(3)
    8.0
    """
    powers = np.asarray(exponent, dtype=np.float64)
    if not np.isfinite(powers).all():
        fail("growth_factor", "exponent must be finite", f"got {exponent!r}", "a cost like p³ has exponent 3")
    if not (np.isfinite(times) and times > 0):
        fail("growth_factor", "times must be a finite number above 0", f"got {times!r}", "2 for twice the size")
    factor = np.power(float(times), powers)
    return float(factor) if factor.ndim == 0 else np.asarray(factor)


def growth_exponent(size: Sample, cost: Sample) -> float:
    """The exponent of a cost that grows like ``size^exponent``: the slope of ln cost against ln size (least squares).

    Seconds, bytes or iterations measured at several sizes; a cost that doubles with the size has exponent 1.

    >>> round(growth_exponent([100, 200, 400], [0.5, 4, 32]), 10)
    3.0
    """
    sizes, costs = np.asarray(size, dtype=np.float64), np.asarray(cost, dtype=np.float64)
    if sizes.ndim != 1 or sizes.shape != costs.shape or len(np.unique(sizes)) < 2:
        actual = f"got {sizes.shape} sizes and {costs.shape} costs"
        fail(
            "growth_exponent",
            "there must be one cost for each of at least two different sizes",
            actual,
            "measure at two sizes at least",
        )
    for name, values in (("size", sizes), ("cost", costs)):
        if not (np.isfinite(values).all() and (values > 0).all()):
            fail(
                "growth_exponent",
                f"{name} must hold finite numbers above 0",
                f"got {values.min():g}",
                "leave such measurements out",
            )
    x, y = np.log(sizes), np.log(costs)
    x, y = x - x.mean(), y - y.mean()
    return float(x @ y / (x @ x))
