"""Pictures of a fitted gradient descent: how its cost falls, and its path through the parameters.

They read `GradientDescentRegressor` and its ``path_``; an `SGDRegressor` keeps none, and is fitted again for its trace.
Costs are those of the model's own formula, penalty included, over all rows of the table, each of which counts once. The
least-squares answer is that of `LinearRegression`; with a penalty it is not the lowest point, and is left out.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pellucid.base.errors import DataError, DependentColumnsWarning, ParameterError, format_message, short_repr
from pellucid.base.types import Floats
from pellucid.linear_model import GradientDescentRegressor, LinearRegression, SGDRegressor
from pellucid.plotting import _style
from pellucid.plotting._bowl import Bowl, formula
from pellucid.plotting._runs import Descent, Table, descent, read, updates_an_epoch
from pellucid.plotting._style import looks, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# More updates than this, in epochs of several, are drawn by the epoch.
MOST_UPDATES = 10_000
MOST_LEVELS = 8
MOST_MARKERS = 25
# How far a label on a contour keeps from other things, as a share of the frame.
LABEL = 0.12
# The legend's place in a corner, as a share of the frame.
BOX = np.array([0.35, 0.4])
# Axes of no more than so many inches get a smaller legend.
NARROW = 4.0


def descent_cost(
    model: GradientDescentRegressor | SGDRegressor,
    X: Any,
    y: Any,
    *,
    log: bool = False,
    smooth: int | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw how the cost falls from update to update, down to what least squares would reach.

    Update t is at height ``J(theta_t)``, with ``theta_t`` row t of ``path_`` and ``J`` the cost of all rows, also where
    an update looked at few of them. Such runs jump about; the mean of the last few updates shows where they are going.
    Runs of more than 10,000 updates are drawn by the epoch, and the axis says so.

    Parameters
    ----------
    model : fitted GradientDescentRegressor or SGDRegressor
        The first with its path (``keep_path=True``), the second with loss 'squared_error'.
    X, y : the rows that it was fitted to
    log : bool, default=False
        Logarithmic cost: equal ratios are equal distances.
    smooth : int, optional
        Updates in the moving mean; 1 for no mean. Otherwise as many as an epoch has, or a hundredth of the run if that
        is more; batch descent, which does not jump, then has none.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    At (0, 0) the errors are -1 and -3, and the cost is (1² + 3²)/4. One step at rate 0.1 leads to (0.2, 0.35), where
    they are -0.45 and -2.1:

    >>> X, y = [[1], [2]], [1, 3]
    >>> ax = descent_cost(GradientDescentRegressor(eta0=0.1, max_steps=1).fit(X, y), X, y)
    >>> ax.get_lines()[0].get_ydata().round(4)
    array([2.5   , 1.1531])
    """
    run = descent("descent_cost", model, X, y)
    table, cost = read("descent_cost", run, X, y)
    per = updates_an_epoch("descent_cost", run, len(table.y))
    window = _window(smooth, per, run.n_steps_)
    costs = cost(run.path_)
    unit, size = ("epoch", per) if run.n_steps_ > MOST_UPDATES and per > 1 else ("update", 1)
    steps = np.unique(np.append(np.arange(0, len(costs), size), len(costs) - 1))
    ax = _style.axes() if ax is None else ax
    _style.tidy(ax)
    if log:
        ax.set_yscale("log")
    raw, wide = (_style.BLUE, 2.0) if window == 1 else (_style.SKY, 0.9)
    ax.plot(steps / size, costs[steps], color=raw, linewidth=wide, zorder=2, label=f"after every {unit}")
    if window > 1:
        ends = steps[steps >= window]
        means = [costs[end - window + 1 : end + 1].mean() for end in ends]
        label = f"mean of the last {window:,} updates"
        ax.plot(ends / size, means, color=_style.BLUE, linewidth=2.2, zorder=3, label=label)
    _draw_end(ax, 0, costs[0], "start", marker="o", face_color="white")
    _draw_end(ax, steps[-1] / size, costs[-1], "end", marker="s", face_color=_style.INK)
    if cost.penalty is None:
        _draw_least_squares(ax, cost, _least_squares(run, table), floor=float(costs.min()) if log else None)
    ax.set(xlabel=unit if size == 1 else f"epoch of {per:,} updates", ylabel=f"cost: {formula(run)}")
    ax.legend(frameon=False, loc="upper right" if costs[-1] <= costs[0] else "upper left")
    return ax


