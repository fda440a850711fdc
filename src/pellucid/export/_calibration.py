"""Calibrated classifiers, and classifiers that predict a class from another probability on than one half."""

from __future__ import annotations

from typing import Any

from sklearn.model_selection import FixedThresholdClassifier

from pellucid.calibration import CalibratedClassifierCV
from pellucid.calibration._pairs import LEAST
from pellucid.calibration._sigmoid import Sigmoid, Temperature
from pellucid.export._builder import Answer, Builder, labels_of, largest, logistic, plain, softmax
from pellucid.export._form import Call, Choose, Compare, Difference, Expression, Number, Product, Quotient, Sum
from pellucid.export._writers import write_model


@write_model.register(CalibratedClassifierCV)
def write_calibrated(model: Any, b: Builder) -> Answer:
    """The score of one classifier, through its sigmoids or over its temperature."""
    labels = labels_of(b, model)
    if len(model.calibrated_classifiers_) != 1:
        requirement = "a calibrated classifier must have one pair of classifier and calibrator to be written as code"
        actual = f"this one has {len(model.calibrated_classifiers_)}"
        raise b.refuse(requirement, actual, "use ensemble=False")
    (pair,) = model.calibrated_classifiers_
    scores, are_probabilities = _scores(pair.estimator, write_model(pair.estimator, b), b)
    if isinstance(pair.calibrators[0], Temperature):
        held = _tempered(float(pair.calibrators[0].beta_), scores, are_probabilities, b)
    else:
        held = _each_against_the_rest(pair.calibrators, scores, b)
    return Answer(largest(held), held, labels)


def _scores(inner: Any, answer: Answer, b: Builder) -> tuple[tuple[Expression, ...], bool]:
    """What the calibrators read: decision values where the classifier has them, else probabilities; one of two."""
    if hasattr(inner, "decision_function"):
        if answer.scores:
            return answer.scores, False
    elif answer.probabilities:
        return answer.probabilities[-1:] if len(answer.probabilities) == 2 else answer.probabilities, True
    raise b.refuse("this calibrated classifier cannot be written as code", f"it calibrates {type(inner).__name__}")


def _each_against_the_rest(calibrators: Any, scores: tuple[Expression, ...], b: Builder) -> tuple[Expression, ...]:
    each = []
    for k, (score, own) in enumerate(zip(scores, calibrators, strict=True)):
        if not isinstance(own, Sigmoid):
            requirement = "only calibration by a sigmoid or a temperature can be written as code"
            raise b.refuse(requirement, f"this one is {type(own).__name__}", "use method='sigmoid'")
        negative = Difference(Product(Number(-float(own.a_)), score), Number(float(own.b_)))
        log_odds = b.set(f"calibrated_score_{k}", negative)
        each.append(b.set(f"calibrated_{k}", logistic(b, log_odds, f"calibrated_power_{k}")[1]))
    if len(each) == 1:
        return Difference(Number(1.0), each[0]), each[0]
    whole = b.set("calibrated_sum", Sum(tuple(each)))
    alike = Number(1.0 / len(each))
    return tuple(Choose(((Compare(">", whole, Number(0.0)), Quotient(one, whole)),), alike) for one in each)


def _tempered(
    beta: float, scores: tuple[Expression, ...], are_probabilities: bool, b: Builder
) -> tuple[Expression, ...]:
    if are_probabilities:
        both: tuple[Expression, ...] = (Difference(Number(1.0), scores[0]), scores[0]) if len(scores) == 1 else scores
        both = tuple(
            b.set(f"log_odds_{k}", Call("log", (b.set(f"above_zero_{k}", Sum((one, Number(LEAST)))),)))
            for k, one in enumerate(both)
        )
    else:
        both = (Difference(Number(0.0), scores[0]), scores[0]) if len(scores) == 1 else scores
    tempered = [b.set(f"tempered_{k}", Product(Number(beta), score)) for k, score in enumerate(both)]
    return softmax(b, tempered, "tempered_")


@write_model.register(FixedThresholdClassifier)
def write_threshold(model: Any, b: Builder) -> Answer:
    """The positive class from the threshold on, whatever the more probable one is."""
    inner = write_model(model.estimator_, b)
    if len(inner.classes) != 2 or not inner.probabilities or model.threshold == "auto":
        requirement = "a classifier with a threshold must have two classes and probabilities to be written as code"
        raise b.refuse(requirement, f"got {type(model.estimator_).__name__}", "set response_method='predict_proba'")
    k = inner.classes.index(plain(model.pos_label))
    held = tuple(b.set(f"probability_{j}", one) for j, one in enumerate(inner.probabilities))
    reached = Compare(">=", held[k], Number(float(model.threshold)))
    return Answer(Choose(((reached, Number(float(k))),), Number(1.0 - k)), held, inner.classes)
