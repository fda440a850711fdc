"""Pictures of what a model makes of its columns: how much each matters, and which way it pulls.

They read result objects: ``importances_mean``, ``importances_std`` and ``importances`` for `importance`;
``feature_names``, ``grid_values``, ``average``, ``individual`` and ``deciles`` for `partial_dependence`. Nothing is
computed from a model here.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from pellucid.base.errors import DataError, ParameterError, format_message, short_repr
from pellucid.base.types import Array, Floats
from pellucid.plotting import _style
from pellucid.plotting._read import numbers
from pellucid.plotting._style import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["importance", "partial_dependence"]

DEEP = "#00304D"
# Individual lines that can be told from a wash of color.
MOST_LINES = 200
LEVELS = 10


class Importances(Protocol):
    """How much a score falls when a column is shuffled: mean, standard deviation, and a row of repeats a column."""

    @property
    def importances_mean(self) -> Any: ...
    @property
    def importances_std(self) -> Any: ...
    @property
    def importances(self) -> Any: ...


class Dependence(Protocol):
    """The mean prediction over a grid of one or two columns, and for one column that of each row, if kept."""

    @property
    def feature_names(self) -> Any: ...
    @property
    def grid_values(self) -> Any: ...
    @property
    def average(self) -> Any: ...
    @property
    def individual(self) -> Any: ...
    @property
    def deciles(self) -> Any: ...


def importance(
    result: Importances,
    *,
    feature_names: Sequence[str] | None = None,
    n_most: int = 20,
    label: str = "fall of the score when the column is shuffled",
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw how much each column matters: a bar a column, the largest on top, with the spread of the repeats.

    A bar is the mean over the repeats, the line across its end one standard deviation each way, a dot each repeat. A
    column whose dots lie around zero tells the model nothing.

    Parameters
    ----------
    result : importances
        As `pellucid.inspection.permutation_importance` gives them.
    feature_names : list of str, optional
        Instead of the result's own.
    n_most : int, default=20
        Columns to draw; the title tells how many there are.
    label : str
        What the length of a bar is.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from types import SimpleNamespace as Result
    >>> repeats = [[0.1, 0.3], [0.5, 0.7]]
    >>> ax = importance(Result(importances_mean=[0.2, 0.6], importances_std=[0.1, 0.1], importances=repeats))
    >>> [tick.get_text() for tick in ax.get_yticklabels()], [float(bar.get_width()) for bar in ax.patches]
    (['x2', 'x1'], [0.6, 0.2])
    """
    who = "importance"
    means, spreads, repeats = _importances(who, result)
    names = _names(who, result, feature_names, len(means))
    if isinstance(n_most, bool) or not isinstance(n_most, int | np.integer) or n_most < 1:
        raise ParameterError(
            format_message(who, "n_most must be a whole number of at least 1", actual=f"got {short_repr(n_most)}")
        )
    order = np.argsort(-means, kind="stable")[:n_most]
    rows = np.arange(len(order))
    ax = _tall(len(order)) if ax is None else ax
    _style.tidy(ax)
    ax.grid(False, axis="y")
    ax.barh(rows, means[order], height=0.66, color=_style.SKY, edgecolor=_style.BLUE, linewidth=0.8, zorder=2)
    ends: dict[str, Any] = {"color": _style.INK, "elinewidth": 1.4, "capsize": 3, "linestyle": ""}
    ax.errorbar(means[order], rows, xerr=spreads[order], zorder=4, **ends)
    if repeats is not None:
        shift = np.linspace(-0.2, 0.2, repeats.shape[1]) if repeats.shape[1] > 1 else np.zeros(1)
        dots: dict[str, Any] = {"markersize": 3.5, "color": _style.VERMILION, "alpha": 0.8, "markeredgewidth": 0}
        x, y = repeats[order].ravel(), (rows[:, None] + shift).ravel()
        ax.plot(x, y, linestyle="", marker="o", zorder=3, label="one repeat", **dots)
    ax.axvline(0, color=_style.GRAY, linewidth=1.2, zorder=1)
    ax.set_yticks(rows, [plain(names[j]) for j in order])
    ax.set_ylim(len(order) - 0.4, -0.6)
    ax.set_xlabel(label)
    if len(order) < len(means):
        ax.set_title(f"the {len(order)} largest of {len(means)} columns", fontsize=_style.TITLE)
    return ax


