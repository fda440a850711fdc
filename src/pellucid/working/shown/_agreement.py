"""How scores of predicted labels come about: errors by weight, class by class, agreement beyond chance, costs."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.errors import count
from pellucid.base.types import Array
from pellucid.working.entry import shows
from pellucid.working.expression import Axis, Cell, Expr
from pellucid.working.language import absolute, equal, lookup, sqrt, sum_, where
from pellucid.working.language import count as size_of
from pellucid.working.matrix import Grid
from pellucid.working.model import Working
from pellucid.working.shown._rows import (
    amount_of,
    average,
    classes_of,
    in_class,
    indicators,
    label,
    refuse,
    rows_of,
    weights,
)
from pellucid.working.shown._rows import labels as read

MOST_CLASSES = 10  # of a table of costs


def _pair(
    w: Working, first: Array, second: Array, sample_weight: Any, names: tuple[str, str] = ("class", "prediction")
) -> tuple[Cell, Cell, Cell | None, Axis]:
    """Both labels and the weight of each row."""
    rows = rows_of(len(first))
    w.step("Rows", "What each row is, and what it is said to be.")
    y = w.given("y", first, rows, symbol="y", label=names[0])
    f = w.given("f", second, rows, symbol="f", label=names[1])
    return y, f, weights(w, sample_weight, rows), rows


# --------------------------------------------------------------------------------------------------------- wrong rows


def _wrong(w: Working, name: str, y_true: Any, y_pred: Any, weight: Any) -> tuple[Cell, Cell | None]:
    y, f, row_weight, _ = _pair(w, read(y_true, name), read(y_pred, name), weight)
    w.step("Errors", "1 where the two differ.")
    return w.cell("error", where(equal(y, f), 0, 1), symbol="e", label="wrong"), row_weight


@shows("metrics.weighted_misclassification_rate")
def weighted_misclassification_rate(w: Working, result: float, y_true: Any, y_pred: Any, weights: Any) -> None:
    name = "weighted_misclassification_rate"
    w.title = "Weighted misclassification rate"
    w.intro = "The share of the weight that lies on wrong rows."
    e, weight = _wrong(w, name, y_true, y_pred, weights)
    w.step("Rate", "The weight of the wrong rows over the weight of all.")
    w.cell("rate", average(e, weight), symbol=r"\text{rate}", label="weighted error", equals=result, attribute=name,
           scale=1.0)  # fmt: skip


@shows("metrics.error_rate")
def error_rate(w: Working, result: float, y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> None:
    w.title = "Error rate"
    w.intro = "The share of the rows that are wrong."
    e, weight = _wrong(w, "error_rate", y_true, y_pred, sample_weight)
    w.step("Rate", "The mean of zeros and ones is the share of ones.")
    w.cell("rate", average(e, weight), symbol=r"\text{rate}", label="error rate", equals=result,
           attribute="error_rate", scale=1.0)  # fmt: skip


@shows("metrics.zero_one_loss")
def zero_one_loss(
    w: Working, result: float, y_true: Any, y_pred: Any, *, normalize: bool = True, sample_weight: Any = None
) -> None:
    w.title = "Zero-one loss"
    w.intro = "Every wrong row costs the same."
    e, weight = _wrong(w, "zero_one_loss", y_true, y_pred, sample_weight)
    w.step("Loss", "The share of the wrong rows." if normalize else "The number of wrong rows.")
    every = sum_(e) if weight is None else sum_(weight * e)
    w.cell("loss", average(e, weight) if normalize else every, symbol="L", label="loss", equals=result,
           attribute="zero_one_loss", scale=1.0)  # fmt: skip


@shows("metrics.accuracy_score")
def accuracy_score(
    w: Working, result: float, y_true: Any, y_pred: Any, *, normalize: bool = True, sample_weight: Any = None
) -> None:
    w.title = "Accuracy"
    w.intro = "The share of the rows that are right."
    y, f, weight, _ = _pair(w, read(y_true, "accuracy_score"), read(y_pred, "accuracy_score"), sample_weight)
    w.step("Hits", "1 where the two are the same.")
    hit = w.cell("hit", where(equal(y, f), 1, 0), symbol="h", label="right")
    w.step("Accuracy", "The mean of zeros and ones is the share of ones." if normalize else "The number of right rows.")
    every = sum_(hit) if weight is None else sum_(weight * hit)
    w.cell("accuracy", average(hit, weight) if normalize else every, symbol=r"\text{accuracy}", label="right rows",
           equals=result, attribute="accuracy_score", scale=1.0)  # fmt: skip


# ------------------------------------------------------------------------------------------------------ class by class


def _by_class(
    w: Working, first: Array, second: Array, sample_weight: Any, names: tuple[str, str] = ("class", "prediction")
) -> tuple[Cell, Cell, Cell, Cell]:
    """Of each class: itself, the rows that have it, those that are said to, and those that are both."""
    y, f, weight, rows = _pair(w, first, second, sample_weight, names)
    amount = amount_of(weight)
    hit = w.cell("hit", where(equal(y, f), amount, 0), symbol="h", label="counts as right")
    w.step("Class by class", f"How many rows each class has as {names[0]}, as {names[1]}, and as both.")
    c = classes_of(w, np.unique(np.concatenate([first, second])))
    t = w.cell("true", in_class(y, c, amount, rows), symbol="t", label=f"as {names[0]}")
    p = w.cell("said", in_class(f, c, amount, rows), symbol="p", label=f"as {names[1]}")
    return c, t, p, w.cell("right", in_class(y, c, hit, rows), symbol="r", label="as both")


@shows("metrics.balanced_accuracy_score")
def balanced_accuracy_score(
    w: Working, result: float, y_true: Any, y_pred: Any, *, sample_weight: Any = None, adjusted: bool = False
) -> None:
    name = "balanced_accuracy_score"
    w.title = "Balanced accuracy"
    w.intro = "The mean of the classes' recalls: every class counts the same, however rare."
    c, t, _, hits = _by_class(w, read(y_true, name), read(y_pred, name), sample_weight)
    w.step("Recalls", "Of the rows of each class, the share that is right.")
    occurs = np.flatnonzero(t.value > 0)
    if len(occurs) < len(t.value):
        w.note("Classes that no row has are left out of the mean: they have no recall.")
    here: Expr = where(t > 0, hits / where(t > 0, t, 1), 0)
    recall = w.cell("recall", here if len(occurs) < len(t.value) else hits / t, symbol="R", label="recall")
    k: Expr = size_of(c)
    if len(occurs) < len(t.value):
        k = w.cell("occurring", sum_(where(t > 0, 1, 0)), symbol="m", label="classes that occur")
    w.step("Balanced accuracy", "Their mean.")
    score = w.cell("balanced", sum_(recall) / k, symbol="B", label="balanced accuracy")
    if not adjusted:
        w.check(score, result, name, scale=1.0)
    elif len(occurs) == 1:
        w.note("Only one class occurs: the adjusted score is undefined.")
    else:
        w.step("Adjusted", "So that a constant prediction gets 0.")
        w.cell("adjusted", (score - 1 / k) / (1 - 1 / k), symbol="B'", label="adjusted", equals=result,
               attribute=name, scale=1.0)  # fmt: skip


@shows("metrics.matthews_corrcoef")
def matthews_corrcoef(w: Working, result: float, y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> None:
    name = "matthews_corrcoef"
    w.title = "Matthews' correlation"
    w.intro = "The correlation of what is with what is said: 0 is no better than chance, 1 is perfect."
    _, t, p, correct = _by_class(w, read(y_true, name), read(y_pred, name), sample_weight)
    w.step("Sums", "All rows, the right ones, and the sums of products and squares over the classes.")
    s = w.cell("n", sum_(t), symbol="n", label="all rows")
    hits = w.cell("hits", sum_(correct), symbol="h", label="right")
    tp = w.cell("S_tp", sum_(t * p), symbol="S_{tp}", label="products")
    tt = w.cell("S_tt", sum_(t**2), symbol="S_{tt}", label="squares, as they are")
    pp = w.cell("S_pp", sum_(p**2), symbol="S_{pp}", label="squares, as they are said to be")
    if np.count_nonzero(t.value) < 2 or np.count_nonzero(p.value) < 2:
        w.note("One side names one class only: there is nothing to correlate, and the answer is 0 by convention.")
        return
    w.step("Correlation", "What is right beyond chance, measured against the spreads of both sides.")
    w.cell("MCC", (hits * s - tp) / sqrt((s**2 - pp) * (s**2 - tt)), symbol=r"\text{MCC}", label="correlation",
           equals=result, attribute=name, scale=1.0)  # fmt: skip


# ---------------------------------------------------------------------------------------------- agreement beyond chance


@shows("metrics.cohen_kappa_score")
def cohen_kappa_score(
    w: Working,
    result: float,
    y1: Any,
    y2: Any,
    *,
    labels: Any = None,
    weights: str | None = None,
    sample_weight: Any = None,
    replace_undefined_by: float = float("nan"),
) -> None:
    name = "cohen_kappa_score"
    w.title = "Agreement beyond chance: Cohen's kappa"
    w.intro = "1 is full agreement, 0 as much as two raters reach who answer at random, each as often as it does."
    first, second, weight = _within(w, name, y1, y2, labels, sample_weight)
    raters = ("first rater", "second rater")
    if weights is not None:
        _weighted_kappa(w, result, first, second, weight, labels, weights)
        return
    _, t, p, correct = _by_class(w, first, second, weight, raters)
    w.step("Shares", "On how many rows they agree, and on how many they would by chance.")
    n = w.cell("n", sum_(t), symbol="n", label="all rows")
    po = w.cell("agree", sum_(correct) / n, symbol="p_o", label="agree")
    pe = w.cell("by_chance", sum_(t * p) / n**2, symbol="p_e", label="would agree by chance")
    if np.count_nonzero(t.value + p.value) < 2:
        w.note("Both name one class only: agreement cannot be beyond chance, and kappa is undefined.")
        return
    w.step("Kappa", "What they agree beyond chance, of what there is beyond chance.")
    w.cell("kappa", (po - pe) / (1 - pe), symbol=r"\kappa", label="kappa", equals=result, attribute=name, scale=1.0)


def _within(
    w: Working, name: str, y1: Any, y2: Any, labels: Any, sample_weight: Any
) -> tuple[Array, Array, Array | None]:
    """The rows on which both raters name one of ``wanted``."""
    first, second = read(y1, name), read(y2, name)
    weight = None if sample_weight is None else np.ravel(np.asarray(sample_weight, dtype=np.float64))
    if labels is None:
        return first, second, weight
    class_names = [label(value) for value in np.asarray(labels).ravel().tolist()]
    inside = np.array([a in class_names and b in class_names for a, b in zip(first, second, strict=True)])
    if not inside.all():
        w.note(f"{count(int((~inside).sum()), 'row')} with another class than those of labels left out.")
    return first[inside], second[inside], None if weight is None else weight[inside]


def _weighted_kappa(
    w: Working, result: float, first: Array, second: Array, weight: Any, labels: Any, kind: str
) -> None:
    """``1 - observed / expected`` distance, where a disagreement counts by how far apart the classes are."""
    y, f, row_weight, rows = _pair(w, first, second, weight, ("first rater", "second rater"))
    order = np.unique(np.concatenate([first, second])) if labels is None else read(labels)
    amount, power = amount_of(row_weight), 1 if kind == "linear" else 2

    def apart(a: Any, b: Any) -> Expr:
        return absolute(a - b) if power == 1 else (a - b) ** 2

    w.step("Classes", "In their order, with the rows that each rater gives them.")
    c = classes_of(w, order)
    assert c.axis is not None
    k = w.given("k", np.arange(1.0, len(order) + 1), c.axis, symbol="k", label="place")
    t = w.cell("first_count", in_class(y, c, amount, rows), symbol="t", label="by the first")
    p = w.cell("second_count", in_class(f, c, amount, rows), symbol="p", label="by the second")
    w.step("Distances", "How far apart the two answers to each row are" + (", squared." if power == 2 else "."))
    u = w.cell("first_place", sum_(where(equal(y, c), k, 0), c.axis), symbol="u", label="place by the first")
    v = w.cell("second_place", sum_(where(equal(f, c), k, 0), c.axis), symbol="v", label="place by the second")
    d = w.cell("distance", apart(u, v), symbol="d", label="distance")
    w.step("By chance", "The distance that each answer of the first would have from all answers of the second.")
    other_axis = Axis("other class", c.axis.labels, "l", "K")
    l_ = w.given("l", np.arange(1.0, len(order) + 1), other_axis, symbol="l", label="place")
    o = w.cell("other_count", lookup(p, l_), symbol="o", label="by the second")
    reach = w.cell("reach", sum_(apart(k, l_) * o, other_axis), symbol="g", label="distance from all of the second's")
    w.step("Kappa", "One less the distance observed over that by chance.")
    n = w.cell("n", sum_(t), symbol="n", label="all rows")
    observed = w.cell("observed", sum_(d if row_weight is None else row_weight * d) / n, symbol="D_o", label="observed")
    expected = w.cell("expected", sum_(t * reach) / n**2, symbol="D_e", label="by chance")
    if expected.value == 0:
        w.note("Both name one class only: kappa is undefined.")
        return
    w.cell("kappa", 1 - observed / expected, symbol=r"\kappa", label="kappa", equals=result,
           attribute="cohen_kappa_score", scale=1.0)  # fmt: skip


# --------------------------------------------------------------------------------------------------------------- costs


@shows("metrics.expected_cost")
def expected_cost(
    w: Working, result: Any, y_true: Any, y_pred: Any, costs: Any, *, labels: Any = None, sample_weight: Any = None
) -> None:
    name = "expected_cost"
    w.title = "What the predictions cost"
    w.intro = "Each pair of true and predicted class has its cost; a benefit is a negative one."
    first, second = (read(values, name) for values in (y_true, y_pred))
    order = np.unique(np.concatenate([first, second])) if labels is None else read(labels, name)
    if len(order) > MOST_CLASSES:
        refuse(name, f"costs are shown of at most {MOST_CLASSES} classes", f"got {len(order)}")
    y, f, weight, _ = _pair(w, first, second, sample_weight)
    w.step("Classes of the rows", "What a row counts stands in the column of its class.")
    A = indicators(w, y, order, "A", amount_of(weight), "as it is")
    B = indicators(w, f, order, "B", 1, "as it is said to be")
    w.step("Counts", "Rows by true class, downwards, and predicted class, across: products of the two tables.")
    C = w.block("counts", A.T @ B, A.columns, B.columns, symbol="C", label="rows")
    w.step("Costs", "A row of each kind costs so much.")
    K = w.block("costs", _table(costs, order), A.columns, B.columns, symbol="K", label="cost of a row")
    products = [[K[i, j] * C[i, j] for j in range(len(order))] for i in range(len(order))]
    size = float(np.abs(result.by_pair).sum())
    G = w.block("by_pair", Grid(products, A.columns, B.columns), symbol="G", label="cost of all", equals=result.by_pair,
                attribute="by_pair", scale=size)  # fmt: skip
    w.step("Total", "The costs of all kinds added up, and for one row.")
    sums = [sum_(G.column(j, f"g_{{{j + 1}}}")) for j in range(len(order))]
    all_ = w.cell("total", sum(sums[1:], sums[0]), symbol="T", label="cost of all rows", equals=result.total,
                  attribute="total", scale=size)  # fmt: skip
    n: Expr = size_of(y) if weight is None else sum_(weight)
    w.cell("mean", all_ / n, symbol="m", label="cost of a row", equals=result.mean, attribute="mean", scale=size)


def _table(costs: Any, order: Array) -> Array:
    """The costs as a square table in the order of the classes."""
    if not hasattr(costs, "items"):
        return np.asarray(costs, dtype=np.float64)
    cost_of = {(label(true), label(predicted)): float(cost) for (true, predicted), cost in costs.items()}
    return np.array([[cost_of.get((true, predicted), 0.0) for predicted in order.tolist()] for true in order.tolist()])
