"""Where in the workings of CART each figure of its examples stands; after `shown`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pellucid.working import Cell, Working

from .answers.cart import in_order, told_of_cars, traced
from .frame import Example
from .shown import READINGS, reads

__all__ = ["READINGS"]


@reads("000-cart-gini")
def ten_rows(w: Working, e: Example) -> Mapping[str, Any]:
    first, best = (_cut(w, value) for value in (2.771244718, float(w.value("fit.split"))))
    at = _place(w, "fit.s1_split", w.value("fit.split"))
    leaves = [int(np.argmax([w.value(f"fit.s1_{side}_{k}")[at] for k in (1, 2)])) for side in ("l", "u")]
    return {
        "groups for split X1 = 2.771244718": first["groups"],
        "left class proportions for split X1 = 2.771244718": first["left"]["p"],
        "right class proportions for split X1 = 2.771244718": first["right"]["p"],
        "Gini cost of split X1 = 2.771244718, unweighted sum of groups": first["gini"],
        "Gini cost of split X1 = 2.771244718, weighted by group size (standard CART; not in the source)": float(
            w.value("sized.s1_cost")[_place(w, "sized.s1_split", 2.771244718)]
        ),
        "groups for split X1 = 6.642287351": best["groups"],
        "Gini cost of split X1 = 6.642287351": best["gini"],
        "leaf class LEFT, RIGHT": leaves,
        "test predictions": [int(one) for one in w.value("new.said")],
        "test accuracy in percent": round(w.value("new.accuracy")),
        "trace: split X1 = 2.771244718": traced("X1 = 2.771244718", first),
        "trace: split X1 = 6.642287351": traced("X1 = 6.642287351", best),
    }


def _place(w: Working, name: str, value: Any) -> int:
    return int(np.asarray(w.value(name)).tolist().index(value))


def _cut(w: Working, value: float) -> dict[str, Any]:
    """A cut of x1 as its line in the table tells it."""
    at = _place(w, "fit.s1_split", value)
    found: dict[str, Any] = {"gini": float(w.value("fit.s1_cost")[at])}
    found["groups"] = ["LEFT" if one else "RIGHT" for one in np.asarray(w.value("fit.s1_x")) < value]
    for name, side, size in (("left", "l", "L"), ("right", "u", "R")):
        n = float(w.value(f"fit.s1_n_{size}")[at])
        found[name] = {"n": int(n), "p": [float(w.value(f"fit.s1_{side}_{k}")[at]) / n for k in (1, 2)]}
    return found


@reads("004-cart-gini-happiness")
def happiness(w: Working, e: Example) -> Mapping[str, Any]:
    def one(j: int, word: str) -> float:
        splits = np.asarray(w.value(f"fit.s{j}_split")).tolist()
        inside = f"{{{word}}}"
        if inside in splits:
            return float(w.value(f"fit.s{j}_i_L")[splits.index(inside)])
        return float(w.value(f"fit.s{j}_i_R")[0])  # of two categories one split is shown

    weighted = {name: float(np.min(w.value(f"fit.s{j}_cost"))) for j, name in ((1, "gratitude"), (2, "compare"))}
    weighted["expecting"] = float(w.value("three_way"))
    binary = [w.value("fit.s3_cost")[_place(w, "fit.s3_split", f"{{{word}}}")] for word in ("high", "medium", "low")]
    rounded = [np.floor(100 * one(1, word)) / 100 for word in ("no", "yes")]
    return {
        "Gini(gratitude=yes)": one(1, "yes"),
        "Gini(gratitude=no)": one(1, "no"),
        "weighted Gini(gratitude)": weighted["gratitude"],
        "Gini(compare=yes)": one(2, "yes"),
        "Gini(compare=no)": one(2, "no"),
        "weighted Gini(compare)": weighted["compare"],
        "Gini(expecting=low)": one(3, "low"),
        "Gini(expecting=medium)": one(3, "medium"),
        "Gini(expecting=high)": one(3, "high"),
        "weighted Gini(expecting), three-way": weighted["expecting"],
        "root feature (lowest weighted Gini)": min(weighted, key=lambda name: weighted[name]),
        "Gini of the root, 7/5": w.value("fit.i"),
        "binary splits of expecting: {high}|rest, {medium}|rest, {low}|rest": [float(cost) for cost in binary],
        "trace: the source's own sum for gratitude": float(np.mean(rounded)),
    }


@reads("003-cart-regression-tree-cars")
def cars(w: Working, e: Example) -> Mapping[str, Any]:
    return told_of_cars(_node(w, 0))


def _node(w: Working, number: int) -> dict[str, Any]:
    """A node as its steps tell it: its split, and its sides, which have steps of their own or are leaves."""
    part = f"node{number}"
    column = str(w.value(f"{part}.feature"))
    j = {"x1": 1, "x2": 2}[column]
    inside = set(str(w.value(f"{part}.split")).strip("{}").split(", "))
    words, y = np.asarray(w.value(f"{part}.s{j}_x")), np.asarray(w.value(f"{part}.y"))
    there = np.isin(words, list(inside))
    sides = []
    for name, rows in (("left", there), ("right", ~there)):
        cell = w.cells[f"{part}.mean_{name}"]
        assert isinstance(cell, Cell)
        child = int(cell.label.rsplit(" ", 1)[1])
        mean = float(w.value(cell.name))
        own = _node(w, child) if f"node{child}.y" in w.cells else {"n": int(rows.sum()), "mean": mean}
        sides.append((sorted(set(words[rows].tolist())), own))
    return in_order(len(y), float(w.value(f"{part}.mean")), {"x1": "Type", "x2": "Country"}[column], sides)
