"""Random forests against the readable reference, single trees and mathematics."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from pellucid.base.errors import DataError, DataTypeError, ParameterError, PellucidWarning
from pellucid.ensemble import RandomForestClassifier, RandomForestRegressor
from pellucid.reference import random_forest as reference
from pellucid.reference.cart import Rules
from pellucid.tree import DecisionTreeClassifier, DecisionTreeRegressor


def table(n: int = 60, p: int = 4, seed: int = 0) -> tuple[Any, Any, Any]:
    """Columns without equal values or equally good cuts, classes and numbers."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, p))
    score = X[:, 0] + X[:, 1] * X[:, 2 % p] + 0.3 * random.standard_normal(n)
    return X, np.digitize(score, [-0.5, 0.6]), score


def in_order(model: Any) -> list[tuple[Any, ...]]:
    """The nodes of a tree as a reader lists them."""
    t = model.tree_
    return [
        (int(t.feature[i]), repr(float(t.threshold[i])), int(t.n_rows[i]), round(float(t.impurity[i]), 9))
        for i in t.top_down()
    ]


# ---------------------------------------------------------------------------------------------------------- the trees


@pytest.mark.parametrize("settings", [{}, {"ccp_alpha": 0.02}, {"threshold": "value"}, {"max_leaf_nodes": 7}])
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_without_samples_and_with_all_columns_every_tree_is_the_single_tree(criterion: Any, settings: Any) -> None:
    X, y, _ = table()
    forest = RandomForestClassifier(3, bootstrap=False, max_features=None, criterion=criterion, **settings).fit(X, y)
    tree = DecisionTreeClassifier(criterion=criterion, **settings).fit(X, y)
    assert [in_order(one) for one in forest.estimators_] == [in_order(tree)] * 3
    np.testing.assert_allclose(forest.predict_proba(X), tree.predict_proba(X), rtol=1e-14)
    np.testing.assert_allclose(forest.feature_importances_, tree.feature_importances_, atol=1e-12)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson", "friedman_mse"])
def test_what_inner_nodes_hold_comes_back_from_the_leaves(criterion: Any) -> None:
    X, _, y = table()
    y = np.abs(y) + 1e6
    settings: dict[str, Any] = {"criterion": criterion, "min_samples_leaf": 3}
    forest = RandomForestRegressor(2, bootstrap=False, **settings).fit(X, y)
    found, known = forest.estimators_[1].tree_, DecisionTreeRegressor(**settings).fit(X, y).tree_
    a, b = found.top_down(), known.top_down()
    for name in ("n_rows", "weight", "impurity", "value", "missing_child", "feature", "threshold"):
        np.testing.assert_allclose(getattr(found, name)[a], getattr(known, name)[b], rtol=1e-7, atol=1e-9, err_msg=name)


def test_answers_kept_in_order_come_back_too() -> None:
    X, y, _ = table()
    settings: dict[str, Any] = {"monotonic_cst": [1, 0, 0, 0], "max_depth": 4}
    forest = RandomForestClassifier(1, bootstrap=False, max_features=None, **settings).fit(X, y > 0)
    tree = DecisionTreeClassifier(**settings).fit(X, y > 0)
    a, b = forest.estimators_[0].tree_, tree.tree_
    np.testing.assert_allclose(a.value[a.top_down()], b.value[b.top_down()])


