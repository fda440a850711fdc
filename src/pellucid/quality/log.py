"""The log of everything that was changed: which cell, from what, to what, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, overload

import numpy as np

from pellucid.base.errors import DataError, count, format_message, short_repr
from pellucid.base.types import Array
from pellucid.data.frames import NewColumn, frame_library, rebuilt
from pellucid.data.table import Table, read_table
from pellucid.quality.cells import Cells, same_cell, same_cells
from pellucid.quality.change import WITH_CELLS, Change, shown
from pellucid.quality.conversions import CONVERSIONS, rewrites
from pellucid.quality.log_file import as_csv, as_json, as_table, from_json

__all__ = ["Change", "ChangeLog"]


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
        """How many cells were changed; one that was changed twice counts once."""
        rows: dict[Any, list[Array]] = {}
        for change in self:
            if change.what in WITH_CELLS:
                rows.setdefault(change.column, []).append(change.rows)
        return sum(
            len(row_lists[0]) if len(row_lists) == 1 else len(np.unique(np.concatenate(row_lists)))
            for row_lists in rows.values()
        )

    @property
    def rows_dropped(self) -> Array:
        """Positions of the rows of the original table that are gone."""
        dropped = [change.rows for change in self if change.what == "rows dropped"]
        return np.sort(np.concatenate(dropped)) if dropped else np.empty(0, dtype=np.int64)

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
        """One entry for each value that was replaced by another, with the number of cells and their rows, column by
        column."""
        return as_table(self)

    def to_frame(self, library: Literal["pandas", "polars"] | bool = True) -> Any:
        """The same as a dataframe; values before and after as text, since one column holds those of all kinds."""
        table = self.to_dict()
        for key in ("before", "after", "column"):
            table[key] = [None if value is None else str(value) for value in table[key]]
        return frame_library("to_frame", library).DataFrame(table)

    def to_csv(self, path: str | Path | None = None) -> str | None:
        """The same as comma-separated text for readers, written to a file if there is a path. It stays small: of very
        many values and rows the first are listed. `to_json` has all of them."""
        return _written(as_csv(self), path)

    # ------------------------------------------------------------------------------------------------------ in a file

    def to_json(self, path: str | Path | None = None) -> str | None:
        """Everything that `replay` needs, as JSON with a checksum, written to a file if there is a path.

        Each change has its rule, and the values that it replaced with the rows as runs: the file is as large as what
        was changed, not as the number of cells.
        """
        return _written(as_json(self, self.n_rows, self.names, self.result), path)

    @classmethod
    def from_json(cls, source: str | Path) -> ChangeLog:
        """A log that `to_json` wrote: a path, or the text itself. One that was altered is refused."""
        return cls(*from_json(source))

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
                column_cells: list[Any] = [None] * table.n_rows
                for row, value in zip(change.rows.tolist(), change.after, strict=True):
                    column_cells[row] = value
                cells[change.column] = Cells.of_values(column_cells, change.kind)
            elif change.what in WITH_CELLS:
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
            actual = f"got {table.n_rows:,} rows and columns {short_repr(list(names))}"
            requirement = (
                f"the table must be the one that was cleaned: {self.n_rows:,} rows, columns "
                f"{short_repr(list(self.names))}"
            )
            raise DataError(format_message(who, requirement, actual=actual, hint="Cleaner.clean works on new tables"))


def _redo(cells: Cells, change: Change, who: str) -> None:
    present = cells.at(change.rows)
    if not same_cells(present, change.before):
        pairs = zip(present, change.before, strict=True)
        i = next(i for i, (a, b) in enumerate(pairs) if not same_cell(a, b))
        where = (
            f"column {change.column!r} holds {shown(present[i])} in row {change.rows[i]}, not {shown(change.before[i])}"
        )
        raise DataError(format_message(who, "every cell must hold what it held when it was cleaned", actual=where))
    if change.what == "type":
        _convert_again(cells, change, who)
    else:
        cells.put(change.rows, change.after, change.kind)


def _convert_again(cells: Cells, change: Change, who: str) -> None:
    """Gives the column its type; other cells than then must not change what they say."""
    make, kind = CONVERSIONS[change.fix.action]
    values = list(map(make(change.fix.settings), cells.values))
    differs = rewrites(change.fix.settings)
    is_rewritten = np.array([differs(a, b) for a, b in zip(cells.values, values, strict=True)] + [False], dtype=bool)
    unknown = np.setdiff1d(np.flatnonzero(is_rewritten[cells.codes]), change.rows)
    if len(unknown):
        where = f"column {change.column!r} holds {shown(cells.at(unknown[:1])[0])} in row {unknown[0]}"
        raise DataError(format_message(who, "every cell must hold what it held when it was cleaned", actual=where))
    cells.retype(values, kind)


def _written(text: str, path: str | Path | None) -> str | None:
    if path is None:
        return text
    Path(path).write_text(text, encoding="utf-8", newline="")
    return None
