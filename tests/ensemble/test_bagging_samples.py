"""What bagging draws, who answers for a row left out, and what is said when something is wrong."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from pellucid.base.errors import DataError, ParameterError, PellucidError, PellucidWarning
from pellucid.dummy import DummyClassifier, DummyRegressor
from pellucid.ensemble import BaggingClassifier, BaggingRegressor
from pellucid.linear_model import LinearRegression, LogisticRegression
from pellucid.neighbors import KNeighborsClassifier
from pellucid.reference import bagging as reference
from pellucid.tree import DecisionTreeClassifier, DecisionTreeRegressor

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(60, 3))
NUMBERS = X @ [2.0, -1.0, 0.5] + RANDOM.normal(size=60) / 2
LABELS = np.where(NUMBERS > 0, "up", "down")


def line(X: np.ndarray, y: np.ndarray) -> Any:
    return LinearRegression().fit(X, y).predict


def test_the_mean_of_lines_is_that_of_the_reference() -> None:
    model = BaggingRegressor(LinearRegression(), n_estimators=7, random_state=1, oob_score=True)
    with pytest.warns(PellucidWarning, match="have none"):
        model.fit(X, NUMBERS)
    samples = model.estimators_samples_
    rules = reference.bag(line, X, NUMBERS, samples)
    np.testing.assert_allclose(model.predict(X), reference.bagged_mean(rules, X), rtol=1e-9)
    by_hand, told = reference.out_of_bag(rules, samples, X)
    np.testing.assert_allclose(model.oob_prediction_, by_hand, rtol=1e-9)
    assert np.isnan(model.oob_prediction_[told == 0]).all()
    heard = told > 0
    sse = ((NUMBERS - by_hand)[heard] ** 2).sum()
    sst = ((NUMBERS[heard] - NUMBERS[heard].mean()) ** 2).sum()
    assert model.oob_score_ == pytest.approx(1 - sse / sst)


def test_a_hard_vote_counts_labels() -> None:
    model = BaggingClassifier(DecisionTreeClassifier(max_depth=1), voting="hard", random_state=0).fit(X, LABELS)
    rules = [member.predict for member in model.estimators_]
    assert model.predict(X).tolist() == reference.bagged_votes(rules, X)
    np.testing.assert_array_equal(model.votes(X) / 10, model.predict_proba(X))


def test_a_tie_goes_to_the_first_class() -> None:
    says = [lambda X: np.full(len(X), "b"), lambda X: np.full(len(X), "a")]
    model = BaggingClassifier(models=says).fit([[0], [1]], ["a", "b"])
    assert model.predict([[5]]).tolist() == ["a"] == [reference.majority(["b", "a"])]


def test_a_sample_holds_the_share_that_mathematics_says() -> None:
    """1 - (1 - 1/n)^n of the rows, within four standard errors of 200 samples."""
    n, T = 50, 200
    model = BaggingRegressor(DummyRegressor(), n_estimators=T, random_state=0).fit(np.zeros((n, 1)), np.arange(n))
    shares = np.array([len(np.unique(rows)) / n for rows in model.estimators_samples_])
    chance = 1 - (1 - 1 / n) ** n
    both = (1 - 2 / n) ** n + 1 - 2 * (1 - 1 / n) ** n  # that two given rows are both in it
    spread = math.sqrt((chance * (1 - chance) + (n - 1) * (both - chance**2)) / n)
    assert abs(shares.mean() - chance) < 4 * spread / math.sqrt(T)


def test_counts_as_weights_and_rows_repeated_are_the_same_model() -> None:
    class Deaf(LinearRegression):
        """Takes no weights."""

        def fit(self, X: Any, y: Any) -> Any:
            return super().fit(X, y)

    heard = BaggingRegressor(LinearRegression(), random_state=3).fit(X, NUMBERS).predict(X)
    np.testing.assert_allclose(BaggingRegressor(Deaf(), random_state=3).fit(X, NUMBERS).predict(X), heard, rtol=1e-9)


def test_without_replacement_weights_are_handed_on() -> None:
    weight = RANDOM.integers(1, 4, size=60).astype(float)
    model = BaggingRegressor(LinearRegression(), bootstrap=False, n_estimators=2, random_state=0)
    plain = LinearRegression().fit(X, NUMBERS, weight)
    np.testing.assert_allclose(model.fit(X, NUMBERS, weight).predict(X), plain.predict(X), rtol=1e-9)
    with pytest.raises(PellucidError, match="KNeighborsClassifier does not support sample weights"):
        BaggingClassifier(KNeighborsClassifier(), bootstrap=False).fit(X, LABELS, weight)


# ----------------------------------------------------------------------------------------------------------- out of bag


def test_the_average_of_scores_is_another_number_than_the_vote() -> None:
    vote = BaggingClassifier(n_estimators=25, oob_score=True, random_state=0).fit(X, LABELS)
    mean = BaggingClassifier(n_estimators=25, oob_score="average", random_state=0).fit(X, LABELS)
    scores = [
        np.mean(model.predict(X[out]) == LABELS[out])
        for model, rows in zip(mean.estimators_, mean.estimators_samples_, strict=True)
        if len(out := reference.rows_left_out(rows, 60))
    ]
    np.testing.assert_allclose(mean.oob_scores_, scores)
    assert mean.oob_score_ == pytest.approx(np.mean(scores))
    right = np.mean(vote.classes_[vote.oob_decision_function_.argmax(axis=1)] == LABELS)
    assert vote.oob_score_ == pytest.approx(right)
    assert vote.oob_score_ != mean.oob_score_


def test_rows_without_a_vote_are_named() -> None:
    model = BaggingClassifier(n_estimators=2, oob_score=True, random_state=0)
    inside = [
        set(rows.tolist()) for rows in clone(model).set_params(oob_score=False).fit(X, LABELS).estimators_samples_
    ]
    silent = sorted(inside[0] & inside[1])
    said = ", ".join(map(str, silent[:5]))
    with pytest.warns(PellucidWarning, match=rf"{len(silent)} of 60 rows have none \(rows {said}"):
        model.fit(X, LABELS)
    assert np.isnan(model.oob_decision_function_[silent]).all()
    heard = [i for i in range(60) if i not in silent]
    assert model.oob_score_ == np.mean(model.classes_[model.oob_decision_function_[heard].argmax(1)] == LABELS[heard])


def test_one_row_has_no_answer_of_its_own() -> None:
    model = BaggingClassifier(n_estimators=1, oob_score=True)
    with pytest.warns(PellucidWarning, match=r"1 of 1 row has none \(row 0\), is NaN"):
        model.fit([[1.0]], ["a"])
    assert math.isnan(model.oob_score_)
    assert model.predict([[3.0]]).tolist() == ["a"]


def test_out_of_bag_needs_rows_left_out() -> None:
    with pytest.raises(ParameterError, match="Out of bag estimation only available if rows are left out"):
        BaggingClassifier(bootstrap=False, oob_score=True).fit(X, LABELS)
    pasted = BaggingClassifier(bootstrap=False, max_samples=0.5, oob_score=True, n_estimators=30, random_state=0)
    assert 0.5 < pasted.fit(X, LABELS).oob_score_ <= 1


def test_a_warm_start_is_the_fit_at_once() -> None:
    whole = BaggingClassifier(n_estimators=20, random_state=0, oob_score=True).fit(X, LABELS)
    model = BaggingClassifier(n_estimators=12, random_state=0, warm_start=True).fit(X, LABELS)
    first = model.estimators_[0]
    model.set_params(n_estimators=20, oob_score=True).fit(X, LABELS)
    assert model.estimators_[0] is first
    np.testing.assert_array_equal(model.oob_decision_function_, whole.oob_decision_function_)
    np.testing.assert_array_equal(model.predict_proba(X), whole.predict_proba(X))
    with pytest.warns(PellucidWarning, match="does not fit new trees"):
        model.fit(X, LABELS)
    with pytest.raises(ParameterError, match="n_estimators must be larger"):
        model.set_params(n_estimators=3).fit(X, LABELS)
    with pytest.raises(DataError, match="classes of the last fit"):
        model.set_params(n_estimators=30).fit(X, np.where(LABELS == "up", "up", "flat"))


# -------------------------------------------------------------------------------------------------------------- awkward


def test_a_sample_that_misses_a_class_has_its_column_zero() -> None:
    y = np.array(["rare"] + ["a", "b"] * 20)
    table = np.arange(41.0)[:, None]
    model = BaggingClassifier(KNeighborsClassifier(1), n_estimators=8, random_state=0).fit(table, y)
    known = [len(member.classes_) for member in model.estimators_]
    assert set(known) == {2, 3}
    expected = np.mean([0 in rows for rows in model.estimators_samples_])
    np.testing.assert_allclose(model.predict_proba([[0.0]])[0, 2], expected)
    assert model.classes_.tolist() == ["a", "b", "rare"]


class Fussy(ClassifierMixin, BaseEstimator):
    """Raises when it meets a row of zeros twice."""

    def fit(self, X: Any, y: Any) -> Fussy:
        if (np.asarray(X) == 0).all(axis=1).sum() > 1:
            raise ZeroDivisionError("two rows of zeros")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.classes_[0])


def test_a_model_that_raises_is_named_with_its_sample() -> None:
    table = X.copy()
    table[0] = 0
    drawn = BaggingClassifier(DummyClassifier(), random_state=0).fit(table, LABELS).estimators_samples_
    place = next(k for k, rows in enumerate(drawn) if (rows == 0).sum() > 1)
    rows = ", ".join(map(str, drawn[place][:5].tolist()))
    words = rf"BaggingClassifier: model {place + 1} of 10 could not be fitted on its sample, rows {rows} and 55 more; "
    with pytest.raises(DataError, match=words + "ZeroDivisionError: two rows of zeros"):
        BaggingClassifier(Fussy(), random_state=0).fit(table, LABELS)
    with parallel_config("threading"), pytest.raises(DataError, match=r"model \d+ of 10 could not be fitted"):
        BaggingClassifier(Fussy(), random_state=0, n_jobs=2).fit(table, LABELS)


def test_one_model_is_enough() -> None:
    model = BaggingRegressor(n_estimators=1, bootstrap=False).fit(X, NUMBERS)
    np.testing.assert_array_equal(model.predict(X), DecisionTreeRegressor().fit(X, NUMBERS).predict(X))


def test_given_models_are_asked_as_they_are() -> None:
    members = [DecisionTreeClassifier(max_depth=d).fit(X, LABELS) for d in (1, 2, 3)]
    model = BaggingClassifier(models=members).fit(X, LABELS)
    assert model.estimators_ == members
    np.testing.assert_allclose(model.predict_proba(X), np.mean([m.predict_proba(X) for m in members], axis=0))
    with pytest.raises(AttributeError, match="the models were given"):
        _ = model.estimators_samples_
    with pytest.raises(ParameterError, match="model 2, a DecisionTreeClassifier, is not fitted"):
        BaggingClassifier(models=[members[0], DecisionTreeClassifier()]).fit(X, LABELS)
    with pytest.raises(ParameterError, match="oob_score needs samples"):
        BaggingClassifier(models=members, oob_score=True).fit(X, LABELS)
    with pytest.raises(DataError, match="model 1 must answer with classes of y; it answers 'sideways'"):
        BaggingClassifier(models=[lambda X: np.full(len(X), "sideways")]).fit(X, LABELS).predict(X)


def test_words_missing_values_and_frames_reach_the_trees() -> None:
    frame = pd.DataFrame({"city": ["rome", "oslo", None, "bern"] * 15, "size": X[:, 0]})
    frame.loc[3, "size"] = np.nan
    y = np.where(frame["city"] == "rome", "warm", "cold")
    model = BaggingClassifier(random_state=0, max_features=1, n_estimators=20).fit(frame, y)
    assert model.predict(frame[["size", "city"]])[0] == "warm"
    assert model.score(frame, y) == 1
    with pytest.raises(DataError, match="bootstrap_features=True needs columns of numbers"):
        BaggingClassifier(bootstrap_features=True).fit(frame, y)
    steps = make_pipeline(make_column_transformer((OneHotEncoder(drop="first"), ["city"])), LinearRegression())
    numbers = (y == "warm").astype(float)
    found = BaggingRegressor(steps, random_state=0).fit(frame, numbers).predict(frame)
    np.testing.assert_allclose(found, numbers, atol=1e-9)


def test_several_targets_of_numbers() -> None:
    both = np.column_stack([NUMBERS, -NUMBERS])
    model = BaggingRegressor(LinearRegression(), random_state=0, n_estimators=30, oob_score=True).fit(X, both)
    one = BaggingRegressor(LinearRegression(), random_state=0, n_estimators=30, oob_score=True).fit(X, NUMBERS)
    np.testing.assert_allclose(model.predict(X)[:, 0], one.predict(X), rtol=1e-9)
    np.testing.assert_allclose(model.oob_prediction_[:, 1], -one.oob_prediction_, rtol=1e-9)
    with pytest.raises(DataError, match="y should be a 1d array: one label a row"):
        BaggingClassifier().fit(X, np.column_stack([LABELS, LABELS]))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"max_samples": 0}, "max_samples must be a whole number of at least 1"),
        ({"max_samples": 1.5}, "max_samples must be"),
        ({"max_features": 4}, "max_features must be <= n_features; got 4 with 3"),
        ({"bootstrap": False, "max_samples": 61}, "max_samples must be <= n_samples"),
        ({"estimator": DecisionTreeClassifier}, "estimator must be a model with fit and predict"),
        ({"models": []}, "models must be a list of fitted models"),
        ({"oob_score": "vote"}, "oob_score must be one of False, True, 'average'"),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        BaggingClassifier(**settings).fit(X, LABELS)


def test_its_working_is_written_for_every_setting() -> None:
    weight = RANDOM.integers(1, 4, size=60).astype(float)
    for settings in (
        {"oob_score": True, "n_estimators": 25},
        {"oob_score": "average", "n_estimators": 25, "voting": "hard"},
        {"bootstrap": False, "max_samples": 0.5, "max_features": 2, "n_estimators": 4},
    ):
        model = BaggingClassifier(random_state=0, **settings).fit(X, LABELS, weight)
        text = model.show_fit(X, LABELS, weight).to_text() + model.show_predict(X).to_text()
        assert "✓ predict_proba(X)" in text
        assert ("✓ oob_score_" in text) == (settings.get("oob_score") == "average")  # else by weight
    numbers = BaggingRegressor(random_state=0, oob_score=True, n_estimators=25).fit(X, NUMBERS)
    assert "✓ oob_score_" in numbers.show_fit(X, NUMBERS).to_text()
    given = BaggingRegressor(models=[lambda X: X[:, 0], lambda X: X[:, 1]]).fit(X, NUMBERS)
    assert "✓ predict(X)" in given.show_fit(X, NUMBERS).to_text()


def test_a_table_that_the_trees_cannot_read_is_refused_by_its_own_rows() -> None:
    frame = pd.DataFrame({"city": ["rome", "oslo"] * 30, "size": X[:, 0]})
    frame.loc[37, "size"] = np.inf
    with pytest.raises(DataError, match=r"^BaggingClassifier: .*column 'size' has 1 infinite value \(inf\) in row 37"):
        BaggingClassifier(random_state=0).fit(frame, LABELS)


def test_a_sample_without_a_class_is_told_where_a_model_needs_it() -> None:
    few = np.array(["a"] * 9 + ["b"])
    with pytest.raises(
        DataError, match=r"could not be fitted on its sample, rows .*, without 'b'; LogisticRegression: "
    ):
        BaggingClassifier(LogisticRegression(), n_estimators=30, random_state=0).fit(X[:10], few)


def test_of_another_librarys_error_the_first_line_is_told() -> None:
    class Wordy(Fussy):
        """Raises with two lines."""

        def fit(self, X: Any, y: Any) -> Wordy:
            raise ValueError("no.\nSee the guide.")

    class Silent(Fussy):
        """Raises without a word."""

        def fit(self, X: Any, y: Any) -> Silent:
            raise ValueError

    for model, words in ((Wordy(), "ValueError: no."), (Silent(), "ValueError.")):
        with pytest.raises(DataError) as caught:
            BaggingClassifier(model).fit(X, LABELS)
        assert str(caught.value).endswith(words)
