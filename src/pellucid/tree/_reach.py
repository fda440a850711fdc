"""Which answers a test can still get below other tests of the same column: ranges of numbers, sets of categories."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from pellucid.base.types import Array
from pellucid.models.tree.nodes import SHARE, NodeTest, TreeNodes

# Where a range ends: just before a number (x, 0), or just after it (x, 1).
End = tuple[float, int]
OTHER = -1  # a category that no test of the column knows


@dataclass(frozen=True)
class Possible:
    """What a row may have in a column: numbers between two ends, categories, or nothing."""

    low: End = (-np.inf, 0)
    high: End = (np.inf, 1)
    codes: frozenset[int] | None = None  # None for numbers
    missing: bool = True


class Reach:
    """Follows the tests from the root to every node."""

    def __init__(self, nodes: TreeNodes) -> None:
        self.nodes = nodes
        self.known = self._universe()
        surrogates = np.asarray(getattr(nodes, "surrogate_start", ()))
        self.stand_ins = np.diff(surrogates) > 0 if len(surrogates) else np.zeros(len(nodes), dtype=bool)

    def _universe(self) -> dict[int, frozenset[int]]:
        """Categories that any test of a column knows."""
        categories: dict[int, set[int]] = {}
        for node in self._by_category().tolist():
            branches = range(int(self.nodes.n_children[node]))
            codes = (code for branch in branches for code in self.nodes.codes_of(node, branch))
            categories.setdefault(int(self.nodes.feature[node]), {OTHER}).update(codes)
        return {column: frozenset(codes) for column, codes in categories.items()}

    def _by_category(self) -> Array:
        return np.flatnonzero(np.isin(self.nodes.test, (NodeTest.SUBSET, NodeTest.CATEGORIES)))

    def outcomes(self) -> list[frozenset[int]]:
        """The branches that a row can take at each node, STOP among them where the node itself may answer."""
        branches: list[frozenset[int]] = [frozenset()] * len(self.nodes)
        state: dict[int, Possible] = {}
        # a node, the column of the test above it and what that left; or on the way back -1, and what was known before
        waiting: list[tuple[int, int, Possible | None]] = [(0, -1, None)]
        while waiting:
            node, column, remaining = waiting.pop()
            if column >= 0 and remaining is not None:
                state[column] = remaining
            if node < 0 or self.nodes.n_children[node] == 0:
                continue
            feature = int(self.nodes.feature[node])
            start = Possible(codes=self.known.get(feature))
            before = state.get(feature, start)
            values_by_branch = self._parts(node, before)
            branches[node] = frozenset(values_by_branch)
            waiting.append((-1, feature, before))
            for branch, child in enumerate(self.nodes.children(node)):
                # a branch that nothing reaches is walked with what would reach it, so that all nodes are looked at
                waiting.append(
                    (child, feature, values_by_branch.get(branch) or self._parts(node, start).get(branch) or start)
                )
        return branches

    def _parts(self, node: int, before: Possible) -> dict[int, Possible]:
        """What is left of a column's values on each branch that some of them take."""
        nodes, branches = self.nodes, range(int(self.nodes.n_children[node]))
        if before.codes is None:
            ends = self._ends(node)
            spans = [(max(before.low, a), min(before.high, b)) for a, b in pairwise(ends)]
            parts = {b: replace(before, low=a, high=z, missing=False) for b, (a, z) in enumerate(spans) if a < z}
            strange: frozenset[int] | None = None
        else:
            sets = {b: before.codes & frozenset(nodes.codes_of(node, b)) for b in branches}
            parts = {b: Possible(codes=codes, missing=False) for b, codes in sets.items() if codes}
            strange = before.codes - frozenset().union(*sets.values())
        if before.missing or strange:
            self._route(node, before, strange, parts)
        return parts

    def _route(
        self, node: int, before: Possible, strange: frozenset[int] | None, branches: dict[int, Possible]
    ) -> None:
        """Adds what a test has no answer for to the branches that it takes."""
        where = int(self.nodes.missing_child[node])
        every = where == SHARE or self.stand_ins[node]
        for branch in range(int(self.nodes.n_children[node])) if every else [where]:
            nothing = Possible(
                low=(np.inf, 1), high=(-np.inf, 0), codes=None if strange is None else frozenset(), missing=False
            )
            possible = branches.get(branch, nothing)
            codes = None if strange is None else (possible.codes or frozenset()) | strange
            branches[branch] = replace(possible, codes=codes, missing=before.missing)

    def _ends(self, node: int) -> list[End]:
        test = NodeTest(int(self.nodes.test[node]))
        if test is NodeTest.INTERVALS:
            cuts = [(float(cut), 1) for cut in self.nodes.cuts_of(node)]
        else:
            cuts = [(float(self.nodes.threshold[node]), int(test is NodeTest.AT_MOST))]
        return [(-np.inf, 0), *cuts, (np.inf, 1)]
