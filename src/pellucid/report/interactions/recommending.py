"""The comparison of recommenders: how exact their ratings are, and how well they rank, against simple baselines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pellucid.base.errors import DataError, format_message
from pellucid.base.types import Array, Floats
from pellucid.recommend import (
    BaselineRecommender,
    ImplicitALS,
    ItemNeighborsRecommender,
    MatrixFactorization,
    PopularItems,
    UserNeighborsRecommender,
)
from pellucid.report.comparison import ProgressCallback
from pellucid.report.interactions.ranking import (
    Coded,
    RankingScore,
    held_out_of_users,
    list_length,
    ranking_score,
    relevant_items,
    sampled_users,
    scores_of,
)

MIN_INTERACTIONS = 50
MAX_COMPARED = 400_000  # interactions of a comparison for each minute
MAX_SIMILAR = 16_000_000  # pairs of users, or of items, whose similarity is worked out
N_KEPT = 100  # neighbors of an item that are kept in a model
POPULAR = "popular items"
LIKED = "factors of liked items"  # ranks, and predicts no ratings
MEAN_OF_ALL, MEAN_OF_ITEM, BIASES = "mean of all ratings", "mean of the item", "biases of user and item"


@dataclass(frozen=True)
class Comparison:
    """What a comparison of recommenders found.

    errors : root mean squared and mean absolute error of ratings by recommender; empty for visits
    rankings : scores of the lists, the best first
    n_held, n_users : held-out interactions, and users whose lists were scored
    n_compared, n_compared_users : interactions that took part, and their users
    least : the smallest rating of an item that should be recommended; None for visits
    k : items of a list
    by_time : whether the latest interactions were held out
    left_out : recommenders that did not take part, and why
    """

    errors: dict[str, tuple[float, float]]
    rankings: tuple[RankingScore, ...]
    n_held: int
    n_users: int
    n_compared: int
    n_compared_users: int
    least: float | None
    by_time: bool
    k: int
    left_out: tuple[str, ...] = ()

    @property
    def predictor(self) -> str:
        """The recommender with the smallest error of ratings."""
        return min(self.errors, key=lambda name: self.errors[name][0])

    @property
    def ranker(self) -> RankingScore:
        """The recommender with the best lists."""
        return self.rankings[0]

    @property
    def popular(self) -> RankingScore:
        """How well popularity does."""
        return next(ranking for ranking in self.rankings if ranking.name == POPULAR)


def candidates(data: Coded, is_rated: bool, seed: int) -> tuple[dict[str, Callable[[], Any]], tuple[str, ...]]:
    """The recommenders that fit the size of the data, and a statement on each that does not."""
    n_users, n_items = len(data.user_ids), len(data.item_ids)
    if not is_rated:
        return {
            POPULAR: PopularItems,
            "implicit factors": lambda: _implicit(data, seed),
            "few implicit factors": lambda: _implicit(data, seed, 4),
        }, ()  # fmt: skip
    models: dict[str, Callable[[], Any]] = {
        BIASES: BaselineRecommender,
        "factors": lambda: MatrixFactorization(random_state=seed),
        LIKED: lambda: _implicit(data, seed),
    }
    left_out = []
    for name, n, make in (
        ("similar items", n_items, lambda: ItemNeighborsRecommender(center="baseline", similarity="baseline",
                                                                    shrinkage=100.0, keep=N_KEPT)),
        ("similar users", n_users, lambda: UserNeighborsRecommender(center="baseline", similarity="baseline",
                                                                    shrinkage=100.0, keep=N_KEPT)),
    ):  # fmt: skip
        if n * n <= MAX_SIMILAR:
            models[name] = make
        else:
            left_out.append(f"{name} were not compared: {n:,} of them have {n * n // 2:,} pairs")
    return models, tuple(left_out)


def _implicit(data: Coded, seed: int, divisor: int = 1) -> ImplicitALS:
    """Factors of counts, as many as the data can support."""
    n_factors = min(32, max(2, min(len(data.user_ids), len(data.item_ids)) // 4))
    return ImplicitALS(n_factors=max(2, n_factors // divisor), reg=1.0, alpha=10.0, confidence="log", random_state=seed)


def fitted(name: str, make: Callable[[], Any], data: Coded, least: float | None) -> Any:
    """A recommender fitted on interactions; one of likes is shown all items of a user, and which of them are liked."""
    users, items, values = data.triples
    if name == LIKED and least is not None:
        values = (values >= least).astype(np.float64)
    return make().fit((users, items, values))


def compare(data: Coded, is_rated: bool, seed: int, minutes: float, tell: ProgressCallback) -> Comparison:
    """Fits every recommender without the held-out interactions, and scores it on these.

    Parameters
    ----------
    data : one entry for each pair of user and item
    is_rated : whether the values are ratings
    minutes : decides on how many interactions recommenders are compared
    """
    if len(data) < MIN_INTERACTIONS:
        requirement = f"there must be at least {MIN_INTERACTIONS} {'ratings' if is_rated else 'pairs of user and item'}"
        raise DataError(format_message("recommend", requirement, actual=f"got {len(data)}"))
    subset = sample_of_users(data, int(MAX_COMPARED * max(minutes, 0.1)), seed)
    is_test = held_out_of_users(subset, seed)
    if not is_test.any():
        requirement = "some users must have at least 5 items, so that some of these can be held out"
        raise DataError(format_message("recommend", requirement, actual="no user has so many"))
    train, test = subset.taken(~is_test), subset.taken(is_test)
    min_rating = float(np.median(subset.values)) if is_rated else None
    relevant = relevant_items(test, np.unique(train.items), min_rating)
    users = sampled_users(relevant, seed)
    models, left_out = candidates(subset, is_rated, seed)
    errors = _simple_errors(train, test) if is_rated else {}
    lists: dict[str, Floats] = {}
    code_of_item = {item: code for code, item in enumerate(subset.item_ids.tolist())}
    k = list_length(len(subset.item_ids))
    for step, (name, make) in enumerate({POPULAR: PopularItems, **models}.items()):
        tell(f"comparing recommenders: {name}", 0.1 + 0.6 * step / (len(models) + 1))
        model = fitted(name, make, train, min_rating)
        if is_rated and name not in (POPULAR, LIKED):
            errors[name] = _errors(model.predict(*test.triples[:2]), test.values)
        if users:
            recommended, _ = model.recommend_all(n=k, users=subset.user_ids[users])
            lists[name] = scores_of(recommended, users, relevant, code_of_item)
    popular = lists.get(POPULAR)
    rankings = [
        ranking_score(name, user_scores, None if name == POPULAR else popular) for name, user_scores in lists.items()
    ]
    rankings.sort(key=lambda ranking: -ranking.ndcg)
    return Comparison(
        errors,
        tuple(rankings),
        int(is_test.sum()),
        len(users),
        len(subset),
        len(np.unique(subset.users)),
        min_rating,
        subset.times is not None,
        k,
        left_out,
    )


def sample_of_users(data: Coded, most: int, seed: int) -> Coded:
    """All interactions of as many users as have at most so many interactions together."""
    if len(data) <= most:
        return data
    order = np.random.RandomState(seed).permutation(len(data.user_ids))
    counts = np.bincount(data.users, minlength=len(data.user_ids))
    is_selected = np.zeros(len(data.user_ids), dtype=bool)
    is_selected[order[: max(10, int(np.searchsorted(np.cumsum(counts[order]), most)))]] = True
    return data.taken(is_selected[data.users])


def _simple_errors(train: Coded, test: Coded) -> dict[str, tuple[float, float]]:
    """Of the mean of all ratings, and of the mean of the item where it is known."""
    mean = float(train.values.mean())
    counts = np.bincount(train.items, minlength=len(train.item_ids))
    sums = np.bincount(train.items, weights=train.values, minlength=len(train.item_ids))
    of_items = np.where(counts > 0, sums / np.maximum(counts, 1), mean)
    return {
        MEAN_OF_ALL: _errors(np.full(len(test), mean), test.values),
        MEAN_OF_ITEM: _errors(of_items[test.items], test.values),
    }


def _errors(predicted: Floats, actual: Array) -> tuple[float, float]:
    difference = np.asarray(predicted) - actual
    return float(np.sqrt((difference**2).mean())), float(np.abs(difference).mean())


@dataclass(frozen=True)
class Fitted:
    """The models that are kept, fitted on all interactions.

    predictor : predicts ratings; None for visits
    ranker : makes the lists; popular : the lists of unknown users
    """

    predictor: Any
    ranker: Any
    popular: Any


def fit_best(data: Coded, comparison: Comparison, is_rated: bool, seed: int) -> Fitted:
    """The best predictor of ratings and the best ranker, fitted on all interactions."""
    models, _ = candidates(data, is_rated, seed)
    simple = (MEAN_OF_ALL, MEAN_OF_ITEM)
    predictor = None
    if is_rated:
        name = min(
            (candidate for candidate in comparison.errors if candidate not in simple),
            key=lambda candidate: comparison.errors[candidate][0],
        )
        predictor = models.get(name, BaselineRecommender)().fit(data.triples)
    popular = PopularItems().fit(data.triples)
    if not comparison.rankings or comparison.ranker.name == POPULAR:
        return Fitted(predictor, popular, popular)
    ranker = comparison.ranker.name
    if predictor is not None and ranker == name:
        return Fitted(predictor, predictor, popular)
    return Fitted(predictor, fitted(ranker, models[ranker], data, comparison.least), popular)


def known_users(data: Coded, n: int) -> Array:
    """Some users, from those with many interactions to those with few."""
    counts = np.bincount(data.users, minlength=len(data.user_ids))
    order = np.argsort(-counts, kind="stable")
    return np.asarray(order[np.unique(np.linspace(0, len(order) - 1, min(n, len(order))).astype(int))])


def scale_of(data: Coded) -> tuple[float, float]:
    """The lowest and the highest rating."""
    return float(data.values.min()), float(data.values.max())
