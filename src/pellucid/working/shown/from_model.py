"""Importances, the threshold they must reach, and the columns that do."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

import numpy as np

from pellucid.base.types import Floats
from pellucid.feature_selection._wrapped import importances_of
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell
from pellucid.working.language import absolute, mean, median, sqrt, where
from pellucid.working.model import Working

MOST_ROWS = 8


@shows("SelectFromModel.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Columns that a model gives weight to"
    name = type(model.estimator_).__name__
    w.intro = f"The importance of every column to the fitted {name}, against a threshold."
    if not model.prefit:
        data.record  # noqa: B018  the fit is run again, and must come out the same
    names = [str(name) for name in model._names_in(None)]
    axis = w.axis("column", names, "j", "p")
    values = importances_of(type(model).__name__, model.estimator_, model.importance_getter)
    w.step("Importances", f"What the {name} says each column is worth.")
    if values.ndim == 1:
        c = w.given("weight", values, axis, symbol="c", label="coefficient or importance")
        v = w.cell("importance", absolute(c), symbol="v", label="its size", equals=model._scores(),
                   attribute="importances")  # fmt: skip
    else:
        v = _norms(w, model, values, axis)
    bar = _threshold(w, model, v)
    w.step("Choice", "A column stays if its importance reaches the threshold: 1 for yes.")
    support = model.get_support().astype(np.float64)
    if model.max_features is not None:
        w.note(f"At most {model.max_features_} columns stay, those of the largest importance.")
        w.given("stays", support, axis, symbol="s", label="stays")
        return
    if (np.abs(model._scores() - model.threshold_) < 1e-9 * abs(model.threshold_)).any():
        w.given("stays", support, axis, symbol="s", label="stays")
        return
    w.cell("stays", where(v >= bar, 1, 0), symbol="s", label="stays", equals=support, attribute="get_support()")


def _norms(w: Working, model: Any, values: Floats, axis: Axis) -> Cell:
    """One importance a column from the coefficients of several classes or targets."""
    order = model.norm_order
    if order not in (1, 2) or len(values) > MOST_ROWS:
        w.note(f"The norm of order {order} over the model's {len(values)} rows of coefficients is given.")
        return w.given("importance", model._scores(), axis, symbol="v", label="importance")
    labels = getattr(model.estimator_, "classes_", np.empty(0))
    label_texts = [f"coefficient for {name}" for name in labels.tolist()] if len(labels) == len(values) else []
    rows = [
        w.given(
            f"weight_{k + 1}",
            row,
            axis,
            symbol=f"c_{{{k + 1}}}",
            label=label_texts[k] if label_texts else f"coefficient {k + 1}",
        )
        for k, row in enumerate(values)
    ]
    summed = reduce(add, [absolute(row) if order == 1 else row**2 for row in rows])
    label = "sum of their sizes" if order == 1 else "root of the sum of their squares"
    return w.cell("importance", summed if order == 1 else sqrt(summed), symbol="v", label=label,
                  equals=model._scores(), attribute="importances")  # fmt: skip


def _threshold(w: Working, model: Any, v: Any) -> Any:
    w.step("Threshold", "What an importance must reach.")
    setting = model.threshold
    if setting is None:
        setting = "mean" if model.threshold_ != 1e-5 else 1e-5
    if not isinstance(setting, str):
        return w.given("threshold", float(setting), symbol="t", label="threshold")
    factor, star, word = setting.rpartition("*")
    middle = median(v) if word.strip() == "median" else mean(v)
    formula = float(factor) * middle if star else middle
    return w.cell("threshold", formula, symbol="t", label=setting, equals=model.threshold_, attribute="threshold_",
                  scale=1e-12)  # fmt: skip
