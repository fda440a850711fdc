"""Cells of k-means: which cell each row is in, which cells a query looks at, and the nearest rows of these."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.base.types import Array, Floats
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell
from pellucid.working.language import equal, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown._found_rows import (
    MOST_COLUMNS,
    MOST_QUERIES,
    MOST_ROWS,
    Compared,
    columns_of,
    fitted_rows,
    nearest_of,
    prepared,
    query_of,
)

MOST_CELLS = 8


@shows("ListNeighbors.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Rows by cell"
    w.intro = f"{counted(model.n_cells_, 'cell')} of k-means. A row is in the cell whose center is nearest."
    X, cell = prepared(model, data), model.index_.cell_of
    x = columns_of(w, data, X)
    if model.n_cells_ > MOST_CELLS or len(x) < X.shape[1]:
        w.note(f"Distances are worked out for up to {MOST_CELLS} centers and {MOST_COLUMNS} columns; cells are given.")
    number = _cells(w, model, data.row_axis, x, X, cell)
    w.step("Sizes", "How many rows each cell has.")
    for c in range(min(model.n_cells_, MOST_CELLS)):
        w.cell(f"n_{c + 1}", sum_(where(equal(number, c + 1), 1, 0)), symbol=f"n_{{{c + 1}}}",
               label=f"rows of cell {c + 1}", equals=float((cell == c).sum()), attribute="index_.cell_of")  # fmt: skip
    probes = f"A query looks at the {counted(model.n_probes_, 'nearest cell')}."
    w.note(
        probes if model.recall_ is None else f"{probes} Of the neighbors of sampled rows {model.recall_:.3f} are found."
    )


def _cells(w: Working, model: Any, axis: Axis, x: list[Cell], X: Floats, cell: Array) -> Cell:
    """The number of each row's cell, counted from 1."""
    names: dict[str, Any] = {"symbol": "c", "label": "cell"}
    squares = ((X[:, None, :] - model.centers_[None, :MOST_CELLS]) ** 2).sum(axis=2) if len(X) <= MOST_ROWS else None
    plain = squares is not None and model.n_cells_ <= MOST_CELLS and len(x) == X.shape[1]
    if not plain or not np.array_equal(np.asarray(squares).argmin(axis=1), cell):  # two centers equally near
        w.step("Cells", "The cell of each row.")
        return w.given("cell", cell + 1.0, axis, **names)
    w.step("Cells", "Squared distances to the centers; the nearest so far, and how near, from center to center.")
    near: Cell | None = None
    best: Any = 1.0
    for c, center in enumerate(model.centers_, start=1):
        terms = [(column - float(v)) ** 2 for column, v in zip(x, center, strict=True)]
        d = w.cell(f"d_{c}", sum(terms[1:], terms[0]), symbol=f"d_{{{c}}}", label=f"square to center {c}")
        if near is None:
            near = d
            continue
        best = w.cell(f"best_{c}", where(d < near, c, best), symbol=f"b_{{{c}}}", label=f"nearest of {c} centers")
        near = w.cell(f"near_{c}", where(d < near, d, near), symbol=f"e_{{{c}}}", label="how near")
    if model.n_cells_ == 1:
        return w.given("cell", cell + 1.0, axis, **names)
    return w.cell("cell", 0 + best, equals=cell + 1.0, attribute="index_.cell_of", **names)


@shows("ListNeighbors.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    w.title = "The nearest rows of the nearest cells"
    w.intro = f"A query looks at the rows of {counted(model.n_probes_, 'cell')}."
    X, rows = prepared(model, data), fitted_rows(model)
    row_indices = data.rows or list(range(min(len(data.X), MOST_QUERIES)))
    for number, i in enumerate(row_indices, start=1):
        tag, k = f"q{number}_", min(model.n_neighbors, len(rows))
        w.step(f"Query {i + 1}", "Its numbers; 1 for the rows of the cells it looks at; distances; the smallest.")
        x = query_of(w, data, X[i], tag)
        is_visited = _looked_at(model, X[i], k)
        rows_shown = np.arange(len(rows)) if len(rows) <= MOST_ROWS else np.flatnonzero(is_visited)[:MOST_ROWS]
        if len(rows) > MOST_ROWS:
            neighbors = model.index_.nearest(data.X[i : i + 1], k, 1).rows[0]
            rows_shown = np.unique(np.concatenate([neighbors, rows_shown[: MOST_ROWS - len(neighbors)]]))
            w.note("Of a large table rows of the nearest cells alone are shown.")
        axis = Axis("row", (rows_shown + 1).tolist(), "i", "n")
        mark = w.given(f"{tag}seen", is_visited[rows_shown].astype(float), axis, symbol="m", label="1 if looked at")
        nearest_of(w, model, data.X[i : i + 1], Compared(axis, rows[rows_shown], mark), x, k, tag)


def _looked_at(model: Any, q: Floats, k: int) -> Array:
    """Which fitted rows lie in the cells that a query looks at."""
    order = np.argsort(((model.centers_ - q) ** 2).sum(axis=1), kind="stable")
    cell, probes = model.index_.cell_of, model.n_probes_
    while np.isin(cell, order[:probes]).sum() < k:
        probes = min(2 * probes, len(order))
    is_visited = np.isin(cell, order[:probes])
    return np.ones(len(cell), dtype=bool) if model.metric == "cosine" and not q.any() else is_visited
