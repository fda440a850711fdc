"""Scores of recommendations: gains against scikit-learn's, lists by hand, and what is refused."""

from __future__ import annotations

import inspect
import warnings
from itertools import permutations
from math import log2
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn.metrics as peer
from hypothesis import given, settings
from hypothesis import strategies as st

from pellucid.base.errors import DataError, ParameterError
from pellucid.metrics import recommendation as metrics

Tables = tuple[Any, Any, Any]


@st.composite
def tables(draw: st.DrawFn, low: int = 0) -> Tables:
    n, m = draw(st.integers(1, 5)), draw(st.integers(2, 7))
    true = draw(st.lists(st.integers(low, 4), min_size=n * m, max_size=n * m))
    score = draw(st.lists(st.integers(-3, draw(st.sampled_from([0, 50]))), min_size=n * m, max_size=n * m))
    weight = draw(st.none() | st.lists(st.integers(1, 5), min_size=n, max_size=n))
    return np.array(true, dtype=float).reshape(n, m) / 2, np.array(score, dtype=float).reshape(n, m) / 4, weight


def apart(score: Any) -> Any:
    """Without ties, whose order is nobody's promise where they are ignored."""
    return score + np.arange(score.shape[1]) / 1000


@settings(max_examples=150, deadline=None)
@given(data=tables(low=-2), k=st.none() | st.integers(1, 9), base=st.sampled_from([2, 0.5, 10.0]), ties=st.booleans())
def test_gain(data: Tables, k: int | None, base: float, ties: bool) -> None:
    true, score, weight = data
    score = apart(score) if ties else score
    options: Any = {"k": k, "log_base": base, "sample_weight": weight, "ignore_ties": ties}
    wanted = peer.dcg_score(true, score, **options)
    np.testing.assert_allclose(metrics.dcg_score(true, score, **options), wanted, rtol=1e-10, atol=1e-10)


@settings(max_examples=150, deadline=None)
@given(data=tables(), k=st.none() | st.integers(1, 9), ties=st.booleans())
def test_share_of_the_best_gain(data: Tables, k: int | None, ties: bool) -> None:
    true, score, weight = data
    score = apart(score) if ties else score
    options: Any = {"k": k, "sample_weight": weight, "ignore_ties": ties}
    wanted = peer.ndcg_score(true, score, **options)
    np.testing.assert_allclose(metrics.ndcg_score(true, score, **options), wanted, rtol=1e-10, atol=1e-10)


def test_random_gains() -> None:
    random = np.random.default_rng(0)
    true, score = random.lognormal(size=(200, 60)), random.normal(size=(200, 60)).round(1)
    for k in (None, 1, 10):
        assert metrics.ndcg_score(true, score, k=k) == pytest.approx(peer.ndcg_score(true, score, k=k), rel=1e-10)
        assert metrics.dcg_score(true, score, k=k) == pytest.approx(peer.dcg_score(true, score, k=k), rel=1e-10)


def test_gain_by_hand() -> None:
    """Ranked 3, 2, 1 against the order 2, 3, 1 of the scores."""
    best, found = 3 + 2 / log2(3) + 1 / 2, 2 + 3 / log2(3) + 1 / 2
    assert metrics.dcg_score([[3, 2, 1]], [[5, 9, 1]]) == pytest.approx(found)
    assert metrics.ndcg_score([[3, 2, 1]], [[5, 9, 1]]) == pytest.approx(found / best)


def test_ties_are_the_mean_of_all_orders() -> None:
    relevance = [4.0, 0.0, 1.0]
    orders = [metrics.dcg_score([list(order)], [[3, 2, 1]], k=2) for order in permutations(relevance)]
    assert metrics.dcg_score([relevance], [[7, 7, 7]], k=2) == pytest.approx(np.mean(orders))


def test_gains_at_the_ends_of_the_range() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for scale in (1e308, 1e-310):
            found = metrics.ndcg_score([[scale, scale, 0]], [[3, 1, 2]])
            assert found == pytest.approx(metrics.ndcg_score([[1, 1, 0]], [[3, 1, 2]]))
        assert metrics.dcg_score([[1e308, 0]] * 3, [[2, 1]] * 3) == pytest.approx(1e308)
    assert metrics.ndcg_score([[0, 0], [1, 0]], [[1, 2], [2, 1]]) == 0.5


# ---- lists

RANKED = ["a", "b", "c", "d", "e"]


def test_precision_and_recall() -> None:
    """Relevant: b and e of the list, and z that was not recommended."""
    relevant = {"b", "e", "z"}
    assert [metrics.precision_at_k(RANKED, relevant, k) for k in (1, 2, 3, 5)] == [0, 1 / 2, 1 / 3, 2 / 5]
    assert [metrics.recall_at_k(RANKED, relevant, k) for k in (1, 2, 5)] == [0, 1 / 3, 2 / 3]
    assert metrics.precision_at_k(RANKED, relevant, 10) == 0.2
    assert metrics.precision_at_k(RANKED, relevant, 10, divisor="recommended") == 0.4
    assert (
        metrics.precision_at_k([], relevant, 3) == metrics.precision_at_k([], relevant, 3, divisor="recommended") == 0
    )
    assert metrics.precision_at_k(RANKED, set(), 3) == 0
    assert metrics.recall_at_k(RANKED, set(), 3) == 0
    assert metrics.recall_at_k(RANKED, set(), 3, no_relevant=1.0) == 1


