"""Why rows are thought to be recorded along a clock: their order, even spacing, times of day, a resembling target."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

import numpy as np

from pellucid.base.errors import count
from pellucid.base.types import Array, Floats
from pellucid.data.slices import column_of
from pellucid.report.clocks import DAY, Clock, is_ordered, ordered_share
from pellucid.report.name_vocabulary import name_tokens, speaks_of_origin, speaks_of_time
from pellucid.report.row_order import clearest

MOST_YEARS = 30.0  # that a table of events spans, if nothing else speaks for them
LEAST_KNOWN = 0.8  # share of rows with a time
LEAST_BY_CHANCE = 0.05  # share of the rows that would repeat a time by chance, if a panel is to be no chance
IN_ORDER = "the rows stand in the order of time"
TIME_OF_DAY = "the time of day is recorded, as it is for events"
CLOSE_DATES = "the dates lie close together, as those of recording do"


def evidence_of(clock: Clock, y: Array, for_classes: bool) -> tuple[str, ...]:
    """Why rows are thought to be recorded along a clock, in phrases; nothing where they are not."""
    known = np.isfinite(clock.values)
    if known.mean() < LEAST_KNOWN:
        return ()
    values = clock.values[known]
    reasons = []
    in_order = is_ordered(values) if clock.resolution != "year" else is_ordered(values, 2) and _may_be_years(clock)
    if in_order:
        share, n_steps = ordered_share(values)
        n_back = round(n_steps * min(share, 1 - share))  # where a table of several series starts again, for instance
        reasons.append(IN_ORDER + (f" but for {count(n_back, 'step')} back" if n_back else ""))
    if clock.resolution != "year" and is_regular(values):
        reasons.append("nearly all times are the same step apart")
    if clock.resolution == "instant" and len(np.unique(np.round(values % DAY))) >= 10:
        reasons.append(TIME_OF_DAY)
    correlation = clearest(y[known][np.argsort(values, kind="stable")], for_classes, trend=True)
    if correlation.is_clear and clock.resolution != "year":
        reasons.append(f"the target of a row resembles that of the row before it in time ({correlation.words})")
    if any(speaks_of_origin(name) for name in clock.columns):
        # A date of production may be that of recording: only a process along it shows that.
        return tuple(reasons) if correlation.is_clear and in_order and clock.resolution != "year" else ()
    if not reasons and _may_be_recorded(clock):
        reasons.append(CLOSE_DATES)
    return tuple(reasons)


def _may_be_years(clock: Clock) -> bool:
    """Are these years as they are written, by the name, or under a name in another script, which is not understood?"""
    return clock.form != "years" or all(speaks_of_time(name) or not name_tokens(name) for name in clock.columns)


def panel_evidence(clock: Clock, table: Any, names: Sequence[str]) -> tuple[str, ...]:
    """Why the rows are thought to be a panel along a clock; nothing where they are not."""
    if np.isfinite(clock.values).mean() < LEAST_KNOWN or any(speaks_of_origin(name) for name in clock.columns):
        return ()
    column = panel_column(clock.values, clock.columns, table, names)
    return (f"each {column!r} has one row per time",) if column else ()


def panel_column(times: Floats, time_columns: Sequence[str], table: Any, names: Sequence[str]) -> str:
    """The column of which each level has one row per time, far more regularly than by chance, as in a panel; or ""."""
    known = np.isfinite(times)
    distinct, moments, counts = np.unique(times[known], return_inverse=True, return_counts=True)
    n_pairs = float((counts * (counts - 1.0)).sum()) / 2  # of rows with the same time
    for name in names:
        values = column_of(table, name)
        if name in time_columns or values.dtype.kind not in "Oiu":
            continue
        levels, codes = np.unique(values[known].astype(str), return_inverse=True)
        n_rows, shares = len(codes), np.bincount(codes) / max(len(codes), 1)
        if not 2 <= len(levels) <= n_rows / 3 or n_pairs * float(shares @ shares) < LEAST_BY_CHANCE * n_rows:
            continue
        n_repeated = n_rows - len(np.unique(codes.astype(np.int64) * len(distinct) + moments))
        if n_repeated <= 0.01 * n_rows:
            return name
    return ""


def _may_be_recorded(clock: Clock) -> bool:
    """Without more evidence: dates within a few decades, or a few consecutive years under a name that says year."""
    if clock.resolution != "year":
        return clock.years <= MOST_YEARS
    years = np.unique(clock.values[np.isfinite(clock.values)])
    named = clock.form != "years" or all(speaks_of_time(name) for name in clock.columns)
    return named and 3 <= len(years) <= 15 and float(years[-1] - years[0]) == len(years) - 1


def is_regular(values: Floats) -> bool:
    """Are the distinct times evenly spaced, each with as many rows?"""
    times, counts = np.unique(values, return_counts=True)
    if len(times) < 10:
        return False
    steps = np.diff(times)
    typical = float(np.median(steps))
    even = float((np.abs(steps - typical) <= 0.11 * typical).mean())  # months differ by a tenth
    return even >= 0.9 and float((counts == np.median(counts)).mean()) >= 0.9


def is_dated(clock: Clock) -> bool:
    """Is it plain enough that these are times for the page to mention that they are not used as such?"""
    return clock.form != "years" or all(speaks_of_time(name) for name in clock.columns)


def rejection_of(clock: Clock) -> str:
    """A sentence about a clock that was not used."""
    single = len(clock.columns) == 1
    hint = (
        f" If later rows are to be predicted from earlier ones, use --time {shlex.quote(clock.columns[0])}."
        if single
        else ""
    )
    return (
        f"{clock.label} {'holds' if single else 'hold'} {clock.form}, but nothing shows that the rows were recorded "
        f"along {'it' if single else 'them'}, so {'it does' if single else 'they do'} not decide the split.{hint}"
    )
