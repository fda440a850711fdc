"""Where the table of a text file begins and ends, and what stands around it.

Above the header there may be comments, a title and facts about the file; below it the units of the columns; inside,
the header again; at the end a source, a note, or a row of totals. None of these is a row of data: they are left out,
and each is stated. Nothing else is left out.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from pellucid.base.errors import DataError, count, format_message, join_some, short_repr
from pellucid.base.types import Array
from pellucid.data.dialect import DELIMITERS, Note
from pellucid.data.text_header import MISSING, HeaderDecision, decide_header, kind_of_cell

SAMPLE = 1 << 18  # bytes at the beginning by which the layout is found
TAIL = 1 << 14  # bytes at the end
MAX_ABOVE = 40  # lines above a header
MAX_BELOW = 10  # lines below the last row
_COMMENTS = ("#", "%", "//", "--")
_UNIT = re.compile(
    r"[\[(].{1,15}[\])]|[°µ%‰]\w{0,3}|[kMGmcdnµ]?(m|g|s|W|Wh|Pa|Hz|V|A|J|K|N|l|L|mol|bar|B|eV)([²³23]|\^[0-9])?"
    r"|[a-zA-Zµ]{1,4}(/|·|\*)[a-zA-Zµ0-9²³^]{1,6}([/·][a-zA-Z0-9]{1,4})?|ha|t|h|min|days?|years?|USD|EUR|GBP|"
    r"mmHg|ppm|ppb|km|cm|mm|kg|mg|ft|in|lb|oz|count|units?|pcs|deg|rad|dB|psi|rpm|bpm|cmH2O|IU|[a-z]{1,3}-[0-9]|-"
)
_NOTE_WORDS = re.compile(r"(source|note|notes|generated|exported|quelle|fuente|copyright|©|\*|\(|legend|end of)", re.I)
TOTAL_WORDS = re.compile(
    r"(grand |sub)?(total|totals|sum|summe|gesamt|gesamtsumme|insgesamt|totaal|totale|suma|somme|sums)[:.]?", re.I
)


@dataclass(frozen=True)
class TextLayout:
    """A text without what is not a row of the table.

    text : the header and the rows
    decision : whether the first row is a header, and why
    row_names : whether the header has no name for a first column that numbers or names the rows
    total : the last row, which may be a total of the others and is not in the text; empty if there is none
    notes : what was left out, and what was decided
    """

    text: bytes
    decision: HeaderDecision
    row_names: bool = False
    total: tuple[str, ...] = ()
    total_line: bytes = b""
    notes: list[Note] = field(default_factory=list)


@dataclass(frozen=True)
class Row:
    """The cells of a row, and the physical lines from which they come."""

    first_line: int
    last_line: int
    cells: list[str]

    @property
    def n_filled(self) -> int:
        """Cells that are not empty."""
        return sum(bool(cell.strip()) for cell in self.cells)


def sample_rows(text: str, delimiter: str, quote: str) -> list[Row]:
    """The rows of a text that are not empty, with their lines, counted from 0."""
    before = csv.field_size_limit(max(len(text), csv.field_size_limit()))
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quotechar=quote)
        rows, line = [], 0
        for cells in reader:
            if cells:
                rows.append(Row(line, reader.line_num, cells))
            line = reader.line_num
        return rows
    finally:
        csv.field_size_limit(before)


def find_layout(text: bytes, delimiter: str, quote: str, header: bool | None) -> TextLayout:
    """The table within a text.

    Parameters
    ----------
    header : whether there is one, if the user said so; None to decide
    """
    head = text[:SAMPLE]
    if len(head) < len(text):
        head = head[: head.rfind(b"\n") + 1] or head
    rows = sample_rows(head.decode("utf-8", errors="replace"), delimiter, quote)
    if not rows:
        return TextLayout(text, HeaderDecision(header is not False, "nothing else was said"))
    notes: list[Note] = []
    start, comment_header = _start(rows, delimiter)
    rows, text, mark = _cut_above(rows, start, text, comment_header, notes)
    decision = _decision(rows, header, notes, comment_header)
    row_names = False
    if decision.is_header:
        row_names = _has_row_names(rows)
        text = _without_units(rows, text, notes)
        text = _without_repeated_header(rows, text, mark, notes)
    text = _without_empty_lines(rows, text, quote, notes)
    text, total, total_line = _cut_below(rows, text, delimiter, quote, notes)
    return TextLayout(text, decision, row_names, total, total_line, notes)


_NUMBER = rb"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_SVM_ROW = re.compile(rb"\s*" + _NUMBER + rb"(?:\s+(?:\d+|qid):" + _NUMBER + rb")*\s*(?:#.*)?$")
MOST_SPARSE, MOST_SPARSE_CELLS = 5_000, 50_000_000  # columns, and cells, of a sparse file that is read as a table


def from_arff(text: bytes) -> tuple[bytes, list[Note]]:
    """The data of an ARFF file under a header with the names of its attributes; any other text as it is."""
    if not text.lstrip(b"% \r\n").lower().startswith(b"@relation") and b"@attribute" not in text[:2000].lower():
        return text, []
    sections = re.split(rb"(?im)^\s*@data[^\n]*\n", text, maxsplit=1)
    names = re.findall(rb"""(?im)^\s*@attribute\s+(?:'([^']*)'|"([^"]*)"|(\S+))""", sections[0])
    if len(sections) < 2 or not names:
        return text, []
    header = b",".join(_in_quotes(b"".join(groups)) for groups in names)
    rows = sections[1]
    if re.search(rb"(?m)^\s*\{", rows):
        return text, [Note("error", "the rows are sparse ARFF, such as {0 yes, 3 2.5}, which is not read")]
    if re.search(rb"['?%\\]", rows):
        lines = (line for line in rows.splitlines() if line.strip() and not line.lstrip().startswith(b"%"))
        rows = b"".join(b",".join(map(_arff_cell, _ARFF_CELL.findall(line))) + b"\n" for line in lines)
    return header + b"\n" + rows, [Note("note", f"the file is ARFF, with {count(len(names), 'attribute')}")]


