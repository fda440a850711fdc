"""Updates of several rows: the rows visited in a table of their own, and the mean slope over those of each update."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pellucid.base.types import Floats
from pellucid.working.expression import Axis, Cell, Expr, Window, expr
from pellucid.working.language import dot, lookup, previous, sum_, where
from pellucid.working.shown._losses import loss_of, probability, slope_of, step_of
from pellucid.working.shown._walk import Walk

# Rows visited that are laid out.
MOST_VISITS = 10_000


def whole_batches(visits: Floats) -> int:
    """Up to which update every visited row can be laid out."""
    steps = visits[:MOST_VISITS, 0]
    last = int(steps[-1]) if len(steps) else 0
    return last - 1 if len(visits) > len(steps) else last  # where the rows are cut off, the last update may be too


def _at_once(walk: Walk, sizes: Any) -> bool:
    """Does every update take every row once?"""
    n = len(walk.data.X)
    visited_rows = walk.visits[:, 1]
    return bool((sizes == n).all() and (np.sort(visited_rows.reshape(-1, n), axis=1) == np.arange(n)).all())


def batches(walk: Walk, rate_of: Callable[[Walk], Expr]) -> tuple[Expr, list[Expr]]:
    """The learning rate, and the slope for each parameter: the mean over the rows of an update."""
    w, plan, data, p = walk.w, walk.plan, walk.data, len(walk.x)
    sizes = np.bincount(walk.visits[:, 0].astype(int))[1:]
    window: Window | None = None
    rows: Axis = data.row_axis
    assert walk.target is not None
    x: list[Any] = list(walk.x)
    y: Cell = walk.target
    weight = w.cells.get("weight")
    counted: Cell | None = weight if isinstance(weight, Cell) else None
    together = _at_once(walk, sizes)
    if not together:
        w.step("Rows visited", "The rows in the order in which the updates took them.")
        rows = w.axis("visit", len(walk.visits), "v", "V")
        window = Window(walk.t, [0, *np.cumsum(sizes).tolist()])
        w.given("visit_update", walk.visits[:, 0], rows, symbol="t", label="update")
        r = w.given("visit_row", walk.visits[:, 1] + 1, rows, symbol="r", label="row")
        x = [
            w.cell(
                "x_visit" if p == 1 else f"x{j + 1}_visit", lookup(column, r),
                symbol="a" if p == 1 else f"a_{{{j + 1}}}", label=f"{data.names[j]} of that row",
            )
            for j, column in enumerate(walk.x)
        ]  # fmt: skip
        y = w.cell("y_visit", lookup(walk.target, r), symbol="z", label="target of that row")
        if counted is not None:
            counted = w.cell("weight_visit", lookup(counted, r), symbol="u", label="weight of that row")
    text = "All rows at once" if together else "A few rows at a time"
    w.step("Updates", f"{text}: the mean slope of their losses for each parameter, then a step against it.")
    rate = rate_of(walk)
    m: Expr = expr(int(sizes[0]))
    if len(set(sizes.tolist())) > 1:
        m = walk.batch_rows = w.given("batch_rows", sizes.astype(float), walk.t, symbol="M", label="rows of the batch")
    before = [previous(theta) for theta in walk.theta]
    terms = before[walk.first :]
    subtotal = terms[0] * x[0] if p == 1 else dot(terms, x)
    f = before[0] + subtotal if walk.first else subtotal
    q: Expr | None = None
    if plan.loss in ("log_loss", "squared_sigmoid"):
        q = probability(f)
    elif not all(plan.zero_is_wrong):
        q = step_of(plan, f)
    epsilon = w.cells.get("epsilon", expr(0.0))
    if plan.loss not in ("log_loss", "modified_huber"):  # whose formulas would be too long to read
        mean = sum_(loss_of(plan, y, f, q, epsilon), rows, window) / m
        walk.loss = w.becomes("loss", mean, axis=walk.t, symbol="l", label="mean loss before the update")
    gradient = slope_of(plan, y, f, q, epsilon)
    gradient = gradient if counted is None else counted * gradient
    shares = walk.class_weights()
    gradient = gradient if shares is None else where(y > 0, *shares) * gradient
    bodies = [gradient] * walk.first + [gradient * column for column in x]
    gradients: list[Expr] = []
    for i, body in enumerate(bodies):
        j = i + 1 - walk.first
        gradients.append(
            w.becomes(
                f"gradient_{j}", sum_(body, rows, window) / m, axis=walk.t, symbol=f"g_{{{j}}}",
                label=f"slope for {'the intercept' if j == 0 else data.names[j - 1]}",
            )
        )  # fmt: skip
    return rate, gradients


def compare_batches(walk: Walk) -> None:
    """Losses and parameters with what the kernel recorded."""
    if walk.loss is not None:
        expected = walk.recorded("loss")
        walk.w.check(walk.loss, expected, "the recorded loss", 1e-8, max(1.0, float(np.abs(expected).max())))
    compare_parameters(walk)


def compare_parameters(walk: Walk) -> None:
    first_column = walk.names.index("theta_0" if walk.first else "theta_1")
    scale = float(np.abs(walk.steps[:, first_column : first_column + len(walk.theta)]).max())
    for i, theta in enumerate(walk.theta):
        name = f"theta_{i + 1 - walk.first}"
        walk.w.check(theta, walk.recorded(name), f"the recorded {name}", 1e-8, scale)
