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

from pellucid.base.errors import DataError, DataTypeError, MissingExtraError, count, sentence, short, some
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
from pellucid.data.text_types import may_lose_text, same_numbers, types_of, with_types

TEXT_ENDINGS = (".csv", ".tsv", ".txt", ".tab", ".dat")
OTHER_ENDINGS = (".parquet", ".pq", ".arrow", ".feather", ".ipc", ".jsonl", ".ndjson", ".xlsx")
PACKED = (".gz", ".zst", ".bz2", ".xz")
_BROKEN = (OSError, EOFError, ValueError, lzma.LZMAError, zlib.error)  # what a packed file that is broken raises


@dataclass(frozen=True)
class Loaded:
    """A table from a file, as a polars frame, and what is odd about the file."""

    frame: Any
    notes: list[Note] = field(default_factory=list)


def polars_or_say(who: str) -> Any:
    """polars, or the sentence that it is not installed."""
    if find_spec("polars") is None:
        must, hint = "reading files needs polars, which is not installed", "pip install 'pellucid[quality]'"
        raise MissingExtraError(sentence(who, must, "", hint))
    return import_module("polars")


def ending(path: Path) -> str:
    """The ending that tells the format: that before .gz and the like."""
    endings = [part.lower() for part in path.suffixes]
    while endings and endings[-1] in PACKED:
        endings.pop()
    return endings[-1] if endings else ""


def _hint_of(source: str) -> str:
    """What may have been meant by a source that is no file."""
    if "://" in source:
        return "nothing is fetched from a network: download the file before"
    if source.lower().split(maxsplit=1)[:1] in (["select"], ["with"], ["from"]) and " " in source.strip():
        return "a query in SQL needs its database: --connect, or connect= in Python"
    return ""


def check_path(source: str | Path, who: str) -> Path:
    """A file that is there, of a format that is known."""
    if not isinstance(source, str | Path):
        must, hint = "the source must be the path of a file", "quality.check and quality.profile take tables"
        raise DataTypeError(sentence(who, must, f"got {type(source).__name__}", hint))
    path = Path(source)
    if not path.exists():
        near = [other.name for other in path.parent.glob("*")] if path.parent.is_dir() else []
        found = f"there is no {str(source)!r}" + (f"; the folder holds {some(sorted(near))}" if near else "")
        raise DataError(sentence(who, "the file must exist", found, _hint_of(str(source))))
    if path.is_dir():
        found, hint = f"{str(path)!r} is a folder", "read its files one by one"
        raise DataError(sentence(who, "the source must be a file", found, hint))
    if path.stat().st_size == 0:
        raise DataError(sentence(who, "the file must hold a table", f"{path.name!r} is empty"))
    if ending(path) not in TEXT_ENDINGS + OTHER_ENDINGS:
        known = some((TEXT_ENDINGS + OTHER_ENDINGS), 20)
        hint = "rename it to .csv if it is text with delimiters"
        raise DataError(sentence(who, f"the file's ending must be one of {known}", f"got {path.name!r}", hint))
    return path


def read_file(
    source: str | Path,
    who: str,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool = True,
    typed: bool = True,
) -> Loaded:
    """A whole file in memory."""
    polars = polars_or_say(who)
    path = check_path(source, who)
    kind = ending(path)
    if kind == ".xlsx":
        return Loaded(_workbook(path, who, polars))
    try:
        if kind in (".parquet", ".pq"):
            return Loaded(polars.read_parquet(path))
        if kind in (".arrow", ".feather", ".ipc"):
            return Loaded(polars.read_ipc(path))
        if kind in (".jsonl", ".ndjson"):
            return Loaded(polars.read_ndjson(path, infer_schema_length=None))
    except (polars.exceptions.PolarsError, OSError, ValueError) as error:
        raise DataError(_unreadable(path, kind, error, who)) from None
    return read_text(unpacked(path, who), who, delimiter=delimiter, encoding=encoding, header=header, typed=typed)


