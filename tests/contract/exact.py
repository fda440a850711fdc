"""Least squares in rational numbers: the oracle where rounding is what is asked about."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray


def least_squares(
    X: NDArray[Any], y: NDArray[Any], weight: Sequence[float] | None = None, fit_intercept: bool = True
) -> tuple[list[Fraction], Fraction]:
    """Coefficients and intercept that solve the normal equation exactly, by Gaussian elimination."""
    rows = [[Fraction(1)] * fit_intercept + [Fraction(float(v)) for v in row] for row in np.asarray(X)]
    target = [Fraction(float(v)) for v in np.asarray(y)]
    w = [Fraction(1)] * len(rows) if weight is None else [Fraction(float(v)) for v in weight]
    solved = solve(
        [
            [sum(k * r[a] * r[b] for k, r in zip(w, rows, strict=True)) for b in range(len(rows[0]))]
            for a in range(len(rows[0]))
        ],
        [sum(k * r[a] * t for k, r, t in zip(w, rows, target, strict=True)) for a in range(len(rows[0]))],
    )
    return (solved[1:], solved[0]) if fit_intercept else (solved, Fraction(0))


def solve(A: list[list[Any]], b: list[Any]) -> list[Fraction]:
    """The solution of A x = b for a regular matrix."""
    table = [[*row, right] for row, right in zip(A, b, strict=True)]
    for c in range(len(table)):
        pivot = max(range(c, len(table)), key=lambda r: abs(table[r][c]))
        table[c], table[pivot] = table[pivot], table[c]
        for r in range(len(table)):
            if r != c and table[r][c]:
                times = table[r][c] / table[c][c]
                table[r] = [left - times * right for left, right in zip(table[r], table[c], strict=True)]
    return [row[-1] / row[r] for r, row in enumerate(table)]


def error(found: float, true: Fraction, size: Fraction | None = None) -> float:
    """Distance of a float from a rational number, as a share of that number, or of `size`."""
    if not np.isfinite(found):
        return float("inf")
    return float(abs(Fraction(float(found)) - true) / (size or abs(true) or 1))


def worst_error(model: Any, X: NDArray[Any], y: NDArray[Any], weight: Any = None) -> float:
    """The largest relative error among a model's coefficients; its intercept against the size of y and X coef."""
    coef, intercept = least_squares(X, y, weight, model.fit_intercept)
    # An intercept of nearly zero is a difference of large numbers: it is held against those.
    size = max([abs(Fraction(float(v))) for v in np.asarray(y)] + [abs(intercept)])
    errors = [error(a, b) for a, b in zip(np.asarray(model.coef_).tolist(), coef, strict=True)]
    return max([*errors, error(float(model.intercept_), intercept, size)])
