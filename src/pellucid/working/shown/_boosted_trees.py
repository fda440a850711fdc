"""The trees of a round of boosting as cells: leaves and their answers, similarities and gains, and new scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pellucid.base.types import Array, Floats
from pellucid.working.expression import Axis, Cell, Expr, expr
from pellucid.working.language import absolute, equal, lookup, sum_, where
from pellucid.working.shown._boosted_draws import SINGLE
from pellucid.working.shown._boosted_fit import BY_RESIDUALS, BoostedTree
from pellucid.working.shown._boosted_round import Rows
from pellucid.working.shown._tree import short

MOST_LEAVES = 64
LEAST_CURVATURE = 1e-150  # of a leaf, below which it answers 0


class Round(Rows):
    """A round that is being shown, with its trees."""

    def leaves(self, tree: BoostedTree, k: int, leaf_index: Cell, gradient: Cell, h: Expr) -> Cell:
        """What each leaf adds to the scores of its rows."""
        w, tag, fit = self.w, self.tag(k), self.fit
        axis = Axis("leaf", [int(node) for node in tree.leaves], "k", "L")
        number = w.given(f"k{tag}", np.arange(1.0, len(axis) + 1), axis, symbol="k", label="leaf, from the left")
        value: dict[str, Any] = {"symbol": self.mark("v", k), "label": "rate times answer"}
        if self._leaves_given(len(axis)):
            return w.given(f"v{tag}", tree.values, axis, **value)
        sums = Sums(self, k, axis, number, leaf_index)
        sums.rows(tree)
        above, below = self._sizes(tree, gradient, h)
        self.step = fit.rate * (float((above / below).max()) + self._apart(k))
        alike = float(max((above**2 / below).max(), above.sum() ** 2 / below.sum()))
        if fit.kind in BY_RESIDUALS:
            leaf_value = self._by_residuals(tree, k, sums)
            G, H = sums.first(gradient), sums.weight()
        elif fit.exact:
            G, H = sums.first(gradient), sums.weight()
            leaf_value = self._textbook(k, sums, G, H, h)
        else:
            G, H = sums.first(gradient), sums.curvature(h)
            leaf_value = w.cell(
                f"answer{tag}", self.answer(G, H), symbol=self.mark("w", k), label="what the leaf answers"
            )
        steps = w.cell(f"v{tag}", self.rate * leaf_value, equals=tree.values, tolerance=self.tolerance(),
                       scale=self.step, attribute=f"leaves of tree {self.number * fit.outputs + k + 1}",
                       **value)  # fmt: skip
        if fit.exact:
            self.falls(tree, k, number, G, H)
        else:
            self.splits(tree, k, sums, (G, H), alike)
        return steps

    def _leaves_given(self, many: int) -> bool:
        """Are the leaves not worked out? Says why."""
        if self.known and self._bounded():
            self.w.note("Columns that the answer may only rise or fall with bound the leaves: they are given.")
        elif self.known and many > MOST_LEAVES:
            self.w.note(f"Leaves of trees with more than {MOST_LEAVES} are given.")
        return not self.known or self._bounded() or many > MOST_LEAVES

    def _apart(self, k: int) -> float:
        """The largest error, where a leaf answers by errors."""
        if self.fit.kind not in BY_RESIDUALS:
            return 0.0
        return float(np.abs(self.fit.codes - self.fit.scores(self.number)[:, k]).max())

    def _bounded(self) -> bool:
        """May answers be held back by a direction? The textbook's way does so for squares alone."""
        constraints = getattr(self.fit.model, "monotonic_cst", None)
        return constraints is not None and bool(
            np.any(list(constraints.values()) if isinstance(constraints, dict) else constraints)
        )

    def _sizes(self, tree: BoostedTree, gradient: Cell, h: Expr) -> tuple[Floats, Floats]:
        """By leaf the sum of |g|, which rounding is a share of, and that of h."""
        n, size = len(self.axis), len(tree.leaves) + 1
        counts = np.ones(n) if self.counts is None else np.asarray(self.counts.value, dtype=np.float64)
        steep = np.broadcast_to(np.abs(np.asarray(gradient.value, dtype=np.float64)), (n,))
        curved = np.broadcast_to(np.asarray(h.value, dtype=np.float64), (n,))
        above: Floats = np.bincount(tree.place, weights=counts * steep, minlength=size)[1:].astype(np.float64)
        below: Floats = np.bincount(tree.place, weights=counts * curved, minlength=size)[1:].astype(np.float64)
        below = below + float(self.fit.plan.get("l2", 0.0))
        return above, np.where(below > 0, below, 1.0)

    def beyond(self, above: Expr) -> Expr:
        """As much of a sum as lies beyond l1, with its sign."""
        l1 = float(self.fit.plan.get("l1", 0.0))
        return where(above > l1, above - l1, where(above < -l1, above + l1, 0)) if l1 > 0 else above

    def below(self, H: Expr) -> Expr:
        """H + l2."""
        l2 = float(self.fit.plan.get("l2", 0.0))
        return H + l2 if l2 > 0 else H

    def answer(self, G: Expr, H: Expr) -> Expr:
        """-T(G) / (H + l2), within the bound."""
        below, step = self.below(H), float(self.fit.plan.get("max_step", 0.0))
        leaf_value: Expr = -self.beyond(G) / below
        if not (np.asarray(below.value) > 0).all():
            leaf_value = where(below > 0, leaf_value, 0)
        return where(leaf_value > step, step, where(leaf_value < -step, -step, leaf_value)) if step > 0 else leaf_value

    def similarity(self, G: Expr, H: Expr) -> Expr:
        """T(G)² / (H + l2); for bounded answers twice what they save."""
        below, l1 = self.below(H), float(self.fit.plan.get("l1", 0.0))
        if float(self.fit.plan.get("max_step", 0.0)) > 0:
            a = self.answer(G, H)
            saved = -(2 * G * a + below * a**2)
            return saved - 2 * l1 * absolute(a) if l1 > 0 else saved
        score = self.beyond(G) ** 2 / below
        return score if (np.asarray(below.value) > 0).all() else where(below > 0, score, 0)

    def _textbook(self, k: int, sums: Sums, above: Cell, weight: Cell, h: Expr) -> Cell:
        """The mean residual of a leaf, or one step of Newton."""
        tag, K = self.tag(k), self.fit.outputs
        if self.fit.kind == "squared_error":
            leaf_value: Expr = above / weight
            text = "mean residual"
        else:
            H = sums.curvature(h)
            step = above / H if K == 1 else (K - 1) / K * (above / H)
            leaf_value = where(H < LEAST_CURVATURE, 0, step) if np.min(H.value) < LEAST_CURVATURE else step
            text = "one step of Newton"
        return self.w.cell(f"answer{tag}", leaf_value, symbol=self.mark("a", k), label=text)

    def _by_residuals(self, tree: BoostedTree, k: int, sums: Sums) -> Cell:
        """The median or quantile of the errors of a leaf; Huber's goes on from the median."""
        w, tag, fit = self.w, self.tag(k), self.fit
        level = float(fit.plan["level"]) if fit.kind == "quantile" else 0.5
        assert self.errors is not None
        errors = self.errors
        used = np.ones(len(self.axis), dtype=bool) if self.drawn is None else self.drawn > 0
        inside = [np.flatnonzero(used & (tree.place == j + 1)) for j in range(len(tree.leaves))]
        rows = [
            fit.quantile_row(np.asarray(errors.value), leaf_rows, level) + 1 if len(leaf_rows) else 1
            for leaf_rows in inside
        ]
        at = w.given(f"m{tag}", np.array(rows, dtype=np.float64), sums.axis, symbol="m",
                     label=f"place of the row where errors reach the share {level:g}")  # fmt: skip
        row_weight, W = self._own_weight(), sums.only(self._own_weight(), f"N{tag}", "weight of its rows", "N")
        error_at: Expr = lookup(errors, at)
        if not all(len(leaf_rows) for leaf_rows in inside):
            error_at = where(W > 0, error_at, 0)
        middle = w.cell(f"answer{tag}" if fit.kind != "huber" else f"middle{tag}", error_at,
                        symbol=self.mark("a" if fit.kind != "huber" else "b", k), label="its error")  # fmt: skip
        under = sums.only(where(errors < middle, row_weight, 0), f"under{tag}", "weight of smaller errors")
        upto = sums.only(where(errors <= middle, row_weight, 0), f"upto{tag}", "weight of errors up to it")
        target_weight = level * W
        is_quantile = where(under <= target_weight, where(upto >= target_weight, 1, 0), 0)
        if not np.all(np.asarray(is_quantile.value) == 1):  # sums of weights that are not whole are rounded
            is_quantile = where(under <= target_weight + 1e-12 * W, where(upto >= target_weight - 1e-12 * W, 1, 0), 0)
        w.cell(f"is{tag}", is_quantile, symbol="u", label="is it the quantile?", equals=np.ones(len(rows)),
               attribute="leaf values")  # fmt: skip
        if fit.kind != "huber":
            return middle
        d = w.cells[f"d{self.tag()}"]
        assert isinstance(d, Cell)
        apart = errors - middle
        within = where(apart > d, d, where(apart < -d, -d, apart))
        moved = sums.only(within * row_weight, f"moved{tag}", "sum of the parts within d")
        mean_step = moved / W if all(len(leaf_rows) for leaf_rows in inside) else where(W > 0, moved / W, 0)
        return w.cell(f"answer{tag}", middle + mean_step, symbol=self.mark("a", k), label="median and mean part")

    def _own_weight(self) -> Expr:
        """What a row weighs among errors: its weight, however often it was drawn; 0 where it was not."""
        weight: Expr = expr(1) if self.weight is None else self.weight
        return weight if self.drawn is None or self.counts is None else where(self.counts > 0, weight, 0)

    # --------------------------------------------------------------------------------------------------------- splits

    def _sides(self, tree: BoostedTree, k: int) -> tuple[Axis, Array, list[Cell]] | None:
        """The splits of a tree, with the leaves that lie to their left and right."""
        inner = [node for node in tree.nodes.top_down() if tree.nodes.n_children[node]]
        if not inner:
            return None
        w, tag, nodes = self.w, self.tag(k), tree.nodes
        axis = Axis("split of node", inner, "s", "M")
        conditions = np.array([short(self.words.condition(nodes, node, 0)) for node in inner], dtype=object)
        w.given(f"asks{tag}", conditions, axis, symbol="t", label="to the left where")
        ends = np.array([[*tree.span(nodes.children(node)[0]), tree.span(node)[1]] for node in inner], dtype=np.float64)
        texts = ("first leaf", "last leaf to the left", "last leaf to the right")
        cells = [
            w.given(f"{name}{tag}", np.ascontiguousarray(ends[:, j]), axis, symbol=symbol, label=texts[j])
            for j, (name, symbol) in enumerate((("first", "a"), ("middle_leaf", "b"), ("last", "c")))
        ]
        return axis, np.array(inner), cells

    def _beside(self, sums: Cell, number: Cell, ends: list[Cell], name: str, text: str) -> tuple[Cell, Cell]:
        """A sum over the leaves to the left of each split, and to the right."""
        first, middle, last = ends
        left = where(number < first, 0, where(number <= middle, sums, 0))
        right = where(number <= middle, 0, where(number <= last, sums, 0))
        assert number.axis is not None
        letter = name[0]
        return (
            self.w.cell(f"{name}_left", sum_(left, number.axis), symbol=f"{letter}_L", label=f"{text}, left"),
            self.w.cell(f"{name}_right", sum_(right, number.axis), symbol=f"{letter}_R", label=f"{text}, right"),
        )

    def splits(self, tree: BoostedTree, k: int, sums: Sums, GH: tuple[Cell, Cell], steep: float) -> None:
        """Similarities of the nodes, and what their splits gain."""
        sides = self._sides(tree, k)
        if sides is None:
            return
        _, inner, ends = sides
        left, right, parent = self._similarities(f"{self.tag(k)}", sums.number, ends, GH)
        similarities = -(tree.nodes.impurity * tree.nodes.weight)[inner]
        self.w.check(parent, similarities, f"nodes of tree {self.number * self.fit.outputs + k + 1}", SINGLE, steep)
        if self.own is None:
            self.w.cell(f"gain{self.tag(k)}", left + right - parent, symbol="Q", label="gain")
        else:
            self._sought_gain(tree, k, sums, ends)

    def _similarities(
        self, tag: str, number: Cell, ends: list[Cell], GH: tuple[Cell, Cell], of: str = ""
    ) -> tuple[Cell, Cell, Cell]:
        """Of the two sides of each split, and of the node itself."""
        w = self.w
        g = self._beside(GH[0], number, ends, f"G{tag}", f"first derivatives{of}")
        h = self._beside(GH[1], number, ends, f"H{tag}", f"second derivatives{of}")
        left, right = (
            w.cell(f"S{tag}_{end}", self.similarity(g[side], h[side]), symbol=f"S_{end[0].upper()}",
                   label=f"similarity, {end}")
            for side, end in enumerate(("left", "right"))
        )  # fmt: skip
        parent = w.cell(
            f"S{tag}", self.similarity(g[0] + g[1], h[0] + h[1]), symbol="S", label="similarity of the node"
        )
        return left, right, parent

    def _sought_gain(self, tree: BoostedTree, k: int, sums: Sums, ends: list[Cell]) -> None:
        """Ordered boosting: gains by the slopes of rows not seen; the similarities above are of the leaves' own."""
        assert self.own is not None
        w, tag = self.w, f"_own{self.tag(k)}"
        title = f"Round {self.number + 1}: what the tests were sought by"
        w.step(title, "Sums of the slopes of rows not seen, and what the splits gain by them.", turn=self.number + 1)
        columns = zip("GH", self.own, ("first", "second"), strict=True)
        G, H = (
            sums.only(derivatives if self.sought is None else self.sought * derivatives, f"{letter}{tag}",
                      f"sum of {ordinal} derivatives, rows not seen", letter)
            for letter, derivatives, ordinal in columns
        )  # fmt: skip
        left, right, parent = self._similarities(tag, sums.number, ends, (G, H), ", rows not seen")
        gain = w.cell(f"gain{self.tag(k)}", left + right - parent, symbol="Q", label="gain")
        gained = float(self.fit.model.forest.importance[self.number * self.fit.outputs + k].sum())
        amount = 1.0 if self.drawn is None else self.drawn
        g, h = (derivatives[:, 0] * amount for derivatives in self.fit.slopes(self.fit.own_scores(self.number)))
        tolerance = SINGLE + self.fit.search_rounding(g, h)
        w.cell(f"gained{self.tag(k)}", sum_(gain), symbol="T", label="gain of all splits", equals=gained,
               attribute=f"gains of tree {self.number * self.fit.outputs + k + 1}", tolerance=tolerance,
               scale=float(np.abs(np.asarray(left.value) + np.asarray(right.value)).max()))  # fmt: skip

    def falls(self, tree: BoostedTree, k: int, number: Cell, R: Cell, W: Cell) -> None:
        """By how much the splits of the textbook's trees lower the squares of the residuals."""
        sides = self._sides(tree, k)
        if sides is None:
            return
        _, inner, ends = sides
        w, tag, nodes = self.w, self.tag(k), tree.nodes
        r = self._beside(R, number, ends, f"R{tag}", "residuals")
        n = self._beside(W, number, ends, f"W{tag}", "weight")
        mixed = nodes.impurity * nodes.weight
        below = np.array([mixed[list(nodes.children(node))].sum() for node in inner])
        w.cell(f"gain{tag}", r[0] ** 2 / n[0] + r[1] ** 2 / n[1] - (r[0] + r[1]) ** 2 / (n[0] + n[1]), symbol="Q",
               label="squares are fewer by", equals=mixed[inner] - below, scale=float(mixed[0]) + self._rounding(k),
               attribute=f"nodes of tree {self.number * self.fit.outputs + k + 1}")  # fmt: skip

    def _rounding(self, k: int) -> float:
        """What the rounding of residuals, differences of targets and answers, does to sums of their squares."""
        fit = self.fit
        steep = np.abs(fit.slopes(fit.scores(self.number))[0][:, k])
        size = 1.0 if hasattr(fit.model, "classes_") else float(np.abs(fit.codes).max()) + float(steep.max())
        return 1e-6 * size * float(steep.sum())

    # ------------------------------------------------------------------------------------------------------ new scores

    def moved(self, k: int, leaf_index: Cell, value: Cell) -> Cell:
        """The scores after the round."""
        fit = self.fit
        scores = fit.scores(self.number + 1)[:, k]
        scale = float(np.abs(fit.scores(self.number)[:, k]).max()) + self.step
        return self.w.cell(
            f"f{self.tag(k)}", self.scores[k] + lookup(value, leaf_index), symbol=self.mark("f", k),
            label=f"score after round {self.number + 1}{self.of(k)}", equals=scores, tolerance=self.tolerance(),
            scale=scale, attribute="scores of the fit" if fit.encodes else "staged scores",
        )  # fmt: skip


