"""The kernel of trees that answer for several targets: beside the reference, beside one target, beside XGBoost."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import xgboost
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from scipy import sparse

from pellucid import _core
from pellucid.models.tree.forest import Forest
from pellucid.reference.gradient_boosting import Loss
from pellucid.reference.second_order_boosting import Settings
from pellucid.reference.vector_boosting import Boosted, Node, boost

Floats = NDArray[np.float64]
ROUNDS, RATE, TARGETS = 2, 0.3, 3
LEAST_GAIN = 1e-3  # nobody is asked whether nothing, rounded, is more than nothing
PLAN: dict[str, Any] = {
    "growth": "leaf",
    "max_leaves": None,
    "max_depth": None,
    "min_rows_leaf": 5,
    "min_weight_leaf": 0.0,
    "min_gain": LEAST_GAIN,
    "learning_rate": RATE,
    "outputs": TARGETS,
    "loss": "squared_error",
    "threads": 1,
}


def matrix_of(X: Any) -> Any:
    """A table as the kernel takes it."""
    if sparse.issparse(X):
        return _core.csr(X.data, X.indices, X.indptr, X.shape[1])
    return _core.dense(np.ascontiguousarray(X))


def binned(
    X: Any, categories: dict[int, int] | None = None, most: int = 255, bundle: bool = False, threads: int = 1
) -> Any:
    """A table in bins, at most so many a column; categories: how many each such column has."""
    sizes = np.zeros(X.shape[1], dtype=np.int32)
    for column, count in (categories or {}).items():
        sizes[column] = count
    return _core.binned_table(matrix_of(X), sizes, None, most, threads, bundle)


def booster(
    X: Any,
    Y: Floats,
    *,
    weight: Floats | None = None,
    held: Any = None,
    start: Floats | None = None,
    bins: Any = None,
    **plan: Any,
) -> Any:
    """A booster of all targets; `plan` changes PLAN."""
    told = PLAN | plan
    bins = binned(X) if bins is None else bins
    return _core.VectorBooster([bins], np.ascontiguousarray(Y), weight, held, None, start, told)


def forest_of(made: Any) -> Forest:
    """The trees that have been grown."""
    return Forest(**made.trees(), n_classes=np.empty(0, dtype=np.int32), criterion="squared_error")


def predicted(made: Any, X: Any) -> Floats:
    """The scores of any rows by the trees as they are kept."""
    forest = forest_of(made)
    return np.asarray(_core.boosted_scores(forest.bound, matrix_of(X), made.start, 0, len(forest), 1))


def table(seed: int, n: int = 50, p: int = 3) -> tuple[Floats, Floats]:
    """Numbers, and targets that hang on them in different ways."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    Y = np.column_stack([X[:, 0] - X[:, 1] * X[:, -1], X[:, 1] + 0.3 * X[:, 0], np.abs(X[:, -1])])
    return X, Y + 0.4 * rng.normal(size=Y.shape)


def with_holes(X: Floats, seed: int, share: float = 0.2) -> Floats:
    """The same table with values missing."""
    return np.where(np.random.default_rng(seed + 100).random(X.shape) < share, np.nan, X)


def weights(seed: int, n: int) -> Floats:
    """Weights of rows: without them rows of a class are alike, and many cuts are equally good."""
    return np.random.default_rng(seed + 50).uniform(0.3, 3, n)


# -------------------------------------------------------------------------------------------------------- reference


