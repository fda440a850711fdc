"""Pictures of numbers that trees are judged by: scores against the number of nodes, importances of columns."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pellucid.base.errors import DataError, NotFittedError, ParameterError, format_message, short_repr
from pellucid.base.types import Floats
from pellucid.models.tree.nodes import TreeNodes
from pellucid.plotting import _style
from pellucid.plotting._style import number, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["accuracy_by_nodes", "feature_importances"]


def accuracy_by_nodes(
    n_nodes: Any,
    train_scores: Sequence[float] | None = None,
    test_scores: Sequence[float] | None = None,
    *,
    best: int | None = None,
    score_name: str | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the score on the rows fitted and on rows held out against the size of the tree, with the best size marked.

    The first goes on rising with each node; the second rises, and falls when nodes are grown on the peculiarities of
    single rows. The highest point of the second, of equals the smallest tree, is where to stop.

    Parameters
    ----------
    n_nodes : list of whole numbers, or what `pellucid.tree.accuracy_by_nodes` gives
        Nodes of each tree, in any order; or all that there is to draw.
    train_scores : list of numbers, optional
    test_scores : list of numbers
    best : int, optional
        The number of nodes to be marked instead of the best score's.
    score_name : str, optional
        What the score is called; "accuracy" otherwise.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> ax = accuracy_by_nodes([1, 3, 5, 7], [0.6, 0.8, 0.9, 1.0], [0.5, 0.7, 0.7, 0.6])
    >>> [text.get_text() for text in ax.texts]
    ['best: 3 nodes, 0.7']
    """
    who = "accuracy_by_nodes"
    counts, train, test = n_nodes, train_scores, test_scores
    if test_scores is None and hasattr(n_nodes, "test_scores"):
        counts, train, test = n_nodes.n_nodes, n_nodes.train_scores, n_nodes.test_scores
        score_name = score_name or getattr(n_nodes, "score_name", None)
        best = getattr(n_nodes, "best_n_nodes", None) if best is None else best
    sizes, test_values = _column(who, "n_nodes", counts), _column(who, "test_scores", test)
    fitted = None if train is None else _column(who, "train_scores", train)
    lengths = {len(column) for column in (sizes, test_values, fitted) if column is not None}
    if len(lengths) > 1 or not len(sizes):
        requirement = "n_nodes, train_scores and test_scores must have the same length"
        raise DataError(format_message(who, requirement, actual=f"got {', '.join(map(str, sorted(lengths)))}"))
    order = np.lexsort((test_values, sizes))
    sizes, test_values, fitted = sizes[order], test_values[order], None if fitted is None else fitted[order]
    at = _best(who, sizes, test_values, best)
    ax = _style.axes() if ax is None else ax
    _style.tidy(ax)
    marks: dict[str, Any] = {"marker": "o", "markersize": 4} if len(sizes) <= 40 else {}
    if fitted is not None:
        ax.plot(sizes, fitted, color=_style.BLUE, linestyle="--", linewidth=2.0, label="rows fitted", **marks)
    ax.plot(sizes, test_values, color=_style.VERMILION, linewidth=2.4, label="rows held out", **marks)
    ax.axvline(float(sizes[at]), color=_style.INK, linestyle=":", linewidth=1.3, zorder=1)
    ax.plot(sizes[at], test_values[at], color=_style.INK, marker="*", markersize=15, linestyle="", zorder=5)
    _tell_best(ax, sizes, test_values, fitted, at)
    ax.set(xlabel="number of nodes", ylabel=plain(score_name or "accuracy"))
    ax.locator_params(axis="x", integer=True)
    _style.legend(ax)
    return ax


def _column(who: str, name: str, values: Any) -> Floats:
    try:
        column = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        column = np.empty(0)
    if column.ndim == 2:  # a column a fold
        column = column.mean(axis=1)
    if column.ndim != 1 or not len(column) or not np.isfinite(column).all():
        raise DataError(
            format_message(who, f"{name} must be finite numbers, one a tree", actual=f"got {short_repr(values)}")
        )
    return column


def _best(who: str, sizes: Floats, test_scores: Floats, best: int | None) -> int:
    if best is None:
        return int(np.flatnonzero(test_scores == test_scores.max())[0])
    indices = np.flatnonzero(sizes == best)
    if not len(indices):
        raise ParameterError(format_message(who, "best must be one of n_nodes", actual=f"got {short_repr(best)}"))
    return int(indices[-1])


