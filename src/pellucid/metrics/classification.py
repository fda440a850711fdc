"""How well labels are predicted: counts of right and wrong, and the figures made from them.

Names, arguments and conventions are scikit-learn's where it has the function; `specificity_score`, `error_rate`,
`weighted_misclassification_rate` and `rates` are ours. In the formulas, for a class taken as the
positive one: TP its rows predicted as such, FN its other rows, FP rows of other classes predicted as it, TN the rest;
w_i is the weight of row i (1 without ``sample_weight``), and every count is a sum of weights.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from pellucid.base.errors import PellucidWarning, format_message, warn
from pellucid.base.types import Array, Floats
from pellucid.metrics._averages import (
    Average,
    UndefinedMetricWarning,
    ZeroDivision,
    averaged,
    check_zero_division,
    divided,
    mean_weights,
    scores,
    set_wise,
    warn_undefined,
)
from pellucid.metrics._labels import read_labels
from pellucid.metrics._pairs import LabelPair, one_label_a_row, one_versus_rest, read_pair
from pellucid.metrics._rates import Rates
from pellucid.metrics._read import check_lengths, fail, numbers, weights

__all__ = [
    "ImbalanceWarning",
    "Rates",
    "UndefinedMetricWarning",
    "accuracy_score",
    "balanced_accuracy_score",
    "error_rate",
    "f1_score",
    "fbeta_score",
    "hinge_loss",
    "jaccard_score",
    "precision_recall_fscore_support",
    "precision_score",
    "rates",
    "recall_score",
    "sensitivity_score",
    "specificity_score",
    "weighted_misclassification_rate",
    "zero_one_loss",
]

MISLEADING_SHARE = 0.95


class ImbalanceWarning(PellucidWarning):
    """Accuracy hardly says anything, because nearly all rows are of one class."""


def accuracy_score(y_true: Any, y_pred: Any, *, normalize: bool = True, sample_weight: Any = None) -> float:
    """Share of the rows that are predicted right.

    ``accuracy = sum_i w_i [y_i = p_i] / sum_i w_i`` with true labels y and predicted labels p; the numerator alone with
    ``normalize=False``. With several labels a row, a row is right where all its labels are.

    Where nearly all rows are of one class, naming that class always is nearly always right: a figure that a useless
    model reaches. An :class:`ImbalanceWarning` says so when one class of several holds 95 % of the rows or more and the
    accuracy is no better than its share. Then look at :func:`balanced_accuracy_score` or :func:`recall_score`.

    >>> accuracy_score([0, 1, 2, 3], [0, 2, 1, 3])
    0.5
    """
    pair = read_pair("accuracy_score", y_true, y_pred, sample_weight)
    _warn_of_imbalance(pair)
    return float(pair.right) / (float(pair.total) if normalize else 1.0)


def zero_one_loss(y_true: Any, y_pred: Any, *, normalize: bool = True, sample_weight: Any = None) -> float:
    """Share of the rows that are predicted wrong, 1 - accuracy; with ``normalize=False`` their number.

    ``sum_i w_i [y_i != p_i] / sum_i w_i`` with true labels y and predicted labels p.

    >>> zero_one_loss([1, 2, 3, 4], [1, 2, 3, 3])
    0.25
    >>> zero_one_loss([1, 2, 3, 4], [1, 2, 3, 3], normalize=False)
    1.0
    """
    return _zero_one_loss("zero_one_loss", y_true, y_pred, normalize, sample_weight)


def error_rate(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Misclassification rate: ``(n - correct) / n``, which is ``(FP + FN) / n`` for two classes.

    >>> error_rate(["a", "b", "b", "b"], ["b", "b", "b", "b"])
    0.25
    """
    return _zero_one_loss("error_rate", y_true, y_pred, True, sample_weight)


def weighted_misclassification_rate(y_true: Any, y_pred: Any, weights: Any) -> float:
    """Errors times weights over the sum of the weights: the error that boosting reweighs its rows by.

    ``sum_i w_i e_i / sum_i w_i`` with e_i = 1 where row i is predicted wrong, else 0.

    >>> round(weighted_misclassification_rate([-1, 1, -1], [-1, -1, -1], [0.01, 0.5, 0.2]), 3)  # 0.5 / 0.71
    0.704
    """
    return _zero_one_loss("weighted_misclassification_rate", y_true, y_pred, True, weights)


