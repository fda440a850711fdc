"""Pictures of many models that answer as one: how they are put together, how they vote, what more of them bring."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from pellucid.base.colors import CLASSES
from pellucid.base.errors import DataError, ParameterError, count, format_message, short_repr
from pellucid.base.types import Array, Floats
from pellucid.data.target import read_target
from pellucid.estimator.roles import r2
from pellucid.plotting import _style
from pellucid.plotting._plane import word
from pellucid.plotting._stages import FirstModels, check_ensemble, member_answers, staged, weights_of
from pellucid.plotting._style import number, plain
from pellucid.plotting.regions import decision_regions

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ensemble_curve", "ensemble_flow", "ensemble_regions", "member_votes"]

KINDS = ("bagging", "boosting", "stacking", "voting")
WIDTH, HEIGHT = 1.7, 0.62  # of a box, in the units of the picture


# ----------------------------------------------------------------------------------------------------------------- flow


def ensemble_flow(
    kind: "Literal['bagging', 'boosting', 'stacking', 'voting'] | Any" = "bagging",
    *,
    names: Sequence[str] | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw how an ensemble is put together: from the rows over its models to the answer, as boxes and arrows.

    Bagging: samples of the rows, a model on each, their vote. Boosting: a model after the other, each on rows weighted
    by the errors of the one before. Stacking: different models, their answers to rows they have not seen, and a final
    model that learns from these. Voting: different models and their vote.

    Parameters
    ----------
    kind : 'bagging', 'boosting', 'stacking', 'voting', or an ensemble
        Of a fitted ensemble, or one made with its members, their names are written.
    names : list of texts, optional
        What the models are called; three are drawn unless there are fewer, and the last of many.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> ax = ensemble_flow("stacking", names=["tree", "line"])
    >>> [text.get_text() for text in ax.texts if text.get_text()]
    ['rows', 'tree', 'line', 'held-out\\nanswers', 'final model', 'answer']
    """
    who = "ensemble_flow"
    method, defaults, last = _told(who, kind)
    called = [plain(str(name)) for name in names] if names is not None else defaults
    numbers = [str(k + 1) for k in range(len(called))]
    if not called:
        called, numbers = [f"model {k}" for k in (1, 2, 3)] + ["…", "model T"], ["1", "2", "3", "…", "T"]
    elif len(called) > 4:
        called, numbers = ([*of[:3], "…", of[-1]] for of in (called, numbers))
    is_new_figure = ax is None
    ax = _own_axes(7.4, 3.0) if ax is None else ax
    ax.set_axis_off()
    if method == "boosting":
        _one_after_the_other(ax, called)
    else:
        _side_by_side(ax, method, called, numbers, last)
    ax.set_aspect("equal")
    if is_new_figure:  # as large as it has to be for the letters
        (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
        figure: Any = ax.figure
        figure.set_size_inches(0.72 * (right - left), 0.72 * (high - low))
    return ax


def _told(who: str, kind: Any) -> tuple[str, list[str], str]:
    """The kind of ensemble, the names of its models, and what the last box says."""
    if isinstance(kind, str):
        if kind not in KINDS:
            raise ParameterError(format_message(who, f"kind must be one of {', '.join(KINDS)}", actual=f"got {kind!r}"))
        return kind, [], "vote or mean"
    name = type(kind).__name__
    vote = "vote" if is_classifier(kind) else "mean"
    if "Stacking" in name or "Voting" in name:
        members = [str(title) for title, model in kind.estimators if not isinstance(model, str)]
        return "stacking" if "Stacking" in name else "voting", [plain(title) for title in members], vote
    if "Boost" in name:
        return "boosting", _numbered(kind, "model"), f"weighted\n{vote}"
    if hasattr(kind, "n_estimators"):
        trees = "Forest" in name or "Trees" in name or getattr(kind, "estimator", 0) is None
        return "bagging", _numbered(kind, "tree" if trees else "model"), vote
    raise ParameterError(format_message(who, "kind must be an ensemble or its name", actual=f"got {short_repr(kind)}"))


def _numbered(model: Any, what: str) -> list[str]:
    n = len(model.estimators_) if hasattr(model, "estimators_") else int(model.n_estimators)
    return [f"{what} {k + 1}" for k in range(n)]


def _own_axes(width: float, height: float) -> "Axes":
    from matplotlib import pyplot

    return pyplot.subplots(figsize=(width, height), layout="constrained")[1]


def _box(ax: "Axes", x: float, y: float, text: str, color: str, dashed: bool = False) -> None:
    from matplotlib.patches import FancyBboxPatch

    if text == "…":
        ax.text(x, y, "⋮", ha="center", va="center", fontsize=_style.TITLE, color=_style.GRAY)
        return
    box = FancyBboxPatch(
        (x - WIDTH / 2, y - HEIGHT / 2), WIDTH, HEIGHT, boxstyle="round,pad=0,rounding_size=0.12", facecolor=color,
        edgecolor=_style.GRAY, linewidth=1.0, linestyle="--" if dashed else "-", zorder=2,
    )  # fmt: skip
    ax.add_patch(box)
    ax.text(x, y, text, ha="center", va="center", fontsize=_style.SMALL, color=_style.INK, zorder=3)


def _arrow(ax: "Axes", start: tuple[float, float], end: tuple[float, float]) -> None:
    style: dict[str, Any] = {"arrowstyle": "-|>", "color": _style.GRAY, "linewidth": 1.2, "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", end, start, arrowprops=style, zorder=1)


def _side_by_side(ax: "Axes", method: str, called: list[str], numbers: list[str], last: str) -> None:
    """Rows, samples of them where they are drawn, the models below each other, and what puts them together."""
    columns = {"rows": 0.0}
    step = WIDTH + 0.75
    stops = ["sample"] if method == "bagging" else []
    stops += ["model", "held-out\nanswers", "final model"] if method == "stacking" else ["model", last]
    for k, stop in enumerate([*stops, "answer"], start=1):
        columns[stop] = k * step
    lanes = np.arange(len(called), dtype=float)[::-1] * (HEIGHT + 0.28)
    middle, half = float(lanes.mean()), WIDTH / 2
    _box(ax, 0.0, middle, "rows", _style.FAINT)
    for y, name, which in zip(lanes.tolist(), called, numbers, strict=True):
        at = columns["model"]
        if method == "bagging":
            _box(ax, columns["sample"], y, "…" if name == "…" else f"sample {which}", _style.PALE)
        _box(ax, at, y, name, _style.LIGHT)
        if name == "…":
            continue
        first = columns["sample"] if method == "bagging" else at
        _arrow(ax, (half, middle), (first - half, y))
        if method == "bagging":
            _arrow(ax, (first + half, y), (at - half, y))
        _arrow(ax, (at + half, y), (columns[stops[stops.index("model") + 1]] - half, middle))
    after = stops[stops.index("model") + 1 :]
    for before, name in zip(after, [*after[1:], "answer"], strict=True):
        _arrow(ax, (columns[before] + half, middle), (columns[name] - half, middle))
    for name in after:
        _box(ax, columns[name], middle, name, _style.LIGHT if name == "final model" else _style.PALE)
    _box(ax, columns["answer"], middle, "answer", _style.FAINT)
    ax.set(
        xlim=(-half - 0.1, columns["answer"] + half + 0.1),
        ylim=(-HEIGHT / 2 - 0.15, float(lanes[0]) + HEIGHT / 2 + 0.15),
    )


def _one_after_the_other(ax: "Axes", called: list[str]) -> None:
    """Weights of the rows above, models below them, and their weighted vote."""
    step, half = WIDTH + 0.75, WIDTH / 2
    stages = called if len(called) <= 3 else [called[0], called[1], "…", called[-1]]
    for k, name in enumerate(stages):
        x = k * step
        if name == "…":
            ax.text(x, 1.0, "…", ha="center", va="center", fontsize=14, color=_style.GRAY)
            continue
        _box(ax, x, 2.3, "rows,\nequal weights" if k == 0 else "rows,\nnew weights", _style.PALE)
        _box(ax, x, 1.0, name, _style.LIGHT)
        _arrow(ax, (x, 2.3 - HEIGHT / 2), (x, 1.0 + HEIGHT / 2))
        _arrow(ax, (x, 1.0 - HEIGHT / 2), ((len(stages) - 1) * step / 2, -0.4 + HEIGHT / 2))
        if k + 1 < len(stages):
            dots = stages[k + 1] == "…"
            _arrow(ax, (x + half, 1.0), ((k + 1) * step - (0.3 if dots else half), 1.0 if dots else 2.3))
        if k and stages[k - 1] == "…":
            _arrow(ax, ((k - 1) * step + 0.3, 1.0), (x - half, 2.3))
    middle = (len(stages) - 1) * step / 2
    _box(ax, middle, -0.4, "weighted vote", _style.PALE)
    _arrow(ax, (middle + half, -0.4), (middle + step - half, -0.4))
    _box(ax, middle + step, -0.4, "answer", _style.FAINT)
    right = max((len(stages) - 1) * step, middle + step) + half + 0.1
    ax.set(xlim=(-half - 0.1, right), ylim=(-0.4 - HEIGHT / 2 - 0.15, 2.3 + HEIGHT / 2 + 0.15))


# ---------------------------------------------------------------------------------------------------------------- curve


def ensemble_curve(
    model: Any,
    X: Any,
    y: Any,
    X_test: Any = None,
    y_test: Any = None,
    *,
    train: bool = False,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the score of an ensemble as its models are added: on rows left out of the samples, and on others held out.

    The score is the accuracy of a classifier, R² of a regressor. The line of rows left out (out of bag) counts, at each
    number of models, the rows that one of them did not see; where few have been added it is that of few rows.

    Parameters
    ----------
    model : fitted ensemble
    X, y : the rows that it was fitted on
    X_test, y_test : rows held out, optional
    train : bool, default=False
        Draw the score on the rows fitted too.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from pellucid.ensemble import BaggingClassifier
    >>> X, y = np.arange(30.0)[:, None], np.arange(30) > 14
    >>> ax = ensemble_curve(BaggingClassifier(n_estimators=20, random_state=0).fit(X, y), X, y)
    >>> [line.get_label() for line in ax.lines], len(ax.lines[0].get_xdata()) <= 20
    (['rows left out'], True)
    """
    who = "ensemble_curve"
    n = check_ensemble(who, model)
    lines: dict[str, Floats] = {}
    if train:
        lines["rows fitted"] = _scores(who, model, X, y)
    out = _left_out(who, model, X, y)
    if out is not None:
        lines["rows left out"] = out
    if X_test is not None:
        lines["rows held out"] = _scores(who, model, X_test, y_test)
    if not lines:
        requirement = "there must be rows to judge by"
        hint = "give X_test and y_test, or train=True"
        raise DataError(
            format_message(who, requirement, actual=f"the models of {type(model).__name__} left none out", hint=hint)
        )
    ax = _style.axes() if ax is None else ax
    _style.tidy(ax)
    styles = {
        "rows fitted": (_style.BLUE, "--"),
        "rows left out": (_style.GREEN, "-."),
        "rows held out": (_style.VERMILION, "-"),
    }
    for name, values in lines.items():
        is_finite = np.isfinite(values)
        color, kind = styles[name]
        at = np.arange(1, n + 1)[: len(values)]
        ax.plot(at[is_finite], values[is_finite], color=color, linestyle=kind, linewidth=2.0, label=name)
        last = float(values[is_finite][-1])
        ax.annotate(number(last, like=1.0), (float(at[is_finite][-1]), last), (5, 0), textcoords="offset points",
                    va="center", color=color, fontsize=_style.SMALL)  # fmt: skip
    ax.set(xlabel="number of models", ylabel="accuracy" if is_classifier(model) else "R²")
    ax.margins(x=0.06)
    ax.locator_params(axis="x", integer=True)
    _style.legend(ax)
    return ax


def _target(who: str, y: Any, n: int) -> Array:
    target = read_target(y, who).ravel()
    if len(target) != n:
        raise DataError(
            format_message(who, "y must have one value for each row of X", actual=f"got {len(target)} for {n} rows")
        )
    return target


def _score(model: Any, predictions: Array, target: Array) -> float:
    if is_classifier(model):
        return float(np.mean(predictions == target))
    f, t = np.asarray(predictions, dtype=np.float64)[:, None], np.asarray(target, dtype=np.float64)[:, None]
    return float(r2(t, f, np.ones(len(t)))[0])


def _scores(who: str, model: Any, X: Any, y: Any) -> Floats:
    predictions = list(staged(model, X))
    target = _target(who, y, len(predictions[0]))
    return np.array([_score(model, prediction, target) for prediction in predictions])


def _left_out(who: str, model: Any, X: Any, y: Any) -> Floats | None:
    """The score on rows by the models that did not see them, as models are added; None where no rows were drawn."""
    samples = getattr(model, "estimators_samples_", None)
    if samples is None:
        return None
    total: Any = None
    scores = []
    for prediction, rows in zip(member_answers(model, X), samples, strict=True):
        if total is None:
            total, n_votes = np.zeros_like(prediction), np.zeros(len(prediction))
            target = _target(who, y, len(prediction))
        unseen = np.setdiff1d(np.arange(len(prediction)), rows)
        total[unseen] += prediction[unseen]
        n_votes[unseen] += 1
        covered = np.flatnonzero(n_votes)
        if len(covered) < 2:
            scores.append(np.nan)
            continue
        mean = total[covered] / n_votes[covered, None]
        predictions = np.asarray(model.classes_)[mean.argmax(axis=1)] if is_classifier(model) else mean[:, 0]
        scores.append(_score(model, predictions, target[covered]))
    result = np.array(scores)
    return result if np.isfinite(result).any() else None


# ---------------------------------------------------------------------------------------------------------------- votes


def member_votes(
    model: Any, X: Any, row: int = 0, *, names: Sequence[str] | None = None, ax: "Axes | None" = None
) -> "Axes":
    """Draw what each model of an ensemble says of one row, and what they say together.

    Of a classifier each model is a line of boxes, as wide as the shares that it gives the classes (one whole box where
    it has one answer), in the colors of the classes; the last line is the mean, or the vote. Of a regressor each model
    is a point at its prediction, and the mean a line.

    Parameters
    ----------
    model : fitted ensemble
    X : table with the model's columns
    row : int, default=0
        Which row of X, counted from 0.
    names : list of texts, optional
        What the models are called.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from pellucid.ensemble import BaggingClassifier
    >>> says = [lambda X: np.full(len(X), "red"), lambda X: np.full(len(X), "blue"), lambda X: np.full(len(X), "blue")]
    >>> model = BaggingClassifier(models=says).fit([[1], [2]], ["red", "blue"])
    >>> ax = member_votes(model, [[1]])
    >>> [text.get_text() for text in ax.texts][-2:]
    ['0.67', '0.33']
    """
    who = "member_votes"
    n = check_ensemble(who, model)
    predictions = np.array([prediction[_place(who, row, len(prediction))] for prediction in member_answers(model, X)])
    weights = weights_of(model)
    if predictions.ndim != 2 or len(predictions) != n:
        raise DataError(
            format_message(who, "the models must answer row by row", actual=f"got shape {predictions.shape}")
        )
    called = _names(who, model, names, n)
    ax = _own_axes(7.0, 1.4 + 0.26 * min(n + 2, 34)) if ax is None else ax
    _style.tidy(ax)
    if is_classifier(model):
        _boxes(ax, model, predictions, weights, called)
    else:
        _points(ax, predictions[:, 0], weights, called)
    ax.set_title(f"row {row}", fontsize=_style.TITLE)
    return ax


def _place(who: str, row: int, n: int) -> int:
    if not -n <= row < n:
        raise DataError(format_message(who, f"row must be between 0 and {n - 1}", actual=f"got {row}"))
    return row


def _names(who: str, model: Any, names: Sequence[str] | None, n: int) -> list[str]:
    if names is not None:
        if len(names) != n:
            raise ParameterError(format_message(who, f"names must be {count(n, 'text')}", actual=f"got {len(names)}"))
        return [plain(str(name)) for name in names]
    if hasattr(model, "named_estimators_"):
        return [plain(name) for name, member in model.named_estimators_.items() if not isinstance(member, str)]
    return [f"model {k + 1}" for k in range(n)]


def _boxes(ax: "Axes", model: Any, predictions: Floats, weights: Floats, called: list[str]) -> None:
    labels, n = model.classes_, len(predictions)
    mean = (weights[:, None] * predictions).sum(axis=0) / weights.sum()
    lines = [*range(n), n + 0.6]
    for y, shares in zip(lines, [*predictions, mean], strict=True):
        start = 0.0
        for k, share in enumerate(shares.tolist()):
            if share > 0:
                ax.barh(y, share, left=start, height=0.8, color=CLASSES[k % len(CLASSES)], edgecolor="white", zorder=2,
                        alpha=0.95 if y > n - 0.5 else 0.6)  # fmt: skip
            if y > n - 0.5 and share >= 0.06:
                ax.text(start + share / 2, y, number(share, like=1.0), ha="center", va="center", color="white",
                        fontsize=_style.SMALL, fontweight="bold", zorder=3)  # fmt: skip
            start += share
    for k, label in enumerate(labels.tolist()):
        ax.barh([np.nan], [0], color=CLASSES[k % len(CLASSES)], label=_style.shown(word(label)))
    _label_lines(ax, lines, [*_weighted(called, weights), "together"])
    ax.set(xlim=(0, 1), xlabel="share of each class")
    ax.grid(False, axis="y")
    ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))


def _points(ax: "Axes", predictions: Floats, weights: Floats, called: list[str]) -> None:
    mean = float((weights * predictions).sum() / weights.sum())
    lines = list(range(len(predictions)))
    ax.axvline(mean, color=_style.VERMILION, linewidth=2.0, zorder=2, label=f"mean {number(mean)}")
    ax.hlines(
        lines, np.minimum(predictions, mean), np.maximum(predictions, mean), color=_style.SKY, linewidth=1.4, zorder=2
    )
    ax.plot(predictions, lines, linestyle="", marker="o", color=_style.BLUE, markersize=5, zorder=3)
    _label_lines(ax, [float(y) for y in lines], _weighted(called, weights))
    ax.set_xlabel("prediction")
    ax.grid(False, axis="y")
    _style.legend(ax)


def _weighted(called: list[str], weights: Floats) -> list[str]:
    if (weights == weights[0]).all():
        return called
    return [f"{name} (weight {weight:g})" for name, weight in zip(called, weights.tolist(), strict=True)]


def _label_lines(ax: "Axes", lines: Sequence[float], called: list[str]) -> None:
    """The names of the models, or where there are many, those of some."""
    each = max(1, -(-(len(lines) - 1) // 30))
    labeled = [k for k in range(len(lines)) if k % each == 0 or k == len(lines) - 1]
    ax.set_yticks([lines[k] for k in labeled], [called[k] for k in labeled], fontsize=_style.SMALL)
    ax.set_ylim(max(lines) + 0.7, -0.7)


# -------------------------------------------------------------------------------------------------------------- regions


def ensemble_regions(
    model: Any,
    X: Any,
    y: Any,
    n_models: Sequence[int] | None = None,
    *,
    columns: Sequence[str] | Sequence[int] | None = None,
    grid: int = 120,
) -> "NDArray[np.object_]":
    """Draw the areas in which the first model, the first few, and all models of an ensemble predict each class.

    Parameters
    ----------
    model : fitted ensemble of classifiers
    X, y : rows to draw, as in `decision_regions`
    n_models : list of whole numbers, optional
        How many models each picture has; 1, 3, 10, 30, ... and all unless told.
    columns : two names or numbers of columns, optional
    grid : int, default=120
        Points of the grid along each axis.

    Returns
    -------
    array of matplotlib Axes

    Examples
    --------
    >>> from pellucid.ensemble import BaggingClassifier
    >>> X, y = [[0, 0], [0, 1], [3, 0], [3, 1]] * 5, ["left", "left", "right", "right"] * 5
    >>> drawn = ensemble_regions(BaggingClassifier(n_estimators=4, random_state=0).fit(X, y), X, y, [1, 4], grid=20)
    >>> [ax.get_title().splitlines()[0] for ax in drawn]
    ['1 model', '4 models']
    """
    who = "ensemble_regions"
    n = check_ensemble(who, model)
    if not is_classifier(model):
        raise ParameterError(
            format_message(who, "model must be an ensemble of classifiers", actual=f"got {type(model).__name__}")
        )
    sizes = sorted({k for k in (1, 3, 10, 30, 100, 300) if k < n} | {n}) if n_models is None else list(n_models)
    wrong = [k for k in sizes if isinstance(k, bool) or not isinstance(k, int | np.integer) or not 1 <= k <= n]
    if wrong or not sizes:
        raise ParameterError(
            format_message(who, f"n_models must be whole numbers from 1 to {n}", actual=f"got {short_repr(n_models)}")
        )
    prefixes = {count(int(k), "model"): FirstModels(model, int(k)) for k in sizes}
    return np.asarray(decision_regions(prefixes, X, y, columns=columns, grid=grid, proba=False))
