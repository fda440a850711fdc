"""How columns hang together: Cramér's V, the correlation ratio, Pearson's r, and columns that tell others."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from math import nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pellucid import _core
from pellucid.base.errors import DataError, format_message
from pellucid.base.threads import serial_blas
from pellucid.base.types import Array, Floats
from pellucid.data.coding import Coded, code_column
from pellucid.data.table import Table
from pellucid.quality._threads import each
from pellucid.quality.described import Matrix, Redundant

__all__ = ["correlation_ratio", "cramers_v"]

NEARLY = 0.99  # |r| from which one column hardly adds to the other
ROWS_AT_ONCE = 1 << 15
COLUMNS_AT_ONCE = 8  # of numbers that are held shifted and scaled
DENSE = 1 << 22  # pairs of categories that are counted in a table; where there are more, by their hashes
FIRST_ROWS = 5000  # a function is looked for in these before all rows are


def cramers_v(x: ArrayLike, y: ArrayLike, corrected: bool = False) -> float:
    """How strongly two columns of categories go together, from 0 (not at all) to 1 (one tells the other).

    ``V = sqrt( (chi² / n) / min(r - 1, c - 1) )``,  ``chi² = sum_ij (o_ij - e_ij)² / e_ij``,  ``e_ij = r_i c_j / n``

    with ``o_ij`` rows in category i of x and j of y, ``r_i`` and ``c_j`` their sums, r and c the numbers of categories.
    Rows in which either is missing are left out.

    With few rows and many categories V is too large even for columns that have nothing to do with each other.
    ``corrected=True`` takes off what chance alone would give (Bergsma 2013):
    ``phi² = max(0, chi²/n - (r-1)(c-1)/(n-1))``, ``r' = r - (r-1)²/(n-1)``, ``c'`` likewise, and
    ``V = sqrt(phi² / min(r' - 1, c' - 1))``.

    For a number and a category there is :func:`correlation_ratio`, for two numbers
    :func:`pellucid.stats.correlation`.

    >>> cramers_v(["a", "a", "b", "b"], ["u", "u", "v", "v"])
    1.0
    >>> cramers_v(["a", "a", "b", "b"], ["u", "v", "u", "v"])
    0.0
    """
    first, second = _codes("cramers_v", x, "x"), _codes("cramers_v", y, "y")
    _same_length("cramers_v", first, second)
    table = contingency(first.codes, second.codes)
    for levels, name in zip(table.levels, "xy", strict=True):
        if levels < 2:
            actual = f"there is {'one' if levels == 1 else 'none'} in the rows that have both"
            raise DataError(format_message("cramers_v", f"{name} must have at least two categories", actual=actual))
    return table.v(corrected)


def correlation_ratio(categories: ArrayLike, numbers: ArrayLike) -> float:
    """How much of the spread of a number is told by a category, from 0 (equal means in all groups) to 1 (all of it).

    ``eta = sqrt( sum_k n_k (m_k - m)² / sum_i (x_i - m)² )``

    with m the mean of all numbers, ``m_k`` and ``n_k`` the mean and the size of group k. Rows in which either is
    missing are left out. It takes no notice of the order of categories; eta² is the share of variance explained.

    >>> correlation_ratio(["a", "a", "b", "b"], [1, 1, 3, 3])
    1.0
    >>> round(correlation_ratio(["a", "a", "b", "b"], [1, 3, 5, 7]) ** 2, 6)
    0.8
    """
    groups = _codes("correlation_ratio", categories, "categories")
    try:
        values = np.asarray(numbers, dtype=np.float64).ravel()
    except (TypeError, ValueError) as error:
        raise DataError(format_message("correlation_ratio", "numbers must hold numbers", actual=str(error))) from None
    if len(values) != len(groups.codes):
        actual = f"got lengths of {len(groups.codes)} and {len(values)}"
        raise DataError(format_message("correlation_ratio", "both must be of equal length", actual=actual))
    if np.isinf(values).any():
        raise DataError(
            format_message("correlation_ratio", "numbers must be finite", actual="there is infinity among them")
        )
    ratio = ratios([groups], [values], 1)[0, 0]
    if np.isnan(ratio):
        requirement = "numbers must take at least two different values"
        raise DataError(
            format_message("correlation_ratio", requirement, actual="a constant has no spread that could be explained")
        )
    return float(ratio)


def _codes(who: str, x: ArrayLike, name: str) -> Coded:
    values = np.asarray(x)
    if values.dtype.kind in "US" and not isinstance(x, np.ndarray):  # in a list NaN would become the word 'nan'
        values = np.asarray(x, dtype=object)
    if values.ndim != 1:
        raise DataError(format_message(who, f"{name} must be one column", actual=f"got shape {values.shape}"))
    if len(values) == 0:
        raise DataError(format_message(who, f"{name} must hold at least one value", actual="it is empty"))
    return code_column(Table(values[:, None], len(values), 1, None), 0, 1)


def _same_length(who: str, first: Coded, second: Coded) -> None:
    if len(first.codes) != len(second.codes):
        actual = f"got lengths of {len(first.codes)} and {len(second.codes)}"
        raise DataError(format_message(who, "x and y must be of equal length", actual=actual))


# --------------------------------------------------------------------------------------------------------- categories


@dataclass(frozen=True)
class Contingency:
    """How many rows fall into each pair of categories, as a list of pairs that occur, and into each one."""

    first: Array
    second: Array
    often: Array
    rows: Array
    columns: Array

    @property
    def levels(self) -> tuple[int, int]:
        """How many categories of each occur."""
        return int(np.count_nonzero(self.rows)), int(np.count_nonzero(self.columns))

    def v(self, corrected: bool) -> float:
        """Cramér's V; NaN where a column has one category."""
        n = int(self.often.sum())
        r, c = self.levels
        if r < 2 or c < 2:
            return nan
        # sum (o - e)²/e = n (sum o² / (r c) - 1): only pairs that occur matter.
        o = self.often.astype(np.float64)
        share = float((o / self.rows[self.first] * (o / self.columns[self.second])).sum() - 1)
        share = max(0.0, share)
        if not corrected:
            return sqrt(min(1.0, share / (min(r, c) - 1)))
        phi = max(0.0, share - (r - 1) * (c - 1) / (n - 1))
        max_phi = min(r - (r - 1) ** 2 / (n - 1), c - (c - 1) ** 2 / (n - 1)) - 1
        return sqrt(min(1.0, phi / max_phi)) if max_phi > 0 else nan


