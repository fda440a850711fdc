"""Critical values of Student's t distribution."""

from __future__ import annotations

from typing import overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri, stdtrit

from pellucid.stats._sample import fail


@overload
def student_t_critical(df: float, alpha: float = 0.05) -> float: ...
@overload
def student_t_critical(df: ArrayLike, alpha: float = 0.05) -> float | NDArray[np.float64]: ...
def student_t_critical(df: ArrayLike, alpha: float = 0.05) -> float | NDArray[np.float64]:
    """Two-sided critical value: the t that Student's T exceeds in size with probability alpha.

    ``P(|T| > t) = alpha``, so t is the ``1 - alpha/2`` quantile for ``df`` degrees of freedom. An estimate plus and
    minus t standard errors is its interval of confidence ``1 - alpha``. With ``df=inf`` it is the normal quantile.

    >>> round(student_t_critical(5), 2)
    2.57
    >>> student_t_critical([1, 30, float("inf")], alpha=0.01).round(2)
    array([63.66,  2.75,  2.58])
    """
    degrees = np.asarray(df, dtype=np.float64)
    if not (degrees > 0).all():
        fail("student_t_critical", "df must be positive", f"got {df!r}", "df is the number of rows less the parameters")
    if not 0 < alpha < 1:
        fail("student_t_critical", "alpha must lie between 0 and 1", f"got {alpha}", "0.05 gives the 95 % interval")
    probability = 1 - alpha / 2
    finite = np.where(np.isinf(degrees), 1, degrees)
    critical = np.where(np.isinf(degrees), ndtri(probability), stdtrit(finite, probability))
    return float(critical) if critical.ndim == 0 else critical
