"""Outliers against scikit-learn's detectors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse
import sklearn.ensemble
import sklearn.neighbors

from pellucid.outliers import IsolationForest, LocalOutlierFactor

from .drawn import some


def table(rows: int = 300, columns: int = 4, seed: int = 0) -> Any:
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, columns))
    X[:10] *= 6
    return X


@pytest.mark.parametrize("metric", ["minkowski", "manhattan", "chebyshev", "cosine", "canberra"])
@pytest.mark.parametrize("k", [3, 20])
def test_local_outlier_factors_are_the_same(k: int, metric: str) -> None:
    X = table()
    ours = LocalOutlierFactor(k, metric=metric)
    theirs = sklearn.neighbors.LocalOutlierFactor(k, metric=metric)
    np.testing.assert_array_equal(ours.fit_predict(X), theirs.fit_predict(X))
    np.testing.assert_allclose(ours.negative_outlier_factor_, theirs.negative_outlier_factor_, rtol=1e-7)
    assert ours.offset_ == theirs.offset_


@pytest.mark.parametrize("algorithm", ["brute", "kd_tree", "ball_tree"])
@pytest.mark.parametrize("contamination", ["auto", 0.1])
def test_new_rows_are_judged_the_same(algorithm: Any, contamination: Any) -> None:
    X, new = table(), table(80, seed=1)
    settings = {"novelty": True, "algorithm": algorithm, "contamination": contamination}
    ours = LocalOutlierFactor(10, **settings).fit(X)
    theirs = sklearn.neighbors.LocalOutlierFactor(10, **settings).fit(X)
    np.testing.assert_allclose(ours.score_samples(new), theirs.score_samples(new), rtol=1e-7)
    np.testing.assert_allclose(ours.decision_function(new), theirs.decision_function(new), rtol=1e-6, atol=1e-8)
    np.testing.assert_array_equal(ours.predict(new), theirs.predict(new))


def test_sparse_rows_are_judged_the_same() -> None:
    X = scipy.sparse.random(200, 30, density=0.2, random_state=0, format="csr")
    ours, theirs = LocalOutlierFactor(10).fit(X), sklearn.neighbors.LocalOutlierFactor(10).fit(X)
    np.testing.assert_allclose(ours.negative_outlier_factor_, theirs.negative_outlier_factor_, rtol=1e-6)


def test_the_methods_that_are_there_are_the_same() -> None:
    for novelty in (False, True):
        ours, theirs = LocalOutlierFactor(novelty=novelty), sklearn.neighbors.LocalOutlierFactor(novelty=novelty)
        for method in ("fit_predict", "predict", "decision_function", "score_samples"):
            assert hasattr(ours, method) == hasattr(theirs, method), (novelty, method)


@pytest.mark.parametrize("settings", some([{}, {"max_samples": 64}, {"max_features": 0.5}, {"bootstrap": True}]))
def test_scores_of_large_forests_are_nearly_the_same(settings: dict[str, Any]) -> None:
    """Trees are drawn from other numbers: of many of them the scores come together."""
    X = table(600)
    ours = IsolationForest(n_estimators=1500, random_state=0, **settings).fit(X).score_samples(X)
    theirs = sklearn.ensemble.IsolationForest(n_estimators=1500, random_state=0, **settings).fit(X).score_samples(X)
    assert np.corrcoef(ours, theirs)[0, 1] > 0.995
    assert np.abs(ours - theirs).max() < 0.03


def test_as_many_outliers_as_asked_for() -> None:
    X = table(600)
    ours = IsolationForest(contamination=0.05, random_state=0).fit_predict(X)
    theirs = sklearn.ensemble.IsolationForest(contamination=0.05, random_state=0).fit_predict(X)
    assert (ours < 0).sum() == (theirs < 0).sum() == 30
