"""How `SGDRegressor`, `SGDClassifier` and `Perceptron` learn row by row: every update with its numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pellucid.base.errors import DataError, sentence
from pellucid.base.errors import count as counted
from pellucid.base.types import Floats
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr, Window, WorkingError, expr
from pellucid.working.language import count, dot, equal, look_up, mean, previous, sqrt, total, where
from pellucid.working.matrix import ColumnOf
from pellucid.working.model import Working
from pellucid.working.shown._losses import SAFE, jumps, loss_of, probability, slope_of, step_of
from pellucid.working.shown.linear_regression import MOST_COLUMNS
from pellucid.working.shown.linear_regression import predict as predict_numbers
from pellucid.working.shown.ridge import _chosen_rows, _largest, _row

# Updates that are laid out from the start; of a longer run the others are left out, and the end is taken as found.
MOST_UPDATES = 10_000
_STEEPEST = 1e12  # where the kernel cuts slopes off

shows("SGDRegressor.predict")(predict_numbers)


@dataclass
class Walk:
    """One run as it stands on the page."""

    w: Working
    model: Any
    data: Given
    plan: Any
    k: int  # which model: the class that it tells from the others
    steps: Floats  # the kernel's table of updates, those that are shown
    names: list[str]
    epochs: Floats
    epoch_names: list[str]
    complete: bool  # are all updates shown?
    t: Axis
    x: list[Cell | ColumnOf] = field(default_factory=list)
    target: Cell | None = None
    theta: list[Cell] = field(default_factory=list)
    loss: Cell | None = None
    score: Cell | None = None

    @property
    def first(self) -> int:
        return int(self.model.fit_intercept)

    @property
    def of_classes(self) -> bool:
        return hasattr(self.model, "classes_")

    @property
    def penalty(self) -> tuple[float, float]:
        """What l1 and l2 are multiplied by."""
        m = self.model
        if m.penalty is None:
            return 0.0, 0.0
        ratio = {"l1": 1.0, "l2": 0.0}.get(m.penalty, m.l1_ratio or 0.0)
        return m.alpha * ratio, m.alpha * (1 - ratio)

    def recorded(self, column: str) -> Floats:
        return np.asarray(self.steps[:, self.names.index(column)])

    def of_epochs(self, column: str) -> Floats:
        return np.asarray(self.epochs[:, self.epoch_names.index(column)])

    def meaning(self, j: int) -> str:
        return "intercept" if j == 0 else f"coefficient of {self.data.names[j - 1]}"


@shows("SGDRegressor.fit", "SGDClassifier.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    """All updates of one model; of several classes the one that the option `label` names, else the first."""
    walk = _read(w, model, data)
    _introduce(walk)
    _data(walk)
    if len(walk.steps):
        _start(walk)
        _updates(walk)
    _epochs(walk)
    _end(walk)


def _read(w: Working, model: Any, data: Given) -> Walk:
    try:
        record = data.record
    except DataError:
        must, found = "the working needs the data of the fit", "fitted on these, the model has another coef_"
        hint = "pass the X, y and sample_weight that the model was fitted on"
        raise WorkingError(sentence(type(model).__name__, must, found, hint)) from None
    k = _class_shown(model, data)
    tables = {}
    for name, (columns, rows) in record.items():
        tables[name] = (list(columns), rows[rows[:, -1] == k] if columns[-1] == "target" else rows)
    (names, steps), (epoch_names, epochs) = tables["steps"], tables["epochs"]
    updates = int(steps[-1, 0]) if len(steps) else 0
    kept = int(np.argmax(np.append(np.diff(steps[:, 0]) != 1, True))) + 1  # up to where the record leaves some out
    shown = steps[: min(kept, MOST_UPDATES)]
    if not _can_be_shown(model, data, names, steps):
        shown = steps[:0]
    t = w.axis("update", [int(step) for step in shown[:, 0]], "t", "T", raised=True)
    plan = model._plan()
    return Walk(w, model, data, plan, k, shown, names, epochs, epoch_names, 0 < len(shown) == updates, t)


def _class_shown(model: Any, data: Given) -> int:
    if not hasattr(model, "classes_"):
        return 0
    labels = model.classes_.tolist()
    label = data.options.get("label", labels[0] if len(labels) > 2 else labels[1])
    if label not in labels:
        raise DataError(sentence(type(model).__name__, f"label must be one of {labels}", f"got {label!r}"))
    return int(labels.index(label))


def _can_be_shown(model: Any, data: Given, names: list[str], steps: Floats) -> bool:
    """Few columns, one row an update, and numbers that a spreadsheet can follow."""
    if data.X.shape[1] > MOST_COLUMNS or model.batch_size != 1 or not len(steps):
        return False
    score, slope = steps[:, names.index("score")], steps[:, names.index("slope")]
    return bool(np.abs(score).max() < SAFE * 1e6 and score.min() > -SAFE and np.abs(slope).max() < _STEEPEST)


def _introduce(walk: Walk) -> None:
    w, model, n = walk.w, walk.model, len(walk.data.X)
    w.title = {"Perceptron": "Perceptron: the fit"}.get(type(model).__name__, "Stochastic gradient descent: the fit")
    rows = "one row at a time" if model.batch_size == 1 else "a few rows at a time"
    w.intro = (
        f"From a start, small steps down the slope of the loss, {rows}: {counted(len(walk.epochs), 'epoch')} over "
        f"{counted(n, 'row')}."
    )
    if model.batch_size != 1:
        w.note("Updates of several rows are not laid out one by one; batch_size=1 shows every row.")
    elif not walk.complete:
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
        w.step("Target", f"1 for the rows of class {label!s}, {other} for the others.")
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
            "x_row" if p == 1 else f"x{j + 1}_row", look_up(column, r), axis=t,
            symbol="a" if p == 1 else f"a_{{{j + 1}}}", label=f"{walk.data.names[j]} of that row",
        )
        for j, column in enumerate(walk.x)
    ]  # fmt: skip
    assert walk.target is not None
    y = w.becomes("y_row", look_up(walk.target, r), axis=t, symbol="z", label="target of that row")
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
    _move(walk, rate, change, x)
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
    w, plan, model = walk.w, walk.plan, walk.model
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
        formula = formula * look_up(weight, r)
    if getattr(model, "class_weight", None) is not None:
        d = model._later(walk.data.table)
        d.y, d.classes = np.asarray(walk.data.options["y"], float).reshape(-1, 1), [model.classes_]
        mine = model._runs(d, 0).rows[walk.k if len(model.classes_) > 2 else 0]
        formula = formula * where(y > 0, float(mine[1]), float(mine[2]))
    return w.becomes("change", formula, axis=walk.t, symbol="c", label="change along the row")


def _move(walk: Walk, rate: Expr, change: Cell, x: list[Expr]) -> None:
    """The parameters after the update: shrunk by l2, moved along the row, drawn towards zero by l1."""
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
        step = change if decay == 1 else change * decay
        w.becomes(walk.theta[0], previous(walk.theta[0]) + step)
    for j, theta in enumerate(walk.theta[walk.first :]):
        before = previous(theta) if shrink is None else shrink * previous(theta)
        moved = before + change * x[j]
        if due is None:
            w.becomes(theta, moved)
            continue
        name = f"coefficient {j + 1}"
        pulled = w.recurring(f"drawn_{j + 1}", t, 0.0, symbol=f"q_{{{j + 1}}}", label=f"drawn so far: {name}")
        z = w.becomes(f"moved_{j + 1}", moved, axis=t, symbol=f"m_{{{j + 1}}}", label=f"{name} before l1")
        down, up = z - (due + previous(pulled)), z + (due - previous(pulled))
        drawn = where(z > 0, where(down > 0, down, 0), where(up < 0, up, 0))
        sparse = hasattr(walk.data.table, "tocsr")
        w.becomes(theta, where(equal(x[j], 0), z, drawn) if sparse else drawn)
        w.becomes(pulled, previous(pulled) + (theta - z))


def _compare(walk: Walk, change: Cell) -> None:
    """Every column with what the kernel recorded."""
    w = walk.w
    assert walk.score is not None
    assert walk.loss is not None
    for cell, column in ((walk.score, "score"), (walk.loss, "loss"), (change, "change")):
        wanted = walk.recorded(column)
        w.check(cell, wanted, f"the recorded {column}", 1e-8, max(1.0, float(np.abs(wanted).max())))
    place = walk.names.index("theta_0" if walk.first else "theta_1")
    scale = float(np.abs(walk.steps[:, place : place + len(walk.theta)]).max())
    for i, theta in enumerate(walk.theta):
        name = f"theta_{i + 1 - walk.first}"
        w.check(theta, walk.recorded(name), f"the recorded {name}", 1e-8, scale)


def _epochs(walk: Walk) -> None:
    """What the run looked at to decide whether to go on."""
    w = walk.w
    if not len(walk.epochs):
        return
    w.step("Epochs", "The mean loss of the rows of each epoch before their updates.")
    axis = Axis("epoch", [int(number) for number in walk.of_epochs("epoch")], "e", "E")
    sizes = np.bincount(walk.recorded("epoch").astype(int), minlength=len(axis) + 1)[1:] if len(walk.steps) else None
    if walk.complete and sizes is not None and (sizes == sizes[0]).all() and walk.plan.learning_rate != "pa1":
        window = Window(axis, np.concatenate([[0], np.cumsum(sizes)]).tolist())
        assert walk.loss is not None
        assert walk.score is not None
        w.cell(
            "epoch_loss", total(walk.loss, walk.t, window) / int(sizes[0]), symbol="J", label="mean loss",
            equals=walk.of_epochs("loss"), attribute="the recorded loss", tolerance=1e-8,
        )  # fmt: skip
    else:
        w.given("epoch_loss", walk.of_epochs("loss"), axis, symbol="J", label="mean loss")
    if walk.of_classes:
        w.given("mistakes", walk.of_epochs("mistakes"), axis, symbol="m", label="rows on the wrong side")
    if "validation_score" in walk.epoch_names:
        w.given("validation", walk.of_epochs("validation_score"), axis, symbol="v", label="score of rows held out")
    idle = walk.of_epochs("without_improvement")
    w.given("without_improvement", idle, axis, symbol="i", label="epochs without improvement")


def _end(walk: Walk) -> None:
    """The last parameters, or their averages, are the model's; what it says of each row."""
    w, model = walk.w, walk.model
    coef = np.atleast_2d(np.asarray(model.coef_, dtype=np.float64))
    row = walk.k if len(coef) > 1 else 0
    intercept = float(np.atleast_1d(model.intercept_)[row])
    wanted = [intercept] * walk.first + coef[row].tolist()
    formula = _last(walk)
    w.step("Result", "The parameters that the run ended with." if formula is None else formula[1])
    tolerance = 1e-8 if np.asarray(model.coef_).dtype == np.float64 else 1e-5
    found: list[Expr] = []
    for i, value in enumerate(wanted):
        j = i + 1 - walk.first
        name, mark = ("intercept", "b") if j == 0 else (f"coef_{j}", rf"\beta_{{{j}}}")
        if formula is None:
            found.append(w.given(name, value, symbol=mark, label=walk.meaning(j)))
            continue
        attribute = (
            f"intercept_[{row}]" if j == 0 else f"coef_[{row}, {j - 1}]" if walk.of_classes else f"coef_[{j - 1}]"
        )
        found.append(
            w.cell(
                name, formula[0](walk.theta[i]), symbol=mark, label=walk.meaning(j), equals=value, attribute=attribute,
                tolerance=tolerance, scale=float(np.abs(wanted).max()),
            )
        )  # fmt: skip
    if len(walk.x) > MOST_COLUMNS:
        sum_ = dot(found[walk.first :], walk.x)
    else:
        sum_ = found[walk.first] * walk.x[0] if len(walk.x) == 1 else dot(found[walk.first :], walk.x)
    f = found[0] + sum_ if walk.first else sum_
    (_sides if walk.of_classes else _errors)(walk, f, tolerance, float(np.abs(wanted).max()))


