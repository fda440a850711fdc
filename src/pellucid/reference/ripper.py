"""RIPPER as Cohen (1995) writes it: rules grown by FOIL's gain, pruned on other rows, weighed by description length.

Classes have their turn in a given order; the last one is what no rule covers. Rows carry weights; a part of the rows is
an array of weights with zeros elsewhere. A test is (column, sign, value); a missing value (NaN) meets none.

Two gains within a share of 1e-10 count as equal, and the first column, the smallest value, <= before >= wins; of
equally good beginnings of a rule the shortest; lengths within a millionth of a bit are the same length.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from math import floor, log2
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Test = tuple[int, Literal["<=", ">=", "="], float]

SAME_GAIN, SAME_VALUE, SAME_LENGTH, SURPLUS = 1e-10, 1e-12, 1e-6, 64.0


@dataclass(frozen=True)
class Options:
    """How rules are sought; one part in `folds` of the rows is for pruning."""

    folds: int = 3
    optimizations: int = 2
    min_weight: float = 2.0
    prune: bool = True
    prune_value: Literal["laplace", "cohen"] = "laplace"
    check_error: bool = True
    max_rules: int = 10**9
    max_conditions: int = 10**9


@dataclass(frozen=True)
class LearnedRule:
    """A rule with the weight of each class among the rows that it is the first to cover."""

    tests: tuple[Test, ...]
    label: int
    counts: Array


# ------------------------------------------------------------------------------------------------------ lengths in bits


def subset_bits(t: float, k: float, p: float) -> float:
    """Which k of t are marked, when a share p is expected."""
    p = min(max(p, 1e-9), 1 - 1e-9)
    return (-k * log2(p) if k > 0 else 0.0) + (-(t - k) * log2(1 - p) if t > k else 0.0)


def theory_bits(k: int, possible: float) -> float:
    """A rule of k conditions out of so many possible ones; half, since conditions are redundant."""
    if k == 0:
        return 0.0
    number = log2(k) + (2 * log2(log2(k)) if k > 1 else 0.0)
    return 0.5 * (number + subset_bits(possible, k, k / possible))


def data_bits(covered: float, uncovered: float, fp: float, fn: float, expected: float) -> float:
    """Which covered rows are not of the class, and which others are; `expected`: the class's share of the rows."""
    bits = log2(covered + uncovered + 1)
    if covered > uncovered:
        bits += subset_bits(covered, fp, expected * (fp + fn) / covered)
        return bits + (subset_bits(uncovered, fn, fn / uncovered) if uncovered > 0 else 0.0)
    bits += subset_bits(covered, fp, fp / covered) if covered > 0 else 0.0
    return bits + (subset_bits(uncovered, fn, (1 - expected) * (fp + fn) / uncovered) if uncovered > 0 else 0.0)


# ------------------------------------------------------------------------------------------------------------- one rule


def meets(X: Array, test: Test) -> Flags:
    """Which rows meet a test."""
    column, sign, value = test
    x = X[:, column]
    return np.asarray(x <= value if sign == "<=" else x >= value if sign == ">=" else x == value)


def covers(X: Array, tests: Sequence[Test]) -> Flags:
    """Which rows meet all tests of a rule."""
    return np.asarray(np.logical_and.reduce([np.ones(len(X), dtype=bool), *(meets(X, test) for test in tests)]))


def foil_gain(p: float, n: float, P: float, N: float) -> float:
    """p (log2(p / (p + n)) - log2(P / (P + N))): bits saved on the p rows of the class that stay covered."""
    return p * (log2(p / (p + n)) - log2(P / (P + N))) if p > 0 else 0.0


def candidates(x: Array, column: int, is_category: bool) -> list[Test]:
    """The tests of one column, from the smallest value on."""
    values = np.unique(x[~np.isnan(x)]).tolist()
    return [(column, sign, v) for v in values for sign in (("=",) if is_category else ("<=", ">="))]  # type: ignore[misc]


def best_condition(
    X: Array, positive: Flags, w: Array, is_category: Flags, used: set[int]
) -> tuple[Test | None, float, float]:
    """The test with the largest gain, its gain, and the weight of the class that it leaves; None without a gain."""
    P, N = float(w[positive].sum()), float(w[~positive].sum())
    best: tuple[Test | None, float, float] = (None, 0.0, 0.0)
    for column in range(X.shape[1]):
        column_best: tuple[Test | None, float, float] = (None, SAME_GAIN * P, 0.0)
        tests = [] if column in used else candidates(X[w > 0, column], column, bool(is_category[column]))
        for test in tests:
            covered_weight = np.where(meets(X, test), w, 0.0)
            p, n = float(covered_weight[positive].sum()), float(covered_weight[~positive].sum())
            gain = foil_gain(p, n, P, N)
            if gain > column_best[1] * (1 + SAME_GAIN):
                column_best = (test, gain, p)
        if column_best[0] is not None and (best[0] is None or column_best[1] > best[1] * (1 + SAME_GAIN)):
            best = column_best
    return best


