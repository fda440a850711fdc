"""The report's charts: bars, dots with intervals, lines, scattered points, columns, and colored tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from pellucid.base.types import Array
from pellucid.report.charts import (
    GAP,
    LINE,
    SIZE,
    SPOTS,
    STYLES,
    WIDE,
    Plot,
    Scale,
    circle,
    drawing,
    label_at,
    letters,
    line,
    mark,
    rect,
    shortened,
    spot,
    spread,
    tick_texts,
    ticks,
    wrapped,
)
from pellucid.report.page_text import cut, figures, short_number, text_html
from pellucid.tree._lettering import width

__all__ = ["Bar", "Dot", "Line", "bars", "columns", "dots", "heat", "lines_chart", "scatter", "spark"]

LABELS = 118.0  # the most room for names on the left
MOST_HITS = 40  # points of a line that can be pointed at
LEVELS = 12  # of color in a table


@dataclass(frozen=True)
class Bar:
    """A bar: its name, its length, the ends of its whisker, and whether it is pale."""

    label: str
    value: float
    low: float | None = None
    high: float | None = None
    pale: bool = False
    tip: str = ""


@dataclass(frozen=True)
class Dot:
    """A row of dots: the mean, an interval around it, single results, and how it is told apart ("" or a class)."""

    label: str
    mean: float
    low: float
    high: float
    points: tuple[float, ...] = ()
    kind: str = ""
    tip: str = ""


@dataclass(frozen=True)
class Line:
    """A line: its name for the legend, its points, a band around it, and what each point tells."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None
    tips: Sequence[str] | None = None
    dots: bool = False


# -------------------------------------------------------------------------------------------------- names on the left


@dataclass(frozen=True)
class _Rows:
    """Rows under each other with their names on the left: where each begins and how tall it is."""

    names: list[list[str]]
    tops: list[float]
    talls: list[float]
    left: float
    bottom: float

    @classmethod
    def of(cls, labels: Sequence[str], top: float, min_height: float = 20.0) -> _Rows:
        """Room for these names."""
        names = [wrapped(label, LABELS) for label in labels]
        left = max((width(text, SIZE) for rows in names for text in rows), default=0) + GAP + 2
        talls = [max(min_height, len(rows) * LINE + 6) for rows in names]
        tops = [top + sum(talls[:k]) for k in range(len(talls))]
        return cls(names, tops, talls, min(left, LABELS + GAP + 2), top + sum(talls))

    def middle(self, k: int) -> float:
        """The height of the middle of a row."""
        return self.tops[k] + self.talls[k] / 2

    def name(self, k: int) -> str:
        """The name of a row, set right-bound."""
        first = self.middle(k) + 4 - (len(self.names[k]) - 1) * LINE / 2
        text_lines = [
            letters(text, self.left - GAP - 2, first + i * LINE, "pc-label", "end")
            for i, text in enumerate(self.names[k])
        ]
        return "".join(text_lines)


def _bottom_axis(x: Scale, bottom: float, label: str) -> tuple[list[str], float]:
    """Ticks below a chart of rows; gives where it ends."""
    for max_ticks in (6, 5, 4, 3, 2):
        values = ticks(x.low, x.high, max_ticks)
        texts = tick_texts(values)
        if len(values) < 2 or x(values[1]) - x(values[0]) > max(width(text, SIZE) for text in texts) + GAP:
            break
    elements = [line(x.start, bottom, x.end, bottom, "pc-axis")]
    for value, text in zip(values, texts, strict=True):
        elements.append(line(x(value), bottom, x(value), bottom + 4, "pc-axis"))
        elements.append(label_at(text, x(value), bottom + 15, "pc-tick"))
    height = bottom + 18
    for text in wrapped(label, WIDE) if label else []:
        height += LINE
        elements.append(label_at(text, (x.start + x.end) / 2, height - 4, "pc-label"))
    return elements, height


