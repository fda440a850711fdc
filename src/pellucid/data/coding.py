"""Which values a column has, how often, and each value as the number of its category.

Numbers, flags and times go through 64-bit keys and a kernel, fixed-width text through a kernel for bytes, everything
else through Python's own hashes. NaN is one category however many there are of it, and stands last; None is another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import repeat
from typing import Any

import narwhals as nw
import numpy as np

from pellucid import _core
from pellucid.base.errors import DataError, DataTypeError, count, format_message, noun_list, short_repr
from pellucid.base.types import Array
from pellucid.data.blocks import is_wide
from pellucid.data.kinds import Kind, is_missing
from pellucid.data.own_codes import OwnCodes, own_codes
from pellucid.data.table import Table
from pellucid.data.texts import CodedTexts, code_fixed, code_text_columns, code_texts

EXACT = 2**53  # whole numbers up to here are floats without loss


def is_nan(value: Any) -> bool:
    """NaN, NaT or pandas.NA; None is a category of its own."""
    return value is not None and is_missing(value)


def objects(values: Iterable[Any]) -> Array:
    """Anything as an array of objects of one dimension."""
    listed = list(values)
    array = np.empty(len(listed), dtype=object)
    for i, value in enumerate(listed):
        array[i] = value
    return array


# ------------------------------------------------------------------------------------------------------------ columns


def column_of(table: Table, j: int, who: str) -> Array:
    """A column as numbers, flags, times, fixed-width text or objects; infinity is refused."""
    values = table.column(j)
    if values.dtype.kind == "f":
        _refuse_infinity(values, table, j, who)
    if values.dtype.kind in "biufmM" and values.dtype.itemsize <= 8:
        return values.astype(values.dtype.newbyteorder("="), copy=False)
    if values.dtype.kind in "US":
        return values.astype(values.dtype.newbyteorder("="), copy=False)
    return values.astype(object, copy=False)


def _refuse_infinity(values: Array, table: Table, j: int, who: str) -> None:
    rows = np.flatnonzero(np.isinf(values))
    if len(rows):
        requirement = "Input X contains infinity or a value too large"
        actual = f"column {table.label(j)} has {count(len(rows), 'infinite value')} (inf) in {noun_list('row', rows)}"
        raise DataError(format_message(who, requirement, actual=actual, hint="replace or clip these values"))


# --------------------------------------------------------------------------------------------------------------- keys


def _keys(values: Array) -> Array:
    """Numbers or times as 64-bit keys: equal values have equal keys, the two zeros and all NaN too."""
    if values.dtype.kind == "f":
        floats = values.astype(np.float64) + 0.0
        floats[np.isnan(floats)] = np.nan
        return floats.view(np.int64)
    if values.dtype.kind in "mM" or values.dtype == np.uint64:
        keys = values.view(np.int64)
    else:
        keys = values.astype(np.int64, copy=False)
    in_place = keys.flags.aligned and keys.strides[0] % 8 == 0
    return keys if in_place else keys.copy()


def _of_keys(keys: Array, dtype: np.dtype[Any]) -> Array:
    """The values behind keys."""
    if dtype.kind == "f":
        return keys.view(np.float64).astype(dtype)
    return keys.view(dtype) if dtype.itemsize == 8 else keys.astype(dtype)


# ----------------------------------------------------------------------------------------------------------- distinct


def distinct(values: Array, threads: int) -> tuple[Array, Array]:
    """The values of a column in ascending order, None and NaN last, and how often each occurs."""
    if values.dtype.kind == "O":
        return _in_order(Counter(values.tolist()))
    if values.dtype.kind in "US":
        codes, distinct_values = code_fixed(values)
        counts = np.bincount(codes, minlength=len(distinct_values))
    else:
        keys, counts = _core.count_keys(_keys(values), threads)
        distinct_values = _of_keys(keys, values.dtype)
    order = np.argsort(distinct_values, kind="stable")
    return distinct_values[order], counts[order]


def _in_order(counts: Mapping[Any, int]) -> tuple[Array, Array]:
    """Values in ascending order, None and NaN last, from how often each occurs."""
    present = {value: n for value, n in counts.items() if not is_missing(value)}
    ordered = sorted(present)
    often = [present[value] for value in ordered]
    if None in counts:
        ordered, often = [*ordered, None], [*often, counts[None]]
    missing = sum(n for value, n in counts.items() if is_nan(value))
    if missing:
        ordered, often = [*ordered, np.nan], [*often, missing]
    return objects(ordered), np.array(often, dtype=np.int64)


def categories_of(values: Array, table: Table, j: int, threads: int, who: str) -> tuple[Array, Array]:
    """`distinct`, with a sentence for values that have no order or no hash."""
    try:
        return distinct(values, threads)
    except TypeError:
        kinds = sorted({type(value).__qualname__ for value in values.tolist() if not is_nan(value)})
        requirement = "Encoders require their input argument must be uniformly strings or numbers"
        actual = f"column {table.label(j)} holds values of {noun_list('type', kinds)}"
        raise DataTypeError(
            format_message(who, requirement, actual=f"{actual}. Got {kinds}", hint="turn them into text with str")
        ) from None


def categories_in(table: Table, j: int, threads: int, who: str) -> tuple[Array, Array]:
    """The categories of a column of a table and how often each occurs, from its own codes where it has them."""
    stored = _stored_codes(table, j, threads)
    if stored is not None:
        if isinstance(table.dtypes[j], nw.String) and stored.codes.min() >= 0:
            categories = np.array(sorted(stored.values), dtype=np.str_)  # as the library gives words without a gap
            counts = stored.counts()
            return categories, np.array([counts[value] for value in categories.tolist()])
        try:
            return _in_order(stored.counts())
        except TypeError:  # categories without an order, about which there is a sentence
            pass
    return categories_of(column_of(table, j, who), table, j, threads, who)


def given_categories(given: Any, values: Array, table: Table, j: int, who: str) -> Array:
    """The categories that the user lists for a column, in the column's own type where that holds them."""
    found = _as_array(given, values)
    where = f"column {table.label(j)}"
    if len(found) == 0:
        raise DataError(
            format_message(who, "each column must have a category", actual=f"categories of {where} is empty")
        )
    if any(is_nan(value) for value in found[:-1].tolist()):
        requirement = "Nan should be the last element in user provided categories"
        raise DataError(format_message(who, requirement, actual=f"it stands before others in those of {where}"))
    try:
        times = distinct(found, 1)[1]
    except TypeError:  # several types have no order, and need none here
        times = np.array(list(Counter(found.tolist()).values()))
    if (times > 1).any():
        raise DataError(
            format_message(who, "categories must differ", actual=f"those of {where} contain duplicate elements")
        )
    return found


