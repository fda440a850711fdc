"""C4.5 in Quinlan's steps: gain ratio, thresholds, cases in parts, and pruning by the errors to expect.

A case is a row with a weight that may be a part of it: where a value is missing, the case goes down every branch in
proportion to the known cases there. Tables hold numbers, or codes 0, 1, ... of categories, and NaN for a missing value.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Array = NDArray[Any]

TIE = 1e-9  # what differs by less counts as equal


@dataclass(frozen=True)
class Rules:
    """How a tree is grown and pruned."""

    categories: tuple[int, ...] = ()  # categories of each column, 0 for numbers
    criterion: str = "gain_ratio"
    cut_criterion: str = "gain"
    mean_gain: bool = True
    mdl: bool = True
    midpoint: bool = False
    binary: bool = False
    min_leaf: float = 2
    min_cut_share: float = 0.1
    min_case: float = 1e-3
    max_depth: float = np.inf
    costs: tuple[float, ...] = ()
    cost_rule: str = "quadratic"
    cost_weight: float = 1.0
    confidence: float = 0.25
    raising: bool = True


@dataclass
class Node:
    """Its cases, the weight of each class, and, unless it is a leaf, a test with the children of its branches."""

    rows: Array
    weight: Floats
    value: Floats
    feature: int = -1
    threshold: float = np.nan
    branch: dict[int, int] = field(default_factory=dict)  # category -> place among the children
    gain: float = np.nan
    info: float = np.nan
    children: list[Node] = field(default_factory=list)

    @property
    def total(self) -> float:
        return float(self.value.sum())

    @property
    def errors(self) -> float:
        return float(self.value.sum() - self.value.max())

    def become(self, other: Node) -> None:
        """Takes over another node's test and children, with the cases that it has."""
        self.feature, self.threshold, self.branch = other.feature, other.threshold, other.branch
        self.gain, self.info, self.children = other.gain, other.info, other.children


@dataclass(frozen=True)
class Split:
    """What a column is worth at a node. cut: the values on either side of the threshold, or (category, category)."""

    gain: float
    info: float
    cut: tuple[float, float] = (np.nan, np.nan)

    def merit(self, criterion: str) -> float:
        if criterion == "gain":
            return self.gain
        return self.gain / self.info if self.info > TIE else 0.0


def bits(weights: Any, whole: float | None = None) -> float:
    """``-sum w log2(w / whole)``: the entropy of the weights times their sum."""
    w = np.asarray(weights, dtype=np.float64)
    w = w[w > 0]
    return float(-(w * np.log2(w / (w.sum() if whole is None else whole))).sum()) if len(w) else 0.0


def worth(branches: list[Floats], n: float) -> tuple[float, float]:
    """Gain and split information of branches with these class weights at a node with cases of weight n."""
    known = np.sum(branches, axis=0)
    gain = (bits(known) - sum(bits(branch) for branch in branches)) / n
    sizes = [*[float(branch.sum()) for branch in branches], n - float(known.sum())]
    return max(gain, 0.0), max(bits([s for s in sizes if s > TIE * n], n) / n, 0.0)


