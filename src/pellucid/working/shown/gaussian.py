"""Gaussian naive Bayes: means and variances by class, densities of a row, product, shares and logarithms."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr
from pellucid.working.language import exp, ln, mean, pi, sqrt, sum_
from pellucid.working.model import Working
from pellucid.working.shown._naive_bayes import (
    MOST_COLUMNS,
    Classes,
    Found,
    Rows,
    answers,
    known_classes,
    narrow,
    priors,
    read_rows,
    shown_columns,
    wide,
)


@shows("GaussianNB.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Gaussian naive Bayes: the fit"
    w.intro = "A prior for each class, and for each class and column a mean and a variance: the bell curve."
    rows = read_rows(w, data, shown_columns(w, data))
    k, _ = priors(rows, model)
    epsilon = _epsilon(rows, model, data)
    for at, x in enumerate(rows.x):
        _bell(rows, k, model, at, x, epsilon)


def _epsilon(rows: Rows, model: Any, data: Given) -> Cell | None:
    """A share of the largest variance of a column."""
    w = rows.w
    if model.var_smoothing == 0:
        return None
    w.step("What is added", "A share of the largest variance of a column, over all rows, is added to every variance.")
    share = w.given("share", float(model.var_smoothing), symbol="s", label="var_smoothing")
    weight = np.ones(len(data.X)) if data.weight is None else data.weight
    spread = [_variance(data.X[:, j], weight) for j in range(data.X.shape[1])]
    j = int(np.argmax(spread))
    if spread[j] == 0:
        w.note("All columns are constant: the share itself is added.")
        return w.cell("epsilon", share, symbol=r"\epsilon", label="added", equals=model.epsilon_, attribute="epsilon_")
    there = ~np.isnan(data.X[:, j]) & (weight > 0)
    axis = Axis("row", (np.flatnonzero(there) + 1).tolist())
    z = w.given("widest", data.X[there, j], axis, symbol="z", label=f"{data.names[j]}, the column that varies most")
    if data.weight is None:
        center = w.cell("widest_mean", mean(z), symbol=r"\bar{z}", label="its mean")
        variance: Expr = mean((z - center) ** 2)
    else:
        s = w.given("widest_weight", weight[there], axis, symbol="u", label="weight")
        center = w.cell("widest_mean", sum_(s * z) / sum_(s), symbol=r"\bar{z}", label="its mean")
        variance = sum_(s * (z - center) ** 2) / sum_(s)
    v = w.cell("widest_variance", variance, symbol="V", label="its variance")
    return w.cell("epsilon", share * v, symbol=r"\epsilon", label="added", equals=model.epsilon_,
                  attribute="epsilon_", tolerance=1e-7)  # fmt: skip


def _variance(x: Any, weight: Any) -> float:
    there = ~np.isnan(x) & (weight > 0)
    if not there.any():
        return 0.0
    center = np.average(x[there], weights=weight[there])
    return float(np.average((x[there] - center) ** 2, weights=weight[there]))


def _bell(rows: Rows, k: Classes, model: Any, at: int, x: Cell, epsilon: Cell | None) -> None:
    """Mean and variance of one column in every class."""
    w, name, mark = rows.w, rows.data.names[at], f"{{{at + 1}}}"
    below = "the number of rows" if model.ddof == 0 else "the number of rows less one"
    w.step(f"Column {name}", f"Its mean in each class, and the mean square of what is left: the sum over {below}.")
    if rows.x[at].axis is rows.data.row_axis:
        n: Any = w.cells["count"]
    else:
        n = w.cell(f"count_{at + 1}", rows.in_class(k.label, 1, at), symbol=f"N_{mark}", label="rows with a number",
                   equals=model._count_[k.places, at], attribute="_count_")  # fmt: skip
    size = float(np.abs(np.asarray(x.value)).max(initial=0.0))
    m = w.cell(f"mean_{at + 1}", rows.in_class(k.label, x, at) / n, symbol=f"m_{mark}", label=f"mean of {name}",
               equals=model.theta_[k.places, at], attribute=f"theta_[:, {at}]", scale=size)  # fmt: skip
    square = w.cell(f"square_{at + 1}", rows.in_class(k.label, (x - m) ** 2, at), symbol=f"q_{mark}",
                    label="squares about it")  # fmt: skip
    variance = square / (n if model.ddof == 0 else n - model.ddof)
    formula = variance if epsilon is None else variance + epsilon
    expected = model.var_[k.places, at]
    # Far from zero the page's own squares lose digits that the kernel keeps.
    scale = 1e-7 * size * float(np.sqrt(expected.max()))
    v = w.cell(f"variance_{at + 1}", formula, symbol=f"v_{mark}", label=f"variance of {name}", equals=expected,
               attribute=f"var_[:, {at}]", tolerance=1e-7, scale=scale)  # fmt: skip
    w.cell(f"deviation_{at + 1}", sqrt(v), symbol=rf"\sigma_{mark}", label="standard deviation")


@shows("GaussianNB.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    w.title = "Gaussian naive Bayes: predictions"
    w.intro = "The Gaussian densities of each class at the row's values, multiplied, times the prior of the class."
    k = known_classes(w, model)
    predictions = answers(k, data)
    if len(data.names) > MOST_COLUMNS:
        for at in range(len(predictions.rows)):
            _wide(k, data, predictions, at)
        return
    w.step("Bell curves", "Mean and variance of every column in each class.")
    means = [w.given(f"mean_{j + 1}", k.of(model.theta_)[:, j], k.axis, symbol=f"m_{{{j + 1}}}",
                     label=f"mean of {name}") for j, name in enumerate(data.names)]  # fmt: skip
    spreads = [w.given(f"variance_{j + 1}", k.of(model.var_)[:, j], k.axis, symbol=f"v_{{{j + 1}}}",
                       label=f"variance of {name}") for j, name in enumerate(data.names)]  # fmt: skip
    for at, row in enumerate(predictions.rows):
        tag = row + 1
        w.step(f"Row {tag}: densities", "The height of each class's curve at the row's value, column by column.")
        factors, values = [], {}
        for j, name in enumerate(data.names):
            if np.isnan(data.X[row, j]):
                w.note(f"Row {tag} has no number in {name}: the column is left out.")
            else:
                values[j] = w.given(f"x_{tag}_{j + 1}", data.X[row, j], symbol=f"x_{{{j + 1}}}", label=name)
        for j, x in values.items():
            m, v = means[j], spreads[j]
            height = exp(-((x - m) ** 2) / (2 * v)) / sqrt(2 * pi() * v)
            label = f"density of {data.names[j]}"
            factors.append(w.cell(f"density_{tag}_{j + 1}", height, symbol=f"f_{{{j + 1}}}", label=label))
        if any(np.asarray(f.value).min() < 1e-280 for f in factors):
            _wide(k, data, predictions, at)
        else:
            narrow(k, predictions, at, factors)


def _wide(k: Classes, data: Given, predictions: Found, at: int) -> None:
    """All columns below each other, for rows with many columns or with densities that are too small to write down."""
    w, model, row = k.w, k.model, predictions.rows[at]
    there = np.flatnonzero(~np.isnan(data.X[row]))
    axis = Axis("column", [data.names[j] for j in there], "j", "p")
    w.step(f"Row {row + 1}", "The row's values.")
    x = w.given(f"row_{row + 1}", data.X[row, there], axis, symbol="x", label="value")

    def terms(c: int, mark: str) -> tuple[Expr, float]:
        class_index = k.places[c]
        m = w.given(f"m_{mark}", model.theta_[class_index, there], axis, symbol="m", label="mean")
        v = w.given(f"v_{mark}", model.var_[class_index, there], axis, symbol="v", label="variance")
        return -((x - m) ** 2) / (2 * v) - ln(2 * pi() * v) / 2, float(model.class_log_prior_[class_index])

    wide(k, predictions, at, terms)
