"""Rules: tests of single columns joined by AND and OR, and what happens where none or several of them fire."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pellucid.base.types import Floats
from pellucid.export._builder import Answer, Builder, labels_of, largest
from pellucid.export._form import (
    All,
    Among,
    AnyOf,
    Call,
    Cell,
    Choose,
    Compare,
    Expression,
    Missing,
    Name,
    Number,
    Quotient,
    Test,
    table_of,
)
from pellucid.export._writers import write_model
from pellucid.models.rules.matcher import ALWAYS, AND, NEVER, OR, Matcher
from pellucid.rules._ruled import RuledClassifier
from pellucid.rules.one_r import OneColumn, OneRClassifier
from pellucid.rules.ripper import RIPPERClassifier

_EXCLUDED, _MISSING = 1, 2
MOST_RULES = 1000  # of a chain of choices, which compilers nest


# ---------------------------------------------------------------------------------------------------------------- tests


class Fired:
    """The tests of a rule set's program, as a kernel runs it (cpp/core/rules/match.hpp)."""

    def __init__(self, matcher: Matcher, sizes: tuple[int, ...]) -> None:
        self._feature, self._low, self._high, self._flags, self._start, self._table, self._steps, self._rules = (
            np.asarray(part) for part in matcher.program
        )
        self._sizes = sizes
        self.rules = [self._rule(r) for r in range(len(self._rules) - 1)]

    def _rule(self, r: int) -> Test:
        stack: list[Test] = []
        for step in self._steps[self._rules[r] : self._rules[r + 1]].tolist():
            if step >= 0:
                stack.append(self._test(step))
            elif step in (AND, OR):
                right, left = stack.pop(), stack.pop()
                kind = All if step == AND else AnyOf
                stack.append(kind((*(left.parts if isinstance(left, kind) else (left,)), right)))
            elif step in (ALWAYS, NEVER):
                stack.append(All(()) if step == ALWAYS else AnyOf(()))
        return stack[-1] if stack else All(())

    def _test(self, t: int) -> Test:
        j, flags = int(self._feature[t]), int(self._flags[t])
        found = self._of_codes(t, j, flags) if self._start[t] < self._start[t + 1] else self._of_interval(t, j, flags)
        return AnyOf((found, Missing(Cell(j)))) if flags & _MISSING else found

    def _of_codes(self, t: int, j: int, flags: int) -> Test:
        words = self._table[self._start[t] : self._start[t + 1]].astype("<u4")
        inside = np.unpackbits(words.view(np.uint8), bitorder="little").astype(bool)
        if flags & _EXCLUDED:
            out = np.ones(self._sizes[j], dtype=bool)
            out[: len(inside)] = ~inside[: self._sizes[j]]
            inside = out
        codes = tuple(np.flatnonzero(inside).tolist())
        return Among(Cell(j), codes) if codes else AnyOf(())

    def _of_interval(self, t: int, j: int, flags: int) -> Test:
        low, high, x = float(self._low[t]), float(self._high[t]), Cell(j)
        known = Compare("==", x, x)
        if flags & _EXCLUDED:
            outside: list[Test] = []
            outside += [Compare("<", x, Number(low))] if low > -math.inf else []
            outside += [Compare(">", x, Number(high))] if high < math.inf else []
            return known if low > high else AnyOf(tuple(outside))
        if low > high:
            return AnyOf(())
        if low == high:
            return Compare("==", x, Number(low))
        inside: list[Test] = []
        inside += [_at_least(x, low)] if low > -math.inf else []
        inside += [_at_most(x, high)] if high < math.inf else []
        return All(tuple(inside)) if len(inside) > 1 else inside[0] if inside else known


def _at_least(x: Cell, low: float) -> Test:
    """x >= low; written as x > v where low is the number after a shorter v."""
    before = math.nextafter(low, -math.inf)
    shorter = len(repr(before)) + 3 < len(repr(low))
    return Compare(">", x, Number(before)) if shorter else Compare(">=", x, Number(low))


def _at_most(x: Cell, high: float) -> Test:
    after = math.nextafter(high, math.inf)
    shorter = len(repr(after)) + 3 < len(repr(high))
    return Compare("<", x, Number(after)) if shorter else Compare("<=", x, Number(high))


# -------------------------------------------------------------------------------------------------------------- answers


@write_model.register(RuledClassifier)
def write_rules(model: Any, b: Builder) -> Answer:
    """The first rule that fires, a vote, or the most important class, and the default where none fires."""
    labels = labels_of(b, model)
    matcher: Matcher = model._matcher_
    if len(matcher.labels) > MOST_RULES:
        requirement = f"at most {MOST_RULES:,} rules can be written as code"
        raise b.refuse(requirement, f"this model has {len(matcher.labels):,}", "limit the number of rules in fit")
    sizes = b.read_cells(model)
    rules = Fired(matcher, sizes).rules
    way = {"first": _by_first, "vote": _by_vote, "priority": _by_priority}[model.rules_.policy]
    decider = way(model, b, rules)
    codes = [*matcher.labels.tolist(), model._default_code]
    code = b.set("class_number", _looked_up(decider, [float(c) for c in codes]))
    return Answer(code, _probabilities(model, b, rules, decider, code), labels)


def _looked_up(index: Expression, values: list[float]) -> Expression:
    """The entry of each rule; the last is that of the default."""
    return table_of(dict(enumerate(values[:-1])), index, values[-1])


