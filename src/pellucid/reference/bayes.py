"""Bayes' theorem and the least error between two bells, in plain steps."""

from __future__ import annotations

import math
from collections.abc import Sequence


def posterior(prior: float, likelihood: float, evidence: float) -> float:
    """P(H | E) = P(E | H) P(H) / P(E)."""
    return likelihood * prior / evidence


def total_probability(priors: Sequence[float], likelihoods: Sequence[float]) -> float:
    """P(E): the sum over all hypotheses of P(E | H) P(H)."""
    return sum(p * q for p, q in zip(priors, likelihoods, strict=True))


def posteriors(priors: Sequence[float], likelihoods: Sequence[float]) -> list[float]:
    """P(H | E) of every hypothesis: its product, divided by the sum of all products."""
    evidence = total_probability(priors, likelihoods)
    return [posterior(p, q, evidence) for p, q in zip(priors, likelihoods, strict=True)]


def bell(x: float, mean: float, sd: float) -> float:
    """The normal density."""
    return math.exp(-(((x - mean) / sd) ** 2) / 2) / (math.sqrt(2 * math.pi) * sd)


def error_between(
    bells: Sequence[tuple[float, float]], priors: Sequence[float], low: float, high: float, steps: int = 20_000
) -> float:
    """The area under all weighted bells but the highest, by adding narrow strips from low to high."""
    width = (high - low) / steps
    area = 0.0
    for i in range(steps):
        x = low + (i + 0.5) * width
        heights = [p * bell(x, m, s) for p, (m, s) in zip(priors, bells, strict=True)]
        area += (sum(heights) - max(heights)) * width
    return area