def bars(name: str, title: str, about: str, items: Sequence[Bar], *, label: str = "") -> str:
    """Lying bars, one below the other, with their values at the right and whiskers where there are intervals."""
    if not items:
        return ""
    rows = _Rows.of([item.label for item in items], 4)
    written = figures([item.value for item in items])
    values = max(width(text, SIZE) for text in written)
    ends = [end for item in items for end in (item.value, item.low, item.high) if end is not None]
    low, high = min([0.0, *filter(math.isfinite, ends)]), max([0.0, *filter(math.isfinite, ends)])
    low, high = (low, high) if high > low else (0.0, 1.0)
    x = Scale(low, high, rows.left, WIDE - values - GAP - 4)
    axis, height = _bottom_axis(x, rows.bottom, label)
    elements = [*axis, line(x(0), 4, x(0), rows.bottom, "pc-axis")]
    for k, (item, text) in enumerate(zip(items, written, strict=True)):
        middle = rows.middle(k)
        row_elements = [rect(rows.left, rows.tops[k], WIDE - rows.left, rows.talls[k], "pc-hit")]
        if math.isfinite(item.value):
            a, b = sorted((x(0), x(item.value)))
            row_elements.append(rect(a, middle - 6, b - a, 12, "pc-bar pc-pale" if item.pale else "pc-bar"))
        if item.low is not None and item.high is not None:
            row_elements.append(line(x(item.low), middle, x(item.high), middle, "pc-whisker"))
        row_elements += [rows.name(k), letters(text, WIDE, middle + 4, "pc-value", "end")]
        elements.append(mark(item.tip or f"{item.label}: {text}", *row_elements))
    return drawing(name, title, about, height, elements)


def dots(
    name: str,
    title: str,
    about: str,
    items: Sequence[Dot],
    *,
    label: str = "",
    level: tuple[float, str] | None = None,
) -> str:
    """Means with intervals, one row each, single results as small dots, and a dashed line at ``level``."""
    if not items:
        return ""
    rows = _Rows.of([item.label for item in items], LINE + 6 if level else 4, 24)
    values = [value for item in items for value in (item.mean, item.low, item.high, *item.points)]
    values += [level[0]] if level else []
    x = Scale(*spread(values, 0.05), rows.left + 2, WIDE - 8)
    elements, height = _bottom_axis(x, rows.bottom, label)
    for k, item in enumerate(items):
        middle = rows.middle(k)
        kind = f"pc-{item.kind}" if item.kind else ""
        row_elements = [rect(rows.left, rows.tops[k], WIDE - rows.left, rows.talls[k], "pc-hit"), rows.name(k)]
        row_elements += [line(rows.left, rows.tops[k] + rows.talls[k], WIDE, rows.tops[k] + rows.talls[k], "pc-grid")]
        row_elements += [line(x(item.low), middle, x(item.high), middle, f"pc-range {kind}")]
        row_elements += [circle(x(value), middle, 2.2, "pc-point") for value in item.points if math.isfinite(value)]
        row_elements += [circle(x(item.mean), middle, 4.6, f"pc-mean {kind}")]
        elements.append(mark(item.tip or f"{item.label}: {short_number(item.mean)}", *row_elements))
    if level:
        at = x(level[0])
        elements.append(line(at, LINE + 2, at, rows.bottom, "pc-level"))
        elements.append(label_at(level[1], at, LINE - 2, "pc-label"))
    return drawing(name, title, about, height, elements)


# ------------------------------------------------------------------------------------------------------------ two axes


