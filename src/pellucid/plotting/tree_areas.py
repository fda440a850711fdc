"""Pictures of what a tree answers over one or two columns: boxes in the plane, steps along a line.

The boxes are the tree's own, cut at its thresholds: no grid is asked.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from pellucid.base.colors import mixed
from pellucid.base.errors import DataError, count, format_message, short_repr
from pellucid.base.types import Floats
from pellucid.models.tree.nodes import NodeTest, TreeNodes
from pellucid.plotting import _style
from pellucid.plotting._plane import (
    COLORS,
    LEAST,
    MOST,
    Plane,
    classes_of,
    codes_of,
    draw_rows,
    labels_of,
    plane_of,
    table_of,
    ticks,
)
from pellucid.plotting._read import in_order, name_of, names_of, numbers
from pellucid.plotting._style import plain
from pellucid.tree._reading import Reading, check_drawable, read_tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["tree_regions", "tree_steps"]

MOST_NUMBERS = 20  # cuts that are numbered; more would hide the rows


@dataclass(frozen=True)
class Piece:
    """A part of the plane (or line) in which one leaf answers: (low, high) of each drawn column."""

    node: int
    ends: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Cut:
    """Where a node cuts the part that reaches it: across column ``axis`` of the drawn ones, at a number."""

    node: int
    axis: int
    at: float
    ends: tuple[tuple[float, float], ...]


def tree_regions(
    tree: Any,
    X: Any,
    y: Any,
    *,
    columns: Sequence[str] | Sequence[int] | None = None,
    max_depth: int | None = None,
    numbered: bool = True,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the boxes into which a tree cuts the plane of two columns, with the cuts in their order and the rows on top.

    Each leaf is a box in the color of its class, stronger the surer it is, or of its mean. Each test is a line across
    the box that reached it: the root's is the thickest and has number 1; those of the next level follow from left to
    right. A ring marks a row that is answered wrongly.

    Parameters
    ----------
    tree : fitted decision tree of numbers
    X : table of numbers
        The tree's columns; those of a frame are found by name.
    y : labels, at most ten different ones, or numbers for a tree of numbers
    columns : two names or numbers of columns, optional
        What to draw of a tree of more than two columns; the others are held at their medians.
    max_depth : int, optional
        Draw the tree as if it ended at this depth: how its answer comes about.
    numbered : bool, default=True
        Write the numbers of the cuts, if there are at most 20.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from pellucid.tree import DecisionTreeClassifier
    >>> X, y = [[0, 0], [0, 1], [3, 0], [3, 1]], ["a", "a", "b", "c"]
    >>> ax = tree_regions(DecisionTreeClassifier().fit(X, y), X, y)
    >>> [text.get_text() for text in ax.texts], len(ax.patches)
    (['1', '2'], 3)
    """
    who = "tree_regions"
    reading = _readable(who, tree, max_depth)
    wide = int(getattr(tree, "n_features_in_", 2))
    if wide < 2 or (wide > 2 and columns is None):
        hint = "tree_steps draws a tree of one column" if wide < 2 else "columns=(..., ...) says which two"
        raise DataError(format_message(who, "two columns can be drawn", actual=f"the tree has {wide}", hint=hint))
    plane = plane_of(who, [tree], X, columns)
    check_drawable(who, "X", plane.points)
    pair = [int(direction.argmax()) for direction in plane.directions]
    limits = [(float(t[0]), float(t[-1])) for t in (ticks(column, 2) for column in plane.points.T)]
    pieces, cuts = _pieces(reading, pair, limits, plane.origin, max_depth)
    is_new_figure = ax is None
    ax = _style.axes() if ax is None else ax
    if reading.classes is None:
        _number_areas(who, ax, reading, plane, y, pieces)
    else:
        _class_areas(who, ax, reading, tree, X, plane, y, pieces, is_new_figure=is_new_figure)
    _draw_cuts(ax, reading.nodes, cuts, numbered)
    labels = [plain(reading.words.names[j]) for j in pair]
    ax.set(xlim=limits[0], ylim=limits[1], xlabel=labels[0], ylabel=labels[1])
    ax.spines[:].set_color(_style.GRAY)
    ax.tick_params(color=_style.GRAY)
    ax.set_title(plane.note, fontsize=_style.TITLE)
    return ax


