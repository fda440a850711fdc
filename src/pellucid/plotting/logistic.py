"""Pictures of models that turn a score into a probability: the sigmoid, probabilities over a column, log-odds.

They read ``predict_proba``, ``classes_`` and, where the model has them, ``feature_names_in_``. Nothing is fitted here.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from pellucid.base.errors import DataError, ParameterError, count, format_message, join_some, short_repr
from pellucid.base.types import Array, Floats
from pellucid.plotting import _style
from pellucid.plotting._plane import COLORS, MARKERS, classes_of, codes_of, labels_of, word
from pellucid.plotting._read import column_names, name_of, numbers
from pellucid.plotting._style import number, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["class_probabilities", "log_odds_line", "sigmoid_curve"]

FINE = 600
# Rows up to which a point is drawn for each; beyond it, fainter.
MANY = 300
# Parts into which rows are put to compare their share of a class with what the model says.
PARTS = 8


def sigmoid_curve(scores: Any = None, y: Any = None, *, reach: float | None = None, ax: "Axes | None" = None) -> "Axes":
    """Draw the logistic function  ``p = 1 / (1 + exp(-t))``,  which turns any score into a probability.

    Scores of rows are drawn on the curve, where their probabilities are; with labels, in the class's color: a point
    of the second class in the lower half, or of the first in the upper, is predicted wrongly.

    Parameters
    ----------
    scores : numbers, optional
        Linear scores of rows, as ``decision_function`` of a model of two classes gives them.
    y : labels of these rows, of two classes, optional
    reach : float, optional
        The curve runs from -reach to reach: 5, or as far as the scores unless given.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> ax = sigmoid_curve()
    >>> ax.get_lines()[0].get_ydata()[[0, -1]].round(4)
    array([0.0067, 0.9933])
    """
    who = "sigmoid_curve"
    values = np.empty(0) if scores is None else numbers(who, "scores", scores)
    if values.ndim != 1:
        requirement = "scores must be one number a row, those of a model of two classes"
        raise DataError(format_message(who, requirement, actual=f"got shape {values.shape}"))
    if reach is None:
        reach = max(5.0, float(np.ceil(np.abs(values).max(initial=0.0))))
    if not (isinstance(reach, int | float | np.number) and 0 < reach < np.inf):
        raise ParameterError(format_message(who, "reach must be a number above 0", actual=f"got {short_repr(reach)}"))
    ax = _style.axes() if ax is None else ax
    _style.tidy(ax)
    t = np.linspace(-reach, reach, FINE + 1)
    style: dict[str, Any] = {"color": _style.GRAY if len(values) else _style.BLUE, "linewidth": 2.4, "zorder": 3}
    ax.plot(t, _sigmoid(t), label="p = 1 / (1 + exp(\N{MINUS SIGN}t))", **style)
    ax.axhline(0.5, color=_style.GRAY, linestyle=":", linewidth=1.2)
    ax.axvline(0, color=_style.GRAY, linestyle=":", linewidth=1.2)
    for level in (0.0, 1.0):
        ax.axhline(level, color=_style.INK, linestyle="--", linewidth=1.0, zorder=1)
    if len(values):
        _draw_scores(ax, who, values, y)
    ax.set(xlim=(-reach, reach), ylim=(-0.05, 1.05), xlabel="score t", ylabel="probability p")
    ax.legend(loc="upper left", framealpha=0.85, edgecolor="none", borderaxespad=1.6)
    return ax


def class_probabilities(
    model: Any, X: Any, y: Any, *, column: str | int | None = None, ax: "Axes | None" = None
) -> "Axes":
    """Draw the probability of every class against one column, and where the prediction changes from one to the next.

    Rows of two classes lie at probability 1 if they are of the second class and at 0 otherwise, as the model should
    have it; rows of more classes in a strip of their own class below. With more than one column the others are held at
    their medians.

    Parameters
    ----------
    model : fitted classifier with ``predict_proba`` and ``classes_``
    X : table of numbers, with the model's columns
    y : labels
    column : name or number of a column, optional
        Against which column; a model of one column needs none.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = [[0], [1], [2], [3]], ["low", "low", "high", "high"]
    >>> ax = class_probabilities(LogisticRegression().fit(X, y), X, y)
    >>> [text.get_text() for text in ax.texts]
    ['boundary 1.50']
    """
    who = "class_probabilities"
    line = _line(who, model, X, column)
    labels = labels_of(who, y, len(line.values))
    classes = classes_of(who, {"": model}, labels)
    ax = _style.axes() if ax is None else ax
    _style.tidy(ax)
    shares = line.probabilities
    class_labels = np.asarray(model.classes_).ravel().tolist()
    line_styles = _style.LINES
    for k, label in enumerate(class_labels):
        index = classes.index(label)
        style: dict[str, Any] = {
            "color": COLORS[index],
            "linestyle": line_styles[k % len(line_styles)],
            "linewidth": 2.2,
        }
        ax.plot(line.grid, shares[:, k], zorder=4, label=_style.shown(word(label)), **style)
    _draw_boundaries(ax, line.grid, shares)
    bottom = _draw_class_rows(ax, line.values, codes_of(who, labels, classes), classes, class_labels)
    ax.set(xlim=(line.grid[0], line.grid[-1]), ylim=(bottom, 1.09), xlabel=line.label, ylabel="probability")
    ax.set_yticks(np.linspace(0, 1, 6))
    heading = None if name_of(y) == "y" else plain(name_of(y))
    ax.set_title(line.note, fontsize=_style.TITLE)
    ax.legend(title=heading, loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
    return ax


def log_odds_line(
    model: Any, X: Any, y: Any, *, column: str | int | None = None, of: Any = None, ax: "Axes | None" = None
) -> "Axes":
    """Draw the log-odds of a class against one column, which for logistic regression is a straight line.

    ``ln(p / (1 - p)) = b + beta x``: every unit more adds beta to the log-odds, and multiplies the odds, which the axis
    on the right has, by exp(beta). Points are the rows themselves, put into parts of about the same number: the
    log-odds ``ln((k + 1/2) / (n - k + 1/2))`` of k rows of the class among n. With more than one column the others are
    held at their medians, and no points are drawn.

    Parameters
    ----------
    model, X, y, column : as in `class_probabilities`
    of : a label, optional
        The class; the second one otherwise.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = [[0], [1], [2], [3]], ["no", "yes", "no", "yes"]
    >>> ax = log_odds_line(LogisticRegression().fit(X, y), X, y)
    >>> ax.get_ylabel()
    'log-odds of yes'
    """
    who = "log_odds_line"
    line = _line(who, model, X, column)
    labels = labels_of(who, y, len(line.values))
    class_labels = np.asarray(model.classes_).ravel().tolist()
    if of is not None and of not in class_labels:
        raise ParameterError(
            format_message(
                who, f"of must be one of the classes ({join_some(class_labels)})", actual=f"got {short_repr(of)}"
            )
        )
    index = class_labels.index(of) if of is not None else min(1, len(class_labels) - 1)
    p = np.clip(line.probabilities[:, index], 1e-300, 1.0)
    complement = np.clip(np.delete(line.probabilities, index, axis=1).sum(axis=1), 1e-300, 1.0)
    heights = np.log(p) - np.log(complement)
    ax = _style.axes() if ax is None else ax
    _style.tidy(ax)
    ax.axhline(0, color=_style.INK, linestyle="--", linewidth=1.2, zorder=1, label="even odds: probability 0.5")
    ax.plot(line.grid, heights, color=_style.BLUE, linewidth=2.4, zorder=3, label="model")
    if not line.note:
        _draw_shares(ax, line.values, labels == class_labels[index])
    word_of = word(class_labels[index])
    ax.set(xlim=(line.grid[0], line.grid[-1]), xlabel=line.label, ylabel=f"log-odds of {word_of}")
    ax.set_title(_slope(line.grid, heights, line.label, line.note), fontsize=_style.SMALL)
    _add_odds(ax, word_of)
    ax.legend(framealpha=0.85, edgecolor="none")
    return ax


# ----------------------------------------------------------------------------------------------------------- one column


class _Line:
    """A grid along one column, with the others at their medians, and the model's probabilities there."""

    def __init__(self, model: Any, X: Any, names: list[str] | None, table: Floats, j: int) -> None:
        low, high = float(table[:, j].min()), float(table[:, j].max())
        margin = 0.05 * (high - low) or 0.5 * abs(low) or 0.5
        self.values, self.grid = table[:, j], np.linspace(low - margin, high + margin, FINE)
        rows = np.repeat(np.median(table, axis=0)[None], FINE, axis=0)
        rows[:, j] = self.grid
        framed = names is not None and column_names(X) is not None and hasattr(model, "feature_names_in_")
        inputs = type(X)(dict(zip(names or [], rows.T, strict=True))) if framed else rows
        self.probabilities: Floats = np.asarray(model.predict_proba(inputs), dtype=np.float64)
        words = names or (["x"] if table.shape[1] == 1 else [f"x{k + 1}" for k in range(table.shape[1])])
        self.label = plain(words[j])
        self.note = "" if table.shape[1] == 1 else "other columns at their medians"