@pytest.mark.parametrize("classes", [3, 0])
def test_given_the_samples_the_reference_grows_the_same_forest(classes: int) -> None:
    X, labels, numbers = table(40)
    y = labels if classes else numbers
    made = RandomForestClassifier if classes else RandomForestRegressor
    # Columns that part a few rows in the same way are equally good, and a forest draws one: leaves of six rows.
    leaf = 6
    model: Any = made(12, max_features=None, oob_score=True, random_state=1, max_samples=25, min_samples_leaf=leaf)
    model.fit(X, y)
    samples = [np.bincount(rows, minlength=len(X)) for rows in model.estimators_samples_]
    assert all(counts.sum() == 25 for counts in samples)
    rules = Rules(criterion="gini" if classes else "squared_error", min_rows_leaf=leaf)
    trees = reference.grow_forest(X, np.asarray(y, dtype=float), samples, rules, classes)
    said = model.predict_proba(X) if classes else model.predict(X)[:, None]
    np.testing.assert_allclose(said, reference.mean_answer(trees, X, classes), atol=1e-12)
    kept, told = reference.out_of_bag(trees, samples, X, classes)
    own = model.oob_decision_function_ if classes else model.oob_prediction_[:, None]
    np.testing.assert_allclose(own, kept, atol=1e-12)
    np.testing.assert_array_equal(model.oob_answers_, told)
    np.testing.assert_allclose(model.oob_curve_, reference.out_of_bag_curve(trees, samples, X, y, classes), atol=1e-12)
    np.testing.assert_allclose(model.proximity(X[:9]), reference.proximity(model.apply(X[:9])))


def test_quantiles_are_those_of_the_reference_and_their_mean_is_the_prediction() -> None:
    X, _, y = table(50)
    model = RandomForestRegressor(8, min_samples_leaf=4, keep_targets=True, random_state=3).fit(X, y)
    samples = [np.bincount(rows, minlength=len(X)) for rows in model.estimators_samples_]
    trees = reference.grow_forest(X, y, samples, Rules(criterion="squared_error", min_rows_leaf=4))
    shares = [0.0, 0.1, 0.5, 0.77, 1.0]
    wanted = [[reference.quantile(trees, samples, x, y, q) for q in shares] for x in X[:10]]
    np.testing.assert_allclose(model.predict_quantiles(X[:10], shares), wanted)
    fine = (np.arange(2000) + 0.5) / 2000
    np.testing.assert_allclose(model.predict_quantiles(X[:5], fine).mean(axis=1), model.predict(X[:5]), atol=5e-3)
    np.testing.assert_array_equal(model.predict_interval(X[:3], 0.8), model.predict_quantiles(X[:3], [0.1, 0.9]))
    assert model.predict_quantiles(X, 0.5).shape == (50,)


def test_a_tree_asks_no_more_columns_than_it_may() -> None:
    X, y, _ = table(80, 9)
    for splitter in ("best", "histogram"):
        model = RandomForestClassifier(20, tree_features=3, max_features=None, splitter=splitter, random_state=0)
        asked = [set(tree.tree_.feature[tree.tree_.feature >= 0].tolist()) for tree in model.fit(X, y).estimators_]
        assert all(len(one) <= 3 for one in asked)
        assert len(set().union(*asked)) == 9
    tree = RandomForestClassifier(1, tree_features=2, max_features=1, bootstrap=False, random_state=5).fit(X, y)
    assert len(set(tree.estimators_[0].tree_.feature.tolist()) - {-1}) == 2


def test_histograms_find_the_cuts_of_the_exact_splitter_where_every_value_has_a_bin() -> None:
    X, y, _ = table(150)
    X = np.round(X, 1)
    for target in (y, y > 0):
        exact = RandomForestClassifier(4, random_state=0, max_features=2).fit(X, target)
        binned = RandomForestClassifier(4, random_state=0, max_features=2, splitter="histogram").fit(X, target)
        for a, b in zip(exact.estimators_, binned.estimators_, strict=True):
            assert [one[0::2] for one in in_order(a)] == [one[0::2] for one in in_order(b)]


@pytest.mark.parametrize(
    ("p", "rule", "rounding", "columns"),
    [(25, "sqrt", "down", 5), (8, "sqrt", "down", 2), (8, "sqrt", "nearest", 3), (4, "sqrt", "nearest", 2),
     (25, "third", "down", 8), (2, "third", "down", 1), (20, "log2", "down", 4), (10, 0.25, "down", 2),
     (10, 0.25, "nearest", 3), (3, 7, "down", 3), (6, None, "down", 6)],
)  # fmt: skip
def test_columns_of_a_split(p: int, rule: Any, rounding: Any, columns: int) -> None:
    X, y, _ = table(10, p)
    model = RandomForestClassifier(1, max_features=rule, max_features_rounding=rounding).fit(X, y)
    assert model.max_features_ == columns
    if isinstance(rule, str):
        assert reference.columns_of_split(p, rule, rounding) == columns


