"""How `PolynomialRegression` chooses its degree, what becomes of the columns, and the fit of the last step."""

from __future__ import annotations

from functools import reduce
from itertools import islice
from operator import add, mul
from typing import Any

import numpy as np

from pellucid.base.types import Floats
from pellucid.working.entry import Given, shows, written_for
from pellucid.working.expression import Axis, Cell, Expr
from pellucid.working.language import arg_max, count, lookup, max_, mean, min_, sqrt, sum_, where
from pellucid.working.model import Working

MOST_FOLDS = 20
MOST_TERMS = 30
MOST_COLUMNS = 10


@shows("PolynomialRegression.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    used = _of_weight(data)
    _degree(w, model)
    products = _made(model, used.X)
    if len(data.names) <= MOST_COLUMNS:
        columns = _columns(w, model, used)
        _terms(w, model, used, columns, products[0])
    else:
        w.note(f"The table has {len(data.names)} columns; how each is scaled and multiplied is not shown.")
    line = model.pipeline_[-1]
    written_for(line, "fit")(w, line, _given_to_line(model, used, products[-1]))
    w.title = "Polynomial regression: the fit"
    w.intro = (
        f"A polynomial of degree {model.degree_}: powers and products of the columns, then a linear model of them. "
        "In the last steps X is the table of the scaled products."
    )


@shows("PolynomialRegression.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    line = model.pipeline_[-1]
    rows = data.rows or list(range(min(len(data.X), 3)))
    if len(data.names) <= MOST_COLUMNS:
        some = Given(data.X[rows], data.names)
        some.row_axis = Axis("row", rows)
        columns = _columns(w, model, some, learned=True)
        _terms(w, model, some, columns, _made(model, some.X)[0], learned=True)
    line_data = _given_to_line(model, data, _made(model, data.X)[-1])
    line_data.rows = data.rows
    written_for(line, "predict")(w, line, line_data)
    w.title = "Polynomial regression: predictions"
    w.intro = "The row's powers and products, scaled as in the fit, each times its coefficient, and added up."


def _of_weight(data: Given) -> Given:
    """The rows that count: those of weight zero are left out of the fit."""
    if data.weight is None or (data.weight > 0).all():
        return data
    row_indices = np.flatnonzero(data.weight)
    assert data.y is not None
    options = {**data.options, "y": data.options["y"][row_indices]}
    table = data.X[row_indices]
    weighted_data = Given(
        table, data.names, table, data.y[row_indices], data.target, data.weight[row_indices], [], dict, options
    )
    weighted_data.row_axis, weighted_data.column_axis = Axis("row", (row_indices + 1).tolist()), data.column_axis
    return weighted_data


def _made(model: Any, X: Floats) -> tuple[Floats, Floats]:
    """The products of the columns, and the same scaled."""
    steps = model.pipeline_.named_steps
    z = steps["columns"].transform(X) if "columns" in steps else X
    products = steps["terms"].transform(z)
    return products, steps["scale"].transform(products) if "scale" in steps else products


def _given_to_line(model: Any, data: Given, table: Floats) -> Given:
    names = [str(name) for name in model.pipeline_.named_steps["terms"].get_feature_names_out(_safe(data.names))]
    weight, options = data.weight, data.options
    line_data = Given(table, names, table, data.y, data.target, weight, list(data.rows), dict, options)
    line_data.row_axis, line_data.column_axis = data.row_axis, Axis("column", names, "j", "p")
    return line_data


def _safe(names: list[str]) -> list[str]:
    """Names of which powers can be read."""
    return [name if name.isidentifier() else f"({name})" for name in names]


# ------------------------------------------------------------------------------------------------------------- degree


def _degree(w: Working, model: Any) -> None:
    curve = model.curve_
    w.step("Degree", "How high the powers go.")
    if curve is None:
        w.given("degree", float(model.degree_), symbol="d", label="the only degree that was to be tried")
        return
    scores = np.where(np.isfinite(curve.test_scores), curve.test_scores, -1e300)
    axis = Axis("degree", list(curve.param_range), "d", "D")
    d = w.given("degrees", np.array(curve.param_range, dtype=np.float64), axis, symbol="d", label="degree")
    n_folds = scores.shape[1]
    if n_folds > MOST_FOLDS:
        w.note(f"The scores of the {n_folds} folds are not shown one by one.")
        means: Cell = w.given("mean_score", scores.mean(axis=1), axis, symbol="m", label="mean score on rows held out")
    else:
        folds: list[Expr] = [
            w.given(f"fold_{k + 1}", scores[:, k], axis, symbol=f"s_{{{k + 1}}}", label=f"score on fold {k + 1}")
            for k in range(n_folds)
        ]
        means = w.cell("mean_score", reduce(add, folds) / n_folds, symbol="m", label="mean score on rows held out")
    w.step("Choice", _CHOICES[model.choose])
    if model.choose == "best" or n_folds == 1:
        best_degree: Expr = lookup(d, arg_max(means))
    else:
        best = int(np.argmax(scores.mean(axis=1)))
        of_best = w.given("of_best", scores[best], w.axis("fold", range(1, n_folds + 1), "k", "K"), symbol="q",
                          label="scores of the best degree")  # fmt: skip
        spread = w.cell("spread", sqrt(sum_((of_best - mean(of_best)) ** 2) / (count(of_best) - 1)), symbol="s",
                        label="their standard deviation")  # fmt: skip
        bar = w.cell("bar", max_(means) - spread / sqrt(count(of_best)), symbol=r"\text{bar}",
                     label="best mean less one standard error")  # fmt: skip
        best_degree = min_(where(means >= bar, d, float(max(curve.param_range))))
    w.cell("degree", best_degree, symbol=r"d^*", label="degree", equals=float(model.degree_), attribute="degree_")


_CHOICES = {
    "best": "The degree with the highest mean score, the lowest of equals.",
    "one_standard_error": "The lowest degree whose mean score is within one standard error of the best.",
}


# ------------------------------------------------------------------------------------------------- columns and products


def _columns(w: Working, model: Any, data: Given, learned: bool = False) -> list[Cell]:
    """Each column between its ends, from -1 to 1; as it is where nothing is scaled."""
    scaler = model.pipeline_.named_steps.get("columns")
    columns: list[Cell] = []
    single_column = len(data.names) == 1
    for j, name in enumerate(data.names):
        tag, mark = ("", "") if single_column else (f"_{j + 1}", f"_{{{j + 1}}}")
        scaled = "Its values, brought to -1 at the smallest and 1 at the largest of the fit."
        w.step(f"Column {name}", "Its values." if scaler is None else scaled)
        x = w.given(f"column{tag}", data.X[:, j], data.row_axis, symbol=f"t{mark}", label=name)
        if scaler is None:
            columns.append(x)
            continue
        size = float(np.abs(data.X[:, j]).max(initial=0.0))
        low: Expr
        if learned:
            low = w.given(f"low{tag}", float(scaler.data_min_[j]), symbol=f"l{mark}", label="smallest of the fit")
            high = w.given(f"high{tag}", float(scaler.data_max_[j]), symbol=f"h{mark}", label="largest of the fit")
        else:
            low = w.cell(f"low{tag}", min_(x), symbol=f"l{mark}", label="smallest", equals=scaler.data_min_[j],
                         attribute=f"pipeline_['columns'].data_min_[{j}]", scale=size)  # fmt: skip
            high = w.cell(f"high{tag}", max_(x), symbol=f"h{mark}", label="largest", equals=scaler.data_max_[j],
                          attribute=f"pipeline_['columns'].data_max_[{j}]", scale=size)  # fmt: skip
        reach = where(high > low, high - low, 1)
        z = 2 * (x - low) / reach - 1
        columns.append(w.cell(f"z{tag}", z, symbol=f"z{mark}", label=f"{name}, scaled"))
    return columns


def _terms(w: Working, model: Any, data: Given, z: list[Cell], products: Floats, learned: bool = False) -> None:
    steps = model.pipeline_.named_steps
    names = steps["terms"].get_feature_names_out(_safe(data.names))
    scaler = steps.get("scale")
    many = len(names) - MOST_TERMS
    if many > 0:
        w.note(f"The last {many:,} of {len(names):,} products are not shown.")
    w.step("Products", "Powers and products of the scaled columns." if "columns" in steps else "Powers and products.")
    cells: list[Cell] = []
    for t, powers in enumerate(islice(steps["terms"].powers_, MOST_TERMS)):
        factors: list[Expr] = [z[j] if k == 1 else z[j] ** int(k) for j, k in enumerate(powers) if k]
        v = w.cell(f"product_{t + 1}", reduce(mul, factors), symbol=f"g_{{{t + 1}}}", label=str(names[t]),
                   equals=products[:, t], attribute="pipeline_['terms']", scale=1.0)  # fmt: skip
        cells.append(v)
    if scaler is None:
        return
    w.step("Scaled products", "Each less its mean, over its spread: these are the columns of the linear model.")
    weight: Cell | None = None
    if data.weight is not None and not learned:
        weight = w.given("product_weight", data.weight, data.row_axis, symbol="w", label="weight")
    for t, v in enumerate(cells):
        m, c = _known(w, scaler, t) if learned else _worked_out(w, scaler, t, v, weight)
        w.cell(f"scaled_{t + 1}", (v - m) / c, symbol=f"x_{{{t + 1}}}", label=f"{names[t]}, scaled")


def _known(w: Working, scaler: Any, t: int) -> tuple[Cell, Cell]:
    m = w.given(f"mean_{t + 1}", float(scaler.mean_[t]), symbol=f"m_{{{t + 1}}}", label="mean in the fit")
    return m, w.given(f"spread_{t + 1}", float(scaler.scale_[t]), symbol=f"c_{{{t + 1}}}", label="spread in the fit")


def _worked_out(w: Working, scaler: Any, t: int, v: Cell, weight: Cell | None) -> tuple[Cell, Cell]:
    def average(column: Expr) -> Expr:
        return mean(column) if weight is None else sum_(weight * column) / sum_(weight)

    size = float(np.abs(v.value).max(initial=0.0))
    m = w.cell(f"mean_{t + 1}", average(v), symbol=f"m_{{{t + 1}}}", label="mean", equals=scaler.mean_[t],
               attribute=f"pipeline_['scale'].mean_[{t}]", scale=size)  # fmt: skip
    if scaler.var_[t] == 0:
        return m, w.given(f"spread_{t + 1}", 1.0, symbol=f"c_{{{t + 1}}}", label="1, since the product is constant")
    c = w.cell(f"spread_{t + 1}", sqrt(average((v - m) ** 2)), symbol=f"c_{{{t + 1}}}", label="spread",
               equals=scaler.scale_[t], attribute=f"pipeline_['scale'].scale_[{t}]", scale=size)  # fmt: skip
    return m, c
