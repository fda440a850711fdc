"""What a logistic fit says about its coefficients, as a textbook writes it.

At the maximum of the log likelihood ``l`` the second derivatives, with their sign turned, are the observed information
``I``; the coefficients scatter around the true ones with covariance ``I⁻¹``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


class Inference(NamedTuple):
    """Figures of one fit; arrays have a row for each class but the first, and a column for each parameter."""

    estimates: Array
    standard_errors: Array
    z: Array
    log_likelihood: float
    null_log_likelihood: float
    deviance: float
    null_deviance: float
    aic: float
    bic: float
    mcfadden_r2: float
    likelihood_ratio: float


def log_likelihood(A: Array, codes: NDArray[np.int64], beta: Array, weight: Array) -> float:
    """``sum_i w_i ln p_i``; A holds the rows with a 1 first, beta a row for each class but the first."""
    s = np.column_stack([np.zeros(len(A)), A @ beta.T])
    largest = s.max(axis=1, keepdims=True)
    logs = s - largest - np.log(np.exp(s - largest).sum(axis=1, keepdims=True))
    return float(weight @ logs[np.arange(len(A)), codes])


def information(A: Array, beta: Array, weight: Array) -> Array:
    """``I_ab = sum_i w_i p_ia (1[a = b] - p_ib) x_i x_i'`` for all pairs of classes but the first."""
    s = np.column_stack([np.zeros(len(A)), A @ beta.T])
    powers = np.exp(s - s.max(axis=1, keepdims=True))
    p = (powers / powers.sum(axis=1, keepdims=True))[:, 1:]
    blocks = [
        [(A * (weight * p[:, a] * (float(a == b) - p[:, b]))[:, None]).T @ A for b in range(p.shape[1])]
        for a in range(p.shape[1])
    ]
    return np.block(blocks)


def infer(X: ArrayLike, codes: ArrayLike, beta: ArrayLike, weight: ArrayLike | None = None) -> Inference:
    """All figures at the coefficients beta, the intercept first, of each class against the first one."""
    X, codes = np.asarray(X, dtype=np.float64), np.asarray(codes, dtype=np.int64)
    A, beta = np.column_stack([np.ones(len(X)), X]), np.atleast_2d(np.asarray(beta, dtype=np.float64))
    w = np.ones(len(X)) if weight is None else np.asarray(weight, dtype=np.float64)
    covariance = np.linalg.inv(information(A, beta, w))
    errors = np.sqrt(np.diag(covariance)).reshape(beta.shape)
    full = log_likelihood(A, codes, beta, w)
    shares = np.array([w[codes == k].sum() for k in range(len(beta) + 1)])
    null = float((shares * np.log(shares / w.sum())).sum())  # every row gets the shares of the classes
    return Inference(
        estimates=beta,
        standard_errors=errors,
        z=beta / errors,
        log_likelihood=full,
        null_log_likelihood=null,
        deviance=-2 * full,
        null_deviance=-2 * null,
        aic=2 * beta.size - 2 * full,
        bic=float(np.log(w.sum())) * beta.size - 2 * full,
        mcfadden_r2=1 - full / null,
        likelihood_ratio=2 * (full - null),
    )
