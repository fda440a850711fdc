"""A delimited text file written again with some cells changed and some rows left out; every other byte stays.

The text is not parsed into values and written from them: the fields that change are replaced in the text itself, so
that quotes, numbers such as 1.50 or 007, line ends, the header and the encoding of everything else are those of the
file. Where that is not possible (another delimiter is wanted, columns were added or dropped, a quote never closes), the
cells are written again as text, still with the words that stand in the file.
"""

from __future__ import annotations

import bz2
import codecs
import csv
import gzip
import io
import lzma
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pellucid.base.errors import ParameterError, format_message
from pellucid.base.types import Array
from pellucid.data.dialect import closed_quotes, decoded, find_delimiter, split_rows
from pellucid.data.files import PACKED, TEXT_ENDINGS, ending, read_file, unpacked
from pellucid.data.text_layout import TextLayout, find_layout, from_arff, from_svmlight, lines_left_out, with_separators

_QUOTE = '"'
_LOST = "\ufffd".encode()  # stands for bytes that no encoding explains
_TABS = (".tsv", ".tab")  # endings that say what stands between fields


@dataclass(frozen=True)
class ColumnEdits:
    """New texts for cells of one column.

    place : of the column in the file
    rows : positions of the rows, behind the header; ascending
    texts : what the cells hold now; "" for a missing one
    """

    place: int
    rows: Array
    texts: Sequence[str]


@dataclass(frozen=True)
class Edits:
    """What changes in a file: cells, and rows that are left out; ``names`` are the columns as they are read."""

    names: Sequence[str]
    n_rows: int
    columns: Sequence[ColumnEdits]
    dropped: Array

    @property
    def nothing(self) -> bool:
        return not len(self.dropped) and not any(len(column.rows) for column in self.columns)


def is_text_file(path: Path) -> bool:
    """Does the ending say that the file is delimited text?"""
    return ending(path) in TEXT_ENDINGS


def rewrite(source: Path, out: Path, edits: Edits, who: str) -> bool:
    """Writes a text file with edits. False, with nothing written, if the file cannot be cut into the rows of its table.

    Parameters
    ----------
    source, out : paths of delimited text; ``out`` may be ``source``
    edits : for the table as `pellucid.quality.read` gives it
    """
    _check_packing(out, who)
    data = unpacked(source, who)
    text, encoding = _decoded(data, who)
    delimiter = find_delimiter(text, _QUOTE)
    target_delimiter = _wanted_delimiter(source, out, delimiter)
    is_same = edits.nothing and ending(out) == ending(source)
    if ending(out) == ".arff" and not is_same:
        raise ParameterError(
            format_message(who, "a cleaned table is not written as ARFF", actual=f"got {out.name!r}", hint="use .csv")
        )
    if (from_svmlight(text, who)[1] or from_arff(text)[1]) and not is_same:
        return _write_cells_again(source, out, edits, ",", who)
    if target_delimiter != delimiter:
        return _write_cells_again(source, out, edits, target_delimiter, who)
    if edits.nothing and (encoding is not None or _LOST in text):
        same = source.suffix.lower() == out.suffix.lower()
        out.write_bytes(source.read_bytes() if same else _packed(data, out))
        return True
    _, csv_layout, notes = closed_quotes(text, delimiter, _QUOTE)
    layout = find_layout(text, delimiter, _QUOTE, None)
    records = None if notes else _rows_of_table(text, delimiter, not csv_layout["stray"], edits.n_rows, layout)
    new = None if records is None else _spliced(text, records, edits, delimiter)
    if new is None:
        return _write_cells_again(source, out, edits, delimiter, who)
    out.write_bytes(_packed(_encoded(new, encoding), out))
    return True


_PACKING: dict[str, Callable[[bytes], bytes]] = {
    ".gz": lambda data: gzip.compress(data, mtime=0),
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
}


def _check_packing(out: Path, who: str) -> None:
    if out.suffix.lower() in set(PACKED) - set(_PACKING):
        requirement = f"a packed table is written as {', '.join(_PACKING)}"
        raise ParameterError(format_message(who, requirement, actual=f"got {out.name!r}"))


def _packed(data: bytes, out: Path) -> bytes:
    """The bytes of a text as a file with this name holds them: packed if its ending says so."""
    pack = _PACKING.get(out.suffix.lower())
    return data if pack is None else pack(data)


