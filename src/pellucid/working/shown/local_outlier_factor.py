"""How local outlier factors come about: k-distances, reachability, densities, factors."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

import numpy as np

from pellucid.base.types import Array, Floats
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr
from pellucid.working.language import absolute, count, lookup, max_, mean, sqrt, sum_, where
from pellucid.working.model import Working

MOST_ROWS = 12  # whose neighbors are laid out
MOST_ASKED = 6
MOST_COLUMNS = 6
LARGEST = 1e140


def _known(model: Any) -> Floats:
    """The fitted rows."""
    source = model.index_.source
    return np.asarray(source.toarray() if hasattr(source, "toarray") else source, dtype=np.float64)


@shows("LocalOutlierFactor.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Local outlier factors: the fit"
    w.intro = "How dense it is around every row, compared with how dense it is around its neighbors."
    starts, distances, rows = model._near(None)
    w.step("Data", "The columns of the table.")
    p = min(len(data.names), MOST_COLUMNS)
    x = [w.given(f"x_{j + 1}", data.X[:, j], data.row_axis, symbol=f"x_{{{j + 1}}}", label=data.names[j])
         for j in range(p)]  # fmt: skip
    n = len(data.X)
    rows_shown = list(range(n)) if n <= MOST_ROWS else sorted({*data.rows, *range(2)})[:MOST_ROWS]
    if len(rows_shown) < n:
        w.note(f"The neighbors of {len(rows_shown)} of {n:,} rows are laid out; densities of the others are given.")
    w.step("k-distances", f"How far the {model.n_neighbors_}. neighbor of every row is.")
    kd = w.given("k_distance", model.k_distance_, data.row_axis, symbol="k", label="distance to the k-th neighbor")
    w.check(kd, model.k_distance_, "k_distance_")
    fitted_rows = _known(model)
    for j in range(p):
        w.check(x[j], fitted_rows[:, j], "rows of the fit")
    lrd = w.given("density", model.local_reachability_density_, data.row_axis, symbol=r"\rho",
                  label="local reachability density (see below)")  # fmt: skip
    w.check(lrd, model.local_reachability_density_, "local_reachability_density_")
    for i in rows_shown:
        near = slice(int(starts[i]), int(starts[i + 1]))
        _one_row(w, model, data, (x, kd, lrd), i, rows[near], distances[near])
    w.step("Factors", "All of them; beyond the limit a row is an outlier.")
    f = w.given("factor", -model.negative_outlier_factor_, data.row_axis, symbol=r"\text{LOF}", label="factor")
    w.check(f, -model.negative_outlier_factor_, "-negative_outlier_factor_")
    limit = w.given("limit", float(-model.offset_), symbol="t", label="limit")
    w.check(limit, -model.offset_, "-offset_")
    beyond = (model.negative_outlier_factor_ < model.offset_).astype(float)
    w.cell("outlier", where(f > limit, 1, 0), symbol="o", label="outlier?", equals=beyond, attribute="fit_predict(X)")


def _one_row(w: Working, model: Any, data: Given, fitted: tuple[list[Cell], Cell, Cell], i: int, rows: Array,
             expected_distances: Floats, score: float | None = None) -> None:  # fmt: skip
    """Neighbors, reachability, density and factor of one row: a fitted one, or a new one with its score."""
    own_row = score is None
    columns, kd, lrd = fitted
    axis = Axis("neighbor", range(1, len(rows) + 1), "b", "m")
    label = f"Row {i + 1}" if own_row else f"Row {i}"
    w.step(label, "Its neighbors; the reachability distance of each is at least that neighbor's k-distance.")
    neighbor = w.given(f"b_{i}", rows.astype(np.float64) + 1, axis, symbol="b", label="neighbor's row, from 1")
    d = _distances(w, model, data, columns, i, neighbor, expected_distances, axis)
    if own_row:
        w.cell(f"kd_{i}", max_(d), symbol="k_i", label="its own k-distance", equals=float(model.k_distance_[i]),
               attribute=f"k_distance_[{i}]", tolerance=1e-5)  # fmt: skip
    theirs = w.cell(f"kd_b_{i}", lookup(kd, neighbor), symbol="k_b", label="k-distance of the neighbor")
    reach = w.cell(f"reach_{i}", where(theirs > d, theirs, d), symbol="r", label="reachability distance")
    average = w.cell(f"mean_{i}", sum_(reach) / count(reach), symbol=r"\bar{r}", label="their mean")
    if not float(average.value) > 1e-9 * float(model.k_distance_.max()):
        w.note("Where k rows coincide the mean reachability counts as 1e-10 of the largest k-distance.")
        return
    check: dict[str, Any] = {}
    if own_row:
        check = {"equals": float(model.local_reachability_density_[i]), "tolerance": 1e-5,
                  "attribute": f"local_reachability_density_[{i}]"}  # fmt: skip
    density = w.cell(f"lrd_{i}", 1 / average, symbol=r"\rho_i", label="local reachability density", **check)
    dense = w.cell(f"lrd_b_{i}", lookup(lrd, neighbor), symbol=r"\rho_b", label="density of the neighbor")
    ratio = w.cell(f"ratio_{i}", dense / density, symbol="q", label="over its own")
    factor = -model.negative_outlier_factor_[i] if score is None else -score
    w.cell(f"lof_{i}", mean(ratio), symbol=r"\text{LOF}", label="local outlier factor", equals=float(factor),
           attribute=f"-negative_outlier_factor_[{i}]" if own_row else "-score_samples(X)", tolerance=1e-5)  # fmt: skip


def _distances(w: Working, model: Any, data: Given, columns: list[Cell], i: int, neighbor: Cell, expected: Floats,
               axis: Axis) -> Cell:  # fmt: skip
    """Laid out for the plain distances of few columns, else given."""
    kind = model.index_.metric
    plain = kind.stretch is None and kind.turn is None and kind.kind in ("euclidean", "manhattan")
    if not plain or len(data.names) > MOST_COLUMNS or not np.abs(data.X).max() < LARGEST:
        w.note(f"Distances other than Euclid's and Manhattan's, or over more than {MOST_COLUMNS} columns, are given.")
        return w.given(f"d_{i}", expected, axis, symbol="d", label="distance")
    row_values = [w.given(f"own_{j + 1}_{i}", float(data.X[i, j]), symbol=f"a_{{{j + 1}}}",
           label=f"its {data.names[j]}")
           for j in range(len(data.names))]  # fmt: skip
    apart: list[Expr] = [row_values[j] - lookup(columns[j], neighbor) for j in range(len(row_values))]
    if kind.kind == "manhattan":
        formula: Expr = reduce(add, [absolute(a) for a in apart])
    else:
        formula = sqrt(reduce(add, [a**2 for a in apart]))
    return w.cell(f"d_{i}", formula, symbol="d", label="distance", equals=expected, attribute="the search",
                  tolerance=1e-5, scale=float(np.abs(data.X).max()) * 1e-6)  # fmt: skip


@shows("LocalOutlierFactor.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    w.title = "Local outlier factors of new rows"
    w.intro = "Every new row among the fitted ones; new rows are not neighbors of each other."
    fitted_rows = _known(model)
    starts, distances, rows = model._near(model._validate_predict(data.table))
    axis = Axis("fitted row", range(1, len(fitted_rows) + 1), "f", "n")
    w.step("Fitted rows", "Their columns, k-distances and densities.")
    columns = [w.given(f"x_{j + 1}", fitted_rows[:, j], axis, symbol=f"x_{{{j + 1}}}", label=data.names[j])
               for j in range(min(len(data.names), MOST_COLUMNS))]  # fmt: skip
    kd = w.given("k_distance", model.k_distance_, axis, symbol="k", label="distance to the k-th neighbor")
    lrd = w.given("density", model.local_reachability_density_, axis, symbol=r"\rho", label="density")
    w.check(kd, model.k_distance_, "k_distance_")
    scores = model._scores(model._validate_predict(data.table))
    row_indices = data.rows[:MOST_ROWS] if data.rows else list(range(min(len(data.X), MOST_ASKED)))
    for i in row_indices:
        near = slice(int(starts[i]), int(starts[i + 1]))
        _one_row(w, model, data, (columns, kd, lrd), i, rows[near], distances[near], score=float(scores[i]))
