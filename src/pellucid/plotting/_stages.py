"""An ensemble as its models are added: what the first one, the first two, ... say together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from pellucid.base.errors import NotFittedError, ParameterError, format_message, short_repr
from pellucid.base.types import Array, Floats


def check_ensemble(who: str, model: Any) -> int:
    """How many models there are."""
    if not hasattr(model, "estimators_"):
        if hasattr(model, "fit") and not isinstance(model, type):
            raise NotFittedError(
                format_message(who, f"This {type(model).__name__} instance is not fitted yet", hint="fit it")
            )
        raise ParameterError(format_message(who, "model must be a fitted ensemble", actual=f"got {short_repr(model)}"))
    return len(model.estimators_)


def member_answers(model: Any, X: Any) -> Iterator[Floats]:
    """What each model says for itself: shares of the classes, one column each, or numbers in one column."""
    if hasattr(model, "_answer") and hasattr(model, "estimators_features_"):
        d = model._validate_predict(X)
        table = model._inside(d)
        for k, (member, columns) in enumerate(zip(model.estimators_, model.estimators_features_, strict=True)):
            subset = table if model._some(columns) is None else _columns_of(table, columns)
            yield model._answer(k, member, subset)
        return
    for member in model.estimators_:
        if not is_classifier(model):
            predictions = np.asarray(member.predict(X), dtype=np.float64)
            yield predictions.reshape(len(predictions), -1)[:, :1]
        else:
            yield _shares(model, member, X)


def _columns_of(table: Any, columns: Array) -> Any:
    from sklearn.utils import _safe_indexing

    return _safe_indexing(table, columns, axis=1)


def _shares(model: Any, member: Any, X: Any) -> Floats:
    classes, member_classes = np.asarray(model.classes_), np.asarray(member.classes_)
    if (
        member_classes.dtype.kind in "fiu" and not np.isin(member_classes, classes).all()
    ):  # members that learned the labels' numbers
        member_classes = classes[member_classes.astype(int)]
    soft = getattr(model, "voting", "soft") == "soft" and hasattr(member, "predict_proba")
    shares = np.zeros((len(member.predict(X)), len(classes)))
    if soft:
        shares[:, np.searchsorted(classes, member_classes)] = member.predict_proba(X)
        return shares
    shares[np.arange(len(shares)), np.searchsorted(classes, member.predict(X))] = 1
    return shares


def weights_of(model: Any) -> Floats:
    """How much each model counts."""
    n = len(model.estimators_)
    if hasattr(model, "_shares") and hasattr(model, "named_estimators_"):
        return np.asarray(model._shares(), dtype=np.float64)
    weights = getattr(model, "estimator_weights_", None)
    return np.ones(n) if weights is None else np.asarray(weights, dtype=np.float64)[:n]


def staged(model: Any, X: Any) -> Iterator[Array]:
    """What the first 1, 2, 3, ... models predict together."""
    if hasattr(model, "staged_predict"):
        yield from (np.asarray(predictions) for predictions in model.staged_predict(X))
        return
    total, sure = None, is_classifier(model)
    weight_sum = 0.0
    for prediction, weight in zip(member_answers(model, X), weights_of(model), strict=True):
        total = weight * prediction if total is None else total + weight * prediction
        weight_sum += weight
        mean = total / (weight_sum or 1.0)
        yield np.asarray(model.classes_)[mean.argmax(axis=1)] if sure else mean[:, 0]


@dataclass
class FirstModels:
    """The first models of an ensemble, as a model."""

    model: Any
    n: int

    def __post_init__(self) -> None:
        for name in ("classes_", "n_features_in_", "feature_names_in_"):
            if hasattr(self.model, name):
                setattr(self, name, getattr(self.model, name))

    def predict(self, X: Any) -> Array:
        """What they say together."""
        return next(islice(staged(self.model, X), self.n - 1, None))
