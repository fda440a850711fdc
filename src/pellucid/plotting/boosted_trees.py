"""Pictures of gradient boosting: the loss by round, the trees of a round, importances, and answers as rounds are added.

They read the trees, names and losses of the fitted models of `pellucid.boosting`. Nothing is fitted here.
"""

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from pellucid.base.errors import DataError, ParameterError, count, format_message, join_some, short_repr
from pellucid.plotting import _style
from pellucid.plotting._boosted import (
    answers_of,
    asked_rounds,
    check_boosted,
    column_like,
    cuts_of,
    goal_of,
    loss_name,
    losses_of,
    noted_losses,
)
from pellucid.plotting._by_round import draw_curves, frame_losses, legend_above, mark_best, room_for, shade_given_up
from pellucid.plotting._one_column import draw_rows, frame_of, pair_of
from pellucid.plotting._read import names_of
from pellucid.plotting._style import number, plain
from pellucid.plotting._tree_canvas import draw_scene
from pellucid.plotting.tree_diagrams import MOST_TREES, _side_by_side
from pellucid.tree._cards import Look
from pellucid.tree._reading import Reading, read_tree, row_numbers, walked
from pellucid.tree._scene import make_scene

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

__all__ = ["boosting_importances", "boosting_loss", "boosting_rounds", "boosting_trees"]

# Colors and kinds of the lines of fewer and more rounds; the last one is solid.
GROWING: list[tuple[str, Any]] = [
    (_style.GRAY, ":"),
    (_style.GREEN, (0, (8, 2, 1, 2, 1, 2))),
    (_style.SKY, "-."),
    (_style.VERMILION, "--"),
    (_style.BLUE, "-"),
]
# Similarities that are smaller than this share of the largest in their tree are what rounding has left.
DUST = 1e-12


# ---------------------------------------------------------------------------------------------------------------- loss


def boosting_loss(
    model: Any, X: Any = None, y: Any = None, X_test: Any = None, y_test: Any = None, *, ax: "Axes | None" = None
) -> "Axes":
    """Draw the loss of boosted trees after each round, on the rows fitted and on rows held out, with the best round.

    The loss on the rows fitted goes on falling; that on rows held out falls, flattens, and rises where rows are learned
    by heart. Its lowest point is the number of rounds to keep. Without tables it draws what the fit has seen itself
    (`train_losses_`, `validation_scores_`), with the rounds that were given up shaded; a score that is no loss has its
    own axis on the right. With tables the loss of their rows is worked out after each round that the model kept.

    Parameters
    ----------
    model : fitted boosted trees
    X, y : the rows fitted, optional
        Not needed for a model that was fitted with rows held out.
    X_test, y_test : rows held out, optional
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    The rows are off by -5.25, -4.25, 3.75 and 5.75 at first. A round takes half of the mean of either side away: they
    are off by -2.875, -1.875, 1.375 and 3.375 then, and the sum of the squares, 25.0625, is divided by 2 and by 4 rows.

    >>> from pellucid.boosting import GradientBoostingRegressor
    >>> X, y = [[1], [2], [3], [4]], [1, 2, 10, 12]
    >>> model = GradientBoostingRegressor(n_estimators=2, learning_rate=0.5, max_depth=1).fit(X, y)
    >>> ax = boosting_loss(model, X, y)
    >>> ax.lines[0].get_ydata().round(3).tolist()
    [3.133, 1.018]
    """
    who = "boosting_loss"
    check_boosted(who, model)
    if (X is None) != (y is None) or (X_test is None) != (y_test is None) or (X is None and X_test is not None):
        requirement = "X and y go together, and so do X_test and y_test, which come after them"
        raise DataError(format_message(who, requirement, actual=f"got only {join_some(_given(X, y, X_test, y_test))}"))
    if X is None:
        train, test, score = noted_losses(who, model)
    else:
        train, test, score = losses_of(model, X, y), None if X_test is None else losses_of(model, X_test, y_test), None
    ax = _style.axes() if ax is None else ax
    beside = draw_curves(ax, train, test, score)
    ax.set_ylabel(loss_name(model))
    frame_losses(ax, [train] if test is None or beside is not ax else [train, test])
    if test is not None:
        if beside is not ax:
            beside.set_ylim(*room_for([test]))
        best = int(model.best_iteration_) - 1 if X is None else int(np.argmin(test))
        if best >= 0:
            mark_best(beside, best + 1, float(test[best]))
        shade_given_up(ax, int(model.n_estimators_), len(train))
    legend_above(ax, *([beside] if beside is not ax else []))
    return ax


