"""How much neighbors count, and what they say together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from pellucid import _core
from pellucid.base.errors import DataError, ParameterError, format_message, noun_list, short_repr
from pellucid.base.types import Array, Floats
from pellucid.models.neighbors.index import Found, Neighborhoods

# The order of cpp/core/neighbors/votes.hpp.
WEIGHTINGS = {"uniform": 0, "distance": 1, "squared_distance": 2}
GIVEN = 3
TIES = {"first": 0, "nearest": 1}
AVERAGES = {"mean": 0, "median": 1}

Weights = Literal["uniform", "distance", "squared_distance"] | Callable | None  # type: ignore[type-arg]
Lists = Found | Neighborhoods

WEIGHTS_DOC = (
    "How much a neighbor counts: all the same, 1/d ('distance'), 1/d² ('squared_distance'), or a function that turns "
    "an array of distances into one of weights, of the same shape. Where rows are at distance 0, they alone count."
)


def votes_of(
    neighbors: Lists, weights: Any, who: str, of_row: Floats | None = None, stations: Sequence[int] | None = None
) -> _core.Votes:
    """Neighbors and how much each counts, for the kernels.

    Parameters
    ----------
    found : neighbors, nearest first
    weights : the parameter
    of_row : weights of the fitted rows
    stations : the numbers of neighbors for which an answer is wanted, ascending; None for all of them at once
    """
    starts = None if isinstance(neighbors, Found) else neighbors.starts
    each = neighbors.rows.shape[1] if isinstance(neighbors, Found) else 0
    given = np.ascontiguousarray(_given(neighbors, weights, who)).ravel() if callable(weights) else None
    kind = GIVEN if given is not None else WEIGHTINGS[weights or "uniform"]
    wanted = None if stations is None else np.asarray(stations, dtype=np.int64)
    return _core.votes(neighbors.rows.ravel(), neighbors.distances.ravel(), starts, each, kind, given, of_row, wanted)


def _given(neighbors: Lists, weights: Any, who: str) -> Floats:
    """What a function makes of the distances: of all queries at once, or of one neighborhood after the other."""
    if isinstance(neighbors, Found):
        out = _checked(weights(neighbors.distances.copy()), neighbors.distances.shape, who)
        lost = out.sum(axis=1) == 0
    else:
        parts = [neighbors.distances[a:b] for a, b in zip(neighbors.starts[:-1], neighbors.starts[1:], strict=True)]
        told = [_checked(weights(part.copy()), part.shape, who) if len(part) else part for part in parts]
        out = np.concatenate(told) if told else np.empty(0)
        lost = np.array([len(part) > 0 and not part.any() for part in told], dtype=bool)
    if lost.any():
        requirement = "All neighbors of some sample is getting zero weights: weights must leave a neighbor that counts"
        raise DataError(format_message(who, requirement, actual=noun_list("row", np.flatnonzero(lost))))
    return out


def _checked(told: Any, shape: tuple[int, ...], who: str) -> Floats:
    try:
        out = np.asarray(told, dtype=np.float64)
    except (TypeError, ValueError):
        out = np.empty(0)
    if out.shape != shape:
        requirement = f"weights must be a function that returns numbers in the shape it is given, {shape}"
        raise ParameterError(format_message(who, requirement, actual=f"it returned {short_repr(told)}"))
    if not np.isfinite(out).all() or (out < 0).any():
        wrong = out[~(np.isfinite(out) & (out >= 0))][0]
        raise ParameterError(
            format_message(who, "weights must be finite and 0 or more", actual=f"the function returned {wrong:g}")
        )
    return out


def shares(sums: Floats) -> Floats:
    """Votes as probabilities; rows of zeros stay."""
    total = sums.sum(axis=-1, keepdims=True)
    return sums / np.where(total > 0, total, 1.0)


def drawn_rows(n: int, wanted: int, groups: Array | None, chance: Floats) -> Array:
    """Numbers of `wanted` of n rows, ascending: those with the smallest random numbers, of each group its share.

    Every group keeps one row at least, and shares of a row go to the groups with the largest remainders.
    """
    if groups is None:
        return np.sort(np.argsort(chance, kind="stable")[:wanted])
    _, code, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    exact = sizes * (wanted / n)
    take = np.maximum(1, np.floor(exact).astype(np.int64))
    for group in np.argsort(np.floor(exact) - exact, kind="stable"):
        if take.sum() >= wanted:
            break
        take[group] += take[group] < sizes[group]
    order = np.lexsort((chance, code.ravel()))
    first = np.append(0, np.cumsum(sizes)[:-1])
    return np.sort(np.concatenate([order[a : a + k] for a, k in zip(first, take, strict=True)]))
