"""What the workings of naive Bayes share: classes and priors, tables of categories, densities, products of factors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.base.types import Array, Floats
from pellucid.working.entry import Given
from pellucid.working.expression import Axis, Cell, Expr, expr
from pellucid.working.language import (
    arg_max,
    equal,
    exp,
    ln,
    lookup,
    max_,
    pi,
    rounded,
    sqrt,
    sum_,
    where,
)
from pellucid.working.matrix import ColumnOf, Grid
from pellucid.working.model import Working
from pellucid.working.shown._rows import label, labels, spelled
from pellucid.working.shown.encoding import MISSING, _word

MOST_CLASSES = 6
MOST_COLUMNS = 12
MOST_VALUES = 40
MOST_POINTS = 60
MOST_ROWS = 4
LEAST = 1e-290  # products below have no digits left


def classes_shown(w: Working, model: Any) -> list[int]:
    """The classes that have a place on the page."""
    n = len(model.classes_)
    if n > MOST_CLASSES:
        w.note(f"The last {n - MOST_CLASSES} of {n} classes are not shown.")
    return list(range(min(n, MOST_CLASSES)))


def columns_shown(w: Working, names: Sequence[Any]) -> list[int]:
    if len(names) > MOST_COLUMNS:
        w.note(f"The last {counted(len(names) - MOST_COLUMNS, 'column')} of {len(names)} are not shown.")
    return list(range(min(len(names), MOST_COLUMNS)))


def class_axis(model: Any) -> Axis:
    return Axis("class", [_word(name) for name in model.classes_.tolist()], "c", "C")


def labels_of(w: Working, model: Any, axis: Axis) -> Cell:
    return w.given("class", labels(model.classes_), axis, symbol="c", label="class")


@dataclass
class Target:
    """The classes of the rows, and what each row counts."""

    w: Working
    model: Any
    data: Given
    y: Cell
    classes: Cell
    weight: Cell | None

    def is_class(self, c: int) -> Expr:
        return equal(self.y, label(self.model.classes_.tolist()[c]))

    def name(self, c: int) -> str:
        return spelled(labels(self.model.classes_)[c])

    def part(self, rows: Array, tag: str) -> Target:
        """The same of some rows, listed anew where some are left out."""
        if len(rows) == len(self.data.row_axis):
            return self
        axis = Axis("row", (rows + 1).tolist(), "i", "n")
        y = self.w.given(f"y_{tag}", np.asarray(self.y.value)[rows], axis, symbol="y", label="class of the row")
        weight = self.weight
        if weight is not None:
            weight = self.w.given(f"w_{tag}", np.asarray(weight.value)[rows], axis, symbol="w", label="weight")
        return Target(self.w, self.model, self.data, y, self.classes, weight)


def target(w: Working, model: Any, data: Given) -> Target:
    """Classes, how many rows each has, and their priors."""
    w.step("Classes", "How many rows each class has, and its prior: what is known before a row is looked at.")
    y = w.given("y", labels(data.y), data.row_axis, symbol="y", label="class of the row")
    weight = None
    if data.weight is not None:
        weight = w.given("weight", data.weight, data.row_axis, symbol="w", label="weight")
    axis = class_axis(model)
    class_cell = labels_of(w, model, axis)
    amount: Any = 1 if weight is None else weight
    n = w.cell("n", sum_(where(equal(y, class_cell), amount, 0), data.row_axis), symbol="n", label="rows",
               equals=model.class_count_, attribute="class_count_")  # fmt: skip
    if getattr(model, model.prior_name) is not None:
        w.given("prior", np.asarray(model.class_prior_, dtype=np.float64), axis, symbol="P", label="prior, as given")
    elif getattr(model, "fit_prior", True):
        w.cell("prior", n / sum_(n), symbol="P", label="prior", equals=model.class_prior_, attribute="class_prior_")
    else:
        size = float(len(model.classes_))
        w.given("prior", np.full(len(model.classes_), 1 / size), axis, symbol="P", label="prior, all alike")
    return Target(w, model, data, y, class_cell, weight)


# ----------------------------------------------------------------------------------------------------------- categories


@dataclass
class Values:
    """A column of categories: the cells of the rows, its values and what the model says of them."""

    j: int
    name: str
    cells: Array
    values: Array
    counts: Floats  # classes x values, those without a name too
    logs: Floats
    attribute: Callable[[str, int], str]


def alike(codes: Array, column: Any) -> tuple[Array, Array]:
    """Cells and categories as a page can hold them: both as numbers, or both as words that differ."""
    listed = column.labels()
    is_known = codes >= 0
    if is_known.all() and all(isinstance(name, int | float) and not isinstance(name, bool) for name in listed):
        return np.array(listed, dtype=np.float64)[codes], np.array(listed, dtype=np.float64)
    words = [_word(name) for name in listed]
    if len(set(words)) < len(words) or MISSING in words:
        words = [repr(name) for name in listed]
    values = np.array([*words, MISSING], dtype=object)
    return values[np.where(is_known, codes, len(words))], values[:-1]


def category_column(t: Target, column: Values, smoothing: Any) -> None:
    """The frequency table of a column, and the likelihood table with the smoothing's numbers."""
    w, tag = t.w, f"{column.j + 1}"
    if len(column.values) == 0:
        w.note(f"Column {column.name} has no values: it says nothing.")
        return
    if len(column.values) > MOST_VALUES:
        w.note(f"Column {column.name} has {len(column.values):,} values: its tables are not shown.")
        return
    w.step(f"Frequencies of {column.name}", "How often each value occurs in each class; missing values are left out.")
    x = w.given(f"x_{tag}", column.cells, t.data.row_axis, symbol=f"x_{{{tag}}}", label=column.name)
    axis = Axis("value", [_word(value) for value in column.values.tolist()], "k", "K")
    v = w.given(f"v_{tag}", column.values, axis, symbol=f"v_{{{tag}}}", label="value")
    class_indices = classes_shown(w, t.model)
    often: list[Cell] = []
    for c in class_indices:
        body = equal(x, v) * t.is_class(c) if t.weight is None else equal(x, v) * t.is_class(c) * t.weight
        often.append(w.cell(f"N_{tag}_{c + 1}", sum_(body, t.data.row_axis), symbol=f"N_{{{tag},{c + 1}}}",
                            label=f"rows of {t.name(c)}", equals=column.counts[c, : len(column.values)],
                            attribute=column.attribute("category_count_", c)))  # fmt: skip
    w.note("A condition in brackets counts 1 where it holds, else 0.")
    likelihoods(w, t, column, often, v, smoothing)


