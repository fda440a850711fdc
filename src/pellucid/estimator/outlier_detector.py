"""The role of an outlier detector: which rows are unlike the others."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import OutlierMixin

from pellucid.base.types import Array, Floats
from pellucid.data.design import Design
from pellucid.estimator.unsupervised import Unsupervised


class OutlierDetector(OutlierMixin, Unsupervised):
    """Scores rows: the lower, the more unlike the others; below ``offset_`` a row is an outlier.

    A subclass writes `_fit`, which leaves ``offset_``, and `_scores`; and `_own_scores`, the scores of the fitted rows
    themselves, where these are other than what `_scores` says of the same rows.
    """

    def _scores(self, d: Design) -> Floats:
        raise TypeError(f"{type(self).__name__} must write _scores")

    def score_samples(self, X: Any) -> Array:
        """A score of each row: the lower, the more unlike the fitted rows."""
        return self._scores(self._validate_predict(X))

    def decision_function(self, X: Any) -> Array:
        """`score_samples` less ``offset_``: below zero for an outlier."""
        return np.asarray(self._scores(self._validate_predict(X)) - self._limit)

    def predict(self, X: Any) -> Array:
        """-1 for an outlier, 1 for any other row."""
        return self._judged(self._scores(self._validate_predict(X)))

    @property
    def _limit(self) -> float:
        return float(vars(self)["offset_"])

    def _judged(self, scores: Floats) -> Array:
        return np.where(scores < self._limit, -1, 1)

    def fit_predict(self, X: Any, y: Any = None) -> Array:
        """Learns from a table and says which of its rows are outliers: -1, and 1 for any other.

        Parameters
        ----------
        X : table of n rows and p columns
        y : not looked at
        """
        self.fit(X)
        return self._judged(self._own_scores(X))

    def _own_scores(self, X: Any) -> Floats:
        """Scores of the rows of the fit."""
        return self._scores(self._validate_predict(X))


def share_below(scores: Floats, share: float) -> float:
    """The score below which this share of the rows lies."""
    return float(np.percentile(scores, 100.0 * share))
