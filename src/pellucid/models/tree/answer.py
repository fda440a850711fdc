"""Which node of a tree answers for a row, by which way the row came there, and what the tree answers.

A row starts at the root and takes at each node the branch of its test. A value that is missing, or a category that
the node never met, takes the first surrogate whose value is there, else the node's branch for missing values; under
STOP the node answers itself; under SHARE the row is shared out among all branches in proportion to the children's
weights, and the answer is the mixture of the leaves that it reaches.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from pellucid import _core
from pellucid.base.errors import DataError, format_message
from pellucid.base.types import Array, Floats
from pellucid.models.tree.nodes import SHARE, STOP, TreeNodes

_TYPES = {
    "parent": np.int32,
    "first_child": np.int32,
    "n_children": np.int32,
    "feature": np.int32,
    "test": np.uint8,
    "missing_child": np.int32,
    "threshold": np.float64,
    "weight": np.float64,
    "value": np.float64,
    "table_start": np.int64,
    "table": np.int32,
    "cuts_start": np.int64,
    "cuts": np.float64,
    "surrogate_start": np.int64,
    "surrogate_feature": np.int32,
    "surrogate_threshold": np.float64,
    "surrogate_reverse": np.uint8,
}


def apply(nodes: TreeNodes, X: _core.Matrix, threads: int = 1) -> Array:
    """The number of the node that answers for each row, as 32-bit integers.

    A leaf; or under STOP the inner node at which a value is missing; or under SHARE, where several leaves answer, the
    one with the largest share (the first of equals).
    """
    return np.asarray(_core.tree_apply(_bound(nodes, X), X, threads))


def answer(nodes: TreeNodes, X: _core.Matrix, threads: int = 1, n_classes: Sequence[int] | None = None) -> Floats:
    """n x width: the value of the node that answers, or the mixture of several.

    With `n_classes`, the number of classes of each output (they add up to the width), the values of a node are turned
    into shares of each output's classes before they are mixed: the answer is class probabilities. Without, the values
    are given and mixed as they are, which is right for the means of a regression tree.
    """
    classes = np.asarray([] if n_classes is None else n_classes, dtype=np.int64)
    return np.asarray(_core.tree_answer(_bound(nodes, X), X, classes, threads))


def decision_path(nodes: TreeNodes, X: _core.Matrix, threads: int = 1) -> Any:
    """n x m CSR matrix with a one for each node that a row passes, as scikit-learn's `decision_path`."""
    start, node, _ = _core.tree_paths(_bound(nodes, X), X, 0, X.rows, threads)
    values = np.ones(len(node), dtype=np.int64)
    return sparse.csr_matrix((values, node, start), shape=(X.rows, len(nodes)))


def leaf_weights(nodes: TreeNodes, X: _core.Matrix, threads: int = 1) -> Any:
    """n x m CSR matrix with the share that each node has in the answer for a row; each row adds up to 1."""
    start, node, share = _core.tree_answering(_bound(nodes, X), X, 0, X.rows, threads)
    return sparse.csr_matrix((share, node, start), shape=(X.rows, len(nodes)))


def row_path(nodes: TreeNodes, X: _core.Matrix, row: int = 0) -> list[tuple[int, int]]:
    """The way of one row of X: (node, branch that it takes there) for every node that it passes, in ascending order.

    The branch is STOP where the node answers (a leaf, or an inner one at which a value is missing), and SHARE where the
    row is shared out among several branches.
    """
    _, passed, _ = _core.tree_paths(_bound(nodes, X), X, row, row + 1, 1)
    branches_of: dict[int, list[int]] = {int(node): [] for node in passed}
    for node in list(branches_of)[1:]:
        branches_of[int(nodes.parent[node])].append(nodes.branch(node))
    return [(node, STOP if not b else b[0] if len(b) == 1 else SHARE) for node, b in branches_of.items()]


def _bound(nodes: TreeNodes, X: _core.Matrix) -> _core.Tree:
    """The tree as kernels read it; a tree that cannot be walked, made by hand or changed, is refused."""
    arrays = {name: np.ascontiguousarray(getattr(nodes, name), dtype=dtype) for name, dtype in _TYPES.items()}
    tree = _core.Tree(**arrays, cols=X.cols)
    fault = tree.fault
    if fault is not None:
        raise DataError(format_message("TreeNodes", f"this is no tree for a table of {X.cols} columns", actual=fault))
    return tree
