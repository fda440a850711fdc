"""Quantiles of a long column of weighted values from a few of them, with bounds that are certain.

A summary keeps some of the values v_1 < v_2 < ... Let a(v) be the weight of all values below v and b(v) that of all
values up to v. Each entry has three numbers besides its value,

    rank_min <= a(v),    b(v) <= rank_max,    weight <= b(v) - a(v),

and the smallest and the largest value are always kept. For a number y between two entries, a(y) and b(y) lie between
rank_min + weight of the one and rank_max - weight of the other: a gap. The widest gap as a share of all weight W is
the error e of a summary. Asked for the value at rank d, it answers with one whose [a(v), b(v)] is no further than
e W / 2 from d.

    all values        error 0
    merge             the larger of the two errors
    prune to s + 1    error + 1 / s

A sketch takes rows in blocks, prunes the summary of each, and makes one of two that stand for as many blocks, like the
digits of a binary number: after n rows in blocks of B the error is at most (1 + floor(log2(n / B))) / s.

Chen and Guestrin: XGBoost (2016), appendix. There pruning asks for ranks that are equally far apart; here values that
are heavier than W / (s - 1) are kept first, and the ranks that are asked for divide what those leave.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Summary:
    """Some of the values of a column and what is known of their ranks."""

    value: Floats
    rank_min: Floats
    rank_max: Floats
    weight: Floats

    @property
    def total(self) -> float:
        """The weight of all values there were."""
        return float(self.rank_max[-1]) if len(self.value) else 0.0

    @property
    def up_to(self) -> Floats:
        """What the values up to each entry weigh at least."""
        return self.rank_min + self.weight

    @property
    def below(self) -> Floats:
        """What the values below each entry weigh at most."""
        return self.rank_max - self.weight

    @property
    def exact(self) -> bool:
        """Whether it holds all values with all their weight."""
        ranks = np.concatenate([[0.0], np.cumsum(self.weight)])
        return bool((self.rank_min == ranks[:-1]).all() and (self.rank_max == ranks[1:]).all())

    def take(self, kept: NDArray[np.bool_]) -> Summary:
        """Those entries alone: what is known of them stays true."""
        return Summary(self.value[kept], self.rank_min[kept], self.rank_max[kept], self.weight[kept])


def whole(values: Floats, weight: Floats) -> Summary:
    """The summary that keeps every one of some rising values."""
    ranks = np.concatenate([[0.0], np.cumsum(weight)])
    return Summary(values, ranks[:-1], ranks[1:], weight)


def summarize(x: ArrayLike, weight: ArrayLike | None = None) -> Summary:
    """All values with their ranks. NaN and what weighs nothing does not count.

    >>> summarize([3, 1, 3], weight=[1, 2, 0.5])
    Summary(value=array([1., 3.]), rank_min=array([0., 2.]), rank_max=array([2. , 3.5]), weight=array([2. , 1.5]))
    """
    column = np.asarray(x, dtype=np.float64)
    w = np.ones(len(column)) if weight is None else np.asarray(weight, dtype=np.float64)
    counts = ~np.isnan(column) & (w > 0)
    distinct, place = np.unique(column[counts] + 0.0, return_inverse=True)
    sums = np.bincount(place, weights=w[counts], minlength=len(distinct))
    return whole(distinct, np.asarray(sums, dtype=np.float64))


def merge(a: Summary, b: Summary) -> Summary:
    """A summary of what both stand for: each entry is placed among those of the other, and the bounds are added."""
    if len(a.value) == 0 or len(b.value) == 0:
        return a if len(b.value) == 0 else b
    value = np.union1d(a.value, b.value)
    parts = [placed(a, value), placed(b, value)]
    rank_min, rank_max, weight = (parts[0][k] + parts[1][k] for k in range(3))
    return whole(value, weight) if a.exact and b.exact else Summary(value, rank_min, rank_max, weight)


def placed(s: Summary, value: Floats) -> tuple[Floats, Floats, Floats]:
    """What a summary knows of the ranks of some values, its own among them: rank_min, rank_max, weight."""
    above = np.searchsorted(s.value, value, side="right")
    own = np.isin(value, s.value)
    last = np.maximum(above - 1, 0)
    least = np.concatenate([[0.0], s.up_to])[above]
    most = np.concatenate([s.below, [s.total]])[above]
    return (
        np.where(own, s.rank_min[last], least),
        np.where(own, s.rank_max[last], most),
        np.where(own, s.weight[last], 0.0),
    )


def middles(s: Summary) -> Floats:
    """The middle of the gap after each entry but the last: up to there an entry is the best answer."""
    return (s.up_to[:-1] + s.below[1:]) / 2


def prune(s: Summary, size: int) -> Summary:
    """At most size + 1 entries: the first, the last, the heavy ones, and those at equal steps of the other weight."""
    if len(s.value) <= size + 1:
        return s
    heavy = s.weight > s.total / (size - 1)
    of_heavy = np.cumsum(np.where(heavy, s.weight, 0.0))
    shares = size - int(heavy.sum())
    ranks = (s.total - of_heavy[-1]) * np.arange(1, shares) / shares
    ends = np.maximum.accumulate(middles(s) - of_heavy[:-1])
    pruned = heavy.copy()
    pruned[[0, -1]] = True
    pruned[np.searchsorted(ends, ranks, side="right")] = True
    return s.take(pruned)


def error(s: Summary) -> float:
    """The widest gap as a share of all weight."""
    if s.exact:
        return 0.0
    rank_gaps = s.below - np.concatenate([s.rank_min[:1], s.up_to[:-1]])
    return float(rank_gaps.max() / s.total)


def quantile(s: Summary, q: float) -> float:
    """The value at a share q of the weight.

    >>> quantile(summarize([10, 20, 30, 40]), 0.5)
    30.0
    """
    if len(s.value) == 0:
        return float("nan")
    return float(s.value[np.searchsorted(np.maximum.accumulate(middles(s)), q * s.total, side="right")])


def rank_bounds(s: Summary, x: float) -> tuple[float, float]:
    """The least and the most that all values up to x can weigh."""
    above = int(np.searchsorted(s.value, x, side="right"))
    if above == 0:
        return 0.0, 0.0
    if s.value[above - 1] == x or above == len(s.value):
        return float(s.up_to[above - 1]), float(s.rank_max[above - 1])
    return float(s.up_to[above - 1]), float(s.below[above])


# ------------------------------------------------------------------------------------------------------------- sketch


@dataclass
class Sketch:
    """Rows in blocks; levels[k] is a summary of 2^k blocks, or None."""

    size: int
    block: int
    levels: list[Summary | None] = field(default_factory=list)
    waiting: list[tuple[float, float]] = field(default_factory=list)

    def add(self, x: ArrayLike, weight: ArrayLike | None = None) -> None:
        """Rows in their order; a block is summarized as soon as it is full."""
        column = np.asarray(x, dtype=np.float64)
        w = np.ones(len(column)) if weight is None else np.asarray(weight, dtype=np.float64)
        self.waiting += zip(column.tolist(), w.tolist(), strict=True)
        while len(self.waiting) >= self.block:
            rows, self.waiting = self.waiting[: self.block], self.waiting[self.block :]
            self._carry(prune(summary_of_rows(rows), self.size), 0)

    def _carry(self, s: Summary, level: int) -> None:
        while level < len(self.levels) and (summary := self.levels[level]) is not None:
            s = prune(merge(summary, s), self.size)
            self.levels[level] = None
            level += 1
        self.levels += [None] * (level + 1 - len(self.levels))
        self.levels[level] = s

    def merge(self, other: Sketch) -> None:
        """What the other holds, as if its blocks came after the own."""
        levels, waiting = list(other.levels), list(other.waiting)
        for level in range(len(levels) - 1, -1, -1):
            if (s := levels[level]) is not None:
                self._carry(s, level)
        self.add([x for x, _ in waiting], [w for _, w in waiting])

    def prune(self) -> None:
        """One summary of everything so far: the least there is to send."""
        self.levels = [None] * len(self.levels) + [prune(self.summary(), self.size)]
        self.waiting = []

    def summary(self) -> Summary:
        """Everything that was added."""
        s = summary_of_rows(self.waiting)
        for level in self.levels:
            if level is not None:
                s = merge(level, s)
        return s

    @property
    def bound(self) -> float:
        """What the error is at most, known from the number of blocks."""
        return len(self.levels) / self.size


def summary_of_rows(rows: list[tuple[float, float]]) -> Summary:
    """All of some rows, each a value and its weight."""
    return summarize([x for x, _ in rows], [w for _, w in rows])


# --------------------------------------------------------------------------------------------------------------- bins


def ranges(s: Summary) -> list[tuple[float, float, float]]:
    """Where the weight lies: (low, high, weight), for an entry twice its value, for a gap the numbers inside it."""
    rank_ranges: list[tuple[float, float, float]] = []
    so_far = 0.0
    for i, value in enumerate(s.value.tolist()):
        below = so_far if s.exact else float((s.rank_min[i] + s.below[i]) / 2)
        entry_weight = float(s.weight[i])
        low = float(np.nextafter(s.value[i - 1], np.inf)) if i else value
        high = float(np.nextafter(value, -np.inf))
        if below > so_far and low <= high:
            rank_ranges.append((low, high, below - so_far))
        elif below > so_far:
            entry_weight += below - so_far
        rank_ranges.append((value, value, entry_weight))
        so_far = below + float(s.weight[i])
    return rank_ranges


def edges(s: Summary, most_bins: int) -> list[float]:
    """Edges of at most so many bins, x <= edge: a bin is closed when it has its share of the weight that is left.

    >>> edges(summarize([1, 2, 3, 4, 5, 6]), most_bins=3)
    [2.5, 4.5]
    """
    rank_ranges = ranges(s)
    cuts = [middle(a[1], b[0]) for a, b in pairwise(rank_ranges)]
    if len(rank_ranges) <= most_bins:
        return cuts
    edge_values: list[float] = []
    left, here = 0.0, 0.0
    for rank_range in rank_ranges:
        left += rank_range[2]
    for i, cut in enumerate(cuts):
        here += rank_ranges[i][2]
        share = left / (most_bins - len(edge_values))
        if here >= share or rank_ranges[i + 1][2] >= share:
            edge_values.append(cut)
            left, here = left - here, 0.0
        if len(edge_values) == most_bins - 1:
            break
    return edge_values


def middle(a: float, b: float) -> float:
    """A number from a up to, but not, b: halfway where there is one."""
    mid = a / 2 + b / 2
    return mid if a <= mid < b else a
