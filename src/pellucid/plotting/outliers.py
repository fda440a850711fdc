"""Pictures of outliers: circles as large as local outlier factors, k-distances, and the neighborhoods of a radius."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pellucid.base.errors import DataError, ParameterError, format_message
from pellucid.base.types import Floats
from pellucid.plotting import _style
from pellucid.plotting._read import names_of, numbers
from pellucid.plotting._style import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["distance_outlier_map", "k_distance_circles", "lof_bubbles"]


def lof_bubbles(model: Any, X: Any, *, ax: "Axes | None" = None) -> "Axes":
    """Draw rows of two columns with a circle around each that is as large as its local outlier factor.

    Parameters
    ----------
    model : fitted LocalOutlierFactor of two columns
    X : the rows of the fit
    ax : where to draw; a new figure unless told

    Returns
    -------
    matplotlib.axes.Axes
    """
    table = _plane("lof_bubbles", model, X, "negative_outlier_factor_")
    ax = _begin(ax, model, X)
    factor = -np.asarray(model.negative_outlier_factor_)
    outlier = model.negative_outlier_factor_ < model.offset_
    size = 1600 * ((factor - factor.min()) / max(float(np.ptp(factor)), 1e-12)) ** 2 + 20
    for which, color, name in ((~outlier, _style.BLUE, "rows"), (outlier, _style.VERMILION, "outliers")):
        ax.scatter(table[which, 0], table[which, 1], s=size[which], facecolors="none", edgecolors=color)
        ax.plot(*table[which].T, "o", color=color, markersize=_style.marker_size(len(table)) - 1, linestyle="",
                label=name)  # fmt: skip
    for i in np.argsort(-factor)[: min(5, int(outlier.sum()))]:
        ax.annotate(_style.number(float(factor[i])), table[i], (8, 6), textcoords="offset points", color=_style.INK)
    ax.margins(0.12)  # the largest circle stays whole
    ax.set_title("Local outlier factors", fontsize=_style.TITLE)
    _style.legend(ax)
    return ax


def k_distance_circles(model: Any, X: Any, *, rows: Sequence[int] | None = None, ax: "Axes | None" = None) -> "Axes":
    """Draw rows of two columns with circles that reach to the k-th neighbor of some of them.

    Parameters
    ----------
    model : fitted LocalOutlierFactor of two columns
    X : the rows of the fit
    rows : positions of the rows that get a circle; all of up to 20 rows unless told, else the first 20
    ax : where to draw; a new figure unless told

    Returns
    -------
    matplotlib.axes.Axes
    """
    from matplotlib.patches import Circle

    who = "k_distance_circles"
    table = _plane(who, model, X, "k_distance_")
    indices = list(range(min(len(table), 20))) if rows is None else [int(i) for i in rows]
    wrong = [i for i in indices if not 0 <= i < len(table)]
    if wrong:
        raise ParameterError(
            format_message(who, f"rows must be between 0 and {len(table) - 1}", actual=f"got {wrong[0]}")
        )
    ax = _begin(ax, model, X)
    for i in indices:
        circle = Circle(tuple(table[i]), float(model.k_distance_[i]), fill=False, color=_style.GRAY, linewidth=1)
        ax.add_patch(circle)
    ax.plot(*table.T, "o", color=_style.BLUE, markersize=_style.marker_size(len(table)), linestyle="")
    ax.set_aspect("equal", adjustable="datalim")
    ax.autoscale_view()
    ax.set_title(f"Distance to neighbor {model.n_neighbors_}", fontsize=_style.TITLE)
    return ax


def distance_outlier_map(model: Any, X: Any, *, ax: "Axes | None" = None) -> "Axes":
    """Draw rows of two columns, outliers with the circle of the radius, and regions of outliers under one number.

    Parameters
    ----------
    model : fitted DistanceOutliers of two columns
    X : the rows of the fit
    ax : where to draw; a new figure unless told

    Returns
    -------
    matplotlib.axes.Axes
    """
    from matplotlib.patches import Circle

    table = _plane("distance_outlier_map", model, X, "regions_")
    ax = _begin(ax, model, X)
    outlier = model.regions_ >= 0
    size = _style.marker_size(len(table))
    ax.plot(*table[~outlier].T, "o", color=_style.BLUE, markersize=size, linestyle="", label="rows")
    ax.plot(*table[outlier].T, "s", color=_style.VERMILION, markersize=size + 1, linestyle="", label="outliers")
    for i in np.flatnonzero(outlier)[:40]:
        ax.add_patch(Circle(tuple(table[i]), float(model.radius), fill=False, color=_style.VERMILION, linestyle=":"))
        ax.annotate(str(int(model.regions_[i]) + 1), table[i], (7, 5), textcoords="offset points", color=_style.INK)
    ax.set_aspect("equal", adjustable="datalim")
    ax.autoscale_view()
    title = f"At most a share of {model.share:g} within {model.radius:g}"
    ax.set_title(title, fontsize=_style.TITLE)
    _style.legend(ax)
    return ax


def _plane(who: str, model: Any, X: Any, attribute: str) -> Floats:
    if not hasattr(model, attribute):
        actual = f"got {type(model).__name__}"
        raise ParameterError(format_message(who, f"model must be fitted and have {attribute}", actual=actual))
    table = numbers(who, "X", X)
    if table.ndim != 2 or table.shape[1] != 2:
        raise DataError(format_message(who, "X must have two columns", actual=f"got shape {table.shape}"))
    if len(table) != model.n_samples_fit_:
        actual = f"got {len(table)} for {model.n_samples_fit_}"
        raise DataError(format_message(who, "X must be the rows of the fit", actual=actual))
    return table


def _begin(ax: "Axes | None", model: Any, X: Any) -> "Axes":
    ax = _style.axes() if ax is None else ax
    _style.tidy(ax)
    names = names_of(model, X, 2)
    ax.set_xlabel(plain(names[0]))
    ax.set_ylabel(plain(names[1]))
    return ax
