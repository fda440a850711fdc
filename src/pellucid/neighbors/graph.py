"""Approximate neighbors by walking a graph."""

from __future__ import annotations

from typing import Any

from pellucid.base.declare import param
from pellucid.models.neighbors.graph import GraphIndex
from pellucid.neighbors._approximate import ApproximateNeighbors

__all__ = ["GraphNeighbors"]


class GraphNeighbors(ApproximateNeighbors):
    """Finds most of the nearest rows of a large table by walking from row to row along links (as HNSW does).

    Every row v has links to rows nearby. Of its nearest rows, nearest first, c is taken if it is nearer to v than to
    every row s taken before,

    ``|v - c| < |s - c|``,

    so that links go out in all directions; links are mutual, at most ``n_links`` a row, and a few more where a row
    could not be reached otherwise. A search begins at the middles of the nearest k-means cells, keeps the
    ``search_size`` nearest rows it has met, and goes on along the links of the nearest one not yet gone on from, until
    there is none. With a ``search_size`` of all rows the answer is exact. `fit` chooses the smallest one that finds
    ``recall`` of the neighbors of sampled rows, each asked about as if it were not in the graph; ``recall_`` is what
    that gave.

    Reported distances are those of `NearestNeighbors` to the last bit. The graph is the same on any number of threads.
    Of rows that are equal one is in the graph. `ListNeighbors` is faster to build and to ask, by far so where rows have
    no clusters.

    Attributes
    ----------
    index_ : the rows and their links; ``index_.links`` lists them
    search_size_ : rows that a search keeps
    recall_ : share of the neighbors of sampled rows that are found; None with given ``search_size``
    effective_metric_ : the distance
    n_samples_fit_ : number of fitted rows

    Examples
    --------
    >>> from pellucid.neighbors import GraphNeighbors
    >>> near = GraphNeighbors(n_neighbors=2).fit([[0], [1], [2], [10], [11], [12]])
    >>> distances, rows = near.kneighbors([[11.5]])
    >>> rows, distances
    (array([[4, 5]]), array([[0.5, 0.5]]))
    >>> near.index_.links[1]  # 0 and 2 lie on either side; 10 is nearer to 2
    array([0, 2])

    References
    ----------
    Malkov and Yashunin (2018): Hierarchical navigable small world graphs. Fu, Xiang, Wang and Cai (2019): Navigating
    spreading-out graph. Subramanya et al. (2019): DiskANN.
    """

    n_links: int = param(default=32, low=1, doc="Most links of a row: more find more and take longer.")
    search_size: int | None = param(
        default=None, low=1, doc="Rows that a search keeps; None for as few as give the recall."
    )

    def _build(self, rows: Any, settings: dict[str, Any]) -> Any:
        index = GraphIndex(rows, self._distance, self.n_links, self.search_size, **settings)
        self.search_size_ = index.reach
        return index
