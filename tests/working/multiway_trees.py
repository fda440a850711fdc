"""Workings of ID3 and C4.5, on the Titanic's passengers: each setting that has formulas of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pellucid.tree import C45Classifier, ID3Classifier
from pellucid.working import Working


def made(passengers: pd.DataFrame, survived: Any) -> dict[str, Working]:
    """Fits and predictions; `passengers` has words and numbers, with gaps among both."""
    y = np.where(np.asarray(survived) == 1, "saved", "lost")
    words, both = passengers[["sex", "embarked"]], passengers[["sex", "age", "fare", "embarked"]]
    small: dict[str, Any] = {"min_samples_leaf": 1, "min_cut_share": 0}
    weight = np.arange(1, len(y) + 1) / 4
    cases: dict[str, tuple[Any, pd.DataFrame, Any]] = {
        "ID3": (ID3Classifier(), words, None),
        "ID3, weighted": (ID3Classifier(class_weight="balanced"), words, weight),
        "ID3, ports": (ID3Classifier(min_gain=0.01), words[["embarked"]], None),
        "C4.5": (C45Classifier(), both, None),
        "C4.5, small leaves": (C45Classifier(**small, confidence=0.5), both[["age", "embarked"]], None),
        "C4.5, weighted": (C45Classifier(**small, cut_criterion="gain_ratio", laplace=True), both, weight),
        "C4.5, ports": (C45Classifier(**small, binary_splits=True, mean_gain=False), words[["embarked"]], None),
        "C4.5, costs": (C45Classifier(**small, costs={"sex": 40.0, "age": 2.0}, pruning=None), both, None),
        "C4.5, costs by powers": (C45Classifier(**small, costs=[9, 0, 1, 1], cost_rule="exponential"), both, None),
        "C4.5, gain": (C45Classifier(**small, criterion="gain", threshold="midpoint", pruning=None), both, None),
        "C4.5, held out": (C45Classifier(**small, pruning="reduced_error", random_state=1), both, None),
    }
    shown = {}
    for name, (model, X, counts) in cases.items():
        model.fit(X, y, counts)
        shown[f"{name}, root"] = model.show_fit(X, y, counts)
        shown[f"{name}, last node"] = model.show_fit(X, y, counts, node=len(model.tree_) - 1)
        inner = np.flatnonzero(~model.tree_.is_leaf)
        if len(inner) > 1:
            shown[f"{name}, deepest test"] = model.show_fit(X, y, counts, node=int(inner[-1]))
        shown[f"{name}, predict"] = model.show_predict(X, rows=[0, 5, 8])
    return shown
