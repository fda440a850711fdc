"""Boxes within boxes: a branch is looked into only if its box is not beyond the neighbors found so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pellucid import _core
from pellucid.base.types import Array
from pellucid.models.neighbors.metric import as_matrix
from pellucid.models.neighbors.tree_index import TreeIndex, building_threads


@dataclass
class KDTreeIndex(TreeIndex):
    """Rows in a KD-tree, for distances that grow with the difference in each column."""

    KINDS: ClassVar[tuple[str, ...]] = ("euclidean", "manhattan", "chebyshev", "minkowski")
    kernel: ClassVar[str] = "kd"

    def _build(self, panels: int) -> tuple[Array, Array, Array]:
        return _core.kd_build(as_matrix(self.rows), panels, building_threads(self.threads))
