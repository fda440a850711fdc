"""Voronoi cells against SciPy's diagram: the same neighbors, and the same cells where a cell is not cut by the box."""

from __future__ import annotations

import numpy as np
import scipy.spatial

from pellucid.neighbors import VoronoiCells


def test_cells_are_those_of_scipy() -> None:
    points = np.random.default_rng(0).random((300, 2))
    ours, theirs = VoronoiCells(points), scipy.spatial.Voronoi(points)
    low, high = ours.box[:, 0], ours.box[:, 1]
    joined: dict[int, set[int]] = {i: set() for i in range(len(points))}
    for a, b in theirs.ridge_points.tolist():
        joined[a].add(b)
        joined[b].add(a)
    whole = 0
    for i, region in enumerate(theirs.point_region):
        corners = theirs.vertices[theirs.regions[region]]
        if -1 in theirs.regions[region] or (corners < low).any() or (corners > high).any():
            continue
        whole += 1
        angle = np.argsort(np.arctan2(*(corners - points[i]).T[::-1]))
        own = ours.cells[i][np.argsort(np.arctan2(*(ours.cells[i] - points[i]).T[::-1]))]
        np.testing.assert_allclose(own, corners[angle], rtol=1e-8, atol=1e-10)
        assert set(ours.neighbors[i].tolist()) == joined[i]
    assert whole > 200
