"""What a fit of trees that answer vectors went by."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pellucid.base.types import Array, Floats
from pellucid.data.design import attach_weight
from pellucid.working.entry import Given
from pellucid.working.expression import Axis
from pellucid.working.shown._boosted_fit import BoostedTree, Fit
from pellucid.working.shown._rows import class_axis, label, labels, refuse, spelled

ALL = -1  # in the place of an output: what belongs to all of them
ONE_BY_ONE = 4  # categories of a column, up to which each is tried against the rest
FULL = 1e-12  # share by which sums in double precision may be off; targets of other sizes stand beside each other
ROUNDING = 1e-9  # share of a score: of a target that never changes the slopes are what rounding leaves
FARTHEST = 30.0  # scores of classes farther apart than this leave no digits of 1 - p


def answers_vectors(model: Any) -> bool:
    """Does one tree a round answer for several outputs?"""
    return bool(model._trees_a_round_ == 1 and len(model.start_scores) > 1)


def output_name(model: Any, k: int) -> str:
    """What an output is called: a class, or a target by its number."""
    return spelled(label(model.classes_[k])) if hasattr(model, "classes_") else f"target {k + 1}"


def output_axis(model: Any) -> Axis:
    """The classes, or the targets."""
    if hasattr(model, "classes_"):
        return class_axis(labels(np.asarray(model.classes_)))
    return Axis("target", range(1, len(model.start_scores) + 1), "k", "K")


# --------------------------------------------------------------------------------------------------- what a fit went by


@dataclass
class VectorFit(Fit):
    """A fit of trees that answer vectors; several targets are seen one by one as well."""

    parts: list[Fit] = field(default_factory=list)  # by target; none for classes

    @classmethod
    def made(cls, full_fit: Fit) -> VectorFit:
        """A fit, with those of its targets beside it."""
        names = ("model", "design", "rows", "y", "weight", "plan", "told", "held")
        plain = {name: getattr(full_fit, name) for name in names}
        if hasattr(full_fit.model, "classes_"):
            return cls(**plain)
        fits = []
        for k in range(full_fit.outputs):
            model = copy(full_fit.model)
            model._start_ = full_fit.model.start_scores[[k]]
            y = np.ascontiguousarray(full_fit.y[:, k])
            fits.append(Fit(model, full_fit.design, full_fit.rows, y, full_fit.weight, full_fit.plan))
        return cls(**plain, parts=fits)

    def slopes(self, scores: Floats) -> tuple[Floats, Floats]:
        """First and second derivatives at these scores, by weight: rows x outputs."""
        if not self.parts:
            return super().slopes(scores)
        gradients = [fit.slopes(scores[:, [k]]) for k, fit in enumerate(self.parts)]
        return np.hstack([g for g, _ in gradients]), np.hstack([h for _, h in gradients])

    def start(self) -> Floats:
        """The score before the first tree, by output."""
        return np.concatenate([fit.start() for fit in self.parts]) if self.parts else super().start()

    def sizes(self, number: int, scores: Floats | None = None) -> Floats:
        """How steep the loss of each row is before a round, summed output by output: rounding parts near equals."""
        gradients = self.slopes(self.scores(number) if scores is None else scores)
        g, h = (values.astype(np.float32).astype(np.float64) for values in gradients)
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
        row_counts = np.ones(len(self.rows)) if factor is None else factor
        return not self.fits(self.tree(0), row_counts, 0, ALL), float(
            np.abs(self.start() - self.model.start_scores).max()
        )


def read_vectors(model: Any, data: Given) -> VectorFit:
    """What a fit went by, from the model and the data that it was fitted on."""
    d = model._validate_predict(data.table)
    y = np.asarray(data.y) if hasattr(model, "classes_") else _targets(model, data)
    copy(model)._attach_target(d, y)
    attach_weight(d, data.weight)
    weight = model._weights(d)
    rows = np.arange(d.n_rows) if weight is None else np.flatnonzero(weight > 0)
    plan = model._plan(d) | model._loss(d)
    takes_weight = plan["loss"] == "own" and plan["own"].word is not None

    def learned_from(row_indices: Array) -> VectorFit:
        row_weight = None if weight is None else weight[row_indices]
        row_weight, loss_weight = (None, row_weight) if takes_weight else (row_weight, None)
        return VectorFit.made(
            Fit(model, d, row_indices, y[row_indices], row_weight, plan, loss_weight, len(rows) - len(row_indices))
        )

    full_fit = learned_from(rows)
    if model.early_stopping is not True:
        return full_fit
    training_fit = learned_from(rows[model._draw_held(d)[rows] == 0])  # unless another table was held out
    return min((training_fit, full_fit), key=VectorFit.apart)


def _targets(model: Any, data: Given) -> Floats:
    """All targets: rows x targets."""
    y = np.asarray(data.options["y"], dtype=np.float64)
    n_targets, n_expected = (y.shape[1] if y.ndim == 2 else 1), len(model.start_scores)
    if n_targets != n_expected:
        refuse(f"{type(model).__name__}.fit", f"y must have {n_expected} columns, as in the fit", f"got {n_targets}")
    return y
