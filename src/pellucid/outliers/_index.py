"""Rows arranged for a search for neighbors, and what both detectors by distance ask of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
import scipy.sparse.csgraph

from pellucid.base.errors import ParameterError, format_message
from pellucid.base.types import Array
from pellucid.data.design import Design
from pellucid.models.neighbors.ball_tree import BallTreeIndex
from pellucid.models.neighbors.brute import BruteIndex
from pellucid.models.neighbors.index import Neighborhoods
from pellucid.models.neighbors.kd_tree import KDTreeIndex
from pellucid.models.neighbors.metric import ALIASES, KINDS, Metric
from pellucid.models.neighbors.named import metric_named

# Tables of at most so many columns and at least so many rows are searched faster in a tree.
TREE_COLUMNS, TREE_ROWS = 10, 200
_TREES: dict[str, Any] = {"kd_tree": KDTreeIndex, "ball_tree": BallTreeIndex}
NAMES = tuple(sorted({*KINDS, *ALIASES, "seuclidean", "mahalanobis"} - {"nan_euclidean"}))
# Neighbors of so many rows are held at a time.
_CELLS = 4_000_000


def check_metric(value: Any) -> str | None:
    """What is wrong with the name of a distance."""
    if value in NAMES:
        return None
    return f"metric must be the name of a distance ('euclidean', 'manhattan', 'minkowski', ...); got {value!r}"


def built(d: Design, metric: str, p: float | None, params: Any, algorithm: str, leaf_size: int) -> Any:
    """An index of a copy of the rows."""
    rows = d.numbers.copy() if scipy.sparse.issparse(d.numbers) else np.array(d.numbers, order="C", copy=True)
    rows = _exact(rows, metric)
    given = dict(params or {}) | ({"p": p} if metric in ("minkowski", "p") and p is not None else {})
    if metric == "mahalanobis" and scipy.sparse.issparse(rows):
        raise ParameterError(
            format_message(d.who, "metric 'mahalanobis' takes a dense table", actual="got a sparse one")
        )
    found = metric_named(d.who, metric, given, rows.toarray() if scipy.sparse.issparse(rows) else rows)
    kind = _chosen(algorithm, found, rows, d.who)
    return BruteIndex(rows, found) if kind == "brute" else _TREES[kind](rows, found, leaf_size=leaf_size)


def _exact(rows: Any, metric: str) -> Any:
    """Cosines of float32 rows round too much to tell whether two rows coincide."""
    return rows.astype(np.float64) if metric == "cosine" else rows


def asked_of(index: Any, d: Design) -> Any:
    """The rows of a later table as an index takes them: a tree none that are sparse."""
    rows = _exact(d.numbers, index.metric.kind)
    return rows.toarray() if scipy.sparse.issparse(rows) and not isinstance(index, BruteIndex) else rows


def _chosen(asked: str, metric: Metric, rows: Any, who: str) -> str:
    if scipy.sparse.issparse(rows):
        return "brute"
    fits = [name for name, tree in _TREES.items() if metric.kind in tree.KINDS and metric.p >= 1]
    if asked == "auto":
        few = rows.shape[1] <= TREE_COLUMNS and rows.shape[0] >= TREE_ROWS
        return "kd_tree" if few and "kd_tree" in fits else "brute"
    if asked in _TREES and asked not in fits:
        requirement = f"algorithm={asked!r} takes the metrics {', '.join(_TREES[asked].KINDS)}"
        raise ParameterError(
            format_message(who, requirement, actual=f"got metric {metric.kind!r}", hint="use algorithm='auto'")
        )
    return asked


def lists(index: Any, queries: Any | None, k: int, equals: bool, threads: int) -> Neighborhoods:
    """The k nearest rows of each query, or of each row itself (None); with those as near as the k-th, if wanted."""
    n = index.rows.shape[0]
    most = n - 1 if queries is None else n
    width = min(k + 1, most) if equals else k
    while True:
        asked = index.nearest_others(width, threads) if queries is None else index.nearest(queries, width, threads)
        near = asked.distances <= asked.distances[:, k - 1 : k] if equals else np.ones(asked.rows.shape, dtype=bool)
        if not equals or width == most or not near[:, -1].any():
            break
        width = min(2 * width, most)
    starts = np.append(0, np.cumsum(near.sum(axis=1))).astype(np.int64)
    return Neighborhoods(starts, np.ascontiguousarray(asked.distances[near]), np.ascontiguousarray(asked.rows[near]))


def counted(index: Any, queries: Any, radius: float, threads: int) -> tuple[Array, Array]:
    """How many rows lie within a radius of each query, and whether one of them coincides with it."""
    n = queries.shape[0]
    counts, doubles = np.empty(n, dtype=np.int64), np.empty(n, dtype=bool)
    nothing = 1e-12 if index.metric.kind == "cosine" else 0.0  # products of unit rows round
    begin, size = 0, 64
    while begin < n:
        found = index.within(queries[begin : begin + size], radius, threads)
        starts = np.asarray(found.starts)
        here = np.diff(starts)
        end = begin + len(here)
        counts[begin:end] = here
        first = np.append(found.distances, np.inf)[starts[:-1]]  # nearest first
        doubles[begin:end] = (here > 0) & (first <= nothing)
        begin, size = end, int(np.clip(_CELLS / max(1.0, float(here.mean())), 64, 65_536))
    return counts, doubles


def joined(index: Any, rows: Array, radius: float, threads: int) -> Array:
    """Numbers of the groups that rows (by their places) form when those within a radius are joined."""
    own = index.source[rows]
    found = index.within(own, radius, threads)
    place = np.full(index.rows.shape[0], -1)
    place[rows] = np.arange(len(rows))
    left = np.repeat(np.arange(len(rows)), np.diff(found.starts))
    right = place[found.rows]
    there = right >= 0
    graph = scipy.sparse.coo_matrix((np.ones(int(there.sum())), (left[there], right[there])), shape=(len(rows),) * 2)
    return np.asarray(scipy.sparse.csgraph.connected_components(graph, directed=False)[1])
