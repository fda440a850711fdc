"""Workings of boosted trees: rows drawn are told, changed trees and other data are refused, any round can be shown."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pellucid.base.errors import DataError
from pellucid.boosting import (
    BoostedTreesClassifier,
    BoostedTreesRegressor,
    CatBoostClassifier,
    CatBoostRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    LightGBMRegressor,
    XGBoostClassifier,
    XGBoostRegressor,
)
from pellucid.boosting._model import BoostedModel
from pellucid.models.tree.categories import category_sizes
from pellucid.reference.ordered_boosting import boost_with, doubling_prefixes, of_all_rows, ordered_statistic
from pellucid.working import Working, WorkingError
from pellucid.working.expression import Axis
from pellucid.working.shown._boosted_bundles import show_bundles

from .boosted_trees import COUNTS, LABELS, THREE, TWO, WEIGHT, X, Y, made

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


# ----------------------------------------------------------------------------------------------------------- rows drawn


@pytest.mark.parametrize("sampling", ["uniform", "bernoulli", "mvs", "bayesian"])
def test_what_rows_count_follows_from_the_numbers_drawn(sampling: Any) -> None:
    """The number of a row and, for mvs, its slope: by the rules themselves."""
    told: dict[str, Any] = {"sampling": sampling, "subsample": 0.6, "bagging_temperature": 0.5, "random_state": 3}
    model = BoostedTreesRegressor(n_estimators=2, min_samples_leaf=2, **told).fit(X, Y)
    shown = model.show_fit(X, Y)
    for t in (1, 2):
        u, q = shown.value(f"u_{t}"), shown.value(f"q_{t}")
        if sampling == "bayesian":
            np.testing.assert_allclose(q, np.sqrt(-np.log(1 - u)), rtol=1e-12)
        elif sampling == "bernoulli":
            np.testing.assert_array_equal(q, u < 0.6)
        elif sampling == "uniform":
            assert set(q) == {0.0, 1.0}
            assert q.sum() == int(0.6 * len(Y))
        else:
            size = np.abs(shown.value(f"g_{t}"))
            p = np.minimum(size / shown.value(f"limit_{t}"), 1.0)
            assert p.sum() == pytest.approx(0.6 * len(Y), rel=1e-5)
            np.testing.assert_allclose(q, np.where(u < p, 1 / p, 0.0), rtol=1e-5)
        root = model._forest_.tree(t - 1)
        assert (q > 0).sum() == root.n_rows[0]
        assert q.sum() == pytest.approx(root.weight[0], rel=1e-5)


# -------------------------------------------------------------------------------------------------- orders of the rows


def kernel_scores(model: Any, table: Any, y: Any, rounds: int) -> Any:
    """The scores that the kernel itself has while it grows the trees of a fit."""
    again = type(model)(**model.get_params())
    d = BoostedModel._validate_predict(model, table)
    again.__dict__.update({name: value for name, value in vars(model).items() if name in ("_seed_", "schema_")})
    again._earlier = {}
    again._attach_target(d, y)
    booster = again._booster(d, category_sizes(d, None), None, None, None)
    booster.grow(rounds)
    return booster.scores()


@pytest.mark.parametrize("boosting", ["plain", "ordered"])
@pytest.mark.parametrize("y", [Y, LABELS], ids=["numbers", "classes"])
def test_scores_along_orders_are_those_of_the_kernel(boosting: Any, y: Any) -> None:
    face: Any = CatBoostRegressor if y is Y else CatBoostClassifier
    for seed in range(4):
        model = face(**SMALL, boosting=boosting, max_combinations=2, random_state=seed).fit(TWO, y)
        shown = model.show_fit(TWO, y)
        for t in (1, 2, 3):
            np.testing.assert_allclose(
                shown.value(f"f_{t}"), kernel_scores(model, TWO, y, t)[:, 0], rtol=1e-4, atol=1e-6
            )


def test_statistics_are_those_of_the_reference_row_by_row() -> None:
    model = CatBoostRegressor(**SMALL, prior_weight=2.0, n_permutations=1, max_combinations=2, random_state=0)
    shown = model.fit(TWO, Y).show_fit(TWO, Y)
    (order,) = model._orders(len(Y))
    np.testing.assert_array_equal(shown.value("r_o1"), order + 1)
    joined = (TWO["color"] + " and " + TWO["shape"]).tolist()
    for m, words in enumerate((TWO["color"].tolist(), TWO["shape"].tolist(), joined)):
        sums, counts, statistic = ordered_statistic(words, Y.tolist(), float(Y.mean()), 2.0, order.tolist())
        assert shown.value(f"category_{m + 1}").tolist() == words
        np.testing.assert_array_equal(shown.value(f"N_{m + 1}_o1"), counts[order])
        np.testing.assert_allclose(shown.value(f"S_{m + 2}_o1"), sums[order], atol=1e-12)
        np.testing.assert_allclose(shown.value(f"x_{m + 2}_o1"), statistic, atol=1e-12)
        whole = of_all_rows(words, Y.tolist(), float(Y.mean()), 2.0)
        np.testing.assert_allclose(shown.value(f"x_{m + 2}_new"), [whole[word] for word in words], atol=1e-12)


def test_slopes_of_ordered_boosting_are_those_of_the_rows_prefixes() -> None:
    """Beside the reference, with the leaves of the model's own trees."""
    model = CatBoostRegressor(**SMALL, boosting="ordered", n_permutations=1, random_state=0).fit(X, Y)
    shown = model.show_fit(X, Y)
    (order,) = model._orders(len(Y))
    leaves = model.apply(X)
    groups = [[np.flatnonzero(leaves[:, t] == leaf) for leaf in np.unique(leaves[:, t])] for t in range(3)]
    told: dict[str, Any] = {"rate": model.learning_rate_, "l2": 3.0, "start": float(model.base_score_[0])}
    reference = boost_with(groups, Y, order, **told)
    for t in range(3):
        np.testing.assert_allclose(shown.value(f"own_g_{t + 1}"), -reference.rounds[t].residual, rtol=1e-5, atol=1e-6)
    entry = shown.value("entry_1").astype(int) - 1
    before = doubling_prefixes(order.tolist())
    assert [int(shown.value("knows_o1")[e]) for e in entry] == [len(before[row]) for row in range(len(Y))]