def partial_dependence(
    result: Dependence, *, individual: bool = True, label: str = "prediction", ax: "Axes | None" = None
) -> "Axes":
    """Draw how the mean prediction moves with one column, or with two.

    One column: the mean over all rows as a thick line, each row's own line faint behind it, and a tick at the bottom
    for each tenth of the column's values: where ticks are far apart the line rests on few rows. Lines that cross tell
    that the column's effect depends on other columns. Two columns: contours of the mean, ticks on both axes. The values
    of a column of words stand side by side.

    Parameters
    ----------
    result : dependence
        As `pellucid.inspection.partial_dependence` gives it.
    individual : bool, default=True
        Draw each row's line, if the result has kept them; of many, 200 spread evenly over the rows.
    label : str, default="prediction"
        What is averaged.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from types import SimpleNamespace as Result
    >>> found = Result(
    ...     feature_names=["age"], grid_values=[[1, 2]], average=[3, 5], individual=[[2, 6], [4, 4]], deciles=[[1, 2]]
    ... )
    >>> ax = partial_dependence(found)
    >>> ax.get_xlabel(), ax.get_lines()[-1].get_ydata().tolist()
    ('age', [3.0, 5.0])
    """
    who = "partial_dependence"
    names, grids = _grids(who, result)
    average = numbers(who, "average", result.average)
    expected = tuple(len(grid) for grid in grids)
    if average.shape != expected:
        requirement = f"average must have one number a point of the grid, shape {expected}"
        hint = "draw one class or one target at a time" if average.ndim > len(grids) else ""
        raise DataError(format_message(who, requirement, actual=f"got shape {average.shape}", hint=hint))
    ax = _style.axes() if ax is None else ax
    _style.tidy(ax)
    if len(grids) == 1:
        lines = _individual(who, result, len(grids[0])) if individual else None
        _draw_lines(ax, grids[0], average, lines)
        ax.set(xlabel=names[0], ylabel=label)
    else:
        _draw_surface(ax, grids, average, label)
        ax.set(xlabel=names[0], ylabel=names[1])
    for k, (grid, deciles) in enumerate(zip(grids, _deciles(who, result, len(grids)), strict=True)):
        if deciles is not None and _is_number(grid):
            _draw_deciles(ax, deciles, across=k == 0)
    return ax


# --------------------------------------------------------------------------------------------------------- importance


def _importances(who: str, result: Any) -> tuple[Floats, Floats, Floats | None]:
    for field in ("importances_mean", "importances_std"):
        if not hasattr(result, field):
            requirement = "needs a result with importances_mean and importances_std"
            raise DataError(
                format_message(who, requirement, actual=f"got {short_repr(result)}", hint="see pellucid.inspection")
            )
    means, spreads = numbers(who, "importances_mean", result.importances_mean), _spreads(who, result)
    repeats = getattr(result, "importances", None)
    repeats = None if repeats is None else numbers(who, "importances", repeats)
    wrong = repeats is not None and (repeats.ndim != 2 or len(repeats) != len(means))
    if means.ndim != 1 or not len(means) or spreads.shape != means.shape or wrong:
        requirement = "importances_mean and importances_std must have one number a column, importances one row a column"
        shapes = [means.shape, spreads.shape, *([] if repeats is None else [repeats.shape])]
        raise DataError(format_message(who, requirement, actual=f"got shapes {', '.join(map(str, shapes))}"))
    return means, spreads, repeats


def _spreads(who: str, result: Any) -> Floats:
    return np.abs(numbers(who, "importances_std", result.importances_std))


def _names(who: str, result: Any, feature_names: Any, n_columns: int) -> list[str]:
    names = getattr(result, "feature_names", None) if feature_names is None else feature_names
    if names is None:
        return [f"x{j + 1}" for j in range(n_columns)]
    if isinstance(names, str) or len(names) != n_columns:
        actual = f"got {1 if isinstance(names, str) else len(names)} for {n_columns}"
        raise DataError(format_message(who, "feature_names must have one name a column", actual=actual))
    return [str(name) for name in names]


def _tall(n_bars: int) -> "Axes":
    """A new figure's Axes with room for so many bars."""
    from matplotlib import pyplot

    return pyplot.subplots(figsize=(_style.SIZE[0], max(2.0, 0.9 + 0.3 * n_bars)), layout="constrained")[1]


# --------------------------------------------------------------------------------------------------------- dependence