def _wanted_delimiter(source: Path, out: Path, delimiter: str) -> str:
    """That of the source, unless one of the endings says that it is a file of tabs and the other one does not."""
    if (ending(out) in _TABS) == (ending(source) in _TABS):
        return delimiter
    return "\t" if ending(out) in _TABS else ","


# ----------------------------------------------------------------------------------------------------------- encoding


_ENCODINGS = (
    (b"", "utf-8"), (codecs.BOM_UTF8, "utf-8"), (b"", "cp1252"), (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"), (b"", "utf-16-le"), (b"", "utf-16-be"), (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
)  # fmt: skip


@dataclass(frozen=True)
class Encoding:
    """A byte-order mark, or nothing, and the name of an encoding."""

    mark: bytes
    name: str

    def encode(self, text: bytes) -> bytes:
        return self.mark + (text if self.name == "utf-8" else text.decode("utf-8").encode(self.name))


def _decoded(data: bytes, who: str) -> tuple[bytes, Encoding | None]:
    """The text as UTF-8 and the encoding that gives the bytes of the file again; None if no single one does."""
    text, _ = decoded(data, None, who)
    for mark, name in _ENCODINGS:
        if data.startswith(mark):
            try:
                encoding = Encoding(mark, name)
                if encoding.encode(text) == data:
                    return text, encoding
            except UnicodeEncodeError:
                continue
    return text, None


def _encoded(text: bytes, encoding: Encoding | None) -> bytes:
    if encoding is None:
        return text
    try:
        return encoding.encode(text)
    except UnicodeEncodeError:  # a repaired letter that the old encoding does not have
        return text


# ------------------------------------------------------------------------------------------------------ rows and cells


def _rows_of_table(text: bytes, delimiter: str, exact: bool, n_rows: int, layout: TextLayout) -> Array | None:
    """Begin and end of the rows behind the header, without lines that are no rows, such as titles and units.

    Whether a last row of totals is one of them depends on its numbers: the number of rows decides.
    """
    has_header = int(layout.decision.is_header)
    removed = lines_left_out(text, layout.text)
    for lines in (removed, removed[:-1]) if layout.total else (removed,):
        records = _records(text, delimiter, exact, n_rows + has_header, lines)
        if records is not None:
            return records[has_header:]
    return None


def _records(text: bytes, delimiter: str, exact: bool, n_records: int, left_out: Array) -> Array | None:
    """Begin and end of the rows, in two columns; None if it is not certain which bytes each of them has.

    Whether an empty line is a row depends on the reader: the number of rows of its table decides. ``left_out`` : lines,
    counted from 0, that are no rows.
    """
    if b"\r" in text.replace(b"\r\n", b""):
        return None
    ends = _ends_of_lines(text) if exact else _ends_by_fields(text, delimiter)
    records = np.column_stack([np.append(0, ends[:-1]), ends])
    if len(left_out):
        line_ends = np.flatnonzero(np.frombuffer(text, dtype=np.uint8) == ord("\n"))
        records = records[~np.isin(np.searchsorted(line_ends, records[:, 0]), left_out)]
    blank = np.zeros(len(records), dtype=bool)
    for i in np.flatnonzero(records[:, 1] - records[:, 0] <= 2).tolist():
        start, end = records[i].tolist()
        blank[i] = not text[start:end].strip(b"\r\n")
    for rows in (records[~blank], records):
        if len(rows) == n_records:
            return rows
    return None


def _ends_of_lines(text: bytes) -> Array:
    """Where lines end, except inside quotes: behind an odd number of them."""
    letters = np.frombuffer(text, dtype=np.uint8)
    quotes, lines = np.flatnonzero(letters == ord(_QUOTE)), np.flatnonzero(letters == ord("\n"))
    ends = lines[np.searchsorted(quotes, lines) % 2 == 0] + 1
    return ends if len(ends) and ends[-1] == len(text) else np.append(ends, len(text))


def _field(delimiter: str) -> re.Pattern[bytes]:
    """A field and what ends it, as Python's ``csv`` reads them: text may follow a closing quote."""
    end = re.escape(delimiter.encode())
    return re.compile(rb'("(?:[^"]|"")*"[^' + end + rb"\r\n]*|[^" + end + rb"\r\n]*)(" + end + rb"|\r?\n|\Z)")


def _ends_by_fields(text: bytes, delimiter: str) -> Array:
    """The same where quotes stand amidst fields, field by field."""
    ends = [match.end() for match in _field(delimiter).finditer(text) if match[2] != delimiter.encode()]
    return np.array(sorted({end for end in ends if end}), dtype=np.int64)


def _spliced(text: bytes, records: Array, edits: Edits, delimiter: str) -> bytes | None:
    """The text with the fields of the edited rows replaced."""
    pattern, out, behind = _field(delimiter), io.BytesIO(), 0
    dropped = set(edits.dropped.tolist())
    for row, cells in _by_row(edits):
        start, end = records[row].tolist()
        out.write(text[behind:start])
        behind = end
        if row in dropped:
            continue
        line = _with_cells(text[start:end], cells, pattern, delimiter)
        if line is None:
            return None
        out.write(line)
    out.write(text[behind:])
    return out.getvalue()


def _by_row(edits: Edits) -> Iterator[tuple[int, list[tuple[int, str]]]]:
    """Rows that change, in order, each with its new cells."""
    n_cells = sum(len(column.rows) for column in edits.columns)
    rows = np.concatenate([edits.dropped, *(column.rows for column in edits.columns)]).astype(np.int64)
    columns = np.concatenate(
        [np.full(len(edits.dropped), -1), *(np.full(len(column.rows), column.place) for column in edits.columns)]
    ).astype(np.int64)
    texts = [""] * (len(rows) - n_cells) + [text for column in edits.columns for text in column.texts]
    cells: list[tuple[int, str]] = []
    order = np.lexsort((columns, rows)).tolist()
    for k, i in enumerate(order):
        if columns[i] >= 0:
            cells.append((int(columns[i]), texts[i]))
        if k + 1 == len(order) or rows[order[k + 1]] != rows[i]:
            yield int(rows[i]), cells
            cells = []


def _with_cells(
    line: bytes, cells: Sequence[tuple[int, str]], pattern: re.Pattern[bytes], delimiter: str
) -> bytes | None:
    """A row with new cells; a field that was quoted stays so. None if the row is too short to have the cell."""
    fields = []
    for match in pattern.finditer(line):
        fields.append([match[1], match[2]])
        if match[2] != delimiter.encode():
            break
    for index, text in cells:
        if index >= len(fields):
            return None
        old = fields[index][0]
        fields[index][0] = _quoted(text, delimiter, always=old[:1] == _QUOTE.encode() and bool(text))
    return b"".join(piece for field in fields for piece in field)


def _quoted(text: str, delimiter: str, always: bool) -> bytes:
    if always or any(sign in text for sign in (delimiter, _QUOTE, "\n", "\r")):
        text = _QUOTE + text.replace(_QUOTE, _QUOTE * 2) + _QUOTE
    return text.encode("utf-8")


def _header_of(source: Path, frame: Any, who: str) -> list[str]:
    """The header as it stands in a file, with names for more columns; none if the file has none."""
    text = _decoded(unpacked(source, who), who)[0]
    delimiter = find_delimiter(text, _QUOTE)
    if (
        with_separators(text, delimiter)[2]
        or from_arff(text)[1]
        or from_svmlight(text, "clean")[1]
        or text[:4].lower() == b"sep="
    ):
        return list(frame.columns)
    layout = find_layout(text, delimiter, _QUOTE, None)
    if not layout.decision.is_header:
        return []
    rows = split_rows(layout.text[: 1 << 16].decode("utf-8", errors="ignore"), delimiter, _QUOTE)
    header = rows[0][: frame.width]
    return list(frame.columns) if layout.row_names else [*header, *frame.columns[len(header) :]]


def _write_cells_again(source: Path, out: Path, edits: Edits, delimiter: str, who: str) -> bool:
    """All cells written as the texts that they are in the file."""
    frame: Any = read_file(source, who, typed=False).frame
    if frame.height != edits.n_rows or list(frame.columns) != list(edits.names):
        return False
    columns = [["" if cell is None else str(cell) for cell in column.to_list()] for column in frame.get_columns()]
    for edit in edits.columns:
        for row, text in zip(edit.rows.tolist(), edit.texts, strict=True):
            columns[edit.place][row] = text
    header = _header_of(source, frame, who)
    dropped = set(edits.dropped.tolist())
    written = io.StringIO(newline="")
    writer = csv.writer(written, delimiter=delimiter, lineterminator="\n")
    if header:
        writer.writerow(header)
    writer.writerows(cells for row, cells in enumerate(zip(*columns, strict=True)) if row not in dropped)
    out.write_bytes(_packed(written.getvalue().encode("utf-8"), out))
    return True
