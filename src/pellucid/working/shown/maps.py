"""Rows in other coordinates: polar ones, products of two columns, similarities to landmarks."""

from __future__ import annotations

from copy import copy
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from pellucid.base.types import Floats
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr
from pellucid.working.language import angle, count, exp, floor, mean, nth_smallest, pi, sqrt, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown._names import count_columns

MOST_COLUMNS = 12
MOST_PRODUCTS = 40
MOST_LANDMARKS = 12


def _given_columns(w: Working, data: Given, used: int) -> list[Cell]:
    w.step("Data", "The columns of the table.")
    return [
        w.given(f"x_{j + 1}", data.X[:, j], data.row_axis, symbol=f"x_{{{j + 1}}}", label=data.names[j])
        for j in range(used)
    ]


def _rounding(array: Any) -> float:
    return max(64 * float(np.finfo(array.dtype).eps), 1e-9)


# ---------------------------------------------------------------------------------------------------------------- polar


@shows("PolarMap.fit")
def polar_fit(w: Working, model: Any, data: Given) -> None:
    w.title = "The center"
    w.intro = "Rows are later taken from here: how far, and in which direction."
    if not isinstance(model.center, str):
        center = np.broadcast_to(np.asarray(model.center, dtype=np.float64), len(data.names))
        w.step("Center", "As given, one number for each column.")
        names = np.array(data.names, dtype=object)
        w.given("name", names, data.column_axis, symbol=r"\text{name}", label="column")
        c = w.given("c", center.copy(), data.column_axis, symbol="c", label="center")
        w.check(c, model.center_, "center_")
        return
    n_shown = min(len(data.names), MOST_COLUMNS)
    x = _given_columns(w, data, n_shown)
    w.step("Center", "The mean of every column.")
    for j in range(n_shown):
        w.cell(
            f"c_{j + 1}", mean(x[j]), symbol=f"c_{{{j + 1}}}", label=f"mean of {data.names[j]}",
            equals=model.center_[j], attribute=f"center_[{j}]", scale=float(np.abs(data.X[:, j]).max()),
        )  # fmt: skip
    _left_out(w, len(data.names) - n_shown, "columns")


@shows("PolarMap.transform")
def polar(w: Working, model: Any, data: Given) -> None:
    w.title = "Distance and direction"
    w.intro = "How far a row is from the center, and at which angle."
    transformed = np.asarray(model.transform(data.table))
    p = len(data.names)
    if p > MOST_COLUMNS:
        w.note(f"The angles of the first {p - MOST_COLUMNS} columns are not shown, nor is the radius over all of them.")
    first = max(p - MOST_COLUMNS, 0)
    w.step("Data", "The columns of the table, and the center.")
    apart: list[Expr] = []
    for j in range(first, p):
        x = w.given(f"x_{j + 1}", data.X[:, j], data.row_axis, symbol=f"x_{{{j + 1}}}", label=data.names[j])
        c = w.given(f"c_{j + 1}", float(model.center_[j]), symbol=f"c_{{{j + 1}}}", label="center")
        apart.append(w.cell(f"d_{j + 1}", x - c, symbol=f"d_{{{j + 1}}}", label=f"{data.names[j]} less the center"))
    if p == 1:
        apart.append(
            w.given("d_2", np.zeros(len(data.row_axis)), data.row_axis, symbol="d_2", label="no second column")
        )
    w.step("Angles and distances", "From the last two columns to the first: the distance over the columns so far.")
    behind = apart[-1]
    rounding, size = _rounding(transformed), float(np.abs(transformed).max())
    for j in range(max(p, 2) - 2, first - 1, -1):
        turn: Expr = angle(apart[j - first], behind)
        turn = turn * 180 / pi() if model.degrees else turn
        w.cell(
            f"angle_{j + 1}", turn, symbol=rf"\varphi_{{{j + 1}}}", label="angle", equals=_float(transformed[:, j + 1]),
            attribute="transform(X)", tolerance=rounding, scale=4.0,
        )  # fmt: skip
        last = j == 0
        behind = w.cell(
            "radius" if last else f"s_{j + 1}", sqrt(apart[j - first] ** 2 + behind**2),
            symbol="r" if last else f"s_{{{j + 1}}}", label="radius" if last else "distance over the columns so far",
            equals=_float(transformed[:, 0]) if last else None, attribute="transform(X)" if last else "",
            tolerance=rounding,
            scale=size,
        )  # fmt: skip


def _float(column: Any) -> Floats:
    return np.asarray(column, dtype=np.float64)


def _left_out(w: Working, n: int, what: str) -> None:
    if n > 0:
        w.note(f"The last {n:,} {what} are not shown.")


