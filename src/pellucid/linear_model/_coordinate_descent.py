"""What the lasso, the elastic net, their paths and their cross-validated forms share: one kernel, one scale of cost.

The kernel minimizes  1/(2S) sum_i s_i (y_i - b - x_i . w)² + l1 |w|_1 + l2/2 |w|²  with S = sum_i s_i. The cost
"half_squared" is that one, with l1 = alpha l1_ratio and l2 = alpha (1 - l1_ratio); "squared" has 1/S in front of the
sum and is twice the kernel's with half of each penalty.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.errors import (
    ConvergenceWarning,
    DataError,
    PellucidWarning,
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
from pellucid.estimator.path import FitPath
from pellucid.estimator.trace import Trace
from pellucid.linear_model._linear import LinearRegressor, check_representable
from pellucid.models.linear import linear_predictor

Cost = Literal["half_squared", "squared"]
# In the order of the kernel's own enumeration.
STOPS = ("converged", "count", "callback", "overflow")
# Stands for an infinite penalty: a share of it is still a number.
_MOST_ALPHA = 1e300


@dataclass(frozen=True)
class SolverChoice:
    """How the kernel is to go about it."""

    cost: Cost = "half_squared"
    fit_intercept: bool = True
    positive: bool = False
    tol: float = 1e-4
    max_iter: int = 1000
    selection: Literal["cyclic", "random"] = "cyclic"
    accelerate: bool = True
    seed: int = 0
    threads: int = 1

    @property
    def factor(self) -> float:
        """The cost in units of the kernel's."""
        return 2.0 if self.cost == "squared" else 1.0

    def settings(self) -> _core.CoordinateSettings:
        s = _core.CoordinateSettings()
        s.intercept, s.positive, s.plain = self.fit_intercept, self.positive, not self.accelerate
        s.random, s.seed = self.selection == "random", self.seed
        s.tol, s.most_passes, s.threads = self.tol, self.max_iter, self.threads
        return s


@dataclass(frozen=True)
class Answer:
    """What the kernel found: k targets x a penalties, coefficients k x a x p; gaps in units of the cost."""

    stops: Array
    passes: Array
    gaps: Floats
    coefs: Floats
    intercepts: Floats
    allowed: Floats  # the gap at which each target's descent may end
    tables: Any = None

    def warn(self, who: str, solver: SolverChoice, alphas: Sequence[float]) -> None:
        """Says for which penalties the passes ran out."""
        late = np.argwhere(self.stops == STOPS.index("count"))
        if not len(late):
            return
        with np.errstate(over="ignore"):
            worst = max(late, key=lambda at: self.gaps[tuple(at)] / max(self.allowed[at[0]], 1e-300))
        dual_gap, allowed = self.gaps[tuple(worst)], self.allowed[worst[0]]
        which = f" for alpha={alphas[worst[1]]:g}" if len(alphas) > 1 else ""
        more = f" (and {count(len(late) - 1, 'other fit')})" if len(late) > 1 else ""
        requirement = f"the duality gap must fall to {allowed:.3g}, which is tol times the mean square of the target"
        actual = f"it is {dual_gap:.3g} after {count(solver.max_iter, 'pass')}{which}{more}"
        hint = "raise max_iter or tol, scale the columns, or take a larger alpha"
        warn(format_message(who, requirement, actual=actual, hint=hint), ConvergenceWarning)


def solve(
    d: Design,
    alphas: Sequence[float] | Floats,
    l1_ratios: float | Sequence[float] | Floats,
    solver: SolverChoice,
    start: Floats | None = None,
    weight: Floats | None = None,
    trace: Trace | None = None,
    attributes: Callable[[Floats], dict[str, Any]] = lambda parameters: {},
) -> Answer:
    """One penalty after the other, each from where the one before ended; weights of the design unless given."""
    alphas = np.minimum(np.asarray(alphas, dtype=np.float64), _MOST_ALPHA)
    mix = np.broadcast_to(np.asarray(l1_ratios, dtype=np.float64), alphas.shape)
    l1, l2 = alphas * mix / solver.factor, alphas * (1 - mix) / solver.factor
    weight = d.unit_weight[0] if weight is None else weight
    begin = np.zeros((d.y.shape[1], d.n_cols)) if start is None else start
    trace = trace or Trace()
    with serial_blas():
        stops, passes, _, dual_gaps, coefs, intercepts, tables = _core.coordinate_descent(
            d.matrix,
            d.y,
            weight,
            np.ascontiguousarray(l1),
            np.ascontiguousarray(l2),
            np.ascontiguousarray(begin, dtype=np.float64),
            solver.settings(),
            trace.record,
            trace.listener(attributes),
        )
        trace.take(tables)
        if (stops == STOPS.index("overflow")).any():
            raise _overflow(d)
        allowed = solver.tol * _null_squares(d, weight, solver.fit_intercept) * solver.factor
    return Answer(stops, passes, dual_gaps * solver.factor, coefs, intercepts, allowed, tables)


