"""AdaBoost: the kernel against the reference and the tree engine, its options, its ends, and models given by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from pellucid.base.errors import DataError, ParameterError, PellucidWarning
from pellucid.ensemble import AdaBoostClassifier, AdaBoostRegressor
from pellucid.reference import ada_boost as reference
from pellucid.rules import OneRClassifier, PRISMClassifier
from pellucid.tree import C45Classifier, CHAIDClassifier, DecisionTreeClassifier, DecisionTreeRegressor

from .samples import boosting_problem

LINE = np.arange(1.0, 5.0).reshape(-1, 1)
ONE_YES = np.array(["no", "no", "yes", "no"])


class Noted(ClassifierMixin, BaseEstimator):
    """Says what it is told, whatever the rows."""

    def __init__(self, said: Any = None) -> None:
        self.said = said

    def predict(self, X: Any) -> Any:
        return np.asarray(self.said)


# -------------------------------------------------------------------------------------------------------------- stumps


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000))
def test_stumps_are_the_trees_of_a_fit_with_the_weights_of_their_round(seed: int) -> None:
    """Every node, to the last bit: numbers, ties, missing values, categories, rows of weight 0, two to four classes."""
    X, y, weight, categories = boosting_problem(seed)
    model = AdaBoostClassifier(
        DecisionTreeClassifier(max_depth=1, categorical_features=categories or None), n_estimators=6
    )
    try:
        weights = model.fit_with_history(X, y, weight)["weights"][1]
    except DataError:
        return  # the first stump is no better than chance
    last = len(weights) - 1 if model.ended_ == "perfect" else None
    for t, stump in enumerate(model.estimators_):
        told = weights[t if last is None else last]
        alone = DecisionTreeClassifier(max_depth=1, categorical_features=categories or None).fit(X, y, told)
        for name in ("feature", "threshold", "test", "missing_child", "n_rows", "weight", "impurity", "value", "table"):
            assert_array_equal(getattr(stump.tree_, name), getattr(alone.tree_, name), err_msg=f"{name} of round {t}")
        assert_array_equal(stump.predict(X), alone.predict(X))


@pytest.mark.parametrize("classes", [2, 3])
def test_kernel_gives_what_the_reference_gives(classes: int) -> None:
    rng = np.random.default_rng(classes)
    X = rng.normal(size=(60, 3)).round(2)
    y = np.clip(np.floor(X[:, 0] + X[:, 1] + classes / 2 + rng.normal(size=60) / 2), 0, classes - 1).astype(int)
    weight = rng.random(60)
    model = AdaBoostClassifier(n_estimators=8, learning_rate=0.8)
    weights = model.fit_with_history(X, y, weight)["weights"][1]
    rounds = reference.boost(X, y, reference.best_stump, rounds=8, rate=0.8, weight=weight)
    assert_allclose(weights, [one.weight for one in rounds], rtol=1e-10)
    assert_allclose(model.estimator_errors_, [one.error for one in rounds], rtol=1e-10)
    assert_allclose(model.estimator_weights_, [one.stage for one in rounds], rtol=1e-9)
    votes = reference.votes(rounds, X, classes)
    assert_array_equal(model.predict(X), votes.argmax(axis=1))
    share = votes / votes.sum(axis=1, keepdims=True)
    wanted = 2 * (share[:, 1] - share[:, 0]) if classes == 2 else share - (1 - share) / (classes - 1)
    assert_allclose(model.decision_function(X), wanted, atol=1e-12)


def test_threads_change_no_bit() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 9))
    y = (X[:, 0] * X[:, 1] > rng.normal(size=3000)).astype(int)
    one, *others = (AdaBoostClassifier(n_estimators=12, n_jobs=jobs).fit(X, y) for jobs in (1, 2, 3))
    for other in others:
        assert_array_equal(one.estimator_weights_, other.estimator_weights_)
        assert_array_equal(one.estimators_.value, other.estimators_.value)
        assert_array_equal(one.decision_function(X), other.decision_function(X))


def test_any_path_gives_the_same_stumps() -> None:
    """The kernel, trees grown on one table, and any model: three ways to the same numbers."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 3))
    y = (X[:, 0] + X[:, 1] ** 2 > 1).astype(int)

    class Other(DecisionTreeClassifier):
        pass

    quick = AdaBoostClassifier(n_estimators=6).fit(X, y)
    grown = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1, min_impurity_decrease=1e-30), n_estimators=6).fit(
        X, y
    )
    fitted = AdaBoostClassifier(Other(max_depth=1), n_estimators=6).fit(X, y)
    assert type(quick.estimators_) is not type(grown.estimators_)
    for other in (grown, fitted):
        assert_allclose(other.estimator_weights_, quick.estimator_weights_, rtol=1e-12)
        assert_allclose(other.predict_proba(X), quick.predict_proba(X), rtol=1e-12)
        assert_allclose(other.feature_importances_, quick.feature_importances_, atol=1e-12)


