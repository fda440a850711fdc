"""Bins in plain steps: the edges of one column by each strategy, and the bin of each value."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from math import floor, log2
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Column = NDArray[np.float64]


def equal_width(x: ArrayLike, k: int) -> list[float]:
    """e_i = min + i (max - min) / k."""
    column = np.asarray(x, dtype=np.float64)
    low, high = float(column.min()), float(column.max())
    return [low + i * (high - low) / k for i in range(k + 1)]


def equal_frequency(x: ArrayLike, k: int) -> list[float]:
    """Of n ordered values the one at place n i / k, counted from 1; without edges that end a bin of no width.

    A place that is not whole is the next one; a whole one is the mean of that value and the next. Whole is what it is
    in floats, with the shares i / k as NumPy rounds them.
    """
    ordered = sorted(float(value) for value in np.asarray(x, dtype=np.float64))
    n = len(ordered)
    edges = []
    for share in np.linspace(0, 100, k + 1) / 100:
        n_below = floor(n * share)
        below, above = ordered[max(n_below - 1, 0)], ordered[min(n_below, n - 1)]
        edges.append((below + above) / 2 if n_below == n * share else above)
    narrow = 1e-8 * min(1, edges[-1] - edges[0])
    return [edge for i, edge in enumerate(edges) if i == 0 or edge - edges[i - 1] > narrow]


def k_means_edges(x: ArrayLike, k: int, steps: int = 300) -> list[float]:
    """Half way between centers; each center is the mean of the values nearest to it. No center may lose all values."""
    column = np.asarray(x, dtype=np.float64)
    widths = equal_width(column, k)
    centers = np.array([(a + b) / 2 for a, b in itertools.pairwise(widths)])
    nearest = np.full(len(column), -1)
    for _ in range(steps):
        before, nearest = nearest, np.abs(column[:, None] - centers).argmin(axis=1)
        moved = np.array([column[nearest == c].mean() for c in range(k)])
        converged = (nearest == before).all() or ((moved - centers) ** 2).sum() <= 1e-4 * column.var()
        centers = moved
        if converged:
            break
    return [float(column.min()), *((centers[1:] + centers[:-1]) / 2).tolist(), float(column.max())]


def entropy(y: Sequence[Any]) -> float:
    """H = - sum p_k log2 p_k over the shares p_k of the labels."""
    shares = [sum(other_label == label for other_label in y) / len(y) for label in set(y)]
    return float(-sum(share * log2(share) for share in shares))


def variance(y: Sequence[float]) -> float:
    """The mean square about the mean."""
    mean = sum(y) / len(y)
    return sum((value - mean) ** 2 for value in y) / len(y)


def best_cut(x: ArrayLike, y: Sequence[Any], numbers: bool = False, min_leaf: int = 1) -> tuple[float, float] | None:
    """The cut between two neighboring values with the largest gain, and n times that gain; None if there is none.

    gain = H(all) - n_below / n H(below) - n_above / n H(above); of equal gains the leftmost.
    """
    impurity = variance if numbers else entropy
    column = np.asarray(x, dtype=np.float64)
    values = sorted(set(column.tolist()))
    if len(set(y)) < 2:
        return None
    best: tuple[float, float] | None = None
    for below, above in itertools.pairwise(values):
        left_labels = [label for value, label in zip(column, y, strict=True) if value <= below]
        right_labels = [label for value, label in zip(column, y, strict=True) if value > below]
        if min(len(left_labels), len(right_labels)) < min_leaf:
            continue
        gain = (
            len(y) * impurity(y) - len(left_labels) * impurity(left_labels) - len(right_labels) * impurity(right_labels)
        )
        middle = below / 2 + above / 2
        cut = middle if middle > below else above
        if best is None or gain > best[1] + 1e-11 * len(y) * impurity(y):
            best = cut, gain
    return best


def tree_cuts(
    x: ArrayLike, y: Sequence[Any], leaves: int, numbers: bool = False, min_leaf: int = 1
) -> list[tuple[float, float]]:
    """Cuts in the order of their making, each with its gain over all rows: always the interval next that gains most."""
    column = np.asarray(x, dtype=np.float64)
    borders = [-np.inf, np.inf]
    cuts: list[tuple[float, float]] = []
    while len(cuts) + 1 < leaves:
        offers = []
        for low, high in itertools.pairwise(borders):
            inside = (column >= low) & (column < high)
            inside_labels = [label for label, here in zip(y, inside, strict=True) if here]
            offer = best_cut(column[inside], inside_labels, numbers, min_leaf)
            if offer is not None:
                offers.append(offer)
        if not offers:
            break
        cut, gain = offers[0]
        for other_offer in offers[1:]:
            if other_offer[1] > gain * (1 + 1e-11):
                cut, gain = other_offer
        cuts.append((cut, max(gain, 0.0) / len(column)))
        borders = sorted([*borders, cut])
    return cuts


def bins(x: ArrayLike, edges: Sequence[float]) -> list[int]:
    """How many of the inner edges are at most the value."""
    return [sum(edge <= value for edge in edges[1:-1]) for value in np.asarray(x, dtype=np.float64)]


def one_hot(numbers: Sequence[int], k: int) -> list[list[int]]:
    """A row of k zeros with a 1 at the number of the bin."""
    return [[int(number == i) for i in range(k)] for number in numbers]


def middles(numbers: Sequence[int], edges: Sequence[float]) -> list[float]:
    """The middle of each bin: the way back."""
    return [(edges[floor(i)] + edges[floor(i) + 1]) / 2 for i in numbers]
