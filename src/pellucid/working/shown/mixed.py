"""Naive Bayes of mixed columns: tables of categories and splits, bells, kernels, and the product of each row."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.types import Array, Floats
from pellucid.naive_bayes._categories import codes_in
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell
from pellucid.working.language import equal, mean, median, sum_
from pellucid.working.matrix import ColumnOf
from pellucid.working.model import Working
from pellucid.working.shown import _naive_bayes_parts as parts
from pellucid.working.shown._naive_bayes_parts import Answer, Factor, Target, Values
from pellucid.working.shown.categorical import share_of
from pellucid.working.shown.encoding import _word
from pellucid.working.shown.kernel_density import kernel_factor


@shows("NaiveBayes.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Naive Bayes of mixed columns: what each class is like"
    w.intro = (
        "Words by their frequencies, numbers by a Gaussian, by kernels or by a split: column by column, class by class."
    )
    target = parts.target(w, model, data)
    d = model._validate_predict(data.table)
    names = d.column_labels()
    for j in parts.columns_shown(w, names):
        method = model._ways_[j]
        k = model._of(method).index(j)
        if method == "categories":
            _categories(target, model, d, j, k, names[j])
            continue
        x = model._numbers(d, method)[:, k]
        if method == "gaussian":
            parts.bell_column(target, j, names[j], x, model._mean_[:, k], model._variance_[:, k], model.ddof,
                              model.epsilon_)  # fmt: skip
        elif method == "kernel":
            widths = [density.width for density in model._densities_[k]]
            parts.kernel_column(target, j, names[j], x, model._points_[k], widths, model.bandwidth,
                                f"bandwidths_[{names[j]!r}]")  # fmt: skip
        else:
            _split(target, model, j, k, names[j], x)


def _categories(t: Target, model: Any, d: Any, j: int, k: int, name: str) -> None:
    codes = codes_in(d.table.take([j]), model._columns_[k : k + 1], 1, d.who)
    cells, values = parts.alike(codes[:, 0], model._columns_[k])
    column = Values(j, name, cells, values, model._counts_[k], model._logs_[k][0], lambda at, c: f"{at}[{name!r}][{c}]")
    parts.category_column(t, column, model._smoothing())


def _split(t: Target, model: Any, j: int, k: int, name: str, x: Floats) -> None:
    """Where the column is split, and how many rows of each class lie on each side."""
    w, tag = t.w, f"{j + 1}"
    w.step(f"Split of {name}", "Two sides of one number v: below it, or at it and above; missing values are left out.")
    rows = np.flatnonzero(~np.isnan(x))
    if len(rows) == 0:
        w.note(f"Column {name} has no values: it says nothing.")
        return
    subset = t.part(rows, tag)
    axis = subset.y.axis
    assert axis is not None
    cell = w.given(f"x_{tag}", x[rows], axis, symbol=f"x_{{{tag}}}", label=name)
    v = _cut(w, model, j, name, cell, subset.weight)
    sides = Axis("side", [f"below {model._cuts_[j]:.6g}", "at it or above"], "k", "K")
    side = w.given(f"v_{tag}", np.array([0.0, 1.0]), sides, symbol=f"u_{{{tag}}}", label="is it at v or above?")
    often = []
    for c in parts.classes_shown(w, model):
        body = equal(cell >= v, equal(side, 1)) * subset.is_class(c)
        body = body if subset.weight is None else body * subset.weight
        often.append(w.cell(f"N_{tag}_{c + 1}", sum_(body, axis), symbol=f"N_{{{tag},{c + 1}}}",
                            label=f"rows of {t.name(c)}", equals=model._sides_[k][c],
                            attribute=f"category_count_[{name!r}][{c}]"))  # fmt: skip
    w.note("A condition in brackets counts 1 where it holds, else 0.")
    column = Values(j, name, np.empty(0), np.array([0.0, 1.0]), model._sides_[k], model._side_logs_[k][0],
                    lambda at, c: f"{at}[{name!r}][{c}]")  # fmt: skip
    parts.likelihoods(w, t, column, often, side, model._smoothing())


def _cut(w: Working, model: Any, j: int, name: str, cell: Cell, weight: Cell | None) -> Cell:
    symbol, fitted_cut = f"v_{{{j + 1}}}", model._cuts_[j]
    learned = j not in model._given_ and weight is None
    size = float(np.abs(np.asarray(cell.value)).max())
    if learned and model.cut in ("median", "mean"):
        formula = median(cell) if model.cut == "median" else mean(cell)
        return w.cell(f"cut_{j + 1}", formula, symbol=symbol, label=f"the {model.cut}", equals=fitted_cut,
                      attribute=f"cuts_[{name!r}]", scale=size)  # fmt: skip
    label = "as given" if j in model._given_ else "found: the best cut, as TwoWaySplit shows" if learned else "found"
    return w.given(f"cut_{j + 1}", float(fitted_cut), symbol=symbol, label=label)


# -------------------------------------------------------------------------------------------------------------- predict


@shows("NaiveBayes.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    w.title = "Naive Bayes of mixed columns: the product of each row"
    w.intro = "Each class's prior times what every column says of the row: a share, or the height of a density."
    d = model._validate_predict(data.table)
    names = d.column_labels()
    joint, probabilities = model.predict_joint_log_proba(data.table), model.predict_proba(data.table)
    predicted = model.predict(data.table).tolist()
    axis = parts.class_axis(model)
    w.step("Classes", "The priors of the classes.")
    classes = parts.labels_of(w, model, axis)
    prior = w.given("prior", np.asarray(model.class_prior_), axis, symbol="P", label="prior")
    columns_used = parts.columns_shown(w, names)
    columns = [_values(model, d, j) for j in range(d.n_cols)]
    codes = codes_in(d.table.take(model._of("categories")), model._columns_, 1, d.who) if model._columns_ else None
    for i in parts.rows_shown(w, data):
        row_answer = Answer(w, model, f"{i + 1}", classes, prior)
        for j in columns_used:
            row = None if codes is None else codes[i]
            cell = _factor(w, model, i, j, names[j], columns[j][i : i + 1].tolist()[0], row, classes)
            if cell is None:
                w.note(f"Row {i + 1} has no value that counts in {names[j]}: the column is left out there.")
            else:
                row_answer.factors.append(Factor(cell, names[j]))
        w.step(f"Row {i + 1}", "The product of the prior and the factors, and its share.")
        if len(columns_used) < len(names):
            row_answer.rest = parts.rest_of(joint[i], prior, row_answer.factors)
        row_answer.finish(joint[i], probabilities[i], predicted[i])


def _values(model: Any, d: Any, j: int) -> Array:
    method = model._ways_[j]
    if method == "categories":
        return np.asarray(d.table.column(j))
    return np.asarray(model._numbers(d, method)[:, model._of(method).index(j)])


def _factor(
    w: Working, model: Any, i: int, j: int, name: str, value: Any, codes: Any, classes: Cell
) -> Cell | ColumnOf | None:
    """What a column says of a row, one number a class; None where it is left out."""
    method, tag = model._ways_[j], f"{i + 1}_{j + 1}"
    k = model._of(method).index(j)
    axis = classes.axis
    assert axis is not None
    if method == "kernel":
        return kernel_factor(w, model, i, j, name, value, model._densities_[k], classes)
    if method == "gaussian":
        return _bell(w, model, i, j, k, name, value, classes)
    smoothing = model._smoothing()
    if method == "categories":
        share = share_of(codes[k], smoothing.shares(model._counts_[k]), model._logs_[k][1], model.unknown)
        words = f"P({name} = {_word(value)} | class)"
    else:
        cut = model._cuts_[j]
        above = bool(value >= cut)
        share = None if np.isnan(value) else smoothing.shares(model._sides_[k])[:, int(above)]
        words = f"P({name} {'≥' if above else '<'} {cut:.6g} | class)"
    if share is None:
        return None
    w.step(f"Row {i + 1}: {name}", "The share of the row's value in each class, from the likelihood table.")
    return w.given(f"P_{tag}", share, axis, symbol=f"P_{{{j + 1}}}", label=words)


def _bell(w: Working, model: Any, i: int, j: int, k: int, name: str, value: float, classes: Cell) -> Cell | None:
    axis, tag = classes.axis, f"{i + 1}_{j + 1}"
    assert axis is not None
    mean_, variance = model._mean_[:, k], model._variance_[:, k]
    if np.isnan(value) or np.isnan(mean_).any():
        return None
    w.step(f"Row {i + 1}: {name}", "The Gaussian density of each class at the row's value.")
    x = w.given(f"x_{tag}", float(value), symbol=f"x_{{{j + 1}}}", label=name)
    m = w.given(f"mean_{tag}", mean_, axis, symbol=f"m_{{{j + 1}}}", label="mean")
    v = w.given(f"variance_{tag}", variance, axis, symbol=f"v_{{{j + 1}}}", label="variance")
    return w.cell(f"f_{tag}", parts.bell_at(x, m, v), symbol=f"f_{{{j + 1}}}", label=f"density of {name}")