def tree_steps(
    tree: Any, X: Any, y: Any, *, column: str | int | None = None, target: int = 0, ax: "Axes | None" = None
) -> "Axes":
    """Draw a regression tree's answer along one column: a step for each leaf, over the rows.

    Parameters
    ----------
    tree : fitted regression tree
    X : table of numbers, the tree's columns
    y : numbers
    column : name or number of a column, optional
        Which one, for a tree of several; the others are held at their medians.
    target : int, default=0
        Which target, where there are several.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from pellucid.tree import DecisionTreeRegressor
    >>> X, y = [[1], [2], [3], [4]], [5.0, 7.0, 20.0, 22.0]
    >>> ax = tree_steps(DecisionTreeRegressor(max_depth=1).fit(X, y), X, y)
    >>> ax.get_lines()[0].get_ydata().tolist()  # the means of two and two rows
    [6.0, 6.0, 21.0, 21.0]
    """
    who = "tree_steps"
    reading = _readable(who, tree, None, target)
    if reading.classes is not None:
        hint = "tree_regions draws a tree of classes over two columns"
        raise DataError(format_message(who, "needs a regression tree", actual="got a tree of classes", hint=hint))
    values = numbers(who, "X", in_order(who, X, names_of(tree, X, int(getattr(tree, "n_features_in_", 1)))))
    values = values[:, None] if values.ndim == 1 else values
    goal = numbers(who, "y", y)
    goal = goal[:, target] if goal.ndim == 2 and goal.shape[1] > 1 else goal.ravel()
    if values.ndim != 2 or len(values) != len(goal) or not len(goal):
        raise DataError(
            format_message(
                who, "y must have one number for each row of X", actual=f"got {values.shape} and {goal.shape}"
            )
        )
    names = list(reading.words.names)
    j = _column(who, column, names, values.shape[1])
    check_drawable(who, "X", values)
    check_drawable(who, "y", goal)
    ends = ticks(values[:, j], 2)
    pieces, cuts = _pieces(reading, [j], [(float(ends[0]), float(ends[1]))], np.median(values, axis=0), None)
    pieces.sort(key=lambda piece: piece.ends[0][0])
    ax = _style.axes() if ax is None else ax
    _style.tidy(ax)
    x = [end for piece in pieces for end in piece.ends[0]]
    heights = [float(reading.values[piece.node]) for piece in pieces for _ in range(2)]
    ax.plot(x, heights, color=_style.VERMILION, linewidth=2.4, zorder=4, label=count(len(pieces), "step"))
    dots: dict[str, Any] = {"linestyle": "", "marker": "o", "markersize": _style.marker_size(len(goal))}
    ax.plot(values[:, j], goal, color=_style.BLUE, alpha=0.7, zorder=3, label="rows", markeredgewidth=0, **dots)
    for cut in cuts:
        ax.axvline(cut.at, color=_style.GRAY, linestyle=":", linewidth=1.0, zorder=1)
    ax.set(xlim=(ends[0], ends[1]), xlabel=plain(names[j]), ylabel=plain(name_of(y)))
    if values.shape[1] > 1:
        ax.set_title("other columns at their medians", fontsize=_style.TITLE)
    ax.legend(framealpha=0.85, edgecolor="none")
    return ax


# ------------------------------------------------------------------------------------------------------------- checks


def _readable(who: str, tree: Any, max_depth: Any, target: int = 0) -> Reading:
    reading = read_tree(who, tree, target=target)
    if max_depth is not None and (isinstance(max_depth, bool) or not isinstance(max_depth, int) or max_depth < 0):
        raise DataError(
            format_message(
                who, "max_depth must be None or a whole number from 0", actual=f"got {short_repr(max_depth)}"
            )
        )
    if isinstance(tree, TreeNodes):
        raise DataError(format_message(who, "needs a fitted decision tree", actual="got nodes without their columns"))
    return reading


def _column(who: str, column: Any, names: list[str], width: int) -> int:
    index_of: dict[Any, int] = {j: j for j in range(width)} | {name: j for j, name in enumerate(names)}
    if column is None and width == 1:
        return 0
    if column not in index_of:
        requirement = f"column must be one of the tree's columns ({', '.join(names[:10])})"
        raise DataError(format_message(who, requirement, actual=f"got {short_repr(column)}"))
    return index_of[column]


# ------------------------------------------------------------------------------------------------------------- pieces


def _pieces(
    reading: Reading, features: list[int], limits: list[tuple[float, float]], fixed: Floats, max_depth: int | None
) -> tuple[list[Piece], list[Cut]]:
    """The leaves' parts within limits, and the cuts, those of one level after those of the level above."""
    nodes, pieces, cuts = reading.nodes, [], []
    waiting = [(0, 0, tuple(limits))]
    for node, depth, ends in waiting:  # grows while it is read
        below = nodes.children(node)
        if not len(below) or (max_depth is not None and depth >= max_depth):
            pieces.append(Piece(node, ends))
            continue
        feature = int(nodes.feature[node])
        if feature not in features:
            waiting.append((below[_branch(nodes, node, float(fixed[feature]))], depth + 1, ends))
            continue
        axis = features.index(feature)
        inner = [float(at) for at in _cuts(reading, node) if ends[axis][0] < at < ends[axis][1]]
        cuts += [Cut(node, axis, at, ends) for at in inner]
        marks = [ends[axis][0], *inner, ends[axis][1]]
        for low, high in pairwise(marks):
            box = (*ends[:axis], (low, high), *ends[axis + 1 :])
            waiting.append((below[_branch(nodes, node, low + (high - low) / 2)], depth + 1, box))
    return pieces, cuts


