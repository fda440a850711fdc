"""CalibratedClassifierCV against scikit-learn's, around the same classifiers and on the same folds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import calibration as peer
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, ShuffleSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from pellucid.calibration import CalibratedClassifierCV
from pellucid.calibration._sigmoid import fit_sigmoid
from pellucid.models.platt import smoothed_targets

CLASSIFIERS = {
    "naive Bayes": GaussianNB(),
    "linear SVM": LinearSVC(random_state=0),
    "tree": DecisionTreeClassifier(max_depth=3, random_state=0),
    "forest": RandomForestClassifier(5, random_state=0),
}
# scikit-learn stops its optimizer a little before the optimum of the sigmoid and of the temperature.
TOLERANCE = {"sigmoid": 1e-6, "isotonic": 1e-12, "temperature": 1e-6}
NAMES = np.array(["ash", "birch", "cedar"])


def table(classes: int, rows: int = 240, seed: int = 0) -> tuple[Any, Any, Any]:
    X, y = make_classification(
        rows, 6, n_informative=4, n_redundant=0, n_classes=classes, flip_y=0.2, random_state=seed
    )
    return X, NAMES[y], np.random.default_rng(seed).integers(0, 4, rows) / 2 + 0.25


def both(estimator: Any, X: Any, y: Any, weight: Any = None, **params: Any) -> tuple[Any, Any]:
    return tuple(
        cls(estimator, **params).fit(X, y, sample_weight=weight)
        for cls in (CalibratedClassifierCV, peer.CalibratedClassifierCV)
    )


def check(ours: Any, theirs: Any, X: Any, tolerance: float) -> None:
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=0, atol=tolerance)
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)
    assert len(ours.calibrated_classifiers_) == len(theirs.calibrated_classifiers_)
    assert np.mean(ours.predict(X) == theirs.predict(X)) > 0.99  # ties within the tolerance


@pytest.mark.exhaustive
@pytest.mark.parametrize("ensemble", [True, False])
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("method", TOLERANCE)
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_probabilities_are_the_same(name: str, method: str, classes: int, weighted: bool, ensemble: bool) -> None:
    X, y, weight = table(classes)
    weight = weight if weighted else None
    ours, theirs = both(CLASSIFIERS[name], X, y, weight, method=method, cv=4, ensemble=ensemble)
    check(ours, theirs, X, TOLERANCE[method])
    check(ours, theirs, 3 * X, TOLERANCE[method])


@pytest.mark.filterwarnings("ignore:.*FrozenEstimator does not appear to accept sample_weight")
@pytest.mark.parametrize("method", TOLERANCE)
@pytest.mark.parametrize("classes", [2, 3])
def test_a_frozen_classifier_is_calibrated_on_all_rows(classes: int, method: str) -> None:
    X, y, weight = table(classes)
    frozen = FrozenEstimator(GaussianNB().fit(X[:100], y[:100]))
    ours, theirs = both(frozen, X[100:], y[100:], weight[100:], method=method)
    assert len(ours.calibrated_classifiers_) == 1
    check(ours, theirs, X, TOLERANCE[method])


@pytest.mark.parametrize("cv", [None, 3, KFold(3), ShuffleSplit(4, random_state=0), "pairs"], ids=str)
def test_any_way_to_split(cv: Any) -> None:
    X, y, _ = table(3)
    given = [(np.arange(0, 160), np.arange(160, 240)), (np.arange(80, 240), np.arange(0, 80))]
    check(*both(GaussianNB(), X, y, cv=given if cv == "pairs" else cv), X, 1e-6)


@pytest.mark.parametrize(
    "labels", [[0, 1, 2], [-1, 5, 7], [False, True, True], [0.0, 1.0, 2.0], ["a", "b", "c"]], ids=str
)
def test_labels_of_any_kind(labels: list[Any]) -> None:
    X, y, _ = table(3)
    named = np.array(labels)[np.searchsorted(NAMES, y)]
    ours, theirs = both(GaussianNB(), X, named, method="isotonic", cv=3)
    check(ours, theirs, X, 1e-12)
    assert ours.predict(X).dtype == theirs.predict(X).dtype


def test_frames_and_names() -> None:
    X, y, _ = table(2)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    ours, theirs = both(GaussianNB(), frame, pd.Series(y), method="isotonic", cv=3)
    check(ours, theirs, frame, 1e-12)
    assert ours.feature_names_in_.tolist() == theirs.feature_names_in_.tolist()
    assert ours.n_features_in_ == 6


def test_a_class_that_is_missing_from_a_training_part() -> None:
    """It gets probability 0 from that pair, as scikit-learn has it."""
    X, y, _ = table(3)
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    last = np.flatnonzero(y == "cedar")
    other = np.flatnonzero(y != "cedar")
    cv = [(np.append(other[::2], last), other[1::2]), (np.arange(len(y))[::2], np.arange(len(y))[1::2])]
    check(*both(GaussianNB(), X, y, cv=cv, method="isotonic"), X, 1e-12)
    only_two = [(other[::2], np.append(other[1::2], last)), (np.arange(len(y))[::2], np.arange(len(y))[1::2])]
    found = CalibratedClassifierCV(GaussianNB(), cv=only_two).fit(X, y)
    assert (found.calibrated_classifiers_[0].predict_proba(X)[:, 2] == 0).all()
    alone = CalibratedClassifierCV(GaussianNB(), cv=only_two[:1]).fit(X, y)
    shares, truth = alone.predict_proba(X[other]), y[other]
    assert np.mean(alone.classes_[shares.argmax(axis=1)] == truth) > 0.6  # the two classes are not confused


def test_a_class_that_is_missing_from_a_held_out_part() -> None:
    X, y, _ = table(3)
    held = np.flatnonzero(y != "cedar")[:60]
    cv = [(np.setdiff1d(np.arange(len(y)), held), held)]
    for method in ("sigmoid", "isotonic"):
        check(*both(GaussianNB(), X, y, cv=cv, method=method), X, 1e-6)


def test_fit_parameters_reach_the_classifier() -> None:
    class Recorder(GaussianNB):
        def fit(self, X: Any, y: Any, sample_weight: Any = None, extra: Any = None, word: str = "") -> Any:
            self.extra_, self.word_ = extra, word
            return super().fit(X, y, sample_weight)

    X, y, _ = table(2)
    model = CalibratedClassifierCV(Recorder(), cv=KFold(4)).fit(X, y, extra=np.arange(240), word="w")
    first = model.calibrated_classifiers_[0].estimator
    assert first.word_ == "w"
    np.testing.assert_array_equal(first.extra_, np.arange(60, 240))


def test_a_classifier_without_weights_is_said() -> None:
    X, y, weight = table(2)
    with pytest.warns(UserWarning, match="does not appear to accept sample_weight"):
        ours = CalibratedClassifierCV(KNeighborsClassifier(), method="isotonic", cv=3).fit(X, y, weight)
    with pytest.warns(UserWarning, match="does not appear to accept"):
        theirs = peer.CalibratedClassifierCV(KNeighborsClassifier(), method="isotonic", cv=3).fit(X, y, weight)
    check(ours, theirs, X, 1e-12)


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize(("scale", "offset"), [(1, 0), (100, 0), (1e-3, 5), (1e6, 1e6)])
@pytest.mark.parametrize("rows", [5, 40, 2000])
def test_the_sigmoid_is_at_least_as_good_as_scikit_learns(
    rows: int, scale: float, offset: float, weighted: bool
) -> None:
    random = np.random.default_rng(rows)
    f = random.normal(size=rows)
    y = random.random(rows) < 1 / (1 + np.exp(-2 * f + 0.5))
    f, weight = scale * f + offset, random.random(rows) + 0.1 if weighted else None
    ours, (a, b) = fit_sigmoid(f, y, weight), peer._sigmoid_calibration(f, y.astype(int), weight)
    t = smoothed_targets(y, weight)[0]

    def loss(slope: float, start: float) -> float:
        z = slope * f + start
        return float(((1 if weight is None else weight) * (t * z + np.logaddexp(0, -z))).sum())

    assert loss(ours.a_, ours.b_) <= loss(a, b) * (1 + 1e-11)
    np.testing.assert_allclose(ours.predict(f), 1 / (1 + np.exp(a * f + b)), rtol=0, atol=1e-6)


def test_scores_of_any_scale_are_calibrated_alike() -> None:
    """scikit-learn's optimizer does not leave its start where scores are small; Newton's method does not mind."""
    random = np.random.default_rng(0)
    f = random.normal(size=50)
    y = random.random(50) < 1 / (1 + np.exp(-2 * f))
    plain = fit_sigmoid(f, y).predict(f)
    for scale in (1e-300, 1e-6, 1e6, 1e300):
        np.testing.assert_allclose(fit_sigmoid(scale * f, y).predict(scale * f), plain, rtol=1e-9)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_separable_scores(method: str) -> None:
    X = np.linspace(-1, 1, 60)[:, None]
    y = np.where(X[:, 0] > 0.1, "yes", "no")
    ours, theirs = both(LogisticRegression(), X, y, method=method, cv=3)
    check(ours, theirs, X, 1e-5)