def _grids(who: str, result: Any) -> tuple[list[str], list[Array]]:
    if not all(hasattr(result, field) for field in ("feature_names", "grid_values", "average")):
        requirement = "needs a result with feature_names, grid_values and average"
        raise DataError(
            format_message(who, requirement, actual=f"got {short_repr(result)}", hint="see pellucid.inspection")
        )
    names = [plain(str(name)) for name in result.feature_names]
    grids = [np.asarray(grid) for grid in result.grid_values]
    if len(names) != len(grids) or len(grids) not in (1, 2) or any(grid.ndim != 1 or not len(grid) for grid in grids):
        actual = f"got {len(names)} names and grids of shapes {', '.join(str(grid.shape) for grid in grids) or 'none'}"
        raise DataError(format_message(who, "needs the grid of one column, or of two", actual=actual))
    return names, [numbers(who, "grid_values", grid) if _is_number(grid) else grid for grid in grids]


def _is_number(grid: Array) -> bool:
    return grid.dtype.kind in "iuf"


def _individual(who: str, result: Any, width: int) -> Floats | None:
    individual = getattr(result, "individual", None)
    if individual is None:
        return None
    lines = numbers(who, "individual", individual)
    if lines.ndim != 2 or lines.shape[1] != width:
        requirement = f"individual must have one row a row of the table and {width} columns"
        raise DataError(format_message(who, requirement, actual=f"got shape {lines.shape}"))
    indices = np.unique(np.linspace(0, len(lines) - 1, min(len(lines), MOST_LINES)).round().astype(int))
    return np.asarray(lines[indices])


def _deciles(who: str, result: Any, n_columns: int) -> list[Array | None]:
    deciles = getattr(result, "deciles", None)
    if deciles is None:
        return [None] * n_columns
    if len(deciles) != n_columns:
        raise DataError(
            format_message(who, "deciles must have one list a column", actual=f"got {len(deciles)} for {n_columns}")
        )
    return [None if column_deciles is None else np.asarray(column_deciles) for column_deciles in deciles]


def _place(grid: Array) -> Floats:
    """Numbers stand at themselves, words in a row."""
    return np.asarray(grid, dtype=np.float64) if _is_number(grid) else np.arange(len(grid), dtype=np.float64)


def _draw_lines(ax: "Axes", grid: Array, average: Floats, lines: Floats | None) -> None:
    x, marker = _place(grid), "" if _is_number(grid) and len(grid) > 1 else "o"
    if lines is not None:
        alpha = min(0.6, max(0.18, 8 / len(lines)))
        for k, line in enumerate(lines):
            label = None if k else "one row"
            ax.plot(x, line, color=_style.BLUE, linewidth=0.7, alpha=alpha, marker=marker, markersize=2, label=label)
    ax.plot(x, average, color=_style.VERMILION, linewidth=2.6, marker=marker, markersize=6, zorder=4, label="mean")
    if not _is_number(grid):
        ax.set_xticks(x, [plain(str(word)) for word in grid])
    if lines is not None:
        faint, *_ = ax.legend(frameon=False).get_lines()
        faint.set(alpha=0.8, linewidth=1.2)


def _draw_surface(ax: "Axes", grids: list[Array], average: Floats, label: str) -> None:
    from matplotlib.colors import LinearSegmentedColormap

    (x, y), z = map(_place, grids), average.T
    shades = LinearSegmentedColormap.from_list("height", ["white", _style.LIGHT, _style.BLUE, DEEP])
    smooth = all(_is_number(grid) and len(grid) > 1 for grid in grids) and np.ptp(z) > 0
    if smooth:
        surface: Any = ax.contourf(x, y, z, levels=LEVELS, cmap=shades)
        ax.contour(x, y, z, levels=surface.levels, colors=_style.INK, linewidths=0.6)
    else:
        surface = ax.pcolormesh(x, y, z, cmap=shades, shading="nearest")
    for axis, positions, grid in zip((ax.xaxis, ax.yaxis), (x, y), grids, strict=True):
        if not _is_number(grid):
            axis.set_ticks(positions, [plain(str(word)) for word in grid])
    ax.grid(False)
    ax.figure.colorbar(surface, ax=ax, label=label)


def _draw_deciles(ax: "Axes", deciles: Array, *, across: bool) -> None:
    """Short ticks inside the frame, which move with it."""
    from matplotlib.patheffects import withStroke

    halo = [withStroke(linewidth=3, foreground="white")]
    tick: dict[str, Any] = {"color": _style.INK, "linewidth": 1.2, "zorder": 5, "path_effects": halo}
    transform = ax.get_xaxis_transform() if across else ax.get_yaxis_transform()
    draw = ax.vlines if across else ax.hlines
    draw(numbers("partial_dependence", "deciles", deciles), 0, 0.035, transform=transform, label="deciles", **tick)