# ------------------------------------------------------------------------------------------------------------ samples


def test_samples_leave_out_about_a_third_and_weights_are_chances() -> None:
    X, y, _ = table(400)
    model = RandomForestClassifier(50, random_state=0).fit(X, y)
    inside = np.mean([len(np.unique(rows)) / 400 for rows in model.estimators_samples_])
    assert abs(inside - (1 - (1 - 1 / 400) ** 400)) < 0.01
    weight = np.where(np.arange(400) < 100, 3.0, 1.0)
    weight[399] = 0
    rows = np.concatenate(RandomForestClassifier(50, random_state=0).fit(X, y, weight).estimators_samples_)
    often = np.bincount(rows, minlength=400) / 50
    assert abs(often[:100].mean() - 400 * 3 / weight.sum()) < 0.1
    assert often[399] == 0


def test_without_replacement_rows_are_different() -> None:
    X, y, _ = table(100)
    weight = np.ones(100)
    weight[::4] = 0
    model = RandomForestClassifier(5, replace=False, random_state=0).fit(X, y, weight)
    for rows in model.estimators_samples_:
        assert len(rows) == len(np.unique(rows)) == int(0.632 * 75)
        assert not (rows % 4 == 0).any()


def test_classes_are_balanced_in_each_sample() -> None:
    X, y, _ = table(90)
    y = (y == 2).astype(int)
    model = RandomForestClassifier(3, class_weight="balanced_subsample", max_depth=1, random_state=0).fit(X, y)
    for tree in model.estimators_:
        np.testing.assert_allclose(tree.tree_.value[0], [45.0, 45.0])


@pytest.mark.filterwarnings("ignore:.*for an out-of-bag answer every row needs a tree")
def test_trees_are_added_as_if_grown_at_once() -> None:
    X, y, _ = table()
    X[::7, 0] = np.nan
    frame = pd.DataFrame(X, columns=list("abcd")).assign(e=np.where(y == 1, "one", "other"))
    at_once = RandomForestClassifier(9, random_state=4, oob_score=lambda y, f: float(np.mean(y == f))).fit(frame, y)
    step = RandomForestClassifier(4, random_state=4, warm_start=True).fit(frame, y)
    step.set_params(n_estimators=9).fit(frame, y)
    np.testing.assert_array_equal(step.predict_proba(frame), at_once.predict_proba(frame))
    assert any((tree.tree_.test == 3).any() for tree in step.estimators_[4:])  # sets of categories
    again = pickle.loads(pickle.dumps(step))
    np.testing.assert_array_equal(again.predict_proba(frame), at_once.predict_proba(frame))
    for one, other in zip(again.estimators_, at_once.estimators_, strict=True):
        np.testing.assert_array_equal(one.tree_.table, other.tree_.table)
    with pytest.warns(PellucidWarning, match="does not fit new trees"):
        step.fit(frame, y)
    with pytest.raises(ParameterError, match="n_estimators=3 after 9"):
        step.set_params(n_estimators=3).fit(frame, y)
    with pytest.raises(DataError, match="classes of the last fit"):
        step.set_params(n_estimators=12).fit(frame, y + 1)


# ------------------------------------------------------------------------------------------------------ rows left out


def test_rows_without_a_vote_are_named() -> None:
    X, y, _ = table(30)
    with pytest.warns(PellucidWarning, match=r"(?s)of 30 rows have none \(rows .*grow more trees than 1"):
        model = RandomForestClassifier(1, oob_score=True, random_state=0).fit(X, y)
    silent = model.oob_answers_ == 0
    assert np.isnan(model.oob_decision_function_[silent]).all()
    heard = model.oob_decision_function_[~silent]
    assert model.oob_score_ == np.mean(heard.argmax(axis=1) == y[~silent])


