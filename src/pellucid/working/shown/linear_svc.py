"""How `LinearSVC` finds its street: weights as a sum over rows, what each row lacks, and the price of it."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

import numpy as np

from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr, expr
from pellucid.working.language import absolute, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown._margins import EXACT, LOOSE, asked, columns, hinge, plane, street
from pellucid.working.shown.ridge import _largest, _row


def row_costs(model: Any, data: Given) -> Any:
    """C of every row, with its own weight and its class's."""
    cost = np.full(len(data.X), float(model.C)) if data.weight is None else model.C * data.weight
    if getattr(model, "class_weight", None) is None:
        return cost
    assert data.y is not None
    if model.class_weight == "balanced":
        row_weight = np.ones(len(data.X)) if data.weight is None else data.weight
        sizes = {label: row_weight[data.y == label].sum() for label in model.classes_.tolist()}
        return cost * np.array([row_weight.sum() / (len(sizes) * sizes[label]) for label in data.y.tolist()])
    return cost * np.array([model.class_weight.get(label, 1.0) for label in data.y.tolist()])


def _costs(model: Any, data: Given, label: Any) -> Any:
    """C of every row; of several classes, the factor of a class is for its own rows alone."""
    cost = row_costs(model, data)
    if len(model.classes_) == 2:
        return cost
    plain = np.full(len(data.X), float(model.C)) if data.weight is None else model.C * data.weight
    return np.where(data.y == label, cost, plain)


