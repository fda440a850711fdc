"""The linear predictor: f(x) = b + w . x, for one target or several."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid import _core
from pellucid.base.types import Floats


def linear_predictor(X: _core.Matrix, coef: Any, intercept: Any, threads: int) -> Floats:
    """n x k predictions; `coef` is p or k x p numbers, `intercept` one number or k."""
    w = np.ascontiguousarray(np.atleast_2d(np.asarray(coef, dtype=np.float64)))
    b = np.ascontiguousarray(np.broadcast_to(np.asarray(intercept, dtype=np.float64).ravel(), (len(w),)))
    return np.asarray(_core.multiply(X, w, b, threads))
