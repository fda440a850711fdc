"""Prediction intervals of a regression: how far the truth lies from predictions, by how large these are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pellucid.base.errors import ParameterError, format_message
from pellucid.base.types import Floats


@dataclass(frozen=True)
class PredictionIntervals:
    """Quantiles of the errors ``y - prediction`` of rows that the model had not learned from.

    ``prediction + low[b][k] <= y <= prediction + high[b][k]`` for about a share ``levels[k]`` of the rows whose
    prediction lies in bin b.

    levels : the shares, ascending
    borders : predictions that separate the bins, ascending; a prediction on a border belongs to the bin below it
    low, high : for each bin, the quantiles of the errors by level
    floor : no interval reaches below it; None for no such bound
    """

    levels: tuple[float, ...]
    borders: tuple[float, ...]
    low: tuple[tuple[float, ...], ...]
    high: tuple[tuple[float, ...], ...]
    floor: float | None = None

    def bounds(self, predictions: Any, level: float) -> tuple[Floats, Floats]:
        """The ends of the interval of each prediction.

        >>> intervals = PredictionIntervals((0.9,), (10.0,), ((-1.0,), (-2.0,)), ((1.5,), (4.0,)))
        >>> low, high = intervals.bounds([8.0, 20.0], 0.9)
        >>> low.tolist(), high.tolist()
        ([7.0, 18.0], [9.5, 24.0])
        """
        if level not in self.levels:
            known = ", ".join(f"{one:g}" for one in self.levels)
            raise ParameterError(
                format_message("predict", f"the interval must be one of {known}", actual=f"got {level:g}")
            )
        k = self.levels.index(level)
        values = np.asarray(predictions, dtype=np.float64)
        bins = np.searchsorted(self.borders, values, side="left")
        low = values + np.array([row[k] for row in self.low])[bins]
        high = values + np.array([row[k] for row in self.high])[bins]
        if self.floor is not None:
            low, high = np.maximum(low, self.floor), np.maximum(high, self.floor)
        return low, high
