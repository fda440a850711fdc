"""The part of the plane that is nearest to each point."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import Any

import numpy as np

from pellucid.base.errors import DataError, ParameterError, count, format_message, noun_list, short_repr
from pellucid.base.threads import effective_threads
from pellucid.base.types import Array, Floats
from pellucid.data.design import InputSpec, Schema, apply_schema, infer_schema
from pellucid.models.neighbors.brute import BruteIndex
from pellucid.models.neighbors.metric import Metric
from pellucid.neighbors._tree_of_points import whole_number
from pellucid.neighbors._voronoi_cells import cells_of

__all__ = ["VoronoiCells"]

_NEEDS = InputSpec()
_ROOM = 0.1  # around the points, as a share of the longer side of their box
_BLOCK = 4096  # queries that walk together
_STARTS = 64  # points among which a walk's first one is chosen, at most


class VoronoiCells:
    """Divides a box of the plane into cells, one a point: the places that are nearer to it than to any other point.

    ``cell of p = { v : |v - p| <= |v - q| for all points q }``  within the box.

    A query lies in the cell of its nearest point, so `find` answers as a search for one neighbor does: it walks from
    cell to neighboring cell, each nearer to the query than the last, until no neighboring point is nearer. The k
    nearest points lie in cells that border on each other, and `query` looks at the borders of those found so far.
    Answers are those of comparing with every point, to the last bit, and of points equally near the one with the
    smaller number. Of equal points the first has the cell, and those of the others are empty. Queries outside of the
    box are compared with every point.

    Cells show what a rule by one neighbor does; a few thousand points take about a second. Prefer `KDTree` or
    `NearestNeighbors` for many queries, and in more than two columns.

    Parameters
    ----------
    X : table of two columns, one row a point
    box : ((least x, largest x), (least y, largest y)), optional
        What is divided; it must hold all points. Otherwise their own box with a tenth of its longer side around it.
    n_jobs : threads; None takes all

    Attributes
    ----------
    points : the points, n x 2
    box : what is divided, 2 x 2
    cells : corners of each cell against the clock, corners x 2; none for a point that is equal to an earlier one
    areas : area of each cell; together that of the box
    neighbors : numbers of the points whose cells share an edge with each cell, sorted
    same_as : for each point the number of the first point equal to it

    Examples
    --------
    Two points divide a square along the line amid them:

    >>> halves = VoronoiCells([[1, 2], [3, 2]], box=((0, 4), (0, 4)))
    >>> halves.areas
    array([8., 8.])
    >>> halves.cells[0].tolist()
    [[0.0, 0.0], [2.0, 0.0], [2.0, 4.0], [0.0, 4.0]]
    >>> halves.find([[0.5, 3], [2.5, 1]])
    array([0, 1])
    """

    def __init__(self, X: Any, *, box: Any = None, n_jobs: int | None = None) -> None:
        d = infer_schema(X, _NEEDS, "VoronoiCells")
        if d.n_cols != 2:
            raise DataError(
                format_message("VoronoiCells", "X must have two columns", actual=f"got {count(d.n_cols, 'column')}")
            )
        self.n_jobs = n_jobs
        self._schema: Schema = d.schema
        self.points: Floats = np.array(d.numbers, dtype=np.float64, order="C")
        self._exponent = int(np.frexp(np.abs(self.points).max(initial=0.0))[1])
        self.box = self._own_box() if box is None else self._given_box(box)
        self._divide()

    # ------------------------------------------------------------------------------------------------------- the box

    def _own_box(self) -> Floats:
        points = np.ldexp(self.points, -self._exponent)
        low, high = points.min(axis=0), points.max(axis=0)
        margin = _ROOM * float((high - low).max()) or 0.5
        with np.errstate(over="ignore"):
            box = np.ldexp(np.column_stack([low - margin, high + margin]), self._exponent)
        return np.asarray(np.clip(box, -np.finfo(float).max, np.finfo(float).max))

    def _given_box(self, box: Any) -> Floats:
        who = "VoronoiCells"
        try:
            bounds = np.asarray(box, dtype=np.float64)
        except (TypeError, ValueError):
            bounds = np.empty(0)
        if bounds.shape != (2, 2) or not np.isfinite(bounds).all() or not (bounds[:, 0] < bounds[:, 1]).all():
            requirement = "box must be ((least x, largest x), (least y, largest y))"
            raise ParameterError(format_message(who, requirement, actual=f"got {short_repr(box)}"))
        outside = ~((self.points >= bounds[:, 0]) & (self.points <= bounds[:, 1])).all(axis=1)
        if outside.any():
            raise DataError(
                format_message(who, "box must hold all points", actual=noun_list("row", np.flatnonzero(outside)))
            )
        self._exponent = int(np.frexp(np.abs(bounds).max())[1])
        return bounds

    def _scaled(self, points: Floats) -> Floats:
        """Places in the box, whose longer side is 1: nothing overflows, and rounding is some 1e-16."""
        return np.asarray((np.ldexp(points, -self._exponent) - self._low) / self._side)

    # ------------------------------------------------------------------------------------------------------ the cells

    def _divide(self) -> None:
        scaled = np.ldexp(self.box, -self._exponent)
        self._low, sides = scaled[:, 0], scaled[:, 1] - scaled[:, 0]
        self._side = float(sides.max())
        # Points that the scaling makes equal share a cell: which of them is nearer, their own distances say.
        places = self._scaled(self.points)
        _, first, group = np.unique(places, axis=0, return_index=True, return_inverse=True)
        order = np.argsort(first)  # cells in the order of the points
        group = np.argsort(order)[np.ravel(group)]
        self._first, self._group = first[order], group
        self._places = np.ascontiguousarray(places[self._first])
        self._members = np.split(np.argsort(group, kind="stable"), np.cumsum(np.bincount(group))[:-1])
        self.same_as: Array = self._first[group]
        cells = cells_of(self._places, np.zeros(2), sides / self._side, effective_threads(self.n_jobs))
        n, unit = len(self.points), self._side
        empty = np.empty((0, 2))
        self.cells: list[Floats] = [empty] * n
        self.areas: Floats = np.zeros(n)
        self.neighbors: list[Array] = [np.empty(0, dtype=np.intp)] * n
        for c, (row, cell) in enumerate(zip(self._first.tolist(), cells, strict=True)):
            corners = self._low + (cell.corners + self._places[c]) * unit
            self.cells[row] = np.clip(np.ldexp(corners, self._exponent), self.box[:, 0], self.box[:, 1])
            with np.errstate(over="ignore", under="ignore"):
                self.areas[row] = np.ldexp(_area(cell.corners) * unit**2, 2 * self._exponent)
            self.neighbors[row] = np.unique(self._first[cell.beyond[cell.beyond >= 0]]).astype(np.intp)
        self._link([cell.touching for cell in cells])

    def _link(self, touching: list[Array]) -> None:
        """Cells that a walk may go on to: those that share an edge, or would up to rounding; both ways."""
        here = np.repeat(np.arange(len(touching)), [len(one) for one in touching])
        there = np.concatenate(touching) if len(here) else here
        pairs = np.unique(np.concatenate([np.column_stack([here, there]), np.column_stack([there, here])]), axis=0)
        self._links = pairs[:, 1].astype(np.intp)
        self._starts = np.searchsorted(pairs[:, 0], np.arange(len(touching) + 1))

    def __repr__(self) -> str:
        return f"VoronoiCells({count(len(self.points), 'point')})"

    def column_names(self) -> list[str]:
        """Of the columns; x1 and x2 where they have none."""
        return ["x1", "x2"] if self._schema.names is None else [str(name) for name in self._schema.names]

    # ------------------------------------------------------------------------------------------------------- questions

    def find(self, X: Any) -> Array:
        """The number of the point in whose cell each query lies: its nearest point.

        Parameters
        ----------
        X : table with the columns of the points

        Returns
        -------
        numbers of points, one a query
        """
        queries, places, inside = self._asked(X)
        out = np.empty(len(queries), dtype=np.intp)
        out[~inside] = self._compared(queries[~inside], np.arange(len(self.points)), 1)[1][:, 0]
        where = np.flatnonzero(inside)
        for begin in range(0, len(where), _BLOCK):
            part = where[begin : begin + _BLOCK]
            cells, close = self._walk(places[part])
            out[part] = self._first[cells]
            for at in np.flatnonzero(close | (self._sizes[cells] > 1)).tolist():
                rows = self._around(places[part[at]], int(cells[at]), 1)
                out[part[at]] = self._compared(queries[part[at] : part[at] + 1], rows, 1)[1][0, 0]
        return out

    def query(self, X: Any, k: int = 1, return_distance: bool = True) -> Any:
        """The k nearest points of each query, nearest first, by looking from cell to neighboring cell.

        Parameters
        ----------
        X : table with the columns of the points
        k : how many
        return_distance : with distances?

        Returns
        -------
        (distances, numbers of points), queries x k each; or the numbers alone
        """
        k = whole_number("VoronoiCells", "k", k)
        if k > len(self.points):
            requirement = "k must be at most the number of points"
            raise DataError(
                format_message("VoronoiCells", requirement, actual=f"got k={k} with {count(len(self.points), 'point')}")
            )
        queries, places, inside = self._asked(X)
        distances, rows = np.empty((len(queries), k)), np.empty((len(queries), k), dtype=np.intp)
        distances[~inside], rows[~inside] = self._compared(queries[~inside], np.arange(len(self.points)), k)
        where = np.flatnonzero(inside)
        for begin in range(0, len(where), _BLOCK):
            part = where[begin : begin + _BLOCK]
            for i, cell in zip(part.tolist(), self._walk(places[part])[0].tolist(), strict=True):
                distances[i], rows[i] = self._compared(queries[i : i + 1], self._around(places[i], cell, k), k)
        return (distances, rows) if return_distance else rows

    def _asked(self, X: Any) -> tuple[Floats, Floats, Array]:
        """Queries, their places on the scaled box, and which lie in it."""
        d = apply_schema(X, self._schema, _NEEDS, "VoronoiCells")
        queries = np.ascontiguousarray(d.numbers, dtype=np.float64)
        inside = ((queries >= self.box[:, 0]) & (queries <= self.box[:, 1])).all(axis=1)
        return queries, self._scaled(queries), np.asarray(inside)

    def _compared(self, queries: Floats, rows: Array, k: int) -> tuple[Floats, Array]:
        """The k nearest of some points, by their distances as every index has them."""
        if not len(queries):
            return np.empty((0, k)), np.empty((0, k), dtype=np.intp)
        neighbors = BruteIndex(self.points[rows], Metric()).nearest(queries, k, effective_threads(self.n_jobs))
        return neighbors.distances, rows[neighbors.rows]

    @property
    def _sizes(self) -> Array:
        return np.bincount(self._group)

    def _walk(self, places: Floats) -> tuple[Array, Array]:
        """The cell of each place, and whether another point is as near up to rounding."""
        step = max(1, len(self._places) // _STARTS)
        starts = np.arange(0, len(self._places), step)
        at = starts[_squares(places[:, None], self._places[starts]).argmin(axis=1)]
        far = _squares(places, self._places[at])
        close = np.zeros(len(at), dtype=bool)
        moving = np.arange(len(at))
        while len(moving):
            degrees = np.diff(self._starts)[at[moving]]
            linked = degrees > 0
            moving, degrees = moving[linked], degrees[linked]
            if not len(moving):
                break
            first = np.append(0, np.cumsum(degrees)[:-1])
            along = np.arange(degrees.sum()) - np.repeat(first, degrees) + np.repeat(self._starts[at[moving]], degrees)
            squares = _squares(np.repeat(places[moving], degrees, axis=0), self._places[self._links[along]])
            best = np.minimum.reduceat(squares, first)
            hits = np.flatnonzero(squares == np.repeat(best, degrees))
            hits = hits[np.searchsorted(hits, first)]
            nearer = best < far[moving]
            close[moving[~nearer]] = best[~nearer] <= _reach(far[moving[~nearer]])
            at[moving[nearer]] = self._links[along[hits[nearer]]]
            far[moving[nearer]] = best[nearer]
            moving = moving[nearer]
        return at, close

    def _around(self, place: Floats, cell: int, k: int) -> Array:
        """Points among which the k nearest are: cells are taken in the order of distance, each with its neighbors."""
        heap = [(float(_squares(place, self._places[cell])), cell)]
        seen, taken, limit = {cell}, [], np.inf
        got = 0
        while heap:
            far, c = heappop(heap)
            if far > limit:
                break
            taken.append(c)
            got += len(self._members[c])
            if got >= k and np.isinf(limit):
                limit = float(_reach(far))
            linked = self._links[self._starts[c] : self._starts[c + 1]]
            for square, j in zip(_squares(place, self._places[linked]).tolist(), linked.tolist(), strict=True):
                if j not in seen:
                    seen.add(j)
                    heappush(heap, (square, j))
        return np.sort(np.concatenate([self._members[c] for c in taken]))


def _squares(a: Floats, b: Floats) -> Any:
    apart = a - b
    return apart[..., 0] ** 2 + apart[..., 1] ** 2


def _reach(square: Any) -> Any:
    """What may be as near as this up to rounding, squared."""
    return (np.sqrt(square) * (1 + 1e-9) + 1e-14) ** 2


def _area(corners: Floats) -> float:
    """``1/2 sum (x_v y_w - x_w y_v)``  over corners v and the next ones w."""
    x, y = corners.T
    return float(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2
