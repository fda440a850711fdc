"""Pictures of a whole table before any model: every column against every other, gaps, and correlations.

Tables are arrays, lists of rows, or frames of any dataframe library. Infinite values are refused; what happens to
missing ones is said for each picture.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pellucid.base.errors import DataError, ParameterError, format_message, short_repr
from pellucid.base.types import Flags, Floats
from pellucid.plotting import _style
from pellucid.plotting._columns import (
    NO_CLASS,
    Columns,
    Group,
    Target,
    all_rows,
    inches_across,
    labels,
    listed,
    note,
    open_table,
    read_columns,
    read_target,
    write_ticks,
)
from pellucid.plotting._density import density
from pellucid.stats import correlation

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Columns whose correlations have room for a number; bands of a map of missing cells; names below a map.
MOST_NUMBERED = 12
MOST_BANDS = 250
MOST_NAMES = 60
MOST_CORRELATED = 200
# The shade of a band in which any cell is missing, so that one among thousands is seen.
LEAST_SHADE = 0.25
# Densities of so many classes are filled; more would hide each other.
FEW_CLASSES = 4


def pair_plot(
    X: Any,
    y: Any = None,
    *,
    columns: Sequence[str | int] | str | int | None = None,
    max_columns: int = 6,
    max_rows: int = 3_000,
) -> "NDArray[np.object_]":
    """Draw every column against every other, and on the diagonal the density of each.

    With classes in y, each has its color and marker, and its own density, whose area is 1 whatever its size. Densities
    are Gaussian kernel estimates with Silverman's bandwidth ``0.9 min(s, IQR / 1.34) n^(-1/5)``; where a class has one
    value only, a vertical line stands for it. A cell that is missing leaves its row out of that column's panels.

    Parameters
    ----------
    X : table
        Columns that hold no numbers, or no values at all, are left out and named below the panels.
    y : column, optional
        Text, flags, categories, and up to ten different whole numbers are classes; of more classes the nine largest are
        told apart. Other numbers color the points by a scale.
    columns : names or positions of columns, optional
        Which to draw, in this order, however many; otherwise the first ``max_columns`` of numbers.
    max_columns : int, default=6
    max_rows : int, default=3000
        Of more rows so many are drawn as points, taken at random but the same each time; densities use all.

    Returns
    -------
    array of matplotlib Axes, one row and one column of it a column of X

    Examples
    --------
    >>> panels = pair_plot([[1, 2], [2, 4], [3, 3], [4, 5]], ["a", "a", "b", "b"])
    >>> panels.shape, panels[1, 0].get_xlabel(), panels[1, 0].get_ylabel()
    ((2, 2), 'x1', 'x2')
    """
    for name, value in (("max_columns", max_columns), ("max_rows", max_rows)):
        if not isinstance(value, int | np.integer) or value < 1:
            raise ParameterError(
                format_message("pair_plot", f"{name} must be a whole number above 0", actual=f"got {short_repr(value)}")
            )
    table = _to_draw(read_columns("pair_plot", X, columns), max_columns if columns is None else None)
    n_rows = len(table.values)
    target = None if y is None else read_target("pair_plot", y, n_rows)
    groups = target.groups if target is not None and target.groups else [all_rows(n_rows)]
    is_drawn, words = np.ones(n_rows, dtype=bool), table.words
    if n_rows > max_rows:
        is_drawn = np.zeros(n_rows, dtype=bool)
        is_drawn[np.random.default_rng(0).choice(n_rows, max_rows, replace=False)] = True
        words = [*words, f"points: {max_rows:,} of {n_rows:,} rows; densities: all rows"]
    figure, panels = _grid(len(table.names), key=0.085 * max(len(group.label) for group in groups) + 0.6)
    scale = None if target is None else target.values
    for (i, j), ax in np.ndenumerate(panels):
        if i == j:
            _draw_densities(ax, table.values[:, i], groups)
        else:
            _draw_points(ax, table.values[:, j], table.values[:, i], groups, is_drawn, scale)
    _finish(figure, panels, table)
    if target is not None:
        _write_key(figure, panels, target)
    if words:
        figure.supxlabel(note(words), fontsize=_style.SMALL)
    return panels


def missing_map(X: Any, *, ax: "Axes | None" = None) -> "Axes":
    """Draw where a table has gaps: rows down, columns across, missing cells dark, each column's share on top.

    Null, None, NaN and NaT are missing; an empty text or an infinite number is not. A table of more than 250 rows is
    drawn in bands of equally many rows, darker where more of the band is missing; the axis says how many.

    Parameters
    ----------
    X : table
        Columns of any kind.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> ax = missing_map([[1, None], [2, 5], [None, None]])
    >>> [text.get_text() for text in ax.texts], ax.get_title()
    (['33 %', '67 %'], '3 of 6 cells are missing (50 %)')
    """
    table, names = open_table("missing_map", X)
    is_missing = np.column_stack([table.missing(j) for j in range(table.n_cols)])
    size = -(-table.n_rows // MOST_BANDS)
    starts = np.arange(0, table.n_rows, size)
    rows = np.diff(np.append(starts, table.n_rows))
    shares = np.add.reduceat(is_missing, starts, axis=0, dtype=np.float64) / rows[:, None]
    shades = np.where(shares > 0, LEAST_SHADE + (1 - LEAST_SHADE) * shares, 0.0)
    ax = _map_axes(names) if ax is None else ax
    _draw_gaps(ax, shades, table.n_rows)
    _write_names(ax, names, below=True)
    crowded = inches_across(ax) < 0.45 * len(names)
    if len(names) <= MOST_NAMES:
        for j, share in enumerate(is_missing.mean(axis=0)):
            ax.annotate(
                _percent(share),
                (j, 1),
                xycoords=("data", "axes fraction"),
                xytext=(0, 3),
                textcoords="offset points",
                ha="center",
                va="bottom",
                rotation=90 if crowded else 0,
                color=_style.INK if share > 0 else _style.GRAY,
                fontsize=_style.SMALL,
            )
    ax.set_ylabel("row" if size == 1 else f"row\n(bands of {size:,} rows; darker: more missing)")
    total = int(is_missing.sum())
    actual = f"{total:,} of {is_missing.size:,} cells are missing ({_percent(total / is_missing.size)})"
    pad = 6 if len(names) > MOST_NAMES else 38 if crowded else 20
    ax.set_title(actual if total else "no cell is missing", fontsize=_style.TITLE, pad=pad)
    return ax


def correlation_map(
    X: Any, *, columns: Sequence[str | int] | str | int | None = None, ax: "Axes | None" = None
) -> "Axes":
    """Draw Pearson's correlation of every column with every other, from -1 (blue) over 0 (white) to 1 (orange).

    ``r = Σ (x - x̄)(y - ȳ) / sqrt(Σ (x - x̄)² Σ (y - ȳ)²)`` over the rows in which both are present: pairs may rest on
    different rows where cells are missing. A column that is constant there has no correlation: its cells stay blank,
    and the columns without any are named below. Up to twelve columns have their numbers written.

    Parameters
    ----------
    X : table
        Columns that hold no numbers are left out and named below the map.
    columns : names or positions of columns, optional
        Which to draw, in this order; all otherwise.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> ax = correlation_map([[1, 3], [2, 2], [3, 1]])
    >>> [text.get_text() for text in ax.texts]
    ['1.00', '−1.00', '−1.00', '1.00']
    """
    table = read_columns("correlation_map", X, columns)
    if len(table.names) > MOST_CORRELATED:
        requirement = f"draws at most {MOST_CORRELATED} columns"
        hint = "columns=[...] names those to draw"
        raise ParameterError(
            format_message("correlation_map", requirement, actual=f"got {len(table.names)}", hint=hint)
        )
    if len(table.values) < 2:
        raise DataError(format_message("correlation_map", "X must have at least two rows", actual="got 1"))
    r = _correlations(table.values)
    values = [table.present(j) for j in range(len(table.names))]
    constant = [name for name, x in zip(table.names, values, strict=True) if len(x) and x.min() == x.max()]
    empty = [name for name, x in zip(table.names, values, strict=True) if not len(x)]
    blank = [listed("blank (constant)", constant), listed("blank (no values)", empty)]
    ax = _square_axes(table.names) if ax is None else ax
    _draw_correlations(ax, r)
    _write_names(ax, table.names, below=True)
    _write_names(ax, table.names, below=False)
    ax.set_xlabel(note([*table.words, *filter(None, blank)], width=70), fontsize=_style.SMALL)
    return ax


# ------------------------------------------------------------------------------------------------------- the pair plot


def _to_draw(table: Columns, max_columns: int | None) -> Columns:
    """The columns that have values; the first of them where there are more than ``max_columns``."""
    full = [j for j in range(len(table.names)) if len(table.present(j))]
    empty = [name for j, name in enumerate(table.names) if j not in full]
    if not full:
        raise DataError(format_message("pair_plot", "X must have values", actual="all of them are missing"))
    selected = full[:max_columns]
    more = len(full) - len(selected)
    cut = f"drawn: the first {len(selected)} of {len(full)} columns of numbers; columns=[...] chooses" if more else ""
    return table.keep(selected, listed("left out (no values)", empty), cut)


def _grid(k: int, key: float) -> "tuple[Figure, NDArray[np.object_]]":
    """A figure of k x k panels that share an axis along each row and each column, and ``key`` inches beside them."""
    from matplotlib import pyplot

    side = {1: 4.0, 2: 2.9, 3: 2.5, 4: 2.1}.get(k, 1.75)
    shared: dict[str, Any] = {"sharex": "col", "sharey": "row", "squeeze": False}
    figure, panels = pyplot.subplots(
        k, k, figsize=(min(side * k + max(key, 1.4), 40), min(side * k + 0.4, 40)), layout="constrained", **shared
    )
    return figure, panels


def _draw_points(ax: "Axes", x: Floats, y: Floats, groups: list[Group], is_drawn: Flags, scale: Floats | None) -> None:
    size = 20.0 if is_drawn.sum() <= 200 else 13.0 if is_drawn.sum() <= 1000 else 6.0
    if scale is not None:
        has_target = is_drawn & ~np.isnan(scale)
        no_target = is_drawn & np.isnan(scale)
        ax.scatter(x[no_target], y[no_target], s=size, marker="x", linewidth=0.8, color=_style.GRAY)
        limits: dict[str, Any] = {"vmin": np.nanmin(scale), "vmax": np.nanmax(scale)}
        ax.scatter(
            x[has_target], y[has_target], s=size, c=scale[has_target], cmap="viridis", linewidth=0, alpha=0.85, **limits
        )
        return
    for group in groups:
        rows = is_drawn & group.rows
        edge = 0.8 if group.marker == "x" else 0
        ax.scatter(x[rows], y[rows], s=size, marker=group.marker, color=group.color, linewidth=edge, alpha=0.7)


def _draw_densities(ax: "Axes", x: Floats, groups: list[Group]) -> None:
    """One curve a class, in shares of the panel's height: the panel's own axis belongs to the points of its row."""
    groups = [group for group in groups if group.label != NO_CLASS] or groups
    samples = [x[group.rows & ~np.isnan(x)] for group in groups]
    curves = [density(sample) for sample in samples]
    highest = max((float(curve[1].max()) for curve in curves if curve is not None), default=1.0)
    across = ax.get_xaxis_transform()
    for group, sample, curve in zip(groups, samples, curves, strict=True):
        style = {"color": group.color, "linestyle": group.line, "linewidth": 1.6, "transform": across}
        if curve is not None:
            heights = 0.92 * curve[1] / highest
            ax.plot(curve[0], heights, **style)
            if len(groups) <= FEW_CLASSES:
                ax.fill_between(curve[0], heights, color=group.color, alpha=0.12, linewidth=0, transform=across)
        elif len(sample):
            ax.plot([sample[0]] * 2, [0, 0.92], **style)


def _finish(figure: "Figure", panels: "NDArray[np.object_]", table: Columns) -> None:
    """Axes as wide as the data, with few ticks, and names at the left and the lower edge."""
    from matplotlib.ticker import MaxNLocator

    k = len(panels)
    small = _style.SMALL - (0 if k <= 3 else 1 if k <= 4 else 2)
    for j, name in enumerate(table.labels):
        low, high = float(np.nanmin(table.values[:, j])), float(np.nanmax(table.values[:, j]))
        margin = 0.08 * (high - low) or 0.1 * abs(low) or 0.5
        panels[0, j].set_xlim(low - margin, high + margin)
        panels[j, 0].set_ylim(low - margin, high + margin)
        write_ticks(panels[0, j].xaxis, low - margin, high + margin)
        write_ticks(panels[j, 0].yaxis, low - margin, high + margin)
        panels[-1, j].set_xlabel(name, fontsize=small)
        panels[j, 0].set_ylabel(name, fontsize=small)
    for ax in panels.ravel():
        _style.tidy(ax)
        ax.tick_params(labelsize=small - 1)
        ax.xaxis.set_major_locator(MaxNLocator(4 if k <= 4 else 3))
        ax.yaxis.set_major_locator(MaxNLocator(4 if k <= 4 else 3))
    if k == 1:
        panels[0, 0].set(yticks=[], ylabel="density")
    figure.align_ylabels()


def _write_key(figure: "Figure", panels: "NDArray[np.object_]", target: Target) -> None:
    """One legend of the classes, or one scale of the numbers, for the whole figure."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize
    from matplotlib.lines import Line2D

    if target.values is not None:
        norm = Normalize(np.nanmin(target.values), np.nanmax(target.values))
        figure.colorbar(ScalarMappable(norm, "viridis"), ax=panels, label=target.name, shrink=0.7, aspect=30)
        return
    handles = [
        Line2D([], [], color=group.color, marker=group.marker, linestyle=group.line, label=_style.shown(group.label))
        for group in target.groups
    ]
    figure.legend(handles=handles, title=target.name, loc="outside right upper", frameon=False, handlelength=3)


