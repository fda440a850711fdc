"""Workings of boosted trees, for the workbooks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

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
from pellucid.working import Working

RNG = np.random.default_rng(5)
X = RNG.normal(size=(24, 2)).round(2)
Y = (X[:, 0] + 0.5 * RNG.normal(size=24)).round(2)
COUNTS = np.floor(np.exp(Y))
LABELS = np.where(Y > 0, "high", "low")
THREE = np.array(["low", "middle", "high"])[np.searchsorted([-0.4, 0.5], Y)]
SEVERAL = np.column_stack([Y, X[:, 1] - X[:, 0], Y * X[:, 1], X.sum(axis=1)])
WEIGHT = RNG.integers(0, 4, 24).astype(float)
TABLE = pd.DataFrame({"a": X[:, 0], "color": RNG.choice(["red", "green", "blue", "gray"], 24)})
TWO = TABLE[["color"]].assign(shape=RNG.choice(["round", "square", "long"], 24), a=X[:, 0])
HOLES = TWO.assign(shape=TWO["shape"].where(RNG.random(24) > 0.2, None))


def made() -> dict[str, Working]:
    """Every loss, the textbook's way and by two derivatives; rows drawn in every way; weights, bounds, categories."""
    small: dict[str, Any] = {"n_estimators": 3, "max_depth": 2}
    leaf: dict[str, Any] = {"n_estimators": 3, "min_samples_leaf": 3}
    ordered: dict[str, Any] = {**small, "boosting": "ordered", "random_state": 0}
    drawn: dict[str, Any] = {**leaf, "random_state": 0, "learning_rate": 1.0}
    models: list[tuple[str, Any, Any, Any, Any]] = [
        ("squares", GradientBoostingRegressor(**small), X, Y, None),
        ("medians", GradientBoostingRegressor(**small, loss="absolute_error"), X, Y, WEIGHT),
        ("huber", GradientBoostingRegressor(**small, loss="huber", subsample=0.7, random_state=0), X, Y, None),
        ("counts", GradientBoostingRegressor(**small, loss="poisson"), X, COUNTS, None),
        ("two", GradientBoostingClassifier(**small), X, LABELS, WEIGHT),
        ("three", GradientBoostingClassifier(**small), X, THREE, None),
        ("l1", XGBoostRegressor(**small, l1_regularization=0.5), X, Y, WEIGHT),
        ("quantile", XGBoostRegressor(**small, loss="quantile", quantile=0.3), X, Y, None),
        ("step", XGBoostRegressor(**small, loss="poisson", max_delta_step=0.7), X, COUNTS, None),
        ("two", XGBoostClassifier(**small), X, LABELS, None),
        ("three", XGBoostClassifier(**small), X, THREE, WEIGHT),
        ("goss", LightGBMClassifier(**drawn, sampling="goss"), X, LABELS, None),
        ("mvs", LightGBMRegressor(**drawn, sampling="mvs", subsample=0.6), X, Y, WEIGHT),
        ("stopped", LightGBMRegressor(**leaf, early_stopping=True, random_state=0), X, Y, None),
        ("names", LightGBMClassifier(**leaf), TABLE, LABELS, None),
        ("bayesian", BoostedTreesRegressor(**drawn, sampling="bayesian"), X, Y, None),
        ("share", LightGBMClassifier(**drawn, subsample=0.6), X, THREE, None),
        ("bernoulli", BoostedTreesClassifier(**drawn, sampling="bernoulli", subsample=0.6), X, LABELS, WEIGHT),
        ("statistics", CatBoostClassifier(**small, random_state=0), TABLE, LABELS, None),
        ("levels", CatBoostClassifier(**small, random_state=0), X, LABELS, None),
        ("joined", CatBoostRegressor(**small, random_state=1, max_combinations=2), HOLES, Y, WEIGHT),
        ("flags", CatBoostClassifier(**small, random_state=2), TABLE, THREE, None),
        ("ordered", CatBoostRegressor(**ordered, n_permutations=1), X, Y, WEIGHT),
        ("ordered", CatBoostClassifier(**ordered, l1_regularization=0.1), TWO, LABELS, None),
        ("ordered counts", CatBoostRegressor(**ordered, loss="poisson", max_delta_step=0.5), X, COUNTS, None),
        ("two at once", XGBoostRegressor(**small, l1_regularization=0.1), X, SEVERAL[:, :2], WEIGHT),
        ("four at once", LightGBMRegressor(**drawn, sampling="mvs", subsample=0.6), X, SEVERAL, None),
        ("medians at once", XGBoostRegressor(**small, loss="absolute_error"), X, SEVERAL[:, :2], WEIGHT),
        ("huber at once", BoostedTreesRegressor(**leaf, loss="huber"), TABLE, SEVERAL[:, :3], None),
        ("counts at once", XGBoostRegressor(**small, loss="poisson"), X, np.c_[COUNTS, COUNTS[::-1]], None),
        ("classes at once", XGBoostClassifier(**small, vector_leaves=True), X, THREE, WEIGHT),
        ("ordered stopped", CatBoostRegressor(**ordered, early_stopping=True), TABLE, Y, None),
    ]
    found = {}
    for name, model, table, y, weight in models:
        model.fit(table, y, weight)
        found[f"{name} {type(model).__name__} fit"] = model.show_fit(table, y, weight)
        found[f"{name} {type(model).__name__} predict"] = model.show_predict(table, rows=[0, 7])
    return found
