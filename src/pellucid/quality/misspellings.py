"""Rare values that are misspellings of frequent ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pellucid import _core
from pellucid.base.errors import DataError, ParameterError, count, format_message, short_repr
from pellucid.base.threads import effective_threads
from pellucid.base.types import Array

SHORT, LONG = 4, 8  # letters from which one edit, and two, are a slip rather than another word
_NO_DIGITS = str.maketrans("", "", "0123456789")


def similar_values(
    texts: Sequence[str], counts: Any, *, ratio: float = 5.0, distance: int | None = None, n_jobs: int | None = None
) -> list[tuple[int, int, int]]:
    """Rare values that are a slip of the pen away from frequent ones.

    ``(r, f, d)``: text r is d edits from text f, and ``counts[f] >= ratio * counts[r]``

    An edit is a letter put in, left out or replaced, or two neighbors that changed places. Words of fewer than 4
    letters are not compared; up to 7 letters one edit is allowed, from 8 on two, counted in the shorter word of the
    two. Words whose digits differ ("Room 12", "Room 13") are different things and not misspellings. Of several
    frequent values the nearest is taken, then the most frequent, then the first.

    How: every text is filed under what is left of it when up to two of its letters are deleted; texts at most two edits
    apart meet under one of these, and only those that meet are compared. So the work grows with the number of texts,
    not with its square.

    Parameters
    ----------
    texts : distinct values
    counts : how many rows have each
    ratio : how many times more frequent the right spelling must be, at least
    distance : most edits, 1 or 2, whatever the length; None for the rule above
    n_jobs : threads; None for all cores

    >>> similar_values(["Berlin", "Hamburg", "Berlim", "Bremen", "Hambrug"], [90, 60, 1, 40, 2])
    [(2, 0, 1), (4, 1, 1)]
    """
    often = _check(texts, counts, ratio, distance)
    letters = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    max_edits = np.where(letters >= LONG, 2, np.where(letters >= SHORT, 1, 0)).astype(np.uint8)
    if distance is not None:
        max_edits = np.where(letters > distance, distance, 0).astype(np.uint8)
    side = np.where(max_edits > 0, _sides(often, ratio), 0).astype(np.uint8)
    first, second, apart = _core.close_pairs(_core.TextSet(list(texts)), max_edits, side, effective_threads(n_jobs))
    swap = often[first] > often[second]
    rare, frequent = np.where(swap, second, first), np.where(swap, first, second)
    enough = often[frequent] >= ratio * often[rare]
    rare, frequent, apart = rare[enough], frequent[enough], apart[enough]
    order = np.lexsort((frequent, -often[frequent], apart, rare))
    pairs: list[tuple[int, int, int]] = []
    for k in order.tolist():
        r, f = int(rare[k]), int(frequent[k])
        if (not pairs or pairs[-1][0] != r) and _digits(texts[r]) == _digits(texts[f]):
            pairs.append((r, f, int(apart[k])))
    return pairs


def _sides(often: Array, ratio: float) -> Array:
    """Bit 1: may be the rare one; bit 2: may be the frequent one. Most values are neither, which saves the work."""
    if not len(often):
        return often
    may_be_rare = often * ratio <= often.max()
    may_be_frequent = often >= ratio * often.min()
    return np.asarray(1 * may_be_rare + 2 * may_be_frequent)


def _digits(text: str) -> str:
    return "" if text.translate(_NO_DIGITS) == text else "".join(filter(str.isdigit, text))


def _check(texts: Sequence[str], counts: Any, ratio: float, distance: int | None) -> Array:
    who = "similar_values"
    often = np.asarray(counts)
    if often.shape != (len(texts),):
        actual = f"got {count(len(texts), 'text')} and counts of shape {often.shape}"
        raise DataError(format_message(who, "texts and counts must be of equal length", actual=actual))
    odd = next((text for text in texts if not isinstance(text, str)), None)
    if odd is not None:
        raise DataError(
            format_message(
                who, "texts must be text", actual=f"got {short_repr(odd)}", hint="turn values into text with str"
            )
        )
    if not ratio >= 1:
        raise ParameterError(format_message(who, "ratio must be at least 1", actual=f"got {short_repr(ratio)}"))
    if distance not in (None, 1, 2):
        raise ParameterError(format_message(who, "distance must be 1, 2 or None", actual=f"got {short_repr(distance)}"))
    return often.astype(np.float64)
