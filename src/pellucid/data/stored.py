"""Numbers, flags and times of a column as they are stored, with a flag a row where they are missing.

What `Table.column` gives is made for arithmetic: whole numbers with gaps become floats, flags with gaps objects. Here
nothing is lost: a gap is in the flags, whole numbers stay whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np

from pellucid import _core
from pellucid.base.types import Array, Flags
from pellucid.data.kinds import Kind, is_missing, kind_of_objects
from pellucid.data.table import Table


@dataclass(frozen=True)
class StoredNumbers:
    """Numbers of one column.

    values : floats, whole numbers, or flags as 0 and 1
    missing : a flag a row; None where NaN and NaT say it, or where nothing is missing
    unit : "s", "ms", "us", "ns" or "D" for points in time, counted from 1970; "" for numbers
    """

    values: Array
    missing: Flags | None = None
    unit: str = ""

    def for_kernel(self) -> _core.NumberColumn:
        return _core.NumberColumn(self.values, self.missing, bool(self.unit))


def stored_numbers(table: Table, j: int) -> StoredNumbers | None:
    """The numbers of a column, or None if it holds texts, categories or anything else."""
    if table.is_frame and j not in table.numbers:
        return _from_series(table.series[j])
    return _from_array(table.column(j), None)


def _from_series(series: nw.Series[Any]) -> StoredNumbers | None:
    dtype = series.dtype
    if dtype in (nw.Int128, nw.UInt128, nw.Decimal):
        series, dtype = series.cast(nw.Float64), nw.Float64()
    missing = None
    if dtype == nw.Boolean or dtype.is_integer():
        if series.null_count() > 0:
            missing = np.asarray(series.is_null().to_numpy(), dtype=bool)
            series = series.fill_null(False if dtype == nw.Boolean else 0)
    elif dtype == nw.Datetime and getattr(dtype, "time_zone", None) is not None:
        series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    elif not (dtype.is_float() or dtype in (nw.Datetime, nw.Date, nw.Duration) or dtype in (nw.Object, nw.Unknown)):
        return None
    return _from_array(np.asarray(series.to_numpy()), missing)


def _from_array(values: Array, missing: Flags | None) -> StoredNumbers | None:
    values = values.astype(values.dtype.newbyteorder("="), copy=False)
    if values.dtype.kind == "b":
        return StoredNumbers(values.view(np.uint8), missing)
    if values.dtype.kind in "iu":
        return StoredNumbers(values, missing)
    if values.dtype.kind == "f":
        plain = values if values.dtype.itemsize in (4, 8) else values.astype(np.float64)
        return StoredNumbers(plain, missing)
    if values.dtype.kind == "M":
        unit, step = np.datetime_data(values.dtype)
        if step != 1 or unit not in ("s", "ms", "us", "ns", "D"):
            values, unit = values.astype("datetime64[s]"), "s"
        return StoredNumbers(values.view(np.int64), missing, unit)
    if values.dtype.kind == "m":  # a length of time is a number of seconds
        return StoredNumbers(values / np.timedelta64(1, "s"), missing)
    return _from_objects(values) if values.dtype.kind == "O" else None


def _from_objects(values: Array) -> StoredNumbers | None:
    kind = kind_of_objects(values)
    listed = values.tolist()
    missing = np.fromiter((is_missing(value) for value in listed), dtype=bool, count=len(listed))
    if kind == Kind.TIME:
        return _times_of_objects(listed, missing)
    if kind not in (Kind.NUMBER, Kind.FLAG):
        return None
    present = [0 if is_null else value for value, is_null in zip(listed, missing, strict=True)]
    if all(type(value) in (bool, int) and -(2**63) <= value < 2**63 for value in present):
        return StoredNumbers(np.array(present, dtype=np.int64), missing if missing.any() else None)
    floats = np.array([float(value) for value in present], dtype=np.float64)
    floats[missing] = np.nan
    return StoredNumbers(floats)


def _times_of_objects(listed: list[Any], missing: Flags) -> StoredNumbers | None:
    """Dates and times of Python; those with an offset in universal time. Times of day are no points in time."""
    times = np.full(len(listed), np.datetime64("NaT"), dtype="datetime64[us]")
    for i in np.flatnonzero(~missing).tolist():
        value = listed[i]
        if getattr(value, "utcoffset", None) is not None and value.utcoffset() is not None:
            value = (value - value.utcoffset()).replace(tzinfo=None)
        try:
            times[i] = np.datetime64(value, "us")
        except (ValueError, TypeError):
            return None
    return StoredNumbers(times.view(np.int64), None, "us")


def n_bytes(table: Table) -> int:
    """Bytes of a table's values in memory, as its library counts them; objects count as pointers."""
    if table.is_sparse:
        return int(sum(getattr(table.source, name).nbytes for name in ("data", "indices", "indptr")
                       if hasattr(table.source, name)))  # fmt: skip
    if not table.is_frame:
        return int(table.source.nbytes)
    if table.source.implementation.is_pandas_like():
        return int(table.source.to_native().memory_usage(index=False).sum())
    return int(table.source.estimated_size())
