"""Workings of bagging, voting and stacking, for the workbooks."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    StackingClassifier,
    StackingRegressor,
    VotingClassifier,
    VotingRegressor,
)
from pellucid.linear_model import LinearRegression
from pellucid.naive_bayes import GaussianNB
from pellucid.tree import DecisionTreeClassifier, DecisionTreeRegressor
from pellucid.working import Working

RNG = np.random.default_rng(3)
X = RNG.normal(size=(24, 2)).round(2)
Y = (X[:, 0] + 0.5 * RNG.normal(size=24)).round(2)
LABELS = np.where(Y > 0, "high", "low")
CLASSES = [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=2, random_state=0))]
NUMBERS = [("line", LinearRegression()), ("tree", DecisionTreeRegressor(max_depth=2, random_state=0))]


def made() -> dict[str, Working]:
    """Each with labels or numbers, as defaults and with votes, weights and rows left out."""
    models: list[tuple[str, Any, Any]] = [
        ("vote", BaggingClassifier(n_estimators=3, voting="hard", random_state=0), LABELS),
        ("mean", BaggingClassifier(n_estimators=15, oob_score=True, random_state=0), LABELS),
        ("numbers", BaggingRegressor(n_estimators=15, oob_score=True, random_state=0), Y),
        ("average", BaggingRegressor(n_estimators=4, oob_score="average", random_state=0, max_samples=0.5), Y),
        ("hard", VotingClassifier(CLASSES, weights=[1, 2]), LABELS),
        ("soft", VotingClassifier(CLASSES, voting="soft"), LABELS),
        ("numbers", VotingRegressor(NUMBERS), Y),
        ("labels", StackingClassifier(CLASSES, cv=3), LABELS),
        ("numbers", StackingRegressor(NUMBERS, cv=3), Y),
    ]
    found = {}
    for name, model, y in models:
        model.fit(X, y)
        found[f"{type(model).__name__} {name} fit"] = model.show_fit(X, y)
        found[f"{type(model).__name__} {name} predict"] = model.show_predict(X, rows=[0, 5, 9])
    return found