def lines_chart(
    name: str,
    title: str,
    about: str,
    series: Sequence[Line],
    *,
    x_label: str = "",
    y_label: str = "",
    x_ends: tuple[float, float] | None = None,
    y_ends: tuple[float, float] | None = None,
    step: bool = False,
    diagonal: bool = False,
    level: tuple[float, str] | None = None,
    rug: Sequence[float] = (),
    faint: Sequence[Sequence[float]] = (),
    x_plain: bool = False,
) -> str:
    """Lines over an axis of numbers, with bands, as steps if asked for.

    diagonal : a dashed line of x = y; level : a dashed line at a height, with its name
    rug : places on the x axis that get a small mark; faint : more lines over the x of the first, in pale
    x_plain : the x axis is lettered without separators, as years are
    """
    series = [curve for curve in series[:STYLES] if len(curve.x)]
    if not series:
        return ""
    values_in_range = [
        value
        for curve in series
        for coordinates in (curve.y, curve.low, curve.high)
        if coordinates is not None
        for value in coordinates
    ]
    values_in_range += [value for values in faint for value in values] + ([level[0]] if level else [])
    x_ends = x_ends or spread([value for curve in series for value in curve.x], 0.02)
    legend = [(curve.label, k) for k, curve in enumerate(series)] if len(series) > 1 else []
    plot = Plot(x_ends, y_ends or spread(values_in_range), x_label, y_label, legend, x_plain=x_plain)
    if diagonal:
        low, high = max(plot.x_ends[0], plot.y_ends[0]), min(plot.x_ends[1], plot.y_ends[1])
        plot.parts.append(plot.path([low, high], [low, high], "pc-level"))
    plot.parts += [plot.path(series[0].x, values, "pc-faint") for values in faint]
    if level:
        at = plot.y(level[0])
        plot.parts.append(line(plot.left, at, plot.right, at, "pc-level"))
    plot.parts += [line(plot.x(v), plot.bottom - 6, plot.x(v), plot.bottom, "pc-rug") for v in rug if math.isfinite(v)]
    for k, curve in enumerate(series):
        if curve.low is not None and curve.high is not None:
            plot.parts.append(plot.band(curve.x, curve.low, curve.high, f"pc-band pc-f{k}"))
        plot.parts.append(plot.path(curve.x, curve.y, f"pc-line pc-s{k}", step))
    for k, curve in enumerate(series):
        plot.parts += _hits(plot, curve, k)
    if level:
        # Above the line, unless there is no room; over everything, as it says what the dashes are.
        foot = plot.y(level[0]) - 4 if plot.y(level[0]) - LINE > plot.top else plot.y(level[0]) + LINE - 2
        plot.parts.append(
            letters(shortened(level[1], plot.right - plot.left), plot.right, foot, "pc-label pc-halo", "end")
        )
    return plot.svg(name, title, about)


def _hits(plot: Plot, curve: Line, style: int) -> list[str]:
    """The points of a line that can be pointed at: all of a few, some of many."""
    indices = np.unique(np.linspace(0, len(curve.x) - 1, min(len(curve.x), MOST_HITS)).round().astype(int)).tolist()
    xs, ys = figures([float(curve.x[i]) for i in indices]), figures([float(curve.y[i]) for i in indices])
    marks = []
    for position, i in enumerate(indices):
        a, b = float(curve.x[i]), float(curve.y[i])
        if not (math.isfinite(a) and math.isfinite(b)):
            continue
        point_text = curve.tips[i] if curve.tips is not None else f"{xs[position]}: {ys[position]}"
        tip = f"{curve.label}, {point_text}" if curve.label else point_text
        circles = [circle(plot.x(a), plot.y(b), 7, "pc-hit")]
        circles.append(circle(plot.x(a), plot.y(b), 3, f"pc-f{style}" if curve.dots else f"pc-f{style} pc-quiet"))
        marks.append(mark(tip, *circles))
    return marks


def scatter(
    name: str,
    title: str,
    about: str,
    x: Sequence[float],
    y: Sequence[float],
    *,
    x_label: str = "",
    y_label: str = "",
    tips: Sequence[str] | None = None,
    groups: Sequence[int] | None = None,
    group_names: Sequence[str] = (),
    diagonal: bool = False,
) -> str:
    """Points; with ``groups`` in colors and shapes, and with ``diagonal`` on axes of one kind with the line x = y."""
    pairs = [(float(a), float(b)) for a, b in zip(x, y, strict=True)]
    finite_points = [k for k, (a, b) in enumerate(pairs) if math.isfinite(a) and math.isfinite(b)]
    if not finite_points:
        return ""
    x_ends, y_ends = spread([pairs[k][0] for k in finite_points]), spread([pairs[k][1] for k in finite_points])
    if diagonal:
        x_ends = y_ends = min(x_ends[0], y_ends[0]), max(x_ends[1], y_ends[1])
    legend = [(str(text), k) for k, text in enumerate(group_names[:SPOTS])]
    plot = Plot(x_ends, y_ends, x_label, y_label, legend, True, 240 if diagonal else 210)
    if diagonal:
        plot.parts.append(plot.path(x_ends, x_ends, "pc-level"))
    xs, ys = figures([pairs[k][0] for k in finite_points]), figures([pairs[k][1] for k in finite_points])
    for position, k in enumerate(finite_points):
        tip = tips[k] if tips is not None else f"{x_label or 'x'} {xs[position]}, {y_label or 'y'} {ys[position]}"
        style = min(groups[k], SPOTS - 1) if groups is not None else 0
        plot.parts.append(mark(tip, spot(plot.x(pairs[k][0]), plot.y(pairs[k][1]), style)))
    return plot.svg(name, title, about)


