"""The log of everything that was changed: which cell, from what, to what, and why."""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, overload

import numpy as np

from pellucid.base.errors import DataError, count, sentence, short
from pellucid.base.types import Array
from pellucid.data.frames import NewColumn, frame_library, rebuilt
from pellucid.data.kinds import Kind
from pellucid.data.table import Table, read_table
from pellucid.quality.cells import Cells, same_cell, same_cells
from pellucid.quality.conversions import CONVERSIONS
from pellucid.quality.findings import Remedy

__all__ = ["Change", "ChangeLog"]

What = Literal["cells", "type", "rows dropped", "column dropped", "column added"]


@dataclass(frozen=True)
class Change:
    """What one remedy did to one column, or which rows it dropped.

    step : number of the remedy in the order in which they were applied, from 1
    what : "cells"; "type", where a column got another type, and the rows are those whose text says something else now;
        "rows dropped", "column dropped" or "column added"
    column : the name of the column; None where whole rows were dropped
    rows : positions of the rows in the original table
    before, after : the values of these cells; None is a missing one
    kind : what the column holds afterwards
    """

    step: int
    remedy: Remedy
    why: str
    what: What
    column: Any
    rows: Array
    before: list[Any] = field(default_factory=list)
    after: list[Any] = field(default_factory=list)
    kind: Kind = Kind.TEXT

    def __str__(self) -> str:
        where = "" if self.column is None else f"{self.column}: "
        if self.what in ("cells", "type"):
            said = f"type {self.kind}" if self.what == "type" else ""
            if len(self.rows):
                first = f"{_shown(self.before[0])} -> {_shown(self.after[0])}"
                said += ", " if said else ""
                said += f"{count(len(self.rows), 'cell')} changed, e.g. row {self.rows[0]}: {first}"
        elif self.what == "rows dropped":
            said = f"{count(len(self.rows), 'row')} dropped"
        else:
            said = self.what
        return f"{self.step:>3}. {where}{said}; {self.why}"


def _shown(value: Any) -> str:
    return "missing" if value is None else str(value) if isinstance(value, dt.datetime) else short(value)


