"""Friedman's boosting: two examples done by hand, scikit-learn's trees and scores, and what each loss must satisfy."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor

from pellucid.reference.cart import Rules
from pellucid.reference.gradient_boosting import (
    Loss,
    answers,
    boost,
    boost_with,
    curvatures,
    leaf_answer,
    quantile,
    residuals,
    staged_losses,
    staged_scores,
    start_of,
    values_of,
    width,
)

LOSSES = {
    "squared": Loss(),
    "absolute": Loss("absolute"),
    "quantile": Loss("quantile", level=0.3),
    "huber": Loss("huber", level=0.8),
    "poisson": Loss("poisson"),
    "logistic": Loss("logistic"),
    "softmax": Loss("softmax", classes=3),
}


def table(n: int = 40, p: int = 3, seed: int = 0) -> Any:
    """Values that a float32 holds exactly, and a score that depends on two of the columns."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, p)) * 1024) / 1024
    return X, X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=n)


def target_for(name: str, score: Any) -> Any:
    """Targets that a loss can take, from a score."""
    if name == "logistic":
        return (score > np.median(score)).astype(float)
    if name == "softmax":
        return np.digitize(score, np.quantile(score, [0.3, 0.7])).astype(float)
    return np.round(np.exp(score / 2)) if name == "poisson" else score


def peer(name: str, **settings: Any) -> Any:
    """scikit-learn's model with this loss."""
    if name in ("logistic", "softmax"):
        return GradientBoostingClassifier(random_state=0, **settings)
    loss = {"squared": "squared_error", "absolute": "absolute_error"}.get(name, name)
    return GradientBoostingRegressor(loss=loss, alpha=LOSSES[name].level, random_state=0, **settings)


def staged_of_peer(model: Any, X: Any) -> Any:
    """Rounds x rows x outputs."""
    if isinstance(model, GradientBoostingClassifier):
        return np.array(list(model.staged_decision_function(X)))
    return np.array(list(model.staged_predict(X)))[:, :, None]


# ------------------------------------------------------------------------------------------------- examples by hand


SALARY = np.array([200.0, 160, 170, 150, 150, 200])
WHO = [[0, 5], [3], [1, 2, 4]]  # male and white; male and not white; female


def test_salaries_from_a_rounded_mean() -> None:
    made = boost_with([WHO, WHO], SALARY, rate=0.1, start=170.0)
    assert_allclose(made.steps[0].residual, [30, -10, 0, -20, -20, 30], atol=1e-9)
    assert_allclose(made.steps[0].answer, [30, -20, -10], atol=1e-9)
    assert_allclose(made.scores[1][:, 0], [173, 169, 169, 168, 169, 173], atol=1e-9)
    assert_allclose(made.steps[1].residual, [27, -9, 1, -18, -19, 27], atol=1e-9)
    assert_allclose(made.steps[1].answer, [27, -18, -9], atol=1e-9)
    assert_allclose(made.scores[2][:, 0], [175.7, 168.1, 168.1, 166.2, 168.1, 175.7], atol=1e-9)


def test_salaries_from_the_mean() -> None:
    made = boost_with([WHO, WHO], SALARY, rate=0.1)
    assert_allclose(made.start, [171.6666666667], atol=1e-9)
    assert_allclose(
        made.steps[0].residual, [28.3333333333, -11.6666666667, -1.6666666667, -21.6666666667, -21.6666666667,
                                 28.3333333333], atol=1e-9,
    )  # fmt: skip
    assert_allclose(made.steps[0].answer, [28.3333333333, -21.6666666667, -11.6666666667], atol=1e-9)
    assert_allclose(made.scores[1][:, 0], [174.5, 170.5, 170.5, 169.5, 170.5, 174.5], atol=1e-9)
    assert_allclose(made.steps[1].residual, [25.5, -10.5, -0.5, -19.5, -20.5, 25.5], atol=1e-9)
    assert_allclose(made.steps[1].answer, [25.5, -19.5, -10.5], atol=1e-9)
    assert_allclose(made.scores[2][:, 0], [177.05, 169.45, 169.45, 167.55, 169.45, 177.05], atol=1e-9)


