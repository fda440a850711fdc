"""How `LinearSVR` lays its tube: weights as a sum over rows, what each error has above epsilon, and its price."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

import numpy as np

from pellucid.working.entry import Given, shows
from pellucid.working.expression import Cell, Expr, expr
from pellucid.working.language import sum_
from pellucid.working.model import Working
from pellucid.working.shown._margins import EXACT, LOOSE, asked, columns, outside
from pellucid.working.shown.ridge import _row


@shows("LinearSVR.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Linear support vector regression: the fit"
    w.intro = "A line with a tube around it: errors within the tube cost nothing."
    _ = data.record  # other data give another model, and are refused
    assert data.y is not None
    w.step("Data", "The columns, the target, and the price of a unit outside the tube.")
    x = columns(w, data, data.X, data.row_axis)
    y = w.given("y", data.y, data.row_axis, symbol="y", label="target")
    cost = np.full(len(data.X), float(model.C)) if data.weight is None else model.C * data.weight
    C = w.given("C", cost, data.row_axis, symbol="C", label="price")
    e = w.given("epsilon", float(model.epsilon), symbol=r"\epsilon", label="half the width of the tube")
    coef, b = _weights(w, model, data, x)
    w.step("Rows", "The prediction of each row, and what its error has above epsilon.")
    predicted = np.asarray(model.predict(data.table), dtype=np.float64)
    f = _predictions(w, data, x, coef, b, predicted)
    z = w.cell("slack", outside(y, expr(f), e), symbol="z", label="outside the tube")
    squared = model.loss == "squared_epsilon_insensitive"
    w.step("What was minimized", "Half the squared length, the intercept in it as in liblinear, and the price.")
    price = w.cell("price", sum_(C * z**2 if squared else C * z), symbol="P", label="price of what is outside")
    half = _half(w, model, coef, b)
    w.cell("objective", half + price, symbol="J", label="what was minimized", equals=model.objective_,
           attribute="objective_", tolerance=LOOSE)  # fmt: skip


def _weights(w: Working, model: Any, data: Given, x: list[Cell]) -> tuple[list[Cell], Cell]:
    w.step("Weights", "The coefficients are sums over the rows: each times its own number, 0 within the tube.")
    beta = w.given("beta", model.dual_coef_, data.row_axis, symbol=r"\beta", label="coefficient of the row")
    coef = []
    sizes = np.abs(model.dual_coef_) @ np.abs(data.X)
    exact = np.abs(model.dual_coef_ @ data.X - model.coef_) <= EXACT * (sizes + 1e-300)
    for j, column in enumerate(x):
        symbol, label = f"w_{{{j + 1}}}", f"weight of {data.names[j]}"
        if exact.all():
            size = float(np.abs(model.dual_coef_ * data.X[:, j]).sum())
            coef.append(
                w.cell(f"w_{j + 1}", sum_(beta * column), symbol=symbol, label=label, equals=float(model.coef_[j]),
                       attribute=f"coef_[{j}]", tolerance=LOOSE, scale=size)
            )  # fmt: skip
        else:
            coef.append(w.given(f"w_{j + 1}", float(model.coef_[j]), symbol=symbol, label=label))
            w.check(coef[-1], float(model.coef_[j]), f"coef_[{j}]")
            w.cell(
                f"sum_{j + 1}", sum_(beta * column), symbol=f"v_{{{j + 1}}}", label="the sum over rows, which it nears"
            )
    b = w.given("intercept", float(model.intercept_[0]), symbol="b", label="intercept")
    w.check(b, float(model.intercept_[0]), "intercept_")
    return coef, b


def _predictions(w: Working, data: Given, x: list[Cell], coef: list[Cell], b: Cell, expected: Any) -> Cell:
    if not x:
        return w.given("prediction", expected, data.row_axis, symbol="f", label="prediction")
    body: Expr = expr(b)
    for c, column in zip(coef, x, strict=True):
        body = body + c * column
    size = float(np.abs(data.X).max() * max(abs(float(c.value)) for c in coef))
    return w.cell("prediction", body, symbol="f", label="prediction", equals=expected, attribute="predict(X)",
                  tolerance=LOOSE, scale=size)  # fmt: skip


def _half(w: Working, model: Any, coef: list[Cell], b: Cell) -> Expr:
    symbol, label = "S_{ww}", "squared length of w"
    if coef:
        square = w.cell("square", reduce(add, [c**2 for c in coef]), symbol=symbol, label=label)
    else:
        square = w.given("square", float((model.coef_**2).sum()), symbol=symbol, label=label)
    if not model.fit_intercept:
        return square / 2
    s = w.given("scaling", float(model.intercept_scaling), symbol="s", label="intercept_scaling")
    return (square + (b / s) ** 2) / 2


@shows("LinearSVR.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    w.title = "Linear support vector regression: predictions"
    w.intro = "Each column's value times its coefficient, added up, plus the intercept."
    expected = np.asarray(model.predict(data.table), dtype=np.float64)
    w.step("Model", "The fitted coefficients.")
    beta = w.given("coef", np.asarray(model.coef_, dtype=np.float64), data.column_axis, symbol="w", label="coefficient")
    b = w.given("intercept", float(model.intercept_[0]), symbol="b", label="intercept")
    rows = asked(w, data)
    for row in rows:
        (score,) = _row(w, model, data, row, row == rows[0], [beta], [b])
        size = float(np.abs(model.coef_ * data.X[row]).sum() + abs(float(model.intercept_[0])))
        w.check(score, expected[row], f"predict(X)[{row}]", LOOSE, size)
