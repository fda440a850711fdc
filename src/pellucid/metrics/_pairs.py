"""True and predicted labels of the same rows, and how often each pair of them occurs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import scipy.sparse

from pellucid.base.errors import count, join_some
from pellucid.base.types import Array
from pellucid.metrics._codes import Coded, counts_of_codes, counts_of_numbers
from pellucid.metrics._labels import common_kind, encode, label_array, label_list
from pellucid.metrics._read import check_lengths, fail, weights

TargetKind = Literal["binary", "multiclass", "multilabel-indicator"]
# Up to this many classes all counts are sums over the matrix of pairs; above it the matrix is nearly empty (and of
# 100,000 classes would take 80 GB), so that the sums are counted one by one.
MOST_CLASSES_IN_A_MATRIX = 2_048


@dataclass(frozen=True)
class LabelPair:
    """True and predicted labels of the same rows, as counts of pairs.

    ``labels`` are the different labels of either, in order. With one label a row, ``matrix`` holds the weight of the
    rows of each true (row) and predicted (column) label; of very many labels it is None, and ``true`` and ``pred`` hold
    positions in ``labels``. With several labels a row, ``labels`` are the columns' numbers and the two are sparse
    tables of ones. ``occurs`` says of each label whether a row truly has it, be its weight zero.
    """

    kind: TargetKind
    labels: Array
    weight: Array | None
    n_rows: int
    occurs: Array
    matrix: Array | None = None
    true: Any = None
    pred: Any = None

    @property
    def total(self) -> Any:
        """Sum of the weights; the number of rows where there are none."""
        if self.weight is None:
            return self.n_rows
        return self.weight.sum() if self.matrix is None else self.matrix.sum(axis=1).sum()

    @property
    def right(self) -> Any:
        """Weight of the rows that are predicted right; with several labels a row, right in all of them.

        Summed in the order in which `total` is, so that it equals the total where all rows are right.
        """
        if self.matrix is not None:
            return self.matrix.diagonal().sum()
        hit = wrong_labels(self) == 0 if self.kind == "multilabel-indicator" else self.true == self.pred
        return hit.sum() if self.weight is None else (hit * self.weight).sum()

    @property
    def of_true(self) -> Array:
        """Weight of the rows of each true label."""
        if self.matrix is not None:
            return np.asarray(self.matrix.sum(axis=1))
        return np.bincount(self.true, weights=self.weight, minlength=len(self.labels))

    def counts(self) -> Array:
        """The matrix of pairs, whatever its size."""
        if self.matrix is not None:
            return self.matrix
        return counts_of_codes(self.true, self.pred, self.weight, len(self.labels))


def read_pair(
    who: str, y_true: Any, y_pred: Any, sample_weight: Any = None, names: tuple[str, str] = ("y_true", "y_pred")
) -> LabelPair:
    """True and predicted labels, checked and counted; and the weights."""
    columns = {name: label_array(who, name, y) for name, y in zip(names, (y_true, y_pred), strict=True)}
    true, pred = columns.values()
    check_lengths(who, **columns)
    if true.shape[0] == 0:
        fail(
            who,
            "a minimum of 1 sample is required",
            f"Found empty input array (e.g., `{names[0]}` or `{names[1]}`)",
            "check the selection that made it",
        )
    weight = weights(who, sample_weight, int(true.shape[0]))
    if common_kind(who, columns) == "multilabel-indicator":
        return _multilabel_pair(who, true, pred, weight)
    true, pred = true.ravel(), pred.ravel()
    counted = counts_of_numbers(true, pred, weight)
    if counted is None:
        return _coded_pair(encode(who, dict(zip(names, (true, pred), strict=True))), weight)
    labels, occurs, matrix = counted
    return LabelPair(_kind_of(labels), labels, weight, len(true), occurs, matrix)


def _kind_of(labels: Array) -> TargetKind:
    return "binary" if len(labels) <= 2 else "multiclass"


def _coded_pair(coded: Coded, weight: Array | None) -> LabelPair:
    labels, (true, pred) = coded.labels, coded.codes
    few = len(labels) <= MOST_CLASSES_IN_A_MATRIX
    matrix = counts_of_codes(true, pred, weight, len(labels)) if few else None
    occurs = np.bincount(true, minlength=len(labels)) > 0
    return LabelPair(_kind_of(labels), labels, weight, len(true), occurs, matrix, true, pred)


def _multilabel_pair(who: str, true: Any, pred: Any, weight: Array | None) -> LabelPair:
    if true.shape[1] != pred.shape[1]:
        fail(
            who,
            "y_true and y_pred must have the same columns",
            f"Multi-label binary indicator input with different numbers of labels: {true.shape[1]} and {pred.shape[1]}",
        )
    true, pred = (scipy.sparse.csr_array(matrix != 0, dtype=np.float64) for matrix in (true, pred))
    labels, occurs = np.arange(true.shape[1]), np.asarray(true.sum(axis=0)).ravel() > 0
    return LabelPair("multilabel-indicator", labels, weight, int(true.shape[0]), occurs, None, true, pred)


def one_label_a_row(who: str, pair: LabelPair) -> LabelPair:
    """The pair, unless its rows have several labels."""
    if pair.kind == "multilabel-indicator":
        fail(
            who,
            "y_true and y_pred must hold one label a row",
            f"{pair.kind} is not supported",
            "use multilabel_confusion_matrix, or one column at a time",
        )
    return pair


def matrix_of(who: str, pair: LabelPair, labels: Any = None, name: str = "y_true") -> Array:
    """Counts of pairs of labels; of those of ``labels``, in its order, where given."""
    if labels is None:
        return pair.counts()
    label_subset = label_list(who, labels)
    at = positions(pair.labels.tolist(), label_subset)
    there = at >= 0
    if not pair.occurs[at[there]].any():
        actual = (
            f"labels are {join_some(map(repr, label_subset))}, those of {name} are "
            f"{join_some(map(repr, pair.labels.tolist()))}"
        )
        fail(who, f"At least one label specified must be in {name}", actual)
    counts = pair.counts()
    submatrix = np.zeros((len(label_subset), len(label_subset)), dtype=counts.dtype)
    submatrix[np.ix_(there, there)] = counts[np.ix_(at[there], at[there])]
    return submatrix


def positions(known: list[Any], wanted: Iterable[Any]) -> Array:
    """Where each wanted label stands among the known ones; -1 where it does not."""
    position_of = {label: i for i, label in enumerate(known)}
    return np.array([position_of.get(label, -1) for label in wanted], dtype=np.int64)


def wrong_labels(pair: LabelPair) -> Array:
    """Of rows with several labels, how many are wrong in each."""
    return np.asarray((pair.true != pair.pred).sum(axis=1)).ravel()


class OneVersusRest(NamedTuple):
    """The four counts of each label (or each row) taken as the positive class against all others."""

    tn: Array
    fp: Array
    fn: Array
    tp: Array

    def pooled(self) -> OneVersusRest:
        """All labels' counts in one: what the micro average is made from."""
        return OneVersusRest(*(np.asarray(array.sum()).reshape(1) for array in self))


