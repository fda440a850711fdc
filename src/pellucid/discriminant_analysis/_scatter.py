"""Scatters of classes: one pass over the rows, and the matrices that follow from it.

The scatter of class k is ``S_k = sum over its rows of w_i (x_i - m_k)(x_i - m_k)'`` around its mean ``m_k``. Columns
are taken times powers of two (`Scatter.scale`) that bring them near unit spread, so that 1e-200 and 1e200 stay apart;
matrices are in that scaled unit unless a name says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.linalg
from sklearn.base import clone

from pellucid import _core
from pellucid.base.errors import DataError, format_message
from pellucid.base.types import Array, Flags, Floats
from pellucid.data.design import Design

_EPS = float(np.finfo(float).eps)
# Axes found from a scatter lose as many digits as its condition has. Below this reciprocal condition of the
# standardized columns (eleven digits left) they are found from the rows themselves, by QR and singular values.
GRAM_RCOND = 1e-5
# Rows that are centered and triangulated at a time.
_BLOCK_ROWS = 20_000


@dataclass(frozen=True)
class Scatter:
    """Weights (K, in the unit of `unit`), means (K x p), and scatters: K x p x p, or 1 x p x p for their sum."""

    weight: Floats
    unit: float
    mean: Floats
    scale: Floats
    parts: Floats

    @property
    def total(self) -> float:
        return float(self.weight.sum())

    @cached_property
    def pooled(self) -> Floats:
        return np.asarray(self.parts.sum(axis=0))

    @cached_property
    def scaled_mean(self) -> Floats:
        return self.mean * self.scale

    def raw(self, C: Floats) -> Floats:
        """A matrix in the columns' own unit."""
        with np.errstate(over="ignore"):
            return np.asarray(C / self.scale / self.scale[:, None])

    def unscaled(self, W: Floats) -> Floats:
        """Combinations (p x m) of the scaled columns as those of the columns themselves."""
        with np.errstate(over="ignore"):
            return np.asarray(W * self.scale[:, None])

    def identity(self, size: float) -> Floats:
        """``size`` times the identity of the columns' own unit."""
        with np.errstate(over="ignore"):
            return np.diag(size * self.scale * self.scale)  # infinite where the columns are far smaller

    def pulled(self, C: Floats, share: float) -> Floats:
        """``(1 - share) C + share m I``, with I the identity and m the mean variance in the columns' own unit."""
        if not share:
            return C
        with np.errstate(invalid="ignore", over="ignore"):
            unit = self.scale / self.scale.min()  # all columns in the unit of the widest, whose variance is a float
            size = share * float((np.diag(C) / unit / unit).mean())
            return np.asarray((1 - share) * C + np.diag(size * unit * unit))

    def noise(self, classes: Any = slice(None)) -> Floats:
        """Deviations that are rounding of the means."""
        return np.asarray(2 * _EPS * np.abs(self.scaled_mean[classes]).max(axis=0))


@dataclass(frozen=True)
class Axes:
    """Principal axes of the standardized columns: ``C = D V' diag(roots²) V D``, largest root first.

    deviation : p standard deviations, zero for a constant column; V : m x p, the axes
    """

    deviation: Floats
    roots: Floats
    V: Floats

    @property
    def varying(self) -> Flags:
        return np.asarray(self.deviation > 0)

    def rank(self, tol: float) -> int:
        return int((self.roots > tol).sum())

    def whitening(self, tol: float) -> Floats:
        """W (p x rank) with ``W'CW = I``: columns as combinations of unit variance."""
        r = self.rank(tol)
        return np.asarray((self.V[:r] / self._safe).T / self.roots[:r])

    def half(self) -> Floats:
        """F (m x p) with ``F'F = C``."""
        return np.asarray(self.roots[:, None] * self.V * self.deviation)

    @property
    def _safe(self) -> Floats:
        return np.where(self.varying, self.deviation, 1.0)

    def log_determinant(self) -> float:
        return float(2 * np.log(self.roots).sum() + 2 * np.log(self.deviation).sum())

    def dependent(self, tol: float) -> list[int]:
        """Columns that are constant or lie in a combination without variance."""
        live, dead = np.flatnonzero(self.varying), np.flatnonzero(~self.varying).tolist()
        V = self.V[: self.rank(tol)][:, live]
        left = np.eye(len(live)) - V.T @ V  # onto what the axes do not reach
        return sorted(dead + live[np.diag(left) > 1e-6].tolist())


