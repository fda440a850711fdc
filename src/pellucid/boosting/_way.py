"""How far the rounds of boosted trees go together, rate times rounds: found by short fits on parts of the rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import ceil
from typing import Any

import numpy as np

from pellucid.base.types import Array, Floats
from pellucid.boosting._losses import mean_loss

FOLDS = 5
_RATE = 0.15  # of the short fits
_ROWS_LOOKED_AT = 4000  # rows held out, all folds together, that are enough
_FARTHEST = 2.0  # times the way by the rows
_LEAST_WAIT, _WAIT = 10, 0.5  # rounds without a better loss: at least so many, and this share of those before them
_ROWS_OF_THE_GUESS = 1000  # the way by the rows counts as much as so many rows


def parts_of(y: Floats, weight: Floats | None, of_classes: bool, seed: int) -> list[Array]:
    """Flags of the rows that each fold holds out, as many folds as are looked at; of classes the same share of each."""
    used = np.arange(len(y)) if weight is None else np.flatnonzero(weight > 0)
    order = np.random.RandomState(seed % (1 << 32)).permutation(used)
    if of_classes:
        order = order[np.argsort(y[order, 0], kind="stable")]
    fold = np.full(len(y), -1)
    fold[order] = np.arange(len(order)) % FOLDS
    looked_at = min(max(ceil(_ROWS_LOOKED_AT * FOLDS / len(order)), 1), FOLDS)
    return [(fold == k).astype(np.uint8) for k in range(looked_at)]


def best_way(
    guess: float,
    folds: list[Array],
    y: Floats,
    weight: Floats | None,
    loss: Mapping[str, Any],
    make_booster: Callable[[Array, float], Any],
) -> float:
    """The way by the rows, moved toward that for which the loss of rows held out is least.

    Fits of a long step grow side by side, each without its part, until their loss has been rising for a while. With
    ``s`` the way after which the loss of all parts was least, and n rows, the answer is
    ``guess^(1 - t) s^t``,  ``t = n / (n + 1000)``: of few rows the losses are noise, and the guess counts more.

    made : a booster from flags of the rows held out and its rate
    """
    fits = [(np.flatnonzero(fold), make_booster(fold, _RATE)) for fold in folds]
    target = y[:, 0] if y.shape[1] == 1 else y
    min_loss, best = np.inf, 1
    for n_rounds in range(1, ceil(_FARTHEST * guess / _RATE) + 1):
        total_loss = 0.0
        for rows, booster in fits:
            booster.grow(1)
            fold_weight = None if weight is None else weight[rows]
            total_loss += mean_loss(loss, target[rows], np.asarray(booster.scores()[rows]), fold_weight)
        if total_loss < min_loss:
            min_loss, best = total_loss, n_rounds
        elif n_rounds - best >= max(_LEAST_WAIT, _WAIT * best):
            break
    if not np.isfinite(min_loss):
        return guess
    trust = len(y) / (len(y) + _ROWS_OF_THE_GUESS)
    return float(guess ** (1 - trust) * (best * _RATE) ** trust)
