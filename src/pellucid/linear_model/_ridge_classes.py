"""Classes as targets of -1 and +1, and back: what the ridge classifiers add to the regressors."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np
from sklearn.utils import Tags

from pellucid.base.declare import param
from pellucid.base.errors import DataError, format_message, join_some
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design
from pellucid.linear_model._linear import LinearClassifier
from pellucid.linear_model._logistic import _check_classes, _class_factors


def planes(d: Design, coef: Floats, intercept: Floats, fit_intercept: bool) -> dict[str, Any]:
    """Fitted attributes in scikit-learn's shapes and in the precision of X."""
    return {"coef_": coef.astype(d.dtype), "intercept_": intercept.astype(d.dtype) if fit_intercept else 0.0}


class RidgeClasses(LinearClassifier):
    """Reads labels, one a row or several (0 or 1 each), and answers them from scores."""

    class_weight: dict | Literal["balanced"] | None = param(  # type: ignore[type-arg]
        default=None, doc="How much each class counts: {label: weight}, or 'balanced' so that all count alike."
    )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    def _attach_target(self, d: Design, y: Any) -> None:
        super()._attach_target(d, y)
        self._labeled_ = not d.y_is_vector  # one column a label: every score is a question of its own
        if d.y_is_vector:
            return
        for j, labels in enumerate(d.classes):
            if not set(labels.tolist()) <= {0, 1}:
                requirement = "a target of several columns must hold 0 or 1: one column a label"
                hint = "fit one model a column for columns of several classes each"
                raise DataError(
                    format_message(
                        d.who,
                        requirement,
                        actual=f"column {j} of y holds {join_some(map(repr, labels.tolist()))}",
                        hint=hint,
                    )
                )
        self.classes_ = np.arange(d.y.shape[1])

    def _signs(self, d: Design) -> Design:
        """Targets of -1 and +1, and weights with those of the classes in them."""
        codes = d.y.astype(np.intp)
        weight = self._weights(d, codes)
        if not d.y_is_vector:
            signs = np.column_stack([2.0 * d.classes[j][codes[:, j]] - 1 for j in range(codes.shape[1])])
        else:
            _check_classes(d.who, codes[:, 0], d.classes[0], weight)
            k = len(d.classes[0])
            signs = np.where(codes == (np.arange(k) if k > 2 else 1), 1.0, -1.0)
        return replace(d, y=np.ascontiguousarray(signs), y_is_vector=False, weight=weight)

    def _weights(self, d: Design, codes: Array) -> Floats | None:
        if self.class_weight is None:
            return d.weight
        base_weight = np.ones(d.n_rows) if d.weight is None else d.weight
        weight = base_weight
        for j, labels in enumerate(d.classes):
            weight = weight * _class_factors(d.who, codes[:, j], labels, self.class_weight, base_weight)[codes[:, j]]
        if not weight.any():
            requirement = "class_weight must leave a class that counts"
            raise DataError(
                format_message(d.who, requirement, actual=f"every class present weighs nothing: {self.class_weight!r}")
            )
        return np.asarray(weight)

    @property
    def has_several_labels(self) -> bool:
        """Was it fitted to several labels per row?"""
        return self._labeled_

    @property
    def predict_proba(self) -> Any:
        """Not there: scores of least squares are no probabilities."""
        hint = "LogisticRegression has probabilities, and CalibratedClassifierCV makes some of scores"
        raise AttributeError(format_message(type(self).__name__, "it has scores and no predict_proba", hint=hint))

    def predict(self, X: Any) -> Array:
        """The predicted label of each row; with several labels a row 0 or 1 for each."""
        return self._said("predict", self._scores(self._validate_predict(X)))

    def decision_function(self, X: Any) -> Array:
        """The score of each row: n numbers for two classes (of the second one), n x k for k classes or labels."""
        return self._said("decision_function", self._scores(self._validate_predict(X)))

    def _said(self, method: str, scores: Array) -> Array:
        """The answer of a method, from scores n x k."""
        if method == "decision_function":
            return scores[:, 0] if scores.shape[1] == 1 else scores
        if self._labeled_:
            return (scores > 0).astype(np.intp)
        codes = (scores[:, 0] > 0).astype(np.intp) if scores.shape[1] == 1 else scores.argmax(axis=1)
        return np.asarray(self.classes_[codes])
