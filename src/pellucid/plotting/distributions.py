"""Pictures of how a column's values are spread: box plots, the quartile bar, and the curves of skewness.

Tables are arrays, lists of rows, or frames of any dataframe library. Missing values are left out; infinite ones are
refused. The numbers are those of `pellucid.stats`.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pellucid.base.errors import DataError, ParameterError, format_message, join_some
from pellucid.base.types import Floats
from pellucid.plotting import _style
from pellucid.plotting._columns import (
    MANY,
    Columns,
    inches_across,
    listed,
    note,
    read_column,
    read_columns,
    read_target,
    write_ticks,
    written,
)
from pellucid.plotting._density import density, peak
from pellucid.plotting._style import number
from pellucid.stats import five_number_summary, mean, median, quartiles, standard_deviation, tukey_fences
from pellucid.stats.quantiles import QuartileMethod

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_BOXES = 60
# A box is flat beside one that is so many times as high.
FLAT = 50.0
# Up to so many boxes there is room for their counts.
FEW_BOXES = 8
LETTER = 0.085
"""Inches that a letter of a name takes."""
SHADES = [_style.LIGHT, _style.SKY, _style.LIGHT, _style.SKY]
MARKS = {"mean": (_style.BLUE, "-"), "median": (_style.GREEN, "--"), "mode": (_style.VERMILION, ":")}
# Mean, median and mode that lie within this share of the standard deviation count as equal.
SAME = 0.1
SIGMA = 0.8
"""Of the log-normal density that stands for a skewed one: its mode is e^-σ², its median 1, its mean e^(σ²/2)."""


def box_plot(
    X: Any,
    y: Any = None,
    *,
    columns: Sequence[str | int] | str | int | None = None,
    scaled: bool = False,
    method: QuartileMethod = "linear",
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw a box a column; or, with the classes of y, a box a class of one column.

    The box reaches from the lower quartile Q1 to the upper one Q3, with a line at the median. The fences, drawn
    faintly, are ``Q1 - 1.5 IQR`` and ``Q3 + 1.5 IQR`` with ``IQR = Q3 - Q1``; the whiskers end at the last value within
    them, never inside the box, and each value outside is a circle.

    Parameters
    ----------
    X : table or one column
        Columns that hold no numbers, or no values at all, are left out and named below the boxes.
    y : column of classes, optional
        X must then be one column, or ``columns`` name one.
    columns : names or positions of columns, optional
        Which to draw, in this order; all otherwise.
    scaled : bool, default=False
        Draw ``(x - mean) / standard deviation``, so that columns of different units share an axis. A constant is 0.
    method : {"linear", "halves", "halves_with_median"}, default="linear"
        The rule for quartiles; see `pellucid.stats.quartiles`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> ax = box_plot([1, 2, 3, 4, 100])
    >>> [text.get_text() for text in ax.get_xticklabels()]
    ['x\\nn = 5\\n1 outside']
    """
    table = read_columns("box_plot", X, columns)
    table = _in_deviations(table) if scaled else table
    if y is None:
        samples = [(table.labels[j], table.present(j)) for j in range(len(table.names))]
        words = [*table.words, listed("left out (no values)", _empty(table))]
        axis = table.labels[0] if len(table.names) == 1 else ""
    else:
        samples, words, axis = _by_class(table, y)
    samples = [(name, values) for name, values in samples if len(values)]
    _check_boxes(samples)
    ax = _wide_axes(len(samples)) if ax is None else ax
    _style.tidy(ax)
    ax.grid(False, axis="x")
    _draw_boxes(ax, samples, method)
    unit = "standard deviations from the mean"
    ax.set_ylabel(f"{axis}: {unit}".removeprefix(": ") if scaled else axis)
    ax.set_xlabel(note([*words, _advice(samples) if y is None else ""]), fontsize=_style.SMALL)
    return ax


