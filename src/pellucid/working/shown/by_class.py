"""The central value of each class in each column, and the gaps filled by it."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.types import Array
from pellucid.impute._columns import Column
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell
from pellucid.working.language import count, median, mode, sum_
from pellucid.working.model import Working
from pellucid.working.shown._gaps import as_cells, columns_of, filled_column, most_frequent

MOST_GROUPS = 8


@shows("ClassImputer.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "The value that fills each column, class by class"
    of = (
        "the target"
        if model._by_ is None
        else f"column {model._validate_predict(data.table).column_labels()[model._by_]}"
    )
    w.intro = f"Classes are the values of {of}. A class without values in a column has the overall value there."
    columns = columns_of(w, model, data)
    codes = _codes(model, data)
    if len(model.groups_) > MOST_GROUPS:
        w.note(f"The last {len(model.groups_) - MOST_GROUPS} classes are not shown.")
    for j, name, column in columns:
        w.step(f"Column {name}", f"Its {str(model.strategies_[j]).replace('_', ' ')}: overall, then by class.")
        if len(column.present) == 0:
            w.note(f"Column {name} has no values.")
            continue
        everywhere = np.ones(len(column.values), dtype=bool)
        overall = _center(w, model, f"s_{j + 1}", column, everywhere, name, "overall", j, model.statistics_[j],
                          f"statistics_[{j}]")  # fmt: skip
        for g, group in enumerate(model.groups_.tolist()[:MOST_GROUPS]):
            want, at = model.group_statistics_[g, j], f"group_statistics_[{g}, {j}]"
            if not (~column.missing & (codes == g)).any():
                cell = w.given(f"s_{j + 1}_{g + 1}", overall.value, symbol=f"s_{{{j + 1},{g + 1}}}",
                               label=f"{group}: no values, the overall one")  # fmt: skip
                w.check(cell, as_cells(np.array([want], dtype=object))[0], at)
                continue
            _center(w, model, f"s_{j + 1}_{g + 1}", column, codes == g, name, str(group), j, want, at)


def _codes(model: Any, data: Given) -> Array:
    """The class of each row, by its place among the classes."""
    if model._by_ is None:
        listed = np.asarray(data.y).tolist()
    else:
        listed = model._validate_predict(data.table).table.column(model._by_).tolist()
    code_of = {value: g for g, value in enumerate(model.groups_.tolist())}
    return np.array([code_of.get(value, -1) for value in listed])


def _center(w: Working, model: Any, cell: str, column: Column, where: Array, name: str, group: str, j: int, want: Any,
            attribute: str) -> Cell:  # fmt: skip
    """One central value from the rows of one class."""
    there = where & ~column.missing
    values = as_cells(column.values[there])
    axis = Axis("row", (np.flatnonzero(there) + 1).tolist(), "i", "n")
    symbol = "s_{" + cell.removeprefix("s_").replace("_", ",") + "}"
    if values.dtype.kind != "f":
        x = w.given(f"x{cell[1:]}", values, axis, symbol="x" + symbol[1:], label=_of(name, group))
        return most_frequent(w, cell.removeprefix("s_"), x, f"{group}: what is filled in", str(want), attribute)
    x = w.given(f"x{cell[1:]}", values, axis, symbol="x" + symbol[1:], label=_of(name, group))
    formula = {"mean": lambda: sum_(x) / count(x), "median": lambda: median(x), "most_frequent": lambda: mode(x)}
    return w.cell(cell, formula[model.strategies_[j]](), symbol=symbol, label=f"{group}: what is filled in",
                  equals=float(want), attribute=attribute, scale=float(np.abs(values).max()))  # fmt: skip


def _of(name: str, group: str) -> str:
    return f"{name} of all rows" if group == "overall" else f"{name} of {group}"


@shows("ClassImputer.transform")
def transform(w: Working, model: Any, data: Given) -> None:
    w.title = "Columns with their gaps filled"
    reason = "no class is known here, so the overall value is" if model._by_ is None else "the value of its group is"
    w.intro = f"For a missing value {reason} filled in; all others stay."
    transformed = np.asarray(model._transform(model._validate_predict(data.table)))
    output_index = {int(j): k for k, j in enumerate(model._kept_)}
    codes = np.full(len(data.row_axis), -1) if model._by_ is None else _codes(model, data)
    for j, name, column in columns_of(w, model, data):
        if j not in output_index:
            w.note(f"Column {name} had no values in the fit and is dropped.")
            continue
        w.step(f"Column {name}", "Its values, the value of each row's class, and what becomes of both.")
        table = np.vstack([model.group_statistics_, model.statistics_[None, :]])[:, j]
        fills = as_cells(np.array([table[c] if c >= 0 else model.statistics_[j] for c in codes.tolist()], dtype=object))
        if as_cells(column.present).dtype.kind != "f":
            fills = np.array([str(v) for v in fills.tolist()], dtype=object)
        s = w.given(f"s_{j + 1}", fills, data.row_axis, symbol=f"s_{{{j + 1}}}", label="value of its class")
        if model.unknown == "leave" and (column.missing & (codes < 0)).any():
            w.note(f"Column {name} keeps gaps in rows of unknown class.")
            continue
        filled_column(w, j, name, column, data.row_axis, transformed[:, output_index[j]], s)
