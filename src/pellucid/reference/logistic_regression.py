"""Logistic and softmax regression fitted as a textbook does it: gradient descent, Newton's method, L-BFGS.

All three lower one cost,

``F(W, b) = 1/S sum_i s_i l(y_i, b + W x_i) + l2/2 ||W||^2 + intercept_l2/2 ||b||^2``,  ``S = sum_i s_i``,

with the loss ``l`` of two classes coded 0 and 1 (``"logistic"``: W has one row), of k classes coded 0 to k - 1
(``"softmax"``: k rows) or of a number (``"squared"``, half the squared error). theta holds W row by row, then b.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Loss = Literal["logistic", "softmax", "squared"]
ROUNDING = 1e-15  # what the sum of many losses may be off by: F may rise by that much


@dataclass(frozen=True)
class Cost:
    """The data and the penalties: everything of F but its parameters."""

    X: Array
    y: Array
    weight: Array
    loss: Loss = "logistic"
    l2: float = 0.0
    intercept_l2: float = 0.0
    fit_intercept: bool = True

    @property
    def outputs(self) -> int:
        return int(self.y.max()) + 1 if self.loss == "softmax" else 1

    def split(self, theta: Array) -> tuple[Array, Array]:
        """W (one row an output) and b."""
        k = self.outputs
        return theta[:-k].reshape(k, -1), theta[-k:]

    def losses(self, f: Array) -> tuple[Array, Array]:
        """``l(y_i, f_i)`` of every row, and its slope along each of the row's scores."""
        if self.loss == "squared":
            return (f[:, 0] - self.y) ** 2 / 2, f - self.y[:, None]
        if self.loss == "logistic":
            return np.logaddexp(0, f[:, 0]) - self.y * f[:, 0], sigmoid(f) - self.y[:, None]
        rows, label_codes = np.arange(len(f)), self.y.astype(int)
        powers = np.exp(f - f.max(axis=1, keepdims=True))
        p = powers / powers.sum(axis=1, keepdims=True)
        p[rows, label_codes] -= 1
        return np.logaddexp.reduce(f, axis=1) - f[rows, label_codes], p

    def value_and_slope(self, theta: Array) -> tuple[float, Array]:
        """F and its gradient."""
        W, b = self.split(theta)
        values, gradients = self.losses(self.X @ W.T + b)
        share = self.weight / self.weight.sum()
        value = share @ values + self.l2 / 2 * (W**2).sum() + self.intercept_l2 / 2 * (b**2).sum()
        of_w = (share[:, None] * gradients).T @ self.X + self.l2 * W
        of_b = (share @ gradients + self.intercept_l2 * b) * self.fit_intercept
        return float(value), np.append(of_w.ravel(), of_b)


@dataclass(frozen=True)
class Path:
    """Where a walk ended, and F, the largest slope and theta at the start and after each step."""

    coef: Array
    intercept: Array
    values: Array
    slopes: Array
    thetas: Array
    converged: bool


def sigmoid(t: ArrayLike) -> Array:
    """``1 / (1 + e^-t)``, with no power that could overflow."""
    t = np.asarray(t, dtype=np.float64)
    small = np.exp(-np.abs(t))
    return np.asarray(np.where(t >= 0, 1, small) / (1 + small))


def cost(
    X: ArrayLike,
    y: ArrayLike,
    *,
    loss: Loss = "logistic",
    l2: float = 0.0,
    intercept_l2: float = 0.0,
    fit_intercept: bool = True,
    weight: ArrayLike | None = None,
) -> Cost:
    """The cost of these data as one object."""
    target = np.asarray(y, dtype=np.float64)
    s = np.ones(len(target)) if weight is None else np.asarray(weight, dtype=np.float64)
    return Cost(np.asarray(X, dtype=np.float64), target, s, loss, l2, intercept_l2, fit_intercept)


def gradient_descent(of: Cost, *, rate: float = 0.1, tol: float = 1e-4, max_iter: int = 1000) -> Path:
    """``theta <- theta - rate g``: a step of fixed rate against the slope of all rows, until no slope is above tol."""
    theta = start(of)
    walk = [(*of.value_and_slope(theta), theta)]
    while np.abs(walk[-1][1]).max() > tol and len(walk) <= max_iter:
        theta = theta - rate * walk[-1][1]
        walk.append((*of.value_and_slope(theta), theta))
    return _path(of, walk, tol)


