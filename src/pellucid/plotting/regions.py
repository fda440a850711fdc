"""Pictures of what a classifier answers everywhere: areas of the predicted class, lines of equal probability.

They read ``predict`` and, where the model has them, ``predict_proba``, ``classes_`` and ``feature_names_in_``. Nothing
is fitted here.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pellucid.base.errors import ParameterError, format_message, join_some, short_repr
from pellucid.base.types import Floats
from pellucid.plotting import _style
from pellucid.plotting._panels import panels
from pellucid.plotting._plane import (
    Plane,
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
from pellucid.plotting._read import name_of
from pellucid.plotting._style import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["decision_regions", "probability_contours"]

WHO = "decision_regions"
# Probabilities that have a line.
LEVELS = (0.15, 0.3, 0.45, 0.6, 0.75, 0.9)


class Classifier(Protocol):
    """A fitted classifier."""

    def predict(self, X: Any, /) -> Any: ...


def decision_regions(
    model: "Classifier | Mapping[str, Classifier]",
    X: Any,
    y: Any,
    *,
    columns: Sequence[str] | Sequence[int] | None = None,
    grid: int = 200,
    proba: bool = True,
    ax: "Axes | None" = None,
) -> "Axes | NDArray[np.object_]":
    """Draw the areas in which a classifier predicts each class, with the rows on top; a ring marks a wrong answer.

    The model is asked at every point of a grid. With two columns that is its whole answer. With more, the picture is
    the plane through the mean along the first two principal components of the standardized columns, and rows, which lie
    beside that plane, are projected on it: a ring tells what the model says of the row itself, the area what it says on
    the plane below it. With ``columns`` it is the plane of these two, the others held at their medians.

    Parameters
    ----------
    model : fitted classifier, or dict from a name to one
        Models of a dict are drawn side by side, with the share of rows they answer rightly.
    X : table of numbers
        The model's columns; those of a frame are found by name.
    y : labels, at most ten different ones
    columns : two names or numbers of columns, optional
        What to draw; for a model of two columns, where they are in a wider X.
    grid : int, default=200
        Points of the grid along each axis.
    proba : bool, default=True
        Paint an area more strongly the higher the probability of its class, if the model has probabilities.
    ax : matplotlib Axes, optional
        Where to draw a single model; a new figure otherwise.

    Returns
    -------
    matplotlib Axes, or an array of them for a dict

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, y = [[0, 0], [0, 1], [3, 0], [3, 1]], ["left", "left", "right", "right"]
    >>> ax = decision_regions(KNeighborsClassifier(1).fit(X, y), X, y)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['left', 'right']
    """
    many = isinstance(model, Mapping)
    models: dict[str, Any] = dict(model) if isinstance(model, Mapping) else {"": model}
    _check(models, many, grid, ax)
    plane = plane_of(WHO, list(models.values()), X, columns)
    labels = labels_of(WHO, y, len(plane.table))
    classes = classes_of(WHO, models, labels)
    if many:
        axes_array = panels(len(models), size=(3.2, 3.3), shared=True)
    else:
        axes_array = np.array([_style.axes() if ax is None else ax], dtype=object)
    for axes, (name, classifier) in zip(axes_array, models.items(), strict=True):
        wrong = codes_of(WHO, classifier.predict(table_of(classifier, X, plane, plane.table)), classes) != codes_of(
            WHO, labels, classes
        )
        draw_areas(WHO, axes, classifier, X, plane, classes, grid, proba)
        draw_rows(WHO, axes, plane, labels, classes, wrong)
        share = f"{plain(str(name))}\n{100 * (1 - wrong.mean()):.3g} % right" if many else ""
        axes.set_title("\n".join(filter(None, [share, plane.note])), fontsize=_style.TITLE)
        axes.set_xlabel(plane.labels[0] if axes.xaxis.get_tick_params()["labelbottom"] else "")
        if not many or axes.get_subplotspec().is_first_col():
            axes.set_ylabel(plane.labels[1])
    _write_legend(axes_array, name_of(y), many=many, is_new_figure=ax is None)
    return axes_array if many else axes_array[0]


def probability_contours(
    model: "Classifier",
    X: Any,
    y: Any,
    *,
    of: Any = None,
    levels: Sequence[float] | None = None,
    columns: Sequence[str] | Sequence[int] | None = None,
    regions: bool | None = None,
    grid: int = 200,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw lines of equal probability of one class over two columns, each with its probability, and the boundary.

    For two classes the boundary is the dashed line of probability one half, and the other lines lie on both sides of
    it; of logistic regression they are straight and parallel. For more classes the areas in which each is predicted are
    painted behind them; where three meet, a class may win with little more than a third.

    Parameters
    ----------
    model : fitted classifier with ``predict_proba`` and ``classes_``
    X : table of numbers
        The model's columns; those of a frame are found by name.
    y : labels, at most ten different ones
    of : a label, optional
        The class whose probability is drawn; the last of two, of several the second.
    levels : list of numbers between 0 and 1, optional
        0.15, 0.30, ... 0.90 otherwise.
    columns : two names or numbers of columns, optional
        As in `decision_regions`.
    regions : bool, optional
        Paint the areas of predicted classes? Otherwise for more than two classes.
    grid : int, default=200
        Points of the grid along each axis.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = [[0, 0], [0, 1], [3, 0], [3, 1]], ["left", "left", "right", "right"]
    >>> ax = probability_contours(LogisticRegression().fit(X, y), X, y, levels=[0.2, 0.8])
    >>> ax.get_title()
    'probability of right'
    """
    who = "probability_contours"
    if not (hasattr(model, "predict_proba") and hasattr(model, "classes_")):
        requirement = "needs a fitted classifier with predict_proba and classes_"
        raise ParameterError(
            format_message(
                who, requirement, actual=f"got {short_repr(model)}", hint="decision_regions draws any classifier"
            )
        )
    _check_grid(who, grid)
    contour_levels = _levels(who, levels)
    plane = plane_of(who, [model], X, columns)
    labels = labels_of(who, y, len(plane.table))
    classes = classes_of(who, {"": model}, labels)
    index = _place_of(who, of, np.asarray(model.classes_).ravel().tolist())
    is_new_figure = ax is None
    ax = _style.axes() if ax is None else ax
    painted = len(model.classes_) > 2 if regions is None else regions
    if painted:
        draw_areas(who, ax, model, X, plane, classes, grid, proba=False)
    else:
        _style.tidy(ax)
        ax.grid(False)
    wrong = codes_of(who, model.predict(table_of(model, X, plane, plane.table)), classes)
    wrong_rows = wrong != codes_of(who, labels, classes)
    draw_rows(who, ax, plane, labels, classes, wrong_rows)
    _draw_levels(ax, model, X, plane, index, contour_levels, grid)
    ax.set(xlabel=plane.labels[0], ylabel=plane.labels[1])
    title = f"probability of {word(np.asarray(model.classes_).ravel().tolist()[index])}"
    ax.set_title("\n".join(filter(None, [title, plane.note])), fontsize=_style.TITLE)
    _write_legend(np.array([ax], dtype=object), name_of(y), many=False, is_new_figure=is_new_figure)
    return ax


