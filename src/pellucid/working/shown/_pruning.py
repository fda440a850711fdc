"""Cost-complexity pruning: what each branch is worth, and the order in which branches become leaves."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from pellucid.base.errors import count as counted
from pellucid.base.types import Array, Floats
from pellucid.models.tree.cost_complexity import PruningPath, pruning_path
from pellucid.models.tree.nodes import TreeNodes
from pellucid.models.tree.prune import without_descendants
from pellucid.working.expression import Axis
from pellucid.working.language import lookup, min_, sum_, where
from pellucid.working.model import Working

MOST_TURNS = 6  # branches whose removal is worked out
MOST_BRANCHES = 30


def show_pruning(w: Working, model: Any, X: Any, y: Any, weight: Floats | None) -> None:
    """The working of the weakest links of a tree of CART."""
    w.title = "Decision tree: cost-complexity pruning"
    w.intro = (
        "A tree costs the impurity of its leaves, weighted by their shares of the rows, and alpha for each leaf. From "
        "some alpha on, a branch costs more than the leaf that could stand in its place. The branch of the smallest "
        "such alpha is made a leaf first, then the next one."
    )
    full_tree = clone(model).set_params(ccp_alpha=0.0).fit(X, y, sample_weight=weight).tree_
    path = pruning_path(full_tree)
    turns = min(len(path.nodes), MOST_TURNS)
    tree, numbers = full_tree, np.arange(len(full_tree))  # the old number of each node that is left
    for turn in range(turns):
        if int((~tree.is_leaf).sum()) <= MOST_BRANCHES:
            _turn(w, turn + 1, tree, numbers, path)
        cut = int(np.flatnonzero(numbers == path.nodes[turn])[0])
        tree, kept_nodes = without_descendants(tree, [cut])
        numbers = numbers[kept_nodes]
    if len(path.nodes) > turns:
        w.note(
            f"Of {counted(len(path.nodes), 'branch', 'branches')} that become leaves the first {turns} are worked out."
        )
    if len(full_tree) - full_tree.n_leaves > MOST_BRANCHES:
        w.note(f"Trees of more than {MOST_BRANCHES} branches are not listed branch by branch.")
    w.note("Nodes have the numbers of the tree before pruning; the root is node 0.")
    _sequence(w, model, path)


def _leaves(tree: TreeNodes) -> tuple[Array, Array, Array]:
    """Leaves from left to right, and of each node the first and the last place of its own among them, from 1."""
    order = tree.top_down()
    leaves = [node for node in order if tree.n_children[node] == 0]
    first, last = np.full(len(tree), len(tree)), np.zeros(len(tree), dtype=np.int64)
    for position, leaf in enumerate(leaves, start=1):
        first[leaf] = last[leaf] = position
    for node in range(len(tree) - 1, 0, -1):
        up = int(tree.parent[node])
        first[up], last[up] = min(first[up], first[node]), max(last[up], last[node])
    return np.array(leaves), first, last


def _turn(w: Working, turn: int, tree: TreeNodes, numbers: Array, path: PruningPath) -> None:
    """One table of branches, and the weakest of them."""
    tag = f"t{turn}_"
    leaves, first, last = _leaves(tree)
    inner = np.flatnonzero(~tree.is_leaf)
    cut = int(path.nodes[turn - 1])
    w.step(f"Weakest branch, turn {turn}", f"Node {cut} becomes a leaf.", turn=turn)
    n = w.given(f"{tag}W", float(tree.weight[0]), symbol="W", label="weight of all rows")
    ends = Axis("leaf", [int(numbers[leaf]) for leaf in leaves], "l", "L")
    i = w.given(f"{tag}i", tree.impurity[leaves], ends, symbol="i", label="impurity")
    m = w.given(f"{tag}m", tree.weight[leaves], ends, symbol="w", label="weight of its rows")
    k = w.given(f"{tag}k", np.arange(1.0, len(leaves) + 1), ends, symbol="k", label="place from the left")
    risk = w.cell(f"{tag}r", i * m / n, symbol="r", label="risk: impurity times share of the rows")
    axis = Axis("branch", [int(numbers[node]) for node in inner], "t", "T")
    node_impurity = w.given(f"{tag}it", tree.impurity[inner], axis, symbol="I", label="impurity")
    size = w.given(f"{tag}mt", tree.weight[inner], axis, symbol="N", label="weight of its rows")
    low = w.given(f"{tag}a", first[inner].astype(float), axis, symbol="a", label="its first leaf")
    high = w.given(f"{tag}b", last[inner].astype(float), axis, symbol="b", label="its last leaf")
    leaf = w.cell(f"{tag}R", node_impurity * size / n, symbol="R", label="risk as a leaf")
    below = w.cell(f"{tag}B", sum_(where(k >= low, where(k <= high, risk, 0), 0), ends), symbol="B",
                   label="risk of its leaves")  # fmt: skip
    alpha = w.cell(f"{tag}g", (leaf - below) / (high - low), symbol="g", label="alpha from which on a leaf is better")
    w.cell(f"{tag}alpha", min_(alpha), symbol=r"\alpha", label="the smallest", equals=float(path.alphas[turn]),
           attribute="cost_complexity_pruning_path", scale=float(path.risks[-1]))  # fmt: skip


def _sequence(w: Working, model: Any, path: PruningPath) -> None:
    """All trees with their alphas, and the one that the model keeps."""
    w.step("All trees", "From the one that was grown to the root alone: each is the best one from its alpha on.")
    axis = Axis("tree", range(len(path.alphas)), "t", "T")
    alpha = w.given("alpha", path.alphas, axis, symbol=r"\alpha", label="from this alpha on")
    w.given("risk", path.risks, axis, symbol="R", label="impurity of its leaves")
    leaves = w.given("leaves", path.leaves.astype(float), axis, symbol="L", label="leaves")
    w.step("The tree that is kept", "The last one whose alpha is not above ccp_alpha; with 0 nothing is pruned.")
    ccp_alpha = w.given("ccp_alpha", float(model.ccp_alpha), symbol=r"\hat{\alpha}", label="ccp_alpha")
    if model.ccp_alpha > 0:
        tree_number = w.cell(
            "tree", sum_(where(alpha <= ccp_alpha, 1, 0)), symbol="t", label="number of the tree, from 1"
        )
    else:
        tree_number = w.given("tree", 1.0, symbol="t", label="number of the tree, from 1")
    w.cell("kept", lookup(leaves, tree_number), symbol=r"\hat{L}", label="its leaves",
           equals=float(model.tree_.n_leaves),
           attribute="tree_.n_leaves")  # fmt: skip
