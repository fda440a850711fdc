"""Values in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pellucid.base.errors import excerpt, short_repr
from pellucid.base.types import Array
from pellucid.quality.change import LONG
from pellucid.quality.column import Column
from pellucid.quality.semantic_types import SemanticType, format_value, semantic_type


def said(value: Any, semantic: SemanticType | None = None) -> str:
    """A value as a finding shows it; the semantic type of its column says how it is written.

    >>> said("N/A"), said(12.0), said(0.1), said(2053258100000.0)
    ("'N/A'", '12', '0.1', '2053258100000')
    """
    if isinstance(value, np.generic):
        value = value.item()
    text = format_value(value, semantic)
    if text is not None:
        return text
    if isinstance(value, float):
        if value.is_integer() and abs(value) < 2**53:
            return str(int(value))
        return f"{value:.10g}"
    return short_repr(value) if isinstance(value, str) else str(value)[:60]


def shown_at(column: Column, index: int) -> str:
    """One of the distinct values of a column, written as its semantic type asks for."""
    return said(column.values[index], semantic_type(column))


def quoted(column: Column, which: Any, max_values: int = 3, place_in: Callable[[str], int | None] | None = None) -> str:
    """The most frequent of some distinct values, each with how often it occurs if more than once.

    Of long texts the part is shown that `place_in` names, if it names one.
    """
    indices = np.flatnonzero(which)
    order = indices[np.argsort(-column.counts[indices], kind="stable")]
    phrases = []
    for index in order[:max_values].tolist():
        times = int(column.counts[index])
        value = column.values[index]
        at = place_in(value) if place_in is not None and isinstance(value, str) and len(value) > LONG else None
        text = said(value, semantic_type(column)) if at is None else said(excerpt(value, at))
        phrases.append(text + (f" ({times:,} times)" if times > 1 else ""))
    if len(order) > max_values:
        phrases.append(f"{len(order) - max_values:,} more")
    return joined(phrases)


def joined(phrases: Sequence[str]) -> str:
    """a, b and c.

    >>> joined(["a", "b", "c"])
    'a, b and c'
    """
    return (
        phrases[0] if len(phrases) == 1 else ", ".join(phrases[:-1]) + f" and {phrases[-1]}" if phrases else "nothing"
    )


def percent(share: float) -> str:
    """A share in per cent, never rounded to none or all.

    >>> percent(0.25), percent(0.00001), percent(0.9999)
    ('25%', 'less than 0.1%', 'more than 99.9%')
    """
    if 0 < share < 0.001:
        return "less than 0.1%"
    if 0.999 < share < 1:
        return "more than 99.9%"
    return f"{100 * share:.3g}%"


def stored(column: Column, which: Any) -> list[Any]:
    """Some distinct values as they are stored, as plain Python values for a remedy."""
    return [column.values[index].item() if isinstance(column.values[index], np.generic) else column.values[index]
            for index in np.flatnonzero(which).tolist()]  # fmt: skip


NO_ROWS: Array = np.empty(0, dtype=np.int64)  # for findings about whole columns
