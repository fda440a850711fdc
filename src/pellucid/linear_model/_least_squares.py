"""Least squares on the moments of the columns: the ways to one answer, and the guard that chooses among them.

All minimize  sum_i w_i (y_i - b - x_i . beta)²  over beta (and b, when there is an intercept). With an intercept the
columns are centered first: then b = mean(y) - mean(x) . beta.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from pellucid import _core
from pellucid.base.types import Array, Flags, Floats
from pellucid.data.design import Design, check_finite

# The normal equation loses as many digits as the squared condition number has; below this reciprocal condition of the
# scaled X'X (six digits left at least) a stable method takes over.
NORMAL_RCOND = 1e-10


@dataclass(frozen=True)
class Moments:
    """Means and scaled cross products of the columns of X (p) and y (k); `scale` holds powers of two.

    Weights are taken in the unit of `Design.unit_weight`, which changes no coefficient.
    """

    centered: bool
    weight: float
    mean_x: Floats
    mean_y: Floats
    scale_x: Floats
    scale_y: Floats
    square: Floats  # p sums of squares, of scaled columns
    Sxx: Floats  # p x p; empty for a table with fewer rows than columns
    Sxy: Floats  # p x k
    Syy: Floats  # k
    whole: Whole | None = None  # of which these are the first columns

    def leading(self, p: int, full: Whole) -> Moments:
        """Of the first p columns alone."""
        prefixes = {name: getattr(self, name)[:p] for name in ("mean_x", "scale_x", "square", "Sxy")}
        return replace(self, **prefixes, Sxx=self.Sxx[:p, :p], whole=full)

    @property
    def varying(self) -> Flags:
        """Columns that are not constant (not zero, without an intercept)."""
        # A constant has exactly zero spread here; a spread below two units in the last place of the mean is rounding.
        noise = 2 * np.finfo(float).eps * np.abs(self.mean_x) * self.scale_x
        return np.asarray(self.square > self.weight * noise**2)

    @property
    def rounding(self) -> Flags:
        """Columns that vary, but only in the last digits."""
        return np.asarray((self.square > 0) & ~self.varying)

    def unscaled(self, beta: Floats) -> Floats:
        """Coefficients (k x p) of the scaled columns as those of the columns themselves."""
        exponents = np.frexp(self.scale_x)[1] - np.frexp(self.scale_y)[1][:, None]
        with np.errstate(over="ignore"):
            return np.asarray(np.ldexp(beta, exponents))

    def singular_values(self, threads: int, weight_unit: float) -> Floats:
        """Singular values of the centered X, largest first: the roots of the eigenvalues of X'X."""
        unit = self.scale_x.min()
        relative = unit / self.scale_x
        eigenvalues = _core.jacobi(self.Sxx * relative * relative[:, None], 0, threads)[2]
        return np.asarray(np.sqrt(np.sort(eigenvalues)[::-1]) / unit * np.sqrt(weight_unit))


@dataclass
class Whole:
    """A table whose first columns are fitted too: its moments and its triangle hold theirs."""

    d: Design
    m: Moments
    known: tuple[Floats, Floats] | None = None

    def triangle(self, threads: int) -> tuple[Floats, Floats]:
        if self.known is None:
            self.known = triangle(self.d, self.m, threads)
        return self.known


@dataclass
class Solution:
    """Coefficients (k x p) and how they were found."""

    coef: Floats
    solver: str
    rank: int
    rcond: float = 1.0  # of the scaled X'X
    singular: Floats | None = None
    dependent: list[int] = field(default_factory=list)
    passes: int = 0
    converged: bool = True


def moments(d: Design, center: bool, threads: int) -> Moments:
    """One pass over the data. Raises the sentence about NaN or infinity when the kernel met one."""
    status, weight, mean, scale, cross = _core.moments(d.matrix, d.y, d.unit_weight[0], bool(center), threads)
    if status != 0:
        raise d.explain_not_finite()
    p = d.n_cols
    return Moments(
        centered=bool(center),
        weight=weight,
        mean_x=mean[:p],
        mean_y=mean[p:],
        scale_x=scale[:p],
        scale_y=scale[p:],
        square=np.diag(cross)[:p].copy(),
        Sxx=cross[:p, :p],
        Sxy=cross[:p, p:],
        Syy=np.diag(cross)[p:].copy(),
    )


