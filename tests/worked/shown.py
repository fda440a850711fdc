"""Where in an example's working each of its figures stands.

A function here takes the working that the gallery shows for an example and reads the figures off its cells.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np

from pellucid.working import Working, gallery
from pellucid.working.notation import Reader
from pellucid.working.printers import unicode

from .frame import Example, load

Reading = Callable[[Working, Example], Mapping[str, Any]]
READINGS: dict[str, Reading] = {}


def reads(name: str) -> Callable[[Reading], Reading]:
    """Register the function that reads an example's figures off its working."""

    def register(reading: Reading) -> Reading:
        READINGS[name] = reading
        return reading

    return register


@cache
def working(name: str) -> Working:
    """An example's working, made once."""
    return gallery.show_example(name)


@cache
def figures(name: str) -> Mapping[str, Any]:
    """An example's figures, as read off its working."""
    return READINGS[name](working(name), load(name))


def pair(w: Working, first: str, second: str) -> list[Any]:
    return [w.value(first), w.value(second)]


# ---------------------------------------------------------------------------------------------------- linear regression


@reads("000-height-weight-linear-prediction")
def given_line(w: Working, e: Example) -> Mapping[str, Any]:
    weight = w.value("prediction_0")
    return {"predicted weight (kg) at height 182": weight, "trace: weight = B0 + B1*height": weight}


@reads("000-simple-linear-regression")
def simple_line(w: Working, e: Example) -> Mapping[str, Any]:
    return {
        "mean of x": w.value("mean_x"),
        "mean of y": w.value("mean_y"),
        "numerator": w.value("Sxy"),
        "denominator": w.value("Sxx"),
        "B1 slope": w.value("slope"),
        "B0 intercept": w.value("intercept"),
        "predictions for x in order": w.value("fitted"),
        "sum of squared errors": w.value("SSE"),
        "RMSE": w.value("RMSE"),
        "trace: x - mean(x)": w.value("dx"),
        "trace: y - mean(y)": w.value("dy"),
        "trace: product of deviations": w.value("product"),
        "trace: squared x deviations": w.value("square"),
        "trace: predicted - y": -w.value("error"),
        "trace: squared error": w.value("squared_error"),
    }


@reads("000-simple-linear-regression-shortcut")
def shortcut(w: Working, e: Example) -> Mapping[str, Any]:
    return {
        "Pearson correlation": w.value("r"),
        "sample standard deviation of y": w.value("sd_y"),
        "sample standard deviation of x": w.value("sd_x"),
        "B1": w.value("slope"),
    }


@reads("002-normal-equation-noisy-line")
def noisy_line(w: Working, e: Example) -> Mapping[str, Any]:
    theta = pair(w, "normal.intercept", "normal.slope")
    pseudo = pair(w, "svd.coef_1", "svd.coef_2")
    return {
        "theta (intercept, slope) from the normal equation": theta,
        "theta from the pseudoinverse": pseudo,
        "theta from lstsq, cut-off 1e-6": pseudo,
        "theta as V Sigma+ U^T y": pair(w, "centered.intercept", "centered.slope"),
        "prediction at x1 = 0 and x1 = 2": pair(w, "new.prediction_0", "new.prediction_1"),
        "theta rounded to 3 decimals": pair(w, "rounded_intercept", "rounded_slope"),
        "rank of the design matrix": int(w.value("svd.rank")),
        "singular values": pair(w, "svd.singular_1", "svd.singular_2"),
        "residual sum of squares": w.value("normal.SSE"),
        "training MSE": w.value("normal.MSE"),
        "trace: X^T X": w.value("normal.XtX"),
        "trace: X^T y": w.value("normal.Xty")[:, 0],
        "trace: inverse of X^T X": w.value("normal.inverse"),
        "trace: theta": theta,
    }


@reads("002-polynomial-regression-quadratic")
def quadratic(w: Working, e: Example) -> Mapping[str, Any]:
    first = [w.value("x")[0], w.value("x_squared")[0]]
    return {
        "first row before expansion": first[:1],
        "first row after expansion": first,
        "intercept_": [w.value("fit.intercept")],
        "coef_ (x1, x1^2)": [pair(w, "fit.coef_1", "fit.coef_2")],
        "coefficients rounded (x1^2, x1, 1)": [
            w.value(f"rounded_{name}") for name in ("coef_2", "coef_1", "intercept")
        ],
        "trace: training MSE": w.value("fit.MSE"),
    }


