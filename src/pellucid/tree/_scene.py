"""A tree as a drawing in points: cards for nodes, lines between them, a legend. Any renderer can draw it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pellucid.base.colors import class_color
from pellucid.base.errors import DataError, ParameterError, count, format_message, short_repr
from pellucid.base.types import Floats
from pellucid.models.tree.layout import centers
from pellucid.tree._cards import NOTE, PAD, Card, Look, Strip, Subject, Text, card_of, label_of
from pellucid.tree._lettering import clean, shortened, width
from pellucid.tree._reading import Reading, counted, row_numbers, walked

MARGIN, GAP = 10.0, 9.0  # around the drawing; between neighbors
STEM, LABEL = 9.0, 13.0  # from a node to where its lines part; height of a label
MOST_NODES = 2000  # that can be drawn
WIDEST = 1300.0  # that a tree growing downwards may be before one growing to the right is preferred


@dataclass(frozen=True)
class Edge:
    """A line from a parent to a node, with the answer that leads there."""

    node: int
    points: tuple[tuple[float, float], ...]
    label: Text
    tip: str
    marked: bool
    faded: bool


@dataclass(frozen=True)
class Scene:
    """Everything to be drawn; y grows downwards from the upper edge."""

    width: float
    height: float
    cards: tuple[Card, ...]
    edges: tuple[Edge, ...]
    swatches: tuple[Strip, ...]
    words: tuple[Text, ...]
    horizontal: bool


def make_scene(
    reading: Reading,
    *,
    X: Any = None,
    y: Any = None,
    target: int = 0,
    row: Any = None,
    max_depth: int | None = None,
    orientation: str = "auto",
    look: Look | None = None,
    marks: frozenset[int] = frozenset(),
) -> Scene:
    """Lays a tree out, cut below max_depth; orientation "auto" takes the way in which it takes less room."""
    who, look = reading.who, look or Look()
    _check(who, max_depth, orientation, look)
    if (X is None) != (y is None) and not (y is None and row is not None):
        raise DataError(
            format_message(who, "X and y go together", actual=f"got {'y without X' if X is None else 'X without y'}")
        )
    keep, hidden = _cut(reading, max_depth)
    subject = Subject(reading, look, marks=marks, hidden=hidden)
    if y is not None:
        subject = replace(subject, counted=counted(reading, X, y, target))
    if row is not None:
        values, words = row_numbers(reading, row, X)
        subject = replace(subject, passed=frozenset(walked(reading.nodes, values)), row=tuple(words))
    subject = _with_range(subject, keep)
    directions = {"vertical": [False], "horizontal": [True], "auto": [False, True]}[orientation]
    scenes = [_arranged(replace(subject, look=replace(look, horizontal=horizontal)), keep) for horizontal in directions]
    return min(scenes, key=_strain)


def _strain(scene: Scene) -> float:
    """How much room a drawing takes; growing downwards is what most expect, while it is not too wide."""
    area = scene.width * scene.height
    return area * 1.5 if scene.horizontal else area * max(1.0, scene.width / WIDEST) ** 2


def _check(who: str, max_depth: Any, orientation: Any, options: Look) -> None:
    if max_depth is not None and (isinstance(max_depth, bool) or not isinstance(max_depth, int) or max_depth < 0):
        raise ParameterError(
            format_message(
                who, "max_depth must be None or a whole number from 0", actual=f"got {short_repr(max_depth)}"
            )
        )
    if orientation not in ("auto", "vertical", "horizontal"):
        requirement = "orientation must be 'auto', 'vertical' or 'horizontal'"
        raise ParameterError(format_message(who, requirement, actual=f"got {short_repr(orientation)}"))
    if isinstance(options.length, bool) or not isinstance(options.length, int) or options.length < 8:
        raise ParameterError(
            format_message(who, "max_length must be a whole number from 8", actual=f"got {short_repr(options.length)}")
        )


def _cut(reading: Reading, max_depth: int | None) -> tuple[list[int], dict[int, int]]:
    """The nodes that are drawn, and how many are left out below each that is cut."""
    nodes, depth = reading.nodes, reading.nodes.depth
    deepest = int(depth.max()) if max_depth is None else max_depth
    keep = np.flatnonzero(depth <= deepest).tolist()
    if len(keep) > MOST_NODES:
        readable = max(int(np.searchsorted(np.cumsum(np.bincount(depth)), 200, side="right")) - 1, 0)
        requirement = f"at most {MOST_NODES:,} nodes can be drawn"
        actual = f"got {len(keep):,}"
        raise DataError(
            format_message(
                reading.who, requirement, actual=actual, hint=f"max_depth={readable} draws the upper part, legibly"
            )
        )
    below = np.zeros(len(nodes), dtype=np.int64)
    for node in range(len(nodes) - 1, 0, -1):
        below[nodes.parent[node]] += below[node] + 1
    return keep, {node: int(below[node]) for node in keep if depth[node] == deepest and below[node]}


def _with_range(subject: Subject, keep: list[int]) -> Subject:
    """With the range of the targets, over which numbers are colored and box plots drawn."""
    if subject.reading.classes is not None:
        return subject
    values = subject.reading.values[[node for node in keep if subject.is_end(node)]]
    if subject.counted is not None and subject.counted.targets:
        values = np.concatenate([values, *subject.counted.targets.values()])
    return replace(subject, low=float(values.min()), high=float(values.max()))


# -------------------------------------------------------------------------------------------------------- arrangement


def _arranged(subject: Subject, keep: list[int]) -> Scene:
    nodes, horizontal = subject.reading.nodes, subject.look.horizontal
    position_of = {node: k for k, node in enumerate(keep)}
    cards = [card_of(subject, node) for node in keep]
    level = nodes.depth[keep]
    cards = _aligned(cards, level.tolist()) if horizontal else cards
    labels = [label_of(subject, node) if node else ("", "") for node in keep]
    children = [[position_of[c] for c in nodes.children(node) if c in position_of] for node in keep]
    letters = np.array([width(label, NOTE) for label, _ in labels])
    wide, high = np.array([card.width for card in cards]), np.array([card.height for card in cards])
    along = wide if horizontal else high
    rooms = letters + 12 if horizontal else np.full(len(keep), LABEL)
    inner = np.array([bool(below) for below in children])
    starts, ends = _levels(level, np.where(inner, along, 0.0) if horizontal else along, rooms)
    sizes = high if horizontal else np.maximum(wide, letters + 4)
    # Leaves that grow to the right may reach below what stands on the levels behind them.
    last = np.minimum(np.searchsorted(ends, starts[level] + along), len(ends) - 1)
    spans = (np.maximum(last, level) - level + 1).tolist()
    across = centers(children, sizes, GAP - 3 if horizontal else GAP, spans if horizontal else None)
    swatches, words, top = _legend(subject, max(float((across + sizes / 2).max()), 320.0))
    x, y = (starts[level], across - high / 2) if horizontal else (across - wide / 2, starts[level])
    cards = [
        replace(card, x=MARGIN + a, y=MARGIN + top + b)
        for card, a, b in zip(cards, x.tolist(), y.tolist(), strict=True)
    ]
    shift = MARGIN if horizontal else MARGIN + top
    edges = []
    for k in range(1, len(keep)):
        parent, child_card = position_of[int(nodes.parent[keep[k]])], cards[k]
        turn = float(ends[level[parent]]) + STEM + shift
        edges.append(_edge(subject, cards[parent], child_card, turn, labels[k]))
    legend_end = max((word.x + width(word.text, word.size) for word in words), default=0.0)
    total_width = max(max(card.x + card.width for card in cards), legend_end) + MARGIN
    # A label may be wider than the node below it.
    total_width = max([total_width, *(e.label.x + width(e.label.text, NOTE) / 2 + MARGIN for e in edges)])
    tall = max(card.y + card.height for card in cards) + MARGIN
    return Scene(total_width, tall, tuple(cards), tuple(edges), swatches, words, horizontal)


def _aligned(cards: list[Card], level: list[int]) -> list[Card]:
    """The bars and box plots of each level below each other, where a reader compares them."""
    ends: dict[int, float] = {}
    for card, k in zip(cards, level, strict=True):
        if _at_end(card):
            ends[k] = max(ends.get(k, 0.0), card.width)
    aligned_cards = []
    for card, k in zip(cards, level, strict=True):
        more = ends[k] - card.width if _at_end(card) else 0.0
        strip = card.strip and replace(card.strip, x=card.strip.x + more)
        box = card.box and replace(card.box, x=card.box.x + more)
        aligned_cards.append(replace(card, width=card.width + more, strip=strip, box=box) if more else card)
    return aligned_cards


def _at_end(card: Card) -> bool:
    """Does a bar or a box plot stand behind the text of a card, and not below it?"""
    chart = card.strip or card.box
    return chart is not None and chart.x > PAD


def _levels(level: Any, along: Floats, rooms: Floats) -> tuple[Floats, Floats]:
    """Where each level starts, behind the one before and the answers that lead to it, and where it ends."""
    starts, ends = np.zeros(int(level.max()) + 1), np.zeros(int(level.max()) + 1)
    for k in range(len(starts)):
        starts[k] = ends[k - 1] + STEM + rooms[level == k].max() + 4 if k else 0.0
        ends[k] = starts[k] + along[level == k].max()
    return starts, ends


def _edge(subject: Subject, parent: Card, child_card: Card, turn: float, label: tuple[str, str]) -> Edge:
    """A line with one step: out of the parent, across, and into the node with the answer on its last part."""
    if subject.look.horizontal:
        start, end = (
            (parent.x + parent.width, parent.y + parent.height / 2),
            (child_card.x, child_card.y + child_card.height / 2),
        )
        points = (start, (turn, start[1]), (turn, end[1]), end)
        text = Text((turn + end[0]) / 2, end[1], label[0], NOTE)
    else:
        start, end = (
            (parent.x + parent.width / 2, parent.y + parent.height),
            (child_card.x + child_card.width / 2, child_card.y),
        )
        points = (start, (start[0], turn), (end[0], turn), end)
        text = Text(end[0], end[1] - 3 - LABEL / 2 + 1, label[0], NOTE)
    marked = child_card.node in subject.passed
    return Edge(child_card.node, points, text, label[1], marked, bool(subject.passed) and not marked)


def _legend(subject: Subject, max_width: float) -> tuple[tuple[Strip, ...], tuple[Text, ...], float]:
    """A swatch and a name for each class, in lines above the tree; the range of box plots; and the room they take."""
    reading = subject.reading
    if reading.classes is None:
        if subject.counted is None or not subject.look.bars:
            return (), (), 0.0
        low, high = reading.words.number(subject.low), reading.words.number(subject.high)
        caption = f"box plots from {low} to {high}; the dot is the mean"
        return (), (Text(MARGIN, MARGIN + 5, caption, NOTE, middle=False),), 18.0
    if len(reading.classes) > 20:
        return (), (Text(MARGIN, MARGIN + 5, count(len(reading.classes), "class"), NOTE, middle=False),), 18.0
    strips, words, x, y = [], [], MARGIN, MARGIN
    for k, name in enumerate(reading.classes):
        text = shortened(clean(name), subject.look.length)
        wide = 13 + width(text, NOTE + 1)
        if x > MARGIN and x + wide > max_width:
            x, y = MARGIN, y + 14
        strips.append(Strip(x, y, 9.0, 9.0, ((1.0, class_color(k)),)))
        words.append(Text(x + 13, y + 4.5, text, NOTE + 1, middle=False))
        x += wide + 14
    return tuple(strips), tuple(words), y - MARGIN + 22
