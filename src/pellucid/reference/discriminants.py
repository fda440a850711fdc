"""Discriminant functions of normal classes, as a textbook has them: means, spreads, priors, the largest wins.

linear (one covariance S for all classes)      D_k(x) = x' S⁻¹ m_k - m_k' S⁻¹ m_k / 2 + ln P(k)
quadratic (a covariance S_k for each class)    D_k(x) = -ln|S_k| / 2 - (x - m_k)' S_k⁻¹ (x - m_k) / 2 + ln P(k)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Classes:
    """What the rows say of each class: its label, weight, mean, and sums of squares and products around the mean."""

    labels: list[Any]
    weights: Floats
    means: Floats
    scatters: Floats

    @property
    def priors(self) -> Floats:
        """Shares of the classes in all rows."""
        return np.asarray(self.weights / self.weights.sum())


def count_classes(X: ArrayLike, y: list[Any], weights: ArrayLike | None = None) -> Classes:
    """Class by class: the mean of its rows, and what they scatter around it."""
    table = np.asarray(X, dtype=np.float64)
    counts = np.ones(len(table)) if weights is None else np.asarray(weights, dtype=np.float64)
    labels = sorted(set(np.asarray(y).tolist()))
    sums, means, scatters = [], [], []
    for label in labels:
        in_class = np.array([value == label for value in np.asarray(y).tolist()])
        rows, w = table[in_class], counts[in_class]
        mean = w @ rows / w.sum()
        sums.append(w.sum())
        means.append(mean)
        scatters.append((rows - mean).T @ (w[:, None] * (rows - mean)))
    return Classes(labels, np.array(sums), np.array(means), np.array(scatters))


def pooled_covariance(classes: Classes, ddof: int = 0) -> Floats:
    """The scatters of all classes together, over n - ddof K."""
    return np.asarray(classes.scatters.sum(axis=0) / (classes.weights.sum() - ddof * len(classes.labels)))


def own_covariances(classes: Classes, ddof: int = 0) -> Floats:
    """The scatter of each class over n_k - ddof."""
    return np.asarray(classes.scatters / (classes.weights - ddof)[:, None, None])


def regularized_covariances(classes: Classes, alpha: float, gamma: float, ddof: int = 0) -> Floats:
    """Friedman's: between own scatters (alpha 0) and the pooled one (alpha 1), and toward a ball (gamma)."""
    n = classes.weights - ddof
    divisors = (1 - alpha) * n + alpha * n.sum()
    mixed = (1 - alpha) * classes.scatters + alpha * classes.scatters.sum(axis=0)
    S = mixed / divisors[:, None, None]
    p = S.shape[1]
    balls = np.trace(S, axis1=1, axis2=2)[:, None, None] / p * np.eye(p)
    return np.asarray((1 - gamma) * S + gamma * balls)


def linear_discriminants(X: ArrayLike, means: Floats, S: Floats, priors: Floats) -> Floats:
    """``D_k(x)`` of every row and class, with one covariance for all."""
    table, inverse = np.asarray(X, dtype=np.float64), np.linalg.inv(S)
    scores = [table @ inverse @ m - m @ inverse @ m / 2 + np.log(prior) for m, prior in zip(means, priors, strict=True)]
    return np.column_stack(scores)


def quadratic_discriminants(X: ArrayLike, means: Floats, S: Floats, priors: Floats) -> Floats:
    """``D_k(x)`` of every row and class, with a covariance for each."""
    table, scores = np.asarray(X, dtype=np.float64), []
    for m, covariance, prior in zip(means, S, priors, strict=True):
        apart = table - m
        distances = np.einsum("ij,jk,ik->i", apart, np.linalg.inv(covariance), apart)
        scores.append(-np.log(np.linalg.det(covariance)) / 2 - distances / 2 + np.log(prior))
    return np.column_stack(scores)


def univariate_discriminants(x: ArrayLike, means: ArrayLike, variance: float, priors: ArrayLike) -> Floats:
    """``x m_k / v - m_k² / (2 v) + ln P(k)``: the linear discriminant of one column."""
    values, m, P = (np.asarray(array, dtype=np.float64) for array in (x, means, priors))
    return np.asarray(values[:, None] * m / variance - m**2 / (2 * variance) + np.log(P))


def posterior(D: Floats) -> Floats:
    """Probabilities of the classes: e^D as shares of their sum."""
    powers = np.exp(D - D.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def predictions(D: Floats, labels: list[Any]) -> list[Any]:
    """The label of the largest discriminant of each row."""
    return [labels[int(k)] for k in D.argmax(axis=1)]


def directions(classes: Classes) -> Floats:
    """Fisher's: combinations a with the most scatter between the classes against that within, a'Sa = 1, as columns."""
    S = pooled_covariance(classes)
    root = np.linalg.cholesky(np.linalg.inv(S))  # root' S root = I
    center = classes.priors @ classes.means
    between = (classes.priors[:, None] * (classes.means - center)).T @ (classes.means - center)
    values, vectors = np.linalg.eigh(root.T @ between @ root)
    max_directions = min(len(classes.labels) - 1, len(S))
    return np.asarray((root @ vectors[:, np.argsort(values)[::-1]])[:, :max_directions])
