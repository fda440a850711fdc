"""The KD-tree as it is drawn on paper: columns in turn, cut at the upper median, one row a leaf."""

from __future__ import annotations

from typing import Any, NamedTuple

from pellucid import _core
from pellucid.base.types import Array, Floats
from pellucid.models.neighbors.metric import Metric


class Branch(NamedTuple):
    """A branch that a search came to.

    node : its number
    bound : how far the cut before it is away; 0 on the query's own side
    limit : distance of the k-th nearest row at that moment; infinite while there are fewer
    entered : was it looked into?
    """

    node: int
    bound: float
    limit: float
    entered: bool


class TextbookTree(NamedTuple):
    """Nodes of a KD-tree, the root first, children side by side.

    axis : column of the cut, -1 for a leaf
    threshold : rows with less go to the left, the others to the right
    left, right : numbers of the children, -1 for a leaf
    first, size : rows below a node are ``order[first : first + size]``
    skipped : columns passed over because all rows were equal there
    order : numbers of the rows, leaf by leaf
    """

    axis: Array
    threshold: Floats
    left: Array
    right: Array
    first: Array
    size: Array
    skipped: Array
    order: Array

    @classmethod
    def of(cls, rows: Floats, leaf_size: int) -> TextbookTree:
        """Build it."""
        return cls(*_core.textbook_tree(rows, leaf_size))

    def rows(self, node: int) -> Array:
        """Numbers of the rows below a node, as they came."""
        return self.order[self.first[node] : self.first[node] + self.size[node]]

    def depths(self) -> list[int]:
        """Level of each node, 0 for the root."""
        levels = [0] * len(self.axis)
        for node, axis in enumerate(self.axis.tolist()):
            if axis >= 0:
                levels[self.left[node]] = levels[self.right[node]] = levels[node] + 1
        return levels

    def search(
        self, rows: Floats, queries: Floats, k: int, metric: Metric, threads: int
    ) -> tuple[Floats, Array, list[Branch]]:
        """(distances, numbers of rows) of all queries, and the branches that the first one came to."""
        arrays: Any = tuple(self)
        apart, near, visits = _core.textbook_nearest(arrays, rows, queries, k, metric.code, metric.p, threads)
        return apart, near, [Branch(int(n), b, limit, entered == 1) for n, b, limit, entered in visits.tolist()]
