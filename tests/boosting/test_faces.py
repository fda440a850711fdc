"""The faces of boosted trees: one vocabulary, the peers' words, and dictionaries of their parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.model_selection import cross_val_score

import pellucid.boosting as faces
from pellucid.base.errors import DataError, ParameterError
from pellucid.boosting import (
    BoostedTreesClassifier,
    BoostedTreesRegressor,
    CatBoostClassifier,
    CatBoostRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    LightGBMClassifier,
    LightGBMRegressor,
    XGBoostClassifier,
    XGBoostRegressor,
)

BINNED: list[Any] = [
    BoostedTreesClassifier,
    BoostedTreesRegressor,
    LightGBMClassifier,
    LightGBMRegressor,
    XGBoostClassifier,
    XGBoostRegressor,
]
ALL: list[Any] = [*BINNED, GradientBoostingClassifier, GradientBoostingRegressor]
VOCABULARY = {
    *("n_estimators", "learning_rate", "max_leaf_nodes", "max_depth", "min_samples_leaf", "min_child_weight"),
    *("l1_regularization", "l2_regularization", "min_split_gain", "max_bins", "subsample", "max_features"),
    *("categorical_features", "monotonic_cst", "early_stopping", "validation_fraction", "n_iter_no_change"),
    *("growth", "random_state", "n_jobs", "loss", "base_score"),
}


# -------------------------------------------------------------------------------------------------------- vocabulary


@pytest.mark.parametrize("face", BINNED)
def test_one_vocabulary_for_all(face: Any) -> None:
    assert set(face().get_params()) >= VOCABULARY
    assert face().loss == ("squared_error" if is_regressor(face()) else "log_loss")
    assert ("class_weight" in face().get_params()) == is_classifier(face())


def test_all_faces_are_found_in_one_place() -> None:
    assert {face.__name__ for face in ALL} <= set(dir(faces))


@pytest.mark.parametrize("face", ALL)
def test_every_parameter_is_kept_and_copied(face: Any) -> None:
    model = face(7, learning_rate=0.2, random_state=3)
    assert model.n_estimators == 7
    assert clone(model).get_params() == model.get_params()
    assert model.set_params(learning_rate=0.4).learning_rate == 0.4


@pytest.mark.parametrize("face", ALL)
def test_a_word_that_nobody_knows_is_no_parameter(face: Any) -> None:
    with pytest.raises(TypeError, match="nonsense"):
        face(nonsense=1)


# -------------------------------------------------------------------------------------------------------- peers' words


WORDS = [
    ("num_leaves", "max_leaf_nodes", "lightgbm"),
    ("min_data_in_leaf", "min_samples_leaf", "lightgbm"),
    ("min_child_samples", "min_samples_leaf", "lightgbm"),
    ("min_sum_hessian_in_leaf", "min_child_weight", "lightgbm"),
    ("feature_fraction", "max_features_tree", "lightgbm"),
    ("bagging_fraction", "subsample", "lightgbm"),
    ("lambda_l1", "l1_regularization", "lightgbm"),
    ("lambda_l2", "l2_regularization", "lightgbm"),
    ("min_gain_to_split", "min_split_gain", "lightgbm"),
    ("max_bin", "max_bins", "lightgbm"),
    ("num_threads", "n_jobs", "lightgbm"),
    ("eta", "learning_rate", "lightgbm"),
    ("gamma", "min_split_gain", "xgboost"),
    ("min_split_loss", "min_split_gain", "xgboost"),
    ("grow_policy", "growth", "xgboost"),
    ("sampling_method", "sampling", "xgboost"),
    ("reg_lambda", "l2_regularization", "lightgbm"),
    ("reg_alpha", "l1_regularization", "lightgbm"),
    ("colsample_bytree", "max_features_tree", "lightgbm"),
    ("colsample_bynode", "max_features", "lightgbm"),
    ("iterations", "n_estimators", "catboost"),
    ("depth", "max_depth", "catboost"),
    ("l2_leaf_reg", "l2_regularization", "catboost"),
    ("border_count", "max_bins", "catboost"),
    ("rsm", "max_features", "catboost"),
    ("thread_count", "n_jobs", "catboost"),
    ("cat_features", "categorical_features", "catboost"),
    ("boost_from_average", "base_score", "lightgbm"),
    ("objective", "loss", "lightgbm"),
    ("loss_function", "loss", "catboost"),
]


@pytest.mark.parametrize("face", BINNED)
@pytest.mark.parametrize(("word", "mine", "peer"), WORDS)
def test_a_peers_word_is_refused_with_ours(face: Any, word: str, mine: str, peer: str) -> None:
    with pytest.raises(ParameterError) as refused:
        face(**{word: 3})
    first, hint = str(refused.value).split("\n")
    assert first == f"{face.__name__}: {word} is {mine} here."
    assert hint.startswith("hint: or ")
    assert f"{face.__name__}.from_params({peer}={{'{word}': 3" in hint
    assert mine in face().get_params()


def test_the_words_stand_in_the_issue_as_they_are_said() -> None:
    with pytest.raises(ParameterError, match="num_leaves is max_leaf_nodes here"):
        LightGBMClassifier(num_leaves=31)


@pytest.mark.parametrize("face", [GradientBoostingClassifier, GradientBoostingRegressor])
def test_words_for_what_a_face_has_not_are_not_promised(face: Any) -> None:
    """A hint names only a parameter that is there."""
    for word, mine, _ in WORDS:
        with pytest.raises((ParameterError, TypeError)) as refused:
            face(**{word: 3})
        if mine not in face().get_params():
            assert f"is {mine} here" not in str(refused.value)


# ------------------------------------------------------------------------------------------------------- dictionaries


TRANSLATED: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    (
        "lightgbm",
        {
            "num_leaves": 63,
            "n_estimators": 40,
            "learning_rate": 0.05,
            "max_depth": -1,
            "min_child_samples": 7,
            "min_child_weight": 0.5,
            "reg_alpha": 1.0,
            "reg_lambda": 2.0,
            "min_split_gain": 0.1,
            "colsample_bytree": 0.7,
            "subsample": 0.8,
            "subsample_freq": 1,
            "max_bin": 127,
            "random_state": 4,
            "n_jobs": 2,
            "verbosity": -1,
        },
        {
            "max_leaf_nodes": 63,
            "n_estimators": 40,
            "learning_rate": 0.05,
            "max_depth": None,
            "min_samples_leaf": 7,
            "min_child_weight": 0.5,
            "l1_regularization": 1.0,
            "l2_regularization": 2.0,
            "min_split_gain": 0.1,
            "max_features_tree": 0.7,
            "subsample": 0.8,
            "max_bins": 127,
            "random_state": 4,
            "n_jobs": 2,
            "verbose": 0,
        },
    ),
    ("lightgbm", {"boosting_type": "goss", "top_rate": 0.3, "other_rate": 0.2}, {"sampling": "goss", "top_rate": 0.3}),
    ("lightgbm", {"data_sample_strategy": "goss"}, {"sampling": "goss"}),
    ("lightgbm", {"boosting": "gbdt", "num_iterations": 9}, {"n_estimators": 9}),
    ("lightgbm", {"early_stopping_round": 5}, {"early_stopping": True, "n_iter_no_change": 5}),
    (
        "xgboost",
        {
            "eta": 0.2,
            "gamma": 0.4,
            "alpha": 0.5,
            "lambda": 3.0,
            "max_leaves": 0,
            "max_depth": 4,
            "grow_policy": "lossguide",
            "colsample_bylevel": 0.5,
            "colsample_bynode": 0.6,
            "max_bin": 256,
            "nthread": 3,
            "seed": 8,
            "sampling_method": "gradient_based",
            "subsample": 0.5,
        },
        {
            "learning_rate": 0.2,
            "min_split_gain": 0.4,
            "l1_regularization": 0.5,
            "l2_regularization": 3.0,
            "max_leaf_nodes": None,
            "max_depth": 4,
            "growth": "leaf",
            "max_features_level": 0.5,
            "max_features": 0.6,
            "max_bins": 255,
            "n_jobs": 3,
            "random_state": 8,
            "sampling": "mvs",
            "subsample": 0.5,
        },
    ),
    ("xgboost", {"grow_policy": "depthwise", "num_boost_round": 12}, {"growth": "depth", "n_estimators": 12}),
    (
        "catboost",
        {
            "iterations": 30,
            "depth": 5,
            "l2_leaf_reg": 2.0,
            "border_count": 128,
            "rsm": 0.9,
            "thread_count": 1,
            "random_seed": 6,
            "grow_policy": "SymmetricTree",
            "bootstrap_type": "Bayesian",
            "bagging_temperature": 0.5,
            "min_data_in_leaf": 3,
            "cat_features": [0],
        },
        {
            "n_estimators": 30,
            "max_depth": 5,
            "l2_regularization": 2.0,
            "max_bins": 128,
            "max_features": 0.9,
            "n_jobs": 1,
            "random_state": 6,
            "growth": "oblivious",
            "sampling": "bayesian",
            "bagging_temperature": 0.5,
            "min_samples_leaf": 3,
            "categorical_features": [0],
        },
    ),
    ("catboost", {"grow_policy": "Lossguide", "max_leaves": 12}, {"growth": "leaf", "max_leaf_nodes": 12}),
]


@pytest.mark.parametrize("face", BINNED)
@pytest.mark.parametrize(("peer", "theirs", "mine"), TRANSLATED)
def test_a_peers_dictionary_is_ours(face: Any, peer: str, theirs: dict[str, Any], mine: dict[str, Any]) -> None:
    made = face.from_params(**{peer: theirs}).get_params()
    assert {name: made[name] for name in mine} == mine
    untouched = set(made) - set(mine) - set(theirs)
    assert {name: made[name] for name in untouched} == {name: face().get_params()[name] for name in untouched}


@pytest.mark.parametrize(
    ("peer", "word", "loss"),
    [
        ("lightgbm", "regression", "squared_error"),
        ("lightgbm", "regression_l1", "absolute_error"),
        ("lightgbm", "mae", "absolute_error"),
        ("lightgbm", "quantile", "quantile"),
        ("lightgbm", "poisson", "poisson"),
        ("xgboost", "reg:squarederror", "squared_error"),
        ("xgboost", "reg:absoluteerror", "absolute_error"),
        ("xgboost", "count:poisson", "poisson"),
        ("catboost", "RMSE", "squared_error"),
        ("catboost", "MAE", "absolute_error"),
        ("catboost", "Poisson", "poisson"),
    ],
)
def test_losses_are_translated(peer: str, word: str, loss: str) -> None:
    key = "loss_function" if peer == "catboost" else "objective"
    assert BoostedTreesRegressor.from_params(**{peer: {key: word}}).loss == loss


@pytest.mark.parametrize(
    ("peer", "word"),
    [
        ("lightgbm", "binary"),
        ("lightgbm", "multiclass"),
        ("xgboost", "binary:logistic"),
        ("xgboost", "multi:softprob"),
        ("catboost", "Logloss"),
        ("catboost", "MultiClass"),
    ],
)
def test_losses_of_classes_are_seen_from_the_target(peer: str, word: str) -> None:
    key = "loss_function" if peer == "catboost" else "objective"
    BoostedTreesClassifier.from_params(**{peer: {key: word}})


@pytest.mark.parametrize(
    ("face", "told", "score"),
    [
        (XGBoostClassifier, {"base_score": 0.8}, np.log(4)),
        (XGBoostClassifier, {"base_score": 0.5, "objective": "binary:logistic"}, 0.0),
        (XGBoostRegressor, {"base_score": 0.8}, 0.8),
        (XGBoostRegressor, {"base_score": 20.0, "objective": "count:poisson"}, np.log(20)),
        (XGBoostRegressor, {"objective": "count:poisson", "base_score": None}, None),
    ],
)
def test_xgboosts_start_is_a_probability_or_a_count_and_ours_a_score(face: Any, told: Any, score: Any) -> None:
    assert face.from_params(xgboost=told).base_score == (score if score is None else pytest.approx(score))


@pytest.mark.parametrize("peer", ["lightgbm", "catboost"])
def test_a_peer_that_does_not_start_from_the_average_starts_from_zero(peer: str) -> None:
    assert BoostedTreesRegressor.from_params(**{peer: {"boost_from_average": False}}).base_score == 0
    assert BoostedTreesRegressor.from_params(**{peer: {"boost_from_average": True}}).base_score is None


@pytest.mark.parametrize("told", [0.0, 1.0, -2.0])
def test_a_start_that_is_no_probability_is_refused(told: float) -> None:
    with pytest.raises(ParameterError, match="a probability above 0 and below 1"):
        XGBoostClassifier.from_params(xgboost={"base_score": told})
    if told <= 0:
        with pytest.raises(ParameterError, match="an expected count above 0"):
            XGBoostRegressor.from_params(xgboost={"base_score": told, "objective": "count:poisson"})


@pytest.mark.parametrize("face", ALL)
def test_scikit_learns_start_is_refused_with_ours(face: Any) -> None:
    with pytest.raises(ParameterError, match="init is base_score here"):
        face(init="zero")


def test_a_classifier_does_not_take_a_loss_of_numbers_in_silence() -> None:
    with pytest.raises(ParameterError):
        LightGBMClassifier.from_params(lightgbm={"objective": "regression"})


def test_a_regressor_does_not_take_a_loss_of_classes_in_silence() -> None:
    with pytest.raises(ParameterError):
        LightGBMRegressor.from_params(lightgbm={"objective": "binary"})


def test_a_translated_model_learns_like_one_in_our_words() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    y = X[:, 0] + X[:, 1] * X[:, 2]
    theirs = {"num_leaves": 9, "n_estimators": 12, "learning_rate": 0.3, "min_child_samples": 6, "random_state": 0}
    one = LightGBMRegressor.from_params(lightgbm=theirs).fit(X, y)
    two = LightGBMRegressor(12, max_leaf_nodes=9, learning_rate=0.3, min_samples_leaf=6, random_state=0).fit(X, y)
    assert_array_equal(one.predict(X), two.predict(X))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "got nothing"),
        ({"sklearn": {"max_iter": 3}}, "got sklearn"),
        ({"lightgbm": {}, "xgboost": {}}, "got lightgbm, xgboost"),
        ({"lightgbm": {"linear_tree": True, "num_leaves": 3}}, "have no counterpart: linear_tree"),
        ({"lightgbm": {"boosting": "dart"}}, "got 'dart'"),
        ({"xgboost": {"objective": "rank:ndcg"}}, "got 'rank:ndcg'"),
    ],
)
def test_a_dictionary_that_cannot_be_translated_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        LightGBMRegressor.from_params(**given)


@pytest.mark.parametrize(
    ("peer", "harmless"),
    [
        ("lightgbm", {"bagging_fraction": 0.5, "bagging_freq": 1}),
        ("catboost", {"verbose": False}),
    ],
)
def test_words_that_stand_in_most_dictionaries_do_not_stop_a_translation(peer: str, harmless: dict[str, Any]) -> None:
    model = BoostedTreesRegressor.from_params(**{peer: harmless | {"n_estimators": 2}})
    model.fit(np.arange(40.0)[:, None], np.arange(40.0))


def test_bagging_without_a_frequency_is_none() -> None:
    """LightGBM draws rows only if told how often: bagging_freq is 0 there."""
    assert BoostedTreesRegressor.from_params(lightgbm={"bagging_fraction": 0.5, "bagging_freq": 0}).subsample == 1.0


# ----------------------------------------------------------------------------------------------------------- mechanisms


def test_gamma_prunes_under_xgboosts_name_and_stops_under_lightgbms() -> None:
    """Exclusive or: the first split gains next to nothing, those below it much."""
    X = np.array([[a + 0.001 * i, b + 0.001 * i] for a in (0, 1) for b in (0, 1) for i in range(30)])
    y = ((X[:, 0] > 0.5) ^ (X[:, 1] > 0.5)) + 0.05 * (X[:, 0] > 0.5)
    told: dict[str, Any] = {"min_split_gain": 1.0, "max_depth": 2, "learning_rate": 1.0, "l2_regularization": 0.0}
    pruned = XGBoostRegressor(1, **told).fit(X, y)
    stopped = LightGBMRegressor(1, **told).fit(X, y)
    assert pruned._forest_.tree(0).n_leaves == 4
    assert stopped._forest_.tree(0).n_leaves == 1
    assert_array_equal(stopped.predict(X), np.full(len(X), stopped.base_score_[0]))


def test_importances_are_shares_of_gains_or_splits() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = 5 * X[:, 0] + X[:, 1]
    for face in (LightGBMRegressor, XGBoostRegressor, GradientBoostingRegressor):
        model: Any = face(20, random_state=0).fit(X, y)
        for kind in ("gain", "split"):
            assert model.importances(kind).sum() == pytest.approx(1)
        assert model.importances("gain")[0] > 0.8
        assert_array_equal(model.feature_importances_, model.importances("gain"))


# ---------------------------------------------------------------------------------------------- following a fit, units


class Follower:
    """Keeps the model of every round."""

    def __init__(self) -> None:
        self.models: list[Any] = []

    def setup(self, estimator: Any, context: Any) -> None:
        """Nothing is to be made ready."""

    def teardown(self, estimator: Any, context: Any) -> None:
        """Nor put away."""

    def on_fit_task_begin(self, estimator: Any, context: Any, *, X: Any, y: Any, metadata: Any) -> None:
        """Nothing is known yet."""

    def on_fit_task_end(self, estimator: Any, context: Any, *, fitted_estimator: Any) -> bool:
        """The model as it is; the fit goes on."""
        if context.task_name != "fit":
            self.models.append(fitted_estimator)
        return False


EVERY: list[Any] = [*ALL, CatBoostClassifier, CatBoostRegressor]
OF_NUMBERS: list[Any] = [face for face in EVERY if is_regressor(face())]
OF_CLASSES: list[Any] = [face for face in EVERY if is_classifier(face())]


def small_table(n: int = 120) -> tuple[Any, Any]:
    """Three columns, of which the first one tells the target, between -1.7 and 1.7."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    return X, np.clip(X[:, 0] + 0.2 * rng.normal(size=n), -1.7, 1.7)


