"""Distances of rows whose columns are of different kinds: numbers, categories, flags; some of them missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pellucid import _core
from pellucid.base.errors import DataError, ParameterError, count, sentence
from pellucid.base.threads import effective_threads
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, Needs, fit_design, later_design

__all__ = ["GowerColumns", "gower_distance", "gower_distances"]

NEEDS = Needs(missing=True, categories=True, unknown="missing")


@dataclass(frozen=True)
class GowerColumns:
    """What each column adds to the distance.

    share : one over the range of a column of numbers (0 where it has none); -1 for one of categories
    weight : how much each column counts
    """

    share: Floats
    weight: Floats

    def table(self, x: Array, z: Array, n_jobs: int | None = None) -> Floats:
        """Distances of all rows of x and z, numbers and codes of categories, NaN where a value is missing."""
        out = np.empty((len(x), len(z)))
        left = np.asarray(x, dtype=np.float64)
        right = left if z is x else np.asarray(z, dtype=np.float64)
        _core.gower_table(left, right, right is left, self.share, self.weight, out, effective_threads(n_jobs))
        return out


def gower_columns(d: Design, weights: Any = None, ranges: Any = None) -> GowerColumns:
    """From the table itself: its ranges, and which columns hold categories."""
    weight = np.ones(d.n_cols) if weights is None else np.asarray(weights, dtype=np.float64)
    if weight.shape != (d.n_cols,) or not (np.isfinite(weight) & (weight >= 0)).all() or not weight.any():
        must = f"weights must be {count(d.n_cols, 'number')} of 0 or more, one a column, not all 0"
        raise ParameterError(sentence(d.who, must))
    share = np.array([1 / r if r > 0 else 0.0 for r in _ranges(d, ranges)])
    share[list(d.schema.categories)] = -1.0
    return GowerColumns(share, np.ascontiguousarray(weight))


def _ranges(d: Design, given: Any) -> Floats:
    if given is not None:
        ranges = np.asarray(given, dtype=np.float64)
        if ranges.shape != (d.n_cols,):
            raise ParameterError(sentence(d.who, f"ranges must be {count(d.n_cols, 'number')}, one a column"))
        return ranges
    X = np.asarray(d.numbers, dtype=np.float64)
    there = ~np.isnan(X)
    low = np.where(there, X, np.inf).min(axis=0)
    high = np.where(there, X, -np.inf).max(axis=0)
    return np.where(high >= low, high - low, 0.0)


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
    x = fit_design(_as_table(X), NEEDS, who)
    columns = gower_columns(x, weights, ranges)
    if Y is None:
        return columns.table(x.numbers, x.numbers, n_jobs)
    z = later_design(_as_table(Y), x.schema, NEEDS, who)
    if ranges is None:
        columns = _both(x, z, columns)
    return columns.table(x.numbers, _unseen_apart(x, z), n_jobs)


def _as_table(X: Any) -> Any:
    """A list of rows that mix words and numbers keeps the numbers numbers."""
    if isinstance(X, list | tuple):
        return np.array(X, dtype=object)
    return X


def _both(x: Design, z: Design, columns: GowerColumns) -> GowerColumns:
    numbers = np.concatenate((np.asarray(x.numbers, dtype=np.float64), np.asarray(z.numbers, dtype=np.float64)))
    low, high = np.nanmin(numbers, axis=0, initial=np.inf), np.nanmax(numbers, axis=0, initial=-np.inf)
    ranges = np.where(high >= low, high - low, 0.0)
    share = np.array([1 / r if r > 0 else 0.0 for r in ranges])
    return GowerColumns(np.where(columns.share < 0, -1.0, share), columns.weight)


def _unseen_apart(x: Design, z: Design) -> Floats:
    """A category that x does not have differs from all of its categories; it is not missing."""
    numbers = np.array(z.numbers, dtype=np.float64)
    for j in x.schema.categories:
        there = np.array([value is not None and value == value for value in z.table.column(j).tolist()])
        numbers[there & np.isnan(numbers[:, j]), j] = -1.0
    return numbers


def gower_distance(a: Mapping[str, Any], b: Mapping[str, Any], ranges: Mapping[str, float]) -> float:
    """Gower's distance of two rows, given as values by name; `ranges` has the range of every column of numbers.

    >>> gower_distance({"age": 20, "town": "Bern"}, {"age": 30, "town": "Basel"}, ranges={"age": 40})
    0.625
    """
    who = "gower_distance"
    if set(a) != set(b):
        raise DataError(sentence(who, "a and b must have the same columns", f"got {sorted(a)} and {sorted(b)}"))
    terms = [_term(who, name, a[name], b[name], ranges) for name in a if not (_gap(a[name]) or _gap(b[name]))]
    return sum(terms) / len(terms) if terms else float("nan")


def _gap(value: Any) -> bool:
    return value is None or value != value


def _term(who: str, name: str, a: Any, b: Any, ranges: Mapping[str, float]) -> float:
    if name not in ranges:
        return float(a != b)
    if not ranges[name] > 0:
        raise ParameterError(sentence(who, "a range must be above 0", f"got {ranges[name]!r} of {name!r}"))
    return min(float(abs(a - b)) / ranges[name], 1.0)
