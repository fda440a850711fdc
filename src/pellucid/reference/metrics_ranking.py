"""Scores and probabilities against the truth, step by step.

Notation: rows i with a label (1 positive, 0 negative), a score s_i and a weight w_i; P and N are the weights of all
positive and all negative rows. A row is called positive at threshold t where s_i >= t; TP(t) and FP(t) are the weights
of the positive and negative rows called so.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Vector = NDArray[np.float64]


def _vector(values: ArrayLike) -> Vector:
    return np.asarray(values, dtype=np.float64)


def _weights(weight: ArrayLike | None, n: int) -> Vector:
    return np.ones(n) if weight is None else _vector(weight)


def counts_at_thresholds(
    y_true: ArrayLike, y_score: ArrayLike, weight: ArrayLike | None = None
) -> tuple[Vector, Vector, Vector]:
    """Every distinct score from the highest down, with TP and FP there."""
    y, score = _vector(y_true), _vector(y_score)
    w = _weights(weight, len(y))
    thresholds = np.unique(score)[::-1]
    true_positives = [w[(score >= t) & (y == 1)].sum() for t in thresholds]
    false_positives = [w[(score >= t) & (y == 0)].sum() for t in thresholds]
    return thresholds, _vector(true_positives), _vector(false_positives)


def roc_curve(y_true: ArrayLike, y_score: ArrayLike, weight: ArrayLike | None = None) -> tuple[Vector, Vector]:
    """FPR = FP / N and TPR = TP / P at every threshold, from (0, 0) where nothing is called positive to (1, 1)."""
    _, tp, fp = counts_at_thresholds(y_true, y_score, weight)
    return np.append(0, fp / fp[-1]), np.append(0, tp / tp[-1])


def roc_auc_score(y_true: ArrayLike, y_score: ArrayLike, weight: ArrayLike | None = None) -> float:
    """Chance that a positive row scores above a negative one: every pair is looked at, ties count half."""
    y, score = _vector(y_true), _vector(y_score)
    w = _weights(weight, len(y))
    won = total = 0.0
    for i in np.flatnonzero(y == 1):
        for j in np.flatnonzero(y == 0):
            pair = w[i] * w[j]
            total += pair
            if score[i] > score[j]:
                won += pair
            elif score[i] == score[j]:
                won += pair / 2
    return float(won / total)


def precision_recall_curve(
    y_true: ArrayLike, y_score: ArrayLike, weight: ArrayLike | None = None
) -> tuple[Vector, Vector]:
    """Precision TP / (TP + FP) and recall TP / P at every threshold, from the highest down."""
    _, tp, fp = counts_at_thresholds(y_true, y_score, weight)
    return tp / (tp + fp), tp / tp[-1]


def average_precision_score(y_true: ArrayLike, y_score: ArrayLike, weight: ArrayLike | None = None) -> float:
    """``sum_k (R_k - R_k-1) precision_k``: each precision weighted by the recall gained."""
    precision, recall = precision_recall_curve(y_true, y_score, weight)
    gained = np.diff(np.append(0, recall))
    return float((gained * precision).sum())


def log_loss(y_true: ArrayLike, p: ArrayLike, weight: ArrayLike | None = None) -> float:
    """``-sum_i w_i log p_i[y_i] / sum_i w_i`` for classes 0 .. k-1 and one column of p a class.

    Probabilities are kept off 0 and 1 by the spacing of floating-point numbers at 1.
    """
    y, table = np.asarray(y_true, dtype=int), np.asarray(p, dtype=np.float64)
    w, eps = _weights(weight, len(y)), np.finfo(np.float64).eps
    total = 0.0
    for i in range(len(y)):
        of_true_class = min(max(table[i, y[i]], eps), 1 - eps)
        total -= w[i] * np.log(of_true_class)
    return float(total / w.sum())


def brier_score_loss(y_true: ArrayLike, p: ArrayLike, weight: ArrayLike | None = None) -> float:
    """``sum_i w_i sum_j ([y_i = j] - p_ij)^2 / sum_i w_i`` for classes 0 .. k-1 and one column of p a class."""
    y, table = np.asarray(y_true, dtype=int), np.asarray(p, dtype=np.float64)
    w = _weights(weight, len(y))
    happened = np.zeros(table.shape)
    happened[np.arange(len(y)), y] = 1
    return float((w * ((happened - table) ** 2).sum(axis=1)).sum() / w.sum())


def calibration_curve(y_true: ArrayLike, p: ArrayLike, n_bins: int = 5) -> tuple[Vector, Vector]:
    """Share of positives and mean probability in bins of equal width ((j-1)/b, j/b]; empty bins are left out."""
    y, probability = _vector(y_true), _vector(p)
    borders = np.linspace(0, 1, n_bins + 1)
    true, predicted = [], []
    for j in range(n_bins):
        inside = (probability > borders[j]) & (probability <= borders[j + 1])
        inside |= (probability == 0) & (j == 0)
        if inside.any():
            true.append(y[inside].mean())
            predicted.append(probability[inside].mean())
    return _vector(true), _vector(predicted)


def top_k_accuracy_score(y_true: ArrayLike, y_score: ArrayLike, k: int = 2) -> float:
    """Share of rows whose class is among the k of highest score; of equal scores the one further right comes first."""
    y, table = np.asarray(y_true, dtype=int), np.asarray(y_score, dtype=np.float64)
    hits = 0
    for label, row in zip(y, table, strict=True):
        ranked = sorted(range(len(row)), key=lambda j: (row[j], j), reverse=True)
        hits += label in ranked[:k]
    return hits / len(y)


def confusion_counts(y_true: ArrayLike, y_pred: ArrayLike, k: int, weight: ArrayLike | None = None) -> Vector:
    """How much weight has true class i and predicted class j, for classes 0 .. k-1."""
    y, predicted = np.asarray(y_true, dtype=int), np.asarray(y_pred, dtype=int)
    counts = np.zeros((k, k))
    for i, j, w in zip(y, predicted, _weights(weight, len(y)), strict=True):
        counts[i, j] += w
    return counts


def _logarithm(x: float, base: float | None) -> float:
    """To the base, or natural; of a power of two to the base 2 exactly."""
    if base is None:
        return float(np.log(x))
    return float(np.log2(x) if base == 2 else np.log(x) / np.log(base))


def cross_entropy(p: ArrayLike, q: ArrayLike, base: float | None = None) -> float:
    """``-sum_j p_j log q_j``, to the base or natural; outcomes that p excludes count nothing."""
    total = 0.0
    for p_j, q_j in zip(_vector(p), _vector(q), strict=True):
        if p_j > 0:
            total -= p_j * (-np.inf if q_j == 0 else _logarithm(q_j, base))
    return float(total)


def entropy(p: ArrayLike, base: float | None = None) -> float:
    """``-sum_j p_j log p_j``: the cross entropy of a distribution with itself."""
    return cross_entropy(p, p, base)


def gini_impurity(p: ArrayLike) -> float:
    """``sum_k p_k (1 - p_k)``: the chance that two draws differ."""
    return float(sum(share * (1 - share) for share in _vector(p)))


def kl_divergence(p: ArrayLike, q: ArrayLike, base: float | None = None) -> float:
    """``sum_j p_j log(p_j / q_j)``: what a code made for q costs on p, above what p needs."""
    return cross_entropy(p, q, base) - entropy(p, base)