ANSWERED = np.array([1.0, 0, 1, 1, 1, 0])
ASKED = [[0, 1, 5], [2, 4], [3]]  # fewer than 9 questions; more, by a subscriber; more, by someone else


def test_chatbot_from_the_log_odds() -> None:
    made = boost_with([ASKED], ANSWERED, Loss("logistic"), rate=0.1)
    assert_allclose(made.start, [0.6931471806], atol=1e-9)
    assert_allclose(answers(made.loss, made.scores[0])[:, 1], np.full(6, 0.6666666667), atol=1e-9)
    third, two = 0.3333333333, -0.6666666667
    assert_allclose(made.steps[0].residual, [third, two, third, third, third, two], atol=1e-9)
    assert_allclose(made.steps[0].answer, [-1.5, 1.5, 1.5], atol=1e-9)
    low, high = 0.5431471806, 0.8431471806
    assert_allclose(made.scores[1][:, 0], [low, low, high, high, high, low], atol=1e-9)
    low, high = 0.632544228, 0.6991276343
    assert_allclose(answers(made.loss, made.scores[1])[:, 1], [low, low, high, high, high, low], atol=1e-9)


def test_chatbot_from_a_rounded_probability() -> None:
    made = boost_with([ASKED], ANSWERED, Loss("logistic"), rate=0.1, start=np.log(0.66 / 0.34))
    assert_allclose(made.steps[0].answer, [-1.4557338087, 1.5151515152, 1.5151515152], atol=1e-9)


