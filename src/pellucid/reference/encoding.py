"""Categories as numbers in plain steps: which there are, the number of each, or a column of zeros and ones each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def is_nan(value: Any) -> bool:
    """NaN is the one value that does not equal itself."""
    return bool(value != value)


def categories(column: Sequence[Any]) -> list[Any]:
    """The distinct values of a column in ascending order; None comes after them, and NaN last of all."""
    present = sorted({value for value in column if value is not None and not is_nan(value)})
    if any(value is None for value in column):
        present.append(None)
    if any(is_nan(value) for value in column):
        present.append(float("nan"))
    return present


def code(value: Any, known: Sequence[Any]) -> int | None:
    """The position of a value among the categories; None if it is none of them."""
    for position, category in enumerate(known):
        if value == category or (is_nan(value) and is_nan(category)):
            return position
    return None


def rare(column: Sequence[Any], known: Sequence[Any], least: float = 0, most: int | None = None) -> list[int]:
    """Positions of the categories that are put together.

    These are the ones that occur less than ``least`` times. If with one group for them there are still more than
    ``most`` groups, only the ``most - 1`` most frequent categories stay alone; of equally frequent ones the later.
    """
    counts = [sum(code(value, known) == position for value in column) for position in range(len(known))]
    rare_positions = {position for position, times in enumerate(counts) if times < least}
    if most is not None and len(known) - len(rare_positions) + 1 > most:
        by_count = sorted(range(len(known)), key=lambda position: counts[position])
        rare_positions |= set(by_count[: len(known) - (most - 1)])
    return sorted(rare_positions)


def ordinal(column: Sequence[Any], known: Sequence[Any], missing: float = np.nan, unknown: float | None = None) -> Any:
    """The position of each value among the categories; NaN and unknown values have numbers of their own."""
    codes = np.empty(len(column))
    for row, value in enumerate(column):
        position = code(value, known)
        if position is None and unknown is None:
            raise ValueError(f"{value!r} is none of the categories")
        if position is None:
            codes[row] = unknown
        else:
            codes[row] = missing if is_nan(known[position]) else position
    return codes


def one_hot(column: Sequence[Any], known: Sequence[Any], drop: int | None = None) -> NDArray[np.float64]:
    """A column for each category but the dropped one: 1 where the row has that category, else 0."""
    positions = [position for position in range(len(known)) if position != drop]
    table = np.zeros((len(column), len(positions)))
    for row, value in enumerate(column):
        for index, position in enumerate(positions):
            if code(value, known) == position:
                table[row, index] = 1.0
    return table
