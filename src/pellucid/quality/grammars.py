"""How amounts and times are written in one exact way, described so that every language reads them alike.

A grammar is a regular expression that Python and databases understand in the same way, and the few rules that lead from
its groups to a value. A text that it does not describe is no amount, or no time. `parse_number` and `parse_time` read
more; a conversion that must mean the same in an exported model uses these grammars instead.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from pellucid.quality.formats import number_pattern, stripped

MINUS = "\u2212"
BLANKS_BEFORE_UNITS = " \u00a0\u202f"
_UPPER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


def lowered(text: str) -> str:
    """The letters A to Z in lower case; all others stay, whatever the language of a program is."""
    return text.translate(_UPPER)


# ------------------------------------------------------------------------------------------------------------ amounts


@dataclass(frozen=True)
class AmountGrammar:
    """A number with a unit before or behind it: "$1,234.50", "12 %", "-5 kg", "(3.00 EUR)".

    decimal, thousands : the signs, as `number_pattern` takes them
    units : in lower case; a sign may stand on either side of a unit, and parentheses are a minus
    """

    decimal: str
    thousands: str
    units: tuple[str, ...]

    @cached_property
    def spellings(self) -> tuple[str, ...]:
        """The units, the longest first, those of letters with a dot behind them too."""
        words = {lowered(unit).rstrip(".") for unit in self.units}
        return tuple(
            sorted(
                words | {f"{word}." for word in words if word.isalpha()},
                key=lambda spelling: (-len(spelling), spelling),
            )
        )

    @cached_property
    def number(self) -> str:
        """The regular expression of the digits, without groups."""
        return number_pattern(self.decimal, self.thousands).removeprefix("[+-]?").replace("(", "(?:")

    @cached_property
    def pattern(self) -> str:
        """Groups: opening parenthesis, sign, sign behind the unit, number, closing parenthesis."""
        unit, blanks = f"(?:{'|'.join(map(re.escape, self.spellings))})", f"[{BLANKS_BEFORE_UNITS}]*"
        return rf"(\(?)([+-]?)(?:{unit}{blanks})?([+-]?)({self.number})(?:{blanks}{unit})?(\)?)"

    def parse(self, text: str) -> float | None:
        """The number that a text says; None for a text that the grammar does not describe.

        >>> grammar = AmountGrammar(".", ",", ("$", "kg"))
        >>> [grammar.parse(text) for text in ("$1,234.50", "-$5", "(3 KG)", "5 lb", "$$5")]
        [1234.5, -5.0, -3.0, None, None]
        """
        groups = re.fullmatch(self.pattern, lowered(stripped(text)).replace(MINUS, "-"))
        if groups is None or bool(groups[1]) != bool(groups[5]) or (groups[2] and groups[3]):
            return None
        digits = groups[4].replace(self.thousands, "") if self.thousands else groups[4]
        number = float(digits.replace(self.decimal, "."))
        return -number if ("-" in groups[2] + groups[3]) != bool(groups[1]) else number


def amount_grammar(decimal: str, thousands: str, units: Sequence[str]) -> AmountGrammar | None:
    """The grammar of amounts with these units; None where a unit multiplies ("k=1000")."""
    return None if any("=" in unit for unit in units) else AmountGrammar(decimal, thousands, tuple(units))


# -------------------------------------------------------------------------------------------------------------- times

_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
SHORT_MONTHS = {name[:3]: month for month, name in enumerate(_MONTHS, 1)}
LONG_MONTHS = {name: month for month, name in enumerate(_MONTHS, 1)}
_LEAST = {"Y": 4, "y": 2, "m": 1, "d": 1, "H": 1, "I": 1, "M": 2, "S": 2, "f": 1}
_MOST = {"Y": 4, "y": 2, "m": 2, "d": 2, "H": 2, "I": 2, "M": 2, "S": 2, "f": 9}
ISO_FIELDS = ("Y", "m", "d", "H", "M", "S", "f")
_ISO = "([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[T ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]{1,9}))?)?)?"


@dataclass(frozen=True)
class Field:
    """Digits that stand for a part of a time, or the names of months ("b") or of halves of the day ("p")."""

    letter: str
    least: int = 0
    most: int = 0
    names: tuple[tuple[str, int], ...] = ()

    @property
    def pattern(self) -> str:
        """The regular expression, one group."""
        if self.letter == "z":
            return "(z|[+-][0-9]{2}:?[0-9]{2})"
        if self.names:
            return f"({'|'.join(name for name, _ in sorted(self.names, reverse=True))})"
        return f"([0-9]{{{self.least},{self.most}}})"


@dataclass(frozen=True)
class TimeGrammar:
    """How times are written: pieces one after the other, fields and the letters between them; " " is one blank or more.

    pieces : empty for ISO 8601, whose clock may be missing
    zone : of ISO 8601: "drop" reads any offset and goes by the clock, "zero" reads universal time only
    """

    pieces: tuple[Field | str, ...] = ()
    zone: str = ""

    @property
    def is_iso(self) -> bool:
        return not self.pieces

    @property
    def fields(self) -> tuple[str, ...]:
        """The letters of the groups of the pattern, in their order."""
        return ISO_FIELDS if self.is_iso else tuple(piece.letter for piece in self.pieces if isinstance(piece, Field))

    @property
    def names(self) -> dict[str, int]:
        """The names of months with their numbers."""
        return {
            name: k
            for piece in self.pieces
            if isinstance(piece, Field) and piece.letter == "b"
            for name, k in piece.names
        }

    @cached_property
    def pattern(self) -> str:
        """The regular expression of a whole text, whose letters are in lower case if there are pieces."""
        if self.is_iso:
            offset = "[+-][0-9]{2}(?::?[0-9]{2})?" if self.zone == "drop" else "[+-]00(?::?00)?"
            return f"{_ISO}(?:Z|{offset})?"
        return "".join(
            piece.pattern
            if isinstance(piece, Field)
            else piece.replace(" ", " +")
            if piece == " "
            else re.escape(piece)
            for piece in self.pieces
        )

    def parse(self, text: str) -> dt.datetime | None:
        """The time that a text says, in universal time where it has an offset; None for any other text.

        >>> grammar = time_grammar("%d %B %Y, %I:%M %p")
        >>> grammar.parse("5 Jan 2021, 12:30 AM"), grammar.parse("31 February 2021, 1:00 pm")
        (datetime.datetime(2021, 1, 5, 0, 30), None)
        """
        plain = stripped(text)
        groups = re.fullmatch(self.pattern, plain if self.is_iso else lowered(plain))
        if groups is None:
            return None
        values = {
            letter: value for letter, value in zip(self.fields, groups.groups(), strict=True) if value is not None
        }
        try:
            return self._time_of(values)
        except (ValueError, OverflowError):  # no such day or hour
            return None

    def _time_of(self, part: dict[str, str]) -> dt.datetime:
        short = int(part.get("y", 70))
        year = int(part["Y"]) if "Y" in part else short + (1900 if short >= 69 else 2000)
        month = self.names[part["b"]] if "b" in part else int(part.get("m", 1))
        hour = int(part.get("H", 0))
        if "I" in part:
            if not 1 <= int(part["I"]) <= 12:
                raise ValueError
            hour = int(part["I"]) % 12 + (12 if part.get("p", "a")[0] == "p" else 0)
        micro = int((part.get("f", "") + "000000")[:6])
        day, minute, second = int(part.get("d", 1)), int(part.get("M", 0)), int(part.get("S", 0))
        return dt.datetime(year, month, day, hour, minute, second, micro) - offset_of(part.get("z", "z"))


def offset_of(zone: str) -> dt.timedelta:
    """How far a clock is ahead of universal time: "z", "+01:00"."""
    if zone == "z":
        return dt.timedelta()
    ahead = dt.timedelta(hours=int(zone[1:3]), minutes=int(zone[-2:]))
    return ahead if zone[0] == "+" else -ahead


@lru_cache(maxsize=256)
def time_grammar(format: str, is_strptime: bool = False) -> TimeGrammar | None:
    """The grammar of a format; None where it has a directive that is not known here.

    The digits of a day, a month and an hour may be one or two; digits without a sign between them have fixed places.

    Parameters
    ----------
    is_strptime : are times read as ``datetime.strptime`` reads them? Then minutes and seconds may have one digit, a
        name of a month is short (%b) or long (%B), and a fraction of a second has six digits at most
    """
    compact = re.search("%[a-zA-Z]%[a-zA-Z]", format) is not None
    pieces: list[Field | str] = []
    for directive, letters in re.findall(r"(%.)|([^%\s]|\s+)", format):
        piece = _field(directive[1], is_strptime, compact) if directive else " " if letters.isspace() else letters
        if piece is None or piece == "%":
            return None
        pieces.append(lowered(piece) if isinstance(piece, str) else piece)
    fields = [item.letter for item in pieces if isinstance(item, Field)]
    if not fields or len(set(fields)) < len(fields) or not "".join(fields).isascii():
        return None
    return TimeGrammar(tuple(pieces))


def _field(letter: str, is_strptime: bool, compact: bool) -> Field | None:
    if letter in "bB":
        names = SHORT_MONTHS | LONG_MONTHS
        if is_strptime:
            names = SHORT_MONTHS if letter == "b" else LONG_MONTHS
        return Field("b", names=tuple(sorted(names.items())))
    if letter == "p":
        halves = ("am", "pm") if is_strptime else ("am", "pm", "a.m.", "p.m.", "a.m", "p.m", "am.", "pm.")
        return Field("p", names=tuple((half, int(half[0] == "p")) for half in halves))
    if letter == "z":
        return None if is_strptime else Field("z")
    if letter not in _LEAST:
        return None
    min_digits, max_digits = _LEAST[letter], _MOST[letter]
    if is_strptime and letter in "MS":
        min_digits = 1
    if is_strptime and letter == "f":
        max_digits = 6
    return Field(letter, max_digits if compact and letter != "f" else min_digits, max_digits)
