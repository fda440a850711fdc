"""Pictures of principal components: how much each explains, projections of a plane, and what a projection loses."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pellucid.base.errors import DataError, ParameterError, format_message
from pellucid.base.types import Array, Floats
from pellucid.plotting import _style
from pellucid.plotting._read import names_of, numbers
from pellucid.plotting._style import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["explained_variance", "projections"]


def explained_variance(model: Any, *, ax: "Axes | None" = None) -> "Axes":
    """Draw the share of the variance that each component explains, and the sum of the first ones.

    Parameters
    ----------
    model : fitted PCA
    ax : where to draw; a new figure unless told

    Returns
    -------
    matplotlib.axes.Axes
    """
    if not hasattr(model, "explained_variance_ratio_"):
        requirement = "model must be fitted and have explained_variance_ratio_"
        raise ParameterError(format_message("explained_variance", requirement, actual=f"got {type(model).__name__}"))
    ax = _style.axes() if ax is None else ax
    _style.tidy(ax)
    shares = np.asarray(model.explained_variance_ratio_)
    numbers = np.arange(1, len(shares) + 1)
    ax.bar(numbers, shares, color=_style.LIGHT, edgecolor=_style.BLUE, label="of each component")
    ax.plot(numbers, np.cumsum(shares), "o-", color=_style.VERMILION, label="of the first ones together")
    ax.set_xlabel("component")
    ax.set_ylabel("share of the variance")
    ax.set_ylim(0, 1.05)
    if len(shares) <= 20:
        ax.set_xticks(numbers)
    _style.legend(ax)
    return ax


def projections(X: Any, directions: Sequence[Any] | None = None, *, labels: Sequence[str] | None = None) -> "Array":
    """Draw rows of two columns and their projections on lines, one panel a line, with the variance along each.

    Unless told the lines are the two axes and the direction of largest variance. A dotted segment joins a row with its
    projection: the shorter these are, the larger the variance that is kept.

    Parameters
    ----------
    X : rows of two columns
    directions : pairs of numbers, optional
    labels : a title for each, optional

    Returns
    -------
    numpy.ndarray of matplotlib.axes.Axes, one a direction
    """
    from matplotlib import pyplot

    table = numbers("projections", "X", X)
    if table.ndim != 2 or table.shape[1] != 2 or len(table) < 2:
        requirement = "X must have two columns and two rows or more"
        raise DataError(format_message("projections", requirement, actual=f"got shape {table.shape}"))
    names = names_of(None, X, 2)
    lines, titles = _lines(table, directions, labels, names)
    grid = pyplot.subplots(1, len(lines), figsize=(4.4 * len(lines), 4.4), layout="constrained", squeeze=False)[1]
    for ax, v, title in zip(grid[0], lines, titles, strict=True):
        _projected(ax, table, v, title)
        ax.set_xlabel(plain(names[0]))
        ax.set_ylabel(plain(names[1]))
    return np.asarray(grid[0])


def _lines(
    table: Floats, directions: Sequence[Any] | None, labels: Sequence[str] | None, names: list[str]
) -> tuple[list[Floats], list[str]]:
    if directions is None:
        from pellucid.decomposition import PCA

        lines = [np.array([1.0, 0.0]), np.array([0.0, 1.0]), PCA(1).fit(table).components_[0]]
        return lines, list(labels or [f"on {names[0]}", f"on {names[1]}", "on the first component"])
    lines = [np.asarray(v, dtype=np.float64) for v in directions]
    if not lines or any(v.shape != (2,) or not np.linalg.norm(v) > 0 for v in lines):
        raise ParameterError(format_message("projections", "directions must be pairs of numbers, not both 0"))
    titles = list(labels) if labels is not None else [f"on ({v[0]:.3g}, {v[1]:.3g})" for v in lines]
    if len(titles) != len(lines):
        actual = f"got {len(titles)} for {len(lines)}"
        raise ParameterError(format_message("projections", "labels must be one a direction", actual=actual))
    return [v / np.linalg.norm(v) for v in lines], titles


def _projected(ax: "Axes", table: Floats, v: Floats, title: str) -> None:
    _style.tidy(ax)
    mean = table.mean(axis=0)
    projections = (table - mean) @ v
    feet = mean + projections[:, None] * v
    ends = mean + np.array([[projections.min() * 1.1], [projections.max() * 1.1]]) * v
    ax.plot(*ends.T, color=_style.GRAY, linewidth=1.2)
    for row, foot in zip(table, feet, strict=True):
        ax.plot(*np.array([row, foot]).T, ":", color=_style.GRAY, linewidth=1)
    size = _style.marker_size(len(table))
    ax.plot(*table.T, "o", color=_style.BLUE, markersize=size, linestyle="")
    ax.plot(*feet.T, "s", color=_style.VERMILION, markersize=size, linestyle="")
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_title(f"{plain(title)}: variance {projections.var(ddof=1):.4g}", fontsize=_style.TITLE)
