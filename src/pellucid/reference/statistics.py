"""Key figures of a sample, step by step.

Notation: a sample x_1 ... x_n, its mean m_x, and x_(1) <= ... <= x_(n) for the same values in order.
"""

from __future__ import annotations

from math import erf, exp, floor, isinf, pi, sqrt
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri, stdtrit

Vector = NDArray[np.float64]
QuartileMethod = Literal["linear", "halves", "halves_with_median"]


class Quartiles(NamedTuple):
    """The three values that cut an ordered sample into four equal parts."""

    lower: float
    median: float
    upper: float


class FiveNumbers(NamedTuple):
    """What a box plot draws."""

    minimum: float
    lower_quartile: float
    median: float
    upper_quartile: float
    maximum: float


class Fences(NamedTuple):
    """Limits beyond which a box plot shows a value as a single point."""

    interquartile_range: float
    low: float
    high: float


def _vector(x: ArrayLike) -> Vector:
    return np.asarray(x, dtype=np.float64)


def mean(x: ArrayLike) -> float:
    """Arithmetic mean: ``m = (1/n) sum_i x_i``."""
    values = _vector(x)
    return float(values.sum() / len(values))


def mode(x: ArrayLike) -> float:
    """Most frequent value; the smallest of them where several are equally frequent."""
    counts: dict[float, int] = {}
    for value in _vector(x):
        counts[float(value)] = counts.get(float(value), 0) + 1
    max_count = max(counts.values())
    return min(value for value, count in counts.items() if count == max_count)


def median(x: ArrayLike) -> float:
    """Middle value of the ordered sample; the mean of the two middle values where n is even.

    n odd:   ``x_((n+1)/2)``
    n even:  ``(x_(n/2) + x_(n/2+1)) / 2``
    """
    ordered = np.sort(_vector(x))
    n = len(ordered)
    middle = n // 2
    if n % 2 == 1:
        return float(ordered[middle])
    return float((ordered[middle - 1] + ordered[middle]) / 2)


def variance(x: ArrayLike, ddof: int = 1) -> float:
    """Mean squared deviation: ``sum_i (x_i - m_x)^2 / (n - ddof)``; ddof = 1 for a sample, 0 for a whole population."""
    values = _vector(x)
    deviation = values - mean(values)
    return float((deviation**2).sum() / (len(values) - ddof))


def standard_deviation(x: ArrayLike, ddof: int = 1) -> float:
    """Square root of the variance."""
    return sqrt(variance(x, ddof))


def covariance(x: ArrayLike, y: ArrayLike, ddof: int = 1) -> float:
    """How two variables move together: ``sum_i (x_i - m_x)(y_i - m_y) / (n - ddof)``."""
    x_values, y_values = _vector(x), _vector(y)
    deviation_x = x_values - mean(x_values)
    deviation_y = y_values - mean(y_values)
    return float((deviation_x * deviation_y).sum() / (len(x_values) - ddof))


def covariance_matrix(X: ArrayLike, ddof: int = 1) -> NDArray[np.float64]:
    """Covariance of every column with every other: ``C = (X - 1 m^T)^T (X - 1 m^T) / (n - ddof)``.

    The diagonal holds the variances.
    """
    table = _vector(X)
    deviation = table - table.mean(axis=0)
    products: NDArray[np.float64] = deviation.T @ deviation
    return products / (len(table) - ddof)


def correlation(x: ArrayLike, y: ArrayLike) -> float:
    """Pearson's r: the covariance in units of both standard deviations, so free of scale: ``cov(x, y) / (s_x s_y)``."""
    return covariance(x, y) / (standard_deviation(x) * standard_deviation(y))