# ------------------------------------------------------------------------------------------------------------- checks


def _check(models: dict[str, Any], many: bool, grid: Any, ax: Any) -> None:
    if not models:
        raise ParameterError(format_message(WHO, "needs at least one model", actual="got an empty dict"))
    if ax is not None and many:
        raise ParameterError(
            format_message(WHO, "ax is for a single model", hint="leave ax out to get a row of panels")
        )
    _check_grid(WHO, grid)
    for classifier in models.values():
        if not hasattr(classifier, "predict"):
            hint = "several models are given as a dict from names to models"
            raise ParameterError(
                format_message(WHO, "needs a fitted classifier", actual=f"got {short_repr(classifier)}", hint=hint)
            )


def _check_grid(who: str, grid: Any) -> None:
    if isinstance(grid, bool) or not isinstance(grid, int | np.integer) or not 2 <= grid <= 2000:
        raise ParameterError(
            format_message(who, "grid must be a whole number from 2 to 2000", actual=f"got {short_repr(grid)}")
        )


def _levels(who: str, levels: Any) -> Floats:
    try:
        values = np.unique(np.asarray(LEVELS if levels is None else levels, dtype=np.float64))
    except (TypeError, ValueError):
        values = np.empty(0)
    if not (values.size and (values > 0).all() and (values < 1).all()):
        raise ParameterError(
            format_message(who, "levels must be numbers between 0 and 1", actual=f"got {short_repr(levels)}")
        )
    return values


