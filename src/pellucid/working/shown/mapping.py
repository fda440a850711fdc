"""Which value the lists have for each gap."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.working.entry import Given, shows
from pellucid.working.language import equal, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown._gaps import MISSING, as_cells, columns_of, filled_column


@shows("MapImputer.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "The lists"
    w.intro = "Nothing is learned: columns and rows of the lists must be there."
    for j, name, column in columns_of(w, model, data):
        w.step(f"Column {name}", _words(model, j))
        m = w.given(f"m_{j + 1}", column.missing.astype(float), data.row_axis, symbol=f"m_{{{j + 1}}}",
                    label=f"1 where {name} is missing")  # fmt: skip
        n = w.cell(f"n_{j + 1}", sum_(m), symbol=f"n_{{{j + 1}}}", label="how many are missing")
        if model.indicator_ is not None:
            w.cell(f"has_{j + 1}", where(n > 0, 1, 0), symbol=f"h_{{{j + 1}}}", label="1: it gets an indicator",
                   equals=float(j in model.indicator_.features_), attribute="indicator_")  # fmt: skip
        listed = w.given(f"l_{j + 1}", float(j in model._fills_ or j in model._rows_), symbol=f"l_{{{j + 1}}}",
                         label="1: a list has it")  # fmt: skip
        w.check(listed, float(_listed(model, data, j)), "values")


def _listed(model: Any, data: Given, j: int) -> bool:
    labels = model._validate_predict(data.table).column_labels()
    return any(name in (j, labels[j], j - len(labels)) for name in {**(model.values or {}), **(model.rows or {})})


def _words(model: Any, j: int) -> str:
    fill = model._fills_.get(j)
    words = "No value is given." if fill is None else f"Filled with {fill!r}."
    if isinstance(fill, Mapping):
        words = "Filled by key: " + "; ".join(f"{key!r} has {value!r}" for key, value in list(fill.items())[:10]) + "."
    cells = model._rows_.get(j)
    return words + (f" By hand: {len(cells)}." if cells else "")


@shows("MapImputer.transform")
def transform(w: Working, model: Any, data: Given) -> None:
    w.title = "Columns filled from the lists"
    w.intro = "A missing value is replaced by what the lists have for it; all others stay."
    filled = model._filled(model._validate_predict(data.table), {})
    filled = np.asarray(filled)
    columns = columns_of(w, model, data)
    everything = [column for _, _, column in columns]
    for j, name, column in columns:
        w.step(f"Column {name}", _words(model, j))
        fill = model._fills_.get(j)
        key = model._keys_.get(j)
        if isinstance(fill, Mapping) and (key is None or key >= len(everything)):
            w.note(f"The keys of column {name} are not shown.")
            continue
        if fill is None and not column.missing.any():
            x = w.given(f"x_{j + 1}", as_cells(column.values), data.row_axis, symbol=f"x_{{{j + 1}}}", label=name)
            w.check(x, as_cells(filled[:, j]), "transform(X)")
            continue
        if isinstance(fill, Mapping):
            keys = everything[key].values.tolist()
            values = np.array([fill.get(k, MISSING) for k in keys], dtype=object)
            cell_values = np.array([str(k) for k in keys], dtype=object)
            w.given(f"key_{j + 1}", cell_values, data.row_axis, symbol=r"\text{key}", label=f"key: {columns[key][1]}")
        else:
            values = np.array([MISSING if fill is None else fill] * len(column.values), dtype=object)
        none = np.array([value is MISSING for value in values.tolist()])
        if (gaps := column.missing & none).any():
            w.note(f"Column {name} keeps {counted(int(gaps.sum()), 'gap')}, for which no value is given.")
            _with_gaps(w, data, j, name, column, values, filled[:, j])
            continue
        words = as_cells(column.present).dtype.kind != "f"
        values[none] = "(none)" if words else 0.0
        if none.any() and not words:
            w.note(f"Where the lists have nothing for {name}, 0 stands; it is not used.")
        cell_values = np.array([str(v) for v in values.tolist()], dtype=object) if words else as_cells(values)
        s = w.given(f"s_{j + 1}", cell_values, data.row_axis, symbol=f"s_{{{j + 1}}}", label="what the lists have")
        filled_column(w, j, name, column, data.row_axis, filled[:, j], s)


def _with_gaps(w: Working, data: Given, j: int, name: str, column: Any, values: Any, filled: Any) -> None:
    """A column that keeps gaps is shown in words, so that a gap can be one."""
    words = [
        MISSING if is_missing else str(v)
        for v, is_missing in zip(as_cells(column.values).tolist(), column.missing, strict=True)
    ]
    listed = as_cells(np.array(values.tolist(), dtype=object))
    numbers = column.values.dtype.kind == "f"
    fill_texts = [str(float(v)) if numbers and v is not MISSING else str(v) for v in listed.tolist()]
    x = w.given(f"x_{j + 1}", np.array(words, dtype=object), data.row_axis, symbol=f"x_{{{j + 1}}}", label=name)
    s = w.given(f"s_{j + 1}", np.array(fill_texts, dtype=object), data.row_axis, symbol=f"s_{{{j + 1}}}",
                label="what the lists have")  # fmt: skip
    after = [MISSING if v is None or v != v else str(v) for v in as_cells(filled).tolist()]
    w.cell(f"z_{j + 1}", where(equal(x, MISSING), s, x), symbol=f"z_{{{j + 1}}}", label=f"{name}, filled",
           equals=np.array(after, dtype=object), attribute="transform(X)")  # fmt: skip