def newton(of: Cost, *, tol: float = 1e-4, max_iter: int = 100) -> Path:
    """Solve ``H d = -g`` and step by d, or by half of it, a quarter, ... until F falls: two classes.

    ``g = X'(s (p - y)) / S + l2 w`` and ``H = X' diag(s p (1 - p)) X / S + l2 I``, with a constant column for the
    intercept. Where columns depend on each other the shortest d is taken.
    """
    theta = start(of)
    A = np.column_stack([of.X, np.ones(len(of.X)) * of.fit_intercept])
    ridge = np.diag(np.append(np.full(of.X.shape[1], of.l2), of.intercept_l2 * of.fit_intercept))
    walk = [(*of.value_and_slope(theta), theta)]
    while np.abs(walk[-1][1]).max() > tol and len(walk) <= max_iter:
        value, gradient, theta = walk[-1]
        p = sigmoid(A @ theta)
        H = A.T @ ((of.weight * p * (1 - p) / of.weight.sum())[:, None] * A) + ridge
        d, t = -np.linalg.pinv(H, hermitian=True) @ gradient, 1.0
        while of.value_and_slope(theta + t * d)[0] > value + 1e-4 * t * (gradient @ d) + ROUNDING and t > 1e-12:
            t /= 2
        theta = theta + t * d
        walk.append((*of.value_and_slope(theta), theta))
    return _path(of, walk, tol)


def lbfgs(of: Cost, *, tol: float = 1e-4, max_iter: int = 1000, memory: int = 10, positive: bool = False) -> Path:
    """Newton's method with the curvature that the last steps showed: ``d = -H g`` by the two-loop recursion.

    A pair ``s = theta_new - theta``, ``y = g_new - g`` says how the slope changes along a step; H is made so that
    ``H y = s`` for the last pairs. The step is halved until F falls. With ``positive`` coefficients that a step would
    take below zero stop there, and those at zero whose slope points below are left out.
    """
    theta, bounded = start(of), np.arange(len(start(of))) < (of.outputs * of.X.shape[1] if positive else 0)
    pairs, walk = list[tuple[Array, Array]](), [(*of.value_and_slope(theta), theta)]
    free = ~bounded | (theta > 0) | (walk[-1][1] < 0)
    while np.abs(walk[-1][1][free]).max(initial=0) > tol and len(walk) <= max_iter:
        value, gradient, theta = walk[-1]
        d, t = -two_loops(np.where(free, gradient, 0), pairs) * free, 1.0
        if gradient @ d >= 0:
            pairs, d = [], -gradient * free
        while True:
            trial = np.where(bounded, np.maximum(theta + t * d, 0), theta + t * d)
            found, there = of.value_and_slope(trial)
            if found <= value + 1e-4 * (gradient @ (trial - theta)) + ROUNDING or t < 1e-12:
                break
            t /= 2
        s, y = trial - theta, there - gradient
        if s @ y > 1e-10 * np.linalg.norm(s) * np.linalg.norm(y):
            pairs = [*pairs, (s, y)][-memory:]
        walk.append((found, there, trial))
        free = ~bounded | (trial > 0) | (there < 0)
    return _path(of, walk, tol, free)


def two_loops(g: Array, pairs: list[tuple[Array, Array]]) -> Array:
    """``H g`` from the pairs (s, y), oldest first: take off what each pair explains, scale, and put it back."""
    shares = list[float]()
    for s, y in reversed(pairs):
        shares.append(float(s @ g) / float(s @ y))
        g = g - shares[-1] * y
    if pairs:
        s, y = pairs[-1]
        g = g * (s @ y) / (y @ y)
    for (s, y), share in zip(pairs, reversed(shares), strict=True):
        g = g + s * (share - (y @ g) / (s @ y))
    return g


def start(of: Cost) -> Array:
    """All parameters zero."""
    return np.zeros(of.outputs * (of.X.shape[1] + 1))


def _path(of: Cost, walk: list[tuple[float, Array, Array]], tol: float, free: NDArray[np.bool_] | None = None) -> Path:
    values, gradients, thetas = zip(*walk, strict=True)
    W, b = of.split(thetas[-1])
    counted = np.abs(gradients[-1]) if free is None else np.abs(gradients[-1][free])
    largest = np.array([np.abs(gradient).max() for gradient in gradients])
    return Path(W, b, np.array(values), largest, np.array(thetas), bool(counted.max(initial=0) <= tol))
