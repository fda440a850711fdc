"""Pictures of what a regressor leaves unexplained: the residuals ``e = y - ŷ`` of a fitted model.

They read ``predict`` only, so that any regressor will do. Nothing is fitted here.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from pellucid.base.errors import DataError, ParameterError, count, format_message, short_repr
from pellucid.base.types import Floats
from pellucid.plotting import _style
from pellucid.plotting._panels import panels
from pellucid.plotting._read import name_of, numbers
from pellucid.plotting._style import MINUS, number, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["residuals"]

WHO = "residuals"
Kind = Literal["fitted", "order", "quantile", "histogram", "all"]
# A running mean takes this share of the rows at a time; below so many rows there is none.
SHARE = 0.2
FEWEST = 8
# With at most so many different values, the mean is taken at each of them.
FEW_VALUES = 10
MOST_BARS = 50
# Residuals below this share of the largest number are rounding, and count as zero.
ROUNDING = 1e-14
# From a point to its name, steps farther off, and how near a name may come to other points: in points of 1/72 inch.
GAP, AWAY, NEAR = 7.0, 30.0, 2.0


class Regressor(Protocol):
    """A fitted regressor."""

    def predict(self, X: Any, /) -> Any: ...


@dataclass(frozen=True)
class Residuals:
    """What a model says of each row, and how far the truth is from it; ``largest`` are the rows to be named."""

    fitted: Floats
    values: Floats
    target: str
    names: list[str]
    largest: NDArray[np.intp]


def residuals(
    model: Regressor, X: Any, y: Any, kind: Kind = "fitted", *, n_named: int = 3, ax: "Axes | None" = None
) -> "Axes | NDArray[np.object_]":
    """Draw a regressor's residuals ``e = y - ŷ`` in one of four ways, or in all of them.

    ============ ========================================================================================
    fitted       against the fitted values ``ŷ``: a bend in the running mean is a bend that the model
                 has missed, a funnel is a spread that grows
    order        against the order of the rows: waves are rows that depend on those before them
    quantile     in order of size, the k-th of n against the normal quantile at ``(k - 1/2) / n``: normal
                 residuals lie along the line, which goes through the quartiles
    histogram    counted in bars, with the normal density of the same mean and standard deviation
    ============ ========================================================================================

    Parameters
    ----------
    model : fitted regressor
    X : table that the model can predict from
    y : column of shape (n_rows,)
    kind : "fitted", "order", "quantile", "histogram" or "all"
    n_named : int, default=3
        The rows with the largest residuals to name: by the index of a pandas frame, else by number, counted from 0.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise. Not for "all".

    Returns
    -------
    matplotlib Axes; for "all" an array of them of shape (2, 2)

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> X, y = [[1], [2], [4], [3], [5]], [1, 3, 3, 2, 5]
    >>> ax = residuals(LinearRegression().fit(X, y), X, y, n_named=1)
    >>> [text.get_text() for text in ax.texts]
    ['row 1']
    """
    if kind not in get_args(Kind):
        raise ParameterError(
            format_message(WHO, f"kind must be one of {', '.join(get_args(Kind))}", actual=f"got {kind!r}")
        )
    r = _read(model, X, y, n_named)
    if kind != "all":
        ax = _style.axes() if ax is None else ax
        _style.tidy(ax)
        DRAW[kind](ax, r)
        return ax
    if ax is not None:
        raise ParameterError(format_message(WHO, "ax is for a single picture, not for kind='all'"))
    axes = panels(4, size=(4.6, 3.5), max_columns=2).reshape(2, 2)
    for panel, draw in zip(axes.ravel(), DRAW.values(), strict=True):
        _style.tidy(panel)
        draw(panel, r)
    return axes


def _read(model: Any, X: Any, y: Any, n_named: Any) -> Residuals:
    if not hasattr(model, "predict") or hasattr(model, "classes_"):
        raise DataError(format_message(WHO, "needs a fitted regressor", actual=f"got {short_repr(model)}"))
    if isinstance(n_named, bool) or not isinstance(n_named, int | np.integer) or n_named < 0:
        raise ParameterError(
            format_message(WHO, "n_named must be a whole number, 0 or more", actual=f"got {short_repr(n_named)}")
        )
    observed = numbers(WHO, "y", y)
    if observed.size == 0 or observed.size != len(observed):
        actual = f"got shape {observed.shape}"
        raise DataError(
            format_message(
                WHO, "y must be one column with at least one row", actual=actual, hint="one target at a time"
            )
        )
    fitted = numbers(WHO, "the prediction", model.predict(X)).ravel()
    if len(fitted) != len(observed):
        actual = f"got predictions for {count(len(fitted), 'row')} and y with {count(len(observed), 'row')}"
        raise DataError(format_message(WHO, "X and y must have as many rows", actual=actual))
    values = observed.ravel() - fitted
    values[np.abs(values) <= ROUNDING * max(np.abs(observed).max(), np.abs(fitted).max())] = 0.0
    largest = np.argsort(-np.abs(values), kind="stable")[:n_named]
    return Residuals(fitted, values, plain(name_of(y)), _row_names(X, y, len(values)), largest[values[largest] != 0])


def _row_names(X: Any, y: Any, n_rows: int) -> list[str]:
    for table in (X, y):
        index = getattr(table, "index", None)
        if index is not None and not callable(index) and len(index) == n_rows:
            return [plain(name if isinstance(name, str) else f"row {name}") for name in index]
    return [f"row {i}" for i in range(n_rows)]


# ----------------------------------------------------------------------------------------------------------- the four


def _draw_fitted(ax: "Axes", r: Residuals) -> None:
    _draw_points(ax, r, r.fitted, r.values)
    _draw_running(ax, *running_mean(r.fitted, r.values))
    ax.set(xlabel=f"fitted {r.target}", ylabel=_wording(r))
    _name_rows(ax, r, r.fitted, r.values)


def _draw_order(ax: "Axes", r: Residuals) -> None:
    rows = np.arange(len(r.values), dtype=np.float64)
    _draw_points(ax, r, rows, r.values)
    _draw_running(ax, *running_mean(rows, r.values))
    ax.set(xlabel="row", ylabel=_wording(r))
    ax.locator_params(axis="x", nbins=6, integer=True)
    _name_rows(ax, r, rows, r.values)


def _draw_quantile(ax: "Axes", r: Residuals) -> None:
    n = len(r.values)
    order = np.argsort(r.values, kind="stable")
    expected = np.empty(n)
    expected[order] = ndtri((np.arange(n) + 0.5) / n)
    low, high = np.quantile(r.values, [0.25, 0.75])
    scale, middle = (high - low) / (2 * float(ndtri(0.75))), (low + high) / 2
    ends = np.array([expected.min(), expected.max()])
    ax.plot(ends, middle + scale * ends, color=_style.GREEN, linestyle="--", linewidth=1.8, zorder=2, label="normal")
    ax.plot(expected, r.values, **_mark(n), zorder=3)
    ax.set(xlabel="normal quantile", ylabel=_wording(r))
    _name_rows(ax, r, expected, r.values)
    _legend(ax)


def _draw_histogram(ax: "Axes", r: Residuals) -> None:
    mean, sd = float(r.values.mean()), float(r.values.std())
    edges = _edges(r.values)
    ax.hist(r.values, bins=list(edges), facecolor=_style.LIGHT, edgecolor=_style.BLUE, linewidth=0.8, zorder=2)
    ax.axvline(0, color=_style.GRAY, linewidth=1.2, zorder=1)
    if sd > 0:
        x = np.linspace(min(edges[0], mean - 3.5 * sd), max(edges[-1], mean + 3.5 * sd), 300)
        density = np.exp(-0.5 * ((x - mean) / sd) ** 2) / (sd * np.sqrt(2 * np.pi))
        rows = density * len(r.values) * (edges[1] - edges[0])
        label = f"normal, mean {number(mean, like=sd)}, sd {number(sd)}"
        ax.plot(x, rows, color=_style.GREEN, linestyle="--", linewidth=1.8, zorder=3, label=label)
        _legend(ax)
    ax.set(xlabel=_wording(r), ylabel="rows")


DRAW: dict[str, "Callable[[Axes, Residuals], None]"] = {
    "fitted": _draw_fitted,
    "order": _draw_order,
    "quantile": _draw_quantile,
    "histogram": _draw_histogram,
}


# -------------------------------------------------------------------------------------------------------------- parts


def running_mean(x: Floats, values: Floats) -> tuple[Floats, Floats]:
    """The mean of the values, and of x, over a window that moves along the rows in order of x.

    The window takes a fifth of the rows, less at the ends. Where x has few different values, the mean at each of them.

    >>> at, means = running_mean(np.array([1.0, 2.0, 1.0, 2.0] * 2), np.array([1.0, 5.0, 3.0, 5.0] * 2))
    >>> at.tolist(), means.tolist()
    ([1.0, 2.0], [2.0, 5.0])
    """
    if len(x) < FEWEST:
        return np.empty(0), np.empty(0)
    different, group = np.unique(x, return_inverse=True)
    if len(different) <= FEW_VALUES:
        return different, np.bincount(group, weights=values) / np.bincount(group)
    order = np.argsort(x, kind="stable")
    half = max(int(SHARE * len(x) / 2), 1)
    positions = np.arange(len(x))
    start, stop = np.maximum(positions - half, 0), np.minimum(positions + half + 1, len(x))
    sums = [np.append(0.0, np.cumsum(column[order])) for column in (x, values)]
    at, means = ((total[stop] - total[start]) / (stop - start) for total in sums)
    return at, means


def _edges(values: Floats) -> Floats:
    """Edges of the bars: by the Freedman-Diaconis and Sturges rules, and never so many that they are hairs."""
    edges = np.histogram_bin_edges(values, bins="auto")
    if len(edges) > MOST_BARS + 1:
        edges = np.linspace(edges[0], edges[-1], MOST_BARS + 1)
    return np.asarray(edges, dtype=np.float64)


def _wording(r: Residuals) -> str:
    return f"residual ({r.target} {MINUS} fitted)"


def _mark(n_rows: int) -> dict[str, Any]:
    alpha = 0.85 if n_rows <= 400 else 0.5
    return {
        "linestyle": "",
        "marker": "o",
        "markersize": _style.marker_size(n_rows) - 0.5,
        "color": _style.BLUE,
        "alpha": alpha,
        "markeredgewidth": 0,
        "label": "residual",
    }


def _draw_points(ax: "Axes", r: Residuals, x: Floats, values: Floats) -> None:
    ax.axhline(0, color=_style.INK, linewidth=1.2, zorder=1)
    ax.plot(x, values, **_mark(len(r.values)), zorder=2)


def _draw_running(ax: "Axes", x: Floats, means: Floats) -> None:
    if len(x) > 1:
        ax.plot(x, means, color=_style.VERMILION, linewidth=2.2, zorder=3, label="running mean")
        _legend(ax)


def _legend(ax: "Axes") -> None:
    """Above the frame, where it hides neither points nor names."""
    ax.legend(frameon=False, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, borderaxespad=0.2)


def _name_rows(ax: "Axes", r: Residuals, x: Floats, values: Floats) -> None:
    """The largest residuals' rows, each beside its point or near it, where it hides least."""
    ax.margins(y=0.1)
    ax.autoscale_view()
    inch = ax.figure.dpi / 72
    points = ax.transData.transform(np.column_stack([x, values])) / inch
    frame = np.array(ax.get_window_extent().extents) / inch
    occupied: list[Floats] = []
    for row in r.largest:
        away, box = _best_place(points, points[row], len(r.names[row]), frame, occupied)
        occupied.append(box)
        tie = {"arrowstyle": "-", "color": _style.GRAY, "linewidth": 0.7, "shrinkA": 0, "shrinkB": 2}
        ax.annotate(
            r.names[row],
            (x[row], values[row]),
            xytext=(float(away[0]), float(away[1])),
            textcoords="offset points",
            ha="left" if away[0] > 0 else "right",
            va="center",
            color=_style.INK,
            fontsize=_style.SMALL,
            arrowprops=tie if away[1] or abs(away[0]) > GAP else None,
            zorder=5,
        )


