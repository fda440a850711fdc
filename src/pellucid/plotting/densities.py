"""The densities of a naive Bayes model: what one column says about each class."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pellucid.base.errors import DataError, ParameterError, format_message, join_some, short_repr
from pellucid.base.types import Floats
from pellucid.plotting import _style
from pellucid.plotting._plane import COLORS, classes_of, codes_of, labels_of, word
from pellucid.plotting._read import column_names, name_of, names_of
from pellucid.stats import normal_density

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
    """Draw the density of every class for one column of a naive Bayes model: bell curves, or sums of kernels.

    Dashed is the density within the class; full, and filled below, the density times the class's prior: where that
    curve is the highest, this column alone would decide for the class, and dotted lines stand where the lead changes.
    With X and y the rows lie below, a tick each in their class's color.

    Parameters
    ----------
    model : fitted GaussianNB, KernelDensityNB, or NaiveBayes with such columns
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
    names = names_of(model, X, _check_model(who, model))
    j = _column(who, column, names)
    prior = np.asarray(model.class_prior_, dtype=np.float64)
    present = np.flatnonzero(prior > 0)
    curves = _curves(who, model, j, names[j])
    low, high = min(curves[k].low for k in present), max(curves[k].high for k in present)
    grid = np.linspace(low, high, FINE)
    ax = _style.axes() if ax is None else ax
    _style.tidy(ax)
    classes = classes_of(who, {"": model}, np.asarray(model.classes_) if y is None else labels_of(who, y, _rows(X)))
    heights = np.array([curve.at(grid) for curve in curves])
    for k in present:
        color, name = COLORS[k], _style.shown(word(model.classes_.tolist()[k]))
        if weighted:
            ax.plot(grid, prior[k] * heights[k], color=color, linewidth=2.2, zorder=4, label=f"{name}, times its prior")
            ax.fill_between(grid, prior[k] * heights[k], color=color, alpha=0.12, linewidth=0, zorder=2)
        ax.plot(grid, heights[k], color=color, linewidth=1.6, linestyle="--", zorder=3, label=f"{name}, density")
    ax.set_ylim(0, 1.08 * float(heights[present].max()))
    _draw_changes(ax, grid, prior[:, None] * heights if weighted else np.where(prior[:, None] > 0, heights, 0.0))
    if X is not None and y is not None:
        _draw_rug(who, ax, _values(who, X, names[j], j), y, classes)
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
    requirement = f"column must name one of {join_some(map(repr, names))}, or be its number from 0 to {len(names) - 1}"
    raise ParameterError(format_message(who, requirement, actual=f"got {short_repr(column)}"))


@dataclass(frozen=True)
class _Curve:
    """A sum of bells of one width on places with shares; a single one is a bell curve."""

    places: Floats
    shares: Floats
    width: float

    @property
    def low(self) -> float:
        return float(self.places.min() - REACH * self.width)

    @property
    def high(self) -> float:
        return float(self.places.max() + REACH * self.width)

    def at(self, x: Floats) -> Floats:
        total = np.zeros_like(x)
        for center, share in zip(self.places.tolist(), self.shares.tolist(), strict=True):
            total += share * np.asarray(normal_density(x, center, self.width))
        return total


def _check_model(who: str, model: Any) -> int:
    """How many columns it has."""
    is_gaussian = all(hasattr(model, name) for name in ("theta_", "var_"))
    if hasattr(model, "class_prior_") and hasattr(model, "classes_"):
        if is_gaussian:
            return int(np.shape(model.theta_)[1])
        if hasattr(model, "kinds_") or hasattr(model, "bandwidths_"):
            return int(model.n_features_in_)
    requirement, actual = "the model must be a fitted naive Bayes with densities", f"got {type(model).__name__}"
    hint = "fit a GaussianNB, KernelDensityNB or NaiveBayes, or draw class_probabilities, which takes any classifier"
    raise DataError(format_message(who, requirement, actual=actual, hint=hint))


