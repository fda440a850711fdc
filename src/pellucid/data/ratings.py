"""Ratings: who rated what how, as codes of users and items and the ratings by row.

They come as a table with a column of users, one of items and one of ratings, as three arrays, or as a sparse matrix
with a row for each user and a column for each item. Ids may be anything that has a hash.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse

from pellucid import _core
from pellucid.base.errors import (
    DataError,
    DataTypeError,
    UnknownNameError,
    count,
    format_message,
    join_some,
    noun_list,
    short_repr,
)
from pellucid.base.types import Array, Floats
from pellucid.data.coding import code_column, encode, objects
from pellucid.data.kinds import NUMERIC, kind_of_dtype, kind_of_objects
from pellucid.data.sparse import read_sparse
from pellucid.data.table import Table, read_table

Rated = tuple[Array, Array, Array]  # starts, indices, values of compressed rows
Twice = Literal["mean", "last", "sum", "refuse"]
PARTS = ("user", "item", "rating")
_RULES = {"mean": 0, "last": 1, "sum": 2, "refuse": 1}


@dataclass(frozen=True)
class Ratings:
    """Ratings as kernels read them.

    users, items : the distinct ids, in ascending order where they have one, else as they are first met
    by_user : for each user the items rated, as codes in ascending order, with the ratings
    by_item : the same for each item
    n_repeated : triples whose pair stood before
    """

    users: Array
    items: Array
    by_user: Rated
    by_item: Rated
    n_repeated: int = 0

    def __len__(self) -> int:
        return len(self.by_user[1])


@dataclass(frozen=True)
class Pairs:
    """Pairs of a user and an item as codes, -1 where an id is not known; and ratings where they came with them."""

    users: Array
    items: Array
    ratings: Floats | None = None
    is_single: bool = False

    def __len__(self) -> int:
        return len(self.users)


@dataclass(frozen=True)
class Reading:
    """How ratings are read: who reads, what the columns are called, whether there must be a rating."""

    who: str
    names: Mapping[str, Any]  # part -> name of its column, or None
    needs_rating: bool = True
    twice: Twice = "mean"
    threads: int = 1


# --------------------------------------------------------------------------------------------------------- small forms

SmallRated = tuple[Array, Array, Array, Array]  # starts, indices, codes of values, the distinct values
MAX_LEVELS = 1 << 16  # distinct values that are coded


def small_form(rated: Rated) -> SmallRated:
    """Compressed rows in the narrowest types that lose nothing, as a model file holds them.

    Ratings have few distinct values: each is stored once, and each rating as its place among them. Values without such
    a scale stay as they are, with no distinct ones beside them.
    """
    starts, indices, values = rated
    narrow = indices.astype(_unsigned(int(indices.max(initial=0))))
    levels, codes = np.unique(values, return_inverse=True)
    if len(levels) > min(MAX_LEVELS, max(2, len(values) // 4)):
        return starts, narrow, values, np.empty(0)
    return starts, narrow, codes.reshape(-1).astype(_unsigned(len(levels) - 1)), levels


def full_form(small: SmallRated) -> Rated:
    """The compressed rows of a small form, in the types that kernels take."""
    starts, indices, codes, levels = small
    values = codes if not len(levels) else levels[codes]
    return starts, np.ascontiguousarray(indices, dtype=np.int32), np.ascontiguousarray(values, dtype=np.float64)


def _unsigned(largest: int) -> Any:
    """The narrowest unsigned type that holds a number."""
    return next(kind for kind in (np.uint8, np.uint16, np.uint32, np.uint64) if largest <= np.iinfo(kind).max)


# ---------------------------------------------------------------------------------------------------------------- fit


def read_ratings(given: Any, how: Reading) -> Ratings:
    """Ratings from whatever they come as."""
    if isinstance(given, Ratings):
        return given
    if scipy.sparse.issparse(given):
        return _from_matrix(given, how)
    users, items, ratings = _columns(given, how)
    user_ids, user_codes = _ids(users, how)
    item_ids, item_codes = _ids(items, how)
    values = np.ones(len(user_codes)) if ratings is None else _numbers(ratings, how)
    return _grouped(user_ids, item_ids, (user_codes, item_codes, values), how)


def _from_matrix(given: Any, how: Reading) -> Ratings:
    if given.ndim != 2 or given.dtype.kind == "c":
        requirement = "a sparse matrix of ratings must have two dimensions and real numbers"
        raise DataError(format_message(how.who, requirement, actual=f"got shape {given.shape} of {given.dtype}"))
    matrix = read_sparse(given, how.who).tocoo()
    if matrix.nnz == 0:
        raise DataError(_no_rating(how.who, f"the matrix of shape {given.shape} has no stored value"))
    values = np.ascontiguousarray(matrix.data, dtype=np.float64)
    _refuse_gaps(values, how.who, "the matrix", "non-finite value")
    codes = matrix.coords[0].astype(np.int32), matrix.coords[1].astype(np.int32)
    ids = np.arange(given.shape[0]), np.arange(given.shape[1])
    return _grouped(*ids, (*codes, values), how)


def _no_rating(who: str, actual: str) -> str:
    return format_message(
        who, "there must be at least one rating", actual=actual, hint="check the selection that made the table"
    )


def _grouped(users: Array, items: Array, triples: tuple[Array, Array, Floats], how: Reading) -> Ratings:
    rows, columns, values = triples
    by_user, repeated = _core.group_ratings(rows, columns, values, len(users), len(items), _RULES[how.twice])
    if repeated and how.twice == "refuse":
        pairs = rows.astype(np.int64) * len(items) + columns
        _, first, often = np.unique(pairs, return_index=True, return_counts=True)
        at = int(first[often > 1].min())
        actual = f"user {_shown(users[rows[at]])} and item {_shown(items[columns[at]])} stand together more than once"
        hint = "duplicates='mean', 'last' or 'sum' says what they mean together"
        raise DataError(format_message(how.who, "every pair must be rated once", actual=actual, hint=hint))
    return Ratings(users, items, by_user, _core.transpose_ratings(by_user, len(items)), repeated)


def _shown(value: Any) -> str:
    """An id as a message shows it."""
    return short_repr(value.item() if isinstance(value, np.generic) else value)


# ------------------------------------------------------------------------------------------------------------ columns

Column = tuple[Table, int]


def _columns(given: Any, how: Reading) -> list[Column | None]:
    """The columns of users, items and ratings; the last None where there need not be one and there is none."""
    if isinstance(given, tuple):
        return _from_arrays(given, how)
    if isinstance(given, list) and given and isinstance(given[0], list | tuple):
        if len({len(row) for row in given}) > 1:
            requirement, actual = (
                "every row must have the same number of values",
                f"row 0 has {len(given[0])}, others do not",
            )
            raise DataError(format_message(how.who, requirement, actual=actual))
        return _from_arrays(tuple(objects(column) for column in zip(*given, strict=True)), how)
    if hasattr(given, "__len__") and len(given) == 0:
        raise DataError(_no_rating(how.who, "the table is empty"))
    table = read_table(given, how.who)
    if table.names is None:
        return _by_place([(table, j) for j in range(table.n_cols)], how)
    return _by_name(table, how)


def _from_arrays(given: tuple[Any, ...], how: Reading) -> list[Column | None]:
    actual = []
    for role, values in zip(PARTS, given, strict=False):
        if hasattr(values, "to_frame"):
            actual.append((read_table(values.to_frame(), how.who), 0))
            continue
        array = _plain(values)
        if array.ndim != 1:
            requirement = "a tuple must hold arrays of one dimension: users, items, ratings"
            raise DataTypeError(
                format_message(
                    how.who, requirement, actual=f"the {role}s have shape {array.shape}", hint="pass rows as a list"
                )
            )
        if len(array) == 0:
            raise DataError(_no_rating(how.who, f"the array of {role}s is empty"))
        actual.append((Table(array[:, None], len(array), 1, (role,)), 0))
    lengths = [table.n_rows for table, _ in actual]
    if len(set(lengths)) > 1:
        raise DataError(
            format_message(how.who, "users, items and ratings must be equally many", actual=f"got {join_some(lengths)}")
        )
    return _by_place(actual, how)


def _plain(values: Any) -> Array:
    """One column as an array: numbers and text as they are, anything else as objects."""
    if isinstance(values, np.ndarray):
        return values
    listed = objects(values) if isinstance(values, list | tuple | range | set) else np.asarray(values)
    if listed.dtype.kind == "O" and listed.ndim == 1:
        kinds = {type(value) for value in listed.tolist()}
        if kinds <= {int} or kinds <= {float} or kinds <= {int, float}:
            return np.asarray(listed.tolist())
    return listed


def _by_place(columns: list[Column], how: Reading) -> list[Column | None]:
    min_columns = 3 if how.needs_rating else 2
    if len(columns) < min_columns:
        words = "users, items and ratings" if how.needs_rating else "users and items"
        raise DataError(
            format_message(
                how.who, f"there must be a column for each of {words}", actual=f"got {count(len(columns), 'column')}"
            )
        )
    return [columns[0], columns[1], columns[2] if len(columns) > 2 else None]


def _by_name(table: Table, how: Reading) -> list[Column | None]:
    """Each part in the column that was named for it, or is called like it, or else in the first that is left."""
    assert table.names is not None
    positions: dict[str, int] = {}
    for role in PARTS:
        requested = how.names.get(role)
        if requested is not None and requested not in table.names:
            actual = f"the table has {join_some([repr(name) for name in table.names])}"
            raise UnknownNameError(
                format_message(how.who, f"{role}={requested!r} must be the name of a column", actual=actual)
            )
        if requested is not None or role in table.names:
            positions[role] = table.names.index(role if requested is None else requested)
    remaining = [j for j in range(table.n_cols) if j not in positions.values()]
    guessed = PARTS if how.needs_rating or not positions else PARTS[:2]  # a rating that need not be is not guessed
    for role in guessed:
        if role not in positions and remaining:
            positions[role] = remaining.pop(0)
    if not {"user", "item"} <= positions.keys() or (how.needs_rating and "rating" not in positions):
        words = "users, items and ratings" if how.needs_rating else "users and items"
        actual = f"got {join_some([repr(name) for name in table.names])}"
        raise DataError(format_message(how.who, f"there must be a column for each of {words}", actual=actual))
    return [(table, positions[role]) if role in positions else None for role in PARTS]


def _ids(column: Column | None, how: Reading) -> tuple[Array, Array]:
    """The distinct ids in their order, and the place of each row's among them."""
    assert column is not None
    table, j = column
    coded = code_column(table, j, how.threads)
    absent = np.flatnonzero(coded.codes < 0)
    if len(absent):
        actual = f"column {table.label(j)} has {count(len(absent), 'missing value')} ({noun_list('row', absent)})"
        raise DataError(
            format_message(how.who, "every rating must have a user and an item", actual=actual, hint="drop these rows")
        )
    try:
        order = np.argsort(coded.values, kind="stable")
    except TypeError:  # ids of several kinds have no order among them
        order = np.arange(len(coded.values))
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return coded.values[order], np.ascontiguousarray(rank[coded.codes])


