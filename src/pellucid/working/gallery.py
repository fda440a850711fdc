"""Worked examples, each as one working: what the command ``python -m pellucid.working`` shows.

An example's data and settings lie in ``examples/<id>.json``; a function here, or in another `gallery_*`, says which
models and key figures show it.
"""

from __future__ import annotations

from importlib import import_module
from itertools import pairwise
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import numpy as np

from pellucid import stats
from pellucid.base.errors import ParameterError, format_message, join_some
from pellucid.base.types import Floats
from pellucid.linear_model import GradientDescentRegressor, LinearRegression
from pellucid.working.entry import show
from pellucid.working.expression import Axis, expr
from pellucid.working.gallery_base import SHOWN, Example, cell_of, column, example, load, parts_of
from pellucid.working.language import (
    count,
    exp,
    ln,
    log,
    lookup,
    max_,
    mean,
    min_,
    mode,
    pi,
    rounded,
    sqrt,
    standard_deviation,
    sum_,
    where,
)
from pellucid.working.matrix import Stack
from pellucid.working.model import Working

for _other in iter_modules([str(Path(__file__).parent)]):
    if _other.name.startswith("gallery_"):
        import_module(f"pellucid.working.{_other.name}")  # registers its examples


def titles() -> dict[str, str]:
    """Every example that can be shown: its id and title."""
    return {name: load(name).title for name in sorted(SHOWN)}


def show_example(name: str) -> Working:
    """The working of an example, by its id."""
    if name not in SHOWN:
        alike = [known for known in SHOWN if name and name in known]
        actual = f"like it: {join_some(alike)}" if alike else ""
        requirement = f"there is no example {name!r} to show"
        raise ParameterError(
            format_message("show_example", requirement, actual=actual, hint="python -m pellucid.working lists them")
        )
    stored = load(name)
    working = SHOWN[name](stored)
    working.title = stored.title
    return working


# ---------------------------------------------------------------------------------------------------- linear regression


@example("000-height-weight-linear-prediction")
def given_line(e: Example) -> Working:
    ends = np.asarray(e.settings["line_plot_range_cm"], dtype=np.float64)
    model = LinearRegression(solver="simple").fit(column(ends), e.settings["B0"] + e.settings["B1"] * ends)
    return model.show_predict(column(e.data["height_cm"]))  # type: ignore[no-any-return]


@example("000-simple-linear-regression")
def simple_line(e: Example) -> Working:
    X, y = column(e.data["x"]), e.data["y"]
    return LinearRegression(solver="simple").fit(X, y).show_fit(X, y)  # type: ignore[no-any-return]


@example("000-simple-linear-regression-shortcut")
def line_from_correlation(e: Example) -> Working:
    X, y = column(e.data["x"]), e.data["y"]
    return LinearRegression(solver="correlation").fit(X, y).show_fit(X, y)  # type: ignore[no-any-return]


@example("002-normal-equation-noisy-line")
def noisy_line(e: Example) -> Working:
    X, y = column(e.data["x1"]), e.data["y"]
    ones = np.column_stack([np.ones(len(X)), X])
    normal = LinearRegression(solver="normal").fit(X, y)
    pseudo = LinearRegression(solver="svd", fit_intercept=False).fit(ones, y)
    w = parts_of(
        ("normal", "Normal equation", normal.show_fit(X, y)),
        ("svd", "Pseudoinverse", pseudo.show_fit(ones, y)),
        ("centered", "Pseudoinverse of the centered column", LinearRegression(solver="svd").fit(X, y).show_fit(X, y)),
        ("new", "Predictions", normal.show_predict([[0.0], [2.0]])),
    )
    w.step("Rounded", "To three digits after the point.")
    for name in ("intercept", "slope"):
        w.cell(f"rounded_{name}", rounded(cell_of(w, f"normal.{name}"), 3), symbol=rf"\text{{{name}}}", label=name)
    return w


