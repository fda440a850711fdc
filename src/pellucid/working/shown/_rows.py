"""What the workings of scores share: rows with their labels and weights, and the words of a refusal."""

from __future__ import annotations

from numbers import Real
from typing import Any, NoReturn

import numpy as np

from pellucid.base.errors import DataError, format_message
from pellucid.base.types import Array, Floats
from pellucid.working.expression import Axis, Cell, Expr, expr
from pellucid.working.language import equal, mean, sum_, where
from pellucid.working.matrix import Block, Stack
from pellucid.working.model import Working


def refuse(name: str, requirement: str, actual: str = "", hint: str = "") -> NoReturn:
    """Say why something cannot be shown."""
    raise DataError(format_message(f"show({name})", requirement, actual=actual, hint=hint))


def labels(values: Any, name: str = "") -> Array:
    """Labels as numbers, or as text where they are none."""
    array = np.asarray(values)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array.ravel()
    if array.ndim != 1:
        hint = "show one column at a time"
        refuse(name, "the working is of one label a row", f"got a table of {array.shape[-1]} columns", hint)
    if array.dtype.kind == "O" and all(isinstance(value, Real) for value in array.tolist()):
        array = array.astype(np.float64)
    return array.astype(np.float64) if array.dtype.kind in "biuf" else array.astype(str).astype(object)


def label(value: Any) -> Any:
    """One label, in the form that `labels` gives it."""
    return float(value) if isinstance(value, Real | np.bool_) else str(value)


def numbers(values: Any, name: str) -> Floats:
    """One column of numbers."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array.ravel()
    if array.ndim != 1:
        hint = "show one column at a time"
        refuse(name, "the working is of one column", f"got a table of {array.shape[-1]} columns", hint)
    return array


def rows_of(n: int, numbered: Any = None) -> Axis:
    """The rows, counted from 1 unless told."""
    return Axis("row", list(range(1, n + 1)) if numbered is None else list(numbered))


def weights(w: Working, sample_weight: Any, rows: Axis) -> Cell | None:
    """The weights as a column of the table of rows; None where there are none."""
    if sample_weight is None:
        return None
    weight_values = np.ravel(np.asarray(sample_weight, dtype=np.float64))
    return w.given("weight", weight_values, rows, symbol="w", label="weight")


def average(column: Any, weight: Cell | None) -> Expr:
    """The mean over rows, by weight where there are weights."""
    return mean(column) if weight is None else sum_(weight * column) / sum_(weight)


def classes_of(w: Working, classes: Array) -> Cell:
    """The classes as a column of their own."""
    return w.given("class", classes, class_axis(classes), symbol="c", label="class")


def class_axis(classes: Array) -> Axis:
    return Axis("class", [spelled(name) for name in classes.tolist()], "k", "K")


def spelled(value: Any) -> str:
    """A label as one writes it: 1, not 1.0."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def in_class(column: Cell, classes: Cell, amount: Any, rows: Axis) -> Expr:
    """For each class, how much the rows that have it in a column amount to."""
    return sum_(where(equal(column, classes), amount, 0), rows)


def indicators(w: Working, column: Cell, classes: Array, symbol: str, amount: Any = 1, label: str = "") -> Block:
    """A table with one column a class: the amount in the column of a row's class, 0 elsewhere."""
    assert column.axis is not None
    items = [where(equal(column, name), amount, 0) for name in classes.tolist()]
    table = Stack(items, column.axis, class_axis(classes))
    return w.block(f"is_{column.name}", table, symbol=symbol, label=label)


def amount_of(weight: Cell | None) -> Expr:
    """What a row counts."""
    return expr(1) if weight is None else weight