def assert_same_tree(tree: Any, leaf_of_row: Any, wanted: Node, rate: float) -> None:
    """Same rows in all nodes, same columns asked, same answers of the leaves for all targets.

    Where two columns part the rows alike, either may be asked, and its sides may be swapped.
    """
    rows: list[set[int]] = [set() for _ in range(len(tree))]
    for row, leaf in enumerate(leaf_of_row):
        at = int(leaf)
        while at >= 0:
            rows[at].add(row)
            at = int(tree.parent[at])
    below = [(0, wanted)]
    while below:
        at, node = below.pop()
        assert rows[at] == set(node.rows.tolist())
        first = int(tree.first_child[at])
        if not node.children:
            assert first < 0, f"a split of {len(node.rows)} rows on column {tree.feature[at]} that should not be"
            assert_allclose(tree.value[at], rate * node.answer, rtol=1e-5, atol=1e-7)
            continue
        assert first >= 0, f"no split of {len(node.rows)} rows, gain {node.gain}, {node.test}"
        sides = list(node.children)
        if rows[first] != set(sides[0].rows.tolist()):
            sides.reverse()
        else:
            assert node.test is not None
            assert tree.feature[at] == node.test.feature
        below += [(first, sides[0]), (first + 1, sides[1])]


def assert_same(made: Any, X: Floats, wanted: Boosted) -> None:
    """Every tree is the reference's, and so are the scores."""
    forest = forest_of(made)
    leaves = forest.apply(matrix_of(X), 1)
    assert len(forest) == len(wanted.trees)
    assert any(tree.children for tree in wanted.trees)
    for t, tree in enumerate(wanted.trees):
        assert_same_tree(forest.tree(t), leaves[:, t], tree, wanted.rate)
    assert_allclose(made.scores(), wanted.scores[-1], rtol=1e-5, atol=1e-6)
    assert_allclose(predicted(made, X), made.scores(), rtol=1e-12, atol=1e-12)


FIVE = Settings(min_samples_leaf=5)
CASES: dict[str, tuple[dict[str, Any], Settings]] = {
    "leaf": ({}, FIVE),
    "few_leaves": ({"max_leaves": 4}, replace(FIVE, max_leaf_nodes=4)),
    "shallow": ({"max_depth": 2}, replace(FIVE, max_depth=2)),
    "depth": ({"growth": "depth", "max_depth": 3}, replace(FIVE, growth="depth", max_depth=3)),
    "best_of_a_depth": ({"growth": "depth", "max_leaves": 6}, replace(FIVE, growth="depth", max_leaf_nodes=6)),
    "oblivious": ({"growth": "oblivious", "max_depth": 3}, Settings("oblivious", max_depth=3)),
    "oblivious_with_penalties": (
        {"growth": "oblivious", "max_depth": 3, "l1": 0.3, "l2": 1.5},
        Settings("oblivious", max_depth=3, l1=0.3, l2=1.5),
    ),
    "oblivious_few_leaves": ({"growth": "oblivious", "max_leaves": 6}, Settings("oblivious", max_leaf_nodes=6)),
    "l1": ({"l1": 0.8}, replace(FIVE, l1=0.8)),
    "l2": ({"l2": 2.5}, replace(FIVE, l2=2.5)),
    "least_gain": ({"min_gain": 1.5}, replace(FIVE, min_gain=1.5)),
    "weight_of_a_leaf": ({"min_weight_leaf": 3.0}, replace(FIVE, min_child_weight=3.0)),
    "rows_of_a_leaf": ({"min_rows_leaf": 17}, Settings(min_samples_leaf=17)),
    "short_steps": ({"max_step": 0.35, "l1": 0.4}, replace(FIVE, max_delta_step=0.35, l1=0.4)),
    "oblivious_short_steps": (
        {"growth": "oblivious", "max_depth": 3, "max_step": 0.8},
        Settings("oblivious", max_depth=3, max_delta_step=0.8),
    ),
    "pruned": (
        {"growth": "depth", "max_depth": 4, "prune": True, "min_gain": 1.5},
        replace(FIVE, growth="depth", max_depth=4, gamma=1.5),
    ),
    "oblivious_pruned": (
        {"growth": "oblivious", "max_depth": 4, "prune": True, "min_gain": 6.0},
        Settings("oblivious", max_depth=4, gamma=6.0),
    ),
}
KINDS: dict[str, tuple[dict[str, Any], Loss]] = {
    "squared": ({"loss": "squared_error"}, Loss()),
    "logistic": ({"loss": "logistic"}, Loss("logistic")),
    "softmax": (
        {"loss": "softmax", "curvature_factor": 1.5},
        Loss("softmax", classes=TARGETS, curvature_factor=1.5),
    ),
}


