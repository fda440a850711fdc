"""The baselines against scikit-learn's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sklearn.dummy as peer

from pellucid.dummy import DummyClassifier, DummyRegressor

RNG = np.random.default_rng(0)
X = RNG.standard_normal((31, 2))
Y = RNG.standard_normal((31, 3))
LABELS = RNG.choice(["a", "b", "c"], size=(31, 2), p=[0.5, 0.3, 0.2])
WEIGHT = RNG.integers(0, 4, size=31).astype(float)

REGRESSORS = [
    {"strategy": "mean"},
    {"strategy": "median"},
    {"strategy": "quantile", "quantile": 0.0},
    {"strategy": "quantile", "quantile": 0.37},
    {"strategy": "quantile", "quantile": 1.0},
]


@pytest.mark.parametrize("settings", REGRESSORS, ids=str)
@pytest.mark.parametrize("columns", [0, slice(0, 1), slice(0, 3)], ids=["vector", "one column", "three columns"])
def test_regressor(settings: dict[str, Any], columns: Any) -> None:
    y = Y[:, columns]
    ours, theirs = DummyRegressor(**settings).fit(X, y), peer.DummyRegressor(**settings).fit(X, y)
    np.testing.assert_allclose(ours.constant_, theirs.constant_, rtol=1e-13)
    if np.ndim(columns) == 0 and isinstance(columns, slice) and y.shape[1] == 1:
        assert ours.predict(X).shape == (31, 1)  # the target's own shape; scikit-learn drops the column
    else:
        np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-13)
    assert ours.n_outputs_ == theirs.n_outputs_


def test_weighted_mean() -> None:
    ours, theirs = (cls().fit(X, Y[:, 0], WEIGHT) for cls in (DummyRegressor, peer.DummyRegressor))
    np.testing.assert_allclose(ours.constant_, theirs.constant_, rtol=1e-13)


@pytest.mark.parametrize("q", [0.0, 0.2, 0.5, 0.9, 1.0])
def test_a_weight_is_a_repetition_for_quantiles(q: float) -> None:
    """scikit-learn takes another definition for weighted quantiles; ours is that of the rows written out."""
    model = DummyRegressor(strategy="quantile", quantile=q).fit(X, Y[:, 0], WEIGHT)
    written_out = np.repeat(Y[:, 0], WEIGHT.astype(int))
    np.testing.assert_allclose(model.constant_[0, 0], np.quantile(written_out, q), rtol=1e-12)


@pytest.mark.parametrize("strategy", ["prior", "most_frequent", "uniform"])
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
def test_classifier(strategy: str, weight: Any) -> None:
    y = LABELS[:, 0]
    ours = DummyClassifier(strategy=strategy, random_state=0).fit(X, y, weight)
    theirs = peer.DummyClassifier(strategy=strategy, random_state=0).fit(X, y, weight)
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)
    np.testing.assert_allclose(ours.class_prior_, theirs.class_prior_, rtol=1e-13)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-13)
    if strategy != "uniform":
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
        assert ours.score(X, y) == pytest.approx(theirs.score(X, y))


def test_classifier_of_several_targets() -> None:
    ours, theirs = (cls().fit(X, LABELS) for cls in (DummyClassifier, peer.DummyClassifier))
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    for mine, other in zip(ours.predict_proba(X), theirs.predict_proba(X), strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-13)


def test_constant_label() -> None:
    ours, theirs = (
        cls(strategy="constant", constant="b").fit(X, LABELS[:, 0]) for cls in (DummyClassifier, peer.DummyClassifier)
    )
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_array_equal(ours.predict_proba(X), theirs.predict_proba(X))


def test_drawn_labels_follow_the_shares() -> None:
    y = LABELS[:, 0]
    model = DummyClassifier(strategy="stratified", random_state=3).fit(X, y)
    many = np.zeros((20_000, 2))
    drawn = model.predict(many)
    shares = [(drawn == label).mean() for label in model.classes_]
    np.testing.assert_allclose(shares, model.class_prior_, atol=0.02)  # five standard deviations
    np.testing.assert_array_equal(drawn, model.predict(many))
