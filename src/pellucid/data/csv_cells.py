"""A polars frame as comma-separated text, column by column, in the very words of Python's ``csv.writer``.

Whole numbers and most floats are written by polars in the same way; other columns are turned into text first: flags,
times, texts with a comma, a quote or a line end in them, and floats that Python writes with an exponent.
"""

from __future__ import annotations

import csv
import datetime as dt
import io
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

_ROWS = 1 << 17  # written at once
_SPECIAL = '[,"\r\n]'
_PLAIN = (1e-4, 1e16)  # sizes of floats that Python writes without an exponent


def written(value: Any) -> Any:
    """A value as it is handed to the writer: times in ISO 8601."""
    return value.isoformat() if isinstance(value, dt.date | dt.datetime | dt.time) else value


def write_csv(frame: Any, path: Path) -> None:
    """Writes a frame of more than one column."""
    with path.open("wb") as file:
        file.write(_line(frame.columns).encode("utf-8"))
        for start in range(0, frame.height, _ROWS):
            _write_rows(frame.slice(start, _ROWS), file)


def _write_rows(part: Any, file: Any) -> None:
    polars = import_module("polars")
    names = [f"column_{j}" for j in range(part.width)]
    written = polars.DataFrame([_text(column).alias(name) for column, name in zip(part, names, strict=True)])
    written.write_csv(file, include_header=False, quote_style="never", null_value="")


def _text(column: Any) -> Any:
    """A column whose cells polars writes as Python would."""
    polars = import_module("polars")
    dtype = column.dtype
    if dtype.is_integer() and dtype not in (polars.Int128, getattr(polars, "UInt128", polars.Int128)):
        return column
    if dtype in (polars.Float64, polars.Float32):
        return _floats(column.cast(polars.Float64).fill_nan(None))
    if dtype == polars.Boolean:
        return column.cast(polars.String).replace({"true": "True", "false": "False"})
    if dtype in (polars.String, polars.Categorical, polars.Enum):
        return _quoted(column.cast(polars.String))
    if dtype == polars.Date and column.dt.year().is_between(1, 9999).all():
        return column.dt.strftime("%Y-%m-%d")
    return _quoted(polars.Series([_or_none(value) for value in column.to_list()], dtype=polars.String))


def _floats(column: Any) -> Any:
    polars = import_module("polars")
    size = column.abs()
    odd = ~(size.is_between(*_PLAIN, closed="left") | (size == 0)) & column.is_not_null()
    if not odd.any():
        return column
    return polars.Series([_or_none(value) for value in column.to_list()], dtype=polars.String)


def _or_none(value: Any) -> str | None:
    return None if value is None else str(written(value))


def _quoted(column: Any) -> Any:
    """Texts with quotes around those that need them."""
    special = column.filter(column.str.contains(_SPECIAL)).unique()
    if not len(special):
        return column
    return column.replace(special, [_line(["", text])[1:-1] for text in special.to_list()])


def _line(cells: Iterable[Any]) -> str:
    """A row with its line end."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(list(cells))
    return out.getvalue()
