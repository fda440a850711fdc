"""The logistic and the softmax problem, from a user's settings to a kernel's answer.

Every solver minimizes, over the coefficients w (one row for two classes, one a class for several) and intercepts b,

    C sum_i s_i l(y_i, b + w . x_i) + (1 - r)/2 ||w||² + r ||w||_1

with weights s_i and r the l1_ratio. Divided by C S, S = sum s_i, it is the kernels' own scale: l2 = (1 - r) / (C S) and
l1 = r / (C S).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from pellucid import _core
from pellucid.base.errors import DataError, ParameterError, count, format_message, join_some
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design
from pellucid.estimator.trace import Trace

Scheme = Literal["binary", "multinomial", "ovr"]
STOPS = ("converged", "count", "told", "overflow", "separated")
# A penalty beyond this leaves nothing of any coefficient, and lbfgs cannot tell it from rounding.
_MOST_PENALTY = 1e20
# Up to this many columns Newton's steps, which solve with a p x p matrix, need the least time.
MOST_NEWTON_COLUMNS = 400

# Which kernels a solver's name stands for; the penalties and schemes that it takes.
SMOOTH = ("lbfgs", "newton-cg", "newton-cholesky", "sag")
BY_COLUMN = ("liblinear", "coordinate-descent")


class Penalty(NamedTuple):
    """What is added to C times the loss: its strength 1/C, and the share of it that is l1."""

    strength: float
    ratio: float

    @property
    def kind(self) -> str:
        if self.strength == 0:
            return "no penalty"
        return {0.0: "an l2 penalty", 1.0: "an l1 penalty"}.get(self.ratio, "an elastic-net penalty")


def read_penalty(who: str, penalty: Any, C: float, l1_ratio: float | None) -> Penalty:
    """The penalty of scikit-learn's new words (C, l1_ratio) and of its old one (penalty)."""
    if penalty is None or np.isinf(C):
        return Penalty(0.0, 0.0)
    if penalty == "elasticnet" and l1_ratio is None:
        requirement = "penalty='elasticnet' needs l1_ratio, the share of l1"
        raise ParameterError(format_message(who, requirement, actual="got None", hint="l1_ratio=0.5 for equal parts"))
    ratios: dict[str, float] = {"l1": 1.0, "l2": 0.0}
    with np.errstate(over="ignore"):
        return Penalty(float(1 / np.float64(C)), ratios.get(penalty, float(l1_ratio or 0.0)))


class SolverChoice(NamedTuple):
    """How a problem is solved: the scheme, and the kernel with its options."""

    scheme: Scheme
    kernel: str


def select_solver(who: str, solver: str, multi_class: str, penalty: Penalty, d: Design, classes: int) -> SolverChoice:
    """The scheme and the kernel, after the pairs that do not fit have been refused."""
    _check_pair(who, solver, penalty)
    scheme: Scheme = "binary" if classes == 2 else "ovr" if multi_class == "ovr" else "multinomial"
    if scheme == "multinomial" and solver in BY_COLUMN:
        if multi_class == "multinomial":
            requirement = f"solver={solver!r} does not solve the softmax problem"
            hint = "solvers that do: 'lbfgs', 'saga', 'auto'; or multi_class='ovr'"
            raise ParameterError(format_message(who, requirement, actual="got multi_class='multinomial'", hint=hint))
        scheme = "ovr"
    if solver in BY_COLUMN:
        return SolverChoice(scheme, solver)
    if solver in ("sag", "saga"):
        return SolverChoice(scheme, solver)
    if solver == "auto" and penalty.ratio > 0:
        return SolverChoice(scheme, "saga" if scheme == "multinomial" else "coordinate-descent")
    small = d.n_cols <= MOST_NEWTON_COLUMNS
    newton = solver == "newton-cholesky" or (solver in ("auto", "newton-cg") and small)
    return SolverChoice(scheme, "newton" if newton and scheme != "multinomial" else "lbfgs")


