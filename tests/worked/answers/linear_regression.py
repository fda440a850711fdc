"""Answers by ``LinearRegression``.

On both paths a fit is brought to the same small shape, so that the figures are read off in one place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pellucid.reference import linear_regression as reference

from ..frame import Example, PathName, answers
from .key_figures import statistics_on

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Fit:
    """Coefficients (intercept first where there is one) and a way to predict."""

    theta: Array
    model: Any = None

    def predict(self, X: ArrayLike) -> Array:
        """Fitted values at the rows of X."""
        if self.model is None:
            return reference.predict(X, self.theta)
        return np.asarray(self.model.predict(X))


def fit(path: PathName, solver: str, X: ArrayLike, y: ArrayLike) -> Fit:
    """Fit with intercept by one solver of either path."""
    if path == "kernel":
        from pellucid.linear_model import LinearRegression

        model = LinearRegression(solver=solver).fit(X, y)
        intercept = np.reshape(model.intercept_, (1, *np.shape(y)[1:]))
        return Fit(np.concatenate([intercept, np.transpose(model.coef_)]), model)
    if solver in ("simple", "correlation"):
        solve = reference.simple if solver == "simple" else reference.correlation
        line = solve(np.ravel(X), y)
        return Fit(np.array([line.intercept, line.slope]))
    by_solver: dict[str, Callable[..., Any]] = {"normal": reference.normal, "qr": reference.qr, "svd": reference.svd}
    return Fit(by_solver[solver](X, y).theta)


def summary(path: PathName, fitted: Fit, X: ArrayLike, y: ArrayLike, critical: float | None = None) -> Any:
    """Sums of squares and inference: both paths use the same names."""
    if path == "kernel":
        return fitted.model.summary(X, y, critical=critical)
    return reference.inference(X, y, fitted.theta, critical=critical)


def column(x: ArrayLike) -> Array:
    """One variable as a table of one column."""
    return np.reshape(np.asarray(x, dtype=np.float64), (-1, 1))


def deviation_sums(path: PathName, x: ArrayLike, y: ArrayLike) -> tuple[float, float]:
    """``Sxy`` and ``Sxx``: by definition on the reference's path, else covariance and variance times n - 1."""
    if path == "reference":
        line = reference.simple(x, y)
        return line.sxy, line.sxx
    statistics = statistics_on(path)
    rows = len(np.asarray(x))
    return (rows - 1) * statistics.covariance(x, y), (rows - 1) * statistics.variance(x)


def cross_products(path: PathName, X: ArrayLike, y: ArrayLike) -> tuple[Array, Array]:
    """``X^T X`` and ``X^T y`` with a leading column of ones; from moments, ``(n - 1) C + n m m^T``, on the kernel's."""
    if path == "reference":
        solved = reference.normal(X, y)
        return solved.xtx, solved.xty
    statistics = statistics_on(path)
    table = np.column_stack([reference.with_ones(X), np.asarray(y)])
    means = np.array([statistics.mean(values) for values in table.T])
    products = (len(table) - 1) * statistics.covariance_matrix(table) + len(table) * np.outer(means, means)
    return products[:-1, :-1], products[:-1, -1]


@answers("000-height-weight-linear-prediction")
def given_line(example: Example, path: PathName) -> Mapping[str, Any]:
    """The coefficients are given: fit the line through its two drawn ends, and read it off at 182 cm."""
    intercept, slope = example.settings["B0"], example.settings["B1"]
    ends = np.asarray(example.settings["line_plot_range_cm"], dtype=np.float64)
    line = fit(path, "simple", column(ends), intercept + slope * ends)
    weight = line.predict(column(example.data["height_cm"]))[0]
    return {"predicted weight (kg) at height 182": weight, "trace: weight = B0 + B1*height": weight}


@answers("000-simple-linear-regression")
def simple_line(example: Example, path: PathName) -> Mapping[str, Any]:
    x, y = example.data["x"], example.data["y"]
    line = fit(path, "simple", column(x), y)
    fitted = summary(path, line, column(x), y)
    sxy, sxx = deviation_sums(path, x, y)
    figures = {
        "mean of x": statistics_on(path).mean(x),
        "mean of y": statistics_on(path).mean(y),
        "numerator": sxy,
        "denominator": sxx,
        "B1 slope": line.theta[1],
        "B0 intercept": line.theta[0],
        "predictions for x in order": line.predict(column(x)),
        "sum of squared errors": fitted.sse,
        "RMSE": sqrt(fitted.mse_n),
        "trace: predicted - y": -np.asarray(fitted.residuals),
        "trace: squared error": np.square(fitted.residuals),
    }
    if path == "kernel":
        return figures
    steps = reference.simple(x, y)
    return figures | {
        "trace: x - mean(x)": steps.deviation_x,
        "trace: y - mean(y)": steps.deviation_y,
        "trace: product of deviations": steps.products,
        "trace: squared x deviations": steps.squares,
    }


@answers("000-simple-linear-regression-shortcut")
def line_from_correlation(example: Example, path: PathName) -> Mapping[str, Any]:
    x, y = example.data["x"], example.data["y"]
    statistics = statistics_on(path)
    return {
        "Pearson correlation": statistics.correlation(x, y),
        "sample standard deviation of y": statistics.standard_deviation(y),
        "sample standard deviation of x": statistics.standard_deviation(x),
        "B1": fit(path, "correlation", column(x), y).theta[1],
    }


