"""Balls within balls: for every distance that keeps the triangle inequality."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pellucid import _core
from pellucid.base.types import Array
from pellucid.models.neighbors.metric import as_matrix
from pellucid.models.neighbors.tree_index import TreeIndex, building_threads


@dataclass
class BallTreeIndex(TreeIndex):
    """Rows in a ball tree, for distances with the triangle inequality."""

    KINDS: ClassVar[tuple[str, ...]] = (
        "euclidean",
        "manhattan",
        "chebyshev",
        "minkowski",
        "hamming",
        "jaccard",
        "canberra",
        "haversine",
    )
    kernel: ClassVar[str] = "ball"
    region: ClassVar[str] = "float64"

    def _build(self, panels: int) -> tuple[Array, Array, Array]:
        threads = building_threads(self.threads)
        return _core.ball_build(as_matrix(self.rows), panels, self.metric.code, self.metric.p, threads)
