"""Pictures of bias and variance, and of models that fit too little or too much.

They read result objects with ``bias2``, ``variance``, ``noise``, ``by_point`` and ``predictions``, as
`pellucid.model_selection.bias_variance` gives them, and fitted models with ``predict``. Nothing is fitted here.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pellucid.base.errors import DataError, ParameterError, count, format_message, short_repr
from pellucid.base.types import Floats
from pellucid.plotting import _style
from pellucid.plotting._one_column import FINE, draw_rows, frame_of, pair_of, predicted, score_of, truth_of, two_of
from pellucid.plotting._panels import panels
from pellucid.plotting._read import name_of, names_of
from pellucid.plotting._style import number, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["bias_variance_curves", "bias_variance_targets", "fit_curves", "fit_panels"]

# Numbers this many times apart are drawn on a logarithmic axis.
DECADES = 100.0
# On a board from -1 to 1: how far a biased aim is off, across and up, and the two spreads of the hits.
AIM = 0.42
SPREADS = (0.07, 0.22)
# Test points that are looked at to find two which stand for all.
MOST_POINTS = 200


class Parts(Protocol):
    """Where a model's error comes from, as `pellucid.model_selection.BiasVariance` has it."""

    @property
    def bias2(self) -> float: ...
    @property
    def variance(self) -> float: ...
    @property
    def noise(self) -> float: ...
    @property
    def by_point(self) -> Any: ...
    @property
    def predictions(self) -> Any: ...


class Predictor(Protocol):
    """A fitted model."""

    def predict(self, X: Any, /) -> Any: ...


def bias_variance_targets(
    results: "Parts | Mapping[str, Parts] | None" = None,
    *,
    n_hits: int = 25,
    random_state: int = 0,
    ax: "Axes | None" = None,
) -> "Axes | NDArray[np.object_]":
    """Draw bias and variance as hits on a target whose middle is the truth: one hit a training set.

    Bias is how far the middle of the hits is from the middle of the target, variance how far they scatter. Without
    ``results`` it is the textbook's picture, with hits from a random generator: low and high bias above each other, low
    and high variance side by side.

    With results of `pellucid.model_selection.bias_variance` each hit is one training set's model: across its error at
    one test point, up at another. The two points are those at which bias² and variance are nearest to their means over
    all points. A result keeps the bias squared, without its sign: it is drawn to the right and up. All boards have the
    same scale.

    Parameters
    ----------
    results : result of bias_variance, or dict from a name to one, optional
    n_hits : int, default=25
        Hits a board, without results.
    random_state : int, default=0
        Seed of the hits, without results.
    ax : matplotlib Axes, optional
        Where to draw a single result; a new figure otherwise.

    Returns
    -------
    matplotlib Axes for a single result, else an array of them: (2, 2) without results, one a result for a dict

    Examples
    --------
    >>> boards = bias_variance_targets()
    >>> [ax.get_title() for ax in boards[0]], [row[0].get_ylabel() for row in boards]
    (['low variance', 'high variance'], ['low bias', 'high bias'])
    """
    who = "bias_variance_targets"
    many = isinstance(results, Mapping)
    if ax is not None and (many or results is None):
        raise ParameterError(
            format_message(who, "ax is for a single result", hint="leave ax out to get a row of boards")
        )
    if results is None:
        return _textbook(who, n_hits, random_state)
    by_name: dict[str, Any] = dict(results) if isinstance(results, Mapping) else {"": results}
    hits = _hits(who, by_name)
    reach = max(_reach(np.hypot(*xy.T)) for xy in hits) or 1.0
    if many:
        boards = panels(len(by_name), size=(2.7, 3.1))
    else:
        boards = np.array([_style.axes() if ax is None else ax], dtype=object)
    for board, (name, result), xy in zip(boards, by_name.items(), hits, strict=True):
        outside = int((np.hypot(*xy.T) > reach).sum())
        _draw_board(board, reach, xy)
        numbers_of = f"bias² {number(result.bias2)}, variance {number(result.variance)}"
        board.set_title(f"{plain(name)}\n{numbers_of}" if name else numbers_of, fontsize=_style.TITLE)
        if outside:
            board.set_xlabel(f"{count(outside, 'hit')} of {len(xy)} beside the board", fontsize=_style.SMALL)
    return boards if many else boards[0]


