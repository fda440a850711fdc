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
        joined, valid = joined_codes(numbers, self.columns, self.sizes)
        code = np.minimum(np.searchsorted(self.names, joined), len(self.names) - 1)
        return np.where(valid & (self.names[code] == joined), code, -1).astype(np.int32)


def joined_codes(numbers: Floats, columns: tuple[int, ...], sizes: tuple[int, ...]) -> tuple[Array, Array]:
    """One whole number for each combination of categories, and whether none of them is missing."""
    joined = np.zeros(len(numbers), dtype=np.int64)
    valid = np.ones(len(numbers), dtype=bool)
    for j, size in zip(columns, sizes, strict=True):
        column = np.asarray(numbers[:, j], dtype=np.float64)
        there = ~np.isnan(column)
        valid &= there
        joined = joined * (size + 1) + np.where(there, column, size).astype(np.int64)
    return joined, valid


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
        blocks = [np.asarray(numbers[:, self.kept], dtype=np.float64)]
        for encoded in self.made:
            code = encoded.codes(numbers)
            blocks.append(np.where(code[:, None] < 0, self.prior, encoded.value[code]))
        return np.ascontiguousarray(np.hstack(blocks))


def make_statistics(
    numbers: Floats, sizes: Array, targets: Floats, used: Array, one_hot: int, joined: int, weight: float
) -> tuple[TargetStatistics, list[Array]]:
    """Statistics of all columns with more than `one_hot` categories, and codes of the made columns for each row.

    targets : n x t; used : flags of rows that are learned from; joined : most columns whose categories are joined
    weight : how many rows the prior counts for
    """
    prior = targets[used].mean(axis=0)
    encoded = [j for j, size in enumerate(sizes.tolist()) if size > one_hot]
    numeric = np.array([j for j in range(len(sizes)) if j not in set(encoded)], dtype=np.intp)
    made, codes = [], []
    for many in range(1, joined + 1):
        for columns in combinations(encoded, many):
            column_sizes = tuple(int(sizes[j]) for j in columns)
            code, valid = joined_codes(numbers, columns, column_sizes)
            names = np.unique(code[valid & used])
            if len(names) == 0:
                continue
            empty = Made(columns, column_sizes, names, np.empty((0, 0)))
            code_of_row = empty.codes(numbers)
            there = used & (code_of_row >= 0)
            count = np.bincount(code_of_row[there], minlength=len(names)).astype(np.float64)
            sums = np.column_stack(
                [np.bincount(code_of_row[there], weights=y[there], minlength=len(names)) for y in targets.T]
            )
            value = (sums + weight * prior) / (count + weight)[:, None]
            made.append(Made(columns, column_sizes, names, value))
            codes.append(code_of_row)
    statistics = TargetStatistics(numeric, np.asarray(sizes)[numeric].astype(np.int32), tuple(made), prior)
    return statistics, codes


def ordered_columns(
    statistics: TargetStatistics,
    codes: list[Array],
    targets: Floats,
    used: Array,
    order: Array,
    weight: float,
    threads: int,
) -> Floats:
    """The made columns along one order: the statistic of a row looks at rows before it alone. n x (made t).

    Rows that are not learned from are seen by nobody, and get what new rows get.
    """
    encoded = np.empty((len(targets), len(codes) * targets.shape[1]))
    if not codes:
        return encoded
    training_codes = np.concatenate([np.where(used, code, -1) for code in codes]).astype(np.int32)
    sizes = np.array([len(encoded_column.names) for encoded_column in statistics.made], dtype=np.int64)
    target = np.ascontiguousarray(targets.T).ravel()
    _core.ordered_statistics(
        training_codes, sizes, target, statistics.prior, weight, order.astype(np.int64), encoded.reshape(-1), threads
    )
    held_out = np.flatnonzero(~used)
    if len(held_out):
        later = [
            np.where(code[held_out, None] < 0, statistics.prior, encoded_column.value[code[held_out]])
            for encoded_column, code in zip(statistics.made, codes, strict=True)
        ]
        encoded[held_out] = np.hstack(later)
    return encoded
