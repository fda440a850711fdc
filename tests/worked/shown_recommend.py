"""Where in the working of recommenders each figure of an example stands; goes on from `shown`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pellucid.working import Cell, Working

from .answers.recommend import written
from .frame import Example
from .shown import READINGS, reads

__all__ = ["READINGS"]


def labels(w: Working, name: str) -> list[str]:
    """What the entries of a column stand for."""
    cell = w.cells[name]
    assert isinstance(cell, Cell)
    assert cell.axis is not None
    return list(cell.axis.labels)


def in_order(w: Working, name: str, items: list[str]) -> Any:
    """A table of similarities with the items in the example's order."""
    places = [sorted(items).index(item) for item in items]
    return w.value(name)[np.ix_(places, places)]


@reads("003-user-user-collaborative-filtering")
def similar_users(w: Working, e: Example) -> Mapping[str, Any]:
    names = labels(w, "raw.s")
    order = np.argsort(names)
    return {
        "user similarity matrix": w.value("fit.S"),
        "neighbors who rated the item": np.array(names)[order],
        "their similarities": w.value("raw.s")[order],
        "their ratings": w.value("raw.r")[order],
        "prediction from raw ratings with the rounded similarities": w.value("rounded_mean"),
        "prediction from raw ratings, unrounded": w.value("raw.prediction"),
        "mean rating of each user over rated items": [w.value(f"fit.mean_{u + 1}") for u in range(6)],
        "prediction with mean-centered ratings (the recommended formula)": w.value("centered.prediction"),
    }


@reads("003-item-item-collaborative-filtering")
def similar_items(w: Working, e: Example) -> Mapping[str, Any]:
    return {
        "item similarity matrix": in_order(w, "fit.S", e.data["items"]),
        "prediction for user 1 on the last item (N = 2, similarity > 0)": w.value("predict.prediction"),
    }


@reads("003-content-based-recommendation-books")
def titles(w: Working, e: Example) -> Mapping[str, Any]:
    similar = "item similarity matrix recomputed as cosine of binary title words without stop words"
    return {
        "neighbors of the target among the items user 1 rated": labels(w, "predict.s"),
        "their similarities": w.value("predict.s"),
        "their ratings by user 1": w.value("predict.r"),
        "prediction": w.value("predict.prediction"),
        similar: in_order(w, "fit.S", e.data["items"]),
        "trace: 1": {"P": written(w.value("predict.s"), w.value("predict.r"))},
    }


@reads("003-tourism-ratings")
def offers(w: Working, e: Example) -> Mapping[str, Any]:
    R = np.array(e.data["ratings_items_by_users"], dtype=float).T
    said = [
        [e.data["users"][u], e.data["items"][i], w.value(f"predict.q{at + 1}_prediction")]
        for at, (u, i) in enumerate(np.argwhere(np.isnan(R)))
    ]
    return {
        "item cosine similarity": in_order(w, "items.S", e.data["items"]),
        "content-based predictions [user, item, rating]": said,
        "user cosine similarity (missing = 0)": w.value("users.S"),
    }
