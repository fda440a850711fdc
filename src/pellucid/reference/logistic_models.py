"""What a logistic model says, as a textbook writes it: scores, probabilities, classes; two ways to several classes.

The score of a class is ``s = b + w . x``. With two classes there is one score, the log odds of the second.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


class Planes(NamedTuple):
    """Coefficients (one row for two classes, else one a class) and intercepts."""

    coef: Array
    intercept: Array


def scores(X: ArrayLike, planes: Planes) -> Array:
    """``s = b + W x`` of every row: one column for two classes, else one a class."""
    return np.asarray(np.asarray(X, dtype=np.float64) @ planes.coef.T + planes.intercept)


def sigmoid(t: ArrayLike) -> Array:
    """``1 / (1 + e^-t)``, with no power that could overflow."""
    t = np.asarray(t, dtype=np.float64)
    small = np.exp(-np.abs(t))
    return np.asarray(np.where(t >= 0, 1 / (1 + small), small / (1 + small)))


def softmax(s: ArrayLike) -> Array:
    """``e^s_k / sum_j e^s_j``; the largest score of a row is taken off all of its scores first."""
    s = np.asarray(s, dtype=np.float64)
    powers = np.exp(s - s.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def probabilities(X: ArrayLike, planes: Planes) -> Array:
    """The probability of each class: the sigmoid of the one score, or the softmax of several."""
    s = scores(X, planes)
    if s.shape[1] > 1:
        return softmax(s)
    p = sigmoid(s[:, 0])
    return np.column_stack([sigmoid(-s[:, 0]), p])


def classify(X: ArrayLike, planes: Planes) -> NDArray[np.int64]:
    """The class of each row: the second of two above a score of 0, else the one of largest score, first of equals."""
    s = scores(X, planes)
    return (s[:, 0] > 0).astype(np.int64) if s.shape[1] == 1 else s.argmax(axis=1)


def log_loss(codes: ArrayLike, chances: Array) -> float:
    """``-1/n sum_i ln p_i`` with p_i the probability given to the class of row i."""
    true_probabilities = chances[np.arange(len(chances)), np.asarray(codes, dtype=int)]
    return float(-np.log(true_probabilities).mean())


def minimize(
    X: ArrayLike, codes: ArrayLike, C: float = 1.0, *, penalize_intercept: bool = False, tolerance: float = 1e-12
) -> Planes:
    """Newton's method on  ``C sum_i l_i + ||W||²/2``, for two classes or several; liblinear's intercept is penalized.

    Each step goes to the lowest point of the parabola with the cost's own slopes and curvatures, or half the way, or a
    quarter, until the cost falls.
    """
    codes = np.asarray(codes, dtype=int)
    A = np.column_stack([np.ones(len(codes)), np.asarray(X, dtype=np.float64)])
    k, m = codes.max() + 1, A.shape[1]
    planes = 1 if k == 2 else k
    Y = (codes[:, None] == (np.arange(planes) if planes > 1 else 1)).astype(np.float64)
    penalty_mask = np.append(float(penalize_intercept), np.ones(m - 1))  # what the penalty counts

    def chances(T: Array) -> Array:
        s = A @ T.T
        return softmax(s) if planes > 1 else sigmoid(s)

    def cost(T: Array) -> float:
        p = chances(T)
        true_probabilities = (
            p[np.arange(len(codes)), codes] if planes > 1 else np.where(codes == 1, p[:, 0], sigmoid(-A @ T[0]))
        )
        return float(-C * np.log(true_probabilities).sum() + 0.5 * (penalty_mask * T**2).sum())

    T = np.zeros((planes, m))
    for _ in range(200):
        p = chances(T)
        gradient = C * (p - Y).T @ A + penalty_mask * T
        if np.abs(gradient).max() <= tolerance * C * len(codes):
            break
        curve = np.zeros((planes, m, planes, m))
        for a in range(planes):
            for b in range(planes):
                curve[a, :, b] = C * (A * (p[:, a] * (float(a == b) - p[:, b]))[:, None]).T @ A
            curve[a, :, a] += np.diag(penalty_mask)
        move = np.linalg.lstsq(curve.reshape(planes * m, -1), -gradient.ravel())[0].reshape(T.shape)
        share = 1.0
        while cost(T + share * move) > cost(T) and share > 1e-6:  # less: the cost is flat to rounding
            share /= 2
        T = T + share * move
    return Planes(T[:, 1:], T[:, 0])


def one_versus_rest(fit: Callable[[Array], Planes], codes: ArrayLike) -> Planes:
    """A model of two classes for each class against all others: ``fit`` takes a target of zeros and ones."""
    codes = np.asarray(codes, dtype=int)
    models = [fit((codes == k).astype(np.float64)) for k in range(codes.max() + 1)]
    return Planes(np.vstack([model.coef for model in models]), np.concatenate([model.intercept for model in models]))


def one_versus_rest_probabilities(X: ArrayLike, planes: Planes) -> Array:
    """The sigmoids of the scores, divided by their sum."""
    p = sigmoid(scores(X, planes))
    return np.asarray(p / p.sum(axis=1, keepdims=True))


class Bells(NamedTuple):
    """Gaussian naive Bayes with one variance a column: means of the classes (k x p), variances (p), priors (k)."""

    means: Array
    variances: Array
    priors: Array


def bells(X: ArrayLike, codes: ArrayLike) -> Bells:
    """Means by class, the variance around them over all rows (divisor n), and the shares of the classes."""
    X, codes = np.asarray(X, dtype=np.float64), np.asarray(codes, dtype=int)
    means = np.array([X[codes == k].mean(axis=0) for k in range(codes.max() + 1)])
    variances = ((X - means[codes]) ** 2).mean(axis=0)
    return Bells(means, variances, np.bincount(codes) / len(codes))


def from_naive_bayes(found: Bells) -> Planes:
    """The logistic model whose probabilities are those of the naive Bayes model.

    Of two classes with prior g of class 1:  ``w_i = (mu_i1 - mu_i0) / s_i²``  and
    ``b = ln(g / (1 - g)) + sum_i (mu_i0² - mu_i1²) / (2 s_i²)``. Of several each has its own, and they are centered.
    """
    W = found.means / found.variances
    b = np.log(found.priors) - (found.means**2 / (2 * found.variances)).sum(axis=1)
    if len(b) == 2:
        return Planes(W[1:] - W[:1], b[1:] - b[:1])
    return Planes(W - W.mean(axis=0), b - b.mean())


def naive_bayes_probabilities(X: ArrayLike, found: Bells) -> Array:
    """By Bayes' rule: prior times the product of the bell curves, divided by the sum over the classes."""
    X = np.asarray(X, dtype=np.float64)
    apart = X[:, None, :] - found.means
    logs = np.log(found.priors) - 0.5 * (apart**2 / found.variances + np.log(2 * np.pi * found.variances)).sum(axis=2)
    return softmax(logs)


def log_odds(p: ArrayLike) -> Array:
    """``ln(p / (1 - p))``, what the sigmoid undoes."""
    p = np.asarray(p, dtype=np.float64)
    return np.asarray(np.log(p / (1 - p)))
