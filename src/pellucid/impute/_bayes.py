"""A line whose penalty is found from the data, from nothing but the cross-products of the columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pellucid.base.types import Array, Floats
from pellucid.models.linear import row_products

PRIOR = 1e-6  # shape and rate of the two gamma priors, as in scikit-learn's BayesianRidge
MOST, TOL = 300, 1e-3


@dataclass
class BayesianLine:
    """``y = b + w . x + noise``  with normal noise of precision alpha and normal weights of precision lambda.

    ``w = (X'X + lambda / alpha I)^-1 X'y``  for centered columns; alpha and lambda are those under which the data are
    most probable (MacKay 1992):  ``g = sum alpha s / (lambda + alpha s)``  over the eigenvalues s of X'X,
    ``lambda = g / |w|²``,  ``alpha = (n - g) / |y - Xw|²``,  in turn until w stands.
    """

    coef_: Floats
    intercept_: float
    alpha_: float
    lambda_: float
    n_iter_: int
    X_offset_: Floats
    sigma_: Floats | None = None

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """The line's values; with ``return_std`` also the standard deviation of a new value there."""
        X = np.asarray(X, dtype=np.float64)
        values = row_products(X, self.coef_)[:, 0] + self.intercept_
        if not return_std:
            return values
        assert self.sigma_ is not None
        apart = X - self.X_offset_
        return values, np.sqrt((row_products(apart, self.sigma_) * apart).sum(axis=1) + 1 / self.alpha_)


@dataclass
class Units:
    """``z = (x - shift) * scale``:  in these units the columns are near mean 0 and spread 1."""

    shift: Floats
    scale: Floats


def fit_line(G: Floats, units: Units, j: int, others: Array, spread: bool) -> BayesianLine:
    """The line for column j from some others.

    Parameters
    ----------
    G : (p + 1) x (p + 1) cross-products of z over the rows of the fit, a column of ones last
    units : of z
    j, others : the column that is predicted, and those that predict it
    spread : is the covariance of the weights kept?
    """
    n, mean = float(G[-1, -1]), G[:-1, -1] / G[-1, -1]
    C = G[np.ix_(others, others)] - n * np.outer(mean[others], mean[others])
    c = G[others, j] - n * mean[others] * mean[j]
    yy = max(float(G[j, j] - n * mean[j] ** 2), 0.0)
    raw = (
        1 / units.scale
    )  # back to the columns' own units, all divided by one power of two so that squares stay in range
    unit = float(np.ldexp(1.0, -int(np.frexp(raw.max())[1])))
    factor = raw[others] * unit
    own = raw[j] * unit
    offset = units.shift + mean * raw
    s, V = _spectrum(C, factor)
    w, alpha, lam, passes = _solve(s, V @ (c * factor * own), V, yy * own * own, n, unit)
    intercept = float(offset[j] - w @ offset[others])
    sigma = None
    if spread:
        sigma = (V.T / (alpha * s + lam)) @ V
    return BayesianLine(w, intercept, alpha * unit * unit, lam, passes, offset[others], sigma)


def _spectrum(C: Floats, factor: Floats) -> tuple[Floats, Floats]:
    """Eigenvalues s and vectors (rows of V) of  D C D,  D = diag(factor).

    By the singular values of a root of the matrix: small eigenvalues keep their digits, as those of X itself would.
    """
    try:
        root = np.linalg.cholesky(C).T
    except np.linalg.LinAlgError:  # dependent or constant columns
        values, vectors = np.linalg.eigh(C)
        root = np.sqrt(np.maximum(values, 0))[:, None] * vectors.T
    _, singular, V = np.linalg.svd(root * factor)
    return singular**2, V


def _solve(s: Floats, rotated: Floats, V: Floats, yy: float, n: float, unit: float) -> tuple[Floats, float, float, int]:
    """Weights, alpha, lambda and the number of passes; `rotated` is V X'y. Priors are in the columns' own units."""
    small = PRIOR * unit * unit
    alpha, lam = 1 / (yy / n + np.finfo(float).eps * unit * unit or 1.0), 1.0
    before: Floats | None = None
    passes = MOST
    for number in range(1, MOST + 1):
        w, sse = _weights(s, rotated, yy, lam / alpha)
        g = float(np.sum(alpha * s / (lam + alpha * s)))
        lam = (g + 2 * PRIOR) / (float(w @ w) + 2 * PRIOR)
        alpha = (n - g + 2 * PRIOR) / (sse + 2 * small or 1.0)
        coef = V.T @ w
        if before is not None and float(np.abs(before - coef).sum()) < TOL:
            passes = number
            break
        before = coef
    return V.T @ _weights(s, rotated, yy, lam / alpha)[0], float(alpha), float(lam), passes


def _weights(s: Floats, rotated: Floats, yy: float, ratio: float) -> tuple[Floats, float]:
    """Weights along the eigenvectors, and  |y - Xw|² = yy - 2 w . X'y + w . s w."""
    w = np.divide(rotated, s + ratio, out=np.zeros_like(rotated), where=s + ratio > 0)
    return w, max(yy - float(w @ (2 * rotated - s * w)), 0.0)
