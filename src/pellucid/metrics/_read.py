"""What every metric reads: numbers, weights, whole-number settings; and the words in which they are refused.

Labels have a reader of their own, ``_labels``, which uses this one.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, NoReturn

import numpy as np
import scipy.sparse

from pellucid.base.errors import DataError, DataTypeError, ParameterError, format_message, noun_list, short_repr
from pellucid.base.types import Array, Floats
from pellucid.data.kinds import is_missing

MOST_EXACT = 2**53  # whole numbers up to this are exact in double precision


def fail(who: str, requirement: str, actual: str = "", hint: str = "") -> NoReturn:
    """Refuses the data in the library's one shape."""
    raise DataError(format_message(who, requirement, actual=actual, hint=hint))


def fail_type(who: str, requirement: str, actual: str = "", hint: str = "") -> NoReturn:
    """Refuses data of a kind that cannot be read at all."""
    raise DataTypeError(format_message(who, requirement, actual=actual, hint=hint))


def refuse(who: str, requirement: str, actual: str, hint: str = "") -> NoReturn:
    """Refuses a parameter in the library's one shape."""
    raise ParameterError(format_message(who, requirement, actual=actual, hint=hint))


def check_choice(who: str, name: str, value: object, allowed: Sequence[object]) -> None:
    """A parameter that takes one of a few values."""
    if not any(value is option or (isinstance(value, str) and value == option) for option in allowed):
        refuse(who, f"{name} must be one of {', '.join(map(repr, allowed))}", f"got {short_repr(value)}")


def is_number(value: object) -> bool:
    """One number, not a flag."""
    return isinstance(value, int | float | np.number) and not isinstance(value, bool | np.bool_)


