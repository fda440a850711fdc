"""Answers by ``pellucid.recommend``: similar users, similar items, items with similar features."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pellucid import _core
from pellucid.recommend import ContentBasedRecommender, ItemNeighborsRecommender, UserNeighborsRecommender
from pellucid.reference import collaborative_filtering as reference
from pellucid.working.gallery_recommend import title_words, triples, user_names

from ..frame import Example, PathName, answers


def table(example: Example) -> Any:
    """Users by items, NaN where there is no rating."""
    return np.array(example.data["ratings_users_by_items"], dtype=float)


def in_order(model: Any, items: list[str]) -> Any:
    """The table of similarities with the items in the example's order."""
    places = [model.items_.tolist().index(item) for item in items]
    return model.similarity_[np.ix_(places, places)]


@answers("003-user-user-collaborative-filtering")
def similar_users(example: Example, path: PathName) -> Mapping[str, Any]:
    R, k, names = table(example), example.settings["N"], user_names(example)
    target = example.settings["target_item"]
    item = example.data["items"].index(target)
    if path == "kernel":
        plain = UserNeighborsRecommender(n_neighbors=k, center=None).fit(triples(example))
        centered = UserNeighborsRecommender(n_neighbors=k).fit(triples(example))
        similar, means = plain.similarity_, centered.user_mean_
        asked = plain.neighbors_of("user 1", target)
        order = np.argsort(asked.ids)
        found, weights, ratings = asked.ids[order], asked.similarities[order], asked.ratings[order]
        raw, moved = plain.predict("user 1", target), centered.predict("user 1", target)
        ends = np.array([0, 2], dtype=np.int64), np.array([0, 1], dtype=np.int32)
        alike = (np.array([0, 2, 2], dtype=np.int64), ends[1], np.round(weights, 2))
        one = np.zeros(1, dtype=np.int32)
        rounded = _core.neighbor_means(alike, (*ends, ratings), one, one, k, 1, 1)[0]
    else:
        similar, means = reference.similarities(R), np.nanmean(R, axis=1)
        chosen = sorted(reference.neighbors(np.where(np.arange(len(R)) == 0, -1, similar[0]), R[:, item], k))
        found, weights, ratings = np.array(names)[chosen], similar[0][chosen], R[chosen, item]
        raw = reference.predict_by_users(R, 0, item, similar, k, centered=False)
        moved = reference.predict_by_users(R, 0, item, similar, k)
        rounded = reference.weighted_mean(np.round(weights, 2), ratings)
    return {
        "user similarity matrix": similar,
        "neighbors who rated the item": found,
        "their similarities": weights,
        "their ratings": ratings,
        "prediction from raw ratings with the rounded similarities": rounded,
        "prediction from raw ratings, unrounded": raw,
        "mean rating of each user over rated items": means,
        "prediction with mean-centered ratings (the recommended formula)": moved,
    }


@answers("003-item-item-collaborative-filtering")
def similar_items(example: Example, path: PathName) -> Mapping[str, Any]:
    R, k, items = table(example), example.settings["N"], example.data["items"]
    if path == "kernel":
        model = ItemNeighborsRecommender(n_neighbors=k, center=None).fit(triples(example))
        similar, said = in_order(model, items), model.predict("user 1", items[-1])
    else:
        similar = reference.similarities(R.T)
        said = reference.predict_by_items(R, 0, len(items) - 1, similar, k)
    return {
        "item similarity matrix": similar,
        "prediction for user 1 on the last item (N = 2, similarity > 0)": said,
    }


@answers("003-content-based-recommendation-books")
def titles(example: Example, path: PathName) -> Mapping[str, Any]:
    R, k, items = table(example), example.settings["N"], example.data["items"]
    target = items.index(example.settings["target_item"])
    words = {item: title_words(item) for item in items}
    if path == "kernel":
        model = ContentBasedRecommender(n_neighbors=k).fit(triples(example), words)
        similar, said = in_order(model, items), model.predict("user 1", items[target])
        asked = model.neighbors_of("user 1", items[target])
        found, weights, ratings = asked.ids, asked.similarities, asked.ratings
    else:
        known = sorted(set().union(*words.values()))
        binary = [[float(word in words[item]) for word in known] for item in items]
        similar = np.array([[reference.cosine(a, b) for b in binary] for a in binary])
        chosen = reference.neighbors(np.where(np.arange(len(items)) == target, -1, similar[target]), R[0], k)
        found, weights, ratings = np.array(items)[chosen], similar[target][chosen], R[0][chosen]
        said = reference.predict_by_items(R, 0, target, similar, k)
    return {
        "neighbors of the target among the items user 1 rated": found,
        "their similarities": weights,
        "their ratings by user 1": ratings,
        "prediction": said,
        "item similarity matrix recomputed as cosine of binary title words without stop words": similar,
        "trace: 1": {"P": written(weights, ratings)},
    }


def written(weights: Any, ratings: Any) -> str:
    """The weighted mean with its numbers, the weights to two digits."""
    pairs = list(zip(np.round(weights, 2).tolist(), np.asarray(ratings).tolist(), strict=True))
    above = " + ".join(f"{weight:g}*{rating:g}" for weight, rating in pairs)
    return f"sum(sim*rating)/sum(sim) = ({above})/({' + '.join(f'{weight:g}' for weight, _ in pairs)})"


@answers("003-tourism-ratings")
def offers(example: Example, path: PathName) -> Mapping[str, Any]:
    data, k = example.data, example.settings["N"]
    R = np.array(data["ratings_items_by_users"], dtype=float).T
    items, users = data["items"], data["users"]
    if path == "kernel":
        rated = [(users[u], items[i], R[u, i]) for u, i in np.argwhere(~np.isnan(R))]
        model = ContentBasedRecommender(n_neighbors=k).fit(rated, (items, data["item_vectors"]))
        similar, by_users = in_order(model, items), UserNeighborsRecommender().fit(rated).similarity_
        said = [[users[u], items[i], model.predict(users[u], items[i])] for u, i in np.argwhere(np.isnan(R))]
    else:
        vectors = data["item_vectors"]
        similar = np.array([[reference.cosine(a, b) for b in vectors] for a in vectors])
        by_users = reference.similarities(R)
        said = [
            [users[u], items[i], reference.predict_by_items(R, u, i, similar, k)] for u, i in np.argwhere(np.isnan(R))
        ]
    return {
        "item cosine similarity": similar,
        "content-based predictions [user, item, rating]": said,
        "user cosine similarity (missing = 0)": by_users,
    }