def _as_array(given: Any, values: Array) -> Array:
    listed = np.asarray(given) if values.dtype.kind not in "OUS" else objects(given)
    if listed.dtype.kind not in "biufmM" or listed.dtype.itemsize > 8:
        return objects(given)
    with np.errstate(invalid="ignore"):
        if {listed.dtype.kind, values.dtype.kind} <= set("biuf") and listed.dtype != values.dtype:
            cast = listed.astype(values.dtype)
            return cast if np.array_equal(cast, listed, equal_nan=listed.dtype.kind == "f") else listed
    return listed


# -------------------------------------------------------------------------------------------------------------- codes


def encode(values: Array, categories: Array, codes: Array, threads: int) -> None:
    """Writes the position of each value among the categories into ``codes``; -1 where it is none of them."""
    dtype = _common(values, categories)
    if dtype is not None:
        keys, category_keys = _keys(values.astype(dtype, copy=False)), _keys(categories.astype(dtype, copy=False))
        _core.encode_keys(keys, np.ascontiguousarray(category_keys), codes, threads)
    elif values.dtype.kind in "US":
        numbers, distinct_values = code_fixed(values)
        codes[:] = _encode_objects(distinct_values.tolist(), categories)[numbers]
    else:
        codes[:] = _encode_objects(values.tolist(), categories)


def _common(values: Array, categories: Array) -> np.dtype[Any] | None:
    """The type in which two columns have keys without loss, or None."""
    kinds = {values.dtype.kind, categories.dtype.kind}
    if kinds <= {"m"} or kinds <= {"M"}:
        return np.result_type(values.dtype, categories.dtype)
    if not kinds <= set("biuf"):
        return None
    dtype = np.result_type(values.dtype, categories.dtype)
    integer_columns = [
        column for column in (values, categories) if column.dtype.kind in "iu" and column.dtype.itemsize == 8
    ]
    if dtype.kind == "f" and any(max(int(c.max()), -int(c.min())) > EXACT for c in integer_columns if c.size):
        return None
    return np.dtype(np.float64) if dtype.kind == "f" else dtype


def _encode_objects(values: list[Any], categories: Array) -> Array:
    code_of = {value: code for code, value in enumerate(categories.tolist()) if not is_nan(value)}
    missing = len(categories) - 1 if is_nan(categories.tolist()[-1]) else -1
    code_of[np.nan] = missing  # by identity: most NaN in a table are this one
    codes = np.fromiter(map(code_of.get, values, repeat(-1)), dtype=np.int32, count=len(values))
    if missing >= 0:
        for i in np.flatnonzero(codes == -1).tolist():
            if is_nan(values[i]):
                codes[i] = missing
    return codes


def encode_table(table: Table, categories: list[Array], threads: int, who: str) -> Array:
    """Codes of all columns, column after column: ``codes[j, r]``."""
    codes = np.empty((table.n_cols, table.n_rows), dtype=np.int32)
    for j, column_categories in enumerate(categories):
        stored = _stored_codes(table, j, threads)
        if stored is not None:
            codes[j] = _encode_objects([*stored.values, stored.missing], column_categories)[stored.codes]
            continue
        values = column_of(table, j, who)
        try:
            encode(values, column_categories, codes[j], threads)
        except TypeError:
            kind = next((type(value).__name__ for value in values.tolist() if not _has_hash(value)), "object")
            requirement, actual = "each cell must be one value", f"column {table.label(j)} holds a {kind}"
            raise DataTypeError(format_message(who, requirement, actual=actual)) from None
    return codes


