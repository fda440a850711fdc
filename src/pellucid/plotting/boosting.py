"""Pictures of boosting: errors by round, what the rows weigh, stumps with what they get right, and how voters err.

`ensemble_regions` draws what the first models say together, everywhere on a plane.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone, is_classifier

from pellucid.base.errors import ParameterError, format_message, short_repr
from pellucid.base.types import Array, Flags, Floats
from pellucid.data.target import read_target
from pellucid.ensemble.voters import ensemble_error
from pellucid.models.tree.nodes import TreeNodes
from pellucid.models.tree.words import Words
from pellucid.plotting import _style
from pellucid.plotting._by_round import draw_curves, legend_above, mark_best
from pellucid.plotting._panels import panels
from pellucid.plotting._plane import word
from pellucid.plotting._read import names_of
from pellucid.plotting._stages import check_ensemble
from pellucid.plotting._style import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

__all__ = ["majority_error", "row_weights", "staged_error", "stump_counts"]

MOST_STUMPS = 6
# Rows and rounds up to which each has its number.
MOST_NAMED = 40


# ------------------------------------------------------------------------------------------------------ errors by round


def staged_error(
    model: Any, X: Any, y: Any, X_test: Any = None, y_test: Any = None, *, ax: "Axes | None" = None
) -> "Axes":
    """Draw the error of a boosted model after each round, on the rows fitted and on rows held out.

    A classifier errs on a share of the rows; of a regressor the error is 1 - R². Thin dots are the weighted errors of
    the models of the rounds themselves: they stay near chance, since each round looks at what is hard, while all of
    them together err less and less. Where the line of the rows held out rises again, fewer rounds are enough.

    Parameters
    ----------
    model : fitted AdaBoostClassifier or AdaBoostRegressor, or another with ``staged_predict``
    X, y : the rows fitted
    X_test, y_test : rows held out, optional
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from pellucid.ensemble import AdaBoostClassifier
    >>> X, y = [[1], [2], [3], [4]], ["no", "no", "yes", "no"]
    >>> ax = staged_error(AdaBoostClassifier(n_estimators=3).fit(X, y), X, y)
    >>> ax.lines[0].get_ydata().tolist()
    [0.25, 0.25, 0.0]
    """
    who = "staged_error"
    n = check_ensemble(who, model)
    if not hasattr(model, "staged_predict"):
        requirement = "model must tell what it predicts after each round (staged_predict)"
        raise ParameterError(
            format_message(
                who, requirement, actual=f"got {short_repr(model)}", hint="ensemble_curve draws any ensemble"
            )
        )
    ax = _style.axes() if ax is None else ax
    test = None if X_test is None else _errors(who, model, X_test, y_test)
    draw_curves(ax, _errors(who, model, X, y), test)
    model_errors = getattr(model, "estimator_errors_", None)
    if model_errors is not None:
        dots: dict[str, Any] = {"linestyle": "none", "marker": ".", "markersize": 4, "color": _style.GRAY}
        ax.plot(np.arange(1, n + 1), np.asarray(model_errors)[:n], label="each model alone, on its weights", **dots)
    ax.set_ylabel("share of rows wrong" if is_classifier(model) else "1 − R²")
    ax.set_ylim(bottom=0)
    if test is not None:
        best = int(np.argmin(test))
        mark_best(ax, best + 1, float(test[best]))
    legend_above(ax)
    return ax


def _errors(who: str, model: Any, X: Any, y: Any) -> Floats:
    actual = read_target(y, who).ravel()
    if is_classifier(model):
        return np.array([float(np.mean(np.asarray(predictions) != actual)) for predictions in model.staged_predict(X)])
    spread = float(((actual - actual.mean()) ** 2).sum()) or 1.0
    return np.array(
        [float(((np.asarray(predictions) - actual) ** 2).sum()) / spread for predictions in model.staged_predict(X)]
    )


# ---------------------------------------------------------------------------------------------------------- weights


def row_weights(model: Any, X: Any, y: Any, sample_weight: Any = None, *, ax: "Axes | None" = None) -> "Axes":
    """Draw what each row weighs in each round: one line a row, the heaviest in the end on top.

    The darker, the heavier; the scale is that of 1/n, what a row weighs where all weigh the same. A cross marks a row
    that the model of the round gets wrong, which is why it is heavier in the next. Rows that stay at the top are hard,
    or have a wrong label.

    Parameters
    ----------
    model : fitted AdaBoostClassifier or AdaBoostRegressor
        It is fitted once more, on a copy, to hear the weights.
    X, y, sample_weight : what it was fitted on
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from pellucid.ensemble import AdaBoostClassifier
    >>> X, y = [[1], [2], [3], [4]], ["no", "no", "yes", "no"]
    >>> ax = row_weights(AdaBoostClassifier(n_estimators=3).fit(X, y), X, y)
    >>> [label.get_text() for label in ax.get_yticklabels()]  # counted from 0
    ['3', '2', '0', '1']
    """
    who = "row_weights"
    n_models = check_ensemble(who, model)
    if not hasattr(model, "estimator_weights_") or not hasattr(model, "_seed_"):
        raise ParameterError(
            format_message(who, "model must be a fitted AdaBoost of pellucid", actual=f"got {short_repr(model)}")
        )
    weights = _recorded(model, X, y, sample_weight)
    if model.ended_ != "perfect":  # one that ended it by being no better than chance is left out
        weights = weights[:n_models]
    times = weights / weights.sum(axis=1, keepdims=True) * weights.shape[1]
    order = np.argsort(-times[-1], kind="stable")
    rounds, rows = times.shape
    ax = _own(0.34 * rounds + 2.4, 0.24 * min(rows, MOST_NAMED) + 1.3) if ax is None else ax
    log_weights = np.log2(np.maximum(times[:, order].T, 2.0**-6))
    image = ax.imshow(
        log_weights, aspect="auto", cmap="Blues", interpolation="nearest", vmin=-3, vmax=max(log_weights.max(), 1.0)
    )
    bar = ax.figure.colorbar(image, ax=ax)
    bar.ax.yaxis.set_major_formatter(lambda value, _: f"{2.0**value:.3g}")
    bar.set_label("weight, in units of 1/n")
    wrong = _wrong(model, X, y, rounds)
    if wrong is not None and rows <= MOST_NAMED and rounds <= MOST_NAMED:
        at_row, at_round = np.nonzero(wrong[order])
        ax.plot(at_round, at_row, linestyle="none", marker="x", color=_style.VERMILION, markersize=5, label="wrong")
    ax.set(xlabel="round", ylabel="row" + (", the heaviest on top" if rows > 1 else ""))
    ax.set_xticks(*_ticks(np.arange(1, rounds + 1)))
    ax.set_yticks(*_ticks(order))
    title = "weights of the rows" + (
        "; a cross: wrong in this round" if wrong is not None and rows <= MOST_NAMED else ""
    )
    ax.set_title(title, fontsize=_style.TITLE)
    return ax


def _own(width: float, height: float) -> "Axes":
    from matplotlib import pyplot

    size = (min(max(width, 4.6), 14.0), min(max(height, 2.6), 11.0))
    return pyplot.subplots(figsize=size, layout="constrained")[1]


def _ticks(names: Array) -> tuple[list[int], list[str]]:
    """Places and numbers; of many every few."""
    step = -(-len(names) // MOST_NAMED)
    positions = list(range(0, len(names), step))
    return positions, [str(names[position]) for position in positions]


def _recorded(model: Any, X: Any, y: Any, sample_weight: Any) -> Floats:
    again = clone(model).set_params(random_state=model._seed_)
    return np.asarray(again.fit_with_history(X, y, sample_weight)["weights"][1])


def _wrong(model: Any, X: Any, y: Any, rounds: int) -> Flags | None:
    if not is_classifier(model) or len(model.estimators_) != rounds:
        return None
    actual = np.searchsorted(model.classes_, read_target(y, "row_weights").ravel())
    inputs = model._asked(X)
    return np.column_stack([np.asarray(model._said(member, inputs)) != actual for member in model.estimators_])


# ------------------------------------------------------------------------------------------------------------ stumps


def stump_counts(model: Any, X: Any, y: Any) -> "NDArray[np.object_]":
    """Draw the stumps of AdaBoost, each with the rows that it gets right and wrong on both sides, and its stage value.

    Rows count one each here, whatever they weighed: what a stump of a later round gets wrong is what those before had
    right.

    Parameters
    ----------
    model : fitted AdaBoostClassifier of stumps
        Of many the first six are drawn.
    X, y : the rows to count

    Returns
    -------
    array of matplotlib Axes

    Examples
    --------
    >>> from pellucid.ensemble import AdaBoostClassifier
    >>> X, y = [[1], [2], [3], [4]], ["no", "no", "yes", "no"]
    >>> drawn = stump_counts(AdaBoostClassifier(n_estimators=2).fit(X, y), X, y)
    >>> [text.get_text() for text in drawn[1].texts if "right" in text.get_text()]
    ['no\\n2 right, 0 wrong', 'yes\\n1 right, 1 wrong']
    """
    who = "stump_counts"
    n = check_ensemble(who, model)
    stumps = [model.estimators_[t] for t in range(min(n, MOST_STUMPS))]
    if not stumps or not all(
        isinstance(getattr(stump, "tree_", None), TreeNodes) and len(stump.tree_) <= 3 for stump in stumps
    ):
        requirement = "model must be a fitted AdaBoostClassifier of stumps"
        raise ParameterError(
            format_message(who, requirement, actual=f"got {short_repr(model)}", hint="tree_diagram draws larger trees")
        )
    actual = read_target(y, who).ravel()
    axes = panels(len(stumps), size=(3.1, 2.3), max_columns=3)
    for t, (ax, stump) in enumerate(zip(axes, stumps, strict=True)):
        stage, error = float(model.estimator_weights_[t]), float(model.estimator_errors_[t])
        _draw_stump(ax, stump, X, actual)
        heading = f"{t + 1}: error {_style.number(error)}, stage {_style.number(stage)}"
        ax.set_title(heading, fontsize=_style.SMALL)
    return axes


def _draw_stump(ax: "Axes", stump: Any, X: Any, actual: Array) -> None:
    tree, predictions, leaves = stump.tree_, np.asarray(stump.predict(X)), np.asarray(stump.apply(X))
    categories = getattr(stump.schema_, "categories", {})
    words = Words(names_of(stump, X, stump.n_features_in_), categories, digits=4)
    ends = [(0.5, 0)] if len(tree) == 1 else [(0.23, 1), (0.77, 2)]
    box: dict[str, Any] = {"boxstyle": "round,pad=0.45", "facecolor": "white", "edgecolor": _style.GRAY}
    if len(tree) == 3:
        top = plain(words.condition(tree, 0, 0))
        ax.text(0.5, 0.84, top, ha="center", va="center", fontsize=_style.SMALL, bbox=box)
        for (x, _), side in zip(ends, ("yes", "no"), strict=True):
            arrow: dict[str, Any] = {"arrowstyle": "-|>", "color": _style.GRAY}
            ax.annotate("", (x, 0.48), (0.5, 0.72), arrowprops=arrow)
            ax.annotate(side, ((x + 0.5) / 2, 0.6), xytext=(-12 if x < 0.5 else 12, 2), textcoords="offset points",
                        ha="center", fontsize=9, color=_style.GRAY)  # fmt: skip
    for x, node in ends:
        here = leaves == node
        right = int((predictions[here] == actual[here]).sum())
        wrong = int(here.sum()) - right
        shares = tree.value[node] / tree.value[node].sum()
        label = word(np.asarray(stump.classes_).tolist()[int(shares.argmax())])
        ax.text(x, 0.3, f"{label}\n{right} right, {wrong} wrong", ha="center", va="center", fontsize=_style.SMALL,
                bbox={**box, "facecolor": _style.PALE if wrong == 0 else "white"})  # fmt: skip
    ax.set(xlim=(0, 1), ylim=(0.1, 1))
    ax.axis("off")


# ------------------------------------------------------------------------------------------------------------ voters


def majority_error(n_voters: Any = (1, 5, 25), *, error: float | None = None, ax: "Axes | None" = None) -> "Axes":
    """Draw how often the majority of independent voters is wrong against how often each of them is.

    All lines meet at one half. Left of it the majority errs less than each voter, right of it more.

    Parameters
    ----------
    n_voters : int, or up to six of them
    error : float, optional
        The error of one voter, at which the lines are read off.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> ax = majority_error(25, error=0.35)
    >>> [text.get_text() for text in ax.texts]
    ['25 voters: 0.0604']
    """
    who, numbers = "majority_error", np.atleast_1d(np.asarray(n_voters)).tolist()
    if not 0 < len(numbers) <= len(_style.COLORS):
        requirement = f"n_voters must be 1 to {len(_style.COLORS)} numbers"
        raise ParameterError(format_message(who, requirement, actual=f"got {len(numbers)}"))
    ax = _style.axes() if ax is None else ax
    _style.tidy(ax)
    each = np.linspace(0, 1, 201)
    for k, n in enumerate(numbers):
        ax.plot(each, ensemble_error(n, each), color=_style.COLORS[k], linestyle=_style.LINES[k],
                label=f"{n} voter{'s' if n > 1 else ''}")  # fmt: skip
        if error is not None:
            majority = ensemble_error(n, error)
            ax.plot([error], [majority], marker="o", color=_style.COLORS[k])
            text = f"{n} voter{'s' if n > 1 else ''}: {_style.number(majority)}"
            behind = {"facecolor": "white", "edgecolor": "none", "pad": 1.0}
            style: dict[str, Any] = {"fontsize": _style.SMALL, "color": _style.COLORS[k], "bbox": behind}
            ax.annotate(text, (error, majority), xytext=(8, -4), textcoords="offset points", **style)
    ax.set(xlabel="a voter is wrong", ylabel="the majority is wrong", xlim=(0, 1), ylim=(0, 1))
    _style.legend(ax)
    return ax
