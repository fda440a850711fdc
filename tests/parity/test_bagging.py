"""Bagging draws scikit-learn's samples for the same seed, and with the same model inside gives its answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse
import sklearn.ensemble as peer
from sklearn.linear_model import Perceptron, Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from pellucid.ensemble import BaggingClassifier, BaggingRegressor
from pellucid.tree import DecisionTreeClassifier as OurTree

RANDOM = np.random.default_rng(3)
X = RANDOM.normal(size=(120, 5))
NUMBERS = X @ [1.0, -2.0, 0.5, 0.0, 1.0] + RANDOM.normal(size=120)
LABELS = np.array(["ash", "birch", "cedar"])[np.digitize(NUMBERS, [-1.0, 1.5])]
WEIGHT = RANDOM.integers(0, 4, size=120).astype(float)

SETTINGS: dict[str, dict[str, Any]] = {
    "defaults": {},
    "small samples": {"max_samples": 0.4, "max_features": 3},
    "without replacement": {"bootstrap": False, "max_samples": 50},
    "columns twice": {"bootstrap_features": True, "max_features": 0.9},
    "out of bag": {"oob_score": True, "n_estimators": 30},
}


def draws(ours: Any, theirs: Any) -> None:
    for a, b in zip(ours.estimators_samples_, theirs.estimators_samples_, strict=True):
        np.testing.assert_array_equal(a, b)
    for a, b in zip(ours.estimators_features_, theirs.estimators_features_, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("what", SETTINGS)
def test_classes(what: str) -> None:
    for inside in (KNeighborsClassifier(3), DecisionTreeClassifier(max_depth=3), Perceptron(max_iter=5, tol=None)):
        settings = {"estimator": inside, "random_state": 5, **SETTINGS[what]}
        ours, theirs = BaggingClassifier(**settings).fit(X, LABELS), peer.BaggingClassifier(**settings).fit(X, LABELS)
        draws(ours, theirs)
        if isinstance(inside, Perceptron):  # its steps depend on how rows are given: the samples, not the coefficients
            continue
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-12)
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
        with np.errstate(divide="ignore"):
            np.testing.assert_allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X), atol=1e-9)
        if what == "out of bag":
            np.testing.assert_allclose(ours.oob_decision_function_, theirs.oob_decision_function_, atol=1e-12)
            assert ours.oob_score_ == pytest.approx(theirs.oob_score_)


@pytest.mark.parametrize("what", SETTINGS)
def test_numbers(what: str) -> None:
    for inside in (Ridge(), DecisionTreeRegressor(max_depth=3)):
        settings = {"estimator": inside, "random_state": 5, **SETTINGS[what]}
        ours, theirs = BaggingRegressor(**settings).fit(X, NUMBERS), peer.BaggingRegressor(**settings).fit(X, NUMBERS)
        draws(ours, theirs)
        np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-10)
        if what == "out of bag":
            np.testing.assert_allclose(ours.oob_prediction_, theirs.oob_prediction_, rtol=1e-10)
            assert ours.oob_score_ == pytest.approx(theirs.oob_score_, rel=1e-10)


def test_weights_are_chances() -> None:
    for share in (None, 0.5, 40):
        settings = {"estimator": DecisionTreeClassifier(max_depth=2), "random_state": 1, "max_samples": share}
        ours = BaggingClassifier(**settings).fit(X, LABELS, WEIGHT)
        theirs = peer.BaggingClassifier(**settings).fit(X, LABELS, WEIGHT)
        draws(ours, theirs)
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-12)


def test_our_trees_inside_give_the_answers_of_theirs() -> None:
    """Where no two splits are equally good, as at the root, the trees of both are the same trees."""
    ours = BaggingClassifier(OurTree(max_depth=1), random_state=2).fit(X, LABELS)
    theirs = peer.BaggingClassifier(DecisionTreeClassifier(max_depth=1), random_state=2).fit(X, LABELS)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-12)


def test_sparse_tables_and_decisions() -> None:
    table = scipy.sparse.csr_array(np.where(np.abs(X) < 0.7, 0, X))
    settings = {"estimator": DecisionTreeClassifier(max_depth=3), "random_state": 0, "max_features": 3}
    ours, theirs = (cls(**settings).fit(table, LABELS) for cls in (BaggingClassifier, peer.BaggingClassifier))
    np.testing.assert_allclose(ours.predict_proba(table), theirs.predict_proba(table), atol=1e-12)
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as Line  # takes no weights

    ours, theirs = (cls(Line(), random_state=0).fit(X, LABELS) for cls in (BaggingClassifier, peer.BaggingClassifier))
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-9)


def test_a_seed_is_handed_to_models_inside() -> None:
    inside = DecisionTreeClassifier(max_features=1)
    ours, theirs = (cls(inside, random_state=4).fit(X, LABELS) for cls in (BaggingClassifier, peer.BaggingClassifier))
    assert [m.random_state for m in ours.estimators_] == [m.random_state for m in theirs.estimators_]
