"""How a delimited text file is written: its encoding, what stands between fields, and rows that are out of line."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Literal

from pellucid import _core
from pellucid.base.errors import DataError, count, format_message, noun_list, short_repr
from pellucid.base.threads import effective_threads

DELIMITERS = (",", ";", "\t", "|")
_OTHER_DELIMITER = re.compile(r"[;|\t]|(?<![0-9]),(?! )|,(?![0-9 ])")
_SAMPLE = 1 << 16
_MOST = 100_000
_MOST_OPEN = 1000  # lines whose quote never closes
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True)
class Note:
    """Something about a file that its reader should know; ``rows`` count from 0, behind the header."""

    severity: Literal["error", "warning", "note"]
    text: str
    rows: list[int] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)


def decoded(data: bytes, encoding: str | None, who: str) -> tuple[bytes, list[Note]]:
    """The file as UTF-8 without a byte-order mark. Lines that are no UTF-8 are taken for Windows-1252, one by one."""
    mark = next(((len(mark), name) for mark, name in _MARKS if data.startswith(mark)), None)
    notes = []
    if mark is not None:
        data, encoding = data[mark[0] :], encoding or mark[1]
        notes.append(Note("note", f"the file begins with a byte-order mark: it is {mark[1].upper()}"))
    if encoding is not None:
        try:
            codecs.lookup(encoding)
            return data.decode(encoding).encode("utf-8"), notes
        except LookupError:
            requirement, hint = "encoding must be one that Python knows", "such as 'utf-8' or 'cp1252', or leave it out"
            raise DataError(format_message(who, requirement, actual=f"got {encoding!r}", hint=hint)) from None
        except UnicodeDecodeError as error:
            actual = f"byte {error.object[error.start]:#04x} at position {error.start:,} is not {encoding}"
            raise DataError(
                format_message(who, f"the file must be {encoding}", actual=actual, hint="leave encoding out")
            ) from None
    if b"\x00" in data[:_SAMPLE]:
        return _without_marks(data, notes, who)
    if data.isascii():
        return data, notes
    try:
        data.decode("utf-8")
        return data, notes
    except UnicodeDecodeError:
        return _mixed(data, notes)


def _without_marks(data: bytes, notes: list[Note], who: str) -> tuple[bytes, list[Note]]:
    """Text of two bytes a character has zeros at every other place; anything else with zeros is no text."""
    head = data[:_SAMPLE]
    even, odd = head[::2].count(0), head[1::2].count(0)
    for name, zeros, other_zeros in (("utf-16-le", odd, even), ("utf-16-be", even, odd)):
        if zeros > 0.4 * len(head) / 2 and other_zeros == 0:
            text = data.decode(name, errors="replace").encode("utf-8")
            return text, [*notes, Note("note", f"the file has no byte-order mark but is {name.upper()}")]
    requirement, actual = "the file must be text", f"it holds zero bytes (the first at position {data.index(0):,})"
    raise DataError(
        format_message(who, requirement, actual=actual, hint="Parquet, Arrow and Excel files have endings of their own")
    )


def _mixed(data: bytes, notes: list[Note]) -> tuple[bytes, list[Note]]:
    lines, odd = data.split(b"\n"), []
    for i, line in enumerate(lines):
        try:
            line.decode("utf-8")
        except UnicodeDecodeError:
            lines[i] = line.decode("cp1252", errors="replace").encode("utf-8")
            odd.append(i)
    plain = sum(not line.isascii() for line in lines) - len(odd)
    how = "a mixture of UTF-8 and Windows-1252" if plain else "not UTF-8, and was read as Windows-1252"
    text = f"the file is {how}: {noun_list('line', [i + 1 for i in odd])}"
    severity: Literal["error", "warning", "note"] = "warning" if plain else "note"
    if strange := _strange_word(lines[i] for i in odd):
        text += f"; words such as {short_repr(strange)} suggest another encoding: convert it to UTF-8 first"
        severity = "error"
    return b"\n".join(lines), [*notes, Note(severity, text)]


def _strange_word(lines: Iterable[bytes]) -> str:
    """A word of letters that no Western language puts side by side, if most are like that: Cyrillic or Japanese text,
    for instance, that was read as Windows-1252. Empty where there is none."""
    runs = [run for line in islice(lines, _MOST_OPEN) for run in _NOT_ASCII.findall(line.decode("utf-8"))]
    long = [run for run in runs if len(run) > 2]
    n_long, n_all = sum(map(len, long)), sum(map(len, runs))
    return max(long, key=len) if n_long >= 20 and n_long > 0.4 * n_all else ""


def find_delimiter(text: bytes, quote: str) -> str:
    """The delimiter that cuts most of the first lines into the same number of fields, more than one.

    Of several the one whose fields hold no other delimiter: the comma of 1,5;2,5 stands inside numbers.
    """
    head = text[:_SAMPLE]
    if len(text) > _SAMPLE and b"\n" in head:
        head = head[: head.rindex(b"\n")]  # the last line is cut
    best, best_score = ",", 0.0
    for delimiter in DELIMITERS:
        rows = split_rows(head.decode("utf-8", errors="replace"), delimiter, quote)
        widths = Counter(map(len, rows))
        if not widths:
            continue
        width, often = widths.most_common(1)[0]
        score = often / widths.total() * (1 + 0.01 * width) * (0.5 + 0.5 * _share_of_plain(rows))
        if width > 1 and score > best_score:
            best, best_score = delimiter, score
    return best


def _share_of_plain(rows: list[list[str]]) -> float:
    """The share of fields in which no other delimiter stands, except inside a number or before a blank."""
    fields = [field for row in rows[:500] for field in row]
    return sum(not _OTHER_DELIMITER.search(field) for field in fields) / max(len(fields), 1)


def split_rows(text: str, delimiter: str, quote: str) -> list[list[str]]:
    """Rows that are not empty, with fields of any length."""
    before = csv.field_size_limit(max(len(text), csv.field_size_limit()))
    try:
        return [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quotechar=quote) if row]
    finally:
        csv.field_size_limit(before)


def closed_quotes(text: bytes, delimiter: str, quote: str) -> tuple[bytes, dict[str, Any], list[Note]]:
    """Text in which every quote closes: a line whose quote does not is read without quotes; and the text's layout."""
    notes: list[Note] = []
    threads = effective_threads()
    while True:
        layout = _core.csv_layout(text, delimiter, quote, _MOST, threads)
        at = layout["open_quote"]
        if at < 0 or len(notes) >= _MOST_OPEN:
            return text, layout, notes
        start = text.rfind(b"\n", 0, at) + 1
        end = text.find(b"\n", at)
        end = len(text) if end < 0 else end
        line = text[start:end].rstrip(b"\r").decode("utf-8")
        out = io.StringIO()
        csv.writer(out, delimiter=delimiter, quotechar=quote, quoting=csv.QUOTE_ALL, lineterminator="").writerow(
            line.split(delimiter)
        )
        text = text[:start] + out.getvalue().encode("utf-8") + text[end:]
        number = text.count(b"\n", 0, start)
        message = f"a quote in line {number + 1} never closes, and was read as a character: {short_repr(line)}"
        notes.append(Note("warning", message))