@pytest.mark.parametrize("table", [X, TWO], ids=["numbers", "words"])
def test_orders_that_are_not_the_kernels_are_refused(table: Any) -> None:
    """The gains of the trees tell; and where categories are made into numbers the rows of the leaves do."""
    model = CatBoostRegressor(**SMALL, boosting="ordered", sampling="uniform", subsample=1.0, random_state=0).fit(
        table, Y
    )
    model.show_fit(table, Y)
    model._seed_ += 1
    with pytest.raises(WorkingError):
        model.show_fit(table, Y)


@pytest.mark.parametrize("boosting", ["plain", "ordered"])
def test_many_rows_have_statistics_and_scores_given(boosting: Any) -> None:
    rng = np.random.default_rng(0)
    table, y = TWO.iloc[rng.integers(0, 24, 90)].reset_index(drop=True), rng.normal(size=90)
    model = CatBoostRegressor(**SMALL, boosting=boosting, random_state=0).fit(table, y)
    shown = model.show_fit(table, y)
    assert any("statistics along an order are given" in note for note in shown.notes)
    assert ("own_1" in shown.cells) == (boosting == "ordered")
    assert shown.cells["v_1"].attribute == "leaves of tree 1"


def test_a_new_row_is_told_the_statistics_of_its_categories() -> None:
    model = CatBoostRegressor(**SMALL, random_state=0).fit(TWO, Y)
    shown = model.show_predict(TWO, rows=[3])
    assert shown.value("r3_category").tolist() == [TWO["color"][3], TWO["shape"][3]]
    goal, prior = Y.tolist(), float(Y.mean())
    whole = [of_all_rows(TWO[name].tolist(), goal, prior, 1.0)[TWO[name][3]] for name in ("color", "shape")]
    np.testing.assert_allclose(shown.value("r3_statistic"), whole, atol=1e-12)


