"""Tables from files and databases, whole or in parts, through polars' readers.

Text is read as text and then given types, column by column, where nothing is lost by it: digits with leading zeros stay
text, numbers with comma decimals too. What is odd about a file is told as notes.
"""

from __future__ import annotations

import gzip
import lzma
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from pellucid.base.errors import (
    DataError,
    DataTypeError,
    MissingExtraError,
    count,
    format_message,
    join_some,
    short_repr,
)
from pellucid.data.dialect import (
    DELIMITERS,
    Note,
    closed_quotes,
    decoded,
    find_delimiter,
    split_rows,
    straightened,
    unique_names,
)
from pellucid.data.json_tables import read_json
from pellucid.data.text_header import HeaderDecision
from pellucid.data.text_layout import TextLayout, find_layout, from_arff, from_svmlight, with_separators
from pellucid.data.text_totals import summed_columns
from pellucid.data.text_types import may_lose_text, same_numbers, types_of, with_types
from pellucid.data.workbooks import read_workbook

TEXT_ENDINGS = (
    ".csv",
    ".tsv",
    ".txt",
    ".tab",
    ".dat",
    ".data",
    ".asc",
    ".prn",
    ".svm",
    ".libsvm",
    ".svmlight",
    ".arff",
)
OTHER_ENDINGS = (".parquet", ".pq", ".arrow", ".feather", ".ipc", ".json", ".jsonl", ".ndjson", ".xlsx", ".xlsm")
PACKED = (".gz", ".zst", ".bz2", ".xz", ".zip")
MAX_WHOLE = 1 << 26  # bytes of a text file that is read whole where parts are asked for
_BROKEN = (OSError, EOFError, ValueError, lzma.LZMAError, zlib.error)  # what a packed file that is broken raises


@dataclass(frozen=True)
class Loaded:
    """A table from a file, as a polars frame, and what is odd about the file."""

    frame: Any
    notes: list[Note] = field(default_factory=list)


def polars_or_say(who: str) -> Any:
    """polars, or the sentence that it is not installed."""
    if find_spec("polars") is None:
        requirement, hint = "reading files needs polars, which is not installed", "pip install 'pellucid[quality]'"
        raise MissingExtraError(format_message(who, requirement, actual="", hint=hint))
    return import_module("polars")


def ending(path: Path) -> str:
    """The ending that tells the format: that before .gz and the like."""
    endings = [suffix.lower() for suffix in path.suffixes]
    if endings[-1:] == [".zip"] and endings[-2:-1] not in [[text_ending] for text_ending in TEXT_ENDINGS]:
        return _ending_inside(path)
    while endings and endings[-1] in PACKED:
        endings.pop()
    return endings[-1] if endings else ""


def _ending_inside(path: Path) -> str:
    """The ending of the only file of an archive; "" if there is not exactly one."""
    try:
        with ZipFile(path) as archive:
            names = members_of(archive)
    except (BadZipFile, OSError):
        return ".csv"  # what is wrong is said when it is unpacked
    return Path(names[0]).suffix.lower() if len(names) == 1 else ".csv"


def members_of(archive: ZipFile) -> list[str]:
    """The files of an archive that may hold a table: neither folders nor what systems add."""
    return [
        name for name in archive.namelist()
        if not name.endswith("/") and not name.startswith("__MACOSX") and not Path(name).name.startswith(".")
    ]  # fmt: skip


def _hint_of(source: str) -> str:
    """What may have been meant by a source that is no file."""
    if "://" in source:
        return "nothing is fetched from a network: download the file before"
    if source.lower().split(maxsplit=1)[:1] in (["select"], ["with"], ["from"]) and " " in source.strip():
        return "a query in SQL needs its database: --connect, or connect= in Python"
    return ""


def _hint_of_format(path: Path) -> str:
    """How to read a file whose format is not known by its ending: a database by a query."""
    with path.open("rb") as file:
        start = file.read(16)
    if start.startswith(b"SQLite format 3") or start[8:12] == b"DUCK":
        kind = "duckdb" if start[8:12] == b"DUCK" else "sqlite"
        return f"it is a database: give a query instead of the file, with --connect {kind}:///{path}"
    return "rename it to .csv if it is text with delimiters"


