"""Platt's sigmoid and the temperature: two numbers, or one, that turn scores into probabilities. Newton's method."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from pellucid.base.types import Array, Floats
from pellucid.models.platt import BLOCK, MOST_PASSES, NEAR, newton_steps


@dataclass(frozen=True)
class Sigmoid:
    """``p = 1 / (1 + exp(a f + b))``."""

    a_: float
    b_: float
    loss_: float
    n_iter_: int

    def predict(self, scores: Array) -> Floats:
        """The probability that belongs to each score."""
        return np.asarray(expit(-(self.a_ * np.asarray(scores, dtype=np.float64) + self.b_)))


def fit_sigmoid(scores: Array, positive: Array, weight: Floats | None = None) -> Sigmoid:
    """The a and b with the smallest cross entropy against Platt's targets."""
    steps = newton_steps(scores, positive, weight)
    return Sigmoid(steps[-1].a, steps[-1].b, steps[-1].loss, len(steps) - 1)


# ---------------------------------------------------------------------------------------------------------- temperature


@dataclass(frozen=True)
class Temperature:
    """``p_k = exp(beta z_k) / sum_j exp(beta z_j)``; the temperature is 1 / beta."""

    beta_: float
    loss_: float
    n_iter_: int

    def predict(self, logits: Floats) -> Floats:
        """The probability of each class."""
        return _softmax(self.beta_ * logits)


def _softmax(z: Floats) -> Floats:
    shares = np.exp(z - z.max(axis=1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def _temperature_sums(beta: float, z: Floats, truth: Array, w: Floats) -> tuple[float, float, float]:
    """Mean loss, and its slope and curvature in beta: the mean of z under p against the true z, and its spread."""
    total = np.zeros(3)
    for start in range(0, len(z), BLOCK):
        rows = slice(start, start + BLOCK)
        part, mass = z[rows], w[rows]
        scaled = beta * part
        top = scaled.max(axis=1, keepdims=True)
        shares = np.exp(scaled - top)
        sums = shares.sum(axis=1)
        own = part[np.arange(len(part)), truth[rows]]
        mean = (shares * part).sum(axis=1) / sums
        spread = (shares * (part - mean[:, None]) ** 2).sum(axis=1) / sums
        terms = (top[:, 0] + np.log(sums) - beta * own, mean - own, spread)
        total += [float((mass * term).sum()) for term in terms]
    loss, slope, curve = total.tolist()
    return loss, slope, curve


def fit_temperature(logits: Floats, truth: Array, weight: Floats | None = None) -> Temperature:
    """The beta between exp(-10) and exp(10) with the smallest cross entropy, which is convex in it.

    Newton's steps on the slope; one that would leave the interval known to hold the zero becomes its geometric mean.
    The last two are taken where the fall that they promise is lost in the rounding of the loss.
    """
    w = np.full(len(logits), 1 / len(logits)) if weight is None else weight / weight.sum()
    low, high = math.exp(-10), math.exp(10)
    beta, passes, near = 1.0, 0, 0
    while passes < MOST_PASSES and near < 2:
        passes += 1
        loss, slope, curve = _temperature_sums(beta, logits, truth, w)
        near += slope * slope <= NEAR * loss * curve
        low, high = (beta, high) if slope < 0 else (low, beta)
        after = beta - slope / curve if curve > 0 else beta
        beta = after if low <= after <= high else math.sqrt(low * high)
    return Temperature(beta, _temperature_sums(beta, logits, truth, w)[0], passes)
