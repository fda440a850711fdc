"""Ridge regression by passes over the table: conjugate gradients, LSQR, average gradients, L-BFGS with a bound.

Each tells its passes to a trace and solves one target after the other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pellucid import _core
from pellucid.base.errors import DataError, count, format_message
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, check_finite
from pellucid.estimator.trace import Trace
from pellucid.linear_model._iterative import _column_exponents, _exponent, _means

# Turns coefficients (k x p) and intercepts (k) into fitted attributes.
Attributes = Callable[[Floats, Floats], dict[str, Any]]

# Where small steps of average gradients are the end, the slope left is at most 35 `tol` of the first one (measured on
# text, counts, normal numbers and shifted ones); where they are not, it was 0.8 of it.
_SLOPES, _STEEP = 100.0, 0.1

# In the order of the kernel's own enumeration.
_STOPS = ("converged", "count", "told", "overflow", "separated")


@dataclass(frozen=True)
class Passes:
    """How a solver goes, and whom it tells."""

    solver: str
    center: bool
    tol: float
    max_iter: int | None
    positive: bool
    seed: int
    threads: int
    trace: Trace
    attributes: Attributes


@dataclass
class Found:
    """Coefficients (k x p), intercepts (k), passes of each target, and whether all came to their end."""

    coef: Floats
    intercept: Floats
    passes: Array
    converged: bool


def solve(d: Design, alphas: Floats, how: Passes) -> Found:
    """One target after the other; `alphas` in the unit of the weights."""
    check_finite(d, allow_nan=False)
    by_products = how.solver in ("sparse_cg", "lsqr")
    return (_by_products if by_products else _by_rows)(d, alphas, how)


# ------------------------------------------------------------------------------------------ products with X and X'


def _by_products(d: Design, alphas: Floats, how: Passes) -> Found:
    weight = d.unit_weight[0]
    root = None if weight is None else np.sqrt(weight)
    mean_x, mean_y = _means(d, how.center, weight, how.threads)
    exponents = _column_exponents(d, mean_x)
    if how.solver == "lsqr":  # its penalty is one number: so is the unit of the columns
        exponents = np.full(d.n_cols, exponents.max())
    scale = np.ldexp(1.0, -exponents)
    squares = _squares(d, mean_x, scale, weight, how.threads)
    coef, passes, converged = np.zeros((len(alphas), d.n_cols)), np.zeros(len(alphas), dtype=np.int32), True
    for t, alpha in enumerate(alphas):
        b = (d.y[:, t] - mean_y[t]) * (1.0 if root is None else root)
        size = _exponent(np.abs(b).max())

        def current(scaled_coef: Floats, t: int = t, size: Any = size) -> dict[str, Any]:
            coef[t] = np.ldexp(scaled_coef, size - exponents)
            return how.attributes(coef, mean_y - coef @ mean_x)

        common = (d.matrix, np.ldexp(b, -size, out=b), scale, mean_x if how.center else None, root)
        watch = (how.threads, how.trace.record, how.trace.listener(current))
        with np.errstate(over="ignore", under="ignore"):
            penalty = np.minimum(alpha * scale * scale, 1e300)
        if how.solver == "lsqr":
            max_iter = how.max_iter or 2 * min(d.n_rows, d.n_cols) + 100
            status, steps, scaled_coef, tables = _core.lsqr(
                *common, how.tol, max_iter, *watch, float(np.sqrt(penalty.max()))
            )
        else:
            max_iter = how.max_iter or 10 * d.n_cols + 100
            diagonal = squares + penalty
            diagonal[diagonal == 0] = 1.0
            status, steps, scaled_coef, tables = _core.ridge_conjugate_gradient(
                *common, penalty, diagonal, how.tol, max_iter, *watch
            )
        with np.errstate(over="ignore", under="ignore"):
            coef[t] = np.ldexp(scaled_coef, size - exponents)
        passes[t], converged = steps, converged and status == 0
        how.trace.take(tables, None if d.y_is_vector else t)
    return Found(coef, mean_y - coef @ mean_x if how.center else np.zeros(len(coef)), passes, converged)


def _squares(d: Design, mean: Floats, scale: Floats, weight: Floats | None, threads: int) -> Floats:
    """Weighted sums of squares of the scaled columns around their means."""
    X, w = d.numbers, np.ones(d.n_rows) if weight is None else weight
    if d.table.is_sparse:
        each = (X.data * scale[X.indices]) ** 2 * np.repeat(w, np.diff(X.indptr))
        squares = np.bincount(X.indices, weights=each, minlength=d.n_cols) - w.sum() * (mean * scale) ** 2
        return np.asarray(np.maximum(squares, 0.0))  # rounding may leave less than zero
    squares = np.zeros(d.n_cols)
    for begin in range(0, d.n_rows, 1024):
        block = X[begin : begin + 1024] * scale - mean * scale
        squares += _core.multiply_transposed(_core.dense(block**2), w[begin : begin + 1024], threads)
    return squares


# --------------------------------------------------------------------------------------------- the kernels' own scale


def _by_rows(d: Design, alphas: Floats, how: Passes) -> Found:
    """Average gradients, or L-BFGS with coefficients of zero or more, on the scale of the kernels: l2 = alpha / S."""
    weight = d.unit_weight[0]
    total = float(d.n_rows if weight is None else weight.sum())
    k = len(alphas)
    coef, intercept = np.zeros((k, d.n_cols)), np.zeros(k)
    passes, converged = np.zeros(k, dtype=np.int32), True
    matrix, mean = (d.matrix, None) if how.solver == "lbfgs" else _around_means(d, how.center, weight)
    for t, alpha in enumerate(alphas):
        y = np.ascontiguousarray(d.y[:, t])
        start = float(np.average(y, weights=weight)) if how.center else 0.0

        def place(coef: Floats, b: float, start: float = start) -> float:
            return b if mean is None else start - float(coef @ mean)

        def current(flat: Floats, t: int = t, intercept_for: Callable[..., float] = place) -> dict[str, Any]:
            coef[t], intercept[t] = flat[:-1], intercept_for(flat[:-1], flat[-1])
            return how.attributes(coef, intercept)

        s = _core.LinearSettings()
        s.l2, s.intercept = min(float(alpha) / total, 1e100), how.center and mean is None
        s.seed, s.threads = how.seed, how.threads
        s.tol, s.most_passes = how.tol, how.max_iter or (15_000 if how.solver == "lbfgs" else 1000)
        if mean is not None:
            y = y - start  # not in place: y may be the table of targets itself
        first = np.array([start if s.intercept else 0.0])
        arguments = (matrix, y, weight, np.zeros((1, d.n_cols)), first, s, "squared")
        listener = how.trace.listener(current)
        if how.solver == "lbfgs":
            s.tol = how.tol * _first_slope(d, y - start, weight, total, how.threads)
            output = _core.lbfgs(*arguments, how.positive, how.trace.record, listener)
        else:
            output = _core.saga(*arguments, how.solver == "sag", how.trace.record, listener)
        stop, steps, _, _, fitted_coef, b, tables = output
        how.trace.take(tables, None if d.y_is_vector else t)
        if _STOPS[stop] == "overflow" or not (np.isfinite(fitted_coef).all() and np.isfinite(b).all()):
            requirement, actual = "the cost must stay finite", f"it overflowed after {count(int(steps), 'pass')}"
            raise DataError(
                format_message(d.who, requirement, actual=actual, hint="scale the columns, or leave solver='auto'")
            )
        coef[t], intercept[t], passes[t] = fitted_coef[0], place(fitted_coef[0], float(b[0])), steps
        converged = converged and _STOPS[stop] in ("converged", "told")
        if how.solver != "lbfgs" and d.table.is_sparse and how.center and _STOPS[stop] == "converged":
            relative_gradient = _slope_around_means(d, coef[t], t, weight, s.l2, how.threads)
            converged = converged and relative_gradient <= min(_SLOPES * how.tol, _STEEP)
    return Found(coef, intercept, passes, converged)


def _slope_around_means(d: Design, coef: Floats, t: int, weight: Floats | None, l2: float, threads: int) -> float:
    """Largest slope with the best intercept for these coefficients, as a share of the one at coefficients of zero.

    Steps over a sparse table cannot take the means off, and where columns lie far from zero they become small long
    before the end.
    """
    mean_x, mean_y = _means(d, True, weight, threads)
    share = np.full(d.n_rows, 1 / d.n_rows) if weight is None else weight / weight.sum()
    residuals = d.y[:, t] - mean_y[t]
    first = _core.multiply_transposed(d.matrix, share * residuals, threads)
    residuals = residuals - (d.numbers @ coef - float(mean_x @ coef))
    gradient = _core.multiply_transposed(d.matrix, share * residuals, threads) - l2 * coef
    return float(np.abs(gradient).max(initial=0.0)) / (float(np.abs(first).max(initial=0.0)) or 1.0)


def _around_means(d: Design, center: bool, weight: Floats | None) -> tuple[_core.Matrix, Floats | None]:
    """A dense table less its means: row by row, columns far from zero would take thousands of passes."""
    if d.table.is_sparse or not center:
        return d.matrix, None
    numbers = np.ascontiguousarray(d.numbers)  # NumPy adds in another order for another layout
    mean = np.average(numbers, axis=0, weights=weight).astype(np.float64)
    return _core.dense(np.asarray(numbers - mean, dtype=d.dtype)), mean


def _first_slope(d: Design, residuals: Floats, weight: Floats | None, total: float, threads: int) -> float:
    """Largest slope at coefficients of zero: what `tol` is a share of."""
    gradients = _core.multiply_transposed(d.matrix, residuals if weight is None else residuals * weight, threads)
    return float(np.abs(gradients).max(initial=0.0)) / total or 1.0
