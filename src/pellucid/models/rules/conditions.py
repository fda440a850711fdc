"""What a rule asks of a row: tests of single columns, joined by AND and OR.

A test has one of two answers. A missing value satisfies none, unless the test says "or is missing"; nor does it satisfy
the opposite: NOT x > 3 is x <= 3, which a missing x fails as well (`negated`). What stands under ELSE is everything
else, missing values included: `complement`. NOT is worked into the tests at once, so that no expression holds one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pellucid.base.errors import ParameterError, format_message, short_repr

_INF = math.inf


class _Joined:
    """Python's operators for expressions: ``a & b``, ``a | b``, ``~a``."""

    def __and__(self, other: Expression) -> Expression:
        return both(self, other)  # type: ignore[arg-type]

    def __or__(self, other: Expression) -> Expression:
        return either(self, other)  # type: ignore[arg-type]

    def __invert__(self) -> Expression:
        return negated(self)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Condition(_Joined):
    """A test of one column.

    column : its name
    low, high, low_open, high_open : of a number, the interval it must lie in; both infinite: any value that is known;
        low above high: none
    values : the values it must be one of, or None where the interval counts
    excluded : the opposite: outside the interval, or none of the values
    missing : does a missing value satisfy the test?
    """

    column: str
    low: float = -_INF
    high: float = _INF
    low_open: bool = False
    high_open: bool = False
    values: tuple[Any, ...] | None = None
    excluded: bool = False
    missing: bool = False

    def __post_init__(self) -> None:
        settle = object.__setattr__
        settle(self, "column", str(self.column))
        if self.values is not None:
            settle(self, "values", tuple({_typed(v): _plain(v) for v in self.values}.values()))
            for name, value in (("low", -_INF), ("high", _INF), ("low_open", False), ("high_open", False)):
                settle(self, name, value)
            if not self.values:  # one of none, and none of none
                self._settle_interval(_INF, -_INF, False, False)
                settle(self, "values", None)
                self._settle_excluded()
            return
        self._settle_interval(_limit(self.column, self.low), _limit(self.column, self.high))
        self._settle_excluded()

    def _settle_interval(
        self, low: float, high: float, low_open: bool | None = None, high_open: bool | None = None
    ) -> None:
        low_open = self.low_open if low_open is None else low_open
        high_open = self.high_open if high_open is None else high_open
        if low > high or (low == high and (low_open or high_open)) or low == _INF or high == -_INF:
            low, high, low_open, high_open = _INF, -_INF, False, False
        settle = object.__setattr__
        settle(self, "low", low)
        settle(self, "high", high)
        settle(self, "low_open", bool(low_open) and low > -_INF)
        settle(self, "high_open", bool(high_open) and high < _INF)

    def _settle_excluded(self) -> None:
        """Outside an interval that has one end is inside another one."""
        if not self.excluded:
            return
        if self.low > self.high:
            self._settle_interval(-_INF, _INF, False, False)
        elif self.low == -_INF and self.high == _INF:
            self._settle_interval(_INF, -_INF, False, False)
        elif self.low == -_INF:
            self._settle_interval(self.high, _INF, not self.high_open, False)
        elif self.high == _INF:
            self._settle_interval(-_INF, self.low, False, not self.low_open)
        else:
            return
        object.__setattr__(self, "excluded", False)

    # ---------------------------------------------------------------------------------------------------- making them

    @classmethod
    def at_most(cls, column: str, value: float) -> Condition:
        """x <= value"""
        return cls(column, high=value)

    @classmethod
    def below(cls, column: str, value: float) -> Condition:
        """x < value"""
        return cls(column, high=value, high_open=True)

    @classmethod
    def at_least(cls, column: str, value: float) -> Condition:
        """x >= value"""
        return cls(column, low=value)

    @classmethod
    def above(cls, column: str, value: float) -> Condition:
        """x > value"""
        return cls(column, low=value, low_open=True)

    @classmethod
    def between(cls, column: str, low: float, high: float) -> Condition:
        """low <= x <= high"""
        return cls(column, low=low, high=high)

    @classmethod
    def equals(cls, column: str, value: Any) -> Condition:
        """x = value, a number or a category"""
        return cls(column, values=(value,))

    @classmethod
    def is_in(cls, column: str, values: Iterable[Any]) -> Condition:
        """x is one of the values"""
        return cls(column, values=tuple(values))

    @classmethod
    def not_in(cls, column: str, values: Iterable[Any]) -> Condition:
        """x is known and none of the values"""
        return cls(column, values=tuple(values), excluded=True)

    @classmethod
    def is_missing(cls, column: str) -> Condition:
        """x is missing"""
        return cls(column, low=_INF, high=-_INF, missing=True)

    @classmethod
    def is_known(cls, column: str) -> Condition:
        """x is not missing"""
        return cls(column)

    def or_missing(self, missing: bool = True) -> Condition:
        """The same test, satisfied (or not) by a missing value."""
        return replace(self, missing=missing)

    # ------------------------------------------------------------------------------------------------------ questions

    @property
    def of_known(self) -> bool:
        """Does every known value satisfy it?"""
        return self.values is None and not self.excluded and self.low == -_INF and self.high == _INF

    @property
    def of_none(self) -> bool:
        """Does no known value satisfy it?"""
        return self.values is None and not self.excluded and self.low > self.high

    @property
    def always(self) -> bool:
        """Is it satisfied by everything?"""
        return self.of_known and self.missing

    @property
    def never(self) -> bool:
        """Is it satisfied by nothing?"""
        return self.of_none and not self.missing

    def meets(self, value: Any) -> bool:
        """Is it satisfied by one value? None and NaN are missing."""
        if value is None or value != value:
            return self.missing
        if self.values is not None:
            return any(value == v for v in self.values) != self.excluded
        if self.of_known or self.of_none:
            return self.of_known
        above = value > self.low if self.low_open else value >= self.low
        below = value < self.high if self.high_open else value <= self.high
        return bool(above and below) != self.excluded

    def meet(self, other: Condition) -> Condition | None:
        """One test that asks for both, of the same column; None where there is none."""
        missing = self.missing and other.missing
        for one, two in ((self, other), (other, self)):
            if one.of_known:
                return two.or_missing(missing)
            if one.of_none:
                return one.or_missing(missing)
        if self.values is not None and other.values is not None:
            return self._meet_values(other, missing)
        if self.values is None and other.values is None:
            return self._meet_either(other, missing)
        listed, interval = (self, other) if self.values is not None else (other, self)
        values = listed.values or ()
        if listed.excluded or not all(_is_number(v) for v in values):
            return None
        return Condition.is_in(self.column, [v for v in values if interval.meets(v)]).or_missing(missing)

    def _meet_values(self, other: Condition, missing: bool) -> Condition:
        mine, theirs = self.values or (), other.values or ()
        if self.excluded and other.excluded:
            return Condition.not_in(self.column, (*mine, *theirs)).or_missing(missing)
        if self.excluded:
            mine, theirs = theirs, mine
        inside = {_typed(v) for v in theirs}
        remaining = [v for v in mine if (_typed(v) in inside) != (self.excluded or other.excluded)]
        return Condition.is_in(self.column, remaining).or_missing(missing)

    def _meet_either(self, other: Condition, missing: bool) -> Condition | None:
        """Inside or outside of two intervals, where that is one interval."""
        if not self.excluded and not other.excluded:
            return self._meet_interval(other, missing)
        if self.excluded and other.excluded:
            return None
        inside, hole = (other, self) if self.excluded else (self, other)
        below = inside._meet_interval(Condition(self.column, high=hole.low, high_open=not hole.low_open), missing)
        above = inside._meet_interval(Condition(self.column, low=hole.high, low_open=not hole.high_open), missing)
        return above if below.of_none else below if above.of_none else None

    def _meet_interval(self, other: Condition, missing: bool) -> Condition:
        low = max(self.low, other.low)
        high = min(self.high, other.high)
        return Condition(
            self.column,
            low,
            high,
            any(c.low_open for c in (self, other) if c.low == low),
            any(c.high_open for c in (self, other) if c.high == high),
            missing=missing,
        )


