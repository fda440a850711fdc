"""The target: numbers for a regressor, labels for a classifier; checked against the rows of X."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
import scipy.sparse
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from pellucid.base.errors import DataError, DataTypeError, format_message, noun_list, short_repr, warn
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design
from pellucid.data.kinds import is_missing


def read_target(y: Any, who: str) -> Array:
    """The target as a NumPy array of one or two dimensions."""
    if y is None:
        raise DataError(
            format_message(
                who, f"This {who} estimator requires y to be passed, but the target y is None", hint="fit(X, y)"
            )
        )
    array = y if isinstance(y, np.ndarray) else _as_array(y, who)
    if array.dtype.kind == "c":
        raise DataError(format_message(who, "y must hold real numbers", actual="Complex data not supported"))
    if array.ndim not in (1, 2):
        raise DataError(
            format_message(
                who,
                "y should be a 1d array or have one column a target",
                actual=f"got an array of shape {array.shape} instead",
                hint="y.ravel() for a single target",
            )
        )
    return array


def _as_array(y: Any, who: str) -> Array:
    lazy = hasattr(y, "collect") and hasattr(y, "collect_schema")
    sparse = scipy.sparse.issparse(y)
    if lazy or sparse or isinstance(y, (str, bytes, dict, set, frozenset)) or not _has_rows(y):
        actual = "a lazy frame" if lazy else "a sparse matrix" if sparse else type(y).__name__
        hint = "call .collect() first" if lazy else "y.toarray()" if sparse else ""
        raise DataTypeError(
            format_message(who, "y must be an array, a list or a column of a frame", actual=f"got {actual}", hint=hint)
        )
    native = nw.from_native(y, pass_through=True, allow_series=True, eager_only=True)
    try:
        return np.asarray(native.to_numpy() if isinstance(native, (nw.Series, nw.DataFrame)) else y)
    except ValueError:
        raise DataError(
            format_message(
                who, "every row of y must have the same number of values", actual="they differ", hint="one number a row"
            )
        ) from None


def _has_rows(y: Any) -> bool:
    return isinstance(y, (list, tuple)) or hasattr(y, "__array__") or hasattr(y, "__len__")


def check_rows(array: Array, design: Design) -> None:
    """X and y must have the same number of rows."""
    if len(array) != design.n_rows:
        raise DataError(
            format_message(
                design.who,
                "X and y must have the same number of rows",
                actual=f"Found input variables with inconsistent numbers of samples: [{design.n_rows}, {len(array)}]",
            )
        )


def attach_numbers(design: Design, y: Any) -> None:
    """Target of a regressor: finite numbers, as an n x k matrix."""
    who = design.who
    array = read_target(y, who)
    check_rows(array, design)
    if array.ndim == 2 and array.shape[1] == 0:
        raise DataError(format_message(who, "y must have at least one column", actual=f"got shape {array.shape}"))
    numbers = _numbers(array, who)
    if not np.isfinite(numbers).all():
        bad = np.flatnonzero(~np.isfinite(numbers.reshape(len(numbers), -1)).all(axis=1))
        kind = "NaN" if np.isnan(numbers).any() else "infinity"
        raise DataError(
            format_message(
                who, f"Input y contains {kind}", actual=noun_list("row", bad), hint="drop or mend these rows"
            )
        )
    design.y_is_vector = numbers.ndim == 1
    design.y = numbers.reshape(len(numbers), -1)


def _numbers(array: Array, who: str) -> Floats:
    if array.dtype.kind in "US":
        raise DataTypeError(
            format_message(
                who,
                "y must hold numbers",
                actual=f"found {short_repr(str(array.ravel()[0]))}",
                hint="use a classifier for labels",
            )
        )
    if array.dtype.kind in "mM":
        raise DataTypeError(
            format_message(
                who, "y must hold numbers", actual="found times", hint="take the time since a fixed day as a number"
            )
        )
    try:
        with np.errstate(over="ignore"):  # what does not fit becomes infinite and is refused as such
            return np.asarray(array, dtype=np.float64)
    except OverflowError:
        row = next(i for i, v in enumerate(array.ravel().tolist()) if isinstance(v, int) and abs(v) > 2**1023)
        actual = f"found a larger whole number in row {row}"
        raise DataError(format_message(who, "y must fit into 64-bit floats", actual=actual)) from None
    except (TypeError, ValueError):
        wrong = next((v for v in array.ravel().tolist() if not isinstance(v, (int, float))), array.dtype)
        raise DataTypeError(
            format_message(
                who,
                "y must hold numbers",
                actual=f"found {short_repr(wrong)}",
                hint="use a classifier if these are labels",
            )
        ) from None


def attach_labels(design: Design, y: Any) -> None:
    """Target of a classifier: each column as codes 0, 1, ... of its sorted labels, which are kept in `classes`."""
    who = design.who
    array = read_target(y, who)
    check_rows(array, design)
    if array.ndim == 2 and array.shape[1] == 1 and array.size:
        warn_column_vector()
        array = array.ravel()
    _refuse_odd_labels(array, who)
    counted = _count_whole_numbers(array) or _few_labels(array)
    if counted is not None:
        labels, codes = counted
        design.classes, design.y_is_vector, design.y = [labels], True, codes[:, None]
        return
    try:
        check_classification_targets(array)
    except ValueError as error:
        kind = type_of_target(array)
        hint = "use a regressor for a numeric target, or cut it into classes" if "continuous" in kind else ""
        raise DataError(
            format_message(who, "y must hold labels", actual=str(error).splitlines()[0].rstrip("."), hint=hint)
        ) from None
    columns = array.reshape(len(array), -1)
    codes = np.empty(columns.shape, dtype=np.float64)
    design.classes = []
    for j in range(columns.shape[1]):
        labels, code = np.unique(columns[:, j], return_inverse=True)
        codes[:, j] = code
        design.classes.append(labels)
    design.y_is_vector = array.ndim == 1
    design.y = codes


def _count_whole_numbers(array: Array) -> tuple[Array, Floats] | None:
    """Labels and codes of whole numbers close together, by counting (sorting 500,000 of them took ten times as long).

    None where sorting is as good: other kinds, numbers far apart, or nearly as many labels as rows.
    """
    if array.ndim != 1 or array.dtype.kind not in "biu" or len(array) < 1000:
        return None
    low, high = int(array.min()), int(array.max())
    if high - low >= len(array) // 2 or max(abs(low), abs(high)) > 2**62:
        return None
    offsets = np.subtract(array, low, dtype=np.int64)
    present = np.bincount(offsets, minlength=high - low + 1) > 0
    labels = (np.flatnonzero(present) + low).astype(array.dtype)
    return labels, (np.cumsum(present) - 1).astype(np.float64)[offsets]


def _few_labels(array: Array) -> tuple[Array, Floats] | None:
    """Labels and codes of whole numbers or text of which there are few: nothing is left that could be wrong with them.

    None for anything else, and where most rows have a label of their own: scikit-learn looks at those (in 0.2 ms, which
    is more than a small model takes).
    """
    if array.ndim != 1 or array.dtype.kind not in "biuU" or len(array) == 0:
        return None
    labels, codes = np.unique(array, return_inverse=True)
    return (labels, codes.astype(np.float64)) if 2 * len(labels) <= len(array) else None


def _refuse_odd_labels(array: Array, who: str) -> None:
    """Labels must be there, finite, and of one type."""
    rows = array.reshape(len(array), -1)
    missing = [i for i, row in enumerate(rows) if any(is_missing(v) for v in row)] if array.dtype.kind in "fO" else []
    if missing:
        raise DataError(
            format_message(
                who, "Input y contains NaN", actual=noun_list("row", missing), hint="drop the rows without a label"
            )
        )
    if array.dtype.kind == "f" and np.isinf(array).any():
        odd = np.flatnonzero(np.isinf(rows).any(axis=1))
        raise DataError(
            format_message(
                who, "Input y contains infinity", actual=noun_list("row", odd), hint="drop or mend these rows"
            )
        )
    if array.dtype.kind == "O":
        types = sorted({"str" if isinstance(v, str) else "number" for v in array.ravel().tolist()})
        if len(types) > 1:
            hint = "turn them into text, or into numbers"
            raise DataError(
                format_message(who, "labels must be of one type", actual="found numbers and text", hint=hint)
            )


def warn_column_vector() -> None:
    """In scikit-learn's own words, which its checks look for at the start of the message."""
    warn(
        "A column-vector y was passed when a 1d array was expected. Please change the shape of y to (n_samples,), for "
        "example using ravel().",
        DataConversionWarning,
    )


def attach_one_column(d: Design, y: Any) -> None:
    """Numbers; a single column counts as a list, and scikit-learn's warning is given."""
    array = read_target(y, d.who)
    if array.ndim == 2 and array.shape[1] == 1 and array.size:
        warn_column_vector()
        array = array.ravel()
    attach_numbers(d, array)


def attach_one_label(d: Design, y: Any) -> None:
    """One label a row."""
    attach_labels(d, y)
    if not d.y_is_vector:
        actual = f"got an array of shape {d.y.shape} instead"
        hint = "fit one model a column, or use a tree or a forest, which take several"
        raise DataError(format_message(d.who, "y should be a 1d array: one label a row", actual=actual, hint=hint))
