"""Pictures of discriminants: bells as ellipses, discriminant functions over a column, and the axes that part classes.

They read ``means_``, the covariances, ``discriminant_values``, ``transform`` and ``classes_`` of a fitted discriminant.
Nothing is fitted here.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pellucid.base.errors import DataError, ParameterError, format_message, short_repr
from pellucid.base.types import Array, Floats
from pellucid.plotting import _style
from pellucid.plotting._plane import (
    COLORS,
    MARKERS,
    classes_of,
    codes_of,
    draw_areas,
    draw_rows,
    labels_of,
    plane_of,
    table_of,
    ticks,
    word,
)
from pellucid.plotting._read import column_names, name_of, names_of, numbers
from pellucid.plotting._style import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["discriminant_ellipses", "discriminant_projection", "discriminant_values"]

FINE = 600
BINS = 30


def discriminant_ellipses(
    model: Any,
    X: Any,
    y: Any,
    *,
    shares: Sequence[float] = (0.5, 0.9),
    grid: int = 200,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the bells of a discriminant of two columns: means, ellipses around them, and the border between classes.

    Each ellipse holds a share of its bell. Those of `LinearDiscriminantAnalysis` are all of one shape, and the borders
    straight; each class of `QuadraticDiscriminantAnalysis` has its own, and the borders are curves.

    Parameters
    ----------
    model : fitted discriminant of two columns
        With ``means_``, ``classes_`` and covariances; scikit-learn's need ``store_covariance=True``.
    X : table of the model's two columns
    y : labels
    shares : numbers between 0 and 1, default=(0.5, 0.9)
        How much of a bell lies inside each ellipse.
    grid : int, default=200
        Points of the grid along each axis on which the border is looked for.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from pellucid.discriminant_analysis import LinearDiscriminantAnalysis
    >>> X, y = [[0, 0], [1, 1], [0, 1], [4, 0], [5, 1], [4, 1]], ["left"] * 3 + ["right"] * 3
    >>> ax = discriminant_ellipses(LinearDiscriminantAnalysis().fit(X, y), X, y)
    >>> len(ax.patches)
    4
    """
    who = "discriminant_ellipses"
    sizes = _radii(who, shares)
    covariances = _covariances(who, model)
    if len(model.means_[0]) != 2:
        hint = "fit a model of two columns, or draw discriminant_projection"
        raise ParameterError(
            format_message(who, "needs a model of two columns", actual=f"it has {len(model.means_[0])}", hint=hint)
        )
    plane = plane_of(who, [model], X, None)
    labels = labels_of(who, y, len(plane.table))
    classes = classes_of(who, {"": model}, labels)
    is_new_figure = ax is None
    ax = _style.axes() if ax is None else ax
    draw_areas(who, ax, model, X, plane, classes, grid, proba=True)
    wrong = codes_of(who, model.predict(table_of(model, X, plane, plane.table)), classes)
    draw_rows(who, ax, plane, labels, classes, wrong != codes_of(who, labels, classes))
    for code, mean, C in zip(codes_of(who, model.classes_, classes), model.means_, covariances, strict=True):
        _draw_bell(ax, mean, C, sizes, COLORS[code])
    _draw_borders(ax, model, X, plane, grid)
    ax.plot([], [], "+", color=_style.INK, markersize=11, markeredgewidth=2.2, label="mean of a class")
    ax.set(xlabel=plane.labels[0], ylabel=plane.labels[1])
    percentages = ", ".join(f"{100 * share:.3g} %" for share in sorted(shares))
    ax.set_title(f"ellipses hold {percentages} of each bell", fontsize=_style.TITLE)
    _legend(ax, y, is_new_figure)
    return ax