# --------------------------------------------------------------------------------------- starts and losses of one's own


def squares(y: Any, scores: Any) -> Any:
    """Half the square of the error."""
    return scores - y, np.ones_like(scores)


def weighted_squares(y: Any, scores: Any, sample_weight: Any) -> Any:
    """The same, with the weights in it."""
    return (scores - y) * sample_weight, sample_weight


@pytest.mark.parametrize("loss", [squares, weighted_squares])
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
def test_a_loss_of_ones_own_is_shown_by_the_slopes_it_tells(loss: Any, weight: Any) -> None:
    model = XGBoostRegressor(**SMALL, loss=loss, base_score=0.5).fit(X, Y, weight)
    shown = model.show_fit(X, Y, weight)
    named = XGBoostRegressor(**SMALL, base_score=0.5).fit(X, Y, weight).show_fit(X, Y, weight)
    assert shown.value("f_0") == named.value("f_0") == 0.5
    for cell in ("v_1", "v_3", "prediction"):
        np.testing.assert_allclose(shown.value(cell), named.value(cell), rtol=1e-5)


# -------------------------------------------------------------------------------------------------------------- bundles


def test_bundles_are_shown_with_their_clashes_and_offsets() -> None:
    """Columns 1 and 3 clash in the first row; column 2 goes with the one that comes first."""
    x = np.array([[2, 0, 1], [0, 1, 0], [1, 0, 0], [0, 3, 0], [2, 0, 0], [0, 0, 4]], dtype=float)
    w, axis = Working("Bundles"), Axis("row", range(1, 7))
    cells = {j: w.given(f"x_{j + 1}", x[:, j], axis, label="abc"[j]) for j in range(3)}
    show_bundles(w, cells, list("abc"), [[0, 1], [2]])
    assert [w.value(f"filled_{j}") for j in (1, 2, 3)] == [3, 2, 2]
    assert [w.value(f"clashes_{pair}") for pair in ("1_2", "1_3", "2_3")] == [0, 1, 0]
    assert w.value("bundle").tolist() == [1, 1, 2]
    assert w.value("offset_2") == 2
    assert w.value("merged_1").tolist() == [2, 3, 1, 5, 2, 0]


def test_columns_below_nought_are_not_shown_in_bundles() -> None:
    w, axis = Working("Bundles"), Axis("row", [1, 2])
    show_bundles(w, {j: w.given(f"x_{j}", np.array([-1.0, 0]), axis) for j in range(2)}, ["a", "b"], [[1, 0]])
    assert w.notes == ["Columns that share a byte: b, a. Their bins are told apart by offsets."]


def test_a_model_that_bundles_shows_its_columns_together() -> None:
    """Each of four columns is away from 0 in a row of its own: one byte is enough for all."""
    x = np.zeros((25, 4))
    x[[0, 1, 2, 3], [0, 1, 2, 3]] = [2, 1, 3, 4]
    x[4, 0] = 1
    y = x @ [1.0, -1, 2, 0.5]
    model = LightGBMRegressor(n_estimators=1, min_samples_leaf=1).fit(x, y)
    shown = model.show_fit(x, y)
    assert model._bundles_ == [[0, 1, 2, 3]]
    assert shown.value("bundle").tolist() == [1, 1, 1, 1]
    assert [shown.value(f"offset_{j}") for j in (2, 3, 4)] == [2, 3, 6]
    assert shown.value("merged_1")[:6].tolist() == [2, 3, 6, 10, 1, 0]
    alone = LightGBMRegressor(n_estimators=1, min_samples_leaf=1, feature_bundling=False).fit(x, y)
    assert "merged_1" not in alone.show_fit(x, y).cells
    np.testing.assert_array_equal(model.predict(x), alone.predict(x))
