"""What the key figures take: one or two samples of finite numbers. Refusals are worded here and nowhere else."""

from __future__ import annotations

from typing import NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pellucid.base.errors import DataError, format_message

Sample = NDArray[np.float64]


def fail(who: str, requirement: str, actual: str, hint: str) -> NoReturn:
    """Refuse the input in the library's one shape: who: what must be true; what was found; a hint."""
    raise DataError(format_message(who, requirement, actual=actual, hint=hint))


def sample(who: str, x: ArrayLike, name: str = "x") -> Sample:
    """One sample as a vector of finite numbers, not empty."""
    values = _numbers(who, x, name)
    if values.ndim != 1:
        fail(who, f"{name} must be one sample (1 dimension)", f"got shape {values.shape}", "pass one column at a time")
    return _filled(who, values, name)


def pair(who: str, x: ArrayLike, y: ArrayLike) -> tuple[Sample, Sample]:
    """Two samples of the same length."""
    first, second = sample(who, x, "x"), sample(who, y, "y")
    if len(first) != len(second):
        fail(
            who,
            "x and y must be of equal length",
            f"got {len(first)} and {len(second)} values",
            "give one y for each x",
        )
    return first, second


def table(who: str, X: ArrayLike) -> Sample:
    """Rows of finite numbers, one column a variable."""
    values = _numbers(who, X, "X")
    if values.ndim != 2:
        fail(who, "X must be a table (2 dimensions)", f"got shape {values.shape}", "put the variables in columns")
    return _filled(who, values, "X")


def degrees(who: str, n: int, ddof: int) -> int:
    """The divisor n - ddof, which must be positive."""
    if n <= ddof:
        fail(
            who,
            f"ddof must be less than the number of values ({n})",
            f"got ddof={ddof}",
            "use ddof=0 for the figure of a whole population, or give more values",
        )
    return n - ddof


def _numbers(who: str, values: ArrayLike, name: str) -> Sample:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(
            format_message(who, f"{name} must hold numbers", actual=str(error), hint="encode or drop other values")
        ) from None


def _filled(who: str, values: Sample, name: str) -> Sample:
    if values.size == 0:
        fail(who, f"{name} must hold at least one value", "it is empty", "check the selection that made it")
    bad = np.flatnonzero(~np.isfinite(values).reshape(len(values), -1).all(axis=1))
    if len(bad) > 0:
        rows = ", ".join(map(str, bad[:3])) + (", ..." if len(bad) > 3 else "")
        fail(
            who,
            f"{name} must hold finite numbers",
            f"{len(bad)} of {len(values)} rows missing or infinite (rows {rows})",
            "drop or impute them first",
        )
    return values
