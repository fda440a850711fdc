"""Which columns a selector keeps, and the rows with those alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.errors import count
from pellucid.working.entry import Given, shows
from pellucid.working.language import sum_
from pellucid.working.model import Working

MOST_COLUMNS = 10


@shows("Selector.transform")
def transform(w: Working, model: Any, data: Given) -> None:
    w.title = "The chosen columns"
    w.intro = "Columns that stay are taken over as they are; the others are left out."
    support = model.get_support()
    names = [str(name) for name in model._names_in(None)]
    w.step("Columns", "1 for a column that stays, 0 for one that is left out.")
    axis = w.axis("column", names, "j", "p")
    s = w.given("stays", support.astype(np.float64), axis, symbol="s", label="stays")
    kept_columns = np.flatnonzero(support)
    w.cell(
        "number",
        sum_(s),
        symbol="k",
        label="columns that stay",
        equals=float(len(kept_columns)),
        attribute="get_support()",
    )
    if not data.names:
        w.step("Rows", "The table holds words and is handed on as it is.")
        w.given("row", np.array(data.row_axis.labels, dtype=np.float64), data.row_axis, symbol="i", label="row")
        return
    transformed = np.asarray(model._transform(model._validate_predict(data.table)))
    transformed = np.asarray(
        transformed.item().toarray() if transformed.dtype == object and transformed.ndim == 0 else transformed
    )
    w.step("Rows", "The values of the columns that stay." if len(kept_columns) else "There is no column to show.")
    if not len(kept_columns):
        w.given("row", np.array(data.row_axis.labels, dtype=np.float64), data.row_axis, symbol="i", label="row")
    for position, j in enumerate(kept_columns[:MOST_COLUMNS].tolist()):
        z = w.given(f"z_{position + 1}", data.X[:, j], data.row_axis, symbol=f"z_{{{position + 1}}}", label=names[j])
        w.check(z, np.asarray(transformed[:, position], dtype=np.float64), "transform(X)")
    if len(kept_columns) > MOST_COLUMNS:
        w.note(f"The last {count(len(kept_columns) - MOST_COLUMNS, 'column')} that stay are not shown.")
