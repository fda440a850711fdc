"""Naive Bayes of numbers and counts beside scikit-learn's: attributes, log probabilities, labels, awkward tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn.naive_bayes as peer

import pellucid.naive_bayes as ours

RANDOM = np.random.default_rng(7)
N, P, K = 300, 7, 4
CODES = RANDOM.integers(0, K, N)
Y = np.array(["ash", "birch", "cedar", "dogwood"])[CODES]
X = RANDOM.normal(size=(N, P)) * np.geomspace(0.01, 100, P) + 2 * RANDOM.normal(size=(K, P))[CODES]
COUNTS = RANDOM.poisson(1 + RANDOM.random((K, P))[CODES])
WEIGHT = RANDOM.random(N)

NUMBERS: dict[str, Any] = {
    "plain": X,
    "columns": np.asfortranarray(X),
    "whole numbers": (10 * X).astype(int),
    "flags": X > 0,
    "constant column": np.column_stack([X, np.full(N, 7.0)]),
    "large": X * 1e100,
    "small": X * 1e-100,
    "frame": pd.DataFrame(X, columns=list("abcdefg")),
    "one column": X[:, :1],
    "wide": RANDOM.normal(size=(N, 400)) + CODES[:, None],
}
AMOUNTS: dict[str, Any] = {
    "plain": COUNTS,
    "fractions": COUNTS / 3,
    "sparse": sp.csr_array(COUNTS),
    "sparse, long indices": sp.csr_array(COUNTS.astype(np.float32)),
    "columns": np.asfortranarray(COUNTS.astype(float)),
    "single precision": COUNTS.astype(np.float32),
    "frame": pd.DataFrame(COUNTS, columns=list("abcdefg")),
    "empty column": np.column_stack([COUNTS, np.zeros(N)]),
    "wide": RANDOM.poisson(0.1, size=(N, 400)),
}


def near(a: Any, b: Any, share: float = 1e-10) -> None:
    a, b = np.asarray(a), np.asarray(b)
    assert a.shape == b.shape
    np.testing.assert_allclose(a, b, rtol=share, atol=share)


def compare(kind: str, table: Any, names: tuple[str, ...], weight: Any = None, **settings: Any) -> None:
    a = getattr(peer, kind)(**settings).fit(table, Y, sample_weight=weight)
    b = getattr(ours, kind)(**settings).fit(table, Y, sample_weight=weight)
    for name in names:
        near(getattr(b, name), getattr(a, name))
    near(b.predict_joint_log_proba(table), a.predict_joint_log_proba(table))
    near(b.predict_log_proba(table), a.predict_log_proba(table), 1e-9)
    near(b.predict_proba(table), a.predict_proba(table), 1e-9)
    assert b.predict(table).tolist() == a.predict(table).tolist()


@pytest.mark.parametrize("name", NUMBERS)
def test_gaussian(name: str) -> None:
    fitted = ("theta_", "var_", "class_count_", "class_prior_", "epsilon_")
    table = NUMBERS[name]
    compare("GaussianNB", table, fitted)
    compare("GaussianNB", table, fitted[:4], priors=[0.1, 0.2, 0.3, 0.4], var_smoothing=1e-3)
    if name not in ("constant column", "flags", "whole numbers"):  # with a variance of zero in a class
        compare("GaussianNB", table, fitted, weight=WEIGHT, var_smoothing=0)


def test_gaussian_in_single_precision_is_nearer_to_the_truth() -> None:
    single = X.astype(np.float32)
    exact = peer.GaussianNB().fit(single.astype(np.float64), Y).predict_joint_log_proba(single.astype(np.float64))
    found = ours.GaussianNB().fit(single, Y).predict_joint_log_proba(single)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, exact, rtol=1e-6)


def test_gaussian_far_from_zero_is_nearer_to_the_truth() -> None:
    """Sums about a class's own value: the variance of 1e8 + noise keeps more digits than two plain passes."""
    far = np.round(X * 256) / 256 + 2.0**27  # exact shifts: the variances are those of the noise
    noise = far - 2.0**27
    want = peer.GaussianNB(var_smoothing=0).fit(noise, Y)
    ours_error = np.abs(ours.GaussianNB(var_smoothing=0).fit(far, Y).var_ / want.var_ - 1).max()
    peer_error = np.abs(peer.GaussianNB(var_smoothing=0).fit(far, Y).var_ / want.var_ - 1).max()
    assert ours_error <= 1e-13
    assert ours_error <= peer_error


@pytest.mark.parametrize("name", AMOUNTS)
@pytest.mark.parametrize("kind", ["MultinomialNB", "ComplementNB", "BernoulliNB"])
def test_counts(kind: str, name: str) -> None:
    fitted = ("feature_count_", "feature_log_prob_", "class_count_", "class_log_prior_")
    table = AMOUNTS[name]
    compare(kind, table, fitted)
    compare(kind, table, fitted, weight=WEIGHT, alpha=0.1, fit_prior=False)
    compare(kind, table, fitted, alpha=1e-12, class_prior=[0.4, 0.3, 0.2, 0.1])
    if kind == "ComplementNB":
        compare(kind, table, (*fitted, "feature_all_"), norm=True)
    if kind == "BernoulliNB":
        compare(kind, table, fitted, binarize=1.0)
    else:
        compare(kind, table, fitted, alpha=np.linspace(0.5, 2, table.shape[1]))


@pytest.mark.parametrize("kind", ["GaussianNB", "MultinomialNB", "ComplementNB", "BernoulliNB"])
def test_parts(kind: str) -> None:
    settings = {"var_smoothing": 0.0} if kind == "GaussianNB" else {}
    a, b = getattr(peer, kind)(**settings), getattr(ours, kind)(**settings)
    for rows in np.array_split(np.arange(N), 4):
        for model in (a, b):
            model.partial_fit(COUNTS[rows] + 1.0, Y[rows], classes=np.unique(Y), sample_weight=WEIGHT[rows])
    near(b.predict_joint_log_proba(COUNTS), a.predict_joint_log_proba(COUNTS))
