"""Nearest rows by boxes within boxes."""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from typing import Any, ClassVar, Literal

import numpy as np

from pellucid.base.errors import DataError, ParameterError, count, format_message, short_repr
from pellucid.base.types import Array, Floats
from pellucid.models.neighbors.kd_tree import KDTreeIndex
from pellucid.models.neighbors.textbook import Branch, TextbookTree
from pellucid.models.neighbors.tree_index import TreeIndex
from pellucid.neighbors._tree_of_points import TreeOfPoints, whole_number

__all__ = ["KDTree"]


class KDTree(TreeOfPoints):
    """Finds the rows nearest to a point without looking at all rows.

    The rows are cut in two at a middle value of one column, the halves again, and so on. A query x goes down to the
    part it lies in; another part is looked into only if its box, with least values l and largest values u, is not
    farther than the k-th nearest row found so far:

    ``d(x, box) = || max(l - x, x - u, 0) || <= d_k``

    Building takes about ``n log n`` steps, a query about ``log n`` in few columns. Boxes are cut across the column in
    which the rows are spread most, and kept as tight as the rows in them; eight branches are looked at in one step.
    Answers are those of comparing with every row, to the last bit: among rows equally far the one with the smaller
    number comes first. ``split="median"`` builds the tree of the textbooks in its place (columns in turn, upper median,
    ``<`` to the left), whose working can be shown. An approximate search (`query` with ``eps`` or ``most_leaves``)
    trades misses for time, and `measured_recall` says how many there are.

    In more than about ten columns most boxes are near to every query and comparing with all rows is faster: use
    `NearestNeighbors`, which chooses. For distances on the sphere or of sets use `BallTree`.

    Parameters
    ----------
    X : table of numbers, one row a point
    leaf_size : most rows of a leaf, for speed and memory alone; leaves come in panels of eight rows, of which no more
        are taken than suits the columns. With ``split="median"`` exactly this many.
    metric : one of `valid_metrics`
    sample_weight : weights of the rows, for `kernel_density` alone
    split : "widest", fast, or "median", the textbooks' tree
    n_jobs : threads; None takes all
    **metric_params : settings of the metric, such as p of "minkowski"

    Attributes
    ----------
    data : the rows
    valid_metrics : names of the metrics that fit
    textbook : nodes of the textbooks' tree, with ``split="median"``

    Examples
    --------
    >>> tree = KDTree([[1, 3], [4, 5], [7, 4], [8, 8]])
    >>> distances, rows = tree.query([[5, 5]], k=2)  # (4, 5) is 1 away, (7, 4) is sqrt(2² + 1²)
    >>> rows
    array([[1, 2]])
    >>> distances
    array([[1.        , 2.23606798]])
    >>> tree.query_radius([[5, 5]], r=1, count_only=True)
    array([1])

    Notes
    -----
    scikit-learn orders rows at equal distances as it meets them; its ``kernel_density`` with the cosine kernel is not
    normalized to 1 in an even number of columns, ours is.

    References
    ----------
    Bentley (1975), Multidimensional binary search trees used for associative searching. Friedman, Bentley and Finkel
    (1977), An algorithm for finding best matches in logarithmic expected time.
    """

    index_class: ClassVar[type[TreeIndex]] = KDTreeIndex
    valid_metrics: ClassVar[list[str]] = [
        "euclidean",
        "l2",
        "minkowski",
        "p",
        "manhattan",
        "cityblock",
        "l1",
        "chebyshev",
        "infinity",
        "seuclidean",
        "mahalanobis",
    ]

    def __init__(
        self,
        X: Any,
        leaf_size: int = 40,
        metric: str = "minkowski",
        sample_weight: Any = None,
        *,
        split: Literal["widest", "median"] = "widest",
        n_jobs: int | None = None,
        **metric_params: Any,
    ) -> None:
        super().__init__(X, leaf_size, metric, sample_weight, n_jobs=n_jobs, **metric_params)
        if split not in ("widest", "median"):
            raise ParameterError(
                format_message("KDTree", "split must be 'widest' or 'median'", actual=f"got {short_repr(split)}")
            )
        self.split = split
        self._build()

    def _build(self) -> Any:
        return self.textbook if self.split == "median" else self.index

    @cached_property
    def textbook(self) -> TextbookTree:
        """Nodes of the tree as textbooks build it."""
        if self.split != "median":
            requirement = "only the textbooks' tree has nodes and branches to look at"
            raise ParameterError(
                format_message(
                    "KDTree", requirement, actual=f"got split={self.split!r}", hint="build it with split='median'"
                )
            )
        return TextbookTree.of(self._rows, self.leaf_size)

    @cached_property
    def _rows(self) -> Floats:
        """The rows as the metric takes them."""
        return np.ascontiguousarray(self.metric.prepare(self._data), dtype=np.float64)

    def _found(self, asked: Array, k: int, eps: float, most_leaves: int | None) -> tuple[Floats, Array]:
        if self.split == "median" and eps == 0 and most_leaves is None:
            queries = np.asarray(self.metric.prepare(asked), dtype=np.float64)
            return self.textbook.search(self._rows, queries, k, self.metric, self._threads)[:2]
        return super()._found(asked, k, eps, most_leaves)

    def branches(self, x: Any, k: int = 1) -> list[Branch]:
        """The branches of the textbooks' tree that a search for the k nearest rows of one point comes to, in turn.

        Each has its node, the distance of the cut before it, the distance of the k-th nearest row at that moment, and
        whether it was looked into.
        """
        return self._search_one(x, k)[2]

    def _search_one(self, x: Any, k: int) -> tuple[Floats, Array, list[Branch]]:
        point, _ = self._asked(np.atleast_2d(np.asarray(x, dtype=np.float64)))
        k = whole_number("KDTree", "k", k)
        if len(point) != 1:
            raise DataError(
                format_message(
                    "KDTree", "one point is searched for at a time", actual=f"got {count(len(point), 'point')}"
                )
            )
        if k > len(self._data):
            requirement = "k must be less than or equal to the number of training points"
            raise DataError(
                format_message("KDTree", requirement, actual=f"got k={k} with {count(len(self._data), 'row')}")
            )
        queries = np.asarray(self.metric.prepare(point), dtype=np.float64)
        return self.textbook.search(self._rows, queries, k, self.metric, self._threads)

    def show_build(self) -> Any:
        """The working of the textbooks' tree: at each node the values, their median, and which rows go where.

        Returns
        -------
        pellucid.working.Working
        """
        return self._show("build")

    def show_query(self, x: Any, k: int = 1) -> Any:
        """The working of one search in the textbooks' tree: branches visited with their bounds, and distances.

        Returns
        -------
        pellucid.working.Working
        """
        return self._show("query", x, k)

    def _show(self, method: str, *asked: Any) -> Any:
        working = import_module("pellucid.working").Working(f"KDTree: {method}")
        import_module("pellucid.working.entry").written_for(self, method)(working, self, *asked)
        return working

    def column_names(self) -> list[str]:
        """The columns' own names, or x1, x2, ..."""
        names = self._schema.names
        return [str(name) for name in names] if names is not None else [f"x{j + 1}" for j in range(self.data.shape[1])]
