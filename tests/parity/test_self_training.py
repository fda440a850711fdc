"""Self-training against scikit-learn's."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import sklearn.semi_supervised as peer
from sklearn.datasets import load_iris, make_blobs
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from pellucid.semi_supervised import SelfTrainingClassifier

IRIS, SPECIES = load_iris(return_X_y=True)
BASES: dict[str, Any] = {
    "logistic regression": LogisticRegression(),
    "naive Bayes": GaussianNB(),
    "neighbors": KNeighborsClassifier(),
    "tree": DecisionTreeClassifier(max_depth=2, random_state=0),
}
SETTINGS: list[dict[str, Any]] = [
    {},
    {"threshold": 0.5},
    {"threshold": 0.99},
    {"threshold": 0.0},
    {"max_iter": 0},
    {"max_iter": 1},
    {"max_iter": None},
    {"threshold": 0.999999, "max_iter": 1},
]


def hidden(labels: Any, share: float, seed: int, none: Any = -1) -> Any:
    """Labels of which some are taken away."""
    gone = np.random.default_rng(seed).random(len(labels)) < share
    return np.where(gone, none, labels)


def assert_same(base: Any, X: Any, y: Any, settings: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = SelfTrainingClassifier(base, **settings).fit(X, y)
        theirs = peer.SelfTrainingClassifier(base, **settings).fit(X, y)
    np.testing.assert_array_equal(ours.transduction_, theirs.transduction_)
    np.testing.assert_array_equal(ours.labeled_iter_, theirs.labeled_iter_)
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)
    assert ours.n_iter_ == theirs.n_iter_
    assert ours.termination_condition_ == theirs.termination_condition_
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    labels = np.asarray(ours.predict(X))
    assert ours.score(X, labels) == theirs.score(X, labels) == 1.0


@pytest.mark.exhaustive
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("base", BASES.values(), ids=BASES)
@pytest.mark.parametrize("share", [0.3, 0.9])
def test_iris(base: Any, settings: dict[str, Any], share: float) -> None:
    assert_same(base, IRIS, hidden(SPECIES, share, 0), settings)


@pytest.mark.parametrize("settings", [{"k_best": 5}, {"k_best": 30, "max_iter": 2}, {"k_best": 10**6}], ids=str)
@pytest.mark.parametrize("base", [LogisticRegression(), GaussianNB()], ids=["logistic regression", "naive Bayes"])
def test_the_surest(base: Any, settings: dict[str, Any]) -> None:
    """Without ties: where rows are equally sure scikit-learn takes any."""
    X, codes = make_blobs(200, centers=[[0, 0], [2, 0], [0, 2]], random_state=0)
    assert_same(base, X, hidden(codes, 0.8, 1), {"criterion": "k_best", **settings})


@pytest.mark.parametrize("seed", range(5))
def test_random_problems(seed: int) -> None:
    random = np.random.default_rng(seed)
    X = random.normal(size=(80, 3))
    codes = random.integers(0, 2 + seed % 3, 80)
    assert_same(GaussianNB(), X, hidden(codes, 0.6, seed), {"threshold": 0.55})


def test_texts_with_minus_one() -> None:
    names = np.array(["setosa", "versicolor", "virginica"], dtype=object)[SPECIES]
    assert_same(LogisticRegression(), IRIS, hidden(names, 0.7, 0), {})


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.float64])
def test_types_of_y(dtype: Any) -> None:
    y = hidden(SPECIES, 0.5, 0).astype(dtype)
    ours = SelfTrainingClassifier(GaussianNB()).fit(IRIS, y)
    theirs = peer.SelfTrainingClassifier(GaussianNB()).fit(IRIS, y)
    assert ours.transduction_.dtype == theirs.transduction_.dtype


def test_one_class() -> None:
    y = np.where(np.arange(150) < 5, 0, -1)
    assert_same(GaussianNB(), IRIS, y, {})


def test_nothing_unlabeled() -> None:
    assert_same(LogisticRegression(), IRIS, SPECIES, {})
    with pytest.warns(UserWarning, match="y contains no unlabeled samples"):
        SelfTrainingClassifier(GaussianNB()).fit(IRIS, SPECIES)


def test_everything_unlabeled_is_refused_by_both() -> None:
    for cls in (SelfTrainingClassifier, peer.SelfTrainingClassifier):
        with pytest.raises(ValueError, match=r"labels|0 sample"):
            cls(GaussianNB()).fit(IRIS, np.full(150, -1))


@pytest.mark.parametrize("k_best", [151, 10**6])
def test_both_warn_of_k_best(k_best: int) -> None:
    y = hidden(SPECIES, 0.5, 0)
    for cls in (SelfTrainingClassifier, peer.SelfTrainingClassifier):
        with pytest.warns(UserWarning, match="k_best is larger than the amount of unlabeled"):
            cls(GaussianNB(), criterion="k_best", k_best=k_best).fit(IRIS, y)


def test_arguments_by_place() -> None:
    ours = SelfTrainingClassifier(GaussianNB(), 0.6, "k_best", 4, 3, True)
    theirs = peer.SelfTrainingClassifier(GaussianNB(), 0.6, "k_best", 4, 3, True)
    assert list(ours.get_params(deep=False)) == list(theirs.get_params(deep=False))
    for name, value in theirs.get_params(deep=False).items():
        assert name == "estimator" or getattr(ours, name) == value