def _given(*arguments: Any) -> list[str]:
    """Names of what was given."""
    names = ("X", "y", "X_test", "y_test")
    return [name for name, argument in zip(names, arguments, strict=True) if argument is not None]


# --------------------------------------------------------------------------------------------------------------- trees


def boosting_trees(
    model: Any,
    rounds: int | Sequence[int] = 1,
    *,
    row: Any = None,
    similarity: bool = False,
    max_depth: int | None = None,
    rows: bool = True,
    missing: bool = False,
    feature_names: Sequence[str] | None = None,
    ax: "Sequence[Axes] | None" = None,
) -> "NDArray[np.object_]":
    """Draw the trees of one or several rounds beside each other.

    A leaf tells what it adds to the score of a row, with the learning rate in it. With more than two classes a round
    has a tree for each class. The score of a row is `base_score_` and what its leaf in each tree adds: with `row` its
    ways are marked, and the titles tell what they add.

    Parameters
    ----------
    model : fitted boosted trees
    rounds : int or list of them, default=1
        Counted from 1. All their trees together may be up to twelve.
    row : a row, optional
        Its way is marked in every tree: a list of values, a mapping from names, or a table of one row.
    similarity : bool, default=False
        Tell at each node ``T(G)² / (H + l2)``: a split gains those of its two sides less its own. Of
        GradientBoosting, which goes by it, the mean squared error of the residuals.
    max_depth, rows, missing, feature_names : as in `tree_diagram`
    ax : list of matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    array of matplotlib Axes, one a tree

    Examples
    --------
    >>> from pellucid.boosting import XGBoostRegressor
    >>> model = XGBoostRegressor(n_estimators=2, max_depth=1, learning_rate=1.0)
    >>> model = model.fit([[1], [2], [3], [4]], [1, 2, 10, 12])
    >>> axes = boosting_trees(model, 1, row=[4], similarity=True)
    >>> axes[0].get_title(), [text.get_text() for text in axes[0].texts if "sim" in text.get_text()]
    ('round 1: adds 3.17', ['similarity 0', 'similarity 30.1', 'similarity 30.1'])
    """
    who = "boosting_trees"
    check_boosted(who, model)
    requested, outputs = asked_rounds(who, model, rounds, 1), len(model.base_score_)
    if len(requested) * outputs > MOST_TREES:
        requirement = f"at most {MOST_TREES} trees can be drawn"
        actual = f"{count(len(requested), 'round')} have {len(requested) * outputs}"
        raise ParameterError(format_message(who, requirement, actual=actual, hint="name fewer rounds"))
    indices = [(at, k) for at in requested for k in range(outputs)]
    readings = [_reading(who, model, (at - 1) * outputs + k, similarity, feature_names) for at, k in indices]
    style = Look(rows=rows, impurity=similarity, missing=missing)
    scenes = [
        make_scene(reading, row=row, max_depth=max_depth, orientation="vertical", look=style) for reading in readings
    ]  # fmt: skip
    panels = _side_by_side(scenes) if ax is None else np.array(list(ax), dtype=object)
    if len(panels) != len(scenes):
        raise ParameterError(
            format_message(who, "ax must be one a tree", actual=f"got {len(panels)} for {len(scenes)}")
        )
    for axes, scene, reading, (at, k) in zip(panels, scenes, readings, indices, strict=True):
        of = f", {plain(str(model.classes_[k]))}" if outputs > 1 else ""
        adds = "" if row is None else f": adds {number(_added(reading, row))}"
        draw_scene(axes, scene, f"round {at}{of}{adds}")
    return panels


