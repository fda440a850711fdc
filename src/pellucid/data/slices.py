"""Parts of a dataframe of any library: rows, columns, single cells; and a frame as a file."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np

from pellucid.base.errors import ParameterError, format_message
from pellucid.base.types import Array
from pellucid.data.csv_cells import write_csv, written
from pellucid.data.files import polars_or_say
from pellucid.data.frames import frame_library


def _frame(frame: Any) -> nw.DataFrame[Any]:
    return nw.from_native(frame, eager_only=True)


def names_of(frame: Any) -> list[str]:
    """Names of the columns."""
    return [str(name) for name in _frame(frame).columns]


def n_rows_of(frame: Any) -> int:
    """How many rows there are."""
    return int(_frame(frame).shape[0])


def take_rows(frame: Any, rows: Array) -> Any:
    """The rows at these positions, in this order, in the library of the frame."""
    read, positions = _frame(frame), np.asarray(rows, dtype=np.int64)
    if read.implementation.is_polars() and np.array_equal(positions, np.arange(read.shape[0])):
        return frame  # which nobody can change
    return read[positions, :].to_native()


def take_columns(frame: Any, names: Sequence[str]) -> Any:
    """These columns, in this order."""
    return _frame(frame).select(list(names)).to_native()


def column_of(frame: Any, name: str) -> Array:
    """The values of one column as an array; missing cells are NaN among numbers and None elsewhere."""
    series = _frame(frame)[name]
    if series.dtype.is_numeric() or series.dtype == nw.Boolean or series.dtype.is_temporal():
        return np.asarray(series.to_numpy())
    values = np.empty(len(series), dtype=object)
    values[:] = series.to_list()
    return values


def missing_in(frame: Any, name: str) -> Array:
    """Where a column has no value: null or NaN."""
    series = _frame(frame)[name]
    is_null = np.asarray(series.is_null().to_numpy(), dtype=bool)
    if series.dtype.is_float():
        is_null = is_null | np.isnan(np.asarray(series.to_numpy(), dtype=float))  # pandas' own array may be read-only
    return is_null


def row_of(frame: Any, row: int) -> tuple[tuple[str, Any], ...]:
    """One row as (name, plain value)."""
    narrow = _frame(frame)[[int(row)], :]
    cells = next(iter(narrow.iter_rows()))
    return tuple((str(name), _plain(value)) for name, value in zip(narrow.columns, cells, strict=True))


def _plain(value: Any) -> Any:
    if isinstance(value, float) and math.isnan(value):
        return None
    return value.item() if isinstance(value, np.generic) else value


def fingerprint_of(frame: Any) -> str:
    """SHA-256 of names and values: the same for the same cells, whatever library holds them."""
    digest = sha256()
    read = _frame(frame)
    for name in read.columns:
        series = read[name]
        digest.update(f"{name}\x1f".encode())
        is_null = np.asarray(series.is_null().to_numpy(), dtype=bool)
        if series.dtype.is_numeric() or series.dtype == nw.Boolean:
            numbers = np.asarray(series.cast(nw.Float64).fill_null(float("nan")).to_numpy(), dtype="<f8")
            digest.update((numbers + 0.0).data)
            continue
        if series.dtype in (nw.Date, nw.Datetime):
            digest.update(np.asarray(series.to_numpy()).astype("datetime64[us]").astype("<i8").tobytes())
        else:
            digest.update(_joined(series).encode())
        digest.update(is_null.tobytes())
    return digest.hexdigest()


def _joined(series: nw.Series[Any]) -> str:
    """The texts of a column in one, nothing for a missing one."""
    if series.implementation.is_polars() and series.dtype == nw.String:
        return str(series.to_native().fill_null("").str.join("\x1e").item())
    return "\x1e".join("" if value is None else str(value) for value in series.to_list())


def to_csv(frame: Any, path: Path) -> None:
    """A frame as a file of comma-separated values, UTF-8, missing cells empty, times in ISO 8601."""
    read = _frame(frame)
    if read.implementation.is_polars() and len(read.columns) > 1:
        write_csv(read.to_native(), path)
        return
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(read.columns)
        writer.writerows(_rows(read))


def write_frame(frame: Any, path: Path, who: str) -> None:
    """A frame as a file of the format that its ending tells: .csv, .tsv, .parquet, .arrow, .jsonl or .xlsx."""
    ending = path.suffix.lower()
    if ending == ".csv":
        to_csv(frame, path)
        return
    polars = polars_or_say(who)
    table = polars.DataFrame({str(name): _frame(frame)[name].to_list() for name in _frame(frame).columns})
    table = frame if isinstance(frame, polars.DataFrame) else table
    writers: dict[str, Callable[[], Any]] = {
        ".tsv": lambda: table.write_csv(path, separator="\t"),
        ".parquet": lambda: table.write_parquet(path),
        ".arrow": lambda: table.write_ipc(path),
        ".jsonl": lambda: table.write_ndjson(path),
        ".xlsx": lambda: write_workbook(table, path),
    }
    if ending not in writers:
        requirement = f"the ending must be one of .csv, {', '.join(writers)}"
        raise ParameterError(format_message(who, requirement, actual=f"got {path.name!r}"))
    writers[ending]()


def write_workbook(table: Any, path: Path) -> None:
    """A polars frame as a workbook in which text stays text: a cell that begins with = is no formula."""
    import xlsxwriter

    with xlsxwriter.Workbook(path, {"strings_to_formulas": False, "strings_to_urls": False}) as book:
        table.write_excel(book, worksheet="data", autofit=False)


def _rows(frame: nw.DataFrame[Any]) -> Iterator[list[Any]]:
    for row in frame.iter_rows():
        yield ["" if _plain(value) is None else written(value) for value in row]


def frame_of(values: Array, names: Sequence[str]) -> Any:
    """A frame of numbers with these names, in the library that is there."""
    library = frame_library("frame_of", True)
    return library.DataFrame({name: values[:, j] for j, name in enumerate(names)})


def frame_like(frame: Any, columns: dict[str, Array]) -> Any:
    """A frame of new columns in the library of another frame."""
    library = _frame(frame).implementation
    return nw.from_dict({name: values.tolist() for name, values in columns.items()}, backend=library).to_native()
