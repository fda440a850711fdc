"""The KD-tree as it is taught: columns in turn, cut at the upper median, one point a leaf."""

from __future__ import annotations

from typing import Any

import numpy as np

Node = dict[str, Any]


def upper_median(values: np.ndarray) -> float:
    """The value at place n // 2 of the sorted values; where nothing lies below it, the next larger one."""
    ordered = np.sort(values)
    middle = ordered[len(ordered) // 2]
    return float(middle if middle > ordered[0] else ordered[ordered > middle][0])


def build(points: np.ndarray, rows: list[int] | None = None, axis: int = 0, leaf_size: int = 1) -> Node:
    """A leaf ``{"rows": ...}``, or a cut ``{"axis", "threshold", "skipped", "rows", "left", "right"}``.

    A column in which all points are equal is skipped; points that are equal in all of them stay in one leaf.
    """
    points = np.asarray(points, dtype=float)
    rows = list(range(len(points))) if rows is None else rows
    d = points.shape[1]
    skipped = 0
    while skipped < d and np.ptp(points[rows, (axis + skipped) % d]) == 0:
        skipped += 1
    if len(rows) <= leaf_size or skipped == d:
        return {"rows": rows}
    j = (axis + skipped) % d
    m = upper_median(points[rows, j])
    left_rows = [row for row in rows if points[row, j] < m]
    right_rows = [row for row in rows if points[row, j] >= m]
    sides = {"left": build(points, left_rows, j + 1, leaf_size), "right": build(points, right_rows, j + 1, leaf_size)}
    return {"axis": j, "threshold": m, "skipped": skipped, "rows": rows, **sides}


def nearest(tree: Node, points: np.ndarray, x: np.ndarray, k: int = 1) -> tuple[list[tuple[float, int]], list[Node]]:
    """The k nearest points as (distance, row), among equals the smaller row first, and the branches looked into.

    First the side of a cut on which x lies; the other side only if the cut is not beyond the k-th nearest point so far.
    """
    points, x = np.asarray(points, dtype=float), np.asarray(x, dtype=float)
    best: list[tuple[float, int]] = []
    visited: list[Node] = []

    def look(node: Node) -> None:
        visited.append(node)
        if "axis" not in node:
            best.extend((float(np.linalg.norm(points[row] - x)), row) for row in node["rows"])
            best.sort()
            del best[k:]
            return
        away = x[node["axis"]] - node["threshold"]
        near, far = ("left", "right") if away < 0 else ("right", "left")
        look(node[near])
        if len(best) < k or abs(away) <= best[-1][0]:
            look(node[far])

    look(tree)
    return best, visited