def discriminant_values(model: Any, X: Any, y: Any, *, ax: "Axes | None" = None) -> "Axes":
    """Draw the discriminant function ``D_k(x)`` of every class over one column, and where another becomes the largest.

    Those of `LinearDiscriminantAnalysis` are straight lines, of `QuadraticDiscriminantAnalysis` parabolas.
    The rows lie in strips below, one for each class.

    Parameters
    ----------
    model : fitted discriminant of one column, with ``discriminant_values``
    X : table of that column
    y : labels
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from pellucid.discriminant_analysis import LinearDiscriminantAnalysis
    >>> X, y = [[1], [3], [7], [9]], ["low", "low", "high", "high"]
    >>> ax = discriminant_values(LinearDiscriminantAnalysis().fit(X, y), X, y)
    >>> [text.get_text() for text in ax.texts]
    ['5.00']
    """
    who = "discriminant_values"
    if not (hasattr(model, "discriminant_values") and len(getattr(model, "means_", [[]])[0]) == 1):
        requirement = "needs a fitted discriminant of one column"
        raise ParameterError(
            format_message(who, requirement, actual=f"got {short_repr(model)}", hint="fit it on one column")
        )
    values = numbers(who, "X", X)
    if values.ndim != 2 or values.shape[1] != 1:
        raise DataError(format_message(who, "X must be a table of one column", actual=f"got shape {values.shape}"))
    labels = labels_of(who, y, len(values))
    classes = classes_of(who, {"": model}, labels)
    x = ticks(values[:, 0], FINE)
    D = np.asarray(model.discriminant_values(_table(model, X, x[:, None])), dtype=np.float64)
    is_new_figure = ax is None
    ax = _style.axes() if ax is None else ax
    _style.tidy(ax)
    class_codes = codes_of(who, model.classes_, classes)
    for k, code in enumerate(class_codes):
        style: dict[str, Any] = {"color": COLORS[code], "linestyle": _style.LINES[k % len(_style.LINES)]}
        ax.plot(x, D[:, k], linewidth=2.2, zorder=3, label=_style.shown(word(classes[code])), **style)
    _draw_thresholds(ax, x, D)
    _draw_strips(ax, values[:, 0], codes_of(who, labels, classes), len(classes), D)
    name = plain(names_of(model, X, 1)[0])
    ax.set(xlim=(x[0], x[-1]), xlabel=name, ylabel="discriminant D(x); the largest decides")
    _legend(ax, y, is_new_figure)
    return ax


def discriminant_projection(
    model: Any, X: Any, y: Any, *, axes: Sequence[int] = (0, 1), ax: "Axes | None" = None
) -> "Axes":
    """Draw rows on the axes that part the classes best, as `transform` of a linear discriminant gives them.

    With two classes there is one axis, and the picture is a histogram of each class on it; with more, rows lie on two
    of the axes. Along every axis the spread within the classes is about one.

    Parameters
    ----------
    model : fitted `LinearDiscriminantAnalysis`
    X : table of numbers, with the model's columns
    y : labels
    axes : two numbers, default=(0, 1)
        Which axes, where there are several.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from pellucid.discriminant_analysis import LinearDiscriminantAnalysis
    >>> X, y = [[0, 0], [1, 1], [0, 1], [4, 0], [5, 1], [4, 1]], ["left"] * 3 + ["right"] * 3
    >>> discriminant_projection(LinearDiscriminantAnalysis().fit(X, y), X, y).get_xlabel()
    'axis 1 (100 % of the variance between classes)'
    """
    who = "discriminant_projection"
    if not hasattr(model, "transform") or not hasattr(model, "means_"):
        requirement = "needs a fitted discriminant with transform"
        raise ParameterError(
            format_message(who, requirement, actual=f"got {short_repr(model)}", hint="fit a LinearDiscriminantAnalysis")
        )
    Z = numbers(who, "what transform gives", model.transform(X))
    labels = labels_of(who, y, len(Z))
    classes = classes_of(who, {"": model}, labels)
    codes = codes_of(who, labels, classes)
    if Z.shape[1] == 0:
        raise DataError(format_message(who, "needs an axis in which the classes differ", actual="transform gives none"))
    is_new_figure = ax is None
    ax = _style.axes() if ax is None else ax
    _style.tidy(ax)
    if Z.shape[1] == 1:
        _draw_histograms(ax, Z[:, 0], codes, classes)
        ax.set(xlabel=_axis_name(model, 0), ylabel="rows")
    else:
        first, second = _chosen(who, axes, Z.shape[1])
        _draw_points(ax, Z[:, [first, second]], codes, classes)
        ax.set(xlabel=_axis_name(model, first), ylabel=_axis_name(model, second))
    _legend(ax, y, is_new_figure)
    return ax


