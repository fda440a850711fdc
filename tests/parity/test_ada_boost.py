"""AdaBoost against scikit-learn's: same stumps where splits are unique, equal weights, errors and staged answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn.ensemble as peer
import sklearn.tree as peer_tree
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LogisticRegression

from pellucid.ensemble import AdaBoostClassifier, AdaBoostRegressor
from pellucid.tree import DecisionTreeClassifier

RNG = np.random.default_rng(11)
X = RNG.normal(size=(200, 4)).astype(np.float32).astype(float)  # scikit-learn's trees read single precision
NOISE = RNG.normal(size=200)
WEIGHT = RNG.random(200)


def labels(classes: int) -> Any:
    return np.clip(np.floor(X[:, 0] + X[:, 1] * X[:, 2] + NOISE / 2 + classes / 2), 0, classes - 1).astype(int)


def assert_alike(ours: Any, theirs: Any, rows: Any) -> None:
    assert_allclose(ours.estimator_weights_, theirs.estimator_weights_, rtol=1e-9, atol=1e-12)
    assert_allclose(ours.estimator_errors_, theirs.estimator_errors_, rtol=1e-9)
    assert len(ours.estimators_) == len(theirs.estimators_)
    assert_allclose(ours.decision_function(rows), theirs.decision_function(rows), atol=1e-9)
    assert_array_equal(ours.predict(rows), theirs.predict(rows))
    for left, right in zip(ours.staged_predict_proba(rows), theirs.staged_predict_proba(rows), strict=True):
        assert_allclose(left, right, atol=1e-9)


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("rate", [1.0, 0.3])
def test_stumps(classes: int, rate: float) -> None:
    y = labels(classes)
    ours = AdaBoostClassifier(n_estimators=25, learning_rate=rate).fit(X, y, WEIGHT)
    theirs = peer.AdaBoostClassifier(n_estimators=25, learning_rate=rate).fit(X, y, sample_weight=WEIGHT)
    assert_alike(ours, theirs, X)
    assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=1e-9)
    for left, right in zip(ours.staged_score(X, y), theirs.staged_score(X, y), strict=True):
        assert left == pytest.approx(right)
    for stump, other in zip(ours.estimators_, theirs.estimators_, strict=True):
        assert stump.tree_.feature[0] == other.tree_.feature[0]
        assert_allclose(stump.tree_.threshold[0], other.tree_.threshold[0], rtol=1e-6)
        assert_allclose(stump.tree_.impurity, other.tree_.impurity, atol=1e-12)


@pytest.mark.parametrize("form", ["float32", "whole numbers", "frame", "constant column", "one column", "huge"])
def test_awkward_tables(form: str) -> None:
    y = np.array(["no", "yes"])[labels(2)]
    tables: dict[str, Any] = {
        "float32": X.astype(np.float32),
        "whole numbers": np.floor(X[:, :1] * 100).astype(int),
        "frame": pd.DataFrame(X, columns=list("abcd")),
        "constant column": np.column_stack([np.ones(200), X[:, 0]]),
        "one column": X[:, :1],
        "huge": X * 2.0**100,
    }
    rows = tables[form]
    ours = AdaBoostClassifier(n_estimators=10).fit(rows, y)
    assert_alike(ours, peer.AdaBoostClassifier(n_estimators=10).fit(rows, y), rows)


def test_other_models() -> None:
    y = labels(3)
    pairs = [
        (DecisionTreeClassifier(max_depth=2), peer_tree.DecisionTreeClassifier(max_depth=2)),
        (LogisticRegression(), LogisticRegression()),
    ]
    for own, other in pairs:
        ours = AdaBoostClassifier(own, n_estimators=6, random_state=0).fit(X, y, WEIGHT)
        theirs = peer.AdaBoostClassifier(other, n_estimators=6, random_state=0).fit(X, y, sample_weight=WEIGHT)
        assert_alike(ours, theirs, X)


@pytest.mark.parametrize("loss", ["linear", "square", "exponential"])
def test_numbers(loss: str) -> None:
    """One column: on drawn rows of several, equally good splits are common, among which scikit-learn draws."""
    x, y = X[:, :1], np.sin(2 * X[:, 0]) + NOISE / 10
    told: Any = {"n_estimators": 12, "loss": loss, "learning_rate": 0.5, "random_state": 3}
    ours = AdaBoostRegressor(**told).fit(x, y, WEIGHT)
    theirs = peer.AdaBoostRegressor(**told).fit(x, y, sample_weight=WEIGHT)
    assert_allclose(ours.estimator_weights_, theirs.estimator_weights_, rtol=1e-9)
    assert_allclose(ours.estimator_errors_, theirs.estimator_errors_, rtol=1e-9)
    assert_allclose(ours.predict(x), theirs.predict(x), rtol=1e-9, atol=1e-12)
    for left, right in zip(ours.staged_predict(x), theirs.staged_predict(x), strict=True):
        assert_allclose(left, right, rtol=1e-9, atol=1e-12)


def test_one_class_and_one_row() -> None:
    ours, theirs = (model().fit([[1.0], [2.0]], [3, 3]) for model in (AdaBoostClassifier, peer.AdaBoostClassifier))
    assert_array_equal(ours.predict([[5.0]]), theirs.predict([[5.0]]))
    assert_array_equal(ours.predict_proba([[5.0]]), theirs.predict_proba([[5.0]]))
    assert AdaBoostRegressor().fit([[1.0]], [2.5]).predict([[9.0]]).tolist() == [2.5]
