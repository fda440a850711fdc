"""What the chosen model predicts for rows that it was not fitted on: what thresholds and intervals are based on."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from pellucid.base.types import Array, Floats
from pellucid.calibration._pairs import Scores, scores_of
from pellucid.data.slices import take_rows
from pellucid.report.comparison import Setting
from pellucid.report.holdout import Predictions
from pellucid.report.outcome import Task


@dataclass(frozen=True)
class OutOfFold:
    """Predictions for the rows that the folds of the comparison held out, each row once.

    fold : the number of the fold that held the row out
    y : the target
    predicted : the predicted class or number
    scores : decision values or probabilities of a classifier, as calibrators read them
    probability : of each class of the task, where the model gives probabilities
    """

    fold: Array
    y: Array
    predicted: Array
    scores: Scores | None = None
    probability: Floats | None = None

    @property
    def n_folds(self) -> int:
        """How many folds held these rows out."""
        return len(np.unique(self.fold))


def predict_out_of_fold(model: Any, setting: Setting, task: Task, most_folds: int) -> OutOfFold:
    """Fits the model on the training rows of each fold and predicts the held-out ones.

    ``most_folds`` is how many folds there is time for; the last ones are taken, which learn from the most rows where
    folds move forward in time.
    """
    parts = []
    for number, (train, test) in enumerate(_disjoint(setting.folds)[-most_folds:]):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the comparison notes what the model warns of
            fitted = clone(model).fit(take_rows(setting.X, train), setting.y[train])
        X = take_rows(setting.X, test)
        answers = Predictions(fitted, X, task)
        fold = np.full(len(test), number)
        scores = None if task.kind == "number" else scores_of(fitted, X, len(task.classes))
        parts.append(OutOfFold(fold, setting.y[test], answers.predicted, scores, answers.probability))
    return _joined(parts)


def _disjoint(folds: list[tuple[Array, Array]]) -> list[tuple[Array, Array]]:
    """The first folds that hold no row out twice: of repeated cross-validation, one repetition."""
    seen: set[int] = set()
    chosen = []
    for train, test in folds:
        if seen.isdisjoint(test.tolist()):
            seen.update(test.tolist())
            chosen.append((train, test))
    return chosen


def _joined(parts: list[OutOfFold]) -> OutOfFold:
    """All folds together. Scores are given up where a fold's model knows fewer classes than another's."""
    scores = [part.scores for part in parts if part.scores is not None]
    alike = len(scores) == len(parts) and len({tuple(one.classes.tolist()) for one in scores}) == 1
    tables = [part.probability for part in parts if part.probability is not None]
    return OutOfFold(
        np.concatenate([part.fold for part in parts]),
        np.concatenate([part.y for part in parts]),
        np.concatenate([part.predicted for part in parts]),
        Scores(np.vstack([one.values for one in scores]), scores[0].classes, scores[0].are_probabilities)
        if alike
        else None,
        np.vstack(tables) if len(tables) == len(parts) else None,
    )
