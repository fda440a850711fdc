"""The estimators where scikit-learn's stood: its shapes, types, methods, metadata and helpers around them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
import sklearn.linear_model as peer
from sklearn.datasets import load_diabetes, load_iris
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.model_selection import GridSearchCV, GroupKFold, LeaveOneOut, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import pellucid.linear_model as lm
from pellucid.base.errors import ParameterError
from pellucid.model_selection import GridSearchCV as SharedSearch

X, Y = load_iris(return_X_y=True)
D, T = load_diabetes(return_X_y=True)
TWO = (Y > 0).astype(int)
SPARSE_COEF = ["LogisticRegression", "LogisticRegressionCV", "SGDClassifier", "Perceptron", "SGDRegressor"]


def quiet(work: Any) -> Any:
    """scikit-learn tells of its plans; what it says of its passes is no matter here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return work()


def fitted(module: Any, name: str, X: Any, y: Any, **settings: Any) -> Any:
    return quiet(lambda: getattr(module, name)(**settings).fit(X, y))


# ------------------------------------------------------------------------------------------- sparse coefficients


@pytest.mark.parametrize("name", SPARSE_COEF)
def test_coefficients_as_a_sparse_matrix_and_back(name: str) -> None:
    A, y = (D, T) if name == "SGDRegressor" else (X, Y)
    model = fitted(lm, name, A, y)
    before, said = model.coef_.copy(), model.predict(A)
    assert model.sparsify() is model
    assert sp.issparse(model.coef_)
    assert type(model.coef_) is type(fitted(peer, name, A, y).sparsify().coef_)
    np.testing.assert_array_equal(model.predict(A), said)
    assert model.densify() is model
    np.testing.assert_array_equal(model.coef_, before)
    with pytest.raises(sklearn.exceptions.NotFittedError):
        getattr(lm, name)().sparsify()


def test_a_sparse_logistic_model_still_tells_and_starts() -> None:
    model = lm.LogisticRegression(warm_start=True, max_iter=1000).fit(X, Y)
    ratios = model.odds_ratios_
    np.testing.assert_array_equal(model.sparsify().odds_ratios_, ratios)
    assert model.fit(X, Y).n_iter_.tolist() == [0]  # it starts where it ended
    steps = lm.SGDClassifier(warm_start=True, max_iter=1, tol=None, random_state=0).fit(X, Y).sparsify()
    assert isinstance(steps.fit(X, Y).coef_, np.ndarray)


# ----------------------------------------------------------------------------------------------- shapes and types


@pytest.mark.parametrize("name", ["Ridge", "RidgeCV", "Lasso", "ElasticNet"])
def test_a_target_of_one_column(name: str) -> None:
    a, b = fitted(peer, name, D, T[:, None]), fitted(lm, name, D, T[:, None])
    assert b.coef_.shape == a.coef_.shape == (10,)
    assert np.shape(b.intercept_) == np.shape(a.intercept_)
    assert b.predict(D).shape == a.predict(D).shape == (442,)
    alone = fitted(lm, name, D, T)
    np.testing.assert_array_equal(b.coef_, alone.coef_)
    assert type(b.n_iter_ if hasattr(b, "n_iter_") else None) is type(getattr(alone, "n_iter_", None))


@pytest.mark.parametrize("name", ["Lasso", "ElasticNet", "LassoCV", "ElasticNetCV"])
def test_the_path_as_a_method(name: str) -> None:
    alphas = [1.0, 0.1]
    more = {} if name.startswith("Lasso") else {"l1_ratio": 0.5}
    a, b = (getattr(module, name).path(D, T, alphas=alphas, **more) for module in (peer, lm))
    assert [part.shape for part in b] == [part.shape for part in a]
    np.testing.assert_allclose(b[1], a[1], atol=2.0, rtol=0.02)


def test_a_path_keeps_to_the_range_of_single_precision() -> None:
    with pytest.raises(ValueError, match=r"lasso_path: coefficients must fit into float32"):
        lm.lasso_path(np.array([[1], [2], [4]], dtype=np.float32), np.array([0, 1, 3]) * 1e60, alphas=[1.0])


@pytest.mark.parametrize("name", ["LogisticRegression", "RidgeClassifier", "SGDClassifier", "Perceptron"])
def test_two_classes_have_one_row_of_coefficients(name: str) -> None:
    """As scikit-learn documents; its ridge gives the row without its outer brackets."""
    model = fitted(lm, name, X, TWO)
    assert model.coef_.shape == (1, 4)
    assert model.intercept_.shape == (1,)
    assert model.decision_function(X).shape == (150,)


