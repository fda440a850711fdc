"""What a column is about, apart from how it is stored: read once, used by many checks."""

from __future__ import annotations

import re
from datetime import date, datetime
from functools import cached_property
from typing import Any, Literal

import numpy as np

from pellucid.base.types import Array, Flags, Floats
from pellucid.data.kinds import Kind
from pellucid.quality.checks._numbers import NumberReading, read_numbers
from pellucid.quality.checks._times import TimeReading, read_times
from pellucid.quality.column import Column, TableStats
from pellucid.quality.formats import FLAG_PAIRS, is_missing_word, parse_flag, trimmed, without_limit
from pellucid.quality.semantic_types import NOT_NUMBERS, SemanticType, semantic_type
from pellucid.quality.semantic_types.conversion import TIMES, to_times

Role = Literal["number", "time", "flag", "category", "identifier", "text", "empty"]

MOSTLY = 0.7  # a column is about numbers, or times, if so many of its rows that say something are
MEASURED = 10  # different numbers from which on texts such as "<0.5" among them are measurements, not levels
_KEY_NAME = re.compile(
    r"^(?:id|ids|key|uuid|guid|index|idx|rowid|row|unnamed: 0)$|(?:^|[_\s.-])(?:id|uuid|guid|key)$|[a-z]I[Dd]$"
)


