"""CHAID: kernel against reference on random tables, statistics against SciPy, and odd data."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats
from scipy.special import stdtr

from pellucid import _core
from pellucid.base.errors import DataError, ParameterError
from pellucid.models.tree.coded import interval_edges
from pellucid.models.tree.nodes import STOP, NodeTest, TreeNodes
from pellucid.models.tree.words import Words
from pellucid.reference import chaid as reference
from pellucid.tree import CHAIDClassifier, CHAIDRegressor

# ------------------------------------------------------------------------------------------------ kernel and reference


def draw(seed: int, rows: int = 120) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Two columns of categories and two of numbers, some missing; a target of classes, one of numbers; weights."""
    rng = np.random.default_rng(seed)
    X = np.column_stack(
        [rng.integers(0, 5, rows), rng.integers(0, 4, rows), rng.integers(0, 6, rows), rng.normal(size=rows)]
    ).astype(float)
    signal = np.where(X[:, 0] > 2, 1.0, 0.0) + 0.8 * X[:, 2] + X[:, 3]
    X[rng.random(X.shape) < 0.08] = np.nan
    noise = rng.normal(size=rows)
    labels = np.digitize(signal + noise, [1.5, 3.5])
    return X, labels, signal + noise, rng.uniform(0.5, 3, rows)


def as_columns(X: np.ndarray, weight: np.ndarray | None, most: int) -> list[np.ndarray]:
    """What the reference reads: the first two columns are codes, the others intervals."""
    found = [np.where(np.isnan(X[:, j]), -1, X[:, j]).astype(int) for j in (0, 1)]
    for j in (2, 3):
        edges = reference.interval_edges(X[:, j], most, weight)
        found.append(np.where(np.isnan(X[:, j]), -1, np.searchsorted(edges, X[:, j], side="left")))
    return found


def same_tree(model: Any, node: reference.Node, at: int, scale: float = 1.0) -> None:
    """The same columns, groups of rows, statistics and answers, node by node."""
    tree, splits = model.tree_, model.splits_
    assert tree.n_rows[at] == len(node.rows)
    np.testing.assert_allclose(tree.value[at], node.value, rtol=1e-9)
    if node.grouping is not None:
        assert splits.column[at] == node.column
        assert splits.groups[at] == len(node.grouping.groups)
        np.testing.assert_allclose(splits.statistic[at], node.grouping.tested.statistic, rtol=1e-8)
        np.testing.assert_allclose(splits.p_value[at], node.grouping.tested.p, rtol=1e-7)
        np.testing.assert_allclose(splits.adjusted_p_value[at], node.grouping.adjusted, rtol=1e-7)
    assert tree.n_children[at] == len(node.children)
    for child, number in zip(node.children, tree.children(at), strict=True):
        same_tree(model, child, number)


SETTINGS: list[dict[str, Any]] = [
    {},
    {"exhaustive": True},
    {"alpha_merge": 0.4, "alpha_split": 0.4, "alpha_split_merged": 0.2},
    {"merge": False, "choose_by": "statistic", "alpha_split": 1.0, "max_depth": 2},
    {"alpha_merge": 0.5, "alpha_split": 0.9, "min_samples_leaf": 9, "min_samples_split": 30, "bonferroni": False},
    {"statistic": "likelihood_ratio", "alpha_split": 0.5},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda one: ",".join(one) or "defaults")
@pytest.mark.parametrize("target", ["classes", "numbers"])
def test_the_kernel_grows_the_tree_of_the_reference(settings: dict[str, Any], target: str) -> None:
    told = dict(settings)
    names = {"choose_by": "by_statistic", "statistic": "likelihood_ratio"}
    rule = reference.Rule(**{names.get(k, k): True if k in names else v for k, v in settings.items()})
    if target == "numbers":
        told.pop("statistic", None)
    for seed in range(2):
        X, labels, numbers, weight = draw(seed)
        weight = weight if seed % 2 or "alpha_split_merged" in settings else None
        columns = as_columns(X, weight, 5)
        ordinal = [False, False, True, True]
        if target == "classes":
            model: Any = CHAIDClassifier(categorical_features=[0, 1], n_intervals=5, **told).fit(X, labels, weight)
            wanted = reference.grow(columns, labels, ordinal, 3, weight, rule)
        else:
            model = CHAIDRegressor(categorical_features=[0, 1], n_intervals=5, **told).fit(X, numbers, weight)
            wanted = reference.grow(columns, numbers, ordinal, 0, weight, rule)
        same_tree(model, wanted, 0)
        ends = model.apply(X)  # rows of the fit end where the fit put them
        assert (
            np.bincount(ends, minlength=len(model.tree_)).tolist()
            == (model.tree_.n_rows * model.tree_.is_leaf).tolist()
        )


