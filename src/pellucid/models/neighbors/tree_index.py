"""What KD-tree and ball tree have in common as indices.

A tree orders rows by reduced distances (squares, powers). Where those leave the range of a double (rows 1e-200 or 1e200
apart), the answer to a query shows it: its nearest row is nearer than a square can tell, or its last farther. Such
queries are put to brute force, which orders by the whole range. So the answer is that of brute force throughout.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from pellucid import _core
from pellucid.base.threads import effective_threads
from pellucid.base.types import Array, Flags, Floats
from pellucid.models.neighbors import bounds
from pellucid.models.neighbors.brute import BruteIndex
from pellucid.models.neighbors.index import Found, Neighborhoods
from pellucid.models.neighbors.metric import Metric, as_matrix

ROWS_A_PANEL = 8  # kAbreast of cpp/core/distance/metric_hot.hpp
NO_LIMIT = 2**62
FEW_COLUMNS = 8  # beyond them boxes and balls tell less, and leaves of two panels are as fast and smaller to keep
# Reduced distances that brute force takes as they are: kLeast and kMost of cpp/core/distance/brute_range.hpp.
LEAST_POWER, MOST_POWER = -900.0, 1000.0

Tree = tuple[Array, Array, Array, int, int, int]


@dataclass
class TreeIndex:
    """Rows in a tree.

    source : the rows, an array of floats (double or single precision, kept as they are)
    metric : one of `KINDS`, with p of at least 1
    leaf_size : most rows of a leaf, which come in panels of eight; None takes what suits
    threads : for building; None takes all that may be used
    """

    KINDS: ClassVar[tuple[str, ...]] = ()
    kernel: ClassVar[str] = ""  # how its functions in `_core` begin
    region: ClassVar[str] = ""  # dtype of its regions; that of the rows unless told

    source: Any = field(repr=False)
    metric: Metric
    leaf_size: int | None = None
    threads: int | None = None
    rows: Array = field(init=False, repr=False)
    tree: Tree = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.rows = self.metric.prepare(self.source)
        panels = panels_of(self.leaf_size, self.rows.shape[1])
        self.tree = (*self._build(panels), *self.rows.shape, panels)

    def __setstate__(self, state: dict[str, Any]) -> None:
        bounds.put_back(self, state)

    def check(self) -> None:
        """Refuses arrays that a search could leave."""
        fine = bounds.is_table(self.rows) and self.metric.kind in self.KINDS
        fine = fine and (self.metric.kind != "haversine" or self.rows.shape[1] == 2)
        bounds.ensure(fine, self, "rows must be a table, and the distance one that the tree takes")
        bounds.check_tree(self, self.tree, self.rows.shape, self.region)

    def _build(self, panels: int) -> tuple[Array, Array, Array]:
        raise TypeError("a tree is a KD-tree or a ball tree")

    def _call(self, name: str, *arguments: Any) -> Any:
        return getattr(_core, f"{self.kernel}_{name}")(self.tree, *arguments)

    @property
    def _code(self) -> tuple[int, float]:
        return self.metric.code, self.metric.p

    def nearest(self, queries: Any, k: int, threads: int) -> Found:
        """The k nearest rows."""
        prepared = self.metric.prepare(queries)
        neighbors = Found(*self._call("nearest", as_matrix(prepared), k, *self._code, 0.0, NO_LIMIT, threads))
        odd = self._out_of_range(neighbors, prepared)
        if odd is not None:
            true = _core.brute_nearest(as_matrix(self.rows), as_matrix(_taken(prepared, odd)), k, *self._code, threads)
            neighbors.distances[odd], neighbors.rows[odd] = true
        return neighbors

    def approximate(self, queries: Any, k: int, threads: int, eps: float, most_leaves: int | None) -> Found:
        """k near rows within a budget of misses.

        Each distance is at most ``1 + eps`` times the true one of its place; at most `most_leaves` leaves are looked
        at, more only until there are k rows.
        """
        query_rows = as_matrix(self.metric.prepare(queries))
        leaves = NO_LIMIT if most_leaves is None else most_leaves
        return Found(*self._call("nearest", query_rows, k, *self._code, float(eps), leaves, threads))

    def nearest_others(self, k: int, threads: int) -> Found:
        """The k nearest other rows of each row."""
        neighbors = Found(*self._call("nearest_others", k, *self._code, 0.0, NO_LIMIT, threads))
        odd = self._out_of_range(neighbors, self.rows)
        if odd is not None:
            rows = as_matrix(self.rows)
            apart, near = _core.brute_nearest(rows, as_matrix(_taken(self.rows, odd)), k + 1, *self._code, threads)
            other_rows = near != odd[:, None]
            other_rows[other_rows.all(axis=1), -1] = False
            neighbors.distances[odd], neighbors.rows[odd] = (
                apart[other_rows].reshape(-1, k),
                near[other_rows].reshape(-1, k),
            )
        return neighbors

    def within(self, queries: Any, radius: float | Floats, threads: int) -> Neighborhoods:
        """All rows at most so far away; one radius, or one a query."""
        prepared = self.metric.prepare(queries)
        radii = _radii(radius)
        neighbors = Neighborhoods(*self._call("within", as_matrix(prepared), radii, *self._code, threads))
        odd = self._odd_within(neighbors, prepared, radii)
        return neighbors if odd is None else self._settled(neighbors, prepared, radii, odd, threads)

    def count(self, queries: Any, radius: float | Floats, threads: int) -> Array:
        """How many rows are at most so far away."""
        radii = _radii(radius)
        min_reduced, max_reduced = self._range
        if min_reduced > 0 and ((radii >= max_reduced) | (radii <= min_reduced)).any():
            return np.diff(self.within(queries, radius, threads).starts)
        query_rows = as_matrix(self.metric.prepare(queries))
        counts: Array = self._call("count", query_rows, radii, *self._code, threads)
        return counts

    # --------------------------------------------------------------------------------- distances out of range

    @property
    def _range(self) -> tuple[float, float]:
        """Distances between which squares or powers are safe; (0, inf) where there are none."""
        if self.metric.kind not in ("euclidean", "minkowski"):
            return 0.0, np.inf
        p = 2.0 if self.metric.kind == "euclidean" else self.metric.p
        return 2.0 ** (LEAST_POWER / p) * (1 + 1e-9), 2.0 ** (MOST_POWER / p) * (1 - 1e-9)

    def _out_of_range(self, neighbors: Found, prepared: Array) -> Array | None:
        """Queries whose answer needs more than the reduced distances tell."""
        min_reduced, max_reduced = self._range
        if len(prepared) == 0 or (
            neighbors.distances[:, 0].min() > min_reduced and neighbors.distances[:, -1].max() < max_reduced
        ):
            return None
        odd = neighbors.distances[:, -1] >= max_reduced
        if not self._large(prepared, min_reduced):
            query, position = np.nonzero(neighbors.distances <= min_reduced)
            odd[query[~self._equal(neighbors.rows[query, position], prepared, query)]] = True
        return np.flatnonzero(odd) if odd.any() else None

    def _odd_within(self, neighbors: Neighborhoods, prepared: Array, radii: Floats) -> Array | None:
        min_reduced, max_reduced = self._range
        odd: Flags = np.broadcast_to(radii >= max_reduced, len(prepared)).copy()
        few = np.broadcast_to((radii <= min_reduced) & (radii > 0), len(prepared))
        if (
            min_reduced > 0
            and (few.any() or neighbors.distances.min(initial=np.inf) <= min_reduced)
            and not self._large(prepared, min_reduced)
        ):
            odd |= few
            position = np.flatnonzero(neighbors.distances <= min_reduced)
            query = np.searchsorted(neighbors.starts, position, side="right") - 1
            odd[query[~self._equal(neighbors.rows[position], prepared, query)]] = True
        return np.flatnonzero(odd) if odd.any() else None

    def _settled(
        self, neighbors: Neighborhoods, prepared: Array, radii: Floats, odd: Array, threads: int
    ) -> Neighborhoods:
        """What was found, with the neighborhoods of some queries by brute force."""
        lists = [
            (neighbors.distances[a:b], neighbors.rows[a:b])
            for a, b in zip(neighbors.starts, neighbors.starts[1:], strict=False)
        ]
        plain = BruteIndex(self.rows, Metric(self.metric.kind, self.metric.p))
        for i in odd.tolist():
            true = plain.within(_taken(prepared, np.array([i])), float(radii[i if len(radii) > 1 else 0]), threads)
            lists[i] = true.distances, true.rows
        starts = np.concatenate([[0], np.cumsum([len(apart) for apart, _ in lists])])
        return Neighborhoods(starts, np.concatenate([a for a, _ in lists]), np.concatenate([r for _, r in lists]))

    def _large(self, prepared: Array, min_reduced: float) -> bool:
        """Are all numbers so large that two which differ at all differ by more than `least`?"""
        ulps = 2.0**53 if self.rows.dtype == np.float64 or prepared.dtype == np.float64 else 2.0**24
        for array in (self.rows, prepared):
            size = np.abs(array)
            if size.min(initial=np.inf, where=size > 0) <= min_reduced * ulps:
                return False
        return True

    def _equal(self, rows: Array, prepared: Array, queries: Array) -> Flags:
        """Is row rows[i] equal to query queries[i]?"""
        return np.asarray((self.rows[rows] == prepared[queries]).all(axis=1))


def panels_of(leaf_size: int | None, columns: int) -> int:
    """Panels of eight rows in a leaf: what suits the columns, at most what `leaf_size` has room for, at least one."""
    best = 1 if columns <= FEW_COLUMNS else 2
    return best if leaf_size is None else max(1, min(best, leaf_size // ROWS_A_PANEL))


def _taken(table: Array, rows: Array) -> Array:
    return np.ascontiguousarray(table[rows])


def _radii(radius: float | Floats) -> Floats:
    return np.ascontiguousarray(np.atleast_1d(radius), dtype=np.float64)


def recall(found: Array, true: Array) -> float:
    """Share of the true neighbors that were found: rows by queries x k.

    >>> recall(np.array([[0, 1], [5, 6]]), np.array([[1, 0], [5, 7]]))
    0.75
    """
    hits = sum(len(np.intersect1d(a, b)) for a, b in zip(found, true, strict=True))
    return hits / max(1, true.size)


def building_threads(threads: int | None) -> int:
    """For a tree that is built."""
    return effective_threads(None) if threads is None else threads
