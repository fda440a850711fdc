"""The table of a job: a file, the answer of a database, a frame in memory, or a table that comes with the package."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from pellucid.base.errors import DataError, count, format_message, join_some
from pellucid.data.baskets import Baskets, basket_lines_of_file, baskets_from_file, pairs_of
from pellucid.data.slices import fingerprint_of, n_rows_of, names_of, row_of
from pellucid.quality import Finding, read
from pellucid.report.outcome import Source

EXAMPLES = 3  # rows that are shown of each finding
BasketLines = Literal["recognized", "always", "never"]
BUNDLED, BUNDLED_TARGET = "titanic", "survived"


@dataclass(frozen=True)
class Dataset:
    """A table that was taken in.

    table : polars frame, or the frame that was given
    source : what is said of it
    findings : what is odd about the file
    lines : the program's lines that read it again
    baskets : the baskets of a file that holds one per line; None of a table
    evidence : why the file is thought to hold one basket per line
    origin : the file whose rows these are, if it is one
    """

    table: Any
    source: Source
    findings: tuple[Finding, ...]
    lines: tuple[str, ...]
    baskets: Baskets | None = None
    evidence: tuple[str, ...] = ()
    origin: Path | None = None


def load_dataset(
    data: Any, connect: str | None = None, fingerprint: bool = True, basket_lines: BasketLines = "recognized"
) -> Dataset:
    """Reads what a job is about.

    Parameters
    ----------
    data : a path, a frame, SQL where ``connect`` is given, or None for the bundled table
    fingerprint : whether to work it out, which reads every cell
    connect : where the query is asked: sqlite:///file, duckdb:///file or postgresql://...
    basket_lines : whether a file may hold one basket per line: if it is recognized as such, always, or never
    """
    if basket_lines != "never" and connect is None and isinstance(data, str | Path):
        layout = basket_lines_of_file(data, forced=basket_lines == "always")
        if layout is not None:
            return _lines_taken(Path(data), layout.evidence, fingerprint)
    origin = None
    if data is None:
        name, table, odd, lines = _bundled(BUNDLED)
    elif connect is not None:
        name, table, odd, lines = _queried(str(data), connect)
    elif isinstance(data, str | Path):
        found = read(data)
        name, table, odd, origin = Path(data).name, found.table, tuple(found.findings), Path(data)
        lines = ("from pellucid.quality import read", f"table = read({str(data)!r}).table")
    else:
        name, table, odd = "a table in memory", data, ()
        lines = ("table = ...  # the table that was handed over in memory",)
    if not n_rows_of(table):
        names = names_of(table)
        size = f"{name} has {count(len(names), 'column')} and no row: {join_some(map(repr, names), 8)}"
        raise DataError(format_message("report", "the table must have rows", actual=size))
    made = fingerprint_of(table) if fingerprint else ""
    return Dataset(table, Source(name, n_rows_of(table), len(names_of(table)), made), odd, lines, origin=origin)


def _lines_taken(path: Path, evidence: tuple[str, ...], fingerprint: bool) -> Dataset:
    """A file with one basket per line: as baskets, and as a table of pairs for its description."""
    baskets = baskets_from_file(path, "report")
    table = pairs_of(baskets)
    text = f"the file holds one basket per line ({'; '.join(evidence)}), and is shown as pairs of basket and item"
    finding = Finding("reading", "note", (), np.empty(0, dtype=np.int64), text)
    made = fingerprint_of(table) if fingerprint else ""
    source = Source(path.name, n_rows_of(table), len(names_of(table)), made)
    lines = ("from pellucid.association import read_baskets", f"table = read_baskets({str(path)!r})")
    return Dataset(table, source, (finding,), lines, baskets, evidence)


def example_rows(findings: Iterable[Finding], table: Any) -> dict[int, tuple[Any, ...]]:
    """The cells of the first rows of each finding, by their position."""
    rows = sorted({int(row) for finding in findings for row in finding.rows[:EXAMPLES]})
    return {row: tuple(value for _, value in row_of(table, row)) for row in rows}


Found = tuple[str, Any, tuple[Finding, ...], tuple[str, ...]]


def _bundled(name: str) -> Found:
    from pellucid import datasets

    loaded = getattr(datasets, f"load_{name}")(as_frame="polars")
    lines = (f"from pellucid.datasets import load_{name}", f'table = load_{name}(as_frame="polars").frame')
    return f"{name}, which comes with pellucid", loaded.frame, (), lines


def _queried(query: str, connect: str) -> Found:
    from pellucid.data.database import read_query, without_password

    shown = without_password(connect)
    lines = ["from pellucid.data.database import read_query"]
    if shown != connect:
        lines.append("# The password is not written here: set PGPASSWORD, or put it into ~/.pgpass.")
    lines.append(f"table = read_query({query!r}, {shown!r})")
    return "a database query", read_query(query, connect, "report"), (), tuple(lines)
