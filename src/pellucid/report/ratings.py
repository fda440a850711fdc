"""Recommendations for users: from ratings, or from what they took; how good they are, and why each is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pellucid.base.errors import count
from pellucid.base.types import Array
from pellucid.report.baskets import percent
from pellucid.report.charts_plots import Bar, bars, columns
from pellucid.report.comparison import ProgressCallback
from pellucid.report.interactions.collecting import Interactions
from pellucid.report.interactions.ranking import HELD_OUT, MIN_OF_USER, Coded, coded
from pellucid.report.interactions.reasons import Reasons
from pellucid.report.interactions.recommending import (
    BIASES,
    MEAN_OF_ALL,
    MEAN_OF_ITEM,
    POPULAR,
    Comparison,
    Fitted,
    compare,
    fit_best,
    known_users,
    scale_of,
)
from pellucid.report.outcome import Listing, Picture
from pellucid.report.page_text import minus

MOST_BARS = 20
N_USERS, N_ITEMS = 10, 5  # of the recommendations that a report shows
SIMPLE = (MEAN_OF_ALL, MEAN_OF_ITEM, BIASES)


@dataclass(frozen=True)
class Recommended:
    """The comparison of recommenders, the models, and what is needed for their recommendations.

    data : one entry for each pair of user and item
    is_rated : whether the values are ratings
    verb : what users did with items
    n_again : interactions of pairs that have an earlier one
    """

    data: Coded
    is_rated: bool
    verb: str
    n_again: int
    comparison: Comparison
    fitted: Fitted
    reasons: Reasons

    @property
    def model(self) -> Any:
        """The model for the file: it predicts ratings, or, of visits, ranks."""
        return self.fitted.predictor if self.is_rated else self.fitted.ranker


def recommend_from(
    interactions: Interactions, is_rated: bool, seed: int, minutes: float, tell: ProgressCallback, verb: str = "took"
) -> Recommended:
    """Compares recommenders and fits the best ones on everything."""
    data = coded(interactions, is_rated)
    comparison = compare(data, is_rated, seed, minutes, tell)
    tell("fitting on everything", 0.85)
    reasons = Reasons(data, comparison.least, "rated" if is_rated else verb)
    n_again = len(interactions.values) - len(data)
    return Recommended(data, is_rated, verb, n_again, comparison, fit_best(data, comparison, is_rated, seed), reasons)


# --------------------------------------------------------------------------------------------------------------- words


def headline(found: Recommended) -> str:
    """What the comparison says, in one or two sentences."""
    text = ranking_text(found.comparison)
    if not found.is_rated:
        return text
    best, errors = found.comparison.predictor, found.comparison.errors
    floor = min(SIMPLE, key=lambda name: errors[name][0])
    if best in SIMPLE:
        return f"No recommender predicts ratings better than the {best} (RMSE {errors[best][0]:.3f}). {text}"
    return (
        f"Held-out ratings are predicted with an RMSE of {errors[best][0]:.3f} by {best} "
        f"({floor}: {errors[floor][0]:.3f}). {text}"
    )


def ranking_text(comparison: Comparison) -> str:
    """Whether the best lists are better than the same popular items for everybody."""
    if not comparison.rankings:
        return "No user has a held-out item that could be recommended, so lists could not be scored."
    best = next((ranking for ranking in comparison.rankings if ranking.name != POPULAR), None)
    popular = comparison.popular
    if best is None or best.difference is None:
        return f"Popular items reach an NDCG@{comparison.k} of {popular.ndcg:.3f}."
    _, low, high = best.difference
    figures = f"NDCG@{comparison.k} {best.ndcg:.3f} versus {popular.ndcg:.3f}; " + minus(
        f"95 % interval of the difference {low:+.3f} to {high:+.3f}"
    )
    lists = f"Personal lists ({best.name})"
    same = next((ranking for ranking in comparison.rankings if ranking.name == BIASES), None)
    if best is same:  # a user's own bias does not change the order of items
        lists = f"The best rated items, in one order for everybody ({best.name}),"
    elif same is not None:
        figures += f"; the best rated items, in one order for everybody: {same.ndcg:.3f}"
    if low > 0:
        return f"{lists} are better than popular items for everybody ({figures})."
    if high < 0:
        return f"Popular items for everybody are better than the best other lists ({best.name}: {figures})."
    return f"{lists} are not significantly better than popular items ({figures})."


def summary(found: Recommended) -> tuple[str, ...]:
    """What was compared, and how."""
    data, comparison = found.data, found.comparison
    share = len(data) / (len(data.user_ids) * len(data.item_ids))
    what = "rated pairs of user and item" if found.is_rated else "pairs of user and item"
    which = "the latest" if comparison.by_time else "a randomly drawn"
    lines = [
        f"There are {len(data):,} {what}, of {len(data.user_ids):,} users and {len(data.item_ids):,} items "
        f"({percent(share)} of all pairs).",
    ]
    if found.n_again:
        how = "the mean of its ratings" if found.is_rated else "the sum of its values"
        again = count(found.n_again, "row") + (" repeats" if found.n_again == 1 else " repeat")
        lines.append(f"{again} a pair of user and item: a pair counts with {how}.")
    if comparison.n_compared < len(data):
        lines.append(
            f"Recommenders were compared on the {comparison.n_compared:,} {what} of {comparison.n_compared_users:,} "
            "users drawn at random."
        )
    lines.append(
        f"{comparison.n_held:,} of these were held out: of each user with at least {MIN_OF_USER}, {which} "
        f"{100 * HELD_OUT:.0f} %, rounded down. The lists of {count(comparison.n_users, 'user')} were scored."
    )
    if found.is_rated:
        low, high = scale_of(data)
        lines.append(f"The ratings range from {low:g} to {high:g}; predictions stay within this range.")
        lines.append(
            f"An item counts as a good recommendation if its held-out rating is at least {comparison.least:g}."
        )
    lines += [f"{reason}." for reason in comparison.left_out]
    return tuple(lines)


def model_text(found: Recommended) -> str:
    """What the model in the file does, and whether the lists of the page are its own."""
    does = f"predicts ratings ({found.comparison.predictor})" if found.is_rated else "makes the lists"
    text = f"The model in the file {does}; it was fitted on everything."
    ranker = POPULAR if found.fitted.ranker is found.fitted.popular else found.comparison.ranker.name
    if found.is_rated and found.comparison.rankings and ranker != found.comparison.predictor:
        text += f" The lists below are not in its order, but in that of {ranker}, which is in no file."
    return text


def warnings(found: Recommended) -> tuple[str, ...]:
    """What limits trust in the recommendations."""
    unknown = "Nothing is known of users who are not in the table"
    lines = [f"{unknown}: pellucid recommend gives them popular items, the same for all of them."]
    personal = [ranking for ranking in found.comparison.rankings if ranking.name not in (POPULAR, BIASES)]
    if personal and not any(ranking.beats_popularity for ranking in personal):
        lines.insert(0, "Personal recommendations are not shown to be better than popular items.")
    return tuple(lines)


# ------------------------------------------------------------------------------------------------ listings and pictures


def listings(found: Recommended) -> tuple[Listing, ...]:
    """Scores of the lists, errors of the ratings, and recommendations for some users."""
    error_listings = [error_listing(found.comparison)] if found.is_rated else []
    return (*error_listings, ranking_listing(found.comparison), recommendations(found, None, N_ITEMS))


def error_listing(comparison: Comparison) -> Listing:
    """The errors of held-out ratings."""
    rows = tuple(
        (name, round(rmse, 6), round(mae, 6))
        for name, (rmse, mae) in sorted(comparison.errors.items(), key=lambda entry: entry[1])
    )
    about = "Errors of predicted ratings that were held out, in units of the scale; the best first."
    return Listing("Predicted ratings", about, ("recommender", "RMSE", "mean absolute error"), rows)


def ranking_listing(comparison: Comparison) -> Listing:
    """The scores of the lists."""
    rows = tuple(
        (
            ranking.name,
            round(ranking.precision, 6),
            round(ranking.recall, 6),
            round(ranking.ndcg, 6),
            "–" if ranking.difference is None else minus("{:+.4f} ({:+.4f} to {:+.4f})".format(*ranking.difference)),
        )
        for ranking in comparison.rankings
    )
    k = comparison.k
    min_rating = comparison.least
    good = "held-out items" if min_rating is None else f"held-out items that the user rated at least {min_rating:g}"
    about = (
        f"Each user gets a list of {k} new items; good ones are {good}. Precision: share of the list that is good. "
        "Recall: share of the good items that is on the list. NDCG: the good items on the list, with more weight at "
        "the top, as a share of what the best possible list would get. All are means over users."
    )
    heads = ("recommender", f"precision@{k}", f"recall@{k}", f"NDCG@{k}", "NDCG minus that of popularity (95 %)")
    return Listing("Lists of recommendations", about, heads, rows)


def recommendations(found: Recommended, users: Sequence[Any] | None, n_items: int) -> Listing:
    """The best new items for some users, with reasons; popular items for users that are not known."""
    codes = known_users(found.data, N_USERS) if users is None else codes_of_users(found.data, users)
    rows: list[tuple[Any, ...]] = []
    names = [found.data.user_ids[code] for code in codes] if users is None else list(users)
    item_codes = {item: code for code, item in enumerate(found.data.item_ids.tolist())}
    for name, code in zip(names, codes.tolist(), strict=True):
        model = found.fitted.ranker if code >= 0 else found.fitted.popular
        items, scores = model.recommend(name, n=n_items)
        expected = scores if found.fitted.predictor is None else found.fitted.predictor.predict(
            [name] * len(items), items.tolist()
        )  # fmt: skip
        personal = code >= 0 and model is not found.fitted.popular
        for rank, (item, score) in enumerate(zip(items.tolist(), expected, strict=True), 1):
            at = item_codes[item]
            why = found.reasons.of(code, at) if personal else found.reasons.popularity(at)
            rows.append((str(name), rank, str(item), float(f"{score:.3g}"), why))
    ranker = "popular items" if found.fitted.ranker is found.fitted.popular else found.comparison.ranker.name
    whom = "each user" if users is not None else f"{len(codes):,} of the {len(found.data.user_ids):,} users"
    about = f"New items for {whom}, in the order of {ranker}."
    if ranker != POPULAR:
        about += " The counts of users describe the items; they do not decide the order."
    value = "expected rating" if found.is_rated else "score"
    return Listing("Recommendations", about, ("user", "place", "item", value, "counts of users"), tuple(rows))


def _spread(ratings: Array) -> str:
    """A bar for each of few ratings, a histogram of many: no rating stands in an interval where it can be counted."""
    values, counts = np.unique(ratings, return_counts=True)
    if len(values) <= MOST_BARS:
        each = [Bar(f"{value:g}", int(n)) for value, n in zip(values, counts, strict=True)]
        return bars("ratings", "The ratings", "How often each was given.", each, label="ratings")
    counts, edges = np.histogram(ratings, bins=20)
    return columns("ratings", "The ratings", "How often they were given.", edges.tolist(), counts.tolist(),
                   x_label="rating", y_label="ratings")  # fmt: skip


def codes_of_users(data: Coded, users: Sequence[Any]) -> Array:
    """The codes of users; -1 for unknown ones."""
    code_of_user = {user: code for code, user in enumerate(data.user_ids.tolist())}
    return np.array([code_of_user.get(user, -1) for user in users], dtype=np.int64)


def pictures(found: Recommended) -> tuple[Picture, ...]:
    """How ratings are distributed, and the scores of the lists."""
    drawings = []
    if found.is_rated:
        drawings.append(Picture("The ratings", "How often each was given.", _spread(found.data.values)))
    if found.comparison.rankings:
        scores = [Bar(ranking.name, ranking.ndcg) for ranking in found.comparison.rankings]
        word = f"NDCG@{found.comparison.k}"
        chart = bars("ndcg", f"{word} of the recommenders", "The higher the better.", scores, label=word)
        drawings.append(Picture(f"{word} of the recommenders", "On held-out items; the higher the better.", chart))
    return tuple(drawings)
