"""How `SVC` comes to its answer: support vectors, the intercept they give, slack, and sums over them."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from pellucid.base.types import Floats
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr, expr
from pellucid.working.language import arg_max, exp, lookup, max_, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown._margins import LOOSE, MOST_MACHINES, Laid, asked, hinge, intercept, kernel_numbers, street
from pellucid.working.shown.linear_svc import row_costs

ABOUT = "The rows that hold the street: beta is a t, with a between 0 and the row's price of slack."


def _pair(model: Any, number: int) -> tuple[Any, Any]:
    """The classes of a machine, +1 first."""
    if len(model.classes_) == 2:
        return model.classes_[1], model.classes_[0]
    i, j = list(combinations(range(len(model.classes_)), 2))[number]
    return model.classes_[i], model.classes_[j]


def _numbers(model: Any, data: Given, rows: Any) -> Floats:
    """Rows in the form that kernels take."""
    return np.asarray(data.X[rows], dtype=np.float64)


@shows("SVC.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Support vector machine: the fit"
    w.intro = "The widest street between two classes, held by the rows on its edges and beyond them."
    assert data.y is not None
    number = int(data.options.get("machine", 0))
    plus, minus = _pair(model, number)
    if len(model.classes_) > 2:
        w.note(f"One machine for each two of {len(model.classes_)} classes: here {plus!s} against {minus!s}; "
               "machine=0, 1, ... chooses it.")  # fmt: skip
    beta = np.asarray(model.machine_coef[number])
    laid = Laid(w, model, data, beta, ABOUT)
    support = model.support_
    t = w.given("t", np.where(data.y[support] == plus, 1.0, -1.0), laid.axis, symbol="t", label=f"+1 for {plus!s}")
    costs = row_costs(model, data)
    C = w.given("C", costs[support], laid.axis, symbol="C", label="price of slack")
    a = w.cell("a", t * laid.beta, symbol="a", label="dual coefficient")
    w.cell("balance", sum_(laid.beta), symbol=r"\Sigma", label="the sum of beta, which is 0")
    free = (beta != 0) & (np.abs(beta) < np.asarray(C.value))
    edges = np.sign(beta)
    b = intercept(w, laid, _numbers(model, data, support), edges, free, float(model.intercept_[number]))
    _line(w, model, data, laid, number)
    _rows(w, model, data, number, (plus, minus), costs, laid, a, b)
    _ = data.record  # other data give another model, and are refused


def _line(w: Working, model: Any, data: Given, laid: Laid, number: int) -> None:
    if model.kernel != "linear":
        return
    w.step("The line", "With a linear kernel the sum over support vectors is a line: w is the sum of beta x.")
    found = model.coef_[number]
    coef = [
        w.cell(f"w_{j + 1}", sum_(laid.beta * s), symbol=f"w_{{{j + 1}}}", label=f"weight of {data.names[j]}",
               equals=float(found[j]), attribute=f"coef_[{number}, {j}]", tolerance=LOOSE,
               scale=float(np.abs(np.asarray(laid.beta.value) * np.asarray(s.value)).sum()))
        for j, s in enumerate(laid.s)
    ]  # fmt: skip
    street(w, coef, found, float(model.margin_[number]))


def _rows(
    w: Working, model: Any, data: Given, number: int, pair: tuple[Any, Any], costs: Floats, laid: Laid, a: Cell,
    b: Cell,
) -> None:  # fmt: skip
    assert data.y is not None
    own = np.flatnonzero(((data.y == pair[0]) | (data.y == pair[1])) & (costs > 0))
    axis = Axis("row", [int(row) + 1 for row in own], "i", "n")
    w.step("Rows", "The sum over support vectors of each row, its score, and what it lacks: its slack.")
    sums = kernel_numbers(model, _numbers(model, data, own)) @ np.asarray(laid.beta.value)
    t = w.given("t_row", np.where(data.y[own] == pair[0], 1.0, -1.0), axis, symbol="t", label=f"+1 for {pair[0]!s}")
    C = w.given("C_row", costs[own], axis, symbol="C", label="price of slack")
    g = w.given("g", sums, axis, symbol="g", label="sum over support vectors")
    f = w.cell("score", g + b, symbol="f", label="score")
    z = w.cell("slack", hinge(t, expr(f)), symbol="z", label="slack")
    w.step("Both sides of the optimum", "What is minimized, and the dual that is maximized: they meet.")
    at = np.searchsorted(own, model.support_)
    inside = (at < len(own)) & (own[np.minimum(at, len(own) - 1)] == model.support_)
    of = np.where(inside, sums[np.minimum(at, len(own) - 1)], 0.0)
    own_sums = w.given("g_support", of, laid.axis, symbol="g_s", label="sum at the support vector")
    square = w.cell("square_w", sum_(laid.beta * own_sums), symbol="S_{ww}", label="squared length of w")
    size = float(np.abs(np.asarray(laid.beta.value)).sum()) + 1e-300
    price = sum_(C * z) if np.isfinite(costs).all() else 0  # of a hard margin nothing lacks but rounding
    w.cell("primal", square / 2 + price, symbol="P", label="what is minimized")
    w.cell("dual", sum_(a) - square / 2, symbol="D", label="the dual",
           equals=float(model.objective_[number]), attribute=f"objective_[{number}]", tolerance=LOOSE,
           scale=size)  # fmt: skip


@shows("SVC.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    w.title = "Support vector machine: predictions"
    names = [name.item() if isinstance(name, np.generic) else name for name in model.classes_]
    k, machines = len(names), len(model.intercept_)
    w.intro = (
        f"A sum over support vectors, coefficient times kernel, plus b. Above zero it is {names[1]}, else {names[0]}."
        if k == 2
        else "One machine for each two classes, a sum over support vectors each; the class with most votes wins."
    )
    said = np.asarray(model.predict(data.table))
    scores = np.asarray(model._scores(model._validate_predict(data.table)), dtype=np.float64)
    rows = asked(w, data)
    if machines > MOST_MACHINES:
        w.note(f"Of {machines} machines, more than {MOST_MACHINES}, the scores are given, not laid out.")
        _votes_of_given(w, model, data, rows, names, scores, said)
        return
    laid = Laid(w, model, data, model.machine_coef[0], "The rows that hold the street, with their coefficients.")
    betas = [laid.beta] + [
        w.given(f"beta_{m + 1}", model.machine_coef[m], laid.axis, symbol=rf"\beta_{{{m + 1}}}",
                label=f"coefficient, machine {m + 1}") for m in range(1, machines)
    ]  # fmt: skip
    b = [w.given(f"b_of_{m + 1}", float(model.intercept_[m]), symbol=f"b_{{{m + 1}}}", label="intercept")
         for m in range(machines)]  # fmt: skip
    for row in rows:
        w.step(f"Row {row}", "Row numbers are counted from 0." if row == rows[0] else "")
        K = laid.kernel(str(row), data.X[row])
        found = []
        for m in range(machines):
            mark = f"{row}" if machines == 1 else f"{row}_{m + 1}"
            term = w.cell(
                f"term_{mark}", betas[m] * K, symbol=f"p_{{{mark.replace('_', ',')}}}", label="coefficient times kernel"
            )
            size = float(np.abs(np.asarray(term.value)).sum()) + abs(float(model.intercept_[m]))
            found.append(
                w.cell(f"score_{mark}", sum_(term) + b[m], symbol=f"f_{{{mark.replace('_', ',')}}}", label="score",
                       equals=scores[row, m], attribute=f"decision_function(X)[{row}]", tolerance=LOOSE, scale=size)
            )  # fmt: skip
        _label(w, names, found, row, said[row])
        _probabilities(w, model, data, found, row, names)


def _probabilities(w: Working, model: Any, data: Given, found: list[Cell], row: int, names: list[Any]) -> None:
    """Platt's sigmoid of each machine; of two classes that is the probability itself."""
    if model.probability is not True:
        return
    whole = np.asarray(model.predict_proba(data.table), dtype=np.float64)[row]
    first: list[Cell] = []
    for m, (f, (i, j)) in enumerate(zip(found, combinations(range(len(names)), 2), strict=True)):
        mark = f"{row}" if len(found) == 1 else f"{row}_{m + 1}"
        slope, start = (
            w.given(
                f"{name}_{mark}", float(of[m]), symbol=f"{symbol}_{{{mark.replace('_', ',')}}}", label=f"prob{symbol}_"
            )
            for name, symbol, of in (("slope", "A", model.probA_), ("start", "B", model.probB_))
        )
        score = -f if len(names) == 2 else f
        first.append(
            w.cell(f"first_{mark}", 1 / (1 + exp(slope * score + start)), symbol=f"r_{{{mark.replace('_', ',')}}}",
                   label=f"probability of {names[i]} against {names[j]}")
        )  # fmt: skip
    if len(names) == 2:
        w.check(first[0], whole[0], f"predict_proba(X)[{row}, 0]", LOOSE, 1.0)
        return
    for k, name in enumerate(names):
        w.given(f"probability_{row}_{k + 1}", float(whole[k]), symbol=f"p_{{{row},{k + 1}}}",
                label=f"probability of {name}, which agrees best with those of each two")  # fmt: skip