@pytest.mark.parametrize("face", OF_NUMBERS)
@pytest.mark.parametrize("size", [1.0, 1e30, 1e300, 1e-30])
def test_models_on_the_way_are_in_the_targets_unit(face: Any, size: float) -> None:
    """Those who follow a fit see after each round what the model would have answered had it ended there."""
    X, y = small_table()
    follower = Follower()
    model = face(4, random_state=0, learning_rate=0.3).set_callbacks(follower).fit(X, y * size)
    assert len(follower.models) == 4
    for on_the_way, stage in zip(follower.models, model.staged_predict(X), strict=True):
        assert_allclose(on_the_way.predict(X) / size, stage / size, rtol=1e-12)
    assert np.ptp(follower.models[0].predict(X)) > 0.1 * size


@pytest.mark.parametrize("face", OF_NUMBERS)
def test_models_on_the_way_have_the_rounds_of_the_fit_before(face: Any) -> None:
    X, y = small_table()
    model = face(3, random_state=0, learning_rate=0.3, warm_start=True).fit(X, y * 1e30)
    follower = Follower()
    model.set_params(n_estimators=5).set_callbacks(follower).fit(X, y * 1e30)
    stages = list(model.staged_predict(X))
    assert len(follower.models) == 2
    for on_the_way, stage in zip(follower.models, stages[3:], strict=True):
        assert_allclose(on_the_way.predict(X), stage, rtol=1e-12)


