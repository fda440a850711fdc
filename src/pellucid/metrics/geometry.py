"""How good a grouping of rows is, by the rows themselves: are they near to their own cluster and far from others?

Names, arguments and answers are scikit-learn's.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from pellucid import _core
from pellucid.base.errors import count, noun_list, short_repr
from pellucid.base.threads import effective_threads
from pellucid.base.types import Floats
from pellucid.metrics._groups import group_codes
from pellucid.metrics._numbers import power_of_two
from pellucid.metrics._read import check_lengths, fail, numbers, refuse, whole

__all__ = [
    "calinski_harabasz_score",
    "davies_bouldin_score",
    "silhouette_samples",
    "silhouette_score",
]

Integers = NDArray[np.int64]
EPS = float(np.finfo(np.float64).eps)
# Given distances are summed for so many pairs of rows at once: 1 MB, which a processor's second cache holds.
PAIRS_AT_ONCE = 2**17


def silhouette_samples(
    X: ArrayLike, labels: ArrayLike, *, metric: Literal["euclidean", "precomputed"] = "euclidean"
) -> Floats:
    """Of each row: how much nearer it is to its own cluster than to the next one.

    ``s_i = (b_i - a_i) / max(a_i, b_i)``

    a_i  mean distance to the other rows of its own cluster
    b_i  mean distance to the rows of another cluster, for the other cluster where this is least

    1 is far from all others, 0 on a border, below 0 nearer to another cluster. The only row of a cluster has 0. With
    ``metric="precomputed"`` X holds the distances from each row to every other. Distances are computed for a few rows
    at a time and never all kept; their number is n² all the same.

    >>> silhouette_samples([[0.0], [2.0], [9.0], [11.0]], [0, 0, 1, 1])
    array([0.8 , 0.75, 0.75, 0.8 ])
    """
    who = "silhouette_samples"
    _check_metric(who, metric)
    return _silhouettes(who, _clustered(who, X, labels), metric)


def silhouette_score(
    X: ArrayLike,
    labels: ArrayLike,
    *,
    metric: Literal["euclidean", "precomputed"] = "euclidean",
    sample_size: int | None = None,
    random_state: Any = None,
) -> float:
    """Mean of the rows' silhouettes, from -1 to 1; the number of clusters with the highest one is a good number.

    ``(1/n) sum_i s_i``, with s_i as in :func:`silhouette_samples`

    The time grows with the square of the number of rows; `sample_size` takes so many rows, drawn by `random_state`.

    >>> round(silhouette_score([[0.0], [2.0], [9.0], [11.0]], ["a", "a", "b", "b"]), 6)
    0.775
    """
    who = "silhouette_score"
    _check_metric(who, metric)
    if sample_size is None:
        return float(_silhouettes(who, _clustered(who, X, labels), metric).mean())
    size = whole(who, sample_size, "sample_size", 1)
    table, codes, _ = _clustered(who, X, labels, any_number=True)
    if metric == "precomputed":
        _check_distances(who, table)
    sample = check_random_state(random_state).permutation(len(table))[:size]
    subset = table[np.ix_(sample, sample)] if metric == "precomputed" else table[sample]
    return float(_silhouettes(who, _clustered(who, subset, codes[sample]), metric).mean())


def _check_metric(who: str, metric: str) -> None:
    if not isinstance(metric, str) or metric not in ("euclidean", "precomputed"):
        hint = "compute other distances first and pass them with metric='precomputed'"
        refuse(who, "metric must be 'euclidean' or 'precomputed'", f"got {short_repr(metric)}", hint)


def _silhouettes(who: str, clustered: Clustered, metric: str) -> Floats:
    if metric == "precomputed":
        _check_distances(who, clustered.table)
        return _from_distances(clustered)
    order = np.argsort(clustered.codes, kind="stable")
    start = np.append(0, np.cumsum(clustered.sizes))
    scaled = clustered.table * power_of_two(np.abs(clustered.table).max())  # a silhouette has no unit
    silhouettes = np.empty(len(order))
    silhouettes[order] = _core.silhouettes(np.ascontiguousarray(scaled[order]), start, effective_threads())
    return silhouettes


def _from_distances(clustered: Clustered) -> Floats:
    """A few rows at a time, so that no second table of distances is kept."""
    table, codes, sizes = clustered
    order = np.argsort(codes, kind="stable")
    starts, n, factor = np.cumsum(sizes) - sizes, len(table), power_of_two(table.max())
    silhouettes, step = np.empty(n), max(1, PAIRS_AT_ONCE // n)
    for start in range(0, n, step):
        rows = slice(start, min(start + step, n))
        sums = np.add.reduceat(table[rows][:, order] * factor, starts, axis=1)
        silhouettes[rows] = _silhouettes_of(sums, codes[rows], sizes)
    return silhouettes


def _silhouettes_of(sums: Floats, codes: Integers, sizes: Integers) -> Floats:
    """s from the sums of the distances to each cluster."""
    row = np.arange(len(sums))
    a = sums[row, codes] / np.maximum(sizes[codes] - 1, 1)
    means = sums / sizes
    means[row, codes] = np.inf
    b = means.min(axis=1)
    larger = np.maximum(a, b)
    s = (b - a) / np.where(larger > 0, larger, 1.0)
    return np.where(sizes[codes] > 1, s, 0.0)


def _check_distances(who: str, table: Floats) -> None:
    n, m = table.shape
    if n != m:
        requirement = f"Precomputed metric requires shape (n_queries, n_indexed). Got ({n}, {m}) for {n} indexed"
        fail(who, requirement, hint="give a square table of distances, or leave metric='precomputed' out")
    if (table < 0).any():
        i, k = np.argwhere(table < 0)[0]
        actual = f"got {table[i, k]:g} between rows {i} and {k}"
        fail(who, "Precomputed distance need to have non-negative values", actual)
    wrong = np.flatnonzero(np.abs(table.diagonal()) > 100 * EPS)
    if len(wrong) > 0:
        requirement = "The precomputed distance matrix contains non-zero elements on the diagonal"
        fail(who, requirement, f"found in {noun_list('row', wrong)}", "fill the diagonal of X with zeros")


def calinski_harabasz_score(X: ArrayLike, labels: ArrayLike) -> float:
    """Spread between the clusters over the spread within them; higher is better, without an upper end.

    ``(B / (k - 1)) / (W / (n - k))``

    B  sum over clusters j of ``b_j |m_j - m|²``, the squared distances of the clusters' means from the mean of all
    W  sum over rows of ``|x_i - m_j|²``, the squared distances of the rows from the mean of their cluster
    k  clusters of n rows in all

    It likes round clusters of like size. 1 where W is 0 (all rows of every cluster are equal).

    >>> calinski_harabasz_score([[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1])
    50.0
    """
    table, codes, sizes = _clustered("calinski_harabasz_score", X, labels)
    means, within, _ = _centered(table, codes, sizes)
    n, k = len(table), len(sizes)
    center = (means * sizes[:, None]).sum(axis=0) / n
    between = float((sizes * ((means - center) ** 2).sum(axis=1)).sum())
    inside = float((within**2).sum())
    return 1.0 if inside == 0 else between * (n - k) / (inside * (k - 1))


def davies_bouldin_score(X: ArrayLike, labels: ArrayLike) -> float:
    """How much each cluster overlaps with the one it is most easily confused with; 0 is best.

    ``(1/k) sum_i max_{j != i} (s_i + s_j) / d_ij``

    s_i   mean distance of the rows of cluster i from its mean
    d_ij  distance between the means of clusters i and j

    Clusters with the same mean are left out of the maximum, and where all have the same mean the score is 0: read it
    together with another one. "The same" is within rounding of the values, where scikit-learn takes 1e-8 in whatever
    unit the table has.

    >>> davies_bouldin_score([[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1])
    0.2
    """
    table, codes, sizes = _clustered("davies_bouldin_score", X, labels)
    means, within, rounding = _centered(table, codes, sizes)
    reach = np.bincount(codes, weights=np.sqrt((within**2).sum(axis=1))) / sizes
    worst = np.zeros(len(sizes))
    for i, mean in enumerate(means):
        apart = np.sqrt(((means - mean) ** 2).sum(axis=1))
        apart[apart <= rounding] = np.inf
        worst[i] = ((reach + reach[i]) / apart).max()
    return float(worst.mean())


class Centered(NamedTuple):
    """Means of the clusters, the rows' distances from them, and what counts as 0; scaled: the scores have no unit."""

    means: Floats
    within: Floats
    rounding: float


def _centered(table: Floats, codes: Integers, sizes: Integers) -> Centered:
    """Sums start from the first row of each cluster, so that equal rows deviate by exactly 0."""
    half = table / 2  # so that no difference overflows
    factor = power_of_two((half.max(axis=0) - half.min(axis=0)).max())
    first = half[np.unique(codes, return_index=True)[1]]
    shift = (half - first[codes]) * factor
    offset = np.stack([np.bincount(codes, weights=column) for column in shift.T], axis=1) / sizes[:, None]
    means = (first - half[0]) * factor + offset
    return Centered(means, shift - offset[codes], 8 * EPS * float(np.abs(half).max() * factor))


class Clustered(NamedTuple):
    """Rows, the cluster of each as a number from 0, and the clusters' sizes."""

    table: Floats
    codes: Integers
    sizes: Integers


def _clustered(who: str, X: ArrayLike, labels: ArrayLike, any_number: bool = False) -> Clustered:
    table = numbers(who, X, "X")
    if table.ndim == 1:
        hint = "Reshape your data: X.reshape(-1, 1) if it is one column, X.reshape(1, -1) if it is one row"
        fail(who, "Expected 2D array, got 1D array instead", f"X has {count(len(table), 'value')}", hint)
    codes = group_codes(who, labels, "labels")
    check_lengths(who, X=table, labels=codes)
    sizes = np.bincount(codes)
    if not any_number and not 1 < len(sizes) < len(table):
        requirement = f"Number of labels is {len(sizes)}. Valid values are 2 to n_samples - 1 (inclusive)"
        fail(who, requirement, f"got {count(len(table), 'row')}")
    return Clustered(table, codes, sizes)
