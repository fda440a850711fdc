"""The nearest rows of a row, in order, and their votes."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.types import Array, Floats
from pellucid.neighbors._questions import Queries
from pellucid.working.entry import Given, shows
from pellucid.working.model import Working
from pellucid.working.shown._neighbor_answers import vote
from pellucid.working.shown._neighbor_fit import count_classes, keep
from pellucid.working.shown._neighbor_rows import Page


@shows("KNeighborsClassifier.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    keep(w, model, data, "What a classifier by neighbors keeps")
    count_classes(w, model, data)


@shows("KNeighborsClassifier.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    k = model.n_neighbors
    w.title = "Classes by the nearest row" if k == 1 else f"Classes by the {k} nearest rows"
    w.intro = "Distances to the fitted rows, the nearest of them, and their vote. Rows asked about are counted from 0."

    def search(model: Any, query: Queries) -> tuple[Array, Floats]:
        n_settled = model._settled(query, k, data.target)[1][0] if model.ties == "expand" else k
        neighbors = model._nearest(query, int(n_settled)) if model.ties == "expand" else model._lists(query, k)
        return np.ravel(neighbors.rows), np.ravel(neighbors.distances)

    page = Page(w, model, data, search)
    page.begin()
    for number, i in enumerate(page.each(), start=1):
        near = page.ask(number, i)
        assert near is not None
        vote(w, model, data, near)
