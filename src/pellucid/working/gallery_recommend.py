"""Worked examples of recommenders."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.recommend import ContentBasedRecommender, ItemNeighborsRecommender, UserNeighborsRecommender
from pellucid.working.gallery_base import Example, cell_of, example, parts_of
from pellucid.working.language import rounded, sum_
from pellucid.working.model import Working

STOP_WORDS = {"an", "and", "the"}


def user_names(e: Any) -> list[str]:
    """What the users of an example's table are called: by their number."""
    return [f"user {u + 1}" for u in range(len(e.data["ratings_users_by_items"]))]


def triples(e: Any) -> list[tuple[str, str, float]]:
    """The rated cells of an example's table."""
    return [
        (user, item, float(rating))
        for user, row in zip(user_names(e), e.data["ratings_users_by_items"], strict=True)
        for item, rating in zip(e.data["items"], row, strict=True)
        if rating is not None
    ]


def title_words(title: str) -> set[str]:
    """The words of a title, without those that say nothing."""
    return set(title.lower().replace("(", "").replace(")", "").split()) - STOP_WORDS


@example("003-user-user-collaborative-filtering")
def similar_users(e: Example) -> Working:
    ratings, k, target = triples(e), e.settings["N"], e.settings["target_item"]
    centered = UserNeighborsRecommender(n_neighbors=k).fit(ratings)
    plain = UserNeighborsRecommender(n_neighbors=k, center=None).fit(ratings)
    w = parts_of(
        ("fit", "", centered.show_fit(ratings)),
        ("raw", "Raw ratings", plain.show_predict("user 1", target)),
        ("centered", "Without means", centered.show_predict("user 1", target)),
    )
    w.step("Rounded", "The mean of the raw ratings once more, with similarities of two digits.")
    s = w.cell("rounded_s", rounded(cell_of(w, "raw.s"), 2), symbol="s'", label="similarity, rounded")
    w.cell("rounded_mean", sum_(s * cell_of(w, "raw.r")) / sum_(s), symbol="P'", label="weighted mean")
    return w


@example("003-item-item-collaborative-filtering")
def similar_items(e: Example) -> Working:
    ratings = triples(e)
    model = ItemNeighborsRecommender(n_neighbors=e.settings["N"], center=None).fit(ratings)
    return parts_of(
        ("fit", "", model.show_fit(ratings)),
        ("predict", "Prediction", model.show_predict("user 1", e.data["items"][-1])),
    )


@example("003-content-based-recommendation-books")
def titles(e: Example) -> Working:
    ratings, words = triples(e), {item: title_words(item) for item in e.data["items"]}
    model = ContentBasedRecommender(n_neighbors=e.settings["N"]).fit(ratings, words)
    return parts_of(
        ("fit", "", model.show_fit(ratings, words)),
        ("predict", "Prediction", model.show_predict("user 1", e.settings["target_item"])),
    )


@example("003-tourism-ratings")
def offers(e: Example) -> Working:
    R = np.array(e.data["ratings_items_by_users"], dtype=float).T
    users, items = e.data["users"], e.data["items"]
    ratings = [(users[u], items[i], float(R[u, i])) for u, i in np.argwhere(~np.isnan(R))]
    features = (items, e.data["item_vectors"])
    model = ContentBasedRecommender(n_neighbors=e.settings["N"]).fit(ratings, features)
    missing = np.argwhere(np.isnan(R))
    predictions = model.show_predict(
        [users[u] for u, _ in missing], [items[i] for _, i in missing], rows=range(len(missing))
    )
    return parts_of(
        ("items", "", model.show_fit(ratings, features)),
        ("predict", "Predictions", predictions),
        ("users", "Users", UserNeighborsRecommender().fit(ratings).show_fit(ratings)),
    )
