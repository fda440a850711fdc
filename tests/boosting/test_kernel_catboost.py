"""CatBoost's ways in the kernel, each done plainly: statistics along an order, ordered boosting, one test a level."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

from pellucid.boosting import CatBoostClassifier, CatBoostRegressor
from pellucid.boosting._statistics import make_statistics, ordered_columns
from pellucid.reference.gradient_boosting import Loss
from pellucid.reference.ordered_boosting import OrderedModel, boost, boost_with, of_all_rows, ordered_statistic
from pellucid.reference.second_order_boosting import Settings, similarity_of

from .test_kernel_reference import assert_same_tree, rows_of_nodes

Floats = NDArray[np.float64]
SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.exhaustive) for seed in range(1, 4))]
RATE, L2 = 0.4, 3.0


# ------------------------------------------------------------------------------------------------------- categories


def coded(seed: int, n: int = 40) -> tuple[Floats, Floats]:
    """Two columns of categories as codes, some missing, between numbers; and two targets."""
    rng = np.random.default_rng(seed)
    numbers = np.column_stack([rng.normal(size=n), rng.integers(0, 5, n), rng.normal(size=n), rng.integers(0, 3, n)])
    numbers[rng.random(n) < 0.15, 1] = np.nan
    return numbers, rng.normal(size=(n, 2)) + numbers[:, 3:]


SIZES = np.array([0, 5, 0, 3], dtype=np.int32)


def joined(numbers: Floats, columns: tuple[int, ...]) -> list[Any]:
    """The categories of some columns as one; None where one of them is missing."""
    return [None if np.isnan(row).any() else tuple(row.tolist()) for row in numbers[:, list(columns)]]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("weight", [0.5, 1.0, 3.0])
def test_statistics_along_an_order_are_the_references(seed: int, weight: float) -> None:
    """Of two columns and of both together, for two targets, on 1, 2 and 3 threads; the prior where one is missing."""
    numbers, targets = coded(seed)
    used = np.ones(len(numbers), dtype=bool)
    found, codes = make_statistics(numbers, SIZES, targets, used, 2, 2, weight)
    assert [one.columns for one in found.made] == [(1,), (3,), (1, 3)]
    order = np.random.default_rng(seed + 10).permutation(len(numbers))
    columns = [ordered_columns(found, codes, targets, used, order, weight, threads) for threads in (1, 2, 3)]
    for other in columns[1:]:
        assert_array_equal(columns[0], other)
    for (m, one), t in product(enumerate(found.made), range(2)):
        words, prior = joined(numbers, one.columns), float(targets[:, t].mean())
        known = [row for row in order.tolist() if words[row] is not None]
        wanted = ordered_statistic(words, targets[:, t].tolist(), prior, weight, known)[2]
        assert_allclose(columns[0][:, 2 * m + t], wanted, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("seed", SEEDS)
def test_new_rows_get_the_statistic_of_all_rows(seed: int) -> None:
    numbers, targets = coded(seed)
    used = np.ones(len(numbers), dtype=bool)
    found, _ = make_statistics(numbers, SIZES, targets, used, 2, 2, 1.0)
    later = found.later(numbers)
    assert_array_equal(later[:, :2], numbers[:, [0, 2]])
    for (m, one), t in product(enumerate(found.made), range(2)):
        words, prior = joined(numbers, one.columns), float(targets[:, t].mean())
        there = [i for i, word in enumerate(words) if word is not None]
        whole = of_all_rows([words[i] for i in there], targets[there, t].tolist(), prior, 1.0)
        wanted = [prior if word is None else whole[word] for word in words]
        assert_allclose(later[:, 2 + 2 * m + t], wanted, rtol=1e-12, atol=1e-14)
    unseen = numbers.copy()
    unseen[:, 3] = 2 + 1.0
    assert_allclose(found.later(unseen)[:, 4:6], np.tile(targets.mean(axis=0), (len(numbers), 1)))


@pytest.mark.parametrize("seed", SEEDS)
def test_no_row_is_told_its_own_target_nor_a_later_one(seed: int) -> None:
    numbers, targets = coded(seed)
    used = np.ones(len(numbers), dtype=bool)
    order = np.random.default_rng(seed).permutation(len(numbers))
    found, codes = make_statistics(numbers, SIZES, targets, used, 2, 2, 1.0)
    before = ordered_columns(found, codes, targets, used, order, 1.0, 1)
    for place in (0, 7, len(order) - 1):
        other = targets.copy()
        other[order[place:]] += 5.0
        after = ordered_columns(found, codes, other, used, order, 1.0, 1)
        assert_array_equal(after[order[: place + 1]], before[order[: place + 1]])


def test_rows_not_learned_from_are_seen_by_nobody() -> None:
    numbers, targets = coded(0)
    used = np.arange(len(numbers)) % 4 > 0
    order = np.random.default_rng(0).permutation(len(numbers))
    found, codes = make_statistics(numbers, SIZES, targets, used, 2, 2, 1.0)
    made = ordered_columns(found, codes, targets, used, order, 1.0, 1)
    alone, own = make_statistics(numbers[used], SIZES, targets[used], np.ones(used.sum(), dtype=bool), 2, 2, 1.0)
    place = np.cumsum(used) - 1
    inside = place[order[used[order]]]
    wanted = ordered_columns(alone, own, targets[used], np.ones(used.sum(), dtype=bool), inside, 1.0, 1)
    assert_allclose(made[used], wanted, rtol=1e-13)
    assert_allclose(made[~used], alone.later(numbers[~used])[:, 2:], rtol=1e-13)


# ------------------------------------------------------------------------------------------- trees on the statistics


def table(seed: int, n: int = 60) -> tuple[pd.DataFrame, Floats]:
    """A number and two columns of words, and a target that hangs on all three."""
    rng = np.random.default_rng(seed)
    words = {"color": rng.choice(list("rgbk"), n), "shape": rng.choice(list("xyz"), n)}
    X = pd.DataFrame({"a": rng.normal(size=n), **words})
    both = (X["color"] == "r") * 3.0 + (X["shape"] == "x") * (X["color"] == "g") * 4.0
    return X, np.asarray(0.5 * X["a"] + both + 0.4 * rng.normal(size=n), dtype=np.float64)


def plainly(**more: Any) -> dict[str, Any]:
    """Small models that look at all rows."""
    told = {"n_estimators": 3, "learning_rate": RATE, "max_depth": 2, "sampling": "uniform", "subsample": 1.0}
    return {**told, "random_state": 0, "n_permutations": 1, "random_strength": 0.0, **more}


def assert_same_trees(model: Any, other: Any) -> None:
    """The same columns, cuts and answers."""
    assert len(model._forest_) == len(other._forest_)
    for t in range(len(model._forest_)):
        one, two = model._forest_.tree(t), other._forest_.tree(t)
        assert_array_equal(one.feature, two.feature)
        assert_array_equal(one.threshold, two.threshold)
        assert_array_equal(one.value, two.value)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("boosting", ["plain", "ordered"])
@pytest.mark.parametrize("two", [False, True], ids=["numbers", "classes"])
def test_one_order_is_boosting_of_the_columns_made_along_it(seed: int, boosting: Any, two: bool) -> None:
    """With the statistics worked out by the reference and handed over as numbers the trees are the same bits."""
    X, y = table(seed)
    target = (y > np.median(y)).astype(float) if two else y
    face = CatBoostClassifier if two else CatBoostRegressor
    model = face(**plainly(boosting=boosting)).fit(X, target)
    (order,) = model._orders(len(X))
    told, prior, names = target.tolist(), float(target.mean()), ("color", "shape")
    made = [ordered_statistic(X[name].tolist(), told, prior, 1.0, order)[2] for name in names]
    other = face(**plainly(boosting=boosting)).fit(np.column_stack([X["a"], *made]), target)
    assert any((model._forest_.tree(t).feature > 0).any() for t in range(3))
    assert_same_trees(model, other)
    whole = [of_all_rows(X[name].tolist(), told, prior, 1.0) for name in names]
    later = [[one[word] for word in X[name]] for one, name in zip(whole, names, strict=True)]
    assert_array_equal(model.predict(X), other.predict(np.column_stack([X["a"], *later])))


@pytest.mark.parametrize("seed", SEEDS)
def test_joined_columns_are_those_of_a_column_of_both_words(seed: int) -> None:
    X, y = table(seed)
    model = CatBoostRegressor(**plainly(max_combinations=2, n_permutations=3)).fit(X, y)
    both = X.assign(both=X["color"] + X["shape"])
    assert_same_trees(model, CatBoostRegressor(**plainly(n_permutations=3)).fit(both, y))


# -------------------------------------------------------------------------------------------------- ordered boosting


def problem(seed: int, two: bool, n: int = 41) -> tuple[Floats, Floats, Loss]:
    """Numbers without ties."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = X[:, 0] - X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=n)
    return X, (y > 0).astype(float) if two else y, Loss("logistic") if two else Loss()