@reads("003-simple-linear-regression-4-points")
def four_points(w: Working, e: Example) -> Mapping[str, Any]:
    return {
        "mean of x": w.value("fit.mean_x"),
        "mean of y": w.value("fit.mean_y"),
        "Sxx": w.value("fit.Sxx"),
        "Sxy": w.value("fit.Sxy"),
        "theta_1": w.value("fit.slope"),
        "theta_0": w.value("fit.intercept"),
        "prediction at x=12": w.value("new.prediction_0"),
        "SSE": w.value("fit.SSE"),
        "R2": w.value("fit.R2"),
    }


@reads("003-simple-linear-regression-7-points-inference")
def seven_points(w: Working, e: Example) -> Mapping[str, Any]:
    def interval(name: str, j: int) -> list[float]:
        return [w.value(f"{name}.low")[j], w.value(f"{name}.high")[j]]

    return {
        "mean of x": w.value("fit.mean_x"),
        "mean of y": w.value("fit.mean_y"),
        "Sxy": w.value("fit.Sxy"),
        "Sxx": w.value("fit.Sxx"),
        "theta_1": w.value("fit.slope"),
        "theta_0": w.value("fit.intercept"),
        "SSE": w.value("table.SSE"),
        "SSR": w.value("table.SSR"),
        "SST": w.value("table.SST"),
        "R2": w.value("table.R2"),
        "MSE = SSE/(n-2)": w.value("table.MSE"),
        "s_theta0": w.value("table.se_intercept"),
        "s_theta1": w.value("table.se_slope"),
        "interval theta_0 with 2.57": interval("table", 0),
        "interval theta_1 with 2.57": interval("table", 1),
        "interval theta_0 with the exact t quantile 2.5705818": interval("exact", 0),
        "interval theta_1 with the exact t quantile": interval("exact", 1),
        "fitted values": w.value("table.fitted"),
        "residuals": w.value("table.error"),
    }


@reads("002-complexity-growth-factors")
def growth(w: Working, e: Example) -> Mapping[str, Any]:
    return {
        "factor for exponent 2.4": w.value("normal_low"),
        "factor for exponent 3": w.value("normal_high"),
        "factor for SVD": w.value("svd"),
        "factor for prediction": w.value("prediction"),
    }


@reads("003-multiple-linear-regression-weightlifter")
def weightlifter(w: Working, e: Example) -> Mapping[str, Any]:
    return {
        "theta_0": w.value("intercept"),
        "theta_1": w.value("coef_1"),
        "theta_2": w.value("coef_2"),
        "X^T X": w.value("XtX"),
        "X^T y": w.value("Xty")[:, 0],
        "residuals": w.value("error"),
        "SSE": w.value("SSE"),
        "R2": w.value("R2"),
    }


# ----------------------------------------------------------------------------------------------------- gradient descent


@reads("000-linear-regression-sgd")
def twenty_updates(w: Working, e: Example) -> Mapping[str, Any]:
    b0, b1 = w.value("theta_0"), w.value("theta_1")
    found: dict[str, Any] = {
        "first prediction": w.value("prediction")[0],
        "first error": w.value("error")[0],
        "B0 after update 1": b0[0],
        "B1 after update 1": b1[0],
        "B0 after each of 20 updates": b0,
        "B1 after each of 20 updates": b1,
        "final B0": w.value("intercept"),
        "final B1": w.value("coef_1"),
        "predictions for x in order after 20 updates": w.value("fitted"),
        "RMSE after 20 updates": w.value("RMSE"),
    }
    for t, (x, y) in enumerate(zip(w.value("x_row"), w.value("y_row"), strict=True)):
        found[f"trace: {t + 1}"] = {"iteration": t + 1, "x": x, "y": y, "B0": b0[t], "B1": b1[t]}
    return found


