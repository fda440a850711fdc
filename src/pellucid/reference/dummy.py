"""Baselines in plain steps: what to predict when only the target is known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike


def _written_out(y: Sequence[float], weight: Sequence[int] | None) -> list[float]:
    """Every value as often as its weight says, in order."""
    weight = [1] * len(y) if weight is None else weight
    return sorted(value for value, times in zip(y, weight, strict=True) for _ in range(times))


def mean(y: ArrayLike, weight: ArrayLike | None = None) -> float:
    """m = sum w y / sum w: the constant c with the smallest sum w (y - c)²."""
    values = np.asarray(y, dtype=float)
    weights = np.ones(len(values)) if weight is None else np.asarray(weight, dtype=float)
    return float((weights * values).sum() / weights.sum())


def quantile(y: Sequence[float], q: float, weight: Sequence[int] | None = None) -> float:
    """Value at position q (n - 1) of the n sorted values, counted from 0; between two values by proportion."""
    values = _written_out(y, weight)
    position = q * (len(values) - 1)
    below = int(position)
    above = min(below + 1, len(values) - 1)
    return values[below] + (position - below) * (values[above] - values[below])


def median(y: Sequence[float], weight: Sequence[int] | None = None) -> float:
    """The middle value, or the mean of the two in the middle."""
    return quantile(y, 0.5, weight)


def shares(y: Sequence[str], weight: Sequence[float] | None = None) -> dict[str, float]:
    """Share of every class: sum of its weights over the sum of all."""
    weight = [1.0] * len(y) if weight is None else weight
    total = sum(weight)
    return {
        label: sum(w for value, w in zip(y, weight, strict=True) if value == label) / total for label in sorted(set(y))
    }


def majority(y: Sequence[str], weight: Sequence[float] | None = None) -> str:
    """The class with the largest share; of equals the first in order."""
    share = shares(y, weight)
    return max(share, key=lambda label: share[label])