# ------------------------------------------------------------------------------------------------------------- reading


def _radii(who: str, shares: Any) -> list[float]:
    """A bell of two columns has the share 1 - exp(-r²/2) within the radius r."""
    try:
        coverages = [float(share) for share in shares]
    except (TypeError, ValueError):
        coverages = []
    if not coverages or not all(0 < share < 1 for share in coverages):
        raise ParameterError(
            format_message(who, "shares must be numbers between 0 and 1", actual=f"got {short_repr(shares)}")
        )
    return [float(np.sqrt(-2 * np.log(1 - share))) for share in sorted(coverages)]


def _covariances(who: str, model: Any) -> list[Floats]:
    """One for every class."""
    if not hasattr(model, "means_") or not hasattr(model, "classes_"):
        raise ParameterError(format_message(who, "needs a fitted discriminant", actual=f"got {short_repr(model)}"))
    if hasattr(model, "rotations_"):
        pairs = zip(model.rotations_, model.scalings_, strict=True)
        return [rotation * variances @ rotation.T for rotation, variances in pairs]
    covariances = getattr(model, "covariance_", getattr(model, "pooled_covariance_", None))
    if covariances is None:
        hint = "fit it with store_covariance=True"
        raise ParameterError(format_message(who, "needs a discriminant that keeps its covariance", hint=hint))
    return list(covariances) if np.ndim(covariances) == 3 else [np.asarray(covariances)] * len(model.means_)


def _table(model: Any, X: Any, values: Floats) -> Any:
    """Rows for the model, in a frame of X's kind if it was fitted to one."""
    names = column_names(X)
    if names is None or not hasattr(model, "feature_names_in_"):
        return values
    return type(X)(dict(zip(names, values.T, strict=True)))


def _chosen(who: str, axes: Any, width: int) -> tuple[int, int]:
    selected = list(axes) if isinstance(axes, Sequence) and not isinstance(axes, str) else []
    all_integers = all(isinstance(axis, int | np.integer) and not isinstance(axis, bool) for axis in selected)
    if (
        len(selected) != 2
        or not all_integers
        or selected[0] == selected[1]
        or not all(0 <= axis < width for axis in selected)
    ):
        requirement = f"axes must be two different numbers from 0 to {width - 1}"
        raise ParameterError(format_message(who, requirement, actual=f"got {short_repr(axes)}"))
    return int(selected[0]), int(selected[1])


def _axis_name(model: Any, k: int) -> str:
    shares: Any = getattr(model, "explained_variance_ratio_", ())
    more = f" ({100 * shares[k]:.3g} % of the variance between classes)" if k < len(shares) else ""
    return f"axis {k + 1}{more}"


# ------------------------------------------------------------------------------------------------------------- drawing


def _draw_bell(ax: "Axes", mean: Floats, C: Floats, radii: list[float], color: str) -> None:
    from matplotlib.patches import Ellipse

    values, vectors = np.linalg.eigh(np.asarray(C, dtype=np.float64))
    tilt = float(np.degrees(np.arctan2(vectors[1, 1], vectors[0, 1])))
    wide, narrow = 2 * np.sqrt(np.maximum(values[::-1], 0.0))
    center = (float(mean[0]), float(mean[1]))
    for radius in radii:
        ellipse = Ellipse(center, radius * wide, radius * narrow, angle=tilt, fill=False, edgecolor=color, linewidth=2)
        ax.add_patch(ellipse).set_zorder(5)
    _draw_cross(ax, center)


def _draw_cross(ax: "Axes", at: tuple[float, float]) -> None:
    for color, width in (("white", 4.5), (_style.INK, 2.2)):
        ax.plot(*at, marker="+", markersize=11, linestyle="", color=color, markeredgewidth=width, zorder=6)


