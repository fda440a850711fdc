"""Distances over the columns that two rows share, the nearest donors, and the mean of their values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.base.types import Floats
from pellucid.impute._imputer import numbers_of
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr, expr
from pellucid.working.language import count, equal, nth_smallest, sqrt, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown._gaps import without_gaps

MOST_COLUMNS = 12
MOST_GAPS = 4  # that are worked out where no rows are asked for
MOST_ASKED = 40
MOST_LISTED = 200
MOST_DONORS = 60
LARGEST = 1e150  # squares of larger numbers are infinite


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
        axis = data.row_axis if there.all() else Axis("row", (np.flatnonzero(there) + 1).tolist(), "i", "n")
        x = w.given(f"x_{j + 1}", X[there, j], axis, symbol=f"x_{{{j + 1}}}", label=name)
        w.cell(f"mean_{j + 1}", sum_(x) / count(x), symbol=rf"\bar{{x}}_{{{j + 1}}}", label="mean",
               equals=float(model._means_[j]), attribute="mean", scale=float(np.abs(X[there, j]).max()))  # fmt: skip
    if X.shape[1] > MOST_COLUMNS:
        w.note(f"The last {counted(X.shape[1] - MOST_COLUMNS, 'column')} are not shown.")


def _numbers(model: Any, data: Given) -> Floats:
    inner = numbers_of(model._validate_predict(data.table), model.missing_values)
    return np.asarray(inner.numbers, dtype=np.float64)


@shows("KNNImputer.transform")
def transform(w: Working, model: Any, data: Given) -> None:
    w.title = "Gaps filled by the nearest rows"
    w.intro = "For each gap: the distance to every row that has the column, the nearest of them, and their mean."
    X, filled = (
        _numbers(model, data),
        np.asarray(model._transform(model._validate_predict(data.table)), dtype=np.float64),
    )
    output_index = {int(j): k for k, j in enumerate(model._kept_)}
    missing_cells = [
        Gap(number, i, j, float(filled[i, output_index[j]]))
        for number, (i, j) in enumerate(model._gaps(np.isnan(X)).tolist(), 1)
    ]
    if not missing_cells:
        without_gaps(w, data, X, model._kept_, filled)
        return
    if callable(model.metric) or callable(model.weights):
        w.note("With a given function as metric or weights gaps are not worked out.")
        _others(w, data, missing_cells)
        return
    if max(np.nanmax(np.abs(X), initial=0.0), np.nanmax(np.abs(model._fit_X_), initial=0.0)) > LARGEST:
        w.note("The squares of these numbers are beyond all numbers: gaps are not worked out.")
        _others(w, data, missing_cells)
        return
    requested = [missing for missing in missing_cells if missing.row in data.rows]
    cells_shown = requested[:MOST_ASKED] if requested else missing_cells[:MOST_GAPS]
    for number, missing in enumerate(cells_shown, start=1):
        missing.number = number
        _gap(w, model, data, X, missing)
    remaining = [missing for missing in missing_cells if missing not in cells_shown]
    if remaining:
        summary = (
            f"Of {counted(len(missing_cells), 'gap')} {len(cells_shown)} "
            f"{'is' if len(cells_shown) == 1 else 'are'} worked out"
        )
        w.note(f"{summary}; ask for others by their rows.")
        _others(w, data, remaining)


@dataclass
class Gap:
    """A cell that is filled: its number on the page, row and column, and what the model puts there."""

    number: int
    row: int
    column: int
    filled: float


def _others(w: Working, data: Given, missing_cells: list[Gap]) -> None:
    """Gaps that are listed, not worked out."""
    w.step("Other gaps", "Filled in the same way.")
    listed = missing_cells[:MOST_LISTED]
    axis = Axis("gap", [f"row {missing.row + 1}, {data.names[missing.column]}" for missing in listed], "g", "G")
    w.given("others", np.array([missing.filled for missing in listed]), axis, symbol="z", label="what is filled in")
    if len(missing_cells) > MOST_LISTED:
        w.note(f"The last {counted(len(missing_cells) - MOST_LISTED, 'gap')} are not listed.")


def _gap(w: Working, model: Any, data: Given, X: Floats, gap: Gap) -> None:
    """One gap: distances to the rows that have the column, which of them are nearest, and their mean."""
    fitted, i, j, tag = model._fit_X_, gap.row, gap.column, f"g{gap.number}_"
    rows, apart = model._donors_of(X)(np.array([[i, j]], dtype=np.int64))
    donors = rows[0][rows[0] >= 0]
    have = np.flatnonzero(~np.isnan(fitted[:, j]))
    usable = have[(~np.isnan(fitted[have]) & ~np.isnan(X[i])).any(axis=1)]
    w.step(f"Row {i + 1}, column {data.names[j]}", _words(len(have), len(usable), len(donors)))
    if len(donors) == 0:
        axis = Axis("row", (have + 1).tolist(), "i", "n")
        v = w.given(f"{tag}v", fitted[have, j], axis, symbol="v", label=data.names[j])
        w.cell(f"{tag}z", sum_(v) / count(v), symbol="z", label="mean of the column", equals=gap.filled,
               attribute="transform(X)", scale=float(np.abs(fitted[have, j]).max()), tolerance=1e-6)  # fmt: skip
        return
    if len(usable) > MOST_DONORS:
        order = _distances(X[i], fitted[usable])
        usable = np.sort(usable[np.argsort(order, kind="stable")[: max(MOST_DONORS, len(donors) + 1)]])
        w.note(f"Of more than {MOST_DONORS} rows that have a column the nearest are shown.")
    axis = Axis("row", (usable + 1).tolist(), "i", "n")
    d = _distance(w, model, data, X[i], fitted[usable], axis, tag)
    near = {int(row): float(far) for row, far in zip(donors, apart[0], strict=False)}
    want = np.array([near.get(int(row), np.nan) for row in usable])
    distance_values = np.asarray(d.value)
    w.check(d, np.where(np.isnan(want), distance_values, want), "distances", scale=float(np.nanmax(np.abs(fitted))))
    c = _nearest(w, tag, d, np.isin(usable, donors).astype(float), len(donors))
    v = w.given(f"{tag}v", fitted[usable, j], axis, symbol="v", label=f"{data.names[j]} that it can give")
    u = c
    if model.weights == "distance":
        inverse = where(equal(d, 0), 1, 0) if apart[0][0] == 0 else 1 / d
        u = w.cell(f"{tag}u", where(equal(c, 1), inverse, 0), symbol="u", label="weight: 1 over the distance")
    w.cell(f"{tag}z", sum_(u * v) / sum_(u), symbol="z", label="what is filled in", equals=gap.filled,
           attribute="transform(X)", scale=float(np.abs(fitted[donors, j]).max()), tolerance=1e-6)  # fmt: skip


def _words(have: int, usable: int, n_donors: int) -> str:
    text = f"{counted(have, 'row')} of the fit {'has' if have == 1 else 'have'} the column"
    if n_donors == 0:
        return f"{text}; none of them shares a column with this row."
    less = f", {usable} of them share a column with this row" if usable < have else ""
    return f"{text}{less}. The {n_donors} nearest give the value; among equals the earlier row."


def _distances(x: Floats, table: Floats) -> Floats:
    both = ~np.isnan(table) & ~np.isnan(x)
    squares = np.where(both, (table - x) / max(float(np.nanmax(np.abs(x))), 1e-300), 0.0) ** 2
    return np.asarray(squares.sum(axis=1) / np.maximum(both.sum(axis=1), 1))


def _distance(w: Working, model: Any, data: Given, x: Floats, table: Floats, axis: Axis, tag: str) -> Cell:
    """``sqrt(p / m sum (y - x)²)``  over the m of p columns that both rows have."""
    n_columns = w.given(f"{tag}p", float(len(x)), symbol="p", label="columns in all")
    values = []
    for c in np.flatnonzero(~np.isnan(x)).tolist():
        values.append(
            w.given(f"{tag}x_{c + 1}", float(x[c]), symbol=f"x_{{{c + 1}}}", label=f"{data.names[c]} of this row")
        )
    squares: list[Expr] = []
    shared: list[Expr] = []
    for cell, c in zip(values, np.flatnonzero(~np.isnan(x)).tolist(), strict=True):
        y, is_missing = table[:, c], np.isnan(table[:, c])
        fitted_values = w.given(f"{tag}y_{c + 1}", np.nan_to_num(y), axis, symbol=f"y_{{{c + 1}}}", label=data.names[c])
        if not is_missing.any():
            squares.append((fitted_values - cell) ** 2)
            shared.append(expr(1))
            continue
        has = w.given(f"{tag}h_{c + 1}", (~is_missing).astype(float), axis, symbol=f"h_{{{c + 1}}}",
                      label=f"has {data.names[c]}?")  # fmt: skip
        squares.append(has * (fitted_values - cell) ** 2)
        shared.append(has)
    q = w.cell(f"{tag}q", reduce(add, squares), symbol="q", label="sum of squared differences")
    m: Expr = expr(len(shared))
    if any(isinstance(flag, Cell) for flag in shared):
        m = w.cell(f"{tag}shared", reduce(add, shared), symbol="m", label="columns that both have")
    return w.cell(f"{tag}d", sqrt(n_columns / m * q), symbol="d", label="distance")


def _nearest(w: Working, tag: str, d: Cell, is_donor: Floats, k: int) -> Cell:
    """1 for the rows that are taken."""
    far = np.asarray(d.value)
    outside = far[is_donor == 0]
    if len(outside) and outside.min() <= far[is_donor == 1].max() * (1 + 1e-12):
        w.note("Of rows at the same distance the earlier are taken.")
        return w.given(f"{tag}c", is_donor, d.axis, symbol="c", label="1 for those taken")
    last = w.cell(f"{tag}b", nth_smallest(d, k), symbol="b", label=f"distance at place {k}: the farthest that is taken")
    return w.cell(f"{tag}c", where(d <= last, 1, 0), symbol="c", label="1 for those taken", equals=is_donor,
                  attribute="the donors")  # fmt: skip
