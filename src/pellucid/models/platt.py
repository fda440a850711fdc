"""Platt's sigmoid: the two numbers a and b that turn scores into probabilities ``p = 1 / (1 + exp(a f + b))``.

Sums run over NumPy arrays in fixed blocks on one thread. Measured on 1,000,000 scores, six passes: 0.25 s.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pellucid.base.types import Array, Floats

BLOCK = 16_384  # rows summed at a time: their arrays stay in the cache
MOST_PASSES = 100
# Promised fall, a row, below which Newton's steps are right to their last digits and rounding hides the fall.
NEAR = 1e-9
_FEWEST_FALL = 1e-4  # share of the fall that the slope promises which a step must bring (Armijo)


class NewtonStep(NamedTuple):
    """One pass: the share of the full step that was taken, and where it led."""

    share: float
    a: float
    b: float
    loss: float


@dataclass(frozen=True)
class _Sums:
    """Loss, slope and curvature at one point: sums over the rows."""

    loss: float
    slope: tuple[float, float]
    curve: tuple[float, float, float]  # aa, ab, bb

    def step(self) -> tuple[float, float, float]:
        """Newton's step, and the fall that it promises: minus slope times step."""
        (ga, gb), (haa, hab, hbb) = self.slope, self.curve
        ridge = 1e-12 * (haa + hbb) + 1e-300  # scores that are all equal have no slope in a, and no curvature
        haa, hbb = haa + ridge, hbb + ridge
        determinant = haa * hbb - hab * hab
        da, db = -(hbb * ga - hab * gb) / determinant, -(haa * gb - hab * ga) / determinant
        return da, db, -(ga * da + gb * db)


def _sums(a: float, b: float, f: Floats, t: Floats, w: Floats | None) -> _Sums:
    """``loss = sum w (t z + ln(1 + e^-z))`` with z = a f + b; slope in z: w (t - p), curvature: w p (1 - p)."""
    total = np.zeros(6)
    for start in range(0, len(f), BLOCK):
        rows = slice(start, start + BLOCK)
        total += _block_sums(a, b, f[rows], t[rows], None if w is None else w[rows])
    loss, ga, gb, haa, hab, hbb = total.tolist()
    return _Sums(loss, (ga, gb), (haa, hab, hbb))


def _block_sums(a: float, b: float, f: Floats, t: Floats, w: Floats | None) -> Floats:
    z = a * f + b
    e = np.exp(-np.abs(z))
    p = np.where(z >= 0, e, 1.0) / (1 + e)
    loss = t * z + np.log1p(e) - np.minimum(z, 0.0)
    gradient, curve = t - p, p * (1 - p)
    if w is not None:
        loss, gradient, curve = w * loss, w * gradient, w * curve
    fc = f * curve
    terms = (loss, f * gradient, gradient, f * fc, fc, curve)
    return np.array([term.sum() for term in terms])


def smoothed_targets(positive: Array, weight: Floats | None) -> tuple[Floats, float, float]:
    """Platt's targets, (N1 + 1) / (N1 + 2) and 1 / (N0 + 2), and the weights N0 and N1 of the two classes."""
    truth = np.asarray(positive, dtype=bool)
    w = np.ones(len(truth)) if weight is None else weight
    n1, n0 = float(w[truth].sum()), float(w[~truth].sum())
    return np.where(truth, (n1 + 1) / (n1 + 2), 1 / (n0 + 2)), n0, n1


def newton_steps(scores: Array, positive: Array, weight: Floats | None = None) -> list[NewtonStep]:
    """The passes of Lin, Lin and Weng from a = 0, b = ln((N0 + 1) / (N1 + 1)); the first entry is that start.

    Newton's steps are the same on shifted and scaled scores, so those are used: mean 0, largest about 1.
    """
    t, n0, n1 = smoothed_targets(positive, weight)
    f = np.asarray(scores, dtype=np.float64)
    unit = math.ldexp(1.0, min(math.frexp(float(np.abs(f).max(initial=0.0)))[1], 1023))
    f = f / unit
    center = float(f.mean())
    f = f - center
    width = float(np.abs(f).max(initial=0.0)) or 1.0
    f = f / width

    a, b = 0.0, math.log((n0 + 1) / (n1 + 1))
    here, near = _sums(a, b, f, t, weight), 0
    steps = [NewtonStep(0.0, 0.0, b, here.loss)]
    while len(steps) <= MOST_PASSES and near < 2:
        da, db, promised = here.step()
        near += promised <= NEAR * (n0 + n1)
        share = 1.0
        there = _sums(a + da, b + db, f, t, weight)
        while not near and there.loss > here.loss - _FEWEST_FALL * share * promised and share > 1e-10:
            share /= 2
            there = _sums(a + share * da, b + share * db, f, t, weight)
        a, b, here = a + share * da, b + share * db, there
        slope = a / width
        steps.append(NewtonStep(share, slope / unit, b - slope * center, here.loss))
    return steps
