"""The key figures of one column of a profile: mean, mode, the verdict on its skew, quartiles both ways, fences."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.base.errors import join_some
from pellucid.base.types import Floats
from pellucid.quality.column import compute_stats
from pellucid.working.entry import shows
from pellucid.working.expression import Axis, Cell
from pellucid.working.language import count, equal, max_, sqrt, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown._rows import refuse
from pellucid.working.shown.stats import _ordered, fences, quartiles_of

MOST_VALUES = 200


@shows("quality.profile")
def profile(w: Working, result: Any, table: Any, *, column: Any = None, **_: Any) -> None:
    """The figures of one column of numbers: the one that is asked for, or the first."""
    name, x = _numbers(result, table, column)
    figures = result[name].numbers
    w.title = f"Key figures of {name}"
    w.intro = "Where the numbers lie, to which side they lean, and which of them lie far out."
    w.step("Data", "The numbers of the column; missing and infinite values are left out.")
    axis = Axis("row", (np.flatnonzero(np.isfinite(x)) + 1).tolist())
    values = w.given("x", x[np.isfinite(x)], axis, symbol="x", label=str(name))
    size = float(np.abs(values.stored).max())
    n = w.cell("count", count(values), symbol="n", label="how many", equals=float(figures.count), attribute="count")
    mean = w.cell("mean", sum_(values) / n, symbol=r"\bar{x}", label="mean", equals=figures.mean, attribute="mean",
                  scale=size)  # fmt: skip
    _skew(w, figures, values, mean, size)
    _moments(w, figures, values, mean, n)
    ordered, position_cell = _ordered(w, values)
    if figures.rank_error:
        w.note("The table is too long for exact quartiles: they are not worked out.")
        return
    quartiles = {}
    for method, attribute in (("linear", "quartiles"), ("halves", "quartiles_halves"),
                              ("halves_with_median", "quartiles_halves_with_median")):  # fmt: skip
        expected = getattr(figures, attribute)._asdict()
        quartiles[method] = quartiles_of(w, ordered, position_cell, method, expected, f"_{method}", f"{attribute}.")
    low, high = fences(w, quartiles["linear"]["lower"], quartiles["linear"]["upper"], 1.5, figures.fences)
    _outside(w, figures, values, low, high)


def _numbers(result: Any, table: Any, column_name: Any) -> tuple[Any, Floats]:
    """The column that is asked for, or the first of numbers."""
    column_names = [column_stats.name for column_stats in result.columns if column_stats.numbers is not None]
    if not column_names:
        refuse("profile", "the working is of a column of numbers", "the table has none")
    name = column_names[0] if column_name is None else column_name
    if name not in column_names:
        refuse("profile", "column must be a column of numbers", f"got {name!r}; there are {join_some(column_names)}")
    column = compute_stats(table, "profile")[name]
    if column.is_text:
        refuse(
            "profile", "the working is of numbers that are stored as such", f"{name!r} is text that reads as numbers"
        )
    return name, np.asarray(column.numbers, dtype=np.float64)


def _skew(w: Working, figures: Any, x: Cell, mean: Cell, size: float) -> None:
    """How often each value occurs, the most frequent, and on which side of it the mean lies."""
    distinct = np.unique(x.stored)
    if not figures.modes:
        w.note("Every value occurs once: there is no mode, and so no verdict on the skew.")
        return
    if len(distinct) > MOST_VALUES or figures.n_modes > len(figures.modes):
        w.note("There are too many values to list: mode and skew are not worked out.")
        return
    w.step("Mode and skew", "The most frequent value; with the mean above it the numbers lean to the right.")
    axis = Axis("value", [f"{value:g}" for value in distinct], "k", "K")
    v = w.given("v", distinct, axis, symbol="v", label="value")
    often = w.cell("often", sum_(where(equal(x, v), 1, 0), x.axis), symbol="c", label="how often")
    max_count = w.cell("most", max_(often), symbol="m", label="the most")
    flags = np.isin(distinct, figures.modes).astype(float)
    w.cell(
        "is_mode", where(equal(often, max_count), 1, 0), symbol="b", label="1: a mode", equals=flags, attribute="modes"
    )
    e = w.given("slack", 1e-12 * size, symbol=r"\epsilon", label="what counts as rounding")
    verdicts = []
    for number, mode in enumerate(figures.modes, start=1):
        tag, mark = ("", "") if len(figures.modes) == 1 else (f"_{number}", f"_{{{number}}}")
        o = w.given(f"mode{tag}", float(mode), symbol=f"o{mark}", label="mode")
        d = w.cell(f"apart{tag}", mean - o, symbol=f"d{mark}", label="mean less mode")
        word = where(d > e, "right-skewed", where(d < -e, "left-skewed", "symmetric"))
        verdicts.append(w.cell(f"skew{tag}", word, symbol=rf"\text{{skew}}{mark}", label="verdict"))
    if figures.skew is None:
        w.note("The modes lie on both sides of the mean: they give no verdict.")
        return
    for cell in verdicts:
        w.check(cell, figures.skew, "skew")


def _moments(w: Working, figures: Any, x: Cell, mean: Cell, n: Cell) -> None:
    """Variance, standard deviation and skewness."""
    if figures.count < 2 or not np.ptp(x.stored) or not 1e-90 < np.ptp(x.stored) < 1e90:
        return
    w.step("Spread and skewness", "Distances from the mean, squared and cubed.")
    d = w.cell("d", x - mean, symbol="d", label="distance from the mean")
    q, c = w.cell("q", d**2, symbol="q", label="squared"), w.cell("cube", d**3, symbol="k", label="cubed")
    s2, s3 = w.cell("S2", sum_(q), symbol="S_2", label="sum"), w.cell("S3", sum_(c), symbol="S_3", label="sum")
    v = w.cell("variance", s2 / (n - 1), symbol="s^2", label="variance", equals=figures.variance, attribute="variance")
    w.cell("sd", sqrt(v), symbol="s", label="standard deviation", equals=figures.sd, attribute="sd")
    g = w.cell("skewness", s3 / n / (s2 / n * sqrt(s2 / n)), symbol="g", label="skewness", equals=figures.skewness,
               attribute="skewness", scale=1.0)  # fmt: skip
    if figures.count > 2:
        w.cell("skewness_adjusted", g * sqrt(n * (n - 1)) / (n - 2), symbol="G", label="adjusted for few values",
               equals=figures.skewness_adjusted, attribute="skewness_adjusted", scale=1.0)  # fmt: skip


def _outside(w: Working, figures: Any, x: Cell, low: Cell, high: Cell) -> None:
    text = counted(figures.outside_fences, "value")
    w.step("Outside", f"{text} beyond the fences.")
    w.cell("below_fences", sum_(where(x < low, 1, 0)), symbol="a", label="below the lower fence",
           equals=float(figures.below_fences), attribute="below_fences")  # fmt: skip
    w.cell("above_fences", sum_(where(x > high, 1, 0)), symbol="b", label="above the upper fence",
           equals=float(figures.above_fences), attribute="above_fences")  # fmt: skip
