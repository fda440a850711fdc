"""Ridge regression, and classes decided by it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from pellucid.base.declare import param
from pellucid.base.errors import (
    ConvergenceWarning,
    DependentColumnsWarning,
    ParameterError,
    count,
    format_message,
    noun_list,
    short_repr,
    warn,
)
from pellucid.base.randomness import seed_from
from pellucid.base.threads import serial_blas
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, InputSpec, attach_weight, check_finite, infer_schema
from pellucid.estimator.estimator import Estimator
from pellucid.estimator.path import FitPath
from pellucid.estimator.trace import Trace
from pellucid.linear_model import _least_squares as ls
from pellucid.linear_model import _ridge as numerics
from pellucid.linear_model import _ridge_iterative as iterative
from pellucid.linear_model._least_squares import Moments
from pellucid.linear_model._linear import LinearClassifier, LinearRegressor, check_representable
from pellucid.linear_model._ridge_classes import RidgeClasses, planes

__all__ = ["Ridge", "RidgeClassifier", "ridge_regression"]

# Sparse tables with more columns than this are solved by products with X alone.
_MOST_DENSE_COLUMNS = 256
_ITERATIVE = ("sparse_cg", "lsqr", "sag", "saga", "lbfgs")
# Where the solver is ours to choose, an iterative one must come this near.
_AUTO_TOL = 1e-8
_COSTS = {"sum": 0.0, "mean": 0.5, "half_mean": 1.0}


def strengths(alpha: Any) -> str | None:
    """What is wrong with the strengths of several targets."""
    try:
        values = np.asarray(alpha, dtype=np.float64)
    except (TypeError, ValueError):
        return f"alpha must be a number or one number a target; got {short_repr(alpha)}"
    if values.ndim > 1 or values.size == 0 or np.isnan(values).any() or (values < 0).any():
        return f"alpha must be one number of at least 0, or one a target; got {short_repr(alpha)}"
    return None


@dataclass
class Answer:
    """Coefficients (k x p), intercepts (k), and how they were found."""

    coef: Floats
    intercept: Floats
    solver: str
    passes: Array | None = None


class RidgeBase(Estimator):
    """What `Ridge` and `RidgeClassifier` share: the parameters, and everything between a target and coefficients."""

    alpha: float | list | tuple | np.ndarray = param(  # type: ignore[type-arg]
        default=1.0,
        low=0,
        kw_only=False,
        check=strengths,
        doc="Strength of the penalty, or one strength a target; 0 is ordinary least squares.",
    )
    fit_intercept: bool = param(default=True, doc="Is there an intercept? It is never penalized.")
    copy_X: bool = param(default=True, doc="Kept for scikit-learn's sake: X is never changed.")
    max_iter: int | None = param(
        default=None, low=1, doc="Most passes of an iterative solver; None for as many as it should ever need."
    )
    tol: float = param(
        default=1e-4,
        low=0,
        doc="Accuracy of an iterative solver that was asked for; 'auto' goes on to 1e-8 at least.",
    )
    solver: Literal["auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs"] = param(
        default="auto",
        doc="How to solve: 'cholesky' (of X'X + alpha I, or of XX' + alpha I with more columns than rows), 'svd' (of "
        "the centered X), 'sparse_cg' (conjugate gradients) and 'lsqr' (products with X alone), 'sag' and 'saga' "
        "(average gradients, row by row), 'lbfgs' (with positive=True only), or 'auto': the fastest that is accurate.",
    )
    positive: bool = param(default=False, doc="Only coefficients of zero or more (L-BFGS with a bound).")
    random_state: int | np.random.RandomState | None = param(
        default=None, doc="Seed of the rows that 'sag' and 'saga' draw."
    )
    cost: Literal["sum", "mean", "half_mean"] = param(
        default="sum",
        doc="The scale on which alpha counts: 'sum' of squared errors + alpha ||w||², 'mean' of them + alpha/2 ||w||², "
        "or 'half_mean': half the mean + alpha/2 ||w||².",
    )
    n_jobs: int | None = param(
        default=None, doc="Threads: None or -1 for all available cores. Their number changes no bit of the result."
    )

    input_spec = InputSpec(sparse=True, check_finite="kernel")
    iterative = True
    path_parameters = ("alpha",)

    def _targets(self, d: Design) -> Design:
        """The numbers that are fitted, where they are not the target itself."""
        return d

    def _attributes(self, d: Design, coef: Floats, intercept: Floats) -> dict[str, Any]:
        """Fitted attributes in scikit-learn's shapes and in the precision of X."""
        raise TypeError(f"{type(self).__name__} must write _attributes")

    def _fit(self, d: Design, trace: Trace) -> None:
        self._check_solver()
        d = self._targets(d)
        self._keep(d, self._solve(d, self._penalties(d), trace))

    def _keep(self, d: Design, solution: Answer) -> None:
        check_representable(d, solution.coef, solution.intercept)
        self.__dict__.update(self._attributes(d, solution.coef, solution.intercept))
        self.solver_, self.n_iter_ = solution.solver, solution.passes

    def _check_solver(self) -> None:
        who = type(self).__name__
        if self.positive and self.solver not in ("auto", "lbfgs"):
            requirement, actual = (
                "positive=True is solved by 'lbfgs'",
                f"solver={self.solver!r} does not support positive fitting",
            )
            raise ParameterError(
                format_message(who, requirement, actual=actual, hint="leave solver='auto', or set positive=False")
            )
        if self.solver == "lbfgs" and not self.positive:
            requirement = "'lbfgs' solver can be used only when positive=True"
            raise ParameterError(
                format_message(
                    who, requirement, actual="got positive=False", hint="Please use another solver, such as 'auto'"
                )
            )

    def _penalties(self, d: Design) -> Floats:
        """One a target, for the sum of squares with weights in their unit."""
        penalties, k = np.asarray(self.alpha, dtype=np.float64), d.y.shape[1]
        if penalties.ndim == 1 and len(penalties) not in (1, k):
            requirement = "alpha must be one number, or one a target"
            actual = f"Number of targets and number of penalties do not correspond: {k} != {len(penalties)}"
            raise ParameterError(format_message(d.who, requirement, actual=actual))
        weight, unit = d.unit_weight
        total = float(d.n_rows if weight is None else weight.sum())
        with np.errstate(over="ignore"):
            return np.broadcast_to(
                penalties / unit if self.cost == "sum" else penalties * total * _COSTS[self.cost], (k,)
            )

    # ------------------------------------------------------------------------------------------------------- solvers

    def _way(self, d: Design, alphas: Floats) -> str:
        if self.solver != "auto":
            return str(self.solver)
        if self.positive:
            return "lbfgs"
        if d.table.is_sparse and d.n_cols > _MOST_DENSE_COLUMNS:
            return "sparse_cg" if (alphas > 0).all() else "lsqr"
        return "cholesky"

    def _solve(self, d: Design, alphas: Floats, trace: Trace) -> Answer:
        method = self._way(d, alphas)
        if method in _ITERATIVE:
            return self._solve_by_passes(d, alphas, method, trace)
        m = numerics.moments_of(d, self.fit_intercept, self._threads)
        coef, solver = np.zeros((len(alphas), d.n_cols)), method
        some_penalty = alphas > 0
        if some_penalty.any():
            coef, solver = self._solve_directly(d, m, alphas, method)
        if not some_penalty.all():
            plain = self._least_squares(d, m)
            coef[~some_penalty] = plain.coef[~some_penalty]
            solver = "cholesky" if plain.solver == "normal" else plain.solver
        return Answer(coef, self._intercepts(m, coef), solver)

    def _solve_directly(self, d: Design, m: Moments, alphas: Floats, method: str) -> tuple[Floats, str]:
        """Cholesky while it keeps six digits, else the singular values of the table itself."""
        if method == "cholesky":
            solve = numerics.kernel if d.n_rows < d.n_cols else None
            solution = solve(d, m, alphas, self._threads) if solve else numerics.cholesky(m, alphas, self._threads)
            if solution is not None and solution[1] >= ls.NORMAL_RCOND:
                return solution[0], "cholesky"
        alpha_min = float(alphas[alphas > 0].min())
        factors = numerics.spectrum(d, m, alpha_min, self._threads, stable=True)
        return factors.coefficients(alphas[None, :])[0], "svd"

    def _intercepts(self, m: Moments, coef: Floats) -> Floats:
        with np.errstate(over="ignore", invalid="ignore"):
            return m.mean_y - coef @ m.mean_x if self.fit_intercept else np.zeros(coef.shape[:-1])

    def _solve_by_passes(self, d: Design, alphas: Floats, method: str, trace: Trace) -> Answer:
        seed = 0
        if method in ("sag", "saga"):
            self._seed_ = seed = seed_from(self.random_state)  # kept: a working draws the same rows again

        def attributes(coef: Floats, intercept: Floats) -> dict[str, Any]:
            return self._attributes(d, coef, intercept)

        tol = min(self.tol, _AUTO_TOL) if self.solver == "auto" else self.tol
        how = iterative.Passes(
            method, self.fit_intercept, tol, self.max_iter, self.positive, seed, self._threads, trace, attributes
        )
        result = iterative.solve(d, alphas, how)
        if not result.converged:
            requirement = f"tol was not reached in {count(int(result.passes.max()), 'pass')} of solver {method!r}"
            hint = "raise max_iter or tol, scale the columns, or leave solver='auto'"
            warn(format_message(type(self).__name__, requirement, hint=hint), ConvergenceWarning)
        return Answer(result.coef, result.intercept, method, result.passes)

    def _least_squares(self, d: Design, m: Moments) -> ls.Solution:
        """No penalty: as LinearRegression, with its word about dependent columns."""
        if d.n_rows - int(self.fit_intercept) >= d.n_cols and self.solver != "svd":
            solution = ls.normal(m, self._threads)
            if solution is not None and solution.rcond >= ls.NORMAL_RCOND:
                return solution
            solution = ls.qr(d, m, self._threads)
            if solution is not None:
                return solution
        solution = ls.svd(d, m, self._threads)
        if solution.dependent:
            labels = d.column_labels()
            actual = f"{noun_list('column', [repr(labels[j]) for j in solution.dependent])} depend on each other"
            if d.n_cols > d.n_rows - int(self.fit_intercept):
                actual = f"X has {count(d.n_cols, 'column')} and only {count(d.n_rows, 'row')}"
            hint = "of all equally good coefficients the smallest are given; an alpha above 0 makes them unique"
            warn(format_message(type(self).__name__, f"with alpha=0, {actual}", hint=hint), DependentColumnsWarning)
        return solution

    # ------------------------------------------------------------------------------------------------------ many alphas

    def _fit_path(self, name: str, models: list[Any], X: Any, y: Any, **params: Any) -> FitPath:
        """One factorization of the table serves every penalty above zero."""
        apart = [model for model in models if not np.all(np.asarray(model.alpha, dtype=np.float64) > 0)]
        direct = self.solver in ("auto", "cholesky", "svd") and not self.positive
        if not direct or set(params) - {"sample_weight"} or len(models) - len(apart) < 2:
            return FitPath([model.fit(X, y, **params) for model in models])
        d = infer_schema(X, self.input_spec, type(self).__name__)
        if self._way(d, np.ones(1)) in _ITERATIVE:
            return FitPath([model.fit(X, y, **params) for model in models])
        together = [model for model in models if not any(model is excluded for excluded in apart)]
        attach_weight(d, params.get("sample_weight"))
        for model in together:
            model._forget()
            model._attach_target(d, y)
            model._keep_schema(d.schema)
        with serial_blas():
            self._fit_together(together[0]._targets(d), together)
        for model in apart:
            model.fit(X, y, **params)
        return RidgePath(models)

    def _fit_together(self, d: Design, models: list[Any]) -> None:
        m = numerics.moments_of(d, self.fit_intercept, self._threads)
        alphas = np.array([model._penalties(d) for model in models])
        factors = numerics.spectrum(d, m, float(alphas.min()), self._threads, stable=self.solver == "svd")
        coef = factors.coefficients(alphas)
        for model, w in zip(models, coef, strict=True):
            model._keep(d, Answer(w, self._intercepts(m, w), factors.way))


