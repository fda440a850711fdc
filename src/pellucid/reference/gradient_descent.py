"""Gradient descent as a textbook writes it: stand somewhere, find the slope, take a small step against it, repeat.

The model is ``f_i = theta_0 + theta_1 x_i1 + ... + theta_p x_ip``, its cost ``c/n sum_i w_i (f_i - y_i)^2/2`` with
``c = 1`` or ``2`` and weights of mean one, plus ``alpha h(theta)`` for a penalty h that leaves the intercept alone.
theta has the intercept first; without intercept it has no such entry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import cycle, islice
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Step:
    """One update: the rows it looked at, their cost and gradient before it, the rate, and where it led."""

    epoch: int
    rows: tuple[int, ...]
    rate: float
    cost: float
    gradient: Array
    theta: Array


@dataclass(frozen=True)
class Epoch:
    """One pass over as many rows as there are: mean cost before each update, and epochs in a row that did not help."""

    cost: float
    objective: float
    without_improvement: int
    theta: Array


@dataclass(frozen=True)
class Descent:
    """Where the walk ended, why, and how it went; ``path`` has the start first."""

    theta: Array
    path: Array
    steps: tuple[Step, ...]
    epochs: tuple[Epoch, ...]
    stopped_by: str


def descend(
    X: ArrayLike,
    y: ArrayLike,
    *,
    eta0: float = 0.01,
    cost: Literal["half_squared", "squared"] = "half_squared",
    penalty: Literal["l1", "l2"] | None = None,
    alpha: float = 0.0001,
    fit_intercept: bool = True,
    batch_size: int | None = None,
    order: Literal["given", "shuffled", "drawn"] | ArrayLike = "given",
    divide: Literal["batch", "rows", "none"] = "batch",
    learning_rate: Literal["constant", "decay", "invscaling", "adaptive"] = "constant",
    power_t: float = 0.25,
    t0: float = 5.0,
    t1: float = 50.0,
    max_iter: int = 1000,
    max_steps: int | None = None,
    tol: float | None = None,
    n_iter_no_change: int = 5,
    gradient_tol: float | None = None,
    start: ArrayLike | None = None,
    weight: ArrayLike | None = None,
    seed: int = 0,
) -> Descent:
    """Fit a linear model by batch (``batch_size=None``), mini-batch or stochastic (``batch_size=1``) gradient descent.

    ``theta <- theta - eta_t (c/d sum_{i in B} w_i (f_i - y_i) (1, x_i) + alpha (0, h'(theta_1 .. theta_p)))``

    over batches B of rows in the given order, shuffled anew each epoch, drawn with replacement, or listed one by one;
    d is the number of rows in B, of all rows, or 1. Stops by a short gradient of all rows, by ``n_iter_no_change``
    epochs whose mean cost and penalty did not fall below the best by ``tol``, or by count.
    """
    A = np.asarray(X, dtype=np.float64)
    A = np.column_stack([np.ones(len(A)), A]) if fit_intercept else A
    target, n, c = np.asarray(y, dtype=np.float64), len(A), 2.0 if cost == "squared" else 1.0
    sample_weight = np.ones(n) if weight is None else np.asarray(weight, dtype=np.float64)
    w, constant = sample_weight / sample_weight.mean(), 1 / sample_weight.mean()
    free = np.arange(A.shape[1]) < int(fit_intercept)  # of penalty
    rows, size = visits(n, order, seed), n if batch_size is None else batch_size

    theta = np.zeros(A.shape[1]) if start is None else np.array(start, dtype=np.float64)
    path, steps, epochs = [theta], list[Step](), list[Epoch]()
    best, without, eta = np.inf, 0, eta0
    while len(epochs) < max_iter:
        costs, objectives, remaining_rows = 0.0, 0.0, n
        while remaining_rows > 0 and len(steps) != max_steps:
            B = np.arange(n) if batch_size is None else np.array(list(islice(rows, min(size, remaining_rows))))
            error = A[B] @ theta - target[B]
            divisor = {"batch": len(B), "rows": n, "none": constant}[divide]
            h, penalty_gradient = _penalty(penalty, np.where(free, 0, theta))
            gradient = c / divisor * A[B].T @ (w[B] * error) + alpha * penalty_gradient
            if batch_size is None and gradient_tol is not None and np.linalg.norm(gradient) <= gradient_tol:
                return Descent(theta, np.array(path), tuple(steps), tuple(epochs), "gradient")

            t = len(steps)
            rate = {"decay": t0 / (t + t1), "invscaling": eta0 / (t + 1) ** power_t}.get(learning_rate, eta)
            theta = theta - rate * gradient
            value = c * np.mean(w[B] * error**2 / 2)
            costs, objectives = costs + len(B) * value, objectives + len(B) * (value + alpha * h)
            path.append(theta)
            steps.append(Step(len(epochs) + 1, tuple(B.tolist()), rate, float(value), gradient, theta))
            remaining_rows -= len(B)
        objective = objectives / (n - remaining_rows)
        without = without + 1 if tol is not None and objective > best - tol else 0
        best = min(best, objective)
        epochs.append(Epoch(costs / (n - remaining_rows), objective, without, theta))
        if without >= n_iter_no_change and remaining_rows == 0:
            if learning_rate != "adaptive" or eta <= 1e-6:
                return Descent(theta, np.array(path), tuple(steps), tuple(epochs), "improvement")
            eta, without = eta / 5, 0
        if len(steps) == max_steps:
            break
    return Descent(theta, np.array(path), tuple(steps), tuple(epochs), "count")


def visits(n: int, order: str | ArrayLike, seed: int = 0) -> Iterator[int]:
    """Row numbers without end: 0 to n - 1 again and again, each time shuffled, drawn at random, or those listed."""
    random = np.random.default_rng(seed)
    if not isinstance(order, str):
        yield from cycle(np.asarray(order).tolist())
    while True:
        if order == "drawn":
            yield int(random.integers(n))
        else:
            yield from (random.permutation(n) if order == "shuffled" else np.arange(n)).tolist()


def _penalty(name: str | None, theta: Array) -> tuple[float, Array]:
    """``h`` and its (sub)gradient: nothing, half the sum of squares, or the sum of absolute values."""
    if name is None:
        return 0.0, np.zeros_like(theta)
    return (float(theta @ theta) / 2, theta) if name == "l2" else (float(np.abs(theta).sum()), np.sign(theta))


Function = Callable[[Array], float]


@dataclass(frozen=True)
class Minimum:
    """Where descent on a function ended, with the path and the gradient at each of its points."""

    x: Array
    path: Array
    gradients: Array


def minimize(
    cost: Function,
    start: ArrayLike,
    gradient: Callable[[Array], ArrayLike] | None = None,
    *,
    rate: float = 0.1,
    max_steps: int = 1000,
    gradient_tol: float = 1e-9,
) -> Minimum:
    """Walk down any function of a vector: ``x <- x - rate grad f(x)`` until the gradient is short.

    Where no gradient is given it is found by :func:`gradient`.
    """
    gradient_function = gradient if gradient is not None else _differences(cost)
    x = np.array(start, dtype=np.float64)
    path, gradients = [x], [np.asarray(gradient_function(x), dtype=np.float64)]
    while len(path) <= max_steps and np.linalg.norm(gradients[-1]) > gradient_tol:
        x = x - rate * gradients[-1]
        path.append(x)
        gradients.append(np.asarray(gradient_function(x), dtype=np.float64))
    return Minimum(x, np.array(path), np.array(gradients))


def gradient(f: Function, x: ArrayLike) -> Array:
    """The vector of partial derivatives by central differences: ``(f(x + h e_j) - f(x - h e_j)) / 2h``.

    The error is ``h^2 f'''/6`` from the formula and ``eps f/h`` from rounding; ``h`` near the cube root of eps balances
    them. It is a power of two, so that x + h and x - h are exact; for a quadratic f of small whole numbers, so is the
    answer.
    """
    at = np.asarray(x, dtype=np.float64)
    h = np.ldexp(1.0, -17 + np.frexp(np.maximum(np.abs(at), 1.0))[1] - 1)
    differences = np.empty_like(at)
    for j, e in enumerate(np.diag(h)):
        differences[j] = (f(at + e) - f(at - e)) / (2 * h[j])
    return differences


def _differences(cost: Function) -> Callable[[Array], Array]:
    return lambda x: gradient(cost, x)