def check_path(source: str | Path, who: str) -> Path:
    """A file that is there, of a format that is known."""
    if not isinstance(source, str | Path):
        requirement, hint = "the source must be the path of a file", "quality.check and quality.profile take tables"
        raise DataTypeError(format_message(who, requirement, actual=f"got {type(source).__name__}", hint=hint))
    path = Path(source)
    if not path.exists():
        near = [entry.name for entry in path.parent.glob("*")] if path.parent.is_dir() else []
        actual = f"there is no {str(source)!r}" + (f"; the folder holds {join_some(sorted(near))}" if near else "")
        raise DataError(format_message(who, "the file must exist", actual=actual, hint=_hint_of(str(source))))
    if path.is_dir():
        actual, hint = f"{str(path)!r} is a folder", "read its files one by one"
        raise DataError(format_message(who, "the source must be a file", actual=actual, hint=hint))
    if path.stat().st_size == 0:
        raise DataError(format_message(who, "the file must hold a table", actual=f"{path.name!r} is empty"))
    if ending(path) not in TEXT_ENDINGS + OTHER_ENDINGS:
        available = join_some((TEXT_ENDINGS + OTHER_ENDINGS), 20)
        hint = _hint_of_format(path)
        raise DataError(
            format_message(who, f"the file's ending must be one of {available}", actual=f"got {path.name!r}", hint=hint)
        )
    return path


def read_file(
    source: str | Path,
    who: str,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    typed: bool = True,
    keep_all: bool = False,
    sheet: str | None = None,
) -> Loaded:
    """A whole file in memory."""
    polars = polars_or_say(who)
    path = check_path(source, who)
    kind = ending(path)
    notes: list[Note] = []
    try:
        if kind in (".xlsx", ".xlsm"):
            frame, notes = read_workbook(path, who, polars, sheet, keep_all)
            return Loaded(frame, notes)
        if kind in (".parquet", ".pq"):
            return Loaded(polars.read_parquet(path))
        if kind in (".arrow", ".feather", ".ipc"):
            return Loaded(polars.read_ipc(path))
        if kind in (".jsonl", ".ndjson"):
            frame = polars.read_ndjson(path, infer_schema_length=None)
            if not any(dtype.is_nested() for dtype in frame.dtypes):
                return Loaded(frame)
    except DataError:
        raise
    except Exception as error:  # engines of workbooks have errors of their own; what they say is passed on
        raise DataError(_unreadable(path, kind, error, who)) from None
    if kind in (".json", ".jsonl", ".ndjson"):
        text, notes = decoded(unpacked(path, who), encoding, who)
        frame, more = read_json(text.decode("utf-8"), who, path.name)
        return Loaded(frame, [*notes, *more])
    return read_text(
        unpacked(path, who), who, delimiter=delimiter, encoding=encoding, header=header, typed=typed, keep_all=keep_all
    )


def _unreadable(path: Path, kind: str, error: Exception, who: str) -> str:
    actual = str(error).splitlines()[0] if str(error) else type(error).__name__
    hint = "look whether it is whole, and of the kind that its ending says"
    return format_message(who, f"{path.name!r} must be readable as {kind}", actual=actual.rstrip("."), hint=hint)


def unpacked(path: Path, who: str) -> bytes:
    """The bytes of a file, unpacked if its ending says that it is packed."""
    packed = path.suffix.lower()
    if packed == ".zip":
        return _unzipped(path, who)
    data = path.read_bytes()
    module = {".gz": "gzip", ".bz2": "bz2", ".xz": "lzma", ".zst": "compression.zstd"}.get(packed)
    if module is None:
        return data
    try:
        return bytes(import_module(module).decompress(data))
    except ImportError:
        actual = f"got {path.name!r}"
        raise MissingExtraError(
            format_message(who, "zstd files need Python 3.14", actual=actual, hint="unpack it first")
        ) from None
    except _BROKEN as error:
        raise DataError(_unreadable(path, packed, error, who)) from None


