"""Sums of products of deviations, from the same kernel that least squares stands on."""

from __future__ import annotations

import numpy as np

from pellucid import _core
from pellucid.base.threads import effective_threads
from pellucid.base.types import Floats


def scaled_products(X: Floats) -> tuple[Floats, Floats]:
    """S_jk = sum_i (x_ij - m_j)(x_ik - m_k) s_j s_k, and the powers of two s that keep it in range."""
    none = np.empty((len(X), 0))
    _, _, _, scale, products = _core.moments(_core.dense(X), none, None, True, effective_threads())
    return products, scale


def products(X: Floats) -> Floats:
    """sum_i (x_ij - m_j)(x_ik - m_k) for every pair of columns."""
    scaled, scale = scaled_products(X)
    return np.asarray(scaled / scale / scale[:, None])
