"""What target encoders work with: the target as columns of numbers, its moments by category, and folds of the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import check_cv
from sklearn.utils.multiclass import type_of_target

from pellucid import _core
from pellucid.base.errors import DataError, ParameterError, format_message, noun_list, short_repr
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design
from pellucid.data.kinds import is_missing
from pellucid.data.target import attach_labels, attach_numbers, check_rows, read_target, warn_column_vector

NO_PARTS = np.empty(0, dtype=np.int32)
# Squares of numbers within these limits are neither too large nor too small for a float.
_SMALL, _LARGE = 1e-100, 1e100


# ------------------------------------------------------------------------------------------------------------- target


def attach_target(d: Design, y: Any, kind: str) -> None:
    """One target: numbers, or labels as codes, as its kind says or its values do."""
    array = read_target(y, d.who)
    check_rows(array, d)
    if array.ndim == 2 and array.shape[1] == 1 and array.size:
        warn_column_vector()
        array = array.ravel()
    if array.ndim == 2:
        requirement = "y should be a 1d array: a target encoder takes one target"
        raise DataError(
            format_message(
                d.who, requirement, actual=f"got an array of shape {array.shape} instead", hint="encode once a target"
            )
        )
    if array.dtype.kind == "O":
        array = _plain(array)
    if kind == "auto":
        kind = _kind_of(array, d)
    if kind == "continuous":
        attach_numbers(d, array)
        return
    attach_labels(d, array)
    if kind == "binary" and len(d.classes[0]) > 2:
        actual = f"y has {len(d.classes[0])}: {noun_list('label', map(repr, d.classes[0].tolist()))}"
        raise DataError(
            format_message(
                d.who, "target_type='binary' takes two labels", actual=actual, hint="use target_type='multiclass'"
            )
        )


def _plain(array: Array) -> Array:
    """Objects that are all numbers, or all flags, in a type of their own."""
    values = array.tolist()
    if all(isinstance(value, bool | np.bool_) for value in values):
        return array.astype(bool)
    if all(isinstance(value, int | float) for value in values):
        return array.astype(np.float64) if any(isinstance(value, float) for value in values) else np.array(values)
    return array


def _kind_of(array: Array, d: Design) -> str:
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        return "continuous"  # which refuses it, naming the rows
    if array.dtype.kind == "O" and any(is_missing(value) for value in array.tolist()):
        return "multiclass"  # and so do labels
    try:
        with np.errstate(invalid="ignore"):  # it looks whether numbers are whole, and large ones have no whole type
            kind = str(type_of_target(array, input_name="y"))
    except (ValueError, TypeError) as error:
        found = str(error).partition(". ")[0].rstrip(".")
        raise DataError(
            format_message(d.who, "y must hold numbers or labels", actual=found, hint="pass one a row")
        ) from None
    if kind not in ("binary", "multiclass", "continuous"):
        requirement = "y must hold numbers or labels"
        actual = f"Unknown label type: Target type was inferred to be {kind!r}"
        raise DataError(format_message(d.who, requirement, actual=actual, hint="labels of one type, or finite numbers"))
    return kind


@dataclass(frozen=True)
class Target:
    """The target as rows of numbers: itself, or for several classes zeros and ones for each of them.

    values : targets x rows, divided by ``unit``, a power of two that keeps sums and squares within range
    """

    values: Floats
    unit: float
    kind: str
    classes: Array | None

    @staticmethod
    def of(d: Design, kind: str) -> Target:
        """The target that was attached to a table."""
        y = np.ascontiguousarray(d.y[:, 0])
        if not d.classes:
            largest = float(np.abs(y).max())
            odd = largest > _LARGE or 0 < largest < _SMALL
            unit = float(np.ldexp(1.0, int(np.frexp(largest)[1]) - 1)) if odd else 1.0
            return Target((y / unit if odd else y)[None], unit, "continuous", None)
        classes = d.classes[0]
        if len(classes) <= 2 and kind != "multiclass":
            return Target(y[None], 1.0, "binary", classes)
        return Target((y == np.arange(len(classes))[:, None]).astype(np.float64), 1.0, "multiclass", classes)

    def __len__(self) -> int:
        return len(self.values)


# ------------------------------------------------------------------------------------------------------------ moments


@dataclass(frozen=True)
class Moments:
    """Count, mean and sum of squared deviations, each parts x categories; squares are empty where nobody asked."""

    count: Floats
    mean: Floats
    square: Floats

    def __len__(self) -> int:
        return len(self.count)

    def part(self, k: int) -> Moments:
        return Moments(self.count[k], self.mean[k], self.square[k] if len(self.square) else self.square)

    def join(self, other: Moments) -> Moments:
        """Of the rows of both (Chan, Golub, LeVeque 1983)."""
        count = self.count + other.count
        share = np.divide(other.count, count, out=np.zeros_like(count), where=count > 0)
        apart = other.mean - self.mean
        mean = np.where(self.count > 0, self.mean + apart * share, other.mean)
        if not len(self.square):
            return Moments(count, mean, self.square)
        return Moments(count, mean, self.square + other.square + apart * apart * self.count * share)

    def other_parts(self) -> Moments:
        """For each part those of all rows outside it: what lies before it joined with what lies behind it.

        Nothing is subtracted, so nothing is lost where one part holds most of a sum.
        """
        n = len(self)
        nothing = Moments(*(np.zeros_like(values) for values in (self.count[0], self.mean[0], self.part(0).square)))
        before, behind = [nothing], [nothing]
        for k in range(n - 1):
            before.append(before[-1].join(self.part(k)))
            behind.append(behind[-1].join(self.part(n - 1 - k)))
        complements = [before[k].join(behind[n - 1 - k]) for k in range(n)]
        squares = [complement.square for complement in complements] if len(self.square) else []
        none = np.empty((0, self.count.shape[1]))
        return Moments(
            np.array([complement.count for complement in complements]),
            np.array([complement.mean for complement in complements]),
            np.array(squares) if squares else none,
        )


def moments(
    codes: Array, size: int, y: Floats, squares: bool, threads: int, part_of_row: Any = None, n: int = 1
) -> Moments:
    """Of the target, by part of the rows and category; a row of part -1 does not count."""
    arrays = _core.category_moments(
        codes, size, NO_PARTS if part_of_row is None else part_of_row, n, y, squares, threads
    )
    return Moments(*arrays)


# -------------------------------------------------------------------------------------------------------------- folds


def folds_of(
    cv: Any, y: Any, labels: bool, shuffle: bool, random_state: Any, who: str, rows: int, **routed: Any
) -> Any:
    """The folds as pairs of training rows and held-out rows, each row held out once."""
    more = {"shuffle": True, "random_state": random_state} if shuffle else {}
    try:
        splitter = check_cv(cv, y, classifier=labels, **more)
        pairs = [
            (np.asarray(train), np.asarray(test)) for train, test in splitter.split(np.empty((rows, 0)), y, **routed)
        ]
    except (ValueError, TypeError) as error:
        requirement = "cv must be a number of folds from 2 up, a splitter, or pairs of rows, that fits the data"
        hint = "use fewer folds, or fit and transform, which needs none"
        actual = f"got cv={short_repr(cv)} ({str(error).splitlines()[0].rstrip('.')})"
        raise ParameterError(format_message(who, requirement, actual=actual, hint=hint)) from None
    n_held_out = np.zeros(rows, dtype=np.int64)
    for _, test in pairs:
        np.add.at(n_held_out, test, 1)
    if (n_held_out != 1).any():
        requirement = "Validation indices from `cv` must cover each sample index exactly once with no overlap"
        odd = np.flatnonzero(n_held_out != 1)
        actual = f"{noun_list('row', odd)} {'is' if len(odd) == 1 else 'are'} held out another number of times"
        raise DataError(
            format_message(who, requirement, actual=actual, hint="use KFold, StratifiedKFold or GroupKFold")
        )
    return pairs


def are_complements(pairs: list[tuple[Array, Array]], rows: int) -> bool:
    """Is what a fold is trained on always everything but what it holds out?"""
    for train, test in pairs:
        inside = np.zeros(rows, dtype=bool)
        inside[test] = True
        if len(train) != rows - len(test) or inside[train].any():
            return False
        inside[train] = True
        if not inside.all():
            return False
    return True
