"""Which rules fire for which rows: the rules of a set as a small program for the kernel.

Distinct tests are numbered and worked out for 64 rows at a time as the bits of a word; a rule is a list of steps over
such words: a test, AND, OR.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pellucid import _core
from pellucid.base.errors import DataError, format_message, join_some, short_repr
from pellucid.base.types import Array, Flags, Floats
from pellucid.models.rules.conditions import All, Condition, Expression
from pellucid.models.rules.rule_set import RuleSet

AND, OR, ALWAYS, NEVER = -1, -2, -3, -4  # steps of a program that are no tests
_EXCLUDED, _MISSING = 1, 2
_NO_WEIGHT = np.empty(0)


@dataclass
class _Tests:
    """Distinct tests of single columns, as columns of numbers."""

    number: dict[Any, int] = field(default_factory=dict)
    feature: list[int] = field(default_factory=list)
    low: list[float] = field(default_factory=list)
    high: list[float] = field(default_factory=list)
    flags: list[int] = field(default_factory=list)
    table_start: list[int] = field(default_factory=lambda: [0])
    table: list[Array] = field(default_factory=list)

    def add(self, feature: int, low: float, high: float, flags: int, codes: tuple[int, ...] | None) -> int:
        key = (feature, low, high, flags, codes)
        if key in self.number:
            return self.number[key]
        words = _bits(codes) if codes is not None else np.empty(0, dtype=np.uint32)
        self.feature.append(feature)
        self.low.append(low)
        self.high.append(high)
        self.flags.append(flags)
        self.table.append(words)
        self.table_start.append(self.table_start[-1] + len(words))
        self.number[key] = len(self.number)
        return self.number[key]


def _bits(codes: tuple[int, ...]) -> Array:
    words = np.zeros(max(codes) // 32 + 1 if codes else 1, dtype=np.uint32)
    for code in codes:
        words[code // 32] |= np.uint32(1 << (code % 32))
    return words


class _Compiler:
    def __init__(self, names: Sequence[str], categories: Mapping[int, Sequence[Any]], who: str) -> None:
        self.names, self.who = [str(name) for name in names], who
        self.place = {name: j for j, name in enumerate(self.names)}
        self.codes = {j: places_of(values) for j, values in categories.items()}
        self.tests, self.steps = _Tests(), list[int]()
        self.unknown: list[tuple[int, str, Any]] = []
        self.written: dict[int, list[int]] = {}  # steps of a test by its identity: learners share one among many rules
        self.rule = 0

    def write(self, expression: Expression) -> None:
        """Appends the steps that work out an expression."""
        if isinstance(expression, Condition):
            self.steps += self.steps_of(expression)
            return
        join = [AND if isinstance(expression, All) else OR]
        for k, operand in enumerate(expression.parts):
            if isinstance(operand, Condition):
                self.steps += self.steps_of(operand)
            else:
                self.write(operand)
            if k:
                self.steps += join
        if not expression.parts:
            self.steps.append(ALWAYS if isinstance(expression, All) else NEVER)

    def steps_of(self, test: Condition) -> list[int]:
        """The steps of a test, written once."""
        steps = self.written.get(id(test))
        if steps is None:
            saved, self.steps = self.steps, []
            self.write_test(test)
            steps, self.steps = self.steps, saved
            self.written[id(test)] = steps
        return steps

    def write_test(self, test: Condition) -> None:
        j = self.column(test)
        flags = _MISSING * test.missing
        if test.of_known or test.of_none:
            self.steps.append(self.tests.add(j, test.low, test.high, flags, None))
        elif test.values is None:
            self.refuse_order(test, j)
            low, high = closed(test)
            self.steps.append(self.tests.add(j, low, high, flags | _EXCLUDED * test.excluded, None))
        elif j in self.codes:
            codes, flags = self.category_codes(test, j), flags | _EXCLUDED * test.excluded
            if len(codes) == 1:  # no table: with 100,000 categories those of all tests would be gigabytes
                self.steps.append(self.tests.add(j, float(codes[0]), float(codes[0]), flags, None))
            else:
                self.steps.append(self.tests.add(j, 0.0, 0.0, flags, codes))
        else:
            self.write_numbers(test, j, flags)

    def write_numbers(self, test: Condition, j: int, flags: int) -> None:
        """One of several numbers: any of the points, or for the opposite all points left out."""
        for k, value in enumerate(test.values or ()):
            number = self.as_number(test, value)
            self.steps.append(self.tests.add(j, number, number, flags | _EXCLUDED * test.excluded, None))
            if k:
                self.steps.append(AND if test.excluded else OR)

    # ---------------------------------------------------------------------------------------------------------- looking

    def column(self, test: Condition) -> int:
        if test.column in self.place:
            return self.place[test.column]
        near = difflib.get_close_matches(test.column, self.names, n=1)
        actual = f"rule {self.rule + 1} asks for {test.column!r}, X has {join_some(map(repr, self.names))}"
        hint = f"{near[0]!r} may be meant" if near else "names are compared letter by letter"
        raise DataError(format_message(self.who, "rules must ask for columns of X", actual=actual, hint=hint))

    def refuse_order(self, test: Condition, j: int) -> None:
        if j in self.codes:
            actual = f"in rule {self.rule + 1} {test.column!r}, which holds names, is compared with a number"
            raise DataError(
                format_message(self.who, "only numbers have an order", actual=actual, hint="use =, != or IN")
            )

    def category_codes(self, test: Condition, j: int) -> tuple[int, ...]:
        codes = []
        for value in test.values or ():
            code = code_of(self.codes[j], value)
            if code is None:
                self.unknown.append((self.rule, test.column, value))
            else:
                codes.append(code)
        return tuple(sorted(codes))

    def as_number(self, test: Condition, value: Any) -> float:
        if isinstance(value, str) and value.lower() in ("true", "false"):
            value = value.lower() == "true"
        if isinstance(value, bool | int | float):
            return float(value)
        actual = f"in rule {self.rule + 1} {test.column!r}, which holds numbers, is compared with {short_repr(value)}"
        raise DataError(format_message(self.who, "a column of numbers must be compared with numbers", actual=actual))


def closed(test: Condition) -> tuple[float, float]:
    """The same interval with both ends in it: the next number inside where an end is open."""
    low = math.nextafter(test.low, math.inf) if test.low_open else test.low
    return low, math.nextafter(test.high, -math.inf) if test.high_open else test.high


def places_of(values: Sequence[Any]) -> dict[Any, int]:
    """Codes by value, and by the text of a value where no other value is that text."""
    exact: dict[Any, int] = {(isinstance(v, bool), v): code for code, v in enumerate(values)}
    by_text: dict[Any, int] = {}
    for code, value in enumerate(values):
        by_text.setdefault(str(value), code)
    return {**by_text, **exact}


def code_of(places: Mapping[Any, int], value: Any) -> int | None:
    """The code of a value: of the value itself, or of one that reads the same ("2" for 2)."""
    code = places.get((isinstance(value, bool), value))
    return places.get(str(value)) if code is None else code


@dataclass(frozen=True)
class Matcher:
    """A rule set for tables with given columns.

    rules : the set
    program : arrays of the tests and steps, in the order that the kernels take them
    labels : position of each rule's label in `rules.classes`
    unknown : (rule, column, value) for every value that is no category of its column
    """

    rules: RuleSet
    program: tuple[Array, ...]
    labels: Array
    unknown: list[tuple[int, str, Any]]

    @classmethod
    def of(
        cls, rules: RuleSet, names: Sequence[str], categories: Mapping[int, Sequence[Any]], who: str = "RuleSet"
    ) -> Matcher:
        """Numbers the tests and writes the steps; columns that are not there are refused."""
        compiler, starts = _Compiler(names, categories, who), [0]
        for number, rule in enumerate(rules.rules):
            compiler.rule = number
            compiler.write(rule.when)
            starts.append(len(compiler.steps))
        tests = compiler.tests
        program = (
            np.array(tests.feature, dtype=np.int32),
            np.array(tests.low, dtype=np.float64),
            np.array(tests.high, dtype=np.float64),
            np.array(tests.flags, dtype=np.uint8),
            np.array(tests.table_start, dtype=np.int64),
            np.concatenate([np.empty(0, dtype=np.uint32), *tests.table]),
            np.array(compiler.steps, dtype=np.int32),
            np.array(starts, dtype=np.int64),
        )
        class_codes = {(isinstance(label, bool), label): k for k, label in enumerate(rules.classes)}
        labels = [class_codes[isinstance(rule.then, bool), rule.then] for rule in rules.rules]
        return cls(rules, program, np.array(labels, dtype=np.int32), compiler.unknown)

    @property
    def weights(self) -> Floats:
        """How much each rule counts in a vote."""
        return np.array([rule.weight for rule in self.rules.rules])

    # ---------------------------------------------------------------------------------------------------------- firing

    def bits(self, X: _core.Matrix, threads: int = 1) -> Array:
        """Rules x ceil(n / 64) words: bit r % 64 of word r // 64 says whether a rule fires for row r."""
        return np.asarray(_core.rule_bits(X, _core.RuleProgram(*self.program), threads))

    def fired(self, X: _core.Matrix, threads: int = 1) -> Flags:
        """Rows x rules: does the rule fire for the row?"""
        return as_flags(self.bits(X, threads), X.rows)

    def fired_rules(self, X: _core.Matrix, threads: int = 1) -> tuple[Array, Array]:
        """starts, rules: those that fire for row r are ``rules[starts[r]:starts[r + 1]]``, in their order."""
        starts, rules = _core.fired_rules(X, _core.RuleProgram(*self.program), threads)
        return np.asarray(starts), np.asarray(rules)

    def first(self, X: _core.Matrix, threads: int = 1, allowed: Flags | None = None) -> Array:
        """Number of the first rule that fires for each row, -1 where none does.

        allowed : rows x classes; only rules whose label is allowed for a row count. None: all.
        """
        flags = np.zeros((0, 0), dtype=np.uint8) if allowed is None else allowed.astype(np.uint8)
        return np.asarray(_core.first_rule(X, _core.RuleProgram(*self.program), self.labels, flags, threads))

    def votes(self, X: _core.Matrix, threads: int = 1, *, weighted: bool = True) -> Floats:
        """Rows x classes: the weight (or number) of the rules that fire."""
        weight = self.weights if weighted else np.ones(len(self.labels))
        program, n_classes = _core.RuleProgram(*self.program), len(self.rules.classes)
        return np.asarray(_core.rule_votes(X, program, self.labels, weight, n_classes, threads))

    def decide(self, X: _core.Matrix, threads: int = 1) -> Array:
        """Position of the label of each row in `rules.classes`, by the set's policy; -1 where no rule fires."""
        if self.rules.policy == "vote" and len(self.labels):
            winners = self._winners(X, threads)
            if (winners.sum(axis=1) <= 1).all():
                return np.where(winners.any(axis=1), winners.argmax(axis=1), -1)
            first = self.first(X, threads, winners)  # of equals the label whose rule stands first
        else:
            first = self.deciding(X, threads)
        return np.where(first < 0, -1, self.labels[first] if len(self.labels) else -1)

    def deciding(self, X: _core.Matrix, threads: int = 1) -> Array:
        """The rule that decides for each row: of those with the label that it gets the first that fires; -1: none."""
        if self.rules.policy == "first" or not len(self.labels):
            return self.first(X, threads)
        return self.first(X, threads, self._winners(X, threads))

    def _winners(self, X: _core.Matrix, threads: int) -> Flags:
        return self.winners(self.votes(X, threads, weighted=self.rules.policy == "vote"))

    def winners(self, votes: Floats) -> Flags:
        """Rows x classes: the labels that win, several where votes are equal, none where no rule fires."""
        if self.rules.policy == "vote":
            return np.asarray((votes == votes.max(axis=1, keepdims=True, initial=0.0)) & (votes > 0))
        order = self.priority_order()
        ahead = order[(votes[:, order] > 0).argmax(axis=1)]
        return np.asarray((ahead[:, None] == np.arange(votes.shape[1])) & (votes > 0))

    def priority_order(self) -> Array:
        """Positions of the classes, the most important first; those without a priority last."""
        class_codes = {(isinstance(label, bool), label): k for k, label in enumerate(self.rules.classes)}
        important = [class_codes[isinstance(label, bool), label] for label in self.rules.priority]
        return np.array([*important, *(k for k in range(len(class_codes)) if k not in important)], dtype=np.int64)

    # -------------------------------------------------------------------------------------------------------- counting

    def counts(self, bits: Array, codes: Array, n_classes: int, weight: Floats | None, threads: int = 1) -> Floats:
        """Rules x classes: rows (or their weight) of each class for which a rule fires; codes: class of each row."""
        w = _NO_WEIGHT if weight is None else weight
        return np.asarray(_core.rule_counts(bits, codes.astype(np.int32), w, n_classes, threads))

    def conflicts(self, bits: Array, threads: int = 1) -> Array:
        """k x 3: two rules with different labels, and for how many rows both fire."""
        return np.asarray(_core.rule_conflicts(bits, self.labels, threads))


def as_flags(bits: Array, rows: int) -> Flags:
    """Words of bits, one row a rule, as rows x rules."""
    flat = np.unpackbits(bits.astype("<u8", copy=False).view(np.uint8), axis=1, bitorder="little", count=rows)
    return np.ascontiguousarray(flat.T).astype(bool)
