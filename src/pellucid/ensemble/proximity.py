"""How alike rows are in the eyes of a forest, and which of them are like none of their kind."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from pellucid.base.errors import DataError, count, format_message
from pellucid.base.types import Array, Floats

__all__: list[str] = []


def proximities(a: Array, b: Array) -> Floats:
    """n x m: the share of trees in which a row of a and a row of b end in the same leaf.

    a, b : rows x trees, numbers of leaves
    """
    trees = a.shape[1]
    start = np.concatenate([[0], np.cumsum(np.maximum(a.max(axis=0), b.max(axis=0)) + 1)])
    same = _ones(a, start) @ _ones(b, start).T
    return np.asarray(same.toarray() / trees, dtype=np.float64)


def _ones(leaves: Array, start: Array) -> Any:
    """Rows x all leaves of all trees: a one where a row ends."""
    n, trees = leaves.shape
    positions = (leaves + start[:-1]).ravel()
    shape = (n, int(start[-1]))
    return sparse.csr_matrix((np.ones(n * trees), positions, np.arange(0, n * trees + 1, trees)), shape=shape)


def proximity_outliers(proximity: Floats, group: Array | None = None) -> Floats:
    """Breiman's measure: n over the sum of squared proximities to the others of the group, centered and scaled in it.

    A group whose rows are all equally far from each other has 0 throughout; a row alone in its group too.
    """
    n = len(proximity)
    if proximity.shape != (n, n):
        requirement = "proximities must be those of the rows with each other, one row and one column each"
        raise DataError(format_message("proximity_outliers", requirement, actual=f"got shape {proximity.shape}"))
    if group is not None and len(group) != n:
        requirement = "y must have one class a row"
        raise DataError(
            format_message("proximity_outliers", requirement, actual=f"got {len(group)} for {count(n, 'row')}")
        )
    kinds = np.zeros(n, dtype=np.intp) if group is None else np.unique(group, return_inverse=True)[1]
    outliers = np.zeros(n)
    for kind in range(kinds.max() + 1):
        rows = np.flatnonzero(kinds == kind)
        squares = (proximity[np.ix_(rows, rows)] ** 2).sum(axis=1) - proximity[rows, rows] ** 2
        raw = n / np.maximum(squares, 1e-6)  # a row that is like no other counts as the farthest there is
        middle = np.median(raw)
        spread = np.abs(raw - middle).mean()
        outliers[rows] = (raw - middle) / spread if spread > 0 else 0.0
    return outliers