class RidgePath(FitPath):
    """Models of several penalties, asked together: one product answers for all."""

    def answer(self, method: str, X: Any) -> list[Array]:
        first = self.models[0]
        if method not in ("predict", "decision_function") or not hasattr(first, method):
            return super().answer(method, X)
        d = first._validate_predict(X)
        check_finite(d, allow_nan=False)
        coef = np.array([np.atleast_2d(model.coef_) for model in self.models], dtype=np.float64)
        intercept = np.array(
            [np.broadcast_to(model.intercept_, len(coef[0])) for model in self.models], dtype=np.float64
        )
        with serial_blas():
            predicted = numerics.answers(d, coef, intercept, first._threads)
        predicted = predicted.astype(np.result_type(d.dtype, first.coef_), copy=False)
        return [model._said(method, predicted[:, i]) for i, model in enumerate(self.models)]


class Ridge(RidgeBase, LinearRegressor):
    """Least squares held back: large coefficients cost something, so that few rows or alike columns do no harm.

    Minimizes  ``sum_i s_i (y_i - b - x_i . w)² + alpha ||w||²``  over the coefficients ``w`` and the intercept ``b``,
    where ``x_i`` is row i of X, ``y_i`` its target, ``s_i`` its weight (1 unless given) and ``||w||²`` the sum of the
    squared coefficients. The intercept is free.

    The columns are centered and  ``(X'X + alpha I) w = X'y``  is solved; then  ``b = mean(y) - mean(x) . w``. The
    larger alpha, the smaller the coefficients and their variance: 0 is `LinearRegression`, infinity the mean of y.
    ``solver="auto"`` does it by Cholesky in one pass over the rows (of the smaller ``XX' + alpha I`` when there are
    more columns than rows), by singular values when alpha is so small that digits would be lost, and by conjugate
    gradients on large sparse tables, which stay sparse. A search over alpha costs one factorization for all values.
    Every solver gives the same bits on any number of threads.

    Scale the columns first: the penalty counts a coefficient in the units of its column. Prefer `Lasso` when few
    columns matter, and `RidgeCV` to choose alpha.

    Attributes
    ----------
    coef_ : array of p numbers, or k x p for a target of several columns
    intercept_ : number, or k numbers; 0.0 without an intercept
    n_iter_ : passes of an iterative solver, one number a target; None for a direct one
    solver_ : the solver that gave the answer; "eigen", "kernel" or "svd" for models that a search fitted together
    n_features_in_, feature_names_in_ : columns seen in fit

    Notes
    -----
    cost="sum" is scikit-learn's scale and that of the closed form above. Textbooks that write the cost as
    ``MSE + alpha/2 ||w||²`` mean ``cost="mean"``: it is the same model with alpha times n/2. One that divides both
    terms, ``1/(2n) [SSE + lambda ||w||²]``, has ``alpha = lambda``. `ElasticNet` without its l1 part and `SGDRegressor`
    count like ``cost="half_mean"``, so that their alpha is Ridge's divided by n. With weights, n is their sum.

    For alpha=0 and dependent columns the smallest coefficients are given, with a `DependentColumnsWarning`.
    scikit-learn refuses some solvers for a sparse X with an intercept; here each of them takes it.

    References
    ----------
    Hoerl, Kennard: Ridge regression: biased estimation for nonorthogonal problems. Technometrics 12 (1970).
    Golub, Van Loan: Matrix Computations, 4th ed., section 6.1.

    Examples
    --------
    Around their means x is (-1, 0, 1) and y is (-2, 0, 2): w = 4 / (2 + alpha), and the line goes through (2, 4).

    >>> from pellucid.linear_model import Ridge
    >>> model = Ridge(alpha=2).fit([[1], [2], [3]], [2, 4, 6])
    >>> model.coef_.round(10), round(float(model.intercept_), 10)
    (array([1.]), 2.0)
    >>> Ridge(alpha=2, cost="mean").fit([[1], [2], [3]], [2, 4, 6]).coef_.round(10)  # 4 / (2 + 3/2 * 2)
    array([0.8])
    """

    def _attributes(self, d: Design, coef: Floats, intercept: Floats) -> dict[str, Any]:
        typed_coef, typed_intercept = coef.astype(d.dtype), intercept.astype(d.dtype)
        return {
            "coef_": typed_coef[0] if len(typed_coef) == 1 else typed_coef,
            "intercept_": (typed_intercept[0] if d.y_is_vector else typed_intercept) if self.fit_intercept else 0.0,
        }

    def _said(self, method: str, predicted: Array) -> Array:
        return predicted[:, 0] if np.ndim(self.coef_) == 1 else predicted


