"""How far off the predictions of a number are, on the page: typical errors and prediction intervals."""

from __future__ import annotations

from html import escape

import numpy as np
from scipy.stats import binom

from pellucid.base.errors import count
from pellucid.report.alerts import LEAST_SHORTFALL
from pellucid.report.charts_plots import Line, lines_chart
from pellucid.report.outcome import HoldoutResult, Intervals, MetricValue, StudyResult
from pellucid.report.page_elements import Cell, Head, chart, paragraphs, table
from pellucid.report.page_text import cut, figure, figures, percentage


def intervals_parts(outcome: StudyResult, found: Intervals, held: HoldoutResult) -> list[str]:
    """The typical error, the intervals by level, and how wide they are."""
    return [
        paragraphs([_typical(outcome, found, held), *_how(outcome, found)]),
        _coverage(found),
        _drawn(outcome, found),
    ]


def _typical(outcome: StudyResult, intervals: Intervals, holdout: HoldoutResult) -> str:
    """The typical error in the target's unit and as a share of its typical value."""
    median = _figure(holdout, "median absolute error")
    if median is None:
        return ""
    target = cut(outcome.task.target, 60)
    share = ""
    if intervals.typical > 0:
        share = f", {100 * median.value / intervals.typical:.1f} % of the median size of the held-out values "
        share += f"({figure(intervals.typical)})"
    return f"Half of the predictions of {target} are within {figure(median.value)} of the truth{share}."


def _figure(holdout: HoldoutResult, word: str) -> MetricValue | None:
    return next((score for score in holdout.figures if score.word == word), None)


def _how(outcome: StudyResult, intervals: Intervals) -> list[str]:
    n_bins = len(intervals.fitted.borders) + 1
    share = f"{100 * intervals.level:g} %"
    words = (
        f"An interval of {share} reaches from the prediction as far down and up as the middle {share} of the errors of "
        "out-of-fold rows, which the predicting model had not learned from."
    )
    if n_bins > 1:
        words += (
            f" The errors were taken separately for {n_bins} ranges of the prediction, as their size changes with it."
        )
    floor = f"No interval reaches below 0, as no value of {cut(outcome.task.target, 60)} in the table does."
    return [words, floor if intervals.fitted.floor is not None else "", "New rows: pellucid predict --interval 0.9."]


def _coverage(intervals: Intervals) -> str:
    heads = [
        Head("level", True, "The share of rows that should lie in their interval"),
        Head("held-out rows inside", True),
        Head("share", True),
        Head("95 % interval of the share", True),
        Head("median width", True, "In the target's unit"),
    ]
    widths = figures([row.width for row in intervals.coverage])
    rows = []
    for row, width in zip(intervals.coverage, widths, strict=True):
        share = row.held / row.rows
        rows.append(
            [
                Cell(f"{100 * row.level:g} %", row.level),
                Cell(f"{row.held:,} of {row.rows:,}", row.held),
                Cell(escape(percentage(share, 1)), share),
                Cell(f"{100 * row.low:.1f} to {100 * row.high:.1f} %"),
                Cell(width, row.width),
            ]
        )
    title = "Prediction intervals, and whether they hold"
    return table(title, heads, rows, more=_too_wide(intervals), kind="pr-stack", sort=False)


def _too_wide(intervals: Intervals) -> str:
    """Whether the intervals hold more held-out rows than they should; too few are an alert."""
    coverage = next(row for row in intervals.coverage if row.level == intervals.level)
    is_small = coverage.held / coverage.rows < coverage.level + LEAST_SHORTFALL
    if is_small or coverage.low <= coverage.level or binom.sf(coverage.held - 1, coverage.rows, coverage.level) >= 0.01:
        return ""
    return (
        f"The intervals are wider than they need to be: those of {100 * coverage.level:g} % hold "
        f"{percentage(coverage.held / coverage.rows, 1)} of the held-out rows."
    )


def _drawn(outcome: StudyResult, intervals: Intervals) -> str:
    predicted, low, high = (np.asarray(values, dtype=float).tolist() for values in intervals.drawn)
    if len(predicted) < 2 or predicted[0] == predicted[-1]:
        return ""
    target = cut(outcome.task.target, 40)
    percent = f"{100 * intervals.level:g} %"
    tips = [
        f"predicted {a}: {percent} interval {b} to {c}"
        for a, b, c in zip(figures(predicted), figures(low), figures(high), strict=True)
    ]
    about = f"By the prediction, for {count(len(predicted), 'held-out row')}."
    svg = lines_chart(
        "intervals", f"{percent} prediction intervals", about,
        [Line("", predicted, predicted, low, high, tips)], x_label=f"predicted {target}", y_label=target,
    )  # fmt: skip
    return chart(svg, "How wide are the intervals?", f"Line: the prediction; band: its {percent} interval.")