def fitted(X: Floats, y: Floats, loss: Loss, **more: Any) -> Any:
    """Ordered boosting by the kernel."""
    face: Any = CatBoostClassifier if loss.name == "logistic" else CatBoostRegressor
    return face(**plainly(boosting="ordered", **more)).fit(X, y)


def gain_by(slopes: tuple[Floats, Floats], tree: Any, leaf_of_row: Any) -> float:
    """What all splits of a tree gain together, by some first and second derivatives."""
    s = Settings(l2=L2)
    g, h = slopes
    worth = [
        similarity_of(float(g[list(rows)].sum()), float(h[list(rows)].sum()), s) if rows else 0.0
        for rows in rows_of_nodes(tree, leaf_of_row)
    ]
    inner = [node for node in range(len(tree)) if tree.first_child[node] >= 0]
    return float(sum(sum(worth[child] for child in tree.children(node)) - worth[node] for node in inner))


def slopes_of(made: OrderedModel, y: Floats, number: int) -> tuple[Floats, Floats]:
    """Derivatives at what each row is told by the model of its prefix, before a round."""
    own = made.own_scores(number)
    if made.loss.name == "squared":
        return own - y, np.ones(len(y))
    p = 1 / (1 + np.exp(-own))
    return p - y, p * (1 - p)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("two", [False, True], ids=["numbers", "classes"])
