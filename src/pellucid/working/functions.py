"""The functions of the language, each with its readings side by side.

A function of single numbers is an entry of `FUNCTIONS`, a function of a whole column one of `REDUCTIONS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import chdtrc, fdtrc, ndtr, ndtri, stdtr, stdtrit

from pellucid.base.types import Array


@dataclass(frozen=True)
class Function:
    """One function with its readings: how to compute it, how a spreadsheet writes it, how it is written in a formula.

    ``sheet`` is a template with the arguments' formulas; ``written`` is the kind of notation, see `notation`. A
    spreadsheet evaluates some functions entry by entry only inside an array formula: ``scalar_only``.
    """

    compute: Callable[..., Any]
    sheet: str
    written: str
    scalar_only: bool = False


def _same(a: Any, b: Any) -> Any:
    return np.asarray(a) == np.asarray(b)


def _quiet(compute: Callable[..., Any]) -> Callable[..., Any]:
    def run(*args: Any) -> Any:
        with np.errstate(all="ignore"):
            return compute(*args)

    return run


def _counting(compute: Callable[..., Any]) -> Callable[..., Any]:
    """Flags in a sum count as 0 and 1, as in a spreadsheet."""

    def run(*args: Any) -> Any:
        return compute(*(np.asarray(arg, dtype=float) if np.asarray(arg).dtype == bool else arg for arg in args))

    return run


def _rounded(a: Any, digits: Any) -> Any:
    """Halves away from zero, as a spreadsheet rounds."""
    unit = 10.0 ** int(digits)
    return np.sign(a) * np.floor(np.abs(a) * unit + 0.5) / unit


FUNCTIONS: dict[str, Function] = {
    "+": Function(_counting(np.add), "{}+{}", "sum"),
    "-": Function(_counting(np.subtract), "{}-{}", "difference"),
    "*": Function(_counting(np.multiply), "{}*{}", "product"),
    "/": Function(_counting(_quiet(np.divide)), "{}/{}", "fraction"),
    "^": Function(_counting(_quiet(np.float_power)), "{}^{}", "power"),
    "neg": Function(_counting(np.negative), "-{}", "negative"),
    "<": Function(np.less, "{}<{}", "<"),
    "<=": Function(np.less_equal, "{}<={}", "≤"),
    ">": Function(np.greater, "{}>{}", ">"),
    ">=": Function(np.greater_equal, "{}>={}", "≥"),
    "=": Function(_same, "{}={}", "="),
    "if": Function(np.where, "IF({},{},{})", "cases", scalar_only=True),
    "exp": Function(np.exp, "EXP({})", "exponential"),
    "ln": Function(_quiet(np.log), "LN({})", "call ln"),
    "log": Function(_quiet(lambda a, b: np.log(a) / np.log(b)), "LOG({},{})", "logarithm"),
    "sqrt": Function(_quiet(np.sqrt), "SQRT({})", "root"),
    "abs": Function(np.abs, "ABS({})", "bars"),
    "smallest": Function(
        lambda a, b, c: np.minimum(np.minimum(a, b), c), "MIN({},{},{})", "call min", scalar_only=True
    ),
    "floor": Function(np.floor, "INT({})", "floor"),
    "round": Function(_rounded, "ROUND({},{})", "call round"),
    "sign": Function(np.sign, "SIGN({})", "call sign"),
    "sin": Function(np.sin, "SIN({})", "call sin"),
    "cos": Function(np.cos, "COS({})", "call cos"),
    "tanh": Function(np.tanh, "TANH({})", "call tanh"),
    "angle": Function(lambda x, y: np.arctan2(y, x), "IF(ABS({0})+ABS({1})=0,0,ATAN2({0},{1}))", "call angle", True),
    "student critical": Function(lambda a, df: stdtrit(df, 1 - np.asarray(a) / 2), "TINV({},{})", "student critical"),
    "student tail": Function(lambda t, df: 2 * stdtr(df, -np.abs(t)), "TDIST(ABS({}),{},2)", "student tail"),
    "chi-squared tail": Function(lambda x, df: chdtrc(df, x), "CHIDIST({},{})", "chi-squared tail"),
    "F tail": Function(lambda f, a, b: fdtrc(a, b, f), "FDIST({},{},{})", "F tail"),
    "normal below": Function(ndtr, "NORMSDIST({})", "call Φ"),
    "normal quantile": Function(ndtri, "NORMSINV({})", "normal quantile"),
    "pi": Function(lambda: np.pi, "PI()", "π"),
}


@dataclass(frozen=True)
class Reduction:
    """A function of a whole column, with its readings. ``sheet`` takes the range and what else it needs."""

    compute: Callable[..., Any]
    sheet: str
    written: str


def _position(compute: Callable[[Any], Any]) -> Callable[[Any], int]:
    return lambda values: int(compute(np.asarray(values))) + 1


def _mode(values: Array) -> Any:
    distinct, counts = np.unique(values, return_counts=True)
    return distinct[np.argmax(counts)]


REDUCTIONS: dict[str, Reduction] = {
    "sum": Reduction(np.sum, "SUM({})", "sum"),
    "mean": Reduction(np.mean, "AVERAGE({})", "mean"),
    "count": Reduction(np.size, "ROWS({})", "count"),
    "min": Reduction(np.min, "MIN({})", "list min"),
    "max": Reduction(np.max, "MAX({})", "list max"),
    "standard deviation": Reduction(lambda v: np.std(v, ddof=1), "STDEV({})", "list sd"),
    "variance": Reduction(lambda v: np.var(v, ddof=1), "VAR({})", "list var"),
    "median": Reduction(np.median, "MEDIAN({})", "list median"),
    "argmax": Reduction(_position(np.argmax), "MATCH(MAX({0}),{0},0)", "list arg max"),
    "argmin": Reduction(_position(np.argmin), "MATCH(MIN({0}),{0},0)", "list arg min"),
    "mode": Reduction(_mode, "", "list mode"),
    "nth smallest": Reduction(lambda v, k: np.sort(v)[int(k) - 1], "SMALL({},{})", "smallest"),
}
