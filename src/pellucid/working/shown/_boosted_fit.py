"""What a fit of boosted trees went by, as numbers: rows, weights, settings, scores before a round, and rows drawn."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pellucid.base.randomness import uniform
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, attach_weight
from pellucid.parts.tree.cart import in_range
from pellucid.parts.tree.nodes import TreeNodes
from pellucid.reference import gradient_sampling as sampling
from pellucid.reference.gradient_boosting import Loss, curvatures, residuals
from pellucid.working.entry import Given

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
        places = [int(np.flatnonzero(self.leaves == end)[0]) + 1 for end in ends]
        return places[0], places[1]


@dataclass
class Fit:
    """A fit again: the rows it learned from, and what it went by. Scores are rows x outputs."""

    model: Any
    design: Design
    rows: Array  # those that were learned from
    y: Array  # numbers or labels of these rows
    weight: Floats | None  # of these rows; None: all count 1
    plan: dict[str, Any]
    held: int = 0
    _seen: dict[int, Floats] = field(default_factory=dict)

    @property
    def replays(self) -> bool:
        """Can the slopes be worked out again? Not where rows are judged by models that have not seen them."""
        return getattr(self.model, "boosting", "plain") == "plain" and not hasattr(self.model, "_statistics_")

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
    def outputs(self) -> int:
        """Scores of a row."""
        return len(self.model._start_)

    @property
    def damping(self) -> float:
        """Poisson: what is added to a score before its curvature is taken."""
        return 0.0 if self.exact else float(self.plan.get("most_poisson_step", _POISSON_STEP))

    @property
    def codes(self) -> Floats:
        """Targets as numbers: of classes their places."""
        known = getattr(self.model, "classes_", None)
        return np.asarray(self.y if known is None else np.searchsorted(known, self.y), dtype=np.float64)

    def scores(self, rounds: int) -> Floats:
        """After some rounds; by the model's own trees."""
        if rounds not in self._seen:
            self._seen[rounds] = self.model._scores(self.design, rounds)[self.rows]
        return self._seen[rounds]

    def tree(self, number: int) -> BoostedTree:
        """A tree, and where the rows are in it."""
        nodes = self.model._forest_.tree(number)
        leaves = np.array([node for node in nodes.top_down() if nodes.n_children[node] == 0], dtype=np.int64)
        ends = self.model._forest_.part(number, number + 1).apply(self.design.matrix, self.model._threads)[:, 0]
        number_of = np.zeros(len(nodes), dtype=np.int64)
        number_of[leaves] = np.arange(1, len(leaves) + 1)
        return BoostedTree(nodes, leaves, number_of[ends[self.rows]])

    def start(self) -> Floats:
        """The score before the first tree, by output: the constant that the loss is least for."""
        y, w = self.codes, self.weight
        if self.kind in BY_RESIDUALS:
            level = float(self.plan["level"]) if self.kind == "quantile" else 0.5
            chosen = np.quantile(y, level) if w is None else y[self.quantile_row(y, np.arange(len(y)), level)]
            return np.array([chosen])
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

    def factors(self, number: int, scores: Floats) -> Floats | None:
        """How often each row counts in a round (from 0); 0: it is not drawn. None: all count once."""
        if self.draws == "all" or number < int(self.plan.get("after", 0)):
            return None
        n, share = len(self.rows), float(self.plan.get("share", 1.0))
        u = uniform(self.model._seed_, _STREAM + number, n)
        if self.draws == "bayesian":
            return sampling.bayesian(1 - u, float(self.plan["temperature"]))
        if self.draws == "share":
            count = max(int(share * n), 1)
            return None if count >= n else _flags(n, sampling.choose(n, count, u))
        if self.draws == "bernoulli":
            drawn = (u < share).astype(np.float64)
            return drawn if drawn.any() else None
        g, h = (one.astype(np.float32).astype(np.float64) for one in self.slopes(scores))
        if self.draws == "goss":
            top, other = float(self.plan["top"]), float(self.plan["other"])
            return sampling.goss(sampling.sizes(g), top, other, u)
        size = sampling.sizes(g, h, float(self.plan.get("curvature_weight", 0.0)))
        drawn = sampling.mvs(size, share, u)
        return drawn if drawn.any() else None

    def fits(self, tree: BoostedTree, factor: Floats, number: int, output: int) -> bool:
        """Are the rows that count those that a tree was grown on? By their number and curvature in each leaf."""
        leaves, size = tree.nodes.n_rows[tree.leaves], len(tree.leaves) + 1
        if not np.array_equal(np.bincount(tree.place[factor > 0], minlength=size)[1:], leaves):
            return False
        if self.exact:
            return True
        curved = self.slopes(self.scores(number))[1][:, output] * factor
        summed = np.bincount(tree.place, weights=curved, minlength=size)[1:]
        return bool(np.allclose(summed, tree.nodes.weight[tree.leaves], rtol=1e-5, atol=1e-5 * summed.max(initial=0.0)))


def _flags(n: int, chosen: Array) -> Floats:
    found = np.zeros(n)
    found[chosen] = 1.0
    return found


def read_fit(model: Any, data: Given) -> Fit:
    """What a fit went by, from the model and the data that it was fitted on."""
    d = model._later(data.table)
    copy(model)._attach_target(d, data.y)
    attach_weight(d, data.weight)
    weight, _ = in_range(model._weights(d))
    rows = np.arange(d.n_rows) if weight is None else np.flatnonzero(weight > 0)
    plan = model._plan(d) if hasattr(model, "_plan") else _exact_plan(model, d)

    def learned_from(kept: Array) -> Fit:
        own = None if weight is None else weight[kept]
        return Fit(model, d, kept, np.asarray(data.y)[kept], own, plan, len(rows) - len(kept))

    whole = learned_from(rows)
    if model.early_stopping is not True:
        return whole
    part = learned_from(rows[model._draw_held(d)[rows] == 0])  # unless another table was held out
    apart = [float(np.abs(one.start() - model._start_).max()) for one in (part, whole)]
    return part if apart[0] <= apart[1] else whole


def _exact_plan(model: Any, d: Design) -> dict[str, Any]:
    """The settings of the textbook's way, under the names of the other's."""
    draw = "share" if model.subsample < 1 else "all"
    return {**model._loss(d), "draw": draw, "share": model.subsample}
