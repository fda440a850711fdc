"""Changes that lose nothing, found from the values of each column of text. They are all that `Cleaner` does by default.

Blanks around a text, letters that were read in the wrong encoding, cells that hold only blanks, markers that the user
declares to mean missing, and types to which every text converts and from which it converts back. Whether a blank or a
marker has a meaning is decided by the values themselves; in doubt, the column stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from pellucid.base.errors import count
from pellucid.data.kinds import NUMERIC, Kind
from pellucid.quality.actions import State
from pellucid.quality.exact import exact_type
from pellucid.quality.findings import Fix
from pellucid.quality.formats import repaired_surely, stripped

Proposal = tuple[Fix, str]  # and why
_TEXTUAL = frozenset({Kind.TEXT, Kind.CATEGORY, Kind.ORDERED})
_KEY = 0.9  # share of different values from which on a column is a key


class Texts:
    """The texts that a column holds now and how many rows have each; None for a column of other values."""

    def __init__(self, values: list[str], counts: list[int], n_rows: int) -> None:
        self.values = values
        self.counts = counts
        self.n_rows = n_rows

    @classmethod
    def of(cls, state: State, name: Any) -> Texts | None:
        cells = state.column(name)
        codes = cells.codes[state.rows]
        times = np.bincount(codes[codes >= 0], minlength=len(cells.values))
        values = [cells.values[code] for code in np.flatnonzero(times).tolist()]
        if not all(isinstance(value, str) for value in values):
            return None
        return cls(values, times[times > 0].tolist(), int(times.sum()))


def text_changes(state: State, missing: Sequence[Any]) -> Iterator[Proposal]:
    """Lossless changes of texts, each found in the table as the ones before have left it."""
    for name in list(state.names):
        if state.column(name).kind in _TEXTUAL:
            for find in (_encoding, _blanks):
                texts = Texts.of(state, name)
                proposal = None if texts is None else find(name, texts)
                if proposal is not None:
                    yield proposal
        declared = _declared(state, name, missing)
        if declared is not None:
            yield declared


def type_changes(state: State) -> Iterator[Proposal]:
    """Types for columns of text to which every value converts and from which it converts back."""
    for name in list(state.names):
        texts = Texts.of(state, name) if state.column(name).kind is Kind.TEXT else None
        conversion = None if texts is None else exact_type(texts.values, texts.n_rows)
        if conversion is not None:
            word = "numbers" if conversion.action == "to_number" else "times"
            why = f"every text is one of the {word} written in one way, and converts back"
            if "missing" in conversion.settings:
                why += f"; {conversion.settings['missing'][0]!r} is read as a missing one"
            yield Fix(conversion.action, (name,), conversion.settings), why


def _encoding(name: Any, texts: Texts) -> Proposal | None:
    broken = sum(repaired_surely(text) != text for text in texts.values if not text.isascii())
    if not broken:
        return None
    return Fix("repair_encoding", (name,), {"sure": True}), f"{count(broken, 'text')} had been read as Windows-1252"


_LEADING = re.compile(r"[ \t]+(?=\S)")
_INDENTED = 0.1  # share of indented rows from which on they are meant so


def _blanks(name: Any, texts: Texts) -> Proposal | None:
    trims = [stripped(text) for text in texts.values]
    changed = [i for i, (text, bare) in enumerate(zip(texts.values, trims, strict=True)) if text != bare or not text]
    if not changed or blanks_are_meant(texts):
        return None
    empty = sum(not trims[i] for i in changed)
    all_empty = empty == len(changed)
    why = "cells that hold only blanks are missing" if all_empty else "blanks around texts are taken to mean nothing"
    return Fix("trim", (name,), {"inner": False}), why


def blanks_are_meant(texts: Texts) -> bool:
    """May the blanks at the ends of texts have a meaning: an outline, keys that differ in them, signs?"""
    trims = [stripped(text) for text in texts.values]
    changed = [i for i, (text, bare) in enumerate(zip(texts.values, trims, strict=True)) if text != bare or not text]
    return _is_indented(texts, changed) or _blanks_tell_apart(texts, trims) or are_signs(texts) or _have_places(texts)


def _is_indented(texts: Texts, changed: Sequence[int]) -> bool:
    """Are blanks only before texts, and in many? They may show what belongs to what, as in an outline.

    One blank before texts may also have stood behind a comma: an outline has two or more, or several depths.
    """
    texts_changed = [texts.values[i] for i in changed if texts.values[i].strip()]
    if not texts_changed or len({len(text) for text in texts.values}) == 1:  # or padded to one width
        return False
    indents = [_LEADING.match(text) for text in texts_changed if text == text.rstrip()]
    depths = {len(indent[0]) for indent in indents if indent is not None}
    if len(indents) < len(texts_changed) or None in indents or not depths:
        return False
    rows = sum(texts.counts[i] for i in changed)
    return (min(depths) >= 2 or len(depths) >= 2) and rows >= _INDENTED * texts.n_rows


def _have_places(texts: Texts) -> bool:
    """Are texts of one length with blanks before some and behind others? Each place has a meaning: "  C" and "A  "."""
    if len({len(text) for text in texts.values}) != 1 or len(texts.values) < 3:
        return False
    filled = [text for text in texts.values if text.strip()]
    before = sum(text[0].isspace() for text in filled)
    behind = sum(text[-1].isspace() and not text[0].isspace() for text in filled)
    return before > 0 and behind > 0


def are_signs(texts: Texts) -> bool:
    """Does a column list characters or delimiters, among which a blank is one?"""
    signs = [text for text in texts.values if text.strip()]
    if len(signs) < 2 or not all(len(text) <= 2 for text in texts.values):
        return False
    without_letters = [text for text in signs if not any(map(str.isalnum, text))]
    return len(without_letters) > 0.5 * len(signs) or (len(without_letters) > 1 and max(map(len, signs)) == 1)


def _blanks_tell_apart(texts: Texts, trims: list[str]) -> bool:
    """In a key, would values become equal that only differ in blanks?"""
    if len(texts.values) < 10 or len(texts.values) < _KEY * texts.n_rows:
        return False
    return len(set(trims)) < len(trims)


def _declared(state: State, name: Any, missing: Sequence[Any]) -> Proposal | None:
    """Cells that hold one of the markers that the user declared."""
    if not missing:
        return None
    cells = state.column(name)
    markers = [*missing, *(number for number in map(_as_number, missing) if number is not None)]
    is_declared: Callable[[Any], bool] = (
        (lambda value: value in markers)
        if cells.kind in NUMERIC or cells.kind in _TEXTUAL
        else (lambda value: str(value) in missing)
    )
    if cells.kind in _TEXTUAL:
        markers = [str(marker) for marker in missing]
    present = [cells.values[code] for code in np.unique(cells.codes[state.rows]).tolist() if code >= 0]
    values = [value for value in present if is_declared(value)]
    if not values:
        return None
    return Fix("to_missing", (name,), {"values": values}), "declared to mean missing"


def _as_number(marker: Any) -> float | None:
    try:
        return float(marker)
    except (TypeError, ValueError):
        return None
