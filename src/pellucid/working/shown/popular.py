"""What is popular: numbers, sums or drawn-in means of ratings."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.errors import format_message
from pellucid.data.ratings import Pairs, Ratings
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Expr, WorkingError
from pellucid.working.language import equal, lookup, mean, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown._ratings import MOST_RATINGS, pair_words, words


@shows("PopularItems.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    """The score of every item."""
    ratings: Ratings = data.table
    w.title = "What is popular"
    w.intro = "A score for each item, the same for everybody."
    if len(ratings) > MOST_RATINGS:
        requirement = f"the working is of at most {MOST_RATINGS} ratings"
        raise WorkingError(
            format_message(type(model).__name__, requirement, actual=f"got {len(ratings)}", hint="show some of them")
        )
    w.step("Ratings", "Each with the number of its item.")
    axis = Axis("rating", range(1, len(ratings) + 1), "k", "n")
    item = w.given("item", ratings.by_user[1] + 1.0, axis, symbol="i", label="item")
    r = w.given("r", ratings.by_user[2], axis, symbol="r", label="rating")
    w.step("Items", "How many ratings each has, and their sum.")
    items = Axis("item", words(model.items_), "i", "I")
    number = w.given("number", np.arange(1.0, len(model.items_) + 1), items, symbol="k", label="number")
    n = w.cell("count", sum_(where(equal(item, number), 1, 0), axis), symbol="n", label="ratings")
    s = w.cell("sum", sum_(where(equal(item, number), r, 0), axis), symbol="S", label="sum of ratings")
    formula: Expr = n + 0 if model.by == "count" else s + 0
    if model.by == "mean":
        m = w.cell("mean", mean(r), symbol="m", label="mean of all", equals=model.mean_, attribute="mean_")
        k = w.given("prior", float(model.prior), symbol="k", label="prior")
        formula = where(n + k > 0, (s + k * m) / where(n + k > 0, n + k, 1), m)
    w.step("Score", f"By {model.by}.")
    w.cell("score", formula, symbol=r"\text{score}", label="score", equals=model.item_score_, attribute="item_score_")


@shows("PopularItems.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    """The item's score, whoever asks."""
    pairs: Pairs = data.table
    w.title = "Popularity of items"
    w.intro = "The score of the item; the user does not matter."
    predicted = model._predict(pairs.users, pairs.items)
    items = Axis("item", words(model.items_), "i", "I")
    w.step("Scores", "Of all items.")
    score = w.given("score", model.item_score_, items, symbol=r"\text{score}", label="score")
    for at in data.rows or list(range(min(len(pairs), 5))):
        tag = "" if len(pairs) == 1 else f"q{at + 1}_"
        u, i = int(pairs.users[at]), int(pairs.items[at])
        w.step(f"Pair {at + 1}" if tag else "Pair", pair_words(model, u, i))
        if i < 0:
            w.given(f"{tag}prediction", float(predicted[at]), symbol=r"\hat{r}", label="what is known without the item")
            continue
        item_number = w.given(f"{tag}number", i + 1.0, symbol="k", label="number of the item")
        w.cell(f"{tag}prediction", lookup(score, item_number), symbol=r"\hat{r}", label="score", equals=predicted[at],
               attribute="predict(user, item)")  # fmt: skip