@pytest.mark.parametrize("face", OF_NUMBERS)
@pytest.mark.parametrize(
    ("loss", "power"), [("squared_error", 2), ("huber", 2), ("absolute_error", 1), ("quantile", 1)]
)
def test_losses_and_scores_are_in_the_targets_unit(face: Any, loss: str, power: int) -> None:
    X, y = small_table()
    told: dict[str, Any] = {"early_stopping": True, "random_state": 0, "learning_rate": 0.3, "loss": loss}
    by_loss, by_errors = (
        [face(6, **told, scoring=scoring).fit(X, y * size) for size in (1.0, 2.0**80)]
        for scoring in ("loss", "neg_mean_absolute_error")
    )
    one, other = by_loss
    assert_allclose(other.validation_scores_ / 2.0 ** (80 * power), one.validation_scores_, rtol=1e-5)
    assert_allclose(other.train_losses_ / 2.0 ** (80 * power), one.train_losses_, rtol=1e-5)
    one, other = by_errors
    assert_allclose(other.validation_scores_ / 2.0**80, one.validation_scores_, rtol=1e-5)


@pytest.mark.parametrize("face", OF_NUMBERS)
@pytest.mark.parametrize("power", [80, 1000, -80, -1000])
def test_figures_of_nodes_are_in_the_targets_unit(face: Any, power: int) -> None:
    """Impurities and gains are squares; as they are where those are beyond all floats."""
    X, y = small_table()
    told: dict[str, Any] = {"random_state": 0, "learning_rate": 0.3, "l2_regularization": 0.0, "subsample": 1.0}
    told = told if face not in ALL[-2:] else {"random_state": 0, "learning_rate": 0.3}
    one, other = (face(4, **told).fit(X, y * size) for size in (1.0, 2.0**power))
    assert_allclose(other.feature_importances_, one.feature_importances_, rtol=1e-5)
    assert one.feature_importances_.sum() == pytest.approx(1)
    if abs(power) < 500:
        for name in ("importance", "node_impurity", "leaf_impurity"):
            mine = getattr(one._forest_, name)
            found = getattr(other._forest_, name) / 2.0 ** (2 * power)
            assert_allclose(found, mine, rtol=1e-4, atol=1e-6 * np.abs(mine).max())


