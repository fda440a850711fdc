"""Answers by ``Lasso`` and ``ElasticNet``.

On the path "reference" coefficients come from plain coordinate descent run to its end, or from the exact path in 80
digits; on the path "kernel" from the estimators.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pellucid.reference import coordinate_descent as reference

from ..frame import Example, PathName, answers
from .gradient_descent import descend
from .linear_regression import column

Array = NDArray[np.float64]


def fit(path: PathName, X: ArrayLike, y: ArrayLike, alpha: float, l1_ratio: float = 1.0, **settings: Any) -> Array:
    """The intercept and the coefficients."""
    if path == "reference":
        found = reference.coordinate_descent(X, y, alpha, l1_ratio, **settings)
        return np.array([found.intercept, *found.coef])
    from pellucid.linear_model import ElasticNet, Lasso

    model = Lasso(alpha, **settings) if l1_ratio == 1 else ElasticNet(alpha, l1_ratio=l1_ratio, **settings)
    model.fit(X, y)
    return np.array([model.intercept_, *model.coef_])


def at(theta: Array, x: float) -> float:
    return float(theta[0] + theta[1] * x)


@answers("002-lasso-small-line")
def lasso_line(example: Example, path: PathName) -> Mapping[str, Any]:
    X, y, alpha = column(example.data["x1"]), np.asarray(example.data["y"]), example.settings["alpha"]
    theta = fit(path, X, y, alpha)
    d, v = X[:, 0] - X.mean(), y - y.mean()
    return {
        "prediction at x1 = 1.5": [at(theta, 1.5)],
        "intercept and slope": theta,
        "alpha = 0.1 read as in MSE + alpha ||w||_1: prediction at 1.5": at(
            fit(path, X, y, alpha, cost="squared"), 1.5
        ),
        "MSE + alpha ||w||_1 with alpha = 0.2 equals the library result for alpha = 0.1": at(
            fit(path, X, y, 2 * alpha, cost="squared"), 1.5
        ),
        "trace: centered x.y / m": np.mean(d * v),
        "trace: centered x.x / m": np.mean(d**2),
        "trace: soft threshold: (x.y/m - alpha)/(x.x/m)": theta[1],
    }


@answers("002-elastic-net-small-line")
def elastic_net_line(example: Example, path: PathName) -> Mapping[str, Any]:
    X, y, settings = column(example.data["x1"]), np.asarray(example.data["y"]), example.settings
    alpha, r = settings["alpha"], settings["l1_ratio"]
    theta = fit(path, X, y, alpha, r)
    return {
        "prediction at x1 = 1.5": [at(theta, 1.5)],
        "intercept and slope": theta,
        "alpha = 0.1 read as the weight beside the MSE instead of half of it: prediction at 1.5": at(
            fit(path, X, y, alpha, r, cost="squared"), 1.5
        ),
        "r = 1 equals Lasso with the same alpha: prediction at 1.5": at(fit(path, X, y, alpha, 1.0), 1.5),
        "r = 0 equals Ridge; in library scaling Ridge alpha = m * elastic-net alpha: prediction at 1.5": at(
            fit(path, X, y, alpha, 0.0), 1.5
        ),
    }


@answers("002-lasso-versus-ridge-geometry")
def geometry(example: Example, path: PathName) -> Mapping[str, Any]:
    X, y, settings = np.asarray(example.data["X"]), np.asarray(example.data["y"]), example.settings
    alpha, steps = settings["alpha_l1"], settings["n_iterations"]
    common = {"cost": "squared", "fit_intercept": False, "eta0": settings["eta"], "max_iter": steps}
    start, nothing = settings["start"], np.zeros_like(X)
    lasso = fit(path, X, y, alpha, cost="squared", fit_intercept=False)[1:]
    # MSE + 0.1 |theta|^2 is MSE + alpha (1 - r)/2 |theta|^2 with alpha = 0.2 and r = 0
    ridge = fit(path, X, y, 0.2, 0.0, cost="squared", fit_intercept=False)[1:]
    walks = {
        "data term only": descend(path, X, y, start=start, **common).path,
        "Lasso, alpha = 0.5": descend(path, X, y, start=start, penalty="l1", alpha=alpha, **common).path,
        "L1 penalty only": descend(path, nothing, 0 * y, start=start, penalty="l1", alpha=1 / 3, **common).path,
        "Ridge": descend(path, X, y, start=start, penalty="l2", alpha=0.2, **common).path,
    }
    bounces = int(np.sum(np.diff(np.sign(walks["Lasso, alpha = 0.5"][:, 1])) != 0))
    zero = [int(np.argmax(np.diff(np.sign(walks["L1 penalty only"][:, j])) != 0)) for j in (0, 1)]
    figures: dict[str, Any] = {
        "unregularized minimum": np.linalg.solve(X.T @ X, X.T @ y),
        "Lasso minimum, alpha = 0.5: theta_2 is exactly zero": lasso[1],
        "Lasso minimum, theta_1": lasso[0],
        "Ridge minimum: nearer to the origin than the unregularized one, no weight zero": ridge,
        "penalty-only path reaches theta_1 = 0 before theta_2 = 0": zero[0] < zero[1],
    }
    across = "Lasso path with a fixed rate keeps bouncing across theta_2 = 0"
    figures[f"{across} (sign changes of theta_2 in 50 steps, more than)"] = bounces
    for number, (name, walk) in enumerate(walks.items(), start=1):
        figures[f"trace: {number}"] = {"path": name, "theta": walk}
    figures["trace: 2"]["sign_changes_of_theta_2"] = bounces
    return figures


@answers("002-lasso-degree10-sparsity")
def degree_ten(example: Example, path: PathName) -> Mapping[str, Any]:
    x, y, settings = example.data["x1"], example.data["y"], example.settings
    exact = reference.powers(x, settings["degree"])
    X = np.array([[float(value) for value in one] for one in exact]).T
    smallest = settings["alpha_in_source"]
    if path == "reference":
        events, weights = reference.lasso_homotopy(exact, y, smallest)
        plain = reference.coordinate_descent(X, y, smallest, max_iter=1000, tol=0).coef
        top = reference.largest_alpha(X, y)
    else:
        from pellucid.linear_model import Lasso, lasso_path

        events = []
        # The signs are the kernel's. With them the equations are solved in 80 digits, since these columns leave half of
        # a double's digits only.
        found = Lasso(smallest).fit(X, y).coef_
        weights = reference.solve_with_signs(exact, y, smallest, np.sign(found))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a thousand passes are far too few, which is the point
            plain = Lasso(smallest, accelerate=False, tol=0).fit(X, y).coef_
        top = lasso_path(X, y, alphas=2, fit_intercept=True)[0][0]

    def degrees(w: Array) -> list[int]:
        return (np.flatnonzero(w) + 1).tolist()

    def at_alpha(alpha: float) -> Array:
        if path == "kernel":
            return fit(path, X, y, alpha)[1:]
        return reference.lasso_homotopy(exact, y, alpha)[1] if alpha < top else np.zeros(X.shape[1])

    figures: dict[str, Any] = {
        f"degrees with a non-zero weight, alpha = {alpha:g}": degrees(at_alpha(alpha))
        for alpha in (0.001, 0.01, 0.1, 1)
    } | {
        "degrees with a non-zero weight at the exact optimum for alpha = 1e-7": degrees(weights),
        "smallest alpha with all weights zero": top,
        "weights at the exact optimum for alpha = 1e-7 (degrees 1..10)": weights,
        "non-zero weights after 1000 cyclic coordinate-descent sweeps from zero at alpha = 1e-7 (not converged)": len(
            degrees(plain)
        ),
        "trace: weights after 1000 coordinate-descent sweeps at alpha = 1e-7": plain,
    }
    if events:
        figures["trace: breakpoints of the path: at each alpha a degree joins or leaves"] = [
            {
                "alpha": event.alpha,
                "event": event.what,
                "degree": None if event.column is None else event.column + 1,
                "support_before": [j + 1 for j in event.before],
            }
            for event in events
        ]
    return figures
