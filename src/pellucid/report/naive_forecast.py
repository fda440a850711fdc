"""The naive forecast of a series: the value of the target one row, or one season, before.

It is the reference that a forecaster expects. It needs a past value of the target, which the baseline does not, so it
is shown beside the baseline and not instead of it. A table is a series if its times are evenly spaced, if neighboring
rows resemble each other, or if each of several things has one row per time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pellucid.base.types import Array, Floats
from pellucid.data.slices import column_of, names_of
from pellucid.report.clock_evidence import is_regular, panel_column
from pellucid.report.clocks import DAY
from pellucid.report.holdout import Predictions, Scores, scores_of_numbers
from pellucid.report.outcome import Metric, NaiveForecast
from pellucid.report.prepare import PreparedData
from pellucid.report.resampling import Resamples
from pellucid.report.row_order import clearest
from pellucid.report.verdict import conclusion_of_gain

SINGLE = 0.99  # share of the rows with a time of their own, from which on they are one series
LEAST_CYCLES = 3  # of a season among the training rows
# Seasons of a series with this step: a day and a week of hours, a week and a year of days, and so on.
_SEASONS = (
    (600.0, 144), (900.0, 96), (1800.0, 48), (3600.0, 24), (3600.0, 168), (DAY, 7), (DAY, 365), (7 * DAY, 52),
    (30.4 * DAY, 12), (91.3 * DAY, 4),
)  # fmt: skip


@dataclass(frozen=True)
class Series:
    """Rows as one series in time, or as several.

    order : the rows by series, and by time within each
    codes : the series of each row, by number
    column : what tells the series apart; "" if there is one
    step : seconds between neighbors where these are evenly spaced, else NaN
    """

    order: Array
    codes: Array
    column: str = ""
    step: float = float("nan")

    def rows_before(self, lag: int) -> Array:
        """For each row the one so many rows before it in its series; -1 where there is none."""
        before = np.full(len(self.order), -1, dtype=np.int64)
        later, earlier = self.order[lag:], self.order[:-lag]
        same = self.codes[later] == self.codes[earlier]
        before[later[same]] = earlier[same]
        return before

    @property
    def lags(self) -> tuple[int, ...]:
        """One row, and the seasons that this step allows."""
        return (1, *(lag for step, lag in _SEASONS if abs(self.step - step) <= 0.05 * step))


def find_series(ready: PreparedData) -> Series | None:
    """The rows as series, if later ones are predicted from earlier ones and they are no separate events."""
    structure, parting = ready.structure, ready.parting
    times = structure.times
    if ready.for_classes or times is None or not parting.in_time or parting.grouped:
        return None
    known = np.isfinite(times)
    distinct = np.unique(times[known])
    step = float(np.median(np.diff(distinct))) if structure.is_calendar and is_regular(distinct) else float("nan")
    if len(distinct) >= SINGLE * len(times):
        order = np.argsort(times, kind="stable")
        is_series = is_regular(distinct) or clearest(ready.y[order], False, trend=True).is_clear
        return Series(order, np.zeros(len(times), dtype=np.int64), "", step) if is_series else None
    names = [name for name in names_of(ready.table) if name != ready.task.target]
    column = panel_column(times, structure.time_columns, ready.table, names)
    if not column or not known.all():
        return None
    codes = np.unique(column_of(ready.table, column).astype(str), return_inverse=True)[1]
    return Series(np.lexsort((times, codes)), codes, column, step)


def compare_with_naive(
    ready: PreparedData, measure: Metric, predictions: Predictions, resamples: Resamples
) -> NaiveForecast | None:
    """The scores of the naive forecast on the held-out rows, and whether the model is better there.

    The number of rows to go back is the one with the least squared error on the training rows. Held-out rows without a
    row before them take no part.
    """
    series = find_series(ready)
    if series is None:
        return None
    y, held = ready.y.astype(np.float64), ready.parting.held
    lag = _best_lag(series, y, ready.parting.train)
    before = series.rows_before(lag)[held]
    scored = before >= 0
    if scored.sum() < SINGLE * len(held):
        return None
    past = np.where(scored, y[before], y[held])
    naive, model = scores_of_numbers(past, y[held]), scores_of_numbers(predictions.predicted, y[held])
    everyone = np.flatnonzero(scored)
    low, high = _gain(naive, model, measure, resamples, scored)
    return NaiveForecast(
        lag,
        series.column,
        {measure_of.word: score(everyone) for measure_of, score in naive.values()},
        low,
        high,
        conclusion_of_gain(low, high, resamples.unit, resamples.n_units),
    )


def _best_lag(series: Series, y: Floats, train: Array) -> int:
    """Among those with several cycles in the training rows."""
    n_rows = len(train) / (int(series.codes.max()) + 1)
    errors = {}
    for lag in series.lags:
        before = series.rows_before(lag)[train]
        known = before >= 0
        if known.any() and (lag == 1 or n_rows >= LEAST_CYCLES * lag):
            errors[lag] = float(((y[train] - y[before])[known] ** 2).mean())
    return min(errors, key=lambda lag: errors[lag], default=1)


def _gain(naive: Scores, model: Scores, measure: Metric, resamples: Resamples, scored: Array) -> tuple[float, float]:
    """95 % interval of the improvement of the model over the naive forecast, by the metric of the comparison."""
    _, naive_score = naive[measure.scoring]
    _, model_score = model[measure.scoring]
    samples = (rows[scored[rows]] for rows in resamples.draws())
    gains = [measure.sign * (model_score(rows) - naive_score(rows)) for rows in samples if len(rows)]
    return resamples.interval(np.array(gains))
