"""Numbers from the k nearest rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.callback import with_callbacks

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design
from pellucid.estimator.roles import Regressor
from pellucid.estimator.trace import Trace
from pellucid.neighbors._predictors import KPredictor, Predictor
from pellucid.neighbors._votes import AVERAGES, Lists, votes_of

__all__ = ["KNeighborsRegressor"]


class Averaging(Predictor, Regressor):
    """Averages the targets of neighbors."""

    average: Literal["mean", "median"] = param(
        default="mean",
        doc="The mean of the neighbors' targets, or their median, which one odd neighbor cannot pull away: the value "
        "at which half of the weight is reached.",
    )

    def _keep_target(self, y: Floats, d: Design) -> None:
        self._y_ = np.array(y, dtype=np.float64, order="C")
        self._y_is_vector_ = d.y_is_vector

    def _averages(self, neighbors: Lists, stations: Any = None) -> Floats:
        """Stations x queries x targets; NaN where there is no neighbor."""
        votes = votes_of(neighbors, self.weights, type(self).__name__, self._row_weight_, stations)
        return _core.neighbor_averages(votes, self._y_, AVERAGES[self.average], self._threads)

    def _shaped(self, averages: Floats) -> Floats:
        return averages[:, 0] if self._y_is_vector_ else averages


class KNeighborsRegressor(KPredictor, Averaging):
    """Predicts the mean, or the median, of the targets of the k nearest rows.

    ``f(x) = sum w_i y_i / sum w_i``  over the k nearest rows i, with w = 1, 1/d or 1/d² for a neighbor at distance d.
    The median is the y at which half of the weight is reached; where exactly half lies below, the middle between it and
    the next: with equal weights, the plain median.

    The curve is a step function with equal weights, and runs through every fitted row with 1/d and 1/d². It stays
    within the range of the neighbors' targets, so it does not extrapolate: prefer a linear model there. Small k follow
    noise, large k flatten; a search over k costs about one search for the largest. Columns should be on one scale.

    Rows at equal distances count in the order of the table, so that exactly k count; with ``include_equal`` all that
    are as near as the k-th do.

    Attributes
    ----------
    index_, algorithm_, distance_ : the rows, arranged for the search; which kind of index; the distance
    effective_metric_, effective_metric_params_ : scikit-learn's name of the distance and its parameters
    n_samples_fit_ : number of fitted rows
    sample_indices_ : numbers of the rows drawn, with `max_samples`

    Examples
    --------
    The three rows nearest to 4 have the targets 10, 20 and 60, at distances 1, 2 and 2:

    >>> from pellucid.neighbors import KNeighborsRegressor
    >>> X, y = [[1], [2], [5], [6], [9]], [70, 20, 10, 60, 90]
    >>> KNeighborsRegressor(n_neighbors=3).fit(X, y).predict([[4]])
    array([30.])
    >>> KNeighborsRegressor(3, weights="distance").fit(X, y).predict([[4]])  # (10 + 20/2 + 60/2) / 2
    array([25.])
    >>> KNeighborsRegressor(3, average="median").fit(X, y).predict([[4]])
    array([20.])

    Notes
    -----
    `predict(None)` predicts the fitted rows, each from the others: leave-one-out in one call. Beyond scikit-learn:
    `average`, weights 1/d², `include_equal`, `max_samples`, Gower's and edit distances.
    """

    shared_methods: ClassVar[tuple[str, ...]] = ("predict",)

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any) -> Self:
        """Keeps the rows of a table and their targets.

        Parameters
        ----------
        X : table of n rows and p columns
            pandas, polars or pyarrow table, NumPy array, sparse matrix, or list of rows; n x n distances for
            ``metric="precomputed"``, texts for edit distances.
        y : n numbers, or n x t numbers
            The target.

        Returns
        -------
        self
        """
        self._run_fit(X, y, None)
        return self

    def _fit(self, d: Design, trace: Trace) -> None:
        self._refuse_weight(d)
        self._fit_rows(d, None)

    def _predict(self, d: Design) -> Array:
        k = self._checked_k(None, d)
        return self._shaped(self._in_parts(d, k, lambda queries: self._averages(self._lists(queries, k))[0]))

    def _answers(self, method: str, d: Design, counts: Sequence[int]) -> list[Array]:
        max_count = counts[-1]
        averages = self._in_parts(
            d, max_count, lambda queries: self._averages(self._nearest(queries, max_count), counts).swapaxes(0, 1)
        )
        return [np.ascontiguousarray(self._shaped(averages[:, a])) for a in range(len(counts))]
