"""Approximate neighbors by cells of k-means."""

from __future__ import annotations

from typing import Any

from pellucid.base.declare import param
from pellucid.models.neighbors.lists import ListIndex
from pellucid.neighbors._approximate import ApproximateNeighbors

__all__ = ["ListNeighbors"]


class ListNeighbors(ApproximateNeighbors):
    """Finds most of the nearest rows of a large table by looking at the nearest cells of it (inverted lists).

    k-means parts the rows into cells, each with a center c. A query q looks at the rows of the ``n_probes`` cells with
    the smallest ``|q - c|`` and at no others:

    ``|q - x|² = |q - c|² + |x - c|² - 2 (q - c)(x - c)``  for a row x of such a cell.

    The products are taken in single precision for many queries at a time; every row that rounding leaves in doubt is
    looked at again in double precision. So within the cells nothing is missed, reported distances are those of
    `NearestNeighbors` to the last bit, and `radius_neighbors` is exact. `fit` looks once at all cells for a sample of
    rows and chooses the smallest number of cells that hold ``recall`` of their neighbors; ``recall_`` is what that
    gave.

    It is the fastest approximate index here to build and to ask. Where rows have no clusters at all a query has to look
    at a large share of them, and the gain over `NearestNeighbors`, which is exact, is small.

    Attributes
    ----------
    index_ : the rows by cell; ``index_.cell_of`` is the cell of each row
    n_cells_, n_probes_ : cells that have rows, and cells that a query looks at
    centers_ : centers of the cells
    recall_ : share of the neighbors of sampled rows that are found; None with given ``n_probes``
    effective_metric_ : the distance
    n_samples_fit_ : number of fitted rows

    Examples
    --------
    >>> from pellucid.neighbors import ListNeighbors
    >>> near = ListNeighbors(n_neighbors=2, n_cells=2).fit([[0], [1], [2], [10], [11], [12]])
    >>> distances, rows = near.kneighbors([[11.5]])
    >>> rows, distances
    (array([[4, 5]]), array([[0.5, 0.5]]))
    >>> near.measured_recall([[11.5], [0.5]])
    1.0

    References
    ----------
    Jégou, Douze and Schmid (2011): Product quantization for nearest neighbor search (its inverted lists).
    """

    n_cells: int | None = param(
        default=None, low=1, doc="Cells; None for three times the root of the number of rows, with 8 rows or more each."
    )
    n_probes: int | None = param(
        default=None, low=1, doc="Cells that a query looks at; None for as few as give the recall."
    )

    def _build(self, rows: Any, settings: dict[str, Any]) -> Any:
        index = ListIndex(rows, self._distance, self.n_cells, self.n_probes, **settings)
        self.n_cells_, self.n_probes_ = index.cells, index.probes
        center, scale, cells = index.arrays[:3]
        self.centers_ = (cells + center) / scale
        return index
