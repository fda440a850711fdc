"""How the lasso and the elastic net get their numbers: a pass of coordinate descent, and why its end is the best."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.base.types import Floats
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr, expr
from pellucid.working.language import absolute, max_, sign, where
from pellucid.working.matrix import ONE, Grid, Vector
from pellucid.working.model import Working
from pellucid.working.shown import linear_regression
from pellucid.working.shown._least_squares import Problem

# Beyond so many columns the passes are too long to read; the answer is then proven by the conditions that it meets.
MOST_COLUMNS = 8
KINDS = ("", " extrapolated", " exact")  # of a pass, in the order of the kernel's own enumeration


@dataclass
class Penalized:
    """A problem on the page with its penalty; the model's own numbers are those of ``problem.model``."""

    problem: Problem
    name: str
    alpha: float
    l1_ratio: float
    l1: Cell | None = None
    l2: Cell | None = None

    @property
    def w(self) -> Working:
        return self.problem.w

    @property
    def factor(self) -> int:
        return 2 if self.problem.model.cost == "squared" else 1

    @property
    def gap_(self) -> float:
        """In units of the kernel's cost, half the mean squared error."""
        gaps = np.atleast_1d(np.asarray(self.problem.model.dual_gap_, dtype=np.float64))
        return float(gaps[self.problem.data.target if len(gaps) > 1 else 0]) / self.factor

    def threshold(self, rho: Expr, square: Expr) -> Expr:
        """``soft(rho, l1) / (q + l2)``"""
        assert self.l1 is not None
        below = square if self.l2 is None else square + self.l2
        if self.problem.model.positive:
            return where(rho > self.l1, (rho - self.l1) / below, 0)
        return where(absolute(rho) > self.l1, (rho - sign(rho) * self.l1) / below, 0)

    def mean(self, column: Any) -> Expr:
        return self.problem.total(column) / self.problem.size

    def varies(self, j: int) -> bool:
        """Has the column anything to explain with?"""
        values = self.problem.data.X[:, j]
        return bool(np.ptp(values) > 0) if self.problem.centered else bool(np.any(values != 0))


