"""How `Ridge` and `RidgeClassifier` get their numbers, and how they predict."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pellucid.base.errors import ParameterError, format_message, join_some
from pellucid.base.errors import count as counted
from pellucid.base.types import Floats
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr, expr
from pellucid.working.language import absolute, equal, max_, sqrt, sum_, where
from pellucid.working.matrix import ONE, Block, Grid, Inverse, Vector
from pellucid.working.model import Working
from pellucid.working.shown._least_squares import Problem
from pellucid.working.shown._solvers import condition

# Beyond so many columns the matrices are too large to read; the answer is then proven by the condition it meets.
MOST_COLUMNS = 8
MOST_PREDICTIONS = 20
_ITERATIVE = ("sparse_cg", "lsqr", "sag", "saga", "lbfgs")


@shows("Ridge.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Ridge regression: the fit"
    w.intro = (
        "The coefficients that make the sum of squared errors plus a price on their size as small as possible, found "
        f"by solver {model.solver_!r} on {counted(len(data.X), 'row')} and {counted(data.X.shape[1], 'column')}."
    )
    problem = Problem.read(w, model, data)
    fitted(problem, penalty(problem, _alpha(model, data.target), model.cost), margin(model))
    problem.predictions()


@shows("RidgeClassifier.fit")
def classes(w: Working, model: Any, data: Given) -> None:
    problem = signs(w, model, data)
    fitted(problem, penalty(problem, _alpha(model, problem.data.target), model.cost), margin(model))
    scores(problem)


def _alpha(model: Any, target: int) -> float:
    """The strength for a target: one for all, or one each."""
    alphas = np.atleast_1d(np.asarray(model.alpha, dtype=np.float64))
    return float(alphas[target if len(alphas) > 1 else 0])


# --------------------------------------------------------------------------------------------------------- the target


def signs(w: Working, model: Any, data: Given) -> Problem:
    """The labels as a target of -1 and +1, for one class; the problem of that class."""
    several = getattr(model, "has_several_labels", False)
    names = list(model.classes_) if not several else list(range(len(model.classes_)))
    place, label = _asked_class(model, data, names, several)
    w.title = "Classes by ridge regression: the fit"
    w.intro = f"Least squares on a target of +1 for {_what(label, several)} and −1 for the others."
    if len(names) > 2 or several:
        kind = "labels" if several else "classes"
        w.note(f"There are {len(names)} such targets, one for each of the {kind}; target= and of= choose another.")
    problem = Problem.read(w, model, data)
    w.step("Target", f"+1 for {_what(label, several)}, −1 for the other rows.")
    t = w.cell("t", where(equal(problem.y, 1 if several else label), 1, -1), symbol="t", label="target of −1 and +1")
    weight = _with_class_weights(problem, model, data)
    inner = replace(
        data, target=place, y=np.asarray(t.value), weight=None if weight is None else np.asarray(weight.value)
    )
    inner.options = {**data.options, "y": np.zeros((len(data.X), 2))}
    return Problem(w, model, inner, problem.x, problem.X, t, weight, [], expr(0))


def _what(label: Any, several: bool) -> str:
    return f"rows that have label {label}" if several else f"the class {label!r}"


def _asked_class(model: Any, data: Given, names: list[Any], several: bool) -> tuple[int, Any]:
    """Row of `coef_`, and the label that it stands for."""
    if several:
        return data.target, data.target
    plain = [name.item() if isinstance(name, np.generic) else name for name in names]
    asked = data.options.get("of", plain[1] if len(plain) == 2 else plain[0])
    if asked not in plain:
        requirement = f"of= must be one of the classes {join_some(map(repr, plain))}"
        raise ParameterError(format_message(type(model).__name__, requirement, actual=f"got {asked!r}"))
    if len(plain) == 2:
        return 0, plain[1]
    return plain.index(asked), asked


def _with_class_weights(problem: Problem, model: Any, data: Given) -> Cell | None:
    if model.class_weight is None:
        return problem.weight
    d = model._validate_predict(data.table)
    model._attach_target(d, data.options["y"] if getattr(model, "has_several_labels", False) else data.y)
    d.weight = data.weight
    found = model._weights(d, d.y.astype(np.intp))
    w = problem.w
    return w.given("class_weight", found, data.row_axis, symbol="w_c", label="weight, that of the class in it")


# ------------------------------------------------------------------------------------------------------------ the fit


def penalty(problem: Problem, alpha: float, cost: str = "sum") -> Expr:
    """The strength that stands against the sum of squares."""
    w = problem.w
    words = {
        "sum": "Against the sum of squared errors stands alpha times the sum of squared coefficients.",
        "mean": "Half of alpha stands against the mean of the squared errors: n times that against their sum.",
        "half_mean": "Half of alpha stands against half the mean of the squared errors: n times alpha against the sum.",
    }
    w.step("Penalty", words[cost])
    given = w.given("alpha", alpha, symbol=r"\alpha", label="strength of the penalty")
    if cost == "sum":
        return given
    times = problem.size / 2 if cost == "mean" else problem.size
    return w.cell("strength", given * times, symbol="a", label="strength against the sum of squares")


def margin(model: Any) -> float:
    """How near an iterative solver comes to the answer."""
    if getattr(model, "solver_", "") not in _ITERATIVE:
        return 0.0
    return min(0.2, 1e-5 if model.solver == "auto" else 1000 * model.tol + 1e-7)


def unfinished(model: Any) -> bool:
    """Did the passes of an iterative solver run out?"""
    passes, most = getattr(model, "n_iter_", None), getattr(model, "max_iter", None)
    return passes is not None and most is not None and int(np.max(passes)) >= most


def fitted(problem: Problem, a: Expr, loose: float) -> None:
    """Coefficients and intercept for a penalty, by the closed form where it can be read."""
    strength = float(a.value)
    if unfinished(problem.model):
        problem.w.note("The solver's passes ran out before it came to its end: these are the numbers it had by then.")
        _as_fitted(problem, a)
        return
    if loose > 0 and _far(problem, strength, loose):
        problem.w.note(
            "The solver took its steps for small enough before it came to its end: these are the numbers it had by "
            "then. A smaller tol, or columns of like size, bring it nearer."
        )
        _as_fitted(problem, a)
        return
    if len(problem.x) > MOST_COLUMNS or getattr(problem.model, "positive", False) or not readable(problem, strength):
        certificate(problem, a, loose)
        return
    solved(problem, centered(problem), a, max(problem.tolerance, loose))


def _as_fitted(problem: Problem, a: Expr) -> None:
    """What an early end left: the same fit once more must come to it, since no formula does."""
    problem.data.run_again()
    certificate(problem, a, np.inf)


@dataclass(frozen=True)
class Centered:
    """The columns and the target less their means, and their products; matrices for several columns."""

    means: tuple[list[Expr], Expr]
    columns: list[Expr]
    target: Expr
    squares: Block | Cell
    products: Block | Cell


def centered(problem: Problem) -> Centered:
    means = problem.means()
    columns, v = _deviations(problem, means)
    w = problem.w
    if len(columns) > 1:
        return Centered(means, columns, v, *_products(problem, columns, v))
    w.step("Sums", "The products and the squares, added up.")
    sxy = w.cell("Sxy", problem.total(columns[0] * v), symbol="S_{xy}", label="sum of the products")
    sxx = w.cell("Sxx", problem.total(columns[0] ** 2), symbol="S_{xx}", label="sum of the squares")
    return Centered(means, columns, v, sxx, sxy)


def solved(problem: Problem, of: Centered, a: Expr, tolerance: float) -> None:
    """The coefficients for a penalty, named and compared with the model's."""
    w = problem.w
    if isinstance(of.squares, Cell) and isinstance(of.products, Cell):
        w.step("Slope and intercept", "The penalty makes the denominator larger, and so the slope smaller.")
        problem.finish([of.products / (of.squares + a)], of.means, tolerance)
        return
    assert isinstance(of.squares, Block)
    assert isinstance(of.products, Block)
    w.step("Solution", "The penalty is added on the diagonal: (S + α I) w = c.")
    A, C = inverse(w, of.squares, a)
    found = w.block("w", C @ of.products, of.squares.rows, Axis("", ["w"]), symbol="w", label="coefficients")
    grown = tolerance * max(1.0, 1e-7 * condition(A.value))
    problem.finish([found[j, 0] for j in range(len(problem.x))], of.means, grown)


