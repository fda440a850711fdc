"""Tables and queries whose squares leave the range of numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse

from pellucid.base.types import Array, Floats
from pellucid.models.neighbors.brute import BruteIndex
from pellucid.models.neighbors.index import Found, Neighborhoods
from pellucid.models.neighbors.metric import Metric

LEAST, MOST = 2.0**-300, 2.0**400  # between these, squares of numbers and sums of them are ordinary numbers


def unit_of(rows: Any) -> float:
    """1, or the power of two that brings the largest number of a very large or very small table near 1."""
    largest = float(np.abs(rows.data if scipy.sparse.issparse(rows) else rows).max(initial=0.0))
    return 1.0 if largest == 0 or LEAST < largest < MOST else float(np.ldexp(1.0, -int(np.frexp(largest)[1])))


def scaled(rows: Any, unit: float) -> Any:
    """Rows times the unit, as doubles; as they are if it is 1."""
    with np.errstate(over="ignore"):
        return rows if unit == 1 else rows * np.float64(unit)


def prepared(source: Any, metric: Metric) -> tuple[Any, float]:
    """The rows as a distance reads them, scaled into the range of numbers, and the unit."""
    rows = metric.prepare(source)
    unit = unit_of(rows)
    return scaled(rows, unit), unit


def nearest(index: Any, queries: Any, k: int, threads: int, search: Callable[[Any], Found]) -> Found:
    """The answer of a search among scaled rows; queries that lie beyond its range are compared with every row."""
    scaled_queries = scaled(index.metric.prepare(queries), index.unit)
    far = _beyond(scaled_queries)
    if not far.any():
        neighbors = search(scaled_queries)
        return Found(_back(neighbors.distances, index.unit), neighbors.rows)
    distances, rows = np.empty((len(far), k)), np.empty((len(far), k), dtype=np.int64)
    if not far.all():
        neighbors = search(scaled_queries[np.flatnonzero(~far)])
        distances[~far], rows[~far] = _back(neighbors.distances, index.unit), neighbors.rows
    distances[far], rows[far] = BruteIndex(index.source, index.metric).nearest(queries[np.flatnonzero(far)], k, threads)
    return Found(distances, rows)


def within(
    index: Any, queries: Any, radius: float, threads: int, search: Callable[[Any, float], Neighborhoods]
) -> Neighborhoods:
    """The same of all rows within a radius."""
    scaled_queries = scaled(index.metric.prepare(queries), index.unit)
    far = _beyond(scaled_queries)
    if index.unit == 1 and not far.any():
        return search(scaled_queries, radius)
    # A scaled radius may be infinite, or vanish: what lies beyond it is left out again.
    neighbors = search(scaled_queries[np.flatnonzero(~far)], float(np.nextafter(radius * index.unit, np.inf)))
    far_neighbors = BruteIndex(index.source, index.metric).within(queries[np.flatnonzero(far)], radius, threads)
    lists: list[tuple[Floats, Array]] = [(np.empty(0), np.empty(0, dtype=np.int64))] * len(far)
    for indices, neighborhoods, unit in (
        (np.flatnonzero(~far), neighbors, index.unit),
        (np.flatnonzero(far), far_neighbors, 1.0),
    ):
        for i, query in enumerate(indices):
            span = slice(neighborhoods.starts[i], neighborhoods.starts[i + 1])
            apart = _back(neighborhoods.distances[span], unit)
            lists[query] = apart[apart <= radius], neighborhoods.rows[span][apart <= radius]
    starts = np.append(0, np.cumsum([len(rows) for _, rows in lists])).astype(np.int64)
    return Neighborhoods(starts, np.concatenate([d for d, _ in lists]), np.concatenate([rows for _, rows in lists]))


def nearest_others(index: Any, k: int, threads: int) -> Found:
    """The k nearest other rows of each row: of k + 1 without the row itself, which need not be among its doubles."""
    n = index.rows.shape[0]
    return without(index.nearest(index.source, k + 1, threads), np.arange(n))


def without(neighbors: Found, own_rows: Array) -> Found:
    """The k of k + 1 neighbors that are not the row itself."""
    itself = neighbors.rows == own_rows[:, None]
    itself[:, -1] |= ~itself.any(axis=1)
    shape = (len(own_rows), neighbors.rows.shape[1] - 1)
    return Found(neighbors.distances[~itself].reshape(shape), neighbors.rows[~itself].reshape(shape))


def _beyond(scaled_queries: Any) -> Array:
    """Queries with numbers beyond all measure, of a table that has none."""
    largest = np.abs(scaled_queries).max(axis=1)
    one_a_row = largest.toarray() if scipy.sparse.issparse(largest) else largest
    return np.asarray(one_a_row, dtype=np.float64).ravel() >= MOST


def _back(distances: Floats, unit: float) -> Floats:
    with np.errstate(over="ignore"):
        return distances if unit == 1 else distances / unit
