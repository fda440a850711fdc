"""The linear predictor: f(x) = b + w . x, for one target or several."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid import _core
from pellucid.base.types import Array, Floats


def linear_predictor(X: _core.Matrix, coef: Any, intercept: Any, threads: int) -> Floats:
    """n x k predictions; `coef` is p or k x p numbers, `intercept` one number or k.

    Every dense layout of X gives the same bits, with any number of threads and on any processor.
    """
    w = np.ascontiguousarray(np.atleast_2d(np.asarray(coef, dtype=np.float64)))
    b = np.ascontiguousarray(np.broadcast_to(np.asarray(intercept, dtype=np.float64).ravel(), (len(w),)))
    return np.asarray(_core.multiply(X, w, b, threads))


def row_products(rows: Array, W: Floats) -> Floats:
    """``rows W'``, n x k, for n x p rows and k x p weights.

    Unlike NumPy's product it has the same bits for every memory layout, BLAS library and processor.
    """
    return linear_predictor(_core.dense(rows), W, 0.0, 1)
