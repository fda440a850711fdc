"""Pictures of what `pellucid.model_selection` finds: scores by rows, parameter and iteration, folds, models.

Each function takes the result as it is. Folds that could not be fitted (NaN) are left out of means and bands.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pellucid.base.errors import DataError, format_message, short_repr
from pellucid.base.types import Array, Floats
from pellucid.plotting import _style
from pellucid.plotting._folds import BAR, draw_bar, name_folds, read_folds
from pellucid.plotting._scored import cut, figure
from pellucid.plotting._style import plain
from pellucid.plotting._zoom import leave_out

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Values of a parameter, or costs, this many times apart are drawn on a logarithmic axis.
DECADES = 100.0
TRAIN: dict[str, Any] = {"color": _style.BLUE, "marker": "o", "linestyle": "--"}
TEST: dict[str, Any] = {"color": _style.VERMILION, "marker": "s", "linestyle": "-"}
# Rows up to which a white line parts each from the next.
MOST_ROWS = 60
BASELINE = "baseline"
SCORES = ("train_scores", "test_scores")


@dataclass(frozen=True)
class Bands:
    """Mean and standard deviation over the folds that could be fitted, at each place."""

    mean: Floats
    deviation: Floats
    n_folds: int


def learning_curve(curve: Any, *, target: float | None = None, ax: "Axes | None" = None) -> "Axes":
    """Draw the scores on the rows fitted and on rows held out against the number of rows fitted.

    Lines are means over the folds, bands one standard deviation up and down. Two lines that have met below the target
    say that the model is too simple; a gap that stays says that it learns rows by heart, and that more rows would help.

    Parameters
    ----------
    curve : LearningCurve
        What `pellucid.model_selection.learning_curve` gives.
    target : float, optional
        A score that is wanted, drawn as a line.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from pellucid.linear_model import LinearRegression
    >>> from pellucid.model_selection import learning_curve as scores_by_size
    >>> X, y = [[1], [2], [3], [4], [5], [6]], [1, 3, 2, 5, 4, 6]
    >>> ax = learning_curve(scores_by_size(LinearRegression(), X, y, train_sizes=[2, 3, 4], cv=3))
    >>> ax.lines[0].get_xdata().tolist(), ax.get_xlabel()
    ([2, 3, 4], 'training rows')
    """
    who = "learning_curve"
    sizes = _column(who, curve, "train_sizes")
    train, test = (_band(who, curve, name, len(sizes)) for name in SCORES)
    _check_target(who, target)
    ax = _style.axes() if ax is None else ax
    _style.tidy(ax)
    _draw_bands(ax, sizes, train, test)
    _draw_gap(ax, sizes, train.mean, test.mean)
    _draw_target(ax, target)
    leave_out(ax, np.concatenate([train.mean, test.mean]), "y")
    ax.set(xlabel="training rows", ylabel="score")
    _legend(ax, test.n_folds)
    return ax


def validation_curve(curve: Any, *, target: float | None = None, ax: "Axes | None" = None) -> "Axes":
    """Draw the scores on the rows fitted and on rows held out against the values of a parameter.

    Lines are means over the folds, bands one standard deviation up and down. The value with the highest mean score on
    rows held out is marked. Numbers a hundred times apart are drawn on a logarithmic axis; values that are not numbers
    as categories, in their order.

    Parameters
    ----------
    curve : ValidationCurve
        What `pellucid.model_selection.validation_curve` gives.
    target, ax
        As in `learning_curve`.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from pellucid.linear_model import LinearRegression
    >>> from pellucid.model_selection import validation_curve as scores_by_value
    >>> X, y = [[1], [2], [3], [4], [5], [6]], [9, 11, 10, 12, 11, 13]
    >>> ax = validation_curve(
    ...     scores_by_value(LinearRegression(), X, y, param_name="fit_intercept", param_range=[False, True], cv=3)
    ... )
    >>> [tick.get_text() for tick in ax.get_xticklabels()], ax.get_xlabel()
    (['False', 'True'], 'fit_intercept')
    """
    who = "validation_curve"
    values = list(_attribute(who, curve, "param_range"))
    train, test = (_band(who, curve, field, len(values)) for field in SCORES)
    _check_target(who, target)
    ax = _style.axes() if ax is None else ax
    _style.tidy(ax)
    x = _parameter_axis(ax, values)
    _draw_bands(ax, x, train, test, joined=all(map(_is_number, values)))
    best = int(np.nanargmax(test.mean))
    _mark_best(ax, x[best], test.mean[best], f"best: {_written(values[best])} ({figure(test.mean[best])})")
    _draw_target(ax, target)
    leave_out(ax, np.concatenate([train.mean, test.mean]), "y")
    ax.set(xlabel=plain(str(_attribute(who, curve, "param_name"))), ylabel="score")
    _legend(ax, test.n_folds)
    return ax


def staged_curve(curve: Any, *, target: float | None = None, ax: "Axes | None" = None) -> "Axes":
    """Draw a score, or a cost, on the rows fitted and on rows held out, iteration by iteration.

    The best iteration on rows held out is marked, and where training stopped because it became no better. Positive
    numbers a hundred times apart are drawn on a logarithmic axis.

    Parameters
    ----------
    curve : IterationCurve
        With ``iterations``, ``train_scores``, ``test_scores``, ``best_iteration``, ``stopped_at`` and ``score_name``.
    target, ax
        As in `learning_curve`.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> curve = SimpleNamespace(
    ...     iterations=[1, 2, 3, 4],
    ...     train_scores=[0.5, 0.7, 0.8, 0.9],
    ...     test_scores=[0.4, 0.6, 0.5, 0.4],
    ...     best_iteration=2,
    ...     stopped_at=4,
    ...     score_name="accuracy",
    ... )
    >>> [text.get_text() for text in staged_curve(curve).get_legend().get_texts()]
    ['rows fitted', 'rows held out', 'best: iteration 2 (0.600)', 'stopped at 4']
    """
    who = "staged_curve"
    iterations = _column(who, curve, "iterations")
    train, test = (_scores(who, curve, name, len(iterations))[:, 0] for name in SCORES)
    best = np.flatnonzero(iterations == _attribute(who, curve, "best_iteration"))
    if not len(best) or not np.isfinite(test[best[0]]):
        actual = f"got {short_repr(curve.best_iteration)}"
        raise DataError(format_message(who, "best_iteration must be one of iterations, with a score", actual=actual))
    _check_target(who, target)
    ax = _style.axes() if ax is None else ax
    _style.tidy(ax)
    for scores, style, label in ((train, TRAIN, "rows fitted"), (test, TEST, "rows held out")):
        if np.isfinite(scores).any():
            marker = style["marker"] if len(scores) <= 30 else ""
            ax.plot(iterations, scores, **(style | {"marker": marker}), markersize=4, linewidth=1.8, label=label)
    x, y = float(iterations[best[0]]), float(test[best[0]])
    _mark_best(ax, x, y, f"best: iteration {x:g} ({figure(y)})")
    stopped = _attribute(who, curve, "stopped_at")
    if stopped is not None:
        ax.axvline(float(stopped), color=_style.GRAY, linestyle="-.", linewidth=1.2, label=f"stopped at {stopped}")
    _draw_target(ax, target)
    values = np.concatenate([train, test, [] if target is None else [target]])
    if np.nanmin(values) > 0 and np.nanmax(values) > DECADES * np.nanmin(values):
        ax.set_yscale("log")
    ax.set(xlabel="iteration", ylabel=plain(str(_attribute(who, curve, "score_name"))))
    _legend(ax)
    return ax


def fold_diagram(
    folds: Any,
    *,
    scores: Any = None,
    score: str | None = None,
    n_rows: int | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw which rows each fold fits and which it holds out, one bar a fold, with its score at the right.

    A bar runs over the rows of the table in their order. Where rows are too many to be seen one by one, a block of them
    is colored up to the share that is held out.

    Parameters
    ----------
    folds : Validation made with ``return_indices=True``; or a list of (training rows, held-out rows)
        What a splitter's ``split`` gives will do.
    scores : array, optional
        One a fold; otherwise those of the Validation.
    score : str, optional
        Which score of a Validation to write; its first otherwise.
    n_rows : int, optional
        Rows of the table; otherwise up to the last that any fold uses.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from sklearn.model_selection import KFold
    >>> ax = fold_diagram(KFold(3).split(range(6)), scores=[0.8, 0.9, 1.0])
    >>> [text.get_text() for text in ax.texts]
    ['score', '0.800', '0.900', '1.000', '0.900']
    >>> [tick.get_text() for tick in ax.get_yticklabels()]
    ['fold 1', 'fold 2', 'fold 3', 'mean']
    """
    results = read_folds("fold_diagram", folds, scores, score, n_rows)
    n_folds = len(results.pairs)
    ax = _tall(0.3 * n_folds + 1.3) if ax is None else ax
    for index, (train, test) in enumerate(results.pairs):
        draw_bar(ax, index, results.n_rows, train, test, edge=0.6 if n_folds <= 40 else 0.0)
    if results.n_rows <= MOST_ROWS:
        ax.vlines(range(1, results.n_rows), -BAR / 2, n_folds - 1 + BAR / 2, color="white", linewidth=0.8)
    has_mean = results.scores is not None
    ax.set(xlim=(0, results.n_rows), ylim=(n_folds + (0.4 if has_mean else -0.5), -0.6), xlabel="row")
    ax.xaxis.set_major_formatter("{x:,.0f}")
    ax.spines[:].set_visible(False)
    ax.tick_params(axis="y", length=0)
    name_folds(ax, results)
    _legend_above(ax)
    return ax


