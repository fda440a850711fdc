"""How `ElasticNetCV` and `LassoCV` choose their penalty, and what the chosen one gives."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Expr
from pellucid.working.language import arg_min, lookup, min_
from pellucid.working.model import Working
from pellucid.working.shown import linear_regression
from pellucid.working.shown._least_squares import Problem
from pellucid.working.shown.elastic_net import Penalized, lay_out


@shows("ElasticNetCV.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    show_fit(w, model, data, "Elastic net", [float(ratio) for ratio in np.atleast_1d(model.l1_ratio)])


def show_fit(w: Working, model: Any, data: Given, name: str, ratios: list[float]) -> None:
    """The choice among the penalties, and the fit with the chosen one."""
    w.title = f"{name}: the choice of its penalty"
    errors = np.asarray(model.mse_path_, dtype=np.float64).reshape(len(ratios), -1, _folds(model, ratios))
    alphas = np.broadcast_to(np.atleast_2d(model.alphas_), errors.shape[:2])
    tried, times = errors.shape[1] * len(ratios), errors.shape[2]
    w.intro = (
        f"{counted(tried, 'penalty', 'penalties')}, each fitted {counted(times, 'time')} with a part of the rows held "
        "out; the one whose errors on those rows are smallest on average is taken."
    )
    ratio_index = ratios.index(float(getattr(model, "l1_ratio_", 1.0)))
    problem = Problem.read(w, model, data)
    if len(ratios) > 1:
        w.note(f"Of {len(ratios)} mixes the errors of the one that was chosen are shown, {ratios[ratio_index]:g}.")
    _choose(w, model, alphas[ratio_index], errors[ratio_index])
    lay_out(Penalized(problem, name, float(model.alpha_), ratios[ratio_index]), None)
    problem.predictions()


def _folds(model: Any, ratios: list[float]) -> int:
    """How many folds: the errors are a table of mixes, alphas and folds whose single entries are dropped."""
    n_alphas: int = np.atleast_2d(model.alphas_).shape[1]
    return int(np.size(model.mse_path_)) // (n_alphas * len(ratios))


def _choose(w: Working, model: Any, alphas: Any, errors: Any) -> None:
    w.step("Errors on rows held out", "For each alpha the mean squared error on the rows that its fit did not see.")
    axis = w.axis("penalty", len(alphas), "a", "A")
    strength = w.given("alphas", np.asarray(alphas, dtype=np.float64), axis, symbol=r"\alpha", label="alpha")
    folds: list[Expr] = [
        w.given(f"fold_{k + 1}", errors[:, k], axis, symbol=f"m_{{{k + 1}}}", label=f"error on fold {k + 1}")
        for k in range(errors.shape[1])
    ]
    mean = w.cell("mean_error", reduce(add, folds) / len(folds), symbol="m", label="mean error")
    w.step("Choice", "The alpha with the smallest mean error, the largest of equals.")
    w.cell("least_error", min_(mean), symbol="m_{min}", label="smallest mean error")
    best_index = w.cell("place", arg_min(mean), symbol="k", label="its place")
    w.cell(
        "chosen_alpha", lookup(strength, best_index), symbol=r"\alpha^*", label="alpha chosen",
        equals=float(model.alpha_),
        attribute="alpha_",
    )  # fmt: skip


@shows("ElasticNetCV.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    linear_regression.predict(w, model, data)
    w.title = "Elastic net: predictions"
