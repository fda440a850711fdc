"""Summaries of columns that can be merged: a file may be read batch by batch, in memory that does not grow with it.

What is exact always: rows, missing and infinite values, mean, variance and skewness (up to rounding), both ends,
lengths of texts. What is exact while a column has at most ``exact`` distinct values (200,000 unless told): distinct
values, top values, modes, quantiles, histogram. Beyond that quantiles come from thinned-out points with a bound on the
error of their ranks (`NumberProfile.rank_error`), the number of distinct values is estimated by HyperLogLog (standard
error 0.8 %), and top values have counts that are too small by at most `ColumnProfile.top_error`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import frexp, ldexp
from typing import Any

import numpy as np

from pellucid import _core
from pellucid.base.errors import DataError, format_message
from pellucid.base.types import Array
from pellucid.data.coding import objects
from pellucid.data.kinds import Kind
from pellucid.quality._describe import BINS, TOP, Meaning, RawStats, describe
from pellucid.quality._sketch import (
    FREQUENT,
    Frequent,
    Points,
    distinct_of,
    hash_numbers,
    merge_runs,
    registers_of,
)
from pellucid.quality.column import Column
from pellucid.quality.described import ColumnProfile
from pellucid.quality.semantic_types.semantic_type import semantic_type_of_numbers, semantic_type_of_texts

__all__ = ["ColumnSummary"]

EXACT = 200_000  # distinct values that are kept
CHARACTERS = 20_000_000  # of the distinct texts that are kept
LONG = 1_000  # longer texts are not listed among the most frequent once there are too many


@dataclass(frozen=True)
class Moments:
    """Count, mean, and the sums of squares and cubes of the deviations from it, in units of ``2^exponent``."""

    count: int
    mean: float
    squares: float
    cubes: float
    exponent: int

    def merge(self, other: Moments) -> Moments:
        """Chan, Golub, LeVeque (1983); the third power by Pébay (2008)."""
        if self.count == 0 or other.count == 0:
            return other if self.count == 0 else self
        half = other.mean / 2 - self.mean / 2
        e = max(self.exponent, other.exponent, frexp(half)[1] + 1 if half else -2000)
        a2, b2 = ldexp(self.squares, 2 * (self.exponent - e)), ldexp(other.squares, 2 * (other.exponent - e))
        a3, b3 = ldexp(self.cubes, 3 * (self.exponent - e)), ldexp(other.cubes, 3 * (other.exponent - e))
        na, nb = self.count, other.count
        n, d = na + nb, ldexp(half, 1 - e)
        squares = a2 + b2 + d * d * (na * (nb / n))
        cubes = a3 + b3 + d**3 * (na * (nb / n)) * ((na - nb) / n) + 3 * d * ((na / n) * b2 - (nb / n) * a2)
        return Moments(n, self.mean + 2 * (half * (nb / n)), squares, cubes, e)


@dataclass(frozen=True)
class Tally:
    """Distinct values once there are too many of them: how many by HyperLogLog, and the frequent ones."""

    registers: Array
    frequent: Frequent

    def merge(self, other: Tally) -> Tally:
        return Tally(np.maximum(self.registers, other.registers), self.frequent.merge(other.frequent))

    @staticmethod
    def of(values: Sequence[Any] | Array, counts: Array, hashes: Array) -> Tally:
        error = 0
        indices = np.arange(len(values))
        if len(values) > FREQUENT:
            order = np.argpartition(counts, len(counts) - FREQUENT - 1)
            error = int(counts[order[len(counts) - FREQUENT - 1]])
            indices = np.sort(order[-FREQUENT:])
            indices = indices[counts[indices] > error]
        listed = values[indices].tolist() if isinstance(values, np.ndarray) else [values[i] for i in indices.tolist()]
        frequent = {
            value: n - error
            for value, n in zip(listed, counts[indices].tolist(), strict=True)
            if not isinstance(value, str) or len(value) <= LONG
        }
        return Tally(registers_of(hashes), Frequent(frequent, error))


# ------------------------------------------------------------------------------------------------------------ numbers


@dataclass(frozen=True)
class NumberState:
    """Numbers or times: all distinct ones in order with counts, or points and a tally."""

    moments: Moments
    ends: tuple[Any, Any] | None
    infinite: tuple[int, int]
    whole: bool
    runs: tuple[Array, Array] | None
    points: Points | None = None
    tally: Tally | None = None

    @staticmethod
    def of(values: Array, counts: Array, infinite: tuple[int, int]) -> NumberState:
        figures = _core.run_figures(_core.NumberColumn(values), counts, 0, 1)
        moments = Moments(figures["count"], figures["mean"], figures["squares"], figures["cubes"], figures["exponent"])
        ends = tuple(figures["ends"].tolist()) if figures["count"] else None
        return NumberState(moments, ends, infinite, figures["whole"], (values, counts))

    def merge(self, other: NumberState, exact: int) -> NumberState:
        both = [state.ends for state in (self, other) if state.ends is not None]
        merged = NumberState(
            self.moments.merge(other.moments),
            (min(low for low, _ in both), max(high for _, high in both)) if both else None,
            (self.infinite[0] + other.infinite[0], self.infinite[1] + other.infinite[1]),
            self.whole and other.whole,
            None,
        )
        if self.runs is not None and other.runs is not None:
            runs = merge_runs(*_alike(self.runs, other.runs))
            return replace(merged, runs=runs).bounded(exact)
        a, b = self.thinned(), other.thinned()
        if a.points is None or b.points is None or a.tally is None or b.tally is None:
            raise AssertionError("a thinned-out state has points and a tally")
        return replace(merged, points=a.points.merge(b.points), tally=a.tally.merge(b.tally))

    def bounded(self, exact: int) -> NumberState:
        return self if self.runs is None or len(self.runs[0]) <= exact else self.thinned()

    def thinned(self) -> NumberState:
        if self.runs is None:
            return self
        values, counts = self.runs
        return replace(
            self, runs=None, points=Points.of(values, counts), tally=Tally.of(values, counts, hash_numbers(values))
        )

    def tell(self, facts: RawStats) -> None:
        """Writes what is known into the facts."""
        runs = self.runs if self.runs is not None else self.points.runs if self.points is not None else None
        assert runs is not None
        figures = _core.run_figures(_core.NumberColumn(runs[0]), runs[1], TOP, BINS)
        m = self.moments
        figures.update(mean=m.mean, squares=m.squares, cubes=m.cubes, exponent=m.exponent, infinite=self.infinite)
        figures["whole"] = self.whole
        if self.ends is not None:
            figures["ends"] = np.array(self.ends, dtype=runs[0].dtype)
        facts.numbers = figures
        facts.distinct = len(runs[0]) + sum(n > 0 for n in self.infinite)
        if self.tally is not None and self.points is not None:
            facts.complete, facts.rank_error = False, self.points.error
            facts.distinct = max(distinct_of(self.tally.registers), len(self.tally.frequent.counts))
            _tell_frequent(facts, self.tally.frequent)
            best = max(self.tally.frequent.counts.values(), default=0)
            clear = best > self.tally.frequent.error  # a mode that no value left out could beat
            modes = [v for v, n in self.tally.frequent.counts.items() if n == best] if clear else []
            figures.update(modes=np.array(sorted(modes), dtype=runs[0].dtype), n_modes=len(modes))
            figures["mode_count"] = best if clear else 1
            if m.count:
                _stretch(figures)


def _stretch(figures: dict[str, Any]) -> None:
    """The outer edges of a histogram of points are the ends, which are known exactly."""
    low, high = (float(end) for end in figures["ends"])
    edges = figures["edges"]
    if len(edges) >= 2:
        edges[0], edges[-1] = min(low, edges[0]), max(high, edges[-1])


def _alike(a: tuple[Array, Array], b: tuple[Array, Array]) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """Values of two batches in one type: floats where either has them."""
    if a[0].dtype == b[0].dtype:
        return a, b
    return (a[0].astype(np.float64), a[1]), (b[0].astype(np.float64), b[1])


def _tell_frequent(facts: RawStats, frequent: Frequent) -> None:
    facts.values = list(frequent.counts)
    facts.counts = np.array(list(frequent.counts.values()), dtype=np.int64)
    facts.top_error = frequent.error


# -------------------------------------------------------------------------------------------------------------- texts


@dataclass(frozen=True)
class TextState:
    """Texts or categories: all distinct ones with counts, or a tally; and what is known of their lengths.

    lengths : texts, blank ones, shortest, longest, sum
    """

    lengths: tuple[int, int, int, int, int]
    counts: dict[Any, int] | None
    tally: Tally | None = None

    @staticmethod
    def of(values: Sequence[Any], counts: Array) -> TextState:
        return TextState(lengths_of(values, counts), dict(zip(values, counts.tolist(), strict=True)))

    def merge(self, other: TextState, exact: int) -> TextState:
        a, b = self.lengths, other.lengths
        lengths = (a[0] + b[0], a[1] + b[1], min(a[2], b[2]), max(a[3], b[3]), a[4] + b[4])
        if a[0] == 0 or b[0] == 0:
            lengths = b if a[0] == 0 else a
        if self.counts is not None and other.counts is not None:
            joined = dict(self.counts)
            for value, n in other.counts.items():
                joined[value] = joined.get(value, 0) + n
            return TextState(lengths, joined).bounded(exact)
        first, second = self.thinned(), other.thinned()
        if first.tally is None or second.tally is None:
            raise AssertionError("a thinned-out state has a tally")
        return TextState(lengths, None, first.tally.merge(second.tally))

    def bounded(self, exact: int) -> TextState:
        if self.counts is None:
            return self
        max_values = exact
        if self.lengths[4] > CHARACTERS:
            max_values = min(exact, CHARACTERS * len(self.counts) // max(1, sum(len(str(v)) for v in self.counts)))
        return self if len(self.counts) <= max_values else self.thinned()

    def thinned(self) -> TextState:
        if self.counts is None:
            return self
        values = list(self.counts)
        counts = np.array(list(self.counts.values()), dtype=np.int64)
        hashes = _core.hash_strings([value if isinstance(value, str) else str(value) for value in values])
        return TextState(self.lengths, None, Tally.of(values, counts, hashes))

    def tell(self, facts: RawStats) -> None:
        facts.lengths = self.lengths
        if self.counts is not None:
            facts.values = list(self.counts)
            facts.counts = np.array(list(self.counts.values()), dtype=np.int64)
            facts.distinct = len(self.counts)
            return
        assert self.tally is not None
        facts.complete = False
        facts.distinct = max(distinct_of(self.tally.registers), len(self.tally.frequent.counts))
        _tell_frequent(facts, self.tally.frequent)


def lengths_of(values: Sequence[Any], counts: Array) -> tuple[int, int, int, int, int]:
    """How many texts, how many of nothing but blanks, shortest, longest, and the sum of all lengths."""
    if len(values) == 0:
        return (0, 0, 0, 0, 0)
    texts = [value if isinstance(value, str) else str(value) for value in values]
    sizes = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    blank = sum(n for text, n in zip(texts, counts.tolist(), strict=True) if not text or text.isspace())
    return (int(counts.sum()), blank, int(sizes.min()), int(sizes.max()), int((sizes * counts).sum()))


# ------------------------------------------------------------------------------------------------------------- columns


@dataclass(frozen=True)
class ColumnSummary:
    """One column of one batch, or of many.

    ``ColumnSummary.of(column)`` takes in a `pellucid.quality.column.Column`, ``a.merge(b)`` is the summary of both, and
    ``a.profile(rows)`` what can be said. At most ``exact`` distinct values are kept; about 5 MB of numbers and 40 MB
    of texts a column.

    >>> from pellucid.quality.column import compute_stats
    >>> tables = [[1], [2]], [[4], [9]]
    >>> low, high = (ColumnSummary.of(compute_stats(table, "doctest").columns[0]) for table in tables)
    >>> low.merge(high).profile().numbers.mean
    4.0
    """

    name: Any
    place: int
    stored: Kind
    rows: int
    missing: int
    unit: str = ""
    state: NumberState | TextState | None = None
    exact: int = EXACT

    @staticmethod
    def of(column: Column, exact: int = EXACT) -> ColumnSummary:
        """The summary of a column as it is."""
        empty = ColumnSummary(column.name, column.place, column.stored, column.n_rows, column.n_rows, exact=exact)
        numbers = column.stored_numbers
        if numbers is not None:
            values, counts, missing, minus, plus = _core.sorted_runs(numbers.for_kernel())
            if missing == column.n_rows:
                return empty
            state: NumberState | TextState = NumberState.of(values, counts, (minus, plus)).bounded(exact)
            return replace(empty, missing=missing, unit=numbers.unit, state=state)
        missing = int((column.codes < 0).sum())
        if missing == column.n_rows:
            return empty
        state = TextState.of(column.values.tolist(), column.counts).bounded(exact)
        return replace(empty, missing=missing, state=state)

    def merge(self, other: ColumnSummary) -> ColumnSummary:
        """The summary of both batches."""
        rows, missing = self.rows + other.rows, self.missing + other.missing
        if self.state is None or other.state is None:
            nonempty = other if self.state is None else self
            return replace(nonempty, place=self.place, rows=rows, missing=missing)
        a, b = self._in_unit_of(other), other._in_unit_of(self)
        stored = self.stored if self.stored == other.stored else Kind.NUMBER
        if isinstance(a, NumberState) and isinstance(b, NumberState) and bool(self.unit) == bool(other.unit):
            return replace(self, rows=rows, missing=missing, stored=stored, state=a.merge(b, self.exact))
        if isinstance(a, TextState) and isinstance(b, TextState):
            kinds = {self.stored, other.stored}
            stored = self.stored if len(kinds) == 1 else Kind.TEXT
            return replace(self, rows=rows, missing=missing, stored=stored, state=a.merge(b, self.exact))
        actual = f"column '{self.name}' held {_held(self)} and then {_held(other)}"
        hint = "read the column with one type, as text if need be"
        raise DataError(
            format_message("Accumulator", "a column must be of one type in all batches", actual=actual, hint=hint)
        )

    def _in_unit_of(self, other: ColumnSummary) -> NumberState | TextState | None:
        if self.unit != other.unit and self.unit and other.unit:
            actual = f"column '{self.name}' held times in {self.unit} and then in {other.unit}"
            requirement, hint = "times must have one unit in all batches", "turn the column into one unit before"
            raise DataError(format_message("Accumulator", requirement, actual=actual, hint=hint))
        return self.state

    def facts(self) -> RawStats:
        facts = RawStats(self.name, self.place, self.stored, self.rows, self.missing, 0, unit=self.unit)
        if self.state is not None:
            self.state.tell(facts)
        return facts

    def profile(self) -> ColumnProfile:
        """What can be said of the column."""
        return describe(self.facts(), self._meaning())

    def _meaning(self) -> Meaning | None:
        """What the values mean, as long as all distinct ones are kept."""
        state, semantic = self.state, None
        if isinstance(state, NumberState) and state.runs is not None and not self.unit and self.stored == Kind.NUMBER:
            values, counts = state.runs
            semantic = semantic_type_of_numbers(self.name, values, counts)
        elif isinstance(state, TextState) and state.counts is not None:
            values, counts = objects(state.counts), np.array(list(state.counts.values()), dtype=np.int64)
            semantic = semantic_type_of_texts(self.name, values.tolist(), counts)
        return None if semantic is None else Meaning(semantic, values, counts)


def _held(summary: ColumnSummary) -> str:
    return "times" if summary.unit else "numbers" if isinstance(summary.state, NumberState) else "texts"
