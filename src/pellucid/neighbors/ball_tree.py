"""Nearest rows by balls within balls."""

from __future__ import annotations

from typing import Any, ClassVar

from pellucid.models.neighbors.ball_tree import BallTreeIndex
from pellucid.models.neighbors.tree_index import TreeIndex
from pellucid.neighbors._tree_of_points import TreeOfPoints

__all__ = ["BallTree"]


class BallTree(TreeOfPoints):
    """Finds the rows nearest to a point, for every distance that knows no short cuts.

    A branch is a center c and a radius r that holds all its rows. A distance with the triangle inequality,
    ``d(x, z) >= d(x, c) - d(c, z)``, cannot bring a row of it nearer to the query x than

    ``d(x, c) - r``

    and a branch is looked into only if this is not more than the distance of the k-th nearest row found so far. Rows
    are parted by which of two far rows they are nearer to, so the tree needs nothing of the rows but their distances.
    Answers are those of comparing with every row, to the last bit: among rows equally far the one with the smaller
    number comes first. `query` with ``eps`` or ``most_leaves`` searches approximately.

    In few columns and for distances by coordinates `KDTree` is faster; in very many columns nothing beats comparing
    with all rows (`NearestNeighbors` with ``algorithm="brute"``).

    Parameters
    ----------
    X : table of numbers, one row a point
    leaf_size : most rows of a leaf, for speed and memory alone; leaves come in panels of eight rows, of which no more
        are taken than suits the columns
    metric : one of `valid_metrics`; "haversine" takes latitude and longitude in radians
    sample_weight : weights of the rows, for `kernel_density` alone
    n_jobs : threads; None takes all
    **metric_params : settings of the metric, such as p of "minkowski"

    Attributes
    ----------
    data : the rows
    valid_metrics : names of the metrics that fit

    Examples
    --------
    >>> import numpy as np
    >>> tree = BallTree([[0, 0], [0, np.pi / 2]], metric="haversine")
    >>> distances, rows = tree.query([[0, np.pi / 3]])  # 60 degrees along the equator: 30 from the second
    >>> rows
    array([[1]])
    >>> np.degrees(distances).round(6)
    array([[30.]])

    Notes
    -----
    scikit-learn's "braycurtis" has no triangle inequality and is refused here; its distances of true and false values
    other than Jaccard's are left to brute force. Jaccard's counts unequal values that are not 0, as scipy does.

    References
    ----------
    Omohundro (1989), Five balltree construction algorithms.
    """

    index_class: ClassVar[type[TreeIndex]] = BallTreeIndex
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
        "hamming",
        "canberra",
        "jaccard",
        "haversine",
    ]

    def __init__(
        self,
        X: Any,
        leaf_size: int = 40,
        metric: str = "minkowski",
        sample_weight: Any = None,
        *,
        n_jobs: int | None = None,
        **metric_params: Any,
    ) -> None:
        super().__init__(X, leaf_size, metric, sample_weight, n_jobs=n_jobs, **metric_params)
        self._build()
