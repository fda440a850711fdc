"""Forests beside scikit-learn's: given the same samples the same trees, and as good on rows held out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sklearn.ensemble as peer
import sklearn.tree
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.model_selection import cross_val_score

import pellucid.ensemble as ours

from .test_decision_tree import same_tree


@pytest.mark.parametrize("missing", [False, True])
def test_given_the_samples_the_trees_are_the_peers(missing: bool) -> None:
    random = np.random.default_rng(0)
    X = random.standard_normal((80, 5)).astype(np.float32).astype(np.float64)
    score = X[:, 0] + X[:, 1] * X[:, 2]
    if missing:
        X[random.random(X.shape) < 0.1] = np.nan
    for made, single, y in (
        (ours.RandomForestClassifier, sklearn.tree.DecisionTreeClassifier, (score > 0).astype(int)),
        (ours.RandomForestRegressor, sklearn.tree.DecisionTreeRegressor, score),
    ):
        forest: Any = made(4, max_features=None, random_state=0, min_samples_leaf=2).fit(X, y)
        for tree, rows in zip(forest.estimators_, forest.estimators_samples_, strict=True):
            counts = np.bincount(rows, minlength=len(X)).astype(float)
            other = single(random_state=0, min_samples_leaf=2).fit(X, y, sample_weight=counts)
            same_tree(tree, other, classes=hasattr(tree, "classes_"))


@pytest.mark.parametrize("name", ["RandomForest", "ExtraTrees"])
@pytest.mark.parametrize("kind", ["Classifier", "Regressor"])
def test_as_good_as_the_peers_on_rows_held_out(name: str, kind: str) -> None:
    """The difference of five folds, of forests with other random numbers, is within three of its standard errors."""
    X, y = load_breast_cancer(return_X_y=True) if kind == "Classifier" else load_diabetes(return_X_y=True)
    X = X.astype(np.float32)
    scores = [cross_val_score(getattr(module, name + kind)(60, random_state=0), X, y, cv=5) for module in (ours, peer)]
    apart = scores[0] - scores[1]
    assert abs(apart.mean()) <= 3 * apart.std(ddof=1) / np.sqrt(5) + 0.005


def test_settings_attributes_and_methods_of_the_peer_are_there() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    for name in ("RandomForestClassifier", "RandomForestRegressor", "ExtraTreesClassifier", "ExtraTreesRegressor"):
        other = getattr(peer, name)(3, random_state=0, bootstrap=True, oob_score=lambda y, f: 0.0)
        own = getattr(ours, name)(3, random_state=0, bootstrap=True, oob_score=lambda y, f: 0.0)
        with pytest.warns(UserWarning, match="do not have OOB scores"):
            other.fit(X, y)
        with pytest.warns(UserWarning, match="every row needs a tree"):
            own.fit(X, y)
        theirs = getattr(peer, name)().get_params()
        mine = getattr(ours, name)().get_params()
        assert {key: mine.get(key, "not there") for key in theirs} == theirs
        public = {key for key in dir(other) if not key.startswith("_")} - {"base_estimator_", "estimator"}
        lacking = {key for key in public if not hasattr(own, key)} - {"estimator_params", "class_weight"}
        assert not lacking, lacking
        assert own.apply(X).shape == other.apply(X).shape


def test_importances_are_near_the_peers() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    own = ours.RandomForestClassifier(200, random_state=0).fit(X, y).feature_importances_
    other = peer.RandomForestClassifier(200, random_state=0).fit(X.astype(np.float32), y).feature_importances_
    assert own.sum() == pytest.approx(1)
    assert np.corrcoef(own, other)[0, 1] > 0.97
    assert np.abs(own - other).max() < 0.05
