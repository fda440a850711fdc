"""Indices over tables of distances: worked out by a measure, or given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse

from pellucid import _core
from pellucid.base.errors import DataError, format_message
from pellucid.base.types import Array, Floats
from pellucid.models.neighbors.index import Found, Neighborhoods
from pellucid.neighbors._measures import Measure

_CELLS = 1 << 22  # distances at a time, which bounds memory at 32 MB


@dataclass
class TableIndex:
    """Rows of any kind under a measure: all distances of a block of queries, then the smallest."""

    rows: Any
    measure: Measure

    def nearest(self, queries: Any, k: int, threads: int) -> Found:
        """The k nearest rows, by all distances."""
        parts = [_core.smallest_in_rows(table, k, threads) for table in self._tables(queries, threads)]
        return Found(*(np.concatenate(part) for part in zip(*parts, strict=True)))

    def within(self, queries: Any, radius: float, threads: int) -> Neighborhoods:
        """All rows at most so far away, by all distances."""
        return _joined([within_table(table, radius) for table in self._tables(queries, threads)])

    def _tables(self, queries: Any, threads: int) -> Iterator[Floats]:
        n = len(queries)
        size = max(1, _CELLS // max(1, len(self.rows)))
        for begin in range(0, n, size):
            yield np.ascontiguousarray(self.measure(queries[begin : begin + size], self.rows, threads))


@dataclass
class GivenIndex:
    """Distances that are given: queries are rows of a table with one column a fitted row.

    A sparse table holds the distances of neighbors alone: what is not stored is no neighbor.
    """

    rows: Any  # distances between the fitted rows
    who: str

    def nearest(self, queries: Any, k: int, threads: int) -> Found:
        """The k smallest distances of each query."""
        if scipy.sparse.issparse(queries):
            return self._stored(queries, k)
        return Found(*_core.smallest_in_rows(np.asarray(queries, dtype=np.float64), k, threads))

    def nearest_others(self, k: int, threads: int) -> Found:
        """The same for the fitted rows, each without itself."""
        if scipy.sparse.issparse(self.rows):
            return self._stored(_without_itself(self.rows), k)
        table = np.array(self.rows, dtype=np.float64)
        np.fill_diagonal(table, np.nan)  # passed over
        return Found(*_core.smallest_in_rows(table, k, threads))

    def within(self, queries: Any, radius: float, threads: int) -> Neighborhoods:
        """All that are given and at most so far away."""
        if not scipy.sparse.issparse(queries):
            return within_table(np.asarray(queries, dtype=np.float64), radius)
        starts, distances, rows = _sorted(queries)
        keep = distances <= radius
        counts = np.add.reduceat(np.append(keep, False), starts[:-1]) if len(keep) else np.zeros(len(starts) - 1, int)
        counts = np.where(np.diff(starts) > 0, counts, 0)  # reduceat gives an empty row its neighbor's first
        return Neighborhoods(np.append(0, np.cumsum(counts)).astype(np.int64), distances[keep], rows[keep])

    def _stored(self, graph: Any, k: int) -> Found:
        starts, distances, rows = _sorted(graph)
        fewest = int(np.diff(starts).min())
        if fewest < k:
            row = int(np.diff(starts).argmin())
            requirement = f"{k} neighbors are required for each samples"
            actual = f"row {row} of the precomputed graph has {fewest}"
            raise DataError(
                format_message(
                    self.who, requirement, actual=actual, hint="ask for fewer, or make the graph with more neighbors"
                )
            )
        places = starts[:-1, None] + np.arange(k)
        return Found(distances[places], rows[places])


def within_table(table: Floats, radius: float) -> Neighborhoods:
    """Numbers of a table that are at most a radius, row by row, smallest first."""
    query, row = np.nonzero(table <= radius)
    distances = table[query, row]
    order = np.lexsort((row, distances, query))
    starts = np.append(0, np.cumsum(np.bincount(query, minlength=len(table)))).astype(np.int64)
    return Neighborhoods(starts, distances[order], row[order].astype(np.int64))


def _joined(parts: list[Neighborhoods]) -> Neighborhoods:
    sizes = np.concatenate([np.diff(part.starts) for part in parts])
    starts = np.append(0, np.cumsum(sizes)).astype(np.int64)
    return Neighborhoods(starts, np.concatenate([p.distances for p in parts]), np.concatenate([p.rows for p in parts]))


def nearest_first(graph: Any) -> Array:
    """The order that sorts the stored entries of each row of a CSR matrix."""
    row = np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr))
    return np.lexsort((graph.indices, graph.data, row))


def _sorted(graph: Any) -> tuple[Array, Floats, Array]:
    """Stored entries of a CSR matrix, row by row, smallest first, among equals the smaller column first."""
    order = nearest_first(graph)
    return graph.indptr.astype(np.int64), graph.data[order].astype(np.float64), graph.indices[order].astype(np.int64)


def _without_itself(graph: Any) -> Any:
    row = np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr))
    keep = graph.indices != row
    starts = np.append(0, np.cumsum(np.bincount(row[keep], minlength=graph.shape[0])))
    return scipy.sparse.csr_matrix((graph.data[keep], graph.indices[keep], starts), shape=graph.shape)
