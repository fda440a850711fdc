"""How the tests of `pellucid.model_selection` come to their verdicts.

Curves and simulations are shown by the modules beside this one that begin with an underscore.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pellucid.working.entry import shows
from pellucid.working.expression import Axis, Cell, Expr, expr
from pellucid.working.language import (
    absolute,
    count,
    lookup,
    mean,
    normal_below,
    nth_smallest,
    previous,
    rank,
    sqrt,
    student_critical,
    student_tail,
    sum_,
    where,
)
from pellucid.working.model import Working
from pellucid.working.shown import _curves, _simulation

BESIDE = (_curves, _simulation)  # they register when they are imported


def _folds(w: Working, **columns: Any) -> list[Cell]:
    """The scores, one row a fold."""
    w.step("Scores", "One score a fold.")
    first = next(iter(columns.values()))
    axis = Axis("fold", range(1, len(np.ravel(first)) + 1), "k", "K")
    marks = {"first": "a", "second": "b", "scores": "a"}
    return [
        w.given(name, np.ravel(np.asarray(values, dtype=np.float64)), axis, symbol=marks[name], label=name)
        for name, values in columns.items()
    ]


def _spread(w: Working, column: Cell, share: float) -> tuple[Cell, Cell]:
    """Mean and standard error of it, the latter widened because the folds share training rows."""
    m = w.cell("mean", mean(column), symbol="m", label="mean")
    square = w.cell(
        "variance", sum_((column - m) ** 2) / (count(column) - 1), symbol="s^2", label="variance, divisor K − 1"
    )
    rho = w.given("test_share", float(share), symbol=r"\rho", label="rows held out over rows fitted")
    error = w.cell("standard_error", sqrt((1 / count(column) + rho) * square), symbol="e", label="standard error")
    return m, error


@shows("model_selection.corrected_t_test")
def corrected_t_test(w: Working, result: Any, first: ArrayLike, second: ArrayLike, test_share: float) -> None:
    w.title = "Paired t-test, corrected for folds that share training rows"
    w.intro = "Is the difference of two models on the same folds more than chance?"
    a, b = _folds(w, first=first, second=second)
    w.step("Differences", "Fold by fold.")
    d = w.cell("difference", a - b, symbol="d", label="first less second")
    w.step("Mean and standard error", "Without the share ρ the folds would count as independent, which they are not.")
    m, error = _spread(w, d, test_share)
    w.check(m, result.difference, "difference", scale=float(np.abs(a.value).max()))
    if error.value == 0 or not np.isfinite(result.statistic):
        w.note("The differences are equal on every fold: there is no spread to measure them by.")
        return
    w.step("Test", "The difference in standard errors, and how often chance alone gives as much.")
    t = w.cell(
        "t", m / error, symbol="t", label="t value", equals=result.statistic, attribute="statistic", tolerance=1e-8
    )
    df = w.cell("df", count(d) - 1, symbol=r"\nu", label="degrees of freedom", equals=result.df, attribute="df")
    w.cell(
        "p",
        student_tail(t, df),
        symbol="p",
        label="p value",
        equals=result.p_value,
        attribute="p_value",
        tolerance=1e-7,
    )


@shows("model_selection.bayesian_t_test")
def bayesian_t_test(
    w: Working, result: Any, first: ArrayLike, second: ArrayLike, test_share: float, rope: float = 0.0
) -> None:
    w.title = "Bayesian correlated t-test"
    w.intro = "How probable is it that one model is better than the other, or that the difference does not matter?"
    a, b = _folds(w, first=first, second=second)
    w.step("Differences", "Fold by fold.")
    d = w.cell("difference", a - b, symbol="d", label="first less second")
    w.step("Mean and standard error", "Without the share ρ the folds would count as independent, which they are not.")
    m, error = _spread(w, d, test_share)
    w.check(m, result.difference, "difference", scale=float(np.abs(a.value).max()))
    if error.value == 0 or result.scale == 0:
        w.note("The differences are equal on every fold: there is no spread to measure them by.")
        return
    w.step("Region of practical equivalence", "Its ends, in standard errors from the mean difference.")
    r = w.given("rope", float(rope), symbol="r", label="differences up to this size do not matter")
    df = w.cell("df", count(d) - 1, symbol=r"\nu", label="degrees of freedom", equals=result.df, attribute="df")
    upper = w.cell("upper", (r - m) / error, symbol="u", label="upper end")
    lower = w.cell("lower", (-r - m) / error, symbol="l", label="lower end")
    w.step("Probabilities", "Areas below Student's density, half of the tails beyond ±t to either side.")
    marks = {"upper": (upper, "F_u"), "lower": (lower, "F_l")}
    area = {
        name: w.cell(
            f"below_{name}",
            where(end > 0, 1 - student_tail(absolute(end), df) / 2, student_tail(absolute(end), df) / 2),
            symbol=symbol,
            label=f"area below the {name} end",
        )
        for name, (end, symbol) in marks.items()
    }
    probabilities = {
        "p_first": (1 - area["upper"], "the first is better"),
        "p_equivalent": (area["upper"] - area["lower"], "the difference does not matter"),
        "p_second": (area["lower"] + 0.0, "the second is better"),
    }
    for name, (formula, label) in probabilities.items():
        w.cell(name, formula, symbol=f"P_{{{name[2]}}}", label=label, equals=getattr(result, name), attribute=name,
               tolerance=1e-7, scale=1.0)  # fmt: skip


@shows("model_selection.score_interval")
def score_interval(w: Working, result: Any, scores: ArrayLike, test_share: float = 0.0, level: float = 0.95) -> None:
    w.title = "The mean of the folds' scores, and how sure it is"
    (a,) = _folds(w, scores=scores)
    w.step("Mean and standard error", "Without the share ρ the folds would count as independent, which they are not.")
    m, error = _spread(w, a, test_share)
    w.check(m, result.mean, "mean", scale=float(np.abs(a.value).max()))
    w.step("Interval", "So many standard errors to either side.")
    alpha = w.given("alpha", 1 - level, symbol=r"\alpha", label="chance of missing it")
    t = w.cell("critical", student_critical(alpha, count(a) - 1), symbol="t", label="critical value")
    size = abs(result.low) + abs(result.high)
    for name, formula, mark in (("low", m - t * error, "L"), ("high", m + t * error, "U")):
        w.cell(name, formula, symbol=mark, label=f"{name} end", equals=getattr(result, name), attribute=name,
               tolerance=1e-8, scale=size)  # fmt: skip


@shows("model_selection.mcnemar_test")
def mcnemar_test(
    w: Working, result: Any, first_right: ArrayLike, second_right: ArrayLike, method: str = "auto"
) -> None:
    w.title = "McNemar's test"
    w.intro = "Rows that both get right, or both wrong, say nothing; the others are coin tosses if the two are equal."
    is_correct = [np.asarray(flags, dtype=bool).ravel().astype(np.float64) for flags in (first_right, second_right)]
    axis = Axis("row", range(1, len(is_correct[0]) + 1))
    w.step("Who is right", "1 for right, 0 for wrong.")
    a = w.given("first_right", is_correct[0], axis, symbol="a", label="first")
    b = w.given("second_right", is_correct[1], axis, symbol="b", label="second")
    w.step("Counts", "Rows on which only one of them is right.")
    only_a = w.cell("only_first", sum_(where(a > b, 1, 0)), symbol="n_1", label="only the first")
    only_b = w.cell("only_second", sum_(where(b > a, 1, 0)), symbol="n_2", label="only the second")
    w.cell("difference", (only_a - only_b) / count(a), symbol="d", label="difference of the shares",
           equals=result.difference, attribute="difference", scale=1.0)  # fmt: skip
    if result.df == 0:
        _exact(w, result, only_a, only_b)
        return
    w.step("Test", "The squared difference, made one smaller because counts are whole numbers, over their sum.")
    less = where(absolute(only_a - only_b) > 1, absolute(only_a - only_b) - 1, 0)
    both = where(only_a + only_b > 0, only_a + only_b, 1)
    square = w.cell(
        "chi2", less**2 / both, symbol="X^2", label="chi-square", equals=result.statistic, attribute="statistic"
    )
    w.cell("p", 2 * normal_below(-sqrt(square)), symbol="p", label="p value: X is a normal number, of either sign",
           equals=result.p_value, attribute="p_value", tolerance=1e-7)  # fmt: skip


def _exact(w: Working, result: Any, only_a: Cell, only_b: Cell) -> None:
    """Twice the chance of so few heads, or fewer, in so many tosses."""
    tosses = int(only_a.value + only_b.value)
    w.step("Tosses", "How often a fair coin shows k heads: each line from the one before.")
    heads = Axis("heads", range(tosses + 1), "k", "K", raised=True)
    n = w.cell("tosses", only_a + only_b, symbol="n", label="tosses")
    k = w.given("k", np.arange(tosses + 1.0), heads, symbol="k", label="heads")
    none = w.cell("none", expr(0.5) ** n, symbol="P_0", label="no heads at all")
    probability = w.recurring("chance", heads, none, symbol="P", label="chance of k heads")
    step: Expr = where(k > 0, previous(probability) * (n - k + 1) / where(k > 0, k, 1), none)
    w.becomes(probability, step)
    w.run(heads)
    w.step("Test", "So few heads or fewer, on either side.")
    few = w.cell("fewer", where(only_a < only_b, only_a, only_b), symbol="m", label="the smaller count")
    tail = w.cell("tail", sum_(where(k <= few, probability, 0)), symbol="Q", label="chance of so few")
    w.cell(
        "p", where(2 * tail < 1, 2 * tail, 1), symbol="p", label="p value", equals=result.p_value, attribute="p_value"
    )


@shows("model_selection.holm")
def holm(w: Working, result: Any, p_values: ArrayLike) -> None:
    w.title = "Several tests at once: Holm's p values"
    w.intro = "The smallest p value is charged for all tests, the next for one less, and so on."
    values = np.ravel(np.asarray(p_values, dtype=np.float64))
    tests = Axis("test", range(1, len(values) + 1))
    w.step("p values", "One a test, and its place among them in rising order.")
    p = w.given("p", values, tests, symbol="p", label="p value")
    at = w.cell("place", rank(p), symbol="r", label="place")
    w.step("In rising order", "Each times the tests that are left; never below the one before.")
    rank_axis = Axis("place", range(1, len(values) + 1), "k", "m", raised=True)
    k = w.given("k", np.arange(1.0, len(values) + 1), rank_axis, symbol="k", label="place")
    ordered = w.becomes("ordered", nth_smallest(p, k), axis=rank_axis, symbol="s", label="p value at place k")
    times = w.becomes("times", (count(p) - k + 1) * ordered, axis=rank_axis, symbol="q", label="times the tests left")
    top = w.recurring("raised", rank_axis, 0, symbol="u", label="not below the one before")
    w.becomes(top, where(times > previous(top), times, previous(top)))
    w.run(rank_axis)
    w.step("Back to the tests", "At most 1.")
    charged = w.cell("found", lookup(top, at), symbol="h", label="at the test's place")
    w.cell("holm", where(charged < 1, charged, 1), symbol="p'", label="Holm's p value", equals=result, attribute="holm",
           scale=1.0)  # fmt: skip
