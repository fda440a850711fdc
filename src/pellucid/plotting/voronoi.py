"""Pictures of Voronoi cells: the part of the plane that is nearest to each point, and the cell of a query."""

from typing import TYPE_CHECKING, Any

import numpy as np

from pellucid.base.errors import DataError, count, format_message
from pellucid.base.types import Floats
from pellucid.neighbors import VoronoiCells
from pellucid.plotting import _style
from pellucid.plotting._plane import COLORS, FLAT, MARKERS, classes_of, codes_of, labels_of, word
from pellucid.plotting._read import name_of
from pellucid.plotting._style import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["voronoi_cells"]

WHO = "voronoi_cells"
MOST_POINTS = 5000
MOST_NAMED = 30  # points whose numbers are written


def voronoi_cells(
    X: Any, y: Any = None, *, x: Any = None, names: bool | None = None, ax: "Axes | None" = None
) -> "Axes":
    """Draw the Voronoi cells of points, colored by their classes: what a rule by one neighbor predicts.

    Between cells of one class the border is thin; where the class changes, it is the rule's boundary and drawn bold.
    With ``x``, the cell that it lies in is hatched, and a line leads to the point of that cell, the nearest one.

    Parameters
    ----------
    X : VoronoiCells, or a table of two columns, at most 5000 points
    y : labels of the points, optional; at most ten different ones
    x : a query, two numbers, optional
    names : bool, optional
        Write the numbers of the points, counted from 1? Otherwise for up to 30 points.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> ax = voronoi_cells([[1, 1], [3, 1], [2, 4]], ["red", "blue", "red"], x=[2, 3])
    >>> ax.get_title()
    'nearest to (2, 3): point 3, red'
    """
    from matplotlib.collections import LineCollection, PolyCollection

    cells = X if isinstance(X, VoronoiCells) else VoronoiCells(X)
    if len(cells.points) > MOST_POINTS:
        raise DataError(
            format_message(WHO, f"at most {MOST_POINTS} points can be drawn", actual=f"got {len(cells.points)}")
        )
    labels = None if y is None else labels_of(WHO, y, len(cells.points))
    classes = [] if labels is None else classes_of(WHO, {}, labels)
    codes = None if labels is None else codes_of(WHO, labels, classes)
    is_new_figure = ax is None
    ax = _style.axes() if ax is None else ax
    polygons = [i for i, corners in enumerate(cells.cells) if len(corners) > 2]
    pale = [_pale(COLORS[codes[i]]) if codes is not None else "white" for i in polygons]
    edge: dict[str, Any] = {"edgecolors": _style.GRAY, "linewidths": 0.7, "zorder": 1}
    ax.add_collection(PolyCollection([cells.cells[i] for i in polygons], facecolors=pale, **edge))
    if codes is not None:
        bold = 1.8 if len(polygons) <= 150 else 1.1
        ax.add_collection(LineCollection(_borders(cells, codes), colors=_style.INK, linewidths=bold, zorder=2))
    _draw_points(ax, cells, codes, classes, names)
    title = _draw_query(ax, cells, labels, x)
    ax.set_title(title, fontsize=_style.TITLE)
    across, up = (plain(name) for name in cells.column_names())
    ax.set(xlim=cells.box[0], ylim=cells.box[1], xlabel=across, ylabel=up)
    sides = np.diff(cells.box, axis=1).ravel()
    if sides.max() <= 5 * sides.min():  # where they are much longer one way, right angles cost too much room
        ax.set_aspect("equal", adjustable="box")
    ax.spines[:].set_color(_style.GRAY)
    ax.tick_params(color=_style.GRAY)
    if codes is not None:
        heading = None if name_of(y) == "y" else plain(name_of(y))
        location: dict[str, Any] = (
            {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0), "frameon": False} if is_new_figure else {}
        )
        ax.legend(title=heading, **location)
    return ax


def _pale(color: str) -> tuple[float, ...]:
    from matplotlib.colors import to_rgb

    return tuple(1 - FLAT * (1 - channel) for channel in to_rgb(color))


def _borders(cells: VoronoiCells, codes: Any) -> list[Floats]:
    """Edges between cells of different classes."""
    edges = []
    for i, corners in enumerate(cells.cells):
        neighbors = [j for j in cells.neighbors[i].tolist() if j > i and codes[j] != codes[i]]
        if not neighbors:
            continue
        ends = np.stack([corners, np.roll(corners, -1, axis=0)], axis=1)
        middles = ends.mean(axis=1)
        for j in neighbors:
            # The edge that both share lies on the line amid the two points: its middle is equally far from both.
            off = np.abs(np.hypot(*(middles - cells.points[i]).T) - np.hypot(*(middles - cells.points[j]).T))
            edges.append(ends[int(off.argmin())])
    return edges


def _draw_points(ax: "Axes", cells: VoronoiCells, codes: Any, classes: list[Any], names: bool | None) -> None:
    size = _style.marker_size(len(cells.points)) if len(cells.points) <= 500 else 2.0
    if codes is None:
        ax.plot(*cells.points.T, "o", color=_style.INK, markersize=size, linestyle="none", zorder=3)
    for k, label in enumerate(classes):
        style: dict[str, Any] = {"color": COLORS[k], "marker": MARKERS[k], "markersize": size, "linestyle": ""}
        edge: dict[str, Any] = {"markeredgecolor": "white", "markeredgewidth": 0.5}
        ax.plot(*cells.points[codes == k].T, zorder=3, label=_style.shown(word(label)), **style, **edge)
    if names is None:
        names = len(cells.points) <= MOST_NAMED
    for row, point in enumerate(cells.points if names else []):
        if cells.same_as[row] == row:
            text = ", ".join(str(i + 1) for i in np.flatnonzero(cells.same_as == row))
            ax.annotate(text, point, xytext=(4, 4), textcoords="offset points", fontsize=8, color=_style.INK)


def _draw_query(ax: "Axes", cells: VoronoiCells, labels: Any, x: Any) -> str:
    """The query, its cell and its point; what is to be said about them."""
    from matplotlib.patches import Polygon

    if x is None:
        return f"{count(len(cells.points), 'point')}, each with what is nearest to it"
    query = np.asarray(x, dtype=np.float64).ravel()
    row = int(cells.find(_as_table(cells, query))[0])
    style: dict[str, Any] = {"fill": False, "hatch": "//", "edgecolor": _style.INK, "linewidth": 1.6, "zorder": 2}
    if len(cells.cells[row]) > 2:
        ax.add_patch(Polygon(cells.cells[row], **style))
    ax.plot(*np.array([query, cells.points[row]]).T, color="black", linewidth=1.6, zorder=4)
    ax.plot(*query, "*", color="black", markeredgecolor="white", markersize=16, zorder=5)
    coordinates = ", ".join(f"{value:g}" for value in query)
    label_text = "" if labels is None else f", {word(labels.tolist()[row])}"
    return f"nearest to ({coordinates}): point {row + 1}{label_text}"


def _as_table(cells: VoronoiCells, query: Floats) -> Any:
    if query.shape != (2,) or not np.isfinite(query).all():
        raise DataError(format_message(WHO, "x must be two numbers", actual=f"got {query.tolist()}"))
    return query[None]
