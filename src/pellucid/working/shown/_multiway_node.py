"""A node of ID3 or C4.5 by plain NumPy: the cases that reach it, and what every column is worth there."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from pellucid.base.types import Array, Floats
from pellucid.models.tree.categories import category_sizes
from pellucid.models.tree.class_weight import class_weights
from pellucid.models.tree.nodes import SHARE, TreeNodes
from pellucid.working.entry import Given
from pellucid.working.shown._rows import refuse
from pellucid.working.shown._tree import branch_of

TIE = 1e-9


@dataclass(frozen=True)
class Judge:
    """How columns and cuts are judged; ID3 is the plain one."""

    by: str = "gain"
    cut_by: str = "gain"
    mean_gain: bool = False
    mdl: bool = False
    binary: bool = False
    min_leaf: float = 0.0
    min_cut_share: float = 0.0
    min_gain: float = 0.0
    costs: Floats | None = None
    cost_rule: str = ""
    cost_weight: float = 1.0


@dataclass(frozen=True)
class Worth:
    """What one column is worth at a node.

    places : codes of the categories; or of a column of numbers the value below each cut (codes: categories against the
        rest)
    counts : weight of each class in the branch of each category; or on the near side of each cut
    known : weight of each class among the cases with a value
    gains, infos : of each cut; of a multiway split one entry
    best : which of them
    gain, info : its gain, after the correction, and its split information
    """

    column: int
    categorical: bool
    multiway: bool
    places: Floats
    counts: Floats
    known: Floats
    gains: Floats
    infos: Floats
    best: int
    gain: float
    info: float
    cuts: int
    admissible: bool


@dataclass(frozen=True)
class Cases:
    """Rows (counted from 0) with the weight that they have at a node."""

    rows: Array
    weight: Floats


@dataclass(frozen=True)
class NodeOfCases:
    """A node of a fitted tree with its cases."""

    model: Any
    tree: TreeNodes
    number: int
    X: Floats
    codes: Array  # class of each row
    own: Floats  # weight of each row
    sizes: Array  # categories of each column, 0 for numbers
    cases: Cases

    @property
    def k(self) -> int:
        return int(self.tree.value.shape[1])

    def count(self, indices: Array) -> Floats:
        """Weight of each class among some of the cases."""
        rows, weight = self.cases.rows[indices], self.cases.weight[indices]
        return np.bincount(self.codes[rows], weights=weight, minlength=self.k).astype(np.float64)


def read_node(model: Any, data: Given) -> NodeOfCases:
    """The node that is asked for, the root unless told."""
    tree, number = model.tree_, data.options.get("node", 0)
    is_integer = isinstance(number, int | np.integer) and not isinstance(number, bool)
    if not is_integer or not 0 <= number < len(tree):
        refuse(f"{type(model).__name__}.fit", f"node must be a number from 0 to {len(tree) - 1}", f"got {number!r}")
    d = model._validate_predict(data.table)
    codes = np.asarray(data.options["y"], dtype=np.float64).reshape(-1, 1)
    weight = class_weights(d.who, model.class_weight, codes, [model.classes_], data.weight)
    row_weight = np.ones(len(data.X)) if weight is None else weight
    if getattr(model, "pruning", None) == "reduced_error":
        row_weight = row_weight - model._hold_out(row_weight, codes[:, 0])
    sizes = np.where(_as_categories(model, data.X.shape[1]), 2, category_sizes(d, model.categorical_features))
    min_weight = float(getattr(model, "min_case_weight", 0.0))
    cases = _cases(tree, int(number), data.X, row_weight, min_weight)
    return NodeOfCases(model, tree, int(number), data.X, codes[:, 0].astype(int), row_weight, sizes, cases)


def _as_categories(model: Any, n_cols: int) -> Array:
    """Columns that are categories whatever they hold: all of ID3's."""
    return np.full(n_cols, hasattr(model, "numbers"))


def _cases(tree: TreeNodes, number: int, X: Floats, row_weight: Floats, min_weight: float) -> Cases:
    """Deals the rows of the fit out from the root to a node, those with a missing value in parts."""
    rows = np.flatnonzero(row_weight > 0)
    weight = row_weight[rows]
    path = tree.way(number)
    for above, below in pairwise(path):
        branches = np.array([branch_of(tree, above, X[row]) for row in rows], dtype=int)
        branch, shared = tree.branch(below), branches == SHARE
        known_weight = float(weight[~shared & (branches >= 0)].sum())
        share = (
            float(weight[branches == branch].sum()) / known_weight
            if known_weight > 0
            else 1 / int(tree.n_children[above])
        )
        shared_weight = np.where(branches == branch, weight, np.where(shared, weight * share, 0.0))
        stays = (shared_weight > 0) & (~shared | (shared_weight >= min_weight * row_weight[rows]))
        rows, weight = rows[stays], shared_weight[stays]
    return Cases(rows, weight)


# ---------------------------------------------------------------------------------------------------------------- worth


def bits(weights: Floats) -> Floats:
    """The entropy of each row of weights times their sum."""
    w = np.atleast_2d(weights)
    total = w.sum(axis=1, keepdims=True)
    share = np.divide(w, total, out=np.ones_like(w), where=(w > 0) & (total > 0))
    return np.asarray(-(w * np.log2(share)).sum(axis=1))


