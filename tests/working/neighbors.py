"""Workings of neighbor estimators: every distance, weight, rule for ties and average."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pellucid.neighbors import (
    KNeighborsClassifier,
    KNeighborsRegressor,
    KNeighborsTransformer,
    NearestNeighbors,
    RadiusNeighborsClassifier,
    RadiusNeighborsRegressor,
)
from pellucid.working import Working

X = np.array([[1.0, 5.0], [4.0, 1.0], [2.0, 4.0], [5.0, 2.0], [6.0, 1.5], [2.5, 7.0], [3.0, 3.0], [4.5, 6.0]])
GAPS = np.where(X == 4.0, np.nan, X)
FLAGS = np.array([[1, 0, 1, 0], [0, 0, 1, 1], [1, 1, 0, 0], [0, 1, 1, 0], [1, 1, 1, 1], [0, 0, 0, 0]])
MIXED = pd.DataFrame(
    {"age": [20, 35, None, 50, 28], "town": ["Bern", "bern", "Ulm", "Bern", None], "tall": FLAGS[:5, 0]}
)
CLASSES = np.array(["a", "b", "a", "c", "b", "a", "c", "b"])
Y = np.array([3.0, 1.5, 2.0, 8.0, 5.0, 1.0, 4.0, 6.0])
ASKED = np.array([[3.5, 3.5], [6.0, 1.5]])


def made() -> dict[str, Working]:
    """Workings by name."""
    shown: dict[str, Working] = {}
    for metric in (
        "euclidean",
        "manhattan",
        "chebyshev",
        "cosine",
        "canberra",
        "braycurtis",
        "seuclidean",
        "mahalanobis",
    ):
        model = NearestNeighbors(n_neighbors=3, metric=metric).fit(X)
        shown[f"neighbors {metric}"] = model.show_predict(ASKED)
    for metric in ("hamming", "jaccard", "tanimoto", "dice"):
        model = NearestNeighbors(n_neighbors=2, metric=metric).fit(FLAGS)
        shown[f"neighbors {metric}"] = model.show_predict(FLAGS[[0, 5]])
    cases: list[tuple[str, Any, Any, Any]] = [
        ("votes", KNeighborsClassifier(3), X, CLASSES),
        ("votes by distance", KNeighborsClassifier(4, weights="distance", ties="nearest", p=3), X, CLASSES),
        ("tied votes", KNeighborsClassifier(3, ties="nearest"), X, CLASSES),
        ("more votes", KNeighborsClassifier(2, ties="expand", max_samples=0.9, random_state=0), X, CLASSES),
        ("votes with gaps", KNeighborsClassifier(3, metric="nan_euclidean"), GAPS, CLASSES),
        ("votes of mixed rows", KNeighborsClassifier(2, metric="gower"), MIXED, CLASSES[:5]),
        ("mean", KNeighborsRegressor(3, weights="squared_distance"), X, Y),
        ("median", KNeighborsRegressor(3, average="median", include_equal=True), X, Y),
        ("weighted median", KNeighborsRegressor(4, average="median", weights="distance"), X, Y),
        ("votes within", RadiusNeighborsClassifier(2.0, outlier_label="a"), X, CLASSES),
        ("mean within", RadiusNeighborsRegressor(2.5, weights=lambda d: 1 / (1 + d)), X, Y),
    ]
    for name, model, table, y in cases:
        model.fit(table, y)
        shown[f"{name} fit"] = model.show_fit(table, y)
        shown[f"{name} predict"] = model.show_predict(table.iloc[:2] if name.endswith("mixed rows") else ASKED)
    many = np.random.default_rng(0).normal(size=(300, 2)).round(3)
    shown["votes of many"] = KNeighborsClassifier(5).fit(many, many[:, 0] > 0).show_predict(ASKED)
    shown["graph"] = KNeighborsTransformer(n_neighbors=2).fit(X).show_transform(ASKED)
    return shown
