"""The normal distribution: its density, and the share of it between two limits."""

from __future__ import annotations

from typing import overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from pellucid.stats._sample import fail


@overload
def normal_density(x: float, mean: float = 0.0, standard_deviation: float = 1.0) -> float: ...
@overload
def normal_density(x: ArrayLike, mean: float = 0.0, standard_deviation: float = 1.0) -> float | NDArray[np.float64]: ...
def normal_density(x: ArrayLike, mean: float = 0.0, standard_deviation: float = 1.0) -> float | NDArray[np.float64]:
    """The bell curve: how dense the values of a normal population are at x. It is not a probability.

    ``f(x) = exp(-(x - mean)^2 / (2 sd^2)) / (sqrt(2 pi) sd)``

    >>> round(normal_density(0), 8)
    0.39894228
    """
    _check_width("normal_density", standard_deviation)
    z = (np.asarray(x, dtype=np.float64) - mean) / standard_deviation
    density = np.exp(-(z**2) / 2) / (np.sqrt(2 * np.pi) * standard_deviation)
    return float(density) if density.ndim == 0 else density


def normal_probability(low: float, high: float, mean: float = 0.0, standard_deviation: float = 1.0) -> float:
    """The share of a normal population between two limits, each of which may be infinite.

    ``P(low < X < high) = Phi((high - mean) / sd) - Phi((low - mean) / sd)``, with Phi the share below.

    >>> round(normal_probability(-3, 3), 4)
    0.9973
    """
    _check_width("normal_probability", standard_deviation)
    if not low <= high:
        fail("normal_probability", "low must not be above high", f"got {low} and {high}", "exchange the limits")
    a, b = (low - mean) / standard_deviation, (high - mean) / standard_deviation
    # In the upper tail both shares are nearly 1: the difference of the shares above keeps its digits.
    return float(ndtr(-a) - ndtr(-b)) if a > 0 else float(ndtr(b) - ndtr(a))


def _check_width(who: str, standard_deviation: float) -> None:
    if not 0 < standard_deviation < np.inf:
        fail(who, "standard_deviation must be positive", f"got {standard_deviation}", "it is the root of the variance")