def _chain(b: Builder, tests: list[tuple[Test, int]], none: int) -> Name:
    cases = tuple((test, Number(float(r))) for test, r in tests)
    return b.set("rule", Choose(cases, Number(float(none))) if cases else Number(float(none)))


def _by_first(model: Any, b: Builder, rules: list[Test]) -> Name:
    return _chain(b, [(test, r) for r, test in enumerate(rules)], len(rules))


def _votes(model: Any, b: Builder, rules: list[Test]) -> list[Name]:
    labels, weight = model._matcher_.labels, model._matcher_.weights
    votes = []
    for k in range(len(model.rules_.classes)):
        mine = np.flatnonzero(labels == k).tolist()
        terms = [Choose(((rules[r], Number(float(weight[r]))),), Number(0.0)) for r in mine]
        votes.append(b.total(f"votes_{k}", 0.0, terms))
    return votes


def _by_vote(model: Any, b: Builder, rules: list[Test]) -> Name:
    votes = _votes(model, b, rules)
    top = b.set("most_votes", Call("max", (*votes, Number(0.0))))
    tests: list[tuple[Test, int]] = []
    for r, test in enumerate(rules):
        own = votes[int(model._matcher_.labels[r])]
        tests.append((All((test, Compare("==", own, top), Compare(">", own, Number(0.0)))), r))
    return _chain(b, tests, len(rules))


def _by_priority(model: Any, b: Builder, rules: list[Test]) -> Name:
    tests = []
    for k in model._matcher_.priority_order().tolist():
        tests += [(rules[r], r) for r in np.flatnonzero(model._matcher_.labels == k).tolist()]
    return _chain(b, tests, len(rules))


def _probabilities(model: Any, b: Builder, rules: list[Test], decider: Name, code: Name) -> tuple[Expression, ...]:
    share = getattr(model, "probability", "share") == "share"
    vote = model.rules_.policy == "vote" and len(rules) > 0
    if share and not vote:
        shares = _shares(model)
        return tuple(_looked_up(decider, shares[:, k].tolist()) for k in range(shares.shape[1]))
    alone = tuple(
        Choose(((Compare("==", code, Number(float(k))), Number(1.0)),), Number(0.0))
        for k in range(len(model.rules_.classes))
    )
    if not vote:
        return alone
    votes = [Name(f"votes_{k}") for k in range(len(alone))]
    whole = b.total("votes", 0.0, votes)
    counts = Compare(">", whole, Number(0.0))
    if not share:
        pairs = zip(votes, alone, strict=True)
        return tuple(Choose(((counts, Quotient(one, whole)),), none) for one, none in pairs)
    return _mixed(model, b, rules, whole)


def _mixed(model: Any, b: Builder, rules: list[Test], whole: Name) -> tuple[Expression, ...]:
    """The shares of the rules that fire, by their weights."""
    shares, weight = _shares(model), model._matcher_.weights
    found: list[Expression] = []
    for k in range(shares.shape[1]):
        parts = [(rules[r], float(weight[r] * shares[r, k])) for r in range(len(rules))]
        terms = [Choose(((test, Number(part)),), Number(0.0)) for test, part in parts if part != 0]
        mean = Quotient(b.total(f"shares_{k}", 0.0, terms), whole)
        found.append(Choose(((Compare(">", whole, Number(0.0)), mean),), Number(float(shares[-1, k]))))
    return tuple(found)


def _shares(model: Any) -> Floats:
    """(rules + 1) x classes: the classes behind each rule's answer; the last are those of the default."""
    n_classes = len(model.classes_)
    if isinstance(model, RIPPERClassifier) and model.laplace:
        counts = model.decided_counts_
        shares = (counts + 1) / (counts + 1).sum(axis=1, keepdims=True)
        shares[-1] = shares[-1] if counts[-1].any() else np.eye(n_classes)[model._default_code]
        return np.asarray(shares)
    labels = [*model._matcher_.labels.tolist(), model._default_code]
    known = model.decided_counts_ if model.rules_.policy == "first" else model._covered_and_rest()
    whole = known.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(known, whole, out=np.eye(n_classes)[labels], where=whole > 0))


# ----------------------------------------------------------------------------------------------------------------- OneR


@write_model.register(OneRClassifier)
def write_one_r(model: Any, b: Builder) -> Answer:
    """The classes of the rows of fit that had the same value, or a value of the same interval."""
    labels = labels_of(b, model)
    b.read_cells(model)
    rule: OneColumn = model.columns_[model.feature_]
    counts = np.vstack([rule.counts, model.class_counts_])
    shares = counts / counts.sum(axis=1, keepdims=True)
    x, known, none = Cell(model.feature_), len(rule.counts) - rule.has_missing, len(rule.counts)
    cases: list[tuple[Test, int]] = []
    if rule.values is not None:
        cases += [(Among(x, (code,)), place) for place, code in enumerate(rule.codes.tolist())]
    elif known:
        cases += [(Compare("<=", x, Number(cut)), place) for place, cut in enumerate(rule.cuts.tolist())]
        cases.append((Compare("==", x, x), len(rule.cuts)))
    if rule.has_missing:
        cases.append((Missing(x), known))
    place = b.set("value", Choose(tuple((test, Number(float(k))) for test, k in cases), Number(float(none))))
    found = [b.set(f"share_{k}", _looked_up(place, shares[:, k].tolist())) for k in range(len(labels))]
    return Answer(largest(found), tuple(found), labels)
