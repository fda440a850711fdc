"""How `SGDRegressor`, `SGDClassifier` and `Perceptron` learn row by row: every update with its numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pellucid.base.errors import DataError, format_message
from pellucid.base.errors import count as counted
from pellucid.base.types import Floats
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Cell, Expr, WorkingError, expr
from pellucid.working.language import dot, equal, lookup, previous, sign, where
from pellucid.working.model import Working
from pellucid.working.shown._losses import SAFE, jumps, loss_of, probability, slope_of, step_of
from pellucid.working.shown._stochastic_predictions import predict
from pellucid.working.shown._walk import Walk
from pellucid.working.shown._walk_batches import batches, compare_batches, compare_parameters, whole_batches
from pellucid.working.shown._walk_end import epochs, result
from pellucid.working.shown.linear_regression import MOST_COLUMNS
from pellucid.working.shown.linear_regression import predict as predict_numbers

# Updates that are laid out from the start; of a longer run the others are left out, and the end is taken as found.
MOST_UPDATES = 10_000
_STEEPEST = 1e12  # where the kernel cuts slopes off


@shows("SGDRegressor.predict")
def predict_targets(w: Working, model: Any, data: Given) -> None:
    predict_numbers(w, model, data)
    w.title = "Stochastic gradient descent: predictions"


shows("SGDClassifier.predict")(predict)


@shows("SGDRegressor.fit", "SGDClassifier.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    """All updates of one model; of several classes the one that the option `label` names, else the first."""
    walk = _read(w, model, data)
    _introduce(walk)
    _data(walk)
    if len(walk.steps):
        _start(walk)
        (_updates if model.batch_size == 1 else _batches)(walk)
    epochs(walk)
    result(walk)


def _read(w: Working, model: Any, data: Given) -> Walk:
    try:
        record = data.record
    except DataError:
        requirement, actual = "the working needs the data of the fit", "fitted on these, the model has another coef_"
        hint = "pass the X, y and sample_weight that the model was fitted on"
        raise WorkingError(format_message(type(model).__name__, requirement, actual=actual, hint=hint)) from None
    k = _class_shown(model, data)
    tables = {}
    for name, (columns, rows) in record.items():
        tables[name] = (list(columns), rows[rows[:, -1] == k] if columns[-1] == "target" else rows)
    (names, steps), (epoch_names, epochs_) = tables["steps"], tables["epochs"]
    updates = int(steps[-1, 0]) if len(steps) else 0
    kept = int(np.argmax(np.append(np.diff(steps[:, 0]) != 1, True))) + 1  # up to where the record leaves some out
    visits = tables["order"][1][:, :3] if model.batch_size != 1 else np.empty((0, 3))
    shown = steps[: min(kept, MOST_UPDATES if model.batch_size == 1 else whole_batches(visits))]
    visits = visits[visits[:, 0] <= len(shown)]
    if not _can_be_shown(model, data, names, steps, visits):
        shown = steps[:0]
    t = w.axis("update", [int(step) for step in shown[:, 0]], "t", "T", raised=True)
    plan = model._plan()
    return Walk(w, model, data, plan, k, shown, names, epochs_, epoch_names, 0 < len(shown) == updates, t, visits)


def _class_shown(model: Any, data: Given) -> int:
    if not hasattr(model, "classes_"):
        return 0
    labels = model.classes_.tolist()
    label = data.options.get("label", labels[0] if len(labels) > 2 else labels[1])
    if label not in labels:
        raise DataError(format_message(type(model).__name__, f"label must be one of {labels}", actual=f"got {label!r}"))
    return int(labels.index(label))


def _can_be_shown(model: Any, data: Given, names: list[str], steps: Floats, visits: Floats) -> bool:
    """Few columns, and numbers that a spreadsheet can follow."""
    if data.X.shape[1] > MOST_COLUMNS or not len(steps):
        return False
    lagged = hasattr(data.table, "tocsr") and model.penalty in ("l1", "elasticnet")  # cut when a column comes up next
    if model.batch_size != 1 and (lagged or not len(visits)):
        return False
    score = visits[:, 2] if model.batch_size != 1 else steps[:, names.index("score")]
    slope = steps[:, names.index("slope")]
    powers = model.settled_loss in ("log_loss", "squared_sigmoid")  # of e, which a spreadsheet must hold
    lowest = -SAFE if powers else -SAFE * 1e6
    return bool(score.min() > lowest and score.max() < SAFE * 1e6 and np.abs(slope).max() < _STEEPEST)


def _introduce(walk: Walk) -> None:
    w, model, n = walk.w, walk.model, len(walk.data.X)
    w.title = {"Perceptron": "Perceptron: the fit"}.get(type(model).__name__, "Stochastic gradient descent: the fit")
    rows = "one row at a time" if model.batch_size == 1 else "a few rows at a time"
    rows = "all rows at once" if model.batch_size is None or model.batch_size >= n else rows
    w.intro = (
        f"From a start, small steps down the slope of the loss, {rows}: {counted(len(walk.epochs), 'epoch')} over "
        f"{counted(n, 'row')}."
    )
    if not walk.complete:
        some = f"after the first {len(walk.steps):,} " if len(walk.steps) else ""
        w.note(f"The updates {some}are not laid out.")


def _data(walk: Walk) -> None:
    w, data, model = walk.w, walk.data, walk.model
    w.step("Data", "The rows that the model was fitted on.")
    if len(data.names) == 1:
        walk.x = [w.given("x", data.X[:, 0], data.row_axis, symbol="x", label=data.names[0])]
    else:
        block = w.block("X", data.X, data.row_axis, data.column_axis, symbol="X")
        walk.x = [block.column(j, f"x_{{{j + 1}}}") for j in range(len(data.names))]
    if not walk.of_classes:
        walk.target = w.given("y", np.asarray(data.y, float), data.row_axis, symbol="y", label="target")
    else:
        labels = np.asarray(data.y)
        known = labels if labels.dtype.kind in "OUT" else labels.astype(np.float64)
        y = w.given("label", known, data.row_axis, symbol="y", label="class")
        label = model.classes_[walk.k]
        wanted = str(label) if model.classes_.dtype.kind in "OUT" else float(label)
        other = 0 if walk.plan.loss in ("log_loss", "squared_sigmoid") else -1
        shown = "−1" if other < 0 else "0"
        w.step("Target", f"1 for the rows of class {label!s}, {shown} for the others.")
        walk.target = w.cell("target", where(equal(y, wanted), 1, other), symbol="z", label=f"is it {label!s}?")
    if data.weight is not None:
        w.given("weight", data.weight, data.row_axis, symbol="u", label="weight")


def _start(walk: Walk) -> None:
    """Where the walk begins, and the columns of parameters that follow from there."""
    w = walk.w
    w.step("Start", "Where the walk begins, and what it goes by.")
    coef, intercept = walk.model._start_
    row = walk.k if len(coef) > 1 else 0
    values = [float(intercept[row])] * walk.first + coef[row].tolist()
    for i, value in enumerate(values):
        j = i + 1 - walk.first
        start = w.given(f"start_{j}", float(value), symbol=rf"\theta_{{{j}}}^{{(0)}}", label=walk.meaning(j))
        walk.theta.append(w.recurring(f"theta_{j}", walk.t, start, symbol=rf"\theta_{{{j}}}", label=walk.meaning(j)))
    l1, l2 = walk.penalty
    if l2 > 0:
        w.given("l2", l2, symbol=r"\lambda", label="strength of the l2 penalty")
    if l1 > 0:
        w.given("l1", l1, symbol=r"\kappa", label="strength of the l1 penalty")
    if walk.plan.loss in ("huber", "epsilon_insensitive", "squared_epsilon_insensitive"):
        w.given("epsilon", float(walk.plan.epsilon), symbol=r"\epsilon", label="epsilon")
    if walk.plan.learning_rate in ("constant", "pa1", "pa2", "invscaling"):
        w.given("eta0", float(walk.model.eta0), symbol=r"\eta_0", label="learning rate")


def _rate(walk: Walk) -> Expr:
    """The rate of an update: a number, or a column that follows the schedule."""
    w, plan = walk.w, walk.plan
    if plan.learning_rate in ("constant", "pa1", "pa2"):
        return w.cells["eta0"]  # type: ignore[return-value]
    if plan.learning_rate in ("adaptive", "optimal"):
        return w.given("eta", walk.recorded("rate"), walk.t, symbol=r"\eta", label="learning rate")
    t = w.given("t", np.asarray(walk.t.labels, dtype=np.float64), walk.t, symbol="t", label="update")
    if plan.learning_rate == "decay":
        formula = expr(float(plan.t0)) / (t - 1 + float(plan.t1))
    else:
        formula = w.cells["eta0"] / t ** float(plan.power_t)
    return w.becomes("eta", formula, axis=walk.t, symbol=r"\eta", label="learning rate")


def _updates(walk: Walk) -> None:
    """One row after the other: its score, its loss and slope, the change, and the new parameters."""
    w, plan, t, p = walk.w, walk.plan, walk.t, len(walk.x)
    sentence_ = "A row at a time: its score, the slope of its loss there, and a step against it."
    w.step("Updates", "Only a mistake changes anything." if plan.loss == "perceptron" else sentence_)
    rate = _rate(walk)
    r = w.given("row", walk.recorded("row") + 1, t, symbol="r", label="row")
    x: list[Expr] = [
        w.becomes(
            "x_row" if p == 1 else f"x{j + 1}_row", lookup(column, r), axis=t,
            symbol="a" if p == 1 else f"a_{{{j + 1}}}", label=f"{walk.data.names[j]} of that row",
        )
        for j, column in enumerate(walk.x)
    ]  # fmt: skip
    assert walk.target is not None
    y = w.becomes("y_row", lookup(walk.target, r), axis=t, symbol="z", label="target of that row")
    before = [previous(theta) for theta in walk.theta]
    terms = before[walk.first :]
    sum_ = terms[0] * x[0] if p == 1 else dot(terms, x)
    f = w.becomes("score", before[0] + sum_ if walk.first else sum_, axis=t, symbol="f", label="score")
    walk.score = f
    q = None
    if plan.loss in ("log_loss", "squared_sigmoid"):
        q = w.becomes("probability", probability(f), axis=t, symbol="p", label="probability")
    elif not all(plan.zero_is_wrong):
        q = w.becomes("output", step_of(plan, f), axis=t, symbol="o", label="what it says of the row")
    epsilon = w.cells.get("epsilon", expr(0.0))
    walk.loss = w.becomes("loss", loss_of(plan, y, f, q, epsilon), axis=t, symbol="l", label="loss before the update")
    if jumps(plan, walk.recorded("score"), _scores(walk), _targets(walk)):
        w.note("Some scores lie at a kink of the loss but for rounding; the slopes are taken as the run recorded them.")
        slope: Expr = w.given("slope", walk.recorded("slope"), t, symbol="g", label="slope of the loss")
    else:
        slope = w.becomes("slope", slope_of(plan, y, f, q, epsilon), axis=t, symbol="g", label="slope of the loss")
    change = _change(walk, rate, slope, x, y, f, r)

    def along(before: Expr, i: int) -> Expr:
        return before + (change if i < 0 else change * x[i])

    _move(walk, rate, along, x)
    w.run(t)
    _compare(walk, change)


def _scores(walk: Walk) -> Floats:
    """Scores from the recorded parameters, added up from left to right as a sheet does."""
    place = walk.names.index("theta_0" if walk.first else "theta_1")
    coef, intercept = walk.model._start_
    row = walk.k if len(coef) > 1 else 0
    begin = np.array([float(intercept[row])] * walk.first + coef[row].tolist())
    theta = np.vstack([begin, walk.steps[:-1, place:][:, : len(begin)]])
    X = walk.data.X[walk.recorded("row").astype(int)]
    sums = np.zeros(len(X))
    for j in range(X.shape[1]):
        sums = sums + theta[:, j + walk.first] * X[:, j]
    return np.asarray(theta[:, 0] + sums if walk.first else sums, dtype=np.float64)


def _targets(walk: Walk) -> Floats:
    assert walk.target is not None
    return np.asarray(np.asarray(walk.target.value, dtype=np.float64)[walk.recorded("row").astype(int)])


def _change(walk: Walk, rate: Expr, slope: Expr, x: list[Expr], y: Cell, f: Cell, r: Cell) -> Cell:
    """What is added to the parameters along the row."""
    w, plan = walk.w, walk.plan
    if plan.learning_rate in ("pa1", "pa2"):
        assert walk.loss is not None
        square = w.becomes(
            "square", x[0] * x[0] if len(x) == 1 else dot(x, x), axis=walk.t, symbol="s", label="squared length"
        )
        size: Expr
        if plan.learning_rate == "pa1":
            size = where(walk.loss < rate * square, walk.loss / square, rate)
        else:
            size = walk.loss / (square + 0.5 / rate)
        formula = y * size if walk.of_classes else where(y < f, -size, size)
    else:
        formula = -rate * slope
    weight = w.cells.get("weight")
    if isinstance(weight, Cell):
        formula = formula * lookup(weight, r)
    counted_ = walk.class_weights()
    if counted_ is not None:
        formula = formula * where(y > 0, *counted_)
    return w.becomes("change", formula, axis=walk.t, symbol="c", label="change along the row")


def _move(walk: Walk, rate: Expr, moved_by: Callable[[Expr, int], Expr], x: list[Expr]) -> None:
    """The parameters after the update: shrunk by l2, moved, drawn toward zero by l1; -1 is the intercept."""
    w, t = walk.w, walk.t
    l1, l2 = walk.penalty
    shrink: Expr | None = None
    if l2 > 0:
        kept = 1 - rate * w.cells["l2"]
        cut = bool((walk.recorded("rate") * l2 > 1).any())
        shrink = w.becomes("kept", where(kept > 0, kept, 0) if cut else kept, axis=t, symbol="k", label="share kept")
    due = None
    if l1 > 0:
        owed = w.recurring("owed", t, 0.0, symbol="o", label="l1 steps so far")
        w.becomes(owed, previous(owed) + rate * w.cells["l1"])
        due = owed
    decay = float(walk.model.intercept_decay)
    if walk.first:
        before = previous(walk.theta[0])
        step = moved_by(before, -1)
        w.becomes(walk.theta[0], step if decay == 1 else before + decay * (step - before))
    for j, theta in enumerate(walk.theta[walk.first :]):
        before = previous(theta) if shrink is None else shrink * previous(theta)
        moved = moved_by(before, j)
        if due is None:
            w.becomes(theta, moved)
            continue
        name = f"coefficient {j + 1}"
        pulled = w.recurring(f"drawn_{j + 1}", t, 0.0, symbol=f"q_{{{j + 1}}}", label=f"drawn so far: {name}")
        z = w.becomes(f"moved_{j + 1}", moved, axis=t, symbol=f"m_{{{j + 1}}}", label=f"{name} before l1")
        left = w.becomes(
            f"left_{j + 1}", z - sign(z) * due - previous(pulled), axis=t, symbol=f"d_{{{j + 1}}}",
            label=f"{name} less what l1 still draws",
        )  # fmt: skip
        drawn = where(left * z > 0, left, 0)
        sparse = hasattr(walk.data.table, "tocsr") and x
        w.becomes(theta, where(equal(x[j], 0), z, drawn) if sparse else drawn)
        w.becomes(pulled, previous(pulled) + (theta - z))


def _batches(walk: Walk) -> None:
    """A few rows an update, or all."""
    rate, slopes = batches(walk, _rate)

    def down(before: Expr, i: int) -> Expr:
        return before - rate * slopes[walk.first + i]

    _move(walk, rate, down, [])
    walk.w.run(walk.t)
    compare_batches(walk)


def _compare(walk: Walk, change: Cell) -> None:
    """Every column with what the kernel recorded."""
    w = walk.w
    assert walk.score is not None
    assert walk.loss is not None
    for cell, column in ((walk.score, "score"), (walk.loss, "loss"), (change, "change")):
        wanted = walk.recorded(column)
        w.check(cell, wanted, f"the recorded {column}", 1e-8, max(1.0, float(np.abs(wanted).max())))
    compare_parameters(walk)
