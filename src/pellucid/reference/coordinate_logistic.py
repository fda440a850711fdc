"""Sparse logistic regression, one coefficient at a time: newGLMNET as its authors write it down.

``F(w, b) = 1/S sum_i s_i log(1 + exp(-t_i f_i)) + l1 ||w||_1 + l2/2 ||w||^2 + intercept_l2/2 b^2`` with
``f_i = b + w . x_i``, ``t_i`` 1 for class 1 and -1 for class 0, weights ``s_i`` and ``S = sum_i s_i``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Step:
    """One coefficient's turn: slope and curvature of the model at its place, and where it went."""

    column: int
    gradient: float
    curvature: float
    before: float
    after: float


@dataclass(frozen=True)
class Pass:
    """A quadratic model, its rounds, and where the line search ended."""

    objective: float
    measure: float
    rounds: tuple[tuple[Step, ...], ...]
    share: float


@dataclass(frozen=True)
class SparseLogistic:
    """The coefficients, the intercept, and how it went."""

    coef: Array
    intercept: float
    objective: float
    passes: tuple[Pass, ...]


def coordinate_logistic(
    X: ArrayLike,
    y: ArrayLike,
    *,
    l1: float = 0.0,
    l2: float = 0.0,
    intercept_l2: float = 0.0,
    fit_intercept: bool = True,
    weight: ArrayLike | None = None,
    tol: float = 1e-8,
    max_iter: int = 100,
    max_rounds: int = 100,
) -> SparseLogistic:
    """Minimize F: a quadratic model of the loss, coordinate descent on it, and a step along the way that lowers F.

    ``r = s/S (p - y)``, ``d = s/S p (1 - p)``; a coefficient goes to
    ``soft(w_j - g_j/h_j, l1/h_j)`` with ``g_j = x_j . r + l2 w_j`` and ``h_j = sum_i d_i (x_ij - m_j)^2 + l2``,
    where ``m_j`` is the mean by d: the intercept follows every step to its own best place.
    """
    A, target = np.asarray(X, dtype=np.float64), np.asarray(y, dtype=np.float64)
    s = np.ones(len(A)) if weight is None else np.asarray(weight, dtype=np.float64)
    s = s / s.sum()
    w, b, passes = np.zeros(A.shape[1]), 0.0, list[Pass]()

    def objective(w: Array, b: float) -> float:
        f = b + A @ w
        penalty = l1 * np.abs(w).sum() + l2 / 2 * w @ w + intercept_l2 / 2 * b**2
        return float(s @ (np.logaddexp(0, f) - target * f) + penalty)

    while True:
        p = 1 / (1 + np.exp(-(b + A @ w)))
        r, d = s * (p - target), s * np.maximum(p * (1 - p), 1e-12)
        D = d.sum() + intercept_l2
        e = A.T @ d if fit_intercept else np.zeros(A.shape[1])
        h = d @ A**2 - e**2 / D + l2
        intercept_gradient = float(r.sum() + intercept_l2 * b) if fit_intercept else 0.0
        gradient = A.T @ r - intercept_gradient / D * e + l2 * w
        missing = np.where(w != 0, np.abs(gradient + l1 * np.sign(w)), np.maximum(np.abs(gradient) - l1, 0))
        working = np.flatnonzero(((w != 0) | (missing > 0)) & (h > 0))
        measure = float(np.sqrt(np.sum(missing[working] ** 2 / h[working]) + intercept_gradient**2 / D))
        if (measure <= tol and passes) or measure == 0 or len(passes) == max_iter:
            return SparseLogistic(w, b, objective(w, b), tuple(passes))

        v, move, q, rounds = w.copy(), -intercept_gradient / D, r - intercept_gradient / D * d, list[tuple[Step, ...]]()
        while len(rounds) < max_rounds:
            steps = []
            for j in working:
                g, before = float(A[:, j] @ q + l2 * v[j]), v[j]
                v[j] = soft(before - g / h[j], l1 / h[j])
                change = v[j] - before
                move -= change * e[j] / D
                q += change * d * (A[:, j] - e[j] / D) if fit_intercept else change * d * A[:, j]
                steps.append(Step(int(j), g, float(h[j]), float(before), float(v[j])))
            rounds.append(tuple(steps))
            if sum((step.after - step.before) ** 2 * step.curvature for step in steps) <= 0.01 * measure**2:
                break

        now, share = objective(w, b), 1.0
        promise = float(r @ (A @ (v - w) + move)) + l1 * (np.abs(v).sum() - np.abs(w).sum())
        promise += l2 / 2 * (v @ v - w @ w) + intercept_l2 / 2 * ((b + move) ** 2 - b**2)
        while share > 1e-15 and objective(w + share * (v - w), b + share * move) > now + 0.01 * share * promise + 1e-15:
            share /= 2
        w, b = w + share * (v - w), b + share * move
        passes.append(Pass(now, measure, tuple(rounds), share))


def soft(z: float, threshold: float) -> float:
    """z brought nearer to zero by the threshold, and no further than zero."""
    return float(np.sign(z) * max(abs(z) - threshold, 0.0))
