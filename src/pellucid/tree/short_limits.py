"""A tree whose limits have as few digits as decide the rows of its training table alike."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np

from pellucid.base.types import Floats
from pellucid.models.limits import shortest_between
from pellucid.models.tree.nodes import NodeTest, TreeNodes
from pellucid.tree._reading import read_tree, table_numbers


def with_short_limits(tree: Any, X: Any) -> Any:
    """The same fitted tree with each threshold rounded as far as no value of its column in X changes sides.

    What is printed of such a tree decides as the tree itself does.

    Examples
    --------
    >>> from pellucid.tree import DecisionTreeRegressor
    >>> X = [[0.1234567], [0.1299999], [0.71], [0.83]]
    >>> tree = DecisionTreeRegressor().fit(X, [1, 2, 3, 4])
    >>> with_short_limits(tree, X).tree_.threshold[0].item()
    0.4
    """
    numbers = table_numbers(read_tree("with_short_limits", tree), X)
    rounded = copy(tree)
    rounded.tree_ = _rounded(tree.tree_, numbers)
    return rounded


def asks_for_missing(tree: Any, X: Any) -> bool:
    """Has any column that the tree asks missing values in X?"""
    numbers = table_numbers(read_tree("asks_for_missing", tree), X)
    features = np.unique(tree.tree_.feature[tree.tree_.n_children > 0])
    return bool(np.isnan(numbers[:, features]).any())


def _rounded(nodes: TreeNodes, numbers: Floats) -> TreeNodes:
    thresholds, cuts = nodes.threshold.copy(), nodes.cuts.copy()
    for feature in np.unique(nodes.feature[nodes.n_children > 0]).tolist():
        values = np.unique(numbers[:, feature])
        values = values[np.isfinite(values)]
        same_feature = np.flatnonzero((nodes.feature == feature) & (nodes.n_children > 0))
        for node in same_feature.tolist():
            test = NodeTest(int(nodes.test[node]))
            if test in (NodeTest.AT_MOST, NodeTest.BELOW):
                thresholds[node] = _short(values, float(thresholds[node]))
            elif test is NodeTest.INTERVALS:
                for k in range(int(nodes.cuts_start[node]), int(nodes.cuts_start[node + 1])):
                    cuts[k] = _short(values, float(cuts[k]))
    return replace(nodes, threshold=thresholds, cuts=cuts)


def _short(values: Floats, limit: float) -> float:
    """The limit between the two values on either side of it."""
    at = int(np.searchsorted(values, limit))
    if not 0 < at < len(values):
        return limit
    return shortest_between(float(values[at - 1]), float(values[at]), limit)
