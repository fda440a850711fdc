"""Pictures of forests: the way of a row through trees and their votes, errors as trees are added, and importances."""

from typing import TYPE_CHECKING, Any

import numpy as np

from pellucid.base.errors import NotFittedError, ParameterError, format_message, short_repr
from pellucid.base.types import Array, Floats
from pellucid.models.tree.answer import row_path
from pellucid.models.tree.nodes import TreeNodes
from pellucid.plotting import _style
from pellucid.plotting._style import number, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

__all__ = ["forest_importances", "forest_votes", "oob_curve"]

MOST_DRAWN = 12  # trees side by side
MOST_LEVELS = 8  # of each


def _forest(who: str, model: Any) -> Any:
    if not hasattr(type(model), "tree_importances_"):
        requirement = "model must be a forest of this library"
        raise ParameterError(
            format_message(who, requirement, actual=f"got {short_repr(model)}", hint="such as RandomForestClassifier")
        )
    if not model.__sklearn_is_fitted__():
        raise NotFittedError(format_message(who, f"this {type(model).__name__} is not fitted", hint="call fit first"))
    return model


def oob_curve(model: Any, *, ax: "Axes | None" = None) -> "Axes":
    """Draw the error on rows left out as trees are added to a forest.

    Every row is judged by those of the first 1, 2, ... trees that have not seen it. The curve falls steeply, then
    flattens: trees beyond that cost time and gain nothing. It does not rise again but by chance.

    Parameters
    ----------
    model : forest fitted with ``oob_score``, or with ``n_estimators="oob"``
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from pellucid.ensemble import RandomForestRegressor
    >>> model = RandomForestRegressor(n_estimators=40, oob_score=True, random_state=0)
    >>> ax = oob_curve(model.fit([[1], [2], [3], [4], [5]], [1, 2, 3, 4, 5]))
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('trees', 'mean squared error on rows left out')
    """
    who = "oob_curve"
    curve = getattr(_forest(who, model), "oob_curve_", None)
    if curve is None:
        requirement = "the forest must have been judged by rows left out"
        raise ParameterError(
            format_message(who, requirement, actual="it has no oob_curve_", hint="fit it with oob_score=True")
        )
    from matplotlib.ticker import MaxNLocator

    ax = _style.axes() if ax is None else ax
    _style.tidy(ax)
    trees = np.arange(1, len(curve) + 1)
    ax.plot(trees, curve, color=_style.BLUE)
    last = float(curve[-1])
    ax.axhline(last, color=_style.GRAY, linewidth=0.8, linestyle=":")
    ax.annotate(
        f"{number(last)} with {len(curve)}",
        (len(curve), last),
        xytext=(0, 8),
        textcoords="offset points",
        ha="right",
        fontsize=_style.SMALL,
    )
    error = (
        "share of rows left out that are wrong" if hasattr(model, "classes_") else "mean squared error on rows left out"
    )
    ax.set(xlabel="trees", ylabel=error)
    ax.set_ylim(bottom=0)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    return ax


