"""How centers wander, pass by pass, and how rows find their nearest one."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.base.types import Floats
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr, WorkingError, expr
from pellucid.working.language import arg_min, equal, lookup, min_, sqrt, sum_, where
from pellucid.working.model import Working

MOST_COLUMNS = 6
MOST_CENTERS = 6
MOST_PASSES = 6  # that are laid out
MOST_ASKED = 6
MOST_LISTED = 40
LARGEST = 1e140


def _center_axis(k: int) -> Axis:
    return Axis("center", range(1, k + 1), "c", "k")


@shows("KMeans.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "k-means: the fit"
    w.intro = "Rows go to their nearest center, centers to the mean of their rows, until nothing changes."
    k, p = model.cluster_centers_.shape
    path = _path(data, k)
    if k > MOST_CENTERS or p > MOST_COLUMNS or not np.abs(data.X).max() < LARGEST:
        _as_found(w, model, data, path)
        return
    w.step("Data", "The columns of the table.")
    x = [w.given(f"x_{j + 1}", data.X[:, j], data.row_axis, symbol=f"x_{{{j + 1}}}", label=name)
         for j, name in enumerate(data.names)]  # fmt: skip
    weight = None
    if data.weight is not None:
        weight = w.given("weight", data.weight, data.row_axis, symbol="w", label="weight")
    passes_shown = list(range(len(path)))
    if len(path) > MOST_PASSES:
        passes_shown = [*range(MOST_PASSES - 1), len(path) - 1]
        w.note(f"Of {len(path)} passes the first {MOST_PASSES - 1} and the last are laid out.")
    for number in passes_shown:
        _one_pass(w, data, x, weight, path, number)
    _passes(w, model, data)
    _end(w, model, data, x, weight)


def _path(data: Given, k: int) -> Floats:
    """Centers before every pass: passes x k x p."""
    rows = data.record["centers"][1]
    return np.asarray(rows[:, 2:]).reshape(-1, k, rows.shape[1] - 2)


def _squares(w: Working, tag: str, x: list[Cell], at: list[list[Expr]]) -> list[Cell]:
    """The squared distance of every row to each center."""
    return [
        w.cell(f"q{tag}_{c + 1}", reduce(add, [(x[j] - at[c][j]) ** 2 for j in range(len(x))]),
               symbol=f"q_{{{c + 1}}}", label=f"squared distance to center {c + 1}")
        for c in range(len(at))
    ]  # fmt: skip


def _nearest(w: Working, tag: str, squares: list[Cell], labels: Floats, attribute: str) -> Cell:
    """The number of the nearest center, from 1; given where two are equally near but for rounding."""
    best: Expr = expr(squares[0])
    nearest: Expr = expr(1)
    for c in range(1, len(squares)):
        nearest = where(squares[c] < best, float(c + 1), nearest)
        best = where(squares[c] < best, squares[c], best)
    if len(squares) == 1:
        nearest = 1 + 0 * squares[0]
    try:
        return w.cell(f"a{tag}", nearest, symbol="a", label="nearest center", equals=labels + 1, attribute=attribute)
    except WorkingError:
        distances = np.stack([np.asarray(q.value) for q in squares])
        label_distances = distances[labels.astype(int), np.arange(len(labels))]
        if not np.allclose(
            label_distances, distances.min(axis=0), rtol=1e-9, atol=1e-12 * float(distances.max(initial=0.0))
        ):
            raise
        w.note("Two centers are equally near to a row but for rounding: the model's choice is given.")
        return w.given(f"a{tag}_given", labels + 1, _axis_of(squares[0]), symbol="a", label="nearest center")


def _axis_of(cell: Cell) -> Axis:
    assert cell.axis is not None
    return cell.axis


def _one_pass(w: Working, data: Given, x: list[Cell], weight: Cell | None, path: Floats, number: int) -> None:
    tag, centers = f"_{number + 1}", path[number]
    k, p = centers.shape
    w.step(f"Pass {number + 1}: rows", "The squared distance to every center; the nearest one wins.", turn=number + 1)
    axis = _center_axis(k)
    at = [
        w.given(f"c{tag}_{j + 1}", centers[:, j], axis, symbol=f"c_{{{j + 1}}}", label=f"center's {data.names[j]}")
        for j in range(p)
    ]
    center_coordinates = [[lookup(at[j], c + 1) for j in range(p)] for c in range(k)]
    squares = _squares(w, tag, x, center_coordinates)
    labels = ((data.X[:, None, :] - centers) ** 2).sum(axis=2).argmin(axis=1).astype(np.float64)
    a = _nearest(w, tag, squares, labels, "fit_with_history: labels")
    if number + 1 >= len(path):
        return
    w.step(f"Pass {number + 1}: centers", "Every center goes to the mean of its rows.", turn=number + 1)
    weights = np.ones(len(data.X)) if data.weight is None else data.weight
    for c in range(k):
        center_weight: Expr = where(equal(a, float(c + 1)), 1 if weight is None else weight, 0)
        n = w.cell(f"n{tag}_{c + 1}", sum_(center_weight), symbol=f"n_{{{c + 1}}}", label=f"rows of center {c + 1}")
        if not weights[np.asarray(a.value) == c + 1].sum() > 0:
            w.note(f"Center {c + 1} has no rows in pass {number + 1}: it takes the row farthest from its own center.")
            continue
        if _loses_a_row(np.asarray(a.value), weights, c, path[number + 1][c], data.X):
            continue
        for j in range(p):
            w.cell(
                f"m{tag}_{c + 1}_{j + 1}", sum_(center_weight * x[j]) / n, symbol=f"m_{{{c + 1},{j + 1}}}",
                label=f"mean of {data.names[j]} of center {c + 1}", equals=path[number + 1][c, j],
                attribute="fit_with_history: centers", scale=float(np.abs(data.X[:, j]).max()),
            )  # fmt: skip


def _loses_a_row(a: Floats, weights: Floats, c: int, new_center: Floats, X: Floats) -> bool:
    """Did a center without rows take one of this center's? Then its mean is another one."""
    mine = a == c + 1
    mean = (weights[mine, None] * X[mine]).sum(axis=0) / weights[mine].sum()
    return not np.allclose(mean, new_center, rtol=1e-8, atol=1e-9 * float(np.abs(X).max(initial=0.0)))


