"""Neighbors as sparse matrices: functions, and transformers for pipelines."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import scipy.sparse

from pellucid.base.declare import param
from pellucid.base.errors import DataError, DataTypeError, format_message
from pellucid.base.types import Array
from pellucid.data.design import Design
from pellucid.estimator.roles import Transformer
from pellucid.estimator.trace import Trace
from pellucid.neighbors._neighbors import KNeighbors, Neighbors, RadiusNeighbors
from pellucid.neighbors._questions import check_mode
from pellucid.neighbors._tables import nearest_first
from pellucid.neighbors.nearest import NearestNeighbors

__all__ = [
    "KNeighborsTransformer",
    "RadiusNeighborsTransformer",
    "kneighbors_graph",
    "radius_neighbors_graph",
    "sort_graph_by_row_values",
]


def kneighbors_graph(
    X: Any,
    n_neighbors: int,
    *,
    mode: str = "connectivity",
    metric: Any = "minkowski",
    p: float = 2,
    metric_params: dict[str, Any] | None = None,
    include_self: bool | Literal["auto"] = False,
    n_jobs: int | None = None,
) -> Any:
    """The k nearest rows of each row of a table, as a sparse matrix.

    ``A[i, j]`` is 1, or the distance of rows i and j (``mode="distance"``), where j is one of the k nearest rows of i.

    Parameters
    ----------
    X : a table, or a fitted `NearestNeighbors`
    n_neighbors : how many neighbors a row has
    mode : 'connectivity' for ones, 'distance' for distances
    metric, p, metric_params, n_jobs : as in `NearestNeighbors`
    include_self : is a row its own first neighbor? 'auto': for ones yes, for distances no

    Returns
    -------
    scipy.sparse.csr_matrix, rows x rows

    >>> kneighbors_graph([[0], [3], [1]], 1).toarray()
    array([[0., 0., 1.],
           [0., 0., 1.],
           [1., 0., 0.]])
    """
    check_mode(mode, "kneighbors_graph")
    model = _fitted(X, "kneighbors_graph", metric, p, metric_params, n_jobs)
    return model.kneighbors_graph(_asked(X, model, include_self, mode), n_neighbors, mode)


def radius_neighbors_graph(
    X: Any,
    radius: float,
    *,
    mode: str = "connectivity",
    metric: Any = "minkowski",
    p: float = 2,
    metric_params: dict[str, Any] | None = None,
    include_self: bool | Literal["auto"] = False,
    n_jobs: int | None = None,
) -> Any:
    """The rows within a radius of each row of a table, as a sparse matrix.

    ``A[i, j]`` is 1, or the distance of rows i and j (``mode="distance"``), where it is at most the radius.

    Parameters
    ----------
    X : a table, or a fitted `NearestNeighbors`
    radius : how far a neighbor may be
    mode, metric, p, metric_params, include_self, n_jobs : as in `kneighbors_graph`

    Returns
    -------
    scipy.sparse.csr_matrix, rows x rows

    >>> radius_neighbors_graph([[0], [3], [1]], 1.5, mode="distance").toarray()
    array([[0., 0., 1.],
           [0., 0., 0.],
           [1., 0., 0.]])
    """
    check_mode(mode, "radius_neighbors_graph")
    model = _fitted(X, "radius_neighbors_graph", metric, p, metric_params, n_jobs)
    return model.radius_neighbors_graph(_asked(X, model, include_self, mode), radius, mode)


def sort_graph_by_row_values(graph: Any, copy: bool = False, warn_when_not_sorted: bool = True) -> Any:
    """A sparse matrix of distances with the entries of each row in ascending order, among equals by column.

    Not needed here: ``metric="precomputed"`` sorts for itself. It is there for graphs that go elsewhere.

    Parameters
    ----------
    graph : sparse matrix; one that is not CSR becomes it
    copy : is the matrix left as it is? Else a CSR matrix is sorted in place
    warn_when_not_sorted : has no effect: an order is what was asked for

    Returns
    -------
    the sorted CSR matrix

    >>> near = scipy.sparse.csr_array([[0.0, 3.0, 1.0], [3.0, 0.0, 2.0]])
    >>> sort_graph_by_row_values(near).data
    array([1., 3., 2., 3.])
    """
    if not scipy.sparse.issparse(graph):
        who, requirement = "sort_graph_by_row_values", "graph must be a sparse matrix"
        raise DataTypeError(format_message(who, requirement, actual=f"got {type(graph).__name__}"))
    rows = graph.tocsr(copy=copy)
    order = nearest_first(rows)
    rows.data, rows.indices = rows.data[order], rows.indices[order]
    rows.has_sorted_indices = False
    return rows


def _fitted(X: Any, who: str, metric: Any, p: float, metric_params: Any, n_jobs: int | None) -> Any:
    if not isinstance(X, Neighbors):
        return NearestNeighbors(metric=metric, p=p, metric_params=metric_params, n_jobs=n_jobs).fit(X)
    settings = {"metric": metric, "p": p, "metric_params": metric_params}
    wrong = [f"{name}={value!r}" for name, value in settings.items() if getattr(X, name) != value]
    if wrong:
        requirement = "the distance must be that of the fitted neighbors"
        raise DataError(
            format_message(who, requirement, actual=f"got {', '.join(wrong)}", hint="leave it out, or fit again")
        )
    return X


def _asked(X: Any, model: Any, include_self: Any, mode: str) -> Any:
    """Rows for a graph in which a row is its own neighbor, or None."""
    own = mode == "connectivity" if isinstance(include_self, str) and include_self == "auto" else bool(include_self)
    if not own:
        return None
    return model._fitted_rows if isinstance(X, Neighbors) else X


class GraphTransformer(Neighbors, Transformer):
    """Makes a sparse matrix of neighbors of a table."""

    mode: Literal["distance", "connectivity"] = param(
        default="distance",
        doc="Distances of the neighbors, or ones. Distances are what `metric='precomputed'` takes.",
    )

    def _fit(self, d: Design, trace: Trace) -> None:
        self._fit_index(d)

    def transform(self, X: Any) -> Any:
        """The neighbors of each row among the fitted rows, as a sparse matrix: queries x fitted rows."""
        d = self._validate_predict(X)
        output = self._frames_asked_for()
        if output != "default":
            requirement = f"{output.capitalize()} output does not support sparse data"
            hint = "leave set_output at 'default'"
            raise DataError(
                format_message(type(self).__name__, requirement, actual="a graph of neighbors is sparse", hint=hint)
            )
        return self._transform(d)

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Fits, and gives the graph of the fitted rows. In it, a row is its own first neighbor."""
        return self.fit(X).transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """One name a fitted row: kneighborstransformer0, 1, ..."""
        self._check_fitted()
        self._names_in(input_features)
        stem = type(self).__name__.lower()
        return np.array([f"{stem}{i}" for i in range(self.n_samples_fit_)], dtype=object)

    @property
    def _n_features_out(self) -> int:
        return self.n_samples_fit_


