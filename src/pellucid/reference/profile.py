"""What a profile says of one column of numbers, and which rows are double, in plain steps. NaN is a missing value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import isnan, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike


def present(x: ArrayLike) -> list[float]:
    """The values that are there, in order."""
    return sorted(float(value) for value in np.asarray(x, dtype=np.float64).ravel() if not isnan(value))


def at_share(ordered: Sequence[float], share: float) -> float:
    """The value at place (n - 1) p, between its neighbors in proportion."""
    place = (len(ordered) - 1) * share
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def middle(ordered: Sequence[float]) -> float:
    """The middle value, or the mean of the two in the middle."""
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def quartiles(ordered: Sequence[float]) -> tuple[float, float, float]:
    """By linear interpolation."""
    return at_share(ordered, 0.25), at_share(ordered, 0.5), at_share(ordered, 0.75)


def quartiles_of_halves(ordered: Sequence[float], with_median: bool) -> tuple[float, float, float]:
    """Medians of the lower half, of all, of the upper half; the middle value of an odd number in both or in none."""
    n = len(ordered)
    size = (n + 1) // 2 if with_median else max(n // 2, 1)
    return middle(ordered[:size]), middle(ordered), middle(ordered[n - size :])


def modes(ordered: Sequence[float]) -> list[float]:
    """The values that occur most often; none if each occurs once."""
    counts = Counter(ordered)
    most = max(counts.values())
    return [value for value in sorted(counts) if counts[value] == most] if most > 1 or len(ordered) == 1 else []


def moments(ordered: Sequence[float]) -> tuple[float, float, float]:
    """Mean, variance with n - 1, and skewness g1 = (sum d³ / n) / (sum d² / n)^1.5."""
    n = len(ordered)
    mean = sum(ordered) / n
    squares = sum((value - mean) ** 2 for value in ordered)
    cubes = sum((value - mean) ** 3 for value in ordered)
    variance = squares / (n - 1) if n > 1 else float("nan")
    return mean, variance, cubes / n / (squares / n) ** 1.5 if squares > 0 else float("nan")


def fences(ordered: Sequence[float]) -> tuple[float, float, int]:
    """Q1 - 1.5 IQR, Q3 + 1.5 IQR, and how many values lie outside."""
    lower, _, upper = quartiles(ordered)
    low, high = lower - 1.5 * (upper - lower), upper + 1.5 * (upper - lower)
    return low, high, sum(value < low or value > high for value in ordered)


def skew(mean: float, found: Sequence[float]) -> str | None:
    """mean - mode > 0 right-skewed, < 0 left-skewed, = 0 symmetric; None if the modes do not agree."""
    words = {"right-skewed" if mean > mode else "left-skewed" if mean < mode else "symmetric" for mode in found}
    return words.pop() if len(words) == 1 else None


def merged_moments(
    a: tuple[int, float, float, float], b: tuple[int, float, float, float]
) -> tuple[int, float, float, float]:
    """Count, mean, and sums of squares and cubes of the deviations, of two parts together."""
    (na, ma, a2, a3), (nb, mb, b2, b3) = a, b
    n, d = na + nb, mb - ma
    mean = ma + d * nb / n
    squares = a2 + b2 + d**2 * na * nb / n
    cubes = a3 + b3 + d**3 * na * nb * (na - nb) / n**2 + 3 * d * (na * b2 - nb * a2) / n
    return n, mean, squares, cubes


def double_rows(rows: Sequence[Sequence[Any]]) -> int:
    """Rows that equal an earlier one."""
    seen: set[tuple[Any, ...]] = set()
    again = 0
    for row in rows:
        key = tuple(row)
        again += key in seen
        seen.add(key)
    return again


def distance_shares(variances: Sequence[float]) -> list[float]:
    """The share of each column in the mean squared distance of two rows, which is twice the variance."""
    return [variance / sum(variances) for variance in variances]


def standard_deviation(ordered: Sequence[float]) -> float:
    """Root of the variance."""
    return sqrt(moments(ordered)[1])