def _numbers(column: Column, how: Reading) -> Floats:
    table, j = column
    values, missing = table.column(j), table.missing(j)
    label = f"column {table.label(j)}"
    if missing.any():
        _refuse_gaps(np.where(missing, np.nan, 0.0), how.who, label, "missing value")
    kind = kind_of_dtype(values.dtype)
    if (kind_of_objects(values) if kind is None else kind) not in NUMERIC:
        odd = next((value for value in values.tolist() if not isinstance(value, int | float)), values.tolist()[0])
        actual = f"{label} holds {short_repr(odd)}"
        raise DataTypeError(
            format_message(how.who, "ratings must be numbers", actual=actual, hint="turn them into numbers")
        )
    numbers = np.ascontiguousarray(values, dtype=np.float64)
    _refuse_gaps(numbers, how.who, label, "infinite value")
    return numbers


def _refuse_gaps(values: Floats, who: str, where: str, what: str) -> None:
    rows = np.flatnonzero(~np.isfinite(values))
    if len(rows):
        row_note = f" ({noun_list('row', rows)})" if where.startswith("column") else ""
        actual = f"{where} has {count(len(rows), what)}{row_note}"
        hint = "leave out pairs that nobody rated"
        raise DataError(
            format_message(who, "ratings must be finite numbers: NaN is not a rating", actual=actual, hint=hint)
        )


