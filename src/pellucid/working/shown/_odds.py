"""How odds, log odds and probabilities come from each other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pellucid.working.entry import shows
from pellucid.working.expression import Axis, Cell
from pellucid.working.language import exp, ln, normal_quantile, sqrt
from pellucid.working.model import Working


def _given(w: Working, values: ArrayLike, name: str, symbol: str, label: str) -> tuple[Cell, Any]:
    """The values as a number or a column; and their form."""
    array = np.asarray(values, dtype=np.float64)
    w.step("Given", label.capitalize() + ".")
    if array.ndim == 0:
        return w.given(name, float(array), symbol=symbol, label=label), float
    axis = Axis("case", range(1, array.size + 1))
    return w.given(name, array.ravel(), axis, symbol=symbol, label=label), np.ravel


@shows("stats.odds")
def odds(w: Working, result: Any, p: ArrayLike) -> None:
    w.title = "Odds: how much likelier it is than not"
    w.intro = "The probability of an event over the probability that it does not happen."
    probability, form = _given(w, p, "p", "p", "the probability of the event")
    w.step("Odds", "Against what is left of 1.")
    w.cell("odds", probability / (1 - probability), symbol="o", label="odds", equals=form(result), attribute="odds(p)")


@shows("stats.log_odds")
def log_odds(w: Working, result: Any, p: ArrayLike) -> None:
    w.title = "Log odds: the logit"
    w.intro = "The natural logarithm of the odds: 0 for one half, and symmetric around it."
    probability, form = _given(w, p, "p", "p", "the probability of the event")
    w.step("Odds", "Against what is left of 1.")
    odd = w.cell("odds", probability / (1 - probability), symbol="o", label="odds")
    w.step("Log odds", "Their natural logarithm.")
    w.cell("log_odds", ln(odd), symbol="t", label="log odds", equals=form(result), attribute="log_odds(p)", scale=1e-3)


@shows("stats.probability_from_odds")
def probability_from_odds(w: Working, result: Any, odds: ArrayLike) -> None:
    w.title = "Probability from odds"
    w.intro = "Odds of o to 1 are o cases in o + 1."
    odd, form = _given(w, odds, "odds", "o", "the odds of the event")
    w.step("Probability", "The cases for it, of all.")
    w.cell("p", odd / (1 + odd), symbol="p", label="probability", equals=form(result),
           attribute="probability_from_odds(odds)")  # fmt: skip


@shows("stats.logistic")
def logistic(w: Working, result: Any, t: ArrayLike) -> None:
    w.title = "The logistic function: probability from log odds"
    w.intro = "The sigmoid: 1/2 at zero, toward 0 and 1 at the ends."
    score, form = _given(w, t, "t", "t", "the log odds of the event")
    w.step("Probability", "1 over 1 and the power of e of the negative.")
    w.cell("p", 1 / (1 + exp(-score)), symbol="p", label="probability", equals=form(result), attribute="logistic(t)",
           tolerance=1e-8)  # fmt: skip


@shows("stats.odds_ratio")
def odds_ratio(w: Working, result: Any, table: ArrayLike, level: float = 0.95) -> None:
    w.title = "Odds ratio of two groups"
    w.intro = "The odds of the first group over those of the second, and how sure that is."
    (a, b), (c, d) = np.asarray(table, dtype=np.float64).tolist()
    w.step("Counts", "With the event and without it, in each group.")
    cells = [w.given(name, value, symbol=name) for name, value in zip("abcd", (a, b, c, d), strict=True)]
    w.step("Ratio", "Odds a/b over odds c/d.")
    ratio = w.cell("odds_ratio", cells[0] * cells[3] / (cells[1] * cells[2]), symbol=r"\omega", label="odds ratio",
                   equals=result.estimate, attribute="estimate")  # fmt: skip
    if not np.isfinite(result.standard_error):
        w.note("A count of zero: nothing bounds the ratio on that side.")
        return
    w.step("Interval", "The logarithm of the ratio is nearly normal.")
    error = w.cell("standard_error", sqrt(1 / cells[0] + 1 / cells[1] + 1 / cells[2] + 1 / cells[3]),
                   symbol=r"\text{se}", label="standard error of the logarithm", equals=result.standard_error,
                   attribute="standard_error")  # fmt: skip
    alpha = w.given("alpha", 1 - level, symbol=r"\alpha", label="chance of missing it")
    reach = w.cell("critical", normal_quantile(1 - alpha / 2), symbol="z^*", label="critical value")
    for name, formula, expected in (
        ("low", exp(ln(ratio) - reach * error), result.low),
        ("high", exp(ln(ratio) + reach * error), result.high),
    ):
        w.cell(name, formula, symbol="L" if name == "low" else "U", label=f"{name} end", equals=expected,
               attribute=name,
               tolerance=1e-7)  # fmt: skip
