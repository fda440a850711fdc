"""Words right of the ends of lines, moved apart where they would meet."""

from typing import TYPE_CHECKING

import numpy as np

from pellucid.base.types import Floats
from pellucid.plotting import _style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# From one label to the next above it, in points.
ROW = 1.3 * _style.SMALL


def write_beside(ax: "Axes", heights: list[float], texts: list[str], colors: list[str], x: float) -> None:
    """Labels outside of the frame, each tied to the point (x, height) in data coordinates where its line ends."""
    ax.set_ylim(*ax.get_ylim())  # as they are now: places are shares of what is seen
    ends = np.array([ax.transLimits.transform(ax.transScale.transform((x, height)))[1] for height in heights])
    min_distance = ROW / 72 / (ax.get_window_extent().height / ax.figure.dpi)
    positions = apart(ends, min_distance)
    for end, position, height, text, color in zip(ends, positions, heights, texts, colors, strict=True):
        moved = abs(end - position) > 0.01
        line = {"arrowstyle": "-", "color": color, "linewidth": 0.7, "shrinkA": 1, "shrinkB": 1, "relpos": (0, 0.5)}
        ax.annotate(
            text,
            (x, height),
            xytext=(1.05 if moved else 1.02, position),
            textcoords="axes fraction",
            va="center",
            color=color,
            fontsize=_style.SMALL - 1,
            arrowprops=line if moved else None,
            annotation_clip=False,
        )


def apart(positions: Floats, min_distance: float) -> Floats:
    """The same order with at least ``min_distance`` between neighbors, each as near as can be to where it was.

    Neighbors that meet are put around the mean of their places, and so on with what these meet then.

    >>> apart(np.array([0.0, 0.0, 1.0]), 0.2)
    array([-0.1,  0.1,  1. ])
    """
    order = np.argsort(positions, kind="stable")
    groups: list[tuple[float, int]] = []  # middle of a group, and how many are in it
    for position in positions[order]:
        groups.append((float(position), 1))
        while len(groups) > 1:
            (first, n), (second, m) = groups[-2:]
            if first + min_distance * (n + m) / 2 <= second + 1e-12:
                break
            groups[-2:] = [((n * first + m * second) / (n + m), n + m)]
    adjusted = np.empty(len(positions))
    spots = [middle + min_distance * (k - (n - 1) / 2) for middle, n in groups for k in range(n)]
    adjusted[order] = spots
    return adjusted
