"""What a drawn node holds: its texts, its bar of classes or its box plot, its colors, and what it says when asked."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from pellucid.base.colors import BLUE, GRAY, INK, class_color, mixed
from pellucid.base.errors import count
from pellucid.base.types import Floats
from pellucid.models.tree.nodes import SHARE, STOP, NodeTest
from pellucid.tree._lettering import clean, listed, shortened, width
from pellucid.tree._reading import Counted, Reading

TITLE, NOTE = 9.0, 7.5  # sizes of letters, in points
LINE = 1.3  # of a line, in sizes of its letters
PAD = 6.0
STRIP, BOX = (46.0, 6.0), (84.0, 13.0)  # least width, and height, of a bar and of a box plot
# How much of a class's color its leaf has: where it is no likelier than chance, where it is certain.
LEAST, MOST = 0.10, 0.42


@dataclass(frozen=True)
class Look:
    """What is to be seen of a tree, and which way it grows."""

    horizontal: bool = False
    rows: bool = True
    impurity: bool = False
    node_ids: bool = False
    bars: bool = True
    missing: bool = False
    length: int = 24


@dataclass(frozen=True)
class Text:
    """A line of text; x is its start or its middle, y its middle."""

    x: float
    y: float
    text: str
    size: float
    bold: bool = False
    color: str = INK
    middle: bool = True


@dataclass(frozen=True)
class Strip:
    """A bar of classes: parts are shares of its width, with their colors."""

    x: float
    y: float
    width: float
    height: float
    parts: tuple[tuple[float, str], ...]


@dataclass(frozen=True)
class Box:
    """A box plot; its figures are shares of the width, which is the range of all targets.

    figures : lower whisker, lower quartile, median, upper quartile, upper whisker
    """

    x: float
    y: float
    width: float
    height: float
    figures: tuple[float, float, float, float, float]
    mean: float
    beyond: tuple[float, ...]


@dataclass(frozen=True)
class Card:
    """A drawn node. Its parts are measured from its upper left corner, which stands at (x, y)."""

    node: int
    width: float
    height: float
    texts: tuple[Text, ...]
    strip: Strip | None = None
    box: Box | None = None
    fill: str = "#FFFFFF"
    edge: str = GRAY
    dashed: bool = False
    tip: str = ""
    marked: bool = False
    faded: bool = False
    x: float = 0.0
    y: float = 0.0


@dataclass(frozen=True)
class Subject:
    """The tree that is drawn, with what was found out about it.

    counted : rows of a table instead of those of `fit`; passed : nodes of one row's way, or none; row : its values
    marks : nodes to be marked; hidden : nodes below each node that is cut off; low, high : range of the targets
    """

    reading: Reading
    look: Look
    counted: Counted | None = None
    passed: frozenset[int] = frozenset()
    row: tuple[str, ...] = ()
    marks: frozenset[int] = frozenset()
    hidden: dict[int, int] = field(default_factory=dict)
    low: float = 0.0
    high: float = 0.0

    @property
    def fitted(self) -> bool:
        """Are the rows those that `fit` saw?"""
        return self.counted is None

    def n_rows(self, node: int) -> int:
        """Rows at a node."""
        return int(self.reading.nodes.n_rows[node] if self.counted is None else self.counted.rows[node])

    def weights(self, node: int) -> Floats:
        """Weight of each class at a node."""
        values = self.reading.values if self.counted is None or self.counted.values is None else self.counted.values
        return np.asarray(values[node])

    def is_end(self, node: int) -> bool:
        """Is it drawn as a leaf?"""
        return node in self.hidden or not self.reading.nodes.n_children[node]


def card_of(subject: Subject, node: int) -> Card:
    """A node as it is drawn, at no place yet."""
    options, texts = subject.look, _texts(subject, node)
    strip = _parts(subject, node) if options.bars else None
    box = _figures(subject, node) if options.bars and subject.is_end(node) else None
    beside = options.horizontal and subject.is_end(node)
    card = (_beside if beside else _stacked)(node, *texts, strip, box)
    fill, edge = _colors(subject, node)
    marked = node in subject.marks or node in subject.passed
    faded = bool(subject.passed) and node not in subject.passed
    dashed = node in subject.hidden
    return replace(card, fill=fill, edge=edge, dashed=dashed, tip=tip_of(subject, node), marked=marked, faded=faded)


# -------------------------------------------------------------------------------------------------------------- texts


def _texts(subject: Subject, node: int) -> tuple[str, list[str]]:
    """The title of a node, and the lines below it."""
    reading, options = subject.reading, subject.look
    notes = []
    if subject.is_end(node):
        title = shortened(reading.answer(node), options.length)
        notes.append(", ".join(filter(None, [f"#{node}" if options.node_ids else "", _rows(subject, node)])))
    else:
        feature = int(reading.nodes.feature[node])
        title = shortened(reading.words.names[feature], options.length)
        if node in subject.passed and subject.row:
            title += f" = {shortened(subject.row[feature], options.length)}"
        rows = count(subject.n_rows(node), "row") if options.rows else ""
        notes.append(", ".join(filter(None, [f"#{node}" if options.node_ids else "", rows])))
    if options.impurity:
        notes.append(f"{reading.measure} {reading.nodes.impurity[node]:.3g}")
    if node in subject.hidden:
        notes.append(f"… {count(subject.hidden[node], 'more node')}")
    return title, [note for note in notes if note]


def _rows(subject: Subject, node: int) -> str:
    """How many rows, and how many of them are as the leaf says."""
    reading, n = subject.reading, subject.n_rows(node)
    if not subject.look.rows:
        return ""
    if reading.classes is None:
        spread = _spread(subject, node)
        return count(n, "row") + (f", ± {spread}" if spread else "")
    weights, mine = subject.weights(node), int(reading.answers[node])
    total = float(weights.sum())
    if not subject.fitted:
        n_correct = round(float(weights[mine]))
        labels = [f"{n_correct} right" if n_correct else "", f"{n - n_correct} wrong" if n > n_correct else ""]
        return ", ".join(filter(None, labels)) or "no rows"
    if total <= 0 or weights[mine] >= total:
        return count(n, "row")
    if are_counts(weights, n):
        return f"{round(float(weights[mine])):,} of {n:,}"
    return f"{_percent(float(weights[mine]) / total)} of {count(n, 'row')}"


def are_counts(weights: Floats, n_rows: int) -> bool:
    """Are weights numbers of rows, but for rounding?"""
    rounded = np.round(weights)
    return bool(rounded.sum() == n_rows and np.abs(weights - rounded).max() <= 1e-9 * max(n_rows, 1))


def _percent(share: float) -> str:
    text = f"{100 * share:.3g}"
    return "> 99.9 %" if text == "100" and share < 1 else f"{text} %"


def _spread(subject: Subject, node: int) -> str:
    """The standard deviation, where the impurity is a variance and no box plot tells more."""
    nodes = subject.reading.nodes
    if (
        not subject.fitted
        or subject.reading.measure not in ("squared error", "friedman mse")
        or nodes.value.shape[1] > 1
    ):
        return ""
    spread = float(np.sqrt(max(float(nodes.impurity[node]), 0.0)))
    return f"{float(f'{spread:.3g}'):,.12g}" if spread > 0 else ""  # without a power of ten


def tip_of(subject: Subject, node: int) -> str:
    """All about a node, a line each."""
    reading, nodes = subject.reading, subject.reading.nodes
    lines = [f"node {node}"]
    if nodes.n_children[node]:
        lines.append(f"asks: {clean(reading.words.names[int(nodes.feature[node])])}")
    lines.append(f"answer: {clean(reading.answer(node))}")
    lines.append(count(subject.n_rows(node), "row"))
    if subject.fitted and nodes.weight[node] != nodes.n_rows[node]:
        lines.append(f"weight {nodes.weight[node]:.6g}")
    if reading.classes is not None:
        lines += [f"{clean(n)}: {w:.6g}" for n, w in zip(reading.classes, subject.weights(node), strict=True)]
    lines.append(f"{reading.measure}: {nodes.impurity[node]:.6g}")
    if nodes.n_children[node]:
        lines.append(f"a missing value goes {_missing(reading, node)}")
    return "\n".join(lines)


def _missing(reading: Reading, node: int) -> str:
    branch = int(reading.nodes.missing_child[node])
    if branch == SHARE:
        return "down every branch, in proportion to their weights"
    if branch == STOP:
        return "nowhere: this node answers"
    if reading.words.is_missing_alone(reading.nodes, node, branch):
        return "down a branch of its own"
    return f"with {clean(reading.words.condition(reading.nodes, node, branch))}"


def label_of(subject: Subject, node: int) -> tuple[str, str]:
    """The answer that leads to a node, short and in full."""
    words, nodes, length = subject.reading.words, subject.reading.nodes, subject.look.length
    parent, branch = int(nodes.parent[node]), nodes.branch(node)
    missing, test = nodes.missing_child[parent] == branch, NodeTest(int(nodes.test[parent]))
    full = words.condition(nodes, parent, branch)
    if words.is_rest(nodes, parent, branch):
        short = f"not {listed(words.members(nodes, parent, 0), length)}"
    elif test in (NodeTest.SUBSET, NodeTest.CATEGORIES):
        unknown = ["missing"] if words.says_missing(nodes, parent, branch) else []
        short = listed(words.members(nodes, parent, branch) + unknown, length)
    else:
        short = words.answer(nodes, parent, branch).replace("<=", "≤").replace(">=", "≥")
    if missing and not words.says_missing(nodes, parent, branch):
        full += ", or missing"
        short += " or missing" if subject.look.missing else ""
    return clean(short), full


# ------------------------------------------------------------------------------------------------------------ colors


def _colors(subject: Subject, node: int) -> tuple[str, str]:
    """Fill and border."""
    reading = subject.reading
    if not subject.is_end(node):
        return "#FFFFFF", GRAY
    if reading.classes is None:
        fraction = _place(subject, float(reading.values[node]))
        return mixed(BLUE, LEAST + (MOST - LEAST) * min(max(fraction, 0.0), 1.0)), mixed(BLUE, 0.8)
    weights, mine = reading.values[node], int(reading.answers[node])
    total, baseline = float(weights.sum()), 1 / max(len(weights), 2)
    sure = float(weights[mine]) / total if total > 0 else baseline
    strength = LEAST + (MOST - LEAST) * max((sure - baseline) / (1 - baseline), 0.0)
    return mixed(class_color(mine), strength), class_color(mine)


def _place(subject: Subject, value: float) -> float:
    """A target as a share of the range of all."""
    span = subject.high - subject.low
    return (value - subject.low) / span if 0 < span < np.inf else 0.5


# --------------------------------------------------------------------------------------------------- bars, box plots


def _parts(subject: Subject, node: int) -> tuple[tuple[float, str], ...] | None:
    if subject.reading.classes is None:
        return None
    weights = subject.weights(node)
    total = float(weights.sum())
    if not 0 < total < np.inf:
        return None
    return tuple((float(w) / total, class_color(k)) for k, w in enumerate(weights.tolist()) if w > 0)


def _figures(subject: Subject, node: int) -> Box | None:
    """Quartiles; whiskers to the last rows within one and a half box lengths; the rows beyond them, and the mean."""
    if subject.counted is None or subject.reading.classes is not None:
        return None
    leaf_targets = [subject.counted.targets[end] for end in _ends(subject, node) if end in subject.counted.targets]
    if not leaf_targets:
        return None
    targets = np.sort(np.concatenate(leaf_targets))
    low, middle, high = np.quantile(targets, [0.25, 0.5, 0.75])
    reach = 1.5 * (high - low)
    inside = targets[(targets >= low - reach) & (targets <= high + reach)]
    outside = np.unique(targets[(targets < low - reach) | (targets > high + reach)])
    figures = [_place(subject, float(v)) for v in (inside[0], low, middle, high, inside[-1])]
    beyond = tuple(_place(subject, float(v)) for v in outside)
    a, b, c, d, e = figures
    return Box(0.0, 0.0, *BOX, (a, b, c, d, e), _place(subject, float(targets.mean())), beyond)


def _ends(subject: Subject, node: int) -> list[int]:
    """Nodes in which rows that pass a node can end."""
    reachable, nodes = [node], subject.reading.nodes
    for at in reachable:  # grows while it is read
        reachable.extend(nodes.children(at))
    return reachable


# -------------------------------------------------------------------------------------------------------------- cards


def _stacked(
    node: int, title: str, notes: list[str], segments: tuple[tuple[float, str], ...] | None, box: Box | None
) -> Card:
    """Lines below each other, the bar or the box plot at the bottom."""
    inner = max([width(title, TITLE, bold=True), *(width(note, NOTE) for note in notes)])
    inner = max(inner, STRIP[0] if segments else 0, BOX[0] if box else 0, 24.0)
    texts, y = [Text(PAD + inner / 2, PAD - 2 + LINE * TITLE / 2, title, TITLE, bold=True)], PAD - 2 + LINE * TITLE
    for note in notes:
        texts.append(Text(PAD + inner / 2, y + LINE * NOTE / 2, note, NOTE))
        y += LINE * NOTE
    strip = None
    if segments:
        strip = Strip(PAD, y + 3, inner, STRIP[1], segments)
        y += 3 + STRIP[1]
    if box is not None:
        box = replace(box, x=PAD, y=y + 3, width=inner)
        y += 3 + BOX[1]
    return Card(node, inner + 2 * PAD, y + PAD - 1, tuple(texts), strip, box)


def _beside(
    node: int, title: str, notes: list[str], segments: tuple[tuple[float, str], ...] | None, box: Box | None
) -> Card:
    """One line: the title, the notes, the bar or the box plot."""
    height = 17.0
    texts, x = [Text(PAD, height / 2, title, TITLE, bold=True, middle=False)], PAD + width(title, TITLE, bold=True)
    for note in notes:
        texts.append(Text(x + 7, height / 2, note, NOTE, middle=False))
        x += 7 + width(note, NOTE)
    strip = None
    if segments:
        strip = Strip(x + 7, (height - STRIP[1]) / 2, *STRIP, segments)
        x += 7 + STRIP[0]
    if box is not None:
        box = replace(box, x=x + 7, y=(height - BOX[1]) / 2)
        x += 7 + BOX[0]
    return Card(node, x + PAD, height, tuple(texts), strip, box)