def descent_path(
    models: GradientDescentRegressor | SGDRegressor | Sequence[GradientDescentRegressor | SGDRegressor],
    X: Any,
    y: Any,
    *,
    names: Sequence[str] | None = None,
    levels: Sequence[float] | None = None,
    parameters: tuple[int, int] = (0, 1),
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the way through two parameters over the contours of the cost, for one descent or several.

    The contours are those of ``J`` over two of the parameters, the others held where the first model ended; along each
    the cost is the same, and the gradient stands at right angles to it. Batch descent goes down steadily, stochastic
    descent staggers. Paths are drawn in full; of a long one the first updates bear a marker, and later ones ever fewer.

    Parameters
    ----------
    models : one or several fitted GradientDescentRegressor or SGDRegressor
        The first with their paths (``keep_path=True``), the second with loss 'squared_error'; all with the same cost.
    X, y : the rows that they were fitted to
    names : list of words, optional
        One a model. Otherwise batch, mini-batch or stochastic, as it is.
    levels : list of costs, optional
        Where to draw contours. Otherwise ``lowest + 0.1·2ᵏ`` with whole k, the last of them that the frame holds.
    parameters : two whole numbers, default=(0, 1)
        Places in a row of ``path_``, across and up: 0 is the intercept, or the first coefficient where there is none.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> X, y = [[1], [2]], [1, 3]
    >>> model = GradientDescentRegressor(eta0=0.1, max_steps=5).fit(X, y)
    >>> ax = descent_path(model, X, y)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['batch', 'start', 'end', 'least squares']
    """
    model_list: list[Any] = list(models) if isinstance(models, list | tuple) else [models]
    runs = [descent("descent_path", model, X, y) for model in model_list]
    table, cost = _read_all(runs, X, y)
    pair, words = _pair(parameters, len(runs[0].start_)), _words(runs, names)
    paths = [model.path_[:, list(pair)] for model in runs]
    best = None if cost.penalty is not None else _least_squares(runs[0], table)[list(pair)]
    frame = _frame(paths if best is None else [*paths, best[None]])
    heights = cost.slice(pair, runs[0].path_[-1])(frame.grid)
    contour_levels = _doubling(heights) if levels is None else _levels(levels, heights)
    ax = _style.axes() if ax is None else ax
    _style.tidy(ax)
    ax.grid(False)
    ax.set(xlim=(frame.low[0], frame.high[0]), ylim=(frame.low[1], frame.high[1]))
    along = np.concatenate([_along(frame.share(path)) for path in paths])
    corner: Any = _emptiest(along)
    _draw_contours(ax, frame, heights, contour_levels, occupied=np.concatenate([along, _box(corner)]))
    _draw_paths(ax, paths, words, best)
    _write_axes(ax, runs[0], table, pair, words[0])
    roomy = ax.get_window_extent().width / ax.figure.dpi > NARROW
    ax.legend(loc=corner, framealpha=0.9, edgecolor=_style.FAINT, fontsize=_style.SMALL if roomy else 7)
    return ax


# ---------------------------------------------------------------------------------------------------------- the cost


def _window(smooth: Any, updates: int, n_steps: int) -> int:
    """Updates in the moving mean: unless given those of an epoch, or a hundredth of the run; 1 where that is all."""
    if smooth is None:
        return max(updates, n_steps // 100) if 1 < updates < n_steps else 1
    if not isinstance(smooth, int | np.integer) or not 1 <= smooth <= max(n_steps, 1):
        requirement = f"smooth must be a whole number from 1 to {max(n_steps, 1):,}, the updates of the run"
        raise ParameterError(format_message("descent_cost", requirement, actual=f"got {short_repr(smooth)}"))
    return int(smooth)


def _draw_end(ax: "Axes", x: float, cost: float, name: str, marker: str, face_color: str) -> None:
    style: dict[str, Any] = {"marker": marker, "markersize": 7.0, "markerfacecolor": face_color}
    style |= {"markeredgecolor": _style.INK, "markeredgewidth": 1.4, "linestyle": "", "zorder": 5}
    ax.plot([x], [cost], label=f"{name}: {number(cost)}", **style)


def _draw_least_squares(ax: "Axes", cost: Bowl, best: Floats, floor: float | None) -> None:
    """The lowest cost there is. One that a logarithmic axis could show only by squeezing the descent stays a word."""
    min_cost = float(cost(best))
    style: dict[str, Any] = {"color": _style.INK, "linestyle": "--", "linewidth": 1.3, "zorder": 1}
    if floor is None or min_cost > 1e-3 * floor:
        ax.axhline(min_cost, label=f"least squares: {number(min_cost)}", **style)
    else:
        ax.plot([], [], label=f"least squares: {number(min_cost)}, below the frame", **style)


def _least_squares(model: Descent, table: Table) -> Floats:
    """The best parameters; of dependent columns, where many are the best, the smallest."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DependentColumnsWarning)
        best = LinearRegression(fit_intercept=model.fit_intercept).fit(table.X, table.y)
    return np.append(best.intercept_, best.coef_) if model.fit_intercept else np.asarray(best.coef_)


# ---------------------------------------------------------------------------------------------------------- the path


def _read_all(models: list[Descent], X: Any, y: Any) -> tuple[Table, Bowl]:
    """The table and cost that all models share."""
    if not models:
        raise DataError(format_message("descent_path", "needs one model or several", actual="got an empty list"))
    readings = [read("descent_path", model, X, y) for model in models]
    costs = [
        (model.cost, bowl.penalty, bowl.alpha if bowl.penalty else 0.0, model.fit_intercept)
        for model, (_, bowl) in zip(models, readings, strict=True)
    ]
    for signature in costs[1:]:
        if signature != costs[0]:
            requirement = "models must share cost, penalty, alpha and fit_intercept, since the contours show one cost"
            raise DataError(
                format_message(
                    "descent_path", requirement, actual=f"got {costs[0]} and {signature}", hint="draw them apart"
                )
            )
    return readings[0]


def _pair(parameters: Any, width: int) -> tuple[int, int]:
    values = list(parameters) if np.ndim(parameters) == 1 else []
    if width < 2:
        requirement, hint = "needs a model of two parameters or more", "descent_cost draws a model of any width"
        raise DataError(format_message("descent_path", requirement, actual=f"got {width}", hint=hint))
    if (
        len(values) != 2
        or values[0] == values[1]
        or any(not isinstance(index, int | np.integer) or not 0 <= index < width for index in values)
    ):
        requirement = f"parameters must be two different places from 0 to {width - 1}"
        raise ParameterError(format_message("descent_path", requirement, actual=f"got {short_repr(parameters)}"))
    return int(values[0]), int(values[1])


def _words(models: list[Descent], names: Sequence[str] | None) -> list[str]:
    """A name a model; where two would be the same, numbered."""
    if names is not None:
        words = [names] if isinstance(names, str) else [str(name) for name in names]
        if len(words) != len(models):
            raise ParameterError(
                format_message(
                    "descent_path", f"names must be {len(models)}, one a model", actual=f"got {short_repr(names)}"
                )
            )
        return [_style.plain(_style.shown(word)) for word in words]
    kinds = {None: "batch", 1: "stochastic"}
    words = [kinds.get(model.batch_size, f"mini-batch of {model.batch_size}") for model in models]
    return [word if words.count(word) == 1 else f"{word} {words[:k].count(word) + 1}" for k, word in enumerate(words)]


@dataclass(frozen=True)
class _Frame:
    """What is seen of two parameters: from the lower left corner to the upper right one."""

    low: Floats
    high: Floats

    @property
    def grid(self) -> Floats:
        return np.stack(np.meshgrid(*np.linspace(self.low, self.high, 241).T), axis=-1)

    def share(self, points: Floats) -> Floats:
        """Points as shares of the frame: (0, 0) is the lower left corner."""
        return (points - self.low) / (self.high - self.low)


def _frame(paths: list[Floats]) -> _Frame:
    """Around all points with a margin; a parameter that stays where it is gets room too."""
    points = np.concatenate(paths)
    low, high = points.min(axis=0), points.max(axis=0)
    size = float(np.abs(points).max())
    span = np.where(high - low > 1e-9 * size, high - low, max(float((high - low).max()), size) or 1.0)
    return _Frame((low + high) / 2 - 0.6 * span, (low + high) / 2 + 0.6 * span)


def _levels(levels: Any, heights: Floats) -> Floats:
    """The levels that were given, if the frame has a contour of any of them."""
    try:
        values = np.unique(np.asarray(levels, dtype=np.float64))
    except (TypeError, ValueError):
        values = np.empty(0)
    low, high = float(heights.min()), float(heights.max())
    if not ((values > low) & (values < high)).any():
        requirement = f"levels must be a list of costs, some of them in the frame, which has {low:.4g} to {high:.4g}"
        raise ParameterError(format_message("descent_path", requirement, actual=f"got {short_repr(levels)}"))
    return values[np.isfinite(values)]


def _doubling(heights: Floats) -> Floats:
    """``lowest + 0.1·2ᵏ``, the last few of them below the frame's highest cost; none where the cost is flat."""
    low = float(heights.min())
    rise = float(heights[np.isfinite(heights)].max(initial=low)) - low
    if not rise > 0:
        return np.empty(0)
    last = int(np.floor(np.log2(rise / 0.1)))
    levels = low + 0.1 * 2.0 ** np.arange(last - MOST_LEVELS + 1, last + 1)
    return np.unique(levels[levels > low])


def _along(path: Floats) -> Floats:
    """Points at equal distances along a path, so that long straight pieces have some too."""
    length = np.append(0.0, np.linalg.norm(np.diff(path, axis=0), axis=1).cumsum())
    at = np.linspace(0, length[-1], int(np.clip(length[-1] / 0.02, 2, 2000)))
    return np.column_stack([np.interp(at, length, column) for column in path.T])


def _emptiest(points: Floats) -> str:
    """The corner with the fewest points, for the legend."""
    return min(
        (f"{row} {column}" for row in ("upper", "lower") for column in ("left", "right")),
        key=lambda corner: int((np.abs(points - _box(corner).mean(axis=0)) < BOX / 2).all(axis=1).sum()),
    )


def _box(corner: str) -> Floats:
    """Points all over the legend's place in a corner."""
    across, up = np.meshgrid(np.linspace(0, BOX[0], 8), np.linspace(0, BOX[1], 9))
    points = np.column_stack([across.ravel(), up.ravel()])
    return np.asarray(np.abs(points - [float("right" in corner), float("upper" in corner)]))


def _draw_contours(ax: "Axes", frame: _Frame, heights: Floats, levels: Floats, occupied: Floats) -> None:
    """The contours, and on each its cost, where it keeps away from the points that are taken and from other labels."""
    if not len(levels):
        return
    style: dict[str, Any] = {"levels": levels, "colors": _style.GRAY, "linewidths": 0.8, "zorder": 1}
    contours = ax.contour(frame.grid[..., 0], frame.grid[..., 1], heights, **style)
    spots = list[Floats]()
    for segments in contours.allsegs:
        points = frame.share(np.concatenate([*segments, np.empty((0, 2))]))
        points = points[((points > 0.06) & (points < 0.94)).all(axis=1)]
        away = np.linalg.norm(points[:, None] - occupied, axis=2).min(axis=1)
        if away.max(initial=0.0) > 0.3 * LABEL:
            spot = points[np.argmax(np.minimum(away, LABEL) - 0.01 * np.linalg.norm(points - 0.5, axis=1))]
            spots.append(frame.low + spot * (frame.high - frame.low))
            occupied = np.vstack([occupied, spot])
    if spots:
        ax.clabel(contours, manual=spots, fontsize=8, fmt=number)


def _draw_paths(ax: "Axes", paths: list[Floats], words: list[str], best: Floats | None) -> None:
    """Every path in its own look; start and end of all alike, and each once in the legend."""
    for path, word, (color, line, marker) in zip(paths, words, looks(len(paths)), strict=True):
        width = 1.4 if len(path) <= 300 else 0.8
        style: dict[str, Any] = {"color": color, "linestyle": line, "marker": marker, "markevery": _marked(len(path))}
        ax.plot(*path.T, linewidth=width, markersize=4.5, zorder=3, label=word, **style)
    points = {
        "start": ("o", 9.0, "white", [path[0] for path in paths]),
        "end": ("X", 7.0, "white", [path[-1] for path in paths]),
        "least squares": ("*", 20.0, "gold", [] if best is None else [best]),
    }
    for name, (marker, size, face_color, coordinates) in points.items():
        if coordinates:
            style = {"marker": marker, "markersize": size, "markerfacecolor": face_color, "markeredgecolor": _style.INK}
            ax.plot(*np.unique(coordinates, axis=0).T, linestyle="", zorder=6 - size / 20, label=name, **style)


def _marked(n_points: int) -> list[int]:
    """Which points of a path bear a marker: all of a short one; of a long one ever fewer, by equal ratios."""
    if n_points <= MOST_MARKERS:
        return list(range(n_points))
    return [0, *np.unique(np.geomspace(1, n_points - 1, MOST_MARKERS).astype(int)).tolist()]


def _write_axes(ax: "Axes", model: Descent, table: Table, pair: tuple[int, int], word: str) -> None:
    labels = (["intercept"] if model.fit_intercept else []) + [f"coefficient of {name}" for name in table.names]
    ax.set(xlabel=labels[pair[0]], ylabel=labels[pair[1]])
    title = f"contours of the cost, the {formula(model)}"
    if len(labels) > 2:
        title += f"\nthe other parameters as at the end of {word}"
    ax.set_title(title, fontsize=_style.SMALL, color=_style.INK)
