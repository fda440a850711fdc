"""The power of each column from its likelihood, and what powers, logarithms and roots make of a value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pellucid.base.types import Array, Floats
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Cell, Expr
from pellucid.working.language import absolute, count, exp, ln, log, max_, mean, min_, sign, sqrt, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown._names import count_columns
from pellucid.working.shown.scaling import MOST_COLUMNS, Column, _each_column

SMALL = 0.01  # below it, (e^t - 1) / t is shown as a series


@dataclass
class Bent:
    """A column's logarithms, exponents and powers, as cells."""

    c: Column
    log: Cell
    exponent: Expr  # of each value
    side: Expr | None  # -1 for negative values; None where there are none
    small: bool  # are there exponents for which differences would cancel?

    def choose(self, plain: Expr, series: Expr) -> Expr:
        """The formula, or its series where the exponent is small."""
        return where(absolute(self.exponent) * max_(absolute(self.log)) < SMALL, series, plain) if self.small else plain

    def signed(self, formula: Expr) -> Expr:
        return formula if self.side is None else self.side * formula


def _bend(c: Column, power: Cell, method: str, center: float) -> tuple[Bent, Cell]:
    """Logarithms and powers of a column's values."""
    values = np.asarray(c.x.value, dtype=float)
    negative = values < 0 if method != "box-cox" else np.zeros(len(values), dtype=bool)
    plain = ln(c.x) if method == "box-cox" else ln(1 + absolute(c.x))
    if center:
        middle = c.given("c", abs(center) if method != "box-cox" else center, "c", "logarithm of a middle value")
        logs = c.cell("L", plain - middle, "L", "logarithm, less that of a middle value")
    else:
        logs = c.cell("L", plain, "L", "logarithm" if method == "box-cox" else "logarithm of one more than the size")
    sizes = np.abs(np.asarray(logs.value))
    small = any(
        mask.any() and abs(exponent) * float(sizes[mask].max()) < SMALL
        for mask, exponent in ((~negative, float(power.value)), (negative, 2 - float(power.value)))
    )
    bent = Bent(c, logs, power, None, small)
    if negative.any():
        exponent = c.cell("e", where(c.x < 0, 2 - power, power), "e", "exponent")
        side = c.cell("s", where(c.x < 0, -1, 1), "s", "side of zero")
        bent = Bent(c, logs, exponent, side, small)
    e, t = bent.exponent, bent.exponent * logs
    series = logs * (1 + t / 2 + t**2 / 6 + t**3 / 24 + t**4 / 120)
    return bent, c.cell("y", bent.signed(bent.choose((exp(t) - 1) / e, series)), "y", "raised")


@shows("PowerTransformer.fit")
def power_fit(w: Working, model: Any, data: Given) -> None:
    w.title = f"Powers by likelihood ({'Box-Cox' if model.method == 'box-cox' else 'Yeo-Johnson'})"
    w.intro = (
        "The power of a column is the one for which its raised values look most like normal numbers: where the slope "
        "of the log-likelihood is zero. One more step of Newton's method from there leads nowhere else."
    )
    _each_column(w, data, lambda c: _power(c, model))


def _power(c: Column, model: Any) -> None:
    values = np.asarray(c.x.value, dtype=float)
    power = c.given("power", model.lambdas_[c.j], r"\lambda", "power")
    if np.ptp(values) == 0:
        c.w.note(f"Column {c.name} is constant: its power is 1.")
        c.cell("spread", max_(c.x) - min_(c.x), "r", "range")
        c.cell("best", where(max_(c.x) > min_(c.x), power, 1), r"\lambda", "power", model.lambdas_, "lambdas_")
        return
    center = float(model._center_[c.j])
    bent, y = _bend(c, power, model.method, center)
    spread = float(np.std(y.value))
    if not 1e-140 < spread < 1e140:
        c.w.note(f"The squares of column {c.name} are beyond all numbers: its likelihood is not laid out.")
        return
    rounding = _rounding(values, bent, y)
    n = c.cell("n", count(c.x), "n", "number of values")
    middle = _tied(c, "mean", mean(y), "m", "mean of the raised values", model._mean_, "_mean_", rounding, spread)
    d = c.cell("d", y - middle, "d", "distance from it")
    variance = c.cell("variance", sum_(d**2) / n, "v", "their variance")
    _tied(c, "scale", sqrt(variance), r"\sigma", "standard deviation", model._scale_, "_scale_", rounding, spread)
    logs = c.cell("S", sum_(bent.signed(bent.log)), "S", "sum of the logarithms, with the sign of x")
    text = "log-likelihood, up to a constant" if center else "log-likelihood"
    c.cell("likelihood", (power - 1) * logs - n / 2 * ln(variance), "l", text)
    if model._held_[c.j]:
        c.w.note(
            f"The likelihood of column {c.name} still rises beyond its power, which is held where all raised "
            "values are numbers."
        )
        return
    _slope(bent, power, y, d, n, variance, logs, model.lambdas_, rounding)