def bias_variance_curves(
    values: Sequence[Any], results: "Sequence[Parts]", *, name: str = "degree", ax: "Axes | None" = None
) -> "Axes":
    """Draw bias², variance, noise and their sum against a model's flexibility, and mark where the sum is least.

    ``error = bias² + variance + noise``: more flexibility lowers the first and raises the second; the third stays. An
    axis is logarithmic where its numbers are a hundred times apart.

    Parameters
    ----------
    values : list of numbers or words
        The setting of each model; numbers are put in order.
    results : list of results of `pellucid.model_selection.bias_variance`, one a value
    name : str, default="degree"
        What the values are.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from types import SimpleNamespace as Result
    >>> results = [Result(bias2=b, variance=v, noise=1.0) for b, v in [(9, 0.1), (1, 0.5), (0.1, 4)]]
    >>> ax = bias_variance_curves([1, 2, 3], results)
    >>> ax.texts[0].get_text()
    'least at degree 2: 2.50'
    """
    who = "bias_variance_curves"
    settings, components = _settings(who, values), _parts(who, results)
    if len(settings) != len(components) or len(components) < 2:
        requirement = "values and results must be lists of the same length, at least two"
        raise DataError(format_message(who, requirement, actual=f"got {len(settings)} and {len(components)}"))
    ax = _style.axes() if ax is None else ax
    _style.tidy(ax)
    x, words = _places(settings)
    order = np.argsort(x, kind="stable")
    x, components = x[order], components[order]
    total = components.sum(axis=1)
    styles = [(_style.BLUE, "--", "s"), (_style.VERMILION, "-.", "^"), (_style.GRAY, ":", "")]
    for column, label, (color, line, marker) in zip(components.T, ["bias²", "variance", "noise"], styles, strict=True):
        ax.plot(x, column, color=color, linestyle=line, marker=marker, markersize=5, linewidth=1.8, label=label)
    ax.plot(x, total, color=_style.INK, marker="o", markersize=5, linewidth=2.4, label="sum = expected error")
    _set_scales(ax, x, total, words)
    ax.set(xlabel=plain(name), ylabel="mean squared error")
    best = int(np.argmin(total))
    setting = words[best] if words else f"{plain(name)} {x[best]:g}"
    _mark_least(ax, x, total, best, f"least at {setting}: {number(float(total[best]))}")
    _style.legend(ax)
    return ax


def fit_panels(
    models: "Mapping[str, Predictor]",
    x: Any,
    y: Any,
    *,
    truth: Callable[[Floats], Any] | None = None,
    test: tuple[Any, Any] | None = None,
    score: Callable[[Floats, Floats], float] | None = None,
) -> "NDArray[np.object_]":
    """Draw fitted models of one column side by side: one that is too simple, one that is right, one too flexible.

    Each panel has the rows, the model's curve over a fine grid, and its score on the rows, by default
    ``R² = 1 - Σ (y - ŷ)² / Σ (y - ȳ)²``. The frame holds the data, and a curve that shoots out of it is cut there. A
    high score on the rows of the fit with a low one on test rows is the sign of too much flexibility.

    Parameters
    ----------
    models : dict from a caption to a fitted model
        Regressors of one column.
    x : column, or table of shape (n_rows, 1)
    y : column of shape (n_rows,)
    truth : function of a table, optional
        The function that the rows were drawn from, as for `pellucid.model_selection.bias_variance`.
    test : (x, y), optional
        Rows that were held back: drawn as open marks, with a score of their own.
    score : function of (y, prediction), optional
        Instead of R².

    Returns
    -------
    array of matplotlib Axes, one a model

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> from sklearn.dummy import DummyRegressor
    >>> x, y = np.array([[1], [2], [3]]), [1, 2, 3]
    >>> panels = fit_panels({"mean": DummyRegressor().fit(x, y), "line": LinearRegression().fit(x, y)}, x, y)
    >>> [ax.get_title() for ax in panels]
    ['mean\\nR² 0.00', 'line\\nR² 1.00']
    """
    who = "fit_panels"
    if not isinstance(models, Mapping) or not models:
        requirement = "models must be a dict from captions to fitted models"
        raise ParameterError(
            format_message(
                who, requirement, actual=f"got {short_repr(models)}", hint='for instance {"degree 3": model}'
            )
        )
    train = pair_of(who, "", x, y)
    test_pair = None if test is None else pair_of(who, "test ", *two_of(who, test))
    pairs = [train] if test_pair is None else [train, test_pair]
    across, heights = (np.concatenate(column) for column in zip(*pairs, strict=True))
    grid = np.linspace(across.min(), across.max(), FINE)
    real = None if truth is None else truth_of(who, truth, grid)
    low, high = frame_of(heights if real is None else np.append(heights, real))
    frame = x.to_frame() if hasattr(x, "to_frame") and np.ndim(x) == 1 else x
    row = panels(len(models), size=(3.1, 3.3), shared=True)
    first = next(iter(models.values()))
    xlabel = plain(names_of(first, frame, 1)[0])
    for ax, (name, model) in zip(row, models.items(), strict=True):
        _style.tidy(ax)
        draw_rows(ax, train, test_pair)
        if real is not None:
            ax.plot(grid, real, color=_style.GREEN, linestyle="--", linewidth=1.8, zorder=4, label="truth")
        curve = np.clip(predicted(who, name, model, frame, grid), low - 9 * (high - low), high + 9 * (high - low))
        ax.plot(grid, curve, color=_style.BLUE, linewidth=2.2, zorder=5, label="model")
        words = ", test ".join(score_of(who, name, model, frame, xy, score) for xy in pairs)
        ax.set_title(f"{plain(str(name))}\n{'R²' if score is None else 'score'} {words}", fontsize=_style.TITLE)
        ax.set_xlabel(xlabel if ax.xaxis.get_tick_params()["labelbottom"] else "")
        if ax.get_subplotspec().is_first_col():
            ax.set_ylabel(plain(name_of(y)))
    row[0].set_ylim(low, high)
    handles, labels = row[0].get_legend_handles_labels()
    row[0].figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
    return row


