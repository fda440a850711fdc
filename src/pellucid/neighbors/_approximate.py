"""What estimators of approximate neighbors share: the questions, and how many of the true neighbors they find."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
import scipy.sparse
from sklearn.callback import with_callbacks

from pellucid.base.declare import param
from pellucid.base.errors import ParameterError, PellucidWarning, format_message, warn
from pellucid.base.randomness import seed_from
from pellucid.base.types import Array
from pellucid.data.design import Design
from pellucid.estimator.trace import Trace
from pellucid.models.neighbors.brute import BruteIndex
from pellucid.models.neighbors.index import Found, Neighborhoods
from pellucid.models.neighbors.metric import Metric
from pellucid.models.neighbors.recall import recall_of, sampled
from pellucid.neighbors._questions import (
    AskedForNearest,
    AskedForWithin,
    OwnRows,
    Queries,
    without_itself,
    without_own,
)
from pellucid.neighbors._scales import warn_unscaled


class ApproximateNeighbors(AskedForNearest, AskedForWithin):
    """Keeps rows in an index that may miss neighbors, and says how many. A subclass writes `_build`."""

    n_neighbors: int = param(default=5, low=1, kw_only=False, doc="How many neighbors `kneighbors` gives unless told.")
    radius: float = param(default=1.0, low=0, doc="How far `radius_neighbors` looks unless told; the bound is in.")
    metric: Literal["euclidean", "cosine"] = param(
        default="euclidean",
        doc="The distance: 'euclidean', or 'cosine' (1 less the cosine of the angle; 1 for a row of zeros).",
    )
    recall: float = param(
        default=0.95,
        low=0,
        low_open=True,
        high=1,
        doc="Share of the true n_neighbors nearest that are to be found; `fit` measures on rows of the table how hard "
        "to look for that.",
    )
    random_state: int | np.random.RandomState | None = param(
        default=0, doc="Of what is drawn; a number gives the same index each time."
    )
    n_jobs: int | None = param(default=None, doc="Threads; None for all cores. It changes no bit of the answer.")

    def _build(self, rows: Any, settings: dict[str, Any]) -> Any:
        raise TypeError(f"{type(self).__name__} must write _build")

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any = None) -> Self:
        """Puts the rows of a table into an index.

        Parameters
        ----------
        X : table of n rows and p columns
            pandas, polars or pyarrow table, NumPy array, or list of rows.
        y : not looked at
            There for scikit-learn's sake.

        Returns
        -------
        self
        """
        self._run_fit(X, None, None)
        return self

    def _fit(self, d: Design, trace: Trace) -> None:
        if self.metric == "euclidean":
            warn_unscaled(d, d.who, self._threads)
        rows = d.numbers.copy() if scipy.sparse.issparse(d.numbers) else np.array(d.numbers, order="C", copy=True)
        self.n_samples_fit_ = int(rows.shape[0])
        self.effective_metric_ = self.metric
        settings = {
            "recall": float(self.recall),
            "k": int(self.n_neighbors),
            "seed": seed_from(self.random_state),
            "threads": self._threads,
            "who": d.who,
        }
        self.index_: Any = self._build(rows, settings)
        measured = self.index_.measured
        self.recall_: float | None = measured
        if measured is not None and measured < self.recall:
            actual = f"{measured:.3f} of the neighbors of sampled rows are found at most; recall={self.recall:g}"
            warn(
                format_message(d.who, "the recall that is asked for must be in reach", actual=actual, hint=self._cure),
                PellucidWarning,
            )

    _cure = "ask for less"

    @property
    def _distance(self) -> Metric:
        return Metric(self.metric)

    # -------------------------------------------------------------------------------------------------------- questions

    def measured_recall(self, X: Any = None, n_neighbors: int | None = None, sample: int | None = 1000) -> float:
        """The share of the true nearest rows that `kneighbors` finds, by comparison with all rows.

        Parameters
        ----------
        X : table, optional
            The rows that are asked about; None for fitted rows, without themselves.
        n_neighbors : int, optional
            How many; the parameter unless told.
        sample : int or None
            The number of rows of X that are looked at, spread over the table; None for all.

        Returns
        -------
        float : 1 if nothing is missed
        """
        d = self._validate_predict(X)
        k = self._checked_k(n_neighbors, d)
        queries = self._queries(d)
        queries = queries.take(self._sampled(queries.n, sample))
        truth = self._found(BruteIndex(self.index_.source, self._distance), queries, k)
        return float(recall_of(self._nearest(queries, k), truth).mean())

    # ---------------------------------------------------------------------------------------------------------- inside

    def _queries(self, d: Design) -> Queries:
        if isinstance(d, OwnRows):
            return Queries(self.index_.source, self.n_samples_fit_, np.arange(self.n_samples_fit_))
        return Queries(d.numbers, d.n_rows)

    def _nearest(self, queries: Queries, k: int) -> Found:
        return self._found(self.index_, queries, k)

    def _found(self, index: Any, queries: Queries, k: int) -> Found:
        """The k nearest rows by an index, without the row itself."""
        if queries.own is None:
            return Found(*index.nearest(queries.rows, k, self._threads))
        return without_itself(Found(*index.nearest(queries.rows, k + 1, self._threads)), queries.own)

    def _within(self, queries: Queries, radius: float) -> Neighborhoods:
        return without_own(Neighborhoods(*self.index_.within(queries.rows, radius, self._threads)), queries)

    def _sampled(self, n: int, sample: Any) -> Array:
        if sample is None:
            return np.arange(n)
        if not isinstance(sample, (int, np.integer)) or isinstance(sample, bool) or sample < 1:
            requirement = "sample must be a whole number of at least 1 or None"
            raise ParameterError(format_message(type(self).__name__, requirement, actual=f"got {sample!r}"))
        return sampled(n, int(sample), seed_from(self.random_state))
