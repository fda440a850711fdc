"""How scores of rankings and recommendations come about: gains by rank, hits among the first k."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from pellucid.base.types import Floats
from pellucid.working.entry import shows
from pellucid.working.expression import Axis, Cell, Expr
from pellucid.working.language import count, equal, log, lookup, mean, nth_smallest, previous, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown._rows import average, refuse, weights

MOST_USERS = 8


def _users(name: str, y_true: Any, y_score: Any) -> tuple[Floats, Floats]:
    relevance, score = (np.asarray(table, dtype=np.float64) for table in (y_true, y_score))
    if len(relevance) > MOST_USERS:
        hint = "show some of the rows"
        refuse(name, f"the working is of at most {MOST_USERS} rankings", f"got {len(relevance)}", hint)
    return relevance, score


def _gain(w: Working, tag: str, relevance: Cell, score: Cell, k: int | None, base: float, ties: bool) -> Cell:
    """Discounted gain of the items in falling order of their scores; items of equal score share their gain."""
    assert relevance.axis is not None
    items, n = relevance.axis, len(relevance.axis)
    r = _ranks(w, tag, n, k)
    assert r.axis is not None
    if ties:
        s = w.cell(f"{tag}ranked", nth_smallest(score, n + 1 - r), symbol="z", label="score at rank r")
        same: Expr = sum_(where(equal(score, s), 1, 0), items)
        gain = w.cell(f"{tag}gain", sum_(where(equal(score, s), relevance, 0), items) / same, symbol="g",
                      label="relevance, shared among equal scores")  # fmt: skip
    else:
        item_numbers = np.argsort(score.value, kind="stable")[::-1][: len(r.axis)] + 1.0
        at = w.given(f"{tag}item", item_numbers, r.axis, symbol="i", label="item at rank r")
        gain = w.cell(f"{tag}gain", lookup(relevance, at), symbol="g", label="relevance")
    discounted = w.cell(f"{tag}discounted", gain / log(r + 1, base), symbol="d", label="worth at rank r")
    return w.cell(f"{tag}DCG", sum_(discounted), symbol=r"\text{DCG}", label="discounted gain")


def _ranks(w: Working, tag: str, n: int, k: int | None) -> Cell:
    ranks = Axis("rank", range(1, min(n, k or n) + 1), "r", "R")
    return w.given(f"{tag}r", np.arange(1.0, len(ranks) + 1), ranks, symbol="r", label="")


def _best_gain(w: Working, tag: str, relevance: Cell, k: int | None) -> Cell:
    """The same with the items in order of their relevance."""
    n = len(relevance.value)
    r = _ranks(w, f"{tag}best_", n, k)
    gain = w.cell(f"{tag}best_gain", nth_smallest(relevance, n + 1 - r), symbol="g", label="relevance at rank r")
    discounted = w.cell(f"{tag}best_discounted", gain / log(r + 1, 2), symbol="d", label="worth at rank r")
    return w.cell(f"{tag}best_DCG", sum_(discounted), symbol=r"\text{IDCG}", label="the most that can be reached")


class _Ranking(NamedTuple):
    """The items of one ranking: how relevant each is, and its score."""

    tag: str
    title: str
    y: Cell
    order: Cell


def _rankings(w: Working, relevance: Floats, score: Floats) -> Iterator[_Ranking]:
    """Each ranking as it is given, with the heading of what comes next."""
    for number, (rel, s) in enumerate(zip(relevance, score, strict=True), start=1):
        tag, title = ("", "") if len(relevance) == 1 else (f"user{number}.", f" of ranking {number}")
        w.step(f"Items{title}", "How relevant each item is, and the score it was ranked by.")
        axis = Axis("item", range(1, len(rel) + 1))
        y = w.given(f"{tag}relevance", rel, axis, symbol="y", label="relevance")
        order = w.given(f"{tag}score", s, axis, symbol="s", label="score")
        w.step(f"In order of the score{title}", "The worth of an item is divided by the logarithm of its rank + 1.")
        yield _Ranking(tag, title, y, order)


def _mean_over_users(
    w: Working, name: str, scores: list[Cell], sample_weight: Any, result: float, mark: str, scale: float
) -> None:
    """The answer: the one ranking's figure, or the mean over all."""
    if len(scores) == 1:
        w.check(scores[0], result, name, scale=scale)
        return
    w.step("Mean", "Over the rankings.")
    users = Axis("ranking", range(1, len(scores) + 1), "u", "U")
    weight = weights(w, sample_weight, users)
    u = w.given("u", np.arange(1.0, len(scores) + 1), users, symbol="u", label="ranking")
    score: Expr = scores[-1] + 0 * u
    for number, cell in reversed(list(enumerate(scores[:-1], start=1))):
        score = where(equal(u, number), cell, score)
    each = w.cell("each", score, symbol="e", label="figure of the ranking")
    w.cell("mean", average(each, weight), symbol=mark, label="mean", equals=result, attribute=name, scale=scale)


