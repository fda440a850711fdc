"""A distance between rows as kernels know it: its number there, and what has to be done to the rows before.

Weights of columns, Mahalanobis and cosine need no kernel of their own: rows are stretched, turned or brought to length
1 first, and what is left is a plain distance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse

from pellucid import _core
from pellucid.base.types import Floats

# The order of cpp/core/distance/metric_hot.hpp.
KINDS = (
    "euclidean",
    "manhattan",
    "chebyshev",
    "minkowski",
    "hamming",
    "cosine",
    "jaccard",
    "tanimoto",
    "canberra",
    "braycurtis",
    "nan_euclidean",
    "haversine",
)
# Other names for the same.
ALIASES = {"l1": "manhattan", "cityblock": "manhattan", "l2": "euclidean", "p": "minkowski", "infinity": "chebyshev"}


@dataclass(frozen=True)
class Metric:
    """One distance.

    kind : its name among `KINDS`
    p : the power of Minkowski's distance
    stretch : what each column is multiplied by first
    turn : p x p; rows are multiplied by it first: ``x L`` with ``L L' = V⁻¹`` for Mahalanobis
    """

    kind: str = "euclidean"
    p: float = 2.0
    stretch: Floats | None = None
    turn: Floats | None = None

    @property
    def code(self) -> int:
        """Its number in the kernels."""
        return KINDS.index(self.kind)

    def prepare(self, rows: Any) -> Any:
        """Rows (an array or a CSR matrix) in the form in which their plain distance is this one."""
        if self.turn is not None:
            rows = np.ascontiguousarray(rows) @ self.turn  # BLAS rounds otherwise for another layout
        elif self.stretch is not None:
            rows = rows.multiply(self.stretch).tocsr() if scipy.sparse.issparse(rows) else rows * self.stretch
        return unit_rows(rows) if self.kind == "cosine" else rows


def unit_rows(rows: Any) -> Any:
    """Rows brought to length 1; a row of zeros stays one. Squares stay in range: the largest number is made 1 first."""
    if scipy.sparse.issparse(rows):
        return _unit_entries(rows.tocsr())
    rows = np.ascontiguousarray(rows)  # one order of sums for every layout
    largest = np.abs(rows).max(axis=1, keepdims=True, initial=0.0)
    near = rows / np.where(largest > 0, largest, 1)
    length = np.sqrt(np.einsum("ij,ij->i", near, near, dtype=np.float64))[:, None]
    return np.ascontiguousarray(near / np.where(length > 0, length, 1), dtype=rows.dtype)


def _unit_entries(rows: Any) -> Any:
    of_row = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    largest = np.zeros(rows.shape[0])
    np.maximum.at(largest, of_row, np.abs(rows.data))
    near = rows.data / np.where(largest > 0, largest, 1)[of_row]
    length = np.sqrt(np.bincount(of_row, near * near, minlength=rows.shape[0]))
    near /= np.where(length > 0, length, 1)[of_row]
    return type(rows)((near, rows.indices, rows.indptr), shape=rows.shape)


def as_matrix(rows: Any) -> _core.Matrix:
    """The view for kernels of an array of floats or a canonical CSR matrix of doubles."""
    if scipy.sparse.issparse(rows):
        indices, starts = rows.indices, rows.indptr
        if indices.dtype != starts.dtype:
            indices, starts = indices.astype(np.int64), starts.astype(np.int64)
        return _core.csr(rows.data, indices, starts, rows.shape[1])
    return _core.dense(rows)
