"""From what was counted in a column to its profile: the kind by stated rules, and the key figures that the kind has."""

from __future__ import annotations

import datetime
import heapq
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import inf, isfinite, ldexp, nan, sqrt
from typing import Any

import numpy as np

from pellucid import _core
from pellucid.base.errors import count
from pellucid.base.types import Array
from pellucid.data.kinds import Kind
from pellucid.quality.checks._numbers import OWN_NAME, read_numbers
from pellucid.quality.described import (
    ColumnKind,
    ColumnProfile,
    Histogram,
    LengthProfile,
    NumberProfile,
    SkewWord,
    TimeProfile,
    Top,
)
from pellucid.quality.exact import looks_like_codes, tells_decimal_comma
from pellucid.quality.formats import FLAG_PAIRS, is_missing_word, is_plain_number, parse_time
from pellucid.quality.semantic_types import NOT_NUMBERS, SemanticType
from pellucid.quality.semantic_types.conversion import AMOUNTS, TIMES, to_numbers, to_times
from pellucid.stats import Fences, FiveNumbers, Quartiles

TOP = 10  # values listed
BINS = 50  # of a histogram, at most
FEW_ROWS = 20  # with fewer, nothing is concluded from values that are all different
READABLE = 0.95  # share of cells that must read as a number or a time
LONGEST = 100  # no number and no time has more characters
DAYS = {"D": 1.0, "s": 86400.0, "ms": 86400e3, "us": 86400e6, "ns": 86400e9}
_FORMATS = (
    ("%Y-%m-%d",), ("%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M",
     "%Y-%m-%dT%H:%M:%S%z", "%Y-%m-%d %H:%M:%S.%f", "%Y-%m-%dT%H:%M:%S.%f", "%Y-%m-%d"),
    ("%d.%m.%Y", "%d.%m.%Y %H:%M", "%d.%m.%Y %H:%M:%S"), ("%m/%d/%Y", "%m/%d/%Y %H:%M", "%m/%d/%Y %H:%M:%S"),
    ("%d/%m/%Y", "%d/%m/%Y %H:%M", "%d/%m/%Y %H:%M:%S"), ("%Y/%m/%d",), ("%B %d, %Y", "%d %B %Y"),
)  # fmt: skip
_LIKE_A_TIME = re.compile(r"\s*\d{1,4}[-./]\d{1,2}[-./]\d{1,4}.*|.*[a-zA-Z]{3,}.*\d{4}\s*")


@dataclass
class RawStats:
    """What was counted in a column, whether at once or batch by batch.

    numbers : figures of the kernel, for numbers and times
    unit : of times; "" for numbers
    values, counts : of texts, all distinct ones or, if ``complete`` is not, frequent ones
    lengths : texts, blank ones, shortest, longest and sum of the lengths
    rank_error : at most how many ranks a quantile is off
    """

    name: Any
    place: int
    stored: Kind
    rows: int
    missing: int
    distinct: int
    numbers: dict[str, Any] | None = None
    unit: str = ""
    values: Sequence[Any] = ()
    counts: Array = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    complete: bool = True
    top_error: int = 0
    rank_error: float = 0.0
    lengths: tuple[int, int, int, int, int] | None = None


@dataclass(frozen=True)
class Meaning:
    """What the values of a column mean, with its distinct values, from which dates and amounts are converted."""

    semantic: SemanticType
    values: Sequence[Any] | Array
    counts: Array


def describe(facts: RawStats, meaning: Meaning | None = None) -> ColumnProfile:
    """The profile of one column; ``meaning`` is what its values mean, where that was recognized."""
    column = _described(facts)
    if meaning is None:
        return _with_written_numbers(column, facts)
    if column.kind in ("empty", "constant", "flag", "time"):
        return column
    semantic = meaning.semantic
    column = replace(column, semantic=semantic, top=tuple(Top(_whole(t.value), t.count) for t in column.top))
    if semantic.name in NOT_NUMBERS:
        hardly_repeats = column.distinct > column.present / 2 and column.present >= FEW_ROWS
        kind: ColumnKind = "identifier" if semantic.name == "identifier" or hardly_repeats else "nominal"
        return replace(column, kind=kind, numbers=None, reads_as="", notes=_without_reading(column))
    if semantic.name in TIMES:
        return _with_times(column, meaning)
    if column.stored in ("number", "flag"):
        return column
    if semantic.levels:
        return replace(column, kind="ordinal", numbers=None, reads_as="", notes=_without_reading(column))
    return _with_amounts(column, meaning) if semantic.name in AMOUNTS else column


