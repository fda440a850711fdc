"""One table in every form in which a user may hold it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse as sp
from numpy.typing import NDArray

Array = NDArray[Any]


def names(X: Array) -> list[str]:
    """Column names that sort otherwise than they stand: 'd', 'c', 'b', 'a'."""
    return [f"column {chr(ord('a') + X.shape[1] - 1 - j)}" for j in range(X.shape[1])]


def pandas(X: Array) -> Any:
    return pd.DataFrame(X, columns=names(X))


def polars(X: Array) -> Any:
    return pl.DataFrame({name: X[:, j] for j, name in enumerate(names(X))})


def pyarrow(X: Array) -> Any:
    return pa.table({name: X[:, j] for j, name in enumerate(names(X))})


def pyarrow_batch(X: Array) -> Any:
    return pa.record_batch({name: X[:, j] for j, name in enumerate(names(X))})


def pyarrow_chunked(X: Array) -> Any:
    half = len(X) // 2
    return pa.concat_tables([pyarrow(X[:half]), pyarrow(X[half:])])


def pandas_by_column(X: Array) -> Any:
    """A frame of many blocks: every column has its own dtype's neighbor inserted and dropped again."""
    return pd.concat([pd.Series(X[:, j], name=name) for j, name in enumerate(names(X))], axis=1)


def pandas_nullable(X: Array) -> Any:
    return pandas(X).astype("Float64")


def pandas_of_objects(X: Array) -> Any:
    return pandas(X).astype(object)


FRAMES: dict[str, Callable[[Array], Any]] = {"pandas": pandas, "polars": polars, "pyarrow": pyarrow}


def strided(X: Array) -> Array:
    """Every second row and third column of a larger array."""
    wide = np.full((2 * X.shape[0], 3 * X.shape[1]), np.nan)
    wide[::2, ::3] = X
    return wide[::2, ::3]


def reversed_view(X: Array) -> Array:
    """Rows and columns stand backwards in memory."""
    return np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1]


def read_only(X: Array) -> Array:
    copy = X.copy()
    copy.flags.writeable = False
    return copy


def unaligned(X: Array) -> Array:
    """The numbers start at an odd address."""
    raw = np.zeros(X.size * 8 + 1, dtype=np.uint8)
    raw[1:] = np.frombuffer(X.tobytes(), dtype=np.uint8)
    return raw[1:].view(np.float64).reshape(X.shape)


DENSE: dict[str, Callable[[Array], Any]] = {
    "C order": np.ascontiguousarray,
    "F order": np.asfortranarray,
    "strided": strided,
    "backwards": reversed_view,
    "read-only": read_only,
    "unaligned": unaligned,
    "list of rows": lambda X: X.tolist(),
    "tuple of tuples": lambda X: tuple(map(tuple, X.tolist())),
    "list of arrays": lambda X: list(X),
    "array of objects": lambda X: X.astype(object),
    "float32": lambda X: X.astype(np.float32),
    "float16": lambda X: X.astype(np.float16),
    "longdouble": lambda X: X.astype(np.longdouble),
    "big-endian": lambda X: X.astype(">f8"),
    "big-endian float32": lambda X: X.astype(">f4"),
}

OTHER_FRAMES: dict[str, Callable[[Array], Any]] = {
    "pandas by column": pandas_by_column,
    "pandas nullable": pandas_nullable,
    "pandas of objects": pandas_of_objects,
    "pandas on Arrow": lambda X: pandas(X).convert_dtypes(dtype_backend="pyarrow").astype("double[pyarrow]"),
    "pyarrow batch": pyarrow_batch,
    "pyarrow in chunks": pyarrow_chunked,
}


def with_wide_indices(X: Any) -> Any:
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def with_explicit_zeros(X: Array) -> Any:
    """Every value is stored, zeros too."""
    rows, columns = np.indices(X.shape)
    return sp.coo_matrix((X.ravel(), (rows.ravel(), columns.ravel())), shape=X.shape).tocsr()


def with_duplicates(X: Array) -> Any:
    """Every value is stored in two halves."""
    rows, columns = np.indices(X.shape)
    place = (np.tile(rows.ravel(), 2), np.tile(columns.ravel(), 2))
    return sp.coo_matrix((np.tile(X.ravel() / 2, 2), place), shape=X.shape)


def with_unsorted_indices(X: Array) -> Any:
    """Columns of each row stand backwards."""
    forward = sp.csr_matrix(X)
    pieces = [slice(*forward.indptr[i : i + 2]) for i in range(len(X))]
    order = np.concatenate([np.arange(forward.nnz)[piece][::-1] for piece in pieces])
    return sp.csr_matrix((forward.data[order], forward.indices[order], forward.indptr), shape=X.shape)


def with_spare_room(X: Array) -> Any:
    """Memory for more values than there are, as scipy leaves it after a removal."""
    table = sp.csr_matrix(X)
    room = np.full(1000, 10**6)  # as columns, far outside the table
    table.data, table.indices = np.append(table.data, room.astype(float)), np.append(table.indices, room)
    table.indices = table.indices.astype(table.indptr.dtype)
    return table


def with_indices_of_two_widths(X: Array) -> Any:
    table = sp.csr_matrix(X)
    table.indptr = table.indptr.astype(np.int64)
    return table


SPARSE: dict[str, Callable[[Array], Any]] = {
    "csr": sp.csr_matrix,
    "csc": sp.csc_matrix,
    "coo": sp.coo_matrix,
    "lil": sp.lil_matrix,
    "bsr": sp.bsr_matrix,
    "dia": sp.dia_matrix,
    "csr array": sp.csr_array,
    "csc array": sp.csc_array,
    "csr of float32": lambda X: sp.csr_matrix(X.astype(np.float32)),
    "csr with 64-bit indices": lambda X: with_wide_indices(sp.csr_matrix(X)),
    "csr with explicit zeros": with_explicit_zeros,
    "csr with unsorted indices": with_unsorted_indices,
    "csr with spare room": with_spare_room,
    "csr with indices of two widths": with_indices_of_two_widths,
    "coo with duplicates": with_duplicates,
}


def memmap(X: Array, folder: Path) -> Array:
    file = folder / "X.npy"
    np.save(file, X)
    return np.load(file, mmap_mode="r")
