"""Workings of AdaBoost and of votes by numbers, for the workbooks."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from pellucid import ensemble
from pellucid.ensemble import AdaBoostClassifier, AdaBoostRegressor
from pellucid.working import Working, show

RNG = np.random.default_rng(3)
X = RNG.normal(size=(20, 2)).round(2)
Y = (X[:, 0] + 0.5 * RNG.normal(size=20)).round(2)
LABELS = np.where(Y > 0, "high", "low")
THREE = np.array(["low", "middle", "high"])[np.searchsorted([-0.4, 0.5], Y)]
WEIGHT = RNG.integers(1, 4, 20).astype(float)


def made() -> dict[str, Working]:
    """Two and three classes, both stages, drawn rows, many rounds, another model, and numbers with each loss."""
    models: list[tuple[str, Any, Any, Any]] = [
        ("stumps", AdaBoostClassifier(n_estimators=3), LABELS, None),
        ("half", AdaBoostClassifier(n_estimators=8, stage="half", learning_rate=0.5), THREE, WEIGHT),
        ("drawn", AdaBoostClassifier(n_estimators=3, weighting="resample", random_state=0), THREE, None),
        ("lines", AdaBoostClassifier(LogisticRegression(), n_estimators=2, normalize=False), LABELS, None),
        ("linear", AdaBoostRegressor(n_estimators=3, random_state=0), Y, None),
        ("square", AdaBoostRegressor(n_estimators=7, random_state=0, loss="square", learning_rate=0.5), Y, WEIGHT),
        ("exponential", AdaBoostRegressor(n_estimators=2, weighting="reweight", loss="exponential"), Y, None),
    ]
    found = {}
    for name, model, y, weight in models:
        model.fit(X, y, weight)
        found[f"{name} {type(model).__name__} fit"] = model.show_fit(X, y, weight)
        found[f"{name} {type(model).__name__} predict"] = model.show_predict(X, rows=[0, 7])
    return found | {
        "ensemble_error": show(ensemble.ensemble_error, 6, 0.3),
        "bootstrap_inclusion": show(ensemble.bootstrap_inclusion, 10, 4),
        "stage_value": show(ensemble.stage_value, [0.1, 0.3], n_classes=3),
        "weighted_vote": show(ensemble.weighted_vote, list("abca"), [1, 2, 0.5, 0.25]),
    }
