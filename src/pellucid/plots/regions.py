"""Pictures of what a classifier answers everywhere: areas of the predicted class, with the rows on top.

They read ``predict`` and, where the model has them, ``predict_proba``, ``classes_`` and ``feature_names_in_``. Nothing
is fitted here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pellucid.base.errors import DataError, ParameterError, count, named, sentence, short, some
from pellucid.base.types import Array, Flags, Floats
from pellucid.data.kinds import is_missing
from pellucid.data.target import read_target
from pellucid.plots import _style
from pellucid.plots._panels import panels
from pellucid.plots._read import column_names, name_of, numbers
from pellucid.plots._style import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["decision_regions"]

WHO = "decision_regions"
ORANGE, PURPLE, YELLOW, BROWN, VIOLET = "#E69F00", "#CC79A7", "#F0E442", "#7A4B1E", "#5E3C99"
COLORS = [
    *(_style.BLUE, _style.VERMILION, _style.GREEN, ORANGE, PURPLE),
    *(_style.SKY, _style.INK, YELLOW, BROWN, VIOLET),
]
MARKERS = ["o", "s", "^", "D", "v", "P", "X", "<", ">", "*"]
# How much of a class's colour its area has: where it is no likelier than chance, where it is certain; if not known.
LEAST, MOST, FLAT = 0.08, 0.48, 0.3
# Room around the rows, as a share of their range.
ROOM = 0.07


class Classifier(Protocol):
    """A fitted classifier."""

    def predict(self, X: Any, /) -> Any: ...


@dataclass(frozen=True)
class Plane:
    """The plane of the picture in the space of the model's columns: ``origin + a directions[0] + b directions[1]``.

    table : the rows, in the model's columns; points : where they lie on the plane; names : of the columns, if they have
    names; labels : of the two axes; note : what is to be said about the plane
    """

    table: Floats
    points: Floats
    names: list[str] | None
    origin: Floats
    directions: Floats
    labels: tuple[str, str]
    note: str = ""

    def rows(self, a: Floats, b: Floats) -> Floats:
        return self.origin + np.column_stack([a, b]) @ self.directions


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
    the plane through the mean along the first two principal components of the standardised columns, and rows, which lie
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
    plane = _plane(list(models.values()), X, columns)
    labels = _labels(y, len(plane.table))
    classes = _classes(models, labels)
    if many:
        drawn = panels(len(models), size=(3.2, 3.3), shared=True)
    else:
        drawn = np.array([_style.axes() if ax is None else ax], dtype=object)
    for axes, (name, one) in zip(drawn, models.items(), strict=True):
        wrong = _codes(one.predict(_table(one, X, plane, plane.table)), classes) != _codes(labels, classes)
        _draw_areas(axes, one, X, plane, classes, grid, proba)
        _draw_rows(axes, plane, labels, classes, wrong)
        share = f"{plain(str(name))}\n{100 * (1 - wrong.mean()):.3g} % right" if many else ""
        axes.set_title("\n".join(filter(None, [share, plane.note])), fontsize=_style.TITLE)
        axes.set_xlabel(plane.labels[0] if axes.xaxis.get_tick_params()["labelbottom"] else "")
        if not many or axes.get_subplotspec().is_first_col():
            axes.set_ylabel(plane.labels[1])
    _write_legend(drawn, name_of(y), many=many, own=ax is None)
    return drawn if many else drawn[0]


# ------------------------------------------------------------------------------------------------------------- checks


def _check(models: dict[str, Any], many: bool, grid: Any, ax: Any) -> None:
    if not models:
        raise ParameterError(sentence(WHO, "needs at least one model", "got an empty dict"))
    if ax is not None and many:
        raise ParameterError(sentence(WHO, "ax is for a single model", hint="leave ax out to get a row of panels"))
    if isinstance(grid, bool) or not isinstance(grid, int | np.integer) or not 2 <= grid <= 2000:
        raise ParameterError(sentence(WHO, "grid must be a whole number from 2 to 2000", f"got {short(grid)}"))
    for one in models.values():
        if not hasattr(one, "predict"):
            hint = "several models are given as a dict from names to models"
            raise ParameterError(sentence(WHO, "needs a fitted classifier", f"got {short(one)}", hint))


def _labels(y: Any, n_rows: int) -> Array:
    labels = read_target(y, WHO)
    if labels.size != n_rows:
        found = f"got {count(n_rows, 'row')} and y of shape {labels.shape}"
        raise DataError(sentence(WHO, "y must be one column of labels with as many rows as X", found))
    labels = labels.ravel()
    missing = [i for i, label in enumerate(labels) if is_missing(label)] if labels.dtype.kind in "fO" else []
    if missing:
        raise DataError(sentence(WHO, "y must have no missing labels", named("row", missing), "drop these rows"))
    return labels


def _classes(models: dict[str, Any], labels: Array) -> list[Any]:
    """All classes: the models', in their order, then those that only y has."""
    found: dict[Any, None] = {}
    for model in models.values():
        found.update(dict.fromkeys(np.asarray(getattr(model, "classes_", [])).ravel().tolist()))
    present = dict.fromkeys(labels.tolist())
    if found and not any(label in found for label in present):
        must = "y must hold labels that the model knows"
        raise DataError(sentence(WHO, must, f"it knows {some(found)}, and y has {some(present)}"))
    found.update(dict.fromkeys(sorted(set(present) - set(found), key=lambda label: (str(type(label)), label))))
    if len(found) > len(COLORS):
        hint = "draw a model of fewer classes; a number to be predicted needs other pictures"
        raise DataError(sentence(WHO, f"at most {len(COLORS)} classes can be told apart", f"got {len(found)}", hint))
    return list(found)


