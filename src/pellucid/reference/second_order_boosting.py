"""Boosting by first and second derivatives, as XGBoost and LightGBM do it: similarities, gains, and what leaves answer.

With g_i, h_i the derivatives of the loss at the scores so far, and G, H their sums over the rows of a node, adding w to
these scores changes the loss by about  G w + H w² / 2,  to which a penalty  l2 w² / 2 + l1 |w|  comes. It is least for

    answer      w = -T(G) / (H + l2)          T(G) = sign(G) max(|G| - l1, 0)
    similarity  T(G)² / (H + l2)              twice what is saved; for a bounded w -(2 G w + (H + l2) w² + 2 l1 |w|)
    gain        similarity of the left side + that of the right side - that of the node

A split is made if its gain is above 0 and above `min_gain`. Trees grow leaf by leaf (the greatest gain next), level by
level, or level by level with one test for all nodes of a level (oblivious: the test with the greatest sum of gains).
Afterwards splits between leaves that gain less than `gamma` are taken back, from below; of an oblivious tree whole
levels are, by the sum of their gains. Chen and Guestrin: XGBoost: a scalable tree boosting system (2016); their gain
has a factor 1/2, which their library leaves out too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pellucid.reference.gradient_boosting import Loss, curvatures, leaf_answer, residuals, start_of, width

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
TIE = 1e-12  # share of its parts below which a gain is taken for 0, and of two gains for the same


@dataclass(frozen=True)
class Settings:
    """How a tree is grown."""

    growth: str = "leaf"  # "depth", "oblivious"
    max_leaf_nodes: float = np.inf
    max_depth: float = np.inf
    min_samples_leaf: int = 1
    min_child_weight: float = 0.0  # least H of a leaf
    l1: float = 0.0
    l2: float = 0.0
    max_delta_step: float = 0.0  # most that a leaf answers; 0: no limit
    min_gain: float = 0.0  # a split gains more
    gamma: float = 0.0  # splits between leaves that gain less are taken back
    categories: frozenset[int] = frozenset()  # columns of codes
    one_by_one: int = 4  # up to so many categories, each is tried against the rest; more go by G / (H + smooth)
    category_smooth: float = 10.0
    category_l2: float = 10.0  # more of l2 for the sides of an ordered split
    most_categories: int = 32  # on the smaller side of an ordered split


@dataclass(frozen=True)
class Test:
    """A question to a row: ``x[feature] <= threshold``, or whether it is inside a set. Its gain, in some node."""

    __test__ = False  # no test of pytest's

    feature: int
    threshold: float = np.nan
    inside: frozenset[int] | None = None
    missing_left: bool = False
    gain: float = 0.0


@dataclass
class Node:
    """Rows, the sums over them, what they would answer as a leaf; and, unless it is one, its test and its children."""

    rows: Ints
    gradient: float
    hessian: float
    similarity: float
    answer: float
    depth: int = 0
    test: Test | None = None
    children: list[Node] = field(default_factory=list)

    @property
    def gain(self) -> float:
        """What its split gains; 0 for a leaf."""
        return self.test.gain if self.test is not None else 0.0


# ---------------------------------------------------------------------------------------------------------- one node


def beyond(gradient: float, l1: float) -> float:
    """The soft threshold T(G): as much of G as lies beyond l1, with its sign."""
    return float(np.sign(gradient) * max(abs(gradient) - l1, 0.0))


def answer_of(gradient: float, hessian: float, s: Settings, more_l2: float = 0.0) -> float:
    """-T(G) / (H + l2), within the bound; 0 where nothing is known."""
    below = hessian + s.l2 + more_l2
    w = -beyond(gradient, s.l1) / below if below > 0 else 0.0
    return float(np.clip(w, -s.max_delta_step, s.max_delta_step)) if s.max_delta_step > 0 else w


def similarity_of(gradient: float, hessian: float, s: Settings, more_l2: float = 0.0) -> float:
    """T(G)² / (H + l2): how much alike the gradients are, and how far from 0."""
    below = hessian + s.l2 + more_l2
    if s.max_delta_step > 0:
        w = answer_of(gradient, hessian, s, more_l2)
        return -(2 * gradient * w + below * w**2 + 2 * s.l1 * abs(w))
    return beyond(gradient, s.l1) ** 2 / below if below > 0 else 0.0


def node_of(g: Floats, h: Floats, rows: Ints, s: Settings, depth: int = 0) -> Node:
    """Some rows as a leaf."""
    G, H = float(g[rows].sum()), float(h[rows].sum())
    return Node(rows, G, H, similarity_of(G, H, s), answer_of(G, H, s), depth)


def gain_of(g: Floats, h: Floats, left: Flags, s: Settings, more_l2: float = 0.0) -> float:
    """Similarities of both sides less that of all rows; a side without rows is worth nothing. Exactly 0 for about 0."""
    sides = [similarity_of(float(g[side].sum()), float(h[side].sum()), s, more_l2) for side in (left, ~left)]
    whole = similarity_of(float(g.sum()), float(h.sum()), s)
    gain = sides[0] + sides[1] - whole
    return 0.0 if abs(gain) <= TIE * (abs(sides[0]) + abs(sides[1]) + abs(whole)) else gain


# ------------------------------------------------------------------------------------------------------------- tests


def goes_left(x: Floats, test: Test) -> Flags:
    """Which values take the first branch."""
    left = x <= test.threshold if test.inside is None else np.isin(x, list(test.inside))
    return np.asarray(np.where(np.isnan(x), test.missing_left, left), dtype=bool)


def cuts_of(x: Floats, feature: int) -> Iterator[Test]:
    """Midway between neighbouring values, missing ones to the right; values against none; missing ones to the left."""
    values = np.unique(x[~np.isnan(x)])
    missing = bool(np.isnan(x).any())
    pairs = zip(values[:-1].tolist(), values[1:].tolist(), strict=True)
    between = [middle if (middle := low / 2 + high / 2) < high else low for low, high in pairs]
    yield from (Test(feature, cut) for cut in between)
    if missing and len(values):
        yield Test(feature, np.inf)
        yield from (Test(feature, cut, missing_left=True) for cut in between)


def one_against_the_rest(x: Floats, feature: int) -> Iterator[Test]:
    """Each category against all others and missing values."""
    yield from (Test(feature, inside=frozenset([int(code)])) for code in np.unique(x[~np.isnan(x)]))


def category_order(x: Floats, g: Floats, h: Floats, smooth: float) -> list[int]:
    """The categories by G / (H + smooth), rising: of two groups the best is a run in this order (Fisher, 1958)."""
    codes = [int(code) for code in np.unique(x[~np.isnan(x)])]
    return sorted(codes, key=lambda code: float(g[x == code].sum() / (h[x == code].sum() + smooth)))


def runs_of(x: Floats, g: Floats, h: Floats, feature: int, s: Settings) -> Iterator[Test]:
    """The first 1, 2, ... categories of that order against the rest, then the last ones; at most half of them."""
    order = category_order(x, g, h, s.category_smooth)
    most = min(s.most_categories, (len(order) + 1) // 2)
    for run in (order, order[::-1]):
        yield from (Test(feature, inside=frozenset(run[:size])) for size in range(1, most + 1))


def is_ordered(X: Floats, feature: int, s: Settings) -> bool:
    """Has a column too many categories to try each against the rest?"""
    x = X[:, feature]
    return feature in s.categories and len(np.unique(x[~np.isnan(x)])) > s.one_by_one


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


def allowed(h: Floats, s: Settings) -> bool:
    """May rows with these second derivatives be a leaf?"""
    return len(h) >= max(s.min_samples_leaf, 1) and float(h.sum()) >= s.min_child_weight


def with_gain(test: Test, gain: float) -> Test:
    """The same test, and its gain in some node."""
    return Test(test.feature, test.threshold, test.inside, test.missing_left, gain)


def best_of(tests: list[Test], least: float = 0.0) -> Test | None:
    """The test with the greatest gain, which must be above `least` and 0; of equals the first."""
    best, found = max(least, 0.0), None
    for test in tests:
        if test.gain > best * (1 + TIE):
            best, found = test.gain, test
    return found


# ----------------------------------------------------------------------------------------------------------- growing


def grow(X: ArrayLike, g: ArrayLike, h: ArrayLike, s: Settings | None = None, rows: ArrayLike | None = None) -> Node:
    """The tree of the rows with first and second derivatives g and h.

    >>> tree = grow([[1], [2], [3]], [-1, -1, 3], [1, 1, 1], Settings(max_depth=1, l2=1))
    >>> tree.test.threshold, round(tree.gain, 4), [round(leaf.answer, 4) for leaf in tree.children]
    (2.5, 5.5833, [0.6667, -1.5])
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