def _place_of(who: str, of: Any, classes: list[Any]) -> int:
    if of is None:
        return 1 if len(classes) > 1 else 0
    if of not in classes:
        raise ParameterError(
            format_message(who, f"of must be one of the classes ({join_some(classes)})", actual=f"got {short_repr(of)}")
        )
    return classes.index(of)


# ------------------------------------------------------------------------------------------------------------- levels


def _draw_levels(ax: "Axes", model: Any, X: Any, plane: Plane, index: int, levels: Floats, grid: int) -> None:
    from matplotlib.colors import LinearSegmentedColormap

    a, b = (ticks(column, grid) for column in plane.points.T)
    table = table_of(model, X, plane, plane.rows(*(coordinates.ravel() for coordinates in np.meshgrid(a, b))))
    heights = np.asarray(model.predict_proba(table), dtype=np.float64)[:, index].reshape(grid, grid)
    ax.set(xlim=(a[0], a[-1]), ylim=(b[0], b[-1]))
    shades = LinearSegmentedColormap.from_list("levels", ["#8C4A00", _style.INK, "#00304D"])
    visible = levels[(levels > heights.min()) & (levels < heights.max())]
    if len(visible):
        lines = ax.contour(a, b, heights, levels=visible, cmap=shades, vmin=0, vmax=1, linewidths=1.5, zorder=4)
        spots = _spots(lines.allsegs)
        halo: Any = {"pad": 0.8, "facecolor": "white", "edgecolor": "none", "alpha": 0.85}
        for text in ax.clabel(lines, fmt="%.3g", fontsize=9, manual=spots) if spots else []:
            text.set(bbox=halo, zorder=5)
    if len(model.classes_) == 2 and heights.min() < 0.5 < heights.max():
        ax.contour(a, b, heights, levels=[0.5], colors="black", linestyles="--", linewidths=2.4, zorder=4)
        ax.plot([], [], color="black", linestyle="--", linewidth=2.4, label="boundary: 0.5")


def _spots(lines: Any) -> list[tuple[float, float]]:
    """Where to write on each line: one after the other further along, so that labels of near lines do not meet."""
    lines_used = [max(segments, key=len) for segments in lines if len(segments)]
    lines_used = [
        segment if segment[0, 1] <= segment[-1, 1] else segment[::-1] for segment in lines_used if len(segment) > 2
    ]
    shares = np.linspace(0.14, 0.86, len(lines_used)) if len(lines_used) > 1 else [0.5]
    return [tuple(segment[int(share * (len(segment) - 1))]) for segment, share in zip(lines_used, shares, strict=True)]


# ------------------------------------------------------------------------------------------------------------- legend


def _write_legend(axes: "NDArray[np.object_]", title: str, *, many: bool, is_new_figure: bool) -> None:
    entries: dict[str, Any] = {}
    for ax in axes:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    handles, labels = list(entries.values()), list(entries)
    heading = None if title == "y" else plain(title)
    if many:
        columns = min(len(labels), 2 * len(axes))
        figure = axes[0].figure
        figure.legend(handles, labels, loc="outside lower center", ncols=columns, title=heading, frameon=False)
    elif is_new_figure:
        axes[0].legend(handles, labels, title=heading, loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False)
    else:
        axes[0].legend(handles, labels, title=heading, framealpha=0.8)
