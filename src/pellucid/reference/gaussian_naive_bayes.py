"""Gaussian naive Bayes as a textbook writes it.

Each class c has a prior P(c), its share of the rows, and for every column j a mean m and a variance v. Within a class
the columns count as independent, so that the score of a row is the product ``P(c) prod_j N(x_j; m_cj, v_cj)``, and its
probability is that product divided by the sum of the products of all classes. Missing values (NaN) are left out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Bells:
    """One bell curve for every class and column."""

    classes: list[Any]
    prior: Array
    mean: Array  # classes x columns
    variance: Array


def fit(
    X: ArrayLike,
    y: ArrayLike,
    weight: ArrayLike | None = None,
    ddof: int = 0,
    var_smoothing: float = 0.0,
    priors: ArrayLike | None = None,
) -> Bells:
    """Means and variances by class; ``var_smoothing`` times the largest variance of a column is added to each."""
    X, y = np.asarray(X, dtype=np.float64), np.asarray(y)
    w = np.ones(len(X)) if weight is None else np.asarray(weight, dtype=np.float64)
    classes = np.unique(y).tolist()
    moments = [_moments(X[y == c], w[y == c], ddof) for c in classes]
    added = var_smoothing * max(v for _, v in _moments(X, w, 0))
    shares = np.array([w[y == c].sum() for c in classes]) / w.sum()
    return Bells(
        classes,
        shares if priors is None else np.asarray(priors, dtype=np.float64),
        np.array([[m for m, _ in row] for row in moments]),
        np.array([[v + added for _, v in row] for row in moments]),
    )


def _moments(X: Array, w: Array, ddof: int) -> list[tuple[float, float]]:
    """Mean and variance of each column, over the rows that have a number there; a weight of 2 is a row twice."""
    class_moments = []
    for j in range(X.shape[1]):
        there = ~np.isnan(X[:, j])
        x, s = X[there, j], w[there]
        mean = (s * x).sum() / s.sum()
        class_moments.append((float(mean), float((s * (x - mean) ** 2).sum() / (s.sum() - ddof))))
    return class_moments


def density(x: float, mean: float, variance: float) -> float:
    """Height of the bell curve at x."""
    return math.exp(-((x - mean) ** 2) / (2 * variance)) / math.sqrt(2 * math.pi * variance)


def scores(X: ArrayLike, model: Bells) -> Array:
    """Prior times densities, row by row and class by class: small, and zero with many columns."""
    rows = np.asarray(X, dtype=np.float64)
    out = np.empty((len(rows), len(model.classes)))
    for i, row in enumerate(rows):
        for c in range(len(model.classes)):
            there = [density(x, m, v) for x, m, v in zip(row, model.mean[c], model.variance[c], strict=True) if x == x]
            out[i, c] = model.prior[c] * math.prod(there)
    return out


def log_scores(X: ArrayLike, model: Bells) -> Array:
    """The same as a sum of logarithms, which never underflows."""
    rows = np.asarray(X, dtype=np.float64)
    out = np.empty((len(rows), len(model.classes)))
    for c in range(len(model.classes)):
        v = model.variance[c]
        terms = -0.5 * np.log(2 * np.pi * v) - (rows - model.mean[c]) ** 2 / (2 * v)
        out[:, c] = np.log(model.prior[c]) + np.nansum(terms, axis=1)
    return out


def posterior(log_score: ArrayLike) -> Array:
    """Each class's share, from the logarithms, with the largest taken off first."""
    s = np.asarray(log_score, dtype=np.float64)
    powers = np.exp(s - s.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def predict(log_score: ArrayLike, classes: list[Any]) -> list[Any]:
    """The class with the largest score, the first of equals."""
    return [classes[c] for c in np.argmax(log_score, axis=1)]
