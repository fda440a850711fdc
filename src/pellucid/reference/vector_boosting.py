"""Boosting of several targets at once: each round one tree, whose leaves answer with a number for every target.

With G_k, H_k the sums over a node's rows of the first and second derivatives of the loss by target k,

    answer      w_k = -T(G_k) / (H_k + l2)                 for each target by itself; T: second_order_boosting
    similarity  sum_k T(G_k)² / (H_k + l2)                 that of one target, added up
    gain        similarity of the left side + that of the right side - that of the node

so that a split is as good as it is for all targets together. A leaf may not weigh less than `min_child_weight`: the
mean of H_k over the targets counts, and means for many targets what it means for one. Many categories are put in the
order of their vectors G_k / (H_k + smooth) along the direction in which these spread most (their first principal
axis, each weighing the mean of its H_k), and runs of that order are tried. For one target all this is boosting by
first and second derivatives as it is known; the softmax has its classes for targets.

Chen and Guestrin: XGBoost: a scalable tree boosting system (2016), and its trees of many outputs; Coppersmith, Hong and
Hosking: Partitioning nominal attributes in decision trees (1999).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pellucid.reference.gradient_boosting import Loss, curvatures, leaf_answer, residuals, start_of, width
from pellucid.reference.second_order_boosting import (
    TIE,
    Grown,
    Settings,
    Test,
    Worth,
    answer_of,
    grow_by,
    leaves_of,
    predict,
    similarity_of,
)
from pellucid.reference.second_order_boosting import candidates as candidates_by

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


Node = Grown[Floats]

# ---------------------------------------------------------------------------------------------------------- one node


def similarity(G: Floats, H: Floats, s: Settings, more_l2: float = 0.0) -> float:
    """The similarities of all targets together."""
    return sum(similarity_of(float(a), float(b), s, more_l2) for a, b in zip(G, H, strict=True))


def node_of(g: Floats, h: Floats, rows: Ints, s: Settings, depth: int = 0) -> Node:
    """Some rows as a leaf. g, h: rows x targets."""
    G, H = g[rows].sum(axis=0), h[rows].sum(axis=0)
    leaf_value = np.array([answer_of(float(a), float(b), s) for a, b in zip(G, H, strict=True)])
    return Node(rows, G, H, similarity(G, H, s), leaf_value, depth)


def gain_of(g: Floats, h: Floats, left: Flags, s: Settings, more_l2: float = 0.0) -> float:
    """Similarities of both sides less that of all rows; a side without rows is worth nothing. Exactly 0 for about 0."""
    sides = [similarity(g[side].sum(axis=0), h[side].sum(axis=0), s, more_l2) for side in (left, ~left)]
    total = similarity(g.sum(axis=0), h.sum(axis=0), s)
    gain = sides[0] + sides[1] - total
    return 0.0 if abs(gain) <= TIE * (abs(sides[0]) + abs(sides[1]) + abs(total)) else gain


def allowed(h: Floats, s: Settings) -> bool:
    """May rows with these second derivatives be a leaf? The mean over the targets of their sums must be enough."""
    return len(h) >= max(s.min_samples_leaf, 1) and float(h.sum(axis=0).mean()) >= s.min_child_weight


# ------------------------------------------------------------------------------------------------------------- tests


def widest_direction(points: Floats, mass: Floats) -> Floats:
    """The direction in which weighted points spread most about their mean; its largest part is positive.

    >>> widest_direction(np.array([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]]), np.ones(3))
    array([0.6, 0.8])
    """
    about = points - np.average(points, axis=0, weights=mass)
    axis = np.linalg.eigh((about * mass[:, None]).T @ about)[1][:, -1]
    return np.asarray(axis * np.sign(axis[np.abs(axis).argmax()]))


def category_order(x: Floats, g: Floats, h: Floats, smooth: float) -> list[int]:
    """The categories by G_k / (H_k + smooth) along the direction in which these vectors spread most, rising."""
    codes = np.unique(x[~np.isnan(x)])
    if not len(codes):
        return []
    G = np.array([g[x == code].sum(axis=0) for code in codes])
    H = np.array([h[x == code].sum(axis=0) for code in codes])
    points = G / (H + smooth)
    along = points @ widest_direction(points, H.mean(axis=1))
    return [int(code) for code in codes[np.argsort(along, kind="stable")]]


MANY: Worth[Floats] = Worth(node_of, gain_of, allowed, category_order)


def candidates(X: Floats, g: Floats, h: Floats, rows: Ints, s: Settings) -> list[Test]:
    """Every test that a node with these rows may ask, with its gain: column by column, from the left."""
    return candidates_by(X, g, h, rows, s, MANY)


# ----------------------------------------------------------------------------------------------------------- growing


def grow(X: ArrayLike, g: ArrayLike, h: ArrayLike, s: Settings | None = None, rows: ArrayLike | None = None) -> Node:
    """The tree of the rows with first and second derivatives g and h: rows x targets.

    >>> tree = grow([[1], [2], [3]], [[-1, 2], [-1, 2], [3, -1]], np.ones((3, 2)), Settings(max_depth=1, l2=1))
    >>> tree.test.threshold, round(tree.gain, 4), [leaf.answer.round(4).tolist() for leaf in tree.children]
    (2.5, 9.1667, [[0.6667, -1.3333], [-1.5, 0.5]])
    """
    return grow_by(MANY, X, g, h, s or Settings(), rows)


# ---------------------------------------------------------------------------------------------------------- boosting


@dataclass
class Boosted:
    """A start and a tree for each round. ``scores[m]``: rows x targets after m rounds."""

    loss: Loss
    rate: float
    start: Floats
    trees: list[Node]
    scores: list[Floats]


def slopes_of(loss: Loss, Y: Floats, f: Floats, widths: Floats) -> tuple[Floats, Floats]:
    """First and second derivatives by all scores: rows x targets. widths: Huber's d of each target."""
    if loss.name == "softmax":
        return -residuals(loss, Y[:, 0], f), curvatures(loss, f)
    g = [-residuals(loss, Y[:, k], f[:, [k]], float(widths[k])) for k in range(f.shape[1])]
    return np.hstack(g), curvatures(loss, f)


