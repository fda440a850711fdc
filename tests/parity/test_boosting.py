"""Boosted trees beside their peers: same trees where the bins are the same, as good on rows held out, same defaults."""

from __future__ import annotations

import json
from typing import Any

import lightgbm
import numpy as np
import pytest
import xgboost
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from sklearn import ensemble as sklearn_ensemble
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, make_friedman1
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_limits

import pellucid.boosting as ours

from .drawn import some

Floats = NDArray[np.float64]


def few_values(seed: int, n: int = 2000) -> tuple[Floats, Floats, Floats]:
    """Columns of forty values, which have the same bins everywhere; a target; weights."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 40, size=(n, 4)).astype(float)
    y = np.sin(X[:, 0] / 6) + X[:, 1] * X[:, 2] / 400 + 0.5 * rng.normal(size=n)
    return X, y, rng.uniform(0.3, 3, n)


# ------------------------------------------------------------------------------------------------------- same trees


@pytest.mark.parametrize("seed", [0, 2, 3])
def test_xgboosts_trees_are_xgboosts(seed: int) -> None:
    """With its defaults and from the same start. The peer sums single precision."""
    X, y, w = few_values(seed)
    start = float(np.average(y, weights=w))
    mine = ours.XGBoostRegressor(5, random_state=0).fit(X, y, w).predict(X)
    peer = xgboost.XGBRegressor(n_estimators=5, n_jobs=1, base_score=start).fit(X, y, sample_weight=w).predict(X)
    assert_allclose(mine, peer, atol=2e-6)
    label = (y > 1).astype(int)
    start = float(np.average(label, weights=w))
    two = ours.XGBoostClassifier(5, random_state=0).fit(X, label, w).predict_proba(X)
    other = xgboost.XGBClassifier(n_estimators=5, n_jobs=1, base_score=start).fit(X, label, sample_weight=w)
    assert_allclose(two, other.predict_proba(X), atol=2e-6)
    several = np.searchsorted(np.quantile(y, [0.3, 0.7]), y)
    three = ours.XGBoostClassifier(5, random_state=0).fit(X, several, w)
    margin = np.tile(three.base_score_, (len(X), 1))
    other = xgboost.XGBClassifier(n_estimators=5, n_jobs=1).fit(X, several, sample_weight=w, base_margin=margin)
    assert_allclose(three.predict_proba(X), other.predict_proba(X, base_margin=margin), atol=2e-6)


@pytest.mark.parametrize("seed", [0, 2, 3])
@pytest.mark.parametrize(
    "told", [{"reg_alpha": 3.0}, {"gamma": 4.0}, {"min_child_weight": 40.0}, {"max_delta_step": 0.4}]
)
def test_xgboosts_penalties_are_xgboosts(told: dict[str, float], seed: int) -> None:
    """In its own words. Splits that gain too little are looked for from below by both."""
    X, y, w = few_values(seed)
    start = float(np.average(y, weights=w))
    mine = ours.XGBoostRegressor.from_params(xgboost=told | {"n_estimators": 3}).fit(X, y, w).predict(X)
    method = {"tree_method": "exact"} if "gamma" in told else {}
    peer = xgboost.XGBRegressor(n_estimators=3, n_jobs=1, base_score=start, **method, **told)
    assert_allclose(mine, peer.fit(X, y, sample_weight=w).predict(X), atol=2e-6)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_lightgbms_trees_are_lightgbms(seed: int) -> None:
    """With its defaults. Where curvatures differ the peer guesses the rows of a leaf, so classes have one round."""
    X, y, _ = few_values(seed)
    peer: dict[str, Any] = {"verbose": -1, "n_jobs": 1, "min_data_in_bin": 1}
    mine = ours.LightGBMRegressor(20, random_state=0).fit(X, y).predict(X)
    assert_allclose(mine, lightgbm.LGBMRegressor(n_estimators=20, **peer).fit(X, y).predict(X), atol=2e-6)
    several = np.searchsorted(np.quantile(y, [0.3, 0.7]), y)
    three = ours.LightGBMClassifier(1, random_state=0).fit(X, several).predict_proba(X)
    assert_allclose(three, lightgbm.LGBMClassifier(n_estimators=1, **peer).fit(X, several).predict_proba(X), atol=2e-6)


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize(
    "told",
    [
        {"num_leaves": 7},
        {"max_depth": 3},
        {"num_leaves": 2, "reg_alpha": 40.0, "reg_lambda": 90.0},
        {"num_leaves": 2, "min_split_gain": 400.0},
        {"min_child_samples": 90},
        {"num_leaves": 2, "max_delta_step": 0.4},
    ],
)
def test_lightgbms_penalties_are_lightgbms(told: dict[str, Any], seed: int) -> None:
    """In its own words.

    Under a penalty a column may have no split worth making; the peer then does not ask it further down either, and we
    do. So penalties are compared on trees of one split.
    """
    X, y, _ = few_values(seed)
    mine = ours.LightGBMRegressor.from_params(lightgbm=told | {"n_estimators": 8}).fit(X, y).predict(X)
    peer = lightgbm.LGBMRegressor(n_estimators=8, verbose=-1, n_jobs=1, min_data_in_bin=1, **told).fit(X, y)
    assert_allclose(mine, peer.predict(X), atol=2e-6)


def test_lightgbms_missing_values_are_lightgbms() -> None:
    X, y, _ = few_values(5)
    X[np.random.default_rng(0).random(X.shape) < 0.15] = np.nan
    mine = ours.LightGBMRegressor(5, random_state=0).fit(X, y).predict(X)
    peer = lightgbm.LGBMRegressor(n_estimators=5, verbose=-1, n_jobs=1, min_data_in_bin=1).fit(X, y).predict(X)
    assert_allclose(mine, peer, atol=2e-6)


# ------------------------------------------------------------------------------------------------------ held-out rows


def tables() -> dict[str, tuple[Any, Any]]:
    """One of numbers, one of two classes, one of ten, one made up."""
    return {
        "diabetes": load_diabetes(return_X_y=True),
        "friedman": make_friedman1(1500, noise=1.0, random_state=0),
        "cancer": load_breast_cancer(return_X_y=True),
        "digits": tuple(part[:500] for part in load_digits(return_X_y=True)),
    }


@pytest.mark.parametrize("name", ["diabetes", "friedman", "cancer", "digits"])
@pytest.mark.parametrize("face", some(["BoostedTrees", "LightGBM"]))
def test_as_good_as_scikit_learns_histograms(face: str, name: str) -> None:
    """Held-out losses of six divisions: the mean difference is within three of its standard errors and two percent."""
    X, y = tables()[name]
    regression = name in ("diabetes", "friedman")
    kind = "Regressor" if regression else "Classifier"
    losses = []
    for seed in range(6):
        learn, test, y_learn, y_test = train_test_split(
            X, y, test_size=0.4, random_state=seed, stratify=None if regression else y
        )
        told = {"max_iter": 40, "early_stopping": False, "random_state": seed}
        mine = getattr(ours, face + kind)(40, random_state=seed).fit(learn, y_learn)
        with threadpool_limits(1):
            peer = getattr(sklearn_ensemble, f"HistGradientBoosting{kind}")(**told).fit(learn, y_learn)
        if regression:
            losses.append([np.mean((model.predict(test) - y_test) ** 2) for model in (mine, peer)])
        else:
            losses.append([log_loss(y_test, model.predict_proba(test)) for model in (mine, peer)])
    apart = np.subtract(*np.array(losses).T)
    allowed = 3 * apart.std(ddof=1) / np.sqrt(len(apart)) + 0.02 * np.mean(losses)
    assert apart.mean() <= allowed


# ------------------------------------------------------------------------------------------------------------ defaults


# What the peers' manuals give as defaults, in our words.
DEFAULTS: dict[str, dict[str, Any]] = {
    "XGBoost": {
        "n_estimators": 100,
        "learning_rate": 0.3,
        "growth": "depth",
        "max_leaf_nodes": None,
        "max_depth": 6,
        "min_samples_leaf": 1,
        "min_child_weight": 1.0,
        "l1_regularization": 0.0,
        "l2_regularization": 1.0,
        "min_split_gain": 0.0,
        "max_delta_step": 0.0,
        "subsample": 1.0,
        "max_features": 1.0,
        "max_features_level": 1.0,
        "max_features_tree": 1.0,
        "max_bins": 255,  # its 256 count the missing values
    },
    "LightGBM": {
        "n_estimators": 100,
        "learning_rate": 0.1,
        "growth": "leaf",
        "max_leaf_nodes": 31,
        "max_depth": None,
        "min_samples_leaf": 20,
        "min_child_weight": 1e-3,
        "l1_regularization": 0.0,
        "l2_regularization": 0.0,
        "min_split_gain": 0.0,
        "max_delta_step": 0.0,
        "sampling": "uniform",
        "subsample": 1.0,
        "top_rate": 0.2,
        "other_rate": 0.1,
        "max_features": 1.0,
        "max_features_tree": 1.0,
        "max_bins": 255,
    },
    "CatBoost": {
        "n_estimators": 1000,
        "growth": "oblivious",
        "max_depth": 6,
        "min_samples_leaf": 1,
        "l2_regularization": 3.0,
        "max_bins": 254,
        "sampling": "mvs",
        "subsample": 0.8,
        "max_features": 1.0,
    },
    "GradientBoosting": {
        "n_estimators": 100,
        "learning_rate": 0.1,
        "max_depth": 3,
        "max_leaf_nodes": None,
        "min_samples_leaf": 1,
        "min_samples_split": 2,
        "subsample": 1.0,
        "max_features": None,
    },
}


@pytest.mark.parametrize("kind", ["Classifier", "Regressor"])
@pytest.mark.parametrize("face", DEFAULTS)
def test_defaults_are_those_of_the_peers_manuals(face: str, kind: str) -> None:
    found = getattr(ours, face + kind)().get_params()
    assert {name: found[name] for name in DEFAULTS[face]} == DEFAULTS[face]


def test_the_manuals_are_those_of_the_peers_here() -> None:
    """The table against what the installed peers say of themselves."""
    light = lightgbm.LGBMClassifier().get_params()
    wanted = DEFAULTS["LightGBM"]
    for theirs, mine in {
        "n_estimators": "n_estimators",
        "learning_rate": "learning_rate",
        "num_leaves": "max_leaf_nodes",
        "min_child_samples": "min_samples_leaf",
        "min_child_weight": "min_child_weight",
        "reg_alpha": "l1_regularization",
        "reg_lambda": "l2_regularization",
        "min_split_gain": "min_split_gain",
        "subsample": "subsample",
        "colsample_bytree": "max_features_tree",
    }.items():
        assert light[theirs] == wanted[mine], theirs
    X, y, _ = few_values(0, n=100)
    booster = xgboost.XGBRegressor(n_estimators=1, n_jobs=1).fit(X, y).get_booster()
    trees = json.loads(booster.save_config())["learner"]["gradient_booster"]["tree_train_param"]
    wanted = DEFAULTS["XGBoost"]
    for theirs, mine in {
        "eta": "learning_rate",
        "max_depth": "max_depth",
        "min_child_weight": "min_child_weight",
        "reg_alpha": "l1_regularization",
        "reg_lambda": "l2_regularization",
        "gamma": "min_split_gain",
        "subsample": "subsample",
        "colsample_bytree": "max_features_tree",
        "colsample_bylevel": "max_features_level",
        "colsample_bynode": "max_features",
    }.items():
        assert float(trees[theirs]) == pytest.approx(wanted[mine]), theirs


def test_scikit_learns_words_are_taken() -> None:
    """A changed import line is enough for the textbook's faces."""
    for kind in ("Classifier", "Regressor"):
        theirs = getattr(sklearn_ensemble, f"GradientBoosting{kind}")().get_params()
        mine = getattr(ours, f"GradientBoosting{kind}")().get_params()
        known = set(theirs) & set(mine)
        assert {"n_estimators", "learning_rate", "max_depth", "subsample", "min_samples_leaf"} <= known
        apart = {name for name in known if theirs[name] != mine[name] and name not in ("criterion", "tol", "loss")}
        assert not apart - {"n_iter_no_change"}  # None there says that nothing is stopped early
