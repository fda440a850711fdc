"""Boosting by second derivatives: the example done by hand, splits against brute force, growth, pruning."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from threadpoolctl import threadpool_limits

from pellucid.reference import gradient_boosting as friedman
from pellucid.reference.cart import Rules
from pellucid.reference.gradient_boosting import Loss, curvatures, probability, residuals
from pellucid.reference.gradient_sampling import goss, sizes
from pellucid.reference.second_order_boosting import (
    ONE,
    Ground,
    Node,
    Settings,
    Test,
    answer_of,
    best_of,
    boost,
    candidates,
    category_order,
    gain_of,
    goes_left,
    grow,
    leaves_of,
    level_tests,
    node_of,
    nodes_of,
    predict,
    prune,
    scores_of,
    similarity_of,
)

LOGISTIC = Loss("logistic")


def slopes(n: int = 40, p: int = 3, seed: int = 0) -> Any:
    """A table, and first and second derivatives that hang on it loosely."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    y = (X[:, 0] + X[:, 1] * X[:, -1] + 0.4 * rng.normal(size=n) > 0).astype(float)
    return X, 0.5 - y + 0.7 * rng.normal(size=n), 0.1 + 0.15 * rng.random(n)


def total(node: Node) -> float:
    """What all splits of a tree gain."""
    return sum(one.gain for one in nodes_of(node))


# ------------------------------------------------------------------------------------------------- example by hand


COLUMNS = np.array([[2.0, 1], [1, 0], [2, 1], [2, 0], [2, 1], [1, 0]])  # RC, EC (1: yes)
LIKED = np.array([1.0, 0, 0, 0, 1, 0])
EXAMPLE = Settings(categories=frozenset([1]))
START = np.zeros((6, 1))  # the log-odds of 0.5
G, H = -residuals(LOGISTIC, LIKED, START)[:, 0], curvatures(LOGISTIC, START)[:, 0]


def test_similarities_and_gains_of_the_example() -> None:
    assert_allclose(-G, [0.5, -0.5, -0.5, -0.5, 0.5, -0.5])
    few = COLUMNS[:, 0] <= 1
    yes = COLUMNS[:, 1] == 1
    assert node_of(G, H, np.flatnonzero(few), EXAMPLE).similarity == pytest.approx(2.0)
    assert node_of(G, H, np.flatnonzero(~few), EXAMPLE).similarity == pytest.approx(0.0)
    assert node_of(G, H, np.arange(6), EXAMPLE).similarity == pytest.approx(0.6666666667)
    assert node_of(G, H, np.flatnonzero(yes), EXAMPLE).similarity == pytest.approx(0.3333333333)
    assert node_of(G, H, np.flatnonzero(~yes), EXAMPLE).similarity == pytest.approx(3.0)
    tests = candidates(COLUMNS, G, H, np.arange(6), EXAMPLE)
    assert [(test.feature, test.threshold) for test in tests[:1]] == [(0, 1.5)]
    assert COLUMNS[:, 0].mean() == pytest.approx(1.6666666667)
    assert [test.feature for test in tests] == [0, 1, 1]
    assert_allclose([test.gain for test in tests], [1.3333333333, 2.6666666667, 2.6666666667])


def test_splits_of_gain_0_are_not_made() -> None:
    yes = COLUMNS[:, 1] == 1
    for inside in (yes, ~yes):
        assert gain_of(G[inside], H[inside], COLUMNS[inside, 0] <= 1, EXAMPLE) == 0.0
    tree = grow(COLUMNS, G, H, EXAMPLE)
    assert tree.test is not None
    assert (tree.test.feature, tree.test.inside) == (1, frozenset([0]))
    assert tree.gain == pytest.approx(2.6666666667)
    assert len(leaves_of(tree)) == 2


