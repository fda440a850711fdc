"""How logistic regression gets its coefficients, how it predicts, and where its summary comes from."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.base.types import Floats
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr
from pellucid.working.language import absolute, exp, max_, sign, sum_, where
from pellucid.working.matrix import Block, Grid, Inverse
from pellucid.working.model import Working
from pellucid.working.shown import _logistic_summary
from pellucid.working.shown._logistic_classes import naive_bayes, one_versus_rest, predict, softmax
from pellucid.working.shown._logistic_round import first_round
from pellucid.working.shown._logistic_rows import (
    MOST_SLOPES,
    Rows,
    largest,
    loss,
    parameters,
    penalty_value,
    plane_slopes,
    probabilities,
    sigmoid,
    slopes_table,
    strength,
)

MORE = (_logistic_summary, predict)  # register their workings when they are imported

MOST_NEWTON_COLUMNS = 3
MOST_STEPS = 4
WAYS = {
    "newton": "Newton's method",
    "lbfgs": "L-BFGS",
    "coordinate-descent": "coordinate descent",
    "liblinear": "coordinate descent with a penalized intercept",
    "sag": "stochastic average gradients",
    "saga": "SAGA",
}


@shows("LogisticRegression.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    if model.solver_ == "naive Bayes":
        naive_bayes(w, model, data)
        return
    lay_out(w, model, data)


def lay_out(w: Working, model: Any, data: Given) -> None:
    """The fit: data, the solver's passes, and the condition that the answer meets."""
    w.title = "Logistic regression: the fit"
    w.intro = (
        f"The coefficients under which the classes of {counted(len(data.X), 'row')} are least surprising, found by "
        f"{WAYS[model.solver_]} in {counted(int(np.max(model.n_iter_)), 'pass', 'passes')}."
    )
    rows = Rows.read(w, model, data)
    strength(rows)
    if getattr(model, "_warm_", False):
        w.note("This fit began where an earlier one ended; its passes are not laid out.")
    elif model.scheme != "ovr":
        _passes(rows)
    if model.scheme == "binary":
        _two_classes(rows)
    elif model.scheme == "multinomial":
        softmax(rows, _last(rows))
    else:
        one_versus_rest(rows)
    if model.separated_:
        w.note("A plane parts the classes: without a penalty the coefficients would grow for ever.")


def _record(rows: Rows) -> tuple[list[str], Floats] | None:
    """The passes as the kernel told them."""
    if getattr(rows.model, "_warm_", False):
        return None
    columns, table = rows.data.record["passes"]
    return list(columns), table


def _last(rows: Rows) -> dict[str, float]:
    """The last pass; nothing where the passes are not those of this model."""
    record = _record(rows)
    return {} if record is None or not len(record[1]) else dict(zip(record[0], record[1][-1].tolist(), strict=True))


def _passes(rows: Rows) -> None:
    """The cost after every pass, as recorded; pass 0 is the start."""
    record = _record(rows)
    if record is None:
        return
    columns, table = record
    w = rows.w
    w.step("Passes", "What the solver tells of its way: the cost, and what it compares with its tolerance.")
    axis = w.axis("pass", [int(number) for number in table[:, 0]], "t", "T")
    w.given("recorded_cost", table[:, columns.index("objective")], axis, symbol="F", label="cost")
    criterion = "slope" if "slope" in columns else "measure"
    label = "largest slope" if criterion == "slope" else "how far from the minimum"
    w.given("recorded_measure", table[:, columns.index(criterion)], axis, symbol="g^*", label=label)
    if rows.model.scheme == "binary" and rows.model.solver_ == "newton":
        _newton(rows, columns, table)
    if "round" in rows.data.record and rows.is_short:
        _target(rows)
        first_round(rows)


# --------------------------------------------------------------------------------------------------------------- Newton


