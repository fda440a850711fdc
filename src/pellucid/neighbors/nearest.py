"""Neighbors as such, without a target."""

from __future__ import annotations

from typing import Any, Self

from sklearn.callback import with_callbacks

from pellucid.base.declare import param
from pellucid.data.design import Design
from pellucid.estimator.trace import Trace
from pellucid.neighbors._neighbors import KNeighbors, RadiusNeighbors

__all__ = ["NearestNeighbors"]


class NearestNeighbors(KNeighbors, RadiusNeighbors):
    """Finds the rows of a table that are nearest to given rows.

    ``d(x, z) = (sum_j |x_j - z_j|^p)^(1/p)``  for two rows x and z, and p = 2 unless told; many other distances by
    ``metric``. `kneighbors` gives the k fitted rows with the smallest distance, `radius_neighbors` all within a radius.

    With few columns a k-d tree leaves out boxes of rows that lie too far away; with many columns all rows are compared,
    a block at a time, so that memory stays bounded. Both are exact and agree to the last bit. Rows at equal distances
    come in the order of the table. For tables too large for that, `algorithm="graph"` and others find nearly all
    neighbors in a fraction of the time.

    Distances add columns up, so these should be on one scale: a column that is a hundred times wider than the others
    decides alone, and `fit` warns (`UnscaledColumnsWarning`). `metric="gower"` scales by range itself, and takes
    categories and missing values.

    Attributes
    ----------
    index_ : the rows, arranged for the search
    algorithm_ : which kind of index: what was asked for, or what 'auto' chose
    distance_ : the distance as it is used
    effective_metric_, effective_metric_params_ : scikit-learn's name of the distance and its parameters
    n_samples_fit_ : number of fitted rows

    Examples
    --------
    >>> from pellucid.neighbors import NearestNeighbors
    >>> near = NearestNeighbors(n_neighbors=2).fit([[0, 0], [3, 4], [6, 8]])
    >>> distances, rows = near.kneighbors([[3, 3]])
    >>> rows
    array([[1, 0]])
    >>> distances.round(3)  # 1 and the root of 18
    array([[1.   , 4.243]])
    >>> near.radius_neighbors([[3, 3]], radius=5)[1]
    array([array([1, 0])], dtype=object)

    Notes
    -----
    Parameters, attributes and answers are scikit-learn's. Of rows at equal distances scikit-learn's order is not
    defined; here it is that of the table. Radius neighbors always come sorted.
    """

    n_neighbors: int = param(default=5, low=1, doc="How many neighbors `kneighbors` gives unless told.")
    radius: float = param(default=1.0, low=0, doc="How far `radius_neighbors` looks unless told; the bound is in.")

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any = None) -> Self:
        """Puts the rows of a table into an index.

        Parameters
        ----------
        X : table of n rows and p columns
            pandas, polars or pyarrow table, NumPy array, sparse matrix, or list of rows; n x n distances for
            ``metric="precomputed"``, texts for edit distances.
        y : not looked at
            There for scikit-learn's sake.

        Returns
        -------
        self
        """
        self._run_fit(X, None, None)
        return self

    def _fit(self, d: Design, trace: Trace) -> None:
        self._fit_index(d)
