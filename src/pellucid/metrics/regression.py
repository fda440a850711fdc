"""How far the predictions of a regression lie from the truth.

In every formula y_i is the true and p_i the predicted value of row i, w_i its weight (1 where none are given) and
``W = sum_i w_i``. Of several outputs each column is scored by itself; `multioutput` says how the scores become one:

    "uniform_average"    their mean
    "raw_values"         they do not: one score a column is answered
    "variance_weighted"  their mean by the spread of each target (r2_score and explained_variance_score)
    a list of numbers    their mean by these weights

Names, arguments and answers are scikit-learn's, with these exceptions. Everything is computed in double precision. Sums
are scaled by a power of two, so an answer is infinite only if it is itself out of range. A target that is constant
counts as constant also where its mean is rounded (three times 0.1). A negative weight is refused.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from pellucid.base.errors import short_repr
from pellucid.base.types import Floats
from pellucid.metrics._numbers import (
    MultiOutput,
    average,
    combine,
    difference,
    mean,
    middle,
    single,
    targets,
    unscaled,
)
from pellucid.metrics._read import fail, is_number, refuse

__all__ = [
    "max_error",
    "mean_absolute_error",
    "mean_absolute_percentage_error",
    "mean_error",
    "mean_pinball_loss",
    "mean_squared_error",
    "mean_squared_log_error",
    "median_absolute_error",
    "root_mean_squared_error",
    "root_mean_squared_log_error",
]


def mean_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    multioutput: MultiOutput = "uniform_average",
) -> float | Floats:
    """Mean of the errors with their signs: are predictions too low (above 0) or too high (below 0) on the whole?

    ``(1/W) sum_i w_i (y_i - p_i)``

    It is no measure of how good predictions are: errors of opposite sign cancel, so predictions that are far off on
    both sides can have a mean error of 0. :func:`mean_absolute_error` and :func:`mean_squared_error` drop the sign.

    >>> mean_error([10, 20], [15, 15]), mean_absolute_error([10, 20], [15, 15])
    (0.0, 5.0)
    >>> mean_error([10, 20], [9, 17])
    2.0
    """
    data = targets("mean_error", y_true, y_pred, sample_weight)
    error, factor = difference(data.true, data.predicted)
    return combine("mean_error", unscaled(average(error, data.weight), factor), multioutput)


def mean_absolute_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    multioutput: MultiOutput = "uniform_average",
) -> float | Floats:
    """Mean size of the errors, in the unit of the target.

    ``(1/W) sum_i w_i |y_i - p_i|``

    Every unit of error counts the same; where one large error is worse than several small ones, use
    :func:`mean_squared_error`.

    >>> mean_absolute_error([3, 5, 2], [2, 5, 4])
    1.0
    """
    data = targets("mean_absolute_error", y_true, y_pred, sample_weight)
    error, factor = difference(data.true, data.predicted)
    return combine("mean_absolute_error", unscaled(average(np.abs(error), data.weight), factor), multioutput)


def mean_squared_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    multioutput: MultiOutput = "uniform_average",
) -> float | Floats:
    """Mean of the squared errors: large errors count more than in proportion.

    ``(1/W) sum_i w_i (y_i - p_i)²``

    The divisor is the number of rows. Statistics of a fitted line divide by the degrees of freedom instead, n - 2 for
    one column; that figure is part of the line's own summary.

    >>> mean_squared_error([3, 5, 2], [2, 5, 4])
    1.6666666666666667
    >>> mean_squared_error([[0, 0], [0, 0]], [[1, 2], [3, 2]], multioutput="raw_values")
    array([5., 4.])
    """
    return combine("mean_squared_error", _squared("mean_squared_error", y_true, y_pred, sample_weight), multioutput)


def root_mean_squared_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    multioutput: MultiOutput = "uniform_average",
) -> float | Floats:
    """Root of the mean squared error, a typical size of an error in the unit of the target.

    ``sqrt((1/W) sum_i w_i (y_i - p_i)²)``; of several outputs the root is taken first and the mean then.

    >>> root_mean_squared_error([0, 0], [1, 7])
    5.0
    """
    who = "root_mean_squared_error"
    return combine(who, _root_squared(who, y_true, y_pred, sample_weight), multioutput)


def median_absolute_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    multioutput: MultiOutput = "uniform_average",
    sample_weight: ArrayLike | None = None,
) -> float | Floats:
    """Middle one of the sizes of the errors: half of the rows are predicted better than this.

    ``median_i |y_i - p_i|``; with weights, the size at which half of the weight is reached, and the mean of it and the
    next one where exactly half is.

    A few wild errors do not move it, and so it does not tell of them: :func:`max_error` does.

    >>> median_absolute_error([3, 5, 2], [2, 5, 102])
    1.0
    >>> median_absolute_error([3, 5, 2], [2, 5, 102], sample_weight=[1, 3, 1])
    0.0
    """
    data = targets("median_absolute_error", y_true, y_pred, sample_weight)
    error, factor = difference(data.true, data.predicted)
    return combine("median_absolute_error", unscaled(middle(np.abs(error), data.weight), factor), multioutput)


def max_error(y_true: ArrayLike, y_pred: ArrayLike) -> float:
    """The largest error: ``max_i |y_i - p_i|``.

    >>> max_error([3, 5, 2], [2, 5, 4])
    2.0
    """
    data = single("max_error", y_true, y_pred)
    error, factor = difference(data.true, data.predicted)
    return float(unscaled(np.abs(error).max(axis=0), factor)[0])


def mean_absolute_percentage_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    multioutput: MultiOutput = "uniform_average",
) -> float | Floats:
    """Mean size of the errors as a share of the true value (0.1 is ten percent).

    ``(1/W) sum_i w_i |y_i - p_i| / max(|y_i|, eps)``  with eps = 2^-52

    A true value of 0 has no percentage: eps in its place makes the score enormous, which is meant as a sign that the
    measure does not suit the data.

    >>> mean_absolute_percentage_error([100, 200], [110, 180])
    0.1
    """
    who = "mean_absolute_percentage_error"
    data = targets(who, y_true, y_pred, sample_weight)
    size = np.maximum(np.abs(data.true), np.finfo(np.float64).eps)
    with np.errstate(over="ignore"):
        # Half of each value is exact, and the difference of halves cannot overflow.
        share = np.abs(data.true / 2 - data.predicted / 2) / size * 2
    return combine(who, mean(share, data.weight), multioutput)


def mean_squared_log_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    multioutput: MultiOutput = "uniform_average",
) -> float | Floats:
    """Mean squared error of the logarithms: errors count as ratios, so 10 for 5 is as wrong as 1000 for 500, nearly.

    ``(1/W) sum_i w_i (ln(1 + y_i) - ln(1 + p_i))²``, for values above -1.

    >>> from math import e
    >>> mean_squared_log_error([0, e - 1], [e - 1, e - 1])
    0.5
    """
    who = "mean_squared_log_error"
    squared = _squared(who, *_logarithms(who, "Mean", y_true, y_pred), sample_weight)
    return combine(who, squared, multioutput)


def root_mean_squared_log_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    multioutput: MultiOutput = "uniform_average",
) -> float | Floats:
    """Root of the mean squared error of the logarithms.

    ``sqrt((1/W) sum_i w_i (ln(1 + y_i) - ln(1 + p_i))²)``, for values above -1.

    >>> from math import e
    >>> root_mean_squared_log_error([0, 0], [e - 1, e - 1])
    1.0
    """
    who = "root_mean_squared_log_error"
    root = _root_squared(who, *_logarithms(who, "Root Mean", y_true, y_pred), sample_weight)
    return combine(who, root, multioutput)


def mean_pinball_loss(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    alpha: float = 0.5,
    multioutput: MultiOutput = "uniform_average",
) -> float | Floats:
    """Loss of a predicted quantile: too low a prediction costs alpha a unit, too high a one 1 - alpha.

    ``(1/W) sum_i w_i (alpha max(y_i - p_i, 0) + (1 - alpha) max(p_i - y_i, 0))``

    The constant that makes it smallest is the alpha-quantile of y. With alpha = 0.5 it is half the mean absolute error.

    >>> mean_pinball_loss([10, 10], [6, 14], alpha=0.75)
    2.0
    """
    who = "mean_pinball_loss"
    if not is_number(alpha) or not 0 <= alpha <= 1:
        refuse(who, "alpha must be a number from 0 to 1", f"got {short_repr(alpha)}")
    data = targets(who, y_true, y_pred, sample_weight)
    error, factor = difference(data.true, data.predicted)
    loss = alpha * np.maximum(error, 0) + (1 - alpha) * np.maximum(-error, 0)
    return combine(who, unscaled(average(loss, data.weight), factor), multioutput)


def _squared(who: str, y_true: ArrayLike, y_pred: ArrayLike, sample_weight: ArrayLike | None) -> Floats:
    """Mean squared error of each output."""
    data = targets(who, y_true, y_pred, sample_weight)
    error, factor = difference(data.true, data.predicted)
    return unscaled(average(error**2, data.weight), factor, 2)


def _root_squared(who: str, y_true: ArrayLike, y_pred: ArrayLike, sample_weight: ArrayLike | None) -> Floats:
    """Its root, of the scaled mean: the square itself may be out of range."""
    data = targets(who, y_true, y_pred, sample_weight)
    error, factor = difference(data.true, data.predicted)
    return unscaled(np.sqrt(average(error**2, data.weight)), factor)


def _logarithms(who: str, which: str, y_true: ArrayLike, y_pred: ArrayLike) -> tuple[Floats, Floats]:
    data = targets(who, y_true, y_pred)
    for name, values in (("y_true", data.true), ("y_pred", data.predicted)):
        if (values <= -1).any():
            requirement = (
                f"{which} Squared Logarithmic Error cannot be used when targets contain values less than or equal to -1"
            )
            row = int(np.flatnonzero((values <= -1).any(axis=1))[0])
            actual = f"{name} has {values[row].min():g} in row {row}"
            fail(who, requirement, actual, "use the same measure without logarithm")
    return np.log1p(data.true), np.log1p(data.predicted)
