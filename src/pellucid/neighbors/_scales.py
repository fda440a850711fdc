"""Columns on very different scales: the widest decides alone which rows are near."""

from __future__ import annotations

import numpy as np
import scipy.sparse

from pellucid.base.errors import UnscaledColumnsWarning, format_message, warn
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design
from pellucid.data.figures import Figures

# A column narrower than this share of the widest adds less than a ten-thousandth to a squared distance.
NEGLIGIBLE = 0.01
_MOST_ROWS = 10_000  # for the quartiles, which need a sort


def warn_unscaled(design: Design, who: str, threads: int = 1) -> None:
    """One warning, `UnscaledColumnsWarning`, that names the columns whose spread dominates the distance.

    A column counts for nothing if it is narrower than a hundredth of the widest column by *every* measure: range,
    standard deviation and, where they differ, quartiles. The warning is given if at least half of the columns that vary
    count for nothing.

    So it is silent after `StandardScaler` (equal deviations), `MinMaxScaler` (equal ranges) and `RobustScaler` (equal
    quartiles), whatever the tails; on columns of one unit such as pixels, of which a few hardly vary; and on sparse
    tables, whose columns are counts or flags. Income from 10,000 to 1,000,000 beside height from 1.5 to 1.8 is named.

    Parameters
    ----------
    design : the table of `fit`, numbers
    who : the estimator
    threads : for the one pass over the table
    """
    if scipy.sparse.issparse(design.numbers) or design.n_cols < 2 or design.n_rows < 2:
        return
    figures = Figures.read(design, threads)
    ranges, narrow = _narrow(figures)
    varies = ranges > 0
    if not _are_many(narrow, varies):
        return
    narrow &= ~_wide_quartiles(np.asarray(design.numbers), narrow, int(ranges.argmax()))
    if _are_many(narrow, varies):
        warn(_words(design, figures, ranges, narrow, varies, who), UnscaledColumnsWarning)


def _narrow(figures: Figures) -> tuple[Floats, Array]:
    """Ranges of the columns, and which are narrow beside the widest by range and by standard deviation."""
    counted = figures.count > 0
    low, high = figures.ends
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        ranges = np.where(counted, high / 2 - low / 2, 0.0)  # halves, which cannot overflow
        deviations = np.where(counted, np.sqrt(figures.square / figures.weight) / figures.unit, 0.0)
    widest = ranges.argmax()
    narrow = (ranges > 0) & (ranges < NEGLIGIBLE * ranges[widest]) & (deviations < NEGLIGIBLE * deviations[widest])
    return ranges, narrow


def _are_many(narrow: Array, varies: Array) -> bool:
    return bool(narrow.any() and 2 * np.count_nonzero(narrow) >= np.count_nonzero(varies))


def _wide_quartiles(numbers: Array, narrow: Array, widest: int) -> Array:
    """Of the narrow columns, those whose middle half is not narrow beside that of the widest column."""
    step = -(-len(numbers) // _MOST_ROWS)
    columns = [widest, *np.flatnonzero(narrow)]
    with np.errstate(over="ignore", invalid="ignore"):  # between the ends of what a float holds
        low, high = np.nanpercentile(numbers[::step][:, columns].astype(np.float64), [25, 75], axis=0)
    middle = high / 2 - low / 2
    wide = np.zeros(len(narrow), dtype=bool)
    if middle[0] > 0:  # else the widest column is mostly one value, of which the quartiles say nothing
        wide[columns[1:]] = middle[1:] >= NEGLIGIBLE * middle[0]
    else:
        wide[columns[1:]] = middle[1:] > 0
    return wide


def _words(design: Design, figures: Figures, ranges: Floats, narrow: Array, varies: Array, who: str) -> str:
    names = design.column_labels()
    low, high = figures.ends

    def listed(columns: Array) -> str:
        descriptions = [f"'{names[j]}' (from {low[j]:g} to {high[j]:g})" for j in columns[:3]]
        return ", ".join(descriptions) + (f" and {len(columns) - 3} more" if len(columns) > 3 else "")

    widest = np.flatnonzero(varies & (ranges >= 0.1 * ranges.max()))
    widest = widest[np.argsort(-ranges[widest], kind="stable")]
    decides = "decides" if len(widest) == 1 else "decide"
    counts = "counts" if np.count_nonzero(narrow) == 1 else "count"
    requirement = "columns should be on one scale, since distances add them up"
    actual = f"{listed(widest)} {decides} alone, beside which {listed(np.flatnonzero(narrow))} {counts} for nothing"
    return format_message(who, requirement, actual=actual, hint="put StandardScaler or MinMaxScaler before it")
