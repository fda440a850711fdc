"""How the labels of `SGDClassifier` and `Perceptron` come about: scores, a probability where there is one, a winner."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.working.entry import Given
from pellucid.working.expression import Cell
from pellucid.working.language import where
from pellucid.working.model import Working
from pellucid.working.shown._losses import SAFE, probability
from pellucid.working.shown.ridge import _chosen_rows, _largest, _row


def predict(w: Working, model: Any, data: Given) -> None:
    name = "Perceptron" if type(model).__name__ == "Perceptron" else "Stochastic gradient descent"
    w.title = f"{name}: predictions"
    coef, k = np.asarray(model.coef_, dtype=np.float64), len(model.coef_)
    names = [name.item() if isinstance(name, np.generic) else name for name in model.classes_]
    rule = "The class with the largest score wins." if k > 1 else f"Above zero it is {names[1]}, else {names[0]}."
    w.intro = f"A score: each column's value times its coefficient, added up, plus the intercept. {rule}"
    scores = np.asarray(model.decision_function(data.table), dtype=np.float64).reshape(len(data.X), -1)
    predicted = np.asarray(model.predict(data.table))
    rows = _chosen_rows(w, data)
    w.step("Model", "The fitted coefficients.")
    marks = [""] if k == 1 else [f"_{t + 1}" for t in range(k)]
    of = [""] if k == 1 else [f" of {name}" for name in names]
    beta = [
        w.given(f"coef{m}", coef[t], data.column_axis, symbol=rf"\beta{m}", label=f"coefficient{of[t]}")
        for t, m in enumerate(marks)
    ]
    b = [
        w.given(f"intercept{m}", float(model.intercept_[t]), symbol=f"b{m}", label=f"intercept{of[t]}")
        for t, m in enumerate(marks)
    ]
    tolerance = 1e-9 if np.asarray(model.coef_).dtype == np.float64 else 1e-5
    for row in rows:
        row_scores = _row(w, model, data, row, row == rows[0], beta, b)
        for t, score in enumerate(row_scores):
            size = float(np.abs(coef[t] * data.X[row]).sum() + abs(float(model.intercept_[t])))
            attribute = f"decision_function(X)[{row}]" if k == 1 else f"decision_function(X)[{row}, {t}]"
            w.check(score, scores[row, t], attribute, tolerance, size)
        _probability(w, model, data, row_scores, row, tolerance)
        above = row_scores[0] >= 0 if getattr(model, "at_zero", "") == "second" else row_scores[0] > 0
        best = where(above, names[1], names[0]) if k == 1 else _largest(row_scores, names)
        label = predicted[row].item() if isinstance(predicted[row], np.generic) else predicted[row]
        w.cell(
            f"label_{row}", best, symbol=rf"\hat{{y}}_{{{row}}}", label="label", equals=label,
            attribute=f"predict(X)[{row}]",
        )  # fmt: skip


def _probability(w: Working, model: Any, data: Given, scores: list[Cell], row: int, tolerance: float) -> None:
    """Of the second of two classes."""
    if len(scores) > 1 or not hasattr(model, "predict_proba") or model.settled_loss == "modified_huber":
        return
    if abs(float(np.asarray(scores[0].value))) < SAFE:
        expected = float(model.predict_proba(data.table)[row, 1])
        name = model.classes_[1]
        w.cell(
            f"probability_{row}", probability(scores[0]), symbol=f"p_{{{row}}}", label=f"probability of {name!s}",
            equals=expected, attribute=f"predict_proba(X)[{row}, 1]", tolerance=10 * tolerance,
        )  # fmt: skip
