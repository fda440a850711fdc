"""Our own defaults: a rate by the rows and by short fits, and shares of rows and columns by the rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from pellucid.boosting import BoostedTreesClassifier, BoostedTreesRegressor
from pellucid.boosting._way import best_way, parts_of

Made = Callable[..., Any]
FACES = [BoostedTreesClassifier, BoostedTreesRegressor]


def table(n: int, noise: float = 0.5, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, X[:, 0] * X[:, 1] + np.sin(3 * X[:, 2]) + noise * rng.normal(size=n)


def goal_of(face: Made, y: Any) -> Any:
    return y > 0 if face is BoostedTreesClassifier else y


class Steps:
    """A booster whose scores go up by the rate each round, for all rows."""

    def __init__(self, rows: int, rate: float) -> None:
        self.rows, self.rate, self.done = rows, rate, 0

    def grow(self, rounds: int) -> None:
        self.done += rounds

    def scores(self) -> Any:
        return np.full((self.rows, 1), self.rate * self.done)


# ------------------------------------------------------------------------------------------------------- the short fits


@pytest.mark.parametrize(("least_at", "rounds"), [(1.5, 20), (3.0, 30), (6.0, 54)])
def test_the_way_lies_between_the_guess_and_the_least_loss(least_at: float, rounds: int) -> None:
    """Squares are least at the target: a way of 1.5, 3 or 6, to which it is as near as 3,000 rows to 4,000.

    The fits stop after ten rounds of 0.15 without a better loss, or half of the rounds to the best one; and where they
    have gone twice as far as the guess, which 54 rounds do.
    """
    y, fits = np.full((3000, 1), least_at), []

    def made(part: Any, rate: float) -> Steps:
        fits.append(Steps(len(part), rate))
        return fits[-1]

    parts = parts_of(y, None, False, 0)
    found = best_way(4.0, parts, y, None, {"loss": "squared_error"}, made)
    assert_allclose(found, 4 ** (1 / 4) * least_at ** (3 / 4))
    assert [fit.done for fit in fits] == [rounds] * 5
    assert {fit.rate for fit in fits} == {0.15}


def test_no_fit_goes_further_than_twice_the_guess() -> None:
    y = np.full((1000, 1), 100.0)
    found = best_way(
        4.0, parts_of(y, None, False, 0), y, None, {"loss": "squared_error"}, lambda p, r: Steps(len(p), r)
    )
    assert_allclose(found, (4 * 8.1) ** 0.5)


def test_weights_count_where_rows_are_held_out() -> None:
    """Half of the rows want 1.5, half 6; the latter weigh next to nothing."""
    y = np.repeat([[1.5], [6.0]], 2000, axis=0)
    weight = np.repeat([1.0, 1e-9], 2000)
    fit = lambda p, r: Steps(len(p), r)  # noqa: E731
    found = best_way(4.0, parts_of(y, weight, False, 0), y, weight, {"loss": "squared_error"}, fit)
    assert_allclose(found, 4 ** (1 / 5) * 1.5 ** (4 / 5))


@pytest.mark.parametrize(("n", "folds"), [(300, 5), (4000, 5), (5000, 4), (9000, 3), (19_999, 2), (20_000, 1)])
def test_parts_are_fifths_and_as_many_as_needed(n: int, folds: int) -> None:
    parts = parts_of(np.zeros((n, 1)), None, False, 3)
    assert len(parts) == folds
    assert np.sum(parts, axis=0).max() == 1
    assert {int(part.sum()) - n // 5 for part in parts} <= {0, 1}


def test_parts_have_the_same_share_of_each_class_and_no_row_without_weight() -> None:
    y = (np.arange(1000) % 10 == 0).astype(float)[:, None]
    weight = (np.arange(1000) % 4 > 0).astype(float)
    parts = parts_of(y, weight, True, 0)
    used = weight > 0
    assert_array_equal(np.sum(parts, axis=0), used)
    for k in (0, 1):
        rows = (y[:, 0] == k) & used
        assert {int(part[rows].sum()) - int(rows.sum()) // 5 for part in parts} <= {0, 1}


# ------------------------------------------------------------------------------------------------------------- the rate


@pytest.mark.parametrize("face", FACES)
def test_noise_shortens_the_way(face: Made) -> None:
    X, y = table(600, noise=0.05)
    clean = face(100, random_state=0).fit(X, goal_of(face, y)).learning_rate_
    shuffled = np.random.default_rng(1).permutation(y)
    assert face(100, random_state=0).fit(X, goal_of(face, shuffled)).learning_rate_ < clean / 2


@pytest.mark.parametrize("face", FACES)
def test_the_rate_goes_by_the_rows_where_nothing_can_be_tried(face: Made) -> None:
    a, b = (6.0, 0.25) if face is BoostedTreesClassifier else (10.0, 0.5)

    def rate(n: int, rounds: int, **told: Any) -> float:
        X, y = table(n)
        return float(face(rounds, random_state=0, **told).fit(X, goal_of(face, y)).learning_rate_)

    assert_allclose(rate(199, 100), a * 0.2**b / 100)  # too few rows
    assert_allclose(rate(600, 150, early_stopping=True), a * 0.6**b / 150)  # rows held out tell when to stop
    assert rate(600, 10) == 0.2  # too few rounds for the way
    assert rate(600, 100, learning_rate=0.07) == 0.07
    assert rate(600, 100) != pytest.approx(a * 0.6**b / 100)


def test_the_rate_of_more_classes_and_of_a_rare_class_goes_by_the_rows() -> None:
    X, y = table(500)
    three = BoostedTreesClassifier(100, random_state=0).fit(X, np.digitize(y, [-1, 1]))
    assert_allclose(three.learning_rate_, 8 * 0.5**0.5 / 100)
    rare = BoostedTreesClassifier(100, random_state=0).fit(X, np.arange(500) < 4)
    assert_allclose(rare.learning_rate_, 6 * 0.5**0.25 / 100)


@pytest.mark.parametrize("face", FACES)
def test_rows_to_look_at_change_no_tree(face: Made) -> None:
    X, y = table(500)
    goal = goal_of(face, y)
    plain = face(60, random_state=0).fit(X[:400], goal[:400])
    watched = face(60, random_state=0).fit(X[:400], goal[:400], X_val=X[400:], y_val=goal[400:])
    assert watched.learning_rate_ == plain.learning_rate_
    assert_array_equal(watched.predict(X), plain.predict(X))


@pytest.mark.parametrize("face", FACES)
def test_threads_change_no_bit_and_the_seed_repeats_the_fit(face: Made) -> None:
    X, y = table(900)
    fits = [face(60, random_state=5, n_jobs=jobs).fit(X, goal_of(face, y)) for jobs in (1, 2, 3, 1)]
    assert len({fit.learning_rate_ for fit in fits}) == 1
    ask = "decision_function" if face is BoostedTreesClassifier else "predict"
    for fit in fits[1:]:
        assert_array_equal(getattr(fit, ask)(X), getattr(fits[0], ask)(X))


@pytest.mark.parametrize("loss", ["absolute_error", "quantile", "huber", "poisson"])
def test_all_losses_are_tried(loss: Any) -> None:
    X, y = table(400)
    model = BoostedTreesRegressor(60, loss=loss, random_state=0).fit(X, np.abs(y))
    assert model.learning_rate_ not in (0.2, pytest.approx(10 * 0.4**0.5 / 60))


def test_several_targets_are_tried_together() -> None:
    X, y = table(400)
    model = BoostedTreesRegressor(60, random_state=0).fit(X, np.column_stack([y, X[:, 0]]))
    assert model.learning_rate_ != pytest.approx(10 * 0.4**0.5 / 60)
    assert model.predict(X).shape == (400, 2)


def test_a_warm_start_keeps_the_rate() -> None:
    X, y = table(400)
    model = BoostedTreesRegressor(60, warm_start=True, random_state=0).fit(X, y)
    rate = model.learning_rate_
    assert model.set_params(n_estimators=80).fit(X, y).learning_rate_ == rate
    assert model.n_estimators_ == 80


def test_another_fit_forgets_the_rate() -> None:
    X, y = table(400)
    model = BoostedTreesRegressor(60, random_state=0).fit(X, y)
    shuffled = np.random.default_rng(1).permutation(y)
    again = model.fit(X, shuffled).learning_rate_
    assert again == BoostedTreesRegressor(60, random_state=0).fit(X, shuffled).learning_rate_


# --------------------------------------------------------------------------------------------- shares, and few rows


@pytest.mark.parametrize(("n", "share"), [(100, 0.8), (5000, 0.8), (6000, 0.96), (6250, 1.0), (30_000, 1.0)])
@pytest.mark.parametrize("face", FACES)
def test_the_share_of_rows_goes_by_the_rows(face: Made, n: int, share: float) -> None:
    """Of the rows learned from, a tree of the draw knows how many it has seen."""
    X = np.arange(float(n))[:, None]
    model = face(1, random_state=0).fit(X, X[:, 0] > n / 2)
    assert model._forest_.tree(0).n_rows[0] == round(share * n)
    assert face(1, subsample=0.5, random_state=0).fit(X, X[:, 0] > n / 2)._forest_.tree(0).n_rows[0] == n // 2


def test_of_more_classes_all_rows_are_looked_at() -> None:
    X = np.arange(600.0)[:, None]
    assert BoostedTreesClassifier(1, random_state=0).fit(X, X[:, 0] // 200)._forest_.tree(0).n_rows[0] == 600


@pytest.mark.parametrize(
    ("n", "classes", "share"),
    [(500, 2, 0.3), (10_000, 2, 0.375), (20_000, 2, 0.5), (20_000, 3, 0.3), (30_000, 3, 0.375)],
)
def test_the_share_of_columns_goes_by_the_rows_a_score(n: int, classes: int, share: float) -> None:
    """A stump knows the best of the columns drawn: of 40 columns, each better than the next, how good it is tells."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % classes
    X = (y == 0)[:, None] + 0.5 * np.arange(1, 41) * rng.normal(size=(n, 40))
    stumps: dict[str, Any] = {"max_leaf_nodes": 2, "random_state": 0, "learning_rate": 1e-9}
    by_rows = BoostedTreesClassifier(30, **stumps).fit(X, y)
    told = BoostedTreesClassifier(30, **stumps, max_features=share).fit(X, y)
    assert_array_equal(by_rows.decision_function(X[:50]), told.decision_function(X[:50]))
    other = BoostedTreesClassifier(30, **stumps, max_features=share + 0.05).fit(X, y)
    assert (other.decision_function(X[:50]) != told.decision_function(X[:50])).any()


def test_categories_of_thirty_rows_are_told_apart() -> None:
    """Six of them in order, three on either side of a split: of 90 rows, where LightGBM asks for 100."""
    X = np.repeat([["a"], ["b"], ["c"], ["d"], ["e"], ["f"]], 30, axis=0)
    y = np.repeat([0.0, 1.0, 0.0, 1.0, 0.0, 1.0], 30)
    told: dict[str, Any] = {"learning_rate": 1.0, "subsample": 1.0, "l2_regularization": 0.0}
    assert_allclose(BoostedTreesRegressor(1, **told).fit(X, y).predict([["a"], ["b"]]), [0, 1], atol=0.2)
