"""How good a grouping of rows is: by the rows themselves, or against a known grouping.

*By the rows* (silhouette, Davies-Bouldin, Calinski-Harabasz): are rows near to their own cluster and far from others?

*Against known classes* (Rand, Fowlkes-Mallows, mutual information, homogeneity, ...): which rows are together in both?
The names of the groups do not matter, and neither does their order. All of them are figures of one table of counts with

    n_ij  rows of class i in cluster j         a_i = sum_j n_ij  rows of class i
    n     rows in all                          b_j = sum_i n_ij  rows of cluster j

Names, arguments and answers are scikit-learn's. Logarithms are natural ones.
"""

from __future__ import annotations

from functools import partial
from math import sqrt
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix, find, issparse
from sklearn.utils import check_random_state

from pellucid.base.errors import DataTypeError, ParameterError, PellucidWarning, count, named, sentence, short, warn
from pellucid.base.types import Array, Floats
from pellucid.data.kinds import is_missing
from pellucid.metrics._numbers import fail, numbers, power_of_two, same_length, whole

__all__ = [
    "adjusted_mutual_info_score",
    "adjusted_rand_score",
    "calinski_harabasz_score",
    "completeness_score",
    "contingency_matrix",
    "davies_bouldin_score",
    "fowlkes_mallows_score",
    "homogeneity_score",
    "mutual_info_score",
    "normalized_mutual_info_score",
    "rand_score",
    "silhouette_samples",
    "silhouette_score",
    "v_measure_score",
]

Integers = NDArray[np.int64]
AverageMethod = Literal["min", "geometric", "arithmetic", "max"]
EPS = float(np.finfo(np.float64).eps)
# Distances are computed for so many pairs of rows at once: 1 MB, which a processor's second cache holds.
PAIRS_AT_ONCE = 2**17


# ---- by the rows themselves


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
    return _silhouettes("silhouette_samples", X, labels, metric)


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
    if sample_size is None:
        return float(_silhouettes(who, X, labels, metric).mean())
    size = whole(who, sample_size, "sample_size", 1)
    table, _, _ = _clustered(who, X, labels, any_number=True)
    drawn = check_random_state(random_state).permutation(len(table))[:size]
    part = table[np.ix_(drawn, drawn)] if metric == "precomputed" else table[drawn]
    return float(_silhouettes(who, part, np.asarray(labels)[drawn], metric).mean())