def _codes(labels: Any, classes: list[Any]) -> NDArray[np.intp]:
    """Each label's place among the classes."""
    place = {label: k for k, label in enumerate(classes)}
    values = np.asarray(labels).ravel().tolist()
    strange = set(values) - set(place)
    if strange:
        must = "the model must predict one of its classes or of the labels in y"
        raise DataError(sentence(WHO, must, f"it predicts {some(sorted(map(str, strange)))}", "draw a classifier"))
    return np.array([place[value] for value in values], dtype=np.intp)


# -------------------------------------------------------------------------------------------------------------- plane


def _plane(models: list[Any], X: Any, columns: Any) -> Plane:
    names, width = _wanted(models, X)
    frame = column_names(X)
    if names is not None and frame is not None:
        missing = [name for name in names if name not in frame]
        if missing:
            must = f"X must have the model's columns ({some(names)})"
            raise DataError(sentence(WHO, must, f"{some(missing)} not found among {some(frame)}"))
        X = X[names]
    values = numbers(WHO, "X", X.toarray() if hasattr(X, "toarray") else X)
    if values.ndim != 2 or values.shape[1] < 2 or not len(values):
        raise DataError(sentence(WHO, "X must be a table of rows with at least two columns", f"got {values.shape}"))
    names = names if frame is None else column_names(X)
    chosen = None if columns is None else _chosen(columns, names, values.shape[1])
    if width == 2 and values.shape[1] > 2 and chosen is not None:
        values, names, chosen = values[:, chosen], None if names is None else [names[j] for j in chosen], None
    if values.shape[1] != width:
        hint = "columns=(..., ...) says which two of X" if width == 2 else ""
        found = f"it has {width}, and X has {values.shape[1]}"
        raise DataError(sentence(WHO, "X must have as many columns as the model", found, hint))
    words = [plain(name) for name in names or [f"x{j + 1}" for j in range(width)]]
    if width == 2:
        pair = chosen or [0, 1]
        return Plane(values, values[:, pair], names, np.zeros(2), np.eye(2)[pair], (words[pair[0]], words[pair[1]]))
    if chosen is not None:
        origin = np.median(values, axis=0)
        origin[chosen] = 0.0
        labels, note = (words[chosen[0]], words[chosen[1]]), "other columns at their medians"
        return Plane(values, values[:, chosen], names, origin, np.eye(width)[chosen], labels, note)
    return _components(values, names)


def _wanted(models: list[Any], X: Any) -> tuple[list[str] | None, int]:
    """The names, if known, and the number of the models' columns, which must be the same for all."""
    known = {tuple(map(str, model.feature_names_in_)) for model in models if hasattr(model, "feature_names_in_")}
    widths = {int(model.n_features_in_) for model in models if hasattr(model, "n_features_in_")} | set(map(len, known))
    if len(known) > 1 or len(widths) > 1:
        found = "; ".join(some(names) for names in sorted(known)) or ", ".join(map(str, sorted(widths)))
        raise DataError(sentence(WHO, "the models must have the same columns", f"got {found}"))
    width = widths.pop() if widths else np.shape(X)[-1] if np.ndim(X) else 0
    return (list(known.pop()) if known else None), width


def _chosen(columns: Any, names: list[str] | None, width: int) -> list[int]:
    known: dict[Any, int] = {j: j for j in range(width)}
    known.update((name, j) for j, name in enumerate(names or []))
    chosen = [] if isinstance(columns, str) else list(columns)
    if len(chosen) != 2 or any(column not in known for column in chosen) or chosen[0] == chosen[1]:
        have = some(names, 10) if names else f"0 to {width - 1}"
        raise ParameterError(sentence(WHO, f"columns must be two of the columns ({have})", f"got {short(columns)}"))
    return [known[column] for column in chosen]