# ------------------------------------------------------------------------------------------------------------ quadratic


@shows("QuadraticMap.fit")
def quadratic_fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Products of two columns"
    w.intro = "A fit counts the columns; every pair of them makes a product."
    p = count_columns(w, model, data)
    w.step("Products", "Every pair of columns, and every column with itself.")
    pairs: Expr = p**2 if model.ordered else p * (p + 1) / 2
    w.cell(
        "products", pairs + 1 + p if model.inhomogeneous else pairs, symbol="N", label="columns that come out",
        equals=float(model.n_output_features_), attribute="n_output_features_",
    )  # fmt: skip


@shows("QuadraticMap.transform")
def quadratic(w: Working, model: Any, data: Given) -> None:
    w.title = "Products of each row"
    w.intro = (
        "Squares, and products of two columns; the root of 2 makes up for writing a product once instead of twice."
    )
    transformed = np.asarray(model.transform(data.table))
    p = len(data.names)
    lead = [(), *((j,) for j in range(p))] if model.inhomogeneous else []  # type: list[tuple[int, ...]]
    second = range(p) if model.ordered else None
    pairs = [(i, j) for i in range(p) for j in (second or range(i, p))]
    listed = [*lead, *pairs][:MOST_PRODUCTS]
    _left_out(w, model.n_output_features_ - len(listed), "products")
    x = _given_columns(w, data, max((j for product in listed for j in product), default=0) + 1)
    w.step("Products", "Each with the row's own numbers.")
    names = model._names([str(name) for name in data.names])
    for i, product in enumerate(listed):
        name, symbol = f"z_{i + 1}", f"z_{{{i + 1}}}"
        if not product:
            w.given(name, np.ones(len(data.row_axis)), data.row_axis, symbol=symbol, label="always 1")
            continue
        formula = _product(product, x, model.ordered)
        w.cell(
            name, formula, symbol=symbol, label=str(names[i]), equals=_float(transformed[:, i]),
            attribute="transform(X)",
            tolerance=_rounding(transformed),
        )  # fmt: skip


def _product(product: tuple[int, ...], x: list[Cell], ordered: bool) -> Expr:
    if len(product) == 1:
        return sqrt(2) * x[product[0]]
    i, j = product
    if i == j:
        return x[i] ** 2
    return x[i] * x[j] if ordered else sqrt(2) * x[i] * x[j]


# ------------------------------------------------------------------------------------------------------------ landmarks


@shows("RBFLandmarks.fit")
def landmarks_fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Landmarks and sharpness"
    w.intro = "Where the landmarks are, and how fast a similarity falls with the distance."
    w.step("Landmarks", _PLACES.get(model.landmarks, "") if isinstance(model.landmarks, str) else "As given.")
    n_shown = min(len(data.names), MOST_COLUMNS)
    k = min(len(model.landmarks_), MOST_PRODUCTS)
    axis = Axis("landmark", range(1, k + 1), "k", "K")
    if model.landmarks == "quantiles":
        _quantile_landmarks(w, model, data, axis, n_shown)
    else:
        for j in range(n_shown):
            label = f"landmark's {data.names[j]}"
            cell = w.given(f"l_{j + 1}", model.landmarks_[:k, j], axis, symbol=f"l_{{{j + 1}}}", label=label)
            w.check(cell, _again(model, data)[:k, j], f"landmarks_[:, {j}]")
    _left_out(w, len(model.landmarks_) - k, "landmarks")
    _left_out(w, len(data.names) - n_shown, "columns")
    w.step(
        "Sharpness",
        "One over the number of columns times the variance of all cells." if _scaled(model) else "As given.",
    )
    if not _scaled(model):
        gamma = w.given("gamma", float(model.gamma), symbol=r"\gamma", label="gamma")
        w.check(gamma, model.gamma_, "gamma_")
        return
    cells = Axis("cell", range(1, data.X.size + 1), "c", "N")
    a = w.given("a", data.X.ravel(), cells, symbol="a", label="all cells, row by row")
    m = w.cell("mean", mean(a), symbol=r"\bar{a}", label="their mean")
    v = w.cell("variance", sum_((a - m) ** 2) / count(a), symbol="v", label="their variance")
    p = w.given("columns", float(len(data.names)), symbol="p", label="columns")
    if data.X.min() == data.X.max():
        w.note("All cells are the same: gamma is 1.")
        w.check(w.given("gamma", 1.0, symbol=r"\gamma", label="gamma"), model.gamma_, "gamma_")
        return
    w.cell(
        "gamma", 1 / (p * v), symbol=r"\gamma", label="gamma", equals=model.gamma_, attribute="gamma_",
        tolerance=1e-6,
    )  # fmt: skip