class C45:
    """A table, and trees grown on it."""

    def __init__(self, X: Floats, y: Array, w: Floats, k: int, rules: Rules) -> None:
        self.X, self.y, self.w, self.k, self.rules = X, y, w, k, rules
        there = w > 0
        self.values = [np.unique(column[there & ~np.isnan(column)]) for column in X.T]
        self.met_classes = len(np.unique(y[there]))

    def count(self, rows: Array, weight: Floats) -> Floats:
        return np.bincount(self.y[rows], weights=weight, minlength=self.k).astype(np.float64)

    # ------------------------------------------------------------------------------------------------------- splits

    def split_of(self, node: Node, j: int) -> Split | None:
        """The best split of a node by column j, None where it has none with enough cases in two branches."""
        column = self.X[node.rows, j]
        known = ~np.isnan(column)
        rows, weight, column = node.rows[known], node.weight[known], column[known]
        groups = [(v, self.count(rows[column == v], weight[column == v])) for v in np.unique(column).tolist()]
        if not self.rules.categories[j]:
            return self._best_cut(groups, node.total)
        if self.rules.binary:
            return self._best_category(groups, node.total)
        enough = sum(counts.sum() + TIE >= self.rules.min_leaf for _, counts in groups) > 1
        return Split(*worth([counts for _, counts in groups], node.total)) if enough else None

    def _best_cut(self, groups: list[tuple[float, Floats]], n: float) -> Split | None:
        known = sum(float(counts.sum()) for _, counts in groups)
        share = min(self.rules.min_cut_share * known / self.met_classes, 25.0)
        min_branch, best, cuts = max(self.rules.min_leaf, share), None, 0
        for i in range(1, len(groups)):
            sides = [np.sum([c for _, c in groups[:i]], axis=0), np.sum([c for _, c in groups[i:]], axis=0)]
            if min(side.sum() for side in sides) + TIE < min_branch:
                continue
            cuts += 1
            split = Split(*worth(sides, n), (groups[i - 1][0], groups[i][0]))
            by = self.rules.cut_criterion
            if best is None or split.merit(by) > best.merit(by) + TIE:
                best = split
        if best is None or not self.rules.mdl:
            return best
        gain = best.gain - np.log2(cuts) / n
        return Split(gain, best.info, best.cut) if gain > 0 else None

    def _best_category(self, groups: list[tuple[float, Floats]], n: float) -> Split | None:
        best = None
        for v, counts in groups:
            others = np.sum([c for u, c in groups if u != v], axis=0) if len(groups) > 1 else np.zeros(self.k)
            if min(counts.sum(), others.sum()) + TIE < self.rules.min_leaf or others.sum() <= 0:
                continue
            split = Split(*worth([counts, others], n), (v, v))
            by = self.rules.criterion
            if best is None or split.merit(by) > best.merit(by) + TIE:
                best = split
        return best

    def choose(self, splits: list[Split | None]) -> int:
        """The column that is asked, -1 for none."""
        many = [0.3 * self.w.sum() <= size if size else False for size in self.rules.categories]
        can = [(s.gain, wide) for s, wide in zip(splits, many, strict=True) if s is not None]
        counted = [gain for gain, wide in can if not wide] or [gain for gain, _ in can]
        min_gain = np.mean(counted) - 1e-3 if self.rules.mean_gain and counted else -1.0
        best, best_merit = -1, -1.0
        for j, split in enumerate(splits):
            if split is None or split.gain < min_gain or split.gain <= TIE:
                continue
            merit = self._merit(j, split)
            if best < 0 or merit > best_merit + TIE:
                best, best_merit = j, merit
        return best

    def _merit(self, j: int, split: Split) -> float:
        r = self.rules
        if not r.costs:
            return split.merit(r.criterion)
        if r.cost_rule == "quadratic":
            return split.gain**2 / r.costs[j]
        return float((2**split.gain - 1) / (r.costs[j] + 1) ** r.cost_weight)

    # ------------------------------------------------------------------------------------------------------ growing

    def leaf(self, rows: Array, weight: Floats) -> Node:
        return Node(rows, weight, self.count(rows, weight))

    def grow(self, rows: Array | None = None, weight: Floats | None = None, depth: int = 0) -> Node:
        """The tree of cases, by default all rows of positive weight, before it is pruned."""
        rows = np.flatnonzero(self.w > 0) if rows is None else rows
        node = self.leaf(rows, self.w[rows] if weight is None else weight)
        small = node.total + TIE < 2 * self.rules.min_leaf or depth >= self.rules.max_depth
        if small or node.errors <= TIE * node.total:
            return node
        splits = [self.split_of(node, j) for j in range(self.X.shape[1])]
        best = self.choose(splits)
        split = splits[best]
        if best < 0 or split is None:
            return node
        self._set_test(node, best, split)
        node.children = [self.grow(r, w, depth + 1) for r, w in self.deal(node, node.rows, node.weight)]
        return node

    def _set_test(self, node: Node, j: int, split: Split) -> None:
        node.feature, node.gain, node.info = j, split.gain, split.info
        low, high = split.cut
        if not self.rules.categories[j]:
            middle = 0.5 * low + 0.5 * high
            node.threshold = middle if self.rules.midpoint else float(self.values[j][self.values[j] <= middle].max())
        elif self.rules.binary:
            node.branch = {v: int(v != low) for v in range(self.rules.categories[j])}
        else:
            column = self.X[node.rows, j]
            here = np.unique(column[~np.isnan(column)]).astype(int).tolist()
            elsewhere = [v for v in self.values[j].astype(int).tolist() if v not in here]
            node.branch = {v: place for place, v in enumerate(here)} | dict.fromkeys(elsewhere, len(here))

    def branches(self, node: Node) -> int:
        return max(node.branch.values()) + 1 if node.branch else 2

    def place(self, node: Node, value: float) -> int:
        """The branch of a value; -1 where it is missing, or a category that was never met."""
        if np.isnan(value):
            return -1
        return node.branch.get(int(value), -1) if node.branch else int(value > node.threshold)

    def deal(self, node: Node, rows: Array, weight: Floats) -> list[tuple[Array, Floats]]:
        """The cases of each branch; those with a missing value go down all of them in parts."""
        branch_codes = np.array([self.place(node, v) for v in self.X[rows, node.feature]], dtype=int)
        branch_weights = np.array([weight[branch_codes == b].sum() for b in range(self.branches(node))])
        shares = (
            branch_weights / branch_weights.sum()
            if branch_weights.sum() > 0
            else np.full(len(branch_weights), 1 / len(branch_weights))
        )
        dealt = []
        for b, share in enumerate(shares.tolist()):
            part = np.where(branch_codes == b, weight, np.where(branch_codes < 0, weight * share, 0.0))
            stays = (part > 0) & ((branch_codes >= 0) | (part >= self.rules.min_case * self.w[rows]))
            dealt.append((rows[stays], part[stays]))
        return dealt

    # ------------------------------------------------------------------------------------------------------ pruning

    def expected(self, value: Floats) -> float:
        """Errors that a leaf with these class weights is expected to make."""
        total, wrong = float(value.sum()), float(value.sum() - value.max())
        return expected_errors(total, 0.0 if wrong < TIE else wrong, self.rules.confidence)

    def collapse(self, node: Node) -> None:
        """A subtree that makes no fewer errors than its root becomes a leaf."""
        if node.children and training_errors(node) >= node.errors - 1e-3:
            node.children = []
        for child in node.children:
            self.collapse(child)

    def subtree_errors(self, node: Node) -> float:
        return sum(map(self.subtree_errors, node.children)) if node.children else self.expected(node.value)

    def errors_with(self, node: Node, rows: Array, weight: Floats) -> float:
        """Errors to expect of a subtree if these were its cases."""
        if not node.children:
            return self.expected(self.count(rows, weight))
        return sum(
            self.errors_with(child, *cases)
            for child, cases in zip(node.children, self.deal(node, rows, weight), strict=True)
        )

    def refill(self, node: Node, rows: Array, weight: Floats) -> None:
        """Gives a subtree these cases."""
        node.rows, node.weight, node.value = rows, weight, self.count(rows, weight)
        if node.children:
            for child, cases in zip(node.children, self.deal(node, rows, weight), strict=True):
                self.refill(child, *cases)

    def prune(self, node: Node) -> None:
        """Bottom-up: a leaf, or the largest branch, in place of a subtree that is not better by 0.1 errors."""
        if not node.children:
            return
        for child in node.children:
            self.prune(child)
        largest = node.children[0]
        for child in node.children:
            largest = child if child.total > largest.total + TIE else largest
        raised = self.errors_with(largest, node.rows, node.weight) if self.rules.raising else np.inf
        leaf, subtree = self.expected(node.value), self.subtree_errors(node)
        if leaf <= subtree + 0.1 and leaf <= raised + 0.1:
            node.children = []
        elif raised <= subtree + 0.1:
            node.become(largest)
            self.refill(node, node.rows, node.weight)
            self.prune(node)

    # ------------------------------------------------------------------------------------------------------ answers

    def answer(self, node: Node, x: Floats, above: Node | None = None) -> Floats:
        """Shares of the classes for a row; an empty leaf answers like its parent."""
        if not node.children:
            value = above.value if above is not None and node.total <= 0 else node.value
            return np.asarray(value / value.sum())
        branch_index = self.place(node, x[node.feature])
        if branch_index >= 0:
            return self.answer(node.children[branch_index], x, node)
        sizes = np.array([child.total for child in node.children])
        parts = [self.answer(child, x, node) for child in node.children]
        return np.asarray(sizes @ np.array(parts) / sizes.sum())


def training_errors(node: Node) -> float:
    """Errors that the leaves below a node make on the cases of the tree."""
    return sum(map(training_errors, node.children)) if node.children else node.errors


def expected_errors(n: float, e: float, confidence: float) -> float:
    """e errors among n cases, and what the upper limit of the binomial distribution adds to them."""
    if n <= 0:
        return 0.0
    if e < 1:
        none = float(n * (1 - confidence ** (1 / n)))
        return none + e * (expected_errors(n, 1, confidence) - none) if e > 0 else none
    if e + 0.5 >= n:
        return max(n, e)
    z, p = NormalDist().inv_cdf(1 - confidence), (e + 0.5) / n
    limit = p + z**2 / (2 * n) + z * np.sqrt(p / n - p**2 / n + z**2 / (4 * n**2))
    return float(n * limit / (1 + z**2 / n))