@shows("LinearSVC.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Linear support vector machine: the fit"
    w.intro = "The widest street between two classes, and what every row costs that does not keep out of it."
    assert data.y is not None
    number = int(data.options.get("plane", 0))
    label = model.classes_[1] if len(model.coef_) == 1 else model.classes_[number]
    if len(model.coef_) > 1:
        w.note(f"One plane for each of {len(model.coef_)} classes: here that of {label!s}; plane=0, 1, ... chooses it.")
    together = model.multi_class == "crammer_singer" and len(model.coef_) > 1
    w.step("Data", "The columns, the class as -1 or +1, and the price of a unit of slack.")
    x = columns(w, data, data.X, data.row_axis)
    t = w.given("t", np.where(data.y == label, 1.0, -1.0), data.row_axis, symbol="t", label=f"+1 for {label!s}")
    costs = row_costs(model, data) if together else _costs(model, data, label)
    C = w.given("C", costs, data.row_axis, symbol="C", label="price of slack")
    coef, b = _weights(w, model, data, x, number)
    w.step("The street", "Its edges are where the score is -1 and +1.")
    square = street(w, coef, model.coef_[number], float(model.margin_[number]))
    scores = np.asarray(model.decision_function(data.table)).reshape(len(data.X), -1)
    if together:
        _objective_of_all(w, model, data, _scores_of_all(w, model, data, x, (coef, b), scores, number), C)
        return
    w.step("Rows", "The score of each row, and what it lacks: 0 off the street, more than 1 on the wrong side.")
    f = plane(w, x, coef, b, scores[:, number], data.row_axis)
    z = w.cell("slack", hinge(t, f), symbol="z", label="slack")
    _objective(w, model, number, _penalty(w, model, number, coef, square, b), C, z)


def _weights(w: Working, model: Any, data: Given, x: list[Cell], number: int) -> tuple[list[Cell], Cell]:
    sparse = _has_sizes(model)
    about = "The coefficients are sums over the rows: each times its own number, which is 0 for most."
    if sparse:
        about = (
            "The slope of the price of slack is a sum over the rows. It is between -1 and 1 for every column, and the "
            "sign of a coefficient that is not zero."
        )
    w.step("Weights", about)
    beta = w.given("beta", model.dual_coef_[number], data.row_axis, symbol=r"\beta", label="coefficient of the row")
    weights, offset = np.asarray(model.coef_[number]), float(model.intercept_[number])
    coef: list[Cell] = []
    for j, column in enumerate(x):
        size = float(np.abs(np.asarray(beta.value) * np.asarray(column.value)).sum())
        if not sparse and _is_sum(model, data, number):
            coef.append(
                w.cell(f"w_{j + 1}", sum_(beta * column), symbol=f"w_{{{j + 1}}}", label=f"weight of {data.names[j]}",
                       equals=weights[j], attribute=f"coef_[{number}, {j}]", tolerance=LOOSE, scale=size)
            )  # fmt: skip
        else:
            coef.append(
                w.given(f"w_{j + 1}", float(weights[j]), symbol=f"w_{{{j + 1}}}", label=f"weight of {data.names[j]}")
            )
            w.check(coef[-1], weights[j], f"coef_[{number}, {j}]")
            label = "the sum over rows" if sparse else "the sum over rows, which it nears"
            w.cell(f"sum_{j + 1}", sum_(beta * column), symbol=f"v_{{{j + 1}}}", label=label)
    b = w.given("intercept", offset, symbol="b", label="intercept")
    w.check(b, offset, "intercept_")
    return coef, b


def _is_sum(model: Any, data: Given, number: int) -> bool:
    """Are the weights the sums to rounding? Newton's method comes near them alone."""
    sums, sizes = model.dual_coef_[number] @ data.X, np.abs(model.dual_coef_[number]) @ np.abs(data.X)
    return bool((np.abs(sums - model.coef_[number]) <= EXACT * np.maximum(sizes, np.abs(sums))).all())


def _has_sizes(model: Any) -> bool:
    """Is the penalty one of sizes?"""
    return bool(model.penalty == "l1" and model.multi_class == "ovr")


def _penalty(w: Working, model: Any, number: int, coef: list[Cell], square: Expr, b: Cell) -> Expr:
    if _has_sizes(model):
        about = "The sizes of the coefficients, the intercept in it as in liblinear, and the price of slack."
    else:
        about = "Half the squared length, the intercept in it as in liblinear, and the price of slack."
    w.step("What was minimized", about)
    s = w.given("scaling", float(model.intercept_scaling), symbol="s", label="intercept_scaling")
    if _has_sizes(model):
        sizes: Expr = reduce(add, [absolute(c) for c in coef]) if coef else w.given(
            "sizes", float(np.abs(model.coef_[number]).sum()), symbol="S_w", label="sum of the sizes")  # fmt: skip
        return sizes + absolute(b / s) if model.fit_intercept else expr(sizes)
    # Two classes at once have planes of opposite signs, whose difference w is: half of w each.
    half = 2 if model.multi_class == "ovr" else 4
    return (square + (b / s) ** 2) / half if model.fit_intercept else expr(square) / half


def _objective(w: Working, model: Any, number: int, penalty: Expr, C: Cell, z: Cell) -> None:
    squared = model.loss == "squared_hinge" and model.multi_class == "ovr"
    price = w.cell("price", sum_(C * z**2 if squared else C * z), symbol="P", label="price of slack")
    w.cell("objective", penalty + price, symbol="J", label="what was minimized", equals=float(model.objective_[number]),
           attribute=f"objective_[{number}]", tolerance=LOOSE)  # fmt: skip


def _scores_of_all(
    w: Working, model: Any, data: Given, x: list[Cell], fitted_plane: tuple[list[Cell], Cell], scores: Any, number: int
) -> list[Cell]:
    w.step("Rows", "The score of each class: its own class should be ahead of every other by 1.")
    score_cells = []
    for m, name in enumerate(model.classes_.tolist()):
        if m == number:
            score_cells.append(plane(w, x, *fitted_plane, scores[:, m], data.row_axis))
        else:
            score_cells.append(w.given(f"score_{m + 1}", scores[:, m], data.row_axis, symbol=f"f_{{{m + 1}}}",
                                 label=f"score of {name!s}"))  # fmt: skip
    return score_cells


def _objective_of_all(w: Working, model: Any, data: Given, f: list[Cell], C: Cell) -> None:
    indicators = [
        w.given(f"is_{m + 1}", (data.y == name).astype(float), data.row_axis, symbol=f"o_{{{m + 1}}}",
                label=f"1 for {name!s}") for m, name in enumerate(model.classes_.tolist())
    ]  # fmt: skip
    own_score = w.cell("own", reduce(add, [o * score for o, score in zip(indicators, f, strict=True)]), symbol="f_y",
                       label="score of the own class")  # fmt: skip
    best: Expr = f[0] + 1 - indicators[0]
    for m in range(1, len(f)):
        ahead = w.cell(
            f"best_{m + 1}", best, symbol=f"g_{{{m}}}", label=f"the largest of {m}, 1 more where not the own"
        )
        rival = f[m] + 1 - indicators[m]
        best = where(rival > ahead, rival, ahead)
    z = w.cell("slack", best - own_score, symbol="z", label="slack")
    w.step(
        "What was minimized", "Half the squared lengths of all planes, with their intercepts, and the price of slack."
    )
    classes = Axis("class", [str(name) for name in model.classes_.tolist()], "m", "k")
    squares = w.given("squares", (np.asarray(model.coef_) ** 2).sum(axis=1), classes, symbol="S_m",
                      label="squared length")  # fmt: skip
    b = w.given("intercepts", np.asarray(model.intercept_, dtype=np.float64), classes, symbol="b_m", label="intercept")
    s = w.given("scaling", float(model.intercept_scaling), symbol="s", label="intercept_scaling")
    price = w.cell("price", sum_(C * z), symbol="P", label="price of slack")
    w.cell("objective", sum_(squares + (b / s) ** 2) / 2 + price, symbol="J", label="what was minimized",
           equals=float(model.objective_[0]), attribute="objective_[0]", tolerance=LOOSE)  # fmt: skip


@shows("LinearSVC.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    w.title = "Linear support vector machine: predictions"
    coef, k = np.asarray(model.coef_, dtype=np.float64), len(model.coef_)
    names = [name.item() if isinstance(name, np.generic) else name for name in model.classes_]
    rule = "The class with the largest score wins." if k > 1 else f"Above zero it is {names[1]}, else {names[0]}."
    w.intro = f"A score: each column's value times its coefficient, added up, plus the intercept. {rule}"
    scores = np.asarray(model.decision_function(data.table), dtype=np.float64).reshape(len(data.X), -1)
    predicted = np.asarray(model.predict(data.table))
    w.step("Model", "The fitted coefficients.")
    marks = [""] if k == 1 else [f"_{t + 1}" for t in range(k)]
    of = [""] if k == 1 else [f" of {name}" for name in names]
    beta = [w.given(f"coef{m}", coef[t], data.column_axis, symbol=f"w{m}", label=f"weight{of[t]}")
            for t, m in enumerate(marks)]  # fmt: skip
    b = [w.given(f"intercept{m}", float(model.intercept_[t]), symbol=f"b{m}", label="intercept")
         for t, m in enumerate(marks)]  # fmt: skip
    if k == 1 and np.isfinite(model.margin_[0]):
        length = w.given("length", 2 / float(model.margin_[0]), symbol="L_w", label="length of w")
    rows = asked(w, data)
    for row in rows:
        row_scores = _row(w, model, data, row, row == rows[0], beta, b)
        for t, score in enumerate(row_scores):
            size = float(np.abs(coef[t] * data.X[row]).sum() + abs(float(model.intercept_[t])))
            w.check(score, scores[row, t], f"decision_function(X)[{row}]", LOOSE, size)
        if k == 1 and np.isfinite(model.margin_[0]):
            w.cell(f"distance_{row}", row_scores[0] / length, symbol=f"d_{{{row}}}", label="distance from the plane")
        best = where(row_scores[0] > 0, names[1], names[0]) if k == 1 else _largest(row_scores, names)
        label = predicted[row].item() if isinstance(predicted[row], np.generic) else predicted[row]
        w.cell(f"label_{row}", best, symbol=rf"\hat{{y}}_{{{row}}}", label="label", equals=label,
               attribute=f"predict(X)[{row}]")  # fmt: skip
