"""Ridge regression: the ways to one answer, and one factorization for many penalties.

All minimize  sum_i w_i (y_i - b - x_i . w)² + alpha ||w||²  over w and the free intercept b. With an intercept the
columns are centered first, and b = mean(y) - mean(x) . w. Penalties are taken in the unit of the weights
(`Design.unit_weight`): both may be multiplied by one number without changing the answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from pellucid import _core
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design
from pellucid.linear_model import _least_squares as ls
from pellucid.linear_model._least_squares import Moments

# Numbers of a block of columns that is centered at a time.
_BLOCK = 2**22
_EPS = float(np.finfo(float).eps)


def moments_of(d: Design, center: bool, threads: int) -> Moments:
    """Moments of the columns; without cross products where there are more columns than rows."""
    return (ls.wide_moments if d.n_rows < d.n_cols else ls.moments)(d, center, threads)


def cholesky(m: Moments, alphas: Floats, threads: int) -> tuple[Floats, float] | None:
    """(X'X + alpha I) w = X'y for the penalty of each target: coefficients k x p and the worst reciprocal condition."""
    beta, worst = np.zeros((len(alphas), len(m.mean_x))), 1.0
    for alpha in np.unique(alphas):
        group = np.flatnonzero(alphas == alpha)
        with np.errstate(over="ignore"):
            size = np.sqrt(m.square + alpha * m.scale_x * m.scale_x)
        use = np.flatnonzero(np.isfinite(size) & (size > 0))  # infinite: the penalty leaves nothing of this column
        if not len(use):
            continue
        # A system with ones on its diagonal: its condition does not depend on the units of the columns.
        at = size[use]
        G = m.Sxx[np.ix_(use, use)] / at / at[:, None]
        np.fill_diagonal(G, 1.0)
        status, rcond, solution = _core.cholesky_solve(G, m.Sxy[np.ix_(use, group)] / at[:, None], threads)
        if status != 0:
            return None
        beta[np.ix_(group, use)] = solution / at
        worst = min(worst, rcond)
    return m.unscaled(beta), worst


def kernel(d: Design, m: Moments, alphas: Floats, threads: int) -> tuple[Floats, float] | None:
    """w = X'a with (XX' + alpha I) a = y, for fewer rows than columns: as `cholesky`."""
    unit = _unit(m)
    K, targets = _rows_gram(d, m, unit, threads)
    rows, worst = np.zeros((len(alphas), d.n_rows)), 1.0
    for alpha in np.unique(alphas):
        group = alphas == alpha
        with np.errstate(over="ignore"):
            added = alpha * unit * unit
        if not np.isfinite(added):  # the penalty leaves nothing
            continue
        G = K + added * np.eye(d.n_rows)
        status, rcond, solution = _core.cholesky_solve(G, np.ascontiguousarray(targets[:, group]), threads)
        if status != 0:
            return None
        rows[group] = solution
        worst = min(worst, rcond)
    return _unscaled(_times_rows(rows, d, m, unit), unit, m.scale_y), worst


# ------------------------------------------------------------------------------------------------ one factorization


class Spectrum(Protocol):
    """The eigenvalues of the centered X'WX (or XX'), from which every penalty has its answer at once."""

    @property
    def way(self) -> str:
        """How it was found: by "eigen" or "svd", or of the "kernel" XX'."""

    def coefficients(self, alphas: Floats) -> Floats:
        """For penalties a x k (one of each target): coefficients a x k x p."""

    def leave_one_out(self, d: Design, alphas: Floats, keep: bool, threads: int) -> tuple[Floats, Floats | None]:
        """Sums of w_i e_i² (k x a) and, if kept, the errors e_i (n x k x a) of rows left out, for a penalties."""