def targets_of(kind: str, Y: Floats) -> Floats:
    """Numbers as they are, each above its median or not, or which of the targets is greatest."""
    if kind == "softmax":
        return np.asarray(Y.argmax(axis=1)[:, None], dtype=np.float64)
    if kind == "logistic":
        return np.asarray(np.median(Y, axis=0) < Y, dtype=np.float64)
    return Y


# Each case with each kind, each with holes and without; all three crossed count as exhaustive.
CROSSED = [
    pytest.param(case, kind, holes, marks=[pytest.mark.exhaustive] if (i + j + holes) % 2 else [])
    for i, case in enumerate(CASES)
    for j, kind in enumerate(KINDS)
    for holes in (False, True)
]


@pytest.mark.parametrize(("case", "kind", "holes"), CROSSED)
def test_trees_are_those_of_the_reference(case: str, kind: str, holes: bool) -> None:
    seed = list(CASES).index(case)
    X, number = table(seed)
    X = with_holes(X, seed) if holes else X
    Y, w = targets_of(kind, number), None if kind == "squared" else weights(seed, len(X))
    told, same = CASES[case]
    loss, wanted_loss = KINDS[kind]
    least = 0.0 if "prune" in told else max(same.min_gain, LEAST_GAIN)
    made = booster(X, Y, weight=w, **{"min_gain": least} | told | loss)
    made.grow(ROUNDS)
    same = replace(same, min_gain=least)
    assert_same(made, X, boost(X, Y, wanted_loss, same, rounds=ROUNDS, rate=RATE, weight=w, start=made.start))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["absolute", "quantile", "huber", "poisson"])
def test_other_losses_are_those_of_the_reference(kind: str, weighted: bool) -> None:
    """Leaves that answer by their residuals take the lower of two values in the middle."""
    X, Y = table(4)
    Y = np.random.default_rng(0).poisson(np.exp(0.5 * Y)).astype(float) if kind == "poisson" else Y
    w = weights(4, len(X)) if weighted else None
    level = {"quantile": 0.73, "huber": 0.8}.get(kind, 0.5)
    start = np.array([0.123, -0.234, 0.345])
    name = {"absolute": "absolute_error"}.get(kind, kind)
    made = booster(X, Y, weight=w, start=start, loss=name, level=level, max_leaves=6, min_rows_leaf=7)
    made.grow(ROUNDS)
    loss = Loss(kind, level=level, between="lower", damping=0.7)
    same = Settings(min_samples_leaf=7, max_leaf_nodes=6, min_gain=LEAST_GAIN)
    assert_same(made, X, boost(X, Y, loss, same, rounds=ROUNDS, rate=RATE, weight=w, start=start))


def codes(seed: int, levels: int, holes: bool) -> tuple[Floats, Floats]:
    """A column of codes that matters to each target in its own way, and one of numbers."""
    rng = np.random.default_rng(seed)
    code = rng.integers(0, levels, 120).astype(float)
    code[:levels] = np.arange(levels)
    x = rng.normal(size=120)
    Y = rng.normal(size=(levels, TARGETS))[code.astype(int)] * [2, 1, 0.5]
    Y = Y + 0.4 * x[:, None] + 0.3 * rng.normal(size=(120, TARGETS))
    if holes:
        code[levels::7] = np.nan
    return np.column_stack([code, x]), Y


