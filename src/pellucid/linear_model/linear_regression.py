"""Ordinary least squares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import _num_samples

from pellucid.base.declare import param
from pellucid.base.errors import (
    ConvergenceWarning,
    DataError,
    DependentColumnsWarning,
    ParameterError,
    count,
    format_message,
    join_some,
    noun_list,
    warn,
)
from pellucid.base.threads import serial_blas
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, InputSpec, attach_weight, check_finite, infer_schema
from pellucid.estimator.path import FitPath, LeadingPath, first_columns
from pellucid.estimator.trace import Trace
from pellucid.linear_model import _iterative as iterative
from pellucid.linear_model import _least_squares as ls
from pellucid.linear_model._inference import RegressionSummary, summarize
from pellucid.linear_model._least_squares import Moments, Solution
from pellucid.linear_model._linear import LinearRegressor

__all__ = ["LinearRegression", "RegressionSummary"]

# Sparse tables with more columns than this are solved by products with X alone.
_MOST_DENSE_COLUMNS = 256
# Up to this many columns the cross products are kept, to answer `singular_` when asked.
_MOST_KEPT_COLUMNS = 1000


class LinearRegression(LinearRegressor):
    """A straight line, plane or hyperplane through the data, as near to all rows as possible.

    Minimizes  ``sum_i w_i (y_i - b - x_i . beta)²``  over the coefficients ``beta`` and the intercept ``b``, where
    ``x_i`` is row i of X, ``y_i`` its target and ``w_i`` its weight (1 unless given).

    With one column the answer is  ``beta = Sxy / Sxx``,  ``b = mean(y) - beta mean(x)``  with
    ``Sxy = sum (x - mean(x))(y - mean(y))``. With several it solves the normal equation  ``X'X beta = X'y``  of the
    centered columns. ``solver="auto"`` does that by Cholesky while the columns are well apart, goes over to Householder
    QR when they are nearly dependent, and to the pseudoinverse (SVD) when they are dependent; it says so with a
    `DependentColumnsWarning` and in ``solver_``. Every solver gives the same bits on any number of threads.

    Prefer Ridge or Lasso when there are many or dependent columns, and a tree when the relation bends.

    `summary` gives what scikit-learn's class does not: standard errors, t and p values, confidence and prediction
    intervals.

    Attributes
    ----------
    coef_ : array of p numbers, or k x p for a target of k columns
    intercept_ : number, or k numbers
    rank_ : number of independent columns found (after centering)
    singular_ : singular values of the centered X, largest first
    solver_ : the solver that gave the answer
    dependent_columns_ : names of the columns whose coefficients are not determined by the data
    n_iter_ : passes of an iterative solver (positive=True, or solver "lsqr")
    n_features_in_, feature_names_in_ : columns seen in fit

    Notes
    -----
    For dependent columns the coefficients of smallest norm are given, as scipy.linalg.lstsq (and so scikit-learn)
    does. Constant columns get coefficient 0. Singular values count as zero below eps * max(n, p) times the largest;
    where a column's mean is large against its spread the bound is raised accordingly, since the data themselves are
    rounded. Sparse tables of more than 256 columns are solved by LSQR, whose accuracy is set by ``tol``.

    References
    ----------
    Golub, Van Loan: Matrix Computations, 4th ed., chapter 5.
    Lawson, Hanson: Solving Least Squares Problems, chapter 23.

    Examples
    --------
    >>> from pellucid.linear_model import LinearRegression
    >>> model = LinearRegression().fit([[1], [2], [4], [3], [5]], [1, 3, 3, 2, 5])
    >>> model.coef_.round(10), round(float(model.intercept_), 10)
    (array([0.8]), 0.4)
    >>> model.predict([[6]]).round(10)
    array([5.2])
    """

    fit_intercept: bool = param(default=True, doc="Is there an intercept? Without it the line goes through the origin.")
    copy_X: bool = param(default=True, doc="Kept for scikit-learn's sake: X is never changed.")
    tol: float = param(default=1e-6, low=0, doc="Accuracy of the iterative solver for large sparse tables.")
    n_jobs: int | None = param(
        default=None, doc="Threads: None or -1 for all available cores. Their number changes no bit of the result."
    )
    positive: bool = param(default=False, doc="Only coefficients of zero or more (Lawson-Hanson).")
    solver: Literal["auto", "simple", "normal", "qr", "svd", "correlation", "lsqr"] = param(
        default="auto",
        doc="How to solve: 'simple' (Sxy/Sxx) and 'correlation' (r sd_y/sd_x) for one column, 'normal' (X'X beta = X'y "
        "by Cholesky), 'qr' (Householder), 'svd' (pseudoinverse), 'lsqr' (iterative, for large sparse tables), or "
        "'auto': the fastest that is accurate on these columns.",
    )

    input_spec = InputSpec(sparse=True, check_finite="kernel")
    iterative = True

    def _fit(self, d: Design, trace: Trace) -> None:
        self._check_solver(d)

        def attributes(coef: Floats, mean_x: Floats, mean_y: Floats) -> dict[str, Any]:
            return self._attributes(d, coef, mean_x, mean_y)

        if self._wants_lsqr(d):
            solution, mean_x, mean_y = iterative.lsqr(d, self.fit_intercept, self.tol, self._threads, trace, attributes)
        else:
            m = self._leading_moments(d) or self._own_moments(d)
            mean_x, mean_y = m.mean_x, m.mean_y
            self._warn_rounding(d, m)
            solution = iterative.positive(d, m, trace, attributes) if self.positive else self._solve(d, m)
            self._keep_singular(d, m, solution)
        if not solution.converged:
            self._warn_not_converged(solution.passes)
        self._keep(d, solution, mean_x, mean_y)

    def _own_moments(self, d: Design) -> Moments:
        wide = d.n_rows < d.n_cols and not self.positive
        return (ls.wide_moments if wide else ls.moments)(d, self.fit_intercept, self._threads)

    def fit_prefixes(self, widths: Sequence[int], X: Any, y: Any, sample_weight: Any = None) -> FitPath:
        """Fits to the first columns of X, for several numbers of columns, in one pass over the rows.

        The cross products (and the triangle of QR) of the first columns are the leading block of those of all. So a
        search over the degree of a polynomial, or the number of components, costs little more than its largest fit.

        Returns
        -------
        FitPath : ``path[i]`` is fitted to the first ``widths[i]`` columns, and ``answer`` takes a table with all
        """
        models = [clone(self) for _ in widths]
        tables = [first_columns(X, width) for width in widths]
        shared = [width for width in widths if width <= _num_samples(X)]
        full: ls.Whole | None = None
        if shared and not self.positive and self.solver != "lsqr":
            d = infer_schema(first_columns(X, max(shared)), self.input_spec, type(self).__name__)
            if not self._wants_lsqr(d):
                self._attach_target(d, y)
                attach_weight(d, sample_weight)
                full = ls.Whole(d, ls.moments(d, self.fit_intercept, self._threads))
        for model, table, width in zip(models, tables, widths, strict=True):
            model._whole = full if width in shared else None
            try:
                model.fit(table, y, sample_weight)
            finally:
                del model._whole
        return LeadingPath(models, widths)

    def _leading_moments(self, d: Design) -> Moments | None:
        full: ls.Whole | None = getattr(self, "_whole", None)
        return None if full is None else full.m.leading(d.n_cols, full)

    def _check_solver(self, d: Design) -> None:
        who = type(self).__name__
        if self.solver in ("simple", "correlation") and d.n_cols != 1:
            raise ParameterError(
                format_message(
                    who,
                    f"solver={self.solver!r} takes one column",
                    actual=f"X has {d.n_cols} ({join_some(map(repr, d.column_labels()))})",
                    hint="solver='auto' takes any number",
                )
            )
        if self.solver == "correlation" and not self.fit_intercept:
            raise ParameterError(
                format_message(
                    who,
                    "solver='correlation' needs fit_intercept=True",
                    actual="correlation and standard deviations are taken around the means",
                    hint="solver='simple' gives the line through the origin",
                )
            )
        if self.positive and self.solver not in ("auto", "normal"):
            raise ParameterError(
                format_message(
                    who,
                    "positive=True has its own solver",
                    actual=f"got solver={self.solver!r}",
                    hint="leave solver='auto'",
                )
            )

    # ------------------------------------------------------------------------------------------------------- solvers

    def _solve(self, d: Design, m: Moments) -> Solution:
        if self.solver == "simple":
            return ls.simple(m)
        if self.solver == "correlation":
            return ls.correlation(m)
        if self.solver in ("normal", "qr") and d.n_rows < d.n_cols:
            return self._demand(None, d, m)
        if self.solver == "normal":
            return self._demand(ls.normal(m, self._threads), d, m)
        if self.solver == "qr":
            return self._demand(ls.qr(d, m, self._threads), d, m)
        if self.solver == "svd":
            return ls.svd(d, m, self._threads)
        return self._solve_auto(d, m)

    def _solve_auto(self, d: Design, m: Moments) -> Solution:
        """The fastest method that is accurate on these columns; says so when they are dependent or nearly so."""
        if d.n_rows - int(self.fit_intercept) >= d.n_cols:
            solution = ls.normal(m, self._threads)
            if solution is not None and solution.rcond >= ls.NORMAL_RCOND:
                return solution
            solution = ls.qr(d, m, self._threads)
            if solution is not None:
                self._warn_nearly_dependent(solution)
                return solution
        solution = ls.svd(d, m, self._threads)
        if solution.dependent:
            self._warn_dependent(d, solution)
        return solution

    def _demand(self, solution: Solution | None, d: Design, m: Moments) -> Solution:
        """An explicitly chosen direct solver must have independent columns."""
        if solution is not None and m.varying.all():
            if solution.solver == "normal" and solution.rcond < ls.NORMAL_RCOND:
                self._warn_nearly_dependent(solution)
            return solution
        labels = d.column_labels()
        constant = [repr(labels[j]) for j in np.flatnonzero(~m.varying)]
        actual = "X'X is singular"
        if constant:
            actual = f"{noun_list('column', constant)} {'is' if len(constant) == 1 else 'are'} constant"
        elif d.n_cols > d.n_rows - int(self.fit_intercept):
            actual = f"X has {count(d.n_cols, 'column')} and only {count(d.n_rows, 'row')}"
        raise DataError(
            format_message(
                type(self).__name__,
                f"solver={self.solver!r} needs independent columns",
                actual=actual,
                hint="solver='svd' gives the smallest of all solutions; solver='auto' chooses for you",
            )
        )

    def _wants_lsqr(self, d: Design) -> bool:
        wide = d.table.is_sparse and d.n_cols > _MOST_DENSE_COLUMNS
        return self.solver == "lsqr" or (self.solver == "auto" and wide and not self.positive)

    # --------------------------------------------------------------------------------------------------------- results

    def _attributes(self, d: Design, coef: Floats, mean_x: Floats, mean_y: Floats) -> dict[str, Any]:
        """`coef_` and `intercept_` in scikit-learn's shapes and in the precision of X."""
        with np.errstate(over="ignore", invalid="ignore"):
            intercept = mean_y - coef @ mean_x if self.fit_intercept else np.zeros(len(coef))
            typed_coef = coef.astype(d.dtype)
        if not (np.isfinite(typed_coef).all() and np.isfinite(intercept).all()):
            raise DataError(
                format_message(
                    type(self).__name__,
                    f"coefficients must fit into {d.dtype}",
                    actual="they are too large for columns this small and a target this large",
                    hint="rescale X or y",
                )
            )
        if d.y_is_vector:
            return {"coef_": typed_coef[0], "intercept_": d.dtype.type(intercept[0]) if self.fit_intercept else 0.0}
        return {"coef_": typed_coef, "intercept_": intercept.astype(d.dtype) if self.fit_intercept else 0.0}

    def _keep(self, d: Design, solution: Solution, mean_x: Floats, mean_y: Floats) -> None:
        attributes = self._attributes(d, solution.coef, mean_x, mean_y)
        self._set_coef(attributes["coef_"], attributes["intercept_"])
        self.rank_ = solution.rank
        self.solver_ = solution.solver
        labels = d.column_labels()
        self.dependent_columns_ = [labels[j] for j in solution.dependent]
        if solution.passes:
            self.n_iter_ = solution.passes

    def _keep_singular(self, d: Design, m: Moments, solution: Solution) -> None:
        self._singular_: Array | None = None if solution.singular is None else solution.singular.astype(d.dtype)
        keep = solution.singular is None and d.n_cols <= _MOST_KEPT_COLUMNS
        self._moments_ = (replace(m, whole=None), d.unit_weight[1]) if keep else None

    @property
    def singular_(self) -> Array:
        """Singular values of the centered X, found when first asked for."""
        cached: Array | None = getattr(self, "_singular_", None)
        if cached is not None:
            return cached
        stored: tuple[Moments, float] | None = getattr(self, "_moments_", None)
        if stored is None:
            requirement = f"singular_ is kept for up to {_MOST_KEPT_COLUMNS:,} columns, and not by solver='lsqr'"
            raise AttributeError(
                format_message("LinearRegression", requirement, hint="fit with solver='svd' to have it")
            )
        m, weight_unit = stored
        self._singular_ = m.singular_values(self._threads, weight_unit).astype(self.coef_.dtype)
        return self._singular_

    def summary(
        self, X: Any, y: Any, sample_weight: Any = None, *, level: float = 0.95, critical: float | None = None
    ) -> RegressionSummary:
        """Inference for the coefficients: standard errors, t and p values, intervals, sums of squares.

        Parameters
        ----------
        X, y, sample_weight : the table, target and weights that `fit` saw
        level : confidence level of the intervals
        critical : use this instead of Student's quantile, for instance a value read off a table such as 2.57

        Returns
        -------
        RegressionSummary
        """
        with serial_blas():
            return summarize(self, self._design_with_target(X, y, sample_weight), level, critical)

    def show_summary(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        level: float = 0.95,
        critical: float | None = None,
        target: int = 0,
    ) -> Any:
        """How the figures of `summary` come about, step by step; takes what `summary` takes.

        Returns
        -------
        pellucid.working.Working
        """
        return self._show("summary", X, y, sample_weight, target=target, level=level, critical=critical)

    def _design_with_target(self, X: Any, y: Any, sample_weight: Any) -> Design:
        d = self._validate_predict(X)
        check_finite(d, allow_nan=False)
        self._attach_target(d, y)
        attach_weight(d, sample_weight)
        return d

    # -------------------------------------------------------------------------------------------------------- warnings

    def _warn_nearly_dependent(self, solution: Solution) -> None:
        condition = 1 / np.sqrt(max(solution.rcond, 1e-300))
        how = "solved by Householder QR" if solution.solver == "qr" else "the normal equation loses digits here"
        warn(
            format_message(
                "LinearRegression", f"columns are nearly dependent (condition number about {condition:.0e}); {how}"
            ),
            DependentColumnsWarning,
        )

    def _warn_dependent(self, d: Design, solution: Solution) -> None:
        if d.n_cols > d.n_rows - int(self.fit_intercept):
            besides = " besides the intercept" if self.fit_intercept else ""
            requirement = f"X has {count(d.n_cols, 'column')}{besides} and only {count(d.n_rows, 'row')}"
        else:
            names = d.column_labels()
            labels = [repr(names[j]) for j in solution.dependent]
            requirement = f"columns {join_some(labels)} depend on each other (rank {solution.rank} of {d.n_cols})"
        warn(
            format_message(
                "LinearRegression", requirement, actual="of all equally good coefficients the smallest are given"
            ),
            DependentColumnsWarning,
        )

    def _warn_rounding(self, d: Design, m: Moments) -> None:
        names = d.column_labels() if m.rounding.any() else []
        labels = [repr(names[j]) for j in np.flatnonzero(m.rounding)]
        if not labels:
            return
        requirement = (
            f"{noun_list('column', labels)} {'varies' if len(labels) == 1 else 'vary'} in the last digits only"
        )
        actual = "rounding cannot be told from values, so it is taken as constant"
        hint = "subtract a number near the mean before storing"
        warn(format_message("LinearRegression", requirement, actual=actual, hint=hint), DependentColumnsWarning)

    def _warn_not_converged(self, passes: int) -> None:
        warn(
            format_message(
                "LinearRegression",
                f"tol was not reached in {count(passes, 'pass', 'passes')}",
                hint="raise tol, or scale the columns",
            ),
            ConvergenceWarning,
        )
