"""What is to be known of a tree beside its score: how large it should be, how stable it is, and what it says twice."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Any, Literal

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from pellucid.base.errors import DataError, ParameterError, count, format_message, short_repr
from pellucid.base.randomness import seed_from, uniform
from pellucid.base.types import Array, Floats
from pellucid.data.table import count_rows
from pellucid.models.tree.nodes import TreeNodes
from pellucid.models.tree.prune import without_descendants
from pellucid.tree._held_out import class_parts, judge, question_of, read_fitted, with_nodes
from pellucid.tree._reach import Reach
from pellucid.tree._reading import Reading, read_tree
from pellucid.tree._shapes import branch_shapes, keys_of_tests

__all__ = [
    "Instability",
    "NodeCurve",
    "Repetition",
    "Replication",
    "accuracy_by_nodes",
    "instability",
    "repetition",
    "replication",
]

# ---------------------------------------------------------------------------------------------------------------- size


@dataclass(frozen=True)
class NodeCurve:
    """Scores against the number of nodes.

    n_nodes, n_leaves : of each tree, from the root alone to the whole tree
    train_scores, test_scores : of each, on the rows of the fit and on rows held out
    best_n_nodes : of the tree with the best score on the rows held out, the smallest of equals
    tree : that tree, a pruned copy of the one that was given
    score_name : "accuracy" or "R²"
    """

    n_nodes: Array
    n_leaves: Array
    train_scores: Floats
    test_scores: Floats
    best_n_nodes: int
    tree: Any = field(repr=False)
    score_name: str = "accuracy"


def accuracy_by_nodes(
    tree: Any, X: Any, y: Any, X_val: Any, y_val: Any, *, sample_weight: Any = None, sample_weight_val: Any = None
) -> NodeCurve:
    """The score of a tree of every size, on the rows of the fit and on others: where growing should have stopped.

    Of the nodes that may be split, the one whose split lowers the impurity most, ``w_t i_t - sum w_c i_c``, is split
    next: a tree grown best first, node by node. All sizes come from the one tree that is given, fully grown.

    Parameters
    ----------
    tree : any fitted tree
    X, y, sample_weight : the rows of the fit
    X_val, y_val, sample_weight_val : rows held out

    Returns
    -------
    NodeCurve : the curve, the best number of nodes, and the tree of that size

    Examples
    --------
    >>> from pellucid.tree import DecisionTreeClassifier, accuracy_by_nodes
    >>> X, y = [[1], [2], [3], [4], [5], [6]], ["a", "b", "a", "a", "b", "b"]
    >>> curve = accuracy_by_nodes(DecisionTreeClassifier().fit(X, y), X, y, [[1.8], [2.2], [6]], ["a", "a", "b"])
    >>> curve.n_nodes.tolist(), curve.test_scores.round(2).tolist(), curve.best_n_nodes
    ([1, 3, 5, 7], [0.67, 1.0, 1.0, 0.33], 3)
    """
    who = "accuracy_by_nodes"
    reading = read_fitted(who, tree)
    train, test = judge(reading, X, y, sample_weight), judge(reading, X_val, y_val, sample_weight_val)
    nodes = reading.nodes
    split = _best_first(nodes)
    costs = np.array([train.leaf[0], test.leaf[0]])
    scores, sizes, leaves = [(train.score(costs[0]), test.score(costs[1]))], [1], [1]
    for node in split:
        children = list(nodes.children(node))
        for k, judged in enumerate((train, test)):
            # rows that stop at an inner node cost what it answers, before and after
            costs[k] += judged.leaf[children].sum() + judged.own[node] - judged.leaf[node]
        scores.append((train.score(float(costs[0])), test.score(float(costs[1]))))
        sizes.append(sizes[-1] + len(children))
        leaves.append(leaves[-1] + len(children) - 1)
    val_scores = np.array([score for _, score in scores])
    best = int(np.argmax(val_scores >= val_scores.max() - 1e-12))
    cut, node_ids = without_descendants(nodes, sorted(set(np.flatnonzero(~nodes.is_leaf).tolist()) - set(split[:best])))
    return NodeCurve(
        np.array(sizes),
        np.array(leaves),
        np.array([score for score, _ in scores]),
        val_scores,
        sizes[best],
        with_nodes(tree, cut, node_ids),
        train.score_name,
    )


def _best_first(nodes: TreeNodes) -> list[int]:
    """Inner nodes in the order in which they are split: the one that lowers the impurity most first."""
    mixed = nodes.weight * nodes.impurity
    inside = np.bincount(nodes.parent[1:], weights=mixed[1:], minlength=len(nodes))
    gain = (mixed - inside).tolist()
    waiting, order = ([(-gain[0], 0)] if nodes.n_children[0] else []), []
    while waiting:
        node = heappop(waiting)[1]
        order.append(node)
        for child in nodes.children(node):
            if nodes.n_children[child]:
                heappush(waiting, (-gain[child], child))
    return order


# ----------------------------------------------------------------------------------------------------------- stability


@dataclass(frozen=True)
class Instability:
    """Two trees of the same settings, each fitted to one half of the rows.

    roots : what the root of each asks
    same_root_column : whether both ask the same column there
    n_tests : how many tests each has
    shared_tests : tests, the same to the last digit, that both have
    shared_columns, all_columns : columns that both ask, and that either asks
    agreement : share of all rows that both predict alike; of numbers the correlation of the predictions, NaN where one
        is constant
    trees : the two
    halves : the rows of each
    """

    roots: tuple[str, str]
    same_root_column: bool
    n_tests: tuple[int, int]
    shared_tests: int
    shared_columns: int
    all_columns: int
    agreement: float
    trees: tuple[Any, Any] = field(repr=False)
    halves: tuple[Array, Array] = field(repr=False)


def instability(estimator: Any, X: Any, y: Any, *, random_state: Any = 0) -> Instability:
    """How much of a tree is due to the rows it happened to see: two halves of the rows, two trees, compared.

    A single tree varies greatly: a few other rows may change the root, and with it everything below. Trees that agree
    in what they predict but not in what they ask cannot be read as an explanation; an average of many (a forest) is
    more stable than any of them.

    Parameters
    ----------
    estimator : a tree, fitted or not; its settings are used
    X, y : table and target
    random_state : seed of the draw of the halves; of labels each half gets half the rows of each

    Returns
    -------
    Instability

    Examples
    --------
    >>> from pellucid.tree import DecisionTreeClassifier, instability
    >>> X, y = [[i, i % 3] for i in range(40)], [i >= 20 for i in range(40)]
    >>> found = instability(DecisionTreeClassifier(), X, y)
    >>> found.same_root_column, found.agreement >= 0.9
    (True, True)
    """
    who = "instability"
    rows = count_rows(X, who).n_rows
    target = np.asarray(y)
    if len(target) != rows or rows < 4:
        actual = f"got {count(rows, 'row')} and {count(len(target), 'target')}"
        raise DataError(format_message(who, "needs at least four rows, each with a target", actual=actual))
    halves = _halves(target, hasattr(estimator, "predict_proba"), seed_from(random_state))
    trees = tuple(clone(estimator).fit(_safe_indexing(X, half), _safe_indexing(y, half)) for half in halves)
    readings = [read_tree(who, tree) for tree in trees]
    tests = [Counter(keys_of_tests(reading.nodes, range(len(reading.nodes)))) for reading in readings]
    for test_set in tests:
        test_set.pop(None, None)
    columns = [set(reading.nodes.feature[~reading.nodes.is_leaf].tolist()) for reading in readings]
    predictions = [np.asarray(tree.predict(X)) for tree in trees]
    first = [int(reading.nodes.feature[0]) for reading in readings]
    return Instability(
        (_root(readings[0]), _root(readings[1])),
        first[0] == first[1],
        (tests[0].total(), tests[1].total()),
        (tests[0] & tests[1]).total(),
        len(columns[0] & columns[1]),
        len(columns[0] | columns[1]),
        _agreement(predictions[0], predictions[1], class_parts(trees[0]) is not None),
        (trees[0], trees[1]),
        (halves[0], halves[1]),
    )


def _halves(target: Array, classes: bool, seed: int) -> list[Array]:
    uniforms = uniform(seed, 0, len(target))
    keys = target if target.ndim == 1 else np.array([str(row) for row in target.tolist()])
    group = np.unique(keys, return_inverse=True)[1] if classes else np.zeros(len(target), dtype=int)
    order = np.lexsort((uniforms, group))  # dealt out in turn, so that each half gets half of every group
    return [np.sort(order[0::2]), np.sort(order[1::2])]


def _root(reading: Reading) -> str:
    return question_of(reading, 0) if reading.nodes.n_children[0] else "nothing: a single leaf"


def _agreement(a: Array, b: Array, classes: bool) -> float:
    if classes:
        return float((a.reshape(len(a), -1) == b.reshape(len(b), -1)).all(axis=1).mean())
    a, b = a.ravel() - a.mean(), b.ravel() - b.mean()
    spread = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / spread if spread > 0 else float("nan")


# --------------------------------------------------------------------------------------------------------- what is said


@dataclass(frozen=True)
class Repetition:
    """A column that is asked again on the same way.

    column : its name
    first, again : the numbers of the two nodes, the earlier one being the last before
    tests : what they ask
    redundant : whether the second test can have one answer only
    """

    column: str
    first: int
    again: int
    tests: tuple[str, str]
    redundant: bool


def repetition(tree: Any) -> list[Repetition]:
    """Columns that are asked more than once on the way to a leaf, as numbers often are to narrow a range down.

    Parameters
    ----------
    tree : any fitted tree

    Returns
    -------
    list of Repetition : one for each node whose column was asked above it

    Examples
    --------
    >>> from pellucid.tree import DecisionTreeClassifier, repetition
    >>> tree = DecisionTreeClassifier().fit([[1], [2], [3]], ["a", "b", "a"])
    >>> [(found.column, found.tests, found.redundant) for found in repetition(tree)]
    [('x0', ('x0 <= 1.5', 'x0 <= 2.5'), False)]
    """
    reading = read_tree("repetition", tree)
    nodes, repetitions = reading.nodes, []
    outcomes = Reach(nodes).outcomes()
    last: dict[int, int] = {}
    waiting: list[tuple[int, int, int]] = [(0, -1, -1)]  # node; or on the way back: -1, column, what was last there
    while waiting:
        node, column, before = waiting.pop()
        if node < 0:
            last[column] = before
            continue
        if nodes.n_children[node] == 0:
            continue
        feature = int(nodes.feature[node])
        above = last.get(feature, -1)
        if above >= 0:
            tests = (question_of(reading, above), question_of(reading, node))
            repetitions.append(Repetition(reading.words.names[feature], above, node, tests, len(outcomes[node]) == 1))
        last[feature] = node
        waiting.append((-1, feature, above))
        waiting += [(child, -1, -1) for child in reversed(nodes.children(node))]
    return repetitions


@dataclass(frozen=True)
class Replication:
    """Branches that are the same: the same tests in the same order, with the same answers.

    nodes : where they begin
    test : what the first of their tests asks
    n_tests : how many tests each has
    """

    nodes: tuple[int, ...]
    test: str
    n_tests: int


def replication(tree: Any, *, by: Literal["label", "value"] = "label") -> list[Replication]:
    """Branches that a tree has more than once, because one split cannot say "or".

    ``by="label"``: leaves are the same if they predict the same; ``"value"``: if their classes have the same shares.
    Parts of replicated branches are not listed again. A rule set says such a thing once.

    Parameters
    ----------
    tree : any fitted tree
    by : "label" or "value"

    Returns
    -------
    list of Replication : the largest first
    """
    if by not in ("label", "value"):
        raise ParameterError(
            format_message("replication", "by must be 'label' or 'value'", actual=f"got {short_repr(by)}")
        )
    reading = read_tree("replication", tree)
    nodes = reading.nodes
    shapes = branch_shapes(reading, by == "value")
    groups: dict[int, list[int]] = {}
    for node in np.flatnonzero(~nodes.is_leaf).tolist():
        groups.setdefault(shapes[node], []).append(node)
    replications = []
    tests = _tests_below(nodes)
    for members in groups.values():
        if len(members) > 1 and not _inside_others(nodes, shapes, groups, members):
            replications.append(Replication(tuple(members), question_of(reading, members[0]), tests[members[0]]))
    return sorted(replications, key=lambda group: (-group.n_tests, group.nodes))


def _inside_others(nodes: TreeNodes, shapes: list[int], groups: dict[int, list[int]], members: list[int]) -> bool:
    """Do all of them stand in the same place of larger branches that are replicated?"""
    above = {(shapes[nodes.parent[m]], nodes.branch(m)) if m else None for m in members}
    parent = next(iter(above))
    return len(above) == 1 and parent is not None and len(groups[parent[0]]) == len(members)


def _tests_below(nodes: TreeNodes) -> list[int]:
    n_tests: list[int] = (~nodes.is_leaf).astype(int).tolist()
    for node in range(len(nodes) - 1, 0, -1):
        n_tests[nodes.parent[node]] += n_tests[node]
    return n_tests
