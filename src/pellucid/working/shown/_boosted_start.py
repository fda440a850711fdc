"""The score before the first tree as cells: the constant that the loss is least for."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.working.expression import Cell, Expr, expr
from pellucid.working.language import equal, floor, ln, lookup, mean, nth_smallest, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown._boosted_fit import BY_RESIDUALS, LEAST_SHARE, Fit
from pellucid.working.shown._rows import average, class_axis, labels

_MEANS = {
    "squared_error": "The residual is y - f.",
    "absolute_error": "A row pulls by 1 to its side: what counts is whether it lies above its score.",
    "quantile": "Rows above their score pull by a, rows below by 1 - a.",
    "huber": "Small errors pull by their size, large ones by d.",
    "poisson": "Scores are logarithms of the expected count.",
    "logistic": "Scores are log odds of the second class.",
    "softmax": "Each class has a score and trees of its own; e to the scores, as shares, are the probabilities.",
}


def show_start(w: Working, f: Fit, y: Cell, weight: Cell | None) -> list[Expr]:
    """The score before the first tree: the constant that the loss is least for."""
    w.step("Start", f"Before the first tree every row has the same score. {_MEANS[f.meaning]}")
    style: dict[str, Any] = {"symbol": "f_{0}", "label": "score of every row", "attribute": "base_score_"}
    want = float(f.model.start_scores[0])
    if f.start_given:
        return _given_start(w, f)
    if f.kind == "softmax":
        return _start_of_classes(w, f, y, weight)
    if f.kind in BY_RESIDUALS:
        level = float(f.plan["level"]) if f.kind == "quantile" else 0.5
        quantile = _quantile(w, y, level) if weight is None else _weighted_quantile(w, f, y, weight, level)
        return [w.cell("f_0", quantile, equals=want, scale=_size(y), **style)]
    if f.even_odds:
        even = w.given("f_0", 0.0, symbol="f_{0}", label="score of every row: even odds, whatever the classes")
        w.check(even, want, "base_score_")
        return [even]
    middle = average(y, weight)
    if f.kind == "squared_error":
        return [w.cell("f_0", middle, equals=want, scale=_size(y), **style)]
    p = w.cell("mean", middle, symbol=r"\bar{y}", label="mean" if f.kind == "poisson" else "share of the second class")
    if not LEAST_SHARE <= float(p.value) <= (np.inf if f.kind == "poisson" else 1 - LEAST_SHARE):
        w.note(f"A share or mean is not taken to be nearer to 0 or 1 than {LEAST_SHARE:g}.")
        inside = where(p < LEAST_SHARE, LEAST_SHARE, p)
        inside = inside if f.kind == "poisson" else where(inside > 1 - LEAST_SHARE, 1 - LEAST_SHARE, inside)
        p = w.cell("inside", inside, symbol="m", label="kept off the ends")
    formula = ln(p) if f.kind == "poisson" else ln(p / (1 - p))
    return [w.cell("f_0", formula, equals=want, scale=1.0, **style)]


def _given_start(w: Working, f: Fit) -> list[Expr]:
    """A score that was given, or nought for a loss of the user's own."""
    start = np.asarray(f.model.start_scores, dtype=np.float64)
    if f.outputs == 1:
        return [w.given("f_0", float(start[0]), symbol="f_{0}", label="score of every row, as it was set")]
    classes = class_axis(labels(np.asarray(f.model.classes_)))
    start_cell = w.given("f_0", start, classes, symbol="f_{0}", label="score of every row, as it was set")
    return [lookup(start_cell, k + 1) for k in range(f.outputs)]


def _size(y: Cell) -> float:
    return float(np.abs(np.asarray(y.value, dtype=np.float64)).max())


def _start_of_classes(w: Working, f: Fit, y: Cell, weight: Cell | None) -> list[Expr]:
    class_names = labels(np.asarray(f.model.classes_))
    c = w.given("c", class_names, class_axis(class_names), symbol="c", label="class")
    row_weight: Expr = expr(1) if weight is None else weight
    mass = w.cell("mass", sum_(where(equal(y, c), row_weight, 0), y.axis), symbol="m", label="weight of the class")
    share: Expr = w.cell("share", mass / sum_(mass), symbol="s", label="as a share")
    if float(np.min(np.asarray(share.value))) < LEAST_SHARE:
        share = where(share < LEAST_SHARE, LEAST_SHARE, share)
    logs = w.cell("log", ln(share), symbol=r"\ell", label="its logarithm")
    start = w.cell("f_0", logs - mean(logs), symbol="f_{0}", label="score: less the mean of the logarithms",
                   equals=f.model.start_scores, attribute="base_score_", scale=1.0)  # fmt: skip
    return [lookup(start, k + 1) for k in range(f.outputs)]


def _quantile(w: Working, y: Cell, level: float) -> Expr:
    """Between two neighbors in proportion."""
    n = w.given("n", float(len(np.asarray(y.value))), symbol="n", label="rows")
    a = w.given("level", level, symbol="a", label="share below")
    at = w.cell("at", a * (n - 1), symbol="t", label="place, counted from 0")
    low = w.cell("low", nth_smallest(y, floor(at) + 1), symbol="y_-", label="value there")
    after = where(floor(at) + 2 <= n, floor(at) + 2, n)
    high = w.cell("high", nth_smallest(y, after), symbol="y_+", label="value after it")
    return low + (at - floor(at)) * (high - low)


def _weighted_quantile(w: Working, f: Fit, y: Cell, weight: Cell, level: float) -> Expr:
    """The value at which the weights reach a share of their sum."""
    row = f.quantile_row(np.asarray(y.value, dtype=np.float64), np.arange(len(f.rows)), level)
    at = w.given("at", float(row + 1), symbol="t", label=f"place of the row where weights reach the share {level:g}")
    value = w.cell("value", lookup(y, at), symbol="v", label="its target")
    w.cell("under", sum_(where(y < value, weight, 0), y.axis), symbol="u", label="weight below it")
    w.cell("wanted", level * sum_(weight), symbol="W", label="weight that is wanted")
    w.cell("upto", sum_(where(y <= value, weight, 0), y.axis), symbol="v_+", label="weight up to it")
    return value + 0
