"""Worked examples of nearest neighbors."""

from __future__ import annotations

import numpy as np

from pellucid.base.types import Floats
from pellucid.neighbors import KNeighborsClassifier
from pellucid.working.gallery_base import Example, example
from pellucid.working.model import Working


@example("000-knn-classification")
def two_columns(e: Example) -> Working:
    X = np.column_stack([e.data["X1"], e.data["X2"]])
    model = KNeighborsClassifier(e.settings["k"]).fit(X, e.data["Y"])
    return model.show_predict([[e.data["query"]["X1"], e.data["query"]["X2"]]])  # type: ignore[no-any-return]


@example("003-knn-three-neighbors")
def blue_and_orange(e: Example) -> Working:
    X = np.array([*e.data["blue"], *e.data["orange"]])
    y = ["blue"] * len(e.data["blue"]) + ["orange"] * len(e.data["orange"])
    return KNeighborsClassifier(e.settings["k"]).fit(X, y).show_predict([e.data["query"]])  # type: ignore[no-any-return]


def in_a_line(e: Example) -> Floats:
    """The example names the neighbors' labels and no places: on a line, at distances 1, 2 and 3 from 0."""
    return np.arange(1.0, len(e.data["neighbor_labels"]) + 1)[:, None]


@example("004-knn-majority-vote")
def labels_alone(e: Example) -> Working:
    model = KNeighborsClassifier(e.settings["k"], weights=e.settings["weights"])
    return model.fit(in_a_line(e), e.data["neighbor_labels"]).show_predict([[0.0]])  # type: ignore[no-any-return]
