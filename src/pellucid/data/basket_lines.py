"""Text files with one basket per line: recognized by the values in the lines, not by the name of the file.

Such lines differ in length, their items are drawn from one vocabulary that is shared by all positions, and an item
rarely stands twice in a line. Rows of an ordinary table that lost their last cells have none of these properties.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from pellucid.data.dialect import DELIMITERS

Lead = Literal["", "number", "count"]

SAMPLE_LINES = 3000
MIN_LINES = 10
LEAST_NUMBERED = 4  # columns of items that are numbered through
MAX_POSITIONS = 60  # positions of a line that are compared
_DECIMAL = re.compile(r"[+-]?[0-9]*\.[0-9]+([eE][+-]?[0-9]+)?")
_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,17})")
_NUMBERED = re.compile(r"(.*?)[ _.#-]*([0-9]+)")
_SENTENCE_END = re.compile(r"[.!?,:]$")
_FUNCTION_WORDS = "the and of to is in that it was for der die und das le la les et de el los que".split()  # noqa: SIM905
_HEADER_WORDS = ("item", "items", "product", "products", "article", "articles", "basket", "transaction", "tid", "id")


@dataclass(frozen=True)
class LineLayout:
    """How a file writes one basket per line.

    delimiter : the character between items
    skip : lines before the first basket: comments, or a header
    lead : what the first field of each line is besides an item: the number of the basket, or the count of its items
    evidence : why the file is thought to hold baskets, as complete statements
    braces : whether each basket stands in braces
    """

    delimiter: str
    skip: int = 0
    lead: Lead = ""
    evidence: tuple[str, ...] = ()
    braces: bool = False


def line_layout(text: str, forced: bool = False) -> LineLayout | None:
    """The layout of a file of baskets, or None if the text looks like anything else.

    Parameters
    ----------
    text : the beginning of the file, or all of it
    forced : whether the user said that the file holds one basket per line; then little evidence suffices
    """
    every = text.splitlines()[:SAMPLE_LINES]
    n_above = 0  # comments and empty lines
    while n_above < len(every) and (
        every[n_above].lstrip().startswith("#") or (n_above and not every[n_above].strip())
    ):
        n_above += 1
    lines = [line for line in every[n_above:] if line.strip()]
    if len(lines) < (1 if forced else MIN_LINES):
        return None
    braces = all(line.lstrip().startswith("{") and line.rstrip().endswith("}") for line in lines)
    delimiter = _delimiter_of(lines)
    if delimiter is None:
        if not forced:
            return None
        delimiter = " " if all(_WHOLE.fullmatch(word) for line in lines for word in line.split()) else ","
    rows = [fields_of(line, delimiter, braces) for line in lines]
    header = _header_and_lead(rows)
    skip, lead = header
    baskets = [row[1:] if lead else row for row in rows[skip:]]
    if _numbered_through(baskets):
        words = "the values of all columns are numbered through: each column goes on where the one before ends"
        return LineLayout(delimiter, n_above + skip, lead, (words, "no line names a value twice"), braces)
    padded = len({line.count(delimiter) for line in lines}) == 1
    evidence = _evidence(baskets, padded, forced)
    if evidence is None or (not forced and (_is_table(lines, delimiter) or _has_long_cells(every, delimiter))):
        return None
    return LineLayout(delimiter, n_above + skip, lead, evidence, braces)


def fields_of(line: str, delimiter: str, braces: bool = False) -> list[str]:
    """The fields of a line without blanks around them; empty ones at the end are left out."""
    if braces:
        line = line.strip().removeprefix("{").removesuffix("}")
    if delimiter == " ":
        return line.split()
    row = next(csv.reader([line], delimiter=delimiter), []) if '"' in line else line.split(delimiter)
    fields = [field.strip() for field in row]
    while fields and not fields[-1]:
        fields.pop()
    return fields


def _delimiter_of(lines: Sequence[str]) -> str | None:
    """The character that stands in most lines; blanks if the lines are codes or words without punctuation."""
    n_with = {mark: sum(mark in line for line in lines) for mark in DELIMITERS}
    best = max(DELIMITERS, key=n_with.__getitem__)
    if n_with[best] >= 0.3 * len(lines):
        return best
    if n_with[best] > 0.05 * len(lines):
        return best
    words = [word for line in lines for word in line.split()]
    if all(_WHOLE.fullmatch(word) for word in words):
        return " "
    counts = Counter(word.lower() for word in words)
    n_prose = sum(n for word, n in counts.items() if word in _FUNCTION_WORDS or _SENTENCE_END.search(word))
    reused = len(words) >= 4 * len(counts)
    return " " if reused and n_prose < 0.01 * len(words) and len(words) > 1.2 * len(lines) else None


def _is_table(lines: Sequence[str], delimiter: str) -> bool:
    """Does another delimiter cut nearly all lines into the same number of fields?"""
    for mark in DELIMITERS:
        n_fields = Counter(line.count(mark) for line in lines)
        width, often = n_fields.most_common(1)[0]
        if mark != delimiter and width >= 1 and often >= 0.99 * len(lines):
            return True
    return False


def _has_long_cells(lines: Sequence[str], delimiter: str) -> bool:
    """Is this a table whose quoted cells hold line breaks: lines of any length that are rows of one length?"""
    if not any(line.count('"') % 2 for line in lines):
        return False
    widths = [len(row) for row in csv.reader((f"{line}\n" for line in lines), delimiter=delimiter) if row][:-1]
    often = Counter(widths).most_common(1)
    return bool(often) and often[0][0] > 1 and often[0][1] >= 0.99 * len(widths)


def _header_and_lead(rows: Sequence[Sequence[str]]) -> tuple[int, Lead]:
    """How many rows are a header, and what the first field of the others is."""
    for skip in (0, 1):
        lead = _lead_of(rows[skip:])
        if lead and (skip == 0 or len(rows) > MIN_LINES):
            return skip, lead
    if len(rows) < 3:
        return 0, ""
    names = rows[0]
    items = {item for row in rows[1:] for item in row}
    if any(name in items for name in names):
        return 0, ""
    stems = {match[1].lower() for name in names if (match := _NUMBERED.fullmatch(name))}
    numbered = len(names) >= 2 and len(stems) == 1 and all(_NUMBERED.fullmatch(name) for name in names)
    worded = any(name.lower() in _HEADER_WORDS for name in names)
    return (1, "") if (numbered and stems != {""}) or worded else (0, "")


def _lead_of(rows: Sequence[Sequence[str]]) -> Lead:
    rows = [row for row in rows if row]
    if len(rows) < MIN_LINES:
        return ""
    first = [row[0] for row in rows]
    if all(_WHOLE.fullmatch(field) for field in first):
        numbers = [int(field) for field in first]
        if all(number == len(row) - 1 for number, row in zip(numbers, rows, strict=True)) and len(set(numbers)) > 1:
            return "count"
        if all(b - a == 1 for a, b in pairwise(numbers)):
            return "number"
    other_fields = {field for row in rows for field in row[1:]}
    codes = all(any(character.isdigit() for character in field) for field in first)
    return (
        "number" if codes and len(set(first)) == len(first) and other_fields and other_fields.isdisjoint(first) else ""
    )


def _numbered_through(baskets: Sequence[Sequence[str]]) -> bool:
    """Are the rows those of a table of categories, written as items: whole numbers, of which each column has the next
    few, and all columns together most from 0 or 1 on?"""
    width = len(baskets[0]) if baskets else 0
    if width < LEAST_NUMBERED or len(baskets) < MIN_LINES or any(len(row) != width for row in baskets):
        return False
    if not all(_WHOLE.fullmatch(item) for row in baskets for item in row):
        return False
    columns = [{int(item) for item in column} for column in zip(*baskets, strict=True)]
    items = set().union(*columns)
    ascending = all(max(a) < min(b) for a, b in pairwise(columns))
    several = sum(len(column) > 1 for column in columns) >= LEAST_NUMBERED
    return ascending and several and min(items) in (0, 1) and 2 * len(items) > max(items)


def _evidence(baskets: Sequence[Sequence[str]], padded: bool, forced: bool) -> tuple[str, ...] | None:
    """Statements that the rows are baskets, or None if they look like rows of a table.

    ``padded`` : whether all lines have the same number of delimiters, so that some of them end with empty fields
    """
    lengths = Counter(map(len, baskets))
    n = len(baskets)
    fields = Counter(item for row in baskets for item in row if item)
    n_fields = fields.total()
    if not n_fields:
        return None
    mode_share = lengths.most_common(1)[0][1] / n
    ragged = len(lengths) >= 3 and mode_share < 0.85
    positions: dict[str, set[int]] = {}
    for row in baskets:
        for position, item in enumerate(row[:MAX_POSITIONS]):
            positions.setdefault(item, set()).add(position)
    repeated = sum(often for item, often in fields.items() if item and often > 1)
    shared = sum(often for item, often in fields.items() if often > 1 and len(positions.get(item, ())) > 1)
    n_sets = sum(len(set(row)) == len(row) for row in baskets)
    n_decimals = sum(often for item, often in fields.items() if _DECIMAL.fullmatch(item))
    decimal = n_decimals > 0.2 * n_fields
    moving = shared > 0.5 * repeated or (not padded and mode_share < 0.6 and repeated > 0.6 * n_fields)
    alike = repeated > 0.3 * n_fields and moving and n_sets > 0.75 * n
    if not forced and (decimal or not ragged or not alike):
        return None
    shortest, longest = min(lengths), max(lengths)
    looked_at = f"the {n:,} lines looked at"
    statements = [f"{looked_at} differ in length, from {shortest} to {longest} fields"] if shortest < longest else []
    if 2 * shared > repeated:
        statements.append("most values occur in several places of a line, as items do and cells of columns do not")
    without = "none names a value twice" if n_sets == n else f"{n_sets:,} name no value twice"
    return (*statements, f"of {looked_at}, {without}")