@example("002-polynomial-regression-quadratic")
def quadratic(e: Example) -> Working:
    x, y = np.asarray(e.data["x1"]), np.asarray(e.data["y"])
    w = Working("", "A parabola is a straight-line model of x and x².")
    rows = w.axis("row", len(x))
    w.step("Expansion", "The square becomes a column of its own.")
    column_x = w.given("x", x, rows, symbol="x", label="x")
    square = w.cell("x_squared", column_x**2, symbol="z", label="x²")
    expanded = np.column_stack([x, square.value])
    w.take(LinearRegression(solver="svd").fit(expanded, y).show_fit(expanded, y), "fit")
    w.step("Rounded", "To two digits after the point.")
    for name in ("coef_2", "coef_1", "intercept"):
        cell = cell_of(w, f"fit.{name}")
        w.cell(f"rounded_{name}", rounded(cell, 2), symbol=rf"\text{{{name}}}", label=cell.label)
    return w


@example("003-simple-linear-regression-4-points")
def four_points(e: Example) -> Working:
    X, y = column(e.data["x"]), e.data["y"]
    model = LinearRegression(solver="simple").fit(X, y)
    return parts_of(("fit", "", model.show_fit(X, y)), ("new", "Prediction", model.show_predict([[12.0]])))


@example("003-simple-linear-regression-7-points-inference")
def seven_points(e: Example) -> Working:
    X, y = column(e.data["x"]), e.data["y"]
    model = LinearRegression(solver="simple").fit(X, y)
    return parts_of(
        ("fit", "", model.show_fit(X, y)),
        ("table", "With the value of a table", model.show_summary(X, y, critical=e.settings["t_critical"])),
        ("exact", "With the exact quantile", model.show_summary(X, y)),
    )


@example("002-complexity-growth-factors")
def growth(e: Example) -> Working:
    w = Working(
        "", "How much longer a fit takes when the number of columns grows: the growth to the power of an exponent."
    )
    w.step("Growth", "How many times as many columns, and how the work depends on them.")
    times = w.given("growth", float(e.data["growth_of_n"]), symbol="g", label="times as many columns")
    low, high = e.settings["normal_equation_exponents"]
    exponents = {"normal_low": low, "normal_high": high, "svd": e.settings["svd_exponent"], "prediction": 1}
    for name, exponent in exponents.items():
        factor = stats.growth_factor(float(exponent), e.data["growth_of_n"])
        label = name.replace("_", ", ")
        w.cell(
            name,
            times ** float(exponent),
            symbol=r"\text{factor}",
            label=label,
            equals=factor,
            attribute="growth_factor",
        )
    return w


@example("003-multiple-linear-regression-weightlifter")
def weightlifter(e: Example) -> Working:
    names = ("x1_training_hours_per_week", "x2_protein_g_per_kg_day")
    X, y = np.column_stack([e.data[name] for name in names]), e.data["y_weight_kg"]
    return LinearRegression(solver="normal").fit(X, y).show_fit(X, y)  # type: ignore[no-any-return]


# ----------------------------------------------------------------------------------------------------- gradient descent


def descent(X: Floats, y: Any, **settings: Any) -> tuple[GradientDescentRegressor, Working]:
    """A run that stops by its count alone unless told, and its working."""
    plain = {"tol": None, "gradient_tol": None, "batch_size": 1, **settings}
    model = GradientDescentRegressor(**plain).fit(X, y)
    return model, model.show_fit(X, y)


@example("000-linear-regression-sgd")
def twenty_updates(e: Example) -> Working:
    X, y = column(e.data["x"]), e.data["y"]
    return descent(X, y, order="given", eta0=e.settings["learning_rate"], max_iter=e.settings["epochs"])[1]


