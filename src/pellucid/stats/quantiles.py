"""Quartiles and what a box plot draws from them."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from pellucid.stats._sample import Sample, fail, sample

QuartileMethod = Literal["linear", "halves", "halves_with_median"]


class Quartiles(NamedTuple):
    """The three values that cut an ordered sample into four equal parts."""

    lower: float
    median: float
    upper: float


class FiveNumbers(NamedTuple):
    """Smallest value, quartiles and largest value of a sample."""

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


def quartiles(x: ArrayLike, method: QuartileMethod = "linear") -> Quartiles:
    """Lower quartile, median and upper quartile: a quarter, a half and three quarters of the values lie below.

    Books and programs differ in the rule; here are the three common ones.

    ``linear``              the value at position ``(n - 1) p`` of the ordered sample, counted from 0 and interpolated
                            (NumPy, pandas, R's default, spreadsheets' QUARTILE.INC)
    ``halves``              medians of the lower and the upper half, the middle value of an odd number left out
    ``halves_with_median``  the same with the middle value in both halves (Tukey's hinges)

    >>> quartiles([1, 2, 3, 4, 5, 6, 7])
    Quartiles(lower=2.5, median=4.0, upper=5.5)
    >>> quartiles([1, 2, 3, 4, 5, 6, 7], method="halves")
    Quartiles(lower=2.0, median=4.0, upper=6.0)
    """
    return _quartiles("quartiles", sample("quartiles", x), method)


def five_number_summary(x: ArrayLike, method: QuartileMethod = "linear") -> FiveNumbers:
    """Smallest value, lower quartile, median, upper quartile and largest value.

    >>> five_number_summary([3, 1, 2, 5, 4])
    FiveNumbers(minimum=1.0, lower_quartile=2.0, median=3.0, upper_quartile=4.0, maximum=5.0)
    """
    values = sample("five_number_summary", x)
    lower, middle, upper = _quartiles("five_number_summary", values, method)
    return FiveNumbers(float(values.min()), lower, middle, upper, float(values.max()))


def tukey_fences(x: ArrayLike, factor: float = 1.5, method: QuartileMethod = "linear") -> Fences:
    """Limits for outliers of a box plot.

    ``[Q1 - factor IQR, Q3 + factor IQR]`` with the interquartile range ``IQR = Q3 - Q1``. With factor 1.5 about 0.7 %
    of normally distributed values lie outside.

    >>> tukey_fences([1, 2, 3, 4, 100])
    Fences(interquartile_range=2.0, low=-1.0, high=7.0)
    """
    lower, _, upper = _quartiles("tukey_fences", sample("tukey_fences", x), method)
    interquartile_range = upper - lower
    return Fences(interquartile_range, lower - factor * interquartile_range, upper + factor * interquartile_range)


def _quartiles(who: str, values: Sample, method: QuartileMethod) -> Quartiles:
    if method not in get_args(QuartileMethod):
        known = ", ".join(map(repr, get_args(QuartileMethod)))
        fail(who, f"method must be one of {known}", f"got {method!r}", "'linear' is what NumPy and pandas use")
    if method == "linear":
        return Quartiles(*np.quantile(values, [0.25, 0.5, 0.75]).tolist())
    ordered = np.sort(values)
    half = len(ordered) // 2 if method == "halves" else (len(ordered) + 1) // 2
    half = max(half, 1)
    return Quartiles(*(float(np.median(part)) for part in (ordered[:half], ordered, ordered[-half:])))
