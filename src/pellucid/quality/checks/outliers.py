"""Numbers far from all others."""

from __future__ import annotations

import numpy as np

from pellucid.base.errors import count
from pellucid.base.types import Array, Floats
from pellucid.quality.checks._reading import Reading, readings
from pellucid.quality.checks._saying import percent, quoted
from pellucid.quality.checks.registry import finds
from pellucid.quality.column import Look
from pellucid.quality.findings import Finding, Remedy, Severity


def skewness(numbers: Floats) -> float:
    """The third moment over the standard deviation cubed."""
    centred = numbers - numbers.mean()
    scale = float(np.abs(centred).max())
    if scale == 0 or not np.isfinite(scale):
        return 0.0
    centred = centred / scale
    squares = centred * centred
    return float((squares * centred).mean() / squares.mean() ** 1.5)


def symmetric(ordered: Floats, limit: float = 1.5) -> tuple[Floats, str] | None:
    """Numbers in ascending order, or their logarithms, on whichever scale they are not skewed; None if on neither.

    The outermost per cent on each side is left out, lest the outliers themselves look like skew.
    """
    cut = 1 + len(ordered) // 100
    inner = slice(cut, len(ordered) - cut)
    if abs(skewness(ordered[inner])) <= limit:
        return ordered, ""
    if ordered[0] > 0:
        logs = np.log(ordered)
        if abs(skewness(logs[inner])) <= limit:
            return logs, " on the logarithmic scale"
    return None


def _quantile(ordered: Floats, share: float) -> float:
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return float(ordered[below] + (place - below) * (ordered[above] - ordered[below]))


@finds("outliers")
def outliers(
    look: Look, *, fence: float = 1.5, far: float = 3.0, sigma: float = 3.0, gap: float = 1.0
) -> list[Finding]:
    """Numbers off the quartiles by ``far`` times their distance and off all others by ``gap`` times: a warning. A note
    from ``fence`` times and ``sigma`` standard deviations on, and where more than a hundredth of the rows lie apart.
    Skewed columns are judged by logarithms or not at all."""
    found = []
    for read in readings(look):
        if read.is_measure and read.n_distinct >= 10 and read.column is not look.target:
            found += _of_column(read, fence, far, sigma, gap)
    return found


def _of_column(read: Reading, fence: float, far: float, sigma: float, gap: float) -> list[Finding]:
    places = np.flatnonzero(np.isfinite(read.value_numbers))
    numbers = read.value_numbers[places]
    if (np.diff(numbers) < 0).any():
        order = np.argsort(numbers, kind="stable")
        places, numbers = places[order], numbers[order]
    often = read.column.counts[places]
    n_rows = int(often.sum())
    if n_rows < 20:
        return []
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = symmetric(np.repeat(numbers, often))
        if scaled is None:
            return []
        z, scale = scaled
        low, high = _quantile(z, 0.25), _quantile(z, 0.75)
        steps = np.diff(z)
        spread = high - low
        if spread <= 0 or not np.isfinite(spread) or int((steps > 0).sum()) < 9:  # fewer than ten values
            return []
        first, last = _edges(z, steps, low - far * spread, high + far * spread, gap * spread)
        values = np.log(numbers) if scale else numbers
        beyond = (values < low - fence * spread) | (values > high + fence * spread)
        if beyond.any():
            beyond &= np.abs(values - z.mean()) > sigma * z.std()
    ends = (float(np.exp(low)), float(np.exp(high))) if scale else (low, high)
    alone = np.zeros(len(values), dtype=bool)
    if last > first:
        alone = (values < z[first]) | (values > z[last - 1])
    if alone.any():
        far_off = _rows_of(read, places[alone])
        words = f"beyond the quartiles ({ends[0]:.6g} and {ends[1]:.6g}) by more than {far:g} times their distance"
        many = len(far_off) > max(0.01 * n_rows, 3)
        apart = "and apart from the others: so many may be a kind of their own" if many else "and far from all others"
        return [_finding(read, far_off, "note" if many else "warning", f"{words}{scale}, {apart}")]
    if int(often[beyond].sum()) > max(0.01 * n_rows, 3):
        words = (
            f"beyond the quartiles ({ends[0]:.6g} and {ends[1]:.6g}) by more than {fence:g} times their distance and "
        )
        text = f"{words}{sigma:g} standard deviations from the mean{scale}"
        return [_finding(read, _rows_of(read, places[beyond]), "note", text)]
    return []


def _rows_of(read: Reading, places: Array) -> Array:
    """The rows that hold one of the distinct values at these places, in order."""
    chosen = np.zeros(len(read.column.values) + 1, dtype=bool)  # the last one is for missing cells, whose code is -1
    chosen[places] = True
    return np.flatnonzero(chosen[read.column.codes])


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
    remedy = None
    if severity == "warning" and column.is_number:
        inside = np.delete(read.numbers, rows)
        settings = {"min": float(np.nanmin(inside)), "max": float(np.nanmax(inside))}
        remedy = Remedy("clip", (column.name,), settings)
    return Finding("outliers", severity, (column.name,), rows, text, remedy)
