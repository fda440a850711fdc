"""The faces of boosted trees: one vocabulary, the peers' words, and dictionaries of their parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone, is_classifier, is_regressor

import pellucid.boosting as faces
from pellucid.base.errors import ParameterError
from pellucid.boosting import (
    BoostedTreesClassifier,
    BoostedTreesRegressor,
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
    *("growth", "random_state", "n_jobs"),
}


# -------------------------------------------------------------------------------------------------------- vocabulary


@pytest.mark.parametrize("face", BINNED)
def test_one_vocabulary_for_all(face: Any) -> None:
    assert set(face().get_params()) >= VOCABULARY
    assert ("loss" in face().get_params()) == is_regressor(face())
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
