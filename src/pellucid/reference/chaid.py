"""CHAID as its inventors write it: a tree of many-way splits, each chosen by a test of significance.

Kass (1980); exhaustive CHAID by Biggs, de Ville and Suen (1991). Columns hold categories 0, 1, ...; -1 is a missing
value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Groups = list[list[int]]
Pair = tuple[list[int], list[int]]


@dataclass(frozen=True)
class Tested:
    """A statistic, its degrees of freedom (two for F), and the chance of one as large if nothing differed.

    The chance is kept as its logarithm: that of two thousand rows of a clear case is smaller than the smallest float,
    and such cases are compared with each other.
    """

    statistic: float
    df: tuple[float, ...]
    log_p: float

    @property
    def p(self) -> float:
        """The chance itself."""
        return math.exp(self.log_p)


# --------------------------------------------------------------------------------------------------------------- tails


def log_chi_squared_tail(x: float, df: int) -> float:
    """ln P(chi² >= x).

    With h = x / 2: the sum of ``h^s e^-h / Gamma(s + 1)`` over s = df/2 - 1, df/2 - 2, ... down to 0 or 1/2, and for an
    odd df the two tails of the normal distribution, ``erfc(sqrt(h))``.
    """
    if x <= 0 or df == 0:
        return 0.0
    if math.isinf(x):
        return -math.inf
    h = x / 2
    powers = [df / 2 - 1 - k for k in range(df // 2)]
    logs = [s * math.log(h) - h - math.lgamma(s + 1) for s in powers]
    return min(_log_of_sum(logs + [_log_erfc(math.sqrt(h))] * (df % 2)), 0.0)


def log_f_tail(f: float, df1: float, df2: float) -> float:
    """ln P(F >= f), P = I_z(df2/2, df1/2), z = df2 / (df2 + df1 f): the incomplete beta function."""
    if f <= 0 or df1 <= 0 or df2 <= 0:
        return 0.0
    ratio, a, b = df1 / df2 * f, df2 / 2, df1 / 2
    if math.isinf(ratio):
        return -math.inf
    z, rest = 1 / (1 + ratio), ratio / (1 + ratio)
    if z < (a + 1) / (a + b + 2):
        return _log_beta_below(z, rest, a, b)
    return math.log1p(-math.exp(_log_beta_below(rest, z, b, a)))


def _log_of_sum(logs: Sequence[float]) -> float:
    """ln(e^a + e^b + ...) for numbers that may be far below the smallest float."""
    max_log = max(logs)
    return max_log + math.log(math.fsum(math.exp(log_value - max_log) for log_value in logs))


def _log_erfc(z: float) -> float:
    """ln erfc(z): of large z ``erfc(z) = e^(-z²) / (sqrt(pi) (z + (1/2) / (z + (2/2) / (z + (3/2) / ...))))``."""
    if z < 5:
        return math.log(math.erfc(z))
    fraction = z
    for k in range(60, 0, -1):  # from the inside to the outside
        fraction = z + k / 2 / fraction
    return -z * z - math.log(math.sqrt(math.pi) * fraction)


def _log_beta_below(x: float, rest: float, a: float, b: float) -> float:
    """ln I_x(a, b) for an x below its middle, 1 - x = rest: a continued fraction from the inside to the outside."""
    front = a * math.log(x) + b * math.log(rest) + math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) - math.log(a)
    fraction = 1.0
    for m in range(40 + 4 * math.isqrt(int(a + b)), 0, -1):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        fraction = 1 + even / (1 + odd / fraction)
    return front - math.log(1 - (a + b) * x / (a + 1) / fraction)


# --------------------------------------------------------------------------------------------------------------- tests


def expected_counts(table: ArrayLike) -> Array:
    """E = row total x column total / n."""
    observed = np.asarray(table, dtype=float)
    return np.asarray(np.outer(observed.sum(axis=1), observed.sum(axis=0)) / observed.sum())


def chi_squared_terms(table: ArrayLike) -> Array:
    """(O - E)² / E of every cell."""
    observed, expected = np.asarray(table, dtype=float), expected_counts(table)
    return np.asarray((observed - expected) ** 2 / expected)


def chi_squared(table: ArrayLike, likelihood_ratio: bool = False) -> Tested:
    """Groups in rows, classes in columns: is the share of the classes the same in all groups?

    Pearson's ``sum (O - E)² / E``, or ``2 sum O ln(O / E)``, with (r - 1)(c - 1) degrees of freedom; classes that no
    group has do not count.
    """
    observed = np.asarray(table, dtype=float)
    observed = observed[:, observed.sum(axis=0) > 0]
    df = (observed.shape[0] - 1) * (observed.shape[1] - 1)
    if df <= 0:
        return Tested(0.0, (0,), 0.0)
    expected = expected_counts(observed)
    if likelihood_ratio:
        there = observed > 0
        statistic = float(2 * (observed[there] * np.log(observed[there] / expected[there])).sum())
    else:
        statistic = float(chi_squared_terms(observed).sum())
    return Tested(statistic, (df,), log_chi_squared_tail(statistic, df))


def f_test(values: Sequence[Array], weights: Sequence[Array]) -> Tested:
    """Is the mean the same in all groups? Squares between them against squares within them."""
    n, r = sum(float(w.sum()) for w in weights), len(values)
    means = [float(y[0] + np.average(y - y[0], weights=w)) for y, w in zip(values, weights, strict=True)]
    mean = means[0] + sum((m - means[0]) * w.sum() for m, w in zip(means, weights, strict=True)) / n
    between = sum(float(w.sum()) * (m - mean) ** 2 for m, w in zip(means, weights, strict=True))
    within = sum(float(w @ (y - m) ** 2) for y, w, m in zip(values, weights, means, strict=True))
    if r < 2 or n <= r or between <= 0:
        return Tested(0.0, (r - 1, n - r), 0.0)
    statistic = between / (r - 1) / (within / (n - r)) if within > 0 else math.inf
    return Tested(statistic, (r - 1, n - r), log_f_tail(statistic, r - 1, n - r))


# ------------------------------------------------------------------------------------------------------------- merging


def ways_to_merge(c: int, r: int, ordinal: bool = False, floating: bool = False, exhaustive: bool = False) -> int:
    """Bonferroni's multiplier: in how many ways c categories become r groups.

    ordinal   ``(c - 1 over r - 1)``
    nominal   ``sum_i (-1)^i (r - i)^c / (i! (r - i)!)``
    floating  ``(c - 2 over r - 2) + r (c - 2 over r - 1)``: ordinal, but for one category that may go anywhere

    Exhaustive CHAID counts the pairs that it looks at on its way from c groups down to two (Biggs, de Ville and Suen):

    ordinal   ``sum_i (i - 1) = c (c - 1) / 2``
    nominal   ``sum_i i (i - 1) / 2 = c (c² - 1) / 6``
    floating  ``sum_i (i - 2) + (i - 1) = (c - 1)²``: neighbors, and the floating category with all others, which may
              stay alone to the end

    SPSS has three times as many for nominal columns. Its floating category waits until the others are merged:
    ``(c - 1)(c - 2) / 2 + (c - 1) = c (c - 1) / 2`` pairs.
    """
    if exhaustive:
        pairs = [(2 * i - 3 if floating else i - 1) if ordinal else i * (i - 1) // 2 for i in range(2, c + 1)]
        return sum(pairs)
    if not ordinal:
        signed = ((-1 if i % 2 else 1) * math.comb(r, i) * pow(r - i, c) for i in range(r))
        return int(sum(signed)) // math.factorial(r)
    if floating:
        return (math.comb(c - 2, r - 2) if r >= 2 else 0) + r * math.comb(c - 2, r - 1)
    return math.comb(c - 1, r - 1)


@dataclass(frozen=True)
class Step:
    """A pair of groups that was looked at as the most alike, and whether it became one; or one that was parted."""

    pair: tuple[tuple[int, ...], tuple[int, ...]]
    tested: Tested
    done: str  # "merged", "kept apart", "parted again", "too small"


@dataclass
class Grouping:
    """What becomes of the categories of one column."""

    groups: Groups
    tested: Tested
    multiplier: int
    steps: list[Step] = field(default_factory=list)

    @property
    def log_adjusted(self) -> float:
        """The logarithm of the p value times the ways to merge."""
        return min(0.0, self.tested.log_p + math.log(self.multiplier))

    @property
    def adjusted(self) -> float:
        """The p value times the ways to merge."""
        return math.exp(self.log_adjusted)


@dataclass(frozen=True)
class Rule:
    """When to merge, to part, to split."""

    alpha_merge: float = 0.05
    alpha_split: float = 0.05
    alpha_split_merged: float | None = None
    merge: bool = True
    exhaustive: bool = False
    bonferroni: bool = True
    likelihood_ratio: bool = False
    by_statistic: bool = False
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    max_depth: int | None = None


def _key(x: float) -> float:
    """Logarithms of p, and statistics, that differ in their last digits alone are equal."""
    return x if math.isinf(x) else float(round(x * 2**30))


def _level(alpha: float) -> float:
    """What the key of a p value is compared with."""
    return _key(math.log(alpha) if alpha > 0 else -math.inf)


def merge(
    categories: Sequence[int],
    test: Callable[[Groups], Tested],
    n_rows: Callable[[list[int]], int],
    ordinal: bool,
    floating: int | None,
    rule: Rule,
) -> Grouping:
    """Merges categories that do not differ until only groups are left that do."""
    groups: Groups = [[c] for c in categories]
    steps: list[Step] = []
    found: list[tuple[float, Groups]] = [(_key(test(groups).log_p), groups)]
    resplits = 0
    while rule.merge and len(groups) > 2:
        a, b = _most_alike(_pairs(groups, ordinal, floating), test)
        tested = test([a, b])
        if not rule.exhaustive and not _key(tested.log_p) > _level(rule.alpha_merge):
            steps.append(_step(a, b, tested, "kept apart"))
            break
        steps.append(_step(a, b, tested, "merged"))
        groups = _united(groups, a, b)
        found.append((_key(test(groups).log_p), groups))
        new = sorted(a + b)
        if not rule.exhaustive and rule.alpha_split_merged is not None and len(new) > 2 and resplits < len(categories):
            halves = min(_halves(new, ordinal, floating), key=lambda two: _key(test(list(two)).log_p))
            if _key(test(list(halves)).log_p) <= _level(rule.alpha_split_merged):
                steps.append(_step(*halves, test(list(halves)), "parted again"))
                groups = sorted([g for g in groups if g != new] + [sorted(half) for half in halves])
                resplits += 1
    if rule.exhaustive and rule.merge:
        groups = min(found, key=lambda one: one[0])[1]
    while rule.merge and len(groups) > 1 and min(map(n_rows, groups)) < rule.min_samples_leaf:
        small = min(groups, key=lambda g: (n_rows(g), g[0]))
        pairs = [pair for pair in _pairs(groups, ordinal, floating) if small in pair]
        a, b = _most_alike(pairs, test)
        steps.append(_step(a, b, test([a, b]), "too small"))
        groups = _united(groups, a, b)
    n_ways = ways_to_merge(len(categories), len(groups), ordinal, ordinal and floating is not None, rule.exhaustive)
    return Grouping(groups, test(groups), n_ways if rule.bonferroni and rule.merge else 1, steps)


def _step(a: list[int], b: list[int], tested: Tested, done: str) -> Step:
    return Step((tuple(a), tuple(b)), tested, done)


def _united(groups: Groups, a: list[int], b: list[int]) -> Groups:
    return sorted([g for g in groups if g not in (a, b)] + [sorted(a + b)])


def _pairs(groups: Groups, ordinal: bool, floating: int | None) -> list[Pair]:
    """Those that may be merged: any two, or neighbors; a floating category with any."""
    if not ordinal:
        return list(combinations(groups, 2))
    loose = [floating] if floating is not None else []
    chain = sorted((g for g in groups if g != loose), key=lambda g: min(c for c in g if c != floating))
    pairs = list(pairwise(chain))
    return pairs + ([(g, loose) for g in chain] if loose in groups else [])


def _most_alike(pairs: list[Pair], test: Callable[[Groups], Tested]) -> Pair:
    ordered = sorted(pairs, key=lambda pair: sorted(g[0] for g in pair))
    a, b = max(ordered, key=lambda pair: _key(test(list(pair)).log_p))  # the first of equals
    return (a, b) if a[0] < b[0] else (b, a)


def _halves(members: list[int], ordinal: bool, floating: int | None) -> list[Pair]:
    """All ways to part a group in two."""
    if not ordinal:
        last, remaining = members[-1], members[:-1]
        sets = [list(s) for k in range(1, len(members)) for s in combinations(remaining, k)]
        return [(s, [m for m in remaining if m not in s] + [last]) for s in sets]
    chain = [m for m in members if m != floating]
    cuts = [(chain[:i], chain[i:]) for i in range(1, len(chain))]
    if len(chain) == len(members) or floating is None:
        return cuts
    return [([*a, floating], b) for a, b in cuts] + [(a, [*b, floating]) for a, b in cuts] + [(chain, [floating])]


# -------------------------------------------------------------------------------------------------------------- growing


@dataclass
class Node:
    """A node: what it answers, the best column, and the children if that was good enough."""

    rows: list[int]
    value: Array  # weight of each class, or the mean
    column: int | None = None
    grouping: Grouping | None = None
    children: list[Node] = field(default_factory=list)


def look(
    codes: ArrayLike,
    y: ArrayLike,
    ordinal: bool = False,
    classes: int = 0,
    weight: ArrayLike | None = None,
    rule: Rule | None = None,
) -> Grouping | None:
    """One column of one node: its categories merged and tested; None where it has one category only.

    y holds labels 0, 1, ... with `classes` of them, or numbers.
    """
    rule = rule or Rule()
    column, target = np.asarray(codes, dtype=int), np.asarray(y)
    s = np.ones(len(column)) if weight is None else np.asarray(weight, dtype=float)
    present = sorted(set(column.tolist()) - {-1})
    missing = int(column.max()) + 1 if -1 in column else None
    column = np.where(column == -1, -1 if missing is None else missing, column)
    if missing is not None:
        present.append(missing)
    if len(present) < 2:
        return None
    inside = {c: column == c for c in present}

    def test(groups: Groups) -> Tested:
        masks = [np.logical_or.reduce([inside[c] for c in group]) for group in groups]
        if not classes:
            return f_test([target[mask].astype(float) for mask in masks], [s[mask] for mask in masks])
        table = [np.bincount(target[mask], weights=s[mask], minlength=classes) for mask in masks]
        return chi_squared(table, rule.likelihood_ratio)

    def n_rows(group: list[int]) -> int:
        return int(sum(inside[c].sum() for c in group))

    return merge(present, test, n_rows, ordinal, missing, rule)


def grow(
    columns: Sequence[ArrayLike],
    y: ArrayLike,
    ordinal: Sequence[bool],
    classes: int = 0,
    weight: ArrayLike | None = None,
    rule: Rule | None = None,
) -> Node:
    """The whole tree, from columns of categories."""
    rule = rule or Rule()
    X = np.column_stack([np.asarray(column, dtype=int) for column in columns])
    target = np.asarray(y)
    s = np.ones(len(X)) if weight is None else np.asarray(weight, dtype=float)

    def node_of(rows: NDArray[np.int64], depth: int) -> Node:
        here, w = target[rows], s[rows]
        value = np.bincount(here, weights=w, minlength=classes) if classes else [np.average(here, weights=w)]
        node = Node(rows.tolist(), np.array(value, dtype=float))
        full = rule.max_depth is not None and depth >= rule.max_depth
        if len(set(here.tolist())) < 2 or len(rows) < rule.min_samples_split or full:
            return node
        best = math.inf
        for j in range(X.shape[1]):
            grouping = look(X[rows, j], here, ordinal[j], classes, w, rule)
            if grouping is None or len(grouping.groups) < 2:
                continue
            codes = X[rows, j]
            masks = [np.isin(_with_missing(codes), group) for group in grouping.groups]
            if min(mask.sum() for mask in masks) < rule.min_samples_leaf:
                continue
            key = _key(-grouping.tested.statistic if rule.by_statistic else grouping.log_adjusted)
            if key < best:
                best, node.column, node.grouping = key, j, grouping
        if (
            node.grouping is not None
            and node.column is not None
            and _key(node.grouping.log_adjusted) <= _level(rule.alpha_split)
        ):
            codes = _with_missing(X[rows, node.column])
            node.children = [node_of(rows[np.isin(codes, group)], depth + 1) for group in node.grouping.groups]
        return node

    return node_of(np.flatnonzero(s > 0).astype(np.int64), 0)


def _with_missing(codes: Array) -> Array:
    """The missing category as `look` numbers it: one more than the largest of the node."""
    return np.where(codes == -1, codes.max() + 1, codes)


def interval_edges(x: ArrayLike, most: int, weight: ArrayLike | None = None) -> Array:
    """Cuts of a column of numbers into at most so many intervals of about equal weight.

    Halfway between two neighboring values: all of them if there are few values, else after the value at which the
    weight so far reaches 1, 2, ... of `most` equal parts.
    """
    values, s = np.asarray(x, dtype=float), np.ones(len(np.asarray(x))) if weight is None else np.asarray(weight, float)
    there = ~np.isnan(values) & (s > 0)
    distinct = np.unique(values[there])
    halfway = distinct[:-1] / 2 + distinct[1:] / 2
    if len(distinct) <= most:
        return np.asarray(halfway)
    so_far = np.array([s[there & (values <= v)].sum() for v in distinct])
    positions = {int(np.argmax(so_far >= fraction * so_far[-1] / most)) for fraction in range(1, most)}
    return np.array([halfway[i] for i in sorted(positions) if i < len(halfway)])
