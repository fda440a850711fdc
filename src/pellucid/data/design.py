"""From a table to what a kernel reads: one conversion, decided by what the estimator declared it needs.

The conversion is remembered as a `Schema`, so that later tables are brought into the same form: columns are matched by
name, categories keep their codes, and what does not fit is refused in one sentence.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import repeat
from typing import Any, Literal

import narwhals as nw
import numpy as np

from pellucid import _core
from pellucid.base.errors import (
    DataError,
    DataTypeError,
    PellucidWarning,
    count,
    format_message,
    join_some,
    noun_list,
    short_repr,
    warn,
)
from pellucid.base.types import Array, Floats
from pellucid.data.kinds import NUMERIC, Kind, is_missing
from pellucid.data.table import Table, count_rows, describe_missing, read_table
from pellucid.data.texts import code_fixed, code_text_columns


@dataclass(frozen=True)
class InputSpec:
    """What input an estimator accepts, and in which form its kernels read it.

    sparse : sparse matrices are passed on as they are
    missing : missing values are accepted and arrive as NaN
    categories : columns of text and categories are accepted and arrive as codes 0, 1, ...
    unknown : what a category that `fit` did not see becomes in `predict`: an error, or a missing value
    check_finite : whether NaN and infinity are rejected during input validation, inside the kernel (which reads the
        data anyway), or never, because infinity is an ordinary value
    values : False if only the number of rows matters, as for a baseline
    raw : columns are not converted to numbers; `Design.table` holds them
    """

    sparse: bool = False
    missing: bool = False
    categories: bool = False
    unknown: Literal["error", "missing"] = "error"
    check_finite: Literal["input", "kernel", "never"] = "input"
    values: bool = True
    raw: bool = False


@dataclass(frozen=True)
class Schema:
    """What `fit` saw: names, kinds and categories of the columns."""

    n_cols: int
    names: tuple[Any, ...] | None
    names_are_text: bool
    kinds: tuple[Kind, ...] | None = None
    categories: dict[int, tuple[Any, ...]] = field(default_factory=dict)


@dataclass
class Design:
    """A table in the form that kernels read, with its target and weights."""

    who: str
    table: Table
    schema: Schema
    n_rows: int
    n_cols: int
    dtype: np.dtype[Any]
    X: _core.Matrix | None
    numbers: Any  # the array or CSR matrix behind X
    y: Floats = field(default_factory=lambda: np.empty((0, 0)))
    y_is_vector: bool = True
    weight: Floats | None = None
    classes: list[Array] = field(default_factory=list)

    @property
    def matrix(self) -> _core.Matrix:
        """The view for kernels."""
        if self.X is None:
            raise DataTypeError(
                format_message(self.who, "this estimator declared that it does not look at the values of X")
            )
        return self.X

    @property
    def unit_weight(self) -> tuple[Floats | None, float]:
        """Weights whose largest lies between 1 and 2, and the power of two by which they were divided."""
        if self.weight is None:
            return None, 1.0
        unit = float(np.ldexp(1.0, int(np.frexp(self.weight.max())[1]) - 1))
        return (self.weight if unit == 1.0 else self.weight / unit), unit

    def column_labels(self) -> list[str]:
        """Names for messages and reports: the table's own, or x0, x1, ..."""
        names = self.schema.names
        return [str(name) for name in names] if names is not None else [f"x{j}" for j in range(self.n_cols)]

    def explain_not_finite(self) -> DataError:
        """The sentence about NaN or infinity, for a kernel that met one."""
        return DataError(_not_finite(self.table, self.numbers, self.who, allow_nan=False))


_IMPUTE = "put an imputer before it, drop these rows, or use an estimator that takes missing values"


def infer_schema(X: Any, input_spec: InputSpec, who: str) -> Design:
    """Table of `fit`: the schema is made here."""
    table = _read(X, input_spec, who)
    schema = Schema(table.n_cols, table.names, table.names_are_text)
    if input_spec.raw or not input_spec.values:
        return _unread(table, schema, who)
    if not table.is_sparse and _needs_look(table):
        kinds = table.kinds
        texts = [j for j, kind in enumerate(kinds) if input_spec.categories and kind not in NUMERIC | {Kind.TIME}]
        words = _words(table, texts)
        categories = {j: _sorted_values(table, j, words.get(j)) for j in texts}
        schema = Schema(table.n_cols, table.names, table.names_are_text, kinds, categories)
        return _convert(table, schema, input_spec, who, words)
    return _convert(table, schema, input_spec, who, {})