# ------------------------------------------------------------------------------------------------------------ predict


def codes_of(values: Any, known: Array, how: Reading) -> Array:
    """The place of each id among the known ones; -1 where it is none of them."""
    array = _plain(values)
    codes = np.empty(len(array), dtype=np.int32)
    try:
        encode(array, known, codes, how.threads)
    except TypeError:
        requirement = "an id must be a value with a hash, such as a number or a text"
        raise DataTypeError(
            format_message(how.who, requirement, actual=f"got {short_repr(array.tolist()[0])}")
        ) from None
    return codes


def read_pairs(users: Any, items: Any, known: tuple[Array, Array], how: Reading) -> Pairs:
    """Pairs whose ratings are asked for: a table of both, or users and items, of which one may be a single id."""
    if items is None:
        if isinstance(users, Ratings):
            rows = np.repeat(np.arange(len(users.users)), np.diff(users.by_user[0]))
            return Pairs(
                codes_of(users.users[rows], known[0], how),
                codes_of(users.items[users.by_user[1]], known[1], how),
                users.by_user[2],
            )
        if scipy.sparse.issparse(users):
            return read_pairs(read_ratings(users, how), None, known, how)
        of_users, of_items, ratings = _columns(users, how)
        assert of_users is not None
        assert of_items is not None
        return Pairs(
            codes_of(of_users[0].column(of_users[1]), known[0], how),
            codes_of(of_items[0].column(of_items[1]), known[1], how),
            None if ratings is None or not how.needs_rating else _numbers(ratings, how),
        )
    one_user, one_item = is_single(users, known[0]), is_single(items, known[1])
    rows = codes_of([users] if one_user else users, known[0], how)
    columns = codes_of([items] if one_item else items, known[1], how)
    if not one_user and not one_item and len(rows) != len(columns):
        actual = f"got {count(len(rows), 'user')} and {count(len(columns), 'item')}"
        raise DataError(
            format_message(
                how.who, "there must be a user for each item", actual=actual, hint="a single user goes with all"
            )
        )
    n = len(columns) if one_user else len(rows)
    return Pairs(
        np.ascontiguousarray(np.broadcast_to(rows, n)),
        np.ascontiguousarray(np.broadcast_to(columns, n)),
        is_single=one_user and one_item,
    )