def whole(who: str, value: Any, name: str, low: int) -> int:
    """A whole number of at least `low`."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral) or value < low:
        refuse(who, f"{name} must be a whole number of at least {low}", f"got {short_repr(value)}")
    return int(value)


def floats(who: str, values: Any, name: str, most_dimensions: int = 2) -> Array:
    """Numbers of one or two dimensions with at least one row, as float64, or float32 where they are; any may be NaN."""
    array = _as_floats(who, values, name)
    if array.ndim == 0:
        hint = "call .collect() first" if hasattr(values, "collect") else "put a single value in brackets"
        fail_type(who, f"{name} must be a list or an array of numbers", got(values), hint)
    if array.ndim > most_dimensions:
        requirement = f"Found array with dim {array.ndim} in {name}, while dim <= {most_dimensions} is required"
        fail(who, requirement, f"its shape is {array.shape}", f"{name} must have one row a sample")
    if array.size == 0:
        what = "sample" if array.shape[0] == 0 else "feature"
        requirement = f"Found array with 0 {what}(s) in {name} (shape={array.shape}) while a minimum of 1 is required"
        fail(who, requirement, hint="check the selection that made it")
    return array


def numbers(who: str, values: Any, name: str, most_dimensions: int = 2) -> Floats:
    """Finite float64 numbers, each column contiguous so that sums over rows are pairwise."""
    array = np.asarray(floats(who, values, name, most_dimensions), dtype=np.float64, order="F")
    refuse_not_finite(who, array, name)
    return array


def _as_floats(who: str, values: Any, name: str) -> Array:
    if scipy.sparse.issparse(values):
        requirement = f"Sparse data was passed for {name}, but dense data is required"
        fail_type(who, requirement, hint=f"turn it into an array with {name}.toarray()")
    if isinstance(values, np.ma.MaskedArray):  # a masked value is a missing one
        values = np.ma.filled(values.astype(np.float64), np.nan)
    try:
        raw = np.asarray(values)
        if raw.dtype.kind == "O":
            raw = _from_objects(raw)
        if raw.dtype.kind not in "biuf":
            raise ValueError(f"got {raw.dtype.name.rstrip('0123456789')} values")
        single = raw.dtype in (np.float32, np.float16)
        with np.errstate(over="ignore"):
            return np.asarray(raw, dtype=np.float32 if single else np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        fail_type(who, f"{name} must hold numbers", _why(error), "pass numbers only, as many in every row")


def _from_objects(raw: Array) -> Floats:
    """None and pandas.NA are missing; text is not read as a number, for a column of text is a mistake."""
    cells = [np.nan if is_missing(cell) else cell for cell in raw.ravel().tolist()]
    odd = next((cell for cell in cells if isinstance(cell, str | bytes | complex | list | dict)), None)
    if odd is not None:
        raise ValueError(f"got {short_repr(odd)}")
    return np.array(cells, dtype=np.float64).reshape(raw.shape)


def _why(error: Exception) -> str:
    text = str(error).rstrip(".")
    return "rows are of different lengths" if "inhomogeneous" in text else text


def got(value: Any) -> str:
    """What stands there, or only its type where it is large."""
    plain = isinstance(value, str | bytes | int | float) or value is None
    return f"got {short_repr(value)}" if plain else f"got {type(value).__name__}"


def refuse_not_finite(who: str, array: Array, name: str) -> None:
    """Numbers must be numbers; says in which rows they are not."""
    if np.isfinite(array).all():
        return
    missing = bool(np.isnan(array).any())
    rows = np.flatnonzero((np.isnan if missing else np.isinf)(array).reshape(len(array), -1).any(axis=1))
    if missing:
        refuse_missing(who, name, rows)
    requirement = f"Input {name} contains infinity or a value too large for float64"
    fail(who, requirement, f"found in {noun_list('row', rows.tolist())}", "drop or mend these rows")


def refuse_missing(who: str, name: str, rows: Array) -> NoReturn:
    actual = f"found in {noun_list('row', rows.tolist())}"
    fail(who, f"Input {name} contains NaN", actual, "drop or fill the rows without a value")


def check_lengths(who: str, **columns: Any) -> None:
    """All that are given must have one entry a row; a number stands for a column of so many."""
    there = {name: column for name, column in columns.items() if column is not None}
    lengths = {name: column if isinstance(column, int) else int(column.shape[0]) for name, column in there.items()}
    if len(set(lengths.values())) > 1:
        names = ", ".join(lengths)
        actual = f"Found input variables with inconsistent numbers of samples: {list(lengths.values())}"
        fail(who, f"{names} must be of equal length", actual, "give one value a row in each")


def weights(who: str, sample_weight: Any, n_rows: int, column: bool = False) -> Array | None:
    """One weight a row, none negative and at least one above zero; whole numbers stay whole. None where there are none.

    A single number is the weight of every row. A table of one column is taken where `column` says so.
    """
    name = "sample_weight"
    if sample_weight is None:
        return None
    array = floats(who, np.full(n_rows, sample_weight) if is_number(sample_weight) else sample_weight, name, 64)
    plain = np.asarray(sample_weight)
    array = plain if plain.dtype.kind in "bui" and plain.ndim else array.astype(np.float64, copy=False)
    if column and array.ndim == 2 and array.shape[1] == 1:
        array = array.ravel()
    if array.ndim != 1:
        actual = f"Sample weights must be 1D array or scalar, got {array.ndim}D array"
        fail(who, f"{name} must hold one number a row", actual, f"pass one weight for each of the {n_rows} rows")
    check_lengths(who, y_true=n_rows, **{name: array})
    if array.dtype.kind == "f":
        refuse_not_finite(who, array, name)
    if array.dtype.kind not in "bu" and (array < 0).any():
        rows = noun_list("row", np.flatnonzero(array < 0).tolist())
        fail(who, f"Negative values in data passed to `{name}`", rows, "use weights of 0 or more")
    if not array.any():
        fail(who, "Sample weights must contain at least one non-zero number", "all are zero")
    return array
