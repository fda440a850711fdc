"""The value that fills a column, and the column filled."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.data.kinds import is_missing
from pellucid.impute._columns import Column
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Cell
from pellucid.working.language import absolute, count, median, mode, sqrt, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown._gaps import as_cells, columns_of, filled_column, most_frequent, present_cell

_WORDS = {
    "mean": "The sum of the values that are there, over their number.",
    "median": "The middle one of the values that are there, or the mean of the middle two.",
    "most_frequent": "The value that occurs most often, the smallest of equally frequent ones.",
    "constant": "A given constant.",
}


@shows("SimpleImputer.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "The value that fills each column"
    w.intro = "Rows in which a column is missing are left out of its figures."
    for j, name, column in columns_of(w, model, data):
        how = model.strategies_[j]
        w.step(f"Column {name}", _WORDS.get(how, "What a given function makes of the values."))
        if len(column.present) == 0:
            w.note(f"Column {name} has no values.")
            continue
        x = present_cell(w, j, name, column, data.row_axis)
        if model.strategy == "auto" and column.is_number:
            _choice(w, j, x, how, model.skew_limit)
        _statistic(w, model, j, column, x, how)


def _choice(w: Working, j: int, x: Cell, how: str, limit: float) -> None:
    """The skewness, which decides between mean and median."""
    tag, mark = f"_{j + 1}", f"_{{{j + 1}}}"
    n = w.cell(f"n{tag}", count(x), symbol=f"n{mark}", label="number of values")
    m = w.cell(f"mean{tag}", sum_(x) / n, symbol=f"m{mark}", label="mean")
    d = w.cell(f"d{tag}", x - m, symbol=f"d{mark}", label="distance from the mean")
    m2 = w.cell(f"m2{tag}", sum_(d**2) / n, symbol=f"v{mark}", label="mean square")
    m3 = w.cell(f"m3{tag}", sum_(d**3) / n, symbol=f"c{mark}", label="mean cube")
    if not np.ptp(x.value):
        w.note(f"Column {x.label} is constant: it is not skewed.")
        return
    g = w.cell(f"skew{tag}", m3 / (m2 * sqrt(m2)), symbol=f"g{mark}", label="skewness")
    top = w.given(f"limit{tag}", float(limit), symbol="l", label="limit of its absolute value")
    near = abs(abs(float(g.value)) - limit) <= 1e-9
    w.cell(f"skewed{tag}", where(absolute(g) > top, 1, 0), symbol=f"h{mark}",
           label="1: skewed, the median; 0: the mean", equals=None if near else float(how == "median"),
           attribute="strategies_")  # fmt: skip


def _statistic(w: Working, model: Any, j: int, column: Column, x: Cell, how: Any) -> None:
    value = model.statistics_[j]
    options: dict[str, Any] = {
        "symbol": f"s_{{{j + 1}}}",
        "label": "what is filled in",
        "attribute": f"statistics_[{j}]",
    }
    words = not isinstance(x.value, np.ndarray) or x.value.dtype.kind == "O"
    plain = all(isinstance(one, str) for one in column.present.tolist())
    if words and how == "most_frequent" and plain:
        most_frequent(w, f"{j + 1}", x, options["label"], str(value), options["attribute"])
        return
    if how == "constant" or callable(how) or words:
        shown = w.given(f"s_{j + 1}", as_cells(np.array([value], dtype=object))[0], symbol=options["symbol"],
                        label=options["label"])  # fmt: skip
        again = _again(model, column, how)
        w.check(shown, as_cells(np.array([again], dtype=object))[0], options["attribute"])
        return
    formula = {"mean": lambda: sum_(x) / count(x), "median": lambda: median(x), "most_frequent": lambda: mode(x)}[how]()
    scale = float(np.abs(x.value).max())
    w.cell(f"s_{j + 1}", formula, equals=float(value), scale=scale, **options)


def _again(model: Any, column: Column, how: Any) -> Any:
    """The value worked out anew where the language has no formula for it."""
    listed = column.present.tolist()
    if callable(how):
        return float(how(column.numbers))
    if how == "constant":
        default = 0 if column.is_number or column.values.dtype.kind in "biuf" else "missing_value"
        return default if model.fill_value is None else model.fill_value
    often = {value: listed.count(value) for value in set(listed)} if len(listed) < 5000 else _counted(listed)
    most = max(often.values())
    return min((value for value, n in often.items() if n == most), key=lambda v: (str(type(v)), v))


def _counted(listed: list[Any]) -> dict[Any, int]:
    found: dict[Any, int] = {}
    for value in listed:
        found[value] = found.get(value, 0) + 1
    return found


@shows("SimpleImputer.transform")
def transform(w: Working, model: Any, data: Given) -> None:
    w.title = "Columns with their gaps filled"
    w.intro = "A missing value is replaced by its column's value from the fit; all others stay."
    found = model._transform(model._validate_predict(data.table))
    found = np.asarray(found.toarray() if hasattr(found, "toarray") else found)
    place = {int(j): k for k, j in enumerate(model._kept_)}
    for j, name, column in columns_of(w, model, data):
        if j not in place:
            w.note(f"Column {name} had no values in the fit and is dropped.")
            continue
        w.step(f"Column {name}", "Its values, its value from the fit, and what becomes of both.")
        value = model.statistics_[j]
        shown = as_cells(np.array([0.0 if is_missing(value) else value], dtype=object))[0]
        if column.kind not in ("number", "flag") or not isinstance(shown, float):
            shown = str(value)
        s = w.given(f"s_{j + 1}", shown, symbol=f"s_{{{j + 1}}}", label="what is filled in")
        filled_column(w, j, name, column, data.row_axis, found[:, place[j]], s)
