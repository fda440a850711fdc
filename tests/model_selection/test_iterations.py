"""Curves by iteration, and stopping with patience and a way back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, RegressorMixin, clone, is_classifier, is_regressor
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LinearRegression as Peer
from sklearn.linear_model import SGDClassifier, SGDRegressor
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from pellucid.base.errors import DataError, ParameterError
from pellucid.linear_model import GradientDescentRegressor
from pellucid.model_selection import EarlyStopping, staged_curve

RNG = np.random.default_rng(5)
X = RNG.standard_normal((60, 40))
y = X[:, 0] + 0.5 * RNG.standard_normal(60)
X_val = RNG.standard_normal((200, 40))
y_val = X_val[:, 0] + 0.5 * RNG.standard_normal(200)
labels = np.where(y > 0, "yes", "no")


class Scripted(RegressorMixin, BaseEstimator):
    """Predicts as far off as the script says, iteration by iteration."""

    def __init__(self, script: Any = ()) -> None:
        self.script = script

    def partial_fit(self, X: Any, y: Any) -> Scripted:
        self.at_ = getattr(self, "at_", 0) + 1
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.script[self.at_ - 1])


def scripted(script: list[float], **settings: Any) -> EarlyStopping:
    """Errors by iteration on a target of zeros, scored by their negative."""
    settings = {"scoring": "neg_mean_absolute_error", "max_iterations": len(script), **settings}
    return EarlyStopping(Scripted(script), **settings).fit([[0.0]] * 4, [0.0] * 4, [[0.0]], [0.0])


def test_patience_counts_iterations_without_improvement() -> None:
    found = scripted([5, 3, 4, 4, 2, 6, 6, 6, 1], patience=3)
    assert (found.n_iter_, found.best_iteration_, found.best_score_) == (8, 5, -2.0)
    assert found.estimator_.at_ == 5  # rolled back
    assert found.curve_.stopped_at == 8
    assert_array_equal(found.curve_.test_scores, [-5, -3, -4, -4, -2, -6, -6, -6])


def test_without_roll_back_the_last_model_is_kept() -> None:
    assert scripted([5, 3, 4, 4, 2, 6, 6, 6, 1], patience=3, roll_back=False).estimator_.at_ == 8


def test_iterations_may_be_used_up() -> None:
    found = scripted([5, 4, 3, 2], patience=2)
    assert (found.n_iter_, found.best_iteration_, found.curve_.stopped_at) == (4, 4, None)


def test_small_improvements_add_up() -> None:
    # Each gains 0.4; with 0.5 asked for, every second one counts.
    assert scripted([5, 4.6, 4.2, 3.8, 3.4, 3.0], patience=2, min_improvement=0.5).n_iter_ == 6
    assert scripted([5, 4.9, 4.8, 4.7], patience=2, min_improvement=0.5).n_iter_ == 3
    # The best model is the best, even where its gain was too small to go on.
    assert scripted([5, 4.9, 4.8, 4.7], patience=2, min_improvement=0.5).best_iteration_ == 3


def test_gradient_descent_is_stopped_where_rows_are_learned_by_heart() -> None:
    model = GradientDescentRegressor(tol=None, gradient_tol=None)
    found = EarlyStopping(model, patience=5, max_iterations=500).fit(X, y, X_val, y_val)
    whole = staged_curve(model, X, y, X_test=X_val, y_test=y_val, max_iterations=500)
    assert found.n_iter_ < 500
    assert whole.test_scores[-1] < found.best_score_  # going on harms
    assert whole.train_scores[-1] > whole.train_scores[found.best_iteration_ - 1]
    direct = clone(model).set_params(max_iter=found.best_iteration_).fit(X, y)
    assert_array_equal(found.predict(X_val), direct.predict(X_val))
    assert_allclose(found.score(X_val, y_val), direct.score(X_val, y_val))
    assert_array_equal(whole.test_scores[: found.n_iter_], found.curve_.test_scores)


def test_a_run_that_ends_by_itself() -> None:
    curve = staged_curve(GradientDescentRegressor(tol=1e-3, n_iter_no_change=1), X, y, max_iterations=2000)
    assert len(curve.iterations) < 2000


@pytest.mark.parametrize(
    "model",
    [
        SGDClassifier(random_state=0),
        GradientBoostingClassifier(random_state=0, max_depth=1, warm_start=True),
    ],
    ids=["partial_fit", "warm_start"],
)
def test_models_of_others(model: Any) -> None:
    found = EarlyStopping(model, patience=3, max_iterations=40, random_state=1).fit(X, labels)
    assert is_classifier(found)
    assert set(found.predict(X)) <= {"yes", "no"}
    assert list(found.classes_) == ["no", "yes"]
    assert found.n_features_in_ == 40
    assert found.n_iter_ == min(40, found.best_iteration_ + 3)


def test_partial_fit_is_one_epoch_a_time() -> None:
    model = SGDRegressor(random_state=0, shuffle=False)
    curve = staged_curve(model, X, y, X_test=X_val, y_test=y_val, max_iterations=5)
    by_hand = clone(model)
    for k in range(5):
        by_hand.partial_fit(X, y)
        assert curve.test_scores[k] == by_hand.score(X_val, y_val)


def test_it_is_an_estimator_like_others() -> None:
    model = EarlyStopping(GradientDescentRegressor(), max_iterations=20)
    assert is_regressor(model)
    assert not hasattr(model, "predict_proba")
    assert len(cross_val_score(model, X, y, cv=3)) == 3
    assert clone(model).get_params()["max_iterations"] == 20


@parametrize_with_checks([EarlyStopping(GradientDescentRegressor(), max_iterations=20)])
@pytest.mark.filterwarnings("ignore")
def test_scikit_learns_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def test_the_curve_prints_its_best() -> None:
    text = str(scripted([5, 3, 4, 4], patience=2).curve_)
    assert "best: iteration 2 with -3" in text
    assert "stopped after 4 iterations" in text


def test_refusals() -> None:
    with pytest.raises(ParameterError, match="fitted in iterations"):
        EarlyStopping(Peer()).fit(X, y)
    with pytest.raises(ParameterError, match="patience must be"):
        EarlyStopping(GradientDescentRegressor(), patience=0).fit(X, y)
    with pytest.raises(ParameterError, match="both a table and a target"):
        EarlyStopping(GradientDescentRegressor()).fit(X, y, X_val)
    with pytest.raises(ParameterError, match="one score"):
        EarlyStopping(GradientDescentRegressor(), scoring=["r2"]).fit(X, y)
    with pytest.raises(DataError, match="finite"):
        scripted([1.0, np.nan, 2.0], scoring=lambda model, X, y: float(model.predict(X)[0]))
