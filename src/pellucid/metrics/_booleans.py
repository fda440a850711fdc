"""Distances of rows of flags by how often they agree: n11 both, n10 only the first, n01 only the second, n00 none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse

from pellucid.base.types import Floats

Counts = tuple[Floats, Floats, Floats, Floats]


def _dice(n11: Floats, n10: Floats, n01: Floats, n00: Floats) -> Floats:
    return _share(n10 + n01, 2 * n11 + n10 + n01)


def _rogers_tanimoto(n11: Floats, n10: Floats, n01: Floats, n00: Floats) -> Floats:
    return _share(2 * (n10 + n01), n11 + n00 + 2 * (n10 + n01))


def _russell_rao(n11: Floats, n10: Floats, n01: Floats, n00: Floats) -> Floats:
    p = n11 + n10 + n01 + n00
    return _share(p - n11, p)


def _sokal_sneath(n11: Floats, n10: Floats, n01: Floats, n00: Floats) -> Floats:
    return _share(2 * (n10 + n01), n11 + 2 * (n10 + n01))


def _yule(n11: Floats, n10: Floats, n01: Floats, n00: Floats) -> Floats:
    apart = n10 * n01
    return _share(2 * apart, n11 * n00 + apart)


BOOLEAN: dict[str, Callable[..., Floats]] = {
    "dice": _dice,
    "rogerstanimoto": _rogers_tanimoto,
    "russellrao": _russell_rao,
    "sokalsneath": _sokal_sneath,
    "yule": _yule,
}


def boolean_distances(who: str, metric: str, x: Any, z: Any) -> Floats:
    """Table of distances; any number but 0 counts as true."""
    left, right = (_flags(values) for values in (x, z))
    n11 = left @ right.T
    n10, n01 = left.sum(axis=1)[:, None] - n11, right.sum(axis=1) - n11
    return BOOLEAN[metric](n11, n10, n01, left.shape[1] - n11 - n10 - n01)


def _flags(table: Any) -> Floats:
    dense = table.toarray() if scipy.sparse.issparse(table) else table
    return np.asarray(dense != 0, dtype=np.float64)


def _share(numerator: Floats, denominator: Floats) -> Floats:
    """0 where there is nothing to share."""
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator != 0)
