"""How many values each column lacks, and where."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.working.entry import Given, shows
from pellucid.working.expression import expr
from pellucid.working.language import equal, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown._gaps import MISSING, as_cells, columns_of


@shows("MissingIndicator.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Columns that get an indicator"
    w.intro = "Those with a missing value, or all if asked for."
    for j, name, column in columns_of(w, model, data):
        w.step(f"Column {name}", "Which rows lack it, and how many.")
        m = w.given(f"m_{j + 1}", column.missing.astype(float), data.row_axis, symbol=f"m_{{{j + 1}}}",
                    label=f"1 where {name} is missing")  # fmt: skip
        n = w.cell(f"n_{j + 1}", sum_(m), symbol=f"n_{{{j + 1}}}", label="how many are missing")
        every = expr(1) if model.features == "all" else where(n > 0, 1, 0)
        w.cell(f"has_{j + 1}", every, symbol=f"h_{{{j + 1}}}", label="1: it gets an indicator",
               equals=float(j in model.features_), attribute="features_")  # fmt: skip


@shows("MissingIndicator.transform")
def transform(w: Working, model: Any, data: Given) -> None:
    w.title = "Where values are missing"
    w.intro = "1 where the row lacks a value, else 0."
    transformed = model._transform(model._validate_predict(data.table))
    transformed = np.asarray(transformed.toarray() if hasattr(transformed, "toarray") else transformed).astype(float)
    output_index = {int(j): k for k, j in enumerate(model.features_)}
    for j, name, column in columns_of(w, model, data):
        values = np.empty(len(column.values), dtype=object)
        values[:] = [MISSING if is_missing else str(v) for v, is_missing in zip(as_cells(column.values).tolist(),
                                                                    column.missing,
                                                                    strict=True)]  # fmt: skip
        w.step(
            f"Column {name}",
            "Its values and its indicator." if j in output_index else "It had none missing in the fit.",
        )
        x = w.given(f"x_{j + 1}", values, data.row_axis, symbol=f"x_{{{j + 1}}}", label=name)
        if j in output_index:
            w.cell(f"z_{j + 1}", where(equal(x, MISSING), 1, 0), symbol=f"z_{{{j + 1}}}", label="indicator",
                   equals=transformed[:, output_index[j]], attribute="transform(X)")  # fmt: skip