@example("002-batch-gradient-descent-noisy-line")
def three_rates(e: Example) -> Working:
    X, y, rates = column(e.data["x1"]), e.data["y"], e.settings["three_rates"]
    # One update more than asked for: its slope and its cost are those of the point before it.
    steps = e.settings["n_iterations"] + 1
    common = {"cost": "squared", "batch_size": None}
    long = descent(X, y, eta0=e.settings["eta"], start=e.settings["theta_init"], max_iter=steps, **common)[1]
    sections = [("long", "A good rate", long)]
    for eta in rates["etas"]:
        run = descent(X, y, eta0=eta, start=rates["start"], max_iter=11, **common)[1]
        sections.append((f"eta_{eta}", f"Rate {eta}", run))
    w = parts_of(*sections)
    w.step("Comparison", "Costs after ten updates beside each other and the start.")
    after = {eta: lookup(cell_of(w, f"eta_{eta}.loss"), 11) for eta in rates["etas"]}
    w.cell("diverges", after[0.5] > lookup(cell_of(w, "eta_0.5.loss"), 1), label="rate 0.5: worse than the start")
    w.cell("slow", after[0.02] > after[0.1], label="rate 0.02: behind rate 0.1")
    _stable(w)
    return w


def _stable(w: Working) -> None:
    """The largest fixed rate: 2 over the largest eigenvalue of the matrix of second derivatives."""
    w.step("Largest stable rate", "2 over the steepest curvature of the cost, an eigenvalue of its second derivatives.")
    x, names = cell_of(w, "long.x"), Axis("parameter", ["1", "x"], "j", "p")
    assert x.axis is not None
    A = w.block("A", Stack([1.0, x], x.axis, names), symbol="A", label="ones and x")
    G = w.block("G", A.T @ A, names, names, symbol="G", label="products of the columns")
    n = count(x)
    indexed_entries = ((11, G[0, 0]), (12, G[0, 1]), (22, G[1, 1]))
    a, b, d = (w.cell(f"h_{k}", 2 * entry / n, symbol=f"h_{{{k}}}") for k, entry in indexed_entries)
    steepest = w.cell(
        "steepest", (a + d) / 2 + sqrt(((a - d) / 2) ** 2 + b**2), symbol=r"\lambda", label="largest eigenvalue"
    )
    w.cell("stable", 2 / steepest, symbol=r"\eta_{max}", label="largest stable rate")


@example("002-stochastic-gradient-descent-schedule")
def schedule(e: Example) -> Working:
    X, y, s = column(e.data["x1"]), e.data["y"], e.settings
    run = {"order": s["indices"], "start": s["theta_init"], "t0": s["t0"], "t1": s["t1"], "max_iter": s["n_epochs"]}
    return descent(X, y, cost="squared", learning_rate="decay", **run)[1]


def _rows(e: Example) -> list[int]:
    return [row for epoch in e.settings["sample_order_per_epoch"] for row in epoch]


@example("002-sgdregressor-noisy-line")
def inverse_scaling(e: Example) -> Working:
    X, y, s = column(e.data["x1"]), e.data["y"], e.settings
    run = {"tol": s["tol"], "eta0": s["eta0"], "n_iter_no_change": s["n_iter_no_change"], "max_iter": s["max_iter"]}
    return descent(X, y, order=_rows(e), learning_rate="invscaling", **run)[1]


@example("002-ridge-by-sgd")
def penalized(e: Example) -> Working:
    X, y, s = column(e.data["x1"]), e.data["y"], e.settings
    run = {"tol": s["tol"], "eta0": s["eta0"], "n_iter_no_change": s["n_iter_no_change"], "max_iter": s["max_iter"]}
    model, w = descent(
        X, y, order=_rows(e), learning_rate="invscaling", penalty="l2", alpha=s["alpha"], **run
    )  # fmt: skip
    return parts_of(("fit", "", w), ("new", "Prediction", model.show_predict([[1.5]])))