def _workbook(path: Path, who: str, polars: Any) -> Any:
    """The first sheet of a workbook."""
    engines = {"fastexcel": "calamine", "openpyxl": "openpyxl"}
    engine = next((engine for package, engine in engines.items() if find_spec(package) is not None), None)
    if engine is None:
        must = "reading .xlsx files needs fastexcel, which is not installed"
        raise MissingExtraError(sentence(who, must, "", "pip install fastexcel"))
    try:
        return polars.read_excel(path, engine=engine)
    except Exception as error:  # each of them has errors of its own; what they say is passed on
        raise DataError(_unreadable(path, ".xlsx", error, who)) from None


def _unreadable(path: Path, kind: str, error: Exception, who: str) -> str:
    found = str(error).splitlines()[0] if str(error) else type(error).__name__
    hint = "look whether it is whole, and of the kind that its ending says"
    return sentence(who, f"{path.name!r} must be readable as {kind}", found.rstrip("."), hint)


def unpacked(path: Path, who: str) -> bytes:
    """The bytes of a file, unpacked if its ending says that it is packed."""
    data, packed = path.read_bytes(), path.suffix.lower()
    module = {".gz": "gzip", ".bz2": "bz2", ".xz": "lzma", ".zst": "compression.zstd"}.get(packed)
    if module is None:
        return data
    try:
        return bytes(import_module(module).decompress(data))
    except ImportError:
        found = f"got {path.name!r}"
        raise MissingExtraError(sentence(who, "zstd files need Python 3.14", found, "unpack it first")) from None
    except _BROKEN as error:
        raise DataError(_unreadable(path, packed, error, who)) from None


def read_text(
    data: bytes,
    who: str,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool = True,
    typed: bool = True,
    quote: str = '"',
) -> Loaded:
    """Delimited text."""
    polars_or_say(who)
    text, notes = decoded(data, encoding, who)
    if not text or text.isspace():
        raise DataError(sentence(who, "the file must hold a table", "it holds blanks alone"))
    delimiter = _delimiter(text, delimiter, quote, who, notes)
    text, layout, open_notes = closed_quotes(text, delimiter, quote)
    rows, ragged = straightened(text, layout, delimiter, quote)
    notes += open_notes + ragged
    if rows is None:
        first, frame = _read_csv(text, delimiter, quote, header, layout["kinds"] if typed and header else ())
    else:
        first, frame = rows[0], _frame_of(rows[header:], len(rows[0]))
    if header:
        names, odd = unique_names(list(first))
        if all(_looks_like_number(cell) for cell in first):
            said = f"the first row, {short(list(first))}, looks like data, not like names: pass header=False if it is"
            notes.append(Note("warning", said))
    else:
        names, odd = [f"column_{j + 1}" for j in range(frame.width)], []
    notes += odd
    frame.columns = names
    return Loaded(with_types(frame) if typed else frame, notes)


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


def _delimiter(text: bytes, given: str | None, quote: str, who: str, notes: list[Note]) -> str:
    found = find_delimiter(text, quote)
    if given is None:
        if found != ",":
            notes.append(Note("note", f"fields are separated by {found!r}"))
        return found
    if len(given) != 1 or not given.isascii():
        hint = "such as ',' or ';', or leave it out"
        raise DataError(sentence(who, "delimiter must be one ASCII character", f"got {given!r}", hint))
    first = text.split(b"\n", 1)[0].decode("utf-8", errors="replace")
    if given not in first and found in first and found in DELIMITERS:
        said = f"the first line has no {given!r}, but {count(first.count(found), repr(found))}: is that the delimiter?"
        notes.append(Note("warning", said))
    return given


def _looks_like_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


# ---------------------------------------------------------------------------------------------------------- in parts


