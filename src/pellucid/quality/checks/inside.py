"""A value of one column that stands inside another: "Chicago IL" as the city while the state is missing."""

from __future__ import annotations

import numpy as np

from pellucid.base.errors import count
from pellucid.base.types import Flags
from pellucid.quality.checks._reading import Reading, readings
from pellucid.quality.checks._saying import NO_ROWS, said
from pellucid.quality.checks.registry import register_check
from pellucid.quality.column import TableStats
from pellucid.quality.findings import Finding, Fix


@register_check("value_inside")
def value_inside(stats: TableStats, *, least: int = 3, most: int = 60) -> list[Finding]:
    """A column's values with one of another column's at an end, in ``least`` rows where that other one is missing."""
    named = [read for read in readings(stats) if read.column.is_text and read.role == "category"]
    found: list[Finding] = []
    if len(named) > most:
        text = f"only the first {most} columns of names were searched for values of other columns"
        found.append(Finding("value_inside", "note", (), NO_ROWS, text, None))
        named = named[:most]
    for inner in named:
        empty = _empty(inner)
        if int(empty.sum()) < least or inner.n_distinct > 10_000:
            continue
        words = {text for text, gone in zip(inner.texts, inner.nothing.tolist(), strict=True) if not gone}
        for outer in named:
            if outer is not inner:
                found += _pair(outer, inner, words, empty, least)
    return found


def _empty(read: Reading) -> Flags:
    return np.append(read.nothing, True)[read.column.codes]


def _pair(outer: Reading, inner: Reading, words: set[str], empty: Flags, least: int) -> list[Finding]:
    rest, held = {}, {}
    for place, text in enumerate(outer.texts):
        ends = text.rsplit(None, 1) if " " in text else []
        if len(ends) == 2 and ends[1].strip(",;()") in words:
            rest[place], held[place] = ends[0].rstrip(",; ("), ends[1].strip(",;()")
    if not rest:
        return []
    codes = outer.column.codes
    has = np.append(np.isin(np.arange(len(outer.texts)), list(rest)), False)[codes]
    rows = np.flatnonzero(has & empty)
    # Nearly all rows with the value inside miss it in its own column, and nearly all without do not: it was moved.
    if len(rows) < least or len(rows) < 0.8 * int(has.sum()) or len(rows) < 0.5 * int(empty.sum()):
        return []
    names = outer.column.name, inner.column.name
    used = sorted(set(codes[rows].tolist()))
    first = outer.column.texts[int(codes[rows[0]])]
    text = f"{count(len(rows), 'value')} with a value of {str(names[1])!r} inside, which is missing there, for example "
    text += said(first)
    rules = [[outer.column.texts[place], rest[place], held[place]] for place in used]
    fix = Fix("extract_value", names, {"rules": rules})
    other = f"missing, but it stands inside {str(names[0])!r}, for example {said(first)}"
    return [
        Finding("value_inside", "error", (names[0],), rows, text, fix),
        Finding("value_inside", "error", (names[1],), rows, other, None),
    ]