def _line(who: str, model: Any, X: Any, column: Any) -> _Line:
    if not (hasattr(model, "predict_proba") and hasattr(model, "classes_")):
        requirement = "needs a fitted classifier with predict_proba and classes_"
        raise ParameterError(format_message(who, requirement, actual=f"got {short_repr(model)}"))
    feature_names = getattr(model, "feature_names_in_", None)
    names, frame = None if feature_names is None else [str(name) for name in feature_names], column_names(X)
    if names is not None and frame is not None:
        missing = [name for name in names if name not in frame]
        if missing:
            raise DataError(
                format_message(
                    who, f"X must have the model's columns ({join_some(names)})", actual=f"no {join_some(missing)}"
                )
            )
        X = X[names]
    names = column_names(X) if frame is not None else names
    table = numbers(who, "X", X.toarray() if hasattr(X, "toarray") else X)
    width: Any = getattr(model, "n_features_in_", np.shape(table)[-1])
    if table.ndim != 2 or table.shape[1] != width or not len(table):
        requirement = f"X must be a table of rows with {count(int(width), 'column')}, as the model has"
        raise DataError(format_message(who, requirement, actual=f"got shape {table.shape}"))
    indices: dict[Any, int] = {j: j for j in range(width)} | {name: j for j, name in enumerate(names or [])}
    if column is None and width == 1:
        column = 0
    if column not in indices:
        have = join_some(names, 10) if names else f"0 to {width - 1}"
        requirement = f"column must be one of the columns ({have})"
        raise ParameterError(
            format_message(
                who, requirement, actual=f"got {short_repr(column)}", hint="it says against which the picture is"
            )
        )
    return _Line(model, X, names, table, indices[column])


