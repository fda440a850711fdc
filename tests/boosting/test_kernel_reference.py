"""The kernel of boosted trees beside the readable reference: the same splits of the rows, the same leaves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray

from pellucid.boosting import (
    BoostedTreesClassifier,
    BoostedTreesRegressor,
    LightGBMClassifier,
    LightGBMRegressor,
    XGBoostClassifier,
    XGBoostRegressor,
)
from pellucid.reference.gradient_boosting import Loss
from pellucid.reference.second_order_boosting import (
    Boosted,
    Node,
    Settings,
    best_of,
    boost,
    candidates,
    goes_left,
    leaves_of,
    node_of,
    nodes_of,
)

Floats = NDArray[np.float64]
ROUNDS, RATE = 2, 0.3
SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.exhaustive) for seed in range(1, 3))]
# Rows of one class with the same score have slopes in proportion, whatever their weights: no split of them gains
# anything, and the kernel, which rounds, must not be asked whether nothing is more than nothing.
LEAST_GAIN = 1e-3


# ------------------------------------------------------------------------------------------------------- comparing


def rows_of_nodes(tree: Any, leaf_of_row: Any) -> list[frozenset[int]]:
    """The rows of every node of a kernel's tree: a leaf's own, and those of the leaves below."""
    rows: list[set[int]] = [set() for _ in range(len(tree))]
    for row, leaf in enumerate(leaf_of_row):
        node = int(leaf)
        while node >= 0:
            rows[node].add(row)
            node = int(tree.parent[node])
    return [frozenset(some) for some in rows]


def assert_same_tree(tree: Any, leaf_of_row: Any, wanted: Node, rate: float) -> None:
    """Same rows in all nodes, same columns asked, same answers of the leaves.

    Where two columns part the rows alike, either may be asked, and its sides may be swapped.
    """
    rows = rows_of_nodes(tree, leaf_of_row)
    below = [(0, wanted)]
    while below:
        at, node = below.pop()
        assert rows[at] == frozenset(node.rows.tolist())
        first = int(tree.first_child[at])
        if not node.children:
            assert first < 0, f"a split of {len(node.rows)} rows on column {tree.feature[at]} that should not be"
            assert_allclose(tree.value[at, 0], rate * node.answer, rtol=1e-5, atol=1e-8)
            continue
        assert first >= 0, f"no split of {len(node.rows)} rows, gain {node.gain}, {node.test}"
        sides = list(node.children)
        if rows[first] != frozenset(sides[0].rows.tolist()):
            sides.reverse()
        else:
            assert node.test is not None
            assert tree.feature[at] == node.test.feature
        below += [(first, sides[0]), (first + 1, sides[1])]


def assert_same(model: Any, X: Floats, made: Boosted) -> None:
    """Every tree of a fitted model is the reference's, and so are the scores."""
    leaves = model.apply(X)
    assert leaves.shape[1] == len(made.trees)
    for t, wanted in enumerate(made.trees):
        assert_same_tree(model._forest_.tree(t), leaves[:, t], wanted, made.rate)
    scores = model.decision_function(X) if hasattr(model, "classes_") else model.predict(X)
    if made.loss.name == "poisson":
        scores = np.log(scores)
    assert_allclose(scores.reshape(len(X), -1), made.scores[-1], rtol=1e-5, atol=1e-7)