@pytest.mark.parametrize("growth", ["oblivious", "depth"])
def test_ordered_boosting_is_the_references(seed: int, two: bool, growth: Any) -> None:
    """Same rows in all nodes; leaves answer by all rows; gains are those of the slopes of rows not seen."""
    X, y, loss = problem(seed, two)
    model = fitted(X, y, loss, growth=growth)
    (order,) = model._orders(len(X))
    start = float(model.base_score_[0])
    s = Settings(growth, max_depth=2, l2=L2)
    made = boost(X, y, order, loss, s, rounds=3, rate=RATE, start=start)
    leaves = model.apply(X)
    for t, one in enumerate(made.rounds):
        wanted, tree = one.tree, model._forest_.tree(t)
        assert wanted is not None
        ends = list(_leaves(wanted))
        for leaf, answer in zip(ends, one.answer[-1], strict=True):
            leaf.answer = float(answer)
        assert_same_tree(tree, leaves[:, t], wanted, RATE)
        gained = gain_by(slopes_of(made, y, t), tree, leaves[:, t])
        assert_allclose(model._forest_.importance[t].sum(), gained, rtol=1e-5, atol=1e-7)
    assert_allclose(_scores(model, X), made.scores[-1][-1], rtol=1e-5, atol=1e-7)


def _leaves(node: Any) -> Any:
    """Leaves from left to right."""
    if not node.children:
        yield node
    for child in node.children:
        yield from _leaves(child)


def _scores(model: Any, X: Floats) -> Floats:
    return np.asarray(model.decision_function(X) if hasattr(model, "classes_") else model.predict(X))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 9])
