"""How the scores of predicted numbers come about: from errors to their means, and to shares of the target's spread."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.working.entry import shows
from pellucid.working.expression import Cell, Expr
from pellucid.working.language import absolute, count, mean, sqrt, sum_
from pellucid.working.model import Working
from pellucid.working.shown._rows import average, numbers, rows_of, weights


def _predictions(
    w: Working, name: str, y_true: Any, y_pred: Any, sample_weight: Any = None
) -> tuple[Cell, Cell, Cell | None]:
    """Target, prediction and weight of each row."""
    y, f = numbers(y_true, name), numbers(y_pred, name)
    rows = rows_of(len(y))
    w.step("Predictions", "What is, and what was said.")
    a = w.given("y", y, rows, symbol="y", label="target")
    p = w.given("f", f, rows, symbol="f", label="prediction")
    return a, p, weights(w, sample_weight, rows)


def _scale(*cells: Cell) -> float:
    """What a rounding error of these numbers is small against."""
    return float(max(np.abs(cell.value).max() for cell in cells))


@shows("metrics.mean_error")
def mean_error(
    w: Working, result: Any, y_true: Any, y_pred: Any, *, sample_weight: Any = None, multioutput: Any = None
) -> None:
    w.title = "Mean error"
    w.intro = "Above 0 where predictions are too low on the whole, below 0 where they are too high."
    y, f, weight = _predictions(w, "mean_error", y_true, y_pred, sample_weight)
    w.step("Errors", "The target less the prediction.")
    e = w.cell("error", y - f, symbol="e", label="error")
    w.step("Mean", "Errors of opposite sign cancel.")
    w.cell("mean_error", average(e, weight), symbol=r"\bar{e}", label="mean error", equals=float(np.mean(result)),
           attribute="mean_error", scale=_scale(y, f))  # fmt: skip


@shows("metrics.mean_absolute_error")
def mean_absolute_error(
    w: Working, result: Any, y_true: Any, y_pred: Any, *, sample_weight: Any = None, multioutput: Any = None
) -> None:
    w.title = "Mean absolute error"
    w.intro = "How far off a prediction is on average, in the unit of the target."
    y, f, weight = _predictions(w, "mean_absolute_error", y_true, y_pred, sample_weight)
    w.step("Errors", "The target less the prediction, and its size.")
    e = w.cell("error", y - f, symbol="e", label="error")
    size = w.cell("size", absolute(e), symbol="d", label="size of it")
    w.step("Mean", "Every unit of error counts the same.")
    w.cell("MAE", average(size, weight), symbol=r"\text{MAE}", label="mean absolute error",
           equals=float(np.mean(result)), attribute="mean_absolute_error", scale=_scale(y, f))  # fmt: skip


def _squares(w: Working, name: str, y_true: Any, y_pred: Any, sample_weight: Any) -> tuple[Expr, float]:
    """The mean of the squared errors, not yet a cell; and the size of what rounding errors come from."""
    y, f, weight = _predictions(w, name, y_true, y_pred, sample_weight)
    w.step("Errors", "The target less the prediction, and its square.")
    e = w.cell("error", y - f, symbol="e", label="error")
    square = w.cell("square", e**2, symbol="q", label="squared")
    return average(square, weight), _scale(y, f)


@shows("metrics.mean_squared_error")
def mean_squared_error(
    w: Working, result: Any, y_true: Any, y_pred: Any, *, sample_weight: Any = None, multioutput: Any = None
) -> None:
    w.title = "Mean squared error"
    w.intro = "Large errors count more than in proportion."
    mean_square, size = _squares(w, "mean_squared_error", y_true, y_pred, sample_weight)
    w.step("Mean", "Over all rows.")
    w.cell("MSE", mean_square, symbol=r"\text{MSE}", label="mean squared error", equals=float(np.mean(result)),
           attribute="mean_squared_error", scale=size**2)  # fmt: skip


@shows("metrics.root_mean_squared_error")
def root_mean_squared_error(
    w: Working, result: Any, y_true: Any, y_pred: Any, *, sample_weight: Any = None, multioutput: Any = None
) -> None:
    w.title = "Root mean squared error"
    w.intro = "A typical size of an error, in the unit of the target."
    mean_square, size = _squares(w, "root_mean_squared_error", y_true, y_pred, sample_weight)
    w.step("Mean and root", "The root brings back the unit of the target.")
    mse = w.cell("MSE", mean_square, symbol=r"\text{MSE}", label="mean squared error")
    w.cell("RMSE", sqrt(mse), symbol=r"\text{RMSE}", label="root of it", equals=float(np.mean(result)),
           attribute="root_mean_squared_error", scale=size)  # fmt: skip


# ------------------------------------------------------------------------------------------------------ share explained


def _spreads(w: Working, y: Cell, f: Cell, weight: Cell | None = None) -> tuple[Cell, Cell, Cell]:
    """The mean of the target, the sum of squared errors, and that of the distances from the mean."""
    w.step("Errors", "How far off the predictions are, and how far off the mean would be.")
    m = w.cell("mean_y", average(y, weight), symbol=r"\bar{y}", label="mean of the target")
    e = w.cell("error", y - f, symbol="e", label="error")
    d = w.cell("apart", y - m, symbol="d", label="distance from the mean")
    w.step("Sums of squares", "What is left over, and what there was.")
    squares = (e**2, d**2) if weight is None else (weight * e**2, weight * d**2)
    sse = w.cell("SSE", sum_(squares[0]), symbol=r"\text{SSE}", label="left over")
    return m, sse, w.cell("SST", sum_(squares[1]), symbol=r"\text{SST}", label="total")


def _share(w: Working, sse: Cell, sst: Cell, y: Cell, expected: float | None) -> Cell | None:
    """R², unless the target does not spread: then there is nothing to take a share of."""
    if len(y.value) < 2:
        w.note("One row has no spread: there is nothing to explain, and R² is undefined.")
        return None
    if np.ptp(y.value) == 0 or sst.value == 0:
        w.note("The target is constant: there is nothing to explain, and R² is 1 or 0 by convention.")
        return None
    w.step("R²", "The share that is not left over.")
    scale = max(1.0, float(sse.value / sst.value))
    return w.cell("R2", 1 - sse / sst, symbol="R^2", label="share explained", equals=expected, attribute="r2_score",
                  scale=scale)  # fmt: skip


@shows("metrics.r2_score")
def r2_score(
    w: Working,
    result: Any,
    y_true: Any,
    y_pred: Any,
    *,
    sample_weight: Any = None,
    multioutput: Any = None,
    force_finite: bool = True,
) -> None:
    w.title = "R² from its sums of squares"
    w.intro = "How much of the scatter of the target the predictions explain."
    y, f, weight = _predictions(w, "r2_score", y_true, y_pred, sample_weight)
    _, sse, sst = _spreads(w, y, f, weight)
    if _share(w, sse, sst, y, float(np.mean(result))) is not None:
        divisor = count(y) if weight is None else sum_(weight)
        w.cell("MSE", sse / divisor, symbol=r"\text{MSE}", label="mean squared error")


@shows("metrics.adjusted_r2_score")
def adjusted_r2_score(w: Working, result: float, y_true: Any, y_pred: Any, n_columns: int) -> None:
    w.title = "R² with a charge for every column"
    w.intro = "A column that explains nothing raises R² a little all the same; this one falls."
    y, f, _ = _predictions(w, "adjusted_r2_score", y_true, y_pred)
    _, sse, sst = _spreads(w, y, f)
    r2 = _share(w, sse, sst, y, None)
    if r2 is None:
        return
    w.step("Adjusted", "What is left over is charged for the columns: over n − p − 1, not n − 1.")
    p = w.given("n_columns", float(n_columns), symbol="p", label="columns of the model")
    n = count(y)
    w.cell("adjusted_R2", 1 - (1 - r2) * (n - 1) / (n - p - 1), symbol="R_a^2", label="adjusted share",
           equals=result, attribute="adjusted_r2_score", scale=max(1.0, abs(result)))  # fmt: skip


@shows("metrics.sums_of_squares")
def sums_of_squares(w: Working, result: Any, y_true: Any, y_pred: Any) -> None:
    w.title = "The spread of the target, split in two"
    w.intro = "What the predictions explain, and what is left: they add up only for a least squares line."
    y, f, _ = _predictions(w, "sums_of_squares", y_true, y_pred)
    size = (_scale(y, f)) ** 2
    w.step("Distances", "Each row from its prediction, its prediction from the mean, and the row from the mean.")
    m = w.cell("mean_y", mean(y), symbol=r"\bar{y}", label="mean of the target")
    deviations = (("error", y - f, "e"), ("explained", f - m, "g"), ("apart", y - m, "d"))
    columns = [w.cell(name, formula, symbol=mark) for name, formula, mark in deviations]
    w.step("Sums of squares", "Of the errors, of the predictions about the mean, of the target about the mean.")
    for name, column, what in zip(("sse", "ssr", "sst"), columns, ("left over", "explained", "total"), strict=True):
        w.cell(name.upper(), sum_(column**2), symbol=rf"\text{{{name.upper()}}}", label=what,
               equals=getattr(result, name), attribute=name, scale=size)  # fmt: skip
    w.step("Do they add up?", "They do where the errors are at right angles to the predictions.")
    sse, ssr, sst = (w.cells[name] for name in ("SSE", "SSR", "SST"))
    assert isinstance(sse, Cell)
    assert isinstance(ssr, Cell)
    assert isinstance(sst, Cell)
    w.cell("both", ssr + sse, symbol=r"\text{SSR} + \text{SSE}", label="explained and left over")
    w.cell("lacking", sst - ssr - sse, symbol="r", label="total less both")
    w.note(f"adds_up is {result.adds_up}: " + ("the two add up to the total." if result.adds_up else "they do not."))
