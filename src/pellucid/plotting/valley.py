"""Pictures of descent where its landscape can be seen whole: a cost over one parameter, and penalties over two.

The descents are made here: steps against the slope of a function of one number, or `GradientDescentRegressor` on a
table of two columns.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pellucid.base.errors import DataError, ParameterError, format_message, short_repr
from pellucid.base.types import Floats
from pellucid.linear_model import GradientDescentRegressor
from pellucid.plotting import _style
from pellucid.plotting._bowl import Bowl, bowl
from pellucid.plotting._panels import panels
from pellucid.plotting._read import column_names, numbers
from pellucid.plotting._style import number, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["penalty_contours", "valley_steps"]

FINE = 600
LEVELS = 12


def valley_steps(
    cost: Callable[[float], float],
    start: float,
    rates: float | Sequence[float] = 0.1,
    *,
    steps: int = 10,
    gradient: Callable[[float], float] | None = None,
    limits: tuple[float, float] | None = None,
    name: str = "parameter",
) -> "Axes | NDArray[np.object_]":
    """Draw a cost over one parameter and the steps of gradient descent down it, one panel a learning rate.

    ``theta <- theta - rate J'(theta)``: steps are long where the slope is steep and grow shorter toward the bottom.
    Too low a rate hardly moves, too high a one jumps from side to side and climbs. On an irregular curve the start
    decides into which hollow it rolls, and on a plateau it stands nearly still.

    Parameters
    ----------
    cost : function of one number
    start : number
    rates : number, or list of numbers above 0
        One panel each.
    steps : int, default=10
    gradient : function of one number, optional
        Its derivative; the slope between points a millionth apart otherwise.
    limits : (low, high), optional
        What is seen of the parameter. Otherwise the places visited, those of runs that leave for good apart.
    name : str, default="parameter"

    Returns
    -------
    matplotlib Axes, or an array of them for several rates

    Examples
    --------
    From 1 down x², whose slope is 2x, rate 0.25 halves the parameter with every step:

    >>> ax = valley_steps(lambda x: x**2, 1.0, 0.25, steps=3)
    >>> ax.get_lines()[1].get_xdata().round(3)
    array([1.   , 0.5  , 0.25 , 0.125])
    """
    who = "valley_steps"
    several = np.ndim(rates) == 1
    learning_rates = _rates(who, rates)
    if not isinstance(steps, int | np.integer) or isinstance(steps, bool) or steps < 1:
        raise ParameterError(
            format_message(who, "steps must be a whole number of at least 1", actual=f"got {short_repr(steps)}")
        )
    paths = [_walk(who, cost, gradient, float(start), rate, int(steps)) for rate in learning_rates]
    low, high = _seen(who, paths, limits)
    grid = np.linspace(low, high, FINE)
    heights = np.array([float(cost(float(x))) for x in grid])
    row = panels(len(paths), size=(3.3, 3.2) if several else _style.SIZE, shared=True)
    for ax, rate, path in zip(row, learning_rates, paths, strict=True):
        _style.tidy(ax)
        ax.plot(grid, heights, color=_style.INK, linewidth=2.0, zorder=2, label="cost")
        _draw_walk(ax, cost, path, (low, high))
        ax.set(xlim=(low, high), xlabel=plain(name))
        ax.set_title(f"rate {rate:g}" + _end(cost, path), fontsize=_style.TITLE)
        if ax.get_subplotspec().is_first_col():
            ax.set_ylabel("cost")
    finite = heights[np.isfinite(heights)]
    margin = 0.08 * float(np.ptp(finite)) or 0.5
    row[0].set_ylim(float(finite.min()) - margin, float(finite.max()) + margin)
    return row if several else row[0]


def penalty_contours(
    X: Any,
    y: Any,
    *,
    alpha: float = 0.5,
    start: Sequence[float] | None = None,
    eta0: float | None = None,
    steps: int = 200,
) -> "NDArray[np.object_]":
    """Draw what an l1 and an l2 penalty do to a cost of two coefficients: contours, descents, and lowest points.

    Upper row l1,  ``alpha (|w1| + |w2|)``,  with diamonds; lower row l2,  ``alpha/2 (w1² + w2²)``,  with circles. On
    the left the cost (the mean squared error) in gray and the penalty's contours, with the descent on each alone; on
    the right their sum. The l1 penalty pulls with the same force everywhere, so one coefficient reaches zero first and
    stays there; l2 pulls the less the nearer to zero, and the path bends straight to the origin. The intercept is free:
    columns and target are taken less their means.

    Parameters
    ----------
    X : table of shape (n_rows, 2)
    y : column of shape (n_rows,)
    alpha : float, default=0.5
        Strength of both penalties, against a mean squared error.
    start : two numbers, optional
        Where descents begin; otherwise aside of the lowest point and across from it.
    eta0 : float, optional
        Their rate; a quarter of the highest stable one otherwise.
    steps : int, default=200

    Returns
    -------
    array of matplotlib Axes of shape (2, 2)

    Examples
    --------
    >>> X, y = [[1, 1], [1, -1], [-2, 0]], [2.5, 1.5, -4.0]
    >>> drawn = penalty_contours(X, y)
    >>> drawn.shape, drawn[0, 1].get_title()
    ((2, 2), 'mean squared error + 0.5 · l1 penalty')
    """
    who = "penalty_contours"
    table, target, names = _centered(who, X, y)
    if not (isinstance(alpha, int | float | np.number) and 0 < alpha < np.inf):
        raise ParameterError(format_message(who, "alpha must be a number above 0", actual=f"got {short_repr(alpha)}"))
    plain_cost = bowl(GradientDescentRegressor(cost="squared", fit_intercept=False), table, target)
    best: Floats = np.asarray(np.linalg.lstsq(plain_cost.triangle, plain_cost.target, rcond=None)[0], dtype=np.float64)
    first = _start(who, start, best)
    rate = _rate(who, eta0, plain_cost, float(alpha))
    free = _descend(table, target, None, 0.0, first, rate, steps)
    axes = panels(4, size=(4.2, 3.7), max_columns=2, shared=True).reshape(2, 2)
    scene = _Scene(plain_cost, best, first, float(alpha), _around([first, best, np.zeros(2)]))
    for row, kind in zip(axes, ("l1", "l2"), strict=True):
        alone = _descend(np.zeros_like(table), np.zeros_like(target), kind, float(alpha), first, rate, 2 * steps)
        both = _descend(table, target, kind, float(alpha), first, rate, steps)
        _draw_apart(row[0], scene, kind, free, alone)
        _draw_sum(row[1], scene, kind, both)
    for ax in axes.ravel():
        ax.set_xlim(*scene.frame[0])
        ax.set_ylim(*scene.frame[1])
    for ax in axes[1]:
        ax.set_xlabel(f"coefficient of {names[0]}")
    for ax in axes[:, 0]:
        ax.set_ylabel(f"coefficient of {names[1]}")
    _write_key(axes)
    return axes


# ------------------------------------------------------------------------------------------------------- one parameter


def _rates(who: str, rates: Any) -> list[float]:
    values = list(rates) if np.ndim(rates) == 1 else [rates]
    if not values or not all(isinstance(rate, int | float | np.number) and 0 < rate < np.inf for rate in values):
        raise ParameterError(
            format_message(who, "rates must be a number above 0, or several", actual=f"got {short_repr(rates)}")
        )
    return [float(rate) for rate in values]


def _walk(who: str, cost: Any, gradient: Any, start: float, rate: float, steps: int) -> Floats:
    """The places visited; a run that leaves the numbers ends before it does."""
    path = [start]
    for _ in range(steps):
        here = path[-1]
        step = 1e-6 * max(abs(here), 1.0)
        with np.errstate(all="ignore"):
            try:
                derivative = float(gradient(here) if gradient else (cost(here + step) - cost(here - step)) / (2 * step))
                there = here - rate * derivative
                reached = float(cost(there))
            except OverflowError:
                break
        if not (np.isfinite(there) and np.isfinite(reached)):
            break
        path.append(there)
    if len(path) == 1:
        requirement = "cost and its slope must be finite at the start"
        raise DataError(
            format_message(who, requirement, actual=f"from {start:g} there is no step", hint="choose another start")
        )
    return np.array(path)


def _seen(who: str, paths: list[Floats], limits: Any) -> tuple[float, float]:
    if limits is not None:
        ends = list(limits) if np.ndim(limits) == 1 else []
        if len(ends) != 2 or not ends[0] < ends[1]:
            raise ParameterError(
                format_message(who, "limits must be (low, high), low below high", actual=f"got {short_repr(limits)}")
            )
        return float(ends[0]), float(ends[1])
    first = paths[0][0]
    near = [path for path in paths if abs(path[-1] - path[-2]) <= abs(path[1] - path[0])] or [paths[0][:2]]
    points = np.concatenate([*near, [first]])
    low, high = float(points.min()), float(points.max())
    bottom = low if abs(low - first) > abs(high - first) else high  # the other side of the valley is seen too
    reach = abs(first - bottom) or 1.0
    return min(low, bottom - reach) - 0.1 * reach, max(high, bottom + reach) + 0.1 * reach


def _draw_walk(ax: "Axes", cost: Any, path: Floats, frame: tuple[float, float]) -> None:
    heights = np.array([float(cost(float(x))) for x in path])
    style: dict[str, Any] = {"color": _style.VERMILION, "marker": "o", "markersize": 5.5, "linewidth": 1.2}
    ax.plot(path, heights, zorder=4, markeredgecolor="white", markeredgewidth=0.6, label="steps", **style)
    ring: dict[str, Any] = {"markerfacecolor": "white", "markeredgecolor": _style.VERMILION, "markeredgewidth": 1.8}
    ax.plot(path[:1], heights[:1], linestyle="", marker="o", markersize=8, zorder=5, label="start", **ring)
    left = path[0] < sum(frame) / 2
    ax.annotate(
        "start",
        (path[0], heights[0]),
        xytext=(10 if left else -10, -6),
        textcoords="offset points",
        ha="left" if left else "right",
        va="top",
        fontsize=_style.SMALL,
        color=_style.VERMILION,
    )


def _end(cost: Any, path: Floats) -> str:
    first, last = float(cost(float(path[0]))), float(cost(float(path[-1])))
    return " diverges" if last > 2 * abs(first) and last > first else f": cost {number(first)} to {number(last)}"


# ------------------------------------------------------------------------------------------------------ two parameters


@dataclass(frozen=True)
class _Scene:
    """What all four pictures share: the cost without penalty and its lowest point, the start, and what is seen."""

    cost: Bowl
    best: Floats
    start: Floats
    alpha: float
    frame: tuple[tuple[float, float], tuple[float, float]]

    def with_penalty(self, kind: str) -> Bowl:
        return replace(self.cost, alpha=self.alpha, penalty=kind, free=(False, False))

    def only_penalty(self, kind: str) -> Bowl:
        return replace(self.with_penalty(kind), scale=0.0)

    def grid(self) -> Floats:
        (left, right), (low, high) = self.frame
        return np.stack(np.meshgrid(np.linspace(left, right, 241), np.linspace(low, high, 241)), axis=-1)


def _centered(who: str, X: Any, y: Any) -> tuple[Floats, Floats, list[str]]:
    table, target = numbers(who, "X", X), numbers(who, "y", y)
    if table.ndim != 2 or table.shape[1] != 2 or target.size != len(table) or len(table) < 2:
        requirement = "X must be a table of two columns, and y one column with as many rows, at least two"
        raise DataError(format_message(who, requirement, actual=f"got shapes {table.shape} and {target.shape}"))
    if np.linalg.matrix_rank(table - table.mean(axis=0)) < 2:
        requirement, actual = "the two columns must be independent", "one follows from the other"
        raise DataError(format_message(who, requirement, actual=actual, hint="choose another column"))
    names = [plain(name) for name in column_names(X) or ["x1", "x2"]]
    return table - table.mean(axis=0), target.ravel() - target.mean(), names


def _start(who: str, start: Any, best: Floats) -> Floats:
    if start is None:
        aside = -2 * best[1] if abs(best[1]) > 1e-9 * abs(best[0]) else -abs(best[0]) / 2 or -1.0
        return np.array([best[0] / 8, aside])
    values = np.asarray(start, dtype=np.float64)
    if values.shape != (2,) or not np.isfinite(values).all():
        raise ParameterError(format_message(who, "start must be two numbers", actual=f"got {short_repr(start)}"))
    return values


def _rate(who: str, eta0: Any, cost: Bowl, alpha: float) -> float:
    """A quarter of  ``2 / (largest curvature)``."""
    if eta0 is None:
        curvature = 2 * cost.scale * float(np.linalg.norm(cost.triangle, 2)) ** 2 + alpha
        return 0.5 / curvature
    if not (isinstance(eta0, int | float | np.number) and 0 < eta0 < np.inf):
        raise ParameterError(format_message(who, "eta0 must be a number above 0", actual=f"got {short_repr(eta0)}"))
    return float(eta0)


def _descend(X: Floats, y: Floats, kind: Any, alpha: float, start: Floats, rate: float, steps: int) -> Floats:
    model = GradientDescentRegressor(
        cost="squared",
        penalty=kind,
        alpha=alpha,
        fit_intercept=False,
        start=start,
        eta0=rate,
        max_steps=steps,
        max_iter=steps,
        tol=None,
        gradient_tol=None,
    )
    path: Floats = model.fit(X, y).path_
    return path


def _lowest(scene: _Scene, kind: str) -> Floats:
    """Where cost and penalty together are lowest.

    l2 by its normal equation. l1 is a quadratic on each quadrant and axis: of its nine candidates the cheapest.
    """
    A, b = scene.cost.triangle.T @ scene.cost.triangle, scene.cost.triangle.T @ scene.cost.target
    twice = 2 * scene.cost.scale
    if kind == "l2":
        return np.asarray(np.linalg.solve(twice * A + scene.alpha * np.eye(2), twice * b), dtype=np.float64)
    candidates = [np.zeros(2)]
    for signs in product((-1, 0, 1), repeat=2):
        on = np.flatnonzero(signs)
        if len(on):
            theta = np.zeros(2)
            pull = scene.alpha * np.array(signs)[on]
            theta[on] = np.linalg.solve(twice * A[np.ix_(on, on)], twice * b[on] - pull)
            if (np.sign(theta[on]) == np.array(signs)[on]).all():
                candidates.append(theta)
    penalized_cost = scene.with_penalty(kind)
    return min(candidates, key=lambda theta: float(penalized_cost(theta)))


def _around(points: list[Floats]) -> tuple[tuple[float, float], tuple[float, float]]:
    low, high = np.min(points, axis=0), np.max(points, axis=0)
    span = np.maximum(high - low, 0.5 * float((high - low).max()) or 1.0)
    middle = (low + high) / 2
    ends = np.stack([middle - 0.72 * span, middle + 0.72 * span], axis=1)
    return (float(ends[0, 0]), float(ends[0, 1])), (float(ends[1, 0]), float(ends[1, 1]))


def _levels(heights: Floats) -> Floats:
    """Levels whose distances grow as the cost does: dense at the bottom."""
    low, high = float(heights.min()), float(heights.max())
    return low + (high - low) * np.linspace(0, 1, LEVELS + 1)[1:-1] ** 2


def _draw_ground(ax: "Axes", scene: _Scene, heights: Floats) -> None:
    grid = scene.grid()
    levels = _levels(heights)
    fill: Any = {"levels": [float(heights.min()), *levels, float(heights.max())], "cmap": "Greys", "alpha": 0.45}
    ax.contourf(grid[..., 0], grid[..., 1], heights, zorder=0, **fill)
    ax.contour(grid[..., 0], grid[..., 1], heights, levels=levels, colors=_style.GRAY, linewidths=0.7, zorder=1)
    ax.axhline(0, color=_style.INK, linewidth=0.8, zorder=2)
    ax.axvline(0, color=_style.INK, linewidth=0.8, zorder=2)
    ax.spines[:].set_color(_style.GRAY)
    ax.tick_params(color=_style.GRAY)


def _draw_apart(ax: "Axes", scene: _Scene, kind: str, free: Floats, alone: Floats) -> None:
    _draw_ground(ax, scene, scene.cost(scene.grid()))
    grid = scene.grid()
    heights = scene.only_penalty(kind)(grid)
    style: Any = {"colors": _style.BLUE, "linewidths": 1.0, "linestyles": "--", "zorder": 2}
    ax.contour(grid[..., 0], grid[..., 1], heights, levels=_levels(heights)[1:], **style)
    ax.plot([], [], color=_style.BLUE, linestyle="--", linewidth=1.0, label="contours of the penalty")
    _draw_path(ax, free, _style.VERMILION, "o", "descent on the cost alone")
    _draw_path(ax, alone, _style.BLUE, "^", "descent on the penalty alone")
    _draw_best(ax, scene.best, "s", "lowest cost")
    ax.set_title(f"mean squared error, and {kind} penalty", fontsize=_style.TITLE)


def _draw_sum(ax: "Axes", scene: _Scene, kind: str, both: Floats) -> None:
    _draw_ground(ax, scene, scene.with_penalty(kind)(scene.grid()))
    _draw_path(ax, both, _style.GREEN, "D", "descent on the sum")
    _draw_best(ax, scene.best, "s", "lowest cost")
    _draw_best(ax, _lowest(scene, kind), "*", "lowest sum")
    ax.set_title(f"mean squared error + {scene.alpha:g} · {kind} penalty", fontsize=_style.TITLE)


def _draw_path(ax: "Axes", path: Floats, color: str, marker: str, label: str) -> None:
    every = [0, *np.unique(np.geomspace(1, len(path) - 1, 18).astype(int)).tolist()]
    style: dict[str, Any] = {"markeredgecolor": "white", "markeredgewidth": 0.5, "markersize": 5.5}
    ax.plot(*path.T, color=color, marker=marker, markevery=every, linewidth=1.4, zorder=4, label=label, **style)


def _draw_best(ax: "Axes", point: Floats, marker: str, label: str) -> None:
    size = 15 if marker == "*" else 8
    style: dict[str, Any] = {"markerfacecolor": "gold", "markeredgecolor": _style.INK, "linestyle": ""}
    ax.plot(*point[:, None], marker=marker, markersize=size, zorder=5, label=label, **style)


def _write_key(axes: "NDArray[np.object_]") -> None:
    entries: dict[str, Any] = {}
    for ax in axes.ravel():
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    figure = axes[0, 0].figure
    figure.legend(entries.values(), entries, loc="outside lower center", ncols=3, frameon=False)
