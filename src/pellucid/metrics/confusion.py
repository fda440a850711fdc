"""Which classes are taken for which: the confusion matrix, as numbers and as a table in words."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from pellucid.base.errors import PellucidWarning, format_message, warn
from pellucid.base.types import Array
from pellucid.metrics._labels import label_list
from pellucid.metrics._pairs import matrix_of, one_label_a_row, one_versus_rest, read_pair
from pellucid.metrics._rates import text_table
from pellucid.metrics._read import check_choice
from pellucid.metrics._report import check_digits

__all__ = [
    "confusion_matrix",
    "confusion_table",
    "multilabel_confusion_matrix",
]


def confusion_matrix(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    normalize: Literal["true", "pred", "all"] | None = None,
) -> Array:
    """How often each true class (row) was predicted as each class (column).

    ``C_ij = sum of w_r over rows r with true label i and predicted label j``. Classes are in sorted order, or those of
    ``labels`` in its order; rows with another label are left out. ``normalize`` divides by the sum of the row
    ("true"), of the column ("pred") or of the matrix ("all"); 0/0 is 0. Of two classes ``C.ravel()`` is TN, FP, FN, TP.

    >>> confusion_matrix(["cat", "cat", "dog", "dog", "dog"], ["cat", "dog", "dog", "dog", "cat"])
    array([[1, 1],
           [1, 2]])
    """
    who = "confusion_matrix"
    check_choice(who, "normalize", normalize, ("true", "pred", "all", None))
    counts = matrix_of(who, one_label_a_row(who, read_pair(who, y_true, y_pred, sample_weight)), labels)
    if counts.shape == (1, 1):
        warn(
            format_message(
                who,
                "the matrix has one row only",
                actual="A single label was found in 'y_true' and 'y_pred'",
                hint="for the correct shape, use the 'labels' parameter to pass all known labels",
            ),
            PellucidWarning,
        )
    return _normalized(counts, normalize)


def confusion_table(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    normalize: Literal["true", "pred", "all"] | None = None,
    digits: int = 2,
) -> str:
    """The confusion matrix as text, with the labels at its sides and, for counts, the sums of rows and columns.

    Arguments are those of :func:`confusion_matrix`; ``digits`` are the decimals of what is not a whole count.

    >>> print(confusion_table(["no", "no", "yes", "yes"], ["no", "yes", "yes", "yes"]))
                predicted
                no  yes  total
    actual no    1    1      2
    actual yes   0    2      2
    total        1    3      4
    """
    who = "confusion_table"
    check_choice(who, "normalize", normalize, ("true", "pred", "all", None))
    check_digits(who, digits)
    pair = one_label_a_row(who, read_pair(who, y_true, y_pred, sample_weight))
    names = pair.labels.tolist() if labels is None else label_list(who, labels)
    cells = _normalized(matrix_of(who, pair, labels), normalize).tolist()
    return text_table([str(name) for name in names], cells, normalize is None, int(digits))


def multilabel_confusion_matrix(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, labels: Any = None, samplewise: bool = False
) -> Array:
    """A two-by-two matrix ``[[TN, FP], [FN, TP]]`` for each label against all others, or for each row.

    With ``samplewise``, of targets with several labels a row, the counts go over the labels of a row.

    >>> multilabel_confusion_matrix(["a", "b", "c"], ["a", "c", "c"], labels=["c"])
    array([[[1, 1],
            [0, 1]]])
    """
    who = "multilabel_confusion_matrix"
    pair = read_pair(who, y_true, y_pred, sample_weight)
    counts = one_versus_rest(who, pair, None if labels is None else label_list(who, labels), samplewise)
    return np.stack(counts).T.reshape(-1, 2, 2)


def _normalized(counts: Array, normalize: str | None) -> Array:
    if normalize is None:
        return counts
    axis = {"true": 1, "pred": 0, "all": None}[normalize]
    totals = counts.sum(axis=axis, keepdims=True)
    return np.asarray(counts / np.where(totals == 0, 1, totals))