def _unzipped(path: Path, who: str) -> bytes:
    try:
        with ZipFile(path) as archive:
            names = members_of(archive)
            if len(names) != 1:
                actual = f"{path.name!r} holds {join_some(map(repr, names), 8)}" if names else f"{path.name!r} is empty"
                raise DataError(
                    format_message(
                        who, "an archive must hold one file", actual=actual, hint="unpack it and name the file"
                    )
                )
            if Path(names[0]).suffix.lower() not in (*TEXT_ENDINGS, ".json", ".jsonl", ".ndjson"):
                requirement = "the file inside an archive must be text"
                raise DataError(format_message(who, requirement, actual=f"it is {names[0]!r}", hint="unpack it first"))
            return archive.read(names[0])
    except (BadZipFile, OSError, zlib.error, RuntimeError, NotImplementedError) as error:
        raise DataError(_unreadable(path, ".zip", error, who)) from None


def read_text(
    data: bytes,
    who: str,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    typed: bool = True,
    keep_all: bool = False,
    quote: str = '"',
) -> Loaded:
    """Delimited text, or text with columns of a fixed width."""
    polars_or_say(who)
    text, notes = decoded(data, encoding, who)
    if not text or text.isspace():
        raise DataError(format_message(who, "the file must hold a table", actual="it holds blanks alone"))
    if b"\r" in text and b"\n" not in text:
        text = text.replace(b"\r", b"\n")
        notes.append(Note("note", "lines end with a carriage return alone"))
    if b"\r\r\n" in text and text.count(b"\r\r\n") == text.count(b"\n"):
        text = text.replace(b"\r\r\n", b"\n")
        notes.append(Note("note", "lines end with two carriage returns"))
    text, more = from_arff(text)
    notes += more
    text, more = from_svmlight(text, who)
    notes += more
    if text[:4].lower() == b"sep=" and delimiter is None and len(text[4:].split(b"\n", 1)[0].strip(b"\r")) == 1:
        delimiter, text = chr(text[4]), text.split(b"\n", 1)[-1]
        notes.append(Note("note", f"the first line says that fields are separated by {delimiter!r}"))
    text, mark = _with_delimiter(text, delimiter, quote, who, notes)
    text, csv_layout, open_notes = closed_quotes(text, mark, quote)
    notes += open_notes
    layout = TextLayout(text, HeaderDecision(header is not False, "")) if keep_all else find_layout(
        text, mark, quote, header
    )  # fmt: skip
    if layout.text is not text:
        _, csv_layout, _ = closed_quotes(layout.text, mark, quote)
    loaded = _framed(layout.text, csv_layout, mark, quote, layout, typed)
    if layout.total:
        summed = summed_columns(loaded.frame, layout.total)
        if summed:
            sums = join_some(map(repr, summed), 6)
            label = layout.total[0].strip() or "without a name"
            message = f"the last row, {short_repr(label)}, holds the sums of {sums}: it is left out"
            notes.append(Note("warning", f"{message} (keep_all=True keeps it)"))
        else:
            if layout.total[0].strip():
                message = (
                    f"the last row begins with {short_repr(layout.total[0])} but holds no sums: it is read as data"
                )
                notes.append(Note("warning", message, [loaded.frame.height]))
            full_text = layout.text + layout.total_line
            loaded = _framed(full_text, closed_quotes(full_text, mark, quote)[1], mark, quote, layout, typed)
    return Loaded(loaded.frame, [*notes, *layout.notes, *loaded.notes])


def _with_delimiter(text: bytes, given: str | None, quote: str, who: str, notes: list[Note]) -> tuple[bytes, str]:
    """The text and its delimiter; columns of a fixed width, or between blanks, are given one."""
    if given is not None:
        return text, _delimiter(text, given, quote, who, notes)
    mark = find_delimiter(text, quote)
    text, mark, more = with_separators(text, mark)
    if more:
        notes += more
    elif mark != ",":
        notes.append(Note("note", f"fields are separated by {mark!r}"))
    return text, mark


