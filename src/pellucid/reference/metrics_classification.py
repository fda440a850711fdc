"""Metrics of predicted labels, step by step.

Notation: true labels y_1 ... y_n, predicted labels p_1 ... p_n, weights w_1 ... w_n (all 1 where none are given). For a
class taken as the positive one, TP, FP, FN and TN are sums of weights over the rows that are, in this order, rightly
called positive, wrongly called positive, wrongly called negative, rightly called negative.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]


class Counts(NamedTuple):
    """Rows of a two-class problem by truth and prediction."""

    TP: float
    TN: float
    FP: float
    FN: float


def _weights(weights: Sequence[float] | None, n: int) -> list[float]:
    return [1.0] * n if weights is None else [float(w) for w in weights]


def classes(y_true: Sequence[Any], y_pred: Sequence[Any]) -> list[Any]:
    """Every label that occurs on either side, in order."""
    return sorted(set(y_true) | set(y_pred))


def confusion_matrix(y_true: Sequence[Any], y_pred: Sequence[Any], weights: Sequence[float] | None = None) -> Matrix:
    """One row a true class, one column a predicted class: each row of the data adds its weight to one cell."""
    index = {label: i for i, label in enumerate(classes(y_true, y_pred))}
    C = np.zeros((len(index), len(index)))
    for y, p, w in zip(y_true, y_pred, _weights(weights, len(y_true)), strict=True):
        C[index[y], index[p]] += w
    return C


def counts(
    y_true: Sequence[Any], y_pred: Sequence[Any], positive: Any, weights: Sequence[float] | None = None
) -> Counts:
    """TP, TN, FP and FN of one class against all others."""
    TP = TN = FP = FN = 0.0
    for y, p, w in zip(y_true, y_pred, _weights(weights, len(y_true)), strict=True):
        if y == positive and p == positive:
            TP += w
        elif y == positive:
            FN += w
        elif p == positive:
            FP += w
        else:
            TN += w
    return Counts(TP, TN, FP, FN)


def _share(part: float, whole: float, zero_division: float) -> float:
    return part / whole if whole > 0 else zero_division


def accuracy(c: Counts) -> float:
    """``(TP + TN) / (TP + TN + FP + FN)``."""
    return (c.TP + c.TN) / sum(c)


def sensitivity(c: Counts, zero_division: float = 0.0) -> float:
    """Recall, the share of the positives that are found: ``TP / (TP + FN)``."""
    return _share(c.TP, c.TP + c.FN, zero_division)


def specificity(c: Counts, zero_division: float = 0.0) -> float:
    """The share of the negatives that are left alone: ``TN / (TN + FP)``."""
    return _share(c.TN, c.TN + c.FP, zero_division)


def precision(c: Counts, zero_division: float = 0.0) -> float:
    """The share of the alarms that are right: ``TP / (TP + FP)``."""
    return _share(c.TP, c.TP + c.FP, zero_division)


def f_beta(c: Counts, beta: float = 1.0, zero_division: float = 0.0) -> float:
    """``(1 + b²) P R / (b² P + R)`` with precision P and recall R; 0 where nothing positive is found."""
    if c.TP + c.FP + c.FN == 0:
        return zero_division
    P, R = precision(c), sensitivity(c)
    return (1 + beta**2) * P * R / (beta**2 * P + R) if P + R > 0 else 0.0


def jaccard(c: Counts, zero_division: float = 0.0) -> float:
    """``TP / (TP + FP + FN)``."""
    return _share(c.TP, c.TP + c.FP + c.FN, zero_division)


def error_rate(y_true: Sequence[Any], y_pred: Sequence[Any]) -> float:
    """Misclassification rate: ``(n - correct) / n``."""
    n = len(y_true)
    correct = len([y for y, p in zip(y_true, y_pred, strict=True) if y == p])
    return (n - correct) / n


def errors(y_true: Sequence[Any], y_pred: Sequence[Any]) -> list[int]:
    """1 where a row is predicted wrong, else 0."""
    return [int(y != p) for y, p in zip(y_true, y_pred, strict=True)]


def weighted_misclassification_rate(y_true: Sequence[Any], y_pred: Sequence[Any], weights: Sequence[float]) -> float:
    """``sum_i w_i e_i / sum_i w_i`` with e_i = 1 for an error, else 0."""
    weighted = [w * e for w, e in zip(weights, errors(y_true, y_pred), strict=True)]
    return sum(weighted) / sum(weights)


def averaged(figures: Sequence[float], supports: Sequence[float], average: str) -> float:
    """One figure of those of several classes: their mean ("macro"), or weighted by true rows ("weighted")."""
    if average == "macro" or sum(supports) == 0:
        return sum(figures) / len(figures)
    return sum(f * s for f, s in zip(figures, supports, strict=True)) / sum(supports)


def pooled(per_class: Sequence[Counts]) -> Counts:
    """Counts of all classes in one, for the "micro" average."""
    return Counts(*(sum(column) for column in zip(*per_class, strict=True)))


def balanced_accuracy(C: Matrix) -> float:
    """Mean over the classes with true rows of ``C_cc / sum_j C_cj``."""
    recalls = [C[c, c] / C[c].sum() for c in range(len(C)) if C[c].sum() > 0]
    return float(sum(recalls) / len(recalls))


def matthews_corrcoef(C: Matrix) -> float:
    """Correlation of truth and prediction as indicator variables, summed over the classes.

    With c right of s rows, t_k true and p_k predicted rows of class k:
    ``(c s - sum_k t_k p_k) / sqrt((s² - sum_k p_k²)(s² - sum_k t_k²))``; 0 where a side names one class only.
    """
    s, c = C.sum(), np.trace(C)
    t, p = C.sum(axis=1), C.sum(axis=0)
    if (t > 0).sum() < 2 or (p > 0).sum() < 2:
        return 0.0
    return float((c * s - t @ p) / sqrt((s**2 - p @ p) * (s**2 - t @ t)))


def cohen_kappa(C: Matrix, power: int = 0) -> float:
    """``1 - sum_ij d_ij C_ij / sum_ij d_ij E_ij``: disagreement, in units of that expected by chance.

    ``E_ij = t_i p_j / n``; the distance d_ij is 0 on the diagonal, elsewhere ``|i - j|^power``: 1 for power 0.
    """
    n, t, p = C.sum(), C.sum(axis=1), C.sum(axis=0)
    observed = expected = 0.0
    for i in range(len(C)):
        for j in range(len(C)):
            if i != j:
                observed += abs(i - j) ** power * C[i, j]
                expected += abs(i - j) ** power * t[i] * p[j] / n
    return float(1 - observed / expected)


def hinge(margins: Sequence[float]) -> Vector:
    """``max(0, 1 - t)`` of each margin t = label (-1 or 1) times decision."""
    return np.array([max(0.0, 1 - t) for t in margins])


def expected_cost(C: Matrix, costs: Matrix) -> tuple[float, float]:
    """Total ``sum_ij K_ij C_ij`` and mean ``total / n`` of the costs K over the counts C."""
    total = 0.0
    for i in range(len(C)):
        for j in range(len(C)):
            total += costs[i, j] * C[i, j]
    return total, float(total / C.sum())


def threshold_curve(
    positive: Sequence[bool], scores: Sequence[float], weights: Sequence[float] | None = None
) -> list[tuple[float, Counts]]:
    """Every threshold from infinity down, with the counts when ``score >= threshold`` is called positive."""
    thresholds = [inf, *sorted(set(scores), reverse=True)]
    return [(t, counts(positive, [score >= t for score in scores], True, weights)) for t in thresholds]