def contingency(first: Array, second: Array, threads: int = 1) -> Contingency:
    """Of two columns of codes, over the rows in which neither is missing."""
    both = (first >= 0) & (second >= 0)
    width = int(second.max(initial=0)) + 1
    if not both.all():
        first, second = first[both], second[both]
    pairs = first * np.int64(width) + second
    if (int(first.max(initial=0)) + 1) * width <= DENSE:
        counts = np.bincount(pairs)
        keys = np.flatnonzero(counts)
        often = counts[keys]
    else:
        keys, often = _core.count_keys(pairs, threads)
    a, b = np.divmod(keys, width)
    return Contingency(a, b, often, np.bincount(a, weights=often), np.bincount(b, weights=often))


def v_matrix(names: Sequence[Any], coded: Sequence[Array], corrected: bool, threads: int) -> Matrix:
    """V of every two columns of categories."""
    coefficients = np.eye(len(names))
    for i in range(len(names)):
        for j in range(i):
            coefficients[i, j] = coefficients[j, i] = contingency(coded[i], coded[j], threads).v(corrected)
    return matrix(names, names, coefficients)


def ratios(groups: Sequence[Coded], numbers: Sequence[Floats], threads: int) -> Floats:
    """The correlation ratio of every number by every category; NaN where a number does not vary."""
    codes = [np.ascontiguousarray(group.codes) for group in groups]
    levels = [len(group.values) for group in groups]
    eta = np.full((len(groups), len(numbers)), np.nan)
    rows = len(codes[0]) if codes else 0
    scaled = np.empty((min(len(numbers), COLUMNS_AT_ONCE), rows)) if codes else np.empty((0, 0))
    for start in range(0, len(numbers) if codes else 0, COLUMNS_AT_ONCE):
        batch = numbers[start : start + COLUMNS_AT_ONCE]
        pairs = list(zip(batch, scaled, strict=False))
        deque(each(lambda pair: _within_range(*pair), pairs, threads, rows), maxlen=0)
        between, total = _core.group_squares(codes, levels, [out for _, out in pairs], threads)
        share = np.divide(between, total, out=np.full(between.shape, np.nan), where=total > 0)
        eta[:, start : start + len(batch)] = np.sqrt(np.minimum(share, 1.0))
    return eta


def corrected_ratio(eta: float, categories: Coded, numbers: Floats) -> float:
    """A correlation ratio without what chance alone would give; NaN if every row is a category of its own.

    ``epsilon² = max(0, 1 - (1 - eta²) (n - 1) / (n - k))`` of n rows in k categories (Kelley 1935): the means of many
    small groups differ, whatever the categories say.
    """
    codes = categories.codes[(categories.codes >= 0) & np.isfinite(numbers)]
    n, k = len(codes), int(np.count_nonzero(np.bincount(codes))) if len(codes) else 0
    return sqrt(max(0.0, 1 - (1 - eta * eta) * (n - 1) / (n - k))) if n > k else nan


