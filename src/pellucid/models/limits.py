"""Limits of tests as text: as few digits as a reader needs to decide the same rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

LEAST, EXACT, MOST = 4, 12, 17  # digits: at least so many, exact up to so many, and all of them


def shortest_between(low: float, high: float, near: float) -> float:
    """The number of fewest digits between two values, rounded from one that lies between them.

    >>> shortest_between(27.5, 28.4, 27.981265286311764), shortest_between(11.0, 12.0, 11.5)
    (28.0, 11.5)
    >>> shortest_between(-1.0, 1.0, 1e-17), shortest_between(2.0, 2.0, 2.0)
    (0.0, 2.0)
    """
    if not low < near < high:
        return near
    rounded = (float(f"{near:.{digits}e}") for digits in range(MOST))
    return 0.0 if low < 0 < high else next((value for value in rounded if low < value < high), near)


def limit_text(value: float, digits: int) -> str:
    """A number of so many digits, large ones with all their figures before the point and one behind it.

    >>> limit_text(0.0683158, 4), limit_text(2013.5, 4), limit_text(1234567.0, 4), limit_text(1e-9, 4)
    ('0.06832', '2013.5', '1234567', '1e-09')
    """
    if 10 ** (digits - 1) <= abs(value) < 1e15:
        return f"{value:.1f}".removesuffix(".0")
    return f"{value:.{digits}g}"


def mean_text(value: float, digits: int) -> str:
    """A mean, which nothing is compared with: very large ones need not have all their figures.

    >>> mean_text(27.981265, 4), mean_text(2572866758991.9, 4)
    ('27.98', '2.57287e+12')
    """
    return limit_text(value, digits) if abs(value) < 1e12 else f"{value:.6g}"


def digits_of(
    columns: Iterable[Sequence[float]], least: int = LEAST, text: Callable[[float, int], str] = limit_text
) -> int:
    """How many digits the limits of some columns take: as many as write all of them exactly, if these are few;
    otherwise as many as tell those of each column apart.

    >>> digits_of([[0.00605, 0.008145]]), digits_of([[27.98126, 0.5]]), digits_of([[1 / 3, 0.33333]])
    (4, 7, 6)
    """
    distinct = [sorted(set(limits)) for limits in columns]
    for digits in range(least, EXACT + 1):
        if all(float(text(limit, digits)) == limit for limits in distinct for limit in limits):
            return digits
    for digits in range(least, MOST):
        if all(len({text(limit, digits) for limit in limits}) == len(limits) for limits in distinct):
            return digits
    return MOST
