"""Columns that are stored as codes already: pandas' category, polars' Categorical and Enum, arrow's dictionaries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np

from pellucid.base.types import Array
from pellucid.data.kinds import Kind
from pellucid.data.table import Table


@dataclass(frozen=True)
class OwnCodes:
    """A column as it is stored.

    values : the distinct values, some of which no row may have
    codes : which one each row has; -1 where it is missing
    missing : how the library writes a missing value
    """

    values: list[Any]
    codes: Array
    missing: Any

    def counts(self) -> dict[Any, int]:
        """How often each value occurs, missing ones too; those that do not are left out."""
        often = np.bincount(self.codes + 1, minlength=len(self.values) + 1).tolist()
        counts = {value: n for value, n in zip(self.values, often[1:], strict=True) if n}
        return counts | {self.missing: often[0]} if often[0] else counts


def own_codes(table: Table, j: int) -> OwnCodes | None:
    """The codes of a column, or None where it is not stored as codes."""
    if not table.is_frame or not isinstance(table.dtypes[j], nw.Categorical | nw.Enum):
        return None
    series = table.series[j]
    native, library = series.to_native(), series.implementation
    if library.is_pandas() and hasattr(native, "cat"):
        return OwnCodes(native.cat.categories.tolist(), native.cat.codes.to_numpy().astype(np.int32), np.nan)
    if library.is_polars():
        return _of_polars(native)
    if library.is_pyarrow():
        array = native.unify_dictionaries().combine_chunks()
        array = array.chunk(0) if hasattr(array, "chunk") else array
        codes = array.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32)
        return OwnCodes(array.dictionary.to_pylist(), codes, None)
    return None


def declared_order(table: Table, j: int) -> list[Any] | None:
    """The values of an ordered column from the first to the last, or None where the column declares no order."""
    if not table.is_frame or table.kinds[j] != Kind.ORDERED:
        return None
    dtype = table.dtypes[j]
    if isinstance(dtype, nw.Enum):
        return list(dtype.categories)
    stored = None if table.source.implementation.is_polars() else own_codes(table, j)
    return None if stored is None else stored.values  # a Categorical of polars counts as it came, not in an order


def _of_polars(native: Any) -> OwnCodes:
    """Physical codes count in a list that other columns share: each is looked up among those that occur here."""
    present = native.unique().drop_nulls()
    keys = present.to_physical().to_numpy().astype(np.int64)
    code_of = np.full(int(keys.max(initial=0)) + 1, -1, dtype=np.int32)
    code_of[keys] = np.arange(len(keys), dtype=np.int32)
    codes = code_of[native.to_physical().fill_null(0).to_numpy()]
    if native.null_count():
        codes[native.is_null().to_numpy()] = -1
    return OwnCodes(present.to_list(), codes, None)
