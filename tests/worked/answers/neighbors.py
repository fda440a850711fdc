"""Answers by ``pellucid.neighbors.KNeighborsClassifier``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pellucid.neighbors import KNeighborsClassifier
from pellucid.reference import neighbors as reference

from ..frame import Example, PathName, answers


@answers("000-knn-classification")
def two_columns(example: Example, path: PathName) -> Mapping[str, Any]:
    data, k = example.data, example.settings["k"]
    X, y = np.column_stack([data["X1"], data["X2"]]), np.array(data["Y"])
    query = np.array([data["query"]["X1"], data["query"]["X2"]])
    squares = (X - query) ** 2
    if path == "kernel":
        model = KNeighborsClassifier(k).fit(X, y)
        apart, rows = (part[0] for part in model.kneighbors([query]))
        every, order = (part[0] for part in model.kneighbors([query], len(X)))
        distances, said = every[np.argsort(order)], model.predict([query])[0]
    else:
        distances = reference.distances_to(X, query)
        rows = reference.nearest_rows(distances, k)
        apart, said = distances[rows], reference.knn_classify(X, y, query, k)
    return {
        "squared X1 difference per row": squares[:, 0],
        "squared X2 difference per row": squares[:, 1],
        "sum per row": distances**2,
        "distance per row": distances,
        "the 3 nearest rows (1-based), nearest first": rows + 1,
        "their distances": apart,
        "their classes": y[rows],
        "prediction": said,
    } | {f"trace: {i + 1}": step for i, step in enumerate(steps(squares, distances))}


def steps(squares: Any, distances: Any) -> list[dict[str, Any]]:
    """The rows of the table of distances, as the example's trace has them."""
    return [
        {"row": i + 1, "squared_X1": a, "squared_X2": b, "sum": d**2, "distance": d}
        for i, ((a, b), d) in enumerate(zip(squares.tolist(), distances.tolist(), strict=True))
    ]


@answers("003-knn-three-neighbors")
def blue_and_orange(example: Example, path: PathName) -> Mapping[str, Any]:
    data, k = example.data, example.settings["k"]
    X = np.array([*data["blue"], *data["orange"]])
    y = np.repeat(["blue", "orange"], [len(data["blue"]), len(data["orange"])])
    if path == "kernel":
        model = KNeighborsClassifier(k).fit(X, y)
        apart, rows = (part[0] for part in model.kneighbors([data["query"]]))
        said = model.predict([data["query"]])[0]
    else:
        distances = reference.distances_to(X, data["query"])
        rows = reference.nearest_rows(distances, k)
        apart, said = distances[rows], reference.knn_classify(X, y, data["query"], k)
    return {
        "labels of the three nearest": y[rows],
        "prediction": said,
        "distances of the three nearest": apart,
    }


@answers("004-knn-majority-vote")
def labels_alone(example: Example, path: PathName) -> Mapping[str, Any]:
    labels, k = example.data["neighbor_labels"], example.settings["k"]
    if path == "kernel":
        model = KNeighborsClassifier(k).fit(np.arange(1.0, k + 1)[:, None], labels)
        shares = dict(zip(model.classes_.tolist(), model.predict_proba([[0.0]])[0].tolist(), strict=True))
        return {"predicted label": model.predict([[0.0]])[0], "vote proportions": shares}
    votes = reference.vote(labels, reference.neighbor_weights(np.arange(1.0, k + 1)))
    return {
        "predicted label": reference.leaders(votes)[0],
        "vote proportions": {label: n / k for label, n in votes.items()},
    }
