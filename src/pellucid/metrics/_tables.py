"""Tables whose rows are compared: read, checked, and put before the kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

from pellucid import _core
from pellucid.base.threads import effective_threads
from pellucid.base.types import Array, Floats
from pellucid.metrics._read import fail, floats, refuse_not_finite
from pellucid.models.neighbors.metric import Metric, as_matrix

# Beyond this size squares would overflow, or below its inverse be lost: such rows are brought nearer to 1 first.
_LARGE = 1e140


def rows(who: str, table: Any, name: str, missing: bool = False) -> Any:
    """A table of floats with two dimensions, or a CSR matrix of doubles."""
    if scipy.sparse.issparse(table):
        csr = scipy.sparse.csr_array(table).astype(np.float64)
        csr.sum_duplicates()
        refuse_not_finite(who, csr.data, name)
        return csr
    array = floats(who, table, name)
    if array.ndim != 2:
        actual = f"Expected 2D array, got {array.ndim}D array instead"
        hint = f"Reshape your data: {name}.reshape(-1, 1) for one column, {name}.reshape(1, -1) for one row"
        fail(who, f"{name} must be a table with one row a sample", actual, hint)
    if missing:
        if np.isinf(array).any():
            fail(who, f"Input {name} contains infinity", hint="missing values are taken, infinite ones are not")
    else:
        refuse_not_finite(who, array, name)
    return array


def two_tables(who: str, X: Any, Y: Any, missing: bool = False) -> tuple[Any, Any]:
    """Both tables; the second is the first where there is none."""
    x = rows(who, X, "X", missing)
    z = x if Y is None or Y is X else rows(who, Y, "Y", missing)
    if x.shape[1] != z.shape[1]:
        actual = (
            f"Incompatible dimension for X and Y matrices: X.shape[1] == {x.shape[1]} while Y.shape[1] == {z.shape[1]}"
        )
        fail(who, "X and Y must have the same columns", actual)
    return x, z


def common_type(*tables: Any) -> Any:
    """float32 where all tables are."""
    return np.float32 if all(table.dtype == np.float32 for table in tables) else np.float64


def products(x: Any, z: Any) -> Array:
    """x z', dense."""
    if not scipy.sparse.issparse(x) and not scipy.sparse.issparse(z):
        return np.asarray(np.ascontiguousarray(x) @ np.ascontiguousarray(z).T)  # the same routine for every layout
    product = x @ z.T
    return product.toarray() if scipy.sparse.issparse(product) else np.asarray(product)


def table(x: Any, z: Any, metric: Metric, n_jobs: int | None = None, *, squared: bool = False) -> Array:
    """Distances of every row of x and every row of z, both dense."""
    out = np.empty((x.shape[0], z.shape[0]), dtype=common_type(x, z))
    x, z, unit = _in_range(x, z, metric)
    left = metric.prepare(x)
    right = left if z is x else metric.prepare(z)
    threads = effective_threads(n_jobs)
    _core.pairwise_table(as_matrix(left), as_matrix(right), z is x, metric.code, metric.p, squared, out, threads)
    if unit != 1:
        with np.errstate(over="ignore"):
            out *= unit * unit if squared else unit
    return out


def paired(x: Any, z: Any, metric: Metric, n_jobs: int | None = None) -> Floats:
    """Distances of row i of x and row i of z."""
    x, z, unit = _in_range(x, z, metric)
    left, right = as_matrix(metric.prepare(x)), as_matrix(metric.prepare(z))
    return unit * _core.paired_distances(left, right, metric.code, metric.p, False, effective_threads(n_jobs))


def _in_range(x: Any, z: Any, metric: Metric) -> tuple[Any, Any, float]:
    """Rows divided by a power of two where their squares or powers would leave the range of numbers."""
    if metric.kind not in ("euclidean", "minkowski", "nan_euclidean"):
        return x, z, 1.0
    size = max(float(np.nanmax(np.abs(array), initial=0.0)) for array in (x, z))
    if size == 0 or 1 / _LARGE < size < _LARGE:
        return x, z, 1.0
    unit = float(np.ldexp(1.0, int(np.frexp(size)[1])))
    near = x.astype(np.float64) / unit
    return near, near if z is x else z.astype(np.float64) / unit, unit
