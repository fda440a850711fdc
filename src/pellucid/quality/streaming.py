"""The profile of a table that does not fit into memory: a file or a database, read in parts."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from pellucid.base.errors import DataError, count, format_message, short_repr
from pellucid.data.files import TypedParts, batches, query_batches
from pellucid.quality.accumulator import Accumulator
from pellucid.quality.described import Profile
from pellucid.quality.findings import Finding, Findings

__all__ = ["FileProfile", "profile_file"]


@dataclass(frozen=True)
class FileProfile:
    """What a file holds.

    profile : as `profile` gives it
    findings : cells that do not have the type of their column, and are missing in the profile
    """

    profile: Profile
    findings: Findings = field(repr=False)

    def __str__(self) -> str:
        return f"{self.profile}\n\n{self.findings}" if len(self.findings) else str(self.profile)


def profile_file(
    source: Any,
    *,
    connection: Any = None,
    delimiter: str | None = None,
    rows: int = 200_000,
    associations: bool = True,
    n_jobs: int | None = None,
) -> FileProfile:
    """Describes a table of any size, read in parts, in memory that does not grow with the number of rows.

    The columns of a text file get their types from the first part: numbers, days and times, true and false where every
    cell is one, text otherwise. A cell of a later part that does not have the type of its column is missing in the
    profile, and is told as a finding with its row. What is exact and what is estimated is said by `Accumulator`.

    Parameters
    ----------
    source : a path (.csv, .tsv, .txt, .parquet, .arrow, .feather, .jsonl), a lazy polars frame, or a query
    connection : for a query: a database connection (sqlite3, DuckDB, ADBC ...) or what polars makes one of
    delimiter : what stands between the fields of a text file; found unless told
    rows : rows of a part
    associations : are Pearson's correlations of all pairs of number columns wanted?
    n_jobs : threads; None for all cores

    Examples
    --------
    >>> import sqlite3
    >>> base = sqlite3.connect(":memory:")
    >>> _ = base.execute("create table t as select 1 as n union select 2 union select 6")
    >>> profile_file("select n from t", connection=base).profile["n"].numbers.mean
    3.0
    """
    who = "profile_file"
    if connection is not None:
        frames = query_batches(source, connection, who, rows=rows)
    elif isinstance(source, str | Path) or hasattr(source, "collect_batches"):
        frames = batches(source, who, rows=rows, delimiter=delimiter)
    else:
        requirement = "source must be a path, a lazy polars frame, or a query with its connection"
        raise DataError(
            format_message(
                who, requirement, actual=f"got {type(source).__name__}", hint="profile takes tables that are in memory"
            )
        )
    accumulator, typed = Accumulator(associations=associations, n_jobs=n_jobs), TypedParts()
    for frame in frames:
        if frame.height:
            accumulator.add(typed.add(frame))
    if accumulator.n_rows == 0:
        raise DataError(format_message(who, "the source must have rows", actual="it has none"))
    return FileProfile(accumulator.profile(), _findings(typed, accumulator))


def _findings(typed: TypedParts, accumulator: Accumulator) -> Findings:
    findings = []
    for name, odd in typed.odd.items():
        explanation = (
            f"{count(odd.count, 'cell')} {'is' if odd.count == 1 else 'are'} no {odd.kind}, e.g. "
            f"{short_repr(odd.example)}"
        )
        findings.append(Finding("reading", "error", (name,), np.array(odd.rows, dtype=np.int64), explanation))
    return Findings(findings, accumulator.n_rows, accumulator.names or ())
