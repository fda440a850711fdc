"""KDTree and BallTree to a user: what both have."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from pellucid.base.errors import DataError, ParameterError, count, format_message, noun_list, short_repr
from pellucid.base.randomness import uniform
from pellucid.base.threads import effective_threads
from pellucid.base.types import Array, Floats
from pellucid.data.design import InputSpec, Schema, apply_schema, infer_schema
from pellucid.models.neighbors.metric import ALIASES, Metric
from pellucid.models.neighbors.named import metric_named
from pellucid.models.neighbors.tree_index import TreeIndex, recall
from pellucid.neighbors._kernel_sums import KERNELS, log_densities

_NEEDS = InputSpec()


class TreeOfPoints:
    """Rows in a tree; see `KDTree` and `BallTree`."""

    index_class: ClassVar[type[TreeIndex]]
    valid_metrics: ClassVar[list[str]]

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
        who = type(self).__name__
        self.leaf_size = whole_number(who, "leaf_size", leaf_size)
        d = infer_schema(X, _NEEDS, who)
        self._schema: Schema = d.schema
        self._data: Array = d.numbers
        self.n_jobs = n_jobs
        self.metric = self._metric(metric, metric_params)
        self.sample_weight = self._weights(sample_weight)

    def _metric(self, metric: Any, settings: dict[str, Any]) -> Metric:
        who, known = type(self).__name__, self.valid_metrics
        if metric not in known:
            requirement, hint = (
                f"metric must be one of {', '.join(known)}",
                "NearestNeighbors takes more of them, and functions",
            )
            raise ParameterError(format_message(who, requirement, actual=f"got {short_repr(metric)}", hint=hint))
        name = ALIASES.get(metric, metric)
        distance_metric = metric_named(who, name, settings, self._data)
        if distance_metric.kind == "minkowski" and distance_metric.p < 1:
            requirement = "p must be at least 1: below it the triangle inequality does not hold"
            raise ParameterError(format_message(who, requirement, actual=f"got p={distance_metric.p:g}"))
        if distance_metric.kind == "haversine" and self._data.shape[1] != 2:
            requirement = "metric 'haversine' takes two columns, latitude and longitude in radians"
            raise DataError(format_message(who, requirement, actual=f"X has {count(self._data.shape[1], 'column')}"))
        wide = distance_metric.stretch if distance_metric.stretch is not None else distance_metric.turn
        if wide is not None and len(wide) != self._data.shape[1]:
            requirement = f"metric {name!r} needs {' or '.join(settings)} for {count(self._data.shape[1], 'column')}"
            raise ParameterError(format_message(who, requirement, actual=f"got one for {len(wide)}"))
        return distance_metric

    def _weights(self, given: Any) -> Floats | None:
        if given is None:
            return None
        weight = np.asarray(given, dtype=np.float64)
        requirement = "sample_weight must hold one number above 0 a row"
        if weight.shape != (len(self._data),):
            actual = f"got shape {weight.shape} for {count(len(self._data), 'row')}"
            raise DataError(format_message(type(self).__name__, requirement, actual=actual))
        wrong = np.flatnonzero(~(np.isfinite(weight) & (weight > 0)))
        if len(wrong):
            raise DataError(
                format_message(
                    type(self).__name__, requirement, actual=f"got {weight[wrong[0]]:g} ({noun_list('row', wrong)})"
                )
            )
        return weight

    @cached_property
    def index(self) -> TreeIndex:
        """The tree itself."""
        return self.index_class(self._data, self.metric, self.leaf_size, self._threads)

    def _build(self) -> Any:
        """Build the tree now: what is wrong with it is said where it is made."""
        return self.index

    @property
    def _threads(self) -> int:
        return effective_threads(self.n_jobs)

    @property
    def data(self) -> Array:
        """The rows."""
        return self._data

    def __repr__(self) -> str:
        n, d = self._data.shape
        return f"{type(self).__name__}({count(n, 'row')}, {count(d, 'column')}, metric={self.metric.kind!r})"

    # ------------------------------------------------------------------------------------------------ questions

    def query(
        self,
        X: Any,
        k: int = 1,
        return_distance: bool = True,
        dualtree: bool = False,
        breadth_first: bool = False,
        sort_results: bool = True,
        *,
        eps: float = 0.0,
        most_leaves: int | None = None,
    ) -> Any:
        """The k nearest rows of each query: (distances, numbers of rows), or the numbers alone.

        Parameters
        ----------
        X : table with the columns of the rows; an array may have more dimensions, of which the last are the columns
        k : how many
        return_distance : with distances?
        dualtree, breadth_first : ways to walk the tree in scikit-learn; the answer is the same, here there is one
        sort_results : answers are always sorted, nearest first and among equals the smaller number first
        eps : 0 is exact; else each distance is at most ``1 + eps`` times the true one of its place
        most_leaves : leaves looked at for a query, at most, once k rows are found; None looks at all that matter
        """
        who = type(self).__name__
        k = whole_number(who, "k", k)
        queries, shape = self._asked(X)
        if k > len(self._data):
            requirement = "k must be less than or equal to the number of training points"
            raise DataError(format_message(who, requirement, actual=f"got k={k} with {count(len(self._data), 'row')}"))
        found = self._found(queries, k, *self._budget(eps, most_leaves))
        distances, rows = found[0].reshape(*shape, k), found[1].reshape(*shape, k).view(np.intp)
        return (distances, rows) if return_distance else rows

    def _found(self, queries: Array, k: int, eps: float, most_leaves: int | None) -> tuple[Floats, Array]:
        if eps == 0 and most_leaves is None:
            return self.index.nearest(queries, k, self._threads)
        return self.index.approximate(queries, k, self._threads, eps, most_leaves)

    def _budget(self, eps: Any, most_leaves: Any) -> tuple[float, int | None]:
        who = type(self).__name__
        if not isinstance(eps, int | float | np.number) or isinstance(eps, bool) or not 0 <= eps < np.inf:
            raise ParameterError(
                format_message(who, "eps must be a number of at least 0", actual=f"got {short_repr(eps)}")
            )
        return float(eps), None if most_leaves is None else whole_number(who, "most_leaves", most_leaves)

    def measured_recall(
        self, X: Any, k: int = 1, *, eps: float = 0.0, most_leaves: int | None = None, sample: int = 1000, seed: int = 0
    ) -> float:
        """What share of the true k nearest rows an approximate search finds, over a sample of queries.

        At most `sample` of the queries X, drawn by `seed`, are answered both ways. 1 is perfect. A row as near as the
        true one that is not the one with the smaller number counts as a miss.
        """
        queries, _ = self._asked(X)
        if len(queries) > sample:
            drawn = np.argsort(uniform(seed, 0, len(queries)), kind="stable")[:sample]
            queries = np.ascontiguousarray(queries[np.sort(drawn)])
        k = min(whole_number(type(self).__name__, "k", k), len(self._data))
        near = self.index.approximate(queries, k, self._threads, *self._budget(eps, most_leaves))
        return recall(near.rows, self.index.nearest(queries, k, self._threads).rows)

    def query_radius(
        self, X: Any, r: Any, return_distance: bool = False, count_only: bool = False, sort_results: bool = False
    ) -> Any:
        """All rows at distance r or less of each query.

        Parameters
        ----------
        X : table with the columns of the rows
        r : one distance, or one a query
        return_distance : (numbers of rows, distances) in place of the numbers alone
        count_only : how many there are, and nothing else
        sort_results : answers are always sorted, nearest first
        """
        who = type(self).__name__
        if count_only and return_distance:
            raise ParameterError(format_message(who, "count_only and return_distance cannot both be true"))
        if sort_results and not return_distance:
            raise ParameterError(format_message(who, "return_distance must be True if sort_results is True"))
        queries, shape = self._asked(X)
        radii = self._radii(r, shape)
        if count_only:
            return self.index.count(queries, radii, self._threads).reshape(shape).view(np.intp)
        neighbors = self.index.within(queries, radii, self._threads)
        rows = _lists(neighbors.rows.view(np.intp), neighbors.starts, shape)
        return (rows, _lists(neighbors.distances, neighbors.starts, shape)) if return_distance else rows

    def _radii(self, r: Any, shape: tuple[int, ...]) -> Floats:
        try:
            radii = np.asarray(r, dtype=np.float64)
        except (TypeError, ValueError):
            radii = np.array(np.nan)
        if np.isnan(radii).any() or (radii.ndim and radii.shape != shape):
            requirement = "r must be a distance, or one for each query"
            actual = f"got {short_repr(r)} for {count(int(np.prod(shape)), 'query', 'queries')}"
            raise ParameterError(format_message(type(self).__name__, requirement, actual=actual))
        return np.ascontiguousarray(radii.ravel())

    def kernel_density(
        self,
        X: Any,
        h: float,
        kernel: str = "gaussian",
        atol: float = 0,
        rtol: float = 1e-8,
        breadth_first: bool = True,
        return_log: bool = False,
    ) -> Floats:
        """How dense the rows lie at each query: a sum of kernels.

        ``f(x) = c Σ_i w_i K(d(x, x_i) / h)``, where c makes the integral of one kernel 1 (Euclidean distance) and w are
        the weights, 1 where none were given. Divide by the number of rows for a density.

        Parameters
        ----------
        X : table with the columns of the rows
        h : bandwidth
        kernel : "gaussian", "tophat", "epanechnikov", "exponential", "linear" or "cosine"
        atol, rtol : rows may be left out that change an answer f by less than ``atol + rtol f``
        breadth_first : has no effect
        return_log : logarithms, which do not underflow
        """
        who = type(self).__name__
        if kernel not in KERNELS:
            raise ParameterError(
                format_message(who, f"kernel must be one of {', '.join(KERNELS)}", actual=f"got {short_repr(kernel)}")
            )
        if not (isinstance(h, int | float | np.number) and 0 < h < np.inf):
            raise ParameterError(format_message(who, "h must be a number above 0", actual=f"got {short_repr(h)}"))
        queries, shape = self._asked(X)
        share = max(float(rtol), 1e-16)
        logs = log_densities(self.index, queries, float(h), kernel, share, self.sample_weight, self._threads)
        return (logs if return_log else np.exp(logs)).reshape(shape)

    def two_point_correlation(self, X: Any, r: Any, dualtree: bool = False) -> Array:
        """How many pairs of a query and a row are at most r apart, for each r.

        Parameters
        ----------
        X : table with the columns of the rows
        r : list of distances
        dualtree : has no effect on the answer
        """
        queries, _ = self._asked(X)
        radii = np.atleast_1d(np.asarray(r, dtype=np.float64))
        if np.isnan(radii).any():
            raise ParameterError(
                format_message(type(self).__name__, "r must be a list of distances", actual=f"got {short_repr(r)}")
            )
        counts = [int(self.index.count(queries, float(one), self._threads).sum()) for one in radii.ravel()]
        return np.array(counts, dtype=np.int64).reshape(radii.shape)

    def _asked(self, X: Any) -> tuple[Array, tuple[int, ...]]:
        """Queries as a table, and the shape of the answers."""
        array = X if isinstance(X, np.ndarray) else None
        if array is not None and array.ndim != 2 and array.ndim > 0 and array.shape[-1] == self._data.shape[1]:
            return self._asked(array.reshape(-1, array.shape[-1]))[0], array.shape[:-1]
        numbers = apply_schema(X, self._schema, _NEEDS, type(self).__name__).numbers
        return numbers, (len(numbers),)


def _lists(values: Array, starts: Array, shape: tuple[int, ...]) -> Array:
    """An array of arrays, one a query."""
    out = np.empty(len(starts) - 1, dtype=object)
    for i in range(len(out)):
        out[i] = values[starts[i] : starts[i + 1]]
    return out.reshape(shape)


def whole_number(who: str, name: str, value: Any) -> int:
    """A number of at least 1."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise ParameterError(
            format_message(who, f"{name} must be a whole number of at least 1", actual=f"got {short_repr(value)}")
        )
    return int(value)
