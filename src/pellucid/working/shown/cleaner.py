"""Every cell before and after the remedies, and how many differ."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.errors import count
from pellucid.base.types import Array
from pellucid.data.coding import objects
from pellucid.data.table import Table, read_table
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis
from pellucid.working.language import equal, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown.encoding import MISSING, MOST_COLUMNS, _alike

MOST_REMEDIES = 30


@shows("Cleaner.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Remedies, and the cells that they change"
    w.intro = "Each remedy is a rule for the values of a column. A cell is changed where its value differs afterward."
    listed = [str(remedy) for remedy in model.remedies_[:MOST_REMEDIES]]
    if listed:
        w.step("Remedies", "In their order.")
        axis = Axis("remedy", range(1, len(listed) + 1), "r", "R")
        w.given("remedy", np.array(listed, dtype=object), axis, symbol=r"\text{remedy}", label="what is done")
    else:
        w.note("There is nothing to mend.")
    if len(model.remedies_) > MOST_REMEDIES:
        w.note(f"{count(len(model.remedies_) - MOST_REMEDIES, 'remedy', 'remedies')} more are not shown.")
    _columns(w, model, data, _told(model))


@shows("Cleaner.transform")
def transform(w: Working, model: Any, data: Given) -> None:
    w.title = "Cells before and after"
    w.intro = "What the remedies make of each row. Rows are never dropped here; `clean` does that."
    _columns(w, model, data, None)


def _columns(w: Working, model: Any, data: Given, n_changed: dict[Any, int] | None) -> None:
    d = model._validate_predict(data.table)
    before, after = d.table, read_table(model.transform(data.table), "Cleaner")
    names = list(model._applied(d.table, keep_rows=True).names)
    labels = d.column_labels()
    input_names = [str(name) for name in (d.table.names if d.table.names is not None else labels)]
    if len(input_names) > MOST_COLUMNS:
        w.note(f"The last {count(len(input_names) - MOST_COLUMNS, 'column')} of {len(input_names)} are not shown.")
    for j, name in enumerate(input_names[:MOST_COLUMNS]):
        if name not in [str(name_left) for name_left in names]:
            w.step(f"Column {name}", "The column is dropped, or was split into others.")
            w.note(f"{name} is not in the result.")
            continue
        x, z = _alike(_words(before, j), _words(after, [str(name_left) for name_left in names].index(name)))
        w.step(f"Column {name}", "The value before, the value after, and 1 where they differ.")
        x, z = _quoted(x), _quoted(z)
        a = w.given(f"x_{j + 1}", x, data.row_axis, symbol=f"x_{{{j + 1}}}", label=f"{name}, before")
        b = w.given(f"z_{j + 1}", z, data.row_axis, symbol=f"z_{{{j + 1}}}", label=f"{name}, after")
        c = w.cell(f"d_{j + 1}", where(equal(a, b), 0, 1), symbol=f"d_{{{j + 1}}}", label="changed?")
        expected = None if n_changed is None else float(n_changed.get(name, 0))
        w.cell(
            f"m_{j + 1}", sum_(c), symbol=f"m_{{{j + 1}}}", label="cells changed", equals=expected,
            attribute="" if expected is None else "log_",
        )  # fmt: skip


def _words(table: Table, j: int) -> Array:
    """A column in which a missing cell is a word, so that two of them are equal."""
    values, is_missing = table.column(j), table.missing(j)
    if not is_missing.any():
        return values.astype(object) if values.dtype.kind in "mM" else values
    return objects(
        MISSING if missing else value for value, missing in zip(values.tolist(), is_missing.tolist(), strict=True)
    )


def _quoted(values: Array) -> Array:
    """Words that begin or end with a space, or hold none but spaces, in quotes: it would not be seen."""
    if values.dtype.kind == "f":
        return values
    return objects(repr(word) if isinstance(word, str) and word != word.strip() else word for word in values.tolist())


def _told(model: Any) -> dict[Any, int]:
    """How many cells of each column differ in the end, as the log has it; rows that were dropped are left out of it."""
    first: dict[tuple[Any, int], Any] = {}
    last: dict[tuple[Any, int], Any] = {}
    for change in model.log_:
        if change.what in ("cells", "type"):
            for row, before, after in zip(change.rows.tolist(), change.before, change.after, strict=True):
                first.setdefault((change.column, row), before)
                last[change.column, row] = after
    n_changed: dict[Any, int] = {}
    for key, before in first.items():
        x, z = _alike(objects([MISSING if before is None else before]), objects([_or_missing(last[key])]))
        n_changed[str(key[0])] = n_changed.get(str(key[0]), 0) + int(not np.array_equal(x, z))
    return n_changed


def _or_missing(value: Any) -> Any:
    return MISSING if value is None else value
