"""How one rule on one column comes about: counts of each value or interval, errors of each column, and the best."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.base.types import Array
from pellucid.models.rules.words import condition_text
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr, expr
from pellucid.working.language import arg_min, equal, lookup, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown._rows import class_axis, label, labels, spelled
from pellucid.working.shown._rule_rows import MOST_ASKED, known_values, short

MOST_LISTED = 200  # rows that are written out, and counted by formulas
MOST_COLUMNS = 6
MOST_VALUES = 40
MOST_CLASSES = 12


@dataclass
class _Page:
    w: Working
    model: Any
    data: Given
    known: Array
    y: Cell
    weight: Cell | None

    @property
    def listed(self) -> bool:
        """Are columns written out, and counted by formulas?"""
        return len(self.data.X) <= MOST_LISTED

    @property
    def amount(self) -> Expr:
        return expr(1) if self.weight is None else self.weight


@shows("OneRClassifier.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "One rule on one column"
    w.intro = (
        "Each value (or interval) of a column says its most frequent class. The column that errs least is the rule: "
        f"{model.feature_name_}."
    )
    page = _rows(w, model, data)
    p = len(model.columns_)
    columns_shown = sorted({model.feature_, *range(min(p, MOST_COLUMNS))})[: MOST_COLUMNS + 1]
    if len(model.classes_) > MOST_CLASSES:
        w.note("With so many classes only the errors are shown.")
        columns_shown = []
    errors = {j: cell for j in columns_shown if (cell := _column(page, j)) is not None}
    _choice(page, errors)


def _rows(w: Working, model: Any, data: Given) -> _Page:
    class_names = labels(model.classes_)
    w.step("Classes", "The class of each row, and how often each class occurs.")
    y = w.given("y", labels(data.y), data.row_axis, symbol="y", label="class")
    weight = None if data.weight is None else w.given("w", data.weight, data.row_axis, symbol="w", label="weight")
    page = _Page(w, model, data, class_names, y, weight)
    c = w.given("class", class_names, class_axis(class_names), symbol="c", label="class")
    formula = sum_(where(equal(y, c), page.amount, 0), data.row_axis)
    w.cell("N", formula, symbol="N", label="rows of the class", equals=model.class_counts_, attribute="class_counts_")
    if not page.listed:
        w.note(f"{counted(len(data.X), 'row')}: the counts of the columns are given, not worked out.")
    return page


def _column(page: _Page, j: int) -> Cell | None:
    """The table of a column, and how many rows its rule has wrong; None where it is too long."""
    w, column = page.w, page.model.columns_[j]
    if len(column.counts) > MOST_VALUES or not len(column.counts):
        return None
    conditions = [short(condition_text(test, 6)) for test in column.conditions()]
    what = "Each value" if column.values is not None else "Each interval"
    w.step(f"Column {column.name}", f"{what} with the rows of each class, and those that are not of its own class.")
    axis = Axis("value", conditions, "v", "V")
    number = w.given(
        f"place_{j + 1}", np.arange(1.0, len(conditions) + 1), axis, symbol=f"v_{{{j + 1}}}", label="number"
    )
    inside = _inside(page, j, axis)
    class_counts = []
    for k, name in enumerate(page.known.tolist()):
        style: dict[str, Any] = {"symbol": f"n_{{{j + 1},{k + 1}}}", "label": spelled(name)}
        check: dict[str, Any] = {"equals": column.counts[:, k], "attribute": f"columns_[{j}].counts", "scale": 1.0}
        if inside is None:
            cell = w.given(f"n_{j + 1}_{k + 1}", column.counts[:, k], axis, **style)
        else:
            class_weight = where(equal(page.y, name), page.amount, 0)
            body = inside * class_weight if column.values is None else where(inside, class_weight, 0)
            cell = w.cell(f"n_{j + 1}_{k + 1}", sum_(body, page.data.row_axis), **style, **check)
        class_counts.append(cell)
    best: Expr = class_counts[0]
    said_class: Expr = expr(1.0) if len(class_counts) > 1 else 1 + 0 * number
    for k, n_of_class in enumerate(class_counts[1:], 2):
        said_class = where(n_of_class > best, float(k), said_class)
        best = w.cell(
            f"b_{j + 1}_{k}",
            where(n_of_class > best, n_of_class, best),
            symbol=f"b_{{{j + 1},{k}}}",
            label="largest so far",
        )
    w.cell(f"label_{j + 1}", said_class, symbol=f"a_{{{j + 1}}}", label="place of its class",
           equals=column.labels + 1.0, attribute=f"columns_[{j}].labels")  # fmt: skip
    wrong = w.cell(f"e_{j + 1}", reduce(add, class_counts) - best, symbol=f"e_{{{j + 1}}}", label="wrong")
    size = float(page.model.class_counts_.sum())
    return w.cell(f"errors_{j + 1}", sum_(wrong), symbol=f"E_{{{j + 1}}}", label=f"errors of {column.name}",
                  equals=float(page.model.errors_[j]), attribute="errors_", scale=size)  # fmt: skip


def _inside(page: _Page, j: int, axis: Axis) -> Expr | None:
    """Whether a row has a value of the table, as a formula over rows and values; None where columns are not shown."""
    if not page.listed:
        return None
    w, column, x = page.w, page.model.columns_[j], page.data.X[:, j]
    if column.values is not None:
        cell = w.given(f"x_{j + 1}", known_values(x, column.values), page.data.row_axis, symbol=f"x_{{{j + 1}}}",
                       label=column.name)  # fmt: skip
        codes = [float(code) for code in column.codes] + ([np.nan] if column.has_missing else [])
        value_names = known_values(np.array(codes), column.values)
        return equal(cell, w.given(f"u_{j + 1}", value_names, axis, symbol=f"u_{{{j + 1}}}", label="value"))
    if np.isnan(x).any():
        w.note(f"Column {column.name} has missing values: its counts are given.")
        return None
    cell = w.given(f"x_{j + 1}", x, page.data.row_axis, symbol=f"x_{{{j + 1}}}", label=column.name)
    begin = max(float(x.min()) - max(1.0, abs(float(x.min())) / 1e6), -1.79e308)  # well below, for spreadsheets as well
    ends = [begin, *column.cuts.tolist(), float(x.max())]
    low = w.given(f"low_{j + 1}", np.array(ends[:-1]), axis, symbol=f"l_{{{j + 1}}}", label="above")
    high = w.given(f"high_{j + 1}", np.array(ends[1:]), axis, symbol=f"h_{{{j + 1}}}", label="at most")
    w.note("A condition in brackets counts 1 where it holds, else 0.")
    return (cell > low) * (cell <= high)


def _choice(page: _Page, errors: dict[int, Cell]) -> None:
    w, model = page.w, page.model
    names = [column.name for column in model.columns_]
    w.step("The column", "The one with the fewest errors, the first of equals.")
    axis = Axis("column", names, "j", "p")
    j = w.given("j", np.arange(1.0, len(names) + 1), axis, symbol="j", label="number")
    errors_given = np.array([0.0 if k in errors else error for k, error in enumerate(model.errors_.tolist())])
    body: Expr = expr(0.0)
    if len(errors) < len(names):
        body = w.given("errors_rest", errors_given, axis, symbol="E^0", label="errors, where not worked out")
    for k, cell in errors.items():
        body = where(equal(j, k + 1), cell, body)
    e = w.cell("errors", body, symbol="E", label="errors")
    w.cell("feature", arg_min(e) - 1, symbol=r"\hat{j}", label="the column, counted from 0",
           equals=float(model.feature_), attribute="feature_", scale=1.0)  # fmt: skip


# ---------------------------------------------------------------------------------------------------------- predictions


@shows("OneRClassifier.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    column = model.columns_[model.feature_]
    w.title = f"Predictions by {column.name} alone"
    w.intro = "The value of one column leads to a line of the table; its shares are the answer."
    rows = data.rows or list(range(min(len(data.X), MOST_ASKED)))
    axis = Axis("row", rows)
    x = data.X[rows, model.feature_]
    w.step("Rows", "The rows that are asked for, numbered from 0.")
    cell = w.given("x", known_values(x, column.values), axis, symbol="x", label=column.name)
    conditions = [short(condition_text(test, 6)) for test in column.conditions()]
    lines = Axis("line", [*conditions, "anything else"], "v", "V")
    table_rows = column.places(x)
    expected = np.where(table_rows < 0, len(conditions), table_rows) + 1.0
    formula = _line(column, cell, len(conditions))
    style: dict[str, Any] = {"symbol": "v", "label": "line of the table"}
    if np.isnan(x).any() or formula is None or not np.array_equal(formula.value, expected):
        line = w.given("line", expected, axis, **style)
    else:
        line = w.cell("line", formula, **style)
    _shares(w, model, data, rows, lines, line)


def _line(column: Any, x: Cell, last: int) -> Expr | None:
    """The number of the line, value by value; None where there are too many."""
    if last > MOST_VALUES:
        return None
    if column.values is None:
        line_number: Expr = expr(float(len(column.cuts) + 1))
        for b in range(len(column.cuts) - 1, -1, -1):
            line_number = where(x <= float(column.cuts[b]), float(b + 1), line_number)
        return line_number if len(column.cuts) else line_number + 0 * x
    line_number = expr(float(last + 1))
    for k in range(len(column.codes) - 1, -1, -1):
        line_number = where(equal(x, str(column.values[int(column.codes[k])])), float(k + 1), line_number)
    return line_number


def _shares(w: Working, model: Any, data: Given, rows: list[int], lines: Axis, line: Cell) -> None:
    w.step("Shares", "The classes of the rows of the fit in this line, the last one being all rows of the fit.")
    counts = np.vstack([model.columns_[model.feature_].counts, model.class_counts_])
    proba, known = model.predict_proba(data.table)[rows], labels(model.classes_)
    n = [
        w.given(f"n_{k + 1}", counts[:, k], lines, symbol=f"n_{{{k + 1}}}", label=f"rows of {spelled(name)}")
        for k, name in enumerate(known.tolist())
    ]
    size = w.cell("n", reduce(add, n), symbol="n", label="all")
    best: Expr = expr(0.0)
    class_index: Expr = expr(1.0)
    for k, name in enumerate(known.tolist()):
        share_of_class = lookup(n[k], line) / lookup(size, line)
        share = w.cell(f"p_{k + 1}", share_of_class, symbol=f"p_{{{k + 1}}}", equals=proba[:, k],
                       label=f"probability of {spelled(name)}", attribute="predict_proba(X)", scale=1.0)  # fmt: skip
        class_index = where(share > best, float(k + 1), class_index)
        best = where(share > best, share, best)
    w.step("Answer", "The most probable class, the first of equals.")
    c = w.given("class", known, class_axis(known), symbol="c", label="class")
    at = w.cell("place", class_index, symbol="a", label="place of the class")
    predicted = model.predict(data.table)[rows].tolist()
    expected_labels = np.array([label(name) for name in predicted], dtype=None if known.dtype.kind == "f" else object)
    w.cell("prediction", lookup(c, at), symbol=r"\hat{y}", label="predicted class", equals=expected_labels,
           attribute="predict(X)")  # fmt: skip
