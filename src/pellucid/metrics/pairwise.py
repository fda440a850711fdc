"""Tables of distances: every row of one table with every row of another.

Names, arguments and answers are scikit-learn's where it has them. Rows that nearly coincide keep their digits: where a
product would lose more than six bits, the differences themselves are summed. A row is at distance 0 from itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, Literal

import numpy as np
import scipy.sparse

from pellucid.base.errors import short_repr
from pellucid.base.threads import effective_threads
from pellucid.base.types import Array, Floats
from pellucid.metrics._booleans import BOOLEAN, boolean_distances
from pellucid.metrics._read import fail, fail_type, refuse
from pellucid.metrics._tables import paired, products, rows, table, two_tables
from pellucid.metrics.gower import gower_distances
from pellucid.models.neighbors.brute import BruteIndex
from pellucid.models.neighbors.metric import Metric, unit_rows
from pellucid.models.neighbors.named import metric_named

__all__ = [
    "cosine_distances",
    "cosine_similarity",
    "euclidean_distances",
    "haversine_distances",
    "manhattan_distances",
    "nan_euclidean_distances",
    "paired_cosine_distances",
    "paired_distances",
    "paired_euclidean_distances",
    "paired_manhattan_distances",
    "pairwise_distances",
    "pairwise_distances_argmin",
    "pairwise_distances_argmin_min",
    "pairwise_distances_chunked",
]

Measure = str | Callable[[Any, Any], float]
MEGABYTE = 2**20


def __getattr__(name: str) -> Any:
    """Kernels, which scikit-learn's users import from here; their file imports this one."""
    kernels = import_module("pellucid.metrics.kernels")
    if name in kernels.__all__:
        return getattr(kernels, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def euclidean_distances(
    X: Any,
    Y: Any = None,
    *,
    Y_norm_squared: Any = None,
    squared: bool = False,
    X_norm_squared: Any = None,
    n_jobs: int | None = None,
) -> Array:
    """Straight lines between the rows of X and of Y, or of X among themselves.

    ``d_ij = sqrt(sum_c (x_ic - y_jc)²)``, or its square.

    The two norms are taken for the sake of scikit-learn's signature and not needed. Sparse tables go by
    ``|x|² + |y|² - 2 x·y``, which loses digits where rows nearly coincide.

    >>> euclidean_distances([[5, 10]], [[8, 6], [5, 10]])
    array([[5., 0.]])
    """
    x, z = two_tables("euclidean_distances", X, Y)
    if scipy.sparse.issparse(x) or scipy.sparse.issparse(z):
        distances = _sparse_squares(x, z)
        return distances if squared else np.sqrt(distances, out=distances)
    return table(x, z, Metric(), n_jobs, squared=squared)


def _sparse_squares(x: Any, z: Any) -> Floats:
    norms = [np.asarray((array * array).sum(axis=1), dtype=np.float64).ravel() for array in (x, z)]
    squares = norms[0][:, None] + norms[1] - 2 * products(x, z)
    if z is x:
        np.fill_diagonal(squares, 0.0)
    return np.asarray(np.maximum(squares, 0.0))


def manhattan_distances(X: Any, Y: Any = None, *, n_jobs: int | None = None) -> Array:
    """Ways along the axes between the rows of X and of Y.

    ``d_ij = sum_c |x_ic - y_jc|``

    >>> manhattan_distances([[5, 10]], [[8, 6]])
    array([[7.]])
    """
    return _dense_table("manhattan_distances", X, Y, Metric("manhattan"), n_jobs)


def _dense_table(who: str, X: Any, Y: Any, metric: Metric, n_jobs: int | None) -> Array:
    x, z = two_tables(who, X, Y, missing=metric.kind == "nan_euclidean")
    same = z is x
    x = x.toarray() if scipy.sparse.issparse(x) else x
    z = x if same else z.toarray() if scipy.sparse.issparse(z) else z
    distances = table(x, z, metric, n_jobs)
    if same and metric.kind == "cosine":
        np.fill_diagonal(distances, 0.0)
    return distances


def cosine_similarity(X: Any, Y: Any = None, dense_output: bool = True) -> Any:
    """Cosines of the angles between the rows of X and of Y.

    ``s_ij = x_i·y_j / (|x_i| |y_j|)``; 0 where one of the rows is all zeros.

    ``dense_output=False`` leaves the answer of two sparse tables sparse.

    >>> cosine_similarity([[1, 0], [0, 0]], [[3, 4]])
    array([[0.6],
           [0. ]])
    """
    x, z = two_tables("cosine_similarity", X, Y)
    left = unit_rows(x)
    right = left if z is x else unit_rows(z)
    if not dense_output and scipy.sparse.issparse(left) and scipy.sparse.issparse(right):
        return left @ right.T
    return np.clip(products(left, right), -1.0, 1.0)


def cosine_distances(X: Any, Y: Any = None, *, n_jobs: int | None = None) -> Array:
    """1 less the cosine of the angle: 0 the same direction, 1 a right angle, 2 opposite. A row of zeros is at 1.

    >>> cosine_distances([[1, 0]], [[2, 0], [0, 3], [0, 0]])
    array([[0., 1., 1.]])
    """
    x, z = two_tables("cosine_distances", X, Y)
    if scipy.sparse.issparse(x) or scipy.sparse.issparse(z):
        distances = 1 - np.clip(products(unit_rows(x), unit_rows(z)), -1.0, 1.0)
        if z is x:
            np.fill_diagonal(distances, 0.0)
        return np.asarray(distances)
    return _dense_table("cosine_distances", x, None if z is x else z, Metric("cosine"), n_jobs)


def nan_euclidean_distances(
    X: Any, Y: Any = None, *, squared: bool = False, missing_values: float = np.nan, copy: bool = True
) -> Array:
    """Euclidean distances of rows with gaps: over the columns that both have, raised to the number of all columns.

    ``d_ij = sqrt(p / c sum over the c columns that both have of (x_ic - y_jc)²)``; NaN if there is none.

    >>> nan_euclidean_distances([[3, float("nan")]], [[0, 5]])  # one column of two: sqrt(2 / 1 * 9)
    array([[4.24264069]])
    """
    who = "nan_euclidean_distances"
    x, z = (_with_gaps(who, array, name, missing_values) for array, name in ((X, "X"), (X if Y is None else Y, "Y")))
    distances = _dense_table(who, x, None if Y is None else z, Metric("nan_euclidean"), None)
    return distances**2 if squared else distances


def _with_gaps(who: str, source: Any, name: str, missing_values: float) -> Any:
    values = rows(who, source, name, missing=True)
    if scipy.sparse.issparse(values):
        fail_type(who, f"{name} must be dense", "a sparse table has no gaps", "use euclidean_distances")
    return values if np.isnan(missing_values) else np.where(values == missing_values, np.nan, values)


def haversine_distances(X: Any, Y: Any = None) -> Array:
    """Ways along a sphere of radius 1 between points of latitude and longitude in radians.

    ``d = 2 arcsin sqrt(sin²(Δlat / 2) + cos lat₁ cos lat₂ sin²(Δlon / 2))``; times 6371 for kilometres on the earth.

    >>> haversine_distances([[0, 0]], [[0, np.pi / 2]])  # a quarter of the equator
    array([[1.57079633]])
    """
    who = "haversine_distances"
    x, z = two_tables(who, X, Y)
    if scipy.sparse.issparse(x) or scipy.sparse.issparse(z) or x.shape[1] != 2:
        fail(who, "X and Y must have two columns, latitude and longitude in radians", f"X has {x.shape[1]}")
    lat, lon = (x[:, c, None] - z[None, :, c] for c in (0, 1))
    chord = np.sin(lat / 2) ** 2 + np.cos(x[:, 0, None]) * np.cos(z[None, :, 0]) * np.sin(lon / 2) ** 2
    return np.asarray(2 * np.arcsin(np.sqrt(np.clip(chord, 0, 1))))


# ------------------------------------------------------------------------------------------------------ any metric


def pairwise_distances(
    X: Any,
    Y: Any = None,
    metric: Measure = "euclidean",
    *,
    n_jobs: int | None = None,
    ensure_all_finite: bool | Literal["allow-nan"] = True,
    **settings: Any,
) -> Array:
    """Distances of all rows of X and Y by any metric.

    Parameters
    ----------
    X, Y : tables; Y is X itself if left out. With ``metric="precomputed"`` X holds the distances already.
    metric : "euclidean" ("l2"; squared), "sqeuclidean", "seuclidean" (V), "manhattan" ("l1", "cityblock"), "chebyshev",
        "minkowski" (p, w), "mahalanobis" (V or VI), "cosine", "correlation", "canberra", "braycurtis", "hamming",
        "jaccard", "tanimoto", "dice", "rogerstanimoto", "russellrao", "sokalsneath", "yule", "nan_euclidean",
        "haversine", "gower" (weights, ranges), "precomputed"; or a function of two rows.
    n_jobs : threads; None for all cores.
    ensure_all_finite : False or "allow-nan" hands missing values to a function of yours.
    settings : what the metric takes, in brackets above.

    >>> pairwise_distances([[0, 0]], [[3, 4]], metric="minkowski", p=1)
    array([[7.]])
    """
    who = "pairwise_distances"
    if metric == "precomputed":
        return _precomputed(who, X, Y)
    if callable(metric):
        return _by_function(who, X, Y, metric, ensure_all_finite is not True, settings)
    if not isinstance(metric, str):
        refuse(who, "metric must be a name or a function", f"got {short_repr(metric)}")
    if metric == "gower":
        return gower_distances(X, Y, n_jobs=n_jobs, **settings)
    if metric == "haversine":
        return haversine_distances(X, Y)
    if metric in BOOLEAN:
        return boolean_distances(who, metric, *two_tables(who, X, Y))
    return _by_name(who, X, Y, *_told(metric, settings), n_jobs)


def _told(metric: str, settings: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The metric and its settings; "euclidean" with ``squared=True``, as scikit-learn takes it, is "sqeuclidean"."""
    if metric not in ("euclidean", "l2") or "squared" not in settings:
        return metric, settings
    remaining = {key: value for key, value in settings.items() if key != "squared"}
    return ("sqeuclidean" if settings["squared"] else metric), remaining


def _by_name(who: str, X: Any, Y: Any, metric: str, settings: dict[str, Any], n_jobs: int | None) -> Array:
    x, z = two_tables(who, X, Y, missing=metric == "nan_euclidean")
    if scipy.sparse.issparse(x) or scipy.sparse.issparse(z):
        return _sparse_by_name(who, x, z, metric, settings)
    if metric == "correlation":  # the cosine of the angle between rows less their means
        x, z = (x - x.mean(axis=1, keepdims=True), None if z is x else z - z.mean(axis=1, keepdims=True))
        return _dense_table(who, x, z, Metric("cosine"), n_jobs)
    both = x if z is x else np.concatenate((x, z))
    measure = metric_named(who, metric, settings, both)
    if metric == "sqeuclidean":
        return table(x, z, measure, n_jobs, squared=True)
    return _dense_table(who, x, None if z is x else z, measure, n_jobs)


def _sparse_by_name(who: str, x: Any, z: Any, metric: str, settings: dict[str, Any]) -> Array:
    second = None if z is x else z
    if metric in ("euclidean", "l2", "sqeuclidean"):
        return euclidean_distances(x, second, squared=metric == "sqeuclidean")
    if metric == "cosine":
        return cosine_distances(x, second)
    if metric not in ("manhattan", "l1", "cityblock"):
        metric_named(who, metric, settings, np.eye(x.shape[1]))
        takes = "euclidean, sqeuclidean, manhattan and cosine take sparse tables"
        fail_type(who, f"metric {metric!r} needs dense tables", "got a sparse one", f"use X.toarray(); {takes}")
    return manhattan_distances(x, second)


def _precomputed(who: str, X: Any, Y: Any) -> Array:
    distances = rows(who, X, "X")
    if scipy.sparse.issparse(distances):
        distances = distances.toarray()
    width = distances.shape[0] if Y is None else np.shape(Y)[0]
    if distances.shape[1] != width:
        fail(who, "precomputed distances must have one column for each row they lead to",
             f"X is {distances.shape[0]} x {distances.shape[1]} and there are {width}")  # fmt: skip
    if (distances < 0).any():
        fail(who, "precomputed distances must be 0 or more", f"the least is {distances.min():g}")
    return np.asarray(distances)


def _by_function(
    who: str, X: Any, Y: Any, metric: Callable[..., float], missing: bool, settings: dict[str, Any]
) -> Floats:
    x, z = two_tables(who, X, Y, missing=missing)
    if scipy.sparse.issparse(x) or scipy.sparse.issparse(z):
        fail_type(who, "a function of two rows needs dense tables", "got a sparse one", "use X.toarray()")
    return np.array([[metric(a, b, **settings) for b in z] for a in x], dtype=np.float64).reshape(len(x), len(z))


def pairwise_distances_argmin_min(
    X: Any,
    Y: Any,
    *,
    axis: int = 1,
    metric: Measure = "euclidean",
    metric_kwargs: dict[str, Any] | None = None,
    n_jobs: int | None = None,
) -> tuple[Array, Floats]:
    """The nearest row of Y to each row of X (``axis=1``), and how far it is; the first of equals.

    >>> pairwise_distances_argmin_min([[0.0], [5.0]], [[1.0], [7.0]])
    (array([0, 1]), array([1., 2.]))
    """
    who = "pairwise_distances_argmin_min"
    if axis not in (0, 1):
        refuse(who, "axis must be 0 or 1", f"got {short_repr(axis)}")
    x, z = two_tables(who, X, Y, missing=metric == "nan_euclidean") if metric != "gower" else (X, Y)
    if axis == 0:
        x, z = z, x
    if callable(metric) or metric in (*BOOLEAN, "correlation", "haversine", "gower", "precomputed"):
        found = pairwise_distances(x, z, metric, n_jobs=n_jobs, **(metric_kwargs or {}))
        nearest = found.argmin(axis=1)
        return nearest, found[np.arange(len(nearest)), nearest]
    metric, settings = _told(metric, metric_kwargs or {})
    index = BruteIndex(z, metric_named(who, metric, settings, z))
    distances, nearest = index.nearest(x, 1, effective_threads(n_jobs))
    return nearest.ravel().view(np.intp), (distances**2 if metric == "sqeuclidean" else distances).ravel()


def pairwise_distances_argmin(
    X: Any,
    Y: Any,
    *,
    axis: int = 1,
    metric: Measure = "euclidean",
    metric_kwargs: dict[str, Any] | None = None,
    n_jobs: int | None = None,
) -> Array:
    """The nearest row of Y to each row of X (``axis=1``), or the other way round; the first of equals.

    >>> pairwise_distances_argmin([[0.0], [5.0]], [[1.0], [7.0]])
    array([0, 1])
    """
    return pairwise_distances_argmin_min(X, Y, axis=axis, metric=metric, metric_kwargs=metric_kwargs, n_jobs=n_jobs)[0]


def pairwise_distances_chunked(
    X: Any,
    Y: Any = None,
    *,
    reduce_func: Callable[[Array, int], Any] | None = None,
    metric: Measure = "euclidean",
    n_jobs: int | None = None,
    working_memory: float | None = None,
    **settings: Any,
) -> Iterator[Any]:
    """The table of distances in parts of some rows each, for tables that memory does not hold.

    Parameters
    ----------
    reduce_func : what is made of a part, from the distances and the number of its first row; the part itself if None
    working_memory : megabytes that a part may take; 64 if None

    >>> [part.shape for part in pairwise_distances_chunked(np.eye(4), working_memory=1e-4)]
    [(3, 4), (1, 4)]
    """
    who = "pairwise_distances_chunked"
    x, z = two_tables(who, X, Y, missing=metric == "nan_euclidean")
    memory_limit = MEGABYTE * (64.0 if working_memory is None else float(working_memory))
    step = max(1, int(memory_limit / (8 * z.shape[0])))
    if metric in ("mahalanobis", "seuclidean") and not settings:  # of the whole table, not of a part
        settings = _spread(str(metric), x if z is x else np.concatenate((x, z)))
    for begin in range(0, x.shape[0], step):
        block = pairwise_distances(x[begin : begin + step], z, metric, n_jobs=n_jobs, **settings)
        yield block if reduce_func is None else reduce_func(block, begin)


def _spread(metric: str, both: Any) -> dict[str, Any]:
    if metric == "seuclidean":
        return {"V": np.var(both, axis=0, ddof=1, dtype=np.float64)}
    return {"V": np.atleast_2d(np.cov(both, rowvar=False, dtype=np.float64))}


# ------------------------------------------------------------------------------------------------------ row by row


def paired_distances(X: Any, Y: Any, *, metric: Measure = "euclidean", **settings: Any) -> Floats:
    """Distance of row i of X and row i of Y, for each i.

    >>> paired_distances([[0, 0], [1, 1]], [[3, 4], [1, 1]])
    array([5., 0.])
    """
    who = "paired_distances"
    x, z = two_tables(who, X, Y)
    x, z = (array.toarray() if scipy.sparse.issparse(array) else array for array in (x, z))
    if len(x) != len(z):
        fail(who, "X and Y must have as many rows", f"got {len(x)} and {len(z)}")
    if callable(metric):
        return np.array([metric(a, b, **settings) for a, b in zip(x, z, strict=True)], dtype=np.float64)
    distances = paired(x, z, metric_named(who, metric, settings, np.concatenate((x, z))))
    return np.asarray(distances**2 if metric == "sqeuclidean" else distances)


def paired_euclidean_distances(X: Any, Y: Any) -> Floats:
    """Straight lines between row i of X and row i of Y.

    >>> paired_euclidean_distances([[5, 10]], [[8, 6]])
    array([5.])
    """
    return paired_distances(X, Y)


def paired_manhattan_distances(X: Any, Y: Any) -> Floats:
    """Ways along the axes between row i of X and row i of Y.

    >>> paired_manhattan_distances([[5, 10]], [[8, 6]])
    array([7.])
    """
    return paired_distances(X, Y, metric="manhattan")


def paired_cosine_distances(X: Any, Y: Any) -> Floats:
    """1 less the cosine of the angle between row i of X and row i of Y.

    >>> paired_cosine_distances([[1, 0]], [[0, 2]])
    array([1.])
    """
    return paired_distances(X, Y, metric="cosine")
