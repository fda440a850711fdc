"""Characters that do not belong: blanks around, invisible ones, letters lost to a wrong encoding."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import partial

import numpy as np

from pellucid.base.errors import count
from pellucid.quality.change import first_difference
from pellucid.quality.checks._reading import readings
from pellucid.quality.checks._saying import quoted
from pellucid.quality.checks.registry import register_check
from pellucid.quality.column import TableStats
from pellucid.quality.findings import Finding, Fix, Severity
from pellucid.quality.formats import INVISIBLE, garbled, repaired, repaired_surely, trimmed
from pellucid.quality.lossless import Texts, blanks_are_meant

_RARE = 0.1  # share of the different texts
_DOUBLED = re.compile(r"[^\S\n\r]{2,}")
_ODD = re.compile(f"[{INVISIBLE}\\x00-\\x08\\x0e-\\x1f\\x7f]")


@register_check("blanks")
def blanks(stats: TableStats) -> list[Finding]:
    """Blanks and invisible characters before, behind or doubled inside a text."""
    findings = []
    for read in readings(stats):
        column = read.column
        if not column.is_text:
            continue
        ends = np.array([text != (bare := text.strip()) and bool(bare) for text in column.texts], dtype=bool)
        inner = np.zeros(len(ends), dtype=bool)
        if read.role != "text":
            inner = np.array([_DOUBLED.search(text.strip()) is not None for text in column.texts], dtype=bool)
        odd = np.array([not text.isprintable() and _ODD.search(text) is not None for text in column.texts], dtype=bool)
        which = (ends | inner | odd) & np.array([bool(text) for text in read.texts], dtype=bool)
        if not which.any():
            continue
        kinds = [
            word
            for flags, word in ((ends, "at the ends"), (inner, "doubled inside"), (odd, "invisible"))
            if flags.any()
        ]
        twice = len({trimmed(t) for t in column.texts}) < len(column.texts)
        signs = [_ODD, _DOUBLED] if inner.any() else [_ODD]
        examples = quoted(column, which, place_in=partial(_first, signs))
        text = f"blanks or invisible characters ({', '.join(kinds)}), as in {examples}"
        text += "; without them, some values are the same" if twice else ""
        counts = column.counts.tolist()
        is_deliberate = bool(ends.any()) and blanks_are_meant(Texts(column.texts, counts, sum(counts)))
        text += "; they may have a meaning, as in an outline" if is_deliberate else ""
        severity: Severity = "note" if read.role == "text" or is_deliberate else "warning"
        fix = Fix("trim", (column.name,), {"inner": bool(inner.any())})
        if odd.any() and not inner.any():  # which trimming the ends would leave
            hidden = {sign for i in np.flatnonzero(odd).tolist() for sign in _ODD.findall(column.texts[i])}
            fix = Fix("remove_characters", (column.name,), {"characters": "".join(sorted(hidden))})
        laid_out = any("\n" in column.texts[i] for i in np.flatnonzero(inner).tolist())  # as code and verse are
        findings.append(Finding("blanks", severity, (column.name,), column.rows_of(which), text, fix, laid_out))
    return findings


def _first(signs: Sequence[re.Pattern[str]], text: str) -> int | None:
    """Where the first of these characters stands in a text; None where there is none."""
    return next((match.start() for sign in signs if (match := sign.search(text)) is not None), None)


def _stray_marks(text: str) -> bool:
    """Accents that belong to no letter: what is left of letters read in a wrong encoding."""
    return not text.isascii() and any(0x300 <= ord(c) < 0x370 for c in unicodedata.normalize("NFC", text))


@register_check("encoding")
def encoding(stats: TableStats) -> list[Finding]:
    """Letters that were lost or read in a wrong encoding: M�ller, MÃ¼ller, M?ller."""
    findings = []
    for read in readings(stats):
        column = read.column
        if not column.is_text:
            continue
        which = np.array([not _sure(text) and garbled(text) for text in column.texts], dtype=bool)
        marked = np.array([_stray_marks(text) for text in column.texts], dtype=bool)
        if marked.mean() <= _RARE:  # many are the way in which the language is written
            which |= marked
        has_question_mark = np.array(["?" in text for text in column.texts], dtype=bool)
        if read.role == "text" and has_question_mark.any():  # in running text a question mark may stand anywhere
            which &= ~has_question_mark | np.array(
                [garbled(text.replace("?", "")) for text in column.texts], dtype=bool
            )
        if not which.any():
            continue
        curable = np.array([repaired(text) != text for text in column.texts], dtype=bool) & which
        lost = which & np.array(["\ufffd" in text for text in column.texts], dtype=bool)
        sure = which & np.array([_is_repaired(text) for text in column.texts], dtype=bool)
        certain = lost.any() or sure.any()
        text = f"letters {'' if certain else 'may have been '}lost or read in a wrong encoding, as in"
        text += f" {quoted(column, which, place_in=_first_garbled)}"
        if curable.any():
            text += f"; {count(int(curable.sum()), 'different text')} can be repaired, {int(sure.sum()):,} for certain"
        fix = Fix("repair_encoding", (column.name,)) if curable.any() else None
        severity: Severity = "error" if certain else "warning"
        findings.append(Finding("encoding", severity, (column.name,), column.rows_of(which), text, fix))
    return findings


def _first_garbled(text: str) -> int | None:
    """Where a text begins to be another one when it is repaired; None where it does not."""
    return None if (after := repaired(text)) == text else first_difference(text, after)


def _is_repaired(text: str) -> bool:
    return repaired_surely(text) != text


def _sure(text: str) -> bool:
    """Plain letters without a question mark: nothing can be wrong with them."""
    return text.isascii() and "?" not in text