@shows("metrics.dcg_score")
def dcg_score(
    w: Working,
    result: float,
    y_true: Any,
    y_score: Any,
    *,
    k: int | None = None,
    log_base: float = 2,
    sample_weight: Any = None,
    ignore_ties: bool = False,
) -> None:
    w.title = "Discounted cumulative gain"
    w.intro = "What is relevant counts, the less the further down it stands."
    relevance, score = _users("dcg_score", y_true, y_score)
    gains = [
        _gain(w, ranking.tag, ranking.y, ranking.order, k, log_base, not ignore_ties)
        for ranking in _rankings(w, relevance, score)
    ]
    size = float(np.abs(relevance).sum())
    _mean_over_users(w, "dcg_score", gains, sample_weight, result, r"\text{DCG}", size)


@shows("metrics.ndcg_score")
def ndcg_score(
    w: Working,
    result: float,
    y_true: Any,
    y_score: Any,
    *,
    k: int | None = None,
    sample_weight: Any = None,
    ignore_ties: bool = False,
) -> None:
    w.title = "Discounted gain as a share of the best"
    w.intro = "1 where the items stand in order of their relevance."
    relevance, score = _users("ndcg_score", y_true, y_score)
    shares = []
    for ranking in _rankings(w, relevance, score):
        gain = _gain(w, ranking.tag, ranking.y, ranking.order, k, 2, not ignore_ties)
        w.step(f"In the best order{ranking.title}", "The same with the items in order of their relevance.")
        best = _best_gain(w, ranking.tag, ranking.y, k)
        w.step(
            f"Share{ranking.title}",
            "The one over the other." if best.value else "Nothing is relevant: 0 by convention.",
        )
        share = gain / best if best.value else where(best > 0, gain / where(best > 0, best, 1), 0)
        shares.append(w.cell(f"{ranking.tag}NDCG", share, symbol=r"\text{NDCG}", label="share"))
    _mean_over_users(w, "ndcg_score", shares, sample_weight, result, r"\text{NDCG}", 1.0)


# --------------------------------------------------------------------------------------------------- lists and sets


def _hits(w: Working, recommended: Any, relevant: Any, k: int | None) -> tuple[Cell, Cell | None, int]:
    """The first k items with whether each is relevant; the ranks; how many are relevant in all."""
    ranked, relevant_items = _plain(recommended), set(_plain(relevant))
    first = ranked[:k]
    w.step("Recommended items", "From the best down, and whether each is relevant.")
    n = w.given("relevant", float(len(relevant_items)), symbol="n", label="relevant items in all")
    if not first:
        w.note("Nothing is recommended: there is no hit.")
        return n, None, len(relevant_items)
    ranks = Axis("rank", range(1, len(first) + 1), "r", "R", raised=True)
    w.given("item", np.array([str(item) for item in first], dtype=object), ranks, symbol="c", label="item")
    flags = np.array([float(item in relevant_items) for item in first])
    return n, w.given("hit", flags, ranks, symbol="h", label="hit"), len(relevant_items)


def _plain(items: Any) -> list[Any]:
    for name in ("tolist", "to_list", "to_pylist"):
        if hasattr(items, name):
            return list(getattr(items, name)())
    return list(items)


