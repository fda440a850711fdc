"""Stochastic gradient descent as a textbook writes it: look at one row, see how wrong it is, move a little, go on.

The model is a score ``f = b + w . x``; a loss says what the score costs for the target, and its slope which way is
down. For classes the target is 1 for the rows of the one and -1 (or 0) for the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from math import exp, log1p

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
# What a score f costs for the target y, and the slope of that: (value, dl/df).
Loss = Callable[[float, float], tuple[float, float]]


@dataclass(frozen=True)
class Update:
    """One update: its rows, the rate, score, loss and slope before it (means of the rows), and where it led."""

    epoch: int
    rows: tuple[int, ...]
    rate: float
    score: float
    loss: float
    slope: float
    coef: Array
    intercept: float


@dataclass(frozen=True)
class Epoch:
    """One pass over all rows: their mean loss, with the penalty added, and epochs in a row that did not help."""

    loss: float
    objective: float
    without_improvement: int
    coef: Array
    intercept: float


@dataclass(frozen=True)
class Run:
    """Where the walk ended and how it went; the averages are those of all updates."""

    coef: Array
    intercept: float
    average_coef: Array
    average_intercept: float
    updates: tuple[Update, ...]
    epochs: tuple[Epoch, ...]


def sigmoid(f: float) -> float:
    return 1 / (1 + exp(-f)) if f >= 0 else exp(f) / (1 + exp(f))


def losses(epsilon: float = 0.1) -> dict[str, Loss]:
    """Every loss by its name, as (value, slope)."""

    def modified_huber(y: float, f: float) -> tuple[float, float]:
        z = y * f
        return (0.0, 0.0) if z >= 1 else ((1 - z) ** 2, -2 * y * (1 - z)) if z >= -1 else (-4 * z, -4 * y)

    def huber(y: float, f: float) -> tuple[float, float]:
        e = f - y
        if abs(e) <= epsilon:
            return e**2 / 2, e
        return epsilon * (abs(e) - epsilon / 2), epsilon * float(np.sign(e))

    def beyond(y: float, f: float) -> float:
        return max(0.0, abs(f - y) - epsilon)

    return {
        "squared_error": lambda y, f: ((f - y) ** 2 / 2, f - y),
        "absolute_error": lambda y, f: (abs(f - y), float(np.sign(f - y))),
        "huber": huber,
        "epsilon_insensitive": lambda y, f: (beyond(y, f), float(np.sign(f - y) * (beyond(y, f) > 0))),
        "squared_epsilon_insensitive": lambda y, f: (beyond(y, f) ** 2, 2 * beyond(y, f) * float(np.sign(f - y))),
        "hinge": lambda y, f: (max(0.0, 1 - y * f), -y if y * f <= 1 else 0.0),
        "squared_hinge": lambda y, f: (max(0.0, 1 - y * f) ** 2, -2 * y * max(0.0, 1 - y * f)),
        "perceptron": lambda y, f: (max(0.0, -y * f), -y if y * f <= 0 else 0.0),
        "perceptron, zero says no": lambda y, f: (max(0.0, -y * f), -y if (f > 0) != (y > 0) else 0.0),
        "perceptron, zero says yes": lambda y, f: (max(0.0, -y * f), -y if (f >= 0) != (y > 0) else 0.0),
        "modified_huber": modified_huber,
        "log_loss": lambda y, f: (max(f, 0.0) - y * f + log1p(exp(-abs(f))), sigmoid(f) - y),  # y is 0 or 1
        "squared_sigmoid": lambda y, f: (
            (y - sigmoid(f)) ** 2 / 2,
            (sigmoid(f) - y) * sigmoid(f) * (1 - sigmoid(f)),  # y is 0 or 1
        ),
    }


def walk(
    X: ArrayLike,
    y: ArrayLike,
    loss: Loss,
    rate: Callable[[int], float],
    *,
    l1: float = 0.0,
    l2: float = 0.0,
    fit_intercept: bool = True,
    batch_size: int = 1,
    order: Iterator[int] | None = None,
    max_iter: int = 1000,
    tol: float | None = None,
    n_iter_no_change: int = 5,
    start: tuple[ArrayLike, float] | None = None,
    weight: ArrayLike | None = None,
) -> Run:
    """Fit a linear model by ``w <- (1 - eta l2) w - eta/m sum_i s_i l'(y_i, f_i) x_i`` over batches of m rows.

    ``rate(t)`` is eta of update t, counted from 1. After each update l1 draws every coefficient toward zero by what
    it owes: all l1 steps so far, less what it was drawn by already; it stops at zero. A run ends after ``max_iter``
    epochs, or ``n_iter_no_change`` of them whose mean of loss and penalty did not fall below the best by ``tol``.
    """
    A, target = np.asarray(X, dtype=np.float64), np.asarray(y, dtype=np.float64)
    n, s = len(A), np.ones(len(A)) if weight is None else np.asarray(weight, dtype=np.float64)
    w, b = np.zeros(A.shape[1]), 0.0
    if start is not None:
        w, b = np.array(start[0], dtype=np.float64), float(start[1])
    visits = order if order is not None else cycle(range(n))
    applied_penalty, owed = np.zeros_like(w), 0.0
    mean_w, mean_b = np.zeros_like(w), 0.0
    updates, epochs = list[Update](), list[Epoch]()
    best, without = np.inf, 0
    while len(epochs) < max_iter:
        loss_sum, penalties, remaining_rows = 0.0, 0.0, n
        while remaining_rows > 0:
            rows = list(islice(visits, min(batch_size, remaining_rows)))
            scores = [b + float(A[i] @ w) for i in rows]
            losses = [loss(float(target[i]), f) for i, f in zip(rows, scores, strict=True)]
            loss_sum += sum(value for value, _ in losses)
            penalties += len(rows) * (l1 * float(np.abs(w).sum()) + l2 / 2 * float(w @ w))

            eta = rate(len(updates) + 1)
            steps = [-eta / len(rows) * derivative * s[i] for i, (_, derivative) in zip(rows, losses, strict=True)]
            w = max(0.0, 1 - eta * l2) * w + np.sum([step * A[i] for i, step in zip(rows, steps, strict=True)], axis=0)
            b += sum(steps) if fit_intercept else 0.0
            mean_w = mean_w + (w - mean_w) / (len(updates) + 1)
            mean_b = mean_b + (b - mean_b) / (len(updates) + 1)
            if l1 > 0:
                owed += eta * l1
                before = w
                w = np.where(
                    w > 0, np.maximum(0, w - (owed + applied_penalty)), np.minimum(0, w + (owed - applied_penalty))
                )
                applied_penalty = applied_penalty + (w - before)
            score, (value, derivative) = float(np.mean(scores)), np.mean(losses, axis=0).tolist()
            updates.append(Update(len(epochs) + 1, tuple(rows), eta, score, value, derivative, w.copy(), b))
            remaining_rows -= len(rows)
        objective = (loss_sum + penalties) / n
        without = without + 1 if tol is not None and objective > best - tol else 0
        best = min(best, objective)
        epochs.append(Epoch(loss_sum / n, objective, without, w.copy(), b))
        if without >= n_iter_no_change:
            break
    return Run(w, b, mean_w, mean_b, tuple(updates), tuple(epochs))


# -------------------------------------------------------------------------------------------------- rates and orders


def optimal_rate(alpha: float, loss: Loss) -> Callable[[int], float]:
    """Bottou's ``1/(alpha (t_0 + t - 1))``: t_0 so that no first step is longer than a typical coefficient."""
    typical = (1 / alpha**0.5) ** 0.5
    first = typical / max(1.0, loss(1.0, -typical)[1])
    return lambda t: 1 / (alpha * (1 / (first * alpha) + t - 1))


def shuffled(n: int, seed: int) -> Iterator[int]:
    """Rows in the order that scikit-learn gives them: each epoch swaps the rows of the last, by the same numbers.

    Fisher and Yates: the row at place i is swapped with one at a place from i to n - 1, which is drawn by Marsaglia's
    32-bit xorshift, restarted from the seed in every epoch.
    """
    rows = list(range(n))
    while True:
        numbers = xorshift(seed)
        for i in range(n - 1):
            j = i + next(numbers) % (n - i)
            rows[i], rows[j] = rows[j], rows[i]
        yield from rows


def xorshift(seed: int) -> Iterator[int]:
    """31 bits of each of Marsaglia's numbers: shifted by 13 to the left, 17 to the right, 5 to the left."""
    state = seed or 1
    while True:
        state ^= state << 13 & 0xFFFFFFFF
        state ^= state >> 17
        state ^= state << 5 & 0xFFFFFFFF
        yield state & 0x7FFFFFFF


def one_against_the_rest(labels: Sequence[object], one: object, other: float = -1.0) -> Array:
    """Targets of a model that tells one class from all others: 1, and -1 (or 0)."""
    return np.array([1.0 if label == one else other for label in labels])
