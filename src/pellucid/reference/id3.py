"""ID3 in the textbook's steps: entropy, information gain, and a branch for every category.

Tables hold codes 0, 1, ... of categories, NaN where a value is missing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Array = NDArray[Any]

TIE = 1e-9  # what differs by less counts as equal


@dataclass
class Node:
    """Weight of each class, and, unless it is a leaf, the column that is asked with the child of each category."""

    value: Floats
    feature: int = -1
    gain: float = np.nan
    children: list[Node] = field(default_factory=list)
    branch: dict[int, int] = field(default_factory=dict)  # category -> place among the children


def entropy(weights: Any) -> float:
    """``-sum p log2 p`` bits of weights that are turned into shares; 0 log 0 = 0."""
    w = np.asarray(weights, dtype=np.float64)
    p = w[w > 0] / w.sum()
    return float(-(p * np.log2(p)).sum()) if len(p) else 0.0


def class_weights(y: Array, w: Floats, k: int) -> Floats:
    """Weight of each of k classes."""
    return np.bincount(y, weights=w, minlength=k).astype(np.float64)


def information_gain(column: Floats, y: Array, w: Floats, k: int) -> float:
    """``H(S) - sum_v |S_v| / |S| H(S_v)`` of the rows that have a value, times their share of all rows."""
    is_present = ~np.isnan(column)
    column, y, present_weight = column[is_present], y[is_present], w[is_present]
    if present_weight.sum() == 0:
        return 0.0
    inside = sum(
        present_weight[column == v].sum() * entropy(class_weights(y[column == v], present_weight[column == v], k))
        for v in np.unique(column)
    )
    gain = entropy(class_weights(y, present_weight, k)) - inside / present_weight.sum()
    return float(max(gain, 0.0) * present_weight.sum() / w.sum())


def grow(
    X: Floats,
    y: Array,
    w: Floats,
    k: int,
    *,
    max_depth: float = np.inf,
    min_weight_split: float = 2,
    min_gain: float = 0.0,
    met: list[set[int]] | None = None,
) -> Node:
    """The tree of rows with positive weights w.

    met : categories that any row of the whole table has, column by column
    """
    met = [{int(v) for v in column[~np.isnan(column)]} for column in X.T] if met is None else met
    node = Node(class_weights(y, w, k))
    if max_depth == 0 or np.count_nonzero(node.value) < 2 or w.sum() < min_weight_split:
        return node  # pure, or too small
    best, best_gain = -1, -1.0
    for j in range(X.shape[1]):
        gain = information_gain(X[:, j], y, w, k)
        n_branches = len(np.unique(X[~np.isnan(X[:, j]), j]))
        if n_branches > 1 and gain >= min_gain - TIE and gain > best_gain + TIE:
            best, best_gain = j, gain
    if best < 0:
        return node  # no column is left that parts the rows: the majority answers
    node.feature, node.gain = best, best_gain
    column = X[:, best]
    for position, v in enumerate(np.unique(column[~np.isnan(column)]).astype(int).tolist()):
        rows = column == v
        node.branch[v] = position
        limits = {"min_weight_split": min_weight_split, "min_gain": min_gain}
        node.children.append(grow(X[rows], y[rows], w[rows], k, max_depth=max_depth - 1, met=met, **limits))
    elsewhere = met[best] - set(node.branch)
    if elsewhere:  # an empty branch: a leaf with the majority of its parent
        node.branch.update(dict.fromkeys(elsewhere, len(node.children)))
        node.children.append(Node(node.value))
    return node


def answer(node: Node, x: Floats) -> Floats:
    """Shares of the classes at the node where a row ends: a leaf, or the first node that asks for what it lacks."""
    while node.children:
        value = x[node.feature]
        if np.isnan(value) or int(value) not in node.branch:
            break
        node = node.children[node.branch[int(value)]]
    return np.asarray(node.value / node.value.sum())
