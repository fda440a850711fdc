"""Boosting of several targets by one tree: an example by hand, one target, the sum of gains, categories, growth."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from pellucid.reference import second_order_boosting as one
from pellucid.reference.gradient_boosting import Loss
from pellucid.reference.second_order_boosting import Settings, Test, leaves_of, predict, prune
from pellucid.reference.vector_boosting import (
    Node,
    allowed,
    boost,
    candidates,
    category_order,
    gain_of,
    grow,
    node_of,
    scores_of,
    slopes_of,
    starts_of,
    widest_direction,
)

WAYS = {
    "leaf": Settings(max_leaf_nodes=6),
    "depth": Settings("depth", max_depth=3),
    "few_of_a_level": Settings("depth", max_leaf_nodes=6),
    "oblivious": Settings("oblivious", max_depth=3),
    "penalties": Settings(l1=0.3, l2=1.5, max_leaf_nodes=6),
    "short_steps": Settings(max_delta_step=0.3, l1=0.1, max_leaf_nodes=6),
    "pruned": Settings("depth", max_depth=4, gamma=1.5),
    "oblivious_pruned": Settings("oblivious", max_depth=4, gamma=4.0),
    "weight": Settings(min_child_weight=1.2, max_leaf_nodes=6),
    "categories": Settings(categories=frozenset([2]), category_smooth=1.0, max_leaf_nodes=6),
}


def slopes(n: int = 40, targets: int = 3, seed: int = 0) -> Any:
    """A table whose last column has seven codes, some values missing in the first, and slopes that hang on it."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    X[:, 2] = rng.integers(0, 7, n)
    signs = rng.normal(size=(3, targets))
    g = (X - [0, 0, 3]) @ signs * 0.4 + 0.6 * rng.normal(size=(n, targets))
    X[rng.random(n) < 0.15, 0] = np.nan
    return X, g, 0.1 + 0.3 * rng.random((n, targets))


def same_tree(a: Any, b: Any) -> bool:
    """The same rows in the same places."""
    alike = np.array_equal(a.rows, b.rows) and len(a.children) == len(b.children)
    return alike and all(same_tree(x, y) for x, y in zip(a.children, b.children, strict=True))


# ------------------------------------------------------------------------------------------------------ one by hand


def test_the_example_by_hand() -> None:
    """Three rows, two targets, l2 = 1: left of 2.5 G = (-2, 4) and H = 2, right of it G = (3, -1) and H = 1."""
    g, h = np.array([[-1.0, 2], [-1, 2], [3, -1]]), np.ones((3, 2))
    s = Settings(l2=1)
    left, right, whole = (node_of(g, h, np.array(rows), s) for rows in ([0, 1], [2], [0, 1, 2]))
    assert left.similarity == pytest.approx((4 + 16) / 3)
    assert right.similarity == pytest.approx((9 + 1) / 2)
    assert whole.similarity == pytest.approx((1 + 9) / 4)
    assert_allclose(left.answer, [2 / 3, -4 / 3])
    assert_allclose(right.answer, [-3 / 2, 1 / 2])
    assert gain_of(g, h, np.array([True, True, False]), s) == pytest.approx(20 / 3 + 5 - 5 / 2)


@pytest.mark.parametrize("s", [Settings(), Settings(l1=0.4, l2=2.0), Settings(l1=0.4, l2=2.0, max_delta_step=0.2)])
def test_a_gain_is_the_sum_of_the_gains_of_the_targets(s: Settings) -> None:
    X, g, h = slopes()
    left = X[:, 1] <= 0.2
    each = [one.gain_of(g[:, k], h[:, k], left, s) for k in range(3)]
    assert gain_of(g, h, left, s) == pytest.approx(sum(each))


def test_an_answer_is_that_of_each_target_by_itself() -> None:
    X, g, h = slopes()
    s = Settings(l1=0.2, l2=0.7, max_leaf_nodes=5)
    for leaf in leaves_of(grow(X, g, h, s)):
        wanted = [one.node_of(g[:, k], h[:, k], leaf.rows, s).answer for k in range(3)]
        assert_allclose(leaf.answer, wanted)


def test_a_leaf_weighs_the_mean_of_its_targets() -> None:
    h = np.array([[0.1, 0.9], [0.2, 0.4]])  # sums 0.3 and 1.3
    assert allowed(h, Settings(min_child_weight=0.8 - 1e-12))
    assert not allowed(h, Settings(min_child_weight=0.8 + 1e-12))


