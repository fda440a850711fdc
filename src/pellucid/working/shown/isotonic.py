"""How isotonic regression pools its rows into blocks, and how a prediction lies between two of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.base.types import Array, Floats
from pellucid.isotonic.isotonic import tie_width
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr, Reduce, Window
from pellucid.working.language import lookup, sum_, where
from pellucid.working.model import Working

MOST_MERGES = 200


@dataclass
class Rows:
    """The columns that a fit is made of, as they stand on the page."""

    x: Cell
    y: Cell
    weight: Cell | None

    def order(self) -> Array:
        """Rows by x, then by y; those of weight zero are left out."""
        x, y = np.asarray(self.x.value, dtype=float), np.asarray(self.y.value, dtype=float)
        order = np.lexsort((y, x))
        return order if self.weight is None else order[np.asarray(self.weight.value)[order] > 0]


@dataclass
class Merge:
    """Two neighbors that became one: the entries from first to last, and what was pooled."""

    first: int
    last: int
    left: float
    left_weight: float
    right: float
    right_weight: float


def pooled(values: Floats, weight: Floats) -> tuple[list[int], list[Merge]]:
    """Where the blocks begin, and every merge on the way there."""
    blocks: list[tuple[int, float, float]] = []  # first entry, mean, weight
    merges: list[Merge] = []
    for i, (value, mass) in enumerate(zip(values.tolist(), weight.tolist(), strict=True)):
        first, mean, subtotal = i, value, mass
        while blocks and blocks[-1][1] >= mean:
            first, before, before_sum = blocks.pop()
            merges.append(Merge(first, i, before, before_sum, mean, subtotal))
            mean = (before_sum * before + subtotal * mean) / (before_sum + subtotal)
            subtotal += before_sum
        blocks.append((first, mean, subtotal))
    return [first for first, _, _ in blocks], merges


@shows("IsotonicRegression.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Isotonic regression: the fit"
    direction = "falls" if model.increasing_ else "rises"
    w.intro = (
        f"The function of one column that never {direction} and is nearest to the targets, found by pooling neighbors."
    )
    w.step("Data", "The rows that the model was fitted on.")
    x = w.given("x", data.X[:, 0], data.row_axis, symbol="x", label=data.names[0])
    y = w.given("y", np.asarray(data.y, dtype=float), data.row_axis, symbol="y", label="target")
    weight = None
    if data.weight is not None:
        weight = w.given("weight", data.weight, data.row_axis, symbol="w", label="weight")
    show_pooling(w, Rows(x, y, weight), model)


def show_pooling(w: Working, rows: Rows, model: Any) -> None:
    """From the rows to the model's blocks."""
    values, weight, firsts = _equal_x(w, rows, model)
    sign = 1.0 if model.increasing_ else -1.0
    starts, merges = pooled(sign * np.asarray(values.value), np.asarray(weight.value))
    _merges(w, merges, sign)
    _blocks(w, values, weight, firsts, starts, model)


def _equal_x(w: Working, rows: Rows, model: Any) -> tuple[Cell, Cell, Cell]:
    """The rows in order, those of one x replaced by their mean: the mean, the weight and the x of each entry."""
    order = rows.order()
    w.step("In order", "The rows from the smallest x to the largest.")
    position_axis = Axis("place", range(1, len(order) + 1), "k", "n")
    r = w.given("row", order + 1.0, position_axis, symbol="r", label="row at this place")
    x = w.cell("ordered_x", lookup(rows.x, r), symbol="s", label="x at this place")
    y = w.cell("ordered_y", lookup(rows.y, r), symbol="t", label="target at this place")
    mass = None if rows.weight is None else w.cell("ordered_w", lookup(rows.weight, r), symbol="v", label="weight")

    starts = _starts(np.asarray(x.value), tie_width(np.asarray(rows.x.value), model.X_thresholds_.dtype))
    axis = Axis("value", range(1, len(starts) + 1), "g", "G")
    window = Window(axis, [*starts, len(order)])
    w.step(
        "One entry a value of x", "Rows of one x are replaced by their mean, which counts as often as there are rows."
    )
    first_positions = w.given("first_place", np.asarray(starts) + 1.0, axis, symbol="a", label="first place")
    first = w.cell("value_x", lookup(x, first_positions), symbol="u", label="value of x")
    size = Reduce("count", x, position_axis, window=window) if mass is None else sum_(mass, position_axis, window)
    weight = w.cell("value_weight", size, symbol="c", label="rows" if mass is None else "their weight")
    subtotal = sum_(y if mass is None else mass * y, position_axis, window)
    return w.cell("value_mean", subtotal / weight, symbol="m", label="mean target"), weight, first


def _starts(x: Floats, tie: float) -> list[int]:
    starts: list[int] = []
    for i, value in enumerate(x.tolist()):
        if not starts or (value != x[starts[-1]] and value - x[starts[-1]] >= tie):
            starts.append(i)
    return starts