def apply_schema(X: Any, schema: Schema, input_spec: InputSpec, who: str) -> Design:
    """Table of `predict`: brought into the form of the schema."""
    table = _read(X, input_spec, who)
    if input_spec.values:
        table = _match_columns(table, schema, who)
    if input_spec.raw or not input_spec.values:
        return _unread(table, schema, who)
    return _convert(table, schema, input_spec, who, _words(table, list(schema.categories)))


def _read(X: Any, input_spec: InputSpec, who: str) -> Table:
    if not input_spec.values:
        return count_rows(X, who)
    if input_spec.raw and isinstance(X, list | tuple) and _becomes_text(X):
        X = np.array(X, dtype=object)  # NumPy would turn the numbers among the words into words
    table = read_table(X, who)
    if input_spec.raw and not input_spec.sparse:
        _refuse_sparse(table, who)
    return table


def _becomes_text(X: Any) -> bool:
    try:
        return np.asarray(X).dtype.kind in "US"
    except ValueError:  # rows of different length, which the door refuses
        return False


def _unread(table: Table, schema: Schema, who: str) -> Design:
    return Design(who, table, schema, table.n_rows, table.n_cols, np.dtype(float), None, None)


def _needs_look(table: Table) -> bool:
    """Plain numeric arrays need no look at their columns."""
    return table.is_frame or table.source.dtype.kind not in "biuf"


# ---------------------------------------------------------------------------------------------------------- columns


def _match_columns(table: Table, schema: Schema, who: str) -> Table:
    if schema.names is not None and table.names is not None:
        return _by_name(table, schema.names, who)
    if table.n_cols != schema.n_cols:
        raise DataError(
            format_message(
                who,
                "X must have the columns that fit saw",
                actual=f"X has {table.n_cols} features, but {who} is expecting {schema.n_cols} features as input",
            )
        )
    if schema.names is not None and schema.names_are_text and not table.is_sparse:
        warn(f"X does not have valid feature names, but {who} was fitted with feature names", PellucidWarning)
    if schema.names is None and table.names is not None and table.names_are_text:
        warn(f"X has feature names, but {who} was fitted without feature names", PellucidWarning)
    return table


def _by_name(table: Table, wanted: tuple[Any, ...], who: str) -> Table:
    if table.names == wanted:
        return table
    names = table.names or ()
    position_of = {name: j for j, name in enumerate(names)}
    expected = set(wanted)
    absent = [name for name in wanted if name not in position_of]
    extra = [name for name in names if name not in expected]
    if not absent and not extra:
        return table.take([position_of[name] for name in wanted])
    actual = "The feature names should match those that were passed during fit.\n"
    if extra:
        actual += "Feature names unseen at fit time:\n" + "".join(f"- {name}\n" for name in extra[:5])
    if absent:
        actual += "Feature names seen at fit time, yet now missing:\n" + "".join(f"- {name}\n" for name in absent[:5])
    actual = actual.rstrip("\n") + "\n"
    hint = "columns may stand in any order, but each must be there once, under the name it had in fit"
    raise DataError(format_message(who, "X must have the columns that fit saw", actual=actual, hint=hint))


@dataclass(frozen=True)
class Words:
    """A column of text: its distinct texts, and which one each row has; -1 where it is missing."""

    values: list[Any]
    codes: Array


def _words(table: Table, columns: list[int]) -> dict[int, Words]:
    """Columns that hold nothing but text, or categories that are text, without a look at every row in Python."""
    if not columns or table.is_sparse:
        return {}
    if not table.is_frame and table.source.dtype.kind in "US":
        return {
            j: Words(distinct_values.tolist(), codes)
            for j in columns
            for codes, distinct_values in (code_fixed(table.column(j)),)
        }
    coded = code_text_columns(table, columns, 1)
    return {
        j: Words(column.values, column.codes) for j, column in zip(columns, coded, strict=True) if column is not None
    }


