"""A forest: many trees in one block of memory, 16 bytes a node, and the samples that they were grown on.

A node keeps its test and where it leads, a leaf what it answers. What inner nodes weigh, hold and how mixed they are is
worked out from the leaves below them when a tree is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from pellucid import _core
from pellucid.base.errors import DataError, format_message
from pellucid.base.types import Array, Floats
from pellucid.models.tree.cart import Grower
from pellucid.models.tree.nodes import TreeNodes


@dataclass(frozen=True)
class Sample:
    """How the rows of each tree were drawn; drawn again when somebody asks for them.

    rows : of the table
    draw : "all" rows; "replace", `draws` of them with replacement, by their weights; "distinct", without replacement
    seed : of the forest; a tree's sample hangs on it and on the number of the tree
    """

    rows: int
    draw: str
    draws: int
    weight: Floats | None
    seed: int

    @property
    def sampler(self) -> _core.ForestSampler:
        """For kernels."""
        return _core.ForestSampler(self.rows, self.draw, self.draws, self.weight, self.seed)

    def counts(self, tree: int) -> Array:
        """How often each row is in the sample of a tree."""
        return np.asarray(self.sampler.counts(tree))

    def left_out(self, tree: int) -> Array:
        """The rows that are not in it."""
        return np.flatnonzero(self.counts(tree) == 0)


@dataclass(frozen=True, eq=False)
class Forest:
    """T trees. Entries of tree t lie between ``start[t]`` and ``start[t + 1]``.

    nodes : 16 bytes a node, as the kernels have it (cpp/core/forest/forest.hpp)
    tree_start, leaf_start : where the nodes and the leaves of each tree begin
    leaf_value : what each leaf answers: the weight of each class, or the mean of each target
    set_start, words : sets of categories, as bits
    leaf_rows, leaf_weight, leaf_impurity : rows of each leaf; for numbers their weight and impurity too
    node_value, node_impurity : of all nodes, where the leaves do not tell (medians, answers kept in order)
    importance : T x p, by how much the tests on each column lower the impurity of each tree
    n_classes : of each output; empty for numbers
    """

    nodes: Array
    tree_start: Array
    leaf_start: Array
    leaf_value: Floats
    set_start: Array
    words: Array
    leaf_rows: Array
    leaf_weight: Floats
    leaf_impurity: Floats
    node_value: Floats
    node_impurity: Floats
    importance: Floats
    n_classes: Array
    criterion: str
    threshold: str = field(default="midpoint")

    def __post_init__(self) -> None:
        for name in _ARRAYS:
            getattr(self, name).setflags(write=False)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()

    def __len__(self) -> int:
        return len(self.tree_start) - 1

    @property
    def n_cols(self) -> int:
        """Columns of the table."""
        return int(self.importance.shape[1])

    @property
    def nbytes(self) -> int:
        """Memory of all trees."""
        return sum(getattr(self, name).nbytes for name in _ARRAYS)

    @property
    def bound(self) -> _core.Forest:
        """The forest as kernels read it, checked once: nobody can write into its arrays."""
        kernel_forest = _BOUND.get(self)
        if kernel_forest is None:
            if len(self.n_classes) and (self.n_classes.min() < 1 or self.n_classes.sum() != self.leaf_value.shape[1]):
                found_classes = f"{self.n_classes.tolist()} classes for {self.leaf_value.shape[1]} numbers a leaf"
                raise DataError(
                    format_message("Forest", "a leaf must have a number for each class", actual=found_classes)
                )
            walked = ("nodes", "tree_start", "leaf_start", "leaf_value", "set_start", "words")
            kernel_forest = _core.Forest(**{name: getattr(self, name) for name in walked}, cols=self.n_cols, threads=1)
            if kernel_forest.fault is not None:
                raise DataError(format_message("Forest", "these arrays are no forest", actual=kernel_forest.fault))
            _BOUND[self] = kernel_forest
        return kernel_forest

    def tree(self, t: int) -> TreeNodes:
        """One tree as columns of numbers."""
        settings = _core.TreeSettings()
        settings.criterion, settings.threshold = self.criterion, self.threshold
        figures = (self.leaf_rows, self.leaf_weight, self.leaf_impurity, self.node_value, self.node_impurity)
        return TreeNodes.of(_core.forest_tree(self.bound, *figures, self.n_classes, settings, t))

    def predict(self, X: _core.Matrix, threads: int = 1) -> Floats:
        """n x width: the mean over the trees of the shares of the classes, or of the means."""
        return np.asarray(_core.forest_predict(self.bound, X, self.n_classes, threads))

    def apply(self, X: _core.Matrix, threads: int = 1) -> Array:
        """n x T: the node of each tree that each row ends in."""
        return np.asarray(_core.forest_apply(self.bound, X, threads))

    def out_of_bag(
        self, X: _core.Matrix, y: Floats, weight: Floats | None, sample: Sample, threads: int
    ) -> dict[str, Array]:
        """What the trees say of rows that they did not see.

        ``mean`` (n x width, NaN where no tree answers), ``answers`` (how many trees do), and ``loss`` and ``weight``
        with the first 1, 2, ... trees: the sum of losses over the rows that have an answer by then, and their weight.
        """
        y = np.ascontiguousarray(y)
        return _core.forest_out_of_bag(self.bound, X, y, self.n_classes, weight, sample.sampler, threads)

    @property
    def hardened(self) -> Forest:
        """The same trees, each of whose leaves is for its most frequent class alone: the mean is a share of votes."""
        voting_forest = _HARDENED.get(self)
        if voting_forest is None:
            votes = np.zeros_like(self.leaf_value)
            rows, first = np.arange(len(votes)), 0
            for classes in self.n_classes.tolist():
                votes[rows, first + self.leaf_value[:, first : first + classes].argmax(axis=1)] = 1.0
                first += classes
            voting_forest = _HARDENED[self] = replace(self, leaf_value=votes)
        return voting_forest

    def part(self, begin: int, end: int) -> Forest:
        """The forest of trees begin .. end - 1."""
        n0, n1 = int(self.tree_start[begin]), int(self.tree_start[end])
        k0, k1 = int(self.leaf_start[begin]), int(self.leaf_start[end])
        width = self.leaf_value.shape[1]
        return replace(
            self,
            nodes=self.nodes[n0:n1],
            tree_start=self.tree_start[begin : end + 1] - n0,
            leaf_start=self.leaf_start[begin : end + 1] - k0,
            leaf_value=self.leaf_value[k0:k1],
            leaf_rows=self.leaf_rows[k0:k1],
            leaf_weight=self.leaf_weight[k0:k1],
            leaf_impurity=self.leaf_impurity[k0:k1],
            node_value=self.node_value[n0 * width : n1 * width],
            node_impurity=self.node_impurity[n0:n1],
            importance=self.importance[begin:end],
        )

    def joined(self, more: Forest) -> Forest:
        """This forest with the trees of another one behind its own."""
        nodes = np.array(more.nodes)
        if len(self.set_start):  # sets are numbered through: the number is in the lower bits of the first word
            sets = (nodes[:, 1] & _SET) != 0
            nodes[sets, 0] += np.uint64(len(self.set_start) - 1)
        arrays: dict[str, Any] = {"nodes": np.concatenate([self.nodes, nodes])}
        for name in ("tree_start", "leaf_start", "set_start"):
            current, added = getattr(self, name), getattr(more, name)
            arrays[name] = (
                np.concatenate([current, added[1:] + current[-1]])
                if len(current) and len(added)
                else _longer(current, added)
            )
        for name in set(_ARRAYS) - set(arrays) - {"n_classes"}:
            arrays[name] = np.concatenate([getattr(self, name), getattr(more, name)])
        return replace(self, **arrays)


_ARRAYS = tuple(one.name for one in fields(Forest) if one.name not in ("criterion", "threshold"))
_SET = np.uint64(1 << 30)
# Made when they are first asked for, and beside the forest: what is kept, compared and pickled is its arrays.
_BOUND: WeakKeyDictionary[Forest, _core.Forest] = WeakKeyDictionary()
_HARDENED: WeakKeyDictionary[Forest, Forest] = WeakKeyDictionary()


def _longer(a: Array, b: Array) -> Array:
    return a if len(a) >= len(b) else b


@dataclass(frozen=True)
class ForestGrower:
    """A table made ready, and how trees are grown on it: one tree after the other, in as many calls as are wanted.

    balanced : do the classes of each sample get the same weight in it?
    tree_features : columns that a tree may ask
    ccp_alpha : strength of pruning
    """

    grower: Grower
    sample: Sample
    y: Floats
    n_classes: Array
    weight: Floats | None
    balanced: bool
    tree_features: int
    ccp_alpha: float

    def grow(self, first: int, count: int) -> Forest:
        """Trees first .. first + count - 1."""
        g, s = self.grower, self.sample
        arrays = _core.grow_forest(
            g.columns,
            np.ascontiguousarray(self.y),
            self.n_classes,
            self.weight,
            g.monotone,
            g.settings,
            s.seed,
            s.draw,
            s.draws,
            self.balanced,
            self.tree_features,
            self.ccp_alpha,
            first,
            count,
            g.threads,
        )
        return Forest(
            **arrays, n_classes=self.n_classes, criterion=g.settings.criterion, threshold=g.settings.threshold
        )
