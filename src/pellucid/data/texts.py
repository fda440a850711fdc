"""Texts of a column as codes, without a Python string for every row.

Dataframe libraries hand over the memory of a column of text or categories through Arrow's C data interface; a kernel
hashes it where it lies, and only the distinct texts become strings. Arrays of Python strings are hashed as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np

from pellucid import _core
from pellucid.base.types import Array
from pellucid.data.table import Table


@dataclass(frozen=True)
class CodedTexts:
    """Distinct texts in the order in which they are first met.

    values : the texts
    counts : how many rows have each
    codes : which one each row has; -1 where there is none
    hashes : 64 bits for each distinct text, the same in every process
    """

    values: list[str]
    counts: Array
    codes: Array
    hashes: Array


def code_texts(table: Table, j: int, threads: int = 1) -> CodedTexts | None:
    """The texts of a column, or None if it holds anything else."""
    return code_text_columns(table, [j], threads)[0]


def code_text_columns(table: Table, places: Sequence[int], threads: int) -> list[CodedTexts | None]:
    """The same for several columns at once, one column a thread."""
    streams: dict[int, Any] = {}
    coded_columns: dict[int, CodedTexts | None] = {}
    for j in places:
        if (stream := _stream(table, j)) is not None:
            streams[j] = stream
        else:
            coded_columns[j] = _code_objects(table, j)
    for j, coded in zip(streams, _core.code_streams(list(streams.values()), threads), strict=True):
        coded_columns[j] = None if coded is None else CodedTexts(*coded)
    return [coded_columns[j] for j in places]


def code_fixed(values: Array) -> tuple[Array, Array]:
    """Of an array of fixed-width text: each one's number among the distinct ones, and those."""
    plain = np.ascontiguousarray(values)
    codes, first = _core.code_texts(plain.view(np.uint8).reshape(len(plain), plain.dtype.itemsize))
    return codes, plain[first]


def _stream(table: Table, j: int) -> Any:
    """The column's memory as a capsule, or None where the library has none to give."""
    if not table.is_frame or not isinstance(table.dtypes[j], nw.String | nw.Categorical | nw.Enum):
        return None
    native = table.native(j)
    if getattr(native, "dtype", None) == np.dtype(object) or not hasattr(native, "__arrow_c_stream__"):
        return None
    try:
        if "\0" in str(getattr(native, "name", "")):  # polars ends the process over such a name
            native = native.rename("")
        return native.__arrow_c_stream__()
    except (ImportError, ValueError):  # pandas needs pyarrow for it, which refuses categories of several types
        return None


def _code_objects(table: Table, j: int) -> CodedTexts | None:
    if table.is_sparse or (not table.is_frame and table.source.dtype.kind != "O"):
        return None
    values = table.column(j)
    if values.dtype.kind != "O":
        return None
    coded = _core.code_strings(values.tolist())
    return None if coded is None else CodedTexts(*coded)
