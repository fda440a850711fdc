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
    candidates = [read for read in readings(stats) if read.column.is_text and read.role == "category"]
    findings: list[Finding] = []
    if len(candidates) > most:
        text = f"only the first {most} columns of names were searched for values of other columns"
        findings.append(Finding("value_inside", "note", (), NO_ROWS, text, None))
        candidates = candidates[:most]
    for inner in candidates:
        empty = _empty(inner)
        if int(empty.sum()) < least or inner.n_distinct > 10_000:
            continue
        words = {text for text, is_nothing in zip(inner.texts, inner.nothing.tolist(), strict=True) if not is_nothing}
        for outer in candidates:
            if outer is not inner:
                findings += _pair(outer, inner, words, empty, least)
    return findings


def _empty(read: Reading) -> Flags:
    return np.append(read.nothing, True)[read.column.codes]


def _pair(outer: Reading, inner: Reading, words: set[str], empty: Flags, min_rows: int) -> list[Finding]:
    remainders, inner_values = {}, {}
    for index, text in enumerate(outer.texts):
        ends = text.rsplit(None, 1) if " " in text else []
        if len(ends) == 2 and ends[1].strip(",;()") in words:
            remainders[index], inner_values[index] = ends[0].rstrip(",; ("), ends[1].strip(",;()")
    if not remainders:
        return []
    codes = outer.column.codes
    has = np.append(np.isin(np.arange(len(outer.texts)), list(remainders)), False)[codes]
    rows = np.flatnonzero(has & empty)
    # Nearly all rows with the value inside miss it in its own column, and nearly all without do not: it was moved.
    if len(rows) < min_rows or len(rows) < 0.8 * int(has.sum()) or len(rows) < 0.5 * int(empty.sum()):
        return []
    names = outer.column.name, inner.column.name
    used = sorted(set(codes[rows].tolist()))
    first = outer.column.texts[int(codes[rows[0]])]
    text = f"{count(len(rows), 'value')} with a value of {str(names[1])!r} inside, which is missing there, for example "
    text += said(first)
    rules = [[outer.column.texts[index], remainders[index], inner_values[index]] for index in used]
    fix = Fix("extract_value", names, {"rules": rules})
    inner_text = f"missing, but it stands inside {str(names[0])!r}, for example {said(first)}"
    return [
        Finding("value_inside", "error", (names[0],), rows, text, fix),
        Finding("value_inside", "error", (names[1],), rows, inner_text, None),
    ]