def columns(
    name: str,
    title: str,
    about: str,
    edges: Sequence[float],
    counts: Sequence[float],
    *,
    x_label: str = "",
    y_label: str = "rows",
) -> str:
    """Standing bars over intervals: a histogram."""
    if not len(counts):
        return ""
    plot = Plot((float(edges[0]), float(edges[-1])), (0.0, float(max(counts)) or 1.0), x_label, y_label, tall=150)
    ends = figures([float(edge) for edge in edges])
    for k, number in enumerate(counts):
        a, b, top = plot.x(edges[k]), plot.x(edges[k + 1]), plot.y(float(number))
        bar = rect(a + 0.5, top, b - a - 1, plot.bottom - top, "pc-bar") if number else ""
        hit = rect(a, plot.top, b - a, plot.bottom - plot.top, "pc-hit")
        unit = y_label.removesuffix("s") if number == 1 else y_label
        plot.parts.append(mark(f"{ends[k]} to {ends[k + 1]}: {short_number(float(number))} {unit}", hit, bar))
    return plot.svg(name, title, about)


# --------------------------------------------------------------------------------------------------------------- tables


def heat(
    caption: str,
    corner: str,
    rows: Sequence[str],
    heads: Sequence[str],
    values: Array,
    texts: Sequence[Sequence[str]],
    tips: Sequence[Sequence[str]] | None = None,
    shares: Array | None = None,
) -> str:
    """A table; the larger a cell's share (of the largest value unless ``shares`` are given), the more color it has."""
    max_value = float(np.nanmax(np.abs(values))) if values.size and np.isfinite(values).any() else 0.0
    intensity = (
        shares if shares is not None else (np.abs(values) / max_value if max_value > 0 else np.zeros(values.shape))
    )
    top = "".join(f'<th scope="col" class="pr-n">{text_html(head, 40)}</th>' for head in heads)
    body = []
    for i, row in enumerate(rows):
        cells = []
        for j in range(len(heads)):
            level = (
                0
                if not math.isfinite(float(intensity[i, j]))
                else round(LEVELS * min(max(float(intensity[i, j]), 0.0), 1.0))
            )
            tip = f' title="{escape(cut(tips[i][j], 200))}"' if tips is not None else ""
            cells.append(f'<td class="pr-n pc-h{level}"{tip}>{escape(texts[i][j])}</td>')
        body.append(f'<tr><th scope="row">{text_html(row, 40)}</th>{"".join(cells)}</tr>')
    inside = (
        f'<caption>{escape(caption)}</caption><thead><tr><th scope="col">{escape(corner)}</th>{top}</tr></thead>'
        f"<tbody>{''.join(body)}</tbody>"
    )
    frame = f'<div class="pr-scroll" role="group" tabindex="0" aria-label="Table: {escape(caption)}">'
    return f'{frame}<table class="pc-heat">{inside}</table></div>'


def spark(counts: Sequence[float], told: str, wide: float = 96, high: float = 22) -> str:
    """A histogram that fits into a line of a table."""
    max_count = max(counts, default=0) or 1
    step = wide / max(len(counts), 1)
    elements = [
        rect(k * step, high - high * number / max_count, max(step - 0.6, 0.5), high * number / max_count, "pc-bar")
        for k, number in enumerate(counts)
        if number
    ]
    size = f'width="{wide:g}" height="{high:g}" viewBox="0 0 {wide:g} {high:g}"'
    return f'<svg class="pc-spark" {size} role="img" aria-label="{escape(cut(told, 200))}">{"".join(elements)}</svg>'
