"""Minimal cost-complexity pruning: the nested trees of every strength, from one tree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pellucid import _core
from pellucid.base.types import Array, Floats
from pellucid.models.tree.nodes import TreeNodes
from pellucid.models.tree.prune import without_descendants


@dataclass(frozen=True)
class PruningPath:
    """The nodes that become leaves, in turn; entry 0 is the tree as it was grown.

    nodes : the nodes that become leaves; one fewer than the other columns have entries
    alphas : the strength from which on a tree is the best one
    risks : impurity of its leaves, weighted by their shares of the weight
    leaves : their number
    """

    nodes: Array
    alphas: Floats
    risks: Floats
    leaves: Array


def risk_of(nodes: TreeNodes) -> Floats:
    """R(t): impurity of each node times its share of the weight."""
    return np.asarray(nodes.impurity * (nodes.weight / nodes.weight[0]))


def pruning_path(nodes: TreeNodes) -> PruningPath:
    """Weakest links, one after the other, down to the root."""
    risk = risk_of(nodes)
    parent, first, count = (
        np.ascontiguousarray(column, dtype=np.int32) for column in (nodes.parent, nodes.first_child, nodes.n_children)
    )
    links, alpha, remaining_risk, leaves = _core.weakest_links(parent, first, count, risk)
    return PruningPath(
        links,
        np.concatenate([[0.0], alpha]),
        np.concatenate([[risk[nodes.is_leaf].sum()], remaining_risk]),
        np.concatenate([[nodes.n_leaves], leaves]),
    )


def weakest(nodes: TreeNodes, alpha: float) -> Array:
    """The nodes that become leaves at a strength: all links of at most it. None at 0, as in scikit-learn."""
    if alpha == 0:
        return np.empty(0, dtype=np.int64)
    path = pruning_path(nodes)
    return path.nodes[path.alphas[1:] <= alpha]


def pruned(nodes: TreeNodes, alpha: float) -> tuple[TreeNodes, Array]:
    """The tree at a strength, and the old number of each of its nodes."""
    cut = weakest(nodes, alpha)
    return without_descendants(nodes, cut) if len(cut) else (nodes, np.arange(len(nodes)))
