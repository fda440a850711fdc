"""Smaller trees from a tree: nodes lose what is below them, or ask what a node below them asked.

Every function answers with the new tree and the old number of each of its nodes, so that whatever else is kept by node
can follow: ``column[kept]``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields, replace

import numpy as np

from pellucid.base.types import Array, Flags
from pellucid.models.tree.nodes import STOP, NodeTest, TreeNodes


def below(nodes: TreeNodes, of: Iterable[int]) -> Flags:
    """Whether a node lies below one of the given nodes; none of these is below itself."""
    marked = np.zeros(len(nodes), dtype=bool)
    marked[list(of)] = True
    is_below, starts = marked.tolist(), marked.tolist()
    for i, parent in enumerate(nodes.parent.tolist()):  # parents come first
        is_below[i] = parent >= 0 and (is_below[parent] or starts[parent])
    return np.array(is_below, dtype=bool)


def without_descendants(nodes: TreeNodes, of: Iterable[int]) -> tuple[TreeNodes, Array]:
    """The tree in which the given nodes are leaves; all other nodes keep their order.

    Numbers of leaves, and of nodes below other given ones, may be among them.
    """
    leaves = list(of)
    node_ids = np.flatnonzero(~below(nodes, leaves))
    leaf = nodes.is_leaf[node_ids] | np.isin(node_ids, leaves)
    return _taken(nodes, node_ids, nodes.parent[node_ids], leaf, node_ids), node_ids


def rebuilt(nodes: TreeNodes, children: Sequence[Sequence[int]], asks: Sequence[int]) -> tuple[TreeNodes, Array]:
    """The tree in which node i has the children ``children[i]``, none for a leaf, and the test of node ``asks[i]``.

    All by their old numbers; nodes that nothing leads to go away. What is said of a node (rows, weight, impurity,
    value) stays its own. Nodes are numbered level by level.
    """
    node_ids, parents = [0], [-1]
    for node in node_ids:  # grows while it is read: children stand side by side, behind their parents
        node_ids.extend(children[node])
        parents.extend([node] * len(children[node]))
    leaf = np.array([not children[node] for node in node_ids], dtype=bool)
    order = np.array(node_ids)
    return _taken(nodes, order, np.array(parents), leaf, np.asarray(asks)[order]), order


def _taken(nodes: TreeNodes, node_ids: Array, parents: Array, leaf: Flags, asks: Array) -> TreeNodes:
    """The nodes ``kept`` of a tree, each below the one that was called ``parents``, with the tests of ``asks``."""
    renumbered = np.full(len(nodes) + 1, -1, dtype=np.int64)  # the last for -1, the parent of the root
    renumbered[node_ids] = np.arange(len(node_ids))
    parent = renumbered[parents]
    first_child = np.full(len(node_ids), -1, dtype=np.int64)
    first_child[parent[:0:-1]] = np.arange(len(node_ids) - 1, 0, -1)  # the lowest is written last
    return replace(
        nodes,
        parent=parent.astype(nodes.parent.dtype),
        first_child=first_child.astype(nodes.first_child.dtype),
        n_children=np.bincount(parent[1:], minlength=len(node_ids)).astype(nodes.n_children.dtype),
        feature=np.where(leaf, -1, nodes.feature[asks]).astype(nodes.feature.dtype),
        test=np.where(leaf, int(NodeTest.LEAF), nodes.test[asks]).astype(nodes.test.dtype),
        missing_child=np.where(leaf, STOP, nodes.missing_child[asks]).astype(nodes.missing_child.dtype),
        threshold=np.where(leaf, np.nan, nodes.threshold[asks]),
        n_rows=nodes.n_rows[node_ids],
        weight=nodes.weight[node_ids],
        impurity=nodes.impurity[node_ids],
        value=nodes.value[node_ids],
        **_runs(nodes, asks, leaf),
    )


def _runs(nodes: TreeNodes, asks: Array, leaf: Flags) -> dict[str, Array]:
    """What a test has several entries of (tables, cuts, surrogates), for nodes that are no leaves.

    Those of node i are ``x[x_start[i]:x_start[i + 1]]``, and so for every column whose name begins with x.
    """
    names = [column.name for column in fields(nodes)]
    arrays: dict[str, Array] = {}
    for name in (name for name in names if name.endswith("_start")):
        start, stem = getattr(nodes, name), name.removesuffix("_start")
        if len(start) == 0:
            continue
        sizes = np.where(leaf, 0, np.diff(start)[asks])
        ends = np.concatenate([[0], np.cumsum(sizes)])
        positions = np.repeat(start[asks] - ends[:-1], sizes) + np.arange(ends[-1])
        arrays[name] = ends.astype(start.dtype) if ends[-1] else start[:0]  # empty where no node has any
        for column in names:
            if column == stem or (column.startswith(f"{stem}_") and column != name):
                arrays[column] = getattr(nodes, column)[positions]
    return arrays
