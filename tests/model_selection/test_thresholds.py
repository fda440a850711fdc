"""Thresholds found by cross-validation are scikit-learn's, from scores that are ours."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sklearn.model_selection as theirs
from sklearn.linear_model import LogisticRegression

from pellucid.metrics import f1_score, make_scorer
from pellucid.model_selection import TunedThresholdClassifierCV

RNG = np.random.default_rng(0)
X = RNG.standard_normal((200, 2))
y = np.where(X[:, 0] + RNG.standard_normal(200) > 1, "yes", "no")
FLAGS = (y == "yes").astype(int)


SCORES = ["balanced_accuracy", "f1", "recall", "accuracy", "matthews_corrcoef"]


@pytest.mark.parametrize(
    ("response", "scoring"),
    [
        *(("predict_proba", score) for score in SCORES),
        ("decision_function", SCORES[0]),
        *(pytest.param("decision_function", score, marks=pytest.mark.exhaustive) for score in SCORES[1:]),
    ],
)
def test_the_threshold_is_scikit_learns(scoring: str, response: Any) -> None:
    settings: dict[str, Any] = {
        "scoring": scoring,
        "response_method": response,
        "store_cv_results": True,
        "cv": 4,
        "thresholds": 30,
    }
    ours = TunedThresholdClassifierCV(LogisticRegression(), **settings).fit(X, FLAGS)
    peer = theirs.TunedThresholdClassifierCV(LogisticRegression(), **settings).fit(X, FLAGS)
    assert ours.best_threshold_ == peer.best_threshold_
    np.testing.assert_allclose(ours.cv_results_["scores"], peer.cv_results_["scores"])
    np.testing.assert_array_equal(ours.predict(X), peer.predict(X))


def test_words_as_labels_and_a_scorer_of_ones_own() -> None:
    scorer = make_scorer(f1_score, pos_label="yes")
    model = TunedThresholdClassifierCV(LogisticRegression(), scoring=scorer).fit(X, y)
    assert set(model.predict(X)) == {"yes", "no"}
    plain = LogisticRegression().fit(X, y)
    assert f1_score(y, model.predict(X), pos_label="yes") > f1_score(y, plain.predict(X), pos_label="yes")


def test_a_score_that_only_we_have() -> None:
    model = TunedThresholdClassifierCV(LogisticRegression(), scoring="specificity", thresholds=10, cv=2).fit(X, FLAGS)
    assert model.best_score_ == 1.0  # a threshold that calls nobody positive is right about all negatives


def test_refusals() -> None:
    with pytest.raises(ValueError, match="'scoring' parameter"):
        TunedThresholdClassifierCV(LogisticRegression(), scoring="nope").fit(X, y)
    with pytest.raises(ValueError, match="Only binary classification"):
        TunedThresholdClassifierCV(LogisticRegression()).fit(X, np.arange(200) % 3)