@dataclass(frozen=True)
class Primal:
    """X'WX = V diag(values) V', for at least as many rows as columns; c = V'X'Wy. X is taken times `unit`."""

    m: Moments
    unit: float
    values: Floats  # r
    V: Floats  # p x r
    c: Floats  # r x k, of scaled targets
    way: str

    def _shares(self, alphas: Floats) -> Floats:
        """1 / (value + alpha), r x (shape of alphas); zero where there is nothing to divide by."""
        with np.errstate(over="ignore"):
            below = self.values.reshape(-1, *[1] * alphas.ndim) + alphas * self.unit * self.unit
        return np.divide(1.0, below, out=np.zeros_like(below), where=below > 0)

    def coefficients(self, alphas: Floats) -> Floats:
        beta = np.einsum("pr,rak->akp", self.V, self.c[:, None, :] * self._shares(alphas), optimize=True)
        return _unscaled(beta, self.unit, self.m.scale_y)

    def leave_one_out(self, d: Design, alphas: Floats, keep: bool, threads: int) -> tuple[Floats, Floats | None]:
        m, weight_unit = self.m, d.unit_weight[1]
        share = self._shares(alphas)
        coordinates = (self.c[:, :, None] * share[:, None, :]).reshape(len(share), self.c.shape[1] * len(alphas))
        sums, errors = _core.ridge_leave_one_out(
            d.matrix,
            d.y,
            d.unit_weight[0],
            m.mean_x,
            np.full(d.n_cols, self.unit),
            m.mean_y,
            m.scale_y,
            np.ascontiguousarray(self.V),
            np.ascontiguousarray(share),
            np.ascontiguousarray(coordinates),
            m.weight if m.centered else 0.0,
            keep,
            threads,
        )
        sums = sums * weight_unit / (m.scale_y**2)[:, None]
        return sums, None if errors is None else errors / m.scale_y[:, None]


@dataclass(frozen=True)
class Dual:
    """XX' = U diag(values) U' of the weighted rows, for fewer rows than columns; b = U'y.

    The direction of the intercept, along which centered rows have nothing, is left out of U.
    """

    d: Design
    m: Moments
    unit: float
    values: Floats  # r
    U: Floats  # n x r
    b: Floats  # r x k, of scaled targets
    way: str = "kernel"

    def _kept(self, alphas: Floats) -> Floats:
        """alpha / (value + alpha): what the penalty leaves of a residual; r x (shape of alphas)."""
        with np.errstate(over="ignore", under="ignore"):
            alphas = np.clip(alphas * self.unit * self.unit, 1e-300, 1e300)
            return 1 / (1 + self.values.reshape(-1, *[1] * alphas.ndim) / alphas)

    def coefficients(self, alphas: Floats) -> Floats:
        with np.errstate(over="ignore", under="ignore"):
            below = self.values[:, None, None] + alphas * self.unit * self.unit
        share = np.divide(1.0, below, out=np.zeros_like(below), where=below > 0)
        a, k = alphas.shape
        rows = np.einsum("nr,rak->akn", self.U, self.b[:, None, :] * share, optimize=True).reshape(a * k, -1)
        beta = _times_rows(rows, self.d, self.m, self.unit)
        return _unscaled(beta.reshape(a, k, -1), self.unit, self.m.scale_y)

    def leave_one_out(self, d: Design, alphas: Floats, keep: bool, threads: int) -> tuple[Floats, Floats | None]:
        m, (weight, weight_unit) = self.m, d.unit_weight
        residual_factors = self._kept(alphas)
        top = np.einsum("nr,rk,ra->nka", self.U, self.b, residual_factors, optimize=True)
        bottom = self.U**2 @ residual_factors
        root = np.ones(d.n_rows) if weight is None else np.sqrt(weight)
        with np.errstate(divide="ignore", invalid="ignore"):
            errors = top / bottom[:, None, :] / root[:, None, None]
        none = np.flatnonzero(root == 0)
        if len(none):  # rows that the fit did not see
            W = self.coefficients(np.repeat(alphas[:, None], len(m.mean_y), axis=1))
            X = np.ascontiguousarray(_dense(d.numbers[none])) - m.mean_x
            errors[none] = (d.y[none, :, None] - m.mean_y[:, None] - np.einsum("np,akp->nka", X, W)) * m.scale_y[
                :, None
            ]
        live = root > 0
        sums = np.einsum("n,nka->ka", root[live] ** 2, errors[live] ** 2) * weight_unit / (m.scale_y**2)[:, None]
        return sums, errors / m.scale_y[:, None] if keep else None