@pytest.mark.parametrize("size", [1.0, 2.0**80, 2.0**-80])
def test_what_counts_as_better_is_in_the_targets_unit(size: float) -> None:
    """No round is better than the first by as much as the whole loss at the start."""
    X, y = small_table()
    told: dict[str, Any] = {"early_stopping": True, "random_state": 0, "n_iter_no_change": 3}
    model = BoostedTreesRegressor(20, **told, tol=size**2).fit(X, y * size)
    assert (model.n_estimators_, len(model.validation_scores_)) == (1, 4)
    assert BoostedTreesRegressor(20, **told).fit(X, y * size).n_estimators_ > 4


def test_a_metric_that_gives_no_number_is_refused() -> None:
    X, y = small_table()
    with pytest.raises(
        ParameterError, match="scoring must give finite numbers for rows held out; got nan after round 1"
    ):
        BoostedTreesRegressor(5, early_stopping=True, scoring=lambda model, X, y: np.nan).fit(X, y)


# ------------------------------------------------------------------------------------------------------------ bad input


@pytest.mark.parametrize("face", [face for face in EVERY if face not in ALL[-2:]])
@pytest.mark.parametrize("power", [30, 45, 100, 280, 320, -45, -100])
def test_weights_and_penalties_have_one_unit(face: Any, power: int) -> None:
    """Weights and all that is held against their sums times a power of two: not a bit changes."""
    X, y = small_table()
    w = np.random.default_rng(1).uniform(0.5, 2, len(y))
    fits = []
    for unit in (1.0, 2.0**power):
        told = {
            "l1_regularization": 0.1 * unit,
            "l2_regularization": 1.5 * unit,
            "min_child_weight": 0.5 * unit,
            "min_split_gain": 0.05 * unit,
        }
        fits.append(face(5, random_state=0, learning_rate=0.3, subsample=1.0, **told))
        fits[-1].fit(X, y > 0 if is_classifier(face()) else y, w * unit)
    answers = [fit.decision_function(X) if is_classifier(fit) else fit.predict(X) for fit in fits]
    assert_array_equal(answers[0], answers[1])
    assert np.ptp(answers[0]) > 0.1
    assert_allclose(fits[1]._forest_.leaf_weight / 2.0**power, fits[0]._forest_.leaf_weight)