def fit_curves(
    models: "Mapping[str, Predictor] | Mapping[str, Mapping[str, Predictor]]",
    x: Any,
    y: Any,
    *,
    truth: Callable[[Floats], Any] | None = None,
    ax: "Axes | None" = None,
) -> "Axes | NDArray[np.object_]":
    """Draw the curves of several fitted models of one column over the same rows: degrees, or strengths of a penalty.

    The frame holds the rows, and a curve that shoots out of it is cut there. A dict of dicts makes a panel of each,
    with the same frame: straight lines beside curves of degree 10, say, each for several strengths.

    Parameters
    ----------
    models : dict from a name to a fitted model; or dict from a title to such a dict
        Regressors of one column.
    x : column, or table of shape (n_rows, 1)
    y : column of shape (n_rows,)
    truth : function of a table, optional
        The function that the rows were drawn from.
    ax : matplotlib Axes, optional
        Where to draw a single panel; a new figure otherwise.

    Returns
    -------
    matplotlib Axes, or an array of them for a dict of dicts

    Examples
    --------
    >>> import numpy as np
    >>> from pellucid.linear_model import LinearRegression
    >>> x, y = np.array([[1], [2], [3]]), [1, 2, 4]
    >>> ax = fit_curves({"line": LinearRegression().fit(x, y)}, x, y)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['data', 'line']
    """
    who = "fit_curves"
    if not isinstance(models, Mapping) or not models:
        requirement = "models must be a dict from names to fitted models"
        raise ParameterError(
            format_message(
                who, requirement, actual=f"got {short_repr(models)}", hint='for instance {"degree 3": model}'
            )
        )
    many = all(isinstance(value, Mapping) and value for value in models.values())
    if ax is not None and many:
        raise ParameterError(
            format_message(who, "ax is for a single panel", hint="leave ax out to get a row of panels")
        )
    titled: dict[str, Any] = dict(models) if many else {"": models}
    across, up = rows = pair_of(who, "", x, y)
    grid = np.linspace(across.min(), across.max(), FINE)
    real = None if truth is None else truth_of(who, truth, grid)
    low, high = frame_of(up if real is None else np.append(up, real))
    frame = x.to_frame() if hasattr(x, "to_frame") and np.ndim(x) == 1 else x
    if many:
        axes = panels(len(titled), size=(4.3, 4.0), max_columns=2, shared=True)
    else:
        axes = np.array([_style.axes() if ax is None else ax], dtype=object)
    for panel, (title, named_models) in zip(axes, titled.items(), strict=True):
        _style.tidy(panel)
        draw_rows(panel, rows, None)
        if real is not None:
            panel.plot(grid, real, color=_style.GRAY, linewidth=4.5, alpha=0.5, zorder=2, label="truth")
        for (name, model), (color, line, _) in zip(named_models.items(), _style.looks(len(named_models)), strict=True):
            curve = np.clip(predicted(who, name, model, frame, grid), low - 9 * (high - low), high + 9 * (high - low))
            label = _style.shown(plain(str(name)))
            panel.plot(grid, curve, color=color, linestyle=line, linewidth=2.0, zorder=5, label=label)
        panel.set_ylim(low, high)
        panel.set_title(plain(str(title)), fontsize=_style.TITLE)
        label = plain(names_of(next(iter(named_models.values())), frame, 1)[0])
        panel.set_xlabel(label if panel.xaxis.get_tick_params()["labelbottom"] else "")
        if not many or panel.get_subplotspec().is_first_col():
            panel.set_ylabel(plain(name_of(y)))
        panel.legend(framealpha=0.85, edgecolor="none")
    return axes if many else axes[0]


