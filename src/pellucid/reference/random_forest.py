"""Random forests, step by step: every tree on a sample of its own; their mean, and the rows that a tree has not seen.

What is drawn is given: for each tree how often each row is in its sample, and which columns it may ask. Breiman:
Random forests. Machine Learning 45 (2001).
"""

from __future__ import annotations

from math import log2, sqrt

import numpy as np
from numpy.typing import NDArray

from pellucid.reference.cart import Node, Rules, grow, predict

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


def columns_of_split(p: int, rule: str, rounding: str = "down") -> int:
    """Columns that a split looks at, of p: their root, logarithm or third; at least one."""
    n_columns = {"sqrt": sqrt(p), "log2": log2(p), "third": p / 3}[rule]
    return max(1, int(np.floor(n_columns + 0.5)) if rounding == "nearest" else int(np.floor(n_columns)))


def grow_forest(
    X: Floats,
    y: Floats,
    samples: list[Counts],
    rules: Rules | None = None,
    classes: int = 0,
    columns: list[list[int]] | None = None,
) -> list[Node]:
    """A tree a sample. A row counts as often as it was drawn; columns that a tree may not ask are the same throughout.

    y : codes of so many classes, or numbers where `classes` is 0
    """
    trees = []
    for t, counts in enumerate(samples):
        table = X
        if columns is not None:
            table = np.zeros_like(X)
            table[:, columns[t]] = X[:, columns[t]]
        sizes = [classes] if classes else []
        trees.append(grow(table, y[:, None], counts.astype(np.float64), rules, sizes))
    return trees


def answers(tree: Node, X: Floats, classes: int) -> Floats:
    """Shares of the classes in each row's leaf, or the mean of its targets."""
    value = predict(tree, X)
    return np.asarray(value / value.sum(axis=1, keepdims=True) if classes else value)


def mean_answer(trees: list[Node], X: Floats, classes: int = 0) -> Floats:
    """What the forest says: the mean over the trees."""
    return np.asarray(np.mean([answers(tree, X, classes) for tree in trees], axis=0))


def out_of_bag(trees: list[Node], samples: list[Counts], X: Floats, classes: int = 0) -> tuple[Floats, Counts]:
    """The mean answer for each row of the trees that have not seen it, NaN where there are none; and how many do."""
    sums = np.zeros((len(X), max(classes, 1)))
    n_votes = np.zeros(len(X), dtype=np.int64)
    for tree, counts in zip(trees, samples, strict=True):
        unseen = counts == 0
        sums[unseen] += answers(tree, X[unseen], classes) if unseen.any() else 0
        n_votes += unseen
    with np.errstate(invalid="ignore"):
        return sums / n_votes[:, None], n_votes


def out_of_bag_curve(trees: list[Node], samples: list[Counts], X: Floats, y: Floats, classes: int = 0) -> Floats:
    """The error out of bag with the first 1, 2, ... trees: share of wrong classes, or mean squared error."""
    curve = []
    for t in range(1, len(trees) + 1):
        sums, n_votes = out_of_bag(trees[:t], samples[:t], X, classes)
        has_votes = n_votes > 0
        if not has_votes.any():
            curve.append(np.nan)
        elif classes:
            curve.append(float(np.mean(sums[has_votes].argmax(axis=1) != y[has_votes])))
        else:
            curve.append(float(np.mean((sums[has_votes, 0] - y[has_votes]) ** 2)))
    return np.array(curve)


def proximity(leaves: NDArray[np.int64]) -> Floats:
    """The share of trees in which two rows end in the same leaf; leaves: rows x trees."""
    n = len(leaves)
    return np.array([[float(np.mean(leaves[i] == leaves[j])) for j in range(n)] for i in range(n)])


def quantile(trees: list[Node], samples: list[Counts], x: Floats, y: Floats, q: float) -> float:
    """Every tree shares out a weight of one among the rows in x's leaf; where these weights reach q, from below."""
    weight = np.zeros(len(y))
    for tree, counts in zip(trees, samples, strict=True):
        node = tree
        while node.children:
            node = node.children[0 if x[node.feature] <= node.threshold else 1]
        weight[node.rows] += counts[node.rows] / counts[node.rows].sum()
    order = np.argsort(y, kind="stable")
    reached = np.cumsum(weight[order]) / weight.sum()
    return float(y[order][np.argmax((reached >= q - 1e-12) & (weight[order] > 0))])
