"""Figures of all columns of a table in one pass: counts, means, squares, ends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pellucid import _core
from pellucid.base.errors import DataError, format_message
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, check_finite

# Squares of numbers within these limits are neither too large nor too small for a float.
_SMALL, _LARGE = 1e-100, 1e100


@dataclass(frozen=True)
class Figures:
    """Count, mean, squares and ends of every column, over the rows in which it is not missing.

    mean, square : of ``(x - shift) * unit``, where ``shift`` is a number in the midst of the column and ``unit`` a
        power of two that keeps squares within range
    rows : rows looked at, with a value or without
    weighted : were there weights?
    """

    shift: Floats
    count: Floats
    weight: Floats
    mean: Floats
    square: Floats
    low: Floats
    high: Floats
    unit: Floats
    rows: int
    weighted: bool

    @staticmethod
    def read(d: Design, threads: int) -> Figures:
        """All figures of a table."""
        unit = np.ones(d.n_cols)
        figures = _core.column_figures(d.matrix, d.weight, unit, threads)
        if _has_infinity(figures):
            check_finite(d, allow_nan=True)
        better = _unit(figures["low"], figures["high"])
        if (better != 1).any():
            unit = better
            figures = _core.column_figures(d.matrix, d.weight, unit, threads)
        return Figures(**figures, unit=unit, rows=d.n_rows, weighted=d.weight is not None)

    @staticmethod
    def read_ends(d: Design, threads: int) -> Figures:
        """Counts and ends alone: mean and square say nothing."""
        ends = _core.column_ends(d.matrix, threads)
        if _has_infinity(ends):
            check_finite(d, allow_nan=True)
        return Figures(**ends, unit=np.ones(d.n_cols), rows=d.n_rows, weighted=False)

    def join(self, other: Figures) -> Figures:
        """The figures of both tables, one below the other (Chan, Golub, LeVeque 1983)."""
        low, high = np.minimum(self.low, other.low), np.maximum(self.high, other.high)
        unit = _unit(low, high)
        a, b = unit / self.unit, unit / other.unit
        weight = self.weight + other.weight
        share = np.divide(other.weight, weight, out=np.zeros_like(weight), where=weight > 0)
        has_weight = self.weight > 0
        shift = np.where(has_weight, self.shift, other.shift)
        with np.errstate(over="ignore", under="ignore"):  # what has no range is refused later
            apart = np.where(has_weight, other.mean * b - self.mean * a + (other.shift * unit - shift * unit), 0.0)
            joined = self.square * a * a + other.square * b * b + apart * apart * share * self.weight
        return Figures(
            shift=shift,
            count=self.count + other.count,
            weight=weight,
            mean=np.where(has_weight, self.mean * a + apart * share, other.mean * b),
            square=joined,
            low=low,
            high=high,
            unit=unit,
            rows=self.rows + other.rows,
            weighted=self.weighted or other.weighted,
        )

    @property
    def means(self) -> Floats:
        """Mean of each column; NaN where there is no value."""
        return np.where(self.count > 0, self.shift + self.mean / self.unit, np.nan)

    @property
    def ends(self) -> tuple[Floats, Floats]:
        """Smallest and largest value of each column; NaN where there is none."""
        has_value = self.count > 0
        return np.where(has_value, self.low, np.nan), np.where(has_value, self.high, np.nan)

    @property
    def is_constant(self) -> Array:
        """Are all values of a column the same?"""
        return np.asarray(self.low == self.high)


def _has_infinity(figures: dict[str, Floats]) -> bool:
    return bool(((figures["count"] > 0) & (np.isinf(figures["low"]) | np.isinf(figures["high"]))).any())


def _half_range(low: Floats, high: Floats) -> Floats:
    """Half the distance between the ends, which is never too large for a float; 0 where there is no value."""
    has_value = low <= high
    return np.asarray(np.where(has_value, high, 0.0) / 2 - np.where(has_value, low, 0.0) / 2)


def _unit(low: Floats, high: Floats) -> Floats:
    """The power of two for a column with these ends: 1 unless squares could leave the range of numbers."""
    half = _half_range(low, high)
    odd = (half > _LARGE) | ((half > 0) & (half < _SMALL))
    return np.where(odd, np.ldexp(1.0, np.clip(-np.frexp(half)[1], -1000, 1000)), 1.0)


def check_range(low: Floats, high: Floats, who: str, labels: list[str]) -> None:
    """Refuses a column whose ends are further apart than the largest number."""
    wide = np.flatnonzero(_half_range(low, high) > np.finfo(np.float64).max / 2)
    if len(wide):
        j = int(wide[0])
        requirement, where = (
            "the range of a column must fit into float64",
            f"{labels[j]!r} goes from {low[j]:g} to {high[j]:g}",
        )
        raise DataError(format_message(who, requirement, actual=where, hint="divide the column by a constant before"))
