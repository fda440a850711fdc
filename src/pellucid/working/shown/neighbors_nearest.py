"""The nearest rows of a row, in order: `NearestNeighbors`, of the family `neighbors`."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.types import Array, Floats
from pellucid.neighbors._questions import Queries
from pellucid.working.entry import Given, shows
from pellucid.working.model import Working
from pellucid.working.shown._neighbor_fit import keep
from pellucid.working.shown._neighbor_rows import Page


@shows("NearestNeighbors.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    keep(w, model, data, "What an index of neighbors keeps")


@shows("NearestNeighbors.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    w.title = "The nearest rows"
    w.intro = "Distances to the fitted rows, and the nearest of them in order. Rows asked about are counted from 0."

    def search(model: Any, query: Queries) -> tuple[Array, Floats]:
        neighbors = model._nearest(query, min(model.n_neighbors, model.n_samples_fit_ - (query.own is not None)))
        return np.ravel(neighbors.rows), np.ravel(neighbors.distances)

    page = Page(w, model, data, search)
    page.begin()
    for number, i in enumerate(page.each(), start=1):
        page.ask(number, i)
