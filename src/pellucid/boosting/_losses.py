"""Losses by their scores, as early stopping and reports need them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pellucid.base.types import Floats

_OF_SQUARES, _OF_SIZES = ("squared_error", "huber"), ("absolute_error", "quantile")


def unit_power(kind: str) -> int:
    """Which power of the target's unit the unit of a loss is."""
    return 2 if kind in _OF_SQUARES else int(kind in _OF_SIZES)


def in_unit(value: float, unit: float, power: int) -> float:
    """A loss of targets that were divided by a unit, as that of the targets; infinite where it is beyond all floats."""
    for _ in range(power):
        value *= unit
    return value


def out_of_unit(value: float, unit: float, power: int) -> float:
    """The other way round."""
    for _ in range(power):
        value /= unit
    return value


def mean_loss(loss: Mapping[str, Any], y: Floats, scores: Floats, weight: Floats | None = None) -> float:
    """The mean over the rows of the loss that a plan names, and over the targets where there are several.

    y : numbers, or codes of classes, or rows x targets; scores : rows x outputs
    """
    if y.ndim == 2:
        each_target = [mean_loss(loss, y[:, k], scores[:, k : k + 1], weight) for k in range(y.shape[1])]
        return float(np.mean(each_target))
    if loss["loss"] == "own":
        return float(loss["own"].mean(y, scores, weight))
    kind, f = loss["loss"], scores[:, 0]
    r = y - f
    if kind == "squared_error":
        each = r * r / 2
    elif kind == "absolute_error":
        each = np.abs(r)
    elif kind == "quantile":
        each = r * (loss["level"] - (r < 0))
    elif kind == "huber":
        delta = float(np.quantile(np.abs(r), loss["level"]))
        each = np.where(np.abs(r) <= delta, r * r / 2, delta * (np.abs(r) - delta / 2))
    elif kind == "poisson":
        each = np.exp(f) - y * f
    elif kind == "logistic":
        each = np.maximum(f, 0) - y * f + np.log1p(np.exp(-np.abs(f)))
    else:
        max_score = scores.max(axis=1)
        true_score = scores[np.arange(len(scores)), y.astype(np.intp)]
        each = max_score + np.log(np.exp(scores - max_score[:, None]).sum(axis=1)) - true_score
    return float(np.average(each, weights=weight))
