"""Pictures of clusters: the curve of distortions with its bend, and rows around their centers."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from pellucid.base.errors import DataError, ParameterError, format_message
from pellucid.plotting import _style
from pellucid.plotting._read import names_of, numbers
from pellucid.plotting._style import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["cluster_map", "elbow_curve"]


def elbow_curve(curve: Any, distortion: ArrayLike | None = None, *, ax: "Axes | None" = None) -> "Axes":
    """Draw distortions against the number of centers, the line between the ends, and the bend below it.

    Parameters
    ----------
    curve : what `pellucid.cluster.distortion_curve` gives, or numbers of centers
    distortion : the distortion of each, where ``curve`` is numbers
    ax : where to draw; a new figure unless told

    Returns
    -------
    matplotlib.axes.Axes
    """
    from pellucid.cluster import elbow_point

    k, J = (curve.k, curve.distortion) if distortion is None else (np.asarray(curve), np.asarray(distortion))
    elbow = elbow_point(k, J)
    ax = _style.axes() if ax is None else ax
    _style.tidy(ax)
    ax.plot([k[0], k[-1]], [J[0], J[-1]], "--", color=_style.GRAY, label="line between the ends")
    ax.plot(k, J, "o-", color=_style.BLUE, label="total distortion")
    at = int(np.flatnonzero(np.asarray(k) == elbow)[0])
    ax.plot(k[at], J[at], "s", color=_style.VERMILION, markersize=10, label=f"bend: {elbow} centers")
    ax.set_xlabel("number of centers")
    ax.set_ylabel("total distortion")
    ax.set_xticks(np.asarray(k))
    ax.set_ylim(bottom=0)
    _style.legend(ax)
    return ax


def cluster_map(model: Any, X: Any, *, ax: "Axes | None" = None) -> "Axes":
    """Draw rows of two columns, a color and marker a cluster, with the centers as crosses.

    Parameters
    ----------
    model : fitted KMeans of two columns
    X : rows, those of the fit or others
    ax : where to draw; a new figure unless told

    Returns
    -------
    matplotlib.axes.Axes
    """
    who = "cluster_map"
    if not hasattr(model, "cluster_centers_"):
        raise ParameterError(format_message(who, "model must be a fitted KMeans", actual=f"got {type(model).__name__}"))
    table = numbers(who, "X", X)
    if model.n_features_in_ != 2:
        actual = f"got {model.n_features_in_}"
        raise DataError(
            format_message(who, "the model must have two columns", actual=actual, hint="fit it on two columns")
        )
    ax = _style.axes() if ax is None else ax
    _style.tidy(ax)
    labels = np.asarray(model.predict(X))
    for c, center in enumerate(model.cluster_centers_):
        color, marker = _style.COLORS[c % 6], _style.MARKERS[(c + c // 6) % 6]
        members = table[labels == c]
        ax.plot(*members.T, marker, color=color, markersize=_style.marker_size(len(table)), linestyle="",
                label=f"cluster {c}: {len(members)}")  # fmt: skip
        ax.plot(*center, "X", color=color, markersize=13, markeredgecolor="white")
    names = names_of(model, X, 2)
    ax.set_xlabel(plain(names[0]))
    ax.set_ylabel(plain(names[1]))
    if len(model.cluster_centers_) <= 10:
        _style.legend(ax)
    return ax
