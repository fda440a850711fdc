"""Sums of kernels over the rows near each query, as logarithms."""

from __future__ import annotations

from collections.abc import Callable
from math import lgamma, log, pi

import numpy as np

from pellucid.base.types import Array, Floats
from pellucid.models.neighbors.tree_index import TreeIndex

MOST_PAIRS = 1 << 22  # held at once

# log K(u) of u = d / h; those of bounded kernels for u < 1.
KERNELS: dict[str, Callable[[Floats], Floats]] = {
    "gaussian": lambda u: -0.5 * u * u,
    "tophat": np.zeros_like,
    "epanechnikov": lambda u: np.log1p(-u * u),
    "exponential": lambda u: -u,
    "linear": lambda u: np.log1p(-u),
    "cosine": lambda u: np.log(np.cos(0.5 * pi * u)),
}
UNBOUNDED = ("gaussian", "exponential")


def log_densities(
    index: TreeIndex, queries: Array, h: float, kernel: str, share: float, weight: Floats | None, threads: int
) -> Floats:
    """``log (c Σ_i w_i K(d_i / h))`` of each query; rows that add less than `share` of the sum are left out."""
    out = np.empty(len(queries))
    n = len(index.rows)
    step = max(1, MOST_PAIRS // n)
    for first in range(0, len(queries), step):
        block = queries[first : first + step]
        reach = _reach(index, block, h, kernel, share, weight, threads)
        near = index.within(block, reach, threads)
        query = np.repeat(np.arange(len(block)), np.diff(near.starts))
        apart = near.distances / h
        if kernel not in UNBOUNDED:
            inside = apart < 1
            apart, query, rows = apart[inside], query[inside], near.rows[inside]
        else:
            rows = near.rows
        logs = KERNELS[kernel](apart)
        if weight is not None:
            logs = logs + np.log(weight[rows])
        out[first : first + step] = _log_sums(logs, query, len(block))
    return out + log_norm(h, index.rows.shape[1], kernel)


def _reach(
    index: TreeIndex, queries: Array, h: float, kernel: str, share: float, weight: Floats | None, threads: int
) -> Floats:
    """How far a row can be and still matter: n kernels at that distance are less than `share` of the nearest row's."""
    if kernel not in UNBOUNDED:
        return np.full(len(queries), h)
    spread = 1.0 if weight is None else float(weight.max() / weight.min())
    fall = log(len(index.rows) * spread / share)
    nearest = index.nearest(queries, 1, threads).distances[:, 0] / h
    return h * (np.sqrt(nearest**2 + 2 * fall) if kernel == "gaussian" else nearest + fall)


def _log_sums(logs: Floats, query: Array, n: int) -> Floats:
    """Logarithm of the sum of exp(logs) by query, -inf where there is none."""
    most = np.full(n, -np.inf)
    np.maximum.at(most, query, logs)
    anchor = np.where(np.isfinite(most), most, 0.0)
    sums = np.bincount(query, weights=np.exp(logs - anchor[query]), minlength=n)
    with np.errstate(divide="ignore"):
        return anchor + np.log(sums)


def log_norm(h: float, d: int, kernel: str) -> float:
    """Logarithm of c, which makes the integral of a kernel over d columns 1."""
    factors = {
        "gaussian": lambda: 0.5 * d * log(2 * pi),
        "tophat": lambda: _log_ball(d),
        "epanechnikov": lambda: _log_ball(d) + log(2 / (d + 2)),
        "exponential": lambda: _log_sphere(d) + lgamma(d),
        "linear": lambda: _log_ball(d) - log(d + 1),
        "cosine": lambda: log(_cosine_moment(d)) + _log_sphere(d),
    }
    return -factors[kernel]() - d * log(h)


def _log_ball(d: int) -> float:
    """Volume of the unit ball."""
    return 0.5 * d * log(pi) - lgamma(0.5 * d + 1)


def _log_sphere(d: int) -> float:
    """Surface of the unit ball: d times its volume."""
    return log(d) + _log_ball(d)


def _cosine_moment(d: int) -> float:
    """``I_m = ∫₀¹ u^m cos(π u / 2) du``  with m = d - 1; by parts,  ``I_m = a - a² m (m - 1) I_(m-2)``,  a = 2/π."""
    a = 2 / pi
    found = a if d % 2 else a - a * a
    for m in range(2 if d % 2 else 3, d, 2):
        found = a - a * a * m * (m - 1) * found
    return found