def test_sparse_and_frames_with_categories() -> None:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"size": rng.normal(size=50), "kind": rng.choice(["a", "b", "c"], 50)})
    y = np.where((frame["kind"] == "b") | (frame["size"] > 1), "x", "z")
    model = AdaBoostClassifier(n_estimators=5).fit(frame, y)
    assert model.score(frame, y) == 1.0
    assert_array_equal(model.predict(frame[["kind", "size"]]), y)
    assert model.feature_names_in_.tolist() == ["size", "kind"]
    assert set(model.predict(frame.assign(kind="new"))) <= {"x", "z"}
    X = np.round(rng.normal(size=(60, 4))) * (rng.random((60, 4)) < 0.4)
    target = (X.sum(axis=1) > 0).astype(int)
    dense = AdaBoostClassifier(n_estimators=9).fit(X, target)
    sparse = AdaBoostClassifier(n_estimators=9).fit(scipy.sparse.csr_matrix(X), target)
    assert_array_equal(sparse.estimator_weights_, dense.estimator_weights_)
    assert_allclose(sparse.decision_function(scipy.sparse.csr_matrix(X)), dense.decision_function(X), rtol=1e-12)


# -------------------------------------------------------------------------------------------------------------- options


def test_half_stages_and_no_division_give_the_same_votes() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(70, 2))
    y = (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=70) / 3 > 0.5).astype(int)
    plain = AdaBoostClassifier(n_estimators=10).fit(X, y)
    forms: list[dict[str, Any]] = [{"stage": "half"}, {"normalize": False}, {"stage": "half", "normalize": False}]
    for form in forms:
        other = AdaBoostClassifier(n_estimators=10, **form).fit(X, y)
        factor = 0.5 if form.get("stage") else 1.0
        assert_allclose(other.estimator_weights_, factor * plain.estimator_weights_, rtol=1e-9)
        assert_allclose(other.decision_function(X), plain.decision_function(X), atol=1e-9)


def test_staged_answers_are_those_of_fewer_rounds() -> None:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 3))
    y = rng.integers(0, 3, 60)
    model = AdaBoostClassifier(n_estimators=6).fit(X, y)
    path = AdaBoostClassifier().fit_path("n_estimators", [2, 4, 6], X, y)
    staged = list(model.staged_predict_proba(X))
    for rounds, taken in zip((2, 4, 6), path.models, strict=True):
        alone = AdaBoostClassifier(n_estimators=rounds).fit(X, y)
        assert_array_equal(taken.estimator_weights_, alone.estimator_weights_)
        assert_array_equal(taken.predict_proba(X), alone.predict_proba(X))
        assert_allclose(staged[rounds - 1], alone.predict_proba(X), rtol=1e-12)
    assert list(model.staged_score(X, y))[-1] == model.score(X, y)


def test_resampling_is_chosen_for_a_model_without_weights_and_said() -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] > X[:, 1]).astype(int)
    with pytest.warns(PellucidWarning, match="KNeighborsClassifier takes no sample_weight, so each round draws"):
        model = AdaBoostClassifier(KNeighborsClassifier(3), n_estimators=5, random_state=0).fit(X, y)
    asked = AdaBoostClassifier(KNeighborsClassifier(3), n_estimators=5, random_state=0, weighting="resample").fit(X, y)
    assert model.weighting_ == asked.weighting_ == "resample"
    assert_array_equal(model.predict_proba(X), asked.predict_proba(X))
    assert model.score(X, y) > 0.9