def _check_pair(who: str, solver: str, penalty: Penalty) -> None:
    if penalty.ratio > 0 and solver in SMOOTH:
        requirement = f"solver={solver!r} needs a smooth cost: an l2 penalty or none"
        hint = "solvers that fit: 'auto', 'coordinate-descent', 'saga'" + (
            ", 'liblinear'" if penalty.ratio == 1 else ""
        )
        raise ParameterError(
            format_message(who, requirement, actual=f"got {penalty.kind} (l1_ratio={penalty.ratio:g})", hint=hint)
        )
    if solver == "liblinear" and (0 < penalty.ratio < 1 or penalty.strength == 0):
        requirement = "solver='liblinear' takes an l1 or an l2 penalty"
        fit = "'auto', 'coordinate-descent', 'saga'" + ("" if penalty.ratio else ", 'lbfgs', 'newton-cholesky'")
        raise ParameterError(
            format_message(who, requirement, actual=f"got {penalty.kind}", hint=f"solvers that fit: {fit}")
        )


# --------------------------------------------------------------------------------------------------------- weights


def row_weights(d: Design, codes: Array, classes: Array, class_weight: Any) -> tuple[Floats | None, float]:
    """Weights of the rows, class weights among them, in a unit; and their sum as it was given."""
    weight, unit = d.unit_weight
    if class_weight is not None:
        base_weight = np.ones(d.n_rows) if weight is None else weight
        factors = _class_factors(d.who, codes, classes, class_weight, base_weight)
        weight = base_weight * factors[codes]
        if not weight.any():
            requirement = "class_weight must leave a class that counts"
            raise DataError(
                format_message(d.who, requirement, actual=f"every class present weighs nothing: {class_weight!r}")
            )
        largest = float(np.ldexp(1.0, int(np.frexp(weight.max())[1]) - 1))
        weight, unit = weight / largest, unit * largest
    _check_classes(d.who, codes, classes, weight)
    return weight, (float(d.n_rows) if weight is None else float(weight.sum())) * unit


def _class_factors(who: str, codes: Array, classes: Array, class_weight: Any, weight: Floats) -> Floats:
    if isinstance(class_weight, str):  # "balanced": n / (k n_class)
        sizes = np.bincount(codes, weights=weight, minlength=len(classes))
        return np.asarray(np.divide(sizes.sum(), len(classes) * sizes, out=np.ones(len(classes)), where=sizes > 0))
    factors = np.ones(len(classes))
    labels = classes.tolist()
    unknown = [label for label in class_weight if label not in labels]
    absent = [label for label in labels if label not in class_weight]
    if unknown and absent:
        requirement = "class_weight must have the labels of y as keys"
        actual = (
            f"{join_some(map(repr, unknown))} {'is' if len(unknown) == 1 else 'are'} not among "
            f"{join_some(map(repr, labels))}"
        )
        raise ParameterError(format_message(who, requirement, actual=actual))
    for k, label in enumerate(labels):
        value = class_weight.get(label, 1.0)
        if not isinstance(value, (int, float, np.number)) or not 0 <= value < np.inf:
            requirement = "class_weight must hold finite numbers of zero or more"
            raise ParameterError(format_message(who, requirement, actual=f"got {value!r} for class {label!r}"))
        factors[k] = float(value)
    return factors


def _check_classes(who: str, codes: Array, classes: Array, weight: Floats | None) -> None:
    """In scikit-learn's words, which its checks look for."""
    counted = codes if weight is None else codes[weight > 0]
    present = np.unique(counted)
    if len(present) > 1:
        return
    label = classes.tolist()[present[0]]
    requirement = "This solver needs samples of at least 2 classes in the data, but the data contains only one class"
    without = "" if len(classes) == 1 else " of weight above zero"
    raise DataError(
        format_message(who, requirement, actual=f"all rows{without} are of class {label!r}", hint="look at y")
    )


# ---------------------------------------------------------------------------------------------------------- solving


