"""How scores come about: from a confusion matrix to every rate made of it, and from errors to R²."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pellucid.working.entry import shows
from pellucid.working.expression import Axis, Cell, Expr
from pellucid.working.language import count, equal, sqrt, total, where
from pellucid.working.language import mean as mean_of
from pellucid.working.model import Working


@shows("metrics.rates")
def rates(
    w: Working, result: Any, y_true: ArrayLike, y_pred: ArrayLike, *, pos_label: Any = 1, sample_weight: Any = None
) -> None:
    w.title = "From predictions to rates"
    w.intro = f"Rows of class {pos_label!r} are the positive ones."
    actual, predicted = (_labels(values) for values in (y_true, y_pred))
    rows = Axis("row", range(1, len(actual) + 1))
    w.step("Predictions", "What each row is, and what it is said to be.")
    y = w.given("y", actual, rows, symbol="y", label="class")
    f = w.given("f", predicted, rows, symbol="f", label="prediction")
    weight: Expr | int = 1
    if sample_weight is not None:
        weight = w.given("weight", np.asarray(sample_weight, dtype=np.float64), rows, symbol="w", label="weight")
    w.step("Counts", "Right and wrong, among the positive rows and among the others.")
    is_pos, said = equal(y, _plain(pos_label)), equal(f, _plain(pos_label))

    def counted(name: str, first: Expr, second: Expr) -> Cell:
        return w.cell(name, total(where(first, second, 0)), symbol=rf"\text{{{name}}}", label=MEANINGS[name],
                      equals=getattr(result, name), attribute=name)  # fmt: skip

    tp = counted("TP", is_pos, where(said, weight, 0))
    fn = counted("FN", is_pos, where(said, 0, weight))
    fp = w.cell("FP", total(where(is_pos, 0, where(said, weight, 0))), symbol=r"\text{FP}", label=MEANINGS["FP"],
                equals=result.FP, attribute="FP")  # fmt: skip
    tn = w.cell("TN", total(where(is_pos, 0, where(said, 0, weight))), symbol=r"\text{TN}", label=MEANINGS["TN"],
                equals=result.TN, attribute="TN")  # fmt: skip
    from_counts(w, result, tp, tn, fp, fn)


MEANINGS = {
    "TP": "positive, said to be positive",
    "FN": "positive, said to be negative",
    "FP": "negative, said to be positive",
    "TN": "negative, said to be negative",
}


def _labels(values: Any) -> Any:
    found = np.asarray(values)
    return found.astype(np.float64) if found.dtype.kind in "biuf" else found.astype(str).astype(object)


def _plain(label: Any) -> Any:
    return float(label) if isinstance(label, bool | int | float | np.number) else str(label)


def from_counts(w: Working, result: Any, tp: Cell, tn: Cell, fp: Cell, fn: Cell) -> None:
    """Every rate of a `Rates` from its four counts."""
    w.step("Rates", "Each is a share of one side of the table, or made of two such shares.")
    n = w.cell("n", tp + tn + fp + fn, symbol="n", label="all rows", equals=result.n, attribute="n")

    def rate(name: str, formula: Expr, label: str) -> Cell:
        mark = rf"\text{{{label}}}" if " " not in label else rf"\text{{{label.split()[0]}}}"
        return w.cell(name, formula, symbol=mark, label=label, equals=getattr(result, name), attribute=name, scale=1.0)

    rate("accuracy", (tp + tn) / n, "accuracy")
    rate("error_rate", (fp + fn) / n, "error rate")
    sensitivity = rate("sensitivity", tp / (tp + fn), "sensitivity")
    specificity = rate("specificity", tn / (tn + fp), "specificity")
    rate("precision", tp / (tp + fp), "precision")
    rate("f1", 2 * tp / (2 * tp + fp + fn), "F1")
    rate("balanced_accuracy", (sensitivity + specificity) / 2, "balanced accuracy")
    below = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    if below.value > 0:
        rate("matthews_corrcoef", (tp * tn - fp * fn) / sqrt(below), "MCC")


@shows("metrics.r2_score")
def r2_score(w: Working, result: Any, y_true: ArrayLike, y_pred: ArrayLike) -> None:
    w.title = "R² from its sums of squares"
    w.intro = "How much of the scatter of the target the predictions explain."
    y, f = (np.ravel(np.asarray(values, dtype=np.float64)) for values in (y_true, y_pred))
    rows = Axis("row", range(1, len(y) + 1))
    w.step("Predictions", "What is, and what was said.")
    a = w.given("y", y, rows, symbol="y", label="target")
    p = w.given("f", f, rows, symbol="f", label="prediction")
    w.step("Errors", "How far off the predictions are, and how far off the mean would be.")
    m = w.cell("mean_y", mean_of(a), symbol=r"\bar{y}", label="mean of the target")
    e = w.cell("error", a - p, symbol="e", label="error")
    d = w.cell("apart", a - m, symbol="d", label="distance from the mean")
    w.step("Sums of squares", "What is left over, and what there was.")
    sse = w.cell("SSE", total(e**2), symbol=r"\text{SSE}", label="left over")
    sst = w.cell("SST", total(d**2), symbol=r"\text{SST}", label="total")
    if sst.value == 0:
        w.note("The target is constant: there is nothing to explain, and R² is 1 or 0 by convention.")
        return
    w.step("R²", "The share that is not left over.")
    w.cell("R2", 1 - sse / sst, symbol="R^2", label="share explained", equals=float(np.mean(result)),
           attribute="r2_score", scale=1.0)  # fmt: skip
    w.cell("MSE", sse / count(a), symbol=r"\text{MSE}", label="mean squared error")
