"""Which index: what the user asked for, or the fastest exact one."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import scipy.sparse

from pellucid.base.errors import ParameterError, PellucidWarning, format_message, warn
from pellucid.models.neighbors.brute import BruteIndex
from pellucid.models.neighbors.metric import Metric

# Module and class of each index besides brute force.
INDICES = {
    "kd_tree": ("kd_tree", "KDTreeIndex"),
    "ball_tree": ("ball_tree", "BallTreeIndex"),
    "lsh": ("hyperplanes", "HyperplaneIndex"),
    "graph": ("graph", "GraphIndex"),
    "lists": ("lists", "ListIndex"),
}
TREES = ("kd_tree", "ball_tree")
# Measured, independent normal columns (the worst case of a tree), k = 5, microseconds a query on one thread, brute
# force against KD-tree:
#
#               2 columns      5         8          10         12         15          20
#   1,000 rows  4.3 | 0.5   4.5 | 1.5  4.6 | 3.5   5.1 | 4.6  3.5 | 5.0   4.6 | 6.0   3.9 | 5.9
#  10,000        33 | 0.6    34 | 2.4   35 | 7.9    38 | 22    12 | 38     15 | 47     13 | 60
# 100,000       319 | 0.6               371 | 28   400 | 65              113 | 386   159 | 1182
#
# Manhattan's distance crosses at the same place. A tree is built in the time of a few hundred queries of brute force;
# below some two hundred rows both take a microsecond.
TREE_COLUMNS = 10
TREE_ROWS = 200


def chosen_algorithm(asked: str, metric: Metric, rows: Any, who: str) -> str:
    """The kind of index for these rows; an exact one unless another was asked for by name."""
    if scipy.sparse.issparse(rows):
        return "brute"
    if asked == "auto":
        few = rows.shape[1] <= TREE_COLUMNS and rows.shape[0] >= TREE_ROWS
        return "kd_tree" if few and fits_tree(metric, "kd_tree") else "brute"
    if asked == "ball_tree" and metric.kind == "braycurtis":  # scikit-learn's takes it, and may miss neighbors
        requirement = "metric 'braycurtis' has no triangle inequality, which a ball tree needs"
        actual = "algorithm='ball_tree': all rows are compared instead"
        warn(format_message(who, requirement, actual=actual, hint="use 'auto'"), PellucidWarning)
        return "brute"
    if asked in TREES and not fits_tree(metric, asked):
        known = ", ".join(index_class(asked).KINDS)
        actual = f"got algorithm={asked!r} with metric {metric.kind!r}" + (
            f" and p={metric.p:g}" if metric.p < 1 else ""
        )
        hint = "use algorithm='auto', which is exact too"
        raise ParameterError(
            format_message(
                who, f"algorithm={asked!r} takes the metrics {known} (p of at least 1)", actual=actual, hint=hint
            )
        )
    return asked


def fits_tree(metric: Metric, tree: str) -> bool:
    """Can the tree leave out branches under this metric? Below p = 1 the way over a third point may be shorter."""
    return metric.kind in index_class(tree).KINDS and not (metric.kind == "minkowski" and metric.p < 1)


def index_class(algorithm: str) -> Any:
    """The class of an index, loaded when it is asked for."""
    module, name = INDICES[algorithm]
    return getattr(import_module(f"pellucid.models.neighbors.{module}"), name)


def build_index(algorithm: str, rows: Any, metric: Metric, leaf_size: int, k: int, who: str) -> Any:
    """An index of rows; an approximate one is tuned for k neighbors."""
    if algorithm == "brute":
        return BruteIndex(rows, metric)
    kind = index_class(algorithm)
    if algorithm in TREES:
        return kind(rows, metric, leaf_size=leaf_size)
    return kind(rows, metric, k=min(k, rows.shape[0]), who=who)
