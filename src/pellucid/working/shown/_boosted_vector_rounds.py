"""A round of trees that answer vectors: slopes of every output, sums and answers of leaves, and gains of splits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.base.types import Array, Floats
from pellucid.models.tree.nodes import NodeTest
from pellucid.working.expression import Axis, Cell, Expr, expr
from pellucid.working.language import sum_
from pellucid.working.model import Working
from pellucid.working.shown._boosted_draws import SINGLE
from pellucid.working.shown._boosted_fit import BY_RESIDUALS, BoostedTree
from pellucid.working.shown._boosted_round import MOST_CLASSES, MOST_OUTPUTS
from pellucid.working.shown._boosted_trees import Round, Sums
from pellucid.working.shown._boosted_vector_fit import ALL, FARTHEST, ONE_BY_ONE, ROUNDING, VectorFit, output_name
from pellucid.working.shown._ensembles import added


def score_cells(w: Working, f: VectorFit, axis: Axis, number: int, outputs: range) -> list[Expr]:
    """Scores of some outputs after so many rounds, as they are."""
    scores = f.scores(number)
    return [
        w.given(f"f_{number}_{k + 1}", np.ascontiguousarray(scores[:, k]), axis, symbol=f"f_{{{number},{k + 1}}}",
                label=f"score after round {number} of {output_name(f.model, k)}")
        for k in outputs
    ]  # fmt: skip


def in_formulas(f: VectorFit) -> int:
    """The outputs whose scores stand in formulas: all of a few classes, which share their probabilities."""
    return f.outputs if not f.parts and f.outputs <= MOST_CLASSES else min(f.outputs, MOST_OUTPUTS)


@dataclass
class TargetRound(Round):
    """One target in a round that is being shown; its fit has one output."""

    output: int = 0

    def tag(self, k: int | None = None) -> str:
        """The end of a cell's name."""
        return f"_{self.number + 1}_{self.output + 1}"

    def mark(self, letter: str, k: int | None = None) -> str:
        """A letter with the numbers of the round and of the target."""
        return f"{letter}_{{{self.number + 1},{self.output + 1}}}"

    def of(self, k: int) -> str:
        """Which target a label speaks of."""
        return f" of target {self.output + 1}"


