"""Workbooks: the sheet that holds a table, and where in it the table begins."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pellucid.base.errors import DataError, MissingExtraError, count, format_message, join_some, short_repr
from pellucid.data.dialect import Note
from pellucid.data.text_layout import TOTAL_WORDS
from pellucid.data.text_totals import summed_columns

MAX_ABOVE = 40  # rows above a header
_ENGINES = {"fastexcel": "calamine", "openpyxl": "openpyxl"}


def read_workbook(
    path: Path, who: str, polars: Any, sheet: str | None, keep_all: bool = False
) -> tuple[Any, list[Note]]:
    """The table of a sheet, and notes on what was left out.

    Parameters
    ----------
    sheet : its name; None for the first one that holds a table, rather one of several columns than a list or a remark
    keep_all : whether a last row with the sums of the others stays a row
    """
    engine = next((engine for package, engine in _ENGINES.items() if find_spec(package) is not None), None)
    if engine is None:
        requirement = "reading .xlsx files needs fastexcel, which is not installed"
        raise MissingExtraError(format_message(who, requirement, actual="", hint="pip install fastexcel"))
    names = _sheet_names(path, engine)
    if sheet is not None and names and sheet not in names:
        actual = f"{path.name!r} has {join_some(map(repr, names), 12)}"
        raise DataError(format_message(who, f"sheet={sheet!r} must be a sheet of the workbook", actual=actual))
    if engine != "calamine":
        return polars.read_excel(path, engine=engine, **({"sheet_name": sheet} if sheet else {})), []
    header_rows = {name: _first_row(polars, path, name) for name in ([sheet] if sheet is not None else names)}
    tables = {name: header_row for name, header_row in header_rows.items() if header_row is not None}
    if not tables:
        raise DataError(
            format_message(who, "the workbook must hold a table", actual=f"every sheet of {path.name!r} is empty")
        )
    name, (start, _) = next((entry for entry in tables.items() if entry[1][1] > 1), next(iter(tables.items())))
    frame = polars.read_excel(path, engine=engine, sheet_name=name, read_options={"header_row": start})
    notes = []
    if start:
        note = f"{count(start, 'row')} above the table of sheet {name!r} {'is' if start == 1 else 'are'} left out"
        notes.append(Note("note", note))
    other_names = [repr(sheet_name) for sheet_name in names if sheet_name != name]
    if other_names and sheet is None:
        left_out = join_some(other_names, 6)
        note = f"the table is that of sheet {name!r}; not read: {left_out} (in Python, sheet= chooses another one)"
        notes.append(Note("warning", note))
    frame = _named(frame, notes)
    return frame if keep_all else _without_totals(frame, notes), notes


def _without_totals(frame: Any, notes: list[Note]) -> Any:
    """The rows above a last one that is called a total and holds the sums of the others."""
    if not frame.height:
        return frame
    last = ["" if cell is None else str(cell) for cell in frame.row(-1)]
    label = next((cell.strip() for cell in last if cell.strip()), "")
    summed = summed_columns(frame[:-1], last) if TOTAL_WORDS.fullmatch(label) else []
    if not summed:
        return frame
    sums = join_some(map(repr, summed), 6)
    message = f"the last row, {short_repr(label)}, holds the sums of {sums}: it is left out (keep_all=True keeps it)"
    notes.append(Note("warning", message))
    return frame[:-1]


def _sheet_names(path: Path, engine: str) -> list[str]:
    if engine == "calamine":
        import fastexcel

        return list(fastexcel.read_excel(path).sheet_names)
    return []


def _first_row(polars: Any, path: Path, name: str | None) -> tuple[int, int] | None:
    """The row of the header, the first one in which most columns have a text, and how many cells most rows have; None
    of a sheet without a table."""
    options = {"header_row": None, "skip_rows": 0, "n_rows": MAX_ABOVE + 20, "dtypes": "string"}
    try:
        head = polars.read_excel(
            path, engine="calamine", sheet_name=name, read_options=options, drop_empty_rows=False, drop_empty_cols=False
        )
    except polars.exceptions.NoDataError:
        return None
    filled = [sum(cell is not None and cell.strip() != "" for cell in row) for row in head.rows()]
    if len(filled) < 2 or not head.width:
        return None
    width = sorted(filled)[len(filled) // 2]
    min_cells = max(1 if width == 1 else 2, 0.6 * width)
    first = next((k for k, n in enumerate(filled[:MAX_ABOVE]) if n >= min_cells), None)
    return None if first is None or sum(filled) - sum(filled[: first + 1]) == 0 else (first, width)


def _named(frame: Any, notes: list[Note]) -> Any:
    """The frame with plain names for columns that have none."""
    empty = [name for name in frame.columns if name.startswith("__UNNAMED__")]
    empty_columns = [name for name in empty if frame[name].null_count() == frame.height]
    named_frame = frame.drop(empty_columns)
    names = {name: f"column_{named_frame.columns.index(name) + 1}" for name in empty if name not in empty_columns}
    if names:
        notes.append(Note("warning", f"columns without a name are called {short_repr(list(names.values()))}"))
    return named_frame.rename(names)
