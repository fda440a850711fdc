"""What a fit of boosted trees went by, as numbers: rows, weights, settings, scores before a round, and rows drawn."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pellucid import _core
from pellucid.base.randomness import uniform
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, attach_weight
from pellucid.models.tree.cart import in_range
from pellucid.models.tree.nodes import TreeNodes
from pellucid.reference import gradient_sampling as sampling
from pellucid.reference.gradient_boosting import Loss, curvatures, residuals
from pellucid.working.entry import Given
from pellucid.working.shown._boosted_orders import Orders, read_orders

LEAST_SHARE = 1e-15  # no share or mean is taken to be nearer to 0 or 1 at the start
BY_RESIDUALS = ("absolute_error", "quantile", "huber")
_NAMES = {"squared_error": "squared", "absolute_error": "absolute"}
_POISSON_STEP = 0.7  # of trees on bins: the curvature is e^(f + this)
_STREAM = 1 << 40  # of the numbers that a round draws its rows by


@dataclass(frozen=True)
class BoostedTree:
    """One tree: its nodes, its leaves from left to right, and where in them each row is (counted from 1)."""

    nodes: TreeNodes
    leaves: Array
    place: Array

    @property
    def values(self) -> Floats:
        """What the leaves add to a score."""
        return np.asarray(self.nodes.value[self.leaves, 0], dtype=np.float64)

    def span(self, node: int) -> tuple[int, int]:
        """The first and the last leaf below a node, counted from 1."""
        ends = [node, node]
        for side in (0, -1):
            while self.nodes.n_children[ends[side]]:
                ends[side] = self.nodes.children(ends[side])[side]
        leaf_numbers = [int(np.flatnonzero(self.leaves == end)[0]) + 1 for end in ends]
        return leaf_numbers[0], leaf_numbers[1]


@dataclass
class Fit:
    """A fit again: the rows it learned from, and what it went by. Scores are rows x outputs."""

    model: Any
    design: Design
    rows: Array  # those that were learned from
    y: Array  # numbers or labels of these rows
    weight: Floats | None  # of these rows; None: all count 1
    plan: dict[str, Any]
    told: Floats | None = None  # weights that a loss of the user's own takes into its slopes; then there are no others
    held: int = 0
    along: Orders | None = None  # orders of the rows, where the fit went along some
    _seen: dict[int, Floats] = field(default_factory=dict)

    @property
    def encodes(self) -> bool:
        """Were categories made into statistics, one number in the fit and another for new rows?"""
        return self.along is not None and bool(self.along.tables)

    @property
    def ordered(self) -> bool:
        """Is a row judged by a model that has not seen it?"""
        return getattr(self.model, "boosting", "plain") == "ordered"

    @property
    def rate(self) -> float:
        """What the answer of each tree is multiplied by."""
        return float(getattr(self.model, "learning_rate_", self.model.learning_rate))

    @property
    def exact(self) -> bool:
        """Is it the textbook's way, on the residuals themselves?"""
        return not hasattr(self.model, "_plan")

    @property
    def kind(self) -> str:
        """The loss."""
        return str(self.plan["loss"])

    @property
    def meaning(self) -> str:
        """The loss that reads its scores in the same way: of a function that was given log odds, or numbers."""
        if self.kind != "own":
            return self.kind
        if not hasattr(self.model, "classes_"):
            return "squared_error"
        return "logistic" if self.outputs == 1 else "softmax"

    @property
    def outputs(self) -> int:
        """Scores of a row."""
        return len(self.model.start_scores)

    @property
    def damping(self) -> float:
        """Poisson: what is added to a score before its curvature is taken."""
        return 0.0 if self.exact else float(self.plan.get("most_poisson_step", _POISSON_STEP))

    @property
    def codes(self) -> Floats:
        """Targets as numbers: of classes their places."""
        classes = getattr(self.model, "classes_", None)
        return np.asarray(self.y if classes is None else np.searchsorted(classes, self.y), dtype=np.float64)

    def scores(self, rounds: int) -> Floats:
        """What the fit had after some rounds; by the model's own trees."""
        if rounds not in self._seen:
            self._seen[rounds] = self._walked(rounds) if self.encodes else self.later_scores(rounds)
        return self._seen[rounds]

    def later_scores(self, rounds: int) -> Floats:
        """What new rows with the same values get after some rounds."""
        return np.asarray(self.model._scores(self.design, rounds)[self.rows])

    def _walked(self, rounds: int) -> Floats:
        """Scores of rows whose numbers change with the order that a round takes."""
        if rounds == 0:
            return np.tile(self.model.start_scores, (len(self.rows), 1))
        scores = self.scores(rounds - 1).copy()
        for k in range(self.outputs):
            tree = self.tree((rounds - 1) * self.outputs + k)
            scores[:, k] += tree.values[tree.place - 1]
        return scores

    def own_scores(self, number: int) -> Floats:
        """The scores that the slopes of a round were taken at, by which its rows are drawn and its tests sought."""
        if self.ordered and self.along is not None:
            return self.along.own_scores(self, number)
        return self.scores(number)

    def numbers(self, number: int) -> Floats:
        """The table that the trees of a round were grown on, where categories were made into numbers."""
        assert self.along is not None
        return self.along.tables[self.along.which(number)]

    def tree(self, number: int) -> BoostedTree:
        """A tree, and where the rows were in it."""
        if not self.encodes:
            return self.later_tree(number)
        table = np.ascontiguousarray(self.numbers(number // self.outputs))
        return self._placed(number, _core.dense(table), np.arange(len(table)))

    def later_tree(self, number: int) -> BoostedTree:
        """A tree, and where new rows with the same values are in it."""
        return self._placed(number, self.design.matrix, self.rows)

    def _placed(self, number: int, matrix: Any, rows: Array) -> BoostedTree:
        nodes = self.model.forest.tree(number)
        leaves = np.array([node for node in nodes.top_down() if nodes.n_children[node] == 0], dtype=np.int64)
        ends = self.model.forest.part(number, number + 1).apply(matrix, self.model._threads)[:, 0]
        number_of = np.zeros(len(nodes), dtype=np.int64)
        number_of[leaves] = np.arange(1, len(leaves) + 1)
        return BoostedTree(nodes, leaves, number_of[ends[rows]])

    @property
    def even_odds(self) -> bool:
        """Does it begin at even odds, whatever the classes? As CatBoost does."""
        return self.kind == "logistic" and hasattr(self.model, "one_hot_max_size")

    @property
    def start_given(self) -> bool:
        """Was the first score not to be found from the target?"""
        return self.kind == "own" or getattr(self.model, "base_score", None) is not None

    def start(self) -> Floats:
        """The score before the first tree, by output: given, or the constant that the loss is least for."""
        y, w = self.codes, self.weight
        if self.start_given:
            return np.asarray(self.model.start_scores)
        if self.kind in BY_RESIDUALS:
            level = float(self.plan["level"]) if self.kind == "quantile" else 0.5
            quantile = np.quantile(y, level) if w is None else y[self.quantile_row(y, np.arange(len(y)), level)]
            return np.array([quantile])
        if self.kind == "softmax":
            share = np.bincount(y.astype(np.intp), weights=w, minlength=self.outputs)
            logs = np.log(np.maximum(share / share.sum(), LEAST_SHARE))
            return np.asarray(logs - logs.mean())
        mean = float(np.average(y, weights=w))
        if self.kind == "poisson":
            return np.array([np.log(max(mean, LEAST_SHARE))])
        if self.kind == "logistic":
            p = min(max(mean, LEAST_SHARE), 1 - LEAST_SHARE)
            return np.array([np.log(p / (1 - p))])
        return np.array([mean])

    # ------------------------------------------------------------------------------------------------------ rows drawn

    def slopes(self, scores: Floats) -> tuple[Floats, Floats]:
        """First and second derivatives at these scores, by weight: rows x outputs."""
        if self.kind == "own":
            weight = self.weight if self.told is None else self.told
            g, h = self.plan["own"].slopes(self.codes, scores, weight, self.rows, "shown again")
            return np.asarray(g), np.asarray(h)
        loss = Loss(
            _NAMES.get(self.kind, self.kind),
            float(self.plan.get("level", 0.5)),
            self.outputs,
            damping=self.damping,
            curvature_factor=float(self.plan.get("curvature_factor", 1.0)),
        )
        y = self.codes
        g = -residuals(loss, y, scores, self.width(scores) if self.kind == "huber" else 0.0)
        if self.kind == "absolute_error":
            g = np.where(scores > y[:, None], 1.0, -1.0)
        w = 1.0 if self.weight is None else self.weight[:, None]
        h = np.maximum(curvatures(loss, scores), float(self.plan.get("least_curvature", 0.0)))
        return np.asarray(g * w), np.asarray(h * w)

    def width(self, scores: Floats) -> float:
        """Huber's d: the share `level` of the rows lies within it."""
        apart = np.abs(self.codes - scores[:, 0])
        return float(apart[self.quantile_row(apart, np.arange(len(apart)), float(self.plan["level"]))])

    def quantile_row(self, values: Floats, among: Array, level: float) -> int:
        """The row at whose value the weights of some rows reach a share of their sum."""
        weight = np.ones(len(among)) if self.weight is None else self.weight[among]
        order = np.lexsort((weight, values[among]))
        reached = np.cumsum(weight[order])
        at = int(np.argmax(reached >= level * reached[-1]))
        return int(among[order[at]])

    @property
    def draws(self) -> str:
        """How the rows of a round are drawn: "all" where none is left out."""
        return str(self.plan["draw"])

    def drawn_numbers(self, number: int) -> Floats:
        """One number from 0 to 1 a row, by which the rows of a round are drawn."""
        return uniform(self.model._seed_, _STREAM + number, len(self.rows))

    def factors(self, number: int, scores: Floats) -> Floats | None:
        """How often each row counts in a round (from 0); 0: it is not drawn. None: all count once."""
        if self.draws == "all" or number < int(self.plan.get("after", 0)):
            return None
        n, share = len(self.rows), float(self.plan.get("share", 1.0))
        u = self.drawn_numbers(number)
        if self.draws == "bayesian":
            return sampling.bayesian(1 - u, float(self.plan["temperature"]))
        if self.draws == "share":
            count = max(int(share * n), 1)
            return None if count >= n else _flags(n, sampling.choose(n, count, u))
        if self.draws == "bernoulli":
            flags = (u < share).astype(np.float64)
            return flags if flags.any() else None
        size = self.sizes(number, scores)
        if self.draws == "goss":
            return sampling.goss(size, float(self.plan["top"]), float(self.plan["other"]), u)
        flags = sampling.mvs(size, share, u)
        return flags if flags.any() else None

    def sizes(self, number: int, scores: Floats | None = None) -> Floats:
        """How steep the loss of each row is before a round: what goss and mvs go by."""
        gradients = self.slopes(self.own_scores(number) if scores is None else scores)
        g, h = (values.astype(np.float32).astype(np.float64) for values in gradients)
        by_curvature = float(self.plan.get("curvature_weight", 0.0)) if self.draws == "mvs" else 0.0
        return sampling.sizes(g, h, by_curvature)

    def search_rounding(self, g: Floats, h: Floats) -> float:
        """The share by which sums in the search for tests may be off, where slopes are whole numbers of few bits.

        Each row is rounded up or down at random: a sum of n of them is off by half a step times the root of n.
        """
        n = min(len(g), 8192)  # larger nodes have more bits
        step = n / 2 ** ((64 - n.bit_length()) // 2 - 1)
        max_share = max(
            float(np.abs(values).max() / np.abs(values).sum()) if values.any() else 0.0 for values in (g, h)
        )
        return float(6 * np.sqrt(n) / 2 * step * max_share)

    def fits(self, tree: BoostedTree, factor: Floats, number: int, output: int) -> bool:
        """Are the rows that count those that a tree was grown on? By their number and curvature in each leaf.

        With ordered boosting the leaves answer by all rows, drawn or not.
        """
        leaves, size = tree.nodes.n_rows[tree.leaves], len(tree.leaves) + 1
        if not np.array_equal(np.bincount(tree.place[factor > 0], minlength=size)[1:], leaves):
            return False
        if self.exact:
            return True
        curved = self.slopes(self.scores(number))[1][:, output] * (1.0 if self.ordered else factor)
        summed = np.bincount(tree.place, weights=curved, minlength=size)[1:]
        return bool(np.allclose(summed, tree.nodes.weight[tree.leaves], rtol=1e-5, atol=1e-5 * summed.max(initial=0.0)))


def _flags(n: int, indices: Array) -> Floats:
    flags = np.zeros(n)
    flags[indices] = 1.0
    return flags


def read_fit(model: Any, data: Given) -> Fit:
    """What a fit went by, from the model and the data that it was fitted on."""
    d = model._validate_predict(data.table)
    copy(model)._attach_target(d, data.y)
    attach_weight(d, data.weight)
    exact = not hasattr(model, "_plan")
    weight = in_range(model._weights(d))[0] if exact else model._weights(d)
    rows = np.arange(d.n_rows) if weight is None else np.flatnonzero(weight > 0)
    plan = _exact_plan(model, d) if exact else model._plan(d) | model._loss(d)
    takes_weight = plan["loss"] == "own" and plan["own"].word is not None

    def learned_from(row_indices: Array) -> Fit:
        row_weight = None if weight is None else weight[row_indices]
        along = read_orders(model, data.table, d, row_indices)
        row_weight, loss_weight = (None, row_weight) if takes_weight else (row_weight, None)
        return Fit(
            model,
            d,
            row_indices,
            np.asarray(data.y)[row_indices],
            row_weight,
            plan,
            loss_weight,
            len(rows) - len(row_indices),
            along,
        )

    full_fit = learned_from(rows)
    if model.early_stopping is not True:
        return full_fit
    training_fit = learned_from(rows[model._draw_held(d)[rows] == 0])  # unless another table was held out
    return min((training_fit, full_fit), key=_apart)


def _apart(fit: Fit) -> tuple[bool, bool, float]:
    """How far some rows are from those learned from: by the model's prior, the rows of its first tree, its start."""
    near = True
    if fit.along is not None and fit.along.statistics is not None:
        near = bool(np.allclose(fit.along.targets.mean(axis=0), fit.along.statistics.prior, rtol=1e-9))
    factor = fit.factors(0, fit.own_scores(0))
    row_counts = np.ones(len(fit.rows)) if factor is None else factor
    start = 0.0 if fit.even_odds else float(np.abs(fit.start() - fit.model.start_scores).max())
    return not near, not fit.fits(fit.tree(0), row_counts, 0, 0), start


def _exact_plan(model: Any, d: Design) -> dict[str, Any]:
    """The settings of the textbook's way, under the names of the other's."""
    draw = "share" if model.subsample < 1 else "all"
    return {**model._loss(d), "draw": draw, "share": model.subsample}
