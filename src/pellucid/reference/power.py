"""Powers, logarithms and roots of one column in plain steps. NaN is a missing value.

Box, Cox, An analysis of transformations, 1964. Yeo, Johnson, A new family of power transformations, 2000.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

Column = NDArray[np.float64]


def known(x: ArrayLike) -> Column:
    """The values that are not missing."""
    column = np.asarray(x, dtype=np.float64)
    return column[~np.isnan(column)]


def box_cox(x: ArrayLike, power: float) -> Column:
    """(x^l - 1) / l, and ln x for l = 0."""
    logs = np.log(np.asarray(x, dtype=np.float64))
    return logs if power == 0 else np.expm1(power * logs) / power


def yeo_johnson(x: ArrayLike, power: float) -> Column:
    """Box-Cox of 1 + x for what is not negative, and minus Box-Cox of 1 - x, of the power 2 - l, for what is."""
    column = np.asarray(x, dtype=np.float64)
    negative = column < 0
    found = np.full(column.shape, np.nan)
    found[~negative] = box_cox(1 + column[~negative], power)
    found[negative] = -box_cox(1 - column[negative], 2 - power)
    return found


def likelihood(x: ArrayLike, power: float, method: str) -> float:
    """-n/2 ln var(y) + (l - 1) S,  S the sum of ln x or of sign(x) ln(1 + |x|)."""
    column = known(x)
    if method == "box-cox":
        y, logs = box_cox(column, power), np.log(column)
    else:
        y, logs = yeo_johnson(column, power), np.sign(column) * np.log1p(np.abs(column))
    return float(-len(column) / 2 * np.log(np.var(y)) + (power - 1) * logs.sum())


def best_power(x: ArrayLike, method: str, low: float = -20.0, high: float = 20.0) -> float:
    """Where the likelihood is greatest, by golden sections: of two points inside, the worse becomes an end."""
    column = known(x)
    if len(column) == 0 or (column == column[0]).all():
        return 1.0
    ratio = (math.sqrt(5) - 1) / 2
    left, right = high - ratio * (high - low), low + ratio * (high - low)
    at_left, at_right = likelihood(column, left, method), likelihood(column, right, method)
    while high - low > 1e-9:
        if at_left > at_right:
            high, right, at_right = right, left, at_left
            left = high - ratio * (high - low)
            at_left = likelihood(column, left, method)
        else:
            low, left, at_left = left, right, at_right
            right = low + ratio * (high - low)
            at_right = likelihood(column, right, method)
    return (low + high) / 2


def transformed(x: ArrayLike, power: float, method: str, standardize: bool = True) -> Column:
    """The column raised, then with mean 0 and standard deviation 1."""
    y = box_cox(x, power) if method == "box-cox" else yeo_johnson(x, power)
    if not standardize:
        return y
    spread = float(np.std(known(y)))
    standard: Column = (y - known(y).mean()) / (spread if np.ptp(known(x)) > 0 else 1.0)
    return standard


def inverse(y: ArrayLike, power: float, method: str) -> Column:
    """The x that became y."""
    column = np.asarray(y, dtype=np.float64)

    def back(values: Column, exponent: float) -> Column:
        return np.exp(values) if exponent == 0 else (1 + exponent * values) ** (1 / exponent)

    if method == "box-cox":
        return back(column, power)
    negative = column < 0
    found = np.full(column.shape, np.nan)
    found[~negative] = back(column[~negative], power) - 1
    found[negative] = 1 - back(-column[negative], 2 - power)
    return found


def auto_shift(x: ArrayLike) -> float:
    """Nothing for numbers above 0, else what makes the smallest 1."""
    column = known(x)
    return 0.0 if len(column) == 0 or column.min() > 0 else float(1 - column.min())


def logarithm(x: ArrayLike, shift: float, base: float = math.e) -> Column:
    """log(x + shift) to a base."""
    found: Column = np.log(np.asarray(x, dtype=np.float64) + shift) / math.log(base)
    return found


def root(x: ArrayLike, degree: int) -> Column:
    """x^(1/degree); of odd degree the sign stays."""
    column = np.asarray(x, dtype=np.float64)
    found: Column = np.sign(column) * np.abs(column) ** (1 / degree)
    return found
