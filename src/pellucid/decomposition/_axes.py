"""Directions of a table, widest first, by four ways: its covariances, its rows, chance and Lanczos.

All work on ``z = unit x - unit mean`` with a power of two that keeps squares within the range of numbers, and around
the exact means, so that columns far from zero keep their digits.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse.linalg

from pellucid import _core
from pellucid.base.randomness import uniform
from pellucid.base.types import Floats
from pellucid.data.design import Design
from pellucid.data.figures import Figures, check_range

# Below this share of the widest direction's variance a direction found from covariances has fewer than nine digits.
NARROW = 1e-7


@dataclass(frozen=True)
class Axes:
    """What a solver found.

    mean : of the columns
    unit : the power of two by which numbers are multiplied first
    variances : of the directions, in that unit squared, largest first
    directions : one a row, of length 1
    total : variance of all columns together, in that unit squared
    divisor : what sums of squares were divided by
    """

    mean: Floats
    unit: float
    variances: Floats
    directions: Floats
    total: float
    divisor: float

    def first(self, k: int) -> Axes:
        """The k widest alone."""
        return replace(self, variances=self.variances[:k], directions=self.directions[:k])


def turned(directions: Floats) -> Floats:
    """Each direction with its largest number above zero; of numbers that are as large but for rounding, the first."""
    sizes = np.abs(directions)
    large = sizes >= sizes.max(axis=1, keepdims=True) * (1 - 1e-9)
    signs = np.sign(directions[np.arange(len(directions)), large.argmax(axis=1)])
    return directions * np.where(signs == 0, 1.0, signs)[:, None]


def _divisor(d: Design) -> float:
    """One less than the number of rows."""
    return float(d.n_rows - 1)


# --------------------------------------------------------------------------------------------------- of all directions


@dataclass(frozen=True)
class _Moments:
    mean: Floats
    scale: Floats
    cross: Floats

    @property
    def unit(self) -> float:
        return float(self.scale.min())

    @property
    def share(self) -> Floats:
        """What brings a scaled column into the unit of the widest one."""
        return self.unit / self.scale


def _moments(d: Design, threads: int) -> _Moments:
    status, _, mean, scale, cross = _core.moments(d.matrix, np.empty((d.n_rows, 0)), None, True, threads)
    if status:
        raise d.explain_not_finite()
    return _Moments(mean, scale, cross / _divisor(d))


def by_covariance(d: Design, threads: int) -> Axes:
    """Eigenvectors of the covariance matrix, which one pass over the rows gives."""
    m = _moments(d, threads)
    C = m.cross * m.share * m.share[:, None]
    values, vectors = np.linalg.eigh(C)
    return _sorted(m, values[::-1], vectors.T[::-1], float(np.trace(C)), d)


def by_rows(d: Design, threads: int) -> Axes:
    """Singular vectors of the centered rows: no square is formed, so narrow directions keep their digits."""
    if d.n_rows < d.n_cols:
        return _of_wide_table(d, threads)
    m = _moments(d, threads)
    R = _core.qr_of_rows(d.matrix, np.empty((d.n_rows, 0)), None, m.mean, m.scale, True, threads).T
    _, roots, V = scipy.linalg.svd(R * m.share, full_matrices=False)
    values = roots**2 / _divisor(d)
    return _sorted(m, values, V, float(values.sum()), d)


def _sorted(m: _Moments, values: Floats, vectors: Floats, total: float, d: Design) -> Axes:
    # What is left of a direction beyond the number of rows, or below zero, is rounding.
    values = np.maximum(values, 0.0)
    most = min(d.n_rows, d.n_cols)
    return Axes(m.mean, m.unit, values[:most], turned(vectors[:most]), total, _divisor(d))


# ---------------------------------------------------------------------------------------------------- of some of them


def _placed(d: Design, threads: int) -> tuple[Floats, float, float]:
    """Means, the power of two, and the variance of all columns together."""
    figures = Figures.read(d, threads)
    check_range(figures.low, figures.high, d.who, d.column_labels())
    half = float((figures.high / 2 - figures.low / 2).max())
    unit = float(np.ldexp(1.0, int(np.clip(-np.frexp(half)[1], -1000, 1000)))) if half > 0 else 1.0
    total = float((figures.square * (unit / figures.unit) ** 2).sum()) / _divisor(d)
    return figures.means, unit, total


def _of_wide_table(d: Design, threads: int) -> Axes:
    mean, unit, total = _placed(d, threads)
    Z = np.asarray(d.numbers, dtype=np.float64) * unit - mean * unit
    _, roots, V = scipy.linalg.svd(Z, full_matrices=False)
    return Axes(mean, unit, roots**2 / _divisor(d), turned(V), total, _divisor(d))


def _normal(seed: int, rows: int, columns: int) -> Floats:
    """Normal numbers of the counter-based generator (Box, Muller)."""
    n = rows * columns
    radius = np.sqrt(-2 * np.log1p(-uniform(seed, 1, n)))
    return np.asarray(radius * np.cos(2 * np.pi * uniform(seed, 2, n))).reshape(rows, columns)


def _orthonormal(Z: Floats) -> Floats:
    return np.ascontiguousarray(scipy.linalg.qr(Z.T, mode="economic")[0].T)


def by_chance(d: Design, k: int, more: int, rounds: int, seed: int, threads: int) -> Axes:
    """Random directions, multiplied by the covariance again and again (Halko, Martinsson, Tropp 2011).

    A product with the covariance is one pass over the rows, ``Z = sum_i (V z_i) z_i'``; in the end the best directions
    within the span are those of the small matrix ``V C V'``.
    """
    mean, unit, total = _placed(d, threads)
    center = mean * unit
    V = _orthonormal(_normal(seed, min(k + more, d.n_rows, d.n_cols), d.n_cols))
    for _ in range(rounds + 1):
        V = _orthonormal(_core.covariance_times(d.matrix, unit, center, V, threads)[0])
    G = _core.covariance_times(d.matrix, unit, center, V, threads)[1] / _divisor(d)
    values, vectors = np.linalg.eigh((G + G.T) / 2)
    found = np.maximum(values[::-1][:k], 0.0)
    return Axes(mean, unit, found, turned(vectors.T[::-1][:k] @ V), total, _divisor(d))


def by_lanczos(d: Design, k: int, tol: float, seed: int, threads: int) -> Axes:
    """ARPACK's implicitly restarted Lanczos method on products with the covariance."""
    mean, unit, total = _placed(d, threads)
    center, p = mean * unit, d.n_cols

    def times(v: Any) -> Floats:
        row = np.ascontiguousarray(np.asarray(v, dtype=np.float64).reshape(1, p))
        return np.asarray(_core.covariance_times(d.matrix, unit, center, row, threads)[0][0] / _divisor(d))

    operator = scipy.sparse.linalg.LinearOperator((p, p), matvec=times, dtype=np.float64)
    start = _normal(seed, 1, p)[0]
    values, vectors = scipy.sparse.linalg.eigsh(operator, k=k, tol=tol, v0=start)
    order = np.argsort(values)[::-1]
    found = np.maximum(values[order], 0.0)
    return Axes(mean, unit, found, turned(vectors.T[order]), total, _divisor(d))