def axes_of(C: Floats, noise: Floats) -> Axes:
    """Axes of a covariance matrix by its eigenvectors."""
    deviation = np.sqrt(np.diag(C))
    deviation = np.where(deviation > noise, deviation, 0.0)
    live = np.flatnonzero(deviation > 0)
    values, vectors = np.zeros(0), np.zeros((0, 0))
    if len(live):
        D = deviation[live]
        values, vectors = np.linalg.eigh(C[np.ix_(live, live)] / D / D[:, None])
    V = np.zeros((len(live), len(C)))
    V[:, live] = vectors.T[::-1]
    return Axes(deviation, np.sqrt(np.maximum(values[::-1], 0.0)), V)


def well_conditioned(axes: Axes) -> bool:
    return len(axes.roots) == 0 or bool(axes.roots[-1] ** 2 >= GRAM_RCOND * axes.roots[0] ** 2)


class Scatters:
    """The rows of a table with their classes; scatters are counted when first asked for."""

    def __init__(self, d: Design, codes: Array, rows: Array, threads: int) -> None:
        self.d, self.codes, self.threads = d, codes, threads
        self.rows = rows  # of each class that count
        self._known: dict[bool, Scatter] = {}

    @property
    def n_classes(self) -> int:
        return len(self.d.classes[0])

    def scatter(self, pooled: bool) -> Scatter:
        """Of all classes together, or of each by itself."""
        if pooled not in self._known:
            self._known[pooled] = self._count(self.codes, self.n_classes, pooled)
        return self._known[pooled]

    def _count(self, codes: Array, classes: int, pooled: bool) -> Scatter:
        d = self.d
        weight, unit = d.unit_weight
        status, sums, mean, scale, parts = _core.class_scatter(d.matrix, codes, classes, weight, pooled, self.threads)
        if status:
            raise d.explain_not_finite()
        if not np.isfinite(mean).all():
            j = int(np.flatnonzero(~np.isfinite(mean).all(axis=0))[0])
            actual = f"those of column {d.column_labels()[j]!r} are too large"
            raise DataError(
                format_message(d.who, "means must fit into 64-bit floats", actual=actual, hint="rescale this column")
            )
        return Scatter(sums, unit, mean, scale, parts)

    def total_scatter(self) -> Scatter:
        """Of all rows around their one mean."""
        return self._count(np.zeros_like(self.codes), 1, True)

    def check_range(self, C: Floats) -> None:
        """A covariance that was pulled toward the identity must still be one."""
        if np.isfinite(C).all():
            return
        requirement = "covariances must be of like size with the identity that they are pulled toward"
        hint = "bring the columns to one scale, for instance by StandardScaler"
        raise DataError(
            format_message(
                self.d.who, requirement, actual="columns spread far too much or too little for it", hint=hint
            )
        )

    # ------------------------------------------------------------------------------------------------- the rows again

    def axes_from_rows(self, s: Scatter, divisor: float, axes: Axes, k: int | None = None) -> Axes:
        """Axes by QR of the centered rows (of class k, or of all) and the singular values of its triangle.

        Slower than `axes_of` and with all digits: the condition is not squared.
        """
        live = np.flatnonzero(axes.deviation > 0)
        R = np.zeros((0, len(live)))
        for Z in self._centered(s, k):
            R = np.asarray(np.linalg.qr(np.vstack([R, Z[:, live] / axes.deviation[live]]), mode="r"))
        _, roots, Vt = scipy.linalg.svd(R / np.sqrt(divisor), full_matrices=False)
        V = np.zeros((len(roots), len(axes.deviation)))
        V[:, live] = Vt
        return Axes(axes.deviation, roots, V)

    def _centered(self, s: Scatter, k: int | None) -> Iterator[Floats]:
        weight, _ = self.d.unit_weight
        rows = np.arange(len(self.codes)) if k is None else np.flatnonzero(self.codes == k)
        for begin in range(0, len(rows), _BLOCK_ROWS):
            some = rows[begin : begin + _BLOCK_ROWS]
            Z = self.d.numbers[some].astype(np.float64) * s.scale - s.scaled_mean[self.codes[some]]
            yield Z if weight is None else Z * np.sqrt(weight[some])[:, None]

    # ----------------------------------------------------------------------------------------------------- estimators

    def ledoit_wolf(self, s: Scatter, divisor: Floats, codes: Array) -> Floats:
        """Covariances of the classes, shrunk as Ledoit and Wolf (2004) found best, in standardized columns.

        The shrunk matrix of standardized columns is ``(1 - a) R + a m I`` with their correlations R and m the mean of
        R's diagonal; ``a = min(b², d²) / d²``, where d² says how far R is from m I and b² how far R itself is off:

            d² = sum (R - m I)² / p,    b² = (1 / n² sum_i |z_i|⁴ - 1/n sum R²) / p

        with z_i the standardized rows. Constant columns count as if their deviation were one.
        """
        p = len(s.scale)
        C = s.parts / s.weight[:, None, None]
        deviation = np.sqrt(np.einsum("kjj->kj", C))
        safe = np.where(deviation > 0, deviation, s.scale)
        weight, _ = self.d.unit_weight
        with np.errstate(over="ignore"):
            inverse = s.scale / safe
        fourth = _core.fourth_moments(self.d.matrix, codes, weight, s.mean, np.ascontiguousarray(inverse), self.threads)
        found = np.empty_like(C)
        for k, (own, D) in enumerate(zip(C, safe, strict=True)):
            R, n = own / D / D[:, None], s.weight[k] * s.unit
            found[k] = shrunk(R, _share(R, fourth[k] * s.unit, n, p), p) * D * D[:, None]
        return found * (s.weight / divisor)[:, None, None]

    def estimated(self, estimator: Any, s: Scatter, codes: Array, classes: int) -> Floats:
        """Covariances of the classes as another estimator finds them."""
        if self.d.weight is not None:
            requirement = "covariance_estimator does not take weights"
            hint = "leave sample_weight or covariance_estimator out"
            raise DataError(format_message(self.d.who, requirement, actual="got sample_weight", hint=hint))
        found = np.empty((classes, self.d.n_cols, self.d.n_cols))
        for k in range(classes):
            own = clone(estimator, safe=False).fit(np.asarray(self.d.numbers[codes == k], dtype=np.float64))
            if not hasattr(own, "covariance_"):
                requirement = "covariance_estimator must have covariance_ after fit"
                found_words = f"{type(estimator).__name__} does not have a covariance_ attribute"
                raise DataError(format_message(self.d.who, requirement, actual=found_words))
            found[k] = np.asarray(own.covariance_, dtype=np.float64) * s.scale * s.scale[:, None]
        return found


def shrunk(R: Floats, share: float, p: int) -> Floats:
    """``(1 - a) R + a m I`` with m the mean of R's diagonal."""
    return np.asarray((1 - share) * R + share * (np.trace(R) / p) * np.eye(p))


def _share(R: Floats, fourth: float, n: float, p: int) -> float:
    if p == 1:
        return 0.0
    m = np.trace(R) / p
    squares = float((R**2).sum())
    off = (fourth / n - squares) / n / p
    apart = (squares - 2 * m * np.trace(R) + p * m**2) / p
    off = min(off, apart)
    return 0.0 if off <= 0 or apart <= 0 else float(off / apart)
