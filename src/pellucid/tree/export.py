"""A tree as text: in scikit-learn's form, or a line for each branch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from pellucid.base.errors import ParameterError, format_message, short_repr
from pellucid.base.types import Array
from pellucid.models.limits import mean_text
from pellucid.models.tree.nodes import NodeTest, TreeNodes
from pellucid.models.tree.words import Words
from pellucid.tree._cards import are_counts
from pellucid.tree._reading import Printed, Reading, read_tree

__all__ = ["export_text"]


class Fixed(Printed):
    """With fixed decimals; a number that would be printed as zero, and is not, has three figures instead."""

    def number(self, value: float) -> str:
        text = f"{value:.{self.digits}f}"
        return f"{value:.3g}" if value and np.isfinite(value) and not float(text) else text


def export_text(
    decision_tree: Any,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    max_depth: int | None = 10,
    spacing: int = 3,
    decimals: int | None = 2,
    show_weights: bool = False,
    style: Literal["branches", "compact"] = "branches",
    target: int = 0,
    missing: bool = False,
) -> str:
    """Write a decision tree as text.

    ``style="branches"`` is scikit-learn's form: a line for each branch, and one for what a leaf answers.
    ``style="compact"`` writes a leaf's answer behind the last test on the way to it, with the rows that came there and,
    where they differ, how many are as it answers: about half as many lines. Tests with several branches, sets of
    categories and intervals have a line for each branch in both.

    Parameters
    ----------
    decision_tree : fitted decision tree, or its `TreeNodes`
    feature_names : names of the columns, optional
        Those of the table that `fit` saw otherwise, or feature_0, feature_1, ...
    class_names : names of the classes, in their order, optional
    max_depth : int or None, default=10
        Deepest tests that are written; what is left out is told. None writes all.
    spacing : int, default=3
        Width of a step to the right.
    decimals : int, default=2
        Digits after the point. A number that is not zero and would look so has three figures. None writes limits as
        `export_svg` does, with as many digits as tell those of one column apart.
    show_weights : bool, default=False
        Write the weight of each class into the leaves.
    style : {"branches", "compact"}, default="branches"
    target : int, default=0
        Which target, where a tree of classes has several. Of several numbers all are written.
    missing : bool, default=False
        Tell which branch a missing value takes.

    Returns
    -------
    str

    Notes
    -----
    scikit-learn writes feature_0 even where the table had names, and a threshold of 0.0001 as 0.00. Its default cut is
    the same; it has no None.

    Examples
    --------
    >>> nodes = TreeNodes(
    ...     parent=np.array([-1, 0, 0]), first_child=np.array([1, -1, -1]), n_children=np.array([2, 0, 0]),
    ...     feature=np.array([0, -1, -1]), test=np.array([1, 0, 0]), missing_child=np.array([0, 0, 0]),
    ...     threshold=np.array([2.5, np.nan, np.nan]), n_rows=np.array([5, 1, 4]), weight=np.array([5.0, 1, 4]),
    ...     impurity=np.array([0.48, 0, 0.375]), value=np.array([[2.0, 3], [1, 0], [1, 3]]),
    ... )
    >>> print(export_text(nodes, feature_names=["hours"], class_names=["fail", "pass"]), end="")
    |--- hours <= 2.50
    |   |--- class: fail
    |--- hours >  2.50
    |   |--- class: pass
    >>> print(export_text(nodes, feature_names=["hours"], class_names=["fail", "pass"], style="compact"), end="")
    hours <= 2.50: fail (1)
    hours > 2.50: pass (3 of 4)
    """
    who = "export_text"
    _check(who, max_depth, spacing, decimals, style)
    reading = read_tree(who, decision_tree, feature_names, class_names, target, unnamed="feature_")
    words = reading.words
    if decimals is not None:
        words = Fixed(words.names, words.categories, decimals)
    writer = _Compact if style == "compact" else _Branches
    return writer(reading, words, max_depth, spacing, show_weights, missing).text()


def _check(who: str, max_depth: Any, spacing: Any, decimals: Any, style: Any) -> None:
    for name, value, low in (("max_depth", max_depth, 0), ("spacing", spacing, 1), ("decimals", decimals, 0)):
        if value is None and name != "spacing":
            continue
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < low:
            requirement = f"{name} must be a whole number from {low}" + (", or None" if name != "spacing" else "")
            raise ParameterError(format_message(who, requirement, actual=f"got {short_repr(value)}"))
    if style not in ("branches", "compact"):
        raise ParameterError(
            format_message(who, "style must be 'branches' or 'compact'", actual=f"got {short_repr(style)}")
        )


class _Branches:
    """scikit-learn's form."""

    def __init__(
        self, reading: Reading, words: Words, max_depth: int | None, spacing: int, weights: bool, missing: bool
    ) -> None:
        self.reading, self.words, self.nodes = reading, words, reading.nodes
        self.weights, self.missing, self.spacing = weights, missing, spacing
        self.depth, self.heights = reading.nodes.depth, _heights(reading.nodes)
        self.max_depth = int(self.depth.max()) if max_depth is None else max_depth

    def text(self) -> str:
        lines, waiting = [], [0]
        while waiting:
            node = waiting.pop()
            lines += self.lines(node)
            if self.depth[node] <= self.max_depth:
                waiting.extend(reversed(self.nodes.children(node)))
        return "\n".join(lines) + "\n"

    def lines(self, node: int) -> list[str]:
        depth, written = int(self.depth[node]), []
        step, rule = "|" + " " * self.spacing, "|" + "-" * self.spacing + " "
        if node:
            written.append(step * (depth - 1) + rule + self.condition(node))
        if depth > self.max_depth and self.nodes.n_children[node]:
            height = int(self.heights[node])
            written.append(f"{step * depth}{rule}truncated branch of depth {height}")
        elif not self.nodes.n_children[node]:
            written.append(step * depth + rule + self.answer(node))
        return written

    def condition(self, node: int) -> str:
        """What leads to a node; a lone > is set in line with <=."""
        parent, branch = int(self.nodes.parent[node]), self.nodes.branch(node)
        text = self.words.condition(self.nodes, parent, branch).replace("\n", " ")
        at_most = self.nodes.test[parent] == NodeTest.AT_MOST
        if at_most and branch == 1 and not self.words.parts_missing(self.nodes, parent):
            name, _, limit = text.rpartition(" > ")
            text = f"{name} >  {limit}"
        return text + self.or_missing(parent, branch)

    def or_missing(self, parent: int, branch: int) -> str:
        takes_missing = self.missing and self.nodes.missing_child[parent] == branch
        return " or missing" if takes_missing and not self.words.says_missing(self.nodes, parent, branch) else ""

    def answer(self, node: int) -> str:
        reading = self.reading
        if reading.classes is None:
            return f"value: [{', '.join(self.words.number(float(v)) for v in self.nodes.value[node])}]"
        weights = ", ".join(self.words.number(float(v)) for v in reading.values[node])
        return (f"weights: [{weights}] " if self.weights else "") + f"class: {reading.answer(node)}"


