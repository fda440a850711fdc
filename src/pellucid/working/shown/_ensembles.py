"""What the workings of ensembles share: the table, the class with the largest share, and rows asked for."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags

from pellucid.base.types import Array, Floats
from pellucid.data.table import read_table
from pellucid.working.entry import Given
from pellucid.working.expression import Axis, Cell, Expr, expr
from pellucid.working.language import equal, where
from pellucid.working.model import Working

MOST_COLUMNS = 6
MOST_CLASSES = 6
NEARLY = 1e-12  # shares nearer to each other than this are told apart by rounding


def plain(values: Any) -> Any:
    """Labels for a cell: words as they are, numbers and flags as floats."""
    array = np.asarray(values)
    if array.dtype.kind in "biuf":
        return array.astype(np.float64)
    return np.array([str(value) for value in array.tolist()], dtype=object)


def word(label: Any) -> Any:
    """One label for a formula."""
    return float(label) if isinstance(label, bool | int | float | np.number | np.bool_) else str(label)


def columns(w: Working, data: Given, rows: list[int], axis: Axis) -> None:
    """The first columns of the table, as they came."""
    table = read_table(data.table, "working") if np.ndim(data.table) == 2 or hasattr(data.table, "columns") else None
    if table is None:
        return
    names = [str(name) for name in table.names] if table.names is not None else None
    for j in range(min(table.n_cols, MOST_COLUMNS)):
        name = f"x{j + 1}" if names is None else names[j]
        values = table.column(j)[rows]
        values_shown = (
            plain(values) if values.dtype.kind in "biufOUST" else np.array([str(v) for v in values], dtype=object)
        )
        w.given(f"x{j + 1}", values_shown, axis, symbol=f"x_{{{j + 1}}}" if table.n_cols > 1 else "x", label=name)
    if table.n_cols > MOST_COLUMNS:
        w.note(f"{table.n_cols - MOST_COLUMNS} more columns are not shown.")


def added(cells: list[Any]) -> Expr:
    """The sum of several, in their order."""
    return reduce(add, [expr(cell) for cell in cells])


def winner(w: Working, shares: list[Cell], labels: Array, end: str, predicted: Any, of: str) -> Cell:
    """The class with the largest share, the first of equals, against what the model says."""
    values = np.array([np.broadcast_to(np.asarray(cell.value, dtype=float), np.shape(predicted)) for cell in shares])
    ranked = np.sort(values, axis=0)
    near = len(shares) > 1 and bool(((ranked[-1] - ranked[-2] <= NEARLY) & (ranked[-1] != ranked[-2])).any())
    style: dict[str, Any] = {"symbol": r"\hat{c}", "label": "class with the largest"}
    if near:
        w.note("Shares of which rounding alone makes a difference are not told apart here: the class is the model's.")
        cell = w.given(f"prediction{end}", predicted, shares[0].axis, **style)
        w.check(cell, predicted, of)
        return cell
    best: Any = shares[0]
    for k, share in enumerate(shares[1:], start=2):
        last = k == len(shares)
        best = w.cell(f"largest{k}{end}" if not last else f"largest{end}", where(best >= share, best, share),
                      symbol="m" if last else f"m_{k}", label="largest" if last else f"largest of {k}")  # fmt: skip
    label: Expr = expr(word(labels[-1]))
    for k in range(len(shares) - 2, -1, -1):
        label = where(equal(best, shares[k]), word(labels[k]), label)
    if len(shares) == 1:
        label = where(best >= 0, label, label)
    return w.cell(f"prediction{end}", label, equals=predicted, attribute=of, **style)


def asked_rows(data: Given, most: int = 3) -> list[int]:
    """The rows asked for, or the first few."""
    return data.rows or list(range(min(len(data.row_axis), most)))


def column(values: Floats, j: int) -> Floats:
    """A column of numbers."""
    return np.ascontiguousarray(values[:, j], dtype=np.float64)


def repeatable(model: Any) -> bool:
    """Would a model fitted again on the same rows be the same? Not where it draws without a seed."""
    seeds = [value for name, value in model.get_params(deep=True).items() if name.split("__")[-1] == "random_state"]
    return not get_tags(model).non_deterministic and all(isinstance(seed, int | np.integer) for seed in seeds)


def fitted_again(model: Any, data: Given, y: Any) -> Any:
    """A copy of a member, fitted on the data given."""
    more = {} if data.weight is None else {"sample_weight": data.weight}
    return clone(model).fit(data.table, y, **more)
