"""Smaller trees that predict as well or better: pruning of any fitted tree, with every decision on record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, Literal

import numpy as np

from pellucid.base.errors import ParameterError, count, format_message, short_repr
from pellucid.base.types import Array, Floats
from pellucid.models.tree.cost_complexity import pruning_path
from pellucid.models.tree.nodes import TreeNodes
from pellucid.models.tree.prune import below, without_descendants
from pellucid.tree._held_out import (
    Judged,
    answered_classes,
    class_parts,
    judge,
    question_of,
    read_fitted,
    upward,
    with_nodes,
)
from pellucid.tree._reading import Reading

__all__ = [
    "LeafReplacement",
    "Pruned",
    "PruningStep",
    "Replaced",
    "cost_complexity_pruning",
    "majority_leaf_pruning",
    "reduced_error_pruning",
]

# Costs of numbers that differ by less are equal: their sums are taken in different orders.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class PruningStep:
    """A node that was tried as a leaf.

    node : its number in the tree that was given
    test : what it asks
    n_removed : nodes below it
    cost_below, cost_as_leaf : weight of the rows held out that the tree below it, or the node as a leaf, gets wrong; of
        numbers the squared errors, over the squares around the mean; NaN without rows held out
    before, after : score on the rows held out with and without what is below it, all else being as it is by then
    accepted : whether it became a leaf
    alpha : strength of cost-complexity pruning from which on it is one; None for other rules
    """

    node: int
    test: str
    n_removed: int
    cost_below: float
    cost_as_leaf: float
    before: float
    after: float
    accepted: bool
    alpha: float | None = None


@dataclass(frozen=True)
class Pruned:
    """A pruned copy of a tree, and how it came about.

    tree : the copy; the tree that was given is as it was
    steps : every decision, in order
    score_before, score : on the rows held out, of the tree that was given and of the copy; NaN without such rows
    score_name : what the score is
    weight : of the rows held out; of numbers the number of targets: what costs are shares of
    """

    tree: Any
    steps: tuple[PruningStep, ...]
    score_before: float
    score: float
    score_name: str
    weight: float = float("nan")

    @property
    def removed(self) -> tuple[int, ...]:
        """Numbers, in the tree that was given, of the nodes that became leaves."""
        return tuple(step.node for step in self.steps if step.accepted)


def reduced_error_pruning(
    tree: Any,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    order: Literal["best_first", "bottom_up"] | Sequence[int] = "best_first",
    keep_if: Literal["better", "not_worse"] = "better",
) -> Pruned:
    """Prune a tree by rows it was not grown on: a test goes if the tree is better (or no worse) without it.

    A node that becomes a leaf answers with what its own rows of the fit say. Let e(t) be the weight of the rows held
    out that node t would get wrong as a leaf, and E(t) the weight of those that the tree below t gets wrong; without
    what is below t the tree gets ``E(t) - e(t)`` more of them right. Of a regression tree, e and E are squared errors.

    order : ``"best_first"`` tries at each turn the node that gains most, of equals the one nearest to the root, until
    none helps. ``"bottom_up"`` (Quinlan, 1987) visits every node once, children before parents. A list of node numbers
    is tried in its order, each once.

    Parameters
    ----------
    tree : any fitted tree
    X, y, sample_weight : rows held out, their target and weights
    order : "best_first", "bottom_up", or numbers of nodes
    keep_if : "better" or "not_worse"
        Does a removal have to raise the score, or is it enough not to lower it?

    Returns
    -------
    Pruned : the copy, every decision, and the scores before and after

    Examples
    --------
    Row 3 of the fit is an error, and the tree learns it by heart: two more tests. Rows held out tell.

    >>> from pellucid.tree import DecisionTreeClassifier, reduced_error_pruning
    >>> tree = DecisionTreeClassifier().fit([[1], [2], [3], [4], [5], [6]], ["a", "b", "a", "a", "b", "b"])
    >>> pruned = reduced_error_pruning(tree, [[1.8], [2.2], [4], [6]], ["a", "a", "a", "b"])
    >>> pruned.score_before, pruned.score, pruned.tree.get_n_leaves()
    (0.5, 1.0, 2)
    """
    who = "reduced_error_pruning"
    _check_words(who, order, keep_if)
    reading = read_fitted(who, tree)
    judged = judge(reading, X, y, sample_weight)
    trial = _Trial(reading, judged, allow_equal=keep_if == "not_worse")
    if isinstance(order, str):
        steps = list(trial.best_first() if order == "best_first" else trial.from_below())
    else:
        steps = list(trial.in_turn(_listed(who, reading, order)))
    nodes, node_ids = without_descendants(reading.nodes, [step.node for step in steps if step.accepted])
    before = judged.score(float(upward(reading.nodes, judged.own)[0]))
    return Pruned(with_nodes(tree, nodes, node_ids), tuple(steps), before, trial.score, judged.score_name, judged.whole)


def _check_words(who: str, order: Any, keep_if: Any) -> None:
    if isinstance(order, str) and order not in ("best_first", "bottom_up"):
        requirement = "order must be 'best_first', 'bottom_up' or a list of nodes"
        raise ParameterError(format_message(who, requirement, actual=f"got {order!r}"))
    if keep_if not in ("better", "not_worse"):
        raise ParameterError(
            format_message(who, "keep_if must be 'better' or 'not_worse'", actual=f"got {short_repr(keep_if)}")
        )


def _listed(who: str, reading: Reading, selection: Any) -> list[int]:
    """Numbers of nodes that have a test."""
    node_list = [selection] if isinstance(selection, int | np.integer) else list(selection)
    inner = set(np.flatnonzero(~reading.nodes.is_leaf).tolist())
    for node in node_list:
        if isinstance(node, bool) or not isinstance(node, int | np.integer) or int(node) not in inner:
            requirement = f"nodes must be numbers of nodes that have a test, of {count(len(reading.nodes), 'node')}"
            raise ParameterError(format_message(who, requirement, actual=f"got {short_repr(node)}"))
    return [int(node) for node in node_list]


class _Trial:
    """A tree while it is pruned: what the rows held out cost below each node, and which nodes are leaves by now."""

    def __init__(self, reading: Reading, judged: Judged, allow_equal: bool) -> None:
        self.reading, self.nodes, self.judged, self.allow_equal = reading, reading.nodes, judged, allow_equal
        self.below: Floats = upward(self.nodes, judged.own)
        self.cost = float(self.below[0])  # of the whole tree
        self.inner = ~self.nodes.is_leaf
        self.size: Array = upward(self.nodes, np.ones(len(self.nodes)))
        self.slack = _ROUNDING * judged.whole if judged.score_name != "accuracy" else 0.0

    @property
    def score(self) -> float:
        return self.judged.score(self.cost)

    def best_first(self) -> Iterator[PruningStep]:
        """The node that gains most; the first of equals; until there is none that may go."""
        while self.inner.any():
            gain = np.where(self.inner, self.below - self.judged.leaf, -np.inf)
            node = int(np.argmax(gain >= gain.max() - self.slack))
            step = self._try(node)
            yield step
            if not step.accepted:
                return
            self._cut(step)

    def in_turn(self, order: list[int]) -> Iterator[PruningStep]:
        for node in order:
            if self.inner[node]:  # it may be gone with a node above it
                step = self._try(node)
                yield step
                if step.accepted:
                    self._cut(step)

    def from_below(self) -> Iterator[PruningStep]:
        """Children before parents. A node hears what was saved below it when its turn comes: no way is walked."""
        saved, removed = np.zeros(len(self.nodes)), np.zeros(len(self.nodes))
        for node in range(len(self.nodes) - 1, -1, -1):
            if not self.inner[node]:
                continue
            self.below[node] -= saved[node]
            self.size[node] -= removed[node]
            step = self._try(node)
            yield step
            if step.accepted:
                saved[node] += step.cost_below - step.cost_as_leaf
                removed[node] += step.n_removed
            if node:
                saved[self.nodes.parent[node]] += saved[node]
                removed[self.nodes.parent[node]] += removed[node]

    def _try(self, node: int) -> PruningStep:
        costs = float(self.below[node]), float(self.judged.leaf[node])
        gain = costs[0] - costs[1]
        before, n_removed = self.score, int(self.size[node]) - 1
        accepted = gain > self.slack or (self.allow_equal and gain >= -self.slack)
        after = self.judged.score(self.cost - gain)
        if accepted:
            self.cost -= gain
        return PruningStep(node, question_of(self.reading, node), n_removed, *costs, before, after, accepted)

    def _cut(self, step: PruningStep) -> None:
        """A node becomes a leaf: nothing below it is left to be tried, and all above it hear of it."""
        removed = [step.node]
        for node in removed:  # grows while it is read
            self.inner[node] = False
            removed.extend(child for child in self.nodes.children(node) if self.inner[child])
        ancestors = self.nodes.way(step.node)
        self.below[ancestors] -= step.cost_below - step.cost_as_leaf
        self.size[ancestors] -= step.n_removed


# ------------------------------------------------------------------------------------------------- most frequent answer


@dataclass(frozen=True)
class LeafReplacement:
    """A branch that became one leaf.

    node : its number in the tree that was given
    test : what it asked
    counts : how many leaves below it, or rows of the fit, answer with each label; of numbers the answers themselves
    answer : what the leaf answers with
    """

    node: int
    test: str
    counts: dict[Any, float]
    answer: Any


@dataclass(frozen=True)
class Replaced:
    """A copy of a tree with branches replaced by leaves, and what was counted."""

    tree: Any
    steps: tuple[LeafReplacement, ...]


def majority_leaf_pruning(
    tree: Any, node: int | Sequence[int], *, count_of: Literal["leaves", "rows"] = "leaves"
) -> Replaced:
    """Replace branches of a tree by one leaf each, with the label that most leaves of the branch have.

    The leaves below a node are counted, whatever their size (``count_of="leaves"``), or the rows of the fit, by weight
    (``"rows"``), which is what the node itself would answer. Of equal counts the first label wins. A leaf of numbers
    answers with the mean of the leaves' answers, or of the rows.

    Parameters
    ----------
    tree : any fitted tree
    node : number of a node that has a test, or several
    count_of : "leaves" or "rows"

    Returns
    -------
    Replaced : the copy, and the counts

    Examples
    --------
    Below the second test are leaves "c", "a" and "c".

    >>> from pellucid.tree import DecisionTreeClassifier, majority_leaf_pruning
    >>> tree = DecisionTreeClassifier().fit([[1], [2], [3], [4]], ["b", "c", "a", "c"])
    >>> replaced = majority_leaf_pruning(tree, 2)
    >>> replaced.steps[0].counts, replaced.steps[0].answer
    ({'a': 1.0, 'c': 2.0}, 'c')
    """
    who = "majority_leaf_pruning"
    if count_of not in ("leaves", "rows"):
        raise ParameterError(
            format_message(who, "count_of must be 'leaves' or 'rows'", actual=f"got {short_repr(count_of)}")
        )
    reading = read_fitted(who, tree)
    node_ids = _listed(who, reading, node)
    value = np.array(reading.nodes.value, dtype=np.float64)
    steps = []
    for leaf in node_ids:
        counts, value[leaf], label = _replacement(reading, leaf, count_of == "leaves")
        steps.append(LeafReplacement(leaf, question_of(reading, leaf), counts, label))
    nodes, old_ids = without_descendants(replace(reading.nodes, value=value), node_ids)
    return Replaced(with_nodes(tree, nodes, old_ids), tuple(steps))


def _replacement(reading: Reading, node: int, leaves: bool) -> tuple[dict[Any, float], Floats, Any]:
    """What there is to count, the value of the new leaf, and its answer."""
    nodes, model = reading.nodes, reading.model
    under = np.flatnonzero(below(nodes, [node]) & nodes.is_leaf)
    label_sets = class_parts(model)
    if label_sets is None:
        value = nodes.value[under].mean(axis=0) if leaves else nodes.value[node]
        predicted = value.tolist()[0] if len(value) == 1 else value.tolist()
        counted = nodes.value[under, 0].tolist() if leaves else [predicted]
        return {v: float(counted.count(v)) for v in counted}, value, predicted
    if leaves:
        value = _leaf_shares(nodes, answered_classes(model, nodes)[under], label_sets) * nodes.weight[node]
    else:
        value = nodes.value[node]
    counts: dict[Any, float] = {}
    target_labels, start = [], 0
    for names in label_sets:
        target_value = value[start : start + len(names)]
        target_labels.append(names.tolist()[int(target_value.argmax())])
        scaled = target_value * (len(under) / target_value.sum() if leaves and target_value.sum() > 0 else 1.0)
        counts |= {label: float(round(n, 9)) for label, n in zip(names.tolist(), scaled.tolist(), strict=True) if n > 0}
        start += len(names)
    return counts, value, target_labels[0] if len(target_labels) == 1 else target_labels


def _leaf_shares(nodes: TreeNodes, codes: Array, label_sets: list[Array]) -> Floats:
    """Share of the leaves that answer with each class, of all targets side by side."""
    columns = [np.bincount(codes[:, k], minlength=len(labels)) / len(codes) for k, labels in enumerate(label_sets)]
    return np.concatenate(columns)


# ------------------------------------------------------------------------------------------------------ cost complexity


def cost_complexity_pruning(
    tree: Any, alpha: float | None = None, X: Any = None, y: Any = None, *, sample_weight: Any = None
) -> Pruned:
    """Prune a tree by what a leaf costs: of all its pruned forms the one with the least ``R(T) + alpha |leaves|``.

    ``R(T)`` is the impurity of the leaves, weighted by their shares of the rows. The best trees for rising alpha are
    nested: each time the weakest link goes, the node t with the least ``(R(t) - R(T_t)) / (leaves of T_t - 1)``, T_t
    being what is below it (Breiman and others, 1984). With rows held out and no alpha, the tree of the best score on
    them is taken, of equals the smallest.

    Parameters
    ----------
    tree : any fitted tree
    alpha : number of zero or more, optional
        What a leaf costs.
    X, y, sample_weight : rows held out, their target and weights; needed where there is no alpha

    Returns
    -------
    Pruned : the copy; all links in their order with alpha and scores, of which those up to the chosen one are accepted

    Examples
    --------
    >>> from pellucid.tree import DecisionTreeClassifier, cost_complexity_pruning
    >>> tree = DecisionTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "a", "b"])
    >>> cost_complexity_pruning(tree, 0.5).tree.get_n_leaves()
    1
    """
    who = "cost_complexity_pruning"
    if (alpha is None) == (X is None) or (X is None) != (y is None):
        requirement = "needs alpha, or rows held out with their target to choose it by"
        supplied = [name for name, value in (("alpha", alpha), ("X", X), ("y", y)) if value is not None]
        raise ParameterError(format_message(who, requirement, actual=f"got {', '.join(supplied) or 'neither'}"))
    if alpha is not None and (isinstance(alpha, bool) or not isinstance(alpha, Real) or not alpha >= 0):
        raise ParameterError(
            format_message(who, "alpha must be a number of at least 0", actual=f"got {short_repr(alpha)}")
        )
    reading = read_fitted(who, tree)
    path = pruning_path(reading.nodes)
    judged = None if X is None else judge(reading, X, y, sample_weight)
    scores, steps = _on_path(reading, path.nodes.tolist(), judged)
    if alpha is None:
        best = len(scores) - 1 - int(np.argmax(scores[::-1] >= scores.max() - _ROUNDING))
    else:
        best = int((path.alphas[1:] <= alpha).sum())
    steps = [replace(step, accepted=i < best, alpha=float(path.alphas[i + 1])) for i, step in enumerate(steps)]
    nodes, old_ids = without_descendants(reading.nodes, path.nodes[:best].tolist())
    name, total = ("", float("nan")) if judged is None else (judged.score_name, judged.whole)
    copy = with_nodes(tree, nodes, old_ids)
    return Pruned(copy, tuple(steps), float(scores[0]), float(scores[best]), name, total)


def _on_path(reading: Reading, links: list[int], judged: Judged | None) -> tuple[Floats, list[PruningStep]]:
    """The score of each tree of the path, and the steps between them; NaN without rows held out."""
    nodes = reading.nodes
    size = upward(nodes, np.ones(len(nodes)))
    nothing = np.full(len(nodes), np.nan)
    cost, leaf = (nothing, nothing) if judged is None else (upward(nodes, judged.own), judged.leaf)

    def score() -> float:
        return float("nan") if judged is None else judged.score(float(cost[0]))

    scores, steps = [score()], []
    for node in links:
        removed, below_it, as_leaf = int(size[node]) - 1, float(cost[node]), float(leaf[node])
        for above in nodes.way(node):
            size[above] -= removed
            if judged is not None:
                cost[above] -= below_it - as_leaf
        scores.append(score())
        words = question_of(reading, node)
        steps.append(PruningStep(node, words, removed, below_it, as_leaf, scores[-2], scores[-1], accepted=False))
    return np.array(scores), steps
