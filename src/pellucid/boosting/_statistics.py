"""Categories as statistics of the target along an order of the rows."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from pellucid import _core
from pellucid.base.types import Array, Floats


@dataclass(frozen=True)
class Made:
    """One made column: the columns whose categories it joins, and how their codes become one.

    columns : of the table; sizes : how many categories each has
    names : joined codes that were seen, sorted
    value : q x targets, the statistic of each of them over all rows of the fit
    """

    columns: tuple[int, ...]
    sizes: tuple[int, ...]
    names: Array
    value: Floats

    def codes(self, numbers: Floats) -> Array:
        """The place of each row's joined category among `names`; -1 where one is missing or was never seen."""
        joined, known = joined_codes(numbers, self.columns, self.sizes)
        place = np.minimum(np.searchsorted(self.names, joined), len(self.names) - 1)
        return np.where(known & (self.names[place] == joined), place, -1).astype(np.int32)


def joined_codes(numbers: Floats, columns: tuple[int, ...], sizes: tuple[int, ...]) -> tuple[Array, Array]:
    """One whole number for each combination of categories, and whether none of them is missing."""
    joined = np.zeros(len(numbers), dtype=np.int64)
    known = np.ones(len(numbers), dtype=bool)
    for j, size in zip(columns, sizes, strict=True):
        column = np.asarray(numbers[:, j], dtype=np.float64)
        there = ~np.isnan(column)
        known &= there
        joined = joined * (size + 1) + np.where(there, column, size).astype(np.int64)
    return joined, known


@dataclass(frozen=True)
class TargetStatistics:
    """How a table's categories become numbers.

    kept : columns that stay as they are; their sizes as categories
    made : columns made of the target, one for each target
    prior : of each target
    """

    kept: Array
    kept_sizes: Array
    made: tuple[Made, ...]
    prior: Floats

    def sizes(self) -> Array:
        """Categories of each column of the new table; 0 for numbers."""
        more = np.zeros(len(self.made) * len(self.prior), dtype=np.int32)
        return np.concatenate([self.kept_sizes, more]).astype(np.int32)

    def sources(self, j: int) -> tuple[int, ...]:
        """The columns of the table that column j of the new one is made of."""
        if j < len(self.kept):
            return (int(self.kept[j]),)
        return self.made[(j - len(self.kept)) // len(self.prior)].columns

    def later(self, numbers: Floats) -> Floats:
        """The new table for rows that are not learned from: statistics over all rows of the fit."""
        parts = [np.asarray(numbers[:, self.kept], dtype=np.float64)]
        for one in self.made:
            place = one.codes(numbers)
            parts.append(np.where(place[:, None] < 0, self.prior, one.value[place]))
        return np.ascontiguousarray(np.hstack(parts))


def make_statistics(
    numbers: Floats, sizes: Array, targets: Floats, used: Array, one_hot: int, joined: int, weight: float
) -> tuple[TargetStatistics, list[Array]]:
    """Statistics of all columns with more than `one_hot` categories, and codes of the made columns for each row.

    targets : n x t; used : flags of rows that are learned from; joined : most columns whose categories are joined
    weight : how many rows the prior counts for
    """
    prior = targets[used].mean(axis=0)
    encoded = [j for j, size in enumerate(sizes.tolist()) if size > one_hot]
    kept = np.array([j for j in range(len(sizes)) if j not in set(encoded)], dtype=np.intp)
    made, codes = [], []
    for many in range(1, joined + 1):
        for columns in combinations(encoded, many):
            own = tuple(int(sizes[j]) for j in columns)
            code, known = joined_codes(numbers, columns, own)
            names = np.unique(code[known & used])
            if len(names) == 0:
                continue
            empty = Made(columns, own, names, np.empty((0, 0)))
            place = empty.codes(numbers)
            there = used & (place >= 0)
            count = np.bincount(place[there], minlength=len(names)).astype(np.float64)
            sums = np.column_stack(
                [np.bincount(place[there], weights=y[there], minlength=len(names)) for y in targets.T]
            )
            value = (sums + weight * prior) / (count + weight)[:, None]
            made.append(Made(columns, own, names, value))
            codes.append(place)
    found = TargetStatistics(kept, np.asarray(sizes)[kept].astype(np.int32), tuple(made), prior)
    return found, codes


def ordered_columns(
    found: TargetStatistics, codes: list[Array], targets: Floats, used: Array, order: Array, weight: float, threads: int
) -> Floats:
    """The made columns along one order: the statistic of a row looks at rows before it alone. n x (made t).

    Rows that are not learned from are seen by nobody, and get what new rows get.
    """
    made = np.empty((len(targets), len(codes) * targets.shape[1]))
    if not codes:
        return made
    seen = np.concatenate([np.where(used, place, -1) for place in codes]).astype(np.int32)
    sizes = np.array([len(one.names) for one in found.made], dtype=np.int64)
    target = np.ascontiguousarray(targets.T).ravel()
    _core.ordered_statistics(
        seen, sizes, target, found.prior, weight, order.astype(np.int64), made.reshape(-1), threads
    )
    held = np.flatnonzero(~used)
    if len(held):
        later = [
            np.where(place[held, None] < 0, found.prior, one.value[place[held]])
            for one, place in zip(found.made, codes, strict=True)
        ]
        made[held] = np.hstack(later)
    return made