def quartile_bar(x: Any, *, method: QuartileMethod = "linear", ax: "Axes | None" = None) -> "Axes":
    """Draw a column as one bar from its smallest to its largest value, cut at its quartiles.

    Each of the four parts holds a quarter of the values: a short part is where they are dense.

    Parameters
    ----------
    x : column of numbers
        Missing values are left out.
    method : {"linear", "halves", "halves_with_median"}, default="linear"
        The rule for quartiles; see `pellucid.stats.quartiles`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> ax = quartile_bar([1, 2, 3, 4, 10])
    >>> [text.get_text().replace("\\n", " ") for text in ax.texts][4:]
    ['min 1.00', 'Q1 2.00', 'median 3.00', 'Q3 4.00', 'max 10.00']
    """
    values, name, missing_note = read_column("quartile_bar", x)
    cuts = np.array(five_number_summary(values, method))
    ax = _low_axes() if ax is None else ax
    low, high = cuts[0], cuts[-1]
    margin = 0.08 * (high - low) or 0.5
    ax.set(
        xlim=(low - margin, high + margin),
        ylim=(-1.1, 1.1),
        yticks=[],
        xlabel="\n".join(filter(None, [name, missing_note])),
    )
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.spines["bottom"].set_color(_style.GRAY)
    ax.tick_params(color=_style.GRAY)
    for start, end, shade in zip(cuts, cuts[1:], SHADES, strict=False):
        ax.barh(0, end - start, left=start, height=0.5, color=shade, edgecolor=_style.INK, linewidth=1.0)
    ax.plot([cuts[2]] * 2, [-0.25, 0.25], color=_style.INK, linewidth=2.4, solid_capstyle="butt")
    write_ticks(ax.xaxis, low, high)
    texts = written(cuts, high - low)
    below = [f"{name}\n{text}" for name, text in zip(["min", "Q1", "median", "Q3", "max"], texts, strict=True)]
    _write_row(ax, (cuts[:-1] + cuts[1:]) / 2, ["25 %"] * 4, edge=0.25, height=0.62, inches=0.6)
    _write_row(ax, cuts, below, edge=-0.25, height=-0.62, inches=LETTER * max(7, *map(len, texts)))
    return ax


def skew_curves(x: Any = None, *, ax: "Axes | None" = None) -> "Axes":
    """Draw where mean, median and mode of a skewed column lie: the textbook's three curves, or those of ``x``.

    A long tail pulls the mean most, the median less, and the mode not at all. So a left-skewed column has
    ``mean < median < mode``, a right-skewed one ``mode < median < mean``, and a symmetric one has all three together.
    The verdict on ``x`` goes by that order. The three count as equal where they lie within a tenth of the standard
    deviation; any other order is no clear skew. The curve is a Gaussian kernel estimate with Silverman's bandwidth, and
    the mode is its highest place, which is a better figure for a continuous column than its most frequent value.

    Parameters
    ----------
    x : column of numbers, optional
        Missing values are left out.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> skew_curves([1, 2, 2, 2, 3, 3, 4, 5, 9]).get_title().split(":")[0]
    'right-skewed'
    """
    if x is None:
        ax = _wide_axes(10, height=3.4) if ax is None else ax
        _draw_textbook(ax)
        return ax
    values, name, missing_note = read_column("skew_curves", x)
    ax = _style.axes() if ax is None else ax
    _style.tidy(ax)
    ax.set(xlabel="\n".join(filter(None, [name, missing_note])), ylabel="density")
    curve, marks = density(values), {"mean": mean(values), "median": median(values), "mode": peak(values)}
    if curve is None:
        ax.axvline(marks["mean"], color=_style.INK, linewidth=2.0)
        ax.set_title(f"no skew: every value is {number(marks['mean'])}", fontsize=_style.TITLE)
        ax.set_yticks([])
        return ax
    ax.plot(*curve, color=_style.INK, linewidth=1.8)
    ax.fill_between(*curve, color=_style.PALE)
    ax.set_xlim(curve[0][0], curve[0][-1])
    top = float(curve[1].max())
    ax.set_ylim(0, 1.34 * top)
    ax.set_yticks([tick for tick in ax.get_yticks() if tick <= top])
    write_ticks(ax.xaxis, *ax.get_xlim())
    largest = float(np.abs(values).max())
    spread = largest * standard_deviation(values / largest)
    texts = _alike(list(marks.values()), spread)
    words = {name: f"{name} {text}" for name, text in zip(marks, texts, strict=True)}
    _draw_marks(ax, marks, top, words)
    title = _verdict(marks, spread, words)
    long = len(title) > 66
    ax.set_title(title.replace(": ", ":\n") if long else title, fontsize=_style.SMALL - 1 if long else _style.TITLE)
    return ax


