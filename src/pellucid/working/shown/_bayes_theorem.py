"""Bayes' theorem step by step, and the least error between bells from their crossing points."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.working.entry import shows
from pellucid.working.expression import Axis, Cell, Expr, expr
from pellucid.working.language import exp, ln, normal_below, pi, sqrt, sum_
from pellucid.working.model import Working


@shows("stats.bayes")
def bayes(
    w: Working, result: Any, prior: Any, likelihood: Any, *, evidence: float | None = None, complement: Any = None
) -> None:
    w.title = "Bayes' theorem"
    w.intro = "What is believed of a hypothesis H after evidence E: P(H | E) = P(E | H) P(H) / P(E)."
    w.step("Given", "The prior P(H), and the likelihood P(E | H) of the evidence under the hypothesis.")
    axis = None
    if np.ndim(result.prior):
        axis = Axis("hypothesis", range(1, len(result.prior) + 1), "k", "K")
    p = w.given("prior", result.prior, axis, symbol="P", label="prior")
    q = w.given("likelihood", result.likelihood, axis, symbol="L", label="likelihood")
    w.step("Product", "Both at once: P(E and H).")
    joint = w.cell("joint", q * p, symbol="J", label="likelihood times prior", equals=result.joint, attribute="joint")
    evidence_cell = _evidence(w, result, joint, p, evidence, complement)
    w.step("Posterior", "The product as a share of the evidence.")
    after = w.cell("probability", joint / evidence_cell, symbol="Q", label="posterior", equals=result.probability,
                   attribute="probability", scale=1.0)  # fmt: skip
    if (np.ravel(result.prior) < 1).all() and (np.ravel(result.probability) < 1).all() and np.ravel(result.prior).all():
        _odds(w, result, p, after)


def _evidence(w: Working, result: Any, joint: Cell, p: Cell, evidence: float | None, complement: Any) -> Cell:
    if evidence is not None:
        w.step("Evidence", "How likely the evidence is at all: it is given.")
        return w.given("evidence", float(evidence), symbol="P_E", label="evidence, as given")
    w.step("Evidence", "How likely the evidence is at all: the products of all hypotheses, added.")
    if complement is None:
        formula: Expr = sum_(joint)
    else:
        opposite = w.given("complement", float(complement), symbol="C", label="likelihood under the opposite")
        formula = joint + opposite * (1 - p)
    return w.cell("evidence", formula, symbol="P_E", label="evidence", equals=result.evidence, attribute="evidence")


def _odds(w: Working, result: Any, p: Cell, after: Cell) -> None:
    w.step("In odds", "A probability against its opposite; the evidence multiplies the odds by the Bayes factor.")
    before = w.cell("prior_odds", p / (1 - p), symbol="o", label="odds before", equals=result.prior_odds,
                    attribute="prior_odds")  # fmt: skip
    now = w.cell("odds", after / (1 - after), symbol="O", label="odds after", equals=result.odds, attribute="odds",
                 tolerance=1e-6)  # fmt: skip
    w.cell("bayes_factor", now / before, symbol="B", label="Bayes factor", equals=result.bayes_factor,
           attribute="bayes_factor", tolerance=1e-6)  # fmt: skip


# ---------------------------------------------------------------------------------------------------------- least error


@shows("stats.bayes_error")
def bayes_error(w: Working, result: Any, densities: Any, priors: Any = None, *, limits: Any = None) -> None:
    w.title = "The least error between known densities"
    w.intro = "The best rule answers with the class of the largest prior times density; it errs where the others lie."
    w.step("Classes", "The prior of each class, and its bell.")
    axis = Axis("class", range(len(result.priors)), "c", "C")
    p = [w.given(f"p_{k}", float(value), symbol=f"p_{k}", label=f"prior of class {k}")
         for k, value in enumerate(result.priors)]  # fmt: skip
    if any(callable(density) for density in densities):
        w.given("area", np.array(result.areas), axis, symbol="a", label="error of each class, by integration")
        w.note("Densities that are functions are integrated numerically.")
        w.step("Error", "The areas of all classes.")
        w.cell("error", sum_(w.cells["area"]), symbol="e", label="least error", equals=result.error, attribute="error")
        return
    m = [
        w.given(f"m_{k}", float(density[0]), symbol=f"m_{k}", label=f"mean of {k}")
        for k, density in enumerate(densities)
    ]
    s = [
        w.given(f"s_{k}", float(density[1]), symbol=f"s_{k}", label=f"width of {k}")
        for k, density in enumerate(densities)
    ]
    t = _thresholds(w, result, p, m, s)
    _areas(w, result, t, p, m, s)


def _thresholds(w: Working, result: Any, p: list[Cell], m: list[Cell], s: list[Cell]) -> list[Cell]:
    w.step("Thresholds", "Where the best answer changes: two weighted bells have the same height.")
    if not result.thresholds:
        w.note("One class has the largest product everywhere: there is no threshold.")
        return []
    if len(p) == 2:
        return _two_bells(w, result, p, m, s)
    thresholds = []
    for i, value in enumerate(result.thresholds):
        t = w.given(f"t_{i + 1}", float(value), symbol=f"t_{i + 1}", label="threshold")
        left, right = result.regions[i].winner, result.regions[i + 1].winner
        height = w.cell(f"left_{i + 1}", p[left] * _bell(t, m[left], s[left]), symbol=f"u_{i + 1}",
                        label=f"height of class {left}")  # fmt: skip
        w.cell(f"right_{i + 1}", p[right] * _bell(t, m[right], s[right]), symbol=f"v_{i + 1}",
               label=f"height of class {right}", equals=height.value, attribute="thresholds")  # fmt: skip
        thresholds.append(t)
    return thresholds


def _bell(x: Expr, m: Cell, s: Cell) -> Expr:
    return exp(-(((x - m) / s) ** 2) / 2) / (s * sqrt(2 * pi()))


def _two_bells(w: Working, result: Any, p: list[Cell], m: list[Cell], s: list[Cell]) -> list[Cell]:
    """The logarithms of both heights are equal where a quadratic equation in x holds."""
    size = max(abs(value) for value in result.thresholds)
    same = float(s[0].value) == float(s[1].value)
    a: Expr = expr(0)
    if not same:
        a = w.cell("a", 1 / (2 * s[0] ** 2) - 1 / (2 * s[1] ** 2), symbol="a", label="of x²")
    b = w.cell("b", m[1] / s[1] ** 2 - m[0] / s[0] ** 2, symbol="b", label="of x")
    c = w.cell("c", m[0] ** 2 / (2 * s[0] ** 2) - m[1] ** 2 / (2 * s[1] ** 2) - ln(p[0] * s[1] / (p[1] * s[0])),
               symbol="c", label="without x")  # fmt: skip
    if same:
        return [w.cell("t_1", -c / b, symbol="t_1", label="threshold", equals=result.thresholds[0],
                       attribute="thresholds", scale=size)]  # fmt: skip
    root = w.cell("root", sqrt(b**2 - 4 * a * c), symbol="d", label="root of b² − 4ac")
    first, second = (-b - root) / (2 * a), (-b + root) / (2 * a)
    roots = [first, second] if float(a.value) > 0 else [second, first]
    return [
        w.cell(f"t_{i + 1}", formula, symbol=f"t_{i + 1}", label="threshold", equals=result.thresholds[i],
               attribute="thresholds", scale=size, tolerance=1e-6)
        for i, formula in enumerate(roots)
    ]  # fmt: skip


def _areas(w: Working, result: Any, t: list[Cell], p: list[Cell], m: list[Cell], s: list[Cell]) -> None:
    w.step("Areas", "Of each class: its prior times its share where another class is the answer.")
    areas: list[Cell] = []
    for k in range(len(p)):
        formula: Expr | None = None
        for i, region in enumerate(result.regions):
            if region.winner == k:
                continue
            high = normal_below((t[i] - m[k]) / s[k]) if i < len(t) else expr(1)
            part = high - normal_below((t[i - 1] - m[k]) / s[k]) if i > 0 else high
            formula = part if formula is None else formula + part
        if formula is None:
            areas.append(w.given(f"area_{k}", 0.0, symbol=f"a_{k}", label=f"class {k} is always the answer"))
            continue
        areas.append(w.cell(f"area_{k}", p[k] * (formula), symbol=f"a_{k}", label=f"errors of class {k}",
                            equals=result.areas[k], attribute=f"areas[{k}]", scale=1.0))  # fmt: skip
    w.step("Error", "The areas of all classes together.")
    every: Expr = areas[0]
    for area in areas[1:]:
        every = every + area
    w.cell("error", every, symbol="e", label="least error", equals=result.error, attribute="error", scale=1.0)