class RidgeClassifier(RidgeClasses, RidgeBase, LinearClassifier):
    """Classes told apart by least squares: ridge regression on targets of -1 and +1.

    Minimizes  ``sum_i s_i (t_i - b - x_i . w)² + alpha ||w||²``  where ``t_i`` is +1 for rows of the second class and
    -1 for those of the first; with k > 2 classes there are k such targets, +1 for the rows of one class each. A row's
    score is ``b + w . x``: of two classes the second wins above zero, of several the largest score. Several labels a
    row (0 or 1 each, one column a label) are k yes-or-no questions. The work is that of `Ridge`, done once for all
    targets.

    Quick, with one parameter, and often as good as `LogisticRegression`, which is to be preferred where probabilities
    are wanted, or where some rows lie far on their right side: squares count that as an error.

    Attributes
    ----------
    coef_ : 1 x p for two classes, k x p for k classes or labels
    intercept_ : 1 or k numbers; 0.0 without an intercept
    classes_ : the labels, sorted; 0, 1, ... k-1 for several labels a row
    n_iter_, solver_, n_features_in_, feature_names_in_ : as `Ridge`

    Notes
    -----
    ``class_weight="balanced"`` weighs a class by n / (k n_class), with the rows' own weights counted in n and n_class.
    Of two classes scikit-learn's `coef_` is p numbers in its version 1.9; here it is the 1 x p that it documents.

    Examples
    --------
    Targets -1, -1, 1, 1 at x = 0, 1, 2, 3 are around their mean 0; w = sum d t / (sum d² + alpha) = 4 / (5 + 3).

    >>> from pellucid.linear_model import RidgeClassifier
    >>> model = RidgeClassifier(alpha=3).fit([[0], [1], [2], [3]], ["no", "no", "yes", "yes"])
    >>> model.coef_.round(10), model.intercept_.round(10)
    (array([[0.5]]), array([-0.75]))
    >>> model.predict([[1.4], [1.6]]).tolist()
    ['no', 'yes']
    """

    def _attributes(self, d: Design, coef: Floats, intercept: Floats) -> dict[str, Any]:
        return planes(d, coef, intercept, self.fit_intercept)

    def _targets(self, d: Design) -> Design:
        return self._signs(d)


