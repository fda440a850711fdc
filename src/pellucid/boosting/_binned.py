"""Boosted trees on columns in bins: the engine behind all faces but the textbook's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pellucid import _core
from pellucid.base.errors import DataError, ParameterError, count, format_message
from pellucid.base.types import Array, Floats
from pellucid.boosting._model import BoostedModel, power_of_two
from pellucid.boosting._parameters import TreeParameters
from pellucid.data.design import Design
from pellucid.models.tree.cart import monotone_of

# Slopes, gradients times weights, are kept in single precision: targets and weights beyond these sizes are divided by a
# power of two while trees grow, and the penalties with them. Counts are not.
_LARGEST_TARGET, _LARGEST_WEIGHT, _LARGEST_COUNT = 2.0**50, 2.0**40, 1e24
_CATEGORY_L2 = 10.0  # more of l2 where categories are put in order, as LightGBM has it

# A booster of the table, from flags of the rows held out and the plan.
Made = Callable[[Array | None, dict[str, Any]], Any]


class BinnedTrees(BoostedModel, TreeParameters):
    """Trees by histograms of whole numbers."""

    takes_own_loss = True
    takes_vectors = True
    _sizes_as_they_are = (1 / _LARGEST_TARGET, _LARGEST_TARGET)

    def _unit_of(self, d: Design) -> float:
        if getattr(self, "loss", "") == "poisson" and float(d.y.max()) > _LARGEST_COUNT:
            row = int(d.y[:, 0].argmax())
            requirement = f"loss='poisson' takes counts of at most {_LARGEST_COUNT:g}"
            raise DataError(
                format_message(
                    d.who, requirement, actual=f"got {d.y[row, 0]:g} in row {row}", hint="divide y by a large number"
                )
            )
        return super()._unit_of(d)

    def _weights_in_range(self, d: Design) -> tuple[Floats | None, float]:
        weight = self._weights(d)
        largest = 1.0 if weight is None else float(weight.max())
        if weight is None or 1 / _LARGEST_WEIGHT < largest < _LARGEST_WEIGHT:
            return weight, 1.0
        return weight / power_of_two(largest), power_of_two(largest)

    def _share_of_rows(self, d: Design) -> float:
        return float(self.subsample)

    def _share_of_columns(self, d: Design) -> float:
        return float(self.max_features)

    def _mechanism(self, d: Design) -> dict[str, Any]:
        """What a face tells the kernel besides the parameters that all have."""
        return {}

    def _plan(self, d: Design) -> dict[str, Any]:
        """The settings as the kernel takes them."""
        draw: str = "share" if self.sampling == "uniform" else self.sampling
        share = self._share_of_rows(d)
        if share >= 1 and draw in ("share", "bernoulli", "mvs"):
            draw = "all"
        plan: dict[str, Any] = {
            "growth": self.growth,
            "max_leaves": self.max_leaf_nodes,
            "max_depth": self.max_depth,
            "min_rows_leaf": int(self.min_samples_leaf),
            "min_weight_leaf": float(self.min_child_weight) / self._weight_unit,
            "l1": float(self.l1_regularization) / self._unit / self._weight_unit,
            "l2": float(self.l2_regularization) / self._weight_unit,
            "category_l2": _CATEGORY_L2 / self._weight_unit,
            "min_gain": float(self.min_split_gain) / self._unit / self._unit / self._weight_unit,
            "max_step": float(self.max_delta_step) / self._unit,
            "learning_rate": float(self.learning_rate or 0.1),
            "columns_by_tree": float(self.max_features_tree),
            "columns_by_level": float(self.max_features_level),
            "columns_by_node": self._share_of_columns(d),
            "draw": draw,
            "share": share,
            "top": float(self.top_rate),
            "other": float(self.other_rate),
            "temperature": float(self.bagging_temperature),
            "floats": self.histogram == "float",
            "seed": self._seed_,
            "threads": self._threads,
        }
        loss = self._loss(d)
        if loss["loss"] == "own":  # a kernel's loss with as many scores a row, of which nothing is asked
            loss = {"loss": "logistic" if loss["outputs"] == 1 else "softmax", "outputs": loss["outputs"]}
        return plan | loss | self._mechanism(d)

    def _table(self, matrix: Any, sizes: Array, weight: Floats | None) -> Any:
        """The table in bins; keeps which columns share a byte, in the order in which they joined."""
        bins = _core.binned_table(
            matrix,
            sizes,
            weight,
            int(self.max_bins),
            self._threads,
            bundle=bool(self.feature_bundling),
            most_conflicts=float(self.max_conflict_rate),
            sketch=self.binning == "sketch",
        )
        self._bundles_: list[list[int]] = [[j for j, _ in bundle] for bundle in bins.bundles if len(bundle) > 1]
        return bins

    def _booster(
        self, d: Design, sizes: Array, weight: Floats | None, validation_rows: Array | None, start: Any
    ) -> Any:
        monotone = monotone_of(d, self.monotonic_cst)
        bins = self._table(d.matrix, sizes, weight)

        def made(validation_rows: Array | None, plan: dict[str, Any]) -> Any:
            if self._answers_vectors(d):
                return self._vector_booster([bins], d, weight, validation_rows, monotone, start, plan)
            y = np.ascontiguousarray(d.y[:, 0])
            return _core.Booster([bins], y, weight, validation_rows, monotone, start, plan)

        return made(validation_rows, self._tuned(self._plan(d), d, weight, validation_rows, made))

    def _tuned(
        self, plan: dict[str, Any], d: Design, weight: Floats | None, validation_rows: Array | None, make_booster: Made
    ) -> dict[str, Any]:
        """The plan as a face changes it when the table is there; `made` makes boosters for trials."""
        return plan

    def _vector_booster(
        self,
        tables: list[Any],
        d: Design,
        weight: Floats | None,
        validation_rows: Array | None,
        monotone: Array | None,
        start: Any,
        plan: dict[str, Any],
    ) -> Any:
        """The kernel of trees whose leaves answer for all outputs."""
        if monotone is not None and (monotone != 0).any():
            requirement = "monotonic_cst is for trees that answer one number a leaf"
            raise ParameterError(format_message(d.who, requirement, actual=f"got {count(plan['outputs'], 'output')}"))
        return _core.VectorBooster(tables, np.ascontiguousarray(d.y), weight, validation_rows, None, start, plan)
