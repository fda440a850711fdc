"""Workings of CART whose workbooks are recalculated."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pellucid.tree import DecisionTreeClassifier, DecisionTreeRegressor
from pellucid.working import Working

LENGTHS = np.array([39.1, 46.5, 49.1, 36.7, 50.0, 46.1, 38.9, 51.3, 45.2, 42.0, 47.6, 48.7])
TABLE = pd.DataFrame({"length": LENGTHS, "depth": (LENGTHS * 7 % 11).round(1), "sex": ["m", "f", None] * 4})
MASS = 80.0 * LENGTHS - 300 * (TABLE["sex"] == "f").to_numpy() + 10 * (np.arange(12) * 7 % 12)
SPECIES = np.array(["Adelie", "Gentoo", "Chinstrap"] * 4)
WEIGHT = [1.0, 2.0, 1.0] * 4


def made() -> dict[str, Working]:
    """By every criterion, with names, gaps and weights; and pruning."""
    gaps = TABLE.copy()
    gaps.loc[[2, 7], "length"] = np.nan
    gaps.loc[4, "depth"] = np.nan
    cases: dict[str, tuple[Any, Any, Any, Any]] = {
        "gini": (DecisionTreeClassifier(max_depth=2), TABLE, SPECIES, None),
        "entropy, gaps": (DecisionTreeClassifier(criterion="entropy", max_depth=2), gaps, SPECIES, WEIGHT),
        "groups": (DecisionTreeClassifier(weighting="none", threshold="value"), TABLE, SPECIES, None),
        "numbers, gaps": (DecisionTreeRegressor(max_depth=2), gaps, MASS, WEIGHT),
        "absolute error": (DecisionTreeRegressor(criterion="absolute_error", max_depth=2), TABLE, MASS, None),
        "poisson": (DecisionTreeRegressor(criterion="poisson", max_depth=2), TABLE, MASS, WEIGHT),
        "drawn": (DecisionTreeRegressor(splitter="random", random_state=0, max_depth=2), TABLE, MASS, None),
    }
    shown = {}
    for name, (model, X, y, weight) in cases.items():
        model.fit(X, y, weight)
        shown[f"tree {name}"] = model.show_fit(X, y, weight)
        shown[f"tree {name}, predict"] = model.show_predict(X, rows=[0, 7])
    shown["tree pruning"] = DecisionTreeRegressor().fit(TABLE, MASS).show_pruning(TABLE, MASS)
    return shown
