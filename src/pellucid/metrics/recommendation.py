"""How good a ranked list of recommendations is.

Two kinds of input. :func:`dcg_score` and :func:`ndcg_score` take two tables with a row for each user: how relevant
every item truly is, and the score by which the items are ranked. The others take ranked lists of items, best first, and
for each list the set of items that are relevant: ``["tea", "milk", "bread"]`` against ``{"milk", "honey"}``. Items are
numbers or text; no list names an item twice.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from math import log
from numbers import Number
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse

from pellucid.base.errors import short_repr
from pellucid.base.types import Floats
from pellucid.data.kinds import is_missing
from pellucid.metrics._numbers import average, power_of_two, scaled_weights, unscaled
from pellucid.metrics._read import check_choice, check_lengths, fail, fail_type, is_number, numbers, refuse, whole

__all__ = [
    "average_precision_at_k",
    "dcg_score",
    "hit_rate",
    "mean_average_precision",
    "mean_reciprocal_rank",
    "ndcg_score",
    "precision_at_k",
    "recall_at_k",
]

Items = Iterable[Hashable]
PrecisionDivisor = Literal["k", "recommended"]
MapDivisor = Literal["min", "relevant"]


# ---- tables of relevance and score


def dcg_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int | None = None,
    log_base: float = 2,
    sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False,
) -> float:
    """Discounted cumulative gain: the relevance of the ranked items, worth less the further down they stand.

    ``DCG = sum_r rel_r / log_b(r + 1)``  over the ranks r = 1, 2, ... (up to k); the mean over the rows

    rel_r  true relevance of the item with the r-th highest score
    b      `log_base`

    Items of equal score share the mean of their relevances, which is the mean over all orders they could stand in. With
    `ignore_ties` the later column stands first, which is quicker where scores are known to differ.

    >>> dcg_score([[3, 1, 2, 0]], [[0.9, 0.1, 0.5, 0.2]], k=1)
    3.0
    >>> dcg_score([[2, 0]], [[0.5, 0.5]], k=1)
    1.0
    """
    who = "dcg_score"
    if not is_number(log_base) or not 0 < log_base < np.inf:
        refuse(who, "log_base must be a number above 0", f"got {short_repr(log_base)}")
    if log_base == 1:
        refuse(who, "log_base must not be 1", "there is no logarithm to that base")
    true, score, weight = _tables(who, y_true, y_score, sample_weight)
    factor = power_of_two(np.abs(true).max())
    gain = _discounted(true * factor, score, _discount(who, true.shape[1], k) * log(log_base), ignore_ties)
    return float(unscaled(average(gain, weight), factor))


def ndcg_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int | None = None,
    sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False,
) -> float:
    """Discounted cumulative gain as a share of that of the best order, from 0 to 1.

    ``NDCG = DCG(order by score) / DCG(order by true relevance)``, see :func:`dcg_score`; the mean over the rows

    A row without any relevant item counts as 0. Relevances must not be negative: the share would have no bounds.

    >>> ndcg_score([[1, 0, 0]], [[0.9, 0.5, 0.1]]), ndcg_score([[1, 0, 0]], [[0.1, 0.5, 0.9]])
    (1.0, 0.5)
    """
    who = "ndcg_score"
    true, score, weight = _tables(who, y_true, y_score, sample_weight)
    if (true < 0).any():
        row = int(np.flatnonzero((true < 0).any(axis=1))[0])
        actual = f"got {true[row].min():g} in row {row}"
        fail(
            who,
            "ndcg_score should not be used on negative y_true values",
            actual,
            "shift the relevances to 0 and above",
        )
    discount = _discount(who, true.shape[1], k)
    scaled = true * power_of_two(true.max(axis=1))[:, None]
    best = _discounted(scaled, scaled, discount, ignore_ties=True)
    gain = _discounted(scaled, score, discount, ignore_ties)
    return float(average(np.where(best > 0, gain / np.where(best > 0, best, 1.0), 0.0), weight))


def _tables(
    who: str, y_true: ArrayLike, y_score: ArrayLike, sample_weight: ArrayLike | None
) -> tuple[Floats, Floats, Floats | None]:
    true, score = numbers(who, y_true, "y_true"), numbers(who, y_score, "y_score")
    check_lengths(who, y_true=true, y_score=score)
    weight = scaled_weights(who, sample_weight, len(true))
    if true.ndim != 2:
        hint = "put the items of one user in a row: [y_true]"
        fail(who, "y_true must be a table with a row for each user and a column for each item", "got 1 dimension", hint)
    if true.shape[1] == 1:
        name = who.removesuffix("_score").upper()
        requirement = f"Computing {name} is only meaningful when there is more than 1 document. Got 1 instead"
        fail(who, requirement, hint="give a column for each item that is ranked")
    if true.shape != score.shape:
        fail(who, "y_true and y_score must have the same shape", f"got {true.shape} and {score.shape}")
    return true, score, weight


def _discount(who: str, n_items: int, k: int | None) -> Floats:
    """``1 / ln(r + 1)`` for each rank, 0 beyond k."""
    discount = 1 / np.log(np.arange(n_items) + 2)
    if k is not None:
        discount[whole(who, k, "k", 1) :] = 0
    return discount


def _discounted(true: Floats, score: Floats, discount: Floats, ignore_ties: bool) -> Floats:
    """Discounted gain of each row."""
    order = np.argsort(score, axis=1, kind="stable")[:, ::-1]
    gain = np.take_along_axis(true, order, axis=1)
    if not ignore_ties:
        gain = _shared_among_ties(gain, np.take_along_axis(score, order, axis=1))
    return np.asarray((gain * discount).sum(axis=1))


def _shared_among_ties(gain: Floats, ranked: Floats) -> Floats:
    """In every run of equal scores each place gets the mean gain of the run."""
    starts = np.ones(gain.shape, dtype=bool)
    starts[:, 1:] = ranked[:, 1:] != ranked[:, :-1]
    if starts.all():
        return gain
    run = np.cumsum(starts.ravel()) - 1
    shared = np.bincount(run, weights=gain.ravel()) / np.bincount(run)
    return np.asarray(shared[run].reshape(gain.shape))


# ---- ranked lists and sets of relevant items


def precision_at_k(recommended: Items, relevant: Items, k: int, *, divisor: PrecisionDivisor = "k") -> float:
    """Share of the first k recommended items that are relevant.

    ``P@k = (relevant items among the first k) / k``

    A list shorter than k is charged for its empty places. With ``divisor="recommended"`` it is not: the divisor is then
    min(k, length of the list), and the precision of an empty list 0.

    >>> precision_at_k(["tea", "milk", "bread"], {"milk", "honey"}, k=2)
    0.5
    >>> precision_at_k(["milk"], {"milk", "honey"}, k=2), precision_at_k(["milk"], {"milk"}, k=2, divisor="recommended")
    (0.5, 1.0)
    """
    who = "precision_at_k"
    k = whole(who, k, "k", 1)
    check_choice(who, "divisor", divisor, ("k", "recommended"))
    hits, _ = _hits(who, recommended, relevant, k)
    divisor_value = k if divisor == "k" else max(len(hits), 1)
    return sum(hits) / divisor_value


def recall_at_k(recommended: Items, relevant: Items, k: int, *, no_relevant: float = 0.0) -> float:
    """Share of the relevant items that are among the first k recommended ones.

    ``R@k = (relevant items among the first k) / (relevant items)``; `no_relevant` where there are none

    It cannot reach 1 where more than k items are relevant.

    >>> recall_at_k(["tea", "milk", "bread"], {"milk", "honey"}, k=3)
    0.5
    """
    who = "recall_at_k"
    hits, n_relevant = _hits(who, recommended, relevant, whole(who, k, "k", 1))
    return sum(hits) / n_relevant if n_relevant else float(no_relevant)


def average_precision_at_k(
    recommended: Items,
    relevant: Items,
    k: int | None = None,
    *,
    divisor: MapDivisor = "min",
    no_relevant: float = 0.0,
) -> float:
    """Mean of the precisions at the places where a relevant item stands: early hits count more.

    ``AP@k = (1/D) sum_{r <= k} hit_r P@r``

    hit_r  1 where the item at rank r is relevant, else 0
    D      ``min(k, relevant items)``, so that the best list of k items has 1; or, with ``divisor="relevant"``, all
           relevant items, as books on information retrieval define it. Without k they are the same.

    Here the hits are at ranks 1 and 3, with precisions 1 and 2/3:

    >>> round(average_precision_at_k(["a", "b", "c"], {"a", "c", "x", "y"}, k=3), 6)  # (1 + 2/3) / 3
    0.555556
    >>> round(average_precision_at_k(["a", "b", "c"], {"a", "c", "x", "y"}, k=3, divisor="relevant"), 6)
    0.416667
    """
    who = "average_precision_at_k"
    k = _cut(who, k)
    check_choice(who, "divisor", divisor, ("min", "relevant"))
    precision = _average_precision(who, recommended, relevant, k, divisor)
    return float(no_relevant) if precision is None else precision


def mean_average_precision(
    recommended: Iterable[Items],
    relevant: Iterable[Items],
    k: int | None = None,
    *,
    divisor: MapDivisor = "min",
    no_relevant: float | None = 0.0,
) -> float:
    """MAP@k: the mean of :func:`average_precision_at_k` over the lists of all users.

    A user without relevant items counts as `no_relevant`; with None such users are left out.

    >>> mean_average_precision([["a", "b"], ["b", "a"]], [{"a"}, {"a"}])  # (1 + 1/2) / 2
    0.75
    """
    who = "mean_average_precision"
    k = _cut(who, k)
    check_choice(who, "divisor", divisor, ("min", "relevant"))
    precisions = [_average_precision(who, *pair, k, divisor) for pair in _users(who, recommended, relevant)]
    return _mean(who, precisions, no_relevant)


def hit_rate(
    recommended: Iterable[Items], relevant: Iterable[Items], k: int | None = None, *, no_relevant: float | None = 0.0
) -> float:
    """Share of the users who find at least one relevant item among the first k of their list.

    ``(users with a hit) / (users)``; a user without relevant items counts as `no_relevant`, with None not at all.

    >>> hit_rate([["a", "b"], ["b", "c"]], [{"b"}, {"a"}], k=2)
    0.5
    """
    who = "hit_rate"
    k = _cut(who, k)
    both = [_hits(who, *pair, k) for pair in _users(who, recommended, relevant)]
    return _mean(who, [float(any(hits)) if n_relevant else None for hits, n_relevant in both], no_relevant)


def mean_reciprocal_rank(
    recommended: Iterable[Items], relevant: Iterable[Items], k: int | None = None, *, no_relevant: float | None = 0.0
) -> float:
    """How far up the first relevant item stands: the mean over users of 1 over its rank.

    ``MRR = (1/U) sum_u 1 / rank_u``, with 0 for a user u of U whose list (up to k) has no relevant item

    A user without relevant items counts as `no_relevant`; with None such users are left out.

    >>> mean_reciprocal_rank([["a", "b"], ["b", "c"]], [{"b"}, {"b"}])  # (1/2 + 1) / 2
    0.75
    """
    who = "mean_reciprocal_rank"
    k = _cut(who, k)
    both = [_hits(who, *pair, k) for pair in _users(who, recommended, relevant)]
    ranks = [1 / (hits.index(True) + 1) if True in hits else 0.0 if n_relevant else None for hits, n_relevant in both]
    return _mean(who, ranks, no_relevant)


def _average_precision(
    who: str, recommended: Items, relevant: Items, k: int | None, divisor: MapDivisor
) -> float | None:
    hits, n_relevant = _hits(who, recommended, relevant, k)
    if n_relevant == 0:
        return None
    n_hits, total = 0, 0.0
    for rank, hit in enumerate(hits, start=1):
        if hit:
            n_hits += 1
            total += n_hits / rank
    return total / (n_relevant if k is None or divisor == "relevant" else min(k, n_relevant))


def _mean(who: str, figures: list[float | None], no_relevant: float | None) -> float:
    filled = [no_relevant if figure is None else figure for figure in figures]
    counted = [float(figure) for figure in filled if figure is not None]
    if not counted:
        fail(
            who, "at least one user must have relevant items", "none has", "set no_relevant to the value they count as"
        )
    return float(np.mean(counted))


def _users(who: str, recommended: Iterable[Items], relevant: Iterable[Items]) -> list[tuple[Items, Items]]:
    lists = []
    for name, items in (("recommended", recommended), ("relevant", relevant)):
        if isinstance(items, set | dict) or not _is_list(items):
            requirement = f"{name} must be a list with one entry a user, each a list or a set of items"
            fail_type(who, requirement, f"got {short_repr(items)}")
        lists.append(list(items))
    check_lengths(who, recommended=len(lists[0]), relevant=len(lists[1]))
    if not lists[0]:
        fail(who, "recommended must hold at least one list", "it is empty", "check the selection that made it")
    return list(zip(*lists, strict=True))


def _hits(who: str, recommended: Items, relevant: Items, k: int | None) -> tuple[list[bool], int]:
    """Whether each of the first k items is relevant, and how many relevant items there are."""
    ranked, relevant_items = _items(who, recommended, "recommended"), _items(who, relevant, "relevant")
    if isinstance(recommended, set | frozenset):
        hint = "give a list, best first"
        fail_type(who, "recommended must have an order", "got a set, which has none", hint)
    unique_items: set[Hashable] = set()
    for rank, item in enumerate(ranked, start=1):
        if item in unique_items:
            hint = "keep the first of them only"
            fail(who, "recommended must name every item once", f"{short_repr(item)} stands again at rank {rank}", hint)
        unique_items.add(item)
    kinds = [sorted({_kind(item) for item in items}) for items in (ranked, relevant_items)]
    if ranked and relevant_items and not set(kinds[0]) & set(kinds[1]):
        actual = f"got {' and '.join(kinds[0])} against {' and '.join(kinds[1])}, of which none can be equal"
        fail(who, "recommended and relevant must hold items of one kind", actual, "turn all into text, or into numbers")
    goal = set(relevant_items)
    return [item in goal for item in ranked[:k]], len(goal)


def _items(who: str, value: Any, name: str) -> list[Hashable]:
    if not _is_list(value):
        hint = "put a single item in brackets"
        fail_type(who, f"{name} must be a list of items", f"got {short_repr(value)}", hint)
    # Arrays and columns of frames give plain Python values by tolist or to_list.
    plain = next((getattr(value, name) for name in ("tolist", "to_list", "to_pylist") if hasattr(value, name)), None)
    items = list(value) if plain is None else plain()
    for position, item in enumerate(items):
        if isinstance(item, list | set | dict | np.ndarray):
            requirement = f"items of {name} must be numbers or text"
            fail_type(who, requirement, f"got {short_repr(item)}", "pass one user's list, not a list of lists")
        if is_missing(item):
            fail(
                who,
                f"{name} must not hold missing items",
                f"got {short_repr(item)} at place {position}",
                "drop it first",
            )
    return items


def _is_list(value: Any) -> bool:
    """Something that gives items one by one."""
    single = isinstance(value, str | bytes) or issparse(value) or (isinstance(value, np.ndarray) and value.ndim == 0)
    return isinstance(value, Iterable) and not single


def _kind(item: Hashable) -> str:
    if isinstance(item, str):
        return "text"
    return "numbers" if isinstance(item, Number) else type(item).__name__


def _cut(who: str, k: int | None) -> int | None:
    return None if k is None else whole(who, k, "k", 1)
