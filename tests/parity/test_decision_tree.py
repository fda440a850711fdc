"""CART beside scikit-learn's: node by node on a hundred random tables, pruning, answers, awkward tables."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn.tree as peer
from numpy.typing import NDArray
from sklearn.base import clone

import pellucid.tree as ours

Floats = NDArray[np.float64]


def same_tree(model: Any, other: Any, classes: bool) -> bool:
    """Compares node by node; False if somewhere two splits are equally good, and each side took another one.

    Below such a node the two go different ways, and nothing more is compared.
    """
    a, b = model.tree_, other.tree_
    equal, waiting = True, [(0, 0)]
    shares = np.concatenate(model._shares(), axis=1) if classes else a.value
    while waiting:
        i, k = waiting.pop()
        assert a.n_node_samples[i] == b.n_node_samples[k]
        np.testing.assert_allclose(a.weight[i], b.weighted_n_node_samples[k], rtol=1e-12)
        np.testing.assert_allclose(a.impurity[i], b.impurity[k], rtol=1e-9, atol=1e-12)
        # scikit-learn pads the classes of targets that have fewer.
        sizes = np.atleast_1d(other.n_classes_) if classes else np.ones(other.n_outputs_, dtype=int)
        value = np.concatenate([b.value[k, o, :size] for o, size in enumerate(sizes)])
        np.testing.assert_allclose(shares[i], value, rtol=1e-9, atol=1e-12)
        leaf = a.n_children[i] == 0
        if leaf and b.children_left[k] >= 0:
            assert b.impurity[k] < 1e-14, "scikit-learn goes on with rows that rounding alone tells apart"
            equal = False
            continue
        assert leaf == (b.children_left[k] < 0)
        if leaf:
            continue
        if a.feature[i] != b.feature[k] or a.threshold[i] != pytest.approx(b.threshold[k], rel=1e-6, abs=1e-9):
            fall = [_fall(a, i, a.children_left, a.children_right), _fall(b, k, b.children_left, b.children_right)]
            assert fall[0] == pytest.approx(fall[1], rel=1e-9), "another split that is not as good"
            equal = False
            continue
        assert (a.missing_child[i] == 0) == bool(b.missing_go_to_left[k])
        waiting += [(a.children_left[i], b.children_left[k]), (a.children_right[i], b.children_right[k])]
    return equal


def _fall(tree: Any, node: int, left: Any, right: Any) -> float:
    w, i = tree.weighted_n_node_samples, tree.impurity
    below = sum(w[child] * i[child] for child in (left[node], right[node]))
    return float(i[node] - below / w[node])


def drawn(seed: int) -> tuple[Any, Any, Floats, Any, Any, Any]:
    """Ours, theirs, a table whose values are exact in single precision, a target, weights, and other rows."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(40, 140)), int(rng.integers(2, 6))
    X = rng.normal(size=(n + 50, p)).astype(np.float32).astype(np.float64)
    kind = seed % 10
    if kind in (3, 7):
        X[rng.random(X.shape) < 0.15] = np.nan
    score = np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1]) ** 2 + rng.normal(size=n + 50)
    limits: dict[str, Any] = {"min_samples_leaf": 4, "random_state": 0}
    weight = rng.random(n) + 0.2 if seed % 3 else None
    if seed % 2:
        limits["criterion"] = ("squared_error", "absolute_error", "poisson")[seed // 2 % 3]
        y: Any = np.abs(score) if limits["criterion"] == "poisson" else score
        made: Any = ours.DecisionTreeRegressor, peer.DecisionTreeRegressor
        if kind == 5:
            y = np.column_stack([y, np.abs(score + rng.normal(size=len(score)))])
    else:
        limits["criterion"] = ("gini", "entropy", "log_loss")[seed // 2 % 3]
        y = np.digitize(score, [0.5, 1.5] if seed % 4 else [0.8])
        made = ours.DecisionTreeClassifier, peer.DecisionTreeClassifier
        if kind == 4:
            y = np.column_stack([y, score > rng.normal(size=len(score))]).astype(int)
        if kind == 6:
            limits["class_weight"] = "balanced" if weight is None else {0: 2.0, 1: 0.5}
    if kind == 8:
        limits["max_leaf_nodes"] = 6
    if kind == 9 and limits["criterion"] != "absolute_error":
        limits |= {"monotonic_cst": [1, *[0] * (p - 1)], "max_depth": 4}
    if kind == 1:
        limits |= {"min_impurity_decrease": 0.01, "min_weight_fraction_leaf": 0.05}
    if kind == 2:
        limits |= {"min_samples_split": 0.2, "min_samples_leaf": 0.05}
    return made[0](**limits), made[1](**limits), X[:n], y[:n], weight, X[n:]


def test_a_hundred_random_tables_node_by_node() -> None:
    """Where they differ at all, both found splits that are equally good."""
    differ = 0
    for seed in range(100):
        model, other, X, y, weight, more = drawn(seed)
        model.fit(X, y, weight)
        other.fit(X, y, weight)
        if not same_tree(model, other, hasattr(model, "classes_")):
            differ += 1
            continue
        np.testing.assert_allclose(model.feature_importances_, other.feature_importances_, atol=1e-9)
        if not np.isnan(more).any():
            np.testing.assert_allclose(model.predict(more), other.predict(more), rtol=1e-9)
        assert (model.get_depth(), model.get_n_leaves()) == (other.get_depth(), other.get_n_leaves())
        same_pruning(model, other, X, y, weight)
    assert differ <= 25


def same_pruning(model: Any, other: Any, X: Floats, y: Any, weight: Any) -> None:
    """Equal strengths may be taken in another order: compared between two different ones."""
    a, b = (one.cost_complexity_pruning_path(X, y, sample_weight=weight) for one in (model, other))
    assert len(a.ccp_alphas) == len(b.ccp_alphas)
    np.testing.assert_allclose(a.ccp_alphas, np.maximum.accumulate(b.ccp_alphas), rtol=1e-6, atol=1e-12)
    distinct = np.unique(np.round(a.ccp_alphas, 12))
    for alpha in (distinct[:-1] + distinct[1:]) / 2:
        left, right = (one.impurities[np.searchsorted(one.ccp_alphas, alpha) - 1] for one in (a, b))
        assert left == pytest.approx(right, rel=1e-9)
    if len(distinct) > 2:
        alpha = float(distinct[1:3].mean())
        small, theirs = (clone(one).set_params(ccp_alpha=alpha).fit(X, y, weight) for one in (model, other))
        assert small.tree_.node_count == theirs.tree_.node_count


RANDOM = np.random.default_rng(3)
X = RANDOM.normal(size=(60, 4)).astype(np.float32).astype(np.float64)
Y = X[:, 0] + X[:, 1] * X[:, 2] + RANDOM.normal(size=60)
AWKWARD: dict[str, Any] = {
    "single precision": X.astype(np.float32),
    "whole numbers": (10 * X).astype(int),
    "flags": X > 0,
    "constant column": np.column_stack([X, np.full(60, 7.0)]),
    "equal columns": np.column_stack([X, X[:, 0]]),
    "huge": X * 2.0**100,
    "tiny": X * 2.0**-10,
    "wide": RANDOM.normal(size=(60, 90)).astype(np.float32),
    "one row": X[:1],
    "frame": pd.DataFrame(X, columns=list("abcd")),
    "sparse": sp.csr_array(np.where(X > 0, X, 0)),
}


@pytest.mark.parametrize("name", AWKWARD)
def test_awkward_tables(name: str) -> None:
    table = AWKWARD[name]
    y = Y[: table.shape[0]]
    for target, kind in ((y, "Regressor"), ((y > 0).astype(int), "Classifier")):
        a, b = (getattr(one, f"DecisionTree{kind}")(min_samples_leaf=3, random_state=0) for one in (ours, peer))
        a.fit(table, target)
        b.fit(table, target)
        if same_tree(a, b, kind == "Classifier"):
            np.testing.assert_allclose(a.predict(table), b.predict(table))
            np.testing.assert_array_equal(
                np.diff(a.decision_path(table).indptr), np.diff(b.decision_path(table).indptr)
            )


def test_methods_and_attributes_of_the_peer_are_there() -> None:
    a, b = (
        ours.DecisionTreeClassifier(max_depth=3).fit(X, Y > 0),
        peer.DecisionTreeClassifier(max_depth=3).fit(X, Y > 0),
    )
    public = {name for name in dir(b) if not name.startswith("_")}
    assert public <= set(dir(a))
    assert (a.max_features_, a.n_classes_, a.n_outputs_) == (b.max_features_, b.n_classes_, b.n_outputs_)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the peer warns of logarithms of zero
        np.testing.assert_allclose(a.predict_log_proba(X), b.predict_log_proba(X))
    assert set(b.get_params()) <= set(a.get_params())
    for name, value in peer.DecisionTreeRegressor().get_params().items():
        assert ours.DecisionTreeRegressor().get_params()[name] == value


def test_poisson_splits_off_no_side_of_zeros_whatever_rounding_leaves() -> None:
    """The weight of the right side is the whole less the left, which rounds: 0.3 has no last bit."""
    x = np.arange(8.0)[:, None]
    for seed in range(60):
        rng = np.random.default_rng(seed)
        y, weight = np.append(rng.integers(1, 8, 7), 0).astype(float), rng.integers(1, 4, 8) * 0.3
        model, other = (
            library.DecisionTreeRegressor(criterion="poisson", max_depth=1).fit(x, y, sample_weight=weight)
            for library in (ours, peer)
        )
        assert (model.tree_.value > 0).all()
        assert model.tree_.threshold[0] == other.tree_.threshold[0]
