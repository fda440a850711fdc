"""The nodes of a tree as tests of cells: which branch a row takes, and trees as arrays that a loop walks."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pellucid.export._form import All, Among, AnyOf, Cell, Compare, LeafTree, Missing, Number, Test
from pellucid.models.tree.nodes import SHARE, STOP, NodeTest, TreeNodes


@dataclass(frozen=True)
class Split:
    """What an inner node asks.

    tests : test and child, of which at most one holds
    otherwise : the child where none holds, which may be the node itself
    missing : what becomes of a missing value: a branch, STOP or SHARE
    """

    tests: tuple[tuple[Test, int], ...]
    otherwise: int
    missing: int


def branches(tree: LeafTree, i: int) -> Split:
    """The tests of a node: of a missing value none holds, so that its branch comes last, without a test."""
    nodes, first = tree.nodes, int(tree.nodes.first_child[i])
    missing = int(nodes.missing_child[i])
    tests = _tests(tree, i)
    if _has_surrogates(nodes, i):
        tests = [(branch, _with_surrogates(nodes, i, branch, test)) for branch, test in tests]
    last = first + missing if missing >= 0 else i
    return Split(tuple((test, first + b) for b, test in tests if first + b != last), last, missing)


def _tests(tree: LeafTree, i: int) -> list[tuple[int, Test]]:
    """Branch and test, of all branches."""
    nodes, x = tree.nodes, Cell(int(tree.nodes.feature[i]))
    kind, t = NodeTest(int(nodes.test[i])), Number(float(nodes.threshold[i]))
    if kind is NodeTest.AT_MOST:
        return [(0, Compare("<=", x, t)), (1, Compare(">", x, t))]
    if kind is NodeTest.BELOW:
        return [(0, Compare("<", x, t)), (1, Compare(">=", x, t))]
    if kind is NodeTest.INTERVALS:
        return _intervals(x, nodes.cuts_of(i).tolist())
    count = int(nodes.n_children[i])
    return [(b, Among(x, codes) if (codes := codes_of(tree, i, b)) else AnyOf(())) for b in range(count)]


def codes_of(tree: LeafTree, i: int, branch: int) -> tuple[int, ...]:
    """The categories that take a branch, of those that the column has."""
    codes, size = tree.nodes.codes_of(i, branch), tree.sizes[int(tree.nodes.feature[i])]
    return tuple(int(code) for code in codes if size == 0 or code < size)


def _intervals(x: Cell, cuts: list[float]) -> list[tuple[int, Test]]:
    found: list[tuple[int, Test]] = []
    for b in range(len(cuts) + 1):
        ends: list[Test] = []
        if b > 0:
            ends.append(Compare(">", x, Number(cuts[b - 1])))
        if b < len(cuts):
            ends.append(Compare("<=", x, Number(cuts[b])))
        found.append((b, All(tuple(ends)) if len(ends) > 1 else ends[0] if ends else Compare("==", x, x)))
    return found


def _has_surrogates(nodes: TreeNodes, i: int) -> bool:
    return len(nodes.surrogate_start) > 0 and int(nodes.surrogate_start[i]) < int(nodes.surrogate_start[i + 1])


def _with_surrogates(nodes: TreeNodes, i: int, branch: int, test: Test) -> Test:
    """A branch of a test whose stand-ins are tried in turn where its own value is missing."""
    found: Test | None = None
    for k in reversed(range(int(nodes.surrogate_start[i]), int(nodes.surrogate_start[i + 1]))):
        x, t = Cell(int(nodes.surrogate_feature[k])), Number(float(nodes.surrogate_threshold[k]))
        left = (branch == 0) == (nodes.surrogate_reverse[k] == 0)
        own = Compare("<=" if left else ">", x, t)
        found = own if found is None else AnyOf((own, All((Missing(x), found))))
    assert found is not None
    return AnyOf((test, All((Missing(Cell(int(nodes.feature[i]))), found))))


def shared_parts(nodes: TreeNodes, i: int) -> dict[int, float]:
    """The share of each child in a row whose value is missing."""
    children = list(nodes.children(i))
    whole = 0.0
    for child in children:
        whole += float(nodes.weight[child])
    return {c: float(nodes.weight[c]) / whole if whole > 0 else 1.0 / len(children) for c in children}


def can_loop(tree: LeafTree) -> bool:
    """Has every test two branches and no stand-ins, so that a loop over arrays walks the tree?"""
    nodes = tree.nodes
    inner = ~nodes.is_leaf
    kinds = set(np.asarray(nodes.test)[inner].tolist())
    two = {int(NodeTest.AT_MOST), int(NodeTest.BELOW), int(NodeTest.SUBSET)}
    missing = np.asarray(nodes.missing_child)[inner]
    return kinds <= two and len(nodes.surrogate_feature) == 0 and bool(np.all((missing != SHARE) & (missing != STOP)))


@dataclass
class Arrays:
    """Trees as arrays. Node i asks column[i]; below zero, ~node is the number of a leaf.

    kind : 0, x <= threshold goes left, all else right; 1, x > threshold goes right, all else left; 2, a category of the
        set goes left, all else right; 3, one of the set goes right, all else left
    threshold : of kinds 0 and 1; of 2 and 3 the number of the set
    root : of each tree; first : the sum that its leaves are added to; leaves : width numbers a leaf
    set_start, sets : words of 32 bits of each set
    """

    kind: list[int]
    column: list[int]
    threshold: list[float]
    left: list[int]
    right: list[int]
    root: list[int]
    first: list[int]
    leaf: list[list[float]]
    set_start: list[int]
    sets: list[int]


def as_arrays(trees: tuple[LeafTree, ...]) -> Arrays:
    """All trees behind each other."""
    a = Arrays([], [], [], [], [], [], [], [], [0], [])
    known: dict[tuple[int, ...], int] = {}
    for tree in trees:
        number: dict[int, int] = {}
        inner = np.flatnonzero(~tree.nodes.is_leaf).tolist()
        for k, i in enumerate(inner):
            number[i] = len(a.kind) + k
        for i in np.flatnonzero(tree.nodes.is_leaf).tolist():
            number[i] = ~len(a.leaf)
            a.leaf.append(tree.values[i].tolist())
        for i in inner:
            _add_node(a, tree, i, number, known)
        a.root.append(number[0])
        a.first.append(tree.first)
    return a


def _add_node(a: Arrays, tree: LeafTree, i: int, number: dict[int, int], known: dict[tuple[int, ...], int]) -> None:
    nodes, first = tree.nodes, int(tree.nodes.first_child[i])
    right = int(nodes.missing_child[i]) == 0  # is the test the one that leads to the right?
    kind, t = NodeTest(int(nodes.test[i])), float(nodes.threshold[i])
    if kind is NodeTest.SUBSET:
        codes = codes_of(tree, i, 1 if right else 0)
        if codes not in known:
            known[codes] = len(a.set_start) - 1
            words = [0] * (max(codes, default=0) // 32 + 1)
            for code in codes:
                words[code // 32] |= 1 << (code % 32)
            a.sets += words
            a.set_start.append(len(a.sets))
        a.kind.append(3 if right else 2)
        a.threshold.append(float(known[codes]))
    else:
        a.kind.append(1 if right else 0)
        a.threshold.append(math.nextafter(t, -math.inf) if kind is NodeTest.BELOW else t)
    a.column.append(int(nodes.feature[i]))
    a.left.append(number[first])
    a.right.append(number[first + 1])
