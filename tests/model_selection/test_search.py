"""A search that shares work finds what scikit-learn's finds candidate by candidate, with fewer fits."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import sklearn.model_selection as theirs
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from scipy.stats import randint
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import _search_successive_halving as halving
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from pellucid.base.errors import PellucidWarning
from pellucid.estimator.path import FitPath
from pellucid.linear_model import GradientDescentRegressor, LinearRegression
from pellucid.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    HalvingRandomSearchCV,
    RandomizedSearchCV,
    nested_cross_validate,
)
from pellucid.preprocessing import MinMaxScaler, PolynomialFeatures

RNG = np.random.default_rng(0)
X = RNG.uniform(-1, 1, (90, 2))
y = X[:, 0] ** 3 - X[:, 1] + 0.1 * RNG.standard_normal(90)
labels = np.where(y > 0, "up", "down")
FITS: list[str] = []


class RidgeByPath(RegressorMixin, BaseEstimator):
    """Ridge regression; one singular value decomposition answers every alpha. The protocol in twenty lines."""

    path_parameters = ("alpha",)

    def __init__(self, alpha: float = 1.0) -> None:
        self.alpha = alpha

    def fit(self, X: Any, y: Any) -> RidgeByPath:
        vars(self).update(vars(self.fit_path("alpha", [self.alpha], X, y)[0]))
        return self

    def fit_path(self, name: str, values: Sequence[float], X: Any, y: Any) -> FitPath:
        FITS.append("ridge")
        mean_x, mean_y = np.mean(X, axis=0), np.mean(y)
        U, s, V = np.linalg.svd(X - mean_x, full_matrices=False)
        models = []
        for alpha in values:
            model = RidgeByPath(alpha)
            model.coef_ = V.T @ (s / (s**2 + alpha) * (U.T @ (y - mean_y)))
            model.intercept_ = mean_y - mean_x @ model.coef_
            models.append(model)
        return FitPath(models)

    def predict(self, X: Any) -> NDArray[np.float64]:
        return np.asarray(X @ self.coef_ + self.intercept_)


class Nearest(ClassifierMixin, BaseEstimator):
    """Nearest neighbors; every k is answered from the neighbors of the largest, found once."""

    path_parameters = ("k",)

    def __init__(self, k: int = 1) -> None:
        self.k = k

    def fit(self, X: Any, y: Any) -> Nearest:
        self.X_, self.codes_ = X, np.unique(y, return_inverse=True)[1]
        self.classes_ = np.unique(y)
        return self

    def fit_path(self, name: str, values: Sequence[int], X: Any, y: Any) -> FitPath:
        return NearestPath([Nearest(k).fit(X, y) for k in values])

    def order(self, X: Any) -> NDArray[np.int64]:
        FITS.append("neighbors")
        return np.argsort(((X[:, None] - self.X_) ** 2).sum(axis=2), axis=1, kind="stable")

    def vote(self, order: NDArray[np.int64]) -> Any:
        votes = [np.bincount(self.codes_[row[: self.k]], minlength=len(self.classes_)) for row in order]
        return self.classes_[np.argmax(votes, axis=1)]

    def predict(self, X: Any) -> Any:
        return self.vote(self.order(X))


class NearestPath(FitPath):
    def answer(self, method: str, X: Any) -> list[Any]:
        order = self.models[0].order(X)
        return [model.vote(order) for model in self.models]


class CountedScaler(StandardScaler):  # type: ignore[misc]
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        FITS.append("scaler")
        return super().fit(X, y, sample_weight)


class ByColumn(CountedScaler):
    columnwise = True


def same(ours: Any, peer: Any, tolerance: float = 1e-9) -> None:
    assert ours.cv_results_["params"] == peer.cv_results_["params"]
    assert set(ours.cv_results_) == set(peer.cv_results_)
    for key, values in peer.cv_results_.items():
        if "score" in key and "time" not in key:
            assert_allclose(ours.cv_results_[key], values, rtol=tolerance, atol=tolerance, err_msg=key)
        if key.startswith("param_"):
            assert_array_equal(ours.cv_results_[key].filled(-1), values.filled(-1))
    assert ours.best_params_ == peer.best_params_
    assert ours.best_index_ == peer.best_index_


def both(model: Any, grid: Any, y: Any = y, **settings: Any) -> GridSearchCV:
    peer = theirs.GridSearchCV(model, grid, return_train_score=True, **settings).fit(X, y)
    FITS.clear()
    ours = GridSearchCV(model, grid, return_train_score=True, **settings).fit(X, y)
    same(ours, peer)
    return ours


SCORINGS = [None, "neg_mean_absolute_error", ["r2", "neg_mean_squared_error"]]


@pytest.mark.parametrize("scoring", SCORINGS, ids=str)
def test_one_decomposition_a_fold_answers_every_alpha(scoring: Any) -> None:
    refit: Any = "r2" if isinstance(scoring, list) else True
    both(RidgeByPath(), {"alpha": [0.01, 0.1, 1.0, 10.0]}, scoring=scoring, refit=refit)
    assert FITS == ["ridge"] * 6  # five folds, and the last fit of all rows


def test_the_path_is_ridge() -> None:
    grid = {"alpha": [0.01, 0.1, 1.0, 10.0]}
    ours, peer = GridSearchCV(RidgeByPath(), grid).fit(X, y), theirs.GridSearchCV(Ridge(), grid).fit(X, y)
    assert_allclose(ours.cv_results_["mean_test_score"], peer.cv_results_["mean_test_score"])


@pytest.mark.parametrize("scoring", [None, "accuracy", "f1_macro"])
def test_neighbors_are_found_once_a_fold(scoring: str | None) -> None:
    both(Nearest(), {"k": [1, 3, 5, 7, 9]}, labels, scoring=scoring)
    assert FITS == ["neighbors"] * 10  # five folds, held-out rows and training rows


def test_epochs_of_gradient_descent_are_one_run() -> None:
    both(GradientDescentRegressor(tol=None, batch_size=7, random_state=0), {"max_iter": [1, 5, 20], "eta0": [0.1, 0.2]})


@pytest.mark.parametrize("bias", [False, True])
def test_degrees_of_a_polynomial_are_one_fit(bias: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    model = make_pipeline(PolynomialFeatures(include_bias=bias), LinearRegression())
    widths: list[int] = []
    original = LinearRegression.fit_prefixes

    def counted(self: Any, given: Any, *data: Any, **more: Any) -> Any:
        widths.append(len(given))
        return original(self, given, *data, **more)

    monkeypatch.setattr(LinearRegression, "fit_prefixes", counted)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a constant column is told
        found = both(model, {"polynomialfeatures__degree": [1, 2, 3, 4, 5]})
    assert widths == [5] * 5
    assert found.best_params_ == {"polynomialfeatures__degree": 3}
    assert isinstance(found.best_estimator_, Pipeline)


def test_a_step_that_treats_each_column_by_itself_may_stand_between() -> None:
    model = Pipeline(
        [("powers", PolynomialFeatures(include_bias=False)), ("scale", ByColumn()), ("model", LinearRegression())]
    )
    both(model, {"powers__degree": [1, 2, 3, 4]})
    assert FITS == ["scaler"] * 6  # one a fold, and the last fit of all rows

    def inside(model: Any, X: Any, y: Any) -> float:
        assert model[1].n_features_in_ == model[0].n_output_features_
        return float(model.score(X, y))

    both(model, {"powers__degree": [1, 2, 3]}, scoring=inside)


def test_our_own_scaler_may_stand_between(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    original = LinearRegression.fit_prefixes

    def counted(self: Any, *data: Any, **more: Any) -> Any:
        calls.append(1)
        return original(self, *data, **more)

    monkeypatch.setattr(LinearRegression, "fit_prefixes", counted)
    both(
        make_pipeline(PolynomialFeatures(), MinMaxScaler(), LinearRegression()),
        {"polynomialfeatures__degree": [1, 2, 3]},
    )
    assert len(calls) == 5


def test_degree_and_path_together() -> None:
    model = Pipeline([("powers", PolynomialFeatures(include_bias=False)), ("ridge", RidgeByPath())])
    both(model, {"powers__degree": [1, 2, 3], "ridge__alpha": [0.1, 1.0, 10.0]})
    assert FITS == ["ridge"] * (5 * 3 + 1)


def test_first_steps_of_a_pipeline_are_fitted_once() -> None:
    model = Pipeline([("scale", CountedScaler()), ("model", LinearRegression())])
    both(model, {"model__fit_intercept": [True, False]})
    assert FITS == ["scaler"] * 6


def test_replaced_and_skipped_steps() -> None:
    model = Pipeline([("scale", StandardScaler()), ("model", LinearRegression())])
    grid = [
        {
            "scale": ["passthrough", StandardScaler(with_std=False)],
            "model": [Ridge(), LinearRegression(), RidgeByPath()],
        },
        {"model": [RidgeByPath()], "model__alpha": [0.1, 1.0]},
        {"scale__with_mean": [True, False]},
    ]
    both(model, grid)


def test_a_peers_model_is_searched_as_well() -> None:
    model = make_pipeline(StandardScaler(), LogisticRegression())
    both(model, {"logisticregression__C": [0.1, 1.0]}, labels, scoring="roc_auc")


def test_a_users_own_scorer_sees_the_model_itself() -> None:
    def size(model: Any, X: Any, y: Any) -> float:
        assert type(model) is RidgeByPath
        return -float(np.abs(model.coef_).sum())

    both(RidgeByPath(), {"alpha": [0.1, 1.0]}, scoring=size)

    def inside(model: Any, X: Any, y: Any) -> float:
        return float(model.named_steps["powers"].n_output_features_ + model.score(X, y))

    pipeline = Pipeline([("powers", PolynomialFeatures(include_bias=False)), ("model", LinearRegression())])
    both(pipeline, {"powers__degree": [1, 2, 3]}, scoring=inside)


def test_weights_are_cut_with_the_rows() -> None:
    weight = RNG.integers(1, 4, 90).astype(float)
    model = Pipeline([("scale", StandardScaler()), ("model", LinearRegression())])
    grid = {"model__fit_intercept": [True, False]}
    peer = theirs.GridSearchCV(model, grid).fit(X, y, model__sample_weight=weight)
    same(GridSearchCV(model, grid).fit(X, y, model__sample_weight=weight), peer)
    grid = {"max_iter": [1, 5]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer = theirs.GridSearchCV(GradientDescentRegressor(), grid).fit(X, y, sample_weight=weight)
        same(GridSearchCV(GradientDescentRegressor(), grid).fit(X, y, sample_weight=weight), peer)


@pytest.mark.filterwarnings("ignore:One or more of the test scores are non-finite")
def test_a_failing_candidate_does_not_take_the_others_with_it() -> None:
    class Fussy(RidgeByPath):
        def fit_path(self, name: str, values: Sequence[float], X: Any, y: Any) -> FitPath:
            if 13.0 in values:
                raise ValueError("unlucky")
            return super().fit_path(name, values, X, y)

    with pytest.warns(FitFailedWarning), pytest.warns(PellucidWarning, match="one by one"):
        found = GridSearchCV(Fussy(), {"alpha": [1.0, 13.0, 0.1]}).fit(X, y)
    scores = found.cv_results_["mean_test_score"]
    assert np.isfinite(scores).tolist() == [True, False, True]
    with pytest.warns(PellucidWarning, match="unlucky"), pytest.raises(ValueError, match="unlucky"):
        GridSearchCV(Fussy(), {"alpha": [1.0, 13.0]}, error_score="raise").fit(X, y)


def test_random_search_draws_as_scikit_learn_does() -> None:
    settings: dict[str, Any] = {"n_iter": 8, "random_state": 3}
    grid = {"max_iter": randint(1, 60)}
    model = GradientDescentRegressor(tol=None)
    same(
        RandomizedSearchCV(model, grid, **settings).fit(X, y),
        theirs.RandomizedSearchCV(model, grid, **settings).fit(X, y),
    )


def test_halving_eliminates_as_scikit_learn_does() -> None:
    grid = {"max_iter": [1, 2, 4, 8, 16, 32], "eta0": [0.05, 0.2]}
    model, settings = GradientDescentRegressor(tol=None), {"random_state": 1, "cv": 3}
    ours = HalvingGridSearchCV(model, grid, **settings).fit(X, y)
    peer = halving.HalvingGridSearchCV(model, grid, **settings).fit(X, y)
    same(ours, peer)
    assert ours.n_candidates_ == peer.n_candidates_
    drawn = {"max_iter": randint(1, 60)}
    one = HalvingRandomSearchCV(model, drawn, **settings).fit(X, y)
    same(one, halving.HalvingRandomSearchCV(model, drawn, **settings).fit(X, y))
    epochs = HalvingGridSearchCV(model, {"eta0": [0.01, 0.1, 0.3]}, resource="max_iter", max_resources=60, **settings)
    assert epochs.fit(X, y).best_params_["max_iter"] == max(epochs.n_resources_)


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_workers_change_no_bit(backend: str) -> None:
    import joblib

    model = Pipeline([("powers", PolynomialFeatures(include_bias=False)), ("model", LinearRegression())])
    grid = {"powers__degree": [1, 2, 3]}
    alone = GridSearchCV(model, grid).fit(X, y)
    with joblib.parallel_config(backend=backend):
        side_by_side = GridSearchCV(model, grid, n_jobs=2).fit(X, y)
    for key in alone.cv_results_:
        if key.startswith("split"):
            assert_array_equal(side_by_side.cv_results_[key], alone.cv_results_[key])


def test_search_inside_nested_cross_validation() -> None:
    found = nested_cross_validate(GridSearchCV(RidgeByPath(), {"alpha": [0.1, 1.0]}), X, y)
    assert len(found["test_score"]) == 5


def test_refit_false_and_several_scores() -> None:
    found = GridSearchCV(RidgeByPath(), {"alpha": [0.1, 1.0]}, scoring=["r2", "max_error"], refit=False)
    with pytest.raises(ValueError, match="max_error"):
        found.fit(X, y)
    found = GridSearchCV(RidgeByPath(), {"alpha": [0.1, 1.0]}, scoring=["r2", "neg_max_error"], refit=False).fit(X, y)
    assert "mean_test_neg_max_error" in found.cv_results_
    assert not hasattr(found, "best_params_")


@parametrize_with_checks([GridSearchCV(GradientDescentRegressor(), {"max_iter": [5, 50]}, cv=2)])
@pytest.mark.filterwarnings("ignore")
def test_scikit_learns_checks(estimator: Any, check: Any) -> None:
    check(estimator)
