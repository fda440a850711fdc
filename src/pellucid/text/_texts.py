"""Texts as they come: a list, an array, a series, or a table of columns of texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.sparse import issparse

from pellucid.base.errors import DataError, DataTypeError, format_message
from pellucid.data.design import Design
from pellucid.data.kinds import is_missing


def as_table(X: Any, who: str, any_object: bool) -> Any:
    """One column of texts as a table of one column; what is a table already stays as it is.

    any_object : may a text be anything, such as a list of words, because the user's own function reads it?
    """
    if isinstance(X, str | bytes):
        actual = "Iterable over raw text documents expected, string object received"
        raise DataError(
            format_message(who, "X must be several texts", actual=actual, hint="put the one text into a list: [text]")
        )
    if issparse(X):
        hint = "counts of words are weighed by TfidfTransformer"
        raise DataTypeError(
            format_message(who, "X must hold texts", actual="got a sparse matrix of numbers", hint=hint)
        )
    values = _values(X, any_object)
    if values is None:
        return X
    if not values:
        raise DataError(format_message(who, "X must hold at least one text", actual="got none"))
    table = np.empty((len(values), 1), dtype=object)
    table[:, 0] = np.fromiter(values, dtype=object, count=len(values))
    return table


def _values(X: Any, any_object: bool) -> list[Any] | None:
    """The texts of one column, or None if X is not one."""
    if isinstance(X, np.ndarray):
        return X.tolist() if X.ndim == 1 else None
    if isinstance(X, list | tuple):
        rows = not any_object and len(X) > 0 and isinstance(X[0], list | tuple | np.ndarray | dict)
        return None if rows else list(X)
    if isinstance(X, Iterator):
        return list(X)
    if hasattr(X, "columns") or hasattr(X, "column_names") or (hasattr(X, "shape") and len(X.shape) != 1):
        return None
    for method in ("to_pylist", "to_list", "tolist"):  # arrow's arrays, series, other arrays
        if hasattr(X, method) and not isinstance(X, type):
            return list(getattr(X, method)())
    return None


def texts_of(d: Design, j: int, decode: Callable[[Any], Any], any_object: bool, refuse_missing: bool) -> list[Any]:
    """The texts of a column; a missing one is an empty text, unless it is refused.

    decode : makes a text of what is none: of bytes, of a file
    any_object : may a text be anything, because the user's own function reads it?
    """
    values = column_of(d, j)
    found: list[Any] = []
    for row, value in enumerate(values):
        text = decode(value) if isinstance(value, str | bytes) or not is_missing(value) else None
        if text is None:
            if refuse_missing:
                requirement = f"every row must have a text{_where(d, j)}"
                hint = "missing='empty' takes it for a text without words"
                raise DataError(format_message(d.who, requirement, actual=f"row {row} has none", hint=hint))
            text = ""
        elif not isinstance(text, str) and not any_object:
            raise DataTypeError(_no_text(d, j, row, text))
        found.append(text)
    return found


def column_of(d: Design, j: int) -> list[Any]:
    """The values of a column as they came."""
    values: list[Any] = d.table.column(j).tolist()
    return values


def all_texts(values: list[Any]) -> bool:
    """Is every value a text, and nothing else?"""
    return set(map(type, values)) <= {str}


def _where(d: Design, j: int) -> str:
    return f" in column {d.column_labels()[j]!r}" if d.n_cols > 1 or d.schema.names is not None else ""


def _no_text(d: Design, j: int, row: int, value: Any) -> str:
    """The sentence about a value that is no text."""
    hint = "give texts, or a table of columns of texts; numbers as texts: X.astype(str)"
    return format_message(
        d.who, f"X must hold texts{_where(d, j)}", actual=f"row {row} is {shown_value(value)}", hint=hint
    )


def shown_value(value: Any) -> str:
    """A value with its type, or the type alone where the value is long."""
    text = repr(value)
    return f"{text} ({type(value).__name__})" if len(text) < 40 and "\n" not in text else f"a {type(value).__name__}"


def check_words(words: Any, who: str, row: int) -> list[str]:
    """The words that a user's function found in a text."""
    found: list[Any] = list(words)
    if not all_texts(found):
        other = next((word for word in found if not isinstance(word, str)), None)
        if other is not None:
            requirement = "the analyzer or tokenizer must give words as texts"
            raise DataTypeError(format_message(who, requirement, actual=f"of row {row} it gave {shown_value(other)}"))
    return found
