"""Workings of boosted trees that answer vectors: slopes, sums, answers, gains and scores are the model's."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pellucid.base.errors import DataError
from pellucid.boosting import (
    BoostedTreesClassifier,
    BoostedTreesRegressor,
    LightGBMClassifier,
    LightGBMRegressor,
    XGBoostClassifier,
    XGBoostRegressor,
)
from pellucid.reference.gradient_boosting import Loss
from pellucid.reference.second_order_boosting import Settings, leaves_of
from pellucid.reference.vector_boosting import boost
from pellucid.working import Working, WorkingError

from .boosted_trees import COUNTS, TABLE, THREE, WEIGHT, X, Y

SMALL: dict[str, Any] = {"n_estimators": 3, "max_depth": 2}
LEAF: dict[str, Any] = {"n_estimators": 3, "min_samples_leaf": 3}
TWO = np.column_stack([Y, X[:, 1] - X[:, 0]])
MANY = np.column_stack([Y, X[:, 1] - X[:, 0], X[:, 1] ** 2, -Y + X[:, 1], X.sum(axis=1)])
HOLES = np.where(np.random.default_rng(0).random(X.shape) < 0.2, np.nan, X)
WORDS = np.array(list("abcdefgh"))[np.random.default_rng(1).integers(0, 8, 24)]
REGRESSORS = [XGBoostRegressor, LightGBMRegressor, BoostedTreesRegressor]
CLASSIFIERS = [XGBoostClassifier, LightGBMClassifier, BoostedTreesClassifier]


def leaves(model: Any, t: int) -> list[int]:
    """The leaves of a tree from left to right."""
    tree = model._forest_.tree(t)
    return [node for node in tree.top_down() if tree.n_children[node] == 0]


def check_rounds(model: Any, shown: Working, X: Any, rounds: tuple[int, ...], outputs: int) -> None:
    """Leaves, scores and gains of some rounds (from 1) against the trees and the staged scores of the model."""
    staged = list(model._staged_scores(model._validate_predict(X)))
    for t in rounds:
        tree, ends = model._forest_.tree(t - 1), leaves(model, t - 1)
        for k in range(outputs):
            np.testing.assert_allclose(shown.value(f"v_{t}_{k + 1}"), tree.value[ends, k], rtol=1e-4, atol=1e-6)
            np.testing.assert_allclose(shown.value(f"f_{t}_{k + 1}"), staged[t - 1][:, k], rtol=1e-4, atol=1e-6)
        at = shown.value(f"leaf_{t}").astype(int) - 1
        np.testing.assert_array_equal(np.array(ends)[at], model.apply(X)[:, t - 1])
        if f"gained_{t}" in shown.cells:
            gains = model._forest_.importance[t - 1].sum()
            assert shown.value(f"gain_{t}").sum() == pytest.approx(gains, rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("face", REGRESSORS)
@pytest.mark.parametrize("y", [TWO, MANY[:, :3]], ids=["two", "three"])
@pytest.mark.parametrize("weight", [None, WEIGHT + 0.5], ids=["plain", "weighted"])
def test_targets_are_shown_as_the_model_has_them(face: Any, y: Any, weight: Any) -> None:
    model = face(**LEAF).fit(X, y, weight)
    shown = model.show_fit(X, y, weight)
    check_rounds(model, shown, X, (1, 3), y.shape[1])
    said = model.predict(X)
    for k in range(y.shape[1]):
        assert shown.value(f"target_{k + 1}.f_0") == pytest.approx(np.average(y[:, k], weights=weight), rel=1e-12)
        np.testing.assert_allclose(shown.value(f"prediction_{k + 1}"), said[:, k], rtol=1e-4, atol=1e-6)
    assert "gained_1" in shown.cells
    assert not any("given" in note for note in shown.notes)


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "quantile", "huber", "poisson"])
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
def test_every_loss_is_worked_out(loss: Any, weight: Any) -> None:
    y = np.column_stack([COUNTS, COUNTS[::-1] + 1])
    model = XGBoostRegressor(**SMALL, loss=loss, quantile=0.3).fit(X, y, weight)
    shown = model.show_fit(X, y, weight)
    kept = slice(None) if weight is None else np.flatnonzero(weight > 0)
    check_rounds(model, shown, X[kept], (1, 3), 2)
    assert all(shown.cells[f"v_{t}_{k}"].attribute == f"leaves of tree {t}" for t in (1, 3) for k in (1, 2))
    np.testing.assert_allclose(shown.value("prediction_2"), model.predict(X)[kept, 1], rtol=1e-5)


@pytest.mark.parametrize("face", CLASSIFIERS)
@pytest.mark.parametrize("weight", [None, WEIGHT + 0.5], ids=["plain", "weighted"])
def test_classes_are_shown_as_the_model_has_them(face: Any, weight: Any) -> None:
    model = face(**LEAF, vector_leaves=True).fit(X, THREE, weight)
    shown = model.show_fit(X, THREE, weight)
    check_rounds(model, shown, X, (1, 3), 3)
    share = np.array([np.average(one == THREE, weights=weight) for one in model.classes_])
    np.testing.assert_allclose(shown.value("f_0"), np.log(share) - np.log(share).mean(), rtol=1e-9)
    for k, one in enumerate(model.classes_):
        np.testing.assert_allclose(shown.value(f"p_1_{k + 1}"), share[k], rtol=1e-9)
        np.testing.assert_allclose(shown.value(f"g_1_{k + 1}"), share[k] - (one == THREE), rtol=1e-9)
    assert shown.value("prediction").tolist() == model.predict(X).tolist()


def test_sums_answers_and_gains_are_those_of_the_reference() -> None:
    settings = Settings(max_depth=2, l2=1.5, l1=0.2, min_child_weight=1.0)
    told: dict[str, Any] = {"l2_regularization": 1.5, "l1_regularization": 0.2, "learning_rate": 0.5}
    model = XGBoostRegressor(**SMALL, **told).fit(X, TWO, WEIGHT + 0.5)
    shown = model.show_fit(X, TWO, WEIGHT + 0.5, round=2)
    reference = boost(X, TWO, Loss(), settings, rounds=3, rate=0.5, weight=WEIGHT + 0.5)
    for t in (1, 2, 3):
        tree = reference.trees[t - 1]
        ends = leaves_of(tree)
        for k in range(2):
            for name, want in (("G", [end.gradient[k] for end in ends]), ("answer", [end.answer[k] for end in ends])):
                np.testing.assert_allclose(shown.value(f"{name}_{t}_{k + 1}"), want, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(shown.value(f"H_{t}"), [end.hessian[0] for end in ends], rtol=1e-6)
        assert shown.value(f"gain_{t}")[0] == pytest.approx(tree.gain, rel=1e-5)


def test_classes_by_the_reference() -> None:
    settings = Settings(max_depth=2, l2=1.0, min_child_weight=0.5)
    model = XGBoostClassifier(**SMALL, min_child_weight=0.5, vector_leaves=True).fit(X, THREE)
    shown = model.show_fit(X, THREE)
    codes = np.searchsorted(model.classes_, THREE)[:, None]
    reference = boost(X, codes, Loss("softmax", classes=3, curvature_factor=2.0), settings, rounds=1, rate=0.3)
    ends = leaves_of(reference.trees[0])
    for k in range(3):
        np.testing.assert_allclose(shown.value(f"H_1_{k + 1}"), [end.hessian[k] for end in ends], rtol=1e-5)
        np.testing.assert_allclose(shown.value(f"answer_1_{k + 1}"), [end.answer[k] for end in ends], rtol=1e-4)


@pytest.mark.parametrize("sampling", ["uniform", "bernoulli", "goss", "mvs", "bayesian"])
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
def test_rows_drawn_are_those_of_the_kernel(sampling: Any, weight: Any) -> None:
    told: dict[str, Any] = {"n_estimators": 3, "min_samples_leaf": 2, "sampling": sampling, "subsample": 0.6}
    kept = slice(None) if weight is None else np.flatnonzero(weight > 0)
    for seed in range(3):
        for y in (TWO, MANY):
            model = BoostedTreesRegressor(**told, random_state=seed).fit(X, y, weight)
            shown = model.show_fit(X, y, weight)
            assert not any("cannot be told" in note for note in shown.notes)
            assert "q_1" in shown.cells
            check_rounds(model, shown, X[kept], (1, 3), 2)
        classes = BoostedTreesClassifier(**told, random_state=seed, vector_leaves=True).fit(X, THREE, weight)
        assert "q_1" in classes.show_fit(X, THREE, weight).cells


def test_rows_of_equal_slopes_are_drawn_as_by_the_kernel() -> None:
    """Eight classes, some with as many rows as others: their slopes are equal, but for the last bit of a sum."""
    y = np.array(list("abcdefgh"))[[0] * 5 + [1, 1, 2, 2, 3, 3, 5, 5] + [6] * 3 + [4, 7]]
    for seed in range(10):
        table, y = X[: len(y)], np.random.default_rng(seed).permutation(y)
        told: dict[str, Any] = {"n_estimators": 2, "sampling": "goss", "random_state": seed, "min_samples_leaf": 1}
        shown = BoostedTreesClassifier(**told, vector_leaves=True).fit(table, y).show_fit(table, y)
        assert not any("cannot be told" in note for note in shown.notes)


def test_a_target_that_never_changes_is_shown() -> None:
    y = np.column_stack([Y, np.full(24, 0.1)])
    weight = np.random.default_rng(0).random(24)
    model = XGBoostRegressor(**SMALL).fit(X, y, weight)
    check_rounds(model, model.show_fit(X, y, weight), X, (1, 3), 2)


def test_a_draw_that_is_not_the_kernels_has_its_leaves_given() -> None:
    model = LightGBMRegressor(n_estimators=2, min_samples_leaf=2, subsample=0.5, random_state=0).fit(X, TWO)
    model._seed_ += 1
    shown = model.show_fit(X, TWO)
    assert any("cannot be told" in note for note in shown.notes)
    assert "q_1" not in shown.cells
    np.testing.assert_array_equal(shown.value("v_1_2"), model._forest_.tree(0).value[leaves(model, 0), 1])


def test_of_many_outputs_the_first_are_shown_and_the_gain_is_of_all() -> None:
    model = XGBoostRegressor(**SMALL).fit(X, MANY)
    shown = model.show_fit(X, MANY)
    check_rounds(model, shown, X, (1, 3), 3)
    assert "rest_1_left" in shown.cells
    assert "v_1_4" not in shown.cells
    g = MANY.mean(axis=0) - MANY
    at = X[:, int(model._forest_.tree(0).feature[0])] <= model._forest_.tree(0).threshold[0]
    alike = [(g[side].sum(axis=0) ** 2 / (side.sum() + 1)).sum() for side in (at, ~at, at | ~at)]
    assert shown.value("gain_1")[0] == pytest.approx(alike[0] + alike[1] - alike[2], rel=1e-5)


def test_many_classes_are_shown() -> None:
    model = LightGBMClassifier(**LEAF, vector_leaves=True).fit(X, WORDS)
    shown = model.show_fit(X, WORDS)
    check_rounds(model, shown, X, (1, 3), 3)
    assert any("probabilities are given" in note for note in shown.notes)
    assert shown.value("prediction").tolist() == model.predict(X).tolist()
    four = np.array(list("abcd"))[np.searchsorted([-0.8, 0.0, 0.6], Y)]
    model = LightGBMClassifier(**LEAF, vector_leaves=True).fit(X, four)
    check_rounds(model, model.show_fit(X, four), X, (1, 3), 3)


def test_missing_values_categories_and_levels_are_shown() -> None:
    model = XGBoostRegressor(**SMALL).fit(HOLES, TWO)
    check_rounds(model, model.show_fit(HOLES, TWO), HOLES, (1, 3), 2)
    words = LightGBMRegressor(**LEAF).fit(TABLE, TWO)
    check_rounds(words, words.show_fit(TABLE, TWO), TABLE, (1, 3), 2)
    level = BoostedTreesRegressor(n_estimators=3, max_depth=3, growth="oblivious", min_samples_leaf=1).fit(X, TWO)
    check_rounds(level, level.show_fit(X, TWO), X, (1, 3), 2)


def test_gains_of_few_categories_are_the_models_and_of_many_are_not() -> None:
    """Many are put in order and sought with more of l2; few are tried one by one, without."""
    few = LightGBMRegressor(**LEAF).fit(TABLE[["color"]], TWO)
    assert "gained_1" in few.show_fit(TABLE[["color"]], TWO).cells
    rng = np.random.default_rng(2)
    code = rng.integers(0, 6, 900)
    table, y = pd.DataFrame({"word": np.array(list("abcdef"))[code]}), np.column_stack([code, -(code**2.0)])
    model = LightGBMRegressor(**LEAF).fit(table, y)
    shown = model.show_fit(table, y)
    assert "gained_1" not in shown.cells
    assert shown.value("gain_1").sum() > model._forest_.importance[0].sum()
    assert any("more of l2" in note for note in shown.notes)


def test_scores_too_far_apart_have_their_leaves_given() -> None:
    model = XGBoostClassifier(**SMALL, base_score=[0.0, 40.0, 0.0], vector_leaves=True).fit(X, THREE)
    shown = model.show_fit(X, THREE)
    assert any("so far apart" in note for note in shown.notes)
    np.testing.assert_array_equal(shown.value("v_1_2"), model._forest_.tree(0).value[leaves(model, 0), 1])
    near = XGBoostClassifier(**SMALL, base_score=[0.0, 4.0, 0.0], vector_leaves=True).fit(X, THREE)
    assert near.show_fit(X, THREE).cells["v_1_2"].attribute == "leaves of tree 1"


def test_trees_of_one_leaf_are_shown() -> None:
    model = XGBoostRegressor(n_estimators=2, min_child_weight=100).fit(X, TWO)
    shown = model.show_fit(X, TWO)
    check_rounds(model, shown, X, (1, 2), 2)
    assert shown.value("n_1").tolist() == [24]
    assert "gain_1" not in shown.cells
    assert "one leaf" in shown.find("Round 1: tree").sentence
    model.show_predict(X, rows=[0])


def test_bounded_steps_and_given_starts_are_shown() -> None:
    model = XGBoostRegressor(**SMALL, max_delta_step=0.2, base_score=[0.5, -1.0]).fit(X, TWO)
    shown = model.show_fit(X, TWO)
    check_rounds(model, shown, X, (1, 3), 2)
    assert [shown.value(f"target_{k}.f_0") for k in (1, 2)] == [0.5, -1.0]
    assert max(np.abs(shown.value("answer_1_1")).max(), np.abs(shown.value("answer_1_2")).max()) == pytest.approx(0.2)


def test_rows_held_out_are_known() -> None:
    stops: dict[str, Any] = {"n_estimators": 4, "min_samples_leaf": 2, "early_stopping": True, "random_state": 0}
    inside = LightGBMRegressor(**stops, validation_fraction=0.25).fit(X, TWO)
    assert len(inside.show_fit(X, TWO).value("y_1")) == 18
    outside = LightGBMRegressor(**stops).fit(X, TWO, X_val=X[:5], y_val=TWO[:5])
    assert len(outside.show_fit(X, TWO).value("y_1")) == 24
    classes = LightGBMClassifier(**stops, validation_fraction=0.25, vector_leaves=True).fit(X, THREE)
    assert len(classes.show_fit(X, THREE).value("y")) < 24


def softmax(y: Any, scores: Any) -> Any:
    """The logarithmic loss of classes, and an upper bound of its curvature."""
    p = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    return p - (np.arange(scores.shape[1]) == np.asarray(y)[:, None]), np.maximum(p * (1 - p), 1e-6)


def test_a_loss_of_ones_own_is_shown() -> None:
    model = XGBoostClassifier(**SMALL, loss=softmax, vector_leaves=True).fit(X, THREE)
    check_rounds(model, model.show_fit(X, THREE), X, (1, 3), 3)


# ----------------------------------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "huber"])
def test_a_changed_leaf_is_refused(loss: Any) -> None:
    model = XGBoostRegressor(**SMALL, loss=loss).fit(X, TWO)
    model.show_fit(X, TWO)
    forest = model._forest_
    model._forest_ = replace(forest, leaf_value=forest.leaf_value * 1.001, node_value=forest.node_value * 1.001)
    with pytest.raises(WorkingError, match="cell 'v_1_1' must equal the model's leaves of tree 1"):
        model.show_fit(X, TWO)


def test_a_changed_leaf_of_a_small_target_beside_a_large_one_is_refused() -> None:
    y = TWO * [1e5, 1e-3]
    model = XGBoostRegressor(**SMALL).fit(X, y)
    model.show_fit(X, y)
    forest = model._forest_
    by = np.array([1.0, 1.001])  # of each output in turn
    leaf, node = ((one.reshape(-1, 2) * by).reshape(one.shape) for one in (forest.leaf_value, forest.node_value))
    model._forest_ = replace(forest, leaf_value=leaf, node_value=node)
    with pytest.raises(WorkingError, match="cell 'v_1_2' must equal the model's leaves of tree 1"):
        model.show_fit(X, y)


def test_other_targets_are_refused() -> None:
    model = XGBoostRegressor(**SMALL).fit(X, TWO)
    with pytest.raises(WorkingError):
        model.show_fit(X, TWO[::-1])
    for other in (Y, MANY):
        with pytest.raises(DataError, match="y must have 2 columns, as in the fit; got"):
            model.show_fit(X, other)
    with pytest.raises(DataError, match="round must be a number from 1 to 3; got 4"):
        model.show_fit(X, TWO, round=4)


# ------------------------------------------------------------------------------------------------------------- predict


@pytest.mark.parametrize("y", [TWO, MANY, np.tile(Y[:, None], 8)], ids=["two", "five", "eight"])
@pytest.mark.parametrize("loss", ["squared_error", "poisson"])
def test_predictions_of_targets(y: Any, loss: Any) -> None:
    y = np.floor(np.exp(y)) if loss == "poisson" else y
    model = LightGBMRegressor(**LEAF, loss=loss).fit(HOLES, y)
    shown = model.show_predict(HOLES, rows=[2, 5, 2])
    for tag, row in (("r2_0_", 2), ("r5_", 5), ("r2_2_", 2)):
        np.testing.assert_allclose(shown.value(f"{tag}prediction"), model.predict(HOLES)[row], rtol=1e-9)
        ends = model.apply(HOLES)[row]
        np.testing.assert_array_equal(shown.value(f"{tag}leaf"), ends)
        added = [model._forest_.tree(t).value[ends[t], 1] for t in range(3)]
        np.testing.assert_array_equal(shown.value(f"{tag}v_2"), added)


def test_predictions_of_classes() -> None:
    for y in (THREE, WORDS):
        model = LightGBMClassifier(**LEAF, vector_leaves=True).fit(X, y)
        shown = model.show_predict(X, rows=[3])
        np.testing.assert_allclose(shown.value("r3_score"), model.decision_function(X)[3], rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(shown.value("r3_p"), model.predict_proba(X)[3], rtol=1e-9)
        assert shown.value("r3_prediction") == model.predict(X)[3]


def test_trees_beyond_the_table_are_added_as_a_rest() -> None:
    model = LightGBMRegressor(n_estimators=205, min_samples_leaf=3, learning_rate=0.02).fit(X, TWO)
    shown = model.show_predict(X, rows=[0])
    rest = sum(model._forest_.tree(t).value[model.apply(X)[0, t]] for t in range(200, 205))
    np.testing.assert_allclose(shown.value("r0_rest"), rest, rtol=1e-6, atol=1e-9)


# ----------------------------------------------------------------------------------------------------------- renderings


@pytest.mark.parametrize("y", [TWO, MANY, THREE], ids=["two", "five", "classes"])
def test_every_rendering_is_made(y: Any, tmp_path: Path) -> None:
    face: Any = XGBoostClassifier(**SMALL, vector_leaves=True) if y is THREE else XGBoostRegressor(**SMALL)
    frame = pd.DataFrame(X, columns=["left & right", "b"])
    model = face.fit(frame, y)
    for number, shown in enumerate((model.show_fit(frame, y), model.show_predict(frame, rows=[0]))):
        assert "leaf" in shown.to_text()
        page = shown.to_html()
        assert "left &amp; right" in page
        assert "left & right" not in page
        assert "leaf" in shown.to_markdown()
        assert "leaf" in shown.to_latex()
        assert shown.to_excel(tmp_path / f"{number}.xlsx").stat().st_size > 0