# -------------------------------------------------------------------------------------------------------------- boxes


def _by_class(table: Columns, y: Any) -> tuple[list[tuple[str, Floats]], list[str], str]:
    """The samples of one column by the classes of y, remarks, and the name of the axis."""
    if len(table.names) > 1:
        actual = f"got {len(table.names)} ({join_some(table.names)})"
        hint = f"columns={table.names[0]!r} draws that one"
        raise DataError(
            format_message("box_plot", "X must be one column of numbers where y is given", actual=actual, hint=hint)
        )
    target = read_target("box_plot", y, len(table.values), max_classes=MOST_BOXES)
    if target.values is not None:
        actual = f"{target.name!r} holds {len(np.unique(target.values))} different numbers"
        hint = "cut it into classes, or turn class numbers into text"
        raise DataError(format_message("box_plot", "y must hold classes", actual=actual, hint=hint))
    column = table.values[:, 0]
    samples = [(group.label, column[group.rows & ~np.isnan(column)]) for group in target.groups]
    empty = [name for name, values in samples if not len(values)]
    words = [f"left out (no values): {join_some(empty, 6)}"] if empty else []
    return samples, [target.name, *table.words, *words], table.labels[0]


def _advice(samples: list[tuple[str, Floats]]) -> str:
    """What to do about boxes that are flat beside others."""
    heights = [fences.interquartile_range for _, values in samples if (fences := tukey_fences(values))[0] > 0]
    flat = len(heights) > 1 and max(heights) > FLAT * min(heights)
    return "boxes look flat beside much larger ones; scaled=True draws all in standard deviations" if flat else ""


def _empty(table: Columns) -> list[str]:
    return [name for j, name in enumerate(table.names) if not len(table.present(j))]


def _in_deviations(table: Columns) -> Columns:
    """Each column as standard deviations from its mean, over all rows and not class by class."""
    scaled = table.values.copy()
    for j in range(len(table.names)):
        values = table.present(j)
        if len(values):
            spread = standard_deviation(values) if values.min() < values.max() else 1.0
            scaled[:, j] = (scaled[:, j] - mean(values)) / spread
    return Columns(scaled, table.names, table.words)


def _check_boxes(samples: list[tuple[str, Floats]]) -> None:
    if not samples:
        raise DataError(format_message("box_plot", "X must have values", actual="all of them are missing"))
    if len(samples) > MOST_BOXES:
        hint = f"columns=[...] names those to draw, up to {MOST_BOXES}"
        raise ParameterError(
            format_message("box_plot", f"draws at most {MOST_BOXES} boxes", actual=f"got {len(samples)}", hint=hint)
        )


