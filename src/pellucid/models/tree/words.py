"""The tests of a tree in words: "petal length <= 2.45", "color in {red, blue}", "6 < weeks <= 9"."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pellucid.models.tree.nodes import NodeTest, TreeNodes


@dataclass(frozen=True)
class Words:
    """Names of the columns and of their categories (column -> names by code), and digits of a threshold."""

    names: Sequence[str]
    categories: Mapping[int, Sequence[Any]] = field(default_factory=dict)
    digits: int = 6

    def number(self, value: float) -> str:
        """A threshold as it is printed."""
        return f"{value:.{self.digits}g}"

    def category(self, feature: int, code: int) -> str:
        """The name of a category; its code where the column has no names."""
        names = self.categories.get(feature, ())
        return str(names[code]) if code < len(names) else str(code)

    def members(self, nodes: TreeNodes, node: int, branch: int) -> list[str]:
        """Names of the categories that take a branch, of those that come to the node."""
        feature = int(nodes.feature[node])
        categories = self.categories.get(feature)
        codes = [code for code in nodes.codes_of(node, branch) if categories is None or code < len(categories)]
        coming = [code for code in codes if _comes(nodes, node, code)]
        reached = coming or nodes.missing_child[node] == branch  # else the branch is one that nothing takes
        return [self.category(feature, code) for code in (coming if reached else codes)]

    def answer(self, nodes: TreeNodes, node: int, branch: int) -> str:
        """What a value must be to take a branch, without the column's name: "<= 2.45", "red, blue", "(6, 9]"."""
        test = NodeTest(int(nodes.test[node]))
        if self.parts_missing(nodes, node):
            return "missing" if branch else "not missing"
        if test in (NodeTest.AT_MOST, NodeTest.BELOW):
            signs = ("<=", ">") if test is NodeTest.AT_MOST else ("<", ">=")
            return f"{signs[branch]} {self.number(float(nodes.threshold[node]))}"
        if test is NodeTest.INTERVALS:
            low, high = self._ends(nodes, node, branch)
            if low == math.inf:
                return "missing"
            if low == -math.inf:
                actual = "not missing" if high == math.inf else f"<= {self.number(high)}"
            else:
                number = self.number(low)
                actual = f"> {number}" if high == math.inf else f"({number}, {self.number(high)}]"
            return f"{actual} or missing" if nodes.missing_child[node] == branch else actual
        if self.is_rest(nodes, node, branch):
            return f"not {', '.join(self.members(nodes, node, 0))}"
        members = self.members(nodes, node, branch)
        if self.says_missing(nodes, node, branch):
            members.append("missing")
        return ", ".join(members)

    def says_missing(self, nodes: TreeNodes, node: int, branch: int) -> bool:
        """Do the words of a branch tell themselves that a missing value takes it? Those of a set of categories do only
        where nothing else takes it."""
        if nodes.missing_child[node] != branch:
            return False
        test = NodeTest(int(nodes.test[node]))
        return test in (NodeTest.CATEGORIES, NodeTest.INTERVALS) or self.is_missing_alone(nodes, node, branch)

    def is_missing_alone(self, nodes: TreeNodes, node: int, branch: int) -> bool:
        """Do missing values take a branch, and no other value?"""
        if nodes.missing_child[node] != branch:
            return False
        if nodes.test[node] in (NodeTest.SUBSET, NodeTest.CATEGORIES):
            return not self.members(nodes, node, branch)
        return self.parts_missing(nodes, node) and branch == 1

    def parts_missing(self, nodes: TreeNodes, node: int) -> bool:
        """Does a test of numbers part the missing values from all others? Then its threshold is infinite."""
        of_numbers = nodes.test[node] in (NodeTest.AT_MOST, NodeTest.BELOW)
        return bool(of_numbers and nodes.threshold[node] == math.inf and nodes.missing_child[node] == 1)

    def is_rest(self, nodes: TreeNodes, node: int, branch: int) -> bool:
        """Does a branch take all categories but those of a set, with no list of all?"""
        return nodes.test[node] == NodeTest.SUBSET and branch == 1 and int(nodes.feature[node]) not in self.categories

    def _ends(self, nodes: TreeNodes, node: int, branch: int) -> tuple[float, float]:
        """Between which numbers a branch of an INTERVALS test lies; above infinity there are missing values alone."""
        cuts = [-math.inf, *nodes.cuts_of(node).tolist(), math.inf]
        return cuts[branch], cuts[branch + 1]

    def condition(self, nodes: TreeNodes, node: int, branch: int) -> str:
        """What a row must satisfy to take a branch."""
        name, test = self.names[int(nodes.feature[node])], NodeTest(int(nodes.test[node]))
        if self.parts_missing(nodes, node):
            return f"{name} is {self.answer(nodes, node, branch)}"
        if test in (NodeTest.AT_MOST, NodeTest.BELOW):
            return f"{name} {self.answer(nodes, node, branch)}"
        if test is NodeTest.INTERVALS:
            low, high = self._ends(nodes, node, branch)
            if math.isinf(low) or math.isinf(high):
                verb = "is " if low == math.inf or low == -high else ""
                return f"{name} {verb}{self.answer(nodes, node, branch)}"
            actual = f"{self.number(low)} < {name} <= {self.number(high)}"
            return f"{actual} or missing" if nodes.missing_child[node] == branch else actual
        if self.is_rest(nodes, node, branch):
            members = self.members(nodes, node, 0)
            return f"{name} != {members[0]}" if len(members) == 1 else f"{name} not in {{{', '.join(members)}}}"
        members = self.members(nodes, node, branch)
        if self.is_missing_alone(nodes, node, branch):
            return f"{name} is missing"
        if self.says_missing(nodes, node, branch):
            members.append("missing")
        return f"{name} = {members[0]}" if len(members) == 1 else f"{name} in {{{', '.join(members)}}}"


def _comes(nodes: TreeNodes, node: int, code: int) -> bool:
    """Do the tests of the same column above a node let a category come to it?"""
    feature, parent = int(nodes.feature[node]), int(nodes.parent[node])
    while parent >= 0:
        by_category = nodes.test[parent] in (NodeTest.SUBSET, NodeTest.CATEGORIES)
        if by_category and nodes.feature[parent] == feature and code not in nodes.codes_of(parent, nodes.branch(node)):
            return False
        node, parent = parent, int(nodes.parent[parent])
    return True
