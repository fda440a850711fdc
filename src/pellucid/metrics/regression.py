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

from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import UndefinedMetricWarning

from pellucid.base.errors import ParameterError, count, sentence, short, warn
from pellucid.base.types import Floats
from pellucid.metrics._numbers import (
    LOSS_WORDS,
    SCORE_WORDS,
    MultiOutput,
    MultiOutputScore,
    Scaled,
    average,
    combine,
    combine_shares,
    deviations,
    difference,
    fail,
    mean,
    middle,
    single,
    targets,
    unscaled,
    whole,
)

__all__ = [
    "RegressionReport",
    "SumsOfSquares",
    "adjusted_r2_score",
    "d2_absolute_error_score",
    "explained_variance_score",
    "max_error",
    "mean_absolute_error",
    "mean_absolute_percentage_error",
    "mean_error",
    "mean_pinball_loss",
    "mean_squared_error",
    "mean_squared_log_error",
    "median_absolute_error",
    "r2_score",
    "regression_report",
    "root_mean_squared_error",
    "root_mean_squared_log_error",
    "sums_of_squares",
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
    given = targets("mean_error", y_true, y_pred, sample_weight)
    error, factor = difference(given.true, given.predicted)
    return combine("mean_error", unscaled(average(error, given.weight), factor), multioutput)


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
    given = targets("mean_absolute_error", y_true, y_pred, sample_weight)
    error, factor = difference(given.true, given.predicted)
    return combine("mean_absolute_error", unscaled(average(np.abs(error), given.weight), factor), multioutput)


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
    given = targets("median_absolute_error", y_true, y_pred, sample_weight)
    error, factor = difference(given.true, given.predicted)
    return combine("median_absolute_error", unscaled(middle(np.abs(error), given.weight), factor), multioutput)


def max_error(y_true: ArrayLike, y_pred: ArrayLike) -> float:
    """The largest error: ``max_i |y_i - p_i|``.

    >>> max_error([3, 5, 2], [2, 5, 4])
    2.0
    """
    given = single("max_error", y_true, y_pred)
    error, factor = difference(given.true, given.predicted)
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
    given = targets(who, y_true, y_pred, sample_weight)
    size = np.maximum(np.abs(given.true), np.finfo(np.float64).eps)
    with np.errstate(over="ignore"):
        # Half of each value is exact, and the difference of halves cannot overflow.
        share = np.abs(given.true / 2 - given.predicted / 2) / size * 2
    return combine(who, mean(share, given.weight), multioutput)


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
    if isinstance(alpha, bool) or not isinstance(alpha, int | float | np.number) or not 0 <= alpha <= 1:
        raise ParameterError(sentence(who, "alpha must be a number from 0 to 1", f"got {short(alpha)}"))
    given = targets(who, y_true, y_pred, sample_weight)
    error, factor = difference(given.true, given.predicted)
    loss = alpha * np.maximum(error, 0) + (1 - alpha) * np.maximum(-error, 0)
    return combine(who, unscaled(average(loss, given.weight), factor), multioutput)


def explained_variance_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    multioutput: MultiOutputScore = "uniform_average",
    force_finite: bool = True,
) -> float | Floats:
    """Share of the target's variance that the errors do not have; 1 is best.

    ``1 - Var(y - p) / Var(y)``

    It is :func:`r2_score` with the mean error forgiven: predictions that are all too high by the same amount score 1.
    The target's variance is 0 where all its values are equal; then perfect predictions score 1 and others 0, or,
    without `force_finite`, nan and -inf.

    >>> explained_variance_score([1, 2, 3], [11, 12, 13])
    1.0
    >>> explained_variance_score([1, 2, 3], [2, 2, 2])
    0.0
    """
    who = "explained_variance_score"
    given = targets(who, y_true, y_pred, sample_weight)
    error, error_factor = difference(given.true, given.predicted)
    apart = deviations(error, given.weight)
    left = Scaled(average(apart.scaled**2, given.weight), apart.factor * error_factor)
    spread = _variance(given.true, given.weight)
    return combine_shares(who, left, spread, 2, multioutput, SCORE_WORDS, force_finite)


