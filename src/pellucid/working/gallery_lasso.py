"""Worked examples about the lasso and the elastic net: thresholds, scales of cost, and which coefficients stay."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from pellucid.base.types import Floats
from pellucid.linear_model import ElasticNet, GradientDescentRegressor, Lasso
from pellucid.preprocessing import PolynomialFeatures, StandardScaler
from pellucid.reference.coordinate_descent import lasso_homotopy, powers
from pellucid.working.expression import Axis, Cell
from pellucid.working.gallery_base import Example, cell_of, column, example, parts_of
from pellucid.working.language import absolute, count, equal, max_, mean, min_, sum_, where
from pellucid.working.matrix import Grid, Inverse
from pellucid.working.model import Working


def _line(X: Floats, y: Any, model: Any) -> Working:
    working: Working = model.fit(X, y).show_fit(X, y)
    return working


def _at(w: Working, name: str, prefix: str, x: Cell, label: str) -> Cell:
    """The prediction of one part's line at a new x."""
    prediction = cell_of(w, f"{prefix}.intercept") + cell_of(w, f"{prefix}.slope") * x
    return w.cell(name, prediction, symbol=rf"\hat{{y}}_{{{name}}}", label=label)


@example("002-lasso-small-line")
def lasso_line(e: Example) -> Working:
    X, y, alpha = column(e.data["x1"]), e.data["y"], e.settings["alpha"]
    w = parts_of(
        ("half", "Half the mean squared error", _line(X, y, Lasso(alpha))),
        ("whole", "The mean squared error", _line(X, y, Lasso(alpha, cost="squared"))),
        ("double", "Twice the alpha", _line(X, y, Lasso(2 * alpha, cost="squared"))),
    )
    w.step("Predictions", "What each of the three says for a new row.")
    x = w.given("new_x", 1.5, symbol="x^*", label="new x")
    _at(w, "prediction", "half", x, "with half the mean squared error")
    _at(w, "prediction_whole", "whole", x, "with the mean squared error")
    _at(w, "prediction_double", "double", x, "with the mean squared error and twice the alpha")
    return w


@example("002-elastic-net-small-line")
def elastic_net_line(e: Example) -> Working:
    X, y, alpha, r = column(e.data["x1"]), e.data["y"], e.settings["alpha"], e.settings["l1_ratio"]
    w = parts_of(
        ("half", "Half the mean squared error", _line(X, y, ElasticNet(alpha, l1_ratio=r))),
        ("whole", "The mean squared error", _line(X, y, ElasticNet(alpha, l1_ratio=r, cost="squared"))),
        ("lasso", "All of it on the sizes", _line(X, y, ElasticNet(alpha, l1_ratio=1))),
        ("ridge", "All of it on the squares", _line(X, y, ElasticNet(alpha, l1_ratio=0))),
    )
    w.step("Predictions", "What each of the four says for a new row.")
    x = w.given("new_x", 1.5, symbol="x^*", label="new x")
    for prefix, label in (
        ("half", "with half the mean squared error"),
        ("whole", "with the mean squared error"),
        ("lasso", "r = 1, the lasso"),
        ("ridge", "r = 0, ridge"),
    ):
        _at(w, f"prediction_{prefix}", prefix, x, label)
    return w


# ------------------------------------------------------------------------------------------------------------ geometry


def _walk(X: Floats, y: Any, e: Example, **settings: Any) -> Working:
    steps = e.settings["n_iterations"]
    model = GradientDescentRegressor(
        cost="squared", fit_intercept=False, eta0=e.settings["eta"], max_iter=steps, start=e.settings["start"],
        tol=None, gradient_tol=None, **settings,
    ).fit(X, y)  # fmt: skip
    working: Working = model.show_fit(X, y)
    return working


@example("002-lasso-versus-ridge-geometry")
def geometry(e: Example) -> Working:
    X, y = np.array(e.data["X"]), np.array(e.data["y"])
    alpha = e.settings["alpha_l1"]
    common: dict[str, Any] = {"cost": "squared", "fit_intercept": False}
    w = parts_of(
        ("lasso", "Lasso", _line(X, y, Lasso(alpha, **common))),
        ("ridge", "Ridge", _line(X, y, ElasticNet(0.2, l1_ratio=0, **common))),
        ("data", "Walk on the errors alone", _walk(X, y, e)),
        ("walk", "Walk on the lasso's cost", _walk(X, y, e, penalty="l1", alpha=alpha)),
        ("size", "Walk on the sizes alone", _walk(0 * X, 0 * y, e, penalty="l1", alpha=1 / 3)),
        ("squares", "Walk on the ridge's cost", _walk(X, y, e, penalty="l2", alpha=0.2)),
    )
    w.step("Without a penalty", "The coefficients that the errors alone would choose, from their two equations.")
    block = w.cells["lasso.X"]
    columns = [block.column(j, f"x_{{{j + 1}}}") for j in (0, 1)]  # type: ignore[union-attr]
    names = Axis("column", ["x1", "x2"], "j", "p")
    target = cell_of(w, "lasso.y")
    G = w.block("G", Grid([[sum_(a * b) for b in columns] for a in columns], names, names), symbol="G")
    c = w.block("c", Grid([[sum_(a * target)] for a in columns], names, Axis("", ["Σ"])), symbol="c")
    w.block("free", Inverse(G) @ c, names, Axis("", ["θ"]), symbol=r"\theta", label="minimum without a penalty")
    w.step("How the walks go", "A step of fixed size jumps across zero; only a threshold lands on it.")
    _changes(w, "walk_bounces", "walk.theta_2", -1.0, "changes of sign of the second, on the lasso's cost")
    for j, first in ((1, 0.25), (2, -1.0)):
        _first_change(w, f"first_{j}", f"size.theta_{j}", first, f"step before the sign of coefficient {j} changes")
    sooner = cell_of(w, "first_1") < cell_of(w, "first_2")
    w.cell("sooner", sooner, label="is it the first one sooner?")
    return w