@pytest.mark.parametrize("holes", [False, True])
@pytest.mark.parametrize("levels", [2, 4, 5, 8, 13])
@pytest.mark.parametrize("kind", ["squared", "logistic"])
def test_categories_are_split_as_the_reference_splits_them(kind: str, levels: int, holes: bool) -> None:
    """Up to four one by one, more along the direction in which they spread most."""
    X, number = codes(levels, levels, holes)
    Y, w = targets_of(kind, number), weights(levels, len(number))
    told = {"min_rows_leaf": 3, "max_leaves": 8, "least_category_rows": 1, "category_smooth": 0.5, "category_l2": 2.0}
    made = booster(X, Y, weight=w, bins=binned(X, {0: levels}), **told | KINDS[kind][0])
    made.grow(ROUNDS)
    same = Settings(min_samples_leaf=3, max_leaf_nodes=8, categories=frozenset([0]), min_gain=LEAST_GAIN)
    same = replace(same, category_smooth=0.5, category_l2=2.0)
    wanted = boost(X, Y, KINDS[kind][1], same, rounds=ROUNDS, rate=RATE, weight=w, start=made.start)
    assert wanted.trees[0].test is not None
    assert wanted.trees[0].test.inside
    assert_same(made, X, wanted)


@pytest.mark.parametrize("holes", [False, True])
def test_oblivious_trees_try_few_categories_one_by_one(holes: bool) -> None:
    X, Y = codes(3, 3, holes)
    made = booster(X, Y, bins=binned(X, {0: 3}), growth="oblivious", max_depth=3)
    made.grow(ROUNDS)
    same = Settings("oblivious", max_depth=3, categories=frozenset([0]), min_gain=LEAST_GAIN)
    assert_same(made, X, boost(X, Y, Loss(), same, rounds=ROUNDS, rate=RATE, start=made.start))


# ------------------------------------------------------------------------------------------------------- one target


WAYS: dict[str, dict[str, Any]] = {
    "leaf": {"max_leaves": 12},
    "depth": {"growth": "depth", "max_depth": 5, "l1": 0.1, "l2": 0.5},
    "oblivious": {"growth": "oblivious", "max_depth": 4},
    "pruned": {"growth": "depth", "max_depth": 6, "prune": True, "min_gain": 2.0},
    "short_steps": {"max_leaves": 12, "max_step": 0.2},
    "uniform": {"max_leaves": 12, "draw": "share", "share": 0.6},
    "bernoulli": {"max_leaves": 12, "draw": "bernoulli", "share": 0.6},
    "goss": {"max_leaves": 12, "draw": "goss"},
    "mvs": {"max_leaves": 12, "draw": "mvs", "share": 0.4},
    "bayesian": {"max_leaves": 12, "draw": "bayesian"},
    "columns": {"max_leaves": 12, "columns_by_tree": 0.8, "columns_by_level": 0.7, "columns_by_node": 0.6},
}


def mixed_table(n: int, seed: int = 0) -> tuple[Floats, Floats]:
    """Numbers, a column of three codes and one of nine, all with holes, and three targets."""
    rng = np.random.default_rng(seed)
    X = with_holes(rng.normal(size=(n, 6)), seed, 0.1)
    few, many = rng.integers(0, 3, n), rng.integers(0, 9, n)
    X[:, 4], X[:, 5] = few, many
    X[::11, 4] = X[::13, 5] = np.nan
    worth = rng.normal(size=(9, TARGETS))
    Y = worth[many] + np.nan_to_num(X[:, :3]) + 0.5 * (few == 1)[:, None] + 0.5 * rng.normal(size=(n, TARGETS))
    return X, Y