# A cell begins at the line's start or behind a comma; quotes of either kind may hold commas and escaped quotes.
_ARFF_CELL = re.compile(rb"""(?:^|,)\s*('(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|[^,]*?)\s*(?=,|$)""")


def _arff_cell(cell: bytes) -> bytes:
    """A cell as CSV has it; a question mark without quotes is a missing value."""
    if cell == b"?":
        return b""
    if cell[:1] not in (b"'", b'"'):
        return cell
    return _in_quotes(re.sub(rb"\\(.)", rb"\1", cell[1:-1].replace(cell[:1] * 2, cell[:1])))


def _in_quotes(text: bytes) -> bytes:
    return b'"' + text.replace(b'"', b'""') + b'"'


def from_svmlight(text: bytes, who: str) -> tuple[bytes, list[Note]]:
    """The rows of a file in the sparse format of LIBSVM, ``label index:value index:value ...``, under a header, with 0
    where a row has no value; any other text as it is."""
    start = [line for line in text[:20_000].split(b"\n")[:-1] if line.strip()][:50] or text[:20_000].splitlines()
    if not start or not all(map(_SVM_ROW.match, start)) or not any(b":" in line for line in start):
        return text, []
    rows = [line.split(b"#")[0].split() for line in text.splitlines() if line.split(b"#")[0].strip()]
    pairs = [[cell.split(b":") for cell in row[1:] if not cell.startswith(b"qid:")] for row in rows]
    if not all(len(pair) == 2 and pair[0].isdigit() for row in pairs for pair in row) or _may_be_times(pairs):
        return text, []
    n_columns = max((int(pair[0]) for row in pairs for pair in row), default=0) + 1
    if n_columns > MOST_SPARSE or n_columns * len(rows) > MOST_SPARSE_CELLS:
        requirement = (
            f"a file in the sparse format of LIBSVM must have at most {MOST_SPARSE:,} columns to be read as a table"
        )
        hint = "sklearn.datasets.load_svmlight_file reads it as a sparse matrix, which many estimators take"
        raise DataError(
            format_message(who, requirement, actual=f"got {n_columns - 1:,} columns and {len(rows):,} rows", hint=hint)
        )
    first = min((int(pair[0]) for row in pairs for pair in row), default=1)
    lines = [b",".join([b"label", *(b"x%d" % k for k in range(min(first, 1), n_columns))])]
    for row, values in zip(rows, pairs, strict=True):
        cells = [b"0"] * n_columns
        for index, value in values:
            cells[int(index)] = value
        lines.append(b",".join([row[0].lstrip(b"+"), *cells[min(first, 1) :]]))
    words = "the file is in the sparse format of LIBSVM: its first value is called 'label', and what is not there is 0"
    return b"\n".join(lines) + b"\n", [Note("note", words)]