def _framed(
    text: bytes, csv_layout: dict[str, Any], delimiter: str, quote: str, layout: TextLayout, typed: bool
) -> Loaded:
    """The rows of a text as a frame with names."""
    header = layout.decision.is_header
    if layout.row_names:
        text = b"row" + delimiter.encode() + text
        csv_layout = closed_quotes(text, delimiter, quote)[1]
    rows, notes = straightened(text, csv_layout, delimiter, quote)
    if rows is None:
        kinds = csv_layout["kinds"] if typed and header else ()
        first, frame = _read_csv(text, delimiter, quote, header, kinds)
    else:
        first, frame = rows[0], _frame_of(rows[header:], len(rows[0]))
    if layout.row_names:
        notes.append(
            Note("note", "the header has no name for the first column, which is called 'row'", columns=["row"])
        )
    header_names = list(first) if header else [f"column_{j + 1}" for j in range(frame.width)]
    n_kept = frame.width
    while n_kept > 1 and frame.height and _is_padding(header_names[n_kept - 1], header, frame.to_series(n_kept - 1)):
        n_kept -= 1
    if n_kept < frame.width:
        frame, header_names = frame.select(frame.columns[:n_kept]), header_names[:n_kept]
        notes = [note for note in notes if not any(name.startswith("extra_") for name in note.columns)]
        notes.append(Note("note", "rows end with a delimiter: the column behind it has neither a name nor a value"))
    names, odd = unique_names(header_names)
    frame.columns = names
    frame = _without_empty_texts(frame)
    return Loaded(with_types(frame) if typed else frame, [*notes, *odd, *_notes_on_index(frame)])


def _without_empty_texts(frame: Any) -> Any:
    """The frame with empty fields missing, whether or not they stand between quotes."""
    polars = import_module("polars")
    texts = [column for column in frame.get_columns() if column.dtype == polars.String and (column == "").any()]
    return frame.with_columns(column.replace("", None) for column in texts) if texts else frame


def _is_padding(name: str, header: bool, column: Any) -> bool:
    """Has a column neither a name nor a value?"""
    nameless = not header or not name.strip() or name.startswith("extra_")
    return nameless and bool(column.null_count() == len(column))


def _notes_on_index(frame: Any) -> list[Note]:
    """A note on a first column that counts the rows, as data frames write their index."""
    name = frame.columns[0]
    if frame.width < 2 or frame.height < 3 or name not in ("column_1", "Unnamed: 0", "index", "Unnamed: 0.1"):
        return []
    values = frame.to_series(0)
    if not values.dtype.is_integer() or values.null_count():
        return []
    start = values[0]
    if start not in (0, 1) or not (values.diff().drop_nulls() == 1).all():
        return []
    return [Note("note", f"column {name!r} counts the rows: it is an index, not a measurement", columns=[name])]


def _read_csv(text: bytes, delimiter: str, quote: str, header: bool, kinds: Sequence[str]) -> tuple[list[str], Any]:
    """The cells of the first row, and all rows, but for that one if it is a header.

    Columns of which ``kinds`` say that they hold nothing but numbers are read as such: no text is made of their cells.
    """
    polars = import_module("polars")
    settings = {"has_header": False, "separator": delimiter, "quote_char": quote, "truncate_ragged_lines": False}
    types = {"whole": polars.Int64, "decimal": polars.Float64}
    if not types.keys().isdisjoint(kinds) and text[:1] not in (b"\r", b"\n"):
        first = polars.read_csv(text, infer_schema=False, n_rows=1, **settings).row(0)
        schema = {f"column_{j + 1}": types.get(kind, polars.String) for j, kind in enumerate(kinds)}
        try:
            frame = polars.read_csv(text, skip_rows=1, schema=schema, **settings).rechunk()
            return _cells(first), _with_doubtful_text(frame, text, settings)
        except polars.exceptions.PolarsError:  # what it does not take for a number can still be read as text
            pass
    frame = polars.read_csv(text, infer_schema=False, **settings)
    return _cells(frame.row(0)), frame.slice(int(header))