def likelihoods(w: Working, t: Target, column: Values, often: list[Cell], v: Cell, smoothing: Any) -> None:
    """P(value | class) from the counts, by the smoothing's formula."""
    tag, size = f"{column.j + 1}", column.counts.shape[1]
    words = {
        "laplace": "Laplace: alpha is added to every count, and alpha times the number of values below.",
        "m_estimate": "m-estimate: m rows that have each value with probability p are added.",
        "none": "The count of the value over the rows of the class.",
    }
    w.step(f"Likelihoods of {column.name}", words[smoothing.kind])
    if size > len(column.values):
        w.note(f"Column {column.name} has {size} values, of which {len(column.values)} have a name.")
    k = w.given(f"K_{tag}", float(size), symbol=f"K_{{{tag}}}", label="number of values")
    add: Expr = expr(0)
    below: Expr = expr(0)
    if smoothing.kind == "laplace":
        add = w.given(f"alpha_{tag}", smoothing.alpha, symbol=r"\alpha", label="added to every count")
        below = add * k
    elif smoothing.kind == "m_estimate":
        m = w.given(f"m_{tag}", smoothing.m, symbol="m", label="rows added")
        add, below = m * _p(w, column, often, v, smoothing, k), m
    rows = [
        w.cell(f"n_{tag}_{c + 1}", sum_(n), symbol=f"n_{{{tag},{c + 1}}}", label=f"rows of {t.name(c)} with a value")
        for c, n in enumerate(often)
    ]
    for c, n in enumerate(often):
        if float(rows[c].value) + smoothing.added(column.counts, size)[2] <= 0:
            w.note(f"Class {t.name(c)} has no value in {column.name}: all are taken as equally likely there.")
            continue
        formula = n / rows[c] if smoothing.kind == "none" else (n + add) / (rows[c] + below)
        w.cell(
            f"P_{tag}_{c + 1}",
            formula,
            symbol=f"P_{{{tag},{c + 1}}}",
            label=f"P(value | {t.name(c)})",
            equals=np.exp(column.logs[c, : len(column.values)]),
            attribute=f"exp({column.attribute('feature_log_prob_', c)})",
            scale=1.0,
        )


