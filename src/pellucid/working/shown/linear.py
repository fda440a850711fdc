"""How linear discriminant analysis gets its numbers, and how it predicts."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Cell, Expr
from pellucid.working.language import dot, ln, lookup, sum_
from pellucid.working.matrix import Block, Grid, Inverse
from pellucid.working.model import Working
from pellucid.working.shown._discriminants import (
    MOST_CONDITION,
    MOST_MEANS,
    SIDE,
    Classes,
    added,
    as_found,
    asked_rows,
    begin_row,
    class_axis,
    condition,
    labels_of,
    posterior,
    values_of_rows,
)


@shows("LinearDiscriminantAnalysis.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Linear discriminant analysis: the fit"
    w.intro = (
        f"Bells of one common shape over {counted(len(model.priors_), 'class')}: their means, the spread that they "
        "share, and the lines that say which bell is highest."
    )
    rows = Classes.read(w, model, data)
    if not rows.is_short:
        columns, classes = counted(len(data.names), "column"), counted(len(model.classes_), "class")
        as_found(rows, f"{columns} and {classes}: covariances and their inverse are not laid out.")
        return
    if not (model.priors_ > 0).all():
        as_found(rows, "A class has the prior zero and never wins: the logarithm of zero is not laid out.")
        return
    rows.deviations()
    if len(data.names) == 1 and model.shrinkage != "auto" and model.covariance_estimator is None:
        _one_column(rows)
    else:
        _several_columns(rows)


def _divisor(rows: Classes) -> Expr:
    k = len(rows.inside)
    return rows.size - k if rows.model.ddof else rows.size


# ----------------------------------------------------------------------------------------------------------- one column


def _one_column(rows: Classes) -> None:
    w, model = rows.w, rows.model
    w.step("Squares", "The squared deviations, and their sums over each class.")
    square = w.cell("square", rows.apart[0] ** 2, symbol="s", label="squared deviation")
    sums = Grid([[rows.total(indicator * square)] for indicator in rows.inside], rows.axis, SIDE)
    T = w.block("squares", sums, symbol="T", label="sum of squared deviations of the class")
    below = "the number of rows less the number of classes" if model.ddof else "the number of rows"
    w.step("Pooled variance", f"The sums of all classes, divided by {below}.")
    K = len(rows.inside)
    v: Expr = w.cell("variance", added([T[k, 0] for k in range(K)]) / _divisor(rows), symbol="v",
                     label="pooled variance", equals=model.pooled_covariance_[0, 0],
                     attribute="pooled_covariance_[0, 0]")  # fmt: skip
    if model.priors is not None and model.solver != "svd":
        w.step("Variance under the priors", "The variances of the classes, weighted by the given priors.")
        factor = rows.size / _divisor(rows) if model.ddof else 1
        weighted_variances = [rows.priors[k] * T[k, 0] / rows.sizes[k] for k in range(K)]
        v = w.cell("variance_used", added(weighted_variances) * factor, symbol="u", label="variance used",
                   equals=model.covariance_[0, 0], attribute="covariance_[0, 0]")  # fmt: skip
    if not float(v.value) > 0:
        as_found(rows, "The column does not vary within the classes and is left out.")
        return
    M = rows.means
    assert M is not None
    w.step("Discriminants", "x times mean / variance, less mean² / (2 variance), plus the logarithm of the prior.")
    slope = w.block(
        "slope", Grid([[M[k, 0] / v] for k in range(K)], rows.axis, SIDE), symbol="a", label="mean / variance"
    )
    level = w.block(
        "level",
        Grid([[_log(rows, k) - M[k, 0] ** 2 / (2 * v)] for k in range(K)], rows.axis, SIDE),
        symbol="b",
        label="constant",
    )
    _boundaries(rows, [[slope[k, 0]] for k in range(K)], [level[k, 0] for k in range(K)])
    w.step("Values", "The discriminant functions of every row.")
    values_of_rows(rows, [rows.x[0] * slope[k, 0] + level[k, 0] for k in range(K)])


def _log(rows: Classes, k: int) -> Expr:
    return ln(rows.priors[k])


# ------------------------------------------------------------------------------------------------------ several columns


def _several_columns(rows: Classes) -> None:
    w, model = rows.w, rows.model
    below = "rows less classes" if model.ddof else "the number of rows"
    w.step("Pooled covariance", f"Sums of squares and products of the deviations, divided by {below}.")
    T = rows.scatter("T", "T", "sums of squares and products")
    S = w.block("pooled", rows.grid(lambda i, j: T[i, j] / _divisor(rows)), symbol="S", label="pooled covariance",
                equals=model.pooled_covariance_, attribute="pooled_covariance_", tolerance=1e-8)  # fmt: skip
    C = _used(rows, S)
    if condition(C.value) > MOST_CONDITION:
        as_found(
            rows,
            "Columns are constant within the classes or depend on each other: the covariance has no inverse, and "
            "combinations without variance are left out.",
        )
        return
    w.step("Inverse", "Of the covariance matrix.")
    inverse = w.block("inverse", Inverse(C), rows.data.column_axis, rows.data.column_axis, symbol="Q", label="inverse")
    _lines(rows, inverse)


def _used(rows: Classes, S: Block) -> Block:
    """The covariance that the solver worked with."""
    w, model = rows.w, rows.model
    if model.solver == "svd":
        return S
    C, p, K = S, len(S.rows), len(rows.inside)
    if model.covariance_estimator is not None or model.shrinkage == "auto":
        who = "Ledoit and Wolf's shrinkage" if model.shrinkage == "auto" else type(model.covariance_estimator).__name__
        w.step("Covariance used", f"By {who}, class by class, weighted by the priors; as found.")
        axis = rows.data.column_axis
        used = w.block("covariance", model.covariance_, axis, axis, symbol="C", label="covariance used")
        used.attribute = "covariance_"
        return used
    check: dict[str, Any] = {"equals": model.covariance_, "attribute": "covariance_", "tolerance": 1e-8}
    if model.priors is not None:
        w.step("Covariance under the priors", "The covariances of the classes, weighted by the given priors.")
        scatters = [rows.scatter(f"T_{k + 1}", f"T_{{{k + 1}}}", f"sums of class {model.classes_[k]}", rows.inside[k])
               for k in range(K)]  # fmt: skip
        factor = rows.size / _divisor(rows) if model.ddof else 1
        more = {} if model.shrinkage else check
        C = w.block(
            "weighted",
            rows.grid(
                lambda i, j: added([rows.priors[k] * scatters[k][i, j] / rows.sizes[k] for k in range(K)]) * factor
            ),
            symbol="B",
            label="weighted covariance",
            **more,
        )
    if not model.shrinkage:
        return C
    w.step("Shrinkage", "Toward the mean variance times the identity.")
    share = w.given("shrinkage", float(model.shrinkage), symbol="a", label="share")
    m = w.cell("mean_variance", added([C[j, j] for j in range(p)]) / p, symbol="m", label="mean variance")
    before = C
    return w.block(
        "covariance",
        rows.grid(lambda i, j: (1 - share) * before[i, j] + share * m if i == j else (1 - share) * before[i, j]),
        symbol="C",
        label="covariance used",
        **check,
    )


def _lines(rows: Classes, inverse: Block) -> None:
    """Slopes and constants of the discriminant functions, and those that the model keeps."""
    w, data, M = rows.w, rows.data, rows.means
    assert M is not None
    p, K = len(data.names), len(rows.inside)
    w.step(
        "Discriminants", "Slopes: the inverse times the mean. Constant: ln of the prior less half of mean times slope."
    )
    A = w.block("slopes", M @ inverse, rows.axis, data.column_axis, symbol="A", label="slopes")
    half = [added([M[k, j] * A[k, j] for j in range(p)]) / 2 for k in range(K)]
    b = w.block("levels", Grid([[_log(rows, k) - half[k]] for k in range(K)], rows.axis, SIDE), symbol="b",
                label="constants")  # fmt: skip
    _boundaries(rows, [[A[k, j] for j in range(p)] for k in range(K)], [b[k, 0] for k in range(K)])
    w.step("Values", "The discriminant functions of every row.")
    coefficients = [[A[k, j] for j in range(p)] for k in range(K)]
    values_of_rows(rows, [b[k, 0] + _along(coefficients[k], rows.x) for k in range(K)])


def _along(coefficients: list[Expr], x: Any) -> Expr:
    return coefficients[0] * x[0] if len(coefficients) == 1 else dot(coefficients, x)


def _boundaries(rows: Classes, coefficients: list[list[Expr]], levels: list[Expr]) -> None:
    """`coef_` and `intercept_`: differences of the discriminants, or these themselves."""
    w, model, data = rows.w, rows.model, rows.data
    K, p = len(coefficients), len(data.names)
    size = float(
        max(np.abs(np.asarray([[a.value for a in row] for row in coefficients])).max(), np.abs(model.coef_).max())
    )
    level = float(max(np.abs(np.asarray([b.value for b in levels])).max(), np.abs(model.intercept_).max()))
    loose: dict[str, Any] = {"tolerance": 1e-6}
    if K == 2:
        w.step("Coefficients", "Second class less first: above zero the second class wins.")
        coef = [
            w.cell(f"coef_{j + 1}", coefficients[1][j] - coefficients[0][j], symbol=rf"\beta_{{{j + 1}}}",
                   label=f"coefficient of {data.names[j]}", equals=model.coef_[0, j], attribute=f"coef_[0, {j}]",
                   scale=size, **loose)
            for j in range(p)
        ]  # fmt: skip
        b = w.cell("intercept", levels[1] - levels[0], symbol=r"\beta_0", label="intercept",
                   equals=model.intercept_[0], attribute="intercept_[0]", scale=level, **loose)  # fmt: skip
        if p == 1 and float(coef[0].value) != 0:
            w.cell("boundary", -b / coef[0], symbol="x^*", label="boundary: both discriminants are equal")
        return
    if model.solver == "svd":
        w.step("Coefficients", "What all classes have in common, their mean under the priors, is taken off.")
        M = rows.means
        assert M is not None
        common = [
            w.cell(f"common_{j + 1}", added([rows.priors[i] * coefficients[i][j] for i in range(K)]),
                   symbol=f"g_{{{j + 1}}}",
                   label=f"mean slope of {data.names[j]}")
            for j in range(p)
        ]  # fmt: skip
        center = [
            w.cell(f"center_{j + 1}", added([rows.priors[i] * M[i, j] for i in range(K)]), symbol=f"z_{{{j + 1}}}",
                   label=f"mean of the means of {data.names[j]}", equals=model.xbar_[j], attribute=f"xbar_[{j}]",
                   scale=float(np.abs(model.means_).max()))
            for j in range(p)
        ]  # fmt: skip
        coefficients = [[coefficients[k][j] - common[j] for j in range(p)] for k in range(K)]
        up = w.cell("common_level", added([center[j] * common[j] for j in range(p)]) / 2, symbol="h",
                    label="half of slope times mean")  # fmt: skip
        levels = [b + up for b in levels]
    else:
        w.step("Coefficients", "The slopes and constants themselves.")
    w.block("coef", Grid(coefficients, rows.axis, data.column_axis), symbol="W", label="coefficients",
            equals=model.coef_,
            attribute="coef_", scale=size, **loose)  # fmt: skip
    w.block("intercept", Grid([[b] for b in levels], rows.axis, SIDE), symbol=r"w_0", label="intercepts",
            equals=model.intercept_[:, None], attribute="intercept_", scale=level, **loose)  # fmt: skip


# ---------------------------------------------------------------------------------------------------------- predictions


@shows("LinearDiscriminantAnalysis.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    w.title = "Linear discriminant analysis: predictions"
    w.intro = "A discriminant for each class; the discriminants as probabilities; the class with the largest."
    axis = class_axis(model)
    variance = float(model.pooled_covariance_[0, 0] if model.solver == "svd" else model.covariance_[0, 0])
    if len(data.names) == 1 and (model.priors_ > 0).all() and variance > 0:
        _predict_one(w, model, data, variance)
        return
    discriminants = model.discriminant_lines
    coefficients = discriminants.slopes + discriminants.common
    w.step("Model", "Slopes and constants of the discriminants: see show_fit.")
    labels = labels_of(w, model, axis)
    A = w.block("slopes", coefficients * discriminants.scale, axis, data.column_axis, symbol="A", label="slopes")
    levels = np.maximum(
        discriminants.levels + discriminants.half - coefficients @ discriminants.center, -1e300
    )  # a prior of zero
    b = w.given("levels", levels, axis, symbol="b", label="constants")
    rows = asked_rows(w, data)
    for row in rows:
        x = begin_row(w, data, row, row == rows[0])
        columns = range(len(data.names))
        terms = dot([A.column(j, f"a_{{{j + 1}}}") for j in columns], [lookup(x, j + 1) for j in columns])
        scale = float(
            np.abs(coefficients * discriminants.scale * data.X[row]).sum() + np.abs(levels[levels > -1e299]).max()
        )
        posterior(w, model, data, row, b + terms, labels, scale)


def _predict_one(w: Working, model: Any, data: Given, variance: float) -> None:
    axis = class_axis(model)
    w.step("Model", "Means of the classes, the variance that they share, and the priors.")
    labels: Cell = labels_of(w, model, axis)
    m = w.given("mean", model.means_[:, 0], axis, symbol="m", label="mean")
    P = w.given("prior", model.priors_, axis, symbol="P", label="prior")
    v = w.given("variance", variance, symbol="v", label="variance within the classes")
    rows = asked_rows(w, data)
    for row in rows:
        x = sum_(begin_row(w, data, row, row == rows[0]))
        scale = float(np.abs(data.X[row, 0] * model.means_ / variance).max())
        posterior(w, model, data, row, x * m / v - m**2 / (2 * v) + ln(P), labels, scale)


# ----------------------------------------------------------------------------------------------------------- projection


@shows("LinearDiscriminantAnalysis.transform")
def transform(w: Working, model: Any, data: Given) -> None:
    w.title = "Linear discriminant analysis: the axes that part the classes"
    w.intro = "Each new column is a combination of the old ones, of variance one within the classes."
    transformed = np.asarray(model.transform(data.table), dtype=np.float64)
    width, p = transformed.shape[1], len(data.names)
    axis = w.axis("axis", width, "m", "M")
    w.step("Model", "The weights of the columns in each axis.")
    V = w.block("scalings", model.scalings_[:, :width], data.column_axis, axis, symbol="V", label="weights")
    V.attribute = "scalings_"
    middle = np.zeros(p) if model.solver == "eigen" else model.xbar_
    center = w.given("center", middle, data.column_axis, symbol="z", label="where the axes cross")
    w.step("Rows", "Every column less its center, times its weight, added up.")
    if p > MOST_MEANS:
        w.note(f"{counted(p, 'column')}: the sums over them are not laid out.")
        w.block("made", transformed, data.row_axis, axis, symbol="T", label="new columns, as found")
        return
    X = w.block("X", data.X, data.row_axis, data.column_axis, symbol="X")
    apart = [X.column(j, f"x_{{{j + 1}}}") - lookup(center, j + 1) for j in range(p)]
    size = float(np.abs(transformed).max(initial=1.0)) + float(
        np.abs(model.scalings_ * middle[:, None]).max(initial=0.0)
    )
    for m in range(width):
        w.cell(f"axis_{m + 1}", _along([V[j, m] for j in range(p)], apart), symbol=f"t_{{{m + 1}}}",
               label=f"axis {m + 1}", equals=transformed[:, m], attribute=f"transform(X)[:, {m}]",
               tolerance=1e-4 if model.transform(data.table).dtype == np.float32 else 1e-8,
               scale=size)  # fmt: skip