def test_intervals_of_the_reference() -> None:
    rng = np.random.default_rng(3)
    for n, levels in ((50, 8), (200, 1000), (31, 40)):
        x = rng.integers(0, levels, n) / 7
        x[rng.random(n) < 0.1] = np.nan
        for weight in (None, rng.integers(1, 4, n).astype(float)):
            np.testing.assert_array_equal(interval_edges(x, 6, weight), reference.interval_edges(x, 6, weight))
    assert interval_edges(np.array([1e308, -1e308]), 5).tolist() == [0.0]
    assert interval_edges(np.array([np.nan, 2.0]), 5).size == 0


# ----------------------------------------------------------------------------------------------------------- statistics


def test_tails_are_scipys() -> None:
    rng = np.random.default_rng(0)
    for x, df in zip(rng.exponential(20, 200), rng.integers(1, 60, 200), strict=True):
        assert math.isclose(_core.log_chi_squared_tail(x, df), stats.chi2.logsf(x, df), rel_tol=1e-9, abs_tol=1e-13)
        assert math.isclose(
            reference.log_chi_squared_tail(x, int(df)), stats.chi2.logsf(x, df), rel_tol=1e-9, abs_tol=1e-13
        )
        f, df2 = x / 10, 1 + 50 * rng.random()
        assert math.isclose(_core.log_f_tail(f, df, df2), stats.f.logsf(f, df, df2), rel_tol=1e-9, abs_tol=1e-13)
        assert math.isclose(reference.log_f_tail(f, df, df2), stats.f.logsf(f, df, df2), rel_tol=1e-9, abs_tol=1e-13)
    for side in (_core, reference):
        # far out, where p itself is 0: two-sided t of one degree between, e^{-x/2} of two degrees, and of F's
        assert math.isclose(side.log_chi_squared_tail(20_000, 2), -10_000, rel_tol=1e-14)
        assert math.isclose(side.log_f_tail(25.0, 1, 30), math.log(2 * stdtr(30, -5.0)), rel_tol=1e-12)
        assert math.isclose(side.log_f_tail(1e9, 2, 1000), -500 * math.log1p(2e6), rel_tol=1e-14)
    for x, df in ((3_000.0, 7), (30_000.0, 2_001), (90_000.0, 40), (900.0, 1_801), (51.0, 1), (49.0, 1)):
        ours, theirs = _core.log_chi_squared_tail(x, df), reference.log_chi_squared_tail(x, df)
        assert math.isclose(ours, theirs, rel_tol=1e-12, abs_tol=1e-13)
    for f, df, df2 in ((4_000.0, 3, 2_996.0), (1e12, 7, 500.5), (1.01, 900, 3_000.0), (1e308, 30, 4.0)):
        assert math.isclose(reference.log_f_tail(f, df, df2), _core.log_f_tail(f, df, df2), rel_tol=1e-11)


def test_multipliers() -> None:
    assert [reference.ways_to_merge(4, r) for r in (1, 2, 3, 4)] == [1, 7, 6, 1]  # partitions of four things
    assert [reference.ways_to_merge(4, r, ordinal=True) for r in (1, 2, 3, 4)] == [1, 3, 3, 1]
    assert [reference.ways_to_merge(4, r, ordinal=True, floating=True) for r in (2, 3, 4)] == [5, 5, 1]
    assert reference.ways_to_merge(5, 2, exhaustive=True) == 5 * 24 // 6
    assert reference.ways_to_merge(5, 2, ordinal=True, exhaustive=True) == 10
    for ordinal, floating in ((False, None), (True, None), (True, 5)):  # pairs looked at, from six groups to two
        groups, looked = [[c] for c in range(6)], 0
        while len(groups) > 1:
            looked += len(list(reference._pairs(groups, ordinal, floating)))
            groups = [groups[0] + groups[1], *groups[2:]]
        assert reference.ways_to_merge(6, 2, ordinal, floating is not None, exhaustive=True) == looked
    for n, k in ((12, 5), (40, 38), (300, 4)):
        assert math.isclose(_core.log_stirling(n, k), math.log(reference.ways_to_merge(n, k)), rel_tol=1e-12)