def theta(w: Working, run: str, first: int) -> list[list[float]]:
    """The start and the parameters after the first updates of a run."""
    start = [w.value(f"{run}start_{j}") for j in (0, 1)]
    return [start, *np.column_stack([w.value(f"{run}theta_{j}")[:first] for j in (0, 1)]).tolist()]


@reads("002-batch-gradient-descent-noisy-line")
def three_rates(w: Working, e: Example) -> Mapping[str, Any]:
    found: dict[str, Any] = {
        "theta after 1000 iterations equals the normal-equation solution": theta(w, "long.", 1000)[-1],
        "gradient norm after 1000 iterations is below": w.value("long.gradient_norm")[1000],
        "eta = 0.5 diverges: MSE after 10 steps exceeds MSE at the start": bool(w.value("diverges")),
        "eta = 0.02 converges slowly: MSE after 10 steps exceeds that of eta = 0.1": bool(w.value("slow")),
        "largest stable fixed rate, 2 / largest eigenvalue of the Hessian (2/m) X^T X": w.value("stable"),
        "trace: 1": {
            "run": "one rate",
            "eta": w.value("long.eta"),
            "theta_first_10": theta(w, "long.", 10),
            "gradient_norm_final": w.value("long.gradient_norm")[1000],
        },
    }
    for k, eta in enumerate(e.settings["three_rates"]["etas"], start=2):
        found[f"trace: {k}"] = {
            "run": "three rates",
            "eta": w.value(f"eta_{eta}.eta"),
            "theta_first_10": theta(w, f"eta_{eta}.", 10),
            "mse": w.value(f"eta_{eta}.loss"),
        }
    return found


@reads("002-stochastic-gradient-descent-schedule")
def schedule(w: Working, e: Example) -> Mapping[str, Any]:
    path, gradient = theta(w, "", 5000), np.column_stack([w.value("gradient_0"), w.value("gradient_1")])
    steps = [
        {
            "t": t,
            "index": int(w.value("row")[t]) - 1,
            "eta": w.value("eta")[t],
            "gradient": gradient[t],
            "theta": path[t + 1],
        }
        for t in range(20)
    ]
    ends = [{"epoch": k, "theta": path[100 * (k + 1)]} for k in range(50)]
    return {
        "theta after 50 epochs (5000 steps)": pair(w, "intercept", "coef_1"),
        "trace: 1": {"first_20_steps": steps},
        "trace: 2": {"theta_at_epoch_end": ends},
    }


def epochs(w: Working, run: str, rows: int) -> dict[str, Any]:
    """The trace of an example whose steps are epochs."""
    path, costs = theta(w, run, 10**6), w.value(f"{run}epoch_cost")
    idle = w.value(f"{run}without_improvement")
    return {
        f"trace: {k + 1}": {
            "epoch": k + 1,
            "mean_half_squared_error": cost,
            "intercept": path[rows * (k + 1)][0],
            "coef": path[rows * (k + 1)][1:],
            "epochs_without_improvement": int(idle[k]),
        }
        for k, cost in enumerate(costs)
    }


@reads("002-sgdregressor-noisy-line")
def inverse_scaling(w: Working, e: Example) -> Mapping[str, Any]:
    return {
        "intercept_": [w.value("intercept")],
        "coef_": [w.value("coef_1")],
        "epochs run": len(w.value("epoch_cost")),
    } | epochs(w, "", 100)


@reads("002-ridge-by-sgd")
def penalized(w: Working, e: Example) -> Mapping[str, Any]:
    return {
        "prediction at x1 = 1.5": [w.value("new.prediction_0")],
        "intercept and slope": pair(w, "fit.intercept", "fit.coef_1"),
        "epochs run": len(w.value("fit.epoch_cost")),
    } | epochs(w, "fit.", 20)


@reads("003-sgd-linear-regression-path")
def path(w: Working, e: Example) -> Mapping[str, Any]:
    updates = theta(w, "first.", 5)[1:]
    found: dict[str, Any] = {
        "theta after each of the first five updates": updates,
        "cost J at the start, all samples": w.value("start.loss")[0],
        "cost at the start as the listing computes it (first sample skipped)": w.value("skipped"),
        "least-squares optimum": pair(w, "optimum.intercept", "optimum.slope"),
        "cloud in which the path ends (theta_0 range, theta_1 range), read off": [
            pair(w, f"low_{j}", f"high_{j}") for j in (0, 1)
        ],
        "contour levels drawn": w.value("levels"),
    }
    for t, at in enumerate(updates):
        row = int(w.value("first.row")[t]) - 1
        found[f"trace: {t + 1}"] = {"update": t + 1, "sample_index": row, "theta": at}
    return found


