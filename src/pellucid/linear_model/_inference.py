"""Inference for least squares: what the errors say about the coefficients.

With residuals e, r = rank, n rows of non-zero weight and C the inverse of the centered X'WX:

    SSE = sum w e²,   MSE = SSE / (n - r - 1),   s² = MSE
    se(beta_j) = s sqrt(C_jj),   se(b) = s sqrt(1 / sum w + mean' C mean)
    t = estimate / se,   interval = estimate -/+ t_{1 - alpha/2}(n - r - 1) se
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy.special import stdtr, stdtrit

from pellucid import _core
from pellucid.base.errors import DataError, ParameterError, format_message
from pellucid.base.types import Floats
from pellucid.data.design import Design, check_finite
from pellucid.linear_model import _least_squares as ls
from pellucid.linear_model._least_squares import Moments
from pellucid.models.linear import linear_predictor

if TYPE_CHECKING:
    from pellucid.linear_model.linear_regression import LinearRegression


@dataclass(frozen=True)
class RegressionSummary:
    """Regression statistics. For a target of several columns every figure has a leading axis of targets.

    sse, ssr, sst : residual, explained and total sum of squares (around the mean; around zero without an intercept)
    r2, adjusted_r2 : share of the total explained; the same, corrected for the number of columns
    mse_n, mse_df : SSE / n, and SSE / (n - p - 1), the unbiased estimate of the error variance
    names, estimates, standard_errors, t_values, p_values, intervals : one entry a coefficient, the intercept first
    fitted, residuals : one entry a row
    """

    names: list[str]
    estimates: Floats
    standard_errors: Floats
    t_values: Floats
    p_values: Floats
    intervals: Floats
    level: float
    critical: float
    n_rows: int
    df_residual: int
    sse: Any
    ssr: Any
    sst: Any
    r2: Any
    adjusted_r2: Any
    mse_n: Any
    mse_df: Any
    fitted: Floats
    residuals: Floats
    _model: Any
    _center: Floats
    _scale: Floats  # powers of two that bring the columns to unit size
    _inverse: Floats  # C of the scaled columns
    _weight: float  # sum of weights, in the unit of Design.unit_weight
    _error: Floats  # s in that unit
    _own: float  # variance of an observation of weight one, over s²

    def predict(
        self, X: Any, kind: Literal["prediction", "confidence"] = "prediction", level: float | None = None
    ) -> Floats:
        """Estimate, lower and upper bound for new rows (n x 3; k x n x 3 for several targets).

        kind : "confidence" for the mean response at x, "prediction" for one new observation there.

            var(mean response) = s² (1 / sum w + (x - mean)' C (x - mean)),   var(observation) = that + s²
        """
        if kind not in ("prediction", "confidence"):
            raise ParameterError(
                format_message("RegressionSummary", "kind must be 'prediction' or 'confidence'", actual=f"got {kind!r}")
            )
        if level is not None:
            _check_level(level, None, "RegressionSummary")
        d = self._model._validate_predict(X)
        check_finite(d, allow_nan=False)
        estimate = linear_predictor(d.matrix, self._model.coef_, self._model.intercept_, 1).T
        dense = d.numbers.toarray() if d.table.is_sparse else np.asarray(d.numbers, dtype=np.float64)
        apart = (dense - self._center) * self._scale
        # einsum sums in its own order, not in that of BLAS and its threads
        leverage = np.einsum("ij,jk,ik->i", apart, self._inverse, apart)
        leverage += 1 / self._weight if self._model.fit_intercept else 0.0
        # A new observation is taken to have weight one.
        residual_variance = self._own if kind == "prediction" else 0.0
        critical = self.critical if level is None else student_critical(self.df_residual, level)
        reach = critical * np.outer(self._error, np.sqrt(leverage + residual_variance))
        bounds = np.stack([estimate, estimate - reach, estimate + reach], axis=-1)
        return np.asarray(bounds[0] if np.ndim(self.mse_df) == 0 else bounds)

    def __str__(self) -> str:
        if np.ndim(self.sse) == 0:
            return _as_text(self, (), "")
        return "\n\n".join(_as_text(self, (t,), f"target {t}\n") for t in range(len(self.sse)))


def _as_text(s: RegressionSummary, at: tuple[int, ...], title: str) -> str:
    def pick(values: Any) -> Any:
        return np.asarray(values)[at]

    percent = f"{100 * s.level:g} %"
    width = max(12, *(len(name) for name in s.names))
    head = f"{'':{width}}  {'estimate':>12}  {'std. error':>12}  {'t':>9}  {'p':>9}  {percent + ' interval':>27}"
    lines = [head, "-" * len(head)]
    columns = zip(
        s.names,
        pick(s.estimates),
        pick(s.standard_errors),
        pick(s.t_values),
        pick(s.p_values),
        pick(s.intervals),
        strict=True,
    )
    for name, estimate, error, t, p, (low, high) in columns:
        p_text = f"{p:9.3g}" if p >= 1e-4 else f"{'< 0.0001':>9}"
        lines.append(
            f"{name:{width}}  {estimate:12.6g}  {error:12.6g}  {t:9.3f}  {p_text}  {f'[{low:.6g}, {high:.6g}]':>27}"
        )
    lines += [
        "",
        f"rows {s.n_rows:,}   degrees of freedom {s.df_residual:,}   critical t {s.critical:.4g}",
        f"SST {pick(s.sst):.6g} = SSR {pick(s.ssr):.6g} + SSE {pick(s.sse):.6g}",
        f"R² {pick(s.r2):.6g}   adjusted R² {pick(s.adjusted_r2):.6g}",
        f"MSE {pick(s.mse_n):.6g} (divisor n)   {pick(s.mse_df):.6g} (divisor n - p - 1)",
    ]
    return title + "\n".join(lines)


def student_critical(df: int, level: float) -> float:
    """Two-sided critical value t_{1 - alpha/2}(df) of Student's distribution."""
    return float(stdtrit(df, 0.5 + level / 2))


def _check_level(level: Any, critical: Any, who: str) -> None:
    if not isinstance(level, (int, float)) or not 0 < level < 1:
        raise ParameterError(
            format_message(who, "level must be between 0 and 1", actual=f"got {level!r}", hint="0.95 for 95 %")
        )
    if critical is not None and not (isinstance(critical, (int, float)) and 0 < critical < np.inf):
        raise ParameterError(format_message(who, "critical must be a positive number", actual=f"got {critical!r}"))


def summarize(model: LinearRegression, d: Design, level: float, critical: float | None) -> RegressionSummary:
    """All figures from the model and the rows it was fitted on."""
    who = type(model).__name__
    if model.positive:
        raise ParameterError(
            format_message(
                who, "summary needs positive=False", actual="bounded coefficients have no such standard errors"
            )
        )
    _check_level(level, critical, who)
    weight, _ = d.unit_weight
    weight = np.ones(d.n_rows) if weight is None else weight
    n = int(np.count_nonzero(weight))
    df = n - model.rank_ - int(model.fit_intercept)
    if df < 1:
        raise DataError(
            format_message(
                who,
                "summary needs more rows than coefficients",
                actual=f"{n} rows of non-zero weight, {model.rank_ + int(model.fit_intercept)} coefficients",
            )
        )
    m = ls.moments(d, model.fit_intercept, model._threads)
    fitted = linear_predictor(d.matrix, model.coef_, model.intercept_, model._threads)
    residuals = d.y - fitted
    _check_same_rows(model, d, m, weight, residuals)
    unit = _units(d.y)
    sums = tuple(weight @ (deviations / unit) ** 2 for deviations in (residuals, fitted - m.mean_y, d.y - m.mean_y))
    inverse = _inverse(model, d, m)
    return _assemble(model, d, m, n, df, sums, unit, (fitted, residuals), inverse, level, critical)


def _units(y: Floats) -> Floats:
    """A power of two near the size of each target: squares in this unit neither overflow nor vanish."""
    largest = np.abs(y).max(axis=0)
    return np.where(largest > 0, np.ldexp(1.0, np.frexp(largest)[1] - 1), 1.0)


def _assemble(
    model: LinearRegression,
    d: Design,
    m: Moments,
    n: int,
    df: int,
    sums: tuple[Floats, ...],
    unit: Floats,
    rows: tuple[Floats, Floats],
    inverse: Floats,
    level: float,
    critical: float | None,
) -> RegressionSummary:
    sse, ssr, sst = sums
    mse = sse / df
    r2 = np.where(sst > 0, 1 - sse / np.where(sst > 0, sst, 1), np.where(sse == 0, 1.0, 0.0))
    estimates = np.atleast_2d(np.asarray(model.coef_, dtype=np.float64))
    variances, names, scale = np.diag(inverse), d.column_labels(), m.scale_x
    if model.fit_intercept:
        intercepts = np.asarray(model.intercept_, dtype=np.float64).reshape(-1, 1)
        estimates = np.hstack([np.broadcast_to(intercepts, (len(estimates), 1)), estimates])
        center = m.mean_x * m.scale_x
        variances = np.concatenate([[1 / m.weight + center @ np.nan_to_num(inverse) @ center], variances])
        scale = np.concatenate([[1.0], scale])
        names = ["(intercept)", *names]
    errors = np.sqrt(np.outer(mse, variances)) * scale * unit[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        t = estimates / errors
    used = student_critical(df, level) if critical is None else float(critical)
    intervals = np.stack([estimates - used * errors, estimates + used * errors], axis=-1)

    def shape(values: Floats) -> Any:
        return values[0] if d.y_is_vector else values

    def squared(values: Floats) -> Any:
        with np.errstate(over="ignore", under="ignore"):
            return shape(values * unit * unit * d.unit_weight[1])

    return RegressionSummary(
        names=names,
        estimates=shape(estimates),
        standard_errors=shape(errors),
        t_values=shape(t),
        p_values=shape(2 * stdtr(df, -np.abs(t))),
        intervals=shape(intervals),
        level=level,
        critical=used,
        n_rows=n,
        df_residual=df,
        sse=squared(sse),
        ssr=squared(ssr),
        sst=squared(sst),
        r2=shape(r2),
        adjusted_r2=shape(1 - (1 - r2) * (n - int(model.fit_intercept)) / df),
        mse_n=squared(sse / n),
        mse_df=squared(mse),
        fitted=rows[0][:, 0] if d.y_is_vector else rows[0],
        residuals=rows[1][:, 0] if d.y_is_vector else rows[1],
        _model=model,
        _center=m.mean_x,
        _scale=m.scale_x,
        _inverse=np.nan_to_num(inverse),
        _weight=m.weight,
        _error=np.sqrt(mse) * unit,
        _own=d.unit_weight[1],
    )


def _check_same_rows(model: LinearRegression, d: Design, m: Moments, weight: Floats, residuals: Floats) -> None:
    """At the least-squares answer residuals are orthogonal to every column: on other rows they are not."""
    unit = _units(d.y)
    residuals = weight[:, None] * (residuals / unit)
    columns = [_core.multiply_transposed(d.matrix, np.ascontiguousarray(r), model._threads) for r in residuals.T]
    products = np.stack(columns, axis=1) - np.outer(m.mean_x, residuals.sum(axis=0))
    products *= m.scale_x[:, None]
    sizes = np.outer(np.sqrt(np.diag(m.Sxx)), np.sqrt(weight @ ((d.y - m.mean_y) / unit) ** 2))
    share = np.divide(np.abs(products), sizes, out=np.zeros_like(products), where=sizes > 0)
    allowed = max(1e-6, 1e3 * float(np.finfo(d.dtype).eps), 10 * model.tol if model.solver_ == "lsqr" else 0.0)
    if share.max(initial=0.0) > allowed:
        raise DataError(
            format_message(
                type(model).__name__,
                "summary needs the rows that fit saw",
                actual="the residuals on these rows are not orthogonal to the columns",
                hint="pass the X, y and sample_weight of fit; for new rows use summary(...).predict",
            )
        )


def _inverse(model: LinearRegression, d: Design, m: Moments) -> Floats:
    """C = (X'WX)⁻¹ of the centered and scaled columns; NaN in rows and columns that the data do not determine."""
    p, use = d.n_cols, m.varying.copy()
    labels = d.column_labels()
    use &= np.array([label not in model.dependent_columns_ for label in labels])
    full = np.full((p, p), np.nan)
    if not use.any():
        return full
    if model.dependent_columns_:
        # The determined columns, with what the dependent ones explain taken off: the pseudoinverse of the whole.
        _, _, singular, rows = _core.jacobi(m.Sxx, 0, 1)
        nonzero = singular > 1e-10 * singular.max()
        vectors = rows[nonzero] / singular[nonzero, None]
        scaled = (vectors.T / singular[nonzero]) @ vectors
        full[np.ix_(use, use)] = scaled[np.ix_(use, use)]
        return full
    status, rcond, inverse = _core.cholesky_solve(m.Sxx[np.ix_(use, use)], np.eye(int(use.sum())), 1)
    if status != 0 or rcond < ls.NORMAL_RCOND:
        R, z = ls.triangle(d, m, model._threads)
        R, _ = ls._only(R, z, use)
        _, rows = _core.solve_triangle(R, np.eye(int(use.sum())))
        inverse = rows.T @ rows
    full[np.ix_(use, use)] = inverse
    return full