# ------------------------------------------------------------------------------------------------------- one target


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("way", WAYS)
def test_one_target_gives_the_tree_that_is_known(way: str, seed: int) -> None:
    X, g, h = slopes(targets=1, seed=seed)
    found, wanted = grow(X, g, h, WAYS[way]), one.grow(X, g[:, 0], h[:, 0], WAYS[way])
    assert wanted.children
    assert same_tree(found, wanted)
    assert found.gain == pytest.approx(wanted.gain)
    assert_allclose(predict(found, X)[:, 0], one.predict(wanted, X))


@pytest.mark.parametrize("name", ["squared", "absolute", "quantile", "huber", "poisson", "logistic"])
def test_one_target_is_boosted_as_it_is_known(name: str) -> None:
    X, g, _ = slopes(targets=1)
    y = {"poisson": np.round(np.exp(g)), "logistic": (g > 0).astype(float)}.get(name, g)
    loss, s = Loss(name, level=0.7), Settings(max_leaf_nodes=4, min_samples_leaf=3)
    weight = np.random.default_rng(5).uniform(0.5, 2, len(X))
    found = boost(X, y, loss, s, rounds=3, rate=0.4, weight=weight)
    wanted = one.boost(X, y[:, 0], loss, s, rounds=3, rate=0.4, weight=weight)
    assert_allclose(found.start, wanted.start)
    assert_allclose(found.scores[-1], wanted.scores[-1])


# --------------------------------------------------------------------------------------------------------- targets


@pytest.mark.parametrize("way", [way for way in WAYS if "pruned" not in way])
def test_a_target_written_down_three_times_changes_no_split(way: str) -> None:
    X, g, h = slopes(targets=1)
    once, thrice = (grow(X, np.tile(g, times), np.tile(h, times), WAYS[way]) for times in (1, 3))
    assert same_tree(once, thrice)
    assert thrice.gain == pytest.approx(3 * once.gain)
    assert_allclose(predict(thrice, X), np.tile(predict(once, X), 3))


@pytest.mark.parametrize("way", WAYS)
def test_the_order_of_the_targets_does_not_matter(way: str) -> None:
    X, g, h = slopes()
    turned = [2, 0, 1]
    a, b = grow(X, g, h, WAYS[way]), grow(X, g[:, turned], h[:, turned], WAYS[way])
    assert_allclose(predict(a, X)[:, turned], predict(b, X))


def test_the_split_of_a_node_is_the_best_of_all() -> None:
    X, g, h = slopes()
    s = Settings(min_samples_leaf=4, max_depth=1)
    best = 0.0
    for j in range(3):
        x = X[:, j]
        for cut in [*np.unique(x[~np.isnan(x)]), np.inf]:
            for missing_left in (False, True):
                left = np.where(np.isnan(x), missing_left, x <= cut)
                if 4 <= left.sum() <= len(X) - 4:
                    best = max(best, gain_of(g, h, left, s))
    assert grow(X, g, h, s).gain == pytest.approx(best)


def test_gains_add_up_to_what_the_leaves_are_worth_more() -> None:
    X, g, h = slopes()
    for s in (WAYS["leaf"], WAYS["depth"], WAYS["oblivious"], WAYS["penalties"]):
        tree = grow(X, g, h, s)
        gains, below = 0.0, [tree]
        while below:
            node = below.pop()
            gains += node.gain
            below += node.children
        assert gains == pytest.approx(sum(leaf.similarity for leaf in leaves_of(tree)) - tree.similarity)


def test_pruning_takes_back_weak_splits_between_leaves_alone() -> None:
    leaf = Node(np.arange(1), np.zeros(2), np.ones(2), 0.0, np.zeros(2))
    strong = replace(leaf, test=Test(0, 0.5, gain=3.0), children=[replace(leaf), replace(leaf)])
    weak = replace(strong, test=Test(0, 0.5, gain=1.0), children=[replace(leaf), replace(leaf)])
    root = replace(leaf, test=Test(0, 0.5, gain=0.5), children=[strong, weak])
    prune(root, 2.0)
    assert root.children == [strong, weak]
    assert strong.children
    assert not weak.children


# ------------------------------------------------------------------------------------------------------- categories


def test_the_widest_direction_spreads_more_than_any_other() -> None:
    rng = np.random.default_rng(3)
    points, mass = rng.normal(size=(9, 3)) * [1, 2, 0.5], rng.uniform(0.5, 2, 9)
    about = points - np.average(points, axis=0, weights=mass)
    axis = widest_direction(points, mass)
    assert np.linalg.norm(axis) == pytest.approx(1)
    assert axis[np.abs(axis).argmax()] > 0
    most = mass @ (about @ axis) ** 2
    others = rng.normal(size=(500, 3))
    others /= np.linalg.norm(others, axis=1)[:, None]
    assert (mass @ (about @ others.T) ** 2 <= most * (1 + 1e-12)).all()