def _last(walk: Walk) -> Any:
    """How a parameter follows from its column of updates, and the words for that; None where it is taken as found."""
    model, plan = walk.model, walk.plan
    if not walk.complete:
        return None
    if plan.average:
        n = len(walk.steps)
        if walk.penalty[0] > 0 or model.restore_best:
            return None
        if model.early_stopping and plan.average > n:
            return None
        if plan.average > n:
            return (lambda theta: look_up(theta, n)), "The parameters after the last update: none was averaged yet."
        if plan.average == 1:
            return mean, "The mean of the parameters after every update."
        known = walk.w.cells.get("t")
        labels = np.asarray(walk.t.labels, dtype=np.float64)
        t = known if isinstance(known, Cell) else walk.w.given("t", labels, walk.t, symbol="t", label="update")
        first = int(plan.average)
        return (
            lambda theta: total(where(t >= first, theta, 0)) / (n - first + 1),
            f"The mean of the parameters from update {first} on.",
        )
    last = len(walk.steps)
    words = "The parameters after the last update."
    if model.restore_best:
        best = int(np.atleast_1d(model.best_iter_)[walk.k if len(np.atleast_1d(model.best_iter_)) > 1 else 0])
        last = int((walk.recorded("epoch") <= best).sum())
        words = f"The parameters after epoch {best}, the best for the rows held out."
    return (lambda theta: look_up(theta, last)), words


