"""The first round of coordinate descent on logistic regression: one coefficient after the other, with its threshold."""

from __future__ import annotations

import numpy as np

from pellucid.base.types import Floats
from pellucid.working.expression import Cell, Expr, expr
from pellucid.working.language import absolute, sign, where
from pellucid.working.shown._logistic_rows import Rows

# Beyond so many columns the slopes of the round are given, not worked out.
MOST_TURNS = 4
HALF = "With all coefficients at zero every row has probability one half; how far off that is, and its curvature."
TURNS = "One coefficient after the other, with slope and curvature as the coefficients before it leave them"
CUT = "; what is below the threshold of l1 stays at zero"


def first_round(rows: Rows) -> None:
    """Each coefficient to the lowest point of its parabola, less the l1 threshold."""
    columns, table = rows.data.record["round"]
    record = {name: np.asarray(table[:, position], dtype=np.float64) for position, name in enumerate(columns)}
    if len(table) <= MOST_TURNS and not record["before"].any() and _is_plain(rows, record):
        _worked_out(rows, record)
    else:
        _as_told(rows, record)


def _curve(rows: Rows, v: Floats, weight: Floats) -> float:
    """Curvature of the cost for the intercept."""
    l2 = rows.w.cells.get("l2")
    penalized = isinstance(l2, Cell) and rows.model.solver_ == "liblinear"
    more = float(l2.value) / float(rows.model.intercept_scaling) ** 2 if isinstance(l2, Cell) and penalized else 0.0
    return float(weight @ v) + more


def _follows(rows: Rows) -> bool:
    """Does the intercept move along with every coefficient? Not where l1 holds it: its turn comes after them."""
    penalized = rows.model.solver_ == "liblinear" and isinstance(rows.w.cells.get("l1"), Cell)
    return bool(rows.model.fit_intercept) and not penalized


def _is_plain(rows: Rows, record: dict[str, Floats]) -> bool:
    """Do slopes, curvatures and steps follow from zeros by the formulas of the page? The kernel cuts wild steps off."""
    weight = np.ones(len(rows.data.X)) if rows.weight is None else np.asarray(rows.weight.value, dtype=np.float64)
    weight = weight / weight.sum()
    error, v = 0.5 - (rows.codes == 1), np.full(len(weight), 0.25)
    K, follows = _curve(rows, v, weight), _follows(rows)
    l1, l2 = (float(cell.value) if isinstance(cell := rows.w.cells.get(name), Cell) else 0.0 for name in ("l1", "l2"))
    move = -float(weight @ error) / K if follows else 0.0
    for j, g, h, after in zip(record["column"], record["gradient"], record["curvature"], record["after"], strict=True):
        x = rows.data.X[:, int(j)]
        shared = float(weight @ (v * x))
        gradient = float(weight @ (error * x)) + move * shared
        curvature = float(weight @ (v * x * x)) - (shared**2 / K if follows else 0.0) + l2
        if not np.isclose(gradient, g, rtol=1e-7, atol=1e-9 * np.sqrt(curvature)) or not np.isclose(
            curvature, h, rtol=1e-7
        ):
            return False
        lowest = -gradient / curvature
        expected = np.sign(lowest) * max(abs(lowest) - l1 / curvature, 0.0)
        if not np.isclose(expected, after, rtol=1e-6, atol=1e-12):
            return False
        error = error + expected * v * x
        move -= expected * shared / K if follows else 0.0
    return True


