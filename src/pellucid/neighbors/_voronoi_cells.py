"""Voronoi cells of distinct points in a box: the half-planes of the other points are cut away, nearest points first.

The cell of p holds every v with ``|v - p| <= |v - q|`` for all other points q. With u = q - p, and p as the origin,
that is one half-plane a point:

``v · u <= |u|² / 2``

The box is cut by the half-planes of the points in the order of their distance, until they are more than twice as far
away as the farthest corner: the half-planes of all that follow hold the whole cell.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pellucid.base.types import Array, Floats
from pellucid.models.neighbors.kd_tree import KDTreeIndex
from pellucid.models.neighbors.metric import Metric

# The longer side of the box is 1 here; coordinates are right to some 1e-16.
SHORTEST = 1e-12  # edges below are rounding: corners that coincide
TOUCHING = 1e-9  # a half-plane whose edge comes this near to the cell may bound it in exact arithmetic
SLACK = 1 + 1e-9
_FIRST = 24  # neighbors that are asked for at first; more for the few cells that are not closed by them
_LEAF = 30


@dataclass
class CellOfPoint:
    """One cell: corners against the clock, the point as the origin.

    corners : corners x 2
    beyond : for the edge that begins at each corner, the point on its other side; below 0 for a side of the box
    touching : every point whose half-plane bounds the cell or touches it, up to rounding
    """

    corners: Floats
    beyond: Array
    touching: Array


class _Polygon:
    """A convex polygon around the origin that half-planes are cut from."""

    def __init__(self, low: Floats, high: Floats) -> None:
        self.x = [float(low[0]), float(high[0]), float(high[0]), float(low[0])]
        self.y = [float(low[1]), float(low[1]), float(high[1]), float(high[1])]
        self.edge = [-1, -2, -3, -4]
        self.measure()

    def measure(self) -> None:
        """How far the farthest corner is."""
        self.reach = max(a * a + b * b for a, b in zip(self.x, self.y, strict=True)) ** 0.5

    def cut(self, ux: float, uy: float, label: int) -> None:
        """Leaves what lies on this side of the line amid the origin and u."""
        bound = (ux * ux + uy * uy) / 2
        beyond = [a * ux + b * uy - bound for a, b in zip(self.x, self.y, strict=True)]
        if max(beyond) <= 0:
            return
        x, y, edge = [], [], []
        for v in range(len(beyond)):
            w = v + 1 if v + 1 < len(beyond) else 0
            here, there = beyond[v], beyond[w]
            if here <= 0:
                x.append(self.x[v])
                y.append(self.y[v])
                edge.append(self.edge[v])
            if (here <= 0) != (there <= 0):
                t = here / (here - there)
                x.append(self.x[v] + t * (self.x[w] - self.x[v]))
                y.append(self.y[v] + t * (self.y[w] - self.y[v]))
                edge.append(label if here <= 0 else self.edge[v])
        self.x, self.y, self.edge = x, y, edge
        self.measure()


def cells_of(points: Floats, low: Floats, high: Floats, threads: int) -> list[CellOfPoint]:
    """The cells of distinct points within a box, whose longer side is about 1."""
    index = KDTreeIndex(points, Metric(), _LEAF, threads)
    n, cells = len(points), [_Polygon(low - point, high - point) for point in points]
    cut = np.zeros(n, dtype=np.int64)  # how many neighbors each cell has been cut by
    found: list[Array] = [np.empty(0, dtype=np.int64)] * n
    open_, width = np.arange(n), min(n, _FIRST)
    while len(open_):
        near = index.nearest(points[open_], width, threads)
        done = np.zeros(len(open_), dtype=bool)
        for at, i in enumerate(open_.tolist()):
            order = near.rows[at][near.rows[at] != i]
            found[i] = order
            done[at] = _cut_by(cells[i], points, i, order, near.distances[at], int(cut[i]))
            cut[i] = len(order)
        if width == n:
            break
        open_, width = open_[~done], min(n, 4 * width)
    return [_finished(cell, points[i], points[found[i]], found[i]) for i, cell in enumerate(cells)]


def _cut_by(cell: _Polygon, points: Floats, i: int, order: Array, distances: Floats, begin: int) -> bool:
    """Cuts by some neighbors, nearest first; is it certain that no other can cut?"""
    apart = (points[order] - points[i]).tolist()
    for (ux, uy), far, label in zip(
        apart[begin:], distances[len(distances) - len(order) + begin :].tolist(), order[begin:].tolist(), strict=True
    ):
        if far > 2 * cell.reach * SLACK:
            return True
        cell.cut(ux, uy, label)
    return bool(len(order) and distances[-1] > 2 * cell.reach * SLACK)


def _finished(cell: _Polygon, point: Floats, others: Floats, labels: Array) -> CellOfPoint:
    corners, beyond = np.column_stack([cell.x, cell.y]), np.array(cell.edge)
    lengths = np.hypot(*(np.roll(corners, -1, axis=0) - corners).T)
    long = lengths > SHORTEST
    u = others - point
    size = np.hypot(*u.T)
    # How far each half-plane's edge stays away from the nearest corner.
    away = (size / 2) - (corners @ (u / np.where(size > 0, size, 1)[:, None]).T).max(axis=0) if len(u) else size
    touching = labels[away <= TOUCHING]
    return CellOfPoint(corners[long], beyond[long], touching)