@example("003-sgd-linear-regression-path")
def path(e: Example) -> Working:
    X, y, s = column(e.data["x"]), e.data["y"], e.settings
    order = s["sample_order_of_first_five_updates"]
    common = {"eta0": s["learning_rate"], "start": s["theta_initial"], "divide": "rows"}
    w = parts_of(
        ("first", "The first updates", descent(X, y, order=order, max_steps=5, **common)[1]),
        ("start", "All rows at the start", descent(X, y, batch_size=None, max_iter=1, **common)[1]),
        ("optimum", "Least squares", LinearRegression(solver="simple").fit(X, y).show_fit(X, y)),
        ("long", "A long run", descent(X, y, random_state=0, max_iter=s["epochs"], **common)[1]),
    )
    w.step("Cost without the first row", "The same sum begun at the second row, still divided by 2 n.")
    start, x = [cell_of(w, f"first.start_{j}") for j in (0, 1)], cell_of(w, "first.x")
    apart = w.cell("apart", (start[0] + start[1] * x - cell_of(w, "first.y")) ** 2, symbol="q", label="squared error")
    w.cell("skipped", (sum_(apart) - lookup(apart, 1)) / (2 * count(x)), symbol="J", label="cost as printed")
    _cloud(w)
    w.step("Contour levels", "Each twice the one before.")
    k = w.given("k", np.arange(7.0), Axis("level", range(7), "k", "K"), symbol="k", label="number")
    w.cell("levels", 0.1 * expr(2) ** k, symbol="L", label="cost")
    return w


def _cloud(w: Working) -> None:
    """Between which numbers the parameters of a constant rate keep moving, once they have come near."""
    w.step("Where the path ends", "With a constant rate it keeps moving; its bounds after the first 20 updates.")
    for j in (0, 1):
        theta = cell_of(w, f"long.theta_{j}")
        assert theta.axis is not None
        later = Axis("update", theta.axis.labels[20:], "t", "T", raised=True)
        update_number = w.given(f"place_{j}", np.arange(21.0, len(theta.axis) + 1), later, symbol="k", label="update")
        end = w.cell(f"end_{j}", lookup(theta, update_number), symbol=rf"\theta_{{{j}}}", label="parameter")
        w.cell(f"low_{j}", min_(end), symbol=f"a_{{{j}}}", label="lowest")
        w.cell(f"high_{j}", max_(end), symbol=f"b_{{{j}}}", label="highest")


@example("003-gradient-of-square")
def gradient_of_square(e: Example) -> Working:
    w = Working("", "The slope of f = (3x + 2y)² in the direction of each variable.")
    w.step("Point", "Where the slope is asked for.")
    x, y = (w.given(name, float(v), symbol=name) for name, v in zip("xy", e.data["point"], strict=True))
    w.step("Function", "A square of a sum.")
    w.cell("f", (3 * x + 2 * y) ** 2, symbol="f")
    w.step("Slopes", "By the chain rule twice the sum, times what stands before the variable.")
    w.cell("df_dx", 6 * (3 * x + 2 * y), symbol="f_x", label="for x")
    w.cell("df_dy", 4 * (3 * x + 2 * y), symbol="f_y", label="for y")
    return w


# ----------------------------------------------------------------------------------------------------------- statistics


@example("000-spreadsheet-math")
def spreadsheet(e: Example) -> Working:
    w = Working("", "What a spreadsheet supplies, in one table of formulas.")
    w.step("Arithmetic", "Sums, powers, logarithms.")
    numbers = (("one", 1.0, "a"), ("two", 2.0, "b"), ("four", 4.0, "c"))
    one, two, four = (w.given(name, value, symbol=mark) for name, value, mark in numbers)
    w.cell("sum", one + one, symbol="s", label="1 + 1")
    w.cell("power", two**2, symbol="p", label="2 to the power of 2")
    w.cell("log_4", log(four, 2), symbol="l", label="logarithm of 4 to base 2")
    w.cell("log_2", log(two, 2), symbol="m", label="logarithm of 2 to base 2")
    w.cell("root", sqrt(four), symbol="r", label="root of 4")
    power = w.cell("exp", exp(two), symbol="E", label="e squared")
    near = w.given("near", 7.389056099, symbol="d", label="e squared, as printed")
    w.cell("ln", ln(near), symbol="n", label="its natural logarithm")
    w.cell("back", ln(power), symbol="B", label="and of e squared itself")
    w.cell("pi", pi(), symbol="q", label="π")
    w.step("Figures of a list", "Count, mean and standard deviation of 1, 2, 3.")
    three = w.axis("place", 3)
    x = w.given("x", [1.0, 2.0, 3.0], three, symbol="x")
    v = w.given("v", [2.0, 2.0, 3.0], three, symbol="v")
    w.cell("count", count(x), symbol="N", label="count")
    w.cell("mean", mean(x), symbol=r"\bar{x}", label="mean")
    w.cell("sd", standard_deviation(x), symbol="S", label="standard deviation")
    w.cell("mode", mode(v), symbol="M", label="most frequent of 2, 2, 3")
    w.step("Condition", "One word or another.")
    w.cell("answer", where(one > two, "YES", "NO"), symbol="A", label="is 1 greater than 2?")
    w.take(show(stats.correlation, [2, 3, 4], [4, 5, 6]), "pearson", "Correlation")
    return w


