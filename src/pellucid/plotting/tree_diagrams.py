"""Pictures of decision trees as such: nodes, branches, leaves; several beside each other; a table with its tree.

They read a fitted tree's ``tree_`` and the names of its columns, categories and classes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from pellucid.base.errors import DataError, ParameterError, count, format_message, short_repr
from pellucid.models.tree.nodes import NodeTest, TreeNodes
from pellucid.plotting._style import plain
from pellucid.plotting._tree_canvas import draw_scene, tree_axes
from pellucid.tree._cards import Look
from pellucid.tree._reading import Reading, read_tree
from pellucid.tree._scene import Scene, make_scene

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

__all__ = ["pruning_sequence", "tree_diagram"]

MOST_TREES = 12


def tree_diagram(
    tree: Any,
    X: Any = None,
    y: Any = None,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | bool | None = None,
    target: int = 0,
    row: Any = None,
    max_depth: int | None = None,
    orientation: Literal["auto", "vertical", "horizontal"] = "auto",
    rows: bool = True,
    impurity: bool = False,
    node_ids: bool = False,
    bars: bool = True,
    missing: bool = False,
    digits: int | None = None,
    max_length: int = 24,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw a decision tree: a box for each node with the column it asks, and the answers on the branches.

    A leaf has the color of its class, stronger the surer it is, its name, how many of its rows are of that class, and
    a bar of all classes. A leaf of numbers has their mean, and is darker the larger it is. With X and y the rows are
    those given, of test data for instance: leaves tell how many they answer rightly, or show a box plot with the mean
    as a dot. A new figure is as large as the tree needs to be read; `pellucid.tree.export_svg` makes the same picture
    without matplotlib.

    Parameters
    ----------
    tree : fitted decision tree, or its `TreeNodes`
    X, y : table and target, optional
        Rows to be counted at the nodes instead of those that `fit` saw.
    feature_names : names of the columns, optional
        Those of the table that `fit` saw otherwise, or x0, x1, ...
    class_names : names of the classes, in their order, optional
    target : int, default=0
        Which target, where there are several.
    row : a row, optional
        Its way is marked, with its values, and the rest of the tree is pale: a list of values, a mapping from names, a
        table of one row, or a position in X.
    max_depth : int, optional
        Nodes deeper than this are left out; where, and how many, is told.
    orientation : {"auto", "vertical", "horizontal"}, default="auto"
        The way it grows: downwards or to the right; "auto" takes what needs less room.
    rows, impurity, node_ids, bars : bool
        What nodes show: the number of rows, the impurity, their number, bars of classes (or box plots).
    missing : bool, default=False
        Tell on the branches which one a missing value takes.
    digits : int, optional
        Figures of a number; otherwise as many as tell the limits of each column apart, at least four.
    max_length : int, default=24
        Characters of a name or a set of categories before it is cut.
    ax : matplotlib Axes, optional
        Where to draw: the tree is made to fit, letters and all. A new figure of the right size otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> nodes = TreeNodes(
    ...     parent=np.array([-1, 0, 0]), first_child=np.array([1, -1, -1]), n_children=np.array([2, 0, 0]),
    ...     feature=np.array([0, -1, -1]), test=np.array([1, 0, 0]), missing_child=np.array([0, 0, 0]),
    ...     threshold=np.array([2.5, np.nan, np.nan]), n_rows=np.array([5, 1, 4]), weight=np.array([5.0, 1, 4]),
    ...     impurity=np.array([0.48, 0, 0.375]), value=np.array([[2.0, 3], [1, 0], [1, 3]]),
    ... )
    >>> ax = tree_diagram(nodes, feature_names=["hours"], class_names=["fail", "pass"])
    >>> [text.get_text() for text in ax.texts]
    ['fail', 'pass', '≤ 2.5', '> 2.5', 'hours', '5 rows', 'fail', '1 row', 'pass', '3 of 4']
    """
    reading = read_tree("tree_diagram", tree, feature_names, class_names, target, digits)
    options = Look(False, rows, impurity, node_ids, bars, missing, max_length)
    scene = make_scene(
        reading, X=X, y=y, target=target, row=row, max_depth=max_depth, orientation=orientation, look=options
    )
    ax = tree_axes(scene) if ax is None else ax
    draw_scene(ax, scene)
    return ax