def spectrum(d: Design, m: Moments, alpha_min: float, threads: int, stable: bool = False) -> Spectrum:
    """The factorization that serves penalties of `least` and more; by SVD of the table itself if `stable`."""
    if d.n_rows < d.n_cols:
        return _dual(d, m, threads) if not stable else _wide_svd(d, m)
    primal = of_moments(m)
    if not stable and accurate(primal, alpha_min):
        return primal
    R, z = ls.triangle(d, m, threads)
    relative = _relative(m, primal.unit)
    U, s, Vt = np.linalg.svd(R * relative)
    significant = s > ls._noise(d, m) * s.max(initial=0.0)
    return Primal(m, primal.unit, s[significant] ** 2, Vt[significant].T, (s[:, None] * (U.T @ z))[significant], "svd")


def of_moments(m: Moments) -> Primal:
    """From the cross products alone."""
    unit = _unit(m)
    relative = _relative(m, unit)
    values, V = np.linalg.eigh(m.Sxx * relative * relative[:, None])
    significant = values > _EPS * len(values) * values.max(initial=0.0)
    values, V = values[significant], V[:, significant]
    return Primal(m, unit, values, V, V.T @ (m.Sxy * relative[:, None]), "eigen")


def accurate(primal: Primal, alpha_min: float) -> bool:
    """Are six digits left when cross products of these columns are solved with this penalty?"""
    if len(primal.values) == 0:
        return True
    smallest = primal.values.min() if len(primal.values) == len(primal.V) else 0.0
    return bool(smallest + alpha_min * primal.unit * primal.unit >= ls.NORMAL_RCOND * primal.values.max())


def _unit(m: Moments) -> float:
    """One power of two for all columns, that of the largest."""
    varies = m.square > 0
    return float(m.scale_x[varies].min()) if varies.any() else 1.0


def _relative(m: Moments, unit: float) -> Floats:
    with np.errstate(under="ignore"):
        return np.where(m.square > 0, unit / m.scale_x, 0.0)


def _unscaled(beta: Floats, unit: float, scale_y: Floats) -> Floats:
    """Coefficients (... x k x p) of X times unit and y times scale as those of X and y."""
    exponents = np.frexp(unit)[1] - np.frexp(scale_y)[1]
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(np.ldexp(beta, exponents[:, None]))


def _dense(numbers: Array) -> Floats:
    dense = numbers.toarray() if hasattr(numbers, "toarray") else numbers
    return np.asarray(dense, dtype=np.float64)


