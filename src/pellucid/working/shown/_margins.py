"""What workings of support vector machines share: columns, kernels, scores and what rows lack."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

import numpy as np

from pellucid.base.types import Floats
from pellucid.working.entry import Given
from pellucid.working.expression import Axis, Cell, Expr, expr
from pellucid.working.language import absolute, exp, sqrt, sum_, tanh, where
from pellucid.working.model import Working

MOST_COLUMNS = 6
MOST_FREE = 8  # support vectors whose kernels with all others are laid out
MOST_ASKED = 6
MOST_MACHINES = 6
EXACT = 1e-11  # weights that are sums over rows to rounding
LOOSE = 1e-7  # sums of the solver were added up step by step, those here at once


def columns(w: Working, data: Given, rows: Floats, axis: Axis, mark: str = "x") -> list[Cell]:
    """The columns of some rows, as far as they are few; else none, with a note."""
    if rows.shape[1] > MOST_COLUMNS:
        w.note(f"Of {rows.shape[1]} columns, more than {MOST_COLUMNS}, sums over them are given, not laid out.")
        return []
    return [
        w.given(f"{mark}_{j + 1}", rows[:, j], axis, symbol=f"{mark}_{{{j + 1}}}", label=data.names[j])
        for j in range(rows.shape[1])
    ]


def plane(w: Working, x: list[Cell], coef: list[Cell], b: Cell, expected: Floats, axis: Axis) -> Cell:
    """The score of every row: laid out where its columns are."""
    if not x:
        return w.given("score", expected, axis, symbol="f", label="score")
    body = reduce(add, [c * column for c, column in zip(coef, x, strict=True)]) + b
    size = float(
        sum(np.abs(np.asarray(column.value)).max() * abs(float(c.value)) for c, column in zip(coef, x, strict=True))
    )
    return w.cell("score", body, symbol="f", label="score", equals=expected, attribute="decision_function(X)",
                  tolerance=LOOSE, scale=size)  # fmt: skip


def hinge(t: Cell, f: Expr) -> Expr:
    """What a row lacks on its own side."""
    return where(t * f < 1, 1 - t * f, 0)


def outside(y: Cell, f: Expr, epsilon: Cell) -> Expr:
    """What an error has above epsilon."""
    return where(absolute(y - f) > epsilon, absolute(y - f) - epsilon, 0)


def street(w: Working, coef: list[Cell], wide: Floats, expected_margin: float) -> Expr:
    """Length of w, and the width of the street; half the squared length."""
    if coef:
        square = w.cell("square", reduce(add, [c**2 for c in coef]), symbol="S_{ww}", label="squared length of w")
    else:
        square = w.given("square", float((wide**2).sum()), symbol="S_{ww}", label="squared length of w")
    if np.isfinite(expected_margin):
        w.cell("margin", 2 / sqrt(square), symbol="m", label="width of the street", equals=expected_margin,
               attribute="margin_",
               tolerance=LOOSE)  # fmt: skip
    return square


def kernel_numbers(model: Any, X: Floats) -> Floats:
    """K of rows with every support vector."""
    kernel, S = model.settled_kernel, np.asarray(model.support_vectors_, dtype=np.float64)
    if callable(model.kernel):
        return np.asarray(model.kernel(X, S), dtype=np.float64)
    if kernel.name == "precomputed":
        return X[:, model.support_]
    if kernel.name == "rbf":
        return np.asarray(np.exp(-kernel.gamma * squares(X, S)))
    inner = kernel.gamma * (X @ S.T) + kernel.coef0
    return X @ S.T if kernel.name == "linear" else inner**kernel.degree if kernel.name == "poly" else np.tanh(inner)


def squares(X: Floats, S: Floats) -> Floats:
    """Squared distances of rows and support vectors."""
    return np.array([((S - x) ** 2).sum(axis=1) for x in X]).reshape(len(X), len(S))


class Laid:
    """Support vectors as cells, and kernels with them."""

    def __init__(self, w: Working, model: Any, data: Given, coef: Floats, about: str) -> None:
        self.w, self.model = w, model
        self.S = np.asarray(model.support_vectors_, dtype=np.float64)
        self.axis = Axis("support vector", [int(row) + 1 for row in model.support_], "s", "S")
        w.step("Support vectors", about)
        self.given = callable(model.kernel) or model.kernel == "precomputed"
        self.s = [] if self.given else columns(w, data, self.S, self.axis, "s")
        if self.given:
            w.note("The kernel is given from outside: its values are taken as they are.")
        self.beta = w.given("beta", coef, self.axis, symbol=r"\beta", label="coefficient")
        w.check(self.beta, coef, "dual_coef_")
        self._numbers()

    def _numbers(self) -> None:
        name, kernel, w = self.model.settled_kernel.name, self.model.settled_kernel, self.w
        if name in ("rbf", "poly", "sigmoid"):
            self.gamma = w.given("gamma", kernel.gamma, symbol=r"\gamma", label="gamma")
        if name in ("poly", "sigmoid"):
            self.coef0 = w.given("coef0", kernel.coef0, symbol="c_0", label="coef0")

    def kernel(self, tag: str, x: Floats) -> Cell:
        """K of one row with every support vector."""
        symbol, label = f"K_{{{tag}}}", "kernel with it"
        kernel, name = self.model.settled_kernel, self.model.settled_kernel.name
        if self.given:
            return self.w.given(
                f"K_{tag}", kernel_numbers(self.model, x[None])[0], self.axis, symbol=symbol, label=label
            )
        inner = self._inner(tag, x)
        if name == "rbf":
            body: Expr = exp(-self.gamma * inner)
        elif name == "poly":
            body = (self.gamma * inner + self.coef0) ** kernel.degree
        elif name == "sigmoid":
            body = tanh(self.gamma * inner + self.coef0)
        else:
            body = inner
        return self.w.cell(f"K_{tag}", body, symbol=symbol, label=label)

    def _inner(self, tag: str, x: Floats) -> Expr:
        is_radial = self.model.settled_kernel.name == "rbf"
        label = "squared distance to it" if is_radial else "product with it"
        if not self.s:
            products = squares(x[None], self.S)[0] if is_radial else self.S @ x
            return expr(self.w.given(f"q_{tag}", products, self.axis, symbol=f"q_{{{tag}}}", label=label))
        query_values = [
            self.w.given(f"x_{tag}_{j + 1}", float(v), symbol=f"x_{{{tag},{j + 1}}}", label="its value")
            for j, v in enumerate(x)
        ]
        terms = [(s - v) ** 2 if is_radial else s * v for s, v in zip(self.s, query_values, strict=True)]
        return expr(self.w.cell(f"q_{tag}", reduce(add, terms), symbol=f"q_{{{tag}}}", label=label))

    def score(self, tag: str, x: Floats, b: Cell | None = None) -> Cell:
        """The sum over support vectors."""
        K = self.kernel(tag, x)
        term = self.w.cell(f"term_{tag}", self.beta * K, symbol=f"p_{{{tag}}}", label="coefficient times kernel")
        body = sum_(term) if b is None else sum_(term) + b
        label = "sum over support vectors" if b is None else "score"
        return self.w.cell(f"f_{tag}", body, symbol=f"f_{{{tag}}}", label=label)


def intercept(w: Working, support: Laid, X: Floats, edges: Floats, free: Floats, expected: float) -> Cell:
    """b: what the free support vectors lack to the edge they lie on, in the mean."""
    w.step(
        "Intercept", "A support vector whose coefficient is below its end lies on the edge: b is what its sum lacks."
    )
    free_indices = np.flatnonzero(free)
    if len(free_indices) == 0:
        w.note("No coefficient lies between its ends: b is the middle of the numbers that it may be, and is given.")
        return w.given("intercept", expected, symbol="b", label="intercept")
    size = float(np.abs(np.asarray(support.beta.value)).sum() * np.abs(kernel_numbers(support.model, X)).max()) + 1
    if len(free_indices) > MOST_FREE:
        w.note(f"Of {len(free_indices)} free support vectors, more than {MOST_FREE}, the sums are given, not laid out.")
        axis = Axis("free vector", [support.axis.labels[int(k)] for k in free_indices], "u", "U")
        sums = kernel_numbers(support.model, X[free_indices]) @ np.asarray(support.beta.value)
        g = w.given("sums", sums, axis, symbol="g", label="sum over support vectors")
        e = w.given("edges", edges[free_indices], axis, symbol="e", label="edge")
        body: Expr = sum_(e - g) / len(free_indices)
    else:
        lacking = []
        for k in free_indices:
            tag = str(support.axis.labels[int(k)])
            g = support.score(tag, X[k])
            edge = w.given(f"edge_{tag}", float(edges[k]), symbol=f"e_{{{tag}}}", label="edge")
            lacking.append(w.cell(f"b_{tag}", edge - g, symbol=f"b_{{{tag}}}", label="what it lacks"))
        body = reduce(add, [expr(term) for term in lacking]) / len(free_indices)
    return w.cell("intercept", body, symbol="b", label="intercept", equals=expected, attribute="intercept_",
                  tolerance=LOOSE, scale=size)  # fmt: skip


def asked(w: Working, data: Given) -> list[int]:
    """The rows to be shown."""
    rows = data.rows or list(range(min(len(data.X), 3)))
    if len(rows) > MOST_ASKED:
        w.note(f"{len(rows)} rows were asked for; the first {MOST_ASKED} are shown.")
    elif not data.rows and len(data.X) > len(rows):
        w.note(f"The first {len(rows)} of {len(data.X):,} rows are shown; rows=[...] chooses others.")
    return list(dict.fromkeys(rows[:MOST_ASKED]))
