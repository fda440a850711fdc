"""Pictures of nearest neighbors: one row with those that decide about it, and decision regions for several k.

They read ``kneighbors`` or ``radius_neighbors``, ``effective_metric_`` and ``predict`` of a fitted model of two
columns.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from pellucid.base.errors import DataError, ParameterError, count, format_message, short_repr
from pellucid.base.types import Array, Floats
from pellucid.neighbors import KNeighborsClassifier
from pellucid.plotting import _style
from pellucid.plotting._panels import panels
from pellucid.plotting._plane import (
    COLORS,
    MARKERS,
    Plane,
    classes_of,
    codes_of,
    labels_of,
    plane_of,
    table_of,
    ticks,
    word,
)
from pellucid.plotting._read import name_of, numbers
from pellucid.plotting._style import plain
from pellucid.plotting.regions import decision_regions

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

__all__ = ["neighborhood", "regions_for_k"]

WHO = "neighborhood"
POWERS = {"euclidean": 2.0, "l2": 2.0, "manhattan": 1.0, "l1": 1.0, "cityblock": 1.0, "chebyshev": np.inf}


def neighborhood(
    model: Any, X: Any, y: Any = None, *, x: Any, steps: bool = True, ax: "Axes | None" = None
) -> "Axes | NDArray[np.object_]":
    """Draw one row with its neighbors: the row alone, those that are near, and what they make of it.

    A line leads to every neighbor. All places as far away as the last neighbor, or within the radius, are inside of
    the dotted curve: a circle for Euclidean distances, a diamond for Manhattan's, a square for Chebyshev's.

    Parameters
    ----------
    model : fitted KNeighborsClassifier, KNeighborsRegressor, RadiusNeighbors..., or NearestNeighbors, of two columns
    X : table that the model was fitted on
    y : labels or numbers of its rows; none for NearestNeighbors
    x : the row that is asked about, two numbers
    steps : bool, default=True
        Three pictures: the row without a label, its neighbors, its label. Otherwise the last one alone.
    ax : matplotlib Axes, optional
        Where to draw, with ``steps=False``; a new figure otherwise.

    Returns
    -------
    array of three matplotlib Axes, or one with ``steps=False``

    Examples
    --------
    >>> X, y = [[1, 1], [2, 1], [1, 3], [4, 4]], ["red", "red", "blue", "blue"]
    >>> axes = neighborhood(KNeighborsClassifier(3).fit(X, y), X, y, x=[1, 2])
    >>> axes[2].get_title()
    'red 2, blue 1: red'
    """
    if ax is not None and steps:
        raise ParameterError(format_message(WHO, "ax is for one picture", hint="pass steps=False with ax"))
    scene = _scene(model, X, y, x)
    n_steps = 3 if scene.said is not None else 2
    if steps:
        axes_array = panels(n_steps, size=(3.6, 3.7), shared=True)
    else:
        axes_array = np.array([_style.axes() if ax is None else ax], dtype=object)
    selected = list(range(n_steps)) if steps else [n_steps - 1]
    for axes, step in zip(axes_array, selected, strict=True):
        _draw(axes, scene, step)
        axes.set_xlabel(scene.plane.labels[0])
        if axes is axes_array[0]:
            axes.set_ylabel(scene.plane.labels[1])
    _write_legend(axes_array, scene, name_of(y), steps=steps, is_new_figure=ax is None)
    return axes_array if steps else axes_array[0]


@dataclass
class Scene:
    """What the pictures share."""

    plane: Plane
    query: Floats
    rows: Array
    distances: Floats
    reach: float
    power: float | None
    labels: Array | None
    classes: list[Any]
    said: Any
    told: str


def _scene(model: Any, X: Any, y: Any, x: Any) -> Scene:
    plane = plane_of(WHO, [model], X, None)
    if plane.table.shape[1] != 2:
        raise DataError(format_message(WHO, "two columns can be drawn", actual=f"the model has {plane.table.shape[1]}"))
    query = np.asarray(x, dtype=np.float64).ravel()
    if query.shape != (2,) or not np.isfinite(query).all():
        raise DataError(format_message(WHO, "x must be two numbers", actual=f"got {short_repr(x)}"))
    inputs = table_of(model, X, plane, query[None])
    if hasattr(model, "kneighbors"):
        distances, rows = (np.asarray(array[0]) for array in model.kneighbors(inputs))
        reach = float(distances[-1])
    elif hasattr(model, "radius_neighbors"):
        distances, rows = (np.asarray(array[0]) for array in model.radius_neighbors(inputs, sort_results=True))
        reach = float(model.radius)
    else:
        raise ParameterError(
            format_message(WHO, "needs a fitted model by neighbors", actual=f"got {short_repr(model)}")
        )
    if len(rows) and rows.max() >= len(plane.table):
        requirement = "X must be the table that the model was fitted on"
        raise DataError(
            format_message(WHO, requirement, actual=f"row {rows.max()} is a neighbor, and X has {len(plane.table)}")
        )
    scene = Scene(plane, query, rows, distances, reach, _power(model), None, [], None, "")
    if not hasattr(model, "predict"):
        scene.told = f"its {count(len(rows), 'nearest row')}"
        return scene
    if y is None:
        raise DataError(
            format_message(WHO, "needs y, the labels or numbers that the model was fitted on", actual="got none")
        )
    scene.said = np.asarray(model.predict(inputs)).ravel().tolist()[0]
    if hasattr(model, "classes_"):
        scene.labels = labels_of(WHO, y, len(plane.table))
        scene.classes = classes_of(WHO, {"": model}, scene.labels)
        scene.told = f"{_vote(scene)}: {word(scene.said)}"
    else:
        scene.labels = numbers(WHO, "y", y).ravel()
        kind = getattr(model, "average", "mean")
        scene.told = f"{kind} of {count(len(rows), 'row')}: {_style.number(float(scene.said))}"
    return scene


def _vote(scene: Scene) -> str:
    """How many neighbors each class has, most first."""
    assert scene.labels is not None
    codes = codes_of(WHO, scene.labels[scene.rows], scene.classes)
    often = np.bincount(codes, minlength=len(scene.classes))
    order = [k for k in np.argsort(-often, kind="stable").tolist() if often[k]]
    return ", ".join(f"{word(scene.classes[k])} {often[k]}" for k in order) or "nobody near"


def _power(model: Any) -> float | None:
    """The power of the Minkowski distance that is used; None for other distances."""
    name = getattr(model, "effective_metric_", "")
    parameters = getattr(model, "effective_metric_params_", {})
    if name == "minkowski" and parameters.get("w") is None:
        return float(parameters.get("p", 2))
    return POWERS.get(name) if isinstance(name, str) else None


# ------------------------------------------------------------------------------------------------------------- drawing


def _draw(ax: "Axes", scene: Scene, step: int) -> None:
    """Part 0: the row alone; 1: its neighbors; 2: its label."""
    points, near = scene.plane.points, scene.plane.points[scene.rows]
    if step:
        for point in near:
            ax.plot(*np.array([scene.query, point]).T, color=_style.GRAY, linewidth=1.3, zorder=2)
        outline = _outline(scene)
        if outline is not None:
            ax.plot(*outline.T, color=_style.INK, linestyle=":", linewidth=1.3, zorder=2)
    _draw_rows(ax, scene)
    if step:
        ring: dict[str, Any] = {"markerfacecolor": "none", "markeredgecolor": "black", "markeredgewidth": 1.3}
        ax.plot(*near.T, "o", markersize=12, linestyle="none", zorder=4, label="neighbor", **ring)
    _draw_query(ax, scene, step)
    alone = "a row" if scene.said is None else f"a row without a {'label' if scene.classes else 'number'}"
    titles = [alone, f"its {count(len(near), 'neighbor')}", scene.told]
    ax.set_title(titles[step] if scene.said is not None or step == 0 else scene.told, fontsize=_style.TITLE)
    _style.tidy(ax)
    ax.grid(False)
    outline = _outline(scene)
    visible = np.vstack([points, scene.query[None], *([] if outline is None else [outline])])
    across, up = (ticks(column, 2) for column in visible.T)
    ax.set(xlim=across, ylim=up)
    if scene.power is not None:
        ax.set_aspect("equal", adjustable="box")


def _draw_rows(ax: "Axes", scene: Scene) -> None:
    points, size = scene.plane.points, 7.0 if len(scene.plane.points) <= 60 else 4.5
    if scene.labels is None:
        ax.plot(*points.T, "o", color=_style.BLUE, markersize=size, linestyle="none", zorder=3, label="fitted row")
    elif scene.classes:
        codes = codes_of(WHO, scene.labels, scene.classes)
        for k, label in enumerate(scene.classes):
            style: dict[str, Any] = {"color": COLORS[k], "marker": MARKERS[k], "markersize": size, "linestyle": ""}
            ax.plot(*points[codes == k].T, zorder=3, label=_style.shown(word(label)), **style)
    else:
        low, high = float(scene.labels.min()), float(scene.labels.max())
        ax.scatter(points[:, 0], points[:, 1], c=scene.labels, s=size**2, cmap="viridis", vmin=low, vmax=high, zorder=3)


def _draw_query(ax: "Axes", scene: Scene, step: int) -> None:
    """A hollow star, in the end with the color of its class or number."""
    style: dict[str, Any] = {"marker": "*", "markersize": 17, "markeredgecolor": "black", "linestyle": "", "zorder": 5}
    color: Any = "white"
    if step == 2 and scene.classes and scene.said in scene.classes:
        color = COLORS[scene.classes.index(scene.said)]
    elif step == 2 and scene.labels is not None and not scene.classes and np.isfinite(scene.said):
        from matplotlib import colormaps

        low, high = float(scene.labels.min()), float(scene.labels.max())
        color = colormaps["viridis"]((scene.said - low) / (high - low) if high > low else 0.5)
    ax.plot(*scene.query, markerfacecolor=color, label="asked about", **style)


def _outline(scene: Scene) -> Floats | None:
    """Places at the distance of the last neighbor: ``|v_1|^p + |v_2|^p = reach^p``."""
    if scene.power is None or not np.isfinite(scene.reach):
        return None
    angles = np.linspace(0, 2 * np.pi, 361)
    directions = np.column_stack([np.cos(angles), np.sin(angles)])
    sizes = np.abs(directions)
    p = scene.power
    length = sizes.max(axis=1) if np.isinf(p) else (sizes**p).sum(axis=1) ** (1 / p)
    return np.asarray(scene.query + scene.reach * directions / length[:, None])


def _write_legend(axes: "NDArray[np.object_]", scene: Scene, title: str, *, steps: bool, is_new_figure: bool) -> None:
    handles, names = axes[-1].get_legend_handles_labels()
    heading = None if title == "y" else plain(title)
    figure = axes[0].figure
    if scene.labels is not None and not scene.classes and is_new_figure:
        figure.get_layout_engine().set(h_pad=0.14)  # else a bar beside square pictures costs their titles the top
        figure.colorbar(axes[-1].collections[0], ax=list(axes), label=heading or "y", shrink=0.8)
        heading = None
    if steps:
        figure.legend(
            handles, names, loc="outside lower center", ncols=min(len(names), 6), title=heading, frameon=False
        )
    elif is_new_figure:
        location = (
            {"loc": "outside right upper"} if scene.classes or scene.labels is None else {"loc": "outside lower center"}
        )
        figure.legend(handles, names, title=heading, frameon=False, ncols=1 if scene.classes else 2, **location)
    else:
        axes[0].legend(handles, names, title=heading, framealpha=0.8)


# --------------------------------------------------------------------------------------------------------- several k


def regions_for_k(
    X: Any,
    y: Any,
    k: Sequence[int] = (1, 5, 15, 45),
    *,
    test: tuple[Any, Any] | None = None,
    model: Any = None,
    columns: Sequence[str] | Sequence[int] | None = None,
    grid: int = 150,
) -> "NDArray[np.object_]":
    """Draw the decision regions of a rule by k neighbors for several k side by side: small k follow every row.

    Each picture says what share of the rows fitted the rule answers rightly and, with ``test``, what share of others:
    with k = 1 the first is all of them, and only the second tells whether the rule is good. Which k is best is seen in
    `validation_curve` over ``n_neighbors``.

    Parameters
    ----------
    X, y : rows and labels that are fitted, at most ten different labels
    k : numbers of neighbors, at most twelve
    test : (rows, labels) held out, optional
    model : classifier with ``n_neighbors``, optional
        Fitted anew for each k; ``KNeighborsClassifier()`` unless told.
    columns, grid : as in `decision_regions`

    Returns
    -------
    array of matplotlib Axes, one for each k

    Examples
    --------
    >>> X, y = [[0, 0], [0, 1], [3, 0], [3, 1]], ["left", "left", "right", "right"]
    >>> axes = regions_for_k(X, y, k=[1, 3], grid=20)
    >>> [ax.get_title() for ax in axes]
    ['k = 1\\n100 % right', 'k = 3\\n100 % right']
    """
    who = "regions_for_k"
    values = list(k)
    if not 1 <= len(values) <= 12 or any(
        isinstance(value, bool) or not isinstance(value, int | np.integer) for value in values
    ):
        raise ParameterError(
            format_message(who, "k must be one to twelve whole numbers", actual=f"got {short_repr(k)}")
        )
    base = KNeighborsClassifier() if model is None else model
    if "n_neighbors" not in base.get_params():
        raise ParameterError(format_message(who, "model must have n_neighbors", actual=f"got {short_repr(model)}"))
    models = {f"k = {value}": clone(base).set_params(n_neighbors=int(value)).fit(X, y) for value in values}
    axes: Any = decision_regions(models, X, y, columns=columns, grid=grid)
    if test is not None:
        for ax, value in zip(axes, models.values(), strict=True):
            right = np.mean(np.asarray(value.predict(test[0])).ravel() == labels_of(who, test[1], len(test[0])))
            ax.set_title(f"{ax.get_title()}, {100 * right:.3g} % of test rows", fontsize=_style.TITLE)
    return axes  # type: ignore[no-any-return]
