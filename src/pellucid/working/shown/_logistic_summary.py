"""Where the figures of a logistic summary come from: likelihood, information, standard errors, odds ratios."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.linear_model._logistic_inference import penalty_curvature
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr, expr
from pellucid.working.language import (
    absolute,
    chi_squared_tail,
    dot,
    exp,
    ln,
    normal_below,
    normal_quantile,
    sqrt,
    where,
)
from pellucid.working.matrix import ColumnOf, Grid, Inverse
from pellucid.working.model import Working
from pellucid.working.shown._logistic_rows import Rows

MOST_PARAMETERS = 9


@shows("LogisticRegression.summary", "LogisticRegressionCV.summary")
def summary(w: Working, model: Any, data: Given) -> None:
    """Information, standard errors, z and p values, odds ratios, deviance."""
    w.title = "Logistic regression: how sure are the coefficients"
    w.intro = "The likelihood has a peak at the coefficients; the sharper it is, the surer they are."
    level, critical = data.options.get("level", 0.95), data.options.get("critical")
    labels = model.classes_[np.asarray(data.options["y"]).ravel().astype(int)]
    fitted = model.summary(data.table, labels, data.weight, level=level, critical=critical)
    if fitted.approximate:
        w.note(f"Approximate: {fitted.approximate}.")
    rows = Rows.read(w, model, data)
    w.step("Model", f"The log odds of each class against {model.classes_[0]}.")
    estimates = np.atleast_2d(fitted.estimates)
    axis = _axis(model, fitted, estimates)
    theta = w.given("estimate", estimates.ravel(), axis, symbol=r"\theta", label="estimate")
    small = estimates.size <= MOST_PARAMETERS and rows.is_short
    probabilities = _likelihood(rows, estimates, fitted, small)
    errors = _errors(rows, probabilities, fitted, axis)
    _inference(w, theta, errors, fitted, critical)


def _axis(model: Any, fitted: Any, estimates: Any) -> Axis:
    labels = list(fitted.names)
    if len(estimates) > 1:
        labels = [f"{name}, {label}" for label in model.classes_.tolist()[1:] for name in fitted.names]
    return Axis("parameter", labels, "j", "m")


def _likelihood(rows: Rows, estimates: Any, fitted: Any, small: bool) -> list[Cell] | None:
    """Probabilities of the classes but the first, and the likelihood; as found where the formulas would be long."""
    w, model, data = rows.w, rows.model, rows.data
    first = int(model.fit_intercept)
    if not small:
        logs = np.asarray(model.predict_log_proba(data.table), dtype=np.float64)
        w.step("Likelihood", "The logarithm of the probability of each row's class, as found.")
        of_class = logs[np.arange(len(logs)), rows.codes]
        row_log_proba = w.given("own", of_class, data.row_axis, symbol=r"\ell", label="log of its probability")
        _fit_figures(rows, row_log_proba, fitted)
        return None
    w.step("Probabilities", "Powers of e of the scores, as shares of their sum.")
    scores: list[Cell] = []
    planes: list[tuple[list[Expr], Expr | None]] = []
    for a, row in enumerate(estimates):
        of = "" if len(estimates) == 1 else f", class {model.classes_[a + 1]}"
        coef = [w.given(f"c_{a + 1}_{j + 1}", float(v), symbol=rf"\beta_{{{a + 1},{j + 1}}}",
                        label=f"coefficient of {data.names[j]}{of}") for j, v in enumerate(row[first:])]  # fmt: skip
        b = w.given(f"b_{a + 1}", float(row[0]), symbol=f"b_{{{a + 1}}}", label=f"intercept{of}") if first else None
        planes.append((list(coef), b))
    for a, plane in enumerate(planes):
        label = f"score of {model.classes_[a + 1]}"
        scores.append(w.cell(f"s_{a + 1}", rows.score(*plane), symbol=f"s_{{{a + 1}}}", label=label))
    top: Expr = expr(0)
    for s in scores:
        top = where(s > top, s, top)
    m = w.cell("top", top, symbol="m", label="largest, that of the first class being 0")
    powers = [w.cell(f"e_{a + 1}", exp(s - m), symbol=f"e_{{{a + 1}}}", label="power") for a, s in enumerate(scores)]
    every: Expr = exp(-m)
    for power in powers:
        every = every + power
    E = w.cell("power_sum", every, symbol="E", label="sum, the first class among it")
    probabilities = [
        w.cell(f"p_{a + 1}", power / E, symbol=f"p_{{{a + 1}}}", label=f"probability of {model.classes_[a + 1]}")
        for a, power in enumerate(powers)
    ]
    w.step("Likelihood", "The logarithm of the probability of each row's class.")
    inside = [rows.in_class(a + 1) for a in range(len(scores))]
    row_log_proba = w.cell("own", dot(inside, scores) - m - ln(E), symbol=r"\ell", label="log of its probability")
    _fit_figures(rows, row_log_proba, fitted)
    return probabilities


def _fit_figures(rows: Rows, row_log_proba: Cell, s: Any) -> None:
    """Log likelihoods, deviances, information criteria."""
    w, k = rows.w, len(rows.model.classes_)
    n = w.cell("n", rows.size, symbol="n", label="rows", equals=s.n_rows, attribute="n_rows")
    full = w.cell("log_likelihood", rows.total(row_log_proba), symbol=r"\ell", label="log likelihood",
                  equals=s.log_likelihood, attribute="log_likelihood", tolerance=_margin(rows), scale=1.0)  # fmt: skip
    w.step("Without columns", "The same of a model that knows the shares of the classes alone.")
    null: Expr = -n * ln(expr(float(k)))
    if rows.model.fit_intercept:
        terms = []
        for c in range(k):  # all columns before the sums: one table
            rows.in_class(c)
        for c in range(k):
            size = w.cell(f"n_{c + 1}", rows.total(rows.in_class(c)), symbol=f"n_{{{c + 1}}}",
                          label=f"rows of {rows.model.classes_[c]}")  # fmt: skip
            terms.append(size * ln(size / n))
        null = terms[0]
        for term in terms[1:]:
            null = null + term
    empty = w.cell("null_log_likelihood", null, symbol=r"\ell_0", label="log likelihood without columns",
                   equals=s.null_log_likelihood, attribute="null_log_likelihood")  # fmt: skip
    w.step("Goodness of fit", "Deviances, information criteria, and what the columns explain.")

    def figure(name: str, formula: Expr, symbol: str, label: str) -> Cell:
        expected = getattr(s, name)
        margin = {"equals": expected, "attribute": name, "tolerance": _margin(rows), "scale": abs(s.null_deviance)}
        return w.cell(name, formula, symbol=symbol, label=label, **margin)

    deviance = figure("deviance", -2 * full, "D", "deviance")
    null_deviance = figure("null_deviance", -2 * empty, "D_0", "deviance without columns")
    m = w.given("parameters", float(np.size(s.estimates)), symbol="m", label="parameters")
    figure("aic", deviance + 2 * m, r"\text{AIC}", "Akaike's criterion")
    figure("bic", deviance + m * ln(n), r"\text{BIC}", "Bayesian criterion")
    w.cell("mcfadden_r2", 1 - full / empty, symbol="R^2", label="McFadden's R²", equals=s.mcfadden_r2,
           attribute="mcfadden_r2", tolerance=_margin(rows), scale=1.0)  # fmt: skip
    fall = figure("likelihood_ratio", null_deviance - deviance, r"\Lambda", "fall of the deviance")
    if s.df_model > 0 and fall.value > 0:
        df = w.given("df_model", float(s.df_model), symbol=r"\nu", label="parameters besides the intercepts")
        w.cell("likelihood_ratio_p", chi_squared_tail(fall, df), symbol="P", label="chance of as large a fall",
               equals=s.likelihood_ratio_p, attribute="likelihood_ratio_p", tolerance=1e-3 if rows.single else 1e-6,
               scale=1e-12)  # fmt: skip


def _margin(rows: Rows) -> float:
    return 1e-4 if rows.single else 1e-8


def _errors(rows: Rows, probabilities: list[Cell] | None, s: Any, axis: Axis) -> Cell | ColumnOf:
    w = rows.w
    expected = np.ravel(s.standard_errors)
    if probabilities is None or not np.isfinite(expected).all():
        w.step("Standard errors", "As the summary has them.")
        return w.given("standard_errors", expected, axis, symbol=r"\text{se}", label="standard error")
    text = "How sharply the likelihood bends: products of the columns, each row with p (1 − p)."
    curvature = penalty_curvature(rows.model, (len(probabilities), len(rows.x) + int(rows.model.fit_intercept)))
    text += " The penalty bends it too: what it adds stands at the end of an entry." if np.any(curvature) else ""
    w.step("Information", text)
    columns: list[Any] = [*([None] if rows.model.fit_intercept else []), *rows.x]
    grid = [
        [_information(rows, probabilities, a, b, x, y) for b in range(len(probabilities)) for y in columns]
        for a in range(len(probabilities))
        for x in columns
    ]
    for i, row in enumerate(grid):
        for j in range(len(row)):
            if curvature[i, j] != 0:
                row[j] = row[j] + float(curvature[i, j])
    information = w.block("information", Grid(grid, axis, axis), symbol="I", label="information")
    inverse = w.block("covariance", Inverse(information), axis, axis, symbol="V", label="its inverse: covariances",
                      equals=s.covariance, attribute="covariance", tolerance=1e-3 if rows.single else 1e-6)  # fmt: skip
    entries = [[sqrt(inverse[j, j])] for j in range(len(axis))]
    column = w.block("standard_errors", Grid(entries, axis, Axis("", ["standard error"])), symbol=r"\text{se}",
                     label="standard errors", equals=expected[:, None], attribute="standard_errors",
                     tolerance=1e-3 if rows.single else 1e-6)  # fmt: skip
    return column.column(0, r"\text{se}")


def _information(rows: Rows, probabilities: list[Cell], a: int, b: int, x: Any, y: Any) -> Expr:
    curve = probabilities[a] * (1 - probabilities[a]) if a == b else -probabilities[a] * probabilities[b]
    for column in (x, y):
        curve = curve if column is None else curve * column
    return rows.total(curve)


def _inference(w: Working, theta: Cell, errors: Cell | ColumnOf, s: Any, critical: Any) -> None:
    w.step("Inference", "Each coefficient against its standard error, the range it may well lie in, its odds ratio.")
    if critical is None:
        alpha = w.given("alpha", 1 - s.level, symbol=r"\alpha", label="chance of missing it")
        reach = w.cell("critical", normal_quantile(1 - alpha / 2), symbol=r"z^*", label="critical value",
                       equals=s.critical, attribute="critical", tolerance=1e-7)  # fmt: skip
    else:
        reach = w.given("critical", float(critical), symbol=r"z^*", label="critical value, as given")
    if not np.isfinite(errors.value).all():
        w.note("Some coefficients are not determined by these rows: they have no standard error.")
        return
    z = w.cell("z", theta / errors, symbol="z", label="z value", equals=np.ravel(s.z_values), attribute="z_values",
               tolerance=1e-5, scale=1.0)  # fmt: skip
    w.cell("p_value", 2 * normal_below(-absolute(z)), symbol="P", label="p value", equals=np.ravel(s.p_values),
           attribute="p_values", tolerance=1e-4, scale=1e-6)  # fmt: skip
    bounds = np.reshape(s.intervals, (-1, 2))
    size = float(np.abs(bounds).max())
    cells = {}
    for name, mark, formula, side in (
        ("low", "L", theta - reach * errors, 0),
        ("high", "U", theta + reach * errors, 1),
    ):
        cells[name] = w.cell(name, formula, symbol=mark, label=f"{'lower' if side == 0 else 'upper'} bound",
                             equals=bounds[:, side], attribute="intervals", tolerance=1e-5, scale=size)  # fmt: skip
    if size < 300:
        w.cell("odds_ratio", exp(theta), symbol=r"\omega", label="odds ratio", equals=np.ravel(s.odds_ratios),
               attribute="odds_ratios")  # fmt: skip
        ratios = np.reshape(s.odds_ratio_intervals, (-1, 2))
        for name, side in (("low", 0), ("high", 1)):
            w.cell(f"odds_ratio_{name}", exp(cells[name]), symbol=rf"\omega_{{{'L' if side == 0 else 'U'}}}",
                   label=f"its {'lower' if side == 0 else 'upper'} bound", equals=ratios[:, side],
                   attribute="odds_ratio_intervals", tolerance=1e-3)  # fmt: skip
