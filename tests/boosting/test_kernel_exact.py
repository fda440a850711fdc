"""Gradient boosting with every cut tried: beside the readable reference and scikit-learn, tree by tree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from sklearn import ensemble as peer

from pellucid.boosting import GradientBoostingClassifier, GradientBoostingRegressor
from pellucid.reference.cart import Rules
from pellucid.reference.gradient_boosting import Loss, boost

Floats = NDArray[np.float64]
SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.exhaustive) for seed in range(1, 4))]
KINDS = ("squared", "logistic", "softmax")


def table(seed: int, kind: str, n: int = 400) -> tuple[Floats, Any, Floats]:
    """Numbers of single precision (the peer keeps no more), a target, and weights that keep cuts from being alike."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)).astype(np.float32).astype(np.float64)
    y = X[:, 0] - X[:, 1] * X[:, 2] + 1.5 * rng.normal(size=n)
    w = rng.uniform(0.3, 3, n)
    if kind == "softmax":
        return X, np.searchsorted(np.quantile(y, [0.4, 0.7]), y), w
    return X, (y > 0).astype(int) if kind == "logistic" else y, w


def pair(kind: str, **told: Any) -> tuple[Any, Any]:
    """Ours and scikit-learn's, told the same."""
    name = "GradientBoostingRegressor" if kind == "squared" else "GradientBoostingClassifier"
    mine = GradientBoostingRegressor if kind == "squared" else GradientBoostingClassifier
    return mine(**told), getattr(peer, name)(random_state=0, **told)


def scores_of(model: Any, X: Floats) -> Floats:
    """Rows x outputs, of either."""
    found = model.decision_function(X) if hasattr(model, "classes_") else model.predict(X)
    return np.asarray(found.reshape(len(X), -1))