def _null_squares(d: Design, weight: Floats | None, center: bool) -> Floats:
    """The mean square of each target around its mean."""
    mean = np.average(d.y, axis=0, weights=weight) if center else 0.0
    return np.asarray(np.average((d.y - mean) ** 2, axis=0, weights=weight))


def _overflow(d: Design) -> DataError:
    """The sentence about NaN or infinity in the data, or about squares that leave the range of numbers."""
    check_finite(d, allow_nan=False)
    requirement = "squares of X and y must stay within the range of numbers"
    sizes = abs(d.numbers).max(axis=0)
    sizes = np.asarray(sizes.toarray() if scipy.sparse.issparse(sizes) else sizes, dtype=np.float64).ravel()
    labels = [repr(d.column_labels()[j]) for j in np.flatnonzero(sizes > 1e145)]
    actual = f"{noun_list('column', labels)} of X is too large" if labels else "y is too large for these columns"
    return DataError(
        format_message(
            d.who, requirement, actual=actual.replace(" is ", " are ") if len(labels) > 1 else actual, hint="scale them"
        )
    )


def largest_alpha(d: Design, l1_ratio: float, solver: SolverChoice) -> float:
    """The smallest alpha at which every coefficient is zero: the steepest slope at zero over l1_ratio."""
    unit_weight = d.unit_weight[0]
    weight = np.ones(d.n_rows) if unit_weight is None else unit_weight
    share = weight / weight.sum()
    y = d.y - (share @ d.y if solver.fit_intercept else 0.0)
    gradients = np.empty((d.n_cols, d.y.shape[1]))
    with serial_blas():
        if solver.fit_intercept:  # a column's mean counts where rounding leaves the target's sum a little off zero
            mean = _core.multiply_transposed(d.matrix, share, solver.threads)
        for k in range(d.y.shape[1]):
            u = np.ascontiguousarray(share * y[:, k])
            gradients[:, k] = _core.multiply_transposed(d.matrix, u, solver.threads)
            if solver.fit_intercept:
                gradients[:, k] -= mean * u.sum()
    steepest = (gradients if solver.positive else np.abs(gradients)).max(initial=0.0)
    return float(max(steepest, 0.0) * solver.factor / l1_ratio)


def alpha_grid(d: Design, l1_ratio: float, eps: float, n: int, solver: SolverChoice) -> Floats:
    """n alphas in even steps of their logarithm, from the largest of any effect down to eps times it."""
    if l1_ratio == 0:
        requirement, actual = (
            "alphas must be given for l1_ratio=0",
            "no alpha makes every coefficient zero without an l1 part",
        )
        raise DataError(format_message(d.who, requirement, actual=actual, hint="alphas=[...], or l1_ratio above 0"))
    top = largest_alpha(d, l1_ratio, solver)
    smallest = float(np.finfo(np.float64).resolution)
    if not np.isfinite(top):
        raise _overflow(d)
    if top <= smallest:
        return np.full(n, smallest)
    return np.asarray(np.geomspace(top, top * eps, num=n))


def check_precompute(value: Any) -> str | None:
    """What scikit-learn takes there; nothing is done with it."""
    table = isinstance(value, np.ndarray | list) and np.ndim(value) == 2
    if table or isinstance(value, bool | np.bool_) or (isinstance(value, str) and value == "auto"):
        return None
    return f"precompute must be True, False, 'auto' or a table of products; got {short_repr(value)}"


