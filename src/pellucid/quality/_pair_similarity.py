"""How alike two rows are: each column for itself, and all together.

    ``s = sum_c w_c s_c / sum_c w_c``     over the columns c in which both rows have a value

s_c   text: ``1 - d / max(n, m)``, with d edits between texts of n and m letters (two neighbors that changed places
      are one edit; capitals and repeated blanks do not count). Codes such as 20781: their digits as text. Times: the
      same of the date as 2024-05-31, or the closeness in days if that is more. Other numbers: ``1 - |a - b| / h``, at
      least 0, with h a quarter of the distance between the column's quartiles. Flags: equal or not.
w_c   how telling the cells are, in bits: the mean over both of ``log2(n / count)``, with n rows that have a value,
      count of them this one. A rare surname tells more than a frequent one, and a state next to nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, Literal

import numpy as np

from pellucid import _core
from pellucid.base.types import Array, Flags, Floats
from pellucid.data.kinds import Kind
from pellucid.quality.column import Column

DAMERAU = 2  # the kernel's kind of edit distance
NO_CUTOFF = 2**62
CODE_DIGITS = 4  # whole numbers of so many digits and more are codes: a slip changes a digit, not the size
NEAR_DAYS = 30.0
CROSSED = 0.75  # two columns are taken as swapped when both cells are so alike crosswise
MOST_CROSSED = 8  # columns of text that are tried crosswise

Measure = Literal["text", "code", "time", "number", "flag"]


@dataclass(frozen=True)
class Compared:
    """A column ready to be compared.

    name : the column's
    measure : how its values are compared
    codes : the value of each row, -1 where it is missing
    bits : how telling each value is
    texts : each value as text; empty for numbers and flags
    numbers : each value as a number; empty for text
    spread : difference of numbers that makes them unlike
    """

    name: Any
    measure: Measure
    codes: Array
    bits: Floats
    texts: list[str]
    numbers: Floats
    spread: float = 0.0

    @property
    def has_text(self) -> bool:
        return self.measure in ("text", "code", "time")


def compared(column: Column) -> Compared:
    """Decides how a column is compared, and how telling its values are."""
    measure = _measure(column)
    if measure in ("number", "flag"):
        return _of_numbers(column, measure)
    texts = _as_texts(column, measure)
    text_codes: dict[str, int] = {}
    number = np.array([text_codes.setdefault(text, len(text_codes)) for text in texts], dtype=np.int64)
    codes = _renumber(column.codes, number)
    numbers = np.empty(0)
    if measure == "time":
        numbers = np.full(len(text_codes), np.nan)
        numbers[number] = _days(column.values)
    return Compared(column.name, measure, codes, _bits(codes, len(text_codes)), list(text_codes), numbers, NEAR_DAYS)


def _measure(column: Column) -> Measure:
    if column.stored is Kind.FLAG:
        return "flag"
    if column.stored is Kind.TIME:
        return "time"
    if column.stored is not Kind.NUMBER:
        return "text"
    values = column.numbers[~column.missing]
    is_integer = bool(len(values)) and bool(np.isfinite(values).all()) and bool((values == np.floor(values)).all())
    return "code" if is_integer and np.median(np.abs(values)) >= 10 ** (CODE_DIGITS - 1) else "number"


def _as_texts(column: Column, measure: Measure) -> list[str]:
    if measure == "code":
        return [str(int(value)) for value in column.values.tolist()]
    if measure == "time":
        return [str(value)[:10] for value in column.values.astype(object).tolist()]
    return [" ".join(text.casefold().split()) for text in column.texts]


def _days(values: Array) -> Floats:
    try:
        times = values.astype("datetime64[s]")
    except (TypeError, ValueError):  # spans or times of day: their text must do
        return np.full(len(values), np.nan)
    return np.asarray(times.astype(np.float64) / 86_400)


def _of_numbers(column: Column, measure: Measure) -> Compared:
    numbers = np.array([float(value) for value in column.values.tolist()], dtype=np.float64)
    codes = column.codes.astype(np.int64)
    every = numbers[codes[codes >= 0]]
    finite = every[np.isfinite(every)]
    quarters = np.quantile(finite / 4, [0.25, 0.75]) if len(finite) else np.zeros(2)  # no overflow in their difference
    spread = 0.0 if measure == "flag" else float(quarters[1] - quarters[0])
    return Compared(column.name, measure, codes, _bits(codes, len(numbers)), [], numbers, spread)


def _renumber(codes: Array, number: Array) -> Array:
    return np.append(number, -1)[codes]  # code -1 looks up the last


def _bits(codes: Array, n_values: int) -> Floats:
    counts = np.bincount(codes[codes >= 0], minlength=n_values)
    return np.asarray(np.log2(max(1, counts.sum()) / np.maximum(counts, 1)))


class Comparison:
    """All columns of a table, ready to compare any two rows."""

    def __init__(self, columns: Sequence[Column], missing: str, threads: int) -> None:
        self.columns = [compared(column) for column in columns]
        self.missing = missing
        self.threads = threads
        text_codes: dict[str, int] = {}
        self._of_column = [
            np.array([text_codes.setdefault(text, len(text_codes)) for text in column.texts], dtype=np.int64)
            for column in self.columns
        ]
        self.vocabulary = list(text_codes)

    @cached_property
    def texts(self) -> _core.TextSet:
        """Every text of every column, so that columns can be compared crosswise."""
        return _core.TextSet(self.vocabulary)

    @cached_property
    def lengths(self) -> Array:
        return np.fromiter(map(len, self.vocabulary), dtype=np.int64, count=len(self.vocabulary))

    @cached_property
    def whole(self) -> float:
        """The bits of a row without missing cells: how telling the columns are on average, added up."""
        return float(sum(_mean_bits(column) for column in self.columns))

    def words(self, c: int) -> Array:
        """The text of each row in column c, as its place in the vocabulary; -1 where it is missing."""
        return _renumber(self.columns[c].codes, self._of_column[c])

    def alike(self, left: Array, right: Array) -> tuple[Floats, Floats, Flags]:
        """Similarities and weights, ``[pair, column]``, NaN and 0 where a cell is missing; cells that were swapped."""
        similarity = np.empty((len(left), len(self.columns)))
        weight = np.empty_like(similarity)
        for c, column in enumerate(self.columns):
            similarity[:, c] = self._cells(c, left, right)
            bits = np.append(column.bits, 0.0)
            weight[:, c] = (bits[column.codes[left]] + bits[column.codes[right]]) / 2
        swapped = self._uncross(similarity, left, right)
        self._fill_missing(similarity, weight, left, right)
        return similarity, weight, swapped

    def _cells(self, c: int, left: Array, right: Array) -> Floats:
        column = self.columns[c]
        a, b = column.codes[left], column.codes[right]
        result = np.where(a == b, 1.0, 0.0)
        result[(a < 0) | (b < 0)] = np.nan
        differ = np.flatnonzero(result == 0)
        if not len(differ):
            return result
        if column.has_text:
            words = self.words(c)
            result[differ] = self._edit(words[left[differ]], words[right[differ]])
        if len(column.numbers) and column.spread > 0:
            with np.errstate(invalid="ignore", over="ignore"):
                apart = np.abs(column.numbers[a[differ]] - column.numbers[b[differ]]) / column.spread
            close = np.where(apart < 1, 1 - apart, 0.0)
            result[differ] = np.maximum(result[differ], close)
        return result

    def _edit(self, a: Array, b: Array) -> Floats:
        apart = _core.edit_distances(self.texts, a, b, DAMERAU, NO_CUTOFF, self.threads)
        longer = np.maximum(self.lengths[a], self.lengths[b])
        return 1 - apart / np.maximum(longer, 1)

    def _uncross(self, similarity: Floats, left: Array, right: Array) -> Flags:
        """Two columns of text whose cells changed places in one of the rows are compared crosswise."""
        swapped = np.zeros(similarity.shape, dtype=bool)
        text = [c for c, column in enumerate(self.columns) if column.measure == "text"][:MOST_CROSSED]
        for c, d in combinations(text, 2):
            unlike = np.flatnonzero((similarity[:, c] < CROSSED) & (similarity[:, d] < CROSSED))
            if not len(unlike):
                continue
            first, second = self.words(c), self.words(d)
            across = self._edit(first[left[unlike]], second[right[unlike]])
            back = self._edit(second[left[unlike]], first[right[unlike]])
            crossed = (across >= CROSSED) & (back >= CROSSED)
            where = unlike[crossed]
            similarity[where, c] = similarity[where, d] = (across[crossed] + back[crossed]) / 2
            swapped[where, c] = swapped[where, d] = True
        return swapped

    def _fill_missing(self, similarity: Floats, weight: Floats, left: Array, right: Array) -> None:
        is_missing = np.isnan(similarity)
        if self.missing == "neutral":
            weight[is_missing] = 0.0
            return
        for c, column in enumerate(self.columns):
            rows = np.flatnonzero(is_missing[:, c])
            both = (column.codes[left[rows]] < 0) & (column.codes[right[rows]] < 0)
            similarity[rows, c] = both if self.missing == "equal" else 0.0
            weight[rows, c] = _mean_bits(column)


def _mean_bits(column: Compared) -> float:
    there = column.codes[column.codes >= 0]
    return float(column.bits[there].mean()) if len(there) else 0.0


def together(similarity: Floats, weight: Floats) -> Floats:
    """The weighted mean over columns; of columns that all tell nothing the plain mean; 0 where nothing is compared."""
    there = ~np.isnan(similarity)
    flat = (weight * there).sum(axis=1) <= 0
    weights = np.where(flat[:, None], 1.0, weight) * there
    total = weights.sum(axis=1)
    summed = (weights * np.where(there, similarity, 0.0)).sum(axis=1)
    return np.asarray(np.divide(summed, total, out=np.zeros_like(total), where=total > 0))
