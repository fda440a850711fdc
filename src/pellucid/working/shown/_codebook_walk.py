"""Some updates of a codebook in a row: the distances of each visited row, who moves, and where to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from pellucid.base.types import Floats
from pellucid.working.expression import Axis, Cell, Expr, expr
from pellucid.working.language import equal, exp, lookup, previous, smallest, sqrt, where
from pellucid.working.model import Working


@dataclass
class Walk:
    """Updates as they stand on the page."""

    w: Working
    tag: str  # before the names of its cells
    names: list[str]  # of the table's columns
    variant: str
    updates: dict[str, Floats]  # the kernel's record, by column
    start: Floats  # the codebook before them
    x: list[Cell]
    y: Cell  # the classes of the rows, as numbers
    c: Cell  # those of the vectors
    weight: Cell | None
    rate: Expr | None  # None: each update has its own
    settings: dict[str, float]
    box: Floats | None = None  # where a vector was held in one of these updates
    t: Axis = field(init=False)
    vectors: list[list[Cell]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.t = Axis("update", [int(u) + 1 for u in self.updates["update"]], "t", "T", raised=True)

    def becomes(self, name: str, source: Any, symbol: str, label: str) -> Cell:
        return self.w.becomes(f"{self.tag}{name}", source, axis=self.t, symbol=symbol, label=label)

    @property
    def end(self) -> list[list[Expr]]:
        """The codebook after the last update."""
        return [[lookup(cell, len(self.t)) for cell in vector] for vector in self.vectors]


def walk_along(walk: Walk) -> None:
    """Adds the table of updates, and compares it with the record."""
    m, p = walk.start.shape
    w, t = walk.w, walk.t
    for v in range(m):
        row = []
        for j in range(p):
            symbol = f"w_{{{v + 1},{j + 1}}}" if p > 1 else f"w_{{{v + 1}}}"
            label = f"vector {v + 1}: {walk.names[j]}"
            name = f"{walk.tag}w_{v + 1}_{j + 1}"
            row.append(w.recurring(name, t, float(walk.start[v, j]), symbol=symbol, label=label))
        walk.vectors.append(row)
    row_number = w.given(f"{walk.tag}row", walk.updates["row"] + 1, t, symbol="r", label="row")
    x = [walk.becomes(f"x_{j + 1}_row", lookup(column, row_number), f"x_{{{j + 1}}}", f"{walk.names[j]} of that row")
         for j, column in enumerate(walk.x)]  # fmt: skip
    y = walk.becomes("y_row", lookup(walk.y, row_number), "y", "its class")
    d = []
    for v in range(m):
        squares = [(x[j] - previous(walk.vectors[v][j])) ** 2 for j in range(p)]
        d.append(
            walk.becomes(f"d_{v + 1}", sqrt(reduce(add, squares)), f"d_{{{v + 1}}}", f"distance to vector {v + 1}")
        )
    movers = _movers(walk, d, x, y)
    if walk.weight is not None:
        u = walk.becomes("weight_row", lookup(walk.weight, row_number), "u", "weight of that row")
        movers = [
            (b, walk.becomes(f"u_{k}", u * s, f"q_{k}", "step times weight")) for k, (b, s) in enumerate(movers, 1)
        ]
    if walk.weight is not None or walk.variant == "glvq":
        movers = [(b, _limited(walk, k, s)) for k, (b, s) in enumerate(movers, 1)]
    for v, vector in enumerate(walk.vectors, 1):
        share: Expr = expr(0)
        for b, s in reversed(movers):
            share = where(equal(b, v), s, share)
        for j, cell in enumerate(vector):
            moved = previous(cell) + share * (x[j] - previous(cell))
            w.becomes(cell, moved if walk.box is None else _held(moved, *walk.box[:, j].tolist()))
    w.run(t)
    for (_, s), column in zip(movers, ("first_step", "second_step"), strict=False):
        if isinstance(s, Cell):
            w.check(s, walk.updates[column], f"fit_with_history: {column}", tolerance=1e-7, scale=1e-3)


def _limited(walk: Walk, k: int, s: Cell) -> Cell:
    formula = where(s > 1, 1, where(s < -1, -1, s))
    return walk.becomes(f"limited_{k}", formula, rf"\hat{{s}}_{k}", "step, not beyond the row itself")


def _held(moved: Expr, low: float, high: float) -> Expr:
    return -1 * smallest(-low, -1 * smallest(moved, high, high), -low)


def _movers(walk: Walk, d: list[Cell], x: list[Cell], y: Cell) -> list[tuple[Cell, Cell]]:
    """The vectors that move in each update, and by what share of their way to the row."""
    if walk.variant in ("lvq1", "olvq1"):
        return [_winner(walk, d, y)]
    return _gradient(walk, d, y) if walk.variant == "glvq" else _two_nearest(walk, d, y)


def _chosen(walk: Walk, name: str, column: str, among: list[Expr], symbol: str, label: str) -> tuple[Cell, Cell]:
    """The smallest of some distances, and whose it is."""
    low = walk.becomes(f"{name}_distance", least_of(among), f"d_{symbol}", f"distance of the {label}")
    nearest: Expr = expr(len(among))
    for v in range(len(among) - 1, 0, -1):
        nearest = where(equal(low, among[v - 1]), v, nearest)
    if _by_rounding(walk, column):
        fitted_choice = walk.w.given(f"{walk.tag}{name}", walk.updates[column] + 1, walk.t, symbol=symbol, label=label)
        walk.w.note("Of distances that differ by rounding alone the fit's own choice is taken.")
        return low, fitted_choice
    return low, walk.becomes(name, nearest, symbol, label)


def least_of(values: Sequence[Expr]) -> Expr:
    """The smallest of some numbers that stand side by side."""
    if len(values) == 1:
        return values[0]
    return smallest(values[0], values[1], least_of(values[2:] or values[1:]))


def _by_rounding(walk: Walk, column: str) -> bool:
    """Would the page choose other vectors than the fit did?"""
    return bool(walk.settings.get(f"rounded {column}", 0.0))


def _rate(walk: Walk) -> Expr:
    if walk.rate is not None:
        return walk.rate
    return walk.w.given(f"{walk.tag}rate_row", walk.updates["rate"], walk.t, symbol="a", label="rate")


def _winner(walk: Walk, d: list[Cell], y: Cell) -> tuple[Cell, Cell]:
    _, b = _chosen(walk, "winner", "first", list(d), "b", "nearest vector")
    correct = equal(lookup(walk.c, b), y)
    if walk.variant == "olvq1" and walk.rate is not None:
        return b, _own_rates(walk, len(d), b, correct)
    a = _rate(walk)
    return b, walk.becomes("step", where(correct, a, -a), "s", "step: + toward the row, − away")


def _own_rates(walk: Walk, m: int, b: Cell, correct: Expr) -> Cell:
    """Each vector has a rate; that of the one that moved changes afterward."""
    assert walk.rate is not None
    rates = [walk.w.recurring(f"{walk.tag}a_{v + 1}", walk.t, walk.rate, symbol=f"a_{{{v + 1}}}",
                              label=f"rate of vector {v + 1}") for v in range(m)]  # fmt: skip
    now: Expr = previous(rates[-1])
    for v in range(m - 1, 0, -1):
        now = where(equal(b, v), previous(rates[v - 1]), now)
    a = walk.becomes("rate_row", now, "a", "its rate")
    s = walk.becomes("step", where(correct, a, -a), "s", "step: + toward the row, − away")
    changed = walk.becomes("next_rate", where(s <= -1, walk.rate, a / (1 + s)), "a'", "its rate from now on")
    capped = where(changed > walk.rate, walk.rate, changed)
    for v, cell in enumerate(rates, 1):
        walk.w.becomes(cell, where(equal(b, v), capped, previous(cell)))
    return s


def _two_nearest(walk: Walk, d: list[Cell], y: Cell) -> list[tuple[Cell, Cell]]:
    first, b = _chosen(walk, "winner", "first", list(d), "b", "nearest vector")
    if len(d) == 1:
        return [(b, walk.becomes("step", 0 * first, "s_1", "step: one vector alone does not move"))]
    far = reduce(add, d) + 1
    other_distances = [where(equal(b, v), far, first_correct) for v, first_correct in enumerate(d, 1)]
    second, e = _chosen(walk, "second", "second", other_distances, "e", "second nearest vector")
    h = walk.settings["window"]
    inside = first > (1 - h) / (1 + h) * second
    a = _rate(walk)
    first_correct, second_correct = equal(lookup(walk.c, b), y), equal(lookup(walk.c, e), y)
    both: Expr = walk.settings["epsilon"] * a if walk.variant == "lvq3" else expr(0)
    zone = walk.becomes("inside", where(inside, 1, 0), "z", "does the row lie in the window?")
    s = where(first_correct, where(second_correct, both, zone * a), where(second_correct, -(zone * a), 0))
    r = where(second_correct, where(first_correct, both, zone * a), where(first_correct, -(zone * a), 0))
    return [
        (b, walk.becomes("step", s, "s_1", "step of the nearest")),
        (e, walk.becomes("second_step", r, "s_2", "step of the second")),
    ]


def _gradient(walk: Walk, d: list[Cell], y: Cell) -> list[tuple[Cell, Cell]]:
    far = reduce(add, d) + 1
    same_class = [equal(lookup(walk.c, v), y) for v in range(1, len(d) + 1)]
    near, b = _chosen(walk, "own", "first", [where(r, one, far) for r, one in zip(same_class, d, strict=True)], "b",
                      "nearest vector of the row's class")  # fmt: skip
    away, e = _chosen(walk, "other", "second", [where(r, far, one) for r, one in zip(same_class, d, strict=True)], "e",
                      "nearest vector of another class")  # fmt: skip
    beta, u = walk.settings["steepness"], walk.settings["spread"]
    both = walk.becomes("both", near**2 + away**2, "D", "both squared distances")
    mu = walk.becomes("mu", (near**2 - away**2) / both, r"\mu", "relative distance")
    f = walk.becomes("f", 1 / (1 + exp(-beta * mu)), "f", "sigmoid of it")
    a = _rate(walk)
    common = walk.becomes("pull", a * u * beta * f * (1 - f) / both, "g", "common factor")
    return [
        (b, walk.becomes("step", common * (away**2 / both), "s_1", "step toward the row")),
        (e, walk.becomes("second_step", -(common * (near**2 / both)), "s_2", "step away from it")),
    ]


def rounded(
    start: Floats, updates: dict[str, Floats], X: Floats, codes: Any, labels: Any, variant: str, box: Floats | None
) -> dict[str, float]:
    """Which of the record's choices a page would make otherwise, by the last bits of its distances; who was held."""
    vectors, flags = start.copy(), {"rounded first": 0.0, "rounded second": 0.0, "held": 0.0}
    for i in range(len(updates["row"])):
        row = int(updates["row"][i])
        apart = np.sqrt(((X[row] - vectors) ** 2).sum(axis=1))
        first, second = int(updates["first"][i]), int(updates["second"][i])
        same_class = labels == codes[row]
        among = {"glvq": (same_class, ~same_class)}.get(
            variant, (np.ones(len(vectors), bool), np.arange(len(vectors)) != first)
        )
        for name, choice, allowed in (("first", first, among[0]), ("second", second, among[1])):
            if choice >= 0 and int(np.argmin(np.where(allowed, apart, np.inf))) != choice:
                flags[f"rounded {name}"] = 1.0
        for choice, step in ((first, updates["first_step"][i]), (second, updates["second_step"][i])):
            if choice >= 0:
                vectors[choice] += step * (X[row] - vectors[choice])
                if step < 0 and box is not None:
                    clipped = np.clip(vectors[choice], *box)
                    flags["held"] = max(flags["held"], float((clipped != vectors[choice]).any()))
                    vectors[choice] = clipped
    return flags
