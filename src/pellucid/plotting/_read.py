"""Reading what a plot is given: tables with or without names, and the numbers in them."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.errors import DataError
from pellucid.base.types import Floats


def column_names(table: Any) -> list[str] | None:
    """The names of a frame's columns, if it has names."""
    columns = list(getattr(table, "columns", []))
    return columns if columns and all(isinstance(name, str) for name in columns) else None


def names_of(model: Any, X: Any, n_columns: int) -> list[str]:
    """The columns' names: the model's, else the table's, else x, or x1, x2, ..."""
    names = getattr(model, "feature_names_in_", None)
    names = column_names(X) if names is None else [str(name) for name in names]
    if names is not None and len(names) == n_columns:
        return names
    return ["x"] if n_columns == 1 else [f"x{j + 1}" for j in range(n_columns)]


def name_of(y: Any) -> str:
    columns = column_names(y)
    name = columns[0] if columns else getattr(y, "name", None)
    return name if isinstance(name, str) and name else "y"


def in_order(who: str, X: Any, names: list[str]) -> Any:
    """The table with its columns in the model's order, which need not be its own."""
    columns = column_names(X)
    if columns is None or columns == names:
        return X
    if sorted(columns) != sorted(names):
        raise DataError(f"{who}: X must have the model's columns ({', '.join(names)}); got {', '.join(columns)}.")
    return X[names]


def numbers(who: str, what: str, table: Any) -> Floats:
    try:
        values = np.asarray(table, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(
            f"{who}: {what} must hold numbers; got {type(table).__name__} with other things in it."
        ) from None
    bad = np.unique(np.argwhere(~np.isfinite(values))[:, :1])
    if len(bad):
        rows = ", ".join(map(str, bad[:5])) + (", ..." if len(bad) > 5 else "")
        raise DataError(
            f"{who}: {what} must have no missing or infinite values; got them in {len(bad)} rows ({rows}).\n"
            "hint: drop those rows from X and y."
        )
    return values