def quartiles(x: ArrayLike, method: QuartileMethod = "linear") -> Quartiles:
    """Lower quartile, median and upper quartile, by one of three rules that textbooks give.

    linear               the value at position ``h = (n - 1) p`` of the ordered sample counted from 0, interpolated:
                         ``x_[h] + (h - [h]) (x_[h]+1 - x_[h])``
    halves               medians of the lower and the upper half; where n is odd the middle value is in neither
    halves_with_median   the same, but where n is odd the middle value is in both (Tukey's hinges)
    """
    ordered = np.sort(_vector(x))
    n = len(ordered)
    if method == "linear":
        return Quartiles(*(_interpolated(ordered, (n - 1) * p) for p in (0.25, 0.5, 0.75)))
    size = n // 2 if method == "halves" else (n + 1) // 2
    if size == 0:
        return Quartiles(float(ordered[0]), float(ordered[0]), float(ordered[0]))
    return Quartiles(median(ordered[:size]), median(ordered), median(ordered[n - size :]))


def _interpolated(ordered: Vector, position: float) -> float:
    below = floor(position)
    above = min(below + 1, len(ordered) - 1)
    share = position - below
    return float(ordered[below] + share * (ordered[above] - ordered[below]))


def five_number_summary(x: ArrayLike, method: QuartileMethod = "linear") -> FiveNumbers:
    """Smallest value, lower quartile, median, upper quartile, largest value."""
    values = _vector(x)
    lower, middle, upper = quartiles(values, method)
    return FiveNumbers(float(values.min()), lower, middle, upper, float(values.max()))


def tukey_fences(x: ArrayLike, factor: float = 1.5, method: QuartileMethod = "linear") -> Fences:
    """Limits for outliers: ``[Q1 - factor IQR, Q3 + factor IQR]`` with the interquartile range ``IQR = Q3 - Q1``."""
    lower, _, upper = quartiles(x, method)
    interquartile_range = upper - lower
    return Fences(interquartile_range, lower - factor * interquartile_range, upper + factor * interquartile_range)


def student_t_critical(df: float, alpha: float = 0.05) -> float:
    """Two-sided critical value of Student's t: the t with ``P(|T| > t) = alpha`` for df degrees of freedom.

    It is the ``1 - alpha/2`` quantile; for df = infinity the one of the normal distribution.
    """
    probability = 1 - alpha / 2
    return float(ndtri(probability) if np.isinf(df) else stdtrit(df, probability))


def normal_density(x: ArrayLike, mean: float = 0.0, standard_deviation: float = 1.0) -> Vector:
    """The bell curve ``f(x) = exp(-(x - m)^2 / (2 s^2)) / (sqrt(2 pi) s)``."""
    z = (np.asarray(x, dtype=np.float64) - mean) / standard_deviation
    return np.asarray(np.exp(-(z**2) / 2) / (sqrt(2 * pi) * standard_deviation))


def normal_probability(low: float, high: float, mean: float = 0.0, standard_deviation: float = 1.0) -> float:
    """The share between two limits, ``Phi((high - m) / s) - Phi((low - m) / s)``.

    The share below is ``Phi(z) = (1 + erf(z / sqrt 2)) / 2``.
    """

    def below(limit: float) -> float:
        return (1 + erf((limit - mean) / standard_deviation / sqrt(2))) / 2

    return below(high) - below(low)


def inclusion_probability(n: float) -> float:
    """Chance that a row is among n draws with replacement from n rows.

    One draw misses it with probability ``1 - 1/n``, all n draws do with ``(1 - 1/n)^n``; that goes to ``1/e``.
    """
    return 1 - (exp(-1) if isinf(n) else (1 - 1 / n) ** n)


def growth_factor(exponent: float, times: float = 2.0) -> float:
    """How many times the cost of a problem `times` as large, when it grows like size^exponent."""
    return float(times**exponent)


def growth_exponent(size: NDArray[np.float64], cost: NDArray[np.float64]) -> float:
    """Slope of ln cost against ln size."""
    x, y = np.log(size), np.log(cost)
    return float(np.sum((x - x.mean()) * (y - y.mean())) / np.sum((x - x.mean()) ** 2))
