"""Making dataframes, with the library that the user has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal

import narwhals as nw
import numpy as np

from pellucid.base.errors import MissingExtraError, ParameterError, format_message
from pellucid.base.types import Array
from pellucid.data.kinds import NUMERIC, Kind
from pellucid.data.table import Table

AsFrame = bool | Literal["pandas", "polars"]
LIBRARIES = ("pandas", "polars")


def frame_library(who: str, as_frame: AsFrame) -> Any:
    """The dataframe library asked for, or None. Both take a dict of lists, and None in them for a missing cell."""
    if as_frame is False:
        return None
    if as_frame is not True and as_frame not in LIBRARIES:
        raise ParameterError(
            format_message(who, "as_frame must be True, False, 'pandas' or 'polars'", actual=f"got {as_frame!r}")
        )
    libraries = LIBRARIES if as_frame is True else (as_frame,)
    for library in libraries:
        if find_spec(library) is not None:
            return import_module(library)
    raise MissingExtraError(
        format_message(
            who,
            f"as_frame={as_frame!r} needs {' or '.join(libraries)}, which is not installed",
            actual="",
            hint=f"pip install {libraries[0]}, or as_frame=False for the numeric columns as an array",
        )
    )


@dataclass(frozen=True)
class NewColumn:
    """A column to put into a table: Python values, None where missing, and what they are."""

    values: list[Any]
    kind: Kind


_STORED: dict[Kind, Any] = {
    Kind.NUMBER: nw.Float64,
    Kind.FLAG: nw.Boolean,
    Kind.TIME: nw.Datetime("us"),
    Kind.TEXT: nw.String,
    Kind.CATEGORY: nw.String,
    Kind.ORDERED: nw.String,
}


def rebuilt(table: Table, rows: Array | None, names: Sequence[Any], new: Mapping[Any, NewColumn]) -> Any:
    """A table of the same library as the one given, which is left as it is.

    rows : positions of the rows to keep; None for all
    names : the columns of the result; those not in ``new`` are taken over with the type that they have
    """
    if not table.is_frame:
        return _rebuilt_array(table, rows, names, new)
    frame = table.source if rows is None else table.source[rows.tolist(), :]
    series = {name: _series(frame, name, column) for name, column in new.items()}
    if series:
        frame = frame.with_columns(*series.values())
    native = frame.select([nw.col(name) for name in names]).to_native()
    return native.copy() if frame.implementation.is_pandas_like() else native


def _series(frame: nw.DataFrame[Any], name: Any, column: NewColumn) -> nw.Series[Any]:
    is_integer = column.kind is Kind.NUMBER and _are_whole(column.values)
    if not frame.implementation.is_pandas_like():
        stored = nw.Int64 if is_integer else _STORED[column.kind]
        return nw.new_series(name, column.values, stored, backend=frame.implementation)
    pandas = frame.implementation.to_native_namespace()
    has_missing = None in column.values
    number = ("Int64" if has_missing else "int64") if is_integer else "float64"
    dtype = {Kind.NUMBER: number, Kind.FLAG: "boolean" if has_missing else "bool"}.get(column.kind)
    if column.kind == Kind.TIME:
        dtype = "datetime64[us]"
    if column.kind in (Kind.TEXT, Kind.CATEGORY, Kind.ORDERED):
        dtype = "str" if all(value is None or isinstance(value, str) for value in column.values) else "object"
    series = pandas.Series(column.values, index=frame.to_native().index, name=name, dtype=dtype)
    return nw.from_native(series, series_only=True)


def _are_whole(values: Sequence[Any]) -> bool:
    """Are all values that are there integers of 64 bits?"""
    present = [value for value in values if value is not None]
    return bool(present) and all(type(value) is int and -(2**63) <= value < 2**63 for value in present)


def _rebuilt_array(table: Table, rows: Array | None, names: Sequence[Any], new: Mapping[Any, NewColumn]) -> Array:
    """The columns of an array are called x0, x1, ..."""
    position_of = {f"x{j}": j for j in range(table.n_cols)}
    n_rows = table.n_rows if rows is None else len(rows)
    source = table.source if rows is None else table.source[rows]
    numbers = all(column.kind in NUMERIC for column in new.values()) and source.dtype.kind in "biuf"
    dtype = np.result_type(source.dtype, np.float64) if new and numbers else source.dtype if numbers else object
    if not new and list(names) == list(position_of):
        return np.array(source, copy=True)
    out = np.empty((n_rows, len(names)), dtype=dtype)
    for j, name in enumerate(names):
        if name in new:
            missing_value = np.nan if numbers else None
            out[:, j] = [missing_value if value is None else value for value in new[name].values]
        else:
            out[:, j] = source[:, position_of[name]]
    return out


def polars_of_objects(values: Array, names: Sequence[Any]) -> Any:
    """A polars frame of an array of objects. A column of several types is one of objects: polars takes the type of the
    first cell for all, and refuses those that follow."""
    polars = frame_library("set_output", "polars")

    def column(name: Any, cells: list[Any]) -> Any:
        try:
            return polars.Series(str(name), cells)
        except TypeError:
            return polars.Series(str(name), cells, dtype=polars.Object)

    return polars.DataFrame([column(name, values[:, j].tolist()) for j, name in enumerate(names)])
