"""Linear support vector machines by dual coordinate descent: row after row, each multiplier to its best place.

Minimised is ``1/2 (|w|² + v²) + sum_i C_i loss_i`` where v, the intercept, is the coefficient of a column of ones. The
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
    """Coefficients, intercept, multipliers times the class, and what was minimised."""

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
    most = np.full(len(sign), np.inf) if squared else price
    extra = 1 / (2 * price) if squared else np.zeros(len(sign))
    a, w = np.zeros(len(sign)), np.zeros(Z.shape[1])
    for _ in range(passes):
        worst = 0.0
        for i, z in enumerate(Z):
            slope = sign[i] * (w @ z) - 1 + extra[i] * a[i]
            new = float(np.clip(a[i] - slope / (z @ z + extra[i]), 0, most[i]))
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
    most = np.full(len(target), np.inf) if squared else price
    extra = 1 / (2 * price) if squared else np.zeros(len(target))
    beta, w = np.zeros(len(target)), np.zeros(Z.shape[1])
    for _ in range(passes):
        worst = 0.0
        for i, z in enumerate(Z):
            bend = z @ z + extra[i]
            free = beta[i] - (w @ z - target[i] + extra[i] * beta[i]) / bend
            new = float(np.clip(np.sign(free) * max(0.0, abs(free) - epsilon / bend), -most[i], most[i]))
            worst = max(worst, abs(new - beta[i]) * bend)
            w += (new - beta[i]) * z
            beta[i] = new
        if worst <= tol:
            break
    lack = np.maximum(0, np.abs(target - Z @ w) - epsilon)
    return Plane(w[:-1], float(w[-1]), beta, float(w @ w / 2 + price @ (lack**2 if squared else lack)))
