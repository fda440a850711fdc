"""Naive Bayes of counts and flags: the reference's numbers, no smoothing and the m-estimate, parts, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from pellucid.base.errors import DataError, ParameterError, PellucidWarning
from pellucid.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB
from pellucid.reference import count_naive_bayes as reference

RANDOM = np.random.default_rng(5)
Y = RANDOM.integers(0, 3, 150)
X = RANDOM.poisson(0.8, size=(150, 6)) + (RANDOM.random((150, 6)) < 0.3) * Y[:, None]
FLAGS = (X > 0).astype(float)
WEIGHT = RANDOM.integers(0, 4, 150).astype(float)
CHANCE = np.array([0.3, 0.2, 0.2, 0.1, 0.1, 0.1])
SETTINGS: list[dict[str, Any]] = [{}, {"alpha": 0.25}, {"m": 3.0}]
ALL = (MultinomialNB, ComplementNB, BernoulliNB)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, np.asfortranarray], ids=["dense", "sparse", "columns"])
def test_equals_the_reference(form: Any, settings: dict[str, Any]) -> None:
    table = form(X.astype(float))
    for weight in (None, WEIGHT):
        counts, flags = reference.count(X, Y, weight), reference.count(FLAGS, Y, weight)
        drawn = reference.multinomial(counts, **settings)
        model: Any = MultinomialNB(**settings).fit(table, Y, weight)
        np.testing.assert_allclose(model.feature_count_, counts.columns)
        np.testing.assert_allclose(np.exp(model.feature_log_prob_), drawn, rtol=1e-12)
        scores = reference.multinomial_scores(X, counts.prior, drawn)
        np.testing.assert_allclose(model.predict_joint_log_proba(table), np.log(scores), rtol=1e-12)
        np.testing.assert_allclose(model.predict_proba(table), reference.posterior(scores), rtol=1e-10)

        present = reference.bernoulli(flags, **settings)
        model = BernoulliNB(**settings).fit(table, Y, weight)
        np.testing.assert_allclose(np.exp(model.feature_log_prob_), present, rtol=1e-12)
        scores = reference.bernoulli_scores(FLAGS, flags.prior, present)
        np.testing.assert_allclose(model.predict_joint_log_proba(table), np.log(scores), rtol=1e-12)

        for norm in (False, True):
            weights = reference.complement(counts, norm=norm, **settings)
            model = ComplementNB(norm=norm, **settings).fit(table, Y, weight)
            np.testing.assert_allclose(model.feature_log_prob_, weights, rtol=1e-12)
            sums = reference.complement_scores(X, weights)
            np.testing.assert_allclose(model.predict_joint_log_proba(table), sums, rtol=1e-12, atol=1e-12)
            assert model.predict(table).tolist() == sums.argmax(axis=1).tolist()


def test_the_m_estimate_with_its_own_prior() -> None:
    """(N_cj + m p_j) / (N_c + m), with m = 4: words 3 and 1 of class a, none and 4 of b."""
    table, y = [[2, 1], [1, 0], [0, 4]], ["a", "a", "b"]
    model: Any = MultinomialNB(m=4, p=[0.25, 0.75]).fit(table, y)
    np.testing.assert_allclose(np.exp(model.feature_log_prob_), [[4 / 8, 4 / 8], [1 / 8, 7 / 8]], rtol=1e-14)
    flags = BernoulliNB(m=4, p=0.25).fit(table, y)
    np.testing.assert_allclose(np.exp(flags.feature_log_prob_), [[3 / 6, 2 / 6], [1 / 5, 2 / 5]], rtol=1e-14)
    each = BernoulliNB(m=4, p=[0.5, 0.25]).fit(table, y)
    np.testing.assert_allclose(np.exp(each.feature_log_prob_), [[4 / 6, 2 / 6], [2 / 5, 2 / 5]], rtol=1e-14)
    same = MultinomialNB(alpha=2).fit(table, y)  # p alike, and m = p alpha
    np.testing.assert_allclose(MultinomialNB(m=4).fit(table, y).feature_log_prob_, same.feature_log_prob_, rtol=1e-14)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_without_smoothing_what_was_never_seen_is_impossible(form: Any) -> None:
    table, y = form([[2.0, 0.0, 1.0], [0.0, 3.0, 1.0]]), ["a", "b"]
    asked = form([[1.0, 0.0, 0.0], [0.0, 1.0, 5.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    drawn = MultinomialNB(alpha=0, class_prior=[0.25, 0.75]).fit(table, y)
    # The last row: 1/4 1/3 to 3/4 1/4 = 4 : 9. The third no class can have: the priors.
    want = np.array([[1, 0], [0, 1], [0.25, 0.75], [4 / 13, 9 / 13]])
    np.testing.assert_allclose(drawn.predict_proba(asked), want, atol=1e-15)
    assert drawn.predict(asked).tolist() == ["a", "b", "b", "b"]
    assert np.isneginf(drawn.predict_joint_log_proba(asked)[2]).all()
    # Flags: the third word is in every row, so that a row without it is impossible, too.
    flags = BernoulliNB(alpha=0, class_prior=[0.25, 0.75]).fit(table, y)
    seen = form([[1.0, 0.0, 1.0], [0.0, 2.0, 1.0], [1.0, 0.0, 0.0]])
    np.testing.assert_allclose(flags.predict_proba(seen), np.array([[1.0, 0.0], [0.0, 1.0], [0.25, 0.75]]), atol=1e-15)
    # Complement: the limit of small alpha.
    limit = ComplementNB(alpha=0).fit(table, y)
    np.testing.assert_allclose(
        limit.predict_proba(asked), ComplementNB(alpha=1e-290).fit(table, y).predict_proba(asked), atol=1e-12
    )


@pytest.mark.parametrize("kind", ALL)
def test_parts_are_the_whole(kind: Any) -> None:
    whole, parts = kind().fit(X, Y, WEIGHT), kind()
    for rows in np.array_split(np.argsort(Y, kind="stable"), 5):
        parts.partial_fit(sp.csr_array(X[rows]), Y[rows], classes=[0, 1, 2], sample_weight=WEIGHT[rows])
    for name in ("feature_count_", "feature_log_prob_", "class_count_", "class_log_prior_"):
        np.testing.assert_allclose(getattr(parts, name), getattr(whole, name), rtol=1e-12)
    alike = kind(fit_prior=False).fit(X, Y)
    np.testing.assert_allclose(alike.class_prior_, np.full(3, 1 / 3))


def test_probabilities_close_to_one_keep_their_digits() -> None:
    """One row in a million lacks the word: ln(1 - P) = ln(1 / 1e6) exactly, from the counts."""
    model = BernoulliNB(alpha=0).fit([[1], [0]], [0, 0], sample_weight=[999_999, 1])
    assert model.predict_joint_log_proba([[0]])[0, 0] == pytest.approx(np.log(1e-6), rel=1e-15)


@pytest.mark.parametrize("kind", [MultinomialNB, ComplementNB])
def test_counts_below_zero_are_refused_by_name(kind: Any) -> None:
    frame = pd.DataFrame({"cat": [1, 0, 2], "dog": [0, -1, 1]})
    said = r"Negative values in data passed to \w+ \(input X\).*; column 'dog' holds -1 in row 1\."
    with pytest.raises(DataError, match=said):
        kind().fit(frame, [0, 1, 1])
    with pytest.raises(DataError, match="column 'x1' holds -1 in row 1"):
        kind().fit(sp.csr_array(frame.to_numpy()), [0, 1, 1])
    with pytest.raises(DataError, match="column 'dog'"):
        kind().fit(frame.abs(), [0, 1, 1]).predict(frame)


def test_refusals_are_one_sentence() -> None:
    for kind in ALL:
        with pytest.raises(DataError, match="missing value"):
            kind().fit([[1, np.nan], [2, 3]], [0, 1])
        with pytest.raises(DataError, match="infinit"):
            kind().fit(X, Y).predict(np.full((1, 6), np.inf))
        for bad in (-1, np.nan, "one", [1, 2], [[1] * 6], [-1] + [1] * 5, [np.nan] * 6):
            with pytest.raises(ParameterError, match="alpha"):
                kind(alpha=bad).fit(X, Y)
        with pytest.raises(ParameterError, match=r"(?i)priors must match number of classes"):
            kind(class_prior=[1.0]).fit(X, Y)
        with pytest.raises(ParameterError, match=r"\bp must hold|p is an array"):
            kind(m=1, p=[2.0]).fit(X, Y)
        if kind is not BernoulliNB:
            with pytest.raises(DataError, match="counts must have finite sums"):
                kind().fit(np.full((3, 6), 1e308), [0, 0, 1])
        with pytest.warns(PellucidWarning, match="alpha too small"):
            kind(alpha=0, force_alpha=False).fit(X, Y)


def test_flags_without_a_threshold_must_be_flags() -> None:
    model = BernoulliNB(binarize=None).fit(FLAGS, Y)
    np.testing.assert_array_equal(model.predict(FLAGS), BernoulliNB().fit(X, Y).predict(X))
    for table in (X, sp.csr_array(X)):
        with pytest.raises(DataError, match="with binarize=None X must hold 0 and 1; column 'x0' holds"):
            BernoulliNB(binarize=None).fit(table, Y)
        with pytest.raises(DataError, match="must hold 0 and 1"):
            model.predict(table)