def _quantile_landmarks(w: Working, model: Any, data: Given, axis: Axis, n_shown: int) -> None:
    """The value at place  1 + (n - 1) p  of every ordered column, between its two neighbors in proportion."""
    k, n = len(model.landmarks_), len(data.X)
    shares = (np.linspace(0, 1, k) if k > 1 else np.array([0.5]))[: len(axis)]
    x = [
        w.given(f"x_{j + 1}", data.X[:, j], data.row_axis, symbol=f"x_{{{j + 1}}}", label=data.names[j])
        for j in range(n_shown)
    ]
    p = w.given("share", shares, axis, symbol="p", label="share of the rows below")
    rank = w.cell("place", 1 + (count(x[0]) - 1) * p, symbol="h", label="place among the ordered values")
    below = w.cell("below", floor(rank), symbol="a", label="place below")
    above = w.cell("above", where(below < n, below + 1, n), symbol="b", label="place above")
    for j in range(n_shown):
        low, high = nth_smallest(x[j], below), nth_smallest(x[j], above)
        w.cell(
            f"l_{j + 1}", low + (rank - below) * (high - low), symbol=f"l_{{{j + 1}}}",
            label=f"landmark's {data.names[j]}", equals=model.landmarks_[: len(axis), j],
            attribute=f"landmarks_[:, {j}]", scale=float(np.abs(data.X[:, j]).max()),
        )  # fmt: skip


_PLACES = {
    "all": "Every row is one.",
    "random": "Rows drawn at random; all of them where there are no more than asked for.",
    "quantiles": "Evenly spaced quantiles of every column, from its smallest to its largest value.",
}


def _scaled(model: Any) -> bool:
    return isinstance(model.gamma, str)


def _again(model: Any, data: Given) -> Any:
    """Where the landmarks belong, from the data of the working."""
    if not isinstance(model.landmarks, str):
        return np.asarray(model.landmarks, dtype=np.float64)
    if model.landmarks == "quantiles":
        k = len(model.landmarks_)
        return np.quantile(data.X, np.linspace(0, 1, k) if k > 1 else [0.5], axis=0)
    if len(model.landmarks_) == len(data.X):
        return data.X
    rows = {row.tobytes() for row in np.ascontiguousarray(data.X)}
    is_row = [row.tobytes() in rows for row in np.ascontiguousarray(model.landmarks_)]
    return np.where(np.array(is_row)[:, None], model.landmarks_, np.nan)


@shows("RBFLandmarks.transform")
def landmarks(w: Working, model: Any, data: Given) -> None:
    w.title = "Similarity to landmarks"
    w.intro = "From 1 at a landmark toward 0 far from it."
    k = min(len(model.landmarks_), MOST_LANDMARKS)
    few = copy(model)  # with every row a landmark, all similarities would be rows x rows
    few.landmarks_ = model.landmarks_[:k]
    transformed = np.asarray(few._transform(few._validate_predict(data.table)))
    n_shown = min(len(data.names), MOST_COLUMNS)
    x = _given_columns(w, data, n_shown)
    w.step("Sharpness", "How fast a similarity falls with the distance.")
    gamma = w.given("gamma", float(model.gamma_), symbol=r"\gamma", label="gamma")
    for i in range(k):
        mark = f"_{{{i + 1}}}"
        w.step(f"Landmark {i + 1}", "The squared distance of every row, and its similarity.")
        squares: list[Expr] = []
        for j in range(n_shown):
            coordinate = w.given(
                f"l_{i + 1}_{j + 1}", float(model.landmarks_[i, j]), symbol=f"l_{{{i + 1},{j + 1}}}",
                label=f"its {data.names[j]}",
            )  # fmt: skip
            squares.append((x[j] - coordinate) ** 2)
        if len(data.names) > n_shown:
            other_squares = ((data.X[:, n_shown:] - model.landmarks_[i, n_shown:]) ** 2).sum(axis=1)
            squares.append(
                w.given(f"rest_{i + 1}", other_squares, data.row_axis, symbol=f"o{mark}", label="over other columns")
            )
        square = w.cell(f"square_{i + 1}", reduce(add, squares), symbol=f"q{mark}", label="squared distance")
        w.cell(
            f"z_{i + 1}", exp(-gamma * square), symbol=f"z{mark}", label="similarity", equals=_float(transformed[:, i]),
            attribute="transform(X)", tolerance=_rounding(transformed), scale=1.0,
        )  # fmt: skip
    _left_out(w, len(model.landmarks_) - k, "landmarks")
    _left_out(w, len(data.names) - n_shown, "columns")
