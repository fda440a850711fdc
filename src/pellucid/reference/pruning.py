"""Pruning of decision trees in plain steps, on trees written out as nested dictionaries.

A node is ``{"asks": (column, threshold), "branches": [left, right], "label": what it would answer as a leaf}``, a leaf
``{"label": ...}``; rows with a value of at most the threshold go left.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

Tree = dict[str, Any]
Change = TypeVar("Change")


@dataclass(frozen=True)
class Tried:
    """A removal, the score without it and with it, and whether it was kept."""

    removal: Any
    before: float
    after: float
    accepted: bool


def keep_what_helps(
    score: Callable[[tuple[Change, ...]], float], removals: Sequence[Change], allow_equal: bool = False
) -> list[Tried]:
    """Try removals one after the other: each stays if the score rises (or does not fall), else it is taken back.

    score : of the tree without what is listed
    """
    kept: tuple[Change, ...] = ()
    tried = []
    for removal in removals:
        before, after = score(kept), score((*kept, removal))
        accepted = after > before or (allow_equal and after == before)
        tried.append(Tried(removal, before, after, accepted))
        kept = (*kept, removal) if accepted else kept
    return tried


def most_frequent(labels: Sequence[str]) -> str:
    """The label that most have; of equals the first in order."""
    counts = Counter(labels)
    return min(counts, key=lambda label: (-counts[label], label))


def greedy_path(paths: dict[str, Sequence[float]]) -> str:
    """The path whose first step is the shortest: what one sees who looks one step ahead."""
    return min(paths, key=lambda name: paths[name][0])


def shortest_path(paths: dict[str, Sequence[float]]) -> str:
    """The path with the least sum of steps."""
    return min(paths, key=lambda name: sum(paths[name]))


# ----------------------------------------------------------------------------------------------------------- on a tree


def predict(tree: Tree, row: Sequence[float]) -> Any:
    """From the root to a leaf."""
    while "branches" in tree:
        column, threshold = tree["asks"]
        tree = tree["branches"][0 if row[column] <= threshold else 1]
    return tree["label"]


def accuracy(tree: Tree, X: Sequence[Sequence[float]], y: Sequence[Any]) -> float:
    """Share of rows that are predicted right."""
    return sum(bool(predict(tree, row) == label) for row, label in zip(X, y, strict=True)) / len(y)


def inner_places(tree: Tree, place: tuple[int, ...] = ()) -> list[tuple[int, ...]]:
    """Where nodes with a test stand, as the branches that lead there: children before parents."""
    if "branches" not in tree:
        return []
    found = [p for i, branch in enumerate(tree["branches"]) for p in inner_places(branch, (*place, i))]
    return [*found, place]


def without(tree: Tree, place: tuple[int, ...]) -> Tree:
    """A copy in which the node at a place is a leaf."""
    pruned = copy.deepcopy(tree)
    node = pruned
    for branch in place:
        node = node["branches"][branch]
    node.pop("branches"), node.pop("asks")
    return pruned


def best_first(tree: Tree, X: Sequence[Sequence[float]], y: Sequence[Any], allow_equal: bool = False) -> Tree:
    """Reduced-error pruning: the removal that helps most, again and again, until none helps."""
    while places := inner_places(tree):
        now = accuracy(tree, X, y)
        ordered = sorted(places, key=lambda place: (len(place), place))
        best = max(ordered, key=lambda place: accuracy(without(tree, place), X, y))  # nearest to the root of equals
        then = accuracy(without(tree, best), X, y)
        if not (then > now or (allow_equal and then == now)):
            break
        tree = without(tree, best)
    return tree


def bottom_up(tree: Tree, X: Sequence[Sequence[float]], y: Sequence[Any], allow_equal: bool = True) -> Tree:
    """Reduced-error pruning by Quinlan (1987): every node once, children before parents."""
    for place in inner_places(tree):
        now, then = accuracy(tree, X, y), accuracy(without(tree, place), X, y)
        if then > now or (allow_equal and then == now):
            tree = without(tree, place)
    return tree
