"""Values that differ in upper and lower case only, where case carries no meaning.

In words, case is a matter of style: berlin, Berlin and BERLIN are one town. In symbols and codes it is not: m and M are
meter and mega, a and A two alleles or two keys, Co and CO an element and a compound, 72801c and 72801C two products.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from itertools import zip_longest

from pellucid.quality.checks._reading import Reading, readings
from pellucid.quality.checks.registry import register_check
from pellucid.quality.checks.spelling import is_wordy, spelling_finding
from pellucid.quality.column import TableStats
from pellucid.quality.findings import Finding
from pellucid.quality.semantic_types.names import name_words

_WORD = re.compile(r"[^\W_]+")
_ADDRESS = re.compile(r"^/|\\|://")  # paths and commands
_CODE = re.compile(r"\d[^\W\d_]|[^\W\d_]\d")  # letters and digits in one word
_ROMAN = re.compile(r"(?=[ivxlcdm])m{0,3}(cm|cd|d?c{0,3})(xc|xl|l?x{0,3})(ix|iv|v?i{0,3})")
_SEQUENCE = re.compile(r"[acgtun*.-]+")  # of nucleotides, where lower case marks repeats
_SYMBOL_NAMES = frozenset(
    {"unit", "units", "uom", "einheit", "einheiten", "symbol", "symbols", "allele", "key", "keys"}
)
_SEXES = frozenset("mfdxu")
_SHORTEST = 3  # letters of a word
_SHORTEST_BESIDE_CODES = 5
_USUAL = 0.9  # share of the rows from which on one way of writing is the usual one
_MANY = 10  # values from which on there is a usual way of writing


@register_check("case_variants")
def case_variants(stats: TableStats) -> list[Finding]:
    """Words that differ in upper and lower case only; not symbols, codes and paths, where case has a meaning."""
    findings = []
    for read in readings(stats):
        if not is_wordy(read) or read.is_identifier:
            continue
        texts = [text for text, is_nothing in zip(read.texts, read.nothing.tolist(), strict=True) if not is_nothing]
        fold = _folding(texts)
        if len({fold(text) for text in texts}) == len(set(texts)):
            continue
        after = _merged(read, fold, _Case.of(read, texts, fold))
        if after:
            findings.append(spelling_finding("case_variants", read, after, "differs in upper and lower case only"))
    return findings


def _folding(texts: Sequence[str]) -> Callable[[str], str]:
    """Lower case; where a dotless i or a dotted I occurs, as in Turkish, in which i and ı are two letters."""
    if any(letter in text for text in texts for letter in "ıİ"):
        return lambda text: text.replace("I", "ı").replace("İ", "i").lower()
    return str.lower


def _merged(read: Reading, fold: Callable[[str], str], case: _Case) -> dict[int, int]:
    """Place of a value -> place of the more frequent one that differs from it in case only."""
    groups = defaultdict(list)
    for i, text in enumerate(read.texts):
        if not read.nothing[i]:
            groups[fold(text)].append(i)
    after = {}
    for members in groups.values():
        best = max(members, key=lambda i: (int(read.column.counts[i]), -i))
        for i in members:
            if read.texts[i] != read.texts[best] and case.may_be_style(read.texts[i], read.texts[best]):
                after[i] = best
    return after


class _Case:
    """How a column uses upper and lower case.

    shortest : letters that a word needs for its case to be style
    usual : "upper" or "lower", if nearly all of many values are written so; else ""
    always : is case style in all values, as in m and M for male?
    never : has case a meaning in all values?
    """

    def __init__(self, shortest: int, usual: str, always: bool, never: bool) -> None:
        self.shortest, self.usual, self.always, self.never = shortest, usual, always, never

    @classmethod
    def of(cls, read: Reading, texts: Sequence[str], fold: Callable[[str], str]) -> _Case:
        folded = {fold(text) for text in texts}
        codes = sum(_CODE.search(text) is not None for text in folded) >= 0.2 * len(folded)
        symbols = bool(_SYMBOL_NAMES.intersection(name_words(read.column.name)))
        shortest = _SHORTEST_BESIDE_CODES if codes or symbols else _SHORTEST
        always = folded <= _SEXES and {"m", "f"} <= folded
        return cls(shortest, _usual_style(read), always, all(map(_SEQUENCE.fullmatch, folded)))

    def may_be_style(self, first: str, second: str) -> bool:
        """May two texts that differ in case only be one thing?"""
        if self.always or self.never or _ADDRESS.search(first):
            return self.always
        pairs = zip_longest(_WORD.findall(first), _WORD.findall(second), fillvalue="")
        differing = [(a, b) for a, b in pairs if a != b]
        if any(_CODE.search(a + b) for a, b in differing):
            return False
        return any(self._is_style(a, b) for a, b in differing)

    def _is_style(self, first: str, second: str) -> bool:
        if len(first) >= self.shortest:
            is_plain = len(first) > 4 or (_style(first) != "" and _style(second) != "")
            return is_plain and _ROMAN.fullmatch(first.lower()) is None
        return len(first) == 2 and self.usual != "" and {_style(first), _style(second)} == {"upper", "lower"}


def _style(text: str) -> str:
    """How a word is written: "upper", "lower" or "title"; "" if capitals stand inside."""
    return "upper" if text.isupper() else "lower" if text.islower() else "title" if text.istitle() else ""


def _usual_style(read: Reading) -> str:
    """In upper or in lower case, if nearly all rows of a column with many values are written so."""
    rows: Counter[str] = Counter()
    for text, times, is_nothing in zip(read.texts, read.column.counts.tolist(), read.nothing.tolist(), strict=True):
        rows[_style(text)] += 0 if is_nothing else times
    style, often = rows.most_common(1)[0]
    is_usual = read.n_distinct >= _MANY and often >= _USUAL * read.n_content
    return style if is_usual and style in ("upper", "lower") else ""
