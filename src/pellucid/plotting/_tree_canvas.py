"""Draws the scene of a tree on matplotlib Axes: one unit of the axes is one point at the size it was made for."""

from typing import TYPE_CHECKING, Any

from pellucid.base.colors import MARK, mixed
from pellucid.plotting import _style
from pellucid.tree._cards import Box, Card, Strip, Text
from pellucid.tree._scene import Edge, Scene

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FADED = 0.35
POINTS = 72.0  # an inch


def tree_axes(scene: Scene) -> "Axes":
    """Axes that fill a new figure of the scene's size."""
    from matplotlib import pyplot

    figure = pyplot.figure(figsize=(scene.width / POINTS, scene.height / POINTS))
    return figure.add_axes((0, 0, 1, 1))


def draw_scene(ax: "Axes", scene: Scene, title: str = "") -> None:
    """Everything on the Axes, larger or smaller as they are; letters keep their share of it."""
    ax.set(xlim=(0, scene.width), ylim=(scene.height, 0), aspect="equal")
    ax.set_axis_off()
    extent = ax.get_window_extent()
    dpi = ax.figure.dpi
    scale = min(extent.width / scene.width, extent.height / scene.height) * POINTS / dpi
    for strip in scene.swatches:
        _strip(ax, strip, 0, 0, {"zorder": 3})
    for word in scene.words:
        _text(ax, word, 0, 0, scale, {"zorder": 4})
    for edge in scene.edges:
        _edge(ax, edge, scale)
    for card in scene.cards:
        _card(ax, card, scale)
    if title:
        ax.set_title(title, fontsize=_style.TITLE)


def _edge(ax: "Axes", edge: Edge, scale: float) -> None:
    color, wide, order = (MARK, 2.6, 1.5) if edge.marked else (_style.GRAY, 1.0, 1)
    x, y = zip(*edge.points, strict=True)
    style: dict[str, Any] = {"solid_joinstyle": "miter", "solid_capstyle": "butt"}
    ax.plot(x, y, color=_pale(color, edge.faded), linewidth=wide * scale, zorder=order, **style)
    back = {"facecolor": "white", "edgecolor": "none", "pad": 1.2 * scale}
    _text(ax, edge.label, 0, 0, scale, {"zorder": 2, "bbox": back, "color": _pale(edge.label.color, edge.faded)})


def _pale(color: str, faded: bool) -> str:
    """Paler, and not let through: lines lie on each other where they leave a node."""
    return mixed(color, FADED) if faded else color


def _card(ax: "Axes", card: Card, scale: float) -> None:
    from matplotlib.patches import FancyBboxPatch

    alpha = FADED if card.faded else 1.0
    color, wide = (MARK, 2.6) if card.marked else (card.edge, 1.0)
    style: dict[str, Any] = {
        "boxstyle": "round,pad=0,rounding_size=3",
        "linestyle": (0, (4, 3)) if card.dashed else "-",
    }
    paint: dict[str, Any] = {"facecolor": card.fill, "edgecolor": color, "linewidth": wide * scale, "alpha": alpha}
    patch = FancyBboxPatch(
        (card.x, card.y), card.width, card.height, zorder=3, gid=f"node {card.node}", **style, **paint
    )
    ax.add_patch(patch)
    for text in card.texts:
        _text(ax, text, card.x, card.y, scale, {"zorder": 5, "alpha": alpha})
    if card.strip is not None:
        _strip(ax, card.strip, card.x, card.y, {"zorder": 4, "alpha": alpha})
    if card.box is not None:
        _box(ax, card.box, card.x, card.y, scale, alpha)


def _text(ax: "Axes", text: Text, x: float, y: float, scale: float, more: dict[str, Any]) -> None:
    style: dict[str, Any] = {"ha": "center" if text.middle else "left", "va": "center_baseline", "color": text.color}
    weight = "bold" if text.bold else "normal"
    style |= {"fontsize": text.size * scale, "fontweight": weight, "parse_math": False, **more}
    ax.text(x + text.x, y + text.y, text.text, **style)


def _strip(ax: "Axes", strip: Strip, x: float, y: float, style: dict[str, Any]) -> None:
    from matplotlib.patches import Rectangle

    at = x + strip.x
    for share, color in strip.parts:
        wide = share * strip.width
        ax.add_patch(Rectangle((at, y + strip.y), wide, strip.height, facecolor=color, edgecolor="none", **style))
        at += wide


def _box(ax: "Axes", box: Box, x: float, y: float, scale: float, alpha: float) -> None:
    from matplotlib.patches import Rectangle

    middle, low, high = y + box.y + box.height / 2, y + box.y + 1, y + box.y + box.height - 1
    at = [x + box.x + share * box.width for share in box.figures]
    line: dict[str, Any] = {"color": _style.INK, "linewidth": scale, "alpha": alpha, "zorder": 4}
    ax.plot([at[0], at[4]], [middle, middle], **line)
    paint: dict[str, Any] = {"facecolor": "white", "edgecolor": _style.INK, "linewidth": scale, "alpha": alpha}
    ax.add_patch(Rectangle((at[1], low), max(at[3] - at[1], 0.5), high - low, zorder=4.1, **paint))
    ax.plot([at[2], at[2]], [low, high], **(line | {"linewidth": 2 * scale, "zorder": 4.2, "solid_capstyle": "butt"}))
    dots: dict[str, Any] = {"linestyle": "", "marker": "o", "alpha": alpha, "markeredgewidth": 0, "zorder": 4.3}
    beyond = [x + box.x + share * box.width for share in box.beyond]
    ax.plot(beyond, [middle] * len(beyond), color=_style.INK, markersize=2.4 * scale, **dots)
    ax.plot([x + box.x + box.mean * box.width], [middle], color=_style.VERMILION, markersize=4.4 * scale, **dots)
