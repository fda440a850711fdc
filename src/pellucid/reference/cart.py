"""CART in the textbook's steps: grow by the best binary split, answer with the leaf, prune the weakest link.

A node t of rows with weights w has the impurity i(t); the split into L and R that is made is the one with the largest

    gain = i(t) - (w_L i(L) + w_R i(R)) / w_t

(``weighting="none"``: the one with the smallest i(L) + i(R)). Growing goes on until a node is pure, or a limit holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Array = NDArray[Any]


@dataclass
class Node:
    """Rows, their answer, and, unless it is a leaf, the test: ``x[feature]`` against a threshold or in a set."""

    rows: Array
    value: Floats  # weight of each class, or the mean (median) of each target
    weight: float
    impurity: float
    feature: int = -1
    threshold: float = np.nan
    inside: frozenset[int] | None = None
    missing_left: bool = False
    children: list[Node] = field(default_factory=list)


@dataclass(frozen=True)
class Rules:
    """How a tree is grown."""

    criterion: str = "gini"
    threshold: str = "midpoint"  # and at most it to the left; "value": a value of the data, and below it to the left
    weighting: str = "size"
    categories: frozenset[int] = frozenset()  # columns of codes
    category_split: str = "ordered"  # the best of all subsets; "one_versus_rest": one category against the others
    max_depth: float = np.inf
    min_rows_split: int = 2
    min_rows_leaf: int = 1


# ---------------------------------------------------------------------------------------------------------- impurity


def proportions(y: Array, w: Floats) -> Floats:
    """The share of each class, by weight."""
    weights = np.bincount(y.astype(int), weights=w)
    return np.asarray(weights / weights.sum())


def weighted_median(y: Floats, w: Floats) -> float:
    """Where half of the weight is reached; half way to the next value where it is reached exactly."""
    order = np.argsort(y, kind="stable")
    y, reached = y[order], np.cumsum(w[order])
    at = int(np.searchsorted(reached, reached[-1] / 2))
    return float((y[at] + y[at + 1]) / 2) if reached[at] == reached[-1] / 2 else float(y[at])


def impurity_of(y: Array, w: Floats, criterion: str) -> float:
    """How mixed one target is."""
    if criterion in ("gini", "entropy", "log_loss"):
        p = proportions(y, w)
        return float(1 - (p**2).sum()) if criterion == "gini" else float(-(p[p > 0] * np.log2(p[p > 0])).sum())
    if criterion == "absolute_error":
        return float(np.average(np.abs(y - weighted_median(y, w)), weights=w))
    mean = float(np.average(y, weights=w))
    if criterion == "poisson":  # half the mean deviance
        if mean <= 0:
            return float("inf")
        return float(np.average(np.where(y > 0, y * np.log(np.where(y > 0, y, 1) / mean), 0), weights=w))
    return float(np.average((y - mean) ** 2, weights=w))


def impurity(Y: Array, w: Floats, criterion: str) -> float:
    """The mean over the targets."""
    return float(np.mean([impurity_of(Y[:, k], w, criterion) for k in range(Y.shape[1])]))


def answer_of(Y: Array, w: Floats, criterion: str, sizes: list[int]) -> Floats:
    """What a leaf says: weights of the classes of each target, one after the other, or means (medians)."""
    if sizes:
        counts = [np.bincount(Y[:, k].astype(int), weights=w, minlength=size) for k, size in enumerate(sizes)]
        return np.concatenate(counts)
    if criterion == "absolute_error":
        return np.array([weighted_median(Y[:, k], w) for k in range(Y.shape[1])])
    return np.asarray(np.average(Y, axis=0, weights=w))


# ------------------------------------------------------------------------------------------------------------ growing


def tests_of(x: Floats, rules: Rules, categorical: bool) -> Iterator[tuple[float, frozenset[int] | None]]:
    """Every test of one column, as (threshold, set): cuts from left to right, or sets of categories."""
    values = np.unique(x[~np.isnan(x)])
    if categorical:
        codes = [int(value) for value in values]
        single = rules.category_split == "one_versus_rest"
        for size in range(1, 2 if single else len(codes) // 2 + 1):
            yield from ((np.nan, frozenset(inside)) for inside in combinations(codes, size))
    elif rules.threshold == "value":
        yield from ((float(value), None) for value in values[1:])
    else:
        for low, high in zip(values[:-1].tolist(), values[1:].tolist(), strict=True):
            middle = low / 2 + high / 2
            yield (middle if low <= middle < high else low), None
    if np.isnan(x).any() and len(values):  # values against none
        yield (np.inf, None) if not categorical else (np.nan, frozenset(codes))


def goes_left(x: Floats, threshold: float, inside: frozenset[int] | None, rules: Rules, missing_left: bool) -> Array:
    """Which rows take the first branch."""
    if inside is not None:
        is_left = np.isin(x, list(inside))
    else:
        is_left = x < threshold if rules.threshold == "value" else x <= threshold
    return np.asarray(np.where(np.isnan(x), missing_left, is_left))


def gain_of(Y: Array, w: Floats, left: Array, rules: Rules) -> float:
    """How much purer a split makes the rows."""
    sides = [(w[side].sum(), impurity(Y[side], w[side], rules.criterion)) for side in (left, ~left)]
    if rules.weighting == "none":
        return impurity(Y, w, rules.criterion) - sides[0][1] - sides[1][1]
    if rules.criterion == "friedman_mse":
        apart = np.average(Y[left], axis=0, weights=w[left]) - np.average(Y[~left], axis=0, weights=w[~left])
        return float(sides[0][0] * sides[1][0] / w.sum() ** 2 * apart.mean() ** 2)
    return impurity(Y, w, rules.criterion) - float(sum(share * mixed for share, mixed in sides)) / float(w.sum())


def best_split(X: Floats, Y: Array, w: Floats, rules: Rules) -> tuple[int, float, frozenset[int] | None, bool] | None:
    """The test with the largest gain: of equals the first column, and there the first test."""
    best, best_test = -np.inf, None
    for j in range(X.shape[1]):
        x = X[:, j]
        sides = (False, True) if np.isnan(x).any() else (False,)
        for threshold, inside in tests_of(x, rules, j in rules.categories):
            for missing_left in sides:
                is_left = goes_left(x, threshold, inside, rules, missing_left)
                if min(is_left.sum(), (~is_left).sum()) < rules.min_rows_leaf:
                    continue
                gain = gain_of(Y, w, is_left, rules)
                if gain > best + 1e-12:
                    best, best_test = gain, (j, threshold, inside, missing_left)
    return best_test


def grow(
    X: Floats, Y: Array, w: Floats | None = None, rules: Rules | None = None, sizes: list[int] | None = None
) -> Node:
    """The tree of rows X with targets Y (n x outputs; codes of ``sizes`` classes, or numbers)."""
    rules, w = rules or Rules(), np.ones(len(X)) if w is None else w
    return _grow(X, Y, w, rules, sizes or [], np.flatnonzero(w > 0), 0)


def _grow(X: Floats, Y: Array, w: Floats, rules: Rules, sizes: list[int], rows: Array, depth: int) -> Node:
    node = Node(
        rows, answer_of(Y[rows], w[rows], rules.criterion, sizes), float(w[rows].sum()),
        impurity(Y[rows], w[rows], rules.criterion),
    )  # fmt: skip
    if node.impurity <= 1e-12 or depth >= rules.max_depth or len(rows) < rules.min_rows_split:
        return node
    best_test = best_split(X[rows], Y[rows], w[rows], rules)
    if best_test is None:
        return node
    node.feature, node.threshold, node.inside, node.missing_left = best_test
    x = X[rows, node.feature]
    is_left = goes_left(x, node.threshold, node.inside, rules, node.missing_left)
    if not np.isnan(x).any():  # nothing was learned about missing values: they follow the larger part
        node.missing_left = bool(is_left.sum() > (~is_left).sum())
    node.children = [_grow(X, Y, w, rules, sizes, rows[side], depth + 1) for side in (is_left, ~is_left)]
    return node


def leaf_of(node: Node, x: Floats, rules: Rules | None = None) -> Node:
    """Where a row ends."""
    while node.children:
        is_left = goes_left(x[[node.feature]], node.threshold, node.inside, rules or Rules(), node.missing_left)[0]
        node = node.children[0 if is_left else 1]
    return node


def predict(node: Node, X: Floats, rules: Rules | None = None) -> Floats:
    """The answer of each row's leaf."""
    return np.array([leaf_of(node, x, rules).value for x in X])


