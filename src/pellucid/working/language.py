"""The words of the language: what a working is written with, beside + - * / ** and comparisons."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pellucid.working.expression import (
    Apply,
    Axis,
    Cell,
    Dot,
    Expr,
    Lookup,
    Previous,
    Rank,
    Reduce,
    Window,
    expr,
    only_axis,
)
from pellucid.working.matrix import ColumnOf


def equal(a: Any, b: Any) -> Expr:
    """Are the two the same number or word? (`==` compares expressions as objects.)"""
    return Apply("=", (expr(a), expr(b)))


def where(condition: Expr, then: Any, otherwise: Any) -> Expr:
    """``then`` where the condition holds, else ``otherwise``."""
    return Apply("if", (condition, expr(then), expr(otherwise)))


def exp(a: Any) -> Expr:
    return Apply("exp", (expr(a),))


def ln(a: Any) -> Expr:
    """Natural logarithm."""
    return Apply("ln", (expr(a),))


def log(a: Any, base: Any = 10) -> Expr:
    """Logarithm to a base, 10 as in a spreadsheet."""
    return Apply("log", (expr(a), expr(base)))


def sqrt(a: Any) -> Expr:
    return Apply("sqrt", (expr(a),))


def absolute(a: Any) -> Expr:
    return Apply("abs", (expr(a),))


def smallest(a: Any, b: Any, c: Any) -> Expr:
    """The smallest of three numbers."""
    return Apply("smallest", (expr(a), expr(b), expr(c)))


def floor(a: Any) -> Expr:
    """The largest whole number that is not above a."""
    return Apply("floor", (expr(a),))


def rounded(a: Any, digits: int) -> Expr:
    """To so many digits after the point."""
    return Apply("round", (expr(a), expr(digits)))


def sign(a: Any) -> Expr:
    """-1, 0 or 1."""
    return Apply("sign", (expr(a),))


def sin(a: Any) -> Expr:
    return Apply("sin", (expr(a),))


def cos(a: Any) -> Expr:
    return Apply("cos", (expr(a),))


def tanh(a: Any) -> Expr:
    return Apply("tanh", (expr(a),))


def angle(x: Any, y: Any) -> Expr:
    """Of the point (x, y) against the x axis, counted against the clock, from -pi to pi; 0 for the origin."""
    return Apply("angle", (expr(x), expr(y)))


def pi() -> Expr:
    return Apply("pi", ())


def student_critical(alpha: Any, df: Any) -> Expr:
    """Two-sided critical value of Student's t: the probability outside -t .. t is alpha."""
    return Apply("student critical", (expr(alpha), expr(df)))


def student_tail(t: Any, df: Any) -> Expr:
    """Two-sided p value: the probability of a value further out than t."""
    return Apply("student tail", (expr(t), expr(df)))


def chi_squared_tail(x: Any, df: Any) -> Expr:
    """The probability that a chi-squared number with df degrees of freedom is above x."""
    return Apply("chi-squared tail", (expr(x), expr(df)))


def f_tail(f: Any, between: Any, within: Any) -> Expr:
    """The probability that an F number with two degrees of freedom is above f."""
    return Apply("F tail", (expr(f), expr(between), expr(within)))


def normal_below(z: Any) -> Expr:
    """The probability that a standard normal number is below z."""
    return Apply("normal below", (expr(z),))


def normal_quantile(probability: Any) -> Expr:
    """The z below which a standard normal number lies with this probability."""
    return Apply("normal quantile", (expr(probability),))


def sum_(column: Any, over: Axis | None = None, window: Window | None = None) -> Expr:
    """Sum over a column, or over the part of it that a window opens; of a product the spreadsheet's SUMPRODUCT."""
    return Reduce("sum", column, over, window=window)


def mean(column: Any) -> Expr:
    return Reduce("mean", column)


def count(column: Expr) -> Expr:
    """How many entries a column has."""
    return Reduce("count", column)


def min_(column: Any) -> Expr:
    return Reduce("min", column)


def max_(column: Any) -> Expr:
    return Reduce("max", column)


def standard_deviation(column: Any) -> Expr:
    """With divisor n - 1, as a spreadsheet's STDEV."""
    return Reduce("standard deviation", column)


def median(column: Any) -> Expr:
    return Reduce("median", column)


def mode(column: Any) -> Expr:
    """The most frequent value, the smallest of equally frequent ones."""
    return Reduce("mode", column)


def arg_max(column: Any) -> Expr:
    """Position, counted from 1, of the first largest entry."""
    return Reduce("argmax", column)


def arg_min(column: Any) -> Expr:
    """Position, counted from 1, of the first smallest entry."""
    return Reduce("argmin", column)


def nth_smallest(column: Any, k: Any) -> Expr:
    """The entry at place k, counted from 1, of the ordered column."""
    body = expr(column)
    return Reduce("nth smallest", body, only_axis("nth smallest", body), (expr(k),))


def dot(left: Iterable[Any], right: Iterable[Any]) -> Expr:
    """Dot product of two lists of expressions."""
    return Dot(zip(left, right, strict=True))


def rank(column: Cell) -> Expr:
    """Place of each entry in the ordered column, counted from 1."""
    return Rank(column)


def lookup(column: Cell | ColumnOf, place: Any) -> Expr:
    """The entry of ``column`` at ``place``, counted from 1."""
    return Lookup(column, place)


def previous(column: Cell) -> Expr:
    """The value of a recurring column after the pass before."""
    return Previous(column)