# ------------------------------------------------------------------------------------------------------------ targets


def _textbook(who: str, n_hits: int, random_state: int) -> "NDArray[np.object_]":
    if not isinstance(n_hits, int | np.integer) or n_hits < 1:
        raise ParameterError(
            format_message(who, "n_hits must be a whole number of at least 1", actual=f"got {short_repr(n_hits)}")
        )
    random = np.random.default_rng(random_state)
    boards = panels(4, size=(2.6, 2.6), max_columns=2).reshape(2, 2)
    for row, (bias, aim) in zip(boards, [("low bias", 0.0), ("high bias", AIM)], strict=True):
        for ax, spread in zip(row, SPREADS, strict=True):
            _draw_board(ax, 1.0, aim + random.normal(scale=spread, size=(n_hits, 2)))
        row[0].set_ylabel(bias, fontsize=_style.TITLE)
    for ax, title in zip(boards[0], ["low variance", "high variance"], strict=True):
        ax.set_title(title, fontsize=_style.TITLE)
    return boards


def _hits(who: str, by_name: dict[str, Any]) -> list[Floats]:
    """The errors at two test points, one row a training set, for each result."""
    if not by_name:
        raise ParameterError(format_message(who, "results must be a dict with at least one result", actual="got none"))
    error_tables: list[tuple[Floats, Floats]] = []
    for result in by_name.values():
        if not all(hasattr(result, field) for field in ("bias2", "variance", "by_point", "predictions")):
            requirement = "needs results of pellucid.model_selection.bias_variance"
            raise DataError(format_message(who, requirement, actual=f"got {short_repr(result)}"))
        error_tables.append((np.asarray(result.by_point, dtype=float), np.asarray(result.predictions, dtype=float)))
    widths = {predictions.shape[1] for _, predictions in error_tables}
    if len(widths) > 1 or min(widths) < 2:
        requirement = "results must have the same test points, at least two"
        raise DataError(format_message(who, requirement, actual=f"got {', '.join(map(str, sorted(widths)))}"))
    pair = _typical([by_point for by_point, _ in error_tables])
    return [
        np.sqrt(by_point[pair, 0]) + predictions[:, pair] - predictions[:, pair].mean(axis=0)
        for by_point, predictions in error_tables
    ]


def _reach(distances: Floats) -> float:
    """A board's radius: it holds all hits, unless a few of them are far beyond the others."""
    max_distance, bulk = float(distances.max()), float(np.quantile(distances, 0.98))
    return 1.05 * (max_distance if max_distance <= 2 * bulk else bulk)


def _typical(tables: list[Floats]) -> list[int]:
    """The two points whose mean bias² and variance are nearest to those of all points, as shares of their sum."""
    n_points = len(tables[0])
    indices = np.unique(np.linspace(0, n_points - 1, min(n_points, MOST_POINTS)).round().astype(int))
    first, second = np.triu_indices(len(indices), k=1)
    apart = np.zeros(len(first))
    for table in tables:
        points, means = table[indices, :2], table[:, :2].mean(axis=0)
        middle = (points[first] + points[second]) / 2
        apart += np.abs(middle - means).sum(axis=1) / (means.sum() or 1.0)
    best = int(np.argmin(apart))
    return [int(indices[first[best]]), int(indices[second[best]])]


