"""Outliers by distance: rows that have hardly any others within a radius."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from pellucid.base.declare import param
from pellucid.base.errors import DataError, format_message
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, InputSpec
from pellucid.estimator.outlier_detector import OutlierDetector
from pellucid.estimator.trace import Trace
from pellucid.outliers._index import asked_of, built, check_metric, counted, joined

__all__ = ["DistanceOutliers"]


class DistanceOutliers(OutlierDetector):
    """Finds rows that have no more than a small share of the others near them.

    With a radius r and a share π, row o of a table D is an outlier if

        #{o' ≠ o : d(o, o') <= r} / |D|  <=  π

    that is, if at most π of all rows lie within r of it. The count is exact, by brute force or in a tree.

    One radius holds for the whole table, so it finds rows that are far from everything (global outliers). A row beside
    a dense group, which is odd only there, has enough neighbors within r: prefer `LocalOutlierFactor` for such local
    outliers. Outliers that lie within r of each other form a region (``regions_``). r is in the unit of the distance:
    columns should be on one scale. Sparse tables are taken; missing values are refused, and there are no weights.

    Attributes
    ----------
    counts_ : array of n whole numbers
        How many other rows lie within the radius of each fitted row.
    shares_ : array of n numbers
        The same over the number of rows.
    offset_ : the smallest share, in whole rows, with which a row is no outlier
    regions_ : array of n whole numbers
        The number of the region of each outlier among the fitted rows, from 0; -1 for all other rows.
    n_samples_fit_ : number of fitted rows
    index_ : the rows, arranged for the search
    effective_metric_ : name of the distance as it is used
    n_features_in_, feature_names_in_ : as in every estimator

    Notes
    -----
    A new row is judged by the fitted ones. If one of these coincides with it, it is taken for the row itself and does
    not count, so that `predict` says of the rows of the fit what `fit_predict` says. scikit-learn has no such detector.

    References
    ----------
    Knorr and Ng, "Algorithms for mining distance-based outliers in large datasets", 1998.

    Examples
    --------
    >>> from pellucid.outliers import DistanceOutliers
    >>> model = DistanceOutliers(radius=1.5, share=0.2)
    >>> model.fit_predict([[0], [1], [2], [3], [9]]).tolist()
    [-1, 1, 1, -1, -1]
    >>> model.counts_.tolist()  # of 5 rows a share of 0.2 is one
    [1, 2, 2, 1, 0]
    >>> model.regions_.tolist()  # 0 and 3 lie further than 1.5 apart
    [0, -1, -1, 1, 2]
    """

    radius: float = param(
        default=1.0, low=0, low_open=True, kw_only=False, doc="How far away a row counts as near, r; the bound is in."
    )
    share: float = param(
        default=0.05,
        low=0,
        high=1,
        kw_only=False,
        doc="With at most this share of all rows near it, a row is an outlier, π.",
    )
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
    algorithm: Literal["auto", "brute", "kd_tree", "ball_tree"] = param(
        default="auto", doc="How neighbors are found: all are exact and give the same bits; 'auto' takes the fastest."
    )
    leaf_size: int = param(default=30, low=1, doc="Rows in a leaf of a tree: speed and memory, not the answer.")
    n_jobs: int | None = param(
        default=None, doc="Threads: None or -1 for all available cores. Their number changes no bit of the result."
    )

    input_spec = InputSpec(sparse=True)
    calls_blas = False

    def _fit(self, d: Design, trace: Trace) -> None:
        if d.n_rows < 2:
            raise DataError(format_message(d.who, "a row is compared with others", actual=f"n_samples = {d.n_rows}"))
        self.n_samples_fit_ = d.n_rows
        self.index_ = built(d, self.metric, self.p, self.metric_params, self.algorithm, self.leaf_size)
        self.effective_metric_ = str(self.index_.metric.kind)
        within, _ = counted(self.index_, self.index_.source, float(self.radius), self._threads)
        self.counts_: Array = within - 1  # a row is near itself
        self.shares_: Floats = self.counts_ / d.n_rows
        self.offset_ = _first_above(float(self.share), d.n_rows)
        outliers = np.flatnonzero(self.shares_ < self.offset_)
        self.regions_: Array = np.full(d.n_rows, -1)
        if len(outliers):
            self.regions_[outliers] = joined(self.index_, outliers, float(self.radius), self._threads)

    def _scores(self, d: Design) -> Floats:
        within, doubles = counted(self.index_, asked_of(self.index_, d), float(self.radius), self._threads)
        return np.asarray((within - doubles) / self.n_samples_fit_)

    def _own_scores(self, X: Any) -> Floats:
        return self.shares_


def _first_above(share: float, n: int) -> float:
    """The smallest number of rows, over n, that is more than the share."""
    m = int(share * n)
    while m / n <= share:
        m += 1
    while m > 0 and (m - 1) / n > share:
        m -= 1
    return m / n
