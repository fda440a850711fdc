"""The numbers of a wide and short frame, read in one piece.

A dataframe library takes some microseconds for every column that it hands over, however few its rows are: with
thousands of columns that is what reading them costs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np

from pellucid.base.types import Array

WIDE, SHORT = 64, 20_000  # columns from which on, and rows up to which, one piece is better

_FLOATS = frozenset({nw.Float64, nw.Float32})
_WHOLE = frozenset({nw.Int64, nw.Int32, nw.Int16, nw.Int8, nw.UInt64, nw.UInt32, nw.UInt16, nw.UInt8})


def is_wide(n_rows: int, n_cols: int) -> bool:
    """Are there so many columns of so few rows that a call for each of them would be what takes the time?"""
    return n_cols >= WIDE and n_rows <= SHORT


def number_columns(frame: nw.DataFrame[Any], dtypes: Sequence[Any]) -> dict[int, Array]:
    """Columns of plain numbers by position, each as the library would give it alone, read-only.

    Left out, for their own way in: whole numbers with gaps, other kinds of columns, and other libraries' frames.
    """
    native = frame.to_native()
    if frame.implementation.is_polars():
        return _by_type(_of_polars(native, dtypes), lambda columns: native[:, columns].to_numpy(order="fortran"))
    if frame.implementation.is_pandas():
        return _by_type(_of_pandas(native), lambda columns: native.iloc[:, columns].to_numpy())
    return {}


def _of_polars(native: Any, dtypes: Sequence[Any]) -> dict[Any, list[int]]:
    null_counts = native.null_count().row(0)
    groups: dict[Any, list[int]] = {}
    for j, dtype in enumerate(map(type, dtypes)):
        if dtype in _FLOATS or (dtype in _WHOLE and not null_counts[j]):
            groups.setdefault(dtype, []).append(j)
    return groups


def _of_pandas(native: Any) -> dict[Any, list[int]]:
    groups: dict[Any, list[int]] = {}
    for j, dtype in enumerate(native.dtypes):
        if isinstance(dtype, np.dtype) and dtype.kind in "iuf" and dtype.itemsize <= 8:
            groups.setdefault(dtype, []).append(j)
    return groups


def _by_type(groups: dict[Any, list[int]], read: Any) -> dict[int, Array]:
    columns: dict[int, Array] = {}
    for positions in groups.values():
        block = np.asarray(read(positions)).view()
        block.flags.writeable = False
        columns.update(zip(positions, block.T, strict=True))
    return columns