def _may_be_times(pairs: list[list[list[bytes]]]) -> bool:
    """Are "index:value" rather hours and minutes, or not in the ascending order of a sparse row?"""
    indices = [[int(pair[0]) for pair in row] for row in pairs]
    if any(a >= b for row in indices for a, b in pairwise(row)):
        return True
    if max(map(len, indices), default=0) < 2 or any(re.match(rb"0\d", pair[1]) for row in pairs for pair in row):
        return True
    return len(set(map(len, indices))) == 1 and max(max(row, default=0) for row in indices) < 24


def lines_left_out(text: bytes, kept: bytes) -> Array:
    """The lines of a text, counted from 0, that are not among those that were kept of it, in the same order."""
    if kept is text:
        return np.empty(0, dtype=np.int64)
    remaining = iter(kept.split(b"\n"))
    expected, omitted = next(remaining, None), []
    for number, line in enumerate(text.split(b"\n")):
        if expected is not None and (line == expected or line.lstrip(b"#% ") == expected):
            expected = next(remaining, None)
        else:
            omitted.append(number)
    return np.array(omitted, dtype=np.int64)


# --------------------------------------------------------------------------------------------------------------- above


def _start(rows: Sequence[Row], delimiter: str) -> tuple[int, bool]:
    """The place of the first row of the table, and whether it is a comment that names the columns."""
    width = _width(rows)
    n_comments = 0
    while n_comments < len(rows) and rows[n_comments].cells[0].lstrip().startswith(_COMMENTS):
        n_comments += 1
    if n_comments and n_comments < len(rows):
        last = rows[n_comments - 1]
        has_names = last.cells[0].lstrip().startswith(("#", "%")) and len(last.cells) == width == last.n_filled > 1
        first_is_data = all(kind_of_cell(cell) != "text" for cell in rows[n_comments].cells if cell.strip())
        if has_names and (first_is_data or n_comments == 1 or rows[n_comments - 2].cells[0].startswith("##")):
            return n_comments - (2 if _names_above_units(rows[:n_comments]) else 1), True
        if width > 1 or all(not row.cells[0].lstrip().startswith(_COMMENTS) for row in rows[n_comments:]):
            offset, _ = _start(rows[n_comments:], delimiter)
            return n_comments + offset, False
    if width < 2 or _fits(rows[0], width):
        return 0, False
    for index, row in enumerate(rows[1:MAX_ABOVE], 1):
        if _fits(row, width) and all(_is_above(above, width) for above in rows[:index]):
            return index, False
    return 0, False


def _names_above_units(comments: Sequence[Row]) -> bool:
    """Do the last two comments have a cell for every column, of which only the last ones repeat, as m/s does?"""
    if len(comments) < 2:
        return False
    names, units = comments[-2].cells, comments[-1].cells
    return len(names) == len(units) == comments[-2].n_filled == len(set(names)) > len(set(units))


def _width(rows: Sequence[Row]) -> int:
    """The number of fields of most rows; 0 if no number is usual."""
    widths = Counter(len(row.cells) for row in rows)
    width, often = widths.most_common(1)[0]
    return width if often >= 0.6 * len(rows) and len(rows) - often <= max(MAX_ABOVE, 0.3 * len(rows)) else 0


def _fits(row: Row, width: int) -> bool:
    filled = row.n_filled
    if len(row.cells) == width - 1 and filled == len(row.cells) > 1:
        return True  # a header without a name for the names of rows, or rows that end with a delimiter
    return len(row.cells) >= width and filled >= max(2, 0.6 * width)


def _is_above(row: Row, width: int) -> bool:
    """Is a row too short for the table, as a title or a fact about the file is?"""
    return row.n_filled <= width / 2 if width > 2 else len(row.cells) < width


