"""Which rows a round of boosting looks at, and how often each counts: by the size of its gradient, or at random.

A row's size is the length of its gradient over all outputs, sqrt(sum_k g_k² + l h_k²) (l = 0 but for MVS). Every rule
gives one number a row, its factor: 0 for a row that is left out, else what its slopes are multiplied by.

    goss      the a n largest sizes count 1; of the others b n are drawn, and count (1 - a) / b
    mvs       row i is drawn with p_i = min(1, size_i / t), sum p_i = share n, and counts 1 / p_i
    bayesian  every row counts (-log u)^t, u uniform on (0, 1)

The first two leave the sums of gradients as they are on average. What is drawn at random is given: one number from
(0, 1) a row. Ke and others: LightGBM (2017). Ibragimov and Gusev: Minimal variance sampling in stochastic gradient
boosting (2019).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def sizes(gradient: ArrayLike, curvature: ArrayLike | None = None, curvature_weight: float = 0.0) -> Floats:
    """How steep the loss of each row is, over all outputs: sqrt(sum g² + l sum h²)."""
    g = np.asarray(gradient, dtype=np.float64)
    g = g.reshape(len(g), -1)
    h = np.zeros_like(g) if curvature is None else np.asarray(curvature, dtype=np.float64).reshape(g.shape)
    squares = np.zeros(len(g))
    for k in range(g.shape[1]):  # one output after the other: near ties are decided by the last bit
        squares = squares + (g[:, k] ** 2 + curvature_weight * h[:, k] ** 2)
    return np.asarray(np.sqrt(squares))


# --------------------------------------------------------------------------------------------------------------- GOSS


def goss_counts(n: int, top: float, other: float) -> tuple[int, int]:
    """How many rows are kept for their size, and how many are drawn from the rest: each at least one."""
    return max(int(top * n), 1), max(int(other * n), 1)


def goss_parts(size: Floats, top: float, other: float) -> tuple[Ints, Ints]:
    """The rows that are kept, largest first, and the rest in their order. Of equal sizes the earlier row is larger."""
    order = np.argsort(-size, kind="stable")
    kept = goss_counts(len(size), top, other)[0]
    return order[:kept], np.sort(order[kept:])


def choose(n: int, count: int, uniform: Floats) -> Ints:
    """`count` of n places: each is taken with the probability (what is lacking) / (what is left)."""
    indices: list[int] = []
    for i in range(n):
        if uniform[i] * (n - i) < count - len(indices):
            indices.append(i)
    return np.array(indices, dtype=np.int64)


def goss(size: ArrayLike, top: float, other: float, uniform: ArrayLike) -> Floats:
    """Gradient-based one-side sampling: the factor of each row. All count 1 where nothing would be left out.

    >>> goss([9, 1, 2, 8, 1, 1, 3, 1, 2, 1], top=0.2, other=0.2, uniform=[0.9, 0.9, 0.1, 0.9, 0.9, 0.1, 0.9, 0.9])
    array([1., 0., 0., 1., 4., 0., 0., 4., 0., 0.])
    """
    sizes = np.asarray(size, dtype=np.float64)
    top_rows, other_rows = goss_parts(sizes, top, other)
    count = goss_counts(len(sizes), top, other)[1]
    if len(top_rows) + count >= len(sizes):
        return np.ones(len(sizes))
    return goss_factors(
        len(sizes), top_rows, other_rows[choose(len(other_rows), count, np.asarray(uniform))], top, other
    )


def goss_factors(n: int, kept: Ints, drawn: Ints, top: float, other: float) -> Floats:
    """1 for rows that are kept, (1 - a) / b for rows that are drawn, 0 for the others."""
    factor = np.zeros(n)
    factor[kept] = 1.0
    factor[drawn] = (1 - top) / other
    return factor


def variance_gain(gradient: ArrayLike, factor: ArrayLike, left: ArrayLike) -> float:
    """What a cut is worth by the rows drawn: ((sum of f g to the left)² / rows there + the same to the right) / n."""
    g = np.asarray(gradient, dtype=np.float64) * np.asarray(factor, dtype=np.float64)
    side = np.asarray(left, dtype=bool)
    return float(
        sum(g[side_mask].sum() ** 2 / side_mask.sum() for side_mask in (side, ~side) if side_mask.any()) / len(g)
    )


# ---------------------------------------------------------------------------------------------------------------- MVS


def mvs_threshold(size: ArrayLike, wanted: float) -> float:
    """The t with  sum of min(1, size / t) = wanted;  0 where there are not so many rows with a size above 0.

    The rows above t are certain: with c of them,  c + (sum of the others) / t = wanted.
    """
    falling = np.sort(np.asarray(size, dtype=np.float64))[::-1]
    for certain in range(len(falling)):
        lacking = wanted - certain
        if lacking <= 0:
            return np.inf
        t = float(falling[certain:].sum() / lacking)
        if falling[certain] <= t:
            return t
    return 0.0


def mvs_probabilities(size: ArrayLike, share: float) -> Floats:
    """How likely each row is to be drawn: in proportion to its size, up to 1, and `share` of the rows on average.

    >>> mvs_probabilities([1, 1, 2, 8], share=0.5)
    array([0.25, 0.25, 0.5 , 1.  ])
    """
    sizes = np.asarray(size, dtype=np.float64)
    t = mvs_threshold(sizes, share * len(sizes))
    return np.minimum(1.0, sizes / t) if t > 0 else np.ones(len(sizes))


def mvs(size: ArrayLike, share: float, uniform: ArrayLike) -> Floats:
    """Minimal variance sampling: the factor of each row, 1 / p where it is drawn."""
    p = mvs_probabilities(size, share)
    is_sampled = np.asarray(uniform, dtype=np.float64) < p
    return np.where(is_sampled, 1 / np.where(is_sampled, p, 1.0), 0.0)


# ----------------------------------------------------------------------------------------------------------- Bayesian


def bayesian(uniform: ArrayLike, temperature: float = 1.0) -> Floats:
    """(-log u)^t: with t = 1 the weights of the Bayesian bootstrap, with t = 0 all are 1."""
    return np.asarray((-np.log(np.asarray(uniform, dtype=np.float64))) ** temperature)