def _draw_boxes(ax: "Axes", samples: list[tuple[str, Floats]], method: QuartileMethod) -> None:
    inches = inches_across(ax) / len(samples)
    upright = max(len(name) for name, _ in samples) * LETTER > inches
    few = len(samples) <= FEW_BOXES and not upright
    boxes, labels = list[dict[str, Any]](), list[str]()
    for index, (name, values) in enumerate(samples):
        q = quartiles(values, method)
        fences = tukey_fences(values, method=method)
        inside = (values >= fences.low) & (values <= fences.high)
        ends = values[inside]
        boxes.append(
            {"q1": q.lower, "med": q.median, "q3": q.upper, "whislo": min(ends.min(), q.lower)}
            | {"whishi": max(ends.max(), q.upper), "fliers": values[~inside]}
        )
        outside = int((~inside).sum())
        labels.append(f"{name}\nn = {len(values):,}" + (f"\n{outside:,} outside" if outside else "") if few else name)
        ax.hlines(
            [fences.low, fences.high],
            index - 0.32,
            index + 0.32,
            color=_style.GRAY,
            linestyle=":",
            linewidth=1.2,
            label="fence, 1.5 IQR from the box" if index == 0 else "_",
        )
    artists = ax.bxp(
        boxes,
        positions=range(len(boxes)),
        widths=0.5,
        patch_artist=True,
        boxprops={"facecolor": _style.LIGHT, "edgecolor": _style.BLUE},
        medianprops={"color": _style.INK, "linewidth": 2.0},
        whiskerprops={"color": _style.BLUE},
        capprops={"color": _style.BLUE},
        flierprops={"marker": "o", "markersize": 4.5, "markerfacecolor": "none", "markeredgecolor": _style.VERMILION},
    )
    artists["medians"][0].set_label("median")
    if any(len(box["fliers"]) for box in boxes):
        artists["fliers"][0].set_label("outside the fences")
    ax.set_xticks(range(len(samples)), labels, rotation=90 if upright else 0)
    ax.set_xlim(-0.6, len(samples) - 0.4)
    ax.legend(
        frameon=False,
        loc="lower center",
        bbox_to_anchor=(0.5, 1.0),
        ncols=3 if inches_across(ax) > 4.6 else 1,
        fontsize=_style.SMALL,
    )


# ---------------------------------------------------------------------------------------------------- the quartile bar


def _write_row(ax: "Axes", positions: Floats, texts: list[str], *, edge: float, height: float, inches: float) -> None:
    """A row of words, each tied to its place on the bar, moved aside where two would meet."""
    left, right = ax.get_xlim()
    min_distance = inches / (ax.get_window_extent().width / ax.figure.dpi) * (right - left)
    moved = _spread(positions, min(min_distance, (right - left) / len(positions)), left, right)
    for position, at, text in zip(positions, moved, texts, strict=True):
        ax.annotate(
            text,
            (position, edge),
            xytext=(at, height),
            ha="center",
            va="bottom" if height > 0 else "top",
            color=_style.INK,
            fontsize=_style.SMALL,
            arrowprops={"arrowstyle": "-", "color": _style.GRAY, "linewidth": 0.9, "shrinkA": 1, "shrinkB": 0}
            | {"relpos": (0.5, 0.0 if height > 0 else 1.0)},
        )


def _spread(positions: Floats, min_distance: float, left: float, right: float) -> Floats:
    """Ordered places moved as little as need be until they are ``min_distance`` apart and half a gap from the ends.

    Pushed to the right from the left end and back from the right end; the middle of both keeps words near their places.
    """
    steps = min_distance * np.arange(len(positions))
    up = np.maximum.accumulate(np.maximum(positions, left + min_distance / 2) - steps) + steps
    down = (np.minimum.accumulate((np.minimum(positions, right - min_distance / 2) - steps)[::-1])[::-1]) + steps
    moved = (up + down) / 2
    return np.asarray(np.clip(moved, left + min_distance / 2 + steps, right - min_distance / 2 - steps[::-1]))


# --------------------------------------------------------------------------------------------------------- skew curves


