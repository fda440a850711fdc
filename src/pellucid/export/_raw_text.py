"""Raw text of a column: what a program does to it before it is a name or a number.

A text loses the blanks around it, some texts stand for others or for a missing value, and a number is read by one
grammar: an optional sign, digits, the decimal sign and digits, and an exponent where digits are not grouped. Anything
else is a missing value, in every language. Amounts with units and times have grammars of their own.
"""

from __future__ import annotations

from dataclasses import dataclass

from pellucid.quality.formats import number_pattern
from pellucid.quality.grammars import AmountGrammar, TimeGrammar

# What str.strip takes for blanks, and characters of no width.
BLANKS = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\u200b\u2060\ufeff"
)


@dataclass(frozen=True)
class NumberGrammar:
    """How numbers are written.

    decimal : the decimal sign; thousands : the sign between groups of three digits, or ""
    """

    decimal: str = "."
    thousands: str = ""

    @property
    def pattern(self) -> str:
        """The regular expression of a whole text."""
        return number_pattern(self.decimal, self.thousands)


@dataclass(frozen=True)
class RawText:
    """How a column's text is read.

    strip : are blanks around it left out? An empty text is missing then
    replaced : texts, after that, and what they stand for; None is a missing value
    number : the grammar of a column of numbers; None for a column of names or times
    time : the grammar of a column of times, which become microseconds since 1970
    refuses : is a text that is no time refused, rather than missing?
    """

    strip: bool = False
    replaced: tuple[tuple[str, str | None], ...] = ()
    number: NumberGrammar | AmountGrammar | None = None
    time: TimeGrammar | None = None
    refuses: bool = False

    @property
    def is_value(self) -> bool:
        """Does the text become a number, rather than the code of a name?"""
        return self.number is not None or self.time is not None
