"""Frames with some of their cells filled in, each column of its own type where that holds the values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pellucid.base.types import Array
from pellucid.data.table import Table


def filled_frame(
    table: Table, library: str, columns: Mapping[int, Array], keep: Sequence[int], more: Mapping[str, Array]
) -> Any:
    """A frame of the columns that are kept, in their order, and of some more.

    Parameters
    ----------
    table : of a frame
    library : "pandas" or "polars"
    columns : by position, all values of those columns in which a cell was filled
    keep : positions of the columns that stay
    more : further columns by name, which stand last
    """
    frame = table.source.to_pandas() if library == "pandas" else table.source.to_polars()
    typed = _typed_pandas if library == "pandas" else _typed_polars
    columns_out: dict[Any, Any] = {}
    for j in keep:
        series = frame.iloc[:, j] if library == "pandas" else frame[:, j]
        columns_out[frame.columns[j]] = typed(series, columns[j]) if j in columns else series
    if library == "pandas":
        return type(frame)({**columns_out, **more}, index=frame.index)
    return type(frame)({**columns_out, **more})


def _is_whole(values: Array) -> bool:
    """Whole numbers that 64 bits hold, whatever their type?"""
    if values.dtype.kind in "biu":
        return True
    try:
        numbers = values.astype(np.float64)
    except (TypeError, ValueError):
        return False
    return bool((np.floor(numbers) == numbers).all() and (np.abs(numbers) < 2.0**63).all())


def _typed_pandas(series: Any, values: Array) -> Any:
    dtype, make = series.dtype, type(series)
    name = str(dtype)
    if name.lower().startswith(("int", "uint")) and not _is_whole(values):
        return make(values.astype(np.float64), index=series.index)
    if hasattr(dtype, "categories"):
        new = [value for value in dict.fromkeys(values.tolist()) if value == value and value is not None]
        dtype = series.cat.add_categories([value for value in new if value not in dtype.categories]).dtype
    try:
        return make(values, index=series.index, dtype=dtype)
    except (TypeError, ValueError, OverflowError):  # a value that the column's own type does not hold
        return make(values, index=series.index)


def _typed_polars(series: Any, values: Array) -> Any:
    dtype, make = series.dtype, type(series)
    if dtype.is_integer() and not _is_whole(values):
        return make(series.name, values.astype(np.float64))
    cells = [None if value is None or value != value else value for value in values.tolist()]
    plain = values if values.dtype.kind in "biuf" else cells
    try:
        return make(series.name, plain).cast(dtype)
    except Exception as error:  # polars' own come from a library that must not be imported here
        if not isinstance(error, TypeError) and not type(error).__module__.startswith("polars"):
            raise
        return make(series.name, plain, strict=False)