def _p(w: Working, column: Values, often: list[Cell], v: Cell, smoothing: Any, k: Cell) -> Expr:
    """What the m-estimate expects before anything is counted."""
    tag = f"{column.j + 1}"
    if smoothing.p == "uniform":
        return w.cell(f"p_{tag}", 1 / k, symbol="p", label="expected share")
    if smoothing.p != "shares":
        return w.given(f"p_{tag}", float(smoothing.p), symbol="p", label="expected share, as given")
    if len(often) < column.counts.shape[0]:
        assert v.axis is not None
        shares = column.counts.sum(axis=0) / column.counts.sum()
        return w.given(f"p_{tag}", shares[: len(column.values)], v.axis, symbol="p", label="share among all rows")
    every: Expr = often[0] * 1
    for n in often[1:]:
        every = every + n
    everywhere = w.cell(f"all_{tag}", every, symbol="N", label="rows of any class")
    return w.cell(f"p_{tag}", everywhere / sum_(everywhere), symbol="p", label="share among all rows")


# ------------------------------------------------------------------------------------------------------------ densities


def bell_column(t: Target, j: int, name: str, x: Floats, mean: Floats, variance: Floats, ddof: int, eps: float) -> None:
    """Mean and variance of each class, from the rows that have a number."""
    w, tag = t.w, f"{j + 1}"
    w.step(f"Bells of {name}", f"Mean and variance of each class{' (n − 1 below)' if ddof else ''}, missing values left"
           " out.")  # fmt: skip
    rows = np.flatnonzero(~np.isnan(x))
    if len(rows) == 0 or not np.isfinite(mean).all():
        w.note(f"Column {name} has no values: it says nothing.")
        return
    subset = t.part(rows, tag)
    axis = subset.y.axis
    assert axis is not None
    cell = w.given(f"x_{tag}", x[rows], axis, symbol=f"x_{{{tag}}}", label=name)
    amount: Any = 1 if subset.weight is None else subset.weight
    size = float(np.abs(x[rows]).max())
    n = w.cell(f"n_{tag}", sum_(where(equal(subset.y, t.classes), amount, 0), axis), symbol=f"n_{{{tag}}}",
               label="rows with a number")  # fmt: skip
    if (np.asarray(n.value) <= ddof).any():
        w.note(f"Some class has too few numbers in {name}: it takes the whole column's.")
        given_bells(w, tag, t.classes, mean, variance)
        return
    m = w.cell(f"mean_{tag}", sum_(where(equal(subset.y, t.classes), _times(cell, subset.weight), 0), axis) / n,
               symbol=f"m_{{{tag}}}", label="mean", equals=mean, attribute=f"means_[{name!r}]", scale=size)  # fmt: skip
    square = w.cell(f"S_{tag}", sum_(where(equal(subset.y, t.classes), _times((cell - m) ** 2, subset.weight), 0),
                    axis),
                    symbol=f"S_{{{tag}}}", label="squares about the mean")  # fmt: skip
    free = n - ddof if ddof else n
    formula: Expr = square / free
    if eps:
        formula = formula + w.given(f"epsilon_{tag}", eps, symbol=r"\epsilon", label="added to every variance")
    if eps == 0 and not np.asarray(square.value).any():
        w.note(f"Column {name} is constant: it says nothing.")
        return
    w.cell(f"variance_{tag}", formula, symbol=f"v_{{{tag}}}", label="variance", equals=variance,
           attribute=f"variances_[{name!r}]", scale=size * size * 1e-6)  # fmt: skip


