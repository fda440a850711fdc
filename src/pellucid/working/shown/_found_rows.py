"""What the workings of approximate neighbors share: rows as an index sees them, and the nearest of those looked at."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from pellucid.base.types import Floats
from pellucid.working.entry import Given
from pellucid.working.expression import Axis, Cell, Expr
from pellucid.working.language import dot, equal, nth_smallest, sqrt, where
from pellucid.working.model import Working

MOST_COLUMNS = 8
MOST_ROWS = 200
MOST_QUERIES = 3
BEYOND = 1e300  # farther than any row


@dataclass
class Compared:
    """Fitted rows on a page: their axis, their numbers, and 1 for those that the query was compared with."""

    axis: Axis
    rows: Floats
    looked_at: Cell


def _dense(rows: Any) -> Floats:
    return np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows, dtype=np.float64)


def prepared(model: Any, data: Given) -> Floats:
    """Rows as the index sees them: for angles brought to length 1."""
    return _dense(model._distance.prepare(np.ascontiguousarray(data.X)))


def fitted_rows(model: Any) -> Floats:
    """The rows of the index."""
    return _dense(model.index_.rows)


def columns_of(w: Working, data: Given, X: Floats) -> list[Cell]:
    """The first columns of the table."""
    w.step("Rows", "The columns of the table, rows as the index sees them.")
    return [
        w.given(f"x_{j + 1}", X[:, j], data.row_axis, symbol=f"x_{{{j + 1}}}", label=data.names[j])
        for j in range(min(X.shape[1], MOST_COLUMNS))
    ]


def query_of(w: Working, data: Given, q: Floats, tag: str) -> list[Cell]:
    """The first numbers of a query."""
    return [
        w.given(f"{tag}x_{j + 1}", float(q[j]), symbol=f"q_{{{j + 1}}}", label=data.names[j])
        for j in range(min(len(q), MOST_COLUMNS))
    ]


def apart(model: Any, columns: list[Any], x: list[Any]) -> Expr:
    """The distance of rows, by their columns, and a query or a center."""
    if model.metric == "cosine":
        return 1 - dot(columns, x)
    return sqrt(reduce(add, [(z - v) ** 2 for z, v in zip(columns, x, strict=True)]))


def nearest_of(w: Working, model: Any, row: Floats, compared: Compared, x: list[Cell], k: int, tag: str) -> None:
    """Distances of the rows that were looked at, and the k smallest, which are the answer."""
    axis, rows = compared.axis, compared.rows
    distances = model.index_.nearest(row, k, 1).distances[0]
    if len(x) == rows.shape[1]:
        columns = [
            w.given(f"{tag}z_{j + 1}", rows[:, j], axis, symbol=f"x_{{{j + 1}}}", label=f"column {j + 1}")
            for j in range(len(x))
        ]
        d = w.cell(f"{tag}d", apart(model, columns, x), symbol="d", label="distance")
    else:
        q = _dense(model._distance.prepare(np.ascontiguousarray(row)))[0]
        far = 1 - rows @ q if model.metric == "cosine" else np.sqrt(((rows - q) ** 2).sum(axis=1))
        d = w.given(f"{tag}d", far, axis, symbol="d", label="distance")
    near = w.cell(f"{tag}near", where(equal(compared.looked_at, 1), d, BEYOND), symbol="e",
                  label="distance if looked at")  # fmt: skip
    size = float(np.abs(rows).max(initial=1.0))
    for rank in range(1, min(k, len(rows)) + 1):
        w.cell(f"{tag}d_{rank}", nth_smallest(near, rank), symbol=f"d_{{{rank}}}", label=f"distance {rank}",
               equals=float(distances[rank - 1]), attribute="kneighbors(X)", scale=size, tolerance=1e-6)  # fmt: skip