def forest_importances(
    model: Any, importance: Any = None, *, n_most: int = 20, coverage: float = 0.9, ax: "Axes | None" = None
) -> "Axes":
    """Draw how much each column does in a forest, with how far the trees differ: a bar a column, the largest on top.

    The bar is the mean over the trees, the line goes from the 5th to the 95th percentile of the trees.

    Parameters
    ----------
    model : fitted forest
    importance : what ``model.oob_importance(X, y)`` gives, optional
        Drawn instead of the shares of the fall of the impurity.
    n_most : int, default=20
        Columns to draw.
    coverage : float, default=0.9
        Share of the trees between the ends of a line.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from pellucid.ensemble import RandomForestClassifier
    >>> model = RandomForestClassifier(n_estimators=3, bootstrap=False, max_features=None)
    >>> ax = forest_importances(model.fit([[1, 0], [2, 0], [3, 0]], ["a", "a", "b"]))
    >>> [tick.get_text() for tick in ax.get_yticklabels()]
    ['x0', 'x1']
    """
    who = "forest_importances"
    _forest(who, model)
    if not isinstance(n_most, int | np.integer) or isinstance(n_most, bool) or n_most < 1:
        raise ParameterError(
            format_message(who, "n_most must be a whole number of at least 1", actual=f"got {short_repr(n_most)}")
        )
    if not 0 < coverage < 1:
        raise ParameterError(
            format_message(who, "coverage must be above 0 and below 1", actual=f"got {short_repr(coverage)}")
        )
    each = model.tree_importances_.T if importance is None else np.asarray(importance["importances"])
    mean = model.feature_importances_ if importance is None else np.asarray(importance["importances_mean"])
    order = np.argsort(-mean, kind="stable")[:n_most]
    low, high = np.quantile(each[order], [(1 - coverage) / 2, (1 + coverage) / 2], axis=1)
    if ax is None:
        from matplotlib import pyplot

        ax = pyplot.subplots(figsize=(_style.SIZE[0], 1.1 + 0.3 * len(order)), layout="constrained")[1]
    _style.tidy(ax)
    ax.grid(False, axis="y")
    positions = np.arange(len(order))
    ax.barh(positions, mean[order], height=0.6, color=_style.SKY, edgecolor=_style.BLUE, linewidth=0.8, zorder=2)
    ax.hlines(positions, low, high, color=_style.INK, linewidth=1.4, zorder=3)
    names = getattr(model, "feature_names_in_", [f"x{j}" for j in range(len(mean))])
    ax.set_yticks(positions, [plain(str(names[j])) for j in order])
    ax.set_ylim(len(order) - 0.4, -0.6)
    if importance is None:
        what = "share of the fall in impurity"
    else:
        what = "rise of the error on rows left out"
        ax.axvline(0, color=_style.GRAY, linewidth=0.8)
    ax.set_xlabel(f"{what}; lines: {coverage:.0%} of the trees")
    if len(order) < len(mean):
        ax.set_title(f"the {len(order)} largest of {len(mean)} columns", fontsize=_style.TITLE)
    return ax


# --------------------------------------------------------------------------------------------------------------- votes


def forest_votes(model: Any, X: Any, *, row: int = 0, n_trees: int = 4) -> "NDArray[np.object_]":
    """Draw the way of a row through the first trees of a forest, and what all trees say.

    Each tree has a panel with its nodes as dots, level below level, the row's way in red, and its answer below. The
    last panel counts the votes of all trees, or for numbers shows all answers and their mean.

    Parameters
    ----------
    model : fitted forest
    X : a table with the columns of the fit
    row : int, default=0
        Position of the row in X.
    n_trees : int, default=4
        Trees that are drawn, at most 12.

    Returns
    -------
    array of matplotlib Axes, one a tree and one for the votes

    Examples
    --------
    >>> from pellucid.ensemble import RandomForestClassifier
    >>> model = RandomForestClassifier(n_estimators=5, bootstrap=False)
    >>> model = model.fit([[1], [2], [3]], ["a", "a", "b"])
    >>> axes = forest_votes(model, [[1.4]], n_trees=2)
    >>> [ax.get_title() for ax in axes]
    ['tree 0: a', 'tree 1: a', 'a by 5 of 5 trees']
    """
    who = "forest_votes"
    _forest(who, model)
    d = model._validate_predict(X)
    if not isinstance(row, int | np.integer) or not -d.n_rows <= row < d.n_rows:
        raise ParameterError(
            format_message(who, f"row must be from 0 to {d.n_rows - 1}", actual=f"got {short_repr(row)}")
        )
    if not isinstance(n_trees, int | np.integer) or not 1 <= n_trees <= MOST_DRAWN:
        raise ParameterError(
            format_message(who, f"n_trees must be from 1 to {MOST_DRAWN}", actual=f"got {short_repr(n_trees)}")
        )
    from matplotlib import pyplot

    row = int(row) % d.n_rows
    n_drawn = min(int(n_trees), len(model.estimators_))
    width = 2.1 * n_drawn + 3.2
    axes = pyplot.subplots(
        1, n_drawn + 1, figsize=(width, 3.4), layout="constrained", width_ratios=[2.1] * n_drawn + [3.2], squeeze=False
    )[1]
    predictions = _answers(model, d.matrix, row)
    for t in range(n_drawn):
        tree = model.estimators_[t].tree_
        _draw_tree(axes[0, t], tree, [node for node, _ in row_path(tree, d.matrix, row)])
        axes[0, t].set_title(f"tree {t}: {_word(model, predictions[t])}", fontsize=_style.SMALL)
    _draw_votes(axes[0, n_drawn], model, predictions)
    return np.asarray(axes[0])