def _times(amount: Expr, weight: Cell | None) -> Expr:
    return amount if weight is None else amount * weight


def given_bells(w: Working, tag: str, classes: Cell, mean: Floats, variance: Floats) -> tuple[Cell, Cell]:
    assert classes.axis is not None
    m = w.given(f"mean_{tag}", mean, classes.axis, symbol=f"m_{{{tag}}}", label="mean")
    return m, w.given(f"variance_{tag}", variance, classes.axis, symbol=f"v_{{{tag}}}", label="variance")


def bell_at(x: Cell, mean: Cell, variance: Cell) -> Expr:
    """The normal density."""
    return exp(-((x - mean) ** 2) / (2 * variance)) / sqrt(2 * pi() * variance)


def kernel_column(
    t: Target, j: int, name: str, x: Floats, points: Sequence[Any], widths: Sequence[float], bandwidth: Any, at: str
) -> None:
    """The values of each class and the width of their kernels; `at` is the attribute that holds the widths."""
    w, tag = t.w, f"{j + 1}"
    w.step(f"Kernels of {name}", "The distinct values of each class, how many rows have each, and the width.")
    rows = np.flatnonzero(~np.isnan(x))
    if len(rows) == 0:
        w.note(f"Column {name} has no values: it says nothing.")
        return
    subset = t.part(rows, tag)
    axis = subset.y.axis
    assert axis is not None
    cell = w.given(f"x_{tag}", x[rows], axis, symbol=f"x_{{{tag}}}", label=name)
    amount: Any = 1 if subset.weight is None else subset.weight
    size = float(np.abs(x[rows]).max()) * len(rows)
    w.cell(f"n_{tag}", sum_(where(equal(subset.y, t.classes), amount, 0), axis), symbol=f"n_{{{tag}}}",
           label="rows with a number", equals=np.array([density_points.rows for density_points in points]),
           attribute="weights_")  # fmt: skip
    sums = sum_(where(equal(subset.y, t.classes), _times(cell, subset.weight), 0), axis)
    w.cell(f"T_{tag}", sums, symbol=f"T_{{{tag}}}", label="sum of the values",
           equals=np.array([density_points.weight @ density_points.values for density_points in points]),
           attribute="points_", scale=size)  # fmt: skip
    for c in classes_shown(w, t.model):
        if len(points[c].values) == 0:
            w.note(f"Class {t.name(c)} has no value in {name}: it takes the whole column's density.")
            continue
        _class_points(t, f"{tag}_{c + 1}", f"{name} of {t.name(c)}", points[c], widths[c], bandwidth, f"{at}[{c}]")


def _class_points(
    t: Target, suffix: str, label: str, density_points: Any, width: float, bandwidth: Any, attribute: str
) -> None:
    w, sub = t.w, suffix.replace("_", ",")
    axis = Axis("point", range(1, len(density_points.values) + 1), "i", "m")
    x = w.given(f"x_{suffix}", density_points.values, axis, symbol=f"x_{{{sub}}}", label=label)
    often = w.given(f"w_{suffix}", density_points.weight, axis, symbol=f"w_{{{sub}}}", label="rows")
    n = w.cell(f"n_{suffix}", sum_(often), symbol=f"n_{{{sub}}}", label="rows")
    if isinstance(bandwidth, str):
        _width(w, (x, often, n), suffix, width, bandwidth, attribute, density_points)
    else:
        w.given(f"h_{suffix}", float(bandwidth), symbol=f"h_{{{sub}}}", label="width, as given")


