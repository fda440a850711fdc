"""Names of the distances that each way of searching takes."""

from __future__ import annotations

from pellucid.metrics._booleans import BOOLEAN
from pellucid.models.neighbors.metric import ALIASES
from pellucid.neighbors._distances import NAMES, OF_TEXTS, PREPARED
from pellucid.neighbors.ball_tree import BallTree
from pellucid.neighbors.kd_tree import KDTree

__all__ = ["VALID_METRICS", "VALID_METRICS_SPARSE"]

_DENSE_ALONE = {*PREPARED, *BOOLEAN, *OF_TEXTS, "gower", "nan_euclidean"} - {"sqeuclidean"}

# By the parameter `algorithm` of `NearestNeighbors`.
VALID_METRICS: dict[str, list[str]] = {
    "ball_tree": BallTree.valid_metrics,
    "kd_tree": KDTree.valid_metrics,
    "brute": sorted({*NAMES, *ALIASES}),
}
# The same for sparse tables.
VALID_METRICS_SPARSE: dict[str, list[str]] = {
    "ball_tree": [],
    "kd_tree": [],
    "brute": sorted({*NAMES, *ALIASES} - _DENSE_ALONE),
}
