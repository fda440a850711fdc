"""Least squares by passes: non-negative coefficients, and large sparse tables. Both tell their passes to a trace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pellucid import _core
from pellucid.base.types import Floats
from pellucid.data.design import Design, check_finite
from pellucid.estimator.trace import Trace
from pellucid.linear_model._least_squares import Moments, Solution

# Turns coefficients (k x p) and the means of X and y into fitted attributes.
Attributes = Callable[[Floats, Floats, Floats], dict[str, Any]]

# Columns whose sizes differ by more than this are brought to one size first: LSQR would need as many more passes.
_MOST_RATIO = 2.0**20
# Columns whose mean is more than this many times their spread are centered in a copy: half of all digits would cancel.
_FAR_OFF = 2.0**26


def positive(d: Design, m: Moments, trace: Trace, attributes: Attributes) -> Solution:
    """Least squares with coefficients of zero or more: Lawson and Hanson's active set on the normal equation."""
    use = m.varying
    size = np.sqrt(np.diag(m.Sxx)[use])  # columns of length one: the order of entry does not depend on their units
    G = np.ascontiguousarray(m.Sxx[np.ix_(use, use)] / size / size[:, None])
    beta = np.zeros((d.y.shape[1], d.n_cols))
    passes, converged = 0, True
    for t in range(len(beta)):

        def current(scaled_coef: Floats, t: int = t) -> dict[str, Any]:
            beta[t, use] = scaled_coef / size
            return attributes(m.unscaled(beta), m.mean_x, m.mean_y)

        b = np.ascontiguousarray(m.Sxy[use, t] / size)
        status, steps, scaled_coef, tables = _core.nnls(G, b, 10 * d.n_cols, trace.record, trace.listener(current))
        beta[t, use] = scaled_coef / size
        passes, converged = passes + steps, converged and status == 0
        trace.take(tables, None if d.y_is_vector else t)
    rank = int((beta > 0).any(axis=0).sum())
    return Solution(m.unscaled(beta), "positive", rank, passes=passes, converged=converged)


def lsqr(
    d: Design, center: bool, tol: float, threads: int, trace: Trace, attributes: Attributes
) -> tuple[Solution, Floats, Floats]:
    """Least squares by products with X and X' alone; also the means of X and y."""
    check_finite(d, allow_nan=False)
    weight = d.unit_weight[0]
    root = None if weight is None else np.sqrt(weight)
    mean_x, mean_y = _means(d, center, weight, threads)
    exponents = _column_exponents(d, mean_x)
    scale = np.ldexp(1.0, -exponents)
    matrix, still = d.matrix, mean_x
    if center and not d.table.is_sparse and (np.abs(mean_x) > np.ldexp(_FAR_OFF, exponents)).any():
        # Products with X and with its means would cancel; the differences themselves lose nothing.
        near = d.numbers - mean_x
        matrix = _core.dense(near)
        still = _core.multiply_transposed(matrix, _shares(d.n_rows, weight), threads)
        mean_x = mean_x + still
    coef = np.zeros((d.y.shape[1], d.n_cols))
    passes, converged = 0, True
    for t in range(len(coef)):
        b = (d.y[:, t] - mean_y[t]) * (1.0 if root is None else root)
        size = _exponent(np.abs(b).max())

        def current(scaled_coef: Floats, t: int = t, size: Any = size) -> dict[str, Any]:
            coef[t] = np.ldexp(scaled_coef, size - exponents)
            return attributes(coef, mean_x, mean_y)

        status, steps, scaled_coef, tables = _core.lsqr(
            matrix,
            np.ldexp(b, -size, out=b),
            scale,
            still if center else None,
            root,
            tol,
            2 * min(d.n_rows, d.n_cols) + 100,
            threads,
            trace.record,
            trace.listener(current),
        )
        with np.errstate(over="ignore"):
            coef[t] = np.ldexp(scaled_coef, size - exponents)
        passes, converged = max(passes, steps), converged and status == 0
        trace.take(tables, None if d.y_is_vector else t)
    rank = min(d.n_rows - int(center), d.n_cols)
    return Solution(coef, "lsqr", rank, passes=passes, converged=converged), mean_x, mean_y


def _exponent(value: Any) -> Any:
    """Power of two just below a positive value; 0 for zero."""
    return np.where(value > 0, np.frexp(value)[1] - 1, 0).astype(int)


def _column_exponents(d: Design, mean: Floats) -> Any:
    """One exponent for all columns, or one each where their spreads around `mean` differ too much."""
    X = d.numbers
    largest, smallest = X.max(axis=0), X.min(axis=0)
    if d.table.is_sparse:
        largest, smallest = largest.toarray().ravel(), smallest.toarray().ravel()
    sizes = np.maximum(np.abs(largest - mean), np.abs(smallest - mean)).astype(np.float64)
    top = sizes.max()
    if (sizes[sizes > 0] >= top / _MOST_RATIO).all():
        return np.full(d.n_cols, _exponent(top))
    return np.where(sizes > 0, _exponent(sizes), _exponent(top))


def _means(d: Design, center: bool, weight: Floats | None, threads: int) -> tuple[Floats, Floats]:
    """Weighted column means of X and y; zeros when not centered."""
    if not center:
        return np.zeros(d.n_cols), np.zeros(d.y.shape[1])
    share = _shares(d.n_rows, weight)
    return _core.multiply_transposed(d.matrix, share, threads), share @ d.y


def _shares(rows: int, weight: Floats | None) -> Floats:
    return np.full(rows, 1 / rows) if weight is None else weight / weight.sum()