class ChangeLog(Sequence[Change]):
    """All changes, in the order in which they were made. `replay` makes them again."""

    def __init__(self, changes: Sequence[Change], n_rows: int, names: Sequence[Any], result: Sequence[Any]) -> None:
        self._changes = tuple(changes)
        self.n_rows = n_rows
        self.names = tuple(names)
        self.result = tuple(result)

    @overload
    def __getitem__(self, index: int) -> Change: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Change]: ...
    def __getitem__(self, index: int | slice) -> Change | Sequence[Change]:
        return self._changes[index]

    def __len__(self) -> int:
        return len(self._changes)

    def __iter__(self) -> Iterator[Change]:
        return iter(self._changes)

    @property
    def n_cells(self) -> int:
        """How many cells were changed; one that was changed twice counts twice."""
        return sum(len(change.rows) for change in self if change.what in ("cells", "type"))

    @property
    def rows_dropped(self) -> Array:
        """Positions of the rows of the original table that are gone."""
        gone = [change.rows for change in self if change.what == "rows dropped"]
        return np.sort(np.concatenate(gone)) if gone else np.empty(0, dtype=np.int64)

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        if not self._changes:
            return f"nothing was changed in {self.n_rows:,} rows"
        head = (
            f"{count(self.n_cells, 'cell')} changed, {count(len(self.rows_dropped), 'row')} of {self.n_rows:,} dropped"
        )
        return "\n".join([head, *map(str, self)])

    # ----------------------------------------------------------------------------------------------------- as a table

    def to_dict(self) -> dict[str, list[Any]]:
        """One entry for each changed cell and each dropped row, column by column."""
        table: dict[str, list[Any]] = {
            key: [] for key in ("step", "what", "row", "column", "before", "after", "remedy", "why")
        }
        for change in self:
            n = max(len(change.rows), 1 if change.what in ("column added", "column dropped") else 0)
            cells = change.what in ("cells", "type", "column added")
            table["step"] += [change.step] * n
            table["what"] += [change.what] * n
            table["row"] += change.rows.tolist() or [None] * n
            table["column"] += [change.column] * n
            table["before"] += change.before if change.what in ("cells", "type") else [None] * n
            table["after"] += change.after if cells else [None] * n
            table["remedy"] += [str(change.remedy)] * n
            table["why"] += [change.why] * n
        return table

    def to_frame(self, library: Literal["pandas", "polars"] | bool = True) -> Any:
        """The same as a dataframe; values before and after as text, since one column holds those of all kinds."""
        table = self.to_dict()
        for key in ("before", "after", "column"):
            table[key] = [None if value is None else str(value) for value in table[key]]
        return frame_library("to_frame", library).DataFrame(table)

    def to_csv(self, path: str | Path | None = None) -> str | None:
        """The same as comma-separated text, written to a file if there is a path."""
        out = io.StringIO(newline="")
        table = self.to_dict()
        writer = csv.writer(out)
        writer.writerow(table)
        writer.writerows(zip(*table.values(), strict=True))
        if path is None:
            return out.getvalue()
        Path(path).write_text(out.getvalue(), encoding="utf-8", newline="")
        return None

    # ------------------------------------------------------------------------------------------------------ in a file

    def to_json(self, path: str | Path | None = None) -> str | None:
        """Everything that `replay` needs, as JSON, written to a file if there is a path."""
        held = {
            "n_rows": self.n_rows,
            "names": [_plain(name) for name in self.names],
            "result": [_plain(name) for name in self.result],
            "changes": [
                {
                    "step": change.step,
                    "remedy": change.remedy.to_dict(),
                    "why": change.why,
                    "what": change.what,
                    "column": _plain(change.column),
                    "rows": change.rows.tolist(),
                    "before": [_plain(value) for value in change.before],
                    "after": [_plain(value) for value in change.after],
                    "kind": str(change.kind),
                }
                for change in self
            ],
        }
        text = json.dumps(held, ensure_ascii=False)
        if path is None:
            return text
        Path(path).write_text(text, encoding="utf-8")
        return None

    @classmethod
    def from_json(cls, source: str | Path) -> ChangeLog:
        """A log that `to_json` wrote: a path, or the text itself."""
        text = source.read_text(encoding="utf-8") if isinstance(source, Path) else source
        if not text.lstrip().startswith("{"):
            text = Path(text).read_text(encoding="utf-8")
        held = json.loads(text)
        changes = [
            Change(
                int(one["step"]),
                Remedy.from_dict(one["remedy"]),
                one["why"],
                one["what"],
                _typed(one["column"]),
                np.array(one["rows"], dtype=np.int64),
                [_typed(value) for value in one["before"]],
                [_typed(value) for value in one["after"]],
                Kind(one["kind"]),
            )
            for one in held["changes"]
        ]
        return cls(changes, held["n_rows"], [_typed(n) for n in held["names"]], [_typed(n) for n in held["result"]])

    # --------------------------------------------------------------------------------------------------------- replay

    def replay(self, X: Any) -> Any:
        """Makes every change again on the original table: the result is the cleaned table, cell by cell.

        Each cell must hold what it held then; one that does not is named.
        """
        who = "replay"
        table = read_table(X, who)
        self._check_table(table, who)
        cells: dict[Any, Cells] = {}
        rows = np.arange(table.n_rows)
        for change in self:
            if change.what == "rows dropped":
                rows = rows[~np.isin(rows, change.rows)]
            elif change.what == "column added":
                whole: list[Any] = [None] * table.n_rows
                for row, value in zip(change.rows.tolist(), change.after, strict=True):
                    whole[row] = value
                cells[change.column] = Cells.of_values(whole, change.kind)
            elif change.what in ("cells", "type"):
                if change.column not in cells:
                    cells[change.column] = Cells.of(table, self._place(change.column))
                _redo(cells[change.column], change, who)
        new = {name: NewColumn(column.at(rows), column.kind) for name, column in cells.items() if name in self.result}
        return rebuilt(table, rows if len(rows) < table.n_rows else None, self.result, new)

    def _place(self, column: Any) -> int:
        return self.names.index(column)

    def _check_table(self, table: Table, who: str) -> None:
        names = table.names if table.names is not None else tuple(f"x{j}" for j in range(table.n_cols))
        if tuple(names) != self.names or table.n_rows != self.n_rows:
            found = f"got {table.n_rows:,} rows and columns {short(list(names))}"
            must = (
                f"the table must be the one that was cleaned: {self.n_rows:,} rows, columns {short(list(self.names))}"
            )
            raise DataError(sentence(who, must, found, "Cleaner.clean works on new tables"))


def _redo(cells: Cells, change: Change, who: str) -> None:
    found = cells.at(change.rows)
    if not same_cells(found, change.before):
        pairs = zip(found, change.before, strict=True)
        i = next(i for i, (a, b) in enumerate(pairs) if not same_cell(a, b))
        where = (
            f"column {change.column!r} holds {_shown(found[i])} in row {change.rows[i]}, not {_shown(change.before[i])}"
        )
        raise DataError(sentence(who, "every cell must hold what it held when it was cleaned", where))
    if change.what == "type":
        make, kind = CONVERSIONS[change.remedy.action]
        cells.retype(list(map(make(change.remedy.settings), cells.values)), kind)
    else:
        cells.put(change.rows, change.after, change.kind)


def _plain(value: Any) -> Any:
    """A cell as JSON has it: what it has no words for is named with its type."""
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int | float | np.number):
        number = value.item() if isinstance(value, np.generic) else value
        return number if np.isfinite(number) else {"number": repr(number)}
    if isinstance(value, dt.datetime | dt.date):
        return {"time": value.isoformat()}
    return {"text": str(value)}


def _typed(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    (kind, text), *_ = value.items()
    if kind == "time":
        return dt.datetime.fromisoformat(text)
    return float(text) if kind == "number" else text