def one_versus_rest(
    who: str, pair: LabelPair, labels: list[Any] | None = None, samplewise: bool = False
) -> OneVersusRest:
    """True and false positives and negatives of each label; with ``samplewise`` those of each row."""
    if pair.kind == "multilabel-indicator":
        return _multilabel_counts(who, pair, labels, samplewise)
    if samplewise:
        fail(
            who,
            "Samplewise metrics are not available outside of multilabel classification",
            f"y_true is {pair.kind}",
            "use average='macro', 'micro' or 'weighted'",
        )
    both, predicted, true = _class_sums(pair)
    if labels is not None:
        at = positions(pair.labels.tolist(), labels)
        both, predicted, true = (np.where(at < 0, 0, array[at]) for array in (both, predicted, true))
    return _four(pair.total, both, predicted, true)


def _class_sums(pair: LabelPair) -> tuple[Array, Array, Array]:
    """Of each class: how often true and predicted at once, how often predicted, how often true."""
    if pair.matrix is not None:
        sums = (pair.matrix.diagonal(), pair.matrix.sum(axis=0), pair.matrix.sum(axis=1))
    else:
        hit, n_classes = pair.true == pair.pred, len(pair.labels)
        weight_of_hits = None if pair.weight is None else pair.weight[hit]
        sums = (
            np.bincount(pair.true[hit], weights=weight_of_hits, minlength=n_classes),
            np.bincount(pair.pred, weights=pair.weight, minlength=n_classes),
            np.bincount(pair.true, weights=pair.weight, minlength=n_classes),
        )
    if pair.weight is None:
        return sums
    return sums[0].astype(np.float64), sums[1].astype(np.float64), sums[2].astype(np.float64)


def _multilabel_counts(who: str, pair: LabelPair, labels: list[Any] | None, samplewise: bool) -> OneVersusRest:
    true, pred = pair.true, pair.pred
    if labels is not None:
        n_columns = true.shape[1]
        odd = [label for label in labels if not (isinstance(label, int) and 0 <= label < n_columns)]
        if odd:
            fail(
                who,
                "All labels must be in [0, n labels) for multilabel targets",
                f"got {join_some(map(repr, odd))} with {count(n_columns, 'column')}",
                "labels are column numbers here",
            )
        true, pred = true[:, labels], pred[:, labels]
    sums = [_row_or_column_sums(table, pair.weight, samplewise) for table in (true.multiply(pred), pred, true)]
    if not samplewise:
        return _four(pair.total, *sums)
    width = true.shape[1] if pair.weight is None else true.shape[1] * pair.weight
    return _four(width, *sums)


def _row_or_column_sums(table: Any, weight: Array | None, of_rows: bool) -> Array:
    if weight is None:
        return np.asarray(table.sum(axis=1 if of_rows else 0)).ravel().astype(np.int64)
    return np.asarray(table.sum(axis=1)).ravel() * weight if of_rows else np.asarray(weight @ table).ravel()


def _four(total: Any, both: Array, predicted: Array, true: Array) -> OneVersusRest:
    fp, fn = predicted - both, true - both
    return OneVersusRest(total - both - fp - fn, fp, fn, both)
