"""Self-training: by hand, against its reference, what it is good for and what not, labels of every kind, words."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pellucid.base.errors import DataError, NotFittedError, ParameterError, PellucidWarning
from pellucid.reference.self_training import nearest_mean, self_training
from pellucid.semi_supervised import SelfTrainingClassifier


class NearestMean(ClassifierMixin, BaseEstimator):
    """The reference's learner as an estimator."""

    def fit(self, X: Any, y: Any) -> NearestMean:
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.rows_, self.codes_ = np.asarray(X), codes
        return self

    def predict_proba(self, X: Any) -> Any:
        return nearest_mean(self.rows_, self.codes_, np.asarray(X))

    def predict(self, X: Any) -> Any:
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def problem(seed: int, rows: int = 60, classes: int = 3, labeled: int = 4) -> tuple[Any, Any]:
    """Overlapping classes; the first rows of each are labeled, the others -1."""
    random = np.random.default_rng(seed)
    codes = random.integers(0, classes, rows)
    X = random.normal(size=(rows, 2)) + 2.5 * np.column_stack([codes, codes == 1])
    y = np.full(rows, -1)
    for code in range(classes):
        chosen = np.flatnonzero(codes == code)[:labeled]
        y[chosen] = code
    return X, y


# ------------------------------------------------------------------------------------------------------------- by hand


def test_two_rounds_by_hand() -> None:
    """Means 0 and 4: P(low | x) = 1 / (1 + exp(4x - 8)). At 1 it is 0.982 and at 1.9 only 0.599, at 3 it is 0.018.

    With 1 labeled low and 3 labeled high the means are 0.5 and 3.5: at 1.9 still only 1 / (1 + exp(-0.3)) = 0.574.
    """
    X, y = [[0.0], [1.0], [1.9], [3.0], [4.0]], ["low", None, None, None, "high"]
    model = SelfTrainingClassifier(NearestMean(), threshold=0.9).fit(X, y)
    assert model.labeled_iter_.tolist() == [0, 1, -1, 1, 0]
    assert model.transduction_.tolist() == ["low", "low", None, "high", "high"]
    assert (model.n_iter_, model.termination_condition_) == (2, "no_change")
    assert model.predict_proba([[1.9]])[0, 1] == pytest.approx(1 / (1 + np.exp(-0.3)))
    lower = SelfTrainingClassifier(NearestMean(), threshold=0.57).fit(X, y)
    assert lower.labeled_iter_.tolist() == [0, 1, 1, 1, 0]


def test_from_neighbor_to_neighbor() -> None:
    """Five is nearer to eight than to zero, but a chain of rows leads to it from zero."""
    X, y = np.array([[0.0], [1], [2], [3], [4], [5], [8]]), np.array([0, -1, -1, -1, -1, -1, 1])
    nearest = KNeighborsClassifier(n_neighbors=1)
    assert nearest.fit(X[[0, 6]], [0, 1]).predict([[5]]).tolist() == [1]
    chained = SelfTrainingClassifier(nearest, criterion="k_best", k_best=1).fit(X, y)
    assert chained.transduction_.tolist() == [0, 0, 0, 0, 0, 0, 1]
    at_once = SelfTrainingClassifier(nearest).fit(X, y)
    assert at_once.transduction_.tolist() == [0, 0, 0, 0, 0, 1, 1]  # four lies in the middle: the first of equals


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"threshold": 0.95},
        {"threshold": 0.0},
        {"k_best": 7},
        {"k_best": 3, "max_iter": 4},
        {"max_iter": 1},
        {"max_iter": 0},
        {"threshold": 0.999999, "max_iter": 1},
    ],
    ids=str,
)
def test_the_reference_gives_the_same(seed: int, settings: dict[str, Any]) -> None:
    X, y = problem(seed)
    wanted = self_training(X, y, **settings)
    criterion = "k_best" if "k_best" in settings else "threshold"
    found = SelfTrainingClassifier(NearestMean(), criterion=criterion, **settings).fit(X, y)
    np.testing.assert_array_equal(found.transduction_, wanted.labels)
    np.testing.assert_array_equal(found.labeled_iter_, wanted.rounds)
    assert found.termination_condition_ == wanted.ended


# -------------------------------------------------------------------------------------------------- what it is good for


def few_labels(X: Any, codes: Any, each: int = 3) -> Any:
    y = np.full(len(codes), -1)
    for code in (0, 1):
        y[np.flatnonzero(codes == code)[:each]] = code
    return y


def two_clusters(seed: int) -> tuple[Any, Any]:
    """A gap between the classes, across the direction in which they spread most."""
    random = np.random.default_rng(seed)
    codes = random.integers(0, 2, 400)
    X = random.normal(size=(400, 2)) * [1, 3]
    X[:, 0] += np.where(codes == 1, 2.5, -2.5)
    return X, codes


def no_clusters(seed: int) -> tuple[Any, Any]:
    """Rows spread evenly, and a border that no gap shows."""
    X = np.random.default_rng(seed).uniform(-1, 1, size=(400, 2))
    return X, (X[:, 0] > 0.5).astype(int)