def info_of(sizes: Floats, n: float) -> float:
    """Split information of branches of these weights, at a node of weight n; what is left of n is unknown."""
    sizes = np.append(sizes, n - sizes.sum())
    sizes = sizes[sizes > TIE * n]
    return float(-(sizes / n * np.log2(sizes / n)).sum())


def merit(judge: Judge, by: str, gain: float, info: float, column: int = -1) -> float:
    """What a split is judged by."""
    if judge.costs is not None and column >= 0:
        cost = float(judge.costs[column])
        return gain**2 / cost if judge.cost_rule == "quadratic" else (2**gain - 1) / (cost + 1) ** judge.cost_weight
    return gain if by == "gain" else gain / info if info > TIE else 0.0


def worth_of(node: NodeOfCases, judge: Judge, column: int) -> Worth | None:
    """What a column is worth; None where no case has a value, or all have the same."""
    x = node.X[node.cases.rows, column]
    values = np.unique(x[~np.isnan(x)])
    if len(values) < 2:
        return None
    groups = np.array([node.count(x == v) for v in values])
    n = float(node.cases.weight.sum())
    if node.sizes[column] and not judge.binary:
        return _multiway(column, values, groups, n, judge)
    if node.sizes[column]:
        return _two_way(column, values, groups, groups, n, judge, True, int(np.count_nonzero(node.count(x == x))))
    return _two_way(column, values[:-1], np.cumsum(groups, axis=0)[:-1], groups, n, judge, False, _classes_met(node))


def _classes_met(node: NodeOfCases) -> int:
    return len(np.unique(node.codes[node.own > 0]))


def _multiway(column: int, values: Floats, groups: Floats, n: float, judge: Judge) -> Worth:
    class_weights = groups.sum(axis=0)
    gain = max(float(bits(class_weights)[0] - bits(groups).sum()) / n, 0.0)
    info = info_of(groups.sum(axis=1), n)
    enough = int(np.sum(groups.sum(axis=1) + TIE >= judge.min_leaf)) > 1
    one = np.array([gain]), np.array([info])
    return Worth(column, True, True, values, groups, class_weights, *one, 0, gain, info, 0, enough)


def _two_way(
    column: int, cuts_at: Floats, near: Floats, groups: Floats, n: float, judge: Judge, categorical: bool, classes: int
) -> Worth:
    class_weights = groups.sum(axis=0)
    far = np.maximum(class_weights - near, 0.0)
    share = 0.0 if categorical else min(judge.min_cut_share * float(class_weights.sum()) / max(classes, 1), 25.0)
    min_weight = max(judge.min_leaf, share)
    gains = np.maximum((bits(class_weights)[0] - bits(near) - bits(far)) / n, 0.0)
    infos = np.array([info_of(np.array([a.sum(), b.sum()]), n) for a, b in zip(near, far, strict=True)])
    allowed = (near.sum(axis=1) + TIE >= min_weight) & (far.sum(axis=1) + TIE >= min_weight) & (far.sum(axis=1) > 0)
    by, best = judge.by if categorical else judge.cut_by, -1
    for i in np.flatnonzero(allowed).tolist():
        if best < 0 or merit(judge, by, gains[i], infos[i]) > merit(judge, by, gains[best], infos[best]) + TIE:
            best = i
    cuts = int(allowed.sum())
    gain, info = (float(gains[best]), float(infos[best])) if best >= 0 else (0.0, 0.0)
    if judge.mdl and not categorical and best >= 0:
        gain -= float(np.log2(cuts)) / n
    good = best >= 0 and (gain > 0 or categorical or not judge.mdl)
    return Worth(column, categorical, False, cuts_at, near, class_weights, gains, infos, best, gain, info, cuts, good)


def for_the_mean(node: NodeOfCases, candidates: list[Worth | None]) -> Floats:
    """1 for each column that counts for the mean gain: all that can be split, but for those with nearly as many
    categories as rows, unless only such can be."""
    can = np.array([candidate is not None and candidate.admissible for candidate in candidates])
    few = can & ~((node.sizes > 0) & (node.sizes >= 0.3 * node.own.sum()))
    return (few if few.any() else can).astype(np.float64)


def least_gain(node: NodeOfCases, candidates: list[Worth | None]) -> float:
    """The mean gain."""
    gains = np.array([0.0 if candidate is None else candidate.gain for candidate in candidates])
    counts = for_the_mean(node, candidates)
    return float(counts @ gains / max(counts.sum(), 1.0))


def chosen(node: NodeOfCases, judge: Judge, candidates: list[Worth | None]) -> int:
    """The column that the grower would ask at this node, -1 for none."""
    min_gain = least_gain(node, candidates) - 1e-3 if judge.mean_gain else -1.0
    best, best_merit = -1, -1.0
    for candidate in candidates:
        if (
            candidate is None
            or not candidate.admissible
            or candidate.gain < min_gain
            or candidate.gain <= judge.min_gain
        ):
            continue
        candidate_merit = merit(judge, judge.by, candidate.gain, candidate.info, candidate.column)
        if best < 0 or candidate_merit > best_merit + TIE:
            best, best_merit = candidate.column, candidate_merit
    return best
