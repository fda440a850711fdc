"""The local outlier factor: how much thinner the rows are around a row than around its neighbors."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from sklearn.utils.metaestimators import available_if

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.errors import DataError, PellucidWarning, format_message, warn
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, InputSpec
from pellucid.estimator.outlier_detector import OutlierDetector, share_below
from pellucid.estimator.trace import Trace
from pellucid.models.neighbors.index import Neighborhoods
from pellucid.outliers._index import asked_of, built, check_metric, lists

__all__ = ["LocalOutlierFactor"]

# Where k rows or more coincide, their mean reachability counts as this share of the largest k-distance.
_TOGETHER = 1e-10
_USUAL = -1.5  # a factor beyond 1.5 is an outlier unless told


def _is_novelty(model: Any) -> bool:
    """Are rows other than those of the fit asked about? Else scikit-learn's words say what to do."""
    if model.novelty:
        return True
    raise AttributeError(
        "predict, decision_function and score_samples are not available when novelty=False: use fit_predict and "
        "negative_outlier_factor_ for the rows of the fit, or novelty=True for new rows"
    )


class LocalOutlierFactor(OutlierDetector):
    """Finds rows around which it is much thinner than around their neighbors, whatever the density elsewhere.

    With N(a) the k nearest rows of a, d the distance and kd(b) the distance of row b to its k-th neighbor,

        reach(a, b) = max(kd(b), d(a, b))                    the reachability distance, which is not symmetric
        lrd(a)      = 1 / mean of reach(a, b) over N(a)      the local reachability density
        LOF(a)      = mean of lrd(b) / lrd(a) over N(a)      the local outlier factor

    About 1: as dense as its neighbors; below: denser; much above: an outlier. A row that is near a dense group and
    not in it gets a high factor though a row of a sparse group, as far from its neighbors, does not: that is what a
    rule with one radius for all, such as `DistanceOutliers`, cannot tell.

    k (``n_neighbors``) is the size of the smallest group that is not made of outliers: 10 to 50 as a rule. Distances
    add columns up, so these should be on one scale. Neighbors come from an exact search (brute force or a tree, the
    same bits). Sparse tables are taken; missing values are refused, and there are no weights.

    ``novelty=True`` is for new rows: fit to rows without outliers, then `predict`, `decision_function` and
    `score_samples` of others. With ``novelty=False`` only the rows of the fit are judged, by `fit_predict`.

    Attributes
    ----------
    negative_outlier_factor_ : array of n numbers
        Minus the factor of each fitted row: the lower, the more of an outlier.
    offset_ : below it a row is an outlier: -1.5, or what ``contamination`` asks for
    k_distance_ : array of n numbers
        Distance of each fitted row to its k-th neighbor.
    local_reachability_density_ : array of n numbers
    n_neighborhood_ : array of n whole numbers
        How many neighbors each row has: k, or more with ``include_equal``.
    n_neighbors_ : k, at most one less than the rows
    n_samples_fit_ : number of fitted rows
    index_ : the rows, arranged for the search
    effective_metric_ : name of the distance as it is used
    n_features_in_, feature_names_in_ : as in every estimator

    Notes
    -----
    The definition counts among N(a) every row within the k-distance, which may be more than k: ``include_equal=True``.
    By default exactly k count, in the order of the table, as in scikit-learn. Where k rows coincide their density is
    bounded by 1e10 over the largest k-distance; scikit-learn adds 1e-10 to every mean, which depends on the unit.

    References
    ----------
    Breunig, Kriegel, Ng and Sander, "LOF: identifying density-based local outliers", 2000.

    Examples
    --------
    Three rows one apart and a fourth far off, k = 2; its mean reachability is 8.5, that of the others 1.5 and 2:

    >>> from pellucid.outliers import LocalOutlierFactor
    >>> model = LocalOutlierFactor(n_neighbors=2)
    >>> model.fit_predict([[0], [1], [2], [10]]).tolist()
    [1, 1, 1, -1]
    >>> model.k_distance_.tolist()
    [2.0, 1.0, 2.0, 9.0]
    >>> model.local_reachability_density_.round(4).tolist()  # 1/1.5, 1/2, 1/1.5, 1/8.5
    [0.6667, 0.5, 0.6667, 0.1176]
    >>> (-model.negative_outlier_factor_).round(4).tolist()
    [0.875, 1.3333, 0.875, 4.9583]
    """

    n_neighbors: int = param(default=20, low=1, kw_only=False, doc="How many neighbors, k; at most all other rows.")
    algorithm: Literal["auto", "brute", "kd_tree", "ball_tree"] = param(
        default="auto", doc="How neighbors are found: all are exact and give the same bits; 'auto' takes the fastest."
    )
    leaf_size: int = param(default=30, low=1, doc="Rows in a leaf of a tree: speed and memory, not the answer.")
    metric: str = param(
        default="minkowski",
        check=check_metric,
        doc="The distance: 'minkowski' (with p), 'euclidean', 'manhattan', 'chebyshev', 'cosine', 'hamming', "
        "'jaccard', 'tanimoto', 'canberra', 'braycurtis', 'haversine', 'seuclidean' or 'mahalanobis'.",
    )
    p: float | None = param(
        default=2, low=0, low_open=True, doc="Power of Minkowski's distance: 1 Manhattan, 2 Euclid."
    )
    metric_params: dict | None = param(  # type: ignore[type-arg]
        default=None, doc="More about the distance: w for 'minkowski', V or VI for 'mahalanobis', V for 'seuclidean'."
    )
    contamination: float | Literal["auto"] = param(
        default="auto",
        low=0,
        low_open=True,
        high=0.5,
        doc="Share of the fitted rows that are outliers; 'auto': those with a factor above 1.5.",
    )
    novelty: bool = param(default=False, doc="Are new rows asked about? Else only those of the fit.")
    include_equal: bool = param(
        default=False, doc="Do all rows count that are as near as the k-th neighbor? Else the first k in the table."
    )
    n_jobs: int | None = param(
        default=None, doc="Threads: None or -1 for all available cores. Their number changes no bit of the result."
    )

    input_spec = InputSpec(sparse=True)
    calls_blas = False

    # -------------------------------------------------------------------------------------------------------- fitting

    def _fit(self, d: Design, trace: Trace) -> None:
        if d.n_rows < 2:
            raise DataError(
                format_message(d.who, "a row needs another one as its neighbor", actual=f"n_samples = {d.n_rows}")
            )
        if self.n_neighbors > d.n_rows:
            requirement = "n_neighbors should be less than the number of rows"
            actual = (
                f"n_neighbors ({self.n_neighbors}) is greater than n_samples ({d.n_rows}): all other rows are taken"
            )
            warn(format_message(d.who, requirement, actual=actual), PellucidWarning)
        self.n_neighbors_ = min(self.n_neighbors, d.n_rows - 1)
        self.n_samples_fit_ = d.n_rows
        self.index_ = built(d, self.metric, self.p, self.metric_params, self.algorithm, self.leaf_size)
        self.effective_metric_ = str(self.index_.metric.kind)
        near = self._near(None)
        self._check_reach(d, near)
        self.k_distance_: Floats = near.distances[near.starts[:-1] + self.n_neighbors_ - 1]
        self.n_neighborhood_: Array = np.diff(near.starts)
        self.local_reachability_density_: Floats = self._densities(near)
        own = self.local_reachability_density_
        self.negative_outlier_factor_: Floats = -_core.outlier_factors(*near, own, own, self._threads)
        shared = self.contamination
        self.offset_ = _USUAL if isinstance(shared, str) else share_below(self.negative_outlier_factor_, float(shared))

    def _near(self, d: Design | None) -> Neighborhoods:
        """The neighbors of the rows of a later table, or of the fitted ones."""
        asked = None if d is None else asked_of(self.index_, d)
        return lists(self.index_, asked, self.n_neighbors_, self.include_equal, self._threads)

    def _check_reach(self, d: Design, near: Neighborhoods) -> None:
        if not np.isfinite(near.distances).all():
            requirement, hint = "distances must fit into 64-bit floats", "divide the columns by a constant before"
            raise DataError(format_message(d.who, requirement, actual="some rows lie too far apart", hint=hint))

    def _densities(self, near: Neighborhoods) -> Floats:
        most = float(self.k_distance_.max())
        least = _TOGETHER * most if most > 0 else 1.0
        return _core.local_densities(*near, self.k_distance_, least, self._threads)

    # -------------------------------------------------------------------------------------------------------- answers

    def _scores(self, d: Design) -> Floats:
        near = self._near(d)
        own = self._densities(near)
        return -_core.outlier_factors(*near, own, self.local_reachability_density_, self._threads)

    def _own_scores(self, X: Any) -> Floats:
        return self.negative_outlier_factor_

    @available_if(_is_novelty)  # type: ignore[untyped-decorator]
    def score_samples(self, X: Any) -> Array:
        """Minus the factor of each new row among the fitted ones; with ``novelty=True``."""
        d = self._validate_predict(X)
        return self._scores(d).astype(d.dtype, copy=False)

    @available_if(_is_novelty)  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Array:
        """`score_samples` less ``offset_``: below zero for an outlier; with ``novelty=True``."""
        d = self._validate_predict(X)
        return (self._scores(d) - self.offset_).astype(d.dtype, copy=False)

    @available_if(_is_novelty)  # type: ignore[untyped-decorator]
    def predict(self, X: Any) -> Array:
        """-1 for a new row that is an outlier among the fitted ones, else 1; with ``novelty=True``."""
        return super().predict(X)

    @available_if(lambda model: not model.novelty)  # type: ignore[untyped-decorator]
    def fit_predict(self, X: Any, y: Any = None) -> Array:
        """Which rows of a table are outliers among the others: -1, and 1 for any other; with ``novelty=False``.

        Parameters
        ----------
        X : table of n rows and p columns
        y : not looked at
        """
        return super().fit_predict(X)
