"""Pictures of what a learning rate does: the same descent with several of them.

`compare_rates` and `rate_steps` fit the descents, by clones of the `GradientDescentRegressor` that is given; costs are
those of the model's own formula, penalty included, over all rows of the table. `rate_ladder` draws what
`pellucid.model_selection.learning_rate_sweep` found, of any model that is fitted in epochs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pellucid.base.errors import DataError, format_message, short_repr
from pellucid.base.types import Floats
from pellucid.linear_model import GradientDescentRegressor
from pellucid.plotting import _style
from pellucid.plotting._bowl import formula
from pellucid.plotting._runs import Run, Table, make
from pellucid.plotting._style import looks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Costs this many times apart are drawn on a logarithmic axis.
DECADES = 100.0
DEEP = "#00304D"
ROW = 1.45 * _style.SMALL
"""From one label to the next above it, in points."""

Label = tuple[float, float, str, str]
"""Where a line ends, across and up; its words and its color."""


class Falling(Protocol):
    """The costs of one rate, from the start on."""

    @property
    def costs(self) -> Floats: ...
    @property
    def label(self) -> str: ...
    @property
    def diverges(self) -> bool: ...


def compare_rates(
    model: GradientDescentRegressor,
    X: Any,
    y: Any,
    rates: Sequence[float],
    *,
    max_steps: int = 50,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the cost of the same descent with several learning rates, one line a rate.

    Too low a rate is still on its way when the updates are used up; too high a one jumps across the valley, higher each
    time. A run whose cost ends above twice its start diverges, and its line is cut at the frame. The axis is
    logarithmic where costs are a hundred times apart.

    Parameters
    ----------
    model : GradientDescentRegressor
        Its parameters are used, but for ``eta0``, ``max_steps`` and the rules that stop early; it stays as it is, and
        need not be fitted. Rows come in the same order for every rate.
    X, y : the rows to fit
    rates : list of numbers above 0
    max_steps : int, default=50
        Updates of every run.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> X, y = [[1], [2]], [1, 3]
    >>> ax = compare_rates(GradientDescentRegressor(), X, y, [0.01, 0.1, 1.0], max_steps=10)
    >>> sorted(text.get_text() for text in ax.texts)
    ['rate 0.01', 'rate 0.1', 'rate 1 diverges']
    """
    _, runs = make("compare_rates", model, X, y, rates, max_steps)
    ax = _style.axes() if ax is None else ax
    _style.tidy(ax)
    ax.set(xlabel="update", ylabel=f"cost: {formula(model)}")
    _draw_lines(ax, runs, max_steps)
    return ax


def rate_ladder(ladder: Any, *, ax: "Axes | None" = None) -> "Axes":
    """Draw the cost by epoch of every rate of a ladder, one line a rate, the recommended one thicker.

    Lines bear what was found of them: slow, bouncing, diverging; one that falls steadily bears its rate alone. A run
    that diverges is cut at the frame. The axis is logarithmic where costs are a hundred times apart.

    Parameters
    ----------
    ladder : LearningRateLadder
        What `pellucid.model_selection.learning_rate_sweep` gives.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from pellucid.model_selection import learning_rate_sweep
    >>> X, y = [[-1.5], [-0.5], [0.5], [1.5]], [1, 2, 2, 3]
    >>> model = GradientDescentRegressor(tol=None)
    >>> ax = rate_ladder(learning_rate_sweep(model, X, y, [0.01, 0.1, 1, 3], max_iterations=20))
    >>> sorted(text.get_text() for text in ax.texts)
    ['rate 0.01 is slow', 'rate 0.1', 'rate 1: best', 'rate 3 diverges']
    """
    who = "rate_ladder"
    if not getattr(ladder, "rungs", None):
        hint = "give it what pellucid.model_selection.learning_rate_sweep returns"
        raise DataError(
            format_message(who, "needs a ladder of learning rates", actual=f"got {short_repr(ladder)}", hint=hint)
        )
    start = [] if ladder.start is None else [ladder.start]
    runs = [
        _Line(np.append(start, rung.costs), f"{rung.label}: best" if rung.rate == ladder.best else rung.label,
              rung.diverges)
        for rung in ladder.rungs
    ]  # fmt: skip
    ax = _style.axes() if ax is None else ax
    _style.tidy(ax)
    ax.set(xlabel="epoch", ylabel=f"cost: {ladder.cost_name}")
    best = next((k for k, rung in enumerate(ladder.rungs) if rung.rate == ladder.best), None)
    _draw_lines(ax, runs, max(len(run.costs) for run in runs) - 1, first=1 - len(start), best=best)
    return ax


@dataclass(frozen=True)
class _Line:
    costs: Floats
    label: str
    diverges: bool


