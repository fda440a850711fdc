"""Writers of trees and forests, as TreeEnsemble operators of 64-bit floats.

Thresholds and values are compared in 64 bits, as the library does: no row takes another branch. A tree whose tests have
more than two branches, or that shares rows out where a value is missing, is written level by level instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from pellucid.base.types import Array, Floats
from pellucid.export.onnx.columns import Columns
from pellucid.export.onnx.graph import ML, Graph
from pellucid.export.onnx.writing import Answer, by_probability, read, writes
from pellucid.models.tree.nodes import NodeTest, TreeNodes

_AT_MOST, _BELOW, _MEMBER = 0, 1, 6  # modes of TreeEnsemble
_SUM = 1

Leaves = Callable[[int, TreeNodes, Array], tuple[Array, Floats]]


# --------------------------------------------------------------------------------------------------------- the operator


class Ensemble:
    """The attributes of one TreeEnsemble operator, tree by tree."""

    def __init__(self) -> None:
        self.roots: list[int] = []
        self.parts: dict[str, list[Array]] = {name: [] for name in _COLUMNS}
        self.members: list[Floats] = []
        self.n_nodes = self.n_leaves = 0

    def add(self, nodes: TreeNodes, targets: Array, weights: Floats) -> None:
        """One more tree, and for each of its leaves, in their order, the target that it adds a weight to."""
        leaf = nodes.is_leaf
        self.roots.append(self.n_nodes)
        if len(nodes) == 1:
            self._add_constant()
        else:
            self._add_tests(nodes, leaf)
        self._take(leaf_targetids=targets, leaf_weights=weights)
        self.n_leaves += int(leaf.sum())

    def _take(self, **columns: Any) -> None:
        for name, values in columns.items():
            self.parts[name].append(np.asarray(values, dtype=_COLUMNS[name]).ravel())

    def _add_constant(self) -> None:
        """A tree of one leaf, as a test whose branches both end in it."""
        self._take(nodes_featureids=[0], nodes_modes=[_AT_MOST], nodes_splits=[0.0])
        for side in ("true", "false"):
            self._take(**{f"nodes_{side}nodeids": [self.n_leaves], f"nodes_{side}leafs": [1]})
        self._take(nodes_missing_value_tracks_true=[0])
        self.n_nodes += 1

    def _add_tests(self, nodes: TreeNodes, leaf: Array) -> None:
        inner = np.flatnonzero(~leaf)
        place = np.where(leaf, np.cumsum(leaf) - 1 + self.n_leaves, np.cumsum(~leaf) - 1 + self.n_nodes)
        first = np.asarray(nodes.first_child)[inner]
        test, split = np.asarray(nodes.test)[inner], np.array(nodes.threshold)[inner]
        modes = np.where(test == NodeTest.BELOW, _BELOW, _AT_MOST)
        swapped = np.zeros(len(inner), dtype=bool)
        for k in np.flatnonzero(test == NodeTest.SUBSET).tolist():
            modes[k], split[k], swapped[k] = self._add_set(nodes, int(inner[k]))
        yes, no = np.where(swapped, first + 1, first), np.where(swapped, first, first + 1)
        missing_left = np.asarray(nodes.missing_child)[inner] == 0
        self._take(nodes_featureids=np.asarray(nodes.feature)[inner], nodes_modes=modes, nodes_splits=split)
        self._take(nodes_truenodeids=place[yes], nodes_trueleafs=leaf[yes])
        self._take(nodes_falsenodeids=place[no], nodes_falseleafs=leaf[no])
        self._take(nodes_missing_value_tracks_true=missing_left != swapped)
        self.n_nodes += len(inner)

    def _add_set(self, nodes: TreeNodes, node: int) -> tuple[int, float, bool]:
        """A test by a set of categories: those of the branch that a missing value does not take.

        What is in no list, a missing value, a code that the node has no bit for, takes the other branch, as it should.
        """
        swapped = int(nodes.missing_child[node]) == 0
        listed = nodes.codes_of(node, int(swapped))
        if not listed:  # nothing is in an empty set, and nothing is below minus infinity
            return _BELOW, -np.inf, swapped
        self.members.append(np.array([*listed, np.nan], dtype=np.float64))
        return _MEMBER, 0.0, swapped

    def write(self, graph: Graph, x: str, n_targets: int) -> str:
        """n x n_targets: the sums of what the leaves add."""
        columns: dict[str, Any] = {name: np.concatenate(parts) for name, parts in self.parts.items()}
        for name in _COLUMNS:
            if _COLUMNS[name] is np.int64:
                columns[name] = columns[name].tolist()
        if self.members:
            columns["membership_values"] = np.concatenate(self.members)
        return str(
            graph.op(
                "TreeEnsemble",
                x,
                domain=ML,
                n_targets=n_targets,
                aggregate_function=_SUM,
                post_transform=0,
                tree_roots=self.roots,
                **columns,
            )
        )


_COLUMNS: dict[str, Any] = {
    "nodes_featureids": np.int64,
    "nodes_modes": np.uint8,
    "nodes_splits": np.float64,
    "nodes_truenodeids": np.int64,
    "nodes_trueleafs": np.int64,
    "nodes_falsenodeids": np.int64,
    "nodes_falseleafs": np.int64,
    "nodes_missing_value_tracks_true": np.int64,
    "leaf_targetids": np.int64,
    "leaf_weights": np.float64,
}


def summed(graph: Graph, x: str, trees: Sequence[TreeNodes], n_targets: int, leaves: Leaves) -> str:
    """n x n_targets: what all trees add up to. leaves(t, tree, its leaves) gives the target and weight of each leaf."""
    made = Ensemble()
    for t, nodes in enumerate(trees):
        made.add(nodes, *leaves(t, nodes, np.flatnonzero(nodes.is_leaf)))
    return made.write(graph, x, n_targets)


def values(graph: Graph, x: str, trees: Sequence[TreeNodes], tables: Sequence[Floats]) -> str:
    """n x trees x width: the row of each tree's table that belongs to the leaf that a row ends in."""
    starts = np.cumsum([0, *(len(table) for table in tables)])

    def numbered(t: int, nodes: TreeNodes, ends: Array) -> tuple[Array, Floats]:
        return np.full(len(ends), t), starts[t] + np.arange(len(ends), dtype=np.float64)

    places = graph.whole(summed(graph, x, trees, len(trees), numbered))
    return graph.take(np.vstack(tables), places)


