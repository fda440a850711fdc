"""The calendar as arithmetic that every language does alike: from a day to its number since 1970-01-01, and back.

The formulas are those of H. Hinnant, "chrono-compatible low-level date algorithms": the year begins in March, so that a
leap day is its last, and 400 years have 146,097 days. All numbers are whole and below 2^53, so that nothing is rounded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pellucid.export._form import (
    All,
    Among,
    AnyOf,
    Call,
    Choose,
    Compare,
    Difference,
    Expression,
    Number,
    Product,
    Quotient,
    Sum,
    Test,
)

Hold = Callable[[Expression], Expression]  # gives a value a name, so that it is worked out once
DAY = 86_400e6  # microseconds
_OF_ERA = 146_097.0  # days in 400 years
_SHIFT = 719_468.0  # days from 0000-03-01 to 1970-01-01


def plus(*terms: Expression | float) -> Expression:
    """A sum."""
    return Sum(tuple(map(_number, terms)))


def minus(left: Expression, right: Expression | float) -> Expression:
    """left - right"""
    return Difference(left, _number(right))


def times(factor: float, x: Expression) -> Expression:
    """factor * x"""
    return Product(Number(factor), x)


def whole_part(x: Expression, divisor: float) -> Expression:
    """floor(x / divisor)"""
    return Call("floor", (Quotient(x, Number(divisor)),))


def _number(x: Expression | float) -> Expression:
    return Number(float(x)) if isinstance(x, int | float) else x


def is_between(x: Expression, low: float, high: Expression | float) -> Test:
    """low <= x <= high"""
    return All((Compare(">=", x, Number(low)), Compare("<=", x, _number(high))))


def is_leap(year: Expression) -> Test:
    """Can four divide the year, but not a hundred, or four hundred?"""
    four, hundred, era = (minus(year, times(n, whole_part(year, n))) for n in (4.0, 100.0, 400.0))
    zero = Number(0.0)
    return AnyOf((All((Compare("==", four, zero), Compare(">", hundred, zero))), Compare("==", era, zero)))


def days_in_month(year: Expression, month: Expression) -> Expression:
    """28 to 31"""
    february = All((Among(month, (2,)), is_leap(year)))
    cases = ((february, Number(29.0)), (Among(month, (2,)), Number(28.0)), (Among(month, (4, 6, 9, 11)), Number(30.0)))
    return Choose(cases, Number(31.0))


def days_since_1970(year: Expression, month: Expression, day: Expression, hold: Hold) -> Expression:
    """The number of a day."""
    is_early = Compare("<=", month, Number(2.0))
    own = hold(Choose(((is_early, minus(year, 1.0)),), year))
    era = hold(whole_part(own, 400.0))
    of_era = hold(minus(own, times(400.0, era)))
    march = Choose(((is_early, plus(month, 9.0)),), minus(month, 3.0))
    of_year = minus(plus(whole_part(plus(times(153.0, march), 2.0), 5.0), day), 1.0)
    leaps = minus(whole_part(of_era, 4.0), whole_part(of_era, 100.0))
    return minus(plus(times(_OF_ERA, era), times(365.0, of_era), leaps, of_year), _SHIFT)


class Calendar:
    """A time in microseconds since 1970 as the numbers of `DateTimeFeatures`; a missing one gives missing numbers."""

    def __init__(self, moment: Expression, hold: Hold) -> None:
        self.hold = hold
        self.days = hold(whole_part(moment, DAY))
        self.micro = hold(minus(moment, times(DAY, self.days)))
        self._split_day()

    def _split_day(self) -> None:
        hold = self.hold
        since = hold(plus(self.days, _SHIFT))
        era = hold(whole_part(since, _OF_ERA))
        of_era = hold(minus(since, times(_OF_ERA, era)))
        fixed = minus(plus(of_era, whole_part(of_era, 36_524.0)), plus(*self._leap_days(of_era)))
        years = hold(whole_part(fixed, 365.0))
        leaps = minus(whole_part(years, 4.0), whole_part(years, 100.0))
        of_year = hold(minus(of_era, plus(times(365.0, years), leaps)))
        march = hold(whole_part(plus(times(5.0, of_year), 2.0), 153.0))
        self._day = hold(plus(minus(of_year, whole_part(plus(times(153.0, march), 2.0), 5.0)), 1.0))
        is_early = Compare(">=", march, Number(10.0))
        self._month = hold(Choose(((is_early, minus(march, 9.0)),), plus(march, 3.0)))
        own = plus(years, times(400.0, era))
        self._year = hold(Choose(((is_early, plus(own, 1.0)),), own))

    @staticmethod
    def _leap_days(of_era: Expression) -> Sequence[Expression]:
        return whole_part(of_era, 1_460.0), whole_part(of_era, 146_096.0)

    def year(self) -> Expression:
        return self._year

    def month(self) -> Expression:
        return self._month

    def day(self) -> Expression:
        return self._day

    def hour(self) -> Expression:
        return self.hold(whole_part(self.micro, 3600e6))

    def minute(self) -> Expression:
        return minus(whole_part(self.micro, 60e6), times(60.0, whole_part(self.micro, 3600e6)))

    def second(self) -> Expression:
        return minus(whole_part(self.micro, 1e6), times(60.0, whole_part(self.micro, 60e6)))

    def day_of_week(self) -> Expression:
        shifted = self.hold(plus(self.days, 3.0))  # 1970-01-01 was a Thursday
        return self.hold(minus(shifted, times(7.0, whole_part(shifted, 7.0))))

    def day_of_year(self) -> Expression:
        return plus(minus(self.days, self._new_year(self._year)), 1.0)

    def _new_year(self, year: Expression) -> Expression:
        return self.hold(days_since_1970(year, Number(1.0), Number(1.0), self.hold))

    def week(self) -> Expression:
        """ISO 8601: the week that holds the year's first Thursday is number 1."""
        thursday = Calendar(times(DAY, plus(minus(self.days, self.day_of_week()), 3.0)), self.hold)
        return plus(whole_part(minus(thursday.day_of_year(), 1.0), 7.0), 1.0)

    def quarter(self) -> Expression:
        return plus(whole_part(minus(self._month, 1.0), 3.0), 1.0)

    def is_weekend(self) -> Expression:
        day = self.day_of_week()
        cases = ((Compare(">=", day, Number(5.0)), Number(1.0)), (Compare("<", day, Number(5.0)), Number(0.0)))
        return Choose(cases, day)

    def timestamp(self) -> Expression:
        return plus(times(86_400.0, self.days), Quotient(self.micro, Number(1e6)))

    def days_in_month(self) -> Expression:
        return days_in_month(self._year, self._month)

    def days_in_year(self) -> Expression:
        return Choose(((is_leap(self._year), Number(366.0)),), Number(365.0))


PLAIN: dict[str, Callable[[Calendar], Expression]] = {
    "year": Calendar.year,
    "month": Calendar.month,
    "day": Calendar.day,
    "hour": Calendar.hour,
    "minute": Calendar.minute,
    "second": Calendar.second,
    "day_of_week": Calendar.day_of_week,
    "day_of_year": Calendar.day_of_year,
    "week": Calendar.week,
    "quarter": Calendar.quarter,
    "is_weekend": Calendar.is_weekend,
    "timestamp": Calendar.timestamp,
}
# Place on the circle, counted from 0, and how many places there are.
CYCLES: dict[str, Callable[[Calendar], tuple[Expression, Expression]]] = {
    "month": lambda c: (minus(c.month(), 1.0), Number(12.0)),
    "day": lambda c: (minus(c.day(), 1.0), c.days_in_month()),
    "hour": lambda c: (c.hour(), Number(24.0)),
    "minute": lambda c: (c.minute(), Number(60.0)),
    "second": lambda c: (c.second(), Number(60.0)),
    "day_of_week": lambda c: (c.day_of_week(), Number(7.0)),
    "day_of_year": lambda c: (minus(c.day_of_year(), 1.0), c.days_in_year()),
}
