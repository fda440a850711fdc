"""The bell curves of a Gaussian naive Bayes model: what one column says about each class."""

from typing import TYPE_CHECKING, Any

import numpy as np

from pellucid.base.errors import DataError, ParameterError, sentence, short, some
from pellucid.base.types import Floats
from pellucid.plots import _style
from pellucid.plots._plane import COLORS, classes_of, codes_of, labels_of, word
from pellucid.plots._read import name_of, names_of
from pellucid.statistics import normal_density

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["class_densities"]

FINE = 801
REACH = 3.5  # standard deviations on each side of the outermost curves
MOST_TICKS = 2000  # of the rug, in each class


def class_densities(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    column: str | int | None = None,
    weighted: bool = True,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the bell curve of every class for one column of a fitted `GaussianNB`.

    Dashed is the density within the class; full, and filled below, the density times the class's prior: where that
    curve is the highest, this column alone would decide for the class, and dotted lines stand where the lead changes.
    With X and y the rows lie below, a tick each in their class's colour.

    Parameters
    ----------
    model : fitted GaussianNB
        Or another classifier with ``theta_``, ``var_``, ``class_prior_`` and ``classes_``.
    X, y : table and labels, optional
        The rows for the ticks below the curves.
    column : name or number of a column, optional
        Which one; a model of one column needs none.
    weighted : bool
        False leaves out the curves times the priors.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from pellucid.naive_bayes import GaussianNB
    >>> model = GaussianNB().fit([[1], [3], [5], [7]], ["low", "low", "high", "high"])
    >>> ax = class_densities(model)
    >>> [text.get_text() for text in ax.texts]
    ['4.00']
    """
    who = "class_densities"
    lacking = [name for name in ("theta_", "var_", "class_prior_", "classes_") if not hasattr(model, name)]
    if lacking:
        must, found = "the model must be a fitted GaussianNB", f"{type(model).__name__} has no {some(lacking)}"
        raise DataError(sentence(who, must, found, "fit one, or draw class_probabilities, which takes any classifier"))
    means, spreads = np.asarray(model.theta_, dtype=np.float64), np.sqrt(np.asarray(model.var_, dtype=np.float64))
    names = names_of(model, X, means.shape[1])
    j = _column(who, column, names)
    prior = np.asarray(model.class_prior_, dtype=np.float64)
    shown = np.flatnonzero(prior > 0)
    low = float((means[shown, j] - REACH * spreads[shown, j]).min())
    high = float((means[shown, j] + REACH * spreads[shown, j]).max())
    grid = np.linspace(low, high, FINE)
    ax = _style.axes() if ax is None else ax
    _style.tidy(ax)
    classes = classes_of(who, {"": model}, np.asarray(model.classes_) if y is None else labels_of(who, y, _rows(X)))
    heights = np.array([_bell(grid, means[k, j], spreads[k, j]) for k in range(len(means))])
    for k in shown:
        color, name = COLORS[k], _style.shown(word(model.classes_.tolist()[k]))
        if weighted:
            ax.plot(grid, prior[k] * heights[k], color=color, linewidth=2.2, zorder=4, label=f"{name}, times its prior")
            ax.fill_between(grid, prior[k] * heights[k], color=color, alpha=0.12, linewidth=0, zorder=2)
        ax.plot(grid, heights[k], color=color, linewidth=1.6, linestyle="--", zorder=3, label=f"{name}, density")
    ax.set_ylim(0, 1.08 * float(heights[shown].max()))
    _draw_changes(ax, grid, prior[:, None] * heights if weighted else np.where(prior[:, None] > 0, heights, 0.0))
    if X is not None and y is not None:
        _draw_rug(who, ax, X, y, j, classes)
    ax.set(xlim=(low, high), xlabel=_style.shown(names[j]), ylabel="density")
    heading = None if y is None or name_of(y) == "y" else _style.plain(name_of(y))
    ax.legend(title=heading, loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
    return ax


def _column(who: str, column: str | int | None, names: list[str]) -> int:
    if column is None and len(names) == 1:
        return 0
    if isinstance(column, str) and column in names:
        return names.index(column)
    if isinstance(column, int | np.integer) and not isinstance(column, bool) and -len(names) <= column < len(names):
        return int(column) % len(names)
    must = f"column must name one of {some(map(repr, names))}, or be its number from 0 to {len(names) - 1}"
    raise ParameterError(sentence(who, must, f"got {short(column)}"))


def _bell(x: Floats, mean: float, deviation: float) -> Floats:
    return np.asarray(normal_density(x, mean, deviation), dtype=np.float64)


def _rows(X: Any) -> int:
    return 0 if X is None else len(X)


def _draw_changes(ax: "Axes", grid: Floats, heights: Floats) -> None:
    """Where the highest curve is another one than to the left."""
    best = heights.argmax(axis=0)
    for i in np.flatnonzero(best[1:] != best[:-1]):
        a, b = heights[best[i]], heights[best[i + 1]]
        gap = (a - b)[i : i + 2]
        share = gap[0] / (gap[0] - gap[1]) if gap[0] != gap[1] else 0.5
        at = float(grid[i] + share * (grid[i + 1] - grid[i]))
        ax.axvline(at, color=_style.INK, linestyle=":", linewidth=1.2, zorder=1)
        place: dict[str, Any] = {
            "xytext": (3, -3),
            "textcoords": "offset points",
            "va": "top",
            "fontsize": _style.SMALL,
        }
        ax.annotate(f"{at:.2f}" if abs(at) < 1e4 else f"{at:.3g}", (at, ax.get_ylim()[1]), **place)


def _draw_rug(who: str, ax: "Axes", X: Any, y: Any, j: int, classes: list[Any]) -> None:
    """A tick for each row, below the axis, one strip a class."""
    table = np.asarray(X, dtype=np.float64)
    values = table.reshape(len(table), -1)[:, j]
    codes = codes_of(who, labels_of(who, y, len(values)), classes)
    top = ax.get_ylim()[1]
    strip = 0.045 * top
    present = sorted(set(codes.tolist()))
    for line, k in enumerate(present):
        x = values[(codes == k) & np.isfinite(values)]
        x = x[:: max(1, len(x) // MOST_TICKS)]
        bottom = -(line + 1) * strip
        ax.vlines(x, bottom + 0.15 * strip, bottom + 0.85 * strip, color=COLORS[k], linewidth=1.0, alpha=0.7)
    ax.set_ylim(-(len(present) + 0.4) * strip, top)
    ax.axhline(0, color=_style.INK, linewidth=0.8, zorder=1)
    ax.set_yticks([tick for tick in ax.get_yticks() if 0 <= tick <= top])