MIXED = {4: 3, 5: 9}


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "huber", "logistic"])
@pytest.mark.parametrize("way", WAYS)
def test_one_target_grows_the_trees_of_the_booster_of_one(way: str, loss: str) -> None:
    """Not a bit is different, where that one sums in floating point too."""
    X, Y = mixed_table(900)
    y = (Y[:, 0] > 0).astype(float) if loss == "logistic" else Y[:, 0].copy()
    held = (np.arange(len(y)) % 7 == 0).astype(np.uint8)
    told = PLAN | WAYS[way] | {"loss": loss, "outputs": 1, "seed": 3, "min_rows_leaf": 20, "floats": True}
    bins, w = binned(X, MIXED), weights(0, len(y))
    vector = _core.VectorBooster([bins], y[:, None].copy(), w, held, None, None, told)
    single = _core.Booster([bins], y, w, held, None, None, told)
    for made in (vector, single):
        made.grow(4)
    assert_array_equal(vector.start, single.start)
    assert_array_equal(vector.scores(), single.scores())
    assert vector.mean_loss(held=True) == single.mean_loss(held=True)
    ours, theirs = vector.trees(), single.trees()
    for name in theirs:
        assert_array_equal(ours[name], theirs[name], err_msg=name)


def test_a_target_written_down_twice_grows_the_trees_of_one() -> None:
    X, Y = table(1)
    one, two = (booster(X, np.tile(Y[:, :1], times), outputs=times, min_gain=LEAST_GAIN * times) for times in (1, 2))
    for made in (one, two):
        made.grow(3)
    assert_allclose(two.scores(), np.tile(one.scores(), 2), rtol=1e-12)


# ---------------------------------------------------------------------------------------------------------- threads


@pytest.mark.parametrize("loss", ["squared_error", "softmax"])
@pytest.mark.parametrize("way", WAYS)
def test_threads_change_no_bit(way: str, loss: str) -> None:
    """And the trees that are kept say of all rows, drawn or not, with values missing or not, what the scores say."""
    X, Y = mixed_table(40_000)
    Y = targets_of("softmax", Y) if loss == "softmax" else Y
    found = []
    for threads in (1, 2, 3):
        bins = binned(X, MIXED, threads=threads)
        made = booster(X, Y, bins=bins, **WAYS[way] | {"loss": loss, "threads": threads, "min_rows_leaf": 20})
        made.grow(2)
        trees = made.trees()
        found.append([made.scores().tobytes(), *(np.asarray(trees[name]).tobytes() for name in trees)])
    assert found[0] == found[1] == found[2]
    assert_allclose(predicted(made, X), made.scores(), rtol=1e-12, atol=1e-12)


def test_threads_change_no_bit_of_a_long_table() -> None:
    """Longer than what is counted in one go."""
    X, Y = table(0, n=300_000)
    found = []
    for threads in (1, 2, 3):
        made = booster(X, Y, bins=binned(X, threads=threads), max_leaves=8, threads=threads)
        made.grow(1)
        found.append(made.scores().tobytes())
    assert found[0] == found[1] == found[2]
    tree = forest_of(made).tree(0)
    residual = Y - Y.mean(axis=0)
    leaf = forest_of(made).apply(matrix_of(X), 1)[:, 0]
    for node in np.unique(leaf):
        assert_allclose(tree.value[node], RATE * residual[leaf == node].mean(axis=0), rtol=1e-4, atol=1e-6)


# --------------------------------------------------------------------------------------------------------- storages


@pytest.mark.parametrize("growth", ["leaf", "depth", "oblivious"])
def test_the_storages_of_a_table_grow_the_same_trees(growth: str) -> None:
    """Twelve columns of which a row has one that is not 0, and two that are full."""
    rng = np.random.default_rng(0)
    n, X = 600, np.zeros((600, 14))
    X[np.arange(n), rng.integers(0, 12, n)] = np.where(rng.random(n) < 0.1, np.nan, np.round(rng.normal(size=n), 1))
    X[:, 12:] = rng.normal(size=(n, 2))
    Y = np.nan_to_num(X) @ rng.normal(size=(14, TARGETS)) + 0.3 * rng.normal(size=(n, TARGETS))
    tables = {
        "dense": binned(X, most=60),
        "bundled": binned(X, most=60, bundle=True),
        "sparse": binned(sparse.csr_matrix(X), most=60),
    }
    scores = {}
    for name, bins in tables.items():
        assert bins.storage == name
        made = booster(X, Y, bins=bins, growth=growth, max_leaves=8, max_depth=3)
        made.grow(3)
        scores[name] = made.scores()
    assert_allclose(scores["sparse"], scores["dense"], rtol=1e-9, atol=1e-9)
    assert_allclose(scores["bundled"], scores["dense"], rtol=1e-9, atol=1e-9)