def unique_names(given: list[str]) -> tuple[list[str], list[Note]]:
    """Names that are there and differ: empty ones become column_1, ..., repeated ones get a number."""
    names: list[str] = []
    notes: list[Note] = []
    used = {name.strip() for name in given}
    for j, name in enumerate(given):
        plain = name.strip()
        if not plain:
            plain = f"column_{j + 1}"
            notes.append(Note("warning", f"column {j + 1} has no name and is called {plain!r}", columns=[plain]))
        elif plain in names:
            number = 2
            while f"{plain}_{number}" in used:
                number += 1
            used.add(f"{plain}_{number}")
            text = f"there is more than one column {plain!r}: column {j + 1} is called '{plain}_{number}'"
            plain = f"{plain}_{number}"
            notes.append(Note("warning", text, columns=[plain]))
        names.append(plain)
    return names, notes


def straightened(
    text: bytes, layout: dict[str, Any], delimiter: str, quote: str
) -> tuple[list[list[str]] | None, list[Note]]:
    """Rows of one length: short ones end with missing cells, what is too much in long ones gets columns of its own.

    None if all rows have the same length already, and no quote stands amidst a field.
    """
    if not layout["odd"] and not layout["stray"]:
        return None, []
    rows = split_rows(text.decode("utf-8"), delimiter, quote)
    width, widest = len(rows[0]), max(map(len, rows))
    short_rows = [i - 1 for i, row in enumerate(rows) if len(row) < width]
    long_rows = [i - 1 for i, row in enumerate(rows) if len(row) > width]
    notes = []
    extra = [f"extra_{k + 1}" for k in range(widest - width)]
    if short_rows:
        message = f"{count(len(short_rows), 'row')} of fewer than {width} fields; what is not there is missing"
        notes.append(Note("warning", message, short_rows))
    if long_rows:
        where = noun_list("column", extra)
        message = f"{count(len(long_rows), 'row')} of more than {width} fields; what is too much stands in {where}"
        notes.append(Note("error", message, long_rows, extra))
    rows[0] = rows[0] + extra
    return [row + [""] * (widest - len(row)) for row in rows], notes
