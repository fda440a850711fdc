"""Bernoulli naive Bayes: in how many rows of each class a column is there, and what present and absent columns say."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.types import Floats
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr
from pellucid.working.language import where
from pellucid.working.model import Working
from pellucid.working.shown._count_tables import frequencies, likelihoods, smoothing
from pellucid.working.shown._naive_bayes import (
    MOST_COLUMNS,
    Classes,
    Found,
    answers,
    known_classes,
    narrow,
    priors,
    read_rows,
    shown_columns,
    wide,
)


@shows("BernoulliNB.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Bernoulli naive Bayes: the fit"
    w.intro = "In what share of the rows of each class each column is present."
    columns = shown_columns(w, data)
    rows = read_rows(w, data, columns)
    x = rows.x
    if model.binarize is not None and any(not np.isin(cell.value, (0, 1)).all() for cell in x):
        w.step("Present", f"1 where the value is above {model.binarize:g}.")
        x = [w.cell(f"flag_{j + 1}", where(cell > float(model.binarize), 1, 0), symbol=f"b_{{{j + 1}}}",
                    label=f"{data.names[j]} present") for j, cell in zip(columns, x, strict=True)]  # fmt: skip
    k, often = priors(rows, model)
    counts = frequencies(rows, k, columns, x)
    prior = smoothing(w, model, columns, len(data.names), 0.5)
    w.step("Likelihood table", f"The share of the class's rows that have the column; {prior.words}.")
    probabilities = [
        (n + a) / (often + (2 * a if prior.m is None else prior.m)) for n, a in zip(counts, prior.added, strict=True)
    ]
    likelihoods(w, k, columns, probabilities, data.names)


@shows("BernoulliNB.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    w.title = "Bernoulli naive Bayes: predictions"
    w.intro = "The chance of what is present, times the chance that what is absent is so, times the prior of the class."
    k = known_classes(w, model)
    predictions = answers(k, data)
    probabilities = np.exp(k.of(model.feature_log_prob_))
    flags = data.X if model.binarize is None else 1.0 * np.greater(data.X, model.binarize)
    if model.binarize is None and not np.isin(flags, (0, 1)).all():
        w.note("Values between 0 and 1 weigh both: the logarithms are mixed in this share.")
    if len(data.names) > MOST_COLUMNS or not np.isin(flags[predictions.rows], (0, 1)).all():
        for at in range(len(predictions.rows)):
            _below(k, data, predictions, at, flags)
        return
    w.step("Likelihood table", "The share of each class's rows that have the column.")
    tables = [w.given(f"likelihood_{j + 1}", probabilities[:, j], k.axis, symbol=f"P_{{{j + 1}}}",
                      label=f"P({name} | class)") for j, name in enumerate(data.names)]  # fmt: skip
    for at, row in enumerate(predictions.rows):
        _beside(k, data, predictions, at, flags[row], tables)


def _beside(k: Classes, data: Given, predictions: Found, at: int, flags: Floats, tables: list[Cell]) -> None:
    w, tag = k.w, predictions.rows[at] + 1
    w.step(f"Row {tag}: factors", "The chance of a column that is present; one less it of a column that is absent.")
    present = [w.given(f"x_{tag}_{j + 1}", float(flags[j]), symbol=f"x_{{{j + 1}}}", label=f"{name} present")
               for j, name in enumerate(data.names)]  # fmt: skip
    factors = [w.cell(f"factor_{tag}_{j + 1}", where(x > 0, p, 1 - p), symbol=f"f_{{{j + 1}}}",
                      label=f"factor of {data.names[j]}")
               for j, (x, p) in enumerate(zip(present, tables, strict=True))]  # fmt: skip
    narrow(k, predictions, at, factors)


def _below(k: Classes, data: Given, predictions: Found, at: int, flags: Floats) -> None:
    w, row = k.w, predictions.rows[at]
    logs, absent = k.of(k.model.feature_log_prob_), k.of(k.model._absent_log_)
    # Columns that a class always or never has, and the row agrees, say nothing: their factor is 1.
    axis = Axis("column", data.names, "j", "p")
    w.step(f"Row {row + 1}", "The row's columns: 1 where one is present.")
    x = w.given(f"row_{row + 1}", flags[row], axis, symbol="x", label="present")

    def terms(c: int, mark: str) -> tuple[Expr, float]:
        there, log_absent = (np.where(np.isfinite(table[c]), table[c], 0.0) for table in (logs, absent))
        l_1 = w.given(f"present_{mark}", there, axis, symbol="l", label="ln of the chance that it is present")
        l_0 = w.given(f"absent_{mark}", log_absent, axis, symbol="a", label="ln of the chance that it is absent")
        return x * l_1 + (1 - x) * l_0, float(k.model.class_log_prior_[k.places[c]])

    wide(k, predictions, at, terms)
