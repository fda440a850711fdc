"""Workings of boosted trees: rows drawn are told, changed trees and other data are refused, any round can be shown."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pellucid.base.errors import DataError
from pellucid.boosting import (
    BoostedTreesClassifier,
    CatBoostClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    LightGBMRegressor,
    XGBoostClassifier,
    XGBoostRegressor,
)
from pellucid.working import WorkingError

from .boosted_trees import COUNTS, LABELS, THREE, WEIGHT, X, Y, made

UNTOLD = "cannot be told"
SMALL: dict[str, Any] = {"n_estimators": 3, "max_depth": 2}


def test_every_working_of_the_workbooks_is_tied_to_its_model() -> None:
    for name, working in made().items():
        assert any(cell.attribute for cell in working.cells.values()), name
        assert not any(UNTOLD in note for note in working.notes), name


@pytest.mark.parametrize("sampling", ["uniform", "bernoulli", "goss", "mvs", "bayesian"])
@pytest.mark.parametrize("y", [LABELS, THREE], ids=["two", "three"])
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
def test_rows_drawn_are_those_of_the_kernel(sampling: Any, y: Any, weight: Any) -> None:
    for seed in range(5):
        model = BoostedTreesClassifier(n_estimators=3, min_samples_leaf=2, sampling=sampling, subsample=0.6,
                                       random_state=seed).fit(X, y, weight)  # fmt: skip
        shown = model.show_fit(X, y, weight)
        assert not any(UNTOLD in note for note in shown.notes)
        assert "q_1" in shown.cells


def test_a_draw_that_is_not_the_kernels_is_not_shown() -> None:
    model = LightGBMRegressor(n_estimators=2, min_samples_leaf=2, subsample=0.5, random_state=0).fit(X, Y)
    model._seed_ += 1
    shown = model.show_fit(X, Y)
    assert any(UNTOLD in note for note in shown.notes)
    assert "q_1" not in shown.cells


@pytest.mark.parametrize(
    "model",
    [
        GradientBoostingRegressor(**SMALL),
        GradientBoostingRegressor(**SMALL, loss="absolute_error"),
        XGBoostRegressor(**SMALL),
        XGBoostRegressor(**SMALL, loss="huber"),
    ],
    ids=lambda model: f"{type(model).__name__}-{model.loss}",
)
def test_a_changed_leaf_is_refused(model: Any) -> None:
    model.fit(X, Y)
    model.show_fit(X, Y)
    forest = model._forest_
    model._forest_ = replace(forest, leaf_value=forest.leaf_value * 1.001, node_value=forest.node_value * 1.001)
    with pytest.raises(WorkingError, match="cell 'v_1' must equal the model's leaves of tree 1"):
        model.show_fit(X, Y)


@pytest.mark.parametrize("face", [GradientBoostingClassifier, XGBoostClassifier, CatBoostClassifier])
def test_classes_in_another_order_are_refused(face: Any) -> None:
    model = face(**SMALL, random_state=0).fit(X, LABELS)
    with pytest.raises(WorkingError):
        model.show_fit(X, LABELS[::-1])


def test_another_round_is_shown_when_asked_for() -> None:
    model = XGBoostRegressor(n_estimators=9, max_depth=2).fit(X, Y)
    assert "v_5" not in model.show_fit(X, Y).cells
    shown = model.show_fit(X, Y, round=5)
    np.testing.assert_allclose(shown.value("v_5"), model._forest_.tree(4).value[_leaves(model, 4), 0], rtol=1e-4)
    with pytest.raises(DataError, match="round must be a number from 1 to 9; got 10"):
        model.show_fit(X, Y, round=10)


def _leaves(model: Any, t: int) -> list[int]:
    tree = model._forest_.tree(t)
    return [node for node in tree.top_down() if tree.n_children[node] == 0]


@pytest.mark.parametrize("subsample", [1.0, 0.6])
def test_rows_held_out_are_known_from_those_of_another_table(subsample: float) -> None:
    stops: dict[str, Any] = {"n_estimators": 4, "min_samples_leaf": 2, "early_stopping": True, "random_state": 0}
    inside = LightGBMRegressor(**stops, subsample=subsample, validation_fraction=0.25).fit(X, Y)
    assert len(inside.show_fit(X, Y).value("y")) == 18
    outside = LightGBMRegressor(**stops, subsample=subsample).fit(X, Y, X_val=X[:5], y_val=Y[:5])
    assert len(outside.show_fit(X, Y).value("y")) == 24


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "quantile", "huber", "poisson"])
def test_the_start_is_the_best_constant(loss: Any) -> None:
    """The mean, the median or a quantile, and the logarithm of the mean."""
    expected = {
        "squared_error": COUNTS.mean(),
        "absolute_error": np.median(COUNTS),
        "quantile": np.quantile(COUNTS, 0.3),
        "huber": np.median(COUNTS),
        "poisson": np.log(COUNTS.mean()),
    }[loss]
    for face in (GradientBoostingRegressor, XGBoostRegressor):
        shown = face(**SMALL, loss=loss, quantile=0.3).fit(X, COUNTS).show_fit(X, COUNTS)
        assert shown.value("f_0") == pytest.approx(expected, rel=1e-12)
