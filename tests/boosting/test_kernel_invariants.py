"""What holds for boosted trees whatever the table: threads, stages, rows held out, weights, sizes of leaves."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

from pellucid.base.errors import DataError
from pellucid.boosting import (
    BoostedTreesClassifier,
    BoostedTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    LightGBMClassifier,
    LightGBMRegressor,
    XGBoostClassifier,
    XGBoostRegressor,
    _losses,
    _model,
)

Floats = NDArray[np.float64]
REGRESSORS: list[Any] = [BoostedTreesRegressor, LightGBMRegressor, XGBoostRegressor, GradientBoostingRegressor]
CLASSIFIERS: list[Any] = [BoostedTreesClassifier, LightGBMClassifier, XGBoostClassifier, GradientBoostingClassifier]
LARGE = 40_000  # several pieces of work; the first nodes do not count their rows, the later ones do


def table(n: int, p: int = 5, seed: int = 0, holes: float = 0.05) -> tuple[Floats, Floats]:
    """Numbers with values missing, and a target that hangs on three columns."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    y = X[:, 0] + np.sin(2 * X[:, 1]) * X[:, 2] + 0.5 * rng.normal(size=n)
    X[rng.random(X.shape) < holes] = np.nan
    return X, y


def classes(y: Floats, k: int = 2) -> Any:
    """Numbers as classes of unequal sizes."""
    return np.searchsorted(np.quantile(y, np.linspace(0.3, 0.8, k - 1)), y)


def scores(model: Any, X: Any) -> Floats:
    """Rows x outputs."""
    found = model.decision_function(X) if hasattr(model, "classes_") else model.predict(X)
    return np.asarray(found.reshape(len(X), -1))


def same_bits(a: Any, b: Any) -> bool:
    """Not a bit differs, of numbers that are not there either."""
    return np.asarray(a).tobytes() == np.asarray(b).tobytes()


# ---------------------------------------------------------------------------------------------------------- threads


WAYS: dict[str, dict[str, Any]] = {
    "plain": {},
    "by_depth": {"growth": "depth", "max_depth": 5},
    "oblivious": {"growth": "oblivious", "max_depth": 4},
    "uniform": {"subsample": 0.6},
    "bernoulli": {"sampling": "bernoulli", "subsample": 0.6},
    "goss": {"sampling": "goss"},
    "mvs": {"sampling": "mvs", "subsample": 0.4},
    "bayesian": {"sampling": "bayesian", "bagging_temperature": 0.7},
    "columns": {"max_features": 0.5, "max_features_level": 0.7, "max_features_tree": 0.8},
    "large_leaves": {"min_samples_leaf": 700},
    "stopping": {"early_stopping": True, "n_iter_no_change": 3},
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ["squared", "logistic", "softmax"])
def test_threads_change_no_bit_of_a_large_table(kind: str, way: str) -> None:
    X, y = table(LARGE)
    target = y if kind == "squared" else classes(y, 2 if kind == "logistic" else 3)
    made = BoostedTreesRegressor if kind == "squared" else BoostedTreesClassifier
    found = []
    for threads in (1, 2, 3):
        told = {"learning_rate": 0.5, "random_state": 7, **WAYS[way]}
        model: Any = made(3, n_jobs=threads, **told).fit(X, target)
        found.append((model._forest_.nodes, model._forest_.leaf_value, scores(model, X), model.importances()))
    for other in found[1:]:
        assert all(same_bits(a, b) for a, b in zip(found[0], other, strict=True))


@pytest.mark.parametrize("made", [*REGRESSORS, *CLASSIFIERS])
@pytest.mark.parametrize("n", [50, 3000])
def test_threads_change_no_bit_of_a_small_table(made: Any, n: int) -> None:
    X, y = table(n)
    target = classes(y, 3) if made in CLASSIFIERS else y
    w = np.random.default_rng(1).uniform(0, 2, n)
    models = [made(4, n_jobs=threads, random_state=0).fit(X, target, sample_weight=w) for threads in (1, 2, 3)]
    for other in models[1:]:
        assert same_bits(models[0]._forest_.nodes, other._forest_.nodes)
        assert same_bits(scores(models[0], X), scores(other, X))


