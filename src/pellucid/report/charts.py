"""Small drawings for the report as inline SVG: scales, axes, lettering. `charts_plots` draws with them.

A drawing is 360 units wide, which is a phone's width, and is enlarged on wider screens: its text never gets smaller
than it was set. It has no colors of its own: classes (``pc-s0``, ``pc-s1``, ...) take them from the page's style, so
that it follows a dark screen. Whatever can be pointed at is a group of class ``pc-mark`` with a ``<title>``: a browser
shows it on hovering, and the page's script in a line below, also for the keyboard.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise

from pellucid.report.page_text import cut, minus, visible
from pellucid.tree._lettering import width

WIDE = 360.0
SIZE = 11.0  # of letters
LINE = 14.0  # from line to line
GAP = 6.0
STYLES = 6  # of lines that can be told apart by color and dashes
SPOTS = 8  # of points that can be told apart by color and shape


def n(value: float) -> str:
    """A coordinate in few characters.

    >>> n(12.0), n(12.345), n(-0.01)
    ('12', '12.3', '0')
    """
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


# --------------------------------------------------------------------------------------------------------------- scales


@dataclass(frozen=True)
class Scale:
    """Takes numbers from ``low`` to ``high`` to places from ``start`` to ``end``."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        half = self.high / 2 - self.low / 2  # halves: the ends may lie further apart than a float can say
        share = (value / 2 - self.low / 2) / half if half > 0 else 0.5
        return self.start + (self.end - self.start) * min(max(share, -0.02), 1.02)


