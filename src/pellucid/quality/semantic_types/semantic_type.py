"""The semantic type of a column, with the evidence for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from pellucid.base.types import Array
from pellucid.data.kinds import Kind
from pellucid.data.own_codes import declared_order

if TYPE_CHECKING:
    from pellucid.quality.column import Column

SemanticName = Literal[
    "identifier", "code", "zip_code", "phone_number", "year", "month", "weekday", "day_of_month", "hour", "minute",
    "integer_date", "epoch", "time_of_day", "ordinal", "count", "money", "percentage", "coordinate",
]  # fmt: skip
NOT_NUMBERS = frozenset({"identifier", "code", "zip_code", "phone_number"})


@dataclass(frozen=True)
class SemanticType:
    """What the values of a column mean.

    name : the type
    evidence : a sentence with the figures that support it
    levels : of an ordinal scale, of months and of weekdays written as text: the values, lowest first
    unit : of an epoch "s", "ms", "us" or "ns"; of an integer date its format, such as "%Y%m%d"; of money its currency;
        of a percentage "%" or "fraction"; of a time of day "HHMM" or "HH:MM"; of a coordinate "latitude" or "longitude"
    repeats : of an identifier: does it name an entity that may occur in several rows, such as a customer?
    """

    name: SemanticName
    evidence: str
    levels: tuple[Any, ...] = ()
    unit: str = ""
    repeats: bool = False

    @property
    def is_number(self) -> bool:
        """Do arithmetic and order of the values mean anything?"""
        return self.name not in NOT_NUMBERS


def semantic_type(column: Column) -> SemanticType | None:
    """What the values of a column mean; None where the values and the name do not show it.

    >>> from pellucid.quality.column import compute_stats
    >>> dates = compute_stats([[20240131], [20240229], [20240301], [20240415], [20240531]], "doctest").columns[0]
    >>> semantic_type(dates).name, semantic_type(dates).unit
    ('integer_date', '%Y%m%d')
    """
    cache = vars(column)
    if "_semantic_type" not in cache:
        cache["_semantic_type"] = _of_column(column)
    semantic: SemanticType | None = cache["_semantic_type"]
    return semantic


def _of_column(column: Column) -> SemanticType | None:
    if column.stored in (Kind.FLAG, Kind.TIME) or (column.stored_numbers is None and not column.is_text):
        return None
    if column.is_text:
        order = declared_order(column.table, column.place)
        return semantic_type_of_texts(column.name, column.values.tolist(), column.counts, tuple(order or ()))
    return semantic_type_of_numbers(column.name, column.values[column.order], column.counts[column.order])


def semantic_type_of_numbers(name: Any, values: Array, counts: Array) -> SemanticType | None:
    """The semantic type of distinct numbers, smallest first, with how often each occurs."""
    from pellucid.quality.semantic_types.column_values import NumberValues
    from pellucid.quality.semantic_types.numbers import recognize_numbers

    finite = np.isfinite(values)
    numbers = NumberValues(name, values[finite], counts[finite])
    return recognize_numbers(numbers) if numbers.n_distinct > 1 else None


def semantic_type_of_texts(
    name: Any, values: Sequence[Any], counts: Array, levels: tuple[Any, ...] = ()
) -> SemanticType | None:
    """The semantic type of distinct texts; ``levels`` is the order of an ordered category, where it is stored."""
    from pellucid.quality.semantic_types.column_values import TextValues
    from pellucid.quality.semantic_types.texts import recognize_texts

    texts = TextValues(name, values, counts)
    return recognize_texts(texts, levels) if texts.n_distinct > 1 else None