@pytest.mark.parametrize("way", [way for way in WAYS if way not in ("plain", "by_depth", "oblivious", "large_leaves")])
def test_another_random_state_draws_otherwise(way: str) -> None:
    X, y = table(2000)
    told = {"learning_rate": 0.5, **WAYS[way]}
    one, again, other = (LightGBMRegressor(6, random_state=seed, **told).fit(X, y).predict(X) for seed in (0, 0, 1))
    assert same_bits(one, again)
    assert not same_bits(one, other)


# ----------------------------------------------------------------------------------------------------------- stages


@pytest.mark.parametrize("made", [*REGRESSORS, *CLASSIFIERS])
@pytest.mark.parametrize("k", [2, 3])
def test_the_last_stage_is_the_answer(made: Any, k: int) -> None:
    X, y = table(300)
    target = classes(y, k) if made in CLASSIFIERS else y
    model = made(7, random_state=0).fit(X, target)
    stages = list(model.staged_predict(X))
    assert len(stages) == 7
    assert_array_equal(stages[-1], model.predict(X))
    assert same_bits(next(iter(model.staged_predict(X))), made(1, random_state=0).fit(X, target).predict(X))
    if made in CLASSIFIERS:
        assert_array_equal(list(model.staged_predict_proba(X))[-1], model.predict_proba(X))
        assert_array_equal(list(model.staged_decision_function(X))[-1], model.decision_function(X))


def training_scores(monkeypatch: pytest.MonkeyPatch, fit: Callable[[], Any]) -> tuple[Any, Floats]:
    """A fitted model, and the scores that the kernel had of its rows at the end."""
    kept: list[Floats] = []
    forest_of = _model.forest_of

    def listening(booster: Any) -> Any:
        kept.append(np.asarray(booster.scores()))
        return forest_of(booster)

    monkeypatch.setattr(_model, "forest_of", listening)
    return fit(), kept[-1]


