"""Pictures of prototypes: a codebook on its way through the rows, and rows that were kept or dropped.

They read ``codebook_path_`` and ``codebook_labels_``, or ``sample_indices_``, besides ``predict`` and ``classes_``.
Nothing is fitted here.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pellucid.base.errors import DataError, count, format_message
from pellucid.base.types import Array, Flags, Floats
from pellucid.plotting import _style
from pellucid.plotting._plane import (
    COLORS,
    MARKERS,
    Plane,
    classes_of,
    codes_of,
    draw_areas,
    labels_of,
    plane_of,
    ticks,
    word,
)
from pellucid.plotting._read import name_of
from pellucid.plotting._style import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["codebook_path", "prototypes"]

_PATH, _ROWS = "codebook_path", "prototypes"


def codebook_path(
    model: Any,
    X: Any,
    y: Any,
    *,
    columns: Sequence[str] | Sequence[int] | None = None,
    grid: int = 300,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw a codebook on its way: each vector from where it began, epoch by epoch, to where it stands in the end.

    A ring is the start, a line with a dot for every epoch the way, a large marker the end, in the color of the
    vector's class. Behind them are the rows, the areas in which each class is predicted, and, of a model of two
    columns, thin lines between the cells of the vectors: all places of a cell are nearest to its vector.

    Parameters
    ----------
    model : fitted `LVQClassifier` with ``keep_path=True``
    X : table of numbers
        The model's columns; those of a frame are found by name.
    y : labels, at most ten different ones
    columns : two names or numbers of columns, optional
        What to draw of a model of more columns; the areas then hold the others at their medians.
    grid : int, default=300
        Points of the grid along each axis.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from pellucid.neighbors import LVQClassifier
    >>> X, y = [[0, 0], [0, 1], [3, 0], [3, 1]], ["left", "left", "right", "right"]
    >>> model = LVQClassifier(n_prototypes=2, max_iter=5, keep_path=True, random_state=0).fit(X, y)
    >>> [text.get_text() for text in codebook_path(model, X, y).get_legend().get_texts()]
    ['left', 'right', 'start', 'vector in the end']
    """
    path: Floats | None = getattr(model, "codebook_path_", None)
    if path is None:
        hint = "fit an LVQClassifier with keep_path=True"
        raise DataError(
            format_message(
                _PATH, "the model must have kept the codebook of every epoch", actual="it has none", hint=hint
            )
        )
    plane = _flat(_PATH, model, X, columns)
    labels = labels_of(_PATH, y, len(plane.table))
    classes = classes_of(_PATH, {"": model}, labels)
    is_new_figure, ax = ax is None, _style.axes() if ax is None else ax
    paths = np.stack([plane_points(plane, book) for book in path])
    reach = Plane(plane.table, np.vstack([plane.points, paths.reshape(-1, 2)]), plane.names, plane.origin,
                  plane.directions, plane.labels, plane.note)  # fmt: skip
    draw_areas(_PATH, ax, model, X, reach, classes, grid, proba=False)
    if path.shape[2] == 2:
        _draw_cells(ax, reach, path[-1], grid)
    _draw_faint(_PATH, ax, plane, labels, classes)
    _draw_ways(ax, paths, codes_of(_PATH, model.codebook_labels_, classes))
    title = f"{count(path.shape[1], 'vector')}, {count(len(path) - 1, 'epoch')}"
    ax.set_title("\n".join(filter(None, [title, plane.note])), fontsize=_style.TITLE)
    ax.set(xlabel=plane.labels[0], ylabel=plane.labels[1])
    _write_legend(ax, name_of(y), is_new_figure)
    return ax