def test_categories_of_one_target_are_in_the_order_that_is_known() -> None:
    X, g, h = slopes(n=60, targets=1)
    assert category_order(X[:, 2], g, h, 0.5) == one.category_order(X[:, 2], g[:, 0], h[:, 0], 0.5)


def test_targets_that_say_the_same_of_the_categories_have_its_order() -> None:
    """G of the second target is -2 times that of the first: the second has the larger part, and tells the order."""
    X, g, h = slopes(n=60, targets=1)
    both, same = np.hstack([g, -2 * g]), np.hstack([h, h])
    assert category_order(X[:, 2], both, same, 0.5) == one.category_order(X[:, 2], -g[:, 0], h[:, 0], 0.5)


def test_runs_of_the_order_are_tried_from_both_ends() -> None:
    X, g, h = slopes(n=60)
    s = WAYS["categories"]
    tried = [test for test in candidates(X, g, h, np.arange(60), s) if test.feature == 2]
    order = category_order(X[:, 2], g, h, 1.0)
    wanted = [set(run[:size]) for run in (order, order[::-1]) for size in range(1, 5)]
    assert [set(test.inside or ()) for test in tried] == wanted


# --------------------------------------------------------------------------------------------------------- boosting


def test_slopes_are_derivatives_of_the_losses() -> None:
    """Of K targets each its own; of the softmax by all scores."""
    rng = np.random.default_rng(0)
    f, counts = rng.normal(size=(6, 3)), rng.poisson(2, (6, 3)).astype(float)
    g, h = slopes_of(Loss("poisson"), counts, f, np.zeros(3))
    assert_allclose(g, np.exp(f) - counts)
    assert_allclose(h, np.exp(f))
    codes = np.array([[0.0], [1], [2], [2], [1], [0]])
    p = np.exp(f) / np.exp(f).sum(axis=1, keepdims=True)
    g, h = slopes_of(Loss("softmax", classes=3), codes, f, np.zeros(1))
    assert_allclose(g, p - (codes == np.arange(3)))
    assert_allclose(h, p * (1 - p))


def test_starts_are_those_of_each_target() -> None:
    Y = np.array([[1.0, 5], [2, 6], [6, 10]])
    assert_allclose(starts_of(Loss(), Y, np.ones(3)), [3, 7])
    assert_allclose(starts_of(Loss("absolute"), Y, np.ones(3)), [2, 6])
    share = starts_of(Loss("softmax", classes=3), np.array([[0.0], [1], [1], [2]]), np.ones(4))
    assert_allclose(np.exp(share), [0.25, 0.5, 0.25])


@pytest.mark.parametrize("name", ["squared", "logistic", "softmax"])
def test_rounds_lower_the_loss_and_scores_are_found_again(name: str) -> None:
    X, g, _ = slopes()
    Y = {"logistic": (g > 0).astype(float), "softmax": g.argmax(axis=1)[:, None].astype(float)}.get(name, g)
    made = boost(X, Y, Loss(name, classes=3), Settings(max_leaf_nodes=5, l2=1), rounds=6, rate=0.3)

    def losses(f: Any) -> float:
        if name == "softmax":
            chosen = np.take_along_axis(f, Y.astype(int), axis=1)[:, 0]
            return float((np.log(np.exp(f).sum(axis=1)) - chosen).sum())
        return float((np.log1p(np.exp(f)) - Y * f).sum() if name == "logistic" else ((Y - f) ** 2).sum())

    found = [losses(f) for f in made.scores]
    assert all(later < earlier for earlier, later in pairwise(found))
    assert_allclose(scores_of(made, X), made.scores[-1])


def test_rows_of_weight_0_are_not_learned_from() -> None:
    X, g, _ = slopes()
    weight = (np.arange(len(X)) % 3 > 0).astype(float)
    s = Settings(max_leaf_nodes=5)
    made = boost(X, g, Loss(), s, rounds=2, weight=weight)
    wanted = boost(X[weight > 0], g[weight > 0], Loss(), s, rounds=2)
    assert_allclose(made.scores[-1][weight > 0], wanted.scores[-1])
    assert_array_equal(made.trees[0].rows, np.flatnonzero(weight))
