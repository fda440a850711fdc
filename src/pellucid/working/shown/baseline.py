"""Biases of users and items: the last pass of their turns, and a rating as mean plus biases."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.data.ratings import Pairs, Ratings
from pellucid.estimator.recommender import row_numbers
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell
from pellucid.working.language import equal, lookup, mean, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown._ratings import pair_words, refuse_large, tie_prediction, words

SHOWN_PASSES = 40


@shows("BaselineRecommender.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    """The mean, and the last pass over items and users."""
    ratings: Ratings = data.table
    w.title = "Mean and biases"
    w.intro = "How much higher than the mean each user rates and each item is rated; users and items take turns."
    refuse_large(model, ratings)
    w.step("Ratings", "Each with the number of its user and of its item.")
    axis = Axis("rating", range(1, len(ratings) + 1), "k", "n")
    user = w.given("user", row_numbers(ratings.by_user) + 1.0, axis, symbol="u", label="user")
    item = w.given("item", ratings.by_user[1] + 1.0, axis, symbol="i", label="item")
    r = w.given("r", ratings.by_user[2], axis, symbol="r", label="rating")
    m = w.cell("mean", mean(r), symbol="m", label="mean", equals=model.mean_, attribute="mean_")
    passes = data.record["passes"][1]
    w.step("Passes", "How much the biases changed in each pass, and the sum of squares with the penalties.")
    passes_shown = passes[:SHOWN_PASSES]
    turns = Axis("pass", passes_shown[:, 0].astype(int).tolist(), "t", "T")
    w.given("change", passes_shown[:, 1], turns, symbol=r"\Delta", label="largest change")
    w.given("objective", passes_shown[:, 2], turns, symbol="J", label="objective")
    if len(passes) > SHOWN_PASSES:
        w.note(f"Of {len(passes)} passes the first {SHOWN_PASSES} are shown.")
    w.step("Users' biases", "As they were before the last pass, to the precision asked for.")
    users = Axis("user", words(model.users_), "u", "U")
    before = w.given("before", model.user_bias_, users, symbol="b", label="bias")
    scale = float(np.ptp(ratings.by_user[2])) or 1.0
    shared = (axis, r, m, scale)
    c = _side(w, shared, (item, user), before, "item", model.item_bias_, model.reg_item, words(model.items_), model.tol)
    _side(w, shared, (user, item), c, "user", model.user_bias_, model.reg_user, words(model.users_), model.tol)


def _side(
    w: Working, shared: tuple[Axis, Cell, Cell, float], codes: tuple[Cell, Cell], other_bias: Cell, name: str,
    fitted_bias: Any,
    penalty: float, labels: list[str], tol: float,
) -> Cell:  # fmt: skip
    """The biases of one side with those of the other held."""
    axis, r, m, scale = shared
    codes_of_side, across = codes
    w.step(f"Biases of {name}s", f"What is left of the {name}'s ratings, over their number plus the penalty.")
    side_axis = Axis(name, labels, name[0], name[0].upper())
    number = w.given(f"{name}_number", np.arange(1.0, len(labels) + 1), side_axis, symbol="k", label="number")
    residual_sums = sum_(where(equal(codes_of_side, number), r - m - lookup(other_bias, across), 0), axis)
    sums = w.cell(f"{name}_sum", residual_sums, symbol="S", label="sum of what is left")
    often = w.cell(f"{name}_count", sum_(where(equal(codes_of_side, number), 1, 0), axis), symbol="n", label="ratings")
    reg = w.given(f"reg_{name}", float(penalty), symbol=r"\lambda", label=f"reg_{name}")
    weight = often + reg
    formula = where(weight > 0, sums / where(weight > 0, weight, 1), 0)
    return w.cell(f"{name}_bias", formula, symbol="b", label="bias", equals=fitted_bias, attribute=f"{name}_bias_",
                  tolerance=max(10 * tol, 1e-9), scale=scale)  # fmt: skip


@shows("BaselineRecommender.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    """Mean plus biases."""
    pairs: Pairs = data.table
    w.title = "Ratings from mean and biases"
    w.intro = "The mean of all ratings, the user's bias and the item's bias; 0 for those that are not known."
    w.step("Mean", "Of all ratings.")
    m = w.given("mean", model.mean_, symbol="m", label="mean")
    predicted = model._predict(pairs.users, pairs.items)
    for at in data.rows or list(range(min(len(pairs), 5))):
        tag = "" if len(pairs) == 1 else f"q{at + 1}_"
        u, i = int(pairs.users[at]), int(pairs.items[at])
        w.step(f"Pair {at + 1}" if tag else "Pair", pair_words(model, u, i))
        b = w.given(f"{tag}user_bias", float(model.user_bias_[u]) if u >= 0 else 0.0, symbol="b_u", label="user's bias")
        c = w.given(f"{tag}item_bias", float(model.item_bias_[i]) if i >= 0 else 0.0, symbol="b_i", label="item's bias")
        tie_prediction(w, model, tag, w.cell(f"{tag}sum", m + b + c, symbol="P", label="sum"), predicted[at])