# ------------------------------------------------------------------------------------------------------ scikit-learn


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", [name for name in LOSSES if name != "poisson"])
def test_leaves_of_scikit_learns_trees_answer_the_same(name: str, weighted: bool) -> None:
    """Whatever of several equal splits a tree takes: with its leaves given, answers and scores are the same."""
    X, score = table()
    y = target_for(name, score)
    weight = np.random.default_rng(1).integers(1, 5, len(y)) / 2 if weighted else np.ones(len(y))
    model = peer(name, n_estimators=6, learning_rate=0.3, max_depth=3).fit(X, y, weight)
    trees = model.estimators_.ravel()
    ends = [tree.apply(X.astype(np.float32)) for tree in trees]
    groups = [[np.flatnonzero(end == leaf) for leaf in np.unique(end)] for end in ends]
    loss = Loss(name, LOSSES[name].level, LOSSES[name].classes, between="lower")
    made = boost_with(groups, y, loss, rate=0.3, weight=weight)
    for tree, end, step in zip(trees, ends, made.steps, strict=True):
        assert_allclose(step.answer, tree.tree_.value[np.unique(end), 0, 0], rtol=1e-9, atol=1e-12)
    shift = np.mean(made.start) if name == "softmax" else 0.0  # theirs begin with a mean of 0 over the classes
    assert_allclose(np.array(made.scores[1:]) - shift, staged_of_peer(model, X), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("criterion", ["squared_error", "friedman_mse"])
@pytest.mark.parametrize("name", ["squared", "huber", "logistic", "softmax"])
def test_grown_trees_are_scikit_learns(name: str, criterion: str) -> None:
    """Rows of different weights, so that no two splits are equally good: which one theirs takes is left to chance."""
    X, score = table()
    y = target_for(name, score)
    weight = 0.5 + np.random.default_rng(8).random(len(y))
    model = peer(name, n_estimators=8, learning_rate=0.2, max_depth=2, min_samples_leaf=4).fit(X, y, weight)
    loss = Loss(name, LOSSES[name].level, LOSSES[name].classes, between="lower")
    rules = Rules(criterion, max_depth=2, min_rows_leaf=4)
    made = boost(X, y, loss, rounds=8, rate=0.2, rules=rules, weight=weight)
    shift = np.mean(made.start) if name == "softmax" else 0.0
    assert_allclose(np.array(made.scores[1:]) - shift, staged_of_peer(model, X), rtol=1e-9, atol=1e-9)
    assert_allclose(
        [step.tree.threshold for step in made.steps if step.tree is not None],
        [tree.tree_.threshold[0] for tree in model.estimators_.ravel()],
    )
    new = np.round(np.random.default_rng(9).normal(size=(25, 3)) * 1024) / 1024 + 1 / 4096
    assert_allclose(np.array(staged_scores(made, new)[1:]) - shift, staged_of_peer(model, new), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", ["absolute", "quantile"])
def test_grown_trees_of_signs_are_scikit_learns(name: str) -> None:
    """Residuals have two values only, and many cuts are equally good: one column, where the first of them is taken."""
    rng = np.random.default_rng(3)
    X = np.arange(24.0)[:, None]
    y = np.where(X[:, 0] < 9, 1.0, 4.0) + rng.normal(size=24) / 4
    model = peer(name, n_estimators=3, learning_rate=0.3, max_depth=1).fit(X, y)
    start = np.percentile(y, 100 * LOSSES[name].level)  # theirs, where there are no weights: between two targets
    loss = Loss(name, LOSSES[name].level, between="lower")
    made = boost(X, y, loss, rounds=3, rate=0.3, rules=Rules("squared_error", max_depth=1), start=start)
    assert_allclose(np.array(made.scores[1:]), staged_of_peer(model, X), rtol=1e-9)


# ------------------------------------------------------------------------------------------------------- every loss


def some_scores(name: str, n: int = 30) -> tuple[Any, Any]:
    """Targets, and scores that are none of them."""
    rng = np.random.default_rng(5)
    y = target_for(name, rng.normal(size=n))
    return y, rng.normal(size=(n, LOSSES[name].classes))


@pytest.mark.parametrize("name", LOSSES)
def test_residuals_and_curvatures_are_derivatives(name: str) -> None:
    loss = LOSSES[name]
    y, f = some_scores(name)
    d = width(loss, y, f, np.ones(len(y)))
    tiny = 1e-5
    for k in range(loss.classes):
        move = tiny * (np.arange(loss.classes) == k)
        up, down = (values_of(loss, y, f + sign * move, d) for sign in (1, -1))
        smooth = np.abs(np.abs(y - f[:, 0]) - d) > 1e-3 if name == "huber" else np.full(len(y), True)
        assert_allclose(residuals(loss, y, f, d)[smooth, k], (down - up)[smooth] / (2 * tiny), atol=1e-6)
        if not loss.by_residuals:
            bend = (residuals(loss, y, f - move)[:, k] - residuals(loss, y, f + move)[:, k]) / (2 * tiny)
            assert_allclose(curvatures(loss, f)[:, k], bend, atol=1e-6)


@pytest.mark.parametrize("name", [name for name in LOSSES if name not in ("huber", "softmax")])
def test_start_is_where_the_loss_is_least(name: str) -> None:
    loss = LOSSES[name]
    y, _ = some_scores(name)
    weight = np.random.default_rng(6).random(len(y))
    best = start_of(loss, y, weight)

    def whole(c: Any) -> float:
        return float((weight * values_of(loss, y, np.tile(c, (len(y), 1)))).sum())

    for step in (-0.5, -0.01, 0.01, 0.5):
        assert whole(best + step) >= whole(best) - 1e-12


def test_start_of_classes_are_their_shares() -> None:
    y = np.array([0.0, 0, 1, 2, 2, 2])
    loss = LOSSES["softmax"]
    assert_allclose(answers(loss, start_of(loss, y, np.ones(6))[None]), [[2 / 6, 1 / 6, 3 / 6]])


@pytest.mark.parametrize("name", ["squared", "absolute", "quantile"])
def test_leaf_answers_are_where_the_loss_is_least(name: str) -> None:
    loss = LOSSES[name]
    y, f = some_scores(name, 11)
    weight = np.random.default_rng(7).random(11)
    best = leaf_answer(loss, y, f, weight)
    costs = [float((weight * values_of(loss, y, f + c)).sum()) for c in (best, *np.linspace(best - 1, best + 1, 41))]
    assert min(costs) >= costs[0] - 1e-12


def test_a_leaf_of_hubers_loss() -> None:
    y, f = np.array([0.0, 1, 2, 3, 100]), np.zeros((5, 1))
    # The median is 2; from it the rows are -2, -1, 0, 1, 98 away, of which 1.5 counts at most.
    assert leaf_answer(Loss("huber"), y, f, np.ones(5), d=1.5) == pytest.approx(2 + (-1.5 - 1 + 0 + 1 + 1.5) / 5)


def test_a_leaf_of_counts_and_one_of_classes() -> None:
    y, f = np.array([0.0, 2, 5]), np.zeros((3, 1))
    assert leaf_answer(Loss("poisson"), y, f, np.ones(3)) == pytest.approx((7 - 3) / 3)
    assert leaf_answer(Loss("poisson", damping=0.7), y, f, np.ones(3)) == pytest.approx((7 - 3) / 3 / np.exp(0.7))
    loss, f = Loss("softmax", classes=3), np.zeros((2, 3))
    # Probabilities of 1/3: residuals 2/3 and -1/3, curvatures 2/9.
    assert leaf_answer(loss, np.array([0.0, 1]), f, np.ones(2), output=0) == pytest.approx(2 / 3 * (1 / 3) / (4 / 9))


def test_quantiles() -> None:
    values, one = np.array([4.0, 1, 3, 2]), np.ones(4)
    assert [quantile(values, one, level) for level in (0, 0.25, 0.3, 0.5, 1)] == [1, 1.5, 2, 2.5, 4]
    assert [quantile(values, one, level, "lower") for level in (0, 0.25, 0.3, 0.5, 1)] == [1, 1, 2, 2, 4]
    assert quantile(values, np.array([1.0, 1, 0, 2]), 0.75) == 3  # a value of weight 0 is not there


# --------------------------------------------------------------------------------------------------------- boosting


@pytest.mark.parametrize("name", LOSSES)
def test_weights_are_repetitions(name: str) -> None:
    X, score = table(20)
    y = target_for(name, score)
    times = np.random.default_rng(2).integers(0, 3, 20)
    rules = Rules("squared_error", max_depth=2)
    weighted = boost(X, y, LOSSES[name], rounds=4, rate=0.5, rules=rules, weight=times)
    rows = np.repeat(np.arange(20), times)
    repeated = boost(X[rows], y[rows], LOSSES[name], rounds=4, rate=0.5, rules=rules)
    assert_allclose(staged_scores(repeated, X), weighted.scores, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", LOSSES)
def test_scores_of_the_rows_learned_from_and_falling_losses(name: str) -> None:
    X, score = table(30)
    y = target_for(name, score)
    made = boost(X, y, LOSSES[name], rounds=10, rate=0.3)
    assert_allclose(staged_scores(made, X), made.scores, rtol=1e-12, atol=1e-12)
    losses = staged_losses(made, y)
    assert len(losses) == 11
    assert losses[10] < losses[0]
    if name != "huber":  # whose measure changes from round to round
        assert all(later <= before + 1e-12 for before, later in pairwise(losses))


def test_a_pure_leaf_of_sure_rows_answers_nothing() -> None:
    assert leaf_answer(Loss("logistic"), np.ones(2), np.full((2, 1), 800.0), np.ones(2)) == 0
    assert leaf_answer(Loss(), np.empty(0), np.empty((0, 1)), np.empty(0)) == 0


def test_given_leaves_know_no_new_rows() -> None:
    made = boost_with([WHO], SALARY)
    with pytest.raises(ValueError, match="trees must have been grown"):
        staged_scores(made, [[1.0]])
    assert_array_equal(made.scores[0][:, 0], np.full(6, SALARY.mean()))