def _draw_board(ax: "Axes", reach: float, hits: Floats) -> None:
    from matplotlib.patches import Circle

    for share, color in [(1.0, _style.PALE), (0.75, "white"), (0.5, _style.LIGHT), (0.25, _style.VERMILION)]:
        edge = _style.GRAY if share > 0.25 else "none"
        ax.add_patch(Circle((0, 0), share * reach if share > 0.25 else 0.11 * reach, facecolor=color, edgecolor=edge))
    size = 5.0 if len(hits) <= 60 else 4.0
    style: dict[str, Any] = {"markeredgecolor": "white", "markeredgewidth": 0.6}
    ax.plot(*hits.T, linestyle="", marker="o", markersize=size, color=_style.INK, zorder=4, label="hits", **style)
    ax.set(xlim=(-1.03 * reach, 1.03 * reach), ylim=(-1.03 * reach, 1.03 * reach), xticks=[], yticks=[], aspect="equal")
    ax.spines[:].set_visible(False)


# ------------------------------------------------------------------------------------------------------------- curves


def _settings(who: str, values: Any) -> list[Any]:
    if isinstance(values, str) or np.ndim(values) != 1:
        raise ParameterError(
            format_message(who, "values must be a list, one a result", actual=f"got {short_repr(values)}")
        )
    return list(values)


def _parts(who: str, results: Any) -> Floats:
    """Columns bias², variance and noise, a row a result."""
    try:
        rows = [[float(result.bias2), float(result.variance), float(result.noise)] for result in results]
    except (AttributeError, TypeError):
        requirement = "results must be a list of results of pellucid.model_selection.bias_variance"
        raise DataError(format_message(who, requirement, actual=f"got {short_repr(results)}")) from None
    components = np.array(rows, dtype=np.float64).reshape(-1, 3)
    if not np.isfinite(components).all():
        raise DataError(
            format_message(who, "bias2, variance and noise must be finite numbers", actual=f"got {short_repr(rows)}")
        )
    return components


def _places(settings: list[Any]) -> tuple[Floats, list[str]]:
    """Where each value stands: numbers at themselves, words in a row with themselves as labels."""
    if all(isinstance(value, int | float | np.number) and np.isfinite(value) for value in settings):
        return np.array(settings, dtype=np.float64), []
    return np.arange(len(settings), dtype=np.float64), [plain(str(value)) for value in settings]


def _set_scales(ax: "Axes", x: Floats, total: Floats, words: list[str]) -> None:
    if words:
        ax.set_xticks(x, words)
    elif x[0] > 0 and x[-1] >= DECADES * x[0]:
        ax.set_xscale("log")
    elif all(value == int(value) for value in x) and len(x) <= 20:
        ax.set_xticks(x)
    if total.min() > 0 and total.max() >= DECADES * total.min():
        ax.set_yscale("log", nonpositive="mask")
        values = np.concatenate([line.get_ydata() for line in ax.get_lines()])
        min_value = float(values[values > 0].min())
        ax.set_ylim(max(min_value, 1e-4 * float(total.min())) / 1.6, float(total.max()) * 1.6)
    else:
        ax.set_ylim(0, 1.08 * float(total.max()) or 1.0)


def _mark_least(ax: "Axes", x: Floats, total: Floats, best: int, text: str) -> None:
    ax.axvline(x[best], color=_style.GREEN, linewidth=1.2, zorder=1)
    style: dict[str, Any] = {"markerfacecolor": "none", "markeredgecolor": _style.GREEN, "markeredgewidth": 2}
    ax.plot(x[best : best + 1], total[best : best + 1], linestyle="", marker="o", markersize=12, zorder=5, **style)
    left = ax.transLimits.transform(ax.transScale.transform((x[best], total[best])))[0] > 0.55
    ax.annotate(
        text,
        (x[best], 1.0),
        xycoords=("data", "axes fraction"),
        xytext=(-6 if left else 6, 4),
        textcoords="offset points",
        ha="right" if left else "left",
        va="bottom",
        color=_style.GREEN,
        fontsize=_style.SMALL,
    )
