"""Where columns are cut: at quantiles, between centers, against a target; and the interval of every cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from pellucid import _core
from pellucid.base.errors import DataError, format_message
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design
from pellucid.data.target import attach_labels, attach_numbers, read_target

Criterion = Literal["auto", "entropy", "squared_error"]

# --------------------------------------------------------------------------------------------------------------- target


def attach_either(d: Design, y: Any, criterion: str) -> None:
    """The target as labels or as numbers: as the criterion wants it, or by what it looks like."""
    array = read_target(y, d.who)
    if array.ndim == 2 and array.shape[1] != 1:
        raise DataError(
            format_message(
                d.who, "y must be one column", actual=f"got {array.shape[1]}", hint="fit once for each target"
            )
        )
    if criterion == "squared_error" or (criterion == "auto" and _has_fractions(array)):
        attach_numbers(d, array.ravel())
    else:
        attach_labels(d, array)


def _has_fractions(array: Array) -> bool:
    if array.dtype.kind != "f":
        return False
    finite = array[np.isfinite(array)]
    return bool((finite != np.floor(finite)).any())


def greedy_cuts(d: Design, rows: Array | None, leaves: Array, min_leaf: int, threads: int) -> list[Floats]:
    """Cuts of every column against the target, in the order of their making: below, cut, above, gain.

    rows : which rows count, drawn by their weights; None for all
    """
    numbers, y, weight = d.numbers, d.y[:, 0], None
    if rows is not None:
        numbers, y = numbers[rows], y[rows]
    elif d.weight is not None:
        there = d.weight > 0
        numbers, y, weight = numbers[there], y[there], np.ascontiguousarray((d.weight / d.unit_weight[1])[there])
    classes = len(d.classes[0]) if d.classes else 0
    unit = 1.0 if classes else float(np.ldexp(1.0, int(np.frexp(np.abs(y).max())[1])))  # keeps squares in range
    cuts = _core.greedy_cuts(
        _core.dense(numbers), np.ascontiguousarray(y / unit), classes, weight, leaves, min_leaf, threads
    )
    with np.errstate(over="ignore"):
        for column_cuts in cuts:
            column_cuts[:, 3] *= unit
            column_cuts[:, 3] *= unit
    return cuts


# ------------------------------------------------------------------------------------------------------------ quantiles

METHODS = Literal[
    "inverted_cdf",
    "averaged_inverted_cdf",
    "closest_observation",
    "interpolated_inverted_cdf",
    "hazen",
    "weibull",
    "linear",
    "median_unbiased",
    "normal_unbiased",
]
# Alpha and beta of Hyndman and Fan (1996): the place is  n p + alpha + p (1 - alpha - beta),  counted from 1.
_BETWEEN = {
    "interpolated_inverted_cdf": (0.0, 1.0),
    "hazen": (0.5, 0.5),
    "weibull": (0.0, 0.0),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
}


def places(n: int, shares: Floats, method: str) -> tuple[Array, Array, Floats]:
    """Ranks of the two neighbors of each quantile among n ordered values, counted from 0, and how far it is between.

    The nine rules of Hyndman and Fan (1996), rounded as NumPy does.
    """
    if method == "linear":
        position = (n - 1) * shares
    elif method in _BETWEEN:
        alpha, beta = _BETWEEN[method]
        position = n * shares + (alpha + shares * (1 - alpha - beta)) - 1
    else:
        position = n * shares - (1.5 if method == "closest_observation" else 1.0)
    below = np.floor(position)
    fraction = position - below
    if method == "averaged_inverted_cdf":
        fraction = np.where(fraction == 0, 0.5, 1.0)
    elif method == "inverted_cdf":
        fraction = np.where(fraction == 0, 0.0, 1.0)
    elif method == "closest_observation":
        fraction = np.where((fraction == 0) & (below % 2 == 1), 0.0, 1.0)
    low, high = (np.clip(rank, 0, n - 1).astype(np.int64) for rank in (below, below + 1))
    return low, high, fraction


def between(low: Floats, high: Floats, fraction: Floats) -> Floats:
    """``low + fraction (high - low)``, from the nearer end, so that equal ends and whole parts give the end itself."""
    from_high = high - (high - low) * (1 - fraction)
    return np.where(low == high, low, np.where(fraction >= 0.5, from_high, low + (high - low) * fraction))


def column_quantiles(numbers: Array, shares: Sequence[Floats], method: str, threads: int) -> list[Floats]:
    """Quantiles of every column, each at its own shares."""
    ranked = [places(len(numbers), column_shares, method) for column_shares in shares]
    ranks = np.unique(np.concatenate([rank for low, high, _ in ranked for rank in (low, high)]))
    values = np.asarray(_core.column_ranked(_core.dense(numbers), ranks, threads))
    at = [(np.searchsorted(ranks, low), np.searchsorted(ranks, high), fraction) for low, high, fraction in ranked]
    return [between(values[j, low], values[j, high], fraction) for j, (low, high, fraction) in enumerate(at)]


def weighted_quantiles(column: Floats, weight: Floats, shares: Floats, averaged: bool) -> Floats:
    """Smallest values up to which the weights make at least these shares; the mean with the next where it is exact."""
    order = np.argsort(column, kind="stable")
    ordered, reached = column[order], np.cumsum(weight[order])
    goal = shares * reached[-1]
    last = len(ordered) - 1
    index = np.minimum(np.searchsorted(reached, goal, side="left"), last)
    if not averaged:
        return np.asarray(ordered[index])
    above = ordered[np.minimum(index + 1, last)]
    return np.where(
        (reached[index] == goal) & (goal > 0), between(ordered[index], above, np.full(len(index), 0.5)), ordered[index]
    )


# -------------------------------------------------------------------------------------------------------------- k-means


def centers_of(column: Floats, weight: Floats | None, k: int) -> Floats:
    """Centers of a one-dimensional k-means, ascending: from the middles of k equal widths, by Lloyd's steps.

    As scikit-learn's: until no value changes its center, the centers move by less than a ten-thousandth of the variance
    in squares, or 300 steps. A center without values moves to the value that is furthest from its own.
    """
    order = np.argsort(column, kind="stable")
    unit = float(np.ldexp(1.0, int(np.frexp(np.abs(column).max())[1])))  # keeps sums and squares in range
    x = column[order] / unit
    shift = float(x.mean())
    x = x - shift
    w = np.ones(len(x)) if weight is None else weight[order]
    edges = np.linspace(x[0], x[-1], k + 1)
    centers = (edges[1:] + edges[:-1]) / 2
    mean = float((w * x).sum() / w.sum())
    enough = 1e-4 * float((w * (x - mean) ** 2).sum() / w.sum())
    before = np.empty(0, dtype=np.int64)
    for _ in range(300):
        by_size = np.argsort(centers, kind="stable")
        ordered = centers[by_size]
        borders = np.searchsorted(x, (ordered[1:] + ordered[:-1]) / 2, side="right")
        labels = np.repeat(by_size, np.diff(borders, prepend=0, append=len(x)))  # of two as near ones the first
        moved = _means(x, w, labels, centers)
        has_converged = np.array_equal(labels, before) or float(((moved - centers) ** 2).sum()) <= enough
        centers, before = moved, labels
        if has_converged:
            break
    return (np.sort(centers[np.unique(before)]) + shift) * unit  # one that no value is nearest to is none


def _means(x: Floats, w: Floats, labels: Array, centers: Floats) -> Floats:
    """Means of the values of each center; one without values takes the value that is furthest from its own.

    A center that has given its only value away is for this step in the midst of all values, which is 0 here.
    """
    first, size = np.zeros(len(centers), dtype=np.int64), np.bincount(labels, minlength=len(centers))
    there, start = np.unique(labels, return_index=True)  # values are in order: those of a center stand together
    first[there] = start
    segments = [slice(a, a + n) for a, n in zip(first, size, strict=True)]
    sums = np.array([(w[segment] * x[segment]).sum() for segment in segments])
    weights = np.array([w[segment].sum() for segment in segments])
    empty = np.flatnonzero(weights == 0)
    if len(empty):
        apart = (x - centers[labels]) ** 2
        furthest = np.argsort(-apart, kind="stable")[: len(empty)]
        for c, i in zip(empty, furthest, strict=False) if apart.max() > 0 else ():
            sums[labels[i]] -= w[i] * x[i]
            weights[labels[i]] -= w[i]
            sums[c], weights[c] = w[i] * x[i], w[i]
    return np.asarray(np.divide(sums, weights, out=np.zeros(len(sums)), where=weights > 0))


# --------------------------------------------------------------------------------------------------------------- assign


def packed(cuts: Sequence[Floats]) -> tuple[Floats, Array]:
    """Cuts of all columns in a row, and where those of each column begin."""
    first = np.zeros(len(cuts) + 1, dtype=np.int64)
    np.cumsum([len(column_cuts) for column_cuts in cuts], out=first[1:])
    return np.ascontiguousarray(np.concatenate([np.empty(0), *cuts]), dtype=np.float64), first


def assign(d: Design, cuts: Sequence[Floats], offset: Array, out: Array, threads: int) -> Array:
    """``out[r, j] = offset[j] + how many cuts of column j are at most x``; what is not finite is refused."""
    values, first = packed(cuts)
    if not _core.assign_bins(d.matrix, values, first, np.asarray(offset, dtype=np.int64), out, threads):
        raise d.explain_not_finite()
    return out


def in_the_order_of(numbers: Array, dtype: Any) -> Array:
    """An array of the same shape and order in memory."""
    by_column = numbers.flags.f_contiguous and not numbers.flags.c_contiguous
    return np.empty(numbers.shape, dtype=dtype, order="F" if by_column else "C")
