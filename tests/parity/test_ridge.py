"""Ridge regression beside scikit-learn's: shapes, attributes, awkward tables."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn.linear_model as peer

import pellucid.linear_model as ours

RANDOM = np.random.default_rng(7)
X = RANDOM.normal(size=(50, 4))
Y = X @ [1.0, -2.0, 0.5, 0.0] + RANDOM.normal(size=50)
WEIGHT = RANDOM.random(50)
AWKWARD: dict[str, Any] = {
    "single precision": X.astype(np.float32),
    "whole numbers": (10 * X).astype(int),
    "flags": X > 0,
    "constant column": np.column_stack([X, np.full(50, 7.0)]),
    "equal columns": np.column_stack([X, X[:, 0]]),
    "huge": X * 1e100,
    "tiny": X * 1e-6,
    "far from zero": X + 1e6,
    "wide": RANDOM.normal(size=(50, 80)),
    "frame": pd.DataFrame(X, columns=list("abcd")),
    "sparse": sp.csr_array(np.where(X > 0, X, 0)),
}


def near(a: Any, b: Any, share: float = 1e-7) -> None:
    a, b = np.asarray(a), np.asarray(b)
    assert a.shape == b.shape
    np.testing.assert_allclose(a, b, rtol=share, atol=share * np.abs(b).max(initial=0))


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("name", AWKWARD)
def test_awkward_tables(name: str, weighted: bool) -> None:
    table, weight = AWKWARD[name], WEIGHT if weighted else None
    dense = table.toarray() if sp.issparse(table) else table
    mine, theirs = ours.Ridge(2.0).fit(table, Y, weight), peer.Ridge(2.0, solver="svd").fit(dense, Y, weight)
    share = 1e-4 if name == "single precision" else 1e-6
    near(mine.coef_, theirs.coef_, share)
    near(mine.predict(table), theirs.predict(dense), share)
    assert mine.coef_.dtype == theirs.coef_.dtype


@pytest.mark.parametrize("y", [Y, Y[:, None], np.column_stack([Y, -Y, Y**2])], ids=["vector", "column", "three"])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("cv", [None, 3])
def test_shapes(y: Any, intercept: bool, cv: Any) -> None:
    for name, settings in (("Ridge", {}), ("RidgeCV", {"cv": cv})):
        mine = getattr(ours, name)(fit_intercept=intercept, **settings).fit(X, y)
        theirs = getattr(peer, name)(fit_intercept=intercept, **settings).fit(X, y)
        near(mine.coef_, theirs.coef_)
        near(mine.intercept_, theirs.intercept_)
        near(mine.predict(X), theirs.predict(X))


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"store_cv_results": True},
        {"scoring": "r2"},
        {"scoring": "neg_mean_absolute_error", "store_cv_results": True},
        {"cv": 3},
        {"cv": 4, "scoring": "neg_mean_squared_error"},
        {"alpha_per_target": True},
        {"alpha_per_target": True, "scoring": "r2"},
        {"gcv_mode": "svd"},
    ],
    ids=str,
)
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("columns", [4, 80], ids=["tall", "wide"])
def test_the_choice_of_a_penalty(settings: dict[str, Any], weighted: bool, columns: int) -> None:
    table, weight = (X if columns == 4 else AWKWARD["wide"]), WEIGHT if weighted else None
    y = np.column_stack([Y, RANDOM.normal(size=50)])
    alphas = [0.1, 1.0, 10.0, 100.0]
    mine = ours.RidgeCV(alphas, **settings).fit(table, y, weight)
    theirs = peer.RidgeCV(alphas, **settings).fit(table, y, sample_weight=weight)
    near(mine.alpha_, theirs.alpha_)
    near(mine.best_score_, theirs.best_score_)
    near(mine.coef_, theirs.coef_)
    if "store_cv_results" in settings:
        near(mine.cv_results_, theirs.cv_results_)


@pytest.mark.parametrize("kind", ["two", "three", "labels"])
@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_classes(kind: str, class_weight: Any) -> None:
    cuts = {"two": [0.0], "three": [-1.0, 1.0]}
    y = np.column_stack([Y > 0, X[:, 0] > 0]).astype(int) if kind == "labels" else np.searchsorted(cuts[kind], Y)
    mine = ours.RidgeClassifier(class_weight=class_weight).fit(X, y)
    theirs = peer.RidgeClassifier(class_weight=class_weight).fit(X, y)
    near(mine.coef_.ravel(), theirs.coef_.ravel())
    near(mine.intercept_, theirs.intercept_)
    near(mine.decision_function(X), theirs.decision_function(X))
    assert (mine.predict(X) == theirs.predict(X)).all()
    assert (mine.classes_ == theirs.classes_).all()
    for settings in ({}, {"cv": 3}, {"store_cv_results": True}):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            chosen = ours.RidgeClassifierCV(class_weight=class_weight, **settings).fit(X, y)
            wanted = peer.RidgeClassifierCV(class_weight=class_weight, **settings).fit(X, y)
        assert chosen.alpha_ == wanted.alpha_
        near(chosen.best_score_, wanted.best_score_)
        near(chosen.coef_.ravel(), wanted.coef_.ravel())