def _sorted_values(table: Table, j: int, words: Words | None) -> tuple[Any, ...]:
    if words is not None:
        return tuple(sorted(words.values))
    present = {value for value in set(table.column(j).tolist()) if not is_missing(value)}
    try:
        return tuple(sorted(present))
    except TypeError:  # values of several types have no order of their own
        return tuple(sorted(present, key=lambda value: (type(value).__name__, str(value))))


# --------------------------------------------------------------------------------------------------------- conversion


def _convert(table: Table, schema: Schema, input_spec: InputSpec, who: str, words: dict[int, Words]) -> Design:
    if table.is_sparse:
        return _convert_sparse(table, schema, input_spec, who)
    numbers = _as_numbers(table, schema, input_spec, who, words)
    view = _core.dense(numbers)
    design = Design(who, table, schema, table.n_rows, table.n_cols, numbers.dtype, view, numbers)
    if input_spec.check_finite == "input":
        check_finite(design, allow_nan=input_spec.missing)
    return design


def _convert_sparse(table: Table, schema: Schema, input_spec: InputSpec, who: str) -> Design:
    if not input_spec.sparse:
        _refuse_sparse(table, who)
    csr = table.source.tocsr()
    if not csr.has_canonical_format:
        csr = csr.copy()
        csr.sum_duplicates()
    if csr.dtype != np.float64:
        csr = csr.astype(np.float64)
    indices, starts = csr.indices, csr.indptr
    if indices.dtype != starts.dtype:
        indices, starts = indices.astype(np.int64), starts.astype(np.int64)
    view = _core.csr(csr.data, indices, starts, table.n_cols)
    dtype = np.dtype(np.float32) if table.source.dtype == np.float32 else np.dtype(np.float64)
    design = Design(who, table, schema, table.n_rows, table.n_cols, dtype, view, csr)
    if input_spec.check_finite == "input":
        check_finite(design, allow_nan=input_spec.missing)
    return design


def _refuse_sparse(table: Table, who: str) -> None:
    if table.is_sparse:
        actual, hint = "Sparse data was passed, but dense data is required", "use X.toarray() if it fits into memory"
        raise DataTypeError(format_message(who, "X must be dense", actual=actual, hint=hint))


def _as_numbers(table: Table, schema: Schema, input_spec: InputSpec, who: str, words: dict[int, Words]) -> Array:
    if not table.is_frame and table.source.dtype in (np.float64, np.float32) and table.source.dtype.isnative:
        return np.asarray(table.source)
    if not table.is_frame and table.source.dtype.kind in "biuf":
        with np.errstate(over="ignore"):  # what does not fit becomes infinite and is refused as such
            return np.asarray(table.source, dtype=np.float64)
    _refuse_kinds(table, schema, input_spec, who)
    block = _one_block(table)
    if block is None and not schema.categories:
        block = _numbers_of_polars(table)
    if block is not None:
        return block
    return _by_column(table, schema, input_spec, who, words)


def _one_block(table: Table) -> Array | None:
    """A frame whose columns all lie in one float block, without copying it."""
    if not table.is_frame:
        return None
    native = table.source.to_native()
    if not type(native).__module__.startswith("pandas"):
        return None
    kinds = set(native.dtypes)
    if len(kinds) == 1 and kinds <= {np.dtype(np.float64), np.dtype(np.float32)}:
        return np.asarray(native.to_numpy(copy=False))
    return None


def _numbers_of_polars(table: Table) -> Array | None:
    """A polars frame of plain numbers, copied by polars itself: of 5,000 columns ten times as fast as one by one."""
    if not table.is_frame or not table.source.implementation.is_polars() or table.n_cols < 2:
        return None
    dtypes: set[Any] = {type(dtype) for dtype in table.dtypes}
    if not all(dtype.is_float() or dtype.is_integer() for dtype in dtypes) or dtypes & {nw.Int128, nw.UInt128}:
        return None
    block = np.asarray(table.source.to_native().to_numpy(order="fortran"))
    return block if block.dtype == np.float32 and len(dtypes) == 1 else block.astype(np.float64, copy=False)


def _by_column(table: Table, schema: Schema, input_spec: InputSpec, who: str, words: dict[int, Words]) -> Array:
    single = table.is_frame and all(isinstance(dtype, nw.Float32) for dtype in table.dtypes)
    out = np.empty((table.n_rows, table.n_cols), dtype=np.float32 if single else np.float64, order="F")
    for j in range(table.n_cols):
        if j in schema.categories:
            out[:, j] = _codes(table, j, words.get(j), schema.categories[j], input_spec, who)
        else:
            out[:, j] = table.numbers[j] if j in table.numbers else _column_numbers(table, j, who)
    return out


