"""Logistic regression beside scikit-learn's and statsmodels': coefficients, probabilities, paths, inference."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model as theirs
import statsmodels.api as sm
import threadpoolctl
from sklearn.datasets import load_iris

from pellucid.linear_model import LogisticRegression, LogisticRegressionCV

from .drawn import numbers
from .linear_problems import classification

IRIS, SPECIES = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[SPECIES]
TIGHT = {"tol": 1e-10, "max_iter": 5000}
OLD = pytest.mark.filterwarnings("ignore::FutureWarning")
# Two classes that overlap, so that there is a maximum of the likelihood.
PAIR_X, PAIR_Y = IRIS[50:, 1:], SPECIES[50:] - 1
random = np.random.default_rng(0)
WEIGHT = random.integers(1, 4, size=len(IRIS)).astype(float)


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """The peer's waiting threads would spin on a busy machine."""
    with threadpoolctl.threadpool_limits(1):
        yield


def peer(**settings: Any) -> Any:
    return theirs.LogisticRegression(**settings)


def assert_same_model(ours: Any, other: Any, rtol: float = 1e-5) -> None:
    scale = np.abs(other.coef_).max()
    np.testing.assert_allclose(ours.coef_, other.coef_, rtol=rtol, atol=rtol * scale)
    np.testing.assert_allclose(ours.intercept_, other.intercept_, rtol=rtol, atol=rtol * max(1, scale))
    assert ours.coef_.shape == other.coef_.shape
    assert ours.intercept_.shape == other.intercept_.shape
    assert ours.n_iter_.dtype == np.int32
    np.testing.assert_array_equal(ours.classes_, other.classes_)


@pytest.mark.parametrize("solver", ["lbfgs", "newton-cholesky", "newton-cg"])
@pytest.mark.parametrize("y", [NAMES, NAMES == "virginica"], ids=["three", "two"])
@pytest.mark.parametrize("more", [{}, {"C": 0.01}, {"fit_intercept": False}, {"class_weight": "balanced"}], ids=str)
def test_smooth_solvers_have_the_peers_coefficients(solver: str, y: Any, more: dict[str, Any]) -> None:
    ours = LogisticRegression(solver=solver, **TIGHT, **more).fit(IRIS, y, WEIGHT)
    assert_same_model(ours, peer(solver=solver, **TIGHT, **more).fit(IRIS, y, WEIGHT))


@pytest.mark.parametrize("ratio", [0.0, 1.0])
@pytest.mark.parametrize("scaling", [1.0, 10.0])
def test_liblinear_penalizes_its_intercept(ratio: float, scaling: float) -> None:
    settings = {
        "solver": "liblinear",
        "l1_ratio": ratio,
        "intercept_scaling": scaling,
        "tol": 1e-10,
        "max_iter": 10_000,
    }
    ours = LogisticRegression(**settings).fit(PAIR_X, PAIR_Y)
    assert_same_model(ours, peer(**settings, random_state=0).fit(PAIR_X, PAIR_Y), rtol=1e-4)


@pytest.mark.parametrize("ratio", [1.0, 0.5])
def test_l1_has_the_same_zeros(ratio: float) -> None:
    X = np.hstack([PAIR_X, random.normal(size=(100, 5))])
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    other = peer(solver="saga", l1_ratio=ratio, C=0.1, tol=1e-9, max_iter=20_000, random_state=0).fit(X, PAIR_Y)
    for solver in ("coordinate-descent", "auto", "saga"):
        model = LogisticRegression(solver=solver, l1_ratio=ratio, C=0.1, tol=1e-9, max_iter=20_000, random_state=0)
        ours = model.fit(X, PAIR_Y)
        np.testing.assert_allclose(ours.coef_, other.coef_, atol=1e-5)
        np.testing.assert_array_equal(ours.coef_ == 0, np.abs(other.coef_) < 1e-9)


@OLD
def test_the_older_words_mean_what_they_meant() -> None:
    for penalty, more in (("l2", {}), ("l1", {}), ("elasticnet", {"l1_ratio": 0.3}), (None, {})):
        new = {"l2": {}, "l1": {"l1_ratio": 1.0}, "elasticnet": more, None: {"C": np.inf}}[penalty]
        old = LogisticRegression(penalty, solver="auto", **TIGHT, **more).fit(PAIR_X, PAIR_Y)
        now = LogisticRegression(solver="auto", **TIGHT, **new).fit(PAIR_X, PAIR_Y)
        np.testing.assert_array_equal(old.coef_, now.coef_)
    once = LogisticRegression(multi_class="multinomial", solver="lbfgs", C=10).fit(IRIS, NAMES)
    np.testing.assert_array_equal(once.coef_, LogisticRegression(C=10).fit(IRIS, NAMES).coef_)