def test_score_of_each_tree_and_other_scores() -> None:
    X, y, score = table(100)
    model = RandomForestClassifier(15, oob_score="average", random_state=0).fit(X, y)
    own = []
    for tree, rows in zip(model.estimators_, model.estimators_samples_, strict=True):
        out = np.setdiff1d(np.arange(100), rows)
        own.append(tree.score(X[out], y[out]))
    np.testing.assert_allclose(model.oob_scores_, own)
    assert model.oob_score_ == pytest.approx(np.mean(own))
    other = RandomForestRegressor(60, random_state=0, oob_score=lambda y, f: -float(np.mean(np.abs(y - f)))).fit(
        X, score
    )
    assert other.oob_score_ == pytest.approx(-np.mean(np.abs(score - other.oob_prediction_)))


def test_number_of_trees_is_chosen_by_the_curve() -> None:
    X, y, _ = table(200)
    model = RandomForestClassifier("oob", random_state=0, max_estimators=400).fit(X, y)
    trees = len(model.estimators_)
    assert trees in (50, 100, 200, 400)
    errors = model.oob_curve_
    for size in (50, 100, 200):
        gain = errors[size // 2 - 1] - errors[size - 1] if size <= trees else 0
        assert (size < trees) == (size <= trees and gain > 0.01 * errors[size // 2 - 1])
    fixed = RandomForestClassifier(trees, random_state=0).fit(X, y)
    np.testing.assert_array_equal(fixed.predict_proba(X), model.predict_proba(X))


def test_shuffled_columns_tell_what_matters() -> None:
    X, y, score = table(300)
    X = np.column_stack([X, np.zeros(300)])
    for model, target in ((RandomForestClassifier(30, random_state=0), y), (RandomForestRegressor(30), score)):
        found = model.fit(X, target).oob_importance(X, target)
        assert found.importances.shape == (5, 30)
        np.testing.assert_allclose(found.importances_mean, found.importances.mean(axis=1))
        assert found.importances_mean[:3].min() > abs(found.importances_mean[3])
        assert (found.importances[4] == 0).all()  # nobody asks a column that is the same throughout
    with pytest.raises(DataError, match="fit saw 300 rows, got 10"):
        model.oob_importance(X[:10], score[:10])
    with pytest.raises(DataTypeError, match="dense"):
        model.oob_importance(scipy.sparse.csr_matrix(X), score)


# ------------------------------------------------------------------------------------------------------------- answers


def test_a_vote_is_not_a_mean_of_shares() -> None:
    X, y, _ = table(80)
    soft = RandomForestClassifier(25, max_depth=2, random_state=0).fit(X, y)
    hard = RandomForestClassifier(25, max_depth=2, random_state=0, voting="hard").fit(X, y)
    votes = np.stack([tree.predict(X) for tree in soft.estimators_])
    counted = np.stack([(votes == k).sum(axis=0) for k in range(3)], axis=1)
    np.testing.assert_array_equal(soft.votes(X), counted)
    np.testing.assert_allclose(hard.predict_proba(X), counted / 25)
    shares = np.mean([tree.predict_proba(X) for tree in soft.estimators_], axis=0)
    np.testing.assert_allclose(soft.predict_proba(X), shares)


def test_paths_and_leaves_are_those_of_the_trees() -> None:
    X, y, _ = table(50)
    X[3, :2] = np.nan
    model = RandomForestClassifier(6, random_state=0).fit(X, y)
    path, start = model.decision_path(X)
    leaves = model.apply(X)
    for t, tree in enumerate(model.estimators_):
        np.testing.assert_array_equal(leaves[:, t], tree.apply(X))
        assert (path[:, start[t] : start[t + 1]] != tree.decision_path(X)).nnz == 0


@pytest.mark.parametrize("scale", [1.0, 1e300, 1e-300])
def test_numbers_of_any_size_and_kind_are_walked_alike(scale: float) -> None:
    """Doubles that no single can tell apart, singles, sparse and other layouts: each tree says where a row ends."""
    random = np.random.default_rng(0)
    X = (1 + random.integers(0, 50, (300, 3)) * 2.0**-40) * scale
    y = (X[:, 0] > np.median(X[:, 0])) ^ (X[:, 1] > np.median(X[:, 1]))
    model = RandomForestClassifier(5, random_state=0).fit(X, y)
    wanted = np.mean([tree.predict_proba(X) for tree in model.estimators_], axis=0)
    for form in (X, np.asfortranarray(X), scipy.sparse.csr_matrix(X), pd.DataFrame(X)):
        np.testing.assert_array_equal(model.predict_proba(form), wanted)
    whole = RandomForestClassifier(5, random_state=0).fit(np.round(X / X.min() * 8), y)
    Z = np.round(X / X.min() * 8)
    np.testing.assert_array_equal(whole.predict_proba(Z.astype(np.float32)), whole.predict_proba(Z))


def test_outliers_by_proximity() -> None:
    X, y, _ = table(80)
    y = (X[:, 0] > 0).astype(int)
    X[5], y[5] = [4, 4, 4, 4], 0
    found = RandomForestClassifier(50, random_state=0).fit(X, y).proximity_outliers(X, y)
    assert found.argmax() == 5 or found[5] > np.quantile(found, 0.95)
    for kind in (0, 1):
        assert abs(np.median(found[y == kind])) < 1e-12


def test_many_targets() -> None:
    X, y, score = table(70)
    Y = np.column_stack([y, y > 0])
    model = RandomForestClassifier(12, random_state=0, oob_score=True).fit(X, Y)
    one, other = model.predict_proba(X)
    assert one.shape == (70, 3)
    assert other.shape == (70, 2)
    assert isinstance(model.oob_decision_function_, list)
    kept = RandomForestRegressor(12, random_state=0, keep_targets=True).fit(X, np.column_stack([score, -score]))
    assert kept.predict_quantiles(X, [0.2, 0.8]).shape == (70, 2, 2)


def test_memory_is_at_most_half_of_the_peers() -> None:
    """scikit-learn keeps 64 bytes a node and 8 a class, or a target."""
    X, y, score = table(500)
    for model, width in ((RandomForestClassifier(5).fit(X, y), 3), (RandomForestRegressor(5).fit(X, score), 1)):
        forest = model._forest_
        assert forest.nbytes <= 0.5 * len(forest.nodes) * (64 + 8 * width)


# -------------------------------------------------------------------------------------------------------------- refused


@pytest.mark.parametrize(
    ("settings", "words"),
    [({"bootstrap": False, "oob_score": True}, "Out of bag estimation only available if bootstrap=True"),
     ({"bootstrap": False, "n_estimators": "oob"}, "Out of bag estimation"),
     ({"bootstrap": False, "max_samples": 5}, "cannot be set if `bootstrap=False`"),
     ({"replace": False, "max_samples": 99}, "at most the number of rows"),
     ({"max_features": 0.0}, "max_features must be"), ({"max_features": "half"}, "max_features must be"),
     ({"tree_features": -1}, "tree_features must be"), ({"oob_score": "mean"}, "oob_score must be"),
     ({"max_samples": 0}, "max_samples must be"), ({"n_estimators": 0}, "n_estimators must be"),
     ({"splitter": "random"}, "splitter must be"), ({"class_weight": "even"}, "class_weight must be")],
)  # fmt: skip
def test_what_cannot_be_is_refused_in_one_sentence(settings: dict[str, Any], words: str) -> None:
    X, y, _ = table(30)
    with pytest.raises(ParameterError, match=words):
        RandomForestClassifier(**settings).fit(X, y)


def test_quantiles_need_what_was_not_kept() -> None:
    X, _, y = table(30)
    model = RandomForestRegressor(3).fit(X, y)
    with pytest.raises(ParameterError, match="fit with keep_targets=True"):
        model.predict_quantiles(X)
    with pytest.raises(ParameterError, match="shares from 0 to 1"):
        model.predict_quantiles(X, [0.5, 1.5])
    with pytest.raises(ParameterError, match="coverage must be"):
        model.predict_interval(X, 1.0)
    with pytest.raises(ParameterError, match="coverage must be"):
        model.predict_interval(X, "90%")
    with pytest.raises(ParameterError, match="shares from 0 to 1; got 'half'"):
        model.predict_quantiles(X, "half")
    with pytest.raises(DataError, match="y must have one class a row; got 2 for 30 rows"):
        model.proximity_outliers(X, [0, 1])
