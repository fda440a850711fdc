"""How curves over thresholds come about: ROC and precision-recall, point by point, and the areas under them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pellucid.base.errors import count
from pellucid.base.types import Array, Floats
from pellucid.working.entry import shows
from pellucid.working.expression import Axis, Cell, Reduce
from pellucid.working.language import absolute, equal, lookup, max_, min_, previous, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown._rows import amount_of, label, labels, numbers, refuse, rows_of, spelled, weights

MOST_ROWS = 1000  # every threshold looks at every row
MOST_PAIRS = 400


@dataclass
class _Walk:
    """The rows in order of their scores, and the thresholds that a curve goes along."""

    score: Cell
    positive: Cell
    negative: Cell
    P: Cell
    N: Cell
    axis: Axis
    threshold: Cell
    TP: Cell
    FP: Cell


def _walk(w: Working, name: str, y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any) -> _Walk:
    """Rows, totals, and the counts at every distinct score. More columns of the same walk may follow; `run` ends it."""
    y, s = labels(y_true, name), numbers(y_score, name)
    weight = None if sample_weight is None else np.ravel(np.asarray(sample_weight, dtype=np.float64))
    used = np.arange(len(y)) if weight is None else np.flatnonzero(weight)
    if len(used) > MOST_ROWS:
        hint = "show a sample of them"
        refuse(name, f"a curve is shown of at most {MOST_ROWS} rows", f"got {len(used)}", hint)
    if len(used) < len(y):
        w.note(f"{count(len(y) - len(used), 'row')} of weight 0 left out: nothing depends on them.")
    order = used[np.argsort(-s[used], kind="stable")]
    rows = rows_of(len(order), order + 1)
    w.step("Rows, highest score first", f"Rows of class {spelled(label(pos_label))} are the positive ones.")
    kind = w.given("y", y[order], rows, symbol="y", label="class")
    score = w.given("score", s[order], rows, symbol="s", label="score")
    amount = amount_of(weights(w, None if weight is None else weight[order], rows))
    is_positive = equal(kind, label(pos_label))
    positive = w.cell("positive", where(is_positive, amount, 0), symbol="a", label="counts as positive")
    negative = w.cell("negative", where(is_positive, 0, amount), symbol="b", label="counts as negative")
    w.step("How many there are", "All positive and all negative rows.")
    P = w.cell("P", sum_(positive), symbol="P", label="positive")
    N = w.cell("N", sum_(negative), symbol="N", label="negative")
    w.step(
        "From threshold to threshold",
        "Each distinct score, from the highest down, is a threshold: rows that score as much or more are called "
        "positive. Rows of equal score come in together.",
    )
    return _thresholds(w, rows, score, positive, negative, P, N)


def _thresholds(w: Working, rows: Axis, s: Cell, a: Cell, b: Cell, P: Cell, N: Cell) -> _Walk:
    axis = Axis("threshold", range(1, len(np.unique(s.value)) + 1), "k", "K", raised=True)
    above = max_(s) + absolute(max_(s)) + 1
    t = w.recurring("threshold", axis, above, symbol="t", label="the next lower score")
    w.becomes(t, Reduce("max", where(s < previous(t), s, min_(s)), rows))
    new = []
    for name, column, mark in (("positives", a, "p"), ("negatives", b, "q")):
        here = sum_(where(equal(s, t), column, 0), rows)
        new.append(w.becomes(f"new_{name}", here, axis=axis, symbol=mark, label=f"new {name}"))
    running = []
    for name, column, what in (("TP", new[0], "positives"), ("FP", new[1], "negatives")):
        cell = w.recurring(name, axis, 0, symbol=rf"\text{{{name}}}", label=f"{what} so far")
        running.append(w.becomes(cell, previous(cell) + column))
    return _Walk(s, a, b, P, N, axis, t, *running)


def _rate(w: Working, walk: _Walk, name: str, formula: Any, what: str) -> Cell:
    """A rate at every threshold, 0 before the first."""
    cell = w.recurring(name, walk.axis, 0, symbol=rf"\text{{{name}}}", label=what)
    return w.becomes(cell, formula)


def _check_points(w: Working, walk: _Walk, curves: dict[str, tuple[Cell, Floats]], thresholds: Array) -> None:
    """Compare with the points of the answer; where it leaves some out, those that are kept are picked first."""
    all_thresholds = walk.threshold.value
    if len(thresholds) == len(all_thresholds):
        for name, (cell, expected) in curves.items():
            w.check(cell, expected, name, scale=1.0)
        w.check(walk.threshold, thresholds, "thresholds")
        return
    w.step("Points that are kept", "Points inside straight pieces of the curve are left out; it stays the same.")
    axis = Axis("point", range(1, len(thresholds) + 1), "j", "J")
    threshold_numbers = len(all_thresholds) - np.searchsorted(all_thresholds[::-1], thresholds)
    k = w.given("kept", threshold_numbers.astype(np.float64), axis, symbol="k", label="threshold number")
    t = lookup(walk.threshold, k)
    w.cell("kept_threshold", t, symbol="t", label="threshold", equals=thresholds, attribute="thresholds")
    for name, (cell, expected) in curves.items():
        w.cell(f"kept_{cell.name}", lookup(cell, k), symbol=cell.symbol, label=cell.label, equals=expected,
               attribute=name, scale=1.0)  # fmt: skip


def _one_class(w: Working, walk: _Walk) -> bool:
    """Say so where one of the two kinds of rows is missing."""
    for cell, which in ((walk.P, "positive"), (walk.N, "negative")):
        if cell.value == 0:
            w.note(f"There is no {which} row, so that there is nothing to take a share of: the answer is undefined.")
            return True
    return False


@shows("metrics.roc_curve")
def roc_curve(
    w: Working,
    result: Any,
    y_true: Any,
    y_score: Any,
    *,
    pos_label: Any = None,
    sample_weight: Any = None,
    drop_intermediate: bool = True,
) -> None:
    w.title = "ROC curve, point by point"
    w.intro = "Which share of the positives is found, and at the cost of which share of the negatives."
    walk = _walk(w, "roc_curve", y_true, y_score, 1 if pos_label is None else pos_label, sample_weight)
    if _one_class(w, walk):
        w.run(walk.axis)
        return
    fpr = _rate(w, walk, "FPR", walk.FP / walk.N, "across: false positive rate")
    tpr = _rate(w, walk, "TPR", walk.TP / walk.P, "up: true positive rate")
    w.run(walk.axis)
    w.note("The curve begins at (0, 0), with a threshold above every score.")
    _check_points(w, walk, {"fpr": (fpr, result[0][1:]), "tpr": (tpr, result[1][1:])}, result[2][1:])


@shows("metrics.roc_auc_score")
def roc_auc_score(
    w: Working,
    result: Any,
    y_true: Any,
    y_score: Any,
    *,
    average: Any = "macro",
    sample_weight: Any = None,
    max_fpr: float | None = None,
    multi_class: str = "raise",
    labels: Any = None,
) -> None:
    name = "roc_auc_score"
    w.title = "The area under the ROC curve"
    w.intro = "How likely a positive row scores above a negative one: 1/2 says nothing, 1 is a perfect ranking."
    classes = _two_classes(name, y_true, max_fpr)
    walk = _walk(w, name, y_true, y_score, classes[-1], sample_weight)
    if _one_class(w, walk):
        w.run(walk.axis)
        return
    fpr = _rate(w, walk, "FPR", walk.FP / walk.N, "across: false positive rate")
    tpr = _rate(w, walk, "TPR", walk.TP / walk.P, "up: true positive rate")
    strip = (fpr - previous(fpr)) * (tpr + previous(tpr)) / 2
    area = w.becomes("trapezoid", strip, axis=walk.axis, symbol="A", label="area of the strip: width times mean height")
    w.run(walk.axis)
    w.step("Area", "The strips added up.")
    w.cell("AUC", sum_(area), symbol=r"\text{AUC}", label="area under the curve", equals=float(result),
           attribute=name, scale=1.0)  # fmt: skip
    _pairs(w, walk, float(result))


def _two_classes(name: str, y_true: Any, max_fpr: float | None) -> Array:
    classes = np.unique(labels(y_true, name))
    if len(classes) > 2:
        hint = "show one class against the rest: y == 'a'"
        refuse(name, "the working is of two classes", f"got {len(classes)}", hint)
    if max_fpr is not None and max_fpr < 1:
        refuse(name, "the working is of the whole area", f"got max_fpr={max_fpr}", "leave max_fpr out")
    return classes


def _pairs(w: Working, walk: _Walk, result: float) -> None:
    """The same area as the share of pairs in the right order, where they are few enough to be counted."""
    ups, downs = (np.flatnonzero(column.value) for column in (walk.positive, walk.negative))
    if len(ups) * len(downs) > MOST_PAIRS:
        return
    assert walk.score.axis is not None
    numbered = walk.score.axis.labels
    sides = {}
    w.step("By counting pairs", "Each positive row is set against all negative ones; a tie is half a win.")
    for side, positions, marks, column in (
        ("negative", downs, "vm", walk.negative),
        ("positive", ups, "ul", walk.positive),
    ):
        index, size = ("j", "N") if side == "negative" else ("i", "P")
        axis = Axis(f"{side} row", [numbered[i] for i in positions.tolist()], index, size)
        at = w.given(f"{side}_place", positions + 1.0, axis, symbol=index, label="place in the order")
        score = w.cell(f"{side}_score", lookup(walk.score, at), symbol=marks[0], label="score")
        amount = w.cell(f"{side}_amount", lookup(column, at), symbol=marks[1], label="counts")
        sides[side] = axis, score, amount
    negatives, v, m = sides["negative"]
    _, u, amount = sides["positive"]
    beaten = w.cell("beaten", sum_(where(v < u, m, 0), negatives), symbol="n", label="negatives below")
    tied = w.cell("tied", sum_(where(equal(v, u), m, 0), negatives), symbol="h", label="negatives tied")
    wins = w.cell("wins", amount * (beaten + tied / 2), symbol="g", label="wins")
    w.cell("AUC_by_pairs", sum_(wins) / (walk.P * walk.N), symbol=r"\text{AUC}", label="share of pairs won",
           equals=result, attribute="roc_auc_score", scale=1.0)  # fmt: skip


@shows("metrics.precision_recall_curve")
def precision_recall_curve(
    w: Working,
    result: Any,
    y_true: Any,
    y_score: Any,
    *,
    pos_label: Any = None,
    sample_weight: Any = None,
    drop_intermediate: bool = False,
) -> None:
    w.title = "Precision-recall curve, point by point"
    w.intro = "How many of the rows called positive are, and which share of the positives is found."
    name = "precision_recall_curve"
    walk = _walk(w, name, y_true, y_score, 1 if pos_label is None else pos_label, sample_weight)
    curves = _precisions(w, walk)
    if curves is None:
        return
    precision, recall = curves
    w.run(walk.axis)
    w.note("The answer has the points in rising order of the threshold, and (precision 1, recall 0) after the last.")
    points = {"precision": (precision, result[0][-2::-1]), "recall": (recall, result[1][-2::-1])}
    _check_points(w, walk, points, result[2][::-1])


def _precisions(w: Working, walk: _Walk) -> tuple[Cell, Cell] | None:
    if walk.P.value == 0:
        w.run(walk.axis)
        w.note("There is no positive row: recall is a share of nothing, and 1 by convention; precision is 0.")
        return None
    called = walk.TP / (walk.TP + walk.FP)
    precision = w.becomes("precision", called, axis=walk.axis, symbol=r"\text{precision}", label="right, of all called")
    return precision, _rate(w, walk, "recall", walk.TP / walk.P, "found, of all positives")


@shows("metrics.average_precision_score")
def average_precision_score(
    w: Working,
    result: Any,
    y_true: Any,
    y_score: Any,
    *,
    average: Any = "macro",
    pos_label: Any = 1,
    sample_weight: Any = None,
) -> None:
    name = "average_precision_score"
    w.title = "Average precision"
    w.intro = "The precisions at all thresholds, each weighted by the share of the positives that is found there."
    _two_classes(name, y_true, None)
    walk = _walk(w, name, y_true, y_score, pos_label, sample_weight)
    curves = _precisions(w, walk)
    if curves is None:
        return
    precision, recall = curves
    step = (recall - previous(recall)) * precision
    term = w.becomes("step", step, axis=walk.axis, symbol="A", label="recall gained, times precision")
    w.run(walk.axis)
    w.step("Area", "The steps added up.")
    w.cell("AP", sum_(term), symbol=r"\text{AP}", label="average precision", equals=float(result), attribute=name,
           scale=1.0)  # fmt: skip
