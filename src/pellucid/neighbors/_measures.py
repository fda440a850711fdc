"""Distances that fill a table: of texts, of flags, of mixed rows, by a function of the user's.

A measure is plain data, so that it can be pickled, and a call gives the distances of some queries to all rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from pellucid.base.errors import DataError, format_message, short_repr
from pellucid.base.types import Array, Floats
from pellucid.metrics._booleans import boolean_distances
from pellucid.metrics.edits import damerau_distance, edit_distance, edit_distances, jaro_winkler_similarity
from pellucid.metrics.gower import GowerColumns


class Measure(Protocol):
    """Queries and rows in, a table of distances out."""

    def __call__(self, queries: Any, rows: Any, threads: int) -> Floats:
        """Distances, queries x rows."""
        ...


@dataclass(frozen=True)
class Written:
    """A function of two rows, asked pair by pair: a thousand times slower than a kernel."""

    function: Callable[..., float]
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, queries: Array, rows: Array, threads: int) -> Floats:
        told = [[self.function(x, z, **self.settings) for z in rows] for x in queries]
        table = np.asarray(told, dtype=np.float64).reshape(len(queries), len(rows))
        if np.isnan(table).any():
            i, j = np.argwhere(np.isnan(table))[0]
            actual = f"the function gives NaN for {short_repr(queries[i])} and {short_repr(rows[j])}"
            raise DataError(format_message("metric", "distances must be numbers", actual=actual))
        return table


@dataclass(frozen=True)
class Texts:
    """Edit distances of every pair; the distance of Jaro and Winkler is 1 less their similarity."""

    kind: str
    settings: tuple[tuple[str, float], ...] = ()

    def __call__(self, queries: Array, rows: Array, threads: int) -> Floats:
        told: dict[str, Any] = dict(self.settings)
        plain = told.get("insert", 1) == 1 and told.get("delete", 1) == 1 and told.get("substitute", 1) in (1, 2)
        if self.kind == "edit" and plain:
            cost: Any = 2 if told.get("substitute") == 2 else 1
            table = edit_distances(list(queries), list(rows), substitute=cost, n_jobs=threads)
            return np.asarray(table, dtype=np.float64)
        asked: Any = np.repeat(queries, len(rows)).tolist()
        others: Any = np.tile(rows, len(queries)).tolist()
        found: Any
        if self.kind == "edit":
            found = edit_distance(asked, others, n_jobs=threads, **told)
        elif self.kind == "damerau":
            found = damerau_distance(asked, others, n_jobs=threads)
        else:
            found = 1 - jaro_winkler_similarity(asked, others, n_jobs=threads, **told)
        return np.asarray(found, dtype=np.float64).reshape(len(queries), len(rows))


@dataclass(frozen=True)
class Flagged:
    """Distances of rows of flags by how many agree."""

    kind: str

    def __call__(self, queries: Array, rows: Array, threads: int) -> Floats:
        return boolean_distances("", self.kind, queries, rows)


@dataclass(frozen=True)
class Mixed:
    """Gower's distance of numbers and codes of categories; NaN for rows that have no column in common."""

    columns: GowerColumns

    def __call__(self, queries: Array, rows: Array, threads: int) -> Floats:
        return self.columns.table(queries, rows, threads)