def _with_doubtful_text(frame: Any, text: bytes, settings: dict[str, Any]) -> Any:
    """The frame with the text of those decimal columns that may be codes and would lose something as numbers."""
    polars = import_module("polars")
    doubtful = [c.name for c in frame.get_columns() if c.dtype == polars.Float64 and may_lose_text(c)]
    if not doubtful:
        return frame
    schema = dict.fromkeys(frame.columns, polars.String)
    texts = polars.read_csv(text, skip_rows=1, schema=schema, columns=doubtful, **settings)
    return frame.with_columns(texts[name] for name in doubtful if not same_numbers(texts[name], frame[name]))


def _cells(row: Sequence[str | None]) -> list[str]:
    return ["" if cell is None else cell for cell in row]


def _frame_of(rows: Sequence[Sequence[str]], width: int) -> Any:
    """Rows of one length as columns of text."""
    polars = import_module("polars")
    columns = list(zip(*rows, strict=True)) or [()] * width
    return polars.DataFrame(
        {f"column_{j + 1}": [cell or None for cell in column] for j, column in enumerate(columns)},
        schema={f"column_{j + 1}": polars.String for j in range(width)},
    )


def _delimiter(text: bytes, delimiter: str, quote: str, who: str, notes: list[Note]) -> str:
    """The delimiter that the user gave, and a warning if the text seems to have another one."""
    detected = find_delimiter(text, quote)
    if len(delimiter) != 1 or not delimiter.isascii():
        hint = "such as ',' or ';', or leave it out"
        raise DataError(
            format_message(who, "delimiter must be one ASCII character", actual=f"got {delimiter!r}", hint=hint)
        )
    first = text.split(b"\n", 1)[0].decode("utf-8", errors="replace")
    if delimiter not in first and detected in first and detected in DELIMITERS:
        message = (
            f"the first line has no {delimiter!r}, but {count(first.count(detected), repr(detected))}: "
            "is that the delimiter?"
        )
        notes.append(Note("warning", message))
    return delimiter


# ---------------------------------------------------------------------------------------------------------- in parts


def batches(source: Any, who: str, *, rows: int = 200_000, delimiter: str | None = None) -> Iterator[Any]:
    """A file or a lazy polars frame in parts, none of which is held when the next one comes.

    Text comes as text: whoever takes the parts decides on types.
    """
    polars = polars_or_say(who)
    if not hasattr(source, "collect_batches") and _is_read_whole(check_path(source, who)):
        loaded = read_file(source, who, delimiter=delimiter, typed=False)
        grave = [note.text for note in loaded.notes if note.severity == "error"]
        if grave:
            hint = "quality.read repairs files that fit into memory"
            raise DataError(format_message(who, "the file must be readable row by row", actual=grave[0], hint=hint))
        frame = loaded.frame
        yield from (frame.slice(at, rows) for at in range(0, max(frame.height, 1), rows))
        return
    lazy = source if hasattr(source, "collect_batches") else _scanned(check_path(source, who), who, delimiter, polars)
    try:
        yield from lazy.collect_batches(chunk_size=rows, maintain_order=True)
    except (polars.exceptions.PolarsError, OSError) as error:
        actual = str(error).splitlines()[0].rstrip(".")
        is_text = not hasattr(source, "collect_batches") and ending(Path(source)) in TEXT_ENDINGS
        hint = "quality.read repairs files that fit into memory" if is_text else "look whether the source is whole"
        raise DataError(format_message(who, "the file must be readable row by row", actual=actual, hint=hint)) from None


def _is_read_whole(path: Path) -> bool:
    """Is a text file so small that it is read whole, with everything that `read_file` recognizes?

    So are all files that are packed in a way that cannot be unpacked in parts.
    """
    if ending(path) not in (*TEXT_ENDINGS, ".json"):
        return False
    packed = path.suffix.lower() in PACKED
    if ending(path) == ".arff":  # its header is no row of names
        return True
    if packed and path.suffix.lower() != ".gz":
        return True
    return path.stat().st_size <= MAX_WHOLE // (8 if packed else 1)


