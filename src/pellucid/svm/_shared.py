"""What support vector machines share: intervals that rows must meet, weights of rows, planes, and kernels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from pellucid import _core
from pellucid.base.errors import ConvergenceWarning, DataError, ParameterError, format_message, join_some, warn
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, check_finite
from pellucid.estimator.single import SingleLabelMixin
from pellucid.models.linear import linear_predictor

KERNELS = ("linear", "poly", "rbf", "sigmoid", "precomputed")
_SCALE = "scale the columns, for instance with StandardScaler"


class Intervals(NamedTuple):
    """Where each row wants its score, and what a unit outside costs; infinite where there is no such end."""

    low: Floats
    high: Floats
    cost: Floats


def sides(positive: Array, cost: Floats) -> Intervals:
    """Scores of at least 1 for the rows that are positive, of at most -1 for the others."""
    low, high = np.where(positive, 1.0, -np.inf), np.where(positive, np.inf, -1.0)
    return Intervals(low, high, np.ascontiguousarray(cost))


def tube(y: Floats, epsilon: float, cost: Floats) -> Intervals:
    """Scores within epsilon of the target."""
    return Intervals(y - epsilon, y + epsilon, np.ascontiguousarray(cost))


def row_costs(d: Design, C: float) -> Floats:
    """C times the weight of each row."""
    return np.full(d.n_rows, float(C)) if d.weight is None else C * d.weight


def class_factors(d: Design, codes: Array, classes: Array, class_weight: Any) -> Floats:
    """The factor of each class: 1, what `class_weight` names, or n / (k n_class)."""
    who = d.who
    factors = np.ones(len(classes))
    if class_weight is None:
        return factors
    if isinstance(class_weight, str):
        sizes = np.bincount(codes, weights=d.weight, minlength=len(classes)).astype(np.float64)
        return np.asarray(sizes.sum() / (len(classes) * np.where(sizes > 0, sizes, 1.0)))
    labels = classes.tolist()
    unknown = [label for label in class_weight if label not in labels]
    if unknown and any(label not in class_weight for label in labels):
        requirement = "class_weight must have the labels of y as keys"
        actual = (
            f"{join_some(map(repr, unknown))} {'is' if len(unknown) == 1 else 'are'} not among "
            f"{join_some(map(repr, labels))}"
        )
        raise ParameterError(format_message(who, requirement, actual=actual))
    for k, label in enumerate(labels):
        value = class_weight.get(label, 1.0)
        if not isinstance(value, (int, float, np.number)) or not 0 < value < np.inf:
            requirement = "class_weight must hold finite numbers above zero"
            raise ParameterError(format_message(who, requirement, actual=f"got {value!r} for class {label!r}"))
        factors[k] = float(value)
    return factors


class MachineOfClasses(SingleLabelMixin):
    """A machine for labels."""

    def _class_costs(self, d: Design, C: float, class_weight: Any) -> tuple[Array, Floats, Floats]:
        """The class of each row as a code, its cost, and the factors of classes; each must have rows that count."""
        codes = d.y[:, 0].astype(np.intp)
        cost, factors = row_costs(d, C), class_factors(d, codes, self.classes_, class_weight)
        counted = np.unique(codes[cost > 0])
        if len(counted) < len(self.classes_):
            absent = [label for k, label in enumerate(self.classes_.tolist()) if k not in counted]
            requirement = "every class must have rows of weight above zero"
            raise DataError(
                format_message(
                    d.who, requirement, actual=f"{join_some(map(repr, absent))} has none", hint="leave its rows out"
                )
            )
        return codes, cost, factors


# -------------------------------------------------------------------------------------------------------- linear models


class Planes(NamedTuple):
    """Coefficients and intercepts (one row a problem), duals of the rows, passes, and whether all ended well."""

    coef: Floats
    intercept: Floats
    beta: Floats
    passes: Array
    converged: bool
    objective: Floats
    tables: Any


@dataclass(frozen=True)
class LinearPlan:
    """How linear problems are solved."""

    constant: float
    squared: bool
    primal: bool
    max_iter: int
    seed: int
    threads: int


def solve_planes(d: Design, problems: list[Intervals], plan: LinearPlan, tol: list[float], record: bool) -> Planes:
    """The linear machine of each problem."""
    low, high, cost = _stacked(problems)
    found = _core.linear_svm(
        _in_rows(d), low, high, cost, plan.constant, plan.squared, plan.primal, np.array(tol), plan.max_iter,
        plan.seed, plan.threads, record,
    )  # fmt: skip
    return _planes(d, plan, *found)


def solve_sparse_planes(
    d: Design, problems: list[Intervals], plan: LinearPlan, tol: list[float], record: bool
) -> Planes:
    """The same with the sum of absolute coefficients as penalty, column by column."""
    check_squares(d)
    if d.table.is_sparse:
        turned = d.numbers.tocsc()
        columns = _core.csr(turned.data, turned.indices, turned.indptr, d.n_rows)
    else:
        columns = _core.dense(np.ascontiguousarray(d.numbers.T))
    low, high, cost = _stacked(problems)
    found = _core.sparse_svm(
        columns, low, high, cost, plan.constant, np.array(tol), plan.max_iter, plan.seed, plan.threads, record
    )
    return _planes(d, plan, *found)


def solve_joint_planes(
    d: Design, codes: Array, cost: Floats, classes: int, plan: LinearPlan, tol: float, record: bool
) -> Planes:
    """The planes of all classes at once; of two classes one plane, the second less the first."""
    found = _core.joint_svm(
        _in_rows(d), codes.astype(np.int64), np.ascontiguousarray(cost), classes, plan.constant, tol, plan.max_iter,
        plan.seed, record,
    )  # fmt: skip
    planes = _planes(d, plan, *found)
    if classes > 2:
        return planes
    coef, intercept, beta = (part[1:] - part[:1] for part in planes[:3])
    return planes._replace(coef=coef, intercept=intercept, beta=beta)


def _in_rows(d: Design) -> Any:
    """The table with its rows beside each other: the dual goes row by row."""
    check_squares(d)
    if d.table.is_sparse or d.numbers.flags.c_contiguous:
        return d.matrix
    return _core.dense(np.ascontiguousarray(d.numbers))


def _stacked(problems: list[Intervals]) -> Intervals:
    """One row a problem."""
    return Intervals(*(np.ascontiguousarray(np.vstack(part)) for part in zip(*problems, strict=True)))


def _planes(d: Design, plan: LinearPlan, w: Floats, beta: Floats, ends: Floats, tables: Any) -> Planes:
    if not (np.isfinite(w).all() and np.isfinite(ends[:, 2]).all()):
        requirement, actual = "the cost must stay finite", "it overflowed: the columns, the target or C are too large"
        raise DataError(format_message(d.who, requirement, actual=actual, hint=_SCALE))
    return Planes(
        np.ascontiguousarray(w[:, :-1]), w[:, -1] * plan.constant, beta, ends[:, 0].astype(np.int32),
        bool(ends[:, 1].all()), ends[:, 2], tables,
    )  # fmt: skip


def goes_primal(who: str, dual: bool | str, squared: bool, d: Design) -> bool:
    """Newton's method in the primal, where the loss is squared and there are at least as many rows as columns."""
    if dual is True:
        return False
    if dual is False and not squared:
        requirement = "dual=False needs a squared loss, which is smooth"
        hint = "dual=True or 'auto', or the squared loss"
        raise ParameterError(format_message(who, requirement, actual="got the loss that is not squared", hint=hint))
    return squared and (dual is False or d.n_rows >= d.n_cols)


