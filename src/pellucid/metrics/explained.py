"""How much of the spread of a target the predictions of a regression account for, and all figures of it at once.

Letters, `multioutput` and exceptions are those of ``regression``.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import UndefinedMetricWarning

from pellucid.base.errors import count, format_message, warn
from pellucid.base.types import Floats
from pellucid.metrics._numbers import (
    LOSS_WORDS,
    SCORE_WORDS,
    MultiOutput,
    MultiOutputScore,
    Scaled,
    average,
    combine_shares,
    deviations,
    difference,
    mean,
    middle,
    single,
    targets,
    unscaled,
)
from pellucid.metrics._read import fail, whole
from pellucid.metrics.regression import (
    max_error,
    mean_absolute_error,
    mean_error,
    mean_squared_error,
    median_absolute_error,
    root_mean_squared_error,
)

__all__ = [
    "RegressionReport",
    "SumsOfSquares",
    "adjusted_r2_score",
    "d2_absolute_error_score",
    "explained_variance_score",
    "r2_score",
    "regression_report",
    "sums_of_squares",
]


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
    data = targets(who, y_true, y_pred, sample_weight)
    error, error_factor = difference(data.true, data.predicted)
    apart = deviations(error, data.weight)
    residual = Scaled(average(apart.scaled**2, data.weight), apart.factor * error_factor)
    spread = _variance(data.true, data.weight)
    return combine_shares(who, residual, spread, 2, multioutput, SCORE_WORDS, force_finite)


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
    data = targets(who, y_true, y_pred, sample_weight)
    if data.n_rows < 2:
        return _one_row(who, "R^2")
    error, factor = difference(data.true, data.predicted)
    residual = Scaled(average(error**2, data.weight), factor)
    return combine_shares(who, residual, _variance(data.true, data.weight), 2, multioutput, SCORE_WORDS, force_finite)


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
    data = single(who, y_true, y_pred)
    if data.n_rows < p + 2:
        actual = f"got {count(data.n_rows, 'row')} with n_columns={p}"
        fail(who, "the number of rows must be at least n_columns + 2", actual, "give more rows or use fewer columns")
    r2 = r2_score(data.true, data.predicted)
    return float(1 - (1 - r2) * (data.n_rows - 1) / (data.n_rows - p - 1))


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
    data = targets(who, y_true, y_pred, sample_weight)
    if data.n_rows < 2:
        return _one_row(who, "D^2")
    error, factor = difference(data.true, data.predicted)
    residual = Scaled(average(np.abs(error), data.weight), factor)
    apart, factor = difference(data.true, middle(data.true, data.weight))
    spread = Scaled(average(np.abs(apart), data.weight), factor)
    return combine_shares(who, residual, spread, 1, multioutput, LOSS_WORDS)


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
    data = single("sums_of_squares", y_true, y_pred)
    true, predicted = data.true, data.predicted
    center = np.clip(mean(true), true.min(axis=0), true.max(axis=0))
    components = [difference(true, predicted), difference(predicted, center), difference(true, center)]
    shared = min(component.factor[0] for component in components)
    sums = [float((component.scaled**2).sum() * (shared / component.factor[0]) ** 2) for component in components]
    adds_up = abs(sums[2] - sums[1] - sums[0]) <= 1e-9 * max(sums)
    sse, ssr, sst = (
        float(unscaled((component.scaled**2).sum(axis=0), component.factor, 2)[0]) for component in components
    )
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
    data = single("regression_report", y_true, y_pred)
    pair = data.true, data.predicted
    return RegressionReport(
        n_rows=data.n_rows,
        mean_error=float(mean_error(*pair)),
        mean_absolute_error=float(mean_absolute_error(*pair)),
        median_absolute_error=float(median_absolute_error(*pair)),
        max_error=max_error(*pair),
        mean_squared_error=float(mean_squared_error(*pair)),
        root_mean_squared_error=float(root_mean_squared_error(*pair)),
        r2=float(r2_score(*pair)),
    )


def _variance(values: Floats, weight: Floats | None) -> Scaled:
    apart, factor = deviations(values, weight)
    return Scaled(average(apart**2, weight), factor)


def _one_row(who: str, what: str) -> float:
    requirement = f"{what} score is not well-defined with less than two samples"
    warn(format_message(who, requirement, actual="got 1 row and answers nan"), UndefinedMetricWarning)
    return nan
