"""How far a sample spreads: variance and standard deviation."""

from __future__ import annotations

from math import sqrt

from numpy.typing import ArrayLike

from pellucid.stats._moments import products
from pellucid.stats._sample import Sample, degrees, sample


def variance(x: ArrayLike, ddof: int = 1) -> float:
    """Mean squared deviation from the mean.

    ``s^2 = sum_i (x_i - m)^2 / (n - ddof)``

    ``ddof=1``, the default, estimates the variance of the population from a sample without bias; ``ddof=0`` is the
    variance of the values themselves (NumPy's default, and scikit-learn's in its scalers).

    >>> variance([1, 2, 3])
    1.0
    """
    return _variance("variance", sample("variance", x), ddof)


def standard_deviation(x: ArrayLike, ddof: int = 1) -> float:
    """Square root of the variance, in the unit of the values: ``s = sqrt(sum_i (x_i - m)^2 / (n - ddof))``.

    >>> standard_deviation([2, 4, 6])
    2.0
    """
    return sqrt(_variance("standard_deviation", sample("standard_deviation", x), ddof))


def _variance(who: str, values: Sample, ddof: int) -> float:
    return float(products(values[:, None])[0, 0] / degrees(who, len(values), ddof))
