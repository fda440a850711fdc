"""A column while it is being cleaned: distinct values, and which row has which."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pellucid.base.types import Array
from pellucid.data.coding import code_column
from pellucid.data.kinds import Kind, is_missing
from pellucid.data.table import Table


def same_cell(a: Any, b: Any) -> bool:
    """Are two cells the same? 5 and 5.0 are, '5' and 5 are not, NaN and a missing one are."""
    if a is None or b is None:
        return is_missing(a) and is_missing(b)
    if isinstance(a, str) != isinstance(b, str) or isinstance(a, bool | np.bool_) != isinstance(b, bool | np.bool_):
        return False
    return bool(a == b)


def same_cells(a: list[Any], b: list[Any]) -> bool:
    return len(a) == len(b) and all(map(same_cell, a, b))


def plain_value(value: Any) -> Any:
    """A cell as a plain Python value: times as datetimes, NumPy's numbers as numbers."""
    if isinstance(value, np.datetime64):
        return value.astype("datetime64[us]").item()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, dt.date) and not isinstance(value, dt.datetime):
        return dt.datetime(value.year, value.month, value.day)
    if hasattr(value, "to_pydatetime"):
        return value.to_pydatetime()
    return value


@dataclass
class Cells:
    """Values that occur, and a code a row; -1 where the row has none. Two codes may stand for equal values."""

    values: list[Any]
    codes: Array
    kind: Kind

    @classmethod
    def of(cls, table: Table, index: int) -> Cells:
        """A column as the table has it."""
        coded = code_column(table, index, 1)
        values = [plain_value(value) for value in _scalars(coded.values)]
        return cls(values, coded.codes.copy(), table.kinds[index])

    @classmethod
    def of_values(cls, cells: list[Any], kind: Kind) -> Cells:
        """A column from its cells, None where missing."""
        code_of_value: dict[Any, int] = {}
        codes = [-1 if value is None else code_of_value.setdefault(value, len(code_of_value)) for value in cells]
        return cls(list(code_of_value), np.array(codes, dtype=np.int32), kind)

    def at(self, rows: Array) -> list[Any]:
        """The cells of some rows."""
        values = [*self.values, None]  # code -1 looks up the last
        return [values[code] for code in self.codes[rows].tolist()]

    def changed_by(self, change: Callable[[Any], Any], rows: Array) -> tuple[Array, list[Any], list[Any]]:
        """Which of the rows a function of the value changes, and their cells before and after; nothing is done yet."""
        after = [change(value) for value in self.values]
        differs = np.array([not same_cell(a, b) for a, b in zip(self.values, after, strict=True)] + [False], dtype=bool)
        hit = rows[differs[self.codes[rows]]]
        codes = self.codes[hit].tolist()
        return hit, [self.values[code] for code in codes], [after[code] for code in codes]

    def retype(self, values: list[Any], kind: Kind) -> None:
        """Puts another value in the place of each; None for a missing one."""
        is_gone = np.array([is_missing(value) for value in values] + [True], dtype=bool)
        self.codes = np.where(is_gone[self.codes], -1, self.codes).astype(np.int32)
        self.values, self.kind = values, kind

    def put(self, rows: Array, cells: list[Any], kind: Kind) -> None:
        """Writes cells into rows."""
        first = len(self.values)
        code_of_key: dict[Any, int] = {}
        codes = [
            -1 if is_missing(value) else first + code_of_key.setdefault(_key(value), len(code_of_key))
            for value in cells
        ]
        self.codes[rows] = np.array(codes, dtype=np.int32)
        self.values = [*self.values, *(value for _, value in code_of_key)]
        self.kind = kind


def _key(value: Any) -> tuple[str, Any]:
    """1, 1.0 and True are one key of a dict, but not one cell."""
    return type(value).__name__, value


def _scalars(values: Array) -> list[Any]:
    return list(values) if values.dtype.kind == "M" else values.tolist()
