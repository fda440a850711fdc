"""The door of the functions that score columns: table and target are looked at once, and each row gets its class."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pellucid.base.errors import DataError, ParameterError, format_message, noun_list
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, InputSpec, infer_schema
from pellucid.data.kinds import is_missing
from pellucid.data.target import attach_numbers, check_rows, read_target, warn_column_vector

# Whole numbers no further apart than this are their own codes; others are sorted.
_MOST_SPREAD = 1 << 16


class Classes(NamedTuple):
    """The classes in order, and each row's position among them."""

    labels: Array
    codes: Array


def read_columns(X: Any, who: str) -> Design:
    """A table of finite numbers."""
    return infer_schema(X, InputSpec(sparse=True), who)


def read_classes(d: Design, y: Any) -> Classes:
    """The class of each row: labels of any kind, numbers among them."""
    array = _one_column(read_target(y, d.who), d)
    missing = [i for i, v in enumerate(array.tolist()) if is_missing(v)] if array.dtype.kind in "fO" else []
    if missing:
        raise DataError(
            format_message(
                d.who, "Input y contains NaN", actual=noun_list("row", missing), hint="drop the rows without a label"
            )
        )
    if array.dtype.kind == "f" and np.isinf(array).any():
        rows = np.flatnonzero(np.isinf(array))
        raise DataError(
            format_message(
                d.who, "Input y contains infinity", actual=noun_list("row", rows), hint="drop or mend these rows"
            )
        )
    return classes_of(array, d.who)


def classes_of(array: Array, who: str) -> Classes:
    """Distinct values in order and the position of each row's own."""
    if array.dtype.kind in "biu" and len(array):
        low, high = int(array.min()), int(array.max())
        if high - low <= _MOST_SPREAD:
            shifted = array.astype(np.int64) - low
            present = np.bincount(shifted, minlength=high - low + 1) > 0
            place = (np.cumsum(present) - 1).astype(np.int32)
            return Classes((np.flatnonzero(present) + low).astype(array.dtype), place[shifted])
    try:
        labels, codes = np.unique(array, return_inverse=True)
    except TypeError:
        hint = "turn them into text with str"
        raise DataError(format_message(who, "labels must be of one type", actual="found several", hint=hint)) from None
    return Classes(labels, codes.astype(np.int32))


def read_numbers(d: Design, y: Any) -> Floats:
    """One finite number a row."""
    array = _one_column(read_target(y, d.who), d)
    attach_numbers(d, array)
    return np.ascontiguousarray(d.y[:, 0])


def _one_column(array: Array, d: Design) -> Array:
    check_rows(array, d)
    if array.ndim == 2 and array.shape[1] == 1:
        warn_column_vector()
        return array.ravel()
    if array.ndim == 2:
        actual = f"got an array of shape {array.shape} instead"
        raise DataError(
            format_message(d.who, "y should be a 1d array", actual=actual, hint="score one target at a time")
        )
    return array


def refuse_options(who: str, **flags: Any) -> None:
    """Options that are True or False."""
    for name, value in flags.items():
        if not isinstance(value, bool | np.bool_):
            raise ParameterError(format_message(who, f"{name} must be True or False", actual=f"got {value!r}"))