def _passes(w: Working, model: Any, data: Given) -> None:
    columns, rows = data.record["passes"]
    passes_shown = rows[:MOST_LISTED]
    axis = Axis("pass", [int(r[0]) for r in passes_shown], "t", "T", raised=True)
    w.step("All passes", "How many rows changed their center, and the distortion: it never rises.")
    w.given("changed", passes_shown[:, 1], axis, symbol="u", label="rows that changed")
    unit = model._frame_.unit
    w.given("distortions", passes_shown[:, columns.index("distortion")] / unit / unit, axis, symbol="J",
            label="distortion before the centers move")  # fmt: skip
    n = w.given("passes", float(len(rows)), symbol="T", label="passes")
    w.check(n, float(model.n_iter_), "n_iter_")


def _end(w: Working, model: Any, data: Given, x: list[Cell], weight: Cell | None) -> None:
    k, p = model.cluster_centers_.shape
    w.step("In the end", "The centers that are left, the nearest one of every row, and the distortion.")
    axis = _center_axis(k)
    at = [
        w.given(f"end_{j + 1}", model.cluster_centers_[:, j], axis, symbol=rf"\hat{{c}}_{{{j + 1}}}",
                label=f"center's {data.names[j]}")
        for j in range(p)
    ]  # fmt: skip
    for j in range(p):
        w.check(at[j], model.cluster_centers_[:, j], f"cluster_centers_[:, {j}]")
    squares = _squares(w, "_end", x, [[lookup(at[j], c + 1) for j in range(p)] for c in range(k)])
    a = _nearest(w, "_end", squares, model.labels_.astype(np.float64), "labels_ + 1")
    own_square: Expr = expr(squares[0])
    for c in range(1, k):
        own_square = where(equal(a, float(c + 1)), squares[c], own_square)
    apart = w.cell("apart", own_square, symbol="q", label="squared distance to its own center")
    J = w.cell("distortion", sum_(apart if weight is None else weight * apart), symbol="J",
               label="total distortion", equals=model.inertia_, attribute="inertia_",
               scale=float(np.abs(data.X).max()) ** 2 * 1e-3)  # fmt: skip
    n: Expr = expr(float(len(data.X))) if weight is None else sum_(weight)
    w.cell("average", J / n, symbol=r"\bar{J}", label="average distortion", equals=model.average_distortion_,
           attribute="average_distortion_", scale=float(np.abs(data.X).max()) ** 2 * 1e-3)  # fmt: skip


def _as_found(w: Working, model: Any, data: Given, path: Floats) -> None:
    k, p = model.cluster_centers_.shape
    w.note(f"Passes are laid out for up to {MOST_CENTERS} centers and {MOST_COLUMNS} columns; here are {k} and {p}.")
    _passes(w, model, data)
    w.step("Rows and their centers", "How far every row is from its own center, and the sum of the squares.")
    squares = ((data.X - model.cluster_centers_[model.labels_]) ** 2).sum(axis=1)
    label = w.given("label", model.labels_.astype(np.float64) + 1, data.row_axis, symbol="a", label="center")
    w.check(label, model.labels_.astype(np.float64) + 1, "labels_ + 1")
    for j in range(min(p, MOST_COLUMNS)):
        w.given(f"x_{j + 1}", data.X[:, j], data.row_axis, symbol=f"x_{{{j + 1}}}", label=data.names[j])
    q = w.given("apart", squares, data.row_axis, symbol="q", label="squared distance to it, over all columns")
    weight = None
    if data.weight is not None:
        weight = w.given("weight", data.weight, data.row_axis, symbol="w", label="weight")
    w.cell("distortion", sum_(q if weight is None else weight * q), symbol="J", label="total distortion",
           equals=model.inertia_, attribute="inertia_")  # fmt: skip
    if p > MOST_COLUMNS:
        w.note(f"The last {counted(p - MOST_COLUMNS, 'column')} are not shown.")