def _shifted(w: Working, name: str, of: str, first: float) -> tuple[Cell, Cell]:
    """A walked coefficient beside itself one step before."""
    theta = cell_of(w, of)
    assert theta.axis is not None
    before = np.concatenate([[first], np.asarray(theta.value)[:-1]])
    return theta, w.given(f"{name}_before", before, theta.axis, symbol=r"\theta'", label="one step before")


def _changes(w: Working, name: str, of: str, first: float, label: str) -> None:
    theta, before = _shifted(w, name, of, first)
    flips = w.cell(f"{name}_flips", where(theta * before < 0, 1, 0), symbol="u", label="does the sign change?")
    w.cell(name, sum_(flips), symbol="k", label=label)


def _first_change(w: Working, name: str, of: str, first: float, label: str) -> None:
    theta, before = _shifted(w, name, of, first)
    assert theta.axis is not None
    step = w.given(f"{name}_steps", np.arange(len(theta.axis)), theta.axis, symbol="t", label="steps before")
    n_steps = len(theta.axis)
    flips = w.cell(f"{name}_at", where(theta * before < 0, step, n_steps), symbol="u", label="where the sign changes")
    w.cell(name, min_(flips), symbol="m", label=label)


# ----------------------------------------------------------------------------------------------------------- degree 10


def standardized(e: Example) -> Floats:
    expanded = PolynomialFeatures(e.settings["degree"], include_bias=False).fit_transform(column(e.data["x1"]))
    return np.asarray(StandardScaler().fit_transform(expanded), dtype=np.float64)


@example("002-lasso-degree10-sparsity")
def degree_ten(e: Example) -> Working:
    X, y, smallest = standardized(e), np.asarray(e.data["y"]), e.settings["alpha_in_source"]
    sections = [
        (f"alpha_{alpha:g}", f"Alpha {alpha:g}", _line(X, y, Lasso(alpha))) for alpha in (smallest, 0.001, 0.01, 0.1, 1)
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a thousand passes are far too few, which is the point
        plain = Lasso(smallest, accelerate=False, tol=0).fit(X, y)
        sections.append(("plain", "A thousand plain passes", plain.show_fit(X, y)))
    w = parts_of(*sections)
    _path(w, e, smallest)
    w.step("What stays", "How many coefficients are other than zero.")
    for name, title, _ in sections:
        coef = cell_of(w, f"{name}.coef")
        w.cell(f"{name}_used", sum_(where(equal(coef, 0), 0, 1)), symbol="k", label=f"{title}: other than zero")
    w.step("The largest alpha", "Above the largest mean product of a column with the centered target all are zero.")
    first = w.cells[f"alpha_{smallest:g}.X"]
    target = cell_of(w, f"alpha_{smallest:g}.y")
    names = cell_of(w, f"alpha_{smallest:g}.coef").axis
    assert names is not None
    v = w.cell("v", target - mean(target), symbol="v", label="target less its mean")
    gradients = [[sum_(first.column(j, f"x_{{{j + 1}}}") * v) / count(v)] for j in range(len(names))]  # type: ignore[union-attr]
    block = w.block("slopes", Grid(gradients, names, Axis("", ["slope"])), symbol="g", label="slopes at zero")
    w.cell("largest", max_(absolute(block.column(0, "g"))), symbol=r"\alpha_{max}", label="largest alpha of effect")
    return w


def _path(w: Working, e: Example, smallest: float) -> None:
    """Where along a falling alpha a degree joins or leaves: worked out in 80 digits, which these columns need."""
    events, _ = lasso_homotopy(powers(e.data["x1"], e.settings["degree"]), e.data["y"], smallest)
    w.step("The whole path", "As alpha falls, degrees join and leave again. Worked out in 80 digits; taken as found.")
    w.given("first", float(events[0].before[0] + 1), symbol="k_0", label="degree that joins first")
    axis = w.axis("event", len(events) - 1, "a", "A")
    w.given("event_alpha", np.array([event.alpha for event in events[:-1]]), axis, symbol=r"\alpha", label="alpha")
    degrees = np.array([float((event.column or 0) + 1) for event in events[:-1]])
    joins = np.array([1.0 if event.what == "add" else -1.0 for event in events[:-1]])
    w.given("event_degree", degrees, axis, symbol="k", label="degree")
    w.given("event_joins", joins, axis, symbol="u", label="joins (1) or leaves (-1)")