class Reading:
    """A column as checks see it. Everything is about distinct values unless it says rows."""

    def __init__(self, column: Column) -> None:
        self.column = column

    @cached_property
    def texts(self) -> list[str]:
        """The distinct values as text without blanks around."""
        return [trimmed(text) for text in self.column.texts]

    @cached_property
    def nothing(self) -> Flags:
        """Values that say nothing: blank, N/A, null, unknown, ..."""
        if not self.column.is_text:
            return np.zeros(len(self.column.values), dtype=bool)
        return np.array([is_missing_word(text) for text in self.texts], dtype=bool)

    @cached_property
    def n_content(self) -> int:
        """Rows that say something."""
        return int(self.column.counts[~self.nothing].sum())

    @cached_property
    def n_distinct(self) -> int:
        """Distinct values that say something."""
        return int((~self.nothing).sum())

    def share(self, which: Any) -> float:
        """The share of the rows that say something with some of the distinct values."""
        return float(self.column.counts[np.asarray(which, dtype=bool) & ~self.nothing].sum()) / max(self.n_content, 1)

    @cached_property
    def as_numbers(self) -> NumberReading:
        """Text read as numbers."""
        return read_numbers(self.texts, np.where(self.nothing, 0, self.column.counts))

    @cached_property
    def as_times(self) -> TimeReading:
        """Text read as times."""
        return read_times(self.texts, np.where(self.nothing, 0, self.column.counts))

    @property
    def semantic(self) -> SemanticType | None:
        """What the values mean, where that was recognized."""
        return semantic_type(self.column)

    @property
    def names_things(self) -> bool:
        """Are the values identifiers or codes, zip codes or phone numbers, whatever their digits?"""
        return self.semantic is not None and self.semantic.name in NOT_NUMBERS

    @property
    def is_integer_time(self) -> bool:
        """Are the values dates or epochs that are written as integers?"""
        return self.semantic is not None and self.semantic.name in TIMES and self.column.is_number

    @cached_property
    def value_numbers(self) -> Floats:
        """Each distinct value as a number, NaN where it is none."""
        if self.column.is_text:
            return self.as_numbers.values
        if self.column.is_number:
            values = self.column.values
            return (
                values.astype(np.float64, copy=False)
                if values.dtype.kind in "biuf"
                else np.array([float(v) for v in values])
            )
        return np.full(len(self.column.values), np.nan)

    @cached_property
    def value_times(self) -> list[datetime | None]:
        """Each distinct value as a time, None where it is none."""
        if self.column.is_text:
            return self.as_times.values
        if self.column.stored is Kind.TIME:
            return [_moment(value) for value in self.column.values]
        if self.is_integer_time:
            return [moment if isinstance(moment, datetime) else None for moment in self.moments.tolist()]
        return [None] * len(self.column.values)

    @cached_property
    def moments(self) -> Array:
        """Each distinct value as a time of NumPy in microseconds, NaT where it is none."""
        values = self.column.values
        if not self.column.is_text and values.dtype.kind == "M":
            return values.astype("datetime64[us]")
        if self.is_integer_time and self.semantic is not None:
            return to_times(values, self.semantic)
        return np.array([np.datetime64("NaT") if t is None else t for t in self.value_times], dtype="datetime64[us]")

    @cached_property
    def value_flags(self) -> Flags:
        """Which distinct values are true or false, or a word for that."""
        if self.column.stored is Kind.FLAG:
            return np.ones(len(self.column.values), dtype=bool)
        if self.column.is_number:
            return np.isin(self.value_numbers, (0.0, 1.0))
        return np.array([parse_flag(text) is not None for text in self.texts], dtype=bool)

    @cached_property
    def numbers(self) -> Floats:
        """Row by row: the number, NaN where it is none."""
        if self.column.is_number:
            return self.column.numbers
        return np.append(self.value_numbers, np.nan)[self.column.codes]

    @cached_property
    def role(self) -> Role:
        if self.column.stored is Kind.FLAG:
            return "flag"
        if self.is_integer_time:
            return "time"
        if self.column.is_number:
            return "number" if not self.column.missing.all() else "empty"
        if self.column.stored is Kind.TIME:
            return "time"
        return self._role_of_text()

    def _role_of_text(self) -> Role:
        if self.n_content == 0:
            return "empty"
        if self.semantic is not None and (self.names_things or self.semantic.levels):
            return "identifier" if self.semantic.name == "identifier" else "category"
        sample = [
            text
            for text, is_nothing in zip(self.texts[:2000], self.nothing[:2000].tolist(), strict=True)
            if not is_nothing
        ]
        digits = sum(any(map(str.isdigit, text)) for text in sample)
        if digits or len(sample) < 50:
            if self.share(self.as_times.known) >= MOSTLY and not self._counts_up and not self._are_pairs:
                return "time"
            if self._is_about_numbers:
                return "number"
        if self._is_about_flags:
            return "flag"
        lengths = np.array([len(text) for text in self.texts])[~self.nothing]
        words = np.array([text.count(" ") + 1 for text in self.texts])[~self.nothing]
        weights = self.column.counts[~self.nothing]
        length, word = float(np.average(lengths, weights=weights)), float(np.average(words, weights=weights))
        varied = self.n_distinct / self.n_content
        if length > 60 or (word >= 5 and varied > 0.3):
            return "text"
        if varied >= 0.9 and self.n_content >= 20:
            return "identifier" if word < 1.5 else "text"
        return "category"

    @cached_property
    def beyond_limits(self) -> Flags:
        """The texts that say that a measurement lies beyond a limit: "<0.5", "80+"."""
        return np.array([without_limit(text) != text for text in self.texts], dtype=bool) & ~self.as_numbers.known

    @cached_property
    def _is_about_numbers(self) -> bool:
        """Most rows are numbers, and the others are few words, not codes of letters and digits."""
        is_number = self.as_numbers.known
        if int(is_number.sum()) >= MEASURED:
            is_number = is_number | self.beyond_limits
        share, n_others = self.share(is_number), int((~is_number & ~self.nothing).sum())
        if share < MOSTLY or (share < 0.9 and n_others > 20) or self.is_code:
            return False
        return not self._are_labels(is_number)

    def _are_labels(self, is_number: Flags) -> bool:
        """Numbers of few things, such as chromosomes 1 to 22, X and Y: the words are as frequent as the numbers. A
        single number beside words, such as 5k and half-marathon, measures nothing."""
        words = ~is_number & ~self.nothing
        numbers = self.as_numbers.values[is_number & ~self.nothing]
        if words.any() and len(numbers) == 1:
            return True
        if not words.any() or len(numbers) > 60 or not (numbers == np.floor(numbers)).all():
            return False
        if not self.as_numbers.plain[is_number & ~self.nothing].all():
            return False
        counts = self.column.counts
        median_count = float(np.median(counts[is_number & ~self.nothing]))
        return median_count >= 3 and bool((counts[words] >= 0.3 * median_count).all())

    @cached_property
    def _is_about_flags(self) -> bool:
        """Words for true and false and nothing else; single letters only as a pair: o, n and t may mean anything."""
        if not 1 < self.n_distinct <= 12 or not bool(self.value_flags[~self.nothing].all()):
            return False
        words = {
            text.lower() for text, is_nothing in zip(self.texts, self.nothing.tolist(), strict=True) if not is_nothing
        }
        if any(len(word) > 1 for word in words):
            return True
        return any(len(words & true) == 1 and len(words & false) == 1 and len(words) == 2 for true, false in FLAG_PAIRS)

    @cached_property
    def _counts_up(self) -> bool:
        """Numbers of eight digits may be dates by chance; all of them are if the column is one of dates."""
        formats = self.as_times.formats
        if formats[:1] != ("%Y%m%d",):
            return False
        return self.share(self.as_times.known) < 0.95

    @cached_property
    def _are_pairs(self) -> bool:
        """Pairs of numbers of which some look like times of day: alleles such as 03:01, 24:02 and 24:02N."""
        if any(re.search("%[djbB]", format) for format in self.as_times.formats):
            return False
        digits = np.array([any(map(str.isdigit, text)) for text in self.texts], dtype=bool)
        return self.share(digits & ~self.as_times.known & ~self.nothing) > 0.05

    @cached_property
    def is_code(self) -> bool:
        """Digits that name something: with leading noughts, or of one length, long and nearly all different."""
        content = [text for text, is_nothing in zip(self.texts, self.nothing.tolist(), strict=True) if not is_nothing]
        integers = [text for text in content if text.isdigit()]
        if not integers:
            return False
        if any(len(text) > 1 and text[0] == "0" for text in integers) and not any("." in text for text in content):
            lengths = {len(text) for text in integers}
            return len(lengths) <= 2 or sum(text[0] == "0" for text in integers) > 0.02 * len(integers)
        return (
            len({len(text) for text in integers}) == 1
            and len(integers[0]) >= 5
            and len(integers) > 0.5 * self.n_content > 10
        )

    @cached_property
    def is_identifier(self) -> bool:
        """Nearly all rows differ, and the values are names or whole numbers that count, not measurements."""
        column = self.column
        if self.n_content < 10 or self.role in ("time", "flag", "empty", "text"):
            return False
        if self.semantic is not None:
            return self.semantic.name == "identifier"
        varied = self.n_distinct / self.n_content
        if self.role == "number":
            figures = column.figures
            if figures is not None and (not figures["whole"] or any(figures["infinite"])):
                return False
            numbers = self.value_numbers[~np.isnan(self.value_numbers)]
            if not np.isfinite(numbers).all() or (numbers != np.floor(numbers)).any():
                return False
            if named_as_key(column.name):
                return varied > 0.5
            steps = np.diff(column.numbers[~column.missing]) if column.is_number else np.array([])
            return bool(varied == 1.0 and len(steps) and (steps == steps[0]).all())
        return varied >= 0.9 or (named_as_key(column.name) and varied > 0.5)

    @cached_property
    def is_measure(self) -> bool:
        """Numbers that can be compared and averaged, not codes or keys."""
        if self.role != "number" or self.is_identifier or self.names_things:
            return False
        if self.semantic is not None:
            return self.semantic.name != "time_of_day"
        return not (named_as_key(self.column.name) and bool((self.value_numbers % 1 == 0).all()))


