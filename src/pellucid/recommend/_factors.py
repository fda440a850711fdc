"""Tables of factors as kernels read them: rows filled up with zeros, so that no loop has a rest."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid import _core
from pellucid.base.randomness import uniform
from pellucid.base.types import Array, Floats

STEP = 16  # the length of a row is a multiple of it


def padded(table: Array) -> Array:
    """The table with zeros behind the last column, up to a whole number of steps."""
    wide = -(-table.shape[1] // STEP) * STEP
    if wide == table.shape[1] and table.flags.c_contiguous:
        return table
    found = np.zeros((len(table), wide), dtype=table.dtype)
    found[:, : table.shape[1]] = table
    return found


def random_table(seed: int, stream: int, rows: int, factors: int, low: float, high: float) -> Floats:
    """Uniform numbers between two ends, filled up."""
    drawn = low + (high - low) * uniform(seed, stream, rows * factors).reshape(rows, factors)
    return np.asarray(padded(drawn))


def products_of_pairs(x: Array, y: Array, rows: Array, columns: Array, threads: int) -> Floats:
    """``x_r . y_c`` for pairs of codes."""
    return _core.pair_products(padded(x), padded(y), _codes(rows), _codes(columns), threads)


def products_of_all(x: Array, y: Array, rows: Array, threads: int) -> Floats:
    """``x_r . y_c`` for all c, with the bits of `products_of_pairs`."""
    return _core.all_products(padded(x), padded(y), _codes(rows), threads)


def _codes(values: Any) -> Array:
    return np.ascontiguousarray(values, dtype=np.int32)


def most_similar(table: Array, code: int, n: int) -> tuple[Array, Floats]:
    """The rows whose direction is nearest to one's, with the cosines; rows of zeros have none."""
    lengths = np.sqrt(np.einsum("ij,ij->i", table, table, dtype=np.float64))
    with np.errstate(invalid="ignore", divide="ignore"):
        cosine = (table.astype(np.float64) @ table[code].astype(np.float64)) / (lengths * lengths[code])
    cosine[code] = np.nan
    order = np.lexsort((np.arange(len(cosine)), -cosine))
    order = order[~np.isnan(cosine[order])][:n]
    return order, cosine[order]