def grow(
    X: Array, positive: Flags, w: Array, is_category: Flags, tests: Sequence[Test], options: Options
) -> list[Test]:
    """Adds the best condition until no row of another class is covered, or none has a gain."""
    rule = list(tests)
    w = np.where(covers(X, rule), w, 0.0)
    while w[~positive].any() and len(rule) < options.max_conditions:
        used = {column for column, sign, _ in rule if sign == "="}
        best, _, p = best_condition(X, positive, w, is_category, used)
        if best is None or p < options.min_weight:
            break
        rule.append(best)
        w = np.where(meets(X, best), w, 0.0)
    return rule


def prune(X: Array, positive: Flags, w: Array, tests: Sequence[Test], value: str) -> list[Test]:
    """Keeps the beginning of the rule that is worth most on the pruning rows."""
    if not w.any():
        return list(tests)
    P, N = float(w[positive].sum()), float(w[~positive].sum())
    best, best_length = -np.inf, 0
    for k in range(len(tests) + 1):
        inside = np.where(covers(X, tests[:k]), w, 0.0)
        p, n = float(inside[positive].sum()), float(inside[~positive].sum())
        if value == "accuracy":
            score = (p + N - n) / (P + N)
        elif value == "laplace":
            score = (p + 1) / (p + n + 2)
        else:
            score = (p - n) / (p + n) if p + n > 0 else 0.0
        if score > best + SAME_VALUE:
            best, best_length = score, k
    return list(tests[:best_length])


# ------------------------------------------------------------------------------------------------------------ one class