def _blocks(d: Design, m: Moments, unit: float) -> Iterator[tuple[slice, Floats]]:
    """The centered, weighted table times `unit`, some columns at a time."""
    weight = d.unit_weight[0]
    root = np.ones((d.n_rows, 1)) if weight is None else np.sqrt(weight)[:, None]
    numbers = d.numbers.tocsc() if d.table.is_sparse else d.numbers
    width = max(64, _BLOCK // d.n_rows)
    for begin in range(0, d.n_cols, width):
        columns = slice(begin, min(begin + width, d.n_cols))
        # C order: BLAS rounds otherwise for another layout
        yield columns, np.ascontiguousarray((_dense(numbers[:, columns]) * unit - m.mean_x[columns] * unit) * root)


def _times_rows(rows: Floats, d: Design, m: Moments, unit: float) -> Floats:
    """Combinations (... x n) of the rows of the centered table."""
    out = np.empty((len(rows), d.n_cols))
    for columns, B in _blocks(d, m, unit):
        out[:, columns] = rows @ B
    return out


def _rows_gram(d: Design, m: Moments, unit: float, threads: int) -> tuple[Floats, Floats]:
    """XX' of the centered, weighted rows, and their targets (n x k)."""
    K, weight = np.zeros((d.n_rows, d.n_rows)), d.unit_weight[0]
    for _, B in _blocks(d, m, unit):
        _, _, _, scale, cross = _core.moments(_core.dense(B.T), np.empty((B.shape[1], 0)), None, False, threads)
        K += cross / scale / scale[:, None]
    root = np.ones((d.n_rows, 1)) if weight is None else np.sqrt(weight)[:, None]
    return K, (d.y * m.scale_y - m.mean_y * m.scale_y) * root


def _dual(d: Design, m: Moments, threads: int) -> Dual:
    unit, weight = _unit(m), d.unit_weight[0]
    K, targets = _rows_gram(d, m, unit, threads)
    if m.centered:  # the direction of the intercept is made the last one, and dropped
        root = np.ones(d.n_rows) if weight is None else np.sqrt(weight)
        q = root / np.sqrt(root @ root)
        K += (2 * np.abs(K).sum(axis=1).max() or 1.0) * np.outer(q, q)
    values, U = np.linalg.eigh(K)
    if m.centered:
        values, U = values[:-1], U[:, :-1]
    return Dual(d, m, unit, np.maximum(values, 0.0), U, U.T @ targets)


def _wide_svd(d: Design, m: Moments) -> Primal:
    unit, weight = _unit(m), d.unit_weight[0]
    root = np.ones((d.n_rows, 1)) if weight is None else np.sqrt(weight)[:, None]
    X = np.hstack([B for _, B in _blocks(d, m, unit)])
    U, s, Vt = np.linalg.svd(X, full_matrices=False)
    significant = s > _EPS * d.n_cols * s.max(initial=0.0)
    targets = (d.y * m.scale_y - m.mean_y * m.scale_y) * root
    return Primal(m, unit, s[significant] ** 2, Vt[significant].T, (s[:, None] * (U.T @ targets))[significant], "svd")


# ------------------------------------------------------------------------------------------------- parts of the rows


def part(d: Design, rows: Array | slice) -> Design:
    """Some rows of a table as a table of their own."""
    numbers, weight = d.numbers[rows], None if d.weight is None else np.ascontiguousarray(d.weight[rows])
    if d.table.is_sparse:
        view = _core.csr(numbers.data, numbers.indices, numbers.indptr, d.n_cols)
    else:
        view = _core.dense(numbers)
    return Design(
        d.who, d.table, d.schema, numbers.shape[0], d.n_cols, d.dtype, view, numbers, d.y[rows], d.y_is_vector, weight
    )


def merged(designs: Sequence[Design], all_moments: Sequence[Moments], unit: float) -> Moments:
    """Moments of several parts of a table together, from those of each; weights in the given unit.

    S = sum_f S_f + W_f (m_f - m)(m_f - m)' adds what is never negative: no digit is lost, as it would be if a part were
    taken off the whole.
    """
    centered, p = all_moments[0].centered, len(all_moments[0].mean_x)
    shares = [d.unit_weight[1] / unit for d in designs]
    weights = np.array([share * m.weight for share, m in zip(shares, all_moments, strict=True)])
    total = weights.sum()
    means = np.array([np.concatenate([m.mean_x, m.mean_y]) for m in all_moments])
    scales = np.array([np.concatenate([m.scale_x, m.scale_y]) for m in all_moments])
    square = np.array([np.concatenate([m.square, m.Syy]) for m in all_moments])
    mean = means[0] + weights @ (means - means[0]) / total if centered else means[0]
    with np.errstate(over="ignore"):
        spread = np.where(square > 0, 1 / scales, 0.0).max(axis=0)
        spread = np.maximum(spread, np.abs(means - mean).max(axis=0))
    scale = np.where(spread > 0, np.ldexp(1.0, -(np.frexp(np.where(spread > 0, spread, 1.0))[1] - 1)), 1.0)
    Sxx, Sxy, Syy = np.zeros((p, p)), np.zeros((p, len(mean) - p)), np.zeros(len(mean) - p)
    for share, m, weight, fold_mean, at in zip(shares, all_moments, weights, means, scales, strict=True):
        ratio, apart = scale / at, (fold_mean - mean) * scale
        x, y = ratio[:p], ratio[p:]
        Sxx += share * m.Sxx * x * x[:, None] + weight * np.outer(apart[:p], apart[:p])
        Sxy += share * m.Sxy * x[:, None] * y + weight * np.outer(apart[:p], apart[p:])
        Syy += share * m.Syy * y * y + weight * apart[p:] ** 2
    return Moments(centered, float(total), mean[:p], mean[p:], scale[:p], scale[p:], np.diag(Sxx).copy(), Sxx, Sxy, Syy)


def answers(d: Design, coef: Floats, intercept: Floats, threads: int) -> Floats:
    """Predictions n x (shape of intercept) of many models (... x p) in one product."""
    W = np.ascontiguousarray(coef.reshape(-1, d.n_cols))
    b = np.ascontiguousarray(intercept.ravel())
    multiply = _core.multiply if d.table.is_sparse else _core.multiply_many
    return multiply(d.matrix, W, b, threads).reshape(d.n_rows, *intercept.shape)
