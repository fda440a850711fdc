"""Complement naive Bayes: what the other classes have, weights, and the scores of a row."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr
from pellucid.working.language import ln, sum_
from pellucid.working.model import Working
from pellucid.working.shown._count_tables import frequencies, many, smoothing
from pellucid.working.shown._naive_bayes import (
    MOST_COLUMNS,
    Classes,
    Found,
    answers,
    known_classes,
    log_score,
    priors,
    read_rows,
    shown_columns,
    sum_of,
)


@shows("ComplementNB.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Complement naive Bayes: the fit"
    w.intro = "How often each column occurs in all classes but one: what is rare there speaks for that one."
    columns, p = shown_columns(w, data), len(data.names)
    rows = read_rows(w, data, columns)
    k, _ = priors(rows, model)
    counts = frequencies(rows, k, columns, rows.x)
    w.step("The other classes", "The sum of each column over all rows, less that of the class itself.")
    counts_outside = [
        w.cell(f"others_{j + 1}", sum_(n) - n, symbol=f"M_{{{j + 1}}}", label=f"{data.names[j]} outside the class")
        for j, n in zip(columns, counts, strict=True)
    ]
    prior = smoothing(w, model, columns, p, 1 / p)
    below = _below(w, k, model, columns, counts_outside, prior.m, prior.added)
    w.step("Chances outside", f"The share of each column outside the class; {prior.words}.")
    probabilities = [
        w.cell(f"outside_{j + 1}", (n + a) / below, symbol=rf"\theta_{{{j + 1}}}", label=f"of {data.names[j]}")
        for j, n, a in zip(columns, counts_outside, prior.added, strict=True)
    ]
    if any(np.asarray(q.value).min() <= 0 for q in probabilities):
        w.note("A chance of zero has no logarithm: its weight is infinite, and the class with most of them wins.")
        return
    _weights(w, k, model, data, columns, probabilities)


def _below(w: Working, k: Classes, model: Any, columns: list[int], counts_outside: list[Cell], m: Cell | None,
           added: list[Expr]) -> Expr:  # fmt: skip
    """What the shares are of: all counts outside the class, with what was added."""
    p = int(model.n_features_in_)
    if len(columns) == p:
        everything: Expr = w.cell("total", sum_of(counts_outside), symbol="T", label="all outside the class")
    else:
        values = (model.feature_all_ - model.feature_count_)[k.places].sum(axis=1)
        everything = w.given("total", values, k.axis, symbol="T", label="all outside the class, all columns")
    if m is not None:
        return everything + m
    if len(columns) == p and np.ndim(model.alpha) == 0:
        return everything + p * added[0]
    total: Expr = everything + many(w, model, columns, p, 1 / p)
    return total


def _weights(w: Working, k: Classes, model: Any, data: Given, columns: list[int], probabilities: list[Cell]) -> None:
    expected = k.of(model.feature_log_prob_)
    if not model.norm:
        w.step("Weights", "Less the logarithm: rare outside the class is a large weight.")
        for j, q in zip(columns, probabilities, strict=True):
            w.cell(f"weight_{j + 1}", -ln(q), symbol=f"w_{{{j + 1}}}", label=f"weight of {data.names[j]}",
                   equals=expected[:, j], attribute=f"feature_log_prob_[:, {j}]")  # fmt: skip
        return
    w.step("Weights", "Less the logarithm, and divided by the sum over the columns.")
    raw = [w.cell(f"raw_{j + 1}", -ln(q), symbol=f"u_{{{j + 1}}}", label=f"−ln for {data.names[j]}")
           for j, q in zip(columns, probabilities, strict=True)]  # fmt: skip
    if len(columns) == len(data.names):
        size: Expr = w.cell("size", sum_of(raw), symbol="U", label="their sum")
    else:
        first = np.asarray(raw[0].value) / expected[:, 0]
        size = w.given("size", first, k.axis, symbol="U", label="their sum, all columns")
    for j, u in zip(columns, raw, strict=True):
        w.cell(f"weight_{j + 1}", u / size, symbol=f"w_{{{j + 1}}}", label=f"weight of {data.names[j]}",
               equals=expected[:, j], attribute=f"feature_log_prob_[:, {j}]")  # fmt: skip


@shows("ComplementNB.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    w.title = "Complement naive Bayes: predictions"
    w.intro = "The row's counts times the weights of each class: the largest sum is where the other classes suit least."
    k = known_classes(w, model)
    if len(k.places) > 1 or len(model.classes_) > 1:
        w.note("The priors take no part in the scores of two classes or more.")
    predictions = answers(k, data)
    table = k.of(model.feature_log_prob_)
    for at, row in enumerate(predictions.rows):
        if not np.isfinite(table[:, np.flatnonzero(data.X[row])]).all():
            w.step(f"Row {row + 1}: scores", "Some weights are infinite; the class with most of these counts wins.")
            joint = predictions.joint[at]
            finite = np.where(np.isneginf(joint), -1e6 - abs(joint.max()), joint)
            w.note("A score of minus infinity is written as a very small number.")
            log_score(k, predictions, at, finite, True)
            continue
        _row(k, data, predictions, at, table)


def _row(k: Classes, data: Given, predictions: Found, at: int, table: Any) -> None:
    w, row = k.w, predictions.rows[at]
    there = np.flatnonzero(data.X[row])
    w.step(f"Row {row + 1}: scores", "Counts times weights, added up; probabilities are shares of the powers of e.")
    start: Any = k.prior * 0
    if len(k.model.classes_) == 1:
        start = ln(k.prior)
    if len(there) > MOST_COLUMNS:
        axis = Axis("column", [data.names[j] for j in there], "j", "p")
        x = w.given(f"row_{row + 1}", data.X[row, there], axis, symbol="x", label="count")
        for c, code in enumerate(k.places[:MOST_COLUMNS]):
            weight = w.given(f"weight_{row + 1}_{code + 1}", table[c, there], axis, symbol=f"w_{{{code + 1}}}",
                             label=f"weight for {k.name(c)}")  # fmt: skip
            if len(k.model.classes_) > 1:
                w.cell(f"total_{row + 1}_{code + 1}", sum_(x * weight), symbol=f"s_{{{code + 1}}}",
                       label=f"score of {k.name(c)}", equals=float(predictions.joint[at][c]),
                       attribute=f"predict_joint_log_proba(X)[{row}, {code}]")  # fmt: skip
        log_score(k, predictions, at, predictions.joint[at], True)
        return
    values = [w.given(f"x_{row + 1}_{j + 1}", data.X[row, j], symbol=f"x_{{{j + 1}}}", label=data.names[j])
              for j in there]  # fmt: skip
    weights = [w.given(f"weight_{row + 1}_{j + 1}", table[:, j], k.axis, symbol=f"w_{{{j + 1}}}",
                       label=f"weight of {data.names[j]}") for j in there]  # fmt: skip
    terms = [x * weight for x, weight in zip(values, weights, strict=True)]
    formula = sum_of(terms) if terms and len(k.model.classes_) > 1 else start + sum_of(terms)
    log_score(k, predictions, at, formula, True)