def balanced_accuracy_score(y_true: Any, y_pred: Any, *, sample_weight: Any = None, adjusted: bool = False) -> float:
    """Mean of the classes' recalls: every class counts the same, however rare.

    ``(1/k) sum_c C_cc / sum_j C_cj`` over the k classes that occur in ``y_true``, with the confusion matrix C. A
    constant prediction gets 1/k; with ``adjusted`` that becomes 0: ``(score - 1/k) / (1 - 1/k)``.

    >>> balanced_accuracy_score([0, 0, 0, 1], [0, 0, 0, 0])
    0.5
    """
    who = "balanced_accuracy_score"
    _, _, fn, tp = one_versus_rest(who, one_label_a_row(who, read_pair(who, y_true, y_pred, sample_weight)))
    occurs = tp + fn > 0
    if not occurs.all():
        warn(
            format_message(who, "y_pred contains classes not in y_true", actual="they are left out of the mean"),
            PellucidWarning,
        )
    recalls = tp[occurs] / (tp + fn)[occurs]
    score, baseline = float(recalls.mean()), 1 / len(recalls)
    if not adjusted:
        return score
    if baseline == 1:
        warn_undefined(who, "the adjusted score needs two classes in y_true", "got one: set to nan", "")
        return float("nan")
    return (score - baseline) / (1 - baseline)


def precision_recall_fscore_support(
    y_true: Any,
    y_pred: Any,
    *,
    beta: float = 1.0,
    labels: Any = None,
    pos_label: Any = 1,
    average: Average = None,
    warn_for: Collection[str] = ("precision", "recall", "f-score"),
    sample_weight: Any = None,
    zero_division: ZeroDivision = "warn",
) -> tuple[Any, Any, Any, Array | None]:
    """Precision, recall, F-score and number of true rows of each class, or an average of the first three.

    ``P = TP / (TP + FP)``,  ``R = TP / (TP + FN)``,  ``F = (1 + b²) TP / ((1 + b²) TP + b² FN + FP)`` with b = beta:
    the recall counts b times as much as the precision.

    ``average``:  "binary" the figures of ``pos_label``;  None those of every class, in the order of ``labels``;
    "macro" their mean;  "weighted" their mean weighted by true rows;  "micro" from the sums of TP, FP, FN over the
    classes;  "samples" the mean over rows, for targets with several labels a row.  ``zero_division`` is what 0/0
    becomes: 0, 1, nan (left out of averages), or "warn", which is 0 with an :class:`UndefinedMetricWarning`.

    >>> p, r, f, support = precision_recall_fscore_support(["a", "a", "b", "b"], ["a", "b", "b", "b"])
    >>> r, support
    (array([0.5, 1. ]), array([2, 2]))
    """
    return scores(
        "precision_recall_fscore_support",
        read_pair("precision_recall_fscore_support", y_true, y_pred, sample_weight),
        beta=beta,
        labels=labels,
        pos_label=pos_label,
        average=average,
        warn_for=warn_for,
        zero_division=zero_division,
    )


def precision_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    pos_label: Any = 1,
    average: Average = "binary",
    sample_weight: Any = None,
    zero_division: ZeroDivision = "warn",
) -> Any:
    """Share of the alarms that are right: ``TP / (TP + FP)``.

    ``average`` and ``zero_division`` as in :func:`precision_recall_fscore_support`.

    >>> precision_score([0, 0, 1, 1], [0, 1, 1, 0])
    0.5
    """
    who = "precision_score"
    pair = read_pair(who, y_true, y_pred, sample_weight)
    return scores(who, pair, 1.0, labels, pos_label, average, ("precision",), zero_division)[0]


def recall_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    pos_label: Any = 1,
    average: Average = "binary",
    sample_weight: Any = None,
    zero_division: ZeroDivision = "warn",
) -> Any:
    """Share of the positives that are found (sensitivity, true positive rate): ``TP / (TP + FN)``.

    ``average`` and ``zero_division`` as in :func:`precision_recall_fscore_support`.

    >>> recall_score([0, 1, 1, 1, 1], [0, 1, 1, 1, 0])
    0.75
    """
    who = "recall_score"
    pair = read_pair(who, y_true, y_pred, sample_weight)
    return scores(who, pair, 1.0, labels, pos_label, average, ("recall",), zero_division)[1]


sensitivity_score = recall_score


