"""What the workings of imputers share: columns with gaps, in numbers or in words."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.base.types import Array, Flags
from pellucid.data.kinds import is_missing
from pellucid.impute._columns import Column, read_columns
from pellucid.working.entry import Given
from pellucid.working.expression import Axis, Cell, Expr
from pellucid.working.language import arg_max, equal, lookup, sum_, where
from pellucid.working.model import Working

MOST_COLUMNS = 10
MISSING = "(missing)"


def columns_of(w: Working, model: Any, data: Given) -> list[tuple[int, str, Column]]:
    """The columns that fit on a page: position, name, and values with their gaps."""
    d = model._validate_predict(data.table)
    if d.table.is_sparse:
        d.table = type(d.table)(d.table.source.toarray(), d.n_rows, d.n_cols, d.table.names)
    names = d.column_labels()
    columns = read_columns(d, model.missing_values)
    n_shown = min(len(columns), MOST_COLUMNS)
    if n_shown < len(columns):
        w.note(f"The last {counted(len(columns) - n_shown, 'column')} of {len(columns)} are not shown.")
    return [(j, names[j], columns[j]) for j in range(n_shown)]


def as_cells(values: Array) -> Array:
    """Values as a page can hold them: floats, or words."""
    listed = values.tolist()
    if all(isinstance(v, int | float) for v in listed):
        return np.array(listed, dtype=np.float64)
    return np.array([MISSING if is_missing(v) else str(v) for v in listed], dtype=object)


def rows_with(label: str, where: Flags) -> Axis:
    """The rows in which a column has a value, under their own numbers."""
    return Axis("row", (np.flatnonzero(where) + 1).tolist(), "i", "n")


def present_cell(w: Working, j: int, name: str, column: Column, rows: Axis) -> Cell:
    """The values of a column that are there, as a given column of the working."""
    there = ~column.missing
    axis = rows if there.all() else rows_with(name, there)
    return w.given(f"x_{j + 1}", as_cells(column.present), axis, symbol=f"x_{{{j + 1}}}", label=name)


def most_frequent(
    w: Working, tag: str, x: Cell, label: str, equals: Any, attribute: str, among: Expr | None = None
) -> Cell:
    """The word that occurs most often in a column, the first in order of equally frequent ones.

    among : 1 for the rows that count, 0 for the others; without it all do
    """
    words = sorted(set(x.stored.tolist()))
    axis = Axis("value", words, "k", "K")
    mark = "{" + tag.replace("_", ",") + "}"
    v = w.given(f"v_{tag}", np.array(words, dtype=object), axis, symbol=f"v_{mark}", label="value")
    often = sum_(where(equal(x, v), 1, 0), x.axis) if among is None else sum_(equal(x, v) * among, x.axis)
    c = w.cell(f"c_{tag}", often, symbol=f"c_{mark}", label="how often")
    return w.cell(
        f"s_{tag}", lookup(v, arg_max(c)), symbol=f"s_{mark}", label=label, equals=equals, attribute=attribute
    )


def without_gaps(w: Working, data: Given, X: Array, column_indices: Array, filled: Array) -> None:
    """A table in which nothing is missing: its columns, which stay as they are."""
    w.step("Table", "Nothing is missing: every value stays.")
    for k, j in enumerate(column_indices.tolist()[:MOST_COLUMNS]):
        x = w.given(f"x_{j + 1}", np.nan_to_num(X[:, j]), data.row_axis, symbol=f"x_{{{j + 1}}}", label=data.names[j])
        if not np.isnan(X[:, j]).any():
            w.check(x, filled[:, k], "transform(X)", 1e-6)


def filled_column(w: Working, j: int, name: str, column: Column, rows: Axis, filled: Array, fill: Cell) -> None:
    """A column before and after: where it is missing, `fill` is filled in.

    found : the same column of what the model makes of the table
    """
    flags = column.missing.astype(np.float64)
    x = w.given(f"x_{j + 1}", as_cells(_with_blanks(column)), rows, symbol=f"x_{{{j + 1}}}", label=name)
    m = w.given(f"m_{j + 1}", flags, rows, symbol=f"m_{{{j + 1}}}", label="1 where it is missing")
    w.cell(
        f"z_{j + 1}", where(equal(m, 1), fill, x), symbol=f"z_{{{j + 1}}}", label=f"{name}, filled",
        equals=as_cells(filled), attribute="transform(X)", tolerance=1e-6 if filled.dtype == np.float32 else 1e-9,
        scale=_size(as_cells(filled)),
    )  # fmt: skip


def _with_blanks(column: Column) -> Array:
    """The values with a neutral one in the gaps, which the formula does not look at: 0, or a word."""
    numbers = all(isinstance(v, int | float) for v in column.present.tolist())
    out = np.empty(len(column.values), dtype=object)
    out[:] = column.values.tolist()
    out[column.missing] = 0.0 if numbers else MISSING
    return out


def _size(values: Array) -> float:
    return float(np.abs(values).max(initial=0.0)) if values.dtype.kind == "f" and np.isfinite(values).all() else 0.0
