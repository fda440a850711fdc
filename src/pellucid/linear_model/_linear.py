"""What every fitted linear model does with its coefficients."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, check_finite
from pellucid.estimator.roles import Classifier, Regressor
from pellucid.parts.linear import linear_predictor


class LinearRegressor(Regressor):
    """Predicts ``intercept_ + coef_ . x``: `coef_` is p numbers for one target, k x p for k."""

    def _keep_line(self, coef: Array, intercept: Any) -> None:
        self.coef_: Array = coef
        self.intercept_: Any = intercept

    def _predict(self, d: Design) -> Array:
        check_finite(d, allow_nan=False)
        found = linear_predictor(d.matrix, self.coef_, self.intercept_, self._threads)
        found = found.astype(np.result_type(d.dtype, self.coef_), copy=False)
        return found[:, 0] if np.ndim(self.coef_) == 1 else found


class LinearClassifier(Classifier):
    """Decides by scores ``intercept_ + coef_ . x``: one a row for two classes, one a class for more.

    `coef_` is 1 x p for two classes and k x p for k. The second of two classes wins above zero; of several classes the
    one with the largest score, the first of equals.
    """

    def _keep_planes(self, coef: Array, intercept: Array) -> None:
        self.coef_: Array = coef
        self.intercept_: Array = intercept

    def decision_function(self, X: Any) -> Array:
        """The linear score of each row: n numbers for two classes (of the second one), n x k for k classes."""
        scores = self._scores(self._later(X))
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def _scores(self, d: Design) -> Floats:
        check_finite(d, allow_nan=False)
        scores = linear_predictor(d.matrix, self.coef_, self.intercept_, self._threads)
        return scores.astype(np.result_type(d.dtype, self.coef_), copy=False)

    def _predict_codes(self, d: Design) -> Array:
        scores = self._scores(d)
        return np.asarray((scores[:, 0] > 0).astype(int) if scores.shape[1] == 1 else scores.argmax(axis=1))
