"""Discriminants beside scikit-learn's: fitted numbers and answers to ten digits, on plain and awkward tables."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn.discriminant_analysis as peer
from sklearn.covariance import OAS

import pellucid.discriminant_analysis as ours

RANDOM = np.random.default_rng(11)
SHARE = 1e-10


def table(n: int, p: int, K: int) -> tuple[Any, Any]:
    y = np.r_[np.arange(K), np.arange(K), RANDOM.integers(0, K, n - 2 * K)]
    return RANDOM.normal(size=(n, p)) @ RANDOM.normal(size=(p, p)) + 2 * RANDOM.normal(size=(K, p))[y] + 5, y


def near(a: Any, b: Any, share: float = SHARE, what: str = "") -> None:
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    assert a.shape == b.shape, what
    np.testing.assert_allclose(a, b, rtol=0, atol=share * np.abs(b).max(initial=0), err_msg=what)


def up_to_sign(a: Any, b: Any, share: float = SHARE) -> None:
    near(a * np.sign((a * b).sum(axis=0)), b, share)


def tolerance(X: Any, y: Any) -> float:
    """Ten digits, or those that solving with the covariance within classes leaves in 64-bit floats: how much two
    correct solvers may differ grows with its condition number, and which digits differ depends on the BLAS kernel."""
    centered = np.concatenate([X[y == k] - X[y == k].mean(axis=0) for k in np.unique(y)])
    return max(SHARE, np.finfo(float).eps * float(np.linalg.cond(centered)) ** 2)


def same_lda(settings: dict[str, Any], X: Any, y: Any, share: float = SHARE) -> None:
    a, b = ours.LinearDiscriminantAnalysis(**settings).fit(X, y), peer.LinearDiscriminantAnalysis(**settings).fit(X, y)
    names = ("coef_", "intercept_", "means_", "priors_", "covariance_", "explained_variance_ratio_", "xbar_")
    for name in names:
        if hasattr(b, name):
            near(getattr(a, name), getattr(b, name), share, name)
    for method in ("decision_function", "predict_proba"):
        near(getattr(a, method)(X), getattr(b, method)(X), share, method)
    np.testing.assert_array_equal(a.predict(X), b.predict(X))
    logs = b.predict_log_proba(X)
    sure = (logs > -10) & (logs < -1e-3)  # theirs are logarithms of rounded probabilities
    near(a.predict_log_proba(X)[sure], logs[sure], 1e-9)
    if settings.get("solver") != "lsqr":
        up_to_sign(a.transform(X), b.transform(X), share)
        width = b.transform(X).shape[1]
        up_to_sign(a.scalings_[:, :width], b.scalings_[:, :width], share)
        np.testing.assert_array_equal(a.get_feature_names_out(), b.get_feature_names_out()[:width])


@pytest.mark.parametrize("solver", ["svd", "lsqr", "eigen"])
@pytest.mark.parametrize(("p", "K"), [(1, 2), (2, 2), (3, 4), (6, 3)])
def test_linear(solver: str, p: int, K: int) -> None:
    X, y = table(150, p, K)
    priors = np.arange(1, K + 1) / np.arange(1, K + 1).sum()
    plain: dict[str, Any] = {"solver": solver}
    share = tolerance(X, y)
    same_lda(plain, X, y, share)
    same_lda({**plain, "priors": priors, "n_components": 1, "store_covariance": True}, X, y, share)
    if solver != "svd":
        for more in ({"shrinkage": 0.3}, {"shrinkage": "auto"}, {"covariance_estimator": OAS()}):
            same_lda({**plain, **more}, X, y)


@pytest.mark.parametrize(("p", "K"), [(1, 2), (2, 3), (6, 2)])
def test_quadratic(p: int, K: int) -> None:
    X, y = table(200, p, K)
    for settings in (
        {},
        {"store_covariance": True, "priors": np.arange(1, K + 1) / np.arange(1, K + 1).sum()},
        {"reg_param": 0.2, "store_covariance": True},
        {"solver": "eigen", "store_covariance": True},
        {"solver": "eigen", "shrinkage": 0.3, "store_covariance": True},
        {"solver": "eigen", "shrinkage": "auto", "store_covariance": True},
        {"solver": "eigen", "covariance_estimator": OAS()},
    ):
        a = ours.QuadraticDiscriminantAnalysis(**settings).fit(X, y)
        b = peer.QuadraticDiscriminantAnalysis(**settings).fit(X, y)
        for name in ("means_", "priors_", "covariance_", "scalings_"):
            if hasattr(b, name):
                near(getattr(a, name), getattr(b, name), what=name)
        for mine, theirs in zip(a.rotations_, b.rotations_, strict=True):
            up_to_sign(mine, theirs, 1e-8)
        for method in ("decision_function", "predict_proba", "predict_log_proba"):
            near(getattr(a, method)(X), getattr(b, method)(X), what=method)
        np.testing.assert_array_equal(a.predict(X), b.predict(X))


def test_awkward_tables() -> None:
    X, y = table(120, 3, 3)
    near_dependent = np.column_stack([X, X @ [1.0, 2.0, 3.0] + 1e-3 * RANDOM.normal(size=120)])
    for name, (X_now, share) in {
        "whole numbers": ((10 * X).astype(int), SHARE),
        "flags beside numbers": (np.column_stack([X, RANDOM.random(120) > 0.5]), SHARE),
        "equal columns": (np.column_stack([X, X[:, 0]]), SHARE),
        "constant column": (np.column_stack([X, np.full(120, 7.0)]), SHARE),
        "nearly dependent": (near_dependent, 1e-8),
        "large": (X * 1e100, SHARE),
        "small": (X * 1e-100, SHARE),
        "unlike columns": (X * [1e-6, 1.0, 1e6], 1e-9),
        "wide": (RANDOM.normal(size=(120, 130)), 1e-8),
        "frame": (pd.DataFrame(X, columns=list("abc")), SHARE),
    }.items():
        labels = np.array(["ash", "birch", "cedar"])[y]
        a, b = (
            ours.LinearDiscriminantAnalysis().fit(X_now, labels),
            peer.LinearDiscriminantAnalysis().fit(X_now, labels),
        )
        near(a.coef_, b.coef_, share, name)
        near(a.predict_proba(X_now), b.predict_proba(X_now), share, name)
        np.testing.assert_array_equal(a.predict(X_now), b.predict(X_now), err_msg=name)


def test_single_precision_is_read_as_it_is() -> None:
    X, y = table(500, 4, 3)
    single = X.astype(np.float32)
    a, b = ours.LinearDiscriminantAnalysis().fit(single, y), peer.LinearDiscriminantAnalysis().fit(single, y)
    assert a.predict_proba(single).dtype == b.predict_proba(single).dtype == np.float32
    near(a.predict_proba(single), b.predict_proba(single), 1e-4)
    exact = ours.LinearDiscriminantAnalysis().fit(single.astype(float), y)
    near(a.coef_, exact.coef_, 1e-13)


def test_far_from_zero_no_digit_is_lost() -> None:
    """The same classes moved by 2**30: sums start at the center, and only the means themselves are rounded there."""
    X, y = table(200, 3, 3)
    X = np.round(X * 2**10) / 2**10
    for cls in (ours.LinearDiscriminantAnalysis, ours.QuadraticDiscriminantAnalysis):
        near(cls().fit(X + 2.0**30, y).predict_log_proba(X + 2.0**30), cls().fit(X, y).predict_log_proba(X), 1e-6)


def test_words_that_differ() -> None:
    """Where theirs fails or stops, ours goes on: tiny columns, and logarithms below -708."""
    X, y = table(100, 2, 2)
    with pytest.raises(np.linalg.LinAlgError):
        peer.QuadraticDiscriminantAnalysis().fit(X * 1e-6, y)
    tiny, plain = (ours.QuadraticDiscriminantAnalysis().fit(X * scale, y) for scale in (1e-6, 1.0))
    near(tiny.predict_proba(X * 1e-6), plain.predict_proba(X))
    far = np.array([[-1e4, 0.0], [1e4, 0.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        floor = peer.LinearDiscriminantAnalysis().fit(X, y).predict_log_proba(far).min()
    assert floor == pytest.approx(np.log(np.finfo(float).smallest_normal))
    model = ours.LinearDiscriminantAnalysis().fit(X, y)
    near(model.predict_log_proba(far).min(axis=1), -np.abs(model.decision_function(far)))
