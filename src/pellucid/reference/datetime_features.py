"""Dates and times as numbers in plain steps, by Python's own calendar."""

from __future__ import annotations

from calendar import isleap, monthrange
from collections.abc import Callable, Sequence
from datetime import datetime
from math import cos, nan, pi, sin

import numpy as np
from numpy.typing import NDArray

EPOCH = datetime(1970, 1, 1)

FEATURES: dict[str, Callable[[datetime], float]] = {
    "year": lambda t: t.year,
    "month": lambda t: t.month,
    "day": lambda t: t.day,
    "hour": lambda t: t.hour,
    "minute": lambda t: t.minute,
    "second": lambda t: t.second,
    "day_of_week": lambda t: t.weekday(),
    "day_of_year": lambda t: t.timetuple().tm_yday,
    "week": lambda t: t.isocalendar().week,
    "quarter": lambda t: (t.month - 1) // 3 + 1,
    "is_weekend": lambda t: float(t.weekday() >= 5),
    "timestamp": lambda t: (t - EPOCH).total_seconds(),
}

# Place on the circle, counted from 0, and the number of places.
CYCLES: dict[str, Callable[[datetime], tuple[int, int]]] = {
    "month": lambda t: (t.month - 1, 12),
    "day": lambda t: (t.day - 1, monthrange(t.year, t.month)[1]),
    "hour": lambda t: (t.hour, 24),
    "minute": lambda t: (t.minute, 60),
    "second": lambda t: (t.second, 60),
    "day_of_week": lambda t: (t.weekday(), 7),
    "day_of_year": lambda t: (t.timetuple().tm_yday - 1, 366 if isleap(t.year) else 365),
}


def feature(times: Sequence[datetime | None], name: str) -> NDArray[np.float64]:
    """One number a row; NaN where there is no time."""
    return np.array([nan if t is None else float(FEATURES[name](t)) for t in times])


def on_circle(times: Sequence[datetime | None], name: str) -> NDArray[np.float64]:
    """Sine and cosine of the angle of each row: a place v of n lies at 2 pi v / n."""
    coordinates = np.full((len(times), 2), nan)
    for row, t in enumerate(times):
        if t is not None:
            position, period = CYCLES[name](t)
            angle = 2 * pi * position / period
            coordinates[row] = sin(angle), cos(angle)
    return coordinates


def date_and_time(day: str, clock: str) -> datetime:
    """A date and a time of day, each as text, as one time."""
    return datetime.fromisoformat(f"{day[:10]} {clock}")