# ------------------------------------------------------------------------------------------------------------- rows


def test_rows_held_out_get_scores_and_teach_nothing() -> None:
    X, Y = mixed_table(500)
    held = (np.arange(500) % 4 == 0).astype(np.uint8)
    changed = np.where(held[:, None] == 1, 7.0, Y)
    a, b = (booster(X, some, held=held, bins=binned(X, MIXED), max_leaves=8) for some in (Y, changed))
    for made in (a, b):
        made.grow(4)
        assert_allclose(predicted(made, X), made.scores(), rtol=1e-12)
    assert_array_equal(a.scores(), b.scores())
    out = held == 1
    assert a.mean_loss() == pytest.approx(((Y - a.scores())[~out] ** 2).mean() / 2)
    assert a.mean_loss(held=True) == pytest.approx(((Y - a.scores())[out] ** 2).mean() / 2)


def test_a_weight_counts_like_rows_written_down_as_often() -> None:
    X, Y = table(2)
    times = np.random.default_rng(0).integers(0, 4, len(X))
    made = booster(X, Y, weight=times.astype(float), min_rows_leaf=1, max_leaves=6)
    rows = np.repeat(np.arange(len(X)), times)
    again = booster(X[rows], Y[rows], min_rows_leaf=1, max_leaves=6)
    for one in (made, again):
        one.grow(3)
    assert_allclose(made.scores()[rows], again.scores(), rtol=1e-5, atol=1e-6)


def test_rounds_may_be_taken_up_again() -> None:
    X, Y = mixed_table(400)
    bins = binned(X, MIXED)
    told: dict[str, Any] = {"max_leaves": 8, "draw": "share", "share": 0.7, "seed": 5}
    whole, first = booster(X, Y, bins=bins, **told), booster(X, Y, bins=bins, **told)
    whole.grow(5)
    first.grow(2)
    rest = booster(X, Y, bins=bins, start=first.start, **told)
    rest.resume(np.ascontiguousarray(first.scores()), 2)
    rest.grow(3)
    assert rest.rounds == whole.rounds == 5
    assert_array_equal(rest.scores(), whole.scores())
    assert len(forest_of(rest)) == 3


def test_rows_that_are_watched_have_the_scores_of_the_trees() -> None:
    X, Y = table(0)
    other = table(9)[0]
    made = booster(X, Y, max_leaves=6)
    made.watch(matrix_of(other))
    assert_array_equal(made.watched(1), np.tile(made.start, (len(other), 1)))
    made.grow(2)
    made.watched(1)
    made.grow(1)
    assert_allclose(made.watched(1), predicted(made, other), rtol=1e-12)


def test_slopes_may_be_given() -> None:
    """Those of squared errors grow the trees of squared errors."""
    X, Y = table(0)
    told, given = booster(X, Y, max_leaves=6), booster(X, Y, max_leaves=6)
    told.grow(3)
    for _ in range(3):
        given.grow_on(given.scores() - Y, np.ones_like(Y))
    assert_allclose(given.scores(), told.scores(), rtol=1e-12)


def test_monotone_columns_and_other_numbers_of_targets_are_refused() -> None:
    X, Y = table(0)
    signs = np.array([1, 0, 0], dtype=np.int8)
    with pytest.raises(RuntimeError, match="monotone columns are for one target"):
        _core.VectorBooster([binned(X)], Y, None, None, signs, None, PLAN)  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match="targets"):
        booster(X, Y, outputs=2)
    with pytest.raises(RuntimeError, match="targets"):
        booster(X, Y, loss="softmax")