def _draw_borders(ax: "Axes", model: Any, X: Any, plane: Any, grid: int) -> None:
    """Where the probability of a class equals the largest of the others."""
    a, b = (ticks(column, grid) for column in plane.points.T)
    table = table_of(model, X, plane, plane.rows(*(coordinates.ravel() for coordinates in np.meshgrid(a, b))))
    logs = np.asarray(model.predict_log_proba(table), dtype=np.float64)
    style: dict[str, Any] = {"levels": [0.0], "colors": _style.INK, "linewidths": 1.8, "zorder": 4}
    for k in range(1 if logs.shape[1] == 2 else 0, logs.shape[1]):
        runner_up = np.delete(logs, k, axis=1).max(axis=1)
        lead = np.clip(logs[:, k] - runner_up, -1e6, 1e6).reshape(grid, grid)
        if lead.min() < 0 < lead.max():
            ax.contour(a, b, lead, **style)
    ax.plot([], [], color=_style.INK, linewidth=1.8, label="border")


def _draw_thresholds(ax: "Axes", x: Floats, D: Floats) -> None:
    """A line where another discriminant becomes the largest, with its place."""
    winner, width, changes = D.argmax(axis=1), float(x[-1] - x[0]), []
    for i in np.flatnonzero(np.diff(winner)):
        difference = D[i : i + 2, winner[i]] - D[i : i + 2, winner[i + 1]]
        step = (
            (x[i + 1] - x[i]) * difference[0] / (difference[0] - difference[1])
            if difference[0] != difference[1]
            else 0.0
        )
        changes.append(float(x[i] + step))
    for at, lane in zip(changes, _style.lanes(changes, width), strict=True):
        ax.axvline(at, color=_style.INK, linestyle=":", linewidth=1.6, zorder=2)
        ax.annotate(
            _style.place(at, width),
            (at, 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(3, -3 - 13 * lane),
            textcoords="offset points",
            va="top",
            fontsize=_style.SMALL,
            color=_style.INK,
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 1},
            zorder=5,
        )


def _draw_strips(ax: "Axes", values: Floats, codes: Array, n_classes: int, D: Floats) -> None:
    """The rows below the lines, a strip for each class."""
    low, high = float(D.min()), float(D.max())
    step = 0.06 * (high - low) or 1.0
    for k in range(n_classes):
        members = values[codes == k]
        style: dict[str, Any] = {"marker": MARKERS[k], "markersize": _style.marker_size(len(values)), "alpha": 0.7}
        ax.plot(members, np.full(len(members), low - step * (k + 1)), linestyle="", color=COLORS[k], zorder=3, **style)
    ax.set_ylim(low - step * (n_classes + 1), high + step)


def _draw_histograms(ax: "Axes", values: Floats, codes: Array, classes: list[Any]) -> None:
    edges = np.histogram_bin_edges(values, bins=min(BINS, max(5, len(values) // 4)))
    for k, label in enumerate(classes):
        members = values[codes == k]
        style: dict[str, Any] = {"color": COLORS[k], "alpha": 0.55, "edgecolor": "white", "linewidth": 0.6}
        ax.hist(members, bins=edges.tolist(), label=_style.shown(word(label)), zorder=3, **style)
        if len(members):
            ax.axvline(members.mean(), color=COLORS[k], linestyle=_style.LINES[1], linewidth=1.8, zorder=4)
    ax.plot([], [], color=_style.GRAY, linestyle=_style.LINES[1], linewidth=1.8, label="mean of a class")


def _draw_points(ax: "Axes", points: Floats, codes: Array, classes: list[Any]) -> None:
    style: dict[str, Any] = {"linestyle": "", "markersize": _style.marker_size(len(points)) + 1}
    for k, label in enumerate(classes):
        members = points[codes == k]
        edge: dict[str, Any] = {"markeredgecolor": "white", "markeredgewidth": 0.5, "color": COLORS[k]}
        ax.plot(*members.T, marker=MARKERS[k], zorder=3, label=_style.shown(word(label)), **edge, **style)
    for k in range(len(classes)):
        members = points[codes == k]
        if len(members):
            _draw_cross(ax, (float(members[:, 0].mean()), float(members[:, 1].mean())))
    ax.plot([], [], "+", color=_style.INK, markersize=11, markeredgewidth=2.2, label="mean of a class")


def _legend(ax: "Axes", y: Any, is_new_figure: bool) -> None:
    heading = None if name_of(y) == "y" else plain(name_of(y))
    if is_new_figure:
        ax.legend(title=heading, loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False)
    else:
        ax.legend(title=heading, framealpha=0.8)
