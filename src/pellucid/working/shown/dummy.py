"""How the baselines get the one answer that they give."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr, expr
from pellucid.working.language import arg_max, count, equal, floor, lookup, mean, nth_smallest, sum_, where
from pellucid.working.model import Working


def _target(w: Working, data: Given) -> tuple[Cell, Cell | None]:
    """The target and the weights; X is not looked at."""
    w.step("Data", "The target of each row. The columns of X are not looked at.")
    y = w.given("y", data.y, data.row_axis, symbol="y", label="target")
    return y, None if data.weight is None else w.given("weight", data.weight, data.row_axis, symbol="w", label="weight")


@shows("DummyRegressor.fit")
def regressor(w: Working, model: Any, data: Given) -> None:
    w.title = "Baseline: one number for every row"
    w.intro = f"The number is the {model.strategy} of the target."
    y, weight = _target(w, data)
    w.step("Prediction", "The same for every row.")
    expected = float(np.ravel(model.constant_)[data.target])
    if model.strategy == "constant":
        w.given("constant", expected, symbol=r"\hat{y}", label="as given")
        return
    if model.strategy == "mean":
        formula: Expr = mean(y) if weight is None else sum_(weight * y) / sum_(weight)
    else:
        share = 0.5 if model.strategy == "median" else float(model.quantile)
        formula = _quantile(w, data, y, share)
    size = float(np.abs(y.value).max())
    w.cell(
        "constant", formula, symbol=r"\hat{y}", label="prediction", equals=expected, attribute="constant_", scale=size
    )


def _quantile(w: Working, data: Given, y: Cell, share: float) -> Expr:
    """The value so far along the ordered ones; a weight is a value written that often."""
    order = np.argsort(np.asarray(y.value), kind="stable")
    weight = np.ones(len(order)) if data.weight is None else np.asarray(data.weight)[order]
    reached = np.cumsum(weight)
    rank_axis = Axis("place", range(1, len(order) + 1), "k", "n")
    k = w.given("k", np.arange(1.0, len(order) + 1), rank_axis, symbol="k", label="place")
    ordered = w.cell("ordered", nth_smallest(y, k), symbol="s", label="value at place k")
    if data.weight is None:
        n: Expr = count(y)
        q = w.given("share", share, symbol="q", label="share of the way")
        h = w.cell("h", 1 + q * (n - 1), symbol="h", label="place")
        below = w.cell("below", floor(h), symbol="m", label="whole places")
        if float(h.value) == float(below.value):
            return lookup(ordered, below)
        return lookup(ordered, below) + (h - below) * (lookup(ordered, below + 1) - lookup(ordered, below))
    return _weighted_quantile(w, ordered, rank_axis, reached, share)


def _weighted_quantile(w: Working, ordered: Cell, rank_axis: Axis, reached: np.ndarray, share: float) -> Expr:
    """Position ``h = q (W - 1)``, counted from 0, among values written as often as their weights say."""
    c = w.given("reached", reached, rank_axis, symbol="c", label="weight up to here")
    q = w.given("share", share, symbol="q", label="share of the way")
    distance = q * (lookup(c, len(reached)) - 1)
    position = w.cell("h", where(distance > 0, distance, 0), symbol="h", label="position")
    lower = w.cell("h_below", floor(position), symbol="m", label="whole positions")
    spots = []
    for name, at in (("first", lower), ("second", lower + 1)):
        formula = 1 + sum_(where(c <= at, 1, 0), rank_axis)
        rank = w.cell(f"{name}_place", formula, symbol=f"k_{name[0]}", label=f"place of the {name}")
        spots.append(lookup(ordered, where(rank > len(reached), len(reached), rank)))
    return spots[0] + (position - lower) * (spots[1] - spots[0])


@shows("DummyClassifier.fit")
def classifier(w: Working, model: Any, data: Given) -> None:
    w.title = "Baseline: the classes' shares alone"
    w.intro = "How often each class occurs is all that is learned."
    y, weight = _target(w, data)
    several = isinstance(model.classes_, list)
    labels = model.classes_[data.target] if several else model.classes_
    prior = model.class_prior_[data.target] if several else model.class_prior_
    w.step("Counts", "How often each class occurs, and as a share of all rows.")
    axis = Axis("class", [str(label) for label in labels], "k", "K")
    label_values = labels if labels.dtype.kind in "OUT" else labels.astype(np.float64)
    c = w.given("class", label_values, axis, symbol="c", label="class")
    row_weight: Expr = expr(1) if weight is None else weight
    often = w.cell("count", sum_(where(equal(y, c), row_weight, 0), data.row_axis), symbol="m", label="how often")
    share = w.cell("share", often / sum_(often), symbol="p", label="share", equals=prior, attribute="class_prior_")
    w.step("Most frequent", "The first class with the largest share.")
    w.cell("majority", lookup(c, arg_max(share)), symbol=r"\hat{c}", label="most frequent class")


@shows("DummyRegressor.predict", "DummyClassifier.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    w.title = "Baseline: predictions"
    w.intro = "Every row gets its answer without a look at its columns."
    predicted = np.asarray(model.predict(data.table)).reshape(len(data.row_axis), -1)[:, data.target]
    rows = data.rows or list(range(min(len(predicted), 3)))
    w.step("Predictions", f"Strategy {model.strategy!r}.")
    axis = Axis("row", rows)
    if hasattr(model, "constant_"):
        b = w.given("constant", float(np.ravel(model.constant_)[data.target]), symbol="b", label="the one number")
        ones = w.given("one", np.ones(len(rows)), axis, symbol="u", label="1 for every row")
        w.cell(
            "prediction", b * ones, symbol=r"\hat{y}", label="prediction", equals=predicted[rows],
            attribute="predict(X)",
        )  # fmt: skip
        return
    if model.strategy in ("prior", "most_frequent"):
        _majority(w, model, data, predicted)
    elif model.strategy in ("stratified", "uniform"):
        w.note("The class of each row is drawn at random; random_state decides which.")
    values = predicted[rows] if predicted.dtype.kind in "OUT" else predicted[rows].astype(np.float64)
    w.given("prediction", values, axis, symbol=r"\hat{c}", label="predicted class")


def _majority(w: Working, model: Any, data: Given, predicted: Any) -> None:
    several = isinstance(model.classes_, list)
    labels = model.classes_[data.target] if several else model.classes_
    axis = Axis("class", [str(label) for label in labels], "k", "K")
    label_values = labels if labels.dtype.kind in "OUT" else labels.astype(np.float64)
    c = w.given("class", label_values, axis, symbol="c", label="class")
    prior = model.class_prior_[data.target] if several else model.class_prior_
    p = w.given("share", prior, axis, symbol="p", label="share")
    w.cell(
        "majority",
        lookup(c, arg_max(p)),
        symbol=r"\hat{m}",
        label="largest",
        equals=predicted[0],
        attribute="predict(X)",
    )
