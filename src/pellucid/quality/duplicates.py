"""Rows that are there twice: exactly, or nearly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from pellucid.base.errors import DataError, ParameterError, count, format_message, join_some, short_repr
from pellucid.base.threads import effective_threads
from pellucid.base.types import Array, Flags, Floats
from pellucid.quality._pair_candidates import candidates
from pellucid.quality._pair_similarity import Comparison, together
from pellucid.quality.column import Column, TableStats, compute_stats

__all__ = ["ExactDuplicates", "NearDuplicates", "exact_duplicates", "near_duplicates"]

Missing = Literal["neutral", "equal", "different"]

COMPARABLE = 0.5  # share of a full row's bits that must be there in both rows
LOWEST, HIGHEST = 0.65, 0.90  # where an automatic threshold may lie
REACH = 0.03  # scores so near count when their density is looked at
BATCH = 1 << 20  # pairs compared at once


@dataclass(frozen=True)
class ExactDuplicates:
    """Groups of rows that are equal.

    groups : positions of the rows of each group, ascending; groups in the order of their first rows
    n_rows : rows of the table
    names : columns that were compared
    """

    groups: tuple[Array, ...]
    n_rows: int
    names: tuple[Any, ...]

    @property
    def rows(self) -> Array:
        """All but the first row of each group: what can be dropped."""
        return _later(self.groups)

    def to_dict(self) -> dict[str, list[Any]]:
        """One entry a row that is in a group: its group and its position."""
        return {
            "group": [number for number, group in enumerate(self.groups) for _ in group],
            "row": [row for group in self.groups for row in group.tolist()],
        }

    def __str__(self) -> str:
        if not self.groups:
            return f"no two of {self.n_rows:,} rows are equal"
        lines = [f"{count(len(self.rows), 'row')} of {self.n_rows:,} repeated, {count(len(self.groups), 'group')}"]
        lines += [f"  rows {join_some(group.tolist())}" for group in self.groups[:10]]
        return "\n".join(lines + ([f"  ... {len(self.groups) - 10} more"] if len(self.groups) > 10 else []))


@dataclass(frozen=True, repr=False)
class NearDuplicates:
    """Pairs of rows that are nearly equal, the most alike first.

    left, right : positions of the rows of each pair, left < right
    similarity : how alike, 0 to 1
    by_column : ``[pair, column]`` similarity of each cell; NaN where one of the two is missing and that is neutral
    weights : ``[pair, column]`` bits that each cell counts with
    swapped : ``[pair, column]`` cells that were found in another column of the other row
    groups : rows that belong together through any chain of pairs, ascending; in the order of their first rows
    threshold : similarity from which a pair counts
    names : columns that were compared
    n_rows, n_compared : rows of the table, pairs that were compared
    """

    left: Array
    right: Array
    similarity: Floats
    by_column: Floats
    weights: Floats
    swapped: Flags
    groups: tuple[Array, ...]
    threshold: float
    names: tuple[Any, ...]
    n_rows: int
    n_compared: int

    def __len__(self) -> int:
        return len(self.left)

    @property
    def rows(self) -> Array:
        """All but the first row of each group: what can be dropped."""
        return _later(self.groups)

    def to_dict(self) -> dict[str, list[Any]]:
        """One entry a pair: its rows, similarity, and the similarity of each column."""
        table: dict[str, list[Any]] = {
            "left": self.left.tolist(),
            "right": self.right.tolist(),
            "similarity": self.similarity.tolist(),
        }
        for c, name in enumerate(self.names):
            table[f"similarity of {name}"] = self.by_column[:, c].tolist()
        return table

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        scope = f"{count(self.n_compared, 'pair')} of {self.n_rows:,} rows compared, threshold {self.threshold:.2f}"
        if not len(self):
            return f"no two rows are nearly equal ({scope})"
        lines = [f"{count(len(self), 'pair')} in {count(len(self.groups), 'group')} ({scope})"]
        for k in range(min(len(self), 10)):
            lines.append(f"  rows {self.left[k]}, {self.right[k]}: {self.similarity[k]:.3f}{self._remarks(k)}")
        return "\n".join(lines + ([f"  ... {len(self) - 10:,} more"] if len(self) > 10 else []))

    def _remarks(self, k: int) -> str:
        lower = [c for c in range(len(self.names)) if self.by_column[k, c] < 1 and not self.swapped[k, c]]
        remarks = [f"{self.names[c]} {self.by_column[k, c]:.2f}" for c in lower]
        exchanged = [str(self.names[c]) for c in np.flatnonzero(self.swapped[k])]
        remarks += [f"{' and '.join(exchanged)} swapped"] if exchanged else []
        return f"; {', '.join(remarks)}" if remarks else ""


def exact_duplicates(table: Any, columns: Sequence[Any] | None = None) -> ExactDuplicates:
    """Rows that are equal in every column, or in the given ones. Two missing cells are equal.

    >>> print(exact_duplicates([["tea", 2], ["rice", 1], ["tea", 2]]))
    1 row of 3 repeated, 1 group
      rows 0, 2
    """
    who = "exact_duplicates"
    stats = compute_stats(table, who)
    selected = _chosen(stats, columns, who)
    number = np.zeros(stats.n_rows, dtype=np.int64)
    for column in selected:
        n_values = len(column.values) + 1
        _, number = np.unique(number * n_values + column.codes + 1, return_inverse=True)
    return ExactDuplicates(_groups_of(number), stats.n_rows, tuple(column.name for column in selected))


def near_duplicates(
    table: Any,
    *,
    columns: Sequence[Any] | None = None,
    threshold: float | None = None,
    missing: Missing = "neutral",
    n_jobs: int | None = None,
) -> NearDuplicates:
    """Rows that are probably the same thing entered twice, with slips of the pen.

    ``s = sum_c w_c s_c / sum_c w_c``

    s_c  how alike two rows are in column c, 0 to 1. Text: ``1 - edits / letters`` of the longer text, where two
         neighbors that changed places are one edit and capitals do not count. Whole numbers of four digits and more
         (codes, 19991231) and dates: the same of their digits; dates also ``1 - days / 30``. Other numbers:
         ``1 - |a - b| / h``, at least 0, with h a quarter of the distance between the quartiles. Flags: equal or not.
    w_c  how telling the two cells are: the mean of ``log2(n / count)`` over both, in bits. So a rare surname counts for
         more than a frequent one.

    Cells of two columns of text that changed places in one row (given name and surname) are compared crosswise. Two
    rows must both have at least half the bits of a full row to be compared at all.

    Not every pair is compared: only rows that share something rare (a cell, a word in any column of text, one of the
    rarest pieces of three letters of a word), each with the 15 later rows that share most, and rows that follow each
    other when sorted by a column. What is compared is compared exactly.

    Use `exact_duplicates` where rows are copied without change.

    Parameters
    ----------
    table : rows to compare
    columns : names of the columns to compare; None for all. Leave out numbers that are only the row's own
    threshold : similarity from which a pair counts. None chooses it from the scores of the compared pairs: most pairs
        are different things with low scores, the same things have high ones, and between 0.65 and 0.90 the threshold
        stands where scores are rarest, at the middle of the lowest such place
    missing : "neutral" leaves a column out where one of the two cells is missing; "equal" takes two missing cells as
        equal and one as different; "different" takes all as different
    n_jobs : threads; None for all cores

    >>> people = [["Anna", "Kowalska", "Krakow"], ["Ana", "Kowalska", "Krakow"], ["Omar", "Haddad", "Tunis"],
    ...           ["Lena", "Berg", "Oslo"], ["Berg", "Lena", "Oslo"], ["Ines", "Duarte", "Porto"]]
    >>> found = near_duplicates(people)
    >>> [group.tolist() for group in found.groups]
    [[0, 1], [3, 4]]
    >>> found.by_column[1].round(2).tolist()  # one edit in four letters
    [0.75, 1.0, 1.0]
    """
    who = "near_duplicates"
    _check(who, threshold, missing)
    threads = effective_threads(n_jobs)
    stats = compute_stats(table, who, threads=threads)
    selected = _chosen(stats, columns, who)
    comparison = Comparison(selected, missing, threads)
    left, right = candidates(comparison, stats.n_rows)
    score = np.concatenate([np.empty(0), *(_scores(comparison, *batch) for batch in _batches(left, right))])
    min_score = _threshold(score) if threshold is None else float(threshold)
    good = np.flatnonzero(score >= min_score)
    good = good[np.argsort(-score[good], kind="stable")]
    left, right, n_compared = left[good], right[good], len(score)
    by_column, weights, swapped = comparison.alike(left, right)
    return NearDuplicates(
        left=left,
        right=right,
        similarity=score[good],
        by_column=by_column,
        weights=weights,
        swapped=swapped,
        groups=_groups_of(_connected(left, right, stats.n_rows)),
        threshold=min_score,
        names=tuple(column.name for column in selected),
        n_rows=stats.n_rows,
        n_compared=n_compared,
    )


def _batches(left: Array, right: Array) -> list[tuple[Array, Array]]:
    return [(left[i : i + BATCH], right[i : i + BATCH]) for i in range(0, len(left), BATCH)]


def _scores(comparison: Comparison, left: Array, right: Array) -> Floats:
    """Similarity of each pair; 0 where too little of the two rows is there."""
    similarity, weight, _ = comparison.alike(left, right)
    enough = weight.sum(axis=1) >= COMPARABLE * comparison.whole
    return np.where(enough, together(similarity, weight), 0.0)


def _threshold(score: Floats) -> float:
    """Where scores are rarest: each counts with 1 at its own place, down to 0 at 0.03 from it."""
    grid = np.round(np.arange(LOWEST, HIGHEST + 0.005, 0.01), 2)
    ordered = np.sort(score)
    density = np.empty(len(grid))
    for k, point in enumerate(grid):
        near = ordered[np.searchsorted(ordered, point - REACH) : np.searchsorted(ordered, point + REACH)]
        density[k] = (1 - np.abs(near - point) / REACH).sum()
    rarest = np.flatnonzero(density <= density.min() + 1e-9)
    run = rarest[: int(np.argmax(np.append(np.diff(rarest), 2) > 1)) + 1]
    return float(np.round(grid[run].mean(), 3))


def _connected(left: Array, right: Array, n_rows: int) -> Array:
    """The lowest row that each row is connected to."""
    root = np.arange(n_rows)

    def find(row: int) -> int:
        while root[row] != row:
            root[row] = root[root[row]]
            row = int(root[row])
        return row

    for a, b in zip(left.tolist(), right.tolist(), strict=True):
        low, high = sorted((find(a), find(b)))
        root[high] = low
    return np.fromiter((find(row) for row in range(n_rows)), dtype=np.int64, count=n_rows)


def _groups_of(number: Array) -> tuple[Array, ...]:
    """Rows with equal numbers, where there are several."""
    order = np.argsort(number, kind="stable")
    pieces = np.split(order, np.flatnonzero(np.diff(number[order])) + 1)
    return tuple(sorted((piece for piece in pieces if len(piece) > 1), key=lambda piece: int(piece[0])))


def _later(groups: tuple[Array, ...]) -> Array:
    return np.sort(np.concatenate([np.empty(0, dtype=np.int64), *(group[1:] for group in groups)]))


def _chosen(stats: TableStats, columns: Sequence[Any] | None, who: str) -> list[Column]:
    if columns is None:
        return list(stats.columns)
    if isinstance(columns, str):
        raise ParameterError(
            format_message(who, "columns must be a list of names", actual=f"got {columns!r}", hint=f"[{columns!r}]")
        )
    names = [column.name for column in stats.columns]
    unknown = [name for name in columns if name not in names]
    if unknown or not len(columns):
        actual = f"there is no {join_some(map(repr, unknown))}" if unknown else "the list is empty"
        raise DataError(format_message(who, f"columns must be among {join_some(map(repr, names))}", actual=actual))
    return [stats[name] for name in dict.fromkeys(columns)]


def _check(who: str, threshold: float | None, missing: str) -> None:
    if missing not in get_args(Missing):
        allowed = ", ".join(map(repr, get_args(Missing)))
        raise ParameterError(
            format_message(who, f"missing must be one of {allowed}", actual=f"got {short_repr(missing)}")
        )
    number = isinstance(threshold, int | float | np.number) and not isinstance(threshold, bool)
    if threshold is not None and not (number and 0 < threshold <= 1):
        requirement = "threshold must be a number above 0 and at most 1, or None"
        raise ParameterError(format_message(who, requirement, actual=f"got {short_repr(threshold)}"))