def _within_range(column: Floats, out: Floats) -> None:
    """Writes the column shifted and scaled so that squares neither overflow nor vanish; infinity counts as missing."""
    there = np.isfinite(column)
    complete = bool(there.all())
    finite = column if complete else column[there]
    if len(finite) == 0:
        out[:] = np.nan
        return
    low, high = float(finite.min()), float(finite.max())
    middle, half = low / 2 + high / 2, high / 2 - low / 2
    if half <= 0:
        out[:] = np.where(np.isnan(column), np.nan, 0.0)
        return
    scale = 2.0 ** -np.frexp(half)[1]
    if np.isfinite(high - low):
        np.subtract(column, middle, out=out)
        out *= scale
    else:
        np.multiply(column, scale, out=out)
        out -= middle * scale
    if not complete:
        out[~np.isfinite(out)] = np.nan


def matrix(rows: Sequence[Any], columns: Sequence[Any], values: Floats) -> Matrix:
    return Matrix(tuple(rows), tuple(columns), tuple(tuple(row) for row in values.tolist()))


# ------------------------------------------------------------------------------------------------------------- numbers


class PairSums:
    """Sums over the rows that have both of two columns, for every two of them; batches can be added.

    With ``z = (x - shift) scale`` and ``p`` 1 where a value is there and 0 elsewhere (and z = 0 there):
    ``n = P'P``, ``S = Z'P`` (sum of the first), ``Q = (Z²)'P`` (of its squares), ``C = Z'Z`` (of products). Shift and
    scale come from the first batch, so that the sums hold no large numbers that cancel.
    """

    def __init__(self, shift: Floats, scale: Floats) -> None:
        width = len(shift)
        self.shift, self.scale = shift, scale
        self.n, self.S, self.Q, self.C = (np.zeros((width, width)) for _ in range(4))

    @staticmethod
    def start(columns: Sequence[Floats], threads: int = 1) -> PairSums:
        rows = len(columns[0]) if columns else 0
        scalings = list(each(_center_and_scale, columns, threads, rows))
        return PairSums(np.array([shift for shift, _ in scalings]), np.array([scale for _, scale in scalings]))

    def add(self, columns: Sequence[Floats], threads: int = 1) -> PairSums:
        """Adds rows: blocks of them in their order, each with one thread of BLAS, so that the bits stay the same."""
        rows = len(columns[0]) if columns else 0
        blocks = [
            [column[start : start + ROWS_AT_ONCE] for column in columns] for start in range(0, rows, ROWS_AT_ONCE)
        ]
        with serial_blas(), np.errstate(invalid="ignore", over="ignore"):
            for n, S, Q, C in each(self._sums_of, blocks, threads, rows):
                self.n += n
                self.S += S
                self.Q += Q
                self.C += C
        return self

    def _sums_of(self, block: Sequence[Floats]) -> tuple[Any, Floats, Floats, Floats]:
        """What some rows add to n, S, Q and C."""
        Z = np.column_stack(block)
        Z *= self.scale
        Z -= self.shift * self.scale
        there = np.isfinite(Z)
        if there.all():
            return len(Z), Z.sum(axis=0)[:, None], (Z * Z).sum(axis=0)[:, None], Z.T @ Z
        P = there.astype(np.float64)
        Z[~there] = 0.0
        return P.T @ P, Z.T @ P, (Z * Z).T @ P, Z.T @ Z

    def of(self, columns: Sequence[int]) -> PairSums:
        """The sums of some of the columns."""
        selected = PairSums(self.shift[list(columns)], self.scale[list(columns)])
        both = np.ix_(list(columns), list(columns))
        selected.n, selected.S, selected.Q, selected.C = self.n[both], self.S[both], self.Q[both], self.C[both]
        return selected

    def merge(self, other: PairSums) -> PairSums:
        """The sums of both, in the shift and scale of the first."""
        merged = PairSums(self.shift, self.scale)
        d = (other.shift - self.shift) * self.scale  # z = z_other f + d
        f = self.scale / other.scale
        F, D = f[:, None], d[:, None]
        S = other.S * F + other.n * D
        Q = other.Q * F * F + 2 * D * F * other.S + other.n * D * D
        C = other.C * F * f + (other.S * F) * d + D * (other.S * F).T + other.n * D * d
        merged.n, merged.S, merged.Q, merged.C = self.n + other.n, self.S + S, self.Q + Q, self.C + C
        return merged

    @property
    def centered(self) -> tuple[Floats, Floats]:
        """Sums of products, and of squares of the first of each pair, about the pair's own means."""
        n = np.maximum(self.n, 1)
        return self.C - self.S * self.S.T / n, np.maximum(self.Q - self.S * self.S / n, 0.0)

    @property
    def pearson(self) -> Floats:
        """r of every two columns; NaN where one does not vary or fewer than two rows have both."""
        products, squares = self.centered
        size = np.sqrt(squares * squares.T)
        flat = (squares <= 1e-24 * np.maximum(self.Q, 1e-300)) | (self.n < 2)
        r = np.divide(products, size, out=np.full(size.shape, np.nan), where=(size > 0) & ~flat & ~flat.T)
        r = np.clip(r, -1, 1)
        np.fill_diagonal(r, np.where(np.isnan(np.diag(r)), np.nan, 1.0))
        return np.asarray(r)

    def line(self, of: int, column: int) -> tuple[float, float]:
        """Intercept and slope of the least-squares line that tells ``column`` from ``of``."""
        products, squares = self.centered
        scaled_slope = products[of, column] / squares[of, column]
        n = self.n[of, column]
        mean_of, mean = self.S[of, column] / n, self.S[column, of] / n
        b = float(scaled_slope * self.scale[of] / self.scale[column])
        a = float(self.shift[column] + mean / self.scale[column] - b * (self.shift[of] + mean_of / self.scale[of]))
        size = abs(float(self.shift[column])) + abs(b * float(self.shift[of]))
        return (0.0 if abs(a) <= 1e-12 * size else a), b


