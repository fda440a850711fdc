"""One look at any table: names, row count, columns, kinds, missing places. Nothing is copied here.

pandas, polars and pyarrow come through narwhals, scipy.sparse through its own door, everything else through NumPy.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import narwhals as nw
import numpy as np
import scipy.sparse

from pellucid.base.errors import DataError, DataTypeError, count, format_message, join_some, noun_list
from pellucid.base.types import Array, Flags
from pellucid.data.blocks import is_wide, number_columns
from pellucid.data.kinds import Kind, is_missing, kind_of_dtype, kind_of_objects
from pellucid.data.sparse import read_sparse


@dataclass(frozen=True)
class Table:
    """A table as it came: a NumPy array, a scipy.sparse matrix, or a narwhals frame."""

    source: Any
    n_rows: int
    n_cols: int
    names: tuple[Any, ...] | None  # None when the columns have no names
    names_are_text: bool = True

    @property
    def is_sparse(self) -> bool:
        return bool(scipy.sparse.issparse(self.source))

    @property
    def is_frame(self) -> bool:
        return isinstance(self.source, nw.DataFrame)

    @cached_property
    def series(self) -> tuple[nw.Series[Any], ...]:
        """The columns of a frame. A frame that is asked for one column reads all its names first: ask it once."""
        return tuple(self.source.iter_columns())

    @cached_property
    def dtypes(self) -> tuple[Any, ...]:
        """The types of a frame's columns."""
        if not self.source.implementation.is_polars():
            return tuple(self.source.schema.dtypes())
        # Each type is looked up once; one without settings is known by its class, which is sooner hashed.
        native_dtypes = self.source.to_native().dtypes
        plain = {kind: not vars(sample) for kind, sample in {type(dtype): dtype for dtype in native_dtypes}.items()}
        keys = [type(dtype) if plain[type(dtype)] else dtype for dtype in native_dtypes]
        index_of = {key: j for j, key in enumerate(keys)}
        dtype_of = {key: self.source[:, j].dtype for key, j in index_of.items()}
        return tuple(map(dtype_of.__getitem__, keys))

    def native(self, j: int) -> Any:
        """A column of a frame as its own library has it."""
        if self.source.implementation.is_polars():
            return self.source.to_native().to_series(j)
        return self.series[j].to_native()

    @cached_property
    def numbers(self) -> dict[int, Array]:
        """Of a wide and short frame, the columns of plain numbers by position; NaN is all that is missing in them."""
        if self.is_frame and is_wide(self.n_rows, self.n_cols):
            return number_columns(self.source, self.dtypes)
        return {}

    @cached_property
    def kinds(self) -> tuple[Kind, ...]:
        """Kind of every column."""
        if self.is_frame:
            return _kinds_of_frame(self)
        kind = kind_of_dtype(self.source.dtype)
        if kind is not None:
            return (kind,) * self.n_cols
        return tuple(kind_of_objects(self.source[:, j]) for j in range(self.n_cols))

    def column(self, j: int) -> Array:
        """Values of a column as a NumPy array."""
        if self.is_frame:
            return self.numbers[j] if j in self.numbers else _series_values(self.series[j])
        if self.is_sparse:
            return np.asarray(self.source[:, [j]].toarray()).ravel()
        return np.asarray(self.source[:, j])

    def clock(self, j: int) -> Array:
        """Values of a column of times as the clock shows them: those of a time zone in that zone, not in UTC."""
        if self.is_frame:
            series = self.series[j]
            if getattr(series.dtype, "time_zone", None) is not None:
                return _series_values(series.dt.replace_time_zone(None))
        return self.column(j)

    def missing(self, j: int) -> Flags:
        """Where a column is missing: null, None, NaN, NaT."""
        if self.is_frame and j not in self.numbers:
            series = self.series[j]
            nulls = np.asarray(series.is_null().to_numpy(), dtype=bool)
            return nulls | _missing_in(self.column(j))
        return _missing_in(self.column(j))

    def label(self, j: int) -> str:
        """How a message calls a column."""
        return f"'{self.names[j]}'" if self.names is not None else f"'x{j}'"

    def take(self, order: list[int]) -> Table:
        """The same table with its columns in another order."""
        names = None if self.names is None else tuple(self.names[j] for j in order)
        return Table(self.source[:, order], self.n_rows, len(order), names, self.names_are_text)


def _series_values(series: nw.Series[Any]) -> Array:
    dtype = series.dtype
    if isinstance(dtype, nw.Int128 | nw.UInt128 | nw.Decimal):  # NumPy has no such numbers
        return np.asarray(series.cast(nw.Float64).to_numpy())
    if isinstance(dtype, nw.Categorical | nw.Enum | nw.List | nw.Array | nw.Struct | nw.Object):
        values = np.empty(len(series), dtype=object)
        values[:] = series.to_list()
        return values
    return np.asarray(series.to_numpy())