@pytest.mark.parametrize("face", OF_NUMBERS)
def test_heavy_rows_of_large_targets_are_learned(face: Any) -> None:
    X, y = small_table()
    answer = face(8, random_state=0, learning_rate=0.3).fit(X, y * 1e14, np.full(len(y), 1e30)).predict(X)
    assert np.corrcoef(answer, y)[0, 1] > 0.85


@pytest.mark.parametrize("face", EVERY)
@pytest.mark.parametrize("weights", ["half zero", "all 1e30", "all 1e60", "one 1e30", "1e300 and 1e-300", "one row"])
def test_weights_of_zero_or_beyond_are_taken(face: Any, weights: str) -> None:
    X, y = small_table()
    i = np.arange(len(y))
    w = {
        "half zero": np.where(i % 2, 0.0, 1.0),
        "all 1e30": np.full(len(y), 1e30),
        "all 1e60": np.full(len(y), 1e60),
        "one 1e30": np.where(i == 7, 1e30, 1.0),
        "1e300 and 1e-300": np.where(i == 7, 1e300, 1e-300),
        "one row": np.where(i == 7, 1.0, 0.0),
    }[weights]
    goal = np.where(y > 0, "up", "down") if is_classifier(face()) else y
    model = face(5, random_state=0).fit(X, goal, w)
    assert np.isfinite(model.predict_proba(X) if is_classifier(model) else model.predict(X)).all()
    if weights == "one row":
        assert model.predict(X[7:8])[0] == (goal[7] if is_classifier(model) else pytest.approx(goal[7]))


