"""Values that may stand for nothing: N/A, unknown, ERROR, test, -999, 0 where nothing can be 0."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np

from pellucid.base.types import Array, Flags
from pellucid.quality.checks._reading import Reading, readings
from pellucid.quality.checks._saying import joined, percent, quoted, said, stored
from pellucid.quality.checks.registry import register_check
from pellucid.quality.column import TableStats
from pellucid.quality.findings import Finding, Fix, Severity
from pellucid.quality.formats import is_dummy
from pellucid.quality.lossless import Texts, are_signs

# Words that may well be a category of their own: no alarm of a building, "none" of the payments.
_MEANT = frozenset({"none", "nil", "not applicable", "unspecified", "no answer", "blank", "empty", ".", "*", "_", "-"})
# What programs write where a number is missing. A column of numbers that stays far from them has no other use for them.
_CODES = (-1.0, -9.0, -99.0, -999.0, -9999.0, -99999.0, 99.0, 999.0, 9999.0, 99999.0, 999999.0, 9999999.0, 99999999.0)
# The same with decimals, as loggers and climate stations write them; positive ones may be prices and percentages.
_DECIMAL_CODES = (-9.99, -99.9, -99.99, -999.25, -999.9, -999.99, -9999.9, -9999.99, 999.9, 999.99, 9999.9, 9999.99)
_ALL_CODES = (*_CODES, *_DECIMAL_CODES)


@register_check("placeholders")
def placeholders(stats: TableStats) -> list[Finding]:
    """Words and signs that may stand for a missing value: N/A, null, unknown, ERROR, ?, blanks."""
    findings = []
    for read in readings(stats):
        column = read.column
        if not column.is_text or not read.nothing.any():
            continue
        levels = read.semantic.levels if read.semantic is not None else ()  # of a scale such as none, mild, severe
        which = read.nothing & ~np.array([value in levels for value in column.values.tolist()], dtype=bool)
        if read.role in ("category", "flag", "identifier", "text"):
            is_ambiguous = which & _may_be_meant(read)
            findings += _words(
                read, is_ambiguous, "note", "may stand for a missing value, or be a value like the others"
            )
            findings += _words(read, which & ~is_ambiguous, "warning", "may stand for a missing value")
        else:
            zeros = which & np.array([text.lower() in _ZEROS for text in read.texts], dtype=bool)
            kind = "times" if read.role == "time" else "numbers"
            among = f" among {kind}" if (~read.nothing).any() else ""
            findings += _words(read, zeros, "note", "may stand for a missing value, or for 0")
            findings += _words(read, which & ~zeros, "warning", f"seems to stand for a missing value{among}")
    return findings


_SHORT = frozenset({"na", "nan", "nat", "nil", "null", "none", "error", "tbd", "tba", "invalid"})  # may be codes, names
_ZEROS = frozenset({"none", "nil"})


def _may_be_meant(read: Reading) -> Flags:
    if are_signs(Texts(read.column.texts, read.column.counts.tolist(), read.n_content)) or _are_marks(read):
        return np.ones(len(read.texts), dtype=bool)
    is_ambiguous = np.array([text.lower() in _MEANT for text in read.texts], dtype=bool)
    short = np.array([text.lower() in _SHORT for text in read.texts], dtype=bool)
    is_ambiguous |= short & (_written_like_others(read) | _shaped_like_codes(read))
    if read.role in ("identifier", "text"):  # a sign is no name, but a word may be one: the group Blank
        is_ambiguous &= np.array([any(map(str.isalpha, text)) for text in read.texts], dtype=bool)
    return is_ambiguous


def _are_marks(read: Reading) -> bool:
    """Are nearly all other values made of punctuation alone, as Morse codes and annotations of moves are?"""
    texts = [text for text, is_nothing in zip(read.texts, read.nothing.tolist(), strict=True) if not is_nothing]
    return len(texts) >= 3 and sum(not any(map(str.isalnum, text)) for text in texts) >= 0.8 * len(texts)


def _written_like_others(read: Reading) -> Flags:
    """Which values are written as nearly all others are: NA among codes of countries, Null among names?"""
    contents = [text for text, is_nothing in zip(read.texts, read.nothing.tolist(), strict=True) if not is_nothing][
        :2000
    ]
    none = np.zeros(len(read.texts), dtype=bool)
    if len(contents) < 2:
        return none
    if sum(text.istitle() and not any(map(str.isdigit, text)) for text in contents) >= 0.8 * len(contents):
        return np.array([text.istitle() for text in read.texts], dtype=bool)
    lengths = sorted(map(len, contents))
    short = all(text.isalpha() for text in contents) and lengths[0] == lengths[-1]
    if not short and (len(contents) < 3 or lengths[len(contents) // 2] > _LONGEST_CODE):
        return none
    if sum(text.isascii() and _TOKEN.fullmatch(text) is not None for text in contents) < 0.9 * len(contents):
        return none
    cases = Counter(map(_case, contents))
    return np.array(
        [lengths[0] <= len(text) <= lengths[-1] and cases[_case(text)] >= 0.2 * len(contents) for text in read.texts],
        dtype=bool,
    )


def _shaped_like_codes(read: Reading) -> Flags:
    """Which values have the length and capitals of codes that recur, even if other values are words: NA beside DE, FR
    and "other country"?"""
    recurring = Counter(
        (len(text), _case(text))
        for text, n, is_nothing in zip(read.texts, read.column.counts.tolist(), read.nothing.tolist(), strict=True)
        if n > 1 and not is_nothing and text.isascii() and text.isalpha()
    )
    return np.array(
        [
            (len(text) == 2 or text.isupper()) and text.isalpha() and recurring[len(text), _case(text)] >= _RECURRING
            for text in read.texts
        ],
        dtype=bool,
    )


_RECURRING = 3  # codes of one shape
_LONGEST_CODE = 5  # letters and digits of the middle one of codes, symbols and abbreviations
_TOKEN = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]*")


def _case(text: str) -> str:
    return "upper" if text.isupper() else "lower" if text.islower() else "mixed"


def _words(read: Reading, which: Flags, severity: Severity, meaning: str) -> list[Finding]:
    if not which.any():
        return []
    column = read.column
    if which.sum() > 1:
        meaning = meaning.replace("seems", "seem").replace("a missing value", "missing values")
        meaning = meaning.replace("be a value", "be values")
    text = f"{quoted(column, which)} {meaning}"
    fix = Fix("to_missing", (column.name,), {"values": stored(column, which)})
    return [Finding("placeholders", severity, (column.name,), column.rows_of(which), text, fix)]


@register_check("dummies")
def dummies(stats: TableStats) -> list[Finding]:
    """Values that people type to fill a field: test, xxx, John Doe, email@example.com, 000-000-0000."""
    findings = []
    for read in readings(stats):
        column = read.column
        if not column.is_text or read.role in ("number", "time", "flag"):
            continue
        which = np.array([is_dummy(text) for text in read.texts], dtype=bool)
        which &= ~_digits_by_chance(read)
        if read.share(which) > 0.5:  # what most rows hold is no stand-in
            continue
        words = np.array([text.isalpha() for text in read.texts], dtype=bool)
        if read.share(which & words) > 0.05:  # so frequent a word is a category: train and test
            which &= ~words
        # Where every row has a name of its own, or all are written alike, a short word may be one: the group ABC.
        doubtful = which & words & (_written_like_others(read) | (read.role in ("identifier", "text")))
        findings += _typed(read, which & ~doubtful, "warning", "looks like something typed to fill the field")
        findings += _typed(read, doubtful, "note", "may be something typed to fill the field, or a name")
    return findings


def _digits_by_chance(read: Reading) -> Flags:
    """Digits that may be all the same or count up by chance, as 11111111 is one of 256 strings of eight bits."""
    digits = ["".join(filter(str.isdigit, text)) for text in read.texts]
    n_symbols = len(set("".join(digits)))
    rare = [not text or read.n_content * float(n_symbols) ** (1 - len(text)) < 0.01 for text in digits]
    return ~np.array(rare, dtype=bool)


def _typed(read: Reading, which: Flags, severity: Severity, words: str) -> list[Finding]:
    if not which.any():
        return []
    column = read.column
    fix = Fix("to_missing", (column.name,), {"values": stored(column, which)})
    text = f"{words}: {quoted(column, which)}"
    return [Finding("dummies", severity, (column.name,), column.rows_of(which), text, fix)]


@register_check("missing_codes")
def missing_codes(stats: TableStats, *, gap: float = 5.0, times: int = 2) -> list[Finding]:
    """Numbers such as -999 that stand for missing ones: found ``times`` times, ``gap`` spreads off all others."""
    findings = []
    for read in readings(stats):
        if not read.is_measure or read.n_distinct < 5:
            continue
        numbers, counts = read.value_numbers, read.column.counts
        for code in _codes_at_ends(read):
            which = numbers == code
            other_numbers = numbers[~which & np.isfinite(numbers)]
            if (
                int(counts[which].sum()) < times
                or len(other_numbers) < 4
                or np.isin(other_numbers, _ALL_CODES).sum() > len(other_numbers) / 2
            ):
                continue
            low, high = float(other_numbers.min()), float(other_numbers.max())
            spread = max(float(np.subtract(*np.percentile(other_numbers, [75, 25]))), 1e-300)
            whole_side = code < 0 <= low and abs(code) >= 9
            far = code < low - gap * spread or code > high + gap * spread
            if far or whole_side:
                # Amounts, which are skewed, are often cut off at 99999; an age of 999 is none.
                upper_quartile = float(np.percentile(other_numbers.repeat(counts[~which & np.isfinite(numbers)]), 75))
                cap = code > 0 and (code < 3 * high or high > 4 * upper_quartile)
                severity: Severity = "note" if cap else "warning"
                seems = "seems to stand for a missing value" if which.sum() == 1 else "seem to stand for missing values"
                text = f"{quoted(read.column, which)} {seems}"
                text += " or for all that is larger" if cap else ""
                text += f": all others lie between {said(low)} and {said(high)}"
                fix = Fix("to_missing", (read.column.name,), {"values": stored(read.column, which)})
                rows = read.column.rows_of(which)
                findings.append(Finding("missing_codes", severity, (read.column.name,), rows, text, fix))
    return findings


def _codes_at_ends(read: Reading) -> list[float]:
    """Numbers that may stand for nothing, if they are the least or the largest of all: others lie among the rest."""
    figures = read.column.figures
    finite = figures["ends"] if figures is not None else read.value_numbers[np.isfinite(read.value_numbers)]
    ends = (float(finite.min()), float(finite.max())) if len(finite) else ()
    codes = [code for code in _ALL_CODES if code in ends]
    return [code for code in codes if code.is_integer() or not _usual_decimals(finite, code)]


def _usual_decimals(numbers: Array, code: float) -> bool:
    """Do other numbers have the decimals of this one, as prices that end in .99 have?"""
    other_numbers = numbers[numbers != code]
    same = np.isclose(np.abs(other_numbers) % 1, abs(code) % 1, rtol=0, atol=1e-6)
    return bool(same.mean() > 0.25) if len(same) else False


@register_check("repeated_values")
def repeated_values(stats: TableStats, *, share: float = 0.02, varied: float = 0.5, often: int = 5) -> list[Finding]:
    """One value again and again in a column whose values otherwise hardly repeat: a stand-in for what was not known."""
    findings = []
    for read in readings(stats):
        column = read.column
        if not column.is_text or read.role not in ("identifier", "text", "category") or read.n_content < 50:
            continue
        content = np.where(read.nothing, 0, column.counts)
        which = (content >= often) & (content >= share * read.n_content)
        other_counts = content[~which & (content > 0)]
        few = (
            len(other_counts) < 20 or other_counts.sum() < 0.5 * read.n_content
        )  # beside usual values, rare ones are rare categories
        if not which.any() or which.sum() > 3 or few or len(other_counts) / other_counts.sum() < max(varied, 0.8):
            continue
        text = f"hardly any value repeats, but {joined([said(v) for v in column.values[which].tolist()])} "
        fills, it = ("fill", "they") if which.sum() > 1 else ("fills", "it")
        text += f"{fills} {percent(read.share(which))} of the rows: {it} may stand for a missing value"
        frequent = [text for text, is_one in zip(read.texts, which.tolist(), strict=True) if is_one]
        # One stand-in serves a whole column, and stands out: next to a frequent town or name others are frequent too.
        is_content = len(frequent) > 1 or any(map(_says_something, frequent))
        is_content = is_content or float(other_counts.max()) > _NEXT * float(content[which].min())
        text += f", or {it} may just be frequent" if is_content else ""
        severity: Severity = "note" if is_content else "warning"
        fix = Fix("to_missing", (column.name,), {"values": stored(column, which)})
        findings.append(Finding("repeated_values", severity, (column.name,), column.rows_of(which), text, fix))
    return findings


_NEXT = 0.2  # as many rows as the stand-in has


def _says_something(text: str) -> bool:
    """Different digits that do not just count up: a number that was given out, not one typed to fill a cell."""
    digits = "".join(filter(str.isdigit, text))
    return len(set(digits)) > 1 and digits not in "01234567890123456789"