@dataclass(frozen=True)
class Problem:
    """A table with its classes and weights, and how it is to be solved."""

    d: Design
    codes: Array
    n_classes: int
    weight: Floats | None
    total: float  # sum of the weights
    way: SolverChoice
    fit_intercept: bool
    intercept_scaling: float
    tol: float
    max_iter: int
    seed: int
    threads: int

    @property
    def outputs(self) -> int:
        return 1 if self.n_classes == 2 else self.n_classes

    def zeros(self) -> tuple[Floats, Floats]:
        """Where a solver starts that is told nothing else."""
        return np.zeros((self.outputs, self.d.n_cols)), np.zeros(self.outputs)

    def rows(self, row_indices: Array) -> Problem:
        """The same problem with some of its rows."""
        numbers = self.d.numbers[row_indices]
        if self.d.table.is_sparse:
            X = _core.csr(numbers.data, numbers.indices, numbers.indptr, self.d.n_cols)
        else:
            X = _core.dense(numbers)
        d = replace(self.d, n_rows=len(row_indices), X=X, numbers=numbers, weight=None)
        weight = None if self.weight is None else np.ascontiguousarray(self.weight[row_indices])
        share = (
            len(row_indices) / self.d.n_rows if weight is None or self.weight is None else _share(weight, self.weight)
        )
        return replace(self, d=d, codes=self.codes[row_indices], weight=weight, total=self.total * share)


def _share(subset_weight: Floats, all_weight: Floats) -> float:
    return float(subset_weight.sum() / all_weight.sum())


@dataclass
class Solution:
    """Planes of the classes and how they were found."""

    coef: Floats
    intercept: Floats
    passes: list[int]
    stops: list[str]
    objective: float = 0.0


# Turns coefficients (k x p) and intercepts (k) into fitted attributes.
Attributes = Callable[[Floats, Floats], dict[str, Any]]


def solve(
    problem: Problem, penalty: Penalty, start: tuple[Floats, Floats], trace: Trace, attributes: Attributes
) -> Solution:
    """The minimum, by the problem's way; one-versus-rest solves one problem a class."""
    if problem.way.scheme != "ovr":
        return _solve_one(problem, problem.codes, penalty, start, trace, attributes, None)
    coef, intercept = (initial.copy() for initial in start)
    solution = Solution(coef, intercept, [], [])
    for k in range(problem.n_classes):

        def with_others(w: Floats, b: Floats, k: int = k) -> dict[str, Any]:
            coef[k], intercept[k] = w[0], b[0]
            return attributes(coef, intercept)

        initial = (np.ascontiguousarray(start[0][k : k + 1]), np.ascontiguousarray(start[1][k : k + 1]))
        class_solution = _solve_one(problem, problem.codes == k, penalty, initial, trace, with_others, k)
        coef[k], intercept[k] = class_solution.coef[0], class_solution.intercept[0]
        solution.passes += class_solution.passes
        solution.stops += class_solution.stops
        solution.objective += class_solution.objective
    return solution


def _solve_one(
    problem: Problem,
    codes: Array,
    penalty: Penalty,
    start: tuple[Floats, Floats],
    trace: Trace,
    attributes: Attributes,
    target: int | None,
) -> Solution:
    d, (coef, intercept), kernel = problem.d, start, problem.way.kernel
    k, p = coef.shape

    def current(flat: Floats) -> dict[str, Any]:
        return attributes(flat[: k * p].reshape(k, p), flat[k * p :])

    y = np.ascontiguousarray(codes, dtype=np.float64)
    loss = "softmax" if problem.way.scheme == "multinomial" else "logistic"
    settings = settings_of(problem, penalty)
    arguments = (d.matrix, y, problem.weight, np.ascontiguousarray(coef), np.ascontiguousarray(intercept), settings)
    record, listener = trace.record, trace.listener(current)
    if kernel == "newton":
        output = _core.newton(*arguments, record=record, listener=listener)
    elif kernel == "lbfgs":
        output = _core.lbfgs(*arguments, loss, False, record=record, listener=listener)
    elif kernel in BY_COLUMN:
        output = _core.coordinate_logistic(*arguments, record=record, listener=listener)
    else:
        output = _core.saga(*arguments, loss, kernel == "sag", record=record, listener=listener)
    stop, passes, objective, _, w, b, tables = output
    trace.take(tables, target)
    if STOPS[stop] == "overflow" or not (np.isfinite(w).all() and np.isfinite(b).all()):
        _refuse_overflow(d, passes)
    if loss == "softmax" and problem.fit_intercept:
        b = b - b.mean()  # a number added to all of them changes no probability
    return Solution(np.ascontiguousarray(w), np.ascontiguousarray(b), [int(passes)], [STOPS[stop]], float(objective))