@shows("metrics.precision_at_k")
def precision_at_k(w: Working, result: float, recommended: Any, relevant: Any, k: int, *, divisor: str = "k") -> None:
    w.title = "Precision at k"
    w.intro = "The share of the first k recommended items that are relevant."
    _, hit, _ = _hits(w, recommended, relevant, k)
    if hit is None:
        return
    w.step("Precision", "Hits over places; empty places count too." if divisor == "k" else "Hits over items.")
    divisor_cell: Expr = w.given("k", float(k), symbol="k", label="places") if divisor == "k" else count(hit)
    w.cell("precision", sum_(hit) / divisor_cell, symbol="P", label="precision", equals=result,
           attribute="precision_at_k", scale=1.0)  # fmt: skip


@shows("metrics.recall_at_k")
def recall_at_k(
    w: Working, result: float, recommended: Any, relevant: Any, k: int, *, no_relevant: float = 0.0
) -> None:
    w.title = "Recall at k"
    w.intro = "The share of the relevant items that are among the first k."
    n, hit, n_relevant = _hits(w, recommended, relevant, k)
    if hit is None or not n_relevant:
        w.note(f"The answer is {result:g} by convention.")
        return
    w.step("Recall", "Hits over relevant items.")
    w.cell("recall", sum_(hit) / n, symbol="R", label="recall", equals=result, attribute="recall_at_k",
           scale=1.0)  # fmt: skip


@shows("metrics.average_precision_at_k")
def average_precision_at_k(
    w: Working,
    result: float,
    recommended: Any,
    relevant: Any,
    k: int | None = None,
    *,
    divisor: str = "min",
    no_relevant: float = 0.0,
) -> None:
    w.title = "Average precision at k"
    w.intro = "The mean of the precisions at the ranks where a relevant item stands: early hits count more."
    n, hit, n_relevant = _hits(w, recommended, relevant, k)
    if hit is None or not n_relevant:
        w.note(f"The answer is {result:g} by convention.")
        return
    assert hit.axis is not None
    w.step("From rank to rank", "Hits so far, the precision there, and what it counts.")
    r = w.given("r", np.arange(1.0, len(hit.axis) + 1), hit.axis, symbol="r", label="rank")
    far = w.recurring("hits", hit.axis, 0, symbol="n", label="hits so far")
    w.becomes(far, previous(far) + hit)
    precision = w.becomes("precision", far / r, axis=hit.axis, symbol="P", label="precision so far")
    term = w.becomes("part", hit * precision, axis=hit.axis, symbol="p", label="counts at hits only")
    w.run(hit.axis)
    w.step("Average precision", "The parts over the number of hits that there could be.")
    max_hits = n
    if k is not None and divisor == "min" and k < n_relevant:
        max_hits = w.given("k", float(k), symbol="k", label="places")
    w.cell("AP", sum_(term) / max_hits, symbol=r"\text{AP}", label="average precision", equals=result,
           attribute="average_precision_at_k", scale=1.0)  # fmt: skip


@shows("metrics.mean_reciprocal_rank")
def mean_reciprocal_rank(
    w: Working, result: float, recommended: Any, relevant: Any, k: int | None = None, *, no_relevant: float | None = 0.0
) -> None:
    w.title = "Mean reciprocal rank"
    w.intro = "How far up the first relevant item stands, over all users."
    figures, left_out = [], 0
    for items, relevant_items in zip(recommended, relevant, strict=True):
        goal = set(_plain(relevant_items))
        if not goal and no_relevant is None:
            left_out += 1
            continue
        ranks = [rank_of_item for rank_of_item, item in enumerate(_plain(items)[:k], start=1) if item in goal]
        figures.append(float(ranks[0]) if ranks else 0.0)
        if not goal and no_relevant:
            name = "mean_reciprocal_rank"
            refuse(name, "the working is of users with relevant items", "one has none", "use no_relevant=None")
    if left_out:
        w.note(f"Users without relevant items are left out: {left_out}.")
    users = Axis("user", range(1, len(figures) + 1), "u", "U")
    w.step("First hits", "The rank of the first relevant item in each user's list; 0 where there is none.")
    rank = w.given("rank", np.array(figures), users, symbol="r", label="rank of the first hit")
    reciprocal = w.cell("reciprocal", where(rank > 0, 1 / where(rank > 0, rank, 1), 0), symbol="q", label="one over it")
    w.step("Mean", "Over the users.")
    w.cell("MRR", mean(reciprocal), symbol=r"\text{MRR}", label="mean", equals=result, attribute="mean_reciprocal_rank",
           scale=1.0)  # fmt: skip