def _center_and_scale(column: Floats) -> tuple[float, float]:
    """The mean of a column, and the power of two that brings its distances from it below one."""
    there = np.isfinite(column)
    finite = column if there.all() else column[there]
    if not len(finite):
        return 0.0, 1.0
    shift = float((finite / len(finite)).sum())  # within range
    spread = float(max(finite.max() / 2 - shift / 2, shift / 2 - finite.min() / 2))
    return shift, 2.0 ** -int(np.clip(np.frexp(spread)[1], -1000, 1000)) if spread > 0 else 1.0


def lines(names: Sequence[Any], sums: PairSums, r: Floats) -> list[Redundant]:
    """Columns that lie on a line with an earlier one, or nearly so; each is named with the first that tells it."""
    redundant: list[Redundant] = []
    redundant_columns: set[int] = set()
    for j in range(len(names)):
        for i in range(j):
            if i in redundant_columns or not abs(r[i, j]) >= NEARLY or sums.n[i, j] < 3:
                continue
            intercept, slope = sums.line(i, j)
            exact = bool(1 - abs(r[i, j]) < 1e-12)
            redundant.append(Redundant(names[j], names[i], exact, True, float(r[i, j]), intercept, slope))
            redundant_columns.add(j)
            break
    return redundant


# ----------------------------------------------------------------------------------------------------------- functions


def functions(names: Sequence[Any], coded: Sequence[Coded], known_pairs: set[tuple[Any, Any]]) -> list[Redundant]:
    """Columns whose value follows from that of another: each value of one goes with a single value of the other.

    Columns that hardly repeat tell everything by accident; only those with twice as many rows as values count.
    ``known`` are pairs that are told already.
    """
    redundant: list[Redundant] = []
    present = [int(column.counts.sum()) for column in coded]
    tells = [2 <= len(column.values) <= present[i] / 2 for i, column in enumerate(coded)]
    for j in range(len(names)):
        for i in range(len(names)):
            if i == j or not tells[i] or (names[i], names[j]) in known_pairs or (names[j], names[i]) in known_pairs:
                continue
            if len(coded[j].values) < 2 or len(coded[j].values) > len(coded[i].values):
                continue
            both_ways = len(coded[j].values) == len(coded[i].values)
            if both_ways and j < i:
                continue
            if _is_function(coded[i].codes, coded[j].codes, len(coded[i].values)):
                redundant.append(Redundant(names[j], names[i], True, both_ways and tells[j]))
    return redundant


def _is_function(of: Array, column: Array, levels: int) -> bool:
    for rows in {min(FIRST_ROWS, len(of)), len(of)}:
        a, b = of[:rows], column[:rows]
        both = (a >= 0) & (b >= 0)
        a, b = a[both], b[both]
        value_of_level = np.full(levels, -1, dtype=np.int64)
        value_of_level[a] = b
        if len(a) < 3 or not np.array_equal(value_of_level[a], b):
            return False
        if rows == len(of) and len(np.unique(b)) < 2:
            return False
    return True
