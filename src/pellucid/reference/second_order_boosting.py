"""Boosting by first and second derivatives, as XGBoost and LightGBM do it: similarities, gains, and what leaves answer.

With g_i, h_i the derivatives of the loss at the scores so far, and G, H their sums over the rows of a node, adding w to
these scores changes the loss by about  G w + H w² / 2,  to which a penalty  l2 w² / 2 + l1 |w|  comes. It is least for

    answer      w = -T(G) / (H + l2)          T(G) = sign(G) max(|G| - l1, 0)
    similarity  T(G)² / (H + l2)              twice what is saved; for a bounded w -(2 G w + (H + l2) w² + 2 l1 |w|)
    gain        similarity of the left side + that of the right side - that of the node

A split is made if its gain is above 0 and above `min_gain`. Trees grow leaf by leaf (the greatest gain next), level by
level, or level by level with one test for all nodes of a level (oblivious: the test with the greatest sum of gains).
Afterward splits between leaves that gain less than `gamma` are taken back, from below; of an oblivious tree whole
levels are, by the sum of their gains. Chen and Guestrin: XGBoost: a scalable tree boosting system (2016); their gain
has a factor 1/2, which their library leaves out too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pellucid.reference.gradient_boosting import Loss, curvatures, leaf_answer, residuals, start_of, width

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
S = TypeVar("S", float, Floats)  # a sum over rows: a number, or one for each target
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
class Grown(Generic[S]):
    """Rows, the sums over them, what they would answer as a leaf; and, unless it is one, its test and its children."""

    rows: Ints
    gradient: S
    hessian: S
    similarity: float
    answer: S
    depth: int = 0
    test: Test | None = None
    children: list[Grown[S]] = field(default_factory=list)

    @property
    def gain(self) -> float:
        """What its split gains; 0 for a leaf."""
        return self.test.gain if self.test is not None else 0.0


Node = Grown[float]

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
    total = similarity_of(float(g.sum()), float(h.sum()), s)
    gain = sides[0] + sides[1] - total
    return 0.0 if abs(gain) <= TIE * (abs(sides[0]) + abs(sides[1]) + abs(total)) else gain


def allowed(h: Floats, s: Settings) -> bool:
    """May rows with these second derivatives be a leaf?"""
    return len(h) >= max(s.min_samples_leaf, 1) and float(h.sum()) >= s.min_child_weight


# ------------------------------------------------------------------------------------------------------------- tests


def goes_left(x: Floats, test: Test) -> Flags:
    """Which values take the first branch."""
    is_left = x <= test.threshold if test.inside is None else np.isin(x, list(test.inside))
    return np.asarray(np.where(np.isnan(x), test.missing_left, is_left), dtype=bool)


def cuts_of(x: Floats, feature: int) -> Iterator[Test]:
    """Midway between neighboring values, missing ones to the right; values against none; missing ones to the left."""
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


@dataclass(frozen=True)
class Worth(Generic[S]):
    """What rows are worth by their derivatives: these functions, or those of several targets (`vector_boosting`)."""

    node_of: Callable[[Floats, Floats, Ints, Settings, int], Grown[S]]
    gain_of: Callable[[Floats, Floats, Flags, Settings, float], float]
    allowed: Callable[[Floats, Settings], bool]
    category_order: Callable[[Floats, Floats, Floats, float], list[int]]


ONE: Worth[float] = Worth(node_of, gain_of, allowed, category_order)


def runs_of(order: list[int], feature: int, s: Settings) -> Iterator[Test]:
    """The first 1, 2, ... categories of an order against the rest, then the last ones; at most half of them."""
    max_categories = min(s.most_categories, (len(order) + 1) // 2)
    for run in (order, order[::-1]):
        yield from (Test(feature, inside=frozenset(run[:size])) for size in range(1, max_categories + 1))


def is_ordered(X: Floats, feature: int, s: Settings) -> bool:
    """Has a column too many categories to try each against the rest?"""
    x = X[:, feature]
    return feature in s.categories and len(np.unique(x[~np.isnan(x)])) > s.one_by_one


def candidates(X: Floats, g: Floats, h: Floats, rows: Ints, s: Settings, of: Worth[Any] = ONE) -> list[Test]:
    """Every test that a node with these rows may ask, with its gain: column by column, from the left."""
    tests_with_gain = []
    for j in range(X.shape[1]):
        x, ordered = X[rows, j], is_ordered(X, j, s)
        more_l2 = s.category_l2 if ordered else 0.0
        if ordered:
            tests = runs_of(of.category_order(x, g[rows], h[rows], s.category_smooth), j, s)
        else:
            tests = one_against_the_rest(x, j) if j in s.categories else cuts_of(x, j)
        for test in tests:
            is_left = goes_left(x, test)
            if all(of.allowed(h[rows][side], s) for side in (is_left, ~is_left)):
                tests_with_gain.append(with_gain(test, of.gain_of(g[rows], h[rows], is_left, s, more_l2)))
    return tests_with_gain


def with_gain(test: Test, gain: float) -> Test:
    """The same test, and its gain in some node."""
    return Test(test.feature, test.threshold, test.inside, test.missing_left, gain)


def best_of(tests: list[Test], least: float = 0.0) -> Test | None:
    """The test with the greatest gain, which must be above `least` and 0; of equals the first."""
    max_gain, best_test = max(least, 0.0), None
    for test in tests:
        if test.gain > max_gain * (1 + TIE):
            max_gain, best_test = test.gain, test
    return best_test


# ----------------------------------------------------------------------------------------------------------- growing


def grow(X: ArrayLike, g: ArrayLike, h: ArrayLike, s: Settings | None = None, rows: ArrayLike | None = None) -> Node:
    """The tree of the rows with first and second derivatives g and h.

    >>> tree = grow([[1], [2], [3]], [-1, -1, 3], [1, 1, 1], Settings(max_depth=1, l2=1))
    >>> tree.test.threshold, round(tree.gain, 4), [round(leaf.answer, 4) for leaf in tree.children]
    (2.5, 5.5833, [0.6667, -1.5])
    """
    return grow_by(ONE, X, g, h, s or Settings(), rows)


def grow_by(of: Worth[S], X: ArrayLike, g: ArrayLike, h: ArrayLike, s: Settings, rows: ArrayLike | None) -> Grown[S]:
    """The tree of the rows, whatever they are worth."""
    ground = Ground(
        np.asarray(X, dtype=np.float64), np.asarray(g, dtype=np.float64), np.asarray(h, dtype=np.float64), s, of
    )
    used = np.arange(len(ground.X)) if rows is None else np.asarray(rows, dtype=np.int64)
    root = of.node_of(ground.g, ground.h, used, s, 0)
    order = {"leaf": _by_leaf, "depth": _by_level, "oblivious": _by_test}[s.growth]
    order(root, ground)
    (prune_levels if s.growth == "oblivious" else prune)(root, s.gamma)
    return root


@dataclass(frozen=True)
class Ground(Generic[S]):
    """What a tree grows on."""

    X: Floats
    g: Floats
    h: Floats
    s: Settings
    of: Worth[S]

    def seek(self, node: Grown[S]) -> Test | None:
        """The split of a node, if there is one."""
        if node.depth >= self.s.max_depth:
            return None
        return best_of(candidates(self.X, self.g, self.h, node.rows, self.s, self.of), self.s.min_gain)

    def split(self, node: Grown[S], test: Test) -> list[Grown[S]]:
        """Carries a test out."""
        is_left = goes_left(self.X[node.rows, test.feature], test)
        node.test = test
        sides = (node.rows[is_left], node.rows[~is_left])
        node.children = [self.of.node_of(self.g, self.h, side, self.s, node.depth + 1) for side in sides]
        return node.children

    def gain(self, node: Grown[S], test: Test) -> float:
        """What a test gains in a node."""
        is_left = goes_left(self.X[node.rows, test.feature], test)
        return self.of.gain_of(self.g[node.rows], self.h[node.rows], is_left, self.s, 0.0)


def _by_leaf(root: Grown[S], ground: Ground[S]) -> None:
    """The leaf with the greatest gain is split next; of equals the one that is there longer."""
    waiting = [(root, ground.seek(root))]
    leaves = 1
    while leaves < ground.s.max_leaf_nodes:
        splittable = [(node, test) for node, test in waiting if test is not None]
        if not splittable:
            return
        node, test = max(splittable, key=lambda pair: pair[1].gain)
        waiting = [pair for pair in waiting if pair[0] is not node]
        waiting += [(child, ground.seek(child)) for child in ground.split(node, test)]
        leaves += 1


def _by_level(root: Grown[S], ground: Ground[S]) -> None:
    """All nodes of a level are split; the best of them where there would be too many leaves."""
    level, leaves, max_leaves = [root], 1, ground.s.max_leaf_nodes
    while level:
        candidate_splits = [(node, ground.seek(node)) for node in level]
        splits = [(node, test) for node, test in candidate_splits if test is not None]
        if leaves + len(splits) > max_leaves:
            best = sorted(splits, key=lambda pair: -pair[1].gain)[: int(max_leaves) - leaves]
            splits = [pair for pair in splits if any(pair[0] is node for node, _ in best)]
        level = [child for node, test in splits for child in ground.split(node, test)]
        leaves += len(splits)


def level_tests(level: list[Grown[S]], ground: Ground[S]) -> list[Test]:
    """Every test for a whole level, with the sum of the gains in its nodes; those without rows gain nothing.

    Cuts lie between values of the whole table, categories are tried one against the rest where they are few, and no
    node is asked for rows or curvature: one without rows is split like the others.
    """
    X, s = ground.X, ground.s
    rows = np.concatenate([node.rows for node in level])
    level_candidates = []
    for j in range(X.shape[1]):
        if is_ordered(X, j, s):
            continue
        tests = one_against_the_rest(X[rows, j], j) if j in s.categories else cuts_of(X[rows, j], j)
        level_candidates += [with_gain(test, float(sum(ground.gain(node, test) for node in level))) for test in tests]
    return level_candidates


def _by_test(root: Grown[S], ground: Ground[S]) -> None:
    """One test a level: a tree of depth d has 2^d leaves."""
    level = [root]
    while level[0].depth < ground.s.max_depth and 2 * len(level) <= ground.s.max_leaf_nodes:
        test = best_of(level_tests(level, ground), ground.s.min_gain)
        if test is None:
            return
        node_tests = [(node, with_gain(test, ground.gain(node, test))) for node in level]
        level = [child for node, node_test in node_tests for child in ground.split(node, node_test)]


def prune(node: Grown[S], gamma: float) -> None:
    """From below: a split into two leaves that gains less than gamma is taken back."""
    for child in node.children:
        prune(child, gamma)
    if node.children and not any(child.children for child in node.children) and node.gain < gamma:
        node.test, node.children = None, []


def prune_levels(root: Grown[S], gamma: float) -> None:
    """The same for an oblivious tree, whose nodes may lose where their level gains: the last levels go as a whole."""
    levels = [[root]]
    while levels[-1][0].children:
        levels.append([child for node in levels[-1] for child in node.children])
    for level in levels[-2::-1]:
        if sum(node.gain for node in level) >= gamma:
            return
        for node in level:
            node.test, node.children = None, []


def nodes_of(node: Grown[S]) -> list[Grown[S]]:
    """A node and all below it, each before its children."""
    return [node] + [below for child in node.children for below in nodes_of(child)]


def leaves_of(node: Grown[S]) -> list[Grown[S]]:
    """The leaves from left to right."""
    return [below for below in nodes_of(node) if not below.children]


def leaf_of(node: Grown[S], x: Floats) -> Grown[S]:
    """Where a row ends."""
    while node.test is not None:
        node = node.children[0 if goes_left(x[[node.test.feature]], node.test)[0] else 1]
    return node


def predict(tree: Grown[S], X: ArrayLike) -> Floats:
    """What the leaf of each row answers: a number a row, or rows x targets."""
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
