"""Where in the working of nearest neighbors each figure of an example stands; goes on from `shown`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pellucid.working import Working

from .answers.neighbors import steps
from .frame import Example
from .shown import READINGS, reads

__all__ = ["READINGS"]


@reads("000-knn-classification")
def two_columns(w: Working, e: Example) -> Mapping[str, Any]:
    squares = np.column_stack([w.value("q1_s_1"), w.value("q1_s_2")])
    return {
        "squared X1 difference per row": squares[:, 0],
        "squared X2 difference per row": squares[:, 1],
        "sum per row": w.value("q1_sum"),
        "distance per row": w.value("q1_d"),
        "the 3 nearest rows (1-based), nearest first": w.value("q1_place"),
        "their distances": w.value("q1_e"),
        "their classes": w.value("q1_t"),
        "prediction": w.value("q1_prediction"),
    } | {f"trace: {i + 1}": step for i, step in enumerate(steps(squares, w.value("q1_d")))}


@reads("003-knn-three-neighbors")
def blue_and_orange(w: Working, e: Example) -> Mapping[str, Any]:
    return {
        "labels of the three nearest": w.value("q1_t"),
        "prediction": w.value("q1_prediction"),
        "distances of the three nearest": w.value("q1_e"),
    }


@reads("004-knn-majority-vote")
def labels_alone(w: Working, e: Example) -> Mapping[str, Any]:
    shares = dict(zip(w.value("q1_class").tolist(), w.value("q1_share").tolist(), strict=True))
    return {"predicted label": w.value("q1_prediction"), "vote proportions": shares}