def scores(make: Any, base: Any) -> Any:
    """Accuracy on new rows: of the model fitted on six labels, and of self-training; one row a seed."""
    found = []
    for seed in range(20):
        (X, codes), (later, right) = make(seed), make(1000 + seed)
        y = few_labels(X, codes)
        alone = base.fit(X[y >= 0], y[y >= 0]).score(later, right)
        found.append((alone, SelfTrainingClassifier(base).fit(X, y).score(later, right)))
    return np.array(found)


@pytest.mark.parametrize("base", [GaussianNB(), LogisticRegression()], ids=["naive Bayes", "logistic regression"])
def test_with_clusters_and_few_labels_it_beats_the_model_alone(base: Any) -> None:
    alone, helped = scores(two_clusters, base).T
    assert helped.mean() > alone.mean() + 0.01
    assert (helped > alone).sum() >= 3 * (helped < alone).sum()


def test_without_clusters_it_harms() -> None:
    alone, harmed = scores(no_clusters, LogisticRegression()).T
    assert harmed.mean() < alone.mean() - 0.05


# -------------------------------------------------------------------------------------------------------------- labels


MARKED: dict[str, Any] = {
    "whole numbers": [0, -1, 1, -1, -1, 1],
    "floats": [0.0, np.nan, 1.0, -1.0, np.nan, 1.0],
    "None among numbers": [0, None, 1, None, -1, 1],
    "None among texts": ["a", None, "b", None, None, "b"],
    "-1 among texts": np.array(["a", -1, "b", -1, -1, "b"], dtype=object),
    "empty texts": ["a", "", "b", "", "", "b"],
    "flags": np.array([False, None, True, None, None, True], dtype=object),
    "pandas": pd.Series(["a", None, "b", None, None, "b"], index=range(10, 16)),
    "pandas category": pd.Series(["a", None, "b", None, None, "b"], dtype="category"),
    "pandas.NA": pd.Series([0, None, 1, None, None, 1], dtype="Int64"),
    "polars": pl.Series(["a", None, "b", None, None, "b"]),
    "polars numbers": pl.Series([0, None, 1, None, None, 1]),
    "a column": np.array([[0], [-1], [1], [-1], [-1], [1]]),
}


@pytest.mark.parametrize("what", MARKED)
@pytest.mark.filterwarnings("ignore:.*column-vector")
def test_rows_without_a_label_are_marked_in_many_ways(what: str) -> None:
    X = [[0.0], [0.5], [4.0], [3.5], [2.0], [5.0]]
    model = SelfTrainingClassifier(NearestMean(), threshold=0.8).fit(X, MARKED[what])
    first, second = model.classes_.tolist()
    assert (first, second) in {(0, 1), ("a", "b"), (False, True)}
    assert model.labeled_iter_.tolist() == [0, 1, 0, 1, -1, 0]
    assert model.transduction_[[0, 1, 2, 3, 5]].tolist() == [first, first, second, second, second]
    assert model.predict([[0.0], [9.0]]).tolist() == [first, second]


TABLES: dict[str, Any] = {
    "pandas": lambda X: pd.DataFrame(X, columns=["a", "b"], index=range(5, 65)),
    "polars": lambda X: pl.DataFrame({"a": X[:, 0], "b": X[:, 1]}),
    "pyarrow": lambda X: pa.table({"a": X[:, 0], "b": X[:, 1]}),
    "list": lambda X: X.tolist(),
    "csr": sp.csr_array,
    "csc": sp.csc_matrix,
    "coo": sp.coo_array,
}


@pytest.mark.parametrize("form", TABLES)
def test_every_form_of_table(form: str) -> None:
    X, y = problem(3)
    base = KNeighborsClassifier(n_neighbors=4)
    wanted = SelfTrainingClassifier(base).fit(X, y)
    table = TABLES[form](X)
    found = SelfTrainingClassifier(base).fit(table, y)
    np.testing.assert_array_equal(found.transduction_, wanted.transduction_)
    np.testing.assert_array_equal(found.predict(table), wanted.predict(X))
    assert found.n_features_in_ == 2
    if hasattr(table, "columns"):
        assert found.feature_names_in_.tolist() == ["a", "b"]


def test_the_model_inside_sees_the_frame() -> None:
    X, y = problem(1)
    frame = pd.DataFrame(X, columns=["a", "b"])
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    model = SelfTrainingClassifier(pipeline).fit(frame, y)
    assert model.estimator_.feature_names_in_.tolist() == ["a", "b"]
    assert not hasattr(pipeline, "feature_names_in_")  # a clone is fitted


def test_weights_go_to_their_rows() -> None:
    """A weight of zero is the row left out, in every round."""
    X, y = problem(5)
    weight = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    weight[y >= 0] = np.maximum(weight[y >= 0], 1)
    heavy = SelfTrainingClassifier(GaussianNB()).fit(X, y, sample_weight=weight)
    times = weight.astype(int)
    keep = weight > 0
    written = SelfTrainingClassifier(GaussianNB()).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_array_equal(np.repeat(heavy.transduction_, times), written.transduction_)
    np.testing.assert_allclose(heavy.predict_proba(X[keep]), written.predict_proba(X[keep]), atol=1e-8)
    with pytest.raises(ParameterError, match="sample_weight needs an estimator whose fit takes weights; KNeighbors"):
        SelfTrainingClassifier(KNeighborsClassifier()).fit(X, y, sample_weight=weight)


