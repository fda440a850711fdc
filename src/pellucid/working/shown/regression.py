"""The nearest rows of a row, in order, and the average of their targets."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.types import Array, Floats
from pellucid.neighbors._questions import Queries
from pellucid.working.entry import Given, shows
from pellucid.working.model import Working
from pellucid.working.shown._neighbor_answers import average
from pellucid.working.shown._neighbor_fit import keep
from pellucid.working.shown._neighbor_rows import Page


@shows("KNeighborsRegressor.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    keep(w, model, data, "What a regressor by neighbors keeps")


@shows("KNeighborsRegressor.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    k = model.n_neighbors
    w.title = f"The {model.average} of the nearest rows"
    w.intro = (
        f"Distances to the fitted rows, the nearest of them, and the {model.average} of their targets. Rows asked "
        "about are counted from 0."
    )

    def search(model: Any, one: Queries) -> tuple[Array, Floats]:
        found = model._lists(one, k)
        return np.ravel(found.rows), np.ravel(found.distances)

    page = Page(w, model, data, search)
    page.begin()
    for number, i in enumerate(page.each(), start=1):
        near = page.ask(number, i)
        assert near is not None
        average(w, model, data, near)
