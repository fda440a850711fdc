"""Answers by ``GradientDescentRegressor``.

On both paths a run is brought to the same small shape: the path, and for each step and epoch what the book shows of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pellucid.reference import gradient_descent as reference

from ..frame import Example, PathName, answers
from .linear_regression import column, fit

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Run:
    """A descent: parameters at the start and after each step, gradients' lengths, rates, and each epoch's end."""

    path: Array
    rates: Array
    costs: Array
    norms: Array
    epoch_costs: Array
    without_improvement: list[int]
    epoch_ends: Array

    @property
    def theta(self) -> Array:
        return np.asarray(self.path[-1])


def descend(path: PathName, X: ArrayLike, y: ArrayLike, **settings: Any) -> Run:
    """The same settings on either path; no rule stops the run unless it is asked for."""
    settings = {"tol": None, "gradient_tol": None, **settings}
    if path == "reference":
        d = reference.descend(X, y, **settings)
        norms = [np.linalg.norm(step.gradient) for step in d.steps]
        return Run(
            d.path,
            np.array([step.rate for step in d.steps]),
            np.array([step.cost for step in d.steps]),
            np.array(norms),
            np.array([epoch.cost for epoch in d.epochs]),
            [epoch.without_improvement for epoch in d.epochs],
            np.array([epoch.theta for epoch in d.epochs]),
        )
    from pellucid.linear_model import GradientDescentRegressor

    model = GradientDescentRegressor(**settings)
    tables = model.fit_with_history(X, y)
    steps, epochs = Table(*tables["steps"]), Table(*tables["epochs"])
    return Run(
        model.path_,
        steps["rate"],
        steps["cost"],
        steps["gradient_norm"],
        epochs["cost"],
        epochs["without_improvement"].astype(int).tolist(),
        epochs.theta,
    )


@dataclass(frozen=True)
class Table:
    """A recorded table, read by the names of its columns."""

    columns: list[str]
    rows: Array

    def __getitem__(self, name: str) -> Array:
        return np.asarray(self.rows[:, self.columns.index(name)])

    @property
    def theta(self) -> Array:
        return np.asarray(self.rows[:, [name.startswith("theta_") for name in self.columns]])


def gradients(run: Run, first: int) -> Array:
    """The gradients of the first steps, from where they led: ``(theta_before - theta_after) / rate``."""
    return -np.diff(run.path[: first + 1], axis=0) / run.rates[:first, None]


def mean_squared_error(X: ArrayLike, y: ArrayLike, theta: ArrayLike) -> float:
    """``mean((theta_0 + x theta_1 - y)^2)`` of a line."""
    return float(np.mean((np.column_stack([np.ones(len(np.asarray(X))), X]) @ np.asarray(theta) - y) ** 2))


@answers("000-linear-regression-sgd")
def twenty_updates(example: Example, path: PathName) -> Mapping[str, Any]:
    x, y = np.asarray(example.data["x"]), np.asarray(example.data["y"])
    run = descend(path, column(x), y, batch_size=1, order="given", eta0=example.settings["learning_rate"], max_iter=4)
    b0, b1 = run.path[1:].T
    predicted = run.theta[0] + run.theta[1] * x
    first = run.path[0][0] + run.path[0][1] * x[0]
    figures: dict[str, Any] = {
        "first prediction": first,
        "first error": gradients(run, 1)[0][0],  # of the intercept: it is the error itself
        "B0 after update 1": b0[0],
        "B1 after update 1": b1[0],
        "B0 after each of 20 updates": b0,
        "B1 after each of 20 updates": b1,
        "final B0": b0[-1],
        "final B1": b1[-1],
        "predictions for x in order after 20 updates": predicted,
        "RMSE after 20 updates": np.sqrt(mean_squared_error(x, y, run.theta)),
    }
    for t in range(20):
        at = {"iteration": t + 1, "x": x[t % 5], "y": y[t % 5], "B0": b0[t], "B1": b1[t]}
        figures[f"trace: {t + 1}"] = at
    return figures


@answers("002-batch-gradient-descent-noisy-line")
def three_rates(example: Example, path: PathName) -> Mapping[str, Any]:
    X, y = column(example.data["x1"]), np.asarray(example.data["y"])
    settings, rates = example.settings, example.settings["three_rates"]

    def run(eta: float, start: list[float], steps: int) -> Run:
        return descend(path, X, y, cost="squared", eta0=eta, start=start, max_iter=steps)

    long = run(settings["eta"], settings["theta_init"], settings["n_iterations"] + 1)  # one more shows the gradient
    short = {eta: run(eta, rates["start"], 10) for eta in rates["etas"]}
    mse = {eta: [mean_squared_error(X, y, theta) for theta in r.path] for eta, r in short.items()}
    figures: dict[str, Any] = {
        "theta after 1000 iterations equals the normal-equation solution": long.path[1000],
        "gradient norm after 1000 iterations is below": long.norms[1000],
        "eta = 0.5 diverges: MSE after 10 steps exceeds MSE at the start": mse[0.5][10] > mse[0.5][0],
        "eta = 0.02 converges slowly: MSE after 10 steps exceeds that of eta = 0.1": mse[0.02][10] > mse[0.1][10],
        "largest stable fixed rate, 2 / largest eigenvalue of the Hessian (2/m) X^T X": 2 / curvature(path, X),
        "trace: 1": {
            "run": "one rate",
            "eta": settings["eta"],
            "theta_first_10": long.path[:11],
            "gradient_norm_final": long.norms[1000],
        },
    }
    for number, (eta, r) in enumerate(short.items(), start=2):
        figures[f"trace: {number}"] = {"run": "three rates", "eta": eta, "theta_first_10": r.path, "mse": mse[eta]}
    return figures


def curvature(path: PathName, X: Array) -> float:
    """Largest eigenvalue of the Hessian of the squared cost: its columns are gradients at unit vectors, with y = 0."""
    units = np.eye(X.shape[1] + 1)
    runs = [descend(path, X, np.zeros(len(X)), cost="squared", eta0=1.0, start=e, max_steps=1) for e in units]
    return float(np.linalg.eigvalsh([gradients(run, 1)[0] for run in runs]).max())


@answers("002-stochastic-gradient-descent-schedule")
def decaying(example: Example, path: PathName) -> Mapping[str, Any]:
    X, y, settings = column(example.data["x1"]), example.data["y"], example.settings
    run = descend(
        path,
        X,
        y,
        cost="squared",
        batch_size=1,
        order=settings["indices"],
        learning_rate="decay",
        t0=float(settings["t0"]),
        t1=float(settings["t1"]),
        max_iter=settings["n_epochs"],
        start=settings["theta_init"],
    )
    first = [
        {"t": t, "index": settings["indices"][t], "eta": run.rates[t], "gradient": g, "theta": run.path[t + 1]}
        for t, g in enumerate(gradients(run, 20))
    ]
    ends = [{"epoch": e, "theta": theta} for e, theta in enumerate(run.epoch_ends)]
    return {
        "theta after 50 epochs (5000 steps)": run.theta,
        "trace: 1": {"first_20_steps": first},
        "trace: 2": {"theta_at_epoch_end": ends},
    }


@answers("002-sgdregressor-noisy-line")
def inverse_scaling(example: Example, path: PathName) -> Mapping[str, Any]:
    run = in_the_order_of(example, path)
    return {
        "intercept_": run.theta[:1],
        "coef_": run.theta[1:],
        "epochs run": len(run.epoch_costs),
        **epoch_steps(run),
    }


@answers("002-ridge-by-sgd")
def ridge(example: Example, path: PathName) -> Mapping[str, Any]:
    run = in_the_order_of(example, path, penalty="l2", alpha=example.settings["alpha"])
    return {
        "prediction at x1 = 1.5": [run.theta[0] + 1.5 * run.theta[1]],
        "intercept and slope": run.theta,
        "epochs run": len(run.epoch_costs),
        **epoch_steps(run),
    }


def in_the_order_of(example: Example, path: PathName, **more: Any) -> Run:
    """A stochastic run over the example's own order of rows, with its stopping rule."""
    settings = example.settings
    return descend(
        path,
        column(example.data["x1"]),
        example.data["y"],
        batch_size=1,
        order=list(chain.from_iterable(settings["sample_order_per_epoch"])),
        learning_rate="invscaling",
        eta0=settings["eta0"],
        max_iter=settings["max_iter"],
        tol=settings["tol"],
        n_iter_no_change=settings["n_iter_no_change"],
        **more,
    )


