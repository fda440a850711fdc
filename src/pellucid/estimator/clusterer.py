"""The role of a clusterer: groups of rows that are alike, found without labels."""

from __future__ import annotations

from typing import Any, Self

from sklearn.base import ClusterMixin
from sklearn.callback import with_callbacks

from pellucid.base.types import Array
from pellucid.estimator.estimator import Estimator


class Clusterer(ClusterMixin, Estimator):
    """Puts rows into groups. A subclass writes `_fit`, which leaves ``labels_``: the group of each fitted row."""

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Finds groups in a table.

        Parameters
        ----------
        X : table of n rows and p columns
            pandas, polars or pyarrow table, NumPy array, sparse matrix, or list of rows.
        y : not looked at
            There for scikit-learn's sake.
        sample_weight : n numbers, optional
            How much each row counts; 2 counts like the row written twice.

        Returns
        -------
        self
        """
        self._run_fit(X, None, sample_weight)
        return self

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> Array:
        """Finds groups in a table and gives each row's.

        Parameters
        ----------
        X : table of n rows and p columns
        y : not looked at
        sample_weight : n numbers, optional
        """
        self.fit(X, sample_weight=sample_weight)
        found: Array = vars(self)["labels_"]
        return found
