"""Every row is looked at."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pellucid import _core
from pellucid.models.neighbors.index import Found, Neighborhoods
from pellucid.models.neighbors.metric import Metric, as_matrix


@dataclass
class BruteIndex:
    """The rows themselves; every one is looked at.

    Euclidean and cosine neighbors of many columns are found by products of matrices that leave few pairs to measure,
    sparse rows by their entries, the others by panels of rows; the answer is that of measuring every pair. No table of
    distances is ever held: beyond rows, queries and answer a search takes at most about 32 MB for rows in another form,
    32 MB for the best so far, and a few hundred kB a thread, whatever the number of rows and queries.
    """

    source: Any
    metric: Metric
    rows: Any = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.rows = self.metric.prepare(self.source)

    def nearest(self, queries: Any, k: int, threads: int) -> Found:
        """The k nearest rows, by all distances."""
        query_rows = as_matrix(self.metric.prepare(queries))
        return Found(
            *_core.brute_nearest(as_matrix(self.rows), query_rows, k, self.metric.code, self.metric.p, threads)
        )

    def nearest_others(self, k: int, threads: int) -> Found:
        """The k nearest other rows of each row."""
        metric = self.metric
        return Found(*_core.brute_nearest_others(as_matrix(self.rows), k, metric.code, metric.p, threads))

    def within(self, queries: Any, radius: float, threads: int) -> Neighborhoods:
        """All rows at most so far away, by all distances."""
        query_rows = as_matrix(self.metric.prepare(queries))
        result = _core.brute_within(as_matrix(self.rows), query_rows, radius, self.metric.code, self.metric.p, threads)
        return Neighborhoods(*result)
