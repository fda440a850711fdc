"""Where the figures of the examples of logistic regression stand in their workings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pellucid.working import Working

from .frame import Example
from .shown import READINGS, pair, reads

__all__ = ["READINGS"]


@reads("000-logistic-height-sex")
def height(w: Working, e: Example) -> Mapping[str, Any]:
    return {
        "P(male | height=150)": w.value("probability_0"),
        "crisp class (1 = male)": int(w.value("class_0")),
        "trace: linear term B0+B1*x": w.value("score_0"),
    }


@reads("000-odds-from-probability")
def odds(w: Working, e: Example) -> Mapping[str, Any]:
    return {"odds": w.value("odds.odds")}


@reads("002-logistic-iris-petal-width")
def petal_width(w: Working, e: Example) -> Mapping[str, Any]:
    found: dict[str, Any] = {
        "predicted classes for 1.7 cm and 1.5 cm (both variants)": [
            int(w.value(f"lbfgs_new.class_{row}")) for row in (2, 1)
        ],
        "virginica petal width range, cm": pair(w, "virginica_least", "virginica_most"),
        "other species petal width range, cm": pair(w, "other_least", "other_most"),
        "number of flowers and of species": [int(w.value("flowers")), int(w.value("species"))],
    }
    for solver in ("liblinear", "lbfgs"):
        found[f"decision boundary in cm, {solver} variant"] = w.value(f"boundary_{solver}")
        found[f"intercept and slope, {solver} variant"] = pair(w, f"{solver}.intercept", f"{solver}.coef_1")
        chances = [w.value(f"{solver}_new.probability_{row}") for row in range(4)]
        found[f"probability of virginica at 1.0, 1.5, 1.7, 2.0 cm, {solver} variant"] = chances
        assert [int(w.value(f"{solver}_new.class_{row}")) for row in (2, 1)] == [1, 0]
    return found


@reads("002-softmax-iris-petals")
def petals(w: Working, e: Example) -> Mapping[str, Any]:
    planes = np.array(
        [[w.value(f"fit.{name}") for name in (f"intercept_{k}", f"coef_{k}_1", f"coef_{k}_2")] for k in (1, 2, 3)]
    )
    planes[:, 0] -= planes[:, 0].mean()
    chances = w.value("new.probabilities_0")
    return {
        "predicted class for length 5 cm, width 2 cm": [int(w.value("new.class_0"))],
        "class probabilities for length 5 cm, width 2 cm": [chances],
        "class probabilities at the exact optimum": chances,
        "percentages quoted in words, virginica and versicolor": pair(w, "percent_virginica", "percent_versicolor"),
        "where all boundaries meet every class has probability": w.value("there"),
        "point where the three boundaries meet (length, width)": w.value("point")[:, 0],
        "scores s_k = intercept + w.x (rows: setosa, versicolor, virginica; columns: intercept, length, width), "
        "intercepts centered to sum zero": planes,
        "trace: scores at the query": w.value("new.scores_0"),
    }
