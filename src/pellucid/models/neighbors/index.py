"""What every index of rows can do."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from pellucid.base.types import Array, Floats


class Found(NamedTuple):
    """The k nearest rows of each query, nearest first; among equals the row with the smaller number first.

    A distance beyond 1.8e308 is infinite, and so is one that is not known (no column in which both rows have a value).
    """

    distances: Floats  # queries x k
    rows: Array  # queries x k


class Neighborhoods(NamedTuple):
    """Rows within a radius, nearest first: those of query i stand from ``starts[i]`` to ``starts[i + 1]``."""

    starts: Array
    distances: Floats
    rows: Array


class Index(Protocol):
    """Rows, arranged so that the nearest ones are found. Exact indices all give the same answer, to the last bit.

    An index is plain data (arrays and settings), so that it can be pickled; queries are arrays of floats or CSR
    matrices, as they came: the index prepares them by its metric.
    """

    def nearest(self, queries: Any, k: int, threads: int) -> Found:
        """The k nearest rows; k is at most the number of rows."""
        ...

    def nearest_others(self, k: int, threads: int) -> Found:
        """The k nearest other rows of each row; k is less than the number of rows.

        A row is left out by its number, not by its distance: its doubles are its nearest neighbors.
        """
        ...

    def within(self, queries: Any, radius: float, threads: int) -> Neighborhoods:
        """All rows at most so far away."""
        ...