@reads("003-gradient-of-square")
def gradient_of_square(w: Working, e: Example) -> Mapping[str, Any]:
    formulas = [unicode(Reader().box(w.cells[name].source)).replace(" ", "") for name in ("df_dx", "df_dy")]  # type: ignore[arg-type]
    return {
        "gradient at (1,2)": pair(w, "df_dx", "df_dy"),
        "general gradient": f"[{', '.join(formulas)}]",
    }


# ----------------------------------------------------------------------------------------------------------- statistics


@reads("000-spreadsheet-math")
def spreadsheet(w: Working, e: Example) -> Mapping[str, Any]:
    return {
        "1+1": w.value("sum"),
        "COUNT of a 3-cell range": w.value("count"),
        "2^2": w.value("power"),
        "log base 2 of 4": w.value("log_4"),
        "log base 2 of 2 (the expression actually printed)": w.value("log_2"),
        "sqrt(4)": w.value("root"),
        "exp(2)": w.value("exp"),
        "ln(7.389056099)": w.value("ln"),
        "pi": w.value("pi"),
        "mean of 1,2,3": w.value("mean"),
        "mode of 2,2,3": w.value("mode"),
        "sample standard deviation of 1,2,3": w.value("sd"),
        "Pearson correlation of (2,3,4) and (4,5,6)": w.value("pearson.correlation"),
        'IF(1>2,"YES","NO")': w.value("answer"),
    }


@reads("003-covariance-pearson-scale")
def covariance_and_scale(w: Working, e: Example) -> Mapping[str, Any]:
    return {
        "cov(x1,y1)": w.value("cov1.covariance"),
        "cov(x2,y2)": w.value("cov2.covariance"),
        "pearson(x1,y1)": w.value("r1.correlation"),
        "pearson(x2,y2)": w.value("r2.correlation"),
        "covariance matrix of (x1,y1)": w.value("matrix.C"),
        "population covariance (ddof=0) of (x1,y1)": w.value("population.covariance"),
    }


@reads("003-describe-five-number-summary")
def five_numbers(w: Working, e: Example) -> Mapping[str, Any]:
    summary = w.cells["summary"]
    return {
        "order of the five numbers holds: min <= Q1 <= median <= Q3 <= max": bool(w.value("ordered")),
        "IQR = Q3 - Q1": w.value("interquartile_range"),
        "lower fence Q1 - 1.5 IQR": w.value("low"),
        "upper fence Q3 + 1.5 IQR": w.value("high"),
        "number of points outside the fences": w.value("outside"),
        "row labels of the printed summary": list(summary.axis.labels),  # type: ignore[union-attr]
    }


@reads("003-mean-median-outliers")
def mean_and_median(w: Working, e: Example) -> Mapping[str, Any]:
    return {
        f"{figure} of {name}": w.value(f"{figure}_{name}.{figure}") for name in "ab" for figure in ("mean", "median")
    }


@reads("003-student-t-critical-values")
def critical_values(w: Working, e: Example) -> Mapping[str, Any]:
    return {
        "alpha=0.05": w.value("five.critical"),
        "alpha=0.01": w.value("one.critical"),
        "normal limit for nu to infinity": pair(w, "five.limit", "one.limit"),
        "alpha=0.05, more digits": w.value("five.critical"),
        "alpha=0.01, more digits": w.value("one.critical"),
    }


@reads("003-normal-distribution-bands")
def bands(w: Working, e: Example) -> Mapping[str, Any]:
    names = ["0 to 1 sigma", "1 to 2 sigma", "2 to 3 sigma", "beyond 3 sigma, one side", "inside mu +/- 3 sigma"]
    return {name: w.value(f"band_{k}.probability") for k, name in enumerate(names)}


@reads("000-gaussian-pdf")
def density(w: Working, e: Example) -> Mapping[str, Any]:
    return {"density": w.value("density")}