# ---------------------------------------------------------------------------------------------------------- predictions


def _rows(data: Given) -> list[int]:
    return data.rows[:MOST_LISTED] if data.rows else list(range(min(len(data.X), MOST_ASKED)))


@shows("KMeans.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    w.title = "k-means: the nearest center"
    w.intro = "The squared distance to every center; the smallest one wins, the first of equals."
    k, p = model.cluster_centers_.shape
    axis, wide = _center_axis(k), p > MOST_COLUMNS or not np.abs(data.X).max() < LARGEST
    w.step("Centers", "Their numbers in every column.")
    at = [
        w.given(f"c_{j + 1}", model.cluster_centers_[:, j], axis, symbol=f"c_{{{j + 1}}}", label=data.names[j])
        for j in range(min(p, MOST_COLUMNS))
    ]
    if wide:
        w.note(f"Distances over more than {MOST_COLUMNS} columns are given, not laid out.")
    predicted = np.asarray(model.predict(data.table))
    for i in _rows(data):
        w.step(f"Row {i}", f"Row {i}, counted from 0, against every center.")
        if wide:
            distances = ((data.X[i] - model.cluster_centers_) ** 2).sum(axis=1)
            q = w.given(f"q_{i}", distances, axis, symbol="q", label="squared distance")
        else:
            coordinates = [w.given(f"x_{j + 1}_{i}", float(data.X[i, j]), symbol=f"x_{{{j + 1}}}", label=data.names[j])
                   for j in range(p)]  # fmt: skip
            q = w.cell(f"q_{i}", reduce(add, [(coordinates[j] - at[j]) ** 2 for j in range(p)]), symbol="q",
                       label="squared distance")  # fmt: skip
        w.cell(f"least_{i}", min_(q), symbol=r"\hat{q}", label="the smallest")
        try:
            w.cell(f"a_{i}", arg_min(q), symbol="a", label="its place, from 1", equals=float(predicted[i] + 1),
                   attribute="predict(X) + 1")  # fmt: skip
        except WorkingError:
            values = np.asarray(q.value)
            if not values[predicted[i]] <= values.min() * (1 + 1e-9) + 1e-12 * values.max():
                raise
            w.note("Two centers are equally near to a row but for rounding: the model's choice is given.")
            w.given(f"a_{i}_given", float(predicted[i] + 1), symbol="a", label="its place, from 1")


@shows("KMeans.transform")
def transform(w: Working, model: Any, data: Given) -> None:
    w.title = "k-means: distances to the centers"
    w.intro = "One column a center: how far each row is from it."
    transformed = np.asarray(model.transform(data.table), dtype=np.float64)
    k, p = model.cluster_centers_.shape
    n_shown = min(k, 12)
    if p > MOST_COLUMNS or not np.abs(data.X).max() < LARGEST:
        w.note(f"Distances over more than {MOST_COLUMNS} columns are given, not laid out.")
        w.step("Distances", "As found.")
        for c in range(n_shown):
            w.given(f"d_{c + 1}", transformed[:, c], data.row_axis, symbol=f"d_{{{c + 1}}}", label=f"to center {c + 1}")
        return
    w.step("Data", "The columns of the table.")
    x = [w.given(f"x_{j + 1}", data.X[:, j], data.row_axis, symbol=f"x_{{{j + 1}}}", label=data.names[j])
         for j in range(p)]  # fmt: skip
    w.step("Distances", "The root of the summed squares of the differences.")
    for c in range(n_shown):
        at = [w.given(f"c_{c + 1}_{j + 1}", float(model.cluster_centers_[c, j]), symbol=f"c_{{{c + 1},{j + 1}}}",
                      label=f"center {c + 1}: {data.names[j]}") for j in range(p)]  # fmt: skip
        w.cell(f"d_{c + 1}", sqrt(reduce(add, [(x[j] - at[j]) ** 2 for j in range(p)])), symbol=f"d_{{{c + 1}}}",
               label=f"distance to center {c + 1}", equals=transformed[:, c], attribute="transform(X)",
               tolerance=1e-5, scale=float(np.abs(transformed).max()))  # fmt: skip