def settings_of(problem: Problem, penalty: Penalty) -> _core.LinearSettings:
    """The kernels' settings, on their own scale of cost."""
    s = _core.LinearSettings()
    strength = min(penalty.strength / problem.total, _MOST_PENALTY)
    s.l1, s.l2 = strength * penalty.ratio, strength * (1 - penalty.ratio)
    s.intercept = problem.fit_intercept
    if problem.way.kernel == "liblinear":  # its intercept is the coefficient of a column of this constant
        s.intercept_l1, s.intercept_l2 = s.l1 / problem.intercept_scaling, s.l2 / problem.intercept_scaling**2
    s.tol, s.most_passes = problem.tol, problem.max_iter
    s.seed, s.threads = problem.seed, problem.threads
    return s


def _refuse_overflow(d: Design, passes: int) -> None:
    requirement = "the cost must stay finite"
    actual = f"it overflowed after {count(passes, 'pass', 'passes')}: the columns are too large"
    raise DataError(
        format_message(d.who, requirement, actual=actual, hint="scale the columns, for instance with StandardScaler")
    )


# ------------------------------------------------------------------------------------------------------- separation


def separated_classes(d: Design, codes: Array, weight: Floats | None, scores: Floats) -> tuple[list[int], list[int]]:
    """Classes that the fitted planes part from all others without an error; and columns that part two by themselves.

    Without a penalty such a plane has no best steepness. A plane that touches both classes (ties) counts where it is
    that of a single column, as with a flag that only one class has.
    """
    live = np.ones(d.n_rows, dtype=bool) if weight is None else weight > 0
    live_codes = codes[live]
    if scores.shape[1] == 1:
        f = scores[live, 0]
        apart = bool(((f > 0) == (live_codes == 1)).all() and (f != 0).all())
        return ([0, 1] if apart else []), ([] if apart else _parting_columns(d, codes, live))
    s = scores[live]
    if (s[np.arange(len(s)), live_codes][:, None] > s).sum(axis=1).min() == s.shape[1] - 1:
        return list(range(s.shape[1])), []  # every row has its own class first, by planes between each two
    middle = s.mean(axis=1)
    return [k for k in range(s.shape[1]) if _is_parted(s, live_codes == k, k, middle)], []


def _is_parted(s: Floats, in_class: Array, k: int, middle: Floats) -> bool:
    """Is the zero of the class's score against all, or against one of the others, a plane between it and the rest?"""
    rival_scores = [middle, *(s[:, j] for j in range(s.shape[1]) if j != k)]
    return any(bool((np.where(in_class, s[:, k] - rival, rival - s[:, k]) > 0).all()) for rival in rival_scores)


def _parting_columns(d: Design, codes: Array, live: Array) -> list[int]:
    X, first, second = d.numbers, live & (codes == 0), live & (codes == 1)

    def ends(mask: Array) -> tuple[Array, Array]:
        subset = X[np.flatnonzero(mask)]
        low, high = subset.min(axis=0), subset.max(axis=0)
        if d.table.is_sparse:
            low, high = low.toarray(), high.toarray()
        return np.ravel(low), np.ravel(high)

    (low0, high0), (low1, high1) = ends(first), ends(second)
    varies = np.minimum(low0, low1) < np.maximum(high0, high1)
    return np.flatnonzero(varies & ((low1 >= high0) | (low0 >= high1))).tolist()