def batches(source: Any, who: str, *, rows: int = 200_000, delimiter: str | None = None) -> Iterator[Any]:
    """A file or a lazy polars frame in parts, none of which is held when the next one comes.

    Text comes as text: whoever takes the parts decides on types.
    """
    polars = polars_or_say(who)
    lazy = source if hasattr(source, "collect_batches") else _scanned(check_path(source, who), who, delimiter, polars)
    try:
        yield from lazy.collect_batches(chunk_size=rows, maintain_order=True)
    except (polars.exceptions.PolarsError, OSError) as error:
        found = str(error).splitlines()[0].rstrip(".")
        is_text = not hasattr(source, "collect_batches") and ending(Path(source)) in TEXT_ENDINGS
        hint = "quality.read mends files that fit into memory" if is_text else "look whether the source is whole"
        raise DataError(sentence(who, "the file must be readable row by row", found, hint)) from None


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
        raise DataTypeError(sentence(who, f"{kind} files are not read in parts", f"got {path.name!r}", hint))
    head, _ = decoded(_first_lines(path, who), None, who)
    separator = delimiter or find_delimiter(head, '"')
    names, _ = unique_names(split_rows(head.decode("utf-8"), separator, '"')[0])
    return polars.scan_csv(path, separator=separator, infer_schema=False, encoding="utf8-lossy", new_columns=names)


def _first_lines(path: Path, who: str) -> bytes:
    packed = path.suffix.lower()
    if packed in PACKED and packed != ".gz":
        hint = "unpack it, or quality.profile(quality.read(file).table) takes it whole"
        raise DataTypeError(sentence(who, f"{packed} files are not read in parts", f"got {path.name!r}", hint))
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
        found = f"{type(error).__name__}: {error}".splitlines()[0].rstrip(".: ")
        raise DataError(sentence(who, "the query must run", found, "try it on the connection alone")) from error


@dataclass
class Odd:
    """Cells of a column that do not have its type."""

    kind: str
    count: int = 0
    example: str = ""
    rows: list[int] = field(default_factory=list)


class TypedParts:
    """Gives parts of a table that came as text the types of the first one, and keeps account of what does not fit."""

    most = 1000  # rows of odd cells that are remembered

    def __init__(self) -> None:
        self.types: dict[str, Any] | None = None
        self.odd: dict[str, Odd] = {}
        self._rows = 0

    def add(self, part: Any) -> Any:
        """The part with its types."""
        polars = import_module("polars")
        if self.types is None:
            text = part.select(polars.selectors.string())
            self.types = {name: dtype for name, dtype in types_of(text).items() if dtype != polars.String}
            for name in [name for name, dtype in self.types.items() if dtype == polars.Int64]:
                if (part[name].str.len_bytes() <= 15).all():
                    self.types[name] = polars.Float64  # a later part may have decimals
        made = [self._typed(part[name], dtype) for name, dtype in self.types.items()]
        self._rows += part.height
        return part.with_columns(made) if made else part

    def _typed(self, column: Any, dtype: Any) -> Any:
        polars = import_module("polars")
        if dtype == polars.Boolean:
            low = column.str.to_lowercase()
            made = (low == "true").set(~low.is_in(["true", "false"]).fill_null(True), None)
        elif dtype == polars.Date:
            made = column.str.to_date("%Y-%m-%d", strict=False)
        elif dtype == polars.Datetime:
            made = column.str.to_datetime(strict=False, time_unit="us")
        else:
            made = column.cast(dtype, strict=False)
        if made.null_count() > column.null_count():
            self._note(column, made, dtype)
        return made.alias(column.name)

    def _note(self, column: Any, made: Any, dtype: Any) -> None:
        kind = {"Float64": "number", "Int64": "number", "Boolean": "flag"}.get(str(dtype), "time")
        odd = self.odd.setdefault(column.name, Odd(kind))
        places = (made.is_null() & column.is_not_null()).arg_true().to_list()
        odd.example = odd.example or column[places[0]]
        odd.count += len(places)
        odd.rows += [self._rows + place for place in places[: max(self.most - len(odd.rows), 0)]]
