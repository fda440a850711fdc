"""Naive Bayes of categories: frequency and likelihood tables, and the product of each row."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.types import Floats
from pellucid.naive_bayes._categories import codes_in
from pellucid.working.entry import Given, shows
from pellucid.working.model import Working
from pellucid.working.shown import _naive_bayes_parts as parts
from pellucid.working.shown._naive_bayes_parts import Answer, Factor, Values
from pellucid.working.shown.encoding import _word


@shows("CategoricalNB.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Naive Bayes of categories: frequencies and likelihoods"
    w.intro = "For every column: how often each value occurs in each class, and its share of the class."
    target = parts.target(w, model, data)
    d = model._validate_predict(data.table)
    names = d.column_labels()
    codes = codes_in(d.table, model._columns_, 1, d.who)
    for j in parts.columns_shown(w, names):
        cells, values = parts.alike(codes[:, j], model._columns_[j])
        values_of_column = Values(j, names[j], cells, values, model.category_count_[j], model.feature_log_prob_[j],
                                  lambda name, c, j=j: f"{name}[{j}][{c}]")  # type: ignore[misc]  # fmt: skip
        parts.category_column(target, values_of_column, model._smoothing())


@shows("CategoricalNB.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    w.title = "Naive Bayes of categories: the product of each row"
    w.intro = "Each class's prior times the share of the row's value in that class, column by column."
    d = model._validate_predict(data.table)
    names, cells = d.column_labels(), [d.table.column(j) for j in range(d.n_cols)]
    joint, probabilities = model.predict_joint_log_proba(data.table), model.predict_proba(data.table)
    predicted = model.predict(data.table).tolist()
    axis = parts.class_axis(model)
    smoothing = model._smoothing()
    shares = [smoothing.shares(counts) for counts in model.category_count_]
    codes = codes_in(d.table, model._columns_, 1, d.who)
    w.step("Classes", "The priors of the classes.")
    classes = parts.labels_of(w, model, axis)
    prior = w.given("prior", np.asarray(model.class_prior_), axis, symbol="P", label="prior")
    columns = parts.columns_shown(w, names)
    for i in parts.rows_shown(w, data):
        w.step(f"Row {i + 1}", "The likelihood of each of the row's values, and the product with the prior.")
        row_answer = Answer(w, model, f"{i + 1}", classes, prior)
        for j in columns:
            value = cells[j][i : i + 1].tolist()[0]
            share = share_of(codes[i, j], shares[j], model._unseen_[j], model.unknown)
            if share is None:
                w.note(f"Row {i + 1} has no value that counts in {names[j]}: the column is left out there.")
                continue
            cell = w.given(f"P_{i + 1}_{j + 1}", share, axis, symbol=f"P_{{{j + 1}}}",
                           label=f"P({names[j]} = {_word(value)} | class)")  # fmt: skip
            row_answer.factors.append(Factor(cell, names[j]))
        if len(columns) < len(names):
            row_answer.rest = parts.rest_of(joint[i], prior, row_answer.factors)
        row_answer.finish(joint[i], probabilities[i], predicted[i])


def share_of(code: int, shares: Floats, unseen: Floats, unknown: str) -> Floats | None:
    """P(value | class) of each class: a known value's, an unseen one's, or None where it is left out."""
    if code < 0:
        return None
    if code < shares.shape[1]:
        return shares[:, code]
    return None if unknown == "ignore" else np.exp(unseen)