def prototypes(
    model: Any,
    X: Any,
    y: Any,
    *,
    columns: Sequence[str] | Sequence[int] | None = None,
    grid: int = 200,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the rows that a selection of prototypes kept, and, small and pale, those that it dropped.

    Behind them are the areas in which the kept rows predict each class. A table of more than two columns is drawn on
    its first two principal components, or on the two of ``columns`` with the others at their medians.

    Parameters
    ----------
    model : fitted `CondensedNearestNeighbors` or `EditedNearestNeighbors`
    X, y : the table that it was fitted on, and its labels, at most ten different ones
    columns : two names or numbers of columns, optional
    grid : int, default=200
        Points of the grid along each axis.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from pellucid.neighbors import CondensedNearestNeighbors
    >>> X, y = [[0, 0], [0, 1], [3, 0], [3, 1]], ["left", "left", "right", "right"]
    >>> ax = prototypes(CondensedNearestNeighbors().fit(X, y), X, y)
    >>> ax.get_title()
    '2 of 4 rows kept'
    """
    selected = getattr(model, "sample_indices_", None)
    if selected is None:
        hint = "fit a CondensedNearestNeighbors or EditedNearestNeighbors"
        raise DataError(
            format_message(_ROWS, "the model must have chosen rows", actual="it has no sample_indices_", hint=hint)
        )
    plane = plane_of(_ROWS, [model], X, columns)
    labels = labels_of(_ROWS, y, len(plane.table))
    if len(selected) and int(np.max(selected)) >= len(labels):
        actual = f"row {int(np.max(selected))} was kept, and X has {count(len(labels), 'row')}"
        raise DataError(format_message(_ROWS, "X must be the table that the model was fitted on", actual=actual))
    classes = classes_of(_ROWS, {"": model}, labels)
    is_kept = np.zeros(len(labels), dtype=bool)
    is_kept[selected] = True
    is_new_figure, ax = ax is None, _style.axes() if ax is None else ax
    draw_areas(_ROWS, ax, model, X, plane, classes, grid, proba=False)
    _draw_kept(_ROWS, ax, plane, labels, classes, is_kept)
    title = f"{is_kept.sum():,} of {count(len(is_kept), 'row')} kept"
    ax.set_title("\n".join(filter(None, [title, plane.note])), fontsize=_style.TITLE)
    ax.set(xlabel=plane.labels[0], ylabel=plane.labels[1])
    _write_legend(ax, name_of(y), is_new_figure)
    return ax


# -------------------------------------------------------------------------------------------------------------- parts


def _flat(who: str, model: Any, X: Any, columns: Any) -> Plane:
    """The plane of two columns: ways through more cannot be read off components."""
    if columns is None and model.codebook_.shape[1] != 2:
        actual = f"the model has {count(model.codebook_.shape[1], 'column')}"
        raise DataError(
            format_message(who, "two columns can be drawn", actual=actual, hint="say which: columns=(..., ...)")
        )
    return plane_of(who, [model], X, columns)


def plane_points(plane: Plane, vectors: Floats) -> Floats:
    """Where vectors of the model's columns lie on a plane of two of them."""
    used = np.flatnonzero(plane.directions.any(axis=0))
    ordered = [int(np.argmax(direction)) for direction in plane.directions] if len(used) == 2 else used
    return np.asarray(vectors[:, ordered])


def _draw_cells(ax: "Axes", plane: Plane, vectors: Floats, grid: int) -> None:
    a, b = (ticks(column, grid) for column in plane.points.T)
    points = plane.rows(*(coordinates.ravel() for coordinates in np.meshgrid(a, b)))
    squares = np.column_stack([((points - vector) ** 2).sum(axis=1) for vector in vectors])
    nearest = squares.argmin(axis=1)
    edge: dict[str, Any] = {"levels": [0.5], "colors": _style.INK, "linewidths": 0.5, "alpha": 0.3, "zorder": 1}
    for v in np.unique(nearest):
        ax.contour(a, b, (nearest == v).reshape(grid, grid).astype(float), **edge)


def _draw_faint(who: str, ax: "Axes", plane: Plane, labels: Array, classes: list[Any]) -> None:
    """The rows, behind what matters."""
    codes = codes_of(who, labels, classes)
    size = 4.2 if len(labels) <= 500 else 2.6
    for k, label in enumerate(classes):
        style: dict[str, Any] = {"color": COLORS[k], "marker": MARKERS[k], "alpha": 0.55, "markeredgewidth": 0}
        ax.plot(
            *plane.points[codes == k].T,
            linestyle="",
            markersize=size,
            zorder=2,
            label=_style.shown(word(label)),
            **style,
        )


def _draw_ways(ax: "Axes", paths: Floats, codes: Array) -> None:
    """ways : epochs x vectors x 2"""
    for v in range(paths.shape[1]):
        color, path = COLORS[codes[v]], paths[:, v]
        dots: dict[str, Any] = {"marker": "." if len(path) <= 60 else "", "markersize": 3.5}
        ax.plot(*path.T, color="white", linewidth=2.6, alpha=0.8, zorder=3)
        ax.plot(*path.T, color=color, linewidth=1.2, zorder=4, **dots)
        ax.plot(*path[:1].T, marker="o", color=color, markerfacecolor="white", markersize=6, linestyle="", zorder=5)
        end: dict[str, Any] = {"marker": MARKERS[codes[v]], "markeredgecolor": "black", "markeredgewidth": 1.2}
        ax.plot(*path[-1:].T, color=color, markersize=11, linestyle="", zorder=6, **end)
    neutral: dict[str, Any] = {"linestyle": "", "color": _style.GRAY}
    ax.plot([], [], marker="o", markerfacecolor="white", markersize=6, label="start", **neutral)
    ax.plot([], [], marker="o", markersize=10, markeredgecolor="black", label="vector in the end", **neutral)


def _draw_kept(who: str, ax: "Axes", plane: Plane, labels: Array, classes: list[Any], is_kept: Flags) -> None:
    codes, size = codes_of(who, labels, classes), 7.0 if len(labels) <= 300 else 5.0
    for k, label in enumerate(classes):
        style: dict[str, Any] = {"color": COLORS[k], "marker": MARKERS[k], "linestyle": ""}
        mine = codes == k
        ax.plot(
            *plane.points[mine & ~is_kept].T, markersize=0.55 * size, alpha=0.45, markeredgewidth=0, zorder=2, **style
        )
        bold: dict[str, Any] = {"markeredgecolor": "black", "markeredgewidth": 0.9, "markersize": size}
        ax.plot(*plane.points[mine & is_kept].T, zorder=3, label=_style.shown(word(label)), **bold, **style)
    if is_kept.all():
        return
    ring: dict[str, Any] = {"marker": "o", "linestyle": "", "label": "dropped"}
    if 2 * is_kept.sum() > len(is_kept):  # few are dropped: they are what there is to see
        style = {
            "markerfacecolor": "none",
            "markeredgecolor": _style.INK,
            "markeredgewidth": 0.8,
            "markersize": size + 1,
        }
        ax.plot(*plane.points[~is_kept].T, zorder=4, **style, **ring)
    else:
        ax.plot([], [], color=_style.GRAY, alpha=0.6, markersize=0.55 * size, **ring)


def _write_legend(ax: "Axes", title: str, is_new_figure: bool) -> None:
    heading = None if title == "y" else plain(title)
    if is_new_figure:
        ax.legend(title=heading, loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False)
    else:
        ax.legend(title=heading, framealpha=0.8)
