"""Baskets: collections of items of any length, from whatever holds them, as codes.

A basket is a set: an item that stands in it twice counts once, and a basket without items counts as a basket.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import lzma
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, overload

import numpy as np
import scipy.sparse

from pellucid import _core
from pellucid.base.errors import DataError, DataTypeError, count, format_message, noun_list, short_repr
from pellucid.base.types import Array, Flags
from pellucid.data.basket_lines import LineLayout, line_layout
from pellucid.data.dialect import DELIMITERS, decoded
from pellucid.data.frames import frame_library
from pellucid.data.kinds import NUMERIC, is_missing
from pellucid.data.table import Table, read_table
from pellucid.data.text_layout import from_arff

Missing = Literal["error", "ignore"]
MOST_CODES = 2**32 - 1  # what the kernels can count
_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,17})")
_OPENED: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
_SAMPLE = 1 << 20  # bytes by which a file of baskets is recognized
_NOT_LINES = (".parquet", ".pq", ".xlsx", ".xls", ".arrow", ".ipc", ".feather", ".json", ".jsonl", ".ndjson", ".zip")
_BROKEN = (OSError, EOFError, lzma.LZMAError, zlib.error)


@dataclass(frozen=True, eq=False)
class Baskets(Sequence[tuple[Any, ...]]):
    """Baskets as codes: those of basket b are ``codes[starts[b]:starts[b + 1]]``, ascending and each once.

    items : the names; a code is a place here
    starts, codes : see above
    notes : what was left out on the way
    """

    items: tuple[Any, ...]
    starts: Array
    codes: Array
    notes: tuple[str, ...] = field(default=())

    def __len__(self) -> int:
        return len(self.starts) - 1

    @overload
    def __getitem__(self, place: int) -> tuple[Any, ...]: ...
    @overload
    def __getitem__(self, place: slice) -> list[tuple[Any, ...]]: ...
    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            return [self[b] for b in range(*place.indices(len(self)))]
        b = range(len(self))[place]
        return tuple(self.items[code] for code in self.codes[self.starts[b] : self.starts[b + 1]].tolist())

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return (self[b] for b in range(len(self)))

    def __repr__(self) -> str:
        of = f"{count(len(self), 'basket')} of {count(len(self.items), 'item')}"
        return f"<Baskets: {of}, {self.codes.size / max(len(self), 1):.3g} in a basket on average>"

    @cached_property
    def place(self) -> dict[Any, int]:
        """The code of an item."""
        return {item: code for code, item in enumerate(self.items)}

    def matrix(self) -> Flags:
        """One row a basket, one column an item: is it in it?"""
        flags = np.zeros((len(self), len(self.items)), dtype=bool)
        flags[np.repeat(np.arange(len(self)), np.diff(self.starts)), self.codes] = True
        return flags


def baskets_of(source: Any, who: str, missing: Missing = "error") -> Baskets:
    """Baskets from a list of collections, a table of 0 and 1, a table of pairs (basket, item), or a file.

    who : whose sentence it is when they cannot be read
    missing : "error" refuses items that are missing, "ignore" leaves them out and says so in ``notes``
    """
    if isinstance(source, Baskets):
        return source
    if isinstance(source, str | Path):
        return baskets_from_file(source, who)
    if isinstance(source, Mapping) and not hasattr(source, "columns"):
        return _from_collections(list(source.values()), who, missing)
    if not hasattr(source, "columns") and not isinstance(source, np.ndarray) and hasattr(source, "to_list"):
        return _from_collections(source.to_list(), who, missing)  # a column of lists
    if isinstance(source, np.ndarray) and source.ndim == 1:
        return _from_collections(source.tolist(), who, missing)
    if isinstance(source, np.ndarray) or hasattr(source, "columns") or scipy.sparse.issparse(source):
        return _from_table(read_table(source, who), who, missing)
    if not hasattr(source, "__iter__"):
        hint = 'such as [["bread", "milk"], ["milk"]]'
        raise DataTypeError(format_message(who, _MUST, actual=f"got {type(source).__name__}", hint=hint))
    return _from_collections(source, who, missing)


_MUST = "baskets must be a list of collections of items, a table of 0 and 1, a table of pairs, or a file"


# --------------------------------------------------------------------------------------------------- lists of any kind


def _from_collections(source: Any, who: str, missing: Missing) -> Baskets:
    try:
        coded = _core.code_baskets(source)
    except TypeError as error:
        if "unhashable" not in str(error):
            raise
        requirement, actual = "items must be values that can be compared, such as texts or numbers", str(error)
        raise DataTypeError(
            format_message(who, requirement, actual=actual, hint="a basket is a list of items, not of lists")
        ) from None
    if isinstance(coded, int):
        baskets = list(source) if not isinstance(source, list) else source
        what = short_repr(baskets[coded]) if coded < len(baskets) else "something else"
        hint = f"[{what}] is a basket of one item"
        raise DataTypeError(
            format_message(
                who, "every basket must be a collection of items", actual=f"basket {coded} is {what}", hint=hint
            )
        )
    starts, codes, names = coded
    if set(names) <= {0, 1} and len(codes) > 2 * (len(starts) - 1):
        requirement, hint = "lists of 0 and 1 must be given as an array", "make an array of them, with a column an item"
        raise DataError(
            format_message(who, requirement, actual="as baskets they hold the items 0 and 1 again and again", hint=hint)
        )
    return _coded(names, starts, codes, who, missing)


def _coded(
    names: list[Any], starts: Array, codes: Array, who: str, missing: Missing, notes: Sequence[str] = ()
) -> Baskets:
    """Baskets in order: items sorted, where they can be, those of a basket ascending and each once."""
    if len(codes) > MOST_CODES:
        raise DataError(
            format_message(
                who, f"there may be {MOST_CODES:,} items in all baskets together", actual=f"got {len(codes):,}"
            )
        )
    if len(starts) == 1:
        raise DataError(format_message(who, "there must be baskets", actual="got none"))
    missing_codes = [k for k, name in enumerate(names) if is_missing(name)]
    notes = list(notes)
    if missing_codes:
        without = np.isin(codes, missing_codes)
        if missing == "error":
            where = np.unique(np.searchsorted(starts, np.flatnonzero(without), side="right") - 1)
            actual = f"{count(int(without.sum()), 'item')} missing ({noun_list('basket', where.tolist())})"
            hint = 'missing="ignore" leaves them out'
            raise DataError(format_message(who, "items must not be missing", actual=f"got {actual}", hint=hint))
        notes.append(f"{count(int(without.sum()), 'missing item')} left out.")
        starts = np.concatenate([[0], np.cumsum(~without)])[starts].astype(np.int64)
        codes = codes[~without]
    kept_codes = [k for k in range(len(names)) if k not in set(missing_codes)]
    order = _order([names[k] for k in kept_codes])
    kept_codes = [kept_codes[k] for k in order]
    code_of = np.zeros(len(names), dtype=np.int32)
    code_of[kept_codes] = np.arange(len(kept_codes), dtype=np.int32)
    starts, codes = _core.tidy_baskets(starts, code_of[codes], len(kept_codes))
    return Baskets(tuple(names[k] for k in kept_codes), starts, codes, tuple(notes))


def _order(names: list[Any]) -> list[int]:
    try:
        return sorted(range(len(names)), key=names.__getitem__)
    except TypeError:  # texts and numbers together have no order: that of their first baskets stays
        return list(range(len(names)))


# --------------------------------------------------------------------------------------------------------------- tables


def _from_table(table: Table, who: str, missing: Missing) -> Baskets:
    if table.is_sparse:
        return _from_sparse(table, who)
    odd = next((j for j in range(table.n_cols) if not _is_flags(table, j)), None)
    if odd is None:
        return _from_flags(table, who, missing)
    if table.n_cols == 1 and all(hasattr(v, "__iter__") and not isinstance(v, str) for v in table.column(0).tolist()):
        return _from_collections(table.column(0).tolist(), who, missing)
    if table.n_cols == 2:
        return _from_pairs(table, who, missing)
    value = next(v for v in table.column(odd).tolist() if v not in (0, 1))
    actual = f"column {table.label(odd)} holds {short_repr(value)}"
    hint = "X > 0 makes flags of counts; X.values.tolist() makes baskets of rows that list items"
    raise DataError(
        format_message(
            who, "a table must hold 0 and 1, or pairs (basket, item) in two columns", actual=actual, hint=hint
        )
    )


def _is_flags(table: Table, j: int) -> bool:
    if table.kinds[j] not in NUMERIC:
        return False
    values, is_gone = table.column(j), table.missing(j)
    present = values if not is_gone.any() else values[~is_gone]
    return bool(np.isin(present.astype(np.float64), (0.0, 1.0)).all())


def _from_flags(table: Table, who: str, missing: Missing) -> Baskets:
    n_missing, rows, columns = 0, [], []
    for j in range(table.n_cols):
        is_gone = table.missing(j)
        if is_gone.any() and missing == "error":
            where = noun_list("row", np.flatnonzero(is_gone).tolist())
            actual = f"column {table.label(j)} has {count(int(is_gone.sum()), 'missing value')} ({where})"
            hint = 'missing="ignore" takes them for 0'
            raise DataError(
                format_message(who, "a table of 0 and 1 must have no missing values", actual=actual, hint=hint)
            )
        n_missing += int(is_gone.sum())
        values = table.column(j)
        there = np.flatnonzero(np.where(is_gone, 0, values).astype(bool) if is_gone.any() else values.astype(bool))
        rows.append(there)
        columns.append(np.full(len(there), j, dtype=np.int32))
    names = tuple(range(table.n_cols)) if table.names is None else table.names
    notes = (f"{count(n_missing, 'missing value')} taken for 0.",) if n_missing else ()
    return _of_places(np.concatenate(rows), np.concatenate(columns), table.n_rows, tuple(names), notes)


def _of_places(rows: Array, columns: Array, n_rows: int, names: tuple[Any, ...], notes: tuple[str, ...]) -> Baskets:
    order = np.argsort(rows, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n_rows))]).astype(np.int64)
    starts, codes = _core.tidy_baskets(starts, columns[order].astype(np.int32), len(names))
    return Baskets(names, starts, codes, notes)


def _from_sparse(table: Table, who: str) -> Baskets:
    X = table.source.tocsr()
    odd = X.data[~np.isin(X.data, (0, 1))]
    if len(odd):
        requirement, hint = "a sparse table must hold 0 and 1", "X > 0 makes flags of counts"
        raise DataError(format_message(who, requirement, actual=f"got {odd[0]:g}", hint=hint))
    there = X.data != 0
    rows = np.repeat(np.arange(table.n_rows), np.diff(X.indptr))[there]
    return _of_places(rows, X.indices[there], table.n_rows, tuple(range(table.n_cols)), ())


def _from_pairs(table: Table, who: str, missing: Missing) -> Baskets:
    """Two columns: the basket and the item. A basket whose items are all missing has none."""
    baskets, items = (table.column(j).tolist() for j in range(2))
    if table.missing(0).any():
        rows = np.flatnonzero(table.missing(0))
        actual, hint = f"column {table.label(0)} is missing in {noun_list('row', rows)}", "drop these rows"
        raise DataError(format_message(who, "every item must belong to a basket", actual=actual, hint=hint))
    basket_of: dict[Any, int] = {}
    of = np.fromiter((basket_of.setdefault(b, len(basket_of)) for b in baskets), dtype=np.int64, count=len(baskets))
    names: dict[Any, int] = {}
    is_gone = table.missing(1)
    codes = np.fromiter(
        (
            names.setdefault(None if lost else item, len(names))
            for item, lost in zip(items, is_gone.tolist(), strict=True)
        ),
        dtype=np.int32,
        count=len(items),
    )
    order = np.argsort(of, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(of, minlength=len(basket_of)))]).astype(np.int64)
    return _coded(list(names), starts, codes[order], who, missing)


# ---------------------------------------------------------------------------------------------------------------- files


def baskets_from_file(
    path: str | Path, who: str = "read_baskets", *, delimiter: str | None = None, encoding: str | None = None
) -> Baskets:
    """A file with a line for each basket, its items between delimiters; packed files (.gz, .bz2, .xz) too.

    Comments, a header, and a number of the basket or a count of its items at the beginning of every line are left out,
    with a note.
    """
    text, _ = decoded(_bytes_of_file(path, who), encoding, who)
    layout = line_layout(_sample(text)) if delimiter is None else None
    notes: list[str] = []
    if layout is not None:
        mark, text = layout.delimiter, _items_alone(text, layout)
        notes += _notes_of(layout)
    else:
        mark = _delimiter(text.decode("utf-8", errors="replace")) if delimiter is None else delimiter
    if b'"' in text and mark != " ":
        starts, codes, names, n_empty = _quoted(text.decode("utf-8"), mark)
    else:
        starts, codes, items, n_empty = _core.code_lines(text, mark)
        names = [item.decode("utf-8") for item in items]
    notes += [f"{count(n_empty, 'place')} between delimiters without an item."] if n_empty else []
    if names and all(_WHOLE.fullmatch(name) for name in names):
        names = [int(name) for name in names]
    return _coded(names, starts, codes, who, "error", notes)


def basket_lines_of_file(path: str | Path, forced: bool = False) -> LineLayout | None:
    """The layout of a text file that holds one basket per line; None for any other file.

    forced : whether the user said that it holds baskets; then little evidence suffices
    """
    file = Path(path)
    if not file.is_file() or file.name.lower().endswith(_NOT_LINES):
        return None
    try:
        with _OPENED.get(file.suffix.lower(), open)(file, "rb") as opened:
            data = opened.read(_SAMPLE)
        text = decoded(data[: len(data) // 4 * 4], None, "report")[0]
        return None if from_arff(text)[1] else line_layout(_sample(text), forced)
    except (*_BROKEN, DataError):
        return None


def _bytes_of_file(path: str | Path, who: str) -> bytes:
    file = Path(path)
    if not file.is_file():
        hint = "a basket is a list of items, and baskets a list of baskets" if isinstance(path, str) else ""
        raise DataError(
            format_message(who, "the file of baskets must exist", actual=f"there is no {str(path)!r}", hint=hint)
        )
    try:
        with _OPENED.get(file.suffix.lower(), open)(file, "rb") as opened:
            return bytes(opened.read())
    except _BROKEN as error:
        actual = f"{file.name!r}: {error}".rstrip(".")
        raise DataError(
            format_message(who, "the file of baskets must be readable", actual=actual, hint="look whether it is whole")
        ) from None


def _sample(text: bytes) -> str:
    """The first lines of a text, of which the last one is whole."""
    head = text[:_SAMPLE]
    if len(head) == _SAMPLE:
        head = head[: head.rfind(b"\n") + 1] or head
    return head.decode("utf-8", errors="replace")


def _items_alone(text: bytes, layout: LineLayout) -> bytes:
    """The lines without what is not an item: comments, a header, the first field, empty fields at the end."""
    lines = text.decode("utf-8", errors="replace").splitlines()[layout.skip :]
    if layout.braces:
        lines = [line.strip().removeprefix("{").removesuffix("}") for line in lines]
    mark = layout.delimiter
    if layout.lead:
        lines = [line.strip().partition(mark)[2] for line in lines]
    return "\n".join(line.rstrip(mark + " \t") for line in lines).encode("utf-8")


def _notes_of(layout: LineLayout) -> list[str]:
    notes = [f"{count(layout.skip, 'line')} above the baskets left out."] if layout.skip else []
    if layout.lead:
        what = "the number of the basket" if layout.lead == "number" else "the count of its items"
        notes.append(f"The first field of each line is {what}, not an item.")
    return notes


def pairs_of(baskets: Baskets) -> Any:
    """Baskets as a frame of two columns, the number of the basket and an item, in the library that is there."""
    numbers = np.repeat(np.arange(len(baskets)), np.diff(baskets.starts))
    items = [str(baskets.items[code]) for code in baskets.codes.tolist()]
    return frame_library("pairs_of", True).DataFrame({"basket": numbers, "item": items})


def _quoted(text: str, mark: str) -> tuple[Array, Array, list[Any], int]:
    """Lines whose items may stand in quotes, with delimiters inside them."""
    rows = [[item.strip() for item in next(csv.reader([line], delimiter=mark), [])] for line in text.splitlines()]
    full = [[item for item in row if item] for row in rows]
    # A line without anything is a basket without items, not an empty place.
    n_empty = sum(len(row) - len(items) for row, items in zip(rows, full, strict=True) if len(row) > 1)
    coded = _core.code_baskets(full)
    assert not isinstance(coded, int)  # every row is a list
    return *coded, n_empty


def _delimiter(text: str) -> str:
    """The mark that stands in most lines; blanks if every word is a number; else none does, and a line is one item."""
    head = text[:1_000_000].splitlines()
    often = {mark: sum(mark in line for line in head) for mark in DELIMITERS}
    best = max(DELIMITERS, key=often.__getitem__)
    words = [] if often[best] else [word for line in head for word in line.split()]
    return " " if words and all(_WHOLE.fullmatch(word) for word in words) else best