def _slope(
    b: Bent, power: Cell, y: Cell, d: Cell, n: Cell, variance: Cell, logs: Cell, expected: Floats, rounding: float
) -> None:
    c, e, t = b.c, b.exponent, b.exponent * b.log
    c.w.step(f"Column {c.name}: slope", "How the likelihood changes with the power.")
    series = b.log**2 * (0.5 + t / 3 + t**2 / 8 + t**3 / 30 + t**4 / 144)
    first = c.cell("y1", b.choose((b.log * exp(t) - b.signed(y)) / e, series), "a", "change of y with the power")
    series = b.log**3 * (1 / 3 + t / 4 + t**2 / 10 + t**3 / 36 + t**4 / 168)
    second = b.choose((b.log**2 * exp(t) - 2 * first) / e, series)
    twice = c.cell("y2", b.signed(second), "b", "change of that")
    middle = c.cell("y1_mean", mean(first), "h", "mean change")
    v1 = c.cell("v1", 2 * sum_(d * first) / n, "p", "change of the variance")
    v2 = c.cell("v2", 2 * (sum_((first - middle) ** 2) + sum_(d * twice)) / n, "q", "change of that")
    gradient = c.cell("slope", logs - n / 2 * (v1 / variance), "g", "slope of the log-likelihood")
    curvature = c.cell("bend", n / 2 * ((v1 / variance) ** 2 - v2 / variance), "k", "its bend")
    c.w.cell(
        f"best{c.tag}", power - gradient / curvature, symbol=rf"\hat{{\lambda}}{c.mark}",
        label="power after one more step",
        equals=expected[c.j], attribute=f"lambdas_[{c.j}]", tolerance=100 * rounding, scale=1.0,
    )  # fmt: skip


def _rounding(values: Floats, bent: Bent, y: Cell) -> float:
    """What the plain formulas leave of the digits: 1 + x forgets those of a small x, e^t - 1 those of a small t."""
    size = max(float(np.abs(values).max()), 1e-300)
    far = float(np.abs(y.value).max()) / float(np.std(y.value))
    steep = float(np.abs(np.asarray((bent.exponent * bent.log).value)).max())
    return 1e-9 + 1e-15 * (far + 1) * (steep + 1) + (1e-15 / size if size < 1 else 0.0)


def _tied(
    c: Column,
    name: str,
    formula: Expr,
    symbol: str,
    label: str,
    expected: Floats,
    attribute: str,
    rounding: float,
    spread: float,
) -> Cell:
    return c.w.cell(
        f"{name}{c.tag}", formula, symbol=f"{symbol}{c.mark}", label=label, equals=expected[c.j],
        attribute=f"{attribute}[{c.j}]", tolerance=rounding, scale=spread,
    )  # fmt: skip


# ------------------------------------------------------------------------------------------------------------ transform


class Later(Column):
    """A column of a later table; what is missing stays missing and is left out."""

    def __init__(self, w: Working, data: Given, j: int) -> None:
        super().__init__(w, data, j)
        self.there = ~np.isnan(data.X[:, j])

    def result(self, formula: Any, label: str, transformed: Array, rounding: float = 1e-9) -> None:
        rounding = max(16 * float(np.finfo(transformed.dtype).eps), rounding)
        self.w.cell(
            f"z{self.tag}", formula, symbol=f"z{self.mark}", label=f"{self.name}, {label}",
            equals=transformed[self.there, self.j], attribute="transform(X)", tolerance=rounding, scale=1.0,
        )  # fmt: skip