def simple(nodes: TreeNodes) -> bool:
    """Has every test two branches, of which a missing value takes one by itself?"""
    inner = ~nodes.is_leaf
    plain = np.isin(nodes.test[inner], (NodeTest.AT_MOST, NodeTest.BELOW, NodeTest.SUBSET)).all()
    return bool(plain and (nodes.missing_child[inner] >= 0).all() and len(nodes.surrogate_feature) == 0)


def tree_values(graph: Graph, x: str, nodes: TreeNodes, table: Floats) -> str:
    """n x width: the row of a table (one a node) of the node that answers, or a mixture of several."""
    if not simple(nodes):
        return mixture(graph, x, nodes, table)
    found = values(graph, x, [nodes], [table[nodes.is_leaf]])
    return str(graph.op("Squeeze", found, [1]))


# ------------------------------------------------------------------------------------------------------- level by level


def mixture(graph: Graph, x: str, nodes: TreeNodes, table: Floats) -> str:
    """The answer of any tree: how much of a row reaches each node, level by level, times what the node answers.

    ``reach(child) = reach(parent) share(branch)``, where the share is 1 for the branch that the row takes and 0 for the
    others, the branches' weights where a missing value goes down all of them, and 0 everywhere where the row stops.
    """
    level, reach = [0], graph.add(graph.mul(graph.take(x, [0], axis=1), 0.0), 1.0)
    reach = graph.where(graph.op("IsNaN", reach), 1.0, reach)
    total = ""
    while level:
        gone: list[str] = []
        below: list[int] = []
        parts: list[str] = []
        for k, node in enumerate(level):
            own = graph.take(reach, [k], axis=1)
            children = list(nodes.children(node))
            if not children:
                gone.append(own)
                continue
            shares = _branch_shares(graph, x, nodes, node)
            parts.append(graph.mul(own, shares))
            gone.append(graph.mul(own, graph.sub(1.0, graph.over("ReduceSum", shares))))
            below += children
        said = graph.op("MatMul", graph.beside(gone), np.ascontiguousarray(table[level], dtype=np.float64))
        total = graph.add(total, said) if total else said
        level, reach = below, graph.beside(parts) if parts else ""
    return total