def _missing_in(values: Array) -> Flags:
    if values.dtype.kind == "f":
        return np.isnan(values)
    if values.dtype.kind in "mM":
        return np.isnat(values)
    if values.dtype.kind == "O":
        return np.fromiter((is_missing(value) for value in values), dtype=bool, count=len(values))
    return np.zeros(len(values), dtype=bool)


def _kinds_of_frame(table: Table) -> tuple[Kind, ...]:
    """By their types alone where these tell; the other columns are looked at."""
    types: list[Any] = [type(dtype) for dtype in table.dtypes]
    kinds = [_kind_of_type(dtype) for dtype in types]
    undecided = [j for j, kind in enumerate(kinds) if kind is None]
    polars = bool(undecided) and table.n_rows > 0 and table.source.implementation.is_polars()
    null_counts = table.source.to_native().null_count().row(0) if polars else ()
    for j in undecided:
        if null_counts and isinstance(table.dtypes[j], nw.String):
            kinds[j] = Kind.NUMBER if null_counts[j] == table.n_rows else Kind.TEXT
        else:
            kinds[j] = _kind_of_series(table.series[j])
    return tuple(kind for kind in kinds if kind is not None)


@cache
def _kind_of_type(dtype: Any) -> Kind | None:
    """Kind of a frame's type; None where the values must be looked at."""
    if issubclass(dtype, nw.Boolean):
        return Kind.FLAG
    if dtype.is_numeric():
        return Kind.NUMBER
    if dtype.is_temporal():
        return Kind.TIME
    return Kind.ORDERED if issubclass(dtype, nw.Enum) else None


def _kind_of_series(series: nw.Series[Any]) -> Kind:
    dtype = series.dtype
    if dtype == nw.Categorical:
        return Kind.ORDERED if nw.is_ordered_categorical(series) else Kind.CATEGORY
    if series.head(1).null_count() == 1 and series.null_count() == len(series):
        return Kind.NUMBER  # nothing but missing values
    if dtype in (nw.List, nw.Array, nw.Struct):
        return Kind.TEXT
    if dtype == nw.String:
        return Kind.TEXT
    return kind_of_objects(np.asarray(series.to_numpy(), dtype=object))


def read_table(X: Any, who: str) -> Table:
    """Takes in anything that is a table, or says in one sentence why not."""
    if isinstance(X, np.ma.MaskedArray):
        X = np.ma.filled(X.astype(np.float64), np.nan)  # a masked value is a missing one
    if isinstance(X, np.ndarray):
        return _from_array(X, who)
    if scipy.sparse.issparse(X):
        return _from_sparse(X, who)
    frame = _as_frame(X, who)
    if frame is not None:
        return _from_frame(frame, who)
    if isinstance(X, type) or not (isinstance(X, (list, tuple, memoryview)) or hasattr(X, "__array__")):
        raise DataTypeError(_no_table(type(X).__name__, who))
    if isinstance(X, (list, tuple)) and X and isinstance(X[0], dict):
        raise DataTypeError(_no_table("a list of dicts", who, "pandas.DataFrame(X) makes a table of it"))
    try:
        array = np.asarray(X)
    except ValueError:
        raise DataError(_ragged(X, who)) from None
    return _from_array(array, who)


def _no_table(actual: str, who: str, hint: str = "") -> str:
    requirement = "X must be a table: a dataframe, a NumPy or sparse matrix, or a list of rows"
    return format_message(who, requirement, actual=f"got {actual}", hint=hint)


def _ragged(X: Any, who: str) -> str:
    """The sentence about rows of different length."""
    lengths = [len(row) if hasattr(row, "__len__") and not isinstance(row, str) else 1 for row in X]
    index = next((i for i, length in enumerate(lengths) if length != lengths[0]), 0)
    actual = f"row 0 has {count(lengths[0], 'value')} and row {index} has {lengths[index]}"
    return format_message(
        who, "every row of X must have the same number of values", actual=actual, hint="pad or drop the short rows"
    )


def count_rows(X: Any, who: str) -> Table:
    """For estimators that do not look at the values of X: anything with rows will do."""
    if X is None or isinstance(X, (str, dict)) or not (hasattr(X, "__len__") or hasattr(X, "__array__")):
        raise DataTypeError(_no_table(type(X).__name__, who))
    shape = X.shape if hasattr(X, "shape") else np.asarray(X, dtype=object).shape
    if hasattr(X, "columns") or len(shape) == 2:
        return read_table(X, who)
    if len(shape) == 0:
        raise DataError(_reshape(who, shape))
    _check_size(shape[0], 1, who)
    return Table(np.empty((shape[0], 1)), shape[0], 1, None)


