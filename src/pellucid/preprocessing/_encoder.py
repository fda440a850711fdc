"""What the encoders share: the door for raw columns, their categories and codes, and checks of parameters."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

import numpy as np

from pellucid.base.errors import DataError, DataTypeError, count, format_message, short_repr
from pellucid.base.types import Array
from pellucid.data.coding import EXACT, categories_in, column_of, encode_table, given_categories, unknown_words
from pellucid.data.design import Design, InputSpec, infer_schema
from pellucid.estimator.roles import Transformer


def check_categories(value: Any) -> str | None:
    if all(not isinstance(column, str | bytes) and hasattr(column, "__len__") for column in value):
        return None
    return f"categories must be 'auto' or a list with one list of categories a column; got {short_repr(value)}"


def check_drop(value: Any) -> str | None:
    is_keyword = value is None or (isinstance(value, str) and value in ("first", "if_binary"))
    if is_keyword or (not isinstance(value, str) and hasattr(value, "__len__")):
        return None
    return f"drop must be 'first', 'if_binary', None or a list with one category a column; got {short_repr(value)}"


def check_dtype(value: Any) -> str | None:
    try:
        kind = np.dtype(value).kind
    except TypeError:
        kind = "?"
    return None if kind in "biuf" else f"dtype must be a NumPy type of numbers; got {short_repr(value)}"


def check_code(name: str) -> Callable[[Any], str | None]:
    def check(value: Any) -> str | None:
        is_integer = isinstance(value, Integral) and not isinstance(value, bool | np.bool_)
        if is_integer or (name == "unknown_value" and value is None) or is_number_nan(value):
            return None
        return f"{name} must be a whole number or NaN; got {short_repr(value)}"

    return check


def check_share(value: Any) -> str | None:
    is_integer = isinstance(value, Integral)
    if value is None or (value >= 1 if is_integer else 0 < value < 1):
        return None
    return f"min_frequency must be a whole number of at least 1 or a share between 0 and 1; got {value!r}"


def is_number_nan(value: Any) -> bool:
    return isinstance(value, Real) and value != value


def equals(numbers: Array, value: Any) -> Array:
    """Where a column of numbers has a value, which may be NaN."""
    return np.isnan(numbers) if is_number_nan(value) else np.asarray(numbers == value)


def kept_numbers(d: Design, j: int, requirement: str, hint: str) -> Array:
    """The numbers of a column that stays as it is, NaN where missing; anything else is refused."""
    values, missing = column_of(d.table, j, d.who), d.table.missing(j)
    if values.dtype.kind in "biuf" and not missing.any():
        return values
    numbers = np.full(d.n_rows, np.nan)
    for i in np.flatnonzero(~missing).tolist():
        value = values[i]
        try:
            if isinstance(value, str | bytes | np.datetime64 | np.timedelta64):
                raise TypeError
            numbers[i] = float(value)
        except (TypeError, ValueError, OverflowError):
            raise DataTypeError(
                format_message(d.who, requirement, actual=f"it holds {short_repr(value)} in row {i}", hint=hint)
            ) from None
    return numbers


class Encoder(Transformer):
    """Reads raw columns: the door for raw columns, their categories, and codes."""

    input_spec = InputSpec(missing=True, categories=True, raw=True)
    categories: Any = "auto"
    handle_unknown: Any = "error"
    dtype: Any = np.float64

    def _learn(self, d: Design) -> list[Array]:
        """Sets `categories_`; how often each occurs comes back."""
        if isinstance(self.categories, str):
            learned = [categories_in(d.table, j, self._threads, d.who) for j in range(d.n_cols)]
            self.categories_ = [categories for categories, _ in learned]
            return [often for _, often in learned]
        if len(self.categories) != d.n_cols:
            requirement = "Shape mismatch: if categories is an array, it has to be of shape (n_features,)"
            actual = f"got {count(len(self.categories), 'list')} for {count(d.n_cols, 'column')}"
            raise DataError(
                format_message(d.who, requirement, actual=actual, hint="give one list a column, or categories='auto'")
            )
        self.categories_ = [
            given_categories(listed, column_of(d.table, j, d.who), d.table, j, d.who)
            for j, listed in enumerate(self.categories)
        ]
        codes = self._codes(d, "fit")
        return [np.bincount(code[code >= 0], minlength=len(c)) for code, c in zip(codes, self.categories_, strict=True)]

    def _codes(self, d: Design, when: str) -> Array:
        """``codes[j, r]``: the category of row r in column j, -1 for an unknown one, which may be refused."""
        codes = encode_table(d.table, self.categories_, self._threads, d.who)
        if self.handle_unknown == "error":
            for j, column in enumerate(codes):
                if column.min() < 0:
                    actual = unknown_words(d.table, j, column, d.who, when)
                    raise DataError(
                        format_message(
                            d.who, "every value must be a known category", actual=actual, hint=self._unknown_hint
                        )
                    )
        return codes

    @property
    def _unknown_hint(self) -> str:
        return "choose another handle_unknown, or fit again with these rows"

    def _decoded(self, columns: list[Array]) -> Array:
        """Columns side by side, in a type that holds them all without loss."""
        kinds = {column.dtype.kind for column in columns}
        numbers = kinds <= set("biuf")
        if numbers and np.result_type(*columns).kind == "f":
            integers = [column for column in columns if column.dtype.kind in "iu" and column.size]
            numbers = all(max(int(column.max()), -int(column.min())) <= EXACT for column in integers)
        if len(kinds) > 1 and not numbers:
            columns = [column.astype(object) for column in columns]
        return np.column_stack(columns)

    def _read_encoded(self, X: Any, width: int, input_spec: InputSpec) -> Any:
        shape = X.shape if hasattr(X, "shape") else np.shape(X)
        if width == 0 and shape[1:] == (0,):
            return np.empty(shape)  # every column had one category, and it was left out
        d = infer_schema(X, input_spec, type(self).__name__)
        if d.n_cols != width:
            requirement = "Shape of the passed X data is not correct"
            raise DataError(
                format_message(
                    d.who,
                    requirement,
                    actual=f"Expected {width} columns, got {d.n_cols}",
                    hint="give what transform makes",
                )
            )
        return d.numbers
