"""How pure and how complete the rows called positive are, at every threshold; and the two kinds of error there.

Counts are those of ``ranking``: at a threshold t, TP(t) and FP(t) are the positive and negative rows whose score is at
least t, P and N all positive and all negative rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pellucid.base.types import Floats
from pellucid.metrics._read import check_choice, fail, refuse
from pellucid.metrics._scores import (
    AVERAGES,
    Average,
    Curve,
    Scored,
    average_over,
    class_against_rest,
    ends,
    one_against_rest,
    one_hot,
    positive_class,
    read_classes,
    read_matching,
    read_scores,
    read_table,
    refuse_shape,
    scored,
    steps,
    warn_of,
)

__all__ = [
    "average_precision_score",
    "det_curve",
    "precision_recall_curve",
]


def precision_recall_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    drop_intermediate: bool = False,
) -> Curve:
    """Precision and recall at every threshold: how pure and how complete the rows called positive are.

    ``precision(t) = TP(t) / (TP(t) + FP(t)),   recall(t) = TP(t) / P``

    Thresholds rise; a last point (precision 1, recall 0) without a threshold closes the curve. With
    ``drop_intermediate`` only the first and the last point of each recall are kept.

    >>> precision, recall, thresholds = precision_recall_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> precision
    array([0.5       , 0.66666667, 0.5       , 1.        , 1.        ])
    >>> recall
    array([1. , 1. , 0.5, 0.5, 0. ])
    >>> thresholds
    array([0.1 , 0.35, 0.4 , 0.8 ])
    """
    who = "precision_recall_curve"
    return _precisions(who, scored(who, y_true, y_score, pos_label, sample_weight), drop_intermediate)


def _precisions(who: str, rows: Scored, drop_intermediate: bool = False) -> Curve:
    threshold, tp, fp = steps(who, rows)
    if drop_intermediate and len(tp) > 2:
        keep = ends((np.diff(tp[:-1]) != 0) | (np.diff(tp[1:]) != 0))
        threshold, tp, fp = threshold[keep], tp[keep], fp[keep]
    precision = tp / (tp + fp)
    if tp[-1] > 0:
        recall = tp / tp[-1]
    else:
        actual = "No positive class found in y_true, recall is set to one for all thresholds"
        warn_of(who, "y_true must have positive rows", actual, UserWarning)
        recall = np.ones(len(tp))
    return np.append(precision[::-1], 1.0), np.append(recall[::-1], 0.0), threshold[::-1]


def average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: Average = "macro",
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> float | Floats:
    """Mean of the precisions at each threshold, weighted by how much recall is gained there.

    ``AP = sum_k (R_k - R_k-1) precision_k``, k from the highest threshold down.

    It is the area under the steps of the precision-recall curve, without interpolation. A ranking without meaning
    reaches the share of positives. Of more than two classes, and for tables of zeros and ones, every column of scores
    is set against its class and ``average`` says how the figures become one.

    >>> average_precision_score([0, 1, 0, 1], [0.1, 0.4, 0.6, 0.8])  # 1/2 * 1 + 1/2 * 2/3
    0.8333333333333333
    """
    who = "average_precision_score"
    check_choice(who, "average", average, AVERAGES)
    table, scores = read_table(who, y_true), read_scores(who, y_score)
    if table is None:
        classes, codes = read_classes(who, y_true)
        if len(classes) <= 2:
            if len(classes) == 2 and positive_class(who, classes, pos_label) < 0:
                requirement = f"pos_label={pos_label} is not a valid label"
                refuse(who, requirement, f"It should be one of {classes.tolist()}")
            rows = class_against_rest(who, classes, codes, scores, pos_label, sample_weight)
            return _average_precision(who, rows)
        table = one_hot(codes, len(classes))
        if scores.shape != table.shape:
            refuse_shape(who, scores)
    if pos_label != 1:
        requirement = "Parameter pos_label is fixed to 1 for multiclass and multilabel-indicator y_true"
        refuse(who, requirement, f"got {pos_label!r}", "Do not set pos_label or set pos_label to 1")
    weight = read_matching(who, table, scores, sample_weight)
    return average_over(
        lambda column, score, w: _average_precision(who, one_against_rest(column, 1, score, w)),
        table,
        scores,
        average,
        weight,
    )


def _average_precision(who: str, rows: Scored) -> float:
    precision, recall, _ = _precisions(who, rows)
    return max(0.0, float(-np.sum(np.diff(recall) * precision[:-1])))


def det_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    drop_intermediate: bool = False,
) -> Curve:
    """False positive and false negative rates at every threshold: the trade between the two kinds of error.

    ``FPR(t) = FP(t) / N,   FNR(t) = 1 - TP(t) / P``

    Thresholds rise, from the last at which no positive row is missed to the first at which no negative one is accepted.

    >>> det_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    (array([0.5, 0.5, 0. ]), array([0. , 0.5, 0.5]), array([0.35, 0.4 , 0.8 ]))
    """
    who = "det_curve"
    threshold, tp, fp = steps(who, scored(who, y_true, y_score, pos_label, sample_weight))
    if not (tp[-1] and fp[-1]):
        actual = "Only one class is present in y_true. Detection error tradeoff curve is not defined in that case"
        fail(who, "y_true must have both classes", actual)
    tp, fp = np.append(0.0, tp), np.append(0.0, fp)
    threshold = np.append(np.inf, threshold.astype(np.float64))
    if drop_intermediate and len(fp) > 2:
        keep = ends((np.diff(tp[:-1]) != 0) | (np.diff(tp[1:]) != 0))
        threshold, tp, fp = threshold[keep], tp[keep], fp[keep]
    first = int(np.searchsorted(fp, fp[0], side="right")) - 1
    last = int(np.searchsorted(tp, tp[-1])) + 1
    span = slice(first, last)
    return (fp[span] / fp[-1])[::-1], ((tp[-1] - tp[span]) / tp[-1])[::-1], threshold[span][::-1]