def starts_of(loss: Loss, Y: Floats, weight: Floats) -> Floats:
    """The constant for each target that its loss is least for."""
    return np.concatenate([start_of(loss, Y[:, k], weight) for k in range(Y.shape[1])])


def boost(
    X: ArrayLike,
    Y: ArrayLike,
    loss: Loss | None = None,
    s: Settings | None = None,
    *,
    rounds: int = 100,
    rate: float = 0.1,
    start: ArrayLike | None = None,
    weight: ArrayLike | None = None,
) -> Boosted:
    """Round by round one tree on the derivatives by all targets. Y: rows x targets; of the softmax one of classes.

    Losses without curvature have h = 1 for the splits, and for each target a leaf answers by the residuals of that
    target.
    """
    loss, s = loss or Loss(), s or Settings()
    table, targets = np.asarray(X, dtype=np.float64), np.asarray(Y, dtype=np.float64)
    w = np.ones(len(targets)) if weight is None else np.asarray(weight, dtype=np.float64)
    first = starts_of(loss, targets, w) if start is None else np.asarray(start, dtype=np.float64)
    f = np.tile(first, (len(targets), 1))
    rows = np.flatnonzero(w > 0)
    boosted = Boosted(loss, rate, first, [], [f.copy()])
    for _ in range(rounds):
        widths = np.array([width(loss, y, f[:, [k]], w) for k, y in enumerate(targets.T)])
        g, h = slopes_of(loss, targets, f, widths)
        tree = grow(table, g * w[:, None], h * w[:, None], s, rows)
        if loss.by_residuals:
            for leaf in leaves_of(tree):
                at = leaf.rows
                leaf_values = [
                    leaf_answer(loss, y[at], f[at][:, [k]], w[at], widths[k]) for k, y in enumerate(targets.T)
                ]
                leaf.answer = np.array(leaf_values)
        f = f + rate * predict(tree, table)
        boosted.trees.append(tree)
        boosted.scores.append(f.copy())
    return boosted


def scores_of(model: Boosted, X: ArrayLike) -> Floats:
    """The scores of any rows: rows x targets."""
    table = np.asarray(X, dtype=np.float64)
    return np.asarray(model.start + model.rate * sum(predict(tree, table) for tree in model.trees))
