"""How `LinearRegression` gets its numbers by each of its solvers, how it predicts, and where its summary comes from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr, expr
from pellucid.working.language import count, dot, sqrt, student_critical, student_tail, sum_, where
from pellucid.working.matrix import Grid, Inverse
from pellucid.working.model import Working
from pellucid.working.shown import _solvers
from pellucid.working.shown._least_squares import Problem

# Beyond so many columns the matrices are too large to read; the answer is then proven by the condition it meets.
MOST_COLUMNS = 8
MOST_ROTATED = 4  # columns whose rotations one by one are still worth a look
MOST_PREDICTIONS = 20
MANY_COLUMNS = 20  # of which those with a coefficient of 0 are not worth a line

SOLVERS: dict[str, Callable[[Problem], None]] = {
    "simple": _solvers.simple,
    "correlation": _solvers.correlation,
    "normal": _solvers.normal,
    "qr": _solvers.qr,
    "svd": _solvers.svd,
    "lsqr": _solvers.lsqr,
    "positive": _solvers.positive,
    "condition": _solvers.certificate,
}


@shows("LinearRegression.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Linear regression: the fit"
    w.intro = (
        "The coefficients that make the sum of squared errors as small as possible, found by solver "
        f"{model.solver_!r} on {counted(len(data.X), 'row')} and {counted(data.X.shape[1], 'column')}."
    )
    problem = Problem.read(w, model, data)
    SOLVERS[_way(model, data)](problem)
    problem.predictions()


def _way(model: Any, data: Given) -> str:
    """Which working: the solver's own where the table is small enough to be followed."""
    p = data.X.shape[1]
    if model.solver == "auto" and not model.positive and p == 1 and model.solver_ != "lsqr":
        return "simple"
    solver = str(model.solver_)
    if p > MOST_COLUMNS or (solver in ("normal", "qr") and not _independent(model, data)):
        return "condition"
    if solver == "svd" and (p > MOST_ROTATED or _squares_too_far_apart(model)):
        return "condition"
    return solver


def _independent(model: Any, data: Given) -> bool:
    """Can the products of the columns, ones among them, be inverted with digits to spare?"""
    columns = np.column_stack([np.ones(len(data.X)), data.X]) if model.fit_intercept else data.X
    return bool(_solvers.condition(columns.T @ columns) < 1e12)


def _squares_too_far_apart(model: Any) -> bool:
    """Squaring singular values this far apart would leave no digits."""
    singular_values = np.asarray(model.singular_, dtype=np.float64)[: model.rank_]
    return bool(len(singular_values) and singular_values[0] > 1e5 * singular_values[-1])