def level_tests(level: list[Node], X: Floats, g: Floats, h: Floats, s: Settings) -> list[Test]:
    """Every test for a whole level, with the sum of the gains in its nodes; those without rows gain nothing.

    Cuts lie between values of the whole table, categories are tried one against the rest where they are few, and no
    node is asked for rows or curvature: one without rows is split like the others.
    """
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
            own = gain_of(g[node.rows], h[node.rows], left, s)
            below += split(node, with_gain(test, own), X, g, h, s)
        level = below


def prune(node: Node, gamma: float) -> None:
    """From below: a split into two leaves that gains less than gamma is taken back."""
    for child in node.children:
        prune(child, gamma)
    if node.children and not any(child.children for child in node.children) and node.gain < gamma:
        node.test, node.children = None, []


def prune_levels(root: Node, gamma: float) -> None:
    """The same for an oblivious tree, whose nodes may lose where their level gains: the last levels go as a whole."""
    levels = [[root]]
    while levels[-1][0].children:
        levels.append([child for node in levels[-1] for child in node.children])
    for level in levels[-2::-1]:
        if sum(node.gain for node in level) >= gamma:
            return
        for node in level:
            node.test, node.children = None, []


def nodes_of(node: Node) -> list[Node]:
    """A node and all below it, each before its children."""
    return [node] + [below for child in node.children for below in nodes_of(child)]


