"""Answers by ``pellucid.metrics``."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

from pellucid.metrics import classification as public
from pellucid.reference import metrics_classification as reference

from ..frame import Example, PathName, answers


@answers("003-confusion-matrix-metrics")
def confusion(example: Example, path: PathName) -> Mapping[str, Any]:
    """The table is given as counts; the public functions get the rows that they count."""
    d = example.data
    rows = [("YES", "YES")] * d["TP"] + [("NO", "NO")] * d["TN"] + [("NO", "YES")] * d["FP"] + [("YES", "NO")] * d["FN"]
    y_true, y_pred = [list(side) for side in zip(*rows, strict=True)]
    positive = example.settings["positive_class"]
    if path == "kernel":
        shown = {
            "accuracy": public.accuracy_score(y_true, y_pred),
            "error rate": public.error_rate(y_true, y_pred),
            "sensitivity": public.recall_score(y_true, y_pred, pos_label=positive),
            "specificity": public.specificity_score(y_true, y_pred, pos_label=positive),
            "precision": public.precision_score(y_true, y_pred, pos_label=positive),
            "F1": public.f1_score(y_true, y_pred, pos_label=positive),
        }
        r = public.rates(y_true, y_pred, pos_label=positive)
        assert list(shown.values()) == [r.accuracy, r.error_rate, r.sensitivity, r.specificity, r.precision, r.f1]
        return shown
    c = reference.counts(y_true, y_pred, positive)
    P, R = round(reference.precision(c), 2), round(reference.sensitivity(c), 2)
    return {
        "accuracy": reference.accuracy(c),
        "error rate": reference.error_rate(y_true, y_pred),
        "sensitivity": reference.sensitivity(c),
        "specificity": reference.specificity(c),
        "precision": reference.precision(c),
        "F1": reference.f_beta(c),
        "trace: 1": {"accuracy": f"{c.TP + c.TN:g}/{sum(c):g}"},
        "trace: 2": {"sensitivity": f"{c.TP:g}/{c.TP + c.FN:g}"},
        "trace: 3": {"specificity": f"{c.TN:g}/{c.TN + c.FP:g}"},
        "trace: 4": {"precision": f"{c.TP:g}/{c.TP + c.FP:g}"},
        "trace: 5": {"F1 from rounded inputs": [round(2 * P * R, 2), round(P + R, 2), round(2 * P * R / (P + R), 2)]},
    }


@answers("003-imbalanced-accuracy")
def always_no(example: Example, path: PathName) -> Mapping[str, Any]:
    y_true = ["NO"] * example.data["n_no"] + ["YES"] * example.data["n_yes"]
    y_pred = ["NO"] * len(y_true)
    positive = example.settings["positive_class"]
    if path == "reference":
        c = reference.counts(y_true, y_pred, positive)
        return {
            "accuracy": reference.accuracy(c),
            "sensitivity": reference.sensitivity(c),
            "specificity": reference.specificity(c),
            "F1": reference.f_beta(c),
            "balanced accuracy": reference.balanced_accuracy(reference.confusion_matrix(y_true, y_pred)),
        }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", public.ImbalanceWarning)  # what the example warns of
        accuracy = public.accuracy_score(y_true, y_pred)
    return {
        "accuracy": accuracy,
        "sensitivity": public.recall_score(y_true, y_pred, pos_label=positive),
        "specificity": public.specificity_score(y_true, y_pred, pos_label=positive),
        "F1": public.f1_score(y_true, y_pred, pos_label=positive),
        "balanced accuracy": public.balanced_accuracy_score(y_true, y_pred),
    }


@answers("000-misclassification-rate")
def misclassification(example: Example, path: PathName) -> Mapping[str, Any]:
    n, correct = example.data["N"], example.data["correct"]
    y_true, y_pred = [1] * n, [1] * correct + [0] * (n - correct)
    module = reference if path == "reference" else public
    return {"error": module.error_rate(y_true, y_pred)}


@answers("000-adaboost-weighted-error")
def weighted_error(example: Example, path: PathName) -> Mapping[str, Any]:
    y_true, y_pred, weights = example.data["Y"], example.data["prediction"], example.data["weight"]
    if path == "reference":
        return {
            "perror": reference.errors(y_true, y_pred),
            "weighted error": reference.weighted_misclassification_rate(y_true, y_pred, weights),
        }
    return {
        "perror": [public.zero_one_loss([y], [p]) for y, p in zip(y_true, y_pred, strict=True)],
        "weighted error": public.weighted_misclassification_rate(y_true, y_pred, weights),
    }


@answers("002-hinge-loss-pieces")
def hinge(example: Example, path: PathName) -> Mapping[str, Any]:
    """Slopes as differences over a step that binary numbers hold exactly."""

    def loss(t: float) -> float:
        return float(reference.hinge([t])[0]) if path == "reference" else public.hinge_loss([1], [t], labels=[-1, 1])

    def slope(low: float, high: float) -> float:
        return (loss(high) - loss(low)) / (high - low)

    return {
        'loss at the listed t (only "zero for t >= 1" is printed)': [loss(t) for t in example.data["t"]],
        "slope for t < 1": slope(0.25, 0.75),
        "slope for t > 1": slope(1.25, 1.75),
        "admissible subderivatives at t = 1": slope(0.5, 1.5),
    }
