"""How well recommenders rank: items that were held out of each user's list, found again among the first k."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pellucid.base.types import Array, Flags, Floats
from pellucid.report.interactions.collecting import Interactions

HELD_OUT = 0.2
MIN_OF_USER = 5  # interactions of a user of whom some are held out
TOP = 10  # items of a list, or fewer where there are few items
MAX_USERS = 1000  # whose lists are scored
Z95 = 1.959964


@dataclass(frozen=True)
class Coded:
    """Interactions with codes instead of ids, one entry for each pair of user and item.

    users, items : codes, places in user_ids and item_ids
    values : mean rating of the pair, or how often in all
    times : of the last one; None if there are none
    """

    user_ids: Array
    item_ids: Array
    users: Array
    items: Array
    values: Floats
    times: Floats | None

    def __len__(self) -> int:
        return len(self.values)

    def taken(self, rows: Array | Flags) -> Coded:
        """Some of the entries."""
        times = None if self.times is None else self.times[rows]
        return Coded(self.user_ids, self.item_ids, self.users[rows], self.items[rows], self.values[rows], times)

    @property
    def triples(self) -> tuple[Array, Array, Floats]:
        """Users, items and values, as recommenders take them."""
        return self.user_ids[self.users], self.item_ids[self.items], self.values


def coded(interactions: Interactions, average: bool) -> Coded:
    """One entry for each pair: the mean of several ratings, the sum of several visits."""
    user_ids, users = unique_ids(interactions.users)
    item_ids, items = unique_ids(interactions.items)
    pairs, pair_codes, often = np.unique(
        users.astype(np.int64) * len(item_ids) + items, return_inverse=True, return_counts=True
    )
    sums = np.asarray(np.bincount(pair_codes, weights=interactions.values), dtype=np.float64)
    times = None
    if interactions.times is not None:
        times = np.full(len(pairs), -np.inf)
        np.maximum.at(times, pair_codes, interactions.times)
    values = sums / often if average else sums
    return Coded(user_ids, item_ids, pairs // len(item_ids), pairs % len(item_ids), values, times)


def unique_ids(ids: Array) -> tuple[Array, Array]:
    """The distinct ids in order, and the code of each entry."""
    distinct, codes = np.unique(ids.astype(str) if ids.dtype.kind == "O" else ids, return_inverse=True)
    if ids.dtype.kind == "O":
        distinct = distinct.astype(object)
    return distinct, codes


def held_out_of_users(data: Coded, seed: int) -> Flags:
    """The entries that are held out: a fifth of each user's, the last ones if there are times, else drawn at random."""
    random = np.random.RandomState(seed).permutation(len(data)).astype(np.float64)
    order = np.lexsort((random, random if data.times is None else data.times, data.users))
    counts = np.bincount(data.users, minlength=len(data.user_ids))
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    order_in_user = np.arange(len(data)) - starts[data.users[order]]
    n_held = np.where(counts >= MIN_OF_USER, np.maximum(1, np.floor(HELD_OUT * counts)), 0)
    is_test = np.zeros(len(data), dtype=bool)
    is_test[order] = order_in_user >= (counts - n_held)[data.users[order]]
    return is_test


@dataclass(frozen=True)
class RankingScore:
    """How well one recommender ranks, as means over users.

    precision : share of the k recommended items that were held out; recall : share of the held-out items among them
    ndcg : the same, with more weight at the top of the list
    difference : NDCG minus that of popularity, with the ends of its 95 % interval; None for popularity itself
    """

    name: str
    precision: float
    recall: float
    ndcg: float
    difference: tuple[float, float, float] | None = None

    @property
    def beats_popularity(self) -> bool:
        """Is it better than popularity by more than chance?"""
        return self.difference is not None and self.difference[1] > 0


def relevant_items(held: Coded, known_items: Array, least: float | None) -> dict[int, set[int]]:
    """For each user the held-out items that should be recommended: those rated at least so high, or all."""
    fits = np.isin(held.items, known_items)
    if least is not None:
        fits &= held.values >= least
    relevant: dict[int, set[int]] = {}
    for user, item in zip(held.users[fits].tolist(), held.items[fits].tolist(), strict=True):
        relevant.setdefault(user, set()).add(item)
    return relevant


def sampled_users(relevant: dict[int, set[int]], seed: int) -> list[int]:
    """The users whose lists are scored, at most `MAX_USERS` of them."""
    users = np.array(sorted(relevant), dtype=np.int64)
    if len(users) <= MAX_USERS:
        return [int(user) for user in users]
    return sorted(np.random.RandomState(seed).choice(users, MAX_USERS, replace=False).tolist())


Recommend = Callable[[Array], Array]


def list_length(n_items: int) -> int:
    """Items of a list: at most a fifth of all, as a list of nearly all would always be right.

    >>> list_length(1000), list_length(20), list_length(3)
    (10, 4, 1)
    """
    return min(TOP, max(1, n_items // 5))


def scores_of(lists: Array, users: list[int], relevant: dict[int, set[int]], place: dict[Any, int]) -> Floats:
    """Precision, recall and NDCG of each user's list: one row per user.

    ``NDCG = sum over hits of 1 / log2(rank + 1)``, divided by what the best possible list of this length would get.
    """
    k = lists.shape[1]
    weights = 1 / np.log2(np.arange(2, k + 2))
    scores = np.zeros((len(users), 3))
    for row, (user, items) in enumerate(zip(users, lists.tolist(), strict=True)):
        relevant_of_user = relevant[user]
        hits = np.array([place.get(item, -1) in relevant_of_user for item in items], dtype=bool)
        ideal = weights[: min(len(relevant_of_user), k)].sum()
        scores[row] = hits.sum() / k, hits.sum() / len(relevant_of_user), weights[hits].sum() / ideal
    return scores


def ranking_score(name: str, own: Floats, popular: Floats | None) -> RankingScore:
    """The means of a recommender, and its difference from popularity on the same users."""
    precision, recall, ndcg = (float(value) for value in own.mean(axis=0))
    if popular is None:
        return RankingScore(name, precision, recall, ndcg)
    difference = own[:, 2] - popular[:, 2]
    mean = float(difference.mean())
    error = Z95 * float(difference.std(ddof=1)) / np.sqrt(len(difference)) if len(difference) > 1 else np.inf
    return RankingScore(name, precision, recall, ndcg, (mean, mean - error, mean + error))
