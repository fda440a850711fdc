"""The plane of two columns on which a classifier's answers are drawn, and the rows that lie on it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pellucid.base.colors import CLASSES
from pellucid.base.errors import DataError, ParameterError, count, format_message, join_some, noun_list, short_repr
from pellucid.base.types import Array, Flags, Floats
from pellucid.data.kinds import is_missing
from pellucid.data.target import read_target
from pellucid.plotting import _style
from pellucid.plotting._read import column_names, numbers
from pellucid.plotting._style import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLORS = CLASSES
MARKERS = ["o", "s", "^", "D", "v", "P", "X", "<", ">", "*"]
# How much of a class's color its area has: where it is no likelier than chance, where it is certain; if not known.
LEAST, MOST, FLAT = 0.08, 0.48, 0.3
# Room around the rows, as a share of their range.
ROOM = 0.07


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


# ------------------------------------------------------------------------------------------------------------- labels


def labels_of(who: str, y: Any, n_rows: int) -> Array:
    labels = read_target(y, who)
    if labels.size != n_rows:
        actual = f"got {count(n_rows, 'row')} and y of shape {labels.shape}"
        raise DataError(format_message(who, "y must be one column of labels with as many rows as X", actual=actual))
    labels = labels.ravel()
    missing = [i for i, label in enumerate(labels) if is_missing(label)] if labels.dtype.kind in "fO" else []
    if missing:
        raise DataError(
            format_message(
                who, "y must have no missing labels", actual=noun_list("row", missing), hint="drop these rows"
            )
        )
    return labels


def classes_of(who: str, models: dict[str, Any], labels: Array) -> list[Any]:
    """All classes: the models', in their order, then those that only y has."""
    classes: dict[Any, None] = {}
    for model in models.values():
        classes.update(dict.fromkeys(np.asarray(getattr(model, "classes_", [])).ravel().tolist()))
    present = dict.fromkeys(labels.tolist())
    if classes and not any(label in classes for label in present):
        requirement = "y must hold labels that the model knows"
        raise DataError(
            format_message(who, requirement, actual=f"it knows {join_some(classes)}, and y has {join_some(present)}")
        )
    classes.update(dict.fromkeys(sorted(set(present) - set(classes), key=lambda label: (str(type(label)), label))))
    if len(classes) > len(COLORS):
        hint = "draw a model of fewer classes; a number to be predicted needs other pictures"
        raise DataError(
            format_message(
                who, f"at most {len(COLORS)} classes can be told apart", actual=f"got {len(classes)}", hint=hint
            )
        )
    return list(classes)


def codes_of(who: str, labels: Any, classes: list[Any]) -> NDArray[np.intp]:
    """Each label's place among the classes."""
    code_of_label = {label: k for k, label in enumerate(classes)}
    values = np.asarray(labels).ravel().tolist()
    strange = set(values) - set(code_of_label)
    if strange:
        requirement = "the model must predict one of its classes or of the labels in y"
        raise DataError(
            format_message(
                who, requirement, actual=f"it predicts {join_some(sorted(map(str, strange)))}", hint="draw a classifier"
            )
        )
    return np.array([code_of_label[value] for value in values], dtype=np.intp)


# -------------------------------------------------------------------------------------------------------------- plane


def plane_of(who: str, models: list[Any], X: Any, columns: Any) -> Plane:
    names, width = _wanted(who, models, X)
    frame = column_names(X)
    if names is not None and frame is not None:
        missing = [name for name in names if name not in frame]
        if missing:
            requirement = f"X must have the model's columns ({join_some(names)})"
            raise DataError(
                format_message(who, requirement, actual=f"{join_some(missing)} not found among {join_some(frame)}")
            )
        X = X[names]
    values = numbers(who, "X", X.toarray() if hasattr(X, "toarray") else X)
    if values.ndim != 2 or values.shape[1] < 2 or not len(values):
        raise DataError(
            format_message(who, "X must be a table of rows with at least two columns", actual=f"got {values.shape}")
        )
    names = names if frame is None else column_names(X)
    indices = None if columns is None else _chosen(who, columns, names, values.shape[1])
    if width == 2 and values.shape[1] > 2 and indices is not None:
        values, names, indices = values[:, indices], None if names is None else [names[j] for j in indices], None
    if values.shape[1] != width:
        hint = "columns=(..., ...) says which two of X" if width == 2 else ""
        actual = f"it has {width}, and X has {values.shape[1]}"
        raise DataError(format_message(who, "X must have as many columns as the model", actual=actual, hint=hint))
    words = [plain(name) for name in names or [f"x{j + 1}" for j in range(width)]]
    if width == 2:
        pair = indices or [0, 1]
        return Plane(values, values[:, pair], names, np.zeros(2), np.eye(2)[pair], (words[pair[0]], words[pair[1]]))
    if indices is not None:
        origin = np.median(values, axis=0)
        origin[indices] = 0.0
        labels, note = (words[indices[0]], words[indices[1]]), "other columns at their medians"
        return Plane(values, values[:, indices], names, origin, np.eye(width)[indices], labels, note)
    return _components(who, values, names)