def _tell_best(ax: "Axes", sizes: Floats, test_scores: Floats, fitted: Floats | None, at: int) -> None:
    """Words below the curves, on the side where there is more room."""
    low = min(float(test_scores.min()), float(test_scores.min() if fitted is None else fitted.min()))
    high = max(float(test_scores.max()), float(test_scores.max() if fitted is None else fitted.max()))
    span = (high - low) or 0.1
    ax.set_ylim(low - 0.14 * span, high + 0.06 * span)
    left = sizes[at] < (sizes[0] + sizes[-1]) / 2
    text = f"best: {int(sizes[at]):,} node{'s' if sizes[at] != 1 else ''}, {test_scores[at]:.4g}"
    style: dict[str, Any] = {"ha": "left" if left else "right", "va": "bottom", "textcoords": "offset points"}
    ax.annotate(text, (float(sizes[at]), low - 0.13 * span), (6 if left else -6, 0), color=_style.INK, **style)


def feature_importances(
    model: Any,
    *,
    feature_names: Sequence[str] | None = None,
    n_most: int = 20,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw how much each column lowers the impurity of a tree, or of many: a bar a column, the largest on top.

    They add up to 1, and are learned from the rows fitted: a column of many distinct values looks more useful than it
    is. `pellucid.inspection.permutation_importance`, drawn by `importance`, tells what a column does for rows
    held out.

    Parameters
    ----------
    model : fitted estimator with ``feature_importances_``, or `TreeNodes`
    feature_names : list of str, optional
        Instead of the model's own.
    n_most : int, default=20
        Columns to draw; the title tells how many there are.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from types import SimpleNamespace as Model
    >>> ax = feature_importances(Model(feature_importances_=[0.25, 0.75]))
    >>> [tick.get_text() for tick in ax.get_yticklabels()], [text.get_text() for text in ax.texts]
    (['x1', 'x0'], ['0.75', '0.25'])
    """
    who = "feature_importances"
    shares, names = _shares(who, model, feature_names)
    if isinstance(n_most, bool) or not isinstance(n_most, int | np.integer) or n_most < 1:
        raise ParameterError(
            format_message(who, "n_most must be a whole number of at least 1", actual=f"got {short_repr(n_most)}")
        )
    order = np.argsort(-shares, kind="stable")[:n_most]
    rows = np.arange(len(order))
    if ax is None:
        from matplotlib import pyplot

        ax = pyplot.subplots(figsize=(_style.SIZE[0], 1.1 + 0.3 * len(order)), layout="constrained")[1]
    _style.tidy(ax)
    ax.grid(False, axis="y")
    ax.barh(rows, shares[order], height=0.66, color=_style.SKY, edgecolor=_style.BLUE, linewidth=0.8, zorder=2)
    for k, share in enumerate(shares[order].tolist()):
        value_text = number(share, like=1.0) if share >= 0.005 else "< 0.01" if share > 0 else "0"
        ax.text(share, k, value_text, fontsize=_style.SMALL, va="center", ha="left")
        ax.texts[-1].set(x=share + 0.01 * float(shares.max() or 1))
    ax.set_yticks(rows, [plain(names[j]) for j in order])
    ax.set(ylim=(len(order) - 0.4, -0.6), xlim=(0, 1.1 * (float(shares.max()) or 1)))
    ax.set_xlabel("share of the fall in impurity")
    if len(order) < len(shares):
        ax.set_title(f"the {len(order)} largest of {len(shares)} columns", fontsize=_style.TITLE)
    return ax


def _shares(who: str, model: Any, feature_names: Sequence[str] | None) -> tuple[Floats, list[str]]:
    if isinstance(model, TreeNodes):
        shares = model.compute_feature_importances()
    elif hasattr(model, "feature_importances_"):
        shares = np.asarray(model.feature_importances_, dtype=np.float64)
    elif hasattr(model, "_check_fitted") and not model.__sklearn_is_fitted__():
        raise NotFittedError(format_message(who, f"this {type(model).__name__} is not fitted", hint="call fit first"))
    else:
        requirement = "needs a fitted model with feature_importances_"
        hint = "importance draws what permutation_importance gives, for any model"
        raise ParameterError(format_message(who, requirement, actual=f"got {short_repr(model)}", hint=hint))
    model_names = getattr(getattr(model, "schema_", None), "names", None)
    model_names = getattr(model, "feature_names_in_", None) if model_names is None else model_names
    names = feature_names if feature_names is not None else model_names
    words = [f"x{j}" for j in range(len(shares))] if names is None else [str(name) for name in names]
    if len(words) != len(shares):
        requirement = f"feature_names must have one name for each of {len(shares)} columns"
        raise ParameterError(format_message(who, requirement, actual=f"got {len(words)}"))
    return shares, words
