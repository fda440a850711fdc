"""Pictures of support vector machines: the street between two classes, and the tube around a curve."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from pellucid.base.errors import DataError, ParameterError, format_message
from pellucid.base.types import Floats
from pellucid.plotting import _style
from pellucid.plotting._read import names_of, numbers
from pellucid.plotting._style import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["support_vector_street", "support_vector_tube"]

GRID = 200


def _ends(values: Floats) -> Floats:
    """Places along an axis, a little beyond the rows on either side."""
    low, high = float(values.min()), float(values.max())
    beyond = 0.1 * (high - low) or 1.0
    return np.linspace(low - beyond, high + beyond, GRID)


def support_vector_street(model: Any, X: Any, y: ArrayLike, *, ax: "Axes | None" = None) -> "Axes":
    """Draw two classes of two columns, the border, the edges of the street, and rings around rows that hold it.

    Rows that lack something (slack above zero) are rings too: they lie in the street or on the wrong side of it.

    Parameters
    ----------
    model : fitted SVC or LinearSVC of two classes and two columns
    X, y : the rows of the fit
    ax : where to draw; a new figure unless told

    Returns
    -------
    matplotlib.axes.Axes
    """
    who = "support_vector_street"
    if not hasattr(model, "slacks"):
        raise ParameterError(
            format_message(who, "model must be a fitted SVC or LinearSVC", actual=f"got {type(model).__name__}")
        )
    if model.n_features_in_ != 2 or len(model.classes_) != 2:
        actual = f"got {model.n_features_in_} columns and {len(model.classes_)} classes"
        raise DataError(format_message(who, "the model must have two columns and two classes", actual=actual))
    table, labels = numbers(who, "X", X), np.asarray(y)
    ax = _style.axes() if ax is None else ax
    _style.tidy(ax)
    for c, label in enumerate(model.classes_):
        members = table[labels == label]
        ax.plot(members[:, 0], members[:, 1], linestyle="", marker=_style.MARKERS[c], color=_style.COLORS[c],
                label=plain(str(label)))  # fmt: skip
    across, up = _ends(table[:, 0]), _ends(table[:, 1])
    points = np.column_stack([coordinates.ravel() for coordinates in np.meshgrid(across, up)])
    scores = np.asarray(model.decision_function(_like(X, points))).reshape(GRID, GRID)
    ax.contour(across, up, scores, levels=[-1, 0, 1], colors=[_style.GRAY, "black", _style.GRAY],
               linestyles=["--", "-", "--"])  # fmt: skip
    support = table[_holding(model, X, labels)]
    ax.plot(support[:, 0], support[:, 1], linestyle="", marker="o", markersize=12, fillstyle="none", color=_style.GRAY,
            label="holds the street")  # fmt: skip
    first, second = names_of(model, X, 2)
    ax.set_xlabel(plain(first))
    ax.set_ylabel(plain(second))
    _style.legend(ax)
    return ax


def _holding(model: Any, X: Any, labels: Any) -> Any:
    """Support vectors; of a linear machine, rows on the edge of the street or beyond it."""
    if hasattr(model, "support_"):
        return model.support_
    t = np.where(labels == model.classes_[1], 1.0, -1.0)
    return np.flatnonzero(t * np.asarray(model.decision_function(X)) <= 1 + 1e-6)


def _like(X: Any, values: Floats) -> Any:
    """Points in the form of the table: a frame keeps its names."""
    return type(X)(values, columns=X.columns) if type(X).__module__.startswith("pandas") else values


def support_vector_tube(model: Any, X: Any, y: ArrayLike, *, ax: "Axes | None" = None) -> "Axes":
    """Draw one column against the target, the curve, its tube of half-width epsilon, and rings around rows outside.

    Parameters
    ----------
    model : fitted SVR or LinearSVR of one column
    X, y : the rows of the fit
    ax : where to draw; a new figure unless told

    Returns
    -------
    matplotlib.axes.Axes
    """
    who = "support_vector_tube"
    if not hasattr(model, "epsilon") or not hasattr(model, "dual_coef_"):
        raise ParameterError(
            format_message(who, "model must be a fitted SVR or LinearSVR", actual=f"got {type(model).__name__}")
        )
    if model.n_features_in_ != 1:
        actual = f"got {model.n_features_in_}"
        raise DataError(
            format_message(who, "the model must have one column", actual=actual, hint="fit it on one column")
        )
    x, target = numbers(who, "X", X)[:, 0], np.asarray(y, dtype=np.float64)
    along = _ends(x)
    curve = np.asarray(model.predict(_like(X, along[:, None])))
    ax = _style.axes() if ax is None else ax
    _style.tidy(ax)
    ax.fill_between(along, curve - model.epsilon, curve + model.epsilon, color=_style.BLUE, alpha=0.15,
                    label=f"within {model.epsilon:g}")  # fmt: skip
    ax.plot(along, curve, color=_style.BLUE, label="prediction")
    ax.plot(x, target, linestyle="", marker=_style.MARKERS[0], color=_style.VERMILION, label="rows")
    coefficients = np.zeros(len(x))
    if hasattr(model, "support_"):
        coefficients[model.support_] = model.dual_coef_[0]
    else:
        coefficients = np.asarray(model.dual_coef_)
    support = coefficients != 0
    ax.plot(x[support], target[support], linestyle="", marker="o", markersize=12, fillstyle="none", color=_style.GRAY,
            label="holds the tube")  # fmt: skip
    ax.set_xlabel(plain(names_of(model, X, 1)[0]))
    ax.set_ylabel("target")
    _style.legend(ax)
    return ax
