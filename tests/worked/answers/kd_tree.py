"""Answers by ``pellucid.neighbors.KDTree``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pellucid.neighbors import KDTree
from pellucid.reference import kd_tree as reference

from ..frame import Example, PathName, answers

AXES = ("x", "y")
POINT = (5.0, 5.0)


@answers("004-kd-tree-eleven-points")
def eleven_points(example: Example, path: PathName) -> Mapping[str, Any]:
    points = np.asarray(example.data["points"], dtype=np.float64)
    if path == "kernel":
        tree = KDTree(points, leaf_size=1, split="median")
        nested = _nested(tree, 0)
        distances, rows = tree.query([POINT], k=3)
        near = list(zip(distances[0].tolist(), rows[0].tolist(), strict=True))
    else:
        nested = reference.build(points)
        near, _ = reference.nearest(nested, points, np.array(POINT), k=3)
    return told(nested, points) | {
        "three nearest to (5,5) by brute force: distances": [distance for distance, _ in near],
        "nearest to (5,5)": points[near[0][1]].tolist(),
    }


def _nested(tree: KDTree, node: int) -> dict[str, Any]:
    """Nodes of the kernel in the reference's form."""
    t = tree.textbook
    rows = sorted(t.rows(node).tolist())
    if t.axis[node] < 0:
        return {"rows": rows}
    sides = {"left": _nested(tree, t.left[node]), "right": _nested(tree, t.right[node])}
    cut = {"axis": int(t.axis[node]), "threshold": float(t.threshold[node]), "skipped": int(t.skipped[node])}
    return {**cut, "rows": rows, **sides}


def told(tree: dict[str, Any], points: np.ndarray) -> dict[str, Any]:
    """The figures about the tree."""
    left, right = tree["left"], tree["right"]
    low, high = (np.sort(points[side["rows"], 1]) for side in (left, right))
    return {
        "sorted x values": np.sort(points[tree["rows"], 0]).tolist(),
        "root axis and threshold": [AXES[tree["axis"]], tree["threshold"]],
        "right of root (x>=4)": points[right["rows"]].tolist(),
        "left of root (x<4)": points[left["rows"]].tolist(),
        "left segment sorted y values": low.tolist(),
        "left segment y median (second-level threshold)": left["threshold"],
        "right segment y median as used (upper median of 4,4,5,6,7,8)": right["threshold"],
        "right segment y median in the usual sense": float(np.median(high)),
        "whole tree (every leaf one point)": whole(tree, points),
    }


def whole(node: dict[str, Any], points: np.ndarray) -> dict[str, Any]:
    """A tree as the example writes it down."""
    if "axis" not in node:
        (row,) = node["rows"]
        return {"leaf": points[row].tolist()}
    cut = {"axis": AXES[node["axis"]], "threshold": node["threshold"], "axis_skipped": node["skipped"] > 0}
    return cut | {side: whole(node[side], points) for side in ("left", "right")}