def _best_place(
    points: Floats, at: Floats, letters: int, frame: Floats, occupied: list[Floats]
) -> tuple[Floats, Floats]:
    """Where a name stands from its point, across and up: in the frame, over no other name, over few points.

    Also its box: left, bottom, right, top. All lengths are in points of 1/72 inch.
    """
    height, width = 1.25 * _style.SMALL, 0.58 * _style.SMALL * letters
    candidates: list[tuple[float, Floats, Floats]] = []
    for far, side, step in product((0, 1, 2), (1, -1), (0, 1, -1, 2, -2, 3, -3)):
        away = np.array([side * (GAP + AWAY * far), step * height])
        corner = at + away - [width if side < 0 else 0.0, height / 2]
        box = np.append(corner, corner + np.array([width, height]))
        hidden = ((points > box[:2] - NEAR) & (points < box[2:] + NEAR)).all(axis=1).sum()
        tied = np.append(np.minimum(box[:2], at), np.maximum(box[2:], at))
        over, crossed = (sum(_meet(region, box_b) for box_b in occupied) for region in (box, tied))
        outside = bool((box[:2] < frame[:2]).any() or (box[2:] > frame[2:]).any())
        candidates.append(
            (1000.0 * over + 100.0 * outside + 12.0 * crossed + 3.0 * hidden + abs(step) + 1.5 * far, away, box)
        )
    return min(candidates, key=lambda candidate: candidate[0])[1:]


def _meet(box: Floats, box_b: Floats) -> bool:
    return bool((box[:2] < box_b[2:]).all() and (box_b[:2] < box[2:]).all())
