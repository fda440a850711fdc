"""Pictures of gradient boosting: what they draw are the model's own numbers."""

from collections.abc import Iterator
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import log_loss

matplotlib.use("Agg")

from matplotlib import pyplot

from pellucid.base.errors import DataError, NotFittedError, ParameterError
from pellucid.boosting import (
    BoostedTreesClassifier,
    BoostedTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    LightGBMRegressor,
    XGBoostClassifier,
    XGBoostRegressor,
)
from pellucid.ensemble import AdaBoostClassifier
from pellucid.plotting.boosted_trees import boosting_importances, boosting_loss, boosting_rounds, boosting_trees

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(120, 3))
Y = X[:, 0] + np.sin(2 * X[:, 1]) + 0.3 * RANDOM.normal(size=120)
WORDS = np.array(["low", "mid", "high"])[np.digitize(Y, [-0.5, 0.5])]
TRAIN, HELD = slice(0, 80), slice(80, 120)
SMALL, GOAL = [[1], [2], [3], [4]], [1, 2, 10, 12]


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    pyplot.close("all")


def line(ax: Any, label: str) -> Any:
    return next(one.get_ydata() for one in ax.get_lines() if one.get_label() == label)


def told(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def texts(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.texts]


# ---------------------------------------------------------------------------------------------------------------- loss


@pytest.mark.parametrize("cls", [GradientBoostingRegressor, XGBoostRegressor, LightGBMRegressor])
def test_the_squared_loss_of_tables_is_half_the_mean_square(cls: Any) -> None:
    model = cls(n_estimators=12).fit(X[TRAIN], Y[TRAIN])
    ax = boosting_loss(model, X[TRAIN], Y[TRAIN], X[HELD], Y[HELD])
    for label, rows in (("rows fitted", TRAIN), ("rows held out", HELD)):
        squares = [float(np.mean((said - Y[rows]) ** 2)) / 2 for said in model.staged_predict(X[rows])]
        assert line(ax, label) == pytest.approx(squares)
    held = line(ax, "rows held out")
    assert told(ax)[2].startswith(f"best: round {int(np.argmin(held)) + 1}, ")
    assert ax.get_ylabel() == "mean of (y − f)² / 2"


@pytest.mark.parametrize("labels", [WORDS, np.where(Y > 0, "yes", "no")], ids=["three", "two"])
def test_the_loss_of_classes_is_the_log_loss(labels: Any) -> None:
    model = GradientBoostingClassifier(n_estimators=6).fit(X[TRAIN], labels[TRAIN])
    ax = boosting_loss(model, X[TRAIN], labels[TRAIN], X[HELD], labels[HELD])
    for label, rows in (("rows fitted", TRAIN), ("rows held out", HELD)):
        found = [log_loss(labels[rows], said, labels=model.classes_) for said in model.staged_predict_proba(X[rows])]
        assert line(ax, label) == pytest.approx(found)


def test_rows_held_out_need_not_have_every_class() -> None:
    model = GradientBoostingClassifier(n_estimators=4).fit(X, WORDS)
    some = WORDS == "mid"
    ax = boosting_loss(model, X, WORDS, X[some], WORDS[some])
    place = model.classes_.tolist().index("mid")
    found = [-float(np.log(said[:, place]).mean()) for said in model.staged_predict_proba(X[some])]
    assert line(ax, "rows held out") == pytest.approx(found)


def test_without_tables_it_draws_what_the_fit_has_seen() -> None:
    model = BoostedTreesRegressor(200, learning_rate=0.1, early_stopping=True, n_iter_no_change=5, min_samples_leaf=3)
    model.fit(X[TRAIN], Y[TRAIN], X_val=X[HELD], y_val=Y[HELD])
    ax = boosting_loss(model)
    assert line(ax, "rows fitted").tolist() == model.train_losses_.tolist()
    assert line(ax, "rows held out").tolist() == (-model.validation_scores_).tolist()
    assert len(model.train_losses_) == model.best_iteration_ + 5
    assert any(one.startswith(f"best: round {model.best_iteration_}, ") for one in told(ax))
    assert "given up: 5 rounds" in told(ax)
    again = boosting_loss(model, X[TRAIN], Y[TRAIN], X[HELD], Y[HELD])
    for label in ("rows fitted", "rows held out"):
        assert line(again, label) == pytest.approx(line(ax, label)[: model.n_estimators_])


def test_a_score_that_is_no_loss_has_its_own_axis() -> None:
    labels = np.where(Y > 0, "yes", "no")
    model = XGBoostClassifier(n_estimators=15, scoring="accuracy")
    model.fit(X[TRAIN], labels[TRAIN], X_val=X[HELD], y_val=labels[HELD])
    ax = boosting_loss(model)
    (beside,) = [one for one in ax.figure.axes if one is not ax]
    drawn = line(beside, "rows held out: accuracy (right)")
    right = [float(np.mean(said == labels[HELD])) for said in model.staged_predict(X[HELD])]
    assert drawn == pytest.approx(right)
    assert any(one.startswith(f"best: round {int(np.argmax(right)) + 1}, ") for one in told(ax))


def test_losses_far_apart_have_a_logarithmic_axis() -> None:
    model = GradientBoostingRegressor(n_estimators=40, learning_rate=0.5).fit(SMALL, GOAL)
    assert boosting_loss(model, SMALL, GOAL).get_yscale() == "log"
    assert boosting_loss(model, SMALL, GOAL, X_test=SMALL, y_test=GOAL).get_yscale() == "log"
    short = GradientBoostingRegressor(n_estimators=3).fit(SMALL, GOAL)
    assert boosting_loss(short, SMALL, GOAL).get_yscale() == "linear"


def test_the_loss_needs_rows() -> None:
    model = GradientBoostingRegressor(n_estimators=2).fit(SMALL, GOAL)
    with pytest.raises(ParameterError, match="must have seen rows held out, or X and y be given"):
        boosting_loss(model)
    with pytest.raises(DataError, match=r"X and y go together.*got only X\."):
        boosting_loss(model, SMALL)
    with pytest.raises(DataError, match="got only X_test, y_test"):
        boosting_loss(model, X_test=SMALL, y_test=GOAL)


# --------------------------------------------------------------------------------------------------------------- trees


def test_leaves_add_up_to_the_score() -> None:
    model = GradientBoostingRegressor(n_estimators=3, max_depth=1, learning_rate=0.5).fit(SMALL, GOAL)
    drawn = boosting_trees(model, [1, 2, 3], row=[4])
    # The first two trees take half of 4.75 and of 2.375; the third cuts at 3.5, where 2.1875 is left.
    assert [ax.get_title() for ax in drawn] == ["round 1: adds 2.38", "round 2: adds 1.19", "round 3: adds 1.09"]
    assert model.predict([[4]])[0] == pytest.approx(6.25 + 2.375 + 1.1875 + 1.09375)
    assert {"≤ 2.5", "> 2.5", "-2.375", "2.375", "x0 = 4"} <= set(texts(drawn[0]))
    assert {"≤ 3.5", "> 3.5", "1.094"} <= set(texts(drawn[2]))


def test_similarities_are_those_of_the_residuals() -> None:
    model = XGBoostRegressor(n_estimators=1, max_depth=2, l2_regularization=1.0).fit(SMALL, [1, 2, 10, 15])
    # The mean is 7: residuals -6, -5, 3, 8. Root 0²/5; sides 11²/3 twice; then 36/2, 25/2, 9/2, 64/2, where the right
    # side gains 36.5 - 40.3: less than nothing, as the left one does with 30.5 - 40.3.
    (ax,) = boosting_trees(model, similarity=True)
    assert [one for one in texts(ax) if "similarity" in one] == ["similarity 0", "similarity 40.3", "similarity 40.3"]
    plain = boosting_trees(model)[0]
    assert not any("similarity" in one for one in texts(plain))
    exact = boosting_trees(GradientBoostingRegressor(n_estimators=1, max_depth=1).fit(SMALL, GOAL), similarity=True)[0]
    # Residuals -5.25, -4.25, 3.75, 5.75 have the mean square 23.1875; those of a side are 1/2 and 1 from their mean.
    assert [one for one in texts(exact) if "error" in one] == ["error 23.2", "error 0.25", "error 1"]


def test_similarity_with_weights() -> None:
    weight = np.array([1.0, 2, 1, 2])
    model = XGBoostRegressor(n_estimators=1, max_depth=1).fit(SMALL, [0, 0, 6, 6], sample_weight=weight)
    (ax,) = boosting_trees(model, similarity=True)  # G is 9 on either side, H is 3, l2 is 1
    assert [one for one in texts(ax) if "similarity" in one] == ["similarity 0", "similarity 20.2", "similarity 20.2"]


def test_a_round_of_several_classes_has_a_tree_for_each() -> None:
    model = GradientBoostingClassifier(n_estimators=5, max_depth=2).fit(X, WORDS)
    drawn = boosting_trees(model, 2, row=X[0].tolist())
    before, after = (next(s for k, s in enumerate(model.staged_decision_function(X[:1])) if k == at) for at in (0, 1))
    for k, (ax, name) in enumerate(zip(drawn, ["high", "low", "mid"], strict=True)):
        title, adds = ax.get_title().split(": adds ")
        assert title == f"round 2, {name}"
        assert float(adds.replace("−", "-")) == pytest.approx((after - before)[0, k], abs=5e-3)
    with pytest.raises(ParameterError, match="at most 12 trees can be drawn; 5 rounds have 15"):
        boosting_trees(model, [1, 2, 3, 4, 5])


def test_names_and_categories_are_the_table_s() -> None:
    table = pd.DataFrame({"city": ["Bern", "Oslo", "Rome", "Rome"], "age": [20.0, 50, 30, 40]})
    model = XGBoostRegressor(n_estimators=1, max_depth=1).fit(table, [0, 0, 5, 5])
    (ax,) = boosting_trees(model, row={"city": "Rome", "age": 33})
    assert {"city = Rome", "Rome", "{Bern, Oslo}"} <= set(texts(ax))
    assert "town" in texts(boosting_trees(model, feature_names=["town", "years"])[0])


def test_axes_may_be_given() -> None:
    model = GradientBoostingRegressor(n_estimators=2).fit(SMALL, GOAL)
    given = pyplot.subplots(1, 2)[1]
    assert boosting_trees(model, [1, 2], ax=given).tolist() == given.tolist()
    with pytest.raises(ParameterError, match="ax must be one a tree; got 2 for 1"):
        boosting_trees(model, 1, ax=given)


@pytest.mark.parametrize("wrong", [0, 3, 1.5, True, [1, 9], "1"])
def test_rounds_that_are_not_there_are_refused(wrong: Any) -> None:
    model = GradientBoostingRegressor(n_estimators=2).fit(SMALL, GOAL)
    with pytest.raises(ParameterError, match="rounds must be whole numbers from 1 to 2"):
        boosting_trees(model, wrong)
    with pytest.raises(ParameterError, match="rounds must name at least one round"):
        boosting_trees(model, [])


# --------------------------------------------------------------------------------------------------------- importances


def test_importances_are_gains_and_counts() -> None:
    model = BoostedTreesRegressor(n_estimators=10, min_samples_leaf=5).fit(X, Y)
    ax = boosting_importances(model)
    gain, split = (np.array([bar.get_width() for bar in group]) for group in ax.containers)
    order = [int(label.get_text()[1:]) for label in ax.get_yticklabels()]
    assert gain == pytest.approx(model.feature_importances_[order])
    assert (np.diff(gain) <= 0).all()
    trees = [model._forest_.tree(t) for t in range(10)]
    asked = np.concatenate([tree.feature[tree.feature >= 0] for tree in trees])
    assert split == pytest.approx((np.bincount(asked, minlength=3) / len(asked))[order])


def test_importances_of_the_first_columns() -> None:
    table = pd.DataFrame(X, columns=["a", "b", "c"])
    model = BoostedTreesRegressor(n_estimators=5).fit(table, Y)
    ax = boosting_importances(model, n_most=2)
    assert {label.get_text() for label in ax.get_yticklabels()} == {"a", "b"}
    assert ax.get_xlabel().endswith("the 2 of 3 columns that gain most")
    with pytest.raises(ParameterError, match="n_most must be a whole number of at least 1"):
        boosting_importances(model, n_most=0)


def test_a_model_without_splits_can_be_drawn() -> None:
    model = GradientBoostingRegressor(n_estimators=2).fit(SMALL, [3, 3, 3, 3])
    assert [bar.get_width() for group in boosting_importances(model).containers for bar in group] == [0, 0]
    assert [ax.get_title() for ax in boosting_trees(model, [1, 2])] == ["round 1", "round 2"]
    assert [drawn.values.tolist() for drawn in steps(boosting_rounds(model, SMALL, [3] * 4))] == [[3], [3]]
    assert line(boosting_loss(model, SMALL, [3] * 4), "rows fitted").tolist() == [0, 0]


# -------------------------------------------------------------------------------------------------------------- rounds


def steps(ax: Any) -> list[Any]:
    return [patch.get_data() for patch in ax.patches]


@pytest.mark.parametrize("cls", [GradientBoostingRegressor, XGBoostRegressor])
def test_steps_are_what_the_model_says_after_so_many_rounds(cls: Any) -> None:
    x = np.sort(RANDOM.uniform(0, 10, 60))
    table, y = pd.DataFrame({"hours": x}), np.sin(x)
    model = cls(n_estimators=30).fit(table, y)
    ax = boosting_rounds(model, table, y, rounds=[0, 1, 30])
    assert told(ax)[1:] == ["start", "after 1 round", "after 30 rounds"]
    assert ax.get_xlabel() == "hours"
    said = dict(enumerate(model.staged_predict(table), start=1))
    for at, drawn in zip([0, 1, 30], steps(ax), strict=True):
        found = drawn.values[np.searchsorted(drawn.edges, x, side="left") - 1]
        assert found == pytest.approx(np.full(60, model.base_score_[0]) if at == 0 else said[at])
    assert told(boosting_rounds(model, table, y))[1:] == [
        "after 1 round", "after 5 rounds", "after 20 rounds", "after 30 rounds",
    ]  # fmt: skip


def test_steps_of_classes_are_probabilities() -> None:
    x = np.sort(RANDOM.uniform(0, 10, 60))[:, None]
    labels = np.array(["a", "b", "c"])[np.digitize(x[:, 0], [3, 7])]
    model = BoostedTreesClassifier(n_estimators=7).fit(x, labels)
    proba = list(model.staged_predict_proba(x))
    for label, place in (("b", 1), (None, 2)):
        ax = boosting_rounds(model, x, labels, rounds=7, label=label)
        (drawn,) = steps(ax)
        found = drawn.values[np.searchsorted(drawn.edges, x[:, 0], side="left") - 1]
        assert found == pytest.approx(proba[6][:, place])
        assert ax.get_ylabel() == f"probability of {'abc'[place]}"
        assert line(ax, "data").tolist() == (labels == "abc"[place]).astype(float).tolist()
    with pytest.raises(ParameterError, match="label must be one of 'a', 'b', 'c'"):
        boosting_rounds(model, x, labels, label="d")


def test_only_one_column_can_be_drawn_so() -> None:
    with pytest.raises(DataError, match="needs a model of one column; this one has 3"):
        boosting_rounds(GradientBoostingRegressor(n_estimators=1).fit(X, Y), X, Y)
    model = GradientBoostingRegressor(n_estimators=9).fit(SMALL, GOAL)
    with pytest.raises(ParameterError, match="at most 5 rounds can be told apart; got 6"):
        boosting_rounds(model, SMALL, GOAL, rounds=range(6))
    with pytest.raises(ParameterError, match="label is for classifiers"):
        boosting_rounds(model, SMALL, GOAL, label=1)
    with pytest.raises(ParameterError, match="rounds must be whole numbers from 0 to 9"):
        boosting_rounds(model, SMALL, GOAL, rounds=10)


@pytest.mark.parametrize("draw", [boosting_loss, boosting_trees, boosting_importances])
def test_other_models_are_refused(draw: Any) -> None:
    with pytest.raises(ParameterError, match=r"model must be boosted trees of pellucid\.boosting"):
        draw(AdaBoostClassifier().fit(SMALL, ["a", "a", "b", "b"]))
    with pytest.raises(NotFittedError, match="this XGBoostRegressor is not fitted"):
        draw(XGBoostRegressor())