def _branch_shares(graph: Graph, x: str, nodes: TreeNodes, node: int) -> str:
    """n x branches: how much of a row goes down each branch of a node."""
    count, test = int(nodes.n_children[node]), int(nodes.test[node])
    own = graph.take(x, [int(nodes.feature[node])], axis=1)
    lost = graph.op("IsNaN", own)
    if test in (NodeTest.AT_MOST, NodeTest.BELOW):
        kind = "LessOrEqual" if test == NodeTest.AT_MOST else "Less"
        branch = graph.where(graph.op(kind, own, float(nodes.threshold[node])), 0, 1)
    elif test == NodeTest.INTERVALS:
        above = graph.op("Greater", own, nodes.cuts_of(node).reshape(1, -1))
        branch = graph.over("ReduceSum", graph.whole(above))
    else:
        branch, lost = _category_branch(graph, own, nodes, node)
    first, last = int(nodes.surrogate_start[node]) if len(nodes.surrogate_start) else 0, 0
    if len(nodes.surrogate_start):
        last = int(nodes.surrogate_start[node + 1])
    for s in range(first, last):
        other = graph.take(x, [int(nodes.surrogate_feature[s])], axis=1)
        left = graph.op("LessOrEqual", other, float(nodes.surrogate_threshold[s]))
        sides = (1, 0) if nodes.surrogate_reverse[s] else (0, 1)
        branch = graph.where(lost, graph.where(left, *sides), branch)
        lost = graph.op("And", lost, graph.op("IsNaN", other))
    taken = graph.number(graph.op("Equal", branch, np.arange(count).reshape(1, -1)))
    return graph.where(lost, _missing_shares(nodes, node).reshape(1, -1), taken)


def _category_branch(graph: Graph, own: str, nodes: TreeNodes, node: int) -> tuple[str, str]:
    """The branch of each category; one that the node never met counts as missing."""
    codes = {branch: nodes.codes_of(node, branch) for branch in range(int(nodes.n_children[node]))}
    size = max((max(own_codes, default=-1) for own_codes in codes.values()), default=-1) + 1
    table = np.full(size + 1, -1, dtype=np.int64)
    for branch, own_codes in codes.items():
        table[own_codes] = branch
    whole = graph.op("Equal", graph.op("Floor", own), own)
    inside = graph.op("And", graph.op("GreaterOrEqual", own, 0.0), graph.op("Less", own, float(size)))
    known = graph.where(graph.op("And", whole, inside), own, float(size))
    taken = graph.take(table, graph.whole(known))
    return taken, str(graph.op("Less", taken, 0))


def _missing_shares(nodes: TreeNodes, node: int) -> Floats:
    """How much of a row with a missing value goes down each branch."""
    missing, children = int(nodes.missing_child[node]), list(nodes.children(node))
    if missing >= 0:
        return np.asarray(np.eye(len(children))[missing])
    if missing == -2:
        return np.zeros(len(children))
    weight = np.asarray(nodes.weight, dtype=np.float64)[children]
    return np.asarray(weight / weight.sum())


# ----------------------------------------------------------------------------------------------------------- estimators


