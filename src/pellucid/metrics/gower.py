"""Distances of rows whose columns are of different kinds: numbers, categories, flags; some of them missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pellucid import _core
from pellucid.base.errors import DataError, ParameterError, count, format_message
from pellucid.base.threads import effective_threads
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, InputSpec, apply_schema, infer_schema

__all__ = ["GowerColumns", "gower_distance", "gower_distances"]

NEEDS = InputSpec(missing=True, categories=True, unknown="missing")


@dataclass(frozen=True)
class GowerColumns:
    """What each column adds to the distance.

    share : one over the range of a column of numbers (0 where it has none); -1 for one of categories
    weight : how much each column counts
    unit : powers of two by which values are multiplied first, where a range or one over it is no ordinary number
    """

    share: Floats
    weight: Floats
    unit: Floats | None = None

    @classmethod
    def of(cls, halves: Floats, weight: Floats, categories: Iterable[int]) -> GowerColumns:
        """From half the range of each column, which does not overflow, and the places of those of categories."""
        halves = halves.copy()
        halves[list(categories)] = 0.0
        odd = (halves > 0) & ~((halves > 2.0**-1000) & (halves < 2.0**1000))
        unit = np.where(odd, np.ldexp(1.0, -np.clip(np.frexp(halves)[1], -1000, 1000)), 1.0)
        share = np.array([0.5 / half if half > 0 else 0.0 for half in halves * unit])
        share[list(categories)] = -1.0
        return cls(share, np.ascontiguousarray(weight), unit if odd.any() else None)

    def table(self, x: Array, z: Array, n_jobs: int | None = None) -> Floats:
        """Distances of all rows of x and z, numbers and codes of categories, NaN where a value is missing."""
        out = np.empty((len(x), len(z)))
        left = self._scaled(x)
        right = left if z is x else self._scaled(z)
        _core.gower_table(left, right, right is left, self.share, self.weight, out, effective_threads(n_jobs))
        return out

    def _scaled(self, rows: Array) -> Floats:
        numbers = np.asarray(rows, dtype=np.float64)
        with np.errstate(over="ignore"):  # far beyond the range: a distance of 1
            return numbers if self.unit is None else numbers * self.unit


def gower_columns(d: Design, weights: Any = None, ranges: Any = None) -> GowerColumns:
    """From the table itself: its ranges, and which columns hold categories."""
    weight = np.ones(d.n_cols) if weights is None else np.asarray(weights, dtype=np.float64)
    if weight.shape != (d.n_cols,) or not (np.isfinite(weight) & (weight >= 0)).all() or not weight.any():
        requirement = f"weights must be {count(d.n_cols, 'number')} of 0 or more, one a column, not all 0"
        raise ParameterError(format_message(d.who, requirement))
    halves = _half_ranges(d.numbers) if ranges is None else _given_ranges(d, ranges) / 2
    return GowerColumns.of(halves, weight, d.schema.categories)


def _given_ranges(d: Design, given: Any) -> Floats:
    ranges = np.asarray(given, dtype=np.float64)
    if ranges.shape != (d.n_cols,):
        raise ParameterError(format_message(d.who, f"ranges must be {count(d.n_cols, 'number')}, one a column"))
    return ranges


def _half_ranges(*tables: Array) -> Floats:
    """Half the range of each column over all tables; 0 for one without values."""
    lows = [np.nanmin(table, axis=0, initial=np.inf) for table in tables]
    highs = [np.nanmax(table, axis=0, initial=-np.inf) for table in tables]
    low, high = np.min(lows, axis=0).astype(np.float64), np.max(highs, axis=0).astype(np.float64)
    return np.where(high >= low, high, 0.0) / 2 - np.where(high >= low, low, 0.0) / 2


def gower_distances(
    X: Any, Y: Any = None, *, weights: Sequence[float] | None = None, ranges: Any = None, n_jobs: int | None = None
) -> Floats:
    """Gower's distances of rows with columns of any kind.

    ``d_ij = sum_c w_c d_c / sum_c w_c`` over the columns c that both rows have, with

    d_c  ``|x_ic - y_jc| / range_c`` for numbers, at most 1; 0 or 1 for categories that are equal or not
    w_c  weight of column c, 1 if none are given

    A distance lies between 0 and 1. A missing value leaves its column out of the pair; rows with no column in common
    are at distance NaN. Ranges are those of X (of X and Y together if there are two), or given. Tables may be
    dataframes with words and categories, or lists of rows.

    >>> import pandas as pd
    >>> gower_distances(pd.DataFrame({"age": [20, 30, 40], "town": ["Bern", "Bern", "Basel"]}))
    array([[0.  , 0.25, 1.  ],
           [0.25, 0.  , 0.75],
           [1.  , 0.75, 0.  ]])
    """
    who = "gower_distances"
    x = infer_schema(as_mixed_table(X), NEEDS, who)
    columns = gower_columns(x, weights, ranges)
    if Y is None:
        return columns.table(x.numbers, x.numbers, n_jobs)
    z = apply_schema(as_mixed_table(Y), x.schema, NEEDS, who)
    if ranges is None:
        columns = GowerColumns.of(_half_ranges(x.numbers, z.numbers), columns.weight, x.schema.categories)
    return columns.table(x.numbers, mixed_numbers(z), n_jobs)


def as_mixed_table(X: Any) -> Any:
    """A list of rows that mix words and numbers keeps the numbers numbers."""
    if isinstance(X, list | tuple):
        return np.array(X, dtype=object)
    return X


def mixed_numbers(d: Design) -> Floats:
    """Numbers and codes of a table of `NEEDS`; a category that `fit` did not see is -1, not missing: it differs."""
    numbers = np.array(d.numbers, dtype=np.float64)
    for j in d.schema.categories:
        numbers[np.isnan(numbers[:, j]) & ~d.table.missing(j), j] = -1.0
    return numbers


def gower_distance(a: Mapping[str, Any], b: Mapping[str, Any], ranges: Mapping[str, float]) -> float:
    """Gower's distance of two rows, given as values by name; `ranges` has the range of every column of numbers.

    >>> gower_distance({"age": 20, "town": "Bern"}, {"age": 30, "town": "Basel"}, ranges={"age": 40})
    0.625
    """
    who = "gower_distance"
    if set(a) != set(b):
        raise DataError(
            format_message(who, "a and b must have the same columns", actual=f"got {sorted(a)} and {sorted(b)}")
        )
    terms = [_term(who, name, a[name], b[name], ranges) for name in a if not (_gap(a[name]) or _gap(b[name]))]
    return sum(terms) / len(terms) if terms else float("nan")


def _gap(value: Any) -> bool:
    return value is None or value != value


def _term(who: str, name: str, a: Any, b: Any, ranges: Mapping[str, float]) -> float:
    if name not in ranges:
        return float(a != b)
    if not ranges[name] > 0:
        raise ParameterError(format_message(who, "a range must be above 0", actual=f"got {ranges[name]!r} of {name!r}"))
    return min(float(abs(a - b)) / ranges[name], 1.0)
