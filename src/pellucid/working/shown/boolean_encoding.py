"""Which of a column's two values becomes 1, and each row's zero or one."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.errors import count
from pellucid.base.types import Array
from pellucid.data.kinds import is_missing
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis
from pellucid.working.language import equal, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown.encoding import MOST_COLUMNS, _alike, _word


def _columns(w: Working, model: Any, data: Given) -> list[tuple[int, str, Array]]:
    d = model._validate_predict(data.table)
    names = d.column_labels()
    if len(names) > MOST_COLUMNS:
        w.note(f"The last {count(len(names) - MOST_COLUMNS, 'column')} of {len(names)} are not shown.")
    return [(j, names[j], d.table.column(j)) for j in range(min(len(names), MOST_COLUMNS))]


def _pair(model: Any, j: int, values: Array) -> tuple[Array, Array] | None:
    """A column and its two values as a page can hold them; None for a column that is kept as it is."""
    value_pair = model.categories_[j]
    if value_pair is None:
        return None
    there = np.array([value for value in value_pair.tolist() if value is not None], dtype=value_pair.dtype)
    return _alike(values, there)


@shows("BooleanEncoder.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Columns of two values"
    w.intro = "A fit finds the two values of each column, and says which of them is 1."
    columns = _columns(w, model, data)
    axis = Axis("column", [name for _, name, _ in columns], "j", "p")
    w.step("Columns", "How many values each column has; one of more than two is no column of yes and no.")
    sizes = [len({value for value in values.tolist() if not is_missing(value)}) for _, _, values in columns]
    d = w.given("d", np.array(sizes, dtype=np.float64), axis, symbol="d", label="different values")
    is_coded = [float(model.categories_[j] is not None) for j, _, _ in columns]
    w.cell("coded", where(d <= 2, 1, 0), symbol="b", label="0 and 1?", equals=is_coded, attribute="categories_")
    for j, name, values in columns:
        pair = _pair(model, j, values)
        if pair is None or not len(pair[1]):
            continue
        w.step(f"Column {name}", "Its values, what each becomes, and how often it occurs.")
        x = w.given(f"x_{j + 1}", pair[0], data.row_axis, symbol=f"x_{{{j + 1}}}", label=name)
        value_pair = model.categories_[j].tolist()
        codes = [float(code) for code, value in enumerate(value_pair) if value is not None]
        listed = Axis("value", [_word(one) for one in pair[1]], "k", "K")
        c = w.given(f"c_{j + 1}", pair[1], listed, symbol=f"c_{{{j + 1}}}", label="value")
        w.given(f"k_{j + 1}", np.array(codes), listed, symbol=f"k_{{{j + 1}}}", label="becomes")
        w.cell(f"m_{j + 1}", sum_(where(equal(x, c), 1, 0), data.row_axis), symbol=f"m_{{{j + 1}}}", label="how often")


@shows("BooleanEncoder.transform")
def transform(w: Working, model: Any, data: Given) -> None:
    w.title = "Zeros and ones"
    w.intro = "1 where a row has the value that means true, 0 where it has the other."
    transformed = np.asarray(model._transform(model._validate_predict(data.table)), dtype=np.float64)
    for j, name, values in _columns(w, model, data):
        pair, column = _pair(model, j, values), transformed[:, j]
        w.step(f"Column {name}", "Kept as it is." if pair is None else "Is it the value that means true?")
        true = model.true_values_[j]
        if pair is None or np.isnan(column).any() or true is None:
            w.note("Columns that are kept, and those with missing values, are listed without a formula.")
            cell_values = column if not np.isnan(column).any() else objects_of(column)
            w.given(f"z_{j + 1}", cell_values, data.row_axis, symbol=f"z_{{{j + 1}}}", label=name)
            continue
        x = w.given(f"x_{j + 1}", pair[0], data.row_axis, symbol=f"x_{{{j + 1}}}", label=name)
        true_value = float(true) if pair[1].dtype.kind == "f" else _word(true)
        w.cell(
            f"z_{j + 1}", where(equal(x, true_value), 1, 0), symbol=f"z_{{{j + 1}}}", label=f"is it {_word(true)}?",
            equals=column, attribute="transform(X)",
        )  # fmt: skip


def objects_of(column: Array) -> Array:
    """Numbers as words, for a column in which some are missing."""
    return np.array([_word(value) for value in column.tolist()], dtype=object)
