"""A tree as a stand-alone SVG picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal
from xml.sax.saxutils import escape

from pellucid.base.colors import GRAY, INK, MARK, VERMILION, mixed
from pellucid.tree._cards import Box, Card, Look, Strip, Text
from pellucid.tree._lettering import FONTS, clean, width
from pellucid.tree._reading import read_tree
from pellucid.tree._scene import Edge, Scene, make_scene

__all__ = ["export_svg"]

FADED = 0.35


class Drawing(str):
    """SVG text that a notebook shows as a picture."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)


def export_svg(
    tree: Any,
    X: Any = None,
    y: Any = None,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | bool | None = None,
    target: int = 0,
    row: Any = None,
    max_depth: int | None = None,
    orientation: Literal["auto", "vertical", "horizontal"] = "auto",
    rows: bool = True,
    impurity: bool = False,
    node_ids: bool = False,
    bars: bool = True,
    missing: bool = False,
    digits: int | None = None,
    max_length: int = 24,
) -> str:
    """Draw a decision tree as SVG: text for a file, a web page or a notebook, which shows it as a picture.

    The picture is that of `pellucid.plotting.tree_diagram`, and needs no matplotlib. Its text can be selected and
    searched; a node or an answer that the pointer rests on shows all its figures. Names of columns and categories are
    written as text, whatever they hold: the file contains no program and loads nothing.

    Parameters
    ----------
    tree : fitted decision tree, or its `TreeNodes`
    X, y : table and target, optional
        Rows to be counted at the nodes instead of those that `fit` saw: leaves tell how many they answer rightly, or
        show a box plot of the numbers.
    feature_names : names of the columns, optional
        Those of the table that `fit` saw otherwise, or x0, x1, ...
    class_names : names of the classes, in their order, optional
    target : int, default=0
        Which target, where there are several.
    row : a row, optional
        Its way is marked, and the rest of the tree is pale: a list of values, a mapping from names, a table of one row,
        or a position in X.
    max_depth : int, optional
        Nodes deeper than this are left out; where, and how many, is told.
    orientation : {"auto", "vertical", "horizontal"}, default="auto"
        The way it grows: downwards or to the right; "auto" takes what needs less room.
    rows, impurity, node_ids, bars : bool
        What nodes show: the number of rows, the impurity, their number, bars of classes (or box plots).
    missing : bool, default=False
        Tell on the branches which one a missing value takes.
    digits : int, optional
        Figures of a number; otherwise as many as tell the limits of each column apart, at least four.
    max_length : int, default=24
        Characters of a name or a set of categories before it is cut.

    Returns
    -------
    str

    Examples
    --------
    >>> import numpy as np
    >>> from pellucid.models.tree.nodes import TreeNodes
    >>> ints = lambda *values: np.array(values)
    >>> nodes = TreeNodes(
    ...     parent=ints(-1, 0, 0), first_child=ints(1, -1, -1), n_children=ints(2, 0, 0), feature=ints(0, -1, -1),
    ...     test=ints(1, 0, 0), missing_child=ints(0, 0, 0), threshold=np.array([2.5, np.nan, np.nan]),
    ...     n_rows=ints(4, 1, 3), weight=np.array([4.0, 1, 3]), impurity=np.array([0.375, 0, 0]),
    ...     value=np.array([[1.0, 3], [1, 0], [0, 3]]),
    ... )
    >>> picture = export_svg(nodes, feature_names=["a < b"], class_names=["no", "yes"])
    >>> picture[:4], "a &lt; b" in picture, "≤ 2.5" in picture
    ('<svg', True, True)
    """
    who = "export_svg"
    reading = read_tree(who, tree, feature_names, class_names, target, digits)
    look = Look(False, rows, impurity, node_ids, bars, missing, max_length)
    scene = make_scene(
        reading, X=X, y=y, target=target, row=row, max_depth=max_depth, orientation=orientation, look=look
    )
    title = f"decision tree of {len(reading.nodes)} nodes"
    return Drawing(_svg(scene, title))