def rate_steps(
    model: GradientDescentRegressor, X: Any, y: Any, rates: Sequence[float], steps: int = 10
) -> "NDArray[np.object_]":
    """Draw the line after each of the first updates, one panel a rate: the start dashed, later ones darker.

    Parameters
    ----------
    model : GradientDescentRegressor
        As in `compare_rates`.
    X : table of shape (n_rows, 1)
    y : column of shape (n_rows,)
    rates : list of numbers above 0
    steps : int, default=10
        Updates to draw.

    Returns
    -------
    array of matplotlib Axes, one a rate

    Examples
    --------
    >>> X, y = [[1], [2]], [1, 3]
    >>> panels = rate_steps(GradientDescentRegressor(), X, y, [0.01, 0.1, 1.0])
    >>> [ax.get_title() for ax in panels]
    ['rate 0.01', 'rate 0.1', 'rate 1 diverges']
    """
    table, runs = make("rate_steps", model, X, y, rates, steps)
    if len(table.names) != 1:
        actual = f"got {len(table.names)} ({', '.join(table.names)})"
        raise DataError(
            format_message(
                "rate_steps", "needs a table with one column", actual=actual, hint="compare_rates takes any table"
            )
        )
    panels = _panels(len(runs))
    low, high = _heights(table, runs, model.fit_intercept)
    for ax, run in zip(panels, runs, strict=True):
        _draw_steps(ax, table, run, model.fit_intercept)
        ax.set_title(run.label, fontsize=_style.TITLE)
        ax.set_ylim(low - 0.05 * (high - low), high + 0.05 * (high - low))
        ax.set_xlabel(table.names[0] if ax.xaxis.get_tick_params()["labelbottom"] else "")
        if ax.get_subplotspec().is_first_col():
            ax.set_ylabel(table.target)
    longest = int(np.argmax([len(run.path) for run in runs]))
    handles, labels = panels[longest].get_legend_handles_labels()
    panels[0].figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
    return panels


# ------------------------------------------------------------------------------------------------ costs of many rates


def _draw_lines(ax: "Axes", runs: Sequence[Falling], max_steps: int, first: int = 0, best: int | None = None) -> None:
    """A line a run with its words at its end; `first` is the number of its first cost."""
    top = _set_frame(ax, runs, max_steps, first)
    ends, cuts = list[Label](), list[Label]()
    for k, (run, (color, line, _)) in enumerate(zip(runs, looks(len(runs)), strict=True)):
        x, costs, cut = _cut(ax, run, top)
        x = x + first
        ax.plot(x, costs, color=color, linestyle=line, linewidth=3.4 if k == best else 2.0, label=run.label)
        (cuts if cut else ends).append((float(x[-1]), float(costs[-1]), run.label, color))
    _write_ends(ax, ends, max_steps + first)
    _write_cuts(ax, cuts)


def _set_frame(ax: "Axes", runs: Sequence[Falling], max_steps: int, first: int) -> float:
    """Axes that hold every run which does not diverge; returns the upper end, at which the others are cut.

    These are seen as low as they come, and to rise by half of their start.
    """
    start = max(float(run.costs[0]) for run in runs if np.isfinite(run.costs[0]))
    rise = 1.5 * start if any(run.diverges for run in runs) else start
    lowest = [float(run.costs.min()) for run in runs]
    calm = np.concatenate([[start, rise], lowest, *(run.costs for run in runs if not run.diverges)])
    calm = calm[np.isfinite(calm)]
    low, high = float(calm.min()), float(calm.max())
    positive = calm[calm > 0]
    if len(positive) and high >= DECADES * low:
        low, high = float(positive.min()) / 1.5, high * 1.5
        ax.set_yscale("log", nonpositive="clip")
    else:
        margin = 0.06 * (high - low) or 0.5
        low, high = low - margin, high + margin
    ax.set_ylim(low, high)
    margin = 0.02 * max_steps
    letters = max((len(run.label) for run in runs if not run.diverges), default=0)
    beside = max_steps * _style.share(ax, inches=max(1.25, 0.07 * letters + 0.35))
    ax.set_xlim(first - margin, first + max_steps + margin + beside)
    ax.set_xticks([tick for tick in ax.get_xticks() if first <= tick <= first + max_steps and tick == int(tick)])
    return high


def _cut(ax: "Axes", run: Falling, top: float) -> tuple[Floats, Floats, bool]:
    """A run's updates and costs; where it leaves the frame for good, up to the place where it does."""
    x, above = np.arange(len(run.costs), dtype=np.float64), np.flatnonzero(run.costs > top)
    if not run.diverges or not len(above):
        return x, run.costs, False
    first = int(above[0])
    if first == 0:  # it never was in the frame
        return x[:1], np.array([top]), True
    scale = np.log if ax.get_yscale() == "log" else np.asarray
    before, after, edge = scale(run.costs[first - 1]), scale(run.costs[first]), scale(top)
    crossing = x[first - 1] + (edge - before) / (after - before)
    return np.append(x[:first], crossing), np.append(run.costs[:first], top), True


