"""Stochastic average gradients (SAG, SAGA): one row a step, and a memory of every row's last slope.

``F(W, b) = 1/S sum_i s_i l(y_i, f_i) + l1 ||W||_1 + l2/2 ||W||^2`` with ``f_i = b + W x_i`` and weights ``s_i`` whose
sum is S. The memory makes the steps' noise fade, so that a constant rate leads to the minimum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Averaged:
    """Coefficients (k x p) and intercepts (k), and both after every epoch."""

    coef: Array
    intercept: Array
    path: tuple[tuple[Array, Array], ...]
    rate: float


def saga(
    X: ArrayLike,
    y: ArrayLike,
    rows: Sequence[Sequence[int]],
    *,
    loss: Literal["squared", "logistic", "softmax"] = "logistic",
    sag: bool = False,
    l1: float = 0.0,
    l2: float = 0.0,
    fit_intercept: bool = True,
    weight: ArrayLike | None = None,
    outputs: int = 1,
) -> Averaged:
    """Visit the listed rows, epoch by epoch.

    SAGA: ``W <- prox(W - eta (a_i (l' - z_i) x_i + G))``, ``G <- G + s_i/S (l' - z_i) x_i``, ``z_i <- l'``, with
    ``a_i = s_i / (S q_i)`` for rows drawn with chance ``q_i``, half by weight and half alike. SAG steps along the new G
    alone, the mean over the rows visited so far.
    """
    A = np.asarray(X, dtype=np.float64)
    n, p = A.shape
    target = np.asarray(y, dtype=np.float64)
    s = np.ones(n) if weight is None else np.asarray(weight, dtype=np.float64)
    share = s / s.sum()
    lift = np.divide(share, (share + (s > 0) / np.count_nonzero(s)) / 2, out=np.zeros(n), where=s > 0)
    A1 = np.column_stack([A, np.ones(n) if fit_intercept else np.zeros(n)])  # the intercept is the last coefficient
    theta = np.zeros((outputs, p + 1))

    curvature = {"squared": 1.0, "logistic": 0.25, "softmax": 0.5 if sag else 0.25}[loss]
    L = curvature * float(np.max(lift * np.sum(A1**2, axis=1))) + l2
    eta = 1 / L if sag else 1 / (2 * L + min(2 * n * l2, L))

    z = np.zeros((n, outputs)) if sag else np.array([slope(loss, target[i], theta @ A1[i]) for i in range(n)])
    G = (share[:, None] * z).T @ A1
    visited, path = np.zeros(n, dtype=bool), list[tuple[Array, Array]]()
    for epoch in rows:
        for i in epoch:
            now = slope(loss, target[i], theta @ A1[i])
            change = np.outer(now - z[i], A1[i])
            z[i] = now
            visited[i] = True
            if sag:
                G = G + share[i] * change
                theta = theta - eta * G / share[visited].sum()
            else:
                theta = theta - eta * (lift[i] * change + G)
                G = G + share[i] * change
            w = theta[:, :p]
            theta[:, :p] = np.sign(w) * np.maximum(np.abs(w) - eta * l1, 0) / (1 + eta * l2)
        path.append((theta[:, :p].copy(), theta[:, p].copy()))
    return Averaged(theta[:, :p], theta[:, p], tuple(path), eta)


def slope(loss: str, y: float, f: Array) -> Array:
    """``dl/df`` of one row: f - y, p - y, or the probabilities with 1 taken off at the row's own class."""
    if loss == "squared":
        return f - y
    if loss == "logistic":
        return 1 / (1 + np.exp(-f)) - y
    e = np.exp(f - f.max())
    return np.asarray(e / e.sum() - (np.arange(len(f)) == y), dtype=np.float64)
