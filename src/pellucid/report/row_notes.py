"""What the order of the rows shows where it decides no split: a sorted table, or rows that resemble their neighbors."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pellucid.base.types import Array, Floats
from pellucid.data.slices import column_of
from pellucid.report.clocks import is_ordered
from pellucid.report.name_vocabulary import speaks_of_origin, speaks_of_time
from pellucid.report.row_order import (
    Autocorrelation,
    is_sorted_by_target,
    lag_correlation,
    target_numbers,
    without_runs,
    without_segments,
)

NEIGHBORING = 0.5  # correlation of a column with that of the row before, from which on neighboring rows are alike
MOST_COLUMNS = 50
LEAST_SORTED = 0.95  # correlation of ranks with the rows' numbers, where numbers do not start again


def sorted_note(y: Array, for_classes: bool, target: str) -> tuple[str, ...]:
    """A sentence where the table is sorted by its target: its order then tells nothing about time."""
    if not is_sorted_by_target(y, for_classes):
        return ()
    n_blocks = int((y[1:] != y[:-1]).sum()) + 1
    if not for_classes:
        steps = np.diff(np.asarray(y, dtype=np.float64))
        n_up, n_down = int((steps > 0).sum()), int((steps < 0).sum())
        way, n_back = ("falls", n_down) if n_up > n_down else ("rises", n_up)
        often = "only once" if n_back == 1 else f"only {n_back:,} times in {len(y):,} rows"
        how = f"from row to row it {f'{way} {often}' if n_back else f'never {way}'}"
    else:
        together = n_blocks == len(np.unique(y))
        how = "the rows of each class stand together" if together else f"they stand in {n_blocks} blocks of one class"
    return (
        f"The order of the rows follows the target {target!r}: {how}. So it does not show when they were recorded.",
    )


def neighbors_note(table: Any, y: Array, for_classes: bool, names: Sequence[str]) -> tuple[str, ...]:
    """A sentence where rows resemble their neighbors although nothing by which the table is sorted explains that."""
    if not for_classes and is_sorted_by_target(y, for_classes):
        return ()  # whatever goes with the target follows its order
    name = resembling_column(table, y, for_classes, names, NEIGHBORING)
    if name is None:
        return ()
    numbers = column_of(table, name).astype(np.float64)
    alike = replace(lag_correlation(_ranks(numbers[np.isfinite(numbers)])), of="ranks")
    return (
        f"Rows that follow each other are alike: {name!r} resembles that of the row before it ({alike.words}). If such "
        "rows belong together, as several of one person or place do, the scores may promise too much: say so with "
        "--group or --time.",
    )


def sorted_by_time_note(table: Any, names: Sequence[str]) -> tuple[str, ...]:
    """A sentence where the table is sorted by numbers that may count days or the like from some start."""
    for name in names:
        values = column_of(table, name)
        if values.dtype.kind not in "iuf" or not speaks_of_time(name) or speaks_of_origin(name):
            continue
        numbers = values.astype(np.float64)
        if is_ordered(numbers) and not _starts_again(numbers):
            return (
                f"The table is sorted by {name!r}, a name that speaks of time, but nothing else shows that the rows "
                "were recorded along it, so it does not decide the split. If later rows are to be predicted from "
                f"earlier ones, use --time {shlex.quote(name)}.",
            )
    return ()


def _starts_again(numbers: Floats) -> bool:
    """Do numbers go back to their beginning, as the times of one person after the other do?"""
    known = _ranks(numbers[np.isfinite(numbers)])
    return abs(float(np.corrcoef(known, np.arange(len(known)))[0, 1])) < LEAST_SORTED


def resembling_column(table: Any, y: Array, for_classes: bool, names: Sequence[str], least: float) -> str | None:
    """The column of numbers that resembles that of the row before most clearly, and not only because classes stand
    together; None where none does, or where the rows are sorted by a column."""
    best, best_z = None, 0.0
    for name in list(names)[:MOST_COLUMNS]:
        values = column_of(table, name)
        if values.dtype.kind not in "iuf":
            continue
        numbers = values.astype(np.float64)
        if is_ordered(numbers) and not _is_numbering(numbers):
            return None
        result = _within_classes(numbers, y, for_classes)
        if not _is_numbering(numbers) and result.is_clear and result.correlation >= least and result.z > best_z:
            best, best_z = name, result.z
    return best


def follows_rows(values: Array) -> bool:
    """Do numbers hardly differ from those of the row before?"""
    if values.dtype.kind not in "iuf":
        return False
    numbers = values.astype(np.float64)
    return lag_correlation(numbers[np.isfinite(numbers)]).correlation >= NEIGHBORING


def _within_classes(numbers: Floats, y: Array, for_classes: bool) -> Autocorrelation:
    known = np.isfinite(numbers)
    if known.sum() < len(numbers) / 2:
        return Autocorrelation(0.0, 0.0)
    ranks = _ranks(np.where(known, numbers, np.median(numbers[known])))
    return lag_correlation(without_segments(without_runs(ranks, y) if for_classes else ranks))


def _ranks(numbers: Floats) -> Floats:
    return target_numbers(numbers, for_classes=False)[0]


def _is_numbering(numbers: Floats) -> bool:
    """Does a column count the rows, in their order or in another one?"""
    steps = np.diff(numbers)
    if not len(steps):
        return False
    in_another = len(np.unique(numbers)) == len(numbers) and np.ptp(numbers) < 2 * len(numbers)
    return bool(in_another and (numbers % 1 == 0).all()) or float((steps == np.median(steps)).mean()) > 0.9