def test_few_rows_have_the_models_that_fit_in(n: int) -> None:
    X, y, loss = problem(n, False, n)
    model = fitted(X, y, loss)
    (order,) = model._orders(n)
    s = Settings("oblivious", max_depth=2, l2=L2)
    made = boost(X, y, order, loss, s, rounds=3, rate=RATE, start=float(model.base_score_[0]))
    assert_allclose(model.predict(X), made.scores[-1][-1], rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("two", [False, True], ids=["numbers", "classes"])
def test_a_round_takes_one_of_several_orders_and_all_models_learn_from_it(seed: int, two: bool) -> None:
    """Every tree gains what the slopes along one order say, and rounds do not all take the same."""
    X, y, loss = problem(seed, two)
    model = fitted(X, y, loss, n_permutations=3, n_estimators=8)
    orders, leaves = model._orders(len(X)), model.apply(X)
    assert len({tuple(order.tolist()) for order in orders}) == 3
    groups = [[np.flatnonzero(leaves[:, t] == leaf) for leaf in np.unique(leaves[:, t])] for t in range(8)]
    start = float(model.base_score_[0])
    made = [boost_with(groups, y, order, loss, rate=RATE, start=start, l2=L2) for order in orders]
    assert_allclose(_scores(model, X), made[0].scores[-1][-1], rtol=1e-5, atol=1e-7)
    taken = []
    for t in range(8):
        tree = model._forest_.tree(t)
        gains = np.array([gain_by(slopes_of(one, y, t), tree, leaves[:, t]) for one in made])
        near = np.isclose(gains, model._forest_.importance[t].sum(), rtol=1e-5, atol=1e-8)
        assert near.any()
        taken.append(int(np.argmax(near)) if near.sum() == 1 else -1)
    assert len(set(taken) - {-1}) > 1


@pytest.mark.parametrize("two", [False, True], ids=["numbers", "classes"])
def test_ordered_boosting_has_the_same_bits_on_any_number_of_threads(two: bool) -> None:
    X, y, loss = problem(0, two, 90)
    one = fitted(X, y, loss, n_permutations=3, n_jobs=1)
    for threads in (2, 3):
        assert_same_trees(one, fitted(X, y, loss, n_permutations=3, n_jobs=threads))


# ---------------------------------------------------------------------------------------------------- one test a level


def all_parts(x: Floats, category: bool) -> list[NDArray[np.bool_]]:
    """Every way in which a test of a column may part the rows: cuts with missing values on either side, or one code."""
    values, missing = np.unique(x[~np.isnan(x)]), np.isnan(x)
    if category:
        return [x == value for value in values]
    sides = (False, True) if missing.any() else (False,)
    found = [np.where(missing, side, x <= value) for side in sides for value in values[:-1]]
    return [*found, ~missing] if missing.any() else found


def worth_of(groups: list[NDArray[np.bool_]], g: Floats, h: Floats) -> float:
    """Similarities of some groups of rows, summed up; a group without rows is worth nothing."""
    s = Settings(l2=L2)
    return sum(similarity_of(float(g[one].sum()), float(h[one].sum()), s) for one in groups if one.any())


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("holes", [False, True], ids=["whole", "holes"])
@pytest.mark.parametrize("two", [False, True], ids=["numbers", "classes"])
def test_every_level_asks_the_best_of_all_tests(seed: int, holes: bool, two: bool) -> None:
    """No other test of the level would gain more over all its nodes together. One column holds two categories."""
    rng = np.random.default_rng(seed)
    X, y, _ = problem(seed, two, 50)
    X[:, 2] = rng.integers(0, 2, 50)
    if holes:
        X[rng.random(X.shape) < 0.2] = np.nan
    face: Any = CatBoostClassifier if two else CatBoostRegressor
    model = face(**plainly(max_depth=3, categorical_features=[2])).fit(X, y)
    leaves, scores = model.apply(X), np.full(50, float(model.base_score_[0]))
    for t in range(3):
        p = 1 / (1 + np.exp(-scores))
        g, h = (p - y, p * (1 - p)) if two else (scores - y, np.ones(50))
        tree = model._forest_.tree(t)
        rows = rows_of_nodes(tree, leaves[:, t])
        level, groups = [0], [np.ones(50, dtype=bool)]
        for _ in range(3):
            assert len({int(tree.feature[node]) for node in level}) == 1
            below = [child for node in level for child in tree.children(node)]
            parted = [np.isin(np.arange(50), list(rows[child])) for child in below]
            others = [
                worth_of([side for one in groups for side in (one & left, one & ~left)], g, h)
                for j in range(3)
                for left in all_parts(X[:, j], j == 2)
            ]
            assert_allclose(worth_of(parted, g, h), max(others), rtol=1e-6)
            level, groups = below, parted
        scores = scores + tree.value[leaves[:, t], 0]


def test_rows_with_a_missing_category_stay_where_they_were_learned() -> None:
    """Missing ones go with y, by their targets: the leaf of three rows answers 9 for each of them."""
    X, y = pd.DataFrame({"c": ["x", "x", "x", "x", None, None, "y"]}), [0.0, 0, 0, 0, 9, 9, 9]
    told = plainly(n_estimators=1, learning_rate=1.0, max_depth=1, l2_regularization=0.0)
    assert_allclose(CatBoostRegressor(**told).fit(X, y).predict(X), y, atol=1e-6)


# ------------------------------------------------------------------------------------------------------ random strength


def first_tests(strength: float) -> list[int]:
    """The column of the first tree's first test, for a hundred seeds; column 0 is the best and 2 the worst."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 3))
    y = X @ [3.0, 2.0, 1.0]
    told = plainly(n_estimators=1, max_depth=1, random_strength=strength)
    models = [CatBoostRegressor(**told | {"random_state": seed}).fit(X, y) for seed in range(100)]
    return [int(model._forest_.tree(0).feature[0]) for model in models]


def test_without_random_strength_the_best_test_is_taken() -> None:
    assert set(first_tests(0.0)) == {0}


def test_much_random_strength_leaves_the_choice_to_chance() -> None:
    counts = np.bincount(first_tests(1e6), minlength=3)
    assert counts.min() > 15  # about 33 each


def test_some_random_strength_prefers_better_tests() -> None:
    counts = np.bincount(first_tests(10.0), minlength=3)
    assert counts[0] > counts[1] > counts[2] > 0
