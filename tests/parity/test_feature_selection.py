"""Feature selection against scikit-learn's: the same scores, the same columns, under random and awkward data."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn.feature_selection as peers
from sklearn.linear_model import Lasso, LogisticRegression
from sklearn.linear_model import LinearRegression as PeerRegression
from sklearn.tree import DecisionTreeClassifier

from pellucid import feature_selection as ours
from pellucid.linear_model import LinearRegression

from .drawn import numbers, some

FILTERS = ["SelectKBest", "SelectPercentile", "SelectFpr", "SelectFdr", "SelectFwe", "GenericUnivariateSelect"]
WRAPPED = ["RFE", "RFECV", "SelectFromModel", "SequentialFeatureSelector"]
SCORES = ["chi2", "f_classif", "f_regression", "r_regression", "mutual_info_classif", "mutual_info_regression"]


@pytest.fixture(autouse=True)
def _quiet() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def table(random: np.random.Generator, rows: int = 0) -> np.ndarray:
    """Columns of several scales, some repeated, constant or far from zero, in float32 or F order."""
    rows = rows or int(random.choice([30, 200, 900]))
    X = random.normal(size=(rows, int(random.integers(2, 70)))) * 10.0 ** random.integers(-3, 4)
    X[:, 0] = np.round(3 * X[:, 0])
    if random.random() < 0.4:
        X[:, 1] = 7.0
    return np.asarray(X, dtype=random.choice([np.float64, np.float32]), order=random.choice(["C", "F"]))


def labels(random: np.random.Generator, X: np.ndarray) -> np.ndarray:
    return np.array(["a", "b", "c"])[random.integers(0, 3, size=len(X))]


@pytest.mark.parametrize("number", numbers(30))
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.csc_matrix])
def test_scores_of_classes(number: int, form: Any) -> None:
    random = np.random.default_rng(number)
    X = table(random)
    y = labels(random, X)
    share = 1e-3 if X.dtype == np.float32 else 1e-7  # the peer sums squares in the type of X
    for name, given in (("chi2", np.abs(X)), ("f_classif", X)):
        varies = np.ptp(X, axis=0) > 0
        found, wanted = getattr(ours, name)(form(given), y), getattr(peers, name)(form(given), y)
        for a, b in zip(found, wanted, strict=True):
            np.testing.assert_allclose(a[varies], b[varies], rtol=share, atol=1e-6 if share > 1e-6 else 1e-9)


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("number", numbers(20))
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_scores_of_a_numeric_target(number: int, form: Any, center: bool) -> None:
    random = np.random.default_rng(number)
    X = table(random).astype(np.float64)
    X = X[:, np.ptp(X, axis=0) > 0] if center else X
    y = X @ random.normal(size=X.shape[1]) + random.normal(size=len(X))
    for force in (True, False):
        options = {"center": center, "force_finite": force}
        found, wanted = ours.r_regression(form(X), y, **options), peers.r_regression(form(X), y, **options)
        np.testing.assert_allclose(found, wanted, rtol=1e-7, atol=1e-11)
        for a, b in zip(
            ours.f_regression(form(X), y, **options), peers.f_regression(form(X), y, **options), strict=True
        ):
            np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("force", [True, False])
def test_constant_columns_and_targets(force: bool) -> None:
    X = np.array([[1.0, 5.0], [2.0, 5.0], [4.0, 5.0]])
    for y in (np.array([1.0, 2.0, 3.0]), np.full(3, 2.0)):
        for a, b in zip(
            ours.f_regression(X, y, force_finite=force), peers.f_regression(X, y, force_finite=force), strict=True
        ):
            np.testing.assert_allclose(a, b, rtol=1e-9)


@pytest.mark.parametrize("number", numbers(12))
def test_mutual_information(number: int) -> None:
    """With the same noise the estimates are the same; classes have more rows than twice the neighbors."""
    random = np.random.default_rng(number)
    X = random.normal(size=(400, 5))
    X[:, 1] = np.round(2 * np.clip(X[:, 1], -1, 1))
    X[:, 2] = random.integers(0, 3, size=400)
    X[:, 3] = np.round(X[:, 3], 1)
    y = X[:, 0] + X[:, 2] + random.normal(size=400)
    classes = (y > 1).astype(int) + (y > 2)
    options = {"random_state": number, "n_neighbors": int(random.integers(1, 6))}
    for discrete in ("auto", [2], [1, 2], np.array([False, True, True, False, False])):
        found = ours.mutual_info_classif(X, classes, discrete_features=discrete, **options)
        wanted = peers.mutual_info_classif(X, classes, discrete_features=discrete, **options)
        np.testing.assert_allclose(found, wanted, atol=1e-10)
        found = ours.mutual_info_regression(X, y, discrete_features=discrete, **options)
        wanted = peers.mutual_info_regression(X, y, discrete_features=discrete, **options)
        np.testing.assert_allclose(found, wanted, atol=1e-10)
    counts = sp.csr_array(random.poisson(0.5, size=(400, 4)))
    np.testing.assert_allclose(
        ours.mutual_info_classif(counts, classes), peers.mutual_info_classif(counts, classes), atol=1e-12
    )


@pytest.mark.parametrize("number", numbers(30))
def test_variance_threshold(number: int) -> None:
    random = np.random.default_rng(number)
    X = table(random).astype(np.float64)
    if number % 2:
        X[random.random(X.shape) < 0.1] = np.nan
    for given in (X, sp.csr_array(np.where(np.abs(X) < 0.3, 0, X))):
        for threshold in (0.0, 0.5):
            try:
                wanted = peers.VarianceThreshold(threshold).fit(given)
            except ValueError:
                with pytest.raises(ValueError, match="No feature in X meets the variance threshold"):
                    ours.VarianceThreshold(threshold).fit(given)
                continue
            found = ours.VarianceThreshold(threshold).fit(given)
            np.testing.assert_allclose(found.variances_, wanted.variances_, rtol=1e-8, atol=1e-12)
            assert found.get_support().tolist() == wanted.get_support().tolist()


@pytest.mark.parametrize("number", range(10))
@pytest.mark.parametrize("name", FILTERS)
def test_filters(name: str, number: int) -> None:
    random = np.random.default_rng(number)
    X = random.normal(size=(120, 20))
    X[:, 5] = X[:, 4]
    y = (X[:, :3].sum(axis=1) + random.normal(size=120) > 0).astype(int)
    settings: dict[str, Any] = {
        "SelectKBest": {"k": int(random.integers(0, 21))},
        "SelectPercentile": {"percentile": int(random.integers(0, 101))},
        "GenericUnivariateSelect": {"mode": ["percentile", "fdr", "fwe", "fpr"][number % 4], "param": 0.3},
    }.get(name, {"alpha": float(random.random())})
    for function in ("f_classif", "chi2", "f_regression"):
        given = np.abs(X) if function == "chi2" else X
        found = getattr(ours, name)(getattr(ours, function), **settings).fit(given, y)
        wanted = getattr(peers, name)(getattr(peers, function), **settings).fit(given, y)
        assert found.get_support().tolist() == wanted.get_support().tolist()
        np.testing.assert_allclose(found.scores_, wanted.scores_, rtol=1e-7)
        np.testing.assert_array_equal(found.transform(given), wanted.transform(given))
        if not found.get_support().any():  # both refuse a table without columns
            continue
        np.testing.assert_array_equal(
            found.inverse_transform(found.transform(given)), wanted.inverse_transform(wanted.transform(given))
        )


@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize("settings", [{}, {"n_features_to_select": 2}, {"n_features_to_select": 0.6}, {"tol": 0.01}])
@pytest.mark.parametrize("scoring", some([None, "neg_mean_squared_error", "neg_mean_absolute_error"]))
def test_sequential(direction: str, settings: dict[str, Any], scoring: Any) -> None:
    random = np.random.default_rng(1)
    X = random.normal(size=(90, 7)) * [1, 10, 0.1, 1, 1, 1, 1] + 3
    y = X @ [1, 0.2, 5, 0, 0, 0.5, 0] + random.normal(size=90)
    settings = {**settings, "direction": direction, "scoring": scoring}
    found = ours.SequentialFeatureSelector(LinearRegression(), **settings).fit(X, y)
    wanted = peers.SequentialFeatureSelector(PeerRegression(), **settings).fit(X, y)
    assert found.support_.tolist() == wanted.support_.tolist()
    assert found.n_features_to_select_ == wanted.n_features_to_select_


@pytest.mark.parametrize("settings", some([{}, {"n_features_to_select": 3, "step": 2}, {"n_features_to_select": 0.3}]))
@pytest.mark.parametrize("model", [PeerRegression(), LogisticRegression(), DecisionTreeClassifier(random_state=0)])
def test_elimination(settings: dict[str, Any], model: Any) -> None:
    random = np.random.default_rng(2)
    X = random.normal(size=(150, 9))
    y = (X[:, 0] + 2 * X[:, 3] - X[:, 7] + random.normal(size=150) > 0).astype(int)
    found, wanted = ours.RFE(model, **settings).fit(X, y), peers.RFE(model, **settings).fit(X, y)
    assert found.ranking_.tolist() == wanted.ranking_.tolist()
    assert found.n_features_ == wanted.n_features_
    np.testing.assert_array_equal(found.predict(X), wanted.predict(X))
    assert found.score(X, y) == wanted.score(X, y)
    settings = {key: value for key, value in settings.items() if key == "step"}
    found, wanted = ours.RFECV(model, **settings).fit(X, y), peers.RFECV(model, **settings).fit(X, y)
    assert found.support_.tolist() == wanted.support_.tolist()
    assert list(found.cv_results_) == list(wanted.cv_results_)
    for key, value in wanted.cv_results_.items():
        np.testing.assert_allclose(found.cv_results_[key], value, rtol=1e-10, atol=1e-12, err_msg=key)
    assert found.score(X, y) == pytest.approx(wanted.score(X, y))


@pytest.mark.parametrize("threshold", [None, "median", "1.5*mean", 0.2])
@pytest.mark.parametrize("most", [None, 2, lambda X: X.shape[1] // 3])
@pytest.mark.parametrize("model", [PeerRegression(), Lasso(alpha=0.1), LogisticRegression()])
def test_importances_of_a_model(threshold: Any, most: Any, model: Any) -> None:
    random = np.random.default_rng(3)
    X = random.normal(size=(150, 9))
    y = np.clip(np.round(X[:, 0] + 2 * X[:, 3] + random.normal(size=150)), -1, 1)
    settings = {"threshold": threshold, "max_features": most}
    found = ours.SelectFromModel(model, **settings).fit(X, y)
    wanted = peers.SelectFromModel(model, **settings).fit(X, y)
    assert found.get_support().tolist() == wanted.get_support().tolist()
    assert found.threshold_ == pytest.approx(wanted.threshold_)
    fitted = model.fit(X, y)
    if not callable(most):
        found = ours.SelectFromModel(fitted, prefit=True, **settings)
        np.testing.assert_array_equal(
            found.transform(X), peers.SelectFromModel(fitted, prefit=True, **settings).transform(X)
        )


@pytest.mark.parametrize("name", [*FILTERS, "VarianceThreshold", *WRAPPED])
def test_every_parameter_of_the_peer_is_there_with_its_default(name: str) -> None:
    ours_, peer = (inspect.signature(getattr(module, name)).parameters for module in (ours, peers))
    for key, parameter in peer.items():
        assert key in ours_, key
        if key not in ("estimator", "score_func"):
            assert ours_[key].default == parameter.default, key
        assert ours_[key].kind == parameter.kind, key


@pytest.mark.parametrize("name", SCORES)
def test_every_parameter_of_a_score_is_there_with_its_default(name: str) -> None:
    own, peer = (inspect.signature(getattr(module, name)).parameters for module in (ours, peers))
    for key, parameter in peer.items():
        assert own[key].default == parameter.default, key
        assert own[key].kind == parameter.kind, key


def test_frames_come_out_alike() -> None:
    frame = pd.DataFrame({"a": [1, 2, 3, 4], "b": [True, False, True, True], "c": [0.5, 0.5, 0.5, 0.5]})
    for output in ("default", "pandas"):
        found = ours.VarianceThreshold().set_output(transform=output).fit_transform(frame)
        wanted = peers.VarianceThreshold().set_output(transform=output).fit_transform(frame)
        assert type(found) is type(wanted)
        np.testing.assert_array_equal(np.asarray(found, dtype=float), np.asarray(wanted, dtype=float))
    assert found.dtypes.tolist() == wanted.dtypes.tolist()
