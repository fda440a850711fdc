"""A decision tree as columns of numbers: what every grower leaves behind and every reader reads.

Node 0 is the root. The children of a node stand side by side, ``first_child[i] .. first_child[i] + n_children[i] - 1``,
in the order of the branches of its test. Parents come before their children, so nothing here needs recursion.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import numpy as np

from pellucid.base.errors import DataError, format_message
from pellucid.base.types import Array, Floats


class NodeTest(IntEnum):
    """What a node asks of a row's value x in its column, and which branch the answer takes."""

    LEAF = 0  # nothing
    AT_MOST = 1  # x <= threshold: branch 0, else branch 1
    BELOW = 2  # x < threshold: branch 0, else branch 1
    SUBSET = 3  # category x in the set: branch 0, else branch 1
    CATEGORIES = 4  # the branch of category x; several categories may share one
    INTERVALS = 5  # branch i with cuts[i - 1] < x <= cuts[i]


SHARE = -1  # a missing value goes down every branch, in proportion to their weights
STOP = -2  # a missing value goes down no branch: the node answers itself


def _ints() -> Array:
    return np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class TreeNodes:
    """m nodes; every field has m entries unless it says otherwise.

    parent, first_child : -1 where there is none
    n_children : 0 for a leaf
    feature : the column that is asked, -1 for a leaf
    test : one of `NodeTest`
    missing_child : the branch of a missing value or of a category the node never met; or SHARE, STOP
    threshold : of AT_MOST and BELOW, else NaN
    n_rows, weight : rows of positive weight that reached the node in `fit`, and their weight
    impurity : by the criterion of the tree
    value : m x width; the weight of each class (of all outputs side by side), or the mean of each target
    table_start, table : words (SUBSET: bit c of the set is bit c % 32 of word c // 32) or branches (CATEGORIES: one a
        category, -1 for none) of node i are ``table[table_start[i]:table_start[i + 1]]``; empty if no node has any
    cuts_start, cuts : cut points (INTERVALS) in the same way
    surrogate_start, surrogate_feature, surrogate_threshold, surrogate_reverse : stand-ins of a test in the same way,
        tried in turn where its own value is missing: ``x <= threshold`` takes branch 0, or branch 1 where reverse is 1
    """

    parent: Array
    first_child: Array
    n_children: Array
    feature: Array
    test: Array
    missing_child: Array
    threshold: Floats
    n_rows: Array
    weight: Floats
    impurity: Floats
    value: Floats
    table_start: Array = field(default_factory=_ints)
    table: Array = field(default_factory=lambda: np.empty(0, dtype=np.int32))
    cuts_start: Array = field(default_factory=_ints)
    cuts: Floats = field(default_factory=lambda: np.empty(0))
    surrogate_start: Array = field(default_factory=_ints)
    surrogate_feature: Array = field(default_factory=lambda: np.empty(0, dtype=np.int32))
    surrogate_threshold: Floats = field(default_factory=lambda: np.empty(0))
    surrogate_reverse: Array = field(default_factory=lambda: np.empty(0, dtype=np.uint8))

    @classmethod
    def of(cls, arrays: dict[str, Any]) -> TreeNodes:
        """From what a kernel returns: a dict with an array for each field."""
        return cls(**{name: arrays[name] for name in cls.__dataclass_fields__ if name in arrays})

    # ------------------------------------------------------------------------------------------------------- shape

    def __len__(self) -> int:
        return len(self.parent)

    @property
    def node_count(self) -> int:
        """Number of nodes."""
        return len(self.parent)

    @property
    def is_leaf(self) -> Array:
        """Whether a node has no children."""
        return np.asarray(self.n_children == 0)

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int(self.is_leaf.sum())

    @property
    def depth(self) -> Array:
        """Tests on the way from the root to each node."""
        depth = [0] * len(self)
        for i, parent in enumerate(self.parent.tolist()):
            if parent >= 0:
                depth[i] = depth[parent] + 1
        return np.array(depth, dtype=np.int64)

    @property
    def max_depth(self) -> int:
        """Tests on the longest way from the root to a leaf."""
        return int(self.depth.max())

    def children(self, node: int) -> range:
        """Numbers of a node's children, in the order of its branches."""
        first = int(self.first_child[node])
        return range(first, first + int(self.n_children[node])) if first >= 0 else range(0)

    def branch(self, node: int) -> int:
        """Which branch of its parent leads to a node; -1 for the root."""
        parent = int(self.parent[node])
        return -1 if parent < 0 else node - int(self.first_child[parent])

    def way(self, node: int) -> list[int]:
        """The nodes from the root to a node, both included."""
        path = [node]
        while self.parent[path[-1]] >= 0:
            path.append(int(self.parent[path[-1]]))
        return path[::-1]

    def top_down(self) -> list[int]:
        """All nodes as a reader would list them: each node before its children, first branches first."""
        order, waiting = [], [0]
        while waiting:
            node = waiting.pop()
            order.append(node)
            waiting.extend(reversed(self.children(node)))
        return order

    # ----------------------------------------------------------------------------- the same under scikit-learn's names

    @property
    def capacity(self) -> int:
        """Number of nodes: none is held in reserve."""
        return len(self)

    @property
    def n_node_samples(self) -> Array:
        """Rows of positive weight that reached each node in `fit`."""
        return self.n_rows

    @property
    def weighted_n_node_samples(self) -> Floats:
        """Weight of these rows."""
        return self.weight

    @property
    def children_left(self) -> Array:
        """Number of each node's first child, -1 for a leaf; for trees with two branches a test."""
        return self._child(0)

    @property
    def children_right(self) -> Array:
        """Number of each node's second child, -1 for a leaf; for trees with two branches a test."""
        return self._child(1)

    def _child(self, branch: int) -> Array:
        if np.any(self.n_children > 2):
            wide = int(np.argmax(self.n_children > 2))
            actual = f"node {wide} has {self.n_children[wide]} children"
            requirement = "left and right are for tests with two branches"
            raise DataError(format_message("TreeNodes", requirement, actual=actual, hint="use children"))
        return np.where(self.n_children > 0, np.asarray(self.first_child, dtype=np.int64) + branch, -1)

    def compute_feature_importances(self, normalize: bool = True, n_features: int | None = None) -> Floats:
        """By how much the tests on each column lower the impurity.

        A node t with weight w_t and impurity i_t adds ``(w_t i_t - sum over its children c of w_c i_c) / w_root`` to
        its column. With `normalize` the columns add up to 1, unless all are 0. `n_features` is the number of columns;
        without it the last one is the last that is asked.
        """
        inner = ~self.is_leaf
        lowered = self.weight * self.impurity
        below = np.bincount(self.parent[1:], weights=lowered[1:], minlength=len(self))
        width = n_features if n_features is not None else int(max(self.feature.max(), -1)) + 1
        gain = np.bincount(self.feature[inner], weights=(lowered - below)[inner], minlength=width)
        unit = float(self.weight[0]) or 1.0
        if normalize and gain.sum() > 0:
            unit = float(gain.sum())
        return np.asarray(gain / unit, dtype=np.float64)

    # ------------------------------------------------------------------------------------------------------- tests

    def codes_of(self, node: int, branch: int) -> list[int]:
        """Codes of the categories that take a branch of a SUBSET or CATEGORIES test."""
        entries = self.table[self.table_start[node] : self.table_start[node + 1]]
        if self.test[node] == NodeTest.CATEGORIES:
            return np.flatnonzero(entries == branch).tolist()
        if self.test[node] != NodeTest.SUBSET:
            return []
        inside = np.unpackbits(entries.astype("<i4").view(np.uint8), bitorder="little").astype(bool)
        return np.flatnonzero(inside if branch == 0 else ~inside).tolist()

    def cuts_of(self, node: int) -> Floats:
        """Cut points of an INTERVALS test."""
        return self.cuts[self.cuts_start[node] : self.cuts_start[node + 1]]