def _write_ends(ax: "Axes", ends: list[Label], max_steps: int) -> None:
    """A label right of the end of each line, moved up where two would meet, and tied to its line."""
    low, high = ax.get_ylim()
    scale = np.log if ax.get_yscale() == "log" else np.asarray
    min_distance = ROW / 72 / (ax.get_window_extent().height / ax.figure.dpi)
    across = max_steps + 0.14 * (ax.get_xlim()[1] - max_steps)
    free = 0.0
    for x, cost, text, color in sorted(ends, key=lambda end: end[1]):
        position = float((scale(max(cost, low)) - scale(low)) / (scale(high) - scale(low)))
        position = max(position, free)
        free = position + min_distance
        ax.annotate(
            text,
            (x, max(cost, low)),
            xytext=(across, position),
            textcoords=("data", "axes fraction"),
            va="center",
            color=color,
            fontsize=_style.SMALL,
            arrowprops={
                "arrowstyle": "-",
                "color": color,
                "linewidth": 0.8,
                "shrinkA": 1,
                "shrinkB": 1,
                "relpos": (0, 0.5),
            },
        )


def _write_cuts(ax: "Axes", cuts: list[Label]) -> None:
    """A label above the frame where each line leaves it; from right to left, in the lowest row that has room."""
    left, right = ax.get_xlim()
    per_letter = 0.6 * _style.SMALL / 72 / (ax.get_window_extent().width / ax.figure.dpi) * (right - left)
    rows: list[float] = []
    for x, top, text, color in sorted(cuts, reverse=True):
        row = next((k for k, start in enumerate(rows) if x + per_letter * len(text) < start), len(rows))
        rows[row : row + 1] = [x]
        ax.plot([x], [top], marker="^", markersize=6, color=color, clip_on=False, zorder=5)
        ax.annotate(
            text,
            (x, top),
            xytext=(0, 6 + ROW * row),
            textcoords="offset points",
            color=color,
            fontsize=_style.SMALL,
            arrowprops={
                "arrowstyle": "-",
                "color": color,
                "linewidth": 0.8,
                "shrinkA": 0,
                "shrinkB": 0,
                "relpos": (0, 0),
            },
            annotation_clip=False,
        )


# ----------------------------------------------------------------------------------------------- lines of many rates


def _panels(n_panels: int) -> "NDArray[np.object_]":
    """A figure with a panel a rate, up to three in a row; the lowest of each column has the figures of its axis."""
    from matplotlib import pyplot

    columns = 2 if n_panels == 4 else min(n_panels, 3)
    rows = -(-n_panels // columns)
    size = (max(2.9 * columns, 4.4), 2.9 * rows + 0.4)
    shared: dict[str, Any] = {"sharex": True, "sharey": True, "squeeze": False}
    panels = pyplot.subplots(rows, columns, figsize=size, layout="constrained", **shared)[1].ravel()
    for spare in panels[n_panels:]:
        spare.remove()
    for index, ax in enumerate(panels[:n_panels]):
        _style.tidy(ax)
        ax.tick_params(labelbottom=index + columns >= n_panels)
    return np.asarray(panels[:n_panels])


def _line(theta: Floats, x: Floats, intercept: bool) -> Floats:
    return np.asarray(theta[0] + theta[1] * x if intercept else theta[0] * x)


def _heights(table: Table, runs: list[Run], intercept: bool) -> tuple[float, float]:
    """What the panels must hold: the data, the start, and every line of a run that does not diverge."""
    x = np.array([table.X.min(), table.X.max()])
    lines = [_line(theta, x, intercept) for run in runs for theta in (run.path[:1] if run.diverges else run.path)]
    values = np.concatenate([table.y, *lines])
    return float(values.min()), float(values.max())


def _draw_steps(ax: "Axes", table: Table, run: Run, intercept: bool) -> None:
    from matplotlib.colors import LinearSegmentedColormap

    x = np.array([table.X.min(), table.X.max()])
    size = _style.marker_size(len(table.y))
    ax.plot(table.X[:, 0], table.y, linestyle="", marker="o", markersize=size, color=_style.GRAY, label="data")
    ax.plot(x, _line(run.path[0], x, intercept), color=_style.VERMILION, linestyle="--", linewidth=1.6, label="start")
    shades = LinearSegmentedColormap.from_list("steps", [_style.LIGHT, _style.BLUE, DEEP])
    last = len(run.path) - 1
    for step, theta in enumerate(run.path[1:], start=1):
        label = {1: "after update 1", last: f"after update {last}"}.get(step)
        color = shades(step / last)
        ax.plot(x, _line(theta, x, intercept), color=color, linewidth=1.6, zorder=3 + step / last, label=label)