@example("003-covariance-pearson-scale")
def covariance_and_scale(e: Example) -> Working:
    x1, y1, x2, y2 = (e.data[name] for name in ("x1", "y1", "x2", "y2"))
    ddof = e.settings["ddof"]
    return parts_of(
        ("cov1", "x1 and y1", show(stats.covariance, x1, y1, ddof=ddof)),
        ("cov2", "x2 and y2, a thousand times larger", show(stats.covariance, x2, y2, ddof=ddof)),
        ("r1", "x1 and y1", show(stats.correlation, x1, y1)),
        ("r2", "x2 and y2", show(stats.correlation, x2, y2)),
        ("matrix", "Matrix", show(stats.covariance_matrix, np.column_stack([x1, y1]), ddof=ddof)),
        ("population", "Divisor n", show(stats.covariance, x1, y1, ddof=0)),
    )


@example("003-describe-five-number-summary")
def five_numbers(e: Example) -> Working:
    from pellucid.working.shown.stats import fences

    figures = e.data["summary"]
    w = Working("", "From printed quartiles to the fences of a box plot.")
    w.step("Summary", "As printed.")
    labels = Axis("figure", list(figures), "k", "K")
    w.given("summary", list(figures.values()), labels, symbol="s", label="value")
    five = [w.given(name, figures[key], symbol=mark) for name, key, mark in FIVE]
    low, high = fences(w, five[1], five[3], e.settings["whisker_factor"], None)
    w.step("Checks", "The numbers are in order, and nothing lies beyond the fences.")
    ordered = expr(1)
    for first, second in pairwise(five):
        ordered = ordered * where(first <= second, 1, 0)
    w.cell("ordered", ordered > 0, symbol="O", label="in order")
    outside = where(five[0] < low, 1, 0) + where(five[4] > high, 1, 0)
    w.cell("outside", outside, symbol="N", label="ends beyond the fences")
    return w


FIVE = (("min", "min", "m"), ("Q1", "25%", "Q_1"), ("median", "50%", "Q_2"), ("Q3", "75%", "Q_3"), ("max", "max", "M"))


@example("003-mean-median-outliers")
def mean_and_median(e: Example) -> Working:
    return parts_of(
        *(
            (f"{figure.__name__}_{name}", f"Values {name}", show(figure, values))
            for name, values in e.data.items()
            for figure in (stats.mean, stats.median)
        )
    )


@example("003-student-t-critical-values")
def critical_values(e: Example) -> Working:
    degrees = [*e.data["nu"], np.inf]
    five_percent, one_percent = e.data["alpha"]
    return parts_of(
        ("five", "Five percent", show(stats.student_t_critical, degrees, alpha=five_percent)),
        ("one", "One percent", show(stats.student_t_critical, degrees, alpha=one_percent)),
    )


@example("003-normal-distribution-bands")
def bands(e: Example) -> Working:
    edges = [*(float(edge) for edge in e.data["limits_in_sigma"]), np.inf]
    pairs = [*pairwise(edges), (-edges[-2], edges[-2])]
    titles = [f"From {low:g} to {high:g}" for low, high in pairs]
    return parts_of(
        *(
            (f"band_{k}", title, show(stats.normal_probability, *pair))
            for k, (pair, title) in enumerate(zip(pairs, titles, strict=True))
        )
    )


@example("000-gaussian-pdf")
def density(e: Example) -> Working:
    return show(stats.normal_density, e.data["x"], e.settings["mean"], e.settings["sd"])