@pytest.mark.parametrize("way", [way for way in WAYS if way != "stopping"])
@pytest.mark.parametrize("n", [400, LARGE])
def test_scores_in_training_are_those_of_prediction(monkeypatch: pytest.MonkeyPatch, n: int, way: str) -> None:
    """Also of rows that a round did not look at, of rows of weight 0, and of categories."""
    X, y = table(n)
    X[:, 4] = np.random.default_rng(3).integers(0, 9, n)
    w = np.random.default_rng(2).integers(0, 3, n).astype(float)
    told = {"learning_rate": 0.5, "random_state": 0, "categorical_features": [4], **WAYS[way]}
    model, kept = training_scores(
        monkeypatch, lambda: BoostedTreesClassifier(5, **told).fit(X, classes(y, 3), sample_weight=w)
    )
    assert_allclose(scores(model, X), kept, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("made", [GradientBoostingRegressor, GradientBoostingClassifier])
def test_scores_in_training_are_those_of_prediction_of_exact_trees(monkeypatch: pytest.MonkeyPatch, made: Any) -> None:
    X, y = table(400)
    w = np.random.default_rng(2).integers(0, 3, 400).astype(float)
    target = classes(y, 3) if made is GradientBoostingClassifier else y
    model, kept = training_scores(
        monkeypatch, lambda: made(5, subsample=0.7, random_state=0).fit(X, target, sample_weight=w)
    )
    assert_allclose(scores(model, X), kept, rtol=1e-12, atol=1e-12)


def test_missing_values_of_rows_without_slope_go_where_they_are_predicted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that are met so well that their slopes round to nothing are still there."""
    rng = np.random.default_rng(0)
    sure = np.arange(LARGE) < 5000
    x = np.where(sure, np.nan, rng.normal(size=LARGE))
    y = np.where(sure, 1, x + rng.normal(size=LARGE) > 0).astype(int)
    X = np.column_stack([x, 10.0 * sure + rng.normal(size=LARGE)])
    model, kept = training_scores(
        monkeypatch, lambda: LightGBMClassifier(60, learning_rate=1.0, max_leaf_nodes=6, random_state=0).fit(X, y)
    )
    assert_allclose(scores(model, X), kept, rtol=1e-12, atol=1e-12)


# ----------------------------------------------------------------------------------------------------------- losses


LOSSES = ["squared_error", "absolute_error", "quantile", "huber", "poisson"]


@pytest.mark.parametrize("made", REGRESSORS)
@pytest.mark.parametrize("loss", LOSSES)
def test_the_loss_falls_round_by_round(made: Any, loss: str) -> None:
    """Huber's width changes with the scores, so its loss is compared over several rounds."""
    X, y = table(800)
    target = np.random.default_rng(0).poisson(np.exp(0.5 * y)).astype(float) if loss == "poisson" else y
    model = made(15, loss=loss, random_state=0).fit(X, target)
    told = {"loss": loss, "level": 0.9 if loss == "huber" else 0.5}
    link = np.log if loss == "poisson" else np.asarray
    values = [_losses.mean_loss(told, target, link(stage)[:, None]) for stage in model.staged_predict(X)]
    apart = 5 if loss == "huber" else 1
    assert all(later < before for before, later in zip(values[:-apart], values[apart:], strict=True))


@pytest.mark.parametrize("made", CLASSIFIERS)
@pytest.mark.parametrize("k", [2, 4])
def test_the_loss_of_classes_falls_round_by_round(made: Any, k: int) -> None:
    X, y = table(800)
    target = classes(y, k)
    model = made(15, random_state=0).fit(X, target)
    values = [-np.log(p[np.arange(800), target]).mean() for p in model.staged_predict_proba(X)]
    assert all(later < before for before, later in pairwise(values))
    p = model.predict_proba(X)
    assert_allclose(p.sum(axis=1), 1, rtol=1e-12)
    assert_array_equal(model.classes_[p.argmax(axis=1)], model.predict(X))


@pytest.mark.parametrize("loss", LOSSES)
def test_losses_by_the_kernel_are_those_by_their_formulas(loss: Any) -> None:
    """What is kept of each round."""
    X, y = table(500)
    target = np.random.default_rng(0).poisson(np.exp(0.5 * y)).astype(float) if loss == "poisson" else y
    w = np.random.default_rng(1).uniform(0, 2, 500)
    model = LightGBMRegressor(6, loss=loss, quantile=0.3, random_state=0)
    model.fit(X, target, sample_weight=w, X_val=X[:50], y_val=target[:50])
    told = {"loss": loss, "level": 0.3}
    link = np.log if loss == "poisson" else np.asarray
    if loss != "huber":
        values = [_losses.mean_loss(told, target, link(stage)[:, None], w) for stage in model.staged_predict(X)]
        assert_allclose(model.train_losses_, values, rtol=1e-9)
        held = [-_losses.mean_loss(told, target[:50], link(s)[:, None]) for s in model.staged_predict(X[:50])]
        assert_allclose(model.validation_scores_, held, rtol=1e-9)
    assert len(model.train_losses_) == len(model.validation_scores_) == 6


# -------------------------------------------------------------------------------------------------- stopping early


def overfitting(seed: int = 0) -> Any:
    """Few rows and much noise: more rounds soon do harm."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 4))
    y = X[:, 0] + 2 * rng.normal(size=300)
    return X[:200], y[:200], X[200:], y[200:]


@pytest.mark.parametrize("made", REGRESSORS)
def test_the_best_round_is_kept(made: Any) -> None:
    X, y, X_val, y_val = overfitting()
    told: dict[str, Any] = {"random_state": 0, "learning_rate": 0.3}
    model = made(200, early_stopping=True, n_iter_no_change=8, **told).fit(X, y, X_val=X_val, y_val=y_val)
    best = int(np.argmax(model.validation_scores_)) + 1
    assert model.best_iteration_ == model.n_estimators_ == best
    assert len(model.validation_scores_) == best + 8 < 200
    assert same_bits(model.predict(X_val), made(best, **told).fit(X, y).predict(X_val))
    assert len(list(model.staged_predict(X))) == best
    assert_allclose(model.validation_scores_[best - 1], -np.mean((y_val - model.predict(X_val)) ** 2) / 2, rtol=1e-9)


@pytest.mark.parametrize("made", CLASSIFIERS)
@pytest.mark.parametrize("k", [2, 3])
def test_the_best_round_of_classes_is_kept(made: Any, k: int) -> None:
    """Labels are words; the rows held out are another table's."""
    X, y, X_val, y_val = overfitting()
    names = np.array(["no", "perhaps", "yes"])[:k]
    cuts = np.quantile(y, np.linspace(0, 1, k + 1)[1:-1])
    told: dict[str, Any] = {"random_state": 0, "learning_rate": 0.3, "early_stopping": True, "n_iter_no_change": 5}
    label, label_val = names[np.searchsorted(cuts, y)], names[np.searchsorted(cuts, y_val)]
    model = made(200, **told).fit(X, label, X_val=X_val, y_val=label_val)
    assert model.n_estimators_ == int(np.argmax(model.validation_scores_)) + 1 < 200
    p = model.predict_proba(X_val)[np.arange(100), np.searchsorted(names, label_val)]
    assert_allclose(model.validation_scores_.max(), np.log(p).mean(), rtol=1e-9)
    by_name = made(200, scoring="accuracy", **told).fit(X, label, X_val=X_val, y_val=label_val)
    assert by_name.validation_scores_.max() == pytest.approx(by_name.score(X_val, label_val))


@pytest.mark.parametrize("made", [LightGBMRegressor, GradientBoostingRegressor])
def test_rows_of_the_table_are_held_out(made: Any) -> None:
    """A tenth of them, from which nothing is learned: changing their targets changes no tree before the stop."""
    X, y, _, _ = overfitting()
    told: dict[str, Any] = {"early_stopping": True, "random_state": 3, "n_iter_no_change": 5, "learning_rate": 0.3}
    model = made(100, **told).fit(X, y)
    assert model._forest_.tree(0).n_rows[0] == 180
    assert 1 <= model.n_estimators_ < 100
    assert model.n_estimators_ == int(np.argmax(model.validation_scores_)) + 1


@pytest.mark.parametrize("seed", range(6))
def test_rows_held_out_that_weigh_nothing_are_a_clear_error(seed: int) -> None:
    """One row of four has a weight: whichever are held out, nothing is left to learn from, or to judge by."""
    model = LightGBMRegressor(5, early_stopping=True, validation_fraction=0.5, random_state=seed)
    with pytest.raises(DataError, match="early stopping needs rows"):
        model.fit([[1.0], [2.0], [3.0], [4.0]], [1.0, 5.0, 2.0, 9.0], sample_weight=[1.0, 0.0, 0.0, 0.0])


def test_rows_given_for_looking_at_do_not_stop_a_fit_that_is_not_to_be_stopped() -> None:
    X, y, X_val, y_val = overfitting()
    told: dict[str, Any] = {"random_state": 0, "learning_rate": 0.5}
    plain = LightGBMRegressor(40, **told).fit(X, y)
    watched = LightGBMRegressor(40, early_stopping=False, **told).fit(X, y, X_val=X_val, y_val=y_val)
    assert len(watched.validation_scores_) == watched.n_estimators_ == 40
    assert same_bits(plain.predict(X_val), watched.predict(X_val))
    auto = LightGBMRegressor(40, early_stopping="auto", **told).fit(X, y, X_val=X_val, y_val=y_val)
    assert auto.n_estimators_ < 40
    assert LightGBMRegressor(40, early_stopping="auto", **told).fit(X, y).n_estimators_ == 40


# -------------------------------------------------------------------------------------------------------- warm start


@pytest.mark.parametrize("made", [LightGBMRegressor, GradientBoostingRegressor, XGBoostClassifier])
def test_a_warm_start_gives_what_all_rounds_at_once_give(made: Any) -> None:
    X, y = table(300)
    target = classes(y, 3) if made is XGBoostClassifier else y
    told: dict[str, Any] = {"random_state": 0, "subsample": 0.7}
    warm = made(4, warm_start=True, **told).fit(X, target)
    early = warm._forest_.tree(3).value
    warm.set_params(n_estimators=9).fit(X, target)
    assert warm.n_estimators_ == 9
    assert same_bits(warm._forest_.tree(3).value, early)
    assert_allclose(scores(warm, X), scores(made(9, **told).fit(X, target), X), rtol=1e-9, atol=1e-12)


def test_a_warm_start_keeps_the_earlier_rounds_on_another_table() -> None:
    """The trees of the first table stay; the new ones are grown on the second."""
    X, y = table(300)
    other, z = table(300, seed=1)
    warm = LightGBMRegressor(4, warm_start=True, random_state=0).fit(X, y)
    before = warm.predict(X)
    warm.set_params(n_estimators=8).fit(other, z)
    stages = list(warm.staged_predict(X))
    assert_allclose(stages[3], before)


# ----------------------------------------------------------------------------------------------------------- weights


@pytest.mark.parametrize("made", [*REGRESSORS, *CLASSIFIERS])
def test_a_row_of_weight_0_changes_nothing_and_is_predicted(made: Any) -> None:
    X, y = table(250)
    target = classes(y, 3) if made in CLASSIFIERS else y
    w = np.where(np.arange(250) % 5 == 0, 0.0, np.random.default_rng(0).uniform(0.5, 2, 250))
    with_them = made(5, random_state=0).fit(X, target, sample_weight=w)
    changed = np.where(w == 0, 2 - target if made in CLASSIFIERS else -100 * target, target)
    moved = np.where((w == 0)[:, None], 3 * X, X)
    otherwise = made(5, random_state=0).fit(moved, changed, sample_weight=w)
    assert same_bits(scores(with_them, X), scores(otherwise, X))
    assert np.isfinite(scores(with_them, X)).all()
    if made not in (XGBoostRegressor, XGBoostClassifier):  # its leaves of one row: which of two like cuts is a draw
        alone = made(5, random_state=0).fit(X[w > 0], target[w > 0], sample_weight=w[w > 0])
        assert_allclose(scores(with_them, X), scores(alone, X), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("made", [*REGRESSORS, *CLASSIFIERS])
def test_weights_of_one_are_no_weights(made: Any) -> None:
    X, y = table(250)
    target = classes(y, 2) if made in CLASSIFIERS else y
    plain, ones = (made(5, random_state=0).fit(X, target, sample_weight=w) for w in (None, np.ones(250)))
    assert_allclose(scores(plain, X), scores(ones, X), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("made", [LightGBMRegressor, XGBoostRegressor, GradientBoostingRegressor])
def test_weights_of_any_size_are_taken(made: Any) -> None:
    """Without penalties the unit of the weights does not matter."""
    X, y = table(250)
    told = {} if made is GradientBoostingRegressor else {"l2_regularization": 0.0, "min_child_weight": 0.0}
    one = made(5, random_state=0, **told).fit(X, y, sample_weight=np.ones(250))
    for size in (1e30, 1e300, 1e-30, 1e-300):
        other = made(5, random_state=0, **told).fit(X, y, sample_weight=np.full(250, size))
        assert_allclose(scores(other, X), scores(one, X), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("made", [LightGBMRegressor, XGBoostRegressor, BoostedTreesRegressor])
@pytest.mark.parametrize("size", [1e-30, 1e15, 1e30, 1e45, 1e200])
def test_targets_of_any_size_are_taken(made: Any, size: float) -> None:
    """Squared errors have no unit."""
    X, y = table(300)
    one, other = (made(5, random_state=0).fit(X, y * unit).predict(X) for unit in (1.0, size))
    assert_allclose(other / size, one, rtol=1e-4, atol=1e-5)


# ------------------------------------------------------------------------------------------------------------ leaves


@pytest.mark.parametrize("growth", ["leaf", "depth"])
@pytest.mark.parametrize(("n", "least"), [(300, 20), (3000, 1), (LARGE, 20), (LARGE, 900)])
@pytest.mark.parametrize("kind", ["squared", "logistic", "weighted"])
def test_every_leaf_has_its_rows(kind: str, n: int, least: int, growth: str) -> None:
    """Counted by where the rows end: some rows weigh much, so that curvature says little of their number."""
    X, y = table(n, holes=0.001)
    X[:, 3] = np.where(np.arange(n) % 997 == 0, 50.0, X[:, 3])  # few rows that stand out
    y = np.where(np.arange(n) % 997 == 0, y + 30, y)
    w = np.random.default_rng(0).lognormal(0, 2, n) if kind == "weighted" else None
    made = LightGBMRegressor if kind == "squared" else LightGBMClassifier
    told: dict[str, Any] = {"growth": growth, "max_depth": 6, "min_child_weight": 0.0, "random_state": 0}
    model: Any = made(4, min_samples_leaf=least, learning_rate=0.5, **told)
    model.fit(X, y if kind == "squared" else classes(y, 2), sample_weight=w)
    leaves = model.apply(X)
    for t in range(leaves.shape[1]):
        _, rows = np.unique(leaves[:, t], return_counts=True)
        assert rows.min() >= least
        tree = model._forest_.tree(t)
        assert len(rows) == tree.n_leaves > 1
        assert_array_equal(np.sort(rows), np.sort(tree.n_rows[tree.is_leaf]))


@pytest.mark.parametrize("seed", range(5))
def test_a_leaf_may_have_just_the_curvature_that_is_asked_for(seed: int) -> None:
    """Rows of curvature 1 may stand alone where 1 is asked for, also where their weights are given."""
    told: dict[str, Any] = {"learning_rate": 1.0, "l2_regularization": 0.0, "min_child_weight": 1.0}
    X, y = [[1.0], [2.0], [3.0], [4.0]], [1.0, 5.0, 2.0, 9.0]
    model = XGBoostRegressor(1, random_state=seed, **told).fit(X, y, sample_weight=np.ones(4))
    assert_allclose(model.predict(X), y)


@pytest.mark.parametrize("n", [300, LARGE])
def test_every_leaf_has_its_curvature(n: int) -> None:
    X, y = table(n)
    target = classes(y, 2)
    least = n / 50
    model = XGBoostClassifier(1, min_child_weight=least, max_depth=8, random_state=0).fit(X, target)
    p = target.mean()
    _, rows = np.unique(model.apply(X)[:, 0], return_counts=True)
    assert rows.min() * p * (1 - p) >= least * (1 - 1e-4)
    assert len(rows) > 5


@pytest.mark.parametrize("n", [300, LARGE])
def test_trees_are_no_larger_than_told(n: int) -> None:
    X, y = table(n)
    for told, leaves, depth in (
        ({"max_leaf_nodes": 9}, 9, 8),
        ({"max_depth": 3, "max_leaf_nodes": None}, 8, 3),
        ({"growth": "depth", "max_leaf_nodes": 9}, 9, 8),
        ({"growth": "oblivious", "max_depth": 3}, 8, 3),
    ):
        model = LightGBMRegressor(3, min_samples_leaf=1, random_state=0, **told).fit(X, y)
        for t in range(3):
            tree = model._forest_.tree(t)
            assert tree.n_leaves <= leaves
            assert tree.max_depth <= depth


@pytest.mark.parametrize("growth", ["leaf", "depth"])
@pytest.mark.parametrize("kind", ["squared", "logistic"])
def test_histograms_that_are_given_up_for_memory_change_nothing(kind: str, growth: str) -> None:
    """Thousands of copies of a column, none of which is ever asked: of equal ones the first is."""
    X, y = table(400, p=3)
    target = y if kind == "squared" else classes(y)
    wide = np.concatenate([X, np.repeat(X[:, :1], 16_000, axis=1)], axis=1)
    made: Any = LightGBMRegressor if kind == "squared" else LightGBMClassifier
    told: dict[str, Any] = {"growth": growth, "max_leaf_nodes": 31, "min_samples_leaf": 5, "random_state": 0}
    narrow, other = made(1, **told).fit(X, target), made(1, **told).fit(wide, target)
    assert narrow._forest_.tree(0).n_leaves > 25
    assert same_bits(scores(narrow, X), scores(other, wide))


# ---------------------------------------------------------------------------------------------------------- monotone


@pytest.mark.parametrize("growth", ["leaf", "depth", "oblivious"])
@pytest.mark.parametrize("n", [400, LARGE])
def test_answers_are_monotone_where_they_should_be(growth: str, n: int) -> None:
    """Along lines through many rows: up with the first column, down with the second."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    y = np.sin(3 * X[:, 0]) + np.cos(3 * X[:, 1]) + X[:, 2] * X[:, 0] + 0.3 * rng.normal(size=n)
    lines = np.linspace(-3, 3, 60)
    told: dict[str, Any] = {"growth": growth, "max_depth": 5, "monotonic_cst": [1, -1, 0], "learning_rate": 0.5}
    for made, target in ((LightGBMRegressor, y), (XGBoostClassifier, (y > 0).astype(int))):
        model: Any = made(6, random_state=0, **told).fit(X, target)
        assert model.importances("split")[:2].sum() > 0
        for j, direction in ((0, 1), (1, -1)):
            rows = np.repeat(X[:80], len(lines), axis=0)
            rows[:, j] = np.tile(lines, 80)
            steps = np.diff(scores(model, rows).reshape(80, len(lines)), axis=1)
            assert (direction * steps >= -1e-12).all()


@pytest.mark.parametrize("loss", ["absolute_error", "quantile", "huber", "poisson"])
def test_answers_by_residuals_are_monotone_too(loss: Any) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 2))
    y = np.exp(np.sin(3 * X[:, 0]) + 0.5 * X[:, 1] * X[:, 0]) + 0.1 * rng.random(500)
    model = LightGBMRegressor(8, loss=loss, quantile=0.7, monotonic_cst=[1, 0], learning_rate=0.5).fit(X, y)
    lines = np.linspace(-3, 3, 60)
    rows = np.repeat(X[:80], len(lines), axis=0)
    rows[:, 0] = np.tile(lines, 80)
    assert (np.diff(model.predict(rows).reshape(80, len(lines)), axis=1) >= -1e-12).all()


# ---------------------------------------------------------------------------------------------------------- sampling


def test_draws_look_at_as_many_rows_as_told() -> None:
    X, y = table(5000)
    rounds = 12

    def rows(**told: Any) -> Any:
        model = LightGBMRegressor(rounds, random_state=0, min_samples_leaf=5, **told).fit(X, y)
        return np.array([model._forest_.tree(t).n_rows[0] for t in range(rounds)])

    assert (rows() == 5000).all()
    assert (rows(subsample=0.3) == 1500).all()
    some = rows(subsample=0.3, sampling="bernoulli")
    assert np.abs(some - 1500).max() < 5 * np.sqrt(5000 * 0.3 * 0.7)
    assert len(set(some.tolist())) > 1
    some = rows(subsample=0.3, sampling="mvs")
    assert np.abs(some - 1500).max() < 5 * np.sqrt(5000 * 0.3 * 0.7)
    assert (rows(sampling="bayesian") == 5000).all()
    goss = rows(sampling="goss", learning_rate=0.5)
    assert goss.tolist() == [5000] * 2 + [1500] * (rounds - 2)  # begins after 1 / learning_rate rounds


@pytest.mark.parametrize("way", ["uniform", "bernoulli", "goss", "mvs", "bayesian"])
def test_draws_learn_about_as_well_as_all_rows(way: str) -> None:
    X, y = table(4000, holes=0.0)
    test, z = table(4000, seed=9, holes=0.0)
    error = {}
    for name in ("plain", way):
        model = LightGBMRegressor(60, random_state=0, **WAYS[name]).fit(X, y)
        error[name] = np.mean((model.predict(test) - z) ** 2)
    assert error[way] < 1.25 * error["plain"]
    assert error["plain"] < 0.4 * z.var()


def test_columns_are_drawn() -> None:
    """A tree with a third of nine columns asks three at most."""
    X, y = table(500, p=9)
    model = LightGBMRegressor(20, max_features_tree=1 / 3, random_state=0).fit(X, y)
    asked = [set(model._forest_.tree(t).feature.tolist()) - {-1} for t in range(20)]
    assert max(len(some) for some in asked) <= 3
    assert len(set().union(*asked)) > 5
    by_level = LightGBMRegressor(5, max_features_level=1 / 9, growth="depth", max_depth=3, random_state=0).fit(X, y)
    for t in range(5):
        tree = by_level._forest_.tree(t)
        for depth in range(3):
            assert len(set(tree.feature[(tree.depth == depth) & ~tree.is_leaf].tolist())) <= 1


# --------------------------------------------------------------------------------------------------------- odd input


@pytest.mark.parametrize("made", [*REGRESSORS, *CLASSIFIERS])
def test_a_column_without_values_changes_nothing(made: Any) -> None:
    """Nor do values that it has later."""
    X, y = table(200)
    target = classes(y) if made in CLASSIFIERS else y
    own = made in (BoostedTreesRegressor, BoostedTreesClassifier)
    nothing_drawn = {"max_features": 1.0, "subsample": 1.0} if own else {}
    plain = made(5, random_state=0, **nothing_drawn).fit(X, target)
    model = made(5, random_state=0, **nothing_drawn).fit(np.column_stack([X, np.full(200, np.nan)]), target)
    assert_allclose(scores(model, np.column_stack([X, np.arange(200.0)])), scores(plain, X))
    empty = made(5, random_state=0, **nothing_drawn).fit(np.full((200, 2), np.nan), target)
    assert_allclose(scores(empty, np.ones((3, 2))), np.tile(empty.base_score_, (3, 1)), atol=1e-12)


@pytest.mark.parametrize("made", [*REGRESSORS, *CLASSIFIERS])
def test_a_category_never_seen_is_a_missing_value(made: Any) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"city": rng.choice(["ulm", "bonn", "jena"], 300), "x": rng.normal(size=300)})
    y = (frame.city == "ulm") * 2.0 + frame.x
    model = made(8, random_state=0).fit(frame, (y > 1).astype(int) if made in CLASSIFIERS else y)
    other, missing = (pd.DataFrame({"city": ["oslo", name], "x": [0.3, -0.4]}) for name in ("oslo", None))
    assert_array_equal(scores(model, other), scores(model, missing))
    known = scores(model, pd.DataFrame({"city": ["ulm", "bonn"], "x": [0.3, 0.3]}))
    assert known[0, 0] > known[1, 0]


@pytest.mark.parametrize("made", REGRESSORS)
@pytest.mark.parametrize("loss", LOSSES)
def test_a_constant_target_is_met(made: Any, loss: str) -> None:
    X, _ = table(100)
    assert_allclose(made(5, loss=loss).fit(X, np.full(100, 3.25)).predict(X), 3.25, rtol=1e-12)


@pytest.mark.parametrize("made", CLASSIFIERS)
def test_one_class_is_certain(made: Any) -> None:
    X, _ = table(60)
    model = made(5).fit(X, ["only"] * 60)
    assert set(model.predict(X)) == {"only"}
    assert_array_equal(model.predict_proba(X), np.ones((60, 1)))


@pytest.mark.parametrize("made", [*REGRESSORS, *CLASSIFIERS])
def test_one_row_is_answered_with_itself(made: Any) -> None:
    model = made(5).fit([[1.0, np.nan]], ["a"] if made in CLASSIFIERS else [2.5])
    assert model.predict([[7.0, 3.0], [np.nan, np.nan]]).tolist() == (["a"] * 2 if made in CLASSIFIERS else [2.5] * 2)


@pytest.mark.parametrize("made", CLASSIFIERS)
def test_labels_may_be_words_flags_or_numbers(made: Any) -> None:
    X, y = table(150)
    codes = classes(y)
    found = scores(made(5, random_state=0).fit(X, codes), X)
    for labels in (np.array(["no", "yes"]), np.array([False, True]), np.array([-7, 300]), np.array([1.0, 3.0])):
        model = made(5, random_state=0).fit(X, labels[codes])
        assert_array_equal(scores(model, X), found)
        assert_array_equal(model.classes_, labels)
        assert set(model.predict(X)) <= set(labels.tolist())


@pytest.mark.parametrize("made", [LightGBMClassifier, XGBoostClassifier])
def test_a_weight_beyond_all_others_is_taken(made: Any) -> None:
    """One row of 1e30 among ones: finite scores, and that row is right."""
    X, y = table(300)
    codes = classes(y)
    model = made(5, random_state=0).fit(X, codes, sample_weight=np.where(np.arange(300) == 7, 1e30, 1.0))
    assert np.isfinite(scores(model, X)).all()
    assert model.predict(X)[7] == codes[7]
