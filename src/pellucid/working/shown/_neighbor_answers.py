"""What neighbors say together: how much each counts, votes and how ties end, means and medians."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.working.entry import Given
from pellucid.working.expression import Axis, Cell, Expr
from pellucid.working.language import arg_max, equal, lookup, max_, mean, median, nth_smallest, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown._neighbor_rows import Near, answers, plain

NEARLY = 1e-12  # votes nearer to each other than this share are told apart by rounding
WORDS = {
    "uniform": "all count the same",
    "distance": "each counts 1 over its distance",
    "squared_distance": "each counts 1 over its squared distance",
}


def weighted(w: Working, model: Any, near: Near) -> Cell | None:
    """How much each neighbor counts; None where all count the same."""
    setting, e = model.weights, near.distance
    weight: Expr | None = None
    if callable(setting):
        custom_weights = np.asarray(setting(np.asarray(e.value)[None].copy()), dtype=np.float64).ravel()
        weight = w.given(
            f"{near.tag}f", custom_weights, near.axis, symbol="f", label="what the given function makes of it"
        )
    elif setting in ("distance", "squared_distance"):
        power = 1 if setting == "distance" else 2
        apart = np.asarray(e.value, dtype=np.float64)
        with np.errstate(divide="ignore", over="ignore"):
            beyond = np.isinf(1 / apart**power)
        if beyond.any():
            w.note("Where rows are at distance 0, they alone count.")
            weight = where(e <= float(apart[beyond].max()), 1, 0)
        elif np.isinf(apart).all():
            return near.row_weight
        else:
            weight = 1 / e**power if power > 1 else 1 / e
    if weight is None:
        return near.row_weight
    if near.row_weight is not None:
        weight = weight * near.row_weight
    return w.cell(
        f"{near.tag}u", weight if not isinstance(weight, Cell) else weight + 0, symbol="u", label="how much it counts"
    )


def rule(model: Any) -> str:
    """The weighting in words."""
    return (
        "a given function says how much each counts" if callable(model.weights) else WORDS[model.weights or "uniform"]
    )


# ---------------------------------------------------------------------------------------------------------------- votes


def vote(w: Working, model: Any, data: Given, near: Near) -> None:
    """The votes for each class, their shares, and the class that wins."""
    labels = np.asarray(model._labels[data.target])
    w.step(f"Row {near.row}: vote", f"Of the neighbors of each class; {rule(model)}.")
    u = weighted(w, model, near)
    kinds = Axis("class", [str(label) for label in labels.tolist()], "c", "C")
    c = w.given(f"{near.tag}class", plain(labels), kinds, symbol="c", label="class")
    assert near.target is not None
    amount: Any = 1 if u is None else u
    votes = w.cell(f"{near.tag}votes", sum_(where(equal(near.target, c), amount, 0), near.axis), symbol="V",
                   label="votes")  # fmt: skip
    sure = answers(model, data, "predict_proba")
    sure = np.asarray(sure[data.target] if model.outputs_2d_ else sure)[near.row]
    if np.asarray(votes.value).any():
        w.cell(f"{near.tag}share", votes / sum_(votes), symbol="P", label="share, the probability", equals=sure,
               attribute="predict_proba(X)")  # fmt: skip
    _winner(w, model, data, near, votes, c)


def _winner(w: Working, model: Any, data: Given, near: Near, votes: Cell, c: Cell) -> None:
    predicted = _said(model, data, near.row)
    values = np.asarray(votes.value, dtype=np.float64)
    leads = values == values.max()
    style: dict[str, Any] = {"symbol": r"\hat{y}", "label": "predicted class"}
    if not values.any() or ((values >= values.max() * (1 - NEARLY)) & ~leads).any():
        w.note(
            "Votes of which rounding or an outlier's label decides are not told apart here: the class is the model's."
        )
        _given(w, near, predicted, style)
        return
    tied = leads.sum() > 1
    if tied and model.ties == "nearest":
        _nearest_leader(w, model, near, votes, c, predicted, style)
        return
    if tied:
        w.note("Of classes with equally many votes the first wins.")
    w.cell(f"{near.tag}prediction", lookup(c, arg_max(votes)), equals=predicted, attribute="predict(X)", **style)


def _said(model: Any, data: Given, row: int) -> Any:
    predicted = np.asarray(answers(model, data))
    value = plain(predicted[:, data.target] if predicted.ndim > 1 else predicted)[row]
    return value.item() if isinstance(value, np.generic) else value


def _given(w: Working, near: Near, predicted: Any, style: dict[str, Any]) -> None:
    cell = w.given(f"{near.tag}prediction", predicted, **style)
    w.check(cell, predicted, "predict(X)")


def _nearest_leader(
    w: Working, model: Any, near: Near, votes: Cell, c: Cell, predicted: Any, style: dict[str, Any]
) -> None:
    """Of tied classes the one whose neighbor comes first."""
    w.note("Of classes with equally many votes the one with the nearest row wins.")
    assert near.target is not None
    assert c.axis is not None
    leads = w.cell(f"{near.tag}leads", where(equal(votes, max_(votes)), 1, 0), symbol="l", label="1 if it leads")
    theirs = sum_(where(equal(near.target, c), leads, 0), c.axis)
    of_leader = w.cell(f"{near.tag}of_leader", theirs, symbol="m", label="1 if its class leads")
    first = np.flatnonzero(np.asarray(of_leader.value))
    apart, classes = np.asarray(near.distance.value)[first], np.asarray(near.target.value)[first]
    if len(set(classes[apart == apart[0]].tolist())) > 1:
        w.note("Where these are equally near too, the one with the smaller sum of distances wins, then the first.")
        _given(w, near, predicted, style)
        return
    w.cell(f"{near.tag}prediction", lookup(near.target, arg_max(of_leader)), equals=predicted, attribute="predict(X)",
           **style)  # fmt: skip


# ------------------------------------------------------------------------------------------------------------- averages


def average(w: Working, model: Any, data: Given, near: Near) -> None:
    """The mean or the median of the neighbors' targets."""
    w.step(f"Row {near.row}: {model.average}", f"Of the neighbors' targets; {rule(model)}.")
    u = weighted(w, model, near)
    y, predicted = near.target, _said(model, data, near.row)
    assert y is not None
    values = np.asarray(y.value, dtype=np.float64)
    style: dict[str, Any] = {"symbol": r"\hat{y}", "label": "prediction"}
    if np.isnan(predicted):
        w.note("No neighbor counts: there is nothing to average.")
        w.given(f"{near.tag}prediction", predicted, **style)
        return
    if model.average == "mean":
        formula: Expr = mean(y) if u is None else sum_(u * y) / sum_(u)
    elif u is None:
        formula = median(y)
    else:
        formula, by_rounding = _weighted_median(w, near, y, u)
        if by_rounding and formula.value != predicted:
            w.note("Half of the weight is reached within rounding: the median is the model's.")
            _given(w, near, predicted, style)
            return
    size = float(np.abs(values).max())
    w.cell(f"{near.tag}prediction", formula, equals=predicted, attribute="predict(X)", scale=size, **style)


