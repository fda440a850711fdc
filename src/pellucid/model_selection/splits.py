"""Dividing rows: scikit-learn's splitters as they are, and training, validation and test rows in one call."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import (
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    LeavePGroupsOut,
    LeavePOut,
    PredefinedSplit,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
    check_cv,
    train_test_split,
)
from sklearn.utils import _safe_indexing

from pellucid.base.errors import DataError, ParameterError, count, format_message

__all__ = [
    "GroupKFold",
    "GroupShuffleSplit",
    "KFold",
    "LeaveOneGroupOut",
    "LeaveOneOut",
    "LeavePGroupsOut",
    "LeavePOut",
    "PredefinedSplit",
    "RepeatedKFold",
    "RepeatedStratifiedKFold",
    "ShuffleSplit",
    "StratifiedGroupKFold",
    "StratifiedKFold",
    "StratifiedShuffleSplit",
    "TimeSeriesSplit",
    "check_cv",
    "train_test_split",
    "train_validation_test_split",
]


def train_validation_test_split(
    *arrays: Any,
    validation_size: float | int = 0.2,
    test_size: float | int = 0.2,
    shuffle: bool = True,
    stratify: Any = None,
    groups: Any = None,
    random_state: Any = None,
) -> list[Any]:
    """Three parts of each table: to fit on, to choose by, and to look at once.

    Parameters
    ----------
    arrays : tables and columns of equal length
    validation_size, test_size : shares of all rows (a float below 1), or numbers of rows
    shuffle : False takes the parts in order, for rows in time
    stratify : labels whose shares each part keeps
    groups : labels of rows that must stay together, on one side; sizes are then shares of groups
    random_state : seed of the shuffle

    Returns
    -------
    list : train, validation and test part of the first array, then those of the second, ...

    Examples
    --------
    >>> parts = train_validation_test_split(list(range(10)), shuffle=False)
    >>> parts
    [[0, 1, 2, 3, 4, 5], [6, 7], [8, 9]]
    """
    who = "train_validation_test_split"
    if not arrays:
        raise DataError(format_message(who, "it needs at least one table or column to split"))
    lengths = {len(array) if not hasattr(array, "shape") else int(array.shape[0]) for array in arrays}
    if len(lengths) > 1:
        raise DataError(
            format_message(who, "all arrays must have the same number of rows", actual=f"got {sorted(lengths)}")
        )
    n = lengths.pop()
    if groups is not None:
        if stratify is not None or not shuffle:
            raise ParameterError(
                format_message(who, "groups are drawn at random: they go without stratify and shuffle=False")
            )
        rows = _by_group(who, np.asarray(groups), n, validation_size, test_size, random_state)
    else:
        rows = _by_row(who, n, validation_size, test_size, shuffle, stratify, random_state)
    return [_safe_indexing(array, part) for array in arrays for part in rows]


def _sizes(who: str, n: int, noun: str, validation_size: float | int, test_size: float | int) -> tuple[int, int]:
    found = []
    for name, size in (("validation_size", validation_size), ("test_size", test_size)):
        number = size if isinstance(size, int | np.integer) and not isinstance(size, bool) else round(float(size) * n)
        if not float(size) > 0 or (isinstance(size, float) and size >= 1) or number < 1:
            requirement = f"{name} must be a share between 0 and 1 or a number of {noun}s, and leave at least one"
            raise ParameterError(format_message(who, requirement, actual=f"got {size!r} with {count(n, noun)}"))
        found.append(int(number))
    if sum(found) >= n:
        requirement = "validation and test must leave something to train on"
        raise ParameterError(format_message(who, requirement, actual=f"they take {sum(found)} of {count(n, noun)}"))
    return found[0], found[1]


def _by_row(
    who: str,
    n: int,
    validation_size: float | int,
    test_size: float | int,
    shuffle: bool,
    stratify: Any,
    random_state: Any,
) -> list[Any]:
    validation, test = _sizes(who, n, "row", validation_size, test_size)
    if not shuffle:
        if stratify is not None:
            raise ParameterError(format_message(who, "stratify needs shuffle=True"))
        return [np.arange(n - validation - test), np.arange(n - validation - test, n - test), np.arange(n - test, n)]
    labels = None if stratify is None else np.asarray(stratify)
    rest, last = train_test_split(np.arange(n), test_size=test, stratify=labels, random_state=random_state)
    inner = None if labels is None else labels[rest]
    # A second draw from the same seed would pick related rows: the seed of the second is drawn after the first.
    seed = random_state if not isinstance(random_state, int | np.integer) else int(random_state) + 1
    first, middle = train_test_split(rest, test_size=validation, stratify=inner, random_state=seed)
    return [first, middle, last]


def _by_group(
    who: str, groups: Any, n: int, validation_size: float | int, test_size: float | int, random_state: Any
) -> list[Any]:
    if len(groups) != n:
        raise DataError(
            format_message(
                who, "groups must name the group of every row", actual=f"got {len(groups)} for {count(n, 'row')}"
            )
        )
    names, codes = np.unique(groups, return_inverse=True)
    parts = _by_row(who, len(names), validation_size, test_size, True, None, random_state)
    return [np.flatnonzero(np.isin(codes, part)) for part in parts]
