"""The orders of the rows that CatBoost goes along, as numbers: made columns, and models that know the first rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from pellucid.base.randomness import uniform
from pellucid.base.types import Array, Floats
from pellucid.boosting._model import BoostedModel
from pellucid.boosting._statistics import TargetStatistics, ordered_columns
from pellucid.data.design import Design
from pellucid.reference.ordered_boosting import doubling_sizes

if TYPE_CHECKING:
    from pellucid.working.shown._boosted_fit import Fit

_STREAM = 1 << 42  # of the numbers that a round takes its order by


@dataclass
class Orders:
    """Orders of the rows that were learned from, and what was made along each.

    rows : for each order the rows, as places among those learned from
    numbers : the table itself, with categories as codes, for the rows learned from; empty where nothing is made
    tables : for each order the table that trees are grown on; empty where nothing is made
    targets : rows x targets, what statistics are made of
    """

    seed: int
    rows: list[Array]
    numbers: Floats
    tables: list[Floats]
    targets: Floats
    statistics: TargetStatistics | None
    prior_weight: float
    _scores: dict[int, list[Floats]] = field(default_factory=dict)

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self.rows[0])

    def which(self, number: int) -> int:
        """The order that a round takes (from 0)."""
        many = len(self.rows)
        return 0 if many == 1 else int(uniform(self.seed, _STREAM, number + 1)[number] * many)

    def places(self, order: int) -> Array:
        """How many rows stand before each row."""
        positions = np.empty(len(self.rows[order]), dtype=np.int64)
        positions[self.rows[order]] = np.arange(len(positions))
        return positions

    @property
    def sizes(self) -> list[int]:
        """How many rows the models know: none, 1, 2, 4, ..."""
        return [0, *doubling_sizes(len(self))]

    def model_of(self, order: int) -> Array:
        """The model that judges each row: the largest that does not reach it."""
        return np.searchsorted(self.sizes, self.places(order), side="right") - 1

    def scores(self, fit: Fit, order: int, rounds: int) -> Floats:
        """Models x rows: what the models of an order say after some rounds."""
        history = self._scores.setdefault(order, [np.full((len(self.sizes), len(self)), fit.model.start_scores[0])])
        positions = self.places(order)
        while len(history) <= rounds:
            tree, before = fit.tree(len(history) - 1), history[-1]
            scores = before.copy()
            for j, size in enumerate(self.sizes):
                g, h = (values[:, 0] for values in fit.slopes(before[j][:, None]))
                step = fit.rate * answers(fit.plan, *(_sums(tree, values, positions < size) for values in (g, h)))
                scores[j] += step[tree.place - 1]
            history.append(scores)
        return history[rounds]

    def own_scores(self, fit: Fit, number: int) -> Floats:
        """What each row is told before a round by the model that has not seen it: rows x 1."""
        order = self.which(number)
        scores = self.scores(fit, order, number)[self.model_of(order), np.arange(len(self))]
        return np.asarray(scores[:, None])


def _sums(tree: Any, values: Floats, row_flags: Array) -> Floats:
    """By leaf the sum over the rows that a model knows."""
    return np.bincount(tree.place[row_flags], weights=values[row_flags], minlength=len(tree.leaves) + 1)[1:].astype(
        np.float64
    )


def answers(plan: dict[str, Any], G: Floats, H: Floats) -> Floats:
    """-T(G) / (H + l2), within the bound; 0 where nothing is below."""
    l1, step = float(plan.get("l1", 0.0)), float(plan.get("max_step", 0.0))
    below = H + float(plan.get("l2", 0.0))
    values = np.where(below > 0, -np.sign(G) * np.maximum(np.abs(G) - l1, 0) / np.where(below > 0, below, 1), 0.0)
    return np.clip(values, -step, step) if step > 0 else values


def read_orders(model: Any, table: Any, d: Design, rows: Array) -> Orders | None:
    """The orders of a fit, for the rows that were learned from; None where the fit went along none.

    d : the table with its target, categories already made into what new rows get
    """
    statistics: TargetStatistics | None = getattr(model, "_statistics_", None)
    if statistics is None and getattr(model, "boosting", "plain") == "plain":
        return None
    position = np.full(d.n_rows, -1, dtype=np.int64)
    position[rows] = np.arange(len(rows))
    orders = model._orders(d.n_rows)
    inside = [position[order][position[order] >= 0] for order in orders]
    if statistics is None:
        return Orders(model._seed_, inside, np.empty((0, 0)), [], np.empty((0, 0)), None, 0.0)
    numbers = np.asarray(BoostedModel._validate_predict(model, table).numbers, dtype=np.float64)
    targets, weight = model._targets(d) / model._unit_of(d), float(model.prior_weight)
    codes = [encoder.codes(numbers) for encoder in statistics.made]
    tables = [
        np.hstack([numbers[:, statistics.kept], statistic_columns])[rows]
        for order in orders
        for statistic_columns in [
            ordered_columns(statistics, codes, targets, position >= 0, order, weight, model._threads)
        ]
    ]
    return Orders(model._seed_, inside, numbers[rows], tables, targets[rows], statistics, weight)
