"""Support vector machines with kernels as a textbook writes them: the dual, two multipliers at a time.

For classes t_i = -1 or +1:  maximize  ``sum_i a_i - 1/2 sum_ij a_i a_j t_i t_j K_ij``  with  ``0 <= a_i <= C_i``  and
``sum_i a_i t_i = 0``.  Regression is the same problem with two rows for each: one that must not lie more than epsilon
above the curve, and one that must not lie more than epsilon below it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Kernel = Callable[[Array, Array], float]


def linear(x: Array, z: Array) -> float:
    """``x . z``"""
    return float(x @ z)


def polynomial(gamma: float, coef0: float, degree: int) -> Kernel:
    """``(gamma x . z + coef0)^degree``"""
    return lambda x, z: float((gamma * (x @ z) + coef0) ** degree)


def radial(gamma: float) -> Kernel:
    """``exp(-gamma |x - z|²)``"""
    return lambda x, z: float(np.exp(-gamma * ((x - z) ** 2).sum()))


def sigmoid(gamma: float, coef0: float) -> Kernel:
    """``tanh(gamma x . z + coef0)``"""
    return lambda x, z: float(np.tanh(gamma * (x @ z) + coef0))


@dataclass(frozen=True)
class Machine:
    """Rows with their coefficients a_i t_i (zero for most), the intercept, and what the dual came to."""

    rows: Array
    coef: Array
    intercept: float
    dual: float
    kernel: Kernel

    def score(self, x: ArrayLike) -> float:
        """``b + sum_i a_i t_i K(x_i, x)``, over the rows whose coefficient is not zero."""
        at = np.asarray(x, dtype=float)
        supports = zip(self.rows, self.coef, strict=True)
        return self.intercept + float(sum(c * self.kernel(row, at) for row, c in supports if c != 0))

    @property
    def weights(self) -> Array:
        """Of the linear kernel: w = sum_i a_i t_i x_i."""
        return np.asarray(self.coef @ self.rows)


def smo(Q: Array, t: Array, p: Array, C: Array, tol: float) -> tuple[Array, float]:
    """Minimize ``1/2 a'Qa + p'a`` with ``t'a = 0``, ``0 <= a <= C``: the pair that violates optimality most moves.

    A multiplier can move its row's score up if t = 1 and a < C, or t = -1 and a > 0; down in the other cases. Optimal
    is where no row that can go up has a larger ``-t (Qa + p)`` than any that can go down.
    """
    a, gradient = np.zeros(len(t)), p.astype(float).copy()
    while True:
        up = ((t > 0) & (a < C)) | ((t < 0) & (a > 0))
        down = ((t > 0) & (a > 0)) | ((t < 0) & (a < C))
        value = -t * gradient
        i = int(np.argmax(np.where(up, value, -np.inf)))
        j = int(np.argmin(np.where(down, value, np.inf)))
        if value[i] - value[j] <= tol:
            return a, intercept_of(value, a, C, i, j)
        curvature = max(Q[i, i] + Q[j, j] - 2 * t[i] * t[j] * Q[i, j], 1e-12)
        room_i = C[i] - a[i] if t[i] > 0 else a[i]
        room_j = a[j] if t[j] > 0 else C[j] - a[j]
        step = min((value[i] - value[j]) / curvature, room_i, room_j)
        a[i], a[j] = a[i] + t[i] * step, a[j] - t[j] * step
        a[i] = np.clip(a[i], 0, C[i])
        a[j] = np.clip(a[j], 0, C[j])
        gradient += step * (t[i] * Q[i] - t[j] * Q[j])


def intercept_of(value: Array, a: Array, C: Array, i: int, j: int) -> float:
    """Free multipliers lie on an edge, which gives b; without any, b is in the middle of what it may be."""
    free = (a > 0) & (a < C)
    return float(value[free].mean() if free.any() else (value[i] + value[j]) / 2)


def gram(X: Array, kernel: Kernel) -> Array:
    """K of every two rows."""
    return np.array([[kernel(x, z) for z in X] for x in X])


def classify(X: ArrayLike, t: ArrayLike, C: ArrayLike, kernel: Kernel = linear, tol: float = 1e-8) -> Machine:
    """The machine of two classes t = -1 and +1."""
    rows, sign = np.asarray(X, dtype=float), np.asarray(t, dtype=float)
    price = np.broadcast_to(np.asarray(C, dtype=float), sign.shape)
    Q = sign[:, None] * sign * gram(rows, kernel)
    a, b = smo(Q, sign, -np.ones(len(sign)), price, tol)
    return Machine(rows, a * sign, b, float(a.sum() - a @ Q @ a / 2), kernel)


def regress(
    X: ArrayLike, y: ArrayLike, C: ArrayLike, epsilon: float, kernel: Kernel = linear, tol: float = 1e-8
) -> Machine:
    """The machine of numbers: each row twice, once for either edge of the tube."""
    rows, target = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    n, price = len(target), np.broadcast_to(np.asarray(C, dtype=float), target.shape)
    sign = np.concatenate([np.ones(n), -np.ones(n)])
    K = gram(rows, kernel)
    Q = sign[:, None] * sign * np.tile(K, (2, 2))
    p = np.concatenate([epsilon - target, epsilon + target])
    a, b = smo(Q, sign, p, np.tile(price, 2), tol)
    return Machine(rows, a[:n] - a[n:], b, float(-p @ a - a @ Q @ a / 2), kernel)


# -------------------------------------------------------------------------------------------------------- probabilities


def couple(r: ArrayLike) -> Array:
    """Probabilities of k classes from those of each two: ``r[i, j]`` is that of i where it is i or j.

    They minimize ``sum_ij (r_ji p_i - r_ij p_j)²`` and add up to one (Wu, Lin and Weng), which is where all ``(Qp)_i``
    are equal: k + 1 equations for p and that number. Where the pairs agree, as here with 4/9, 4/9 and 1/9, it is these:

    >>> couple([[0, 0.5, 0.8], [0.5, 0, 0.8], [0.2, 0.2, 0]]).round(4)
    array([0.4444, 0.4444, 0.1111])
    """
    pairwise = np.asarray(r, dtype=float)
    k = len(pairwise)
    Q = -pairwise * pairwise.T
    for i in range(k):
        Q[i, i] = sum(pairwise[j, i] ** 2 for j in range(k) if j != i)
    system = np.block([[Q, -np.ones((k, 1))], [np.ones((1, k)), np.zeros((1, 1))]])
    return np.asarray(np.linalg.solve(system, np.append(np.zeros(k), 1.0))[:k])


# --------------------------------------------------------------------------------------------------- lines and slack


def normal_form(w: ArrayLike, b: float) -> tuple[Array, float, float]:
    """Hessian normal form of ``w . x + b = 0``: the unit normal n, d with ``n . x + d = 0``, and the length of w."""
    v = np.asarray(w, dtype=float)
    length = float(np.sqrt(v @ v))
    return v / length, b / length, length


def signed_distance(w: ArrayLike, b: float, x: ArrayLike) -> float:
    """How far x is from the plane; below zero on the other side."""
    n, d, _ = normal_form(w, b)
    return float(n @ np.asarray(x, dtype=float) + d)


def slack(t: float, score: float) -> float:
    """What a row lacks: ``max(0, 1 - t f(x))``."""
    return max(0.0, 1 - t * score)