def is_single(value: Any, known: Array) -> bool:
    """One id, not a collection of them; a tuple is an id where known ids are tuples."""
    if isinstance(value, tuple | frozenset):
        return known.dtype.kind == "O" and any(isinstance(one, type(value)) for one in known.tolist())
    if isinstance(value, str | bytes | int | float | np.generic) or value is None:
        return True
    return not (hasattr(value, "__len__") or hasattr(value, "__array__"))


# ----------------------------------------------------------------------------------------------------------- features


def read_features(given: Any, how: Reading) -> tuple[Array, list[str], Any]:
    """What is known of items: their ids, the names of the features, and a sparse matrix with a row for each item.

    It comes as a table with a column of items, as a tuple of ids and a matrix, or as a mapping from ids to numbers or
    to lists of words, of which each is a feature that an item has or has not.
    """
    if isinstance(given, Mapping):
        ids, names, matrix = _from_mapping(given, how)
    elif isinstance(given, tuple) and len(given) == 2:
        ids, table = _plain(given[0]), read_table(given[1], how.who)
        names, matrix = _labels(table), _matrix(table, range(table.n_cols), how)
    else:
        ids, names, matrix = _from_table(read_table(given, how.who), how)
    if len(ids) != matrix.shape[0]:
        actual = f"got {count(len(ids), 'id')} and {count(matrix.shape[0], 'row')}"
        raise DataError(format_message(how.who, "there must be a row of features for each item", actual=actual))
    listed = ids.tolist()
    if len(set(listed)) < len(listed):
        twice = next(value for value in listed if listed.count(value) > 1)
        raise DataError(
            format_message(
                how.who, "every item must have its features once", actual=f"{short_repr(twice)} stands twice"
            )
        )
    try:
        order = np.argsort(ids, kind="stable")
    except TypeError:
        order = np.arange(len(ids))
    return ids[order], names, matrix[order]


