"""The Bayesian correlated t-test, step by step."""

from __future__ import annotations

from math import gamma, pi, sqrt

import numpy as np
from numpy.typing import ArrayLike


def student_density(t: float, df: int) -> float:
    """``Gamma((v + 1)/2) / (sqrt(v pi) Gamma(v/2)) (1 + t^2/v)^(-(v + 1)/2)``."""
    height = gamma((df + 1) / 2) / (sqrt(df * pi) * gamma(df / 2))
    return float(height * (1 + t * t / df) ** (-(df + 1) / 2))


def student_below(t: float, df: int, n_steps: int = 2000) -> float:
    """The area of the density below t: one half, and Simpson's rule from 0 to t."""
    grid = np.linspace(0.0, t, 2 * n_steps + 1)
    heights = np.array([student_density(float(x), df) for x in grid])
    width = t / (2 * n_steps)
    area = width / 3 * (heights[0] + 4 * heights[1::2].sum() + 2 * heights[2:-1:2].sum() + heights[-1])
    return float(0.5 + area)


def bayesian_t_test(first: ArrayLike, second: ArrayLike, test_share: float, rope: float) -> tuple[float, float, float]:
    """Probabilities that the first is better, that both are equivalent, and that the second is better."""
    d = np.asarray(first, dtype=float) - np.asarray(second, dtype=float)
    n_folds = len(d)
    mean = d.sum() / n_folds
    variance = ((d - mean) ** 2).sum() / (n_folds - 1)
    error = sqrt((1 / n_folds + test_share) * variance)
    below = student_below((-rope - mean) / error, n_folds - 1)
    up_to = student_below((rope - mean) / error, n_folds - 1)
    return 1 - up_to, up_to - below, below