def _column_numbers(table: Table, j: int, who: str) -> Array:
    values = table.column(j)
    if values.dtype.kind in "biuf":
        numbers = values.astype(np.float64)
    else:
        numbers = np.array([_number(value, j, i, table, who) for i, value in enumerate(values.tolist())], dtype=float)
    if table.is_frame and numbers.size:
        numbers[table.missing(j)] = np.nan
    return numbers


def _number(value: Any, j: int, i: int, table: Table, who: str) -> float:
    if is_missing(value):
        return float("nan")
    try:
        if isinstance(value, str):
            raise ValueError(value)  # digits as text are text
        return float(value)
    except OverflowError:
        raise DataError(
            format_message(who, "numbers must fit into 64-bit floats", actual=_cell(value, i, j, table))
        ) from None
    except TypeError as error:
        actual = f"{_cell(value, i, j, table)} ({error})"
        raise DataTypeError(format_message(who, "X must hold numbers", actual=actual, hint=_ENCODE)) from None
    except ValueError:
        raise DataError(
            format_message(who, "X must hold numbers", actual=_cell(value, i, j, table), hint=_ENCODE)
        ) from None


def _cell(value: Any, i: int, j: int, table: Table) -> str:
    return f"column {table.label(j)} holds {short_repr(value)} in row {i}"


_ENCODE = "encode it as numbers (one-hot or ordinal) before, or use an estimator that takes categories"


def _codes(
    table: Table, j: int, words: Words | None, categories: tuple[Any, ...], input_spec: InputSpec, who: str
) -> Floats:
    code_of = {value: code for code, value in enumerate(categories)}
    if words is not None:
        word_codes = np.array([*map(code_of.get, words.values, repeat(-1)), np.nan])
        codes = word_codes[words.codes]  # the last is what -1 finds
        if input_spec.missing and not (word_codes == -1).any():
            return codes
    else:
        values = table.column(j).tolist()
        codes = np.fromiter(map(code_of.get, values, repeat(-1)), dtype=float, count=len(values))
        unmet = np.flatnonzero(codes == -1)
        codes[[i for i in unmet if is_missing(values[i])]] = np.nan
    unknown = np.flatnonzero(codes == -1)
    if len(unknown) and input_spec.unknown == "error":
        cells = table.column(j)[unknown].tolist()
        unknown_values = sorted(set(map(repr, cells)))
        raise DataError(
            format_message(
                who,
                "categories must have been seen in fit",
                actual=f"column {table.label(j)} holds {join_some(unknown_values)} ({noun_list('row', unknown)}); "
                f"fit saw {join_some(map(repr, categories))}",
                hint="fit again with these rows, or set unknown categories to missing before",
            )
        )
    codes[unknown] = np.nan
    if np.isnan(codes).any() and not input_spec.missing:
        rows = np.flatnonzero(np.isnan(codes))
        actual = f"column {table.label(j)} has unknown or missing values ({noun_list('row', rows)})"
        raise DataError(format_message(who, "X must have no missing values", actual=actual, hint=_IMPUTE))
    return codes


def _refuse_kinds(table: Table, schema: Schema, input_spec: InputSpec, who: str) -> None:
    kinds = table.kinds if table.is_frame else schema.kinds or table.kinds
    if NUMERIC.issuperset(kinds):
        return
    for j, kind in enumerate(kinds):
        if kind in NUMERIC or j in schema.categories:
            continue
        if kind == Kind.TIME:
            hint = "take year, month, day ... or the time since a fixed day as numbers"
            raise DataTypeError(
                format_message(who, "X must hold numbers", actual=f"column {table.label(j)} holds times", hint=hint)
            )
        if table.is_frame:
            values = table.column(j).tolist()
            row = next((i for i, v in enumerate(values) if not isinstance(v, (int, float)) and not is_missing(v)), 0)
            words = "could not convert string to float: " if isinstance(values[row], str) else ""
            actual = words + _cell(values[row], row, j, table)
            raise DataError(format_message(who, "X must hold numbers", actual=actual, hint=_ENCODE))