def _cut_above(
    rows: list[Row], start: int, text: bytes, comment_header: bool, notes: list[Note]
) -> tuple[list[Row], bytes, bytes]:
    """The rows and the text from the first row of the table on, and the header's line as it stands."""
    if start:
        excerpt = join_some([repr(short_repr(" ".join(filter(None, row.cells)))[1:-1]) for row in rows[:start]], 3)
        message = (
            f"{count(start, 'line')} above the table {'is' if start == 1 else 'are'} no row and left out: {excerpt}"
        )
        notes.append(Note("note", message))
        text = _after_lines(text, rows[start].first_line)
    first = rows[start].first_line
    rows = [Row(row.first_line - first, row.last_line - first, row.cells) for row in rows[start:]]
    if comment_header:
        plain = text.lstrip()
        text = plain[1:].lstrip(b" ")
        rows[0] = Row(0, rows[0].last_line, [rows[0].cells[0].lstrip()[1:].lstrip(), *rows[0].cells[1:]])
        which = "last line"
        if rows[1].cells[0].lstrip().startswith(_COMMENTS):
            which = "line before the last"
            del rows[1]
            text = _without_line(text, 1)
        notes.append(Note("note", f"the {which} of the comments names the columns"))
    end = text.find(b"\n")
    return rows, text, text[: end if end >= 0 else len(text)]


def _after_lines(text: bytes, n_lines: int) -> bytes:
    at = 0
    for _ in range(n_lines):
        at = text.index(b"\n", at) + 1
    return text[at:]


# --------------------------------------------------------------------------------------------------------------- header


def _decision(rows: Sequence[Row], header: bool | None, notes: list[Note], comment_header: bool) -> HeaderDecision:
    if header is not None:
        return HeaderDecision(header, "it was requested")
    if comment_header:
        return HeaderDecision(True, "its line begins with #")
    width = max(len(row.cells) for row in rows[:2])
    first = rows[0].cells
    below = [row.cells for row in rows[1:1001] if row.cells != first]
    if len(first) == width - 1 and below and len(below[0]) == width and _has_row_names(rows):
        below = [cells[1:] for cells in below]
    decision = decide_header(first, below)
    if not decision.is_header:
        message = (
            f"the first row is read as data, as {decision.why}; the columns are numbered: header=True if it is a header"
        )
        notes.append(Note("warning" if not decision.is_certain else "note", message))
    elif not decision.is_certain:
        message = (
            f"the first row, {short_repr(list(first))}, is read as names, as {decision.why}; header=False if it is data"
        )
        notes.append(Note("warning" if decision.is_convention else "note", message))
    return decision


def _has_row_names(rows: Sequence[Row]) -> bool:
    """Has each row a field more than the header, the first of which names the row?"""
    if len(rows) < 3:
        return False
    width = len(rows[0].cells) + 1
    below = rows[1:]
    if not all(len(row.cells) == width for row in below) or not all(row.cells[-1].strip() for row in below[:20]):
        return False
    names = [row.cells[0] for row in below]
    return len(set(names)) == len(names)


def _without_units(rows: list[Row], text: bytes, notes: list[Note]) -> bytes:
    """The text without a row of units under the header."""
    if len(rows) < 4:
        return text
    units, below = rows[1].cells, rows[2:1001]
    if len(units) != len(rows[0].cells):
        return text
    numeric = [
        j for j in range(len(units))
        if sum(kind_of_cell(row.cells[j]) == "number" for row in below if j < len(row.cells)) > 0.9 * len(below)
    ]  # fmt: skip
    stated = [j for j in numeric if kind_of_cell(units[j]) == "text"]
    fits = [j for j in stated if _UNIT.fullmatch(units[j].strip())]
    plain = all(kind_of_cell(units[j]) != "number" for j in range(len(units)))
    if not stated or not plain or len(fits) < 0.6 * len(stated) or len(stated) < 0.5 * len(numeric):
        return text
    unit_list = join_some([f"{rows[0].cells[j].strip()} in {units[j].strip()}" for j in stated], 6)
    notes.append(Note("note", f"the row under the header holds units and is no row of data: {unit_list}"))
    del rows[1]
    return _without_line(text, 1)


