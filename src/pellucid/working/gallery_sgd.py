"""Worked examples of learning row by row: the perceptron, and a logistic model by squared error."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.linear_model import Perceptron, SGDClassifier
from pellucid.working.gallery_base import Example, example, parts_of
from pellucid.working.model import Working


@example("000-logistic-regression-sgd")
def squared_error_of_probabilities(e: Example) -> Working:
    X, y = np.column_stack([e.data["X1"], e.data["X2"]]), np.asarray(e.data["Y"])
    model = SGDClassifier(
        "squared_sigmoid",
        penalty=None,
        learning_rate="constant",
        eta0=e.settings["learning_rate"],
        order="given",
        max_iter=e.settings["epochs"],
        tol=None,
    ).fit(X, y)
    return model.show_fit(X, y)  # type: ignore[no-any-return]


@example("003-perceptron-and")
def logical_and(e: Example) -> Working:
    X, y = np.column_stack([e.data["x1"], e.data["x2"]]), np.asarray(e.data["t"])
    bias, *weights = e.settings["w_initial"]
    run: dict[str, Any] = {"eta0": e.settings["learning_rate"], "tol": None}
    first = Perceptron(at_zero="first", order=e.settings["sample_order"], max_iter=2, **run)
    first.fit(X, y, coef_init=weights, intercept_init=bias)
    second = Perceptron(at_zero="second", order="given", max_iter=1, **run)
    second.fit(X, y, coef_init=weights, intercept_init=bias)
    return parts_of(
        ("first", "", first.show_fit(X, y)),
        ("second", "If zero says yes", second.show_fit(X, y)),
    )