def numbers(seed: int, n: int = 70, p: int = 3) -> tuple[Floats, Floats]:
    """A table of numbers and a target that hangs on it."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return X, X[:, 0] - X[:, 1] * X[:, -1] + 0.5 * rng.normal(size=n)


def weights(seed: int, n: int) -> Floats:
    """Weights of rows. Without them the rows of a class are alike, and many cuts are equally good."""
    return np.random.default_rng(seed + 50).uniform(0.3, 3, n)


def with_holes(X: Floats, seed: int, share: float = 0.2) -> Floats:
    """The same table with values missing."""
    holes = np.random.default_rng(seed + 100).random(X.shape) < share
    return np.where(holes, np.nan, X)


# --------------------------------------------------------------------------------------------------------- settings


@dataclass(frozen=True)
class Case:
    """What both are told, each in its words."""

    name: str
    told: Mapping[str, Any]
    same: Settings
    make: Mapping[str, Any] = field(default_factory=dict)  # holes, weights


CASES = [
    Case("leaf", {}, Settings(min_samples_leaf=5)),
    Case("few_leaves", {"max_leaf_nodes": 4}, Settings(min_samples_leaf=5, max_leaf_nodes=4)),
    Case("shallow", {"max_depth": 2}, Settings(min_samples_leaf=5, max_depth=2)),
    Case("depth", {"growth": "depth", "max_depth": 3}, Settings("depth", max_depth=3, min_samples_leaf=5)),
    Case(
        "best_of_a_depth",
        {"growth": "depth", "max_leaf_nodes": 6},
        Settings("depth", max_leaf_nodes=6, min_samples_leaf=5),
    ),
    Case("oblivious", {"growth": "oblivious", "max_depth": 3}, Settings("oblivious", max_depth=3)),
    Case(
        "oblivious_with_penalties",
        {"growth": "oblivious", "max_depth": 3, "l1_regularization": 0.3, "l2_regularization": 1.5},
        Settings("oblivious", max_depth=3, l1=0.3, l2=1.5),
    ),
    Case(
        "oblivious_few_leaves",
        {"growth": "oblivious", "max_leaf_nodes": 6},
        Settings("oblivious", max_leaf_nodes=6),
    ),
    Case("oblivious_holes", {"growth": "oblivious", "max_depth": 3}, Settings("oblivious", max_depth=3), {"holes": 1}),
    Case("l1", {"l1_regularization": 0.8}, Settings(min_samples_leaf=5, l1=0.8)),
    Case("l2", {"l2_regularization": 2.5}, Settings(min_samples_leaf=5, l2=2.5)),
    Case(
        "l1_and_l2",
        {"l1_regularization": 0.4, "l2_regularization": 1.0, "growth": "depth"},
        Settings("depth", min_samples_leaf=5, l1=0.4, l2=1.0),
    ),
    Case("least_gain", {"min_split_gain": 0.9}, Settings(min_samples_leaf=5, min_gain=0.9)),
    Case("weight_of_a_leaf", {"min_child_weight": 4.0}, Settings(min_samples_leaf=5, min_child_weight=4.0)),
    Case("rows_of_a_leaf", {"min_samples_leaf": 17}, Settings(min_samples_leaf=17)),
    Case("short_steps", {"max_delta_step": 0.35}, Settings(min_samples_leaf=5, max_delta_step=0.35)),
    Case(
        "short_steps_with_l1",
        {"max_delta_step": 0.35, "l1_regularization": 0.4},
        Settings(min_samples_leaf=5, max_delta_step=0.35, l1=0.4),
    ),
    Case(
        "oblivious_short_steps",
        {"growth": "oblivious", "max_depth": 3, "max_delta_step": 2.5},
        Settings("oblivious", max_depth=3, max_delta_step=2.5),
    ),
    Case("holes", {}, Settings(min_samples_leaf=5), {"holes": 1}),
    Case("holes_by_depth", {"growth": "depth"}, Settings("depth", min_samples_leaf=5), {"holes": 1}),
    Case(
        "holes_and_short_steps",
        {"max_delta_step": 0.5, "min_samples_leaf": 4},
        Settings(min_samples_leaf=4, max_delta_step=0.5),
        {"holes": 1},
    ),
    Case("weights", {"l2_regularization": 0.5}, Settings(min_samples_leaf=5, l2=0.5), {"weights": 1}),
    Case(
        "weights_and_holes",
        {"growth": "depth", "max_depth": 4},
        Settings("depth", max_depth=4, min_samples_leaf=5),
        {"weights": 1, "holes": 1},
    ),
    Case(
        "oblivious_weights",
        {"growth": "oblivious", "max_depth": 3},
        Settings("oblivious", max_depth=3),
        {"weights": 1},
    ),
]
# Of two classes, of several, of numbers.
KINDS: dict[str, tuple[type, Loss]] = {
    "squared": (LightGBMRegressor, Loss()),
    "logistic": (LightGBMClassifier, Loss("logistic")),
    "softmax": (LightGBMClassifier, Loss("softmax", classes=3, curvature_factor=1.5)),
}


def target_of(kind: str, y: Floats) -> Floats:
    """Numbers as they are, or as classes."""
    if kind == "softmax":
        return np.searchsorted(np.quantile(y, [0.4, 0.7]), y).astype(float)
    return (y > np.quantile(y, 0.4)).astype(float) if kind == "logistic" else y


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_trees_are_those_of_the_reference(case: Case, kind: str, seed: int) -> None:
    X, number = numbers(seed)
    X = with_holes(X, seed) if "holes" in case.make else X
    y = target_of(kind, number)
    w = weights(seed, len(y)) if "weights" in case.make or kind != "squared" else None
    made, loss = KINDS[kind]
    same = replace(case.same, min_gain=max(case.same.min_gain, LEAST_GAIN))
    told = {"min_child_weight": 0.0, "max_leaf_nodes": None, "min_samples_leaf": 5, **case.told}
    model = made(ROUNDS, learning_rate=RATE, random_state=seed, **told | {"min_split_gain": same.min_gain})
    model.fit(X, y, sample_weight=w)
    wanted = boost(X, y, loss, same, rounds=ROUNDS, rate=RATE, weight=w, start=model.base_score_)
    assert_same(model, X, wanted)


def test_settings_that_hold_back_leave_something_to_compare() -> None:
    """Of numbers or of classes, they change the first tree, and do not leave it without a split."""
    X, number = numbers(0)
    for case in CASES:
        changed = False
        for kind in ("squared", "logistic"):
            y, loss, w = target_of(kind, number), KINDS[kind][1], weights(0, len(number))
            told = Settings(min_samples_leaf=case.same.min_samples_leaf), case.same
            free, held = (leaves_of(boost(X, y, loss, s, rounds=1, weight=w).trees[0]) for s in told)
            assert len(held) > 1, case.name
            changed = changed or [leaf.answer for leaf in free] != [leaf.answer for leaf in held]
        assert changed or replace(case.same, growth="leaf") == told[0], case.name


# ------------------------------------------------------------------------------------------------------------ faces


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("gamma", [LEAST_GAIN, 0.6, 3.0])
@pytest.mark.parametrize("kind", ["squared", "logistic", "softmax"])
def test_xgboost_prunes_from_below(kind: str, gamma: float, seed: int) -> None:
    """Weak splits stay where stronger ones hang below them."""
    X, number = numbers(seed)
    y, w = target_of(kind, number), weights(seed, len(number))
    made = XGBoostRegressor if kind == "squared" else XGBoostClassifier
    model: Any = made(ROUNDS, min_split_gain=gamma, max_depth=4, random_state=seed).fit(X, y, sample_weight=w)
    loss = {
        "squared": Loss(),
        "logistic": Loss("logistic"),
        "softmax": Loss("softmax", classes=3, curvature_factor=2.0),
    }[kind]
    same = Settings("depth", max_depth=4, min_child_weight=1.0, l2=1.0, gamma=gamma)
    wanted = boost(X, y, loss, same, rounds=ROUNDS, rate=0.3, weight=w, start=model.base_score_)
    assert_same(model, X, wanted)


def test_pruning_from_below_keeps_a_weak_split_above_a_strong_one() -> None:
    """Exclusive or: the first split gains nearly nothing, those below it everything."""
    X = np.array([[a + 0.01 * i, b + 0.01 * i] for a in (0, 1) for b in (0, 1) for i in range(5)])
    y = (X[:, 0] > 0.5) ^ (X[:, 1] > 0.5)
    y = y.astype(float) + 0.05 * (X[:, 0] > 0.5)
    model = XGBoostRegressor(1, max_depth=2, min_split_gain=0.5, l2_regularization=0.0).fit(X, y)
    tree = model._forest_.tree(0)
    assert tree.n_leaves == 4
    wanted = boost(X, y, Loss(), Settings("depth", max_depth=2, gamma=0.5, min_child_weight=1.0), rounds=1, rate=0.3)
    assert wanted.trees[0].gain < 0.5
    assert_same(model, X, wanted)


def test_oblivious_trees_are_pruned_by_levels() -> None:
    """The same table: the first level gains next to nothing, the second everything, so both stay."""
    X = np.array([[a + 0.01 * i, b + 0.01 * i] for a in (0, 1) for b in (0, 1) for i in range(5)])
    y = ((X[:, 0] > 0.5) ^ (X[:, 1] > 0.5)) + 0.05 * (X[:, 0] > 0.5)
    told: dict[str, Any] = {"growth": "oblivious", "max_depth": 2, "min_split_gain": 0.5, "l2_regularization": 0.0}
    wanted = boost(X, y, Loss(), Settings("oblivious", max_depth=2, gamma=0.5), rounds=1, rate=0.3)
    assert len(leaves_of(wanted.trees[0])) == 4
    assert_same(XGBoostRegressor(1, **told).fit(X, y), X, wanted)


@pytest.mark.parametrize("made", [LightGBMClassifier, BoostedTreesClassifier])
def test_rows_that_are_alike_are_not_split(made: Any) -> None:
    """Classes that one cut tells apart: each side has equal slopes, of which no split gains anything."""
    X, _ = numbers(0, n=200)
    y = (X[:, 0] > 0).astype(float)
    model = made(1, min_samples_leaf=1, l2_regularization=0, max_features=1.0, random_state=0).fit(X, y)
    wanted = boost(X, y, Loss("logistic"), Settings(max_leaf_nodes=31, min_child_weight=1e-3), rounds=1)
    assert len(leaves_of(wanted.trees[0])) == 2
    assert model._forest_.tree(0).n_leaves == 2


@pytest.mark.parametrize("seed", SEEDS)
def test_boosted_trees_are_those_of_the_reference(seed: int) -> None:
    X, number = numbers(seed, n=160)
    same = Settings(max_leaf_nodes=31, min_samples_leaf=20, min_child_weight=1e-3, l2=3.0)
    told: dict[str, Any] = {
        "min_samples_leaf": 20,
        "l2_regularization": 3.0,
        "max_features": 1.0,
        "subsample": 1.0,
        "learning_rate": 0.1,
        "random_state": 0,
    }
    regressor = BoostedTreesRegressor(ROUNDS, **told).fit(X, number)
    assert_same(regressor, X, boost(X, number, Loss(), same, rounds=ROUNDS, rate=0.1))
    y, w = target_of("logistic", number), weights(seed, len(number))
    classifier = BoostedTreesClassifier(ROUNDS, min_split_gain=LEAST_GAIN, **told).fit(X, y, w)
    same = replace(same, min_gain=LEAST_GAIN)
    wanted = boost(X, y, Loss("logistic"), same, rounds=ROUNDS, rate=0.1, weight=w)
    assert_same(classifier, X, wanted)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("kind", "weighted"),
    [("absolute", True), ("quantile", True), ("huber", False), ("huber", True), ("poisson", False), ("poisson", True)],
)
def test_other_losses_are_those_of_the_reference(kind: str, weighted: bool, seed: int) -> None:
    """Leaves that answer by their residuals take the lower of two values in the middle.

    Slopes of absolute errors and quantiles are all alike but for the weights. A row that the start meets exactly has no
    slope by the reference, and one as if it lay above by the kernel: it is moved up by a trifle.
    """
    X, number = numbers(seed)
    y = np.random.default_rng(seed).poisson(np.exp(0.6 * number)).astype(float) if kind == "poisson" else number
    w = weights(seed, len(y)) if weighted else None
    name: Any = {"absolute": "absolute_error"}.get(kind, kind)
    told: dict[str, Any] = {"quantile": 0.73, "huber_share": 0.8, "min_split_gain": LEAST_GAIN}
    model = LightGBMRegressor(ROUNDS, learning_rate=RATE, loss=name, min_samples_leaf=7, random_state=0, **told)
    model.fit(X, y, sample_weight=w)
    level = {"quantile": 0.73, "huber": 0.8}.get(kind, 0.5)
    loss = Loss(kind, level=level, between="lower", damping=0.7)
    same = Settings(min_samples_leaf=7, max_leaf_nodes=31, min_child_weight=1e-3, min_gain=LEAST_GAIN)
    met = np.where(y == model.base_score_[0], y + 1e-9, y) if kind == "absolute" else y
    wanted = boost(X, met, loss, same, rounds=ROUNDS, rate=RATE, weight=w, start=model.base_score_)
    assert_same(model, X, wanted)


# ------------------------------------------------------------------------------------------------------- categories


def codes(seed: int, levels: int, n: int = 90, holes: bool = False) -> tuple[Floats, Floats]:
    """A column of codes that matters, and one of numbers."""
    rng = np.random.default_rng(seed)
    code = rng.integers(0, levels, n).astype(float)
    code[:levels] = np.arange(levels)
    worth = rng.permutation(np.linspace(-2, 2, levels))
    x = rng.normal(size=n)
    y = worth[code.astype(int)] + 0.4 * x + 0.3 * rng.normal(size=n)
    if holes:
        code[levels::7] = np.nan
    return np.column_stack([code, x]), y


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("holes", [False, True])
@pytest.mark.parametrize("levels", [2, 3, 4, 5, 8, 13])
@pytest.mark.parametrize("kind", ["squared", "logistic"])
def test_categories_are_split_as_the_reference_splits_them(kind: str, levels: int, holes: bool, seed: int) -> None:
    """Up to four one by one, more in the order of their slopes: here also those of few rows."""
    X, number = codes(seed, levels, holes=holes)
    y, w = target_of(kind, number), weights(seed, len(number))
    made, loss = KINDS[kind]
    told = {"min_child_weight": 0.0, "min_samples_leaf": 3, "max_leaf_nodes": 8, "min_split_gain": LEAST_GAIN}
    model = made(ROUNDS, learning_rate=RATE, categorical_features=[0], random_state=0, **told)
    vars(model)["_mechanism"] = lambda d: {"least_category_rows": 1, "category_smooth": 0.5}
    model.fit(X, y, w)
    same = Settings(min_samples_leaf=3, max_leaf_nodes=8, categories=frozenset([0]), min_gain=LEAST_GAIN)
    wanted = boost(X, y, loss, replace(same, category_smooth=0.5), rounds=ROUNDS, rate=RATE, weight=w)
    assert any(node.test is not None and node.test.inside for node in nodes_of(wanted.trees[0]))
    assert_same(model, X, wanted)


@pytest.mark.parametrize("levels", [4, 5, 9])
@pytest.mark.parametrize("holes", [False, True])
def test_categories_of_many_rows_are_split_so_by_default(levels: int, holes: bool) -> None:
    """Each has more rows than an ordered split asks for."""
    X, y = codes(0, levels, n=240 * levels, holes=holes)
    model = LightGBMRegressor(1, learning_rate=RATE, max_leaf_nodes=2, categorical_features=[0]).fit(X, y)
    same = Settings(min_samples_leaf=20, max_leaf_nodes=2, categories=frozenset([0]))
    assert_same(model, X, boost(X, y, Loss(), same, rounds=1, rate=RATE))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("levels", [3, 6])
def test_oblivious_trees_try_categories_one_by_one_or_not_at_all(levels: int, seed: int) -> None:
    X, y = codes(seed, levels)
    told: dict[str, Any] = {"growth": "oblivious", "max_depth": 3, "categorical_features": [0]}
    model = LightGBMRegressor(ROUNDS, learning_rate=RATE, random_state=0, **told).fit(X, y)
    same = Settings("oblivious", max_depth=3, categories=frozenset([0]))
    wanted = boost(X, y, Loss(), same, rounds=ROUNDS, rate=RATE)
    assert_same(model, X, wanted)
    asked = {node.test.feature for node in nodes_of(wanted.trees[0]) if node.test is not None}
    assert asked == ({0, 1} if levels == 3 else {1})


# --------------------------------------------------------------------------------------------------------- monotone


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("direction", [-1, 1])
def test_a_split_of_a_monotone_column_is_the_best_that_keeps_its_direction(direction: int, seed: int) -> None:
    """Of all tests of the reference those whose sides answer in the wrong order do not count."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, 2))
    y = np.sin(3 * X[:, 0]) + 0.3 * X[:, 1] + 0.3 * rng.normal(size=80)
    g, h = y.mean() - y, np.ones(80)
    s = Settings(min_samples_leaf=4, max_depth=1)
    rows = np.arange(80)

    def keeps(test: Any) -> bool:
        left = goes_left(X[:, test.feature], test)
        sides = [node_of(g, h, rows[side], s).answer for side in (left, ~left)]
        return test.feature != 0 or direction * (sides[1] - sides[0]) >= 0

    wanted = best_of([test for test in candidates(X, g, h, rows, s) if keeps(test)])
    assert wanted is not None
    model = LightGBMRegressor(1, max_depth=1, min_samples_leaf=4, monotonic_cst=[direction, 0], random_state=0)
    leaves = model.fit(X, y).apply(X)[:, 0]
    assert model._forest_.tree(0).feature[0] == wanted.feature
    left = goes_left(X[:, wanted.feature], wanted)
    assert set(leaves[left]) == {1}
    assert set(leaves[~left]) == {2}


