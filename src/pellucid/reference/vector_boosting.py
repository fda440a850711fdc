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

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pellucid.reference.gradient_boosting import Loss, curvatures, leaf_answer, residuals, start_of, width
from pellucid.reference.second_order_boosting import (
    TIE,
    Settings,
    Test,
    answer_of,
    best_of,
    cuts_of,
    goes_left,
    is_ordered,
    one_against_the_rest,
    similarity_of,
    with_gain,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass
class Node:
    """Rows, the sums over them and the answer by target; and, unless it is a leaf, its test and its children."""

    rows: Ints
    gradient: Floats
    hessian: Floats
    similarity: float
    answer: Floats
    depth: int = 0
    test: Test | None = None
    children: list[Node] = field(default_factory=list)

    @property
    def gain(self) -> float:
        """What its split gains; 0 for a leaf."""
        return self.test.gain if self.test is not None else 0.0


# ---------------------------------------------------------------------------------------------------------- one node


def similarity(G: Floats, H: Floats, s: Settings, more_l2: float = 0.0) -> float:
    """The similarities of all targets together."""
    return sum(similarity_of(float(a), float(b), s, more_l2) for a, b in zip(G, H, strict=True))


def node_of(g: Floats, h: Floats, rows: Ints, s: Settings, depth: int = 0) -> Node:
    """Some rows as a leaf. g, h: rows x targets."""
    G, H = g[rows].sum(axis=0), h[rows].sum(axis=0)
    answer = np.array([answer_of(float(a), float(b), s) for a, b in zip(G, H, strict=True)])
    return Node(rows, G, H, similarity(G, H, s), answer, depth)


def gain_of(g: Floats, h: Floats, left: Flags, s: Settings, more_l2: float = 0.0) -> float:
    """Similarities of both sides less that of all rows; a side without rows is worth nothing. Exactly 0 for about 0."""
    sides = [similarity(g[side].sum(axis=0), h[side].sum(axis=0), s, more_l2) for side in (left, ~left)]
    whole = similarity(g.sum(axis=0), h.sum(axis=0), s)
    gain = sides[0] + sides[1] - whole
    return 0.0 if abs(gain) <= TIE * (abs(sides[0]) + abs(sides[1]) + abs(whole)) else gain


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


def runs_of(x: Floats, g: Floats, h: Floats, feature: int, s: Settings) -> Iterator[Test]:
    """The first 1, 2, ... categories of that order against the rest, then the last ones; at most half of them."""
    order = category_order(x, g, h, s.category_smooth)
    most = min(s.most_categories, (len(order) + 1) // 2)
    for run in (order, order[::-1]):
        yield from (Test(feature, inside=frozenset(run[:size])) for size in range(1, most + 1))


def candidates(X: Floats, g: Floats, h: Floats, rows: Ints, s: Settings) -> list[Test]:
    """Every test that a node with these rows may ask, with its gain: column by column, from the left."""
    found = []
    for j in range(X.shape[1]):
        x, ordered = X[rows, j], is_ordered(X, j, s)
        more_l2 = s.category_l2 if ordered else 0.0
        if ordered:
            tests = runs_of(x, g[rows], h[rows], j, s)
        else:
            tests = one_against_the_rest(x, j) if j in s.categories else cuts_of(x, j)
        for test in tests:
            left = goes_left(x, test)
            if all(allowed(h[rows][side], s) for side in (left, ~left)):
                found.append(with_gain(test, gain_of(g[rows], h[rows], left, s, more_l2)))
    return found


def level_tests(level: list[Node], X: Floats, g: Floats, h: Floats, s: Settings) -> list[Test]:
    """Every test for a whole level, with the sum of the gains in its nodes; those without rows gain nothing."""
    rows = np.concatenate([node.rows for node in level])
    found = []
    for j in range(X.shape[1]):
        if is_ordered(X, j, s):
            continue
        tests = one_against_the_rest(X[rows, j], j) if j in s.categories else cuts_of(X[rows, j], j)
        for test in tests:
            gains = [gain_of(g[node.rows], h[node.rows], goes_left(X[node.rows, j], test), s) for node in level]
            found.append(with_gain(test, float(sum(gains))))
    return found


# ----------------------------------------------------------------------------------------------------------- growing


def grow(X: ArrayLike, g: ArrayLike, h: ArrayLike, s: Settings | None = None, rows: ArrayLike | None = None) -> Node:
    """The tree of the rows with first and second derivatives g and h: rows x targets.

    >>> tree = grow([[1], [2], [3]], [[-1, 2], [-1, 2], [3, -1]], np.ones((3, 2)), Settings(max_depth=1, l2=1))
    >>> tree.test.threshold, round(tree.gain, 4), [leaf.answer.round(4).tolist() for leaf in tree.children]
    (2.5, 9.1667, [[0.6667, -1.3333], [-1.5, 0.5]])
    """
    s = s or Settings()
    table = np.asarray(X, dtype=np.float64)
    first, second = np.asarray(g, dtype=np.float64), np.asarray(h, dtype=np.float64)
    used = np.arange(len(table)) if rows is None else np.asarray(rows, dtype=np.int64)
    root = node_of(first, second, used, s)
    order = {"leaf": _by_leaf, "depth": _by_level, "oblivious": _by_test}[s.growth]
    order(root, table, first, second, s)
    (prune_levels if s.growth == "oblivious" else prune)(root, s.gamma)
    return root


def seek(node: Node, X: Floats, g: Floats, h: Floats, s: Settings) -> Test | None:
    """The split of a node, if there is one."""
    return best_of(candidates(X, g, h, node.rows, s), s.min_gain) if node.depth < s.max_depth else None


def split(node: Node, test: Test, X: Floats, g: Floats, h: Floats, s: Settings) -> list[Node]:
    """Carries a test out."""
    left = goes_left(X[node.rows, test.feature], test)
    node.test = test
    node.children = [node_of(g, h, node.rows[side], s, node.depth + 1) for side in (left, ~left)]
    return node.children


def _by_leaf(root: Node, X: Floats, g: Floats, h: Floats, s: Settings) -> None:
    """The leaf with the greatest gain is split next; of equals the one that is there longer."""
    waiting = [(root, seek(root, X, g, h, s))]
    leaves = 1
    while leaves < s.max_leaf_nodes:
        open_ones = [(node, test) for node, test in waiting if test is not None]
        if not open_ones:
            return
        node, test = max(open_ones, key=lambda pair: pair[1].gain)
        waiting = [pair for pair in waiting if pair[0] is not node]
        waiting += [(child, seek(child, X, g, h, s)) for child in split(node, test, X, g, h, s)]
        leaves += 1


def _by_level(root: Node, X: Floats, g: Floats, h: Floats, s: Settings) -> None:
    """All nodes of a level are split; the best of them where there would be too many leaves."""
    level, leaves = [root], 1
    while level:
        found = [(node, seek(node, X, g, h, s)) for node in level]
        chosen = [(node, test) for node, test in found if test is not None]
        if leaves + len(chosen) > s.max_leaf_nodes:
            best = sorted(chosen, key=lambda pair: -pair[1].gain)[: int(s.max_leaf_nodes) - leaves]
            chosen = [pair for pair in chosen if any(pair[0] is node for node, _ in best)]
        level = [child for node, test in chosen for child in split(node, test, X, g, h, s)]
        leaves += len(chosen)


def _by_test(root: Node, X: Floats, g: Floats, h: Floats, s: Settings) -> None:
    """One test a level: a tree of depth d has 2^d leaves."""
    level = [root]
    while level[0].depth < s.max_depth and 2 * len(level) <= s.max_leaf_nodes:
        test = best_of(level_tests(level, X, g, h, s), s.min_gain)
        if test is None:
            return
        below = []
        for node in level:
            left = goes_left(X[node.rows, test.feature], test)
            below += split(node, with_gain(test, gain_of(g[node.rows], h[node.rows], left, s)), X, g, h, s)
        level = below


def prune(node: Node, gamma: float) -> None:
    """From below: a split into two leaves that gains less than gamma is taken back."""
    for child in node.children:
        prune(child, gamma)
    if node.children and not any(child.children for child in node.children) and node.gain < gamma:
        node.test, node.children = None, []


def prune_levels(root: Node, gamma: float) -> None:
    """Of an oblivious tree the last levels go as a whole, by the sum of their gains."""
    levels = [[root]]
    while levels[-1][0].children:
        levels.append([child for node in levels[-1] for child in node.children])
    for level in levels[-2::-1]:
        if sum(node.gain for node in level) >= gamma:
            return
        for node in level:
            node.test, node.children = None, []


def leaves_of(node: Node) -> list[Node]:
    """The leaves from left to right."""
    return [below for child in node.children for below in leaves_of(child)] if node.children else [node]


def leaf_of(node: Node, x: Floats) -> Node:
    """Where a row ends."""
    while node.test is not None:
        node = node.children[0 if goes_left(x[[node.test.feature]], node.test)[0] else 1]
    return node


def predict(tree: Node, X: ArrayLike) -> Floats:
    """What the leaf of each row answers: rows x targets."""
    return np.array([leaf_of(tree, x).answer for x in np.asarray(X, dtype=np.float64)])


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
    made = Boosted(loss, rate, first, [], [f.copy()])
    for _ in range(rounds):
        widths = np.array([width(loss, y, f[:, [k]], w) for k, y in enumerate(targets.T)])
        g, h = slopes_of(loss, targets, f, widths)
        tree = grow(table, g * w[:, None], h * w[:, None], s, rows)
        if loss.by_residuals:
            for leaf in leaves_of(tree):
                at = leaf.rows
                own = [leaf_answer(loss, y[at], f[at][:, [k]], w[at], widths[k]) for k, y in enumerate(targets.T)]
                leaf.answer = np.array(own)
        f = f + rate * predict(tree, table)
        made.trees.append(tree)
        made.scores.append(f.copy())
    return made


def scores_of(model: Boosted, X: ArrayLike) -> Floats:
    """The scores of any rows: rows x targets."""
    table = np.asarray(X, dtype=np.float64)
    return np.asarray(model.start + model.rate * sum(predict(tree, table) for tree in model.trees))
