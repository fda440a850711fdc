"""Workings of forests whose workbooks are recalculated."""

from __future__ import annotations

from typing import Any

from pellucid.ensemble import ExtraTreesClassifier, RandomForestClassifier, RandomForestRegressor
from pellucid.working import Working

from .voters import LABELS, X, Y


def made() -> dict[str, Working]:
    """Labels and numbers, means and votes, rows left out in both ways."""
    models: list[tuple[str, Any, Any]] = [
        ("mean", RandomForestClassifier(30, oob_score=True, random_state=0), LABELS),
        ("vote", RandomForestClassifier(4, voting="hard", class_weight="balanced_subsample", random_state=0), LABELS),
        ("numbers", RandomForestRegressor(30, oob_score=True, random_state=0), Y),
        ("average", RandomForestRegressor(30, oob_score="average", max_depth=2, random_state=0), Y),
        ("random", ExtraTreesClassifier(5, random_state=0), LABELS),
    ]
    found = {}
    for name, model, y in models:
        model.fit(X, y)
        found[f"{type(model).__name__} {name} fit"] = model.show_fit(X, y)
        found[f"{type(model).__name__} {name} predict"] = model.show_predict(X, rows=[0, 5])
    return found
