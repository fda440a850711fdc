"""Several spellings of one thing: stray characters, slips of the pen; `letter_case` is about upper and lower case."""

from __future__ import annotations

import re
from collections import defaultdict

import numpy as np

from pellucid import _core
from pellucid.base.errors import count
from pellucid.quality.checks._reading import Reading, readings
from pellucid.quality.checks._saying import joined, said
from pellucid.quality.checks.registry import register_check
from pellucid.quality.column import TableStats
from pellucid.quality.findings import Finding, Fix

_DAMERAU = 2  # the kernel's number for letters put in, left out, changed or swapped with the next
_SYMBOL = re.compile(r"[^\w\s]|_")
_DIGITS = re.compile(r"\d+")
_WORD = re.compile(r"[^\W\d_]+")
_LETTERS = re.compile(r"[^\W\d_]{3}")
_CODE = re.compile(r"\d[^\W\d_]|[^\W\d_]\d")  # letters and digits in one word
_CAPITALS_INSIDE = re.compile(r"[a-z][A-Z]")  # GasA, FuseP: abbreviations, of which each letter counts
_NEGATIONS = ("un", "in", "im", "il", "ir", "a", "an", "non", "non-", "dis", "de", "re", "mis")
SHORTEST = 5  # letters of a word from which on a slip is likelier than another word
MOST_REPEATED = 3.0  # rows per value up to which a slip is likely: the same one is rarely made again and again
SHOWN = 3  # pairs of values in an explanation


def spelling_finding(
    check: str,
    read: Reading,
    after: dict[int, int],
    words: str,
    fix: Fix | None = None,
    is_doubtful: bool = False,
) -> Finding:
    """Distinct values (by place) that should be another: which, where, and a replacement."""
    column = read.column
    which = np.zeros(len(column.values), dtype=bool)
    which[list(after)] = True
    indices = sorted(after, key=lambda i: -int(column.counts[i]))
    pairs = [(column.texts[i], column.texts[after[i]]) for i in indices]
    examples = [
        f"{said(column.texts[i])} ({count(int(column.counts[i]), 'row')}) for {said(column.texts[after[i]])} "
        f"({count(int(column.counts[after[i]]), 'row')})"
        for i in indices[:SHOWN]
    ]
    if fix is None:
        fix = Fix("merge_values", (column.name,), {"pairs": [list(pair) for pair in pairs]})
    more = [f"{len(indices) - SHOWN:,} more"] if len(indices) > SHOWN else []
    text = f"{words}: {joined([*examples, *more])}"
    return Finding(check, "warning", (column.name,), column.rows_of(which), text, fix, is_doubtful)


def is_wordy(read: Reading) -> bool:
    return read.column.is_text and read.role in ("category", "flag", "identifier")


@register_check("stray_characters")
def stray_characters(stats: TableStats, *, ratio: float = 2.0) -> list[Finding]:
    """Values that equal one ``ratio`` times as frequent once symbols are left out: New York* for New York."""
    findings = []
    for read in readings(stats):
        if not is_wordy(read):
            continue
        column, nothing = read.column, read.nothing.tolist()
        marked = [
            not is_nothing and _SYMBOL.search(text) is not None
            for text, is_nothing in zip(read.texts, nothing, strict=True)
        ]
        if not any(marked):
            continue
        plain: dict[str, int] = {}  # text without symbols -> the most frequent value that says it
        for i in np.argsort(column.counts, kind="stable").tolist():
            if not nothing[i] and not marked[i]:
                plain[read.texts[i]] = i
        after, symbols = {}, set()
        for i in np.flatnonzero(marked).tolist():
            text = read.texts[i]
            bare = " ".join(_SYMBOL.sub("", text).split())
            is_word = _LETTERS.search(bare) is not None and _CODE.search(bare) is None
            base = plain.get(bare) if is_word else None  # the sign of A+ or Qxe5+ has a meaning
            if base is not None and column.counts[base] >= ratio * column.counts[i]:
                after[i] = base
                symbols.update(_SYMBOL.findall(text))
        if after:
            findings.append(
                spelling_finding(
                    "stray_characters", read, after, "may have stray characters", _removal(read, after, symbols)
                )
            )
    return findings


def _removal(read: Reading, after: dict[int, int], symbols: set[str]) -> Fix | None:
    """Leaving the characters out, if no other value has them; else None, and each value is replaced by itself."""
    used = set().union(*(set(_SYMBOL.findall(text)) for i, text in enumerate(read.texts) if i not in after))
    if symbols & used:
        return None
    return Fix("remove_characters", (read.column.name,), {"characters": "".join(sorted(symbols))})


