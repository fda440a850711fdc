"""How `SVR` comes to its curve: support vectors outside the tube, the intercept they give, and sums over them."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.working.entry import Given, shows
from pellucid.working.expression import expr
from pellucid.working.language import absolute, sum_
from pellucid.working.model import Working
from pellucid.working.shown._margins import LOOSE, Laid, asked, intercept, kernel_numbers, outside

ABOUT = "The rows on the tube's edge and outside it: beta is above zero for those above the curve, below it for others."


@shows("SVR.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Support vector regression: the fit"
    w.intro = "A curve with a tube around it: rows within the tube cost nothing and change nothing."
    assert data.y is not None
    _ = data.record  # other data give another model, and are refused
    beta = np.asarray(model.dual_coef_[0])
    laid = Laid(w, model, data, beta, ABOUT)
    y = np.asarray(data.y, dtype=np.float64)
    costs = np.full(len(data.X), float(model.C)) if data.weight is None else model.C * data.weight
    targets = w.given("y_s", y[model.support_], laid.axis, symbol="y_s", label="target")
    e = w.given("epsilon", float(model.epsilon), symbol=r"\epsilon", label="half the width of the tube")
    w.cell("balance", sum_(laid.beta), symbol=r"\Sigma", label="the sum of beta, which is 0")
    free = np.abs(beta) < costs[model.support_]
    edges = y[model.support_] - np.sign(beta) * model.epsilon
    b = intercept(w, laid, data.X[model.support_], edges, free, float(model.intercept_[0]))
    if model.kernel == "linear":
        w.step("The line", "With a linear kernel the sum is a line: w is the sum of beta x.")
        for j, s in enumerate(laid.s):
            w.cell(f"w_{j + 1}", sum_(laid.beta * s), symbol=f"w_{{{j + 1}}}", label=f"weight of {data.names[j]}",
                   equals=float(model.coef_[0, j]), attribute=f"coef_[0, {j}]", tolerance=LOOSE,
                   scale=float(np.abs(beta * np.asarray(s.value)).sum()))  # fmt: skip
    w.step("Rows", "The sum over support vectors of each row, its prediction, and what lies outside the tube.")
    sums = kernel_numbers(model, data.X) @ beta
    target = w.given("y", y, data.row_axis, symbol="y", label="target")
    C = w.given("C", costs, data.row_axis, symbol="C", label="price")
    g = w.given("g", sums, data.row_axis, symbol="g", label="sum over support vectors")
    size = float(np.abs(beta).sum() * np.abs(kernel_numbers(model, data.X)).max(initial=0.0)) + 1e-300
    f = w.cell("prediction", g + b, symbol="f", label="prediction", equals=np.asarray(model.predict(data.table)),
               attribute="predict(X)", tolerance=LOOSE, scale=size)  # fmt: skip
    z = w.cell("slack", outside(target, expr(f), e), symbol="z", label="outside the tube")
    w.step("Both sides of the optimum", "What is minimized, and the dual that is maximized: they meet.")
    own = w.given("g_support", sums[model.support_], laid.axis, symbol="g_s", label="sum at the support vector")
    square = w.cell("square_w", sum_(laid.beta * own), symbol="S_{ww}", label="squared length of w")
    w.cell("primal", square / 2 + sum_(C * z), symbol="P", label="what is minimized")
    w.cell("dual", sum_(targets * laid.beta - e * absolute(laid.beta)) - square / 2, symbol="D", label="the dual",
           equals=model.objective_, attribute="objective_", tolerance=LOOSE,
           scale=float(np.abs(beta * y[model.support_]).sum()) + size)  # fmt: skip


@shows("SVR.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    w.title = "Support vector regression: predictions"
    w.intro = "A sum over support vectors, coefficient times kernel, plus b."
    said = np.asarray(model.predict(data.table), dtype=np.float64)
    laid = Laid(w, model, data, model.dual_coef_[0], "The rows that hold the tube, with their coefficients.")
    b = w.given("intercept", float(model.intercept_[0]), symbol="b", label="intercept")
    rows = asked(w, data)
    for row in rows:
        w.step(f"Row {row}", "Row numbers are counted from 0." if row == rows[0] else "")
        f = laid.score(str(row), data.X[row], b)
        size = float(np.abs(np.asarray(w.cells[f"term_{row}"].value)).sum()) + abs(float(model.intercept_[0]))
        w.check(f, said[row], f"predict(X)[{row}]", LOOSE, size)
