"""Rows that repeat others in every column, but for those that number the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pellucid.base.threads import effective_threads
from pellucid.base.types import Array
from pellucid.data.slices import take_columns
from pellucid.quality.checks.duplicates import hold_copies, may_repeat_by_chance
from pellucid.quality.column import Column, compute_stats

LONG_TEXT, VARIED_TEXT = 25, 0.5  # characters on average, and the least share of different ones
LEAST_FINE = 3  # columns of fine measurements, in which rows are not equal by chance
DISTINCT = 0.8  # values of a column for each different row, from which on it tells them apart
LEAST_VALUES = 20  # of such a column
LEAST_COMPARED = 2  # columns, without which rows are not equal but only of one class
LEAST_EQUAL = 0.01  # share of the rows that repeat others


@dataclass(frozen=True)
class EqualRows:
    """Rows that are equal in every column.

    first : of each row, the number of the first one that equals it
    is_singular : are several columns measured finely, or does one hold long texts or tell most different rows apart, so
        that equal rows tell of copies, or do more rows stand twice than any chance allows? Rows of a few categories may
        well be equal
    by_chance : may as many rows be equal by chance, as the columns have so few values?
    but : columns that were not compared, as every row has its own value there
    """

    first: Array
    is_singular: bool
    by_chance: bool
    but: tuple[str, ...] = ()

    @property
    def n_repeated(self) -> int:
        """Rows that repeat an earlier one."""
        return int((self.first != np.arange(len(self.first))).sum())


def equal_rows(table: Any, names: Sequence[str]) -> EqualRows | None:
    """The rows that repeat others, if they are not just a few. The number of a row does not make it another."""
    stats = compute_stats(take_columns(table, list(names)), "report", None, effective_threads(None))
    numbering = [str(column.name) for column in stats if _is_numbering(column)]
    if len(numbering) > len(stats.columns) - LEAST_COMPARED:
        return None
    if numbering:
        stats = compute_stats(take_columns(table, [name for name in names if name not in numbering]), "report", None, 1)
    if stats.n_rows < 20:
        return None
    first = np.asarray(stats.first_equal)
    n_different = len(np.unique(first))
    if stats.n_rows - n_different < max(5, LEAST_EQUAL * stats.n_rows):
        stats.forget()
        return None
    by_chance = may_repeat_by_chance(stats)
    is_singular = sum(map(_is_fine, stats)) >= LEAST_FINE or any(map(_is_long_text, stats))
    is_singular = is_singular or any(
        len(column.values) >= max(DISTINCT * n_different, LEAST_VALUES) for column in stats
    )
    is_singular = is_singular or hold_copies(first)
    stats.forget()
    return EqualRows(first, is_singular and not by_chance, by_chance, tuple(numbering))


def _is_fine(column: Column) -> bool:
    """Are there decimals, and many different numbers?"""
    if not column.has_numbers or len(column.values) < min(0.05 * column.n_rows, 50):
        return False
    values = column.values.astype(np.float64)
    return bool((values[np.isfinite(values)] % 1 != 0).any())


def _is_long_text(column: Column) -> bool:
    """Texts of several words, of which hardly any repeats."""
    if not column.is_text or len(column.values) < max(2.0, VARIED_TEXT * column.n_rows):
        return False
    shown = column.values[:: max(1, len(column.values) // 1000)]
    return float(np.mean([len(str(value)) for value in shown])) >= LONG_TEXT


def _is_numbering(column: Column) -> bool:
    """Has every row a value of its own, a short text or a whole number? Long texts are what the rows are about."""
    if len(column.values) < column.n_rows:
        return False
    return not _is_long_text(column) if column.is_text else column.has_numbers and not _is_fine(column)