def _moment(value: Any) -> datetime | None:
    """A stored time in universal time, without a zone; None for durations and for times beyond the calendar."""
    if isinstance(value, np.datetime64):
        moment = value.astype("datetime64[us]").item()
        return moment if isinstance(moment, datetime) else None
    if isinstance(value, datetime):
        ahead = value.utcoffset()
        return value.replace(tzinfo=None) - ahead if ahead is not None else value.replace(tzinfo=None)
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day)
    return None


def named_as_key(name: Any) -> bool:
    """Does the column's name say that it holds keys: id, product_id, userId, index?

    >>> [named_as_key(name) for name in ("id", "Product ID", "userId", "paid", "STORE_ID", "humid")]
    [True, True, True, False, True, False]
    """
    text = str(name).strip()
    return _KEY_NAME.search(text) is not None or _KEY_NAME.search(text.lower()) is not None


def reading(column: Column) -> Reading:
    """The reading of a column, made once and kept with it."""
    cached = vars(column).get("_reading")
    if not isinstance(cached, Reading):
        vars(column)["_reading"] = cached = Reading(column)
    return cached


def readings(stats: TableStats) -> list[Reading]:
    return [reading(column) for column in stats]


def codes_of(column: Column) -> Array:
    """Row by row: which distinct value that says something, -1 where there is none."""
    renumbered = np.where(reading(column).nothing, -1, np.arange(len(column.values)))
    return np.append(renumbered, -1)[column.codes]