def comparison(result: Any, *, ax: "Axes | None" = None) -> "Axes":
    """Draw the scores of several models on the same folds, the best model first.

    A model's line has one dot per fold, its mean, and the interval for the mean. Models that are not shown to be worse
    than the best are blue and filled, those shown to be worse gray and hollow; the baseline's mean is a dashed line.

    Parameters
    ----------
    result : Comparison
        What `pellucid.model_selection.compare` gives.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from pellucid.linear_model import LinearRegression
    >>> from pellucid.model_selection import compare
    >>> X = np.arange(20.0)[:, None]
    >>> ax = comparison(compare({"line": LinearRegression()}, X, 3 * X[:, 0] + np.sin(X[:, 0])))
    >>> [tick.get_text() for tick in ax.get_yticklabels()]
    ['line', 'baseline']
    >>> [text.get_text().split()[-1] for text in ax.texts]
    ['best', 'worse']
    """
    who = "comparison"
    names = list(_attribute(who, result, "names"))
    if not names:
        raise DataError(format_message(who, "result must hold at least one model", actual="it is empty"))
    table = {name: np.asarray(result.scores(name), dtype=np.float64) for name in names}
    broken = [name for name in names if not np.isfinite(table[name]).all()]
    if broken:
        raise DataError(
            format_message(who, "every model must have a score on each fold", actual=f"{broken[0]!r} has not")
        )
    verdicts = {name: result.verdict(name) for name in names}
    is_new_figure = ax is None
    ax = _tall(0.42 * len(names) + 1.4, 0.07 * max(len(cut(name, 32)) for name in names)) if ax is None else ax
    _style.tidy(ax)
    ax.grid(visible=False, axis="y")
    for index, name in enumerate(names):
        filled = verdicts[name] != "worse"
        interval = result.validations[name].interval(level=result.level)
        _draw_model(ax, index, table[name], interval, filled, f"{figure(interval.mean)}  {verdicts[name]}")
    if BASELINE in table:
        mean = float(table[BASELINE].mean())
        ax.axvline(mean, color=_style.INK, linestyle="--", linewidth=1.2, zorder=1, label="mean of the baseline")
    ax.set_yticks(range(len(names)), [plain(cut(name, 32)) for name in names])
    ax.set(ylim=(len(names) - 0.4, -0.6), xlabel="score")
    included = float(table[BASELINE].min()) if BASELINE in table else None
    leave_out(ax, np.concatenate(list(table.values())), "x", included)
    _legend_above(ax, is_new_figure)
    return ax