def _curves(who: str, model: Any, j: int, name: str) -> list[_Curve]:
    """The density of each class in column j."""
    if hasattr(model, "theta_"):
        return _bells(np.asarray(model.theta_)[:, j], np.asarray(model.var_)[:, j])
    if not hasattr(model, "kinds_"):
        return _sums(who, model.points_[j], model.weights_[j], model.bandwidths_[:, j], name)
    key = list(model.kinds_)[j]
    if model.kinds_[key] == "gaussian" and np.isfinite(model.means_[key]).all():
        return _bells(model.means_[key], model.variances_[key])
    if model.kinds_[key] == "kernel":
        return _sums(who, model.points_[key], model.weights_[key], model.bandwidths_[key], name)
    requirement = "the column must have a density in each class"
    actual = f"{name!r} is taken by its {'values' if model.kinds_[key] == 'categories' else 'split'}"
    actual = f"{name!r} has no number" if model.kinds_[key] == "gaussian" else actual
    raise DataError(
        format_message(who, requirement, actual=actual, hint="likelihood_table shows what the model knows of it")
    )


def _bells(means: Floats, variances: Floats) -> list[_Curve]:
    pairs = zip(np.asarray(means, dtype=np.float64), np.sqrt(np.asarray(variances, dtype=np.float64)), strict=True)
    return [_Curve(np.array([mean]), np.ones(1), float(width)) for mean, width in pairs]


def _sums(who: str, points: Any, weights: Any, widths: Any, name: str) -> list[_Curve]:
    """Sums of kernels; a class without values has those of the whole column, as in the model."""
    everything, shares = np.concatenate(points), np.concatenate(weights)
    if len(everything) == 0:
        raise DataError(
            format_message(who, "the column must have a density in each class", actual=f"{name!r} has no number")
        )
    samples = [(p, w) if len(p) else (everything, shares) for p, w in zip(points, weights, strict=True)]
    return [_Curve(*_few(p, w / w.sum()), float(width)) for (p, w), width in zip(samples, widths, strict=True)]


def _few(points: Floats, shares: Floats) -> tuple[Floats, Floats]:
    """At most as many places as make a difference in a picture: means of equal parts of the range."""
    if len(points) <= FINE:
        return points, shares
    bin_index = np.minimum((FINE * (points - points.min()) / np.ptp(points)).astype(int), FINE - 1)
    bin_weights = np.bincount(bin_index, shares, FINE).astype(np.float64)
    sums = np.bincount(bin_index, shares * points, FINE)
    return sums[bin_weights > 0] / bin_weights[bin_weights > 0], bin_weights[bin_weights > 0]


def _values(who: str, X: Any, name: str, j: int) -> Floats:
    """One column of a table, by its name where it has one."""
    names = column_names(X) or getattr(X, "column_names", None)
    column = X[name] if names is not None and name in names else np.asarray(X).reshape(len(X), -1)[:, j]
    try:
        return np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(
            format_message(who, f"column {name!r} must hold numbers", actual="it holds other things")
        ) from None


def _rows(X: Any) -> int:
    return 0 if X is None else len(X)


def _draw_changes(ax: "Axes", grid: Floats, heights: Floats) -> None:
    """Where the highest curve is another one than to the left."""
    best, width, changes = heights.argmax(axis=0), float(grid[-1] - grid[0]), []
    for i in np.flatnonzero(best[1:] != best[:-1]):
        a, b = heights[best[i]], heights[best[i + 1]]
        difference = (a - b)[i : i + 2]
        share = difference[0] / (difference[0] - difference[1]) if difference[0] != difference[1] else 0.5
        changes.append(float(grid[i] + share * (grid[i + 1] - grid[i])))
    for at, lane in zip(changes, _style.lanes(changes, width), strict=True):
        ax.axvline(at, color=_style.INK, linestyle=":", linewidth=1.2, zorder=1)
        where: dict[str, Any] = {
            "xytext": (3, -3 - 11 * lane),
            "textcoords": "offset points",
            "va": "top",
            "fontsize": _style.SMALL,
        }
        ax.annotate(_style.place(at, width), (at, ax.get_ylim()[1]), **where)


def _draw_rug(who: str, ax: "Axes", values: Floats, y: Any, classes: list[Any]) -> None:
    """A tick for each row, below the axis, one strip a class."""
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
