"""Summaries of a stream in bounded memory that can be merged: values in order, distinct values, frequent values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np

from pellucid.base.types import Array

POINTS = 4096  # weighted points a level keeps
REGISTERS_BITS = 14  # 16,384 registers: a standard error of 1.04 / sqrt(16,384) = 0.8 %
FREQUENT = 1024  # counters of the most frequent values


def merge_runs(a: tuple[Array, Array], b: tuple[Array, Array]) -> tuple[Array, Array]:
    """Two lists of distinct values in order with their counts, as one."""
    values = np.concatenate([a[0], b[0]])
    counts = np.concatenate([a[1], b[1]])
    order = np.argsort(values, kind="stable")
    values, counts = values[order], counts[order]
    if len(values) == 0:
        return values, counts
    first = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]]))
    return values[first], np.add.reduceat(counts, first)


@dataclass(frozen=True)
class Points:
    """Values of a stream in order, thinned out.

    A level holds at most `POINTS` values with weights that stand for all values it has seen. Thinning ``n`` values to K
    points cuts their ranks into K equal parts and keeps the middle value of each, so that a rank is off by at most
    ``n / 2K + 1``. Two full levels are joined and thinned out again into the next one, as in a binary counter; a value
    goes through about ``log2(batches)`` thinnings (Manku, Rajagopalan, Lindsay 1998). ``errors`` adds up what each
    level may be off; together they bound the error of any rank.
    """

    levels: tuple[tuple[Array, Array] | None, ...] = ()
    errors: tuple[float, ...] = ()

    @staticmethod
    def of(values: Array, counts: Array) -> Points:
        (points, weights), error = thinned(values, counts)
        return Points(((points, weights),), (error,))

    def merge(self, other: Points) -> Points:
        depth = max(len(self.levels), len(other.levels))
        levels: list[tuple[Array, Array] | None] = []
        errors: list[float] = []
        carry: tuple[tuple[Array, Array], float] | None = None
        for k in range(depth + 1):
            here = [
                (level, points.errors[k])
                for points in (self, other)
                if k < len(points.levels) and (level := points.levels[k]) is not None
            ]
            here += [carry] if carry is not None else []
            carry = None
            if len(here) >= 2:
                joined, added = thinned(*merge_runs(here[0][0], here[1][0]))
                carry = (joined, here[0][1] + here[1][1] + added)
                here = here[2:]
            levels.append(here[0][0] if here else None)
            errors.append(here[0][1] if here else 0.0)
        if carry is not None:
            levels.append(carry[0])
            errors.append(carry[1])
        return Points(tuple(levels), tuple(errors))

    @property
    def runs(self) -> tuple[Array, Array]:
        """All points in order with their weights."""
        levels = [level for level in self.levels if level is not None]
        merged = levels[0]
        for level in levels[1:]:
            merged = merge_runs(merged, level)
        return merged

    @property
    def error(self) -> float:
        """At most how many ranks a quantile is off."""
        return sum(self.errors)


def thinned(values: Array, counts: Array) -> tuple[tuple[Array, Array], float]:
    """At most `POINTS` of the values, with weights that add up to the same; and how far a rank may be off by it."""
    if len(values) <= POINTS:
        return (values, counts), 0.0
    upto = np.cumsum(counts)
    n = int(upto[-1])
    cuts = (np.arange(POINTS + 1) * n) // POINTS
    middle = (cuts[:-1] + cuts[1:]) // 2
    points = values[np.searchsorted(upto, middle, side="right")]
    first = np.flatnonzero(np.concatenate([[True], points[1:] != points[:-1]]))
    return (points[first], np.add.reduceat(np.diff(cuts), first)), n / (2 * POINTS) + 1


# ----------------------------------------------------------------------------------------------------------- distinct


def hash_numbers(values: Array) -> Array:
    """64 bits for each number, by the last steps of splitmix64."""
    bits = (values + 0.0).view(np.uint64) if values.dtype.kind == "f" else values.astype(np.int64).view(np.uint64)
    with np.errstate(over="ignore"):
        h = bits + np.uint64(0x9E3779B97F4A7C15)
        h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(h ^ (h >> np.uint64(31)))


def registers_of(hashes: Array) -> Array:
    """HyperLogLog (Flajolet et al. 2007): of hashes with the same first 14 bits, the longest run of noughts."""
    registers = np.zeros(1 << REGISTERS_BITS, dtype=np.uint8)
    remaining_bits = hashes << np.uint64(REGISTERS_BITS)
    # The exponent of a float is the place of its first one; 53 bits of the rest are enough for that.
    exponent = np.frexp((remaining_bits >> np.uint64(11)).astype(np.float64))[1]
    noughts = np.where(remaining_bits == 0, 64 - REGISTERS_BITS, 53 - exponent)
    np.maximum.at(
        registers, (hashes >> np.uint64(64 - REGISTERS_BITS)).astype(np.int64), (noughts + 1).astype(np.uint8)
    )
    return registers


def distinct_of(registers: Array) -> int:
    """How many hashes there were: the harmonic mean of 2^register, or linear counting while many are empty."""
    m = len(registers)
    estimate = 0.7213 / (1 + 1.079 / m) * m * m / float(np.ldexp(1.0, -registers.astype(np.int32)).sum())
    empty = int((registers == 0).sum())
    return round(m * log(m / empty)) if empty and estimate <= 2.5 * m else round(estimate)


# ----------------------------------------------------------------------------------------------------------- frequent


@dataclass(frozen=True)
class Frequent:
    """Values that may be frequent, with counts that are too small by at most ``error``.

    Misra and Gries, in the form that can be merged (Agarwal et al. 2012): counts are added; if more than `FREQUENT`
    values are left, the count of the first one beyond is taken off from all, and those at nought or below go.
    """

    counts: Mapping[Any, int]
    error: int = 0

    def merge(self, other: Frequent) -> Frequent:
        joined = dict(self.counts)
        for value, count in other.counts.items():
            joined[value] = joined.get(value, 0) + count
        return Frequent(joined, self.error + other.error).cut()

    def cut(self) -> Frequent:
        if len(self.counts) <= FREQUENT:
            return self
        excess = sorted(self.counts.values(), reverse=True)[FREQUENT]
        counts = {value: count - excess for value, count in self.counts.items() if count > excess}
        return Frequent(counts, self.error + excess)
