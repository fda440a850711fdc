"""The columns of a table that a fit only counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.working.entry import Given
from pellucid.working.expression import Cell
from pellucid.working.language import count
from pellucid.working.model import Working


def count_columns(w: Working, model: Any, data: Given) -> Cell:
    """The names of the columns, and how many they are."""
    w.step("Columns", "Their names, and how many they are.")
    names = np.array(data.names, dtype=object)
    w.given("name", names, data.column_axis, symbol=r"\text{name}", label="name")
    j = w.given("number", np.arange(1.0, len(names) + 1), data.column_axis, symbol="j", label="number")
    return w.cell(
        "columns", count(j), symbol="p", label="columns", equals=float(model.n_features_in_), attribute="n_features_in_"
    )