def specificity_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    pos_label: Any = 1,
    average: Average = "binary",
    sample_weight: Any = None,
    zero_division: ZeroDivision = "warn",
) -> Any:
    """Share of the negatives that are left alone (true negative rate): ``TN / (TN + FP)``.

    Of two classes it is the recall of the negative one. Of several, each class in turn is the positive one against the
    others, and ``average`` is taken as in :func:`precision_recall_fscore_support`. scikit-learn has no such function.

    >>> specificity_score([0, 0, 0, 0, 1], [0, 0, 0, 1, 1])
    0.75
    >>> specificity_score(["a", "b", "c", "c"], ["a", "c", "c", "c"], average=None)
    array([1. , 1. , 0.5])
    """
    who = "specificity_score"
    check_zero_division(who, zero_division)
    pair = read_pair(who, y_true, y_pred, sample_weight)
    counts = set_wise(who, pair, labels, pos_label, average)
    used = counts.pooled() if average == "micro" else counts
    score = divided(who, used.tn, used.tn + used.fp, "specificity", "negative", average, zero_division)
    return averaged(score, mean_weights(pair, counts, average), average)


def fbeta_score(
    y_true: Any,
    y_pred: Any,
    *,
    beta: float,
    labels: Any = None,
    pos_label: Any = 1,
    average: Average = "binary",
    sample_weight: Any = None,
    zero_division: ZeroDivision = "warn",
) -> Any:
    """Weighted harmonic mean of precision P and recall R, in which the recall counts beta times as much.

    ``F = (1 + b²) P R / (b² P + R) = (1 + b²) TP / ((1 + b²) TP + b² FN + FP)`` with b = beta.

    >>> fbeta_score([0, 1, 1, 1], [1, 1, 0, 0], beta=2)  # 5 TP / (5 TP + 4 FN + FP) = 5 / (5 + 8 + 1)
    0.35714285714285715
    """
    who = "fbeta_score"
    pair = read_pair(who, y_true, y_pred, sample_weight)
    return scores(who, pair, beta, labels, pos_label, average, ("f-score",), zero_division)[2]


def f1_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    pos_label: Any = 1,
    average: Average = "binary",
    sample_weight: Any = None,
    zero_division: ZeroDivision = "warn",
) -> Any:
    """Harmonic mean of precision P and recall R: ``F1 = 2 P R / (P + R) = 2 TP / (2 TP + FP + FN)``.

    True negatives do not enter. ``average`` and ``zero_division`` as in :func:`precision_recall_fscore_support`.

    >>> f1_score([0, 1, 1, 1], [1, 1, 0, 1])  # 4 / (4 + 1 + 1)
    0.6666666666666666
    """
    who = "f1_score"
    pair = read_pair(who, y_true, y_pred, sample_weight)
    return scores(who, pair, 1.0, labels, pos_label, average, ("f-score",), zero_division)[2]


def jaccard_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    pos_label: Any = 1,
    average: Average = "binary",
    sample_weight: Any = None,
    zero_division: ZeroDivision = "warn",
) -> Any:
    """Rows positive in truth and prediction over rows positive in either: ``J = TP / (TP + FP + FN)``.

    ``average`` as in :func:`precision_recall_fscore_support`; ``zero_division`` is 0, 1 or "warn".

    >>> jaccard_score([0, 1, 1, 1], [1, 1, 0, 1])
    0.5
    """
    who = "jaccard_score"
    check_zero_division(who, zero_division, nan=False)
    pair = read_pair(who, y_true, y_pred, sample_weight)
    counts = set_wise(who, pair, labels, pos_label, average)
    used = counts.pooled() if average == "micro" else counts
    score = divided(who, used.tp, used.tp + used.fp + used.fn, "jaccard", "true or predicted", average, zero_division)
    return averaged(score, mean_weights(pair, counts, average), average)