@shows("LinearRegression.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    w.title = "Linear regression: predictions"
    w.intro = "Each column's value times its coefficient, added up, plus the intercept."
    coef = np.atleast_2d(np.asarray(model.coef_, dtype=np.float64))[data.target]
    intercept = float(np.atleast_1d(model.intercept_)[data.target if np.ndim(model.intercept_) else 0])
    expected = np.asarray(model.predict(data.table), dtype=np.float64).reshape(len(data.X), -1)[:, data.target]
    rows = data.rows or list(range(min(len(data.X), 3)))
    if len(rows) > MOST_PREDICTIONS:
        w.note(f"{len(rows)} rows were asked for; the first {MOST_PREDICTIONS} are shown.")
    elif not data.rows and len(data.X) > len(rows):
        w.note(f"The first {len(rows)} of {len(data.X):,} rows are shown; rows=[...] chooses others.")
    w.step("Model", "The fitted coefficients.")
    used, axis = np.arange(len(coef)), data.column_axis
    if len(coef) > MANY_COLUMNS and 0 < np.count_nonzero(coef) < len(coef):
        used = np.flatnonzero(coef)
        axis = Axis("column", [data.names[j] for j in used], "j", "p")
        w.note(f"{counted(len(coef) - len(used), 'column')} with a coefficient of 0 add nothing and are left out.")
    beta = w.given("coef", coef[used], axis, symbol=r"\beta", label="coefficient")
    b = w.given("intercept", intercept, symbol="b", label="intercept")
    tolerance = 1e-9 if np.asarray(model.coef_).dtype == np.float64 else 1e-5
    for row in dict.fromkeys(rows[:MOST_PREDICTIONS]):
        w.step(f"Row {row}", "Row numbers are counted from 0." if row == rows[0] else "")
        x = w.given(f"x_{row}", data.X[row][used], axis, symbol=f"x_{{{row}}}", label="value")
        term = w.cell(f"term_{row}", beta * x, symbol=f"p_{{{row}}}", label="product")
        w.cell(
            f"prediction_{row}", b + sum_(term), symbol=rf"\hat{{y}}_{{{row}}}", label="prediction",
            equals=expected[row], attribute=f"predict(X)[{row}]", tolerance=tolerance,
            scale=float(np.abs(term.value).sum() + abs(intercept)),
        )  # fmt: skip


@shows("LinearRegression.summary")
def summary(w: Working, model: Any, data: Given) -> None:
    """Sums of squares, standard errors, t and p values, intervals."""
    w.title = "Linear regression: how sure are the coefficients"
    w.intro = "The errors of the fit tell how much the coefficients would differ on other rows of the same kind."
    level, critical = data.options.get("level", 0.95), data.options.get("critical")
    fitted = model.summary(data.table, data.options["y"], data.weight, level=level, critical=critical)

    def want(name: str) -> Any:
        values = np.asarray(getattr(fitted, name))
        return values[data.target] if np.ndim(data.options["y"]) == 2 else values

    problem = Problem.read(w, model, data)
    w.step("Model", "The fitted parameters.")
    labels = ["(intercept)", *data.names] if model.fit_intercept else data.names
    axis = Axis("parameter", labels, "j", "p")
    theta = w.given("theta", want("estimates"), axis, symbol=r"\theta", label="estimate")
    first = int(model.fit_intercept)
    problem.keep([_entry(theta, j + first) for j in range(len(data.names))], _entry(theta, 0))
    sse, sst = _sums(problem, want)
    w.step("Error variance", "The sum of squared errors over the degrees of freedom: rows less parameters.")
    n = count(problem.y)
    if problem.weight is not None:
        n = expr(int(np.count_nonzero(problem.weight.value)))
    df = w.cell(
        "df", n - len(labels) if model.rank_ == len(data.names) else n - (model.rank_ + first),
        symbol=r"\nu", label="degrees of freedom", equals=fitted.df_residual, attribute="df_residual",
    )  # fmt: skip
    mse = w.cell("MSE", sse / df, symbol="s^2", label="error variance", equals=want("mse_df"), attribute="mse_df")
    if sst.value == 0:
        w.note("The target is constant: there is nothing to explain.")
        sst = w.cell("SST_or_1", where(sst > 0, sst, 1), symbol=r"\text{SST₁}", label="1 in place of 0")
    r2 = w.cell(
        "R2", 1 - sse / sst, symbol="R^2", label="share explained", equals=want("r2"), attribute="r2", scale=1.0
    )
    top = n - 1 if first else n
    w.cell(
        "adjusted_R2", 1 - (1 - r2) * top / df, symbol=r"\bar{R}^2", label="corrected for the number of columns",
        equals=want("adjusted_r2"), attribute="adjusted_r2", scale=1.0,
    )  # fmt: skip
    errors = _standard_errors(problem, mse, axis, want("standard_errors"))
    _table(w, theta, errors, df, axis, fitted, want, critical)


def _entry(column: Cell, j: int) -> Any:
    from pellucid.working.language import lookup

    return lookup(column, j + 1)


def _sums(problem: Problem, want: Callable[[str], Any]) -> tuple[Cell, Cell]:
    w = problem.w
    w.step("Predictions and errors", "What the model says for each row, and what it leaves.")
    size = float(np.abs(np.asarray(problem.data.y, dtype=float)).max())
    f = w.cell(
        "fitted", problem.prediction(), symbol=r"\hat{y}", label="prediction", equals=want("fitted") if np.ndim(
            problem.data.options["y"]) == 1 else None, attribute="fitted", scale=size,
    )  # fmt: skip
    e = w.cell("error", problem.y - f, symbol="e", label="error")
    w.step("Sums of squares", "Total = explained + left over, for a model with an intercept.")
    center: Any = 0
    if problem.centered:
        center = w.cell("mean_y", problem.mean(problem.y), symbol=r"\bar{y}", label="mean of the target")
    scale = float(np.asarray(want("sst")))
    sse = w.cell(
        "SSE",
        problem.total(e**2),
        symbol=r"\text{SSE}",
        label="left over",
        equals=want("sse"),
        attribute="sse",
        scale=scale,
    )
    w.cell(
        "SSR", problem.total((f - center) ** 2), symbol=r"\text{SSR}", label="explained", equals=want("ssr"),
        attribute="ssr", scale=scale,
    )  # fmt: skip
    sst = w.cell(
        "SST", problem.total((problem.y - center) ** 2), symbol=r"\text{SST}", label="total", equals=want("sst"),
        attribute="sst",
    )  # fmt: skip
    w.cell("MSE_n", sse / problem.size, symbol=r"\text{MSE}", label="mean squared error, divisor n")
    return sse, sst


def _standard_errors(problem: Problem, mse: Cell, axis: Axis, expected: Any) -> Cell:
    """By the textbook's two formulas for one column; by the inverse of the products for several."""
    w = problem.w
    if not _determined(problem):
        w.note("Columns that are constant, depend on each other or are many: the standard errors are taken as found.")
        w.step("Standard errors", "As the summary has them.")
        return w.given("standard_errors", expected, axis, symbol=r"\text{se}", label="standard error")
    entries = _of_one(problem, mse) if len(problem.x) == 1 else _of_several(problem, mse)
    listed = Grid([[entry] for entry in entries], axis, Axis("", ["standard error"]))
    column = w.block("standard_error_column", listed, symbol="s")
    return w.cell(
        "standard_errors", column.column(0, "s"), symbol=r"\text{se}", label="standard error", equals=expected,
        attribute="standard_errors", tolerance=1e-8,
    )  # fmt: skip


def _determined(problem: Problem) -> bool:
    """Can the products of the columns be inverted with digits to spare?"""
    X = problem.data.X
    weight = np.ones(len(X)) if problem.data.weight is None else problem.data.weight
    apart = X - np.average(X, axis=0, weights=weight) if problem.centered else X
    if X.shape[1] > MOST_COLUMNS or problem.model.dependent_columns_ or not np.ptp(apart, axis=0).all():
        return False
    return _solvers.condition(apart.T @ (weight[:, None] * apart)) < 1e7


def _of_one(problem: Problem, mse: Cell) -> list[Expr]:
    w, (x,) = problem.w, problem.x
    w.step("Standard errors", "How far the coefficients scatter: more rows and a wider x make them surer.")
    center: Any = 0
    if problem.centered:
        center = w.cell("mean_x", problem.mean(x), symbol=r"\bar{x}", label="mean of x")
    sxx = w.cell("Sxx", problem.total((x - center) ** 2), symbol="S_{xx}", label="sum of squares of x")
    slope = w.cell("se_slope", sqrt(mse / sxx), symbol="s_1", label="of the slope")
    if not problem.centered:
        return [slope]
    inside = 1 / problem.size + center**2 / sxx
    return [w.cell("se_intercept", sqrt(mse) * sqrt(inside), symbol="s_0", label="of the intercept"), slope]


def _of_several(problem: Problem, mse: Cell) -> list[Expr]:
    w, names = problem.w, problem.data.names
    columns: list[Expr] = list(problem.x)
    means: list[Expr] = []
    if problem.centered:
        w.step("Spread of the columns", "Each column less its mean.")
        for j, x in enumerate(problem.x):
            label = f"mean of {names[j]}"
            means.append(w.cell(f"mean_x{j + 1}", problem.mean(x), symbol=rf"\bar{{x}}_{{{j + 1}}}", label=label))
        pairs = enumerate(zip(problem.x, means, strict=True))
        columns = [
            w.cell(f"d_{j + 1}", x - mean, symbol=f"d_{{{j + 1}}}", label=f"{names[j]} less its mean")
            for j, (x, mean) in pairs
        ]
    w.step("Standard errors", "From the inverse of the products of the columns.")
    axis, p = Axis("column", names, "j", "p"), range(len(names))
    products = [[problem.total(a * b) for b in columns] for a in columns]
    S = w.block("S", Grid(products, axis, axis), symbol="S", label="products of the columns")
    C = w.block("inverse", Inverse(S), axis, axis, symbol="C", label="inverse of S")
    errors: list[Expr] = [
        w.cell(f"se_{j + 1}", sqrt(mse * C[j, j]), symbol=f"s_{{{j + 1}}}", label=f"of {names[j]}") for j in p
    ]
    if not problem.centered:
        return errors
    inside = 1 / problem.size + dot([means[j] for j in p for _ in p], [C[j, k] * means[k] for j in p for k in p])
    return [w.cell("se_0", sqrt(mse * inside), symbol="s_{0}", label="of the intercept"), *errors]


def _table(
    w: Working, theta: Cell, errors: Cell, df: Cell, axis: Axis, fitted: Any, want: Callable[[str], Any], critical: Any
) -> None:
    w.step("Inference", "Each coefficient against its standard error, and the range it may well lie in.")
    if critical is None:
        alpha = w.given("alpha", 1 - fitted.level, symbol=r"\alpha", label="chance of missing it")
        reach = w.cell(
            "critical", student_critical(alpha, df), symbol=r"t^*", label="critical value", equals=fitted.critical,
            attribute="critical", tolerance=1e-8,
        )  # fmt: skip
    else:
        reach = w.given("critical", float(critical), symbol=r"t^*", label="critical value, as given")
    t = w.cell(
        "t", theta / errors, symbol="t", label="t value", equals=want("t_values"), attribute="t_values", tolerance=1e-8
    )
    w.cell(
        "p_value", student_tail(t, df), symbol="P", label="p value", equals=want("p_values"),
        attribute="p_values", tolerance=1e-7,
    )  # fmt: skip
    bounds = want("intervals")
    size = float(np.abs(bounds).max())
    for name, mark, formula, side in (
        ("low", "L", theta - reach * errors, 0),
        ("high", "U", theta + reach * errors, 1),
    ):
        w.cell(
            name, formula, symbol=mark, label=f"{'lower' if side == 0 else 'upper'} bound", equals=bounds[:, side],
            attribute="intervals", tolerance=1e-8, scale=size,
        )  # fmt: skip
