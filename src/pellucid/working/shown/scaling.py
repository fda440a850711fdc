"""The figures of each column, and each scaled value from them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr
from pellucid.working.language import (
    absolute,
    count,
    floor,
    lookup,
    max_,
    min_,
    normal_quantile,
    nth_smallest,
    sqrt,
    sum_,
    where,
)
from pellucid.working.model import Working

MOST_COLUMNS = 10


class Column:
    """One column of the table, in a working: its values and how its cells are called."""

    def __init__(self, w: Working, data: Given, j: int) -> None:
        self.w, self.j, self.name = w, j, data.names[j]
        self.tag = "" if len(data.names) == 1 else f"_{j + 1}"
        self.mark = "" if len(data.names) == 1 else f"_{{{j + 1}}}"
        values = data.X[:, j]
        weight = data.weight
        there = ~np.isnan(values) if weight is None else ~np.isnan(values) & (weight > 0)
        self.axis = data.row_axis
        w.step(f"Column {self.name}", _values(int((~there).sum())))
        if not there.all():
            self.axis = Axis("row", (np.flatnonzero(there) + 1).tolist(), "i", "n")
        self.empty = not there.any()
        if self.empty:
            return
        self.x = w.given(f"x{self.tag}", values[there], self.axis, symbol=f"x{self.mark}", label=self.name)
        self.size = float(np.abs(values[there]).max())
        self.weight: Cell | None = None
        if weight is not None:
            self.weight = w.given(f"w{self.tag}", weight[there], self.axis, symbol=f"w{self.mark}", label="weight")

    def cell(self, name: str, formula: Any, symbol: str, label: str, equals: Any = None, attribute: str = "") -> Cell:
        wanted = None if equals is None else equals[self.j]
        return self.w.cell(
            f"{name}{self.tag}", formula, symbol=f"{symbol}{self.mark}", label=label, equals=wanted,
            attribute=f"{attribute}[{self.j}]" if attribute else "", scale=self.size,
        )  # fmt: skip

    def given(self, name: str, value: float, symbol: str, label: str) -> Cell:
        return self.w.given(f"{name}{self.tag}", float(value), symbol=f"{symbol}{self.mark}", label=label)


def _values(left_out: int) -> str:
    return f"Its values; rows without one or of weight 0 are left out: {left_out}." if left_out else "Its values."


def _each_column(w: Working, data: Given, show: Callable[[Column], None]) -> None:
    for j in range(min(len(data.names), MOST_COLUMNS)):
        column = Column(w, data, j)
        if column.empty:
            w.note(f"Column {column.name} has no values: there is nothing to work out.")
        else:
            show(column)
    if len(data.names) > MOST_COLUMNS:
        w.note(f"The last {len(data.names) - MOST_COLUMNS} columns are not shown.")


def _mean(c: Column, equals: Any) -> tuple[Cell, Cell]:
    """The number of values, or the sum of weights; and the mean."""
    if c.weight is None:
        n = c.cell("n", count(c.x), "n", "number of values")
        return n, c.cell("mean", sum_(c.x) / n, "m", "mean: sum over number", equals, "mean_")
    n = c.cell("n", sum_(c.weight), "n", "sum of the weights")
    return n, c.cell("mean", sum_(c.weight * c.x) / n, "m", "mean: weighted sum over n", equals, "mean_")


def _ends(c: Column, model: Any) -> tuple[Cell, Cell, Cell]:
    low = c.cell("min", min_(c.x), "a", "smallest", model.data_min_, "data_min_")
    high = c.cell("max", max_(c.x), "b", "largest", model.data_max_, "data_max_")
    return low, high, c.cell("range", high - low, "r", "range", model.data_range_, "data_range_")


def _or_one(value: Expr) -> Expr:
    return where(value > 0, value, 1)


@shows("StandardScaler.fit")
def standard_fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Means and standard deviations"
    w.intro = "A column is later taken relative to its mean, in units of its standard deviation."
    _each_column(w, data, lambda c: _standard(c, model))


def _standard(c: Column, model: Any) -> None:
    n, mean = _mean(c, model.mean_)
    if not model.with_std:
        return
    apart = c.cell("d", c.x - mean, "d", "distance from the mean")
    square = c.cell("q", apart**2, "q", "its square")
    summed = sum_(square) if c.weight is None else sum_(c.weight * square)
    if np.ptp(c.x.stored) == 0:  # rounding of the mean is not spread
        c.w.note(f"Column {c.name} is constant: its variance is 0, and it is divided by 1.")
        c.cell("scale", where(max_(c.x) > min_(c.x), sqrt(summed / n), 1), "s", "divisor", model.scale_, "scale_")
        return
    divisor = n - model.ddof if model.ddof else n
    variance = c.w.cell(
        f"variance{c.tag}", summed / divisor, symbol=f"v{c.mark}", label="variance", equals=model.var_[c.j],
        attribute=f"var_[{c.j}]", scale=c.size**2 * 1e-6,
    )  # fmt: skip
    c.cell("scale", sqrt(variance), "s", "standard deviation", model.scale_, "scale_")


@shows("MinMaxScaler.fit")
def min_max_fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Smallest and largest values"
    w.intro = "The smallest value of a column goes to one end of a range, the largest to the other."
    w.step("Range", "Where the two go.")
    first = w.given("first", float(model.feature_range[0]), symbol="f", label="of the smallest")
    last = w.given("last", float(model.feature_range[1]), symbol="g", label="of the largest")

    def show(c: Column) -> None:
        low, _, apart = _ends(c, model)
        scale = c.cell("scale", (last - first) / _or_one(apart), "s", "factor", model.scale_, "scale_")
        c.cell("shift", first - low * scale, "t", "what is added", model.min_, "min_")

    _each_column(w, data, show)


@shows("MaxAbsScaler.fit")
def max_abs_fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Largest absolute values"
    w.intro = "A column is later divided by its largest absolute value."

    def show(c: Column) -> None:
        size = c.cell("size", absolute(c.x), "u", "absolute value")
        most = c.cell("max_abs", max_(size), "M", "the largest of them", model.max_abs_, "max_abs_")
        c.cell("scale", _or_one(most), "s", "divisor", model.scale_, "scale_")

    _each_column(w, data, show)


@shows("MeanNormalizer.fit")
def mean_fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Means and ranges"
    w.intro = "A column is later taken relative to its mean, in units of its range."

    def show(c: Column) -> None:
        _mean(c, model.mean_)
        _, _, apart = _ends(c, model)
        c.cell("scale", _or_one(apart), "s", "divisor", model.scale_, "scale_")

    _each_column(w, data, show)


@shows("RobustScaler.fit")
def robust_fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Medians and distances between quantiles"
    w.intro = "A column is later taken relative to its median, in units of the distance between two quantiles."
    _each_column(w, data, lambda c: _robust(c, model))


def _robust(c: Column, model: Any) -> None:
    size = len(c.axis)
    places = Axis("place", range(1, size + 1), "k", "n")
    c.w.step(f"Column {c.name} in order", "The values from the smallest to the largest.")
    k = c.w.given(f"k{c.tag}", np.arange(1.0, size + 1), places, symbol="k", label="place")
    ordered = c.cell("ordered", nth_smallest(c.x, k), "o", "value at place k")
    n = c.cell("n", count(c.x), "n", "number of values")
    c.cell("center", _quantile(c, ordered, n, 0.5, "h"), "m", "median", model.center_, "center_")
    if not model.with_scaling:
        return
    low, high = (float(q) / 100 for q in model.quantile_range)
    lower = c.cell("lower", _quantile(c, ordered, n, low, "l"), "a", f"quantile {low:g}")
    upper = c.cell("upper", _quantile(c, ordered, n, high, "u"), "b", f"quantile {high:g}")
    apart = c.cell("apart", upper - lower, "r", "their distance")
    if not model.unit_variance:
        c.cell("scale", _or_one(apart), "s", "divisor", model.scale_, "scale_")
        return
    normal = c.cell("normal", normal_quantile(high) - normal_quantile(low), "z", "the same of a normal distribution")
    c.cell("scale", _or_one(apart) / normal, "s", "divisor", model.scale_, "scale_")


def _quantile(c: Column, ordered: Cell, n: Cell, share: float, mark: str) -> Expr:
    """The value at place ``1 + (n - 1) p``, between its two neighbors in proportion."""
    place = c.cell(f"place_{mark}", 1 + (n - 1) * share, rf"p^{mark}", f"place for {share:g}")
    whole = c.cell(f"whole_{mark}", floor(place), rf"w^{mark}", "whole places")
    if share == 1 or len(c.axis) == 1:
        return lookup(ordered, whole)
    below = lookup(ordered, whole)
    return below + (place - whole) * (lookup(ordered, whole + 1) - below)


# ------------------------------------------------------------------------------------------------------------ transform


@shows("Scaler.transform", "StandardScaler.transform", "MinMaxScaler.transform", "MaxAbsScaler.transform",
       "MeanNormalizer.transform", "RobustScaler.transform")  # fmt: skip
def transform(w: Working, model: Any, data: Given) -> None:
    w.title = "Scaled columns"
    w.intro = "Every value less its column's center, over its column's divisor."
    found = model.transform(data.table)
    found = np.asarray(found.toarray() if hasattr(found, "toarray") else found)
    center, divisor, offset = (np.broadcast_to(part, len(data.names)) for part in model._line())
    rounding = max(16 * float(np.finfo(found.dtype).eps), 1e-9)
    for j in range(min(len(data.names), MOST_COLUMNS)):
        tag = "" if len(data.names) == 1 else f"_{j + 1}"
        mark = "" if len(data.names) == 1 else f"_{{{j + 1}}}"
        w.step(f"Column {data.names[j]}", "Its values, its figures from the fit, and what becomes of the values.")
        x = w.given(f"x{tag}", data.X[:, j], data.row_axis, symbol=f"x{mark}", label=data.names[j])
        m = w.given(f"center{tag}", float(center[j]), symbol=f"m{mark}", label="center")
        s = w.given(f"divisor{tag}", float(divisor[j]), symbol=f"s{mark}", label="divisor")
        formula: Expr = (x - m) / s
        if offset[j]:
            formula = formula + w.given(f"offset{tag}", float(offset[j]), symbol=f"f{mark}", label="offset")
        w.cell(
            f"z{tag}", _kept(formula, *model._limits()), symbol=f"z{mark}", label=f"{data.names[j]}, scaled",
            equals=found[:, j], attribute="transform(X)", tolerance=rounding,
        )  # fmt: skip
    if len(data.names) > MOST_COLUMNS:
        w.note(f"The last {len(data.names) - MOST_COLUMNS} columns are not shown.")


def _kept(formula: Expr, low: float, high: float) -> Expr:
    """Between the limits, where there are any."""
    if np.isinf(high):
        return formula
    return where(formula < low, low, where(formula > high, high, formula))