def _label(w: Working, names: list[Any], found: list[Cell], row: int, said: Any) -> None:
    label = said.item() if isinstance(said, np.generic) else said
    symbol, about = rf"\hat{{y}}_{{{row}}}", f"predict(X)[{row}]"
    if len(names) == 2:
        best: Expr = where(found[0] > 0, names[1], names[0])
    else:
        votes: list[Expr] = [expr(0) for _ in names]
        for f, (i, j) in zip(found, combinations(range(len(names)), 2), strict=True):
            votes[i] = votes[i] + where(f > 0, 1, 0)
            votes[j] = votes[j] + where(f > 0, 0, 1)
        cells = [
            w.cell(f"votes_{row}_{i + 1}", one, symbol=f"v_{{{row},{i + 1}}}", label=f"votes for {names[i]}")
            for i, one in enumerate(votes)
        ]
        best, most = expr(names[0]), expr(cells[0])
        for i in range(1, len(names)):
            best, most = where(cells[i] > most, names[i], best), where(cells[i] > most, cells[i], most)
    w.cell(f"label_{row}", best, symbol=symbol, label="label", equals=label, attribute=about)


def _votes_of_given(
    w: Working, model: Any, data: Given, rows: list[int], names: list[Any], scores: Floats, said: Any
) -> None:
    pairs = list(combinations(range(len(names)), 2))
    axis = Axis("machine", [f"{names[i]}/{names[j]}" for i, j in pairs], "m", "M")
    classes = Axis("class", [str(name) for name in names], "c", "k")
    for row in rows:
        w.step(f"Row {row}", "The score of each machine, and the votes.")
        w.given(f"score_{row}", scores[row], axis, symbol=f"f_{{{row}}}", label="score")
        count = np.zeros(len(names))
        for m, (i, j) in enumerate(pairs):
            count[i if scores[row, m] > 0 else j] += 1
        v = w.given(f"votes_{row}", count, classes, symbol=f"v_{{{row}}}", label="votes")
        w.cell(f"most_{row}", max_(v), symbol=r"\hat{v}", label="most votes")
        place = w.cell(f"place_{row}", arg_max(v), symbol="a", label="the place of the first with most")
        label = said[row].item() if isinstance(said[row], np.generic) else said[row]
        n = w.given(f"names_{row}", np.array(names, dtype=object), classes, symbol="c", label="class")
        w.cell(f"label_{row}", lookup(n, place), symbol=rf"\hat{{y}}_{{{row}}}", label="label", equals=label,
               attribute=f"predict(X)[{row}]")  # fmt: skip