def _whole(value: Any) -> Any:
    """Whole numbers without a point, as columns with missing cells store them."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _without_reading(column: ColumnProfile) -> tuple[str, ...]:
    """Notes that do not speak of reading text as numbers."""
    return tuple(note for note in column.notes if not note.startswith("text that reads as"))


def _with_times(column: ColumnProfile, meaning: Meaning) -> ColumnProfile:
    """Dates that are stored as integers: their range in time; no mean of their digits."""
    times = to_times(meaning.values, meaning.semantic)
    is_time = ~np.isnat(times)
    distinct, codes = np.unique(times[is_time].view(np.int64), return_inverse=True)
    counts = np.bincount(codes, weights=meaning.counts[is_time]).astype(np.int64)
    figures = _core.run_figures(_core.NumberColumn(distinct), counts, TOP, BINS)
    unread = int(meaning.counts[~is_time].sum())
    notes = [f"{count(unread, 'cell')} {'does' if unread == 1 else 'do'} not read as a date"] if unread else []
    return replace(
        column, kind="time", reads_as="time", unread=unread, numbers=None, times=time_profile(figures, "us"),
        notes=(*_without_reading(column), *notes),
    )  # fmt: skip


def _with_amounts(column: ColumnProfile, meaning: Meaning) -> ColumnProfile:
    """Amounts of money and percentages in text: the figures of their numbers, if all of them can be read."""
    values = to_numbers([str(value) for value in meaning.values], meaning.counts)
    if np.isnan(values).any():
        return column
    numbers = number_profile(figures_of(values, meaning.counts))
    note = f"text that reads as {meaning.semantic.name}"
    return replace(column, kind="continuous", reads_as="number", numbers=numbers, notes=(*column.notes, note))


_NUMBER_FIRST = re.compile(r"\s*[^\w\s]?\s*\d")  # letters before a number make a code


def _with_written_numbers(column: ColumnProfile, facts: RawStats) -> ColumnProfile:
    """Numbers with one unit or a decimal comma: their figures, if all of the texts can be read so."""
    is_open = column.kind in ("nominal", "text", "identifier") and facts.stored == Kind.TEXT and facts.complete
    if not is_open or not all(_NUMBER_FIRST.match(str(value)) for value in _sampled(facts.values)):
        return column
    texts = [str(value).strip() for value in facts.values]
    numbers = read_numbers(texts, facts.counts)
    units = set(numbers.unit_of)
    if any(len(unit) == 1 and unit not in OWN_NAME for unit in units):  # the end of a code, as in 72801c
        return column
    is_sure = bool(numbers.known.all()) and len(units) == 1 and not numbers.worded.any() and not numbers.three_digits
    has_comma = numbers.decimal == "," and any(map(tells_decimal_comma, texts))
    if not is_sure or (units == {""} and not has_comma) or looks_like_codes(texts, column.present, numbers.thousands):
        return column
    figures = figures_of(numbers.values, facts.counts)
    number_facts = RawStats(
        facts.name, facts.place, Kind.NUMBER, facts.rows, facts.missing, figures["distinct"], figures
    )
    unit = numbers.units[0].partition("=")[0] if numbers.units else ""
    note = "text that reads as numbers" + (f" in {unit}" if unit else " with a decimal comma")
    return replace(
        column, kind=_kind_of_numbers(number_facts, figures), reads_as="number", numbers=number_profile(figures),
        notes=(*column.notes, note),
    )  # fmt: skip


def _described(facts: RawStats) -> ColumnProfile:
    present = facts.rows - facts.missing
    if present == 0:
        return _profile(facts, "empty")
    if facts.unit and facts.numbers is not None:
        return _of_times(facts, facts.numbers)
    if facts.numbers is not None:
        return _of_numbers(facts, facts.numbers)
    return _of_texts(facts)


def _profile(facts: RawStats, kind: ColumnKind, **more: Any) -> ColumnProfile:
    notes = list(more.pop("notes", ()))
    if not facts.complete:
        notes.append("too many distinct values to keep: their number is estimated (standard error 0.8 %)")
    if facts.rank_error:
        notes.append("quantiles and histogram are from a thinned-out stream")
    return ColumnProfile(
        name=facts.name, place=facts.place, kind=kind, stored=str(facts.stored), rows=facts.rows,
        missing=facts.missing, distinct=facts.distinct, distinct_is_estimate=not facts.complete,
        top_error=facts.top_error, notes=tuple(notes), **more,
    )  # fmt: skip


# ------------------------------------------------------------------------------------------------------------ numbers


def _of_numbers(facts: RawStats, figures: dict[str, Any]) -> ColumnProfile:
    numbers = number_profile(figures, facts.rank_error)
    top = _top_of(figures, facts)
    if facts.stored == Kind.FLAG:
        top = tuple(Top(bool(entry.value), entry.count) for entry in top)
    kind = _kind_of_numbers(facts, figures)
    notes = []
    if numbers is not None and numbers.infinite:
        notes.append(f"{count(numbers.infinite, 'infinite value')} left out of the figures")
    return _profile(facts, kind, numbers=numbers, top=top, notes=notes)


def _top_of(figures: dict[str, Any], facts: RawStats) -> tuple[Top, ...]:
    if not facts.complete:
        return frequent(facts.values, facts.counts)
    return tuple(Top(v, n) for v, n in zip(figures["top"].tolist(), figures["top_counts"].tolist(), strict=True))


def _kind_of_numbers(facts: RawStats, figures: dict[str, Any]) -> ColumnKind:
    n, distinct = figures["count"], facts.distinct
    if distinct <= 1:
        return "constant"
    if facts.stored == Kind.FLAG:
        return "flag"
    low, high = (float(end) for end in figures["ends"]) if n else (nan, nan)
    if not figures["whole"] or sum(figures["infinite"]):
        return "continuous"
    return "flag" if distinct == 2 and (low, high) == (0, 1) else "discrete"


def number_profile(figures: dict[str, Any], rank_error: float = 0.0) -> NumberProfile | None:
    """Key figures from what the kernel says; None without a finite number."""
    n = figures["count"]
    if n == 0:
        return None
    low, high = (float(end) for end in figures["ends"])
    variance, sd, skewness, adjusted = _spread(n, figures["squares"], figures["cubes"], figures["exponent"])
    linear = Quartiles(*figures["linear"])
    several = figures["mode_count"] > 1 or n == 1
    modes = tuple(figures["modes"].tolist()) if several else ()
    return NumberProfile(
        count=n,
        infinite=sum(figures["infinite"]),
        mean=figures["mean"],
        variance=variance,
        sd=sd,
        skewness=skewness,
        skewness_adjusted=adjusted,
        modes=modes,
        n_modes=figures["n_modes"] if several else 0,
        skew=skew_word(figures["mean"], modes, figures["n_modes"], high, low),
        quartiles=linear,
        quartiles_halves=Quartiles(*figures["halves"]),
        quartiles_halves_with_median=Quartiles(*figures["halves_with_median"]),
        five_numbers=FiveNumbers(low, *linear, high),
        fences=Fences(linear.upper - linear.lower, *figures["fences"]),
        below_fences=figures["outside"][0],
        above_fences=figures["outside"][1],
        histogram=Histogram(tuple(figures["edges"].tolist()), tuple(figures["bins"].tolist())),
        rank_error=rank_error / n,
    )


def _spread(n: int, squares: float, cubes: float, exponent: int) -> tuple[float, float, float, float]:
    """Variance, standard deviation and both skewnesses from sums of powers in units of 2^exponent."""
    if n < 2:
        return nan, nan, nan, nan
    variance = _scaled(squares / (n - 1), 2 * exponent)
    sd = _scaled(sqrt(squares / (n - 1)), exponent)
    if squares == 0:
        return variance, sd, nan, nan
    g1 = cubes / n / (squares / n) ** 1.5
    return variance, sd, g1, g1 * sqrt(n * (n - 1)) / (n - 2) if n > 2 else nan


def _scaled(value: float, exponent: int) -> float:
    try:
        return ldexp(value, exponent)
    except OverflowError:
        return inf


def skew_word(mean: float, modes: tuple[Any, ...], n_modes: int, high: float, low: float) -> SkewWord | None:
    """The verdict of mean - mode, if all modes say the same. Rounding of the mean is no skew."""
    if not modes or n_modes > len(modes) or not isfinite(mean):
        return None
    slack = 1e-12 * max(abs(high), abs(low))
    signs = {0 if abs(mean - float(mode)) <= slack else 1 if mean > float(mode) else -1 for mode in modes}
    words: dict[int, SkewWord] = {1: "right-skewed", -1: "left-skewed", 0: "symmetric"}
    return words[signs.pop()] if len(signs) == 1 else None


# -------------------------------------------------------------------------------------------------------------- times


def _of_times(facts: RawStats, figures: dict[str, Any]) -> ColumnProfile:
    kind: ColumnKind = "constant" if facts.distinct == 1 else "time"
    top = tuple(Top(time_of(entry.value, facts.unit), entry.count) for entry in _top_of(figures, facts))
    return _profile(facts, kind, times=time_profile(figures, facts.unit), top=top)


def time_profile(figures: dict[str, Any], unit: str) -> TimeProfile:
    first, last = (int(end) for end in figures["ends"])
    days = tuple((edge - first) / DAYS[unit] for edge in figures["edges"].tolist())
    return TimeProfile(
        first=time_of(first, unit),
        last=time_of(last, unit),
        span_days=(last - first) / DAYS[unit],
        histogram=Histogram(days, tuple(figures["bins"].tolist())),
    )


def time_of(stamp: int, unit: str) -> datetime.datetime | str:
    """A point in time; as text where Python has no such year."""
    moment = np.array([stamp], dtype=np.int64).view(f"datetime64[{unit}]")[0]
    calendar_time = moment.astype("datetime64[us]").item()
    return calendar_time if isinstance(calendar_time, datetime.datetime) else str(moment)


# -------------------------------------------------------------------------------------------------------------- texts


def frequent(values: Sequence[Any], counts: Array, n_values: int = TOP) -> tuple[Top, ...]:
    """The most frequent values; among equally frequent ones the first in order."""
    if len(values) > n_values:
        min_count = int(np.partition(counts, len(counts) - n_values)[len(counts) - n_values])
        indices = np.flatnonzero(counts >= min_count).tolist()
    else:
        indices = list(range(len(values)))
    pairs = heapq.nsmallest(n_values, ((-int(counts[i]), _order(values[i]), i) for i in indices))
    return tuple(Top(values[i], -often) for often, _, i in pairs)


def _order(value: Any) -> tuple[int, Any]:
    """Numbers before text, and each in its own order."""
    return (0, value) if isinstance(value, int | float) else (1, str(value))


def _of_texts(facts: RawStats) -> ColumnProfile:
    present = facts.rows - facts.missing
    top = frequent(facts.values, facts.counts)
    lengths = None
    if facts.lengths is not None and facts.stored == Kind.TEXT:
        n, blank, shortest, longest, total = facts.lengths
        lengths = LengthProfile(shortest, longest, total / n, blank)
    more: dict[str, Any] = {"top": top, "lengths": lengths}
    if facts.distinct == 1:
        return _profile(facts, "constant", **more)
    if facts.stored == Kind.ORDERED:
        return _profile(facts, "ordinal", **more)
    if facts.stored == Kind.CATEGORY:
        return _profile(facts, "nominal", **more)
    if is_flag(facts):
        return _profile(facts, "flag", reads_as="flag", notes=["text that reads as yes or no"], **more)
    read = _read_numbers(facts) or _read_times(facts)
    if read is not None:
        return _profile(facts, **read, **more)
    return _profile(facts, _kind_of_texts(facts, present, lengths), **more)


def _kind_of_texts(facts: RawStats, present: int, lengths: LengthProfile | None) -> ColumnKind:
    if present < FEW_ROWS or facts.distinct <= present / 2:
        return "nominal"
    blanks = any(" " in str(value).strip() for value in facts.values[:1000])
    unique = facts.distinct >= (present if facts.complete else 0.98 * present)
    short = lengths is not None and lengths.mean <= 64
    return "identifier" if unique and short and not blanks else "text"


def is_flag(facts: RawStats) -> bool:
    """Two texts that are a pair of words for yes and no."""
    if facts.distinct != 2 or not facts.complete:
        return False
    a, b = (str(value).strip().lower() for value in facts.values)
    return any((a in true and b in false) or (a in false and b in true) for true, false in FLAG_PAIRS)


def _sampled(values: Sequence[Any]) -> list[Any]:
    return list(values[:: max(1, len(values) // 200)])


def _is_number(text: str) -> bool:
    """Numbers as programs write them; leading noughts make a label."""
    text = text.strip()
    bare = text.lstrip("+-")
    return is_plain_number(text) and not (len(bare) > 1 and bare[0] == "0" and bare[1].isdigit())


def _worth_reading(facts: RawStats, reads: Any) -> bool:
    """A look at some of the values before all of them are read."""
    texts = [str(value)[:LONGEST] for value in _sampled(facts.values)]  # a pattern may take for ever on a book
    return sum(bool(reads(text)) or is_missing_word(text) for text in texts) >= READABLE * len(texts)


def _share(facts: RawStats, fits: Array, missing: Array | None = None) -> tuple[bool, int]:
    """Do enough cells read so, those aside that hold a word for a missing value, and how many do not?"""
    total = int(facts.counts.sum())
    good = int(facts.counts[fits].sum())
    words = 0 if missing is None else int(facts.counts[missing & ~fits].sum())
    return good > 0.5 * total and good >= READABLE * (total - words), total - good


def _read_numbers(facts: RawStats) -> dict[str, Any] | None:
    if not _worth_reading(facts, _is_number):
        return None
    texts = [str(value) for value in facts.values]
    fits = np.fromiter((_is_number(text) for text in texts), dtype=bool, count=len(texts))
    enough, unread = _share(facts, fits, np.fromiter(map(is_missing_word, texts), dtype=bool, count=len(texts)))
    if not enough:
        return None
    if not facts.complete:
        note = "text that reads as numbers, judged by frequent values; too many for figures"
        return {"kind": "continuous", "reads_as": "number", "notes": [note]}
    numbers = np.array([float(text) for text, fit in zip(texts, fits, strict=True) if fit])
    figures = figures_of(numbers, facts.counts[fits])
    number_facts = RawStats(
        facts.name, facts.place, Kind.NUMBER, facts.rows, facts.missing, figures["distinct"], figures
    )
    notes = ["text that reads as numbers" + _but(unread)]
    return {
        "kind": _kind_of_numbers(number_facts, figures), "reads_as": "number", "unread": unread,
        "numbers": number_profile(figures), "notes": notes,
    }  # fmt: skip


def _but(unread: int) -> str:
    return f"; {count(unread, 'cell')} {'does' if unread == 1 else 'do'} not" if unread else ""


def figures_of(values: Array, counts: Array) -> dict[str, Any]:
    """The kernel's figures of values with counts, in any order; infinity is left out and counted."""
    finite = np.isfinite(values)
    distinct, codes = np.unique(values[finite] + 0.0, return_inverse=True)
    often = np.bincount(codes, weights=counts[finite], minlength=len(distinct)).astype(np.int64)
    figures = _core.run_figures(_core.NumberColumn(distinct), often, TOP, BINS)
    figures["infinite"] = (int(counts[values == -inf].sum()), int(counts[values == inf].sum()))
    return figures


