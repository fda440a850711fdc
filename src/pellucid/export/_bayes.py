"""Gaussian naive Bayes: log priors and log densities of bells, added up for each class."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.export._builder import Answer, Builder, labels_of, largest, softmax
from pellucid.export._form import (
    MISSING,
    Call,
    Cell,
    Choose,
    Compare,
    Difference,
    Expression,
    Missing,
    Number,
    Product,
    Quotient,
)
from pellucid.export._writers import write_model
from pellucid.naive_bayes.gaussian import GaussianNB

_FARTHEST = 1e150  # standard deviations, whose squares are still numbers


@write_model.register(GaussianNB)
def write_gaussian(model: Any, b: Builder) -> Answer:
    """``ln P(c) - sum_j ((x_j - m_cj) / s_cj)² / 2 + ln(2 pi v_cj) / 2``,  with missing values left out."""
    labels = labels_of(b, model)
    b.read_cells(model)
    mean, half, log, prior = model._densities()
    spread = np.sqrt(0.5 / half)
    scores = []
    for c, start in enumerate(prior.tolist()):
        possible = range(mean.shape[1]) if np.isfinite(start) else ()
        terms = [_term(j, float(mean[c, j]), float(spread[c, j]), float(log[c, j])) for j in possible]
        scores.append(b.total(f"score_{c}", start, terms))
    with np.errstate(over="ignore"):
        limits = np.min(spread, axis=0) * _FARTHEST + np.max(np.abs(mean), axis=0)
    b.required += [(_not_too_far(j, limit), b.cells[j].label) for j, limit in enumerate(limits.tolist())]
    return Answer(largest(scores), softmax(b, scores), labels)


def _term(j: int, mean: float, spread: float, log: float) -> Expression:
    x = Cell(j)
    apart = Quotient(Difference(x, Number(mean)), Number(spread))
    square = Product(Number(0.5), Product(apart, apart))
    return Choose(((Compare("==", x, x), Difference(Number(-log), square)),), Number(0.0))


def _not_too_far(j: int, limit: float) -> Expression:
    """Missing where a value is so far from every class that all densities are zero in 64 bits."""
    near = Compare("<=", Call("abs", (Cell(j),)), Number(limit))
    return Choose(((Missing(Cell(j)), Number(0.0)), (near, Number(0.0))), Number(MISSING))
