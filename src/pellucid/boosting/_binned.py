"""Boosted trees on columns in bins: the engine behind all faces but the textbook's."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid import _core
from pellucid.base.types import Array, Floats
from pellucid.boosting._model import BoostedModel
from pellucid.boosting._parameters import TreeParameters
from pellucid.data.design import Design
from pellucid.parts.tree.cart import monotone_of

# Slopes are kept in single precision: targets beyond these sizes are divided by a power of two while trees grow.
_LARGEST, _SMALLEST = 2.0**50, 2.0**-50


class BinnedTrees(BoostedModel, TreeParameters):
    """Trees by histograms of whole numbers."""

    def _unit_of(self, d: Design) -> float:
        largest = 0.0 if d.classes or getattr(self, "loss", "") == "poisson" else float(np.abs(d.y).max())
        if largest == 0 or _SMALLEST < largest < _LARGEST:
            return 1.0
        return float(np.ldexp(1.0, int(np.frexp(largest)[1]) - 1))

    def _mechanism(self, d: Design) -> dict[str, Any]:
        """What a face tells the kernel besides the parameters that all have."""
        return {}

    def _plan(self, d: Design) -> dict[str, Any]:
        """The settings as the kernel takes them."""
        draw: str = "share" if self.sampling == "uniform" else self.sampling
        if self.subsample >= 1 and draw in ("share", "bernoulli", "mvs"):
            draw = "all"
        plan: dict[str, Any] = {
            "growth": self.growth,
            "max_leaves": self.max_leaf_nodes,
            "max_depth": self.max_depth,
            "min_rows_leaf": int(self.min_samples_leaf),
            "min_weight_leaf": float(self.min_child_weight),
            "l1": float(self.l1_regularization) / self._unit,
            "l2": float(self.l2_regularization),
            "min_gain": float(self.min_split_gain) / self._unit / self._unit,
            "max_step": float(self.max_delta_step) / self._unit,
            "learning_rate": float(self.learning_rate or 0.1),
            "columns_by_tree": float(self.max_features_tree),
            "columns_by_level": float(self.max_features_level),
            "columns_by_node": float(self.max_features),
            "draw": draw,
            "share": float(self.subsample),
            "top": float(self.top_rate),
            "other": float(self.other_rate),
            "temperature": float(self.bagging_temperature),
            "seed": self._seed_,
            "threads": self._threads,
        }
        return plan | self._loss(d) | self._mechanism(d)

    def _booster(self, d: Design, sizes: Array, weight: Floats | None, held: Array | None, start: Any) -> Any:
        monotone = monotone_of(d, self.monotonic_cst)
        bins = _core.binned_table(d.matrix, sizes, weight, int(self.max_bins), self._threads)
        y = np.ascontiguousarray(d.y[:, 0])
        return _core.Booster([bins], y, weight, held, monotone, start, self._plan(d))