def test_average_precision() -> None:
    """Hits at ranks 2 and 5: precisions 1/2 and 2/5."""
    relevant = ["b", "e", "z", "b"]  # repeated in the set: counts once
    assert metrics.average_precision_at_k(RANKED, relevant) == pytest.approx(0.9 / 3)
    assert metrics.average_precision_at_k(RANKED, relevant, k=2) == pytest.approx(0.5 / 2)
    assert metrics.average_precision_at_k(RANKED, relevant, k=2, divisor="relevant") == pytest.approx(0.5 / 3)
    assert metrics.average_precision_at_k(RANKED, relevant, k=100) == pytest.approx(0.9 / 3)
    assert metrics.average_precision_at_k(RANKED, set(), no_relevant=0.25) == 0.25
    assert metrics.average_precision_at_k(RANKED, set(RANKED)) == 1
    assert metrics.average_precision_at_k(RANKED, RANKED, k=2) == 1


def test_average_precision_is_that_of_a_classifier() -> None:
    """All items ranked, none left out: the average precision of scores."""
    random = np.random.default_rng(1)
    flags, score = random.integers(0, 2, 30), random.permutation(30)
    ranked, relevant = np.argsort(-score), np.flatnonzero(flags)
    wanted = peer.average_precision_score(flags, score)
    assert metrics.average_precision_at_k(ranked, relevant) == pytest.approx(wanted)


def test_means_over_users() -> None:
    recommended, relevant = [["a", "b"], ["b", "a"], ["c"]], [{"a"}, {"a", "x"}, set()]
    assert metrics.mean_average_precision(recommended, relevant) == pytest.approx((1 + 0.25 + 0) / 3)
    assert metrics.mean_average_precision(recommended, relevant, k=1) == pytest.approx((1 + 0 + 0) / 3)
    assert metrics.mean_average_precision(recommended, relevant, no_relevant=None) == pytest.approx((1 + 0.25) / 2)
    assert metrics.mean_average_precision(
        recommended, relevant, k=1, divisor="relevant", no_relevant=1.0
    ) == pytest.approx((1 + 0 + 1) / 3)
    assert metrics.hit_rate(recommended, relevant) == pytest.approx(2 / 3)
    assert metrics.hit_rate(recommended, relevant, k=1, no_relevant=None) == 0.5
    assert metrics.mean_reciprocal_rank(recommended, relevant) == pytest.approx((1 + 0.5 + 0) / 3)
    assert metrics.mean_reciprocal_rank(recommended, relevant, k=1, no_relevant=None) == 0.5


@pytest.mark.parametrize("make", [list, tuple, np.array, pd.Series, pl.Series, pa.array, iter])
def test_any_list_goes_in(make: Any) -> None:
    assert metrics.precision_at_k(make([3, 1, 2]), make([2, 3]), k=3) == pytest.approx(2 / 3)
    assert metrics.hit_rate([make([3, 1, 2])], [make([2, 3])], k=1) == 1


def test_whole_numbers_and_floats_are_one_kind() -> None:
    assert metrics.recall_at_k(np.array([3.0, 1.0]), {1, 2}, k=2) == 0.5


