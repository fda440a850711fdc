"""The mean target of each category in plain steps: smoothed, cross-fitted, and row by row in an order of the rows."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def encodings(
    column: Sequence[Hashable], y: Sequence[float], smooth: float | Literal["auto"] = "auto"
) -> dict[Hashable, float]:
    """The encoding of each category: its mean target, drawn toward the mean of all rows.

    A number s makes it  (sum of y in the category + s m) / (rows in the category + s);  "auto" weighs the category's
    mean with  n v / (n v + v_c),  where v is the variance of y in all rows and v_c that in the category.
    """
    target = np.asarray(y, dtype=np.float64)
    m, v = target.mean(), target.var()
    category_means: dict[Hashable, float] = {}
    for category in dict.fromkeys(column):
        category_targets = target[[value == category for value in column]]
        if smooth != "auto":
            category_means[category] = float((category_targets.sum() + smooth * m) / (len(category_targets) + smooth))
            continue
        below = len(category_targets) * v + category_targets.var()
        weight = len(category_targets) * v / below if below > 0 else 0.0
        category_means[category] = float(weight * category_targets.mean() + (1 - weight) * m)
    return category_means


def encode(column: Sequence[Hashable], known: dict[Hashable, float], otherwise: float) -> Floats:
    """Each row's encoding; a category that is not known gets another number, the mean of all rows."""
    return np.array([known.get(value, otherwise) for value in column], dtype=np.float64)


def cross_fit(
    column: Sequence[Hashable],
    y: Sequence[float],
    folds: Sequence[tuple[Sequence[int], Sequence[int]]],
    smooth: float | Literal["auto"] = "auto",
) -> Floats:
    """The rows that a fold holds out get the encodings of the rows that it is trained on."""
    encoded = np.empty(len(column))
    for train, test in folds:
        targets = [y[i] for i in train]
        fold_encodings = encodings([column[i] for i in train], targets, smooth)
        for i in test:
            encoded[i] = fold_encodings.get(column[i], float(np.mean(targets)))
    return encoded


def ordered(
    column: Sequence[Hashable],
    y: Sequence[float],
    prior: float,
    weight: float = 1.0,
    order: Sequence[int] | None = None,
) -> tuple[Floats, Floats, Floats]:
    """Sum and number of the earlier rows with the category of each row, and the statistic made of them.

    (sum of the targets of the earlier rows + weight * prior) / (number of these rows + weight)
    """
    n = len(column)
    sums, counts = np.zeros(n), np.zeros(n)
    preceding_rows: list[int] = []
    for i in range(n) if order is None else order:
        alike = [earlier for earlier in preceding_rows if column[earlier] == column[i]]
        sums[i] = sum(y[earlier] for earlier in alike)
        counts[i] = len(alike)
        preceding_rows.append(i)
    return sums, counts, (sums + weight * prior) / (counts + weight)


def of_all_rows(
    column: Sequence[Hashable], y: Sequence[float], prior: float, weight: float = 1.0
) -> dict[Hashable, float]:
    """The statistic of each category over all rows: what a new row gets."""
    category_means = {}
    for category in dict.fromkeys(column):
        category_targets = [target for value, target in zip(column, y, strict=True) if value == category]
        category_means[category] = (sum(category_targets) + weight * prior) / (len(category_targets) + weight)
    return category_means