# ------------------------------------------------------------------------------------------------------------ the maps


def _map_axes(names: list[str]) -> "Axes":
    """A new figure's Axes, wider for more columns, higher for longer names."""
    from matplotlib import pyplot

    width = min(max(_style.SIZE[0], 1.0 + (0.6 if len(names) <= 15 else 0.25) * len(names)), 16.0)
    return pyplot.subplots(figsize=(width, 4.2 + _longest(names)), layout="constrained")[1]


def _square_axes(names: list[str]) -> "Axes":
    """A new figure's Axes with room for a square of cells, a bar of colors, and names at two sides."""
    from matplotlib import pyplot

    k = len(names)
    side = min(max(2.6, (0.56 if k <= MOST_NUMBERED else 0.3) * k), 12.0)
    return pyplot.subplots(figsize=(side + _longest(names) + 1.3, side + _longest(names) + 0.5), layout="constrained")[
        1
    ]


def _longest(names: list[str]) -> float:
    """Inches that the longest name takes."""
    return 0.085 * max(map(len, labels(names)))


def _write_names(ax: "Axes", names: list[str], *, below: bool) -> None:
    """The columns' names along an axis; of very many every second, third, ... one."""
    step = -(-len(names) // MOST_NAMES)
    positions = range(0, len(names), step)
    cut = labels([names[j] for j in positions])
    small = _style.SMALL if len(names) <= 20 else _style.SMALL - 3
    if below:
        upright = inches_across(ax) < 0.09 * len(names) * max(map(len, cut))
        ax.set_xticks(positions, cut, rotation=90 if upright else 0, fontsize=small)
    else:
        ax.set_yticks(positions, cut, fontsize=small)
    ax.tick_params(length=0)


def _percent(share: float) -> str:
    """A share in per cent, in which something is never written as nothing, nor nearly all as all.

    >>> _percent(0.0), _percent(0.199), _percent(0.00004), _percent(0.9999), _percent(1.0)
    ('0 %', '20 %', '<1 %', '>99 %', '100 %')
    """
    percent = round(100 * share)
    if percent == 0 and share > 0:
        return "<1 %"
    return ">99 %" if percent == 100 and share < 1 else f"{percent} %"


def _draw_gaps(ax: "Axes", shades: Floats, n_rows: int) -> None:
    """The map, with white lines between columns, and rows counted from 0 as in messages."""
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.ticker import MaxNLocator

    colors = LinearSegmentedColormap.from_list("gaps", [_style.PALE, _style.INK])
    n_columns = shades.shape[1]
    extent = (-0.5, n_columns - 0.5, n_rows - 0.5, -0.5)
    ax.imshow(shades, cmap=colors, vmin=0, vmax=1, aspect="auto", interpolation="nearest", extent=extent)
    if n_columns <= MOST_NAMES:
        ax.vlines(np.arange(1, n_columns) - 0.5, -0.5, n_rows - 0.5, color="white", linewidth=1.5)
    ax.yaxis.set_major_locator(MaxNLocator(6, integer=True))
    ax.yaxis.set_major_formatter("{x:,.0f}")
    ax.spines[:].set_visible(False)


def _correlations(values: Floats) -> Floats:
    """Pearson's r of each pair over the rows in which both are present; NaN where one of them is constant there."""
    k = values.shape[1]
    there = ~np.isnan(values)
    r = np.full((k, k), np.nan)
    for i in range(k):
        for j in range(i + 1):
            rows = there[:, i] & there[:, j]
            x, y = values[rows, i], values[rows, j]
            if len(x) > 1 and x.min() < x.max() and y.min() < y.max():
                r[i, j] = r[j, i] = 1.0 if i == j else correlation(x, y)
    return r


def _draw_correlations(ax: "Axes", r: Floats) -> None:
    from matplotlib.colors import LinearSegmentedColormap

    colors = LinearSegmentedColormap.from_list("signs", [_style.BLUE, "#F7F7F7", _style.VERMILION])
    image = ax.imshow(np.ma.masked_invalid(r), cmap=colors, vmin=-1, vmax=1)
    ax.figure.colorbar(image, ax=ax, label="Pearson's r", shrink=0.8)
    ax.spines[:].set_visible(False)
    k = len(r)
    edges = np.arange(k + 1) - 0.5
    if k <= 2 * MOST_NUMBERED:
        ax.vlines(edges, -0.5, k - 0.5, color="white", linewidth=1.0)
        ax.hlines(edges, -0.5, k - 0.5, color="white", linewidth=1.0)
    if k > MOST_NUMBERED:
        return
    for i, j in np.argwhere(~np.isnan(r)):
        ink = _readable(colors(0.5 + 0.5 * r[i, j]))
        text = f"{r[i, j]:z.2f}".replace("-", _style.MINUS)
        ax.text(j, i, text, ha="center", va="center", color=ink, fontsize=_style.SMALL if k <= 8 else _style.SMALL - 1)


def _readable(color: tuple[float, ...]) -> str:
    """White or black, whichever stands out more: the ratio of (luminance + 0.05), as the WCAG define them."""
    channels = np.array(color[:3])
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    light = float(linear @ [0.2126, 0.7152, 0.0722])
    return "white" if 1.05 / (light + 0.05) > (light + 0.05) / 0.05 else "black"
