"""Values as the times or the numbers that their semantic type says they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pellucid.base.types import Array, Floats
from pellucid.quality.semantic_types.calendar import EPOCHS, dates_of
from pellucid.quality.semantic_types.semantic_type import SemanticType

TIMES = frozenset({"integer_date", "epoch"})
AMOUNTS = frozenset({"money", "percentage"})


def to_times(values: Sequence[Any] | Array, semantic: SemanticType) -> Array:
    """Distinct integer dates or epochs as times of NumPy in microseconds; NaT for what is no date.

    >>> to_times([19910108, 0], SemanticType("integer_date", "", unit="%Y%m%d"))
    array(['1991-01-08T00:00:00.000000',                        'NaT'],
          dtype='datetime64[us]')
    """
    numbers = np.array([_whole(value) for value in values], dtype=np.int64) if _is_text(values) else np.asarray(values)
    is_valid = np.isfinite(numbers) & (numbers >= 0)
    integers = np.where(is_valid, numbers, 0).astype(np.int64)
    if semantic.name == "epoch":
        factor = EPOCHS[semantic.unit]
        micro = integers * (10**6 // factor) if factor <= 10**6 else integers // (factor // 10**6)
        times = micro.astype("datetime64[us]")
    else:
        valid, times = dates_of(integers, semantic.unit)
        is_valid &= valid
    times[~is_valid] = np.datetime64("NaT")
    return times


def _is_text(values: Sequence[Any] | Array) -> bool:
    return not isinstance(values, np.ndarray) or values.dtype.kind not in "iuf"


def _whole(value: Any) -> int:
    """The integer that a value is or says; -1 where it is none."""
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        return -1


def to_numbers(texts: Sequence[str], counts: Array) -> Floats:
    """Distinct amounts written with a currency or a percent sign as numbers; NaN for what is none."""
    from pellucid.quality.checks._numbers import read_numbers

    return read_numbers([str(text).strip() for text in texts], counts).values
