"""Linear support vector machines by dual coordinate descent: row after row, each multiplier to its best place.

Minimized is ``1/2 (|w|² + v²) + sum_i C_i loss_i`` where v, the intercept, is the coefficient of a column of ones. The
dual has one multiplier a_i a row, ``w = sum_i a_i t_i x_i``, and its slope in a_i alone is
``t_i (w . x_i + v) - 1 + a_i / (2 C_i)``, without the last term for the hinge.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Plane:
    """Coefficients, intercept, multipliers times the class, and what was minimized."""

    coef: Array
    intercept: float
    multipliers: Array
    objective: float


def classify(
    X: ArrayLike, t: ArrayLike, C: ArrayLike, squared: bool = True, tol: float = 1e-10, passes: int = 100_000
) -> Plane:
    """The plane of two classes t = -1 and +1; the rows in their order."""
    rows, sign = np.asarray(X, dtype=float), np.asarray(t, dtype=float)
    price = np.broadcast_to(np.asarray(C, dtype=float), sign.shape)
    Z = np.column_stack([rows, np.ones(len(rows))])
    upper_bounds = np.full(len(sign), np.inf) if squared else price
    extra = 1 / (2 * price) if squared else np.zeros(len(sign))
    a, w = np.zeros(len(sign)), np.zeros(Z.shape[1])
    for _ in range(passes):
        worst = 0.0
        for i, z in enumerate(Z):
            gradient = sign[i] * (w @ z) - 1 + extra[i] * a[i]
            new = float(np.clip(a[i] - gradient / (z @ z + extra[i]), 0, upper_bounds[i]))
            worst = max(worst, abs(new - a[i]) * (z @ z + extra[i]))
            w += (new - a[i]) * sign[i] * z
            a[i] = new
        if worst <= tol:
            break
    lack = np.maximum(0, 1 - sign * (Z @ w))
    objective = float(w @ w / 2 + price @ (lack**2 if squared else lack))
    return Plane(w[:-1], float(w[-1]), a * sign, objective)


def regress(
    X: ArrayLike, y: ArrayLike, C: ArrayLike, epsilon: float, squared: bool = False, tol: float = 1e-10,
    passes: int = 100_000,
) -> Plane:  # fmt: skip
    """The line with a tube around it: a multiplier between -C and C, drawn to zero by epsilon."""
    rows, target = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    price = np.broadcast_to(np.asarray(C, dtype=float), target.shape)
    Z = np.column_stack([rows, np.ones(len(rows))])
    upper_bounds = np.full(len(target), np.inf) if squared else price
    extra = 1 / (2 * price) if squared else np.zeros(len(target))
    beta, w = np.zeros(len(target)), np.zeros(Z.shape[1])
    for _ in range(passes):
        worst = 0.0
        for i, z in enumerate(Z):
            curvature = z @ z + extra[i]
            free = beta[i] - (w @ z - target[i] + extra[i] * beta[i]) / curvature
            new = float(
                np.clip(np.sign(free) * max(0.0, abs(free) - epsilon / curvature), -upper_bounds[i], upper_bounds[i])
            )
            worst = max(worst, abs(new - beta[i]) * curvature)
            w += (new - beta[i]) * z
            beta[i] = new
        if worst <= tol:
            break
    lack = np.maximum(0, np.abs(target - Z @ w) - epsilon)
    return Plane(w[:-1], float(w[-1]), beta, float(w @ w / 2 + price @ (lack**2 if squared else lack)))


def classify_sparse(
    X: ArrayLike, t: ArrayLike, C: ArrayLike, tol: float = 1e-10, passes: int = 1_000_000
) -> tuple[Array, float, float]:
    """Coefficients, intercept and cost, ``|w|_1 + |v| + sum_i C_i max(0, 1 - t_i f_i)²``, with sizes as the penalty.

    Column after column: the loss lies below a parabola of the bend ``h = 2 sum_i C_i x_ij²`` that touches it where it
    is; parabola and size together are lowest at ``w_j - slope / h``, drawn to zero by 1 / h.
    """
    sign = np.asarray(t, dtype=float)
    Z = np.column_stack([np.asarray(X, dtype=float), np.ones(len(sign))])
    price = np.broadcast_to(np.asarray(C, dtype=float), sign.shape)
    w = np.zeros(Z.shape[1])
    curvature = 2 * (price[:, None] * Z**2).sum(axis=0)
    for _ in range(passes):
        before = w.copy()
        for j in np.flatnonzero(curvature):
            lack = np.maximum(0, 1 - sign * (Z @ w))
            free = w[j] + 2 * (price * lack * sign) @ Z[:, j] / curvature[j]
            w[j] = np.sign(free) * max(0.0, abs(free) - 1 / curvature[j])
        if np.abs((w - before) * curvature).max() <= tol:
            break
    lack = np.maximum(0, 1 - sign * (Z @ w))
    return w[:-1], float(w[-1]), float(np.abs(w).sum() + price @ lack**2)


@dataclass(frozen=True)
class Planes:
    """Coefficients and intercepts, one row a class, multipliers (rows x classes), and what was minimized."""

    coef: Array
    intercept: Array
    multipliers: Array
    objective: float


def classify_jointly(
    X: ArrayLike, labels: ArrayLike, C: ArrayLike, tol: float = 1e-10, passes: int = 100_000
) -> Planes:
    """Planes of the classes 0 .. k-1 at once (Crammer and Singer): the own class ahead of each other one by 1.

    A row has a multiplier for each class, at most C for its own and 0 for the others, which add up to zero; ``w_m`` is
    the sum of the rows times theirs for m. With the other rows held they are best at ``(beta - b_m) / |z|²`` or at
    their end, whichever is less, with the beta for which they add up to zero.
    """
    label_codes = np.asarray(labels, dtype=int)
    Z = np.column_stack([np.asarray(X, dtype=float), np.ones(len(label_codes))])
    price = np.broadcast_to(np.asarray(C, dtype=float), label_codes.shape)
    k = int(label_codes.max()) + 1
    a, W = np.zeros((len(label_codes), k)), np.zeros((k, Z.shape[1]))
    for _ in range(passes):
        worst = 0.0
        for i, z in enumerate(Z):
            end = np.where(np.arange(k) == label_codes[i], price[i], 0.0)
            b = W @ z + (np.arange(k) != label_codes[i]) - z @ z * a[i]
            new = np.minimum(end, (balance(b, end, z @ z) - b) / (z @ z))
            worst = max(worst, float(np.abs(new - a[i]).max() * (z @ z)))
            W += np.outer(new - a[i], z)
            a[i] = new
        if worst <= tol:
            break
    scores = Z @ W.T
    lack = (scores + (np.arange(k) != label_codes[:, None])).max(axis=1) - scores[
        np.arange(len(label_codes)), label_codes
    ]
    return Planes(W[:, :-1], W[:, -1], a, float((W**2).sum() / 2 + price @ lack))


def balance(b: Array, end: Array, length: float) -> float:
    """The beta for which ``min(end_m, (beta - b_m) / length)`` add up to zero.

    Those are at their ends for which ``b_m + length end_m`` is at most beta; the others, which come first in the order
    of these numbers, have to make up for it.
    """
    edges = np.sort(b + length * end)[::-1]
    for r in range(1, len(edges) + 1):
        beta = float(edges[:r].sum() - length * end.sum()) / r
        if r == len(edges) or beta >= edges[r]:
            break
    return beta