def _weighted_median(w: Working, near: Near, y: Cell, u: Cell) -> tuple[Expr, bool]:
    """The value at which half of the weight is reached, the middle of two where exactly half lies below; does rounding
    decide which?"""
    tag, k = near.tag, len(near.axis)
    half = w.cell(f"{tag}half", sum_(u) / 2, symbol="H", label="half of the weight")
    order = Axis("value", range(1, k + 1), "t", "K")
    rank = w.given(f"{tag}order", np.arange(1.0, k + 1), order, symbol="t", label="place by value")
    value = w.cell(f"{tag}sorted", nth_smallest(y, rank), symbol="s", label="target at place t")
    reached = w.cell(f"{tag}reached", sum_(where(y <= value, u, 0), near.axis), symbol="W", label="weight up to it")
    near_half = np.abs(np.asarray(reached.value) - half.value) <= NEARLY * half.value
    low = w.cell(f"{tag}low", 1 + sum_(where(reached < half, 1, 0)), symbol="a", label="first place with half of it")
    high = w.cell(f"{tag}high", 1 + sum_(where(reached <= half, 1, 0)), symbol="b", label="first place with more")
    ends = [lookup(value, where(at > k, k, at)) for at in (low, high)]
    return (ends[0] + ends[1]) / 2, bool(near_half.any())
