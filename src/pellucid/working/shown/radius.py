"""The rows within a radius of a row, their votes and averages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pellucid.base.types import Array, Floats
from pellucid.neighbors._questions import Queries
from pellucid.working.entry import Given, shows
from pellucid.working.model import Working
from pellucid.working.shown._neighbor_answers import average, vote
from pellucid.working.shown._neighbor_fit import count_classes, keep
from pellucid.working.shown._neighbor_rows import Near, Page, answers, plain


@shows("RadiusNeighborsClassifier.fit")
def fit_classes(w: Working, model: Any, data: Given) -> None:
    keep(w, model, data, "What a classifier by neighbors keeps")
    count_classes(w, model, data)


@shows("RadiusNeighborsRegressor.fit")
def fit_numbers(w: Working, model: Any, data: Given) -> None:
    keep(w, model, data, "What a regressor by neighbors keeps")


@shows("RadiusNeighborsClassifier.predict")
def predict_classes(w: Working, model: Any, data: Given) -> None:
    w.title = "Classes by the rows within a radius"
    w.intro = "Distances to the fitted rows, those within the radius, and their vote. Rows asked about count from 0."
    _each(w, model, data, vote, "the label of outliers")


@shows("RadiusNeighborsRegressor.predict")
def predict_numbers(w: Working, model: Any, data: Given) -> None:
    w.title = f"The {model.average} of the rows within a radius"
    w.intro = (
        f"Distances to the fitted rows, those within the radius, and the {model.average} of their targets. Rows asked "
        "about are counted from 0."
    )
    _each(w, model, data, average, "nothing to average")


def _each(w: Working, model: Any, data: Given, tell: Callable[[Working, Any, Given, Near], None], lonely: str) -> None:
    def search(model: Any, query: Queries) -> tuple[Array, Floats]:
        neighbors = model._around(query)
        return neighbors.rows, neighbors.distances

    page = Page(w, model, data, search)
    page.begin()
    for number, i in enumerate(page.each(), start=1):
        near = page.ask(number, i)
        if near is not None:
            tell(w, model, data, near)
            continue
        predicted = np.asarray(answers(model, data))
        value = plain(predicted[:, data.target] if predicted.ndim > 1 else predicted)[i]
        value = value.item() if isinstance(value, np.generic) else value
        w.given(f"q{number}_prediction", value, symbol=r"\hat{y}", label=f"prediction: {lonely}")