def _errors(walk: Walk, f: Expr, tolerance: float, scale: float) -> None:
    w = walk.w
    assert walk.target is not None
    w.step("Predictions and errors", "What the model says for each row, and how far off it is.")
    said = np.asarray(walk.model.predict(walk.data.table), dtype=np.float64)
    fitted = w.cell("fitted", f, symbol=r"\hat{y}", label="prediction", equals=said, attribute="predict(X)",
                    tolerance=10 * tolerance, scale=scale)  # fmt: skip
    rest = w.cell("rest", fitted - walk.target, symbol="d", label="prediction less target")
    mse = w.cell("MSE", total(rest**2) / count(rest), symbol=r"\text{MSE}", label="mean squared error")
    w.cell("RMSE", sqrt(mse), symbol=r"\text{RMSE}", label="root mean squared error")


def _sides(walk: Walk, f: Expr, tolerance: float, scale: float) -> None:
    w, model = walk.w, walk.model
    assert walk.target is not None
    label, two = model.classes_[walk.k], len(model.classes_) == 2
    w.step("Sides", f"The score of each row for class {label!s}, and whether it lies on its side of zero.")
    said = np.asarray(model.decision_function(walk.data.table), dtype=np.float64)
    said = said if two else said[:, walk.k]
    fitted = w.cell("fitted", f, symbol=r"\hat{f}", label="score", equals=said, attribute="decision_function(X)",
                    tolerance=10 * tolerance, scale=scale)  # fmt: skip
    if two and walk.plan.loss in ("log_loss", "squared_sigmoid") and np.abs(said).max() < SAFE:
        w.cell("fitted_probability", probability(fitted), symbol=r"\hat{p}", label=f"probability of {label!s}",
               equals=model.predict_proba(walk.data.table)[:, 1], attribute="predict_proba(X)[:, 1]",
               tolerance=10 * tolerance)  # fmt: skip
    above = fitted >= 0 if getattr(model, "at_zero", "") == "second" else fitted > 0
    side = w.cell("side", where(above, 1, 0), symbol="s", label=f"taken for {label!s}")
    right = w.cell("right", where(equal(side, where(walk.target > 0, 1, 0)), 1, 0), symbol="h", label="right")
    w.cell("accuracy", total(right) / count(right), symbol=r"\text{accuracy}", label="share of rows on their side")


