"""Keeping a picture readable when one score is terrible: it is left outside the frame, and the picture says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pellucid.base.types import Floats
from pellucid.plotting import _style
from pellucid.plotting._style import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# A score this many times as far below the best as the median is stands outside.
FAR = 8.0


def lowest(scores: Floats, included: float | None = None) -> float | None:
    """Where the frame ends when some scores lie far below the others; None when none does. `included` stays inside."""
    finite = scores[np.isfinite(scores)]
    top, middle = float(finite.max()), float(np.median(finite))
    bound = top - FAR * (top - middle)
    if included is not None:
        bound = min(bound, top - 2 * (top - included))
    near = finite[finite >= bound]
    if top == middle or len(near) == len(finite):
        return None
    return float(near.min() - 0.15 * (top - near.min()))


def leave_out(ax: Axes, scores: Floats, axis: str, included: float | None = None) -> None:
    """Ends the frame below the scores that can be told apart, and says what lies outside."""
    low = lowest(scores, included)
    if low is None:
        return
    top = float(np.nanmax(scores))
    worst = float(np.nanmin(scores))
    (ax.set_ylim if axis == "y" else ax.set_xlim)(low, top + 0.15 * (top - low))
    where = "below" if axis == "y" else "left of"
    ax.annotate(
        f"{where} the frame: down to {number(worst)}",
        (0.01, 0.015),
        xycoords="axes fraction",
        color=_style.INK,
        fontsize=_style.SMALL - 1.5,
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1.5},
        zorder=6,
    )
