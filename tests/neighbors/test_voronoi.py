"""Voronoi cells: they tile the box, and a query lies in the cell of its nearest point."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pellucid.base.errors import DataError, ParameterError
from pellucid.neighbors import NearestNeighbors, VoronoiCells

RANDOM = np.random.default_rng(0)
GRID = np.stack(np.meshgrid(np.arange(7.0), np.arange(7.0)), axis=-1).reshape(-1, 2)
ROUND = np.linspace(0, 2 * np.pi, 24, endpoint=False)
LINE = RANDOM.random(30)
POINTS: dict[str, Any] = {
    "random": RANDOM.random((150, 2)),
    "grid": RANDOM.permutation(GRID) * 0.1,
    "circle with its center": np.vstack([np.column_stack([np.cos(ROUND), np.sin(ROUND)]), [[0, 0]]]),
    "collinear": np.column_stack([LINE, 2 * LINE + 1]),
    "equal points": RANDOM.permutation(np.repeat(RANDOM.random((12, 2)), 3, axis=0)),
    "two clusters": np.vstack([RANDOM.random((40, 2)) * 1e-6, RANDOM.random((40, 2)) * 1e-6 + 1]),
    "far from zero": 1e9 + RANDOM.random((50, 2)),
    "one way": RANDOM.random((50, 2)) * [1000, 20],
    "one point": np.array([[3.0, 4.0]]),
}


@pytest.mark.parametrize("name", POINTS)
def test_cells_tile_the_box_and_hold_what_is_nearest(name: str) -> None:
    points = POINTS[name]
    cells = VoronoiCells(points)
    low, sides = cells.box[:, 0], np.diff(cells.box, axis=1).ravel()
    np.testing.assert_allclose(cells.areas.sum(), sides.prod(), rtol=1e-9)
    asked = low + RANDOM.random((150, 2)) * sides
    corners = np.vstack(cells.cells)[::3]  # as near to two or three points
    outside = low + (3 * RANDOM.random((20, 2)) - 1) * sides
    asked = np.vstack([asked, corners, points[:30], (points[:30] + points[::-1][:30]) / 2, outside])
    k = min(6, len(points))
    distances, rows = NearestNeighbors(n_neighbors=k, algorithm="brute").fit(points).kneighbors(asked)
    np.testing.assert_array_equal(cells.find(asked), rows[:, 0])
    found = cells.query(asked, k)
    np.testing.assert_array_equal(found[1], rows)
    np.testing.assert_array_equal(found[0], distances)


def test_edges_and_neighbors() -> None:
    points = POINTS["random"]
    cells = VoronoiCells(points)
    for i, (corners, others) in enumerate(zip(cells.cells, cells.neighbors, strict=True)):
        assert all(i in cells.neighbors[j] for j in others)
        # Corners are nearer to no other point than to their own.
        apart = np.linalg.norm(corners[:, None] - points, axis=2)
        np.testing.assert_allclose(apart.min(axis=1), apart[:, i], rtol=1e-9)
        turn = np.roll(corners, -1, axis=0) - corners
        assert (turn[:, 0] * np.roll(turn[:, 1], -1) - turn[:, 1] * np.roll(turn[:, 0], -1) > 0).all()


def test_squares_by_hand() -> None:
    cells = VoronoiCells([[1, 1], [3, 1], [1, 3], [3, 3], [1, 1]], box=((0, 4), (0, 6)))
    np.testing.assert_allclose(cells.areas, [4, 4, 8, 8, 0], rtol=1e-15)
    assert [one.tolist() for one in cells.neighbors] == [[1, 2], [0, 3], [0, 3], [1, 2], []]
    assert cells.same_as.tolist() == [0, 1, 2, 3, 0]
    assert len(cells.cells[4]) == 0
    assert cells.find([[2, 2]]).tolist() == [0]  # as near to four points: the first
    assert cells.query([[1, 1]], k=2, return_distance=False).tolist() == [[0, 4]]


@pytest.mark.parametrize("size", [1e-300, 1e307, 0.0])
def test_sizes_at_the_ends_of_numbers(size: float) -> None:
    points = size * RANDOM.normal(size=(20, 2))
    cells = VoronoiCells(points)
    assert all(np.isfinite(corners).all() for corners in cells.cells)
    rows = NearestNeighbors(n_neighbors=1, algorithm="brute").fit(points).kneighbors(points, return_distance=False)
    np.testing.assert_array_equal(cells.find(points), rows[:, 0])


def test_names_and_pickles() -> None:
    frame = pd.DataFrame(POINTS["random"], columns=["east", "north"])
    cells = pickle.loads(pickle.dumps(VoronoiCells(frame)))
    assert cells.column_names() == ["east", "north"]
    asked = frame.iloc[:9] + 0.01
    np.testing.assert_array_equal(cells.find(asked[["north", "east"]]), cells.find(asked))
    assert repr(cells) == "VoronoiCells(150 points)"


def test_words() -> None:
    with pytest.raises(DataError, match=r"VoronoiCells: X must have two columns; got 3 columns\."):
        VoronoiCells([[1, 2, 3]])
    with pytest.raises(DataError, match=r"VoronoiCells: box must hold all points; row 1\."):
        VoronoiCells([[1, 2], [9, 9]], box=((0, 4), (0, 4)))
    with pytest.raises(ParameterError, match=r"VoronoiCells: box must be \(\(least x, largest x\)"):
        VoronoiCells([[1, 2]], box=(4, 0))
    with pytest.raises(DataError, match=r"VoronoiCells: k must be at most the number of points; got k=3 with 1 point"):
        VoronoiCells([[1, 2]]).query([[1, 2]], k=3)
    with pytest.raises(DataError, match="VoronoiCells: X must have no missing values"):
        VoronoiCells([[1, np.nan]])