def test_answers_are_those_of_the_model_inside() -> None:
    X, y = problem(2)
    model = SelfTrainingClassifier(LogisticRegression()).fit(X, y)
    for method in ("predict", "predict_proba", "predict_log_proba", "decision_function"):
        np.testing.assert_array_equal(getattr(model, method)(X), getattr(model.estimator_, method)(X))
    assert not hasattr(SelfTrainingClassifier(NearestMean()).fit(X, y), "decision_function")
    assert not hasattr(SelfTrainingClassifier(Perceptron()), "predict_proba")
    assert model.score(X, model.predict(X)) == 1.0


def test_the_surest_are_taken_the_first_of_equals() -> None:
    X, y = [[0.0], [1.0], [1.0], [1.0], [4.0]], [0, -1, -1, -1, 1]
    model = SelfTrainingClassifier(NearestMean(), criterion="k_best", k_best=2, max_iter=1).fit(X, y)
    assert model.labeled_iter_.tolist() == [0, 1, 1, -1, 0]


def test_verbose_tells_the_rounds(capsys: pytest.CaptureFixture[str]) -> None:
    X, y = problem(2)
    model = SelfTrainingClassifier(NearestMean(), criterion="k_best", k_best=20, verbose=True).fit(X, y)
    told = capsys.readouterr().out.splitlines()
    assert told[0] == "End of iteration 1, added 20 new labels."
    assert len(told) == model.n_iter_
    SelfTrainingClassifier(NearestMean()).fit(X, y)
    assert capsys.readouterr().out == ""


# ----------------------------------------------------------------------------------------------------------- odd input


def test_nothing_unlabeled_is_said() -> None:
    X, y = problem(0, labeled=60)
    with pytest.warns(PellucidWarning, match="y contains no unlabeled samples"):
        model = SelfTrainingClassifier(NearestMean()).fit(X, y)
    assert (model.n_iter_, model.termination_condition_) == (0, "all_labeled")
    np.testing.assert_array_equal(model.predict(X), NearestMean().fit(X, y).predict(X))


def test_k_best_beyond_the_rows_is_said() -> None:
    X, y = problem(0)
    with pytest.warns(PellucidWarning, match="k_best is larger than the amount of unlabeled samples; all 48 rows"):
        model = SelfTrainingClassifier(NearestMean(), criterion="k_best", k_best=49).fit(X, y)
    assert model.n_iter_ == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SelfTrainingClassifier(NearestMean(), criterion="k_best", k_best=48).fit(X, y)


def test_one_class_labels_everything() -> None:
    model = SelfTrainingClassifier(NearestMean()).fit([[0.0], [1.0], [9.0]], ["only", None, None])
    assert model.transduction_.tolist() == ["only"] * 3
    assert model.classes_.tolist() == ["only"]


@pytest.mark.parametrize("none", [[-1, -1], [None, None], ["", ""], [np.nan, np.nan]], ids=str)
def test_nothing_labeled_is_refused(none: list[Any]) -> None:
    with pytest.raises(DataError, match="y must have labels; none of the 2 rows has one"):
        SelfTrainingClassifier(NearestMean()).fit([[0.0], [1.0]], none)


@pytest.mark.parametrize(
    ("estimator", "words"),
    [
        (None, "estimator must be a classifier; got None"),
        (3, "estimator must be a classifier; got 3"),
        (LogisticRegression, "estimator must be a classifier; got the class LogisticRegression"),
        (Perceptron(), "estimator must give probabilities; Perceptron has no predict_proba"),
    ],
    ids=["none", "a number", "a class", "no probabilities"],
)
def test_a_model_that_cannot_be_inside_is_refused(estimator: Any, words: str) -> None:
    model = SelfTrainingClassifier(estimator)
    with pytest.raises(ParameterError, match=words):
        model.fit([[0.0], [1.0], [2.0]], [0, 1, -1])
    with pytest.raises(NotFittedError):
        model.predict([[0.0]])


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        ([0.0, 1.0, 2.0], [0, 1, -1], "Reshape your data"),
        ([[0.0], [1.0]], [0, 1, -1], "inconsistent numbers of samples"),
        ([[0.0], [1.0], [2.0]], [[0, 1], [1, 1], [0, 0]], "y should be a 1d array"),
        ([[0.0], [1.0], [2.0]], [0.1, 0.7, -1], "y must hold labels"),
        ([[0.0], [1.0], [2.0]], None, "requires y to be passed"),
        ([[0.0], [1.0], [2.0]], np.array(["a", 1, None], dtype=object), "labels must be of one type"),
    ],
    ids=["one dimension", "other rows", "two targets", "continuous", "no target", "texts and numbers"],
)
def test_wrong_data_get_a_sentence(X: Any, y: Any, words: str) -> None:
    with pytest.raises(DataError, match=words):
        SelfTrainingClassifier(NearestMean()).fit(X, y)
