"""How far truth and prediction, or two raters, agree beyond chance; and label by label."""

from __future__ import annotations

from numbers import Real
from typing import Any, Literal

import numpy as np

from pellucid.base.errors import short_repr
from pellucid.metrics._averages import warn_undefined
from pellucid.metrics._pairs import matrix_of, one_label_a_row, one_versus_rest, read_pair, wrong_labels
from pellucid.metrics._read import check_choice, refuse

__all__ = [
    "cohen_kappa_score",
    "hamming_loss",
    "matthews_corrcoef",
]


def matthews_corrcoef(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Correlation of the true and the predicted classes, from -1 over 0 (no better than chance) to 1.

    Of two classes ``(TP TN - FP FN) / sqrt((TP + FP)(TP + FN)(TN + FP)(TN + FN))``. Of several, with c rows right of s,
    t_k rows truly and p_k rows predicted of class k:
    ``(c s - sum_k t_k p_k) / sqrt((s² - sum_k p_k²)(s² - sum_k t_k²))``. It is 0 where either side names one class
    only.

    >>> matthews_corrcoef([1, 1, 1, -1], [1, -1, 1, 1])  # (2*0 - 1*1) / sqrt(3*3*1*1)
    -0.3333333333333333
    """
    who = "matthews_corrcoef"
    pair = one_label_a_row(who, read_pair(who, y_true, y_pred, sample_weight))
    _, fp, fn, tp = (array.astype(np.float64) for array in one_versus_rest(who, pair))
    true, pred, n = tp + fn, tp + fp, float(pair.total)
    if np.count_nonzero(true) < 2 or np.count_nonzero(pred) < 2:
        return 0.0
    spread = np.sqrt((n**2 - pred @ pred) * (n**2 - true @ true))
    return float((tp.sum() * n - true @ pred) / spread)


def cohen_kappa_score(
    y1: Any,
    y2: Any,
    *,
    labels: Any = None,
    weights: Literal["linear", "quadratic"] | None = None,
    sample_weight: Any = None,
    replace_undefined_by: float = float("nan"),
) -> float:
    """Agreement of two raters beyond chance: 1 full, 0 as by chance.

    ``kappa = (p_o - p_e) / (1 - p_e)`` with the share p_o on which they agree and the share p_e on which they would if
    each kept its own frequencies at random. With ``weights`` a disagreement of classes i and j, in sorted order or that
    of ``labels``, counts ``|i - j|`` ("linear") or ``(i - j)²`` ("quadratic") instead of 1:
    ``kappa = 1 - sum_ij d_ij C_ij / sum_ij d_ij E_ij`` with counts C and those by chance E.

    >>> cohen_kappa_score(["no", "no", "yes", "yes"], ["no", "no", "yes", "no"])  # (3/4 - 1/2) / (1 - 1/2)
    0.5
    """
    who = "cohen_kappa_score"
    check_choice(who, "weights", weights, ("linear", "quadratic", None))
    value = replace_undefined_by
    if not isinstance(value, Real) or not (value != value or -1 <= value <= 1):
        refuse(who, "replace_undefined_by must lie between -1 and 1 or be nan", f"got {short_repr(value)}")
    pair = one_label_a_row(who, read_pair(who, y1, y2, sample_weight, names=("y1", "y2")))
    counts = matrix_of(who, pair, labels, "y1").astype(np.float64)
    expected_counts = np.outer(counts.sum(axis=1), counts.sum(axis=0))
    i, j = np.indices(counts.shape)
    distance = {None: i != j, "linear": np.abs(i - j), "quadratic": (i - j) ** 2}[weights]
    expected = (distance * expected_counts).sum()
    if expected == 0:
        actual = (
            "y1, y2 and labels have only one label in common"
            if expected_counts.any()
            else "no row is left within labels"
        )
        warn_undefined(who, "kappa is undefined", f"{actual}: set to {value}", "see replace_undefined_by")
        return float(value)
    return float(1 - (distance * counts).sum() * counts.sum() / expected)


def hamming_loss(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Share of the single labels that are wrong; with one label a row that is the error rate.

    ``sum_i w_i d_i / (k sum_i w_i)`` with d_i wrong labels of k in row i.

    >>> hamming_loss([[0, 1], [1, 1]], [[0, 0], [1, 1]])
    0.25
    """
    pair = read_pair("hamming_loss", y_true, y_pred, sample_weight)
    if pair.kind != "multilabel-indicator":
        return float(pair.total - pair.right) / float(pair.total)
    wrong = wrong_labels(pair)
    return float(wrong.sum() if pair.weight is None else wrong @ pair.weight) / (len(pair.labels) * float(pair.total))
