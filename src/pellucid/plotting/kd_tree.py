"""Pictures of a KD-tree: the plane with its cuts, the tree beside it, and the cells that a search looks into."""

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pellucid.base.errors import DataError, ParameterError, count, format_message
from pellucid.base.types import Floats
from pellucid.plotting import _style
from pellucid.plotting._style import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["kd_tree_cells"]

WHO = "kd_tree_cells"
MOST_ROWS = 200
MOST_NAMED = 40  # rows whose numbers are written


class Tree(Protocol):
    """A KD-tree of the textbooks' kind."""

    @property
    def data(self) -> Any: ...
    @property
    def textbook(self) -> Any: ...
    def column_names(self) -> list[str]: ...
    def branches(self, x: Any, k: int = 1) -> list[Any]: ...
    def query(self, X: Any, k: int = 1) -> Any: ...


def kd_tree_cells(tree: Tree, *, x: Any = None, k: int = 1, levels: bool = False) -> "NDArray[np.object_]":
    """Draw a KD-tree of two columns: the plane with its cuts, colored by level, and the tree beside it.

    With ``x``, the cells that a search for the k nearest rows of x looks into are tinted, in the tree as well, the rows
    found are ringed, and a circle shows how far the last of them is.

    Parameters
    ----------
    tree : KDTree with ``split="median"`` and two columns, at most 200 rows
    x : point to search for, optional
    k : how many neighbors to search for
    levels : one pair of pictures for each level, each with the cuts down to there

    Returns
    -------
    array of matplotlib Axes: plane and tree, or levels x 2

    Examples
    --------
    >>> from pellucid.neighbors import KDTree
    >>> axes = kd_tree_cells(KDTree([[1, 3], [4, 5], [7, 4], [8, 8]], leaf_size=1, split="median"), x=[5, 5])
    >>> axes[0].get_xlabel(), axes[0].get_title()
    ('x1', 'nearest to (5, 5): 2 of 4 leaves looked into')
    """
    from matplotlib import pyplot

    _check(tree)
    drawing = Drawing(tree, x, k)
    deepest = max(drawing.depths)
    cut_levels = list(range(1, deepest + 1)) if levels and deepest else [deepest]
    _, grid = pyplot.subplots(
        len(cut_levels),
        2,
        figsize=(9.6, 4.4 * len(cut_levels)),
        layout="constrained",
        width_ratios=(1, 1.15),
        squeeze=False,
    )
    for (plane, beside), level in zip(grid, cut_levels, strict=True):
        drawing.plane(plane, level)
        drawing.beside(beside, level)
        if levels:
            plane.set_title(f"{'first cut' if level == 1 else f'cuts of {level} levels'}", fontsize=_style.TITLE)
    return grid if levels else grid[0]


def _check(tree: Any) -> None:
    if not hasattr(tree, "textbook") and not hasattr(tree, "split"):
        raise ParameterError(format_message(WHO, "tree must be a KDTree", actual=f"got {type(tree).__name__}"))
    if tree.split != "median":
        hint = 'build it with KDTree(X, leaf_size=1, split="median")'
        raise ParameterError(
            format_message(WHO, "the tree must be the textbooks'", actual=f"got split={tree.split!r}", hint=hint)
        )
    if tree.metric.stretch is not None or tree.metric.turn is not None:
        raise ParameterError(
            format_message(WHO, "the tree's metric must leave the columns as they are", actual="this one weighs them")
        )
    rows, columns = tree.data.shape
    if columns != 2 or rows > MOST_ROWS:
        actual = f"got {count(columns, 'column')} and {count(rows, 'row')}"
        raise DataError(
            format_message(WHO, f"the tree must have two columns and at most {MOST_ROWS} rows", actual=actual)
        )