def _without_line(text: bytes, number: int) -> bytes:
    at = 0
    for _ in range(number):
        at = text.index(b"\n", at) + 1
    end = text.find(b"\n", at)
    return text[:at] + (text[end + 1 :] if end >= 0 else b"")


def _without_repeated_header(rows: Sequence[Row], text: bytes, line: bytes, notes: list[Note]) -> bytes:
    """The text without lines that repeat the header."""
    if len(rows[0].cells) < 2 or rows[0].last_line != 1:
        return text
    again = b"\n" + line.rstrip(b"\r")
    if again not in text:  # a search for bytes is many times as fast as that for a pattern
        return text
    pattern = re.compile(re.escape(again) + rb"\r?(?=\n|\Z)")
    n = len(pattern.findall(text))
    if not n:
        return text
    notes.append(Note("warning", f"{count(n, 'line')} inside the table repeat{'s' if n == 1 else ''} the header and "
                                 f"{'is' if n == 1 else 'are'} left out"))  # fmt: skip
    return pattern.sub(b"", text)


_EMPTY_LINES = (b"\n\n", b"\n\r\n")


def _without_empty_lines(rows: Sequence[Row], text: bytes, quote: str, notes: list[Note]) -> bytes:
    """The text without empty lines between and behind rows of several columns; quotes may hold some between rows."""
    if len(rows[0].cells) < 2:
        return text
    if text.endswith(_EMPTY_LINES) and text.count(quote.encode()) % 2 == 0:
        text = text.rstrip(b"\r\n") + b"\n"
    if quote.encode() in text or not any(ending in text for ending in _EMPTY_LINES):
        return text
    shorter, n = re.subn(rb"\n(?:\r?\n)+(?=.)", b"\n", text.rstrip(b"\r\n") + b"\n", flags=re.DOTALL)
    if n:
        notes.append(Note("note", f"empty lines in {count(n, 'place')} are no rows and left out"))
    return shorter if n else text


# --------------------------------------------------------------------------------------------------------------- below


def _cut_below(
    rows: Sequence[Row], text: bytes, delimiter: str, quote: str, notes: list[Note]
) -> tuple[bytes, tuple[str, ...], bytes]:
    """The text without notes below the table, and a last row that may be a total."""
    width = _width(rows)
    if width < 2:
        return text, (), b""
    body = text.rstrip(b"\r\n \t")
    for _ in range(MAX_BELOW):
        at = body.rfind(b"\n")
        line = body[at + 1 :]
        if at < 0 or len(line) > TAIL or line.count(quote.encode()) % 2:
            break
        cells = next(csv.reader([line.decode("utf-8", errors="replace").rstrip("\r")], delimiter=delimiter,
                                quotechar=quote), [])  # fmt: skip
        filled = [cell.strip() for cell in cells if cell.strip()]
        follows_blank = body[:at].endswith((b"\n", b"\n\r", b"\r\n\r"))
        is_note = (
            len(filled) == 1 and cells[0].strip() and width >= 3 and (follows_blank or _NOTE_WORDS.match(filled[0]))
        )
        if not filled or is_note:
            if filled:
                notes.append(Note("note", f"the line below the table is no row and left out: {short_repr(filled[0])}"))
            body = body[:at].rstrip(b"\r\n \t")
            text = body + b"\n"
            continue
        label = next((cell for cell in cells if cell.strip()), "")
        nameless = not cells[0].strip() and all(row.cells[0].strip() for row in rows[:-1])
        if at > 0 and ((TOTAL_WORDS.fullmatch(label.strip()) and len(filled) >= 2) or nameless):
            return body[: at + 1], tuple(cells), line + b"\n"
        break
    return text, (), b""


# ---------------------------------------------------------------------------------------------------- other separators


