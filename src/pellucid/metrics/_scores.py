"""What the metrics of scores and probabilities read: scores as numbers, labels as codes, one positive class.

What numbers and weights must be is said in ``_read``, what labels must be in ``_labels``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, NoReturn

import numpy as np
import scipy.sparse
from sklearn.exceptions import UndefinedMetricWarning

from pellucid import _core
from pellucid.base.errors import format_message, short_repr, warn
from pellucid.base.threads import effective_threads
from pellucid.base.types import Array, Flags, Floats
from pellucid.metrics._labels import read_labels
from pellucid.metrics._read import MOST_EXACT, check_lengths, fail, floats, refuse, refuse_not_finite, weights

Average = Literal["micro", "macro", "samples", "weighted"] | None
AVERAGES = ("micro", "macro", "samples", "weighted", None)
Curve = tuple[Floats, Floats, Array]


class Scored(NamedTuple):
    """Rows of one positive class against the rest; those of weight zero are left out."""

    score: Array
    positive: Array
    weight: Floats | None


class Steps(NamedTuple):
    """Rows, or their weights, at or above each distinct score, from the highest score down."""

    threshold: Array
    positives: Floats
    negatives: Floats


def warn_of(who: str, requirement: str, actual: str, category: type[Warning] = UndefinedMetricWarning) -> None:
    warn(format_message(who, requirement, actual=actual), category)


def read_classes(who: str, y: Any) -> tuple[Array, Array]:
    """The classes in order and each row's position among them.

    Two neighboring whole numbers, which 0 and 1 are, need no search: of 5,000,000 labels in 0.01 s, not 0.07 s.
    """
    array = _plain(y)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array.ravel()
    if array.ndim == 1 and array.dtype.kind in "bui" and len(array):
        low, high = array.min(), array.max()
        if array.dtype.kind == "b" or int(high) - int(low) <= 1:
            above = array if array.dtype.kind == "b" and not low else array != low
            return np.unique([low, high]), np.ascontiguousarray(above).view(np.uint8)
    if array.dtype.kind == "f" and np.isfinite(array).all() and (array % 1 != 0).any():
        hint = "scores and probabilities are the second argument"
        fail(who, "y_true must hold class labels", "continuous format is not supported", hint)
    return read_labels(who, "y_true", y)


def _plain(y: Any) -> Array:
    """As NumPy has it; nothing where it cannot be one array, for which ``read_labels`` has the words."""
    try:
        special = scipy.sparse.issparse(y) or isinstance(y, np.ma.MaskedArray)
        return np.empty(()) if special else np.asarray(y)
    except ValueError:
        return np.empty(())


def read_table(who: str, y: Any) -> Array | None:
    """A table of zeros and ones with one column a label, or None where y is one column."""
    array = y.toarray() if scipy.sparse.issparse(y) else _plain(y)
    if array.ndim != 2 or array.shape[1] == 1:
        return None
    if array.dtype.kind not in "buif" or not np.isin(array, (0, 1)).all():
        requirement = "y_true of several columns must be a table of zeros and ones"
        fail(who, requirement, "multiclass-multioutput format is not supported", "give one class a row in one column")
    return array.astype(np.uint8)


def read_scores(who: str, y_score: Any, name: str = "y_score") -> Array:
    """Scores as an array of float32 or float64, contiguous by rows; a kernel looks whether all are finite."""
    scores = np.ascontiguousarray(floats(who, y_score, name))
    kind = getattr(y_score, "dtype", None)
    long = isinstance(kind, np.dtype) and kind.kind in "ui" and kind.itemsize == 8
    if (long or isinstance(y_score, list | tuple)) and scores.dtype == np.float64:
        highest = float(np.abs(scores).max())
        if highest > MOST_EXACT and np.asarray(y_score).dtype.kind in "ui":
            requirement = f"whole numbers in {name} must be at most 2^53 to be told apart"
            fail(who, requirement, f"got {highest:.0f}", "subtract a constant or rank them first")
    return scores


def read_column(who: str, y_score: Any, name: str = "y_score") -> Array:
    """Scores of one column."""
    scores = read_scores(who, y_score, name)
    if scores.ndim == 2 and scores.shape[1] != 1:
        hint = "pass the column of the positive class"
        fail(who, f"{name} should be a 1d array", f"got an array of shape {scores.shape} instead", hint)
    return scores.reshape(-1)


def read_weights(who: str, sample_weight: Any, n_rows: int) -> Floats | None:
    weight = weights(who, sample_weight, n_rows, column=True)
    return None if weight is None else np.ascontiguousarray(weight, dtype=np.float64)


def positive_class(who: str, classes: Array, pos_label: Any) -> int:
    """Position of the positive class: that of ``pos_label``, or of 1 where the labels are 0 and 1 or -1 and 1."""
    if pos_label is None:
        standard = classes.dtype.kind in "buif" and set(classes.tolist()) in ({0, 1}, {-1, 1}, {0}, {1}, {-1})
        if not standard:
            class_names = ", ".join(map(repr, classes.tolist()))
            fail(
                who,
                "y_true must be made of 0 and 1 or of -1 and 1, or pos_label must be given",
                f"y_true takes value in {{{class_names}}} and pos_label is not specified",
                "pass pos_label explicitly",
            )
        pos_label = 1
    indices = [i for i, label in enumerate(classes.tolist()) if label == pos_label]
    return indices[0] if indices else -1


def scored(who: str, y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any) -> Scored:
    """Rows of two classes (of more, where pos_label says which one is positive), ready for a kernel."""
    classes, codes = read_classes(who, y_true)
    if len(classes) > 2 and pos_label is None:
        requirement = "y_true must have two classes unless pos_label is given"
        fail(who, requirement, f"multiclass format is not supported ({len(classes)} classes)", "pass pos_label")
    return class_against_rest(who, classes, codes, y_score, pos_label, sample_weight)


def class_against_rest(
    who: str, classes: Array, codes: Array, y_score: Any, pos_label: Any, sample_weight: Any
) -> Scored:
    """The same from labels that have been read."""
    at = positive_class(who, classes, pos_label)
    score = read_column(who, y_score)
    weight = read_weights(who, sample_weight, len(codes))
    check_lengths(who, y_true=codes, y_score=score, sample_weight=weight)
    return one_against_rest(codes, at, score, weight)


def one_against_rest(codes: Array, positive: int, score: Array, weight: Floats | None) -> Scored:
    """The class at that position against all others."""
    is_binary = codes.dtype == np.uint8 and positive == 1
    flags = codes if is_binary else np.ascontiguousarray(codes == positive).view(np.uint8)
    if weight is not None and not weight.all():
        used = weight != 0
        return Scored(score[used], flags[used], weight[used])
    return Scored(np.ascontiguousarray(score), np.ascontiguousarray(flags), weight)


def steps(who: str, rows: Scored) -> Steps:
    """Counts at every distinct score, by the kernel."""
    status, threshold, positives, negatives = _core.thresholds(*rows, effective_threads())
    if status:
        refuse_not_finite(who, rows.score, "y_score")
    return Steps(threshold, positives, negatives)


def check_share(who: str, name: str, value: float | None) -> None:
    """A parameter in (0, 1], or None."""
    if value is not None and not (isinstance(value, (int, float, np.number)) and 0 < value <= 1):
        refuse(
            who,
            f"{name} must be in the range (0, 1] or None",
            f"Expected {name} in range (0, 1], got {short_repr(value)}",
        )


def average_over(
    metric: Callable[[Array, Array, Floats | None], float],
    table: Array,
    scores: Array,
    average: str | None,
    weight: Floats | None,
) -> float | Floats:
    """A metric of one column of zeros and ones and one of scores, averaged over the columns of a table.

    ``micro`` takes all cells as one column, ``samples`` takes rows for columns, ``weighted`` weighs a column by its
    ones; None gives the figure of each column.
    """
    if average == "micro":
        repeated = None if weight is None else np.repeat(weight, table.shape[1])
        return metric(table.reshape(-1), scores.reshape(-1), repeated)
    by: Floats | None = None
    if average == "weighted":
        weighted_table = table if weight is None else weight[:, None] * table
        by = np.asarray(weighted_table.sum(axis=0), dtype=np.float64)
        if by.sum() == 0:
            return 0.0
    elif average == "samples":
        table, scores, by, weight = table.T, scores.T, weight, None
    columns = zip(np.ascontiguousarray(table.T), np.ascontiguousarray(scores.T), strict=True)
    each = np.array([metric(column, score, weight) for column, score in columns])
    if average is None:
        return each
    if by is not None:
        each[by == 0] = 0  # a column that does not count may be undefined
    return float(np.average(each, weights=by))


def ends(inner: Flags) -> Flags:
    return np.concatenate([[True], inner, [True]])


def one_hot(codes: Array, n_classes: int) -> Array:
    return np.asarray(codes[:, None] == np.arange(n_classes)).view(np.uint8)


def read_matching(who: str, table: Array, scores: Array, sample_weight: Any) -> Floats | None:
    """Weights for a table of labels whose scores must have its shape."""
    weight = read_weights(who, sample_weight, len(table))
    check_lengths(who, y_true=table, y_score=scores, sample_weight=weight)
    if scores.shape != table.shape:
        fail(who, "y_true and y_score must be of the same shape", f"got {table.shape} and {scores.shape}")
    return weight


def refuse_shape(who: str, scores: Array) -> NoReturn:
    requirement = "`y_score` needs to be of shape `(n_samples, n_classes)`, since `y_true` contains multiple classes"
    fail(who, requirement, f"Got `y_score.shape={scores.shape}`")
