"""Held-out answers by hand, the final model's weights, and what is said when a member or the folds do not fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold, TimeSeriesSplit

from pellucid.base.errors import DataError, ParameterError, PellucidError
from pellucid.dummy import DummyRegressor
from pellucid.ensemble import StackingClassifier, StackingRegressor
from pellucid.linear_model import LinearRegression, LogisticRegression, Perceptron
from pellucid.naive_bayes import GaussianNB
from pellucid.neighbors import KNeighborsClassifier, KNeighborsRegressor
from pellucid.reference import stacking as reference
from pellucid.tree import DecisionTreeClassifier, DecisionTreeRegressor

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(50, 3))
NUMBERS = X @ [2.0, -1.0, 0.5] + RANDOM.normal(size=50)
LABELS = np.array(["low", "mid", "high"])[np.digitize(NUMBERS, [-1, 1])]
TWO = np.where(NUMBERS > 0, "up", "down")
NUMERIC = [("line", LinearRegression()), ("near", KNeighborsRegressor(3))]
CLASSES = [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=2))]


def learner(model: Any) -> Any:
    return lambda X, y: type(model)(**model.get_params()).fit(X, y).predict


def test_columns_and_answers_are_those_of_the_reference() -> None:
    model = StackingRegressor(NUMERIC, LinearRegression(), cv=KFold(4), n_jobs=2)
    record = model.fit_with_history(X, NUMBERS)
    learners = [learner(member) for _, member in NUMERIC]
    folds = reference.folds_in_order(50, 4)
    by_hand = reference.held_out_answers(learners, X, NUMBERS, folds)
    np.testing.assert_allclose(record["held_out"][1], by_hand, rtol=1e-9)
    rule = reference.stack(learners, learner(LinearRegression()), X, NUMBERS, 4)
    np.testing.assert_allclose(model.predict(X), rule(X), rtol=1e-9)
    sst = ((NUMBERS - NUMBERS.mean()) ** 2).sum()
    np.testing.assert_allclose(model.member_scores_, 1 - ((NUMBERS[:, None] - by_hand) ** 2).sum(axis=0) / sst)


def test_a_member_that_remembers_is_not_trusted_for_it() -> None:
    """A full tree knows its own rows by heart; on rows it has not seen the line is better, and gets the weight."""
    line = 3 * X[:, 0] + RANDOM.normal(size=50) / 10
    members = [("tree", DecisionTreeRegressor()), ("line", LinearRegression())]
    model = StackingRegressor(members, cv=5).fit(X, line)
    assert model.estimators_[0].score(X, line) == 1
    assert model.member_scores_[1] > model.member_scores_[0]
    weights = model.final_estimator_.coef_
    assert abs(weights[0]) < 0.1 < 0.9 < weights[1]


def test_a_class_that_a_training_part_misses_has_probability_zero() -> None:
    y = np.array(["a"] * 10 + ["b"] * 10 + ["c"] * 2)
    table = np.arange(22.0)[:, None]
    folds = [
        (np.arange(20), np.arange(20, 22)),
        (np.arange(2, 22), np.arange(2)),
        (np.r_[:2, 20, 21], np.arange(2, 20)),
    ]
    model = StackingClassifier([("near", KNeighborsClassifier(1))], cv=folds)
    Z = model.fit_with_history(table, y)["held_out"][1]
    np.testing.assert_array_equal(Z[20:], [[0, 1, 0]] * 2)  # c is unknown there, b is next
    np.testing.assert_array_equal(Z[:2], [[1, 0, 0]] * 2)


def test_passed_columns_are_matched_by_name() -> None:
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = StackingRegressor(NUMERIC, LinearRegression(), cv=3, passthrough=True).fit(frame, NUMBERS)
    assert model.get_feature_names_out().tolist() == ["stackingregressor_line", "stackingregressor_near", "a", "b", "c"]
    np.testing.assert_array_equal(model.predict(frame[["c", "a", "b"]]), model.predict(frame))
    np.testing.assert_allclose(model.predict(frame), StackingRegressor(
        NUMERIC, LinearRegression(), cv=3, passthrough=True).fit(X, NUMBERS).predict(X), rtol=1e-9)  # fmt: skip


def test_fitted_members_stay_as_they_are() -> None:
    members = [(name, model.fit(X[:25], TWO[:25])) for name, model in CLASSES]
    model = StackingClassifier(members, cv="prefit").fit(X[25:], TWO[25:])
    assert model.estimators_ == [member for _, member in members]
    assert model.member_scores_[0] == members[0][1].score(X[25:], TWO[25:])
    assert "✓ final_estimator_.predict_proba(Z)" in model.show_fit(X[25:], TWO[25:]).to_text()
    with pytest.raises(DataError, match="cv='prefit' needs fitted members, and 'fresh' is not"):
        StackingClassifier([("fresh", GaussianNB())], cv="prefit").fit(X, TWO)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"cv": "five"}, "cv must be a number of folds, a splitter, pairs of rows, 'prefit' or None; got 'five'"),
        ({"final_estimator": LinearRegression()}, "'final_estimator' parameter should be a classifier"),
        ({"final_estimator": LogisticRegression}, "'final_estimator' parameter should be a classifier"),
        (
            {"stack_method": "decision_function"},
            "Underlying estimator bayes does not implement the method decision_func",
        ),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError) as caught:
        StackingClassifier(CLASSES, **settings).fit(X, TWO)
    assert words in str(caught.value)


def test_folds_that_do_not_fit_are_refused() -> None:
    with pytest.raises(DataError, match="cv must hold every row out once; 40 of 50 rows are"):
        StackingRegressor(NUMERIC, cv=TimeSeriesSplit(4)).fit(X, NUMBERS)
    with pytest.raises(DataError, match="the rows must be cut into folds"):
        StackingRegressor(NUMERIC, cv=60).fit(X, NUMBERS)
    with pytest.raises(ParameterError, match="The estimator GaussianNB should be a regressor"):
        StackingRegressor([("bayes", GaussianNB())]).fit(X, NUMBERS)


class Fussy(KNeighborsRegressor):
    """Wants fifty rows."""

    def fit(self, X: Any, y: Any) -> Any:
        if len(X) < 50:
            raise ValueError(f"only {len(X)} rows")
        return super().fit(X, y)


def test_a_member_that_fails_on_a_fold_is_named() -> None:
    with pytest.raises(DataError, match="member 'fussy' could not be fitted without fold 1; ValueError: only 40 rows"):
        StackingRegressor([("fussy", Fussy())]).fit(X, NUMBERS)
    with pytest.raises(PellucidError, match="does not support sample weights; member 'near'"):
        StackingRegressor(NUMERIC).fit(X, NUMBERS, np.ones(50))
    with pytest.raises(PellucidError, match="does not support sample weights; the final model"):
        StackingRegressor([("mean", DummyRegressor())], KNeighborsRegressor()).fit(X, NUMBERS, np.ones(50))


def test_its_working_follows_the_final_model() -> None:
    more = [*CLASSES, ("edge", Perceptron(random_state=0))]
    for model, y in (
        (StackingClassifier(CLASSES, cv=3), LABELS),
        (StackingClassifier(more, cv=3), TWO),
        (StackingClassifier(CLASSES, DecisionTreeClassifier(max_depth=2), cv=3), TWO),
        (StackingClassifier(CLASSES, cv=3, passthrough=True), TWO),
        (StackingRegressor(NUMERIC, cv=3), NUMBERS),
        (StackingRegressor(NUMERIC, cv=3), np.column_stack([NUMBERS, -NUMBERS])),
    ):
        model.fit(X, y)
        shown = model.show_fit(X, y)
        text = shown.to_text() + model.show_predict(X, rows=[3]).to_text()
        linear = hasattr(model.final_estimator_, "coef_") and not model.passthrough
        assert ("✓ final_estimator_.predict" in text) == linear
        assert any(cell.attribute == "member_scores_" for cell in shown.cells.values())


def test_a_member_that_cannot_answer_a_fold_is_named() -> None:
    words = r"member 'near', fitted without fold 1, could not answer that fold; KNeighborsRegressor: n_neighbors"
    with pytest.raises(DataError, match=words):
        StackingRegressor([("near", KNeighborsRegressor(45))]).fit(X, NUMBERS)


def test_words_that_pass_through_are_named_where_the_final_model_fails() -> None:
    frame = pd.DataFrame({"size": X[:, 0], "city": ["rome", "oslo"] * 25})
    with pytest.raises(DataError, match="with what passes through, such as column 'city' of words; RidgeCV: "):
        StackingRegressor([("mean", DummyRegressor())], passthrough=True).fit(frame, NUMBERS)