def with_separators(text: bytes, delimiter: str) -> tuple[bytes, str, list[Note]]:
    """Text whose columns are separated by blanks, or have a fixed width, with tabs between them; else as it is.

    Parameters
    ----------
    delimiter : the best one of the usual characters
    """
    lines = text[:SAMPLE].decode("utf-8", errors="replace").splitlines()
    if len(text) > SAMPLE:
        lines = lines[:-1]
    lines = [line for line in lines if line.strip() and not line.lstrip().startswith(_COMMENTS)]
    if len(lines) < 3 or (b"\t" in text[:SAMPLE] and delimiter != "\t"):
        return text, delimiter, []
    widths = Counter(line.count(delimiter) + 1 for line in lines)
    width, often = widths.most_common(1)[0]
    if width > 2 or (width == 2 and often >= 0.9 * len(lines) and not _blanks_inside(lines)):
        return text, delimiter, []
    if _is_separated_by_blanks(lines, width):
        joined = (
            "\t".join(_BLANK_FIELDS.findall(line)) for line in text.decode("utf-8", errors="replace").splitlines()
        )
        return "\n".join(joined).encode() + b"\n", "\t", [Note("note", "fields are separated by blanks")]
    edges = _fixed_edges(lines) if width == 1 else []
    if edges:
        rows = (_fixed_fields(line, edges) for line in text.decode("utf-8", errors="replace").splitlines())
        message = f"columns have a fixed width: they begin at positions {join_some([str(a + 1) for a, _ in edges], 12)}"
        return "\n".join("\t".join(row) for row in rows).encode() + b"\n", "\t", [Note("note", message)]
    return text, delimiter, []


_BLANK_FIELDS = re.compile(r'"[^"]*"|\S+')


def _blanks_inside(lines: Sequence[str]) -> bool:
    """Are several numbers separated by blanks before the only delimiter?"""
    return sum(len(re.findall(r"(?<=[0-9.]) +(?=[0-9.-])", line)) >= 2 for line in lines) > 0.9 * len(lines)


def _is_separated_by_blanks(lines: Sequence[str], width: int) -> bool:
    rows = [_BLANK_FIELDS.findall(line) for line in lines]
    sizes = Counter(map(len, rows))
    size, often = sizes.most_common(1)[0]
    if size < max(2, width + 1) or often < 0.95 * len(rows):
        return False
    if any(mark in field for row in rows[:50] for field in row for mark in DELIMITERS if field[0] != '"'):
        return False
    numbers = [sum(kind_of_cell(row[j]) != "text" for row in rows if len(row) == size) for j in range(size)]
    return sum(n > 0.9 * often for n in numbers) >= 0.5 * size


def _fixed_edges(lines: Sequence[str]) -> list[tuple[int, int | None]]:
    """First and last position of each column, where all lines have blanks between columns; none if there are none."""
    length = max(map(len, lines))
    if length > 2000 or len(lines) < 5:
        return []
    used = [False] * length
    for line in lines:
        for index, character in enumerate(line):
            used[index] = used[index] or not character.isspace()
    starts = [k for k in range(length) if used[k] and (k == 0 or not used[k - 1])]
    edges = [(a, b) for a, b in zip(starts, [*starts[1:], None], strict=True)]
    edges = _with_rests(lines, edges)
    if len(edges) < 2:
        return []
    fields = [_fixed_fields(line, edges) for line in lines[1:]]
    numeric = [
        sum(kind_of_cell(row[j]) in ("number", "time", "missing") for row in fields) > 0.9 * len(fields)
        and any(row[j] for row in fields)
        for j in range(len(edges))
    ]
    filled = [sum(bool(row[j]) for row in fields) for j in range(len(edges))]
    return edges if any(numeric) and min(filled) > 0.3 * len(fields) else []


def _with_rests(lines: Sequence[str], edges: Sequence[tuple[int, int | None]]) -> list[tuple[int, int | None]]:
    """The columns; one that most lines leave empty, the header too, is the last word of the column before it."""
    merged: list[tuple[int, int | None]] = []
    for start, end in edges:
        filled = sum(bool(line[start:end].strip()) for line in lines[1:])
        if merged and not lines[0][start:end].strip() and filled < 0.3 * len(lines):
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return merged


def _fixed_fields(line: str, edges: Sequence[tuple[int, int | None]]) -> list[str]:
    return [line[a:b].strip() for a, b in edges]


def is_missing_cell(cell: str) -> bool:
    """Does a cell hold nothing, or a word for nothing?"""
    return cell.strip().lower() in MISSING