@pytest.mark.parametrize("face", OF_NUMBERS)
@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "quantile", "huber"])
@pytest.mark.parametrize("size", [1e300, 1e308, 1e-300])
def test_targets_at_the_ends_of_the_range_are_learned(face: Any, loss: str, size: float) -> None:
    X, y = small_table()
    answer = face(5, random_state=0, loss=loss, learning_rate=0.3).fit(X, y * size).predict(X)
    assert np.corrcoef(answer / size, y)[0, 1] > 0.85
    stopped = face(5, random_state=0, loss=loss, learning_rate=0.3, early_stopping=True).fit(X, y * size)
    assert stopped.n_estimators_ > 1


@pytest.mark.parametrize("face", OF_NUMBERS)
def test_counts_beyond_single_precision_are_learned_or_refused(face: Any) -> None:
    X, y = small_table()
    for size in (1e20, 1e300):
        counts = np.floor(np.exp(y)) * size
        if size > 1e24 and face is not GradientBoostingRegressor:
            with pytest.raises(DataError, match=r"loss='poisson' takes counts of at most 1e\+24; got 5e\+300 in row"):
                face(5, loss="poisson").fit(X, counts)
        else:
            answer = face(20, loss="poisson", learning_rate=0.3, random_state=0).fit(X, counts).predict(X)
            assert np.corrcoef(answer / size, counts / size)[0, 1] > 0.8