def _cuts(reading: Reading, node: int) -> Floats:
    nodes, test = reading.nodes, NodeTest(int(reading.nodes.test[node]))
    if test in (NodeTest.AT_MOST, NodeTest.BELOW):
        return nodes.threshold[[node]]
    if test is NodeTest.INTERVALS:
        return nodes.cuts_of(node)
    name = reading.words.names[int(nodes.feature[node])]
    requirement = "the drawn columns must be numbers"
    raise DataError(
        format_message(
            reading.who,
            requirement,
            actual=f"the tree asks '{name}' for categories",
            hint="tree_diagram draws any tree",
        )
    )


def _branch(nodes: TreeNodes, node: int, x: float) -> int:
    """The branch of a number, or of a code."""
    test = NodeTest(int(nodes.test[node]))
    if test is NodeTest.AT_MOST:
        return int(x > nodes.threshold[node])
    if test is NodeTest.BELOW:
        return int(x >= nodes.threshold[node])
    if test is NodeTest.INTERVALS:
        return int(np.searchsorted(nodes.cuts_of(node), x, side="left"))
    branches = [k for k in range(int(nodes.n_children[node])) if round(x) in nodes.codes_of(node, k)]
    return branches[0] if branches else max(int(nodes.missing_child[node]), 0)


# ------------------------------------------------------------------------------------------------------------ drawing


def _class_areas(
    who: str,
    ax: "Axes",
    reading: Reading,
    tree: Any,
    X: Any,
    plane: Plane,
    y: Any,
    pieces: list[Piece],
    is_new_figure: bool,
) -> None:
    labels = labels_of(who, y, len(plane.table))
    classes = classes_of(who, {"": tree}, labels)
    class_codes = codes_of(who, tree.classes_, classes)
    baseline = 1 / max(len(class_codes), 2)
    for piece in pieces:
        weights, mine = reading.values[piece.node], int(reading.answers[piece.node])
        total = float(weights.sum())
        sure = float(weights[mine]) / total if total > 0 else baseline
        strength = LEAST + (MOST - LEAST) * max((sure - baseline) / (1 - baseline), 0.0)
        _fill(ax, piece, mixed(COLORS[class_codes[mine]], strength))
    wrong = codes_of(who, tree.predict(table_of(tree, X, plane, plane.table)), classes) != codes_of(
        who, labels, classes
    )
    draw_rows(who, ax, plane, labels, classes, wrong)
    heading = None if name_of(y) == "y" else plain(name_of(y))
    beside: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0), "frameon": False}
    ax.legend(title=heading, **(beside if is_new_figure else {"framealpha": 0.8}))


def _number_areas(who: str, ax: "Axes", reading: Reading, plane: Plane, y: Any, pieces: list[Piece]) -> None:
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    goal = numbers(who, "y", y).ravel()
    if len(goal) != len(plane.table):
        raise DataError(format_message(who, "y must have one number for each row of X", actual=f"got {len(goal)}"))
    check_drawable(who, "y", goal)
    means = reading.values[[piece.node for piece in pieces]]
    scale = Normalize(float(min(goal.min(), means.min())), float(max(goal.max(), means.max())))
    shades = colormaps["cividis"]
    for piece in pieces:
        _fill(ax, piece, (*shades(scale(float(reading.values[piece.node])))[:3], 0.75))
    size = _style.marker_size(len(goal)) ** 2
    edge: dict[str, Any] = {"edgecolors": "white", "linewidths": 0.7, "zorder": 3}
    ax.scatter(plane.points[:, 0], plane.points[:, 1], c=goal, cmap=shades, norm=scale, s=1.3 * size, **edge)
    ax.figure.colorbar(ScalarMappable(scale, shades), ax=ax, label=plain(name_of(y)))


def _fill(ax: "Axes", piece: Piece, color: Any) -> None:
    from matplotlib.patches import Rectangle

    (left, right), (low, high) = piece.ends
    ax.add_patch(Rectangle((left, low), right - left, high - low, facecolor=color, edgecolor="none", zorder=0))


def _draw_cuts(ax: "Axes", nodes: TreeNodes, cuts: list[Cut], numbered: bool) -> None:
    """Lines thinner with each level, and the number of each near its end, outwards in turn so that they do not meet."""
    depth = nodes.depth
    back: dict[str, Any] = {"boxstyle": "circle,pad=0.15", "facecolor": "white", "edgecolor": _style.GRAY}
    for k, cut in enumerate(cuts):
        low, high = cut.ends[1 - cut.axis]
        wide = max(3.0 - 0.5 * float(depth[cut.node]), 0.8)
        line = ([cut.at, cut.at], [low, high])
        ax.plot(*(line if cut.axis == 0 else line[::-1]), color=_style.INK, linewidth=wide, zorder=2)
        if numbered and len(cuts) <= MOST_NUMBERS:
            middle = low + (0.5, 0.38, 0.62, 0.26, 0.74)[k % 5] * (high - low)
            at = (cut.at, middle) if cut.axis == 0 else (middle, cut.at)
            ax.text(*at, str(k + 1), fontsize=8, ha="center", va="center", bbox=back, zorder=5)