def test_drawn_rows_follow_the_weights() -> None:
    rng = np.random.default_rng(6)
    X = rng.normal(size=(40, 2))
    y = (X[:, 0] + rng.normal(size=40) / 2 > 0).astype(int)
    model = AdaBoostClassifier(n_estimators=4, weighting="resample", random_state=1)
    record = model.fit_with_history(X, y)
    weights, drawn = record["weights"][1], record["drawn"][1].astype(int)
    for t, tree in enumerate(model.estimators_):
        times = np.bincount(drawn[t], minlength=40).astype(float)
        alone = DecisionTreeClassifier(max_depth=1).fit(X, y, times)
        assert_array_equal(tree.tree_.threshold, alone.tree_.threshold)
        wrong = alone.predict(X) != y
        assert_allclose(model.estimator_errors_[t], (weights[t] * wrong).sum(), rtol=1e-12)


# ------------------------------------------------------------------------------------------------------- ends, by hand


def test_a_perfect_model_ends_it_and_decides_alone() -> None:
    model = AdaBoostClassifier().fit(LINE, [0, 0, 1, 1])
    assert model.ended_ == "perfect"
    assert len(model.estimators_) == 1
    assert model.estimator_weights_[:2].tolist() == [1.0, 0.0]
    weak, perfect = Noted(["no", "no", "no", "no"]), Noted(ONE_YES)
    with pytest.warns(PellucidWarning, match=r"models\[1\] makes no error and decides alone"):
        late = AdaBoostClassifier(models=[weak, perfect]).fit(LINE, ONE_YES)
    assert late.estimators_ == [perfect]
    assert_array_equal(late.predict(LINE), ONE_YES)


def test_a_model_no_better_than_chance_ends_it_and_is_left_out() -> None:
    weak = Noted(["no", "no", "no", "no"])
    with pytest.warns(PellucidWarning, match=r"models\[1\] is no better than chance \(weighted error 0.5\)"):
        model = AdaBoostClassifier(models=[weak, weak, weak]).fit(LINE, ONE_YES)
    assert model.ended_ == "chance"
    assert len(model.estimators_) == 1
    assert model.estimator_errors_.tolist() == [0.25, 1.0, 1.0]


def test_a_first_model_no_better_than_chance_is_refused() -> None:
    with pytest.raises(DataError, match="worse than random, ensemble can not be fit; the weighted error of the first"):
        AdaBoostClassifier().fit(np.ones((4, 1)), [0, 1, 0, 1])


def test_overflow_is_said_and_the_rounds_before_are_kept() -> None:
    rng = np.random.default_rng(7)
    X = rng.normal(size=(30, 2))
    with pytest.warns(PellucidWarning, match="Sample weights have reached infinite values, at iteration 0"):
        model = AdaBoostClassifier(learning_rate=1e5).fit(X, rng.integers(0, 2, 30))
    assert model.ended_ == "overflow"
    assert len(model.estimators_) == 1