class KNeighborsTransformer(KNeighbors, GraphTransformer):
    """Turns a table into the sparse graph of its k nearest neighbors, for estimators with ``metric="precomputed"``.

    ``A[i, j] = d(x_i, z_j)``, or 1, where the fitted row j is one of the k nearest of row i. With distances one more
    neighbor is given, since a fitted row is its own first one: what asks the graph for k others then finds them.

    In a pipeline neighbors are found once, and estimators behind it try settings on them. Prefer `NearestNeighbors`
    outside pipelines.

    Attributes
    ----------
    index_, algorithm_, distance_ : the rows, arranged for the search; which kind of index; the distance
    effective_metric_, effective_metric_params_ : scikit-learn's name of the distance and its parameters
    n_samples_fit_ : number of fitted rows

    Examples
    --------
    >>> from pellucid.neighbors import KNeighborsTransformer
    >>> KNeighborsTransformer(n_neighbors=1).fit_transform([[0], [3], [1]]).toarray()
    array([[0., 0., 1.],
           [0., 0., 2.],
           [1., 0., 0.]])

    Notes
    -----
    Parameters and answers are scikit-learn's.
    """

    n_neighbors: int = param(default=5, low=1, doc="How many neighbors, k.")

    def _transform(self, d: Design) -> Any:
        k = self.n_neighbors + (self.mode == "distance")
        neighbors = self._nearest(self._queries(d), self._checked_k(k, d))
        values = neighbors.distances.ravel() if self.mode == "distance" else np.ones(neighbors.rows.size)
        starts = np.arange(0, neighbors.rows.size + 1, k)
        return scipy.sparse.csr_matrix((values, neighbors.rows.ravel(), starts), shape=(d.n_rows, self.n_samples_fit_))


class RadiusNeighborsTransformer(RadiusNeighbors, GraphTransformer):
    """Turns a table into the sparse graph of neighbors within a radius, for estimators with ``metric="precomputed"``.

    ``A[i, j] = d(x_i, z_j)``, or 1, where the fitted row j is at most the radius away from row i. A fitted row is its
    own neighbor, at distance 0.

    In a pipeline neighbors are found once, and estimators behind it try settings on them. Prefer `NearestNeighbors`
    outside pipelines.

    Attributes
    ----------
    index_, algorithm_, distance_ : the rows, arranged for the search; which kind of index; the distance
    effective_metric_, effective_metric_params_ : scikit-learn's name of the distance and its parameters
    n_samples_fit_ : number of fitted rows

    Examples
    --------
    >>> from pellucid.neighbors import RadiusNeighborsTransformer
    >>> RadiusNeighborsTransformer(radius=1.5).fit_transform([[0], [3], [1]]).toarray()
    array([[0., 0., 1.],
           [0., 0., 0.],
           [1., 0., 0.]])

    Notes
    -----
    Parameters and answers are scikit-learn's.
    """

    radius: float = param(default=1.0, low=0, doc="How far away a neighbor may be; the bound is in.")

    def _transform(self, d: Design) -> Any:
        neighbors = self._within(self._queries(d), self._checked_radius(None))
        values = neighbors.distances if self.mode == "distance" else np.ones(len(neighbors.rows))
        return scipy.sparse.csr_matrix(
            (values, neighbors.rows, neighbors.starts), shape=(d.n_rows, self.n_samples_fit_)
        )