def test_the_root_of_a_plain_table_is_scipys_test() -> None:
    rng = np.random.default_rng(1)
    codes, y = rng.integers(0, 4, 200), rng.integers(0, 3, 200)
    y = np.where(codes == 1, 0, y)
    table = np.array([[np.sum((codes == c) & (y == k)) for k in range(3)] for c in range(4)])
    for statistic, wanted in (("pearson", "pearson"), ("likelihood_ratio", "log-likelihood")):
        model = CHAIDClassifier(merge=False, categorical_features=[0], statistic=statistic).fit(codes[:, None], y)
        found = stats.chi2_contingency(table, correction=False, lambda_=wanted)
        assert math.isclose(model.splits_.statistic[0], found.statistic, rel_tol=1e-12)
        assert model.splits_.df1[0] == found.dof
        assert math.isclose(model.splits_.p_value[0], found.pvalue, rel_tol=1e-9)
    numbers = rng.normal(size=200) + codes
    model = CHAIDRegressor(merge=False, categorical_features=[0], max_depth=1).fit(codes[:, None], numbers)
    f, p = stats.f_oneway(*(numbers[codes == c] for c in range(4)))
    assert math.isclose(model.splits_.statistic[0], f, rel_tol=1e-12)
    assert math.isclose(model.splits_.p_value[0], p, rel_tol=1e-9)


# ---------------------------------------------------------------------------------------------------- what trees say


def test_missing_values_float() -> None:
    """Missing ones that are like the high numbers go with them, those like no others have a branch of their own."""
    x = np.repeat([1.0, 2.0, 3.0, 4.0, np.nan], 40)
    with_high = np.repeat([0, 0, 1, 1, 1], 40)
    model = CHAIDClassifier().fit(x[:, None], with_high)
    tree = model.tree_
    assert tree.cuts_of(0).tolist() == [2.5]
    assert tree.missing_child[0] == 1
    assert Words(["x"]).condition(tree, 0, 1) == "x > 2.5 or missing"
    apart = CHAIDClassifier().fit(x[:, None], np.repeat([0, 0, 1, 1, 2], 40))
    assert apart.predict([[np.nan], [9.0], [0.0]]).tolist() == [2, 1, 0]
    words = [Words(["x"]).condition(apart.tree_, 0, b) for b in range(3)]
    assert words == ["x <= 2.5", "x > 2.5", "x is missing"]
    alone = CHAIDClassifier().fit(x[:, None], np.repeat([0, 0, 0, 0, 1], 40))
    assert [Words(["x"]).answer(alone.tree_, 0, b) for b in range(2)] == ["not missing", "missing"]
    assert alone.predict([[np.nan], [7.0]]).tolist() == [1, 0]
    assert CHAIDClassifier().fit(x[:160, None], with_high[:160]).tree_.missing_child[0] == STOP


def test_missing_categories_are_a_category() -> None:
    X = pd.DataFrame({"color": ["red"] * 20 + ["blue"] * 20 + [None] * 20})
    model = CHAIDClassifier().fit(X, [0] * 20 + [1] * 20 + [1] * 20)
    assert model.tree_.n_children[0] == 2
    said = [Words(["color"], model.schema_.categories).condition(model.tree_, 0, b) for b in range(2)]
    assert said == ["color in {blue, missing}", "color = red"]
    assert model.predict(pd.DataFrame({"color": [None, "red", "green"]})).tolist() == [1, 0, 1]


