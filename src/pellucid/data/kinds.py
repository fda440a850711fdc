"""The kind of a column: what its values mean, apart from how they are stored."""

from __future__ import annotations

from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from typing import Any

import numpy as np

from pellucid.base.types import Array


class Kind(StrEnum):
    """What the values of a column are."""

    NUMBER = "number"
    FLAG = "flag"  # true or false
    CATEGORY = "category"  # names without order
    ORDERED = "ordered"  # names with an order
    TEXT = "text"
    TIME = "time"


NUMERIC = frozenset({Kind.NUMBER, Kind.FLAG})


def kind_of_dtype(dtype: np.dtype[Any]) -> Kind | None:
    """Kind of a NumPy dtype; None for object, where the values must be looked at."""
    if dtype.kind == "b":
        return Kind.FLAG
    if dtype.kind in "iuf":
        return Kind.NUMBER
    if dtype.kind in "mM":
        return Kind.TIME
    if dtype.kind in "US":
        return Kind.TEXT
    return None


def kind_of_objects(values: Array) -> Kind:
    """Kind of a column of Python objects, from its values that are not missing."""
    present = [value for value in values.ravel() if not is_missing(value)]
    if all(isinstance(value, (bool, np.bool_)) for value in present) and present:
        return Kind.FLAG
    if all(isinstance(value, (int, float, Decimal, Fraction, np.number)) for value in present):
        return Kind.NUMBER
    if all(isinstance(value, (np.datetime64, np.timedelta64)) or hasattr(value, "isoformat") for value in present):
        return Kind.TIME
    return Kind.TEXT


def is_missing(value: Any) -> bool:
    """None, NaN, NaT and pandas.NA are missing."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):  # pandas.NA refuses to be a truth value
        return type(value).__name__ == "NAType"
