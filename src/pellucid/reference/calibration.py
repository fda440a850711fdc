"""Calibrated probabilities: Platt's sigmoid, one class against the rest, and the temperature, as in the papers."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def platt_targets(positive: ArrayLike) -> Floats:
    """(N1 + 1) / (N1 + 2) for rows of the class, 1 / (N0 + 2) for the others: away from 1 and 0, which no score earns.

    >>> platt_targets([True, True, False]).round(4)
    array([0.75  , 0.75  , 0.3333])
    """
    truth = np.asarray(positive, dtype=bool)
    n1, n0 = int(truth.sum()), int((~truth).sum())
    return np.where(truth, (n1 + 1) / (n1 + 2), 1 / (n0 + 2))


def platt_loss(a: float, b: float, f: Floats, t: Floats) -> float:
    """Cross entropy of p = 1 / (1 + exp(a f + b)) against t:  sum t z + ln(1 + exp(-z)),  z = a f + b."""
    z = a * f + b
    return float(np.sum(t * z + np.logaddexp(0, -z)))


def fit_platt(scores: ArrayLike, positive: ArrayLike, passes: int = 100) -> tuple[float, float]:
    """a and b by Newton's method with halved steps (Lin, Lin and Weng 2007, pseudo code 2).

    >>> a, b = fit_platt([-1, -1, 1, 1], [False, False, True, True])
    >>> round(a, 4), round(abs(b), 4)  # 1 / (1 + exp(a)) = 3/4, so a = -ln 3
    (-1.0986, 0.0)
    """
    f, t = np.asarray(scores, dtype=np.float64), platt_targets(positive)
    n1 = int(np.sum(np.asarray(positive, dtype=bool)))
    a, b = 0.0, float(np.log((len(f) - n1 + 1) / (n1 + 1)))
    for _ in range(passes):
        p = 1 / (1 + np.exp(a * f + b))
        gradient = np.array([np.sum(f * (t - p)), np.sum(t - p)])
        q = p * (1 - p)
        curve = np.array([[np.sum(f * f * q), np.sum(f * q)], [np.sum(f * q), np.sum(q)]]) + 1e-12 * np.eye(2)
        if np.abs(gradient).max() < 1e-10:
            break
        step, share, here = -np.linalg.solve(curve, gradient), 1.0, platt_loss(a, b, f, t)
        while share > 1e-10 and platt_loss(a + share * step[0], b + share * step[1], f, t) > here:
            share /= 2
        a, b = a + share * float(step[0]), b + share * float(step[1])
    return a, b


def sigmoid(scores: ArrayLike, a: float, b: float) -> Floats:
    """Platt's probability of each score.

    >>> sigmoid([0.0], -2.0, 0.0)
    array([0.5])
    """
    return np.asarray(1 / (1 + np.exp(a * np.asarray(scores, dtype=np.float64) + b)))


def normalized(each: ArrayLike) -> Floats:
    """Probabilities of one class against the rest, divided by their sum; even where all are zero.

    >>> normalized([[0.5, 0.5, 1.0], [0, 0, 0]])
    array([[0.25      , 0.25      , 0.5       ],
           [0.33333333, 0.33333333, 0.33333333]])
    """
    p = np.asarray(each, dtype=np.float64)
    total = p.sum(axis=1, keepdims=True)
    return np.where(total > 0, p / np.where(total > 0, total, 1), 1 / p.shape[1])


def fit_temperature(logits: ArrayLike, truth: ArrayLike, halvings: int = 200) -> float:
    """beta = 1 / T where the slope of the cross entropy is zero: where E_p[z] equals the mean z of the true classes.

    The slope rises with beta, so that halving an interval finds its zero.

    >>> z = [[1, 0], [1, 0], [1, 0], [1, 0]]
    >>> round(fit_temperature(z, [0, 0, 0, 1]), 4)  # p = 3/4, so beta = ln 3
    1.0986
    """
    z, true_codes = np.asarray(logits, dtype=np.float64), np.asarray(truth)
    low, high = np.exp(-10.0), np.exp(10.0)
    for _ in range(halvings):
        beta = np.sqrt(low * high)
        p = np.exp(beta * (z - z.max(axis=1, keepdims=True)))
        p /= p.sum(axis=1, keepdims=True)
        gradient = np.mean((p * z).sum(axis=1) - z[np.arange(len(z)), true_codes])
        low, high = (beta, high) if gradient < 0 else (low, beta)
    return float(np.sqrt(low * high))
