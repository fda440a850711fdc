"""Answers by ``pellucid.model_selection``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pellucid.reference import linear_regression as reference

from ..frame import Example, PathName, answers
from .key_figures import statistics_on


@answers("000-bootstrap-mean")
def bootstrap_estimate(example: Example, path: PathName) -> Mapping[str, Any]:
    return {"bootstrap estimate of the mean": statistics_on(path).mean(example.data["resample_means"])}


@answers("001-bootstrap-632")
def inclusion(example: Example, path: PathName) -> Mapping[str, Any]:
    chance, n = statistics_on(path).inclusion_probability, len(example.data["original"])
    limit = chance(float("inf"))
    return {"1-(1-1/N)^N in the limit": limit, "trace: 1": {f"N={n}": chance(n), "limit": limit}}


def rmse(model: Any, X: Any, y: Any) -> float:
    return float(np.sqrt(np.mean((model.predict(X) - y) ** 2)))


class Pseudoinverse:
    """The reference's least squares, with what a learning curve asks of a model."""

    def fit(self, X: Any, y: Any) -> Pseudoinverse:
        self.theta = reference.svd(X, y).theta
        return self

    def predict(self, X: Any) -> Any:
        return reference.predict(X, self.theta)


def curve(path: PathName, X: Any, y: Any, train: list[int], test: list[int]) -> tuple[Any, Any]:
    """Train and validation error with the first 1, 2, ... training rows."""
    if path == "reference":
        fits = [Pseudoinverse().fit(X[train[:m]], y[train[:m]]) for m in range(1, len(train) + 1)]
        on_train = [rmse(fit, X[train[:m]], y[train[:m]]) for m, fit in enumerate(fits, start=1)]
        return np.array(on_train), np.array([rmse(fit, X[test], y[test]) for fit in fits])
    from pellucid.linear_model import LinearRegression
    from pellucid.model_selection import learning_curve

    sizes = np.arange(1, len(train) + 1)
    model = LinearRegression(solver="svd")
    found = learning_curve(model, X, y, train_sizes=sizes, cv=[(np.array(train), np.array(test))], scoring=rmse)
    return found.train_scores[:, 0], found.test_scores[:, 0]


@answers("002-learning-curves-under-and-overfitting")
def learning_curves(example: Example, path: PathName) -> Mapping[str, Any]:
    x, y = np.asarray(example.data["x1"]), np.asarray(example.data["y"])
    train, test = example.settings["training_rows_in_order"], example.settings["validation_rows"]
    line = curve(path, x[:, None], y, train, test)
    tenth = curve(path, x[:, None] ** np.arange(1, 11), y, train, test)
    figures: dict[str, Any] = {
        "straight line, train RMSE at sizes 1 and 2": line[0][:2],
        "straight line, train and validation RMSE end close together and high (size 80)": [line[0][-1], line[1][-1]],
        "degree 10, train and validation RMSE at size 80: lower train error, wider gap": [tenth[0][-1], tenth[1][-1]],
        "degree 10 interpolates: train RMSE zero up to size 11": tenth[0][:11],
        "number of training-set sizes the loop should visit (1..80)": len(line[0]),
    }
    note = next(figure.value["val_rmse_note"] for figure in example.figures if figure.name == "trace: 2")
    traced = {"train_rmse": line[0], "val_rmse": line[1]}
    figures["trace: 1"] = {"model": "straight line", **traced}
    figures["trace: 2"] = {"model": "degree 10", "train_rmse": tenth[0], "val_rmse_note": note, "val_rmse": tenth[1]}
    return figures
