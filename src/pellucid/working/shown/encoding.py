"""Which categories a column has and how often, and each row's number or its zeros and ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.errors import count
from pellucid.base.types import Array
from pellucid.data.coding import EXACT, is_nan
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr
from pellucid.working.language import equal, sum_, where
from pellucid.working.model import Working

MOST_CATEGORIES = 40
MOST_COLUMNS = 12
MISSING, NONE = "(missing)", "(None)"  # as no category is likely to be called


def _alike(values: Array, categories: Array) -> tuple[Array, Array]:
    """A column and its categories as a page can hold them: both as numbers, or both as words."""
    both = [values.tolist(), categories.tolist()]
    if all(_is_plain(value) for listed in both for value in listed):
        return np.array(both[0], dtype=np.float64), np.array(both[1], dtype=np.float64)
    return np.array([_word(v) for v in both[0]], dtype=object), np.array([_word(v) for v in both[1]], dtype=object)


def _is_plain(value: Any) -> bool:
    """A number that a float holds as it is."""
    return (isinstance(value, float) and not is_nan(value)) or (isinstance(value, int) and abs(value) <= EXACT)


def _word(value: Any) -> str:
    """A value as a word; whole numbers are written alike, however they are stored."""
    if value is None:
        return NONE
    if is_nan(value):
        return MISSING
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _columns(w: Working, model: Any, data: Given) -> list[tuple[int, str, Array, Array]]:
    """The columns that fit on a page: number, name, values and categories."""
    d = model._validate_predict(data.table)
    names = d.column_labels()
    if len(names) > MOST_COLUMNS:
        w.note(f"The last {count(len(names) - MOST_COLUMNS, 'column')} of {len(names)} are not shown.")
    listed = range(min(len(names), MOST_COLUMNS))
    return [(j, names[j], *_alike(d.table.column(j), model.categories_[j])) for j in listed]


# ---------------------------------------------------------------------------------------------------------------- fit


@shows("OneHotEncoder.fit", "OrdinalEncoder.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Categories of each column"
    w.intro = "A fit writes down which values a column has. Their order is the order of the new columns or numbers."
    for j, name, values, categories in _columns(w, model, data):
        order = "as they were given" if not isinstance(model.categories, str) else "in ascending order, missing last"
        w.step(f"Column {name}", f"Its distinct values, {order}, each with how often it occurs.")
        x = w.given(f"x_{j + 1}", values, data.row_axis, symbol=f"x_{{{j + 1}}}", label=name)
        _counts(w, model, j, x, categories, data.row_axis)


def _counts(w: Working, model: Any, j: int, x: Cell, categories: Array, rows: Axis) -> None:
    listed = categories[:MOST_CATEGORIES]
    if len(listed) < len(categories):
        w.note(f"The last {len(categories) - len(listed):,} categories of a column are not shown.")
    axis = Axis("category", [_word(category) for category in listed], "k", "K")
    c = w.given(f"c_{j + 1}", listed, axis, symbol=f"c_{{{j + 1}}}", label="category")
    w.check(c, _found_in(model, j, np.asarray(x.value), listed), "categories_")
    w.given(f"k_{j + 1}", np.arange(float(len(listed))), axis, symbol="k", label="its number, counted from 0")
    w.cell(f"m_{j + 1}", sum_(where(equal(x, c), 1, 0), rows), symbol=f"m_{{{j + 1}}}", label="how often")


def _found_in(model: Any, j: int, values: Array, listed: Array) -> Array:
    """The categories found anew: from the column, or as they were given."""
    if not isinstance(model.categories, str):
        return listed
    present = set(values.tolist())
    tail = [word for word in (NONE, MISSING) if word in present]
    numbers = values.dtype.kind == "O" and all(
        isinstance(value, int | float) for value in model.categories_[j].tolist()
    )
    categories = sorted(present.difference(tail), key=float if numbers else None)
    return np.array([*categories, *tail], dtype=values.dtype)[: len(listed)]


# ---------------------------------------------------------------------------------------------------------- transform


@shows("OrdinalEncoder.transform")
def ordinal(w: Working, model: Any, data: Given) -> None:
    w.title = "The number of each row's category"
    w.intro = "Each value is replaced by the position of its category, counted from 0."
    transformed = np.asarray(model.transform(data.table), dtype=np.float64)
    for j, name, values, categories in _columns(w, model, data):
        w.step(
            f"Column {name}", "The position of the row's category; missing and unknown values have their own number."
        )
        x = w.given(f"x_{j + 1}", values, data.row_axis, symbol=f"x_{{{j + 1}}}", label=name)
        if np.isnan(transformed[:, j]).any() or len(categories) > MOST_CATEGORIES:
            w.note("Where a number is NaN, or there are many categories, the numbers are listed without their formula.")
            codes_shown = np.array([_word(value) for value in transformed[:, j].tolist()], dtype=object)
            w.given(f"z_{j + 1}", codes_shown, data.row_axis, symbol=f"z_{{{j + 1}}}", label="number")
            continue
        axis = Axis("category", [_word(category) for category in categories], "k", "K")
        c = w.given(f"c_{j + 1}", categories, axis, symbol=f"c_{{{j + 1}}}", label="category")
        k = w.given(f"k_{j + 1}", _numbers(model, j), axis, symbol=f"k_{{{j + 1}}}", label="its number")
        own_code = where(equal(x, c), k, 0)
        formula: Expr = sum_(own_code, axis)
        if model.unknown_value is not None:
            formula = where(sum_(where(equal(x, c), 1, 0), axis) > 0, formula, float(model.unknown_value))
        w.cell(
            f"z_{j + 1}", formula, symbol=f"z_{{{j + 1}}}", label="number", equals=transformed[:, j],
            attribute="transform(X)",
        )  # fmt: skip


def _numbers(model: Any, j: int) -> Array:
    numbers = np.arange(float(len(model.categories_[j])))
    if is_nan(model.categories_[j][-1]):
        numbers[-1] = model.encoded_missing_value
    return numbers


@shows("OneHotEncoder.transform")
def one_hot(w: Working, model: Any, data: Given) -> None:
    w.title = "Zeros and ones of each row"
    w.intro = "Each new column belongs to one category: 1 where the row has it, else 0."
    plain = model._transform(model._validate_predict(data.table))
    starts = np.cumsum([0, *model._widths()])
    for j, name, values, categories in _columns(w, model, data):
        w.step(f"Column {name}", "One new column for each category that is not left out.")
        x = w.given(f"x_{j + 1}", values, data.row_axis, symbol=f"x_{{{j + 1}}}", label=name)
        width = int(starts[j + 1] - starts[j])
        listed = min(width, MOST_CATEGORIES // min(len(starts) - 1, MOST_COLUMNS) or 1)
        if listed < width:
            w.note(f"Of the {width:,} new columns of {name} the last {width - listed:,} are not shown.")
        columns = plain[:, starts[j] : starts[j] + listed]
        columns = np.asarray(columns.toarray() if hasattr(columns, "toarray") else columns, dtype=np.float64)
        for column_index in range(listed):
            _indicator(w, model, j, column_index, x, categories, columns[:, column_index])


def _indicator(w: Working, model: Any, j: int, column_index: int, x: Cell, categories: Array, expected: Array) -> None:
    """One new column: is the row's value one of the categories of its group?"""
    groups, dropped = model._groups_[j], model._dropped_[j]
    group = column_index + (dropped is not None and column_index >= dropped)
    members = categories[groups.of == group]
    title = "rare categories" if groups.rare is not None and group == groups.size - 1 else _word(members[0])
    symbol = f"z_{{{j + 1},{column_index + 1}}}"
    if len(members) > 1 or (title == "rare categories"):
        w.given(f"z_{j + 1}_{column_index + 1}", expected, x.axis, symbol=symbol, label=title)
        return
    category = float(members[0]) if categories.dtype.kind == "f" else str(members[0])
    w.cell(
        f"z_{j + 1}_{column_index + 1}", where(equal(x, category), 1, 0), symbol=symbol, label=title, equals=expected,
        attribute="transform(X)",
    )  # fmt: skip