def _labels(table: Table) -> list[str]:
    return [str(name) for name in table.names] if table.names is not None else [f"x{j}" for j in range(table.n_cols)]


def _from_table(table: Table, how: Reading) -> tuple[Array, list[str], Any]:
    name = how.names.get("item")
    if table.names is None or table.is_sparse:
        hint = "pass (ids, matrix), or a dataframe with a column of items"
        raise DataTypeError(
            format_message(how.who, "features must say which item each row is", actual="got a bare matrix", hint=hint)
        )
    name = name if name is not None else "item" if "item" in table.names else table.names[0]
    if name not in table.names:
        actual = f"the table has {join_some([repr(name) for name in table.names])}"
        raise UnknownNameError(
            format_message(how.who, f"item={name!r} must be the name of a column of the features", actual=actual)
        )
    at = table.names.index(name)
    feature_columns = [j for j in range(table.n_cols) if j != at]
    return table.column(at), [_labels(table)[j] for j in feature_columns], _matrix(table, feature_columns, how)


def _matrix(table: Table, columns: Any, how: Reading) -> Any:
    if table.is_sparse:
        return scipy.sparse.csr_array(table.source.astype(np.float64))
    return scipy.sparse.csr_array(np.column_stack([_numbers((table, j), how) for j in columns]))


def _from_mapping(given: Mapping[Any, Any], how: Reading) -> tuple[Array, list[str], Any]:
    if not given:
        raise DataError(format_message(how.who, "features must name at least one item", actual="the mapping is empty"))
    ids, rows = _plain(list(given)), list(given.values())
    first = next(iter(rows[0]), "") if hasattr(rows[0], "__iter__") and not isinstance(rows[0], str) else None
    if first is None:
        requirement, hint = "an item's features must be numbers or a list of words", "'a few words'.split() makes one"
        raise DataTypeError(format_message(how.who, requirement, actual=f"got {short_repr(rows[0])}", hint=hint))
    if not isinstance(first, str):
        table = read_table([list(row) for row in rows], how.who)
        return ids, _labels(table), _matrix(table, range(table.n_cols), how)
    words = sorted({word for row in rows for word in row})
    column_of = {word: j for j, word in enumerate(words)}
    pairs = sorted({(i, column_of[word]) for i, row in enumerate(rows) for word in row})
    at = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    shape = (len(rows), len(words))
    return ids, words, scipy.sparse.csr_array((np.ones(len(at)), (at[:, 0], at[:, 1])), shape=shape)


def with_items(ratings: Ratings, items: Array, how: Reading) -> Ratings:
    """The same ratings with codes among other items, of which those rated must be some."""
    codes = codes_of(ratings.items, items, how)
    if (codes < 0).any():
        missing = ratings.items[codes < 0].tolist()
        actual = f"{count(len(missing), 'item')} without: {join_some(map(short_repr, missing))}"
        hint = "give their features, or leave out their ratings"
        raise DataError(format_message(how.who, "every rated item must have features", actual=actual, hint=hint))
    starts, indices, values = ratings.by_user
    rows = np.repeat(np.arange(len(starts) - 1, dtype=np.int32), np.diff(starts))
    by_user, _ = _core.group_ratings(rows, codes[indices], values, len(ratings.users), len(items), _RULES["last"])
    by_item = _core.transpose_ratings(by_user, len(items))
    return Ratings(ratings.users, items, by_user, by_item, ratings.n_repeated)