def _wanted(who: str, models: list[Any], X: Any) -> tuple[list[str] | None, int]:
    """The names, if known, and the number of the models' columns, which must be the same for all."""
    name_sets = {tuple(map(str, model.feature_names_in_)) for model in models if hasattr(model, "feature_names_in_")}
    widths = {int(model.n_features_in_) for model in models if hasattr(model, "n_features_in_")} | set(
        map(len, name_sets)
    )
    if len(name_sets) > 1 or len(widths) > 1:
        listing = "; ".join(join_some(names) for names in sorted(name_sets)) or ", ".join(map(str, sorted(widths)))
        raise DataError(format_message(who, "the models must have the same columns", actual=f"got {listing}"))
    width = widths.pop() if widths else np.shape(X)[-1] if np.ndim(X) else 0
    return (list(name_sets.pop()) if name_sets else None), width


def _chosen(who: str, columns: Any, names: list[str] | None, width: int) -> list[int]:
    index_of: dict[Any, int] = {j: j for j in range(width)}
    index_of.update((name, j) for j, name in enumerate(names or []))
    selected = [] if isinstance(columns, str) else list(columns)
    if len(selected) != 2 or any(column not in index_of for column in selected) or selected[0] == selected[1]:
        have = join_some(names, 10) if names else f"0 to {width - 1}"
        raise ParameterError(
            format_message(who, f"columns must be two of the columns ({have})", actual=f"got {short_repr(columns)}")
        )
    return [index_of[column] for column in selected]


def _components(who: str, values: Floats, names: list[str] | None) -> Plane:
    """``Z = U S Vᵀ`` of the standardized columns: the first two rows of ``Vᵀ`` span the plane."""
    mean, scale = values.mean(axis=0), values.std(axis=0)
    scale[scale <= 1e-12 * np.abs(values).max(axis=0)] = 1.0
    standard = (values - mean) / scale
    _, sizes, axes = np.linalg.svd(standard, full_matrices=len(values) < values.shape[1])
    shares = np.append(np.square(sizes), 0.0)
    if not shares.sum() > 0:
        raise DataError(format_message(who, "X must have rows that differ", actual="all are alike"))
    axes = axes[:2] * np.sign(axes[[0, 1], np.abs(axes[:2]).argmax(axis=1)])[:, None]
    percentages = 100 * shares / shares.sum()
    first, second = (f"component {k + 1} ({percentages[k]:.0f} % of the variance)" for k in range(2))
    return Plane(values, standard @ axes.T, names, mean, axes * scale, (first, second))


def table_of(model: Any, X: Any, plane: Plane, values: Floats) -> Any:
    """Rows for the model, in a frame of X's kind if it was fitted to one."""
    without = hasattr(model, "n_features_in_") and not hasattr(model, "feature_names_in_")
    if plane.names is None or column_names(X) is None or without:
        return values
    return type(X)(dict(zip(plane.names, values.T, strict=True)))


# ------------------------------------------------------------------------------------------------------------ drawing


def draw_areas(
    who: str, ax: "Axes", model: Any, X: Any, plane: Plane, classes: list[Any], grid: int, proba: bool
) -> None:
    from matplotlib.colors import to_rgb

    a, b = (ticks(column, grid) for column in plane.points.T)
    table = table_of(model, X, plane, plane.rows(*(coordinates.ravel() for coordinates in np.meshgrid(a, b))))
    predictions = np.asarray(model.predict(table)).ravel()
    codes = codes_of(who, predictions, classes)
    strength = np.full(len(codes), FLAT)
    if proba and hasattr(model, "predict_proba") and hasattr(model, "classes_"):
        sure = np.asarray(model.predict_proba(table), dtype=np.float64)
        class_codes = codes_of(who, model.classes_, classes)
        mine = sure[codes[:, None] == class_codes]
        baseline = 1 / max(len(class_codes), 2)
        strength = LEAST + (MOST - LEAST) * np.clip((mine - baseline) / (1 - baseline), 0, 1)
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
    ax.spines[:].set_color(_style.GRAY)
    ax.tick_params(color=_style.GRAY)


def ticks(values: Floats, grid: int) -> Floats:
    low, high = float(values.min()), float(values.max())
    margin = ROOM * (high - low) or 0.5 * abs(low) or 0.5
    return np.linspace(low - margin, high + margin, grid)


def draw_rows(who: str, ax: "Axes", plane: Plane, labels: Array, classes: list[Any], wrong: Flags) -> None:
    codes, size = codes_of(who, labels, classes), 6.5 if len(labels) <= 60 else 5.2 if len(labels) <= 500 else 3.6
    thin = 0.8 if len(labels) <= 500 else 0.5
    edge: dict[str, Any] = {"markeredgecolor": "white", "markeredgewidth": 0.5, "linestyle": "", "markersize": size}
    for k, label in enumerate(classes):
        style: dict[str, Any] = {"color": COLORS[k], "marker": MARKERS[k], **edge}
        ax.plot(*plane.points[codes == k].T, zorder=3, label=_style.shown(word(label)), **style)
    if wrong.any():
        ring: dict[str, Any] = {
            "marker": "o",
            "markerfacecolor": "none",
            "markeredgecolor": _style.INK,
            "markeredgewidth": thin,
        }
        ax.plot(*plane.points[wrong].T, linestyle="", markersize=size + 3.2, zorder=4, label="predicted wrong", **ring)


def word(label: Any) -> str:
    return plain(f"{label:g}" if isinstance(label, float) else str(label))
