"""Which columns of a table hold categories, and how many: columns of names, and those that the user lists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from pellucid import _core
from pellucid.base.errors import (
    DataError,
    DataTypeError,
    ParameterError,
    count,
    format_message,
    join_some,
    noun_list,
    short_repr,
)
from pellucid.base.types import Array
from pellucid.data.design import Design

# A set of categories is a row of bits in each node that asks for it.
MOST_CODES = 1 << 20
_CODES = "a listed column must hold whole numbers from 0 on: the codes of its categories"


def category_sizes(d: Design, listed: Any = None) -> Array:
    """Number of categories of each column as 32-bit integers, 0 for a column of numbers.

    Columns of names are categories by themselves. `listed` says which columns of numbers are codes 0, 1, ... of
    categories: places, names, or one flag a column.
    """
    sizes = np.zeros(d.n_cols, dtype=np.int32)
    for j, categories in d.schema.categories.items():
        sizes[j] = max(len(categories), 1)
    if listed is None:
        return sizes
    for j in _places(d, listed):
        if sizes[j] == 0:
            sizes[j] = _largest_code(d, j) + 1
    return sizes


def known_codes(d: Design, sizes: Array) -> Design:
    """The table with codes that `fit` did not see as missing values; the table itself where there are none."""
    listed = [j for j in np.flatnonzero(sizes).tolist() if j not in d.schema.categories]
    if not listed or d.table.is_sparse:
        return d
    unknown = np.asarray(d.numbers[:, listed] >= sizes[listed])
    if not unknown.any():
        return d
    numbers = np.array(d.numbers)
    numbers[:, listed] = np.where(unknown, np.nan, numbers[:, listed])
    return replace(d, numbers=numbers, X=_core.dense(numbers))


def _places(d: Design, listed: Any) -> list[int]:
    requested = [listed] if isinstance(listed, str | int) and not isinstance(listed, bool) else list(listed)
    if requested and all(isinstance(item, bool | np.bool_) for item in requested):
        if len(requested) != d.n_cols:
            requirement = "categorical_features must have one flag a column"
            actual = f"got {count(len(requested), 'flag')} for {count(d.n_cols, 'column')}"
            raise ParameterError(format_message(d.who, requirement, actual=actual))
        return [j for j, flag in enumerate(requested) if flag]
    index_of_label = (
        {} if d.schema.names is None else {label: j for j, label in reversed(list(enumerate(d.column_labels())))}
    )
    return [_place(d, item, index_of_label) for item in requested]


def _place(d: Design, item: Any, index_of_label: Mapping[str, int]) -> int:
    if isinstance(item, str):
        if item in index_of_label:
            return index_of_label[item]
        raise ParameterError(
            format_message(d.who, "categorical_features must be columns of X", actual=f"there is no column {item!r}")
        )
    if isinstance(item, int | np.integer) and -d.n_cols <= item < d.n_cols:
        return int(item) % d.n_cols
    requirement = f"categorical_features must be names, places from 0 to {d.n_cols - 1}, or one flag a column"
    raise ParameterError(format_message(d.who, requirement, actual=f"got {short_repr(item)}"))


def _largest_code(d: Design, j: int) -> int:
    if d.table.is_sparse:
        hint = "use X.toarray(), or leave the column a number"
        raise DataTypeError(
            format_message(d.who, "categories must be in a dense table", actual="X is sparse", hint=hint)
        )
    values = np.asarray(d.numbers[:, j], dtype=np.float64)
    there = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        odd = np.flatnonzero(there & ((values < 0) | (values != np.floor(values)) | (values >= MOST_CODES)))
    if len(odd):
        actual = f"column {d.table.label(j)} holds {join_some([f'{v:g}' for v in np.unique(values[odd]).tolist()], 3)}"
        hint = f"codes below {MOST_CODES:,} are taken: put an OrdinalEncoder before, or leave the column a number"
        raise DataError(format_message(d.who, _CODES, actual=f"{actual} ({noun_list('row', odd)})", hint=hint))
    return int(values[there].max(initial=0))
