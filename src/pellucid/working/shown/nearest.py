"""Distances over the columns that two rows share, the nearest donors, and the mean of their values."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.base.types import Floats
from pellucid.impute._imputer import numbers_of
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis
from pellucid.working.language import count, equal, sqrt, total, where
from pellucid.working.model import Working

MOST_COLUMNS = 12
MOST_GAPS = 4
MOST_DONORS = 40


@shows("KNNImputer.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "What a nearest-row imputer keeps"
    w.intro = "The table itself: its rows are the donors. Of each column the mean is kept for rows that share nothing."
    X = _numbers(model, data)
    for j in range(min(X.shape[1], MOST_COLUMNS)):
        name = data.names[j]
        w.step(f"Column {name}", "The values that can be given, and their mean.")
        there = ~np.isnan(X[:, j])
        if not there.any():
            w.note(f"Column {name} has no values.")
            continue
        axis = (
            data.row_axis if there.all() else Axis(f"row with {name}", (np.flatnonzero(there) + 1).tolist(), "i", "n")
        )
        x = w.given(f"x_{j + 1}", X[there, j], axis, symbol=f"x_{{{j + 1}}}", label=name)
        w.cell(f"mean_{j + 1}", total(x) / count(x), symbol=rf"\bar{{x}}_{{{j + 1}}}", label="mean",
               equals=float(model._means_[j]), attribute="mean", scale=float(np.abs(X[there, j]).max()))  # fmt: skip
    if X.shape[1] > MOST_COLUMNS:
        w.note(f"The last {counted(X.shape[1] - MOST_COLUMNS, 'column')} are not shown.")


def _numbers(model: Any, data: Given) -> Floats:
    inner = numbers_of(model._later(data.table), model.missing_values)
    return np.asarray(inner.numbers, dtype=np.float64)


@shows("KNNImputer.transform")
def transform(w: Working, model: Any, data: Given) -> None:
    w.title = "Gaps filled by the nearest rows"
    w.intro = "For each gap: the distance to every row that has the column, the nearest of them, and their mean."
    X, found = _numbers(model, data), np.asarray(model._transform(model._later(data.table)))
    gaps = model._gaps(np.isnan(X))
    _table(w, data, X, found, model)
    asked = [g for g in gaps.tolist() if g[0] in data.rows]
    shown = (asked + [g for g in gaps.tolist() if g not in asked])[:MOST_GAPS]
    if len(gaps) > len(shown):
        w.note(f"Of {counted(len(gaps), 'gap')} {len(shown)} are worked out; the others are not shown.")
    if callable(model.metric) or callable(model.weights):
        w.note("With a given function as metric or weights gaps are not worked out.")
        return
    place = {int(j): k for k, j in enumerate(model._kept_)}
    for number, (i, j) in enumerate(shown, start=1):
        _gap(w, model, X, number, i, j, float(found[i, place[j]]), data)


def _table(w: Working, data: Given, X: Floats, found: Any, model: Any) -> None:
    w.step("Table", "The columns with their gaps filled; where nothing is missing they stay.")
    place = {int(j): k for k, j in enumerate(model._kept_)}
    for j in range(min(X.shape[1], MOST_COLUMNS)):
        if j not in place:
            continue
        m = w.given(f"m_{j + 1}", np.isnan(X[:, j]).astype(float), data.row_axis, symbol=f"m_{{{j + 1}}}",
                    label=f"1 where {data.names[j]} is missing")  # fmt: skip
        x = w.given(f"x_{j + 1}", np.nan_to_num(X[:, j]), data.row_axis, symbol=f"x_{{{j + 1}}}", label=data.names[j])
        after = found[:, place[j]].astype(float)
        filled = np.where(np.isnan(X[:, j]), after, 0.0)
        f = w.given(f"f_{j + 1}", filled, data.row_axis, symbol=f"f_{{{j + 1}}}", label="what is filled in")
        w.cell(f"z_{j + 1}", where(equal(m, 1), f, x), symbol=f"z_{{{j + 1}}}", label=f"{data.names[j]}, filled",
               equals=after, attribute="transform(X)", scale=float(np.abs(after).max(initial=0)))  # fmt: skip


def _gap(w: Working, model: Any, X: Floats, number: int, i: int, j: int, want: float, data: Given) -> None:
    """One gap: distances to those donors that matter, and the mean."""
    fitted = model._fit_X_
    rows, apart = model._donors_of(X)(np.array([[i, j]], dtype=np.int64))
    chosen = rows[0][rows[0] >= 0]
    w.step(f"Row {i + 1}, column {data.names[j]}", _words(model, fitted, j, len(chosen)))
    if len(chosen) == 0:
        w.given(
            f"g{number}_v", want, symbol=f"v_{{{number}}}", label="mean of the column: no row shares a column with it"
        )
        return
    if len(chosen) > MOST_DONORS:
        w.note(f"Gaps with more than {MOST_DONORS} donors are not worked out.")
        return
    axis = Axis(f"donor {number}", (chosen + 1).tolist(), "d", "k")
    own = np.flatnonzero(~np.isnan(X[i]))
    squares: Any = None
    shared: Any = None
    for c in own.tolist():
        y = fitted[chosen, c]
        have = w.given(f"g{number}_h_{c + 1}", (~np.isnan(y)).astype(float), axis, symbol=f"h_{{{c + 1}}}",
                       label=f"1 if it has {data.names[c]}")  # fmt: skip
        value = w.given(f"g{number}_y_{c + 1}", np.nan_to_num(y), axis, symbol=f"y_{{{c + 1}}}", label=data.names[c])
        term = have * (value - float(X[i, c])) ** 2
        squares = term if squares is None else squares + term
        shared = have if shared is None else shared + have
    q = w.cell(f"g{number}_q", squares, symbol="q", label="sum of squared differences")
    m = w.cell(f"g{number}_shared", shared, symbol="m", label="columns that both have")
    d = w.cell(f"g{number}_d", sqrt(q * float(X.shape[1]) / m), symbol="d", label="distance",
               equals=apart[0][: len(chosen)],
               attribute="distances", scale=float(np.nanmax(np.abs(fitted))))  # fmt: skip
    v = w.given(f"g{number}_v", fitted[chosen, j], axis, symbol="v", label=f"{data.names[j]} of the donor")
    options: dict[str, Any] = {"symbol": "z", "label": "what is filled in", "equals": want, "attribute": "transform(X)",
               "scale": float(np.abs(fitted[chosen, j]).max()), "tolerance": 1e-6}  # fmt: skip
    if model.weights != "distance":
        w.cell(f"g{number}_z", total(v) / count(v), **options)
        return
    nearest = float(apart[0][0])
    weight = where(equal(d, 0), 1, 0) if nearest == 0 else 1 / d
    u = w.cell(f"g{number}_u", weight, symbol="u", label="weight")
    w.cell(f"g{number}_z", total(u * v) / total(u), **options)


def _words(model: Any, fitted: Floats, j: int, chosen: int) -> str:
    donors = int((~np.isnan(fitted[:, j])).sum())
    return f"Of {counted(donors, 'row')} that have the column the {chosen} nearest; the earlier row first among equals."