def test_an_order_lets_neighbors_merge_only() -> None:
    sizes = ["small", "medium", "large"]
    X = pd.DataFrame({"size": np.repeat(sizes, 30)})
    y = np.repeat([0, 1, 0], 30)
    free = CHAIDClassifier().fit(X, y)
    assert free.splits_.groups[0] == 2
    for told in (
        CHAIDClassifier(category_order={"size": sizes}).fit(X, y),
        CHAIDClassifier().fit(X.astype(pd.CategoricalDtype(sizes, ordered=True)), y),
        CHAIDClassifier().fit(pl.DataFrame({"size": pl.Series(X["size"].tolist(), dtype=pl.Enum(sizes))}), y),
    ):
        assert told.splits_.groups[0] == 3
        assert told.predict(pd.DataFrame({"size": sizes})).tolist() == [0, 1, 0]


def test_many_categories_without_order() -> None:
    """Beyond max_categories neighbors in the order of the target are compared: as good where two groups are clear."""
    rng = np.random.default_rng(5)
    codes = np.tile(np.arange(700), 8)
    y = (codes % 2) ^ (rng.random(len(codes)) < 0.05)
    model = CHAIDClassifier(categorical_features=[0], max_categories=50, alpha_merge=1e-4).fit(codes[:, None], y)
    assert model.score(codes[:, None], y) > 0.93
    assert model.tree_.n_children[0] < 8
    names = np.array([f"n{i}" for i in range(5000)], dtype=object)[:, None]
    assert CHAIDRegressor().fit(names, rng.normal(size=5000)).get_depth() == 0  # a name for each row tells nothing


@pytest.mark.parametrize("settings", [{}, {"exhaustive": True}, {"alpha_split_merged": 0.04, "min_samples_leaf": 9}])
@pytest.mark.parametrize("model", [CHAIDClassifier, CHAIDRegressor])
def test_categories_with_the_same_target_are_merged_at_once(model: Any, settings: dict[str, Any]) -> None:
    """Of 60 categories with shares of 0, 1/4, ... 1 all pairs are compared though only five may be."""
    rng = np.random.default_rng(4)
    codes = rng.permutation(np.repeat(np.arange(60), 4)).astype(float)
    y = (rng.random(240) < np.where(codes % 3 == 0, 0.9, 0.3)).astype(int)
    X = np.column_stack([codes, rng.normal(size=240)])
    settings = {"categorical_features": [0], "bonferroni": False, **settings}
    both = [model(max_categories=most, **settings).fit(X, y) for most in (5, 500)]
    assert both[0].tree_.n_leaves > 1
    assert both[0].tree_.feature[0] == 0
    for name in ("feature", "n_rows", "table", "value"):
        assert np.allclose(getattr(both[0].tree_, name), getattr(both[1].tree_, name))
    assert np.allclose(both[0].splits_.log_p, both[1].splits_.log_p)
    same = model(categorical_features=[0], max_categories=5, alpha_split=1.0).fit(X[:, :1], np.zeros(240))  # one class
    assert same.tree_.n_leaves == 1


@pytest.mark.parametrize("target", ["classes", "numbers"])
def test_a_hundred_thousand_categories(target: str) -> None:
    """Names with a row or two each: nothing to learn from them, and no time lost with them."""
    rng = np.random.default_rng(0)
    codes = np.concatenate([np.arange(100_000), rng.integers(0, 100_000, 20_000)])
    x = rng.normal(size=len(codes))
    noisy = x + rng.normal(size=len(codes))
    made = CHAIDClassifier if target == "classes" else CHAIDRegressor
    y = noisy > 0 if target == "classes" else noisy
    model = made(categorical_features=[0], max_depth=1).fit(np.column_stack([codes, x]), y)
    assert model.tree_.feature[0] == 1


def test_a_thousand_p_values_of_zero_are_told_apart() -> None:
    """Both columns are significant beyond every float; the one that parts the classes wholly has the lower p value."""
    y = np.repeat([0, 1], 20_000)
    better, good = y.copy(), y.copy()
    good[:200] = 1
    model = CHAIDClassifier().fit(np.column_stack([good, better]), y)
    assert model.splits_.p_value[0] == 0
    assert model.tree_.feature[0] == 1


