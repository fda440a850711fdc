"""Every split of a node of CART, by plain NumPy: which of them a working shows, and where the best one stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from pellucid.base.types import Array, Flags, Floats

MOST_PLACES = 16
TRY_ALL = 10  # of more than two classes all sets are tried up to so many categories
NEARLY = 1e-9  # gains nearer to each other than this share of the impurity are told apart by rounding


@dataclass(frozen=True)
class Rule:
    """How splits are judged."""

    criterion: str
    weighting: str
    at_values: bool  # cuts at values of the data, not half way between them
    one_versus_rest: bool
    min_rows: int
    min_weight: float


@dataclass(frozen=True)
class Sums:
    """What is added up over rows.

    The weight of each class; or the weight, and weighted the target and its square (for Poisson, y ln y in its place);
    or, for medians, the weight of each distinct target.
    """

    table: Floats  # rows x width
    classes: bool
    rule: Rule
    values: Floats | None = None  # the distinct targets

    def weight(self, sums: Floats) -> Floats:
        return np.asarray(sums.sum(axis=-1) if self.classes or self.values is not None else sums[..., 0])

    def median(self, sums: Floats) -> Floats:
        """Half of the weight lies on each side; between two targets where it does so exactly."""
        assert self.values is not None
        up_to = np.cumsum(sums, axis=-1)
        half = up_to[..., -1:] / 2
        low, high = np.argmax(up_to >= half, axis=-1), np.argmax(up_to > half, axis=-1)
        return np.asarray(self.values[low] / 2 + self.values[high] / 2)

    def impurity(self, sums: Floats) -> Floats:
        w = self.weight(sums)
        w = np.where(w > 0, w, 1.0)
        if self.values is not None:
            apart = np.abs(self.values - self.median(sums)[..., None])
            return np.asarray((sums * apart).sum(axis=-1) / w)
        if self.rule.criterion == "poisson":
            mean = sums[..., 1] / w
            return np.asarray(sums[..., 2] / w - mean * np.log(np.where(mean > 0, mean, 1)))
        if not self.classes:
            return np.asarray(np.maximum(sums[..., 2] / w - (sums[..., 1] / w) ** 2, 0))
        p = sums / w[..., None]
        if self.rule.criterion == "gini":
            return np.asarray(1 - (p**2).sum(axis=-1))
        return np.asarray(-(p * np.log2(np.where(p > 0, p, 1))).sum(axis=-1))

    def cost(self, left: Floats, right: Floats) -> Floats:
        a, b = self.impurity(left), self.impurity(right)
        if self.rule.weighting == "none":
            return np.asarray(a + b)
        wa, wb = self.weight(left), self.weight(right)
        return np.asarray((wa * a + wb * b) / (wa + wb))


@dataclass(frozen=True)
class Candidates:
    """The splits of one column, in their order."""

    column: int
    thresholds: Floats  # of numbers
    sets: tuple[frozenset[int], ...]  # of categories: those that go left
    missing_left: Flags
    gain: Floats

    @property
    def best(self) -> int:
        """The first whose gain is the largest but for rounding."""
        return first_best(self.gain)

    def around(self, center: int, max_shown: int = MOST_PLACES) -> Array:
        """Places that are shown: all of few, else those around one."""
        n = len(self.gain)
        if n <= max_shown:
            return np.arange(n)
        first = min(max(center - max_shown // 2, 0), n - max_shown)
        return np.arange(first, first + max_shown)

    def taking(self, indices: Array) -> Candidates:
        sets = tuple(self.sets[i] for i in indices.tolist()) if self.sets else ()
        thresholds = self.thresholds[indices] if len(self.thresholds) else self.thresholds
        return Candidates(self.column, thresholds, sets, self.missing_left[indices], self.gain[indices])


def first_best(gain: Sequence[float] | Floats) -> int:
    gains = np.asarray(gain)
    return int(np.argmax(gains >= gains.max() - NEARLY * max(1.0, abs(gains.max()))))


def _allowed(sums: Sums, left: Floats, right: Floats, rows_left: Array, n: int) -> Flags:
    min_rows, rule = sums.rule.min_rows, sums.rule
    enough = (rows_left >= min_rows) & (n - rows_left >= min_rows)
    if rule.criterion == "poisson":
        some = 1e-12 * (left[..., 1] + right[..., 1])
        enough &= (left[..., 1] > some) & (right[..., 1] > some)  # nothing but zeros has no Poisson mean
    return np.asarray(enough & (sums.weight(left) >= rule.min_weight) & (sums.weight(right) >= rule.min_weight))


def numbers(column: int, x: Floats, sums: Sums) -> Candidates:
    """Every cut of a column of numbers; missing values on the side where they are better."""
    missing = np.isnan(x)
    order = np.argsort(x[~missing], kind="stable")
    ordered, table = x[~missing][order], sums.table[~missing][order]
    ends = np.flatnonzero(np.diff(ordered) > 0)
    low, high = ordered[ends], ordered[ends + 1]
    middle = low / 2 + high / 2
    cuts = high if sums.rule.at_values else np.where((middle >= low) & (middle < high), middle, low)
    below, rows = np.cumsum(table, axis=0)[ends], ends + 1
    if missing.any() and len(ordered):  # values against none
        cuts, rows = np.append(cuts, np.inf), np.append(rows, len(ordered))
        below = np.vstack([below, table.sum(axis=0)])
    return _sided(column, cuts, (), below, rows, missing, sums)


def _sided(
    column: int, cuts: Floats, sets: tuple[frozenset[int], ...], below: Floats, rows: Array, missing: Flags, sums: Sums
) -> Candidates:
    total, lost = sums.table.sum(axis=0), sums.table[missing].sum(axis=0)
    before, n = float(sums.impurity(total)), len(missing)
    gains = []
    for side in (False, True) if missing.any() else (False,):
        left = below + lost * side
        right, there = total - left, rows + int(missing.sum()) * side
        good = _allowed(sums, left, right, there, n)
        gains.append(np.where(good, before - sums.cost(left, right), -np.inf))
    to_left = gains[-1] > gains[0]
    gain = np.maximum(gains[-1], gains[0])
    allowed = np.flatnonzero(np.isfinite(gain))
    return Candidates(column, cuts, sets, to_left, gain).taking(allowed)


def categories(column: int, x: Floats, sums: Sums) -> Candidates:
    """Sets of categories: one against the rest, or the first ones of an order by class or by mean."""
    missing = np.isnan(x)
    codes = [int(code) for code in np.unique(x[~missing])]
    by_code = np.array([sums.table[x == code].sum(axis=0) for code in codes]).reshape(len(codes), sums.table.shape[1])
    count = np.array([(x == code).sum() for code in codes])
    sets = _sets(codes, by_code, sums)
    if missing.any() and codes:
        sets.append(frozenset(codes))
    if not sets:
        return Candidates(column, np.empty(0), (), np.empty(0, dtype=bool), np.empty(0))
    member = np.array([[code in inside for code in codes] for inside in sets])
    return _sided(column, np.empty(0), tuple(sets), member @ by_code, member @ count, missing, sums)


def _sets(codes: list[int], by_code: Floats, sums: Sums) -> list[frozenset[int]]:
    """The sets that are tried, in their order."""
    if sums.rule.one_versus_rest:
        return [frozenset([code]) for code in (codes if len(codes) > 2 else codes[:1])] if len(codes) > 1 else []
    several = sums.classes and by_code.shape[1] > 2
    if several and len(codes) <= TRY_ALL:
        bit_masks = range(1, 1 << max(len(codes) - 1, 0))
        return [frozenset(code for b, code in enumerate(codes) if bits >> b & 1) for bits in bit_masks]
    subsets = [
        frozenset(subset) for order in orders(codes, by_code, sums) for subset in accumulate([c] for c in order[:-1])
    ]
    return list(dict.fromkeys(subsets))


def orders(codes: list[int], by_code: Floats, sums: Sums) -> list[list[int]]:
    """The categories ordered by the share of a class (of two: the second), or by their mean."""
    w = sums.weight(by_code)
    shares = by_code / np.where(w > 0, w, 1)[:, None]
    if sums.values is not None:
        keys = [shares @ sums.values]
    elif not sums.classes:
        keys = [shares[:, 1]]
    else:
        keys = [shares[:, 1]] if by_code.shape[1] == 2 else [shares[:, k] for k in range(by_code.shape[1])]
    return [[codes[i] for i in np.argsort(key, kind="stable")] for key in keys]
