"""The cut of each column, and on which side of it each value lies."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.working.entry import Given, shows
from pellucid.working.language import count, max_, median, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown._cuts import show_cut
from pellucid.working.shown.scaling import MOST_COLUMNS, Column, _each_column

_INTROS = {
    "": "The cuts are given.",
    "median": "A column is cut at its median.",
    "mean": "A column is cut at its mean.",
    "best": "A column is cut where most is learned about the target.",
}


@shows("TwoWaySplit.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Cuts of the columns"
    w.intro = _INTROS[model._learned()]
    _each_column(w, data, lambda c: _column(c, model, data))


def _column(c: Column, model: Any, data: Given) -> None:
    how = model._learned()
    if how == "mean":
        n = count(c.x) if c.weight is None else sum_(c.weight)
        summed = sum_(c.x) if c.weight is None else sum_(c.weight * c.x)
        c.cell("cut", summed / n, "v", "cut: the mean", model.cuts_, "cuts_")
    elif how == "median" and c.weight is None:
        c.cell("cut", median(c.x), "v", "cut: the median", model.cuts_, "cuts_")
    elif how == "median":
        _weighted_median(c, model)
    elif how == "best":
        _best(c, model, data)
    else:
        v = c.given("cut", model.cuts_[c.j], "v", "cut, as given")
        above = sum_(where(c.x > v, 1, 0), c.axis)
        c.cell("above", above, "m", "values above it")
        c.w.check(v, _given(model, c), f"cuts_[{c.j}]")


def _given(model: Any, c: Column) -> float:
    if isinstance(model.cut, dict):
        return float(model.cut[c.name])
    return float(model.cut if np.ndim(model.cut) == 0 else model.cut[c.j])


def _weighted_median(c: Column, model: Any) -> None:
    """Up to the median lies half of the weight, and from it on half."""
    assert c.weight is not None
    v = c.given("cut", model.cuts_[c.j], "v", "cut: the weighted median")
    c.w.note("The weighted median has at most half of the weight below it, and at most half above.")
    half = c.cell("half", sum_(c.weight) / 2, "h", "half of the weight")
    below = c.cell("below", sum_(where(c.x < v, c.weight, 0), c.axis), "l", "weight below")
    above = c.cell("above", sum_(where(c.x > v, c.weight, 0), c.axis), "u", "weight above")
    good = where(below <= half, where(above <= half, 1, 0), 0)
    c.w.cell(
        f"is_median{c.tag}", good, symbol=f"q{c.mark}", label="is it the median?", equals=1.0,
        attribute=f"cuts_[{c.j}]",
    )  # fmt: skip


def _best(c: Column, model: Any, data: Given) -> None:
    weight = data.weight
    there = np.ones(len(data.X), dtype=bool) if weight is None else weight > 0
    x, y = data.X[there, c.j], np.asarray(data.y)[there]
    numbers = y.dtype.kind == "f" and not model._labels_
    y = y.astype(np.float64) if numbers else np.array([str(one) for one in y.tolist()], dtype=object)
    if model.gains_[c.j] == 0 and (np.ptp(x) == 0 or len(set(y.tolist())) == 1):
        c.w.note(f"Column {c.name} or the target is constant: no cut tells anything.")
        c.cell("cut", max_(c.x), "v", "cut: the largest value", model.cuts_, "cuts_")
        return
    own = None if weight is None else weight[there]
    values = np.unique(x)
    cut = float(model.cuts_[c.j])
    at = int(np.searchsorted(values, cut, side="left" if model.inclusive else "right"))
    below, above = values[at - 1], values[at]
    middle = below / 2 + above / 2
    middle = middle if middle > below else above
    of_all = float(len(x) if own is None else own.sum())
    show_cut(c.w, f"{c.j + 1}_1", c.name, x, y, own, float(middle), float(model.gains_[c.j]), of_all)
    if middle != cut:
        c.w.note(f"No number lies between the two neighbors of the cut of {c.name}: it is the lower of them.")


@shows("TwoWaySplit.transform")
def transform(w: Working, model: Any, data: Given) -> None:
    w.title = "On which side of the cut"
    w.intro = f"A column is 1 where x {model._sign()} v, and 0 elsewhere."
    found = np.asarray(model.transform(data.table), dtype=np.float64)
    for j in range(min(len(data.names), MOST_COLUMNS)):
        tag, mark, name = f"_{j + 1}", f"_{{{j + 1}}}", data.names[j]
        w.step(f"Column {name}", "Its values and its cut.")
        x = w.given(f"x{tag}", data.X[:, j], data.row_axis, symbol=f"x{mark}", label=name)
        v = w.given(f"v{tag}", float(model.cuts_[j]), symbol=f"v{mark}", label="cut")
        side = {">": x > v, ">=": x >= v, "<": x < v, "<=": x <= v}[model._sign()]
        w.cell(
            f"z{tag}", where(side, 1, 0), symbol=f"z{mark}", label=f"{name} {model._sign()} cut", equals=found[:, j],
            attribute="transform(X)",
        )  # fmt: skip
    if len(data.names) > MOST_COLUMNS:
        w.note(f"The last {len(data.names) - MOST_COLUMNS} columns are not shown.")
