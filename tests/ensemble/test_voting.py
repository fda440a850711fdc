"""Votes counted by hand, members by name, and what is said when a member cannot vote."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone

from pellucid.base.errors import DataError, ParameterError, PellucidError
from pellucid.dummy import DummyClassifier, DummyRegressor
from pellucid.ensemble import VotingClassifier, VotingRegressor
from pellucid.linear_model import LinearRegression, Perceptron
from pellucid.naive_bayes import GaussianNB
from pellucid.neighbors import KNeighborsClassifier
from pellucid.reference import voting as reference
from pellucid.tree import DecisionTreeClassifier

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(50, 3))
NUMBERS = X @ [2.0, -1.0, 0.5] + RANDOM.normal(size=50)
LABELS = np.array(["low", "mid", "high"])[np.digitize(NUMBERS, [-1, 1])]
MEMBERS = [("bayes", GaussianNB()), ("near", KNeighborsClassifier(3)), ("tree", DecisionTreeClassifier(max_depth=2))]


def says(label: str) -> DummyClassifier:
    return DummyClassifier(strategy="constant", constant=label)


@pytest.mark.parametrize("weights", [None, [1, 2, 3]])
def test_votes_are_those_of_the_reference(weights: Any) -> None:
    counted = [1.0, 1.0, 1.0] if weights is None else weights
    hard = VotingClassifier(MEMBERS, weights=weights).fit(X, LABELS)
    assert hard.predict(X).tolist() == reference.hard_vote([m.predict(X).tolist() for m in hard.estimators_], counted)
    soft = VotingClassifier(MEMBERS, voting="soft", weights=weights, n_jobs=2).fit(X, LABELS)
    expected = reference.soft_vote([m.predict_proba(X) for m in soft.estimators_], counted)
    np.testing.assert_allclose(soft.predict_proba(X), expected, rtol=1e-12)
    mean = VotingRegressor([("line", LinearRegression()), ("mean", DummyRegressor())], weights=counted[:2])
    mean.fit(X, NUMBERS)
    expected = reference.mean_vote([m.predict(X) for m in mean.estimators_], counted[:2])
    np.testing.assert_allclose(mean.predict(X), expected, rtol=1e-12)


def test_of_equals_the_first_class_wins() -> None:
    model = VotingClassifier([("a", says("yes")), ("b", says("no"))]).fit([[0], [1]], ["no", "yes"])
    assert model.predict([[9]]).tolist() == ["no"] == reference.hard_vote([["yes"], ["no"]], [1, 1])
    assert model.votes([[9]]).tolist() == [[1.0, 1.0]]
    assert model.set_params(weights=[1.1, 1]).predict([[9]]).tolist() == ["yes"]


def test_members_are_reached_by_name() -> None:
    model = VotingClassifier(MEMBERS).set_params(near__n_neighbors=7, tree="drop")
    assert model.get_params()["near__n_neighbors"] == 7
    assert model.named_estimators.near.n_neighbors == 7
    model.fit(X, LABELS)
    assert list(model.named_estimators_) == ["bayes", "near", "tree"]
    assert model.named_estimators_["tree"] == "drop"
    assert len(model.estimators_) == 2
    assert clone(model).get_params()["tree"] == "drop"
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    named = VotingClassifier(MEMBERS).fit(frame, LABELS)
    assert named.feature_names_in_.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(named.predict(frame[["c", "a", "b"]]), named.predict(frame))


def test_members_learn_labels_not_their_numbers() -> None:
    tree = DecisionTreeClassifier(class_weight={"low": 5, "mid": 1, "high": 1}, max_depth=1)
    model = VotingClassifier([("tree", tree)]).fit(X, LABELS)
    np.testing.assert_array_equal(model.predict(X), clone(tree).fit(X, LABELS).predict(X))
    np.testing.assert_array_equal(model.classes_[model.transform(X)[:, 0]], model.predict(X))


class Mute(ClassifierMixin, BaseEstimator):
    """Raises in fit."""

    def fit(self, X: Any, y: Any) -> Mute:
        raise ValueError("nothing to learn here")

    def predict(self, X: Any) -> Any:
        return X


@pytest.mark.parametrize(
    ("members", "settings", "words"),
    [
        (None, {}, "non-empty list of (string, estimator) tuples; got None"),
        ([], {}, "non-empty list"),
        ([("a", GaussianNB)], {}, "member 'a' is the class GaussianNB, not a model: GaussianNB()"),
        ([("a", 3)], {}, "member 'a' is 3, which has no fit"),
        ([("a", GaussianNB()), ("a", GaussianNB())], {}, "Names provided are not unique"),
        ([("voting", GaussianNB())], {}, "Estimator names conflict with constructor arguments: ['voting']"),
        ([("a__b", GaussianNB())], {}, "must not contain __"),
        ([("a", "drop")], {}, "All estimators are dropped"),
        ([("a", LinearRegression())], {}, "The estimator LinearRegression should be a classifier; member 'a' is none"),
        (MEMBERS, {"weights": [1, 2]}, "Number of `estimators` and weights must be equal; got 2 weights, 3 estimators"),
        (MEMBERS, {"weights": [1, -2, 1]}, "weights must be finite numbers of at least 0"),
        (MEMBERS, {"weights": "many"}, "weights must be finite numbers of at least 0"),
        (MEMBERS, {"weights": [0, 0, 0]}, "one of the weights must be above 0"),
        ([*MEMBERS, ("line", Perceptron())], {"voting": "soft"}, "member 'line', a Perceptron, has no predict_proba"),
    ],
)
def test_what_cannot_vote_is_refused(members: Any, settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError) as caught:
        VotingClassifier(members, **settings).fit(X, LABELS)
    assert words in str(caught.value)


def test_a_member_that_fails_is_named() -> None:
    with pytest.raises(DataError, match="member 'mute' could not be fitted; ValueError: nothing to learn here"):
        VotingClassifier([*MEMBERS, ("mute", Mute())]).fit(X, LABELS)
    bad = X.copy()
    bad[[4, 7], 1] = np.nan
    with pytest.raises(DataError, match=r"member 'near' could not be fitted; KNeighborsClassifier: .*rows 4, 7"):
        VotingClassifier(MEMBERS).fit(bad, LABELS)
    with pytest.raises(PellucidError, match="KNeighborsClassifier does not support sample weights; member 'near'"):
        VotingClassifier(MEMBERS).fit(X, LABELS, np.ones(50))
    with pytest.raises(DataError, match="one label a row"):
        VotingClassifier(MEMBERS).fit(X, np.column_stack([LABELS, LABELS]))


def test_texts_are_handed_on_as_they_are() -> None:
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline

    words = ["good fine", "bad poor", "fine good", "poor bad"]
    member = make_pipeline(CountVectorizer(), MultinomialNB())
    model = VotingClassifier([("words", member)], voting="soft").fit(words, ["+", "-", "+", "-"])
    assert model.predict(["good"]).tolist() == ["+"]


def test_its_working_follows_weights_and_members() -> None:
    many = [(f"m{k}", KNeighborsClassifier(k)) for k in range(1, 11)]
    for members, settings in (
        (MEMBERS, {"weights": [1, 2, 3]}),
        (MEMBERS, {"voting": "soft", "weights": [1, 2, 3]}),
        (many, {"voting": "soft"}),
        (many, {}),
    ):
        model = VotingClassifier(members, **settings).fit(X, LABELS)
        text = model.show_fit(X, LABELS).to_text() + model.show_predict(X, rows=[3]).to_text()
        assert "✓ predict(X)" in text
        assert ("✓ predict_proba(X)" in text) == ("voting" in settings)
