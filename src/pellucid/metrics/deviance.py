"""Deviances: how unlikely a target is under counts, waiting times or amounts with the predicted means.

Letters are those of ``regression``: y_i true, p_i predicted, w_i weights with the sum W.
"""

from __future__ import annotations

from math import nan

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlogy
from sklearn.exceptions import UndefinedMetricWarning

from pellucid.base.errors import count, format_message, short_repr, warn
from pellucid.base.types import Flags, Floats
from pellucid.metrics._numbers import Targets, average, mean, targets
from pellucid.metrics._read import fail, is_number, refuse
from pellucid.metrics.explained import r2_score
from pellucid.metrics.regression import mean_squared_error

__all__ = ["d2_tweedie_score", "mean_gamma_deviance", "mean_poisson_deviance", "mean_tweedie_deviance"]


def mean_tweedie_deviance(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None, power: float = 0
) -> float:
    """Mean deviance of Tweedie's family, in which the variance goes with the mean to the ``power`` r.

    ``(1/W) sum_i w_i d(y_i, p_i)``  with

    ``d = (y - p)²`` for r = 0 (normal),  ``2 (y log(y/p) - y + p)`` for r = 1 (Poisson),
    ``2 (log(p/y) + y/p - 1)`` for r = 2 (gamma), otherwise
    ``2 (max(y, 0)^(2-r) / ((1-r)(2-r)) - y p^(1-r) / (1-r) + p^(2-r) / (2-r))``.

    There is none for r between 0 and 1. The higher r, the less an error counts where the prediction is high.

    >>> round(mean_tweedie_deviance([2, 0, 1, 4], [0.5, 0.5, 2.0, 2.0], power=1), 6)
    1.426015
    """
    return _mean("mean_tweedie_deviance", y_true, y_pred, sample_weight, power)


def mean_poisson_deviance(y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Mean deviance of counts: ``(1/W) sum_i w_i 2 (y_i log(y_i / p_i) - y_i + p_i)``.

    >>> mean_poisson_deviance([2, 3], [2, 3])
    0.0
    """
    return _mean("mean_poisson_deviance", y_true, y_pred, sample_weight, 1)


def mean_gamma_deviance(y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Mean deviance of amounts above zero: ``(1/W) sum_i w_i 2 (log(p_i / y_i) + y_i / p_i - 1)``.

    It looks at ratios: twice too much costs the same for small and large amounts.

    >>> round(mean_gamma_deviance([1, 100], [2, 200]), 6)
    0.386294
    """
    return _mean("mean_gamma_deviance", y_true, y_pred, sample_weight, 2)


def d2_tweedie_score(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None, power: float = 0
) -> float:
    """Share of the Tweedie deviance that the predictions save against the mean of y; 1 is best, R² for power 0.

    ``D² = 1 - sum_i w_i d(y_i, p_i) / sum_i w_i d(y_i, m)``  with the (weighted) mean m of y

    >>> round(d2_tweedie_score([2, 1, 1, 4], [1.5, 1.5, 1.5, 3.5], power=1), 6)
    0.784635
    """
    who = "d2_tweedie_score"
    data = _read(who, y_true, y_pred, sample_weight)
    if data.n_rows < 2:
        requirement, actual = "D^2 score is not well-defined with less than two samples", "got 1 row"
        warn(format_message(who, requirement, actual=actual), UndefinedMetricWarning)
        return nan
    _check_power(who, power)
    if power == 0:
        return float(r2_score(y_true, y_pred, sample_weight=sample_weight))
    middle = np.broadcast_to(mean(data.true, data.weight), data.true.shape)
    with np.errstate(over="ignore", invalid="ignore"):
        residual = average(_deviances(who, data, power), data.weight)[0]
        spread = average(_deviances(who, data._replace(predicted=middle), power), data.weight)[0]
        if spread == 0:
            return 1.0 if residual == 0 else 0.0
        return float(1 - residual / spread)


def _mean(who: str, y_true: ArrayLike, y_pred: ArrayLike, sample_weight: ArrayLike | None, power: float) -> float:
    data = _read(who, y_true, y_pred, sample_weight)
    _check_power(who, power)
    if power == 0:
        return float(mean_squared_error(y_true, y_pred, sample_weight=sample_weight))
    with np.errstate(over="ignore", invalid="ignore"):
        return float(average(_deviances(who, data, power), data.weight)[0])


def _read(who: str, y_true: ArrayLike, y_pred: ArrayLike, sample_weight: ArrayLike | None) -> Targets:
    data = targets(who, y_true, y_pred, sample_weight)
    if data.true.shape[1] != 1:
        hint = "call it once for each column"
        fail(who, f"Multioutput not supported in {who}", f"got {data.true.shape[1]} columns", hint)
    return data


def _check_power(who: str, power: float) -> None:
    if not is_number(power) or not np.isfinite(power):
        refuse(who, "power must be a number", f"got {short_repr(power)}")
    if 0 < power < 1:
        refuse(who, "Tweedie deviance is only defined for power<=0 and power>=1", f"got {short_repr(power)}")


def _deviances(who: str, data: Targets, power: float) -> Floats:
    """For powers other than 0."""
    r, y, p = float(power), data.true, data.predicted
    if (p <= 0).any():
        _refuse_sign(who, power, "strictly positive y_pred", p, p <= 0)
    if 1 <= r < 2 and (y < 0).any():
        _refuse_sign(who, power, "non-negative y", y, y < 0)
    if r >= 2 and (y <= 0).any():
        _refuse_sign(who, power, "strictly positive y", y, y <= 0)
    if r == 1:
        return np.asarray(2 * (xlogy(y, y / p) - y + p))
    if r == 2:
        return np.asarray(2 * (np.log(p / y) + y / p - 1))
    first = np.maximum(y, 0) ** (2 - r) / ((1 - r) * (2 - r))
    return np.asarray(2 * (first - y * p ** (1 - r) / (1 - r) + p ** (2 - r) / (2 - r)))


def _refuse_sign(who: str, power: float, what: str, values: Floats, wrong: Flags) -> None:
    rows = np.flatnonzero(wrong.any(axis=1))
    actual = f"found {values[rows[0], 0]:g} in row {rows[0]}"
    if len(rows) > 1:
        actual += f" and {count(len(rows) - 1, 'other')}"
    fail(who, f"Tweedie deviance with power={power:g} can only be used on {what}", actual)
