"""Densities of one column as sums of Gaussian kernels, a class each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from pellucid import _core
from pellucid.base.errors import DataError, format_message
from pellucid.base.types import Array, Floats


@dataclass(frozen=True, eq=False)
class Points:
    """Distinct values in ascending order, and the weight of the rows that have each."""

    values: Floats
    weight: Floats

    def __add__(self, other: Points) -> Points:
        return points_of(
            np.concatenate([self.values, other.values]), np.concatenate([self.weight, other.weight])
        )  # fmt: skip

    @property
    def rows(self) -> float:
        return float(self.weight.sum())

    def spread(self) -> float:
        """The sample's standard deviation, n - 1 below; 0 of a single value. Weights below 1 count as half a row."""
        rows = self.rows
        if len(self.values) < 2:
            return 0.0
        unit = float(np.ldexp(1.0, int(np.frexp(np.abs(self.values).max())[1]) - 1))  # keeps squares in range
        x = self.values / unit
        mean = float(self.weight @ (x / rows))
        return unit * float(np.sqrt(self.weight @ (x - mean) ** 2 / max(rows - 1, rows / 2)))


EMPTY = Points(np.empty(0), np.empty(0))


def points_of(values: Floats, weight: Floats | None) -> Points:
    """Values, missing ones left out, with equal ones put together."""
    there = ~np.isnan(values)
    kept = np.asarray(values[there], dtype=np.float64) + 0.0  # one zero
    found, which = np.unique(kept, return_inverse=True)
    return Points(found, np.bincount(which, None if weight is None else weight[there], len(found)).astype(np.float64))


def points_by_class(column: Floats, codes: Array, weight: Floats | None, classes: int) -> list[Points]:
    """The points of each class."""
    found = []
    for c in range(classes):
        rows = np.flatnonzero(codes == c)
        found.append(points_of(column[rows], None if weight is None else weight[rows]))
    return found


@dataclass(frozen=True, eq=False)
class Density:
    """f(x) = sum_i w_i exp(-((x - x_i) / h)² / 2) / (W h sqrt(2 pi)),  W the sum of the weights."""

    points: Points
    width: float

    def kernel(self) -> _core.Density:
        """The same for the kernel, made once."""
        found = _made.get(self)
        if found is None:
            share = self.points.weight / self.points.rows
            found = _made[self] = _core.Density(self.points.values, share, self.width)
        return found


_made: WeakKeyDictionary[Density, _core.Density] = WeakKeyDictionary()


def densities_of(points: Sequence[Points], bandwidth: float | str, name: Any, who: str) -> list[Density]:
    """The density of each class; one without values, or without spread, borrows that of the whole column."""
    whole = EMPTY
    for one in points:
        whole = whole + one
    if len(whole.values) == 0:
        return []  # nothing but missing values: the column says nothing
    spread = whole.spread()
    with np.errstate(over="ignore"):
        reach = 2 * spread + (whole.values[-1] - whole.values[0])
    if not np.isfinite(reach):
        requirement, hint = "distances must fit into 64-bit floats", "scale it, or take its logarithm"
        raise DataError(format_message(who, requirement, actual=f"column {name!r} spreads too far", hint=hint))
    if spread == 0 and isinstance(bandwidth, str):
        bandwidth = 1.0  # one value in all classes: any width says nothing, if it is the same
    return [_density(one if len(one.values) else whole, bandwidth, spread) for one in points]


def _density(points: Points, bandwidth: float | str, spread: float) -> Density:
    if not isinstance(bandwidth, str):
        return Density(points, float(bandwidth))
    rows = max(points.rows, 1.0)
    factor = (rows if bandwidth == "scott" else 0.75 * rows) ** -0.2
    width = factor * (points.spread() or spread)
    return Density(points, max(width, float(np.finfo(np.float64).tiny)))


def add_scores(column: Array, densities: Sequence[Density], out: Floats, threads: int) -> None:
    """Adds the logarithms of the densities at the column's values, missing ones left out, to rows x classes."""
    if densities:
        x = np.asarray(column, dtype=np.float64)
        _core.add_log_densities(x, [one.kernel() for one in densities], out.ravel(), threads)
        np.copyto(out, -np.inf, where=np.isnan(out))  # where not even the distance from the nearest value is a float


def nearest_values(columns: Array, densities: Sequence[Sequence[Density]]) -> tuple[Floats, Floats]:
    """For columns far outside, the value of each class that is nearest, classes x rows x columns; and the widths."""
    parts = [[np.clip(columns[:, j], f.points.values[0], f.points.values[-1]) for f in column]
             for j, column in enumerate(densities)]  # fmt: skip
    widths = np.array([[f.width for f in column] for column in densities])
    return np.array(parts).transpose(1, 2, 0), widths.T
