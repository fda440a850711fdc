"""A fingerprint of a table: the same for the same values, whichever library holds them.

SHA-256 over the columns from left to right, each as its name and one of three forms:

- *numbers* (whole numbers, flags and lengths of time in seconds too): 64-bit floats, little-endian, one zero, one NaN,
  which also stands for what is missing
- *times*: whole seconds since 1970 and nanoseconds beyond, as two 64-bit integers; universal time where there are zones
- *texts* and categories: the distinct texts in order, then the place of each row's text among them, -1 where missing
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from pellucid.base.types import Array, Floats
from pellucid.data.kinds import is_missing
from pellucid.data.own_codes import own_codes
from pellucid.data.stored import StoredNumbers, stored_numbers
from pellucid.data.table import Table, read_table
from pellucid.data.target import read_target
from pellucid.data.texts import code_texts

__all__ = ["fingerprint"]

_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_BEFORE = np.iinfo(np.int64).min  # NaT, and what is missing


def fingerprint(X: Any, y: Any = None) -> str:
    """SHA-256 of a table, and of its target where there is one, as 64 letters.

    Examples
    --------
    >>> import numpy as np
    >>> fingerprint([[1, 2], [3, 4]]) == fingerprint(np.array([[1.0, 2.0], [3.0, 4.0]]))
    True
    """
    found = hashlib.sha256(b"pellucid table 1\n")
    _add_table(found, read_table(X, "fingerprint"))
    if y is not None:
        target = read_target(y, "fingerprint")
        found.update(b"target\n")
        _add_table(found, read_table(target.reshape(len(target), -1), "fingerprint"))
    return found.hexdigest()


def _add_table(found: Any, table: Table) -> None:
    for j in range(table.n_cols):
        name = None if table.names is None else str(table.names[j])
        form, parts = _column(table, j)
        found.update(json.dumps([name, form, table.n_rows]).encode() + b"\n")
        for part in parts:
            found.update(part)


def _column(table: Table, j: int) -> tuple[str, Sequence[Any]]:
    numbers = stored_numbers(table, j)
    if numbers is None:
        return "texts", _texts(table, j)
    if numbers.unit:
        return "times", _times(numbers)
    return "numbers", [_floats(numbers)]


def _floats(numbers: StoredNumbers) -> Floats:
    values: Floats = numbers.values.astype("<f8") + 0.0
    if numbers.missing is not None:
        values[numbers.missing] = np.nan
    values[np.isnan(values)] = np.nan
    return np.ascontiguousarray(values)


def _times(numbers: StoredNumbers) -> list[Array]:
    counts = numbers.values.astype("<i8")
    gone = counts == _BEFORE if numbers.missing is None else numbers.missing | (counts == _BEFORE)
    counts[gone] = 0
    if numbers.unit == "D":
        whole, rest = counts * 86_400, np.zeros_like(counts)
    else:
        step = _PER_SECOND[numbers.unit]
        whole, rest = np.divmod(counts, step)
        rest = rest * (10**9 // step)
    whole[gone], rest[gone] = _BEFORE, 0
    return [np.ascontiguousarray(whole), np.ascontiguousarray(rest)]


def _texts(table: Table, j: int) -> list[Any]:
    values, codes = _coded(table, j)
    order = sorted(range(len(values)), key=values.__getitem__)
    place = np.full(len(values) + 1, -1, dtype="<i8")  # the last is what -1 finds
    place[order] = np.arange(len(values))
    used = np.zeros(len(values) + 1, dtype=bool)
    used[codes] = True
    rank = np.cumsum(used[order]) - 1  # texts that no row has do not count
    place[order] = rank
    said = json.dumps([values[i] for i in order if used[i]]).encode()
    return [said, np.ascontiguousarray(place[codes])]


def _coded(table: Table, j: int) -> tuple[list[str], Array]:
    """Distinct values as texts, and the number of each row's own; -1 where it is missing."""
    coded = code_texts(table, j)
    if coded is not None:
        return coded.values, coded.codes
    own = own_codes(table, j)
    if own is not None and len(set(map(str, own.values))) == len(own.values):
        return [str(value) for value in own.values], own.codes
    numbers: dict[str, int] = {}
    codes = [-1 if is_missing(one) else numbers.setdefault(str(one), len(numbers)) for one in table.column(j).tolist()]
    return list(numbers), np.array(codes, dtype=np.int64)
