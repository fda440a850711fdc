"""The tests of a tree in words: "petal length <= 2.45", "colour in {red, blue}", "6 < weeks <= 9"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pellucid.parts.tree.nodes import NodeTest, TreeNodes


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
        known = self.categories.get(feature, ())
        return str(known[code]) if code < len(known) else str(code)

    def members(self, nodes: TreeNodes, node: int, branch: int) -> list[str]:
        """Names of the categories that take a branch."""
        feature = int(nodes.feature[node])
        codes = nodes.codes_of(node, branch)
        known = self.categories.get(feature)
        return [self.category(feature, code) for code in codes if known is None or code < len(known)]

    def answer(self, nodes: TreeNodes, node: int, branch: int) -> str:
        """What a value must be to take a branch, without the column's name: "<= 2.45", "red, blue", "(6, 9]"."""
        test = NodeTest(int(nodes.test[node]))
        if test in (NodeTest.AT_MOST, NodeTest.BELOW):
            signs = ("<=", ">") if test is NodeTest.AT_MOST else ("<", ">=")
            return f"{signs[branch]} {self.number(float(nodes.threshold[node]))}"
        if test is NodeTest.INTERVALS:
            cuts = nodes.cuts_of(node)
            if branch == 0:
                return f"<= {self.number(cuts[0])}"
            if branch == len(cuts):
                return f"> {self.number(cuts[-1])}"
            return f"({self.number(cuts[branch - 1])}, {self.number(cuts[branch])}]"
        return ", ".join(self.members(nodes, node, branch))

    def condition(self, nodes: TreeNodes, node: int, branch: int) -> str:
        """What a row must satisfy to take a branch."""
        name, test = self.names[int(nodes.feature[node])], NodeTest(int(nodes.test[node]))
        if test in (NodeTest.AT_MOST, NodeTest.BELOW):
            return f"{name} {self.answer(nodes, node, branch)}"
        if test is NodeTest.INTERVALS:
            cuts = nodes.cuts_of(node)
            if 0 < branch < len(cuts):
                return f"{self.number(cuts[branch - 1])} < {name} <= {self.number(cuts[branch])}"
            return f"{name} {self.answer(nodes, node, branch)}"
        members = self.members(nodes, node, branch)
        return f"{name} = {members[0]}" if len(members) == 1 else f"{name} in {{{', '.join(members)}}}"
