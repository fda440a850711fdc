"""The choice of a penalty against fits done one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from pellucid.linear_model import Ridge, RidgeClassifierCV, RidgeCV
from pellucid.model_selection import KFold, ShuffleSplit
from pellucid.reference import ridge as reference

from .test_ridge import data, theta_of

ALPHAS = [0.05, 1.0, 20.0, 300.0]


@pytest.mark.parametrize("shape", [(30, 4), (9, 20), (12, 12)], ids=["tall", "wide", "square"])
@pytest.mark.parametrize("fit_intercept", [True, False], ids=["intercept", "origin"])
@pytest.mark.parametrize("weighted", [True, False], ids=["weighted", "plain"])
@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, sp.csr_array], ids=["C", "F", "csr"])
def test_rows_left_out_have_the_errors_of_fits_without_them(
    form: Any, weighted: bool, fit_intercept: bool, shape: tuple[int, int]
) -> None:
    X, y, weight = data(*shape)
    weight = weight if weighted else None
    model = RidgeCV(ALPHAS, fit_intercept=fit_intercept, store_cv_results=True).fit(form(X), y, weight)
    s = np.ones(len(X)) if weight is None else weight
    for a, alpha in enumerate(ALPHAS):
        errors = reference.leave_one_out(X, y, alpha, weight, fit_intercept)
        np.testing.assert_allclose(model.cv_results_[:, a], s * errors**2, rtol=1e-7)
    chosen = reference.choose_by_leaving_out(X, y, ALPHAS, weight, fit_intercept)
    np.testing.assert_allclose(model.alpha_scores_, chosen.scores, rtol=1e-7)
    assert model.alpha_ == chosen.alpha
    assert model.best_score_ == model.alpha_scores_.max()
    wanted = reference.ridge(X, y, chosen.alpha, weight, fit_intercept).theta
    np.testing.assert_allclose(theta_of(model), wanted, rtol=1e-7, atol=1e-9)


def test_the_formula_with_leverages_is_the_fit_without_the_row() -> None:
    X, y, weight = data(20, 3)
    for alpha in ALPHAS:
        at_once = reference.leave_one_out_at_once(X, y, alpha, weight)
        np.testing.assert_allclose(at_once.errors, reference.leave_one_out(X, y, alpha, weight), rtol=1e-9)
        assert (at_once.leverage > 0).all()
        assert (at_once.leverage < 1).all()


@pytest.mark.parametrize("mode", [None, "auto", "svd", "eigen"])
def test_every_mode_has_the_same_answer(mode: Any) -> None:
    X, y, _ = data()
    plain, other = RidgeCV(ALPHAS).fit(X, y), RidgeCV(ALPHAS, gcv_mode=mode).fit(X, y)
    np.testing.assert_allclose(other.alpha_scores_, plain.alpha_scores_, rtol=1e-10)
    np.testing.assert_allclose(other.coef_, plain.coef_, rtol=1e-10)


def test_rows_of_weight_zero_are_not_seen() -> None:
    for rows, columns in ((30, 4), (9, 20)):
        X, y, weight = data(rows, columns)
        weight[2] = weight[5] = 0
        counted = weight > 0
        model = RidgeCV(ALPHAS, store_cv_results=True, scoring="neg_mean_squared_error").fit(X, y, weight)
        without = RidgeCV(ALPHAS, scoring="neg_mean_squared_error").fit(X[counted], y[counted], weight[counted])
        np.testing.assert_allclose(model.alpha_scores_, without.alpha_scores_, rtol=1e-8)
        np.testing.assert_allclose(model.coef_, without.coef_, rtol=1e-7, atol=1e-9)
        alone = Ridge(ALPHAS[0]).fit(X, y, weight)
        np.testing.assert_allclose(model.cv_results_[2, 0], alone.predict(X[[2]])[0], rtol=1e-7)


# --------------------------------------------------------------------------------------------------------------- parts


@pytest.mark.parametrize("shape", [(33, 4), (14, 30)], ids=["tall", "wide"])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("shuffle", [False, True], ids=["in order", "shuffled"])
def test_parts_are_scored_by_fits_to_the_others(shuffle: bool, form: Any, shape: tuple[int, int]) -> None:
    X, y, _ = data(*shape)
    splitter = KFold(4, shuffle=shuffle, random_state=3 if shuffle else None)
    model = RidgeCV(ALPHAS, cv=splitter).fit(form(X), y)
    chosen = reference.choose_by_parts(X, y, ALPHAS, [test for _, test in splitter.split(X)])
    np.testing.assert_allclose(model.alpha_scores_, chosen.scores, rtol=1e-8)
    assert model.alpha_ == chosen.alpha
    np.testing.assert_allclose(theta_of(model), reference.ridge(X, y, chosen.alpha).theta, rtol=1e-7, atol=1e-9)


def test_means_that_differ_from_part_to_part() -> None:
    """Rows in the order of a column: every part has another mean, and one column is constant in some of them."""
    X, y, _ = data(40, 3)
    X[:, 0] = 1e6 + np.arange(40)
    X[:, 1] = np.arange(40) >= 30
    model = RidgeCV(ALPHAS, cv=4).fit(X, y)
    parts = np.split(np.arange(40), 4)
    chosen = reference.choose_by_parts(X - [1e6, 0, 0], y, ALPHAS, parts)
    np.testing.assert_allclose(model.alpha_scores_, chosen.scores, rtol=1e-7)


def test_parts_of_any_kind() -> None:
    """Splits that overlap, leave rows out, or come as lists and flags."""
    X, y, weight = data(40, 3)
    splits = list(ShuffleSplit(3, test_size=0.3, train_size=0.4, random_state=0).split(X))
    flags = [(np.isin(np.arange(40), train), np.isin(np.arange(40), test)) for train, test in splits]
    models = [RidgeCV(ALPHAS, cv=cv).fit(X, y, weight) for cv in (splits, flags)]
    for model in models:
        for a, alpha in enumerate(ALPHAS):
            scores = [
                Ridge(alpha).fit(X[train], y[train], weight[train]).score(X[test], y[test], weight[test])
                for train, test in splits
            ]
            assert model.alpha_scores_[a] == pytest.approx(np.mean(scores), rel=1e-9)


def test_no_penalty_among_those_of_parts() -> None:
    X, y, _ = data(40, 3)
    model = RidgeCV([0.0, 1e6], cv=4).fit(X, y)
    assert model.alpha_ == 0
    np.testing.assert_allclose(model.coef_, Ridge(0).fit(X, y).coef_, rtol=1e-10)


# -------------------------------------------------------------------------------------------------------------- scores


@pytest.mark.parametrize("cv", [None, 4], ids=["left out", "parts"])
def test_a_score_by_name_and_as_a_function(cv: Any) -> None:
    X, y, _ = data(40, 3)

    def worst(model: Any, table: Any, right: Any) -> float:
        return -float(np.abs(model.predict(table) - right).max())

    named = RidgeCV(ALPHAS, cv=cv, scoring="neg_max_error").fit(X, y)
    own = RidgeCV(ALPHAS, cv=cv, scoring=worst).fit(X, y)
    np.testing.assert_allclose(own.alpha_scores_, named.alpha_scores_, rtol=1e-10)
    assert own.alpha_ == named.alpha_


def test_a_penalty_for_each_target() -> None:
    X, y, _ = data(40, 3)
    Y = np.column_stack([y, np.random.default_rng(1).normal(size=40)])
    model = RidgeCV(ALPHAS, alpha_per_target=True).fit(X, Y)
    for t in range(2):
        alone = RidgeCV(ALPHAS).fit(X, Y[:, t])
        assert model.alpha_[t] == alone.alpha_
        assert model.best_score_[t] == pytest.approx(alone.best_score_)
        np.testing.assert_allclose(model.coef_[t], alone.coef_, rtol=1e-9)
    assert model.alpha_[0] != model.alpha_[1]


@pytest.mark.parametrize("cv", [None, 3], ids=["left out", "parts"])
@pytest.mark.parametrize("classes", [2, 3])
def test_labels_are_compared(classes: int, cv: Any) -> None:
    """With accuracy as the score, rows left out get labels from the fit without them."""
    X, y, _ = data(30, 3)
    names = np.array(["ash", "birch", "cedar"][:classes])
    labels = names[np.searchsorted(np.quantile(y, np.arange(1, classes) / classes), y + 2 * np.sin(np.arange(30)))]
    model = RidgeClassifierCV(ALPHAS, cv=cv, scoring="accuracy").fit(X, labels)
    assert 0.3 < model.best_score_ < 1
    if cv is not None:
        return
    _, targets = reference.signs(labels.tolist())
    for a, alpha in enumerate(ALPHAS):
        errors = np.column_stack([reference.leave_one_out(X, column, alpha) for column in targets.T])
        scores = targets - errors
        best = (scores[:, 0] > 0).astype(int) if classes == 2 else scores.argmax(axis=1)
        assert model.alpha_scores_[a] == pytest.approx(np.mean(names[best] == labels))


def test_several_labels_a_row() -> None:
    X, y, _ = data(30, 3)
    labels = np.column_stack([y > np.median(y), X[:, 0] > 0]).astype(int)
    for settings in ({}, {"cv": 3}, {"scoring": "accuracy"}):
        model = RidgeClassifierCV(ALPHAS, **settings).fit(X, labels)
        assert model.predict(X).shape == labels.shape
        assert model.alpha_ in ALPHAS