def shares_by_target(table: Floats, sizes: Sequence[int]) -> Floats:
    """Weights of classes as shares of each target's own."""
    parts, first = [], 0
    for size in sizes:
        own = table[:, first : first + size]
        total = own.sum(axis=1, keepdims=True)
        parts.append(np.divide(own, total, out=np.zeros_like(own), where=total > 0))
        first += size
    return np.hstack(parts)


def split_targets(graph: Graph, shares: str, sizes: Sequence[int]) -> list[str]:
    """Columns of each target."""
    ends = np.cumsum([0, *sizes]).tolist()
    if len(sizes) == 1:
        return [shares]
    return [graph.take(shares, list(range(a, b)), axis=1) for a, b in pairwise(ends)]


def class_sizes(model: Any) -> list[int]:
    """Number of classes of each target."""
    return [len(labels) for labels in model._labels]


@writes("DecisionTreeClassifier")
def tree_of_classes(graph: Graph, model: Any, columns: Columns) -> Answer:
    """The shares of the classes in the leaf."""
    sizes = class_sizes(model)
    table = np.hstack([np.asarray(part) for part in model._shares()])
    parts = split_targets(graph, tree_values(graph, read(graph, model, columns), model.tree_, table), sizes)
    return by_probability(graph, model.classes_, parts if isinstance(model.classes_, list) else parts[0])


@writes("DecisionTreeRegressor")
def tree_of_numbers(graph: Graph, model: Any, columns: Columns) -> Answer:
    """The value of the leaf."""
    table = np.asarray(model.tree_.value, dtype=np.float64)
    return Answer(numbers=tree_values(graph, read(graph, model, columns), model.tree_, table))


@writes("RandomForestClassifier", "ExtraTreesClassifier")
def forest_of_classes(graph: Graph, model: Any, columns: Columns) -> Answer:
    """The mean over the trees of the shares, or of votes, of the classes."""
    forest, sizes = model._answering, class_sizes(model)
    trees = [forest.tree(t) for t in range(len(forest))]
    tables = [shares_by_target(nodes.value[nodes.is_leaf], sizes) for nodes in trees]
    found = values(graph, read(graph, model, columns), trees, tables)
    mean = graph.div(graph.over("ReduceSum", found, keep=False), float(len(trees)))
    parts = split_targets(graph, mean, sizes)
    return by_probability(graph, model.classes_, parts if isinstance(model.classes_, list) else parts[0])


@writes("RandomForestRegressor", "ExtraTreesRegressor")
def forest_of_numbers(graph: Graph, model: Any, columns: Columns) -> Answer:
    """The mean over the trees."""
    forest = model.forest
    trees = [forest.tree(t) for t in range(len(forest))]
    x, width, count = read(graph, model, columns), forest.leaf_value.shape[1], float(len(trees))
    if width == 1:
        total = summed(graph, x, trees, 1, lambda _, nodes, ends: (np.zeros(len(ends)), nodes.value[ends, 0]))
        return Answer(numbers=graph.div(total, count))
    found = values(graph, x, trees, [nodes.value[nodes.is_leaf] for nodes in trees])
    return Answer(numbers=graph.div(graph.over("ReduceSum", found, keep=False), count))


@writes("ID3Classifier", "C45Classifier", "CHAIDClassifier")
def many_branches(graph: Graph, model: Any, columns: Columns) -> Answer:
    """Shares of the classes in the leaf, or in the mixture of leaves that a missing value leads to."""
    nodes = getattr(model, "_answering", model.tree_)
    table = shares_by_target(np.asarray(nodes.value, dtype=np.float64), [len(model.classes_)])
    return by_probability(graph, model.classes_, mixture(graph, read(graph, model, columns), nodes, table))


@writes("CHAIDRegressor")
def chaid_numbers(graph: Graph, model: Any, columns: Columns) -> Answer:
    """The value of the leaf."""
    table = np.asarray(model.tree_.value, dtype=np.float64)
    return Answer(numbers=mixture(graph, read(graph, model, columns), model.tree_, table))