# ------------------------------------------------------------------------------------------------------------- checks


def check_finite(design: Design, allow_nan: bool) -> None:
    """Refuses NaN (unless allowed) and infinity, naming column and rows."""
    if design.X is not None and _core.all_finite(design.X, 1 if design.n_rows * design.n_cols < 100_000 else 2):
        return
    message = _not_finite(design.table, design.numbers, design.who, allow_nan)
    if message:
        raise DataError(message)


def _not_finite(table: Table, numbers: Any, who: str, allow_nan: bool) -> str:
    if not allow_nan:
        missing = describe_missing(table, who, _IMPUTE)
        if missing:
            return missing
    infinite = _infinite_columns(table, numbers)
    if len(infinite) == 0:
        return ""
    j = int(infinite[0])
    column = np.asarray(numbers[:, [j]].toarray()).ravel() if table.is_sparse else numbers[:, j]
    rows = np.flatnonzero(np.isinf(column))
    actual = f"column {table.label(j)} has {count(len(rows), 'infinite value')} (inf) in {noun_list('row', rows)}"
    if not _inf_in_source(table, j):
        actual = f"column {table.label(j)} is too large for {column.dtype} ({noun_list('row', rows)})"
    return format_message(
        who, "Input X contains infinity or a value too large", actual=actual, hint="replace or clip these values"
    )


def _infinite_columns(table: Table, numbers: Any) -> Array:
    """Places of the columns that hold infinity, in order."""
    if table.is_sparse:
        return np.unique(numbers.indices[np.isinf(numbers.data)])
    some = max(1, 2**22 // len(numbers))  # columns at once
    flags = [np.isinf(numbers[:, j : j + some]).any(axis=0) for j in range(0, table.n_cols, some)]
    return np.flatnonzero(np.concatenate(flags))


def _inf_in_source(table: Table, j: int) -> bool:
    values = table.column(j)
    return values.dtype.kind != "f" or bool(np.isinf(values).any())


def attach_weight(design: Design, sample_weight: Any) -> None:
    """Checks the weights of the rows: one non-negative finite number each, not all zero."""
    if sample_weight is None:
        return
    who, n = design.who, design.n_rows
    if isinstance(sample_weight, (int, float, np.number)) and not isinstance(sample_weight, bool):
        weight = np.full(n, _one_weight(sample_weight, who))
    else:
        weight = np.ascontiguousarray(_weight_numbers(sample_weight, who))
    if weight.ndim != 1:
        raise DataError(
            format_message(
                who, "Sample weights must be 1D array or scalar", actual=f"got an array of {weight.ndim} dimensions"
            )
        )
    if len(weight) != n:
        actual = f"sample_weight.shape == {weight.shape}, expected ({n},)"
        raise DataError(format_message(who, "sample_weight must have one value a row", actual=actual))
    if not np.isfinite(weight).all():
        rows = np.flatnonzero(~np.isfinite(weight))
        raise DataError(
            format_message(who, "sample_weight must be finite", actual=f"NaN or infinity in {noun_list('row', rows)}")
        )
    if (weight < 0).any():
        actual = f"weight below zero in {noun_list('row', np.flatnonzero(weight < 0))}"
        raise DataError(format_message(who, "Negative values in data passed to `sample_weight`", actual=actual))
    if not weight.any():
        raise DataError(
            format_message(who, "at least one weight must be above zero", actual="all of sample_weight is zero")
        )
    design.weight = weight


def _one_weight(value: Any, who: str) -> float:
    try:
        return float(value)
    except OverflowError:
        raise DataError(
            format_message(who, "sample_weight must fit into 64-bit floats", actual=f"got {short_repr(value)}")
        ) from None


def _weight_numbers(sample_weight: Any, who: str) -> Floats:
    try:
        array = np.asarray(sample_weight)
        if array.dtype.kind in "biufO":
            return np.asarray(array, dtype=np.float64)
        actual = f"got {short_repr(array.ravel()[0].item() if array.size else array.dtype)}"
    except (TypeError, ValueError, OverflowError) as error:
        actual = str(error).rstrip(".")
    raise DataTypeError(
        format_message(who, "sample_weight must hold numbers", actual=actual, hint="give one number a row")
    ) from None
