"""Which rows nearest neighbors need, and which they are better off without.

Condensing (Hart 1968) builds a store by which every row is classified rightly; editing (Wilson 1972) drops the rows
that their neighbors contradict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Judgment:
    """A row, the stored rows nearest to it, what they say, and whether it was added."""

    number: int  # of the pass, from 1
    row: int
    nearest: list[int]
    said: object
    added: bool


@dataclass
class Condensed:
    """The store in the order in which rows came in."""

    store: list[int]
    passes: int = 0
    judgments: list[Judgment] = field(default_factory=list)


def distance(a: Array, b: Array, metric: str = "euclidean") -> float:
    """Between two rows."""
    apart = np.abs(a - b)
    return float({"euclidean": (apart**2).sum() ** 0.5, "manhattan": apart.sum(), "chebyshev": apart.max()}[metric])


def most_votes(votes: Sequence[object]) -> object:
    """The most frequent of votes that come nearest first; of equally frequent ones the nearest."""
    return max(votes, key=list(votes).count)


def condense(
    X: ArrayLike,
    y: Sequence[object],
    k: int = 1,
    *,
    order: Sequence[int] | None = None,
    start: Sequence[int] | None = None,
    metric: str = "euclidean",
) -> Condensed:
    """Pass after pass over the rows outside the store; it begins with the first row of each class unless told."""
    table = np.asarray(X, dtype=np.float64)
    visits = list(range(len(table))) if order is None else list(order)
    firsts = [next(i for i in visits if y[i] == label) for label in dict.fromkeys(y[i] for i in visits)]
    found = Condensed(list(dict.fromkeys(firsts if start is None else start)))
    while True:
        found.passes += 1
        before = len(found.store)
        for i in visits:
            if i in found.store:
                continue
            nearest = sorted(found.store, key=lambda s: distance(table[i], table[s], metric))[:k]  # stable: the earlier
            said = most_votes([y[s] for s in nearest])
            found.judgments.append(Judgment(found.passes, i, nearest, said, said != y[i]))
            if said != y[i]:
                found.store.append(i)
        if len(found.store) == before:
            return found


def neighbors(X: ArrayLike, i: int, k: int, metric: str = "euclidean") -> list[int]:
    """The k rows nearest to row i besides itself; among equals the smaller number."""
    table = np.asarray(X, dtype=np.float64)
    others = [j for j in range(len(table)) if j != i]
    return sorted(others, key=lambda j: distance(table[i], table[j], metric))[:k]


def edit(
    X: ArrayLike,
    y: Sequence[object],
    k: int = 3,
    *,
    method: str = "wilson",
    agreement: str = "majority",
    metric: str = "euclidean",
) -> list[int]:
    """Numbers of the rows that stay; a class keeps its last rows."""
    table, rows = np.asarray(X, dtype=np.float64), list(range(len(y)))
    while True:
        kept = []
        for place, i in enumerate(rows):
            votes = [y[rows[j]] for j in neighbors(table[rows], place, k, metric)]
            counts = range(1, k + 1) if method == "all_k" else [k]
            agrees = all(most_votes(votes[:some]) == y[i] for some in counts)
            if agreement == "all":
                agrees = all(vote == y[i] for vote in votes)
            if agrees:
                kept.append(i)
        alive = {y[i] for i in kept}
        kept = [i for i in rows if i in kept or y[i] not in alive]
        if method != "repeated" or len(kept) == len(rows) or k >= len(kept):
            return kept
        rows = kept