GAINS = [[1.0, 2.0]]
REFUSED: list[tuple[str, tuple[Any, ...], dict[str, Any], str]] = [
    ("dcg_score", (GAINS, GAINS), {"k": 0}, "dcg_score: k must be a whole number of at least 1; got 0."),
    ("dcg_score", (GAINS, GAINS), {"log_base": 0}, "dcg_score: log_base must be a number above 0; got 0."),
    (
        "dcg_score",
        (GAINS, GAINS),
        {"log_base": 1},
        "dcg_score: log_base must not be 1; there is no logarithm to that base.",
    ),
    (
        "dcg_score",
        ([1, 2], [1, 2]),
        {},
        "dcg_score: y_true must be a table with a row for each user and a column for each item; got 1 dimension.\n"
        "hint: put the items of one user in a row: [y_true].",
    ),
    (
        "ndcg_score",
        ([[1.0]], [[1.0]]),
        {},
        "ndcg_score: Computing NDCG is only meaningful when there is more than 1 document. Got 1 instead.\n"
        "hint: give a column for each item that is ranked.",
    ),
    (
        "dcg_score",
        (GAINS, [[1, 2, 3]]),
        {},
        "dcg_score: y_true and y_score must have the same shape; got (1, 2) and (1, 3).",
    ),
    (
        "ndcg_score",
        ([[1, 2], [-1, 2]], [[1, 2], [1, 2]]),
        {},
        "ndcg_score: ndcg_score should not be used on negative y_true values; got -1 in row 1.\n"
        "hint: shift the relevances to 0 and above.",
    ),
    (
        "dcg_score",
        (GAINS, GAINS),
        {"sample_weight": [1, 2]},
        "dcg_score: y_true, sample_weight must be of equal length; Found input variables with inconsistent "
        "numbers of samples: [1, 2].\nhint: give one value a row in each.",
    ),
    (
        "ndcg_score",
        (GAINS, [[1, np.nan]]),
        {},
        "ndcg_score: Input y_score contains NaN; found in row 0.\nhint: drop or fill the rows without a value.",
    ),
    ("precision_at_k", (["a"], {"a"}, 0), {}, "precision_at_k: k must be a whole number of at least 1; got 0."),
    (
        "precision_at_k",
        (["a"], {"a"}, 1),
        {"divisor": "all"},
        "precision_at_k: divisor must be one of 'k', 'recommended'; got 'all'.",
    ),
    (
        "average_precision_at_k",
        (["a"], {"a"}),
        {"divisor": "k"},
        "average_precision_at_k: divisor must be one of 'min', 'relevant'; got 'k'.",
    ),
    (
        "recall_at_k",
        (["a", "b", "a"], {"a"}, 1),
        {},
        "recall_at_k: recommended must name every item once; 'a' stands again at rank 3.\n"
        "hint: keep the first of them only.",
    ),
    (
        "recall_at_k",
        ({"a", "b"}, {"a"}, 1),
        {},
        "recall_at_k: recommended must have an order; got a set, which has none.\nhint: give a list, best first.",
    ),
    (
        "recall_at_k",
        ("abc", {"a"}, 1),
        {},
        "recall_at_k: recommended must be a list of items; got 'abc'.\nhint: put a single item in brackets.",
    ),
    (
        "recall_at_k",
        (["a"], "a", 1),
        {},
        "recall_at_k: relevant must be a list of items; got 'a'.\nhint: put a single item in brackets.",
    ),
    (
        "recall_at_k",
        ([["a"], ["b"]], {"a"}, 1),
        {},
        "recall_at_k: items of recommended must be numbers or text; got ['a'].\n"
        "hint: pass one user's list, not a list of lists.",
    ),
    (
        "recall_at_k",
        (["a", None], {"a"}, 1),
        {},
        "recall_at_k: recommended must not hold missing items; got None at place 1.\nhint: drop it first.",
    ),
    (
        "recall_at_k",
        ([1, 2], {"1", "2"}, 1),
        {},
        "recall_at_k: recommended and relevant must hold items of one kind; "
        "got numbers against text, of which none can be equal.\nhint: turn all into text, or into numbers.",
    ),
    (
        "hit_rate",
        ([], []),
        {},
        "hit_rate: recommended must hold at least one list; it is empty.\nhint: check the selection that made it.",
    ),
    (
        "hit_rate",
        ([["a"]], [{"a"}, {"b"}]),
        {},
        "hit_rate: recommended, relevant must be of equal length; Found input variables with inconsistent "
        "numbers of samples: [1, 2].\nhint: give one value a row in each.",
    ),
    (
        "hit_rate",
        ([["a"]], {"a"}),
        {},
        "hit_rate: relevant must be a list with one entry a user, each a list or a set of items; got {'a'}.",
    ),
    (
        "mean_average_precision",
        ([["a"]], [set()]),
        {"no_relevant": None},
        "mean_average_precision: at least one user must have relevant items; none has.\n"
        "hint: set no_relevant to the value they count as.",
    ),
    (
        "mean_reciprocal_rank",
        (["ab"], [["a"]]),
        {},
        "mean_reciprocal_rank: recommended must be a list of items; got 'ab'.\nhint: put a single item in brackets.",
    ),
]


@pytest.mark.parametrize(("name", "data", "options", "words"), REFUSED, ids=[case[3][:70] for case in REFUSED])
def test_refusals(name: str, data: Any, options: Any, words: str) -> None:
    with pytest.raises((DataError, ParameterError)) as caught:
        getattr(metrics, name)(*data, **options)
    assert str(caught.value) == words


@pytest.mark.parametrize("name", ["dcg_score", "ndcg_score"])
@pytest.mark.parametrize("data", [([[]], [[]]), ([1, 2], [1, 2]), ([[1.0]], [[1.0]]), (GAINS, [[1.0]])])
def test_what_scikit_learn_refuses_is_refused(name: str, data: Any) -> None:
    for module in (metrics, peer):
        with pytest.raises(ValueError, match=r"\w"):
            getattr(module, name)(*data)


@pytest.mark.parametrize("name", ["dcg_score", "ndcg_score"])
def test_arguments(name: str) -> None:
    """Same names, kinds and defaults."""
    found, wanted = (
        [(each.name, each.kind, each.default) for each in inspect.signature(getattr(module, name)).parameters.values()]
        for module in (metrics, peer)
    )
    assert found == wanted