def _merges(w: Working, merges: list[Merge], sign: float) -> None:
    if not merges:
        w.note("No two neighbors violate the order: nothing is pooled.")
        return
    if len(merges) > MOST_MERGES:
        w.note(f"{counted(len(merges) - MOST_MERGES, 'merge')} after the first {MOST_MERGES} are not laid out.")
    merges_shown = merges[:MOST_MERGES]
    w.step("Pooling", "Where a block is not beyond the one before it, the two become one with their common mean.")
    axis = Axis("merge", range(1, len(merges_shown) + 1), "q", "Q")

    def column(name: str, values: list[float], symbol: str, label: str) -> Cell:
        return w.given(name, np.asarray(values, dtype=float), axis, symbol=symbol, label=label)

    column("merge_from", [m.first + 1 for m in merges_shown], "a", "from entry")
    column("merge_to", [m.last + 1 for m in merges_shown], "b", "to entry")
    left = column("left_mean", [sign * m.left for m in merges_shown], "l", "mean before")
    right = column("right_mean", [sign * m.right for m in merges_shown], "h", "mean after")
    heavy = column("left_weight", [m.left_weight for m in merges_shown], "d", "its weight")
    light = column("right_weight", [m.right_weight for m in merges_shown], "e", "its weight")
    w.cell("pooled", (heavy * left + light * right) / (heavy + light), symbol="p", label="pooled mean")


def _blocks(w: Working, values: Cell, weight: Cell, firsts: Cell, starts: list[int], model: Any) -> None:
    w.step("Blocks", "What is left: blocks whose means are in order. They are the corners of the fitted function.")
    assert values.axis is not None
    axis = Axis("block", range(1, len(starts) + 1), "j", "B")
    window = Window(axis, [*starts, len(values.axis)])
    entry = w.given("block_first", np.asarray(starts) + 1.0, axis, symbol="a", label="first entry")
    x = w.cell("block_x", lookup(firsts, entry), symbol="x", label="its x")
    mean = sum_(weight * values, values.axis, window) / sum_(weight, values.axis, window)
    expected = model.f_(np.asarray(x.value, dtype=float))
    limited = model.y_min is not None or model.y_max is not None
    single = model.y_thresholds_.dtype == np.float32
    margin: dict[str, Any] = {
        "attribute": "y_thresholds_",
        "tolerance": 1e-6 if single else 1e-9,
        "scale": float(np.abs(np.asarray(values.value)).max()),
    }
    block_mean = w.cell(
        "block_mean", mean, symbol="f", label="block mean", **({} if limited else {"equals": expected}), **margin
    )
    if limited:
        formula: Expr = block_mean
        if model.y_min is not None:
            formula = where(formula < float(model.y_min), float(model.y_min), formula)
        if model.y_max is not None:
            formula = where(formula > float(model.y_max), float(model.y_max), formula)
        w.cell("block_value", formula, symbol=r"\hat{f}", label="held between the limits", equals=expected, **margin)


# -------------------------------------------------------------------------------------------------------------- predict


def interpolated(w: Working, at: Cell, model: Any, name: str = "") -> Expr:
    """The fitted function at a column of x, between the corners on either side."""
    key = f"{name}_" if name else ""
    axis = Axis(f"{name} corner".strip(), range(1, len(model.X_thresholds_) + 1), "k", "K")
    x = w.given(f"{key}corner_x", model.X_thresholds_.astype(float), axis, symbol="u", label="x of the corner")
    y = w.given(f"{key}corner_y", model.y_thresholds_.astype(float), axis, symbol="f", label="value of the corner")
    if len(axis) == 1:
        return lookup(y, 1) + 0 * at
    low, high = float(model.X_thresholds_[0]), float(model.X_thresholds_[-1])
    inside: Expr = at
    if (np.asarray(at.value) < low).any() or (np.asarray(at.value) > high).any():
        clipped = where(at < low, low, where(at > high, high, at))
        inside = w.cell(f"{key}held", clipped, symbol="z", label="held between the first and the last corner")
    corner_numbers = np.searchsorted(
        model.X_thresholds_.astype(float), np.clip(np.asarray(at.value), low, high), side="right"
    )
    corner_numbers = np.clip(corner_numbers, 1, len(axis) - 1).astype(float)
    k = w.given(f"{key}place", corner_numbers, at.axis, symbol="k", label="corner at or before it")
    share = (inside - lookup(x, k)) / (lookup(x, k + 1) - lookup(x, k))
    fraction = w.cell(f"{key}way", share, symbol="h", label="share of the way to the next")
    return lookup(y, k) + fraction * (lookup(y, k + 1) - lookup(y, k))


@shows("IsotonicRegression.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    w.title = "Isotonic regression: predictions"
    w.intro = "Along the straight line between the two corners around x."
    predicted = np.asarray(model.predict(data.table), dtype=float)
    rows = [row for row in (data.rows or range(min(len(predicted), 3))) if np.isfinite(predicted[row])]
    if len(rows) < len(data.rows or range(min(len(predicted), 3))):
        w.note("Rows whose x lies outside that of the fit have no prediction and are left out.")
    w.step("Rows", "What is asked about, and the corners of the fitted function.")
    axis = Axis("row", rows)
    x = w.given("x", data.X[rows, 0], axis, symbol="x", label=data.names[0])
    formula = interpolated(w, x, model)
    w.step("Predictions", "The value of the corner before, and that share of the rise to the next.")
    w.cell(
        "prediction", formula, symbol=r"\hat{y}", label="prediction", equals=predicted[rows], attribute="predict(X)",
        tolerance=1e-6 if model.y_thresholds_.dtype == np.float32 else 1e-9,
        scale=float(np.abs(model.y_thresholds_).max()),
    )  # fmt: skip