@pytest.mark.parametrize("face", EVERY)
@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_an_infinite_value_is_refused_with_its_place(face: Any, value: float) -> None:
    X, y = small_table()
    X[4, 1] = value
    with pytest.raises(DataError, match=r"column 'x1' has 1 infinite value \(inf\) in row 4"):
        face(3).fit(X, y > 0)


@pytest.mark.parametrize("face", EVERY)
def test_columns_without_a_value_are_never_asked(face: Any) -> None:
    X, y = small_table()
    goal = y > 0 if is_classifier(face()) else y
    X[:, 1] = np.nan
    model = face(5, random_state=0).fit(X, goal)
    assert model.feature_importances_[1] == 0 < model.feature_importances_[0]
    nothing = face(5, random_state=0).fit(np.full_like(X, np.nan), goal)
    assert len(np.unique(nothing.predict(X))) == 1


@pytest.mark.parametrize("face", EVERY)
def test_a_category_that_the_fit_never_saw_is_answered(face: Any) -> None:
    _, y = small_table()
    frame = pd.DataFrame({"city": np.array(["ulm", "bonn", "kiel"])[np.searchsorted([-0.5, 0.5], y)]})
    told: dict[str, Any] = {"n_estimators": 8, "learning_rate": 0.5, "random_state": 0, "min_samples_leaf": 1}
    model = face(**told).fit(frame, y > 0 if is_classifier(face()) else y)
    new = model.predict_proba(pd.DataFrame({"city": ["oslo", None]})) if is_classifier(model) else None
    new = model.predict(pd.DataFrame({"city": ["oslo", None]})) if new is None else new[:, 1]
    assert np.isfinite(new).all()
    assert new[0] == new[1]


