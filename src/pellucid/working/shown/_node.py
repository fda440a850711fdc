"""How mixed the rows of a node are: class by class, or by the distances of their targets from the answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pellucid.base.types import Array, Floats
from pellucid.working.expression import Axis, Cell, Expr, expr
from pellucid.working.language import absolute, equal, ln, log, mean, median, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown._rows import class_axis

IMPURITY = {
    "gini": "Gini index: 1 less the sum of the squared shares",
    "entropy": "entropy in bits",
    "log_loss": "entropy in bits",
    "squared_error": "mean squared distance from the mean",
    "friedman_mse": "mean squared distance from the mean",
    "absolute_error": "mean distance from the median",
    "poisson": "half the mean Poisson deviance",
}


@dataclass(frozen=True)
class Group:
    """Rows on the page: their target, and what each counts."""

    rows: Axis
    y: Cell
    weight: Cell | None

    @property
    def amount(self) -> Expr:
        return expr(1) if self.weight is None else self.weight


def group_of(w: Working, tag: str, rows: Array, y: Array, weight: Floats | None, label: str = "target") -> Group:
    """Some rows (counted from 0) with their targets and weights."""
    axis = Axis("row", (rows + 1).tolist())
    target = w.given(f"{tag}y", y[rows], axis, symbol="y", label=label)
    row_weight = None if weight is None else w.given(f"{tag}w", weight[rows], axis, symbol="w", label="weight")
    return Group(axis, target, row_weight)


def gini(class_weights: list[Cell], total: Cell) -> Expr:
    """1 less the squared shares."""
    impurity: Expr = expr(1)
    for class_weight in class_weights:
        impurity = impurity - (class_weight / total) ** 2
    return impurity


def entropy(class_weights: list[Cell], total: Cell) -> Expr:
    """Less the sum of p log2 p, 0 for p = 0."""
    terms = [
        class_weight / total * log(where(class_weight > 0, class_weight / total, 1), 2)
        for class_weight in class_weights
    ]
    impurity = -terms[0]
    for term in terms[1:]:
        impurity = impurity - term
    return impurity


def show_classes(w: Working, tag: str, group: Group, class_names: Array, criterion: str, value: Floats | None) -> Cell:
    """Weights and shares of the classes of some rows, and their impurity (without a check)."""
    axis = class_axis(class_names)
    c = w.given(f"{tag}class", class_names, axis, symbol="c", label="class")
    counts: dict[str, Any] = {} if value is None else {"equals": value, "attribute": "tree_.value"}
    m = w.cell(f"{tag}m", sum_(where(equal(group.y, c), group.amount, 0), group.rows), symbol="m",
               label="rows" if group.weight is None else "weight", **counts)  # fmt: skip
    p = w.cell(f"{tag}p", m / sum_(m), symbol="p", label="share")
    body = 1 - sum_(p**2) if criterion == "gini" else -sum_(p * log(where(p > 0, p, 1), 2))
    return w.cell(f"{tag}i", body, symbol=_i(tag), label=IMPURITY[criterion])


def show_numbers(w: Working, tag: str, group: Group, criterion: str, leaf_value: float, checked: bool) -> Cell:
    """The answer of some rows, and how far their targets lie from it (without a check)."""
    y, weight = group.y, group.weight
    size = float(np.abs(np.asarray(y.value, dtype=np.float64)).max(initial=0))
    check: dict[str, Any] = {"equals": leaf_value, "attribute": "tree_.value", "scale": size} if checked else {}

    def average(column: Any) -> Expr:
        return mean(column) if weight is None else sum_(weight * column) / sum_(weight)

    if criterion == "absolute_error":
        if weight is None:
            m = w.cell(f"{tag}mean", median(y), symbol=r"\tilde{y}", label="median", **check)
        else:
            m = w.given(f"{tag}mean", leaf_value, symbol=r"\tilde{y}", label="median: half of the weight on each side")
        d = w.cell(f"{tag}d", absolute(y - m), symbol="d", label="distance from it")
        return w.cell(f"{tag}i", average(d), symbol=_i(tag), label=IMPURITY[criterion])
    m = w.cell(f"{tag}mean", average(y), symbol=r"\bar{y}", label="mean", **check)
    if criterion == "poisson":
        d = w.cell(f"{tag}d", where(y > 0, y * ln(where(y > 0, y / m, 1)), 0), symbol="d", label="y ln(y / mean)")
    else:
        d = w.cell(f"{tag}d", (y - m) ** 2, symbol="d", label="squared distance from it")
    return w.cell(f"{tag}i", average(d), symbol=_i(tag), label=IMPURITY[criterion])


def _i(tag: str) -> str:
    return {"left_": "i_L", "right_": "i_R"}.get(tag, "i")
