"""A profile of a table that is read batch by batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pellucid import _core
from pellucid.base.errors import DataError, format_message, join_some
from pellucid.base.threads import effective_threads
from pellucid.base.types import Array
from pellucid.data.stored import n_bytes
from pellucid.quality._sketch import merge_runs
from pellucid.quality.associations import PairSums, lines, matrix
from pellucid.quality.column import Column, TableStats, code_together, compute_stats
from pellucid.quality.described import Associations, ColumnProfile, Profile
from pellucid.quality.summary import EXACT, ColumnSummary

__all__ = ["Accumulator"]

_KEPT_VALUES = 20_000_000  # distinct values of all columns together
_KEPT_ROWS = 1 << 21  # hashes of rows


class Accumulator:
    """Takes in batches of a table and gives the profile of all of them, in memory that does not grow with the rows.

    ::

        accumulator = Accumulator()
        for batch in batches:            # frames with the same columns: polars, pandas, pyarrow; or arrays
            accumulator.add(batch)
        accumulator.profile()

    Summaries of two parts that were read apart, in two processes say, are put together with ``merge``.

    A stream gives the same `Profile` as the table at once while every column has at most ``exact`` distinct values and
    the table at most 2,097,152 different rows; only sums are rounded in another order. Beyond these limits quantiles,
    distinct and top values are approximate, as `ColumnSummary` says, and duplicates are counted over a share of the
    rows that is chosen by hash: equal rows are chosen together, and what is found is multiplied by what was left out.
    Rows are compared by 64-bit hashes alone. Of the associations there are Pearson's r and lines between numbers.

    State: at most 20 million distinct values in all columns together (``exact`` is lowered for wide tables), 34 MB of
    hashes, and four numbers for each pair of number columns.

    Parameters
    ----------
    names : the columns wanted, in this order; those of the first batch unless told
    exact : distinct values kept for each column
    associations : whether to sum products of number columns
    n_jobs : threads; None for all cores

    Examples
    --------
    >>> accumulator = Accumulator()
    >>> for batch in ([[1, 5], [2, 5]], [[6, 5]]):
    ...     _ = accumulator.add(batch)
    >>> accumulator.profile()["x0"].numbers.mean
    3.0
    """

    def __init__(
        self,
        names: Sequence[Any] | None = None,
        *,
        exact: int = EXACT,
        associations: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        self.names = None if names is None else tuple(names)
        self.exact = exact
        self.associations = associations
        self.n_jobs = n_jobs
        self.n_rows = 0
        self.bytes = 0
        self._columns: list[ColumnSummary] = []
        self._numbers: list[int] | None = None  # places of the columns in the sums
        self._sums: PairSums | None = None
        self._rows = RowHashes()

    def add(self, frame: Any) -> Accumulator:
        """Takes in a batch; the accumulator itself is given back."""
        threads = effective_threads(self.n_jobs)
        stats = compute_stats(frame, "Accumulator", threads=threads)
        columns = self._in_order(stats)
        max_values = max(4096, min(self.exact, _KEPT_VALUES // len(columns)))
        code_together([column for column in columns if column.is_text], threads)
        summaries = [ColumnSummary.of(column, max_values) for column in columns]
        if self._columns:
            summaries = [ours.merge(theirs) for ours, theirs in zip(self._columns, summaries, strict=True)]
        self._columns = summaries
        self.n_rows += stats.n_rows
        self.bytes += n_bytes(stats.table)
        self._rows.add(_core.hash_rows([_across_batches(column) for column in columns], threads))
        if self.associations:
            self._add_products(columns)
        return self

    def _in_order(self, stats: TableStats) -> list[Column]:
        if self.names is None:
            self.names = tuple(column.name for column in stats)
        by_name = {column.name: column for column in stats}
        lacking = [name for name in self.names if name not in by_name]
        if lacking:
            requirement, actual = (
                "every batch must have the same columns",
                f"there is no {join_some(map(repr, lacking))} in this one",
            )
            raise DataError(format_message("Accumulator", requirement, actual=actual))
        return [by_name[name] for name in self.names]

    def _add_products(self, columns: list[Column]) -> None:
        if self._numbers is None:
            self._numbers = [j for j, column in enumerate(columns) if _is_plain_number(column)]
        numbers = [
            columns[j].numbers if _is_plain_number(columns[j]) else np.full(columns[j].n_rows, np.nan)
            for j in self._numbers
        ]
        if numbers:
            self._sums = (self._sums or PairSums.start(numbers)).add(numbers)

    def merge(self, other: Accumulator) -> Accumulator:
        """What both have taken in, as a new accumulator."""
        if not self._columns or not other._columns:
            return other if not self._columns else self
        if self.names != other.names:
            requirement = "both must have the same columns in the same order"
            actual = f"got {join_some(self.names or ())} and {join_some(other.names or ())}"
            raise DataError(format_message("Accumulator", requirement, actual=actual))
        joined = Accumulator(self.names, exact=self.exact, associations=self.associations, n_jobs=self.n_jobs)
        joined.n_rows, joined.bytes = self.n_rows + other.n_rows, self.bytes + other.bytes
        joined._columns = [a.merge(b) for a, b in zip(self._columns, other._columns, strict=True)]
        joined._rows = self._rows.merge(other._rows)
        if self._numbers == other._numbers and self._sums is not None and other._sums is not None:
            joined._numbers, joined._sums = self._numbers, self._sums.merge(other._sums)
        return joined

    def profile(self) -> Profile:
        """The profile of everything taken in so far."""
        if not self._columns:
            raise DataError(
                format_message("Accumulator", "there must be a batch before there is a profile", actual="got none")
            )
        columns = tuple(summary.profile() for summary in self._columns)
        duplicates, estimated = self._rows.duplicates(self.n_rows)
        return Profile(
            n_rows=self.n_rows,
            n_columns=len(columns),
            bytes=self.bytes,
            columns=columns,
            duplicates=duplicates,
            duplicates_are_estimated=estimated,
            distance_shares=distance_shares(columns),
            associations=self._associations(columns),
        )

    def _associations(self, columns: Sequence[ColumnProfile]) -> Associations | None:
        if not self.associations:
            return None
        indices = [k for k, j in enumerate(self._numbers or []) if columns[j].is_number]
        names = [columns[(self._numbers or [])[k]].name for k in indices]
        if self._sums is None or not indices:
            return Associations(matrix([], [], np.zeros((0, 0))), None, None, ())
        sums = self._sums.of(indices)
        r = sums.pearson
        return Associations(matrix(names, names, r), None, None, tuple(lines(names, sums, r)))


class RowHashes:
    """Hashes of rows with how often each occurs: all of them, or those that end in ``bits`` noughts."""

    def __init__(self) -> None:
        self.bits = 0
        self.kept: tuple[Array, Array] = (np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.int64))
        self._waiting: list[Array] = []

    def add(self, hashes: Array) -> None:
        self._waiting.append(self._chosen(hashes))
        if sum(map(len, self._waiting)) >= _KEPT_ROWS // 2:
            self._settle()

    def _chosen(self, hashes: Array) -> Array:
        return hashes if self.bits == 0 else hashes[hashes & np.uint64((1 << self.bits) - 1) == 0]

    def _settle(self) -> None:
        if self._waiting:
            new = self._chosen(np.concatenate(self._waiting))
            values, counts, *_ = _core.sorted_runs(_core.NumberColumn(new))
            self._waiting = []
            self.kept = merge_runs(self.kept, (values, counts))
        while len(self.kept[0]) > _KEPT_ROWS:
            self.bits += 1
            stay = self.kept[0] & np.uint64((1 << self.bits) - 1) == 0
            self.kept = (self.kept[0][stay], self.kept[1][stay])

    def merge(self, other: RowHashes) -> RowHashes:
        self._settle()
        other._settle()
        merged = RowHashes()
        merged.bits = max(self.bits, other.bits)
        mask = np.uint64((1 << merged.bits) - 1)
        first, second = (
            (side.kept[0][side.kept[0] & mask == 0], side.kept[1][side.kept[0] & mask == 0]) for side in (self, other)
        )
        merged.kept = merge_runs(first, second)
        merged._settle()
        return merged

    def duplicates(self, rows: int) -> tuple[int, bool]:
        """Rows that equal an earlier one, and whether that is an estimate."""
        self._settle()
        again = int(self.kept[1].sum()) - len(self.kept[0])
        n_hashed = int(self.kept[1].sum())
        return (again, False) if self.bits == 0 else (round(again * rows / max(n_hashed, 1)), True)


def _is_plain_number(column: Column) -> bool:
    numbers = column.stored_numbers
    return numbers is not None and not numbers.unit


def _across_batches(column: Column) -> _core.NumberColumn:
    """Cells as numbers that mean the same in every batch: texts by the hash of the text."""
    numbers = column.stored_numbers
    if numbers is not None:
        values = numbers.values.astype(np.float64) if numbers.values.dtype.kind in "iu" else numbers.values
        return _core.NumberColumn(values, numbers.missing, False) if not numbers.unit else numbers.for_kernel()
    hashes = column.hashes
    looked_up = np.append(hashes, np.uint64(0))[column.codes]
    return _core.NumberColumn(looked_up, np.ascontiguousarray(column.codes < 0))


def distance_shares(columns: Sequence[ColumnProfile]) -> tuple[tuple[Any, float], ...]:
    """The share of each number column in the mean squared Euclidean distance of two rows: ``2 var_j`` of their sum."""
    variances = [(column.name, column.numbers.variance) for column in columns if column.is_number and column.numbers]
    variances = [(name, variance) for name, variance in variances if np.isfinite(variance)]
    max_variance = max((variance for _, variance in variances), default=0.0)
    if max_variance <= 0:
        return ()
    total = sum(variance / max_variance for _, variance in variances)
    return tuple(
        sorted(((name, variance / max_variance / total) for name, variance in variances), key=lambda pair: -pair[1])
    )
