"""How two variables move together: covariance and correlation."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pellucid.stats._moments import products, scaled_products
from pellucid.stats._sample import Sample, degrees, fail, pair, table


def covariance(x: ArrayLike, y: ArrayLike, ddof: int = 1) -> float:
    """Mean product of the deviations: positive where large x go with large y, negative where they go with small y.

    ``cov(x, y) = sum_i (x_i - m_x)(y_i - m_y) / (n - ddof)``

    It has the unit of x times the unit of y, so its size says little; :func:`correlation` is free of units.

    >>> covariance([1, 2, 3, 4, 5], [6, 7, 8, 9, 10])
    2.5
    """
    first, second = pair("covariance", x, y)
    return float(products(np.column_stack([first, second]))[0, 1] / degrees("covariance", len(first), ddof))


def covariance_matrix(X: ArrayLike, ddof: int = 1) -> NDArray[np.float64]:
    """Covariance of every column with every other; the variances are on the diagonal.

    ``C = (X - 1 m^T)^T (X - 1 m^T) / (n - ddof)``

    >>> covariance_matrix([[1, 6], [2, 7], [3, 8]])
    array([[1., 1.],
           [1., 1.]])
    """
    values = table("covariance_matrix", X)
    return np.asarray(products(values) / degrees("covariance_matrix", len(values), ddof))


def correlation(x: ArrayLike, y: ArrayLike) -> float:
    """Pearson's r, from -1 (falling line) over 0 (no linear relation) to 1 (rising line).

    ``r = sum_i (x_i - m_x)(y_i - m_y) / sqrt(sum_i (x_i - m_x)^2  sum_i (y_i - m_y)^2)``

    It measures straight-line relation only: a perfect parabola can have r = 0.

    >>> correlation([2, 3, 4], [4, 5, 6])
    1.0
    """
    first, second = pair("correlation", x, y)
    for values, name in ((first, "x"), (second, "y")):
        _refuse_constant(values, name)
    S, _ = scaled_products(np.column_stack([first, second]))
    return float(np.clip(S[0, 1] / np.sqrt(S[0, 0] * S[1, 1]), -1, 1))


def _refuse_constant(values: Sample, name: str) -> None:
    if values.min() == values.max():
        fail(
            "correlation",
            f"{name} must take at least two different values",
            f"every value is {values[0]:g}, and a constant has no correlation",
            "leave the constant column out",
        )
