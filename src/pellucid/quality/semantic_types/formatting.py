"""Values as a reader expects them: years without separators, dates as dates, money with its currency."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.quality.semantic_types.calendar import EPOCHS, format_integer_date
from pellucid.quality.semantic_types.semantic_type import SemanticType

PLAIN = frozenset(
    {"identifier", "code", "zip_code", "phone_number", "year", "month", "weekday", "day_of_month", "hour", "minute",
     "ordinal"}
)  # fmt: skip
_SIGNS = frozenset("$€£¥₹")


def format_value(value: Any, semantic: SemanticType | None) -> str | None:
    """A value as text by what it means; None where its meaning asks for no special form.

    >>> format_value(2004.0, SemanticType("year", "")), format_value(35233.0, SemanticType("zip_code", ""))
    ('2004', '35233')
    >>> format_value(1234.5, SemanticType("money", "", unit="$"))
    '$1,234.50'
    >>> format_value(517, SemanticType("time_of_day", "", unit="HHMM"))
    '05:17'
    """
    if isinstance(value, np.generic):
        value = value.item()
    if semantic is None or isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(value):
        return None
    if semantic.name == "money":
        return _money(value, semantic.unit)
    if semantic.name == "percentage":
        return f"{value:.6g}%" if semantic.unit == "%" else f"{value:.6g}"
    if float(value) != int(value):
        return None
    return _whole(int(value), semantic)


def _whole(value: int, semantic: SemanticType) -> str | None:
    if semantic.name in PLAIN:
        return str(value)
    if semantic.name == "count":
        return f"{value:,}"
    if semantic.name == "integer_date":
        return format_integer_date(value, semantic.unit)
    if semantic.name == "epoch":
        stamp = np.datetime64(value // EPOCHS[semantic.unit], "s")
        return str(stamp).replace("T", " ")
    if semantic.name == "time_of_day" and semantic.unit == "HHMM" and 0 <= value <= 2400:
        return f"{value // 100:02d}:{value % 100:02d}"
    return None


def _money(value: float, currency: str) -> str:
    is_integer = not currency and float(value).is_integer()
    sign, amount = "-" if value < 0 else "", f"{abs(value):,.0f}" if is_integer else f"{abs(value):,.2f}"
    if currency in _SIGNS:
        return f"{sign}{currency}{amount}"
    return f"{sign}{amount} {currency}".rstrip()
