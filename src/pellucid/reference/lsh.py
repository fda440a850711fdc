"""Locality sensitive hashing with hyperplanes: codes, buckets, candidates, and the nearest among them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def code(x: ArrayLike, normals: ArrayLike, offsets: ArrayLike) -> str:
    """The sides of a row: '1' for every hyperplane with ``w x - b >= 0``, else '0'.

    >>> code([2, -1], [[1, 0], [0, 1]], [0, 0])
    '10'
    """
    sides = np.asarray(normals, dtype=float) @ np.asarray(x, dtype=float) - np.asarray(offsets, dtype=float)
    return "".join("1" if side >= 0 else "0" for side in sides)


def buckets(codes: list[str]) -> dict[str, list[int]]:
    """The rows that share each code.

    >>> buckets(["11", "01", "11"])
    {'11': [0, 2], '01': [1]}
    """
    rows_by_code: dict[str, list[int]] = {}
    for row, text in enumerate(codes):
        rows_by_code.setdefault(text, []).append(row)
    return rows_by_code


def differing(a: str, b: str) -> int:
    """Hamming distance: in how many bits two codes differ.

    >>> differing("011", "110")
    2
    """
    return sum(bit_a != bit_b for bit_a, bit_b in zip(a, b, strict=True))


def candidates(q: ArrayLike, X: ArrayLike, normals: ArrayLike, offsets: ArrayLike) -> list[int]:
    """The rows that share a bucket with q in at least one table (tables x bits x columns)."""
    rows: set[int] = set()
    for w, b in zip(np.asarray(normals, dtype=float), np.asarray(offsets, dtype=float), strict=True):
        query_code = code(q, w, b)
        rows.update(row for row, x in enumerate(np.asarray(X, dtype=float)) if code(x, w, b) == query_code)
    return sorted(rows)


def nearest(q: ArrayLike, X: ArrayLike, k: int, normals: ArrayLike, offsets: ArrayLike) -> tuple[Floats, list[int]]:
    """Distances and numbers of the k nearest candidates; of all rows where there are fewer than k."""
    table = np.asarray(X, dtype=float)
    rows = candidates(q, table, normals, offsets)
    if len(rows) < k:
        rows = list(range(len(table)))
    apart = [float(np.sqrt(((np.asarray(q, dtype=float) - table[row]) ** 2).sum())) for row in rows]
    order = sorted(range(len(rows)), key=lambda i: (apart[i], rows[i]))[:k]
    return np.array([apart[i] for i in order]), [rows[i] for i in order]


def sharing(codes: list[list[str]]) -> list[list[int]]:
    """Groups of rows that share a bucket in some round, each a chain of such pairs; codes by round and row.

    >>> sharing([["0", "0", "1"], ["0", "1", "0"]])
    [[0, 1, 2]]
    """
    group = list(range(len(codes[0])))
    for round_codes in codes:
        for rows in buckets(round_codes).values():
            joined = {group[row] for row in rows}
            group = [min(joined) if g in joined else g for g in group]
    return [[row for row, g in enumerate(group) if g == first] for first in sorted(set(group))]


def regions(lines: int) -> int:
    """Into how many parts so many lines in general position divide the plane: 1 + k + k (k - 1) / 2.

    >>> [regions(k) for k in range(4)]
    [1, 2, 4, 7]
    """
    return 1 + lines + lines * (lines - 1) // 2