def spread(values: Iterable[float], pad: float = 0.04) -> tuple[float, float]:
    """The ends of an axis for these numbers: a little beyond the smallest and the largest.

    >>> spread([0.0, 10.0], 0.1), spread([5.0]), spread([])
    ((-1.0, 11.0), (4.5, 5.5), (0.0, 1.0))
    """
    finite = [float(value) for value in values if math.isfinite(value)]
    if not finite:
        return 0.0, 1.0
    low, high = min(finite), max(finite)
    if low == high:
        off = abs(low) / 10 or 0.5
        return low - off, high + off
    off = pad * high - pad * low
    ends = low - off, high + off
    return ends if all(map(math.isfinite, ends)) else (low, high)


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers from low to high, at most so many and one.

    >>> ticks(0, 1, 5), ticks(-3, 118, 4)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [0.0, 50.0, 100.0])
    """
    span = high - low
    if not (span > 0 and math.isfinite(span)) or span < 1e-12 * max(abs(low), abs(high)):
        return [low] if low == high else [low, high]
    raw = span / most
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= raw * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(f"{k * step:.12g}") for k in range(first, last + 1)]


def tick_texts(values: Sequence[float], plain: bool = False) -> list[str]:
    """The numbers of an axis, written alike; ``plain``: without separators, as years and other labels are.

    >>> tick_texts([0.0, 0.5, 1.0]), tick_texts([0.0, 200_000.0]), tick_texts([0.0, 2e-7])
    (['0.0', '0.5', '1.0'], ['0', '200k'], ['0', '2e−7'])
    >>> tick_texts([-1000.0, 0.0, 1000.0]), tick_texts([1e6, 1.5e6])
    (['−1,000', '0', '1,000'], ['1.0M', '1.5M'])
    >>> tick_texts([1990.0, 2000.0], plain=True)
    ['1990', '2000']
    """
    if plain:
        return [minus(f"{value:.12g}") for value in values]
    max_value = max((abs(value) for value in values), default=0.0)
    distances = [abs(b - a) for a, b in pairwise(values) if b != a]
    step = min(distances, default=max_value) or 1.0
    if max_value >= 1e15 or 0 < max_value < 1e-4:
        return [minus(f"{value:.3g}".replace("e-0", "e-").replace("e+", "e")) for value in values]
    unit, letter = next(
        (u, s) for u, s in ((1e12, "T"), (1e9, "bn"), (1e6, "M"), (1e5, "k"), (1, "")) if max_value >= u or u == 1
    )
    unit = 1e3 if letter == "k" else unit
    decimals = next((d for d in range(7) if abs(round(step / unit, d) - step / unit) < 1e-9 * step / unit), 6)
    written = [f"{value / unit:,.{decimals}f}" for value in values]
    return [minus(text if float(text.replace(",", "")) == 0 and letter else text + letter) for text in written]


# ------------------------------------------------------------------------------------------------------------ lettering


def shortened(text: str, room: float, size: float = SIZE) -> str:
    """Text that fits into so many units, cut inside where it must be: names that begin alike mostly end differently."""
    text = visible(text)
    if width(text, size) <= room:
        return text
    keep = max(3, min(len(text), int(room / size * 2.5)))
    while keep > 3:
        tail = 2 * keep // 5
        actual = text[: keep - tail].rstrip() + "…" + text[len(text) - tail :].lstrip()
        if width(actual, size) <= room:
            return actual
        keep -= 1
    return text[:2] + "…"


def wrapped(text: str, room: float, most: int = 2, size: float = SIZE) -> list[str]:
    """Text in at most so many lines of this width, broken at blanks and inside names; what is too long is cut.

    >>> wrapped("gradient boosted trees", 90), wrapped("other_payment_plans", 90)
    (['gradient', 'boosted trees'], ['other_payment_', 'plans'])
    """
    rows: list[str] = []
    # Words, and pieces of names such as first_second: the blank before a word belongs to it.
    pieces = re.findall(r"\s*[^\s_./-]*[_./-]+(?=[^\s_./-])|\s*\S+?(?=\s|$)", cut(text, 400)) or [""]
    for at, piece in enumerate(pieces):
        joined = rows[-1] + piece if rows else piece.strip()
        if rows and width(joined, size) <= room:
            rows[-1] = joined
        elif len(rows) < most:
            rows.append(shortened(piece.strip(), room, size))
        else:
            rows[-1] = shortened(rows[-1] + "".join(pieces[at:]), room, size)
            break
    return rows


def letters(text: str, x: float, y: float, kind: str = "", anchor: str = "start") -> str:
    """A line of text whose foot stands at (x, y)."""
    side = "" if anchor == "start" else f' text-anchor="{anchor}"'
    class_attribute = f' class="{kind}"' if kind else ""
    return f'<text x="{n(x)}" y="{n(y)}"{class_attribute}{side}>{escape(visible(text))}</text>'


def label_at(text: str, x: float, y: float, kind: str = "", left: float = 0.0, right: float = WIDE) -> str:
    """A line of text around x that is moved so that it stays within the drawing."""
    text = shortened(text, right - left)
    half = width(text, SIZE) / 2
    return letters(text, min(max(x, left + half), max(right - half, left + half)), y, kind, "middle")


def mark(tip: str, *parts: str, kind: str = "") -> str:
    """Something that can be pointed at."""
    return f'<g class="pc-mark{" " + kind if kind else ""}"><title>{escape(cut(tip, 300))}</title>{"".join(parts)}</g>'


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    """A straight line."""
    return f'<line class="{kind}" x1="{n(x1)}" y1="{n(y1)}" x2="{n(x2)}" y2="{n(y2)}"/>'


def rect(x: float, y: float, wide: float, high: float, kind: str) -> str:
    """A rectangle; one without width is still seen."""
    return f'<rect class="{kind}" x="{n(x)}" y="{n(y)}" width="{n(max(wide, 0.6))}" height="{n(max(high, 0.6))}"/>'


def circle(x: float, y: float, r: float, kind: str) -> str:
    """A circle."""
    return f'<circle class="{kind}" cx="{n(x)}" cy="{n(y)}" r="{n(r)}"/>'


# Outlines around (0, 0) of the points of all groups but the first, which has circles: not all readers see colors.
_OUTLINES = (
    "M-1-1H1V1H-1Z",
    "M0-1.3L1.2 0.9H-1.2Z",
    "M0-1.4L1.4 0L0 1.4L-1.4 0Z",
    "M0 1.3L1.2-0.9H-1.2Z",
    "M-1.3-0.4H-0.4V-1.3H0.4V-0.4H1.3V0.4H0.4V1.3H-0.4V0.4H-1.3Z",
    "M-1.2-0.6L-0.6-1.2L0-0.6L0.6-1.2L1.2-0.6L0.6 0L1.2 0.6L0.6 1.2L0 0.6L-0.6 1.2L-1.2 0.6L-0.6 0Z",
    "M0-1.4L0.4-0.4L1.4 0L0.4 0.4L0 1.4L-0.4 0.4L-1.4 0L-0.4-0.4Z",
)


def spot(x: float, y: float, style: int, r: float = 2.6) -> str:
    """A point of a group, whose color and shape tell which."""
    kind = f"pc-spot pc-f{style}"
    if style == 0:
        return circle(x, y, r, kind)
    return f'<path class="{kind}" transform="translate({n(x)} {n(y)}) scale({n(r)})" d="{_OUTLINES[style - 1]}"/>'


def drawing(name: str, title: str, about: str, height: float, parts: Iterable[str], wide: float = WIDE) -> str:
    """The whole SVG. ``name`` begins its ids; ``title`` and ``about`` are what a screen reader reads."""
    head = (
        f'<svg class="pc" viewBox="0 0 {n(wide)} {n(height)}" role="img" '
        f'aria-labelledby="{escape(name)}-title {escape(name)}-about">'
        f'<title id="{escape(name)}-title">{escape(cut(title, 200))}</title>'
        f'<desc id="{escape(name)}-about">{escape(cut(about, 600))}</desc>'
    )
    return head + "\n" + "\n".join(shape for shape in parts if shape) + "</svg>"


# ----------------------------------------------------------------------------------------------------------------- axes


@dataclass
class Plot:
    """A frame with two axes of numbers, and a legend above. ``x`` and ``y`` are its scales once it is made."""

    x_ends: tuple[float, float]
    y_ends: tuple[float, float]
    x_label: str = ""
    y_label: str = ""
    legend: Sequence[tuple[str, int]] = ()  # text and number of the style
    spots: bool = False  # the legend shows points, not lines
    tall: float = 190.0  # of the frame
    x_plain: bool = False  # the x axis shows labels such as years, without separators
    parts: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Finds how much room the lettering takes, and draws the axes."""
        y_values = ticks(*self.y_ends, 5)
        y_texts = tick_texts(y_values)
        left = max(12.0, GAP + max(width(text, SIZE) for text in y_texts))
        right = WIDE - 10
        y_rows = wrapped(self.y_label, WIDE) if self.y_label else []
        top = 4.0
        for text in y_rows:
            top += LINE
            self.parts.append(letters(text, 0, top - 3, "pc-label"))
        top = self._legend(top)
        self.top, self.bottom, self.left, self.right = top + 8, top + 8 + self.tall, left, right
        self.x = Scale(*self.x_ends, left, right)
        self.y = Scale(*self.y_ends, self.bottom, self.top)
        for value, text in zip(y_values, y_texts, strict=True):
            at = self.y(value)
            self.parts.append(line(left, at, right, at, "pc-grid"))
            self.parts.append(letters(text, left - GAP, at + 4, "pc-tick", "end"))
        self._x_axis()

    def _legend(self, top: float) -> float:
        """Samples and words in rows; gives where they end."""
        x, top = 0.0, top + (LINE if self.legend else 0)
        for text, style in self.legend:
            text = shortened(text, WIDE - 30)
            need = 24 + width(text, SIZE)
            if x > 0 and x + need > WIDE:
                x, top = 0.0, top + LINE
            sample = (
                spot(x + 9, top - 4, style, 3.6)
                if self.spots
                else line(x, top - 4, x + 18, top - 4, f"pc-line pc-s{style}")
            )
            self.parts.append(sample)
            self.parts.append(letters(text, x + 22, top, "pc-label"))
            x += need + 12
        return top + (2 if self.legend else 0)

    def _x_axis(self) -> None:
        for max_ticks in (6, 5, 4, 3, 2, 1):
            values = ticks(*self.x_ends, max_ticks)
            texts = tick_texts(values, self.x_plain)
            wide = max((width(text, SIZE) for text in texts), default=0)
            if len(values) < 2 or (self.x(values[1]) - self.x(values[0])) > wide + GAP:
                break
        self.parts.append(line(self.left, self.bottom, self.right, self.bottom, "pc-axis"))
        for value, text in zip(values, texts, strict=True):
            at = self.x(value)
            self.parts.append(line(at, self.bottom, at, self.bottom + 4, "pc-axis"))
            self.parts.append(label_at(text, at, self.bottom + 15, "pc-tick"))
        self.height = self.bottom + 18
        for text in wrapped(self.x_label, WIDE) if self.x_label else []:
            self.height += LINE
            self.parts.append(label_at(text, (self.left + self.right) / 2, self.height - 4, "pc-label"))

    def path(self, x: Sequence[float], y: Sequence[float], kind: str, step: bool = False) -> str:
        """A line through points; it breaks where one is missing."""
        written, down = [], False
        for a, b in zip(x, y, strict=True):
            if not (math.isfinite(a) and math.isfinite(b)):
                down = False
                continue
            px, py = n(self.x(a)), n(self.y(b))
            written.append(f"M{px} {py}" if not down else f"H{px}V{py}" if step else f"L{px} {py}")
            down = True
        return f'<path class="{kind}" d="{"".join(written)}"/>' if written else ""

    def band(self, x: Sequence[float], low: Sequence[float], high: Sequence[float], kind: str) -> str:
        """The area between two lines."""
        there = [(a, b, c) for a, b, c in zip(x, low, high, strict=True) if all(map(math.isfinite, (a, b, c)))]
        up = [f"{n(self.x(a))} {n(self.y(c))}" for a, _, c in there]
        down = [f"{n(self.x(a))} {n(self.y(b))}" for a, b, _ in reversed(there)]
        return f'<path class="{kind}" d="M{"L".join(up + down)}Z"/>' if len(there) > 1 else ""

    def svg(self, name: str, title: str, about: str) -> str:
        """The drawing."""
        return drawing(name, title, about, self.height, self.parts)
