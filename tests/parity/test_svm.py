"""Support vector machines against scikit-learn's (libsvm and liblinear): what is minimized, scores, attributes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse
import sklearn.svm
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine

from pellucid.svm import SVC, SVR, LinearSVC, LinearSVR

Array = NDArray[np.float64]


def scaled(load: Any) -> tuple[Array, Array]:
    X, y = load(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


CLASSES = {"cancer": load_breast_cancer, "iris": load_iris, "wine": load_wine}
KERNELS: list[dict[str, Any]] = [
    {},
    {"kernel": "linear", "C": 0.1},
    {"kernel": "poly", "degree": 2, "coef0": 1.0},
    {"kernel": "sigmoid", "gamma": 0.01},
    {"C": 100.0, "gamma": 0.1},
    {"gamma": "auto", "class_weight": "balanced"},
    {"decision_function_shape": "ovo"},
    {"break_ties": True},
]


@pytest.mark.parametrize("params", KERNELS, ids=str)
@pytest.mark.parametrize("name", CLASSES)
def test_classes(name: str, params: dict[str, Any]) -> None:
    X, y = scaled(CLASSES[name])
    ours, theirs = SVC(tol=1e-6, **params).fit(X, y), sklearn.svm.SVC(tol=1e-6, **params).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=2e-4)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.dual_coef_.shape[0] == theirs.dual_coef_.shape[0]
    assert ours.n_support_.sum() == pytest.approx(theirs.n_support_.sum(), abs=3)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)
    if "kernel" in params and params["kernel"] == "linear":
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)


def test_the_order_of_attributes() -> None:
    X, y = scaled(load_wine)  # no row is there twice, so that duals are unique
    ours, theirs = SVC(tol=1e-8).fit(X, y), sklearn.svm.SVC(tol=1e-8).fit(X, y)
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    np.testing.assert_array_equal(ours.n_support_, theirs.n_support_)
    np.testing.assert_array_equal(ours.support_vectors_, theirs.support_vectors_)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-5)


def test_weights_of_rows() -> None:
    X, y = scaled(load_breast_cancer)
    weight = np.random.default_rng(0).uniform(0.1, 3, len(y))
    settings: dict[str, Any] = {"gamma": 0.03, "tol": 1e-6}
    ours = SVC(**settings).fit(X, y, sample_weight=weight)
    theirs = sklearn.svm.SVC(**settings).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-4)


@pytest.mark.parametrize("params", [{}, {"C": 100.0}, {"kernel": "linear", "C": 10.0}, {"epsilon": 20.0}], ids=str)
def test_numbers(params: dict[str, Any]) -> None:
    X, y = scaled(load_diabetes)
    ours, theirs = SVR(tol=1e-5, **params).fit(X, y), sklearn.svm.SVR(tol=1e-5, **params).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-3)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-3)
    assert ours.dual_coef_.shape[0] == 1


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"loss": "hinge"},
        {"dual": True},
        {"class_weight": "balanced"},
        {"penalty": "l1"},
        {"penalty": "l1", "intercept_scaling": 3.0, "class_weight": "balanced"},
        {"multi_class": "crammer_singer"},
        {"multi_class": "crammer_singer", "class_weight": "balanced", "fit_intercept": False},
    ],
    ids=str,
)
@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("form", ["dense", "sparse"])
def test_planes(form: str, name: str, params: dict[str, Any]) -> None:
    X, y = scaled(CLASSES[name])
    table = scipy.sparse.csr_matrix(X) if form == "sparse" else X
    settings: dict[str, Any] = {"tol": 1e-8, "C": 0.3, "max_iter": 1_000_000, "random_state": 0, **params}
    ours, theirs = LinearSVC(**settings).fit(table, y), sklearn.svm.LinearSVC(**settings).fit(table, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)
    np.testing.assert_allclose(ours.decision_function(table), theirs.decision_function(table), atol=1e-3)


@pytest.mark.parametrize("params", [{}, {"kernel": "linear", "C": 0.1}, {"class_weight": "balanced"}], ids=str)
@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.filterwarnings("ignore:The `probability` parameter", "ignore:Attribute `prob")
def test_probabilities(name: str, params: dict[str, Any]) -> None:
    """Folds are drawn by other random numbers: A and B of 20 draws have the same mean, within five standard errors."""
    X, y = scaled(CLASSES[name])
    ours = [SVC(probability=True, random_state=seed, **params).fit(X, y) for seed in range(20)]
    theirs = [sklearn.svm.SVC(probability=True, random_state=seed, **params).fit(X, y) for seed in range(20)]
    for attribute in ("probA_", "probB_"):
        mine, peers = (np.array([getattr(model, attribute) for model in models]) for models in (ours, theirs))
        error = np.sqrt((mine.var(axis=0) + peers.var(axis=0)) / 20)
        assert (np.abs(mine.mean(axis=0) - peers.mean(axis=0)) <= 5 * error).all()
    np.testing.assert_array_equal(ours[0].predict(X), theirs[0].predict(X))
    np.testing.assert_allclose(ours[0].predict_log_proba(X[:5]), np.log(ours[0].predict_proba(X[:5])))


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.filterwarnings("ignore:The `probability` parameter", "ignore:Attribute `prob")
def test_probabilities_of_the_same_sigmoids(name: str) -> None:
    """With scikit-learn's A and B; its coupling ends at 0.005 / k."""
    X, y = scaled(CLASSES[name])
    ours = SVC(probability=True, random_state=0, tol=1e-8).fit(X, y)
    theirs = sklearn.svm.SVC(probability=True, random_state=0, tol=1e-8).fit(X, y)
    ours.probA_, ours.probB_ = theirs.probA_, theirs.probB_
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=0.01)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_tubes(loss: Any, fit_intercept: bool) -> None:
    """Of what is minimized, not of coefficients: liblinear's dual ends at another measure."""
    X, y = scaled(load_diabetes)
    y = (y - y.mean()) / y.std()
    settings: dict[str, Any] = {"loss": loss, "epsilon": 0.1, "fit_intercept": fit_intercept, "max_iter": 1_000_000}
    ours = LinearSVR(tol=1e-6, random_state=0, **settings).fit(X, y)
    theirs = sklearn.svm.LinearSVR(tol=1e-8, random_state=0, **settings).fit(X, y)

    def cost(model: Any) -> float:
        beyond = np.maximum(0, np.abs(y - model.predict(X)) - 0.1)
        b = float(np.ravel(model.intercept_)[0])
        return float((model.coef_ @ model.coef_ + b**2) / 2 + (beyond**2 if "squared" in loss else beyond).sum())

    assert cost(ours) == pytest.approx(cost(theirs), rel=1e-6)
    assert ours.objective_ == pytest.approx(cost(ours), rel=1e-9)