def leaves_of(node: Node) -> list[Node]:
    """The leaves from left to right."""
    return [below for below in nodes_of(node) if not below.children]


def leaf_of(node: Node, x: Floats) -> Node:
    """Where a row ends."""
    while node.test is not None:
        node = node.children[0 if goes_left(x[[node.test.feature]], node.test)[0] else 1]
    return node


def predict(tree: Node, X: ArrayLike) -> Floats:
    """What the leaf of each row answers."""
    return np.array([leaf_of(tree, x).answer for x in np.asarray(X, dtype=np.float64)])


# ---------------------------------------------------------------------------------------------------------- boosting


@dataclass
class Boosted:
    """A start and trees; tree t is for output t mod outputs. ``scores[m]``: rows x outputs after m rounds."""

    loss: Loss
    rate: float
    start: Floats
    trees: list[Node]
    scores: list[Floats]


Draw = Callable[[int, Floats, Floats], Floats]  # round, g, h (rows x outputs) -> how often each row counts


def boost(
    X: ArrayLike,
    y: ArrayLike,
    loss: Loss | None = None,
    s: Settings | None = None,
    *,
    rounds: int = 100,
    rate: float = 0.1,
    start: ArrayLike | None = None,
    weight: ArrayLike | None = None,
    draw: Draw | None = None,
) -> Boosted:
    """Round by round a tree on the derivatives of each output.

    Losses without curvature have h = 1 for the splits, and their leaves answer by their residuals, as Friedman's do.
    """
    loss, s = loss or Loss(), s or Settings()
    table, target = np.asarray(X, dtype=np.float64), np.asarray(y, dtype=np.float64)
    w = np.ones(len(target)) if weight is None else np.asarray(weight, dtype=np.float64)
    first = start_of(loss, target, w) if start is None else np.atleast_1d(np.asarray(start, dtype=np.float64))
    f = np.tile(first, (len(target), 1))
    used = (w > 0).astype(np.float64)
    trees: list[Node] = []
    scores = [f.copy()]
    for m in range(rounds):
        before = f.copy()
        d = width(loss, target, before, w)
        g, h = -residuals(loss, target, before, d) * w[:, None], curvatures(loss, before) * w[:, None]
        factor = used if draw is None else used * draw(m, g, h)
        rows = np.flatnonzero(factor > 0)
        for k in range(f.shape[1]):
            tree = grow(table, g[:, k] * factor, h[:, k] * factor, s, rows)
            if loss.by_residuals:
                for leaf in leaves_of(tree):
                    at = leaf.rows
                    leaf.answer = leaf_answer(loss, target[at], before[at], w[at], d)
            f[:, k] += rate * predict(tree, table)
            trees.append(tree)
        scores.append(f.copy())
    return Boosted(loss, rate, first, trees, scores)


def scores_of(model: Boosted, X: ArrayLike) -> Floats:
    """The scores of any rows: rows x outputs."""
    table = np.asarray(X, dtype=np.float64)
    f = np.tile(model.start, (len(table), 1))
    for t, tree in enumerate(model.trees):
        f[:, t % f.shape[1]] += model.rate * predict(tree, table)
    return f