@pytest.mark.parametrize(
    ("models", "words"),
    [
        ([], "the list is empty"),
        ([3], r"models\[0\] is 3"),
        ([{"feature": 0, "left": 0, "right": 1}], "there is no 'threshold'"),
        ([{"feature": 5, "threshold": 1, "left": "no", "right": "yes"}], "there is no column 5"),
        ([{"feature": 0, "threshold": "a", "left": "no", "right": "yes"}], "the threshold is 'a', not a number"),
        ([{"feature": 0, "threshold": 1, "left": "no", "right": "maybe"}], "right is 'maybe', y has 'no', 'yes'"),
        ([{"feature": 0, "categories": "a", "left": "no", "right": "yes"}], "holds numbers, not categories"),
    ],
)
def test_models_that_cannot_be_used_are_refused(models: Any, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        AdaBoostClassifier(models=models).fit(LINE, ONE_YES)


def test_answers_that_are_no_classes_are_refused() -> None:
    with pytest.raises(DataError, match="a Noted must answer with classes of y; it answers 'perhaps'"):
        AdaBoostClassifier(models=[Noted(["perhaps"] * 4)]).fit(LINE, ONE_YES)


def test_a_model_that_raises_is_named_with_its_round() -> None:
    y = np.r_[np.zeros(30), 1.0].astype(int)
    X = np.arange(31.0).reshape(-1, 1)
    model = AdaBoostClassifier(LogisticRegression(), weighting="resample", random_state=1)
    words = r"LogisticRegression could not be fitted in round 1, to \d+ different rows drawn, of 1 class"
    with pytest.raises(DataError, match=words):
        model.fit(X, y, np.r_[np.ones(30), 1e-12])
    with pytest.raises(ParameterError, match="estimator must be a model with fit and predict; got the class"):
        AdaBoostClassifier(LogisticRegression).fit(X, y)


# -------------------------------------------------------------------------------------------------------------- numbers


@pytest.mark.parametrize("loss", ["linear", "square", "exponential"])
def test_numbers_follow_the_formulas(loss: Any) -> None:
    rng = np.random.default_rng(8)
    X = rng.normal(size=(40, 2))
    y = X[:, 0] + X[:, 1] ** 2
    model = AdaBoostRegressor(n_estimators=5, loss=loss, weighting="reweight", learning_rate=0.7)
    weights = model.fit_with_history(X, y)["weights"][1]
    for t, tree in enumerate(model.estimators_):
        alone = DecisionTreeRegressor(max_depth=3).fit(X, y, weights[t])
        assert_array_equal(tree.tree_.threshold, alone.tree_.threshold)
        error, stage, after = reference.next_weights_of_numbers(
            weights[t], reference.loss_of(alone.predict(X), y, loss), 0.7
        )
        assert_allclose([model.estimator_errors_[t], model.estimator_weights_[t]], [error, stage], rtol=1e-10)
        if t + 1 < len(weights):
            assert_allclose(weights[t + 1], after, rtol=1e-10)
    each = np.column_stack([tree.predict(X) for tree in model.estimators_])
    wanted = [reference.weighted_median(row, model.estimator_weights_.tolist()) for row in each.tolist()]
    assert_array_equal(model.predict(X), wanted)
    assert_array_equal(list(model.staged_predict(X))[-1], model.predict(X))


def test_numbers_end_in_three_ways() -> None:
    step = np.array([0.0, 0.0, 1.0, 1.0])
    exact = AdaBoostRegressor(weighting="reweight").fit(LINE, step)
    assert exact.ended_ == "perfect"
    assert_array_equal(exact.predict(LINE), step)
    stump = DecisionTreeRegressor(max_depth=1)
    alone = AdaBoostRegressor(stump, weighting="reweight").fit(LINE, [0.0, 0.0, 3.0, 4.0])
    assert (alone.ended_, len(alone.estimators_)) == ("loss", 1)
    assert_array_equal(alone.predict(LINE), [0.0, 0.0, 3.5, 3.5])
    assert_allclose(alone.feature_importances_, [1.0])


def test_numbers_of_any_size_and_any_model() -> None:
    rng = np.random.default_rng(9)
    X = rng.normal(size=(50, 2))
    y = X[:, 0] + X[:, 1] ** 2
    small, large = (AdaBoostRegressor(n_estimators=5, random_state=0).fit(X, y * u) for u in (1.0, 2.0**1000))
    assert_array_equal(small.estimator_weights_, large.estimator_weights_)
    near = AdaBoostRegressor(KNeighborsRegressor(3), n_estimators=5, random_state=0).fit(X, y)
    assert near.score(X, y) > 0.7
    assert not hasattr(near, "feature_importances_")
    with pytest.raises(DataError, match="y should be a 1d array: one number a row"):
        AdaBoostRegressor().fit(X, np.column_stack([y, y]))


@pytest.mark.parametrize("model", [CHAIDClassifier(), OneRClassifier(), PRISMClassifier(), C45Classifier()])
def test_models_that_count_rows_by_their_weights_are_boosted(model: Any) -> None:
    """Weights that add up to 1 would be less than one row to them; the first round is the model itself."""
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 3))
    y = np.where(X[:, 0] + X[:, 1] + 0.3 * random.normal(size=200) > 0, "a", "b")
    alone = model.fit(X, y).predict(X)
    boosted = AdaBoostClassifier(model, n_estimators=5, random_state=0).fit(X, y)
    assert np.array_equal(next(boosted.staged_predict(X)), alone)
    assert boosted.score(X, y) >= (alone == y).mean() > 0.7
