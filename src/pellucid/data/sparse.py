"""The door for sparse matrices: well formed, with nothing behind the last stored value, in a form that can be indexed.

SciPy trusts the three arrays of a compressed matrix: an index outside the shape, or memory behind ``indptr[-1]`` (which
it allows, and reads when columns are taken), makes it write outside its own arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.errors import DataError, format_message
from pellucid.base.types import Array


def read_sparse(X: Any, who: str) -> Any:
    """The same matrix, ready to be indexed; the caller's own is left as it is."""
    fault = _fault(X)
    if fault:
        raise DataError(
            format_message(who, "the sparse X must be well formed", actual=fault, hint="make it anew from its rows")
        )
    if X.format in ("csr", "csc"):
        return _trimmed(X)
    return X.tocsr() if X.format in ("coo", "dia", "bsr") else X  # SciPy does not take columns of all of these


def _fault(X: Any) -> str | None:
    if X.format == "coo":
        outside = any(_outside(index, size) for index, size in zip(X.coords, X.shape, strict=True))
        return "an index lies outside the shape" if outside else None
    if X.format not in ("csr", "csc", "bsr"):
        return None
    lines, across = X.shape[::-1] if X.format == "csc" else X.shape
    if X.format == "bsr":
        lines, across = lines // X.blocksize[0], across // X.blocksize[1]
    starts = X.indptr
    if len(starts) != lines + 1 or starts[0] != 0 or (np.diff(starts) < 0).any():
        return "indptr must start at 0, must not fall and must have one entry more than there are rows"
    if starts[-1] > min(len(X.indices), len(X.data)):
        return "indptr runs past the stored values"
    return "an index lies outside the shape" if _outside(X.indices[: starts[-1]], across) else None


def _outside(index: Array, size: int) -> bool:
    return bool(len(index) and (index.min() < 0 or index.max() >= size))


def _trimmed(X: Any) -> Any:
    stored = int(X.indptr[-1])
    if len(X.data) == stored and len(X.indices) == stored:
        return X
    return type(X)((X.data[:stored], X.indices[:stored], X.indptr), shape=X.shape)
