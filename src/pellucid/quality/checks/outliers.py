"""Numbers far from all others."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pellucid.base.errors import count
from pellucid.base.types import Array, Floats
from pellucid.quality._threads import each
from pellucid.quality.checks._reading import Reading, readings
from pellucid.quality.checks._saying import percent, quoted
from pellucid.quality.checks.registry import register_check
from pellucid.quality.column import TableStats
from pellucid.quality.findings import Finding, Fix, Severity

WIDER = 2.0  # times the step from one value to the next in the middle that a gap must have


def skewness(numbers: Floats) -> float:
    """The third moment over the standard deviation cubed."""
    centered = numbers - numbers.mean()
    scale = float(np.abs(centered).max())
    if scale == 0 or not np.isfinite(scale):
        return 0.0
    centered = centered / scale
    squares = centered * centered
    return float((squares * centered).mean() / squares.mean() ** 1.5)


@dataclass(frozen=True)
class Ranked:
    """Numbers in ascending order, each once, and how many there are of each."""

    values: Floats
    counts: Array

    @cached_property
    def upto(self) -> Array:
        """How many there are up to each."""
        return np.cumsum(self.counts)

    def __len__(self) -> int:
        return int(self.upto[-1])

    def of(self, values: Floats) -> Ranked:
        """Other values in their places."""
        ranked = Ranked(values, self.counts)
        vars(ranked)["upto"] = self.upto
        return ranked

    def quantile(self, share: float) -> float:
        position = share * (len(self) - 1)
        below = int(position)
        a, b = (float(self.values[np.searchsorted(self.upto, rank, side="right")]) for rank in (
            below, min(below + 1, len(self) - 1)
        ))  # fmt: skip
        return a + (position - below) * (b - a)

    def mean_and_spread(self) -> tuple[float, float]:
        """Mean and standard deviation."""
        mean = float((self.values * self.counts).sum() / len(self))
        centered = self.values - mean
        centered *= centered
        return mean, float(np.sqrt((centered * self.counts).sum() / len(self)))

    def inner_skewness(self) -> float:
        """Of all but the outermost per cent on each side, lest outliers themselves look like skew."""
        cut = 1 + len(self) // 100
        inner_counts = np.diff(np.clip(self.upto, cut, len(self) - cut), prepend=cut)
        n = len(self) - 2 * cut
        there = slice(*(np.flatnonzero(inner_counts)[[0, -1]] + [0, 1]))
        values, weights = self.values[there], inner_counts[there]
        centered = values - (values * weights).sum() / n
        scale = float(np.abs(centered).max())
        if scale == 0 or not np.isfinite(scale):
            return 0.0
        centered /= scale
        squares = centered * centered * weights
        return float((squares * centered).sum() / n / (squares.sum() / n) ** 1.5)


def symmetric(ranked: Ranked, limit: float = 1.5) -> tuple[Ranked, str] | None:
    """The numbers, or their logarithms, on whichever scale they are not skewed; None if on neither."""
    if abs(ranked.inner_skewness()) <= limit:
        return ranked, ""
    if ranked.values[0] > 0:
        logs = ranked.of(np.log(ranked.values))
        if abs(logs.inner_skewness()) <= limit:
            return logs, " on the logarithmic scale"
    return None


@register_check("outliers")
def outliers(
    stats: TableStats, *, fence: float = 1.5, far: float = 3.0, sigma: float = 3.0, gap: float = 1.0
) -> list[Finding]:
    """Numbers off the quartiles by ``far`` times their distance and off all others by ``gap`` times: a warning. A note
    from ``fence`` times and ``sigma`` standard deviations on, and where more than a hundredth of the rows lie apart.
    Skewed columns are judged by logarithms or not at all."""
    measures = [
        read
        for read in readings(stats)
        if read.is_measure and read.n_distinct >= 10 and read.column is not stats.target
    ]
    findings_per_column = each(
        lambda read: _of_column(read, fence, far, sigma, gap), measures, stats.threads, stats.n_rows
    )
    return [finding for findings in findings_per_column for finding in findings]


def _in_order(read: Reading) -> Array:
    """Places of the distinct values that are finite numbers, the smallest first."""
    if read.column.has_numbers:
        order = read.column.order
        figures = read.column.figures
        return (
            order
            if figures is not None and not any(figures["infinite"])
            else order[np.isfinite(read.value_numbers[order])]
        )
    indices = np.flatnonzero(np.isfinite(read.value_numbers))
    return indices[np.argsort(read.value_numbers[indices], kind="stable")]


def _of_column(read: Reading, fence: float, far: float, sigma: float, gap: float) -> list[Finding]:
    indices = _in_order(read)
    numbers, often = read.value_numbers[indices], read.column.counts[indices]
    n_rows = int(often.sum())
    if n_rows < 20:
        return []
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = symmetric(Ranked(numbers, often))
        if scaled is None:
            return []
        ranked, scale = scaled
        z = ranked.values
        low, high = ranked.quantile(0.25), ranked.quantile(0.75)
        steps = np.diff(z)
        spread = high - low
        if spread <= 0 or not np.isfinite(spread) or int((steps > 0).sum()) < 9:  # fewer than ten values
            return []
        inside = steps[(z[:-1] >= low) & (z[1:] <= high)]
        median_step = float(np.median(inside)) if len(inside) else 0.0  # among whole numbers the next one is not apart
        first, last = _edges(z, steps, low - far * spread, high + far * spread, max(gap * spread, WIDER * median_step))
        beyond = (z < low - fence * spread) | (z > high + fence * spread)
        if beyond.any():
            mean, deviation = ranked.mean_and_spread()
            beyond &= np.abs(z - mean) > sigma * deviation
    ends = (float(np.exp(low)), float(np.exp(high))) if scale else (low, high)
    alone = np.zeros(len(z), dtype=bool)
    if last > first:
        alone = (z < z[first]) | (z > z[last - 1])
    if alone.any():
        far_off = _rows_of(read, indices[alone])
        words = f"beyond the quartiles ({ends[0]:.6g} and {ends[1]:.6g}) by more than {far:g} times their distance"
        many = len(far_off) > max(0.01 * n_rows, 3)
        times = "" if gap == 1 else f"{gap:g} times "
        apart = f"and at least {times}that distance from {'the' if many else 'all'} others"
        return [_finding(read, far_off, "note" if many else "warning", f"{words}{scale}, {apart}")]
    if int(often[beyond].sum()) > max(0.01 * n_rows, 3):
        words = (
            f"beyond the quartiles ({ends[0]:.6g} and {ends[1]:.6g}) by more than {fence:g} times their distance and "
        )
        text = f"{words}{sigma:g} standard deviations from the mean{scale}"
        return [_finding(read, _rows_of(read, indices[beyond]), "note", text)]
    return []


def _rows_of(read: Reading, indices: Array) -> Array:
    """The rows that hold one of the distinct values at these places, in order."""
    is_selected = np.zeros(
        len(read.column.values) + 1, dtype=bool
    )  # the last one is for missing cells, whose code is -1
    is_selected[indices] = True
    return np.flatnonzero(is_selected[read.column.codes])


def _edges(z: Floats, steps: Floats, low: float, high: float, gap: float) -> tuple[int, int]:
    """Where, in ascending order, those that are not parted from the others by a gap beyond the fences begin and end."""
    if z[0] >= low and z[-1] <= high:
        return 0, len(z)
    below = np.flatnonzero((steps >= gap) & (z[:-1] < low))
    above = np.flatnonzero((steps >= gap) & (z[1:] > high))
    return (int(below[-1]) + 1 if len(below) else 0), (int(above[0]) + 1 if len(above) else len(z))


def _finding(read: Reading, rows: Array, severity: Severity, words: str) -> Finding:
    column = read.column
    values = np.zeros(len(column.values), dtype=bool)
    values[column.codes[rows]] = True
    text = (
        f"{count(len(rows), 'value')} ({percent(len(rows) / max(read.n_content, 1))}) {words}: {quoted(column, values)}"
    )
    fix = None
    if severity == "warning" and column.is_number:
        inside = np.delete(read.numbers, rows)
        settings = {"min": float(np.nanmin(inside)), "max": float(np.nanmax(inside))}
        fix = Fix("clip", (column.name,), settings)
    return Finding("outliers", severity, (column.name,), rows, text, fix)
