"""A fitted classifier with what turns its scores into probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _check_method_params

from pellucid.base.errors import DataError, format_message, join_some, noun_list
from pellucid.base.types import Array, Floats
from pellucid.calibration._sigmoid import Sigmoid, Temperature, fit_sigmoid, fit_temperature
from pellucid.isotonic.isotonic import IsotonicRegression

WHO = "CalibratedClassifierCV"
Calibrator = Sigmoid | Temperature | IsotonicRegression
LEAST = 1e-12  # added to a probability before its logarithm is taken


@dataclass
class Scores:
    """What an uncalibrated classifier says of some rows: one column a class that it knows, or one for two classes."""

    values: Floats
    classes: Array
    are_probabilities: bool

    def logits(self) -> Floats:
        """One column a class: logarithms of probabilities, or the decision values as they are (-f and f for two)."""
        both = self.values
        if both.shape[1] == 1:
            both = np.hstack([1 - both if self.are_probabilities else -both, both])
        return np.log(both + LEAST) if self.are_probabilities else both


def scores_of(estimator: Any, X: Any, n_classes: int) -> Scores:
    """Decision values where the classifier has them, else its probabilities."""
    by_probability = not hasattr(estimator, "decision_function")
    found = estimator.predict_proba(X) if by_probability else estimator.decision_function(X)
    values, known = np.asarray(found, dtype=np.float64), np.asarray(estimator.classes_)
    values = values.reshape(len(values), -1)
    if not np.isfinite(values).all():
        rows = noun_list("row", np.flatnonzero(~np.isfinite(values).all(axis=1)))
        requirement = f"the scores of {type(estimator).__name__} must be finite"
        raise DataError(
            format_message(
                WHO, requirement, actual=f"NaN or infinity in {rows}", hint="look at what the classifier was given"
            )
        )
    if n_classes == 2 and len(known) == 2:
        values = values[:, -1:]  # of the second class
    elif len(known) == 2 and values.shape[1] == 1:  # two of more classes were in the training part
        values = np.hstack([-values, values])
    return Scores(values, known, by_probability)


def fit_part(
    estimator: Any, X: Any, y: Array, train: Array, test: Array, classes: Array, params: dict[str, Any]
) -> tuple[Any, Scores]:
    """The classifier fitted on one part of the rows, and what it says of another."""
    labels = y[train]
    if len(classes) == 2 and not isinstance(estimator, FrozenEstimator) and len(np.unique(labels)) < 2:
        actual = f"one of them holds {labels[0]!s} alone" if len(labels) else "one of them is empty"
        raise DataError(
            format_message(
                WHO, "every training part must hold both classes", actual=actual, hint="use other or fewer folds"
            )
        )
    estimator.fit(_safe_indexing(X, train), labels, **_check_method_params(X, params=params, indices=train))
    return estimator, scores_of(estimator, _safe_indexing(X, test), len(classes))


@dataclass
class CalibratedClassifier:
    """A fitted classifier and its calibrators: one a class that it knows, or one for two classes or a temperature."""

    estimator: Any
    calibrators: list[Calibrator]
    classes: Array
    method: str

    @classmethod
    def fitted(
        cls, estimator: Any, scores: Scores, y: Array, classes: Array, method: str, weight: Floats | None
    ) -> CalibratedClassifier:
        """Calibrated on rows that the classifier did not learn from."""
        if weight is not None and not weight.any():
            requirement = "some of the rows held out for calibration must have a weight above zero"
            raise DataError(
                format_message(
                    WHO, requirement, actual="those of one part all weigh zero", hint="use other or fewer folds"
                )
            )
        if method == "temperature":
            return cls(estimator, [_temperature(scores, y, classes, weight)], classes, method)
        fit = _isotonic if method == "isotonic" else fit_sigmoid
        labels = scores.classes[-1:] if scores.values.shape[1] == 1 else scores.classes
        found: list[Calibrator] = [
            fit(column, y == label, weight) for column, label in zip(scores.values.T, labels, strict=True)
        ]
        return cls(estimator, found, classes, method)

    def probabilities_of_each(self, scores: Scores) -> Floats:
        """What each calibrator says for itself, one column a class; they need not add up to one."""
        found = np.zeros((len(scores.values), len(self.classes)))
        known = scores.classes[-1:] if scores.values.shape[1] == 1 else scores.classes
        for place, column, calibrator in zip(
            np.searchsorted(self.classes, known), scores.values.T, self.calibrators, strict=True
        ):
            found[:, place] = calibrator.predict(column)
        return found

    def predict_proba(self, X: Any) -> Floats:
        """Calibrated probabilities, one column per class."""
        return self.calibrate(scores_of(self.estimator, X, len(self.classes)))

    def calibrate(self, scores: Scores) -> Floats:
        """The probabilities that belong to scores of the classifier, one column per class."""
        if isinstance(self.calibrators[0], Temperature):
            return self.calibrators[0].predict(scores.logits())
        found = self.probabilities_of_each(scores)
        if len(self.classes) == 2:
            found[:, 0] = 1 - found[:, 1]
            return found
        total = found.sum(axis=1, keepdims=True)
        even = np.full_like(found, 1 / len(self.classes))  # where every class has probability 0
        return np.asarray(np.divide(found, total, out=even, where=total > 0))


def _isotonic(scores: Floats, positive: Array, weight: Floats | None) -> IsotonicRegression:
    model = IsotonicRegression(out_of_bounds="clip")
    model.fit(scores, positive.astype(np.float64), weight)
    return model


def _temperature(scores: Scores, y: Array, classes: Array, weight: Floats | None) -> Temperature:
    absent = [str(label) for label in classes if label not in scores.classes]
    if absent:
        requirement = "method='temperature' needs every class in every training part"
        raise DataError(
            format_message(
                WHO, requirement, actual=f"one of them lacks {join_some(absent)}", hint="use other or fewer folds"
            )
        )
    return fit_temperature(scores.logits(), np.searchsorted(scores.classes, y), weight)
