"""The rows of a round of boosting as cells: slopes of the loss, and the leaf of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pellucid.base.types import Floats
from pellucid.models.tree.nodes import NodeTest
from pellucid.models.tree.words import Words
from pellucid.working.expression import Axis, Cell, Expr, expr
from pellucid.working.language import absolute, equal, exp, lookup, where
from pellucid.working.model import Working
from pellucid.working.shown._boosted_draws import SINGLE, draw_cells
from pellucid.working.shown._boosted_fit import BY_RESIDUALS, BoostedTree, Fit
from pellucid.working.shown._ensembles import added
from pellucid.working.shown._rows import label, spelled

MOST_OUTPUTS = 3  # whose trees are shown in a round
MOST_CLASSES = 6  # whose probabilities are worked out
MOST_SPELLED = 4  # leaves of a tree whose tests are one formula


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
    counts: Cell | None = None  # what rows count in the sums of a leaf: weight and how often they are drawn
    sought: Cell | None = None  # what they count in the search for tests; ordered boosting: not in the leaves
    own: tuple[Cell, Expr] | None = None  # ordered boosting: slopes from models that have not seen the row
    drawn: Floats | None = None
    known: bool = True  # which rows were drawn?
    errors: Cell | None = None  # where leaves answer by them
    step: float = 0.0  # how far a score may move, which rounding is a share of

    # ---------------------------------------------------------------------------------------------------------- names

    def tag(self, k: int | None = None) -> str:
        """The end of a cell's name."""
        single_output = k is None or self.fit.outputs == 1
        return f"_{self.number + 1}" if single_output else f"_{self.number + 1}_{(k or 0) + 1}"

    def mark(self, letter: str, k: int | None = None) -> str:
        """A letter with the numbers of the round and of the class."""
        single_output = k is None or self.fit.outputs == 1
        return f"{letter}_{{{self.number + 1}}}" if single_output else f"{letter}_{{{self.number + 1},{(k or 0) + 1}}}"

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
        power_sum = self.w.cell(f"Z{self.tag()}", added(powers), symbol=self.mark("Z"), label="their sum")
        return [self.rows("p", powers[k] / power_sum, k, "p", "probability") for k in range(min(n, MOST_OUTPUTS))]

    def slopes(self, k: int, p: Cell | None) -> tuple[Cell, Expr]:
        """The residual (the textbook's way) or first derivative of each row, and the second derivative."""
        if self.fit.kind == "own":
            return self._told(k)
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
        elif fit.kind in ("poisson", "logistic"):
            above, h = self.smooth(f, y, lambda name, source, letter, text: self.rows(name, source, k, letter, text))
        elif fit.kind == "softmax":
            assert p is not None
            is_it = where(equal(y, label(fit.model.classes_[k])), 1, 0)
            above = is_it - p if fit.exact else p - is_it
            factor = float(fit.plan.get("curvature_factor", 1.0))
            h = p * (1 - p) if factor == 1 else factor * p * (1 - p)
        name, letter, text = ("r", "r", "residual") if fit.exact else ("g", "g", "first derivative")
        first = self.rows(name, above, k, letter, text)
        if isinstance(h, Cell) or h.axes or fit.kind in ("poisson", "logistic", "softmax"):
            h = self.rows("h", self.least(h), k, "h", "second derivative")
        return first, h

    def _told(self, k: int) -> tuple[Cell, Cell]:
        """The slopes that a function of the user's own gives, before weights that it does not take."""
        gradients = self.fit.slopes(self.fit.scores(self.number))
        weight = 1.0 if self.fit.weight is None else self.fit.weight
        columns = zip("gh", gradients, ("first", "second"), strict=True)
        g, h = (
            self.w.given(f"{letter}{self.tag(k)}", derivatives[:, k] / weight, self.axis, symbol=self.mark(letter, k),
                         label=f"{ordinal} derivative{self.of(k)}")
            for letter, derivatives, ordinal in columns
        )  # fmt: skip
        return g, h

    def smooth(self, f: Expr, y: Cell, cell: Callable[[str, Expr, str, str], Cell]) -> tuple[Expr, Expr]:
        """Residual or first derivative, and second one, of a smooth loss of one score.

        cell : makes a cell of a name, a formula, a letter and a text
        """
        fit = self.fit
        prediction: Expr = f
        h: Expr = expr(1)
        if fit.kind == "poisson":
            prediction = cell("e", exp(f), "e", "e to the score")
            h = prediction if fit.damping == 0 else prediction * float(np.exp(fit.damping))
        elif fit.kind == "logistic":
            prediction = cell("p", 1 / (1 + exp(-f)), "p", "probability")
            h = prediction * (1 - prediction)
        return (y - prediction if fit.exact else prediction - y), h

    def least(self, h: Expr) -> Expr:
        """A second derivative is not taken to be smaller than this."""
        min_curvature = float(self.fit.plan.get("least_curvature", 0.0))
        return where(h < min_curvature, min_curvature, h) if np.min(h.value) < min_curvature else h

    def _huber(self, apart: Expr) -> Expr:
        """Errors beyond d count as d."""
        assert self.errors is not None
        size = self.w.cell(f"a{self.tag()}", absolute(self.errors), symbol=self.mark("a"), label="size of the error")
        row = self.fit.quantile_row(np.asarray(size.value), np.arange(len(self.axis)), float(self.fit.plan["level"]))
        at = self.w.given(f"d_row{self.tag()}", float(row + 1), symbol="m",
                          label=f"where sizes reach the share {self.fit.plan['level']:g}")  # fmt: skip
        d = self.w.cell(f"d{self.tag()}", lookup(size, at), symbol=self.mark("d"), label="errors up to this are small")
        return where(apart > d, d, where(apart < -d, -d, apart))

    # ------------------------------------------------------------------------------------------------------ rows drawn

    def draw(self, gradients: list[tuple[Cell, Expr]], trees: list[BoostedTree]) -> None:
        """How often each row counts: by what was drawn, and by its weight.

        slopes : those that the tests are sought by
        """
        fit, w = self.fit, self.w
        factor = fit.factors(self.number, fit.own_scores(self.number))
        if factor is not None:
            self.known = all(fit.fits(tree, factor, self.number, k) for k, tree in enumerate(trees))
        if not self.known:
            w.note(f"Which rows were drawn in round {self.number + 1} cannot be told: its leaves are given.")
            return
        self.drawn, self.counts, self.sought = factor, self.weight, self.weight
        if factor is None:
            return
        times = draw_cells(self, gradients, factor)
        self.sought = times
        if self.weight is not None:
            self.sought = w.cell(f"c{self.tag()}", self.weight * times, symbol=self.mark("c"), label="counts in all")
        if not fit.ordered:
            self.counts = self.sought

    # --------------------------------------------------------------------------------------------------------- leaves

    def place(self, tree: BoostedTree, k: int) -> Cell:
        """The leaf of each row: by the tests where they are few and of columns that are shown."""
        attribute = "leaves of the fit" if self.fit.encodes else "apply(X)"
        style: dict[str, Any] = {"symbol": self.mark("l", k), "label": f"leaf, from the left{self.of(k)}"}
        return self.placed(tree, f"leaf{self.tag(k)}", self.columns, style, attribute)

    def placed(
        self, tree: BoostedTree, name: str, columns: dict[int, Cell], style: dict[str, Any], attribute: str
    ) -> Cell:
        """The leaf of each row by some columns; given where the tests are many or of others."""
        leaf_numbers = tree.place.astype(np.float64)
        formula = _spelled(tree, 0, columns) if 1 < len(tree.leaves) <= MOST_SPELLED else None
        if formula is None:
            return self.w.given(name, leaf_numbers, self.axis, **style)
        return self.w.cell(name, formula, equals=leaf_numbers, attribute=attribute, **style)


def _spelled(tree: BoostedTree, node: int, columns: dict[int, Cell]) -> Expr | None:
    """The leaf below a node as a formula of the columns; None where a column is not shown, or holds no numbers."""
    nodes = tree.nodes
    if nodes.n_children[node] == 0:
        return expr(tree.span(node)[0])
    column = columns.get(int(nodes.feature[node]))
    if column is None or nodes.test[node] != NodeTest.AT_MOST or not np.isfinite(nodes.threshold[node]):
        return None
    if not np.isfinite(np.asarray(column.value, dtype=np.float64)).all():
        return None
    sides = [_spelled(tree, child, columns) for child in nodes.children(node)]
    if sides[0] is None or sides[1] is None:
        return None
    return where(column <= float(nodes.threshold[node]), *sides)
