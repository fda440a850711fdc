"""The mean target of each category, and the ordered statistic row by row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pellucid.base.errors import count
from pellucid.base.types import Array, Floats
from pellucid.preprocessing._target_tables import Target
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr
from pellucid.working.language import equal, lookup, mean, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown.encoding import MOST_CATEGORIES, _alike, _word

MOST_COLUMNS = 6
MOST_CLASSES = 4
MOST_PLACES = 60
MOST_ORDERS = 3


@dataclass
class Column:
    """One column with one target: what is shown of it, and where its cells stand."""

    j: int  # number of the table's column
    t: int  # number of the target, or class
    values: Array
    known: Array
    x: Cell
    y: Cell
    encodings: Floats

    @property
    def tag(self) -> str:
        return f"{self.j + 1}" if self.y.name == "y" else f"{self.j + 1}_{self.t + 1}"


def _columns(w: Working, model: Any, data: Given) -> list[Column]:
    """The data of a fit, and every column and class that fits on a page."""
    w.note("A condition in brackets counts 1 where it holds, else 0.")
    d = model._validate_predict(data.table)
    names = d.column_labels()
    w.step("Data", "The columns and the target.")
    if len(names) > MOST_COLUMNS:
        w.note(f"The last {count(len(names) - MOST_COLUMNS, 'column')} of {len(names)} are not shown.")
    listed = []
    for j in range(min(len(names), MOST_COLUMNS)):
        values, known = _alike(d.table.column(j), model.categories_[j])
        x = w.given(f"x_{j + 1}", values, data.row_axis, symbol=f"x_{{{j + 1}}}", label=names[j])
        listed.append((j, values, known, x))
    targets = _targets(w, model, data)
    width = model._n_targets
    return [
        Column(j, t, values, known, x, y, np.asarray(model.encodings_[j * width + t]))
        for j, values, known, x in listed
        for t, y in enumerate(targets)
    ]


def _targets(w: Working, model: Any, data: Given) -> list[Cell]:
    """The target, its second label as 1, or zeros and ones for each class."""
    if model.classes_ is None or (model.target_type_ == "binary" and model.classes_.tolist() in ([0, 1], [0])):
        return [w.given("y", np.asarray(data.y, dtype=np.float64), data.row_axis, symbol="y", label="target")]
    labels = np.array([_word(value) for value in np.asarray(data.y).tolist()], dtype=object)
    given = w.given("label", labels, data.row_axis, symbol="l", label="label")
    classes = [_word(value) for value in model.classes_.tolist()]
    if model.target_type_ == "binary":
        one = classes[-1] if len(classes) == 2 else "(none)"
        return [w.cell("y", where(equal(given, one), 1, 0), symbol="y", label=f"is it {one}?")]
    if len(classes) > MOST_CLASSES:
        w.note(f"The last {count(len(classes) - MOST_CLASSES, 'class')} of {len(classes)} are not shown.")
    return [
        w.cell(f"y_{t + 1}", where(equal(given, label), 1, 0), symbol=f"y_{{{t + 1}}}", label=f"is it {label}?")
        for t, label in enumerate(classes[:MOST_CLASSES])
    ]


def _category_axis(w: Working, one: Column) -> tuple[Axis, Cell, Cell, Cell]:
    """The categories of a column, how many rows each has, and the sum of their targets."""
    listed = one.known[:MOST_CATEGORIES]
    if len(listed) < len(one.known):
        w.note(f"The last {len(one.known) - len(listed):,} categories of a column are not shown.")
    axis = Axis("category", [_word(value) for value in listed], "k", "K")
    rows, mark = one.x.axis, f"{{{one.tag.replace('_', ',')}}}"
    c = w.given(f"c_{one.tag}", listed, axis, symbol=f"c_{mark}", label="category")
    n = w.cell(f"n_{one.tag}", sum_(where(equal(one.x, c), 1, 0), rows), symbol=f"n_{mark}", label="rows")
    s = w.cell(f"s_{one.tag}", sum_(equal(one.x, c) * one.y, rows), symbol=f"s_{mark}", label="sum of targets")
    return axis, c, n, s


def _scale(model: Any) -> float:
    return float(np.abs(np.atleast_1d(model.target_mean_)).max())


# ---------------------------------------------------------------------------------------------------------------- fit


@shows("TargetEncoder.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Target encoding: the fit"
    w.intro = (
        "Each category is replaced by the mean target of its rows, drawn toward the mean of all rows. These are the "
        "numbers for new rows; fit_transform gives training rows those of the folds they are not in."
    )
    means = np.atleast_1d(model.target_mean_)
    done: dict[str, tuple[Cell, Cell | None]] = {}
    for one in _columns(w, model, data):
        if one.y.name not in done:
            done[one.y.name] = _whole(w, model, one, float(means[one.t]))
        m, v = done[one.y.name]
        w.step(f"Column {one.x.label}", "Rows, mean target and encoding of each category.")
        axis, c, n, s = _category_axis(w, one)
        mark = f"{{{one.tag.replace('_', ',')}}}"
        gaps = bool((np.asarray(n.value) == 0).any())  # given categories that no row has
        size = where(n > 0, n, 1) if gaps else n
        e = w.cell(f"m_{one.tag}", s / size, symbol=f"m_{mark}", label="mean target")
        weight: Expr
        if v is None:
            weight = n / (n + float(model.smooth)) if model.smooth else where(n > 0, 1, 0)
        else:
            apart = sum_(equal(one.x, c) * _in_units(w, one.y, one.y - e) ** 2, one.x.axis)
            u = w.cell(f"v_{one.tag}", apart / size, symbol=f"v_{mark}", label="variance")
            weight = n * v / (n * v + u) if float(v.value) > 0 and not gaps else where(n * v > 0, 1, 0)
            if gaps and float(v.value) > 0:
                weight = n * v / (n * v + where(n > 0, u, 1))
        g = w.cell(f"w_{one.tag}", weight, symbol=f"w_{mark}", label="weight of its own mean")
        w.cell(
            f"e_{one.tag}", g * e + (1 - g) * m, symbol=f"e_{mark}", label="encoding",
            equals=one.encodings[: len(axis)], attribute="encodings_", scale=_scale(model),
        )  # fmt: skip


def _whole(w: Working, model: Any, one: Column, known: float) -> tuple[Cell, Cell | None]:
    """Mean of the target over all rows, and its variance where the smoothing asks for it."""
    several = one.y.name != "y"
    end, mark = (f"_{one.t + 1}", f"_{{{one.t + 1}}}") if several else ("", "")
    w.step("All rows" + (f", {one.y.label}" if several else ""), "The target over all rows.")
    m = w.cell(
        f"mean{end}", mean(one.y), symbol=rf"\bar{{y}}{mark}", label="mean", equals=known, attribute="target_mean_",
        scale=_spread(one.y),
    )  # fmt: skip
    if model.smooth != "auto":
        return m, None
    v = sum_(_in_units(w, one.y, one.y - m) ** 2) / float(len(one.values))
    return m, w.cell(f"variance{end}", v, symbol=f"v{mark}", label="variance")


def _in_units(w: Working, y: Cell, apart: Expr) -> Expr:
    """A distance; of targets whose squares are no numbers in a unit of their size, which the weights do not notice."""
    size = _spread(y)
    if size == 0 or 1e-120 < size < 1e120:
        return apart
    w.note(
        "Targets are taken in a unit of their size, U, for the variances: their squares would be beyond all numbers."
    )
    if "unit" not in w.cells:
        w.given("unit", 10.0 ** np.floor(np.log10(size)), symbol="U", label="unit of the targets")
    unit = w.cells["unit"]
    assert isinstance(unit, Cell)
    return apart / unit


def _spread(y: Cell) -> float:
    return float(np.abs(np.asarray(y.value, dtype=np.float64)).max())


# ------------------------------------------------------------------------------------------------------------ ordered


@shows("OrderedTargetEncoder.fit")
def ordered(w: Working, model: Any, data: Given) -> None:
    w.title = "The ordered target statistic"
    w.intro = (
        "Rows are taken in an order; each gets the mean target of the earlier rows with its category, together with a "
        "prior. So no row sees its own target."
    )
    columns = _columns(w, model, data)
    a, priors = _priors(w, model, columns)
    found = _own_numbers(model, data)
    orders = model._orders(len(data.row_axis)) if model.order == "random" else np.arange(len(data.row_axis))[None]
    if len(orders) > MOST_ORDERS:
        w.note(f"The last {count(len(orders) - MOST_ORDERS, 'order')} of {len(orders)} are not shown.")
    for one in columns:
        width = one.j * model._n_targets + one.t
        shown = [
            _in_order(w, one, order, k, len(orders), a, priors[one.t], found[:, width])
            for k, order in enumerate(orders[:MOST_ORDERS])
        ]
        if 1 < len(orders) == len(shown) and len(data.row_axis) <= MOST_PLACES:
            _average(w, one, shown, orders, data.row_axis, found[:, width])
        w.step(f"New rows, column {one.x.label}", "All training rows count for rows that come later.")
        axis, _, n, s = _category_axis(w, one)
        w.cell(
            f"e_{one.tag}", (s + a * priors[one.t]) / (n + a), symbol=f"e_{{{one.tag.replace('_', ',')}}}",
            label="statistic of all rows", equals=one.encodings[: len(axis)], attribute="encodings_",
            scale=_scale(model),
        )  # fmt: skip


def _own_numbers(model: Any, data: Given) -> Floats:
    """What fit_transform gave these rows."""
    d = model._validate_predict(data.table)
    model._attach_target(d, data.y)
    found: Floats = model._encode_own(d, model._codes(d, "transform"), Target.of(d, model.target_type), {})
    return found


def _priors(w: Working, model: Any, columns: list[Column]) -> tuple[Cell, list[Cell]]:
    w.step("Prior", "A number for rows that have no earlier ones, and how many rows it counts for.")
    a = w.given("a", float(model.prior_weight), symbol="a", label="weight of the prior")
    found = []
    targets = {one.t: one.y for one in columns}
    for t, y in targets.items():
        end, mark = (f"_{t + 1}", f"_{{{t + 1}}}") if y.name != "y" else ("", "")
        known = float(np.atleast_1d(model.prior_)[t])
        m = w.cell(
            f"mean{end}", mean(y), symbol=rf"\bar{{y}}{mark}", label="mean target",
            equals=float(np.atleast_1d(model.target_mean_)[t]), attribute="target_mean_", scale=_spread(y),
        )  # fmt: skip
        if model.prior is None:
            found.append(w.cell(f"p{end}", m * 1, symbol=f"p{mark}", label="prior", equals=known, attribute="prior_"))
        else:
            found.append(w.given(f"p{end}", known, symbol=f"p{mark}", label="prior"))
    return a, found


def _in_order(w: Working, one: Column, order: Array, k: int, of: int, a: Cell, p: Cell, found: Floats) -> Cell:
    """The rows in one order: what each met before, and its number."""
    n = min(len(order), MOST_PLACES)
    if n < len(order):
        w.note(f"Of the rows in their order the first {n} are shown: later ones change nothing for them.")
    which = f", order {k + 1}" if of > 1 else ""
    w.step(
        f"Row by row, column {one.x.label}{which}",
        "Earlier rows with the same category: the sum of their targets and their number.",
    )
    tag = one.tag + (f"_order{k + 1}" if of > 1 else "")
    first = order[:n]
    in_table = np.sort(first)
    place = np.zeros(len(order))
    place[first] = np.arange(1, n + 1)
    places = Axis("place", range(1, n + 1), "q", "n")
    x, y, rows = one.x, one.y, one.x.axis
    if n < len(order):
        rows = Axis("row", [int(row) + 1 for row in in_table], "i", "n")
        x = w.given(f"row_x_{tag}", one.values[in_table], rows, symbol="x", label=one.x.label)
        targets = np.asarray(one.y.value, dtype=np.float64)[in_table]
        y = w.given(f"row_y_{tag}", targets, rows, symbol="y", label="target")
    t = w.given(f"place_{tag}", place[in_table], rows, symbol="t", label="place in the order")
    position = {int(row): i + 1.0 for i, row in enumerate(in_table)}
    q = w.given(f"q_{tag}", np.arange(1.0, n + 1), places, symbol="q", label="place")
    r = w.given(f"r_{tag}", np.array([position[int(row)] for row in first]), places, symbol="r", label="its line above")
    own = w.cell(f"c_at_{tag}", lookup(x, r), symbol="c", label=one.x.label)
    s = w.cell(f"S_{tag}", sum_(equal(x, own) * (t < q) * y, rows), symbol="S", label="sum of earlier targets")
    m = w.cell(f"N_{tag}", sum_(equal(x, own) * (t < q), rows), symbol="N", label="earlier rows")
    v = w.cell(f"v_{tag}", (s + a * p) / (m + a), symbol="v", label="ordered statistic")
    if of == 1:
        w.check(v, found[first], "fit_transform(X, y)", scale=abs(float(p.value)))
    return v


def _average(w: Working, one: Column, shown: list[Cell], orders: Array, rows: Axis, found: Floats) -> None:
    w.step(f"Mean of the orders, column {one.x.label}", "Each row's number in every order, and their mean.")
    parts = []
    for k, (v, order) in enumerate(zip(shown, orders, strict=True)):
        place = np.empty(len(order))
        place[order] = np.arange(1.0, len(order) + 1)
        t = w.given(f"t_{one.tag}_{k + 1}", place, rows, symbol=f"t_{{{k + 1}}}", label=f"place in order {k + 1}")
        parts.append(w.cell(f"u_{one.tag}_{k + 1}", lookup(v, t), symbol=f"u_{{{k + 1}}}", label=f"in order {k + 1}"))
    sum_: Expr = parts[0] * 1
    for part in parts[1:]:
        sum_ = sum_ + part
    w.cell(
        f"z_{one.tag}", sum_ / float(len(parts)), symbol="z", label="mean of the orders", equals=found,
        attribute="fit_transform(X, y)",
    )  # fmt: skip


# ---------------------------------------------------------------------------------------------------------- transform


@shows("TargetEncoder.transform", "OrderedTargetEncoder.transform")
def transform(w: Working, model: Any, data: Given) -> None:
    w.title = "Target encoding of new rows"
    w.intro = "Each value is replaced by the encoding of its category; a value that fit did not see gets one for all."
    found = np.asarray(model._transform(model._validate_predict(data.table)), dtype=np.float64)
    d, width = model._validate_predict(data.table), model._n_targets
    names = d.column_labels()
    if len(names) > MOST_COLUMNS:
        w.note(f"The last {count(len(names) - MOST_COLUMNS, 'column')} of {len(names)} are not shown.")
    w.note("A condition in brackets counts 1 where it holds, else 0.")
    otherwise = np.broadcast_to(np.atleast_1d(model._unknown_values()), (width,))
    for j in range(min(len(names), MOST_COLUMNS)):
        values, known = _alike(d.table.column(j), model.categories_[j])
        w.step(f"Column {names[j]}", "The encoding of the row's category.")
        x = w.given(f"x_{j + 1}", values, data.row_axis, symbol=f"x_{{{j + 1}}}", label=names[j])
        many = len(known) > MOST_CATEGORIES
        if many:
            w.note("Where there are many categories, the numbers are listed without their formula.")
        else:
            axis = Axis("category", [_word(one) for one in known], "k", "K")
            c = w.given(f"c_{j + 1}", known, axis, symbol=f"c_{{{j + 1}}}", label="category")
        for t in range(min(width, MOST_CLASSES)):
            tag = f"{j + 1}" if width == 1 else f"{j + 1}_{t + 1}"
            mark, label = f"{{{tag.replace('_', ',')}}}", "encoding"
            if width > 1:
                label = f"encoding for {_word(model.classes_.tolist()[t])}"
            column = found[:, j * width + t]
            if many:
                w.given(f"z_{tag}", column, data.row_axis, symbol=f"z_{mark}", label=label)
                continue
            e = w.given(f"e_{tag}", np.asarray(model.encodings_[j * width + t]), axis, symbol=f"e_{mark}", label=label)
            formula: Expr = sum_(equal(x, c) * e, axis)
            if not np.isin(values, known).all():
                formula = where(sum_(where(equal(x, c), 1, 0), axis) > 0, formula, float(otherwise[t]))
            w.cell(
                f"z_{tag}", formula, symbol=f"z_{mark}", label=label, equals=column, attribute="transform(X)",
                scale=_scale(model),
            )  # fmt: skip