# ------------------------------------------------------------------------------------------------------------- predict


@shows("SGDClassifier.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    w.title = f"{type(model).__name__}: predictions"
    coef, k = np.asarray(model.coef_, dtype=np.float64), len(model.coef_)
    names = [name.item() if isinstance(name, np.generic) else name for name in model.classes_]
    rule = "The class with the largest score wins." if k > 1 else f"Above zero it is {names[1]}, else {names[0]}."
    w.intro = f"A score: each column's value times its coefficient, added up, plus the intercept. {rule}"
    scores = np.asarray(model.decision_function(data.table), dtype=np.float64).reshape(len(data.X), -1)
    said = np.asarray(model.predict(data.table))
    rows = _chosen_rows(w, data)
    w.step("Model", "The fitted coefficients.")
    marks = [""] if k == 1 else [f"_{t + 1}" for t in range(k)]
    of = [""] if k == 1 else [f" of {name}" for name in names]
    beta = [
        w.given(f"coef{m}", coef[t], data.column_axis, symbol=rf"\beta{m}", label=f"coefficient{of[t]}")
        for t, m in enumerate(marks)
    ]
    b = [
        w.given(f"intercept{m}", float(model.intercept_[t]), symbol=f"b{m}", label=f"intercept{of[t]}")
        for t, m in enumerate(marks)
    ]
    tolerance = 1e-9 if np.asarray(model.coef_).dtype == np.float64 else 1e-5
    for row in rows:
        found = _row(w, model, data, row, row == rows[0], beta, b)
        for t, score in enumerate(found):
            size = float(np.abs(coef[t] * data.X[row]).sum() + abs(float(model.intercept_[t])))
            place = f"decision_function(X)[{row}]" if k == 1 else f"decision_function(X)[{row}, {t}]"
            w.check(score, scores[row, t], place, tolerance, size)
        _probability(w, model, data, found, row, tolerance)
        above = found[0] >= 0 if getattr(model, "at_zero", "") == "second" else found[0] > 0
        best = where(above, names[1], names[0]) if k == 1 else _largest(found, names)
        label = said[row].item() if isinstance(said[row], np.generic) else said[row]
        w.cell(
            f"label_{row}", best, symbol=rf"\hat{{y}}_{{{row}}}", label="label", equals=label,
            attribute=f"predict(X)[{row}]",
        )  # fmt: skip


def _probability(w: Working, model: Any, data: Given, found: list[Cell], row: int, tolerance: float) -> None:
    """Of the second of two classes."""
    if len(found) > 1 or not hasattr(model, "predict_proba") or model._plan().loss == "modified_huber":
        return
    if abs(float(np.asarray(found[0].value))) < SAFE:
        wanted = float(model.predict_proba(data.table)[row, 1])
        name = model.classes_[1]
        w.cell(
            f"probability_{row}", probability(found[0]), symbol=f"p_{{{row}}}", label=f"probability of {name!s}",
            equals=wanted, attribute=f"predict_proba(X)[{row}, 1]", tolerance=10 * tolerance,
        )  # fmt: skip