def assert_same_nodes(tree: Any, other: Any, rate: float) -> None:
    """Feature, threshold and answer of every node, from the roots down; `other` is scikit-learn's."""
    below = [(0, 0)]
    met = 0
    while below:
        a, b = below.pop()
        met += 1
        first = int(tree.first_child[a])
        if other.children_left[b] < 0:
            assert first < 0
            assert_allclose(tree.value[a, 0], rate * other.value[b, 0, 0], rtol=1e-9, atol=1e-12)
            continue
        assert tree.feature[a] == other.feature[b]
        assert_allclose(tree.threshold[a], other.threshold[b], rtol=1e-12)
        below += [(first, other.children_left[b]), (first + 1, other.children_right[b])]
    assert met == other.node_count == len(tree)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "told",
    [
        {},
        {"max_depth": 2, "learning_rate": 0.5},
        {"max_depth": 4, "min_samples_leaf": 20},
        {"max_depth": None, "max_leaf_nodes": 6},
        {"min_samples_split": 60, "min_weight_fraction_leaf": 0.08},
    ],
    ids=["deep", "shallow", "leaves_of_twenty", "six_leaves", "heavy_leaves"],
)
def test_trees_are_scikit_learns(told: dict[str, Any], kind: str, seed: int) -> None:
    """Leaves of a dozen rows: two columns hardly part the rows of a node alike, nor are they of one class."""
    X, y, w = table(seed, kind)
    told = {"min_samples_leaf": 12, **told}
    ours, theirs = (model.fit(X, y, sample_weight=w) for model in pair(kind, n_estimators=3, **told))
    outputs = theirs.estimators_.shape[1]
    for t, other in enumerate(theirs.estimators_.ravel()):
        assert_same_nodes(ours._forest_.tree(t), other.tree_, theirs.learning_rate)
    assert len(ours._forest_) == 3 * outputs
    assert_allclose(scores_of(ours, X), scores_of(theirs, X), rtol=1e-9, atol=1e-10)
    for mine, wanted in zip(ours.staged_predict(X), theirs.staged_predict(X), strict=True):
        assert_allclose(mine, wanted, rtol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_without_weights_answers_are_scikit_learns(kind: str) -> None:
    """Ten rounds of trees of depth 2, on rows that were not learned from."""
    X, y, _ = table(1, kind, n=500)
    ours, theirs = (model.fit(X[:400], y[:400]) for model in pair(kind, n_estimators=10, max_depth=2))
    if kind == "squared":
        assert_allclose(ours.predict(X[400:]), theirs.predict(X[400:]), rtol=1e-9)
    else:
        assert_allclose(ours.predict_proba(X[400:]), theirs.predict_proba(X[400:]), atol=1e-9)
        assert_array_equal(ours.predict(X[400:]), theirs.predict(X[400:]))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", [*KINDS, "poisson", "huber"])
def test_trees_are_those_of_the_reference(kind: str, weighted: bool, seed: int) -> None:
    """Same rows in every leaf, same answers; classes are compared with weights, without which cuts are alike."""
    X, y, w = table(seed, kind, n=121)
    if kind == "poisson":
        y = np.random.default_rng(seed).poisson(np.exp(0.5 * y)).astype(float)
    weight = w if weighted or kind in ("logistic", "softmax") else None
    told: dict[str, Any] = {"n_estimators": 3, "max_depth": 2, "min_samples_leaf": 3}
    name: Any = {"squared": "squared_error"}.get(kind, kind)
    model: Any = (
        GradientBoostingClassifier(**told)
        if kind in ("logistic", "softmax")
        else GradientBoostingRegressor(**told, loss=name, huber_share=0.83)
    )
    model.fit(X, y, sample_weight=weight)
    loss = Loss(kind, classes=3 if kind == "softmax" else 1, level=0.83 if kind == "huber" else 0.5, between="lower")
    rules = Rules("squared_error", max_depth=2, min_rows_leaf=3)
    made = boost(X, y, loss, rounds=3, rules=rules, weight=weight, start=model.base_score_)
    leaves = model.apply(X)
    for t, step in enumerate(made.steps):
        found = {frozenset(np.flatnonzero(leaves[:, t] == leaf).tolist()) for leaf in set(leaves[:, t])}
        assert found == {frozenset(rows.tolist()) for rows in step.leaves}
        for rows, answer in zip(step.leaves, step.answer, strict=True):
            value = model._forest_.tree(t).value[leaves[rows[0], t], 0]
            assert_allclose(value, 0.1 * answer, rtol=1e-8, atol=1e-10)
    final = np.log(model.predict(X))[:, None] if kind == "poisson" else scores_of(model, X)
    assert_allclose(final, made.scores[-1], rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_the_start_is_the_best_constant(kind: str) -> None:
    X, y, w = table(0, kind)
    ours, theirs = (model.fit(X, y, sample_weight=w) for model in pair(kind, n_estimators=1))
    if kind == "squared":
        assert_allclose(ours.base_score_, [np.average(y, weights=w)], rtol=1e-12)
        return
    share = np.array([w[y == k].sum() for k in range(y.max() + 1)]) / w.sum()
    apart = np.log(share) - np.log(share).mean() if kind == "softmax" else [np.log(share[1] / share[0])]
    assert_allclose(ours.base_score_ - np.mean(ours.base_score_) if kind == "softmax" else ours.base_score_, apart)
    assert_allclose(theirs._raw_predict_init(X)[0] - theirs._raw_predict_init(X)[0].mean() * (kind == "softmax"), apart)


@pytest.mark.parametrize("kind", KINDS)
def test_a_row_of_weight_two_is_the_row_twice(kind: str) -> None:
    X, y, _ = table(2, kind)
    twice = np.random.default_rng(0).integers(1, 3, len(y))
    one, two = pair(kind, n_estimators=4, max_depth=2)[0], pair(kind, n_estimators=4, max_depth=2)[0]
    one.fit(X, y, sample_weight=twice.astype(float))
    two.fit(np.repeat(X, twice, axis=0), np.repeat(y, twice))
    assert_allclose(scores_of(one, X), scores_of(two, X), rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("kind", KINDS)
def test_both_criteria_choose_the_same_cuts(kind: str) -> None:
    X, y, w = table(3, kind)
    told: dict[str, Any] = {"n_estimators": 3, "min_samples_leaf": 12}
    one, two = (
        pair(kind, **told)[0].set_params(criterion=name).fit(X, y, w) for name in ("friedman_mse", "squared_error")
    )
    assert_array_equal(one._forest_.nodes, two._forest_.nodes)
    assert_allclose(scores_of(one, X), scores_of(two, X), rtol=1e-12)


def test_a_share_of_the_rows_is_looked_at() -> None:
    """Another draw each round; the trees know only their rows, and all rows get scores."""
    X, y, _ = table(0, "squared", n=100)
    model = GradientBoostingRegressor(5, subsample=0.4, random_state=0, max_depth=2).fit(X, y)
    for t in range(5):
        assert model._forest_.tree(t).n_rows[0] == 40
    again = GradientBoostingRegressor(5, subsample=0.4, random_state=0, max_depth=2).fit(X, y)
    assert_array_equal(model.predict(X), again.predict(X))
    other = GradientBoostingRegressor(5, subsample=0.4, random_state=1, max_depth=2).fit(X, y)
    assert (model.predict(X) != other.predict(X)).any()