def each_later(w: Working, model: Any, data: Given, show: Callable[[Later, Array], None]) -> None:
    """Shows every column that has values, with the model's own answer."""
    transformed = model.transform(data.table)
    transformed = np.asarray(transformed.toarray() if hasattr(transformed, "toarray") else transformed)
    for j in range(min(len(data.names), MOST_COLUMNS)):
        column = Later(w, data, j)
        if column.empty:
            w.note(f"Column {column.name} has no values, and stays so.")
        else:
            show(column, transformed)
    if len(data.names) > MOST_COLUMNS:
        w.note(f"The last {len(data.names) - MOST_COLUMNS} columns are not shown.")


@shows("PowerTransformer.transform")
def power_transform(w: Working, model: Any, data: Given) -> None:
    w.title = "Raised columns"
    w.intro = "Every value raised to the power of its column" + (", then standardized." if model.standardize else ".")

    def show(c: Later, transformed: Array) -> None:
        center = float(model._powers()[1, c.j])
        values = np.asarray(c.x.value)
        if model.method != "box-cox" and (center * values < 0).any():
            w.note(f"Column {c.name} has values on the other side of zero than in the fit: it is not laid out.")
            return
        power = c.given("power", model.lambdas_[c.j], r"\lambda", "power")
        bent, y = _bend(c, power, model.method, center)
        rounding = 1e-8
        if np.std(y.value) > 0:
            rounding = _rounding(values, bent, y)
        if model.standardize:
            m = c.given("mean", model._mean_[c.j], "m", "mean of the fit")
            s = c.given("scale", model._scale_[c.j], r"\sigma", "standard deviation of the fit")
            c.result((y - m) / s, "transformed", transformed, rounding)
        else:
            c.result(y, "transformed", transformed, rounding)

    each_later(w, model, data, show)


@shows("LogTransformer.fit")
def log_fit(w: Working, model: Any, data: Given) -> None:
    w.title = "What is added before the logarithm"
    w.intro = "A logarithm needs numbers above 0."

    def show(c: Column) -> None:
        low = c.cell("min", min_(c.x), "a", "smallest")
        if model.shift == "auto":
            formula = where(low > 0, 0, 1 - low)
            c.cell("shift", formula, "t", "nothing, or what makes the smallest 1", model.shift_, "shift_")
        else:
            shift_cell = c.given("given", float(model.shift), "u", "shift asked for")
            c.cell("shift", shift_cell, "t", "what is added", model.shift_, "shift_")

    _each_column(w, data, show)


@shows("LogTransformer.transform")
def log_transform(w: Working, model: Any, data: Given) -> None:
    w.title = f"Logarithms to base {model.base}"
    w.intro = "The logarithm of every value and its column's shift."

    def show(c: Later, transformed: Array) -> None:
        shift = c.given("shift", model.shift_[c.j], "t", "what is added")
        c.result(ln(c.x + shift) if model.base == "e" else log(c.x + shift, model.base), "logarithm", transformed)

    each_later(w, model, data, show)


@shows("RootTransformer.fit")
def root_fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Roots"
    w.intro = "Nothing is learned but how many columns there are" + (
        ", and that no value is negative." if model.degree % 2 == 0 else "."
    )
    count_columns(w, model, data)
    if model.degree % 2 == 0:
        _each_column(w, data, lambda c: _not_negative(c))


def _not_negative(c: Column) -> None:
    low = c.cell("min", min_(c.x), "a", "smallest")
    c.cell("fits", where(low < 0, 0, 1), "f", "1: it has a root")


@shows("RootTransformer.transform")
def root_transform(w: Working, model: Any, data: Given) -> None:
    w.title = "Square roots" if model.degree == 2 else f"Roots of degree {model.degree}"
    w.intro = "The root of every value; of odd degree with its sign."

    def show(c: Later, transformed: Array) -> None:
        if model.degree == 2:
            c.result(sqrt(c.x), "root", transformed)
            return
        k = c.given("degree", float(model.degree), "k", "degree of the root")
        if model.degree % 2:
            c.result(sign(c.x) * absolute(c.x) ** (1 / k), "root", transformed)
        else:
            c.result(c.x ** (1 / k), "root", transformed)

    each_later(w, model, data, show)
