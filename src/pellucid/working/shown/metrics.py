"""How scores come about: from a confusion matrix to every rate made of it.

The other metrics are shown by the modules beside this one that begin with an underscore.
"""

from __future__ import annotations

from typing import Any

from pellucid.working.entry import shows
from pellucid.working.expression import Cell, Expr
from pellucid.working.language import equal, sqrt, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown import (
    _agreement,
    _distances,
    _edit_distance,
    _errors,
    _probabilities,
    _ranking,
    _recommendation,
)
from pellucid.working.shown._rows import label, labels, rows_of, spelled, weights

BESIDE = (
    _agreement,
    _distances,
    _edit_distance,
    _errors,
    _probabilities,
    _ranking,
    _recommendation,
)  # they register when they are imported


@shows("metrics.rates")
def rates(w: Working, result: Any, y_true: Any, y_pred: Any, *, pos_label: Any = 1, sample_weight: Any = None) -> None:
    w.title = "From predictions to rates"
    w.intro = f"Rows of class {spelled(label(pos_label))} are the positive ones."
    actual, predicted = labels(y_true, "rates"), labels(y_pred, "rates")
    rows = rows_of(len(actual))
    w.step("Predictions", "What each row is, and what it is said to be: 1 for positive, 0 for negative.")
    y = w.given("y", actual, rows, symbol="y", label="class")
    f = w.given("f", predicted, rows, symbol="f", label="prediction")
    weight = weights(w, sample_weight, rows)
    a = w.cell("is_positive", where(equal(y, label(pos_label)), 1, 0), symbol="a", label="is positive")
    b = w.cell("said_positive", where(equal(f, label(pos_label)), 1, 0), symbol="b", label="is said to be")
    w.step("Counts", "Right and wrong, among the positive rows and among the others.")

    def counted(name: str, both: Expr) -> Cell:
        return w.cell(name, sum_(both if weight is None else weight * both), symbol=rf"\text{{{name}}}",
                      label=MEANINGS[name], equals=getattr(result, name), attribute=name, scale=result.n)  # fmt: skip

    tp, fn = counted("TP", a * b), counted("FN", a * (1 - b))
    fp, tn = counted("FP", (1 - a) * b), counted("TN", (1 - a) * (1 - b))
    from_counts(w, result, tp, tn, fp, fn)


MEANINGS = {
    "TP": "positive, said to be positive",
    "FN": "positive, said to be negative",
    "FP": "negative, said to be positive",
    "TN": "negative, said to be negative",
}


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