def test_answers_are_the_peers() -> None:
    ours = LogisticRegression(**TIGHT).fit(IRIS, NAMES)
    other = peer(**TIGHT).fit(IRIS, NAMES)
    for method in ("predict_proba", "predict_log_proba", "decision_function"):
        np.testing.assert_allclose(getattr(ours, method)(IRIS), getattr(other, method)(IRIS), rtol=1e-4, atol=1e-6)
    np.testing.assert_array_equal(ours.predict(IRIS), other.predict(IRIS))
    assert ours.score(IRIS, NAMES, WEIGHT) == pytest.approx(other.score(IRIS, NAMES, WEIGHT), rel=1e-12)


def test_one_versus_rest_is_the_peers() -> None:
    from sklearn.multiclass import OneVsRestClassifier

    ours = LogisticRegression(multi_class="ovr", **TIGHT).fit(IRIS, NAMES)
    other = OneVsRestClassifier(peer(**TIGHT)).fit(IRIS, NAMES)
    np.testing.assert_allclose(ours.predict_proba(IRIS), other.predict_proba(IRIS), atol=1e-6)
    assert ours.n_iter_.shape == (3,)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, bool])
def test_types_of_numbers(dtype: Any) -> None:
    X = (IRIS * 2).astype(dtype)
    ours, other = LogisticRegression(**TIGHT).fit(X, NAMES), peer(**TIGHT).fit(X, NAMES)
    assert ours.coef_.dtype == other.coef_.dtype
    assert ours.predict_proba(X).dtype == other.predict_proba(X).dtype
    np.testing.assert_allclose(
        ours.predict_proba(X), other.predict_proba(X), atol=2e-3 if dtype is np.float32 else 1e-5
    )


@pytest.mark.parametrize("seed", numbers(20))
def test_sparse_tables_have_the_model_of_dense_ones(seed: int) -> None:
    problem = classification(seed)
    for solver, ratio in (("lbfgs", 0.0), ("auto", 0.0), ("coordinate-descent", 0.5)):
        model = LogisticRegression(solver=solver, l1_ratio=ratio, tol=1e-9, max_iter=20_000)
        dense = model.fit(problem.X, problem.y, problem.weight).predict_proba(problem.X)
        sparse = model.fit(problem.csr, problem.y, problem.weight).predict_proba(problem.csr)
        np.testing.assert_allclose(sparse, dense, atol=1e-5 if problem.single else 1e-6)


# --------------------------------------------------------------------------------------------------- cross-validation


# So near the minimum rounding may end the peer's line search; on which processor it does is a matter of BLAS.
@pytest.mark.filterwarnings("ignore:lbfgs failed to converge:sklearn.exceptions.ConvergenceWarning")
@OLD
@pytest.mark.parametrize("y", [NAMES, NAMES == "virginica"], ids=["three", "two"])
@pytest.mark.parametrize("refit", [True, False])
@pytest.mark.parametrize("legacy", [True, False])
def test_cross_validation_chooses_as_the_peer(y: Any, refit: bool, legacy: bool) -> None:
    settings = {"Cs": 5, "cv": 4, "scoring": "neg_log_loss", "refit": refit, "use_legacy_attributes": legacy}
    # At a tolerance of 1e-7 the peer stops where rounding leads it, up to 0.002 of a score from the minimum.
    settings |= {"tol": 1e-9, "max_iter": 30_000}
    ours = LogisticRegressionCV(**settings).fit(IRIS, y, WEIGHT)
    other = theirs.LogisticRegressionCV(**settings).fit(IRIS, y, WEIGHT)
    np.testing.assert_allclose(ours.Cs_, other.Cs_)
    np.testing.assert_allclose(ours.C_, other.C_)
    np.testing.assert_allclose(ours.predict_proba(IRIS), other.predict_proba(IRIS), atol=1e-4)
    found, wanted = ours.scores_, other.scores_
    if legacy:
        assert list(found) == list(wanted)
        assert {k: v.shape for k, v in ours.coefs_paths_.items()} == {k: v.shape for k, v in other.coefs_paths_.items()}
        found, wanted = next(iter(found.values())), next(iter(wanted.values()))
    else:
        assert ours.coefs_paths_.shape == other.coefs_paths_.shape
    np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-6)
    assert ours.n_iter_.shape == other.n_iter_.shape
    assert ours.score(IRIS, y) == pytest.approx(other.score(IRIS, y), rel=1e-3)