@dataclass(frozen=True)
class All(_Joined):
    """Every part must hold; without parts it always does."""

    parts: tuple[Expression, ...] = ()


@dataclass(frozen=True)
class AnyOf(_Joined):
    """At least one part must hold; without parts it never does."""

    parts: tuple[Expression, ...] = ()


Expression = Condition | All | AnyOf
ALWAYS, NEVER = All(), AnyOf()


class Column:
    """A column by its name; comparing it makes a test: ``column("height") > 180``."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, name: str) -> None:
        self.name = str(name)

    def __le__(self, value: float) -> Condition:
        return Condition.at_most(self.name, value)

    def __lt__(self, value: float) -> Condition:
        return Condition.below(self.name, value)

    def __ge__(self, value: float) -> Condition:
        return Condition.at_least(self.name, value)

    def __gt__(self, value: float) -> Condition:
        return Condition.above(self.name, value)

    def __eq__(self, value: object) -> Condition:  # type: ignore[override]
        return Condition.equals(self.name, value)

    def __ne__(self, value: object) -> Condition:  # type: ignore[override]
        return Condition.not_in(self.name, (value,))

    def between(self, low: float, high: float) -> Condition:
        """low <= x <= high"""
        return Condition.between(self.name, low, high)

    def is_in(self, values: Iterable[Any]) -> Condition:
        """x is one of the values"""
        return Condition.is_in(self.name, values)

    def not_in(self, values: Iterable[Any]) -> Condition:
        """x is known and none of the values"""
        return Condition.not_in(self.name, values)

    def is_missing(self) -> Condition:
        """x is missing"""
        return Condition.is_missing(self.name)

    def is_known(self) -> Condition:
        """x is not missing"""
        return Condition.is_known(self.name)


def column(name: str) -> Column:
    """A column by its name, to be compared: ``column("height") > 180``, ``column("color").is_in(["red", "blue"])``."""
    return Column(name)


# ------------------------------------------------------------------------------------------------------------- joining


def both(*parts: Expression) -> Expression:
    """All parts hold; parts that are such themselves are opened."""
    flat = tuple(
        p for expression in parts for p in (expression.parts if isinstance(expression, All) else (expression,))
    )
    return flat[0] if len(flat) == 1 else All(flat)


def either(*parts: Expression) -> Expression:
    """At least one part holds. "x is missing" joins another test of x in it."""
    flat = [p for expression in parts for p in (expression.parts if isinstance(expression, AnyOf) else (expression,))]
    for expression in [p for p in flat if isinstance(p, Condition) and p.of_none and p.missing]:
        home = next(
            (
                k
                for k, p in enumerate(flat)
                if isinstance(p, Condition) and p.column == expression.column and not p.of_none
            ),
            None,
        )
        if home is not None:
            flat[home] = flat[home].or_missing()  # type: ignore[union-attr]
            flat.remove(expression)
    return flat[0] if len(flat) == 1 else AnyOf(tuple(flat))


def negated(expression: Expression) -> Expression:
    """NOT: every test turned round; a missing value satisfies neither a test nor its opposite."""
    if isinstance(expression, All):
        return either(*(negated(operand) for operand in expression.parts))
    if isinstance(expression, AnyOf):
        return both(*(negated(operand) for operand in expression.parts))
    if expression.of_known or expression.of_none:
        return complement(expression)  # is it known, is it missing: these have an answer for every value
    return replace(expression, excluded=not expression.excluded, missing=False)


def complement(expression: Expression) -> Expression:
    """Exactly the rows that do not satisfy the expression, those with missing values among them."""
    if isinstance(expression, All):
        return either(*(complement(operand) for operand in expression.parts))
    if isinstance(expression, AnyOf):
        return both(*(complement(operand) for operand in expression.parts))
    return replace(expression, excluded=not expression.excluded, missing=not expression.missing)


def simplified(expression: Expression) -> Expression:
    """The same rows with fewer tests: those of one column under AND become an interval or a set."""
    if isinstance(expression, Condition):
        return NEVER if expression.never else ALWAYS if expression.always else expression
    operands = [simplified(operand) for operand in expression.parts]
    if isinstance(expression, AnyOf):
        remaining = [p for p in dict.fromkeys(operands) if p != NEVER]
        return ALWAYS if ALWAYS in remaining else either(*remaining) if remaining else NEVER
    opened = both(*operands)
    tests: list[Expression] = []
    for operand in opened.parts if isinstance(opened, All) else (opened,):
        _add_test(tests, operand)
    if NEVER in tests or any(isinstance(t, Condition) and t.never for t in tests):
        return NEVER
    remaining = [t for t in tests if not (isinstance(t, Condition) and t.always)]
    return both(*remaining) if remaining else ALWAYS


def _add_test(tests: list[Expression], expression: Expression) -> None:
    if isinstance(expression, Condition):
        for k, existing in enumerate(tests):
            merged = (
                existing.meet(expression)
                if isinstance(existing, Condition) and existing.column == expression.column
                else None
            )
            if merged is not None:
                tests[k] = merged
                return
    if expression not in tests:
        tests.append(expression)


def leaves(expression: Expression) -> Iterator[Condition]:
    """The tests of an expression, in the order in which they stand."""
    if isinstance(expression, Condition):
        yield expression
        return
    for operand in expression.parts:
        yield from leaves(operand)


def holds(expression: Expression, row: dict[str, Any]) -> bool:
    """Does one row, column -> value, satisfy the expression?"""
    if isinstance(expression, Condition):
        return expression.meets(row[expression.column])
    results = (holds(operand, row) for operand in expression.parts)
    return all(results) if isinstance(expression, All) else any(results)


# -------------------------------------------------------------------------------------------------------------- values


def _plain(value: Any) -> Any:
    """A NumPy scalar as the Python value it is; minus zero as zero."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float) and value != value:
        raise ParameterError(
            format_message(
                "Condition",
                "a value must be known",
                actual="got NaN",
                hint="Condition.is_missing(column) asks for missing",
            )
        )
    return 0.0 if isinstance(value, float) and value == 0 else value


def _typed(value: Any) -> Any:
    """1 and 1.0 are one value, True and 1 are two."""
    value = _plain(value)
    return (isinstance(value, bool), value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _limit(column: str, value: Any) -> float:
    try:
        limit = float(value)
    except (TypeError, ValueError, OverflowError):
        limit = math.nan
    if limit != limit or isinstance(value, str):
        requirement = f"the limits of column {column!r} must be numbers"
        raise ParameterError(
            format_message(
                "Condition", requirement, actual=f"got {short_repr(value)}", hint="compare categories with = or IN"
            )
        )
    return limit + 0.0