@register_check("misspellings")
def misspellings(stats: TableStats, *, ratio: float = 10.0, often: int = 5, most: int = 2) -> list[Finding]:
    """Rare values one slip (two, in long words) from one ``ratio`` times as frequent that occurs ``often``."""
    findings = []
    for read in readings(stats):
        if not is_wordy(read) or read.role == "flag" or read.is_identifier:
            continue
        after = _slips(read, ratio, often, most)
        if after:
            n_rows = sum(int(read.column.counts[i]) for i in after)
            repeat = n_rows > MOST_REPEATED * len(after)
            findings.append(spelling_finding("misspellings", read, after, "may be a misspelling", is_doubtful=repeat))
    return findings


def _slips(read: Reading, ratio: float, often: int, max_edits: int) -> dict[int, int]:
    """Place of a rare value -> place of the frequent one that it seems to mean.

    Two words within k slips share a word that each gives by leaving out at most k letters. So the frequent words are
    filed under all words they give, and each rare one is looked up under those that it gives.
    """
    counts = read.column.counts.tolist()
    words = [text.casefold() for text in read.texts]
    usable = [
        i
        for i, text in enumerate(read.texts)
        if not read.nothing[i] and len(text) >= 4 and _has_letters(words[i]) and not _CAPITALS_INSIDE.search(text)
    ]
    frequent = [i for i in usable if counts[i] >= often]
    most_rows: dict[str, int] = {}
    for i in frequent:
        most_rows[words[i]] = max(counts[i], most_rows.get(words[i], 0))
    largest = max((counts[i] for i in frequent), default=0)
    # In upper or lower case it may be another frequent word: NEUROLOGY is no misspelling of Nephrology.
    rare = [i for i in usable if counts[i] * ratio <= largest and counts[i] >= most_rows.get(words[i], 0)]
    far = max_edits if len(rare) * len(frequent) <= 4_000_000 else 1
    filed = defaultdict(list)
    for i in frequent:
        for key in _shortened(words[i], _allowed(words[i], far)):
            filed[key].append(i)
    # One slip leaves the beginning or the end of a word of ten letters as it is: most words need no further look.
    starts, ends = {words[i][:4] for i in frequent}, {words[i][-4:] for i in frequent}
    after = {}
    for i in rare:
        if far == 1 and len(words[i]) >= 10 and words[i][:4] not in starts and words[i][-4:] not in ends:
            continue
        best, nearest = -1, far + 1
        near = {j for key in _shortened(words[i], _allowed(words[i], far)) for j in filed.get(key, ())}
        for j in sorted(near, key=lambda j: -counts[j]):
            if counts[j] < counts[i] * ratio * _strength(words[i], words[j]) or not _could_slip(words[i], words[j]):
                continue
            distance = _core.edit_distance(words[i], words[j], _DAMERAU, nearest)
            if 0 < distance < nearest and distance <= _allowed(words[j], far):
                best, nearest = j, distance
        if best >= 0:
            after[i] = best
    return after


def _has_letters(word: str) -> bool:
    return sum(map(str.isalpha, word)) >= 4


def _allowed(word: str, max_edits: int) -> int:
    """One slip in words of four letters or more, two in those of nine or more."""
    return min(max_edits, 2 if len(word) >= 9 else 1)


def _strength(rare: str, frequent: str) -> float:
    """Singular and plural may both be meant: they must differ more in how often they occur."""
    return 3.0 if rare.rstrip("s") == frequent.rstrip("s") else 1.0


def _could_slip(rare: str, frequent: str) -> bool:
    """Another number is another thing, a code or an opposite is too, and people rarely get the first letter wrong."""
    if (
        _CODE.search(rare)
        or _CODE.search(frequent)
        or _are_opposites(rare, frequent)
        or _differ_in_a_word(rare, frequent)
    ):
        return False
    if _DIGITS.findall(rare) != _DIGITS.findall(frequent):
        return False
    if _SYMBOL.sub("", rare).split() == _SYMBOL.sub("", frequent).split():  # stray characters, found elsewhere
        return False
    return rare[0] == frequent[0] or rare[1:2] == frequent[:1] or frequent[1:2] == rare[:1]


def _are_opposites(first: str, second: str) -> bool:
    """finished and unfinished, moral and immoral."""
    shorter, longer = sorted((first, second), key=len)
    return any(longer == prefix + shorter for prefix in _NEGATIONS)


def _differ_in_a_word(one: str, other: str) -> bool:
    """Of names of several words, is one word another one, as in very good and very poor, rather than misspelled?"""
    first, second = _WORD.findall(one), _WORD.findall(other)
    if len(first) != len(second):
        return False
    differing = [(a, b) for a, b in zip(first, second, strict=True) if a != b]
    for a, b in differing:
        allowed = _allowed(min(a, b, key=len), 2)
        if min(len(a), len(b)) < SHORTEST or _core.edit_distance(a, b, _DAMERAU, allowed + 1) > allowed:
            return True
    return len(differing) > 1


def _shortened(word: str, letters: int) -> set[str]:
    spellings = {word}
    edge = {word}
    for _ in range(letters):
        edge = {w[:i] + w[i + 1 :] for w in edge for i in range(len(w))}
        spellings |= edge
    return spellings