# ---------------------------------------------------------------------------------------- the user guide's small table


def test_leave_one_out_of_the_user_guide() -> None:
    """Rows fitted without say 0.01, as scikit-learn's 'svd' does; the guide's 1e-6 is of digits that 'eigen' lost."""
    A, y, alphas = np.array([[0.0, 0], [0, 0], [1, 1]]), np.array([0, 0.1, 1]), np.logspace(-6, 6, 13)
    model = lm.RidgeCV(alphas=alphas).fit(A, y)
    plain = [
        cross_val_score(peer.Ridge(a), A, y, cv=LeaveOneOut(), scoring="neg_mean_squared_error").mean() for a in alphas
    ]
    np.testing.assert_allclose(model.alpha_scores_, plain, rtol=1e-8)
    assert model.alpha_ == alphas[int(np.argmax(plain))] == pytest.approx(0.01)


# ------------------------------------------------------------------------------------------------ metadata and helpers


@pytest.fixture
def _routing() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.mark.usefixtures("_routing")
@pytest.mark.parametrize("name", ["RidgeCV", "LassoCV", "ElasticNetCV", "RidgeClassifierCV", "LogisticRegressionCV"])
def test_groups_reach_the_splitter(name: str) -> None:
    A, y = (X, Y) if "Class" in name or "Logistic" in name else (D, T)
    groups = np.arange(len(y)) % 6
    more = {"scoring": "accuracy", "max_iter": 1000} if name == "LogisticRegressionCV" else {}

    def chosen(module: Any) -> Any:
        model = getattr(module, name)(cv=GroupKFold(3), **more)
        model = quiet(lambda: model.fit(A, y, groups=groups))
        return getattr(model, "alpha_", None) or model.C_

    np.testing.assert_allclose(chosen(lm), chosen(peer), rtol=1e-9)


@pytest.mark.parametrize("name", ["RidgeCV", "LassoCV", "LogisticRegressionCV"])
def test_groups_without_routing_are_refused(name: str) -> None:
    with pytest.raises(ParameterError, match=r"\['groups'\] are passed but metadata routing is not enabled"):
        getattr(lm, name)(cv=GroupKFold(3)).fit(D, TWO[np.arange(442) % 150], groups=np.arange(442) % 6)


def test_selection_by_coefficients() -> None:
    lasso = [SelectFromModel(module.LassoCV()).fit(D, T).get_support() for module in (peer, lm)]
    np.testing.assert_array_equal(*lasso)
    ranks = [RFE(module.LogisticRegression(max_iter=1000), n_features_to_select=2).fit(X, Y) for module in (peer, lm)]
    np.testing.assert_array_equal(ranks[0].ranking_, ranks[1].ranking_)


@pytest.mark.parametrize(
    ("name", "grid", "settings"),
    [
        ("Ridge", {"alpha": [0.001, 0.1, 10.0]}, {}),
        ("Lasso", {"alpha": [0.01, 0.1, 1.0]}, {"tol": 1e-9, "max_iter": 100_000}),
        ("ElasticNet", {"alpha": [0.001, 0.1], "l1_ratio": [0.2, 0.8]}, {"tol": 1e-9, "max_iter": 100_000}),
        ("LogisticRegression", {"C": [0.01, 1.0, 100.0]}, {"tol": 1e-8, "max_iter": 10_000}),
        ("SGDClassifier", {"alpha": [0.01, 0.1]}, {"random_state": 0}),
    ],
)
def test_a_search_over_a_pipeline_finds_what_scikit_learn_finds(name: str, grid: Any, settings: Any) -> None:
    """Both searches, ours with work shared along the penalties: the same scores of every candidate."""
    A, y = (X, Y) if name in ("LogisticRegression", "SGDClassifier") else (D, T)

    def search(kind: Any, module: Any) -> Any:
        pipe = make_pipeline(StandardScaler(), getattr(module, name)(**settings))
        steps = {f"{name.lower()}__{key}": values for key, values in grid.items()}
        return quiet(lambda: kind(pipe, steps, cv=4).fit(A, y)).cv_results_["mean_test_score"]

    expected = search(GridSearchCV, peer)
    np.testing.assert_allclose(search(GridSearchCV, lm), expected, atol=1e-6)
    np.testing.assert_allclose(search(SharedSearch, lm), expected, atol=1e-6)