def pruning_sequence(
    trees: Sequence[Any],
    scores: Sequence[float] | None = None,
    *,
    names: Sequence[str] | None = None,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | bool | None = None,
    max_depth: int | None = None,
    rows: bool = True,
    ax: "Sequence[Axes] | None" = None,
) -> "NDArray[np.object_]":
    """Draw the trees of a pruning sequence beside each other, with what each lost and how well each does.

    Marked in each tree are the nodes that the next one no longer has as they are: the subtree that was replaced. A star
    stands before the best score, of equals the one of the smallest tree. Two trees show one step: before and after.

    Parameters
    ----------
    trees : list of fitted trees, two to twelve, in their order
        `TreeNodes`, or what the functions that prune give, will do as well.
    scores : list of numbers, optional
        Accuracy of each on rows held out; more is better.
    names : list of str, optional
        What each is called; 1, 2, ... otherwise.
    feature_names, class_names, max_depth, rows : as in `tree_diagram`
    ax : list of matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    array of matplotlib Axes

    Examples
    --------
    >>> def tree(*n_children):
    ...     one, m = np.array, len(n_children)
    ...     return TreeNodes(
    ...         parent=one([-1] + [0] * (m - 1)), first_child=one([1 if n else -1 for n in n_children]),
    ...         n_children=one(n_children), feature=one([0 if n else -1 for n in n_children]),
    ...         test=one([1 if n else 0 for n in n_children]), missing_child=one([0] * m),
    ...         threshold=one([2.5] * m), n_rows=one([4, 1, 3][:m]), weight=one([4.0, 1, 3][:m]),
    ...         impurity=one([0.0] * m), value=one([[1.0, 3], [1, 0], [0, 3]][:m]),
    ...     )
    >>> axes = pruning_sequence([tree(2, 0, 0), tree(0)], scores=[0.8, 0.9], feature_names=["hours"])
    >>> [ax.get_title() for ax in axes]
    ['1: 3 nodes, 0.8', '2: 1 node, ★ 0.9']
    """
    who = "pruning_sequence"
    if not isinstance(trees, Iterable):
        hint = "pruned.tree is one; tree_diagram draws a single tree"
        raise ParameterError(
            format_message(who, "trees must be a list of fitted trees", actual=f"got {short_repr(trees)}", hint=hint)
        )
    fitted = [getattr(tree, "tree", tree) for tree in trees]
    if not 2 <= len(fitted) <= MOST_TREES:
        hint = "draw the trees around the best score" if len(fitted) > MOST_TREES else "tree_diagram draws one"
        raise ParameterError(
            format_message(who, f"two to {MOST_TREES} trees can be drawn", actual=f"got {len(fitted)}", hint=hint)
        )
    readings = [read_tree(who, tree, feature_names, class_names) for tree in fitted]
    test_scores = _scores(who, scores, len(fitted))
    called = [str(k + 1) for k in range(len(fitted))] if names is None else [str(name) for name in names]
    if len(called) != len(fitted):
        raise ParameterError(
            format_message(who, "names must be one a tree", actual=f"got {len(called)} for {len(fitted)}")
        )
    marks = [_lost(a.nodes, b.nodes) for a, b in pairwise(readings)] + [frozenset()]
    scenes = [
        make_scene(reading, max_depth=max_depth, orientation="vertical", look=Look(rows=rows), marks=mark)
        for reading, mark in zip(readings, marks, strict=True)
    ]
    # One legend is enough, but its room keeps the roots on one line.
    scenes = [replace(scene, swatches=(), words=()) if k else scene for k, scene in enumerate(scenes)]
    axes_array = _side_by_side(scenes) if ax is None else np.array(list(ax), dtype=object)
    if len(axes_array) != len(fitted):
        raise ParameterError(
            format_message(who, "ax must be one a tree", actual=f"got {len(axes_array)} for {len(fitted)}")
        )
    best = None if test_scores is None else _best(test_scores, readings)
    for k, (axes, scene) in enumerate(zip(axes_array, scenes, strict=True)):
        score = "" if test_scores is None else f", {'★ ' if k == best else ''}{test_scores[k]:.4g}"
        title = f"{plain(called[k])}: {count(len(readings[k].nodes), 'node')}{score}"
        draw_scene(axes, scene, title)
    return axes_array