# ------------------------------------------------------------------------------------------------------------- drawing


def _sigmoid(t: Floats) -> Floats:
    e = np.exp(-np.abs(t))
    return np.where(t >= 0, 1 / (1 + e), e / (1 + e))


def _draw_scores(ax: "Axes", who: str, scores: Floats, y: Any) -> None:
    size = 6.0 if len(scores) <= 60 else 4.0
    edge: dict[str, Any] = {"linestyle": "", "markersize": size, "markeredgecolor": "white", "markeredgewidth": 0.5}
    if y is None:
        ax.plot(scores, _sigmoid(scores), marker="o", color=_style.VERMILION, zorder=4, label="rows", **edge)
        return
    labels = labels_of(who, y, len(scores))
    classes = sorted(set(labels.tolist()), key=lambda label: (str(type(label)), label))
    if len(classes) > 2:
        raise DataError(format_message(who, "y must be labels of two classes", actual=f"got {join_some(classes)}"))
    for k, label in enumerate(classes):
        members = scores[labels == label]
        ax.plot(
            members,
            _sigmoid(members),
            marker=MARKERS[k],
            color=COLORS[k],
            zorder=4,
            label=_style.shown(word(label)),
            **edge,
        )


def _draw_boundaries(ax: "Axes", grid: Floats, shares: Floats) -> None:
    """A line where another class becomes the likeliest, with its place."""
    winner = shares.argmax(axis=1)
    for i in np.flatnonzero(np.diff(winner)):
        difference = shares[i : i + 2, winner[i]] - shares[i : i + 2, winner[i + 1]]
        at = (
            float(grid[i] + (grid[i + 1] - grid[i]) * difference[0] / (difference[0] - difference[1]))
            if difference[0] != difference[1]
            else grid[i]
        )
        ax.axvline(at, color=_style.INK, linestyle=":", linewidth=1.6, zorder=2)
        ax.annotate(
            f"boundary {number(at)}",
            (at, 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(3, -3),
            textcoords="offset points",
            va="top",
            fontsize=_style.SMALL - 1,
            color=_style.INK,
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 1},
            zorder=5,
        )


