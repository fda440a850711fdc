"""Rows that repeat others although their values vary too much for that to be chance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pellucid.base.threads import effective_threads
from pellucid.base.types import Array
from pellucid.data.slices import take_columns
from pellucid.quality.column import Column, look_at

LONG_TEXT, VARIED_TEXT = 25, 0.5  # characters on average, and the least share of different ones
LEAST_FINE = 3  # columns of fine measurements, in which rows are not equal by chance
LEAST_EQUAL = 0.01  # share of the rows that repeat others


def equal_rows(table: Any, names: Sequence[str]) -> Array | None:
    """The number of the first row that equals each row, if rows repeat that cannot be equal by chance: several columns
    are measured finely, or one holds long texts. Rows of a few categories may well be equal. The number of a row does
    not make it another."""
    look = look_at(take_columns(table, list(names)), "report", None, effective_threads(None))
    numbering = [str(column.name) for column in look if _is_numbering(column)]
    if len(numbering) == len(look.columns):
        return None
    if numbering:
        look = look_at(take_columns(table, [name for name in names if name not in numbering]), "report", None, 1)
    fine = [column for column in look if _is_fine(column)]
    is_singular = len(fine) >= LEAST_FINE or any(map(_is_long_text, look))
    if not is_singular or look.n_rows < 20:
        return None
    first = np.asarray(look.first_equal)
    n_repeated = int((first != np.arange(len(first))).sum())
    look.forget()
    return first if n_repeated >= max(5, LEAST_EQUAL * len(first)) else None


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
    """Has every row a value of its own, a text or a whole number?"""
    return len(column.values) == column.n_rows and (column.is_text or (column.has_numbers and not _is_fine(column)))