def readable(problem: Problem, strength: float) -> bool:
    """Can the products of the columns, with the penalty, be inverted with digits to spare?"""
    d = _apart(problem)
    A = d.T @ (_weights(problem)[:, None] * d) + strength * np.eye(d.shape[1])
    return bool(np.isfinite(A).all() and (np.diag(A) > 0).all() and condition(A) < 1e10)


def _far(problem: Problem, strength: float, loose: float) -> bool:
    """Is an iterative solver's answer further from the best one than its tolerance says?"""
    if len(problem.x) > MOST_COLUMNS or getattr(problem.model, "positive", False) or not readable(problem, strength):
        return False
    d, weight = _apart(problem), _weights(problem)
    y = np.asarray(problem.y.value, dtype=np.float64)
    A = d.T @ (weight[:, None] * d) + strength * np.eye(d.shape[1])
    best = np.linalg.solve(A, d.T @ (weight * (y - float(problem.centered) * np.average(y, weights=weight))))
    allowed = max(problem.tolerance, loose) * max(1.0, 1e-7 * condition(A)) * np.maximum(np.abs(best), problem.scales())
    return bool((np.abs(problem.coef_ - best) > allowed).any())


def _weights(problem: Problem) -> Floats:
    return np.ones(len(problem.data.X)) if problem.data.weight is None else problem.data.weight