def _silhouettes(who: str, X: ArrayLike, labels: ArrayLike, metric: str) -> Floats:
    if metric not in ("euclidean", "precomputed"):
        hint = "compute other distances first and pass them with metric='precomputed'"
        raise ParameterError(sentence(who, "metric must be 'euclidean' or 'precomputed'", f"got {short(metric)}", hint))
    table, codes, sizes = _clustered(who, X, labels)
    order = np.argsort(codes, kind="stable")
    if metric == "precomputed":
        _check_distances(who, table)
        block = partial(_given, table, order, power_of_two(table.max()))
    else:
        scaled = table * power_of_two(np.abs(table).max())  # a silhouette has no unit
        block = partial(_distances, scaled, np.ascontiguousarray(scaled[order].T))
    starts, n = np.cumsum(sizes) - sizes, len(table)
    found, step = np.empty(n), max(1, PAIRS_AT_ONCE // n)
    for start in range(0, n, step):
        rows = slice(start, min(start + step, n))
        sums = np.add.reduceat(block(rows), starts, axis=1)
        found[rows] = _silhouettes_of(sums, codes[rows], sizes)
    return found


def _silhouettes_of(sums: Floats, own: Integers, sizes: Integers) -> Floats:
    """s from the sums of the distances to each cluster."""
    row = np.arange(len(sums))
    a = sums[row, own] / np.maximum(sizes[own] - 1, 1)
    means = sums / sizes
    means[row, own] = np.inf
    b = means.min(axis=1)
    larger = np.maximum(a, b)
    s = (b - a) / np.where(larger > 0, larger, 1.0)
    return np.where(sizes[own] > 1, s, 0.0)


def _given(table: Floats, order: Integers, factor: float, rows: slice) -> Floats:
    return np.asarray(table[rows][:, order] * factor)


def _distances(table: Floats, columns: Floats, rows: slice) -> Floats:
    """``sqrt(sum_j (x_ij - x_kj)²)``, by differences: the quicker |x|² + |z|² - 2 x·z loses the digits of near rows."""
    part = table[rows]
    total = np.zeros((len(part), columns.shape[1]))
    apart = np.empty_like(total)
    for j, column in enumerate(columns):
        np.subtract(part[:, j, None], column, out=apart)
        np.multiply(apart, apart, out=apart)
        total += apart
    return np.sqrt(total, out=total)


def _check_distances(who: str, table: Floats) -> None:
    n, m = table.shape
    if n != m:
        must = f"Precomputed metric requires shape (n_queries, n_indexed). Got ({n}, {m}) for {n} indexed"
        fail(who, must, hint="give a square table of distances, or leave metric='precomputed' out")
    if (table < 0).any():
        i, k = np.argwhere(table < 0)[0]
        found = f"got {table[i, k]:g} between rows {i} and {k}"
        fail(who, "Precomputed distance need to have non-negative values", found)
    wrong = np.flatnonzero(np.abs(table.diagonal()) > 100 * EPS)
    if len(wrong) > 0:
        must = "The precomputed distance matrix contains non-zero elements on the diagonal"
        fail(who, must, f"found in {named('row', wrong)}", "Use np.fill_diagonal(X, 0)")


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
    means, within, _ = _centred(table, codes, sizes)
    n, k = len(table), len(sizes)
    centre = (means * sizes[:, None]).sum(axis=0) / n
    between = float((sizes * ((means - centre) ** 2).sum(axis=1)).sum())
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
    means, within, rounding = _centred(table, codes, sizes)
    reach = np.bincount(codes, weights=np.sqrt((within**2).sum(axis=1))) / sizes
    worst = np.zeros(len(sizes))
    for i, mean in enumerate(means):
        apart = np.sqrt(((means - mean) ** 2).sum(axis=1))
        apart[apart <= rounding] = np.inf
        worst[i] = ((reach + reach[i]) / apart).max()
    return float(worst.mean())


class Centred(NamedTuple):
    """Means of the clusters, the rows' distances from them, and what counts as 0; scaled: the scores have no unit."""

    means: Floats
    within: Floats
    rounding: float


def _centred(table: Floats, codes: Integers, sizes: Integers) -> Centred:
    """Sums start from the first row of each cluster, so that equal rows deviate by exactly 0."""
    half = table / 2  # so that no difference overflows
    factor = power_of_two((half.max(axis=0) - half.min(axis=0)).max())
    first = half[np.unique(codes, return_index=True)[1]]
    shift = (half - first[codes]) * factor
    offset = np.stack([np.bincount(codes, weights=column) for column in shift.T], axis=1) / sizes[:, None]
    means = (first - half[0]) * factor + offset
    return Centred(means, shift - offset[codes], 8 * EPS * float(np.abs(half).max() * factor))


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
    codes = _codes(who, labels, "labels")
    same_length(who, X=table, labels=codes)
    sizes = np.bincount(codes)
    if not any_number and not 1 < len(sizes) < len(table):
        must = f"Number of labels is {len(sizes)}. Valid values are 2 to n_samples - 1 (inclusive)"
        fail(who, must, f"got {count(len(table), 'row')}")
    return Clustered(table, codes, sizes)


# ---- against known classes


def contingency_matrix(
    labels_true: ArrayLike,
    labels_pred: ArrayLike,
    *,
    eps: float | None = None,
    sparse: bool = False,
    dtype: Any = np.int64,
) -> Any:
    """How many rows each class has in each cluster: n_ij, a row for a class and a column for a cluster, both in order.

    `eps` is added to every count; `sparse` gives a CSR matrix, which has room for very many groups.

    >>> contingency_matrix(["a", "a", "b"], [1, 0, 1])
    array([[1, 1],
           [0, 1]])
    """
    who = "contingency_matrix"
    if eps is not None and sparse:
        raise ParameterError(sentence(who, "Cannot set 'eps' when sparse=True", f"got eps={eps:g}", "leave one out"))
    counts = _counts(who, labels_true, labels_pred, warn_continuous=False)
    shape = len(counts.a), len(counts.b)
    if sparse:
        return csr_matrix((counts.n.astype(dtype), (counts.i, counts.j)), shape=shape)
    dense = np.zeros(shape, dtype=dtype)
    dense[counts.i, counts.j] = counts.n
    return dense if eps is None else dense + eps


def rand_score(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """Share of the pairs of rows on which two groupings agree: together in both or apart in both.

    ``(pairs together in both + pairs apart in both) / (n (n - 1) / 2)``

    Groupings drawn at random score well above 0 already; :func:`adjusted_rand_score` takes that off.

    >>> rand_score([0, 0, 1, 1], [0, 0, 0, 1])
    0.5
    """
    pairs = _pairs(_counts("rand_score", labels_true, labels_pred))
    agree, total = pairs.apart + pairs.together, sum(pairs)
    return 1.0 if agree == total else agree / total


def adjusted_rand_score(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """Rand score above what chance gives: 1 for the same grouping, about 0 for one drawn at random.

    ``(R - E[R]) / (1 - E[R])``  over random groupings with the same sizes; with the numbers of pairs

    t   together in both       f_p  together in the clusters only
    u   apart in both          f_n  together in the classes only

    this is ``2 (t u - f_n f_p) / ((t + f_n)(f_n + u) + (t + f_p)(f_p + u))``.

    >>> adjusted_rand_score([0, 0, 1, 1], [1, 1, 0, 0]), adjusted_rand_score([0, 0, 1, 1], [0, 1, 0, 1])
    (1.0, -0.5)
    """
    u, f_p, f_n, t = _pairs(_counts("adjusted_rand_score", labels_true, labels_pred))
    if f_n == 0 and f_p == 0:
        return 1.0
    return 2 * (t * u - f_n * f_p) / ((t + f_n) * (f_n + u) + (t + f_p) * (f_p + u))


def fowlkes_mallows_score(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """Geometric mean of two shares of pairs: of those together in the clusters, and in the classes, that are in both.

    ``t / sqrt((t + f_p)(t + f_n))``, with the pairs of :func:`adjusted_rand_score`; 0 where no pair is together in both

    >>> fowlkes_mallows_score([0, 0, 1, 1], [0, 0, 1, 1])
    1.0
    >>> fowlkes_mallows_score([0, 0, 0, 0], [0, 0, 1, 2])
    0.40824829046386...
    """
    _, f_p, f_n, t = _pairs(_counts("fowlkes_mallows_score", labels_true, labels_pred))
    return sqrt(t / (t + f_p)) * sqrt(t / (t + f_n)) if t else 0.0


def mutual_info_score(
    labels_true: ArrayLike | None, labels_pred: ArrayLike | None, *, contingency: Any = None
) -> float:
    """How much the cluster of a row tells of its class, in nats.

    ``MI = sum_ij (n_ij / n) ln(n n_ij / (a_i b_j))``

    0 where the two groupings are independent; at most the smaller of their entropies. It grows with the number of
    clusters; :func:`adjusted_mutual_info_score` does not. A `contingency` table takes the place of both label lists.

    >>> mutual_info_score([0, 0, 1, 1], [0, 1, 0, 1]), round(mutual_info_score([0, 0, 1, 1], [0, 0, 1, 1]), 6)
    (0.0, 0.693147)
    """
    who = "mutual_info_score"
    if contingency is not None:
        return _information(_counts_of_table(who, contingency))
    if labels_true is None or labels_pred is None:
        raise DataTypeError(sentence(who, "labels_true and labels_pred must be given where contingency is not"))
    counts = _counts(who, labels_true, labels_pred)
    if counts.total == 0:
        fail(who, "Found array with 0 sample(s) while a minimum of 1 is required", hint="check the selection")
    return _information(counts)


def normalized_mutual_info_score(
    labels_true: ArrayLike, labels_pred: ArrayLike, *, average_method: AverageMethod = "arithmetic"
) -> float:
    """Mutual information as a share of the entropies: 0 for independent groupings, 1 for the same one.

    ``MI / mean(H(a), H(b))``  with ``H(a) = -sum_i (a_i / n) ln(a_i / n)``, and the mean that `average_method` names

    Not corrected for chance: with many clusters it is above 0 for groupings drawn at random.

    >>> normalized_mutual_info_score([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    """
    who = "normalized_mutual_info_score"
    _check_average(who, average_method)
    counts = _counts(who, labels_true, labels_pred)
    if len(counts.a) == len(counts.b) <= 1:
        return 1.0
    information = _information(counts)
    if information == 0:
        return 0.0
    return min(1.0, information / _average(_entropy(counts.a), _entropy(counts.b), average_method))


def adjusted_mutual_info_score(
    labels_true: ArrayLike, labels_pred: ArrayLike, *, average_method: AverageMethod = "arithmetic"
) -> float:
    """Mutual information above what chance gives: 1 for the same grouping, about 0 for one drawn at random.

    ``(MI - E[MI]) / (mean(H(a), H(b)) - E[MI])``

    The expected value is over all tables with the given sums: n_ij is then hypergeometric, and
    ``E[MI] = sum_ij sum_m (m / n) ln(n m / (a_i b_j)) P(n_ij = m)``,
    ``P(n_ij = m) = C(a_i, m) C(n - a_i, b_j - m) / C(n, b_j)``. It is exact, not drawn.

    >>> adjusted_mutual_info_score([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    >>> round(adjusted_mutual_info_score([0, 0, 1, 1], [0, 1, 0, 1]), 6)
    -0.5
    """
    who = "adjusted_mutual_info_score"
    _check_average(who, average_method)
    counts = _counts(who, labels_true, labels_pred)
    classes, clusters = len(counts.a), len(counts.b)
    if classes == clusters == len(counts.n):
        return 1.0  # one grouping under two names
    if classes == 1 or clusters == 1:
        return 0.0
    information, by_chance = _information(counts), _expected_information(counts.a, counts.b)
    entropy = _average(_entropy(counts.a), _entropy(counts.b), average_method)
    return _above(information, by_chance) / _above(entropy, by_chance)


def _above(value: float, by_chance: float) -> float:
    """value - by_chance; where nothing but rounding is left, the least number that can be divided by."""
    rest = value - by_chance
    return EPS if abs(rest) <= 64 * EPS * (abs(value) + by_chance) else rest


def _expected_information(a: Integers, b: Integers) -> float:
    """E[MI] of all tables with row sums a and column sums b. Groups of equal size have equal terms, taken once."""
    a_sizes, a_times = np.unique(a, return_counts=True)
    b_sizes, b_times = np.unique(b, return_counts=True)
    n, total = int(a.sum()), 0.0
    for size, times in zip(a_sizes.tolist(), a_times.tolist(), strict=True):
        for other, other_times in zip(b_sizes.tolist(), b_times.tolist(), strict=True):
            total += times * other_times * _expected_term(size, other, n)
    return total


def _expected_term(a: int, b: int, n: int) -> float:
    """``sum_m (m / n) ln(n m / (a b)) P(m)``.

    P comes from the ratios of its neighbours, ``P(m + 1) / P(m) = (a - m)(b - m) / ((m + 1)(n - a - b + m + 1))``, and
    from its sum 1: logarithms of large factorials would cost digits, three of them at 20,000 rows.
    """
    m = np.arange(max(0, a + b - n), min(a, b) + 1, dtype=np.float64)
    now = m[:-1]
    ratios = np.log((a - now) * (b - now) / ((now + 1) * (n - a - b + now + 1)))
    height = np.concatenate([[0.0], np.cumsum(ratios)])
    chance = np.exp(height - height.max())
    filled = slice(1, None) if m[0] == 0 else slice(None)
    terms = m[filled] / n * np.log(n * m[filled] / (float(a) * b)) * chance[filled]
    return float(terms.sum() / chance.sum())


def homogeneity_score(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """Does each cluster hold rows of one class only? 1 where all do.

    ``MI / H(a)``, and 1 where there is but one class

    Every row in a cluster of its own is perfectly homogeneous: read it together with :func:`completeness_score`.

    >>> homogeneity_score([0, 0, 1, 1], [0, 1, 2, 2]), homogeneity_score([0, 0, 1, 1], [0, 0, 0, 0])
    (1.0, 0.0)
    """
    return _shares(_counts("homogeneity_score", labels_true, labels_pred))[0]


def completeness_score(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """Are all rows of a class in one cluster? 1 where they are.

    ``MI / H(b)``, and 1 where there is but one cluster; it is :func:`homogeneity_score` with the two exchanged.

    >>> completeness_score([0, 0, 1, 1], [0, 0, 0, 0]), completeness_score([0, 0, 1, 1], [0, 1, 2, 3])
    (1.0, 0.5)
    """
    return _shares(_counts("completeness_score", labels_true, labels_pred))[1]


def v_measure_score(labels_true: ArrayLike, labels_pred: ArrayLike, *, beta: float = 1.0) -> float:
    """Harmonic mean of homogeneity h and completeness c.

    ``V = (1 + beta) h c / (beta h + c)``

    A beta below 1 favours homogeneity, one above 1 completeness. With beta = 1 it is
    :func:`normalized_mutual_info_score`.

    >>> round(v_measure_score([0, 0, 1, 1], [0, 1, 2, 3]), 6)
    0.666667
    """
    who = "v_measure_score"
    if isinstance(beta, bool) or not isinstance(beta, int | float | np.number) or not 0 <= beta < np.inf:
        raise ParameterError(sentence(who, "beta must be a number of at least 0", f"got {short(beta)}"))
    h, c = _shares(_counts(who, labels_true, labels_pred))
    return 0.0 if h * c == 0 else float((1 + beta) * h * c / (beta * h + c))


class Counts(NamedTuple):
    """The table of counts: n rows in class i and cluster j, where there are any; the sums of its rows and columns."""

    i: Integers
    j: Integers
    n: Integers
    a: Integers
    b: Integers

    @property
    def total(self) -> int:
        return int(self.a.sum())


class Pairs(NamedTuple):
    """Pairs of rows: apart in both, together in the clusters only, in the classes only, in both."""

    apart: int
    in_clusters: int
    in_classes: int
    together: int


def _counts(who: str, labels_true: ArrayLike, labels_pred: ArrayLike, warn_continuous: bool = True) -> Counts:
    true = _codes(who, labels_true, "labels_true", warn_continuous)
    predicted = _codes(who, labels_pred, "labels_pred", warn_continuous)
    same_length(who, labels_true=true, labels_pred=predicted)
    if len(true) == 0:
        return Counts(true, true, true, true, true)
    a, b = np.bincount(true), np.bincount(predicted)
    cell = true * len(b) + predicted
    if len(a) * len(b) <= 4 * len(true):
        in_cell = np.bincount(cell, minlength=len(a) * len(b))
        cells = np.flatnonzero(in_cell)
        n = in_cell[cells]
    else:
        cells, n = np.unique(cell, return_counts=True)
    i, j = np.divmod(cells, len(b))
    return Counts(i, j, n, a, b)


def _counts_of_table(who: str, contingency: Any) -> Counts:
    if issparse(contingency):
        table = contingency.tocoo()
        i, j, n = find(table)
        numbers(who, n, "contingency")
    else:
        dense = numbers(who, contingency, "contingency")
        if dense.ndim != 2:
            fail(who, "contingency must be a table of counts", f"got shape {dense.shape}", "see contingency_matrix")
        table = dense
        i, j = np.nonzero(dense)
        n = dense[i, j]
    if len(n) == 0 or (n < 0).any():
        fail(who, "contingency must hold counts of at least 0, not all 0", f"got {short(n[n < 0].tolist() or 'zeros')}")
    a, b = np.asarray(table.sum(axis=1)).ravel(), np.asarray(table.sum(axis=0)).ravel()
    return Counts(i, j, n, a, b)


def _codes(who: str, labels: ArrayLike, name: str, warn_continuous: bool = False) -> Integers:
    """Labels as numbers 0, 1, ... in their order."""
    array = _label_array(who, labels, name)
    if array.ndim != 1:
        fail(who, f"{name} must be 1D: shape is {array.shape}", hint="pass one column of labels")
    if array.dtype.kind == "f":
        numbers(who, array if len(array) else [0.0], name)
        if warn_continuous and (array != np.floor(array)).any():
            must = f"Clustering metrics expects discrete values but received continuous values for {name}"
            warn(sentence(who, must, "each value is a group of its own"), PellucidWarning)
    try:
        return np.asarray(np.unique(array, return_inverse=True)[1], dtype=np.int64)
    except TypeError as error:
        fail(who, f"{name} must hold labels that can be put in order", str(error), "turn them into text or numbers")


def _label_array(who: str, labels: Any, name: str) -> Array:
    """The labels as they are. NumPy would make text of a list that mixes text and numbers: 1 and "1" would be one."""
    if isinstance(labels, str | bytes | dict | set) or labels is None or np.ndim(labels) == 0:
        raise DataTypeError(sentence(who, f"{name} must be a list or an array of labels", f"got {short(labels)}"))
    mixable = isinstance(labels, list | tuple) and any(isinstance(label, str) for label in labels)
    array: Array = np.asarray(labels, dtype=object) if mixable else np.asarray(labels)
    if array.dtype.kind != "O" or array.ndim != 1:
        return array
    values = array.tolist()
    missing = [row for row, value in enumerate(values) if is_missing(value)]
    if missing:
        fail(who, f"Input {name} contains NaN", f"found in {named('row', missing)}", "drop or fill these rows first")
    kinds = sorted({"text" if isinstance(value, str) else "other" for value in values})
    if len(kinds) > 1:
        types = ", ".join(sorted({type(value).__name__ for value in values}))
        must = f"{name} must be of one kind (uniformly strings or numbers)"
        fail(who, must, f"got {types}", "turn all into text, or into numbers")
    plain = np.asarray(values)
    return plain if plain.ndim == 1 else array


def _pairs(counts: Counts) -> Pairs:
    """Numbers of pairs, each counted twice, from sums of squares; whole numbers of any size."""
    n = counts.total
    both, a, b = (int((size.astype(np.int64) ** 2).sum()) for size in (counts.n, counts.a, counts.b))
    return Pairs(n * n - a - b + both, b - both, a - both, both - n)


def _information(counts: Counts) -> float:
    """MI; a cell as full as chance would have it has the ratio 1 and adds exactly 0."""
    if len(counts.a) == 1 or len(counts.b) == 1:
        return 0.0
    n = float(counts.total)
    ratio = n * counts.n / (counts.a[counts.i].astype(np.float64) * counts.b[counts.j])
    return max(0.0, float((counts.n / n * np.log(ratio)).sum()))


def _entropy(sizes: Integers) -> float:
    """``-sum_i p_i ln p_i``."""
    n = float(sizes.sum())
    return float((sizes / n * np.log(n / sizes)).sum())


def _shares(counts: Counts) -> tuple[float, float]:
    """Homogeneity and completeness."""
    if counts.total == 0:
        return 1.0, 1.0
    information, h_true, h_pred = _information(counts), _entropy(counts.a), _entropy(counts.b)
    homogeneity = min(1.0, information / h_true) if len(counts.a) > 1 else 1.0
    completeness = min(1.0, information / h_pred) if len(counts.b) > 1 else 1.0
    return homogeneity, completeness


def _check_average(who: str, method: str) -> None:
    if method not in get_args(AverageMethod):
        known = ", ".join(map(repr, get_args(AverageMethod)))
        raise ParameterError(sentence(who, f"average_method must be one of {known}", f"got {short(method)}"))


def _average(u: float, v: float, method: AverageMethod) -> float:
    return {"min": min(u, v), "max": max(u, v), "geometric": sqrt(u * v), "arithmetic": (u + v) / 2}[method]