@dataclass
class OneClass:
    """The rules of one class on the rows that are left for it (those of weight above zero)."""

    X: Array
    is_category: Flags
    place: NDArray[np.int64]
    label: int
    w: Array
    expected: float
    options: Options
    draw: Callable[[], Array]  # a number for each row: those with the smallest ones are for pruning
    room: int
    rules: list[list[Test]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.positive = self.place == self.label
        sizes = [len(np.unique(x[~np.isnan(x)])) for x in self.X.T]
        self.possible = float(sum(s if c else 2 * s for s, c in zip(sizes, self.is_category, strict=True)))

    def learn(self) -> list[list[Test]]:
        """IREP*, then rounds of optimization."""
        self.build(self.w > 0)
        if not self.options.prune:
            return self.rules
        self.clean()
        for _ in range(self.options.optimizations):
            self.build(self.optimize())
            self.clean()
        return self.rules

    def split(self, remaining: Flags) -> tuple[Array, Array]:
        """Weights for growing and for pruning: of each class one part in `folds`, remainders go to the next class."""
        w, pruning_weight, keys, weight_sum = np.where(remaining, self.w, 0.0), np.zeros(len(self.w)), self.draw(), 0.0
        if not self.options.prune:
            return w, pruning_weight
        labels = [self.label, *(c for c in np.unique(self.place).tolist() if c != self.label)]
        for label in labels:
            rows = np.flatnonzero((w > 0) & (self.place == label))
            weight, folds = float(w[rows].sum()), self.options.folds
            quota = float(floor((weight_sum + weight) / folds) - floor(weight_sum / folds))
            weight_sum += weight
            pruning_weight[rows] = np.floor(w[rows] / folds)  # of equal rows, too, one in `folds`
            quota -= float(pruning_weight[rows].sum())
            for row in rows[np.argsort(keys[rows])]:
                more = min(max(quota, 0.0), 1.0, w[row] - folds * pruning_weight[row])
                pruning_weight[row], quota = pruning_weight[row] + more, quota - more
        return w - pruning_weight, pruning_weight

    def new_rule(self, remaining: Flags) -> list[Test]:
        growing, pruning = self.split(remaining)
        rule = grow(self.X, self.positive, growing, self.is_category, [], self.options)
        return prune(self.X, self.positive, pruning, rule, self.options.prune_value)

    def build(self, remaining: Flags) -> None:
        """Adds rules while the description is at most 64 bits longer than the shortest so far."""
        shortest = self.length(self.rules)
        while (remaining & self.positive).any() and len(self.rules) < self.room:
            rule = self.new_rule(remaining)
            new = covers(self.X, rule) & remaining
            p, n = float(self.w[new & self.positive].sum()), float(self.w[new & ~self.positive].sum())
            length = self.length([*self.rules, rule])
            shortest = min(shortest, length)
            if length > shortest + SURPLUS or p <= 0 or (self.options.check_error and n >= p):
                return
            self.rules.append(rule)
            remaining = remaining & ~new

    def optimize(self) -> Flags:
        """Keeps, replaces or revises each rule; returns the rows that are left."""
        remaining = self.w > 0
        for i in range(len(self.rules)):
            if not (remaining & self.positive).any():
                break
            old = self.rules[i]
            if not (covers(self.X, old) & remaining).any():
                continue
            growing, pruning = self.split(remaining)
            for later in self.rules[i + 1 :]:
                pruning = np.where(covers(self.X, later), 0.0, pruning)
            grown = [grow(self.X, self.positive, growing, self.is_category, start, self.options) for start in ([], old)]
            replacement, revision = (prune(self.X, self.positive, pruning, rule, "accuracy") for rule in grown)
            old_length, replacement_length, revision_length = (
                self.simplified_length(i, rule) for rule in (old, replacement, revision)
            )
            if not (old_length - SAME_LENGTH <= replacement_length and old_length - SAME_LENGTH <= revision_length):
                self.rules[i] = revision if revision_length - SAME_LENGTH <= replacement_length else replacement
            remaining = remaining & ~covers(self.X, self.rules[i])
        return remaining

    # ---------------------------------------------------------------------------------------------------------- lengths

    def length(self, rules: Sequence[Sequence[Test]]) -> float:
        """Bits for the rules and for the rows on which they err."""
        inside = np.logical_or.reduce([np.zeros(len(self.X), dtype=bool), *(covers(self.X, r) for r in rules)])
        covered, fp = float(self.w[inside].sum()), float(self.w[inside & ~self.positive].sum())
        uncovered, fn = float(self.w[~inside].sum()), float(self.w[~inside & self.positive].sum())
        theory = sum(theory_bits(len(rule), self.possible) for rule in rules)
        return data_bits(covered, uncovered, fp, fn, self.expected) + theory

    def simplified_length(self, i: int, rule: list[Test]) -> float:
        """The length with this rule at place i, later rules that do not pay left out, the last first."""
        rules = [*self.rules[:i], rule, *self.rules[i + 1 :]]
        for k in range(len(rules) - 1, i, -1):
            fewer = rules[:k] + rules[k + 1 :]
            if self.length(fewer) <= self.length(rules) + SAME_LENGTH:
                rules = fewer
        return self.length(rules)

    def clean(self) -> None:
        """Deletes rules, the last first, that do not pay or are wrong as often as right, until all that are left do."""
        again = True
        while again:
            again, remaining, wrong = False, self.w > 0, []
            for rule in self.rules:
                new = covers(self.X, rule) & remaining
                wrong.append(self.w[new & ~self.positive].sum() >= self.w[new & self.positive].sum())
                remaining = remaining & ~new
            for k in range(len(self.rules) - 1, -1, -1):
                fewer = self.rules[:k] + self.rules[k + 1 :]
                longer = self.length(fewer) > self.length(self.rules) + SAME_LENGTH
                if not longer or (self.options.check_error and wrong[k]):
                    self.rules, again = fewer, True


# ---------------------------------------------------------------------------------------------------------- all classes


def without_idle(tests: Sequence[Test]) -> tuple[Test, ...]:
    """Of several tests of a column with one sign the last, which is the narrowest."""
    last_index = {(column, sign): k for k, (column, sign, _) in enumerate(tests)}
    return tuple(tests[k] for k in sorted(last_index.values()))


def weights_of(place: NDArray[np.int64], w: Array, n: int) -> Array:
    """The sum of the weights at each place."""
    return np.bincount(place, weights=w, minlength=n).astype(np.float64)


def ripper(
    X: Array,
    place: NDArray[np.int64],
    keys: Callable[[int], Array],
    is_category: Flags | None = None,
    weight: Array | None = None,
    options: Options | None = None,
) -> tuple[list[LearnedRule], Array]:
    """The rules of all classes but the last, and the weight of each class among the rows that none covers.

    Parameters
    ----------
    X : n x p numbers, NaN for missing ones; categories as codes
    place : the class of each row by its place in the order of the classes
    keys : number of a split -> a number for each row, by which the split draws the rows for pruning
    is_category : one flag a column
    weight : of the rows
    """
    X, options = np.asarray(X, dtype=np.float64), options or Options()
    flags = np.zeros(X.shape[1], dtype=bool) if is_category is None else np.asarray(is_category, dtype=bool)
    w = np.ones(len(X)) if weight is None else np.asarray(weight, dtype=np.float64)
    weighted_rows = np.flatnonzero(w > 0)
    X, place, w = X[weighted_rows], np.asarray(place)[weighted_rows], w[weighted_rows]
    cells = np.column_stack([place, np.where(np.isnan(X), -np.inf, X)])
    _, first, which = np.unique(cells, axis=0, return_index=True, return_inverse=True)
    X, place, w, rows = (
        X[first],
        place[first],
        weights_of(which.ravel(), w, len(first)),
        weighted_rows[first],
    )  # equal rows added
    classes, splits = int(place.max()) + 1, count()
    totals = weights_of(place, w, classes)
    remaining, learned_rules = np.ones(len(X), dtype=bool), list[LearnedRule]()
    for label in range(classes - 1):
        positive = remaining & (place == label)
        if not positive.any() or (positive == remaining).all():
            continue
        expected = float(totals[label] / totals[label:].sum())
        max_class_rules = options.max_rules - len(learned_rules)
        learner = OneClass(X, flags, place, label, np.where(remaining, w, 0.0), expected, options,
                           lambda: keys(next(splits))[rows], max_class_rules)  # fmt: skip
        for rule in learner.learn():
            new = covers(X, rule) & remaining
            learned_rules.append(LearnedRule(without_idle(rule), label, weights_of(place[new], w[new], classes)))
            remaining = remaining & ~new
    return learned_rules, weights_of(place[remaining], w[remaining], classes)