@shows("ElasticNet.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    show_fit(w, model, data, "Elastic net", float(model.alpha), float(model.l1_ratio))


def show_fit(w: Working, model: Any, data: Given, name: str, alpha: float, l1_ratio: float) -> None:
    """The whole working of a fit with one penalty."""
    w.title = f"{name}: the fit"
    passes = np.atleast_1d(model.n_iter_)
    n_passes = int(passes[data.target if len(passes) > 1 else 0])
    w.intro = (
        "The coefficients that make the errors and the price of the coefficients together as small as possible, "
        f"found by coordinate descent in {counted(n_passes, 'pass')} on {counted(len(data.X), 'row')} and "
        f"{counted(data.X.shape[1], 'column')}."
    )
    problem = Problem.read(w, model, data)
    lay_out(Penalized(problem, name, alpha, l1_ratio), _passes(w, model, data))
    problem.predictions()


def lay_out(p: Penalized, passes: tuple[list[str], Floats] | None) -> None:
    """Centering, the penalty, the first pass and all passes, the coefficients, and the duality gap."""
    means = p.problem.means()
    _penalty(p)
    if len(p.problem.x) > MOST_COLUMNS:
        _conditions(p)
        return
    d, v = _deviations(p, means)
    squares = _squares(p, d)
    if passes is not None:
        _first_pass(p, d, v, squares, passes)
        _table(p.w, passes)
    coefficients, residual, rho = _again(p, d, v, squares)
    coef = _coefficients(p, rho, squares, means)
    _gap(p, coefficients, v, residual, rho, squares)
    p.problem.keep(coef, p.problem.intercept)


def _passes(w: Working, model: Any, data: Given) -> tuple[list[str], Floats] | None:
    if model.warm_start:
        w.note("The fit began where the last one ended (warm_start), so its passes cannot be run again.")
        return None
    names, rows = data.record["passes"]
    return list(names), rows[rows[:, 0] == data.target]


def _penalty(p: Penalized) -> None:
    """What a coefficient costs: by its size, and by its square."""
    w, half = p.w, p.factor == 2
    what = "mean squared error" if half else "half the mean squared error"
    square = "" if p.l1_ratio == 1 else ", and on its square"
    w.step("Penalty", f"The cost is {what}, plus a price on the size of each coefficient{square}.")
    alpha = w.given("alpha", p.alpha, symbol=r"\alpha", label="strength of the penalty")
    strength = alpha / 2 if half else expr(alpha)
    if half:
        w.note("Halved, the cost has half the mean squared error and half the alpha; so it is worked out here.")
    if p.l1_ratio == 1:
        p.l1 = w.cell("l1", strength, symbol=r"\lambda", label="price of the size")
        return
    r = w.given("l1_ratio", p.l1_ratio, symbol="r", label="share of the size in it")
    p.l1 = w.cell("l1", strength * r, symbol=r"\lambda", label="price of the size")
    p.l2 = w.cell("l2", strength * (1 - r), symbol=r"\mu", label="price of half the square")


def _deviations(p: Penalized, means: tuple[list[Expr], Expr]) -> tuple[list[Expr], Expr]:
    """Columns and target less their means."""
    problem, w = p.problem, p.w
    if not problem.centered:
        return [expr(x) for x in problem.x], expr(problem.y)
    w.step("Deviations", "Columns and target less their means: then no intercept is needed on the way.")
    names = problem.data.names
    pairs = zip(problem.x, means[0], strict=True)
    d: list[Expr] = [
        w.cell(f"d_{j + 1}", x - mean, symbol=f"d_{{{j + 1}}}", label=f"{names[j]} less its mean")
        for j, (x, mean) in enumerate(pairs)
    ]
    return d, w.cell("v", problem.y - means[1], symbol="v", label="target less its mean")


def _squares(p: Penalized, d: list[Expr]) -> list[Cell]:
    p.w.step("Mean squares", "How large each column is: what its coefficient is divided by.")
    names = p.problem.data.names
    return [
        p.w.cell(f"q_{j + 1}", p.mean(column**2), symbol=f"q_{{{j + 1}}}", label=f"mean square of {names[j]}")
        for j, column in enumerate(d)
    ]


def _first_pass(p: Penalized, d: list[Expr], v: Expr, squares: list[Cell], passes: tuple[list[str], Floats]) -> None:
    """From zeros, each column in turn: what the others leave, its product with that, the threshold."""
    w, problem = p.w, p.problem
    columns, rows = passes
    cyclic = problem.model.selection == "cyclic"
    if not cyclic:
        w.note("The kernel drew the columns of a pass; the first pass is shown in their own order.")
    residual = v
    for j, name in enumerate(problem.data.names):
        if not p.varies(j):
            continue
        text = "Begin with zeros. Each coefficient in turn is set to the best value while the others are held."
        w.step(f"First pass, {name}", text if j == 0 else "")
        partial_residual = w.cell(
            f"rest_{j + 1}", residual, symbol=f"e_{{{j + 1}}}", label=f"what the others leave to {name}"
        )
        rho = w.cell(
            f"first_rho_{j + 1}", p.mean(d[j] * partial_residual), symbol=rf"\rho_{{{j + 1}}}",
            label="mean product of the column with it",
        )  # fmt: skip
        recorded = float(rows[0, columns.index(f"coef_{j + 1}")]) if cyclic and len(rows) else None
        after = w.cell(
            f"first_{j + 1}", p.threshold(rho, squares[j]), symbol=f"w_{{{j + 1}}}^{{(1)}}",
            label=f"coefficient of {name}", equals=recorded, attribute="the recorded first pass", tolerance=1e-8,
            scale=float(problem.scales()[j]),
        )  # fmt: skip
        residual = partial_residual - after * d[j]


def _table(w: Working, passes: tuple[list[str], Floats]) -> None:
    """What the kernel told of every pass."""
    columns, rows = passes
    if not len(rows):
        return
    kinds = rows[:, columns.index("kind")]
    text = "Every pass over the columns."
    text += " Some were extrapolated from those before." if (kinds == 1).any() else ""
    text += " An exact step solves the equations of the columns in use." if (kinds == 2).any() else ""
    w.step("Passes", text + " The gap bounds how far the cost is above its minimum.")
    labels = [f"{int(row[columns.index('pass')])}{KINDS[int(row[columns.index('kind')])]}" for row in rows]
    axis = w.axis("pass", labels, "t", "T")
    w.given("used", rows[:, columns.index("used")], axis, symbol="k", label="coefficients other than zero")
    w.given("pass_cost", rows[:, columns.index("objective")], axis, symbol="F", label="cost")
    w.given("pass_gap", rows[:, columns.index("gap")], axis, symbol=r"\Delta", label="duality gap")


def _again(p: Penalized, d: list[Expr], v: Expr, squares: list[Cell]) -> tuple[list[Expr], Cell, list[Cell | None]]:
    """What the coefficients found leave of the target, and the product of each column with what the others leave."""
    w, problem = p.w, p.problem
    w.step("Errors", "What the coefficients that were found leave of the target.")
    coefficients: list[Expr] = [
        w.given(f"found_{j + 1}", float(value), symbol=f"w_{{{j + 1}}}", label=f"found for {problem.data.names[j]}")
        for j, value in enumerate(problem.coef_)
    ]
    terms = [value * column for value, column in zip(coefficients, d, strict=True)]
    residual = w.cell("rest", v - reduce(add, terms), symbol="e", label="rest")
    w.step("One more pass", "Best values once more, with the others held: at the best answer nothing changes.")
    rho: list[Cell | None] = []
    for j, column in enumerate(d):
        if not p.varies(j):
            rho.append(None)
            continue
        label = f"mean product of {problem.data.names[j]} with what the others leave"
        formula = p.mean(column * residual) + squares[j] * coefficients[j]
        rho.append(w.cell(f"rho_{j + 1}", formula, symbol=rf"\rho_{{{j + 1}}}", label=label))
    return coefficients, residual, rho


def _coefficients(
    p: Penalized, rho: list[Cell | None], squares: list[Cell], means: tuple[list[Expr], Expr]
) -> list[Expr]:
    """The best values are the model's; the gap says how far one of them may be from it."""
    problem, w = p.problem, p.w
    scales, margin = problem.scales(), problem.tolerance
    for j, product in enumerate(rho):
        name, mark = ("slope", r"\beta") if len(rho) == 1 else (f"coef_{j + 1}", rf"\beta_{{{j + 1}}}")
        square = float(squares[j].value)
        reach = np.sqrt(2 * p.gap_ / square) if square > 0 else 0.0
        formula = expr(0.0) if product is None else p.threshold(product, squares[j])
        w.cell(
            name, formula, symbol=mark, label=f"coefficient of {problem.data.names[j]}", equals=problem.coef_[j],
            attribute=problem.named("coef_", j), tolerance=margin, scale=max(float(scales[j]), reach / margin),
        )  # fmt: skip
    cells = [w.cells[f"found_{j + 1}"] for j in range(len(rho))]
    exact: list[Expr] = [cell for cell in cells if isinstance(cell, Cell)]
    if problem.centered:
        problem.intercept = problem.intercept_from(exact, means, margin)
    return exact


def _gap(
    p: Penalized, coefficients: list[Expr], v: Expr, residual: Cell, rho: list[Cell | None], squares: list[Cell]
) -> None:
    """The cost, a bound on it from below, and the difference."""
    w, problem = p.w, p.problem
    assert p.l1 is not None
    used = [j for j, product in enumerate(rho) if product is not None]
    w.step("Cost", "The errors, and the price of the coefficients.")
    square = w.cell("mean_square", p.mean(residual**2), symbol="s^2", label="mean square of the errors")
    size = w.cell(
        "size", reduce(add, [absolute(value) for value in coefficients]), symbol="A", label="sum of the sizes"
    )
    cost = square / 2 + p.l1 * size
    squared: Cell | None = None
    if p.l2 is not None:
        squared = w.cell(
            "squared", reduce(add, [value**2 for value in coefficients]), symbol="B", label="sum of squares"
        )
        cost = cost + p.l2 * squared / 2
    F = w.cell("cost", cost, symbol="F", label="cost")
    if not used or float(p.l1.value) == 0:
        return
    axis = Axis("column", [problem.data.names[j] for j in used], "j", "p")
    gradients: list[list[Any]] = []
    for j in used:
        product = rho[j]
        assert product is not None
        below = squares[j] if p.l2 is None else squares[j] + p.l2
        gradients.append([product - below * coefficients[j]])
    w.step("Duality gap", "The rest, scaled until no slope is above the price, gives a bound that no cost is below.")
    block = w.block("slopes", Grid(gradients, axis, Axis("", ["slope"])), symbol="g", label="slopes of the cost")
    column = block.column(0, "g")
    steepest = w.cell(
        "steepest", max_(column if problem.model.positive else absolute(column)), symbol="g_{max}", label="steepest"
    )
    c = w.cell("scale", where(steepest > p.l1, p.l1 / steepest, 1), symbol="c", label="scale of the dual point")
    ridge: Expr = expr(square) if squared is None or p.l2 is None else square + p.l2 * squared
    D = w.cell(
        "dual", c * p.mean(residual * v) - c**2 / 2 * ridge, symbol="D", label="bound from below, at the dual point"
    )
    gap: Expr = F - D
    tied = p.l2 is None or float(p.l2.value) == 0
    cell = w.cell(
        "gap", where(gap > 0, gap, 0), symbol=r"\Delta", label="duality gap", equals=p.gap_ if tied else None,
        attribute=problem.named("dual_gap_") if p.factor == 1 else "dual_gap_ / 2", tolerance=problem.tolerance,
        scale=max(float(F.value), float(np.mean(np.asarray(v.value) ** 2)), 1e-300),
    )  # fmt: skip
    if not tied:
        _ridge_gap(p, F, square, v, residual, coefficients, used, squares, rho, cell)


def _ridge_gap(
    p: Penalized, F: Cell, square: Cell, v: Expr, residual: Cell, coefficients: list[Expr], used: list[int],
    squares: list[Cell],
    rho: list[Cell | None], first_gap: Cell,
) -> None:  # fmt: skip
    """With a price on squares the rest itself is a dual point; the smaller of the two gaps is the model's."""
    w = p.w
    assert p.l1 is not None
    assert p.l2 is not None
    over: list[Expr] = []
    for j in used:
        product = rho[j]
        assert product is not None
        gradient = product - squares[j] * coefficients[j]
        beyond = (gradient if p.problem.model.positive else absolute(gradient)) - p.l1
        over.append(where(beyond > 0, beyond**2, 0))
    price = w.cell("over", reduce(add, over) / (2 * p.l2), symbol="O", label="what slopes above the price cost")
    D = w.cell("dual_2", p.mean(residual * v) - square / 2 - price, symbol="D_2", label="bound at the rest itself")
    gap = F - D
    w.cell(
        "gap_2", where(gap < first_gap, where(gap > 0, gap, 0), first_gap), symbol=r"\Delta_2",
        label="smaller duality gap",
        equals=p.gap_, attribute=p.problem.named("dual_gap_") if p.factor == 1 else "dual_gap_ / 2",
        tolerance=p.problem.tolerance,
        scale=max(float(F.value), float(np.mean(np.asarray(v.value) ** 2)), 1e-300),
    )  # fmt: skip


def _conditions(p: Penalized) -> None:
    """For many columns: the coefficients as found, proven by the conditions that only the best ones meet."""
    w, problem = p.w, p.problem
    assert problem.X is not None
    assert p.l1 is not None
    w.note(
        "The table is too large to follow the passes; the coefficients are given, and the conditions that make them "
        "the best are checked: the slope of a column in use is the price of its coefficient, no other is steeper."
    )
    w.step("Coefficients", "As coordinate descent found them.")
    axis = problem.data.column_axis
    coef = w.given("coef", problem.coef_, axis, symbol=r"\beta", label="coefficient")
    intercept = w.given("intercept", problem.intercept_, symbol="b", label="intercept")
    coef.attribute, intercept.attribute = problem.named("coef_"), problem.named("intercept_")
    w.step("Errors", "What the model leaves of the target.")
    product = w.block("Xb", problem.X @ Vector(coef), problem.data.row_axis, ONE, symbol=r"\text{Xβ}")
    fitted = product.column(0, r"\text{Xβ}")
    residual = w.cell(
        "rest", problem.y - (fitted + intercept if problem.centered else fitted), symbol="e", label="rest"
    )
    weighted = (
        residual if problem.weight is None else w.cell("weighted_rest", problem.weight * residual, symbol=r"\tilde{e}")
    )
    w.step("Conditions", "Mean products of the columns with the errors, against the price of the coefficients.")
    sums = w.block("sums", problem.X.T @ Vector(weighted), axis, ONE, symbol="s", label="errors times columns")
    gradient = sums.column(0, "s") / problem.size
    price = expr(p.l1) * sign(coef) if p.l2 is None else p.l1 * sign(coef) + p.l2 * coef
    above = (gradient if problem.model.positive else absolute(gradient)) - p.l1
    missed = w.cell(
        "missed", where(absolute(coef) > 0, absolute(gradient - price), where(above > 0, above, 0)), symbol=r"\delta",
        label="how far the condition is missed",
    )  # fmt: skip
    weight = np.ones(len(problem.data.X)) if problem.data.weight is None else problem.data.weight
    size = float((weight @ problem.data.X**2).max() / weight.sum())
    largest = float(np.sqrt(size * (weight @ np.asarray(problem.data.y, dtype=float) ** 2) / weight.sum()))
    reach = np.sqrt(2 * p.gap_ * (size + (0.0 if p.l2 is None else float(p.l2.value))))
    w.cell(
        "largest_miss", max_(missed), symbol=r"\delta_{max}", label="largest", equals=0.0,
        attribute="the conditions of the optimum", tolerance=1.0, scale=reach + 100 * problem.tolerance * largest,
    )  # fmt: skip
    problem.keep([], intercept)
    problem.product = fitted


@shows("ElasticNet.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    linear_regression.predict(w, model, data)
    w.title = "Elastic net: predictions"