def r2_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    multioutput: MultiOutputScore = "uniform_average",
    force_finite: bool = True,
) -> float | Floats:
    """Coefficient of determination: the share of the target's spread that the predictions account for.

    ``R² = 1 - sum_i w_i (y_i - p_i)² / sum_i w_i (y_i - m)²``  with the mean ``m = (1/W) sum_i w_i y_i``

    1 is perfect, 0 is as good as predicting the mean of y everywhere, and below 0 is worse than that. For a least
    squares line with an intercept, on its own training rows, it is also SSR / SST (:func:`sums_of_squares`); elsewhere
    it is not. The spread is 0 where all true values are equal; then perfect predictions score 1 and others 0, or,
    without `force_finite`, nan and -inf. One row has no spread at all: nan, with a warning.

    >>> r2_score([1, 2, 3, 4], [1, 2, 3, 5])
    0.8
    >>> r2_score([1, 2, 3], [2, 2, 2]), r2_score([1, 2, 3], [3, 2, 1])
    (0.0, -3.0)
    """
    who = "r2_score"
    given = targets(who, y_true, y_pred, sample_weight)
    if given.n_rows < 2:
        return _one_row(who, "R^2")
    error, factor = difference(given.true, given.predicted)
    left = Scaled(average(error**2, given.weight), factor)
    return combine_shares(who, left, _variance(given.true, given.weight), 2, multioutput, SCORE_WORDS, force_finite)


def adjusted_r2_score(y_true: ArrayLike, y_pred: ArrayLike, n_columns: int) -> float:
    """R² with a charge for every column the model used, so that a useless column lowers it.

    ``1 - (1 - R²) (n - 1) / (n - p - 1)``  for n rows and p = `n_columns` columns (the intercept not counted)

    R² on the training rows can only grow when a column is added; this one can fall. It is meant for training rows: on
    rows held back plain :func:`r2_score` is fair.

    >>> round(adjusted_r2_score([1, 2, 3, 4], [1, 2, 3, 5], n_columns=1), 12)
    0.7
    """
    who = "adjusted_r2_score"
    p = whole(who, n_columns, "n_columns", 0)
    given = single(who, y_true, y_pred)
    if given.n_rows < p + 2:
        found = f"got {count(given.n_rows, 'row')} with n_columns={p}"
        fail(who, "the number of rows must be at least n_columns + 2", found, "give more rows or use fewer columns")
    r2 = r2_score(given.true, given.predicted)
    return float(1 - (1 - r2) * (given.n_rows - 1) / (given.n_rows - p - 1))


def d2_absolute_error_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    multioutput: MultiOutput = "uniform_average",
) -> float | Floats:
    """Share of the absolute error that the predictions save against the median; 1 is best.

    ``D² = 1 - sum_i w_i |y_i - p_i| / sum_i w_i |y_i - med|``  with the (weighted) median med of y

    What R² is to squared errors this is to absolute ones: 0 is as good as predicting the median of y everywhere.

    >>> d2_absolute_error_score([1, 2, 3, 6], [1, 2, 3, 3])
    0.5
    """
    who = "d2_absolute_error_score"
    given = targets(who, y_true, y_pred, sample_weight)
    if given.n_rows < 2:
        return _one_row(who, "D^2")
    error, factor = difference(given.true, given.predicted)
    left = Scaled(average(np.abs(error), given.weight), factor)
    apart, factor = difference(given.true, middle(given.true, given.weight))
    spread = Scaled(average(np.abs(apart), given.weight), factor)
    return combine_shares(who, left, spread, 1, multioutput, LOSS_WORDS)


@dataclass(frozen=True)
class SumsOfSquares:
    """Three sums of squares with the mean m of y: sse of the errors, ssr of the predictions, sst of the target.

    ``SSE = sum_i (y_i - p_i)²``, ``SSR = sum_i (p_i - m)²``, ``SST = sum_i (y_i - m)²``
    """

    sse: float
    ssr: float
    sst: float
    adds_up: bool
    """Whether SST = SSR + SSE, within a billionth."""


def sums_of_squares(y_true: ArrayLike, y_pred: ArrayLike) -> SumsOfSquares:
    """How the spread of the target splits into what the predictions explain and what is left.

    ``SSE = sum_i (y_i - p_i)²``, ``SSR = sum_i (p_i - m)²``, ``SST = sum_i (y_i - m)²``  with the mean m of y

    ``SST = SSR + SSE`` holds for a least squares line with an intercept on the rows it was fitted to, because its
    errors are at right angles to its predictions. For other models or other rows it does not, and then SSR / SST is not
    R².

    >>> sums_of_squares([1, 2, 3], [1.0, 2.0, 3.0])
    SumsOfSquares(sse=0.0, ssr=2.0, sst=2.0, adds_up=True)
    >>> sums_of_squares([1, 2, 3], [2, 2, 5])
    SumsOfSquares(sse=5.0, ssr=9.0, sst=2.0, adds_up=False)
    """
    given = single("sums_of_squares", y_true, y_pred)
    true, predicted = given.true, given.predicted
    centre = np.clip(mean(true), true.min(axis=0), true.max(axis=0))
    parts = [difference(true, predicted), difference(predicted, centre), difference(true, centre)]
    shared = min(part.factor[0] for part in parts)
    sums = [float((part.scaled**2).sum() * (shared / part.factor[0]) ** 2) for part in parts]
    adds_up = abs(sums[2] - sums[1] - sums[0]) <= 1e-9 * max(sums)
    sse, ssr, sst = (float(unscaled((part.scaled**2).sum(axis=0), part.factor, 2)[0]) for part in parts)
    return SumsOfSquares(sse, ssr, sst, adds_up)


