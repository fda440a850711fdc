"""How `RidgeCV` and `RidgeClassifierCV` choose their penalty, and what they fit with it."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.base.types import Floats
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr
from pellucid.working.language import arg_max, count, dot, lookup, max_
from pellucid.working.matrix import Block, Grid
from pellucid.working.model import Working
from pellucid.working.shown import ridge as plain
from pellucid.working.shown._least_squares import Problem

# Penalties whose rows left out are laid out in full, and columns up to which that can be read.
MOST_ALPHAS = 6
MOST_COLUMNS = 4


@shows("RidgeCV.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Ridge regression: the choice of the penalty"
    w.intro = (
        f"The best of {counted(_alphas(model).size, 'penalty', 'penalties')}, {_how(model)}, and its fit to all rows."
    )
    problem = Problem.read(w, model, data)
    _choose_and_fit(problem, single=np.ndim(data.options["y"]) == 1)
    problem.predictions()


@shows("RidgeClassifierCV.fit")
def classes(w: Working, model: Any, data: Given) -> None:
    problem = plain.signs(w, model, data)
    w.title = "Classes by ridge regression: the choice of the penalty"
    _choose_and_fit(problem, single=len(np.atleast_2d(model.coef_)) == 1)
    plain.scores(problem)


def _alphas(model: Any) -> Floats:
    return np.atleast_1d(np.asarray(model.alphas, dtype=np.float64))


def _how(model: Any) -> str:
    if model.cv is not None:
        return "by the mean score over parts of the rows that were left out of the fit"
    by = "squared error" if model.scoring is None else f"score {model.scoring!r}"
    return f"by the {by} of rows that were left out of the fit, one at a time"


def _choose_and_fit(problem: Problem, single: bool) -> None:
    """The penalties and their scores, the chosen one, and the coefficients that it gives."""
    w, model = problem.w, problem.model
    alphas = _alphas(model)
    axis = Axis("place", range(1, len(alphas) + 1), "k", "a")
    found = np.asarray(model.alpha_scores_, dtype=np.float64)
    known = found[problem.data.target] if found.ndim == 2 else found
    w.step("Penalties", "Those to choose from.")
    a = w.given("alphas", alphas, axis, symbol=r"\alpha", label="penalty")
    if single and _can_be_laid_out(problem, alphas):
        of = plain.centered(problem)
        each = [_left_out(problem, of, a, k, float(known[k])) for k in range(len(known))]
        w.step("Scores", "Minus the mean of the squared errors of rows left out: the larger the better.")
        listed = w.block("score_column", Grid([[one] for one in each], axis, Axis("", ["score"])), symbol="q")
        score = w.cell("scores", listed.column(0, "q"), symbol="Q", label="score")
        plain.solved(problem, of, _best(problem, a, score), problem.tolerance)
        return
    w.note("The scores of the penalties are taken as the model found them.")
    w.step("Scores", f"Found {_how(model)}: the larger the better.")
    score = w.given("scores", known, axis, symbol="Q", label="score")
    score.attribute = "alpha_scores_"
    plain.fitted(problem, _best(problem, a, score), 0.0)


def _can_be_laid_out(problem: Problem, alphas: Floats) -> bool:
    model = problem.model
    if model.cv is not None or model.scoring is not None or len(alphas) > MOST_ALPHAS:
        return False
    return len(problem.x) <= MOST_COLUMNS and plain.readable(problem, float(alphas.min()))


def _best(problem: Problem, a: Cell, score: Cell) -> Cell:
    """The chosen penalty, from the scores of all."""
    w, model = problem.w, problem.model
    target = problem.data.target if np.ndim(model.alpha_) else 0
    w.step("Choice", "The first penalty with the largest score.")
    w.cell(
        "best_score", max_(score), symbol="Q_{max}", label="best score",
        equals=float(np.atleast_1d(model.best_score_)[target]), attribute="best_score_",
        tolerance=1e-8 if problem.tolerance < 1e-6 else 1e-4,
    )  # fmt: skip
    place = w.cell("place", arg_max(score), symbol="k^{*}", label="its place")
    return w.cell(
        "alpha", lookup(a, place), symbol=r"\alpha^{*}", label="chosen penalty",
        equals=float(np.atleast_1d(model.alpha_)[target]), attribute="alpha_",
    )  # fmt: skip


def _left_out(problem: Problem, of: plain.Centered, a: Cell, k: int, known: float) -> Cell:
    """For a penalty: what the fit to all rows says, how much of it is the row's own doing, and the error without."""
    w, mark, columns = problem.w, f"{k + 1}", of.columns
    w.step(
        f"Penalty {a.value[k]:g}",
        "The prediction f, the share h of the row's own target in it, and the error that the row would have if left "
        "out of the fit: (v − f) / (1 − h).",
    )
    alpha = w.cell(f"alpha_{mark}", lookup(a, k + 1), symbol=f"a_{{{mark}}}", label="penalty")
    if isinstance(of.squares, Cell) and isinstance(of.products, Cell):
        below = w.cell(f"A_{mark}", of.squares + alpha, symbol=f"A_{{{mark}}}", label="squares with the penalty")
        fitted: Expr = columns[0] * (of.products / below)
        own: Expr = columns[0] ** 2 / below
    else:
        assert isinstance(of.squares, Block)
        assert isinstance(of.products, Block)
        _, C = plain.inverse(w, of.squares, alpha, mark)
        rows = of.squares.rows
        coef = w.block(f"w{mark}", C @ of.products, rows, Axis("", ["w"]), symbol=f"w_{{{mark}}}", label="coefficients")
        p = range(len(columns))
        fitted = dot([coef[j, 0] for j in p], columns)
        own = dot(columns, [dot([C[j, i] for i in p], columns) for j in p])
    f = w.cell(f"f_{mark}", fitted, symbol=f"f_{{{mark}}}", label="prediction less the mean")
    share = 1 / problem.size + own if problem.centered else own
    share = share if problem.weight is None else problem.weight * share
    h = w.cell(f"h_{mark}", share, symbol=f"h_{{{mark}}}", label="own share")
    e = w.cell(f"e_{mark}", (of.target - f) / (1 - h), symbol=f"e_{{{mark}}}", label="error when left out")
    return w.cell(
        f"score_{mark}", -problem.total(e**2) / count(problem.y), symbol=f"q_{{{mark}}}",
        label="minus the mean squared error", equals=known, attribute=f"alpha_scores_[{k}]",
        tolerance=1e-8 if problem.tolerance < 1e-6 else 1e-4,
    )  # fmt: skip
