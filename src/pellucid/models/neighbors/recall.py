"""How many of the true neighbors an approximate index finds, and how hard it must look to find enough."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pellucid.base.errors import ParameterError, format_message
from pellucid.base.randomness import uniform
from pellucid.base.types import Array, Floats
from pellucid.models.neighbors.index import Found
from pellucid.models.neighbors.metric import Metric

OF_ANGLES = ("euclidean", "cosine")  # the distances that cells, graphs and hyperplanes are made for
_STREAM = 3


def refuse_metric(metric: Metric, who: str) -> None:
    """Only distances that grow with the Euclidean one of prepared rows."""
    if metric.kind not in OF_ANGLES:
        requirement = "an approximate index takes the metrics euclidean, cosine and those made of them"
        raise ParameterError(
            format_message(
                who, requirement, actual=f"got {metric.kind!r}", hint="use algorithm='brute', which takes any"
            )
        )


def sampled(n: int, max_rows: int, seed: int) -> Array:
    """Rows to measure with: one from each of equal stretches of the table."""
    m = min(n, max_rows)
    edges = np.arange(m + 1) * n // m
    sample = edges[:-1] + (uniform(seed, _STREAM, m) * np.diff(edges)).astype(np.int64)
    return np.asarray(sample)


def recall_of(neighbors: Found, truth: Found) -> Floats:
    """Of each query: the share of the k places that went to a row as near as the k-th nearest."""
    return np.asarray((neighbors.distances <= truth.distances[:, -1:]).mean(axis=1))


def enough(shares: Floats, required: float) -> bool:
    """Is the mean above what is wanted, by the error of a mean of so few?"""
    if len(shares) < 2 or required >= 1:
        return bool(shares.mean() >= required)
    return bool(shares.mean() - shares.std() / np.sqrt(len(shares)) >= required)


def least_effort(measure: Callable[[int], Floats], required: float, first: int, max_effort: int) -> tuple[int, float]:
    """The smallest effort, to about a tenth, that finds enough, and its recall; `most` if none does."""
    low, high = 0, min(first, max_effort)
    shares = measure(high)
    while not enough(shares, required) and high < max_effort:
        low, high = high, min(2 * high, max_effort)
        shares = measure(high)
    while high - low > max(1, high // 10) and enough(shares, required):
        middle = (low + high) // 2
        tried = measure(middle)
        if enough(tried, required):
            high, shares = middle, tried
        else:
            low = middle
    return high, float(shares.mean())
