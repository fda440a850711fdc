"""Pictures of rows before and after a map: rings become straight under `PolarMap`, ellipses under `QuadraticMap`.

They read the fitted map and what it makes of the rows. Nothing is fitted here.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pellucid.base.errors import DataError, ParameterError, count, format_message, join_some, short_repr
from pellucid.base.types import Array, Floats
from pellucid.data.target import read_target
from pellucid.plotting import _style
from pellucid.plotting._panels import panels
from pellucid.plotting._read import name_of, names_of, numbers
from pellucid.plotting._style import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

__all__ = ["ellipse_map", "polar_map"]

SIZE = (4.2, 3.9)


def polar_map(model: Any, X: Any, y: Any, *, radius: float | None = None) -> "NDArray[np.object_]":
    """Draw the rows of two columns before and after a `PolarMap`: around the center, and by angle and radius.

    Parameters
    ----------
    model : fitted PolarMap of two columns
    X : table of two columns of numbers
    y : labels, at most six different ones
    radius : float, optional
        A circle of this radius on the left, which is a straight line on the right.

    Returns
    -------
    array of two matplotlib Axes

    Examples
    --------
    >>> from pellucid.preprocessing import PolarMap
    >>> X, y = [[1, 0], [0, 1], [3, 0], [0, -3]], ["near", "near", "far", "far"]
    >>> before, after = polar_map(PolarMap(center=0).fit(X), X, y, radius=2)
    >>> after.get_xlabel(), after.get_ylabel()
    ('angle', 'radius')
    """
    who = "polar_map"
    table, labels = _read(who, model, "center_", X, y)
    if radius is not None and not (_is_number(radius) and radius > 0):
        raise ParameterError(format_message(who, "radius must be a number above 0", actual=f"got {short_repr(radius)}"))
    transformed = np.asarray(model.transform(X), dtype=np.float64)
    before, after = _panels(names_of(model, X, 2), ("angle" + (", degrees" if model.degrees else ""), "radius"))
    _draw(before, table, labels)
    _draw(after, transformed[:, ::-1], labels)
    center = np.asarray(model.center_)
    before.plot(*center, "+", color=_style.INK, markersize=11, markeredgewidth=1.6, label="center")
    if radius is not None:
        turn = np.linspace(0, 2 * np.pi, 361)
        before.plot(center[0] + radius * np.cos(turn), center[1] + radius * np.sin(turn), "--", color=_style.INK)
        after.axhline(radius, linestyle="--", color=_style.INK)
    before.set_aspect("equal", adjustable="datalim")
    after.set_ylim(bottom=0)
    _finish(before, after, name_of(y))
    return np.array([before, after], dtype=object)


def ellipse_map(model: Any, X: Any, y: Any, *, boundary: Sequence[float] | None = None) -> "NDArray[np.object_]":
    """Draw the rows of two columns before and after a `QuadraticMap`: as they are, and by their squares.

    Parameters
    ----------
    model : fitted QuadraticMap of two columns
    X : table of two columns of numbers
    y : labels, at most six different ones
    boundary : three numbers a, b, c above 0, optional
        The ellipse  ``a x1² + b x2² = c``  on the left, which is the straight line  ``a z1 + b z3 = c``  on the right:
        a plane, seen along the axis of the mixed product, of which it does not depend.

    Returns
    -------
    array of two matplotlib Axes

    Examples
    --------
    >>> from pellucid.preprocessing import QuadraticMap
    >>> X, y = [[1, 0], [0, 1], [3, 0], [0, -3]], ["inside", "inside", "outside", "outside"]
    >>> before, after = ellipse_map(QuadraticMap().fit(X), X, y, boundary=(1, 2, 4))
    >>> after.get_xlabel(), after.get_ylabel()
    ('x1²', 'x2²')
    """
    who = "ellipse_map"
    table, labels = _read(who, model, "n_output_features_", X, y)
    if boundary is not None and not (len(boundary) == 3 and all(_is_number(v) and v > 0 for v in boundary)):
        requirement = "boundary must be three numbers above 0: a, b and c of a x1² + b x2² = c"
        raise ParameterError(format_message(who, requirement, actual=f"got {short_repr(boundary)}"))
    transformed = np.asarray(model.transform(X), dtype=np.float64)
    words = names_of(model, X, 2)
    first = model.n_output_features_ - (4 if model.ordered else 3)
    before, after = _panels(words, (f"{words[0]}²", f"{words[1]}²"))
    _draw(before, table, labels)
    _draw(after, transformed[:, [first, model.n_output_features_ - 1]], labels)
    if boundary is not None:
        a, b, c = (float(v) for v in boundary)
        turn = np.linspace(0, 2 * np.pi, 361)
        before.plot(np.sqrt(c / a) * np.cos(turn), np.sqrt(c / b) * np.sin(turn), "--", color=_style.INK)
        after.plot([0, c / a], [c / b, 0], "--", color=_style.INK)
    before.set_aspect("equal", adjustable="datalim")
    _finish(before, after, name_of(y))
    return np.array([before, after], dtype=object)


# --------------------------------------------------------------------------------------------------------------- parts


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool) and bool(np.isfinite(value))


def _read(who: str, model: Any, attribute: str, X: Any, y: Any) -> tuple[Floats, Array]:
    if not hasattr(model, attribute):
        hint = "PolarMap().fit(X)" if who == "polar_map" else "QuadraticMap().fit(X)"
        raise ParameterError(format_message(who, "needs a fitted map", actual=f"got {short_repr(model)}", hint=hint))
    table = numbers(who, "X", X)
    if table.ndim != 2 or table.shape[1] != 2:
        raise DataError(format_message(who, "X must be a table of two columns", actual=f"got shape {table.shape}"))
    labels = read_target(y, who).ravel()
    if len(labels) != len(table):
        actual = f"got {count(len(table), 'row')} and {count(len(labels), 'label')}"
        raise DataError(format_message(who, "y must have one label a row", actual=actual))
    classes = dict.fromkeys(labels.tolist())
    if len(classes) > len(_style.COLORS):
        requirement = f"at most {len(_style.COLORS)} classes can be told apart"
        raise DataError(format_message(who, requirement, actual=f"got {len(classes)}: {join_some(classes)}"))
    return table, labels


def _panels(names: Sequence[str], new_names: Sequence[str]) -> "tuple[Axes, Axes]":
    before, after = panels(2, size=SIZE)
    for ax, title, (across, up) in ((before, "before", names), (after, "after", new_names)):
        ax.set_title(title, fontsize=_style.TITLE)
        ax.set_xlabel(plain(across))
        ax.set_ylabel(plain(up))
        _style.tidy(ax)
    return before, after


def _draw(ax: "Axes", points: Floats, labels: Array) -> None:
    size = _style.marker_size(len(points))
    for k, label in enumerate(dict.fromkeys(labels.tolist())):
        rows = points[labels == label]
        ax.plot(
            rows[:, 0], rows[:, 1], linestyle="", marker=_style.MARKERS[k], color=_style.COLORS[k], markersize=size,
            label=plain(str(label)),
        )  # fmt: skip


def _finish(before: "Axes", after: "Axes", title: str) -> None:
    """One legend beside both pictures, where no row is hidden by it."""
    handles, words = before.get_legend_handles_labels()
    after.legend(
        handles,
        words,
        title=plain(title),
        frameon=False,
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        borderaxespad=0.4,
    )
