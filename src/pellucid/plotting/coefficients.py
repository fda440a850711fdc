"""Pictures of coefficients: their paths as a penalty grows weaker, and odds ratios with their intervals.

They read ``coef_`` and ``alpha`` (or ``C``) of fitted models, the arrays that a path function gives, and the figures of
a summary. Nothing is fitted here.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pellucid.base.errors import DataError, ParameterError, format_message, short_repr
from pellucid.base.types import Floats
from pellucid.plotting import _style
from pellucid.plotting._beside import write_beside
from pellucid.plotting._style import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["coefficient_path", "odds_ratios"]

Ratio = tuple[str, float, float, float]
"""A column's name, its odds ratio, and the ends of the interval."""

# Values this many times apart are drawn on a logarithmic axis.
DECADES = 30.0
# Names that are written out; and letters of one.
MOST_NAMED, MOST_LETTERS = 12, 22


def coefficient_path(
    path: Any,
    coefs: Any = None,
    *,
    names: Sequence[str] | None = None,
    parameter: str = "alpha",
    best: float | None = None,
    most: int = MOST_NAMED,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw every coefficient against the strength of the penalty, from strong on the left to weak on the right.

    Ridge draws all coefficients toward zero together; lasso holds them at exactly zero, and one after another leaves
    it. Where lines cross or change sign, columns stand in for each other.

    Parameters
    ----------
    path : list of fitted models, or what ``fit_path("alpha", values, X, y)`` gives; or the strengths
    coefs : array of shape (n_columns, n_strengths), optional
        The coefficients where ``path`` is an array of strengths, as `lasso_path` and `enet_path` give both.
    names : list of words, optional
        One a column; otherwise those the models know, or x1, x2, ...
    parameter : str, default="alpha"
        The parameter of the models that was varied; with "C", whose larger values are the weaker penalty, the axis
        runs the other way.
    best : float, optional
        A strength to mark, such as the one that cross-validation chose.
    most : int, default=12
        How many columns are named: those with the largest coefficients. The others are thin gray lines.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> ax = coefficient_path([10, 1, 0.1], [[0, 0.5, 1], [0, 0, -0.5]], names=["age", "height"])
    >>> [text.get_text() for text in ax.texts], ax.get_xlabel()
    (['age', 'height'], 'alpha: the penalty grows weaker to the right')
    """
    who = "coefficient_path"
    values, table, feature_names = _read_path(who, path, coefs, parameter)
    words = _words(who, names, feature_names, len(table))
    order = np.argsort(values, kind="stable")
    values, table = values[order], table[:, order]
    weak = len(values) - 1 if parameter == "C" else 0
    sizes = np.abs(table).max(axis=1) + 1e-6 * np.abs(table[:, weak])
    top = np.sort(np.argsort(-sizes, kind="stable")[: _count(who, most)])
    ax = _style.axes() if ax is None else ax
    _style.tidy(ax)
    _set_strengths(ax, values, reverse=parameter != "C")
    ax.axhline(0, color=_style.INK, linewidth=0.9, zorder=1)
    remaining = np.setdiff1d(np.arange(len(table)), top)
    for k, j in enumerate(remaining):
        label = f"{len(remaining)} smaller ones" if k == 0 else None
        ax.plot(values, table[j], color=_style.GRAY, linewidth=0.7, alpha=0.7, zorder=2, label=label)
    styles = _style.looks(len(top))
    for j, (color, line, _) in zip(top, styles, strict=True):
        ax.plot(values, table[j], color=color, linestyle=line, linewidth=2.0, zorder=3)
    if best is not None:
        ax.axvline(best, color=_style.GREEN, linestyle=":", linewidth=1.6, label=f"chosen: {parameter} {best:.3g}")
    ax.set_xlabel(f"{parameter}: the penalty grows weaker to the right")
    ax.set_ylabel("coefficient")
    ends = [float(table[j, weak]) for j in top]
    write_beside(ax, ends, [words[j] for j in top], [color for color, _, _ in styles], float(values[weak]))
    if ax.get_legend_handles_labels()[0]:
        ax.legend(framealpha=0.85, edgecolor="none")
    return ax


def odds_ratios(
    summary: Any,
    intervals: Any = None,
    *,
    names: Sequence[str] | None = None,
    order: str = "given",
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the odds ratio of every column with its interval, on a logarithmic axis around 1.

    An odds ratio of 2 says that one unit more of the column doubles the odds of the class, 0.5 that it halves them. An
    interval that does not contain 1 is drawn in full color: the column matters. Ratios of columns in different units
    cannot be compared; scale the columns before the fit to compare them.

    Parameters
    ----------
    summary : what ``LogisticRegression.summary`` gives; or the odds ratios
    intervals : array of shape (n_columns, 2), optional
        Lower and upper ends, where ``summary`` is an array of odds ratios.
    names : list of words, optional
        One a ratio, where ``summary`` is an array.
    order : {"given", "size"}, default="given"
        As the columns come, or those furthest from 1 first.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> ax = odds_ratios([2.0, 0.9], [[1.5, 2.7], [0.6, 1.4]], names=["age", "height"])
    >>> [tick.get_text() for tick in ax.get_yticklabels()]
    ['age', 'height']
    >>> [text.get_text() for text in ax.texts]
    ['2.00 [1.50, 2.70]', '0.90 [0.60, 1.40]']
    """
    who = "odds_ratios"
    rows, level = _read_ratios(who, summary, intervals, names)
    if order not in ("given", "size"):
        raise ParameterError(format_message(who, "order must be 'given' or 'size'", actual=f"got {short_repr(order)}"))
    if order == "size":
        rows = sorted(rows, key=lambda row: -abs(np.log(row[1])))
    is_new_figure = ax is None
    ax = _style.axes() if ax is None else ax
    if is_new_figure:
        figure: Any = ax.figure
        figure.set_size_inches(_style.SIZE[0] + 0.8, min(max(0.42 * len(rows) + 1.3, 2.2), 14.0))
    _style.tidy(ax)
    ax.set_xscale("log")
    ax.grid(visible=False, axis="y")
    ax.axvline(1, color=_style.INK, linestyle="--", linewidth=1.2, zorder=1)
    for index, (_, ratio, low, high) in enumerate(rows):
        sure = low > 1 or high < 1
        color = (_style.VERMILION if ratio < 1 else _style.BLUE) if sure else _style.GRAY
        style: dict[str, Any] = {"color": color, "markerfacecolor": color if sure else "white", "capsize": 4}
        ax.errorbar(
            [ratio], [index], xerr=[[ratio - low], [high - ratio]], fmt="o", markersize=7, linewidth=1.8, **style
        )
        text = f"{_ratio(ratio)} [{_ratio(low)}, {_ratio(high)}]"
        ax.annotate(text, (1.02, index), xycoords=("axes fraction", "data"), va="center", fontsize=_style.SMALL)
    _write_ratios(ax, [row[0] for row in rows], np.array([row[1:] for row in rows]), level)
    return ax


# --------------------------------------------------------------------------------------------------------------- paths


def _read_path(who: str, path: Any, coefs: Any, parameter: str) -> tuple[Floats, Floats, list[str] | None]:
    """Strengths, coefficients (columns by strengths), and the names of the columns where models know them."""
    if coefs is not None:
        values, table = np.asarray(path, dtype=np.float64), np.asarray(coefs, dtype=np.float64)
        if values.ndim != 1 or table.ndim != 2 or table.shape[1] != len(values) or len(values) < 2:
            requirement = "coefs must have a row a column and as many columns as there are strengths, at least two"
            raise DataError(format_message(who, requirement, actual=f"got shapes {values.shape} and {table.shape}"))
        return _finite(who, values, table, None)
    models = [path[k] for k in range(len(path))] if hasattr(path, "__len__") else []
    fitted = [model for model in models if hasattr(model, "coef_") and hasattr(model, "get_params")]
    if len(fitted) != len(models) or len(models) < 2:
        requirement = "needs two fitted models or more, or strengths and coefs"
        hint = "model.fit_path('alpha', values, X, y) gives them"
        raise DataError(format_message(who, requirement, actual=f"got {short_repr(path)}", hint=hint))
    missing = [model for model in models if not np.isscalar(model.get_params().get(parameter))]
    if missing:
        requirement = f"every model must have a number {parameter}"
        raise ParameterError(
            format_message(
                who, requirement, actual=f"{short_repr(missing[0])} has not", hint="parameter='...' names another"
            )
        )
    rows = [np.asarray(model.coef_, dtype=np.float64) for model in models]
    if any(row.size != row.shape[-1] for row in rows) or len({row.size for row in rows}) > 1:
        requirement, actual = "needs models of one target, or of two classes, and of the same columns", ""
        raise DataError(
            format_message(who, requirement, actual=actual, hint="pass strengths and coefs of one target or class")
        )
    values = np.array([float(model.get_params()[parameter]) for model in models])
    feature_names = getattr(models[0], "feature_names_in_", None)
    return _finite(who, values, np.stack([row.ravel() for row in rows], axis=1), feature_names)


def _finite(who: str, values: Floats, table: Floats, feature_names: Any) -> tuple[Floats, Floats, list[str] | None]:
    if not (np.isfinite(values).all() and np.isfinite(table).all() and (values >= 0).all()):
        raise DataError(format_message(who, "strengths must be numbers of at least 0, and coefficients finite"))
    return values, table, None if feature_names is None else [str(name) for name in feature_names]


def _words(who: str, names: Any, feature_names: list[str] | None, width: int) -> list[str]:
    labels = list(map(str, names)) if names is not None else feature_names or [f"x{j + 1}" for j in range(width)]
    if len(labels) != width:
        raise ParameterError(format_message(who, f"names must be {width}, one a column", actual=f"got {len(labels)}"))
    return [plain(_short(name)) for name in labels]


def _short(name: str) -> str:
    return name if len(name) <= MOST_LETTERS else name[: MOST_LETTERS - 1] + "…"


def _count(who: str, most: Any) -> int:
    if isinstance(most, bool) or not isinstance(most, int | np.integer) or most < 1:
        raise ParameterError(
            format_message(who, "most must be a whole number of at least 1", actual=f"got {short_repr(most)}")
        )
    return int(most)


def _set_strengths(ax: "Axes", values: Floats, reverse: bool) -> None:
    positive = values[values > 0]
    if len(positive) and positive.max() > DECADES * positive.min():
        if len(positive) == len(values):
            ax.set_xscale("log")
        else:
            ax.set_xscale("symlog", linthresh=float(positive.min()), linscale=0.5)
    ends = float(values.min()), float(values.max())
    if ends[0] < ends[1]:
        ax.set_xlim(ends[::-1] if reverse else ends)


# --------------------------------------------------------------------------------------------------------- odds ratios


def _read_ratios(
    who: str, summary: Any, intervals: Any, names: Any
) -> tuple[list[tuple[str, float, float, float]], float | None]:
    """Name, odds ratio and its ends, for every column (and class but the first); and the level if it is known."""
    level: float | None = None
    groups = [""]
    if hasattr(summary, "odds_ratio_intervals"):
        names = list(summary.names)
        keep = [j for j, name in enumerate(names) if name != "(intercept)"]
        ratios = np.atleast_2d(np.asarray(summary.odds_ratios, dtype=np.float64))[:, keep]
        ends = np.asarray(summary.odds_ratio_intervals, dtype=np.float64).reshape(len(ratios), -1, 2)[:, keep]
        names, level = [names[j] for j in keep], float(summary.level)
        if len(ratios) > 1:
            groups = [f" ({label} against {summary.classes[0]})" for label in summary.classes[1:]]
    else:
        ratios, ends = _arrays(who, summary, intervals)
        names = [f"x{j + 1}" for j in range(ratios.shape[1])] if names is None else list(names)
    if len(names) != ratios.shape[1]:
        raise ParameterError(
            format_message(who, f"names must be {ratios.shape[1]}, one a ratio", actual=f"got {len(names)}")
        )
    if not (ratios.size and np.isfinite(ratios).all() and (ratios > 0).all()):
        raise DataError(format_message(who, "odds ratios must be finite numbers above 0, at least one"))
    rows = [
        (f"{plain(str(name))}{plain(group)}", float(ratio), float(low), float(high))
        for group, of_class, limits in zip(groups, ratios, ends, strict=True)
        for name, ratio, (low, high) in zip(names, of_class, limits, strict=True)
    ]
    return rows, level


def _arrays(who: str, summary: Any, intervals: Any) -> tuple[Floats, Floats]:
    try:
        ratios = np.asarray(summary, dtype=np.float64)
        ends = np.asarray(intervals, dtype=np.float64)
    except (TypeError, ValueError):
        ratios, ends = np.empty(0), np.empty(0)
    if ratios.ndim != 1 or ends.shape != (len(ratios), 2) or not (ends[:, 0] <= ends[:, 1]).all():
        requirement = "needs a summary of a logistic regression, or odds ratios and intervals of shape (n, 2)"
        raise DataError(
            format_message(who, requirement, actual=f"got {short_repr(summary)} and {short_repr(intervals)}")
        )
    return ratios[None], ends[None]


def _ratio(value: float) -> str:
    return f"{value:.3g}" if not 0.1 <= value < 100 else f"{value:.2f}"


def _write_ratios(ax: "Axes", names: list[str], table: Floats, level: float | None) -> None:
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.4, -0.6)
    finite = table[np.isfinite(table) & (table > 0)]
    low, high = min(float(finite.min()), 0.9), max(float(finite.max()), 1.1)
    margin = (high / low) ** 0.06
    ax.set_xlim(low / margin, high * margin)
    first, last = int(np.floor(np.log10(low))), int(np.ceil(np.log10(high)))
    digits = (1, 2, 5) if last - first <= 3 else (1,)
    step = max(1, -(-(last - first) // 7))
    powers = [power for power in range(first, last + 1) if power % step == 0]  # 1 is always among them
    ax.xaxis.set_major_locator(FixedLocator([digit * 10.0**power for power in powers for digit in digits]))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    word = "" if level is None else f", with {100 * level:g} % interval"
    ax.set_xlabel(f"odds ratio for one unit more{word} (1: no effect)")
