"""Columns of two values as zeros and ones in plain steps."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def is_missing(value: Any) -> bool:
    """None, or NaN, which does not equal itself."""
    return value is None or bool(value != value)


def true_value(column: Sequence[Any], true_words: Collection[str] = (), false_words: Collection[str] = ()) -> Any:
    """The value of a column of two that becomes 1.

    A known word for true whose partner is a known word for false; else a known word of more than one letter, which says
    what the other one is; else the second value in ascending order.
    """
    first, second = sorted({value for value in column if not is_missing(value)})
    words = [str(value).strip().casefold() for value in (first, second)]
    for value, word, other in ((first, *words), (second, *words[::-1])):
        if word in true_words and other in false_words:
            return value
    known = [word for word in words if len(word) > 1 and (word in true_words or word in false_words)]
    if len(known) == 1:
        at = words.index(known[0])
        return (first, second)[at if known[0] in true_words else 1 - at]
    return second


def encode(column: Sequence[Any], true: Any) -> NDArray[np.float64]:
    """1 where a row has the true value, 0 where it has the other, NaN where it has none."""
    return np.array([np.nan if is_missing(value) else float(value == true) for value in column])
