"""Values that are built otherwise than all others: an id without its prefix, a date in a column of article numbers."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np

from pellucid.base.types import Flags
from pellucid.quality.checks._reading import Reading, readings
from pellucid.quality.checks._saying import joined, percent, quoted
from pellucid.quality.checks.registry import register_check
from pellucid.quality.column import TableStats
from pellucid.quality.findings import Finding, Fix

_HEXADECIMAL = re.compile(r"(?:0x|#)?[0-9a-f]+(?:[-:][0-9a-f]+)*", re.IGNORECASE)
_RUNS = re.compile(r"(\d+|[^\W\d_]+|\s+)")


def shape(text: str) -> str:
    """A text by the kinds of its characters: runs of digits, of letters, and signs as they are.

    >>> shape("TXN_1961373"), shape("0035-9157"), shape("New York")
    ('a_9', '9-9', 'a a')
    """
    return _RUNS.sub(lambda run: "9" if run[0].isdigit() else " " if run[0].isspace() else "a", text)


@register_check("odd_shapes")
def odd_shapes(stats: TableStats, *, usual: float = 0.05, cover: float = 0.9, most: float = 0.05) -> list[Finding]:
    """Codes of a rare form where up to three usual forms (each at least ``usual`` of the rows) ``cover`` nearly all."""
    findings = []
    for read in readings(stats):
        column = read.column
        if not column.is_text or read.role not in ("category", "identifier", "text") or read.n_distinct < 30:
            continue
        if all(_HEXADECIMAL.fullmatch(text) for text in read.texts[:1000]):  # a letter is a digit there
            continue
        shapes = _shapes(read.texts, usual)
        if shapes is None:
            continue
        finding = _odd(read, shapes, usual, cover, most) or _odd_length(read, shapes, most)
        if finding is not None:
            findings.append(finding)
    return findings


def _shapes(texts: list[str], usual: float) -> list[str] | None:
    """The shape of every text; None if none is usual, by a look at a few. Texts of usual shapes are known by a pattern,
    which is much faster than to write out the shape of each."""
    few = [texts[i] for i in np.linspace(0, len(texts) - 1, min(len(texts), 1000)).astype(np.int64)]
    if sum(map(len, few)) > 100 * len(few):  # running text
        return None
    frequencies = Counter(map(shape, few)).most_common(3)
    frequent = [form for form, times in frequencies if times >= 0.3 * usual * len(few)]
    if not frequent:
        return None
    sign_patterns = {"9": r"\d+", "a": r"[^\W\d_]+", " ": r"\s+"}
    patterns = [
        (form, re.compile("".join(sign_patterns.get(sign) or re.escape(sign) for sign in form))) for form in frequent
    ]
    return [
        next((form for form, p in patterns if p.fullmatch(text) is not None), None) or shape(text) for text in texts
    ]


def _odd(read: Reading, shapes: list[str], usual: float, cover: float, max_share: float) -> Finding | None:
    rows: Counter[str] = Counter()
    for form, times, is_nothing in zip(shapes, read.column.counts.tolist(), read.nothing.tolist(), strict=True):
        rows[form] += 0 if is_nothing else times
    frequent = [form for form, times in rows.most_common(4) if times >= usual * read.n_content]
    covered = sum(rows[form] for form in frequent) / read.n_content
    if not frequent or len(frequent) > 3 or not cover <= covered < 1 or not all("9" in form for form in frequent):
        return None
    if any(" " in form for form in frequent) or (1 - covered) > 2 * max_share:
        return None
    which = np.array([form not in frequent for form in shapes], dtype=bool) & ~read.nothing
    forms = joined([f"{form} ({percent(rows[form] / read.n_content)})" for form in frequent])
    text = f"not of the usual form: {quoted(read.column, which)}; usual is {forms}, 9 for digits, a for letters"
    fix = _removal(read, shapes, frequent, which)
    return Finding("odd_shapes", "warning", (read.column.name,), read.column.rows_of(which), text, fix)


def _removal(read: Reading, shapes: list[str], frequent: list[str], which: Flags) -> Fix | None:
    """Leaving signs out, if that gives every odd value the usual form and no usual value has such signs."""
    signs = {sign for index in np.flatnonzero(which).tolist() for sign in shapes[index] if sign not in "9a "}
    if not signs or any(sign in form for form in frequent for sign in signs):
        return None
    bare = str.maketrans("", "", "".join(signs))
    if all(shape(read.texts[index].translate(bare)) in frequent for index in np.flatnonzero(which).tolist()):
        return Fix("remove_characters", (read.column.name,), {"characters": "".join(sorted(signs))})
    return None


def _odd_length(read: Reading, shapes: list[str], max_share: float) -> Finding | None:
    """Codes of one form that differ in length from nearly all others."""
    if not all("9" in form and " " not in form for form in shapes) or read.n_distinct < 20:
        return None
    rows: Counter[int] = Counter()
    for text, times, is_nothing in zip(read.texts, read.column.counts.tolist(), read.nothing.tolist(), strict=True):
        rows[len(text)] += 0 if is_nothing else times
    length, times = rows.most_common(1)[0]
    if times == read.n_content or times < 0.98 * read.n_content or length < 5:
        return None
    which = np.array([len(text) != length for text in read.texts], dtype=bool) & ~read.nothing
    text = (
        f"{percent(times / read.n_content)} of the values have {length} characters, not so {quoted(read.column, which)}"
    )
    return Finding("odd_shapes", "warning", (read.column.name,), read.column.rows_of(which), text, None)


_MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
_DAMAGED = re.compile(rf"{_MONTH}-\d{{2}}|\d{{1,2}}-{_MONTH}(?:-\d{{2,4}})?|\d(?:\.\d+)?E\+\d{{2,3}}", re.IGNORECASE)


@register_check("spreadsheet_damage")
def spreadsheet_damage(stats: TableStats, *, most: float = 0.2) -> list[Finding]:
    """Codes that a spreadsheet took for dates or large numbers: Sep-22, 9.78E+12, in at most ``most`` of the rows."""
    findings = []
    for read in readings(stats):
        column = read.column
        if not column.is_text or read.role not in ("category", "identifier", "text"):
            continue
        which = np.array([_DAMAGED.fullmatch(text) is not None for text in read.texts], dtype=bool)
        if which.any() and read.share(which) <= most:
            text = f"a spreadsheet seems to have taken codes for dates or numbers: {quoted(column, which)}"
            rows = column.rows_of(which)
            findings.append(Finding("spreadsheet_damage", "warning", (column.name,), rows, text, None))
    return findings
