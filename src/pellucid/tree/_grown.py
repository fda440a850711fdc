"""What every fitted tree can be asked, whichever way it was grown."""

from __future__ import annotations

from typing import Any

from pellucid.base.types import Array, Floats
from pellucid.models.tree.answer import apply, decision_path
from pellucid.models.tree.nodes import TreeNodes


class GrownTree:
    """For estimators that keep a `TreeNodes` as ``tree_``."""

    tree_: TreeNodes

    def apply(self: Any, X: Any) -> Array:
        """The number of the node that answers for each row."""
        return apply(self.tree_, self._validate_predict(X).matrix, self._threads)

    def decision_path(self: Any, X: Any) -> Any:
        """Rows x nodes, a sparse matrix: 1 where a row passes through a node."""
        return decision_path(self.tree_, self._validate_predict(X).matrix, self._threads)

    def get_depth(self: Any) -> int:
        """Tests on the longest way from the root to a leaf."""
        self._check_fitted()
        return int(self.tree_.max_depth)

    def get_n_leaves(self: Any) -> int:
        """Number of leaves."""
        self._check_fitted()
        return int(self.tree_.n_leaves)

    @property
    def feature_importances_(self: Any) -> Floats:
        """How much the tests on each column lower the impurity, as shares of the whole."""
        self._check_fitted()
        importances: Floats = self.tree_.compute_feature_importances(n_features=self.n_features_in_)
        return importances
