"""Times written as text: which formats a column has, and what each of its values says."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from pellucid.base.types import Array, Flags
from pellucid.quality.checks._sample import sampled
from pellucid.quality.formats import parse_time

_CLOCK = (
    r"(?:(?P<t>t|,?\s+)(?P<h>\d{1,2}):(?P<mi>\d{2})(?P<s>:\d{2})?(?P<f>\.\d{1,9})?"
    r"(?P<p>\s*[ap]\.?m\.?)?(?P<z>\s?(?:z|[+-]\d{2}:?\d{2}))?)?"
)
_WEEKDAY = r"(?P<day>[a-z]{2,9}\.?,?\s+)?"
_NUMERIC = re.compile(rf"(?P<a>\d{{1,4}})(?P<sep>[-/. ])(?P<b>\d{{1,2}})(?P=sep)(?P<c>\d{{4}}|\d{{1,2}}){_CLOCK}")
_MONTH_FIRST = re.compile(
    rf"{_WEEKDAY}(?P<month>[a-zäéû]{{3,9}})(?P<dot>\.?)(?P<s1>[\s-]+)\d{{1,2}}(?:st|nd|rd|th)?(?P<s2>,?[\s-]+|,)\d{{4}}{_CLOCK}"
)
_DAY_FIRST = re.compile(
    rf"{_WEEKDAY}\d{{1,2}}(?:st|nd|rd|th)?(?P<s1>\.?[\s./-]+|)(?P<month>[a-zäéû]{{3,9}})(?P<dot>\.?)"
    rf"(?P<s2>,?[\s./-]+|)(?P<year>\d{{4}}|\d{{2}}){_CLOCK}"
)
_COMPACT = re.compile(r"(?P<y>(?:19|20)\d{2})(?P<m>0[1-9]|1[0-2])(?P<d>0[1-9]|[12]\d|3[01])")
_ONLY_CLOCK = re.compile(r"\d{1,2}:\d{2}(?P<s>:\d{2})?(?P<p>\s*[ap]\.?m\.?)?")


def _clock_format(match: re.Match[str]) -> str:
    if match["h"] is None:
        return ""
    between = "T" if match["t"] == "t" else re.sub(r"\s+", " ", match["t"])
    half = "%I" if match["p"] else "%H"
    after = (" %p" if match["p"].startswith(" ") else "%p") if match["p"] else ""
    zone = (" %z" if match["z"].startswith(" ") else "%z") if match["z"] else ""
    return f"{between}{half}:%M{':%S' if match['s'] else ''}{'.%f' if match['f'] else ''}{after}{zone}"


def time_formats(text: str) -> tuple[str, ...]:
    """All formats in which a text can be read as a time, the likeliest first.

    >>> time_formats("03/04/2020"), time_formats("2020-12-31T10:00"), time_formats("13.14.2020")
    (('%m/%d/%Y', '%d/%m/%Y'), ('%Y-%m-%dT%H:%M',), ())
    """
    text = text.lower()
    match = _NUMERIC.fullmatch(text)
    if match is not None:
        return _numeric_formats(match)
    if text.isdigit():
        return ("%Y%m%d",) if _COMPACT.fullmatch(text) else ()
    match = _MONTH_FIRST.fullmatch(text)
    if match is not None:
        format = f"{_day(match)}%B{match['dot']}{match['s1']}%d{match['s2']}%Y"
        return _if_read(text, re.sub(r"\s+", " ", format) + _clock_format(match))
    match = _DAY_FIRST.fullmatch(text)
    if match is not None:
        year = "%Y" if len(match["year"]) == 4 else "%y"
        format = f"{_day(match)}%d{match['s1']}%B{match['dot']}{match['s2']}{year}"
        return _if_read(text, re.sub(r"\s+", " ", format) + _clock_format(match))
    match = _ONLY_CLOCK.fullmatch(text)
    if match is not None:
        half = "%I" if match["p"] else "%H"
        after = (" %p" if match["p"].startswith(" ") else "%p") if match["p"] else ""
        return _if_read(text, f"{half}:%M{':%S' if match['s'] else ''}{after}")
    return ()


def _day(match: re.Match[str]) -> str:
    return re.sub(r"^[a-z]+", "%a", match["day"]) if match["day"] else ""


def _if_read(text: str, format: str) -> tuple[str, ...]:
    return (format,) if parse_time(text, [format]) is not None else ()


def _numeric_formats(match: re.Match[str]) -> tuple[str, ...]:
    a, b, c, sep = match["a"], match["b"], match["c"], match["sep"]
    clock = _clock_format(match)
    first, second, third = int(a), int(b), int(c)
    orders = []
    if len(a) == 4:
        if 1 <= second <= 12 and 1 <= third <= 31:
            orders.append("%Y{0}%m{0}%d")
        elif 1 <= third <= 12 and 13 <= second <= 31:
            orders.append("%Y{0}%d{0}%m")
    elif len(a) <= 2 and len(c) in (2, 4):
        year = "%Y" if len(c) == 4 else "%y"
        day_first = "%d{0}%m{0}" + year if 1 <= second <= 12 and 1 <= first <= 31 else ""
        month_first = "%m{0}%d{0}" + year if 1 <= first <= 12 and 1 <= second <= 31 else ""
        orders = [day_first, month_first] if sep == "." else [month_first, day_first]
        if len(c) == 2 and len(a) == 2 and sep == "-" and 1 <= second <= 12 and 1 <= third <= 31 and not any(orders):
            orders.append("%y{0}%m{0}%d")
    return tuple(order.format(sep) + clock for order in orders if order)


@dataclass(frozen=True)
class TimeReading:
    """What a column's distinct texts say as times.

    values : the time of each; None where it is none
    formats : the formats, the most frequent first
    format_of : the format of each; "" where it is none
    doubtful : formats for which no value tells the day from the month
    """

    values: list[datetime | None]
    formats: tuple[str, ...]
    format_of: list[str]
    doubtful: tuple[str, ...]

    @property
    def known(self) -> Flags:
        return np.array([time is not None for time in self.values], dtype=bool)


def read_times(texts: list[str], counts: Array) -> TimeReading:
    """The formats of a column's times. Where day and month may stand either way, the values that can be read in one way
    only decide for all of the same form, then those of other forms (not for dots), then the likelier way.

    Of very many texts a few are looked at first; if hardly any is a time, the others are not read."""
    few = sampled(texts)
    if few is not None and read_times([texts[i] for i in few], counts[few]).known.mean() < 0.05:
        return TimeReading([None] * len(texts), (), [""] * len(texts), ())
    options = [time_formats(text) if 4 <= len(text) <= 40 and _has_digit(text) else () for text in texts]
    decided: Counter[str] = Counter()
    open_pairs: defaultdict[tuple[str, ...], int] = defaultdict(int)
    for which, times in zip(options, counts.tolist(), strict=True):
        if len(which) == 1:
            decided[which[0]] += times
        elif which:
            open_pairs[which] += times
    leaning = sum(n if _is_day_first(f) else -n if _is_month_first(f) else 0 for f, n in decided.items())
    choice, doubtful = {}, []
    for pair in open_pairs:
        if any(decided[format] for format in pair):
            choice[pair] = max(pair, key=lambda format: decided[format])
        elif leaning and pair[0][2:3] != ".":  # behind a dot stands the month, whatever is done with strokes
            choice[pair] = next((f for f in pair if (leaning > 0) == _is_day_first(f)), pair[0])
        else:
            choice[pair] = pair[0]
            doubtful.append(pair[0])
    format_of = [which[0] if len(which) == 1 else choice[which] if which else "" for which in options]
    rows: Counter[str] = Counter()
    for format, times in zip(format_of, counts.tolist(), strict=True):
        if format:
            rows[format] += times
    values = [parse_time(text, [format]) if format else None for text, format in zip(texts, format_of, strict=True)]
    return TimeReading(values, tuple(format for format, _ in rows.most_common()), format_of, tuple(doubtful))


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def _is_day_first(format: str) -> bool:
    return format.startswith("%d") and "%m" in format


def _is_month_first(format: str) -> bool:
    return format.startswith("%m")