def _newton(rows: Rows, columns: list[str], table: Floats) -> None:
    """Steps of Newton's method: the slopes, the curvatures, and where the parabola has its lowest point."""
    w, p = rows.w, len(rows.data.names)
    if p > MOST_NEWTON_COLUMNS or "coef_0" not in columns:
        return
    first = columns.index("coef_0")
    path = table[:, first : first + p + int(rows.model.fit_intercept)]
    step = table[:, columns.index("step")]
    w.step("Start", "Where Newton's method begins.")
    theta: list[Expr] = [
        w.given(f"start_{j + 1}", float(value), symbol=rf"\theta_{{{j + 1}}}^{{(0)}}", label=_names(rows)[j])
        for j, value in enumerate(path[0])
    ]
    n_shown = min(len(path) - 1, MOST_STEPS)
    for t in range(1, n_shown + 1):
        new_theta = _newton_step(rows, t, theta, float(step[t]))
        if new_theta is None:
            return
        scale = float(np.abs(path[t]).max())
        for j, cell in enumerate(new_theta):
            w.check(cell, float(path[t, j]), f"the recorded {_names(rows)[j]}", 1e-5, scale)
        theta = list(new_theta)
    if n_shown < len(path) - 1:
        w.note(f"{counted(len(path) - 1 - n_shown, 'pass', 'passes')} after the first {n_shown} are not laid out.")
    elif n_shown:
        rows.end = theta


def _names(rows: Rows) -> list[str]:
    extra = ["intercept"] if rows.model.fit_intercept else []
    return [*(f"coefficient of {name}" for name in rows.data.names), *extra]


def _newton_step(rows: Rows, t: int, theta: list[Expr], length: float) -> list[Cell] | None:
    w, p = rows.w, len(rows.data.names)
    target = _target(rows)
    w.step(f"Newton step {t}: slopes", "What the model says now, how far off it is, and how the cost slopes.", turn=t)
    f = w.cell(f"f_{t}", rows.score(theta[:p], theta[p] if len(theta) > p else None), symbol="f", label="score")
    prob = w.cell(f"p_{t}", sigmoid(f), symbol="p", label="probability")
    error = w.cell(f"e_{t}", prob - target, symbol="e", label="probability less target")
    entries, labels = plane_slopes(rows, error, theta[:p], theta[p] if len(theta) > p else None)
    axis = Axis("parameter", labels, "j", "m")
    slope_axis = Axis("", ["slope"])
    g = w.block(f"g_{t}", Grid([[entry] for entry in entries], axis, slope_axis), symbol="g", label="slopes")
    w.step(f"Newton step {t}: curvatures", "Rows near one half bend the cost most: p (1 − p).", turn=t)
    v = w.cell(f"v_{t}", prob * (1 - prob), symbol="v", label="curvature of the row")
    columns: list[Any] = [*rows.x, *([1] if len(theta) > p else [])]
    l2 = w.cells.get("l2")
    grid = [[_curvature(rows, v, a, b, i, j, l2, p) for j, b in enumerate(columns)] for i, a in enumerate(columns)]
    H = w.block(f"H_{t}", Grid(grid, axis, axis), symbol="H", label="curvatures")
    if not np.isfinite(H.value).all() or np.linalg.cond(H.value) > 1e11:
        w.note("The columns depend on each other here: the step is that of a slightly steeper bowl, and not laid out.")
        return None
    return _newton_move(rows, t, theta, g, H, axis, length)


def _curvature(rows: Rows, v: Cell, a: Any, b: Any, i: int, j: int, l2: Any, p: int) -> Expr:
    body: Expr = (
        v * a * b if not isinstance(a, int) and not isinstance(b, int) else v * (a if isinstance(b, int) else b)
    )
    if isinstance(a, int) and isinstance(b, int):
        body = v
    curvature = rows.mean(body)
    return curvature + l2 if i == j < p and isinstance(l2, Cell) else curvature


