"""Self-training, step by step."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
# Labeled rows, their codes 0, 1, ..., and the other rows: the probability of each class for each of the latter.
Learner = Callable[[Floats, Ints, Floats], Floats]


class SelfTraining(NamedTuple):
    """What the rounds gave: a code for every row (-1 for none) and the round in which it got it (0 at the start)."""

    labels: Ints
    rounds: Ints
    ended: str


def nearest_mean(rows: Floats, codes: Ints, others: Floats) -> Floats:
    """A small learner: probabilities that fall as exp(-d² / 2) with the distance d from the mean of each class."""
    means = np.array([rows[codes == code].mean(axis=0) for code in range(codes.max() + 1)])
    shares = np.exp(-((others[:, None, :] - means) ** 2).sum(axis=2) / 2)
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def self_training(
    X: Floats,
    y: Ints,
    learn: Learner = nearest_mean,
    *,
    threshold: float = 0.75,
    k_best: int | None = None,
    max_iter: int = 10,
) -> SelfTraining:
    """Labels the surest of the rows whose y is -1, learns from them too, and goes on.

    A round labels the rows whose largest probability is above ``threshold``, or the ``k_best`` surest ones.
    """
    labels, rounds = y.copy(), np.where(y >= 0, 0, -1)
    for number in range(1, max_iter + 1):
        unlabeled = np.flatnonzero(labels < 0)
        if len(unlabeled) == 0:
            return SelfTraining(labels, rounds, "all_labeled")
        # 1. Learn from the labeled rows and ask about the others.
        is_labeled = labels >= 0
        probabilities = learn(X[is_labeled], labels[is_labeled], X[unlabeled])
        # 2. The most probable class of each, and how probable it is.
        best, surest = probabilities.argmax(axis=1), probabilities.max(axis=1)
        # 3. Keep those that are sure enough.
        sure = np.flatnonzero(surest > threshold)
        confident_rows = sure if k_best is None else np.argsort(-surest, kind="stable")[:k_best]
        if len(confident_rows) == 0:
            return SelfTraining(labels, rounds, "no_change" if number < max_iter else "max_iter")
        # 4. From now on they count as labeled.
        labels[unlabeled[confident_rows]], rounds[unlabeled[confident_rows]] = best[confident_rows], number
    return SelfTraining(labels, rounds, "all_labeled" if (labels >= 0).all() else "max_iter")
