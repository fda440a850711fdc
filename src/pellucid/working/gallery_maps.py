"""Worked examples about rows in other coordinates: similarities to landmarks, products of two columns."""

from __future__ import annotations

from functools import reduce
from operator import add

import numpy as np

from pellucid.preprocessing import PolynomialFeatures, QuadraticMap, RBFLandmarks
from pellucid.working.expression import Cell, Expr
from pellucid.working.gallery_base import Example, cell_of, column, example, parts_of
from pellucid.working.language import absolute, lookup, max_, min_, sqrt, sum_, where
from pellucid.working.model import Working


@example("002-rbf-similarity-features")
def rbf(e: Example) -> Working:
    landmarks, gamma = e.data["landmarks"], e.settings["gamma"]
    nine = e.data["nine_point_set"]
    near = RBFLandmarks(landmarks=column(landmarks), gamma=gamma)
    single = near.fit(column([e.data["x1"]])).show_transform(column([e.data["x1"]]))
    many = near.fit(column(nine["x1"])).show_transform(column(nine["x1"]))
    w = parts_of(("one", "One point", single), ("nine", "Nine points", many))
    w.step("Distances of the one point", "How far it is from each landmark.")
    for k in (1, 2):
        apart = cell_of(w, "one.x_1") - cell_of(w, f"one.l_{k}_1")
        w.cell(f"apart_{k}", sum_(absolute(apart)), symbol=f"d_{k}", label=f"distance from landmark {k}")
    w.step("A line between the classes", "A row is picked where its second similarity lies above the line.")
    x, x2, x3 = (cell_of(w, f"nine.{name}") for name in ("x_1", "z_1", "z_2"))
    label = w.given("label", np.array(nine["label"], dtype=np.float64), x.axis, symbol="t", label="class")
    line = w.cell("line", 0.57 - 0.67 / 1.2 * (x2 + 0.1), symbol="h", label="height of the line")
    picked = w.cell("picked", where(x3 > line, 1, 0), symbol="u", label="is it picked?")
    w.cell("wrong", sum_(absolute(picked - label)), symbol="m", label="rows on the wrong side")
    w.step("The square alone", "Another way: the square of the one column.")
    square = w.cell("square", x**2, symbol="q", label="square")
    far = float(max(abs(v) for v in nine["x1"])) ** 2
    w.cell("inner", max_(where(label > 0, square, 0)), symbol="a", label="largest square of class 1")
    w.cell("outer", min_(where(label > 0, far, square)), symbol="b", label="smallest square of class 0")
    return w


def _inner(w: Working, cells: list[Cell]) -> Expr:
    """The inner product of the first two rows."""
    products: list[Expr] = [lookup(cell, 1) * lookup(cell, 2) for cell in cells]
    return reduce(add, products)


@example("003-polynomial-map-ellipse")
def ellipse(e: Example) -> Working:
    X = np.array([[1.0, 2.0], [3.0, 4.0]])
    w: Working = QuadraticMap().fit(X).show_transform(X)
    w.step("Kernel", "The inner product of the two rows in the new columns, and the square of it in the old ones.")
    w.cell("of_phi", _inner(w, [cell_of(w, f"z_{k}") for k in (1, 2, 3)]), symbol="K", label="inner product of phi")
    plain = w.cell("of_x", _inner(w, [cell_of(w, f"x_{k}") for k in (1, 2)]), symbol="k", label="inner product")
    w.cell("square", plain**2, symbol="k^2", label="its square")
    w.step("The ellipse", "x1² + 2 x2² = 4 is z1 + 2 z3 = 4; the half axes are where one of the columns is 0.")
    four = w.given("constant", 4.0, symbol="c", label="right side")
    for name, factor in (("1", 1.0), ("2", 2.0)):
        f = w.given(f"factor_{name}", factor, symbol=f"f_{name}", label=f"factor of the square of x{name}")
        w.cell(f"axis_{name}", sqrt(four / f), symbol=f"a_{name}", label=f"half axis along x{name}")
    w.intro = "Squares and products of two columns: an ellipse in the old ones is a plane in the new."
    return w


@example("004-kernel-trick-inner-product")
def inner_product(e: Example) -> Working:
    X = np.array([e.data["a"], e.data["b"]], dtype=np.float64)
    model = QuadraticMap(ordered=True).fit(X)
    w = parts_of(("fit", "Columns", model.show_fit(X)), ("phi", "Products", model.show_transform(X)))
    w.step("Kernel", "The inner product of the two rows in the new columns, and the square of it in the old ones.")
    w.cell("of_phi", _inner(w, [cell_of(w, f"phi.z_{k}") for k in range(1, 10)]), symbol="K", label="of the products")
    plain = w.cell("of_x", _inner(w, [cell_of(w, f"phi.x_{k}") for k in (1, 2, 3)]), symbol="k", label="inner product")
    w.cell("square", plain**2, symbol="k^2", label="its square")
    counts = ((2, (1, 2), False, "plain"), (10, (3, 3), False, "third"), (10, (0, 3), True, "upto"))
    for n, degree, include_bias, name in counts:
        X_ones = np.ones((1, n))
        working = PolynomialFeatures(degree=degree, include_bias=include_bias).fit(X_ones).show_fit(X_ones)
        w.take(working, name, f"{n} columns to degree {degree[1]}")
    w.step("Written out", "Every ordered product of three of ten columns, for every row.")
    columns = w.given("ten", 10.0, symbol="n", label="columns")
    rows = w.given("rows", 3000.0, symbol="m", label="rows")
    w.cell("stored", columns**3 * rows, symbol="s", label="numbers to store")
    w.intro = "Two rows, all their products of two columns, and the kernel that needs none of them."
    return w