def _newton_move(rows: Rows, t: int, theta: list[Expr], g: Block, H: Block, axis: Axis, length: float) -> list[Cell]:
    w = rows.w
    w.step(
        f"Newton step {t}: move", "To the lowest point of the parabola that has these slopes and curvatures.", turn=t
    )
    d = w.block(f"d_{t}", Inverse(H) @ g, axis, Axis("", ["move"]), symbol="d", label="slopes over curvatures")
    share = w.given(f"t_{t}", length, symbol="s", label="share of the move, halved where the cost would not fall")
    names = _names(rows)
    return [
        w.cell(
            f"theta_{t}_{j + 1}",
            before - share * d[j, 0],
            symbol=rf"\theta_{{{j + 1}}}^{{({t})}}",
            label=names[j],
        )
        for j, before in enumerate(theta)
    ]


# ---------------------------------------------------------------------------------------------------------- two classes


def _target(rows: Rows) -> Cell:
    """1 for the second class, in a step of its own."""
    if "is_1" not in rows.w.cells:
        rows.w.step("Target", "The class whose log odds are modeled.")
    return rows.in_class(1)


def _two_classes(rows: Rows) -> None:
    w, model = rows.w, rows.model
    last = _last(rows)
    target = _target(rows)
    w.step("Result", "The fitted coefficients.")
    if not rows.is_short:
        _many_columns(rows, target)
        return
    coef, intercept = parameters(rows, 0)
    f = binary_rows(rows, coef, intercept, target)
    cost = total_cost(rows, [(coef, intercept)], loss(f, target), last.get("objective"))
    assert cost is not None
    if model._penalty_.ratio == 0:
        w.step("Condition", "At the minimum the cost has no slope: errors and columns cancel, but for the penalty.")
        prob = w.cells["probability"]
        assert isinstance(prob, Cell)
        error = w.cell("error", prob - target, symbol="e", label="probability less target")
        largest(rows, slopes_table(rows, *plane_slopes(rows, error, coef, intercept)), last.get("slope"))
    else:
        _subgradients(rows, coef, intercept, target)


def binary_rows(rows: Rows, coef: list[Expr], intercept: Expr | None, target: Cell) -> Cell:
    """Score, odds and probability of every row."""
    w, model = rows.w, rows.model
    w.step("Rows", "The linear score of each row is its log odds; the sigmoid makes a probability of it.")
    scores = np.asarray(model.decision_function(rows.data.table), dtype=np.float64)
    size = float(np.abs(scores).max(initial=1e-12))
    f = w.cell(
        "score", rows.score(coef, intercept), symbol="f", label="score: log odds", equals=scores,
        attribute="decision_function(X)", tolerance=rows.tolerance, scale=size,
    )  # fmt: skip
    if size < 700:
        w.cell("odds", exp(f), symbol="o", label="odds")
        w.cell(
            "probability", sigmoid(f), symbol="p", label=f"probability of {model.classes_[1]}",
            equals=probabilities(model, rows.data)[:, 1], attribute="predict_proba(X)[:, 1]", tolerance=rows.tolerance,
            scale=1.0,
        )  # fmt: skip
    else:
        w.note("Some scores are beyond what a power of e can hold; their probabilities are 0 or 1.")
        small = where(f > 0, 1, 0)
        near = where(absolute(f) < 700, 1 / (1 + exp(-where(absolute(f) < 700, f, 0))), small)
        w.cell("probability", near, symbol="p", label=f"probability of {model.classes_[1]}")
    return f


def total_cost(rows: Rows, planes: list[tuple[list[Expr], Expr | None]], of_row: Expr, recorded: float | None) -> Cell:
    """Losses of the rows, their mean, and the penalty."""
    w = rows.w
    w.step("Cost", "The surprise at each row's class, −ln of its probability; their mean, and the penalty.")
    each = w.cell("row_loss", of_row, symbol="l", label="loss of the row")
    mean = w.cell("log_loss", rows.mean(each), symbol="L", label="mean: log loss, cross entropy")
    added = penalty_value(rows, planes)
    check: dict[str, Any] = {}
    if recorded is not None:
        check = {"equals": recorded, "attribute": "the recorded cost", "tolerance": 1e-4 if rows.single else 1e-7}
    formula = mean if added is None else mean + w.cell("penalty", added, symbol="h", label="penalty")
    return w.cell("cost", formula, symbol="F", label="cost", scale=1.0, **check)


