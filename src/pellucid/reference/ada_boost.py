"""AdaBoost, step by step: weights, the error they give, the stage value, the next weights, and the vote."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import comb, exp, log
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Model = Callable[[Floats], Ints]  # a table -> the class 0, 1, ... of each row
Learner = Callable[[Floats, Ints, Floats], Model]  # a table, its classes, the weights of its rows -> a model
LEAST = 2.0**-52  # no weight falls below it


class Round(NamedTuple):
    """One round: weights before it, which rows its model got wrong, their share of the weight, and its stage value."""

    model: Model
    weight: Floats
    wrong: Ints
    error: float
    stage: float


def stage_value(error: float, n_classes: int = 2, half: bool = False) -> float:
    """What the vote of a model with this error counts: ln((1 - e) / e) + ln(K - 1), or half of it."""
    value = log((1 - error) / error) + log(n_classes - 1)
    return value / 2 if half else value


def next_weights(weight: Floats, wrong: Ints, stage: float, half: bool = False, normalize: bool = True) -> Floats:
    """Rows that are wrong weigh more: times exp(a); in the form with halves those that are right weigh less too."""
    factor = [exp(stage) if row else (exp(-stage) if half else 1.0) for row in wrong]
    moved = weight * np.array(factor)
    return np.asarray(moved / moved.sum() if normalize else moved)


def boost(
    X: Floats,
    y: Ints,
    learn: Learner,
    *,
    rounds: int = 50,
    rate: float = 1.0,
    half: bool = False,
    normalize: bool = True,
    weight: Floats | None = None,
) -> list[Round]:
    """AdaBoost.M1 for two classes, SAMME for more. A perfect model stands alone; one no better than chance ends it."""
    k = int(y.max()) + 1
    w = np.ones(len(y)) if weight is None else weight
    w = w / w.sum()
    absent = w == 0
    history: list[Round] = []
    for _ in range(rounds):
        w = np.where(absent, 0.0, np.maximum(w, LEAST))
        model = learn(X, y, w)
        wrong = (model(X) != y).astype(np.int64)
        error = float((w * wrong).sum() / w.sum())
        if error == 0:
            return [Round(model, w, wrong, 0.0, 1.0)]
        if error >= 1 - 1 / k:
            break
        stage = rate * stage_value(error, k, half)
        history.append(Round(model, w, wrong, error, stage))
        w = next_weights(w, wrong, stage, half, normalize)
    return history


def replay(models: Sequence[Model]) -> Learner:
    """A learner that hands out models that are known already, one a round."""
    left = list(models)
    return lambda X, y, weight: left.pop(0)


def stump(feature: int, threshold: float, left: int, right: int) -> Model:
    """x <= threshold says one class, everything else another."""
    return lambda X: np.where(X[:, feature] <= threshold, left, right)


def best_stump(X: Floats, y: Ints, weight: Floats) -> Model:
    """The stump with the least Gini index, weighted by both sides; of equals the first column and the lowest cut."""
    k = int(y.max()) + 1
    used = weight > 0
    counts = np.array([weight[y == c].sum() for c in range(k)])
    best, best_model = np.inf, stump(0, np.inf, int(counts.argmax()), 0)
    if 1 - ((counts / counts.sum()) ** 2).sum() <= LEAST:
        return best_model
    for j in range(X.shape[1]):
        values = np.unique(X[used, j])
        for low, high in pairwise(values.tolist()):
            cut = low / 2 + high / 2
            sides = [np.array([weight[(y == c) & side].sum() for c in range(k)]) for side in _sides(X[:, j], cut)]
            cost = sum(s.sum() * (1 - ((s / s.sum()) ** 2).sum()) for s in sides)
            if cost < best - 1e-12:
                best, best_model = cost, stump(j, cut, int(sides[0].argmax()), int(sides[1].argmax()))
    return best_model


def _sides(x: Floats, cut: float) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    return x <= cut, x > cut


def votes(rounds: Sequence[Round], X: Floats, n_classes: int) -> Floats:
    """The stage values of the models that say each class: rows x classes. The largest wins."""
    vote_sums = np.zeros((len(X), n_classes))
    for boosting_round in rounds:
        for i, label in enumerate(boosting_round.model(X)):
            vote_sums[i, label] += boosting_round.stage
    return vote_sums


# -------------------------------------------------------------------------------------------------------------- numbers


def loss_of(said: Floats, y: Floats, kind: str = "linear") -> Floats:
    """How far off each row is, against the worst: d, d² or 1 - exp(-d)."""
    apart = np.abs(said - y)
    d = apart / apart.max() if apart.max() > 0 else apart
    return {"linear": d, "square": d**2, "exponential": 1 - np.exp(-d)}[kind]


def next_weights_of_numbers(weight: Floats, loss: Floats, rate: float = 1.0) -> tuple[float, float, Floats]:
    """Mean loss, stage value and next weights of AdaBoost.R2."""
    error = float((weight * loss).sum() / weight.sum())
    beta = error / (1 - error)
    moved = weight * beta ** ((1 - loss) * rate)
    return error, rate * log(1 / beta), moved / moved.sum()


def weighted_median(values: Sequence[float], weight: Sequence[float]) -> float:
    """In rising order the first value up to which the weights make up half of their sum."""
    so_far = 0.0
    for value, w in sorted(zip(values, weight, strict=True), key=lambda pair: pair[0]):
        so_far += w
        if so_far >= sum(weight) / 2:
            return value
    raise ValueError("no value")


# --------------------------------------------------------------------------------------------------------------- voters


def majority_error(n: int, error: float) -> float:
    """How likely more than half of n independent voters are wrong; a tie counts half."""
    probabilities = [comb(n, k) * error**k * (1 - error) ** (n - k) for k in range(n + 1)]
    return (
        sum(p for k, p in enumerate(probabilities) if 2 * k > n)
        + sum(p for k, p in enumerate(probabilities) if 2 * k == n) / 2
    )


def inclusion(n: int, draws: int) -> float:
    """How likely a row is among so many draws with replacement from n rows."""
    return 1 - (1 - 1 / n) ** draws


def weighted_sum(said: Sequence[float], stages: Sequence[float]) -> float:
    """The vote of models that say +1 or -1: above 0 the first class."""
    return sum(a * h for a, h in zip(stages, said, strict=True))
