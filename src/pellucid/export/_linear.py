"""Linear models: sums of columns times coefficients, and what classifiers make of such scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pellucid.discriminant_analysis.linear import LinearDiscriminantAnalysis
from pellucid.export._builder import Answer, Builder, labels_of, largest, logistic, refuse_targets, softmax
from pellucid.export._form import (
    Cell,
    Choose,
    Compare,
    Difference,
    Expression,
    Name,
    Number,
    Product,
    Quotient,
    Sum,
)
from pellucid.export._writers import write_model
from pellucid.linear_model._linear import LinearClassifier, LinearRegressor, dense_coefficients
from pellucid.linear_model._logistic_model import LogisticClassifier
from pellucid.linear_model._ridge_classes import RidgeClasses
from pellucid.linear_model._stochastic_classifier import StochasticClassifier
from pellucid.linear_model.gradient_descent import GradientDescentRegressor
from pellucid.svm.linear_svc import LinearSVC
from pellucid.svm.linear_svr import LinearSVR


def scores_of(b: Builder, model: Any) -> list[Name]:
    """A score a row of coefficients."""
    coef = np.atleast_2d(np.asarray(dense_coefficients(model.coef_), dtype=np.float64))
    intercept = np.broadcast_to(np.asarray(model.intercept_, dtype=np.float64).ravel(), (len(coef),))
    names = ["score"] if len(coef) == 1 else [f"score_{k}" for k in range(len(coef))]
    found = []
    for name, w, start in zip(names, coef, intercept, strict=True):
        terms = [Product(Number(float(w[j])), Cell(j)) for j in np.flatnonzero(w).tolist()]
        found.append(b.total(name, float(start), terms))
    return found


@write_model.register(LinearRegressor)
@write_model.register(GradientDescentRegressor)
@write_model.register(LinearSVR)
def write_regressor(model: Any, b: Builder) -> Answer:
    """intercept + coefficients . x"""
    refuse_targets(b, model, len(np.atleast_2d(dense_coefficients(model.coef_))))
    b.read_cells(model)
    return Answer(scores_of(b, model)[0])


@write_model.register(LinearClassifier)
@write_model.register(LinearSVC)
@write_model.register(LinearDiscriminantAnalysis)
def write_classifier(model: Any, b: Builder) -> Answer:
    """The second of two classes above zero, of several the one with the largest score."""
    labels = labels_of(b, model)
    b.read_cells(model)
    scores = scores_of(b, model)
    return Answer(choice_of(scores), _probabilities(model, b, scores), labels, tuple(scores))


@write_model.register(RidgeClasses)
def write_ridge_classifier(model: Any, b: Builder) -> Answer:
    """The same; several labels a row are refused."""
    if model.has_several_labels:
        requirement = "a classifier of several labels a row cannot be exported"
        raise b.refuse(requirement, f"{type(model).__name__} has {len(model.classes_)}", "fit one model a label")
    return write_classifier(model, b)


def choice_of(scores: Sequence[Expression]) -> Expression:
    """The number of the class that scores speak for: above zero for the second of two, else the largest."""
    if len(scores) > 1:
        return largest(scores)
    return Choose(((Compare(">", scores[0], Number(0.0)), Number(1.0)),), Number(0.0))


def _probabilities(model: Any, b: Builder, scores: list[Name]) -> tuple[Expression, ...]:
    if isinstance(model, LogisticClassifier):
        if len(scores) == 1:
            return logistic(b, scores[0])
        return softmax(b, scores) if model.scheme == "multinomial" else _shares(b, _chances(b, scores))
    if isinstance(model, LinearDiscriminantAnalysis):
        return logistic(b, scores[0]) if len(scores) == 1 else softmax(b, scores)
    if isinstance(model, StochasticClassifier) and hasattr(model, "predict_proba"):
        clipped = model.settled_loss == "modified_huber"
        chances = [_clipped(score) for score in scores] if clipped else _chances(b, scores)
        if len(scores) == 1:
            second = b.set("chance", chances[0])
            return (Difference(Number(1.0), second), second)
        return _shares(b, chances)
    return ()


def _chances(b: Builder, scores: list[Name]) -> list[Expression]:
    return [logistic(b, score, f"power_{k}")[1] for k, score in enumerate(scores)]


def _clipped(score: Name) -> Expression:
    """(clip(score, -1, 1) + 1) / 2"""
    cases = ((Compare("<=", score, Number(-1.0)), Number(0.0)), (Compare(">=", score, Number(1.0)), Number(1.0)))
    return Choose(cases, Quotient(Sum((score, Number(1.0))), Number(2.0)))


def _shares(b: Builder, chances: list[Expression]) -> tuple[Expression, ...]:
    """Each class against the rest, divided by their sum; alike where all are zero."""
    held = [b.set(f"chance_{k}", chance) for k, chance in enumerate(chances)]
    whole = b.total("chances", 0.0, held)
    alike = Number(1.0 / len(held))
    return tuple(Choose(((Compare(">", whole, Number(0.0)), Quotient(one, whole)),), alike) for one in held)