@answers("002-normal-equation-noisy-line")
def noisy_line(example: Example, path: PathName) -> Mapping[str, Any]:
    X, y = column(example.data["x1"]), np.asarray(example.data["y"])
    by = {solver: fit(path, solver, X, y) for solver in ("normal", "qr", "svd")}
    theta, rank, singular = decomposed(path, reference.with_ones(X), y)
    fitted = summary(path, by["qr"], X, y)
    xtx, xty = cross_products(path, X, y)
    figures = {
        "theta (intercept, slope) from the normal equation": by["normal"].theta,
        "theta from the pseudoinverse": theta,
        "theta from lstsq, cut-off 1e-6": by["svd"].theta,
        "theta as V Sigma+ U^T y": by["svd"].theta,
        "prediction at x1 = 0 and x1 = 2": by["normal"].predict([[0.0], [2.0]]),
        "theta rounded to 3 decimals": np.round(by["normal"].theta, 3),
        "rank of the design matrix": rank,
        "singular values": singular,
        "residual sum of squares": fitted.sse,
        "training MSE": fitted.mse_n,
        "trace: X^T X": xtx,
        "trace: X^T y": xty,
        "trace: theta": by["normal"].theta,
    }
    if path == "reference":
        figures["theta from lstsq, cut-off 1e-6"] = reference.svd(X, y, rcond=1e-6).theta
        figures["trace: inverse of X^T X"] = reference.normal(X, y).inverse
    return figures


def decomposed(path: PathName, design: Array, y: Array) -> tuple[Array, int, Array]:
    """Pseudoinverse solution, rank and singular values of a matrix that has its column of ones already."""
    if path == "reference":
        solved = reference.svd(design, y, fit_intercept=False)
        return solved.theta, solved.rank, solved.singular
    from pellucid.linear_model import LinearRegression

    model = LinearRegression(fit_intercept=False, solver="svd").fit(design, y)
    return np.asarray(model.coef_), int(model.rank_), np.asarray(model.singular_)


@answers("002-polynomial-regression-quadratic")
def quadratic(example: Example, path: PathName) -> Mapping[str, Any]:
    """y is a column here, as in the source, so the coefficients are a table of one row."""
    x, y = column(example.data["x1"]), column(example.data["y"])
    expanded = np.column_stack([x, x**2])
    model = fit(path, "svd", expanded, y)
    return {
        "first row before expansion": x[0],
        "first row after expansion": expanded[0],
        "intercept_": model.theta[0],
        "coef_ (x1, x1^2)": model.theta[1:].T,
        "coefficients rounded (x1^2, x1, 1)": np.round(model.theta[::-1, 0], 2),
        "trace: training MSE": np.mean((model.predict(expanded) - y) ** 2),
    }


@answers("003-simple-linear-regression-4-points")
def four_points(example: Example, path: PathName) -> Mapping[str, Any]:
    x, y = example.data["x"], example.data["y"]
    line = fit(path, "simple", column(x), y)
    fitted = summary(path, line, column(x), y)
    sxy, sxx = deviation_sums(path, x, y)
    return {
        "mean of x": statistics_on(path).mean(x),
        "mean of y": statistics_on(path).mean(y),
        "Sxx": sxx,
        "Sxy": sxy,
        "theta_1": line.theta[1],
        "theta_0": line.theta[0],
        "prediction at x=12": line.predict([[12.0]])[0],
        "SSE": fitted.sse,
        "R2": fitted.r2,
    }


@answers("003-simple-linear-regression-7-points-inference")
def seven_points(example: Example, path: PathName) -> Mapping[str, Any]:
    x, y = example.data["x"], example.data["y"]
    line = fit(path, "simple", column(x), y)
    by_table = summary(path, line, column(x), y, critical=example.settings["t_critical"])
    exact = summary(path, line, column(x), y)
    sxy, sxx = deviation_sums(path, x, y)
    return {
        "mean of x": statistics_on(path).mean(x),
        "mean of y": statistics_on(path).mean(y),
        "Sxy": sxy,
        "Sxx": sxx,
        "theta_1": line.theta[1],
        "theta_0": line.theta[0],
        "SSE": exact.sse,
        "SSR": exact.ssr,
        "SST": exact.sst,
        "R2": exact.r2,
        "MSE = SSE/(n-2)": exact.mse_df,
        "s_theta0": exact.standard_errors[0],
        "s_theta1": exact.standard_errors[1],
        "interval theta_0 with 2.57": by_table.intervals[0],
        "interval theta_1 with 2.57": by_table.intervals[1],
        "interval theta_0 with the exact t quantile 2.5705818": exact.intervals[0],
        "interval theta_1 with the exact t quantile": exact.intervals[1],
        "fitted values": exact.fitted,
        "residuals": exact.residuals,
    }


@answers("003-multiple-linear-regression-weightlifter")
def weightlifter(example: Example, path: PathName) -> Mapping[str, Any]:
    X = np.column_stack([example.data["x1_training_hours_per_week"], example.data["x2_protein_g_per_kg_day"]])
    y = np.asarray(example.data["y_weight_kg"])
    model = fit(path, "normal", X, y)
    fitted = summary(path, model, X, y)
    xtx, xty = cross_products(path, X, y)
    return {
        "theta_0": model.theta[0],
        "theta_1": model.theta[1],
        "theta_2": model.theta[2],
        "X^T X": xtx,
        "X^T y": xty,
        "residuals": fitted.residuals,
        "SSE": fitted.sse,
        "R2": fitted.r2,
    }
