"""Texts as rows: a list of strings, or a table of one column."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.errors import DataError, DataTypeError, count, format_message, noun_list, short_repr
from pellucid.base.types import Array
from pellucid.data.design import Design


def one_column(X: Any) -> Any:
    """A list of texts (what is none is refused later) as a table of one column; anything else as it is."""
    if isinstance(X, list | tuple) and not any(isinstance(value, list | tuple | np.ndarray) for value in X):
        column = np.empty((len(X), 1), dtype=object)
        column[:, 0] = X
        return column
    if getattr(X, "ndim", 2) == 1 or (hasattr(X, "dtype") and hasattr(X, "to_list") and not hasattr(X, "columns")):
        return np.asarray(X, dtype=object).reshape(-1, 1)
    return X


def read_texts(d: Design) -> Array:
    """The texts of a table of one column."""
    if d.n_cols != 1:
        hint = "join the columns into one, or use metric='gower' for tables of categories"
        raise DataError(
            format_message(
                d.who, "edit distances need one column of texts", actual=f"got {count(d.n_cols, 'column')}", hint=hint
            )
        )
    texts = np.empty(d.n_rows, dtype=object)
    texts[:] = d.table.column(0).tolist()
    odd = [i for i, text in enumerate(texts) if not isinstance(text, str)]
    if odd:
        actual = f"found {short_repr(texts[odd[0]])} ({noun_list('row', odd)})"
        raise DataTypeError(
            format_message(d.who, "edit distances need texts", actual=actual, hint="drop or fill these rows")
        )
    return texts
