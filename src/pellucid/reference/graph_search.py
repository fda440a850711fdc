"""Nearest rows along the links of a proximity graph: which links a row gets, and how a search walks."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def apart(a: ArrayLike, b: ArrayLike) -> float:
    """Euclidean distance."""
    return float(np.sqrt(((np.asarray(a, dtype=float) - np.asarray(b, dtype=float)) ** 2).sum()))


def kept(v: int, near: list[int], X: ArrayLike, most: int) -> list[int]:
    """Of the rows near v, nearest first, those that are nearer to v than to every one kept before.

    >>> kept(1, [2, 0, 3], [[0], [1], [1.5], [4]], most=8)
    [2, 0]
    """
    table = np.asarray(X, dtype=float)
    links: list[int] = []
    for c in near:
        if len(links) == most:
            break
        if all(apart(table[v], table[c]) < apart(table[s], table[c]) for s in links):
            links.append(c)
    return links


def links(X: ArrayLike, n_near: int, most: int) -> list[list[int]]:
    """Links of every row: chosen from its n_near nearest rows, then made mutual and chosen again where too many."""
    table = np.asarray(X, dtype=float)

    def ordered(v: int, rows: set[int]) -> list[int]:
        return sorted(rows - {v}, key=lambda c: (apart(table[v], table[c]), c))

    n = len(table)
    first = [kept(v, ordered(v, set(range(n)))[:n_near], table, most) for v in range(n)]
    both = [ordered(v, {*first[v], *(u for u in range(n) if v in first[u])}) for v in range(n)]
    return [rows if len(rows) <= most else kept(v, rows, table, most) for v, rows in enumerate(both)]


def search(
    q: ArrayLike, X: ArrayLike, graph: list[list[int]], entries: list[int], keep: int
) -> tuple[Floats, list[int]]:
    """The `keep` nearest rows that a walk from the entries meets, nearest first, with their distances.

    >>> path = [[1], [0, 2], [1, 3], [2]]
    >>> search([3], [[0], [1], [2], [3]], path, entries=[0], keep=2)[1]
    [3, 2]
    """
    table = np.asarray(X, dtype=float)
    visited = set(entries)
    nearest = sorted((apart(q, table[row]), row) for row in visited)[:keep]
    expanded: set[int] = set()
    while True:
        waiting = [row for _, row in nearest if row not in expanded]
        if not waiting:
            break
        expanded.add(waiting[0])
        fresh = [row for row in graph[waiting[0]] if row not in visited]
        visited.update(fresh)
        nearest = sorted([*nearest, *((apart(q, table[row]), row) for row in fresh)])[:keep]
    return np.array([far for far, _ in nearest]), [row for _, row in nearest]