class _Compact(_Branches):
    """A leaf on the line of the test that leads to it."""

    def lines(self, node: int) -> list[str]:
        depth = int(self.depth[node])
        end = not self.nodes.n_children[node]
        if not node:
            return [self.answer(node)] if end else []
        parent, branch = int(self.nodes.parent[node]), self.nodes.branch(node)
        text = self.words.condition(self.nodes, parent, branch).replace("\n", " ") + self.or_missing(parent, branch)
        line = ("|" + " " * self.spacing) * (depth - 1) + text
        if end:
            return [f"{line}: {self.answer(node)}"]
        if depth > self.max_depth:
            return [f"{line}: {self.answer(node)} ... {int(self.heights[node])} deeper"]
        return [line]

    def mean(self, value: float) -> str:
        """A mean, with as many decimals as a limit where these are fixed."""
        return self.words.number(value) if isinstance(self.words, Fixed) else mean_text(value, self.words.digits)

    def answer(self, node: int) -> str:
        reading, n = self.reading, int(self.nodes.n_rows[node])
        if reading.classes is None:
            return f"{', '.join(self.mean(float(v)) for v in self.nodes.value[node])} ({n:,})"
        weights, mine = reading.values[node], int(reading.answers[node])
        total, class_weight = float(weights.sum()), float(weights[mine])
        if self.weights:
            counts = f"[{', '.join(self.words.number(float(v)) for v in weights)}]"
        elif class_weight >= total:
            counts = f"{n:,}"
        elif are_counts(weights, n):
            counts = f"{round(class_weight):,} of {n:,}"
        else:
            counts = f"{100 * class_weight / total:.3g} % of {n:,}"
        return f"{reading.answer(node)} ({counts})"


def _heights(nodes: TreeNodes) -> Array:
    """Levels of each subtree: 1 for a leaf."""
    heights = np.ones(len(nodes), dtype=np.int64)
    for node in range(len(nodes) - 1, 0, -1):
        heights[nodes.parent[node]] = max(heights[nodes.parent[node]], heights[node] + 1)
    return heights
