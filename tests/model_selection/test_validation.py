"""Cross-validation as scikit-learn has it; parts of a table that do not overlap; comparisons whose truth is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn.metrics
import sklearn.model_selection
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression

from pellucid.base.errors import DataError, ParameterError, PellucidWarning
from pellucid.dummy import DummyClassifier, DummyRegressor
from pellucid.linear_model import LinearRegression
from pellucid.model_selection import (
    Comparison,
    CVResult,
    GroupKFold,
    compare,
    cross_val_score,
    cross_validate,
    permutation_test_score,
    train_validation_test_split,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = X @ [1.0, 2.0, 0.0] + RNG.normal(size=60)
LABELS = np.where(Y > 0, "high", "low")


@pytest.mark.parametrize("cv", [3, 5, sklearn.model_selection.ShuffleSplit(4, random_state=0)], ids=str)
def test_scores_are_scikit_learns(cv: Any) -> None:
    ours = cross_validate(LinearRegression(), X, Y, cv=cv, return_train_score=True)
    peer = sklearn.model_selection.cross_validate(LinearRegression(), X, Y, cv=cv, return_train_score=True)
    assert set(ours) == set(peer)
    np.testing.assert_allclose(ours["test_score"], peer["test_score"], rtol=1e-12)
    np.testing.assert_allclose(ours["train_score"], peer["train_score"], rtol=1e-12)


def test_folds_of_a_classifier_keep_the_shares() -> None:
    ours = cross_validate(LogisticRegression(), X, LABELS, cv=4, return_indices=True)
    peer = sklearn.model_selection.cross_validate(LogisticRegression(), X, LABELS, cv=4, return_indices=True)
    for part in ("train", "test"):
        for mine, theirs in zip(ours["indices"][part], peer["indices"][part], strict=True):
            np.testing.assert_array_equal(mine, theirs)
    np.testing.assert_array_equal(ours["test_score"], peer["test_score"])


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_frames_weights_and_groups(frame: Any) -> None:
    table = frame({f"c{j}": X[:, j] for j in range(3)})
    weight, groups = RNG.uniform(1, 2, 60), np.arange(60) % 6
    common = {"cv": GroupKFold(3), "groups": groups, "params": {"sample_weight": weight}}
    found = cross_validate(LinearRegression(), table, Y, **common)["test_score"]
    peer = sklearn.model_selection.cross_validate(LinearRegression(), X, Y, **common)["test_score"]
    np.testing.assert_allclose(found, peer, rtol=1e-10)


def test_parallel_folds_give_the_same_scores() -> None:
    one, two = (cross_validate(LinearRegression(), X, Y, n_jobs=n)["test_score"] for n in (1, 2))
    assert one.tobytes() == two.tobytes()


def test_several_scores_and_memory() -> None:
    def worst(model: Any, X: Any, y: Any) -> float:
        return -float(np.abs(model.predict(X) - y).max())

    found = cross_validate(
        LinearRegression(), X, Y, scoring={"worst": worst, "own": LinearRegression.score}, measure_memory=True
    )
    assert {"test_worst", "test_own", "memory"} <= set(found)
    assert (found["memory"] > 0).all()
    assert found.interval("own").low < found["test_own"].mean()
    assert "test_worst" in str(found)
    with pytest.raises(ParameterError, match="there is no score 'other'; there are worst, own"):
        found.interval("other")


def test_a_fold_that_fails() -> None:
    """A split by order whose first training part has one class only."""
    sorted_labels = np.sort(LABELS)
    cv = [(np.flatnonzero(sorted_labels == "low"), np.arange(5)), (np.arange(60), np.arange(5))]
    with pytest.warns(FitFailedWarning, match="1 of 2 fits failed"):
        found = cross_validate(LogisticRegression(), X, sorted_labels, cv=cv)
    assert np.isnan(found["test_score"][0])
    assert np.isfinite(found["test_score"][1])
    with pytest.raises(ValueError, match="class"):
        cross_validate(LogisticRegression(), X, sorted_labels, cv=cv, error_score="raise")
    with pytest.raises(DataError, match="no fold could be fitted"):
        cross_validate(LogisticRegression(), X, sorted_labels, cv=cv[:1])


@pytest.mark.parametrize("name", ["r2", "neg_mean_squared_error", "neg_median_absolute_error", "explained_variance"])
def test_scores_of_numbers_by_name(name: str) -> None:
    mine = cross_validate(LinearRegression(), X, Y, scoring=name)["test_score"]
    theirs = sklearn.model_selection.cross_validate(LinearRegression(), X, Y, scoring=name)["test_score"]
    np.testing.assert_allclose(mine, theirs, rtol=1e-10)


@pytest.mark.parametrize("name", ["accuracy", "balanced_accuracy", "f1_macro", "recall_weighted", "matthews_corrcoef"])
def test_scores_of_labels_by_name(name: str) -> None:
    mine = cross_validate(LogisticRegression(), X, LABELS, scoring=name)["test_score"]
    theirs = sklearn.model_selection.cross_validate(LogisticRegression(), X, LABELS, scoring=name)["test_score"]
    np.testing.assert_allclose(mine, theirs, rtol=1e-10)


def test_several_names_at_once() -> None:
    found = cross_validate(LinearRegression(), X, Y, scoring=["r2", "neg_max_error"])
    assert {"test_r2", "test_neg_max_error"} <= set(found)


@pytest.mark.parametrize("scoring", ["goodness", 3, {}, {"a": "goodness"}])
def test_scores_that_are_not_there(scoring: Any) -> None:
    with pytest.raises(ParameterError, match="scoring must be"):
        cross_validate(LinearRegression(), X, Y, scoring=scoring)


# -------------------------------------------------------------------------------------------------------------- parts


@pytest.mark.parametrize("seed", range(5))
def test_three_parts_cover_all_rows_once(seed: int) -> None:
    rows = np.arange(50)
    train, validation, test = train_validation_test_split(rows, validation_size=10, test_size=0.3, random_state=seed)
    assert (len(train), len(validation), len(test)) == (25, 10, 15)
    np.testing.assert_array_equal(np.sort(np.concatenate([train, validation, test])), rows)


def test_parts_belong_together_and_keep_shares() -> None:
    parts = train_validation_test_split(X, LABELS, stratify=LABELS, random_state=0)
    for table, labels in zip(parts[:3], parts[3:], strict=True):
        assert len(table) == len(labels)
        assert abs(np.mean(labels == "high") - np.mean(LABELS == "high")) < 0.06
    again = train_validation_test_split(X, LABELS, stratify=LABELS, random_state=0)
    np.testing.assert_array_equal(parts[0], again[0])


def test_groups_stay_on_one_side() -> None:
    groups = np.repeat(np.arange(12), 5)
    parts = train_validation_test_split(groups, groups=groups, random_state=0)
    assert not set(parts[0]) & set(parts[1])
    assert not set(parts[1]) & set(parts[2])
    assert not set(parts[0]) & set(parts[2])
    assert sum(map(len, parts)) == 60


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"validation_size": 0.5, "test_size": 0.5}, "leave something to train on"),
        ({"validation_size": 0}, "validation_size must be a share"),
        ({"test_size": 1.5}, "test_size must be a share"),
        ({"shuffle": False, "stratify": LABELS}, "stratify needs shuffle=True"),
        ({"groups": np.arange(60), "shuffle": False}, "groups are drawn at random"),
        ({"groups": np.arange(3)}, "name the group of every row"),
    ],
)
def test_sizes_that_cannot_be(settings: dict[str, Any], words: str) -> None:
    with pytest.raises((ParameterError, DataError), match=words):
        train_validation_test_split(X, **settings)


def test_arrays_of_different_lengths() -> None:
    with pytest.raises(DataError, match="the same number of rows"):
        train_validation_test_split(X, Y[:-1])
    with pytest.raises(DataError, match="at least one table"):
        train_validation_test_split()


# --------------------------------------------------------------------------------------------------------- comparison


def test_a_difference_and_none() -> None:
    few = RNG.normal(size=(300, 3))
    y = few @ [1.0, 2.0, 0.0] + RNG.normal(size=300)
    found = compare({"line": LinearRegression(), "same line": LinearRegression(solver="qr")}, few, y, cv=10)
    assert {found.verdict("line"), found.verdict("same line")} == {"best", "practically equal"}
    assert found.verdict("baseline") == "worse"
    assert set(found.not_worse()) == {"line", "same line"}
    assert "Practically equal" in str(found)
    assert "worse (worse >99%, equivalent <1%;" in str(found)  # no probability is shown as certain
    assert found.mcnemar == {}
    assert found.pairwise()[found.best, "baseline"] < 0.01


def test_nothing_to_learn_is_said() -> None:
    noise = np.random.default_rng(5).normal(size=(80, 4))
    found = compare([LinearRegression()], noise, np.random.default_rng(6).normal(size=80))
    assert "No model is shown to beat the baseline" in str(found)


def test_a_clear_loser_is_worse_however_many_models_there_are() -> None:
    """A tree at about .69 versus .85, worse in all five folds, beside eleven models that are nearly equal."""
    random = np.random.default_rng(2)
    level = random.normal(0.845, 0.02, 5)
    scores = {f"model {k}": level + random.normal(0, 0.008, 5) for k in range(11)}
    scores["tree"] = np.array([0.69, 0.76, 0.60, 0.73, 0.675])
    validations = {}
    for name, values in scores.items():
        validations[name] = CVResult(test_score=values, fit_time=np.zeros(5))
        validations[name].test_share = 0.25
    found = Comparison.of(validations, rope=0.01)
    assert 0.005 < found.tests["tree"].p_value < 0.05
    assert found.verdict("tree") == "worse"
    assert len(found.tests) == 11
    others = [name for name in found.names if name != "tree"]
    assert set(others) <= set(found.not_worse())


def test_folds_of_different_scale_are_compared_in_units_of_the_baseline() -> None:
    """Errors half of the baseline's on every fold, whose own errors grow tenfold from the first to the last."""
    base = np.array([-3.0, -8.0, -15.0, -22.0, -38.0])
    random = np.random.default_rng(0)
    model = base * random.normal(0.5, 0.03, 5)
    validations = {"model": CVResult(test_score=model), "baseline": CVResult(test_score=base)}
    for one in validations.values():
        one.test_share = 0.4
    assert Comparison.of(validations, rope=0.02).verdict("baseline") == "not shown to differ"
    assert Comparison.of(validations, rope=0.02, fold_units=-base).verdict("baseline") == "worse"


