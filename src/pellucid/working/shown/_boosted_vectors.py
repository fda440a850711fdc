"""Boosted trees whose leaves answer a number for every output: one tree a round for all targets, or all classes."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.base.types import Array, Floats
from pellucid.data.design import attach_weight
from pellucid.parts.tree.nodes import NodeTest
from pellucid.parts.tree.words import Words
from pellucid.working.entry import Given
from pellucid.working.expression import Axis, Cell, Expr, expr
from pellucid.working.language import equal, exp, total, where
from pellucid.working.model import TOLERANCE, Working
from pellucid.working.shown._boosted_answers import show_answers
from pellucid.working.shown._boosted_bundles import show_bundles
from pellucid.working.shown._boosted_draws import SINGLE
from pellucid.working.shown._boosted_fit import BY_RESIDUALS, BoostedTree, Fit
from pellucid.working.shown._boosted_round import MOST_CLASSES, MOST_OUTPUTS
from pellucid.working.shown._boosted_start import show_start
from pellucid.working.shown._boosted_trees import Round, Sums
from pellucid.working.shown._ensembles import added
from pellucid.working.shown._rows import class_axis, label, labels, refuse, spelled

ALL = -1  # in the place of an output: what belongs to all of them
ONE_BY_ONE = 4  # categories of a column, up to which each is tried against the rest
FULL = 1e-12  # share by which sums in double precision may be off; targets of other sizes stand beside each other
ROUNDING = 1e-9  # share of a score: of a target that never changes the slopes are what rounding leaves
FARTHEST = 30.0  # scores of classes farther apart than this leave no digits of 1 - p

Columns = Callable[[Working, Given, Words, Fit, Axis], dict[int, Cell]]


def answers_vectors(model: Any) -> bool:
    """Does one tree a round answer for several outputs?"""
    return bool(model._trees_a_round_ == 1 and len(model._start_) > 1)


def output_name(model: Any, k: int) -> str:
    """What an output is called: a class, or a target by its number."""
    return spelled(label(model.classes_[k])) if hasattr(model, "classes_") else f"target {k + 1}"


def output_axis(model: Any) -> Axis:
    """The classes, or the targets."""
    if hasattr(model, "classes_"):
        return class_axis(labels(np.asarray(model.classes_)))
    return Axis("target", range(1, len(model._start_) + 1), "k", "K")


# --------------------------------------------------------------------------------------------------- what a fit went by


@dataclass
class VectorFit(Fit):
    """A fit of trees that answer vectors; several targets are seen one by one as well."""

    parts: list[Fit] = field(default_factory=list)  # by target; none for classes

    @classmethod
    def made(cls, whole: Fit) -> VectorFit:
        """A fit, with those of its targets beside it."""
        names = ("model", "design", "rows", "y", "weight", "plan", "told", "held")
        plain = {name: getattr(whole, name) for name in names}
        if hasattr(whole.model, "classes_"):
            return cls(**plain)
        parts = []
        for k in range(whole.outputs):
            model = copy(whole.model)
            model._start_ = whole.model._start_[[k]]
            y = np.ascontiguousarray(whole.y[:, k])
            parts.append(Fit(model, whole.design, whole.rows, y, whole.weight, whole.plan))
        return cls(**plain, parts=parts)

    def slopes(self, scores: Floats) -> tuple[Floats, Floats]:
        """First and second derivatives at these scores, by weight: rows x outputs."""
        if not self.parts:
            return super().slopes(scores)
        found = [part.slopes(scores[:, [k]]) for k, part in enumerate(self.parts)]
        return np.hstack([g for g, _ in found]), np.hstack([h for _, h in found])

    def start(self) -> Floats:
        """The score before the first tree, by output."""
        return np.concatenate([part.start() for part in self.parts]) if self.parts else super().start()

    def sizes(self, number: int, scores: Floats | None = None) -> Floats:
        """How steep the loss of each row is before a round, summed output by output: rounding parts near equals."""
        found = self.slopes(self.scores(number) if scores is None else scores)
        g, h = (one.astype(np.float32).astype(np.float64) for one in found)
        by_curvature = float(self.plan.get("curvature_weight", 0.0)) if self.draws == "mvs" else 0.0
        squares = np.zeros(len(g))
        for k in range(g.shape[1]):
            squares = squares + (g[:, k] * g[:, k] + by_curvature * h[:, k] * h[:, k])
        return np.asarray(np.sqrt(squares))

    def fits(self, tree: BoostedTree, factor: Floats, number: int, output: int) -> bool:
        """Are the rows that count those that a tree was grown on? By their number and mean curvature in each leaf."""
        leaves, size = tree.nodes.n_rows[tree.leaves], len(tree.leaves) + 1
        if not np.array_equal(np.bincount(tree.place[factor > 0], minlength=size)[1:], leaves):
            return False
        curved = self.slopes(self.scores(number))[1].mean(axis=1) * factor
        summed = np.bincount(tree.place, weights=curved, minlength=size)[1:]
        return bool(np.allclose(summed, tree.nodes.weight[tree.leaves], rtol=1e-5, atol=1e-5 * summed.max(initial=0.0)))

    def apart(self) -> tuple[bool, float]:
        """How far some rows are from those learned from: by the rows of the first tree, and the start."""
        factor = self.factors(0, self.scores(0))
        drawn = np.ones(len(self.rows)) if factor is None else factor
        return not self.fits(self.tree(0), drawn, 0, ALL), float(np.abs(self.start() - self.model._start_).max())


def read_vectors(model: Any, data: Given) -> VectorFit:
    """What a fit went by, from the model and the data that it was fitted on."""
    d = model._later(data.table)
    y = np.asarray(data.y) if hasattr(model, "classes_") else _targets(model, data)
    copy(model)._attach_target(d, y)
    attach_weight(d, data.weight)
    weight = model._weights(d)
    rows = np.arange(d.n_rows) if weight is None else np.flatnonzero(weight > 0)
    plan = model._plan(d) | model._loss(d)
    takes_weight = plan["loss"] == "own" and plan["own"].word is not None

    def learned_from(kept: Array) -> VectorFit:
        own = None if weight is None else weight[kept]
        own, told = (None, own) if takes_weight else (own, None)
        return VectorFit.made(Fit(model, d, kept, y[kept], own, plan, told, len(rows) - len(kept)))

    whole = learned_from(rows)
    if model.early_stopping is not True:
        return whole
    part = learned_from(rows[model._draw_held(d)[rows] == 0])  # unless another table was held out
    return min((part, whole), key=VectorFit.apart)


def _targets(model: Any, data: Given) -> Floats:
    """All targets: rows x targets."""
    y = np.asarray(data.options["y"], dtype=np.float64)
    found, wanted = (y.shape[1] if y.ndim == 2 else 1), len(model._start_)
    if found != wanted:
        refuse(f"{type(model).__name__}.fit", f"y must have {wanted} columns, as in the fit", f"got {found}")
    return y


# ------------------------------------------------------------------------------------------------------------------ fit


def show_vectors(w: Working, model: Any, data: Given, asked: list[int], words: Words, columns: Columns) -> None:
    """The start, the first round and the last, those asked for, and what the scores say.

    asked : numbers of rounds, from 0
    columns : shows the columns of the table, and gives those of numbers by their places
    """
    f = read_vectors(model, data)
    w.title = "Boosted trees: one for all outputs"
    what = "classes" if hasattr(model, "classes_") else "targets"
    w.intro = (
        f"{counted(len(model._forest_), 'tree')}, one a round, for {f.outputs} {what} at once: each is grown on the "
        "first and second derivatives of the loss by all scores, and its leaves answer a number for each of them. "
        "show_fit(..., round=t) shows another round."
    )
    last = int(model.n_estimators_)
    shown = sorted({0, last - 1, *asked})
    axis, ys, weight, known = _data(w, data, f, words, columns)
    if bundles := getattr(model, "_bundles_", []):
        show_bundles(w, known, list(words.names), bundles)
    scores = _start(w, f, ys, weight)
    rate = w.given("rate", f.rate, symbol=r"\eta", label="learning rate")
    before = -1
    for number in shown:
        if number != before + 1:
            scores = _scores_given(w, f, axis, number)
        scores = VectorRound(w, f, number, axis, ys[0], weight, known, words, rate, scores).show(ys)
        before = number
    if len(shown) < last:
        w.note(f"Of {last} rounds those with the numbers {', '.join(str(one + 1) for one in shown)} are shown.")
    if f.parts:
        _numbers(w, f, data, scores)
    else:
        show_answers(w, f, data, axis, scores)


def _data(
    w: Working, data: Given, f: VectorFit, words: Words, columns: Columns
) -> tuple[Axis, list[Cell], Cell | None, dict[int, Cell]]:
    """The rows that were learned from: columns, targets or class, and weights."""
    whole = len(f.rows) == len(data.row_axis)
    axis = data.row_axis if whole else Axis("row", (f.rows + 1).tolist())
    if not whole:
        w.asked = [int(np.searchsorted(f.rows, row)) for row in w.asked if row in f.rows]
        held = f"{counted(f.held, 'row')} held out" if f.held else "rows of no weight"
        w.note(f"Not shown are {held}: nothing is learned from them.")
    w.step("Data", "The rows and their targets." if f.parts else "The rows and their class.")
    known = columns(w, data, words, f, axis)
    if f.parts:
        ys = [
            w.given(f"y_{k + 1}", part.y, axis, symbol=f"y_{{{k + 1}}}", label=f"target {k + 1}")
            for k, part in enumerate(f.parts[:MOST_OUTPUTS])
        ]
    else:
        ys = [w.given("y", labels(f.y), axis, symbol="y", label="class")]
    if f.outputs > MOST_OUTPUTS:
        what = "targets" if f.parts else "classes"
        w.note(f"Of {f.outputs} {what} the slopes and answers of the first {MOST_OUTPUTS} are shown.")
    if f.told is not None:
        w.given("weight", f.told, axis, symbol="w", label="weight, which the loss takes into its slopes")
    weight = None if f.weight is None else w.given("weight", f.weight, axis, symbol="w", label="weight")
    return axis, ys, weight, known


def _start(w: Working, f: VectorFit, ys: list[Cell], weight: Cell | None) -> list[Expr]:
    """The score of each output before the first tree; 0 stands for those that are not shown."""
    if not f.parts:
        return show_start(w, f, ys[0], weight)
    found: list[Expr] = []
    for k, y in enumerate(ys):
        one = Working("")
        (cell,) = show_start(one, f.parts[k], y, weight)
        assert isinstance(cell, Cell)
        cell.symbol, cell.label = f"f_{{0,{k + 1}}}", f"{cell.label}, target {k + 1}"
        w.take(one, f"target_{k + 1}", f"Target {k + 1}")
        found.append(cell)
    w.step("Rate", "What every leaf answers is multiplied by the rate.")
    return found + [expr(0)] * (f.outputs - len(found))


def _score_cells(w: Working, f: VectorFit, axis: Axis, number: int, outputs: range) -> list[Expr]:
    """Scores of some outputs after so many rounds, as they are."""
    found = f.scores(number)
    return [
        w.given(f"f_{number}_{k + 1}", np.ascontiguousarray(found[:, k]), axis, symbol=f"f_{{{number},{k + 1}}}",
                label=f"score after round {number} of {output_name(f.model, k)}")
        for k in outputs
    ]  # fmt: skip


def _in_formulas(f: VectorFit) -> int:
    """The outputs whose scores stand in formulas: all of a few classes, which share their probabilities."""
    return f.outputs if not f.parts and f.outputs <= MOST_CLASSES else min(f.outputs, MOST_OUTPUTS)


def _scores_given(w: Working, f: VectorFit, axis: Axis, number: int) -> list[Expr]:
    """Scores after rounds that are not shown."""
    w.step(f"Before round {number + 1}", "The scores that the rounds so far have led to.")
    many = _in_formulas(f)
    return _score_cells(w, f, axis, number, range(many)) + [expr(0)] * (f.outputs - many)


def _numbers(w: Working, f: VectorFit, data: Given, scores: list[Expr]) -> None:
    """What the last scores of several targets mean."""
    said = np.asarray(f.model.predict(data.table))[f.rows]
    counts = f.kind == "poisson"
    w.step("Predictions", f"{'e to the score is the expected count' if counts else 'The score is the prediction'}.")
    for k, part in enumerate(f.parts[:MOST_OUTPUTS]):
        found: Expr = exp(scores[k]) if counts else scores[k] + 0
        size = float(np.abs(said[:, k]).max(initial=0.0)) + float(np.abs(part.codes).max())
        w.cell(
            f"prediction_{k + 1}",
            found,
            symbol=rf"\hat{{y}}_{{{k + 1}}}",
            label=f"prediction of target {k + 1}",
            equals=np.ascontiguousarray(said[:, k]),
            attribute="predict(X)",
            tolerance=SINGLE,
            scale=size,
        )


# --------------------------------------------------------------------------------------------------------------- rounds


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
        """All of it; the scores afterwards."""
        w, f, number = self.w, self.fit, self.number + 1
        w.step(f"Round {number}: rows", f"{self._slopes_said()} Then the leaf of the row.", turn=number)
        targets = [
            TargetRound(w, part, self.number, self.axis, y, self.weight, self.columns, self.words, self.rate,
                        [self.scores[k]], output=k)
            for k, (part, y) in enumerate(zip(f.parts, ys, strict=False))
        ]  # fmt: skip
        slopes = [one.slopes(0, None) for one in targets] if targets else self._slopes_of_classes()
        tree = f.tree(self.number)
        self.draw(slopes, [tree])
        if self._too_far():
            w.note("Some scores of a row lie so far apart that no digits of 1 - p are left: leaves are given.")
            self.known = False
        for one in targets:
            one.counts, one.drawn = self.counts, self.drawn
        place = self.place(tree, ALL)
        values = self.vectors(tree, place, slopes, targets)
        w.step(f"Round {number}: new scores", "What the leaf of a row says is added to its scores.", turn=number)
        after: list[Expr] = []
        for k, value in enumerate(values):
            self.step = self.steps[k] if self.steps else 0.0
            after.append(self.moved(k, place, value))
        after += _score_cells(w, f, self.axis, number, range(len(after), _in_formulas(f)))
        return after + [expr(0)] * (f.outputs - len(after))

    def _too_far(self) -> bool:
        """Are scores of classes too far apart for their probabilities to be worked out?"""
        return self.fit.kind == "softmax" and float(np.ptp(self.fit.scores(self.number), axis=1).max()) > FARTHEST

    def _slopes_of_classes(self) -> list[tuple[Cell, Expr]]:
        """First and second derivatives by the scores of the first classes."""
        f, shown = self.fit, min(self.fit.outputs, MOST_OUTPUTS)
        if f.kind == "own":
            return [self.slopes(k, None) for k in range(shown)]
        shares = None if self._too_far() else self.probabilities()
        if shares is None:
            if f.outputs > MOST_CLASSES:
                self.w.note(f"Of more than {MOST_CLASSES} classes the probabilities are given.")
            p = f.model._probabilities(f.scores(self.number))
            shares = [
                self.w.given(f"p{self.tag(k)}", np.ascontiguousarray(p[:, k]), self.axis, symbol=self.mark("p", k),
                             label=f"probability{self.of(k)}")
                for k in range(shown)
            ]  # fmt: skip
        return [self.slopes(k, share) for k, share in enumerate(shares)]

    # --------------------------------------------------------------------------------------------------------- leaves

    def vectors(
        self, tree: BoostedTree, place: Cell, slopes: list[tuple[Cell, Expr]], targets: list[TargetRound]
    ) -> list[Cell]:
        """What each leaf adds to the scores of its rows, by output."""
        w, tag, many = self.w, self.tag(), len(tree.leaves)
        has = counted(many, "leaf", "leaves") if many > 1 else "one leaf: it asks nothing"
        w.step(f"Round {self.number + 1}: tree", f"The tree has {has}. {self._leaf_said()}", turn=self.number + 1)
        axis = Axis("leaf", [int(node) for node in tree.leaves], "j", "L")
        number = w.given(f"j{tag}", np.arange(1.0, many + 1), axis, symbol="j", label="leaf, from the left")
        if self._leaves_given(many):
            return [w.given(f"v{self.tag(k)}", self._added(tree, k), axis, **self._look(k)) for k in range(len(slopes))]
        sums = Sums(self, ALL, axis, number, place)
        sums.rows(tree)
        shared = None if isinstance(slopes[0][1], Cell) else sums.curvature(expr(1))
        values, pairs, alike = [], [], 0.0
        for k, (slope, h) in enumerate(slopes):
            G, H = self._sums_of(sums, k, slope, h, shared)
            if targets and self.fit.kind in BY_RESIDUALS:
                answer = targets[k]._by_residuals(tree, 0, sums)
            else:
                answer = w.cell(f"answer{self.tag(k)}", self.answer(G, H), symbol=self.mark("w", k),
                                label=f"what the leaf answers for {output_name(self.fit.model, k)}")  # fmt: skip
            above, below = self._sizes(tree, slope, h)
            errors = targets[k].errors if targets else None
            far = 0.0 if errors is None else float(np.abs(errors.value).max())
            rounding = ROUNDING * float(np.abs(self.fit.scores(self.number)[:, k]).max())
            self.steps += (self.fit.rate * (float((above / below).max()) + far) + rounding,)
            alike += float(max((above**2 / below).max(), above.sum() ** 2 / below.sum()))
            value = w.cell(f"v{self.tag(k)}", self.rate * answer, **self._look(k))
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

    def _sums_of(self, sums: Sums, k: int, slope: Cell, h: Expr, shared: Cell | None) -> tuple[Cell, Cell]:
        """G and H of an output in each leaf; H is of all outputs where they share their curvature."""
        tag, counts = self.tag(k), self.counts
        found = []
        for letter, one, said in (("G", slope, "first"), ("H", h, "second")):
            if letter == "H" and shared is not None:
                found.append(shared)
                continue
            body: Expr = one if counts is None else counts * one
            found.append(sums.only(body, f"{letter}{tag}", f"sum of {said} derivatives{self.of(k)}",
                                   f"{letter}_{{{k + 1}}}"))  # fmt: skip
        return found[0], found[1]

    # --------------------------------------------------------------------------------------------------------- splits

    def gains(self, tree: BoostedTree, number: Cell, pairs: list[tuple[Cell, Cell]], alike: float) -> None:
        """The similarities of the sides of each split, by output, and what they gain together."""
        if len(tree.leaves) == 1:
            return
        w, tag, turn = self.w, self.tag(), self.number + 1
        w.step(f"Round {turn}: splits", "The leaves on either side of each split.", turn=turn)
        found = self._sides(tree, ALL)
        assert found is not None
        axis, inner, ends = found
        shared = None
        if pairs[0][1] is pairs[-1][1]:
            shared = self._beside(pairs[0][1], number, ends, f"H{tag}", "second derivatives")
        sides: list[list[Expr]] = [[], [], []]
        for k, pair in enumerate(pairs):
            said = "Sums of the slopes on either side, and similarities."
            w.step(f"Round {turn}: splits, {output_name(self.fit.model, k)}", said, turn=turn)
            for side, cell in zip(sides, self._alike(k, number, ends, pair, shared), strict=True):
                side.append(cell)
        w.step(f"Round {turn}: gains", "Similarities of all outputs together, and what the splits gain.", turn=turn)
        if self.fit.outputs > len(pairs):
            for side, cell in zip(sides, self._others(tree, axis, inner), strict=True):
                side.append(cell)
        texts = ("similarity, left", "similarity, right", "similarity of the node")
        left, right, whole = (
            w.cell(f"S{tag}{end}", added(side), symbol=symbol, label=text)
            for side, end, symbol, text in zip(sides, ("_left", "_right", ""), ("S_L", "S_R", "S"), texts, strict=True)
        )
        kept = -(tree.nodes.impurity * tree.nodes.weight)[inner]
        alike += float(np.abs(np.asarray(left.value) + np.asarray(right.value)).max())
        w.check(whole, kept, f"nodes of tree {turn}", SINGLE, alike)
        gain = w.cell(f"gain{tag}", left + right - whole, symbol="Q", label="gain")
        if self._orders_categories(tree, inner):
            w.note(f"Tests of more than {ONE_BY_ONE} categories are sought with more of l2 than the gains shown have.")
            return
        w.cell(f"gained{tag}", total(gain), symbol="T", label="gain of all splits", tolerance=SINGLE, scale=alike,
               equals=float(self.fit.model._forest_.importance[self.number].sum()),
               attribute=f"gains of tree {turn}")  # fmt: skip

    def _orders_categories(self, tree: BoostedTree, inner: Array) -> bool:
        """Does a split part many categories, put in order?"""
        asked = tree.nodes.feature[inner[tree.nodes.test[inner] == NodeTest.SUBSET]].tolist()
        known = self.words.categories
        return any(j not in known or len(known[j]) > ONE_BY_ONE for j in asked)

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
        whole = w.cell(f"S{tag}", self.similarity(g[0] + g[1], h[0] + h[1]), symbol=f"S_{{{k + 1}}}",
                       label=f"similarity of the node{self.of(k)}")  # fmt: skip
        return left, right, whole

    def _others(self, tree: BoostedTree, axis: Axis, inner: Array) -> list[Cell]:
        """The similarities by all outputs that are not shown: of the left sides, the right sides, and the nodes."""
        fit, size = self.fit, len(tree.leaves) + 1
        often = np.ones(len(fit.rows)) if self.drawn is None else self.drawn
        slopes = fit.slopes(fit.scores(self.number))
        found = np.zeros((3, len(inner)))
        for k in range(MOST_OUTPUTS, fit.outputs):
            of_leaves = [np.bincount(tree.place, weights=one[:, k] * often, minlength=size)[1:] for one in slopes]
            for s, node in enumerate(inner):
                left, right = tree.nodes.children(int(node))
                for side, below in enumerate((left, right, int(node))):
                    first, last = tree.span(below)
                    G, H = (expr(float(one[first - 1 : last].sum())) for one in of_leaves)
                    found[side, s] += float(self.similarity(G, H).value)
        said = ("the left side", "the right side", "the node")
        return [
            self.w.given(f"rest{self.tag()}_{end}", found[side], axis, symbol=symbol,
                         label=f"similarity of {said[side]} by the other outputs")
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
            said = how.get(f.kind, "by the median error and the mean of what lies within d of it")
            return f"For each target by itself a leaf answers {said}."
        above = "G" if not f.plan.get("l1") else "what of G lies beyond l1"
        below = "H" if not f.plan.get("l2") else f"(H + {f.plan['l2']:g})"
        bound = f", at most {f.plan['max_step']:g} in size" if f.plan.get("max_step") else ""
        return (
            f"For each output by itself a leaf answers minus {above} over {below}{bound}; its similarity is the square "
            "of the one over the other, summed over the outputs."
        )


# -------------------------------------------------------------------------------------------------------------- predict


def show_vector_start(w: Working, model: Any) -> Cell:
    """The scores of every row before the first tree."""
    return w.given("start", model._start_, output_axis(model), symbol="f_{0}", label="start")


def show_vector_sums(
    w: Working, model: Any, tag: str, axis: Axis, vectors: Floats, start: Cell, scores: Floats
) -> Cell:
    """The start and what the leaves of all trees add, by output. vectors: trees x outputs."""
    outputs, trees = len(scores), len(model._forest_)
    few = outputs <= MOST_CLASSES
    cells = [
        w.given(f"{tag}v_{k + 1}", np.ascontiguousarray(vectors[:, k]), axis, symbol=f"v_{{{k + 1}}}",
                label=f"what it adds to {output_name(model, k)}")
        for k in range(outputs if few else MOST_OUTPUTS)
    ]  # fmt: skip
    assert start.axis is not None
    number = w.given(f"{tag}k", np.arange(1.0, outputs + 1), start.axis, symbol="k", label="number of the output")
    if few:
        sums: Expr = total(cells[-1])
        for k in range(outputs - 2, -1, -1):
            sums = where(equal(number, k + 1), total(cells[k]), sums)
        sums = w.cell(f"{tag}added", sums, symbol="a", label="what the trees add")
    else:
        w.note(f"Of {outputs} outputs the leaves of the first {MOST_OUTPUTS} are shown; what trees add is given.")
        sums = w.given(f"{tag}added", vectors.sum(axis=0), start.axis, symbol="a", label="what the trees add")
    whole = start + sums
    if trees > len(vectors):
        w.note(f"Of {trees:,} trees the first {len(vectors)} are shown.")
        rest = np.asarray(scores - model._start_ - vectors.sum(axis=0))
        whole = whole + w.given(f"{tag}rest", rest, start.axis, symbol="R", label="what the other trees add")
    size = float(np.abs(scores).max()) + float(np.abs(vectors).sum()) + float(np.abs(model._start_).max())
    return w.cell(f"{tag}score", whole, symbol="f", label="score", equals=scores, attribute="scores", scale=size,
                  tolerance=FULL)  # fmt: skip


def show_vector_numbers(w: Working, model: Any, tag: str, score: Cell, said: Floats) -> None:
    """What the scores of several targets mean: numbers, or counts."""
    counts = model.loss == "poisson"
    w.cell(f"{tag}prediction", exp(score) if counts else score + 0, symbol=r"\hat{y}", equals=said,
           attribute="predict(X)", scale=float(np.abs(np.asarray(score.value)).max()),
           label="e to the score: the expected count" if counts else "prediction: the score",
           tolerance=TOLERANCE if counts else FULL)  # fmt: skip
