"""Counts as confidence: what is minimized, term by term; predictions are shown with those of other factors."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.data.ratings import Ratings
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis
from pellucid.working.language import sum_
from pellucid.working.model import Working
from pellucid.working.shown._ratings import refuse_large, words
from pellucid.working.shown.matrix_factorization import predict

__all__ = ["fit", "predict"]


@shows("ImplicitALS.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    """The weighted squares of all pairs, and the penalty."""
    ratings: Ratings = data.table
    w.title = "Preferences and how sure they are"
    w.intro = "Every pair counts: what was done as 1, the surer the more often; what was not as 0, with confidence 1."
    refuse_large(model, ratings)
    passes = data.record["passes"][1]
    w.step("Passes", "The objective after each.")
    turns = Axis("pass", passes[-40:, 0].astype(int).tolist(), "t", "T")
    w.given("objective_by_pass", passes[-40:, 1], turns, symbol="J", label="objective")
    n, m = len(model.users_), len(model.items_)
    starts, indices, sure = model._confident(ratings.by_user)
    c, p = np.ones((n, m)), np.zeros((n, m))
    user_indices = np.repeat(np.arange(n), np.diff(starts))
    c[user_indices, indices], p[user_indices, indices] = sure, 1
    w.step("Pairs", "What was done, how sure it is, and the product of the factors.")
    labels = [f"{user}, {item}" for user in words(model.users_) for item in words(model.items_)]
    axis = Axis("pair", labels, "k", "n")
    x, y = model.user_factors_.astype(np.float64), model.item_factors_.astype(np.float64)
    preference = w.given("p", p.ravel(), axis, symbol="p", label="done")
    weight = w.given("c", c.ravel(), axis, symbol="c", label="confidence")
    product = w.given("s", (x @ y.T).ravel(), axis, symbol="s", label="product of factors")
    e = w.cell("e", weight * (preference - product) ** 2, symbol="e", label="weighted square")
    w.step("Objective", "The sum of the squares, and the penalty on all factors.")
    reg = w.given("reg", float(model.reg), symbol=r"\lambda", label="reg")
    size = w.given("size", float((x**2).sum() + (y**2).sum()), symbol=r"\text{size}", label="sum of squared factors")
    w.cell("objective", sum_(e) + reg * size, symbol="J", label="objective", equals=model.objective_,
           attribute="objective_", tolerance=1e-4 if model.dtype == "float32" else 1e-9)  # fmt: skip
