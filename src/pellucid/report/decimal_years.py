"""Years with decimals: a fraction of the year, as in the time index of a series, or a month after the point."""

from __future__ import annotations

from typing import Literal

import numpy as np

from pellucid.base.types import Floats

DAY, DAYS_PER_YEAR = 86_400.0, 365.25
WRITTEN = ((100, 12), (10, 4))  # 1947.01 to 1947.12 are months, and 1947.1 to 1947.4 are quarters
STEPS_PER_YEAR = np.array([12.0, 24.0, 26.0, 52.0, 52.18, 365.0, 365.25, 366.0])
COMPLETE = 0.95  # share of the periods from the first to the last that must occur
LEAST_PERIODS = 10


def seconds_of_decimal_years(numbers: Floats, in_order: bool) -> tuple[Floats, Literal["day", "month"]] | None:
    """The times in seconds since 1970, and how fine they are; None where the decimals are no regular part of a year.

    Months and quarters are recognized in any order of the rows if hardly one is missing between the first and the
    last; weeks, days, and months with missing ones only where the rows stand in their order.
    """
    known = np.isfinite(numbers)
    distinct, codes = np.unique(numbers[known], return_inverse=True)
    months = _written_months(distinct)
    if months is None:
        months = _months_of_fractions(distinct, in_order)
    if months is not None:
        days = np.round(months).astype(np.int64).astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    elif in_order and _has_regular_days(distinct):
        days = np.round((distinct - 1970) * DAYS_PER_YEAR)
    else:
        return None
    seconds = np.full(len(numbers), np.nan)
    seconds[known] = DAY * days[codes]
    return seconds, "day" if months is None else "month"


def _written_months(distinct: Floats) -> Floats | None:
    """Months since 1970 of numbers whose decimals are those of a month, or of the first month of a quarter."""
    year = np.floor(distinct)
    for scale, n_periods in WRITTEN:
        decimals = (distinct - year) * scale
        period = np.round(decimals)
        if np.abs(decimals - period).max() > 0.05 or set(period.tolist()) != set(range(1, n_periods + 1)):
            continue
        if _is_complete(year * n_periods + period):
            return np.asarray((year - 1970) * 12 + (period - 1) * (12 // n_periods))
    return None


def _months_of_fractions(distinct: Floats, in_order: bool) -> Floats | None:
    """Months since 1970 of numbers whose decimals are twelfths or quarters of a year."""
    for n_periods in (4, 12):
        periods = distinct * n_periods
        if float((np.abs(periods - np.round(periods)) < 0.06).mean()) <= COMPLETE:
            continue
        if in_order or _is_complete(np.round(periods)):
            return np.asarray((np.round(periods) / n_periods - 1970) * 12)
    return None


def _is_complete(periods: Floats) -> bool:
    """Do nearly all whole numbers from the first to the last occur?"""
    n_periods = periods[-1] - periods[0] + 1
    return bool(len(periods) >= max(LEAST_PERIODS, COMPLETE * n_periods))


def _has_regular_days(distinct: Floats) -> bool:
    """Are the numbers days of a year, or an even step apart that is one of weeks, days or the like?"""
    fractions = (distinct - np.floor(distinct))[:, None] * np.array([365.0, 366.0])
    if float((np.abs(fractions - np.round(fractions)) < 0.06).mean(axis=0).max()) > COMPLETE:
        return True
    steps = np.diff(distinct)
    typical = float(np.median(steps))
    is_even = float((np.abs(steps - typical) <= 0.02 * typical).mean()) >= COMPLETE
    is_known = bool((np.abs(typical * STEPS_PER_YEAR - 1) < 0.005).any())
    return len(distinct) >= LEAST_PERIODS and is_even and is_known
