"""Intervals for scores on held-out rows: bootstrap samples of what is independent, and bounds where they say nothing.

Rows of one group, or rows next to each other in time, resemble each other. Samples of single rows would treat them as
independent and give intervals that are too narrow, so whole groups or blocks of neighboring rows are drawn instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, sqrt
from typing import Literal

import numpy as np
from scipy.special import ndtr, stdtrit

from pellucid.base.types import Array, Floats
from pellucid.report.row_order import without_trend

N_DRAWS, N_DRAWS_OF_MANY = 400, 200
MANY_ROWS = 5000
FEWEST_BLOCKS = 10
FEWEST_OF_A_TREND = 45  # rows, of which a trend can be told from a random walk
LEAST_MEMORIES = 30  # how often what the rows remember beside a trend fits into them, if they are no random walk
Unit = Literal["row", "group", "block"]


@dataclass(frozen=True)
class Resamples:
    """Bootstrap samples of held-out rows, drawn one after the other so that many rows take no memory.

    n_rows : how many rows there are
    unit : what is drawn; n_units : how many of them there are
    members : positions of the rows of each group, or of each block that can be drawn; empty for single rows
    """

    n_rows: int
    seed: int
    unit: Unit
    n_units: int
    members: tuple[Array, ...] = ()

    def draws(self) -> Iterator[Array]:
        """Positions of the rows in each sample; the same ones in every call."""
        random = np.random.RandomState(self.seed)
        for _ in range(N_DRAWS if self.n_rows <= MANY_ROWS else N_DRAWS_OF_MANY):
            if self.unit == "row":
                yield random.randint(0, self.n_rows, size=self.n_rows)
            else:
                chosen = random.randint(0, len(self.members), size=self.n_units)
                yield np.concatenate([self.members[k] for k in chosen])

    def interval(self, values: Floats) -> tuple[float, float]:
        """The 95 % interval of a score, from its values in the samples; values that are not finite are left out.

        Percentiles of few units are too narrow. They are taken not at 2.5 % but at ``Phi(-sqrt(n / (n - 1)) t)``, with
        Student's ``t`` for n - 1 degrees of freedom (Hesterberg 2015, expanded percentiles).
        """
        finite = values[np.isfinite(values)]
        if not len(finite) or self.n_units < 2:
            return float("nan"), float("nan")
        n = self.n_units
        tail = float(ndtr(-sqrt(n / (n - 1)) * stdtrit(n - 1, 0.975)))
        low, high = np.quantile(finite, [tail, 1 - tail])
        return float(low), float(high)


def resample(
    n_rows: int, seed: int, groups: Array | None = None, in_time: bool = False, gains: Floats | None = None
) -> Resamples:
    """Bootstrap samples of rows, of whole groups, or of blocks of ``sqrt(n)`` rows or more that follow each other.

    Parameters
    ----------
    groups : the group of every row, or None
    in_time : whether the rows are in the order of time
    gains : how much better each row is predicted than by the baseline; blocks are at least twice as long as these
        remember, apart from a smooth trend, so that what is drawn is about independent
    """
    if groups is not None:
        _, codes = np.unique(groups, return_inverse=True)
        members = np.split(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes))[:-1])
        return Resamples(n_rows, seed, "group", len(members), tuple(members))
    if in_time:
        length = max(1, min(round(sqrt(n_rows)), n_rows // FEWEST_BLOCKS))
        if gains is not None:
            length = max(length, min(ceil(2 * _memory_beside_trend(gains)), n_rows // 2))
        blocks = tuple(np.arange(start, start + length) for start in range(n_rows - length + 1))
        return Resamples(n_rows, seed, "block", ceil(n_rows / length), blocks)
    return Resamples(n_rows, seed, "row", n_rows)


def memory_of(series: Floats) -> float:
    """The integrated autocorrelation time: ``1 + 2 sum of r_k``, over the lags before ``r_k`` sinks into the noise of
    ``2 / sqrt(n)``. So many rows of the series are worth one independent row.

    >>> memory_of(np.array([1.0, -1.0] * 50)), memory_of(np.repeat([1.0, -1.0], 50)) > 20
    (1.0, True)
    """
    n = len(series)
    centered = np.asarray(series, dtype=np.float64) - np.mean(series)
    if n < 4 or not np.isfinite(centered).all() or not centered.any():
        return 1.0
    power = np.abs(np.fft.rfft(centered, 2 * n)) ** 2
    r = np.fft.irfft(power)[:n]
    r = r / r[0]
    noise = np.flatnonzero(r < 2 / sqrt(n))
    return float(1 + 2 * r[1 : noise[0]].sum()) if len(noise) else float(n)


def _memory_beside_trend(gains: Floats) -> float:
    """The memory of gains, of which a smooth trend is no part: where a target grows, a model that follows it improves
    on the mean of older rows by more with every row, and each row shows that. Of a random walk, which has no trend, the
    whole memory counts: without a cubic trend it seems to remember n / 16 rows, and seldom fewer than n / 30."""
    rest = memory_of(without_trend(np.asarray(gains, dtype=np.float64)))
    is_trend = len(gains) >= FEWEST_OF_A_TREND and rest < len(gains) / LEAST_MEMORIES
    return rest if is_trend else memory_of(gains)


def share_bounds(share: float, n: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share of n.

    With ``z = 1.96``: ``(p + z²/2n -/+ z sqrt(p (1 - p) / n + z²/4n²)) / (1 + z²/n)``. Bootstrap samples of rows that
    are all predicted correctly have no spread at all; this interval does not shrink to a point.

    >>> [round(end, 3) for end in share_bounds(1.0, 10)]
    [0.722, 1.0]
    """
    z2 = 1.959963984540054**2
    center = share + z2 / (2 * n)
    reach = sqrt(z2 * (share * (1 - share) / n + z2 / (4 * n * n)))
    return max(0.0, (center - reach) / (1 + z2 / n)), min(1.0, (center + reach) / (1 + z2 / n))