def test_answers_and_update_of_the_example() -> None:
    parts = [np.array([1, 5]), np.array([3]), np.array([], dtype=int), np.array([0, 2, 4])]
    by_curvature = [node_of(G, H, rows, EXAMPLE).answer for rows in parts]
    assert_allclose(by_curvature, [-2.0, -2.0, 0, 0.6666666667], atol=1e-9)
    by_count = [node_of(G, np.ones(6), rows, EXAMPLE).answer for rows in parts]
    assert_allclose(by_count, [-0.5, -0.5, 0, 0.1666666667], atol=1e-9)
    yes = COLUMNS[:, 1] == 1

    made = boost(COLUMNS, LIKED, LOGISTIC, EXAMPLE, rounds=1, rate=0.3, start=0.0)
    assert_allclose(made.scores[1][:, 0], np.where(yes, 0.2, -0.6), atol=1e-9)
    p = probability(made.scores[1][:, 0])
    assert_allclose(p, np.where(yes, 0.5498339973, 0.3543436938), atol=1e-9)
    assert_allclose(LIKED - p, [0.4501660027, -0.3543436938, -0.5498339973, -0.3543436938, 0.4501660027, -0.3543436938])

    counted = grow(COLUMNS, G, np.ones(6), EXAMPLE)
    scores = 0.3 * predict(counted, COLUMNS)
    assert_allclose(scores, np.where(yes, 0.05, -0.15), atol=1e-9)
    p = probability(scores)
    assert_allclose(p, np.where(yes, 0.5124973965, 0.4625701547), atol=1e-9)
    assert_allclose(LIKED - p, [0.4875026035, -0.4625701547, -0.5124973965, -0.4625701547, 0.4875026035, -0.4625701547])


# ---------------------------------------------------------------------------------------------------------- one node


@pytest.mark.parametrize("s", [Settings(), Settings(l1=0.7, l2=2.0), Settings(l1=0.3, l2=0.5, max_delta_step=0.4)])
@pytest.mark.parametrize("gradient", [-3.0, -0.5, 0.0, 0.9, 4.0])
def test_an_answer_makes_the_penalized_loss_least(s: Settings, gradient: float) -> None:
    hessian = 1.7
    bound = s.max_delta_step or 10.0
    w = np.linspace(-bound, bound, 200_001)
    costs = gradient * w + (hessian + s.l2) * w**2 / 2 + s.l1 * np.abs(w)
    assert answer_of(gradient, hessian, s) == pytest.approx(w[costs.argmin()], abs=2e-4)
    assert similarity_of(gradient, hessian, s) == pytest.approx(-2 * costs.min(), abs=1e-6)


def test_nothing_known_answers_nothing() -> None:
    assert answer_of(0.0, 0.0, Settings()) == similarity_of(0.0, 0.0, Settings()) == 0.0


# ------------------------------------------------------------------------------------------------------------ splits


@pytest.mark.parametrize(
    "s", [Settings(), Settings(l1=0.2, l2=1.0), Settings(min_samples_leaf=6, min_child_weight=2.0)]
)
def test_best_cut_is_the_best_of_all_ways_to_part_a_column(s: Settings) -> None:
    X, g, h = slopes(25, 2)
    whole = similarity_of(g.sum(), h.sum(), s)
    best = -np.inf
    for j in range(2):
        order = np.argsort(X[:, j])
        for k in range(1, 25):
            sides = [order[:k], order[k:]]
            if min(map(len, sides)) < s.min_samples_leaf or min(h[a].sum() for a in sides) < s.min_child_weight:
                continue
            gain = sum(similarity_of(g[a].sum(), h[a].sum(), s) for a in sides) - whole
            if gain > best:
                best, cut = gain, (j, (X[order[k - 1], j] + X[order[k], j]) / 2)
    found = best_of(candidates(X, g, h, np.arange(25), s))
    assert found is not None
    assert (found.feature, found.threshold) == (cut[0], pytest.approx(cut[1]))
    assert found.gain == pytest.approx(best)


def test_missing_values_go_where_they_gain_most() -> None:
    x = np.array([[1.0], [2], [3], [4], [np.nan], [np.nan]])
    h = np.ones(6)
    low = grow(x, [-1.0, -1, 1, 1, -1, -1], h, Settings(max_depth=1)).test
    high = grow(x, [-1.0, -1, 1, 1, 1, 1], h, Settings(max_depth=1)).test
    apart = grow(x, [-1.0, -1, -1, -1, 1, 1], h, Settings(max_depth=1)).test
    assert low == Test(0, 2.5, missing_left=True, gain=low.gain if low else 0)
    assert high == Test(0, 2.5, missing_left=False, gain=high.gain if high else 0)
    assert apart == Test(0, np.inf, missing_left=False, gain=apart.gain if apart else 0)
    tree = grow(x, [-1.0, -1, 1, 1, -1, -1], h, Settings(max_depth=1))
    assert_array_equal(predict(tree, [[np.nan], [9.0]]), [1.0, -1.0])