def _apart(problem: Problem) -> Floats:
    X = problem.data.X
    return X - np.average(X, axis=0, weights=_weights(problem)) if problem.centered else X


def _deviations(problem: Problem, means: tuple[list[Expr], Expr]) -> tuple[list[Expr], Expr]:
    """The columns and the target less their means."""
    w, names = problem.w, problem.data.names
    if not problem.centered:
        return [*problem.x], problem.y
    w.step(
        "Deviations",
        "Each value less the mean of its column: the intercept, which is not penalized, is out of the way.",
    )
    single = len(problem.x) == 1
    found: list[Expr] = [
        w.cell(
            "d" if single else f"d_{j + 1}", x - mean, symbol="d" if single else f"d_{{{j + 1}}}",
            label=f"{names[j]} less its mean",
        )
        for j, (x, mean) in enumerate(zip(problem.x, means[0], strict=True))
    ]  # fmt: skip
    return found, w.cell("v", problem.y - means[1], symbol="v", label="target less its mean")


def _products(problem: Problem, d: list[Expr], v: Expr) -> tuple[Block, Block]:
    """X'X and X'y of the centered columns."""
    w, names = problem.w, Axis("column", problem.data.names, "j", "p")
    w.step("Products", "Every column times every other, added up over the rows; and every column times the target.")
    S = w.block("XtX", Grid([[problem.total(x * z) for z in d] for x in d], names, names), symbol="S")
    c = w.block("Xty", Grid([[problem.total(x * v)] for x in d], names, Axis("", ["Σ"])), symbol="c")
    S.label, c.label = "products of the columns", "products with the target"
    return S, c


def inverse(w: Working, S: Block, a: Expr, mark: str = "") -> tuple[Block, Block]:
    """X'X + a I, and its inverse."""
    p, below = range(len(S.rows)), f"_{{{mark}}}" if mark else ""
    penalized = Grid([[S[j, k] + a if j == k else S[j, k] for k in p] for j in p], S.rows, S.columns)
    A = w.block(f"A{mark}", penalized, symbol=f"A{below}", label="products with the penalty on the diagonal")
    C = w.block(f"inverse{mark}", Inverse(A), S.rows, S.columns, symbol=f"C{below}", label="inverse of it")
    return A, C


def certificate(problem: Problem, a: Expr, loose: float) -> None:
    """For large tables: the coefficients as found, proven by the condition that only the best ones meet."""
    w, data = problem.w, problem.data
    w.note(
        "It is not shown how the equations were solved; the coefficients are given, and the condition that makes them "
        "the best is checked: errors times a column, added up, are α times its coefficient."
    )
    w.step("Coefficients", "As the solver found them.")
    axis = Axis("column", data.names, "j", "p")
    coef = w.given("coef", problem.coef_, axis, symbol=r"\beta", label="coefficient")
    b = w.given("intercept", problem.intercept_, symbol="b", label="intercept")
    coef.attribute, b.attribute = problem.named("coef_"), problem.named("intercept_")
    w.step("Errors", "What the model leaves of the target.")
    if problem.X is not None:
        product: Expr = w.block("Xb", problem.X @ Vector(coef), data.row_axis, ONE, symbol=r"\text{Xβ}").column(
            0, r"\text{Xβ}"
        )
    else:
        product = sum_(coef) * problem.x[0]
    rest = w.cell("rest", problem.y - (product + b if problem.centered else product), symbol="t", label="rest")
    if problem.weight is not None:
        rest = w.cell("weighted_rest", problem.weight * rest, symbol=r"\tilde{t}", label="rest times weight")
    _slopes(problem, a, coef, rest, axis, loose)
    problem.keep([], b)
    problem.product = product