# ------------------------------------------------------------------------------------------------ between the values


def test_a_threshold_is_between_the_values_that_it_parts() -> None:
    """Of the empty bins between two values of a node half go either way, so any number between may be the cut."""
    X, y = numbers(3)
    model = LightGBMRegressor(1, min_samples_leaf=5, random_state=0).fit(X, y)
    tree = model._forest_.tree(0)
    rows = rows_of_nodes(tree, model.apply(X)[:, 0])
    asked = 0
    for node in range(len(tree)):
        first = int(tree.first_child[node])
        if first < 0:
            continue
        asked += 1
        x = X[:, tree.feature[node]]
        assert x[list(rows[first])].max() <= tree.threshold[node] < x[list(rows[first + 1])].min()
    assert asked > 3


def test_other_rows_go_where_the_threshold_says() -> None:
    """Rows between the bins of the table: bins and values say the same."""
    X, y = numbers(4)
    model = LightGBMRegressor(3, min_samples_leaf=5, random_state=0).fit(X, y)
    other = np.random.default_rng(0).uniform(-4, 4, (500, X.shape[1]))
    scores = np.full(len(other), model.base_score_[0])
    for t in range(3):
        tree = model._forest_.tree(t)
        for i, x in enumerate(other):
            node = 0
            while tree.first_child[node] >= 0:
                node = int(tree.first_child[node]) + int(not x[tree.feature[node]] <= tree.threshold[node])
            scores[i] += tree.value[node, 0]
    assert_allclose(model.predict(other), scores, rtol=1e-14)
