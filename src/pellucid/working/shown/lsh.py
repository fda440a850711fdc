"""Sides of hyperplanes, codes and buckets; the candidates of a query and how far away they are."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.base.types import Array, Floats
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr
from pellucid.working.language import dot, equal, sum_, where
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

MOST_TABLES = 3
MOST_BITS = 8
MOST_BUCKETS = 12


@shows("LSHNeighbors.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Hyperplanes, codes and buckets"
    k, tables = model.n_bits_, model.n_tables_
    w.intro = (
        f"{counted(tables, 'table')} of {counted(k, 'hyperplane')}: a row's code has a 1 for each plane on whose "
        "positive side it lies. Rows with one code share a bucket."
    )
    X = prepared(model, data)
    if X.shape[1] > MOST_COLUMNS or k > MOST_BITS:
        w.note(f"Sides are worked out for up to {MOST_COLUMNS} columns and {MOST_BITS} planes; codes are given.")
    x = columns_of(w, data, X)
    for t in range(min(tables, MOST_TABLES)):
        w.step(f"Round {t + 1}", "w x - b for every plane, 1 where that is not below 0, and the bits as one number.")
        code = _codes(w, model, data.row_axis, x, t, "", model.codes_[:, t])
        _buckets(w, model, code, t)
    if tables > MOST_TABLES:
        w.note(f"Of {counted(tables, 'table')} the first {MOST_TABLES} are shown.")


@shows("LSHNeighbors.predict", "LSHNeighbors.kneighbors")
def kneighbors(w: Working, model: Any, data: Given) -> None:
    w.title = "Candidates of a query, and the nearest of them"
    w.intro = "The query's code in each table; the rows that share a bucket with it; their distances, smallest first."
    row_indices = data.rows or list(range(min(len(data.X), MOST_QUERIES)))
    X, fitted = prepared(model, data), fitted_rows(model)
    if len(fitted) > MOST_ROWS:
        w.note(f"With more than {MOST_ROWS} fitted rows the candidates alone are shown.")
    if model.n_probes_ > 1:
        w.note(
            f"A query looks at {model.n_probes_} buckets of each table: its own and those across its nearest planes."
        )
    for number, i in enumerate(row_indices, start=1):
        _query(w, model, data, X[i], fitted, i, f"q{number}_")
    if len(row_indices) < len(data.X):
        w.note(f"{counted(len(row_indices), 'row')} of {len(data.X)} asked about; ask for others by their numbers.")


# --------------------------------------------------------------------------------------------------------------- codes


def _codes(w: Working, model: Any, axis: Axis | None, x: list[Cell], t: int, tag: str, fitted: Any) -> Cell:
    """Sides, bits and code of rows, or of one query, in a table."""
    normals, offsets = model.hyperplanes_[t], model.offsets_[t]
    names = f"{tag}code_{t + 1}", rf"c_{{{t + 1}}}", f"code in round {t + 1}: {_written(fitted, model.n_bits_)}"
    if len(x) < normals.shape[1] or len(normals) > MOST_BITS:
        value = float(fitted) if axis is None else np.asarray(fitted, dtype=np.float64)
        return w.given(names[0], value, axis, symbol=names[1], label=names[2])
    bits: list[Cell] = []
    for p, (normal, offset) in enumerate(zip(normals, offsets, strict=True), start=1):
        suffix = f"{t + 1}{p}"
        side = w.cell(f"{tag}s_{suffix}", dot([float(v) for v in normal], x) - float(offset), symbol=rf"s_{{{suffix}}}",
                      label=f"side of plane {p}")  # fmt: skip
        bits.append(
            w.cell(f"{tag}b_{suffix}", where(side >= 0, 1, 0), symbol=rf"b_{{{suffix}}}", label=f"bit of plane {p}")
        )
    terms = [bit * 2**p if p else bit for p, bit in enumerate(bits)]
    return w.cell(names[0], reduce(add, terms), symbol=names[1], label=names[2], equals=np.asarray(fitted, dtype=float),
                  attribute=f"codes_[:, {t}]" if axis is not None else f"codes(X)[:, {t}]")  # fmt: skip


def _written(codes: Any, bits: int) -> str:
    """Codes as zeros and ones, the first plane first; a few of many."""
    texts = ["".join("01"[int(code) >> p & 1] for p in range(bits)) for code in np.atleast_1d(codes).tolist()[:12]]
    return ", ".join(texts) + (", ..." if np.size(codes) > 12 else "")


def _buckets(w: Working, model: Any, code: Cell, t: int) -> None:
    """How many rows each bucket has, and which."""
    codes, sizes = np.unique(model.codes_[:, t], return_counts=True)
    for number, (value, size) in enumerate(zip(codes.tolist()[:MOST_BUCKETS], sizes.tolist(), strict=False), start=1):
        members = np.flatnonzero(model.codes_[:, t] == np.uint64(value)) + 1
        row_list = ", ".join(map(str, members[:12].tolist())) + (", ..." if size > 12 else "")
        label = f"rows in bucket {_written(value, model.n_bits_)}: {row_list}"
        w.cell(f"n_{t + 1}_{number}", sum_(where(equal(code, float(value)), 1, 0)), symbol=rf"n_{{{t + 1},{number}}}",
               label=label, equals=float(size), attribute="size of the bucket")  # fmt: skip
    if len(codes) > MOST_BUCKETS:
        w.note(f"Of {counted(len(codes), 'bucket')} of round {t + 1} the first {MOST_BUCKETS} are counted.")


# -------------------------------------------------------------------------------------------------------------- queries


def _query(w: Working, model: Any, data: Given, q: Floats, fitted: Floats, i: int, tag: str) -> None:
    """One query: its codes, its candidates, their distances, and the k nearest."""
    row = data.X[i : i + 1]
    query_codes, candidate_rows = model.index_.codes_of(row, 1)[0], np.asarray(model.index_.candidates(row, 1)[1])
    w.step(f"Query {i + 1}: codes", "Its numbers, and its code in each round.")
    x = query_of(w, data, q, tag)
    tables = min(model.n_tables_, MOST_TABLES)
    mine = [_codes(w, model, None, x, t, tag, query_codes[t]) for t in range(tables)]
    k = min(model.n_neighbors, len(fitted))
    enough = len(candidate_rows) >= k
    rows_shown = (
        np.arange(len(fitted)) if len(fitted) <= MOST_ROWS else (candidate_rows if enough else np.arange(k))[:MOST_ROWS]
    )
    axis = Axis("row", (rows_shown + 1).tolist(), "i", "n")
    words = "Rows that share a bucket with it in some round" if enough else "Fewer than k rows share a bucket: all rows"
    w.step(f"Query {i + 1}: candidates", f"{words}, and how far away they are.")
    candidate = _candidates(w, model, mine, axis, rows_shown, candidate_rows if enough else np.arange(len(fitted)), tag)
    nearest_of(w, model, row, Compared(axis, fitted[rows_shown], candidate), x, k, tag)


def _candidates(
    w: Working, model: Any, mine: list[Cell], axis: Axis, rows_shown: Array, candidate_rows: Array, tag: str
) -> Cell:
    """1 for the rows that are compared with the query."""
    want = np.isin(rows_shown, candidate_rows).astype(np.float64)
    plain = model.n_probes_ == 1 and len(mine) == model.n_tables_ and len(rows_shown) == len(model.codes_)
    same: list[Expr] = []
    for t, cell in enumerate(mine if plain else []):
        column = w.given(f"{tag}row_code_{t + 1}", model.codes_[rows_shown, t].astype(np.float64), axis,
                         symbol=rf"c_{{{t + 1}}}", label=f"code in round {t + 1}")  # fmt: skip
        same.append(where(equal(column, cell), 1, 0))
    names: dict[str, Any] = {"symbol": "m", "label": "1 for a candidate"}
    if not plain or want.all():
        return w.given(f"{tag}candidate", want, axis, **names)
    is_candidate = where(reduce(add, same) > 0, 1, 0)
    return w.cell(f"{tag}candidate", is_candidate, equals=want, attribute="candidates(X)", **names)