def wide_moments(d: Design, center: bool, threads: int) -> Moments:
    """Means, scales and sums of squares without cross products: with p > n these would be larger than the table."""
    check_finite(d, allow_nan=False)
    weight = d.unit_weight[0]
    w = np.ones(d.n_rows) if weight is None else weight
    X = d.numbers.toarray() if d.table.is_sparse else d.numbers
    share = w / w.sum() * float(center)
    mean_x, mean_y = _core.multiply_transposed(d.matrix, share, threads), share @ d.y
    scale_x, square = _sizes(X, mean_x, w)
    scale_y, Syy = _sizes(d.y, mean_y, w)
    none = np.empty((0, 0))
    return Moments(bool(center), float(w.sum()), mean_x, mean_y, scale_x, scale_y, square, none, none, Syy)


def _sizes(X: Array, mean: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Powers of two that bring the columns near unit spread around `mean`, and their weighted sums of squares then."""
    low, high = X.min(axis=0).astype(np.float64), X.max(axis=0).astype(np.float64)
    half = np.maximum(np.abs(high / 2 - mean / 2), np.abs(low / 2 - mean / 2))  # halves: no overflow
    scale = np.where(half > 0, np.ldexp(0.5, np.clip(1 - np.frexp(half)[1], -1000, 1000)), 1.0)
    square = np.zeros(len(mean))
    for row, w in zip(X, weight, strict=True):
        square += w * (row * scale - mean * scale) ** 2
    return scale, np.where((low == high) & (mean != 0), 0.0, square)


def simple(m: Moments) -> Solution:
    """One column: beta = Sxy / Sxx."""
    varies = bool(m.varying[0])
    beta = (m.Sxy / m.Sxx).T if varies else np.zeros((len(m.mean_y), 1))
    return Solution(m.unscaled(beta), "simple", int(varies))


def correlation(m: Moments) -> Solution:
    """One column: beta = r * sd(y) / sd(x), with r = Sxy / sqrt(Sxx Syy)."""
    sd_x, sd_y = np.sqrt(m.Sxx[0, 0]), np.sqrt(m.Syy)
    if not m.varying[0]:
        return Solution(np.zeros((len(m.mean_y), 1)), "correlation", 0)
    r = np.divide(m.Sxy[0], sd_x * sd_y, out=np.zeros_like(sd_y), where=sd_y > 0)
    return Solution(m.unscaled((r * sd_y / sd_x)[:, None]), "correlation", 1)


def normal(m: Moments, threads: int) -> Solution | None:
    """The normal equation X'X beta = X'y by Cholesky; None when X'X is not positive definite."""
    use = m.varying
    rank = int(use.sum())
    beta = np.zeros((len(m.mean_y), len(use)))
    if rank == 0:
        return Solution(beta, "normal", 0)
    status, rcond, solution = _core.cholesky_solve(m.Sxx[np.ix_(use, use)], m.Sxy[use], threads)
    if status != 0:
        return None
    beta[:, use] = solution
    return Solution(m.unscaled(beta), "normal", rank, rcond)


def triangle(d: Design, m: Moments, threads: int) -> tuple[Floats, Floats]:
    """R (p x p) and Q'y (p x k) of the scaled, centered columns, by Householder reflections over blocks of rows."""
    if m.whole is not None:
        R, z = m.whole.triangle(threads)
        return R[: d.n_cols, : d.n_cols], z[: d.n_cols]
    shift, scale = np.concatenate([m.mean_x, m.mean_y]), np.concatenate([m.scale_x, m.scale_y])
    R = _core.qr_of_rows(d.matrix, d.y, d.unit_weight[0], shift, scale, m.centered, threads).T
    return R[: d.n_cols, : d.n_cols], R[: d.n_cols, d.n_cols :]


def qr(d: Design, m: Moments, threads: int) -> Solution | None:
    """X = QR, R beta = Q'y; None when R is singular to working precision."""
    R, z = triangle(d, m, threads)
    use = m.varying
    beta = np.zeros((z.shape[1], len(use)))
    if use.any():
        R, z = _only(R, z, use)
        rcond, solution = _core.solve_triangle(R, z)
        if rcond < _noise(d, m):
            return None
        beta[:, use] = solution
        return Solution(m.unscaled(beta), "qr", int(use.sum()), rcond**2)
    return Solution(beta, "qr", 0)


def _only(R: Floats, z: Floats, use: Flags) -> tuple[Floats, Floats]:
    """The triangle of some of the columns."""
    if use.all():
        return R, z
    width = int(use.sum())
    _, both = _core.qr(np.vstack([np.hstack([R[:, use], z]), np.zeros((z.shape[1], width + z.shape[1]))]), 1)
    return both[:width, :width], both[:width, width:]


def _noise(d: Design, m: Moments) -> float:
    """Relative size below which a singular value cannot be told from rounding.

    Besides the usual eps * max(n, p) there is the rounding of the data themselves: a centered column is only known to
    eps times the size of its mean.
    """
    eps = float(np.finfo(d.dtype).eps)
    use = m.varying
    spread = np.sqrt(m.square[use] / m.weight)
    offset = float(np.max(np.abs(m.mean_x[use]) * m.scale_x[use] / spread, initial=0.0))
    return eps * max(d.n_rows, d.n_cols, 4 * offset)


def svd(d: Design, m: Moments, threads: int) -> Solution:
    """The pseudoinverse: X = U S V', beta = V S⁺ U'y. Of all minimizers the one of smallest norm."""
    # X is taken in one unit for all columns, y in its own: squares of any size stay in range.
    relative = m.scale_x.min()
    if d.n_rows >= d.n_cols:
        R, rhs = triangle(d, m, threads)
        matrix, back = (R * (relative / m.scale_x)).T, None
    else:
        X, rhs = _centered(d, m, relative)
        back, matrix = _core.qr(X.T, threads)
    size = float(np.abs(matrix).max(initial=0.0)) or 1.0
    unit = 2.0 ** np.round(np.log2(size))
    _, _, singular, rows = _core.jacobi(np.vstack([matrix / unit, rhs.T]), rhs.shape[1], threads)
    beta, vectors, significant = _pseudo_solve(singular, rows, _noise(d, m), rhs.shape[1])
    if back is not None:
        beta = _core.apply_q(back, np.ascontiguousarray(beta.T))
        vectors = _core.apply_q(back, np.ascontiguousarray(vectors.T))
    exponents = np.frexp(relative)[1] - np.frexp(unit)[1] + 1 - np.frexp(m.scale_y)[1]
    with np.errstate(over="ignore"):
        coef = np.ldexp(beta, exponents[:, None])
        order = np.sort(singular)[::-1][: min(d.n_rows, d.n_cols)] * unit / relative
        order = order * np.sqrt(d.unit_weight[1])
    if back is None and not significant.all():
        unique = _solve_unique(d, m, R, rhs)
        if unique is not None:  # independent in the columns' own units, however different these are
            return Solution(m.unscaled(unique), "svd", d.n_cols, singular=order)
    # A column is determined when its unit vector lies in the span of the right singular vectors that count.
    share = (vectors**2).sum(axis=0)
    dependent = [int(j) for j in np.flatnonzero((share < 1 - 1e-8) & m.varying)]
    return Solution(coef, "svd", int(significant.sum()), singular=order, dependent=dependent)


def _solve_unique(d: Design, m: Moments, R: Floats, z: Floats) -> Floats | None:
    """The answer by back substitution, when the scaled columns are independent."""
    if not m.varying.all():
        return None
    rcond, solution = _core.solve_triangle(R, z)
    return solution if rcond >= _noise(d, m) else None


def _pseudo_solve(singular: Floats, rows: Floats, noise: float, k: int) -> tuple[Floats, Floats, Any]:
    """Solution (k x m), right singular vectors that count (rank x m), and which count, from the rotated columns."""
    significant = singular > noise * singular.max(initial=0.0)
    m = rows.shape[1] - k
    vectors = rows[significant, :m] / singular[significant, None]
    coordinates = rows[significant, m:] / singular[significant, None]
    return coordinates.T @ vectors, vectors, significant


def _centered(d: Design, m: Moments, relative: float) -> tuple[Floats, Floats]:
    """Centered, scaled and weighted X (n x p) and y (n x k), for a table with fewer rows than columns."""
    dense = d.numbers.toarray() if d.table.is_sparse else np.asarray(d.numbers, dtype=np.float64)
    weight = d.unit_weight[0]
    root = np.ones((d.n_rows, 1)) if weight is None else np.sqrt(weight)[:, None]
    X = dense * relative - m.mean_x * relative
    return X * root, (d.y * m.scale_y - m.mean_y * m.scale_y) * root