def test_few_rows_are_drawn_again_and_again() -> None:
    for rows, n_folds in ((100, 25), (2000, 10), (6000, 5)):
        X, y = np.arange(float(rows))[:, None], np.arange(float(rows))
        assert len(compare([DummyRegressor()], X, y, baseline=False).scores("DummyRegressor")) == n_folds


def test_classifiers_are_compared_row_by_row_too() -> None:
    found = compare([LogisticRegression(), DummyClassifier(strategy="most_frequent")], X, LABELS)
    assert found.best == "LogisticRegression"
    test = found.mcnemar["baseline"]
    assert test.p_value < 0.01
    assert test.difference > 0.2


def test_two_of_a_kind_get_names_of_their_own() -> None:
    found = compare([LinearRegression(), LinearRegression(positive=True)], X, Y, baseline=False)
    assert set(found.names) == {"LinearRegression", "LinearRegression 2"}


def test_the_same_folds_on_any_number_of_workers() -> None:
    one, two = (compare([LinearRegression()], X, Y, n_jobs=n) for n in (1, 2))
    assert one.scores("LinearRegression").tobytes() == two.scores("LinearRegression").tobytes()


@pytest.mark.parametrize(
    ("models", "words"),
    [
        ([], "there must be models"),
        ([1], "must be an estimator"),
        ([LinearRegression(), DummyClassifier()], "all be classifiers or all regressors"),
    ],
)
def test_what_cannot_be_compared(models: Any, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        compare(models, X, Y)


def test_one_fold_is_no_comparison() -> None:
    with pytest.raises(ParameterError, match="two folds or more"):
        compare([DummyRegressor()], X, Y, cv=[(np.arange(30), np.arange(30, 60))])


# ---------------------------------------------------------------------------------------------------- chance and scores


@pytest.mark.filterwarnings("ignore:The groups parameter is ignored by KFold")
@pytest.mark.parametrize("groups", [None, np.arange(60) % 4], ids=["all rows", "in groups"])
def test_permutations_are_scikit_learns(groups: Any) -> None:
    settings: dict[str, Any] = {"n_permutations": 20, "random_state": 3, "cv": 4, "groups": groups}
    ours = permutation_test_score(LinearRegression(), X, Y, **settings)
    score, scores, pvalue = sklearn.model_selection.permutation_test_score(LinearRegression(), X, Y, **settings)
    assert ours.score == pytest.approx(score)
    np.testing.assert_allclose(ours.permutation_scores, scores)
    assert ours.pvalue == pvalue
    assert "20 shuffled targets" in str(ours)
    for n_jobs in (2, 3):
        again = permutation_test_score(LinearRegression(), X, Y, n_jobs=n_jobs, **settings)
        np.testing.assert_array_equal(again.permutation_scores, ours.permutation_scores)


def test_noise_is_found_out() -> None:
    noise = np.random.default_rng(9).normal(size=60)
    assert permutation_test_score(LinearRegression(), X, noise, n_permutations=30).pvalue > 0.1
    with pytest.raises(ParameterError, match="n_permutations must be at least 1"):
        permutation_test_score(LinearRegression(), X, noise, n_permutations=0)


def test_cross_val_score_is_the_score_of_each_fold() -> None:
    ours = cross_val_score(LinearRegression(), X, Y, scoring="neg_mean_absolute_error")
    theirs = sklearn.model_selection.cross_val_score(LinearRegression(), X, Y, scoring="neg_mean_absolute_error")
    np.testing.assert_allclose(ours, theirs)
    with pytest.raises(ParameterError, match="one score"):
        cross_val_score(LinearRegression(), X, Y, scoring=["r2"])


def test_a_score_that_cannot_be_had_is_told() -> None:
    labels = np.array(["a"] * 30 + ["b"] * 29 + ["c"])  # one fold is asked about a class that it has not seen
    cv = [(np.arange(0, 59), np.array([3, 50, 59])), (np.arange(60), np.append(np.arange(0, 60, 5), 59))]
    with pytest.warns(PellucidWarning, match="score could not be had on a fold"):
        found = cross_validate(LogisticRegression(), X, labels, cv=cv, scoring="neg_log_loss")
    assert np.isnan(found["test_score"]).tolist() == [True, False]
    with pytest.raises(ValueError, match="different number of classes"):
        cross_validate(LogisticRegression(), X, labels, cv=cv, scoring="neg_log_loss", error_score="raise")
