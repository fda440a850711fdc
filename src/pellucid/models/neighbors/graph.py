"""Rows linked to rows nearby, along which a search walks."""

from __future__ import annotations

from dataclasses import InitVar, dataclass, field
from typing import Any

import numpy as np

from pellucid import _core
from pellucid.base.threads import effective_threads
from pellucid.base.types import Array, Floats
from pellucid.models.neighbors import bounds
from pellucid.models.neighbors import range as ranges
from pellucid.models.neighbors.index import Found, Neighborhoods
from pellucid.models.neighbors.lists import ListIndex, cells_for
from pellucid.models.neighbors.metric import Metric, as_matrix
from pellucid.models.neighbors.range import without
from pellucid.models.neighbors.recall import least_effort, recall_of, refuse_metric, sampled

CANDIDATES = 40  # nearest rows that links are chosen from
NEAR_ENOUGH = 0.9  # recall of those
ENTRIES = 4  # cells in which a search begins
SAMPLE = 500  # rows that recall is measured with
MOST_REACH = 4096
_PLAIN = Metric()


@dataclass
class GraphIndex:
    """Nodes are the rows that differ; a search keeps the `reach` nearest nodes it has met.

    n_links : most links of a row, but for those that make it reachable
    reach : nodes that a search keeps; chosen for `recall` of the `k` nearest unless told
    """

    source: Any
    metric: Metric
    n_links: int = 32
    reach: int | None = None
    recall: float = 0.95
    k: int = 10
    seed: int = 0
    threads: InitVar[int | None] = None
    who: str = "GraphIndex"
    measured: float | None = field(init=False, default=None)
    unit: float = field(init=False, default=1.0)
    rows: Any = field(init=False, repr=False)
    cells: tuple[Array, ...] = field(init=False, repr=False)
    arrays: tuple[Array, ...] = field(init=False, repr=False)

    def __post_init__(self, threads: int | None) -> None:
        refuse_metric(self.metric, self.who)
        threads = effective_threads(threads)
        self.rows, self.unit = ranges.prepared(self.source, self.metric)
        first = _core.first_like_rows(as_matrix(self.rows), threads)
        nodes, always = self._walkable(np.unique(first), first)
        lists = self._lists(nodes, threads)
        built = _core.build_graph(
            lists.arrays, as_matrix(lists.rows), self.n_links, min(CANDIDATES, len(nodes)), lists.probes or 1, threads
        )
        order = lists.arrays[7]  # of the nodes, as the graph numbers them
        self.cells = lists.arrays[:6]
        self.arrays = (*built, *_members(nodes[order], first), always)
        if self.reach is None:
            self.reach, self.measured = self._chosen_reach(lists, nodes, threads)

    def __setstate__(self, state: dict[str, Any]) -> None:
        bounds.put_back(self, state)

    def check(self) -> None:
        """Refuses arrays that a search could leave."""
        bounds.ensure(bounds.is_table(self.rows) and bounds.is_count(self.reach), self, "rows must be a table")
        bounds.check_graph(self, self.cells, self.arrays, *self.rows.shape)

    def _walkable(self, nodes: Array, first: Array) -> tuple[Array, Array]:
        """Nodes without the row of zeros under cosine, which is equally far from all; and the rows left out."""
        empty = np.zeros(len(nodes), dtype=bool)
        if self.metric.kind == "cosine" and len(nodes) > 1:
            empty = ~self.rows[nodes].any(axis=1)
        return nodes[~empty], np.flatnonzero(np.isin(first, nodes[empty]))

    def _lists(self, nodes: Array, threads: int) -> ListIndex:
        """Cells of the nodes, which say where to begin, and where near rows are looked for."""
        rows = self.rows if len(nodes) == len(self.rows) else np.ascontiguousarray(self.rows[nodes])
        return ListIndex(
            rows, _PLAIN, cells_for(len(nodes)), recall=NEAR_ENOUGH, k=CANDIDATES // 2, seed=self.seed, threads=threads
        )

    def _chosen_reach(self, lists: ListIndex, nodes: Array, threads: int) -> tuple[int, float]:
        """The least reach that finds enough of the neighbors of some nodes, each asked about as if it were new."""
        n, k = len(nodes), min(self.k, len(nodes) - 1)
        if k < 1:
            return max(1, self.k), 1.0
        position_of = np.argsort(lists.arrays[7])
        sample = sampled(n, SAMPLE, self.seed)
        sample_queries = np.ascontiguousarray(lists.rows[sample])
        exact = _core.lists_nearest(
            lists.arrays, as_matrix(lists.rows), as_matrix(sample_queries), k + 1, n, 0, threads
        )
        truth = without(Found(*exact), sample)
        alone = (*self.arrays[:4], np.arange(n + 1), lists.arrays[7], np.empty(0, dtype=np.int64))

        def measure(reach: int, *hidden: Array) -> Floats:
            """With a row that its own search sees, one neighbor more is looked for and the row taken out."""
            more, rows, asking = 0 if hidden else 1, as_matrix(lists.rows), as_matrix(sample_queries)
            output = _core.graph_nearest(self.cells, alone, rows, asking, k + more, reach, ENTRIES, hidden, 0, threads)
            neighbors = Found(*output)
            return recall_of(neighbors if hidden else without(neighbors, sample), truth)

        max_reach = min(n, max(MOST_REACH, 4 * k))
        itself = np.ascontiguousarray(position_of[sample])
        best = least_effort(lambda reach: measure(reach, itself), self.recall, k + 2, max_reach)
        if best[1] >= self.recall:
            return best
        # Along a line, or in a very small table, a row that is not seen may cut the graph in two.
        return least_effort(measure, self.recall, k + 2, max_reach)

    def nearest(self, queries: Any, k: int, threads: int) -> Found:
        """The k nearest rows that a walk finds."""
        return ranges.nearest(
            self, queries, k, threads, lambda scaled_queries: self._search(scaled_queries, k, threads)
        )

    def _search(self, scaled_queries: Any, k: int, threads: int) -> Found:
        assert self.reach is not None
        rows, how = as_matrix(self.rows), (self.reach, ENTRIES, ())
        result = _core.graph_nearest(
            self.cells, self.arrays, rows, as_matrix(scaled_queries), k, *how, self.metric.code, threads
        )
        return Found(*result)

    def nearest_others(self, k: int, threads: int) -> Found:
        """The k nearest other rows of each row that are found."""
        return ranges.nearest_others(self, k, threads)

    def within(self, queries: Any, radius: float, threads: int) -> Neighborhoods:
        """The rows at most so far away that are linked to what a walk finds."""
        keep = self.reach
        assert keep is not None

        def search(scaled_queries: Any, reach: float) -> Neighborhoods:
            rows, code = as_matrix(self.rows), self.metric.code
            result = _core.graph_within(
                self.cells, self.arrays, rows, as_matrix(scaled_queries), reach, keep, ENTRIES, code, threads
            )
            return Neighborhoods(*result)

        return ranges.within(self, queries, radius, threads, search)

    @property
    def links(self) -> list[Array]:
        """Of each row the rows that it has links to; rows that equal another, or have no direction, have none."""
        starts, links, members = self.arrays[1], self.arrays[2], self.arrays[5]
        begins = self.arrays[4]
        out = [np.empty(0, dtype=np.int64) for _ in range(len(self.rows))]
        for node in range(len(starts) - 1):
            out[members[begins[node]]] = members[begins[links[starts[node] : starts[node + 1]]]]
        return out


def _members(nodes: Array, first: Array) -> tuple[Array, Array]:
    """(starts, rows): the rows that equal each node, ascending."""
    by_first = np.argsort(first, kind="stable")
    counts = np.bincount(first, minlength=len(first))
    begins = np.concatenate([[0], np.cumsum(counts)])
    starts = np.concatenate([[0], np.cumsum(counts[nodes])]).astype(np.int64)
    within = np.arange(starts[-1]) - np.repeat(starts[:-1], counts[nodes])
    return starts, np.ascontiguousarray(by_first[np.repeat(begins[nodes], counts[nodes]) + within], dtype=np.int64)