def _slopes(problem: Problem, a: Expr, coef: Cell, rest: Cell, axis: Axis, loose: float) -> None:
    w, data = problem.w, problem.data
    positive = bool(getattr(problem.model, "positive", False))
    w.step("Condition", "How far the sums are from α times the coefficients, as a share of the sizes of both.")
    weight = _weights(problem)
    length = w.cell("length", sqrt(sum_(rest**2)) + sqrt(problem.total(problem.y**2)), symbol="L", label="size")
    sizes = np.sqrt(weight @ data.X**2) + np.sqrt(float(a.value))
    if problem.X is not None:
        sums: Expr = w.block("sums", problem.X.T @ Vector(rest), axis, ONE, symbol="s").column(0, "s")
    else:
        sums = w.cell("sums", sum_(rest * problem.x[0]) + 0 * coef, symbol="s", label="errors times column")
    size = w.given("column_sizes", np.where(sizes > 0, sizes, 1.0), axis, symbol="Z", label="size of the column")
    slope = (sums - a * coef) / (size * length) if length.value > 0 else sums - a * coef
    share = w.cell("share", slope, symbol=r"\delta", label="share")
    if positive:
        w.note("A coefficient of zero may have errors that would push it below: there the share may be negative.")
        share = w.cell(
            "counted",
            where(coef > 0, share, where(share > 0, share, 0)),
            symbol=r"\delta^{+}",
            label="share that counts",
        )
    single = np.asarray(problem.model.coef_).dtype == np.float32
    largest = max_(absolute(share))
    if np.isinf(loose):
        w.cell("largest_share", largest, symbol=r"\delta_{max}", label="largest share")
        return
    w.cell(
        "largest_share", largest, symbol=r"\delta_{max}", label="largest share", equals=0.0,
        attribute="condition of ridge regression", tolerance=max(1e-4 if single else 1e-7, loose), scale=1.0,
    )  # fmt: skip


# ---------------------------------------------------------------------------------------------------------- predictions


def scores(problem: Problem) -> None:
    """The score of every row, and what it decides."""
    w, model, data = problem.w, problem.model, problem.data
    w.step("Scores", "What the fitted model says for each row; above zero it is on the side of +1.")
    found = np.asarray(model.decision_function(data.table), dtype=np.float64).reshape(len(data.X), -1)
    score = w.cell(
        "score", problem.prediction(), symbol="f", label="score", equals=found[:, data.target],
        attribute="decision_function(X)", tolerance=max(10 * problem.tolerance, margin(model)), scale=1.0,
    )  # fmt: skip
    error = w.cell("error", problem.y - score, symbol="e", label="error")
    w.step("How good is it", "The squared errors, and the rows on their own side.")
    w.cell("SSE", problem.total(error**2), symbol=r"\text{SSE}", label="sum of squared errors")
    w.cell("right", sum_(where(problem.y * score > 0, 1, 0)), symbol="r", label="rows on their own side")


def _chosen_rows(w: Working, data: Given) -> list[int]:
    rows = data.rows or list(range(min(len(data.X), 3)))
    if len(rows) > MOST_PREDICTIONS:
        w.note(f"{len(rows)} rows were asked for; the first {MOST_PREDICTIONS} are shown.")
    elif not data.rows and len(data.X) > len(rows):
        w.note(f"The first {len(rows)} of {len(data.X):,} rows are shown; rows=[...] chooses others.")
    return list(dict.fromkeys(rows[:MOST_PREDICTIONS]))


def _row(w: Working, model: Any, data: Given, row: int, first: bool, beta: list[Cell], b: list[Cell]) -> list[Cell]:
    """The terms and the scores of a row, one a row of coefficients."""
    w.step(f"Row {row}", "Row numbers are counted from 0." if first else "")
    x = w.given(f"x_{row}", data.X[row], data.column_axis, symbol=f"x_{{{row}}}", label="value")
    found = []
    for k, (coef, intercept) in enumerate(zip(beta, b, strict=True)):
        mark, tail = (f"{row}", f"_{row}") if len(beta) == 1 else (f"{row},{k + 1}", f"_{row}_{k + 1}")
        term = w.cell(f"term{tail}", coef * x, symbol=f"p_{{{mark}}}", label="product")
        found.append(
            w.cell(f"score{tail}", intercept + sum_(term), symbol=f"f_{{{mark}}}", label="sum with the intercept")
        )
    return found


