"""Measures of a rule X -> Y, from the numbers of baskets that have X, Y, both, and of all."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pellucid.base.types import Floats

# a, b, c, n: baskets with the antecedent, with the consequent, with both, and all.
Measure = Callable[[Floats, Floats, Floats, float], Floats]


def _conviction(a: Floats, b: Floats, c: Floats, n: float) -> Floats:
    """Infinite where the rule is never wrong."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(a == c, np.inf, (1 - b / n) / (1 - c / a))


def _zhang(a: Floats, b: Floats, c: Floats, n: float) -> Floats:
    both, one, other = c / n, a / n, b / n
    least = np.maximum(both * (1 - one), one * (other - both))
    return np.where(least == 0, 0.0, (both - one * other) / np.where(least == 0, 1, least))


def _certainty(a: Floats, b: Floats, c: Floats, n: float) -> Floats:
    sure, plain = c / a, b / n
    up, down = np.where(plain < 1, 1 - plain, 1.0), plain
    return np.where(sure > plain, (sure - plain) / up, (sure - plain) / down)


def _chi_squared(a: Floats, b: Floats, c: Floats, n: float) -> Floats:
    rest = a * b * (n - a) * (n - b)
    return np.where(rest == 0, 0.0, n * (n * c - a * b) ** 2 / np.where(rest == 0, 1, rest))


MEASURES: dict[str, Measure] = {
    "support": lambda a, b, c, n: c / n,
    "confidence": lambda a, b, c, n: c / a,
    "lift": lambda a, b, c, n: (c / a) / (b / n),
    "leverage": lambda a, b, c, n: c / n - (a / n) * (b / n),
    "conviction": _conviction,
    "zhang": _zhang,
    "cosine": lambda a, b, c, n: c / np.sqrt(a * b),
    "jaccard": lambda a, b, c, n: c / (a + b - c),
    "kulczynski": lambda a, b, c, n: (c / a + c / b) / 2,
    "certainty": _certainty,
    "chi_squared": _chi_squared,
    "coverage": lambda a, b, c, n: a / n,
}