def test_weights_are_repetitions() -> None:
    X, labels, numbers, _ = draw(11)
    often = np.random.default_rng(0).integers(0, 4, len(X))
    again = np.repeat(np.arange(len(X)), often)
    for model, y in ((CHAIDClassifier(categorical_features=[0, 1]), labels), (CHAIDRegressor(), numbers)):
        one = model.fit(X, y, often.astype(float)).tree_
        other = model.fit(X[again], y[again]).tree_
        assert one.feature.tolist() == other.feature.tolist()
        np.testing.assert_allclose(one.value, other.value, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("scale", [1e-300, 1e-8, 1e8, 1e300])
def test_the_unit_of_the_target_changes_nothing(scale: float) -> None:
    X, _, numbers, _ = draw(2)
    one, other = CHAIDRegressor().fit(X, numbers).tree_, CHAIDRegressor().fit(X, numbers * scale).tree_
    assert one.feature.tolist() == other.feature.tolist()
    np.testing.assert_allclose(one.value * scale, other.value, rtol=1e-9)


def test_odd_tables() -> None:
    assert CHAIDClassifier().fit([[1.0], [2.0]], ["a", "a"]).predict([[3.0]]).tolist() == ["a"]  # one class
    assert CHAIDRegressor().fit([[1.0]], [4.0]).predict([[9.0]]).tolist() == [4.0]
    same = CHAIDClassifier().fit([[1.0]] * 4, ["a", "b", "b", "b"])  # identical rows, different labels
    assert same.predict([[1.0]]).tolist() == ["b"]
    nothing = CHAIDClassifier().fit(np.full((6, 2), np.nan), [0, 1] * 3)
    assert nothing.tree_.node_count == 1
    deep = CHAIDClassifier(alpha_split=1, merge=False, n_intervals=2)
    x = np.arange(300.0)[:, None]
    assert deep.fit(x, np.arange(300) % 2).get_depth() >= 1
    flags = CHAIDClassifier().fit(np.repeat([[True], [False]], 20, axis=0), np.repeat([1, 0], 20))
    assert flags.predict([[True], [False]]).tolist() == [1, 0]
    ends = CHAIDRegressor().fit(np.repeat([[-1e308], [1e308]], 10, axis=0), np.tile([1.0, 1.1], 10))
    assert ends.predict([[0.0]]).tolist() == pytest.approx([1.05])


def test_zero_weights_do_not_count() -> None:
    X, labels, _, _ = draw(4)
    weight = np.ones(len(X))
    weight[60:] = 0
    one, other = CHAIDClassifier().fit(X, labels, weight).tree_, CHAIDClassifier().fit(X[:60], labels[:60]).tree_
    assert one.feature.tolist() == other.feature.tolist()
    assert one.n_rows.tolist() == other.n_rows.tolist()


def test_a_tree_is_a_tree() -> None:
    X, labels, _, _ = draw(1)
    model = CHAIDClassifier(categorical_features=[0, 1], alpha_split=0.5).fit(X, labels)
    tree: TreeNodes = model.tree_
    assert model.get_n_leaves() == tree.n_leaves
    assert model.get_depth() == tree.max_depth
    assert model.decision_path(X).sum(axis=1).max() == model.get_depth() + 1
    assert math.isclose(model.feature_importances_.sum(), 1)
    assert set(tree.test.tolist()) <= {int(NodeTest.LEAF), int(NodeTest.CATEGORIES), int(NodeTest.INTERVALS)}


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"alpha_split_merged": 0.05}, "alpha_split_merged must be below alpha_merge"),
        ({"min_samples_leaf": 0}, "min_samples_leaf must be a whole number of at least 1"),
        ({"category_order": {"shape": ["a"]}}, "there is no column 'shape'"),
        ({"category_order": {0: [1, 2]}}, "category_order is for columns of categories"),
        ({"category_order": {"word": ["a", "b"]}}, "category_order must name every category of column 'word'; 'c' not"),
        ({"category_order": {"word": "abc"}}, "list of its categories"),
        ({"n_intervals": 1}, "n_intervals must be a whole number of at least 2"),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, Any], said: str) -> None:
    X = pd.DataFrame({"number": [1.0, 2.0, 3.0], "word": ["a", "b", "c"]})
    with pytest.raises((ParameterError, DataError), match=said):
        CHAIDClassifier(**settings).fit(X, [0, 1, 1])


def test_weights_beyond_every_sum_are_refused() -> None:
    with pytest.raises(DataError, match="sum of the weights must be a number"):
        CHAIDClassifier().fit([[1.0], [2.0]], [0, 1], [1.7e308, 1.7e308])