# ---------------------------------------------------------------------------------------------------------- figures


@pytest.mark.parametrize("loss", ["squared_error", "logistic"])
def test_figures_of_the_nodes(loss: str) -> None:
    """A node weighs the mean of its targets' curvatures; what a split lowers of weight times impurity is its gain."""
    X, Y = table(0)
    Y = targets_of("logistic", Y) if loss == "logistic" else Y
    made = booster(X, Y, loss=loss, start=np.zeros(TARGETS), max_leaves=6)
    made.grow(1)
    tree = forest_of(made).tree(0)
    assert tree.weight[0] == pytest.approx(len(X) * (0.25 if loss == "logistic" else 1.0))
    gains = np.zeros(X.shape[1])
    for node in np.flatnonzero(tree.first_child >= 0):
        sides = [tree.first_child[node], tree.first_child[node] + 1]
        lowered = tree.weight[node] * tree.impurity[node] - sum(tree.weight[i] * tree.impurity[i] for i in sides)
        gains[tree.feature[node]] += lowered
    assert_allclose(made.trees()["importance"][0], gains, rtol=1e-6)


# ------------------------------------------------------------------------------------------------------------- peer


@pytest.mark.parametrize("holes", [False, True])
@pytest.mark.parametrize(
    "told",
    [{"max_depth": 3}, {"max_depth": 6}, {"max_depth": 4, "reg_alpha": 0.7}, {"max_depth": 4, "reg_lambda": 3.0}],
    ids=str,
)
def test_trees_are_those_of_xgboost(told: dict[str, Any], holes: bool) -> None:
    """Its trees of many outputs, of squared errors, where each value has a bin of its own."""
    X, Y = table(0, n=200)
    X = with_holes(X, 0, 0.1) if holes else X
    many = {"multi_strategy": "multi_output_tree", "tree_method": "hist", "base_score": 0.0, "max_bin": 512}
    peer = xgboost.XGBRegressor(n_estimators=8, learning_rate=RATE, n_jobs=1, **many, **told).fit(X, Y)
    plan: dict[str, Any] = {"growth": "depth", "min_rows_leaf": 1, "min_weight_leaf": 1.0, "min_gain": 1e-6}
    plan |= {"l1": told.get("reg_alpha", 0.0), "l2": told.get("reg_lambda", 1.0), "max_depth": told["max_depth"]}
    made = booster(X, Y, start=np.zeros(TARGETS), **plan)
    made.grow(8)
    assert_allclose(made.scores(), peer.predict(X), rtol=1e-4, atol=1e-5)


def test_trees_of_classes_are_those_of_xgboost() -> None:
    """Its curvature of the softmax is 2 p (1 - p)."""
    X, Y = table(0, n=200)
    label = targets_of("softmax", Y)
    many: dict[str, Any] = {"multi_strategy": "multi_output_tree", "tree_method": "hist", "max_bin": 512}
    peer = xgboost.XGBClassifier(n_estimators=5, max_depth=4, learning_rate=RATE, min_child_weight=0, n_jobs=1, **many)
    peer.fit(X, label[:, 0], base_margin=np.zeros((200, TARGETS)))
    plan: dict[str, Any] = {
        "growth": "depth",
        "max_depth": 4,
        "min_rows_leaf": 1,
        "l2": 1.0,
        "min_gain": 1e-6,
        "loss": "softmax",
    }
    made = booster(X, label, start=np.zeros(TARGETS), curvature_factor=2.0, **plan)
    made.grow(5)
    rows = xgboost.DMatrix(X, base_margin=np.zeros((200, TARGETS)))
    margin = peer.get_booster().predict(rows, output_margin=True)
    assert_allclose(made.scores(), margin, rtol=1e-4, atol=1e-5)
