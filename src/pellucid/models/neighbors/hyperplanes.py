"""Buckets of rows that lie on the same sides of hyperplanes."""

from __future__ import annotations

from dataclasses import InitVar, dataclass, field
from typing import Any

import numpy as np
import scipy.sparse

from pellucid import _core
from pellucid.base.randomness import uniform
from pellucid.base.threads import effective_threads
from pellucid.base.types import Array, Floats
from pellucid.models.neighbors import bounds
from pellucid.models.neighbors import range as ranges
from pellucid.models.neighbors.brute import BruteIndex
from pellucid.models.neighbors.index import Found, Neighborhoods
from pellucid.models.neighbors.metric import Metric, as_matrix
from pellucid.models.neighbors.range import without
from pellucid.models.neighbors.recall import least_effort, recall_of, refuse_metric, sampled

SAMPLE = 200  # rows that recall is measured with
MOST_PROBES = 4096  # buckets of a table that a query looks at
_STREAM = 4


def bits_for(rows: int) -> int:
    """Planes of a table: so many that a bucket has about eight rows, if rows were spread evenly."""
    return max(1, min(24, int(np.log2(max(2.0, rows / 8)))))


@dataclass
class HyperplaneIndex:
    """Rows by the sides of hyperplanes on which they lie, in several tables of buckets.

    n_bits, n_tables : planes a table, and tables; about log2(rows / 8) planes unless told
    normals, offsets : tables x bits x columns, tables x bits; drawn at random unless given: normals from a normal
        distribution, offsets so that planes go through the mean of the rows, or through the origin for cosine
    probes : buckets a query looks at in each table; chosen for `recall` of the `k` nearest unless told
    """

    source: Any
    metric: Metric
    n_bits: int | None = None
    n_tables: int = 16
    normals: Floats | None = None
    offsets: Floats | None = None
    probes: int | None = None
    recall: float = 0.95
    k: int = 10
    seed: int = 0
    threads: InitVar[int | None] = None
    who: str = "HyperplaneIndex"
    measured: float | None = field(init=False, default=None)
    unit: float = field(init=False, default=1.0)
    rows: Any = field(init=False, repr=False)
    planes: tuple[Array, ...] = field(init=False, repr=False)
    codes: Array = field(init=False, repr=False)
    buckets: tuple[Array, ...] = field(init=False, repr=False)

    def __post_init__(self, threads: int | None) -> None:
        refuse_metric(self.metric, self.who)
        threads = effective_threads(threads)
        self.rows, self.unit = ranges.prepared(self.source, self.metric)
        if self.normals is None:
            self.normals = self._drawn(self.n_tables, self.n_bits or bits_for(self.rows.shape[0]))
        if self.offsets is None:
            self.offsets = self._centered(self.normals)
        tables, bits, columns = self.normals.shape
        flat = np.ascontiguousarray(self.normals.reshape(tables * bits, columns).T, dtype=np.float64)
        self.planes = (flat, np.ascontiguousarray(self.offsets * self.unit, dtype=np.float64))
        self.codes = _core.plane_codes(self.planes, as_matrix(self.rows), threads)
        self.buckets = _core.fill_buckets(self.codes, threads)
        if self.probes is None:
            self.probes, self.measured = self._chosen_probes(threads)

    def __setstate__(self, state: dict[str, Any]) -> None:
        bounds.put_back(self, state)

    def check(self) -> None:
        """Refuses arrays that a search could leave."""
        fine = bounds.is_table(self.rows, sparse=True) and bounds.is_count(self.probes)
        bounds.ensure(fine, self, "rows must be a table")
        bounds.check_buckets(self, self.planes, self.buckets, *self.rows.shape)

    def _drawn(self, tables: int, bits: int) -> Floats:
        """Normals from a normal distribution (Box and Muller)."""
        shape = (tables, bits, self.rows.shape[1])
        u = uniform(self.seed, _STREAM, 2 * int(np.prod(shape))).reshape(2, *shape)
        return np.asarray(np.sqrt(-2 * np.log1p(-u[0])) * np.cos(2 * np.pi * u[1]))

    def _centered(self, normals: Floats) -> Floats:
        """Offsets of planes through the mean of the rows; through the origin for angles."""
        if self.metric.kind == "cosine":
            return np.zeros(normals.shape[:2])
        share = 1 / self.rows.shape[0]
        if scipy.sparse.issparse(self.rows):
            mean = np.asarray((self.rows * share).sum(axis=0)).ravel()
        else:
            mean = (self.rows * share).sum(axis=0, dtype=np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(np.nan_to_num(normals @ (mean / self.unit)), dtype=np.float64)

    def _chosen_probes(self, threads: int) -> tuple[int, float]:
        """The least number of buckets a table that finds enough of the neighbors of some rows."""
        n = self.rows.shape[0]
        k, bits = min(self.k, n - 1), self.planes[1].shape[1]
        if k < 1:
            return 1, 1.0
        sample = sampled(n, SAMPLE, self.seed)
        sample_queries = self.rows[sample]
        exact = BruteIndex(self.source, self.metric).nearest(self.source[sample], k + 1, threads)
        truth = without(Found(exact.distances * self.unit, exact.rows), sample)

        def measure(probes: int) -> Floats:
            return recall_of(without(self._search(sample_queries, k + 1, probes, threads), sample), truth)

        return least_effort(measure, self.recall, 1, int(min(2.0**bits, MOST_PROBES)))

    def _search(self, prepared: Any, k: int, probes: int, threads: int) -> Found:
        rows, query_rows = as_matrix(self.rows), as_matrix(prepared)
        return Found(
            *_core.hash_nearest(self.planes, self.buckets, rows, query_rows, k, probes, self.metric.code, threads)
        )

    def nearest(self, queries: Any, k: int, threads: int) -> Found:
        """The k nearest rows of the buckets that are looked at; of all rows where these are fewer than k."""
        probes = self.probes
        assert probes is not None
        return ranges.nearest(
            self, queries, k, threads, lambda scaled_queries: self._search(scaled_queries, k, probes, threads)
        )

    def nearest_others(self, k: int, threads: int) -> Found:
        """The k nearest other rows of each row that are found."""
        return ranges.nearest_others(self, k, threads)

    def within(self, queries: Any, radius: float, threads: int) -> Neighborhoods:
        """The rows of the buckets that are looked at which lie at most so far away."""
        probes = self.probes
        assert probes is not None

        def search(scaled_queries: Any, reach: float) -> Neighborhoods:
            rows, code = as_matrix(self.rows), self.metric.code
            result = _core.hash_within(
                self.planes, self.buckets, rows, as_matrix(scaled_queries), reach, probes, code, threads
            )
            return Neighborhoods(*result)

        return ranges.within(self, queries, radius, threads, search)

    def _asked(self, queries: Any) -> _core.Matrix:
        return as_matrix(ranges.scaled(self.metric.prepare(queries), self.unit))

    def codes_of(self, queries: Any, threads: int) -> Array:
        """Codes of rows, rows x tables; bit p of a code says on which side of plane p the row lies."""
        return np.asarray(_core.plane_codes(self.planes, self._asked(queries), threads))

    def candidates(self, queries: Any, threads: int) -> tuple[Array, Array]:
        """(starts, rows): the rows that a query is compared with, ascending."""
        assert self.probes is not None
        query_rows = self._asked(queries)
        return _core.hash_candidates(self.planes, self.buckets, query_rows, self.rows.shape[0], self.probes, threads)