class VectorRound(Round):
    """A round that is being shown: its one tree, and what its leaves answer for each output."""

    fit: VectorFit
    steps: tuple[float, ...] = ()  # how far a score may move, by output

    def tag(self, k: int | None = None) -> str:
        """The end of a cell's name."""
        return super().tag(None if k == ALL else k)

    def mark(self, letter: str, k: int | None = None) -> str:
        """A letter with the numbers of the round and of the output."""
        return super().mark(letter, None if k == ALL else k)

    def of(self, k: int) -> str:
        """Which output a label speaks of."""
        return "" if k == ALL else f" of {output_name(self.fit.model, k)}"

    def show(self, ys: list[Cell]) -> list[Expr]:
        """All of it; the scores afterward."""
        w, f, number = self.w, self.fit, self.number + 1
        w.step(f"Round {number}: rows", f"{self._slopes_said()} Then the leaf of the row.", turn=number)
        targets = [
            TargetRound(w, fit, self.number, self.axis, y, self.weight, self.columns, self.words, self.rate,
                        [self.scores[k]], output=k)
            for k, (fit, y) in enumerate(zip(f.parts, ys, strict=False))
        ]  # fmt: skip
        gradients = [target.slopes(0, None) for target in targets] if targets else self._slopes_of_classes()
        tree = f.tree(self.number)
        self.draw(gradients, [tree])
        if self._too_far():
            w.note("Some scores of a row lie so far apart that no digits of 1 - p are left: leaves are given.")
            self.known = False
        for target in targets:
            target.counts, target.drawn = self.counts, self.drawn
        leaf_index = self.place(tree, ALL)
        values = self.vectors(tree, leaf_index, gradients, targets)
        w.step(f"Round {number}: new scores", "What the leaf of a row says is added to its scores.", turn=number)
        after: list[Expr] = []
        for k, value in enumerate(values):
            self.step = self.steps[k] if self.steps else 0.0
            after.append(self.moved(k, leaf_index, value))
        after += score_cells(w, f, self.axis, number, range(len(after), in_formulas(f)))
        return after + [expr(0)] * (f.outputs - len(after))

    def _too_far(self) -> bool:
        """Are scores of classes too far apart for their probabilities to be worked out?"""
        return self.fit.kind == "softmax" and float(np.ptp(self.fit.scores(self.number), axis=1).max()) > FARTHEST

    def _slopes_of_classes(self) -> list[tuple[Cell, Expr]]:
        """First and second derivatives by the scores of the first classes."""
        f, n_shown = self.fit, min(self.fit.outputs, MOST_OUTPUTS)
        if f.kind == "own":
            return [self.slopes(k, None) for k in range(n_shown)]
        shares = None if self._too_far() else self.probabilities()
        if shares is None:
            if f.outputs > MOST_CLASSES:
                self.w.note(f"Of more than {MOST_CLASSES} classes the probabilities are given.")
            p = f.model._probabilities(f.scores(self.number))
            shares = [
                self.w.given(f"p{self.tag(k)}", np.ascontiguousarray(p[:, k]), self.axis, symbol=self.mark("p", k),
                             label=f"probability{self.of(k)}")
                for k in range(n_shown)
            ]  # fmt: skip
        return [self.slopes(k, share) for k, share in enumerate(shares)]

    # --------------------------------------------------------------------------------------------------------- leaves

    def vectors(
        self, tree: BoostedTree, leaf_index: Cell, gradients: list[tuple[Cell, Expr]], targets: list[TargetRound]
    ) -> list[Cell]:
        """What each leaf adds to the scores of its rows, by output."""
        w, tag, many = self.w, self.tag(), len(tree.leaves)
        has = counted(many, "leaf", "leaves") if many > 1 else "one leaf: it asks nothing"
        w.step(f"Round {self.number + 1}: tree", f"The tree has {has}. {self._leaf_said()}", turn=self.number + 1)
        axis = Axis("leaf", [int(node) for node in tree.leaves], "j", "L")
        number = w.given(f"j{tag}", np.arange(1.0, many + 1), axis, symbol="j", label="leaf, from the left")
        if self._leaves_given(many):
            return [
                w.given(f"v{self.tag(k)}", self._added(tree, k), axis, **self._look(k)) for k in range(len(gradients))
            ]
        sums = Sums(self, ALL, axis, number, leaf_index)
        sums.rows(tree)
        shared = None if isinstance(gradients[0][1], Cell) else sums.curvature(expr(1))
        values, pairs, alike = [], [], 0.0
        for k, (gradient, h) in enumerate(gradients):
            G, H = self._sums_of(sums, k, gradient, h, shared)
            if targets and self.fit.kind in BY_RESIDUALS:
                leaf_value = targets[k]._by_residuals(tree, 0, sums)
            else:
                leaf_value = w.cell(f"answer{self.tag(k)}", self.answer(G, H), symbol=self.mark("w", k),
                                    label=f"what the leaf answers for {output_name(self.fit.model, k)}")  # fmt: skip
            above, below = self._sizes(tree, gradient, h)
            errors = targets[k].errors if targets else None
            far = 0.0 if errors is None else float(np.abs(errors.value).max())
            rounding = ROUNDING * float(np.abs(self.fit.scores(self.number)[:, k]).max())
            self.steps += (self.fit.rate * (float((above / below).max()) + far) + rounding,)
            alike += float(max((above**2 / below).max(), above.sum() ** 2 / below.sum()))
            value = w.cell(f"v{self.tag(k)}", self.rate * leaf_value, **self._look(k))
            w.check(value, self._added(tree, k), f"leaves of tree {self.number + 1}", SINGLE, self.steps[k])
            values.append(value)
            pairs.append((G, H))
        self.gains(tree, number, pairs, alike)
        return values

    def _look(self, k: int) -> dict[str, Any]:
        return {"symbol": self.mark("v", k), "label": f"rate times answer for {output_name(self.fit.model, k)}"}

    def _added(self, tree: BoostedTree, k: int) -> Floats:
        """What the leaves of the model add to a score."""
        return np.asarray(tree.nodes.value[tree.leaves, k], dtype=np.float64)

    def _sums_of(self, sums: Sums, k: int, gradient: Cell, h: Expr, shared: Cell | None) -> tuple[Cell, Cell]:
        """G and H of an output in each leaf; H is of all outputs where they share their curvature."""
        tag, counts = self.tag(k), self.counts
        leaf_sums = []
        for letter, derivative, ordinal in (("G", gradient, "first"), ("H", h, "second")):
            if letter == "H" and shared is not None:
                leaf_sums.append(shared)
                continue
            body: Expr = derivative if counts is None else counts * derivative
            leaf_sums.append(sums.only(body, f"{letter}{tag}", f"sum of {ordinal} derivatives{self.of(k)}",
                                   f"{letter}_{{{k + 1}}}"))  # fmt: skip
        return leaf_sums[0], leaf_sums[1]

    # --------------------------------------------------------------------------------------------------------- splits

    def gains(self, tree: BoostedTree, number: Cell, pairs: list[tuple[Cell, Cell]], alike: float) -> None:
        """The similarities of the sides of each split, by output, and what they gain together."""
        if len(tree.leaves) == 1:
            return
        w, tag, turn = self.w, self.tag(), self.number + 1
        w.step(f"Round {turn}: splits", "The leaves on either side of each split.", turn=turn)
        sides_of_tree = self._sides(tree, ALL)
        assert sides_of_tree is not None
        axis, inner, ends = sides_of_tree
        shared = None
        if pairs[0][1] is pairs[-1][1]:
            shared = self._beside(pairs[0][1], number, ends, f"H{tag}", "second derivatives")
        sides: list[list[Expr]] = [[], [], []]
        for k, pair in enumerate(pairs):
            text_of_step = "Sums of the slopes on either side, and similarities."
            w.step(f"Round {turn}: splits, {output_name(self.fit.model, k)}", text_of_step, turn=turn)
            for side, cell in zip(sides, self._alike(k, number, ends, pair, shared), strict=True):
                side.append(cell)
        w.step(f"Round {turn}: gains", "Similarities of all outputs together, and what the splits gain.", turn=turn)
        if self.fit.outputs > len(pairs):
            for side, cell in zip(sides, self._others(tree, axis, inner), strict=True):
                side.append(cell)
        texts = ("similarity, left", "similarity, right", "similarity of the node")
        left, right, parent = (
            w.cell(f"S{tag}{end}", added(side), symbol=symbol, label=text)
            for side, end, symbol, text in zip(sides, ("_left", "_right", ""), ("S_L", "S_R", "S"), texts, strict=True)
        )
        similarities = -(tree.nodes.impurity * tree.nodes.weight)[inner]
        alike += float(np.abs(np.asarray(left.value) + np.asarray(right.value)).max())
        w.check(parent, similarities, f"nodes of tree {turn}", SINGLE, alike)
        gain = w.cell(f"gain{tag}", left + right - parent, symbol="Q", label="gain")
        if self._orders_categories(tree, inner):
            w.note(f"Tests of more than {ONE_BY_ONE} categories are sought with more of l2 than the gains shown have.")
            return
        w.cell(f"gained{tag}", sum_(gain), symbol="T", label="gain of all splits", tolerance=SINGLE, scale=alike,
               equals=float(self.fit.model.forest.importance[self.number].sum()),
               attribute=f"gains of tree {turn}")  # fmt: skip

    def _orders_categories(self, tree: BoostedTree, inner: Array) -> bool:
        """Does a split part many categories, put in order?"""
        subset_features = tree.nodes.feature[inner[tree.nodes.test[inner] == NodeTest.SUBSET]].tolist()
        categories = self.words.categories
        return any(j not in categories or len(categories[j]) > ONE_BY_ONE for j in subset_features)

    def _alike(
        self, k: int, number: Cell, ends: list[Cell], pair: tuple[Cell, Cell], shared: tuple[Cell, Cell] | None
    ) -> tuple[Cell, Cell, Cell]:
        """Similarities by an output: of the left side, the right side, and the node.

        shared : second derivatives on either side, where those of all outputs are the same
        """
        w, tag = self.w, self.tag(k)
        g = self._beside(pair[0], number, ends, f"G{tag}", f"first derivatives{self.of(k)}")
        h = shared or self._beside(pair[1], number, ends, f"H{tag}", f"second derivatives{self.of(k)}")
        for letter, both in (("G", g), ("H", () if shared else h)):
            for cell, end in zip(both, "LR", strict=False):
                cell.symbol = f"{letter}_{{{end},{k + 1}}}"
        left, right = (
            w.cell(f"S{tag}_{end}", self.similarity(g[side], h[side]), symbol=f"S_{{{end[0].upper()},{k + 1}}}",
                   label=f"similarity{self.of(k)}, {end}")
            for side, end in enumerate(("left", "right"))
        )  # fmt: skip
        parent = w.cell(f"S{tag}", self.similarity(g[0] + g[1], h[0] + h[1]), symbol=f"S_{{{k + 1}}}",
                        label=f"similarity of the node{self.of(k)}")  # fmt: skip
        return left, right, parent

    def _others(self, tree: BoostedTree, axis: Axis, inner: Array) -> list[Cell]:
        """The similarities by all outputs that are not shown: of the left sides, the right sides, and the nodes."""
        fit, size = self.fit, len(tree.leaves) + 1
        often = np.ones(len(fit.rows)) if self.drawn is None else self.drawn
        gradients = fit.slopes(fit.scores(self.number))
        similarities = np.zeros((3, len(inner)))
        for k in range(MOST_OUTPUTS, fit.outputs):
            of_leaves = [
                np.bincount(tree.place, weights=values[:, k] * often, minlength=size)[1:] for values in gradients
            ]
            for s, node in enumerate(inner):
                left, right = tree.nodes.children(int(node))
                for side, below in enumerate((left, right, int(node))):
                    first, last = tree.span(below)
                    G, H = (expr(float(values[first - 1 : last].sum())) for values in of_leaves)
                    similarities[side, s] += float(self.similarity(G, H).value)
        side_names = ("the left side", "the right side", "the node")
        return [
            self.w.given(f"rest{self.tag()}_{end}", similarities[side], axis, symbol=symbol,
                         label=f"similarity of {side_names[side]} by the other outputs")
            for side, (end, symbol) in enumerate((("left", "R_L"), ("right", "R_R"), ("node", "R")))
        ]  # fmt: skip

    # ---------------------------------------------------------------------------------------------------------- words

    def _slopes_said(self) -> str:
        f = self.fit
        if f.kind == "own":
            return f"First and second derivatives of each row, by each score, as {f.plan['own'].name} tells them."
        second = "" if f.kind in ("poisson", "softmax") else " The second derivative is 1 for every row and target."
        return f"First and second derivatives of the loss of each row, by each score.{second}"

    def _leaf_said(self) -> str:
        f = self.fit
        if f.kind in BY_RESIDUALS:
            how = {"absolute_error": "the median error", "quantile": "a quantile of the errors"}
            statistic = how.get(f.kind, "by the median error and the mean of what lies within d of it")
            return f"For each target by itself a leaf answers {statistic}."
        above = "G" if not f.plan.get("l1") else "what of G lies beyond l1"
        below = "H" if not f.plan.get("l2") else f"(H + {f.plan['l2']:g})"
        bound = f", at most {f.plan['max_step']:g} in size" if f.plan.get("max_step") else ""
        return (
            f"For each output by itself a leaf answers minus {above} over {below}{bound}; its similarity is the square "
            "of the one over the other, summed over the outputs."
        )