def test_few_categories_one_against_the_rest() -> None:
    x = np.array([[0.0], [0], [1], [1], [2], [2]])
    tree = grow(x, [1.0, 1, -3, -3, 1, 1], np.ones(6), Settings(categories=frozenset([0])))
    assert tree.test is not None
    assert tree.test.inside == frozenset([1])
    assert_array_equal(predict(tree, [[0.0], [1], [2], [7], [np.nan]]), [-1.0, 3, -1, -1, -1])


@pytest.mark.parametrize("seed", range(5))
def test_a_run_of_ordered_categories_is_the_best_of_all_sets(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = np.concatenate([np.arange(7), rng.integers(0, 7, 33)]).astype(float)
    g, h = rng.normal(size=40) + np.sin(3 * x), 0.2 + rng.random(40)
    s = Settings(categories=frozenset([0]), category_smooth=0.0, category_l2=0.0)
    found = best_of(candidates(x[:, None], g, h, np.arange(40), s))
    sets = [inside for size in range(1, 4) for inside in combinations(range(7), size)]
    assert found is not None
    assert found.gain == pytest.approx(max(gain_of(g, h, np.isin(x, inside), s) for inside in sets))


def test_order_and_penalty_of_many_categories() -> None:
    x = np.repeat(np.arange(6.0), 2)
    g = np.repeat([3.0, -2, 0.5, -0.1, 1, -4], 2)
    h = np.repeat([1.0, 1, 1, 1, 1, 9], 2)
    assert category_order(x, g, h, 0.0) == [1, 5, 3, 2, 4, 0]
    assert category_order(x, g, h, 100.0) == [5, 1, 3, 2, 4, 0]  # -8 / 118 comes before -4 / 102
    s = Settings(categories=frozenset([0]), l2=1.0, category_smooth=1.0, category_l2=5.0)
    tests = candidates(x[:, None], g, h, np.arange(12), s)
    assert [test.inside for test in tests[:3]] == [{1}, {1, 5}, {1, 5, 3}]
    assert [test.inside for test in tests[3:]] == [{0}, {0, 4}, {0, 4, 2}]
    alone = x == 1
    sides = [g[side].sum() ** 2 / (h[side].sum() + 6) for side in (alone, ~alone)]
    assert tests[0].gain == pytest.approx(sum(sides) - g.sum() ** 2 / (h.sum() + 1))
    few = Settings(categories=frozenset([0]), most_categories=1, category_smooth=1.0)
    assert [test.inside for test in candidates(x[:, None], g, h, np.arange(12), few)] == [{1}, {0}]


# ----------------------------------------------------------------------------------------------------------- growing


def test_without_a_limit_on_leaves_their_order_does_not_matter() -> None:
    X, g, h = slopes()
    one, other = (grow(X, g, h, Settings(growth, max_depth=3, min_samples_leaf=3)) for growth in ("leaf", "depth"))
    assert [node.test for node in nodes_of(one)] == [node.test for node in nodes_of(other)]


def test_leaf_by_leaf_takes_the_greatest_gain() -> None:
    X, g, h = slopes(60)
    for leaves in range(2, 8):
        tree = grow(X, g, h, Settings(max_leaf_nodes=leaves, min_samples_leaf=3))
        assert len(leaves_of(tree)) == leaves
        smaller = grow(X, g, h, Settings(max_leaf_nodes=leaves - 1, min_samples_leaf=3))
        waiting = [best_of(candidates(X, g, h, leaf.rows, Settings(min_samples_leaf=3))) for leaf in leaves_of(smaller)]
        assert total(tree) - total(smaller) == pytest.approx(max(test.gain for test in waiting if test is not None))


def test_level_by_level_with_too_few_leaves_takes_the_best_of_the_level() -> None:
    X, g, h = slopes(60)
    tree = grow(X, g, h, Settings("depth", max_leaf_nodes=3, min_samples_leaf=3))
    assert len(leaves_of(tree)) == 3
    full = grow(X, g, h, Settings("depth", max_depth=2, min_samples_leaf=3))
    gains = [child.gain for child in full.children]
    assert [bool(child.children) for child in tree.children] == [gain == max(gains) for gain in gains]


def test_an_oblivious_tree_asks_one_test_a_level() -> None:
    X, g, h = slopes()
    s = Settings("oblivious", max_depth=3, l2=1.0)
    tree = grow(X, g, h, s)
    level = [tree]
    for depth in range(3):
        asked = {(node.test.feature, node.test.threshold) for node in level if node.test is not None}
        assert len(asked) == 1
        assert len(level) == 2**depth
        sums = {}
        for test in level_tests(level, Ground(X, g, h, s, ONE)):
            parts = [goes_left(X[node.rows, test.feature], test) for node in level]
            after = [node.rows[side] for node, left in zip(level, parts, strict=True) for side in (left, ~left)]
            sums[test.feature, test.threshold] = sum(similarity_of(g[a].sum(), h[a].sum(), s) for a in after)
        assert sums[asked.pop()] == pytest.approx(max(sums.values()))
        level = [child for node in level for child in node.children]
    assert len(leaves_of(tree)) == 8
    assert len(leaves_of(grow(X, g, h, Settings("oblivious", max_leaf_nodes=5)))) == 4


def test_an_oblivious_tree_splits_nodes_without_rows_too() -> None:
    x = np.array([[0.0], [1], [2], [3]])
    tree = grow(x, [-3.0, -1, 1, 4], np.ones(4), Settings("oblivious", max_depth=2))
    leaves = leaves_of(tree)
    assert len(leaves) == 4
    empty = [leaf for leaf in leaves if len(leaf.rows) == 0]
    assert len(empty) == 1
    assert (empty[0].answer, empty[0].similarity) == (0.0, 0.0)


def crossed() -> Any:
    """A first split that gains little, and below it splits that gain much."""
    X = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    return X, np.array([-1.2, 1, 1, -1]), np.ones(4)


def test_pruning_goes_from_below() -> None:
    X, g, h = crossed()
    tree = grow(X, g, h, Settings(max_depth=2))
    first, below = tree.gain, [child.gain for child in tree.children]
    assert 0 < first < min(below)
    kept = grow(X, g, h, Settings(max_depth=2, gamma=(first + min(below)) / 2))
    assert len(leaves_of(kept)) == 4  # what is below is worth it, and keeps the split above
    half = grow(X, g, h, Settings(max_depth=2, gamma=(min(below) + max(below)) / 2))
    assert len(leaves_of(half)) == 3
    assert len(leaves_of(grow(X, g, h, Settings(max_depth=2, gamma=2 * max(below))))) == 1
    assert len(leaves_of(grow(X, g, h, Settings(max_depth=2, min_gain=(first + min(below)) / 2)))) == 1
    prune(tree, gamma=min(below))
    assert len(leaves_of(tree)) == 4  # a gain of gamma is enough


def test_an_oblivious_tree_loses_whole_levels() -> None:
    """A level may gain where one of its nodes loses, and is kept or lost as a whole."""
    X, h = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.ones(4)
    g = np.array([-6.0, 2, 5, 5])
    tree = grow(X, g, h, Settings("oblivious", l2=1.0))
    assert tree.gain == pytest.approx(16 / 3 + 100 / 3 - 36 / 5)
    assert_allclose([child.gain for child in tree.children], [36 / 2 + 4 / 2 - 16 / 3, 2 * 25 / 2 - 100 / 3])
    second = 20 + 25 - 116 / 3  # 6.33, of which one node loses 8.33
    for gamma, leaves in ((0.0, 4), (second - 0.01, 4), (second + 0.01, 2), (tree.gain + 0.01, 1)):
        assert len(leaves_of(grow(X, g, h, Settings("oblivious", l2=1.0, gamma=gamma)))) == leaves


def test_every_node_keeps_its_sums() -> None:
    X, g, h = slopes()
    s = Settings(max_depth=3, l2=0.5, l1=0.1)
    for node in nodes_of(grow(X, g, h, s)):
        assert node.gradient == pytest.approx(g[node.rows].sum())
        assert node.hessian == pytest.approx(h[node.rows].sum())
        assert node.similarity == pytest.approx(similarity_of(node.gradient, node.hessian, s))
        if node.children:
            assert node.gain == pytest.approx(sum(child.similarity for child in node.children) - node.similarity)


# ---------------------------------------------------------------------------------------------------------- boosting


def test_squared_errors_without_penalty_are_friedmans() -> None:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(40, 3))
    y = X[:, 0] + X[:, 1] * X[:, 2] + 0.2 * rng.normal(size=40)
    rules = Rules("squared_error", max_depth=2, min_rows_leaf=4)
    known = friedman.boost(X, y, rounds=6, rate=0.3, rules=rules)
    made = boost(X, y, s=Settings("depth", max_depth=2, min_samples_leaf=4), rounds=6, rate=0.3)
    assert_allclose(made.scores, known.scores, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", ["absolute", "quantile", "huber"])
def test_losses_without_curvature_answer_as_friedmans(name: str) -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(40, 1))
    y = X[:, 0] + rng.normal(size=40)
    loss = Loss(name, level=0.7)
    made = boost(X, y, loss, Settings(max_leaf_nodes=3, min_samples_leaf=4), rounds=4, rate=0.5)
    known = friedman.boost_with([[leaf.rows for leaf in leaves_of(tree)] for tree in made.trees], y, loss, rate=0.5)
    assert_allclose(made.scores, known.scores, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("classes", [0, 2])
def test_leaf_by_leaf_is_scikit_learns_histogram_boosting(classes: int) -> None:
    """Few enough values for a bin each, missing ones among them. Theirs sums in single precision."""
    rng = np.random.default_rng(6)
    X = np.round(rng.normal(size=(120, 3)), 2)
    score = X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=120)
    X[rng.random(X.shape) < 0.1] = np.nan
    y = (score > 0).astype(float) if classes else score
    known: Any = HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor
    settings: Any = {"max_iter": 4, "learning_rate": 0.3, "max_leaf_nodes": 6, "min_samples_leaf": 8}
    with threadpool_limits(1):
        model = known(early_stopping=False, l2_regularization=0.5, **settings).fit(X, y)
        said = model.decision_function(X) if classes else model.predict(X)
    s = Settings(max_leaf_nodes=6, min_samples_leaf=8, min_child_weight=1e-3, l2=0.5)
    made = boost(X, y, LOGISTIC if classes else Loss(), s, rounds=4, rate=0.3)
    assert_allclose(made.scores[-1][:, 0], said, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("loss", [Loss(), LOGISTIC, Loss("poisson"), Loss("softmax", classes=3)])
@pytest.mark.parametrize("growth", ["leaf", "depth", "oblivious"])
def test_scores_of_rows_learned_from_and_weights(loss: Loss, growth: str) -> None:
    X, _, _ = slopes(30)
    y = np.digitize(X[:, 0] + X[:, 1], [-0.5, 0.5]).astype(float)
    y = np.minimum(y, 1) if loss.name == "logistic" else y
    s = Settings(growth, max_depth=2, l2=1.0, min_samples_leaf=1)
    times = np.random.default_rng(7).integers(0, 3, 30)
    made = boost(X, y, loss, s, rounds=3, rate=0.5, weight=times)
    assert len(made.trees) == 3 * loss.classes
    assert_allclose(scores_of(made, X), made.scores[-1], rtol=1e-12, atol=1e-12)
    rows = np.repeat(np.arange(30), times)
    repeated = boost(X[rows], y[rows], loss, s, rounds=3, rate=0.5)
    assert_allclose(scores_of(repeated, X), made.scores[-1], rtol=1e-9, atol=1e-9)


def test_rows_that_are_drawn_count_by_their_factors() -> None:
    X, _, _ = slopes(30)
    y = X[:, 0] + X[:, 1]
    uniform = np.random.default_rng(8).random((3, 30))
    drawn = []

    def draw(m: int, g: Any, h: Any) -> Any:
        drawn.append(goss(sizes(g), 0.3, 0.2, uniform[m]))
        return drawn[-1]

    s = Settings(max_leaf_nodes=4)
    made = boost(X, y, s=s, rounds=3, draw=draw)
    for m, tree in enumerate(made.trees):
        assert_array_equal(np.sort(tree.rows), np.flatnonzero(drawn[m] > 0))
        g = (made.scores[m][:, 0] - y) * drawn[m]
        for leaf in leaves_of(tree):
            assert leaf.answer == pytest.approx(-g[leaf.rows].sum() / drawn[m][leaf.rows].sum())
    everything = boost(X, y, s=s, rounds=3, draw=lambda m, g, h: np.ones(30))
    assert_array_equal(everything.scores[-1], boost(X, y, s=s, rounds=3).scores[-1])
