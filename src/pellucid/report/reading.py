"""The table of a job: a file, the answer of a database, a frame in memory, or a table that comes with the package."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pellucid.data.slices import fingerprint_of, n_rows_of, names_of
from pellucid.quality import Finding, read
from pellucid.report.outcome import Source

BUNDLED, BUNDLED_TARGET = "titanic", "survived"


@dataclass(frozen=True)
class Taken:
    """A table that was taken in.

    table : polars frame, or the frame that was given
    source : what is said of it
    findings : what is odd about the file
    lines : the program's lines that read it again
    """

    table: Any
    source: Source
    findings: tuple[Finding, ...]
    lines: tuple[str, ...]


def take_in(data: Any, connect: str | None = None) -> Taken:
    """Reads what a job is about.

    Parameters
    ----------
    data : a path, a frame, SQL where ``connect`` is given, or None for the bundled table
    connect : where the query is asked: sqlite:///file, duckdb:///file or postgresql://...
    """
    if data is None:
        return _bundled(BUNDLED)
    if connect is not None:
        return _queried(str(data), connect)
    if isinstance(data, str | Path):
        found = read(data)
        lines = ("from pellucid.quality import read", f"table = read({str(data)!r}).table")
        return Taken(found.table, _source(Path(data).name, found.table), tuple(found.findings), lines)
    lines = ("table = ...  # the table that was handed over in memory",)
    return Taken(data, _source("a table in memory", data), (), lines)


def _bundled(name: str) -> Taken:
    from pellucid import datasets

    loaded = getattr(datasets, f"load_{name}")(as_frame="polars")
    lines = (f"from pellucid.datasets import load_{name}", f'table = load_{name}(as_frame="polars").frame')
    return Taken(loaded.frame, _source(f"{name}, which comes with pellucid", loaded.frame), (), lines)


def _queried(query: str, connect: str) -> Taken:
    from pellucid.data.database import read_query

    table = read_query(query, connect, "report")
    lines = (
        "from pellucid.data.database import read_query",
        f"table = read_query({query!r}, {connect!r})",
    )
    return Taken(table, _source("a database query", table), (), lines)


def _source(name: str, table: Any) -> Source:
    return Source(name, n_rows_of(table), len(names_of(table)), fingerprint_of(table))