def _answers(model: Any, matrix: Any, row: int) -> Array:
    """What each tree says of a row: places of classes of the first target, or numbers."""
    leaves = model.forest.apply(matrix)[row]
    values = np.array([model.forest.tree(t).value[leaf] for t, leaf in enumerate(leaves.tolist())])
    if not hasattr(model, "classes_"):
        return values[:, 0]
    return np.asarray(values[:, : len(model._labels[0])].argmax(axis=1))


def _word(model: Any, prediction: Any) -> str:
    return plain(str(model._labels[0][prediction])) if hasattr(model, "classes_") else number(float(prediction))


def _draw_tree(ax: "Axes", tree: TreeNodes, path: list[int]) -> None:
    """Nodes as dots: leaves side by side, a parent above the middle of its children."""
    depth = tree.depth
    max_level = min(int(depth.max()), max(MOST_LEVELS, 1))
    ends = [i for i in tree.top_down() if depth[i] <= max_level and (tree.n_children[i] == 0 or depth[i] == max_level)]
    x: Floats = np.zeros(len(tree))
    x[ends] = np.arange(len(ends))
    for i in range(len(tree) - 1, -1, -1):
        if depth[i] < max_level and tree.n_children[i]:
            x[i] = np.mean([x[child] for child in tree.children(i)])
    passed = [node for node in path if depth[node] <= max_level]
    for i in np.flatnonzero((depth < max_level) & (tree.n_children > 0)).tolist():
        for child in tree.children(i):
            ax.plot([x[i], x[child]], [-depth[i], -depth[child]], color=_style.FAINT, linewidth=0.9, zorder=1)
    ax.plot(x[passed], -depth[passed].astype(float), color=_style.VERMILION, linewidth=1.8, zorder=2)
    inside = np.flatnonzero(depth <= max_level)
    size = 12 if len(inside) < 60 else 4
    ax.scatter(x[inside], -depth[inside], s=size, color=_style.GRAY, zorder=3, linewidths=0)
    ax.scatter(x[passed], -depth[passed].astype(float), s=size * 1.8, color=_style.VERMILION, zorder=4, linewidths=0)
    if depth[path[-1]] > max_level:
        more = f"{int(depth[path[-1]]) - max_level} more levels"
        ax.text(x[passed[-1]], -max_level - 0.35, more, fontsize=8, ha="center", va="top", color=_style.VERMILION)
    ax.margins(0.12, 0.12)
    ax.set_axis_off()


def _draw_votes(ax: "Axes", model: Any, predictions: Array) -> None:
    _style.tidy(ax)
    if not hasattr(model, "classes_"):
        spread = np.linspace(-0.3, 0.3, len(predictions)) if len(predictions) > 1 else np.zeros(1)
        ax.scatter(predictions, spread, s=14, color=_style.BLUE, alpha=0.6, linewidths=0)
        mean = float(np.mean(predictions))
        ax.axvline(mean, color=_style.VERMILION)
        ax.set_title(f"mean of {len(predictions)} trees: {number(mean)}", fontsize=_style.SMALL)
        ax.set(yticks=[], xlabel="answer of a tree", ylim=(-0.6, 0.6))
        return
    labels = model._labels[0]
    counts = np.bincount(predictions, minlength=len(labels))
    order = np.argsort(-counts, kind="stable")[:10]
    ax.grid(False, axis="y")
    ax.barh(np.arange(len(order)), counts[order], height=0.6, color=_style.SKY, edgecolor=_style.BLUE, linewidth=0.8)
    for k, votes in enumerate(counts[order].tolist()):
        ax.text(votes + 0.01 * len(predictions), k, str(votes), va="center", fontsize=_style.SMALL)
    ax.set_yticks(np.arange(len(order)), [plain(str(labels[j])) for j in order])
    ax.set(ylim=(max(len(order), 2) - 0.4, -0.6), xlim=(0, 1.12 * len(predictions)), xlabel="trees")
    from matplotlib.ticker import MaxNLocator

    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    won = plain(str(labels[order[0]]))
    ax.set_title(f"{won} by {counts[order[0]]} of {len(predictions)} trees", fontsize=_style.SMALL)
