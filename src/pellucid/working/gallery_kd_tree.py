"""The worked example about the KD-tree."""

from __future__ import annotations

import numpy as np

from pellucid.neighbors import KDTree
from pellucid.working.gallery_base import Example, example, parts_of
from pellucid.working.model import Working

POINT, NEIGHBORS = (5, 5), 3


@example("004-kd-tree-eleven-points")
def eleven_points(e: Example) -> Working:
    tree = KDTree(np.asarray(e.data["points"], dtype=np.float64), leaf_size=1, split="median")
    build, search = tree.show_build(), tree.show_query(POINT, NEIGHBORS)
    return parts_of(("build", "Building", build), ("search", f"Searching for {POINT}", search))
