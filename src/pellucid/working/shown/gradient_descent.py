"""How `GradientDescentRegressor` walks to its parameters: every update with its numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.base.types import Floats
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr, Window, expr
from pellucid.working.language import count, dot, lookup, mean, previous, sign, sqrt, sum_
from pellucid.working.matrix import ColumnOf
from pellucid.working.model import Working
from pellucid.working.shown.linear_regression import MOST_COLUMNS, predict

# Updates that are laid out from the start; of a longer run the others are left out, and the end is taken as found.
MOST_UPDATES = 10_000
STOPS = {
    "gradient": "the gradient was short enough",
    "improvement": "the last epochs brought no improvement",
    "count": "the count of epochs or updates was used up",
    "callback": "a callback asked for it",
}

shows("GradientDescentRegressor.predict")(predict)


@dataclass
class Descent:
    """One run as it stands on the page."""

    w: Working
    model: Any
    data: Given
    steps: Floats  # the kernel's table of updates, those that are shown
    names: list[str]
    t: Axis
    x: list[Cell | ColumnOf] = field(default_factory=list)
    y: Cell | None = None
    weight: Cell | None = None
    theta: list[Cell] = field(default_factory=list)
    loss: Cell | None = None

    @property
    def first(self) -> int:
        return int(self.model.fit_intercept)

    @property
    def factor(self) -> int:
        return 2 if self.model.cost == "squared" else 1

    def recorded(self, column: str) -> Floats:
        return np.asarray(self.steps[:, self.names.index(column)])


@shows("GradientDescentRegressor.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    columns, steps = data.record["steps"]
    n_steps = int(np.argmax(np.append(np.diff(steps[:, 0]) != 1, True))) + 1  # up to where the record leaves some out
    shown_steps = steps[: min(n_steps, MOST_UPDATES)] if data.X.shape[1] <= MOST_COLUMNS else steps[:0]
    t = w.axis("update", [int(step) for step in shown_steps[:, 0]], "t", "T", raised=True)
    run = Descent(w, model, data, shown_steps, list(columns), t)
    _introduce(run)
    _data(run)
    if len(shown_steps):
        _settings(run)
        {1: _stochastic}.get(model.batch_size or 0, _batch if model.batch_size is None else _mini_batch)(run)
    _epochs(run)
    _end(run)


def _introduce(run: Descent) -> None:
    model, n = run.model, len(run.data.X)
    kind = "all rows at once" if model.batch_size is None else f"{counted(model.batch_size, 'row')} at a time"
    run.w.title = "Gradient descent: the fit"
    run.w.intro = (
        f"From a start, small steps against the slope of the cost, {kind}: {counted(model.n_steps_, 'update')} on "
        f"{counted(n, 'row')}. It stopped because {STOPS[model.stopped_by_]}."
    )
    left_out = model.n_steps_ - len(run.steps)
    if left_out:
        run.w.note(f"{counted(left_out, 'update')} after the first {len(run.steps):,} are not laid out.")


def _data(run: Descent) -> None:
    w, data = run.w, run.data
    w.step("Data", "The rows that the model was fitted on.")
    if len(data.names) == 1:
        run.x = [w.given("x", data.X[:, 0], data.row_axis, symbol="x", label=data.names[0])]
    else:
        block = w.block("X", data.X, data.row_axis, data.column_axis, symbol="X")
        run.x = [block.column(j, f"x_{{{j + 1}}}") for j in range(len(data.names))]
    run.y = w.given("y", data.y, data.row_axis, symbol="y", label="target")
    if data.weight is not None:
        raw = w.given("weight", data.weight, data.row_axis, symbol="w", label="weight")
        w.step("Weights", "Divided by their mean, so that the rows count as many as they are.")
        run.weight = w.cell("unit_weight", raw / mean(raw), symbol="u", label="weight of mean 1")


def _settings(run: Descent) -> None:
    """The start and the rate, and the columns of parameters that follow from them."""
    w, model = run.w, run.model
    w.step("Start", "Where the walk begins, and how long its steps are.")
    for k, value in enumerate(model.start_):
        j = k + 1 - run.first
        start = w.given(f"start_{j}", float(value), symbol=rf"\theta_{{{j}}}^{{(0)}}", label=_meaning(run, j))
        run.theta.append(w.recurring(f"theta_{j}", run.t, start, symbol=rf"\theta_{{{j}}}", label=_meaning(run, j)))


def _meaning(run: Descent, j: int) -> str:
    return "intercept" if j == 0 else f"coefficient of {run.data.names[j - 1]}"


def _rate(run: Descent) -> Expr:
    """The rate of an update: a number, or a column that follows the schedule."""
    w, model = run.w, run.model
    if model.learning_rate == "constant":
        return w.given("eta", float(model.eta0_), symbol=r"\eta", label="learning rate")
    if model.learning_rate == "adaptive":
        w.note("The adaptive rate follows from the costs of whole epochs; it is taken as the run recorded it.")
        return w.given("eta", run.recorded("rate"), run.t, symbol=r"\eta", label="learning rate")
    if model.learning_rate == "decay":
        top = w.given("t0", float(model.t0), symbol="a", label="numerator of the rate")
        below = w.given("t1", float(model.t1), symbol="h", label="added to the count of updates")
    else:
        top = w.given("eta0", float(model.eta0_), symbol=r"\eta_0", label="first rate")
        below = w.given("power_t", float(model.power_t), symbol="q", label="exponent of the rate")
    t = w.given("t", np.asarray(run.t.labels, dtype=np.float64), run.t, symbol="t", label="update")
    formula = top / (t - 1 + below) if model.learning_rate == "decay" else top / t**below
    return w.becomes("eta", formula, axis=run.t, symbol=r"\eta", label="learning rate")


def _penalty(run: Descent, j: int) -> Expr | None:
    """The slope of the penalty for parameter j; the intercept has none."""
    model = run.model
    if model.penalty is None or (run.first and j == 0):
        return None
    before = previous(run.theta[j])
    gradient = before if model.penalty == "l2" else sign(before)
    return run.w.cells["alpha"] * gradient


def _begin_walk(run: Descent, sentence: str) -> Expr:
    w = run.w
    if run.model.penalty is not None:
        w.given("alpha", float(run.model.alpha), symbol=r"\alpha", label="strength of the penalty")
    rate = _rate(run) if run.model.learning_rate == "constant" else None
    w.step("Updates", sentence)
    return _rate(run) if rate is None else rate


def _finish_walk(run: Descent, rate: Expr, loss_gradients: list[Expr]) -> None:
    """Each parameter less the rate times its slope; compared with every update that the kernel recorded."""
    w = run.w
    gradients = []
    for k, loss_gradient in enumerate(loss_gradients):
        j, push = k + 1 - run.first, _penalty(run, k)
        formula = loss_gradient if push is None else loss_gradient + push
        label = f"slope for {_meaning(run, j)}"
        gradients.append(w.becomes(f"gradient_{j}", formula, axis=run.t, symbol=f"g_{{{j}}}", label=label))
    for theta, gradient in zip(run.theta, gradients, strict=True):
        w.becomes(theta, previous(theta) - rate * gradient)
    w.run(run.t)
    norm = w.cell(
        "gradient_norm",
        sqrt(_added([gradient**2 for gradient in gradients])),
        symbol=r"\text{|g|}",
        label="length of the slope",
    )
    w.check(norm, run.recorded("gradient_norm"), "the recorded gradient_norm", 1e-8, float(norm.value.max()))
    scale = float(np.abs(run.steps[:, run.names.index("theta_0" if run.first else "theta_1") :]).max())
    for k, theta in enumerate(run.theta):
        w.check(theta, run.recorded(f"theta_{k + 1 - run.first}"), f"path_[1:, {k}]", 1e-8, scale)


def _added(terms: list[Expr]) -> Expr:
    return reduce(add, terms)


def _predicted(run: Descent, x: list[Any]) -> Expr:
    """The prediction with the parameters before the update."""
    before = [previous(theta) for theta in run.theta]
    terms = before[run.first :]
    subtotal = terms[0] * x[0] if len(terms) == 1 else dot(terms, x)
    return before[0] + subtotal if run.first else subtotal


def _scaled(run: Descent, gradient: Expr, batch: int | Expr) -> Expr:
    """The factor of the cost and the divisor, around a sum of slopes."""
    gradient = run.factor * gradient if run.factor != 1 else gradient
    if run.model.divide == "none":
        weighted = run.data.weight is not None
        return gradient * mean(run.w.cells["weight"]) if weighted else gradient  # the weights as they were given
    assert run.y is not None
    divisor = count(run.y) if run.model.divide == "rows" else batch
    return gradient if isinstance(divisor, int) and divisor == 1 else gradient / divisor


def _stochastic(run: Descent) -> None:
    """One row an update."""
    w, p = run.w, len(run.x)
    rate = _begin_walk(run, "One row at a time: predict it, see the error, move the parameters against it.")
    r = w.given("row", run.recorded("row") + 1, run.t, symbol="r", label="row")
    x = [
        w.becomes(
            "x_row" if p == 1 else f"x{j + 1}_row",
            lookup(column, r),
            axis=run.t,
            symbol="a" if p == 1 else f"a_{{{j + 1}}}",
            label=f"{run.data.names[j]} of that row",
        )
        for j, column in enumerate(run.x)
    ]
    assert run.y is not None
    y = w.becomes("y_row", lookup(run.y, r), axis=run.t, symbol="b", label="target of that row")
    f = w.becomes("prediction", _predicted(run, x), axis=run.t, symbol="f", label="prediction")
    e = w.becomes("error", f - y, axis=run.t, symbol="e", label="error")
    loss, gradient = e**2, expr(e)
    if run.weight is not None:
        u = w.becomes("weight_row", lookup(run.weight, r), axis=run.t, symbol="u", label="weight of that row")
        loss, gradient = u * loss, u * gradient
    _loss(run, loss, 1)
    gradients = ([gradient] if run.first else []) + [gradient * column for column in x]
    _finish_walk(run, rate, [_scaled(run, term, 1) for term in gradients])


def _loss(run: Descent, subtotal: Expr, batch: int | Expr) -> None:
    """The mean cost of the rows of an update, before it."""
    double = 3 - run.factor  # half of the square, or the square itself
    single = isinstance(batch, int) and batch == 1
    below = double if single else batch if double == 1 else double * expr(batch)
    cost = subtotal if single and double == 1 else subtotal / below
    run.loss = run.w.becomes("loss", cost, axis=run.t, symbol="l", label="cost before the update")


def _batch(run: Descent) -> None:
    """All rows in every update."""
    rate = _begin_walk(run, "All rows at once: the slope of the cost for each parameter, then a step against it.")
    assert run.y is not None
    error = _predicted(run, list(run.x)) - run.y
    _sums(run, rate, error, list(run.x), run.weight, run.data.row_axis, None, len(run.data.X))


def _sums(
    run: Descent,
    rate: Expr,
    error: Expr,
    x: list[Any],
    weight: Cell | None,
    rows: Axis,
    window: Window | None,
    batch: int | Expr,
) -> None:
    """Costs and slopes as sums over the rows of an update."""
    square = error**2 if weight is None else weight * error**2
    _loss(run, sum_(square, rows, window), batch)
    error = error if weight is None else weight * error
    bodies = ([error] if run.first else []) + [error * column for column in x]
    _finish_walk(run, rate, [_scaled(run, sum_(body, rows, window), batch) for body in bodies])


def _mini_batch(run: Descent) -> None:
    """A few rows an update: the rows visited stand in a table of their own, and each update takes its part of it."""
    w = run.w
    _, order = run.data.record["order"]
    order = order[order[:, 0] <= len(run.t)]
    starts = [0, *np.cumsum(np.bincount(order[:, 0].astype(int))[1:]).tolist()]
    w.step("Rows visited", "The rows in the order in which the updates took them.")
    visits = w.axis("visit", len(order), "v", "V")
    w.given("visit_update", order[:, 0], visits, symbol="t", label="update")
    r = w.given("visit_row", order[:, 1] + 1, visits, symbol="r", label="row")
    x = [
        w.cell(f"x{j + 1}_visit", lookup(column, r), symbol=f"a_{{{j + 1}}}", label=f"{run.data.names[j]} of that row")
        for j, column in enumerate(run.x)
    ]
    assert run.y is not None
    y = w.cell("y_visit", lookup(run.y, r), symbol="b", label="target of that row")
    weight = None if run.weight is None else w.cell("weight_visit", lookup(run.weight, r), symbol="w", label="weight")
    rate = _begin_walk(run, "A few rows at a time: the slope over them for each parameter, then a step against it.")
    error, sizes = _predicted(run, list(x)) - y, np.diff(starts)
    batch: int | Expr = int(sizes[0])
    if len(set(sizes.tolist())) > 1:
        batch = w.given("batch_rows", sizes.astype(float), run.t, symbol="m", label="rows of the batch")
    _sums(run, rate, error, list(x), weight, visits, Window(run.t, starts), batch)


def _epochs(run: Descent) -> None:
    """What the run looked at to decide whether to go on: the mean cost of the rows of each epoch."""
    columns, epochs = run.data.record["epochs"]
    per_epoch = -(-len(run.data.X) // (run.model.batch_size or len(run.data.X)))
    n_epochs = min(len(epochs), len(run.t) // per_epoch)
    if not len(epochs):
        return
    w = run.w
    w.step("Epochs", "The mean cost of the rows of each epoch before their updates, which decides when to stop.")
    axis = Axis("epoch", [int(number) for number in epochs[:, 0]], "k", "K")
    recorded = epochs[:, columns.index("cost")]
    if run.loss is not None and n_epochs == len(epochs):
        window = Window(axis, [per_epoch * k for k in range(len(epochs) + 1)])
        rows = run.w.cells.get("batch_rows")
        body = run.loss if not isinstance(rows, Cell) else rows * run.loss
        divisor = expr(per_epoch) if not isinstance(rows, Cell) else count(expr(run.y))
        formula = sum_(body, run.t, window) / divisor if per_epoch > 1 else sum_(body, run.t, window)
        w.cell(
            "epoch_cost", formula, symbol="J", label="cost", equals=recorded, attribute="the recorded cost",
            tolerance=1e-8,
        )  # fmt: skip
    else:
        w.given("epoch_cost", recorded, axis, symbol="J", label="cost")
    idle = epochs[:, columns.index("without_improvement")]
    w.given("without_improvement", idle, axis, symbol="m", label="epochs without improvement")


def _end(run: Descent) -> None:
    """The last parameters are the model's; its predictions and errors."""
    w, model, data = run.w, run.model, run.data
    complete = 0 < len(run.steps) == model.n_steps_
    w.step("Result", "The parameters after the last update." if complete else "The parameters that the run ended with.")
    expected = [float(model.intercept_)] * run.first + [float(value) for value in model.coef_]
    size = float(np.abs(expected).max(initial=0.0))
    fitted: list[Expr] = []
    for k, value in enumerate(expected):
        j = k + 1 - run.first
        name, mark = ("intercept", "b") if j == 0 else (f"coef_{j}", rf"\beta_{{{j}}}")
        attribute = "intercept_" if j == 0 else f"coef_[{j - 1}]"
        if complete:
            last = lookup(run.theta[k], len(run.t))
            fitted.append(
                w.cell(
                    name,
                    last,
                    symbol=mark,
                    label=_meaning(run, j),
                    equals=value,
                    attribute=attribute,
                    tolerance=1e-8,
                    scale=size,
                )
            )
        else:
            fitted.append(w.given(name, value, symbol=mark, label=_meaning(run, j)))
    _errors(run, fitted, np.asarray(model.predict(data.table), dtype=np.float64))


def _errors(run: Descent, parameters: list[Expr], expected: Floats) -> None:
    w = run.w
    assert run.y is not None
    terms = parameters[run.first :]
    subtotal = terms[0] * run.x[0] if len(terms) == 1 else dot(terms, run.x)
    w.step("Predictions and errors", "What the model says for each row, and how far off it is.")
    f = w.cell(
        "fitted", parameters[0] + subtotal if run.first else subtotal, symbol=r"\hat{y}", label="prediction",
        equals=expected,
        attribute="predict(X)", tolerance=1e-7, scale=float(np.abs(np.asarray(run.data.y, float)).max()),
    )  # fmt: skip
    error = w.cell("rest", f - run.y, symbol="d", label="prediction less target")
    w.step("How good is it", "The errors squared, averaged over the rows, and as a typical error.")
    square = sum_(error**2) if run.weight is None else sum_(run.weight * error**2)
    mse = w.cell("MSE", square / count(error), symbol=r"\text{MSE}", label="mean squared error")
    w.cell("RMSE", sqrt(mse), symbol=r"\text{RMSE}", label="root mean squared error")
    if run.factor == 1:
        w.cell("cost", mse / 2, symbol="J", label="cost: half the mean squared error")