def _width(w: Working, column: tuple[Cell, Cell, Cell], suffix: str, width: float, rule: str, attribute: str,
           density_points: Any
           ) -> None:  # fmt: skip
    x, often, n = column
    sub = suffix.replace("_", ",")
    if len(density_points.values) < 2 or not 1e-140 < float(width) < 1e140:
        w.given(f"h_{suffix}", float(width), symbol=f"h_{{{sub}}}", label="width, as found")
        if len(density_points.values) >= 2:
            w.note("Squares of such numbers do not fit into floats: the width is given as found.")
            return
        w.note("A class whose values are all equal takes the standard deviation of the whole column.")
        return
    m = w.cell(f"mean_{suffix}", sum_(often * x) / n, symbol=f"m_{{{sub}}}", label="mean")
    free: Expr = n - 1 if density_points.rows >= 2 else n / 2
    s = w.cell(f"s_{suffix}", sqrt(sum_(often * (x - m) ** 2) / free), symbol=f"s_{{{sub}}}",
               label="standard deviation")  # fmt: skip
    rows: Expr = n if density_points.rows >= 1 else expr(1.0)
    formula = s * rows ** (-0.2) if rule == "scott" else s * (0.75 * rows) ** (-0.2)
    w.cell(f"h_{suffix}", formula, symbol=f"h_{{{sub}}}", label=f"width by {rule.capitalize()}'s rule", equals=width,
           attribute=attribute, scale=float(np.abs(density_points.values).max()) * 1e-6)  # fmt: skip


def kernel_at(w: Working, suffix: str, x: Cell, density: Any, symbol: str, label: str) -> Expr:
    """The sum of the kernels of one class at one value."""
    density_points = density.points
    sub = suffix.replace("_", ",")
    axis = Axis("point", range(1, len(density_points.values) + 1), "i", "m")
    p = w.given(f"point_{suffix}", density_points.values, axis, symbol=f"x_{{{sub}}}", label=f"values, {label}")
    often = w.given(f"rows_{suffix}", density_points.weight, axis, symbol=f"w_{{{sub}}}", label="rows")
    h = w.given(f"h_{suffix}", float(density.width), symbol=f"h_{{{sub}}}", label="width")
    k = w.cell(f"k_{suffix}", often * exp(-(((x - p) / h) ** 2) / 2), symbol=f"k_{{{sub}}}", label="kernel at x")
    return w.cell(f"f_{suffix}", sum_(k) / (sum_(often) * h * sqrt(2 * pi())), symbol=symbol, label=label)


# -------------------------------------------------------------------------------------------------------------- product


@dataclass
class Factor:
    """What one column says of a row, by class."""

    cell: Cell | ColumnOf
    name: str


