"""Answers by ``Ridge``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.reference import ridge as reference

from ..frame import Example, PathName, answers

Array = NDArray[np.float64]


def theta_of(path: PathName, X: Array, y: Array, alpha: float, cost: Any = "sum") -> Array:
    """Intercept and slope on either path."""
    if path == "reference":
        return reference.ridge(X, y, alpha, cost=cost).theta
    from pellucid.linear_model import Ridge

    model = Ridge(alpha, solver="cholesky", cost=cost).fit(X, y)
    return np.array([model.intercept_, *model.coef_])


@answers("002-ridge-closed-form")
def closed_form(example: Example, path: PathName) -> Mapping[str, Any]:
    X, y = np.reshape(example.data["x1"], (-1, 1)), np.asarray(example.data["y"])
    alpha = example.settings["alpha"]

    def at(theta: Array) -> float:
        return float(reference.predict([[1.5]], theta)[0])

    thetas = {strength: theta_of(path, X, y, strength) for strength in (0, 1, 10, 100)}
    figures = {
        "prediction at x1 = 1.5": [[at(thetas[alpha])]],
        "theta (intercept, slope)": thetas[alpha],
        "alpha = 0 gives plain least squares: prediction at 1.5": at(thetas[0]),
        "alpha -> infinity gives the flat line at the mean of y": at(theta_of(path, X, y, 1e15)),
        "same alpha = 1 read as in MSE + alpha/2 ||w||^2: prediction at 1.5": at(theta_of(path, X, y, alpha, "mean")),
    }
    return figures | {
        f"trace: {k}": {"alpha": strength, "theta": theta, "prediction_at_1_5": at(theta)}
        for k, (strength, theta) in enumerate(thetas.items(), start=1)
    }
