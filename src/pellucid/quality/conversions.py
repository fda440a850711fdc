"""Text as numbers, times and flags, by the settings of a remedy; what the actions and the replay of a log share."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Mapping
from typing import Any

from pellucid.data.kinds import Kind
from pellucid.quality import formats
from pellucid.quality.cells import plain_value, same_cell
from pellucid.quality.grammars import AmountGrammar, amount_grammar, time_grammar

Convert = Callable[[Any], Any]
_WHOLE = re.compile(r"-?\d{1,18}", re.ASCII)


def _to_number(settings: Mapping[str, Any]) -> Convert:
    missing, is_integer = frozenset(settings.get("missing", ())), settings.get("whole", False)
    exact, amounts, limits = settings.get("exact", False), _amounts(settings), settings.get("limits", False)

    def convert(value: Any) -> Any:
        if not isinstance(value, str):
            return float(value) if isinstance(value, int | float) else None
        if value in missing:
            return None
        if limits:
            value = formats.without_limit(value)
        if is_integer and _WHOLE.fullmatch(value):
            return int(value)
        if amounts is not None:
            return amounts.parse(value)
        if exact:  # a text of another table that is not written like the ones that were seen is a missing cell
            return formats.parse_exact_number(value, settings.get("decimal", "."), settings.get("thousands", ""))
        return formats.parse_number(
            value,
            decimal=settings.get("decimal", "."),
            thousands=settings.get("thousands", ""),
            units=settings.get("units", ()),
            words=settings.get("words", True),
        )

    return convert


def _amounts(settings: Mapping[str, Any]) -> AmountGrammar | None:
    """The grammar of an exact conversion of numbers with units."""
    if not settings.get("exact", False) or not settings.get("units"):
        return None
    return amount_grammar(settings.get("decimal", "."), settings.get("thousands", ""), settings["units"])


def _to_time(settings: Mapping[str, Any]) -> Convert:
    missing = frozenset(settings.get("missing", ()))
    grammars = [time_grammar(format) for format in settings["formats"]] if settings.get("exact", False) else []

    def convert(value: Any) -> Any:
        if not isinstance(value, str):
            return plain_value(value)
        if value in missing:
            return None
        if grammars and None not in grammars:
            times = (grammar.parse(value) for grammar in grammars if grammar is not None)
            return next((time for time in times if time is not None), None)
        return formats.parse_time(value, settings["formats"])

    return convert


def _to_flag(settings: Mapping[str, Any]) -> Convert:
    def convert(value: Any) -> Any:
        if isinstance(value, bool):
            return value
        if any(same_cell(value, word) for word in settings["true"]):
            return True
        return False if any(same_cell(value, word) for word in settings["false"]) else None

    return convert


CONVERSIONS: dict[str, tuple[Callable[[Mapping[str, Any]], Convert], Kind]] = {
    "to_number": (_to_number, Kind.NUMBER),
    "to_time": (_to_time, Kind.TIME),
    "to_flag": (_to_flag, Kind.FLAG),
}


def rewrites(settings: Mapping[str, Any]) -> Callable[[Any, Any], bool]:
    """Does a conversion change what a cell says, so that its text in a file must change too?

    "1.50" still says 1.5; "12 oz", "seven" and "x" do not say 12, 7 and nothing. An exact conversion changes no text of
    the table in which it was found; a text of another table that it cannot read becomes a missing cell. One with the
    setting ``keep_text`` is for models alone: every text stays in the file, whether it can be read or not.
    """
    if settings.get("keep_text", False):
        return lambda before, after: False
    if settings.get("exact", False):
        missing = settings.get("missing", ())
        return lambda before, after: after is None and before not in missing
    return _says_something_else


def _says_something_else(before: Any, after: Any) -> bool:
    if not isinstance(before, str):
        return not same_cell(before, after)
    if isinstance(after, bool):
        return before.lower() != str(after).lower()
    if isinstance(after, float):
        return not (formats.is_plain_number(before) and float(before) == after)
    if isinstance(after, dt.datetime):
        return before not in (after.isoformat(), str(after), str(after.date()))
    return True