@pytest.mark.parametrize("face", OF_CLASSES)
def test_one_class_in_a_fold_and_words_as_labels(face: Any) -> None:
    """Rows sorted by class, in two parts: each fit sees one class, and is wrong about the other."""
    X, y = small_table()
    order = np.argsort(y > np.median(y), kind="stable")
    label = np.where(y > np.median(y), "up", "down")[order]
    half = [(np.arange(60), np.arange(60, 120)), (np.arange(60, 120), np.arange(60))]
    assert cross_val_score(face(5), X[order], label, cv=half, error_score="raise").tolist() == [0.0, 0.0]
    model = face(20, learning_rate=0.3, random_state=0).fit(X[order], label)
    assert model.classes_.tolist() == ["down", "up"]
    assert model.score(X[order], label) > 0.8


@pytest.mark.parametrize("face", EVERY)
def test_a_constant_target_and_one_row_are_met(face: Any) -> None:
    X, _ = small_table()
    goal: Any = "a" if is_classifier(face()) else 3.25
    for rows in (X, X[:1]):
        assert set(face(5).fit(rows, [goal] * len(rows)).predict(X).tolist()) == {goal}


@pytest.mark.parametrize("face", EVERY)
def test_stopping_early_without_rows_to_spare_is_refused(face: Any) -> None:
    goal = ["a"] if is_classifier(face()) else [1.0]
    with pytest.raises(DataError, match="early stopping needs rows to hold out; X has 1 row"):
        face(5, early_stopping=True).fit([[1.0]], goal)


@pytest.mark.parametrize("face", EVERY)
def test_stopping_early_without_a_table_for_it_holds_rows_out(face: Any) -> None:
    X, y = small_table()
    goal = y > 0 if is_classifier(face()) else y
    model = face(200, early_stopping=True, n_iter_no_change=3, learning_rate=0.5, random_state=0).fit(X, goal)
    assert model.n_estimators_ == model.best_iteration_ < 200
    never = face(3, early_stopping="auto").fit(X, goal)
    assert not hasattr(never, "best_iteration_")


@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "face", [BoostedTreesRegressor, CatBoostClassifier, XGBoostClassifier, GradientBoostingRegressor]
)
def test_a_hundred_thousand_columns_are_taken(face: Any) -> None:
    X = np.random.default_rng(0).normal(size=(20, 100_000))
    goal = X[:, 777] > 0 if is_classifier(face()) else X[:, 777]
    told: dict[str, Any] = {} if face in ALL[-2:] else {"min_child_weight": 0}
    if face is CatBoostClassifier:
        told["random_strength"] = 0
    if face is BoostedTreesRegressor:
        told |= {"max_features": 1.0, "subsample": 1.0}  # of sixteen rows another column may tell as much by chance
    model = face(2, random_state=0, min_samples_leaf=2, **told)
    assert model.fit(X, goal).feature_importances_.argmax() == 777
    assert model.predict(X).shape == (20,)
