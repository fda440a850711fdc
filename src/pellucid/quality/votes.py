"""What other rows say that a cell should hold: votes of the columns that determine it, and votes of several sources.

A column ``v`` is *determined* by a column ``k`` if the rows that share a value of k nearly always share their value of
v (provider -> city). Within such a group the usual value is a vote, and its weight is the logarithm of its odds,

    w = log((t + 1) / (s - t + 1)),

where s counts the other rows of the group and t those of them that have the usual value. A cell is repaired only where
no column votes for what it holds, the votes against it outweigh `LEAST_WEIGHT`, and it looks like an error: it is
spelled nearly like the usual value, or it is a value that is at home in other groups.

Where several sources report the same facts (a flight's departure, by twenty web sites), each source votes with the
logarithm of its odds to be right, which is estimated together with the facts: the weighted majority is taken for the
truth, the sources are scored against it, and so on until nothing changes (Li et al. 2012, "Truth finding on the deep
web").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pellucid import _core
from pellucid.base.types import Array, Flags, Floats

LEAST_ROWS = 2  # that have the usual value, beside the row itself
LEAST_WEIGHT = 2.0  # odds of about 7 to 1
SPELLING_WEIGHT = 1.5  # what a near spelling adds: with it two other rows that agree suffice
REIGNING = 0.8  # a value that so many rows have is usual everywhere, and no evidence
ROUNDS = 20  # of weighing sources
FALSE_VALUES = 10  # about how many wrong values there are to choose from, in the weight of a source
_DAMERAU = 2  # the kernel's number of the distance that counts swapped neighbors as one edit


@dataclass(frozen=True)
class Codes:
    """A column as codes of its distinct texts; -1 where a value is missing."""

    texts: Sequence[str]
    codes: Array

    @cached_property
    def counts(self) -> Array:
        """How many rows have each text."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.texts))

    @property
    def largest_share(self) -> float:
        """The share of the rows that have the most frequent value."""
        return float(self.counts.max(initial=0)) / max(int(self.counts.sum()), 1)


class Determinant:
    """How one column determines another: the usual value of each of its groups.

    usual, top, size : by group, the code of the most frequent value (the first of equals; -1 where there is none), how
        many rows have it, and how many rows the group has
    in_pair : row by row, how many rows share both values; 0 where one is missing
    """

    def __init__(self, key: Codes, value: Codes) -> None:
        self.key, self.value = key, value
        a, b, width = key.codes, value.codes, len(value.texts)
        has_both = (a >= 0) & (b >= 0)
        pairs, inverse, counts = np.unique(
            a[has_both].astype(np.int64) * width + b[has_both], return_inverse=True, return_counts=True
        )
        groups, values = pairs // width, pairs % width
        self.size = np.bincount(groups, weights=counts, minlength=len(key.texts))
        order = np.lexsort((values, -counts, groups))
        is_first = np.append(True, groups[order][1:] != groups[order][:-1])[: len(order)]
        self.usual = np.full(len(key.texts), -1, dtype=np.int64)
        self.top = np.zeros(len(key.texts))
        self.usual[groups[order][is_first]] = values[order][is_first]
        self.top[groups[order][is_first]] = counts[order][is_first]
        self.in_pair = np.zeros(len(a), dtype=np.int64)
        self.in_pair[has_both] = counts[inverse]

    @cached_property
    def home(self) -> Determinant:
        """The opposite direction: where each value usually stands."""
        return Determinant(self.value, self.key)

    @cached_property
    def broken_share(self) -> float:
        """The share of the rows, in groups of three rows or more, that have another value than their group's."""
        tested = self.size >= 3
        total = self.size[tested].sum()
        return float(1 - self.top[tested].sum() / total) if total else 1.0

    def votes(self) -> tuple[Array, Floats, Flags]:
        """Row by row: the value that the other rows of the group vote for (-1: none), the weight, and whether the
        row's own value is one of the group's regular exceptions, which is no error."""
        a, b = self.key.codes, self.value.codes
        group = np.where(a >= 0, a, 0)
        mode = np.where(a >= 0, self.usual[group], -1)
        has_vote = (a >= 0) & (b >= 0)
        n_others = self.size[group] - has_vote
        agreeing = self.top[group] - (has_vote & (b == mode))
        votes = (agreeing >= LEAST_ROWS) & (agreeing > n_others * 2 / 3) & (mode >= 0)
        weight = np.where(votes, np.log((agreeing + 1) / (n_others - agreeing + 1)), 0.0)
        expected = self.size[group] * self.broken_share
        regular = (b != mode) & (self.in_pair > 1) & (self.in_pair > expected / 2 + 2 * np.sqrt(expected))
        return np.where(votes, mode, -1), weight, votes & regular


def determines(determinant: Determinant, broken: float, groups: int) -> bool:
    """Does the key determine the value in all but a share of the rows, and not because one value is everywhere?"""
    value, tested = determinant.value, determinant.size >= 3
    rows, vary = float(determinant.size[tested].sum()), 1 - value.largest_share
    if tested.sum() < groups or rows < 30 or vary < 0.05 or rows < 0.3 * value.counts.sum():
        return False
    if tested.sum() < 10 and len(value.texts) <= 3:
        return False
    return determinant.broken_share <= min(broken, vary / 4)


@dataclass(frozen=True)
class Repair:
    """A cell, what it should hold (a code), which determinant says so, and the weight of all that do."""

    row: int
    after: int
    by: int
    weight: float


