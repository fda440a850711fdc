"""A picture of a small table beside the tree that was grown from it: each row in the color of its leaf."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pellucid.base.colors import MARK
from pellucid.base.errors import ParameterError, count, format_message, short_repr
from pellucid.base.types import Array
from pellucid.data.kinds import is_missing
from pellucid.data.table import Table, read_table
from pellucid.data.target import read_target
from pellucid.plotting import _style
from pellucid.plotting._read import name_of
from pellucid.plotting._tree_canvas import POINTS, draw_scene
from pellucid.tree._cards import Look
from pellucid.tree._lettering import shortened, width
from pellucid.tree._reading import Reading, end_nodes, read_tree, row_numbers, table_numbers
from pellucid.tree._scene import Scene, make_scene

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

__all__ = ["tree_and_table"]

SIZE, LINE, GAP = 8.5, 15.0, 14.0  # letters, a line, room between columns: in points
LENGTH = 18  # characters of a cell


def tree_and_table(
    tree: Any,
    X: Any,
    y: Any,
    *,
    row: Any = None,
    max_rows: int = 20,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | bool | None = None,
    max_depth: int | None = None,
) -> "NDArray[np.object_]":
    """Draw a small table beside its tree: each row has the color of the leaf it comes to, and the leaf's number.

    With ``row`` the table has one more line, and the tree shows its way; a row that is not in X has no known answer.

    Parameters
    ----------
    tree : fitted decision tree
    X, y : table and target
    row : a row, optional
        A list of values, a mapping from names, a table of one row, or a position in X.
    max_rows : int, default=20
        Rows of the table that are drawn; how many more there are is told.
    feature_names, class_names, max_depth : as in `tree_diagram`

    Returns
    -------
    array of two matplotlib Axes, of the table and of the tree

    Examples
    --------
    >>> from pellucid.tree import DecisionTreeClassifier
    >>> X, y = [[1.0], [2.0], [3.0]], ["low", "low", "high"]
    >>> table, tree = tree_and_table(DecisionTreeClassifier().fit(X, y), X, y, row=[2.2])
    >>> [text.get_text() for text in table.texts][-3:]
    ['2.2', '?', '#1']
    """
    who = "tree_and_table"
    if isinstance(max_rows, bool) or not isinstance(max_rows, int | np.integer) or max_rows < 1:
        raise ParameterError(
            format_message(who, "max_rows must be a whole number of at least 1", actual=f"got {short_repr(max_rows)}")
        )
    reading = read_tree(who, tree, feature_names, class_names)
    options = Look(node_ids=True)
    scene = make_scene(reading, X=X, y=y, row=row, max_depth=max_depth, orientation="vertical", look=options)
    table = read_table(X, who)
    ends = _drawn(scene, reading, end_nodes(reading.nodes, table_numbers(reading, X)))
    n_shown = min(table.n_rows, int(max_rows))
    cells = _cells(reading, table, _first_target(y, who), name_of(y), ends, n_shown)
    if row is not None:
        values, words = row_numbers(reading, row, X)
        end = int(_drawn(scene, reading, end_nodes(reading.nodes, values[None, :]))[0])
        is_index = isinstance(row, int | np.integer) and not isinstance(row, bool)
        label = shortened(_word(reading, _first_target(y, who)[row]), LENGTH) if is_index else "?"
        cells.append([*(shortened(word, LENGTH) for word in words), label, f"#{end}"])
        ends = np.append(ends[:n_shown], end)
    more = table.n_rows - n_shown
    return _drawing(scene, cells, ends, f"… {count(more, 'more row')}" if more else "", row is not None)


def _drawn(scene: Scene, reading: Reading, ends: Array) -> Array:
    """The drawn node at or above each end."""
    there = {card.node for card in scene.cards}
    visible = {}
    for end in np.unique(ends).tolist():
        node = end
        while node not in there:
            node = int(reading.nodes.parent[node])
        visible[end] = node
    return np.array([visible[end] for end in ends.tolist()])


def _first_target(y: Any, who: str) -> list[Any]:
    target = read_target(y, who)
    return list(target.reshape(len(target), -1)[:, 0].tolist())


def _cells(reading: Reading, table: Table, y: list[Any], name: str, ends: Array, n_shown: int) -> list[list[str]]:
    """The head of the table, and its lines."""
    columns = [table.column(j)[:n_shown].tolist() for j in range(table.n_cols)] + [y[:n_shown]]
    texts = [[shortened(_word(reading, value), LENGTH) for value in column] for column in columns]
    head = [shortened(column, LENGTH) for column in [*reading.words.names, name]] + ["leaf"]
    return [head, *([*cells, f"#{end}"] for *cells, end in zip(*texts, ends[:n_shown].tolist(), strict=True))]


def _word(reading: Reading, value: Any) -> str:
    if is_missing(value):
        return "missing"
    return reading.words.number(value) if isinstance(value, float) else str(value)


def _drawing(scene: Scene, cells: list[list[str]], ends: Array, more: str, has_query: bool) -> "NDArray[np.object_]":
    from matplotlib import pyplot

    wide = [max(width(text, SIZE, bold=True) for text in column) + GAP for column in zip(*cells, strict=True)]
    lines = len(cells) + bool(more)
    table_size = sum(wide) + 2 * GAP, LINE * lines + 2 * GAP
    total_size = table_size[0] + scene.width, max(table_size[1], scene.height)
    figure = pyplot.figure(figsize=(total_size[0] / POINTS, total_size[1] / POINTS))
    axes = []
    for left, size in ((0.0, table_size), (table_size[0], (scene.width, scene.height))):
        share = left / total_size[0], 1 - size[1] / total_size[1], size[0] / total_size[0], size[1] / total_size[1]
        axes.append(figure.add_axes(share))
    colors = {card.node: card.fill for card in scene.cards}
    _draw_table(axes[0], table_size, cells, wide, [colors[end] for end in ends.tolist()], more, has_query)
    draw_scene(axes[1], scene)
    return np.array(axes, dtype=object)


def _draw_table(
    ax: "Axes",
    size: tuple[float, float],
    cells: list[list[str]],
    wide: list[float],
    colors: list[str],
    more: str,
    has_query: bool,
) -> None:
    from matplotlib.patches import Rectangle

    ax.set(xlim=(0, size[0]), ylim=(size[1], 0))
    ax.set_axis_off()
    starts = GAP + np.cumsum([0.0, *wide])
    y = GAP
    for k, line in enumerate(cells):
        last = has_query and k == len(cells) - 1
        if more and k == len(cells) - 1 - has_query + 1:
            ax.text(starts[0] + 5, y + LINE / 2, more, fontsize=SIZE, va="center", color=_style.INK)
            y += LINE
        if k:
            style: dict[str, Any] = {"edgecolor": MARK if last else "white", "linewidth": 2.2 if last else 1}
            color = colors[k - 1]
            ax.add_patch(Rectangle((starts[0], y), sum(wide), LINE, facecolor=color, zorder=3 if last else 1, **style))
        for x, text in zip(starts.tolist(), line, strict=False):
            weight = "normal" if k else "bold"
            words: dict[str, Any] = {"fontsize": SIZE, "fontweight": weight, "va": "center", "parse_math": False}
            ax.text(x + 5, y + LINE / 2, text, color=_style.INK, zorder=4, **words)
        y += LINE
    if more and not has_query:
        ax.text(starts[0] + 5, y + LINE / 2, more, fontsize=SIZE, va="center", color=_style.INK)
