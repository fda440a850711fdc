"""Links of a proximity graph, and what a walk along them finds."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis
from pellucid.working.language import count, sum_
from pellucid.working.model import Working
from pellucid.working.shown._found_rows import (
    MOST_COLUMNS,
    MOST_QUERIES,
    MOST_ROWS,
    Compared,
    apart,
    columns_of,
    fitted_rows,
    nearest_of,
    prepared,
    query_of,
)


@shows("GraphNeighbors.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Links between rows"
    w.intro = (
        "A row is linked to near rows that are nearer to it than to each other; links go both ways. Shown are the "
        "distances from a few rows, and which rows these are linked to."
    )
    X, links = prepared(model, data), model.index_.links
    if len(X) > MOST_ROWS or X.shape[1] > MOST_COLUMNS:
        w.step("Links", "How many links each row has.")
        sizes = w.given(
            "links", np.array([float(len(row_links)) for row_links in links]), data.row_axis, symbol="n", label="links"
        )
        w.cell("all", sum_(sizes), symbol="N", label="links of all rows", equals=float(sum(map(len, links))),
               attribute="index_.links")  # fmt: skip
        w.cell("each", sum_(sizes) / count(sizes), symbol=r"\bar{n}", label="links a row")
        w.note(f"Distances are shown for tables of up to {MOST_ROWS} rows and {MOST_COLUMNS} columns.")
        return
    x = columns_of(w, data, X)
    for v in (data.rows or list(range(min(len(X), MOST_QUERIES))))[:12]:
        w.step(f"Row {v + 1}", "The distance of every row, and 1 for those it is linked to.")
        w.cell(f"d_{v + 1}", apart(model, list(x), [float(value) for value in X[v]]), symbol=f"d_{{{v + 1}}}",
               label=f"distance from row {v + 1}")  # fmt: skip
        linked = np.isin(np.arange(len(X)), links[v]).astype(float)
        mark = w.given(f"l_{v + 1}", linked, data.row_axis, symbol=f"l_{{{v + 1}}}", label="1 if linked")
        w.cell(f"n_{v + 1}", sum_(mark), symbol=f"n_{{{v + 1}}}", label="links", equals=float(len(links[v])),
               attribute="index_.links")  # fmt: skip
    w.note(f"A search keeps the {counted(model.search_size_, 'nearest row')} it has met.")


@shows("GraphNeighbors.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    w.title = "What a walk along the links finds"
    w.intro = "The rows that a walk ends with, by their distance; rows it did not find are marked 0."
    X, rows = prepared(model, data), fitted_rows(model)
    row_indices = data.rows or list(range(min(len(data.X), MOST_QUERIES)))
    for number, i in enumerate(row_indices, start=1):
        tag, k = f"q{number}_", min(model.n_neighbors, len(rows))
        w.step(f"Query {i + 1}", "Its numbers; 1 for the rows that were found; distances; the smallest.")
        x = query_of(w, data, X[i], tag)
        neighbors = model.index_.nearest(data.X[i : i + 1], k, 1).rows[0]
        rows_shown = np.arange(len(rows)) if len(rows) <= MOST_ROWS else np.sort(neighbors)
        if len(rows) > MOST_ROWS:
            w.note("Of a large table the rows that were found alone are shown.")
        axis = Axis("row", (rows_shown + 1).tolist(), "i", "n")
        mark = w.given(f"{tag}seen", np.isin(rows_shown, neighbors).astype(float), axis, symbol="m", label="1 if found")
        nearest_of(w, model, data.X[i : i + 1], Compared(axis, rows[rows_shown], mark), x, k, tag)
