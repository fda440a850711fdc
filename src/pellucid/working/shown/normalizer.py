"""The size of each row, and the row over it."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

import numpy as np

from pellucid.working.entry import Given, shows
from pellucid.working.expression import Cell, Expr
from pellucid.working.language import absolute, sqrt, where
from pellucid.working.model import Working
from pellucid.working.shown._names import count_columns

MOST_COLUMNS = 12


@shows("Normalizer.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Rows of size 1"
    w.intro = "There is nothing to learn: a row is divided by its own size."
    count_columns(w, model, data)


@shows("Normalizer.transform")
def transform(w: Working, model: Any, data: Given) -> None:
    w.title = "Rows of size 1"
    w.intro = "Every row over its size."
    transformed = model.transform(data.table)
    transformed = np.asarray(transformed.toarray() if hasattr(transformed, "toarray") else transformed)
    rounding = max(16 * float(np.finfo(transformed.dtype).eps), 1e-9)
    n_shown = min(len(data.names), MOST_COLUMNS)
    w.step("Data", "The columns of the table.")
    x = [
        w.given(f"x_{j + 1}", data.X[:, j], data.row_axis, symbol=f"x_{{{j + 1}}}", label=data.names[j])
        for j in range(n_shown)
    ]
    w.step("Size", _SENTENCES[model.norm])
    size = w.cell("size", _size(w, model.norm, x, data, n_shown), symbol="s", label="size of the row")
    by = w.cell("divisor", where(size > 0, size, 1), symbol="d", label="divisor: 1 for a row of zeros")
    w.step("Rows", "Each value over the size of its row.")
    for j in range(n_shown):
        w.cell(
            f"z_{j + 1}", x[j] / by, symbol=f"z_{{{j + 1}}}", label=f"{data.names[j]}, over the size",
            equals=transformed[:, j].astype(np.float64), attribute="transform(X)", tolerance=rounding, scale=1.0,
        )  # fmt: skip
    if len(data.names) > n_shown:
        w.note(f"The last {len(data.names) - n_shown} columns are not shown; they count in the size of a row.")


_SENTENCES = {
    "l1": "The sum of the absolute values.",
    "l2": "The root of the sum of the squares.",
    "max": "The largest absolute value.",
}


def _size(w: Working, norm: str, x: list[Cell], data: Given, n_shown: int) -> Expr:
    other_columns = data.X[:, n_shown:]
    if norm == "max":
        sizes: list[Expr] = [absolute(column) for column in x]
        if other_columns.shape[1]:
            sizes.append(
                _given(w, data, np.abs(other_columns).max(axis=1), "largest absolute value of the other columns")
            )
        return reduce(lambda a, b: where(a > b, a, b), sizes)
    sizes = [absolute(column) if norm == "l1" else column**2 for column in x]
    if other_columns.shape[1]:
        sums = np.abs(other_columns).sum(axis=1) if norm == "l1" else (other_columns**2).sum(axis=1)
        sizes.append(_given(w, data, sums, "the same sum over the other columns"))
    summed = reduce(add, sizes)
    return summed if norm == "l1" else sqrt(summed)


def _given(w: Working, data: Given, values: Any, label: str) -> Cell:
    return w.given("others", values, data.row_axis, symbol="o", label=label)