def _worked_out(rows: Rows, record: dict[str, Floats]) -> None:
    w, target = rows.w, rows.in_class(1)
    w.step("First round: start", HALF)
    p = w.given("round_p", 0.5, symbol="p", label="probability of every row")
    error: Expr = w.cell("round_error_0", p - target, symbol="e_0", label="probability less target")
    v = w.cell("round_v", p * (1 - p), symbol="v", label="curvature of every row")
    follows, l1, l2 = _follows(rows), w.cells.get("l1"), w.cells.get("l2")
    move: Expr = expr(0)
    K: Expr = v
    if follows:
        if isinstance(l2, Cell) and rows.model.solver_ == "liblinear":
            scaling = float(rows.model.intercept_scaling)
            K = v + (l2 if scaling == 1 else l2 / scaling**2)
        K = w.cell("round_K", K, symbol="K", label="curvature for the intercept")
        move = w.cell("move_0", -rows.mean(error) / K, symbol="a_0", label="where the intercept goes first")
    size = float(np.abs(record["after"]).max(initial=1e-12))
    words = TURNS + (CUT if isinstance(l1, Cell) else "") + "."
    if follows:
        words += " The intercept is moved along to its best place each time."
    for turn, j in enumerate(record["column"].astype(int), start=1):
        name, x = rows.data.names[j], rows.x[j]
        w.step(f"First round: {name}", words if turn == 1 else "")
        mark = f"_{{{turn}}}"
        gradient, curvature = rows.mean(error * x), v * rows.mean(x**2)
        shared: Cell | None = None
        if follows:
            shared = w.cell(
                f"shared_{turn}", v * rows.mean(x), symbol=f"k{mark}", label="curvature shared with the intercept"
            )
            gradient, curvature = gradient + move * shared, curvature - shared**2 / K
        curvature = curvature + l2 if isinstance(l2, Cell) else curvature
        g = w.cell(f"round_g_{turn}", gradient, symbol=f"g{mark}", label=f"slope for {name}")
        h = w.cell(f"round_h_{turn}", curvature, symbol=f"h{mark}", label="curvature")
        formula: Expr = -g / h
        if isinstance(l1, Cell):
            z = w.cell(f"round_z_{turn}", formula, symbol=f"z{mark}", label="lowest point without l1")
            cut = w.cell(f"round_cut_{turn}", l1 / h, symbol=rf"\tau{mark}", label="threshold")
            formula = where(absolute(z) > cut, z - sign(z) * cut, 0)
        after = w.cell(
            f"round_{turn}", formula, symbol=rf"\beta_{{{j + 1}}}^{{(1)}}", label=f"coefficient of {name}",
            equals=float(record["after"][turn - 1]), attribute="the recorded round", tolerance=1e-6, scale=size,
        )  # fmt: skip
        if turn == len(record["column"]):
            return
        error = w.cell(
            f"round_error_{turn}", error + after * v * x, symbol=f"e{mark}", label=f"error that {name} leaves"
        )
        if shared is not None:
            move = w.cell(f"move_{turn}", move - after * shared / K, symbol=f"a{mark}", label="the intercept then")


def _as_told(rows: Rows, record: dict[str, Floats]) -> None:
    """Slopes and curvatures as the kernel recorded them, and the step that each gives."""
    w, l1 = rows.w, rows.w.cells.get("l1")
    w.step("First round of coordinate descent", TURNS + (CUT if isinstance(l1, Cell) else "") + ".")
    axis = w.axis("turn", [rows.data.names[int(j)] for j in record["column"]], "j", "p")
    before = w.given("before", record["before"], axis, symbol=r"\beta", label="coefficient before")
    g = w.given("round_slope", record["gradient"], axis, symbol="g", label="slope")
    h = w.given("round_curvature", record["curvature"], axis, symbol="h", label="curvature")
    z = w.cell("unpenalized", before - g / h, symbol="z", label="lowest point without l1")
    formula: Expr = z
    if isinstance(l1, Cell):
        cut = w.cell("threshold", l1 / h, symbol=r"\tau", label="threshold")
        formula = where(absolute(z) > cut, z - sign(z) * cut, 0)
    after = record["after"]
    w.cell(
        "after", formula, symbol=r"\beta^+", label="coefficient after", equals=after, attribute="the recorded round",
        tolerance=1e-7, scale=float(np.abs(after).max(initial=1e-12)),
    )  # fmt: skip