# ------------------------------------------------------------------------------------------------------------ pruning


def nodes_of(node: Node) -> list[Node]:
    """A node and all below it, each before its children."""
    return [node] + [below for child in node.children for below in nodes_of(child)]


def leaves_of(node: Node) -> list[Node]:
    return [below for below in nodes_of(node) if not below.children]


def strength(node: Node, whole: float) -> float:
    """The alpha at which a branch costs as much as a leaf: (R(t) - R(T_t)) / (leaves - 1), with R = i(t) w_t / w."""
    leaves = leaves_of(node)
    below = sum(leaf.impurity * leaf.weight for leaf in leaves)
    return (node.impurity * node.weight - below) / whole / (len(leaves) - 1)


def weakest(root: Node) -> Node:
    """The branch that is the first to be worth no more than a leaf."""
    return min((node for node in nodes_of(root) if node.children), key=lambda node: strength(node, root.weight))


def prune(root: Node, alpha: float) -> None:
    """Makes leaves of the weakest branches, one after the other, while alpha for each leaf is too dear for them."""
    while root.children and strength(weakest(root), root.weight) <= alpha:
        weakest(root).children = []


def pruning_path(root: Node) -> list[tuple[float, float, int]]:
    """(alpha, impurity of the leaves, leaves) while the weakest branch becomes a leaf; the root is cut down."""

    def state(alpha: float) -> tuple[float, float, int]:
        leaves = leaves_of(root)
        return alpha, sum(leaf.impurity * leaf.weight for leaf in leaves) / root.weight, len(leaves)

    path = [state(0.0)]
    while root.children:
        weak = weakest(root)
        alpha = strength(weak, root.weight)
        weak.children = []
        path.append(state(max(alpha, path[-1][0])))
    return path
