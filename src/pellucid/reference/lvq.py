"""Learning vector quantization as a textbook writes it.

A codebook of vectors w_v with classes c_v. Rows x of class y come one after the other; one or two vectors answer each:

lvq1    the nearest:  w += a (x - w) if its class is y, else  w -= a (x - w)
olvq1   the same with a rate of its own for each vector, a_v <- min(a, a_v / (1 + s a_v)) after its step, s = +1 or -1
lvq2.1  the two nearest, if one has class y, the other has not, and min(d_1/d_2, d_2/d_1) > (1 - h) / (1 + h)
lvq3    the same; and both by epsilon a toward x where both have class y
glvq    the nearest of class y (squared distance d) and the nearest of another class (e), by the gradient of
        f((d - e) / (d + e)), f the sigmoid; lengths in units of sqrt(u), u the mean squared distance from the center
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Variant = Literal["lvq1", "olvq1", "lvq2.1", "lvq3", "glvq"]
Decay = Literal["linear", "per_update", "constant"]


@dataclass(frozen=True)
class Update:
    """One row's effect: its distances to all vectors, and by how much which of them went toward it (or away)."""

    row: int
    distances: Array
    steps: dict[int, float]
    codebook: Array  # after it


@dataclass
class Run:
    """All updates, the codebook after each epoch, and the rows whose nearest vector had another class."""

    codebook: Array
    rates: Array
    updates: list[Update] = field(default_factory=list)
    path: list[Array] = field(default_factory=list)
    mistakes: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Rule:
    """Which vectors move."""

    variant: Variant = "lvq1"
    window: float = 0.3
    epsilon: float = 0.3
    steepness: float = 2.0
    spread: float = 1.0


def train(
    X: ArrayLike,
    y: Sequence[object],
    codebook: ArrayLike,
    labels: Sequence[object],
    rule: Rule | None = None,
    *,
    rate: float = 0.3,
    epochs: int = 1,
    decay: Decay = "linear",
    orders: Iterable[Sequence[int]] | None = None,
    weight: ArrayLike | None = None,
    box: tuple[Array, Array] | None = None,
) -> Run:
    """Epochs over the rows in the given orders, one an epoch; as they stand unless told.

    ``box``: lowest and highest numbers of each column, within which vectors are held that are pushed away.
    """
    table, w, rule = np.asarray(X, dtype=np.float64), np.array(codebook, dtype=np.float64), rule or Rule()
    n = len(table)
    counts = np.ones(n) if weight is None else np.asarray(weight, dtype=np.float64)
    run = Run(w, np.full(len(w), rate))
    for epoch, order in zip(range(epochs), orders or [range(n)] * epochs, strict=False):
        mistakes = 0.0
        for t, i in enumerate(order):
            if counts[i] == 0:
                continue
            now = rate_at(rate, decay, epoch, epochs, t, n)
            distances = np.sqrt(((table[i] - w) ** 2).sum(axis=1))
            if labels[int(np.argmin(distances))] != y[i]:
                mistakes += counts[i]
            steps = steps_of(rule, distances, labels, y[i], now, run.rates, rate)
            for v, step in steps.items():
                steps[v] = float(np.clip(counts[i] * step, -1, 1))
                w[v] += steps[v] * (table[i] - w[v])
                if box is not None and steps[v] < 0:
                    w[v] = np.clip(w[v], *box)
            run.updates.append(Update(i, distances, steps, w.copy()))
        run.path.append(w.copy())
        run.mistakes.append(mistakes)
    return run


def rate_at(rate: float, decay: Decay, epoch: int, epochs: int, t: int, n: int) -> float:
    """Falling by the epoch, counted from 0; by the update; or not at all."""
    if decay == "linear":
        return rate * (1 - epoch / epochs)
    return rate * (1 - (epoch * n + t) / (epochs * n)) if decay == "per_update" else rate


def steps_of(
    rule: Rule, distances: Array, labels: Sequence[object], y: object, now: float, rates: Array, most: float
) -> dict[int, float]:
    """Vector -> its step; `rates` of olvq1 change here."""
    is_correct = np.array([label == y for label in labels])
    first = int(np.argmin(distances))
    if rule.variant == "lvq1":
        return {first: now if is_correct[first] else -now}
    if rule.variant == "olvq1":
        sign, rate = (1 if is_correct[first] else -1), rates[first]
        rates[first] = min(most, rate / (1 + sign * rate)) if sign * rate > -1 else most
        return {first: sign * rate}
    if rule.variant == "glvq":
        return _gradient(rule, distances**2, is_correct, now)
    if len(labels) < 2:
        return {}
    second = int(np.argmin(np.where(np.arange(len(labels)) == first, np.inf, distances)))
    if is_correct[first] != is_correct[second]:
        if distances[first] > (1 - rule.window) / (1 + rule.window) * distances[second]:
            return {v: now if is_correct[v] else -now for v in (first, second)}
        return {}
    both = rule.variant == "lvq3" and is_correct[first]
    return dict.fromkeys((first, second), rule.epsilon * now) if both else {}


def _gradient(rule: Rule, squares: Array, is_correct: NDArray[np.bool_], now: float) -> dict[int, float]:
    if is_correct.all() or not is_correct.any():
        return {}
    nearest_correct = int(np.argmin(np.where(is_correct, squares, np.inf)))
    nearest_wrong = int(np.argmin(np.where(is_correct, np.inf, squares)))
    d, e = squares[nearest_correct], squares[nearest_wrong]
    if d + e == 0:
        return {}
    f = 1 / (1 + np.exp(-rule.steepness * (d - e) / (d + e)))
    common = now * rule.spread * rule.steepness * f * (1 - f) / (d + e) ** 2
    return {nearest_correct: common * e, nearest_wrong: -common * d}


def cost(X: ArrayLike, y: Sequence[object], codebook: ArrayLike, labels: Sequence[object], steepness: float) -> float:
    """What glvq descends: ``sum f((d - e) / (d + e))``."""
    table, w = np.asarray(X, dtype=np.float64), np.asarray(codebook, dtype=np.float64)
    total = 0.0
    for x, label in zip(table, y, strict=True):
        squares, is_correct = (
            ((x - w) ** 2).sum(axis=1),
            np.array([prototype_label == label for prototype_label in labels]),
        )
        d, e = squares[is_correct].min(), squares[~is_correct].min()
        total += 1 / (1 + np.exp(-steepness * (d - e) / (d + e)))
    return float(total)


def spread(X: ArrayLike) -> float:
    """The mean squared distance of the rows from their center."""
    table = np.asarray(X, dtype=np.float64)
    return float(((table - table.mean(axis=0)) ** 2).sum(axis=1).mean())


def predict(X: ArrayLike, codebook: ArrayLike, labels: Sequence[object], k: int = 1) -> list[object]:
    """The most frequent class of the k nearest vectors; of equally frequent ones that of the nearest."""
    labels_of_rows = []
    for x in np.asarray(X, dtype=np.float64):
        near = np.argsort(((x - np.asarray(codebook)) ** 2).sum(axis=1), kind="stable")[:k]
        votes = [labels[int(v)] for v in near]
        labels_of_rows.append(max(votes, key=votes.count))  # the first of equals, which is the nearest
    return labels_of_rows
