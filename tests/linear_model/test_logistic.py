"""Logistic regression: what it minimizes, what it says, what it refuses, and what it says about separated classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV as TheirSearch

from pellucid.base.errors import ConvergenceWarning, DataError, ParameterError, SeparationWarning
from pellucid.linear_model import LogisticRegression, LogisticRegressionCV
from pellucid.metrics import cost_matrix, tune_threshold
from pellucid.model_selection import FixedThresholdClassifier, GridSearchCV
from pellucid.reference import logistic_models as reference

IRIS, SPECIES = load_iris(return_X_y=True)
X, Y = IRIS[50:, 1:], SPECIES[50:] - 1
TIGHT = {"tol": 1e-11, "max_iter": 5000}
SOLVERS = ["lbfgs", "newton-cholesky", "newton-cg", "coordinate-descent", "auto"]


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
def test_two_classes_have_the_minimum_of_the_reference(solver: str, C: float) -> None:
    model = LogisticRegression(C=C, solver=solver, **TIGHT).fit(X, Y)
    planes = reference.minimize(X, Y, C)
    np.testing.assert_allclose(model.coef_, planes.coef, rtol=1e-5)
    np.testing.assert_allclose(model.predict_proba(X), reference.probabilities(X, planes), atol=1e-6)
    np.testing.assert_array_equal(model.predict(X), reference.classify(X, planes))


@pytest.mark.parametrize("solver", ["lbfgs", "saga", "auto", "newton-cholesky"])
def test_softmax_has_the_minimum_of_the_reference(solver: str) -> None:
    settings = {"tol": 1e-6, "max_iter": 20_000} if solver == "saga" else {"tol": 1e-9, "max_iter": 5000}
    model = LogisticRegression(solver=solver, random_state=0, **settings).fit(IRIS, SPECIES)
    planes, margin = reference.minimize(IRIS, SPECIES, 1.0), 1e-3 if solver == "saga" else 1e-4
    np.testing.assert_allclose(model.predict_proba(IRIS), reference.probabilities(IRIS, planes), atol=margin)
    np.testing.assert_allclose(model.coef_.sum(axis=0), 0, atol=1e-6)
    np.testing.assert_allclose(model.intercept_.sum(), 0, atol=1e-9)


def test_liblinear_and_one_versus_rest_have_the_minimum_of_the_reference() -> None:
    model = LogisticRegression(solver="liblinear", **TIGHT).fit(IRIS, SPECIES)
    planes = reference.one_versus_rest(lambda y: reference.minimize(IRIS, y, penalize_intercept=True), SPECIES)
    np.testing.assert_allclose(model.coef_, planes.coef, atol=1e-6)
    chances = reference.one_versus_rest_probabilities(IRIS, planes)
    np.testing.assert_allclose(model.predict_proba(IRIS), chances, atol=1e-7)


def test_cross_entropy_of_two_classes_is_the_log_loss() -> None:
    planes = reference.minimize(X, Y)
    p = reference.sigmoid(reference.scores(X, planes)[:, 0])
    by_hand = -(Y * np.log(p) + (1 - Y) * np.log(1 - p)).mean()
    assert reference.log_loss(Y, reference.probabilities(X, planes)) == pytest.approx(by_hand, rel=1e-12)


def test_a_score_of_zero_is_the_first_class() -> None:
    model = LogisticRegression.from_naive_bayes(means=[[0.0], [2.0]], variances=[1.0], classes=["no", "yes"])
    assert model.predict([[1.0], [1.0000001]]).tolist() == ["no", "yes"]


def test_weights_are_repetitions() -> None:
    weight = np.random.default_rng(0).integers(0, 4, len(X))
    for solver in SOLVERS:
        model = LogisticRegression(solver=solver, **TIGHT)
        coef = model.fit(X, Y, weight).coef_
        np.testing.assert_allclose(coef, model.fit(np.repeat(X, weight, axis=0), np.repeat(Y, weight)).coef_, rtol=1e-5)


def test_class_weights_multiply_the_rows() -> None:
    by_class = LogisticRegression(class_weight={0: 2.0, 1: 0.5}, **TIGHT).fit(X, Y)
    by_row = LogisticRegression(**TIGHT).fit(X, Y, np.where(Y == 0, 2.0, 0.5))
    np.testing.assert_allclose(by_class.coef_, by_row.coef_, rtol=1e-9)
    few = np.r_[0:50, 50:60]
    balanced = LogisticRegression(class_weight="balanced", **TIGHT).fit(X[few], Y[few])
    alike = LogisticRegression(class_weight={0: 60 / 100, 1: 60 / 20}, **TIGHT).fit(X[few], Y[few])
    np.testing.assert_allclose(balanced.coef_, alike.coef_, rtol=1e-9)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("C", [1e-12, 1e12])
def test_extreme_penalties(solver: str, C: float) -> None:
    model = LogisticRegression(C=C, solver=solver, tol=1e-9, max_iter=20_000).fit(X, Y)
    if C < 1:
        assert np.abs(model.coef_).max() < 1e-9
        np.testing.assert_allclose(model.predict_proba(X)[:, 1], 0.5, atol=1e-6)
    else:
        free = LogisticRegression(C=np.inf, solver="auto", **TIGHT).fit(X, Y)
        np.testing.assert_allclose(model.predict_proba(X), free.predict_proba(X), atol=1e-4)


def test_dependent_and_constant_columns() -> None:
    wide = np.column_stack([X, X[:, 0], 2 * X[:, 1], np.full(len(X), 3.0)])
    for solver in SOLVERS:
        model = LogisticRegression(C=np.inf, solver=solver, tol=1e-9, max_iter=20_000).fit(wide, Y)
        free = LogisticRegression(C=np.inf, solver="auto", **TIGHT).fit(X, Y)
        np.testing.assert_allclose(model.predict_proba(wide), free.predict_proba(X), atol=1e-4)


def test_one_column_of_zeros_leaves_the_shares() -> None:
    model = LogisticRegression(**TIGHT).fit(np.zeros((4, 1)), [0, 0, 0, 1])
    np.testing.assert_allclose(model.predict_proba([[0.0]]), [[0.75, 0.25]], atol=1e-9)


def test_warm_start_goes_on_where_the_last_fit_ended() -> None:
    model = LogisticRegression(warm_start=True, **TIGHT).fit(X, Y)
    first = model.n_iter_[0]
    assert model.fit(X, Y).n_iter_[0] < first
    assert model.fit(IRIS, SPECIES).coef_.shape == (3, 4)  # other columns: from zero


def test_a_path_over_c_is_each_fit_alone() -> None:
    values = [10.0, 0.01, 1.0]
    path = LogisticRegression(**TIGHT).fit_path("C", values, X, Y)
    for C, model in zip(values, path.models, strict=True):
        alone = LogisticRegression(C=C, **TIGHT).fit(X, Y)
        np.testing.assert_allclose(model.coef_, alone.coef_, rtol=1e-5, atol=1e-8)
        assert model.C == C
        assert set(vars(model)) == set(vars(alone))


def test_a_search_over_c_finds_what_the_peers_search_finds() -> None:
    grid = {"C": [0.01, 0.1, 1.0, 10.0]}
    ours = GridSearchCV(LogisticRegression(**TIGHT), grid, cv=5, scoring="neg_log_loss").fit(X, Y)
    plain = TheirSearch(LogisticRegression(**TIGHT), grid, cv=5, scoring="neg_log_loss").fit(X, Y)
    assert ours.best_params_ == plain.best_params_
    np.testing.assert_allclose(ours.cv_results_["mean_test_score"], plain.cv_results_["mean_test_score"], rtol=1e-6)


def test_frames_keep_their_names() -> None:
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = LogisticRegression().fit(frame, pd.Series(Y).map({0: "no", 1: "yes"}))
    assert model.classes_.tolist() == ["no", "yes"]
    np.testing.assert_array_equal(model.predict_proba(frame[["c", "a", "b"]]), model.predict_proba(frame))


# ----------------------------------------------------------------------------------------------------------- thresholds


def test_a_threshold_is_chosen_and_applied() -> None:
    model = LogisticRegression(**TIGHT).fit(X, Y)
    chances = model.predict_proba(X)[:, 1]
    for how in ({"metric": "f1"}, {"metric": "balanced_accuracy"}, {"costs": cost_matrix(false_negative=10)}):
        choice = tune_threshold(Y, chances, **how)
        fixed = FixedThresholdClassifier(LogisticRegression(**TIGHT), threshold=choice.threshold - 1e-12).fit(X, Y)
        np.testing.assert_array_equal(fixed.predict(X), chances >= choice.threshold)


# ----------------------------------------------------------------------------------------------------------- separation


@pytest.mark.parametrize("solver", ["lbfgs", "newton-cholesky", "auto", "coordinate-descent"])
def test_separated_classes_are_reported(solver: str) -> None:
    with pytest.warns(SeparationWarning, match="parts the classes 'no', 'yes'"):
        model = LogisticRegression(C=np.inf, solver=solver).fit([[1], [2], [4], [5]], ["no", "no", "yes", "yes"])
    assert model.separated_ == ["no", "yes"]
    assert model.predict([[0], [6]]).tolist() == ["no", "yes"]


def test_a_class_apart_from_two_that_overlap_is_named() -> None:
    names = np.array(["setosa", "versicolor", "virginica"])[SPECIES]
    with pytest.warns(SeparationWarning, match="part class 'setosa' from the others"):
        model = LogisticRegression(C=np.inf, max_iter=2000).fit(IRIS, names)
    assert model.separated_ == ["setosa"]


def test_a_flag_that_one_class_has_alone_is_named() -> None:
    flag = np.array([0, 0, 0, 0, 1, 1])
    with pytest.warns(SeparationWarning, match="column 'flag' alone parts"):
        LogisticRegression(C=np.inf).fit(pd.DataFrame({"flag": flag}), [0, 1, 0, 1, 1, 1])


def test_with_a_penalty_nothing_is_said() -> None:
    model = LogisticRegression(C=1e6, max_iter=10_000).fit([[1.0], [2.0], [4.0], [5.0]], [0, 0, 1, 1])
    assert model.separated_ == []


# ------------------------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"l1_ratio": 1.0}, r"solver='lbfgs' needs a smooth cost.*solvers that fit: 'auto', .*'liblinear'"),
        ({"l1_ratio": 0.5, "solver": "sag"}, r"solvers that fit: 'auto', 'coordinate-descent', 'saga'\."),
        ({"l1_ratio": 0.5, "solver": "liblinear"}, "takes an l1 or an l2 penalty; got an elastic-net penalty"),
        ({"C": np.inf, "solver": "liblinear"}, "got no penalty"),
        ({"penalty": "elasticnet", "l1_ratio": None, "solver": "saga"}, "needs l1_ratio"),
        ({"solver": "liblinear", "multi_class": "multinomial"}, "does not solve the softmax problem"),
        ({"C": 0.0}, "C must be a number above 0"),
        ({"class_weight": {"x": 1.0}}, "labels of y as keys"),
        ({"class_weight": {0: -1.0}}, "finite numbers of zero or more"),
    ],
    ids=str,
)
def test_settings_that_do_not_fit_are_refused(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=f"(?s){words}"):
        LogisticRegression(**settings).fit(IRIS, SPECIES)


def test_one_class_is_refused_in_scikit_learns_words() -> None:
    with pytest.raises(DataError, match=r"at least 2 classes in the data, but the data contains only one class"):
        LogisticRegression().fit(X, np.zeros(len(X)))
    with pytest.raises(DataError, match="of weight above zero are of class 0"):
        LogisticRegression().fit(X, Y, Y == 0)


def test_labels_that_fit_did_not_see_are_refused() -> None:
    model = LogisticRegression(C=np.inf, solver="auto").fit(X, Y)
    with pytest.raises(DataError, match="y holds 7; fit saw 0, 1"):
        model.summary(X, np.where(Y == 1, 7, 0))
    assert model.classes_.tolist() == [0, 1]


def test_an_early_end_is_said() -> None:
    with pytest.warns(ConvergenceWarning, match="tol=0.0001 was not reached in 2 passes"):
        assert not LogisticRegression(max_iter=2).fit(X, Y).converged_
    with pytest.warns(ConvergenceWarning, match="by 7 of 7 fits"):
        LogisticRegressionCV(Cs=[1.0, 10.0], cv=3, max_iter=2).fit(X, Y)


@pytest.mark.parametrize("value", [0, -1, True, "many", [0.0], [], [[1.0]], [np.nan]])
def test_strengths_that_cannot_be_are_refused(value: Any) -> None:
    with pytest.raises(ParameterError, match="Cs must"):
        LogisticRegressionCV(Cs=value).fit(X, Y)


def test_huge_and_tiny_columns() -> None:
    for size in (1e-150, 1e-30, 1e30, 1e150):
        model = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=0.0).fit(size * X, Y)
        free = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=0.0).fit(X, Y)
        np.testing.assert_allclose(model.predict_proba(size * X), free.predict_proba(X), atol=1e-3)


# ---------------------------------------------------------------------------------------------------------- naive Bayes


@pytest.mark.parametrize("y", [SPECIES, np.minimum(SPECIES, 1)], ids=["three", "two"])
def test_from_naive_bayes_has_the_probabilities_of_naive_bayes(y: Any) -> None:
    model, found = LogisticRegression.from_naive_bayes(IRIS, y), reference.bells(IRIS, y)
    np.testing.assert_allclose(model.predict_proba(IRIS), reference.naive_bayes_probabilities(IRIS, found), atol=1e-10)
    planes = reference.from_naive_bayes(found)
    np.testing.assert_allclose(model.coef_, planes.coef, rtol=1e-9)
    np.testing.assert_allclose(model.intercept_, planes.intercept, rtol=1e-9)


def test_from_naive_bayes_with_the_sign_of_the_slides() -> None:
    """``P(y=1) = 1 / (1 + exp(w_0 + w x))`` with ``w = (mu_0 - mu_1) / s²``: our coefficients have the other sign."""
    mu0, mu1, s2, g = 1.0, 4.0, 2.0, 0.3
    w, w0 = (mu0 - mu1) / s2, np.log((1 - g) / g) + (mu1**2 - mu0**2) / (2 * s2)
    model = LogisticRegression.from_naive_bayes(means=[[mu0], [mu1]], variances=[s2], priors=[1 - g, g])
    x = np.array([[0.0], [2.5], [4.0]])
    np.testing.assert_allclose(model.predict_proba(x)[:, 1], 1 / (1 + np.exp(w0 + w * x[:, 0])), rtol=1e-12)
    np.testing.assert_allclose([model.coef_[0, 0], model.intercept_[0]], [-w, -w0])


def test_from_naive_bayes_refuses_what_has_no_bell() -> None:
    with pytest.raises(DataError, match="column 'x1' does not"):
        LogisticRegression.from_naive_bayes([[1, 5], [2, 5], [3, 5]], [0, 0, 1])
    for wrong, words in (
        ({"means": [[0.0], [1.0]], "variances": [0.0]}, "variances must be above zero"),
        ({"means": [[0.0], [1.0]], "variances": [1.0, 2.0]}, "variances must be 1 finite numbers"),
        ({"means": [[0.0]], "variances": [1.0]}, "two or more classes"),
        ({"means": [[0.0], [1.0]], "variances": [1.0], "priors": [0.5, 0.6]}, "sum to 1"),
        ({"means": [[0.0], [1.0]], "variances": [1.0], "classes": ["a", "a"]}, "different labels"),
    ):
        with pytest.raises(ParameterError, match=words):
            LogisticRegression.from_naive_bayes(**wrong)
