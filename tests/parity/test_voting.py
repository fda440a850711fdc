"""Voting with scikit-learn's members gives scikit-learn's answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sklearn.ensemble as peer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeRegressor

from pellucid.ensemble import VotingClassifier, VotingRegressor

RANDOM = np.random.default_rng(1)
X = RANDOM.normal(size=(90, 4))
NUMBERS = X @ [1.0, 2.0, 0.0, -1.0] + RANDOM.normal(size=90)
LABELS = np.array(["ash", "birch", "cedar"])[np.digitize(NUMBERS, [-1.0, 1.5])]
CLASSIFIERS = [("bayes", GaussianNB()), ("near", KNeighborsClassifier(1)), ("logit", LogisticRegression())]
REGRESSORS = [("line", LinearRegression()), ("tree", DecisionTreeRegressor(max_depth=2, random_state=0))]


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"weights": [2, 1, 1]},
        {"weights": [0.2, 0.5, 0.3], "voting": "soft"},
        {"voting": "soft", "flatten_transform": False},
    ],
)
@pytest.mark.parametrize("dropped", [False, True])
def test_classes(settings: dict[str, Any], dropped: bool) -> None:
    pair = [cls(CLASSIFIERS, **settings) for cls in (VotingClassifier, peer.VotingClassifier)]
    ours, theirs = (
        model.set_params(near="drop" if dropped else KNeighborsClassifier(1)).fit(X, LABELS) for model in pair
    )
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-12)
    assert hasattr(ours, "predict_proba") == hasattr(theirs, "predict_proba")
    if settings.get("voting") == "soft":
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-12)
    if settings.get("flatten_transform", True):
        np.testing.assert_array_equal(ours.get_feature_names_out(), theirs.get_feature_names_out())
    assert list(ours.named_estimators_) == list(theirs.named_estimators_)
    np.testing.assert_array_equal(ours.le_.transform(LABELS), theirs.le_.transform(LABELS))
    assert sorted(ours.get_params()) == sorted(theirs.get_params())


@pytest.mark.parametrize("weights", [None, [1, 3]])
def test_numbers(weights: Any) -> None:
    weight = RANDOM.integers(1, 3, size=len(X)).astype(float)
    ours, theirs = (
        cls(REGRESSORS, weights=weights).fit(X, NUMBERS, sample_weight=weight)
        for cls in (VotingRegressor, peer.VotingRegressor)
    )
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-12)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-12)
    assert ours.score(X, NUMBERS) == pytest.approx(theirs.score(X, NUMBERS))
    np.testing.assert_array_equal(ours.get_feature_names_out(), theirs.get_feature_names_out())
