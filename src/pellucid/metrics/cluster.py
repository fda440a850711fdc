"""How far a grouping of rows agrees with a known one: which rows are together in both?

The names of the groups do not matter, and neither does their order. All figures are made from one table of counts with

    n_ij  rows of class i in cluster j         a_i = sum_j n_ij  rows of class i
    n     rows in all                          b_j = sum_i n_ij  rows of cluster j

Names, arguments and answers are scikit-learn's. Logarithms are natural ones.
"""

from __future__ import annotations

from math import sqrt
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix, find, issparse

from pellucid.base.errors import short_repr
from pellucid.metrics._groups import group_codes
from pellucid.metrics._read import check_choice, check_lengths, fail, fail_type, is_number, numbers, refuse

__all__ = [
    "adjusted_mutual_info_score",
    "adjusted_rand_score",
    "completeness_score",
    "contingency_matrix",
    "fowlkes_mallows_score",
    "homogeneity_score",
    "mutual_info_score",
    "normalized_mutual_info_score",
    "rand_score",
    "v_measure_score",
]

Integers = NDArray[np.int64]
AverageMethod = Literal["min", "geometric", "arithmetic", "max"]
EPS = float(np.finfo(np.float64).eps)


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
    if eps is not None and not is_number(eps):
        refuse(who, "eps must be a number or None", f"got {short_repr(eps)}")
    if eps is not None and sparse:
        refuse(who, "Cannot set 'eps' when sparse=True", f"got eps={eps:g}", "leave one out")
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
        fail_type(who, "labels_true and labels_pred must be given where contingency is not")
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
    check_choice(who, "average_method", average_method, get_args(AverageMethod))
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
    check_choice(who, "average_method", average_method, get_args(AverageMethod))
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
    excess = value - by_chance
    return EPS if abs(excess) <= 64 * EPS * (abs(value) + by_chance) else excess


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

    P comes from the ratios of its neighbors, ``P(m + 1) / P(m) = (a - m)(b - m) / ((m + 1)(n - a - b + m + 1))``, and
    from its sum 1: logarithms of large factorials would cost digits, three of them at 20,000 rows.
    """
    m = np.arange(max(0, a + b - n), min(a, b) + 1, dtype=np.float64)
    now = m[:-1]
    ratios = np.log((a - now) * (b - now) / ((now + 1) * (n - a - b + now + 1)))
    height = np.concatenate([[0.0], np.cumsum(ratios)])
    probabilities = np.exp(height - height.max())
    filled = slice(1, None) if m[0] == 0 else slice(None)
    terms = m[filled] / n * np.log(n * m[filled] / (float(a) * b)) * probabilities[filled]
    return float(terms.sum() / probabilities.sum())


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

    A beta below 1 favors homogeneity, one above 1 completeness. With beta = 1 it is
    :func:`normalized_mutual_info_score`.

    >>> round(v_measure_score([0, 0, 1, 1], [0, 1, 2, 3]), 6)
    0.666667
    """
    who = "v_measure_score"
    if not is_number(beta) or not 0 <= beta < np.inf:
        refuse(who, "beta must be a number of at least 0", f"got {short_repr(beta)}")
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
    true = group_codes(who, labels_true, "labels_true", warn_continuous)
    predicted = group_codes(who, labels_pred, "labels_pred", warn_continuous)
    check_lengths(who, labels_true=true, labels_pred=predicted)
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
        fail(
            who,
            "contingency must hold counts of at least 0, not all 0",
            f"got {short_repr(n[n < 0].tolist() or 'zeros')}",
        )
    a, b = np.asarray(table.sum(axis=1)).ravel(), np.asarray(table.sum(axis=0)).ravel()
    return Counts(i, j, n, a, b)


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


def _average(u: float, v: float, method: AverageMethod) -> float:
    return {"min": min(u, v), "max": max(u, v), "geometric": sqrt(u * v), "arithmetic": (u + v) / 2}[method]
