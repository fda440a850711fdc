"""How much knowing a column tells of the target, whatever the shape of their relation."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import scipy.sparse
from scipy.special import digamma
from sklearn.utils import check_random_state

from pellucid import _core
from pellucid.base.errors import DataError, ParameterError, count, format_message
from pellucid.base.threads import effective_threads
from pellucid.base.types import Array, Flags, Floats
from pellucid.data.design import Design
from pellucid.feature_selection._columns import classes_of, read_classes, read_columns, read_numbers
from pellucid.metrics.cluster import mutual_info_score

__all__ = ["mutual_info_classif", "mutual_info_regression"]

Method = Literal["neighbors", "binned"]


def mutual_info_classif(
    X: Any,
    y: Any,
    *,
    discrete_features: Any = "auto",
    n_neighbors: int = 3,
    copy: bool = True,
    random_state: Any = None,
    n_jobs: int | None = None,
    method: Method = "neighbors",
    n_bins: int = 10,
) -> Floats:
    """The mutual information of each column and the class, in nats.

    ``I(x; y) = sum over x, y of p(x, y) ln(p(x, y) / (p(x) p(y)))``

    0 where a column says nothing of the class, whatever the relation: curves and spreads are seen that `f_classif`
    does not see. At most the entropy of the classes, ln 2 for two of equal size.

    For a discrete column the probabilities are the shares of a table of counts. For a continuous one it is estimated
    from neighbors (Ross 2014): with r_i the distance from row i to its k-th neighbor among the rows of its class,
    and m_i the number of all rows nearer than that (itself counted),

    ``I = psi(n) + mean psi(k) - mean psi(n_class) - mean psi(m_i)``,

    psi the digamma function. Columns are divided by their standard deviation, and noise of 1e-10 parts equal values.
    A negative estimate becomes 0. ``method="binned"`` cuts a continuous column into `n_bins` bins of equally many rows
    and counts: quicker and without chance, but above 0 for pure noise, by about (bins - 1)(classes - 1) / (2 n).

    Parameters
    ----------
    X : table of numbers; a sparse one for discrete columns only
    y : the class of each row
    discrete_features : which columns are discrete
        'auto' (none of a dense table, all of a sparse one), True, False, flags, or positions.
    n_neighbors : the k above; more neighbors vary less and blur more
    copy : there for scikit-learn's sake; X is never changed
    random_state : of the noise
    n_jobs : threads; their number changes no bit
    method : 'neighbors' as scikit-learn, or 'binned'
    n_bins : of the binned estimate

    Returns
    -------
    one number a column

    Notes
    -----
    Equal to scikit-learn's with the same `random_state` but for rounding. Where a class has at most 2 k rows it
    measures distances by a formula that cancels, and its counts are off by one at times.

    References
    ----------
    B. C. Ross, Mutual information between discrete and continuous data sets, PLoS ONE 9(2), 2014.

    Examples
    --------
    A column that is the class has ln 2 = 0.693, one that is independent of it 0:

    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> mutual_info_classif(X, ["a", "a", "b", "b"], discrete_features=True).round(4).tolist()
    [0.6931, 0.0]
    """
    d = read_columns(X, "mutual_info_classif")
    codes = read_classes(d, y).codes
    return _estimate(d, codes, True, discrete_features, n_neighbors, random_state, n_jobs, method, n_bins)


def mutual_info_regression(
    X: Any,
    y: Any,
    *,
    discrete_features: Any = "auto",
    n_neighbors: int = 3,
    copy: bool = True,
    random_state: Any = None,
    n_jobs: int | None = None,
    method: Method = "neighbors",
    n_bins: int = 10,
) -> Floats:
    """The mutual information of each column and a numeric target, in nats.

    0 where a column says nothing of y, whatever the relation; a circle or a wave is seen, which `f_regression` does
    not see. For continuous columns it is estimated from neighbors (Kraskov, Stögbauer, Grassberger 2004): with r_i the
    larger of the distances along x and y from row i to its k-th neighbor, and nx_i, ny_i the numbers of rows nearer
    than that along x alone and along y alone (row i itself not counted),

    ``I = psi(n) + psi(k) - mean(psi(nx_i + 1) + psi(ny_i + 1))``,

    psi the digamma function. A discrete column and y change places in the estimate of `mutual_info_classif`.

    Parameters
    ----------
    X : table of numbers; a sparse one for discrete columns only
    y : one number a row
    discrete_features, n_neighbors, copy, random_state, n_jobs, method, n_bins
        As in `mutual_info_classif`; with method="binned" y is cut into bins too.

    Returns
    -------
    one number a column

    References
    ----------
    A. Kraskov, H. Stögbauer, P. Grassberger, Estimating mutual information, Phys. Rev. E 69, 2004.

    Examples
    --------
    Two bins of x and of y hold the same rows, so that one says all of the other, ln 2:

    >>> mutual_info_regression([[1], [2], [3], [4]], [1, 4, 9, 16], method="binned", n_bins=2).round(4).tolist()
    [0.6931]
    """
    d = read_columns(X, "mutual_info_regression")
    return _estimate(d, read_numbers(d, y), False, discrete_features, n_neighbors, random_state, n_jobs, method, n_bins)


def _estimate(
    d: Design,
    y: Array,
    y_discrete: bool,
    discrete_features: Any,
    k: int,
    random_state: Any,
    n_jobs: int | None,
    method: str,
    n_bins: int,
) -> Floats:
    _check_options(d.who, k, method, n_bins)
    discrete = _discrete_columns(d, discrete_features)
    if d.table.is_sparse and not discrete.all():
        requirement, hint = (
            "Sparse matrix `X` can't have continuous features",
            "use X.toarray(), or discrete_features=True",
        )
        raise DataError(format_message(d.who, requirement, actual="a zero that is not stored has no noise", hint=hint))
    if method == "binned":
        return _binned(d, y, y_discrete, discrete, n_bins)
    X, y = _with_noise(d, y, y_discrete, discrete, random_state)
    found, threads = np.zeros(d.n_cols), effective_threads(n_jobs)
    waiting = np.flatnonzero(~discrete)
    if len(waiting):
        table = np.asfortranarray(X[:, waiting])
        found[waiting] = _of_groups(table, y, k, threads) if y_discrete else _of_plane(d, table, y, k, threads)
    for j in np.flatnonzero(discrete).tolist():
        codes = _codes(d, j)
        if y_discrete:
            found[j] = mutual_info_score(codes, y)
        else:
            found[j] = _of_groups(np.asfortranarray(y[:, None]), codes, k, threads)[0]
    return found


def _with_noise(d: Design, y: Array, y_discrete: bool, discrete: Flags, random_state: Any) -> tuple[Any, Array]:
    """Continuous columns and target in units of their spread, with the noise that scikit-learn adds, number by number.

    The order of memory and of the operations is kept too: where values repeat, the last bit decides about neighbors.
    """
    random = check_random_state(random_state)
    X = d.numbers
    if not discrete.all():
        X = X.astype(np.float64)
        part = _in_spreads(X[:, ~discrete])
        means = np.maximum(1, np.mean(np.abs(part), axis=0))
        part += 1e-10 * means * random.standard_normal(size=part.shape)
        X[:, ~discrete] = part
    if not y_discrete:
        y = _in_spreads(y)
        y += 1e-10 * np.maximum(1, np.mean(np.abs(y))) * random.standard_normal(size=len(y))
    return X, y


def _in_spreads(values: Floats) -> Floats:
    """Divided by the standard deviation; what hardly varies is left as it is."""
    with np.errstate(over="ignore"):
        spread = np.asarray(np.nanstd(values, axis=0))
    if not np.isfinite(spread).all():
        size = np.abs(values).max(axis=0)
        values = values / size
        spread = np.asarray(np.nanstd(values, axis=0))
    return values / np.where(spread < 10 * np.finfo(np.float64).eps, 1.0, spread)


def _of_groups(table: Floats, codes: Array, k: int, threads: int) -> Floats:
    """A continuous column against groups of rows; rows that are alone in their group are left out."""
    sizes = np.bincount(codes)
    if (sizes[codes] < 2).any():
        there = sizes[codes] > 1
        if not there.any():
            return np.zeros(table.shape[1])
        table, codes = np.asfortranarray(table[there]), classes_of(codes[there], "").codes
        sizes = np.bincount(codes)
    n = len(codes)
    counts = _core.group_neighbors(table, np.ascontiguousarray(codes, dtype=np.int32), len(sizes), int(k), threads)
    of_k = float(sizes @ digamma(np.minimum(k, sizes - 1))) / n
    of_sizes = float(sizes @ digamma(sizes)) / n
    return np.array([max(0.0, digamma(n) + of_k - of_sizes - _mean_digamma(row)) for row in counts])


def _of_plane(d: Design, table: Floats, y: Floats, k: int, threads: int) -> Floats:
    """Two continuous columns."""
    n = len(y)
    if k >= n:
        requirement = f"Expected n_neighbors < n_samples: n_neighbors={k}, n_samples = {n}"
        raise DataError(
            format_message(d.who, requirement, actual="each row needs that many others", hint="use fewer neighbors")
        )
    along_x, along_y = _core.plane_neighbors(table, np.ascontiguousarray(y), int(k), threads)
    both = [_mean_digamma(nx) + _mean_digamma(ny) for nx, ny in zip(along_x, along_y, strict=True)]
    return np.array([max(0.0, digamma(n) + digamma(k) - mean) for mean in both])


def _mean_digamma(counts: Array) -> float:
    """Each distinct count once: digamma is the slow part."""
    often = np.bincount(counts)
    present = np.flatnonzero(often)
    return float(often[present] @ digamma(present)) / len(counts)


# -------------------------------------------------------------------------------------------------------------- binned


def _binned(d: Design, y: Array, y_discrete: bool, discrete: Flags, n_bins: int) -> Floats:
    target = y if y_discrete else bins_of(np.asarray(y, dtype=np.float64), n_bins)
    columns = (
        _codes(d, j) if discrete[j] else bins_of(np.asarray(d.numbers[:, j], dtype=np.float64), n_bins)
        for j in range(d.n_cols)
    )
    return np.array([mutual_info_score(column, target) for column in columns])


def bins_of(values: Floats, n_bins: int) -> Array:
    """Bins of equally many rows, as far as equal values, which share a bin, allow."""
    ordered = np.sort(values)
    cuts = ordered[(np.arange(1, n_bins) * len(values)) // n_bins]
    return np.searchsorted(np.unique(cuts), values, side="right").astype(np.int32)


def _codes(d: Design, j: int) -> Array:
    column = d.numbers[:, [j]].toarray().ravel() if scipy.sparse.issparse(d.numbers) else d.numbers[:, j]
    return classes_of(np.ascontiguousarray(column), d.who).codes


# ------------------------------------------------------------------------------------------------------------- options


def _check_options(who: str, k: Any, method: Any, n_bins: Any) -> None:
    for name, value in (("n_neighbors", k), ("n_bins", n_bins)):
        if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 1:
            raise ParameterError(
                format_message(who, f"{name} must be a whole number of at least 1", actual=f"got {value!r}")
            )
    if method not in ("neighbors", "binned"):
        raise ParameterError(format_message(who, "method must be 'neighbors' or 'binned'", actual=f"got {method!r}"))


def _discrete_columns(d: Design, which: Any) -> Flags:
    if isinstance(which, str) and which == "auto":
        return np.full(d.n_cols, d.table.is_sparse)
    if isinstance(which, bool | np.bool_):
        return np.full(d.n_cols, bool(which))
    requirement = "discrete_features must be 'auto', True, False, one flag a column, or positions of columns"
    found: Array = np.empty(0) if isinstance(which, str) else np.asarray(which)
    if found.dtype == bool and found.shape == (d.n_cols,):
        return found
    if found.dtype.kind not in "iu" or found.ndim != 1 or (np.abs(found + 0.5) > d.n_cols).any():
        raise ParameterError(
            format_message(d.who, requirement, actual=f"got {which!r} for {count(d.n_cols, 'column')}")
        )
    flags = np.zeros(d.n_cols, dtype=bool)
    flags[found] = True
    return flags
