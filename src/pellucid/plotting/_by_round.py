"""Curves over the rounds of boosting: rows fitted and rows held out, the best round, and rounds that were given up."""

from typing import TYPE_CHECKING, Any

import numpy as np

from pellucid.base.errors import count
from pellucid.base.types import Floats
from pellucid.plotting import _style
from pellucid.plotting._style import number, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Curves this many times apart are drawn on a logarithmic axis.
DECADES = 100.0
# Rounds up to which each has its marker.
MOST_MARKED = 40


def draw_curves(ax: "Axes", train: Floats, test: Floats | None, score: str | None = None) -> "Axes":
    """One line for the rows fitted and one for those held out; the Axes of the latter.

    score : what the numbers of rows held out are called, where they are of another kind and have an axis of their own
    """
    from matplotlib.ticker import MaxNLocator

    _style.tidy(ax)
    rounds = np.arange(1, len(train) + 1)
    style: dict[str, Any] = {"markersize": 4 if len(train) <= MOST_MARKED else 0}
    ax.plot(rounds, train, color=_style.BLUE, linestyle="--", marker="o", label="rows fitted", **style)
    ax.set(xlabel="round")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    if test is None:
        return ax
    beside = ax if score is None else second_axis(ax, score)
    legend_text = "rows held out" if score is None else f"rows held out: {plain(score)} (right)"
    beside.plot(rounds, test, color=_style.VERMILION, marker="s", label=legend_text, **style)
    return beside


def second_axis(ax: "Axes", score: str) -> "Axes":
    """An axis on the right for numbers of another kind, in the color of their line."""
    beside = ax.twinx()
    beside.set_ylabel(plain(score), color=_style.VERMILION)
    beside.spines[["top", "left", "bottom"]].set_visible(False)
    beside.spines["right"].set(visible=True, color=_style.GRAY)
    return beside


def room_for(curves: list[Floats]) -> tuple[float, float]:
    """The ends of an axis with some space below and above."""
    values = np.concatenate(curves)
    values = values[np.isfinite(values)]
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
    margin = 0.08 * (high - low) or 0.1 * abs(low) or 0.1
    return low - margin, high + margin


def frame_losses(ax: "Axes", curves: list[Floats]) -> None:
    """A logarithmic axis where losses are far apart."""
    values = np.concatenate(curves)
    values = values[np.isfinite(values)]
    if len(values) and values.min() > 0 and values.max() > DECADES * values.min():
        ax.set_yscale("log")
        ax.set_ylim(float(values.min()) / 1.3, float(values.max()) * 1.3)
    else:
        ax.set_ylim(*room_for(curves))


def mark_best(ax: "Axes", at: int, value: float) -> None:
    """A ring around the best round, and a line down to its number."""
    ring: dict[str, Any] = {"markerfacecolor": "none", "markeredgecolor": _style.GREEN, "markeredgewidth": 2.2}
    legend_text = f"best: round {at}, {number(value)}"
    ax.plot([at], [value], marker="o", markersize=11, linestyle="", zorder=5, label=legend_text, **ring)
    ax.vlines(at, ax.get_ylim()[0], value, color=_style.GREEN, linestyle=":", linewidth=1.4)


def shade_given_up(ax: "Axes", n_kept: int, n_grown: int) -> None:
    """The rounds that were grown and given up again."""
    if n_kept < n_grown:
        legend_text = f"given up: {count(n_grown - n_kept, 'round')}"
        ax.axvspan(n_kept + 0.5, n_grown + 0.5, color=_style.FAINT, alpha=0.7, linewidth=0, zorder=0, label=legend_text)
        ax.set_xlim(right=n_grown + 0.5)


def legend_above(ax: "Axes", *more: "Axes", columns: int = 2) -> None:
    """One legend for Axes that lie on each other, above the frame, where it hides nothing."""
    both = [axes.get_legend_handles_labels() for axes in (ax, *more)]
    handles = [handle for items, _ in both for handle in items]
    labels = [label for _, items in both for label in items]
    legend_style: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0, 1), "ncols": columns}
    ax.legend(handles, labels, frameon=False, **legend_style)
