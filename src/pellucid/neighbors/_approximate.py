"""What estimators of approximate neighbours share: the questions, and how many of the true neighbours they find."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
import scipy.sparse
from sklearn.callback import with_callbacks

from pellucid.base.declare import param
from pellucid.base.errors import DataError, ParameterError, PellucidWarning, sentence, warn
from pellucid.base.randomness import seed_from
from pellucid.base.types import Array
from pellucid.data.design import Design
from pellucid.estimator.estimator import Estimator
from pellucid.estimator.trace import Trace
from pellucid.neighbors._neighbours import as_arrays, check_mode, without_itself
from pellucid.neighbors._scales import warn_unscaled
from pellucid.parts.neighbours.brute import BruteIndex
from pellucid.parts.neighbours.index import Found, Neighbourhoods
from pellucid.parts.neighbours.metric import Metric
from pellucid.parts.neighbours.recall import recall_of, sampled


class ApproximateNeighbours(Estimator):
    """Keeps rows in an index that may miss neighbours, and says how many. A subclass writes `_build`."""

    n_neighbors: int = param(default=5, low=1, kw_only=False, doc="How many neighbours `kneighbors` gives unless told.")
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
            found = f"{measured:.3f} of the neighbours of sampled rows are found at most; recall={self.recall:g}"
            warn(sentence(d.who, "the recall that is asked for must be in reach", found, self._cure), PellucidWarning)

    _cure = "ask for less"

    @property
    def _distance(self) -> Metric:
        return Metric(self.metric)

    # -------------------------------------------------------------------------------------------------------- questions

    def kneighbors(self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """The k nearest fitted rows that are found, nearest first; of rows at equal distances the earlier.

        Parameters
        ----------
        X : table, optional
            The rows that are asked about; None for the fitted rows, where a row is not its own neighbour.
        n_neighbors : int, optional
            How many; the parameter unless told.
        return_distance : bool
            Distances too?

        Returns
        -------
        (distances, rows), queries x k each; or the rows alone
        """
        rows, own = self._asked(X)
        found = self._nearest(rows, own, self._checked_k(n_neighbors, own is not None))
        numbers = found.rows.astype(np.intp)
        return (found.distances, numbers) if return_distance else numbers

    def kneighbors_graph(self, X: Any = None, n_neighbors: int | None = None, mode: str = "connectivity") -> Any:
        """The k nearest fitted rows that are found as a sparse matrix, queries x fitted rows.

        Parameters
        ----------
        X, n_neighbors : as in `kneighbors`
        mode : 'connectivity' for ones, 'distance' for distances

        Returns
        -------
        scipy.sparse.csr_matrix
        """
        check_mode(mode, type(self).__name__)
        rows, own = self._asked(X)
        k = self._checked_k(n_neighbors, own is not None)
        found = self._nearest(rows, own, k)
        values = found.distances.ravel() if mode == "distance" else np.ones(found.rows.size)
        starts = np.arange(0, found.rows.size + 1, k)
        shape = (found.rows.shape[0], self.n_samples_fit_)
        return scipy.sparse.csr_matrix((values, found.rows.ravel(), starts), shape=shape)

    def radius_neighbors(self, X: Any = None, radius: float | None = None, return_distance: bool = True) -> Any:
        """The fitted rows that are found within a radius of each row, nearest first.

        Parameters
        ----------
        X : table, optional
            The rows that are asked about; None for the fitted rows, where a row is not its own neighbour.
        radius : float, optional
            How far; the parameter unless told.
        return_distance : bool
            Distances too?

        Returns
        -------
        (distances, rows), an array of arrays each, one a query; or the rows alone
        """
        rows, own = self._asked(X)
        found = self._within(rows, own, self._checked_radius(radius))
        numbers = as_arrays(found.rows.astype(np.intp), found.starts)
        return (as_arrays(found.distances, found.starts), numbers) if return_distance else numbers

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
        rows, own = self._asked(X)
        k = self._checked_k(n_neighbors, own is not None)
        chosen = self._sampled(rows.shape[0], sample)
        asked, own = rows[chosen], None if own is None else own[chosen]
        truth = self._apart(BruteIndex(self.index_.source, self._distance), asked, own, k)
        return float(recall_of(self._apart(self.index_, asked, own, k), truth).mean())

    # ---------------------------------------------------------------------------------------------------------- inside

    def _asked(self, X: Any) -> tuple[Any, Array | None]:
        """Rows that are asked about, and their numbers if they are the fitted ones."""
        self._check_fitted()
        if X is None:
            return self.index_.source, np.arange(self.n_samples_fit_)
        return self._later(X).numbers, None

    def _nearest(self, rows: Any, own: Array | None, k: int) -> Found:
        return self._apart(self.index_, rows, own, k)

    def _apart(self, index: Any, rows: Any, own: Array | None, k: int) -> Found:
        """The k nearest rows by an index, without the row itself."""
        if own is None:
            return Found(*index.nearest(rows, k, self._threads))
        return without_itself(Found(*index.nearest(rows, k + 1, self._threads)), own)

    def _within(self, rows: Any, own: Array | None, radius: float) -> Neighbourhoods:
        found = self.index_.within(rows, radius, self._threads)
        if own is None:
            return Neighbourhoods(*found)
        query = np.repeat(np.arange(len(own)), np.diff(found.starts))
        keep = found.rows != own[query]
        starts = np.append(0, np.cumsum(np.bincount(query[keep], minlength=len(own)))).astype(np.int64)
        return Neighbourhoods(starts, found.distances[keep], found.rows[keep])

    def _checked_k(self, n_neighbors: Any, own: bool) -> int:
        who, n = type(self).__name__, self.n_samples_fit_
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        if not isinstance(k, (int, np.integer)) or isinstance(k, bool) or k < 1:
            raise ParameterError(sentence(who, "n_neighbors must be a whole number of at least 1", f"got {k!r}"))
        if k > n - own:
            must = f"n_neighbors must be at most {'the number of other rows' if own else 'n_samples_fit'}"
            found = f"n_neighbors = {k}, n_samples_fit = {n}"
            raise DataError(sentence(who, must, found, "ask for fewer neighbours"))
        return int(k)

    def _checked_radius(self, radius: Any) -> float:
        radius = self.radius if radius is None else radius
        if not isinstance(radius, (int, float, np.number)) or isinstance(radius, bool) or not radius >= 0:
            must = "radius must be a number of at least 0"
            raise ParameterError(sentence(type(self).__name__, must, f"got {radius!r}"))
        return float(radius)

    def _sampled(self, n: int, sample: Any) -> Array:
        if sample is None:
            return np.arange(n)
        if not isinstance(sample, (int, np.integer)) or isinstance(sample, bool) or sample < 1:
            must = "sample must be a whole number of at least 1 or None"
            raise ParameterError(sentence(type(self).__name__, must, f"got {sample!r}"))
        return sampled(n, int(sample), seed_from(self.random_state))