def _reading(who: str, model: Any, tree: int, similarity: bool, feature_names: Sequence[str] | None) -> Reading:
    """One tree with names; its impurities as they are to be read."""
    nodes = model.forest.tree(tree)
    nodes = replace(nodes, value=nodes.value + 0.0)  # no minus before a zero
    gains = hasattr(model, "l2_regularization")  # what is kept in place of an impurity is minus the similarity over H
    if gains:
        similarities = -nodes.impurity * nodes.weight
        nodes = replace(nodes, impurity=np.where(similarities > DUST * similarities.max(), similarities, 0.0))
    alone = SimpleNamespace(tree_=nodes, schema_=model.schema_, n_features_in_=model.n_features_in_)
    reading = read_tree(who, alone, feature_names)
    # Without a name of an impurity that is a variance no leaf tells a spread.
    return replace(reading, measure=("similarity" if gains else "error") if similarity else "")


def _added(reading: Reading, row: Any) -> float:
    """What the leaf of a row adds to its score."""
    values, _ = row_numbers(reading, row)
    (leaf,) = [node for node in walked(reading.nodes, values) if reading.nodes.n_children[node] == 0]
    return float(reading.values[leaf])


# --------------------------------------------------------------------------------------------------------- importances


def boosting_importances(model: Any, *, n_most: int = 20, ax: "Axes | None" = None) -> "Axes":
    """Draw how much each column does in boosted trees: what its splits gain, and how many they are.

    Both are shares that add up to 1. A column with many splits that gain little is asked to correct details; one with
    few that gain much decides early. Both are learned from the rows fitted:
    `pellucid.inspection.permutation_importance`, drawn by `importance`, tells what a column does for rows held out.

    Parameters
    ----------
    model : fitted boosted trees
    n_most : int, default=20
        Columns to draw, those that gain most; below them it is told how many there are.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from pellucid.boosting import GradientBoostingRegressor
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 8, 9]
    >>> model = GradientBoostingRegressor(n_estimators=1, max_depth=2).fit(X, y)
    >>> ax = boosting_importances(model)  # one split on x0 gains 64 and two on x1 gain 1/2 each
    >>> [round(float(bar.get_width()), 3) for bar in ax.patches]
    [0.985, 0.015, 0.333, 0.667]
    """
    who = "boosting_importances"
    check_boosted(who, model)
    if isinstance(n_most, bool) or not isinstance(n_most, int | np.integer) or n_most < 1:
        raise ParameterError(
            format_message(who, "n_most must be a whole number of at least 1", actual=f"got {short_repr(n_most)}")
        )
    gain, split = model.importances("gain"), model.importances("split")
    order = np.lexsort((-split, -gain))[: int(n_most)]
    if ax is None:
        from matplotlib import pyplot

        ax = pyplot.subplots(figsize=(_style.SIZE[0], 1.3 + 0.42 * len(order)), layout="constrained")[1]
    _style.tidy(ax)
    ax.grid(False, axis="y")
    positions = np.arange(len(order))
    bars = ((gain, -0.2, _style.BLUE, "", "gain of its splits"), (split, 0.2, _style.LIGHT, "///", "number of splits"))
    for shares, moved, color, hatch, label in bars:
        bar_style: dict[str, Any] = {"height": 0.38, "edgecolor": _style.BLUE, "linewidth": 0.8, "zorder": 2}
        ax.barh(positions + moved, shares[order], color=color, hatch=hatch, label=label, **bar_style)
        for k, share in enumerate(shares[order].tolist()):
            value_text = number(share, like=1.0) if share >= 0.005 else "< 0.01" if share > 0 else "0"
            text_style: dict[str, Any] = {"xytext": (4, 0), "textcoords": "offset points", "va": "center"}
            ax.annotate(value_text, (share, k + moved), fontsize=_style.SMALL - 1, **text_style)
    names = names_of(model, None, len(gain)) if hasattr(model, "feature_names_in_") else None
    ax.set_yticks(positions, [plain(names[j]) if names else f"x{j}" for j in order])
    max_share = float(max(gain.max(), split.max())) or 1.0
    some_of = f"; the {len(order)} of {len(gain)} columns that gain most" if len(order) < len(gain) else ""
    ax.set(
        ylim=(len(order) - 0.45, -0.6), xlim=(0, 1.12 * max_share), xlabel=f"share of what all columns have{some_of}"
    )
    legend_above(ax)
    return ax