def epoch_steps(run: Run) -> dict[str, Any]:
    ends = zip(run.epoch_costs, run.epoch_ends, run.without_improvement, strict=True)
    return {
        f"trace: {number}": {
            "epoch": number,
            "mean_half_squared_error": cost,
            "intercept": theta[0],
            "coef": theta[1:],
            "epochs_without_improvement": without,
        }
        for number, (cost, theta, without) in enumerate(ends, start=1)
    }


@answers("003-sgd-linear-regression-path")
def four_points(example: Example, path: PathName) -> Mapping[str, Any]:
    x, y, settings = np.asarray(example.data["x"]), np.asarray(example.data["y"]), example.settings
    start, first = settings["theta_initial"], settings["sample_order_of_first_five_updates"]
    common = {"batch_size": 1, "divide": "rows", "eta0": settings["learning_rate"], "start": start}
    run = descend(path, column(x), y, order=first, max_steps=5, **common)
    seed = {"seed": 0} if path == "reference" else {"random_state": 0}
    long = descend(path, column(x), y, order="shuffled", max_iter=settings["epochs"], **common, **seed)
    error_cost = descend(path, column(x), y, eta0=1e-3, start=start, max_steps=1).costs[0]
    without_first = descend(path, column(x[1:]), y[1:], eta0=1e-3, start=start, max_steps=1).costs[0]
    cloud = long.path[20:]  # five epochs bring it from the start to where it then stays
    figures: dict[str, Any] = {
        "theta after each of the first five updates": run.path[1:],
        "cost J at the start, all samples": error_cost,
        "cost at the start as the listing computes it (first sample skipped)": without_first * 3 / 4,
        "least-squares optimum": fit(path, "simple", column(x), y).theta,
        "cloud in which the path ends (theta_0 range, theta_1 range), read off": [
            [cloud[:, 0].min(), cloud[:, 0].max()],
            [cloud[:, 1].min(), cloud[:, 1].max()],
        ],
        "contour levels drawn": 0.1 * 2.0 ** np.arange(7),
    }
    for t, row in enumerate(first):
        figures[f"trace: {t + 1}"] = {"update": t + 1, "sample_index": row, "theta": run.path[t + 1]}
    return figures


@answers("003-gradient-of-square")
def gradient_of_square(example: Example, path: PathName) -> Mapping[str, Any]:
    """``(3x + 2y)^2`` is the squared cost of one row (3, 2) with target 0; its gradient is 2 (3x + 2y) (3, 2)."""
    if path == "reference":
        found = reference.gradient(lambda v: float((3 * v[0] + 2 * v[1]) ** 2), example.data["point"])
    else:
        one_row = {"cost": "squared", "fit_intercept": False, "eta0": 1.0, "max_steps": 1}
        found = gradients(descend(path, [[3.0, 2.0]], [0.0], start=example.data["point"], **one_row), 1)[0]
    return {"gradient at (1,2)": found, "general gradient": "[6(3x+2y), 4(3x+2y)]"}
