"""Labels as codes 0, 1, ... in their order: what counting goes by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pellucid import _core
from pellucid.base.threads import effective_threads
from pellucid.base.types import Array, Floats
from pellucid.metrics._read import MOST_EXACT

# Rows that a guess of the lowest and highest label is made from; a table of counts holds at most so many cells a row.
SAMPLED = 1_000
CELLS_A_ROW = 4
LEAST_CELLS = 4_096


@dataclass(frozen=True)
class Coded:
    """``labels`` are the different ones of all columns in order; ``codes`` hold their positions, column by column."""

    labels: Array
    codes: list[Array]


def code(columns: list[Array]) -> Coded:
    """Labels that are all numbers, all text, or all times."""
    if all(column.dtype.kind == "U" for column in columns):
        return _merge([_code_texts(column) for column in columns])
    if all(column.dtype.kind in "OUT" for column in columns):
        return _code_objects([column.tolist() for column in columns])
    coded = _code_near_numbers(columns)
    if coded is not None:
        return coded
    labels, joined = np.unique(np.concatenate(columns), return_inverse=True)
    return Coded(labels, np.split(joined, np.cumsum([len(column) for column in columns])[:-1]))


def _code_texts(column: Array) -> tuple[Array, Array]:
    """Different texts of one width, in order, and the codes; the kernel looks at their bytes."""
    plain = np.ascontiguousarray(column.astype(column.dtype.newbyteorder("="), copy=False))
    codes, first = _core.code_texts(plain.view(np.uint8).reshape(len(plain), plain.dtype.itemsize))
    labels, inverse = np.unique(plain[first], return_inverse=True)
    return labels, inverse[codes]


def _merge(columns: list[tuple[Array, Array]]) -> Coded:
    """Columns that are coded by themselves, by the labels of all."""
    labels = np.unique(np.concatenate([unique_labels for unique_labels, _ in columns]))
    return Coded(labels, [np.searchsorted(labels, unique_labels)[codes] for unique_labels, codes in columns])


def _code_objects(columns: list[list[str]]) -> Coded:
    """By a dict: of a million short texts a tenth of the time of sorting them."""
    labels = sorted(set().union(*columns))
    code_of = {label: i for i, label in enumerate(labels)}
    codes = [np.fromiter(map(code_of.__getitem__, column), np.int64, len(column)) for column in columns]
    return Coded(np.array(labels), codes)


def _code_near_numbers(columns: list[Array]) -> Coded | None:
    """Whole numbers that lie close together, by a table of which occur; None where they do not."""
    if any(column.dtype.kind not in "buif" for column in columns) or not all(len(column) for column in columns):
        return None
    low = min(float(column.min()) for column in columns)
    high = max(float(column.max()) for column in columns)
    if max(abs(low), abs(high)) >= MOST_EXACT or high - low > max(1_024, 4 * len(columns[0])):
        return None
    if any(column.dtype.kind == "f" and (column != np.floor(column)).any() for column in columns):
        return None
    offsets = [column.astype(np.int64) - int(low) for column in columns]
    present = np.zeros(int(high - low) + 1, dtype=bool)
    for offset in offsets:
        present[offset] = True
    labels = (np.flatnonzero(present) + int(low)).astype(np.result_type(*columns))
    code_of = np.cumsum(present) - 1
    return Coded(labels, [code_of[offset] for offset in offsets])


def counts_of_codes(true: Array, pred: Array, weight: Array | None, n_classes: int) -> Array:
    """The matrix of pairs: ``C[i, j] = sum of w_r over the rows r of true class i and predicted class j``.

    Both columns hold codes 0 to n_classes - 1. Whole where the weights are whole or absent.
    """
    true, pred = (np.ascontiguousarray(side, dtype=np.int64) for side in (true, pred))
    return _counts(true, pred, weight, n_classes, 0)


def _counts(true: Array, pred: Array, weight: Array | None, n_classes: int, low: int) -> Array:
    by: Floats | None = None if weight is None else np.ascontiguousarray(weight, dtype=np.float64)
    inside, counts = _core.confusion_counts(true, pred, n_classes, by, effective_threads(), low)
    if not inside:
        return np.empty((0, 0))
    if weight is None:
        return counts.view(np.int64)  # the kernel's type of 8 bytes has another name, which NumPy would print
    return counts if weight.dtype.kind == "f" else counts.astype(np.int64)


def counts_of_numbers(true: Array, pred: Array, weight: Array | None) -> tuple[Array, Array, Array] | None:
    """Two columns of whole numbers that lie close together: labels, which are true ones, matrix of pairs.

    None for other columns.

    The range of the labels is guessed from some of the rows, and the kernel says whether a row lies outside it: most
    often one pass over the rows is enough, where finding the range first would take three.
    """
    if any(side.dtype.kind not in "bui" or side.dtype == np.uint64 for side in (true, pred)):
        return None
    columns = [_as_the_kernel_takes(side) for side in (true, pred)]
    if columns[0].dtype != columns[1].dtype:
        columns = [column.astype(np.int64) for column in columns]
    for sample in (slice(None, None, max(1, len(true) // SAMPLED)), slice(None)):
        low = min(int(column[sample].min()) for column in columns)
        width = max(int(column[sample].max()) for column in columns) - low + 1
        if max(abs(low), width) >= MOST_EXACT or width * width > max(LEAST_CELLS, CELLS_A_ROW * len(true)):
            return None
        plain = _counts(columns[0], columns[1], None, width, low)
        if len(plain):
            true_ones = np.asarray(plain.any(axis=1))
            there = true_ones | plain.any(axis=0)
            labels = (np.flatnonzero(there) + low).astype(np.result_type(true, pred))
            counts = plain if weight is None else _counts(columns[0], columns[1], weight, width, low)
            return labels, true_ones[there], counts[np.ix_(there, there)]
    return None


def _as_the_kernel_takes(column: Array) -> Array:
    """Whole numbers in one of three types; without a copy where they are."""
    if column.dtype.kind == "b":
        return np.ascontiguousarray(column).view(np.uint8)
    native = column.dtype.newbyteorder("=")
    return np.ascontiguousarray(column, dtype=native if native in (np.uint8, np.int32, np.int64) else np.int64)