# -------------------------------------------------------------------------------------------------------------- rounds


def boosting_rounds(
    model: Any,
    X: Any,
    y: Any,
    *,
    rounds: int | Sequence[int] | None = None,
    label: Any = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw what boosted trees of one column answer after the first rounds, over the rows.

    Few rounds make a few low steps around the start; more of them come nearer to the rows, and at last may follow
    single ones. Of a classifier it is the probability of a class, over rows at 1 that are of this class and others at
    0. Steps are drawn where the trees have them.

    Parameters
    ----------
    model : fitted boosted trees of one column of numbers
    X, y : the rows
    rounds : int or list of them, optional
        After how many rounds, up to five; 0 is the start. 1, 5, 20 and the last otherwise.
    label : a class, optional
        Whose probability is drawn; the last one otherwise.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from pellucid.boosting import GradientBoostingRegressor
    >>> X, y = [[1], [2], [3], [4]], [1, 2, 10, 12]
    >>> model = GradientBoostingRegressor(n_estimators=2, learning_rate=0.5, max_depth=1).fit(X, y)
    >>> ax = boosting_rounds(model, X, y)
    >>> [patch.get_data().values.tolist() for patch in ax.patches]
    [[3.875, 8.625], [2.6875, 9.8125]]
    """
    who = "boosting_rounds"
    check_boosted(who, model)
    if model.n_features_in_ != 1:
        requirement = "needs a model of one column"
        raise DataError(
            format_message(
                who, requirement, actual=f"this one has {model.n_features_in_}", hint="partial_dependence draws others"
            )
        )
    last = int(model.n_estimators_)
    requested = asked_rounds(
        who, model, {*(at for at in (1, 5, 20) if at < last), last} if rounds is None else rounds, 0
    )
    if len(requested) > len(GROWING):
        requirement = f"at most {len(GROWING)} rounds can be told apart"
        raise ParameterError(format_message(who, requirement, actual=f"got {len(requested)}"))
    class_index, goal, what = goal_of(who, model, y, label)
    across, up = pair_of(who, "", X, goal)
    low, high = frame_of(across)
    borders = np.array([low, *cuts_of(model, requested[-1], low, high), high])
    d = model._validate_predict(column_like(model, X, (borders[1:] + borders[:-1]) / 2))
    ax = _style.axes() if ax is None else ax
    _style.tidy(ax)
    draw_rows(ax, (across, up), None)
    predictions = [answers_of(model, model._scores(d, at), class_index) for at in requested]
    styles = GROWING[-len(requested) :]
    for at, prediction, (color, line) in zip(requested, predictions, styles, strict=True):
        legend_text = "start" if at == 0 else f"after {count(at, 'round')}"
        style: dict[str, Any] = {"color": color, "linestyle": line, "linewidth": 1.8, "zorder": 3.5}
        ax.stairs(prediction, borders, baseline=None, label=legend_text, **style)
    ax.set(xlim=(low, high), ylim=frame_of(np.concatenate([up, *predictions])))
    ax.set(xlabel=plain(names_of(model, X, 1)[0]), ylabel=what)
    legend_above(ax, columns=3)
    return ax
