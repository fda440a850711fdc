"""The rows of a round of boosting as cells: slopes of the loss, which rows are drawn, and the leaf of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pellucid.base.types import Floats
from pellucid.parts.tree.nodes import NodeTest
from pellucid.parts.tree.words import Words
from pellucid.working.expression import Axis, Cell, Expr, expr
from pellucid.working.language import absolute, equal, exp, look_up, where
from pellucid.working.model import Working
from pellucid.working.shown._boosted_fit import BY_RESIDUALS, BoostedTree, Fit
from pellucid.working.shown._ensembles import added
from pellucid.working.shown._rows import label, spelled

MOST_OUTPUTS = 3  # whose trees are shown in a round
MOST_CLASSES = 6  # whose probabilities are worked out
MOST_SPELLED = 4  # leaves of a tree whose tests are one formula
SINGLE = 1e-5  # slopes are kept in single precision


@dataclass
class Rows:
    """A round that is being shown: its number (from 0), the scores before it, and what its cells are called."""

    w: Working
    fit: Fit
    number: int
    axis: Axis
    y: Cell
    weight: Cell | None
    columns: dict[int, Cell]
    words: Words
    rate: Cell
    scores: list[Expr]  # of each output, before the round
    counts: Cell | None = None  # what rows count in the sums: weight and how often they are drawn
    drawn: Floats | None = None
    known: bool = True  # which rows were drawn?
    errors: Cell | None = None  # where leaves answer by them
    step: float = 0.0  # how far a score may move, which rounding is a share of

    # ---------------------------------------------------------------------------------------------------------- names

    def tag(self, k: int | None = None) -> str:
        """The end of a cell's name."""
        one = k is None or self.fit.outputs == 1
        return f"_{self.number + 1}" if one else f"_{self.number + 1}_{(k or 0) + 1}"

    def mark(self, letter: str, k: int | None = None) -> str:
        """A letter with the numbers of the round and of the class."""
        one = k is None or self.fit.outputs == 1
        return f"{letter}_{{{self.number + 1}}}" if one else f"{letter}_{{{self.number + 1},{(k or 0) + 1}}}"

    def of(self, k: int) -> str:
        """What a label says besides, where there are several classes."""
        return "" if self.fit.outputs == 1 else f" of {spelled(label(self.fit.model.classes_[k]))}"

    def tolerance(self) -> float:
        """Sums of the textbook's way are in full precision."""
        return 1e-9 if self.fit.exact else SINGLE

    def rows(self, name: str, source: Any, k: int, letter: str, text: str) -> Cell:
        """A cell of this round and a class."""
        return self.w.cell(f"{name}{self.tag(k)}", source, symbol=self.mark(letter, k), label=f"{text}{self.of(k)}")

    # --------------------------------------------------------------------------------------------------------- slopes

    def probabilities(self) -> list[Cell] | None:
        """Of the softmax: e^f by class as shares; None where there are too many classes for formulas."""
        n = self.fit.outputs
        if n > MOST_CLASSES:
            return None
        powers = [self.rows("e", exp(self.scores[k]), k, "e", "e to the score") for k in range(n)]
        whole = self.w.cell(f"Z{self.tag()}", added(powers), symbol=self.mark("Z"), label="their sum")
        return [self.rows("p", powers[k] / whole, k, "p", "probability") for k in range(min(n, MOST_OUTPUTS))]

    def slopes(self, k: int, p: Cell | None) -> tuple[Cell, Expr]:
        """The residual (the textbook's way) or first derivative of each row, and the second derivative."""
        f, y, fit = self.scores[k], self.y, self.fit
        sign = -1 if fit.exact else 1
        above: Expr = y - f if fit.exact else f - y
        h: Expr = expr(1)
        if fit.kind in BY_RESIDUALS:
            self.errors = self.rows("z", y - f, k, "z", "error")
            above = self.errors if fit.exact else -self.errors
        if fit.kind in ("absolute_error", "quantile"):
            a = float(fit.plan["level"]) if fit.kind == "quantile" else 0.5
            low, high = (1.0, -1.0) if fit.kind == "absolute_error" else (1 - a, -a)
            above = where(f > y, sign * low, sign * high)
        elif fit.kind == "huber":
            above = self._huber(above)
        elif fit.kind == "poisson":
            e = self.rows("e", exp(f), k, "e", "e to the score")
            above = y - e if fit.exact else e - y
            h = e if fit.damping == 0 else e * float(np.exp(fit.damping))
        elif fit.kind == "logistic":
            p = self.rows("p", 1 / (1 + exp(-f)), k, "p", "probability")
            above, h = (y - p if fit.exact else p - y), p * (1 - p)
        elif fit.kind == "softmax":
            assert p is not None
            is_it = where(equal(y, label(fit.model.classes_[k])), 1, 0)
            above = is_it - p if fit.exact else p - is_it
            factor = float(fit.plan.get("curvature_factor", 1.0))
            h = p * (1 - p) if factor == 1 else factor * p * (1 - p)
        name, letter, text = ("r", "r", "residual") if fit.exact else ("g", "g", "first derivative")
        first = self.rows(name, above, k, letter, text)
        if isinstance(h, Cell) or h.axes or fit.kind in ("poisson", "logistic", "softmax"):
            h = self.rows("h", self._least(h), k, "h", "second derivative")
        return first, h

    def _least(self, h: Expr) -> Expr:
        least = float(self.fit.plan.get("least_curvature", 0.0))
        return where(h < least, least, h) if np.min(h.value) < least else h

    def _huber(self, apart: Expr) -> Expr:
        """Errors beyond d count as d."""
        assert self.errors is not None
        size = self.w.cell(f"a{self.tag()}", absolute(self.errors), symbol=self.mark("a"), label="size of the error")
        row = self.fit.quantile_row(np.asarray(size.value), np.arange(len(self.axis)), float(self.fit.plan["level"]))
        at = self.w.given(f"d_row{self.tag()}", float(row + 1), symbol="m",
                          label=f"where sizes reach the share {self.fit.plan['level']:g}")  # fmt: skip
        d = self.w.cell(f"d{self.tag()}", look_up(size, at), symbol=self.mark("d"), label="errors up to this are small")
        return where(apart > d, d, where(apart < -d, -d, apart))

    # ------------------------------------------------------------------------------------------------------ rows drawn

    def draw(self, slopes: list[Cell], trees: list[BoostedTree]) -> None:
        """How often each row counts: by what was drawn, and by its weight."""
        fit, w = self.fit, self.w
        factor = fit.factors(self.number, fit.scores(self.number))
        if factor is not None:
            self.known = all(fit.fits(tree, factor, self.number, k) for k, tree in enumerate(trees))
        if not self.known:
            w.note(f"Which rows were drawn in round {self.number + 1} cannot be told: its leaves are given.")
            return
        self.drawn = factor
        if factor is None:
            self.counts = self.weight
            return
        times = self._goss(slopes, factor) if fit.draws == "goss" else None
        if times is None:
            times = w.given(f"q{self.tag()}", factor, self.axis, symbol=self.mark("q"), label="counts; 0: not drawn")
        self.counts = times
        if self.weight is not None:
            self.counts = w.cell(f"c{self.tag()}", self.weight * times, symbol=self.mark("c"), label="counts in all")

    def _goss(self, slopes: list[Cell], factor: Floats) -> Cell:
        """Rows with the largest slopes count once, those drawn from the others more."""
        w, plan = self.w, self.fit.plan
        a = w.given(f"top{self.tag()}", float(plan["top"]), symbol="a", label="share of rows kept for their slopes")
        b = w.given(f"other{self.tag()}", float(plan["other"]), symbol="b", label="share of rows drawn from the others")
        if len(slopes) == self.fit.outputs == 1:
            size: Expr = absolute(slopes[0]) if self.weight is None else absolute(self.weight * slopes[0])
            w.cell(f"s{self.tag()}", size, symbol=self.mark("s"), label="size of the first derivative")
        said = np.where(factor == 1, "kept", np.where(factor > 0, "drawn", "out")).astype(object)
        kind = w.given(f"kind{self.tag()}", said, self.axis, symbol="u", label="kept for its slope, drawn, or out")
        found = where(equal(kind, "kept"), 1, where(equal(kind, "drawn"), (1 - a) / b, 0))
        return w.cell(f"q{self.tag()}", found, symbol=self.mark("q"), label="counts", equals=factor,
                      attribute="sampling")  # fmt: skip

    # --------------------------------------------------------------------------------------------------------- leaves

    def place(self, tree: BoostedTree, k: int) -> Cell:
        """The leaf of each row: by the tests where they are few and of columns that are shown."""
        look: dict[str, Any] = {"symbol": self.mark("l", k), "label": f"leaf, from the left{self.of(k)}"}
        name, found = f"leaf{self.tag(k)}", tree.place.astype(np.float64)
        formula = self._spelled(tree, 0) if 1 < len(tree.leaves) <= MOST_SPELLED else None
        if formula is None:
            return self.w.given(name, found, self.axis, **look)
        return self.w.cell(name, formula, equals=found, attribute="apply(X)", **look)

    def _spelled(self, tree: BoostedTree, node: int) -> Expr | None:
        nodes = tree.nodes
        if nodes.n_children[node] == 0:
            return expr(tree.span(node)[0])
        column = self.columns.get(int(nodes.feature[node]))
        if column is None or nodes.test[node] != NodeTest.AT_MOST or not np.isfinite(nodes.threshold[node]):
            return None
        if not np.isfinite(np.asarray(column.value, dtype=np.float64)).all():
            return None
        sides = [self._spelled(tree, child) for child in nodes.children(node)]
        if sides[0] is None or sides[1] is None:
            return None
        return where(column <= float(nodes.threshold[node]), *sides)
