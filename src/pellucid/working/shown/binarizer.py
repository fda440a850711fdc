"""Which values are above the threshold."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.working.entry import Given, shows
from pellucid.working.language import where
from pellucid.working.model import Working
from pellucid.working.shown._names import count_columns
from pellucid.working.shown.scaling import MOST_COLUMNS


@shows("Binarizer.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "A threshold for all columns"
    w.intro = "There is nothing to learn: the threshold is given."
    count_columns(w, model, data)


@shows("Binarizer.transform")
def transform(w: Working, model: Any, data: Given) -> None:
    w.title = "Above the threshold or not"
    w.intro = "Every value above the threshold becomes 1, every other 0."
    transformed = model.transform(data.table)
    transformed = np.asarray(
        transformed.toarray() if hasattr(transformed, "toarray") else transformed, dtype=np.float64
    )
    w.step("Threshold", "The same for all columns.")
    t = w.given("t", float(model.threshold), symbol="t", label="threshold")
    for j in range(min(len(data.names), MOST_COLUMNS)):
        mark, name = f"_{{{j + 1}}}", data.names[j]
        w.step(f"Column {name}", "Its values, and what becomes of them.")
        x = w.given(f"x_{j + 1}", data.X[:, j], data.row_axis, symbol=f"x{mark}", label=name)
        w.cell(
            f"z_{j + 1}", where(x > t, 1, 0), symbol=f"z{mark}", label=f"{name}, above it?", equals=transformed[:, j],
            attribute="transform(X)",
        )  # fmt: skip
    if len(data.names) > MOST_COLUMNS:
        w.note(f"The last {len(data.names) - MOST_COLUMNS} columns are not shown.")