def _components(values: Floats, names: list[str] | None) -> Plane:
    """``Z = U S Vᵀ`` of the standardised columns: the first two rows of ``Vᵀ`` span the plane."""
    mean, scale = values.mean(axis=0), values.std(axis=0)
    scale[scale <= 1e-12 * np.abs(values).max(axis=0)] = 1.0
    standard = (values - mean) / scale
    _, sizes, axes = np.linalg.svd(standard, full_matrices=len(values) < values.shape[1])
    shares = np.append(np.square(sizes), 0.0)
    if not shares.sum() > 0:
        raise DataError(sentence(WHO, "X must have rows that differ", "all are alike"))
    axes = axes[:2] * np.sign(axes[[0, 1], np.abs(axes[:2]).argmax(axis=1)])[:, None]
    parts = 100 * shares / shares.sum()
    first, second = (f"component {k + 1} ({parts[k]:.0f} % of the variance)" for k in range(2))
    return Plane(values, standard @ axes.T, names, mean, axes * scale, (first, second))


def _table(model: Any, X: Any, plane: Plane, values: Floats) -> Any:
    """Rows for the model, in a frame of X's kind if it was fitted to one."""
    without = hasattr(model, "n_features_in_") and not hasattr(model, "feature_names_in_")
    if plane.names is None or column_names(X) is None or without:
        return values
    return type(X)(dict(zip(plane.names, values.T, strict=True)))


# ------------------------------------------------------------------------------------------------------------ drawing


def _draw_areas(ax: "Axes", model: Any, X: Any, plane: Plane, classes: list[Any], grid: int, proba: bool) -> None:
    from matplotlib.colors import to_rgb

    a, b = (_ticks(column, grid) for column in plane.points.T)
    table = _table(model, X, plane, plane.rows(*(part.ravel() for part in np.meshgrid(a, b))))
    answers = np.asarray(model.predict(table)).ravel()
    codes = _codes(answers, classes)
    strength = np.full(len(codes), FLAT)
    if proba and hasattr(model, "predict_proba") and hasattr(model, "classes_"):
        sure = np.asarray(model.predict_proba(table), dtype=np.float64)
        place = _codes(model.classes_, classes)
        mine = sure[codes[:, None] == place]
        chance = 1 / max(len(place), 2)
        strength = LEAST + (MOST - LEAST) * np.clip((mine - chance) / (1 - chance), 0, 1)
    colors = np.array([to_rgb(color) for color in COLORS])[codes]
    image = (1 - strength[:, None] * (1 - colors)).reshape(grid, grid, 3)
    half = (a[1] - a[0]) / 2, (b[1] - b[0]) / 2
    extent = (a[0] - half[0], a[-1] + half[0], b[0] - half[1], b[-1] + half[1])
    ax.imshow(image, origin="lower", extent=extent, aspect="auto", interpolation="nearest", zorder=0)
    present = np.unique(codes)
    edge: dict[str, Any] = {"levels": [0.5], "colors": _style.INK, "linewidths": 0.7, "alpha": 0.6, "zorder": 1}
    for k in present if len(present) > 2 else present[1:]:
        ax.contour(a, b, (codes == k).reshape(grid, grid).astype(float), **edge)
    ax.set(xlim=extent[:2], ylim=extent[2:])
    ax.spines[:].set_color(_style.GREY)
    ax.tick_params(color=_style.GREY)


def _ticks(values: Floats, grid: int) -> Floats:
    low, high = float(values.min()), float(values.max())
    room = ROOM * (high - low) or 0.5 * abs(low) or 0.5
    return np.linspace(low - room, high + room, grid)


def _draw_rows(ax: "Axes", plane: Plane, labels: Array, classes: list[Any], wrong: Flags) -> None:
    codes, size = _codes(labels, classes), 6.5 if len(labels) <= 60 else 5.2 if len(labels) <= 500 else 3.6
    thin = 0.8 if len(labels) <= 500 else 0.5
    edge: dict[str, Any] = {"markeredgecolor": "white", "markeredgewidth": 0.5, "linestyle": "", "markersize": size}
    for k, label in enumerate(classes):
        look: dict[str, Any] = {"color": COLORS[k], "marker": MARKERS[k], **edge}
        ax.plot(*plane.points[codes == k].T, zorder=3, label=_style.shown(_word(label)), **look)
    if wrong.any():
        ring: dict[str, Any] = {
            "marker": "o",
            "markerfacecolor": "none",
            "markeredgecolor": _style.INK,
            "markeredgewidth": thin,
        }
        ax.plot(*plane.points[wrong].T, linestyle="", markersize=size + 3.2, zorder=4, label="predicted wrong", **ring)


def _word(label: Any) -> str:
    return plain(f"{label:g}" if isinstance(label, float) else str(label))


def _write_legend(drawn: "NDArray[np.object_]", title: str, *, many: bool, own: bool) -> None:
    found: dict[str, Any] = {}
    for ax in drawn:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    handles, labels = list(found.values()), list(found)
    heading = None if title == "y" else plain(title)
    if many:
        columns = min(len(labels), 2 * len(drawn))
        figure = drawn[0].figure
        figure.legend(handles, labels, loc="outside lower center", ncols=columns, title=heading, frameon=False)
    elif own:
        drawn[0].legend(handles, labels, title=heading, loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False)
    else:
        drawn[0].legend(handles, labels, title=heading, framealpha=0.8)