def hinge_loss(y_true: Any, pred_decision: Any, *, labels: Any = None, sample_weight: Any = None) -> float:
    """Mean hinge loss: nothing for a row on the right side with a margin of 1 or more, else what is lacking.

    Two classes, t_i = 1 for the larger label and -1 for the other, decision f_i: ``max(0, 1 - t_i f_i)``. Several, with
    one column of decisions a class in sorted order: ``max(0, 1 - (f_iy - max over c != y of f_ic))`` with the true
    class y. The weighted mean over the rows is returned.

    ``labels`` are needed where ``y_true`` lacks a class. scikit-learn then takes a single class for the negative one;
    here ``labels`` decide, or, without them, the sign of a label that is -1, 0 or 1, and another label is refused.

    >>> hinge_loss([-1, 1, 1], [-2.0, 0.5, 3.0])  # (0 + 0.5 + 0) / 3
    0.16666666666666666
    """
    who = "hinge_loss"
    classes, codes = read_labels(who, "y_true", y_true, labels)
    decision = numbers(who, pred_decision, "pred_decision")
    check_lengths(who, y_true=codes, pred_decision=decision)
    weight = weights(who, sample_weight, len(codes))
    if len(classes) > 2:
        margin = _margin(who, classes, codes, decision, labels)
    else:
        margin = _sign(who, classes, codes) * _one_column(who, decision)
    with np.errstate(over="ignore"):  # infinite where the mean is out of range
        return float(np.average(np.maximum(0.0, 1 - margin), weights=weight))


def rates(y_true: Any, y_pred: Any, *, pos_label: Any = 1, sample_weight: Any = None) -> Rates:
    """TP, TN, FP and FN of two classes, with every rate made from them; print it to see them all.

    >>> r = rates(["no", "no", "no", "yes"], ["no", "no", "yes", "yes"], pos_label="yes")
    >>> r
    Rates(TP=1, TN=2, FP=1, FN=0)
    >>> r.precision, r.negative_predictive_value
    (0.5, 1.0)
    """
    pair = read_pair("rates", y_true, y_pred, sample_weight)
    tn, fp, fn, tp = (array.tolist()[0] for array in set_wise("rates", pair, None, pos_label, "binary"))
    return Rates(TP=tp, TN=tn, FP=fp, FN=fn)


def _zero_one_loss(who: str, y_true: Any, y_pred: Any, normalize: bool, sample_weight: Any) -> float:
    pair = read_pair(who, y_true, y_pred, sample_weight)
    return float(pair.total - pair.right) / (float(pair.total) if normalize else 1.0)


def _warn_of_imbalance(pair: LabelPair) -> None:
    if pair.kind == "multilabel-indicator":
        return
    of_class = pair.of_true
    majority_code = int(of_class.argmax())
    majority, correct, total = float(of_class[majority_code]), float(pair.right), float(pair.total)
    if np.count_nonzero(of_class) < 2 or majority < MISLEADING_SHARE * total or correct > majority:
        return
    actual = (
        f"class {pair.labels[majority_code].item()!r} holds {majority / total:.2%} of y_true, so that naming it always"
    )
    warn(
        format_message(
            "accuracy_score",
            f"an accuracy of {correct / total:.2%} says little here",
            actual=f"{actual} would reach {majority / total:.2%}",
            hint="look at balanced_accuracy_score, or recall_score of the rare class",
        ),
        ImbalanceWarning,
    )


def _sign(who: str, classes: Array, codes: Array) -> Array:
    """1 for the larger label, -1 for the other."""
    if len(classes) == 2:
        return 2 * codes - 1
    only = classes[0].item()
    if only not in (-1, 0, 1):
        fail(who, "y_true must hold two classes", f"got {only!r} only", "pass both as labels=[negative, positive]")
    return np.full(len(codes), 1 if only == 1 else -1)


def _one_column(who: str, decision: Floats) -> Floats:
    if decision.ndim == 2 and decision.shape[1] != 1:
        actual = f"y should be a 1d array, got an array of shape {decision.shape} instead"
        fail(who, "pred_decision must be one column for two classes", actual, "take the column of the larger label")
    return decision.ravel()


def _margin(who: str, classes: Array, codes: Array, decision: Floats, labels: Any) -> Floats:
    """Decision of the true class less the largest of the others."""
    need = (len(codes), len(classes))
    if decision.ndim == 1:
        fail(
            who,
            f"pred_decision must be of shape (n_samples, n_classes), that is {need}",
            f"The shape of pred_decision cannot be 1d array with a multiclass target; got {decision.shape}",
        )
    if decision.shape != need:
        actual = (
            "Please include all labels in y_true or pass labels as third argument"
            if labels is None
            else "The shape of pred_decision is not consistent with the number of classes"
        )
        fail(
            who,
            f"pred_decision must be of shape (n_samples, n_classes), that is {need}",
            f"{actual}: got {decision.shape}",
        )
    true = np.arange(len(classes)) == codes[:, None]
    return np.asarray(decision[true] - np.where(true, -np.inf, decision).max(axis=1))
