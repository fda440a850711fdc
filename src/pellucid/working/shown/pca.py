"""How principal components come about, and how rows are placed along them."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr
from pellucid.working.language import count, dot, sqrt, sum_
from pellucid.working.matrix import Block, Grid
from pellucid.working.model import Working

MOST_COLUMNS = 8  # whose covariances are laid out
MOST_MEANS = 40  # columns whose numbers are laid out at all
MOST_COMPONENTS = 12
LARGEST = 1e140  # squares of larger numbers leave the range


@shows("PCA.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Principal components: the fit"
    w.intro = "The directions in which the rows spread most: those that the covariance matrix only stretches."
    p = len(data.names)
    if p > MOST_COLUMNS or not np.abs(data.X).max() < LARGEST:
        _as_found(w, model, data)
        return
    w.step("Data", "The columns of the table.")
    x = [
        w.given(f"x_{j + 1}", data.X[:, j], data.row_axis, symbol=f"x_{{{j + 1}}}", label=name)
        for j, name in enumerate(data.names)
    ]
    n, mean = _means(w, model, data, x)
    S = _covariances(w, data, x, mean, n)
    V = _directions(w, model, data, S)
    _shares(w, model, data, S, V)


def _means(w: Working, model: Any, data: Given, x: list[Cell]) -> tuple[Cell, list[Cell]]:
    w.step("Means", "Every column is taken relative to its mean.")
    n = w.cell("n", count(x[0]), symbol="n", label="number of rows")
    size = float(np.abs(data.X).max(initial=0.0))
    return n, [
        w.cell(
            f"mean_{j + 1}", sum_(column) / n,
            symbol=rf"\bar{{x}}_{{{j + 1}}}", label=f"mean of {data.names[j]}", equals=model.mean_[j],
            attribute=f"mean_[{j}]", scale=size,
        )
        for j, column in enumerate(x)
    ]  # fmt: skip


def _covariances(w: Working, data: Given, x: list[Cell], mean: list[Cell], n: Cell) -> Block:
    w.step("Covariances", "Products of the deviations of two columns, added up and divided by n less 1.")
    d = [
        w.cell(f"d_{j + 1}", x[j] - mean[j], symbol=f"d_{{{j + 1}}}", label=f"{data.names[j]} less its mean")
        for j in range(len(x))
    ]

    def entry(i: int, j: int) -> Expr:
        return sum_(d[min(i, j)] * d[max(i, j)]) / (n - 1)

    grid = Grid([[entry(i, j) for j in range(len(x))] for i in range(len(x))], data.column_axis, _other(data))
    return w.block("S", grid, symbol="S", label="covariance matrix")


def _other(data: Given) -> Axis:
    """The columns once more, for the second side of a square."""
    return Axis("other column", data.names, "l", "p")


def _component_axis(model: Any) -> Axis:
    return Axis("component", range(1, model.n_components_ + 1), "k", "K")


def _directions(w: Working, model: Any, data: Given, S: Block) -> Block:
    """Components: by a formula for two columns; for more they are given, and shown to be what they must be."""
    axis, p = _component_axis(model), len(data.names)
    if p == 2 and float(np.asarray(S.value)[0, 1]) != 0:
        return _of_two_columns(w, model, data, S)
    w.step(
        "Components", "Directions of length 1, found by the solver; the next steps show that they are the right ones."
    )
    V = w.block("components", model.components_, axis, data.column_axis, symbol="V", label="components, one a row")
    V.attribute = "components_"
    w.step("Stretched", "The covariance matrix times a component is the component again, times its variance.")
    SV = w.block("stretched", V @ S, axis, _other(data), symbol="Z", label="component times covariance matrix")
    spread = float(np.trace(np.asarray(S.value)))
    tied = {"equals": model.explained_variance_[:, None], "attribute": "explained_variance_", "scale": spread}
    variance_axis = Axis("", [""], "", "1")
    L = w.block(
        "variance", Grid([[_added([SV[k, j] * V[k, j] for j in range(p)])] for k in range(len(axis))], axis,
        variance_axis),
        symbol="L", label="variance along the component", tolerance=1e-8, **tied,
    )  # fmt: skip
    residual = Grid(
        [[SV[k, j] - L[k, 0] * V[k, j] for j in range(p)] for k in range(len(axis))], axis, data.column_axis
    )
    w.block("rest", residual, symbol="R", label="what is left: nothing but rounding",
            equals=np.zeros((len(axis), p)), attribute="0", tolerance=_rounding(model), scale=spread)  # fmt: skip
    return V


def _rounding(model: Any) -> float:
    """Solvers that draw random directions end near the components."""
    return 1e-4 if model.svd_solver_ in ("randomized", "arpack") else 1e-7


def _added(items: list[Expr]) -> Expr:
    return reduce(add, items)


def _of_two_columns(w: Working, model: Any, data: Given, S: Block) -> Block:
    w.step("Variances", "Of two columns they are the roots of a quadratic equation: S v = L v has a solution v.")
    a, b, c = S[0, 0], S[0, 1], S[1, 1]
    half = w.cell("half", (a + c) / 2, symbol="h", label="mean of the two variances")
    root = w.cell("root", sqrt(((a - c) / 2) ** 2 + b**2), symbol="q", label="root")
    size = float(half.value)
    variance = [w.cell("variance_1", half + root, symbol=r"\lambda_1", label="variance along the first component",
                       equals=model.explained_variance_[0], attribute="explained_variance_[0]",
                       scale=size, tolerance=1e-8)]  # fmt: skip
    check = {"equals": model.explained_variance_[1], "attribute": "explained_variance_[1]"} if _both(model) else {}
    variance.append(w.cell("variance_2", half - root, symbol=r"\lambda_2", label="variance along the second",
                           scale=size, tolerance=1e-8, **check))  # fmt: skip
    w.step("Components", "From the second row of S v = L v: v is proportional to (L - S22, S12); brought to length 1.")
    entries: list[list[Expr]] = []
    for k in range(model.n_components_):
        mark = f"_{{{k + 1}}}"
        # The larger of two ways to write the direction loses no digits.
        first_row = abs(float((variance[k] - a).value)) > abs(float((variance[k] - c).value))
        u, v = (b, variance[k] - a) if first_row else (variance[k] - c, b)
        length = w.cell(f"length_{k + 1}", sqrt(u**2 + v**2), symbol=f"r{mark}", label="length before")
        sign = np.sign(np.dot(model.components_[k], [float(u.value), float(v.value)]))
        entries.append([float(sign) * u / length, float(sign) * v / length])
    return w.block(
        "components", Grid(entries, _component_axis(model), data.column_axis), symbol="V",
        label="components, one a row: the largest number is made positive", equals=model.components_,
        attribute="components_", scale=1.0, tolerance=_rounding(model),
    )  # fmt: skip


def _both(model: Any) -> bool:
    return bool(model.n_components_ == 2)


def _shares(w: Working, model: Any, data: Given, S: Block, V: Block) -> None:
    p, axis = len(data.names), _component_axis(model)
    w.step("Shares", "The variances of all columns add up to those of all components: each has a share in it.")
    total_variance = w.cell(
        "total", _added([S[j, j] for j in range(p)]), symbol="T", label="variance of all columns together"
    )
    quadratic = [
        _added([V[k, i] * S[i, j] * V[k, j] for i in range(p) for j in range(p)]) for k in range(model.n_components_)
    ]
    share_axis = Axis("", [""], "", "1")
    spread = float(total_variance.value)
    L = w.block("variances", Grid([[q] for q in quadratic], axis, share_axis), symbol=r"\Lambda", label="v' S v",
                equals=model.explained_variance_[:, None], attribute="explained_variance_", scale=spread,
                tolerance=1e-8)  # fmt: skip
    if spread > 0:
        w.block("shares", Grid([[L[k, 0] / total_variance] for k in range(len(axis))], axis, share_axis), symbol="F",
                label="share of the variance", equals=model.explained_variance_ratio_[:, None],
                attribute="explained_variance_ratio_", scale=1.0, tolerance=1e-8)  # fmt: skip
    else:
        w.note("The table does not vary: there is nothing to share.")


def _as_found(w: Working, model: Any, data: Given) -> None:
    """Too many columns to lay out: the means, and what was found."""
    w.note(f"{counted(len(data.names), 'column')}: covariances are laid out for up to {MOST_COLUMNS} columns of "
           "numbers whose squares fit.")  # fmt: skip
    n_shown = min(len(data.names), MOST_MEANS)
    w.step("Means", "Every column is taken relative to its mean.")
    for j in range(n_shown):
        x = w.given(f"x_{j + 1}", data.X[:, j], data.row_axis, symbol=f"x_{{{j + 1}}}", label=data.names[j])
        w.cell(f"mean_{j + 1}", sum_(x) / count(x),
               symbol=rf"\bar{{x}}_{{{j + 1}}}", label=f"mean of {data.names[j]}", equals=model.mean_[j],
               attribute=f"mean_[{j}]", scale=float(np.abs(data.X[:, j]).max(initial=0.0)))  # fmt: skip
    if n_shown < len(data.names):
        w.note(f"The last {len(data.names) - n_shown:,} columns are not shown.")
    _found(w, model)


def _found(w: Working, model: Any) -> None:
    axis = _component_axis(model)
    w.step("Components as found", "The variance along each, and its share.")
    v = w.given("variance", model.explained_variance_, axis, symbol=r"\lambda", label="variance")
    w.check(v, model.explained_variance_, "explained_variance_")
    f = w.given("share", model.explained_variance_ratio_, axis, symbol="F", label="share of the variance")
    w.check(f, model.explained_variance_ratio_, "explained_variance_ratio_")


# ------------------------------------------------------------------------------------------------------------ transform


@shows("PCA.transform")
def transform(w: Working, model: Any, data: Given) -> None:
    w.title = "Principal components: places along them"
    w.intro = "Every column less its mean, times its number in the component, added up."
    transformed = np.asarray(model.transform(data.table), dtype=np.float64)
    p, k = len(data.names), min(model.n_components_, MOST_COMPONENTS)
    axis = Axis("component", range(1, k + 1), "k", "K")
    w.step("Model", "Means of the columns, and the components, one a row.")
    mean = w.given("mean", model.mean_, data.column_axis, symbol=r"\bar{x}", label="mean")
    w.check(mean, model.mean_, "mean_")
    V = w.block("components", model.components_[:k], axis, data.column_axis, symbol="V", label="components")
    V.attribute = "components_"
    if model.n_components_ > k:
        w.note(f"The last {model.n_components_ - k:,} components are not shown.")
    if p > MOST_MEANS:
        w.note(f"{counted(p, 'column')}: the sums over them are not laid out.")
        w.step("Rows", "Their places along the components, as found.")
        for i in range(k):
            w.given(f"t_{i + 1}", transformed[:, i], data.row_axis, symbol=f"t_{{{i + 1}}}", label=f"component {i + 1}")
        return
    w.step("Rows", "Every column less its mean.")
    x = [w.given(f"x_{j + 1}", data.X[:, j], data.row_axis, symbol=f"x_{{{j + 1}}}", label=data.names[j])
         for j in range(p)]  # fmt: skip
    at = [w.given(f"mean_{j + 1}", float(model.mean_[j]), symbol=rf"\bar{{x}}_{{{j + 1}}}",
                  label=f"mean of {data.names[j]}") for j in range(p)]  # fmt: skip
    d = [w.cell(f"d_{j + 1}", x[j] - at[j], symbol=f"d_{{{j + 1}}}", label=f"{data.names[j]} less its mean")
         for j in range(p)]  # fmt: skip
    w.step("Places", "Products with the component, added up" + (", over its deviation." if model.whiten else "."))
    scale = float(np.abs(transformed).max(initial=0.0)) + float(np.abs(data.X).max(initial=0.0)) * 1e-6
    rounding = 1e-5 if transformed.size and np.asarray(model.transform(data.table)).dtype == np.float32 else 1e-8
    for i in range(k):
        score = dot([V[i, j] for j in range(p)], d) if p > 1 else V[i, 0] * d[0]
        deviation = float(np.sqrt(model.explained_variance_[i]))
        if model.whiten and deviation > 0:
            score = score / w.given(f"s_{i + 1}", deviation, symbol=f"s_{{{i + 1}}}", label="deviation along it")
        w.cell(f"t_{i + 1}", score, symbol=f"t_{{{i + 1}}}", label=f"place along component {i + 1}",
               equals=transformed[:, i], attribute="transform(X)", tolerance=rounding, scale=scale)  # fmt: skip