@shows("Ridge.predict", "RidgeCV.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    w.title = "Ridge regression: predictions"
    w.intro = "Each column's value times its coefficient, added up, plus the intercept."
    coef = np.atleast_2d(np.asarray(model.coef_, dtype=np.float64))[data.target]
    intercept = float(np.atleast_1d(model.intercept_)[data.target if np.size(model.intercept_) > 1 else 0])
    wanted = np.asarray(model.predict(data.table), dtype=np.float64).reshape(len(data.X), -1)[:, data.target]
    rows = _chosen_rows(w, data)
    w.step("Model", "The fitted coefficients.")
    beta = w.given("coef", coef, data.column_axis, symbol=r"\beta", label="coefficient")
    b = w.given("intercept", intercept, symbol="b", label="intercept")
    tolerance = 1e-9 if np.asarray(model.coef_).dtype == np.float64 else 1e-5
    for row in rows:
        (score,) = _row(w, model, data, row, row == rows[0], [beta], [b])
        size = float(np.abs(coef * data.X[row]).sum() + abs(intercept))
        w.check(score, wanted[row], f"predict(X)[{row}]", tolerance, size)


@shows("RidgeClassifier.predict", "RidgeClassifierCV.predict")
def predict_classes(w: Working, model: Any, data: Given) -> None:
    w.title = "Classes by ridge regression: predictions"
    coef = np.atleast_2d(np.asarray(model.coef_, dtype=np.float64))
    k, several = len(coef), model.has_several_labels
    rule = "Each label is given where its score is above zero." if several else "The class with the largest score wins."
    w.intro = "A score: each column's value times its coefficient, added up, plus the intercept. " + (
        rule if k > 1 else f"Above zero it is the class {model.classes_[1]!s}, else {model.classes_[0]!s}."
    )
    intercept = np.broadcast_to(np.asarray(model.intercept_, dtype=np.float64), (k,))
    wanted = np.asarray(model.decision_function(data.table), dtype=np.float64).reshape(len(data.X), -1)
    rows = _chosen_rows(w, data)
    w.step("Model", "The fitted coefficients.")
    marks = [""] if k == 1 else [f"_{t + 1}" for t in range(k)]
    beta = [
        w.given(f"coef{m}", coef[t], data.column_axis, symbol=rf"\beta{m}", label=f"coefficient{_of(model, t, k)}")
        for t, m in enumerate(marks)
    ]
    b = [
        w.given(f"intercept{m}", float(intercept[t]), symbol=f"b{m}", label=f"intercept{_of(model, t, k)}")
        for t, m in enumerate(marks)
    ]
    tolerance = 1e-9 if np.asarray(model.coef_).dtype == np.float64 else 1e-5
    said = np.asarray(model.predict(data.table))
    for row in rows:
        found = _row(w, model, data, row, row == rows[0], beta, b)
        for t, score in enumerate(found):
            size = float(np.abs(coef[t] * data.X[row]).sum() + abs(intercept[t]))
            where_ = f"decision_function(X)[{row}]" if k == 1 else f"decision_function(X)[{row}, {t}]"
            w.check(score, wanted[row, t], where_, tolerance, size)
        _decide(w, model, found, row, said[row])


def _of(model: Any, t: int, k: int) -> str:
    return "" if k == 1 else f" of {model.classes_[t]!s}"


def _decide(w: Working, model: Any, found: list[Cell], row: int, said: Any) -> None:
    """The label that the scores of a row give."""
    if model.has_several_labels:
        for t, score in enumerate(found):
            w.cell(
                f"label_{row}_{t + 1}", where(score > 0, 1, 0), symbol=rf"\hat{{y}}_{{{row},{t + 1}}}", label="label",
                equals=float(said[t]), attribute=f"predict(X)[{row}, {t}]",
            )  # fmt: skip
        return
    names = [name.item() if isinstance(name, np.generic) else name for name in model.classes_]
    best: Expr = where(found[0] > 0, names[1], names[0]) if len(found) == 1 else _largest(found, names)
    w.cell(
        f"label_{row}", best, symbol=rf"\hat{{y}}_{{{row}}}", label="label",
        equals=said.item() if isinstance(said, np.generic) else said, attribute=f"predict(X)[{row}]",
    )  # fmt: skip


def _largest(found: list[Cell], names: list[Any]) -> Expr:
    """The first name whose score no other exceeds."""
    best = expr(names[-1])
    for t in range(len(found) - 2, -1, -1):
        beaten: Expr = expr(0)
        for other in (*found[:t], *found[t + 1 :]):
            beaten = beaten + where(other > found[t], 1, 0)
        best = where(equal(beaten, 0), names[t], best)
    return best
