"""The epochs of stochastic gradient descent, where it ended, and what the model says of each row."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.working.expression import Axis, Cell, Expr, Window
from pellucid.working.language import count, dot, equal, lookup, mean, sqrt, sum_, where
from pellucid.working.shown._losses import SAFE, probability
from pellucid.working.shown._walk import Walk


def epochs(walk: Walk) -> None:
    """What the run looked at to decide whether to go on."""
    w = walk.w
    if not len(walk.epochs):
        return
    w.step("Epochs", "The mean loss of the rows of each epoch, each row before its update.")
    axis = Axis("epoch", [int(number) for number in walk.of_epochs("epoch")], "e", "E")
    sizes = np.bincount(walk.recorded("epoch").astype(int), minlength=len(axis) + 1)[1:] if len(walk.steps) else None
    worked = walk.complete and walk.loss is not None and walk.plan.learning_rate != "pa1"
    if worked and sizes is not None and (sizes == sizes[0]).all():
        window = Window(axis, np.concatenate([[0], np.cumsum(sizes)]).tolist())
        assert walk.loss is not None
        loss: Expr = walk.loss
        below = int(sizes[0])
        if walk.batch_rows is not None:
            rows = np.asarray(walk.batch_rows.value)
            loss, below = walk.batch_rows * loss, int(rows[: sizes[0]].sum())
        w.cell(
            "epoch_loss", sum_(loss, walk.t, window) / below, symbol="J", label="mean loss",
            equals=walk.of_epochs("loss"), attribute="the recorded loss", tolerance=1e-8,
        )  # fmt: skip
    else:
        w.given("epoch_loss", walk.of_epochs("loss"), axis, symbol="J", label="mean loss")
    if walk.of_classes:
        wrong = w.given("mistakes", walk.of_epochs("mistakes"), axis, symbol="m", label="rows on the wrong side")
        if not walk.model.early_stopping:  # which holds rows out
            assert walk.target is not None
            share = 1 - wrong / count(walk.target)
            w.cell("epoch_accuracy", share, symbol="a", label="accuracy: share of rows on their side")
    if "validation_score" in walk.epoch_names:
        w.given("validation", walk.of_epochs("validation_score"), axis, symbol="v", label="score of rows held out")
    idle = walk.of_epochs("without_improvement")
    w.given("without_improvement", idle, axis, symbol="i", label="epochs without improvement")


def result(walk: Walk) -> None:
    """The last parameters, or their averages, are the model's; what it says of each row."""
    w, model = walk.w, walk.model
    coef = np.atleast_2d(np.asarray(model.coef_, dtype=np.float64))
    row = walk.k if len(coef) > 1 else 0
    intercept = float(np.atleast_1d(model.intercept_)[row])
    expected = [intercept] * walk.first + coef[row].tolist()
    formula = _last(walk)
    w.step("Result", "The parameters that the run ended with." if formula is None else formula[1])
    tolerance = 1e-8 if np.asarray(model.coef_).dtype == np.float64 else 1e-5
    fitted: list[Expr] = []
    for i, value in enumerate(expected):
        j = i + 1 - walk.first
        name, mark = ("intercept", "b") if j == 0 else (f"coef_{j}", rf"\beta_{{{j}}}")
        if formula is None:
            fitted.append(w.given(name, value, symbol=mark, label=walk.meaning(j)))
            continue
        attribute = (
            f"intercept_[{row}]" if j == 0 else f"coef_[{row}, {j - 1}]" if walk.of_classes else f"coef_[{j - 1}]"
        )
        fitted.append(
            w.cell(
                name, formula[0](walk.theta[i]), symbol=mark, label=walk.meaning(j), equals=value, attribute=attribute,
                tolerance=tolerance, scale=float(np.abs(expected).max()),
            )
        )  # fmt: skip
    sum_ = fitted[walk.first] * walk.x[0] if len(walk.x) == 1 else dot(fitted[walk.first :], walk.x)
    f = fitted[0] + sum_ if walk.first else sum_
    (_sides if walk.of_classes else _errors)(walk, f, tolerance, float(np.abs(expected).max()))


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
            return (lambda theta: lookup(theta, n)), "The parameters after the last update: none was averaged yet."
        if plan.average == 1:
            return mean, "The mean of the parameters after every update."
        update_cell = walk.w.cells.get("t")
        labels = np.asarray(walk.t.labels, dtype=np.float64)
        t = (
            update_cell
            if isinstance(update_cell, Cell)
            else walk.w.given("t", labels, walk.t, symbol="t", label="update")
        )
        first = int(plan.average)
        return (
            lambda theta: sum_(where(t >= first, theta, 0)) / (n - first + 1),
            f"The mean of the parameters from update {first} on.",
        )
    last = len(walk.steps)
    words = "The parameters after the last update."
    if model.restore_best:
        best = int(np.atleast_1d(model.best_iter_)[walk.k if len(np.atleast_1d(model.best_iter_)) > 1 else 0])
        last = int((walk.recorded("epoch") <= best).sum())
        words = f"The parameters after epoch {best}, the best for the rows held out."
    return (lambda theta: lookup(theta, last)), words


def _errors(walk: Walk, f: Expr, tolerance: float, scale: float) -> None:
    w = walk.w
    assert walk.target is not None
    w.step("Predictions and errors", "What the model says for each row, and how far off it is.")
    predicted = np.asarray(walk.model.predict(walk.data.table), dtype=np.float64)
    fitted = w.cell("fitted", f, symbol=r"\hat{y}", label="prediction", equals=predicted, attribute="predict(X)",
                    tolerance=10 * tolerance, scale=scale)  # fmt: skip
    error = w.cell("rest", fitted - walk.target, symbol="d", label="prediction less target")
    mse = w.cell("MSE", sum_(error**2) / count(error), symbol=r"\text{MSE}", label="mean squared error")
    w.cell("RMSE", sqrt(mse), symbol=r"\text{RMSE}", label="root mean squared error")


def _sides(walk: Walk, f: Expr, tolerance: float, scale: float) -> None:
    w, model = walk.w, walk.model
    assert walk.target is not None
    label, two = model.classes_[walk.k], len(model.classes_) == 2
    w.step("Sides", f"The score of each row for class {label!s}, and whether it lies on its side of zero.")
    decisions = np.asarray(model.decision_function(walk.data.table), dtype=np.float64)
    decisions = decisions if two else decisions[:, walk.k]
    fitted = w.cell("fitted", f, symbol=r"\hat{f}", label="score", equals=decisions, attribute="decision_function(X)",
                    tolerance=10 * tolerance, scale=scale)  # fmt: skip
    if two and walk.plan.loss in ("log_loss", "squared_sigmoid") and np.abs(decisions).max() < SAFE:
        w.cell("fitted_probability", probability(fitted), symbol=r"\hat{p}", label=f"probability of {label!s}",
               equals=model.predict_proba(walk.data.table)[:, 1], attribute="predict_proba(X)[:, 1]",
               tolerance=10 * tolerance)  # fmt: skip
    above = fitted >= 0 if getattr(model, "at_zero", "") == "second" else fitted > 0
    side = w.cell("side", where(above, 1, 0), symbol="s", label=f"taken for {label!s}")
    correct = w.cell("right", where(equal(side, where(walk.target > 0, 1, 0)), 1, 0), symbol="h", label="right")
    w.cell("accuracy", sum_(correct) / count(correct), symbol=r"\text{accuracy}", label="share of rows on their side")