def _scores(who: str, scores: Sequence[float] | None, n_trees: int) -> "NDArray[np.float64] | None":
    if scores is None:
        return None
    try:
        values = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(format_message(who, "scores must hold numbers", actual=f"got {short_repr(scores)}")) from None
    if values.shape != (n_trees,) or not np.isfinite(values).all():
        raise DataError(
            format_message(
                who, "scores must be one finite number a tree", actual=f"got {short_repr(scores)} for {n_trees}"
            )
        )
    return values


def _best(test_scores: "NDArray[np.float64]", readings: list[Reading]) -> int:
    return min(range(len(test_scores)), key=lambda k: (-test_scores[k], len(readings[k].nodes)))


def _lost(before: TreeNodes, after: TreeNodes) -> frozenset[int]:
    """Nodes of a tree, walked together with its successor from the root, that are not there as they were."""
    lost: set[int] = set()
    waiting = [(0, 0)]
    while waiting:
        old, new = waiting.pop()
        if _same_test(before, old, after, new):
            waiting.extend(zip(before.children(old), after.children(new), strict=True))
            continue
        below = [old]
        for node in below:  # grows while it is read
            below.extend(before.children(node))
        lost.update(below)
    return frozenset(lost)


def _same_test(before: TreeNodes, old: int, after: TreeNodes, new: int) -> bool:
    """Do two nodes ask the same?"""
    for name in ("n_children", "feature", "test"):
        if getattr(before, name)[old] != getattr(after, name)[new]:
            return False
    test = NodeTest(int(before.test[old]))
    if test in (NodeTest.AT_MOST, NodeTest.BELOW):
        return bool(before.threshold[old] == after.threshold[new])
    if test is NodeTest.INTERVALS:
        return np.array_equal(before.cuts_of(old), after.cuts_of(new))
    branches = range(int(before.n_children[old]))  # none of a leaf
    return all(before.codes_of(old, k) == after.codes_of(new, k) for k in branches)


def _side_by_side(scenes: list[Scene]) -> "NDArray[np.object_]":
    """Axes in rows of at most about 20 inches, each as large as its tree."""
    from matplotlib import pyplot

    spacing, title, max_width = 22.0, 26.0, 1440.0
    rows: list[list[int]] = [[]]
    for k, scene in enumerate(scenes):
        if rows[-1] and sum(scenes[i].width + spacing for i in rows[-1]) + scene.width > max_width:
            rows.append([])
        rows[-1].append(k)
    width = max(sum(scenes[i].width for i in row) + spacing * (len(row) - 1) for row in rows)
    heights = [max(scenes[i].height for i in row) + title for row in rows]
    figure = pyplot.figure(figsize=(width / 72, sum(heights) / 72))
    axes: list[Any] = []
    top = sum(heights)
    for row, height in zip(rows, heights, strict=True):
        left = 0.0
        for i in row:
            size = scenes[i].width, scenes[i].height
            bottom = top - title - size[1]
            axes.append(figure.add_axes((left / width, bottom / sum(heights), size[0] / width, size[1] / sum(heights))))
            left += size[0] + spacing
        top -= height
    return np.array(axes, dtype=object)