def warn_unfinished(who: str, what: str, most: int) -> None:
    """The words for a solver that ran out of steps."""
    requirement = f"{what} failed to converge: {most:,} were not enough"
    warn(format_message(who, requirement, hint=f"{_SCALE}; or raise max_iter or tol"), ConvergenceWarning)


def linear_scores(d: Design, coef: Floats, intercept: Any, threads: int) -> Floats:
    """n x k scores of planes."""
    check_finite(d, allow_nan=False)
    return linear_predictor(d.matrix, coef, intercept, threads)


# -------------------------------------------------------------------------------------------------------------- kernels


class Kernel(NamedTuple):
    """A kernel with its numbers settled."""

    kind: int
    gamma: float
    coef0: float
    degree: int

    @property
    def name(self) -> str:
        return KERNELS[self.kind]


def settle_kernel(d: Design, kernel: Any, gamma: float | str, coef0: float, degree: int) -> Kernel:
    """The kernel's numbers: gamma 'scale' is 1 / (p variance of all numbers of X), 'auto' is 1 / p."""
    if callable(kernel) or kernel == "precomputed":
        return Kernel(KERNELS.index("precomputed"), 0.0, float(coef0), int(degree))
    longest = check_squares(d)
    if kernel == "linear":
        return Kernel(KERNELS.index(kernel), 1.0, float(coef0), int(degree))
    if gamma == "scale":
        spread = _spread(d)
        gamma = 1 / (d.n_cols * spread) if spread > 0 else 1.0
    elif gamma == "auto":
        gamma = 1 / d.n_cols
    with np.errstate(over="ignore"):
        largest = (np.float64(gamma) * longest + abs(coef0)) ** (degree if kernel == "poly" else 1)
    if not np.isfinite(largest):
        requirement, actual = "the kernel must stay finite", "it overflows: the columns are too small or too large"
        raise DataError(format_message(d.who, requirement, actual=actual, hint=_SCALE))
    return Kernel(KERNELS.index(kernel), float(gamma), float(coef0), int(degree))


