"""Distances of texts as they are taught: a table filled cell by cell, and the way back through it."""

from __future__ import annotations

import numpy as np


def table(a: str, b: str, insert: float = 1, delete: float = 1, substitute: float = 1) -> np.ndarray:
    """``D[i, j]``: the least cost of turning the first i letters of a into the first j letters of b."""
    D = np.zeros((len(a) + 1, len(b) + 1))
    D[:, 0] = delete * np.arange(len(a) + 1)
    D[0, :] = insert * np.arange(len(b) + 1)
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            diagonal = D[i - 1, j - 1] + (0 if a[i - 1] == b[j - 1] else substitute)
            D[i, j] = min(diagonal, D[i - 1, j] + delete, D[i, j - 1] + insert)
    return D


def distance(a: str, b: str, insert: float = 1, delete: float = 1, substitute: float = 1) -> float:
    """The last cell of the table."""
    return float(table(a, b, insert, delete, substitute)[-1, -1])


def operations(
    a: str, b: str, insert: float = 1, delete: float = 1, substitute: float = 1
) -> list[tuple[str, int, str, str]]:
    """(action, place in a, letter before, letter after) from front to back.

    From the last cell back: diagonally where that explains the cell, else up (a deletion), else to the left.
    """
    D = table(a, b, insert, delete, substitute)
    steps: list[tuple[str, int, str, str]] = []
    i, j = len(a), len(b)
    while i > 0 or j > 0:
        same = i > 0 and j > 0 and a[i - 1] == b[j - 1]
        if i > 0 and j > 0 and D[i, j] == D[i - 1, j - 1] + (0 if same else substitute):
            i, j = i - 1, j - 1
            steps.append(("keep" if same else "substitute", i, a[i], b[j]))
        elif i > 0 and D[i, j] == D[i - 1, j] + delete:
            i -= 1
            steps.append(("delete", i, a[i], ""))
        else:
            j -= 1
            steps.append(("insert", i, "", b[j]))
    return steps[::-1]


def damerau(a: str, b: str) -> int:
    """Unit costs, and neighbors that change places for 1; no part is changed twice (optimal string alignment)."""
    D = np.zeros((len(a) + 1, len(b) + 1), dtype=np.int64)
    D[:, 0] = np.arange(len(a) + 1)
    D[0, :] = np.arange(len(b) + 1)
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            D[i, j] = min(D[i - 1, j - 1] + (a[i - 1] != b[j - 1]), D[i - 1, j] + 1, D[i, j - 1] + 1)
            if i > 1 and j > 1 and a[i - 2 : i] == b[j - 1] + b[j - 2]:
                D[i, j] = min(D[i, j], D[i - 2, j - 2] + 1)
    return int(D[-1, -1])


def common_subsequence(a: str, b: str) -> int:
    """Length of the longest common subsequence: for equal letters the cell before both plus 1, else the larger one."""
    L = np.zeros((len(a) + 1, len(b) + 1), dtype=np.int64)
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            L[i, j] = L[i - 1, j - 1] + 1 if a[i - 1] == b[j - 1] else max(L[i - 1, j], L[i, j - 1])
    return int(L[-1, -1])


def jaro(a: str, b: str) -> float:
    """Matching letters, at most half the longer text apart, and how many of them come in another order."""
    if not a or not b:
        return float(a == b)
    window = max(max(len(a), len(b)) // 2 - 1, 0)
    used: set[int] = set()
    matched = []
    for j, letter in enumerate(b):
        for i in range(max(0, j - window), min(len(a), j + window + 1)):
            if i not in used and a[i] == letter:
                used.add(i)
                matched.append(letter)
                break
    m = len(matched)
    if m == 0:
        return 0.0
    transposed = sum(a[i] != letter for i, letter in zip(sorted(used), matched, strict=True)) // 2
    return (m / len(a) + m / len(b) + (m - transposed) / m) / 3


def jaro_winkler(a: str, b: str, prefix_weight: float = 0.1, boost_above: float = 0.7) -> float:
    """Jaro's similarity, nearer to 1 the more of the first four letters agree."""
    similarity = jaro(a, b)
    if similarity <= boost_above:
        return similarity
    prefix = 0
    while prefix < min(len(a), len(b), 4) and a[prefix] == b[prefix]:
        prefix += 1
    return similarity + prefix * prefix_weight * (1 - similarity)
