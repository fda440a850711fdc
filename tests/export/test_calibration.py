"""Calibrated classifiers and moved thresholds in every language, against the model itself."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.pipeline import make_pipeline

from pellucid.boosting import BoostedTreesClassifier
from pellucid.calibration import CalibratedClassifierCV
from pellucid.ensemble import AdaBoostClassifier, RandomForestClassifier
from pellucid.impute import SimpleImputer
from pellucid.linear_model import LogisticRegression

from .test_code import LANGUAGES, assert_same, table, three, two, unseen
from .test_onnx import agree

NUMBERS = ["age", "body mass", "children"]
MODELS: dict[str, tuple[Any, Any]] = {
    "threshold": (FixedThresholdClassifier(LogisticRegression(), threshold=0.2, pos_label="yes",
                                           response_method="predict_proba"), two),
    "threshold of the first class": (FixedThresholdClassifier(LogisticRegression(), threshold=0.7, pos_label="no",
                                                              response_method="predict_proba"), two),
    "sigmoid and threshold": (
        FixedThresholdClassifier(
            CalibratedClassifierCV(BoostedTreesClassifier(n_estimators=5, random_state=0), cv=3, ensemble=False),
            threshold=0.31, pos_label="yes", response_method="predict_proba",
        ), two),
    "sigmoid of probabilities": (
        CalibratedClassifierCV(RandomForestClassifier(5, random_state=0), cv=3, ensemble=False), two),
    "sigmoid of votes": (CalibratedClassifierCV(AdaBoostClassifier(n_estimators=5), cv=3, ensemble=False), two),
    "sigmoids of three": (CalibratedClassifierCV(LogisticRegression(), cv=3, ensemble=False), three),
    "temperature of two": (
        CalibratedClassifierCV(LogisticRegression(), method="temperature", cv=3, ensemble=False), two),
    "temperature of three": (
        CalibratedClassifierCV(BoostedTreesClassifier(n_estimators=4, random_state=0), method="temperature", cv=3,
                               ensemble=False), three),
    "temperature of probabilities": (
        CalibratedClassifierCV(RandomForestClassifier(3, random_state=0), method="temperature", cv=3, ensemble=False),
        two),
    "temperature of three probabilities": (
        CalibratedClassifierCV(RandomForestClassifier(3, random_state=0), method="temperature", cv=3, ensemble=False),
        three),
}  # fmt: skip


def fitted(name: str) -> Any:
    model, target = MODELS[name]
    X = table(240)[NUMBERS]
    return make_pipeline(SimpleImputer(), model).fit(X, target(table(240)))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", MODELS)
def test_code_predicts_as_the_model_does(name: str, language: str) -> None:
    assert_same(fitted(name), language, unseen()[NUMBERS])


@pytest.mark.parametrize("name", MODELS)
def test_onnx_predicts_as_the_model_does(name: str) -> None:
    agree(fitted(name), unseen()[NUMBERS])