def _draw_textbook(ax: "Axes") -> None:
    """A log-normal density, the normal one between it and its mirror image; each as high and as wide as the others."""
    width, spacing = 5.0, 0.7
    t = np.linspace(1e-9, width, 400)
    right = np.exp(-((np.log(t) / SIGMA) ** 2) / 2) / t
    marks = {"mean": float(np.exp(SIGMA**2 / 2)), "median": 1.0, "mode": float(np.exp(-(SIGMA**2)))}
    middle = {"mean = median = mode": width / 2}
    mirrored = {name: width - position for name, position in marks.items()}
    curves = [
        ("left-skewed\nmean < median < mode", right[::-1], width - t[::-1], mirrored),
        ("symmetric\nmean = median = mode", np.exp(-(((t - width / 2) / 0.8) ** 2) / 2), t, middle),
        ("right-skewed\nmode < median < mean", right, t, marks),
    ]
    for k, (_, heights, grid, where) in enumerate(curves):
        start = k * (width + spacing)
        curve = grid + start, heights / heights.max()
        ax.plot(*curve, color=_style.INK, linewidth=1.8)
        ax.fill_between(*curve, color=_style.PALE)
        _draw_marks(ax, {name: start + position for name, position in where.items()}, 1.0, {})
    ax.set_xticks([k * (width + spacing) + width / 2 for k in range(3)], [name for name, *_ in curves])
    ax.set(yticks=[], ylim=(0, 1.36), xlim=(-spacing / 2, 3 * width + 2.5 * spacing))
    ax.tick_params(length=0)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.spines["bottom"].set_color(_style.GRAY)


def _draw_marks(ax: "Axes", marks: dict[str, float], top: float, words: dict[str, str]) -> None:
    """A line for each, with its word beside its upper end.

    Lines on the right of the frame have their words on the left, others on the right, so that no word meets a line.
    """
    order = sorted(marks, key=lambda name: marks[name])
    left, right = ax.get_xlim()
    leftwards = sum(marks.values()) / len(marks) > (left + right) / 2 if words else order[0] == "mean"
    for level, name in enumerate(reversed(order) if not leftwards else order):
        color, line = MARKS.get(name, (_style.INK, "-"))
        height = top * (1.08 + 0.09 * level)
        ax.plot([marks[name]] * 2, [0, height], color=color, linestyle=line, linewidth=1.8, label=name)
        ax.annotate(
            words.get(name, name),
            (marks[name], height),
            xytext=(0 if len(marks) == 1 else -5 if leftwards else 5, 2 if len(marks) == 1 else 0),
            textcoords="offset points",
            ha="center" if len(marks) == 1 else "right" if leftwards else "left",
            va="bottom" if len(marks) == 1 else "center",
            color=color,
            fontsize=_style.SMALL,
        )


def _alike(values: list[float], spread: float) -> list[str]:
    """Mean, median and mode written alike, in figures that suit the spread of the column."""
    scale = max(spread, *map(abs, values))
    late = spread * MANY < scale
    return written(values, spread) if late else [number(value, scale) for value in values]


def _verdict(marks: dict[str, float], spread: float, words: dict[str, str]) -> str:
    """What the order of mean, median and mode says, and the order itself."""
    order = sorted(marks, key=lambda name: marks[name])
    written = " < ".join(words[name] for name in order)
    if marks[order[-1]] - marks[order[0]] <= SAME * spread:
        return f"about symmetric: {written.replace('<', '≈')}"
    if marks["mean"] <= marks["median"] <= marks["mode"]:
        return f"left-skewed: {written}"
    if marks["mode"] <= marks["median"] <= marks["mean"]:
        return f"right-skewed: {written}"
    return f"no clear skew: {written}"


# ------------------------------------------------------------------------------------------------------------- figures


def _wide_axes(n_boxes: int, height: float = _style.SIZE[1]) -> "Axes":
    """A new figure's Axes, wider for more boxes."""
    from matplotlib import pyplot

    width = min(max(_style.SIZE[0], 1.0 + (0.85 if n_boxes <= 12 else 0.3) * n_boxes), 16.0)
    return pyplot.subplots(figsize=(width, height), layout="constrained")[1]


def _low_axes() -> "Axes":
    from matplotlib import pyplot

    return pyplot.subplots(figsize=(_style.SIZE[0], 2.6), layout="constrained")[1]
