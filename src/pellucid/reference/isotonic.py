"""Isotonic regression by pooling adjacent violators, as a textbook has it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def pool_adjacent_violators(y: ArrayLike, weight: ArrayLike | None = None) -> Floats:
    """The sequence nearest to y, in weighted squares, that never falls.

    Blocks of (mean, weight, number of entries); a new entry is a block of its own, and while the block before it has no
    smaller mean the two become one, with the weighted mean of both.

    >>> pool_adjacent_violators([1, 3, 2, 4])
    array([1. , 2.5, 2.5, 4. ])
    """
    values = np.asarray(y, dtype=np.float64)
    w = np.ones(len(values)) if weight is None else np.asarray(weight, dtype=np.float64)
    blocks: list[tuple[float, float, int]] = []
    for value, mass in zip(values.tolist(), w.tolist(), strict=True):
        mean, total, size = value, mass, 1
        while blocks and blocks[-1][0] >= mean:
            before, before_total, before_size = blocks.pop()
            mean = (before_total * before + total * mean) / (before_total + total)
            total, size = before_total + total, before_size + size
        blocks.append((mean, total, size))
    return np.repeat([mean for mean, _, _ in blocks], [size for _, _, size in blocks])


def fit(x: ArrayLike, y: ArrayLike, weight: ArrayLike | None = None, increasing: bool = True) -> tuple[Floats, Floats]:
    """The distinct x in order, and the fitted value at each: rows of one x are first replaced by their mean.

    >>> fit([2, 1, 2], [6, 1, 2])
    (array([1., 2.]), array([1., 4.]))
    """
    targets = np.asarray(y, dtype=np.float64)
    w = np.ones(len(targets)) if weight is None else np.asarray(weight, dtype=np.float64)
    distinct, code = np.unique(np.asarray(x, dtype=np.float64), return_inverse=True)
    mass = np.bincount(code, weights=w)
    means = np.bincount(code, weights=w * targets) / mass
    fitted = pool_adjacent_violators(means, mass) if increasing else -pool_adjacent_violators(-means, mass)
    return distinct, fitted


def predict(x: ArrayLike, corners: ArrayLike, values: ArrayLike) -> Floats:
    """Linear between the corners, constant beyond them.

    >>> predict([1.5, 9], [1, 2], [1, 4])
    array([2.5, 4. ])
    """
    return np.asarray(np.interp(np.asarray(x, dtype=np.float64), np.asarray(corners), np.asarray(values)))