@dataclass(frozen=True)
class RegressionReport:
    """The figures of one column of predictions; printed, they read as a small table."""

    n_rows: int
    mean_error: float
    mean_absolute_error: float
    median_absolute_error: float
    max_error: float
    mean_squared_error: float
    root_mean_squared_error: float
    r2: float

    def __str__(self) -> str:
        lines = [
            ("rows", f"{self.n_rows:,}"),
            ("mean error", f"{self.mean_error:.6g}"),
            ("mean absolute error", f"{self.mean_absolute_error:.6g}"),
            ("median absolute error", f"{self.median_absolute_error:.6g}"),
            ("largest error", f"{self.max_error:.6g}"),
            ("mean squared error", f"{self.mean_squared_error:.6g}"),
            ("root mean squared error", f"{self.root_mean_squared_error:.6g}"),
            ("R²", f"{self.r2:.6g}"),
        ]
        wide = max(len(value) for _, value in lines)
        return "\n".join(f"{name:<23}  {value:>{wide}}" for name, value in lines)


def regression_report(y_true: ArrayLike, y_pred: ArrayLike) -> RegressionReport:
    """The usual figures of one column of predictions at once.

    R² is nan, with a warning, where there is one row only.

    >>> print(regression_report([1, 2, 3, 4], [1, 2, 3, 5]))
    rows                         4
    mean error               -0.25
    mean absolute error       0.25
    median absolute error        0
    largest error                1
    mean squared error        0.25
    root mean squared error    0.5
    R²                         0.8
    """
    given = single("regression_report", y_true, y_pred)
    pair = given.true, given.predicted
    return RegressionReport(
        n_rows=given.n_rows,
        mean_error=float(mean_error(*pair)),
        mean_absolute_error=float(mean_absolute_error(*pair)),
        median_absolute_error=float(median_absolute_error(*pair)),
        max_error=max_error(*pair),
        mean_squared_error=float(mean_squared_error(*pair)),
        root_mean_squared_error=float(root_mean_squared_error(*pair)),
        r2=float(r2_score(*pair)),
    )


def _squared(who: str, y_true: ArrayLike, y_pred: ArrayLike, sample_weight: ArrayLike | None) -> Floats:
    """Mean squared error of each output."""
    given = targets(who, y_true, y_pred, sample_weight)
    error, factor = difference(given.true, given.predicted)
    return unscaled(average(error**2, given.weight), factor, 2)


def _root_squared(who: str, y_true: ArrayLike, y_pred: ArrayLike, sample_weight: ArrayLike | None) -> Floats:
    """Its root, of the scaled mean: the square itself may be out of range."""
    given = targets(who, y_true, y_pred, sample_weight)
    error, factor = difference(given.true, given.predicted)
    return unscaled(np.sqrt(average(error**2, given.weight)), factor)


def _logarithms(who: str, which: str, y_true: ArrayLike, y_pred: ArrayLike) -> tuple[Floats, Floats]:
    given = targets(who, y_true, y_pred)
    for name, values in (("y_true", given.true), ("y_pred", given.predicted)):
        if (values <= -1).any():
            must = (
                f"{which} Squared Logarithmic Error cannot be used when targets contain values less than or equal to -1"
            )
            row = int(np.flatnonzero((values <= -1).any(axis=1))[0])
            found = f"{name} has {values[row].min():g} in row {row}"
            fail(who, must, found, "use the same measure without logarithm")
    return np.log1p(given.true), np.log1p(given.predicted)


def _variance(values: Floats, weight: Floats | None) -> Scaled:
    apart, factor = deviations(values, weight)
    return Scaled(average(apart**2, weight), factor)


def _one_row(who: str, what: str) -> float:
    must = f"{what} score is not well-defined with less than two samples"
    warn(sentence(who, must, "got 1 row and answers nan"), UndefinedMetricWarning)
    return nan