def test_cross_validation_of_shares_of_l1() -> None:
    settings = {"Cs": [0.1, 1.0], "l1_ratios": [0.0, 1.0], "cv": 3, "scoring": "neg_log_loss", "solver": "saga"}
    more = {"use_legacy_attributes": False, "max_iter": 20_000, "tol": 1e-7, "random_state": 0}
    X = (IRIS - IRIS.mean(axis=0)) / IRIS.std(axis=0)
    ours = LogisticRegressionCV(**settings, **more).fit(X, NAMES == "virginica")
    other = theirs.LogisticRegressionCV(**settings, **more).fit(X, NAMES == "virginica")
    assert (ours.C_, ours.l1_ratio_) == (other.C_, other.l1_ratio_)
    np.testing.assert_allclose(ours.scores_, other.scores_, rtol=1e-3)


# ---------------------------------------------------------------------------------------------------------- inference


@pytest.mark.parametrize("intercept", [True, False])
def test_inference_of_two_classes_is_statsmodels(intercept: bool) -> None:
    model = LogisticRegression(C=np.inf, solver="auto", fit_intercept=intercept, **TIGHT).fit(PAIR_X, PAIR_Y)
    s = model.summary(PAIR_X, PAIR_Y)
    A = sm.add_constant(PAIR_X) if intercept else PAIR_X
    other = sm.Logit(PAIR_Y, A).fit(disp=0, method="newton", maxiter=200, tol=1e-12)
    np.testing.assert_allclose(s.estimates, other.params, rtol=1e-5)
    np.testing.assert_allclose(s.standard_errors, other.bse, rtol=1e-5)
    np.testing.assert_allclose(s.z_values, other.tvalues, rtol=1e-5)
    np.testing.assert_allclose(s.p_values, other.pvalues, rtol=1e-4)
    np.testing.assert_allclose(s.intervals, other.conf_int(), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(s.covariance, other.cov_params(), rtol=1e-4)
    assert s.log_likelihood == pytest.approx(other.llf, rel=1e-8)
    assert s.aic == pytest.approx(other.aic, rel=1e-8)
    assert s.bic == pytest.approx(other.bic, rel=1e-8)
    assert s.df_residual == other.df_resid
    if intercept:
        assert s.null_log_likelihood == pytest.approx(other.llnull, rel=1e-8)
        assert s.mcfadden_r2 == pytest.approx(other.prsquared, rel=1e-7)
        assert s.likelihood_ratio == pytest.approx(other.llr, rel=1e-7)
        assert s.likelihood_ratio_p == pytest.approx(other.llr_pvalue, rel=1e-5)
    assert s.approximate == ""


def test_inference_with_weights_is_that_of_counts() -> None:
    weight = WEIGHT[50:]
    model = LogisticRegression(C=np.inf, solver="auto", **TIGHT).fit(PAIR_X, PAIR_Y, weight)
    s = model.summary(PAIR_X, PAIR_Y, weight)
    family = sm.families.Binomial()
    other = sm.GLM(PAIR_Y, sm.add_constant(PAIR_X), family=family, freq_weights=weight).fit(tol=1e-12, maxiter=200)
    np.testing.assert_allclose(s.standard_errors, other.bse, rtol=1e-5)
    assert s.deviance == pytest.approx(other.deviance, rel=1e-8)
    assert s.null_deviance == pytest.approx(other.null_deviance, rel=1e-8)
    assert s.n_rows == weight.sum()
    assert s.df_residual == other.df_resid


def test_inference_of_three_classes_is_statsmodels() -> None:
    X = IRIS[:, :2]
    y = np.where(np.arange(150) % 7 == 0, (SPECIES + 1) % 3, SPECIES)  # no class is apart from the others
    model = LogisticRegression(C=np.inf, tol=1e-11, max_iter=20_000).fit(X, y)
    s = model.summary(X, y)
    other = sm.MNLogit(y, sm.add_constant(X)).fit(disp=0, method="newton", maxiter=200, tol=1e-12)
    np.testing.assert_allclose(s.estimates, np.asarray(other.params).T, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(s.standard_errors, np.asarray(other.bse).T, rtol=1e-4)
    np.testing.assert_allclose(s.p_values, np.asarray(other.pvalues).T, rtol=1e-3, atol=1e-8)
    assert s.log_likelihood == pytest.approx(other.llf, rel=1e-9)
    assert s.aic == pytest.approx(other.aic, rel=1e-8)
    assert s.bic == pytest.approx(other.bic, rel=1e-8)
    assert s.likelihood_ratio_p == pytest.approx(other.llr_pvalue, rel=1e-5)
    assert s.df_model == other.df_model


def test_a_wide_sparse_table() -> None:
    X = sp.random_array((300, 2000), density=0.01, rng=np.random.default_rng(1), format="csr")
    y = np.arange(300) % 2
    ours = LogisticRegression(**TIGHT).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_allclose(ours.coef_, peer(**TIGHT).fit(X, y).coef_, atol=1e-5)