def _scanned(path: Path, who: str, delimiter: str | None, polars: Any) -> Any:
    kind = ending(path)
    if kind in (".parquet", ".pq"):
        return polars.scan_parquet(path)
    if kind in (".arrow", ".feather", ".ipc"):
        return polars.scan_ipc(path)
    if kind in (".jsonl", ".ndjson"):
        return polars.scan_ndjson(path)
    if kind not in TEXT_ENDINGS:
        hint = "quality.profile(quality.read(file).table) takes it whole"
        raise DataTypeError(
            format_message(who, f"{kind} files are not read in parts", actual=f"got {path.name!r}", hint=hint)
        )
    head, _ = decoded(_first_lines(path, who), None, who)
    separator = delimiter or find_delimiter(head, '"')
    names, _ = unique_names(split_rows(head.decode("utf-8"), separator, '"')[0])
    return polars.scan_csv(path, separator=separator, infer_schema=False, encoding="utf8-lossy", new_columns=names)


def _first_lines(path: Path, who: str) -> bytes:
    packed = path.suffix.lower()
    try:
        with gzip.open(path) if packed == ".gz" else path.open("rb") as file:
            return bytes(file.read(1 << 20)).rsplit(b"\n", 1)[0]
    except _BROKEN as error:
        raise DataError(_unreadable(path, packed, error, who)) from None


def query_batches(query: str, connection: Any, who: str, *, rows: int = 200_000) -> Iterator[Any]:
    """The answer of a database in parts."""
    polars = polars_or_say(who)
    try:
        yield from polars.read_database(query, connection, iter_batches=True, batch_size=rows)
    except Exception as error:
        # Every database driver has errors of its own; what they say is passed on.
        actual = f"{type(error).__name__}: {error}".splitlines()[0].rstrip(".: ")
        raise DataError(
            format_message(who, "the query must run", actual=actual, hint="try it on the connection alone")
        ) from error


@dataclass
class Odd:
    """Cells of a column that do not have its type."""

    kind: str
    count: int = 0
    example: str = ""
    rows: list[int] = field(default_factory=list)


class TypedParts:
    """Gives parts of a table that came as text the types of the first one, and keeps account of what does not fit.

    texts : columns that stay text
    """

    most = 1000  # rows of odd cells that are remembered

    def __init__(self, texts: frozenset[str] = frozenset()) -> None:
        self.texts = texts
        self.types: dict[str, Any] | None = None
        self.odd: dict[str, Odd] = {}
        self._rows = 0

    def add(self, part: Any) -> Any:
        """The part with its types."""
        polars = import_module("polars")
        if self.types is None:
            text = part.select(polars.selectors.string() - polars.selectors.by_name(*self.texts, require_all=False))
            self.types = {name: dtype for name, dtype in types_of(text).items() if dtype != polars.String}
            for name in [name for name, dtype in self.types.items() if dtype == polars.Int64]:
                if (part[name].str.len_bytes() <= 15).all():
                    self.types[name] = polars.Float64  # a later part may have decimals
        typed = [self._typed(part[name], dtype) for name, dtype in self.types.items()]
        self._rows += part.height
        return part.with_columns(typed) if typed else part

    def _typed(self, column: Any, dtype: Any) -> Any:
        polars = import_module("polars")
        if dtype == polars.Boolean:
            low = column.str.to_lowercase()
            typed = (low == "true").set(~low.is_in(["true", "false"]).fill_null(True), None)
        elif dtype == polars.Date:
            typed = column.str.to_date("%Y-%m-%d", strict=False)
        elif dtype == polars.Datetime:
            typed = column.str.to_datetime(strict=False, time_unit="us")
        else:
            typed = column.cast(dtype, strict=False)
        if typed.null_count() > column.null_count():
            self._note(column, typed, dtype)
        return typed.alias(column.name)

    def _note(self, column: Any, made: Any, dtype: Any) -> None:
        kind = {"Float64": "number", "Int64": "number", "Boolean": "flag"}.get(str(dtype), "time")
        odd = self.odd.setdefault(column.name, Odd(kind))
        rows = (made.is_null() & column.is_not_null()).arg_true().to_list()
        odd.example = odd.example or column[rows[0]]
        odd.count += len(rows)
        odd.rows += [self._rows + place for place in rows[: max(self.most - len(odd.rows), 0)]]
