"""Kernels: how alike two rows are, as inner products in some space.

Names, arguments and answers are scikit-learn's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse

from pellucid.base.errors import short_repr
from pellucid.base.types import Array
from pellucid.metrics._read import fail, is_number, refuse
from pellucid.metrics._tables import products, rows, table, two_tables
from pellucid.metrics.pairwise import cosine_similarity, euclidean_distances
from pellucid.models.neighbors.metric import Metric

__all__ = [
    "additive_chi2_kernel",
    "chi2_kernel",
    "laplacian_kernel",
    "linear_kernel",
    "pairwise_kernels",
    "polynomial_kernel",
    "rbf_kernel",
    "sigmoid_kernel",
]

Kernel = str | Callable[..., float]


def linear_kernel(X: Any, Y: Any = None, dense_output: bool = True) -> Any:
    """Inner products of the rows: ``k_ij = sum_c x_ic y_jc``. Zero means a right angle.

    >>> linear_kernel([[1, 2]], [[3, 4]])
    array([[11.]])
    """
    x, z = two_tables("linear_kernel", X, Y)
    if not dense_output and scipy.sparse.issparse(x) and scipy.sparse.issparse(z):
        return x @ z.T
    return products(x, z)


def polynomial_kernel(X: Any, Y: Any = None, degree: float = 3, gamma: float | None = None, coef0: float = 1) -> Array:
    """``k_ij = (gamma x_i·y_j + coef0)^degree``; gamma is one over the number of columns if None.

    >>> polynomial_kernel([[1, 2]], [[3, 4]], degree=2, gamma=1, coef0=0)  # 11²
    array([[121.]])
    """
    who = "polynomial_kernel"
    x, z = two_tables(who, X, Y)
    return np.asarray((_gamma(who, gamma, x) * products(x, z) + coef0) ** degree)


def sigmoid_kernel(X: Any, Y: Any = None, gamma: float | None = None, coef0: float = 1) -> Array:
    """``k_ij = tanh(gamma x_i·y_j + coef0)``; gamma is one over the number of columns if None.

    >>> sigmoid_kernel([[1, 2]], [[3, 4]], gamma=0, coef0=0)
    array([[0.]])
    """
    who = "sigmoid_kernel"
    x, z = two_tables(who, X, Y)
    return np.asarray(np.tanh(_gamma(who, gamma, x, low=0) * products(x, z) + coef0))


def rbf_kernel(X: Any, Y: Any = None, gamma: float | None = None) -> Array:
    """``k_ij = exp(-gamma |x_i - y_j|²)``: 1 for equal rows, toward 0 far apart; gamma is 1 / columns if None.

    >>> rbf_kernel([[0.0, 0.0]], [[0.0, 0.0], [1.0, 1.0]], gamma=0.5)  # exp(-1)
    array([[1.        , 0.36787944]])
    """
    who = "rbf_kernel"
    x, z = two_tables(who, X, Y)
    kernel = euclidean_distances(x, None if z is x else z, squared=True)
    kernel *= -_gamma(who, gamma, x, low=0)
    return np.exp(kernel, out=kernel)


def laplacian_kernel(X: Any, Y: Any = None, gamma: float | None = None) -> Array:
    """``k_ij = exp(-gamma |x_i - y_j|₁)``, with the Manhattan distance; gamma is one over the columns if None.

    >>> laplacian_kernel([[0.0, 0.0]], [[1.0, 1.0]], gamma=0.5)
    array([[0.36787944]])
    """
    who = "laplacian_kernel"
    x, z = (array.toarray() if scipy.sparse.issparse(array) else array for array in two_tables(who, X, Y))
    return np.asarray(np.exp(-_gamma(who, gamma, x, low=0) * table(x, z, Metric("manhattan"))))


def additive_chi2_kernel(X: Any, Y: Any = None) -> Array:
    """``k_ij = -sum_c (x_ic - y_jc)² / (x_ic + y_jc)`` for rows of counts; 0/0 counts 0.

    >>> additive_chi2_kernel([[1, 3]], [[3, 1]])  # -(4/4 + 4/4)
    array([[-2.]])
    """
    who = "additive_chi2_kernel"
    x, z = _counts(who, X, "X"), _counts(who, X if Y is None else Y, "Y")
    if x.shape[1] != z.shape[1]:
        fail(who, "X and Y must have the same columns", f"got {x.shape[1]} and {z.shape[1]}")
    out = np.zeros((len(x), len(z)))
    for c in range(x.shape[1]):
        both, apart = x[:, c, None] + z[None, :, c], x[:, c, None] - z[None, :, c]
        out -= np.divide(apart * apart, both, out=np.zeros_like(both), where=both != 0)
    return out


def chi2_kernel(X: Any, Y: Any = None, gamma: float = 1.0) -> Array:
    """``k_ij = exp(gamma additive_chi2_ij)`` for rows of counts.

    >>> chi2_kernel([[1, 3]], [[3, 1]], gamma=0.5)
    array([[0.36787944]])
    """
    return np.asarray(np.exp(_gamma("chi2_kernel", gamma, None) * additive_chi2_kernel(X, Y)))


KERNELS: dict[str, Callable[..., Any]] = {
    "additive_chi2": additive_chi2_kernel,
    "chi2": chi2_kernel,
    "cosine": cosine_similarity,
    "laplacian": laplacian_kernel,
    "linear": linear_kernel,
    "poly": polynomial_kernel,
    "polynomial": polynomial_kernel,
    "rbf": rbf_kernel,
    "sigmoid": sigmoid_kernel,
}
SETTINGS = {
    "additive_chi2": (),
    "chi2": ("gamma",),
    "cosine": (),
    "laplacian": ("gamma",),
    "linear": (),
    "poly": ("gamma", "degree", "coef0"),
    "polynomial": ("gamma", "degree", "coef0"),
    "rbf": ("gamma",),
    "sigmoid": ("gamma", "coef0"),
}


def pairwise_kernels(
    X: Any,
    Y: Any = None,
    metric: Kernel = "linear",
    *,
    filter_params: bool = False,
    n_jobs: int | None = None,
    **settings: Any,
) -> Any:
    """Kernels of all rows of X and Y.

    Parameters
    ----------
    metric : "linear", "polynomial" ("poly"), "rbf", "laplacian", "sigmoid", "cosine", "additive_chi2", "chi2",
        "precomputed" (X holds them already), or a function of two rows.
    filter_params : leave out settings that the kernel does not take, instead of refusing them.
    settings : gamma, degree, coef0.

    >>> pairwise_kernels([[1, 2]], [[3, 4]], metric="linear")
    array([[11.]])
    """
    who = "pairwise_kernels"
    if metric == "precomputed":
        return rows(who, X, "X")
    if callable(metric):
        x, z = two_tables(who, X, Y)
        return np.array([[metric(a, b, **settings) for b in z] for a in x], dtype=np.float64)
    if metric not in KERNELS:
        refuse(
            who,
            f"metric must be one of {', '.join(sorted(KERNELS))}, precomputed, or a function",
            f"got {short_repr(metric)}",
        )
    unknown = [name for name in settings if name not in SETTINGS[metric]]
    if unknown and not filter_params:
        takes = ", ".join(SETTINGS[metric]) or "no setting"
        refuse(who, f"kernel {metric!r} takes {takes}", f"got {', '.join(unknown)}")
    return KERNELS[metric](X, Y, **{name: value for name, value in settings.items() if name not in unknown})


def _gamma(who: str, gamma: Any, x: Any, low: float = 0.0) -> float:
    if gamma is None:
        return float(1.0 / x.shape[1])
    if not is_number(gamma) or not gamma >= low:
        refuse(who, f"gamma must be {low:g} or more", f"got {short_repr(gamma)}")
    return float(gamma)


def _counts(who: str, X: Any, name: str) -> Array:
    x = rows(who, X, name)
    if scipy.sparse.issparse(x):
        x = x.toarray()
    if (x < 0).any():
        fail(who, f"{name} contains negative values", f"the least is {x.min():g}", "this kernel is one of counts")
    return np.asarray(x)