def _draw_class_rows(ax: "Axes", values: Floats, codes: Array, classes: list[Any], class_labels: list[Any]) -> float:
    """The rows: of two classes at 0 and 1, of more in strips below; returns the lower end of the axis."""
    size, faint = (6.0, 1.0) if len(values) <= 60 else (5.0, 0.7) if len(values) <= MANY else (3.5, 0.35)
    two = len(classes) == 2 and len(class_labels) == 2
    for k in range(len(classes)):
        members = values[codes == k]
        height = float(k) if two else -0.06 * (k + 1)
        style: dict[str, Any] = {"linestyle": "", "marker": MARKERS[k], "markersize": size, "alpha": faint}
        ax.plot(members, np.full(len(members), height), color=COLORS[k], zorder=3, clip_on=False, **style)
    return -0.06 if two else -0.06 * (len(classes) + 1)


def _draw_shares(ax: "Axes", values: Floats, mine: Array) -> None:
    """The log-odds of parts of the rows, by the column, each at the mean of its values."""
    order = np.argsort(values, kind="stable")
    n_groups = int(np.clip(len(values) // 10, 2, PARTS))
    if len(values) < 4:
        return
    groups = np.array_split(order, n_groups)
    middle = [float(values[group].mean()) for group in groups]
    hits = [int(mine[group].sum()) for group in groups]
    height = [np.log((k + 0.5) / (len(group) - k + 0.5)) for k, group in zip(hits, groups, strict=True)]
    label = f"rows, in {n_groups} parts"
    ax.plot(middle, height, linestyle="", marker="o", markersize=7, color=_style.VERMILION, zorder=4, label=label)


def _slope(grid: Floats, heights: Floats, name: str, note: str) -> str:
    """The slope in words, where the line is straight."""
    beta = (heights[-1] - heights[0]) / (grid[-1] - grid[0])
    straight = heights[0] + beta * (grid - grid[0])
    text = ""
    if np.abs(heights - straight).max() <= 1e-6 * max(float(np.ptp(heights)), 1e-12):
        text = f"one unit of {name} more: log-odds {number(float(beta))} more, odds times {number(float(np.exp(beta)))}"
    return "\n".join(filter(None, [text, note]))


def _add_odds(ax: "Axes", label: str) -> None:
    """A second axis with the odds that belong to the log-odds."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    low, high = ax.get_ylim()
    right = ax.secondary_yaxis("right", functions=(lambda t: t, lambda t: t))
    first, last = int(np.floor(low / np.log(10))), int(np.ceil(high / np.log(10)))
    digits = (1, 2, 5) if last - first <= 3 else (1,)
    step = max(1, -(-(last - first) // 9))
    powers = [power for power in range(first, last + 1) if power % step == 0]
    positions = [float(np.log(digit) + power * np.log(10)) for power in powers for digit in digits]
    right.yaxis.set_major_locator(FixedLocator([position for position in positions if low <= position <= high]))
    right.yaxis.set_minor_locator(NullLocator())
    right.yaxis.set_major_formatter(FuncFormatter(lambda t, _: f"{np.exp(t):.4g}"))
    right.set_ylabel(f"odds of {label}")
    right.spines[:].set_color(_style.GRAY)
    right.tick_params(color=_style.GRAY)
