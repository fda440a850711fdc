"""A copy of a table in which a column at a time is changed: its rows put in another order, or its values replaced.

The whole table is copied once. A change then moves the bytes of its own column, and the next change undoes it; what a
change gives is valid until the next one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import narwhals as nw
import numpy as np

from pellucid.base.types import Array
from pellucid.data.kinds import NUMERIC
from pellucid.data.table import Table


class Swap(Protocol):
    """A table below itself, ``copies`` times over, whose columns can be changed."""

    def permuted(self, j: int, order: Array) -> Any:
        """The table with row i of column j taken from row ``order[i]``."""

    def filled(self, columns: Sequence[int], values: Sequence[Array]) -> Any:
        """As many copies of the table as there are values, in each of which the columns hold one of their values."""


def swap(table: Table, copies: int = 1, dtype: Any = None) -> Swap:
    """The form that suits a table: in place for arrays, by column for frames and sparse matrices.

    dtype : of the copy of an array, where other values than its own are to be filled in
    """
    if table.is_sparse:
        return _Sparse(table.source, copies)
    if not table.is_frame:
        return _Dense(table.source, copies, dtype)
    block = _one_block(table)
    return _Frame(table, copies) if block is None else _Block(table, block, copies)


class _Dense:
    """An array: changed in place, the last change undone from the array that came."""

    def __init__(self, source: Array, copies: int, dtype: Any = None) -> None:
        self.source, self.n = source, len(source)
        order: Any = "F" if source.flags.f_contiguous and not source.flags.c_contiguous else "C"
        self.copy = np.empty((copies * self.n, source.shape[1]), dtype=dtype or source.dtype, order=order)
        for start in range(0, len(self.copy), self.n):
            self.copy[start : start + self.n] = source
        self.changed: set[int] = set()

    def _change(self, columns: Sequence[int]) -> None:
        for j in self.changed.difference(columns):
            for start in range(0, len(self.copy), self.n):
                self.copy[start : start + self.n, j] = self.source[:, j]
        self.changed = set(columns)

    def permuted(self, j: int, order: Array) -> Any:
        self._change([j])
        self.copy[:, j] = self.source[:, j][order]
        return self.copy

    def filled(self, columns: Sequence[int], values: Sequence[Array]) -> Any:
        self._change(columns)
        for j, points in zip(columns, values, strict=True):
            for k, value in enumerate(points):
                self.copy[k * self.n : (k + 1) * self.n, j] = value
        return self.copy[: len(values[0]) * self.n]


def _one_block(table: Table) -> Array | None:
    """The values of a pandas frame whose columns are all of one float type."""
    native = table.source.to_native()
    if not type(native).__module__.startswith("pandas"):
        return None
    kinds = set(native.dtypes)
    floats = len(kinds) == 1 and kinds <= {np.dtype(np.float64), np.dtype(np.float32)}
    return np.asarray(native.to_numpy(copy=False)) if floats else None


class _Block(_Dense):
    """A pandas frame of one block of floats: written in place, it stays one block, which models read without a copy."""

    def __init__(self, table: Table, block: Array, copies: int) -> None:
        super().__init__(block, copies)
        self.native = table.source.to_native()
        self.index = self.native.index if copies == 1 else None

    def _framed(self, values: Array) -> Any:
        return type(self.native)(values, index=self.index, columns=self.native.columns, copy=False)

    def permuted(self, j: int, order: Array) -> Any:
        return self._framed(super().permuted(j, order))

    def filled(self, columns: Sequence[int], values: Sequence[Array]) -> Any:
        return self._framed(super().filled(columns, values))


class _Frame:
    """Any other frame: a new column beside the old ones, which are shared."""

    def __init__(self, table: Table, copies: int) -> None:
        self.table, self.n = table, table.n_rows
        rows = np.tile(np.arange(self.n), copies)
        self.frame = table.source if copies == 1 else table.source[rows]

    def permuted(self, j: int, order: Array) -> Any:
        return self.frame.with_columns(self.frame[:, j][order]).to_native()

    def filled(self, columns: Sequence[int], values: Sequence[Array]) -> Any:
        frame = self.frame[: len(values[0]) * self.n]
        new = [self._column(j, points) for j, points in zip(columns, values, strict=True)]
        return frame.with_columns(*new).to_native()

    def _column(self, j: int, points: Array) -> nw.Series[Any]:
        """Each value n times, of the column's own type where that can hold it."""
        column = self.table.source[:, j]
        if self.table.kinds[j] not in NUMERIC:
            row_of = {value: i for i, value in enumerate(self.table.column(j).tolist())}
            if all(value in row_of for value in points.tolist()):
                repeated: nw.Series[Any] = column[np.repeat([row_of[value] for value in points.tolist()], self.n)]
                return repeated
        new = nw.new_series(
            self.table.source.columns[j], np.repeat(points, self.n), backend=self.table.source.implementation
        )
        return new.cast(column.dtype) if column.dtype.is_float() else new


class _Sparse:
    """A sparse matrix, held by columns; given out by rows or by columns, as the table has it."""

    def __init__(self, source: Any, copies: int) -> None:
        self.format, self.n = source.format, source.shape[0]
        once = source.tocsc(copy=True)
        once.sum_duplicates()
        self.source, self.copies = once, copies
        self.copy = once.copy() if copies == 1 else _below(once, copies)
        self.last: int | None = None

    def permuted(self, j: int, order: Array) -> Any:
        if self.last is not None and self.last != j:
            self._write(self.last, np.arange(self.n))
        self.last = j
        self._write(j, np.argsort(order))
        return self.copy.asformat(self.format)

    def _write(self, j: int, target_rows: Array) -> None:
        """Puts what stands in row i of column j into row ``place[i]``: as many stored values as before."""
        stored = slice(self.source.indptr[j], self.source.indptr[j + 1])
        rows = target_rows[self.source.indices[stored]]
        by_row = np.argsort(rows)
        self.copy.indices[stored], self.copy.data[stored] = rows[by_row], self.source.data[stored][by_row]

    def filled(self, columns: Sequence[int], values: Sequence[Array]) -> Any:
        blocks = len(values[0])
        matrix = self.copy if blocks == self.copies else _below(self.source, blocks)
        for j, points in zip(columns, values, strict=True):
            matrix = _replaced(matrix, j, np.repeat(points, self.n))
        return matrix.asformat(self.format)


def _below(csc: Any, copies: int) -> Any:
    """The matrix below itself."""
    rows, columns = csc.shape
    counts, starts = np.diff(csc.indptr), csc.indptr * copies
    which = np.repeat(np.tile(np.arange(copies), columns), np.repeat(counts, copies))  # the copy of each stored value
    column = np.repeat(np.arange(columns), counts * copies)
    within = np.arange(len(which)) - starts[column] - which * counts[column]
    origin = csc.indptr[column] + within
    return type(csc)((csc.data[origin], csc.indices[origin] + which * rows, starts), shape=(copies * rows, columns))


def _replaced(csc: Any, j: int, values: Array) -> Any:
    """The matrix with another column, every value of which is stored."""
    before, after = csc.indptr[j], csc.indptr[j + 1]
    data = np.concatenate([csc.data[:before], values, csc.data[after:]])
    indices = np.concatenate([csc.indices[:before], np.arange(len(values)), csc.indices[after:]])
    starts = csc.indptr.copy()
    starts[j + 1 :] += len(values) - (after - before)
    return type(csc)((data, indices, starts), shape=csc.shape)