def mean_share_bounds(shares: Sequence[float], rows: Sequence[int]) -> tuple[float, float]:
    """A 95 % interval of the mean of several independent shares, such as the recalls of all classes.

    Each share has Wilson's interval; the distances of its ends add up as variances do (Zou and Donner, 2008):
    ``mean - sqrt(sum (p - low)²) / k`` to ``mean + sqrt(sum (high - p)²) / k``.

    >>> [round(end, 3) for end in mean_share_bounds([1.0, 1.0], [10, 1000])]
    [0.861, 1.0]
    """
    bounds = [share_bounds(share, n) for share, n in zip(shares, rows, strict=True)]
    below = sqrt(sum((share - low) ** 2 for share, (low, _) in zip(shares, bounds, strict=True)))
    above = sqrt(sum((high - share) ** 2 for share, (_, high) in zip(shares, bounds, strict=True)))
    mean, k = sum(shares) / len(shares), len(shares)
    return max(0.0, mean - below / k), min(1.0, mean + above / k)


def area_bounds(area: float, n_positive: int, n_negative: int) -> tuple[float, float]:
    """A 95 % interval of a ROC area that does not shrink to a point where all ranks are right by luck.

    Hanley and McNeil (1982): ``Var(A) = (A (1 - A) + (m - 1)(Q1 - A²) + (n - 1)(Q2 - A²)) / (m n)`` with
    ``Q1 = A / (2 - A)`` and ``Q2 = 2 A² / (1 + A)``, at an area that is pulled toward one half as by one more row of
    the rarer class.

    >>> [round(end, 3) for end in area_bounds(1.0, 9, 291)]
    [0.85, 1.0]
    """
    if area < 0.5:  # the other class ranks higher
        low, high = area_bounds(1 - area, n_negative, n_positive)
        return 1 - high, 1 - low
    rarer = min(n_positive, n_negative)
    a = (area * rarer + 0.5) / (rarer + 1)
    q1, q2 = a / (2 - a), 2 * a * a / (1 + a)
    spread = a * (1 - a) + (n_positive - 1) * (q1 - a * a) + (n_negative - 1) * (q2 - a * a)
    reach = 1.959963984540054 * sqrt(max(spread, 0.0) / (n_positive * n_negative))
    return max(0.0, min(area, a - reach)), min(1.0, max(area, a + reach))