# -------------------------------------------------------------------------------------------------------- reading


def _attribute(who: str, result: Any, name: str) -> Any:
    if not hasattr(result, name):
        hint = "give it the result as pellucid.model_selection returns it"
        raise DataError(
            format_message(who, f"needs a result with {name}", actual=f"got {short_repr(result)}", hint=hint)
        )
    return getattr(result, name)


def _column(who: str, result: Any, name: str) -> Array:
    values = np.asarray(_attribute(who, result, name))
    if values.ndim != 1 or not len(values) or values.dtype.kind not in "iuf":
        raise DataError(
            format_message(who, f"{name} must be a list of numbers", actual=f"got {short_repr(values.tolist())}")
        )
    return values


def _scores(who: str, result: Any, name: str, n_places: int) -> Floats:
    """Scores with one row a place; what is not finite is NaN, and something must be left."""
    values = np.asarray(_attribute(who, result, name), dtype=np.float64)
    values = values.reshape(len(values), -1) if values.size else values.reshape(0, 1)
    if len(values) != n_places or not n_places:
        raise DataError(
            format_message(who, f"{name} must have a row for each of {n_places} places", actual=f"got {len(values)}")
        )
    values = np.where(np.isfinite(values), values, np.nan)
    if name == "test_scores" and np.isnan(values).all():
        hint = "error_score='raise' shows why a fit failed"
        raise DataError(format_message(who, f"{name} must hold a number at least", actual="all are NaN", hint=hint))
    return values


