"""What classifiers share whose model is a set of rules: answers, which rules fired, coverage and accuracy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pellucid import _core
from pellucid.base.errors import DataError, format_message
from pellucid.base.types import Array, Flags, Floats
from pellucid.data.design import Design
from pellucid.estimator.roles import Classifier
from pellucid.models.linear import row_products
from pellucid.models.rules.matcher import Matcher
from pellucid.models.rules.rule_set import RuleSet
from pellucid.models.rules.words import expression_text, value_text

_MOST_WORDS = 1 << 23  # of bits held at once: 64 MB
_ROWS = 1 << 16  # whose rules are listed at once


@dataclass
class Measured:
    """What rules do on labeled rows: weights of rows by class, in the order of the rule set's classes.

    covered : rules x classes, rows for which a rule fires
    decided : (rules + 1) x classes, rows for which a rule decides; the last are those for which none fires
    conflicts : pairs of rules with different labels -> rows for which both fire
    n_conflicts : rows for which rules with different labels fire
    """

    covered: Floats
    decided: Floats
    conflicts: dict[tuple[int, int], int]
    n_conflicts: int = 0


def measure(matcher: Matcher, d: Design, codes: Array, threads: int, pairs: bool = True) -> Measured:
    """Counts over the rows of weight above zero; codes: the class of each row.

    pairs : find which rules are in conflict with which? Of thousands of learned rules millions are.
    """
    rules, n_classes = matcher.rules, len(matcher.rules.classes)
    found = Measured(np.zeros((len(rules), n_classes)), np.zeros((len(rules) + 1, n_classes)), {})
    step = max(1, _MOST_WORDS // max(len(rules), 1)) * 64 if pairs else _ROWS
    for begin in range(0, d.n_rows, step):
        part = slice(begin, min(begin + step, d.n_rows))
        weight = None if d.weight is None else np.ascontiguousarray(d.weight[part])
        X, labeled = _core.dense(d.numbers[part]), (codes[part], weight)
        if not pairs:
            _measure_listed(matcher, X, labeled, found, threads)
            continue
        clashing = _measure_part(matcher, X, labeled, found, threads)
        if len(clashing):
            for rule, other, rows in matcher.conflicts(clashing, threads).tolist():
                found.conflicts[rule, other] = found.conflicts.get((rule, other), 0) + rows
    return found


def _measure_part(
    matcher: Matcher, X: _core.Matrix, labeled: tuple[Array, Floats | None], found: Measured, threads: int
) -> Array:
    """Adds what is counted; the rows in conflict remain, as bits."""
    codes, weight = labeled
    n_classes = found.covered.shape[1]
    bits = matcher.bits(X, threads)
    if weight is not None:
        bits = bits & _as_words(weight > 0)
    found.covered += matcher.counts(bits, codes, n_classes, weight, threads)
    decider = matcher.deciding(X, threads)
    np.add.at(found.decided, (decider, codes), 1.0 if weight is None else weight)
    once = np.zeros(bits.shape[1], dtype=np.uint64)
    twice = np.zeros_like(once)
    for label in np.unique(matcher.labels):
        fired = np.bitwise_or.reduce(bits[matcher.labels == label], axis=0)
        twice |= once & fired
        once |= fired
    found.n_conflicts += int(np.bitwise_count(twice).sum())
    return bits & twice if twice.any() else bits[:0]


def _measure_listed(
    matcher: Matcher, X: _core.Matrix, labeled: tuple[Array, Floats | None], found: Measured, threads: int
) -> None:
    """The same by the rules that fire for each row: of many learned rules a row meets few."""
    (codes, weight), n_classes = labeled, found.covered.shape[1]
    starts, rules = matcher.fired_rules(X, threads)
    rows = np.repeat(np.arange(X.rows), np.diff(starts))
    by_row = None if weight is None else weight[rows]
    found.covered += _sums(rules, codes[rows], by_row, found.covered.shape)
    labels, policy = matcher.labels[rules], matcher.rules.policy
    votes = _sums(rows, labels, matcher.weights[rules] if policy == "vote" else None, (X.rows, n_classes))
    times = votes if policy != "vote" else _sums(rows, labels, None, (X.rows, n_classes))
    clash = (times > 0).sum(axis=1) > 1
    found.n_conflicts += int((clash if weight is None else clash & (weight > 0)).sum())
    if policy != "first":
        allowed = matcher.winners(votes)[rows, labels]
        rows, rules = rows[allowed], rules[allowed]
    decider = np.full(X.rows, -1)
    decider[rows[::-1]] = rules[::-1]  # the first rule of a row is written last
    found.decided += _sums(decider % len(found.decided), codes, weight, found.decided.shape)


def _sums(rows: Array, columns: Array, weight: Floats | None, shape: tuple[int, ...]) -> Floats:
    """A table with the weight (or number) of what falls into each cell."""
    places = rows * np.int64(shape[1]) + columns
    return np.bincount(places, weight, shape[0] * shape[1]).reshape(shape).astype(np.float64, copy=False)


def _as_words(flags: Flags) -> Array:
    padded = np.zeros(-(-len(flags) // 64) * 64, dtype=bool)
    padded[: len(flags)] = flags
    return np.packbits(padded, bitorder="little").view("<u8").astype(np.uint64)


class RuledClassifier(Classifier):
    """Predicts by `rules_`. A subclass writes `_fit`, which ends with `_take_rules`."""

    def _one_column(self, d: Design) -> Array:
        """Codes of the labels."""
        if not d.y_is_vector:
            raise DataError(
                format_message(d.who, "y must be one column of labels", actual=f"got {d.y.shape[1]} columns")
            )
        return d.y[:, 0].astype(np.int32)

    def _take_rules(self, rules: RuleSet, names: Sequence[str], categories: Mapping[int, Sequence[Any]]) -> Matcher:
        """The rules for tables with these columns; `rules.classes` must be `classes_`."""
        self.rules_: RuleSet = rules
        self._matcher_: Matcher = rules.matcher(names, categories, type(self).__name__)
        return self._matcher_

    def _keep_measured(self, measured: Measured) -> None:
        """Rules with their counts, and what is known of each."""
        told = zip(self.rules_.rules, measured.covered.tolist(), strict=True)
        rules = [rule.counted(tuple(row)) for rule, row in told]
        self.rules_ = replace(self.rules_, rules=tuple(rules), default_counts=tuple(measured.decided[-1]))
        self._matcher_ = replace(self._matcher_, rules=self.rules_)
        covered = measured.covered.sum(axis=1)
        right = measured.covered[np.arange(len(rules)), self._matcher_.labels]
        self.coverage_: Floats = covered / measured.decided.sum()
        self.accuracy_: Floats = np.divide(right, covered, out=np.full(len(rules), np.nan), where=covered > 0)
        self.decided_counts_: Floats = measured.decided
        self.n_conflicts_: int = measured.n_conflicts

    # ---------------------------------------------------------------------------------------------------------- answers

    @property
    def _default_code(self) -> int:
        return [(isinstance(c, bool), c) for c in self.rules_.classes].index(
            (isinstance(self.rules_.default, bool), self.rules_.default)
        )

    def _predict_codes(self, d: Design) -> Array:
        codes = self._matcher_.decide(d.matrix, self._threads)
        return np.where(codes < 0, self._default_code, codes)

    def _predict_proba(self, d: Design) -> Floats:
        if getattr(self, "probability", "share") == "share":  # a parameter of some
            return self._shares(d)
        found = np.zeros((d.n_rows, len(self.classes_)))
        if self.rules_.policy == "vote" and len(self.rules_):
            found = self._matcher_.votes(d.matrix, self._threads)
            whole = found.sum(axis=1, keepdims=True)
            np.divide(found, whole, out=found, where=whole > 0)
            silent = np.flatnonzero(whole[:, 0] <= 0)
        else:
            silent = np.arange(d.n_rows)
        found[silent, self._predict_codes(d)[silent]] = 1.0
        return found

    def _shares(self, d: Design) -> Floats:
        """Classes of the rows of fit behind each answer."""
        labels = [*self._matcher_.labels.tolist(), self._default_code]
        known = self.decided_counts_ if self.rules_.policy == "first" else self._covered_and_rest()
        whole = known.sum(axis=1, keepdims=True)
        shares = np.divide(known, whole, out=np.eye(len(self.classes_))[labels], where=whole > 0)
        if self.rules_.policy != "vote" or not len(self.rules_):
            return np.asarray(shares[self._matcher_.deciding(d.matrix, self._threads)])
        step = max(1, _MOST_WORDS // len(self.rules_))
        parts = [self._mixed(d.numbers[begin : begin + step], shares) for begin in range(0, d.n_rows, step)]
        return np.vstack(parts)

    def _mixed(self, numbers: Array, shares: Floats) -> Floats:
        """Shares of the rules that fire for some rows, averaged by their weights."""
        weight = np.array([rule.weight for rule in self.rules_.rules])
        fired = self._matcher_.fired(_core.dense(numbers), self._threads) * weight
        votes = fired.sum(axis=1, keepdims=True)
        none = np.tile(shares[-1], (len(numbers), 1))
        return np.asarray(np.divide(row_products(fired, shares[:-1].T), votes, out=none, where=votes > 0))

    def _covered_and_rest(self) -> Floats:
        counts = [rule.counts for rule in self.rules_.rules]
        return (
            np.vstack([np.array(counts).reshape(len(counts), -1), self.decided_counts_[-1:]])
            if counts
            else (self.decided_counts_)
        )

    # -------------------------------------------------------------------------------------------------------- questions

    def apply(self, X: Any) -> Array:
        """The number of the rule that decides for each row, counted from 0; -1 where no rule fires: the default."""
        return self._matcher_of(X).deciding(self._validate_predict(X).matrix, self._threads)

    def fired(self, X: Any) -> Flags:
        """Rows x rules: does the rule fire for the row?"""
        return self._matcher_of(X).fired(self._validate_predict(X).matrix, self._threads)

    def _matcher_of(self, X: Any) -> Matcher:
        self._check_fitted()
        return self._matcher_

    def _matcher_categories(self) -> Mapping[int, Sequence[Any]]:
        """The categories of the columns that hold some, in the order of their codes."""
        return self.schema_.categories

    def rule_table(self) -> dict[str, list[Any]]:
        """What is known of each rule, as columns: `pandas.DataFrame(model.rule_table())` is a table of it.

        rule, when, then : its number from 1 on, its condition and its label
        covered, coverage : rows of `fit` (or their weight) for which it fires, and their share of all
        right, accuracy : those of them that have its label, and their share of the covered ones
        decided : rows for which it decides
        """
        self._check_fitted()
        rules = self.rules_.rules
        labels = self._matcher_.labels
        return {
            "rule": [rule.name or k + 1 for k, rule in enumerate(rules)],
            "when": [expression_text(rule.when, self.rules_.digits) for rule in rules],
            "then": [value_text(rule.then) for rule in rules],
            "covered": [sum(rule.counts) for rule in rules],
            "coverage": self.coverage_.tolist(),
            "right": [rule.counts[label] for rule, label in zip(rules, labels, strict=True)],
            "accuracy": self.accuracy_.tolist(),
            "decided": self.decided_counts_[:-1].sum(axis=1).tolist(),
        }
