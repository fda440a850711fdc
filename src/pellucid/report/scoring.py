"""Scores of probabilities by which models are compared; folds by group or time need not hold every class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pellucid import metrics
from pellucid.base.types import Floats
from pellucid.metrics.scorers import make_scorer


class LogLossScorer:
    """Minus the log loss against all classes that the estimator or the rows know.

    A fold may hold out rows of fewer classes than the estimator learned, or rows of a class that was not among its
    training rows. That class then has probability 0.
    """

    def __call__(self, estimator: Any, X: Any, y_true: Any, **options: Any) -> float:
        function = metrics.log_loss
        known = np.asarray(getattr(estimator, "classes_", ()))
        if known.ndim != 1 or known.dtype.kind == "O" or len(known) < 2 or np.ndim(y_true) != 1:
            plain = make_scorer(function, response_method="predict_proba", greater_is_better=False)
            return float(plain(estimator, X, y_true, **options))
        labels = np.union1d(known, np.asarray(y_true))
        y_proba = _aligned(estimator.predict_proba(X), np.searchsorted(labels, known), len(labels))
        return -float(function(y_true, y_proba, **{"labels": labels, **options}))

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class OrdinalScorer:
    """Minus the ranked probability score of classes in a given order, lowest first; levels that the estimator does not
    know have probability 0."""

    def __init__(self, levels: Sequence[Any]) -> None:
        self.levels = tuple(levels)

    def __call__(self, estimator: Any, X: Any, y_true: Any, **options: Any) -> float:
        place = {level: k for k, level in enumerate(self.levels)}
        known = [place[label] for label in np.asarray(estimator.classes_).tolist()]
        y_proba = _aligned(estimator.predict_proba(X), known, len(place))
        codes = np.array([place[label] for label in np.asarray(y_true).tolist()])
        function = metrics.ranked_probability_score
        return -float(function(codes, y_proba, **{"labels": np.arange(len(place)), **options}))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({list(self.levels)!r})"


def _aligned(y_proba: Any, places: Any, n_classes: int) -> Floats:
    """Probabilities with a column for every class; those at other places are 0."""
    known = np.asarray(y_proba)
    aligned = np.zeros((len(known), n_classes), dtype=known.dtype)
    aligned[:, places] = known
    return aligned