def _band(who: str, curve: Any, name: str, n_places: int) -> Bands:
    scores = _scores(who, curve, name, n_places)
    is_finite = np.isfinite(scores)
    counts = is_finite.sum(axis=1)
    mean = np.where(counts > 0, np.where(is_finite, scores, 0.0).sum(axis=1) / np.maximum(counts, 1), np.nan)
    squares = np.where(is_finite, scores - mean[:, None], 0.0) ** 2
    return Bands(mean, np.sqrt(squares.sum(axis=1) / np.maximum(counts - 1, 1)), scores.shape[1])


def _check_target(who: str, target: Any) -> None:
    if target is not None and not _is_number(target):
        raise DataError(format_message(who, "target must be a number or None", actual=f"got {short_repr(target)}"))


def _is_number(value: Any) -> bool:
    plain_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    return plain_number and math.isfinite(value)


# --------------------------------------------------------------------------------------------------------- curves


def _draw_bands(ax: "Axes", x: Array, train: Bands, test: Bands, joined: bool = True) -> None:
    """Means with bands; where nothing lies between two places, with bars."""
    order = np.argsort(x, kind="stable")
    for band, style, label in ((train, TRAIN, "rows fitted"), (test, TEST, "rows held out")):
        mean, deviation = band.mean[order], band.deviation[order]
        line = style | ({} if joined else {"linestyle": ""})
        ax.plot(x[order], mean, **line, markersize=5, linewidth=1.8, label=label)
        if band.n_folds > 1 and joined:
            ax.fill_between(x[order], mean - deviation, mean + deviation, color=style["color"], alpha=0.15, linewidth=0)
        elif band.n_folds > 1:
            ax.errorbar(x[order], mean, deviation, color=style["color"], linestyle="", linewidth=1.5, capsize=4)


def _draw_gap(ax: "Axes", sizes: Array, train: Floats, test: Floats) -> None:
    """A bracket right of the last size at which both scores are known."""
    finite = np.flatnonzero(np.isfinite(train) & np.isfinite(test))
    if not len(finite):
        return
    last = int(finite[np.argmax(sizes[finite])])
    span = float(np.ptp(sizes)) or float(sizes[0])
    margin = span * _style.share(ax, inches=1.15)
    x = float(sizes[last]) + 0.15 * margin
    low, high = float(test[last]), float(train[last])
    ax.plot([x, x], [low, high], color=_style.INK, linewidth=1.5, marker="_", markersize=8, markeredgewidth=1.5)
    text, middle = f"gap {figure(high - low)}", (low + high) / 2
    ax.annotate(text, (x, middle), (8, 0), textcoords="offset points", va="center", fontsize=_style.SMALL)
    ax.set_xlim(float(sizes.min()) - 0.04 * span, float(sizes.max()) + margin)
    ticks = [tick for tick in ax.get_xticks() if sizes.min() - 0.04 * span <= tick <= sizes.max()]
    ax.set_xticks(ticks if len(sizes) > 1 else sizes)