def repairs_of(value: Codes, determinants: Sequence[Determinant]) -> list[Repair]:
    """The cells of a column that the columns which determine it contradict."""
    votes = [repairs.votes() for repairs in determinants]
    modes = np.array([vote[0] for vote in votes])
    weight = np.array([vote[1] for vote in votes])
    regular = np.array([vote[2] for vote in votes])
    contradicted = ~(modes == value.codes).any(axis=0) & ~regular.any(axis=0) & (modes >= 0).any(axis=0)
    contradicted &= value.codes >= 0
    repairs = []
    for row in np.flatnonzero(contradicted).tolist():
        after, by, margin, n_votes = _winner(modes[:, row], weight[:, row])
        before = int(value.codes[row])
        if _is_misspelling(value, before, after, n_votes):
            margin += SPELLING_WEIGHT
        elif not _is_misplaced(value, before, n_votes, row, determinants):
            continue
        if margin >= LEAST_WEIGHT:
            repairs.append(Repair(row, after, by, margin))
    return repairs


def _winner(modes: Array, weight: Floats) -> tuple[int, int, float, int]:
    """The value with the largest sum of weights, the determinant that says it most surely, its lead, its votes."""
    candidates = np.unique(modes[modes >= 0])
    sums = np.array([weight[modes == code].sum() for code in candidates])
    best = int(np.argmax(sums))
    is_winner = modes == candidates[best]
    by = int(np.argmax(np.where(is_winner, weight, -1.0)))
    return int(candidates[best]), by, float(2 * sums[best] - sums.sum()), int(is_winner.sum())


def _is_misspelling(value: Codes, before: int, after: int, n_votes: int) -> bool:
    """Is a rare text one slip (two, in long texts) away? Texts with other digits need two votes."""
    a, b = value.texts[before].lower(), value.texts[after].lower()
    shorter = min(len(a), len(b))
    if value.counts[before] > 0.2 * value.counts[after] or shorter < 2:
        return False
    is_close = shorter >= 3 and _core.edit_distance(a, b, _DAMERAU, 3) <= (1 if shorter < 8 else 2)
    is_stray = shorter < 5 and value.counts[before] <= 2 and n_votes >= 2 and value.largest_share < REIGNING
    same_digits = [c for c in a if c.isdigit()] == [c for c in b if c.isdigit()]
    return is_stray or (is_close and (same_digits or n_votes >= 2))


def _is_misplaced(value: Codes, before: int, n_votes: int, row: int, determinants: Sequence[Determinant]) -> bool:
    """Is it a value that usually stands in other groups, so that it is another row's?"""
    if n_votes < 2 or value.counts[before] < 3 or value.largest_share > REIGNING:
        return False
    keys = [(int(determinant.key.codes[row]), int(determinant.home.usual[before])) for determinant in determinants]
    return all(usual_key != key for key, usual_key in keys if key >= 0)


# -------------------------------------------------------------------------------------------------------------- sources


@dataclass(frozen=True)
class Reported:
    """What several sources say of a fact: by item the value that is probably true, and by how much it leads.

    accuracy : by source, the share of its values that are taken for true
    """

    truth: Array
    lead: Floats
    accuracy: Floats


def resolve_sources(item: Codes, source: Codes, value: Codes) -> Reported:
    """The value of each item by a weighted vote of the sources, and the accuracy of the sources."""
    a, s, b, width = item.codes, source.codes, value.codes, len(value.texts)
    is_complete = (a >= 0) & (s >= 0) & (b >= 0)
    a, s, b = a[is_complete], s[is_complete], b[is_complete]
    pairs, inverse = np.unique(a.astype(np.int64) * width + b, return_inverse=True)
    items, values = pairs // width, pairs % width
    weight, accuracy = np.ones(len(source.texts)), np.zeros(len(source.texts))
    truth = np.full(len(item.texts), -1, dtype=np.int64)
    for _ in range(ROUNDS):
        score = np.bincount(inverse, weights=weight[s], minlength=len(pairs))
        order = np.lexsort((values, -score, items))
        is_first = np.append(True, items[order][1:] != items[order][:-1])[: len(order)]
        before = truth.copy()
        truth[items[order][is_first]] = values[order][is_first]
        if np.array_equal(before, truth):
            break
        n_correct = np.bincount(s, weights=b == truth[a], minlength=len(source.texts))
        accuracy = (n_correct + 1) / (np.bincount(s, minlength=len(source.texts)) + 2)
        weight = np.maximum(np.log(FALSE_VALUES * accuracy / (1 - accuracy)), 0)
    lead, second = np.zeros(len(item.texts)), np.zeros(len(item.texts))
    lead[items[order][is_first]] = score[order][is_first]
    np.maximum.at(second, items[order][~is_first], score[order][~is_first])
    return Reported(truth, lead - second, accuracy)


def agreement(group: Codes, value: Codes) -> tuple[float, float]:
    """How often two rows of one group have the same value, and how often any two rows do."""
    has_both = (group.codes >= 0) & (value.codes >= 0)
    width = len(value.texts)
    pairs, counts = np.unique(
        group.codes[has_both].astype(np.int64) * width + value.codes[has_both], return_counts=True
    )
    size = np.bincount(pairs // width, weights=counts)
    overall = np.bincount(value.codes[has_both]).astype(np.float64)
    return _share_of_pairs(counts, size), _share_of_pairs(overall, np.array([overall.sum()]))


def _share_of_pairs(counts: Array, sizes: Array) -> float:
    return float((counts * (counts - 1.0)).sum() / max((sizes * (sizes - 1.0)).sum(), 1.0))
