"""How many rows are near, and whether that is too few."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

import numpy as np

from pellucid.base.types import Floats
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr
from pellucid.working.language import absolute, sqrt, sum_, where
from pellucid.working.model import Working

MOST_ROWS = 24  # that are compared one by one
MOST_ASKED = 6
MOST_COLUMNS = 6
LARGEST = 1e140


def _known(model: Any) -> Floats:
    source = model.index_.source
    return np.asarray(source.toarray() if hasattr(source, "toarray") else source, dtype=np.float64)


def _plain(model: Any, X: Floats) -> bool:
    kind = model.index_.metric
    simple = kind.stretch is None and kind.turn is None and kind.kind in ("euclidean", "manhattan")
    return bool(simple and X.shape[1] <= MOST_COLUMNS and np.abs(X).max() < LARGEST)


def _distance(model: Any, x: list[Cell], row_values: list[Cell]) -> Expr:
    if model.index_.metric.kind == "manhattan":
        return reduce(add, [absolute(x[j] - row_values[j]) for j in range(len(x))])
    return sqrt(reduce(add, [(x[j] - row_values[j]) ** 2 for j in range(len(x))]))


def _near(w: Working, model: Any, x: list[Cell], row: Floats, i: int, radius: Cell, names: list[str],
          expected: int) -> Cell:  # fmt: skip
    """How many of the rows lie within the radius of one row: counted, or given where rounding decides."""
    row_values = [w.given(f"own_{j + 1}_{i}", float(row[j]), symbol=f"a_{{{j + 1}}}", label=f"its {names[j]}")
           for j in range(len(row))]  # fmt: skip
    d = w.cell(f"d_{i}", _distance(model, x, row_values), symbol="d", label="distance")
    close = np.abs(np.asarray(d.value) - float(radius.value)) < 1e-9 * float(radius.value)
    if close.any() and int((np.asarray(d.value) <= float(radius.value)).sum()) != expected:
        w.note("A row lies at the radius but for rounding: the model's count is given.")
        return w.given(f"within_{i}", float(expected), symbol="m", label="rows within the radius, itself among them")
    return w.cell(
        f"within_{i}", sum_(where(d <= radius, 1, 0)), symbol="m", label="rows within the radius, itself among them",
        equals=float(expected), attribute="counts_ + 1",
    )  # fmt: skip


@shows("DistanceOutliers.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Outliers by distance: the fit"
    w.intro = "A row is an outlier if no more than a small share of all rows lies within a radius of it."
    n = len(data.X)
    x = _begin(w, data.X, data.row_axis, data.names)
    radius = w.given("radius", float(model.radius), symbol="r", label="radius")
    share = w.given("share", float(model.share), symbol=r"\pi", label="share")
    rows_shown = list(range(n)) if n <= MOST_ROWS else sorted({*data.rows, *range(3)})[:MOST_ROWS]
    if not _plain(model, data.X):
        w.note(f"Distances other than Euclid's and Manhattan's, or over more than {MOST_COLUMNS} columns, are given.")
    else:
        if len(rows_shown) < n:
            w.note(f"Of {n:,} rows {len(rows_shown)} are compared one by one; the counts of the others are given.")
        for i in rows_shown:
            w.step(f"Row {i + 1}", "Its distance to every row.")
            _near(w, model, x, data.X[i], i, radius, data.names, int(model.counts_[i]) + 1)
    w.step("Counts", "The other rows within the radius, and their share in all rows.")
    counts = w.given("count", model.counts_.astype(np.float64), data.row_axis, symbol="m", label="other rows near it")
    w.check(counts, model.counts_, "counts_")
    fitted_rows = _known(model)
    for j, column in enumerate(x):
        w.check(column, fitted_rows[:, j], "rows of the fit")
    rows = w.given("rows", float(n), symbol="n", label="rows")
    shares = w.cell("shares", counts / rows, symbol="s", label="share near it", equals=model.shares_,
                    attribute="shares_")  # fmt: skip
    w.cell("outlier", where(shares <= share, 1, 0), symbol="o", label="outlier?",
           equals=(model.regions_ >= 0).astype(float), attribute="fit_predict(X)")  # fmt: skip
    region = w.given("region", model.regions_ + 1.0, data.row_axis, symbol="g",
                     label="region of outliers within the radius of each other, from 1; 0 for none")  # fmt: skip
    w.check(region, model.regions_ + 1.0, "regions_ + 1")


def _begin(w: Working, X: Floats, axis: Axis, names: list[str]) -> list[Cell]:
    w.step("Data", "The columns of the fitted table.")
    return [w.given(f"x_{j + 1}", X[:, j], axis, symbol=f"x_{{{j + 1}}}", label=names[j])
            for j in range(min(X.shape[1], MOST_COLUMNS))]  # fmt: skip


@shows("DistanceOutliers.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    w.title = "Outliers by distance: new rows"
    w.intro = "How many of the fitted rows lie within the radius; one that coincides with the row does not count."
    fitted_rows = _known(model)
    x = _begin(w, fitted_rows, Axis("fitted row", range(1, len(fitted_rows) + 1), "f", "n"), data.names)
    radius = w.given("radius", float(model.radius), symbol="r", label="radius")
    share = w.given("share", float(model.share), symbol=r"\pi", label="share")
    rows = w.given("rows", float(len(fitted_rows)), symbol="n", label="fitted rows")
    scores = model._scores(model._validate_predict(data.table))
    row_indices = data.rows[:MOST_ROWS] if data.rows else list(range(min(len(data.X), MOST_ASKED)))
    for i in row_indices:
        w.step(f"Row {i}", f"Row {i}, counted from 0, against the fitted rows.")
        n_within = round(float(scores[i]) * len(fitted_rows))
        same = 1.0 if (fitted_rows == data.X[i]).all(axis=1).any() else 0.0
        if _plain(model, fitted_rows):
            within = _near(w, model, x, data.X[i], i, radius, data.names, n_within + int(same))
        else:
            within = w.given(
                f"within_{i}", float(n_within) + same, symbol="m", label="rows within the radius, as found"
            )
        double = w.given(f"double_{i}", same, symbol="e", label="does one coincide with it?")
        s = w.cell(f"share_{i}", (within - double) / rows, symbol="s", label="share near it",
                   equals=float(scores[i]), attribute="score_samples(X)")  # fmt: skip
        w.cell(f"outlier_{i}", where(s <= share, -1, 1), symbol="o", label="-1 for an outlier",
               equals=-1.0 if scores[i] < model.offset_ else 1.0, attribute="predict(X)")  # fmt: skip
