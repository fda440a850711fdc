"""Columns of numbers in a mixed table: read as floats, described by means and variances, or split in two."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pellucid import _core
from pellucid.base.errors import DataError, DataTypeError, format_message, short_repr
from pellucid.base.types import Array, Floats
from pellucid.data.coding import column_of
from pellucid.data.kinds import is_missing
from pellucid.data.table import Table
from pellucid.naive_bayes._categories import MISSING

_LEAST = np.finfo(np.float64).tiny  # a variance below it has no reciprocal


def numbers_of(table: Table, columns: list[int], who: str) -> Floats:
    """Columns as floats, column after column in memory, NaN where a value is missing."""
    found = np.empty((table.n_rows, len(columns)), order="F")
    for k, j in enumerate(columns):
        found[:, k] = table.numbers[j] if j in table.numbers else _column(table, j, who)
    for k in np.flatnonzero(np.isinf(found).any(axis=0)).tolist():
        _column(table, columns[k], who)  # which refuses it
    return found


def _column(table: Table, j: int, who: str) -> Array:
    values = column_of(table, j, who)
    if values.dtype.kind in "biuf":
        numbers = values.astype(np.float64)
        if table.is_frame:
            numbers[table.missing(j)] = np.nan
    else:
        numbers = np.array([_number(value, i, j, table, who) for i, value in enumerate(values.tolist())], dtype=float)
    if np.isinf(numbers).any():
        row = int(np.flatnonzero(np.isinf(numbers))[0])
        requirement, actual = "Input X contains infinity or a value too large", f"column {table.label(j)} in row {row}"
        raise DataError(format_message(who, requirement, actual=actual, hint="replace or clip these values"))
    return numbers


def _number(value: Any, i: int, j: int, table: Table, who: str) -> float:
    if is_missing(value):
        return float("nan")
    try:
        if isinstance(value, str | bytes):
            raise TypeError
        return float(value)
    except OverflowError:
        return float("inf")
    except (TypeError, ValueError):
        requirement = f"column {table.label(j)} must hold numbers, as in fit"
        hint = "name it in `categories` if its values are names"
        raise DataTypeError(
            format_message(who, requirement, actual=f"it holds {short_repr(value)} in row {i}", hint=hint)
        ) from None


# ---------------------------------------------------------------------------------------------------------------- bells


@dataclass(frozen=True)
class Moments:
    """Classes x columns: rows with a number, their mean, and squares about it."""

    count: Floats
    mean: Floats
    square: Floats

    @classmethod
    def none(cls, classes: int, columns: int) -> Moments:
        return cls(*(np.zeros((classes, columns)) for _ in range(3)))

    @classmethod
    def of(cls, numbers: Floats, codes: Array, weight: Floats | None, classes: int, threads: int) -> Moments:
        if numbers.shape[1] == 0:
            return cls.none(classes, 0)
        return cls(*_core.class_moments(_core.dense(numbers), codes, classes, weight, True, threads))

    def __add__(self, other: Moments) -> Moments:
        """Of two sets of rows together (Chan, Golub, LeVeque 1979, equations 2.1)."""
        total = self.count + other.count
        share = np.divide(other.count, total, out=np.zeros_like(total), where=total > 0)
        with np.errstate(over="ignore", invalid="ignore"):  # what is too far apart is refused later
            apart = np.where(other.count > 0, other.mean - self.mean, 0.0)
            square = self.square + other.square + apart * (apart * (self.count * share))
            return Moments(total, self.mean + apart * share, square)

    def whole(self) -> Moments:
        """Of all classes together, one row."""
        n = self.count.sum(axis=0, keepdims=True)
        share = np.divide(self.count, n, out=np.zeros_like(self.count), where=n > 0)
        with np.errstate(over="ignore", invalid="ignore"):
            mean = (share * self.mean).sum(axis=0, keepdims=True)
            apart = np.where(self.count > 0, self.mean - mean, 0.0)
            square = (self.square + self.count * apart**2).sum(axis=0, keepdims=True)
        return Moments(n, mean, square)

    def check_range(self, names: list[Any], who: str) -> None:
        wrong = np.flatnonzero(~(np.isfinite(self.mean) & np.isfinite(self.square)).all(axis=0))
        if len(wrong):
            requirement, actual = "variances must fit into 64-bit floats", f"column {names[wrong[0]]!r} spreads too far"
            raise DataError(format_message(who, requirement, actual=actual, hint="scale it, or take its logarithm"))


def bells(moments: Moments, ddof: int, var_smoothing: float) -> tuple[Floats, Floats, float]:
    """Means, variances and what was added to these: the share `var_smoothing` of the largest variance of a column.

    A class without numbers in a column, or with too few for its variance, takes those of the whole column. The column
    of nothing but missing values has mean and variance NaN; a constant one variance 1 where nothing is added: either
    says nothing.
    """
    whole = moments.whole()
    free, all_free = moments.count - ddof, whole.count - ddof
    variance = np.divide(moments.square, free, out=np.full_like(free, np.nan), where=free > 0)
    largest = float(np.max(whole.square / np.maximum(whole.count, 1), initial=0.0))
    epsilon = var_smoothing * (largest if largest > 0 else 1.0)
    overall = np.divide(whole.square, all_free, out=np.full_like(all_free, np.nan), where=all_free > 0)
    overall = np.where(np.isnan(overall) & (whole.count > 0), 0.0, overall)
    mean = np.where(moments.count > 0, moments.mean, np.where(whole.count > 0, whole.mean, np.nan))
    variance = np.where(np.isnan(variance), overall, variance) + epsilon
    constant = (whole.square == 0) & (whole.count > 0) & (epsilon == 0)
    return mean, np.where(constant, 1.0, variance), epsilon


def check_constant(numbers: Floats, names: list[Any], who: str) -> None:
    """Where no column has a variance: are they constant, or are their squares too small for a float?"""
    varies = np.fmax.reduce(numbers, axis=0) > np.fmin.reduce(numbers, axis=0)  # NaN is left out
    if varies.any():
        actual = f"column {names[int(varies.argmax())]!r} spreads too little"
        raise DataError(format_message(who, "variances must fit into 64-bit floats", actual=actual, hint="scale it up"))


def check_variances(variance: Floats, labels: list[Any], names: list[Any], who: str) -> None:
    """A variance of zero has no density."""
    wrong = np.argwhere(variance < _LEAST)
    if len(wrong):
        c, j = wrong[0]
        requirement = "each class needs a variance above zero in each column"
        actual = f"column {names[j]!r} in class {labels[c]!r} has variance {variance[c, j]:g}"
        hint = "a larger var_smoothing adds to every variance; or take the column as categories or by a split"
        raise DataError(format_message(who, requirement, actual=actual, hint=hint))


def bell_scores(numbers: Floats, mean: Floats, variance: Floats, prior: Floats, threads: int) -> Floats:
    """Rows x classes:  prior_c - sum_j (x_j - mean_cj)² / (2 v_cj) + ln(2 pi v_cj) / 2."""
    out = np.empty((len(numbers), len(prior)))
    there = ~np.isnan(mean).any(axis=0)  # a column of nothing but missing values in fit is left out
    if not there.all():
        numbers, mean, variance = np.asfortranarray(numbers[:, there]), mean[:, there], variance[:, there]
    if numbers.shape[1] == 0:
        out[:] = prior
        return out
    mean, half = np.ascontiguousarray(mean), np.ascontiguousarray(0.5 / variance)
    log = np.ascontiguousarray(0.5 * np.log(2 * np.pi * variance))
    _core.gaussian_scores(_core.dense(numbers), mean, half, log, prior, out, threads)
    return out


def far_scores(numbers: Array, center: Floats, width: Floats, prior: Floats) -> Floats:
    """Scores of rows so far out that all densities are zero in 64 bits: the prior of the nearest class, -inf of others.

    Distances are sums of  ``((x_j - center_cj) / width_cj)²``,  worked out as logarithms, with missing values left out;
    `center` is classes x columns, or classes x rows x columns. A class of prior 0 (-inf) is never the nearest.
    """
    x = np.asarray(numbers, dtype=np.float64)
    apart = np.full((len(x), len(prior)), np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        for c in np.flatnonzero(np.isfinite(prior)):
            logs = 2 * (np.log(np.abs(x / 2 - center[c] / 2)) - np.log(width[c]))
            apart[:, c] = np.logaddexp.reduce(np.where(np.isnan(logs), -np.inf, logs), axis=1)
    return np.where(apart == apart.min(axis=1, keepdims=True), prior, -np.inf)


# --------------------------------------------------------------------------------------------------------------- splits


def find_cut(column: Floats, codes: Array, weight: Floats | None, classes: int, how: str, threads: int) -> float:
    """Where a column is split into x < v and x >= v: its median, its mean, or where labels gain most information."""
    there = ~np.isnan(column)
    x, w = column[there], None if weight is None else weight[there]
    if len(x) == 0:
        return 0.0
    if how == "mean":
        return float(np.average(x, weights=w))
    if how == "median":
        return _median(x, w)
    y = codes[there].astype(np.float64)
    leaves = np.array([2], dtype=np.int64)
    made = _core.greedy_cuts(_core.dense(x[:, None]), y, classes, w, leaves, 1, threads)[0]
    return float(made[0][1]) if len(made) else float(x.max())


def _median(x: Floats, weight: Floats | None) -> float:
    if weight is None:
        return float(np.median(x))
    order = np.argsort(x, kind="stable")
    reached = np.cumsum(weight[order])
    half = reached[-1] / 2
    place = int(np.searchsorted(reached, half, side="left"))
    other = min(place + 1, len(x) - 1) if reached[place] == half else place
    return float(x[order[place]] / 2 + x[order[other]] / 2)


def side_of(column: Floats, cut: float) -> Array:
    """0 for x < cut, 1 for x >= cut, and the code of a missing cell."""
    return np.where(np.isnan(column), MISSING, column >= cut).astype(np.int32)
