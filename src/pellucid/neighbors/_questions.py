"""Questions to an index of rows, and what is checked before: the same for every estimator that has one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse

from pellucid.base.errors import DataError, ParameterError, format_message
from pellucid.base.types import Array, Flags
from pellucid.data.design import Design
from pellucid.estimator.estimator import Estimator
from pellucid.models.neighbors.index import Found, Neighborhoods


class OwnRows(Design):
    """The fitted rows as queries; a row is not its own neighbor."""


@dataclass
class Queries:
    """Rows that are asked about; `own`: their numbers among the fitted rows, where they are some of them."""

    rows: Any
    n: int
    own: Array | None = None

    def take(self, indices: Array) -> Queries:
        """Some of them."""
        return Queries(self.rows[indices], len(indices), None if self.own is None else self.own[indices])


class Asked(Estimator):
    """An estimator with an index of rows. A subclass writes `_queries`, `_nearest` and `_within`."""

    def _validate_predict(self, X: Any) -> Design:
        if X is not None:
            return super()._validate_predict(X)
        self._check_fitted()
        n, columns = self.n_samples_fit_, self.n_features_in_
        return OwnRows(type(self).__name__, None, self.schema_, n, columns, np.dtype(float), None, None)  # type: ignore[arg-type]

    def _queries(self, d: Design) -> Queries:
        raise TypeError(f"{type(self).__name__} must write _queries")

    def _nearest(self, queries: Queries, k: int) -> Found:
        raise TypeError(f"{type(self).__name__} must write _nearest")

    def _within(self, queries: Queries, radius: float) -> Neighborhoods:
        raise TypeError(f"{type(self).__name__} must write _within")


class AskedForNearest(Asked):
    """Answers with the k nearest rows."""

    def kneighbors(self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """The k nearest fitted rows of each row, nearest first; of rows at equal distances the earlier.

        Parameters
        ----------
        X : table, optional
            The rows that are asked about; None for the fitted rows, where a row is not its own neighbor.
        n_neighbors : int, optional
            How many; the parameter unless told.
        return_distance : bool
            Distances too?

        Returns
        -------
        (distances, rows), queries x k each; or the rows alone
        """
        d = self._validate_predict(X)
        neighbors = self._nearest(self._queries(d), self._checked_k(n_neighbors, d))
        rows = neighbors.rows.astype(np.intp)
        return (neighbors.distances, rows) if return_distance else rows

    def kneighbors_graph(self, X: Any = None, n_neighbors: int | None = None, mode: str = "connectivity") -> Any:
        """The k nearest fitted rows of each row as a sparse matrix, queries x fitted rows.

        Parameters
        ----------
        X, n_neighbors : as in `kneighbors`
        mode : 'connectivity' for ones, 'distance' for distances

        Returns
        -------
        scipy.sparse.csr_matrix
        """
        check_mode(mode, type(self).__name__)
        d = self._validate_predict(X)
        k = self._checked_k(n_neighbors, d)
        neighbors = self._nearest(self._queries(d), k)
        values = neighbors.distances.ravel() if mode == "distance" else np.ones(neighbors.rows.size)
        starts = np.arange(0, neighbors.rows.size + 1, k)
        return scipy.sparse.csr_matrix((values, neighbors.rows.ravel(), starts), shape=(d.n_rows, self.n_samples_fit_))

    def _checked_k(self, n_neighbors: Any, d: Design) -> int:
        """A number of neighbors that there are."""
        who, n, own = type(self).__name__, self.n_samples_fit_, isinstance(d, OwnRows)
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        if not isinstance(k, (int, np.integer)) or isinstance(k, bool) or k < 1:
            raise ParameterError(
                format_message(who, "n_neighbors must be a whole number of at least 1", actual=f"got {k!r}")
            )
        if k > n - own:
            requirement = (
                "n_neighbors must be at most the number of other rows"
                if own
                else "n_neighbors must be at most n_samples_fit"
            )
            sign = "<" if own else "<="
            actual = f"Expected n_neighbors {sign} n_samples_fit, but n_neighbors = {k}, n_samples_fit = {n}, "
            raise DataError(
                format_message(
                    who, requirement, actual=actual + f"n_samples = {d.n_rows}", hint="ask for fewer neighbors"
                )
            )
        return int(k)


class AskedForWithin(Asked):
    """Answers with all rows within a radius."""

    def radius_neighbors(
        self, X: Any = None, radius: float | None = None, return_distance: bool = True, sort_results: bool = False
    ) -> Any:
        """All fitted rows within a radius of each row, nearest first.

        Parameters
        ----------
        X : table, optional
            The rows that are asked about; None for the fitted rows, where a row is not its own neighbor.
        radius : float, optional
            How far; the parameter unless told.
        return_distance : bool
            Distances too?
        sort_results : bool
            Not looked at: neighbors come sorted.

        Returns
        -------
        (distances, rows), an array of arrays each, one a query; or the rows alone
        """
        neighbors = self._within(self._queries(self._validate_predict(X)), self._checked_radius(radius))
        rows = as_arrays(neighbors.rows.astype(np.intp), neighbors.starts)
        return (as_arrays(neighbors.distances, neighbors.starts), rows) if return_distance else rows

    def radius_neighbors_graph(
        self, X: Any = None, radius: float | None = None, mode: str = "connectivity", sort_results: bool = False
    ) -> Any:
        """All fitted rows within a radius as a sparse matrix, queries x fitted rows.

        Parameters
        ----------
        X, radius, sort_results : as in `radius_neighbors`
        mode : 'connectivity' for ones, 'distance' for distances

        Returns
        -------
        scipy.sparse.csr_matrix
        """
        check_mode(mode, type(self).__name__)
        d = self._validate_predict(X)
        neighbors = self._within(self._queries(d), self._checked_radius(radius))
        values = neighbors.distances if mode == "distance" else np.ones(len(neighbors.rows))
        return scipy.sparse.csr_matrix(
            (values, neighbors.rows, neighbors.starts), shape=(d.n_rows, self.n_samples_fit_)
        )

    def _checked_radius(self, radius: Any) -> float:
        radius = self.radius if radius is None else radius
        if not isinstance(radius, (int, float, np.number)) or isinstance(radius, bool) or not radius >= 0:
            raise ParameterError(
                format_message(type(self).__name__, "radius must be a number of at least 0", actual=f"got {radius!r}")
            )
        return float(radius)


def without_itself(neighbors: Found, own_rows: Array) -> Found:
    """The k of k + 1 neighbors that are not the row itself; where many rows are equal, it may not be among them."""
    itself = neighbors.rows == own_rows[:, None]
    itself[:, -1] |= ~itself.any(axis=1)
    n, k = itself.shape
    return Found(neighbors.distances[~itself].reshape(n, k - 1), neighbors.rows[~itself].reshape(n, k - 1))


def without_own(neighbors: Neighborhoods, queries: Queries) -> Neighborhoods:
    """Neighborhoods less the row itself."""
    if queries.own is None:
        return neighbors
    return kept(neighbors, neighbors.rows != np.repeat(queries.own, np.diff(neighbors.starts)))


def kept(neighbors: Neighborhoods, keep: Flags) -> Neighborhoods:
    """Some of the neighbors."""
    if keep.all():
        return neighbors
    n = len(neighbors.starts) - 1
    query = np.repeat(np.arange(n), np.diff(neighbors.starts))
    starts = np.append(0, np.cumsum(np.bincount(query[keep], minlength=n))).astype(np.int64)
    return Neighborhoods(starts, neighbors.distances[keep], neighbors.rows[keep])


def as_arrays(values: Array, starts: Array) -> Array:
    """An array of arrays, one a query."""
    out = np.empty(len(starts) - 1, dtype=object)
    for i, (begin, end) in enumerate(zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)):
        out[i] = values[begin:end]
    return out


def check_mode(mode: Any, who: str) -> None:
    """Of a graph of neighbors."""
    if mode not in ("connectivity", "distance"):
        requirement = "Unsupported mode, must be one of 'connectivity', or 'distance'"
        raise ParameterError(format_message(who, requirement, actual=f"got {mode!r} instead"))
