"""Ordered statistics and ordered boosting: examples done by hand, and that no row is told its own target."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from pellucid.reference import gradient_boosting as friedman
from pellucid.reference.gradient_boosting import Loss
from pellucid.reference.ordered_boosting import (
    boost,
    boost_with,
    doubling_prefixes,
    doubling_sizes,
    of_all_rows,
    ordered_statistic,
    plain_means,
    prefixes,
    scores_of,
)
from pellucid.reference.second_order_boosting import Settings, leaves_of

FRUIT = ["Apple", "Orange", "Apple", "Orange", "Orange", "Banana"]
TARGET = [1.0, 0, 1, 1, 1, 1]
BY_FRUIT = [[0, 2], [1, 3, 4], [5]]
LOSSES = [Loss(), Loss("logistic")]


# ------------------------------------------------------------------------------------------------- examples by hand


def test_plain_means_of_the_example() -> None:
    means = plain_means(FRUIT, TARGET)
    assert [means[fruit] for fruit in ("Apple", "Orange", "Banana")] == [1.0, pytest.approx(0.6666666667), 1.0]
    assert_allclose([means[fruit] for fruit in FRUIT], [1, 0.6666666667, 1, 0.6666666667, 0.6666666667, 1])
    assert np.mean(TARGET) == pytest.approx(0.8333333333)


def test_ordered_statistic_of_the_example() -> None:
    sums, counts, statistic = ordered_statistic(FRUIT, TARGET, prior=0.5, weight=1.0)
    assert_array_equal(sums, [0, 0, 1, 0, 1, 0])
    assert_array_equal(counts, [0, 0, 1, 1, 2, 0])
    assert_allclose(statistic, [0.5, 0.5, 0.75, 0.25, 0.5, 0.5], atol=1e-12)
    whole = of_all_rows(FRUIT, TARGET, prior=0.5, weight=1.0)
    assert_allclose([whole[fruit] for fruit in ("Apple", "Orange", "Banana")], [0.8333333333, 0.625, 0.75])


ORDER = ["x4", "x6", "x3", "x1", "x8", "x2", "x7", "x9", "x5", "x10"]


def test_prefixes_of_the_example() -> None:
    found = prefixes(ORDER)
    assert found["x6"] == ["x4"]
    assert found["x3"] == ["x4", "x6"]
    assert found["x2"] == ["x4", "x6", "x3", "x1", "x8"]
    assert list(found) == ORDER
    assert [len(before) for before in found.values()] == list(range(10))
    assert all(before == ORDER[: len(before)] for before in found.values())


def test_doubling_of_the_example() -> None:
    assert doubling_sizes(10) == [1, 2, 4, 8]
    assert doubling_prefixes(ORDER) == {
        "x4": [],
        "x6": ["x4"],
        "x3": ["x4", "x6"],
        "x1": ["x4", "x6"],
        "x8": ["x4", "x6", "x3", "x1"],
        "x2": ["x4", "x6", "x3", "x1"],
        "x7": ["x4", "x6", "x3", "x1"],
        "x9": ["x4", "x6", "x3", "x1"],
        "x5": ["x4", "x6", "x3", "x1", "x8", "x2", "x7", "x9"],
        "x10": ["x4", "x6", "x3", "x1", "x8", "x2", "x7", "x9"],
    }


def test_doubling_at_powers_of_two() -> None:
    assert [doubling_sizes(n) for n in (1, 2, 7, 8, 9)] == [[1], [1, 2], [1, 2, 4], [1, 2, 4, 8], [1, 2, 4, 8]]


# ----------------------------------------------------------------------------------------------------------- boosting


def test_one_round_with_a_leaf_a_category_is_the_ordered_statistic() -> None:
    made = boost_with([BY_FRUIT], TARGET, order=range(6), rate=1.0, start=0.5, l2=1.0, doubling=False)
    assert_allclose(made.own_scores(), [0.5, 0.5, 0.75, 0.25, 0.5, 0.5], atol=1e-12)
    assert_allclose(0.5 + made.rounds[0].answer[-1], [0.8333333333, 0.625, 0.75])
    order = [5, 4, 3, 2, 1, 0]
    made = boost_with([BY_FRUIT], TARGET, order=order, rate=1.0, start=0.5, l2=1.0, doubling=False)
    assert_allclose(made.own_scores(), ordered_statistic(FRUIT, TARGET, 0.5, 1.0, order)[2])


def problem(loss: Loss, n: int = 21) -> Any:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, 3))
    score = X[:, 0] + X[:, 1] + 0.5 * rng.normal(size=n)
    y = (score > 0).astype(float) if loss.name == "logistic" else score
    groups = [[np.flatnonzero(X[:, j] <= 0.1), np.flatnonzero(X[:, j] > 0.1)] for j in (0, 1, 0, 2)]
    return X, y, rng.permutation(n), groups


@pytest.mark.parametrize("doubling", [False, True])
@pytest.mark.parametrize("loss", LOSSES)
def test_a_row_is_judged_by_rows_of_its_prefix_alone(loss: Loss, doubling: bool) -> None:
    """Other targets for a row, and for all behind it, change nothing of what it is told."""
    _, y, order, groups = problem(loss)
    made = boost_with(groups, y, order, loss, rate=0.5, doubling=doubling)
    told = (doubling_prefixes if doubling else prefixes)(order.tolist())
    for place, row in enumerate(order):
        assert made.sizes[made.model_of[row]] == len(told[row])
        other = y.copy()
        other[order[place:]] = 1 - other[order[place:]]
        again = boost_with(groups, other, order, loss, rate=0.5, doubling=doubling)
        for m in range(len(groups) + 1):
            assert again.own_scores(m)[row] == made.own_scores(m)[row]


@pytest.mark.parametrize("doubling", [False, True])
@pytest.mark.parametrize("loss", LOSSES)
def test_each_model_is_plain_boosting_of_its_first_rows(loss: Loss, doubling: bool) -> None:
    """With the trees given, the scores of model j are those of Friedman's boosting on the first rows of the order."""
    _, y, order, groups = problem(loss)
    made = boost_with(groups, y, order, loss, rate=0.5, start=0.2, doubling=doubling)
    assert made.sizes == ([0, 1, 2, 4, 8, 16, 21] if doubling else list(range(22)))
    for j, size in enumerate(made.sizes):
        known = np.zeros(21)
        known[order[:size]] = 1.0
        alone = friedman.boost_with(groups, y, loss, rate=0.5, weight=known, start=0.2)
        for m, scores in enumerate(alone.scores):
            assert_allclose(made.scores[m][j], scores[:, 0], rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("loss", LOSSES)
def test_grown_trees_are_oblivious_and_answer_for_new_rows(loss: Loss) -> None:
    X, y, order, _ = problem(loss, 40)
    s = Settings("oblivious", max_depth=2, l2=1.0)
    made = boost(X, y, order, loss, s, rounds=5, rate=0.3)
    assert all(len(leaves_of(one.tree)) == 4 for one in made.rounds if one.tree is not None)
    assert_allclose(scores_of(made, X), made.scores[-1][-1], rtol=1e-12, atol=1e-12)
    assert_allclose(made.rounds[0].residual, y - (0.5 if loss.name == "logistic" else 0.0))
    for m, one in enumerate(made.rounds):
        assert_allclose(one.residual, friedman.residuals(loss, y, made.own_scores(m)[:, None])[:, 0])
    leaky = np.abs(y - friedman.answers(loss, made.scores[-1][-1][:, None]).reshape(40, -1)[:, -1]).mean()
    honest = np.abs(y - friedman.answers(loss, made.own_scores()[:, None]).reshape(40, -1)[:, -1]).mean()
    assert leaky < honest


def test_other_losses_are_refused() -> None:
    with pytest.raises(ValueError, match="must be 'squared' or 'logistic'; got 'huber'"):
        boost_with([BY_FRUIT], TARGET, order=range(6), loss=Loss("huber"))


def test_given_leaves_know_no_new_rows() -> None:
    with pytest.raises(ValueError, match="trees must have been grown"):
        scores_of(boost_with([BY_FRUIT], TARGET, order=range(6)), [[1.0]])