@dataclass
class Answer:
    """The scores of one row: the prior, a factor for each column, and what is left over."""

    w: Working
    model: Any
    tag: str
    classes: Cell
    prior: Cell
    factors: list[Factor] = field(default_factory=list)
    rest: Floats | None = None  # logarithms of the factors of columns that are not shown

    def finish(self, joint: Floats, probabilities: Floats, predicted: Any) -> None:
        """From the factors to the answer: the product, its share of the sum of products, and the logarithms."""
        axis = self.classes.axis
        assert axis is not None
        values = [np.asarray(f.cell.value, dtype=np.float64) for f in self.factors]
        product = np.prod([np.asarray(self.prior.value, dtype=np.float64), *values], axis=0)
        zero = any((v == 0).any() for v in [*values, np.asarray(self.prior.value)])
        if not np.isfinite(joint).any():
            self.w.note("Where every product is zero, no class can have the row: the priors answer.")
            return
        where_ = "predict_proba(X)"
        if self.rest is None and (zero or product.max() > LEAST):
            self._product(probabilities, where_)
        if not zero:
            self._logarithms(joint, probabilities, where_, axis)
        p = self.w.cells.get(f"p_{self.tag}", self.w.cells.get(f"q_{self.tag}"))
        if p is None:
            self.w.note("Products too small for floats are worked out by the model in logarithms, not shown here.")
            return
        if (probabilities == probabilities.max()).sum() > 1:
            p = self.w.cell(f"r_{self.tag}", rounded(p, 12), symbol="r", label="up to rounding")
            self.w.note("Classes with equal scores are a tie: no decision; the first of them is predicted.")
        best = self.w.cell(f"best_{self.tag}", arg_max(p), symbol="m", label="first of the largest")
        self.w.cell(f"label_{self.tag}", lookup(self.classes, best), symbol=r"\hat{y}", label="predicted class",
                    equals=label(predicted), attribute="predict(X)")  # fmt: skip

    def _product(self, probabilities: Floats, attribute: str) -> None:
        formula: Expr = self.prior * 1 if not self.factors else self.prior
        for factor in self.factors:
            formula = formula * factor.cell
        s = self.w.cell(f"score_{self.tag}", formula, symbol="s", label="product: joint score")
        every = self.w.cell(f"sum_{self.tag}", sum_(s), symbol="T", label="sum of the products")
        self.w.cell(f"p_{self.tag}", s / every, symbol="p", label="probability", equals=probabilities,
                    attribute=attribute,
                    scale=1.0)  # fmt: skip

    def _logarithms(self, joint: Floats, probabilities: Floats, attribute: str, axis: Axis) -> None:
        formula = ln(self.prior)
        for factor in self.factors:
            formula = formula + ln(factor.cell)
        if self.rest is not None:
            formula = formula + self.w.given(f"rest_{self.tag}", self.rest, axis, symbol="r",
                                             label="ln of the other columns' factors")  # fmt: skip
        self.w.step(f"Row {self.tag}: in logarithms", "Sums of logarithms instead of products, which may become too "
                    "small; the largest is taken off before the powers.")  # fmt: skip
        s = self.w.cell(f"log_{self.tag}", formula, symbol="l", label="sum of logarithms", equals=joint,
                        attribute="predict_joint_log_proba(X)", scale=1.0)  # fmt: skip
        top = self.w.cell(f"top_{self.tag}", max_(s), symbol="M", label="largest")
        e = self.w.cell(f"e_{self.tag}", exp(s - top), symbol="e", label="power")
        self.w.cell(f"q_{self.tag}", e / sum_(e), symbol="q", label="probability", equals=probabilities,
                    attribute=attribute,
                    scale=1.0)  # fmt: skip


def rows_shown(w: Working, data: Given) -> list[int]:
    n = len(data.row_axis)
    rows = list(dict.fromkeys(data.rows)) or list(range(min(n, MOST_ROWS)))
    if len(rows) < n:
        w.note(f"Of {counted(n, 'row')} {len(rows)} {'are' if len(rows) > 1 else 'is'} shown.")
    w.note("Rows are numbered from 1: rows=[0] asks for row 1.")
    return rows


def rest_of(joint: Floats, prior: Cell, factors: Sequence[Factor]) -> Floats:
    """The logarithms that the columns that are not shown add."""
    with np.errstate(divide="ignore", invalid="ignore"):
        total = np.log(np.asarray(prior.value, dtype=np.float64))
        for factor in factors:
            total = total + np.log(np.asarray(factor.cell.value, dtype=np.float64))
        return np.asarray(joint - total)


def densities_at(value: float, densities: Sequence[Any]) -> Floats:
    """The densities of the classes at a value, as the model finds them."""
    heights = []
    for density in densities:
        z = (value - density.points.values) / density.width
        height = (
            density.points.weight @ np.exp(-(z**2) / 2) / (density.points.rows * density.width * np.sqrt(2 * np.pi))
        )
        heights.append(float(height))
    return np.array(heights)


def as_column(w: Working, name: str, cells: Sequence[Expr], axis: Axis, symbol: str, label: str) -> ColumnOf:
    """Single cells, one a class, as a column."""
    block = w.block(
        name, Grid([[entry] for entry in cells], axis, Axis("", [label])), symbol=symbol.upper(), label=label
    )
    return block.column(0, symbol)