def _svg(scene: Scene, title: str) -> str:
    size = (
        f'width="{scene.width:.0f}pt" height="{scene.height:.0f}pt" viewBox="0 0 {scene.width:.1f} {scene.height:.1f}"'
    )
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{FONTS}" role="img">',
        f"<title>{_safe(title)}</title>",
        '<rect width="100%" height="100%" fill="#FFFFFF"/>',
    ]
    lines += [_strip(strip, 0, 0) for strip in scene.swatches] + [_text(word, 0, 0) for word in scene.words]
    # Marked lines last: where lines share a stem, the mark is on top.
    edges = sorted(scene.edges, key=lambda edge: edge.marked)
    lines += [_line(edge) for edge in edges] + [_label(edge) for edge in edges]
    lines += [_card(card) for card in scene.cards]
    return "\n".join([*lines, "</svg>", ""])


def _safe(text: str) -> str:
    return "&#10;".join(escape(clean(line), {'"': "&quot;"}) for line in text.split("\n"))


def _line(edge: Edge) -> str:
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in edge.points)
    # Paler and not let through: lines lie on each other where they leave a node.
    color, wide = (MARK, 2.6) if edge.marked else (mixed(GRAY, FADED if edge.faded else 1.0), 1)
    return f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="{wide}"/>'


def _label(edge: Edge) -> str:
    label, wide = edge.label, width(edge.label.text, edge.label.size)
    back = f'x="{label.x - wide / 2 - 2:.1f}" y="{label.y - 5.5:.1f}" width="{wide + 4:.1f}" height="11"'
    opacity = f' opacity="{FADED}"' if edge.faded else ""
    return f'<g><title>{_safe(edge.tip)}</title><rect {back} fill="#FFFFFF"/><g{opacity}>{_text(label, 0, 0)}</g></g>'


def _card(card: Card) -> str:
    opacity = f' opacity="{FADED}"' if card.faded else ""
    color, wide = (MARK, 2.6) if card.marked else (card.edge, 1)
    dashes = ' stroke-dasharray="4 3"' if card.dashed else ""
    frame = f'x="{card.x:.1f}" y="{card.y:.1f}" width="{card.width:.1f}" height="{card.height:.1f}" rx="3"'
    elements = [f'<rect {frame} fill="{card.fill}" stroke="{color}" stroke-width="{wide}"{dashes}/>']
    elements += [_text(text, card.x, card.y) for text in card.texts]
    if card.strip is not None:
        elements.append(_strip(card.strip, card.x, card.y))
    if card.box is not None:
        elements.append(_box(card.box, card.x, card.y))
    return f"<g{opacity}><title>{_safe(card.tip)}</title>{''.join(elements)}</g>"


def _text(text: Text, x: float, y: float) -> str:
    anchor = ' text-anchor="middle"' if text.middle else ""
    weight = ' font-weight="bold"' if text.bold else ""
    position = f'x="{x + text.x:.1f}" y="{y + text.y + 0.36 * text.size:.1f}"'
    return f'<text {position} font-size="{text.size:g}" fill="{text.color}"{anchor}{weight}>{_safe(text.text)}</text>'


def _strip(strip: Strip, x: float, y: float) -> str:
    elements, at = [], x + strip.x
    for share, color in strip.parts:
        wide = share * strip.width
        position = f'x="{at:.2f}" y="{y + strip.y:.1f}" width="{wide:.2f}" height="{strip.height:.1f}"'
        elements.append(f'<rect {position} fill="{color}"/>')
        at += wide
    return "".join(elements)


def _box(box: Box, x: float, y: float) -> str:
    middle, low, high = y + box.y + box.height / 2, y + box.y + 1, y + box.y + box.height - 1
    at = [x + box.x + share * box.width for share in box.figures]
    stroke = f'stroke="{INK}" stroke-width="1"'
    elements = [
        f'<path d="M{at[0]:.1f} {middle:.1f}H{at[1]:.1f}M{at[3]:.1f} {middle:.1f}H{at[4]:.1f}" {stroke}/>',
        f'<rect x="{at[1]:.1f}" y="{low:.1f}" width="{max(at[3] - at[1], 0.5):.1f}" height="{high - low:.1f}" '
        f'fill="#FFFFFF" {stroke}/>',
        f'<path d="M{at[2]:.1f} {low:.1f}V{high:.1f}" stroke="{INK}" stroke-width="2"/>',
    ]
    dots = [(share, 1.2, INK) for share in box.beyond] + [(box.mean, 2.2, VERMILION)]
    elements += [
        f'<circle cx="{x + box.x + share * box.width:.1f}" cy="{middle:.1f}" r="{size}" fill="{color}"/>'
        for share, size, color in dots
    ]
    return "".join(elements)