def _stored_codes(table: Table, j: int, threads: int) -> OwnCodes | None:
    """The codes that a column is stored by, or those of the texts of a wide and short polars frame."""
    if not table.is_frame:
        return None
    if isinstance(table.dtypes[j], nw.String) and _in_one_piece(table) and table.source.implementation.is_polars():
        texts = _coded_texts(table, j, threads)
        cut = texts is None or any(value[-1:] == "\0" for value in texts.values)  # NumPy cuts such an end off
        return None if texts is None or cut else OwnCodes(texts.values, texts.codes, None)
    return own_codes(table, j)


def _has_hash(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def unknown_words(table: Table, j: int, codes: Array, who: str, when: str) -> str:
    """What is said of values that are no category."""
    rows = np.flatnonzero(codes < 0)
    values = column_of(table, j, who)[rows[:1000]].tolist()
    unknown = list({repr(value): short_repr(value) for value in values}.values())
    listed = ", ".join(unknown[:5]) + (", ..." if len(unknown) > 5 else "")
    return f"Found unknown categories [{listed}] in column {table.label(j)} during {when} ({noun_list('row', rows)})"


# -------------------------------------------------------------------------------------------------------------- coded


@dataclass(frozen=True)
class Coded:
    """A column by its distinct values.

    values : those that are not missing, in the order in which they are first met
    counts : how many rows have each
    codes : which one each row has; -1 where it is missing
    """

    values: Array
    counts: Array
    codes: Array


def code_column(table: Table, j: int, threads: int) -> Coded:
    """The distinct values of a column and their codes. Infinity is a value like others here."""
    if j in table.numbers:
        return code_numbers(table.numbers[j], table.missing(j), threads)
    texts = _coded_texts(table, j, threads)
    if texts is not None:
        return Coded(np.array(texts.values, dtype=object), texts.counts, texts.codes)
    values, missing = table.column(j), table.missing(j)
    if values.dtype.kind == "O" or (values.dtype.itemsize > 8 and values.dtype.kind not in "US"):
        return _code_objects(values.tolist(), missing)
    if values.dtype.kind in "US":
        codes, distinct_values = code_fixed(values)
        return _without_missing(distinct_values, codes.astype(np.int32, copy=False), missing)
    return code_numbers(values, missing, threads)


def _in_one_piece(table: Table) -> bool:
    """Are the columns of a table better coded all at once?"""
    return table.is_frame and is_wide(table.n_rows, table.n_cols)


def _coded_texts(table: Table, j: int, threads: int) -> CodedTexts | None:
    """`code_texts` of a column. Those of a wide and short frame are all coded when the first is asked for."""
    if not _in_one_piece(table):
        return code_texts(table, j, threads)
    cache: dict[int, CodedTexts | None] | None = vars(table).get("_coded_texts")
    if cache is None:
        columns = [k for k, kind in enumerate(table.kinds) if kind in (Kind.TEXT, Kind.CATEGORY, Kind.ORDERED)]
        cache = dict(zip(columns, code_text_columns(table, columns, threads), strict=True))
        vars(table)["_coded_texts"] = cache
    coded = cache[j] if j in cache else code_texts(table, j, threads)
    return None if coded is None else replace(coded, codes=coded.codes.copy())


def code_numbers(values: Array, missing: Any, threads: int) -> Coded:
    """The same for numbers or times that are at hand, with a flag for each that is missing."""
    plain = values.astype(values.dtype.newbyteorder("="), copy=False)
    keys, _ = _core.count_keys(_keys(plain), threads)
    codes = np.empty(len(plain), dtype=np.int32)
    _core.encode_keys(_keys(plain), keys, codes, threads)
    return _without_missing(_of_keys(keys, plain.dtype), codes, missing)


def _code_objects(values: list[Any], missing: Any) -> Coded:
    code_of: dict[Any, int] = {}
    codes = np.full(len(values), -1, dtype=np.int32)
    for i in np.flatnonzero(~missing).tolist():
        value = values[i]
        try:
            codes[i] = code_of.setdefault(value, len(code_of))
        except TypeError:  # a list or a dict in a cell is known by its text
            codes[i] = code_of.setdefault(str(value), len(code_of))
    return Coded(objects(code_of), np.bincount(codes[codes >= 0], minlength=len(code_of)), codes)


def _without_missing(found: Array, codes: Array, missing: Any) -> Coded:
    if missing.any():
        codes[missing] = -1
        present_codes = np.unique(codes[~missing])
        renumber = np.full(len(found) + 1, -1, dtype=np.int32)
        renumber[present_codes] = np.arange(len(present_codes), dtype=np.int32)
        found, codes = found[present_codes], renumber[codes]
    return Coded(found, np.bincount(codes[codes >= 0], minlength=len(found)), codes)
