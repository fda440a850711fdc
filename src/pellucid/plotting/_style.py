"""The look that all plots share: colors, line kinds, axes, and numbers as text.

The colors are from Okabe and Ito's set (`pellucid.base.colors`), which readers with any of the common kinds of color
blindness can tell apart; where two things must be told apart, their marker or line kind differs too.
"""

import math
from typing import TYPE_CHECKING, Any, TypeAlias

from pellucid.base import colors

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Axes3D: TypeAlias = Any
"""``mpl_toolkits.mplot3d.Axes3D``, which carries no types."""

BLUE = colors.BLUE
GREEN = colors.GREEN
VERMILION = colors.VERMILION
SKY = colors.SKY
INK = colors.INK
GRAY = colors.GRAY
FAINT = "#E3E3E3"
LIGHT = "#BFE0F5"
PALE = "#EAF5FC"

# Lines that can be told apart in a figure, by color and by kind.
COLORS = [BLUE, VERMILION, GREEN, INK, SKY, GRAY]
LINES: list[Any] = ["-", "--", "-.", ":", (0, (8, 2, 1, 2, 1, 2)), (0, (10, 3))]
MARKERS = ["o", "s", "^", "D", "v", "P"]

SIZE = (7.0, 4.6)
TITLE = 11.0
SMALL = 10.0

MINUS = "\N{MINUS SIGN}"
TIMES = "\N{MULTIPLICATION SIGN}"
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def axes() -> "Axes":
    """A new figure's Axes. It is pyplot's, so that a notebook shows it; a caller's own ``ax`` never comes this way."""
    from matplotlib import pyplot

    return pyplot.subplots(figsize=SIZE, layout="constrained")[1]


def axes_3d(slope_x: float, slope_y: float) -> Axes3D:
    """A new figure's 3-D Axes, seen from where a surface with these slopes rises away and shows the reader its face."""
    from matplotlib import pyplot

    ax: Any = pyplot.figure(figsize=(SIZE[0], 5.6), layout="constrained").add_subplot(projection="3d")
    ax.set_box_aspect(None, zoom=1.08)
    ax.locator_params(nbins=6)
    ax.zaxis.labelpad = 8
    ax.view_init(elev=18, azim=math.degrees(math.atan2(-math.copysign(0.87, slope_y), -math.copysign(0.5, slope_x))))
    return ax


def tidy(ax: "Axes") -> None:
    """A light grid behind the data, and no box around it."""
    ax.set_axisbelow(True)
    ax.grid(True, color=FAINT, linewidth=0.8)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(GRAY)
    ax.tick_params(color=GRAY)


def legend(ax: "Axes") -> None:
    """A legend where there is most room, without a frame, whose white would hide points."""
    ax.legend(frameon=False)


def marker_size(n_points: int) -> float:
    """In points; smaller in a crowd."""
    return 6.0 if n_points <= 60 else 3.5


def number(value: float, like: float | None = None) -> str:
    """``value`` to about three figures, scaled as ``like`` is, so that the terms of one sum are written alike.

    >>> number(0.8), number(5780.83), number(0.00828), number(-1e-17, like=0.8)
    ('0.80', '5781', '0.00828', '0.00')
    """
    size = abs(value if like is None else like)
    exponent = math.floor(math.log10(size)) if size > 0 and math.isfinite(size) else 0
    if not -4 < exponent < 5:
        text = f"{value / 10.0**exponent:z.2f}{TIMES}10{str(exponent).translate(RAISED)}"
    elif exponent > 2:
        text = f"{value:z.0f}"
    else:
        text = f"{value:z.{2 - exponent if exponent < -1 else 2}f}"
    return text.replace("-", MINUS)


def place(value: float, width: float) -> str:
    """``value`` as a place on an axis of this width: with more figures than `number` has where they are needed.

    >>> place(4.268, 8), place(1.51623, 0.02), place(100_000_001.5, 6)
    ('4.27', '1.5162', '100000001.50')
    """
    if not (value and 0 < width < math.inf):
        return number(value)
    magnitude, fine = (math.floor(math.log10(abs(size))) for size in (value, width))
    if magnitude - fine < 2 or not -12 < fine < 5:
        return number(value)
    return f"{value:z.{max(2 - fine, 0)}f}".replace("-", MINUS)


def lanes(positions: list[float], width: float) -> list[int]:
    """Lines of text, 0 the topmost, in which labels right of these ascending places of an axis do not meet.

    >>> lanes([1.0, 1.2, 5.0], width=8)
    [0, 1, 0]
    """
    ends: list[float] = []
    assigned = []
    for at in positions:
        lane = next((k for k, end in enumerate(ends) if at >= end), len(ends))
        ends[lane : lane + 1] = [at + 0.17 * width]
        assigned.append(lane)
    return assigned


def plain(name: str) -> str:
    """A column's name, safe from being read as mathematics."""
    return name.replace("$", r"\$")


def shown(label: str) -> str:
    """A label for a legend, which would leave out one that begins with an underscore."""
    return f" {label}" if label.startswith("_") else label


def share(ax: "Axes", inches: float) -> float:
    """How far the x axis must grow, as a share of what it holds, to gain a margin of so many inches."""
    fraction = min(inches / (ax.get_window_extent().width / ax.figure.dpi), 0.5)
    return fraction / (1 - fraction)


def looks(n_lines: int) -> list[tuple[str, Any, str]]:
    """Color, line kind and marker of each of several lines. After six the colors come again with other line kinds."""
    indices = [(k % 6, (k + k // 6) % 6) for k in range(n_lines)]
    return [(COLORS[color], LINES[line], MARKERS[line]) for color, line in indices]
