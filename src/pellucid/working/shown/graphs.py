"""Graphs of neighbors: what stands in the row of a table."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.types import Array, Floats
from pellucid.neighbors._questions import Queries
from pellucid.working.entry import Given, shows
from pellucid.working.model import Working
from pellucid.working.shown._neighbor_fit import keep
from pellucid.working.shown._neighbor_rows import Near, Page, dense


@shows("KNeighborsTransformer.fit", "RadiusNeighborsTransformer.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    keep(w, model, data, "What a graph of neighbors is made from")


@shows("KNeighborsTransformer.transform", "RadiusNeighborsTransformer.transform")
def transform(w: Working, model: Any, data: Given) -> None:
    w.title = "A graph of neighbors"
    w.intro = "A row of the graph holds " + (
        "the distances of its neighbors." if model.mode == "distance" else "1 for each of its neighbors."
    )
    by_radius = not hasattr(model, "n_neighbors")

    def search(model: Any, query: Queries) -> tuple[Array, Floats]:
        if by_radius:
            neighbors = model._within(query, model._checked_radius(None))
        else:
            neighbors = model._nearest(query, model.n_neighbors + (model.mode == "distance"))
        return np.ravel(neighbors.rows), np.ravel(neighbors.distances)

    page = Page(w, model, data, search)
    page.begin()
    graph = model.transform(data.table)
    for number, i in enumerate(page.each(), start=1):
        near = page.ask(number, i)
        if near is not None:
            _entries(w, model, near, dense(graph[i]).ravel(), number, search(model, page.asked.take(np.array([i])))[0])


def _entries(w: Working, model: Any, near: Near, entries: Floats, number: int, rows: Array) -> None:
    w.step(f"Row {near.row + 1}: entries", "In the columns of these rows; all others are empty.")
    formula = near.distance + 0 if model.mode == "distance" else 1 + 0 * near.distance
    w.cell(f"q{number}_entry", formula, symbol="A", label="entry", equals=entries[rows], attribute="transform(X)")
