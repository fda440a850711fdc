"""Rows held out, and how good a model is on them after each round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from pellucid.base.errors import ParameterError, format_message
from pellucid.base.types import Array, Floats
from pellucid.boosting._losses import mean_loss
from pellucid.data.design import Design
from pellucid.metrics.scorers import check_scoring


@dataclass(frozen=True)
class Watch:
    """Rows that nothing is learned from: another table, or flags of rows of this one; and whether they stop the fit."""

    other: Design | None
    held: Array | None
    stops: bool

    @property
    def looks(self) -> bool:
        """Is there anything to look at?"""
        return self.other is not None or self.held is not None


class Judge:
    """How good a model is on rows held out, after each round; greater is better."""

    def __init__(self, model: Any, watch: Watch, d: Design, booster: Any) -> None:
        self._model, self._booster = model, booster
        self._rows = None if watch.held is None else np.flatnonzero(watch.held)
        if watch.other is not None:
            booster.watch(watch.other.matrix)
            self._y, self._weight = watch.other.y, None
        else:
            self._y = d.y[self._rows]
            self._weight = None if d.weight is None else d.weight[self._rows]
        if self._y.shape[1] == 1:
            self._y = self._y[:, 0]
        self._loss = model._loss(d)
        self._scorer = None if model.scoring == "loss" else check_scoring(model, scoring=model.scoring)

    def __call__(self) -> float:
        scores = self._booster.watched(self._model._threads) if self._rows is None else self._scores_of_rows()
        if self._scorer is None:
            return -mean_loss(self._loss, self._y, scores, self._weight)
        unit = self._model._unit
        so_far = PartialModel(self._model, scores * unit)
        truth = self._model._labels_of(self._y * unit)
        score = float(self._scorer(so_far, np.zeros((len(scores), 1)), truth))
        if not np.isfinite(score):
            requirement, when = "scoring must give finite numbers for rows held out", f"round {self._booster.rounds}"
            hint = "hold out more rows, or take another metric"
            raise ParameterError(
                format_message(type(self._model).__name__, requirement, actual=f"got {score} after {when}", hint=hint)
            )
        return score

    def _scores_of_rows(self) -> Floats:
        return np.asarray(self._booster.scores()[self._rows])


class PartialModel:
    """A model in the middle of its fit, for a scorer: it answers for the rows held out, whatever table it is asked."""

    def __init__(self, model: Any, scores: Floats) -> None:
        self._model, self._scores = model, scores
        self._estimator_type = getattr(model, "_estimator_type", None)
        if hasattr(model, "classes_"):
            self.classes_ = model.classes_

    def __sklearn_tags__(self) -> Any:
        return self._model.__sklearn_tags__()

    def fit(self, X: Any, y: Any) -> Self:
        """There for scorers, which want an estimator."""
        return self

    def predict(self, X: Any) -> Array:
        """Labels or numbers."""
        return np.asarray(self._model._answers(self._scores))

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities of the classes."""
        return np.asarray(self._model._probabilities(self._scores))

    def decision_function(self, X: Any) -> Floats:
        """Scores as they are."""
        return self._scores[:, 0] if self._scores.shape[1] == 1 else self._scores
