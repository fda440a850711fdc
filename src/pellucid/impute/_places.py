"""Columns by name or position."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.errors import DataError, format_message, join_some
from pellucid.data.design import Design


def place_of(column: Any, d: Design, what: str) -> int:
    """The position of a column that is called by its name, or by a number counted from 0."""
    names = d.schema.names
    if names is not None and column in names:
        return names.index(column)
    if isinstance(column, int | np.integer) and not isinstance(column, bool):
        if -d.n_cols <= column < d.n_cols and (names is None or all(isinstance(name, str) for name in names)):
            return int(column) % d.n_cols
    elif names is None and isinstance(column, str) and column in d.column_labels():
        return d.column_labels().index(column)
    known = join_some((repr(label) for label in d.column_labels()), limit=8)
    raise DataError(
        format_message(d.who, f"{what} must name a column of X", actual=f"got {column!r}; there are {known}")
    )
