"""By which columns in turn is a table sorted? Such an order resembles one in time: neighboring rows are alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pellucid.base.types import Array
from pellucid.data.slices import column_of
from pellucid.report.row_order import is_clear_within_runs

MOST_KEYS = 8
MOST_COLUMNS = 60
MOST_BACK = 0.05  # share of the changes against the order
LEAST_CHANGES = 10  # of numbers in order
MORE_BLOCKS = 1.1  # than levels: a level may stand in two blocks now and then
LEAST_FEWER = 20  # changes than by chance
CALENDAR = {4, 5, 7, 12, 24, 30, 31, 48, 52, 53, 60, 96, 365, 366}  # numbers of parts that a time has
LEAST_RUN = 10  # rows on average, within which an order in time would show


def explaining_keys(table: Any, y: Array, for_classes: bool, names: Sequence[str], target: str) -> tuple[str, ...]:
    """The columns by which a table is sorted in turn, if that explains why rows resemble the ones before them.

    Starting from one run of all rows, the column with the fewest blocks of equal values that splits the runs is taken,
    until none does. If the target itself is the last one, or if every combination of the values of the others occurs
    once, as in a cross table, they explain the order. Otherwise they do unless the target goes on smoothly within the
    runs and across their borders, as that of a series does that is sorted by year and month.
    """
    runs = np.zeros(len(y), dtype=np.int64)
    columns = {name: codes for name in names[:MOST_COLUMNS] if (codes := _codes_of(column_of(table, name))) is not None}
    columns[target] = np.unique(y, return_inverse=True)[1]
    keys: list[str] = []
    long_runs = None
    while len(keys) < MOST_KEYS:
        sorted_columns = [
            (len(np.unique(split)), name, split)
            for name, codes in columns.items()
            if name not in keys and (name != target or keys)
            if (split := _split_runs(runs, codes)) is not None and (name != target or _is_one_order(runs, codes))
        ]
        if not sorted_columns:
            break
        n_runs, name, runs = min(sorted_columns, key=lambda one: one[0])
        keys.append(name)
        if name == target:
            break
        if len(runs) >= LEAST_RUN * n_runs:
            long_runs = runs
    if len(keys) < 2:
        return ()
    n_levels = [int(columns[name].max()) + 1 for name in keys]
    is_grid = int(np.prod(n_levels, dtype=np.float64)) == len(y) and not set(n_levels[1:]) <= CALENDAR
    if keys[-1] != target and not is_grid and long_runs is not None and is_clear_within_runs(y, long_runs, for_classes):
        return ()
    return tuple(keys)


def _codes_of(values: Array) -> Array | None:
    """The ranks of a column's values; None of mere row numbers and the like."""
    _, codes = np.unique(values.astype(str) if values.dtype.kind == "O" else values, return_inverse=True)
    n_levels = int(codes.max()) + 1
    if n_levels < 2 or (n_levels > 0.9 * len(codes) and values.dtype.kind == "O"):
        return None
    steps = np.diff(values.astype(np.float64)) if values.dtype.kind in "iuf" else np.array([])
    if len(steps) and float((steps == np.median(steps)).mean()) > 0.9 and np.median(steps) != 0:
        return None
    return np.asarray(codes)


def _is_one_order(runs: Array, codes: Array) -> bool:
    """Do the same values follow each other within all runs? Ups and downs of a process go both ways."""
    changed = (runs[1:] == runs[:-1]) & (codes[1:] != codes[:-1])
    n_levels = int(codes.max()) + 1
    pairs, counts = np.unique(codes[:-1][changed] * n_levels + codes[1:][changed], return_counts=True)
    opposite = pairs % n_levels * n_levels + pairs // n_levels
    is_both = np.isin(opposite, pairs)
    return bool(counts[is_both].sum() <= 2 * MOST_BACK * counts.sum())


def _split_runs(runs: Array, codes: Array) -> Array | None:
    """The runs, split where the values change, if within the runs they stand in order or in blocks, beyond chance."""
    within = runs[1:] == runs[:-1]
    steps = np.where(within, np.diff(codes), 0)
    n_changes = int(np.count_nonzero(steps))
    n_up = int((steps > 0).sum())
    in_order = n_changes >= LEAST_CHANGES and min(n_up, n_changes - n_up) <= MOST_BACK * n_changes
    if not in_order:
        _, counts = np.unique(runs * (int(codes.max()) + 1) + codes, return_counts=True)
        n_runs = int(runs[-1]) + 1
        run_of_pair = np.unique(runs * (int(codes.max()) + 1) + codes) // (int(codes.max()) + 1)
        lengths = np.bincount(runs)
        same = np.bincount(run_of_pair, weights=counts.astype(np.float64) ** 2)
        by_chance = float((lengths - same / lengths).sum())
        least = len(counts) - n_runs
        if least < 1 or n_changes > MORE_BLOCKS * least or by_chance < max(2 * n_changes, n_changes + LEAST_FEWER):
            return None
    starts = np.concatenate([[False], ~within | (steps != 0)])
    return np.cumsum(starts)
