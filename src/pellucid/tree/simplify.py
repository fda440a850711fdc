"""Trees without the tests that change nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from pellucid.base.errors import ParameterError, format_message, short_repr
from pellucid.base.types import Array
from pellucid.models.tree.nodes import SHARE, STOP, TreeNodes
from pellucid.models.tree.prune import rebuilt
from pellucid.tree._held_out import class_parts, question_of, read_fitted, with_nodes
from pellucid.tree._reach import Reach
from pellucid.tree._reading import Reading
from pellucid.tree._shapes import comparable_answers, keys_of_tests

__all__ = ["Simplification", "Simplified", "simplified"]


@dataclass(frozen=True)
class Simplification:
    """A test that went because it changed nothing.

    node : its number in the tree that was given
    test : what it asked
    why : "one answer": tests above leave it one answer only; "same below": all branches are the same
    """

    node: int
    test: str
    why: str


@dataclass(frozen=True)
class Simplified:
    """A copy of a tree without tests that change nothing, and which these were."""

    tree: Any
    steps: tuple[Simplification, ...]


def simplified(tree: Any, *, keep: Literal["predictions", "values"] = "predictions") -> Simplified:
    """Remove the tests that change nothing: every row is predicted as before.

    A test goes if tests above it leave it one answer only, or if what is below its branches is the same.
    ``keep="predictions"``: leaves are the same if they predict the same label, though with other probabilities;
    ``"values"``: only if the classes have the same shares in them. Trees that share rows with missing values out
    among branches keep their values in any case, since predictions are mixtures of them.

    Parameters
    ----------
    tree : any fitted tree
    keep : "predictions" or "values"

    Returns
    -------
    Simplified : the copy, and the tests that went

    Examples
    --------
    The second test parts rows of "a" from others, of which more are "a" as well.

    >>> from pellucid.tree import DecisionTreeClassifier, simplified
    >>> X, y = [[0, 0], [0, 1], [0, 1], [0, 1], [1, 0], [1, 1]], ["a", "a", "a", "b", "b", "b"]
    >>> tree = DecisionTreeClassifier().fit(X, y)
    >>> tree.get_n_leaves(), simplified(tree).tree.get_n_leaves()
    (3, 2)
    """
    who = "simplified"
    if keep not in ("predictions", "values"):
        raise ParameterError(
            format_message(who, "keep must be 'predictions' or 'values'", actual=f"got {short_repr(keep)}")
        )
    reading = read_fitted(who, tree)
    shares = bool(np.any((reading.nodes.missing_child == SHARE) & ~reading.nodes.is_leaf))
    work = _Simplifying(reading, by_value=keep == "values" or shares, merge=not shares)
    work.run()
    nodes, node_ids = work.result()
    return Simplified(with_nodes(tree, nodes, node_ids), tuple(work.steps))


class _Simplifying:
    """The tree as lists that can be changed: who is below a node, whose test it asks, what is said of it."""

    def __init__(self, reading: Reading, by_value: bool, merge: bool) -> None:
        nodes = reading.nodes
        self.reading, self.nodes, self.merge = reading, nodes, merge
        self.children = [list(nodes.children(node)) for node in range(len(nodes))]
        self.asks = list(range(len(nodes)))
        self.rows, self.weight = nodes.n_rows.tolist(), nodes.weight.tolist()
        self.value = np.array(nodes.value, dtype=np.float64)
        self.classes = class_parts(reading.model) is not None
        self.answers = comparable_answers(reading, by_value)
        self.keys = keys_of_tests(nodes, range(len(nodes)))
        self.numbers: dict[Any, int] = {}
        self.shapes = [0] * len(nodes)
        self.steps: list[Simplification] = []

    def run(self) -> None:
        outcomes = Reach(self.nodes).outcomes()
        for node in range(len(self.nodes) - 1, -1, -1):  # children before parents
            if self.children[node]:
                self._look(node, outcomes[node])
            self.shapes[node] = self.numbers.setdefault(self._shape(node), len(self.numbers))

    def _shape(self, node: int) -> Any:
        if not self.children[node]:
            return ("leaf", self.answers[node])
        source = self.asks[node]
        own_label = self.answers[node] if self.nodes.missing_child[source] == STOP else None
        return (self.keys[source], own_label, tuple(self.shapes[child] for child in self.children[node]))

    def _look(self, node: int, outcomes: frozenset[int]) -> None:
        below = self.children[node]
        if len(outcomes) == 1 and STOP not in outcomes:
            self._note(node, "one answer")
            self._adopt(node, below[next(iter(outcomes))])
        elif len({self.shapes[child] for child in below}) == 1:
            if not self.children[below[0]] and self.answers[node] == self.answers[below[0]]:
                self._note(node, "same below")
                self.children[node] = []
            elif self.children[below[0]] and self.merge and STOP not in outcomes:
                self._note(node, "same below")
                for sibling in below[1:]:
                    self._add(below[0], sibling)
                self._adopt(node, below[0])

    def _note(self, node: int, why: str) -> None:
        self.steps.append(Simplification(node, question_of(self.reading, node), why))

    def _adopt(self, node: int, child: int) -> None:
        """The node asks what its child asked, and has what was below that."""
        self.children[node], self.asks[node] = self.children[child], self.asks[child]
        if not self.children[node]:
            self.answers[node] = self.answers[child]
            self.value[node] = self.value[child]

    def _add(self, node: int, twin: int) -> None:
        """What was said of a branch is said of its twin too."""
        pairs = [(node, twin)]
        while pairs:
            a, b = pairs.pop()
            if self.classes:
                self.value[a] += self.value[b]
            self.rows[a] += self.rows[b]
            self.weight[a] += self.weight[b]
            pairs += zip(self.children[a], self.children[b], strict=True)

    def result(self) -> tuple[TreeNodes, Array]:
        relabeled = replace(
            self.nodes,
            n_rows=np.array(self.rows, dtype=self.nodes.n_rows.dtype),
            weight=np.array(self.weight),
            value=self.value,
        )
        return rebuilt(relabeled, self.children, self.asks)