@dataclass
class Sums:
    """Sums over the rows of each leaf."""

    round: Round
    k: int
    axis: Axis
    number: Cell
    place: Cell
    _weight: Cell | None = None

    @property
    def amount(self) -> Expr:
        """What a row counts."""
        return expr(1) if self.round.counts is None else self.round.counts

    def only(self, body: Expr, name: str, text: str, letter: str = "") -> Cell:
        """The sum of something over the rows of each leaf."""
        leaf_sums = sum_(where(equal(self.place, self.number), body, 0), self.round.axis)
        return self.round.w.cell(name, leaf_sums, symbol=letter or rf"\text{{{name.split('_')[0]}}}", label=text)

    def rows(self, tree: BoostedTree) -> None:
        """How many rows of the round there are in each leaf."""
        n, counts, tag = self.round.drawn, self.round.sought, self.round.tag(self.k)
        inside: Expr = expr(1) if n is None or counts is None else where(counts > 0, 1, 0)
        cell = self.only(inside, f"n{tag}", "rows", "n")
        self.round.w.check(cell, tree.nodes.n_rows[tree.leaves].astype(np.float64), "rows of the leaves")

    def first(self, gradient: Cell) -> Cell:
        """The sum of residuals, or of first derivatives."""
        name, text = ("R", "sum of residuals") if self.round.fit.exact else ("G", "sum of first derivatives")
        body: Expr = gradient if self.round.counts is None else self.round.counts * gradient
        return self.only(body, f"{name}{self.round.tag(self.k)}", text, name)

    def weight(self) -> Cell:
        """The weight of its rows."""
        if self._weight is None:
            name, text = ("W", "weight") if self.round.fit.exact else ("H", "sum of second derivatives")
            self._weight = self.only(self.amount, f"{name}{self.round.tag(self.k)}", text, name)
        return self._weight

    def curvature(self, h: Expr) -> Cell:
        """The sum of second derivatives."""
        if not isinstance(h, Cell):
            return self.weight()
        body: Expr = h if self.round.counts is None else self.round.counts * h
        return self.only(body, f"H{self.round.tag(self.k)}", "sum of second derivatives", "H")