def _as_frame(X: Any, who: str) -> nw.DataFrame[Any] | None:
    if hasattr(X, "collect") and hasattr(X, "collect_schema"):
        raise DataTypeError(
            format_message(
                who, "X must hold its rows", actual=f"got a lazy {type(X).__name__}", hint="call .collect() first"
            )
        )
    if type(X).__module__.startswith("pyarrow") and hasattr(X, "schema") and not hasattr(X, "combine_chunks"):
        import pyarrow

        X = pyarrow.Table.from_batches([X])
    columns = getattr(X, "columns", None)
    if columns is not None and not callable(columns):
        _check_unique(columns, X, who)
    native = nw.from_native(X, pass_through=True, allow_series=True)
    if isinstance(native, nw.Series):
        raise DataError(_reshape(who, (len(native),)))
    return native if isinstance(native, nw.DataFrame) else None


def _check_unique(columns: Any, X: Any, who: str) -> None:
    if type(X).__module__.startswith("pyarrow"):
        names = list(X.column_names)
    elif isinstance(columns, (list, tuple)) or hasattr(columns, "tolist"):
        names = list(columns)
    else:
        return
    if getattr(columns, "nlevels", 1) > 1:
        requirement, hint = (
            "columns must have one name each",
            'X.columns = ["_".join(map(str, name)) for name in X.columns]',
        )
        raise DataError(
            format_message(
                who, requirement, actual=f"got names of {columns.nlevels} levels, such as {names[0]!r}", hint=hint
            )
        )
    twice = sorted({str(name) for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if twice:
        raise DataError(
            format_message(
                who,
                "column names must be unique",
                actual=(
                    f"{join_some([repr(name) for name in twice])} {'stands' if len(twice) == 1 else 'stand'} more "
                    "than once"
                ),
                hint="rename or drop the duplicates",
            )
        )


def _from_frame(frame: nw.DataFrame[Any], who: str) -> Table:
    rows, cols = frame.shape
    names = list(frame.columns)
    _check_size(rows, cols, who)
    if frame.implementation.is_pandas_like():
        for name, dtype in zip(names, frame.to_native().dtypes, strict=True):
            if getattr(dtype, "kind", "") == "c":
                raise DataError(_complex(who, f" (column {name!r})"))
    return Table(frame, rows, cols, tuple(names), all(isinstance(name, str) for name in names))


def _from_sparse(X: Any, who: str) -> Table:
    if X.ndim != 2:
        raise DataError(_reshape(who, X.shape))
    if X.dtype.kind == "c":
        raise DataError(_complex(who))
    _check_size(X.shape[0], X.shape[1], who)
    return Table(read_sparse(X, who), X.shape[0], X.shape[1], None)


def _from_array(X: Array, who: str) -> Table:
    if X.dtype.names is not None:
        raise DataTypeError(
            format_message(
                who, "X must be a plain array", actual="got a structured array", hint="make a dataframe of it"
            )
        )
    if X.dtype.kind == "c":
        raise DataError(_complex(who))
    if X.ndim != 2:
        raise DataError(_reshape(who, X.shape))
    _check_size(X.shape[0], X.shape[1], who)
    return Table(X, X.shape[0], X.shape[1], None)


def _reshape(who: str, shape: tuple[int, ...]) -> str:
    kind = {0: "a single value", 1: "a one-dimensional array"}.get(len(shape), f"an array of {len(shape)} dimensions")
    return format_message(
        who,
        "X must have two dimensions, rows and columns",
        actual=f"Expected 2D array, got {kind} of shape {shape}. Reshape your data",
        hint="X.reshape(-1, 1) for a single column, X.reshape(1, -1) for a single row",
    )


def _complex(who: str, where: str = "") -> str:
    actual, hint = f"Complex data not supported{where}", "take X.real, X.imag or abs(X)"
    return format_message(who, "X must hold real numbers", actual=actual, hint=hint)


def _check_size(rows: int, cols: int, who: str) -> None:
    if rows == 0:
        raise DataError(
            format_message(
                who,
                "X must have rows",
                actual=f"Found array with 0 sample(s) (shape=({rows}, {cols})) while a minimum of 1 is required",
            )
        )
    if cols == 0:
        raise DataError(
            format_message(
                who,
                "X must have columns",
                actual=f"0 feature(s) (shape=({rows}, {cols})) while a minimum of 1 is required",
            )
        )


def describe_missing(table: Table, who: str, hint: str) -> str | None:
    """The sentence about the first column with missing values, or None."""
    faulty = [(j, where) for j in range(table.n_cols) if (where := table.missing(j)).any()]
    if not faulty:
        return None
    j, where = faulty[0]
    rows = np.flatnonzero(where)
    actual = f"column {table.label(j)} has {count(len(rows), 'missing value')} ({noun_list('row', rows)})"
    if len(faulty) > 1:
        actual += f" and {count(len(faulty) - 1, 'other column')} {'has' if len(faulty) == 2 else 'have'} some too"
    return format_message(who, "X must have no missing values", actual=f"Input X contains NaN: {actual}", hint=hint)