class CoordinateRegressor(LinearRegressor):
    """The lasso and the elastic net but for the mix of their penalties."""

    alpha: float = param(
        default=1.0, low=0, kw_only=False, doc="Strength of the penalty; 0 is ordinary least squares, and says so."
    )
    fit_intercept: bool = param(default=True, doc="Is there an intercept? It is never penalized.")
    precompute: Any = param(
        default=False,
        check=check_precompute,
        doc="Kept for scikit-learn's sake: products of columns are worked out where, and as far as, they pay.",
    )
    max_iter: int = param(default=1000, low=1, doc="Most passes over the columns that are looked at.")
    copy_X: bool = param(default=True, doc="Kept for scikit-learn's sake: X is never changed.")
    tol: float = param(
        default=1e-4,
        low=0,
        doc="Stop when the duality gap is at most this share of the mean square of the (centered) target.",
    )
    warm_start: bool = param(default=False, doc="Begin from the coefficients of the last fit, where they fit?")
    positive: bool = param(default=False, doc="Only coefficients of zero or more.")
    random_state: int | np.random.RandomState | None = param(default=None, doc="Seed of selection='random'.")
    selection: Literal["cyclic", "random"] = param(
        default="cyclic", doc="Columns of a pass: in their order, or drawn one by one."
    )
    cost: Cost = param(
        default="half_squared",
        doc="What stands before the penalty: 'half_squared' is half the mean squared error, as scikit-learn has it; "
        "'squared' the mean squared error, whose alpha counts half as much.",
    )
    accelerate: bool = param(
        default=True,
        doc="Working sets, extrapolation and exact last steps? False for plain passes over all columns, as a textbook "
        "has them.",
    )
    n_jobs: int | None = param(
        default=None, doc="Threads: None or -1 for all available cores. Their number changes no bit of the result."
    )

    input_spec = InputSpec(sparse=True)
    iterative = True
    path_parameters = ("alpha",)

    @property
    def _l1_ratio(self) -> float:
        return 1.0

    def _way(self) -> SolverChoice:
        if self.selection == "random":
            self._seed_ = seed_from(self.random_state)  # kept: a working runs the same order again
        return SolverChoice(
            self.cost,
            bool(self.fit_intercept),
            bool(self.positive),
            float(self.tol),
            int(self.max_iter),
            self.selection,
            bool(self.accelerate),
            getattr(self, "_seed_", 0),
            self._threads,
        )

    def _fit_table(self, X: Any, y: Any, sample_weight: Any, record: bool) -> Trace:
        self._start = getattr(self, "coef_", None) if self.warm_start else None
        try:
            return super()._fit_table(X, y, sample_weight, record)
        finally:
            del self._start

    def _fit(self, d: Design, trace: Trace) -> None:
        self._say_least_squares(self.alpha)
        solver = self._way()
        start = None if self._start is None else np.atleast_2d(self._start)
        if start is not None and start.shape != (d.y.shape[1], d.n_cols):
            start = None

        def attributes(parameters: Floats) -> dict[str, Any]:
            dtype = d.dtype
            return {"coef_": parameters[:-1].astype(dtype), "intercept_": float(parameters[-1])}

        solution = solve(d, [self.alpha], self._l1_ratio, solver, start, trace=trace, attributes=attributes)
        self._keep(d, solution, 0)
        solution.warn(d.who, solver, [self.alpha])

    def _say_least_squares(self, alpha: float) -> None:
        if alpha == 0:
            requirement = "alpha is 0, which is least squares without a penalty"
            warn(
                format_message(type(self).__name__, requirement, hint="LinearRegression solves it directly"),
                PellucidWarning,
            )

    def _keep(self, d: Design, solution: Answer, index: int) -> None:
        check_representable(d, solution.coefs[:, index], solution.intercepts[:, index])
        coef, intercept = solution.coefs[:, index].astype(d.dtype), solution.intercepts[:, index].astype(d.dtype)
        passes, dual_gaps = solution.passes[:, index].tolist(), solution.gaps[:, index]
        if d.y.shape[1] == 1:  # a target of one column is answered by a line, as in scikit-learn
            place_of_y = float(intercept[0]) if d.y_is_vector else intercept
            self._set_coef(coef[0], place_of_y if self.fit_intercept else 0.0)
            self.n_iter_: Any = passes[0]
            self.dual_gap_: Any = float(dual_gaps[0])
        else:
            several = len(coef) > 1  # a target of one column has its coefficients in one row, as in scikit-learn
            self._set_coef(coef if several else coef[0], intercept if self.fit_intercept else 0.0)
            self.n_iter_, self.dual_gap_ = (passes, dual_gaps) if several else (passes[0], float(dual_gaps[0]))

    def _fit_path(self, name: str, models: list[Any], X: Any, y: Any, **params: Any) -> FitPath:
        """One penalty after the other from the largest, each from where the one before ended."""
        d = infer_schema(X, self.input_spec, type(self).__name__)
        self._attach_target(d, y)
        attach_weight(d, params.get("sample_weight"))
        order = sorted(range(len(models)), key=lambda i: -models[i].alpha)
        alphas, solver = [models[i].alpha for i in order], self._way()
        self._say_least_squares(alphas[-1])
        solution = solve(d, alphas, self._l1_ratio, solver)
        for position, i in enumerate(order):
            models[i]._keep_schema(d.schema)
            models[i]._keep(d, solution, position)
        solution.warn(d.who, solver, alphas)
        return PenaltyPath(models)

    @staticmethod
    def path(X: Any, y: Any, **params: Any) -> tuple[Any, ...]:
        """The coefficients along a row of penalties: `enet_path`, which takes the same."""
        from pellucid.linear_model.paths import enet_path

        return enet_path(X, y, **params)

    @property
    def sparse_coef_(self) -> Any:
        """The coefficients as a sparse matrix, one row a target."""
        return scipy.sparse.csr_matrix(self.coef_)


class PenaltyPath(FitPath):
    """Linear models of one table, whose predictions are one product with all their coefficients."""

    def answer(self, method: str, X: Any) -> list[Array]:
        first = self.models[0]
        if method != "predict" or np.ndim(first.coef_) != 1:
            return super().answer(method, X)
        d = first._validate_predict(X)
        check_finite(d, allow_nan=False)
        coefs = np.stack([model.coef_ for model in self.models])
        intercepts = np.array([model.intercept_ for model in self.models], dtype=np.float64)
        predicted = linear_predictor(d.matrix, coefs, intercepts, first._threads)
        return list(np.ascontiguousarray(predicted.T.astype(np.result_type(d.dtype, coefs), copy=False)))
