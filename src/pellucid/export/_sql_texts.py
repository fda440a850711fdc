"""Raw texts in SQL: what a column becomes before it is the code of a name, a number or a time.

DuckDB and PostgreSQL read numbers and times by regular expressions. SQLite has none: there a text is cut from left to
right, and every piece is compared with GLOB.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import ClassVar

from pellucid.base.errors import ParameterError, format_message
from pellucid.export._calendar import days_in_month, days_since_1970, is_between, plus, times
from pellucid.export._form import All, Choose, Expression, Name, Number, Test
from pellucid.export._raw_text import BLANKS, NumberGrammar, RawText
from pellucid.export._sql_literals import double_literal, literal
from pellucid.quality.grammars import BLANKS_BEFORE_UNITS, MINUS, AmountGrammar, Field, TimeGrammar

Add = Callable[[str, "Expression | str", tuple[str, ...]], None]  # a named column, and the columns that it reads
_UPPER, _LOWER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz"
_MOST_GROUPS = 5  # of three digits: a double holds 15 digits
_CLOCK = ("H", "M", "S", "f")
_FIELDS = {
    "Y": "year",
    "y": "short_year",
    "m": "month",
    "b": "month_name",
    "d": "day",
    "H": "hour",
    "I": "twelve",
    "M": "minute",
    "S": "second",
    "f": "micro",
    "p": "half",
    "z": "offset",
}

# Where ISO 8601 has the parts of a time: "2024-01-31 23:59:59.123456".
_PLACES = {
    "Y": (1, 4),
    "y": (3, 2),
    "m": (6, 2),
    "b": (6, 2),
    "d": (9, 2),
    "H": (12, 2),
    "I": (12, 2),
    "p": (12, 2),
    "M": (15, 2),
    "S": (18, 2),
    "f": (21, 6),
    "z": (20, 1),
}


def field(j: int, letter: str) -> str:
    """The column of a part of a time; databases take t_m and t_M for one."""
    return f"t{j}_{_FIELDS[letter]}"


class SqlTexts:
    """Texts of raw columns in one dialect."""

    _types: ClassVar = {"sqlite": "TEXT", "duckdb": "VARCHAR", "postgresql": "text"}
    _doubles: ClassVar = {"sqlite": "REAL", "duckdb": "DOUBLE", "postgresql": "double precision"}

    def __init__(self, dialect: str) -> None:
        self.dialect = dialect
        self.double = self._doubles[dialect]

    # ----------------------------------------------------------------------------------------------------------- texts

    def text(self, own: str, raw: RawText) -> str:
        """A column as text, without the blanks around it, and with what texts stand for."""
        text = f"CAST({own} AS {self._types[self.dialect]})"
        if raw.time is not None and not raw.time.is_iso and self.dialect != "sqlite":
            text = self._written_time(own, text, raw.time)
        if raw.strip:
            text = f"NULLIF({self.trimmed(text)}, '')"
        if not raw.is_value:
            return text
        if raw.replaced:
            cases = " ".join(
                f"WHEN {literal(before)} THEN {'NULL' if after is None else literal(after)}"
                for before, after in raw.replaced
            )
            text = f"CASE {text} {cases} ELSE {text} END"
        if isinstance(raw.number, NumberGrammar):
            return text
        text = self.trimmed(text) if not raw.strip or raw.replaced else text
        if raw.time is not None and raw.time.is_iso:
            return f"NULLIF({text}, '')"
        return f"NULLIF({self._lowered(text, raw)}, '')"

    def value(self, own: str, is_flag: bool) -> str:
        """A column of numbers or flags as numbers. A text that is none is missing, in whatever column it stands."""
        if self.dialect == "sqlite":
            flags = f"WHEN lower(trim({own})) = 'true' THEN 1.0 WHEN lower(trim({own})) = 'false' THEN 0.0 "
            # Compared with a number, a text becomes one only where all of it is: CAST makes 0 of 'abc', 12 of '12abc'.
            return f"CASE {flags if is_flag else ''}WHEN CAST({own} AS NUMERIC) = {own} THEN CAST({own} AS REAL) END"
        text = f"CAST({own} AS {self._types[self.dialect]})"
        is_number = self._matches(text, rf"\s*{NumberGrammar().pattern}\s*")
        number = f"CASE WHEN {is_number} THEN CAST({text} AS {self.double}) END"
        if is_flag:
            number = f"CASE lower(trim({text})) WHEN 'true' THEN 1 WHEN 'false' THEN 0 ELSE {number} END"
        kind = f"lower(CAST(pg_typeof({own}) AS {self._types[self.dialect]}))"
        plain = f"CAST({own} AS integer)" if is_flag and self.dialect == "postgresql" else own
        plain = f"NULLIF(CAST({plain} AS {self.double}), CAST('NaN' AS {self.double}))"
        return (
            f"CASE WHEN {kind} IN ('text', 'varchar', 'character varying', 'character') THEN {number} ELSE {plain} END"
        )

    def _written_time(self, own: str, text: str, grammar: TimeGrammar) -> str:
        """A column of dates or times in the form of the texts that the model read; texts as they are.

        Databases that import files make dates of such texts, which as text again have the form of ISO 8601.
        """
        kind = f"lower(CAST(pg_typeof({own}) AS {self._types[self.dialect]}))"
        before = f"CASE WHEN {kind} = 'time' OR {kind} LIKE 'time %' THEN '1970-01-01 ' ELSE '' END"
        after = f"CASE WHEN {kind} = 'date' THEN ' 00:00:00' ELSE '' END"
        iso = f"{before} || {text} || {after}"
        pieces = [literal(one) if isinstance(one, str) else self._written_field(iso, one) for one in grammar.pieces]
        is_time = f"{kind} LIKE 'date%' OR {kind} LIKE 'time%'"
        return f"CASE WHEN {is_time} THEN {' || '.join(pieces)} ELSE {text} END"

    def _written_field(self, iso: str, field: Field) -> str:
        start, length = _PLACES[field.letter]
        digits = f"substr({iso}, {start}, {length})"
        if field.letter == "z":
            return "'z'"
        if field.letter == "b":
            names = {month: name for name, month in field.names}
            cases = " ".join(f"WHEN '{k:02}' THEN {literal(names[k])}" for k in sorted(names))
            return f"CASE {digits} {cases} END"
        if field.letter == "p":
            return f"CASE WHEN {digits} < '12' THEN 'am' ELSE 'pm' END"
        if field.letter == "I":
            hours = " ".join(f"WHEN '{hour:02}' THEN '{(hour - 1) % 12 + 1:02}'" for hour in range(24))
            return f"CASE {digits} {hours} END"
        if field.letter == "f":
            return f"CASE WHEN substr({iso}, 20, 1) = '.' THEN {digits} ELSE '0' END"
        return digits

    def _lowered(self, text: str, raw: RawText) -> str:
        """A to Z in lower case, and one sign for minus."""
        lower = f"lower({text})" if self.dialect == "sqlite" else f"translate({text}, '{_UPPER}', '{_LOWER}')"
        return lower if raw.time is not None else f"replace({lower}, {self._signs(MINUS)}, '-')"

    def trimmed(self, text: str) -> str:
        """A text without the blanks around it."""
        if self.dialect == "postgresql":
            return f"trim(BOTH {self._signs(BLANKS)} FROM {text})"
        return f"trim({text}, {self._signs(BLANKS)})"

    def _signs(self, signs: str) -> str:
        """Signs as one text, each by its number: a query may pass through programs that change them."""
        numbers = [str(ord(sign)) for sign in signs]
        if self.dialect == "sqlite":
            return f"char({', '.join(numbers)})"
        return " || ".join(f"chr({sign})" for sign in numbers)

    def _matches(self, text: str, pattern: str) -> str:
        whole = literal(f"^(?:{pattern})$")
        return f"regexp_matches({text}, {whole})" if self.dialect == "duckdb" else f"{text} ~ {whole}"

    def _group(self, text: str, pattern: str, k: int) -> str:
        """A group of a regular expression, counted from 1; NULL where it has no text."""
        whole = literal(f"^(?:{pattern})$")
        if self.dialect == "duckdb":
            return f"NULLIF(regexp_extract({text}, {whole}, {k}), '')"
        group = f"NULLIF(regexp_replace({text}, {whole}, '\\{k}'), '')"
        return f"CASE WHEN {self._matches(text, pattern)} THEN {group} END"

    # --------------------------------------------------------------------------------------------------------- numbers

    def add_value(self, j: int, raw: RawText, add: Add) -> None:
        """The columns from the text t<j> to the value x<j>."""
        if raw.time is not None:
            self._add_time(j, raw.time, raw.refuses, add)
        elif self.dialect == "sqlite":
            self._add_amount_of_sqlite(j, raw.number, add)
        else:
            self._add_amount(j, raw.number, add)

    def _add_amount(self, j: int, grammar: NumberGrammar | AmountGrammar | None, add: Add) -> None:
        assert grammar is not None
        text = f"t{j}"
        if isinstance(grammar, NumberGrammar):
            number = f"CAST({self._plain(text, grammar)} AS {self.double})"
            add(f"x{j}", f"CASE WHEN {self._matches(text, grammar.pattern)} THEN {number} END", (text,))
            return
        groups = ("opening", "sign", "second_sign", "digits", "closing")
        names = {name: f"{text}_{name}" for name in groups}
        for k, name in enumerate(groups, 1):
            add(names[name], self._group(text, grammar.pattern, k), (text,))
        balanced = f"({names['opening']} IS NULL) = ({names['closing']} IS NULL)"
        one_sign = f"({names['sign']} IS NULL OR {names['second_sign']} IS NULL)"
        sign = f"COALESCE({names['sign']}, {names['second_sign']}, '+')"
        minus = f"CASE WHEN ({sign} = '-') = ({names['opening']} IS NULL) THEN -1 ELSE 1 END"
        number = f"{minus} * CAST({self._plain(names['digits'], grammar)} AS {self.double})"
        test = f"{names['digits']} IS NOT NULL AND {balanced} AND {one_sign}"
        add(f"x{j}", f"CASE WHEN {test} THEN {number} END", tuple(names.values()))

    @staticmethod
    def _plain(text: str, grammar: NumberGrammar | AmountGrammar) -> str:
        """Digits as SQL writes them."""
        plain = f"replace({text}, {literal(grammar.thousands)}, '')" if grammar.thousands else text
        return plain if grammar.decimal == "." else f"replace({plain}, {literal(grammar.decimal)}, '.')"

    def _add_amount_of_sqlite(self, j: int, grammar: NumberGrammar | AmountGrammar | None, add: Add) -> None:
        assert grammar is not None
        units = grammar.spellings if isinstance(grammar, AmountGrammar) else ()
        t, inner, bare, ahead, unsigned, digits = (
            f"t{j}{end}" for end in ("", "_inner", "_bare", "_ahead", "_unsigned", "_digits")
        )
        is_inside = f"{t} GLOB '(*)'" if units else "1 = 0"
        add(inner, f"CASE WHEN {is_inside} THEN substr({t}, 2, length({t}) - 2) ELSE {t} END", (t,))
        is_signed = f"substr({inner}, 1, 1) IN ('+', '-')"
        add(bare, f"CASE WHEN {is_signed} THEN substr({inner}, 2) ELSE {inner} END", (inner,))
        add(ahead, self._without_units(bare, units, is_before=True), (bare,))
        is_second = f"{bare} = {inner} AND substr({ahead}, 1, 1) IN ('+', '-')"
        add(unsigned, f"CASE WHEN {is_second} THEN substr({ahead}, 2) ELSE {ahead} END", (inner, bare, ahead))
        add(digits, self._without_units(unsigned, units, is_before=False), (unsigned,))
        minus = f"substr({inner}, 1, 1) = '-' OR ({bare} = {inner} AND substr({ahead}, 1, 1) = '-')"
        factor = f"CASE WHEN ({minus}) = ({t} = {inner}) THEN -1 ELSE 1 END"
        number = f"{factor} * CAST({self._plain(digits, grammar)} AS REAL)"
        test = self._is_number(digits, grammar)
        add(f"x{j}", f"CASE WHEN {test} THEN {number} END", (t, inner, bare, ahead, digits))

    def _without_units(self, text: str, units: tuple[str, ...], is_before: bool) -> str:
        """A text without the unit at its beginning or end, and without the blanks between it and the number."""
        cases, blanks = "", self._signs(BLANKS_BEFORE_UNITS)
        for unit in units:
            n = len(unit)
            if is_before:
                cases += f" WHEN substr({text}, 1, {n}) = {literal(unit)} THEN ltrim(substr({text}, {n + 1}), {blanks})"
            else:
                rest = f"rtrim(substr({text}, 1, length({text}) - {n}), {blanks})"
                cases += f" WHEN substr({text}, -{n}) = {literal(unit)} THEN {rest}"
        return f"CASE{cases} ELSE {text} END" if cases else text

    def _is_number(self, text: str, grammar: NumberGrammar | AmountGrammar) -> str:
        """Is a text a number without a sign?"""
        if grammar.thousands:
            return self._is_grouped(text, grammar.decimal, grammar.thousands)
        plain = self._plain(text, grammar)
        other = "" if grammar.decimal == "." else f" AND instr({text}, '.') = 0"
        # A number beside a text is compared with the number that the whole text is, so "12 oz" is not 12.
        test = f"CAST({plain} AS REAL) = {plain} AND {plain} = {self.trimmed(plain)}"
        return f"{test} AND substr({plain}, 1, 1) GLOB '[0-9.]'{other}"

    @staticmethod
    def _is_grouped(text: str, decimal: str, thousands: str) -> str:
        point = f"instr({text}, {literal(decimal)})"
        whole = f"CASE WHEN {point} > 0 THEN substr({text}, 1, {point} - 1) ELSE {text} END"
        rest = f"substr({text}, {point} + 1)"
        group = f"{thousands}[0-9][0-9][0-9]"
        ways = [f"({whole} GLOB '[0-9]*' AND {whole} NOT GLOB '*[^0-9]*')"]
        for n in range(1, _MOST_GROUPS + 1):
            ways += [f"{whole} GLOB {literal('[0-9]' * first + group * n)}" for first in (1, 2, 3)]
        has_decimals = f"({point} = 0 OR ({rest} GLOB '[0-9]*' AND {rest} NOT GLOB '*[^0-9]*'))"
        return f"({' OR '.join(ways)}) AND {has_decimals}"

    # ----------------------------------------------------------------------------------------------------------- times

    def _add_time(self, j: int, grammar: TimeGrammar, refuses: bool, add: Add) -> None:
        """Microseconds since 1970; an infinite number for a text that is refused."""
        fields = grammar.fields
        if self.dialect == "sqlite":
            fits = self._add_iso_fields(j, grammar, add) if grammar.is_iso else self._add_pieces(j, grammar, add)
        else:
            fits = self._add_groups(j, grammar, add)
        part = {letter: Name(field(j, letter)) for letter in fields}
        names = tuple(one.text for one in part.values())
        self._add_moment(j, part, add)
        bad = double_literal(float("inf"), self.dialect) if refuses else "NULL"
        valid, moment = f"t{j}_valid", f"t{j}_moment"
        present = " AND ".join(f"{name} IS NOT NULL" for name in names)
        add(
            f"t{j}_fits",
            f"CASE WHEN {fits[0]} AND {present} AND {valid} = 1 THEN 1 ELSE 0 END",
            (f"t{j}", fits[1], valid, *names),
        )
        text = f"CASE WHEN t{j} IS NULL THEN NULL WHEN t{j}_fits = 1 THEN {moment} ELSE {bad} END"
        add(f"x{j}", text, (f"t{j}", f"t{j}_fits", moment))

    def _add_groups(self, j: int, grammar: TimeGrammar, add: Add) -> tuple[str, str]:
        """The fields as groups of a regular expression."""
        for k, letter in enumerate(grammar.fields, 1):
            group = self._group(f"t{j}", grammar.pattern, k)
            if grammar.is_iso and letter in _CLOCK:
                group = f"COALESCE({group}, '0')"
            add(field(j, letter), self._field_value(group, letter, grammar), (f"t{j}",))
        return self._matches(f"t{j}", grammar.pattern), f"t{j}"

    def _field_value(self, text: str, letter: str, grammar: TimeGrammar) -> str:
        """A field as a number."""
        if letter == "b":
            return f"CASE {text} {' '.join(f'WHEN {literal(name)} THEN {k}' for name, k in grammar.names.items())} END"
        if letter == "p":
            return f"CASE substr({text}, 1, 1) WHEN 'p' THEN 1 WHEN 'a' THEN 0 END"
        if letter == "f":
            return f"CAST(substr({text} || '000000', 1, 6) AS {self.double})"
        if letter == "z":
            two = f"CAST(substr({text}, 2, 2) AS {self.double})"
            last = f"CAST(right({text}, 2) AS {self.double})"
            sign = f"CASE WHEN substr({text}, 1, 1) = '-' THEN -1 ELSE 1 END"
            return f"CASE WHEN {text} = 'z' THEN 0 ELSE {sign} * (60 * {two} + {last}) END"
        return f"CAST({text} AS {self.double})"

    def _add_moment(self, j: int, part: dict[str, Name], add: Add) -> None:
        """The columns t<j>_valid and t<j>_moment."""
        n = iter(range(1000))

        def hold(value: Expression) -> Expression:
            if isinstance(value, Name | Number):
                return value
            name = f"t{j}_{next(n)}"
            add(name, value, ())
            return Name(name)

        short = part.get("y", Number(70.0))
        year = part.get("Y") or hold(Choose(((is_between(short, 69, 99), plus(short, 1900.0)),), plus(short, 2000.0)))
        month, day = part.get("b") or part.get("m") or Number(1.0), part.get("d") or Number(1.0)
        clock = [part.get(letter, Number(0.0)) for letter in ("M", "S", "f")]
        hour: Expression = part.get("H", Number(0.0))
        twelve = part.get("I")
        if twelve is not None:
            hour = hold(Choose(((is_between(twelve, 12, 12), Number(0.0)),), twelve))
            hour = hold(plus(hour, times(12.0, part["p"]))) if "p" in part else hour
        days = hold(days_since_1970(year, month, day, hold))
        hours = hold(plus(times(24.0, days), hour))
        minutes = hold(plus(times(60.0, hours), clock[0], *([times(-1.0, part["z"])] if "z" in part else [])))
        seconds = hold(plus(times(60.0, minutes), clock[1]))
        add(f"t{j}_moment", plus(times(1e6, seconds), clock[2]), ())
        limits: list[Test] = [is_between(year, 1, 9999), is_between(month, 1, 12), is_between(hour, 0, 23)]
        limits += [is_between(day, 1, hold(days_in_month(year, month)))]
        limits += [is_between(one, 0, 59) for one in clock[:2]]
        limits += [is_between(twelve, 1, 12)] if twelve is not None else []
        add(f"t{j}_valid", Choose(((All(tuple(limits)), Number(1.0)),), Number(0.0)), ())

    # ----------------------------------------------------------------------------------------------- times, in SQLite

    def _add_iso_fields(self, j: int, grammar: TimeGrammar, add: Add) -> tuple[str, str]:
        text, clock = f"t{j}", f"t{j}_clock"
        offsets = ["[+-][0-9][0-9]", "[+-][0-9][0-9][0-9][0-9]", "[+-][0-9][0-9]:[0-9][0-9]"]
        if grammar.zone != "drop":
            offsets = ["[+-]00", "[+-]0000", "[+-]00:00"]
        rest = f"substr({text}, 11)"
        lengths = {"Z": 1, **dict(zip(offsets, (3, 5, 6), strict=True))}
        cases = " ".join(
            f"WHEN {rest} GLOB '*{zone}' THEN substr({text}, 11, length({text}) - {10 + n})"
            for zone, n in lengths.items()
        )
        add(clock, f"CASE {cases} ELSE {rest} END", (text,))
        places = {"Y": (1, 4), "m": (6, 2), "d": (9, 2)}
        for letter, (start, n) in places.items():
            add(field(j, letter), f"CAST(substr({text}, {start}, {n}) AS REAL)", (text,))
        for letter, start in (("H", 2), ("M", 5), ("S", 8)):
            add(field(j, letter), f"CAST(substr({clock}, {start}, 2) AS REAL)", (clock,))
        add(field(j, "f"), f"CAST(substr(substr({clock}, 11) || '000000', 1, 6) AS REAL)", (clock,))
        two = "[0-9][0-9]"
        hours = f"[T ]{two}:{two}"
        fraction = f"substr({clock}, 11)"
        ways = [f"{clock} = ''", f"{clock} GLOB '{hours}'", f"{clock} GLOB '{hours}:{two}'"]
        digits = f"length({fraction}) BETWEEN 1 AND 9 AND {fraction} NOT GLOB '*[^0-9]*'"
        ways.append(f"({clock} GLOB '{hours}:{two}[.,]*' AND {digits})")
        add(f"{text}_has_form", f"CASE WHEN {' OR '.join(ways)} THEN 1 ELSE 0 END", (clock,))
        date = f"substr({text}, 1, 10) GLOB '{two}{two}-{two}-{two}'"
        add(f"{text}_is_iso", f"CASE WHEN {date} AND {text}_has_form = 1 THEN 1 ELSE 0 END", (text, f"{text}_has_form"))
        return f"{text}_is_iso = 1", f"{text}_is_iso"

    def _add_pieces(self, j: int, grammar: TimeGrammar, add: Add) -> tuple[str, str]:
        """Piece by piece: what stands before the next sign is a field, and the rest goes on."""
        rest, pieces = f"t{j}", list(grammar.pieces)
        if "z" in grammar.fields or any(
            not isinstance(a, str) and not isinstance(b, str) and a.least != a.most for a, b in pairwise(pieces)
        ):
            requirement = (
                "times with an offset, and fields of any length beside each other, cannot be written for SQLite"
            )
            hint = 'use dialect="duckdb" or "postgresql", or to_python'
            raise ParameterError(format_message("to_sql", requirement, hint=hint))
        for k, piece in enumerate(pieces):
            following = f"t{j}_rest_{k}"
            if isinstance(piece, str):
                after = f"substr({rest}, 2)"
                after = f"ltrim({after}, ' ')" if piece == " " else after
                add(following, f"CASE WHEN substr({rest}, 1, 1) = {literal(piece)} THEN {after} END", (rest,))
            else:
                length = self._add_field(j, piece, rest, grammar, add)
                add(following, f"substr({rest}, 1 + {length})", (rest, length))
            rest = following
        add(f"t{j}_at_end", f"CASE WHEN {rest} = '' THEN 1 ELSE 0 END", (rest,))
        return f"t{j}_at_end = 1", f"t{j}_at_end"

    def _add_field(self, j: int, piece: Field, rest: str, grammar: TimeGrammar, add: Add) -> str:
        """The value of a field that a text begins with, and the name of the column of its length."""
        length, value = f"{field(j, piece.letter)}_length", field(j, piece.letter)
        if piece.names:
            ways = [f"WHEN substr({rest}, 1, {len(name)}) = {literal(name)} THEN {len(name)}"
                    for name, _ in sorted(piece.names, key=lambda one: -len(one[0]))]  # fmt: skip
        else:
            ways = [f"WHEN substr({rest}, 1, {n}) GLOB '{'[0-9]' * n}' THEN {n}"
                    for n in range(piece.most, piece.least - 1, -1)]  # fmt: skip
        add(length, f"CASE {' '.join(ways)} END", (rest,))
        text = f"substr({rest}, 1, {length})"
        add(value, self._field_value(text, piece.letter, grammar), (rest, length))
        return length
