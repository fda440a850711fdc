"""Classifiers by stochastic gradient descent: two classes by one model, more by one model a class against the rest."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from sklearn.callback import with_callbacks
from sklearn.utils.metaestimators import available_if

from pellucid.base.declare import param
from pellucid.base.errors import ParameterError, format_message
from pellucid.base.types import Floats
from pellucid.data.design import Design
from pellucid.estimator.single import SingleLabelMixin, forgotten_on_failure
from pellucid.linear_model._linear import LinearClassifier
from pellucid.linear_model._logistic import _class_factors
from pellucid.linear_model._stochastic import _MOST_SEED, Runs, StochasticModel
from pellucid.linear_model._stream import Streamed


def _has_probabilities(model: Any) -> bool:
    if model._plan().loss in ("log_loss", "modified_huber", "squared_sigmoid"):
        return True
    raise AttributeError(f"probability estimates are not available for loss={model._plan().loss!r}")


class StochasticClassifier(Streamed, StochasticModel, SingleLabelMixin, LinearClassifier):
    """Labels by the sign of a score that is learned row by row."""

    class_weight: dict | Literal["balanced"] | None = param(  # type: ignore[type-arg]
        default=None, doc="Weight of each class by its label, or 'balanced': n / (k n_class). It multiplies the rows'."
    )

    @with_callbacks  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """One epoch over one more part of a table.

        Parameters
        ----------
        X : some rows of the table
        y : their labels
        classes : all labels that any part may have; needed by the first call
        sample_weight : n numbers, optional
            How many times as long the step of each row is.

        Returns
        -------
        self
        """
        who, first = type(self).__name__, not hasattr(self, "coef_")
        if self.class_weight == "balanced":
            requirement = "class_weight 'balanced' is not supported for partial_fit"
            actual = "one part does not know how many rows each class has in all"
            raise ParameterError(
                format_message(
                    who, requirement, actual=actual, hint="pass weights by label, class_weight={label: weight}"
                )
            )
        self._name_classes(classes, first)
        with forgotten_on_failure(self, first):
            return self._fit_part(X, y, sample_weight)

    # ------------------------------------------------------------------------------------------------------------- runs

    def _models(self) -> int:
        return 1 if len(self.classes_) == 2 else len(self.classes_)

    def _runs(self, d: Design, seed: int) -> Runs:
        codes, k = d.y[:, 0].astype(int), len(self.classes_)
        weight = np.ones(k)
        if self.class_weight is not None:
            weight = _class_factors(d.who, codes, self.classes_, self.class_weight, np.ones(d.n_rows))
        random = np.random.RandomState(seed)
        if k == 2:
            return Runs.of(1.0, weight[1], weight[0], _order_seed(random))
        seeds = [_order_seed(np.random.RandomState(model_seed)) for model_seed in random.randint(_MOST_SEED, size=k)]
        return Runs.of(np.arange(k), weight, 1.0, seeds)

    def _keep(self, coef: Floats, intercept: Floats, dtype: Any) -> dict[str, Any]:
        return {"coef_": coef.astype(dtype), "intercept_": intercept.astype(dtype)}

    # -------------------------------------------------------------------------------------------------- probabilities

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """The probability of each class, one column a class in the order of `classes_`.

        Of the losses 'log_loss' and 'squared_sigmoid' the sigmoid of the score, of 'modified_huber' (clip(score, -1,
        1) + 1) / 2. Several classes: each against the rest, divided by their sum.
        """
        return self._predict_proba(self._validate_predict(X))

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> Floats:
        """The natural logarithm of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    def _predict_proba(self, d: Design) -> Floats:
        scores = self._scores(d)
        if self._plan().loss == "modified_huber":
            p = (np.clip(scores, -1, 1) + 1) / 2
        else:
            small = np.exp(-np.abs(scores))
            p = np.where(scores >= 0, scores.dtype.type(1), small) / (1 + small)
        if p.shape[1] == 1:
            return np.hstack([1 - p, p])
        p[~p.any(axis=1)] = 1  # no class will have the row: each of them alike
        return np.asarray(p / p.sum(axis=1, keepdims=True))


def _order_seed(random: np.random.RandomState) -> int:
    """scikit-learn's: the first number goes to a generator that it does not use."""
    random.randint(1, _MOST_SEED)
    return int(random.randint(_MOST_SEED))
