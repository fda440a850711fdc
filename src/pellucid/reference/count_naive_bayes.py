"""Naive Bayes of counts and flags as a textbook writes it: multinomial, complement and Bernoulli.

N_cj is how much of column j the rows of class c have together (of flags: in how many rows it is there), W_c the weight
of the rows of class c. Smoothing adds a prior to the counts: alpha to each, or under the m-estimate m p_j.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Counts:
    """What the rows say: counts by class and column, and the weight of each class."""

    classes: list[Any]
    rows: Array  # W_c
    columns: Array  # N_cj

    @property
    def prior(self) -> Array:
        """The classes' shares of the rows."""
        return np.asarray(self.rows / self.rows.sum())


def count(X: ArrayLike, y: ArrayLike, weight: ArrayLike | None = None) -> Counts:
    """Adds up the rows of each class."""
    X, y = np.asarray(X, dtype=np.float64), np.asarray(y)
    w = np.ones(len(X)) if weight is None else np.asarray(weight, dtype=np.float64)
    classes = np.unique(y).tolist()
    rows = [w[y == c].sum() for c in classes]
    columns = [(w[y == c][:, None] * X[y == c]).sum(axis=0) for c in classes]
    return Counts(classes, np.array(rows), np.array(columns))


def smoothing(
    p: int, share: float, alpha: float, m: float | None, prior: Sequence[float] | None
) -> tuple[Array, float]:
    """What is added to each of p columns, and what these additions weigh for one column's share of 1/share kinds."""
    if m is None:
        return np.full(p, float(alpha)), alpha / share
    return m * np.asarray(np.full(p, share) if prior is None else prior), m


def multinomial(
    counts: Counts, alpha: float = 1.0, m: float | None = None, prior: Sequence[float] | None = None
) -> Array:
    """Chance of drawing column j in class c: ``(N_cj + alpha) / (N_c + p alpha)`` or ``(N_cj + m p_j) / (N_c + m)``."""
    p = counts.columns.shape[1]
    added, total = smoothing(p, 1 / p, alpha, m, prior)
    return np.asarray((counts.columns + added) / (counts.columns.sum(axis=1, keepdims=True) + total))


def complement(
    counts: Counts,
    alpha: float = 1.0,
    m: float | None = None,
    prior: Sequence[float] | None = None,
    norm: bool = False,
) -> Array:
    """Weights ``-ln`` of the chance of column j in all classes but c; ``norm``: divided by the sum of their sizes."""
    other_counts = Counts(counts.classes, counts.rows, counts.columns.sum(axis=0) - counts.columns)
    weights = -np.log(multinomial(other_counts, alpha, m, prior))
    return np.asarray(weights / np.abs(weights).sum(axis=1, keepdims=True)) if norm else np.asarray(weights)


def bernoulli(
    counts: Counts, alpha: float = 1.0, m: float | None = None, prior: Sequence[float] | None = None
) -> Array:
    """Chance that a row of c has column j: ``(N_cj + alpha) / (W_c + 2 alpha)`` or ``(N_cj + m p_j) / (W_c + m)``."""
    added, total = smoothing(counts.columns.shape[1], 1 / 2, alpha, m, prior)
    return np.asarray((counts.columns + added) / (counts.rows[:, None] + total))


def multinomial_scores(X: ArrayLike, prior: Array, chance: Array) -> Array:
    """``P(c) prod_j P(j | c)^x_j`` of each row and class."""
    rows = np.asarray(X, dtype=np.float64)
    return np.array([[prior[c] * np.prod(chance[c] ** row) for c in range(len(prior))] for row in rows])


def bernoulli_scores(X: ArrayLike, prior: Array, chance: Array) -> Array:
    """``P(c)`` times ``P(j | c)`` for each column that is there, and ``1 - P(j | c)`` for each that is not."""
    rows = np.asarray(X, dtype=np.float64)
    return np.array(
        [[prior[c] * np.prod(np.where(row > 0, chance[c], 1 - chance[c])) for c in range(len(prior))] for row in rows]
    )


def complement_scores(X: ArrayLike, weights: Array) -> Array:
    """``sum_j x_j w_cj`` of each row and class: the largest is where the others suit the row least."""
    return np.asarray(np.asarray(X, dtype=np.float64) @ weights.T)


def posterior(scores: ArrayLike) -> Array:
    """Each class's share of the sum of the scores."""
    s = np.asarray(scores, dtype=np.float64)
    return np.asarray(s / s.sum(axis=1, keepdims=True))