class Drawing:
    """What both pictures share."""

    def __init__(self, tree: Any, x: Any, k: int) -> None:
        self.tree, self.t, self.k = tree, tree.textbook, k
        self.points: Floats = np.asarray(tree.data, dtype=np.float64)
        self.names = [plain(name) for name in tree.column_names()]
        self.depths: list[int] = self.t.depths()
        low, high = self.points.min(axis=0), self.points.max(axis=0)
        self.x = None if x is None else np.asarray(x, dtype=np.float64).ravel()
        self.entered: set[int] = set()
        self.found: list[int] = []
        self.reach = 0.0
        if self.x is not None:
            self.entered = {b.node for b in tree.branches(self.x, k) if b.entered}
            distances, rows = tree.query(self.x[None], k=k)
            self.found, self.reach = rows[0].tolist(), float(distances[0, -1])
            low, high = np.minimum(low, self.x), np.maximum(high, self.x)
        margin = np.where(high > low, 0.08 * (high - low), 1.0)
        self.box = np.column_stack([low - margin, high + margin])  # columns x (low, high)

    def cell(self, node: int) -> Floats:
        """The box of a node."""
        box, at = self.box.copy(), 0
        while at != node:
            j, cut = int(self.t.axis[at]), float(self.t.threshold[at])
            left = self._holds(int(self.t.left[at]), node)
            box[j, 1 if left else 0] = cut
            at = int(self.t.left[at] if left else self.t.right[at])
        return box

    def _holds(self, above: int, node: int) -> bool:
        first, last = self.t.first[above], self.t.first[above] + self.t.size[above]
        return bool(first <= self.t.first[node] < last)

    def color(self, node: int) -> str:
        """Of the cut at a node, by its level."""
        return _style.COLORS[self.depths[node] % len(_style.COLORS)]

    def line(self, node: int) -> Any:
        return _style.LINES[self.depths[node] % len(_style.LINES)]

    # ------------------------------------------------------------------------------------------------------- plane

    def plane(self, ax: "Axes", level: int) -> None:
        """Points, cuts down to a level, and the cells that were looked into."""
        leaves = [n for n in range(len(self.t.axis)) if self.t.axis[n] < 0]
        for node in leaves:
            if node in self.entered:
                (x0, x1), (y0, y1) = self.cell(node)
                ax.fill_between([x0, x1], y0, y1, color=_style.PALE, linewidth=0, zorder=0)
        for node in range(len(self.t.axis)):
            if self.t.axis[node] >= 0 and self.depths[node] < level:
                box, cut = self.cell(node), float(self.t.threshold[node])
                across = [cut, cut], list(box[1])
                xs, ys = across if self.t.axis[node] == 0 else (list(box[0]), [cut, cut])
                ax.plot(xs, ys, color=self.color(node), linestyle=self.line(node), linewidth=1.8, zorder=2)
        size = _style.marker_size(len(self.points))
        ax.plot(*self.points.T, "o", color=_style.INK, markersize=size, linestyle="none", zorder=3)
        if len(self.points) <= MOST_NAMED:
            for row, point in enumerate(self.points):
                ax.annotate(
                    str(row + 1), point, xytext=(4, 4), textcoords="offset points", fontsize=8, color=_style.INK
                )
        self._query(ax, leaves)
        ax.set(xlim=self.box[0], ylim=self.box[1], xlabel=self.names[0], ylabel=self.names[1])
        ax.spines[["top", "right"]].set_visible(False)
        if self.x is not None and getattr(self.tree.metric, "kind", "") == "euclidean":
            ax.set_aspect("equal", adjustable="box")

    def _query(self, ax: "Axes", leaves: list[int]) -> None:
        if self.x is None:
            ax.set_title(f"{count(len(self.points), 'row')} in {count(len(leaves), 'cell')}", fontsize=_style.TITLE)
            return
        from matplotlib.patches import Circle

        near = self.points[self.found]
        ax.plot(*near.T, "o", markersize=13, markerfacecolor="none", markeredgecolor=_style.VERMILION,
                markeredgewidth=1.8, linestyle="none", zorder=4)  # fmt: skip
        ax.plot(*self.x, "*", color=_style.VERMILION, markersize=14, zorder=5)
        if getattr(self.tree.metric, "kind", "") == "euclidean":
            ring = Circle(
                (self.x[0], self.x[1]), self.reach, fill=False, color=_style.VERMILION, linestyle=":", zorder=4
            )
            ax.add_patch(ring)
        n_visited = sum(node in self.entered for node in leaves)
        coordinates = ", ".join(f"{value:g}" for value in self.x)
        whom = "nearest" if self.k == 1 else f"{self.k} nearest"
        heading = f"{whom} to ({coordinates}): {n_visited} of {count(len(leaves), 'leaf', 'leaves')} looked into"
        ax.set_title(heading, fontsize=_style.TITLE)

    # -------------------------------------------------------------------------------------------------------- tree

    def beside(self, ax: "Axes", level: int) -> None:
        """The tree down to a level: cuts in the colors of the plane, leaves with the numbers of their rows."""
        position: dict[int, float] = {}
        self._spread(0, level, position)
        for node, along in position.items():
            deep = -self.depths[node]
            if self.t.axis[node] >= 0 and self.depths[node] < level:
                for child in (int(self.t.left[node]), int(self.t.right[node])):
                    on = child in self.entered or self.x is None
                    ax.plot([along, position[child]], [deep, deep - 1], color=_style.GRAY if on else _style.FAINT,
                            linewidth=1.4, zorder=1)  # fmt: skip
            self._box(ax, node, along, deep, level)
        ax.set(xlim=(-0.8, max(position.values()) + 0.8), ylim=(-level - 0.6, 0.5))
        ax.axis("off")

    def _spread(self, node: int, level: int, position: dict[int, float]) -> float:
        """Places from left to right: the ends one by one, a cut amid what is below it."""
        if self.t.axis[node] < 0 or self.depths[node] >= level:
            ends = [along for leaf, along in position.items() if self.t.axis[leaf] < 0 or self.depths[leaf] >= level]
            position[node] = max(ends, default=-1.0) + 1.0
        else:
            sides = [self._spread(int(child[node]), level, position) for child in (self.t.left, self.t.right)]
            position[node] = sum(sides) / 2
        return position[node]

    def _box(self, ax: "Axes", node: int, along: float, deep: float, level: int) -> None:
        inner = self.t.axis[node] >= 0 and self.depths[node] < level
        rows = sorted(self.t.rows(node).tolist())
        if inner:
            text, color = f"{self.names[self.t.axis[node]]} < {self.t.threshold[node]:g}", self.color(node)
        else:
            text = ", ".join(str(row + 1) for row in rows[:4]) + (" ..." if len(rows) > 4 else "")
            color = _style.VERMILION if set(rows) & set(self.found) else _style.INK
        filled = _style.PALE if node in self.entered else "white"
        ax.text(along, deep, text, ha="center", va="center", fontsize=8 if len(self.points) <= MOST_NAMED else 6,
                color=color, rotation=0 if inner or len(text) < 3 or level <= 2 else 90, zorder=2,
                bbox={"boxstyle": "round,pad=0.3", "facecolor": filled, "edgecolor": color})  # fmt: skip
