"""A cleaned table as a file in which every cell that was not changed has the bytes that it had."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pellucid.data.rewriting import ColumnEdits, Edits, is_text_file, rewrite
from pellucid.data.slices import write_frame
from pellucid.quality.log import ChangeLog

__all__ = ["write_cleaned"]


def write_cleaned(table: Any, log: ChangeLog, out: Path, source: Path | None, who: str) -> None:
    """Writes a cleaned table. From text to text, only the cells that were changed are written anew.

    Parameters
    ----------
    table, log : what `Cleaner.clean` returned
    out : the file to write
    source : the file from which the table was read, if it was a file
    """
    if source is not None and log.names == log.result:
        if is_text_file(source) and is_text_file(out) and rewrite(source, out, edits_of(log), who):
            return
        if source.suffix.lower() == out.suffix.lower() in _JSON_LINES and not log.n_cells and not len(log.rows_dropped):
            out.write_bytes(source.read_bytes())  # "1.50" stays as it is written
            return
    write_frame(table, out, who)


_JSON_LINES = (".jsonl", ".ndjson")


def edits_of(log: ChangeLog) -> Edits:
    """What a log changes in the text of a file. A cell that only got another type keeps its text."""
    columns = []
    for index, name in enumerate(log.names):
        changes = [change for change in log if change.column == name and change.what in ("cells", "type")]
        rows = np.concatenate([change.rows for change in changes] or [np.empty(0, dtype=np.int64)])
        values = [value for change in changes for value in change.after]
        edited, last = np.unique(rows[::-1], return_index=True)  # the last change of a cell counts
        final = [values[len(values) - 1 - i] for i in last.tolist()]
        columns.append(ColumnEdits(index, edited, _texts(final)))
    return Edits([str(name) for name in log.names], log.n_rows, columns, log.rows_dropped)


def _texts(values: Sequence[Any]) -> list[str]:
    times = [value for value in values if isinstance(value, dt.datetime)]
    days = all(time.time() == dt.time() for time in times)
    return [_text(value, days) for value in values]


def _text(value: Any, days: bool) -> str:
    if value is None:
        return ""
    if isinstance(value, dt.datetime):
        return value.date().isoformat() if days else value.isoformat(sep=" ")
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)
