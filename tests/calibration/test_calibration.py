"""Calibrated probabilities by their mathematics, against the reference, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import LeaveOneOut, RepeatedKFold
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.pipeline import make_pipeline

from pellucid.base.errors import DataError, ParameterError, PellucidError
from pellucid.calibration import CalibratedClassifierCV
from pellucid.calibration._sigmoid import fit_sigmoid, fit_temperature
from pellucid.metrics import log_loss
from pellucid.models.platt import newton_steps, smoothed_targets
from pellucid.reference import calibration as reference
from pellucid.working import WorkingError


def scored(rows: int, seed: int = 0) -> tuple[Any, Any, Any]:
    random = np.random.default_rng(seed)
    f = random.normal(size=rows)
    return f, random.random(rows) < 1 / (1 + np.exp(-2 * f + 0.5)), random.integers(1, 4, rows).astype(float)


def table(classes: int = 2, rows: int = 120) -> tuple[Any, Any]:
    X, y = make_classification(rows, 5, n_informative=4, n_redundant=0, n_classes=classes, flip_y=0.2, random_state=1)
    return X, np.array(["ash", "birch", "cedar"])[y]


# ---------------------------------------------------------------------------------------------------------- calibrators


@pytest.mark.parametrize("rows", [3, 10, 300])
def test_the_sigmoid_agrees_with_the_reference(rows: int) -> None:
    f, y, _ = scored(rows)
    found = fit_sigmoid(f, y)
    np.testing.assert_allclose([found.a_, found.b_], reference.fit_platt(f, y), rtol=1e-7)
    np.testing.assert_allclose(found.predict(f), reference.sigmoid(f, found.a_, found.b_), rtol=1e-12)
    targets = reference.platt_targets(y)
    assert found.loss_ == pytest.approx(reference.platt_loss(found.a_, found.b_, f, targets), rel=1e-12)


def test_at_the_sigmoid_the_slope_is_zero() -> None:
    for seed in range(20):
        f, y, weight = scored(50, seed)
        found, t = fit_sigmoid(f, y, weight), smoothed_targets(y, weight)[0]
        gap = weight * (t - found.predict(f))
        assert abs(gap.sum()) < 1e-10 * weight.sum()
        assert abs((gap * f).sum()) < 1e-10 * weight.sum()


def test_the_loss_never_rises_from_step_to_step() -> None:
    for seed in range(20):
        f, y, weight = scored(30, seed)
        losses = np.array([step.loss for step in newton_steps(100 * f**3, y, weight)])
        assert (np.diff(losses) <= 1e-12 * losses[0]).all()


def test_a_weight_of_two_is_the_row_written_twice() -> None:
    f, y, weight = scored(40)
    times = weight.astype(int)
    one, many = fit_sigmoid(f, y, weight), fit_sigmoid(np.repeat(f, times), np.repeat(y, times))
    np.testing.assert_allclose([one.a_, one.b_], [many.a_, many.b_], rtol=1e-9)


@pytest.mark.parametrize("truth", [[True] * 4, [False] * 4, [True, False, True, False]], ids=str)
def test_scores_that_tell_nothing_give_the_mean_of_the_targets(truth: list[bool]) -> None:
    found = fit_sigmoid(np.full(4, 3.0), np.array(truth))
    np.testing.assert_allclose(found.predict(np.full(4, 3.0)), reference.platt_targets(truth).mean(), rtol=1e-9)


@pytest.mark.parametrize("classes", [2, 3])
def test_the_temperature_agrees_with_the_reference(classes: int) -> None:
    random = np.random.default_rng(classes)
    z = 3 * random.normal(size=(200, classes))
    truth = (z + 4 * random.normal(size=z.shape)).argmax(axis=1)
    found = fit_temperature(z, truth)
    assert found.beta_ == pytest.approx(reference.fit_temperature(z, truth), rel=1e-9)
    np.testing.assert_allclose(found.predict(z).sum(axis=1), 1)


def test_a_temperature_for_scores_that_are_always_right_stays_finite() -> None:
    found = fit_temperature(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([0, 1]))
    assert 30 < found.beta_ <= np.exp(10)
    assert found.predict(np.array([[1e3, -1e3], [0.0, 0.0]])).tolist() == [[1, 0], [0.5, 0.5]]


# ----------------------------------------------------------------------------------------------------------- classifier


@pytest.mark.parametrize("method", ["sigmoid", "isotonic", "temperature"])
def test_calibration_mends_a_classifier_that_is_too_sure(method: str) -> None:
    X, y = make_classification(3000, 10, n_informative=3, n_redundant=7, flip_y=0.2, random_state=0)
    train, test = np.arange(2000), np.arange(2000, 3000)
    before = log_loss(y[test], GaussianNB().fit(X[train], y[train]).predict_proba(X[test]))
    model = CalibratedClassifierCV(GaussianNB(), method=method).fit(X[train], y[train])
    assert log_loss(y[test], np.clip(model.predict_proba(X[test]), 1e-3, 1 - 1e-3)) < before


def test_probabilities_of_three_classes_are_divided_by_their_sum() -> None:
    X, y = table(3)
    model = CalibratedClassifierCV(FrozenEstimator(GaussianNB().fit(X, y))).fit(X, y)
    pair, scores = model.calibrated_classifiers_[0], GaussianNB().fit(X, y).predict_proba(X)
    each = np.column_stack([c.predict(s) for c, s in zip(pair.calibrators, scores.T, strict=True)])
    np.testing.assert_allclose(model.predict_proba(X), reference.normalized(each), rtol=1e-12)


@pytest.mark.parametrize("jobs", [2, 3])
def test_worker_processes_change_no_bit(jobs: int) -> None:
    X, y = table(3)
    one, more = (CalibratedClassifierCV(GaussianNB(), n_jobs=n, cv=3).fit(X, y) for n in (None, jobs))
    assert one.predict_proba(X).tobytes() == more.predict_proba(X).tobytes()


def test_any_table_that_the_classifier_takes() -> None:
    X, y = table()
    words = np.array(["red green", "green blue", "red red", "blue"])[np.arange(120) % 4].tolist()
    text = CalibratedClassifierCV(make_pipeline(CountVectorizer(), BernoulliNB()), cv=3).fit(words, y)
    assert text.predict_proba(words).shape == (120, 2)
    plain = CalibratedClassifierCV(LogisticRegression(), cv=3).fit(X, y).predict_proba(X)
    for form in (scipy.sparse.csr_array, scipy.sparse.coo_array, pd.DataFrame, pl.DataFrame, np.ndarray.tolist):
        given = form(X)
        if form is pd.DataFrame:
            given.columns = list("abcde")
        found = CalibratedClassifierCV(LogisticRegression(), cv=3).fit(given, y).predict_proba(given)
        np.testing.assert_allclose(found, plain, atol=1e-4)


class Silly(ClassifierMixin, BaseEstimator):
    """Scores that are not numbers."""

    def fit(self, X: Any, y: Any) -> Silly:
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X: Any) -> Any:
        return np.full((len(X), 2), np.nan)


X2, Y2 = table()
X3, Y3 = table(3)
ONE_CLASS = [(np.flatnonzero(Y2 == "ash"), np.flatnonzero(Y2 == "birch"))]
NO_CEDAR = [(np.flatnonzero(Y3 != "cedar"), np.flatnonzero(Y3 == "cedar"))]
ODD = [*NO_CEDAR, (np.flatnonzero(Y3 == "cedar"), np.flatnonzero(Y3 != "cedar"))]
HALVES = [(np.arange(60), np.arange(60, 120))]
REFUSED: dict[str, tuple[Any, str]] = {
    "no classifier": (lambda: CalibratedClassifierCV().fit(X2, Y2), "estimator must be a classifier; got None"),
    "a number": (lambda: CalibratedClassifierCV(3).fit(X2, Y2), "must be a classifier with fit and .*; got 3"),
    "method": (lambda: CalibratedClassifierCV(GaussianNB(), method="beta").fit(X2, Y2), "method must be one of"),
    "one fold": (lambda: CalibratedClassifierCV(GaussianNB(), cv=1).fit(X2, Y2), "from 2 up"),
    "a word for folds": (lambda: CalibratedClassifierCV(GaussianNB(), cv="five").fit(X2, Y2), "cv must be a number"),
    "one class": (lambda: CalibratedClassifierCV(GaussianNB()).fit(X2, ["a"] * 120), "one class, a"),
    "two targets": (lambda: CalibratedClassifierCV(GaussianNB()).fit(X2, np.eye(120)[:, :2]), "2 targets"),
    "numbers": (lambda: CalibratedClassifierCV(GaussianNB()).fit(X2, X2[:, 0]), "y must hold labels"),
    "other rows": (lambda: CalibratedClassifierCV(GaussianNB()).fit(X2, Y2[:9]), "same number of rows"),
    "a rare class": (
        lambda: CalibratedClassifierCV(GaussianNB()).fit(X2, np.where(np.arange(120) < 3, "oak", Y2)),
        "less than 5 examples for class oak",
    ),
    "leave one out": (lambda: CalibratedClassifierCV(GaussianNB(), cv=LeaveOneOut()).fit(X2, Y2), "LeaveOneOut"),
    "one class to learn": (lambda: CalibratedClassifierCV(GaussianNB(), cv=ONE_CLASS).fit(X2, Y2), "both classes"),
    "temperature without a class": (
        lambda: CalibratedClassifierCV(GaussianNB(), cv=NO_CEDAR, method="temperature").fit(X3, Y3),
        "lacks cedar",
    ),
    "one calibrator without a class": (
        lambda: CalibratedClassifierCV(GaussianNB(), cv=ODD, ensemble=False).fit(X3, Y3),
        "every class in every training part",
    ),
    "rows held out twice": (
        lambda: CalibratedClassifierCV(GaussianNB(), cv=RepeatedKFold(n_splits=3), ensemble=False).fit(X2, Y2),
        "hold out every row once",
    ),
    "scores that are not numbers": (lambda: CalibratedClassifierCV(Silly()).fit(X2, Y2), "scores of Silly must be"),
    "no weight left": (
        lambda: CalibratedClassifierCV(GaussianNB(), cv=HALVES).fit(X2, Y2, np.arange(120) < 60),
        "weigh zero",
    ),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_used_is_refused_in_one_sentence(what: str) -> None:
    act, words = REFUSED[what]
    with pytest.raises((DataError, ParameterError, PellucidError), match=words) as caught:
        act()
    assert str(caught.value).startswith("CalibratedClassifierCV: ")
    assert str(caught.value).count("\n") <= 1


# -------------------------------------------------------------------------------------------------------------- working


@pytest.mark.parametrize("ensemble", [True, False])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("method", ["sigmoid", "isotonic", "temperature"])
def test_the_working_of_any_part_and_class_comes_out_at_the_model(method: str, classes: int, ensemble: bool) -> None:
    X, y = table(classes)
    model = CalibratedClassifierCV(LogisticRegression(), method=method, cv=3, ensemble=ensemble).fit(X, y)
    for fold in range(len(model.calibrated_classifiers_)):
        for label in model.classes_:
            model.show_fit(X, y, fold=fold, label=label)
            shown = model.show_predict(X, rows=[3, 50], label=label)
            place = int(np.flatnonzero(model.classes_ == label)[0])
            np.testing.assert_allclose(shown.value("probability"), model.predict_proba(X)[[3, 50], place], atol=1e-9)


def test_the_working_of_the_sigmoid_has_platts_numbers() -> None:
    X, y = table()
    model = CalibratedClassifierCV(FrozenEstimator(GaussianNB().fit(X, y))).fit(X, y)
    shown = model.show_fit(X, y)
    n1, n0 = int((y == "birch").sum()), int((y == "ash").sum())
    assert (shown.value("N1"), shown.value("N0")) == (n1, n0)
    assert set(np.round(shown.value("target"), 12)) == {round((n1 + 1) / (n1 + 2), 12), round(1 / (n0 + 2), 12)}
    with pytest.raises(WorkingError):
        model.show_fit(X[::-1], y)
    with pytest.raises(ParameterError, match="fold must be from 0 to 0"):
        model.show_fit(X, y, fold=4)
