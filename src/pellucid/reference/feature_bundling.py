"""Exclusive feature bundling: columns that are hardly ever non-zero in the same row share one column.

    conflicts   of two columns: rows in which both are non-zero
    bundles     columns in falling order of their non-zero values, each into the first bundle in which the rows with
                more than one value stay within a tolerance, else into a new one (greedy coloring of the graph whose
                edges are the conflicts)
    merged      value + offset,  offset = sum of the greatest values of the columns before it in the bundle

so that the values of each column keep a range of their own: (0, 2] of the first, (2, 5] of the next, and so on. A plain
rule adds one constant to every value instead, which leaves equal values of two columns equal. Ke and others:
LightGBM: a highly efficient gradient boosting decision tree (2017), algorithms 3 and 4.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def conflicts(X: ArrayLike) -> Ints:
    """In how many rows two columns are both non-zero: columns x columns, and 0 for a column with itself."""
    nonzero = (np.asarray(X) != 0).astype(np.int64)
    counts = nonzero.T @ nonzero
    np.fill_diagonal(counts, 0)
    return np.asarray(counts)


def order_of(X: ArrayLike) -> list[int]:
    """The columns by their non-zero values, most first; of equals the earlier."""
    counts = (np.asarray(X) != 0).sum(axis=0)
    return [int(j) for j in np.argsort(-counts, kind="stable")]


def bundles(X: ArrayLike, tolerance: int = 0) -> list[list[int]]:
    """Which columns may share one; in the order in which they were put together.

    tolerance : most rows of a bundle in which a value is met by another one that was there before
    """
    nonzero = np.asarray(X) != 0
    bundle_columns: list[list[int]] = []
    bundle_rows: list[NDArray[np.bool_]] = []  # the rows of each bundle that have a value
    clashes: list[int] = []
    for j in order_of(X):
        for b, rows in enumerate(bundle_rows):
            more = int((rows & nonzero[:, j]).sum())
            if clashes[b] + more <= tolerance:
                bundle_columns[b].append(j)
                bundle_rows[b] = rows | nonzero[:, j]
                clashes[b] += more
                break
        else:
            bundle_columns.append([j])
            bundle_rows.append(nonzero[:, j].copy())
            clashes.append(0)
    return bundle_columns


def offsets(X: ArrayLike, bundle: Sequence[int]) -> list[float]:
    """What is added to the values of each column of a bundle: the greatest values of those before it, summed up."""
    table = np.asarray(X, dtype=np.float64)
    if (table[:, list(bundle)] < 0).any():
        raise ValueError("offsets: values must be 0 or above; some are below.\nhint: bundle the bins of the columns.")
    ranges = [float(table[:, j].max()) for j in bundle]
    return [0.0, *(float(total) for total in np.cumsum(ranges)[:-1])]


def merged(X: ArrayLike, bundle: Sequence[int], constant: float | None = None) -> Floats:
    """One column for a bundle: value + offset, or value + one constant for all. Of two values in a row the later stays.

    >>> merged([[2, 0], [0, 1], [0, 3], [0, 0]], [0, 1]).tolist()
    [2.0, 3.0, 5.0, 0.0]
    >>> merged([[2, 0], [0, 1], [0, 3], [0, 0]], [0, 1], constant=10).tolist()
    [12.0, 11.0, 13.0, 0.0]
    """
    table = np.asarray(X, dtype=np.float64)
    added = offsets(X, bundle) if constant is None else [constant] * len(bundle)
    column = np.zeros(len(table))
    for j, more in zip(bundle, added, strict=True):
        column = np.where(table[:, j] != 0, table[:, j] + more, column)
    return column


def parted(column: ArrayLike, starts: Sequence[float]) -> Floats:
    """The columns of a bundle again, from the merged one and the offsets: rows x columns of the bundle."""
    values = np.asarray(column, dtype=np.float64)
    ends = [*starts[1:], np.inf]
    found = [
        np.where((values > low) & (values <= high), values - low, 0.0) for low, high in zip(starts, ends, strict=True)
    ]
    return np.column_stack(found)