def _draw_target(ax: "Axes", target: float | None) -> None:
    if target is not None:
        ax.axhline(target, color=_style.INK, linestyle=":", linewidth=1.6, label=f"target {figure(target)}")


def _mark_best(ax: "Axes", x: float, y: float, label: str) -> None:
    ax.axvline(x, color=_style.GREEN, linestyle=":", linewidth=1.2)
    ring = {"markersize": 11, "markerfacecolor": "none", "markeredgecolor": _style.GREEN, "markeredgewidth": 2.2}
    ax.plot([x], [y], marker="o", linestyle="", zorder=5, label=label, **ring)  # type: ignore[arg-type]


def _parameter_axis(ax: "Axes", values: list[Any]) -> Floats:
    """Where each value stands on the x axis, which is made to suit them."""
    if not all(map(_is_number, values)):
        names = [_written(value) for value in values]
        ax.set_xticks(range(len(values)), names, rotation=30 if sum(map(len, names)) > 60 else 0)
        ax.set_xlim(-0.5, len(values) - 0.5)
        return np.arange(len(values), dtype=np.float64)
    x = np.array(values, dtype=np.float64)
    positive = x[x > 0]
    if x.min() >= 0 and len(positive) and x.max() > DECADES * positive.min():
        if x.min() > 0:
            ax.set_xscale("log")
        else:
            ax.set_xscale("symlog", linthresh=float(positive.min()), linscale=0.5)
    elif (x == x.round()).all():
        ax.locator_params(axis="x", integer=True)
    return x


def _written(value: Any) -> str:
    if _is_number(value):
        return f"{value:g}" if value == int(value) else f"{value:.3g}"
    return plain(cut(str(value)))


def _legend(ax: "Axes", n_folds: int = 1) -> None:
    title = f"mean ± standard deviation of {n_folds} folds" if n_folds > 1 else None
    ax.legend(framealpha=0.8, edgecolor="none", title=title, alignment="left", title_fontsize=9)


# -------------------------------------------------------------------------------------------------- folds and models


def _tall(height: float, beside: float = 0.0) -> "Axes":
    ax = _style.axes()
    figure: Any = ax.figure
    figure.set_size_inches(_style.SIZE[0] + beside, min(max(height, 2.4), 11.0))
    return ax


def _legend_above(ax: "Axes", is_new_figure: bool = False) -> None:
    """Each label once, in a row; over the whole width of a figure of our own."""
    first: dict[str, Any] = {}
    for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
        first.setdefault(label, handle)
    options: dict[str, Any] = {"handles": first.values(), "labels": first, "ncols": 3, "frameon": False}
    if is_new_figure:
        ax.figure.legend(loc="outside upper center", **options)
    else:
        ax.legend(loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0.2, **options)


def _draw_model(ax: "Axes", index: int, scores: Floats, interval: Any, alike: bool, words: str) -> None:
    color = _style.BLUE if alike else _style.GRAY
    heights = index + np.linspace(-0.2, 0.2, len(scores))
    ax.plot(scores, heights, linestyle="", marker=".", markersize=6, color=color, alpha=0.7, label="a fold")
    label = f"mean with {100 * interval.level:g} % interval"
    reach = [[interval.mean - interval.low], [interval.high - interval.mean]]
    style: dict[str, Any] = {"color": color, "markerfacecolor": color if alike else "white", "capsize": 4}
    ax.errorbar([interval.mean], [index], xerr=reach, fmt="D", markersize=7, linewidth=1.8, label=label, **style)
    ax.annotate(words, (1.01, index), xycoords=("axes fraction", "data"), va="center", fontsize=_style.SMALL)
