"""What ID3 and C4.5 share: labels, weights and categories for the kernel, and what a multiway tree answers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np
from sklearn.utils import Tags

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, InputSpec
from pellucid.estimator.roles import Classifier
from pellucid.models.tree.answer import answer, apply, decision_path
from pellucid.models.tree.class_weight import class_weights
from pellucid.models.tree.nodes import TreeNodes

NONE = np.empty(0)
NO_LIMIT = 2**63 - 1
_HEAVY, _LIGHT = 2.0**200, 2.0**-200

# What every rule of the kernel is unless an estimator says otherwise (cpp/core/tree/c45.hpp says what they mean).
RULES: dict[str, Any] = {
    "merit": "gain",
    "cut_merit": "gain",
    "mean_gain": False,
    "mdl": False,
    "midpoint": False,
    "one_against_rest": False,
    "share": False,
    "gain_above": 1e-9,
    "min_leaf": 0.0,
    "min_split": 0.0,
    "min_cut_share": 0.0,
    "min_case": 0.0,
    "max_depth": NO_LIMIT,
    "cost_rule": "none",
    "cost_power": 1.0,
    "collapse": False,
    "pruning": "none",
    "confidence": 0.25,
    "normal": 0.0,
    "raise": False,
}


class MultiwayClassifier(Classifier):
    """A tree whose tests have a branch for each category."""

    max_depth: int | None = param(default=None, low=1, doc="Most tests on the way to a leaf; None: no limit.")
    class_weight: dict | Literal["balanced"] | None = param(  # type: ignore[type-arg]
        default=None,
        doc="Weight of each class, by label; 'balanced': W / (k W_c), with W the weight of all rows, W_c that of class "
        "c of k; None: all alike.",
    )
    categorical_features: Any = param(
        default=None,
        doc="Columns of numbers that hold codes 0, 1, ... of categories: places, names, or one flag a column. Columns "
        "of names are categories by themselves.",
    )
    n_jobs: int | None = param(
        default=None, doc="Threads: None or -1 for all available cores. Their number changes no bit of the result."
    )

    input_spec = InputSpec(categories=True, missing=True, unknown="missing")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        return tags

    # --------------------------------------------------------------------------------------------------------- learning

    def _weights(self, d: Design) -> tuple[Floats, float]:
        """Weight of each row, its class counted in, and the power of two by which far too large ones were divided."""
        weight = class_weights(d.who, self.class_weight, d.y, d.classes, d.weight)
        if weight is None:
            return np.ones(d.n_rows), 1.0
        largest = float(weight.max())
        if _LIGHT < largest < _HEAVY:
            return np.ascontiguousarray(weight, dtype=np.float64), 1.0
        # Beside such weights no other number of the rules counts: they stay as huge, or as tiny, as sums can bear.
        unit = float(np.ldexp(1.0, int(np.frexp(largest)[1]) - (200 if largest > 1 else -200)))
        return weight / unit, unit

    def _grow(
        self,
        d: Design,
        levels: Array,
        weight: Floats,
        unit: float,
        rules: dict[str, Any],
        costs: Floats = NONE,
        held_out: Floats = NONE,
    ) -> None:
        """Grows the tree and keeps it. levels: categories of each column, 0 for one of numbers."""
        settings = {**RULES, "max_depth": self.max_depth or NO_LIMIT, **rules}
        label = d.y[:, 0].astype(np.int32)
        k = len(self.classes_)
        output = _core.grow_multiway(d.matrix, label, k, weight, held_out, levels, costs, settings, self._threads)
        tree = TreeNodes.of(output)
        if unit != 1.0:
            with np.errstate(over="ignore"):
                tree = replace(tree, weight=tree.weight * unit, value=tree.value * unit)
        self.tree_ = tree
        self.n_classes_ = k
        self.gain_: Floats = output["gain"]
        self.split_info_: Floats = output["split_info"]
        self.feature_importances_: Floats = tree.compute_feature_importances(n_features=d.n_cols)

    # ---------------------------------------------------------------------------------------------------------- answers

    @property
    def _answering(self) -> TreeNodes:
        """The tree with the values that answers are made of."""
        return self.tree_

    def _predict_proba(self, d: Design) -> Floats:
        return answer(self._answering, d.matrix, self._threads, [len(self.classes_)])

    def apply(self, X: Any) -> Array:
        """The number of the node that answers for each row; for one that is shared out that with the largest share."""
        return apply(self.tree_, self._validate_predict(X).matrix, self._threads).astype(np.int64)

    def decision_path(self, X: Any) -> Any:
        """Rows x nodes, sparse: a one for each node that a row passes."""
        return decision_path(self.tree_, self._validate_predict(X).matrix, self._threads)

    def get_depth(self) -> int:
        """Tests on the longest way from the root to a leaf."""
        self._check_fitted()
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """Number of leaves."""
        self._check_fitted()
        return self.tree_.n_leaves
