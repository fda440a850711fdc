"""Files as tables, with what is odd about them as findings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pellucid.data.files import read_file
from pellucid.quality.findings import Finding, Findings

__all__ = ["Reading", "read"]


@dataclass(frozen=True)
class Reading:
    """A table that was read from a file.

    table : polars frame
    findings : what is odd about the file: its encoding, rows of another length, names that were mended
    """

    table: Any
    findings: Findings


def read(
    path: str | Path,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    typed: bool = True,
    keep_all: bool = False,
    sheet: str | None = None,
) -> Reading:
    """Reads a table from a file so that nothing is lost, and says what is odd about the file.

    Text files (CSV, TSV, packed or not): the delimiter is found, a byte-order mark taken off, lines that are not UTF-8
    are read as Windows-1252, a quote that never closes is read as a character, rows that are too short are filled up,
    what is too much in a row stands in columns of its own, columns without a name or with the name of another get one.
    A column gets a type if every cell has it and nothing is lost by it: numbers with leading zeros stay text.

    Parameters
    ----------
    path : the file: .csv, .tsv, .txt, .data (also .gz, .bz2, .xz, .zip), .parquet, .arrow, .feather, .json, .jsonl or
        .xlsx
    delimiter : what stands between fields; found unless told, also blanks and columns of a fixed width
    encoding : of a text file; found unless told
    header : whether the first row of a text file names the columns; decided from the values by default, and stated
        where it is not certain
    typed : do columns of a text file get types? False: everything stays text.
    keep_all : whether lines that are no rows stay rows: comments and titles above the header, units below it, the
        header again, notes and totals at the end; by default they are left out, and each is stated
    sheet : the name of the sheet of a workbook; by default the first one that holds a table

    Returns
    -------
    Reading

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "ragged.csv"
    ...     _ = file.write_text("name;age\\nAda;36\\nBob\\n")
    ...     found = read(file)
    >>> found.table["age"].to_list()
    [36, None]
    >>> print(found.findings[0])
    warning table: 1 row of fewer than 2 fields; what is not there is missing (row 1)
    """
    loaded = read_file(
        path,
        "read",
        delimiter=delimiter,
        encoding=encoding,
        header=header,
        typed=typed,
        keep_all=keep_all,
        sheet=sheet,
    )
    findings = [
        Finding("reading", note.severity, tuple(note.columns), np.array(note.rows, dtype=np.int64), note.text)
        for note in loaded.notes
    ]
    return Reading(loaded.frame, Findings(findings, loaded.frame.height, loaded.frame.columns))