def _read_times(facts: RawStats) -> dict[str, Any] | None:
    if not _worth_reading(facts, _LIKE_A_TIME.fullmatch):
        return None
    texts = [str(value) for value in facts.values]
    for formats in _FORMATS:
        if not _worth_reading(facts, lambda text, formats=formats: parse_time(text, formats)):
            continue
        times = [parse_time(text, formats) for text in texts]
        fits = np.fromiter((time is not None for time in times), dtype=bool, count=len(times))
        enough, unread = _share(facts, fits)
        if not enough:
            continue
        note = f"text that reads as times ({formats[0]})"
        if not facts.complete:
            return {"kind": "time", "reads_as": "time", "notes": [f"{note}, judged by frequent values"]}
        stamps = np.array([time for time in times if time is not None], dtype="datetime64[us]").view(np.int64)
        order = np.argsort(stamps, kind="stable")
        distinct, first = np.unique(stamps[order], return_index=True)
        often = np.add.reduceat(facts.counts[fits][order].astype(np.int64), first)
        figures = _core.run_figures(_core.NumberColumn(distinct), often, TOP, BINS)
        notes = [note + _but(unread)]
        return {
            "kind": "time", "reads_as": "time", "unread": unread, "times": time_profile(figures, "us"), "notes": notes,
        }  # fmt: skip
    return None