def ridge_regression(
    X: Any,
    y: Any,
    alpha: Any,
    *,
    sample_weight: Any = None,
    solver: str = "auto",
    max_iter: int | None = None,
    tol: float = 1e-4,
    verbose: int = 0,
    positive: bool = False,
    random_state: Any = None,
    return_n_iter: bool = False,
    return_intercept: bool = False,
    check_input: bool = True,
) -> Any:
    """The coefficients of `Ridge` alone.

    Parameters
    ----------
    X, y, sample_weight : as `Ridge.fit` takes them
    alpha, solver, max_iter, tol, positive, random_state : as `Ridge` takes them
    verbose, check_input : kept for scikit-learn's sake
    return_n_iter : answer the passes of an iterative solver too?
    return_intercept : fit an intercept, and answer it too?

    Returns
    -------
    array of p, or k x p, coefficients; with ``return_n_iter`` or ``return_intercept`` a tuple that goes on with these

    Examples
    --------
    >>> ridge_regression([[-1.0], [0.0], [1.0]], [-2.0, 0.0, 2.0], alpha=2.0)
    array([1.])
    """
    settings = {"solver": solver, "max_iter": max_iter, "tol": tol, "positive": positive, "random_state": random_state}
    model = Ridge(alpha, fit_intercept=return_intercept, **settings).fit(X, y, sample_weight)
    more = ([model.n_iter_] if return_n_iter else []) + ([model.intercept_] if return_intercept else [])
    return (model.coef_, *more) if more else model.coef_
