"""Scores of a clustering, step by step.

Notation: rows x_1 ... x_n in clusters; n_ij rows of class i in cluster j, a_i rows of class i, b_j rows of cluster j.
"""

from __future__ import annotations

from itertools import combinations
from math import comb, log, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Vector = NDArray[np.float64]
Table = NDArray[np.float64]


class Pairs(NamedTuple):
    """Pairs of rows: apart in both groupings, together in the clusters only, in the classes only, in both."""

    apart: int
    in_clusters: int
    in_classes: int
    together: int


def distances(X: ArrayLike) -> Table:
    """``d_ik = sqrt(sum_j (x_ij - x_kj)^2)`` for all pairs of rows."""
    rows = np.asarray(X, dtype=np.float64)
    return np.array([[sqrt(((x - z) ** 2).sum()) for z in rows] for x in rows])


def silhouette_samples(D: ArrayLike, labels: ArrayLike) -> Vector:
    """``(b - a) / max(a, b)`` of each row, from the table of distances.

    a  mean distance to the others of its own cluster
    b  least mean distance to the rows of another cluster
    """
    distance, groups = np.asarray(D, dtype=np.float64), np.asarray(labels)
    widths = np.zeros(len(groups))
    for i, row_group in enumerate(groups):
        group_rows = [k for k in np.flatnonzero(groups == row_group) if k != i]
        if not group_rows:
            continue  # the only row of its cluster has 0
        a = distance[i, group_rows].mean()
        b = min(distance[i, groups == group].mean() for group in np.unique(groups) if group != row_group)
        widths[i] = (b - a) / max(a, b) if max(a, b) > 0 else 0.0
    return widths


def calinski_harabasz(X: ArrayLike, labels: ArrayLike) -> float:
    """``(B / (k - 1)) / (W / (n - k))`` with squared distances between (B) and within (W) the clusters."""
    rows, groups = np.asarray(X, dtype=np.float64), np.asarray(labels)
    between = within = 0.0
    for group in np.unique(groups):
        members = rows[groups == group]
        between += len(members) * ((members.mean(axis=0) - rows.mean(axis=0)) ** 2).sum()
        within += ((members - members.mean(axis=0)) ** 2).sum()
    k, n = len(np.unique(groups)), len(rows)
    return float((between / (k - 1)) / (within / (n - k)))


def davies_bouldin(X: ArrayLike, labels: ArrayLike) -> float:
    """Mean over clusters of the largest ``(s_i + s_j) / d_ij``.

    s_i   mean distance of the rows of a cluster from its mean
    d_ij  distance of two clusters' means
    """
    rows, groups = np.asarray(X, dtype=np.float64), np.asarray(labels)
    clusters = [rows[groups == group] for group in np.unique(groups)]
    means = [cluster.mean(axis=0) for cluster in clusters]
    s = [np.mean([sqrt(((x - m) ** 2).sum()) for x in cluster]) for cluster, m in zip(clusters, means, strict=True)]
    d = distances(means)
    k = len(clusters)
    return float(np.mean([max((s[i] + s[j]) / d[i, j] for j in range(k) if j != i) for i in range(k)]))


def contingency(labels_true: ArrayLike, labels_pred: ArrayLike) -> NDArray[np.int64]:
    """n_ij: how many rows have class i and cluster j."""
    true, predicted = np.asarray(labels_true), np.asarray(labels_pred)
    return np.array([[((true == i) & (predicted == j)).sum() for j in np.unique(predicted)] for i in np.unique(true)])


def pairs(labels_true: ArrayLike, labels_pred: ArrayLike) -> Pairs:
    """Looks at every pair of rows."""
    true, predicted = np.asarray(labels_true), np.asarray(labels_pred)
    pair_counts = [0, 0, 0, 0]
    for i, k in combinations(range(len(true)), 2):
        pair_counts[2 * int(true[i] == true[k]) + int(predicted[i] == predicted[k])] += 1
    return Pairs(*pair_counts)


def rand(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """Share of pairs on which the groupings agree."""
    pair_counts = pairs(labels_true, labels_pred)
    return (pair_counts.apart + pair_counts.together) / sum(pair_counts)


def adjusted_rand(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """``(I - E) / (M - E)``: pairs together in both, their expected number and the largest they could have.

    ``I = sum_ij C(n_ij, 2)``, ``E = A B / C(n, 2)``, ``M = (A + B) / 2``
    with ``A = sum_i C(a_i, 2)`` and ``B = sum_j C(b_j, 2)``
    """
    table = contingency(labels_true, labels_pred)
    together, A, B = (sum(comb(int(size), 2) for size in sizes) for sizes in (table.flat, table.sum(1), table.sum(0)))
    expected = A * B / comb(int(table.sum()), 2)
    return (together - expected) / ((A + B) / 2 - expected)


def fowlkes_mallows(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """``t / sqrt((t + f_p)(t + f_n))`` of the pairs together in both, in the clusters only, in the classes only."""
    _, f_p, f_n, t = pairs(labels_true, labels_pred)
    return t / sqrt((t + f_p) * (t + f_n)) if t else 0.0


def entropy(labels: ArrayLike) -> float:
    """``-sum_i p_i ln p_i`` with the share p_i of each group."""
    _, sizes = np.unique(np.asarray(labels), return_counts=True)
    return float(-sum(share * log(share) for share in (sizes / sizes.sum()).tolist()))


def mutual_information(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """``sum_ij (n_ij / n) ln(n n_ij / (a_i b_j))`` over cells that are not empty."""
    table = contingency(labels_true, labels_pred)
    n, a, b = table.sum(), table.sum(axis=1), table.sum(axis=0)
    cells = zip(*np.nonzero(table), strict=True)
    return float(sum(table[i, j] / n * log(n * table[i, j] / (a[i] * b[j])) for i, j in cells))


def expected_mutual_information(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """Mean of the mutual information over all tables with the same sums.

    ``sum_ij sum_m (m / n) ln(n m / (a_i b_j)) C(a_i, m) C(n - a_i, b_j - m) / C(n, b_j)``
    """
    table = contingency(labels_true, labels_pred)
    n, total = int(table.sum()), 0.0
    for a in table.sum(axis=1).tolist():
        for b in table.sum(axis=0).tolist():
            for m in range(max(1, a + b - n), min(a, b) + 1):
                probability = comb(a, m) * comb(n - a, b - m) / comb(n, b)
                total += m / n * log(n * m / (a * b)) * probability
    return total


def adjusted_mutual_information(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """``(MI - E[MI]) / ((H(a) + H(b)) / 2 - E[MI])``."""
    expected = expected_mutual_information(labels_true, labels_pred)
    mean_entropy = (entropy(labels_true) + entropy(labels_pred)) / 2
    return (mutual_information(labels_true, labels_pred) - expected) / (mean_entropy - expected)


def homogeneity_completeness_v(
    labels_true: ArrayLike, labels_pred: ArrayLike, beta: float = 1.0
) -> tuple[float, float, float]:
    """``h = MI / H(a)``, ``c = MI / H(b)``, ``V = (1 + beta) h c / (beta h + c)``."""
    shared = mutual_information(labels_true, labels_pred)
    h, c = shared / entropy(labels_true), shared / entropy(labels_pred)
    return h, c, (1 + beta) * h * c / (beta * h + c) if h + c > 0 else 0.0