def check_squares(d: Design) -> float:
    """More than any squared length of a row, or squared distance of two; refused where it leaves the range."""
    values = d.numbers.data if d.table.is_sparse else d.numbers
    with np.errstate(over="ignore"):
        longest = float(np.square(2 * np.abs(values).max(initial=0.0).astype(np.float64)) * d.n_cols)
    if not np.isfinite(longest):
        requirement, actual = "squares of the columns must fit into 64-bit floats", "the columns are too large"
        raise DataError(format_message(d.who, requirement, actual=actual, hint=_SCALE))
    return longest


def _spread(d: Design) -> float:
    """The variance of all numbers of X; a row of weight 2 counts like two. Added in C order, whatever X's layout."""
    if d.weight is None and not d.table.is_sparse:
        return float(np.var(np.ascontiguousarray(d.numbers), dtype=np.float64))
    weight = np.ones(d.n_rows) if d.weight is None else d.weight
    share = weight[weight > 0] / weight.sum()
    rows = d.numbers[np.flatnonzero(weight > 0)]
    X: Any = rows if d.table.is_sparse else np.ascontiguousarray(rows)
    sums = np.asarray(X.sum(axis=1, dtype=np.float64)).ravel()
    mean = float(share @ sums) / d.n_cols
    if not d.table.is_sparse:
        return float(share @ ((X - mean) ** 2).mean(axis=1, dtype=np.float64))
    filled = np.diff(X.indptr)
    squares = np.zeros(len(share))
    np.add.at(squares, np.repeat(np.arange(len(share)), filled), (X.data - mean) ** 2)
    return float(share @ (squares + (d.n_cols - filled) * mean**2)) / d.n_cols


def dense_rows(d: Design, rows: Any = slice(None)) -> Floats:
    """Rows as an array of doubles, in C order."""
    chosen = d.numbers[rows]
    return np.ascontiguousarray(chosen.toarray() if d.table.is_sparse else chosen, dtype=np.float64)


def gram_matrix(d: Design, kernel: Callable[..., Any], other: Floats) -> Floats:
    """What a function of two tables answers: one row for each of the first, one column for each of the second."""
    found = np.ascontiguousarray(kernel(dense_rows(d), other), dtype=np.float64)
    if found.shape != (d.n_rows, len(other)) or not np.isfinite(found).all():
        requirement = f"kernel must answer a table of {d.n_rows} x {len(other)} finite numbers"
        raise DataError(format_message(d.who, requirement, actual=f"got shape {found.shape}"))
    return found


class Smo(NamedTuple):
    """Duals of all problems one behind the other, and of each its bias, objective, gap and steps."""

    beta: Floats
    bias: Floats
    objective: Floats
    gap: Floats
    steps: Array
    converged: bool
    tables: Any


@dataclass(frozen=True)
class SmoPlan:
    """When the solver ends and what it may use."""

    tol: float
    shrinking: bool
    cache_size: float
    max_iter: int
    threads: int


def solve_smo(
    d: Design,
    gram: Floats | None,
    kernel: Kernel,
    rows: list[Array],
    problems: list[Intervals],
    plan: SmoPlan,
    record: bool,
) -> Smo:
    """The machine of each problem, over the rows that it names."""
    X = d.matrix if gram is None else _core.dense(gram)
    starts = np.concatenate([[0], np.cumsum([len(one) for one in rows])]).astype(np.int64)
    chosen = np.concatenate(rows).astype(np.int64)
    low, high, cost = (np.ascontiguousarray(np.concatenate(part)) for part in zip(*problems, strict=True))
    beta, ends, tables = _core.smo(
        X, *kernel, chosen, starts, low, high, cost, plan.tol, plan.shrinking, plan.cache_size * 1e6,
        max(plan.max_iter, 0), plan.threads, record,
    )  # fmt: skip
    if not (np.isfinite(beta).all() and np.isfinite(ends[:, 0]).all()):
        requirement, actual = (
            "sums of kernels must stay finite",
            "they overflowed: kernels, the target or C are too large",
        )
        raise DataError(format_message(d.who, requirement, actual=actual, hint=_SCALE))
    steps, converged = ends[:, 3].astype(np.int32), bool(ends[:, 4].all())
    return Smo(beta, ends[:, 0], ends[:, 1], ends[:, 2], steps, converged, tables)


def kernel_scores(
    d: Design, given: Any, kernel: Kernel, supports: Floats, support: Array, coef: Floats, bias: Floats, threads: int
) -> Floats:
    """n x k sums over support vectors: bias + sum_s coef_s K(x_s, x)."""
    coef, bias = np.ascontiguousarray(coef), np.ascontiguousarray(bias)
    if callable(given):
        return linear_predictor(_core.dense(gram_matrix(d, given, supports)), coef, bias, threads)
    if kernel.name == "precomputed":
        return linear_predictor(_core.dense(np.ascontiguousarray(dense_rows(d)[:, support])), coef, bias, threads)
    return np.asarray(_core.kernel_decisions(d.matrix, *kernel, supports, coef, bias, threads))
