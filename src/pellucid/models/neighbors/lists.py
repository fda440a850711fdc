"""Cells of k-means, of which a query looks at the nearest ones."""

from __future__ import annotations

from dataclasses import InitVar, dataclass, field
from typing import Any

import numpy as np

from pellucid import _core
from pellucid.base.threads import effective_threads
from pellucid.base.types import Array
from pellucid.models.neighbors import bounds
from pellucid.models.neighbors import range as ranges
from pellucid.models.neighbors.index import Found, Neighborhoods
from pellucid.models.neighbors.metric import Metric, as_matrix
from pellucid.models.neighbors.recall import enough, refuse_metric, sampled

ROUNDS = 8  # of k-means
ROWS_A_CELL = 32  # that k-means looks at
SAMPLE = 500  # rows that recall is measured with


def cells_for(rows: int) -> int:
    """Cells for a table: three times the root of its rows, with eight rows or more each."""
    return max(1, min(int(3 * rows**0.5), rows // 8))


@dataclass
class ListIndex:
    """Rows by cell; which cells are looked at is the approximation, within them nothing is missed.

    n_cells : how many; about three times the root of the number of rows unless told
    probes : how many cells a query looks at; chosen for `recall` of the `k` nearest unless told
    """

    source: Any
    metric: Metric
    n_cells: int | None = None
    probes: int | None = None
    recall: float = 0.95
    k: int = 10
    seed: int = 0
    threads: InitVar[int | None] = None
    who: str = "ListIndex"
    measured: float | None = field(init=False, default=None)
    unit: float = field(init=False, default=1.0)
    rows: Any = field(init=False, repr=False)
    arrays: tuple[Array, ...] = field(init=False, repr=False)

    def __post_init__(self, threads: int | None) -> None:
        refuse_metric(self.metric, self.who)
        threads = effective_threads(threads)
        self.rows, self.unit = ranges.prepared(self.source, self.metric)
        n = self.rows.shape[0]
        cells = min(self.n_cells or cells_for(n), n)
        self.arrays = _core.build_lists(
            as_matrix(self.rows), self.metric.code, cells, ROUNDS, ROWS_A_CELL, self.seed, threads
        )
        if self.probes is None:
            self.probes = self._chosen_probes(threads)
        self.probes = min(self.probes, self.cells)

    def __setstate__(self, state: dict[str, Any]) -> None:
        bounds.put_back(self, state)

    def check(self) -> None:
        """Refuses arrays that a search could leave."""
        bounds.ensure(bounds.is_table(self.rows) and bounds.is_count(self.probes), self, "rows must be a table")
        bounds.check_lists(self, self.arrays, *self.rows.shape)

    @property
    def cells(self) -> int:
        """How many cells have rows."""
        return len(self.arrays[5])

    @property
    def cell_of(self) -> Array:
        """The number of each row's cell."""
        starts, order = self.arrays[6], self.arrays[7]
        cell = np.empty(len(order), dtype=np.int64)
        cell[order] = np.repeat(np.arange(self.cells), np.diff(starts))
        return cell

    def _chosen_probes(self, threads: int) -> int:
        """The least number of cells that hold enough of the neighbors of some rows.

        All cells are looked at once; the place of a neighbor's cell in the order of the query's cells says from how
        many cells on the neighbor is found.
        """
        n, k = len(self.rows), min(self.k, len(self.rows) - 1)
        if k < 1 or self.cells == 1:
            self.measured = 1.0
            return 1
        sample = sampled(n, SAMPLE, self.seed)
        sample_queries = np.ascontiguousarray(self.rows[sample])
        near = _core.lists_nearest(
            self.arrays, as_matrix(self.rows), as_matrix(sample_queries), k + 1, self.cells, self.metric.code, threads
        )[1]
        rank = np.argsort(_core.lists_order(self.arrays, as_matrix(sample_queries), self.cells, threads), axis=1)
        needed = np.take_along_axis(rank, self.cell_of[near], axis=1) + 1
        needed = np.where(near == sample[:, None], 0, needed)  # the row itself is no neighbor
        for probes in range(1, self.cells + 1):
            shares = ((needed <= probes) & (needed > 0)).sum(axis=1) / np.maximum((needed > 0).sum(axis=1), 1)
            if enough(shares, self.recall):
                break
        self.measured = float(shares.mean())
        return probes

    def nearest(self, queries: Any, k: int, threads: int) -> Found:
        """The k nearest rows of the cells that are looked at."""
        return ranges.nearest(
            self, queries, k, threads, lambda scaled_queries: self._search(scaled_queries, k, threads)
        )

    def _search(self, scaled_queries: Any, k: int, threads: int) -> Found:
        assert self.probes is not None
        rows = as_matrix(self.rows)
        result = _core.lists_nearest(
            self.arrays, rows, as_matrix(scaled_queries), k, self.probes, self.metric.code, threads
        )
        return Found(*result)

    def nearest_others(self, k: int, threads: int) -> Found:
        """The k nearest other rows of each row that are found."""
        return ranges.nearest_others(self, k, threads)

    def within(self, queries: Any, radius: float, threads: int) -> Neighborhoods:
        """All rows at most so far away: exact, since a cell is left out only if all of it lies beyond."""

        def search(scaled_queries: Any, reach: float) -> Neighborhoods:
            result = _core.lists_within(
                self.arrays, as_matrix(self.rows), as_matrix(scaled_queries), reach, self.metric.code, threads
            )
            return Neighborhoods(*result)

        return ranges.within(self, queries, radius, threads, search)