def _subgradients(rows: Rows, coef: list[Expr], intercept: Expr | None, target: Cell) -> None:
    """Under l1 a coefficient that is zero may keep a slope up to the threshold; another has just that slope."""
    w = rows.w
    w.step(
        "Condition",
        "At the minimum the slope of a coefficient that is not zero is that of l1, with its sign; one that is zero has "
        "a slope of at most that.",
    )
    prob = w.cells["probability"]
    assert isinstance(prob, Cell)
    error = w.cell("error", prob - target, symbol="e", label="probability less target")
    entries, labels = plane_slopes(rows, error, coef, intercept)
    if len(entries) > MOST_SLOPES:
        return
    gradients = slopes_table(rows, entries, labels)
    values = [float(c.value) for c in coef] + ([] if intercept is None else [float(intercept.value)])
    axis = gradients.axis
    scaling = float(rows.model.intercept_scaling)
    share = [1.0] * len(coef) + ([] if intercept is None else [float(rows.model.solver_ == "liblinear") / scaling])
    beta = w.given("parameter", np.array(values), axis, symbol=r"\beta", label="coefficient")
    l1_share = w.given("penalized", np.array(share), axis, symbol="u", label="how far l1 counts it")
    l1 = w.cells["l1"]
    assert isinstance(l1, Cell)
    at_zero = where(absolute(gradients) > l1 * l1_share, absolute(gradients) - l1 * l1_share, 0)
    missed = where(absolute(beta) > 0, absolute(gradients + l1 * l1_share * sign(beta)), at_zero)
    miss = w.cell("missed", missed, symbol="m", label="by how much it is missed")
    w.cell("most_missed", max_(miss), symbol="m^*", label="largest of these")


def _many_columns(rows: Rows, target: Cell) -> None:
    """So many columns that their formulas could not be read: the scores as the model has them, and what follows."""
    w, model, data = rows.w, rows.model, rows.data
    w.note(f"{counted(len(data.names), 'column')}: sums over them are not laid out.")
    coef = w.given("coef", np.asarray(model.coef_, dtype=np.float64)[0], data.column_axis, symbol=r"\beta",
                   label="coefficient")  # fmt: skip
    b = w.given("intercept", float(np.asarray(model.intercept_)[0]), symbol="b", label="intercept")
    scores = np.asarray(model.decision_function(data.table), dtype=np.float64)
    f = w.given("score", scores, data.row_axis, symbol="f", label="score: log odds, as found")
    w.step("Cost", "The surprise at each row's class, −ln of its probability; their mean, and the penalty.")
    each = w.cell("row_loss", loss(f, target), symbol="l", label="loss of the row")
    formula = rows.mean(each)
    for name, power in (("l1", 1), ("l2", 2)):
        cell = w.cells.get(name)
        if isinstance(cell, Cell):
            formula = formula + (cell * sum_(absolute(coef)) if power == 1 else cell / 2 * sum_(coef**2))
            if model.solver_ == "liblinear":
                scaled = b / float(model.intercept_scaling)
                formula = formula + (cell * absolute(scaled) if power == 1 else cell / 2 * scaled**2)
    recorded = _last(rows).get("objective")
    check: dict[str, Any] = {}
    if recorded is not None:
        check = {"equals": recorded, "attribute": "the recorded cost", "tolerance": 1e-4 if rows.single else 1e-7}
    w.cell("cost", formula, symbol="F", label="cost", scale=1.0, **check)
